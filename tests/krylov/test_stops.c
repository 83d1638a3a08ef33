/* What stops a solver, and what is left then: reasons, singular matrices, very small numbers, interruption; new values
 * in the same matrix. */
/* TEST: tiled */

#include "systems.h"

/* What stops a solver: the reason in the result and in the message. */
static void stops(const char *what, const entries *e, rw_krylov_spec spec, rw_krylov_reason reason, const char *part,
                  double first_b)
{
    rw_sparse *m = matrix_of("csr", RW_F64, e);
    rw_array *b = vector_of(RW_F64, e->rows, 7), *x = vector_of(RW_F64, e->rows, 0);
    void *data;
    rw_krylov *k;
    rw_krylov_result r;
    OK(rw_array_update(b, &data));
    ((double *)data)[0] = first_b;
    OK(rw_krylov_create(rw_sparse_operator(m), RW_F64, &spec, &k));
    rw_status status = rw_krylov_solve(k, b, x, &r);
    if (status != RW_ERR_NOT_CONVERGED || r.reason != reason || !strstr(rw_message(ctx), part))
        fail_msg("%s: %s, reason %d, not %d: %s", what, rw_status_name(status), (int)r.reason, (int)reason,
                 rw_message(ctx));
    if (spec.iterations) assert_true(r.iterations <= spec.iterations);
    rw_krylov_destroy(&k), rw_sparse_destroy(&m), rw_array_destroy(&b), rw_array_destroy(&x);
}

static void test_stops(void **state)
{
    (void)state;
    entries e = system_of(5, 12, 1, false, true);
    for (int method = RW_KRYLOV_CG; method < RW_KRYLOV_METHODS; ++method) {
        stops("few iterations", &e,
              (rw_krylov_spec){.method = (rw_krylov_method)method, .rtol = 1e-12, .iterations = 3},
              RW_KRYLOV_ITERATIONS, "the largest number of iterations is reached after 3", 1);
        stops("not a number", &e, (rw_krylov_spec){.method = (rw_krylov_method)method}, RW_KRYLOV_NOT_FINITE,
              "; entry 0 of b, counted from 0, is not finite", NAN);
        const double was = e.value[20];
        e.value[20] = 1e308;
        stops("too large", &e, (rw_krylov_spec){.method = (rw_krylov_method)method}, RW_KRYLOV_NOT_FINITE,
              "b and the initial guess are finite: the matrix has entries that are not finite, or a product "
              "overflows",
              1);
        e.value[20] = was;
    }
    for (int64_t k = 0; k < e.n; ++k)
        if (e.row[k] == e.column[k] && e.row[k] % 2) e.value[k] *= -1;
    stops("indefinite", &e, (rw_krylov_spec){.method = RW_KRYLOV_CG}, RW_KRYLOV_INDEFINITE, "use bicgstab or gmres", 1);
    free_entries(&e);
    /* a cyclic shift: GMRES gains nothing before the last of n iterations */
    entries shift = {30, 30, 30, false, malloc(30 * 8), malloc(30 * 8), malloc(30 * 8)};
    for (int i = 0; i < 30; ++i) shift.row[i] = i, shift.column[i] = (i + 1) % 30, shift.value[i] = 1;
    rw_sparse *m = matrix_of("csr", RW_F64, &shift);
    rw_array *b = vector_of(RW_F64, 30, 0), *x = vector_of(RW_F64, 30, 0);
    void *data;
    rw_krylov *k;
    rw_krylov_result r;
    OK(rw_array_update(b, &data));
    ((double *)data)[0] = 1;
    OK(rw_krylov_create(rw_sparse_operator(m), RW_F64, &(rw_krylov_spec){.method = RW_KRYLOV_GMRES, .restart = 10},
                        &k));
    FAILS(RW_ERR_NOT_CONVERGED, "gmres: stagnation: the residual does not decrease after 10 iterations",
          rw_krylov_solve(k, b, x, &r));
    rw_krylov_destroy(&k);
    OK(rw_krylov_create(rw_sparse_operator(m), RW_F64, &(rw_krylov_spec){.method = RW_KRYLOV_GMRES, .restart = 30},
                        &k));
    OK(rw_krylov_solve(k, b, x, &r));
    assert_int_equal(r.iterations, 30);
    rw_krylov_destroy(&k);
    OK(rw_array_write(x, &data));
    memset(data, 0, 30 * 8);
    OK(rw_krylov_create(rw_sparse_operator(m), RW_F64, &(rw_krylov_spec){.method = RW_KRYLOV_BICGSTAB}, &k));
    FAILS(RW_ERR_NOT_CONVERGED, "a division by zero", rw_krylov_solve(k, b, x, &r));
    assert_int_equal(r.reason, RW_KRYLOV_BREAKDOWN);
    rw_krylov_destroy(&k);
    FAILS(RW_ERR_INPUT, "jacobi: the diagonal entry of row 0, counted from 0, is missing or singular",
          rw_krylov_create(rw_sparse_operator(m), RW_F64, &(rw_krylov_spec){.precond = {.method = RW_PRECOND_JACOBI}},
                           &k));
    FAILS(RW_ERR_ARGUMENT, "restart = -1 is outside [1, 1000]",
          rw_krylov_create(rw_sparse_operator(m), RW_F64, &(rw_krylov_spec){.restart = -1}, &k));
    FAILS(RW_ERR_ARGUMENT, "rtol = -2 is outside (0, inf) and not off",
          rw_krylov_create(rw_sparse_operator(m), RW_F64, &(rw_krylov_spec){.rtol = -2}, &k));
    FAILS(RW_ERR_ARGUMENT, "rw_krylov_spec.method = 6 is not a value of rw_krylov_method",
          rw_krylov_create(rw_sparse_operator(m), RW_F64, &(rw_krylov_spec){.method = RW_KRYLOV_METHODS}, &k));
    FAILS(RW_ERR_ARGUMENT, "rtol and atol are both off: set at least one, or the iteration has no stopping criterion",
          rw_krylov_create(rw_sparse_operator(m), RW_F64, &(rw_krylov_spec){.rtol = RW_OFF}, &k));
    OK(rw_krylov_create(rw_sparse_operator(m), RW_F64, &(rw_krylov_spec){.method = RW_KRYLOV_CG, .rtol = 1e-3}, &k));
    FAILS(RW_ERR_ARGUMENT, "the same array", rw_krylov_solve(k, b, b, &r));
    rw_array *c = vector_of(RW_F64, 31, 0);
    FAILS(RW_ERR_ARGUMENT, "b has 31 entries of f64", rw_krylov_solve(k, c, x, &r));
    rw_array_destroy(&c);
    rw_krylov_destroy(&k), rw_sparse_destroy(&m), rw_array_destroy(&b), rw_array_destroy(&x);
    free_entries(&shift);
    rw_krylov_spec spec;
    FAILS(RW_ERR_ARGUMENT, "nearest is gmres", rw_krylov_parse(ctx, "gmers", &spec));
    FAILS(RW_ERR_ARGUMENT, "restart = 17 is outside [1, 16]", rw_krylov_parse(ctx, "idr:restart=17", &spec));
    FAILS(RW_ERR_ARGUMENT, "\"restart\" is not an option of cg", rw_krylov_parse(ctx, "cg:restart=17", &spec));
    OK(rw_krylov_parse(ctx, "fgmres:20:rtol=off:atol=1e-3:ilu2:sweeps=3", &spec));
    assert_true(spec.method == RW_KRYLOV_FGMRES && spec.iterations == 20 && spec.rtol == RW_OFF && spec.atol == 1e-3);
    assert_true(spec.precond.method == RW_PRECOND_ILU && spec.precond.level == 2 && spec.precond.sweeps == 3);
}

/* Neumann's Laplacian on a line, or with `ends` a matrix of which the last row and column are 0. */
static entries singular_system(int64_t n, bool ends)
{
    entries e = {.rows = n,
                 .columns = n,
                 .row = malloc((size_t)n * 24),
                 .column = malloc((size_t)n * 24),
                 .value = malloc((size_t)n * 24)};
    for (int64_t i = 0; i < n - ends; ++i)
        for (int64_t j = RW_MAX(i - 1, 0); j <= RW_MIN(i + 1, n - 1 - ends); ++j)
            e.row[e.n] = i, e.column[e.n] = j,
            e.value[e.n] = i == j ? 1 + (i > 0 && i < n - 1) + ends : -1 + ends * 0.25 * (double)(j - i), ++e.n;
    return e;
}

/* A singular matrix with a right side that is none of its: what comes of it is never worse than the first guess, and
 * said so; GMRES comes to the smallest residual that there is, the part of b that the matrix cannot make. */
static void singular(rw_dtype type, bool ends)
{
    enum { N = 24 };
    entries e = singular_system(N, ends);
    rw_sparse *m = matrix_of("csr", type, &e);
    bool kept = false;
    for (int number = RW_KRYLOV_CG; number <= RW_KRYLOV_METHODS; ++number) {
        const rw_krylov_method method = number == RW_KRYLOV_METHODS ? RW_KRYLOV_GMRES : (rw_krylov_method)number;
        rw_array *b = vector_of(type, N, 7), *x = vector_of(type, N, 8), *first = vector_of(type, N, 8);
        const double before = true_residual(&e, type, b, x), single = type == RW_F32 ? 1e-5 : 1e-12;
        rw_krylov_result r;
        rw_krylov *k;
        OK(rw_krylov_create(rw_sparse_operator(m), type,
                            &(rw_krylov_spec){.method = method,
                                              .iterations = 200,
                                              .restart = method == RW_KRYLOV_IDR ? 4 : 50,
                                              .orthogonal = number == RW_KRYLOV_METHODS ? RW_KRYLOV_MODIFIED
                                                                                        : RW_KRYLOV_CLASSICAL},
                            &k));
        assert_int_equal(rw_krylov_solve(k, b, x, &r), RW_ERR_NOT_CONVERGED);
        const double after = true_residual(&e, type, b, x);
        const void *p;
        double largest = 0, sum = 0; /* x may have much of the constant, and |r| is computed from it */
        OK(rw_array_read(x, &p));
        for (int i = 0; i < N; ++i) largest = fmax(largest, fabs(rw_value_get(type, p, i, 0)));
        OK(rw_array_read(b, &p));
        for (int i = 0; i < N; ++i) sum += rw_value_get(type, p, i, 0);
        const double least = (ends ? fabs(rw_value_get(type, p, N - 1, 0)) : fabs(sum) / sqrt(N)) / r.right_side;
        const char *name = rw_krylov_method_name(method);
        if (!(after <= before * (1 + single) &&
              fabs(after * r.right_side - r.residual) <= single * (r.residual + N * largest)))
            fail_msg("%s: |r| from %g to %g, told as %g", name, before, after, r.residual / r.right_side);
        const bool constants =
            strstr(rw_message(ctx),
                   "A is singular up to rounding errors: A times a constant vector is 0, so b must have "
                   "mean 0; its mean is ") != NULL;
        if (constants != !ends) fail_msg("%s, ends %d: %s", name, ends, rw_message(ctx));
        const bool smallest = method == RW_KRYLOV_GMRES || method == RW_KRYLOV_FGMRES;
        if (smallest && !(after <= least * (1 + 1e-3)))
            fail_msg("%s, %s, ends %d: |r| = %g, and %g is possible: %s", name, rw_dtype_name(type), ends, after, least,
                     rw_message(ctx));
        if (smallest && r.reason != RW_KRYLOV_STAGNATION) fail_msg("%s: %s", name, rw_message(ctx));
        if (strstr(rw_message(ctx), "x keeps the initial guess")) same_bits("first guess", first, x), kept = true;
        rw_krylov_destroy(&k);
        rw_array_destroy(&b), rw_array_destroy(&x), rw_array_destroy(&first);
    }
    if (type == RW_F64 && !ends) assert_true(kept);
    rw_sparse_destroy(&m);
    free_entries(&e);
}

static void test_singular(void **state)
{
    (void)state;
    singular(RW_F64, false), singular(RW_F64, true);
    if (!on("opencl") && !brief()) singular(RW_F32, false), singular(RW_F32, true);
}

/* ---- numbers whose squares under- or overflow -------------------------------------------------------------------- */

typedef struct powers {
    int a, b; /* the system with 2^a A and 2^b b */
    bool guess;
} powers;

static void scale_vector(rw_array *v, rw_dtype type, int power)
{
    void *data;
    const bool single = type == RW_F32 || type == RW_C64;
    OK(rw_array_update(v, &data));
    for (int64_t i = 0; i < v->size * (1 + rw_dtype_is_complex(type)); ++i)
        if (single) ((float *)data)[i] = (float)ldexp(((float *)data)[i], power);
        else ((double *)data)[i] = ldexp(((double *)data)[i], power);
}

static rw_status multiply_with(void *matrix, rw_op op, rw_array *x, rw_array *y, rw_queue *q)
{
    return rw_operator_multiply(rw_sparse_operator(matrix), op, NULL, x, NULL, y, q);
}

/* x of the system with powers of 2, divided by the power of x. */
static rw_array *solution_of(rw_dtype type, const entries *e, rw_krylov_spec spec, powers p, rw_krylov_result *r,
                             bool shell)
{
    entries scaled = *e;
    const int64_t n = e->n * (1 + e->is_complex);
    scaled.value = malloc((size_t)n * sizeof *scaled.value);
    for (int64_t i = 0; i < n; ++i) scaled.value[i] = ldexp(e->value[i], p.a);
    rw_sparse *m = matrix_of("csr", type, &scaled);
    rw_operator *op = rw_sparse_operator(m);
    rw_operator_spec own =
        {.rows = e->rows, .columns = e->rows, .type = type, .multiply = multiply_with, .direct = true, .user = m};
    if (shell) OK(rw_operator_create(dev, &own, &op));
    rw_array *b = vector_of(type, e->rows, 7), *x = vector_of(type, e->rows, 8);
    rw_krylov *k;
    scale_vector(b, type, p.b);
    scale_vector(x, type, p.guess ? p.b - p.a : -2000);
    OK(rw_krylov_create(op, type, &spec, &k));
    if (rw_krylov_solve(k, b, x, r) != RW_OK)
        fail_msg("%s, %s, %s, A 2^%d, b 2^%d: %s", rw_krylov_method_name(spec.method), rw_dtype_name(type),
                 rw_precond_method_name(spec.precond.method), p.a, p.b, rw_message(ctx));
    scale_vector(x, type, p.a - p.b);
    rw_krylov_destroy(&k);
    if (shell) rw_operator_destroy(&op);
    rw_sparse_destroy(&m), rw_array_destroy(&b), free(scaled.value);
    return x;
}

static void same_solution(rw_dtype type, const entries *e, rw_krylov_spec spec, powers p, bool shell)
{
    rw_krylov_result plain, scaled;
    const void *want, *have;
    rw_array *x = solution_of(type, e, spec, (powers){.guess = p.guess}, &plain, shell),
             *y = solution_of(type, e, spec, p, &scaled, shell);
    OK(rw_array_read(x, &want));
    OK(rw_array_read(y, &have));
    if (memcmp(want, have, (size_t)x->bytes))
        fail_msg("%s, %s, %s, A 2^%d, b 2^%d%s: other bits than without these factors",
                 rw_krylov_method_name(spec.method), rw_dtype_name(type), rw_precond_method_name(spec.precond.method),
                 p.a, p.b, p.guess ? ", with an initial guess" : "");
    assert_true(ldexp(scaled.residual, -p.b) == plain.residual && ldexp(scaled.first, -p.b) == plain.first);
    assert_true(ldexp(scaled.right_side, -p.b) == plain.right_side);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

/* Powers of 2 in A and b lead to the same bits, whatever the method and the preconditioner, where numbers without
 * scaling would be 0 or infinite. */
static void test_scaling(void **state)
{
    static const powers large[] = {{-333, -333, false}, {-600, -600, false}, {333, 333, false}, {600, 600, true},
                                   {0, -700, false},    {0, 700, true},      {-700, 0, false},  {-500, 300, true}},
                        small[] = {{-67, -67, false},
                                   {-40, -90, true},
                                   {70, 70, false},
                                   {0, 100, false},
                                   {-85, 0, true}};
    static const rw_precond_spec preconds[] = {{0},
                                               {.method = RW_PRECOND_JACOBI},
                                               {.method = RW_PRECOND_ILU},
                                               {.method = RW_PRECOND_CHEBYSHEV},
                                               {.method = RW_PRECOND_AMG}};
    static const rw_dtype types[] = {RW_F64, RW_F32, RW_C128, RW_C64};
    (void)state;
    for (int t = 0; t < (test_long() && !brief() ? 4 : 2); ++t) {
        const bool single = types[t] == RW_F32 || types[t] == RW_C64;
        entries e = system_of(5, 7, 1, rw_dtype_is_complex(types[t]), true);
        const powers *all = single ? small : large;
        const int n = single ? RW_COUNT(small) : RW_COUNT(large);
        for (int method = RW_KRYLOV_CG, i = 0; method < RW_KRYLOV_METHODS; ++method)
            for (int q = 0; q < n; ++q) {
                rw_krylov_spec spec = {.method = (rw_krylov_method)method, .rtol = single ? 1e-4 : 1e-10};
                const rw_krylov_spec inner = {.method = RW_KRYLOV_BICGSTAB, .iterations = 3};
                for (int p = 0; p < RW_COUNT(preconds); ++p, ++i) {
                    if ((!test_long() || on("opencl") || on("check")) && i % 4 != 0) continue;
                    spec.precond = preconds[p];
                    same_solution(types[t], &e, spec, all[q], false);
                }
                spec.precond = (rw_precond_spec){0};
                if (method == RW_KRYLOV_FGMRES) {
                    spec.inner = &inner;
                    same_solution(types[t], &e, spec, all[q], false);
                }
                if (q == 0) same_solution(types[t], &e, spec, all[q], true);
            }
        free_entries(&e);
    }
}

/* Setups that square values: aggregates of amg, dropping of ilut. */
static void test_scaled_setup(void **state)
{
    (void)state;
    static const powers rows[] = {{-600, -600, false}, {550, 550, false}};
    static const rw_precond_spec preconds[] = {{.method = RW_PRECOND_AMG}, {.method = RW_PRECOND_ILUT}};
    if (on("opencl")) skip();
    entries e = system_of(5, 20, 1, false, true); /* more unknowns than amg solves directly */
    for (int i = 0; i < 4; ++i)
        same_solution(RW_F64, &e,
                      (rw_krylov_spec){.method = RW_KRYLOV_GMRES, .rtol = 1e-10, .precond = preconds[i / 2]},
                      rows[i % 2], false);
    free_entries(&e);
}

/* An initial guess that is far larger than the solution; a solution that vectors of f32 cannot hold. */
static void test_range(void **state)
{
    (void)state;
    entries e = system_of(5, 7, 1, false, true);
    rw_sparse *m = matrix_of("csr", RW_F64, &e);
    for (int method = RW_KRYLOV_CG; method < RW_KRYLOV_METHODS; ++method) {
        const rw_krylov_spec spec = {.method = (rw_krylov_method)method, .rtol = 1e-8};
        rw_array *b = vector_of(RW_F64, e.rows, 7), *x = vector_of(RW_F64, e.rows, 8);
        rw_krylov *k;
        rw_krylov_result r;
        scale_vector(b, RW_F64, -800);
        OK(rw_krylov_create(rw_sparse_operator(m), RW_F64, &spec, &k));
        if (rw_krylov_solve(k, b, x, &r) != RW_OK) fail_msg("%s", rw_message(ctx));
        assert_true(r.residual <= 1e-8 * r.right_side && r.residual > 0 && r.first > 0.1);
        scale_vector(b, RW_F64, 2000);
        FAILS(RW_ERR_NOT_CONVERGED, "entry 0 of b, counted from 0, is not finite", rw_krylov_solve(k, b, x, &r));
        rw_krylov_destroy(&k), rw_array_destroy(&b), rw_array_destroy(&x);
    }
    rw_sparse_destroy(&m);
    for (int64_t i = 0; i < e.n; ++i) e.value[i] = ldexp(e.value[i], -80);
    m = matrix_of("csr", RW_F32, &e);
    for (int up = 0; up < 2; ++up) {
        rw_array *b = vector_of(RW_F32, e.rows, 7), *x = vector_of(RW_F32, e.rows, 0);
        rw_krylov *k;
        rw_krylov_result r;
        void *data;
        scale_vector(b, RW_F32, up ? 80 : 0);
        OK(rw_krylov_create(rw_sparse_operator(m), RW_F32, &(rw_krylov_spec){.method = RW_KRYLOV_CG, .rtol = 1e-4},
                            &k));
        OK(rw_array_zero(x, queue));
        if (up)
            FAILS(RW_ERR_NOT_CONVERGED, "which overflows in f32: scale b by a power of 2",
                  rw_krylov_solve(k, b, x, &r));
        else OK(rw_krylov_solve(k, b, x, &r));
        assert_int_equal(r.reason, up ? RW_KRYLOV_RANGE : RW_KRYLOV_CONVERGED);
        OK(rw_array_update(x, &data));
        assert_true((((float *)data)[0] == 0) == up); /* the initial guess stays */
        rw_krylov_destroy(&k), rw_array_destroy(&b), rw_array_destroy(&x);
    }
    rw_sparse_destroy(&m), free_entries(&e);
}

/* Values that change: without rw_krylov_update the old preconditioner still leads to the new solution; with it
 * everything is as of a new solver, bit for bit. What it does not bear leaves the old one. */
static void test_update(void **state)
{
    static const rw_precond_spec kinds[] = {{.method = RW_PRECOND_JACOBI},
                                            {.method = RW_PRECOND_ILU},
                                            {.method = RW_PRECOND_CHEBYSHEV},
                                            {.method = RW_PRECOND_AMG}};
    (void)state;
    entries e = system_of(5, on("check") ? 8 : 16, 1, false, true),
            other = system_of(5, on("check") ? 8 : 16, 1, false, true);
    for (int64_t k = 0; k < e.n; ++k)
        other.value[k] = e.value[k] * (e.row[k] == e.column[k] ? 1 + (double)(e.row[k] % 3) : 1);
    for (int i = 0; i < (on("opencl") ? 2 : RW_COUNT(kinds)); ++i)
        for (int inner = 0; inner < 2; ++inner) {
            const rw_krylov_spec within = {.method = RW_KRYLOV_BICGSTAB, .iterations = 3, .precond = kinds[i]};
            const rw_krylov_spec spec = {.method = inner ? RW_KRYLOV_FGMRES : RW_KRYLOV_CG,
                                         .rtol = 1e-9,
                                         .precond = inner ? (rw_precond_spec){0} : kinds[i],
                                         .inner = inner ? &within : NULL};
            rw_sparse *m = matrix_of("csr", RW_F64, &e), *fresh = matrix_of("csr", RW_F64, &other);
            rw_array *b = vector_of(RW_F64, e.rows, 7), *x = vector_of(RW_F64, e.rows, 0),
                     *y = vector_of(RW_F64, e.rows, 0);
            rw_krylov_result before, stale = {0}, after, of_new;
            rw_krylov *k, *anew;
            OK(rw_array_zero(x, queue));
            OK(rw_array_zero(y, queue));
            OK(rw_krylov_create(rw_sparse_operator(m), RW_F64, &spec, &k));
            OK(rw_krylov_create(rw_sparse_operator(fresh), RW_F64, &spec, &anew));
            OK(rw_krylov_solve(k, b, x, &before));
            OK(rw_sparse_zero(m));
            OK(rw_sparse_add_blocks(m, other.n, other.row, other.column, other.value));
            OK(rw_array_zero(x, queue));
            if (i < 2) { /* bounds of eigenvalues that have grown are none */
                OK(rw_krylov_solve(k, b, x, &stale));
                assert_true(true_residual(&other, RW_F64, b, x) <= 1.01e-9);
            }
            OK(rw_krylov_update(k));
            OK(rw_array_zero(x, queue));
            OK(rw_krylov_solve(k, b, x, &after));
            OK(rw_krylov_solve(anew, b, y, &of_new));
            same_bits("after an update", x, y);
            assert_int_equal(after.iterations, of_new.iterations);
            if (i < 2 && !(after.iterations < stale.iterations))
                fail_msg("%s: %d iterations, with the preconditioner of old values %d", i ? "ilu" : "jacobi",
                         (int)after.iterations, (int)stale.iterations);
            const double zero = -other.value[0];
            OK(rw_sparse_add_blocks(m, 1, &other.row[0], &other.column[0], &zero)); /* the diagonal's first */
            if (i < 2) FAILS(RW_ERR_INPUT, "of row 0, counted from 0", rw_krylov_update(k));
            OK(rw_sparse_add_blocks(m, 1, &other.row[0], &other.column[0], &other.value[0]));
            OK(rw_array_zero(x, queue));
            OK(rw_krylov_solve(k, b, x, &after));
            same_bits("after an update that failed", x, y);
            rw_krylov_destroy(&k), rw_krylov_destroy(&anew), rw_sparse_destroy(&m), rw_sparse_destroy(&fresh);
            rw_array_destroy(&b), rw_array_destroy(&x), rw_array_destroy(&y);
        }
    free_entries(&e), free_entries(&other);
}

static rw_cancel enough;
static rw_status count_to_twelve(void *user, int64_t iteration, double residual)
{
    (void)residual;
    (void)user;
    if (iteration >= 12) rw_cancel_request(&enough);
    return RW_OK;
}

/* An interrupted solver leaves what it had come to, in the middle of a cycle too: the same bits as with so many
 * iterations asked for; the estimate is that of its recurrence. */
static void test_interrupt(void **state)
{
    (void)state;
    entries e = singular_system(400, false);
    for (int64_t k = 0; k < e.n; ++k) e.value[k] += 0.01 * (e.row[k] == e.column[k]);
    for (int number = RW_KRYLOV_CG; number <= RW_KRYLOV_METHODS; ++number) {
        const rw_krylov_method method = number == RW_KRYLOV_METHODS ? RW_KRYLOV_GMRES : (rw_krylov_method)number;
        if (brief() && number != RW_KRYLOV_CG && number != RW_KRYLOV_GMRES) continue;
        rw_sparse *m = matrix_of("csr", RW_F64, &e);
        rw_array *b = vector_of(RW_F64, e.rows, 7), *x = vector_of(RW_F64, e.rows, 0),
                 *y = vector_of(RW_F64, e.rows, 0);
        rw_krylov_spec spec = {.method = method,
                               .rtol = 1e-12,
                               .monitor = count_to_twelve,
                               .cancel = &enough,
                               .restart = method == RW_KRYLOV_IDR ? 4 : 300,
                               .orthogonal = number == RW_KRYLOV_METHODS ? RW_KRYLOV_MODIFIED : RW_KRYLOV_CLASSICAL};
        rw_krylov_result r;
        rw_krylov *k;
        rw_cancel_reset(&enough);
        OK(rw_array_zero(x, queue));
        OK(rw_array_zero(y, queue));
        OK(rw_krylov_create(rw_sparse_operator(m), RW_F64, &spec, &k));
        FAILS(RW_ERR_INTERRUPTED, "interrupted at the user's wish after", rw_krylov_solve(k, b, x, &r));
        assert_int_equal(r.reason, RW_KRYLOV_INTERRUPTED);
        assert_true(r.iterations >= 12 && r.iterations < 160);
        if (method != RW_KRYLOV_BICGSTAB && method != RW_KRYLOV_IDR && !(r.residual < 0.9 * r.first))
            fail_msg("%s: %g of %g", rw_krylov_method_name(method), r.residual, r.first);
        if (!(fabs(r.estimate - r.residual) <= 1e-9 * r.residual))
            fail_msg("%s: |r| = %.12g, taken for %.12g", rw_krylov_method_name(method), r.residual, r.estimate);
        rw_cancel_reset(&enough);
        /* of the recurrence, not the residual once more */
        if (method == RW_KRYLOV_GMRES) assert_true(r.estimate != r.residual);
        rw_krylov_destroy(&k);
        spec.cancel = NULL, spec.iterations = r.iterations;
        OK(rw_krylov_create(rw_sparse_operator(m), RW_F64, &spec, &k));
        FAILS(RW_ERR_NOT_CONVERGED, "the largest number", rw_krylov_solve(k, b, y, &r));
        same_bits(rw_krylov_method_name(method), x, y);
        rw_krylov_destroy(&k), rw_sparse_destroy(&m), rw_array_destroy(&b), rw_array_destroy(&x), rw_array_destroy(&y);
    }
    free_entries(&e);
}

typedef struct stop {
    int64_t at;
    rw_status status;
    bool says;
    int calls;
} stop;

static rw_status stop_at(void *user, int64_t iteration, double residual)
{
    stop *s = user;
    (void)residual;
    if (iteration < s->at) return RW_OK;
    ++s->calls;
    return s->says ? rw_context_fail(ctx, s->status, "enough after %d", (int)iteration) : s->status;
}

/* A monitor that fails ends the solve with its status, its message, and what the solver had come to. */
static void test_monitor_stops(void **state)
{
    (void)state;
    entries e = singular_system(400, false);
    for (int64_t k = 0; k < e.n; ++k) e.value[k] += 0.01 * (e.row[k] == e.column[k]);
    for (int i = 0; i < 4; ++i) {
        const rw_krylov_method method = i < 2 ? RW_KRYLOV_CG : RW_KRYLOV_GMRES;
        stop s = {.at = i == 3 ? 0 : 9, .status = i % 2 ? RW_ERR_INPUT : RW_ERR_INTERRUPTED, .says = i % 2 == 1};
        rw_sparse *m = matrix_of("csr", RW_F64, &e);
        rw_array *b = vector_of(RW_F64, e.rows, 7), *x = vector_of(RW_F64, e.rows, 0);
        rw_krylov_spec spec = {.method = method, .rtol = 1e-12, .monitor = stop_at, .user = &s, .restart = 300};
        rw_krylov_result r;
        rw_krylov *k;
        OK(rw_array_zero(x, queue));
        OK(rw_krylov_create(rw_sparse_operator(m), RW_F64, &spec, &k));
        FAILS(s.status, s.says ? i == 3 ? "enough after 0" : "enough after 9" : "interrupted",
              rw_krylov_solve(k, b, x, &r));
        assert_int_equal(r.reason, RW_KRYLOV_INTERRUPTED);
        assert_int_equal(s.calls, 1);
        assert_true(r.iterations >= s.at && r.iterations < 160 && r.residual <= r.first);
        s.at = INT64_MAX; /* the solver is usable */
        OK(rw_array_zero(x, queue));
        OK(rw_krylov_solve(k, b, x, &r));
        s.at = r.iterations, s.calls = 0; /* at the iteration that converges */
        OK(rw_array_zero(x, queue));
        FAILS(s.status, s.says ? "enough after" : "interrupted", rw_krylov_solve(k, b, x, &r));
        assert_int_equal(r.reason, RW_KRYLOV_INTERRUPTED);
        assert_int_equal(s.calls, 1);
        rw_krylov_destroy(&k), rw_sparse_destroy(&m), rw_array_destroy(&b), rw_array_destroy(&x);
    }
    free_entries(&e);
}

/* A setup ends with ERR_INTERRUPTED if a stop was requested before; after a reset it succeeds. */
static void test_setup_stops(void **state)
{
    (void)state;
    static const char *const texts[] = {"gmres:precond=ilut", "cg:precond=amg"};
    entries e = singular_system(2000, false);
    for (int64_t k = 0; k < e.n; ++k) e.value[k] += 0.01 * (e.row[k] == e.column[k]);
    rw_sparse *m = matrix_of("csr", RW_F64, &e);
    for (int i = 0; i < RW_COUNT(texts); ++i) {
        rw_cancel cancel = {0};
        rw_krylov_spec spec;
        rw_precond *p;
        rw_krylov *k;
        OK(rw_krylov_parse(ctx, texts[i], &spec));
        spec.cancel = &cancel;
        OK(rw_krylov_create(rw_sparse_operator(m), RW_F64, &spec, &k));
        rw_cancel_request(&cancel);
        assert_true(rw_cancel_requested(&cancel));
        FAILS(RW_ERR_INTERRUPTED, "setup of", rw_krylov_update(k)); /* the old one stays */
        rw_krylov_destroy(&k);
        FAILS(RW_ERR_INTERRUPTED, "setup of", rw_krylov_create(rw_sparse_operator(m), RW_F64, &spec, &k));
        assert_null(k);
        spec.precond.cancel = &cancel;
        FAILS(RW_ERR_INTERRUPTED, "setup of", rw_precond_create(rw_sparse_operator(m), RW_F64, &spec.precond, &p));
        rw_cancel_reset(&cancel);
        OK(rw_precond_create(rw_sparse_operator(m), RW_F64, &spec.precond, &p));
        rw_precond_destroy(&p);
    }
    rw_sparse_destroy(&m);
    free_entries(&e);
}

/* As if a compiler had taken that long while the solver waited. */
static rw_status compile_for_long(void *user, int64_t iteration, double residual)
{
    (void)user, (void)residual;
    if (iteration == 0) rw_count_seconds(dev, 1e6);
    return RW_OK;
}

/* The seconds of a result leave out waiting for compilers. */
static void test_seconds(void **state)
{
    (void)state;
    entries e = system_of(5, 7, 1, false, true);
    rw_sparse *m = matrix_of("csr", RW_F64, &e);
    rw_array *b = vector_of(RW_F64, e.rows, 7), *x = vector_of(RW_F64, e.rows, 0);
    rw_krylov *k;
    rw_krylov_result r;
    OK(rw_krylov_create(rw_sparse_operator(m), RW_F64,
                        &(rw_krylov_spec){.method = RW_KRYLOV_CG, .monitor = compile_for_long}, &k));
    OK(rw_krylov_solve(k, b, x, &r));
    assert_true(r.seconds == 0 && r.iterations > 2);
    rw_krylov_destroy(&k), rw_sparse_destroy(&m), rw_array_destroy(&b), rw_array_destroy(&x), free_entries(&e);
}

int main(void)

{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stops),       cmocka_unit_test(test_singular),
                                       cmocka_unit_test(test_scaling),     cmocka_unit_test(test_scaled_setup),
                                       cmocka_unit_test(test_range),       cmocka_unit_test(test_update),
                                       cmocka_unit_test(test_interrupt),   cmocka_unit_test(test_monitor_stops),
                                       cmocka_unit_test(test_setup_stops), cmocka_unit_test(test_seconds)};
    return run_on_devices("stops", tests, RW_COUNT(tests));
}
