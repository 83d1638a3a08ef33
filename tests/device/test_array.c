/* Arrays on every device: shapes, element types, who owns the data, which copy is current, how often it is copied,
 * exchange, and every way in which memory runs out. */
/* TEST: devices=all optimised */
#include <pthread.h>
#include <stdint.h>

#include "../devices.h"
#include "../values.h"

static const char text[] = "KERNEL(add, GLOBAL f64 *y, GLOBAL const f64 *x, f64 c, long n)\n"
                           "{\n"
                           "    EACH_IN(i, GROUP_ID(0) * (long)GROUP, n < (GROUP_ID(0) + 1) * (long)GROUP ? n : "
                           "(GROUP_ID(0) + 1) * (long)GROUP) { y[i] = x[i] + c; }\n"
                           "}\n"
                           "KERNEL(grow, GLOBAL f64 *y, f64 c, long n) { EACH(i, n) { y[i] = y[i] + c; } }\n";

static rw_program *programs[MAX_TEST_DEVICES];

static void compile(int index)
{
    static const rw_define group[] = {{"GROUP", "64"}};
    OK(rw_program_create(dev, "arrays", text, group, 1, &programs[index]));
}
static void release(int index) { rw_program_destroy(&programs[index]); }

/* y <- x + c */
static void add(rw_queue *q, rw_array *y, rw_array *x, double c)
{
    const int64_t n = rw_array_size(y);
    const rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_real(c), rw_arg_int(n)};
    OK(launch1(q, kernel_of(programs[device_index()], "add"), (n + 63) / 64, args, 4));
}

/* y <- y + c */
static void grow(rw_queue *q, rw_array *y, double c)
{
    const rw_arg args[] = {rw_arg_array(y), rw_arg_real(c), rw_arg_int(rw_array_size(y))};
    OK(launch1(q, kernel_of(programs[device_index()], "grow"), 1, args, 3));
}

static rw_array *f64_array(int64_t n) { return new_array(RW_F64, n, RW_MEMORY_DEVICE); }

static void assert_copies(rw_counters before, int in, int out, int device)
{
    rw_counters now = counters();
    if (!discrete()) in = out = 0; /* one memory: only copies on the device are copies */
    if (now.copies_in - before.copies_in != in || now.copies_out - before.copies_out != out ||
        now.copies_device - before.copies_device != device)
        fail_msg("copies: %lld in, %lld out, %lld on the device; expected %d, %d, %d",
                 (long long)(now.copies_in - before.copies_in), (long long)(now.copies_out - before.copies_out),
                 (long long)(now.copies_device - before.copies_device), in, out, device);
}

/* ---- shapes and types ---------------------------------------------------------------------------------------- */

static void test_shapes(void **state)
{
    (void)state;
    static const int64_t shape[] = {2, 3, 5, 7, 1, 2, 3, 2};
    for (int ndim = 1; ndim <= RW_MAX_NDIM; ++ndim) {
        rw_array *a;
        OK(rw_array_create(dev, RW_F32, ndim, shape, RW_MEMORY_DEVICE, &a));
        int64_t size = 1;
        for (int d = 0; d < ndim; ++d) size *= shape[d];
        assert_int_equal(rw_array_size(a), size);
        assert_int_equal(rw_array_ndim(a), ndim);
        assert_int_equal(rw_array_dtype(a), RW_F32);
        assert_ptr_equal(rw_array_device(a), dev);
        for (int d = 0; d < 10; ++d) assert_int_equal(rw_array_shape(a, d), d < ndim ? shape[d] : 1);
        for (int64_t d = ndim - 1, step = 1; d >= 0; step *= shape[d--])
            assert_int_equal(rw_array_stride(a, (int)d), step);
        assert_true(rw_array_is_contiguous(a));
        assert_int_equal(rw_array_offset(a), 0);
        assert_int_equal(rw_array_shape(a, -1), 1);
        rw_array_destroy(&a);
        assert_null(a);
        rw_array_destroy(&a); /* NULL is allowed */
    }
}

static void test_bad_shapes(void **state)
{
    (void)state;
    rw_array *a = (rw_array *)state;
    const int64_t four[RW_MAX_NDIM + 1] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, negative[] = {4, -1}, low[] = {INT64_MIN};
    const int64_t much[] = {INT64_MAX, INT64_MAX}, edge[] = {INT64_MAX / 8 + 1},
                  mixed[] = {(int64_t)1 << 31, 3, (int64_t)1 << 31};
    FAILS(RW_ERR_ARGUMENT, "ndim = 0", rw_array_create(dev, RW_F64, 0, four, RW_MEMORY_DEVICE, &a));
    assert_null(a);
    FAILS(RW_ERR_ARGUMENT, "ndim = 9 is outside [1, 8]", rw_array_create(dev, RW_F64, 9, four, RW_MEMORY_DEVICE, &a));
    FAILS(RW_ERR_ARGUMENT, "ndim = -1", rw_array_create(dev, RW_F64, -1, four, RW_MEMORY_DEVICE, &a));
    FAILS(RW_ERR_ARGUMENT, "shape[1] = -1", rw_array_create(dev, RW_F64, 2, negative, RW_MEMORY_DEVICE, &a));
    FAILS(RW_ERR_ARGUMENT, "shape[0] = -9223372036854775808",
          rw_array_create(dev, RW_F64, 1, low, RW_MEMORY_DEVICE, &a));
    FAILS(RW_ERR_ARGUMENT, "2^63", rw_array_create(dev, RW_F64, 2, much, RW_MEMORY_DEVICE, &a));
    FAILS(RW_ERR_ARGUMENT, "2^63", rw_array_create(dev, RW_F64, 1, edge, RW_MEMORY_DEVICE, &a));
    FAILS(RW_ERR_ARGUMENT, "2^63", rw_array_create(dev, RW_U8, 3, mixed, RW_MEMORY_DEVICE, &a));
    FAILS(RW_ERR_ARGUMENT, "dtype = 16", rw_array_create(dev, (rw_dtype)16, 1, four, RW_MEMORY_DEVICE, &a));
    FAILS(RW_ERR_ARGUMENT, "dtype = 0", rw_array_create(dev, RW_DTYPE_DEFAULT, 1, four, RW_MEMORY_DEVICE, &a));
    FAILS(RW_ERR_ARGUMENT, "data = NULL", rw_array_create_from(dev, RW_F64, 1, four, NULL, RW_COPY, &a));
    assert_null(a);
    FAILS(RW_ERR_ARGUMENT, "data = NULL", rw_array_create_from(dev, RW_F64, 1, four, NULL, RW_BORROW, &a));
    FAILS(RW_ERR_ARGUMENT, "data = NULL", rw_array_create_from(dev, RW_F64, 1, four, NULL, RW_OWN, &a));
    FAILS(RW_ERR_ARGUMENT, "mode", rw_array_create_from(dev, RW_F64, 1, four, &a, (rw_copy_mode)3, &a));
    FAILS(RW_ERR_ARGUMENT, "memory", rw_array_create(dev, RW_F64, 1, four, (rw_memory)4, &a));
    assert_null(a);
}

static void test_size_0(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{0, 1}, {0, 7}, {7, 0}, {INT64_MAX, 0}, {0, INT64_MAX}};
    for (int i = 0; i < RW_COUNT(shapes); ++i)
        for (int memory = RW_MEMORY_DEVICE; memory <= RW_MEMORY_PINNED; ++memory) {
            rw_array *a, *b;
            const void *p;
            void *w;
            rw_counters before = counters();
            OK(rw_array_create(dev, RW_C128, 2, shapes[i], (rw_memory)memory, &a));
            OK(rw_array_create(dev, RW_C128, 2, shapes[i], (rw_memory)memory, &b));
            assert_int_equal(rw_array_size(a), 0);
            OK(rw_array_read(a, &p)); /* nothing is unwritten in it */
            OK(rw_array_write(a, &w));
            OK(rw_array_update(a, &w));
            OK(rw_array_send(a, queue));
            OK(rw_array_fetch(a, queue));
            OK(rw_array_copy(a, b, queue));
            OK(rw_array_zero(a, queue));
            OK(rw_array_swap(a, b));
            assert_copies(before, 0, 0, 0);
            rw_array_destroy(&a), rw_array_destroy(&b);
            for (int mode = RW_COPY; mode <= RW_OWN; ++mode) {
                OK(rw_array_create_from(dev, RW_F32, 2, shapes[i], NULL, (rw_copy_mode)mode, &a));
                OK(rw_array_read(a, &p));
                OK(rw_array_update(a, &w));
                rw_array_destroy(&a);
            }
        }
    rw_array *a = f64_array(0);
    grow(queue, a, 1); /* empty range */
    rw_array_destroy(&a);
}

static void test_every_dtype_round_trip(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int size;
        bool z;
    } expected[] = {{"f32", 4, false}, {"f64", 8, false}, {"c64", 8, true},  {"c128", 16, true}, {"i8", 1, false},
                    {"i16", 2, false}, {"i32", 4, false}, {"i64", 8, false}, {"u8", 1, false},   {"u16", 2, false},
                    {"u32", 4, false}, {"u64", 8, false}, {"f16", 2, false}, {"bf16", 2, false}, {"bool", 1, false}};
    for (int dtype = RW_F32; dtype <= RW_BOOL; ++dtype) {
        int64_t n = 33; /* 33 bytes of u8: no multiple of a word */
        assert_string_equal(rw_dtype_name((rw_dtype)dtype), expected[dtype - RW_F32].name);
        assert_int_equal(rw_dtype_size((rw_dtype)dtype), expected[dtype - RW_F32].size);
        assert_int_equal(rw_dtype_is_complex((rw_dtype)dtype), expected[dtype - RW_F32].z);
        size_t bytes = (size_t)n * rw_dtype_size((rw_dtype)dtype);
        for (int memory = RW_MEMORY_DEVICE; memory <= RW_MEMORY_PINNED; ++memory) {
            rw_array *a = new_array((rw_dtype)dtype, n, (rw_memory)memory),
                     *b = new_array((rw_dtype)dtype, n, (rw_memory)memory);
            void *w;
            const void *p;
            OK(rw_array_write(a, &w));
            assert_int_equal((uintptr_t)w % 16, 0);
            for (size_t i = 0; i < bytes; ++i) ((unsigned char *)w)[i] = (unsigned char)(i * 37 + 11);
            OK(rw_array_copy(b, a, queue));
            OK(rw_array_read(b, &p));
            for (size_t i = 0; i < bytes; ++i)
                assert_int_equal(((const unsigned char *)p)[i], (unsigned char)(i * 37 + 11));
            OK(rw_array_zero(b, queue));
            OK(rw_array_read(b, &p));
            for (size_t i = 0; i < bytes; ++i) assert_int_equal(((const unsigned char *)p)[i], 0);
            rw_array_destroy(&a), rw_array_destroy(&b);
        }
    }
    assert_string_equal(rw_dtype_name((rw_dtype)99), "?");
    assert_int_equal(rw_dtype_size((rw_dtype)99), 0);
}

/* ---- coherence ------------------------------------------------------------------------------------------------ */

static void test_read_before_write_is_an_error(void **state)
{
    (void)state;
    const void *p;
    void *w;
    rw_array *a = f64_array(4), *b = f64_array(4);
    FAILS(RW_ERR_ARGUMENT, "4 f64 is read before anything was written", rw_array_read(a, &p));
    FAILS(RW_ERR_ARGUMENT, "before anything was written", rw_array_update(a, &w));
    OK(rw_array_fetch(a, queue)); /* nothing to bring */
    OK(rw_array_send(a, queue));
    FAILS(RW_ERR_ARGUMENT, "before anything was written", rw_array_read(a, &p));
    OK(rw_array_zero(a, queue)); /* written by the device */
    assert_true(numbers_of(a)[3] == 0);
    OK(rw_array_swap(a, b)); /* the unwritten contents move too */
    FAILS(RW_ERR_ARGUMENT, "before anything was written", rw_array_read(a, &p));
    assert_true(numbers_of(b)[0] == 0);
    rw_array_destroy(&a), rw_array_destroy(&b);
}

static void test_nothing_current_is_copied(void **state)
{
    (void)state;
    enum { N = 200 };
    rw_array *x = f64_array(N), *y = f64_array(N);
    void *w;
    rw_counters c = counters();
    OK(rw_array_write(x, &w));
    for (int i = 0; i < N; ++i) ((double *)w)[i] = i;
    assert_copies(c, 0, 0, 0);
    add(queue, y, x, 1); /* x goes in; y is only written: it does not */
    assert_copies(c, 1, 0, 0);
    assert_int_equal(counters().bytes_in - c.bytes_in, discrete() ? N * 8 : 0);
    add(queue, y, x, 2);
    assert_copies(c, 1, 0, 0);
    assert_true(numbers_of(x)[7] == 7); /* its host copy is still current */
    assert_copies(c, 1, 0, 0);
    assert_true(numbers_of(y)[7] == 9);
    assert_copies(c, 1, 1, 0);
    assert_int_equal(counters().bytes_out - c.bytes_out, discrete() ? N * 8 : 0);
    assert_true(numbers_of(y)[8] == 10); /* again: both are current */
    assert_copies(c, 1, 1, 0);
    add(queue, x, y, 0); /* y is current on the device too */
    assert_copies(c, 1, 1, 0);
    OK(rw_array_update(y, &w)); /* current on the host: no copy, but the device's is stale now */
    ((double *)w)[0] = 100;
    assert_copies(c, 1, 1, 0);
    add(queue, x, y, 0);
    assert_copies(c, 2, 1, 0);
    assert_true(numbers_of(x)[0] == 100 && numbers_of(x)[1] == 3);
    assert_copies(c, 2, 2, 0);
    OK(rw_array_write(x, &w)); /* to be overwritten whole: nothing is fetched */
    grow(queue, y, 1);
    OK(rw_array_write(y, &w));
    assert_copies(c, 2, 2, 0);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

static void test_1000_launches_no_copy(void **state)
{
    (void)state;
    rw_array *y = new_ramp(100, 0, 1);
    grow(queue, y, 0);
    rw_counters c = counters();
    for (int i = 0; i < 1000; ++i) grow(queue, y, 1);
    OK(rw_queue_wait(queue));
    assert_copies(c, 0, 0, 0);
    rw_counters now = counters();
    assert_int_equal(now.launches - c.launches, 1000);
    assert_int_equal(now.bytes_in, c.bytes_in);
    assert_int_equal(now.bytes_out, c.bytes_out);
    assert_int_equal(now.compilations, c.compilations);
    assert_true(numbers_of(y)[99] == 1099);
    rw_array_destroy(&y);
}

static void test_write_waits_for_kernels(void **state)
{
    (void)state;
    rw_array *x = new_ramp(5000, 0, 1), *y = f64_array(5000);
    for (int i = 0; i < 20; ++i) {
        void *w;
        add(queue, y, x, i); /* still reads x when the host asks for it */
        OK(rw_array_write(x, &w));
        for (int k = 0; k < 5000; ++k) ((double *)w)[k] = k + i + 1;
        assert_true(numbers_of(y)[4999] == 4999 + 2 * i);
    }
    rw_array_destroy(&x), rw_array_destroy(&y);
}

static void test_send_and_fetch(void **state)
{
    (void)state;
    for (int memory = RW_MEMORY_DEVICE; memory <= RW_MEMORY_PINNED; ++memory) {
        rw_queue *other;
        OK(rw_queue_create(dev, &other));
        rw_array *x = new_array(RW_F64, 300, (rw_memory)memory), *y = new_array(RW_F64, 300, (rw_memory)memory);
        void *w;
        OK(rw_array_write(x, &w));
        for (int i = 0; i < 300; ++i) ((double *)w)[i] = i;
        rw_counters c = counters();
        OK(rw_array_send(x, other));
        OK(rw_array_send(x, other)); /* is there already */
        OK(rw_array_send(x, queue));
        assert_copies(c, 1, 0, 0);
        add(queue, y, x, 5); /* in another queue: after the copy */
        assert_copies(c, 1, 0, 0);
        OK(rw_array_fetch(y, other)); /* after the kernel */
        OK(rw_array_fetch(y, queue));
        assert_copies(c, 1, 1, 0);
        assert_true(numbers_of(y)[299] == 304 && numbers_of(y)[0] == 5);
        assert_copies(c, 1, 1, 0);
        OK(rw_array_fetch(x, queue)); /* both current */
        assert_copies(c, 1, 1, 0);
        for (int i = 0; i < 10; ++i) { /* a kernel behind a copy still under way overwrites what it reads */
            grow(queue, y, 1);
            OK(rw_array_fetch(y, queue));
            grow(queue, y, 1);
            OK(rw_array_update(y, &w));
            assert_true(((double *)w)[0] == 5 + 2 * (i + 1));
            OK(rw_array_send(y, other));
        }
        rw_queue_destroy(&other);
        assert_true(numbers_of(y)[1] == 26);
        rw_array_destroy(&x), rw_array_destroy(&y);
    }
}

/* ---- copy, zero, swap ------------------------------------------------------------------------------------------ */

static void test_copy(void **state)
{
    (void)state;
    rw_array *a = new_ramp(100, 1, 1), *b = f64_array(100), *c = f64_array(99),
             *d = new_array(RW_C64, 100, RW_MEMORY_DEVICE);
    const int64_t square[] = {10, 10};
    rw_array *e;
    OK(rw_array_create(dev, RW_F64, 2, square, RW_MEMORY_DEVICE, &e));
    rw_counters before = counters();
    OK(rw_array_copy(b, a, queue));
    OK(rw_array_copy(e, b, queue)); /* equal size is enough */
    assert_copies(before, 1, 0, 2);
    assert_int_equal(counters().bytes_device - before.bytes_device, 1600);
    assert_true(numbers_of(e)[99] == 100);
    assert_int_equal(rw_array_ndim(e), 2);
    OK(rw_array_copy(b, b, queue)); /* onto itself */
    assert_true(numbers_of(b)[42] == 43);
    FAILS(RW_ERR_ARGUMENT, "100 f64", rw_array_copy(c, a, queue));
    OK(rw_array_copy(d, a, queue)); /* converted */
    const void *z;
    OK(rw_array_read(d, &z));
    assert_true(((const float *)z)[2 * 99] == 100 && ((const float *)z)[2 * 99 + 1] == 0);
    FAILS(RW_ERR_ARGUMENT, "c64 to f64", rw_array_copy(a, d, queue));
    rw_array_destroy(&a), rw_array_destroy(&b), rw_array_destroy(&c), rw_array_destroy(&d), rw_array_destroy(&e);
}

static void test_large_copy_and_zero(void **state)
{
    (void)state;
    int64_t n = 300001; /* more than a MiB: several threads on the cpu device */
    rw_array *a = new_ramp(n, 0, 1), *b = f64_array(n);
    OK(rw_array_copy(b, a, queue));
    for (int64_t i = 0; i < n; ++i) assert_true(numbers_of(b)[i] == (double)i);
    OK(rw_array_zero(b, queue));
    for (int64_t i = 0; i < n; ++i) assert_true(numbers_of(b)[i] == 0);
    rw_array_destroy(&a), rw_array_destroy(&b);
}

static void test_copy_of_the_unwritten_is_an_error(void **state)
{
    (void)state;
    rw_array *a = f64_array(3), *b = f64_array(3);
    FAILS(RW_ERR_ARGUMENT, "before anything was written", rw_array_copy(b, a, queue));
    const void *p;
    FAILS(RW_ERR_ARGUMENT, "before anything was written", rw_array_read(b, &p));
    rw_array_destroy(&a), rw_array_destroy(&b);
}

static void test_swap(void **state)
{
    (void)state;
    const int64_t row[] = {6}, table[] = {2, 3};
    rw_array *a = new_ramp(6, 0, 1), *b, *c = f64_array(5), *d = new_array(RW_F32, 6, RW_MEMORY_DEVICE);
    OK(rw_array_create(dev, RW_F64, 2, table, RW_MEMORY_DEVICE, &b));
    OK(rw_array_zero(b, queue));
    rw_counters before = counters();
    OK(rw_array_swap(a, b)); /* the host copy of one, the device copy of the other */
    OK(rw_array_swap(a, a));
    assert_copies(before, 0, 0, 0);
    assert_int_equal(rw_array_ndim(a), 1);
    assert_int_equal(rw_array_shape(a, 0), row[0]);
    assert_int_equal(rw_array_shape(b, 0), 2);
    grow(queue, a, 1);
    assert_true(numbers_of(a)[5] == 1 && numbers_of(b)[5] == 5);
    FAILS(RW_ERR_ARGUMENT, "5 f64", rw_array_swap(a, c));
    FAILS(RW_ERR_ARGUMENT, "6 f32", rw_array_swap(a, d));
    rw_array *pinned = new_array(RW_F64, 6, RW_MEMORY_PINNED);
    FAILS(RW_ERR_ARGUMENT, "memory", rw_array_swap(a, pinned));
    rw_array_destroy(&a), rw_array_destroy(&b), rw_array_destroy(&c), rw_array_destroy(&d), rw_array_destroy(&pinned);
}

/* ---- data of the caller ---------------------------------------------------------------------------------------- */

static void test_copy_mode(void **state)
{
    (void)state;
    double data[] = {1, 2, 3};
    const int64_t n = 3;
    rw_array *a;
    OK(rw_array_create_from(dev, RW_F64, 1, &n, data, RW_COPY, &a));
    data[0] = 50; /* no longer the array's */
    grow(queue, a, 1);
    assert_true(numbers_of(a)[0] == 2 && numbers_of(a)[2] == 4);
    assert_true(data[1] == 2);
    rw_array_destroy(&a);
}

static void test_borrow(void **state)
{
    (void)state;
    double data[] = {1, 2, 3};
    const int64_t n = 3;
    rw_array *a, *b = f64_array(3);
    int64_t held = counters().bytes_allocated;
    OK(rw_array_create_from(dev, RW_F64, 1, &n, data, RW_BORROW, &a));
    assert_int_equal(counters().bytes_allocated - held, discrete() ? 24 : 0); /* in place where host is device */
    assert_ptr_equal(numbers_of(a), data);
    grow(queue, a, 1);
    if (!discrete()) assert_true(data[0] == 2);
    assert_ptr_equal(numbers_of(a), data); /* asked for: in the caller's memory on every device */
    assert_true(data[0] == 2 && data[2] == 4);
    OK(rw_array_zero(b, queue));
    OK(rw_array_swap(a, b)); /* the borrowed memory is b's now */
    assert_true(numbers_of(a)[0] == 0 && numbers_of(b)[0] == 2);
    assert_ptr_equal(numbers_of(b), data);
    rw_array_destroy(&a);
    grow(queue, b, 1);
    assert_true(numbers_of(b)[1] == 4);
    rw_array_destroy(&b);
    assert_true(data[0] == 3 && data[1] == 4 && data[2] == 5); /* alive, current */
}

/* Lent memory holds the contents after each of the calls that promise it, on every device; misaligned memory is
 * refused. */
static void test_borrow_is_the_same_everywhere(void **state)
{
    (void)state;
    _Alignas(16) double data[8] = {1, 2, 3, 4};
    const int64_t n = 3;
    rw_array *a;
    void *w;
    OK(rw_array_create_from(dev, RW_F64, 1, &n, data, RW_BORROW, &a));
    grow(queue, a, 1);
    OK(rw_array_fetch(a, queue));
    OK(rw_queue_wait(queue));
    assert_true(data[0] == 2 && data[1] == 3 && data[2] == 4 && data[3] == 4);
    grow(queue, a, 1);
    OK(rw_array_update(a, &w));
    assert_ptr_equal(w, data);
    assert_true(data[0] == 3 && data[2] == 5);
    data[0] = 10; /* between update and the next use */
    grow(queue, a, 1);
    assert_true(numbers_of(a)[0] == 11 && data[0] == 11);
    OK(rw_array_write(a, &w));
    assert_ptr_equal(w, data);
    data[0] = data[1] = data[2] = -1;
    grow(queue, a, 1);
    assert_ptr_equal(numbers_of(a), data);
    assert_true(data[0] == 0 && data[2] == 0);
    rw_array_destroy(&a);
    static const struct {
        rw_dtype dtype;
        int offset;
        bool good;
    } rows[] = {{RW_F64, 4, false}, {RW_F64, 1, false}, {RW_F64, 8, true},   {RW_F32, 4, true},
                {RW_F32, 2, false}, {RW_C64, 4, false}, {RW_C128, 8, false}, {RW_C128, 16, true},
                {RW_U8, 1, true},   {RW_I64, 4, false}, {RW_U16, 1, false}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        const int64_t m = 1;
        char *at = (char *)data + rows[i].offset;
        if (rows[i].good) {
            OK(rw_array_create_from(dev, rows[i].dtype, 1, &m, at, RW_BORROW, &a));
            rw_array_destroy(&a);
        } else {
            FAILS(RW_ERR_ARGUMENT, "is not aligned to the",
                  rw_array_create_from(dev, rows[i].dtype, 1, &m, at, RW_BORROW, &a));
            FAILS(RW_ERR_ARGUMENT, "is not aligned to the",
                  rw_array_create_from(dev, rows[i].dtype, 1, &m, at, RW_OWN, &a));
            OK(rw_array_create_from(dev, rows[i].dtype, 1, &m, at, RW_COPY, &a));
            rw_array_destroy(&a);
        }
    }
}

static void test_own(void **state)
{
    (void)state;
    const int64_t n = 300;
    double *data = malloc(300 * sizeof *data);
    assert_non_null(data);
    for (int i = 0; i < 300; ++i) data[i] = i;
    rw_array *a;
    OK(rw_array_create_from(dev, RW_F64, 1, &n, data, RW_OWN, &a));
    assert_ptr_equal(numbers_of(a), data);
    grow(queue, a, 0.5);
    assert_true(numbers_of(a)[299] == 299.5);
    rw_array_destroy(&a); /* the address sanitizer sees that it is freed, once */
}

static void test_failing_leaves_the_data_to_the_caller(void **state)
{
    (void)state;
    const int64_t n = 3;
    for (int mode = RW_COPY; mode <= RW_OWN; ++mode) {
        double *data = calloc(3, sizeof *data);
        rw_array *a = NULL;
        rw_fault_set(RW_FAULT_ALLOC, 1);
        FAILS(RW_ERR_MEMORY, "memory", rw_array_create_from(dev, RW_F64, 1, &n, data, (rw_copy_mode)mode, &a));
        rw_fault_set(RW_FAULT_ALLOC, 0);
        assert_null(a);
        free(data);
    }
}

/* ---- memory modes ----------------------------------------------------------------------------------------------- */

static void test_managed(void **state)
{
    (void)state;
    const int64_t n = 100;
    rw_array *a, *b;
    if (!rw_device_info(dev)->managed) {
        FAILS(RW_ERR_UNSUPPORTED, "no managed memory", rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_MANAGED, &a));
        assert_null(a);
        return;
    }
    OK(rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_MANAGED, &a));
    OK(rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_MANAGED, &b));
    void *w, *again;
    rw_counters c = counters();
    OK(rw_array_write(a, &w));
    for (int i = 0; i < n; ++i) ((double *)w)[i] = i;
    for (int i = 0; i < 5; ++i) {
        grow(queue, a, 1);
        OK(rw_array_update(a, &again)); /* one memory: the same address, and never a copy */
        assert_ptr_equal(again, w);
        assert_true(((double *)w)[99] == 100 + i);
    }
    OK(rw_array_send(a, queue));
    OK(rw_array_fetch(a, queue));
    assert_int_equal(counters().copies_in - c.copies_in, 0);
    assert_int_equal(counters().copies_out - c.copies_out, 0);
    const void *p;
    FAILS(RW_ERR_ARGUMENT, "before anything was written", rw_array_read(b, &p));
    OK(rw_array_swap(a, b));
    assert_ptr_equal(numbers_of(b), w);
    rw_array_destroy(&a), rw_array_destroy(&b);
}

/* ---- memory that runs out ---------------------------------------------------------------------------------------- */

static void test_size_beyond_memory_is_refused(void **state)
{
    (void)state;
    rw_array *a;
    int64_t memory = rw_device_info(dev)->memory, n = memory / 8 + 1024, held = counters().bytes_allocated;
    char have[64];
    assert_true(memory > 0);
    snprintf(have, sizeof have, "%.1f GiB", (double)memory / 0x1p30);
    FAILS(RW_ERR_MEMORY, "GiB is larger than its memory of", rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &a));
    assert_non_null(strstr(rw_message(ctx), have));
    assert_non_null(strstr(rw_message(ctx), rw_device_info(dev)->name));
    assert_null(a);
    n = INT64_MAX / 8;
    FAILS(RW_ERR_MEMORY, "GiB is larger", rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &a));
    assert_int_equal(counters().bytes_allocated, held);
}

static rw_status life_of_arrays(void *user)
{
    const int64_t n = 50;
    rw_array *a = NULL, *b = NULL;
    void *w;
    const void *p;
    double data[50] = {0};
    (void)user;
    rw_status status = rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_PINNED, &a);
    if (status == RW_OK) status = rw_array_write(a, &w);
    if (status == RW_OK) memset(w, 0, 400);
    if (status == RW_OK) status = rw_array_create_from(dev, RW_F64, 1, &n, data, RW_COPY, &b);
    if (status == RW_OK) status = rw_array_copy(b, a, queue);
    if (status == RW_OK) status = rw_array_read(b, &p);
    if (status == RW_OK) status = rw_array_zero(a, queue);
    if (status == RW_OK) status = rw_array_read(a, &p);
    if (status == RW_OK && ((const double *)p)[49] != 0) status = RW_ERR_INTERNAL;
    rw_array_destroy(&a), rw_array_destroy(&b);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(each_fault(RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, life_of_arrays, NULL) >= 2);
    assert_int_equal(each_fault(RW_FAULT_DEVICE_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, life_of_arrays, NULL), 2);
}

/* A fetch that cannot have host memory leaves the array as it was: the next one succeeds. */
static void test_after_a_failed_fetch(void **state)
{
    (void)state;
    rw_array *x = new_ramp(100, 0, 1), *y = f64_array(100);
    add(queue, y, x, 1);
    const void *p;
    if (discrete()) {
        rw_fault_set(RW_FAULT_ALLOC, 1);
        rw_status status = rw_array_read(y, &p);
        bool met = rw_fault_events(RW_FAULT_ALLOC) > 0; /* a driver's own memory is not injected */
        rw_fault_set(RW_FAULT_ALLOC, 0);
        if (met) assert_int_equal(status, RW_ERR_MEMORY);
    }
    assert_true(numbers_of(y)[99] == 100);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

static void test_counts_bytes(void **state)
{
    (void)state;
    rw_counters c = counters();
    rw_array *a = f64_array(1000), *b = f64_array(500);
    assert_int_equal(counters().bytes_allocated - c.bytes_allocated, 12000);
    assert_true(counters().bytes_allocated_peak >= c.bytes_allocated + 12000);
    int64_t peak = counters().bytes_allocated_peak;
    rw_array_destroy(&a);
    assert_int_equal(counters().bytes_allocated - c.bytes_allocated, 4000);
    assert_int_equal(counters().bytes_allocated_peak, peak);
    rw_array_destroy(&b);
}

/* ---- other devices, order of destruction ------------------------------------------------------------------------- */

static void test_objects_of_another_device_are_refused(void **state)
{
    (void)state;
    rw_device *other;
    OK(rw_device_open(ctx, "cpu:1", &other));
    rw_queue *theirs = rw_device_queue(other);
    const int64_t n = 10;
    rw_array *a = new_ramp(10, 0, 1), *b;
    OK(rw_array_create(other, RW_F64, 1, &n, RW_MEMORY_DEVICE, &b));
    OK(rw_array_zero(b, theirs));
    FAILS(RW_ERR_ARGUMENT, "device", rw_array_copy(b, a, queue));
    FAILS(RW_ERR_ARGUMENT, "device", rw_array_swap(a, b));
    FAILS(RW_ERR_ARGUMENT, "the queue on cpu:1", rw_array_zero(a, theirs));
    FAILS(RW_ERR_ARGUMENT, "the queue on cpu:1", rw_array_send(a, theirs));
    grow(queue, a, 1);
    FAILS(RW_ERR_ARGUMENT, "the queue on cpu:1", rw_array_fetch(a, theirs));
    rw_array *c = f64_array(10);
    FAILS(RW_ERR_ARGUMENT, "the queue on cpu:1", rw_array_copy(c, a, theirs));
    assert_true(numbers_of(a)[9] == 10);
    rw_array_destroy(&a), rw_array_destroy(&b), rw_array_destroy(&c);
    rw_device_close(&other);
    assert_null(other);
    rw_device_close(&other);
}

/* Objects keep their device, the device its context: any order of destruction is right. */
static void test_arrays_outlive_device_and_context(void **state)
{
    (void)state;
    for (int order = 0; order < 2; ++order) {
        rw_context *own;
        rw_device *d;
        rw_array *a, *b;
        rw_queue *q;
        const int64_t n = 1000;
        void *w;
        assert_int_equal(rw_context_create(&own), RW_OK);
        OK(rw_device_open(own, rw_device_info(dev)->name, &d));
        rw_context_destroy(&own);
        OK(rw_array_create(d, RW_F64, 1, &n, RW_MEMORY_PINNED, &a));
        OK(rw_array_create(d, RW_F64, 1, &n, RW_MEMORY_DEVICE, &b));
        OK(rw_queue_create(d, &q));
        rw_queue *first = rw_device_queue(d);
        rw_device_close(&d);
        OK(rw_array_write(a, &w));
        for (int i = 0; i < n; ++i) ((double *)w)[i] = i;
        OK(rw_array_copy(b, a, q));
        if (order) rw_queue_destroy(&q);
        assert_true(numbers_of(b)[999] == 999);
        OK(rw_array_zero(a, first));
        rw_array_destroy(&a);
        if (!order) rw_queue_destroy(&q); /* waits for it, although b was last used there */
        assert_true(numbers_of(b)[1] == 1);
        rw_array_destroy(&b); /* the last: device and context go with it */
    }
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

typedef struct worker {
    rw_device *dev;
    rw_queue *queue;
    rw_program *program;
    double sum;
    rw_status status;
} worker;

static void *work(void *user)
{
    worker *w = user;
    rw_array *a = NULL;
    const int64_t n = 500;
    void *host;
    const void *p = NULL;
    rw_kernel *k;
    rw_status status = rw_array_create(w->dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &a);
    if (status == RW_OK) status = rw_program_kernel(w->program, "grow", &k);
    if (status == RW_OK) status = rw_array_write(a, &host);
    if (status == RW_OK) memset(host, 0, 4000);
    for (int i = 0; i < 50 && status == RW_OK; ++i) {
        const rw_arg args[] = {rw_arg_array(a), rw_arg_real(1), rw_arg_int(n)};
        status = launch1(w->queue, k, 1, args, 3);
        if (status == RW_OK && i % 10 == 0) status = rw_array_read(a, &p);
        if (counters_of(w->dev).launches < i) status = RW_ERR_INTERNAL;
    }
    if (status == RW_OK) status = rw_array_read(a, &p);
    for (int i = 0; i < n && status == RW_OK; ++i) w->sum += ((const double *)p)[i];
    rw_array_destroy(&a);
    w->status = status;
    return NULL;
}

static void test_threads_with_a_queue_each(void **state)
{
    (void)state;
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    worker workers[THREADS] = {{0}};
    rw_counters c = counters();
    for (int i = 0; i < THREADS; ++i) {
        workers[i].dev = dev, workers[i].program = programs[device_index()];
        OK(rw_queue_create(dev, &workers[i].queue));
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].status, RW_OK);
        assert_true(workers[i].sum == 50 * 500);
        rw_queue_destroy(&workers[i].queue);
    }
    assert_int_equal(counters().launches - c.launches, 50 * THREADS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_bad_shapes),
        cmocka_unit_test(test_size_0),
        cmocka_unit_test(test_every_dtype_round_trip),
        cmocka_unit_test(test_read_before_write_is_an_error),
        cmocka_unit_test(test_nothing_current_is_copied),
        cmocka_unit_test(test_1000_launches_no_copy),
        cmocka_unit_test(test_write_waits_for_kernels),
        cmocka_unit_test(test_send_and_fetch),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_large_copy_and_zero),
        cmocka_unit_test(test_copy_of_the_unwritten_is_an_error),
        cmocka_unit_test(test_swap),
        cmocka_unit_test(test_copy_mode),
        cmocka_unit_test(test_borrow),
        cmocka_unit_test(test_borrow_is_the_same_everywhere),
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_failing_leaves_the_data_to_the_caller),
        cmocka_unit_test(test_managed),
        cmocka_unit_test(test_size_beyond_memory_is_refused),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_after_a_failed_fetch),
        cmocka_unit_test(test_counts_bytes),
        cmocka_unit_test(test_objects_of_another_device_are_refused),
        cmocka_unit_test(test_arrays_outlive_device_and_context),
        cmocka_unit_test(test_threads_with_a_queue_each),
    };
    return run_on_devices_with("array", tests, RW_COUNT(tests), compile, release);
}
