/* Streams of frames: every format of input with every format of output beside the filter on single images; paces, slow
 * writers, failures. */
#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../clock.h"
#include "../devices.h"
#include "lab/convolution_kernels.h"
#include "rechenwerk/image.h"
#include "rechenwerk/stream.h"

static char folder[64];
static const char *at(const char *name)
{
    static char path[4][160];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

/* ---- a format of the test's own: frames from and to memory, which the library does not know ---------------------- */

enum { MOST = 400 };
typedef struct memory {
    rw_frame_format format;
    uint8_t *frame[MOST];
    int frames, at;
    int repeats;    /* of frame 0, instead of the frames */
    uint32_t crc;   /* of all frames, which are not kept; 0: they are */
    double seconds; /* of each frame that is written */
    int fails_at;   /* 0: never */
} memory;
static memory source, sink;

static void clear(memory *m)
{
    for (int i = 0; i < m->frames; ++i) free(m->frame[i]);
    *m = (memory){0};
}

static rw_status open_memory(rw_context *c, const char *name, rw_stream_file *file, rw_frame_format *format,
                             void **state)
{
    (void)c, (void)name, assert_null(file);
    *format = source.format, source.at = 0;
    *state = &source;
    return RW_OK;
}
static rw_status read_memory(void *state, void *frame, bool *end)
{
    memory *m = state;
    *end = m->at == (m->repeats ? m->repeats : m->frames);
    if (!*end) memcpy(frame, m->frame[m->repeats ? 0 : m->at], (size_t)rw_frame_bytes(&m->format)), ++m->at;
    return RW_OK;
}
static rw_context *memory_context;
static rw_status create_memory(rw_context *c, const char *name, rw_stream_file *file, const rw_frame_format *format,
                               void **state)
{
    (void)name, (void)file;
    memory_context = c, sink.format = *format;
    *state = &sink;
    return RW_OK;
}
static rw_status write_memory(void *state, const void *frame)
{
    memory *m = state;
    const size_t n = (size_t)rw_frame_bytes(&m->format);
    const struct timespec t = {0, (long)(1e9 * m->seconds)};
    if (m->seconds > 0) nanosleep(&t, NULL);
    if (m->fails_at && m->frames + 1 >= m->fails_at) return errno = ENOSPC, RW_ERR_FILE;
    assert_true(m->frames < MOST);
    if (m->crc) {
        assert_int_equal(rw_crc32(frame, n), m->crc);
        return m->frame[m->frames++] = NULL, RW_OK;
    }
    m->frame[m->frames] = malloc(n);
    memcpy(m->frame[m->frames++], frame, n);
    return RW_OK;
}
static const rw_stream_format memory_format = {.name = "memory",
                                               .line = "frames of a test",
                                               .endings = {".memory"},
                                               .by_name = true,
                                               .open = open_memory,
                                               .read = read_memory,
                                               .create = create_memory,
                                               .write = write_memory};

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static void make_frames(const rw_frame_format *format, int n, uint64_t seed)
{
    clear(&source);
    source.format = *format, source.frames = n;
    const size_t bytes = (size_t)rw_frame_bytes(format), size = format->dtype == RW_U16 ? 2 : 1;
    for (int i = 0; i < n; ++i) {
        source.frame[i] = malloc(bytes);
        for (size_t k = 0; k < bytes / size; ++k) {
            const double u = rw_random_uniform(seed + (uint64_t)i, k);
            if (size == 2)
                ((uint16_t *)source.frame[i])[k] = (uint16_t)((format->bits ? 1 << format->bits : 65536) * u);
            else source.frame[i][k] = (uint8_t)(256 * u);
        }
    }
}

/* The filter's result for one image of PIXELS. */
static uint8_t *filtered(const rw_frame_format *f, const uint8_t *frame, const char *text, size_t *bytes)
{
    const rw_image_spec spec = {.text = text,
                                .dtype = f->dtype,
                                .width = f->width,
                                .height = f->height,
                                .channels = f->channels,
                                .alpha = f->channels % 2 == 0};
    rw_image_filter *filter;
    rw_image_info info;
    rw_array *x, *y;
    void *w;
    const void *r;
    OK(rw_image_filter_create(dev, &spec, &filter));
    OK(rw_image_filter_get_info(filter, &info));
    const int64_t in[] = {f->height, f->width, f->channels}, out[] = {info.height, info.width, info.channels};
    OK(rw_array_create(dev, f->dtype, 3, in, RW_MEMORY_DEVICE, &x));
    OK(rw_array_create(dev, f->dtype, 3, out, RW_MEMORY_DEVICE, &y));
    OK(rw_array_write(x, &w));
    memcpy(w, frame, (size_t)rw_frame_bytes(f));
    OK(rw_image_filter_execute(filter, x, y, queue));
    OK(rw_array_read(y, &r));
    *bytes = (size_t)rw_array_size(y) * rw_dtype_size(f->dtype);
    uint8_t *copy = malloc(*bytes);
    memcpy(copy, r, *bytes);
    rw_array_destroy(&x), rw_array_destroy(&y);
    rw_image_filter_destroy(&filter);
    return copy;
}

static void expect_filtered(const rw_frame_format *f, const char *text, int n)
{
    assert_int_equal(sink.frames, n);
    for (int i = 0; i < n; ++i) {
        size_t bytes;
        uint8_t *wanted = filtered(f, source.frame[i], text, &bytes);
        assert_int_equal(rw_frame_bytes(&sink.format), bytes);
        if (memcmp(wanted, sink.frame[i], bytes))
            fail_msg("%s: frame %d of %lld x %lld x %d differs", text, i, (long long)f->width, (long long)f->height,
                     f->channels);
        free(wanted);
    }
}

static rw_status stop_at_once(void *user, const rw_stream_report *r);

static rw_stream_report stream(const char *in, const char *out, const rw_stream_spec *spec)
{
    rw_stream_report report;
    if (strstr(out, ".memory")) {
        const double seconds = sink.seconds;
        const uint32_t crc = sink.crc;
        clear(&sink);
        sink.seconds = seconds, sink.crc = crc;
    }
    const rw_status status = rw_stream_run(dev, in, out, spec, &report);
    if (spec->progress == stop_at_once) assert_int_equal(status, RW_ERR_INTERRUPTED);
    else OK(status);
    return report;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* Through each format and back, grey and colour, 8 and 16 bits. */
static void test_formats(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        rw_frame_format f;
        const char *in_format, *out_format;
    } rows[] = {
        {"a.y4m", {.width = 33, .height = 21, .channels = 1, .dtype = RW_U8}, NULL, NULL},
        {"a10.y4m", {.width = 16, .height = 9, .channels = 1, .dtype = RW_U16, .bits = 16}, NULL, NULL},
        {"a.clm", {.width = 64, .height = 48, .channels = 1, .dtype = RW_U8}, NULL, NULL},
        {"b.clm", {.width = 64, .height = 48, .channels = 3, .dtype = RW_U8}, NULL, NULL},
        {"a.raw", {.width = 7, .height = 5, .channels = 4, .dtype = RW_U8}, NULL, NULL},
        {"b.raw", {.width = 7, .height = 5, .channels = 3, .dtype = RW_U16}, NULL, NULL},
        {"p%d.png", {.width = 20, .height = 10, .channels = 4, .dtype = RW_U8}, NULL, NULL},
        {"q%03d.png", {.width = 20, .height = 10, .channels = 2, .dtype = RW_U16}, NULL, NULL},
        {"r%02d.ppm", {.width = 9, .height = 4, .channels = 3, .dtype = RW_U16}, NULL, NULL},
        {"s%d.tif", {.width = 9, .height = 4, .channels = 3, .dtype = RW_U8}, NULL, NULL},
        {"all.pictures", {.width = 13, .height = 11, .channels = 3, .dtype = RW_U8}, "pnm", "pnm"},
        {"deep.pictures", {.width = 13, .height = 11, .channels = 1, .dtype = RW_U16}, NULL, "pnm"},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        const rw_frame_format *f = &rows[i].f;
        if (!test_long() && brief() && i % 3) continue;
        make_frames(f, 4, (uint64_t)(10 + i));
        rw_stream_spec spec = {.text = "clip", .out_format = rows[i].out_format};
        rw_stream_report r;
        rw_status status = rw_stream_run(dev, "x.memory", at(rows[i].path), &spec, &r);
        if (status == RW_ERR_UNSUPPORTED && strstr(rows[i].path, ".tif")) continue; /* a build without TIFF */
        OK(status);
        assert_int_equal(r.frames, 4);
        spec = (rw_stream_spec){.text = "median",
                                .in_format = rows[i].in_format,
                                .frames = strstr(rows[i].path, ".raw") ? *f : (rw_frame_format){0}};
        r = stream(at(rows[i].path), "y.memory", &spec);
        assert_true(r.frames == 4 && r.in.width == f->width && r.in.height == f->height &&
                    r.in.channels == f->channels && r.in.dtype == f->dtype);
        expect_filtered(f, "median", 4);
    }
}

/* Planes: what no filter changes comes back, whatever the layout; a luma filter leaves the colour. */
static void test_planes(void **state)
{
    (void)state;
    static const rw_frame_format formats[] = {
        {.layout = RW_FRAME_420, .width = 16, .height = 10, .channels = 3, .dtype = RW_U8, .bits = 8},
        {.layout = RW_FRAME_420,
         .width = 15,
         .height = 9,
         .channels = 3,
         .dtype = RW_U8,
         .bits = 8,
         .full_range = true},
        {.layout = RW_FRAME_422, .width = 13, .height = 8, .channels = 3, .dtype = RW_U16, .bits = 10},
        {.layout = RW_FRAME_444, .width = 10, .height = 722, .channels = 3, .dtype = RW_U16, .bits = 12},
        {.layout = RW_FRAME_420, .width = 11, .height = 7, .channels = 3, .dtype = RW_U16, .bits = 16},
    };
    for (int i = 0; i < RW_COUNT(formats); ++i) {
        const rw_frame_format *f = formats + i;
        const size_t size = f->dtype == RW_U16 ? 2 : 1, bytes = (size_t)rw_frame_bytes(f),
                     luma = (size_t)(f->width * f->height);
        if (!test_long() && brief() && i % 2) continue;
        make_frames(f, 2, (uint64_t)(100 + i));
        /* any colours, also those that red, green and blue do not hold */
        stream("x.memory", "y.memory", &(rw_stream_spec){.text = "clip:low=0"});
        for (int n = 0; n < 2; ++n)
            if (memcmp(source.frame[n], sink.frame[n], bytes)) fail_msg("format %d: frame %d differs", i, n);
        /* colours that red, green and blue hold: luma in the middle, little colour */
        const int top = (1 << f->bits) / 256;
        for (int n = 0; n < 2; ++n)
            for (size_t k = 0; k < bytes / size; ++k) {
                const int v = size == 2 ? ((uint16_t *)source.frame[n])[k] : source.frame[n][k],
                          w = k < luma ? 90 * top + v % (70 * top) : 118 * top + v % (20 * top);
                if (size == 2) ((uint16_t *)source.frame[n])[k] = (uint16_t)w;
                else source.frame[n][k] = (uint8_t)w;
            }
        stream("x.memory", at("planes.y4m"), &(rw_stream_spec){.text = "clip:low=0"});
        rw_stream_report r =
            stream(at("planes.y4m"), "y.memory", &(rw_stream_spec){.text = "clip:low=0", .luma = true});
        assert_true(r.in.layout == f->layout && r.in.bits == f->bits && r.in.full_range == f->full_range);
        for (int n = 0; n < 2; ++n)
            for (size_t k = 0; k < bytes / size; ++k) {
                const int v = size == 2 ? ((uint16_t *)source.frame[n])[k] : source.frame[n][k],
                          got = size == 2 ? ((uint16_t *)sink.frame[n])[k] : sink.frame[n][k];
                if (got != v) fail_msg("format %d, frame %d, sample %d: %d, not %d", i, n, (int)k, got, v);
            }
        stream("x.memory", "y.memory", &(rw_stream_spec){.text = "invert", .luma = true});
        for (size_t k = 0; k < bytes / size; ++k) {
            const int v = size == 2 ? ((uint16_t *)source.frame[1])[k] : source.frame[1][k],
                      got = size == 2 ? ((uint16_t *)sink.frame[1])[k] : sink.frame[1][k];
            if (abs(got - (k < luma ? 256 * top - 1 - v : v)) > (k < luma))
                fail_msg("format %d, luma inverted, sample %d: %d becomes %d", i, (int)k, v, got);
        }
        /* grey levels keep their place: 16 and 235 are black and white */
        stream("x.memory", at("grey.y4m"), &(rw_stream_spec){.text = "grey"});
        r = stream(at("grey.y4m"), "y.memory", &(rw_stream_spec){.text = "clip"});
        assert_true(r.in.layout == RW_FRAME_PIXELS && r.in.channels == 1);
        for (size_t k = 0; k < luma; ++k) {
            const int v = size == 2 ? ((uint16_t *)source.frame[0])[k] : source.frame[0][k],
                      got = size == 2 ? ((uint16_t *)sink.frame[0])[k] : sink.frame[0][k];
            const int scale = size == 2 && f->bits < 16 ? 65536 >> f->bits : 1; /* frames without unused bits */
            const int most = f->height < 720 ? 2 : 12;                          /* `grey` has the weights of BT.601 */
            if (abs(got - v * scale) > most * RW_MAX(top, 1) * scale)
                fail_msg("format %d, grey, sample %d: %d becomes %d", i, (int)k, v, got);
        }
    }
}

/* The primaries, as ITU-R BT.601 gives them for 8 bits. */
static void test_colours(void **state)
{
    (void)state;
    static const uint8_t yuv[4][3] = {{81, 90, 240}, {145, 54, 34}, {41, 240, 110}, {235, 128, 128}};
    static const int rgb[4][3] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 255}};
    const rw_frame_format f = {.layout = RW_FRAME_444, .width = 4, .height = 1, .channels = 3, .dtype = RW_U8};
    make_frames(&f, 1, 1);
    for (int i = 0; i < 4; ++i)
        for (int c = 0; c < 3; ++c) source.frame[0][4 * c + i] = yuv[i][c];
    stream("x.memory", at("c%d.png"), &(rw_stream_spec){.text = "clip"});
    stream(at("c%d.png"), "y.memory", &(rw_stream_spec){.text = "clip"});
    assert_int_equal(sink.format.channels, 3);
    for (int i = 0; i < 12; ++i)
        if (abs(sink.frame[0][i] - rgb[i / 3][i % 3]) > 2)
            fail_msg("pixel %d, channel %d: %d, not %d", i / 3, i % 3, sink.frame[0][i], rgb[i / 3][i % 3]);
}

/* Red, green and blue to planes of a Y4M file and back: within a step of the limited range; alpha is left out. Grey
 * comes back as it was. */
static void test_pixels_to_planes(void **state)
{
    (void)state;
    for (int channels = 1; channels <= 4; ++channels)
        for (int wide = 0; wide < 2; ++wide) {
            const rw_frame_format f = {.width = 21, .height = 9, .channels = channels, .dtype = wide ? RW_U16 : RW_U8};
            if (channels == 2) continue;
            make_frames(&f, 2, 3);
            stream("x.memory", at("planes.y4m"), &(rw_stream_spec){.text = "clip"});
            stream(at("planes.y4m"), at("pixels%d.png"), &(rw_stream_spec){.text = "clip"});
            stream(at("pixels%d.png"), "y.memory", &(rw_stream_spec){.text = "clip"});
            assert_true(sink.frames == 2 && sink.format.channels == (channels == 1 ? 1 : 3));
            for (int i = 0; i < 21 * 9; ++i)
                for (int c = 0; c < sink.format.channels; ++c) {
                    const int k = i * sink.format.channels + c, of = i * channels + c;
                    const int got = wide ? ((uint16_t *)sink.frame[1])[k] : sink.frame[1][k],
                              want = wide ? ((uint16_t *)source.frame[1])[of] : source.frame[1][of];
                    if (abs(got - want) > (channels == 1 ? 0 : 2))
                        fail_msg("%d channels, %s, pixel %d, %d: %d, not %d", channels, wide ? "u16" : "u8", i, c, got,
                                 want);
                }
        }
}

/* Several queues and few slots: all frames, in their order, in memory that does not grow with their number. */
static void test_queues(void **state)
{
    (void)state;
    const rw_frame_format f = {.width = 24, .height = 16, .channels = 3, .dtype = RW_U8};
    int64_t peak[2];
    for (int queues = 1; queues <= 4; ++queues)
        for (int depth = 1; depth <= 9; depth += 4) {
            if (!test_long() && (queues + depth) % 3) continue;
            make_frames(&f, 30, (uint64_t)(50 + queues));
            const rw_stream_report r =
                stream("x.memory", "y.memory",
                       &(rw_stream_spec){.text = "gauss|sobel", .queues = queues, .depth = depth});
            assert_true(r.frames == 30 && r.depth_max <= depth && r.bytes_in == 30 * 24 * 16 * 3);
            expect_filtered(&f, "gauss|sobel", 30);
        }
    for (int i = 0; i < 2; ++i) {
        make_frames(&f, i ? 200 : 20, 3);
        stream("x.memory", "y.memory", &(rw_stream_spec){.text = "box"});
        peak[i] = counters().bytes_allocated_peak;
    }
    assert_int_equal(peak[0], peak[1]);
}

/* A camera of 200 frames a second and a writer that takes 15 ms a frame: 66 a second. The slots fill, then frames are
 * late. */
static void test_slow_writer(void **state)
{
    (void)state;
    const rw_frame_format f = {.width = 8, .height = 8, .channels = 1, .dtype = RW_U8};
    make_frames(&f, 40, 7);
    sink.seconds = 0.015;
    rw_stream_report r =
        stream("x.memory", "y.memory", &(rw_stream_spec){.text = "invert", .rate = 200, .depth = 6, .deadline = 0.05});
    assert_true(r.frames == 40 && r.depth_max == 6);
    /* frame n is due at 5 n ms and written at 15 (n + 1) ms or later: late from n = 4 on */
    if (r.late < 35 || r.late > 40) fail_msg("%d frames late, not 35 to 40", (int)r.late);
    assert_true(r.latency_max >= 0.39);
    assert_true(r.seconds >= 0.6);
    sink.seconds = 0;
    begin_clock();
    r = stream("x.memory", "y.memory", &(rw_stream_spec){.text = "invert", .rate = 100, .deadline = 5});
    end_clock();
    assert_true(r.frames == 40 && r.late == 0 && r.seconds >= 0.38);
    r = stream("x.memory", "y.memory", &(rw_stream_spec){.text = "invert", .frames_max = 7});
    assert_true(r.frames == 7 && r.deadline == 0);
}

/* The study's case: 300 frames in colour, their means in windows of 5 x 5, the bytes known, in one queue to four. A GPU
 * has each of 25 a second ready in 40 ms. */
static void test_study(void **state)
{
    (void)state;
    const rw_frame_format f = {.width = 640, .height = 472, .channels = 3, .dtype = RW_U8};
    const bool fast = on("cuda") || on("cpu");
    if (brief()) skip();
    make_frames(&f, 1, 0);
    rw_conv2d_image(f.width, f.height, f.channels, source.frame[0]);
    source.repeats = fast ? 300 : 4, sink.crc = 0x16ca93e4;
    for (int queues = 1; queues <= (test_long() ? 4 : 1); ++queues) {
        const rw_stream_report r =
            stream("x.memory", "y.memory", &(rw_stream_spec){.text = "box:size=5:border=constant", .queues = queues});
        assert_int_equal(r.frames, source.repeats);
    }
    if (test_long() && on("cuda")) {
        source.repeats = 50;
        const rw_stream_report r =
            stream("x.memory", "y.memory",
                   &(rw_stream_spec){.text = "box:size=5:border=constant", .rate = 25, .deadline = 0.04});
        assert_true(r.frames == 50 && r.late == 0);
    }
    sink.crc = 0;
}

static rw_status stop_at_once(void *user, const rw_stream_report *r)
{
    (void)r;
    ++*(int *)user;
    return RW_ERR_INTERRUPTED;
}

static void test_stop(void **state)
{
    (void)state;
    const rw_frame_format f = {.width = 8, .height = 8, .channels = 1, .dtype = RW_U8};
    int calls = 0;
    make_frames(&f, 300, 7);
    begin_clock();
    const rw_stream_report r =
        stream("x.memory", "y.memory",
               &(rw_stream_spec){.text = "invert", .rate = 100, .progress = stop_at_once, .user = &calls});
    end_clock();
    /* asked after half a second, that is 50 frames; the frames that were read are finished */
    assert_true(calls >= 1 && r.frames >= 50 && r.frames < 100 && sink.frames == r.frames);
}

/* ---- an observer ------------------------------------------------------------------------------------------------- */

typedef struct observer {
    int64_t frame, shown, before; /* last frame; frames; calls before the first */
    uint8_t in[4096], out[4096];
    int64_t from; /* the frame from which on it wants what `action` says */
    rw_stream_action action;
    double until; /* time at which it goes on */
    rw_status status;
} observer;

static rw_status observe(void *user, const rw_stream_view *view, rw_stream_action *action)
{
    observer *o = user;
    const rw_stream_report *r = view->report;
    assert_int_equal(*action, RW_STREAM_CONTINUE);
    assert_true(view->x && view->y && rw_array_ndim(view->y) == 3);
    if (!r->shown) ++o->before;
    if (view->in && r->shown != o->shown) {
        assert_true(r->shown == o->shown + 1 && view->frame > o->frame);
        o->shown = r->shown, o->frame = view->frame;
        memcpy(o->in, view->in, (size_t)rw_frame_bytes(&r->in)),
            memcpy(o->out, view->out, (size_t)rw_frame_bytes(&r->out));
    } else if (view->in) {
        assert_int_equal(view->frame, o->frame);
        assert_memory_equal(view->out, o->out, (size_t)rw_frame_bytes(&r->out));
    }
    if (o->frame < o->from) return RW_OK;
    if (o->action == RW_STREAM_PAUSE && !o->until) o->until = rw_seconds() + 0.3;
    if (o->action != RW_STREAM_PAUSE || rw_seconds() < o->until) *action = o->action;
    return o->status;
}

/* The last frame that an observer sees is the last one written, whatever the depth; it does not slow a camera. */
static void test_observer(void **state)
{
    (void)state;
    const rw_frame_format f = {.width = 24, .height = 16, .channels = 3, .dtype = RW_U8};
    for (int depth = 1; depth <= 9; depth += 4)
        for (int rate = 0; rate <= 200; rate += 200) {
            observer o = {.frame = -1, .from = 1000};
            make_frames(&f, 40, (uint64_t)(70 + depth));
            const rw_stream_spec spec =
                {.text = "gauss", .depth = depth, .rate = rate, .deadline = 5, .show = observe, .show_user = &o};
            begin_clock();
            const rw_stream_report r = stream("x.memory", "y.memory", &spec);
            end_clock();
            assert_true(r.frames == 40 && r.late == 0 && o.before >= 1 && o.frame == 39);
            if (r.shown != o.shown || r.shown < 1 || (double)r.shown > 60 * r.seconds + 2)
                fail_msg("%d frames shown in %g s", (int)r.shown, r.seconds);
            if (rate) assert_true(r.shown >= 3);
            assert_memory_equal(o.in, source.frame[39], (size_t)rw_frame_bytes(&f));
            assert_memory_equal(o.out, sink.frame[39], (size_t)rw_frame_bytes(&f));
            expect_filtered(&f, "gauss", 40);
        }
}

static void test_observer_acts(void **state)
{
    (void)state;
    const rw_frame_format f = {.width = 8, .height = 8, .channels = 1, .dtype = RW_U8};
    make_frames(&f, 40, 7);
    observer o = {.frame = -1, .from = 5, .action = RW_STREAM_PAUSE};
    rw_stream_spec spec = {.text = "invert", .rate = 100, .deadline = 9, .show = observe, .show_user = &o};
    const double start = rw_seconds();
    rw_stream_report r = stream("x.memory", "y.memory", &spec);
    assert_true(r.frames == 40 && o.frame == 39 && rw_seconds() - start - r.seconds >= 0.25);
    o = (observer){.frame = -1, .from = 5, .action = RW_STREAM_END};
    begin_clock();
    r = stream("x.memory", "y.memory", &spec);
    end_clock();
    assert_true(r.frames > 5 && r.frames < 40 && sink.frames == r.frames && o.frame == r.frames - 1);
    o = (observer){.frame = -1, .from = 5, .status = RW_ERR_INPUT};
    clear(&sink);
    FAILS(RW_ERR_INPUT, "show", rw_stream_run(dev, "x.memory", "y.memory", &spec, &r));
    /* nothing is written: planes stay red, green and blue */
    make_frames(&(rw_frame_format){.layout = RW_FRAME_420, .width = 16, .height = 12, .channels = 3, .dtype = RW_U8}, 3,
                9);
    o = (observer){.frame = -1, .from = 1000};
    OK(rw_stream_run(dev, "x.memory", "none", &(rw_stream_spec){.text = "invert", .show = observe, .show_user = &o},
                     &r));
    assert_true(r.frames == 3 && r.out.layout == RW_FRAME_PIXELS && r.out.channels == 3 && o.frame == 2);
    assert_true(rw_stream_is("none"));
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    assert_true(file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        rw_status status;
        const char *message;
    } rows[] = {
        {"", 0, RW_ERR_INPUT, "is empty"},
        {"what", 4, RW_ERR_INPUT, "not those of a known format"},
        {"YUV4MPEG2 W4 H", 14, RW_ERR_INPUT, "ends inside the header"},
        {"YUV4MPEG2 W0 H4\n", 16, RW_ERR_INPUT, "0 x 4 pixels"},
        {"YUV4MPEG2 W99999999999 H4\n", 26, RW_ERR_INPUT, "pixels"},
        {"YUV4MPEG2 W4 H4 C411\n", 21, RW_ERR_UNSUPPORTED, "C411"},
        {"YUV4MPEG2 W4 H4 C420p99\n", 24, RW_ERR_UNSUPPORTED, "C420p99"},
        {"YUV4MPEG2 W2 H2 Cmono\nFRAME\nabcdFRAME\nab", 40, RW_ERR_INPUT, "ends inside a frame, after 2 of 4 bytes"},
        {"YUV4MPEG2 W2 H2 Cmono\nFRAME\nabcdFRUME\nabcd", 42, RW_ERR_INPUT, "which begins with FRAME"},
        {"CLM1\4\0\0\0\4\0\0\0\1\0\0\0\1\0\0\0\21\0\0\0", 24, RW_ERR_INPUT, "17 bytes per image"},
        {"CLM1\4\0\0\0\4\0\0\0\2\0\0\0\1\0\0\0\40\0\0\0", 24, RW_ERR_INPUT, "2 channels"},
        {"CLM1\4\0\0\0\4\0", 10, RW_ERR_INPUT, "ends inside the header"},
        {"CLM1\2\0\0\0\2\0\0\0\1\0\0\0\2\0\0\0\4\0\0\0abcdab", 30, RW_ERR_INPUT, "ends inside an image"},
        {"P5 2 2 255\nabcdP5 3 2 255\nabcdef", 32, RW_ERR_INPUT, "follows pictures of"},
        {"P5 2 2 255\nabcdP7", 17, RW_ERR_INPUT, "P5 or P6"},
        {"P5 2 2 255\nabcdP5 2 x", 21, RW_ERR_INPUT, "where a number is expected"},
        {"P5 99999999 99999999 255\n", 25, RW_ERR_INPUT, "2^28"},
        {"\x89PNG\r\n\x1a\n\0\0\0\1", 12, RW_ERR_INPUT, "ends inside a picture"},
    };
    rw_stream_report report;
    const rw_stream_spec spec = {.text = "invert"};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        write_file(at("bad"), rows[i].text, rows[i].n);
        clear(&sink);
        FAILS(rows[i].status, rows[i].message, rw_stream_run(dev, at("bad"), "y.memory", &spec, &report));
        assert_int_equal(report.frames, sink.frames);
        if (strstr(rows[i].text, "FRAME\nabcd")) assert_int_equal(sink.frames, 1);
    }
    const rw_frame_format f = {.width = 8, .height = 8, .channels = 1, .dtype = RW_U8};
    make_frames(&f, 3, 7);
    FAILS(RW_ERR_FILE, "cannot open", rw_stream_run(dev, at("none.y4m"), "y.memory", &spec, NULL));
    FAILS(RW_ERR_FILE, "number 0 or 1", rw_stream_run(dev, at("none%d.png"), "y.memory", &spec, NULL));
    FAILS(RW_ERR_ARGUMENT, "for the number of a picture", rw_stream_run(dev, at("a%d%d.png"), "y.memory", &spec, NULL));
    FAILS(RW_ERR_ARGUMENT, "more than one frame", rw_stream_run(dev, "x.memory", at("a%s%2d.png"), &spec, NULL));
    FAILS(RW_ERR_FILE, "is a folder", rw_stream_run(dev, folder, "y.memory", &spec, NULL));
    FAILS(RW_ERR_ARGUMENT, "no stream format 'avi'",
          rw_stream_run(dev, "x.memory", "y", &(rw_stream_spec){.text = "invert", .out_format = "avi"}, NULL));
    FAILS(RW_ERR_ARGUMENT, "rw_frame_format.reserved is not 0",
          rw_stream_run(dev, "x.memory", "y.memory",
                        &(rw_stream_spec){.text = "invert", .frames = {.reserved = {[1] = 1}}}, NULL));
    FAILS(RW_ERR_ARGUMENT, "raw frames have no header",
          rw_stream_run(dev, at("bad"), "y.memory", &(rw_stream_spec){.text = "invert", .in_format = "raw"}, NULL));
    FAILS(RW_ERR_ARGUMENT, "cannot be written",
          rw_stream_run(dev, "x.memory", "y", &(rw_stream_spec){.text = "invert", .out_format = "png"}, NULL));
    FAILS(RW_ERR_ARGUMENT, "nearest",
          rw_stream_run(dev, "x.memory", "y.memory", &(rw_stream_spec){.text = "invrt"}, NULL));
    FAILS(RW_ERR_ARGUMENT, "queues",
          rw_stream_run(dev, "x.memory", "y.memory", &(rw_stream_spec){.text = "invert", .queues = 99}, NULL));
    FAILS(RW_ERR_ARGUMENT, "more than one frame", rw_stream_run(dev, "x.memory", at("single.png"), &spec, NULL));
    FAILS(RW_ERR_ARGUMENT, "needs a name", rw_stream_format_register(ctx, &(rw_stream_format){.name = "x"}));
    clear(&sink);
    sink.fails_at = 2;
    assert_int_equal(rw_stream_run(dev, "x.memory", "y.memory", &spec, &report), RW_ERR_FILE);
    assert_int_equal(report.frames, 1);
    sink.fails_at = 0;
    make_frames(&(rw_frame_format){.width = 8, .height = 8, .channels = 2, .dtype = RW_U8}, 1, 7);
    FAILS(RW_ERR_ARGUMENT, "cannot store frames of 8 x 8 pixels, 2 channels",
          rw_stream_run(dev, "x.memory", at("two.y4m"), &spec, NULL));
    assert_int_not_equal(access(at("two.y4m"), F_OK), 0);
}

/* Formats that frames cannot have, of raw files and of a format that a program added. */
static void test_frame_formats(void **state)
{
    static const struct {
        rw_frame_format format;
        const char *message;
    } rows[] = {
        {{.layout = (rw_frame_layout)77, .channels = 3, .dtype = RW_U8},
         "layout = 77 is not a value of rw_frame_layout"},
        {{.layout = (rw_frame_layout)-1, .channels = 3, .dtype = RW_U8},
         "layout = -1 is not a value of rw_frame_layout"},
        {{.layout = RW_FRAME_444, .channels = 3, .dtype = RW_F64}, "samples of type f64"},
        {{.layout = RW_FRAME_PIXELS, .channels = 0, .dtype = RW_U8}, "frames of 0 channels"},
        {{.layout = RW_FRAME_PIXELS, .channels = 5, .dtype = RW_U8}, "frames of 5 channels"},
        {{.layout = RW_FRAME_420, .channels = 1, .dtype = RW_U8}, "frames of 1 channels"},
        {{.layout = RW_FRAME_PIXELS, .channels = 1, .dtype = RW_U8, .bits = 9}, "bits = 9"},
        {{.layout = RW_FRAME_PIXELS, .channels = 1, .dtype = RW_U16, .bits = 64}, "bits = 64"},
        {{.layout = RW_FRAME_PIXELS, .channels = 1, .dtype = RW_U16, .bits = -1}, "bits = -1"},
        {{.layout = RW_FRAME_PIXELS, .channels = 1, .dtype = RW_U8, .rate = {25, 0}}, "rate = 25/0"},
    };
    (void)state;
    write_file(at("bad"), "0123456789abcdef", 16);
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_stream_spec spec = {.text = "invert", .in_format = "raw", .frames = rows[i].format};
        spec.frames.width = spec.frames.height = 4;
        FAILS(RW_ERR_ARGUMENT, rows[i].message, rw_stream_run(dev, at("bad"), "y.memory", &spec, NULL));
        make_frames(&(rw_frame_format){.width = 4, .height = 4, .channels = 1, .dtype = RW_U8}, 1, 7);
        source.format = spec.frames;
        FAILS(RW_ERR_ARGUMENT, rows[i].message,
              rw_stream_run(dev, "x.memory", "y.memory", &(rw_stream_spec){.text = "invert"}, NULL));
    }
}

static int enter(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/rechenwerk-stream-%d", (int)getpid());
    return mkdir(folder, 0700);
}
static int leave(void **state)
{
    char line[96];
    (void)state;
    clear(&source), clear(&sink);
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formats),       cmocka_unit_test(test_planes),
                                       cmocka_unit_test(test_colours),       cmocka_unit_test(test_queues),
                                       cmocka_unit_test(test_slow_writer),   cmocka_unit_test(test_study),
                                       cmocka_unit_test(test_stop),          cmocka_unit_test(test_observer),
                                       cmocka_unit_test(test_observer_acts), cmocka_unit_test(test_mistakes),
                                       cmocka_unit_test(test_frame_formats), cmocka_unit_test(test_pixels_to_planes)};
    if (enter(NULL) || rw_stream_format_register(NULL, &memory_format) != RW_OK) return 1;
    const int code = run_on_devices("stream", tests, RW_COUNT(tests));
    return leave(NULL) || code;
}
