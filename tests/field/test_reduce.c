/* Reductions: every operation, element type, size and group size against sums in long double, with the bound that the
 * order of summation gives; the same bits every time; NaN, infinity, nothing; results that stay on the device. */
/* TEST: devices=all unoptimised */
#include <float.h>
#include <math.h>
#include <pthread.h>

#include "../devices.h"
#include "rechenwerk/array.h"

enum { OPS = 7, DTYPES = 5 };
static const char *const op_names[OPS] = {"sum", "dot", "min", "max", "norm1", "norm2", "normmax"};
static const int64_t sizes[] = {0, 1, 2, 255, 256, 257, 1023, 65537, 1000003};
enum { SIZES = sizeof sizes / sizeof *sizes };
static const int groups[] = {0, 1, 2, 3, 7, 64, 255, 256, 1000};
enum { GROUPS = sizeof groups / sizeof *groups };

static bool possible(rw_reduce_op op, rw_dtype dtype)
{
    return !rw_dtype_is_complex(dtype) || (op != RW_REDUCE_OP_MIN && op != RW_REDUCE_OP_MAX);
}
static bool is_extreme(rw_reduce_op op)
{
    return op == RW_REDUCE_OP_MIN || op == RW_REDUCE_OP_MAX || op == RW_REDUCE_OP_NORMMAX;
}

/* ---- data and expected values ------------------------------------------------------------------------------------ */

/* Part of element i of vector v as the type stores it: between -0.4 and 0.6, so that sums cancel a little. */
static double part(int v, int64_t i, bool f32)
{
    double x = rw_random_uniform(17 + (uint64_t)v, (uint64_t)i) - 0.4;
    return f32 ? (double)(float)x : x;
}

static bool is_f32(rw_dtype dtype) { return dtype == RW_F32 || dtype == RW_C64; }

static rw_array *vector(rw_dtype dtype, int v, int64_t n)
{
    rw_array *a = new_array(dtype, n, RW_MEMORY_DEVICE);
    int64_t parts = n * (rw_dtype_is_complex(dtype) ? 2 : 1);
    void *w;
    OK(rw_array_write(a, &w));
    for (int64_t i = 0; i < parts; ++i)
        if (is_f32(dtype)) ((float *)w)[i] = (float)part(v, i, true);
        else ((double *)w)[i] = part(v, i, false);
    return a;
}

/* sum with its rounding errors kept (Neumaier), so that it is right to the last digit of a double */
typedef struct exact {
    long double sum, lost, size;
} exact;
static void add(exact *e, long double x)
{
    long double t = e->sum + x;
    e->lost += fabsl(e->sum) >= fabsl(x) ? (e->sum - t) + x : (x - t) + e->sum;
    e->sum = t, e->size += fabsl(x);
}

typedef struct expected {
    double re, im, size;
} expected; /* size: sum of the terms' absolute values */

static expected reference(rw_reduce_op op, rw_dtype dtype, int64_t n)
{
    bool z = rw_dtype_is_complex(dtype), f32 = is_f32(dtype);
    exact re = {0}, im = {0};
    long double extreme = op == RW_REDUCE_OP_MIN ? INFINITY : op == RW_REDUCE_OP_MAX ? -INFINITY : 0;
    for (int64_t i = 0; i < n; ++i) {
        long double x = part(0, z ? 2 * i : i, f32), xi = z ? part(0, 2 * i + 1, f32) : 0;
        long double y = part(1, z ? 2 * i : i, f32), yi = z ? part(1, 2 * i + 1, f32) : 0,
                    m = z ? hypotl(x, xi) : fabsl(x);
        switch (op) {
        case RW_REDUCE_OP_SUM: add(&re, x), add(&im, xi); break;
        case RW_REDUCE_OP_DOT: add(&re, x * y), add(&re, xi * yi), add(&im, x * yi), add(&im, -xi * y); break;
        case RW_REDUCE_OP_MIN: extreme = fminl(extreme, x); break;
        case RW_REDUCE_OP_MAX: extreme = fmaxl(extreme, x); break;
        case RW_REDUCE_OP_NORM1: add(&re, m); break;
        case RW_REDUCE_OP_NORM2: add(&re, x * x), add(&re, xi * xi); break;
        case RW_REDUCE_OP_NORMMAX: extreme = fmaxl(extreme, m); break;
        }
    }
    expected e = {(double)(re.sum + re.lost), (double)(im.sum + im.lost), (double)(re.size + im.size)};
    if (is_extreme(op)) e.re = (double)extreme, e.size = isinf((double)extreme) ? 0 : (double)fabsl(extreme);
    if (op == RW_REDUCE_OP_NORM2) e.re = (double)sqrtl(re.sum + re.lost), e.size = e.re;
    return e;
}

/* Each term passes at most so many additions: n/(parts GROUP) in its item, the tree over the items, the same once more
 * for the parts; each rounds by eps/2 of a partial sum, which is at most the sum of the |terms|. With `terms` roundings
 * inside a term (a product 1, complex product 3, hypot 4 ulp) and one conversion: |error| <= (depth + terms + 1) eps/2
 * sum |term| to first order; we allow eps instead of eps/2. That is C n eps with C <= 1/parts + 12/n. A norm's root
 * halves it. */
static double bound(rw_reduce_op op, rw_dtype dtype, int64_t n, int group, double size)
{
    int64_t parts = 256;
    int depth = 2, terms = op == RW_REDUCE_OP_SUM ? 0 : rw_dtype_is_complex(dtype) ? 8 : 1;
    if (is_extreme(op)) return rw_dtype_is_complex(dtype) ? 4 * DBL_EPSILON * size : 0;
    for (int i = 1; i < group; i *= 2) depth += 2;
    depth += (int)(n / (parts * group) + parts / group + 2);
    return (depth + terms) * DBL_EPSILON * size;
}

/* ---- the grid of cases ------------------------------------------------------------------------------------------- */

/* Computed when it is asked for. */
static const expected *expected_of(int op, int dtype, int size)
{
    static expected table[OPS][DTYPES][SIZES];
    static bool known[OPS][DTYPES][SIZES];
    if (!known[op][dtype][size])
        table[op][dtype][size] = reference((rw_reduce_op)op, (rw_dtype)dtype, sizes[size]),
        known[op][dtype][size] = true;
    return &table[op][dtype][size];
}

/* Long: all of it on the cpu and on GPUs. The check device looks at each access (0.1 s a reduction, whatever the size)
 * and PoCL takes 2 s a program: those do the default group for everything, others here and there. Short: the default
 * group, and on the cpu two others of the nine. */
static bool in_the_grid(int op, int dtype, int group, int size)
{
    bool some = (op + dtype) % 6 == 1 && groups[group] % 2 == 1;
    int64_t n = sizes[size];
    if (!test_long()) {
        if (on("check"))
            return groups[group] == 0
                       ? n == 0 || n == 257 || (op == 0 && (n == 1023 || (n == 65537 && dtype == RW_F64)))
                       : op == 1 && some && n == 257;
        if (on("opencl") && !rw_device_info(dev)->gpu)
            return n < (op == 0 ? 100000 : 2000) && (groups[group] == 0 || (some && groups[group] == 7));
        return groups[group] == 0 || (group % 4 == (op + dtype) % 4 && n < 100000);
    }
    if (on("check"))
        return groups[group] == 0 ? n == 0 || n == 257 || n == 1023 || (n == 65537 && op == 0) : some && n == 257;
    if (!on("opencl") || rw_device_info(dev)->gpu) return true;
    return groups[group] == 0 || groups[group] == 256 || (some && groups[group] < 64) ||
           (groups[group] == 1000 && op == RW_REDUCE_OP_SUM && dtype == RW_F64);
}

static void check_value(rw_reduce_op op, rw_dtype dtype, int group, int size, const double got[2], const char *where)
{
    const expected *e = expected_of((int)op, (int)dtype, size);
    double limit = bound(op, dtype, sizes[size], groups[group] ? groups[group] : 256, e->size);
    bool equal = got[0] == e->re && got[1] == e->im; /* infinities too */
    if (!equal && !(hypot(got[0] - e->re, got[1] - e->im) <= limit))
        fail_msg("%s %s of %lld, group %d, %s: %.17g%+.17gi, expected %.17g%+.17gi, off by %.3g, allowed %.3g",
                 op_names[op], rw_dtype_name(dtype), (long long)sizes[size], groups[group], where, got[0], got[1],
                 e->re, e->im, hypot(got[0] - e->re, got[1] - e->im), limit);
}

static void check_dtype(rw_dtype dtype)
{
    rw_array *x[SIZES], *y[SIZES];
    for (int s = 0; s < SIZES; ++s) x[s] = vector(dtype, 0, sizes[s]), y[s] = vector(dtype, 1, sizes[s]);
    for (int op = 0; op < OPS; ++op)
        for (int g = 0; g < GROUPS && possible((rw_reduce_op)op, dtype); ++g) {
            rw_reducer *r = NULL;
            for (int s = 0; s < SIZES; ++s) {
                if (!in_the_grid(op, dtype, g, s)) continue;
                if (!r) OK(rw_reducer_create(dev, (rw_reduce_op)op, dtype, groups[g], &r));
                double first[2] = {NAN, NAN}, again[2];
                rw_array *second = op == RW_REDUCE_OP_DOT ? y[s] : NULL;
                OK(rw_reducer_value(r, queue, x[s], second, &first[0], &first[1]));
                check_value((rw_reduce_op)op, dtype, g, s, first, "first");
                OK(rw_reducer_value(r, queue, x[s], second, &again[0], &again[1]));
                assert_memory_equal(first, again, sizeof first); /* the same bits */
                OK(rw_reducer_value(r, queue, x[s], second, &again[0], NULL));
                assert_memory_equal(first, again, sizeof *first);
            }
            rw_reducer_destroy(&r);
        }
    for (int s = 0; s < SIZES; ++s) rw_array_destroy(&x[s]), rw_array_destroy(&y[s]);
}

static void test_f32(void **state)
{
    (void)state;
    check_dtype(RW_F32);
}
static void test_f64(void **state)
{
    (void)state;
    check_dtype(RW_F64);
}
static void test_c64(void **state)
{
    (void)state;
    check_dtype(RW_C64);
}
static void test_c128(void **state)
{
    (void)state;
    check_dtype(RW_C128);
}

/* ---- determinism ------------------------------------------------------------------------------------------------- */

static void on_another_device(const char *name, rw_reduce_op op, rw_dtype dtype, int group, int64_t n, double out[2])
{
    rw_device *mine = dev;
    OK(rw_device_open(ctx, name, &dev));
    rw_array *x = vector(dtype, 0, n), *y = vector(dtype, 1, n);
    rw_reducer *r;
    OK(rw_reducer_create(dev, op, dtype, group, &r));
    OK(rw_reducer_value(r, rw_device_queue(dev), x, op == RW_REDUCE_OP_DOT ? y : NULL, &out[0], &out[1]));
    rw_reducer_destroy(&r);
    rw_array_destroy(&x), rw_array_destroy(&y);
    rw_device_close(&dev);
    dev = mine;
}

static void test_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static const char *const names[] = {"cpu:1", "cpu:2", "cpu:5", "cpu"};
    for (int op = 0; op < OPS; ++op) {
        double out[4][2];
        rw_dtype dtype = op == RW_REDUCE_OP_MIN || op == RW_REDUCE_OP_MAX ? RW_F32 : op % 2 ? RW_C128 : RW_F64;
        for (int i = 0; i < RW_COUNT(names); ++i)
            on_another_device(names[i], (rw_reduce_op)op, dtype, 0, 300007, out[i]);
        for (int i = 1; i < RW_COUNT(names); ++i) assert_memory_equal(out[0], out[i], sizeof out[0]);
    }
}

/* A device opened again, and with the array made anew: the same bits. */
static void test_the_same_bits_on_a_device_opened_again(void **state)
{
    (void)state;
    double out[2][2];
    for (int i = 0; i < 2; ++i)
        on_another_device(rw_device_info(dev)->name, RW_REDUCE_OP_SUM, RW_F64, 0, 20011, out[i]);
    assert_memory_equal(out[0], out[1], sizeof out[0]);
}

/* ---- NaN and infinity -------------------------------------------------------------------------------------------- */

static double reduce_values(rw_reduce_op op, const double *values, int64_t n, double *im)
{
    rw_reducer *r;
    rw_array *x = new_array(RW_F64, n, RW_MEMORY_DEVICE);
    void *w;
    double re;
    OK(rw_array_write(x, &w));
    memcpy(w, values, (size_t)n * sizeof *values);
    OK(rw_reducer_create(dev, op, RW_F64, 0, &r));
    OK(rw_reducer_value(r, queue, x, op == RW_REDUCE_OP_DOT ? x : NULL, &re, im));
    rw_reducer_destroy(&r);
    rw_array_destroy(&x);
    return re;
}

static void test_nan_goes_through(void **state)
{
    (void)state;
    static const int64_t places[] = {0, 1, 255, 256, 299, 600};
    double values[601];
    for (int p = 0; p < RW_COUNT(places); ++p) {
        for (int i = 0; i < 601; ++i) values[i] = i - 300;
        values[places[p]] = NAN;
        for (int op = 0; op < OPS; ++op)
            if (!isnan(reduce_values((rw_reduce_op)op, values, 601, NULL)))
                fail_msg("%s, NaN at %d", op_names[op], (int)places[p]);
    }
}

static void test_infinity(void **state)
{
    (void)state;
    static const double sums[OPS] = {INFINITY, INFINITY, -300, INFINITY, INFINITY, INFINITY, INFINITY};
    double values[601];
    for (int i = 0; i < 601; ++i) values[i] = i - 300;
    values[500] = INFINITY;
    for (int op = 0; op < OPS; ++op) assert_true(reduce_values((rw_reduce_op)op, values, 601, NULL) == sums[op]);
    values[7] = -INFINITY;
    assert_true(isnan(reduce_values(RW_REDUCE_OP_SUM, values, 601, NULL)));
    assert_true(reduce_values(RW_REDUCE_OP_MIN, values, 601, NULL) == -INFINITY);
    assert_true(reduce_values(RW_REDUCE_OP_MAX, values, 601, NULL) == INFINITY);
    double only[2] = {INFINITY, INFINITY};
    assert_true(reduce_values(RW_REDUCE_OP_MIN, only, 2, NULL) == INFINITY);
    only[0] = only[1] = -INFINITY;
    assert_true(reduce_values(RW_REDUCE_OP_MAX, only, 2, NULL) == -INFINITY);
}

/* ---- results on the device --------------------------------------------------------------------------------------- */

static void test_results_stay_on_the_device(void **state)
{
    (void)state;
    enum { SLOTS = 5, N = 1000 };
    rw_reducer *sum, *largest;
    rw_array *x = new_ramp(N, 1, 1), *result = new_ramp(SLOTS, -1, 0);
    OK(rw_reducer_create(dev, RW_REDUCE_OP_SUM, RW_F64, 0, &sum));
    OK(rw_reducer_create(dev, RW_REDUCE_OP_MAX, RW_F64, 0, &largest));
    OK(rw_array_send(x, queue));
    OK(rw_array_send(result, queue));
    rw_counters c = counters();
    for (int i = 0; i < 50; ++i) {
        OK(rw_reducer_run(sum, queue, x, NULL, result, 1));
        OK(rw_reducer_run(largest, queue, x, NULL, result, 4));
        OK(rw_reducer_run(sum, queue, result, NULL, result, 0)); /* of a result, into the array that holds it */
    }
    OK(rw_queue_wait(queue));
    assert_int_equal(counters().copies_in - c.copies_in, 0);
    assert_int_equal(counters().copies_out - c.copies_out, 0);
    assert_int_equal(counters().compilations - c.compilations, 0);
    assert_int_equal(counters().launches - c.launches, 300);
    assert_int_equal(counters().bytes_allocated, c.bytes_allocated);
    double s = 500500, first = -1;
    for (int i = 0; i < 50; ++i) first = first + s - 1 - 1 + N;
    assert_true(numbers_of(result)[1] == s && numbers_of(result)[4] == N && numbers_of(result)[0] == first);
    assert_true(numbers_of(result)[2] == -1 && numbers_of(result)[3] == -1); /* other places untouched */
    assert_int_equal(counters().copies_out - c.copies_out, discrete() ? 1 : 0);
    rw_reducer_destroy(&sum), rw_reducer_destroy(&largest);
    assert_null(sum);
    rw_reducer_destroy(&sum);
    rw_array_destroy(&x), rw_array_destroy(&result);
}

static void test_a_complex_result_on_the_device(void **state)
{
    (void)state;
    rw_reducer *r;
    rw_array *x = vector(RW_C64, 0, 257), *result = new_array(RW_C128, 3, RW_MEMORY_PINNED);
    const void *data;
    double re, im;
    OK(rw_array_zero(result, queue));
    OK(rw_reducer_create(dev, RW_REDUCE_OP_SUM, RW_C64, 0, &r));
    OK(rw_reducer_run(r, queue, x, NULL, result, 2));
    OK(rw_array_read(result, &data));
    OK(rw_reducer_value(r, queue, x, NULL, &re, &im));
    const double *d = data;
    assert_true(d[4] == re && d[5] == im && d[0] == 0 && d[3] == 0);
    rw_reducer_destroy(&r);
    rw_array_destroy(&x), rw_array_destroy(&result);
}

/* One reducer in two queues: its own array of parts keeps them apart. */
static void test_one_reducer_in_two_queues(void **state)
{
    (void)state;
    rw_queue *other;
    rw_reducer *r;
    OK(rw_queue_create(dev, &other));
    OK(rw_reducer_create(dev, RW_REDUCE_OP_SUM, RW_F64, 0, &r));
    rw_array *x = new_ramp(3000, 1, 0), *y = new_ramp(3000, 2, 0), *result = new_ramp(20, 0, 0);
    for (int i = 0; i < 20; ++i) OK(rw_reducer_run(r, i % 2 ? other : queue, i % 2 ? y : x, NULL, result, i));
    for (int i = 0; i < 20; ++i) assert_true(numbers_of(result)[i] == 3000 * (1 + i % 2));
    rw_queue_destroy(&other);
    rw_reducer_destroy(&r);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&result);
}

/* ---- mistakes and failures --------------------------------------------------------------------------------------- */

static void test_mistakes(void **state)
{
    (void)state;
    rw_reducer *r = (rw_reducer *)state, *dot;
    double re;
    FAILS(RW_ERR_ARGUMENT, "op 7", rw_reducer_create(dev, (rw_reduce_op)7, RW_F64, 0, &r));
    assert_null(r);
    FAILS(RW_ERR_ARGUMENT, "dtype u8", rw_reducer_create(dev, RW_REDUCE_OP_SUM, RW_U8, 0, &r));
    FAILS(RW_ERR_ARGUMENT, "group -1", rw_reducer_create(dev, RW_REDUCE_OP_SUM, RW_F64, -1, &r));
    FAILS(RW_ERR_ARGUMENT, "GROUP = 10000000 exceeds", rw_reducer_create(dev, RW_REDUCE_OP_SUM, RW_F64, 10000000, &r));
    FAILS(RW_ERR_ARGUMENT, "have no order; use normmax", rw_reducer_create(dev, RW_REDUCE_OP_MIN, RW_C64, 0, &r));
    FAILS(RW_ERR_ARGUMENT, "max of complex", rw_reducer_create(dev, RW_REDUCE_OP_MAX, RW_C128, 0, &r));
    assert_null(r);
    OK(rw_reducer_create(dev, RW_REDUCE_OP_SUM, RW_F64, 0, &r));
    OK(rw_reducer_create(dev, RW_REDUCE_OP_DOT, RW_F64, 0, &dot));
    rw_array *x = new_ramp(10, 0, 1), *y = new_ramp(11, 0, 1), *f = vector(RW_F32, 0, 10), *result = new_ramp(3, 0, 0),
             *wrong = vector(RW_C128, 0, 3);
    FAILS(RW_ERR_ARGUMENT, "sum takes one array", rw_reducer_value(r, queue, x, x, &re, NULL));
    FAILS(RW_ERR_ARGUMENT, "dot takes two arrays", rw_reducer_value(dot, queue, x, NULL, &re, NULL));
    FAILS(RW_ERR_ARGUMENT, "other size", rw_reducer_value(dot, queue, x, y, &re, NULL));
    FAILS(RW_ERR_ARGUMENT, "dot of f64", rw_reducer_value(dot, queue, x, f, &re, NULL));
    FAILS(RW_ERR_ARGUMENT, "cannot take 10 f32", rw_reducer_value(r, queue, f, NULL, &re, NULL));
    FAILS(RW_ERR_ARGUMENT, "at index 3, but the array has 3 f64", rw_reducer_run(r, queue, x, NULL, result, 3));
    FAILS(RW_ERR_ARGUMENT, "at index -1", rw_reducer_run(r, queue, x, NULL, result, -1));
    FAILS(RW_ERR_ARGUMENT, "has 3 c128", rw_reducer_run(r, queue, x, NULL, wrong, 0));
    rw_device *other;
    OK(rw_device_open(ctx, "cpu:1", &other));
    FAILS(RW_ERR_ARGUMENT, "", rw_reducer_run(r, rw_device_queue(other), x, NULL, result, 0));
    rw_device_close(&other);
    OK(rw_reducer_value(dot, queue, x, x, &re, NULL)); /* x twice is fine */
    assert_true(re == 285);
    rw_reducer_destroy(&r), rw_reducer_destroy(&dot);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&f), rw_array_destroy(&result),
        rw_array_destroy(&wrong);
}

static rw_status life(void *user)
{
    rw_array *x = user;
    rw_reducer *r;
    double re = 0, im;
    rw_status status = rw_reducer_create(dev, RW_REDUCE_OP_SUM, RW_F64, 0, &r);
    if (status == RW_OK) status = rw_reducer_value(r, queue, x, NULL, &re, &im);
    if (status == RW_OK && (re != 10 || im != 0)) status = RW_ERR_INTERNAL;
    rw_reducer_destroy(&r);
    return status;
}

static void test_everything_may_fail_once(void **state)
{
    (void)state;
    rw_array *x = new_ramp(5, 0, 1);
    OK(life(x));
    assert_int_equal(each_fault(RW_FAULT_DEVICE_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, life, x), 2);
    assert_int_equal(each_fault(RW_FAULT_LAUNCH, RW_ERR_LAUNCH, RW_ERR_LAUNCH, life, x), 2);
    if (!on("opencl")) /* an entry of the cache that has no memory to be read into is compiled again: slow there */
        assert_true(each_fault(RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, life, x) > 5);
    rw_context_set_cache(ctx, false, NULL, false);
    rw_fault_set(RW_FAULT_COMPILE, 1);
    FAILS(RW_ERR_COMPILE, "program sum: the compiler failed (injected)", life(x));
    rw_fault_set(RW_FAULT_COMPILE, 0);
    rw_context_set_cache(ctx, true, NULL, false);
    OK(life(x));
    rw_array_destroy(&x);
}

/* Reducers outlive the device that made them. */
static void test_destruction_in_any_order(void **state)
{
    (void)state;
    rw_device *d;
    rw_reducer *r;
    rw_array *x;
    double re;
    const int64_t n = 4;
    double data[4] = {1, 2, 3, 4};
    OK(rw_device_open(ctx, rw_device_info(dev)->name, &d));
    OK(rw_reducer_create(d, RW_REDUCE_OP_SUM, RW_F64, 0, &r));
    OK(rw_array_create_from(d, RW_F64, 1, &n, data, RW_BORROW, &x));
    rw_queue *q = rw_device_queue(d);
    rw_device_close(&d);
    OK(rw_reducer_value(r, q, x, NULL, &re, NULL));
    assert_true(re == 10);
    rw_array_destroy(&x);
    rw_reducer_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32),
        cmocka_unit_test(test_f64),
        cmocka_unit_test(test_c64),
        cmocka_unit_test(test_c128),
        cmocka_unit_test(test_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_the_same_bits_on_a_device_opened_again),
        cmocka_unit_test(test_nan_goes_through),
        cmocka_unit_test(test_infinity),
        cmocka_unit_test(test_results_stay_on_the_device),
        cmocka_unit_test(test_a_complex_result_on_the_device),
        cmocka_unit_test(test_one_reducer_in_two_queues),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_everything_may_fail_once),
        cmocka_unit_test(test_destruction_in_any_order),
    };
    return run_on_devices("reduce", tests, RW_COUNT(tests));
}
