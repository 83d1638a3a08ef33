/* Fields in memory, in rows of numbers, and in files. */
#include "state/state.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/device.h"

enum { BEFORE = 2, KINDS = 3 }; /* columns before those of fields; of a field with several values */
static const char *const kinds[KINDS] = {"min", "max", "mean"};

static bool is_complex(const rw_state_field *f) { return rw_dtype_is_complex(rw_array_dtype(f->array)); }

rw_status rw_state_add(rw_state *s, const char *name, const char *unit, rw_dtype type, const rw_layout *layout,
                       rw_memory memory)
{
    size_t shape[3];
    int64_t n[3];
    if (!rw_grow(&s->fields, &s->capacity, s->nfields + 1, sizeof *s->fields))
        return s->device ? rw_fail_memory(s->device->ctx, sizeof *s->fields, "fields") : RW_ERR_MEMORY;
    rw_state_field *f = &s->fields[s->nfields];
    *f = (rw_state_field){.name = name, .unit = unit, .layout = layout};
    s->nfields++;
    if (!s->device) return RW_OK;
    const int rank = rw_layout_shape(layout, shape);
    for (int d = 0; d < rank; ++d) n[d] = (int64_t)shape[d];
    return rw_array_create(s->device, type, rank, n, memory, &f->array);
}

void rw_state_free(rw_state *s)
{
    for (int f = 0; s->observers && f < s->nfields; ++f) rw_expr_destroy(&s->observers[f]);
    for (int f = 0; f < s->nfields; ++f) rw_array_destroy(&s->fields[f].array);
    for (int k = BEFORE; s->columns && k < s->ncolumns; ++k) rw_free((void *)(uintptr_t)s->columns[k].name);
    rw_free(s->columns);
    rw_free(s->observers);
    rw_free(s->fields);
    *s = (rw_state){0};
}

rw_status rw_state_program(rw_device *device, const rw_layout *layout, const rw_expr_spec *given, rw_expr **program)
{
    rw_expr_spec spec = *given;
    switch (layout->kind) {
    case RW_LAYOUT_BLOCKS: return rw_blocks_expr_create(layout->blocks, device, RW_BLOCKS_CELLS, &spec, program);
    case RW_LAYOUT_GRID: spec.grid = rw_layout_grid(layout); break;
    case RW_LAYOUT_VALUE: spec.grid = (rw_grid){.ndim = 0}; break;
    case RW_LAYOUT_POINTS:
    case RW_LAYOUT_CURVES:
        spec.grid = (rw_grid){.ndim = layout->kind == RW_LAYOUT_CURVES ? 2 : 1,
                              .size = {layout->size[0], layout->size[1], 1},
                              .spacing = {1, 1, 1}};
        break;
    }
    return rw_expr_create(device, &spec, program);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool is_value(const rw_state *s, int f) { return s->fields[f].layout->kind == RW_LAYOUT_VALUE; }

static int columns_of(const rw_state *s, int f) { return is_value(s, f) ? 1 : KINDS; }

/* The first column of field f. */
static int column_of(const rw_state *s, int f)
{
    int column = BEFORE;
    for (int k = 0; k < f; ++k) column += columns_of(s, k);
    return column;
}

static bool is_first_of_layout(const rw_state *s, int f)
{
    for (int k = 0; k < f; ++k)
        if (s->fields[k].layout == s->fields[f].layout) return false;
    return true;
}

/* The name of a field in the program: that of a field on points may be x, which is a coordinate there. */
static const char *name_of(const rw_state *s, int f, char text[16])
{
    if (!rw_layout_is_points(s->fields[f].layout)) return s->fields[f].name;
    snprintf(text, 16, "field%d", f % 1000000);
    return text;
}

/* Name i of a program: its scalars, fields and own columns. */
static const char *name_at(const rw_state_own *own, int64_t i)
{
    const rw_expr_spec *spec = own->spec;
    if (i < spec->nscalars) return spec->scalars[i].name;
    if (i < spec->nscalars + spec->nfields) return spec->fields[i - spec->nscalars].name;
    return own->columns[i - spec->nscalars - spec->nfields].name;
}

/* "r", or as many of them as it takes. */
void rw_state_prefix(const rw_state_own *own, char prefix[32])
{
    const int64_t names = own ? own->spec->nscalars + own->spec->nfields + own->n : 0;
    bool taken = true;
    memset(prefix, 0, 32);
    for (size_t n = 0; taken && n < 16; n++) { /* of 31 characters that a name may have */
        prefix[n] = 'r';
        taken = false;
        for (int64_t i = 0; i < names && !taken; i++) {
            const char *name = name_at(own, i);
            taken = !strncmp(name, prefix, n + 1) && isdigit((unsigned char)name[n + 1]);
        }
    }
}

static void name_result(const rw_state *s, int f, int kind, char name[64])
{
    snprintf(name, 64, "%s%d_%d", s->prefix, f, kind);
}

/* The reductions of all fields on the layout of field `first`, and `own` with them. */
static rw_status make_observer(rw_state *s, int first, const rw_state_own *own)
{
    const rw_layout *layout = s->fields[first].layout;
    const size_t count = (size_t)s->nfields;
    rw_text text = {0};
    rw_expr_field *fields = rw_calloc(count, sizeof *fields);
    char(*names)[16] = rw_calloc(count, sizeof *names);
    rw_status status = RW_OK;
    int n = 0;
    for (int f = first; fields && names && f < s->nfields; ++f) {
        if (s->fields[f].layout != layout) continue;
        fields[n] = (rw_expr_field){.name = name_of(s, f, names[n]), .dtype = rw_array_dtype(s->fields[f].array)};
        const bool z = is_complex(&s->fields[f]);
        for (int k = 0; k < KINDS; ++k) {
            char result[64];
            name_result(s, f, k, result);
            rw_text_add(&text, "%s = %s(%s%s%s)\n", result, kinds[k], z ? "abs(" : "", fields[n].name, z ? ")" : "");
        }
        n++;
    }
    rw_expr_spec spec = {.fields = fields, .nfields = n};
    if (own) {
        rw_text_add(&text, "%s", own->spec->text);
        spec = *own->spec;
    }
    spec.name = "series";
    spec.text = text.data;
    if (!fields || !names || text.failed) status = rw_fail_memory(s->device->ctx, count * sizeof *fields, "columns");
    if (status == RW_OK) status = rw_state_program(s->device, layout, &spec, &s->observers[first]);
    n = 0;
    for (int f = first; f < s->nfields && status == RW_OK; ++f)
        if (s->fields[f].layout == layout)
            status = rw_expr_bind(s->observers[first], fields[n++].name, s->fields[f].array);
    rw_free(fields);
    rw_free(names);
    rw_text_free(&text);
    return status;
}

static rw_status add_column(rw_state *s, char *name, const char *unit)
{
    if (!name) return rw_fail_memory(s->device->ctx, 64, "columns");
    s->columns[s->ncolumns++] = (rw_state_column){name, unit};
    return RW_OK;
}

rw_status rw_state_observe(rw_state *s, const char *first, const char *second, const rw_state_own *own)
{
    s->nown = own ? own->n - own->names : 0;
    const int n = column_of(s, s->nfields) + s->nnumbers + s->nown;
    s->columns = rw_calloc((size_t)n, sizeof *s->columns);
    s->observers = rw_calloc((size_t)s->nfields + 1, sizeof(rw_expr *));
    if (!s->columns || !s->observers) return rw_fail_memory(s->device->ctx, 64, "columns");
    s->columns[0] = (rw_state_column){first, ""};
    s->columns[1] = (rw_state_column){second, ""};
    s->ncolumns = BEFORE;
    for (int f = 0; f < s->nfields; ++f)
        for (int k = 0; k < columns_of(s, f); ++k) {
            const char *field = s->fields[f].name, *part = is_complex(&s->fields[f]) ? "_abs" : "";
            char *name = is_value(s, f) ? rw_format("%s%s", field, part) : rw_format("%s%s_%s", field, part, kinds[k]);
            RW_TRY(add_column(s, name, s->fields[f].unit));
        }
    for (int i = 0; i < s->nnumbers; ++i) RW_TRY(add_column(s, rw_strdup(s->numbers[i]), ""));
    for (int i = 0; i < s->nown; ++i)
        RW_TRY(add_column(s, rw_strdup(own->columns[own->names + i].name), own->columns[own->names + i].unit));
    rw_state_prefix(own, s->prefix);
    for (int f = 0; f < s->nfields; ++f) {
        const rw_state_own *with = f == 0 ? own : NULL;
        if (is_first_of_layout(s, f) && (with || !is_value(s, f))) RW_TRY(make_observer(s, f, with));
    }
    return RW_OK;
}

int rw_state_mean(const rw_state *s, int f) { return column_of(s, f) + columns_of(s, f) - 1; }

/* The value itself, of a complex one its modulus: it needs no reduction. */
static rw_status read_value(const rw_state_field *f, double *value)
{
    const void *data;
    RW_TRY(rw_array_read(f->array, &data));
    const float *f32 = data;
    const double *f64 = data;
    switch (rw_array_dtype(f->array)) {
    case RW_F32: *value = (double)f32[0]; break;
    case RW_C64: *value = hypot((double)f32[0], (double)f32[1]); break;
    case RW_C128: *value = hypot(f64[0], f64[1]); break;
    default: *value = f64[0]; break;
    }
    return RW_OK;
}

rw_status rw_state_row(rw_state *s, double first, double second, double *values)
{
    values[0] = first;
    values[1] = second;
    if (s->nown) RW_TRY(rw_expr_set(s->observers[0], "t", first));
    for (int f = 0; f < s->nfields; ++f)
        if (s->observers[f]) RW_TRY(rw_expr_run(s->observers[f], rw_device_queue(s->device)));
    for (int f = 0; f < s->nfields; ++f) {
        double *to = values + column_of(s, f);
        int of = 0;
        while (s->fields[of].layout != s->fields[f].layout) ++of;
        for (int k = 0; k < KINDS && !is_value(s, f); ++k) {
            char name[64];
            name_result(s, f, k, name);
            RW_TRY(rw_expr_get(s->observers[of], name, to + k, NULL));
        }
        if (is_value(s, f)) RW_TRY(read_value(&s->fields[f], to));
    }
    for (int i = 0; i < s->nnumbers; ++i) values[column_of(s, s->nfields) + i] = s->number[i];
    for (int k = s->ncolumns - s->nown; k < s->ncolumns; ++k)
        RW_TRY(rw_expr_get(s->observers[0], s->columns[k].name, values + k, NULL));
    return RW_OK;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

rw_status rw_state_save_field(const rw_state_field *f, const char *group, rw_array *array, rw_h5 *file)
{
    const void *data;
    size_t shape[3];
    char name[160];
    const int rank = rw_layout_shape(f->layout, shape);
    RW_TRY(rw_array_read(array, &data));
    snprintf(name, sizeof name, "%.40s/%.100s", group, f->name);
    return rw_h5_write(file, name, rw_array_dtype(array), rank, shape, data, RW_H5_CHECKSUM);
}

rw_status rw_state_load_field(const rw_state_field *f, const char *group, rw_array *array, rw_h5 *file)
{
    void *data;
    size_t shape[3];
    char name[160];
    const int rank = rw_layout_shape(f->layout, shape);
    RW_TRY(rw_array_write(array, &data));
    snprintf(name, sizeof name, "%.40s/%.100s", group, f->name);
    return rw_h5_read(file, name, rw_array_dtype(array), rank, shape, data);
}

rw_status rw_state_save(const rw_state *s, const char *group, rw_h5 *file)
{
    for (int f = 0; f < s->nfields; ++f) RW_TRY(rw_state_save_field(&s->fields[f], group, s->fields[f].array, file));
    return RW_OK;
}

rw_status rw_state_load(const rw_state *s, const char *group, rw_h5 *file)
{
    for (int f = 0; f < s->nfields; ++f) RW_TRY(rw_state_load_field(&s->fields[f], group, s->fields[f].array, file));
    return RW_OK;
}
