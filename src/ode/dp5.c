/* DP5: the method of Dormand and Prince (J. Comput. Appl. Math. 6, 1980), order 5 with an estimate of order 4, for
 * problems that are not stiff.
 *
 *   K_i = h F(t + c_i h, X_i),  X_1 = y,  X_{i+1} = y + sum a_ij K_j   i = 1 … 6,   y_{n+1} = X_7,   e = sum e_i K_i
 *
 * Vectors: y, two for the arguments in turn, K_1 … K_5. The sixth kernel leaves the first six terms of e in K_1; the
 * seventh adds K_7 and reduces. */
#include <math.h>
#include <string.h>

#include "ode/ode.h"

enum { Y, ODD, EVEN, K1, STAGES = 6 };

static const double c[STAGES + 1] = {0, 0.2, 0.3, 0.8, 8. / 9, 1, 1};
static const double a[STAGES][STAGES] = {
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
};
static const double e[STAGES + 1] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};

typedef struct dp5 {
    rw_stage stage[STAGES], error;
} dp5;

static int argument_of(int i) { return i == 0 ? Y : i % 2 ? ODD : EVEN; }

static rw_status build_stage(rw_ode *ode, int i, rw_stage *stage)
{
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node t = rw_build_scalar(&b, "t"), h = rw_build_scalar(&b, "h");
    for (int v = Y; v < RW_METHOD_VECTORS; ++v)
        if (v == Y || v == argument_of(i) || v == argument_of(i + 1) || (v >= K1 && v <= K1 + i))
            rw_build_vector(&b, v, t);
    rw_node *rates = b.node[0];
    rw_build_rates(&b, argument_of(i), rates);
    rw_graph *g = b.graph;
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        rw_node own = OP(MUL, h, rates[f]), sum = rw_build_value(&b, Y, f), error = rw_real(g, 0);
        for (int j = 0; j <= i; ++j) {
            rw_node k = j < i ? rw_build_value(&b, K1 + j, f) : own;
            sum = OP(ADD, sum, OP(MUL, rw_real(g, a[i][j]), k));
            error = OP(ADD, error, OP(MUL, rw_real(g, e[j]), k));
        }
        rw_build_store(&b, argument_of(i + 1), f, sum);
        if (i + 1 < STAGES) rw_build_store(&b, K1 + i, f, own);
        else rw_build_store(&b, K1, f, error);
    }
    return rw_build_end(&b, "dp5_stage", stage);
}

static rw_status build_error(rw_ode *ode, rw_stage *stage)
{
    const int next = argument_of(STAGES);
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node *rates = b.node[0], *y0 = b.node[1], *y1 = b.node[2];
    rw_node t = rw_build_scalar(&b, "t"), h = rw_build_scalar(&b, "h");
    rw_build_vector(&b, Y, t);
    rw_build_vector(&b, next, t);
    rw_build_vector(&b, K1, t);
    rw_build_rates(&b, next, rates);
    rw_graph *g = b.graph;
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        y0[f] = rw_build_value(&b, Y, f);
        y1[f] = rw_build_value(&b, next, f);
        rates[f] = OP(ADD, rw_build_value(&b, K1, f), OP(MUL, OP(MUL, rw_real(g, e[STAGES]), h), rates[f]));
    }
    rw_build_norm(&b, rates, y0, y1);
    return rw_build_end(&b, "dp5_error", stage);
}

static rw_status create(rw_ode *ode)
{
    dp5 *m = ode->method;
    for (int i = 0; i < STAGES; ++i) RW_TRY(build_stage(ode, i, m->stage + i));
    return build_error(ode, &m->error);
}

static rw_status attempt(rw_ode *ode, double h, double rho RW_UNUSED, rw_attempt *result)
{
    dp5 *m = ode->method;
    for (int i = 0; i <= STAGES; ++i) {
        rw_stage *st = i < STAGES ? m->stage + i : &m->error;
        rw_stage_set(st, "t", rw_ode_stage_time(ode, c[i], h));
        rw_stage_set(st, "h", h);
        RW_TRY(rw_stage_run(ode, st));
    }
    ode->now.stat.rhs += STAGES + 1;
    result->stages = STAGES + 1;
    return rw_expr_get(m->error.expr, "norm", &result->estimate, NULL);
}

const rw_ode_ops rw_method_DP5 = {.method = RW_ODE_DP5,
                                  .name = "dp5",
                                  .state = rw_adaptive_state,
                                  .choosable = true,
                                  .vectors = RW_METHOD_VECTORS,
                                  .least_stages = 7,
                                  .size = sizeof(dp5),
                                  .programs = STAGES + 1,
                                  .create = create,
                                  .step = rw_adaptive_step,
                                  .summary = "takes six kernels and one for the error estimate",
                                  .result = EVEN /* argument_of(STAGES) */,
                                  .power = 5,
                                  .growth = 10,
                                  .stable = 3.3,
                                  .attempt = attempt};
