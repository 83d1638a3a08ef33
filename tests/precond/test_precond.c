/* Preconditioners on every device: factors against dense ones in long double, in the same pattern and order; row sums
 * of the modified factors; complete factors as exact solutions; Chebyshev polynomials on vectors whose eigenvalues are
 * known; multigrid: hermitian, and as fast on finer grids; what they gain in solvers; what is refused. */
/* TEST: tiled */
#include "../values.h"
#include "systems.h"

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static const factor_case factor_cases[] = {
    {"ilu0:order=natural", 0, false, false, 0},
    {"ilu:level=1", 1, false, false, 0},
    {"ilu2", 2, false, false, 0},
    {"milu", 0, true, false, 0},
    {"milu:level=1:order=colours", 1, true, true, 0},
    {"ilu0:order=colours", 0, false, true, 0},
    {"ilut:drop=1e-30:fill=1000", 1000, false, false, 0},
    {"ssor", 0, false, true, 1},
    {"ssor:omega=1.3:order=natural", 0, false, false, 1.3},
    {"ssor:omega=0.7", 0, false, true, 0.7},
    {"ilu1:sweeps=60", 1, false, false, 0},
    {"ilu0:sweeps=61:order=colours", 0, false, true, 0},
    {"ilu:f32:order=natural", 0, false, false, 0},
    {"ilu:scaled:order=natural", 0, false, false, 0},
};

static void test_factors(void **state)
{
    static const struct {
        const char *layout;
        rw_dtype values, vectors;
        int r, n;
    } kinds[] = {
        {"csr", RW_F64, RW_F64, 1, 57},    {"bcsr:5", RW_F64, RW_F64, 5, 21}, {"bsell:3", RW_C128, RW_C128, 3, 33},
        {"bell:2", RW_F32, RW_F64, 2, 40}, {"dia", RW_F64, RW_C128, 1, 30},   {"bcsr:4:columns", RW_C64, RW_C64, 4, 18},
        {"coo", RW_F32, RW_F32, 1, 64},    {"csr", RW_F64, RW_F64, 1, 1},     {"bsell:7", RW_F64, RW_F64, 7, 13},
    };
    const bool fast = !strcmp(rw_device_info(dev)->kind, "cpu") || !strcmp(rw_device_info(dev)->kind, "cuda");
    (void)state;
    for (int i = 0; i < RW_COUNT(kinds); ++i) {
        entries e = system_of((uint64_t)(100 + i), kinds[i].n, kinds[i].r, rw_dtype_is_complex(kinds[i].values));
        dense d = dense_of(&e, kinds[i].r);
        rw_sparse *m = matrix_of(kinds[i].layout, kinds[i].values, &e);
        rw_array *r = vector_of(kinds[i].vectors, e.rows, 5), *z = vector_of(kinds[i].vectors, e.rows, 0);
        for (int c = 0; c < RW_COUNT(factor_cases); ++c) {
            if (!fast && (c + i) % (on("opencl") ? 14 : 7)) continue; /* a program takes a second or more there */
            if (!test_long() && (c + i) % (fast ? 5 : 14)) continue;
            number *want = numbers(kinds[i].vectors, r);
            reference(&factor_cases[c], &d, want);
            apply(factor_cases[c].text, m, kinds[i].vectors, r, z);
            const bool single =
                strstr(factor_cases[c].text, "f32") || kinds[i].vectors == RW_F32 || kinds[i].vectors == RW_C64;
            const double off = difference(kinds[i].vectors, z, want), allowed = strstr(factor_cases[c].text, "scaled")
                                                                                    ? 1e-3
                                                                                : single                    ? 3e-5
                                                                                : kinds[i].values == RW_F32 ? 3e-5
                                                                                                            : 1e-12;
            if (!(off <= allowed))
                fail_msg("%s: %s, %s of %s: differs by %g, allowed %g", rw_device_info(dev)->name, factor_cases[c].text,
                         kinds[i].layout, rw_dtype_name(kinds[i].values), off, allowed);
            free(want);
        }
        rw_sparse_destroy(&m), rw_array_destroy(&r), rw_array_destroy(&z);
        free_entries(&e), free_dense(&d);
    }
}

/* What belongs to the pattern though it looks empty: a diagonal block of zeros, where elimination puts numbers; blocks
 * without a real part. */
static void test_empty_blocks(void **state)
{
    static const char *const layouts[] = {"csr", "sell", "bcsr:2", "bsell:2", "dia"};
    static const factor_case exact = {"ilu0:order=natural", 0, false, false, 0};
    (void)state;
    for (int i = 0; i < (on("opencl") ? 1 : 2 * RW_COUNT(layouts)); ++i) {
        const char *layout = layouts[i % RW_COUNT(layouts)];
        const bool imaginary = i >= RW_COUNT(layouts);
        const int size = strchr(layout, ':') ? 2 : 1;
        const rw_dtype type = imaginary ? RW_C128 : RW_F64;
        entries e = laplacian(14, 1, size, imaginary, 0.3);
        for (int64_t k = 0; k < e.n; ++k) {
            const bool on_diagonal = e.row[k] / size == e.column[k] / size;
            if (!imaginary && on_diagonal && e.row[k] / size % 4 == 3) e.value[k] = 0;
            if (imaginary && !on_diagonal) e.value[2 * k + 1] = e.value[2 * k], e.value[2 * k] = 0;
        }
        dense d = dense_of(&e, size);
        rw_sparse *m = matrix_of(layout, type, &e);
        rw_array *r = vector_of(type, e.rows, 5), *z = vector_of(type, e.rows, 0);
        number *want = numbers(type, r);
        reference(&exact, &d, want);
        apply(exact.text, m, type, r, z);
        if (!(difference(type, z, want) <= 1e-12))
            fail_msg("%s, imaginary %d: differs by %g", layout, imaginary, difference(type, z, want));
        free(want);
        rw_sparse_destroy(&m), rw_array_destroy(&r), rw_array_destroy(&z);
        free_entries(&e), free_dense(&d);
    }
}

/* What is said beforehand, beside what is taken: nothing is said that is not needed, and little more is needed where
 * all is known. */
static void test_memory(void **state)
{
    static const struct {
        const char *text;
        bool known;
    } kinds[] = {{"jacobi", true},        {"ssor", true},      {"ilu0", true},        {"milu:f32", true},
                 {"ilu0:sweeps=2", true}, {"chebyshev", true}, {"ilu0:scaled", true}, {"ilu2", false},
                 {"ilut", false},         {"amg", false}};
    static const char *const layouts[] = {"csr", "bcsr:3"};
    (void)state;
    assert_int_equal(rw_precond_memory(&(rw_precond_spec){0}, &(rw_sparse_layout){0}, &(rw_sparse_size){.rows = 100},
                                       RW_F64, NULL),
                     0);
    for (int i = 0; i < (on("cpu") ? RW_COUNT(kinds) : 0); ++i)
        for (int blocks = 0; blocks < 2; ++blocks)
            for (int is_complex = 0; is_complex < 2; ++is_complex) {
                if (!in_turn(i + blocks + is_complex, 0)) continue;
                const rw_dtype type = is_complex ? RW_C128 : RW_F64;
                entries e = laplacian(40, 2, blocks ? 3 : 1, is_complex, 0);
                rw_sparse *m = matrix_of(layouts[blocks], type, &e);
                rw_precond_spec spec;
                rw_precond *p;
                bool all;
                const rw_sparse_size size = matrix_size_of(m);
                const rw_sparse_layout *l = rw_sparse_get_layout(m);
                OK(rw_precond_parse(ctx, kinds[i].text, &spec));
                const int64_t before = counters().bytes_allocated,
                              said = rw_precond_memory(&spec, l, &size, type, &all);
                OK(rw_precond_create(rw_sparse_operator(m), type, &spec, &p));
                const int64_t taken = counters().bytes_allocated - before;
                if (all != kinds[i].known || said > taken || said < 1000 || (kinds[i].known && taken > 2 * said))
                    fail_msg("%s, %s: said %lld, took %lld bytes", kinds[i].text, layouts[blocks], (long long)said,
                             (long long)taken);
                rw_precond_destroy(&p), rw_sparse_destroy(&m);
                free_entries(&e);
            }
}

/* A27: (L U) 1 = A 1, so M A 1 = 1. */
static void test_row_sums(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        static const char *const texts[] = {"milu", "milu1", "milu:order=colours", "milu2:order=colours"};
        const int r = k % 2 ? 5 : 1;
        entries e = system_of((uint64_t)(200 + k), 60, r, k > 1);
        rw_sparse *m = matrix_of(r > 1 ? "bcsr:5" : "csr", k > 1 ? RW_C128 : RW_F64, &e);
        const rw_dtype type = k > 1 ? RW_C128 : RW_F64;
        rw_array *one = vector_of(type, e.rows, 0), *a1 = vector_of(type, e.rows, 0), *z = vector_of(type, e.rows, 0);
        void *data;
        OK(rw_array_write(one, &data));
        memset(data, 0, (size_t)e.rows * rw_dtype_size(type));
        for (int64_t i = 0; i < e.rows; ++i) ((double *)data)[i * (1 + (k > 1))] = 1;
        OK(rw_sparse_multiply(m, RW_OP_NONE, NULL, one, NULL, a1, queue));
        apply(texts[k], m, type, a1, z);
        number *want = numbers(type, one);
        assert_true(difference(type, z, want) < 1e-12);
        free(want);
        rw_sparse_destroy(&m), rw_array_destroy(&one), rw_array_destroy(&a1), rw_array_destroy(&z);
        free_entries(&e);
    }
}

/* Dropping keeps less: blocks within what `fill` allows, fewer for larger `drop`. */
static void test_drop(void **state)
{
    (void)state;
    entries e = system_of(300, 80, 2, false);
    rw_sparse *m = matrix_of("bcsr:2", RW_F64, &e);
    rw_array *r = vector_of(RW_F64, e.rows, 5), *z = vector_of(RW_F64, e.rows, 0);
    const int64_t all = matrix_size_of(m).blocks, full = apply("ilut:drop=1e-9:fill=1000", m, RW_F64, r, z).blocks,
                  few = apply("ilut:drop=1e-9:fill=1", m, RW_F64, r, z).blocks,
                  large = apply("ilut:drop=0.2", m, RW_F64, r, z).blocks;
    assert_true(few <= all + 2 * 80 && few < full && large < few);
    assert_int_equal(apply("ilut:drop=0.999", m, RW_F64, r, z).blocks, 80);
    rw_sparse_destroy(&m), rw_array_destroy(&r), rw_array_destroy(&z);
    free_entries(&e);
}

/* Eigenvectors of the line's Laplacian: what is left of one, 1 - lambda p(lambda), is within 1 / T_degree of the
 * interval. */
static void test_chebyshev(void **state)
{
    enum { N = 99 };
    (void)state;
    entries e = laplacian(N, 1, 1, false, 0);
    rw_sparse *m = matrix_of("csr", RW_F64, &e);
    rw_precond_spec spec;
    OK(rw_precond_parse(ctx, "chebyshev:degree=7", &spec));
    rw_precond *p;
    OK(rw_precond_create(rw_sparse_operator(m), RW_F64, &spec, &p));
    const double top = 1 + cos(acos(-1) / (N + 1)), bound = 1 / cosh(7 * acosh(31.0 / 29.0));
    assert_true(((const rw_smoother *)p->method)->most > 0.97 * top &&
                ((const rw_smoother *)p->method)->most < 1.11 * top);
    for (int k = 1; k <= N; k += 7) {
        const double lambda = 1 - cos(k * acos(-1) / (N + 1)); /* of D^-1 A */
        rw_array *r = vector_of(RW_F64, N, 0), *z = vector_of(RW_F64, N, 0);
        void *data;
        const void *read;
        OK(rw_array_write(r, &data));
        /* A times the eigenvector */
        for (int i = 0; i < N; ++i) ((double *)data)[i] = 2 * lambda * sin(k * (i + 1) * acos(-1) / (N + 1));
        OK(rw_precond_apply(p, r, z, queue));
        OK(rw_array_read(z, &read));
        double left = 0;
        for (int i = 0; i < N; ++i)
            left = fmax(left, fabs(((const double *)read)[i] - sin(k * (i + 1) * acos(-1) / (N + 1))));
        if (lambda > ((const rw_smoother *)p->method)->least && !(left <= bound + 1e-12))
            fail_msg("lambda = %g: %g is left, allowed %g", lambda, left, bound);
        if (k == N - 1) assert_true(left > 0); /* it is no exact solution */
        rw_array_destroy(&r), rw_array_destroy(&z);
    }
    rw_precond_destroy(&p), rw_sparse_destroy(&m);
    free_entries(&e);
}

/* Fewer iterations than without, for hermitian systems and for others (A27). */
static void test_gain(void **state)
{
    static const char *const all[] = {"jacobi",
                                      "ssor",
                                      "ilu0",
                                      "ilu1",
                                      "milu",
                                      "ilut:drop=1e-2",
                                      "ilu0:order=colours",
                                      "ilu0:sweeps=3",
                                      "ilu0:iterations=3",
                                      "ilu0:f32",
                                      "ilu0:scaled",
                                      "chebyshev",
                                      "amg",
                                      "amg:f32",
                                      "amg:scaled",
                                      "jacobi:scaled"};
    const bool fast = !strcmp(rw_device_info(dev)->kind, "cpu") || !strcmp(rw_device_info(dev)->kind, "cuda");
    const int n = fast ? 40 : 12;
    (void)state;
    for (int kind = 0; kind < (fast ? 4 : brief() ? 1 : 2); ++kind) {
        const int r = kind % 2 ? 3 : 1;
        const bool general = kind >= 2;
        const rw_dtype type = kind % 2 ? RW_C128 : RW_F64;
        entries e = laplacian(n, 2, r, kind % 2, general ? 0.5 : 0);
        /* rows of very different size: without it there is nothing in it for Jacobi */
        for (int64_t k = 0; k < e.n; ++k)
            for (int p = 0; p <= (kind % 2); ++p)
                e.value[(1 + kind % 2) * k + p] *=
                    (1 + (double)(e.row[k] / r % 5)) * (general ? 1 : 1 + (double)(e.column[k] / r % 5));
        const int64_t none =
            iterations(&e, r > 1 ? "bcsr:3" : "csr", type, general ? RW_KRYLOV_GMRES : RW_KRYLOV_CG, "none");
        for (int i = 0; i < RW_COUNT(all); ++i) {
            if (!fast && (i % 3 || (on("opencl") && i / 3 % 2 != kind))) continue;
            if (fast && !in_turn(i + kind, 0)) continue;
            /* not hermitian, or not positive where rows are scaled so */
            if (!general && (!strncmp(all[i], "ilut", 4) || strstr(all[i], "sweeps") || strstr(all[i], "iterations") ||
                             !strcmp(all[i], "milu")))
                continue;
            const int64_t with =
                iterations(&e, r > 1 ? "bcsr:3" : "csr", type, general ? RW_KRYLOV_GMRES : RW_KRYLOV_CG, all[i]);
            if (!(with < none))
                fail_msg("%s: %lld iterations, without %lld (kind %d)", all[i], (long long)with, (long long)none, kind);
            if (!strcmp(all[i], "ilu1") && general) {
                assert_true(iterations(&e, r > 1 ? "bcsr:3" : "csr", type, RW_KRYLOV_BICGSTAB, all[i]) < none);
                assert_true(iterations(&e, r > 1 ? "bcsr:3" : "csr", type, RW_KRYLOV_FGMRES, all[i]) <= with + 1);
            }
        }
        free_entries(&e);
    }
}

/* Multigrid: as many iterations on finer grids, in two and three dimensions, of blocks and complex; hermitian. */
static void test_multigrid(void **state)
{
    static const struct {
        int dim, r, coarse, fine;
        bool is_complex;
        int64_t most;
    } kinds[] = {{2, 1, 24, 96, false, 16}, {3, 1, 10, 24, false, 16}, {2, 3, 16, 48, true, 16}};
    const bool fast = !strcmp(rw_device_info(dev)->kind, "cpu") || !strcmp(rw_device_info(dev)->kind, "cuda");
    (void)state;
    for (int i = 0; i < (fast ? RW_COUNT(kinds) : 1); ++i) {
        const rw_dtype type = kinds[i].is_complex ? RW_C128 : RW_F64;
        int64_t taken[2];
        for (int fine = 0; fine < (fast ? 2 : 1); ++fine) {
            entries e =
                laplacian(fine ? kinds[i].fine : kinds[i].coarse, kinds[i].dim, kinds[i].r, kinds[i].is_complex, 0);
            taken[fine] = iterations(&e, kinds[i].r > 1 ? "bcsr:3" : "csr", type, RW_KRYLOV_CG, "amg");
            if (taken[fine] > kinds[i].most)
                fail_msg("kind %d: %lld iterations on the %s grid, %lld allowed", i, (long long)taken[fine],
                         fine ? "fine" : "coarse", (long long)kinds[i].most);
            free_entries(&e);
        }
    }
    entries e = laplacian(20, 2, 3, true, 0);
    rw_sparse *m = matrix_of("bcsr:3", RW_C128, &e);
    rw_array *x = vector_of(RW_C128, e.rows, 3), *y = vector_of(RW_C128, e.rows, 4),
             *mx = vector_of(RW_C128, e.rows, 0), *my = vector_of(RW_C128, e.rows, 0);
    const rw_precond_info info = apply("amg", m, RW_C128, x, mx);
    assert_true(info.levels >= 2 && info.blocks > matrix_size_of(m).blocks && info.bytes > 0);
    apply("amg", m, RW_C128, y, my);
    number *a = numbers(RW_C128, x), *b = numbers(RW_C128, y), *ma = numbers(RW_C128, mx), *mb = numbers(RW_C128, my),
           left = 0, right = 0, self = 0;
    for (int64_t i = 0; i < e.rows; ++i)
        left += conjl(b[i]) * ma[i], right += conjl(mb[i]) * a[i], self += conjl(a[i]) * ma[i];
    assert_true(cabsl(left - right) < 1e-10L * cabsl(self) && creall(self) > 0 &&
                fabsl(cimagl(self)) < 1e-10L * creall(self));
    free(a), free(b), free(ma), free(mb);
    rw_sparse_destroy(&m), rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&mx), rw_array_destroy(&my);
    free_entries(&e);
}

/* theta = 0, given as text or as RW_ZERO, makes every coupling strong; the default leaves out those along y. */
static void test_theta_zero(void **state)
{
    const int n = 40;
    (void)state;
    entries e = laplacian(n, 2, 1, false, 0);
    for (int64_t k = 0; k < e.n; ++k)
        if (llabs(e.row[k] - e.column[k]) == n) e.value[k] = -0.01;
    rw_sparse *m = matrix_of("csr", RW_F64, &e);
    rw_array *x = vector_of(RW_F64, e.rows, 3), *y = vector_of(RW_F64, e.rows, 0);
    const int64_t standard = apply("amg", m, RW_F64, x, y).blocks,
                  tiny = apply("amg:theta=1e-200", m, RW_F64, x, y).blocks,
                  zero = apply("amg:theta=0", m, RW_F64, x, y).blocks;
    rw_precond_spec spec = {.method = RW_PRECOND_AMG, .theta = RW_ZERO};
    rw_precond *p;
    rw_precond_info info;
    OK(rw_precond_create(rw_sparse_operator(m), RW_F64, &spec, &p));
    OK(rw_precond_get_info(p, &info));
    assert_true(zero == tiny && zero == info.blocks && zero != standard);
    rw_precond_destroy(&p);
    rw_sparse_destroy(&m), rw_array_destroy(&x), rw_array_destroy(&y);
    free_entries(&e);
}

/* Laplacians of a closed box, singular: a grid that is solved for directly, and one with coarser ones; entries, and
 * blocks with a null space of three vectors. */
static void test_closed_box(void **state)
{
    static const double complex block[2][3][3] = {{{1}}, {{2, 0.5 * I, 0}, {-0.5 * I, 1, 0.25 * I}, {0, -0.25 * I, 1}}};
    static const char *const texts[] = {"amg", "amg:f32", "amg:scaled"};
    const bool fast = !strcmp(rw_device_info(dev)->kind, "cpu") || !strcmp(rw_device_info(dev)->kind, "cuda");
    (void)state;
    for (int kind = 0; kind < (fast ? 4 : 2); ++kind) {
        const int n = kind % 2 ? 40 : kind < 2 ? 10 : 7, z = kind / 2, r = z ? 3 : 1;
        const rw_dtype type = z ? RW_C128 : RW_F64;
        const size_t room = (size_t)(5 * n * n * r * r);
        entries e = {n * n * r, n * n * r, 0, z, malloc(room * 8), malloc(room * 8), malloc(room * 16)};
        for (int i = 0; i < n * n; ++i)
            for (int k = 0; k < 5; ++k) {
                static const int step[5][2] = {{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}};
                const int x = i % n + step[k][1], y = i / n + step[k][0],
                          neighbours = (i % n > 0) + (i % n < n - 1) + (i / n > 0) + (i / n < n - 1);
                if (x < 0 || x >= n || y < 0 || y >= n) continue;
                for (int c = 0; c < r * r; ++c) {
                    const double complex v = (k == 2 ? neighbours : -1) * block[z][c / r][c % r];
                    if (v == 0 && r > 1 && c / r != c % r) continue;
                    e.row[e.n] = i * r + c / r, e.column[e.n] = (y * n + x) * r + c % r;
                    e.value[(1 + z) * e.n] = creal(v);
                    if (z) e.value[2 * e.n + 1] = cimag(v);
                    ++e.n;
                }
            }
        rw_sparse *m = matrix_of(z ? "bcsr:3" : "csr", type, &e);
        for (int t = 0; t < (fast ? RW_COUNT(texts) : 1); ++t) {
            rw_array *b = vector_of(type, e.rows, 0), *x = vector_of(type, e.rows, 7);
            rw_krylov_spec spec = {.method = RW_KRYLOV_CG, .rtol = 1e-10, .iterations = 30};
            rw_krylov_result result;
            rw_krylov *k;
            OK(rw_precond_parse(ctx, texts[t], &spec.precond));
            OK(rw_sparse_multiply(m, RW_OP_NONE, NULL, x, NULL, b, queue));
            OK(rw_array_zero(x, queue));
            OK(rw_krylov_create(rw_sparse_operator(m), type, &spec, &k));
            if (rw_krylov_solve(k, b, x, &result) != RW_OK)
                fail_msg("%s, kind %d: %s", texts[t], kind, rw_message(ctx));
            assert_true(result.residual <= 1.01e-10 * result.right_side);
            rw_krylov_destroy(&k);
            rw_array_destroy(&b), rw_array_destroy(&x);
        }
        rw_sparse_destroy(&m);
        free_entries(&e);
    }
}

static void test_text(void **state)
{
    static const char *const same[] = {"none",
                                       "jacobi",
                                       "ssor:omega=1.3",
                                       "ilu0",
                                       "ilu2:order=colours",
                                       "milu1:sweeps=3",
                                       "ilu0:iterations=3",
                                       "milu0:order=colours:iterations=2:sweeps=3",
                                       "ilu0:order=colours:scaled",
                                       "ilut:drop=0.0001:fill=20",
                                       "chebyshev:degree=6:f32",
                                       "amg:degree=3:theta=0.1",
                                       "icc0",
                                       "icc2:order=colours",
                                       "jacobi:block=5",
                                       "amg:scaled:block=auto"};
    rw_precond_spec s;
    char text[120];
    (void)state;
    for (int i = 0; i < RW_COUNT(same); ++i) {
        OK(rw_precond_parse(ctx, same[i], &s));
        rw_precond_print(&s, text, sizeof text);
        assert_string_equal(text, same[i]);
    }
    OK(rw_precond_parse(ctx, "ilu3", &s));
    assert_true(s.method == RW_PRECOND_ILU && s.level == 3);
    OK(rw_precond_parse(ctx, "milu", &s));
    assert_true(s.method == RW_PRECOND_MILU && s.level == 0);
    OK(rw_precond_parse(ctx, "milu10", &s));
    assert_true(s.method == RW_PRECOND_MILU && s.level == 10);
    FAILS(RW_ERR_ARGUMENT, "preconditioner \"ilu11\": level = 11 is outside [0, 10]",
          rw_precond_parse(ctx, "ilu11", &s));
    FAILS(RW_ERR_ARGUMENT, "level = 99999999999999999999 is too large",
          rw_precond_parse(ctx, "milu99999999999999999999:f32", &s));
    FAILS(RW_ERR_ARGUMENT, "level is given twice", rw_precond_parse(ctx, "ilu1:level=3", &s));
    FAILS(RW_ERR_ARGUMENT,
          "method = jakobi is none of none, jacobi, ssor, ilu, milu, ilut, chebyshev, amg, icc; nearest is jacobi",
          rw_precond_parse(ctx, "jakobi", &s));
    FAILS(RW_ERR_ARGUMENT, "is empty, not a choice", rw_precond_parse(ctx, "", &s));
    FAILS(RW_ERR_ARGUMENT,
          "\"drop\" is not an option of ilu; options are level=", rw_precond_parse(ctx, "ilu:drop=1", &s));
    FAILS(RW_ERR_ARGUMENT, "level = 11 is outside [0, 10]", rw_precond_parse(ctx, "ilu:level=11", &s));
    FAILS(RW_ERR_ARGUMENT, "level = 1.5 is not an integer", rw_precond_parse(ctx, "ilu:level=1.5", &s));
    FAILS(RW_ERR_ARGUMENT, "omega = 2 is outside (0, 2)", rw_precond_parse(ctx, "ssor:omega=2", &s));
    FAILS(RW_ERR_ARGUMENT, "drop = nan is not a number", rw_precond_parse(ctx, "ilut:drop=nan", &s));
    FAILS(RW_ERR_ARGUMENT, "iterations = 101 is outside [1, 100]", rw_precond_parse(ctx, "ilu0:iterations=101", &s));
    FAILS(RW_ERR_ARGUMENT, "\"iterations\" is not an option of ssor", rw_precond_parse(ctx, "ssor:iterations=3", &s));
    FAILS(RW_ERR_ARGUMENT, "order = random is none of auto, natural, colours",
          rw_precond_parse(ctx, "ssor:order=random", &s));
}

static void test_refused(void **state)
{
    entries e = system_of(400, 12, 2, false), hole = system_of(401, 12, 1, false),
            wide = random_entries(3, 6, 9, 1, 1, false, false, false);
    rw_sparse *m = matrix_of("bcsr:2", RW_F64, &e), *v = matrix_of("vbcsr", RW_F64, &e),
              *w = matrix_of("csr", RW_F64, &wide);
    rw_precond *p;
    rw_array *r = vector_of(RW_F64, 24, 1), *short_ = vector_of(RW_F64, 23, 1);
    (void)state;
    FAILS(RW_ERR_ARGUMENT, "rw_precond_spec.method = 9 is not a value of rw_precond_method",
          rw_precond_create(rw_sparse_operator(m), RW_F64, &(rw_precond_spec){.method = RW_PRECOND_METHODS}, &p));
    FAILS(RW_ERR_ARGUMENT, "rw_precond_spec.reserved is not 0",
          rw_precond_create(rw_sparse_operator(m), RW_F64,
                            &(rw_precond_spec){.method = RW_PRECOND_JACOBI, .reserved = {[0] = 1}}, &p));
    FAILS(RW_ERR_ARGUMENT, "choose a preconditioner",
          rw_precond_create(rw_sparse_operator(m), RW_F64, &(rw_precond_spec){0}, &p));
    FAILS(RW_ERR_ARGUMENT, "ssor: omega = 2.5 is outside (0, 2)",
          rw_precond_create(rw_sparse_operator(m), RW_F64, &(rw_precond_spec){.method = RW_PRECOND_SSOR, .omega = 2.5},
                            &p));
    FAILS(RW_ERR_ARGUMENT, "ilu: level = -1 is outside [0, 10]",
          rw_precond_create(rw_sparse_operator(m), RW_F64, &(rw_precond_spec){.method = RW_PRECOND_ILU, .level = -1},
                            &p));
    FAILS(RW_ERR_ARGUMENT, "a preconditioner needs a square operator",
          rw_precond_create(rw_sparse_operator(w), RW_F64, &(rw_precond_spec){.method = RW_PRECOND_ILU}, &p));
    OK(rw_precond_create(rw_sparse_operator(v), RW_F64, &(rw_precond_spec){.method = RW_PRECOND_ILU},
                         &p)); /* blocks of varying size: by entries */
    rw_precond_destroy(&p);
    OK(rw_precond_create(rw_sparse_operator(m), RW_F64, &(rw_precond_spec){.method = RW_PRECOND_ILU}, &p));
    FAILS(RW_ERR_ARGUMENT, "the same array", rw_precond_apply(p, r, r, queue));
    FAILS(RW_ERR_ARGUMENT, "z has 23 entries of", rw_precond_apply(p, r, short_, queue));
    rw_precond_destroy(&p);
    rw_sparse_destroy(&m), rw_sparse_destroy(&v), rw_sparse_destroy(&w), rw_array_destroy(&r),
        rw_array_destroy(&short_);
    for (int64_t k = 0; k < hole.n; ++k)
        if (hole.row[k] == 7 && hole.column[k] == 7) hole.value[k] = 0;
    m = matrix_of("csr", RW_F64, &hole);
    static const struct {
        const char *text, *part;
    } bad[] = {{"jacobi", "jacobi: the diagonal entry of row 7, counted from 0"},
               {"ssor", "ssor: the diagonal entry of row 7, counted from 0"},
               {"chebyshev", "chebyshev: the diagonal entry of row 7, counted from 0"},
               {"amg:f32", "amg: the diagonal entry of row 7, counted from 0"}};
    for (int i = 0; i < RW_COUNT(bad); ++i) {
        rw_precond_spec s;
        OK(rw_precond_parse(ctx, bad[i].text, &s));
        if (s.method == RW_PRECOND_AMG) continue; /* small enough to be solved directly */
        FAILS(RW_ERR_INPUT, bad[i].part, rw_precond_create(rw_sparse_operator(m), RW_F64, &s, &p));
    }
    rw_sparse_destroy(&m);
    /* (1 1; 1 1): the second pivot is 0 */
    entries ones = {2, 2, 4, false, malloc(32), malloc(32), malloc(32)};
    for (int k = 0; k < 4; ++k) ones.row[k] = k / 2, ones.column[k] = k % 2, ones.value[k] = 1;
    m = matrix_of("csr", RW_F64, &ones);
    FAILS(RW_ERR_INPUT,
          "ilu: the diagonal entry of row 1, counted from 0, is missing or singular, or became singular "
          "during elimination: allow more fill",
          rw_precond_create(rw_sparse_operator(m), RW_F64, &(rw_precond_spec){.method = RW_PRECOND_ILU}, &p));
    FAILS(RW_ERR_INPUT, "ilut: the diagonal entry of row 1, counted from 0",
          rw_precond_create(rw_sparse_operator(m), RW_F64, &(rw_precond_spec){.method = RW_PRECOND_ILUT}, &p));
    rw_sparse_destroy(&m);
    const int64_t at0 = 0;
    rw_sparse_layout l;
    OK(rw_sparse_layout_parse(ctx, "csr", &l));
    OK(rw_sparse_create(dev, &l, &(rw_sparse_blocks){1, 1, (int64_t[]){0, 1}, &at0, NULL, NULL}, &m));
    OK(rw_sparse_add_blocks(m, 1, &at0, &at0, &(double){NAN}));
    FAILS(RW_ERR_INPUT, "ilu: row 0 of the matrix, counted from 0, has an entry that is not finite",
          rw_precond_create(rw_sparse_operator(m), RW_F64, &(rw_precond_spec){.method = RW_PRECOND_ILU}, &p));
    rw_sparse_destroy(&m);
    /* (1 inf; . 1): no pivot is touched by it */
    OK(rw_sparse_create(dev, &l, &(rw_sparse_blocks){2, 2, (int64_t[]){0, 2, 3}, (int64_t[]){0, 1, 1}, NULL, NULL},
                        &m));
    OK(rw_sparse_add_blocks(m, 3, (int64_t[]){0, 0, 1}, (int64_t[]){0, 1, 1}, (double[]){1, INFINITY, 1}));
    static const char *const infinite[] = {"ilu", "milu", "ilut", "ssor:order=natural"};
    for (int i = 0; i < RW_COUNT(infinite); ++i) {
        rw_precond_spec s;
        OK(rw_precond_parse(ctx, infinite[i], &s));
        FAILS(RW_ERR_INPUT, "row 0 of the matrix, counted from 0, has an entry that is not finite",
              rw_precond_create(rw_sparse_operator(m), RW_F64, &s, &p));
    }
    rw_sparse_destroy(&m);
    free_entries(&e), free_entries(&hole), free_entries(&wide), free_entries(&ones);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_factors),    cmocka_unit_test(test_empty_blocks),
                                       cmocka_unit_test(test_memory),     cmocka_unit_test(test_row_sums),
                                       cmocka_unit_test(test_drop),       cmocka_unit_test(test_chebyshev),
                                       cmocka_unit_test(test_gain),       cmocka_unit_test(test_multigrid),
                                       cmocka_unit_test(test_theta_zero), cmocka_unit_test(test_closed_box),
                                       cmocka_unit_test(test_text),       cmocka_unit_test(test_refused)};
    return run_on_devices("precond", tests, RW_COUNT(tests));
}
