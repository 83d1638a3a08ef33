/* Flexible GMRES with a solver in the place of its preconditioner: every method as the inner one, real and complex,
 * with a preconditioner of its own, on every device; what one inner iteration of known effect does; what is refused. */
/* TEST: devices=all tiled unoptimised */
#include "systems.h"

/* A Laplacian of n x n cells, of complex type with an imaginary diagonal beside. */
static entries laplace(int64_t n, bool is_complex)
{
    entries e = {n * n,
                 n * n,
                 0,
                 is_complex,
                 malloc((size_t)(5 * n * n) * 8),
                 malloc((size_t)(5 * n * n) * 8),
                 malloc((size_t)(5 * n * n) * 16)};
    for (int64_t i = 0; i < n * n; ++i)
        for (int k = 0; k < 5; ++k) {
            const int64_t x = i % n + (k == 1) - (k == 2), y = i / n + (k == 3) - (k == 4);
            if (x < 0 || y < 0 || x >= n || y >= n) continue;
            e.row[e.n] = i, e.column[e.n] = y * n + x, e.value[(1 + is_complex) * e.n] = k ? -1 : 4;
            if (is_complex) e.value[2 * e.n + 1] = k ? 0 : 0.1;
            ++e.n;
        }
    return e;
}

static int64_t solve(const char *what, const entries *e, const rw_krylov_spec *inner, int restart)
{
    const rw_dtype type = e->is_complex ? RW_C128 : RW_F64;
    rw_sparse *m = matrix_of("csr", type, e);
    rw_krylov *k;
    rw_krylov_result r;
    rw_array *b = vector_of(type, e->rows, 7), *x = vector_of(type, e->rows, 8);
    OK(rw_krylov_create(rw_sparse_operator(m), type,
                        &(rw_krylov_spec){.method = RW_KRYLOV_FGMRES,
                                          .rtol = 1e-10,
                                          .iterations = 200,
                                          .restart = restart,
                                          .inner = inner},
                        &k));
    for (int again = 0; again < 2; ++again) { /* the second solve begins with the state of the first */
        if (rw_krylov_solve(k, b, x, &r) != RW_OK) fail_msg("%s: %s", what, rw_message(ctx));
        const double told = r.residual / r.right_side, is = true_residual(e, type, b, x);
        if (!(is <= 1.5e-10) || !(fabs(told - is) <= 1e-3 * is + 1e-14))
            fail_msg("%s: residual %g, told as %g", what, is, told);
        if (!again) OK(rw_array_zero(x, queue));
    }
    rw_krylov_destroy(&k), rw_sparse_destroy(&m);
    rw_array_destroy(&b), rw_array_destroy(&x);
    return r.iterations;
}

static void test_methods(void **state)
{
    static const struct {
        rw_krylov_method method;
        const char *precond;
        int iterations, most;
    } kinds[] = {
        {RW_KRYLOV_GMRES, "none", 9, 24},
        {RW_KRYLOV_CG, "jacobi", 20, 10},
        {RW_KRYLOV_BICGSTAB, "ilu0:order=natural", 5, 7},
        {RW_KRYLOV_IDR, "none", 10, 30},
        {RW_KRYLOV_FGMRES, "jacobi", 0, 20},
    };
    const bool fast = !strcmp(rw_device_info(dev)->kind, "cpu") || !strcmp(rw_device_info(dev)->kind, "cuda");
    (void)state;
    for (int z = 0; z < 2; ++z) {
        entries e = laplace(fast ? 24 : 12, z);
        const int64_t alone = fast ? solve("alone", &e, NULL, 30) : 60;
        for (int i = 0; i < RW_COUNT(kinds); ++i) {
            if ((z && kinds[i].method == RW_KRYLOV_CG) || (!fast && (z ? i != 2 : i > 1))) continue;
            if (z && !test_long() && i != 2) continue;
            char what[80];
            rw_krylov_spec inner = {.method = kinds[i].method, .iterations = kinds[i].iterations, .rtol = 1e-3};
            OK(rw_precond_parse(ctx, kinds[i].precond, &inner.precond));
            snprintf(what, sizeof what, "%s: inner %s, %s, complex %d", rw_device_info(dev)->name,
                     rw_krylov_method_name(inner.method), kinds[i].precond, z);
            const int64_t n = solve(what, &e, &inner, i % 2 ? 30 : 3);
            if (n > kinds[i].most || 3 * n > alone)
                fail_msg("%s: %lld iterations, %lld without", what, (long long)n, (long long)alone);
        }
        free_entries(&e);
    }
}

/* An inner solver that solves leaves one iteration; one that stops at half of the residual leaves more, and does not
 * make its iterations in vain. */
static void test_exact(void **state)
{
    const int n = brief() ? 5 : 9, rows = n * n;
    entries e = laplace(n, false);
    (void)state;
    assert_int_equal(solve("exact", &e, &(rw_krylov_spec){.method = RW_KRYLOV_GMRES, .iterations = rows, .rtol = 1e-13},
                           30),
                     1);
    const int64_t half =
        solve("half", &e, &(rw_krylov_spec){.method = RW_KRYLOV_GMRES, .iterations = rows, .rtol = 0.5}, 30);
    assert_true(half > 1 && half <= 34); /* 2^-34 < 1e-10 */
    const int64_t one =
        solve("one", &e, &(rw_krylov_spec){.method = RW_KRYLOV_GMRES, .iterations = 1, .rtol = 1e-3}, rows);
    const int64_t none = solve("none", &e, NULL, rows);
    assert_true(one <= none + 2); /* a multiple of each vector: the same space */
    free_entries(&e);
}

/* One application is what the method alone gives after as many iterations from 0. */
static void test_application(void **state)
{
    static const struct {
        rw_krylov_method method;
        const char *precond;
    } kinds[] = {{RW_KRYLOV_GMRES, "none"},
                 {RW_KRYLOV_CG, "jacobi"},
                 {RW_KRYLOV_BICGSTAB, "none"},
                 {RW_KRYLOV_IDR, "none"},
                 {RW_KRYLOV_FGMRES, "jacobi"}};
    const bool fast = !strcmp(rw_device_info(dev)->kind, "cpu") || !strcmp(rw_device_info(dev)->kind, "cuda");
    entries e = laplace(13, false);
    rw_sparse *m = matrix_of("csr", RW_F64, &e);
    rw_array *b = vector_of(RW_F64, e.rows, 7), *x = vector_of(RW_F64, e.rows, 0), *y = vector_of(RW_F64, e.rows, 8);
    (void)state;
    for (int i = 0; i < (fast ? RW_COUNT(kinds) : 2); ++i) /* whole cycles */
        for (int n = kinds[i].method == RW_KRYLOV_IDR ? 5 : 1; n < 11; n += kinds[i].method == RW_KRYLOV_IDR ? 5 : 3) {
            rw_krylov_spec spec = {.method = kinds[i].method, .iterations = n, .rtol = 1e-13};
            rw_krylov *outer, *alone;
            rw_krylov_result r;
            const void *px, *py;
            OK(rw_precond_parse(ctx, kinds[i].precond, &spec.precond));
            OK(rw_krylov_create(rw_sparse_operator(m), RW_F64,
                                &(rw_krylov_spec){.method = RW_KRYLOV_FGMRES, .inner = &spec}, &outer));
            if (spec.method != RW_KRYLOV_IDR) spec.restart = n;
            OK(rw_krylov_create(rw_sparse_operator(m), RW_F64, &spec, &alone));
            OK(rw_array_zero(x, queue));
            assert_int_equal(rw_krylov_solve(alone, b, x, &r), RW_ERR_NOT_CONVERGED);
            assert_int_equal(r.iterations, n);
            for (int again = 0; again < 2; ++again) {
                OK(rw_krylov_apply(outer->inner, b, 0, y));
                OK(rw_array_read(x, &px));
                OK(rw_array_read(y, &py));
                for (int64_t j = 0; j < e.rows; ++j) {
                    const double is = ((const double *)py)[j], want = ((const double *)px)[j];
                    if (!(fabs(is - want) <= 1e-12))
                        fail_msg("inner %s, %d iterations: x[%lld] = %.17g, alone %.17g",
                                 rw_krylov_method_name(spec.method), n, (long long)j, is, want);
                }
            }
            rw_krylov_destroy(&outer), rw_krylov_destroy(&alone);
        }
    rw_array_destroy(&b), rw_array_destroy(&x), rw_array_destroy(&y);
    rw_sparse_destroy(&m);
    free_entries(&e);
}

static void test_refused(void **state)
{
    entries e = laplace(4, false);
    rw_sparse *m = matrix_of("csr", RW_F64, &e);
    rw_krylov *k;
    const rw_krylov_spec plain = {.method = RW_KRYLOV_CG}, nested = {.method = RW_KRYLOV_FGMRES, .inner = &plain},
                         many = {.method = RW_KRYLOV_GMRES, .iterations = 1001},
                         bad = {.method = RW_KRYLOV_CG, .rtol = -1};
    (void)state;
    FAILS(RW_ERR_ARGUMENT, "an inner solver with gmres: this method needs a fixed preconditioner. Use fgmres",
          rw_krylov_create(rw_sparse_operator(m), RW_F64, &(rw_krylov_spec){.method = RW_KRYLOV_GMRES, .inner = &plain},
                           &k));
    FAILS(RW_ERR_ARGUMENT, "an inner solver and a preconditioner are both set",
          rw_krylov_create(rw_sparse_operator(m), RW_F64,
                           &(rw_krylov_spec){.method = RW_KRYLOV_FGMRES,
                                             .precond = {.method = RW_PRECOND_JACOBI},
                                             .inner = &plain},
                           &k));
    FAILS(RW_ERR_ARGUMENT, "an inner solver with an inner solver of its own",
          rw_krylov_create(rw_sparse_operator(m), RW_F64,
                           &(rw_krylov_spec){.method = RW_KRYLOV_FGMRES, .inner = &nested}, &k));
    FAILS(RW_ERR_ARGUMENT, "1001 iterations: the number must be 1 to 1000",
          rw_krylov_create(rw_sparse_operator(m), RW_F64, &(rw_krylov_spec){.method = RW_KRYLOV_FGMRES, .inner = &many},
                           &k));
    FAILS(RW_ERR_ARGUMENT, "inner solver: rtol and atol are both off",
          rw_krylov_create(rw_sparse_operator(m), RW_F64, &(rw_krylov_spec){.method = RW_KRYLOV_FGMRES, .inner = &bad},
                           &k));
    assert_null(k);
    const rw_krylov_spec outer = {.method = RW_KRYLOV_FGMRES, .inner = &plain}, alone = {.method = RW_KRYLOV_FGMRES};
    assert_true(rw_krylov_memory(&outer, 1000, RW_F64) >=
                rw_krylov_memory(&alone, 1000, RW_F64) + rw_krylov_memory(&plain, 1000, RW_F64) + 31 * 8000);
    rw_sparse_destroy(&m);
    free_entries(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_methods), cmocka_unit_test(test_exact),
                                       cmocka_unit_test(test_application), cmocka_unit_test(test_refused)};
    return run_on_devices("inner", tests, RW_COUNT(tests));
}
