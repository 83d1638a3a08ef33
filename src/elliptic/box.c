#include "elliptic/box.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elliptic/tridiagonal.h"
#include "expr/boundary.h"
#include "fft/divide.h"

typedef enum place { ON, HALF, OUT } place; /* of the point of symmetry: the last node, half a spacing, one outside */
typedef struct symmetry {
    bool odd;
    place about;
} symmetry;

enum { MATRIX = 4 }; /* tables a, b, c and the scale of a line */

struct rw_box {
    rw_system *s;
    rw_box_of of;
    const rw_graph_side *sides; /* of the unknown */
    rw_fft_divide *divide;      /* without a line */
    rw_fft_kind kind[3];        /* by axis of the grid */
    int64_t n[3];               /* unknowns */
    int parts;                  /* of a value: 2 of a complex one */
    double *table[3];           /* eigenvalues, by axis of the grid */
    /* With a line. The work area has its unknowns, and between the transforms what the systems are solved in. */
    rw_fft_divide *forward, *back; /* NULL: there is no other axis, */
    rw_expr *copy;                 /* but v <- r */
    rw_tridiagonal *lines[2];      /* [singular]; made when first needed */
    rw_tridiagonal_spec of_lines;
    bool singular;
    rw_array *matrix[MATRIX], *shift[2], *work;
};

static const char *const layout_names[] = {"auto", "cell", "node"};
static const char *const side_names[] = {"left", "right", "bottom", "top", "back", "front"};

/* ---- sides ------------------------------------------------------------------------------------------------------- */

static int64_t reach_of(const rw_system *s, int axis)
{
    int64_t reach = 0;
    for (int i = 0; i < s->form.nterms; ++i) {
        const int64_t by = s->form.terms[i].offset[axis];
        reach = RW_MAX(reach, by < 0 ? -by : by);
    }
    return reach;
}

/* False: values beyond the side are no odd or even function. */
static bool find_symmetry(const rw_system *s, int unknown, int side, int64_t reach, symmetry *is)
{
    const rw_graph *g = s->graph;
    const rw_graph_side *b = g->fields[unknown].boundary + side;
    const bool cell = g->layout == RW_GRID_CELL;
    const symmetry value = {true, cell ? HALF : OUT}, slope = {false, cell ? HALF : ON};
    switch (b->kind) {
    case RW_BOUNDARY_DIRICHLET: *is = value; return true;
    case RW_BOUNDARY_NEUMANN: *is = slope; return true;
    case RW_BOUNDARY_ROBIN:
        *is = rw_is_const(g, b->a, 0) ? slope : value;
        return rw_is_const(g, b->a, 0) || (g->layout != RW_GRID_AUTO && rw_is_const(g, b->b, 0));
    case RW_BOUNDARY_REFLECT: *is = (symmetry){false, HALF}; return true;
    case RW_BOUNDARY_NEAREST: *is = (symmetry){false, HALF}; return reach <= 1;
    case RW_BOUNDARY_REFLECT101: *is = (symmetry){false, ON}; return true;
    case RW_BOUNDARY_CONSTANT: *is = (symmetry){true, OUT}; return reach <= 1;
    default: return false;
    }
}

/* False: no transform belongs to these sides. */
static bool find_kind(symmetry lower, symmetry upper, rw_fft_kind *kind)
{
    if (lower.about == HALF && upper.about == HALF) {
        static const rw_fft_kind kinds[2][2] = {{RW_FFT_DCT2, RW_FFT_DCT4}, {RW_FFT_DST4, RW_FFT_DST2}};
        *kind = kinds[lower.odd][upper.odd];
        return true;
    }
    static const rw_fft_kind kinds[2][2] = {{RW_FFT_DCT1, RW_FFT_DCT3}, {RW_FFT_DST3, RW_FFT_DST1}};
    *kind = kinds[lower.odd][upper.odd];
    return lower.about == (lower.odd ? OUT : ON) && upper.about == (upper.odd ? OUT : ON);
}

/* Of both sides of an axis that is not periodic. */
static bool find_symmetries(const rw_system *s, int unknown, int axis, bool similar, symmetry is[2], char *why,
                            size_t size)
{
    const rw_graph_side *side = s->graph->fields[unknown].boundary + 2 * axis;
    for (int upper = 0; upper < 2; ++upper) {
        const bool some = side[upper].given && side[upper].kind == RW_BOUNDARY_ROBIN &&
                          !rw_is_const(s->graph, side[upper].b, 0); /* of its nodes are given */
        if (find_symmetry(s, unknown, 2 * axis + upper, reach_of(s, axis), is + upper) && !some) continue;
        is[upper] = (symmetry){false, s->graph->layout == RW_GRID_CELL ? HALF : ON};
        if (similar && !some) continue;
        snprintf(why, size, "%s on side %s belongs to no transform", rw_boundary_kind_name(side[upper].kind),
                 side_names[2 * axis + upper]);
        return false;
    }
    return true;
}

/* The transform of an axis and its number of unknowns. */
static bool find_axis(const rw_system *s, int unknown, int axis, bool similar, rw_fft_kind *kind, int64_t *n, char *why,
                      size_t size)
{
    const rw_graph_side *side = s->graph->fields[unknown].boundary + 2 * axis;
    const int64_t reach = reach_of(s, axis);
    const char *lower = side_names[2 * axis], *upper = side_names[2 * axis + 1];
    symmetry is[2];
    *n = s->grid->size[axis] - side[0].given - side[1].given;
    *kind = RW_FFT_REAL;
    if (side->kind == RW_BOUNDARY_PERIODIC) return true;
    if (!find_symmetries(s, unknown, axis, similar, is, why, size)) return false;
    if (!find_kind(is[0], is[1], kind)) {
        *kind = RW_FFT_DCT2;
        snprintf(why, size, "%s on side %s and %s on side %s belong to no transform in layout %s",
                 rw_boundary_kind_name(side[0].kind), lower, rw_boundary_kind_name(side[1].kind), upper,
                 layout_names[s->graph->layout]);
        if (!similar || is[0].about == ON || is[1].about == ON) return false; /* whose nodes have other weights */
    }
    if (s->graph->order == 4 && reach > 0 && !similar) {
        snprintf(why, size, "differences of order 4 are one-sided next to side %s", lower);
        return false;
    }
    if (*n >= (similar ? 2 : reach + 2)) return true;
    snprintf(why, size, "the axis from %s to %s has only %lld unknowns", lower, upper, (long long)*n);
    return false;
}

bool rw_box_suits(const rw_system *s, rw_box_of of, char *why, size_t size)
{
    for (int d = 0; d < s->grid->ndim; ++d) {
        rw_fft_kind kind;
        int64_t n;
        if (d != of.line && !find_axis(s, of.unknown, d, of.similar, &kind, &n, why, size)) return false;
    }
    return true;
}

/* ---- create, set, solve ------------------------------------------------------------------------------------------ */

/* The unknowns of an array of all nodes; of a complex one, real (0) or imaginary (1) parts. array NULL: strides
 * only. */
static rw_status view_of(const rw_box *b, rw_array *array, int part, int64_t strides[3], rw_array **view)
{
    const rw_system *s = b->s;
    const int ndim = s->grid->ndim;
    int64_t shape[3], stride = b->parts, offset = part;
    for (int d = 0; d < ndim; ++d) {
        shape[ndim - 1 - d] = b->n[d];
        strides[ndim - 1 - d] = stride;
        if (d != b->of.line && b->sides[2 * d].given) offset += stride;
        stride *= s->grid->size[d];
    }
    if (!array) return RW_OK;
    return rw_array_view(array, rw_dtype_is_single(s->type) ? RW_F32 : RW_F64, ndim, shape, strides, offset, view);
}

static rw_dtype real_type(const rw_box *b) { return rw_dtype_is_single(b->s->type) ? RW_F32 : RW_F64; }

/* Transforms along all axes but the line, whose nodes that are given have rows of their own. */
static rw_status make_transforms(rw_box *b, const rw_fft_divide_spec *of_all)
{
    const rw_system *s = b->s;
    rw_fft_divide_spec spec = *of_all;
    const int ndim = s->grid->ndim;
    if (ndim == 1) return rw_system_program(b->s, RW_SYSTEM_COPY, &b->copy);
    spec.axes = ((1u << ndim) - 1) & ~(1u << (ndim - 1 - b->of.line));
    spec.part = RW_FFT_FORWARD;
    memset(spec.y_stride, 0, sizeof spec.y_stride);
    RW_TRY(rw_fft_divide_create(s->device, &spec, &b->forward));
    spec.part = RW_FFT_BACK;
    memcpy(spec.y_stride, spec.x_stride, sizeof spec.y_stride);
    memset(spec.x_stride, 0, sizeof spec.x_stride);
    return rw_fft_divide_create(s->device, &spec, &b->back);
}

/* Scalars decide whether constants solve the homogeneous equation. Recordings may hold the other plan. */
static rw_status choose_lines(rw_box *b, bool singular)
{
    b->singular = singular;
    b->of_lines.singular = singular;
    return b->lines[singular] ? RW_OK : rw_tridiagonal_create(b->s->device, &b->of_lines, &b->lines[singular]);
}

static rw_status make_lines(rw_box *b, const rw_fft_divide_spec *of_all)
{
    const rw_system *s = b->s;
    const int ndim = s->grid->ndim;
    rw_tridiagonal_spec spec = {.dtype = ndim == 1 ? s->type : real_type(b),
                                .ndim = ndim,
                                .axis = ndim - 1 - b->of.line,
                                .cyclic = b->sides[2 * b->of.line].kind == RW_BOUNDARY_PERIODIC};
    memcpy(spec.shape, of_all->shape, (size_t)ndim * sizeof *spec.shape);
    RW_TRY(make_transforms(b, of_all));
    RW_TRY(rw_array_create(s->device, spec.dtype, ndim, spec.shape, RW_MEMORY_DEVICE, &b->work));
    for (int i = 0; i < MATRIX; ++i)
        RW_TRY(rw_array_create(s->device, real_type(b), 1, b->n + b->of.line, RW_MEMORY_DEVICE, b->matrix + i));
    for (int axis = 0, k = 0; axis < ndim; ++axis) {
        if (axis == spec.axis) continue;
        RW_TRY(rw_array_create(s->device, real_type(b), 1, spec.shape + axis, RW_MEMORY_DEVICE, b->shift + k));
        spec.shift[k] = b->shift[k];
        ++k;
    }
    spec.a = b->matrix[0];
    spec.b = b->matrix[1];
    spec.c = b->matrix[2];
    spec.scale = ndim > 1 ? b->matrix[3] : NULL;
    b->of_lines = spec;
    return choose_lines(b, s->form.singular);
}

static rw_status make(rw_box *b)
{
    const rw_system *s = b->s;
    const int ndim = s->grid->ndim;
    rw_fft_divide_spec spec = {.single = rw_dtype_is_single(s->type), .ndim = ndim};
    for (int d = 0; d < ndim; ++d) {
        char why[200];
        if (d == b->of.line) b->n[d] = s->grid->size[d];
        else find_axis(s, b->of.unknown, d, b->of.similar, &b->kind[d], &b->n[d], why, sizeof why);
        b->table[d] = rw_calloc((size_t)b->n[d], sizeof *b->table[d]);
        if (!b->table[d]) return rw_fail_memory(s->device->ctx, (size_t)b->n[d] * sizeof(double), "eigenvalues");
        spec.shape[ndim - 1 - d] = b->n[d];
        spec.kind[ndim - 1 - d] = b->kind[d];
    }
    RW_TRY(view_of(b, NULL, 0, spec.x_stride, NULL));
    memcpy(spec.y_stride, spec.x_stride, sizeof spec.y_stride);
    return b->of.line < 0 ? rw_fft_divide_create(s->device, &spec, &b->divide) : make_lines(b, &spec);
}

rw_status rw_box_create(rw_system *s, rw_box_of of, rw_box **box)
{
    rw_box *b = rw_calloc(1, sizeof *b);
    *box = b;
    if (!b) return rw_fail_memory(s->device->ctx, sizeof *b, "transforms");
    b->s = s;
    b->of = of;
    b->sides = s->graph->fields[of.unknown].boundary;
    b->parts = rw_dtype_is_complex(s->type) ? 2 : 1;
    const rw_status status = make(b);
    if (status != RW_OK) rw_box_destroy(box);
    return status;
}

void rw_box_destroy(rw_box **box)
{
    rw_box *b = *box;
    *box = NULL;
    if (!b) return;
    for (int i = 0; i < 2; ++i) rw_tridiagonal_destroy(&b->lines[i]);
    rw_fft_divide_destroy(&b->divide);
    rw_fft_divide_destroy(&b->forward);
    rw_fft_divide_destroy(&b->back);
    for (int i = 0; i < MATRIX; ++i) rw_array_destroy(b->matrix + i);
    for (int k = 0; k < 2; ++k) rw_array_destroy(b->shift + k);
    rw_array_destroy(&b->work);
    for (int d = 0; d < 3; ++d) rw_free(b->table[d]);
    rw_free(b);
}

/* The eigenvalue of the smallest modulus that is not 0, where constants have the eigenvalue 0; else 0: none has. */
static double first_eigenvalue(const rw_box *b)
{
    double least = 0;
    for (int d = 0; d < b->s->grid->ndim; ++d) {
        const double next = b->n[d] > 1 ? b->table[d][1] : 0;
        if (b->table[d][0] != 0) return 0;
        if (next != 0 && (least == 0 || fabs(next) < fabs(least))) least = next;
    }
    return least != 0 ? least : 1;
}

static rw_status send(const rw_box *b, const double *values, rw_array *to)
{
    void *data;
    RW_TRY(rw_array_write(to, &data));
    for (int64_t i = 0; i < to->size; ++i)
        if (to->dtype == RW_F32) ((float *)data)[i] = (float)values[i];
        else ((double *)data)[i] = values[i];
    return rw_array_send(to, b->s->device->queue);
}

rw_status rw_box_set_rows(rw_box *b, const rw_box_rows *rows)
{
    const double *const values[MATRIX] = {rows->a, rows->b, rows->c, rows->scale};
    for (int i = 0; i < MATRIX; ++i) RW_TRY(send(b, values[i], b->matrix[i]));
    return RW_OK;
}

/* cos m t - 1 = -2 sin(m t/2)^2 loses no digits where it is small, and is 0 for constants. */
rw_status rw_box_set(rw_box *b, const rw_box_term *terms, int n, bool singular, bool regular)
{
    const int ndim = b->s->grid->ndim;
    const double *tables[3];
    double shift = 0;
    for (int d = 0; d < ndim; ++d) memset(b->table[d], 0, (size_t)b->n[d] * sizeof *b->table[d]);
    for (int i = 0; i < n; ++i) {
        const int axis = terms[i].axis;
        shift += terms[i].coefficient;
        for (int64_t k = 0; k < b->n[axis]; ++k) {
            const double half = 0.5 * terms[i].offset * rw_fft_angle(b->kind[axis], b->n[axis], k);
            b->table[axis][k] -= terms[i].coefficient * 2 * sin(half) * sin(half);
        }
    }
    for (int d = 0; d < ndim; ++d) tables[ndim - 1 - d] = b->table[d];
    for (int axis = 0, k = 0; b->of.line >= 0 && axis < ndim; ++axis)
        if (axis != ndim - 1 - b->of.line) RW_TRY(send(b, tables[axis], b->shift[k++]));
    if (b->of.line >= 0) return choose_lines(b, singular);
    if (singular) shift = regular ? first_eigenvalue(b) : 0; /* by which large eigenvalues hardly change */
    return rw_fft_divide_set(b->divide, tables, shift, b->s->device->queue);
}

/* The only axis: a complex system has two right-hand sides. */
static rw_status solve_line(rw_box *b, rw_array *from, rw_array *to, rw_queue *q)
{
    const rw_system *s = b->s;
    rw_array *const of_r[] = {from, b->work}, *const of_v[] = {b->work, to};
    for (int i = 0; i < 2; ++i) {
        RW_TRY(rw_system_bind_parts(s, b->copy, rw_system_r(s, 0), of_r[i]));
        RW_TRY(rw_system_bind_parts(s, b->copy, rw_system_v(s, 0), of_v[i]));
        RW_TRY(rw_system_unbind_parts(s, b->copy, rw_expr_run(b->copy, q)));
        if (i == 0) RW_TRY(rw_tridiagonal_enqueue(b->lines[b->singular], b->work, q));
    }
    return RW_OK;
}

static rw_status solve_part(rw_box *b, rw_array *x, double factor, rw_array *y, rw_queue *q)
{
    if (b->divide) return rw_fft_divide_execute(b->divide, x, factor, y, q);
    RW_TRY(rw_fft_divide_execute(b->forward, x, 1, b->work, q));
    RW_TRY(rw_tridiagonal_enqueue(b->lines[b->singular], b->work, q));
    return rw_fft_divide_execute(b->back, b->work, factor, y, q);
}

rw_status rw_box_solve(rw_box *b, rw_array *from, double factor, rw_array *to, rw_queue *q)
{
    if (b->copy) return solve_line(b, from, to, q);
    for (int part = 0; part < b->parts; ++part) {
        int64_t strides[3];
        rw_array *x, *y = NULL;
        RW_TRY(view_of(b, from, part, strides, &x));
        rw_status status = view_of(b, to, part, strides, &y);
        if (status == RW_OK) status = solve_part(b, x, factor, y, q);
        rw_array_destroy(&x);
        rw_array_destroy(&y);
        RW_TRY(status);
    }
    return RW_OK;
}

static void add_plan(const rw_box *b, const rw_fft_divide *plan, double *bytes, int *launches)
{
    if (!plan) return;
    const rw_fft_info info = rw_fft_divide_info(plan);
    *bytes += (double)info.bytes * b->parts / (double)b->s->nodes;
    *launches += (int)info.passes * b->parts;
}

void rw_box_add_cost(const rw_box *b, double *bytes, int *launches)
{
    const int systems = b->copy ? 1 : b->parts;
    add_plan(b, b->divide, bytes, launches);
    add_plan(b, b->forward, bytes, launches);
    add_plan(b, b->back, bytes, launches);
    if (b->of.line < 0) return;
    *bytes += rw_tridiagonal_traffic(b->lines[b->singular]) * systems / (double)b->s->nodes;
    *launches += rw_tridiagonal_launches(b->lines[b->singular]) * systems;
    if (b->copy) *bytes += 4. * (double)rw_dtype_size(b->s->type);
    if (b->copy) *launches += 2;
}

void rw_box_explain(const rw_box *b, rw_text *text)
{
    double bytes = 0;
    int launches = 0;
    rw_box_add_cost(b, &bytes, &launches);
    for (int d = 0; d < b->s->grid->ndim; ++d)
        rw_text_add(text, "axis %c   %s of %lld\n", "xyz"[d],
                    d == b->of.line ? "tridiagonal systems" : rw_fft_kind_name(b->kind[d]), (long long)b->n[d]);
    rw_text_add(text, "solve    %d passes, %.0f bytes a node\n", launches, bytes);
}
