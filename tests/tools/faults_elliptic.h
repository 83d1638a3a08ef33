/* Rows of test_faults.c: equations without a time derivative. */
#include "rechenwerk/elliptic.h"

static rw_elliptic *elliptic;
static rw_elliptic_spec elliptic_spec;

static rw_status create_elliptic(rw_elliptic_method method, rw_elliptic **e)
{
    const rw_elliptic_spec spec = {.name = "faults",
                                   .equations = method == RW_ELLIPTIC_KRYLOV ? "laplace(u) - c*(1 + x)*u = v"
                                                                             : "laplace(u) - c*u = v",
                                   .grid = grid,
                                   .fields = (rw_expr_field[]){{.name = "u",
                                                                .dtype = RW_F64,
                                                                .boundary = {{RW_BOUNDARY_NEUMANN, "c", 0, 0},
                                                                             {RW_BOUNDARY_DIRICHLET, "1", 0, 0}}}},
                                   .nfields = 1,
                                   .externals = fields + 1,
                                   .nexternals = 1,
                                   .scalars = scalars,
                                   .nscalars = 1,
                                   .method = method};
    return rw_elliptic_create(dev, &spec, e);
}
static void before_elliptic_arrays(void) { x = new_ramp(N, 0, 0.1), y = new_ramp(N, 1, -0.05); }
static rw_status call_elliptic(void)
{
    elliptic = poison;
    return made(create_elliptic(RW_ELLIPTIC_TRANSFORM, &elliptic), &elliptic);
}
static rw_status call_elliptic_krylov(void)
{
    elliptic = poison;
    return made(create_elliptic(RW_ELLIPTIC_KRYLOV, &elliptic), &elliptic);
}
static void before_elliptic(void)
{
    before_elliptic_arrays();
    OK(create_elliptic(RW_ELLIPTIC_TRANSFORM, &elliptic));
    OK(rw_elliptic_bind(elliptic, "u", x));
    OK(rw_elliptic_bind(elliptic, "v", y));
}
static void before_elliptic_krylov(void)
{
    before_elliptic_arrays();
    OK(create_elliptic(RW_ELLIPTIC_KRYLOV, &elliptic));
    OK(rw_elliptic_bind(elliptic, "u", x));
    OK(rw_elliptic_bind(elliptic, "v", y));
}
static rw_status call_elliptic_bind(void) { return rw_elliptic_bind(elliptic, "v", y); }
static rw_status call_elliptic_set(void) { return rw_elliptic_set(elliptic, "c", 1.5); }
static rw_status call_elliptic_spec(void) { return rw_elliptic_get_spec(elliptic, &elliptic_spec); }
static void result_elliptic_spec(void) { note("%d %d", elliptic_spec.method, elliptic_spec.order); }
static rw_status call_elliptic_solve(void)
{
    rw_elliptic_result result;
    void *w;
    RW_TRY(rw_array_write(x, &w));
    for (int i = 0; i < N; ++i) ((double *)w)[i] = 0.1 * i;
    return rw_elliptic_solve(elliptic, &result);
}
static rw_status call_elliptic_enqueue(void) { return rw_elliptic_enqueue(elliptic); }
static void result_elliptic_solve(void) { note_array(x); }
static void result_elliptic(void)
{
    OK(call_elliptic_solve());
    note_array(x);
}
static void result_new_elliptic(void)
{
    OK(rw_elliptic_bind(elliptic, "u", x));
    OK(rw_elliptic_bind(elliptic, "v", y));
    result_elliptic();
}
TEXT_PROBE(call_elliptic_explain, rw_elliptic_explain(elliptic, &text))
static void after_elliptic(void)
{
    rw_elliptic_destroy(&elliptic);
    rw_array_destroy(&x), rw_array_destroy(&y);
}
static void after_elliptic_text(void) { after_text(), after_elliptic(); }
