/* Files over all outputs of a run:
 *
 *   fields.h5     /u (t, z, y, x), whose slices are the datasets /u of fields/000000.h5, …: a virtual dataset each;
 *                 the coordinates /t, /z, /y, /x. These are the conventions of netCDF-4: xarray.open_dataset reads it.
 *   fields.xdmf   the same for ParaView and VisIt;  fields.pvd  the .vti or .vtm files
 * They are rewritten as a whole: at a checkpoint, at the end, and at other outputs as long as this takes at most a
 * twentieth of the time. Complex fields are not in fields.xdmf: XDMF has no complex numbers. */
#include <stdio.h>
#include <string.h>

#include "io/vti.h"
#include "io/xdmf.h"
#include "run/run_private.h"

enum { NAME = 64 };

/* The names of the axes of /u, in its order: t, then those of the grid from the last to the first. */
typedef struct index_axes {
    int n;
    char name[4][16];
    const char *list[4];
} index_axes;

/* "x (mm)" is the axis x with the unit mm. */
static void split_label(const char *label, char *name, size_t size, char *unit, size_t unit_size)
{
    size_t n = strcspn(label, " (");
    const char *open = strchr(label, '(');
    snprintf(name, size, "%.*s", (int)n, label);
    snprintf(unit, unit_size, "%.*s", open ? (int)strcspn(open + 1, ")") : 0, open ? open + 1 : "");
}

static rw_status write_axis(rw_h5 *file, index_axes *axes, const char *name, const char *unit, size_t n,
                            const double *values)
{
    const int i = axes->n++;
    snprintf(axes->name[i], sizeof(axes->name[i]), "%s", name);
    axes->list[i] = axes->name[i];
    RW_TRY(rw_h5_write_scale(file, name, i, n, values));
    return *unit ? rw_h5_set_text(file, name, "units", unit) : RW_OK;
}

static rw_status write_axes(rw_run *r, rw_h5 *file, const rw_output_grid *grid, index_axes *axes)
{
    const char *unit = r->ncolumns > 0 && r->columns[0].unit ? r->columns[0].unit : "";
    axes->n = 0;
    RW_TRY(write_axis(file, axes, "t", unit, (size_t)r->noutputs, r->times));
    for (int a = grid->ndim - 1; a >= 0; a--) {
        const bool cells = grid->blocks != NULL;
        char name[16], of[32];
        if (cells && grid->size[a] == 1) continue;
        split_label(cells ? "cell" : grid->axis[a], name, sizeof(name), of, sizeof(of));
        const size_t n = (size_t)grid->size[a];
        double *x = rw_calloc(n, sizeof(*x));
        if (!x) return rw_fail_memory(r->ctx, n * sizeof(*x), "the axes of fields.h5");
        for (size_t i = 0; i < n; i++) x[i] = cells ? (double)i : grid->origin[a] + (double)i * grid->spacing[a];
        rw_status status = write_axis(file, axes, name, of, n, x);
        rw_free(x);
        RW_TRY(status);
    }
    return RW_OK;
}

static rw_status write_field(rw_run *r, rw_h5 *file, const rw_output_field *field, const rw_output_grid *grid,
                             const index_axes *axes, const char **files, char (*texts)[NAME])
{
    char object[160];
    const char *unit = field->unit && strcmp(field->unit, "1") != 0 ? field->unit : "";
    size_t source[3], shape[3];
    int rank = 0;
    bool any = false;
    for (int k = 0; k < r->noutputs; k++) {
        snprintf(texts[k], sizeof(*texts), "fields/%06d.h5", k);
        files[k] = rw_layout_has(r, k, field->name) ? texts[k] : NULL;
        any = any || files[k];
    }
    if (!any) return RW_OK;
    for (int a = 0; a < 3; a++) source[a] = a < 3 - grid->ndim ? 1 : (size_t)grid->size[2 - a];
    for (int a = 3 - grid->ndim; a < 3; a++)
        if (!grid->blocks || source[a] > 1) shape[rank++] = source[a];
    snprintf(object, sizeof(object), "/%.120s", field->name);
    RW_TRY(rw_h5_write_stack(file, object, rw_array_dtype(field->array), (size_t)r->noutputs, rank, shape, files,
                             object, 3, source));
    RW_TRY(rw_h5_set_text(file, object, "units", *unit ? unit : "1"));
    return rw_h5_set_scales(file, object, axes->n, axes->list);
}

static rw_status write_fields(rw_run *r, const rw_output_field *fields, int n)
{
    char path[RW_PATH_SIZE];
    const size_t outputs = (size_t)r->noutputs;
    rw_output_grid grid;
    index_axes axes;
    rw_h5 *file = NULL;
    RW_TRY(rw_output_outer(r, &grid));
    RW_TRY(rw_folder_claim(r, "fields.h5", path));
    char(*texts)[NAME] = rw_calloc(outputs, sizeof(*texts));
    const char **files = rw_calloc(outputs, sizeof(*files));
    rw_status status = RW_OK;
    if (!texts || !files) status = rw_fail_memory(r->ctx, outputs * sizeof(*texts), "fields.h5");
    if (status == RW_OK) status = rw_h5_create(r->ctx, path, &file);
    if (status == RW_OK) status = rw_h5_set_text(file, "/", "Conventions", "CF-1.8");
    if (status == RW_OK && *r->top.title) status = rw_h5_set_text(file, "/", "title", r->top.title);
    if (status == RW_OK) status = write_axes(r, file, &grid, &axes);
    for (int i = 0; i < n && status == RW_OK; i++)
        status = write_field(r, file, &fields[i], &grid, &axes, files, texts);
    if (status == RW_OK) status = rw_h5_commit(&file);
    rw_h5_close(&file);
    rw_free(files);
    rw_free(texts);
    return status;
}

/* fields.xdmf: noutputs steps of m real fields, their datasets "fields/000010.h5:/u" in one block of texts. */
static rw_status write_xdmf(rw_run *r, const rw_output_field *fields, int n)
{
    enum { TEXT = 192 };
    char path[RW_PATH_SIZE];
    int m = 0;
    size_t steps = (size_t)r->noutputs, width = (size_t)n;
    rw_xdmf_field *list = rw_calloc(width, sizeof(*list));
    rw_xdmf_step *step = rw_calloc(steps, sizeof(*step));
    char *texts = rw_calloc(steps * width, TEXT);
    const char **pointers = rw_calloc(steps * width, sizeof(*pointers));
    rw_status status = RW_OK;
    if (!list || !step || !texts || !pointers)
        RW_TRY_GOTO(rw_fail_memory(r->ctx, steps * width * TEXT, "fields.xdmf"), done);
    for (int i = 0; i < n; i++) {
        const rw_dtype type = rw_array_dtype(fields[i].array);
        if (!rw_dtype_is_number(type) || rw_dtype_is_complex(type)) continue;
        list[m++] = (rw_xdmf_field){fields[i].name, type};
    }
    for (size_t k = 0; k < steps; k++) {
        step[k] = (rw_xdmf_step){r->times[k], pointers + k * width};
        for (int i = 0; i < m; i++) {
            char *text = texts + (k * width + (size_t)i) * TEXT;
            if (rw_layout_has(r, (int)k, list[i].name))
                snprintf(text, TEXT, "fields/%06zu.h5:/%.120s", k, list[i].name);
            pointers[k * width + (size_t)i] = text;
        }
    }
    rw_output_grid outer;
    RW_TRY_GOTO(rw_output_outer(r, &outer), done);
    rw_io_grid grid = rw_output_io_grid(&outer);
    if (m > 0) status = rw_folder_claim(r, "fields.xdmf", path);
    if (m > 0 && status == RW_OK) status = rw_xdmf_write(r->ctx, path, &grid, m, list, steps, step);
done:
    rw_free(list);
    rw_free(step);
    rw_free(texts);
    rw_free(pointers);
    return status;
}

static rw_status write_pvd(rw_run *r)
{
    char path[RW_PATH_SIZE];
    size_t n = (size_t)r->noutputs, m = 0;
    char(*texts)[NAME] = rw_calloc(n, sizeof(*texts));
    const char **files = rw_calloc(n, sizeof(*files));
    double *times = rw_calloc(n, sizeof(*times));
    rw_status status = RW_OK;
    if (!texts || !files || !times) RW_TRY_GOTO(rw_fail_memory(r->ctx, n * sizeof(*texts), "fields.pvd"), done);
    for (size_t k = 0; k < n; k++) {
        if (!rw_layout_has_vti(r, (int)k)) continue;
        snprintf(texts[k], sizeof(*texts), r->grid->blocks ? "vtm/%06zu.vtm" : "vti/%06zu.vti", k);
        times[m] = r->times[k];
        files[m++] = texts[k];
    }
    RW_TRY_GOTO(rw_folder_claim(r, "fields.pvd", path), done);
    status = rw_pvd_write(r->ctx, path, m, times, files);
done:
    rw_free(times);
    rw_free(texts);
    rw_free(files);
    return status;
}

rw_status rw_output_index(rw_run *r, bool always)
{
    const rw_output_field *fields = r->problem->fields;
    const int n = r->problem->nfields;
    double begin = rw_seconds();
    if (!r->index_stale || n == 0 || r->noutputs == 0 || r->output.fields.n == 0) return RW_OK;
    if (!always && begin - r->indexed < RW_MAX(1.0, 20 * r->index_cost)) return RW_OK;
    RW_TRY(write_fields(r, fields, n));
    if (!r->grid->blocks) RW_TRY(write_xdmf(r, fields, n)); /* it knows uniform grids */
    if (r->output.vti) RW_TRY(write_pvd(r));
    r->indexed = rw_seconds();
    r->index_cost = r->indexed - begin;
    r->index_stale = false;
    return RW_OK;
}
