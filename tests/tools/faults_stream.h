/* Rows of test_faults.c: streams of frames and signals. */

static char stream_in[128], stream_out[128];
static rw_stream_file stream_file;
static double *signal_taps;
static int64_t signal_ntaps, signal_delay;

static void write_stream(const char *name, const void *bytes, size_t n)
{
    snprintf(stream_in, sizeof stream_in, "%s/%s", root, name);
    FILE *f = fopen(stream_in, "wb");
    assert_true(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}
/* Three frames of 6 x 4 pixels. */
static void before_frames(void)
{
    static const char bytes[] =
        "YUV4MPEG2 W6 H4 F25:1 Cmono\nFRAME\nabcdefghijklmnopqrstuvwxFRAME\nABCDEFGHIJKLMNOPQRSTUVWXFRAME\n"
        "012345678901234567890123";
    write_stream("in.y4m", bytes, sizeof bytes - 1);
    snprintf(stream_out, sizeof stream_out, "%s/out.y4m", root);
}
static rw_status call_frames(void)
{
    return rw_stream_run(dev, stream_in, stream_out, &(rw_stream_spec){.text = "invert", .queues = 1, .depth = 2},
                         NULL);
}
static void result_stream(void)
{
    char *bytes;
    size_t n;
    OK(rw_file_read(ctx, stream_out, 0, &bytes, &n));
    note_bytes("file", bytes, n);
    rw_free(bytes);
}

static void before_stream_file(void)
{
    before_frames();
    OK(rw_stream_file_open(ctx, stream_in, &stream_file));
    count = 0;
}
static rw_status call_stream_read(void)
{
    char bytes[40];
    return rw_stream_file_read(&stream_file, bytes, sizeof bytes, "a frame", NULL);
}
static void after_stream_file(void) { rw_stream_file_close(&stream_file); }
static void before_stream_create(void)
{
    snprintf(stream_out, sizeof stream_out, "%s/written.bin", root);
    OK(rw_stream_file_create(ctx, stream_out, &stream_file));
}
static rw_status call_stream_write(void) { return rw_stream_file_write(&stream_file, "abcd", 4); }
static rw_status no_frame(void *state, void *frame, bool *end) { return (void)state, (void)frame, *end = true, RW_OK; }
static rw_status no_stream(rw_context *c, const char *name, rw_stream_file *file, rw_frame_format *format, void **state)
{
    return (void)name, (void)file, (void)format, (void)state, rw_fail(c, RW_ERR_FILE, "there is none");
}
static rw_status call_stream_register(void)
{
    static const rw_stream_format none = {.name = "none", .line = "no frames", .open = no_stream, .read = no_frame};
    return rw_stream_format_register(ctx, &none);
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

static rw_status call_signal_design(void)
{
    signal_taps = poison;
    return made(rw_signal_design(ctx, "lowpass:cutoff=1000:taps=21|gain:factor=2", 8000, &signal_taps, &signal_ntaps,
                                 &signal_delay),
                &signal_taps);
}
static void result_signal_design(void) { note_bytes("taps", signal_taps, (size_t)signal_ntaps * sizeof *signal_taps); }
static void after_signal_design(void) { free(signal_taps), signal_taps = NULL; }

static const rw_signal_format raw_samples = {.container = RW_SIGNAL_RAW,
                                             .kind = RW_SAMPLE_S16,
                                             .channels = 1,
                                             .rate = 8000};
static void before_samples(void)
{
    short samples[300];
    for (int i = 0; i < 300; ++i) samples[i] = (short)(i * 7919);
    write_stream("in.raw", samples, sizeof samples);
    snprintf(stream_out, sizeof stream_out, "%s/out.raw", root);
}
static rw_status call_signal(void)
{
    return rw_signal_run(dev, stream_in, stream_out,
                         &(rw_signal_spec){.text = "lowpass:cutoff=1000:taps=21", .in = raw_samples, .queues = 1},
                         NULL);
}
static char *found_path;
static void before_find_output(void)
{
    snprintf(stream_out, sizeof stream_out, "%s/found-7.pgm", root);
    FILE *f = fopen(stream_out, "wb");
    assert_true(f && fclose(f) == 0);
    snprintf(stream_out, sizeof stream_out, "%s/found-%%d.pgm", root);
}
static rw_status call_find_output(void) { return rw_stream_find_output(ctx, stream_out, &found_path); }
static void result_find_output(void) { note("%s", found_path && strstr(found_path, "found-7.pgm") ? "found" : "none"); }
static void after_find_output(void)
{
    rw_free(found_path);
    found_path = NULL;
}

static void before_spectrogram(void)
{
    before_samples();
    snprintf(stream_out, sizeof stream_out, "%s/out.npy", root);
}
static rw_status call_spectrogram(void)
{
    return rw_spectrogram_run(dev, stream_in, stream_out, &(rw_spectrogram_spec){.in = raw_samples, .length = 64},
                              NULL);
}

/* ---- window: where a build has none, calls do nothing ------------------------------------------------------------ */

static rw_stream_window *window;
static rw_stream_report stream_report = {.in = {.width = 12, .height = 9, .channels = 1, .dtype = RW_U8}, .shown = 1};
static rw_stream_view stream_view;
static const rw_stream_window_spec window_spec = {.width = 200,
                                                  .height = 100,
                                                  .title = "title",
                                                  .screenshot = "shot.png"};

static bool has_windows(void)
{
    static int has = -1;
    rw_stream_window *w;
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    if (has < 0) {
        has = rw_stream_window_create(dev, &window_spec, &w) == RW_OK;
        rw_stream_window_destroy(&w);
    }
    return has;
}
static void before_window(void) { has_windows(); }
static rw_status call_window(void)
{
    if (!has_windows()) return RW_OK;
    window = poison;
    return made(rw_stream_window_create(dev, &window_spec, &window), &window);
}
static void result_window(void) { note("%d", window != NULL); }
static void after_window(void)
{
    rw_stream_window_destroy(&window);
    rw_array_destroy(&image_x);
}
static void before_window_show(void)
{
    const int64_t size[] = {9, 12, 1};
    void *w;
    OK(rw_array_create(dev, RW_U8, 3, size, RW_MEMORY_DEVICE, &image_x));
    OK(rw_array_write(image_x, &w));
    for (int i = 0; i < 108; ++i) ((unsigned char *)w)[i] = (unsigned char)(i * 37);
    stream_report.out = stream_report.in;
    stream_view = (rw_stream_view){.in = w, .out = w, .x = image_x, .y = image_x, .report = &stream_report};
    if (has_windows()) OK(rw_stream_window_create(dev, &window_spec, &window));
}
static rw_status call_window_show(void)
{
    rw_stream_action action = RW_STREAM_CONTINUE;
    const void *data_of_view;
    if (!window) return RW_OK;
    rw_status status = rw_array_read(image_x, &data_of_view);
    stream_view.in = stream_view.out = data_of_view;
    return status == RW_OK ? rw_stream_window_show(window, &stream_view, &action) : status;
}
static void before_window_save(void)
{
    before_window_show();
    snprintf(image_path, sizeof image_path, "%s/window.png", root);
    OK(call_window_show());
}
static rw_status call_window_save(void) { return window ? rw_stream_window_save(window, image_path) : RW_OK; }
static void result_window_file(void) { note("%d", !window || access(image_path, F_OK) == 0); }
