/* The plain evaluator: a pass cell by cell in double precision, straight from the graph. It is the reference that every
 * device is compared with, and runs equations where no compiler is. Its boundary values are written independently of
 * the generated text (sides.c), from the same formulas. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/convert.h"
#include "expr/program.h"

typedef struct machine {
    rw_expr *e;
    rw_graph *g;
    int pass;
    rw_pass_use use;
    const void **data;  /* by field: host copy */
    double (*value)[2]; /* by node */
    const double *slots;
} machine;

static void load(const machine *m, int f, int64_t c, double out[2])
{
    const rw_dtype dtype = m->g->fields[f].dtype;
    const bool z = rw_dtype_is_complex(dtype);
    out[1] = 0;
    rw_dtype_convert(z ? RW_C128 : RW_F64, out, dtype, (const char *)m->data[f] + (size_t)c * rw_dtype_size(dtype), 1);
}

static void save(rw_dtype dtype, void *data, int64_t c, const double v[2])
{
    rw_dtype_convert(dtype, (char *)data + (size_t)c * rw_dtype_size(dtype),
                     rw_dtype_is_complex(dtype) ? RW_C128 : RW_F64, v, 1);
}

static void coordinate(void *place, const rw_graph *g, rw_node n, double out[2])
{
    const rw_graph_node *q = g->nodes + n;
    const double *p = place;
    out[1] = 0;
    if (q->version) {
        out[0] = p[q->index] + q->offset[q->index] + (double)g->grid.first[q->index];
        return;
    }
    out[0] =
        g->params[g->origin[q->index]].re + (p[q->index] + q->offset[q->index]) * g->params[g->spacing[q->index]].re;
}

/* A place of a side, in nodes, perhaps between two. */
typedef struct side_place {
    double at[3];
    const machine *m;
    int axis, upper; /* of the side whose expression reads fields */
} side_place;

/* A field along the side, by Newton's polynomial through the nodes at an end of an axis where p is beyond it; nodes
 * that are given are beyond too. Integers, such as masks, have the value of the nearest node. */
static double complex along(const machine *m, int f, const int64_t p[3], int axis, int across)
{
    const rw_graph_side *side = m->g->fields[f].boundary + 2 * axis;
    const int64_t all = m->g->grid.size[axis], first = side[0].given, last = all - 1 - side[1].given;
    int64_t q[3] = {p[0], p[1], p[2]};
    double complex difference[5], sum = 0, product = 1;
    if (axis == across || (p[axis] >= first && p[axis] <= last)) {
        double out[2];
        if (axis < 2) return along(m, f, p, axis + 1, across);
        load(m, f, (p[2] * m->g->grid.size[1] + p[1]) * m->g->grid.size[0] + p[0], out);
        return out[0] + out[1] * I;
    }
    if (side->kind == RW_BOUNDARY_PERIODIC || last < first) {
        q[axis] = last < first ? 0 : (p[axis] % all + all) % all;
        return last < first && axis < 2 ? along(m, f, q, axis + 1, across) : along(m, f, q, axis, axis);
    }
    const bool whole = rw_dtype_is_integer(m->g->fields[f].dtype);
    const int nodes = (int)RW_MIN(whole ? 1 : m->g->order + 1, last - first + 1);
    for (int i = 0; i < nodes; ++i) {
        q[axis] = p[axis] < first ? first + i : last - i;
        difference[i] = along(m, f, q, axis, across);
    }
    const double t = p[axis] < first ? (double)(p[axis] - first) : (double)(last - p[axis]);
    for (int k = 0; k < nodes; ++k) { /* differences of order k, over k! */
        sum += difference[0] * product;
        product *= t - k;
        for (int i = 0; i + 1 < nodes - k; ++i) difference[i] = (difference[i + 1] - difference[i]) / (k + 1);
    }
    return sum;
}

/* Leaves of a side's expression. */
static void leaf_of_side(void *user, const rw_graph *g, rw_node n, double out[2])
{
    const side_place *s = user;
    const rw_graph_node *q = g->nodes + n;
    int64_t p[3];
    if (q->op == RW_OP_COORD) {
        coordinate((void *)s->at, g, n, out);
        return;
    }
    for (int d = 0; d < 3; ++d) p[d] = (int64_t)s->at[d] + q->offset[d];
    p[s->axis] = (s->upper ? g->grid.size[s->axis] - 1 : 0) + q->offset[s->axis];
    const double complex u = along(s->m, q->index, p, 0, s->axis);
    out[0] = creal(u);
    out[1] = cimag(u);
}

/* An expression of a side at a place. */
static double complex between(const machine *m, rw_node n, int axis, int upper, const double p[3])
{
    side_place s = {{p[0], p[1], p[2]}, m, axis, upper};
    double out[2];
    rw_graph_value(m->g, n, leaf_of_side, &s, out);
    return out[0] + out[1] * I;
}

/* At node p, which may lie beyond the grid. */
static void at_place(const machine *m, rw_node n, int axis, int upper, const int64_t p[3], double out[2])
{
    const double complex value = between(m, n, axis, upper, (double[3]){(double)p[0], (double)p[1], (double)p[2]});
    out[0] = creal(value);
    out[1] = cimag(value);
}

static void get(const machine *m, int f, const int64_t p[3], int axis, double out[2]);

/* The m-th node inwards from a side. */
static void inwards(const machine *m, int f, const int64_t p[3], int axis, int upper, int64_t k, double out[2])
{
    int64_t q[3] = {p[0], p[1], p[2]};
    q[axis] = upper ? m->g->grid.size[axis] - 1 - k : k;
    get(m, f, q, axis + 1, out);
}

static void combine(const machine *m, int f, const int64_t p[3], int axis, int upper, const double first[2],
                    const double *w, int n, double out[2])
{
    out[0] = w[0] * first[0];
    out[1] = w[0] * first[1];
    for (int i = 1; i < n; ++i) {
        double u[2];
        inwards(m, f, p, axis, upper, i - 1, u);
        out[0] += w[i] * u[0];
        out[1] += w[i] * u[1];
    }
}

/* x <- the solution of A x = b by elimination. */
static void solve(int n, double complex A[5][5], double complex b[5])
{
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
            if (cabs(A[i][k]) > cabs(A[pivot][k])) pivot = i;
        for (int j = 0; j < n; ++j) {
            const double complex other = A[k][j];
            A[k][j] = A[pivot][j];
            A[pivot][j] = other;
        }
        const double complex other = b[k];
        b[k] = b[pivot];
        b[pivot] = other;
        for (int i = k + 1; i < n; ++i) {
            const double complex w = A[i][k] / A[k][k];
            for (int j = k; j < n; ++j) A[i][j] -= w * A[k][j];
            b[i] -= w * b[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int j = k + 1; j < n; ++j) b[k] -= A[k][j] * b[j];
        b[k] /= A[k][k];
    }
}

/* Layout cell: the polynomial in the distance from the side, in spacings, that fulfils a u + b du/dn = c there; a line
 * through the node as far inside, or of degree 4 through four nodes. */
static void beyond_cell(const machine *m, int f, const int64_t p[3], int axis, int upper, double out[2])
{
    const rw_graph_side *side = m->g->fields[f].boundary + 2 * axis + upper;
    const int64_t n = m->g->grid.size[axis], d = upper ? p[axis] - n + 1 : -p[axis];
    const bool order4 = m->g->order == 4 && n >= 5 && d <= 3;
    const int terms = order4 ? 5 : 2;
    const double h = m->g->params[m->g->spacing[axis]].re;
    double place[3] = {(double)p[0], (double)p[1], (double)p[2]};
    place[axis] = upper ? (double)n - 0.5 : -0.5;
    double complex a = 1, b = 0, c, A[5][5] = {{0}}, x[5] = {0}, sum = 0;
    if (side->kind == RW_BOUNDARY_ROBIN) {
        a = between(m, side->a, axis, upper, place);
        b = between(m, side->b, axis, upper, place);
        c = between(m, side->c, axis, upper, place);
    } else {
        c = between(m, side->a, axis, upper, place);
        if (side->kind == RW_BOUNDARY_NEUMANN) {
            a = 0;
            b = 1;
        }
    }
    A[0][0] = a;
    A[0][1] = -b / h;
    x[0] = c;
    for (int i = 1; i < terms; ++i) {
        const int64_t k = order4 ? i - 1 : RW_MIN(d - 1, n - 1);
        double u[2];
        inwards(m, f, p, axis, upper, k, u);
        x[i] = u[0] + u[1] * I;
        for (int j = 0; j < terms; ++j) A[i][j] = pow((double)k + 0.5, j);
    }
    solve(terms, A, x);
    for (int j = 0; j < terms; ++j) sum += x[j] * pow(0.5 - (double)d, j);
    out[0] = creal(sum);
    out[1] = cimag(sum);
}

/* Layout node: the value that a side gives its node in the row of p; false where it gives a slope. */
static bool given_value(const machine *m, const rw_graph_side *side, const int64_t p[3], int axis, int upper,
                        double complex *value)
{
    double place[3] = {(double)p[0], (double)p[1], (double)p[2]};
    place[axis] = (double)(upper ? m->g->grid.size[axis] - 1 : 0);
    if (side->kind != RW_BOUNDARY_ROBIN) {
        *value = between(m, side->a, axis, upper, place);
        return true;
    }
    if (between(m, side->b, axis, upper, place) != 0) return false;
    *value = between(m, side->c, axis, upper, place) / between(m, side->a, axis, upper, place);
    return true;
}

/* A node of the array on several sides of axis, axis + 1, … that give its value has the mean. */
static bool at_corner(const machine *m, int f, const int64_t p[3], int axis, double out[2])
{
    double complex sum = 0, value;
    int sides = 0;
    for (int d = axis; d < 3; ++d) {
        const int64_t last = m->g->grid.size[d] - 1;
        if (p[d] < 0 || p[d] > last) return false;
        for (int upper = 0; upper < 2; ++upper) {
            const rw_graph_side *side = m->g->fields[f].boundary + 2 * d + upper;
            if (!side->given || p[d] != (upper ? last : 0) || !given_value(m, side, p, d, upper, &value)) continue;
            sum += value;
            ++sides;
        }
    }
    if (sides < 2) return false;
    out[0] = creal(sum) / sides;
    out[1] = cimag(sum) / sides;
    return true;
}

/* Layout node: the node on the side, d = 0, and those beyond it where a value is given: a polynomial through that and
 * the next nodes. False: a slope is given, which is for the formulas of other layouts, and d > 0. */
static bool beyond_given(const machine *m, int f, const int64_t p[3], int axis, int upper, bool order4, int64_t inside,
                         double out[2])
{
    const rw_graph_side *side = m->g->fields[f].boundary + 2 * axis + upper;
    const int64_t end = upper ? m->g->grid.size[axis] - 1 : 0, d = upper ? p[axis] - end : -p[axis];
    double complex value, sum;
    if (!given_value(m, side, p, axis, upper, &value)) {
        if (d > 0) return false;
        inwards(m, f, p, axis, upper, 0, out);
        return true;
    }
    const int nodes = d == 0 || inside < 1 ? 0 : order4 && d <= 2 ? 4 : 1;
    double complex A[5][5] = {{0}}, x[5] = {value};
    A[0][0] = 1;
    for (int i = 1; i <= nodes; ++i) {
        const int64_t k = nodes == 1 ? RW_MIN(d, inside) : i;
        double u[2];
        inwards(m, f, p, axis, upper, k, u);
        x[i] = u[0] + u[1] * I;
        for (int j = 0; j <= nodes; ++j) A[i][j] = pow((double)k, j);
    }
    solve(nodes + 1, A, x);
    sum = x[0];
    for (int j = 1; j <= nodes; ++j) sum += x[j] * pow(-(double)d, j);
    out[0] = creal(sum);
    out[1] = cimag(sum);
    return true;
}

static void beyond(const machine *m, int f, const int64_t p[3], int axis, int upper, double out[2])
{
    const rw_graph_field *field = m->g->fields + f;
    int side = 2 * axis + upper;
    const rw_graph_side *both = field->boundary + 2 * axis;
    const int64_t inside = m->g->grid.size[axis] - both[0].given - both[1].given;
    int64_t n = m->g->grid.size[axis], q[3] = {p[0], p[1], p[2]};
    bool order4 = m->g->order == 4 && inside >= 5;
    double s[2], u0[2], h = m->g->params[m->g->spacing[axis]].re;
    if (m->g->layout == RW_GRID_CELL && field->boundary[side].slope) {
        beyond_cell(m, f, p, axis, upper, out);
        return;
    }
    if (field->boundary[side].given && beyond_given(m, f, p, axis, upper, order4, inside, out)) return;
    switch (field->boundary[side].kind) {
    case RW_BOUNDARY_NEAREST: inwards(m, f, p, axis, upper, 0, out); return;
    case RW_BOUNDARY_PERIODIC:
        q[axis] = ((p[axis] % n) + n) % n;
        get(m, f, q, axis + 1, out);
        return;
    case RW_BOUNDARY_CONSTANT: at_place(m, field->boundary[side].a, axis, upper, p, out); return;
    case RW_BOUNDARY_REFLECT101:
    case RW_BOUNDARY_REFLECT: {
        const int half = field->boundary[side].kind == RW_BOUNDARY_REFLECT;
        while (q[axis] < 0 || q[axis] >= n)
            q[axis] = n == 1 ? 0 : q[axis] < 0 ? -half - q[axis] : 2 * n - 2 + half - q[axis];
        get(m, f, q, axis + 1, out);
        return;
    }
    case RW_BOUNDARY_DIRICHLET: {
        static const double one[] = {5, -10, 10, -5, 1}, three[] = {15, -40, 45, -24, 5};
        int64_t d = upper ? p[axis] - n : -1 - p[axis];
        q[axis] = upper ? n : -1;
        at_place(m, field->boundary[side].a, axis, upper, q, s);
        if (d == 0) {
            out[0] = s[0];
            out[1] = s[1];
        } else if (d <= 2 && order4) combine(m, f, p, axis, upper, s, d == 1 ? one : three, 5, out);
        else { /* a line through the side and the node as far inside, or the farthest of a shorter axis */
            int64_t k = RW_MIN(d - 1, n - 1);
            double w = (double)d / (double)(k + 1);
            inwards(m, f, p, axis, upper, k, u0);
            out[0] = (1 + w) * s[0] - w * u0[0];
            out[1] = (1 + w) * s[1] - w * u0[1];
        }
        return;
    }
    default: break;
    }
    q[axis] = upper ? n - 1 : 0;
    if (field->boundary[side].kind == RW_BOUNDARY_NEUMANN) {
        at_place(m, field->boundary[side].a, axis, upper, q, s);
    } else { /* (c - a u) / b */
        double a[2], b[2], c[2], au[2], d[2];
        at_place(m, field->boundary[side].a, axis, upper, q, a);
        at_place(m, field->boundary[side].b, axis, upper, q, b);
        at_place(m, field->boundary[side].c, axis, upper, q, c);
        inwards(m, f, p, axis, upper, 0, u0);
        bool z = rw_dtype_is_complex(field->dtype);
        rw_apply(RW_OP_MUL, (const double(*)[2])(double[2][2]){{a[0], a[1]}, {u0[0], u0[1]}}, z, au);
        d[0] = c[0] - au[0];
        d[1] = c[1] - au[1];
        rw_apply(RW_OP_DIV, (const double(*)[2])(double[2][2]){{d[0], d[1]}, {b[0], b[1]}}, z, s);
    }
    s[0] *= h;
    s[1] *= h;
    static const double weights[3][5] = {{4, -10. / 3, 6, -2, 1. / 3},
                                         {20, -80. / 3, 40, -15, 8. / 3},
                                         {60, -90, 135, -54, 10}};
    int64_t d = upper ? p[axis] - n + 1 : -p[axis];
    if (order4 && d <= 3) combine(m, f, p, axis, upper, s, weights[d - 1], 5, out);
    else {
        int64_t k = RW_MAX(RW_MIN(d, inside - 1), 0);
        inwards(m, f, p, axis, upper, k, u0);
        out[0] = u0[0] + (double)(d + k) * s[0];
        out[1] = u0[1] + (double)(d + k) * s[1];
    }
}

/* The value at any node: sides are resolved axis by axis, x first. */
static void get(const machine *m, int f, const int64_t p[3], int axis, double out[2])
{
    const int64_t *n = m->g->grid.size;
    if (m->g->fields[f].given && at_corner(m, f, p, axis, out)) return;
    for (; axis < 3; ++axis) {
        const rw_graph_side *side = m->g->fields[f].boundary + 2 * axis;
        if (p[axis] >= side[0].given && p[axis] < n[axis] - side[1].given) continue;
        beyond(m, f, p, axis, p[axis] >= side[0].given, out);
        return;
    }
    load(m, f, (p[2] * n[1] + p[1]) * n[0] + p[0], out);
}

static const double *value_of(const machine *m, rw_node n) { return m->value[n]; }

/* Of a node of another grid. */
static int64_t place_there(const rw_graph_other *o, const rw_graph_node *q, const int64_t p[3])
{
    int64_t at = 0;
    for (int d = 2; d >= 0; --d) {
        const int64_t n = RW_MAX(o->size[d], 1), i = o->den[d] ? rw_other_base(o, d, p[d]) + rw_other_offset(q, d) : 0;
        at = at * n + (o->wraps[d] ? (i + n) % n : i < 0 ? 0 : RW_MIN(i, n - 1));
    }
    return at;
}

static void compute(machine *m, rw_node n, const int64_t p[3])
{
    const rw_graph_node *q = m->g->nodes + n;
    const rw_store *forward = rw_plan_forward(&m->e->plan, m->pass, q);
    double *out = m->value[n];
    if (forward) {
        memcpy(out, value_of(m, forward->value), 2 * sizeof *out);
    } else if (rw_is_of_other(m->g, q)) {
        load(m, q->index, place_there(&m->g->fields[q->index].other, q, p), out);
    } else if (q->op == RW_OP_FIELD && q->column) {
        int64_t at = p[0] + (q->column - 1) * m->g->grid.size[0];
        load(m, m->g->fields[q->index].columns ? q->index : m->g->neighbours, at, out);
        if (!m->g->fields[q->index].columns) load(m, q->index, (int64_t)out[0], out);
    } else if (q->op == RW_OP_FIELD) {
        int64_t at[3] = {p[0] + q->offset[0], p[1] + q->offset[1], p[2] + q->offset[2]};
        get(m, q->index, at, 0, out);
    } else if (q->op == RW_OP_COORD) {
        coordinate((double[3]){(double)p[0], (double)p[1], (double)p[2]}, m->g, n, out);
    } else if (q->op == RW_OP_STATE) {
        out[0] = m->slots[rw_state_slot(q->index)];
        out[1] = 0;
    } else if (q->op == RW_OP_REDUCE) {
        const rw_reduction *r = rw_plan_reduction(&m->e->plan, n);
        out[0] = m->slots[r->slot];
        out[1] = r->width > 1 ? m->slots[r->slot + 1] : 0;
    } else {
        double arg[3][2] = {{0}};
        bool is_complex = false;
        for (int i = 0; i < rw_ops[q->op].arity; ++i) {
            memcpy(arg[i], value_of(m, q->arg[i]), sizeof arg[i]);
            is_complex = is_complex || (m->g->nodes[q->arg[i]].is_complex && !(q->op == RW_OP_WHERE && i == 0));
        }
        rw_graph_apply(m->g, (rw_node_op)q->op, q->index, (const double(*)[2])arg, is_complex, out);
    }
}

static void accumulate(const rw_reduction *r, const double v[2], double *slots)
{
    for (int part = 0; part < r->width; ++part) {
        double *s = slots + r->slot + part, x = v[part];
        if (r->kind == RW_SUM) *s += x;
        else if (r->kind == RW_REDUCE_MIN) *s = *s < x || *s != *s ? *s : x; /* NaN stays */
        else *s = *s > x || *s != *s ? *s : x;
    }
}

static void cells(machine *m, void **out, double *slots)
{
    const rw_plan *plan = &m->e->plan;
    const int64_t *n = m->g->grid.size;
    for (rw_node i = 0; i < m->use.nnodes; ++i) /* constants and uniforms once */
        if (m->use.uniform[i] || m->g->nodes[i].op == RW_OP_CONST)
            rw_scalars_get(m->e->scalars, i, m->value[i], m->value[i] + 1);
    for (int64_t k = 0; k < n[2]; ++k)
        for (int64_t j = 0; j < n[1]; ++j)
            for (int64_t i = 0; i < n[0]; ++i) {
                int64_t p[3] = {i, j, k}, c = (k * n[1] + j) * n[0] + i;
                for (rw_node a = 0; a < m->use.nnodes; ++a)
                    if (m->use.needed[a]) compute(m, a, p);
                for (const rw_store *s = NULL; (s = rw_next_store(plan, m->pass, s));)
                    save(m->g->fields[s->field].dtype, out[s->field], c, value_of(m, s->value));
                for (int r = 0; r < plan->nreductions; ++r)
                    if (plan->reductions[r].pass == m->pass)
                        accumulate(plan->reductions + r, value_of(m, plan->reductions[r].value), slots);
            }
}

static rw_status evaluate_pass(rw_expr *e, int pass, double *slots)
{
    rw_context *ctx = e->device->ctx;
    rw_graph *g = e->graph;
    machine m = {.e = e, .g = g, .pass = pass, .slots = slots};
    rw_plan plan = e->plan;
    plan.tables = false;
    RW_TRY(rw_plan_use(&plan, pass, &m.use));
    size_t nf = (size_t)g->nfields + 1;
    void **out = rw_calloc(nf, sizeof *out), **beside = rw_calloc(nf, sizeof *beside);
    m.data = rw_calloc(nf, sizeof *m.data);
    m.value = rw_calloc((size_t)g->n, sizeof *m.value);
    rw_status status = RW_OK;
    if (!out || !beside || !m.data || !m.value) {
        status = rw_fail_memory(ctx, (size_t)g->n * sizeof *m.value, "the plain evaluator");
        goto done;
    }
    for (int f = 0; f < g->nfields; ++f) {
        if (m.use.written[f] && !m.use.read[f]) RW_TRY_GOTO(rw_array_write(e->bound[f], &out[f]), done);
        else if (m.use.written[f]) RW_TRY_GOTO(rw_array_update(e->bound[f], &out[f]), done);
        if (m.use.read[f]) RW_TRY_GOTO(rw_array_read(e->bound[f], &m.data[f]), done);
    }
    for (const rw_store *st = NULL; (st = rw_next_store(&e->plan, pass, st));) {
        if (!st->shadow) continue;
        beside[st->field] = out[st->field];
        out[st->field] = rw_calloc(RW_MAX(e->bound[st->field]->bytes, 1), 1);
        if (!out[st->field]) status = rw_fail_memory(ctx, e->bound[st->field]->bytes, "the plain evaluator");
    }
    for (int r = 0; r < e->plan.nreductions; ++r) {
        const rw_reduction *q = e->plan.reductions + r;
        for (int part = 0; q->pass == pass && part < q->width; ++part)
            slots[q->slot + part] = q->kind == RW_SUM ? 0 : q->kind == RW_REDUCE_MIN ? INFINITY : -INFINITY;
    }
    if (status == RW_OK) cells(&m, out, slots);
    for (int f = 0; f < g->nfields; ++f)
        if (beside[f] && out[f]) {
            memcpy(beside[f], out[f], e->bound[f]->bytes);
            rw_free(out[f]);
        }
done:
    rw_free(out);
    rw_free(beside);
    rw_free(m.data);
    rw_free(m.value);
    rw_pass_use_free(&m.use);
    return status;
}

rw_status rw_expr_evaluate(rw_expr *e)
{
    void *slots;
    if (!e->all_scalars) RW_TRY(rw_expr_make_scalars(e, true));
    if (!rw_scalars_update(e->scalars)) return rw_fail_memory(e->device->ctx, 256, "scalars at the stage times");
    if (!e->slots->storage->host_current && !e->slots->storage->device_current) {
        RW_TRY(rw_array_write(e->slots, &slots));
        memset(slots, 0, e->slots->bytes);
    }
    RW_TRY(rw_array_update(e->slots, &slots));
    for (int i = 0; i < e->plan.npasses; ++i) RW_TRY(evaluate_pass(e, i, slots));
    return rw_expr_evaluate_states(e, slots);
}

static rw_status evaluate_nodes(machine *m, rw_node value, int64_t n, const int64_t (*at)[3], double *values)
{
    for (rw_node i = 0; i < m->use.nnodes; ++i)
        if (m->use.uniform[i] || m->g->nodes[i].op == RW_OP_CONST)
            rw_scalars_get(m->e->scalars, i, m->value[i], m->value[i] + 1);
    for (int f = 0; f < m->g->nfields; ++f)
        if (m->use.read[f]) RW_TRY(rw_array_read(m->e->bound[f], &m->data[f]));
    for (int64_t i = 0; i < n; ++i) {
        for (rw_node a = 0; a < m->use.nnodes; ++a)
            if (m->use.needed[a]) compute(m, a, at[i]);
        values[i] = value_of(m, value)[0];
    }
    return RW_OK;
}

rw_status rw_expr_evaluate_nodes(rw_expr *e, int field, int64_t n, const int64_t (*at)[3], double *values)
{
    const rw_store *s = e->plan.stores, *const end = s + e->plan.nstores;
    while (s < end && (s->field != field || s->dead)) ++s;
    if (s == end) return rw_fail(e->device->ctx, RW_ERR_INTERNAL, "%s does not assign field %d", e->name, field);
    machine m = {.e = e, .g = e->graph, .pass = s->pass};
    const void *slots;
    rw_plan plan = e->plan;
    plan.tables = false;
    if (!e->all_scalars) RW_TRY(rw_expr_make_scalars(e, true));
    if (!rw_scalars_update(e->scalars)) return rw_fail_memory(e->device->ctx, 256, "scalars at the stage times");
    if (e->plan.nreductions) RW_TRY(rw_array_read(e->slots, &slots));
    else slots = NULL;
    m.slots = slots;
    RW_TRY(rw_plan_use(&plan, s->pass, &m.use));
    m.data = rw_calloc((size_t)e->graph->nfields + 1, sizeof *m.data);
    m.value = rw_calloc((size_t)e->graph->n, sizeof *m.value);
    rw_status status = m.data && m.value ? evaluate_nodes(&m, s->value, n, at, values)
                                         : rw_fail_memory(e->device->ctx, (size_t)e->graph->n * sizeof *m.value,
                                                          "the plain evaluator");
    rw_free(m.data);
    rw_free(m.value);
    rw_pass_use_free(&m.use);
    return status;
}
