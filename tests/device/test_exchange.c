/* Memory, queues and events of others: host memory, buffers of an OpenCL context, memory of a GPU; handed in and out
 * without a copy, in order, given back once. */
/* TEST: devices=all optimised */
#include <stdint.h>

#include "device/cuda/cuda.h"
#include "device/opencl/opencl.h"

#include "../devices.h"

static const char text[] = "KERNEL(grow, GLOBAL f32 *y, f32 c, long n) { EACH_IN(i, 0, n) { y[i] = y[i] + c; } }\n";
static rw_program *programs[MAX_TEST_DEVICES];

static void compile(int index)
{
    static const rw_define group[] = {{"GROUP", "64"}};
    OK(rw_program_create(dev, "exchange", text, group, 1, &programs[index]));
}
static void release(int index) { rw_program_destroy(&programs[index]); }

static void grow(rw_queue *q, rw_array *a, double c)
{
    const rw_arg args[] = {rw_arg_array(a), rw_arg_real(c), rw_arg_int(rw_array_size(a))};
    OK(launch1(q, kernel_of(programs[device_index()], "grow"), 1, args, 3));
}

/* ---- what another library would own ------------------------------------------------------------------------------ */

typedef struct owner {
    rw_managed_tensor tensor;
    int64_t shape[9], strides[9];
    int ended;
} owner;

static void end(rw_managed_tensor *t) { ((owner *)t->owner)->ended++; }

/* Memory of the row's device, without the library's knowledge. */
static void *foreign_alloc(size_t bytes)
{
    if (on("opencl")) {
        const rw_opencl_state *s = rw_opencl_of(dev);
        cl_int error;
        void *m = s->cl->clCreateBuffer(s->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
        assert_non_null(m);
        return m;
    }
    if (on("cuda")) {
        const rw_cuda_state *s = rw_cuda_of(dev);
        CUdeviceptr p;
        const bool entered = rw_cuda_enter(s);
        assert_int_equal(s->cu->cuMemAlloc_v2(&p, bytes), CUDA_SUCCESS);
        rw_cuda_leave(s, entered);
        return (void *)(uintptr_t)p;
    }
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void foreign_free(void *p)
{
    if (on("opencl")) rw_opencl_of(dev)->cl->clReleaseMemObject(p);
    else if (on("cuda")) rw_cuda_of(dev)->cu->cuMemFree_v2((CUdeviceptr)(uintptr_t)p);
    else free(p);
}

/* Past the library's counters. */
static void foreign_write(void *p, const void *data, size_t bytes)
{
    if (on("cpu")) memcpy(p, data, bytes);
    else OK(dev->ops->copy_in(queue, &(rw_buffer){.pointer = p, .bytes = bytes}, data, bytes, true));
}

static void foreign_read(void *p, void *data, size_t bytes)
{
    if (on("cpu")) memcpy(data, p, bytes);
    else OK(dev->ops->copy_out(queue, data, &(rw_buffer){.pointer = p, .bytes = bytes}, bytes, true));
}

static int device_type(void) { return on("opencl") ? RW_TENSOR_OPENCL : on("cuda") ? RW_TENSOR_CUDA : RW_TENSOR_CPU; }

static void set_tensor(owner *o, void *data, int ndim, const int64_t *shape, const int64_t *strides)
{
    *o = (owner){.tensor = {.tensor = {.data = data,
                                       .device_type = device_type(),
                                       .ndim = ndim,
                                       .code = RW_TENSOR_FLOAT,
                                       .bits = 32,
                                       .lanes = 1},
                            .deleter = end}};
    memcpy(o->shape, shape, (size_t)ndim * sizeof *shape);
    if (strides) memcpy(o->strides, strides, (size_t)ndim * sizeof *strides);
    o->tensor.tensor.shape = o->shape, o->tensor.tensor.strides = strides ? o->strides : NULL;
    o->tensor.owner = o;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* Both sides write in turns; nothing is copied but what the host asks for. */
static void test_import(void **state)
{
    (void)state;
    if (on("check")) skip();
    enum { N = 100 };
    float data[N], back[N];
    const int64_t n = N;
    owner o;
    rw_array *a;
    const void *p;
    void *w, *memory = foreign_alloc(sizeof data);
    for (int i = 0; i < N; ++i) data[i] = (float)i;
    foreign_write(memory, data, sizeof data);
    set_tensor(&o, memory, 1, &n, NULL);
    const rw_counters before = counters();
    OK(rw_array_import(dev, &o.tensor, &a));
    assert_int_equal(rw_array_dtype(a), RW_F32);
    grow(queue, a, 1);
    OK(rw_queue_wait(queue));
    foreign_read(memory, back, sizeof back);
    for (int i = 0; i < N; ++i) assert_true(back[i] == (float)i + 1);
    assert_int_equal(counters().copies_in + counters().copies_out + counters().copies_device,
                     before.copies_in + before.copies_out + before.copies_device);
    assert_int_equal(counters().bytes_allocated, before.bytes_allocated);
    OK(rw_array_read(a, &p));
    assert_true(((const float *)p)[7] == 8);
    data[7] = 70;
    foreign_write(memory, data, sizeof data); /* the host's copy is old now */
    OK(rw_array_read(a, &p));
    assert_true(((const float *)p)[7] == 70);
    OK(rw_array_update(a, &w));
    ((float *)w)[8] = 80;
    OK(rw_array_send(a, queue));
    OK(rw_queue_wait(queue));
    foreign_read(memory, back, sizeof back);
    assert_true(back[8] == 80 && back[7] == 70);
    rw_array *v, *b = new_array(RW_F32, N, RW_MEMORY_DEVICE);
    OK(rw_array_slice(a, 0, 10, 20, 1, &v));
    OK(rw_array_zero(b, queue));
    FAILS(RW_ERR_ARGUMENT, "cannot be swapped", rw_array_swap(a, b));
    rw_array_destroy(&a), rw_array_destroy(&b);
    assert_int_equal(o.ended, 0); /* a view is left */
    grow(queue, v, 0);
    rw_array_destroy(&v);
    assert_int_equal(o.ended, 1);
    foreign_free(memory);
}

/* Every second element backwards, a part with an offset, a number. */
static void test_import_with_strides(void **state)
{
    (void)state;
    if (on("check")) skip();
    float data[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    void *memory = foreign_alloc(sizeof data);
    const int64_t shape[] = {2, 3}, back[] = {-6, -2}, one = 4;
    owner o;
    rw_array *a, *b;
    foreign_write(memory, data, sizeof data);
    set_tensor(&o, memory, 2, shape, back);
    o.tensor.tensor.byte_offset = 11 * 4;
    OK(rw_array_import(dev, &o.tensor, &a));
    OK(rw_array_create(dev, RW_F32, 2, shape, RW_MEMORY_DEVICE, &b));
    OK(rw_array_copy(b, a, queue));
    const void *p;
    OK(rw_array_read(b, &p));
    for (int i = 0; i < 6; ++i) assert_true(((const float *)p)[i] == (float)(11 - i / 3 * 6 - i % 3 * 2));
    rw_array_destroy(&a), rw_array_destroy(&b);
    set_tensor(&o, memory, 1, &one, NULL);
    o.tensor.tensor.byte_offset = 20;
    OK(rw_array_import(dev, &o.tensor, &a));
    grow(queue, a, 100);
    OK(rw_queue_wait(queue));
    float now[12];
    foreign_read(memory, now, sizeof now);
    for (int i = 0; i < 12; ++i) assert_true(now[i] == data[i] + (i >= 5 && i < 9 ? 100 : 0));
    rw_array_destroy(&a);
    set_tensor(&o, memory, 0, shape, NULL);
    OK(rw_array_import(dev, &o.tensor, &a));
    assert_int_equal(rw_array_size(a), 1);
    rw_array_destroy(&a);
    foreign_free(memory);
}

static void test_export(void **state)
{
    (void)state;
    rw_array *a = new_array(RW_F32, 60, RW_MEMORY_DEVICE), *rows, *column, *again;
    rw_managed_tensor *t;
    void *w;
    OK(rw_array_write(a, &w));
    for (int i = 0; i < 60; ++i) ((float *)w)[i] = (float)i;
    if (on("check")) {
        FAILS(RW_ERR_UNSUPPORTED, "checks every access to its memory", rw_array_export(a, queue, &t));
        rw_array_destroy(&a);
        return;
    }
    OK(rw_array_reshape(a, 2, (const int64_t[]){6, 10}, &rows));
    OK(rw_array_select(rows, 1, 3, &column));
    OK(rw_array_export(column, queue, &t));
    rw_array_destroy(&rows), rw_array_destroy(&column);
    assert_int_equal(t->tensor.device_type, device_type());
    assert_int_equal(t->tensor.ndim, 1);
    assert_int_equal(t->tensor.shape[0], 6);
    assert_int_equal(t->tensor.strides[0], 10);
    assert_int_equal(t->tensor.byte_offset, 12);
    assert_true(t->tensor.code == RW_TENSOR_FLOAT && t->tensor.bits == 32 && t->tensor.lanes == 1);
    /* and in again, as another library's; what the host had read before is old then */
    const void *p;
    OK(rw_array_read(a, &p));
    assert_true(((const float *)p)[13] == 13);
    OK(rw_array_import(dev, t, &again));
    const rw_arg args[] = {rw_arg_array(again), rw_arg_real(1000), rw_arg_int(6)};
    OK(launch1(queue, kernel_of(programs[device_index()], "grow"), 1, args, 3));
    rw_array_destroy(&again); /* and with it the tensor */
    OK(rw_array_read(a, &p));
    for (int i = 0; i < 60; ++i) assert_true(((const float *)p)[i] == (float)i + (i % 10 == 3 ? 1000 : 0));
    rw_array_destroy(&a);
}

/* Work of two queues, one of them somebody else's, in the order of an array's uses. */
static void test_queues(void **state)
{
    (void)state;
    void *native, *context;
    rw_queue *own, *foreign;
    OK(rw_device_get_native(dev, &context));
    OK(rw_queue_create(dev, &own));
    OK(rw_queue_get_native(own, &native));
    if (on("cpu") || on("check")) {
        assert_null(context);
        FAILS(RW_ERR_ARGUMENT, "cannot use external streams: pass NULL", rw_queue_import(dev, &own, &foreign));
    } else {
        assert_non_null(context), assert_non_null(native);
    }
    OK(rw_queue_import(dev, native, &foreign));
    rw_array *a = new_array(RW_F32, 300000, RW_MEMORY_DEVICE);
    OK(rw_array_zero(a, queue));
    for (int i = 0; i < 20; ++i) {
        grow(queue, a, 1);
        grow(foreign, a, 2);
    }
    rw_event *e;
    void *mark;
    OK(rw_event_create(dev, &e));
    FAILS(RW_ERR_ARGUMENT, "has not been recorded", rw_event_get_native(e, &mark));
    OK(rw_event_record(e, foreign));
    OK(rw_event_get_native(e, &mark));
    rw_event *imported;
    OK(rw_event_import(dev, mark, &imported));
    OK(rw_queue_wait_event(queue, imported));
    OK(rw_event_wait(imported));
    const void *p;
    OK(rw_array_read(a, &p));
    assert_true(((const float *)p)[0] == 60 && ((const float *)p)[299999] == 60);
    FAILS(RW_ERR_ARGUMENT, "can be recorded only by its owner", rw_event_record(imported, queue));
    rw_event_destroy(&imported), rw_event_destroy(&e);
    rw_array_destroy(&a);
    rw_queue_destroy(&foreign);
    OK(rw_queue_wait(own)); /* still there */
    rw_queue_destroy(&own);
    assert_null(own);
}

static void test_opencl_context(void **state)
{
    (void)state;
    void *context, *native;
    rw_device *other;
    rw_queue *q, *no;
    if (!on("opencl")) {
        FAILS(RW_ERR_UNSUPPORTED, "does not accept a context, only opencl:N does",
              rw_device_open_native(ctx, "cpu", &other, &other));
        return;
    }
    const rw_opencl_state *s = rw_opencl_of(dev);
    cl_int error;
    context = s->cl->clCreateContext(NULL, 1, &s->id, NULL, NULL, &error);
    assert_non_null(context);
    OK(rw_device_open_native(ctx, dev->info.name, context, &other));
    OK(rw_device_get_native(other, &native));
    assert_ptr_equal(native, context);
    native = s->cl->clCreateCommandQueue(context, s->id, 0, &error); /* without profiling */
    OK(rw_queue_import(other, native, &q));
    FAILS(RW_ERR_ARGUMENT, "of another context or device", rw_queue_import(dev, native, &no));
    /* a buffer of that context is its device's alone */
    cl_mem memory = s->cl->clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &error);
    const int64_t n = 16;
    owner o;
    rw_array *a;
    set_tensor(&o, memory, 1, &n, NULL);
    FAILS(RW_ERR_ARGUMENT, "a cl_mem of another context", rw_array_import(dev, &o.tensor, &a));
    OK(rw_array_import(other, &o.tensor, &a));
    OK(rw_array_zero(a, q));
    const void *p;
    OK(rw_array_read(a, &p));
    assert_true(((const float *)p)[15] == 0);
    rw_array_destroy(&a);
    assert_int_equal(o.ended, 1);
    rw_queue_destroy(&q);
    rw_device_close(&other);
    s->cl->clReleaseMemObject(memory), s->cl->clReleaseCommandQueue(native), s->cl->clReleaseContext(context);
}

static void test_refused(void **state)
{
    (void)state;
    float host[8] = {0};
    const int64_t n = 8, negative = -1, far = INT64_MAX / 2, nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    owner o;
    rw_array *a = (rw_array *)&o;
    if (on("check")) {
        set_tensor(&o, host, 1, &n, NULL);
        FAILS(RW_ERR_UNSUPPORTED, "can check only memory that it allocated", rw_array_import(dev, &o.tensor, &a));
        return;
    }
    void *memory = foreign_alloc(sizeof host);
    set_tensor(&o, memory, 1, &negative, NULL);
    FAILS(RW_ERR_ARGUMENT, "shape[0] = -1 is negative", rw_array_import(dev, &o.tensor, &a));
    assert_null(a);
    set_tensor(&o, memory, 9, nine, NULL);
    FAILS(RW_ERR_ARGUMENT, "ndim = 9 is outside [0, 8]", rw_array_import(dev, &o.tensor, &a));
    set_tensor(&o, memory, 1, &n, NULL);
    o.tensor.tensor.shape = NULL;
    FAILS(RW_ERR_ARGUMENT, "shape is NULL", rw_array_import(dev, &o.tensor, &a));
    set_tensor(&o, memory, 1, &n, &far);
    FAILS(RW_ERR_ARGUMENT, "is too large", rw_array_import(dev, &o.tensor, &a));
    set_tensor(&o, memory, 1, &n, NULL);
    o.tensor.tensor.bits = 12;
    FAILS(RW_ERR_ARGUMENT, "the element type of code 2, 12 bits, 1 lanes", rw_array_import(dev, &o.tensor, &a));
    o.tensor.tensor.bits = 32, o.tensor.tensor.lanes = 4;
    FAILS(RW_ERR_ARGUMENT, "4 lanes", rw_array_import(dev, &o.tensor, &a));
    set_tensor(&o, memory, 1, &n, NULL);
    o.tensor.tensor.device_type = 7; /* Vulkan */
    if (!on("cuda")) FAILS(RW_ERR_ARGUMENT, "device type 7", rw_array_import(dev, &o.tensor, &a));
    if (!on("opencl")) {
        set_tensor(&o, memory, 1, &n, NULL);
        o.tensor.tensor.byte_offset = 2;
        FAILS(RW_ERR_ARGUMENT, "not aligned to the 4 bytes of f32", rw_array_import(dev, &o.tensor, &a));
    }
    if (on("opencl") || on("cuda")) {
        set_tensor(&o, memory, 1, &n, NULL);
        o.tensor.tensor.byte_offset = 4;
        FAILS(RW_ERR_ARGUMENT, "bytes beyond its first element, but its memory", rw_array_import(dev, &o.tensor, &a));
        set_tensor(&o, host, 1, &n, NULL); /* no device pointer */
        if (on("cuda"))
            FAILS(RW_ERR_ARGUMENT, "no address that the CUDA driver knows", rw_array_import(dev, &o.tensor, &a));
        set_tensor(&o, NULL, 1, &n, NULL);
        FAILS(RW_ERR_ARGUMENT, on("cuda") ? "no address" : "data is no cl_mem", rw_array_import(dev, &o.tensor, &a));
    } else {
        set_tensor(&o, NULL, 1, &n, NULL);
        FAILS(RW_ERR_ARGUMENT, "data is NULL", rw_array_import(dev, &o.tensor, &a));
    }
    assert_int_equal(o.ended, 0);
    foreign_free(memory);
}

/* Host memory that kernels read and write over the bus. */
static void test_mapped(void **state)
{
    (void)state;
    rw_array *a;
    const int64_t n = 1000;
    void *w;
    const void *p;
    if (!rw_device_info(dev)->mapped) {
        FAILS(RW_ERR_UNSUPPORTED, "has no mapped memory", rw_array_create(dev, RW_F32, 1, &n, RW_MEMORY_MAPPED, &a));
        return;
    }
    const rw_counters before = counters();
    OK(rw_array_create(dev, RW_F32, 1, &n, RW_MEMORY_MAPPED, &a));
    OK(rw_array_write(a, &w));
    for (int i = 0; i < 1000; ++i) ((float *)w)[i] = (float)i;
    grow(queue, a, 5);
    OK(rw_array_read(a, &p));
    for (int i = 0; i < 1000; ++i) assert_true(((const float *)p)[i] == (float)i + 5);
    assert_int_equal(counters().copies_in, before.copies_in);
    assert_int_equal(counters().copies_out, before.copies_out);
    rw_array_destroy(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_import),
                                       cmocka_unit_test(test_import_with_strides),
                                       cmocka_unit_test(test_export),
                                       cmocka_unit_test(test_queues),
                                       cmocka_unit_test(test_opencl_context),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_mapped)};
    return run_on_devices_with("exchange", tests, RW_COUNT(tests), compile, release);
}
