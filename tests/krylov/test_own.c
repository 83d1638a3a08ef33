/* A preconditioner given as an operator (rw_krylov_spec.precond_operator): the same iterations as with the built-in
 * one, from a matrix, a recorded function and a direct one; recorded again after rw_krylov_update; retained by the
 * solver; what is refused. */
/* TEST: devices=all,tiled unoptimised */
#include "systems.h"

/* Programs (PoCL) or accesses (check) take long. */
static bool few(void) { return !on("cpu") && !on("cuda"); }

/* z <- (A's diagonal)^-1 r by the product with a matrix. */
typedef struct own {
    rw_sparse *m;
    int calls, ends;
    bool waits;
    rw_status status;
} own;

static rw_status multiply(void *user, rw_op op, rw_array *r, rw_array *z, rw_queue *q)
{
    own *o = user;
    const void *p;
    ++o->calls;
    assert_int_equal(op, RW_OP_NONE);
    if (o->status != RW_OK) return rw_context_fail(ctx, o->status, "the function has no time");
    RW_TRY(rw_sparse_multiply(o->m, op, NULL, r, NULL, z, q));
    return o->waits ? rw_array_read(z, &p) : RW_OK;
}
static void end(void *user) { ++((own *)user)->ends; }

static rw_operator *operator_of(own *o, rw_dtype type, int64_t n, bool direct)
{
    rw_operator *m;
    OK(rw_operator_create(dev,
                          &(rw_operator_spec){.rows = n,
                                              .columns = n,
                                              .type = type,
                                              .multiply = multiply,
                                              .direct = direct,
                                              .destroy = end,
                                              .user = o},
                          &m));
    return m;
}

/* scale over the diagonal of e, or scale alone */
static rw_sparse *diagonal_matrix(const entries *e, rw_dtype type, bool inverse, double scale)
{
    const int parts = 1 + e->is_complex;
    entries d = {e->rows,
                 e->rows,
                 e->rows,
                 e->is_complex,
                 calloc((size_t)e->rows, 8),
                 calloc((size_t)e->rows, 8),
                 calloc((size_t)e->rows, 16)};
    for (int64_t i = 0; i < e->rows; ++i) d.row[i] = d.column[i] = i, d.value[parts * i] = scale;
    for (int64_t k = 0; inverse && k < e->n; ++k)
        if (e->row[k] == e->column[k]) {
            const double complex a = e->value[parts * k] + (parts == 2 ? e->value[2 * k + 1] : 0) * I, v = scale / a;
            d.value[parts * e->row[k]] = creal(v);
            if (parts == 2) d.value[2 * e->row[k] + 1] = cimag(v);
        }
    rw_sparse *m = matrix_of("csr", type, &d);
    free_entries(&d);
    return m;
}

static rw_krylov_result solve(rw_krylov *k, const entries *e, rw_dtype type, rw_array *b, rw_array *x, const char *what)
{
    rw_krylov_result r;
    OK(rw_array_zero(x, queue));
    if (rw_krylov_solve(k, b, x, &r) != RW_OK) fail_msg("%s: %s", what, rw_message(ctx));
    const double is = true_residual(e, type, b, x);
    if (!(is <= 1.5e-10)) fail_msg("%s: residual %g", what, is);
    return r;
}

static const rw_krylov_method methods[] = {RW_KRYLOV_CG,    RW_KRYLOV_BICGSTAB, RW_KRYLOV_GMRES,
                                           RW_KRYLOV_GMRES, RW_KRYLOV_FGMRES,   RW_KRYLOV_IDR};
enum { MODIFIED = 3 };

static void one_method(int i, const entries *e, rw_dtype type)
{
    rw_sparse *a = matrix_of("csr", type, e), *inverse = diagonal_matrix(e, type, true, 1);
    own o[2] = {{.m = inverse}, {.m = inverse, .waits = true}};
    rw_operator *maps[] = {rw_sparse_operator(inverse), operator_of(&o[0], type, e->rows, false),
                           operator_of(&o[1], type, e->rows, true)};
    rw_array *b = vector_of(type, e->rows, 3), *x = vector_of(type, e->rows, 4);
    rw_krylov_spec spec = {.method = methods[i],
                           .rtol = 1e-10,
                           .restart = methods[i] == RW_KRYLOV_IDR ? 4 : 10,
                           .orthogonal = i == MODIFIED ? RW_KRYLOV_MODIFIED : RW_KRYLOV_ORTHOGONAL_DEFAULT,
                           .precond = {.method = RW_PRECOND_JACOBI}};
    rw_krylov *k;
    rw_precond_info info;
    char what[100];
    OK(rw_krylov_create(rw_sparse_operator(a), type, &spec, &k));
    const rw_krylov_result built_in = solve(k, e, type, b, x, "jacobi");
    const int64_t memory = rw_krylov_memory(&spec, e->rows, type);
    rw_krylov_destroy(&k);
    spec.precond.method = RW_PRECOND_NONE;
    for (int m = 0; m < RW_COUNT(maps); ++m) {
        spec.precond_operator = maps[m];
        assert_int_equal(rw_krylov_memory(&spec, e->rows, type), memory);
        snprintf(what, sizeof what, "%s %d, %s, operator %d", rw_krylov_method_name(methods[i]), i, rw_dtype_name(type),
                 m);
        OK(rw_krylov_create(rw_sparse_operator(a), type, &spec, &k));
        OK(rw_krylov_get_precond(k, &info));
        assert_true(info.bytes == 0 && info.shift_row == 0);
        for (int again = 0; again < 2; ++again) {
            const rw_krylov_result r = solve(k, e, type, b, x, what);
            if (llabs(r.iterations - built_in.iterations) > 1)
                fail_msg("%s: %lld iterations, jacobi %lld", what, (long long)r.iterations,
                         (long long)built_in.iterations);
        }
        rw_krylov_destroy(&k);
    }
    assert_true(o[0].calls < 3 * built_in.iterations + 80 && o[1].calls > built_in.iterations); /* recorded; direct */
    rw_operator_destroy(&maps[1]), rw_operator_destroy(&maps[2]);
    assert_true(o[0].ends == 1 && o[1].ends == 1);
    rw_array_destroy(&b), rw_array_destroy(&x);
    rw_sparse_destroy(&a), rw_sparse_destroy(&inverse);
}

static void test_equals_the_built_in(void **state)
{
    (void)state;
    for (int z = 0; z < 2; ++z) {
        entries e = system_of(5, few() ? 5 : 12, 1, z, true);
        for (int i = 0; i < RW_COUNT(methods); ++i)
            if (!few() || i == (z ? 1 : 0) || (!z && i == 2)) one_method(i, &e, z ? RW_C128 : RW_F64);
        free_entries(&e);
    }
}

/* Of an inner solver too. */
static void test_inner(void **state)
{
    (void)state;
    if (few()) skip();
    entries e = system_of(5, 12, 1, false, true);
    rw_sparse *a = matrix_of("csr", RW_F64, &e), *inverse = diagonal_matrix(&e, RW_F64, true, 1);
    rw_array *b = vector_of(RW_F64, e.rows, 3), *x = vector_of(RW_F64, e.rows, 4);
    rw_krylov_spec inner[] = {{.method = RW_KRYLOV_BICGSTAB, .precond = {.method = RW_PRECOND_JACOBI}},
                              {.method = RW_KRYLOV_BICGSTAB, .precond_operator = rw_sparse_operator(inverse)}};
    int64_t iterations[2];
    for (int i = 0; i < 2; ++i) {
        rw_krylov *k;
        OK(rw_krylov_create(rw_sparse_operator(a), RW_F64,
                            &(rw_krylov_spec){.method = RW_KRYLOV_FGMRES, .rtol = 1e-10, .inner = &inner[i]}, &k));
        OK(rw_krylov_update(k));
        iterations[i] = solve(k, &e, RW_F64, b, x, "inner").iterations;
        rw_krylov_destroy(&k);
    }
    assert_int_equal(iterations[0], iterations[1]);
    rw_array_destroy(&b), rw_array_destroy(&x);
    rw_sparse_destroy(&a), rw_sparse_destroy(&inverse);
    free_entries(&e);
}

/* What the function launches is recorded: another matrix counts after rw_krylov_update. */
static void test_update(void **state)
{
    (void)state;
    entries e = system_of(7, few() ? 5 : 12, 1, false, true);
    rw_sparse *a = matrix_of("csr", RW_F64, &e), *inverse = diagonal_matrix(&e, RW_F64, true, 1),
              *identity = diagonal_matrix(&e, RW_F64, false, 1);
    own o = {.m = identity};
    rw_operator *m = operator_of(&o, RW_F64, e.rows, false);
    rw_array *b = vector_of(RW_F64, e.rows, 3), *x = vector_of(RW_F64, e.rows, 4);
    rw_krylov *k;
    OK(rw_krylov_create(rw_sparse_operator(a), RW_F64,
                        &(rw_krylov_spec){.method = RW_KRYLOV_CG, .rtol = 1e-10, .precond_operator = m}, &k));
    rw_operator_destroy(&m); /* the solver retains it */
    assert_int_equal(o.ends, 0);
    const int64_t plain = solve(k, &e, RW_F64, b, x, "identity").iterations;
    o.m = inverse;
    OK(rw_krylov_update(k));
    const int64_t better = solve(k, &e, RW_F64, b, x, "inverse").iterations;
    if (better >= plain) fail_msg("%lld iterations, with the identity %lld", (long long)better, (long long)plain);
    o.status = RW_ERR_INPUT;
    FAILS(RW_ERR_INPUT, "the function has no time", rw_krylov_update(k));
    o.status = RW_OK;
    assert_int_equal(solve(k, &e, RW_F64, b, x, "the previous recording").iterations, better);
    assert_int_equal(o.ends, 0);
    rw_krylov_destroy(&k);
    assert_int_equal(o.ends, 1);
    rw_array_destroy(&b), rw_array_destroy(&x);
    rw_sparse_destroy(&a), rw_sparse_destroy(&inverse), rw_sparse_destroy(&identity);
    free_entries(&e);
}

static void refused(rw_status status, const char *part, rw_sparse *a, rw_krylov_spec spec)
{
    rw_krylov *k;
    FAILS(status, part, rw_krylov_create(rw_sparse_operator(a), RW_F64, &spec, &k));
    assert_null(k);
}

static void test_refused(void **state)
{
    (void)state;
    entries e = system_of(7, 3, 1, false, true), f = random_entries(3, 3, 4, 3, 1, false, false, false),
            g = system_of(7, 2, 1, false, true);
    rw_sparse *a = matrix_of("csr", RW_F64, &e), *wide = matrix_of("csr", RW_F64, &f),
              *less = matrix_of("csr", RW_F64, &g);
    own o = {.m = a}, failing = {.m = a, .status = RW_ERR_INPUT}, waiting = {.m = a, .waits = true};
    rw_operator *m = operator_of(&o, RW_F64, e.rows, false), *single = operator_of(&o, RW_F32, e.rows, false),
                *fails = operator_of(&failing, RW_F64, e.rows, false),
                *waits = operator_of(&waiting, RW_F64, e.rows, false);
    const rw_krylov_spec inner = {.method = RW_KRYLOV_CG};
    const rw_krylov_method method = RW_KRYLOV_FGMRES;
    refused(RW_ERR_ARGUMENT, "precond_operator and jacobi", a,
            (rw_krylov_spec){.precond = {.method = RW_PRECOND_JACOBI}, .precond_operator = m});
    refused(RW_ERR_ARGUMENT, "precond_operator and an inner solver", a,
            (rw_krylov_spec){.method = method, .inner = &inner, .precond_operator = m});
    refused(RW_ERR_ARGUMENT, "precond_operator is 4 x 4, the operator 9 x 9", a,
            (rw_krylov_spec){.precond_operator = rw_sparse_operator(less)});
    refused(RW_ERR_ARGUMENT, "precond_operator is 9 x 4, the operator 9 x 9", a,
            (rw_krylov_spec){.precond_operator = rw_sparse_operator(wide)});
    refused(RW_ERR_ARGUMENT, "precond_operator: vectors of f64: this operator needs vectors of f32", a,
            (rw_krylov_spec){.precond_operator = single});
    refused(RW_ERR_INPUT, "the function has no time", a, (rw_krylov_spec){.precond_operator = fails});

    rw_device *other;
    rw_operator *there;
    OK(rw_device_open(ctx, rw_device_info(dev)->name, &other));
    OK(rw_operator_create(other, &(rw_operator_spec){.rows = 9, .columns = 9, .multiply = multiply, .user = &o},
                          &there));
    refused(RW_ERR_ARGUMENT, "both must be on the same rw_device, opened once", a,
            (rw_krylov_spec){.precond_operator = there});
    rw_operator_destroy(&there), rw_device_close(&other);

    /* a function that waits and is not direct is applied, but cannot be recorded */
    rw_array *b = vector_of(RW_F64, e.rows, 3), *x = vector_of(RW_F64, e.rows, 4);
    rw_krylov_result r;
    rw_krylov *k;
    OK(rw_krylov_create(rw_sparse_operator(a), RW_F64,
                        &(rw_krylov_spec){.method = RW_KRYLOV_BICGSTAB, .precond_operator = waits}, &k));
    FAILS(RW_ERR_ARGUMENT, "direct = true", rw_krylov_solve(k, b, x, &r));
    rw_krylov_destroy(&k);
    rw_array_destroy(&b), rw_array_destroy(&x);
    rw_operator_destroy(&m), rw_operator_destroy(&single), rw_operator_destroy(&fails), rw_operator_destroy(&waits);
    rw_sparse_destroy(&a), rw_sparse_destroy(&wide), rw_sparse_destroy(&less);
    free_entries(&e), free_entries(&f), free_entries(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equals_the_built_in), cmocka_unit_test(test_inner),
                                       cmocka_unit_test(test_update), cmocka_unit_test(test_refused)};
    return run_on_devices("own", tests, RW_COUNT(tests));
}
