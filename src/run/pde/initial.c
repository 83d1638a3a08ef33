/* Initial values of a field.
 *
 *   initial: "exp(-x^2)"                         an expression of coordinates, t and parameters
 *   initial: {file: u.npy}                       an array of the grid's shape (z, y, x), or (y, x), or (x)
 *   initial: {picture: p.png, low: -1, high: 1}  grey values from low (black) to high (white), as large as fits,
 *                                                the picture's top at the largest y
 */
#include <math.h>
#include <string.h>

#include "expr/parse.h"
#include "field/finite.h"
#include "files/npy.h"
#include "io/picture.h"
#include "run/pde/pde.h"

static rw_status put(pde_problem *p, int f, const double *values)
{
    void *data;
    RW_TRY(rw_array_write(p->state.fields[f].array, &data));
    int64_t n = rw_array_size(p->state.fields[f].array);
    if (p->fields[f].dtype == RW_F64) memcpy(data, values, (size_t)n * sizeof *values);
    else
        for (int64_t i = 0; i < n; ++i) ((float *)data)[i] = (float)values[i];
    return RW_OK;
}

/* The message of a file that cannot be read, with the place of its name. */
static rw_status place(const rw_case *c, const rw_tree *name, rw_status status)
{
    char where[320];
    if (status == RW_OK) return RW_OK;
    rw_tree_place(name, where, sizeof where);
    return rw_fail_prefix(rw_case_context(c), status, "%s", where);
}

static rw_status by_file(const rw_case *c, pde_problem *p, int f, const rw_tree *node, const char *path)
{
    rw_context *ctx = rw_case_context(c);
    rw_npy a;
    RW_TRY(place(c, node, rw_npy_read(ctx, path, &a)));
    rw_status status = rw_npy_to_f64(ctx, &a);
    bool fits = a.ndim == p->grid.ndim && a.type == RW_F64;
    for (int d = 0; fits && d < a.ndim; ++d) fits = (int64_t)a.shape[d] == p->grid.size[a.ndim - 1 - d];
    if (status == RW_OK && !fits) {
        char shape[96] = "";
        for (int d = 0; d < a.ndim; ++d)
            snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%zu", d ? " x " : "", a.shape[d]);
        status = rw_case_fail(c, node,
                              "%s holds %s %s; the grid needs real numbers of shape%s %lld%s%.0lld%s%.0lld "
                              "(last axis x)",
                              path, shape, rw_dtype_name(a.type), "", (long long)p->grid.size[p->grid.ndim - 1],
                              p->grid.ndim > 1 ? " x " : "",
                              p->grid.ndim > 1 ? (long long)p->grid.size[p->grid.ndim - 2] : 0,
                              p->grid.ndim > 2 ? " x " : "", p->grid.ndim > 2 ? (long long)p->grid.size[0] : 0);
    } else if (status == RW_OK) {
        status = put(p, f, a.data);
    }
    rw_npy_free(&a);
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

static rw_status by_picture(const rw_case *c, pde_problem *p, int f, const rw_tree *node, const char *path, double low,
                            double high)
{
    rw_context *ctx = rw_case_context(c);
    rw_picture q;
    if (p->grid.ndim != 2) return rw_case_fail(c, node, "initial values from a picture need a two-dimensional grid");
    RW_TRY(place(c, node, rw_picture_read(ctx, path, 0, &q)));
    int64_t nx = p->grid.size[0], ny = p->grid.size[1];
    double pixels[2];
    place_picture(c, &p->grid, &q, path, pixels);
    const double left = ((double)q.width - pixels[0]) / 2, top = ((double)q.height - pixels[1]) / 2;
    double *values = rw_calloc((size_t)(nx * ny), sizeof *values);
    rw_status status = values ? RW_OK : rw_fail_memory(ctx, (size_t)(nx * ny) * sizeof *values, "initial values");
    for (int64_t j = 0; values && j < ny; ++j)
        for (int64_t i = 0; i < nx; ++i)
            values[j * nx + i] = low + (high - low) * sample(&q, left + ((double)i + 0.5) / (double)nx * pixels[0],
                                                             top + (1 - ((double)j + 0.5) / (double)ny) * pixels[1]);
    if (status == RW_OK) status = put(p, f, values);
    rw_free(values);
    rw_picture_free(&q);
    return status;
}

static rw_status number(const rw_case *c, const rw_tree *map, const char *key, double standard, double *value)
{
    const rw_tree *node = rw_tree_get(map, key);
    *value = standard;
    if (!node) return RW_OK;
    if (node->kind != RW_TREE_SCALAR || !rw_tree_number(node, value) || !isfinite(*value))
        return rw_case_fail(c, node, "%s must be a number", key);
    return RW_OK;
}

/* Of a field whose values are no expression. */
static rw_status set_values(const rw_case *c, pde_problem *p, int f, const rw_tree *node)
{
    const rw_tree *file = rw_tree_get(node, "file"), *picture = rw_tree_get(node, "picture");
    const rw_tree *name = file ? file : picture;
    if (!name || name->kind != RW_TREE_SCALAR)
        return rw_case_fail(c, node,
                            "fields.%s.initial: must be an expression, {file: u.npy} or {picture: p.png, low: 0, "
                            "high: 1}",
                            p->fields[f].name);
    for (int i = 0; i < node->n; ++i) {
        static const char *const keys[] = {"file", "picture", "low", "high"};
        bool known = false;
        for (int k = 0; k < 4; ++k) known = known || !strcmp(node->keys[i], keys[k]);
        if (!known || (file && strcmp(node->keys[i], "file")))
            return rw_case_fail_key(c, node, i,
                                    "fields.%s.initial.%s is unknown: allowed are file, or picture "
                                    "with low and high",
                                    p->fields[f].name, node->keys[i]);
    }
    double low, high;
    RW_TRY(number(c, node, "low", 0, &low));
    RW_TRY(number(c, node, "high", 1, &high));
    char *path = rw_case_path(c, name->text);
    if (!path) return rw_fail_memory(rw_case_context(c), 64, "a path");
    rw_status status = file ? by_file(c, p, f, name, path) : by_picture(c, p, f, name, path, low, high);
    rw_free(path);
    return status;
}

/* One program for all of `fields`, and what they are as `text`. */
static rw_status make_program(pde_problem *p, rw_text *text, const rw_expr_field *fields, int nfields)
{
    rw_context *ctx = p->device->ctx;
    rw_expr_scalar *scalars = rw_calloc((size_t)p->nscalars + 1, sizeof *scalars);
    if (!scalars || text->failed) {
        rw_free(scalars);
        return rw_fail_memory(ctx, 256, "initial values");
    }
    if (p->nscalars) memcpy(scalars, p->scalars, (size_t)p->nscalars * sizeof *scalars);
    scalars[p->nscalars] = (rw_expr_scalar){.name = "t", .value = p->time.start};
    rw_expr_spec spec = {.name = "initial values",
                         .text = text->data,
                         .grid = p->grid,
                         .fields = fields,
                         .nfields = nfields,
                         .scalars = scalars,
                         .nscalars = p->nscalars + 1};
    rw_status status = rw_expr_create(p->device, &spec, &p->initial);
    rw_free(scalars);
    return status;
}

/* Without space an expression is one number, which needs no program; *known: false for random numbers. */
static rw_status set_number(const rw_case *c, pde_problem *p, int f, const rw_tree *node, bool *known)
{
    pde_language l;
    rw_node n;
    double value = 0, im = 0;
    *known = false;
    if (p->grid.ndim > 0) return RW_OK;
    RW_TRY(pde_language_begin(rw_case_context(c), p, p->time.start, true, &l));
    rw_status status = pde_lower(c, &l, node, "initial", &n);
    *known = status == RW_OK && !l.graph->nodes[n].is_field;
    if (*known) rw_graph_scalar(l.graph, n, &value, &im);
    pde_language_end(&l);
    return *known ? put(p, f, &value) : status;
}

rw_status pde_set_initial(const rw_case *c, pde_problem *p)
{
    rw_expr_field *fields = rw_calloc((size_t)p->nfields, sizeof *fields);
    rw_status status = fields ? RW_OK : rw_fail_memory(rw_case_context(c), 256, "initial values");
    rw_text text = {0};
    int n = 0;
    for (int f = 0; f < p->nfields && status == RW_OK; ++f) {
        pde_fields entry;
        RW_TRY_GOTO(rw_case_entry(c, "fields", f, &entry), out);
        const rw_tree *node = entry.initial;
        if (node->kind != RW_TREE_SCALAR) {
            status = set_values(c, p, f, node);
            continue;
        }
        bool known;
        RW_TRY_GOTO(set_number(c, p, f, node, &known), out);
        if (known) continue;
        fields[n++] = (rw_expr_field){.name = p->fields[f].name, .dtype = p->fields[f].dtype};
        rw_text_add(&text, "%s = ", p->fields[f].name);
        rw_add_place(&text, node->text_source, node->text_line, node->text_column);
        rw_text_add(&text, "%s;\n", node->text);
    }
    if (status == RW_OK && n) status = rw_add_functions(c, &text);
    if (status == RW_OK && n) status = make_program(p, &text, fields, n);
    for (int f = 0, i = 0; i < n && status == RW_OK; ++f)
        if (p->fields[f].name == fields[i].name)
            status = rw_expr_bind(p->initial, fields[i++].name, p->state.fields[f].array);
out:
    rw_free(fields);
    rw_text_free(&text);
    return status;
}

/* The node with a value that is not finite. */
static rw_status fail_initial(const rw_case *c, pde_problem *p, int f)
{
    rw_finite found;
    RW_TRY(rw_finite_find(p->state.fields[f].array, &found));
    if (found.first < 0) return RW_OK; /* the sum overflows, the values do not */
    const rw_tree *entry = rw_tree_get(rw_case_node(c, "fields"), p->fields[f].name);
    rw_text place = {0};
    rw_finite_at(&place, &p->grid, found.first);
    rw_status status =
        rw_case_fail(c, rw_tree_get(entry, "initial"), "fields.%s.initial is %s%s: finite values are needed%s",
                     p->fields[f].name, rw_finite_word(found.value), place.data ? place.data : "",
                     p->grid.ndim ? " at every node" : "");
    if (place.failed) status = rw_fail_memory(p->device->ctx, place.length, "a message");
    rw_text_free(&place);
    return status;
}

rw_status pde_check_initial(const rw_case *c, pde_problem *p)
{
    double *row = rw_calloc((size_t)p->state.ncolumns, sizeof *row);
    if (!row) return rw_fail_memory(p->device->ctx, 64, "columns");
    rw_status status = rw_state_row(&p->state, 0, 0, row);
    for (int f = 0; f < p->nfields && status == RW_OK; ++f)
        if (!isfinite(row[rw_state_mean(&p->state, f)])) status = fail_initial(c, p, f);
    rw_free(row);
    return status;
}
