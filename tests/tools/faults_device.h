/* Rows of test_faults.c: devices, queues, events, sequences, arrays, programs. */

/* ---- devices, queues, events, sequences -------------------------------------------------------------------------- */

static rw_status call_counters(void)
{
    rw_counters counters;
    const rw_status status = rw_device_get_counters(dev, &counters);
    count = counters.launches < 0;
    return status;
}
static rw_status call_list(void)
{
    properties = poison;
    return made(rw_device_list(ctx, &properties, &count), &properties);
}
static void result_list(void)
{
    for (int i = 0; i < count; ++i) note("%s %s %s", properties[i].name, properties[i].kind, properties[i].unusable);
}
static void after_list(void) { rw_device_list_free(&properties); }

static rw_status call_open(void)
{
    device = poison;
    return made(rw_device_open(ctx, rw_device_info(dev)->name, &device), &device);
}
static void result_open(void) { note("%s %d", rw_device_info(device)->name, rw_device_info(device)->group_max); }
static void after_open(void) { rw_device_close(&device); }

static const char source[] =
    "KERNEL(scale, GLOBAL f64 *y, GLOBAL const f64 *x, f64 a, long n) { EACH(i, n) { y[i] = a * x[i] + i; } }\n";
static const rw_define group[] = {{"GROUP", "32"}};

/* y <- a x + i */
static rw_status scale(rw_array *to, double a)
{
    const rw_arg args[] = {rw_arg_array(to), rw_arg_array(x), rw_arg_real(a), rw_arg_int(N)};
    return rw_launch(q, kernel, (int64_t[3]){1, 1, 1}, args, 4);
}

/* x a ramp, y and z zero on the device, a queue, the kernel. */
static void before_work(void)
{
    kernel = kernel_of(kept[device_index()].program, "scale");
    x = new_ramp(N, 1, 0.5), y = new_array(RW_F64, N, RW_MEMORY_DEVICE), z = new_array(RW_F64, N, RW_MEMORY_DEVICE);
    OK(rw_queue_create(dev, &q));
    OK(rw_event_create(dev, &event));
    OK(rw_event_create(dev, &second));
    OK(rw_array_send(x, q));
    OK(rw_array_zero(y, q));
    OK(rw_array_zero(z, q));
    OK(rw_queue_wait(q));
}
static void after_work(void)
{
    if (q && q->recording) {
        rw_sequence *half = NULL;
        OK(rw_record_end(q, &half));
        rw_sequence_destroy(&half);
    }
    rw_sequence_destroy(&sequence);
    rw_event_destroy(&event), rw_event_destroy(&second);
    rw_queue_destroy(&q);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&z);
}
static void result_y(void) { note_array(y); }

static rw_status call_queue(void)
{
    q = poison;
    return made(rw_queue_create(dev, &q), &q);
}
static void result_queue(void)
{
    rw_array *a = new_array(RW_F64, N, RW_MEMORY_DEVICE);
    OK(rw_array_zero(a, q));
    OK(rw_queue_wait(q));
    note_array(a);
    rw_array_destroy(&a);
}
static void after_queue(void) { rw_queue_destroy(&q); }

static void before_started(void)
{
    before_work();
    OK(scale(y, 2));
}
static rw_status call_wait(void) { return rw_queue_wait(q); }

static rw_status call_event(void)
{
    event = poison;
    return made(rw_event_create(dev, &event), &event);
}
static void result_event(void)
{
    OK(rw_event_record(event, queue));
    OK(rw_event_wait(event));
}
static void after_event(void) { rw_event_destroy(&event); }

static rw_status call_event_record(void) { return rw_event_record(event, q); }
static void before_marked(void)
{
    before_work();
    OK(rw_event_record(event, q));
    OK(scale(y, 2));
    OK(rw_event_record(second, q));
}
static rw_status call_event_wait(void) { return rw_event_wait(second); }
static rw_status call_queue_wait_event(void) { return rw_queue_wait_event(queue, second); }
static void before_past(void)
{
    before_marked();
    OK(rw_event_wait(second));
}
static rw_status call_event_seconds(void) { return rw_event_seconds(event, second, &value); }
static void result_seconds(void) { note("%d", value >= 0 && value < 100); }

/* two launches, the second with the result of the first as its array */
static void before_recording(void)
{
    before_work();
    OK(rw_record_begin(q));
}
static void before_recorded(void)
{
    before_recording();
    OK(scale(y, 3));
    OK(scale(z, 5));
}
static void before_sequence(void)
{
    before_recorded();
    OK(rw_record_end(q, &sequence));
}
static rw_status call_record_begin(void) { return rw_record_begin(q); }
static void result_record(void)
{
    if (q->recording) {
        OK(scale(y, 3));
        OK(rw_record_end(q, &sequence));
    }
    OK(rw_sequence_replay(sequence, q));
    note_array(y), note_array(z);
}
static rw_status call_record_end(void)
{
    sequence = poison;
    return made(rw_record_end(q, &sequence), &sequence);
}
static rw_status call_replay(void) { return rw_sequence_replay(sequence, q); }
static void result_replay(void) { note_array(y), note_array(z); }

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static const int64_t shape[1] = {N};

static rw_status create_array(rw_memory memory)
{
    x = poison;
    return made(rw_array_create(dev, RW_F64, 1, shape, memory, &x), &x);
}
static rw_status call_array(void) { return create_array(RW_MEMORY_DEVICE); }
static rw_status call_pinned(void) { return create_array(RW_MEMORY_PINNED); }
static void result_array(void)
{
    void *w;
    OK(rw_array_write(x, &w));
    for (int i = 0; i < N; ++i) ((double *)w)[i] = i;
    note_array(x);
}
static void after_array(void) { rw_array_destroy(&x); }

static rw_status create_from(rw_copy_mode mode)
{
    static double lent[N];
    double *given = mode == RW_BORROW ? lent : malloc(sizeof lent);
    for (int i = 0; i < N; ++i) given[i] = 7 * i;
    x = poison;
    rw_status status = made(rw_array_create_from(dev, RW_F64, 1, shape, given, mode, &x), &x);
    if (mode == RW_COPY || (mode == RW_OWN && status != RW_OK)) free(given); /* a failing call takes nothing */
    return status;
}
static rw_status call_from_copy(void) { return create_from(RW_COPY); }
static rw_status call_from_borrow(void) { return create_from(RW_BORROW); }
static rw_status call_from_own(void) { return create_from(RW_OWN); }
static void result_x(void) { note_array(x); }

static rw_status call_read(void) { return rw_array_read(y, &data); }
static void result_read(void) { note_bytes("read", data, N * sizeof(double)); }
static void before_new(void) { y = new_array(RW_F64, N, RW_MEMORY_DEVICE); }
static rw_status call_write(void)
{
    void *w;
    RW_TRY(rw_array_write(y, &w));
    for (int i = 0; i < N; ++i) ((double *)w)[i] = 2 * i;
    return RW_OK;
}
static rw_status call_update(void)
{
    void *w;
    RW_TRY(rw_array_update(y, &w));
    ((double *)w)[1] = 4;
    return RW_OK;
}
static void before_changed(void)
{
    void *w;
    before_started();
    OK(rw_array_update(y, &w));
    ((double *)w)[2] = -1;
}
static rw_status call_send(void) { return rw_array_send(y, q); }
static rw_status call_fetch(void) { return rw_array_fetch(y, q); }
static rw_status call_copy(void) { return rw_array_copy(z, y, q); }
static void result_z(void) { note_array(z); }
static rw_status call_other_copy(void) { return rw_array_copy(z, y, queue); } /* ordered after q by an event */
static rw_status call_swap(void)
{
    RW_TRY(rw_array_swap(y, z));
    return rw_array_swap(y, x);
}
static void result_swap(void) { note_array(x), note_array(y), note_array(z); }
static rw_status call_zero(void) { return rw_array_zero(y, q); }
static rw_status call_save(void) { return rw_array_save(x, path_of("x.npy")); }
static rw_status call_save_market(void) { return rw_array_save(x, path_of("x.mtx")); }
static void before_file(void)
{
    before_started();
    OK(rw_array_save(x, path_of("load.npy")));
    OK(rw_array_save(x, path_of("load.mtx")));
    rw_array_destroy(&x);
}
static rw_status load_from(const char *name)
{
    x = poison;
    return made(rw_array_load(dev, path_of(name), RW_F64, &x), &x);
}
static rw_status call_load(void) { return load_from("load.npy"); }
static rw_status call_load_market(void) { return load_from("load.mtx"); }

/* ---- views, memory of others ------------------------------------------------------------------------------------- */

static rw_array *view;
static rw_queue *imported;
static rw_managed_tensor *tensor;
static void *native;

static rw_status call_view(void)
{
    view = poison;
    return made(rw_array_view(x, RW_DTYPE_DEFAULT, 1, (int64_t[]){N / 2}, (int64_t[]){2}, 1, &view), &view);
}
static rw_status call_slice(void)
{
    view = poison;
    return made(rw_array_slice(x, 0, N - 1, -1, -3, &view), &view);
}
static rw_status call_transposed_view(void)
{
    view = poison;
    return made(rw_array_transpose(x, NULL, &view), &view);
}
static rw_status call_select(void)
{
    view = poison;
    return made(rw_array_select(x, 0, 3, &view), &view);
}
static rw_status call_reshape(void)
{
    view = poison;
    return made(rw_array_reshape(x, 2, (int64_t[]){2, -1}, &view), &view);
}
static void result_view(void)
{
    rw_array *copy;
    int64_t sizes[RW_MAX_NDIM];
    for (int d = 0; d < rw_array_ndim(view); ++d) sizes[d] = rw_array_shape(view, d);
    OK(rw_array_create(dev, RW_F64, rw_array_ndim(view), sizes, RW_MEMORY_DEVICE, &copy));
    OK(rw_array_copy(copy, view, q));
    note_array(copy);
    rw_array_destroy(&copy);
}
static void after_view(void)
{
    rw_array_destroy(&view);
    after_work();
}

/* y and z every second element: what is packed for a launch, and unpacked, and copied. */
static void before_strided(void)
{
    before_started();
    OK(rw_array_slice(y, 0, 0, N, 2, &view));
}
static rw_status call_packed_launch(void)
{
    const rw_arg args[] = {rw_arg_array(view), rw_arg_array(x), rw_arg_real(3), rw_arg_int(N / 2)};
    return rw_launch(q, kernel, (int64_t[3]){1, 1, 1}, args, 4);
}
static rw_status call_strided_copy(void)
{
    rw_array *half;
    RW_TRY(rw_array_slice(z, 0, 0, N, 2, &half));
    rw_status status = rw_array_copy(half, view, q);
    rw_array_destroy(&half);
    return status;
}

/* The check device shares nothing. */
static rw_status call_export(void)
{
    tensor = poison;
    if (!on("check")) return made(rw_array_export(y, q, &tensor), &tensor);
    tensor = NULL;
    return RW_OK;
}
static void result_tensor(void)
{
    if (tensor) note("%d %lld %d", tensor->tensor.ndim, (long long)tensor->tensor.shape[0], tensor->tensor.bits);
}
static void after_export(void)
{
    if (tensor) tensor->deleter(tensor);
    tensor = NULL;
    after_work();
}
static void before_exported(void)
{
    before_started();
    OK(call_export());
}
static rw_status call_import(void)
{
    if (!tensor) return RW_OK;
    view = poison;
    rw_status status = made(rw_array_import(dev, tensor, &view), &view);
    if (status == RW_OK) tensor = NULL; /* the array's now */
    return status;
}
static void after_import(void)
{
    rw_array_destroy(&view);
    after_export();
}

static void before_native(void)
{
    before_work();
    OK(rw_queue_get_native(q, &native));
}
static rw_status call_queue_import(void)
{
    imported = poison;
    return made(rw_queue_import(dev, native, &imported), &imported);
}
static rw_status call_queue_native(void) { return rw_queue_get_native(q, &native); }
static rw_status call_device_native(void) { return rw_device_get_native(dev, &native); }
static rw_status call_event_native(void) { return rw_event_get_native(second, &native); }
static void result_imported(void)
{
    OK(rw_array_zero(y, imported));
    note_array(y);
}
static void after_queue_import(void)
{
    rw_queue_destroy(&imported);
    after_work();
}
static rw_event *foreign;
static void before_event_native(void)
{
    before_marked();
    OK(call_event_native());
}
static rw_status call_event_import(void)
{
    foreign = poison;
    return made(rw_event_import(dev, native, &foreign), &foreign);
}
static void result_foreign(void)
{
    OK(rw_event_wait(foreign));
    note_array(y);
}
static void after_event_import(void)
{
    rw_event_destroy(&foreign);
    after_work();
}
static rw_status call_open_native(void)
{
    if (!on("opencl")) return call_open();
    OK(rw_device_get_native(dev, &native));
    device = poison;
    return made(rw_device_open_native(ctx, rw_device_info(dev)->name, native, &device), &device);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static rw_status create_program(const char *name)
{
    program = poison;
    return made(rw_program_create(dev, name, source, group, 1, &program), &program);
}
static rw_status call_program(void) { return create_program("kept"); }
static rw_status call_cached(void) { return create_program("cached"); } /* from the cache on disk */
static rw_status call_compiled(void)
{
    rw_context_set_cache(ctx, false, NULL, false);
    rw_status status = create_program("compiled");
    rw_context_set_cache(ctx, true, NULL, false);
    return status;
}
static void result_program(void)
{
    before_work();
    kernel = kernel_of(program, "scale");
    OK(scale(y, 4));
    note_array(y);
    after_work();
}
static void after_program(void) { rw_program_destroy(&program); }
static rw_status call_kernel(void) { return rw_program_kernel(kept[device_index()].program, "scale", &kernel); }
static rw_status call_launch(void) { return scale(y, 2); }
static rw_status call_recorded_launch(void) { return scale(z, 6); }
static void result_recorded_launch(void)
{
    OK(rw_record_end(q, &sequence));
    result_record();
}

static void before_cache(void)
{
    shell("rm -rf '%s/cache'; mkdir -m 700 '%s/cache'", root, root);
    OK(rw_context_create(&context));
    OK(rw_context_set_cache(context, true, path_of("cache"), false));
    shell("printf 12345 >'%s/cache/%064d.so'", root, 7);
}
static rw_status call_cache_describe(void) { return rw_cache_describe(context, &info); }
static void result_cache(void) { note("%s %lld %lld", info.folder, (long long)info.entries, (long long)info.bytes); }
static rw_status call_cache_clear(void) { return rw_cache_clear(context, &removed); }
static void result_removed(void) { note("%lld", (long long)removed); }
