/* Values on the grid from the case, of initial values and of read-only data alike.
 *
 *   initial: "exp(-x^2)"                         an expression of coordinates, t and parameters
 *   initial: {file: u.npy}                       an array of the grid's shape (z, y, x), or (y, x), or (x); of a
 *                                                complex field real or complex
 *   initial: {picture: p.png, low: -1, high: 1}  grey values from low (black) to high (white), as large as fits,
 *                                                the picture's top at the largest y
 *   initial: {run: results/heat, field: T}       the state that an earlier run has ended with, on a grid of this shape
 */
#include <math.h>
#include <string.h>

#include "core/convert.h"
#include "expr/parse.h"
#include "field/finite.h"
#include "files/npy.h"
#include "io/h5.h"
#include "io/picture.h"
#include "run/pde/pde.h"

static rw_status put(rw_array *array, rw_dtype type, const void *values)
{
    void *data;
    RW_TRY(rw_array_write(array, &data));
    rw_dtype_convert(rw_array_dtype(array), data, type, values, (size_t)rw_array_size(array));
    return RW_OK;
}

static bool is_complex(const rw_array *a) { return rw_dtype_is_complex(rw_array_dtype(a)); }

/* The message of a file that cannot be read, with the place of its name. */
static rw_status place(const rw_case *c, const rw_tree *name, rw_status status)
{
    char where[320];
    if (status == RW_OK) return RW_OK;
    rw_tree_place(name, where, sizeof where);
    return rw_fail_prefix(rw_case_context(c), status, "%s", where);
}

/* "8 x 16 f32" of what a file has, and what the grid needs. */
static rw_status fail_shape(const rw_case *c, const pde_problem *p, const rw_array *to, const rw_tree *node,
                            const char *what, int rank, const size_t *shape, rw_dtype type)
{
    char given[200] = "", wanted[96] = "";
    for (int d = 0; d < rank && strlen(given) < 160; ++d)
        snprintf(given + strlen(given), sizeof given - strlen(given), "%s%zu", d ? " x " : "", shape[d]);
    for (int d = p->grid.ndim - 1; d >= 0; --d)
        snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%lld%s", (long long)p->grid.size[d],
                 d ? " x " : "");
    return rw_case_fail(c, node, "%s holds %s %s; the grid needs %s of shape %s (last axis x)%s", what, given,
                        rw_dtype_name(type), is_complex(to) ? "numbers" : "real numbers", wanted,
                        rw_dtype_is_complex(type) && !is_complex(to)
                            ? "; for complex numbers give the field type: complex"
                            : "");
}

static bool fits(const pde_problem *p, int rank, const size_t *shape)
{
    bool same = rank == p->grid.ndim;
    for (int d = 0; same && d < rank; ++d) same = (int64_t)shape[d] == p->grid.size[rank - 1 - d];
    return same;
}

static rw_status by_file(const rw_case *c, pde_problem *p, rw_array *to, const rw_tree *node, const char *path)
{
    rw_context *ctx = rw_case_context(c);
    rw_npy a;
    RW_TRY(place(c, node, rw_npy_read(ctx, path, &a)));
    rw_status status = rw_npy_to_f64(ctx, &a);
    const bool number = a.type == RW_F64 || (is_complex(to) && rw_dtype_is_complex(a.type));
    if (status == RW_OK && !(fits(p, a.ndim, a.shape) && number))
        status = fail_shape(c, p, to, node, path, a.ndim, a.shape, a.type);
    else if (status == RW_OK) status = put(to, a.type, a.data);
    rw_npy_free(&a);
    return status;
}

/* The field in an open checkpoint. */
static rw_status from_checkpoint(const rw_case *c, pde_problem *p, rw_array *to, const rw_tree *node,
                                 const rw_tree *field, const char *path, rw_h5 *file)
{
    rw_context *ctx = rw_case_context(c);
    char name[160], what[400];
    size_t shape[RW_IO_RANK];
    rw_dtype type;
    int rank;
    double t = 0;
    snprintf(name, sizeof name, "/state/%.100s", field->text);
    snprintf(what, sizeof what, "%.100s in %.280s", field->text, path);
    if (!rw_h5_exists(file, name))
        return rw_case_fail(c, field, "there is no field %.100s in %s: see the columns of series.csv there",
                            field->text, path);
    RW_TRY(place(c, node, rw_h5_shape(file, name, &type, &rank, shape)));
    const bool complex = rw_dtype_is_complex(type);
    if (!fits(p, rank, shape) || !rw_dtype_is_number(type) || (complex && !is_complex(to)))
        return fail_shape(c, p, to, node, what, rank, shape, type);
    const size_t n = (size_t)rw_array_size(to), size = complex ? 2 * sizeof(double) : sizeof(double);
    void *values = rw_calloc(n, size);
    if (!values) return rw_fail_memory(ctx, n * size, "values");
    const rw_dtype read = complex ? RW_C128 : RW_F64;
    rw_status status = place(c, node, rw_h5_read(file, name, read, rank, shape, values));
    if (status == RW_OK && rw_h5_has_attribute(file, "/", "time"))
        status = place(c, node, rw_h5_get_number(file, "/", "time", &t));
    if (status == RW_OK) status = put(to, read, values);
    if (status == RW_OK) rw_log(ctx, RW_LOG_INFO, "%s: its state at t = %.9g", what, t);
    rw_free(values);
    return status;
}

static rw_status by_run(const rw_case *c, pde_problem *p, rw_array *to, const rw_tree *node, const rw_tree *field,
                        const char *folder)
{
    rw_context *ctx = rw_case_context(c);
    rw_h5 *file = NULL;
    char *path = rw_format("%s/checkpoint.h5", folder);
    if (!path) return rw_fail_memory(ctx, 64, "a path");
    rw_status status = place(c, node, rw_h5_open_alone(ctx, path, &file));
    if (status == RW_OK) status = from_checkpoint(c, p, to, node, field, path, file);
    rw_h5_close(&file);
    rw_free(path);
    return status;
}

/* Bilinear between pixel centres, at (x, y) in pixels from the upper left corner; beyond the picture its edge. */
static double sample(const rw_picture *q, double x, double y)
{
    x -= 0.5;
    y -= 0.5;
    x = fmin(fmax(x, 0), (double)q->width - 1);
    y = fmin(fmax(y, 0), (double)q->height - 1);
    size_t i = (size_t)x, j = (size_t)y, i1 = i + 1 < q->width ? i + 1 : i, j1 = j + 1 < q->height ? j + 1 : j;
    double a = x - (double)i, b = y - (double)j;
    return (1 - b) * ((1 - a) * q->grey[j * q->width + i] + a * q->grey[j * q->width + i1]) +
           b * ((1 - a) * q->grey[j1 * q->width + i] + a * q->grey[j1 * q->width + i1]);
}

/* The pixels that lie along the sides of the grid. The picture keeps its aspect: it is as large as fits, in the middle.
 * One of the grid's size, or which would miss less than a pixel, is stretched over the nodes. */
static void place_picture(const rw_case *c, const rw_grid *g, const rw_picture *q, const char *path, double pixels[2])
{
    const double w = g->spacing[0] * (double)g->size[0], h = g->spacing[1] * (double)g->size[1],
                 across = (double)q->width, up = (double)q->height, pixel = fmin(w / across, h / up);
    const bool same = (int64_t)q->width == g->size[0] && (int64_t)q->height == g->size[1],
               fits = same || fmax(w / pixel - across, h / pixel - up) < 1;
    pixels[0] = fits ? across : w / pixel;
    pixels[1] = fits ? up : h / pixel;
    if (!same)
        rw_log(rw_case_context(c), fits ? RW_LOG_INFO : RW_LOG_WARNING,
               "%s: %zu x %zu pixels are interpolated to %lld x %lld nodes%s", path, q->width, q->height,
               (long long)g->size[0], (long long)g->size[1],
               fits ? "" : "; the picture keeps its aspect, and its edge values continue around it");
}

static rw_status by_picture(const rw_case *c, pde_problem *p, rw_array *to, const rw_tree *node, const char *path,
                            double low, double high)
{
    rw_context *ctx = rw_case_context(c);
    rw_picture q;
    if (p->grid.ndim != 2)
        return rw_case_fail(c, node, "values from a picture need a grid of two dimensions, this one has %d",
                            p->grid.ndim);
    RW_TRY(place(c, node, rw_picture_read(ctx, path, 0, &q)));
    int64_t nx = p->grid.size[0], ny = p->grid.size[1];
    double pixels[2];
    place_picture(c, &p->grid, &q, path, pixels);
    const double left = ((double)q.width - pixels[0]) / 2, top = ((double)q.height - pixels[1]) / 2;
    double *values = rw_calloc((size_t)(nx * ny), sizeof *values);
    rw_status status = values ? RW_OK : rw_fail_memory(ctx, (size_t)(nx * ny) * sizeof *values, "values");
    for (int64_t j = 0; values && j < ny; ++j)
        for (int64_t i = 0; i < nx; ++i)
            values[j * nx + i] = low + (high - low) * sample(&q, left + ((double)i + 0.5) / (double)nx * pixels[0],
                                                             top + (1 - ((double)j + 0.5) / (double)ny) * pixels[1]);
    if (status == RW_OK) status = put(to, RW_F64, values);
    rw_free(values);
    rw_picture_free(&q);
    return status;
}

static rw_status number(const rw_case *c, const char *setting, const rw_tree *map, const char *key, double standard,
                        double *value)
{
    const rw_tree *node = rw_tree_get(map, key);
    *value = standard;
    if (!node) return RW_OK;
    if (node->kind != RW_TREE_SCALAR || !rw_tree_number(node, value) || !isfinite(*value))
        return rw_case_fail(c, node, "%s.%s must be a number", setting, key);
    return RW_OK;
}

/* Keys of a map, with those that may stand beside each. */
static const struct {
    const char *key, *also[2];
} forms[] = {{"file", {NULL, NULL}}, {"picture", {"low", "high"}}, {"run", {"field", NULL}}};

static int form_of(const rw_tree *node)
{
    int k = 0;
    while (k < RW_COUNT(forms) && !rw_tree_get(node, forms[k].key)) ++k;
    return k;
}

rw_status pde_check_values(const rw_case *c, const char *setting, const rw_tree *node)
{
    if (node->kind == RW_TREE_SCALAR) return RW_OK;
    const int form = node->kind == RW_TREE_MAP ? form_of(node) : RW_COUNT(forms);
    if (form == RW_COUNT(forms) && node->kind == RW_TREE_MAP && node->n) {
        static const char *const first[] = {"file", "picture", "run"};
        return rw_case_fail_key(c, node, 0,
                                "%s.%s is unknown%s; allowed is an expression, {file: u.npy}, {picture: p.png, low: 0, "
                                "high: 1} or {run: RESULTS, field: u}",
                                setting, node->keys[0], rw_hint_nearest(node->keys[0], first, RW_COUNT(first)).text);
    }
    if (form == RW_COUNT(forms))
        return rw_case_fail(c, node,
                            "%s must be an expression, {file: u.npy}, {picture: p.png, low: 0, high: 1} or {run: "
                            "RESULTS, field: u}",
                            setting);
    for (int i = 0; i < node->n; ++i) {
        const char *key = node->keys[i];
        bool known = !strcmp(key, forms[form].key);
        for (int k = 0; k < 2; ++k) known = known || (forms[form].also[k] && !strcmp(key, forms[form].also[k]));
        if (!known)
            return rw_case_fail_key(c, node, i,
                                    "%s.%s is unknown: allowed are file, or picture with low and high, or run with "
                                    "field",
                                    setting, key);
        if (node->items[i]->kind != RW_TREE_SCALAR || !node->items[i]->text[0])
            return rw_case_fail(c, node->items[i], "%s.%s must be a single value", setting, key);
    }
    if (!strcmp(forms[form].key, "run") && !rw_tree_get(node, "field"))
        return rw_case_fail(c, node, "%s.field is missing: the name of a field in the results of that run", setting);
    double number_of;
    RW_TRY(number(c, setting, node, "low", 0, &number_of));
    return number(c, setting, node, "high", 1, &number_of);
}

rw_status pde_read_values(const rw_case *c, pde_problem *p, const char *setting, const rw_tree *node, rw_array *to)
{
    double low, high;
    RW_TRY(pde_check_values(c, setting, node));
    RW_TRY(number(c, setting, node, "low", 0, &low));
    RW_TRY(number(c, setting, node, "high", 1, &high));
    const int form = form_of(node);
    const rw_tree *name = rw_tree_get(node, forms[form].key);
    char *path = rw_case_path(c, name->text);
    if (!path) return rw_fail_memory(rw_case_context(c), 64, "a path");
    const rw_status status = form == 0   ? by_file(c, p, to, name, path)
                             : form == 1 ? by_picture(c, p, to, name, path, low, high)
                                         : by_run(c, p, to, name, rw_tree_get(node, "field"), path);
    rw_free(path);
    return status;
}

/* One program for all of `fields`, and what they are as `text`. */
static rw_status make_program(const pde_problem *p, const char *name, const rw_text *text, const rw_expr_field *fields,
                              int nfields, rw_expr **program)
{
    rw_context *ctx = p->device->ctx;
    rw_expr_scalar *scalars = rw_calloc((size_t)p->nscalars + 1, sizeof *scalars);
    if (!scalars || text->failed) {
        rw_free(scalars);
        return rw_fail_memory(ctx, 256, name);
    }
    if (p->nscalars) memcpy(scalars, p->scalars, (size_t)p->nscalars * sizeof *scalars);
    scalars[p->nscalars] = (rw_expr_scalar){.name = "t", .value = p->time.start};
    rw_expr_spec spec = {.name = name,
                         .text = text->data,
                         .grid = p->grid,
                         .order = p->order,
                         .layout = p->layout,
                         .fields = fields,
                         .nfields = nfields,
                         .scalars = scalars,
                         .nscalars = p->nscalars + 1};
    rw_status status = rw_expr_create(p->device, &spec, program);
    rw_free(scalars);
    return status;
}

static const pde_values *find_values(const pde_values *list, int n, const char *name)
{
    int i = 0;
    while (i < n && strcmp(list[i].name, name)) ++i;
    return i < n ? list + i : NULL;
}

/* The fields that the program assigns, with their text; then data that it may read. */
static rw_status add_fields(const rw_case *c, pde_problem *p, const pde_values *list, int nlist, rw_text *text,
                            rw_expr_field *fields, int *n)
{
    for (int i = 0; i < nlist; ++i) {
        const rw_tree *node = list[i].node;
        if (list[i].mask) continue;
        if (node->kind != RW_TREE_SCALAR) {
            RW_TRY(pde_read_values(c, p, list[i].setting, node, list[i].array));
            continue;
        }
        fields[*n] = list == p->sources ? p->data[i]
                                        : (rw_expr_field){.name = list[i].name, .dtype = rw_array_dtype(list[i].array)};
        ++*n;
        rw_text_add(text, "%s = ", list[i].name);
        rw_add_place(text, node->text_source, node->text_line, node->text_column);
        rw_text_add(text, "%s;\n", node->text);
    }
    for (int i = 0; i < p->ndata && *n; ++i)
        if (!p->sources[i].mask && (list != p->sources || list[i].node->kind != RW_TREE_SCALAR))
            fields[(*n)++] = p->data[i];
    return RW_OK;
}

rw_status pde_make_values(const rw_case *c, pde_problem *p, const char *what, const pde_values *list, int nlist,
                          rw_expr **program)
{
    rw_expr_field *fields = rw_calloc((size_t)(nlist + p->ndata), sizeof *fields);
    rw_status status = fields ? RW_OK : rw_fail_memory(rw_case_context(c), 256, what);
    rw_text text = {0};
    int n = 0;
    if (status == RW_OK) status = add_fields(c, p, list, nlist, &text, fields, &n);
    if (status == RW_OK && n) status = rw_add_functions(c, &text);
    if (status == RW_OK && n) status = make_program(p, what, &text, fields, n, program);
    for (int i = 0; i < n && status == RW_OK; ++i) {
        const pde_values *v = find_values(list, nlist, fields[i].name);
        if (!v) v = find_values(p->sources, p->ndata, fields[i].name);
        status = rw_expr_bind(*program, fields[i].name, v->array);
    }
    rw_free(fields);
    rw_text_free(&text);
    return status;
}

rw_status pde_check_finite(const rw_case *c, const pde_problem *p, const pde_values *v)
{
    rw_finite found;
    RW_TRY(rw_finite_find(v->array, &found));
    if (found.first < 0) return RW_OK;
    rw_text where = {0};
    rw_finite_node(&where, &p->grid, found.first);
    rw_status status = rw_case_fail(c, v->node, "%s is %s at %s: finite values are needed at every node", v->setting,
                                    rw_finite_word(found.value), where.data ? where.data : "");
    if (where.failed) status = rw_fail_memory(p->device->ctx, where.length, "a message");
    rw_text_free(&where);
    return status;
}
