/* Blocks of preconditioners apart from the format of the matrix; incomplete Cholesky factors and their shifts. */
/* TEST: devices=all,tiled unoptimised */
#include "systems.h"

/* The first row and column full, and a diagonal: arrow. Formats that choose blocks find some of varying size in it. */
static entries arrow(int64_t n)
{
    entries e = {.rows = n,
                 .columns = n,
                 .row = malloc((size_t)n * 24),
                 .column = malloc((size_t)n * 24),
                 .value = malloc((size_t)n * 24)};
    for (int64_t i = 0; i < n; ++i) {
        e.row[e.n] = e.column[e.n] = i, e.value[e.n++] = i ? 2 : (double)n;
        if (i) e.row[e.n] = i, e.column[e.n] = 0, e.value[e.n++] = -1;
        if (i) e.row[e.n] = 0, e.column[e.n] = i, e.value[e.n++] = -1;
    }
    return e;
}

/* M r of a matrix in a format, beside `expected`, which it makes where that is NULL. */
static rw_precond_info same_map(const char *text, const char *layout, const entries *e, int block, rw_array **expected)
{
    const rw_dtype type = e->is_complex ? RW_C128 : RW_F64;
    char what[120];
    rw_sparse *m = matrix_of(layout, type, e);
    rw_array *r = vector_of(type, e->rows, 5), *z = vector_of(type, e->rows, 0);
    const rw_precond_info info = apply(text, m, type, r, z);
    snprintf(what, sizeof what, "%s: %s of %s", rw_device_info(dev)->name, text, layout);
    if (info.block != block) fail_msg("%s works on blocks of %d, not %d", what, info.block, block);
    if (*expected) {
        number *reference = numbers(type, *expected);
        const double off = difference(type, z, reference);
        if (!(off <= 1e-12)) fail_msg("%s differs by %g", what, off);
        free(reference);
        rw_array_destroy(&z);
    } else *expected = z;
    rw_sparse_destroy(&m), rw_array_destroy(&r);
    return info;
}

static void test_format_changes_nothing(void **state)
{
    static const char *const texts[] = {"jacobi",
                                        "ssor:order=natural",
                                        "ilu0:order=natural",
                                        "ilu1:order=natural",
                                        "icc0:order=natural",
                                        "ilut:drop=1e-2",
                                        "chebyshev",
                                        "amg"},
                             *const layouts[] = {"csr", "bcsr:2", "bcsr:2x4", "bsell:4", "vbcsr", "coo"};
    const bool slow = on("check") || on("opencl");
    (void)state;
    for (int kind = 0; kind < (slow ? 1 : 2); ++kind) {
        entries e = kind ? laplacian(12, 2, 4, true, 0) : arrow(40);
        for (int t = 0; t < RW_COUNT(texts); t += slow ? 3 : 1)
            for (int block = 1; block <= (slow ? 1 : 4); block *= 4) {
                char text[60];
                rw_array *expected = NULL;
                if (block > 1 && !kind) continue;
                snprintf(text, sizeof text, "%s:block=%d", texts[t], block);
                for (int l = 0; l < RW_COUNT(layouts); l += slow ? 2 : 1)
                    same_map(text, layouts[l], &e, block, &expected);
                rw_array_destroy(&expected);
            }
        free_entries(&e);
        e = kind ? system_of(400, 70, 4, true) : arrow(40); /* blocks of 4 x 4 that are full where they have an entry */
        rw_array *found = NULL;
        for (int l = 0; l < RW_COUNT(layouts); l += slow ? 2 : 1)
            same_map("amg:block=auto", layouts[l], &e, kind ? 4 : 1, &found);
        same_map("amg", "csr", &e, kind ? 4 : 1, &found);
        rw_array_destroy(&found);
        free_entries(&e);
    }
    entries e = arrow(40);
    rw_precond *p;
    rw_sparse *m = matrix_of("csr", RW_F64, &e);
    FAILS(RW_ERR_ARGUMENT, "block = 3 does not divide the 40 rows",
          rw_precond_create(rw_sparse_operator(m), RW_F64, &(rw_precond_spec){.method = RW_PRECOND_JACOBI, .block = 3},
                            &p));
    FAILS(RW_ERR_ARGUMENT, "block = 17 is outside [1, 16]",
          rw_precond_create(rw_sparse_operator(m), RW_F64, &(rw_precond_spec){.method = RW_PRECOND_JACOBI, .block = 17},
                            &p));
    FAILS(RW_ERR_ARGUMENT, "block = auto is for amg",
          rw_precond_create(rw_sparse_operator(m), RW_F64,
                            &(rw_precond_spec){.method = RW_PRECOND_ILU, .block = RW_PRECOND_BLOCK_AUTO}, &p));
    rw_sparse_destroy(&m);
    free_entries(&e);
}

/* Kershaw's matrix (J. Comput. Phys. 26, 1978), positive definite, whose incomplete factors are not: the last pivot is
 * -5. Copies of very different size; complex: with phases, D A D*. */
static entries kershaw(int64_t copies, bool is_complex)
{
    static const double a[4][4] = {{3, -2, 0, 2}, {-2, 3, -2, 0}, {0, -2, 3, -2}, {2, 0, -2, 3}};
    const int parts = 1 + is_complex;
    entries e = {.rows = 4 * copies,
                 .columns = 4 * copies,
                 .is_complex = is_complex,
                 .row = malloc((size_t)copies * 128),
                 .column = malloc((size_t)copies * 128),
                 .value = malloc((size_t)copies * 256)};
    for (int64_t c = 0; c < copies; ++c)
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
                const double complex v =
                    a[i][j] * pow(10, (double)(c % 5) - 2) * (is_complex ? cexp(I * (double)(i * i - j * j)) : 1);
                if (a[i][j] == 0) continue;
                e.row[e.n] = 4 * c + i, e.column[e.n] = 4 * c + j, e.value[parts * e.n] = creal(v);
                if (is_complex) e.value[2 * e.n + 1] = cimag(v);
                ++e.n;
            }
    return e;
}

static void test_cholesky(void **state)
{
    static const char *const texts[] = {"icc0:order=natural", "icc0:order=natural:f32", "icc0:order=natural:block=2",
                                        "icc1"};
    (void)state;
    for (int z = 0; z < (on("opencl") ? 1 : 2); ++z) {
        const rw_dtype type = z ? RW_C128 : RW_F64;
        entries e = kershaw(on("check") ? 3 : 25, z), line = laplacian(on("check") ? 5 : 14, 2, 1, z, 0);
        rw_sparse *m = matrix_of("csr", type, &e);
        rw_array *x = vector_of(type, e.rows, 3), *y = vector_of(type, e.rows, 4), *mx = vector_of(type, e.rows, 0),
                 *my = vector_of(type, e.rows, 0);
        for (int t = 0; t < RW_COUNT(texts); ++t) {
            const rw_precond_info info = apply(texts[t], m, type, x, mx);
            apply(texts[t], m, type, y, my);
            number *a = numbers(type, x), *b = numbers(type, y), *ma = numbers(type, mx), *mb = numbers(type, my),
                   left = 0, right = 0, self = 0;
            for (int64_t i = 0; i < e.rows; ++i)
                left += conjl(b[i]) * ma[i], right += conjl(mb[i]) * a[i], self += conjl(a[i]) * ma[i];
            const long double single = strstr(texts[t], "f32") ? 1e-5L : 1e-12L;
            if (!(cabsl(left - right) < single * cabsl(self)) || !(creall(self) > 0))
                fail_msg("%s is not hermitian or not positive", texts[t]);
            const bool complete = strstr(texts[t], "icc1") || strstr(texts[t], "block=2");
            if (!complete && !(info.shift >= 1e-3 && info.shift < 0.6 && info.shift_row >= 0 && info.shift_row < 4))
                fail_msg("%s: shift %g, row %lld", texts[t], info.shift, (long long)info.shift_row);
            if (complete) assert_true(info.shift == 0 && info.shift_row == -1);
            free(a), free(b), free(ma), free(mb);
            assert_true(iterations(&e, "csr", type, RW_KRYLOV_CG, texts[t]) <= 25);
        }
        /* factors in the pattern without a shift are those of ilu */
        rw_array *expected = NULL;
        same_map("ilu0:order=natural", "csr", &line, 1, &expected);
        assert_true(same_map("icc0:order=natural", "csr", &line, 1, &expected).shift == 0);
        rw_array_destroy(&expected);
        /* what cg says with ilu0, whose pivots are not positive */
        rw_krylov *k;
        rw_krylov_result r;
        rw_array *b = vector_of(type, e.rows, 7);
        void *data;
        OK(rw_array_zero(x, queue));
        OK(rw_array_zero(b, queue));
        OK(rw_array_update(b, &data));
        ((double *)data)[3 * (1 + z)] = 1; /* (r, M r) < 0 at the start */
        OK(rw_krylov_create(rw_sparse_operator(m), type,
                            &(rw_krylov_spec){.method = RW_KRYLOV_CG,
                                              .precond = {.method = RW_PRECOND_ILU, .order = RW_ORDER_NATURAL}},
                            &k));
        FAILS(RW_ERR_NOT_CONVERGED, "ilu factors of a positive definite matrix may be indefinite: use icc0 or jacobi",
              rw_krylov_solve(k, b, x, &r));
        rw_krylov_destroy(&k);
        rw_array_destroy(&b), rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&mx), rw_array_destroy(&my);
        rw_sparse_destroy(&m);
        rw_precond *p;
        for (int64_t i = 0; i < e.n; ++i)
            if (e.row[i] == 6 && e.column[i] == 6) e.value[(1 + z) * i] = -3;
        m = matrix_of("csr", type, &e);
        FAILS(RW_ERR_INPUT,
              "icc: the diagonal entry of row 6, counted from 0, is missing or not positive: icc needs a hermitian, "
              "positive definite matrix",
              rw_precond_create(rw_sparse_operator(m), type,
                                &(rw_precond_spec){.method = RW_PRECOND_ICC, .order = RW_ORDER_NATURAL}, &p));
        rw_sparse_destroy(&m);
        free_entries(&e), free_entries(&line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_format_changes_nothing), cmocka_unit_test(test_cholesky)};
    return run_on_devices("blocks", tests, RW_COUNT(tests));
}
