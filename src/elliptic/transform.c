/* Transforms: an equation with constant coefficients on a box whose sides have one kind each. Its differences act along
 * one axis each and continue the unknown beyond a side as an odd or even function, so that sines or cosines are
 * eigenvectors. The right-hand side is divided by the eigenvalues in the spectrum (fft/divide.h).
 *
 *   beyond the sides                                   transform   angle of number k
 *   odd  about half a spacing outside, both            DST-II      pi (k + 1)/n
 *   even about half a spacing outside, both            DCT-II      pi k/n
 *   odd, even; even, odd                               DST-IV, DCT-IV  pi (k + 1/2)/n
 *   odd about one spacing outside, both                DST-I       pi (k + 1)/(n + 1)
 *   even about the last node, both                     DCT-I       pi k/(n - 1)
 *   odd, even; even, odd                               DST-III, DCT-III  pi (k + 1/2)/n
 *   periodic                                           real        2 pi k/n
 *
 * A node that is given, on a side in layout node, is one spacing outside the unknowns. Sources: Buzbee, Golub and
 * Nielson, On direct methods for solving Poisson's equations, SIAM J. Numer. Anal. 7, 1970; Swarztrauber, SIAM Review
 * 19, 1977. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elliptic/system.h"
#include "expr/boundary.h"
#include "fft/divide.h"

typedef enum place { ON, HALF, OUT } place; /* of the point of symmetry: the last node, half a spacing, one outside */
typedef struct symmetry {
    bool odd;
    place about;
} symmetry;

typedef struct transform {
    rw_fft_divide *divide;
    rw_fft_kind kind[3];       /* by axis of the grid */
    int64_t n[3];              /* unknowns */
    rw_array *from[2], *to[2]; /* the unknowns in r and v, real and imaginary parts */
    int parts;
    double *table[3]; /* eigenvalues, by axis of the grid */
} transform;

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
static bool find_symmetry(const rw_system *s, int side, int64_t reach, symmetry *is)
{
    const rw_graph *g = s->graph;
    const rw_graph_side *b = g->fields[0].boundary + side;
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

/* The transform of an axis and its number of unknowns. */
static bool find_axis(const rw_system *s, int axis, rw_fft_kind *kind, int64_t *n, char *why, size_t size)
{
    const rw_graph_side *side = s->graph->fields[0].boundary + 2 * axis;
    const int64_t reach = reach_of(s, axis);
    symmetry is[2] = {0};
    *n = s->grid->size[axis];
    if (side->kind == RW_BOUNDARY_PERIODIC) {
        *kind = RW_FFT_REAL;
        return true;
    }
    for (int upper = 0; upper < 2; ++upper) {
        if (!find_symmetry(s, 2 * axis + upper, reach, is + upper)) {
            snprintf(why, size, "%s on side %s belongs to no transform", rw_boundary_kind_name(side[upper].kind),
                     side_names[2 * axis + upper]);
            return false;
        }
        *n -= side[upper].given;
    }
    if (!find_kind(is[0], is[1], kind)) {
        snprintf(why, size, "%s on side %s and %s on side %s belong to no transform in layout %s",
                 rw_boundary_kind_name(side[0].kind), side_names[2 * axis], rw_boundary_kind_name(side[1].kind),
                 side_names[2 * axis + 1], layout_names[s->graph->layout]);
        return false;
    }
    if (s->graph->order == 4 && reach > 0) {
        snprintf(why, size, "differences of order 4 are one-sided next to side %s", side_names[2 * axis]);
        return false;
    }
    if (*n < reach + 2) {
        snprintf(why, size, "the axis from %s to %s has only %lld unknowns", side_names[2 * axis],
                 side_names[2 * axis + 1], (long long)*n);
        return false;
    }
    return true;
}

/* ---- the operator ------------------------------------------------------------------------------------------------ */

/* The axis of a term; 0 of the node's own. False: it lies off the axes. */
static bool find_term_axis(const rw_form_term *t, int *axis)
{
    int axes = 0;
    *axis = 0;
    for (int d = 0; d < 3; ++d) {
        if (!t->offset[d]) continue;
        *axis = d;
        axes++;
    }
    return axes <= 1;
}

/* Factors at +m and -m are the same number, whatever the scalars are: tried with others. */
static bool is_even(rw_system *s, const rw_form_term *t)
{
    enum { TRIES = 3 };
    rw_graph *g = s->graph;
    const rw_form_term *back = NULL;
    for (int i = 0; i < s->form.nterms; ++i) {
        const rw_form_term *o = s->form.terms + i;
        if (o->offset[0] == -t->offset[0] && o->offset[1] == -t->offset[1] && o->offset[2] == -t->offset[2]) back = o;
    }
    if (back && back->factor == t->factor) return true;
    double *present = rw_calloc((size_t)g->nparams, sizeof *present);
    bool even = back && present;
    g->failed = g->failed || !present;
    for (int p = 0; p < g->nparams && present; ++p) present[p] = g->params[p].re;
    for (int i = 0; i < TRIES && even; ++i) {
        double there[2], here[2];
        for (int p = 0; p < g->nparams; ++p)
            g->params[p].re = present[p] + 0.5 + rw_random_uniform(5, (uint64_t)(i * 1000 + p));
        rw_form_factor(g, t, there);
        rw_form_factor(g, back, here);
        even = fabs(there[0] - here[0]) <= 1e-12 * (fabs(there[0]) + fabs(here[0]));
    }
    for (int p = 0; p < g->nparams && present; ++p) g->params[p].re = present[p];
    rw_free(present);
    return even;
}

static bool suits(rw_system *s, char *why, size_t size)
{
    char name[64];
    int axis;
    if (!s->form.linear || s->n > 1) {
        snprintf(why, size, s->n > 1 ? "there are %d unknowns" : "the equation is not linear", s->n);
        return false;
    }
    for (int i = 0; i < s->form.nterms; ++i) {
        const rw_form_term *t = s->form.terms + i;
        const char *problem = t->by_place                             ? "varies in space"
                              : s->graph->nodes[t->factor].is_complex ? "is complex"
                              : s->graph->nodes[t->factor].reduced    ? "depends on a reduction"
                              : !find_term_axis(t, &axis)             ? "belongs to a node off the axes"
                              : !is_even(s, t) ? "differs from that of the node on the other side"
                                               : NULL;
        if (!problem) continue;
        snprintf(why, size, "the factor of %s %s", rw_form_term_name(s->graph, t, name), problem);
        return false;
    }
    for (int d = 0; d < s->grid->ndim; ++d) {
        rw_fft_kind kind;
        int64_t n;
        if (!find_axis(s, d, &kind, &n, why, size)) return false;
    }
    snprintf(why, size, "constant coefficients, and sides to which transforms belong");
    return true;
}

/* ---- create, set, solve ------------------------------------------------------------------------------------------ */

/* A view of the unknowns in a vector; of a complex one, of real (0) or imaginary (1) parts. */
static rw_status view_of(const rw_system *s, const transform *t, rw_array *vector, int part, rw_array **view)
{
    const int ndim = s->grid->ndim;
    int64_t shape[3], strides[3], stride = t->parts, offset = part;
    for (int d = 0; d < ndim; ++d) {
        shape[ndim - 1 - d] = t->n[d];
        strides[ndim - 1 - d] = stride;
        if (s->graph->fields[0].boundary[2 * d].given) offset += stride;
        stride *= s->grid->size[d];
    }
    return rw_array_view(vector, rw_dtype_is_single(s->type) ? RW_F32 : RW_F64, ndim, shape, strides, offset, view);
}

static rw_status create(rw_system *s)
{
    const int ndim = s->grid->ndim;
    transform *t = rw_calloc(1, sizeof *t);
    if (!t) return rw_fail_memory(s->device->ctx, sizeof *t, "a solver");
    s->data = t;
    t->parts = rw_dtype_is_complex(s->type) ? 2 : 1;
    rw_fft_divide_spec spec = {.single = rw_dtype_is_single(s->type), .ndim = ndim};
    for (int d = 0; d < ndim; ++d) {
        char why[200];
        find_axis(s, d, &t->kind[d], &t->n[d], why, sizeof why);
        t->table[d] = rw_calloc((size_t)t->n[d], sizeof *t->table[d]);
        if (!t->table[d]) return rw_fail_memory(s->device->ctx, (size_t)t->n[d] * sizeof(double), "eigenvalues");
        spec.shape[ndim - 1 - d] = t->n[d];
        spec.kind[ndim - 1 - d] = t->kind[d];
    }
    for (int part = 0; part < t->parts; ++part) {
        RW_TRY(view_of(s, t, s->r, part, &t->from[part]));
        RW_TRY(view_of(s, t, s->v, part, &t->to[part]));
    }
    for (int a = 0; a < ndim; ++a) {
        spec.x_stride[a] = rw_array_stride(t->from[0], a);
        spec.y_stride[a] = rw_array_stride(t->to[0], a);
    }
    return rw_fft_divide_create(s->device, &spec, &t->divide);
}

/* Eigenvalues. cos m t - 1 = -2 sin(m t/2)^2 loses no digits where it is small, and is 0 for constants. */
static rw_status prepare(rw_system *s)
{
    transform *t = s->data;
    const double sign = rw_system_sign(s);
    const double *tables[3];
    double shift = 0;
    if (!s->changed) return RW_OK;
    for (int d = 0; d < s->grid->ndim; ++d) memset(t->table[d], 0, (size_t)t->n[d] * sizeof *t->table[d]);
    for (int i = 0; i < s->form.nterms; ++i) {
        const rw_form_term *term = s->form.terms + i;
        double factor[2];
        int axis;
        find_term_axis(term, &axis);
        rw_form_factor(s->graph, term, factor);
        shift += sign * factor[0];
        for (int64_t k = 0; k < t->n[axis]; ++k) {
            const double half = 0.5 * term->offset[axis] * rw_fft_angle(t->kind[axis], t->n[axis], k);
            t->table[axis][k] -= sign * factor[0] * 2 * sin(half) * sin(half);
        }
    }
    for (int d = 0; d < s->grid->ndim; ++d) tables[s->grid->ndim - 1 - d] = t->table[d];
    return rw_fft_divide_set(t->divide, tables, s->form.singular ? 0 : shift, s->device->queue);
}

static rw_status solve(rw_system *s, double reduction RW_UNUSED)
{
    const transform *t = s->data;
    for (int part = 0; part < t->parts; ++part)
        RW_TRY(rw_fft_divide_execute(t->divide, t->from[part], t->to[part], s->device->queue));
    return RW_OK;
}

static void explain(const rw_system *s, rw_text *text)
{
    const transform *t = s->data;
    const rw_fft_info info = rw_fft_divide_info(t->divide);
    for (int d = 0; d < s->grid->ndim; ++d) {
        const long long n = t->n[d];
        rw_text_add(text, "axis %c   %s of %lld\n", "xyz"[d], rw_fft_kind_name(t->kind[d]), n);
    }
    rw_text_add(text, "solve    %lld passes, %.0f bytes a node\n", (long long)info.passes,
                (double)info.bytes * t->parts / (double)s->nodes);
}

static void destroy(rw_system *s)
{
    transform *t = s->data;
    if (!t) return;
    rw_fft_divide_destroy(&t->divide);
    for (int part = 0; part < 2; ++part) {
        rw_array_destroy(&t->from[part]);
        rw_array_destroy(&t->to[part]);
    }
    for (int d = 0; d < 3; ++d) rw_free(t->table[d]);
    rw_free(t);
}

const rw_system_ops rw_system_transform = {.method = RW_ELLIPTIC_TRANSFORM,
                                           .suits = suits,
                                           .create = create,
                                           .prepare = prepare,
                                           .solve = solve,
                                           .explain = explain,
                                           .destroy = destroy};
