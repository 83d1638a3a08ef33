/* Solvers on every device: real and complex systems whose solution is known, all methods, types, formats, with and
 * without Jacobi; small dense systems in at most n iterations; restarts; nothing copied between host and device within
 * iterations. */
/* TEST: tiled */
#include <pthread.h>

#include "../values.h"
#include "krylov/basis.h"
#include "systems.h"

static rw_krylov_result solve(const char *what, const entries *e, const char *layout, rw_dtype values, rw_dtype type,
                              rw_krylov_spec spec)
{
    rw_sparse *m = matrix_of(layout, values, e);
    rw_array *b = vector_of(type, e->rows, 7), *x = vector_of(type, e->rows, 8);
    rw_krylov *solver;
    rw_krylov_result result;
    OK(rw_krylov_create(rw_sparse_operator(m), type, &spec, &solver));
    if (rw_krylov_solve(solver, b, x, &result) != RW_OK) fail_msg("%s: %s", what, rw_message(ctx));
    const double r = true_residual(e, type, b, x), single = type == RW_F32 || type == RW_C64 ? 2e-6 : 1e-14;
    /* then the entries in double precision are another system */
    const bool stored = values == RW_F32 || values == RW_C64;
    if (!(r <= 1.5 * spec.rtol + single + (stored ? 1e-5 : 0)))
        fail_msg("%s: residual %g, asked %g", what, r, spec.rtol);
    if (!stored && !(fabs(result.residual / result.right_side - r) <= 1e-3 * r + single))
        fail_msg("%s: the residual is told as %g, and is %g", what, result.residual / result.right_side, r);
    assert_true(result.iterations > 0 && result.first > result.residual && result.seconds > 0);
    rw_krylov_destroy(&solver);
    rw_array *again = vector_of(type, e->rows, 8);
    rw_krylov_result repeated;
    spec.monitor = NULL;
    OK(rw_krylov_create(rw_sparse_operator(m), type, &spec, &solver));
    OK(rw_krylov_solve(solver, b, again, &repeated));
    same_bits(what, x, again);
    assert_int_equal(repeated.iterations, result.iterations);
    rw_array_destroy(&again);
    rw_krylov_destroy(&solver);
    rw_sparse_destroy(&m);
    rw_array_destroy(&b), rw_array_destroy(&x);
    return result;
}

static void test_systems(void **state)
{
    static const struct {
        const char *layout;
        rw_dtype values, vectors;
        int block;
        double rtol;
    } kinds[] = {
        {"csr", RW_F64, RW_F64, 1, 1e-11},       {"bcsr:5", RW_F64, RW_F64, 5, 1e-11},
        {"bsell:5", RW_C128, RW_C128, 5, 1e-11}, {"sell", RW_F32, RW_F32, 1, 1e-5},
        {"bsell:3", RW_C64, RW_C64, 3, 1e-5},    {"bcsr:4", RW_F32, RW_F64, 4, 1e-10},
        {"coo", RW_F64, RW_C128, 2, 1e-11},      {"dia", RW_F64, RW_F64, 1, 1e-11},
    };
    const bool fast = !strcmp(rw_device_info(dev)->kind, "cpu") || !strcmp(rw_device_info(dev)->kind, "cuda");
    (void)state;
    for (int i = 0; i < (fast ? RW_COUNT(kinds) : 3); i += fast ? 1 : 2)
        for (int number = RW_KRYLOV_CG; number <= RW_KRYLOV_METHODS; ++number)
            for (int jacobi = 0; jacobi < 2; ++jacobi) {
                char what[120];
                if (!fast && (number + i / 2) % 2 != jacobi) continue; /* compiling takes long there */
                /* of the other types and formats some methods each */
                if (!test_long() && i > 1 && (number + i) % 3) continue;
                /* idr: below; cg with complex numbers: test_precond */
                if (on("opencl") && i && number != RW_KRYLOV_BICGSTAB && number != RW_KRYLOV_GMRES) continue;
                /* the last time by modified Gram-Schmidt */
                const int method = number == RW_KRYLOV_METHODS ? RW_KRYLOV_GMRES : number;
                entries e = system_of((uint64_t)(i + 1), fast ? 21 : 7, kinds[i].block,
                                      rw_dtype_is_complex(kinds[i].values), method == RW_KRYLOV_CG);
                snprintf(what, sizeof what, "%s: %s, %s, %s, jacobi %d", rw_device_info(dev)->name,
                         rw_krylov_method_name((rw_krylov_method)method), kinds[i].layout,
                         rw_dtype_name(kinds[i].values), jacobi);
                solve(what, &e, kinds[i].layout, kinds[i].values, kinds[i].vectors,
                      (rw_krylov_spec){.method = (rw_krylov_method)method,
                                       .rtol = kinds[i].rtol,
                                       .precond = {.method = jacobi ? RW_PRECOND_JACOBI : RW_PRECOND_NONE},
                                       .restart = method == RW_KRYLOV_IDR ? fast ? 1 + 3 * (i % 3) : 4 : 20,
                                       .orthogonal =
                                           number == RW_KRYLOV_METHODS ? RW_KRYLOV_MODIFIED : RW_KRYLOV_CLASSICAL});
                free_entries(&e);
            }
}

/* So many unknowns that sums of groups are added up by launches of their own (combine, gm_totals): tridiagonal,
 * complex. */
static void test_large(void **state)
{
    static const struct {
        rw_krylov_method method;
        const char *layout;
    } kinds[] = {{RW_KRYLOV_CG, "sell"},   {RW_KRYLOV_FGMRES, "sell"},   {RW_KRYLOV_GMRES, "sell"},
                 {RW_KRYLOV_GMRES, "csr"}, {RW_KRYLOV_BICGSTAB, "sell"}, {RW_KRYLOV_IDR, "sell"}};
    if (on("check") || (on("opencl") && !rw_device_info(dev)->gpu)) skip();
    const int64_t n = 450000;
    int64_t iterations = 0;
    bool combined = false, totals = false;
    (void)state;
    for (int i = 0; i < RW_COUNT(kinds); ++i) {
        if (!test_long() && i != 0 && i != 2) continue;
        entries e = {.rows = n,
                     .columns = n,
                     .is_complex = true,
                     .row = malloc((size_t)n * 24),
                     .column = malloc((size_t)n * 24),
                     .value = malloc((size_t)n * 48)};
        const double im = kinds[i].method == RW_KRYLOV_CG ? 0 : 0.7;
        for (int64_t r = 0; r < n; ++r) /* hermitian but for the diagonal's imaginary part */
            for (int64_t c = RW_MAX(r - 1, 0); c <= RW_MIN(r + 1, n - 1); ++c) {
                e.row[e.n] = r, e.column[e.n] = c;
                e.value[2 * e.n] = r == c ? 3 + (double)(r % 5) / 4 : -1,
                            e.value[2 * e.n + 1] = r == c ? im : 0.5 * (double)(c - r), ++e.n;
            }
        rw_sparse *m = matrix_of(kinds[i].layout, RW_C128, &e);
        rw_array *b = vector_of(RW_C128, n, 7), *x = vector_of(RW_C128, n, 8);
        rw_krylov_result result;
        rw_krylov *k;
        OK(rw_krylov_create(rw_sparse_operator(m), RW_C128,
                            &(rw_krylov_spec){.method = kinds[i].method,
                                              .rtol = 1e-10,
                                              .restart = kinds[i].method == RW_KRYLOV_IDR ? 4 : 40,
                                              .iterations = 100},
                            &k));
        if (rw_krylov_solve(k, b, x, &result) != RW_OK)
            fail_msg("%s: %s", rw_krylov_method_name(kinds[i].method), rw_message(ctx));
        const double r = true_residual(&e, RW_C128, b, x);
        if (!(r <= 1.01e-10)) fail_msg("%s: residual %g", rw_krylov_method_name(kinds[i].method), r);
        if (kinds[i].method == RW_KRYLOV_FGMRES) iterations = result.iterations;
        if (kinds[i].method == RW_KRYLOV_GMRES && iterations) /* one and the same in exact arithmetic */
            if (llabs(result.iterations - iterations) > 1)
                fail_msg("%s, %s: %d iterations, not %d", rw_krylov_method_name(kinds[i].method), kinds[i].layout,
                         (int)result.iterations, (int)iterations);
        combined = combined || k->product.few || k->update.few,
        totals = totals || (kinds[i].method == RW_KRYLOV_GMRES && rw_basis_of(k)->totals);
        rw_krylov_destroy(&k), rw_sparse_destroy(&m);
        rw_array_destroy(&b), rw_array_destroy(&x);
        free_entries(&e);
    }
    assert_true(combined && totals);
}

/* Values of 16 bits in the matrix itself: its stored entries are a system like any other, at every place of a basis. */
static void test_scaled(void **state)
{
    static const char *const layouts[] = {"csr", "bcsr:5x5", "bsell:5x5"};
    (void)state;
    for (int i = 0; i < (on("cpu") || on("cuda") ? RW_COUNT(layouts) : 1); ++i)
        for (int method = RW_KRYLOV_GMRES; method <= RW_KRYLOV_IDR; ++method) {
            if (on("opencl") && method != RW_KRYLOV_GMRES) continue;
            entries whole = system_of(17, 7, 5, false, false), e = {.rows = whole.rows, .columns = whole.columns};
            char text[40];
            rw_sparse_layout l;
            rw_sparse *m;
            snprintf(text, sizeof text, "%s:f32:scaled", layouts[i]);
            OK(rw_sparse_layout_parse(ctx, text, &l));
            OK(rw_sparse_from_entries(dev, &l, &whole, &m));
            OK(rw_sparse_entries(m, &e.n, &e.row, &e.column, &e.value));
            rw_array *b = vector_of(RW_F64, e.rows, 7), *x = vector_of(RW_F64, e.rows, 8);
            rw_krylov_result result;
            rw_krylov *k;
            OK(rw_krylov_create(rw_sparse_operator(m), RW_F64,
                                &(rw_krylov_spec){.method = (rw_krylov_method)method,
                                                  .rtol = 1e-10,
                                                  .restart = method == RW_KRYLOV_IDR ? 4 : 9},
                                &k));
            if (rw_krylov_solve(k, b, x, &result) != RW_OK)
                fail_msg("%s, %s: %s", text, rw_krylov_method_name((rw_krylov_method)method), rw_message(ctx));
            const double r = true_residual(&e, RW_F64, b, x);
            if (!(r <= 1.01e-10))
                fail_msg("%s, %s: residual %g", text, rw_krylov_method_name((rw_krylov_method)method), r);
            rw_krylov_destroy(&k), rw_sparse_destroy(&m);
            rw_sparse_free_entries(&e.row, &e.column, &e.value);
            rw_array_destroy(&b), rw_array_destroy(&x);
            free_entries(&whole);
        }
}

/* A full matrix of n rows needs at most n iterations (A24), the unit matrix one; a right guess none; b = 0 gives 0. */
static void test_small(void **state)
{
    /* every access costs on the one, every program on the other: bases of up to 31 vectors are one */
    const bool check = on("check"), few = check || on("opencl");
    (void)state;
    for (int n = 1; n <= (brief() ? 15 : few ? 29 : 50); n += 7)
        for (int z = 0; z < 2; ++z) {
            if (check && n > 1 && n % 2 != z) continue;
            entries e =
                {n, n, 0, z, malloc((size_t)(n * n) * 8), malloc((size_t)(n * n) * 8), malloc((size_t)(n * n) * 16)};
            for (int i = 0; i < n * n; ++i, ++e.n) {
                e.row[e.n] = i / n, e.column[e.n] = i % n,
                e.value[(1 + z) * e.n] = rw_random_uniform(77, (uint64_t)i) - 0.5 + (i / n == i % n);
                if (z) e.value[2 * e.n + 1] = rw_random_uniform(78, (uint64_t)i) - 0.5;
            }
            rw_krylov_result r =
                solve("full matrix", &e, "csr", z ? RW_C128 : RW_F64, z ? RW_C128 : RW_F64,
                      (rw_krylov_spec){.method = RW_KRYLOV_GMRES, .rtol = 1e-12, .restart = few ? 30 : 50});
            assert_true(r.iterations <= n);
            r = solve("full matrix", &e, "csr", z ? RW_C128 : RW_F64, z ? RW_C128 : RW_F64,
                      (rw_krylov_spec){.method = RW_KRYLOV_IDR, .rtol = 1e-9});
            if (r.iterations > n + n / 2 + 4) fail_msg("IDR(4): %d iterations for %d unknowns", (int)r.iterations, n);
            free_entries(&e);
        }
    entries unit = {40, 40, 40, false, malloc(40 * 8), malloc(40 * 8), malloc(40 * 8)};
    for (int i = 0; i < 40; ++i) unit.row[i] = unit.column[i] = i, unit.value[i] = 2;
    for (int method = RW_KRYLOV_CG; method < RW_KRYLOV_METHODS; ++method) {
        rw_krylov_result r = solve("unit matrix", &unit, "csr", RW_F64, RW_F64,
                                   (rw_krylov_spec){.method = (rw_krylov_method)method, .rtol = 1e-12});
        assert_int_equal(r.iterations, 1);
        rw_sparse *m = matrix_of("csr", RW_F64, &unit);
        rw_array *x = vector_of(RW_F64, 40, 3), *b = vector_of(RW_F64, 40, 0);
        const void *p;
        rw_krylov *k;
        OK(rw_krylov_create(rw_sparse_operator(m), RW_F64, &(rw_krylov_spec){.method = (rw_krylov_method)method}, &k));
        OK(rw_krylov_solve(k, b, x, &r));
        OK(rw_array_read(x, &p));
        for (int i = 0; i < 40; ++i) assert_true(((const double *)p)[i] == 0);
        OK(rw_sparse_multiply(m, RW_OP_NONE, NULL, x, NULL, b, queue));
        OK(rw_krylov_solve(k, b, x, &r));
        assert_int_equal(r.iterations, 0);
        rw_krylov_destroy(&k), rw_sparse_destroy(&m), rw_array_destroy(&x), rw_array_destroy(&b);
    }
    free_entries(&unit);
}

/* The basis of GMRES is orthogonal to rounding, and A V = V H holds column by column, also where the first
 * orthogonalisation leaves little of a vector: with `nearly`, A v_2 lies in the space of those before but for half a
 * millionth. */
static void arnoldi(bool nearly)
{
    enum { N = 60, M = 24, ROWS = 32, FIRST = 3 };
    entries e = {N, N, 0, false, malloc(N * N * 8), malloc(N * N * 8), malloc(N * N * 8)};
    for (int i = 0; i < N * N; ++i, ++e.n) {
        e.row[e.n] = i / N, e.column[e.n] = i % N;
        const double any = rw_random_uniform(5, (uint64_t)i) - 0.5 + (i / N == i % N),
                     part = i / N >= FIRST && i % N < FIRST   ? 1e-9
                            : i / N < FIRST && i % N >= FIRST ? 0
                                                              : 1;
        e.value[e.n] = nearly ? part * any : 1000 / (1.0 + i / N + i % N) + (i / N == i % N) * (1 + 0.02 * (i / N));
    }
    rw_sparse *m = matrix_of("csr", RW_F64, &e);
    rw_array *b = vector_of(RW_F64, N, 7), *x = vector_of(RW_F64, N, 0);
    rw_krylov *k;
    rw_krylov_result r;
    const void *data;
    void *right;
    OK(rw_array_update(b, &right));
    for (int i = nearly ? FIRST : N; i < N; ++i) ((double *)right)[i] = 0;
    OK(rw_krylov_create(rw_sparse_operator(m), RW_F64,
                        &(rw_krylov_spec){.method = RW_KRYLOV_GMRES, .restart = M, .iterations = M, .rtol = 1e-300},
                        &k));
    FAILS(RW_ERR_NOT_CONVERGED, "iterations", rw_krylov_solve(k, b, x, &r));
    double *v = malloc(M * N * sizeof *v), length = 0;
    OK(rw_array_read(rw_basis_of(k)->vectors, &data));
    for (int j = 1; j < M; ++j) memcpy(v + j * N, (const double *)data + j * rw_basis_of(k)->pitch, N * sizeof *v);
    OK(rw_array_read(b, &data)); /* the first vector has become the residual */
    for (int i = 0; i < N; ++i) v[i] = ((const double *)data)[i], length += v[i] * v[i];
    for (int i = 0; i < N; ++i) v[i] /= sqrt(length);
    OK(rw_array_read(rw_basis_of(k)->small, &data));
    for (int i = 0; i < M; ++i)
        for (int j = 0; j <= i; ++j) {
            double dot = 0;
            for (int t = 0; t < N; ++t) dot += v[i * N + t] * v[j * N + t];
            if (!(fabs(dot - (i == j)) < 1e-13)) fail_msg("vectors %d and %d: %g", i, j, dot);
        }
    for (int j = 0; j + 1 < M; ++j) {
        double left[N] = {0}, most = 0;
        for (int64_t t = 0; t < e.n; ++t) left[e.row[t]] += e.value[t] * v[j * N + e.column[t]];
        for (int i = 0; i <= j + 1; ++i)
            for (int t = 0; t < N; ++t) left[t] -= ((const double *)data)[j * ROWS + i] * v[i * N + t];
        for (int t = 0; t < N; ++t) most = fmax(most, fabs(left[t]));
        if (!(most < 1e-12)) fail_msg("column %d: A v differs from V h by %g", j, most);
    }
    free(v);
    rw_krylov_destroy(&k), rw_sparse_destroy(&m), rw_array_destroy(&b), rw_array_destroy(&x);
    free_entries(&e);
}

static void test_arnoldi(void **state)
{
    (void)state;
    arnoldi(false), arnoldi(true);
}

/* No vector travels: a solve copies the state and the sums of the residual at the end, whatever its iterations
 * (A41). */
static void test_nothing_travels(void **state)
{
    (void)state;
    entries e = system_of(9, on("check") ? 20 : 40, 1, false, true);
    for (int method = RW_KRYLOV_CG; method < RW_KRYLOV_METHODS; ++method) {
        rw_sparse *m = matrix_of("csr", RW_F64, &e);
        rw_array *b = vector_of(RW_F64, e.rows, 7), *x = vector_of(RW_F64, e.rows, 0),
                 *first = vector_of(RW_F64, e.rows, 0);
        rw_krylov *k;
        rw_krylov_result r;
        OK(rw_krylov_create(rw_sparse_operator(m), RW_F64,
                            &(rw_krylov_spec){.method = (rw_krylov_method)method, .rtol = 1e-10}, &k));
        OK(rw_krylov_solve(k, b, x, &r)); /* brings matrix and vectors */
        OK(rw_array_copy(first, x, queue));
        OK(rw_array_zero(x, queue));
        const rw_counters before = counters_of(dev);
        OK(rw_krylov_solve(k, b, x, &r));
        const rw_counters after = counters_of(dev);
        assert_int_equal(after.bytes_in, before.bytes_in);
        assert_true(after.bytes_out - before.bytes_out <= (r.iterations + 4) * 128 + 64 * 24);
        assert_true(after.launches > before.launches);
        same_bits("from recorded steps", first, x);
        rw_krylov_destroy(&k), rw_sparse_destroy(&m), rw_array_destroy(&b), rw_array_destroy(&x),
            rw_array_destroy(&first);
    }
    free_entries(&e);
}

static rw_status count_residuals(void *user, int64_t iteration, double residual)
{
    double *last = user;
    if ((double)iteration != last[0] || !(residual > 0))
        fail_msg("iteration %lld reported after %g, residual %g", (long long)iteration - 1, last[0] - 1, residual);
    last[0] = (double)iteration + 1, last[1] = residual;
    return RW_OK;
}

static void test_monitor(void **state)
{
    (void)state;
    entries e = system_of(9, 20, 1, false, true);
    for (int method = RW_KRYLOV_CG; method < RW_KRYLOV_METHODS; ++method) {
        double last[2] = {0, 0};
        rw_krylov_result r = solve("monitored", &e, "csr", RW_F64, RW_F64,
                                   (rw_krylov_spec){.method = (rw_krylov_method)method,
                                                    .rtol = 1e-9,
                                                    .restart = method == RW_KRYLOV_IDR ? 4 : 7,
                                                    .monitor = count_residuals,
                                                    .user = last});
        assert_true(last[0] == (double)r.iterations + 1);
        assert_true(fabs(last[1] - r.residual) <= 1e-3 * r.residual);
    }
    free_entries(&e);
}

/* Threads with a device each, in one context: the same bits as alone. */
typedef struct job {
    pthread_t thread;
    int number;
    rw_status status;
    double x[48 * 48];
} job;

static void *solve_there(void *user)
{
    job *j = user;
    rw_device *own = NULL;
    rw_sparse *m = NULL;
    rw_array *b = NULL, *x = NULL;
    rw_krylov *k = NULL;
    rw_krylov_result r;
    rw_sparse_layout l = {0};
    void *data;
    const void *read;
    entries e = system_of(9, 48, 1, false, false); /* draws no numbers of a shared generator */
    rw_status status = rw_device_open(ctx, rw_device_info(dev)->name, &own);
    if (status == RW_OK) status = rw_sparse_layout_parse(ctx, j->number % 2 ? "sell" : "csr", &l);
    if (status == RW_OK) status = rw_sparse_from_entries(own, &l, &e, &m);
    if (status == RW_OK) status = rw_array_create(own, RW_F64, 1, &e.rows, RW_MEMORY_DEVICE, &b);
    if (status == RW_OK) status = rw_array_create(own, RW_F64, 1, &e.rows, RW_MEMORY_DEVICE, &x);
    if (status == RW_OK) status = rw_array_write(b, &data);
    for (int64_t i = 0; status == RW_OK && i < e.rows; ++i) ((double *)data)[i] = (double)(i % 13) - 6;
    if (status == RW_OK) status = rw_array_zero(x, rw_device_queue(own));
    if (status == RW_OK)
        status = rw_krylov_create(rw_sparse_operator(m), RW_F64,
                                  &(rw_krylov_spec){.method = j->number % 4 < 2 ? RW_KRYLOV_GMRES : RW_KRYLOV_BICGSTAB,
                                                    .rtol = 1e-10,
                                                    .precond = {.method = RW_PRECOND_ILU}},
                                  &k);
    for (int i = 0; i < 3 && status == RW_OK; ++i) {
        status = rw_array_zero(x, rw_device_queue(own));
        if (status == RW_OK) status = rw_krylov_solve(k, b, x, &r);
    }
    if (status == RW_OK) status = rw_array_read(x, &read);
    if (status == RW_OK) memcpy(j->x, read, sizeof j->x);
    rw_krylov_destroy(&k), rw_sparse_destroy(&m), rw_array_destroy(&b), rw_array_destroy(&x), rw_device_close(&own);
    free_entries(&e);
    j->status = status;
    return NULL;
}

static void test_threads(void **state)
{
    enum { THREADS = 8 };
    (void)state;
    if (on("check")) skip(); /* one thread's matter */
    job *jobs = calloc(THREADS + 4, sizeof *jobs);
    for (int i = 0; i < THREADS; ++i) {
        jobs[i].number = i;
        assert_int_equal(pthread_create(&jobs[i].thread, NULL, solve_there, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) pthread_join(jobs[i].thread, NULL);
    for (int i = 0; i < THREADS; ++i) {
        job *alone = jobs + THREADS + i % 4;
        alone->number = i;
        if (i < 4) solve_there(alone);
        assert_int_equal(alone->status, RW_OK);
        assert_int_equal(jobs[i].status, RW_OK);
        if (memcmp(alone->x, jobs[i].x, sizeof alone->x)) fail_msg("thread %d: another x than alone", i);
    }
    free(jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_systems), cmocka_unit_test(test_large),
                                       cmocka_unit_test(test_scaled),  cmocka_unit_test(test_small),
                                       cmocka_unit_test(test_arnoldi), cmocka_unit_test(test_nothing_travels),
                                       cmocka_unit_test(test_monitor), cmocka_unit_test(test_threads)};
    return run_on_devices("krylov", tests, RW_COUNT(tests));
}
