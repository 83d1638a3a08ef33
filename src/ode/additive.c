/* Additive Runge-Kutta methods: y' = N(y) + L(y), N explicit, L, the terms marked by implicit(e), diagonally implicit.
 *
 *   U_0 = y,   R_i = y + h sum_{j<i} (E_ij N_j + I_ij L_j),   U_i - h I_ii L(U_i) = R_i,   y_{n+1} = U_last
 *   e = h sum_j (d_j N_j + g_j L_j)                           N_j = N(U_j),  L_j = (U_j - R_j)/(h I_jj)
 *
 * A row with I_ii = 0 has no solve: U_i = R_i. So a method whose solution is no stage has a last row of weights.
 *
 *   imex1   Euler's methods: the step of Baumann and Buran's flow solver; no estimate
 *   ark2    ARS(2,2,2) of Ascher, Ruuth and Spiteri (Appl. Numer. Math. 25, 1997): order 2, the implicit part stiffly
 *           accurate and L-stable; e is the difference to the explicit Euler method's order 1,
 *           h (1 - delta)(N_1 - N_0) + h (1 - gamma)(L_2 - L_1), about h^2 y''/2
 *
 * Kernel i computes N and L of row i - 1 and from them R_i. Vectors: y, R, rows in turn, N_j and L_j that are needed
 * later. With a given step and solves that are launches only, the last one writes y itself, and steps are recorded. */
#include <math.h>

#include "ode/algebraic.h"
#include "ode/implicit.h"
#include "ode/repeat.h"

enum { Y, KNOWN, ODD, EVEN, SLOT, ROWS = 4 };
enum { EXPLICIT, IMPLICIT, PARTS };

typedef struct tableau {
    int last; /* row */
    double c[ROWS], a[PARTS][ROWS][ROWS];
    double e[PARTS][ROWS];
} tableau;

typedef struct additive {
    rw_stage row[ROWS]; /* [1 …] */
    rw_stage error;
    rw_stage moved; /* y <- the last row, of fields that it has not been solved into */
} additive;

static const tableau *table(const rw_ode *ode) { return ode->ops->variant; }
static bool estimates(const rw_ode *ode) { return ode->ops->attempt; }
static int vector_of(int row) { return row == 0 ? Y : row % 2 ? ODD : EVEN; }

/* The last kernel that reads N_j or L_j: `last` + 1 is the estimate's. */
static int last_use(const rw_ode *ode, int part, int j)
{
    const tableau *t = table(ode);
    int use = 0;
    for (int i = j + 1; i <= t->last; ++i)
        if (t->a[part][i][j] != 0) use = i;
    return estimates(ode) && t->e[part][j] != 0 ? t->last + 1 : use;
}

/* Where N_j or L_j is stored for kernels after the next; -1: it is not needed there. */
static int slot_of(const rw_ode *ode, int part, int j)
{
    int slot = SLOT;
    for (int k = 0; k < ROWS; ++k)
        for (int p = 0; p < PARTS; ++p) {
            const bool stored = last_use(ode, p, k) > k + 1;
            if (k == j && p == part) return stored ? slot : -1;
            slot += stored;
        }
    return -1;
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

/* The vector that takes row i: the solver's right-hand side, or the row itself. */
static int target_of(const rw_ode *ode, int i, int f)
{
    return table(ode)->a[IMPLICIT][i][i] != 0 && rw_implicit_has(ode, f) ? KNOWN : vector_of(i);
}

static bool is_used(const rw_ode *ode, int v, int i)
{
    for (int f = 0; f < ode->nfields; ++f)
        if (i <= table(ode)->last && target_of(ode, i, f) == v) return true;
    for (int j = 0; j < i; ++j)
        for (int p = 0; p < PARTS; ++p)
            if (slot_of(ode, p, j) == v && (j == i - 1 || last_use(ode, p, j) >= i)) return true;
    return v == Y || v == vector_of(i - 1) || (v == KNOWN && table(ode)->a[IMPLICIT][i - 1][i - 1] != 0);
}

/* (U - R)/(h I_jj), 0 without marked terms and at nodes that are given. */
static rw_node slope(rw_building *b, int j, int f, rw_node h)
{
    rw_graph *g = b->graph;
    if (b->status != RW_OK || !rw_implicit_has(b->ode, f)) return b->status == RW_OK ? rw_real(g, 0) : 0;
    const int v = vector_of(j);
    const rw_node by = OP(MUL, rw_real(g, table(b->ode)->a[IMPLICIT][j][j]), h),
                  value = OP(DIV, OP(SUB, rw_build_value(b, v, f), rw_build_value(b, KNOWN, f)), by);
    return rw_with_given(g, b->field[v * b->ode->nfields + f], value, true);
}

/* N and L of row j. */
static void build_parts(rw_building *b, int j, rw_node h, rw_node *N, rw_node *L)
{
    const rw_ode *ode = b->ode;
    const bool solved = table(ode)->a[IMPLICIT][j][j] != 0;
    rw_build_parts(b, vector_of(j), N, solved || last_use(ode, IMPLICIT, j) <= j ? NULL : L);
    for (int f = 0; f < ode->nfields && solved && b->status == RW_OK; ++f) L[f] = slope(b, j, f, h);
}

/* sum + h weight (N_k or L_k), k <= j: those of row j are nodes, others are stored. */
static rw_node add(rw_building *b, rw_node sum, double weight, int part, int k, int f, rw_node h, const rw_node *own)
{
    rw_graph *g = b->graph;
    if (weight == 0) return sum;
    const rw_node value = own ? own[f] : rw_build_value(b, slot_of(b->ode, part, k), f);
    return OP(ADD, sum, OP(MUL, OP(MUL, rw_real(g, weight), h), value));
}

static rw_node begin(rw_building *b, rw_ode *ode, int i)
{
    rw_build_begin(b, ode);
    const rw_node t = rw_build_scalar(b, "t"), h = rw_build_scalar(b, "h");
    for (int v = Y; v < RW_METHOD_VECTORS; ++v)
        if (is_used(ode, v, i)) rw_build_vector(b, v, t);
    return h;
}

static rw_status build_row(rw_ode *ode, int i, rw_stage *stage)
{
    const tableau *t = table(ode);
    rw_building b;
    const rw_node h = begin(&b, ode, i);
    rw_node *part[PARTS] = {b.node[0], b.node[1]};
    build_parts(&b, i - 1, h, part[EXPLICIT], part[IMPLICIT]);
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        rw_node sum = rw_build_value(&b, Y, f);
        for (int p = 0; p < PARTS; ++p)
            for (int j = 0; j < i; ++j) sum = add(&b, sum, t->a[p][i][j], p, j, f, h, j == i - 1 ? part[p] : NULL);
        for (int p = 0; p < PARTS; ++p) {
            const int slot = slot_of(ode, p, i - 1);
            if (slot >= 0) rw_build_store(&b, slot, f, part[p][f]);
        }
        rw_build_store(&b, target_of(ode, i, f), f, sum);
    }
    return rw_build_end(&b, "additive_row", stage);
}

static rw_status build_error(rw_ode *ode, rw_stage *stage)
{
    const tableau *t = table(ode);
    const int last = t->last;
    rw_building b;
    const rw_node h = begin(&b, ode, last + 1);
    rw_node *part[PARTS] = {b.node[0], b.node[1]}, *y0 = b.node[2], *y1 = b.node[3];
    if (t->e[EXPLICIT][last] != 0) build_parts(&b, last, h, part[EXPLICIT], part[IMPLICIT]);
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        rw_node e = rw_real(b.graph, 0);
        if (t->e[EXPLICIT][last] == 0) part[IMPLICIT][f] = slope(&b, last, f, h);
        for (int p = 0; p < PARTS; ++p)
            for (int j = 0; j <= last; ++j) e = add(&b, e, t->e[p][j], p, j, f, h, j == last ? part[p] : NULL);
        part[EXPLICIT][f] = e;
        y0[f] = rw_build_value(&b, Y, f);
        y1[f] = rw_build_value(&b, vector_of(last), f);
    }
    rw_build_norm(&b, part[EXPLICIT], y0, y1);
    return rw_build_end(&b, "additive_error", stage);
}

/* The last row is solved into y. */
static bool is_in_place(const rw_ode *ode)
{
    const int last = table(ode)->last;
    return !estimates(ode) && ode->implicit->enqueued && table(ode)->a[IMPLICIT][last][last] != 0;
}

static rw_status build_moved(rw_ode *ode, rw_stage *stage)
{
    const int from = vector_of(table(ode)->last);
    rw_building b;
    rw_build_begin(&b, ode);
    const rw_node t = rw_build_scalar(&b, "t");
    rw_build_vector(&b, Y, t);
    rw_build_vector(&b, from, t);
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f)
        if (!rw_implicit_has(ode, f)) rw_build_store(&b, Y, f, rw_build_value(&b, from, f));
    return rw_build_end(&b, "additive_moved", stage);
}

static rw_status create(rw_ode *ode)
{
    additive *m = ode->method;
    bool autonomous = true;
    if (!estimates(ode) && !(ode->fixed_step > 0) && !(ode->courant > 0))
        return rw_fail(
            ode->device->ctx, RW_ERR_ARGUMENT,
            "step = 0 with method %s, which has no estimate of its error: give time.step or time.courant, or "
            "take ark2",
            ode->ops->name);
    for (int i = 1; i <= table(ode)->last; ++i) {
        RW_TRY(build_row(ode, i, m->row + i));
        autonomous = autonomous && !m->row[i].moves;
    }
    if (estimates(ode)) return build_error(ode, &m->error);
    if (is_in_place(ode) && ode->implicit->n < ode->nfields) RW_TRY(build_moved(ode, &m->moved));
    return rw_repeat_create(ode, m->row + 1, autonomous);
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static rw_status run_kernel(rw_ode *ode, rw_stage *stage, int row, double h)
{
    rw_stage_set(stage, "t", rw_ode_stage_time(ode, table(ode)->c[row], h));
    rw_stage_set(stage, "h", h);
    return rw_stage_run(ode, stage);
}

static rw_status run_rows(rw_ode *ode, double h)
{
    const tableau *t = table(ode);
    additive *m = ode->method;
    for (int i = 1; i <= t->last; ++i) {
        const double diagonal = t->a[IMPLICIT][i][i];
        RW_TRY(run_kernel(ode, m->row + i, i - 1, h));
        if (diagonal == 0) continue;
        const int into = i == t->last && is_in_place(ode) ? Y : vector_of(i);
        RW_TRY(rw_implicit_solve(ode, into, vector_of(i - 1), KNOWN, rw_ode_stage_time(ode, t->c[i], h), diagonal * h));
    }
    return RW_OK;
}

static rw_status run(rw_ode *ode, double h)
{
    additive *m = ode->method;
    RW_TRY(run_rows(ode, h));
    if (!is_in_place(ode)) return ode->note ? RW_OK : rw_ode_accept(ode, vector_of(table(ode)->last));
    if (!m->moved.expr) return RW_OK;
    rw_stage_set(&m->moved, "t", ode->step_end);
    return rw_stage_run(ode, &m->moved);
}

/* controller: [0] the step, 0 before the first */
static rw_status step(rw_ode *ode, double t_limit)
{
    double *c = ode->now.controller;
    if (c[0] == 0) rw_repeat_note_steps(ode, t_limit);
    RW_TRY(rw_courant_step(ode, &c[0]));
    ode->stale = false;
    return rw_repeat_step(ode, t_limit, c[0], true, NULL, NULL);
}

static rw_status untried(rw_ode *ode, double h)
{
    ode->step_end = ode->now.t + h;
    return run(ode, h);
}

static rw_status attempt(rw_ode *ode, double h, double rho RW_UNUSED, rw_attempt *a)
{
    additive *m = ode->method;
    RW_TRY(run_rows(ode, h));
    RW_TRY(run_kernel(ode, &m->error, table(ode)->last, h));
    a->stages = ode->ops->least_stages;
    ode->now.stat.rhs += a->stages;
    return rw_expr_get(m->error.expr, "norm", &a->estimate, NULL);
}

static rw_status explain(const rw_ode *ode, rw_text *text)
{
    const additive *m = ode->method;
    const int n = table(ode)->last;
    rw_text_add(text, "%s: a step takes %d kernel%s and %d solve%s of marked terms%s\n", ode->ops->name, n,
                n > 1 ? "s" : "", n, n > 1 ? "s" : "",
                estimates(ode)               ? ", and a kernel for the error estimate"
                : rw_repeat_is_possible(ode) ? ", recorded and replayed"
                                             : "");
    for (int i = 1; i <= n; ++i) RW_TRY(rw_stage_explain(m->row + i, text));
    return estimates(ode) ? rw_stage_explain(&m->error, text) : RW_OK;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

#define GAMMA 0.29289321881345247560 /* 1 - 1/sqrt(2) */
#define DELTA (1 - 1 / (2 * GAMMA))

static const tableau euler = {
    .last = 1,
    .c = {0, 1},
    .a = {[EXPLICIT] = {[1] = {1}}, [IMPLICIT] = {[1] = {0, 1}}},
};

static const tableau ars222 = {
    .last = 2,
    .c = {0, GAMMA, 1},
    .a = {[EXPLICIT] = {[1] = {GAMMA}, [2] = {DELTA, 1 - DELTA}},
          [IMPLICIT] = {[1] = {0, GAMMA}, [2] = {0, 1 - GAMMA, GAMMA}}},
    .e = {[EXPLICIT] = {DELTA - 1, 1 - DELTA}, [IMPLICIT] = {0, GAMMA - 1, 1 - GAMMA}},
};

#define BOTH .additive = true, .size = sizeof(additive), .programs = ROWS + 2, .create = create, .explain = explain

static const char *const given_state[] = {"given_step", NULL};

static const rw_ode_ops adaptive = {BOTH,
                                    .method = RW_ODE_ARK2,
                                    .name = "ark2",
                                    .variant = &ars222,
                                    .state = rw_adaptive_state,
                                    .vectors = SLOT + 3,
                                    .least_stages = 2,
                                    .step = rw_adaptive_step,
                                    .result = EVEN,
                                    .power = 2,
                                    .growth = 5,
                                    .attempt = attempt};

#define GIVEN BOTH, .state = given_state, .step = step, .run = run, .untried = untried, .courant = 1

const rw_ode_ops rw_method_IMEX1 =
    {GIVEN, .method = RW_ODE_IMEX1, .name = "imex1", .variant = &euler, .vectors = ODD + 1, .least_stages = 1};
const rw_ode_ops rw_method_ARK2 = {GIVEN,
                                   .method = RW_ODE_ARK2,
                                   .name = "ark2",
                                   .variant = &ars222,
                                   .vectors = SLOT + 1,
                                   .least_stages = 2,
                                   .without_step = &adaptive};
