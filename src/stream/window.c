/* A window that observes a stream: the filter's input, its result and the result's spectrum, drawn by the device on a
 * page (montage.c) that is shown (screen.c) and saved. */
#include <string.h>
#include <unistd.h>

#include "io/raster.h"
#include "rechenwerk/image.h"
#include "stream/stream.h"

enum { PICTURES = 3, WIDTH = 1280, HEIGHT = 720 };

struct rw_stream_window {
    rw_context *ctx;
    rw_device *device;
    rw_screen *screen;
    int width, height; /* requested; 0: default */
    char *title, *screenshot;
    rw_queue *queue; /* retains the device and its context */
    rw_image_filter *spectrum;
    rw_array *magnitudes; /* of the result's spectrum, as a picture */
    rw_montage montage;
    rw_canvas canvas;
    rw_array *page;     /* [height][width][3], its host copy is the canvas; NULL: none yet */
    int64_t shown;      /* number of the frame on the page, of those that were shown; 0: none of this stream */
    bool stale, redraw; /* the page or the screen is out of date */
    bool paused;
    double since; /* start of the measurement of frames per second */
    int64_t frames;
    double rate;
    bool second;    /* a second has passed */
    char note[160]; /* shown for some seconds after the rates */
    double note_until;
};

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

static bool fits(const rw_stream_window *w, const rw_array *y)
{
    return w->spectrum && rw_array_shape(w->magnitudes, 0) == rw_array_shape(y, 0) &&
           rw_array_shape(w->magnitudes, 1) == rw_array_shape(y, 1) &&
           rw_array_dtype(w->magnitudes) == rw_array_dtype(y);
}

/* Programs are compiled in the background: a first transform, of zeros, waits for them. */
static rw_status warm_up(rw_stream_window *w, const rw_array *y)
{
    const int64_t shape[] = {rw_array_shape(y, 0), rw_array_shape(y, 1), rw_array_shape(y, 2)};
    rw_array *zeros = NULL;
    rw_status status = rw_array_create(w->device, rw_array_dtype(y), 3, shape, RW_MEMORY_DEVICE, &zeros);
    if (status == RW_OK) status = rw_array_zero(zeros, w->queue);
    if (status == RW_OK) status = rw_image_filter_execute(w->spectrum, zeros, w->magnitudes, w->queue);
    if (status == RW_OK) status = rw_queue_wait(w->queue);
    rw_array_destroy(&zeros);
    return status;
}

static rw_status make_spectrum(rw_stream_window *w, const rw_array *y)
{
    const rw_image_spec spec = {.text = "grey|spectrum",
                                .dtype = rw_array_dtype(y),
                                .y_dtype = rw_array_dtype(y),
                                .height = rw_array_shape(y, 0),
                                .width = rw_array_shape(y, 1),
                                .channels = (int)rw_array_shape(y, 2),
                                .alpha = rw_array_shape(y, 2) == 2 || rw_array_shape(y, 2) == 4};
    rw_image_info info;
    if (fits(w, y)) return RW_OK;
    rw_image_filter_destroy(&w->spectrum);
    rw_array_destroy(&w->magnitudes);
    RW_TRY(rw_image_filter_create(w->device, &spec, &w->spectrum));
    RW_TRY(rw_image_filter_get_info(w->spectrum, &info));
    const int64_t shape[] = {info.height, info.width, info.channels};
    RW_TRY(rw_array_create(w->device, info.dtype, 3, shape, RW_MEMORY_DEVICE, &w->magnitudes));
    return warm_up(w, y);
}

static void describe(const rw_stream_view *view, rw_array *const x[PICTURES], rw_montage_picture p[PICTURES])
{
    const rw_frame_format *in = &view->report->in;
    const char *const titles[] = {in->layout != RW_FRAME_PIXELS && in->channels > rw_array_shape(x[0], 2)
                                      ? "input, luma"
                                      : "input",
                                  "result", "spectrum of the result"};
    for (int i = 0; i < PICTURES; ++i)
        p[i] = (rw_montage_picture){titles[i], rw_array_shape(x[i], 1), rw_array_shape(x[i], 0)};
}

static rw_status make_montage(rw_stream_window *w, rw_dtype dtype)
{
    if (w->montage.program && w->montage.dtype == dtype) return RW_OK;
    rw_montage_free(&w->montage);
    return rw_montage_create(w->device, dtype, &w->montage);
}

/* ---- page -------------------------------------------------------------------------------------------------------- */

/* Frames per second during about the last second. */
static void measure(rw_stream_window *w, const rw_stream_report *r)
{
    const double now = rw_seconds(), seconds = now - w->since;
    if (!w->since || w->paused) {
        w->since = now;
        w->frames = r->frames;
    } else if (seconds >= 1) {
        w->rate = (double)(r->frames - w->frames) / seconds;
        w->since = now;
        w->frames = r->frames;
        w->second = w->stale = true;
    }
    if (!w->second) w->rate = r->seconds > 0 ? (double)r->frames / r->seconds : 0;
}

static void write_footer(rw_stream_window *w, const rw_stream_view *view, char *text, size_t size)
{
    const rw_stream_report *r = view->report;
    const int64_t frames = view->frame + 1;
    rw_snprintf(
        text, size,
        "frame %lld  ·  %.1f frames/s  ·  latency %.1f ms, 99 %% below %.1f ms  ·  %lld late  ·  %lld not shown%s%s%s",
        (long long)frames, w->rate, 1e3 * r->latency, 1e3 * r->latency_99, (long long)r->late,
        (long long)(frames - r->shown), w->paused ? "  ·  paused" : "", *w->note ? "  ·  " : "", w->note);
}

/* Slow preparations, before the first frame. */
static rw_status prepare(rw_stream_window *w, const rw_stream_view *view)
{
    int width = WIDTH, height = HEIGHT;
    if (!view->report->shown) {
        w->shown = w->frames = 0;
        w->since = w->rate = 0;
        w->second = false;
    }
    RW_TRY(make_spectrum(w, view->y));
    RW_TRY(make_montage(w, rw_array_dtype(view->y)));
    if (rw_screen_is_open(w->screen)) return RW_OK;
    rw_montage_picture p[PICTURES];
    describe(view, (rw_array *[]){view->x, view->y, w->magnitudes}, p);
    rw_montage_size(PICTURES, p, &width, &height);
    return rw_screen_open(w->screen, w->device, w->title ? w->title : "Rechenwerk", w->width ? w->width : width,
                          w->height ? w->height : height);
}

static bool resized(const rw_stream_window *w)
{
    int width, height;
    rw_screen_size(w->screen, &width, &height);
    return width != w->canvas.width || height != w->canvas.height;
}

static rw_status make_page(rw_stream_window *w)
{
    int width, height;
    if (w->page && !resized(w)) return RW_OK;
    rw_screen_size(w->screen, &width, &height);
    rw_array_destroy(&w->page);
    rw_canvas_free(&w->canvas);
    RW_TRY(rw_canvas_create(w->ctx, RW_MAX(width, 1), RW_MAX(height, 1), &w->canvas));
    const int64_t shape[] = {w->canvas.height, w->canvas.width, 3};
    return rw_array_create_from(w->device, RW_U8, 3, shape, w->canvas.rgb, RW_BORROW, &w->page);
}

static rw_status compose(rw_stream_window *w, const rw_stream_view *view)
{
    rw_array *const x[PICTURES] = {view->x, view->y, w->magnitudes};
    rw_montage_picture p[PICTURES];
    char footer[512];
    void *rgb;
    RW_TRY(make_page(w));
    if (view->report->shown != w->shown) RW_TRY(rw_image_filter_execute(w->spectrum, view->y, w->magnitudes, w->queue));
    RW_TRY(rw_array_write(w->page, &rgb));
    describe(view, x, p);
    write_footer(w, view, footer, sizeof footer);
    rw_montage_draw_text(PICTURES, p, footer, &w->canvas);
    for (int i = 0; i < PICTURES; ++i) {
        int place[4];
        rw_montage_place(w->canvas.width, w->canvas.height, PICTURES, p, i, place);
        RW_TRY(rw_montage_draw_picture(&w->montage, x[i], place, w->page, w->queue));
    }
    w->shown = view->report->shown;
    w->stale = false;
    w->redraw = true;
    return RW_OK;
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static void set_note(rw_stream_window *w, const char *start, const char *text)
{
    rw_snprintf(w->note, sizeof w->note, "%s%.120s", start, text);
    w->note_until = rw_seconds() + 3;
    w->stale = true;
}

/* "window.png", "window-2.png", … : the first that does not exist; of a name that was given from 2 on. */
static void name_screenshot(const rw_stream_window *w, char *path, size_t size)
{
    const char *name = w->screenshot ? w->screenshot : "window.png", *dot = strrchr(name, '.'),
               *slash = strrchr(name, '/');
    if (!dot || (slash && dot < slash)) dot = name + strlen(name);
    int i = w->screenshot ? 2 : 1;
    do {
        if (i == 1) rw_snprintf(path, size, "%s", name);
        else rw_snprintf(path, size, "%.*s-%d%s", (int)(dot - name), name, i, dot);
    } while (access(path, F_OK) == 0 && ++i < 10000);
}

/* A failed screenshot is reported in the window and does not end the stream. */
static void save_screenshot(rw_stream_window *w)
{
    char path[4096];
    name_screenshot(w, path, sizeof path);
    if (rw_stream_window_save(w, path) == RW_OK) set_note(w, "saved ", path);
    else set_note(w, "", rw_message(w->ctx));
}

static void take_keys(rw_stream_window *w, rw_stream_action *action)
{
    for (rw_screen_key key; (key = rw_screen_poll(w->screen)) != RW_SCREEN_NOTHING;) {
        if (key == RW_SCREEN_END) *action = RW_STREAM_END;
        if (key == RW_SCREEN_PAUSE) {
            w->paused = !w->paused;
            w->stale = true;
        }
        if (key == RW_SCREEN_SAVE) save_screenshot(w);
        if (key == RW_SCREEN_REDRAW) w->redraw = true;
    }
    if (*action != RW_STREAM_END) *action = w->paused ? RW_STREAM_PAUSE : RW_STREAM_CONTINUE;
}

/* ---- the public functions ---------------------------------------------------------------------------------------- */

static rw_status copy_text(rw_context *ctx, const char *text, char **copy)
{
    return !text || (*copy = rw_strdup(text)) ? RW_OK : rw_fail_memory(ctx, strlen(text) + 1, "a text");
}

rw_status rw_stream_window_create_sized(rw_device *dev, const rw_stream_window_spec *spec, rw_stream_window **window,
                                        size_t spec_size)
{
    RW_NEED(dev, "device");
    RW_NEED(spec, "spec");
    RW_NEED(window, "window");
    RW_STRUCT_IN(rw_device_context(dev), rw_stream_window_spec, spec, spec_size);
    rw_context *ctx = rw_device_context(dev);
    *window = NULL;
    for (int i = 0; i < 2; ++i) {
        const int size = i ? spec->height : spec->width;
        if (size && (size < 64 || size > 16384))
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "rw_stream_window_create: %s = %d must be 64 to 16384 pixels, or 0 for the default",
                           i ? "height" : "width", size);
    }
    rw_stream_window *w = rw_calloc(1, sizeof *w);
    if (!w) return rw_fail_memory(ctx, sizeof *w, "a window");
    *w = (rw_stream_window){.ctx = ctx, .device = dev, .width = spec->width, .height = spec->height};
    rw_status status = rw_screen_create(ctx, &w->screen);
    if (status == RW_OK) status = rw_queue_create(dev, &w->queue);
    if (status == RW_OK) status = copy_text(ctx, spec->title, &w->title);
    if (status == RW_OK) status = copy_text(ctx, spec->screenshot, &w->screenshot);
    if (status == RW_OK) *window = w;
    else rw_stream_window_destroy(&w);
    return status;
}

rw_status rw_stream_window_show(void *show_user, const rw_stream_view *view, rw_stream_action *action)
{
    rw_stream_window *w = show_user;
    RW_NEED(w, "show_user");
    RW_NEED(view, "view");
    RW_NEED(action, "action");
    if (*w->note && rw_seconds() > w->note_until) {
        *w->note = 0;
        w->stale = true;
    }
    RW_TRY(prepare(w, view));
    measure(w, view->report);
    if (view->in && (view->report->shown != w->shown || w->stale || resized(w))) RW_TRY(compose(w, view));
    if (w->redraw && w->page) RW_TRY(rw_screen_show(w->screen, w->page, w->queue));
    w->redraw = false;
    take_keys(w, action);
    return RW_OK;
}

rw_status rw_stream_window_save(rw_stream_window *w, const char *path)
{
    RW_NEED(w, "window");
    RW_NEED(path, "path");
    if (!w->page) return rw_fail(w->ctx, RW_ERR_ARGUMENT, "%s: the window has not shown a frame yet", path);
    const void *rgb;
    RW_TRY(rw_array_fetch(w->page, w->queue));
    RW_TRY(rw_array_read(w->page, &rgb)); /* the canvas */
    const rw_raster r = {.width = (size_t)w->canvas.width,
                         .height = (size_t)w->canvas.height,
                         .channels = 3,
                         .bytes = 1,
                         .maximum = 255,
                         .samples = w->canvas.rgb};
    return rw_raster_write_png(w->ctx, path, &r);
}

void rw_stream_window_destroy(rw_stream_window **window)
{
    rw_stream_window *w = window ? *window : NULL;
    if (!w) return;
    *window = NULL;
    rw_image_filter_destroy(&w->spectrum);
    rw_array_destroy(&w->magnitudes);
    rw_array_destroy(&w->page);
    rw_montage_free(&w->montage);
    rw_canvas_free(&w->canvas);
    rw_screen_destroy(&w->screen);
    rw_queue_destroy(&w->queue);
    rw_free(w->title);
    rw_free(w->screenshot);
    rw_free(w);
}
