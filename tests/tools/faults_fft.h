/* Rows of test_faults.c: transforms and convolutions. */

static rw_fft *fft;
static rw_convolution *convolution;

/* 40 complex numbers of real ones x, in y's memory of 80; a line in two passes, so that there is a work area. */
static const rw_fft_spec fft_spec = {.ndim = 1, .shape = {40}};
static rw_array *fft_x, *fft_y, *fft_work;

static void before_fft_arrays(void)
{
    void *w;
    fft_x = new_array(RW_C128, 40, RW_MEMORY_DEVICE), fft_y = new_array(RW_C128, 40, RW_MEMORY_DEVICE),
    fft_work = new_array(RW_C128, 64, RW_MEMORY_DEVICE);
    OK(rw_array_write(fft_x, &w));
    for (int i = 0; i < 80; ++i) ((double *)w)[i] = (i * 7) % 11 - 5;
    OK(rw_queue_create(dev, &q));
    OK(rw_array_zero(fft_y, q));
    OK(rw_array_send(fft_x, q));
    OK(rw_queue_wait(q));
}
static void after_fft(void)
{
    rw_fft_destroy(&fft);
    rw_convolution_destroy(&convolution);
    rw_queue_destroy(&q);
    rw_array_destroy(&fft_x), rw_array_destroy(&fft_y), rw_array_destroy(&fft_work);
    rw_fft_limit(0);
}

static rw_status call_fft(void)
{
    fft = poison;
    return made(rw_fft_create(dev, &fft_spec, &fft), &fft);
}
static void result_fft(void)
{
    rw_fft_info i;
    OK(rw_fft_get_info(fft, &i));
    note("%d passes, %d programs", i.passes, i.programs);
}

static void before_fft(void)
{
    before_fft_arrays();
    rw_fft_limit(16);
    OK(rw_fft_create(dev, &fft_spec, &fft));
}
static rw_status call_fft_execute(void)
{
    rw_status status = rw_fft_execute(fft, fft_x, fft_y, q);
    return status == RW_OK ? rw_queue_wait(q) : status;
}
static void result_fft_y(void)
{
    OK(rw_array_read(fft_y, &data));
    note_bytes("y", data, 640);
}

static const rw_convolution_spec convolution_spec = {.dtype = RW_C128,
                                                     .ndim = 1,
                                                     .a_shape = {40},
                                                     .b_shape = {40},
                                                     .mode = RW_CONVOLUTION_PERIODIC};
static rw_status call_convolution(void)
{
    convolution = poison;
    return made(rw_convolution_create(dev, &convolution_spec, &convolution), &convolution);
}
static void result_convolution(void)
{
    rw_fft_info i;
    OK(rw_convolution_get_info(convolution, &i));
    note("%d passes, %d programs", i.passes, i.programs);
}
static void before_convolution(void)
{
    before_fft_arrays();
    OK(rw_convolution_create(dev, &convolution_spec, &convolution));
}
static rw_status call_convolution_set(void)
{
    rw_status status = rw_convolution_set(convolution, fft_x, q);
    return status == RW_OK ? rw_queue_wait(q) : status;
}
static void result_convolution_set(void)
{
    OK(rw_convolution_execute(convolution, fft_x, fft_y, q));
    result_fft_y();
}
static void before_convolution_execute(void)
{
    before_convolution();
    OK(rw_convolution_set(convolution, fft_x, q));
    OK(rw_queue_wait(q));
}
static rw_status call_convolution_execute(void)
{
    rw_status status = rw_convolution_execute(convolution, fft_x, fft_y, q);
    return status == RW_OK ? rw_queue_wait(q) : status;
}

static rw_status call_fft_work(void) { return rw_fft_set_work(fft, fft_work); }
static rw_status call_convolution_work(void) { return rw_convolution_set_work(convolution, fft_work); }
static rw_status call_convolution_shape(void)
{
    int64_t lengths[RW_MAX_NDIM];
    const rw_status status = rw_convolution_shape(ctx, &convolution_spec, lengths);
    count = status == RW_OK ? (int)lengths[0] : 0;
    return status;
}
static void result_first_count(void) { note("%d", (int)count); }
static void result_fft_work(void)
{
    OK(rw_fft_execute(fft, fft_x, fft_y, q));
    result_fft_y();
}

static rw_status call_fft_info(void)
{
    rw_fft_info i;
    const rw_status status = rw_fft_get_info(fft, &i);
    count = status == RW_OK ? i.passes : 0;
    return status;
}
static rw_status call_convolution_info(void)
{
    rw_fft_info i;
    const rw_status status = rw_convolution_get_info(convolution, &i);
    count = status == RW_OK ? i.passes : 0;
    return status;
}

/* ---- tuning, wisdom ---- */

static char *wisdom;

static void before_wisdom(void)
{
    const char *path = path_of("wisdom.txt");
    OK(rw_fft_wisdom_forget(dev));
    OK(rw_fft_wisdom_put(dev, "axis 64 f32", "matrix 8 x 8"));
    OK(rw_fft_wisdom_export(dev, &wisdom));
    OK(rw_fft_wisdom_save(dev, path));
}
static void after_wisdom(void)
{
    free(wisdom);
    OK(rw_fft_wisdom_forget(dev));
}
static void result_wisdom(void)
{
    char *exported;
    OK(rw_fft_wisdom_export(dev, &exported));
    note("%s", exported);
    free(exported);
}
static rw_status call_wisdom_export(void)
{
    char *exported = poison;
    const rw_status status = made(rw_fft_wisdom_export(dev, &exported), &exported);
    free(exported);
    return status;
}
static rw_status call_wisdom_import(void) { return rw_fft_wisdom_import(dev, wisdom, (int64_t)strlen(wisdom)); }
static rw_status call_wisdom_load(void) { return rw_fft_wisdom_load(dev, path_of("wisdom.txt")); }
static rw_status call_wisdom_save(void) { return rw_fft_wisdom_save(dev, path_of("saved.txt")); }
static rw_status call_wisdom_forget(void) { return rw_fft_wisdom_forget(dev); }
static rw_status call_tune(void)
{
    static const rw_fft_spec one = {.ndim = 1, .shape = {1}};
    rw_fft_tuned t;
    const rw_status status = rw_fft_tune(dev, &one, NULL, &t);
    count = status == RW_OK ? t.before > 0 : 0;
    return status;
}
