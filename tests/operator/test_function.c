/* Operators from a function on every device: a matrix kept in a function gives what it gives itself,
 * for all types, operations, places in arrays, factors, sums; a whole product launches nothing more; what needs a
 * matrix is refused. */
/* TEST: devices=all unoptimised */
#include <float.h>

#include "../devices.h"
#include "../sparse/matrices.h"
#include "../values.h"
#include "rechenwerk/krylov.h"
#include "sparse/multiply.h"

static const rw_dtype types[] = {RW_F32, RW_F64, RW_C64, RW_C128};
static bool fast(void) { return on("cpu") || on("cuda"); }

/* The matrix wrapped the function; what it was asked for, and whether it has ended. */
typedef struct wrapped {
    rw_sparse *a;
    int calls[3], ends;
} wrapped;

static rw_status multiply(void *user, rw_op op, rw_array *x, rw_array *y, rw_queue *q)
{
    wrapped *b = user;
    assert_true(x->ndim == 1 && y->ndim == 1 && x != y);
    ++b->calls[op];
    return rw_sparse_multiply(b->a, op, NULL, x, NULL, y, q);
}

static rw_status diagonal(void *user, rw_array *to)
{
    return rw_operator_get_diagonal(rw_sparse_operator(((wrapped *)user)->a), to);
}

static void end(void *user) { ++((wrapped *)user)->ends; }

static rw_sparse *kept(const entries *e, rw_dtype type)
{
    const rw_sparse_layout l = {.format = RW_SPARSE_CSR, .values = type, .block_rows = 1, .block_columns = 1};
    rw_sparse *m;
    OK(rw_sparse_from_entries(dev, &l, e, &m));
    return m;
}

static rw_operator_spec map_of(wrapped *b, rw_dtype type)
{
    return (rw_operator_spec){.rows = matrix_size_of(b->a).rows,
                              .columns = matrix_size_of(b->a).columns,
                              .type = type,
                              .multiply = multiply,
                              .transposes = true,
                              .destroy = end,
                              .user = b};
}

static rw_array *vectors(rw_dtype type, int64_t n, int k, uint64_t seed)
{
    rw_array *a;
    void *data;
    OK(rw_array_create(dev, type, k == 1 ? 1 : 2, (int64_t[]){n, k}, RW_MEMORY_DEVICE, &a));
    OK(rw_array_write(a, &data));
    for (int64_t i = 0; i < n * k * (1 + rw_dtype_is_complex(type)); ++i) {
        const double v = rw_random_uniform(seed, (uint64_t)i) - 0.5;
        if (rw_dtype_is_single(type)) ((float *)data)[i] = (float)v;
        else ((double *)data)[i] = v;
    }
    return a;
}

/* Rounded once more between the sum and the factors. */
static void same(const char *what, rw_array *a, rw_array *b)
{
    const void *p, *q;
    double most = 1;
    const double eps = rw_dtype_is_single(a->dtype) ? FLT_EPSILON : DBL_EPSILON;
    OK(rw_array_read(a, &p));
    OK(rw_array_read(b, &q));
    for (int64_t i = 0; i < a->size; ++i)
        for (int part = 0; part < 2; ++part) most = fmax(most, fabs(rw_value_get(b->dtype, q, i, part)));
    for (int64_t i = 0; i < a->size; ++i)
        for (int part = 0; part < 2; ++part) {
            const double u = rw_value_get(a->dtype, p, i, part), v = rw_value_get(b->dtype, q, i, part);
            if (!(fabs(u - v) <= 16 * eps * most))
                fail_msg("%s: number %lld is %.17g, not %.17g", what, (long long)i, u, v);
        }
}

static void product(const char *what, rw_operator *m, rw_sparse *a, rw_op op, rw_dtype type, int k,
                    const double factors[4])
{
    const rw_sparse_size size = matrix_size_of(a);
    const int64_t nx = op == RW_OP_NONE ? size.columns : size.rows, ny = op == RW_OP_NONE ? size.rows : size.columns;
    const bool is_complex = rw_dtype_is_complex(type), reads = factors[2] != 0 || factors[3] != 0;
    const double alpha[2] = {factors[0], is_complex ? factors[1] : 0},
                 beta[2] = {factors[2], is_complex ? factors[3] : 0};
    rw_array *x = vectors(type, nx, k, 5), *y = vectors(type, ny, k, 6), *z = vectors(type, ny, k, 6);
    void *data;
    if (!reads) {
        OK(rw_array_write(y, &data));
        memset(data, 0xff, (size_t)(ny * k) * rw_dtype_size(type)); /* NaN */
    }
    OK(rw_operator_multiply(m, op, alpha, x, beta, y, queue));
    OK(rw_sparse_multiply(a, op, alpha, x, beta, z, queue));
    same(what, y, z);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&z);
}

static void test_products(void **state)
{
    static const int64_t sizes[][2] = {{37, 41}, {1, 1}, {2100, 53}, {7, 2053}, {97, 97}};
    static const double factors[][4] = {{1, 0, 0, 0},
                                        {-0.5, 0.25, 0.75, -1},
                                        {2, 0, 1, 0},
                                        {1, 0.5, 0, 0},
                                        {-2, 0, 0, 0}};
    (void)state;
    for (int s = 0; s < (fast() ? RW_COUNT(sizes) : 2); ++s)
        for (int t = fast() ? 0 : 1; t < RW_COUNT(types); t += fast() ? 1 : 2) {
            const bool is_complex = rw_dtype_is_complex(types[t]);
            entries e = random_entries((uint64_t)s + 10, sizes[s][0], sizes[s][1], 1, 1, is_complex, false, false);
            wrapped b = {.a = kept(&e, types[t])};
            const rw_operator_spec map = map_of(&b, types[t]);
            rw_operator *m;
            OK(rw_operator_create(dev, &map, &m));
            for (int op = 0; op < (on("opencl") ? 2 : 3); ++op)
                for (int k = 1; k < 4; k += 2)
                    for (int f = 0; f < RW_COUNT(factors); ++f) {
                        char what[120];
                        snprintf(what, sizeof what, "%s: %lld x %lld, %s, op %d, %d vectors, factors %d",
                                 rw_device_info(dev)->name, (long long)sizes[s][0], (long long)sizes[s][1],
                                 rw_dtype_name(types[t]), op, k, f);
                        product(what, m, b.a, (rw_op)op, types[t], k, factors[f]);
                    }
            assert_true(b.calls[0] == 20 && b.calls[1] == 20 && b.ends == 0); /* of several vectors one call each */
            rw_operator_destroy(&m);
            assert_int_equal(b.ends, 1);
            rw_sparse_destroy(&b.a);
            free_entries(&e);
        }
}

/* A hermitian map is not asked for its conjugate transpose; of real ones neither for the transpose. */
static void test_hermitian(void **state)
{
    (void)state;
    for (int z = 0; z < 2; ++z) {
        const rw_dtype type = z ? RW_C128 : RW_F64;
        entries e = random_entries(3, 5, 5, 1, 1, z, false, false);
        wrapped b = {.a = kept(&e, type)};
        rw_operator_spec map = map_of(&b, type);
        map.transposes = false, map.hermitian = true;
        rw_operator *m;
        rw_array *x = vectors(type, 5, 1, 1), *y = vectors(type, 5, 1, 2);
        OK(rw_operator_create(dev, &map, &m));
        OK(rw_operator_multiply(m, RW_OP_CONJUGATE, NULL, x, NULL, y, queue));
        if (z)
            FAILS(RW_ERR_UNSUPPORTED, "has no transpose",
                  rw_operator_multiply(m, RW_OP_TRANSPOSE, NULL, x, NULL, y, queue));
        else OK(rw_operator_multiply(m, RW_OP_TRANSPOSE, NULL, x, NULL, y, queue));
        assert_true(b.calls[0] == 2 - z && b.calls[1] == 0 && b.calls[2] == 0);
        rw_operator_destroy(&m), rw_sparse_destroy(&b.a);
        rw_array_destroy(&x), rw_array_destroy(&y);
        free_entries(&e);
    }
}

/* Pieces of arrays, as GMRES has them, with and without sums; the rest of the array stays. */
static void test_pieces(void **state)
{
    enum { N = 1100, FROM = 3 * N, TO = 5 };
    (void)state;
    for (int t = fast() ? 0 : 1; t < (fast() ? RW_COUNT(types) : 2); ++t)
        for (int way = 0; way < 8; ++way) { /* x in a larger array, y in one, with sums */
            const rw_dtype type = types[t];
            const int64_t x_from = way & 1 ? FROM : 0, y_from = way & 2 ? TO : 0;
            entries e = random_entries(4, N, N, 1, 1, rw_dtype_is_complex(type), true, false);
            wrapped b = {.a = kept(&e, type)};
            const rw_operator_spec map = map_of(&b, type);
            rw_operator *m;
            OK(rw_operator_create(dev, &map, &m));
            rw_array *x = vectors(type, way & 1 ? 4 * N + 7 : N, 1, 1), *y = vectors(type, way & 2 ? N + 11 : N, 1, 2),
                     *other = vectors(type, y->size, 1, 2), *w = vectors(type, y->size, 1, 3);
            rw_operator *a = rw_sparse_operator(b.a);
            const int64_t groups = rw_operator_groups(m), theirs = rw_operator_groups(a);
            rw_array *part = new_array(RW_F64, 3 * groups, RW_MEMORY_DEVICE),
                     *part_other = new_array(RW_F64, 3 * theirs, RW_MEMORY_DEVICE);
            rw_product one = {.x = x,
                              .z = y,
                              .y = y,
                              .w = w,
                              .part = way & 4 ? part : NULL,
                              .vectors = 1,
                              .x_from = x_from,
                              .y_from = y_from,
                              .alpha = {1, 0}};
            OK(rw_operator_run(m, &one, queue));
            one.z = one.y = other, one.part = way & 4 ? part_other : NULL;
            OK(rw_operator_run(a, &one, queue));
            same("a piece", y, other);
            for (int s = 0; s < (way & 4 ? 3 : 0); ++s) {
                double sum = 0, wanted = 0;
                for (int64_t g = 0; g < groups; ++g) sum += numbers_of(part)[s * groups + g];
                for (int64_t g = 0; g < theirs; ++g) wanted += numbers_of(part_other)[s * theirs + g];
                if (!(fabs(sum - wanted) <= (rw_dtype_is_single(type) ? 1e-4 : 1e-12) * (fabs(wanted) + 1)))
                    fail_msg("way %d, sum %d is %.17g, not %.17g", way, s, sum, wanted);
            }
            rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&other), rw_array_destroy(&w),
                rw_array_destroy(&part), rw_array_destroy(&part_other);
            rw_operator_destroy(&m), rw_sparse_destroy(&b.a);
            free_entries(&e);
        }
}

/* y <- A x of whole vectors is the function alone; no memory either. */
static void test_straight(void **state)
{
    (void)state;
    entries e = random_entries(5, 60, 60, 1, 1, false, false, false);
    wrapped b = {.a = kept(&e, RW_F64)};
    const rw_operator_spec map = map_of(&b, RW_F64);
    rw_operator *m;
    rw_array *x = vectors(RW_F64, 60, 1, 1), *y = vectors(RW_F64, 60, 1, 2);
    OK(rw_operator_create(dev, &map, &m));
    OK(rw_sparse_multiply(b.a, RW_OP_NONE, NULL, x, NULL, y, queue));
    const int64_t start = counters().launches, bytes = counters().bytes_allocated;
    OK(rw_sparse_multiply(b.a, RW_OP_NONE, NULL, x, NULL, y, queue));
    const int64_t one = counters().launches - start;
    OK(rw_operator_multiply(m, RW_OP_NONE, NULL, x, NULL, y, queue));
    assert_int_equal(counters().launches - start, 2 * one);
    assert_int_equal(counters().bytes_allocated, bytes);
    OK(rw_operator_multiply(m, RW_OP_NONE, (double[]){2, 0}, x, NULL, y, queue));
    assert_int_equal(counters().launches - start, 3 * one + 1);
    rw_operator_info info;
    OK(rw_operator_get_info(m, &info));
    assert_true(info.rows == 60 && info.columns == 60 && info.type == RW_F64 && info.transposes && info.adjoint &&
                !info.diagonal && !info.direct && !info.any_vector);
    rw_operator_destroy(&m), rw_sparse_destroy(&b.a);
    rw_array_destroy(&x), rw_array_destroy(&y);
    free_entries(&e);
}

/* y <- A x by the host: reads x, writes y. */
static rw_status multiply_here(void *user, rw_op op, rw_array *x, rw_array *y, rw_queue *q)
{
    const entries *e = user;
    const void *from;
    void *to;
    (void)op, (void)q;
    RW_TRY(rw_array_read(x, &from));
    RW_TRY(rw_array_write(y, &to));
    memset(to, 0, y->bytes);
    for (int64_t k = 0; k < e->n; ++k) ((double *)to)[e->row[k]] += e->value[k] * ((const double *)from)[e->column[k]];
    return RW_OK;
}

/* A function that is no launch: every method takes as many iterations with it as with the matrix; without `direct`
 * it is refused when steps are recorded. */
static void test_direct(void **state)
{
    enum { N = 40 };
    static const rw_krylov_spec inner = {.method = RW_KRYLOV_BICGSTAB, .iterations = 4};
    (void)state;
    entries e = {.n = 3 * N,
                 .rows = N,
                 .columns = N,
                 .row = malloc(3 * N * 8),
                 .column = malloc(3 * N * 8),
                 .value = malloc(3 * N * 8)};
    for (int64_t i = 0; i < N; ++i)
        for (int64_t k = 0; k < 3; ++k)
            e.row[3 * i + k] = i, e.column[3 * i + k] = (i + k + N - 1) % N,
                          e.value[3 * i + k] = k == 1 ? 3 + 0.1 * (double)i : -1;
    rw_sparse *a = kept(&e, RW_F64);
    rw_operator *m;
    rw_operator_spec map = {.rows = N, .columns = N, .multiply = multiply_here, .direct = true, .user = &e};
    OK(rw_operator_create(dev, &map, &m));
    for (int method = RW_KRYLOV_CG; method < RW_KRYLOV_METHODS + 1; ++method) {
        const rw_krylov_spec spec = {.method = (rw_krylov_method)RW_MIN(method, RW_KRYLOV_METHODS - 1),
                                     .rtol = 1e-10,
                                     .restart = method == RW_KRYLOV_IDR ? 4 : 7};
        rw_krylov_spec used = spec;
        if (method == RW_KRYLOV_METHODS) used.method = RW_KRYLOV_FGMRES, used.restart = 7, used.inner = &inner;
        rw_krylov_result r[2];
        rw_array *b = vectors(RW_F64, N, 1, 3), *x[2] = {vectors(RW_F64, N, 1, 4), vectors(RW_F64, N, 1, 4)};
        for (int i = 0; i < 2; ++i) {
            rw_krylov *k;
            OK(rw_krylov_create(i ? m : rw_sparse_operator(a), RW_F64, &used, &k));
            if (rw_krylov_solve(k, b, x[i], &r[i]) != RW_OK)
                fail_msg("%s: %s", rw_krylov_method_name(used.method), rw_message(ctx));
            rw_krylov_destroy(&k);
        }
        assert_true(llabs(r[0].iterations - r[1].iterations) <= 1 && r[1].iterations > 1);
        const void *p[2];
        for (int i = 0; i < 2; ++i) OK(rw_array_read(x[i], &p[i]));
        for (int i = 0; i < N; ++i) assert_true(fabs(((const double *)p[0])[i] - ((const double *)p[1])[i]) < 1e-8);
        rw_array_destroy(&b), rw_array_destroy(&x[0]), rw_array_destroy(&x[1]);
    }
    rw_operator_destroy(&m);
    map.direct = false;
    OK(rw_operator_create(dev, &map, &m));
    rw_krylov_result r;
    rw_krylov *k;
    rw_array *b = vectors(RW_F64, N, 1, 3), *x = vectors(RW_F64, N, 1, 4);
    OK(rw_krylov_create(m, RW_F64, &(rw_krylov_spec){.method = RW_KRYLOV_BICGSTAB}, &k));
    FAILS(RW_ERR_ARGUMENT, "direct = true): the host accesses an array while its queue is recording",
          rw_krylov_solve(k, b, x, &r));
    rw_krylov_destroy(&k), rw_operator_destroy(&m), rw_sparse_destroy(&a);
    rw_array_destroy(&b), rw_array_destroy(&x);
    free_entries(&e);
}

static void test_refused(void **state)
{
    (void)state;
    entries e = random_entries(6, 20, 20, 1, 1, false, false, false);
    wrapped b = {.a = kept(&e, RW_F64)};
    rw_operator_spec map = map_of(&b, RW_F64);
    rw_operator *m;
    rw_krylov *k;
    map.transposes = false;
    OK(rw_operator_create(dev, &map, &m));
    assert_null(rw_sparse_of(m));
    rw_array *x = vectors(RW_F64, 20, 1, 1), *y = vectors(RW_F64, 20, 1, 2), *fx = vectors(RW_F32, 20, 1, 1),
             *fy = vectors(RW_F32, 20, 1, 1);
    FAILS(RW_ERR_UNSUPPORTED, "this operator has no conjugate transpose",
          rw_operator_multiply(m, RW_OP_CONJUGATE, NULL, x, NULL, y, queue));
    FAILS(RW_ERR_ARGUMENT, "vectors of f32: this operator needs vectors of f64",
          rw_operator_multiply(m, RW_OP_NONE, NULL, fx, NULL, fy, queue));
    FAILS(RW_ERR_ARGUMENT, "vectors of c128: this operator needs vectors of f64",
          rw_krylov_create(m, RW_C128, &(rw_krylov_spec){.method = RW_KRYLOV_CG}, &k));
    static const rw_precond_method entries_needed[] = {RW_PRECOND_SSOR, RW_PRECOND_ILU, RW_PRECOND_MILU,
                                                       RW_PRECOND_ILUT, RW_PRECOND_AMG};
    for (int i = 0; i < RW_COUNT(entries_needed); ++i)
        FAILS(RW_ERR_UNSUPPORTED,
              "needs matrix entries, and this operator of 20 x 20 is matrix-free: use jacobi or "
              "chebyshev, or assemble a matrix",
              rw_krylov_create(m, RW_F64,
                               &(rw_krylov_spec){.method = RW_KRYLOV_GMRES, .precond = {.method = entries_needed[i]}},
                               &k));
    FAILS(RW_ERR_UNSUPPORTED,
          "this operator does not provide its diagonal: set rw_operator_spec.diagonal, or use no "
          "preconditioner",
          rw_krylov_create(m, RW_F64,
                           &(rw_krylov_spec){.method = RW_KRYLOV_CG, .precond = {.method = RW_PRECOND_JACOBI}}, &k));
    rw_operator_destroy(&m);
    map.diagonal = diagonal;
    OK(rw_operator_create(dev, &map, &m));
    FAILS(RW_ERR_ARGUMENT, "diagonal has 20 entries of f32 on", rw_operator_get_diagonal(m, fx));
    OK(rw_operator_get_diagonal(m, x));
    OK(rw_operator_get_diagonal(rw_sparse_operator(b.a), y));
    same("the diagonal", x, y);
    rw_operator_destroy(&m);
    assert_int_equal(b.ends, 2);
    rw_operator_spec wrong = map;
    wrong.rows = 0;
    FAILS(RW_ERR_ARGUMENT, "an operator of 0 x 20", rw_operator_create(dev, &wrong, &m));
    wrong = map, wrong.type = RW_I32;
    FAILS(RW_ERR_ARGUMENT, "an operator of i32", rw_operator_create(dev, &wrong, &m));
    wrong = map, wrong.multiply = NULL;
    FAILS(RW_ERR_ARGUMENT, "rw_operator_spec.multiply is NULL: it must be a function that enqueues y <- A x",
          rw_operator_create(dev, &wrong, &m));
    wrong = map, wrong.hermitian = true, wrong.columns = 21;
    FAILS(RW_ERR_ARGUMENT, "a hermitian operator of 20 x 21: a hermitian operator must be square",
          rw_operator_create(dev, &wrong, &m));
    assert_true(b.ends == 2 && !m);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&fx), rw_array_destroy(&fy);
    rw_sparse_destroy(&b.a);
    free_entries(&e);
}

/* A solver and a preconditioner keep what they were made of, in whatever order things go. */
static void test_kept(void **state)
{
    (void)state;
    for (int way = 0; way < 2; ++way) { /* of a function, of a matrix */
        entries e = {.n = 60,
                     .rows = 60,
                     .columns = 60,
                     .row = malloc(60 * 8),
                     .column = malloc(60 * 8),
                     .value = malloc(60 * 8)};
        for (int64_t i = 0; i < 60; ++i) e.row[i] = e.column[i] = i, e.value[i] = 2 + (double)i;
        wrapped b = {.a = kept(&e, RW_F64)};
        rw_operator_spec map = map_of(&b, RW_F64);
        map.diagonal = diagonal;
        rw_operator *m;
        rw_krylov *k;
        rw_krylov_result result;
        rw_array *right = vectors(RW_F64, 60, 1, 1), *x = vectors(RW_F64, 60, 1, 2);
        OK(rw_operator_create(dev, &map, &m));
        const rw_krylov_spec spec = {.method = RW_KRYLOV_CG, .precond = {.method = RW_PRECOND_CHEBYSHEV}};
        OK(rw_krylov_create(way ? rw_sparse_operator(b.a) : m, RW_F64, &spec, &k));
        rw_operator *view = rw_sparse_operator(b.a);
        rw_operator_destroy(&view); /* the matrix keeps its own */
        assert_null(view);
        rw_operator_destroy(&m);
        assert_int_equal(b.ends, way);
        if (way) rw_sparse_destroy(&b.a);
        OK(rw_krylov_solve(k, right, x, &result));
        rw_krylov_destroy(&k);
        assert_int_equal(b.ends, 1);
        rw_sparse_destroy(&b.a);
        rw_array_destroy(&right), rw_array_destroy(&x);
        free_entries(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products), cmocka_unit_test(test_hermitian), cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_straight), cmocka_unit_test(test_direct),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_kept),
    };
    return run_on_devices("function", tests, RW_COUNT(tests));
}
