/* Converged means that b - A x itself is within the tolerance. A long tridiagonal matrix makes the recurrences of short
 * vectors drift from it: a solver then restarts from b - A x, and where that does not help it reports stagnation with
 * both residuals. */
/* TEST: tiled optimised */
#include "systems.h"

/* -u'' on a line with the smallest eigenvalue near 0; complex: with a phase between neighbours, which leaves it
 * hermitian and its eigenvalues as they are. */
static entries line_system(int64_t n, bool is_complex)
{
    const int parts = 1 + is_complex;
    entries e = {.rows = n,
                 .columns = n,
                 .is_complex = is_complex,
                 .row = malloc((size_t)n * 24),
                 .column = malloc((size_t)n * 24),
                 .value = malloc((size_t)(n * parts) * 24)};
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = RW_MAX(i - 1, 0); j <= RW_MIN(i + 1, n - 1); ++j) {
            e.row[e.n] = i, e.column[e.n] = j;
            e.value[parts * e.n] = i == j ? 2 + 1e-4 * (double)(i % 7) : is_complex ? -0.8 : -1;
            if (is_complex) e.value[2 * e.n + 1] = 0.6 * (double)(j - i);
            ++e.n;
        }
    return e;
}

typedef struct passes {
    double allowed; /* 0: not known yet */
    double rtol, lowest;
    bool restarted; /* a residual above the lowest allowed one came after one within the tolerance */
} passes;

static rw_status watch(void *user, int64_t iteration, double r)
{
    passes *p = user;
    if (iteration == 0) p->allowed = p->rtol * r; /* the first guess is 0 */
    else if (p->lowest > 0) p->restarted = true;
    if (iteration > 0 && r <= p->allowed) p->lowest = r;
    return RW_OK;
}

static double length_of(rw_dtype type, rw_array *x)
{
    const void *p;
    double sum = 0;
    OK(rw_array_read(x, &p));
    for (int64_t i = 0; i < x->size; ++i)
        sum += pow(rw_value_get(type, p, i, 0), 2) + pow(rw_value_get(type, p, i, 1), 2);
    return sqrt(sum);
}

/* One solve: what it reports is what x is. Gives the status. */
static rw_status check(const char *what, const entries *e, rw_dtype type, rw_krylov_spec spec, bool *restarted,
                       bool *both_numbers)
{
    const rw_dtype values = e->is_complex ? RW_C128 : RW_F64;
    const bool single = type == RW_F32 || type == RW_C64;
    passes p = {.rtol = spec.rtol};
    /* entries that f32 holds but for the diagonal's last digits */
    rw_sparse *m = matrix_of("csr", single ? type : values, e);
    rw_array *b = vector_of(type, e->rows, 7), *x = vector_of(type, e->rows, 0);
    rw_krylov_result r;
    rw_krylov *k;
    OK(rw_array_zero(x, queue));
    spec.monitor = watch, spec.user = &p;
    OK(rw_krylov_create(rw_sparse_operator(m), type, &spec, &k));
    const rw_status status = rw_krylov_solve(k, b, x, &r);
    const double allowed = spec.rtol * r.right_side, is = true_residual(e, type, b, x) * r.right_side;
    if (status != RW_OK && status != RW_ERR_NOT_CONVERGED)
        fail_msg("%s: %s: %s", what, rw_status_name(status), rw_message(ctx));
    if ((status == RW_OK) != (r.residual <= allowed) || (status == RW_OK) != (r.reason == RW_KRYLOV_CONVERGED))
        fail_msg("%s: %s with |b - A x| = %g, allowed %g, by the recurrence %g", what,
                 status == RW_OK ? "converged" : "not converged", r.residual, allowed, r.estimate);
    if (!single && !(fabs(is - r.residual) <= 0.02 * r.residual + 16 * 2.2e-16 * length_of(type, x)))
        fail_msg("%s: |b - A x| = %g, and is %g", what, r.residual, is);
    assert_true(r.iterations <= (spec.iterations ? spec.iterations : 10000) && r.residual <= r.first);
    if (status == RW_OK && p.restarted) *restarted = true;
    /* after a restart from b - A x half the tolerance is the aim, so that rounding errors do not cross it again */
    const bool drifts =
        spec.method == RW_KRYLOV_CG || spec.method == RW_KRYLOV_BICGSTAB || spec.method == RW_KRYLOV_IDR;
    if (drifts && status == RW_OK && p.restarted && r.estimate > 0.5 * (1 + 1e-6) * allowed)
        fail_msg("%s: the last pass ended at %g by the recurrence, allowed %g", what, r.estimate, allowed);
    if (status != RW_OK && r.reason == RW_KRYLOV_STAGNATION && r.estimate <= allowed) {
        if (!strstr(rw_message(ctx), "by the recurrence") ||
            (!strstr(rw_message(ctx), "the precision of") && !strstr(rw_message(ctx), "x keeps the initial guess")))
            fail_msg("%s: %s", what, rw_message(ctx));
        *both_numbers = true;
    }
    rw_krylov_destroy(&k), rw_sparse_destroy(&m), rw_array_destroy(&b), rw_array_destroy(&x);
    return status;
}

static void test_converged(void **state)
{
    static const rw_dtype types[] = {RW_F32, RW_C64, RW_F64, RW_C128};
    static const rw_precond_method preconds[] = {RW_PRECOND_NONE, RW_PRECOND_JACOBI, RW_PRECOND_ILU};
    const bool slow = on("check") || on("opencl");
    (void)state;
    for (int t = 0; t < (slow ? 1 : RW_COUNT(types)); t += test_long() ? 1 : 3) { /* short: f32 and c128 */
        const bool is_complex = rw_dtype_is_complex(types[t]), single = types[t] == RW_F32 || types[t] == RW_C64;
        entries e = line_system(brief() ? 60 : slow ? 100 : 300, is_complex);
        for (int number = RW_KRYLOV_CG; number <= RW_KRYLOV_METHODS; ++number) {
            const rw_krylov_method method = number == RW_KRYLOV_METHODS ? RW_KRYLOV_GMRES : (rw_krylov_method)number;
            bool restarted = false, both_numbers = false;
            if (on("opencl") && method != RW_KRYLOV_CG && method != RW_KRYLOV_BICGSTAB) continue;
            for (int p = 0; p < (slow ? 2 : RW_COUNT(preconds)); p += test_long() && !is_complex ? 1 : 2)
                for (double rtol = single ? 1e-3 : 1e-12; rtol > (single ? 2e-6 : 1e-17);
                     rtol /= brief()  ? 64
                             : slow   ? 8
                             : single ? (test_long() ? 2 : 4)
                                      : 60) {
                    char what[120];
                    snprintf(what, sizeof what, "%s: %s, %s, preconditioner %d, rtol %g", rw_device_info(dev)->name,
                             rw_krylov_method_name(method), rw_dtype_name(types[t]), p, rtol);
                    check(what, &e, types[t],
                          (rw_krylov_spec){.method = method,
                                           .rtol = rtol,
                                           .precond = {.method = preconds[p]},
                                           .iterations = 2000,
                                           .restart = method == RW_KRYLOV_IDR ? 4 : 100,
                                           .orthogonal =
                                               number == RW_KRYLOV_METHODS ? RW_KRYLOV_MODIFIED : RW_KRYLOV_CLASSICAL},
                          &restarted, &both_numbers);
                }
            if (!slow && !both_numbers)
                fail_msg("%s of %s: no tolerance below the precision was found out", rw_krylov_method_name(method),
                         rw_dtype_name(types[t]));
            if (!slow && single && !restarted)
                fail_msg("%s of %s: no restart led to the tolerance", rw_krylov_method_name(method),
                         rw_dtype_name(types[t]));
        }
        free_entries(&e);
    }
}

/* A solution as the first guess, and one that is on the edge of the tolerance. */
static void test_edge(void **state)
{
    (void)state;
    entries e = line_system(60, false);
    rw_sparse *m = matrix_of("csr", RW_F32, &e);
    for (int method = RW_KRYLOV_CG; method < (on("opencl") ? RW_KRYLOV_GMRES : RW_KRYLOV_METHODS); ++method) {
        rw_array *b = vector_of(RW_F32, e.rows, 7), *x = vector_of(RW_F32, e.rows, 0);
        rw_krylov_result r, again;
        rw_krylov *k;
        OK(rw_array_zero(x, queue));
        OK(rw_krylov_create(rw_sparse_operator(m), RW_F32,
                            &(rw_krylov_spec){.method = (rw_krylov_method)method, .rtol = 1e-4}, &k));
        OK(rw_krylov_solve(k, b, x, &r));
        rw_krylov_destroy(&k);
        for (int step = -2; step <= 2; ++step) { /* atol about |b - A x|, to the last digits */
            const double atol = r.residual * (1 + 1e-8 * step);
            OK(rw_krylov_create(rw_sparse_operator(m), RW_F32,
                                &(rw_krylov_spec){.method = (rw_krylov_method)method, .atol = atol}, &k));
            OK(rw_krylov_solve(k, b, x, &again));
            assert_true(again.residual <= atol);
            if (step > 0) assert_true(again.iterations <= 2);
            rw_krylov_destroy(&k);
        }
        rw_array_destroy(&b), rw_array_destroy(&x);
    }
    rw_sparse_destroy(&m);
    free_entries(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_converged), cmocka_unit_test(test_edge)};
    return run_on_devices("residual", tests, RW_COUNT(tests));
}
