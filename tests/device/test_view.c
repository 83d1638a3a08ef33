/* Views: their shapes and places against a plain walk over indices, copies from and to them, kernels that get them
 * packed or in place, what is refused. */
/* TEST: devices=all optimised */
#include <stdint.h>

#include "../devices.h"

static const char text[] =
    "KERNEL(grow, GLOBAL f64 *y, GLOBAL const f64 *x, long n) { EACH_IN(i, 0, n) { y[i] = y[i] + 2 * x[i]; } }\n"
    "KERNEL(in_place, GLOBAL f64 *y, GLOBAL const f64 *x, long at, long rows, long columns, long down, long across)\n"
    "{\n"
    "    EACH_IN(i, 0, rows * columns) { y[i] = x[at + i / columns * down + i % columns * across]; }\n"
    "}\n";

static rw_program *programs[MAX_TEST_DEVICES];

static void compile(int index)
{
    static const rw_define group[] = {{"GROUP", "64"}};
    OK(rw_program_create(dev, "views", text, group, 1, &programs[index]));
}
static void release(int index) { rw_program_destroy(&programs[index]); }

/* Number of the view's k-th element in the memory. */
static int64_t place_of(const rw_array *v, int64_t k)
{
    int64_t at = rw_array_offset(v);
    for (int d = rw_array_ndim(v) - 1; d >= 0; --d)
        at += k % rw_array_shape(v, d) * rw_array_stride(v, d), k /= rw_array_shape(v, d);
    return at;
}

static rw_array *filled(rw_dtype dtype, int ndim, const int64_t *shape, double first)
{
    rw_array *a;
    void *w;
    OK(rw_array_create(dev, dtype, ndim, shape, RW_MEMORY_DEVICE, &a));
    OK(rw_array_write(a, &w));
    for (int64_t i = 0; i < rw_array_size(a); ++i) {
        if (dtype == RW_F64) ((double *)w)[i] = first + (double)i;
        else if (dtype == RW_U16) ((uint16_t *)w)[i] = (uint16_t)((int64_t)first + i);
        else if (dtype == RW_U8) ((uint8_t *)w)[i] = (uint8_t)((int64_t)first + i);
        else ((double *)w)[2 * i] = first + (double)i, ((double *)w)[2 * i + 1] = -(double)i;
    }
    return a;
}

static double value_of(rw_dtype dtype, const void *data, int64_t i)
{
    switch (dtype) {
    case RW_F64: return ((const double *)data)[i];
    case RW_U16: return ((const uint16_t *)data)[i];
    case RW_U8: return ((const uint8_t *)data)[i];
    default: return ((const double *)data)[2 * i] + 1e-3 * ((const double *)data)[2 * i + 1];
    }
}

/* The k-th value of a ramp. */
static double ramp_value(rw_dtype dtype, double first, int64_t k)
{
    const double v = first + (double)k;
    return dtype == RW_U8 ? (double)((int64_t)v & 255) : dtype == RW_C128 ? v - 1e-3 * (double)k : v;
}

/* A view after up to four random steps. */
static rw_array *random_view(rw_array *a, uint64_t seed)
{
    uint64_t draw = 0;
    rw_array *v = rw_array_retain(a);
#define DRAW(n) ((int64_t)(rw_random_u64(seed, draw++) % (uint64_t)(n)))
    for (int step = 0; step < 4; ++step) {
        rw_array *next = NULL;
        const int axis = (int)DRAW(rw_array_ndim(v)), n = (int)rw_array_shape(v, axis);
        switch (DRAW(4)) {
        case 0: {
            const int64_t by = 1 + DRAW(3), first = DRAW(n), last = first + DRAW(n - first);
            if (DRAW(2)) OK(rw_array_slice(v, axis, first, last + 1, by, &next));
            else OK(rw_array_slice(v, axis, last, first - 1, -by, &next));
            break;
        }
        case 1: {
            int axes[RW_MAX_NDIM];
            for (int d = 0; d < rw_array_ndim(v); ++d) {
                const int other = (int)DRAW(d + 1);
                axes[d] = axes[other], axes[other] = d;
            }
            OK(rw_array_transpose(v, axes, &next));
            break;
        }
        case 2: OK(rw_array_select(v, axis, DRAW(n), &next)); break;
        default: OK(rw_array_transpose(v, NULL, &next));
        }
        rw_array_destroy(&v);
        v = next;
    }
#undef DRAW
    return v;
}

/* From a random view, and back to it: the elements between stay as they are. */
static void test_random_views(void **state)
{
    (void)state;
    static const rw_dtype dtypes[] = {RW_F64, RW_U16, RW_C128, RW_U8};
    for (uint64_t seed = 1; seed <= (brief() ? 12 : 60); ++seed) {
        const rw_dtype dtype = dtypes[seed % RW_COUNT(dtypes)];
        const int ndim = 1 + (int)(rw_random_u64(seed, 1000) % 6);
        int64_t shape[RW_MAX_NDIM], size[RW_MAX_NDIM];
        for (int d = 0; d < ndim; ++d)
            shape[d] = 1 + (int64_t)(rw_random_u64(seed, 2000 + (uint64_t)d) % (ndim < 3 ? 90 : 5));
        rw_array *a = filled(dtype, ndim, shape, 5), *v = random_view(a, seed), *b, *c;
        const int n = rw_array_ndim(v);
        for (int d = 0; d < n; ++d) size[d] = rw_array_shape(v, d);
        OK(rw_array_create(dev, dtype, n, size, RW_MEMORY_DEVICE, &b));
        OK(rw_array_copy(b, v, queue));
        const void *data;
        OK(rw_array_read(b, &data));
        for (int64_t k = 0; k < rw_array_size(b); ++k)
            if (value_of(dtype, data, k) != ramp_value(dtype, 5, place_of(v, k)))
                fail_msg("seed %d: element %d of a view of %s is %g, not %g", (int)seed, (int)k, rw_dtype_name(dtype),
                         value_of(dtype, data, k), ramp_value(dtype, 5, place_of(v, k)));
        c = filled(dtype, n, size, 100);
        OK(rw_array_copy(v, c, queue));
        OK(rw_array_read(a, &data));
        unsigned char *seen = calloc((size_t)rw_array_size(a), 1);
        for (int64_t k = 0; k < rw_array_size(v); ++k) {
            seen[place_of(v, k)] = 1;
            assert_true(value_of(dtype, data, place_of(v, k)) == ramp_value(dtype, 100, k));
        }
        for (int64_t k = 0; k < rw_array_size(a); ++k)
            if (!seen[k]) assert_true(value_of(dtype, data, k) == ramp_value(dtype, 5, k));
        OK(rw_array_zero(v, queue));
        OK(rw_array_read(a, &data));
        for (int64_t k = 0; k < rw_array_size(a); ++k)
            assert_true(value_of(dtype, data, k) == (seen[k] ? 0 : ramp_value(dtype, 5, k)));
        free(seen);
        rw_array_destroy(&a), rw_array_destroy(&v), rw_array_destroy(&b), rw_array_destroy(&c);
    }
}

/* Tiles, their edges, and several outer axes. */
static void test_transposes(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{1, 64, 32}, {1, 33, 95}, {3, 100, 5}, {2, 7, 65}, {1, 1, 50}, {4, 31, 129}};
    static const int axes[][3] = {{0, 2, 1}, {2, 1, 0}, {1, 2, 0}};
    for (int s = 0; s < RW_COUNT(shapes); ++s)
        for (int t = 0; t < (brief() ? 1 : 3); ++t) {
            rw_array *a = filled(s % 2 ? RW_C128 : RW_F64, 3, shapes[s], 0), *v, *b;
            const rw_dtype dtype = rw_array_dtype(a);
            OK(rw_array_transpose(a, axes[t], &v));
            const int64_t size[] = {rw_array_shape(v, 0), rw_array_shape(v, 1), rw_array_shape(v, 2)};
            OK(rw_array_create(dev, dtype, 3, size, RW_MEMORY_DEVICE, &b));
            OK(rw_array_copy(b, v, queue));
            const void *data;
            OK(rw_array_read(b, &data));
            for (int64_t k = 0; k < rw_array_size(b); ++k)
                assert_true(value_of(dtype, data, k) == ramp_value(dtype, 0, place_of(v, k)));
            rw_array_destroy(&a), rw_array_destroy(&v), rw_array_destroy(&b);
        }
}

static void test_kernels_get_views(void **state)
{
    (void)state;
    const int64_t shape[] = {6, 8};
    rw_array *a = filled(RW_F64, 2, shape, 0), *b = filled(RW_F64, 2, shape, 0), *column, *row, *rows;
    const void *data;
    OK(rw_array_select(a, 1, 3, &column));
    OK(rw_array_slice(b, 0, 2, 3, 1, &row));
    assert_true(!rw_array_is_contiguous(column) && rw_array_is_contiguous(row));
    /* a column that is packed, and unpacked after the launch; a row at its place, or packed where it cannot lie
     * there */
    const rw_arg args[] = {rw_arg_array(column), rw_arg_array(row), rw_arg_int(6)};
    OK(launch1(queue, kernel_of(programs[device_index()], "grow"), 1, args, 3));
    OK(rw_array_read(a, &data));
    for (int i = 0; i < 48; ++i) assert_true(((const double *)data)[i] == i + (i % 8 == 3 ? 2. * (16 + i / 8) : 0.));
    const rw_arg other[] = {rw_arg_array(row), rw_arg_array(column), rw_arg_int(6)};
    OK(launch1(queue, kernel_of(programs[device_index()], "grow"), 1, other, 3));
    OK(rw_array_read(b, &data));
    for (int i = 0; i < 48; ++i)
        assert_true(((const double *)data)[i] ==
                    i + (i >= 16 && i < 22 ? 2. * ((i - 16) * 8 + 3 + 2. * (16 + i - 16)) : 0.));
    /* in place, by the kernel's own arithmetic, without a copy */
    rw_array *turned, *y;
    const int64_t n = 48;
    OK(rw_array_slice(b, 1, 1, 8, 2, &rows));
    OK(rw_array_transpose(rows, NULL, &turned));
    OK(rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &y));
    const rw_counters before = counters();
    const rw_arg places[] = {rw_arg_array(y),
                             rw_arg_memory(turned),
                             rw_arg_int(rw_array_offset(turned)),
                             rw_arg_int(4),
                             rw_arg_int(6),
                             rw_arg_int(rw_array_stride(turned, 0)),
                             rw_arg_int(rw_array_stride(turned, 1))};
    OK(launch1(queue, kernel_of(programs[device_index()], "in_place"), 1, places, 7));
    assert_int_equal(counters().launches - before.launches, 1);
    const void *all;
    OK(rw_array_read(b, &all));
    rw_array *head;
    OK(rw_array_slice(y, 0, 0, 24, 1, &head));
    OK(rw_array_read(head, &data));
    for (int i = 0; i < 24; ++i)
        assert_true(((const double *)data)[i] == ((const double *)all)[i % 6 * 8 + 1 + 2 * (i / 6)]);
    rw_array_destroy(&a), rw_array_destroy(&b), rw_array_destroy(&column), rw_array_destroy(&row),
        rw_array_destroy(&rows);
    rw_array_destroy(&turned), rw_array_destroy(&y), rw_array_destroy(&head);
}

/* What the host sees through a view, and what it writes. */
static void test_host_pointers(void **state)
{
    (void)state;
    const int64_t shape[] = {4, 5};
    rw_array *a = filled(RW_F64, 2, shape, 0), *row, *column, *flat, *parts;
    const void *data;
    void *w;
    OK(rw_array_zero(a, queue));
    OK(rw_array_slice(a, 0, 1, 3, 1, &row));
    OK(rw_array_write(row, &w)); /* the rest of the memory stays */
    for (int i = 0; i < 10; ++i) ((double *)w)[i] = i + 1;
    OK(rw_array_reshape(a, 1, (const int64_t[]){-1}, &flat));
    OK(rw_array_read(flat, &data));
    for (int i = 0; i < 20; ++i) assert_true(((const double *)data)[i] == (i >= 5 && i < 15 ? i - 4 : 0));
    OK(rw_array_select(a, 1, 0, &column));
    FAILS(RW_ERR_ARGUMENT, "rw_array_read: a view of 4 f64 is not contiguous", rw_array_read(column, &data));
    FAILS(RW_ERR_ARGUMENT, "copy it into an array first", rw_array_write(column, &w));
    FAILS(RW_ERR_ARGUMENT, "rw_array_update", rw_array_update(column, &w));
    rw_array_destroy(&a); /* views keep the memory */
    OK(rw_array_read(row, &data));
    assert_true(((const double *)data)[9] == 10);
    rw_array_destroy(&row), rw_array_destroy(&column), rw_array_destroy(&flat);
    /* the imaginary parts of complex numbers as f64 */
    const int64_t n = 7, two = 2;
    a = filled(RW_C128, 1, &n, 3);
    OK(rw_array_view(a, RW_F64, 1, &n, &two, 1, &parts));
    OK(rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &flat));
    OK(rw_array_copy(flat, parts, queue));
    OK(rw_array_read(flat, &data));
    for (int i = 0; i < 7; ++i) assert_true(((const double *)data)[i] == -i);
    rw_array_destroy(&a), rw_array_destroy(&parts), rw_array_destroy(&flat);
}

/* An array that is exchanged takes its views along. */
static void test_swap(void **state)
{
    (void)state;
    const int64_t n = 12;
    rw_array *a = filled(RW_F64, 1, &n, 0), *b = filled(RW_F64, 1, &n, 100), *v, *w;
    const void *data;
    OK(rw_array_slice(a, 0, 4, 8, 1, &v));
    OK(rw_array_swap(a, b));
    OK(rw_array_read(v, &data));
    assert_true(((const double *)data)[0] == 104);
    const rw_arg args[] = {rw_arg_array(v), rw_arg_array(b), rw_arg_int(4)};
    OK(launch1(queue, kernel_of(programs[device_index()], "grow"), 1, args, 3));
    OK(rw_array_read(a, &data));
    assert_true(((const double *)data)[5] == 105 + 2 * 1.);
    OK(rw_array_slice(b, 0, 0, 12, 1, &w));
    FAILS(RW_ERR_ARGUMENT, "cannot be swapped: use rw_array_copy", rw_array_swap(a, w));
    rw_array_destroy(&a), rw_array_destroy(&b), rw_array_destroy(&v), rw_array_destroy(&w);
}

static void test_refused(void **state)
{
    (void)state;
    const int64_t shape[] = {4, 6}, three[] = {3, 3}, far[] = {INT64_MAX / 2, 1}, over[] = {3, 1}, none[] = {0, 1},
                  big[] = {5, 5};
    rw_array *a = filled(RW_F64, 2, shape, 0), *v = a;
    FAILS(RW_ERR_ARGUMENT, "extends outside the memory", rw_array_view(a, RW_DTYPE_DEFAULT, 2, big, NULL, 0, &v));
    assert_null(v);
    FAILS(RW_ERR_ARGUMENT, "extends outside the memory", rw_array_view(a, RW_DTYPE_DEFAULT, 2, three, NULL, 16, &v));
    FAILS(RW_ERR_ARGUMENT, "extends outside the memory", rw_array_view(a, RW_DTYPE_DEFAULT, 2, three, NULL, -1, &v));
    FAILS(RW_ERR_ARGUMENT, "extends outside the memory", rw_array_view(a, RW_DTYPE_DEFAULT, 2, three, far, 0, &v));
    FAILS(RW_ERR_ARGUMENT, "extends outside the memory",
          rw_array_view(a, RW_DTYPE_DEFAULT, 1, over, (const int64_t[]){INT64_MIN}, 5, &v));
    FAILS(RW_ERR_ARGUMENT, "outside its array", rw_array_view(a, RW_DTYPE_DEFAULT, 1, none, NULL, INT64_MAX, &v));
    FAILS(RW_ERR_ARGUMENT, "ndim = 9", rw_array_view(a, RW_DTYPE_DEFAULT, 9, three, NULL, 0, &v));
    FAILS(RW_ERR_ARGUMENT, "shape[0] = -3", rw_array_view(a, RW_DTYPE_DEFAULT, 1, (const int64_t[]){-3}, NULL, 0, &v));
    OK(rw_array_slice(a, 1, 1, 6, 1, &v));
    rw_array *w;
    FAILS(RW_ERR_ARGUMENT, "not a multiple of the element size 16", rw_array_view(v, RW_C128, 1, over, NULL, 0, &w));
    rw_array_destroy(&v);
    FAILS(RW_ERR_ARGUMENT, "axis = 2 is outside [0, 1]", rw_array_slice(a, 2, 0, 1, 1, &v));
    FAILS(RW_ERR_ARGUMENT, "axis = -1", rw_array_select(a, -1, 0, &v));
    FAILS(RW_ERR_ARGUMENT, "index = 6 is outside [0, 5]", rw_array_select(a, 1, 6, &v));
    FAILS(RW_ERR_ARGUMENT, "first = 0, end = 7, step = 1", rw_array_slice(a, 1, 0, 7, 1, &v));
    FAILS(RW_ERR_ARGUMENT, "step = 0", rw_array_slice(a, 1, 0, 6, 0, &v));
    FAILS(RW_ERR_ARGUMENT, "first = 6, end = -1, step = -1", rw_array_slice(a, 1, 6, -1, -1, &v));
    FAILS(RW_ERR_ARGUMENT, "axis 1 is listed twice", rw_array_transpose(a, (const int[]){1, 1}, &v));
    FAILS(RW_ERR_ARGUMENT, "24 elements do not fill the shape", rw_array_reshape(a, 2, (const int64_t[]){5, -1}, &v));
    FAILS(RW_ERR_ARGUMENT, "shape[1] = -1", rw_array_reshape(a, 2, (const int64_t[]){-1, -1}, &v));
    FAILS(RW_ERR_ARGUMENT, "shape[0] = -2", rw_array_reshape(a, 1, (const int64_t[]){-2}, &v));
    OK(rw_array_transpose(a, NULL, &w));
    FAILS(RW_ERR_ARGUMENT, "rw_array_reshape: the view is not contiguous",
          rw_array_reshape(w, 1, (const int64_t[]){24}, &v));
    FAILS(RW_ERR_ARGUMENT, "shapes must be equal", rw_array_copy(w, a, queue));
    rw_array_destroy(&w);
    /* elements that share memory: read, not written */
    const void *data;
    const int64_t twice[] = {3, 4}, still[] = {0, 1}, near[] = {1, 1};
    OK(rw_array_view(a, RW_DTYPE_DEFAULT, 2, twice, still, 2, &v));
    OK(rw_array_create(dev, RW_F64, 2, twice, RW_MEMORY_DEVICE, &w));
    OK(rw_array_copy(w, v, queue));
    OK(rw_array_read(w, &data));
    for (int i = 0; i < 12; ++i) assert_true(((const double *)data)[i] == 2 + i % 4);
    FAILS(RW_ERR_ARGUMENT, "whose elements overlap in memory cannot be written", rw_array_copy(v, w, queue));
    FAILS(RW_ERR_ARGUMENT, "overlap in memory", rw_array_zero(v, queue));
    const rw_arg args[] = {rw_arg_array(v), rw_arg_array(w), rw_arg_int(12)};
    FAILS(RW_ERR_ARGUMENT, "overlap in memory",
          launch1(queue, kernel_of(programs[device_index()], "grow"), 1, args, 3));
    rw_array_destroy(&v), rw_array_destroy(&w);
    OK(rw_array_view(a, RW_DTYPE_DEFAULT, 2, twice, near, 0, &v));
    FAILS(RW_ERR_ARGUMENT, "overlap in memory", rw_array_zero(v, queue));
    rw_array_destroy(&v), rw_array_destroy(&a);
}

static void test_empty_views(void **state)
{
    (void)state;
    const int64_t shape[] = {4, 6};
    rw_array *a = filled(RW_F64, 2, shape, 0), *v, *w;
    OK(rw_array_slice(a, 1, 3, 3, 1, &v));
    assert_int_equal(rw_array_size(v), 0);
    OK(rw_array_transpose(v, NULL, &w));
    OK(rw_array_zero(v, queue));
    OK(rw_array_copy(v, v, queue));
    const void *data;
    OK(rw_array_read(a, &data));
    assert_true(((const double *)data)[23] == 23);
    rw_array_destroy(&a), rw_array_destroy(&v), rw_array_destroy(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_views),
                                       cmocka_unit_test(test_transposes),
                                       cmocka_unit_test(test_kernels_get_views),
                                       cmocka_unit_test(test_host_pointers),
                                       cmocka_unit_test(test_swap),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_empty_views)};
    return run_on_devices_with("view", tests, RW_COUNT(tests), compile, release);
}
