/* Tridiagonal systems against solutions that are known: r = A x is computed in long double. */
/* TEST: devices=all,tiled */
#include <complex.h>
#include <float.h>
#include <math.h>

#include "../devices.h"
#include "elliptic/tridiagonal.h"

typedef long double complex number;

typedef struct problem {
    rw_tridiagonal_spec spec;
    bool full;
    uint64_t seed;
    double weak;    /* b exceeds |a| + |c| by at least that */
    bool neumann;   /* a_i + b_i + c_i is 0 in the first line, c of a row is a of the next one */
    int64_t n, all; /* rows of a line, elements of x */
} problem;

/* Arrays of a problem on the host: everything that is rounded to the type is rounded here. */
typedef struct values {
    int64_t size; /* of a, b, c */
    double *a, *b, *c, *scale, *shift[2];
    number *x, *r;
} values;

static bool single(const problem *p) { return rw_dtype_is_single(p->spec.dtype); }
static double as_stored(const problem *p, double v) { return single(p) ? (double)(float)v : v; }

/* In [-1, 1). */
static double draw(const problem *p, int what, int64_t i)
{
    return as_stored(p, 2 * rw_random_uniform(p->seed + (uint64_t)what, (uint64_t)i) - 1);
}

static int64_t inner_of(const problem *p)
{
    int64_t inner = 1;
    for (int d = p->spec.axis + 1; d < p->spec.ndim; ++d) inner *= p->spec.shape[d];
    return inner;
}

static void make_values(const problem *p, values *v)
{
    const rw_tridiagonal_spec *s = &p->spec;
    const int64_t inner = inner_of(p);
    v->size = p->full ? p->all : p->n;
    double **const tables[] = {&v->a, &v->b, &v->c, &v->scale};
    for (int i = 0; i < 4; ++i) *tables[i] = calloc((size_t)v->size, sizeof(double));
    v->x = calloc((size_t)p->all, sizeof *v->x);
    v->r = calloc((size_t)p->all, sizeof *v->r);
    for (int64_t i = 0; i < v->size; ++i) {
        const int64_t row = p->full ? i / inner % p->n : i;
        v->a[i] = draw(p, 1, i);
        v->c[i] = draw(p, 2, i);
        if (p->neumann) {
            v->c[i] = as_stored(p, -1.5 - 0.5 * draw(p, 2, i));
            v->a[i] = row ? v->c[i - (p->full ? inner : 1)] : as_stored(p, -1.25);
            if (row == p->n - 1) v->c[i] = s->cyclic ? v->a[i - row * (p->full ? inner : 1)] : v->c[i];
        }
        const double a = s->cyclic || row ? v->a[i] : 0, c = s->cyclic || row < p->n - 1 ? v->c[i] : 0;
        v->b[i] = as_stored(p, p->neumann ? -a - c : fabs(a) + fabs(c) + p->weak + fabs(draw(p, 3, i)));
        v->scale[i] = as_stored(p, 1 + 0.5 * draw(p, 4, i));
    }
    for (int d = 0, k = 0; d < s->ndim; ++d) {
        if (d == s->axis) continue;
        v->shift[k] = calloc((size_t)s->shape[d], sizeof(double));
        for (int64_t i = 0; i < s->shape[d]; ++i)
            v->shift[k][i] = p->neumann && i == 0 ? 0 : as_stored(p, 1 + draw(p, 5 + k, i));
        ++k;
    }
    for (int64_t i = 0; i < p->all; ++i)
        v->x[i] = draw(p, 8, i) + (rw_dtype_is_complex(s->dtype) ? I * (number)draw(p, 9, i) : 0);
}

static void free_values(values *v)
{
    double *const arrays[] = {v->a, v->b, v->c, v->scale, v->shift[0], v->shift[1]};
    for (int i = 0; i < RW_COUNT(arrays); ++i) free(arrays[i]);
    free(v->x);
    free(v->r);
}

/* r <- A x */
static void multiply(const problem *p, values *v, unsigned shifts, bool scaled)
{
    const rw_tridiagonal_spec *s = &p->spec;
    const int64_t n = p->n, inner = inner_of(p);
    const int64_t second = s->ndim == 3 ? s->shape[s->axis == 2 ? 1 : 2] : 1;
    for (int64_t at = 0; at < p->all; ++at) {
        const int64_t row = at / inner % n, line = at / (inner * n) * inner + at % inner, k = p->full ? at : row;
        long double b = v->b[k], shift = 0;
        if (shifts & 1) shift += v->shift[0][line / second];
        if (shifts & 2) shift += v->shift[1][line % second];
        b += shift * (scaled ? v->scale[row] : 1);
        v->r[at] = b * v->x[at];
        if (row || s->cyclic) v->r[at] += v->a[k] * v->x[row ? at - inner : at + (n - 1) * inner];
        if (row < n - 1 || s->cyclic) v->r[at] += v->c[k] * v->x[row < n - 1 ? at + inner : at - (n - 1) * inner];
    }
}

static rw_array *send(const problem *p, const double *v, int ndim, const int64_t *shape)
{
    rw_array *a;
    void *data;
    OK(rw_array_create(dev, single(p) ? RW_F32 : RW_F64, ndim, shape, RW_MEMORY_DEVICE, &a));
    OK(rw_array_write(a, &data));
    for (int64_t i = 0; i < a->size; ++i) {
        if (single(p)) ((float *)data)[i] = (float)v[i];
        else ((double *)data)[i] = v[i];
    }
    return a;
}

static rw_array *send_x(const problem *p, const number *v)
{
    rw_array *x;
    void *data;
    OK(rw_array_create(dev, p->spec.dtype, p->spec.ndim, p->spec.shape, RW_MEMORY_DEVICE, &x));
    OK(rw_array_write(x, &data));
    const int parts = 1 + rw_dtype_is_complex(p->spec.dtype);
    for (int64_t i = 0; i < p->all * parts; ++i) {
        const long double value = i % parts ? cimagl(v[i / parts]) : creall(v[i / parts]);
        if (single(p)) ((float *)data)[i] = (float)value;
        else ((double *)data)[i] = (double)value;
    }
    return x;
}

static number element(const problem *p, const void *data, int64_t i)
{
    switch (p->spec.dtype) {
    case RW_F32: return ((const float *)data)[i];
    case RW_F64: return ((const double *)data)[i];
    case RW_C64: return ((const float complex *)data)[i];
    default: return ((const double complex *)data)[i];
    }
}

static void send_matrix(problem *p, const values *v, unsigned shifts, bool scaled)
{
    rw_tridiagonal_spec *s = &p->spec;
    const int ndim = p->full ? s->ndim : 1;
    const int64_t *shape = p->full ? s->shape : &p->n;
    s->a = send(p, v->a, ndim, shape);
    s->b = send(p, v->b, ndim, shape);
    s->c = send(p, v->c, ndim, shape);
    if (scaled) s->scale = send(p, v->scale, 1, &p->n);
    for (int d = 0, k = 0; d < s->ndim; ++d) {
        if (d == s->axis) continue;
        if (shifts & 1u << k) s->shift[k] = send(p, v->shift[k], 1, &s->shape[d]);
        ++k;
    }
}

static void free_matrix(problem *p)
{
    rw_tridiagonal_spec *s = &p->spec;
    rw_array **const arrays[] = {&s->a, &s->b, &s->c, &s->scale, &s->shift[0], &s->shift[1]};
    for (int i = 0; i < RW_COUNT(arrays); ++i) rw_array_destroy(arrays[i]);
}

static problem problem_of(rw_dtype dtype, int ndim, const int64_t *shape, int axis, bool full)
{
    problem p = {.spec = {.dtype = dtype, .ndim = ndim, .axis = axis},
                 .full = full && ndim > 1,
                 .seed = 31,
                 .weak = 0.1};
    p.all = 1;
    p.n = shape[axis];
    for (int d = 0; d < ndim; ++d) p.all *= p.spec.shape[d] = shape[d];
    return p;
}

/* The largest error of a solution, in units of the type's epsilon. */
static double error_of(const problem *p, const values *v, rw_array *x)
{
    const void *data;
    long double worst = 0;
    OK(rw_array_read(x, &data));
    for (int64_t i = 0; i < p->all; ++i) {
        const long double e = cabsl(element(p, data, i) - v->x[i]);
        if (isnan(e)) return INFINITY;
        if (e > worst) worst = e;
    }
    return (double)(worst / (single(p) ? FLT_EPSILON : DBL_EPSILON));
}

static void check(problem p, unsigned shifts, bool scaled, double tolerance)
{
    values v = {0};
    rw_tridiagonal *t;
    make_values(&p, &v);
    if (p.neumann) { /* the first line has the mean 0 */
        const int64_t inner = inner_of(&p);
        number mean = 0;
        for (int64_t i = 0; i < p.n; ++i) mean += v.x[i * inner] / p.n;
        for (int64_t i = 0; i < p.n; ++i) v.x[i * inner] -= mean;
    }
    multiply(&p, &v, shifts, scaled);
    send_matrix(&p, &v, shifts, scaled);
    rw_array *x = send_x(&p, v.r);
    OK(rw_tridiagonal_create(dev, &p.spec, &t));
    free_matrix(&p); /* the plan has them */
    OK(rw_tridiagonal_enqueue(t, x, queue));
    const double error = error_of(&p, &v, x);
    if (!(error <= tolerance))
        fail_msg("%s, %lld x %lld x %lld, axis %d of %d, %s%s%s, shifts %u, seed %llu: error %g > %g eps",
                 rw_dtype_name(p.spec.dtype), (long long)p.spec.shape[0], (long long)p.spec.shape[1],
                 (long long)p.spec.shape[2], p.spec.axis, p.spec.ndim, p.full ? "full" : "tables",
                 p.spec.cyclic ? ", cyclic" : "", p.neumann ? ", singular" : "", shifts, (unsigned long long)p.seed,
                 error, tolerance);
    rw_tridiagonal_destroy(&t);
    rw_array_destroy(&x);
    free_values(&v);
}

/* ---- known solutions --------------------------------------------------------------------------------------------- */

static const int64_t lengths[] = {1, 2, 3, 5, 31, 32, 33, 64, 127, 1000, 4097}, lines[] = {1, 2, 7, 64, 1000};
static const rw_dtype types[] = {RW_F64, RW_F32, RW_C128, RW_C64};

/* Error bound: |A^-1| <= 1/weak, |r| up to 10. */
static double bound(const problem *p) { return 40 / p->weak; }

static void test_two_axes(void **state RW_UNUSED)
{
    int count = 0;
    for (int i = 0; i < RW_COUNT(lengths); ++i)
        for (int j = 0; j < RW_COUNT(lines); ++j) {
            if (lengths[i] * lines[j] > (brief() ? 1 << 14 : 1 << 18)) continue;
            for (int axis = 0; axis < 2; ++axis, ++count) {
                const int64_t shape[] = {axis ? lines[j] : lengths[i], axis ? lengths[i] : lines[j]};
                for (int kind = 0; kind < 2; ++kind) {
                    if (brief() && (count + kind) % 2) continue;
                    problem p = problem_of(kind && !brief() ? RW_F32 : RW_F64, 2, shape, axis, kind);
                    p.spec.cyclic = (i + j + kind) % 2;
                    check(p, kind ? 0 : 1, !kind && !brief(), bound(&p));
                }
            }
        }
}

static void test_one_axis(void **state RW_UNUSED)
{
    for (int i = 0; i < RW_COUNT(lengths); ++i)
        for (int cyclic = 0; cyclic < 2; ++cyclic) {
            if (brief() && i % 2) continue;
            problem p = problem_of(i % 2 ? RW_C128 : RW_F64, 1, &lengths[i], 0, false);
            p.spec.cyclic = cyclic;
            check(p, 0, false, bound(&p));
        }
}

static void test_three_axes(void **state RW_UNUSED)
{
    static const int64_t shapes[][3] = {{5, 7, 33}, {33, 2, 31}, {3, 65, 40}, {1, 127, 3}, {40, 40, 40}, {64, 1, 1}};
    int count = 0;
    for (int i = 0; i < RW_COUNT(shapes); ++i)
        for (int axis = 0; axis < 3; ++axis, ++count) {
            if (brief() && (count % 5 != 1)) continue;
            problem p = problem_of(types[count % 4], 3, shapes[i], axis, count % 3 == 2);
            p.spec.cyclic = count % 2;
            check(p, p.full ? 0 : (unsigned)(1 + i % 3), !p.full && axis == 1, bound(&p));
        }
}

static void test_types(void **state RW_UNUSED)
{
    for (int i = 0; i < 4; ++i)
        for (int axis = 0; axis < 2; ++axis)
            for (int full = 0; full < 2; ++full) {
                if (brief() && (i + axis + full) % 2) continue;
                problem p = problem_of(types[i], 2, (int64_t[]){axis ? 9 : 300, axis ? 300 : 9}, axis, full);
                check(p, full ? 0 : 1, false, bound(&p));
            }
}

/* -u'' on many cells: diagonally dominant in two rows only, condition n^2. */
static void test_weak(void **state RW_UNUSED)
{
    for (int axis = 0; axis < 2; ++axis) {
        problem p = problem_of(RW_F64, 2, (int64_t[]){axis ? 3 : 1000, axis ? 1000 : 3}, axis, false);
        values v = {0};
        rw_tridiagonal *t;
        make_values(&p, &v);
        for (int64_t i = 0; i < p.n; ++i) {
            v.a[i] = v.c[i] = -1;
            v.b[i] = 2;
        }
        multiply(&p, &v, 0, false);
        send_matrix(&p, &v, 0, false);
        rw_array *x = send_x(&p, v.r);
        OK(rw_tridiagonal_create(dev, &p.spec, &t));
        OK(rw_tridiagonal_enqueue(t, x, queue));
        const double error = error_of(&p, &v, x);
        if (!(error <= 1e6 / 8)) fail_msg("axis %d: error %g eps", axis, error);
        rw_tridiagonal_destroy(&t);
        rw_array_destroy(&x);
        free_matrix(&p);
        free_values(&v);
    }
}

static void test_singular(void **state RW_UNUSED)
{
    for (int i = 0; i < RW_COUNT(lengths); ++i)
        for (int cyclic = 0; cyclic < 2; ++cyclic)
            for (int axis = 0; axis < 2; ++axis) {
                if (!test_long() && (i + cyclic + axis) % 2) continue;
                const int64_t n = lengths[i];
                problem p = problem_of(types[brief() ? 0 : i % 2 * 2], 2, (int64_t[]){axis ? 20 : n, axis ? n : 20},
                                       axis, false);
                p.spec.cyclic = cyclic;
                p.spec.singular = p.neumann = true;
                check(p, 1, false, 40 + (double)(n * n)); /* the other lines are as the shift allows: 1/s */
            }
}

/* -u'' without rounding errors: the last pivot is exactly 0, and so is what remains on the right. */
static void test_zero_pivot(void **state RW_UNUSED)
{
    for (int cyclic = 0; cyclic < 2; ++cyclic)
        for (int axis = 0; axis < 2; ++axis) {
            const int64_t n = cyclic ? 2 : 16, m = 20;
            problem p = problem_of(RW_F64, 2, (int64_t[]){axis ? m : n, axis ? n : m}, axis, false);
            values v = {0};
            rw_tridiagonal *t;
            p.spec.cyclic = cyclic;
            p.spec.singular = p.neumann = true;
            make_values(&p, &v);
            for (int64_t i = 0; i < n; ++i) {
                v.a[i] = v.c[i] = -1;
                v.b[i] = cyclic || (i && i < n - 1) ? 2 : 1;
            }
            for (int64_t i = 0; i < p.all; ++i) v.x[i] = i / inner_of(&p) % n - (n - 1) / 2.0L;
            multiply(&p, &v, 1, false);
            send_matrix(&p, &v, 1, false);
            rw_array *x = send_x(&p, v.r);
            OK(rw_tridiagonal_create(dev, &p.spec, &t));
            OK(rw_tridiagonal_enqueue(t, x, queue));
            const double error = error_of(&p, &v, x);
            if (!(error <= 1e5)) fail_msg("axis %d%s: error %g eps", axis, cyclic ? ", cyclic" : "", error);
            rw_tridiagonal_destroy(&t);
            rw_array_destroy(&x);
            free_matrix(&p);
            free_values(&v);
        }
}

/* ---- what is not finite ------------------------------------------------------------------------------------------ */

static void test_not_finite(void **state RW_UNUSED)
{
    for (int axis = 0; axis < 2; ++axis)
        for (int full = 0; full < 2; ++full) {
            problem p = problem_of(RW_F64, 2, (int64_t[]){axis ? 40 : 100, axis ? 100 : 40}, axis, full);
            values v = {0};
            rw_tridiagonal *t;
            make_values(&p, &v);
            multiply(&p, &v, 0, false);
            const int64_t inner = inner_of(&p), nan_line = 3, zero_line = 5, first = axis ? p.n : 1;
            v.r[nan_line * first + 7 * inner] = NAN;
            for (int64_t i = 0; full && i < p.n; ++i) { /* a matrix of zeros */
                const int64_t at = zero_line * first + i * inner;
                v.a[at] = v.b[at] = v.c[at] = 0;
            }
            send_matrix(&p, &v, 0, false);
            rw_array *x = send_x(&p, v.r);
            OK(rw_tridiagonal_create(dev, &p.spec, &t));
            OK(rw_tridiagonal_enqueue(t, x, queue));
            const double *const result = numbers_of(x);
            for (int64_t i = 0; i < p.all; ++i) {
                const int64_t line = axis ? i / p.n : i % inner, row = i / inner % p.n;
                if (line == nan_line && row == 7) assert_true(isnan(result[i]));
                else if (line == zero_line && full) assert_false(isfinite(result[i]));
                else if (line != nan_line) assert_true(fabs(result[i] - (double)creall(v.x[i])) <= 1e-12);
            }
            rw_tridiagonal_destroy(&t);
            rw_array_destroy(&x);
            free_matrix(&p);
            free_values(&v);
        }
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

/* A recorded solve does the same as one that is not, and neither allocates nor copies. */
static void test_recorded(void **state RW_UNUSED)
{
    problem p = problem_of(RW_F64, 2, (int64_t[]){2500, 5}, 0, true);
    values v = {0};
    rw_tridiagonal *t;
    rw_sequence *sequence;
    make_values(&p, &v);
    multiply(&p, &v, 0, false);
    send_matrix(&p, &v, 0, false);
    rw_array *x = send_x(&p, v.r), *y = send_x(&p, v.r);
    OK(rw_tridiagonal_create(dev, &p.spec, &t));
    OK(rw_tridiagonal_enqueue(t, x, queue));
    OK(rw_array_copy(y, y, queue));
    const rw_counters before = counters();
    OK(rw_record_begin(queue));
    OK(rw_tridiagonal_enqueue(t, y, queue));
    OK(rw_record_end(queue, &sequence));
    OK(rw_sequence_replay(sequence, queue));
    const rw_counters after = counters();
    assert_int_equal(after.bytes_allocated_peak, before.bytes_allocated_peak);
    assert_int_equal(after.copies_out + after.copies_device, before.copies_out + before.copies_device);
    rw_sequence_destroy(&sequence);
    same_bits("a recorded solve", x, y);
    rw_tridiagonal_destroy(&t);
    rw_array_destroy(&x);
    rw_array_destroy(&y);
    free_matrix(&p);
    free_values(&v);
}

static void test_explain(void **state RW_UNUSED)
{
    problem p = problem_of(RW_F64, 2, (int64_t[]){4096, 100}, 0, false);
    values v = {0};
    rw_tridiagonal *t;
    rw_text text = {0};
    make_values(&p, &v);
    send_matrix(&p, &v, 0, false);
    OK(rw_tridiagonal_create(dev, &p.spec, &t));
    rw_tridiagonal_explain(t, &text);
    const char *const wanted = has_gpu_kernels() ? "100 lines of 4096, f64, tables: 5 launches, "
                                                 : "100 lines of 4096, f64, tables: 3 launches, ";
    assert_non_null(strstr(text.data, wanted));
    assert_non_null(strstr(text.data, "neighbouring lines"));
    const double bytes = rw_tridiagonal_traffic(t) / (4096 * 100);
    assert_true(bytes > 24 && bytes < 36);
    assert_true(rw_tridiagonal_bytes(t) > 0);
    rw_text_free(&text);
    rw_tridiagonal_destroy(&t);
    free_matrix(&p);
    free_values(&v);
}

static void test_refused(void **state RW_UNUSED)
{
    problem p = problem_of(RW_F64, 2, (int64_t[]){6, 4}, 0, false),
            q = problem_of(RW_F64, 2, (int64_t[]){6, 4}, 0, true);
    values v = {0}, w = {0};
    rw_tridiagonal *t;
    make_values(&p, &v);
    make_values(&q, &w);
    send_matrix(&p, &v, 1, true);
    send_matrix(&q, &w, 0, false);
    rw_tridiagonal_spec s = p.spec;
#define REFUSED(part, member, value)                                                                                   \
    s = p.spec;                                                                                                        \
    s.member = value;                                                                                                  \
    FAILS(RW_ERR_ARGUMENT, part, rw_tridiagonal_create(dev, &s, &t));                                                  \
    assert_null(t)
    REFUSED("dtype = i32", dtype, RW_I32);
    REFUSED("ndim = 4 must be 1 to 3", ndim, 4);
    REFUSED("axis = 2 must be 0 to 1", axis, 2);
    REFUSED("shape[1] = 0", shape[1], 0);
    REFUSED("table of 7 elements", shape[0], 7);
    REFUSED("f32", dtype, RW_F32);
    REFUSED("b is f64 with 2 axes", b, q.spec.b);
    REFUSED("scale is f64 with 1 axes and 4", scale, p.spec.shift[0]);
    REFUSED("shift[0] is f64 with 1 axes and 6", shift[0], p.spec.a);
    REFUSED("shift[1]: x has only 1 other axes", shift[1], p.spec.shift[0]);
    s = q.spec;
    s.c = p.spec.c;
    FAILS(RW_ERR_ARGUMENT, "c must be f64 and have the shape of x", rw_tridiagonal_create(dev, &s, &t));
    s = q.spec;
    s.scale = p.spec.scale;
    FAILS(RW_ERR_ARGUMENT, "need tables", rw_tridiagonal_create(dev, &s, &t));
    OK(rw_tridiagonal_create(dev, &p.spec, &t));
    FAILS(RW_ERR_ARGUMENT, "x must be f64", rw_tridiagonal_enqueue(t, p.spec.a, queue));
    rw_tridiagonal_destroy(&t);
    free_matrix(&p);
    free_matrix(&q);
    free_values(&v);
    free_values(&w);
}

static rw_status make_and_solve(void *user)
{
    rw_tridiagonal *t = NULL;
    const problem *p = user;
    rw_array *x;
    RW_TRY(rw_array_create(dev, RW_F64, 2, p->spec.shape, RW_MEMORY_DEVICE, &x));
    rw_status status = rw_array_zero(x, queue);
    if (status == RW_OK) status = rw_tridiagonal_create(dev, &p->spec, &t);
    if (status == RW_OK) status = rw_tridiagonal_enqueue(t, x, queue);
    if (status == RW_OK) status = rw_queue_wait(queue);
    rw_tridiagonal_destroy(&t);
    rw_array_destroy(&x);
    return status;
}

static void test_faults(void **state RW_UNUSED)
{
    problem p = problem_of(RW_F64, 2, (int64_t[]){1500, 2}, 0, false);
    p.spec.singular = p.neumann = true;
    values v = {0};
    make_values(&p, &v);
    send_matrix(&p, &v, 1, false);
    OK(make_and_solve(&p));
    assert_true(each_fault(RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, make_and_solve, &p) > 3);
    each_fault(RW_FAULT_LAUNCH, RW_ERR_LAUNCH, RW_ERR_LAUNCH, make_and_solve, &p);
    free_matrix(&p);
    free_values(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_axes),   cmocka_unit_test(test_one_axis),   cmocka_unit_test(test_three_axes),
        cmocka_unit_test(test_types),      cmocka_unit_test(test_weak),       cmocka_unit_test(test_singular),
        cmocka_unit_test(test_zero_pivot), cmocka_unit_test(test_not_finite), cmocka_unit_test(test_recorded),
        cmocka_unit_test(test_explain),    cmocka_unit_test(test_refused),    cmocka_unit_test(test_faults),
    };
    return run_on_devices("tridiagonal", tests, RW_COUNT(tests));
}
