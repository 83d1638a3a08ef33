/* What the study of 2011 asks of solvers, on its generator's matrices: residuals of 100 iterations (short, on check and
 * OpenCL: 40) are the same with the products of every format (A25), restarts and their memory (A26), what
 * preconditioners save, for the same solution (A27). */
/* TEST: tiled */
#include "../values.h"
#include "krylov/basis.h"
#include "rechenwerk/multiblock.h"
#include "systems.h"

static int iterations = 100;
enum { MOST_ITERATIONS = 100 };

/* Two grid blocks, complex, with numbers that f32 has; the diagonal times a factor. */
static entries flow(double diagonal)
{
    const rw_multiblock_spec spec = {.cells = {3, 8, 6},
                                     .blocks = {2, 1, 1},
                                     .mode = RW_MULTIBLOCK_INNER,
                                     .periodic = true,
                                     .is_complex = true,
                                     .omega = 0.1,
                                     .seed = 5,
                                     .zeros = true};
    entries e = {.is_complex = true};
    rw_sparse_layout l;
    rw_sparse *m;
    int64_t *row, *column;
    double *value;
    OK(rw_sparse_layout_parse(ctx, "csr:c128", &l));
    OK(rw_multiblock_assemble(dev, &spec, RW_MULTIBLOCK_ALL, RW_MULTIBLOCK_COMPACT, &l, &m));
    OK(rw_sparse_entries(m, &e.n, &row, &column, &value));
    e.rows = e.columns = matrix_size_of(m).rows;
    e.row = malloc((size_t)e.n * 8), e.column = malloc((size_t)e.n * 8), e.value = malloc((size_t)e.n * 16);
    memcpy(e.row, row, (size_t)e.n * 8), memcpy(e.column, column, (size_t)e.n * 8);
    for (int64_t k = 0; k < 2 * e.n; ++k)
        e.value[k] = (double)(float)(value[k] * (row[k / 2] == column[k / 2] ? diagonal : 1));
    rw_sparse_free_entries(&row, &column, &value);
    rw_sparse_destroy(&m);
    return e;
}

static rw_array *right_side(rw_dtype type, int64_t n)
{
    rw_array *a = vector_of(type, n, 0);
    void *data;
    OK(rw_array_write(a, &data));
    for (int64_t i = 0; i < 2 * n; ++i) {
        const float v = (float)(rw_random_uniform(31, (uint64_t)i) - 0.5);
        if (type == RW_C64) ((float *)data)[i] = v;
        else ((double *)data)[i] = (double)v;
    }
    return a;
}

static rw_status keep(void *user, int64_t iteration, double residual)
{
    if (iteration <= iterations) ((double *)user)[iteration] = residual;
    return RW_OK;
}

/* |r| of each iteration of GMRES without a restart. */
static void residuals(const char *layout, rw_dtype values, rw_dtype type, const entries *e, double *history)
{
    rw_sparse *m = matrix_of(layout, values, e);
    rw_array *b = right_side(type, e->rows), *x = vector_of(type, e->rows, 0);
    rw_krylov_result r;
    rw_krylov *k;
    OK(rw_krylov_create(rw_sparse_operator(m), type,
                        &(rw_krylov_spec){.method = RW_KRYLOV_GMRES,
                                          .rtol = 1e-300,
                                          .iterations = iterations,
                                          .restart = iterations,
                                          .monitor = keep,
                                          .user = history},
                        &k));
    assert_int_equal(rw_krylov_solve(k, b, x, &r), RW_ERR_NOT_CONVERGED);
    assert_int_equal(r.iterations, iterations);
    rw_krylov_destroy(&k), rw_sparse_destroy(&m);
    rw_array_destroy(&b), rw_array_destroy(&x);
}

static void test_histories(void **state)
{
    double wanted[MOST_ITERATIONS + 1], got[MOST_ITERATIONS + 1];
    /* compiling takes long elsewhere */
    const int every = brief() ? 23 : !test_long() ? 3 : on("cpu") || on("cuda") ? 1 : 11;
    int n = 0;
    (void)state;
    iterations = brief() ? 40 : 100;
    entries e = flow(0.12);
    rw_device *own = dev;
    rw_queue *own_queue = queue;
    OK(rw_device_open(ctx, "cpu", &dev));
    queue = rw_device_queue(dev);
    residuals("csr", RW_C128, RW_C128, &e, wanted);
    rw_device_close(&dev);
    dev = own, queue = own_queue;
    if (!(wanted[iterations] > 0.01 * wanted[0] && wanted[iterations] < 0.9 * wanted[0]))
        fail_msg("from %g to %g: too easy or too hard to tell anything", wanted[0], wanted[iterations]);
    for (int blocks = 0; blocks < 2; ++blocks)
        for (int i = 0; (blocks ? block_layouts : scalar_layouts)[i]; ++i)
            for (int single = 0; single < 2; ++single) {
                char layout[40];
                if (n++ % every) continue;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
                snprintf(layout, sizeof layout, (blocks ? block_layouts : scalar_layouts)[i], 5, 5);
#pragma GCC diagnostic pop
                const rw_dtype type = single ? RW_C64 : RW_C128;
                residuals(layout, type, type, &e, got);
                for (int k = 0; k <= iterations; ++k)
                    if (!(fabs(got[k] - wanted[k]) <= (single ? 1e-4 : 1e-10) * wanted[k]))
                        fail_msg("%s: %s of %s, iteration %d: |r| = %.12g, %.12g in csr on cpu",
                                 rw_device_info(dev)->name, layout, rw_dtype_name(type), k, got[k], wanted[k]);
            }
    free_entries(&e);
}

/* Iterations to 1e-8, and the solution. */
static int64_t solve(const entries *e, const char *layout, int restart, const char *precond, rw_array **x)
{
    rw_sparse *m = matrix_of(layout, RW_C128, e);
    rw_array *b = right_side(RW_C128, e->rows);
    rw_krylov_spec spec = {.method = RW_KRYLOV_GMRES, .rtol = 1e-8, .restart = restart};
    rw_krylov_result r;
    rw_krylov *k;
    *x = vector_of(RW_C128, e->rows, 0);
    OK(rw_precond_parse(ctx, precond, &spec.precond));
    OK(rw_krylov_create(rw_sparse_operator(m), RW_C128, &spec, &k));
    if (rw_krylov_solve(k, b, *x, &r) != RW_OK) fail_msg("%s, restart %d: %s", precond, restart, rw_message(ctx));
    assert_true(true_residual(e, RW_C128, b, *x) <= 1.01e-8);
    rw_krylov_destroy(&k), rw_sparse_destroy(&m), rw_array_destroy(&b);
    return r.iterations;
}

static void test_restarts(void **state)
{
    static const int restarts[] = {10, 20, 50};
    (void)state;
    entries e = flow(on("check") ? 0.25 : 0.15);
    for (int i = 0; i < (on("check") || brief() ? 1 : RW_COUNT(restarts)); ++i) {
        const rw_krylov_spec spec = {.method = RW_KRYLOV_GMRES, .restart = restarts[i]},
                             one = {.method = RW_KRYLOV_GMRES, .restart = 1};
        rw_array *x;
        const int64_t n = solve(&e, "bsell:5", restarts[i], "none", &x);
        if (n <= restarts[i]) fail_msg("%lld iterations: no restart of %d", (long long)n, restarts[i]);
        rw_array_destroy(&x);
        /* the basis is restart + 1 vectors; the rest is the small system, of which there are few sizes */
        const int64_t more = rw_krylov_memory(&spec, e.rows, RW_C128) - rw_krylov_memory(&one, e.rows, RW_C128) -
                             (restarts[i] - 1) * rw_basis_pitch(e.rows) * 16;
        const int64_t room[] = {31, restarts[i] > 31 ? 127 : 31}; /* columns that the small system has room for */
        int64_t small[2];
        for (int r = 0; r < 2; ++r) small[r] = 2 * room[r] * (room[r] + 1) + 2 * room[r] + 4 * (room[r] + 1);
        if (more != 16 * (small[1] - small[0]))
            fail_msg("restart %d: %lld bytes beside the basis", restarts[i], (long long)more);
    }
    free_entries(&e);
}

static void test_preconditioners(void **state)
{
    static const char *const all[] =
        {"jacobi", "ssor", "ilu0", "milu", "ilu1", "ilut:drop=1e-2", "ilu0:order=natural", "ilu0:scaled"};
    const int every = on("cpu") || on("cuda") ? 1 : 4;
    (void)state;
    entries e = flow(0.2);
    rw_array *x, *y;
    const int64_t none = solve(&e, "bcsr:5", 30, "none", &x);
    for (int i = 0; i < RW_COUNT(all); i += every) {
        const void *px, *py;
        const int64_t n = solve(&e, "bcsr:5", 30, all[i], &y);
        if (!(n < none)) fail_msg("%s: %lld iterations, %lld without", all[i], (long long)n, (long long)none);
        OK(rw_array_read(x, &px));
        OK(rw_array_read(y, &py));
        double most = 0, off = 0;
        for (int64_t k = 0; k < 2 * e.rows; ++k)
            most = fmax(most, fabs(((const double *)px)[k])),
            off = fmax(off, fabs(((const double *)px)[k] - ((const double *)py)[k]));
        if (!(off <= 1e-5 * most)) fail_msg("%s: the solution differs by %g of %g", all[i], off, most);
        rw_array_destroy(&y);
    }
    rw_array_destroy(&x);
    free_entries(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_histories), cmocka_unit_test(test_restarts),
                                       cmocka_unit_test(test_preconditioners)};
    return run_on_devices("study", tests, RW_COUNT(tests));
}
