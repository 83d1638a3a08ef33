/* Pictures side by side, and the window that shows them, with SDL's video driver in memory: pixels of known frames are
 * where they belong, the last picture is the last result, keys, mistakes. */
/* TEST: devices=all unoptimised */
#include <sys/stat.h>
#include <unistd.h>

#include "../clock.h"
#include "../devices.h"
#include "io/raster.h"
#include "rechenwerk/stream.h"
#include "stream/stream.h"
#ifdef RW_WITH_SDL
#define SDL_MAIN_HANDLED
#include <SDL.h>
#include <SDL_opengl.h>
#include <dlfcn.h>
#endif

static char folder[64];
static const char *at(const char *name)
{
    static char path[4][160];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static const uint8_t *pixel(const rw_canvas *c, int x, int y)
{
    return c->rgb + 3 * ((size_t)y * (size_t)c->width + (size_t)x);
}

static void expect_color(const rw_canvas *c, int x, int y, const int rgb[3], int error)
{
    for (int a = 0; a < 3; ++a)
        if (abs(pixel(c, x, y)[a] - rgb[a]) > error)
            fail_msg("pixel %d, %d, channel %d: %d, not %d", x, y, a, pixel(c, x, y)[a], rgb[a]);
}

/* ---- montage ----------------------------------------------------------------------------------------------------- */

/* A picture of a montage. */
typedef struct picture {
    int width, height, channels;
    rw_dtype dtype;
    const void *samples;
} picture;

/* A sample as a byte. */
static int byte_of(const picture *p, int x, int y, int c)
{
    const int i = (y * p->width + x) * p->channels + (p->channels < 3 ? 0 : c);
    return p->dtype == RW_U16 ? (int)(((const uint16_t *)p->samples)[i] / 257.0 + 0.5)
                              : ((const uint8_t *)p->samples)[i];
}

/* The page with n pictures of one type, drawn on the device. */
static rw_canvas draw(int n, const picture *pictures, const char *footer, int width, int height)
{
    rw_montage_picture p[4];
    rw_array *x[4], *page;
    rw_montage m = {0};
    rw_canvas c;
    const void *rgb;
    OK(rw_canvas_create(ctx, width, height, &c));
    OK(rw_montage_create(dev, pictures[0].dtype, &m));
    OK(rw_array_create_from(dev, RW_U8, 3, (int64_t[]){height, width, 3}, c.rgb, RW_BORROW, &page));
    for (int i = 0; i < n; ++i) p[i] = (rw_montage_picture){"title", pictures[i].width, pictures[i].height};
    rw_montage_draw_text(n, p, footer, &c);
    for (int i = 0; i < n; ++i) {
        const picture *q = pictures + i;
        int place[4];
        rw_montage_place(width, height, n, p, i, place);
        OK(rw_array_create_from(dev, q->dtype, 3, (int64_t[]){q->height, q->width, q->channels}, (void *)q->samples,
                                RW_COPY, x + i));
        OK(rw_montage_draw_picture(&m, x[i], place, page, queue));
    }
    OK(rw_array_read(page, &rgb));
    assert_ptr_equal(rgb, c.rgb);
    for (int i = 0; i < n; ++i) rw_array_destroy(x + i);
    rw_array_destroy(&page);
    rw_montage_free(&m);
    return c;
}

/* The corners and middles of picture i's rectangles have the colours of its pixels. */
static void expect_picture(const rw_canvas *c, int n, const picture *pictures, int i)
{
    rw_montage_picture p[4];
    int place[4];
    for (int k = 0; k < n; ++k) p[k] = (rw_montage_picture){"", pictures[k].width, pictures[k].height};
    rw_montage_place(c->width, c->height, n, p, i, place);
    const picture *q = pictures + i;
    assert_true(place[0] >= 0 && place[1] >= 0 && place[0] + place[2] <= c->width && place[1] + place[3] <= c->height);
    assert_true(place[2] % q->width == 0 && place[2] / q->width == place[3] / q->height);
    const int m = place[2] / q->width;
    for (int y = 0; y < q->height; ++y)
        for (int x = 0; x < q->width; ++x) {
            const int rgb[3] = {byte_of(q, x, y, 0), byte_of(q, x, y, 1), byte_of(q, x, y, 2)};
            expect_color(c, place[0] + m * x, place[1] + m * y, rgb, 0);
            expect_color(c, place[0] + m * x + m / 2, place[1] + m * y + m / 2, rgb, 0);
            expect_color(c, place[0] + m * x + m - 1, place[1] + m * y + m - 1, rgb, 0);
        }
}

static void test_montage(void **state)
{
    (void)state;
    static const uint8_t rgb[] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30, 40, 50, 60, 70, 80, 90},
                         grey[] = {0, 50, 100, 150, 200, 250};
    static const uint8_t rgba[] = {1, 2, 3, 0, 4, 5, 6, 255, 7, 8, 9, 1, 10, 11, 12, 2, 13, 14, 15, 3, 16, 17, 18, 4},
                         two[] = {9, 1, 8, 2, 7, 3, 6, 4, 5, 5, 4, 6};
    static const uint16_t deep[] = {0, 65535, 32768, 32767, 128, 129};
    const picture bytes[] = {{3, 2, 3, RW_U8, rgb},
                             {3, 2, 1, RW_U8, grey},
                             {3, 2, 4, RW_U8, rgba},
                             {3, 2, 2, RW_U8, two}};
    const picture words[] = {{3, 2, 1, RW_U16, deep}, {1, 2, 3, RW_U16, deep}};
    for (int n = 1; n <= 4; ++n)
        for (int type = 0; type < 2; ++type) {
            const picture *pictures = type ? words : bytes;
            if (type && n > RW_COUNT(words)) continue;
            rw_montage_picture p[4];
            for (int i = 0; i < n; ++i) p[i] = (rw_montage_picture){"", pictures[i].width, pictures[i].height};
            int width = 1280, height = 720;
            rw_montage_size(n, p, &width, &height);
            assert_true(width <= 1280 && height <= 720);
            rw_canvas c = draw(n, pictures, "text", width, height);
            for (int i = 0; i < n; ++i) expect_picture(&c, n, pictures, i);
            rw_canvas_free(&c);
        }
}

/* A picture larger than the page: means; narrow pages and long texts are drawn. */
static void test_small_pages(void **state)
{
    (void)state;
    enum { W = 1000, H = 500 };
    uint8_t *board = malloc(W * H);
    for (int i = 0; i < W * H; ++i) board[i] = i % W < W / 2 ? 200 : 100;
    const picture boards[] = {{W, H, 1, RW_U8, board}, {W, H, 1, RW_U8, board}};
    const rw_montage_picture p[] = {{"", W, H}, {"", W, H}};
    static const int sizes[][2] = {{1280, 720}, {640, 480}, {100, 64}, {64, 200}, {20, 20}, {1, 1}};
    for (int i = 0; i < RW_COUNT(sizes); ++i) {
        rw_canvas c =
            draw(2, boards, "a line of text that is longer than narrow pages have room for", sizes[i][0], sizes[i][1]);
        int place[4];
        rw_montage_place(c.width, c.height, 2, p, 1, place);
        if (c.width >= 64) {
            assert_true(place[2] >= 2 * place[3] - 2 && place[2] <= 2 * place[3] + 2);
            expect_color(&c, place[0], place[1], (int[]){200, 200, 200}, 0);
            expect_color(&c, place[0] + place[2] - 1, place[1] + place[3] - 1, (int[]){100, 100, 100}, 0);
        }
        rw_canvas_free(&c);
    }
    for (int i = 0; i < W * H; ++i) board[i] = i % 2 ? 255 : 0; /* columns: a pixel of two of them is their mean */
    rw_canvas c = draw(2, boards, "", 500 * 2 + 24, 250 + 58);
    expect_color(&c, 100, 100, (int[]){128, 128, 128}, 0);
    rw_canvas_free(&c);
    free(board);
}

/* The primaries of ITU-R BT.601, 8 bits. */
static void test_planes(void **state)
{
    (void)state;
    static const uint8_t y[] = {81, 145, 41, 235}, cb[] = {90, 54, 240, 128}, cr[] = {240, 34, 110, 128};
    static const int rgb[4][3] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 255}};
    for (int layout = RW_FRAME_420; layout <= RW_FRAME_444; ++layout) {
        const int sx = layout == RW_FRAME_444 ? 1 : 2, sy = layout == RW_FRAME_420 ? 2 : 1;
        const rw_frame_format f = {.layout = (rw_frame_layout)layout,
                                   .width = 4 * sx,
                                   .height = sy,
                                   .channels = 3,
                                   .dtype = RW_U8};
        const int64_t bytes = rw_frame_bytes(&f);
        rw_frame_converter converter;
        rw_array *frame, *pixels;
        void *w;
        const void *r;
        OK(rw_frame_converter_create(dev, &f, &f, false, 3, &converter));
        OK(rw_array_create(dev, RW_U8, 1, &bytes, RW_MEMORY_DEVICE, &frame));
        OK(rw_array_create(dev, RW_U8, 3, (int64_t[]){f.height, f.width, 3}, RW_MEMORY_DEVICE, &pixels));
        OK(rw_array_write(frame, &w));
        uint8_t *bytes_of = w;
        for (int i = 0; i < 4 * sx * sy; ++i) bytes_of[i] = y[i % (4 * sx) / sx];
        for (int i = 0; i < 4; ++i) bytes_of[4 * sx * sy + i] = cb[i], bytes_of[4 * sx * sy + 4 + i] = cr[i];
        OK(rw_frame_unpack(&converter, frame, pixels, queue));
        OK(rw_array_read(pixels, &r));
        for (int i = 0; i < 4 * sx * sy; ++i)
            for (int a = 0; a < 3; ++a) {
                const int got = ((const uint8_t *)r)[3 * i + a], right = rgb[i % (4 * sx) / sx][a];
                if (abs(got - right) > 2)
                    fail_msg("layout %d, pixel %d, channel %d: %d, not %d", layout, i, a, got, right);
            }
        rw_array_destroy(&frame), rw_array_destroy(&pixels);
        rw_frame_converter_free(&converter);
    }
}

/* ---- window ------------------------------------------------------------------------------------------------------ */

enum { WIDTH = 40, HEIGHT = 30, FRAMES = 6 };
static const rw_frame_format raw = {.width = WIDTH, .height = HEIGHT, .channels = 3, .dtype = RW_U8};

static void write_frames(const char *path, int n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (int i = 0; i < n * WIDTH * HEIGHT * 3; ++i) fputc((int)(256 * rw_random_uniform(5, (uint64_t)i)), file);
    assert_int_equal(fclose(file), 0);
}

/* Calls the window's function, keeps the frame seen last, and presses a key in the call with a certain frame. */
typedef struct watcher {
    rw_stream_window *window;
    uint8_t in[WIDTH * HEIGHT * 3], out[WIDTH * HEIGHT * 3];
    int64_t frame;
    int calls, pressed, key, pauses, resumes_after;
} watcher;

static void press(int key)
{
#ifdef RW_WITH_SDL
    __typeof__(SDL_PushEvent) *push;
    void *library = dlopen("libSDL2-2.0.so.0", RTLD_NOW), *function = dlsym(library, "SDL_PushEvent");
    memcpy(&push, &function, sizeof push);
    SDL_Event e = {.key = {.type = SDL_KEYDOWN, .keysym.sym = key}};
    assert_true(push(&e) == 1);
    dlclose(library);
#else
    (void)key;
#endif
}

/* What OpenGL has drawn is what was saved; false: the window is not OpenGL's. */
static bool expect_drawn(const rw_canvas *page)
{
#ifdef RW_WITH_SDL
    void *library = dlopen("libSDL2-2.0.so.0", RTLD_NOW), *current = dlsym(library, "SDL_GL_GetCurrentContext"),
         *find = dlsym(library, "SDL_GL_GetProcAddress");
    __typeof__(SDL_GL_GetCurrentContext) *get_current;
    __typeof__(SDL_GL_GetProcAddress) *get_function;
    memcpy(&get_current, &current, sizeof current), memcpy(&get_function, &find, sizeof find);
    if (!get_current()) return dlclose(library), false;
    void *from = get_function("glReadBuffer"), *read = get_function("glReadPixels"),
         *store = get_function("glPixelStorei");
    __typeof__(glReadBuffer) *read_buffer;
    __typeof__(glReadPixels) *read_pixels;
    __typeof__(glPixelStorei) *pixel_store;
    memcpy(&read_buffer, &from, sizeof from), memcpy(&read_pixels, &read, sizeof read),
        memcpy(&pixel_store, &store, sizeof store);
    uint8_t *rgb = malloc(3 * (size_t)page->width * (size_t)page->height);
    read_buffer(GL_FRONT);
    pixel_store(GL_PACK_ALIGNMENT, 1);
    read_pixels(0, 0, page->width, page->height, GL_RGB, GL_UNSIGNED_BYTE, rgb);
    for (int y = 0; y < page->height; ++y) {
        const uint8_t *got = rgb + 3 * (size_t)(page->height - 1 - y) * (size_t)page->width;
        for (int i = 0; i < 3 * page->width; ++i)
            if (got[i] != pixel(page, 0, y)[i])
                fail_msg("pixel %d, %d: OpenGL has drawn %d, not %d", i / 3, y, got[i], pixel(page, 0, y)[i]);
    }
    free(rgb);
    dlclose(library);
    return true;
#else
    return (void)page, false;
#endif
}

static rw_status watch(void *user, const rw_stream_view *view, rw_stream_action *action)
{
    watcher *w = user;
    ++w->calls;
    if (view->in) {
        w->frame = view->frame;
        memcpy(w->in, view->in, sizeof w->in), memcpy(w->out, view->out, sizeof w->out);
        if (w->key && !w->pressed) press(w->key), w->pressed = w->calls;
    }
    if (w->resumes_after && w->pauses == w->resumes_after) press(w->key), w->resumes_after = 0;
    rw_status status = rw_stream_window_show(w->window, view, action);
    w->pauses += *action == RW_STREAM_PAUSE;
    return status;
}

static bool has_windows(void)
{
    rw_stream_window *window;
    rw_status status = rw_stream_window_create(dev, &(rw_stream_window_spec){0}, &window);
    if (status != RW_OK) {
        assert_int_equal(status, RW_ERR_UNSUPPORTED);
        assert_non_null(strcasestr(rw_message(ctx), "sdl2")); /* no library, no display, or a build that lacks SDL2 */
        assert_null(window);
        return false;
    }
    rw_stream_window_destroy(&window);
    assert_null(window);
    return true;
}

static void test_last_frame(void **state)
{
    (void)state;
    if (!has_windows()) skip();
    watcher w = {.frame = -1};
    rw_stream_report report;
    rw_raster shot;
    write_frames(at("a.raw"), FRAMES);
    OK(rw_stream_window_create(dev, &(rw_stream_window_spec){.width = 800, .height = 600}, &w.window));
    FAILS(RW_ERR_ARGUMENT, "has not shown a frame", rw_stream_window_save(w.window, at("none.png")));
    rw_stream_window *second = NULL;
    FAILS(RW_ERR_ARGUMENT, "a window is already open",
          rw_stream_window_create(dev, &(rw_stream_window_spec){0}, &second));
    assert_null(second);
    for (int turn = 0; turn < 2; ++turn) { /* a window serves one stream after another */
        rw_stream_spec spec = {.text = "invert",
                               .frames = raw,
                               .show = watch,
                               .show_user = &w,
                               .frames_max = turn ? 1 : 0};
        OK(rw_stream_run(dev, at("a.raw"), "none", &spec, &report));
        assert_int_equal(report.frames, turn ? 1 : FRAMES);
        assert_int_equal(w.frame, report.frames - 1);
        assert_true(report.shown >= 1 && report.shown <= report.frames);
        for (int i = 0; i < WIDTH * HEIGHT * 3; ++i) assert_int_equal(w.out[i], 255 - w.in[i]);
        OK(rw_stream_window_save(w.window, at("shot.png")));
        OK(rw_raster_read(ctx, at("shot.png"), 0, &shot));
        assert_true(shot.width == 800 && shot.height == 600 && shot.channels == 3 && shot.bytes == 1);
        const rw_canvas page = {.width = 800, .height = 600, .rgb = shot.samples};
        const rw_montage_picture p[] = {{"", WIDTH, HEIGHT}, {"", WIDTH, HEIGHT}, {"", WIDTH, HEIGHT}};
        int place[4];
        if (expect_drawn(&page))
            print_message("# %s: drawn by OpenGL from the device's memory\n", rw_device_info(dev)->name);
        for (int k = 0; k < 2; ++k) {
            rw_montage_place(800, 600, 3, p, k, place);
            for (int y = 0; y < HEIGHT; ++y)
                for (int x = 0; x < WIDTH; ++x) {
                    const uint8_t *v = (k ? w.out : w.in) + (y * WIDTH + x) * 3;
                    const int px = place[0] + (2 * x + 1) * place[2] / (2 * WIDTH),
                              py = place[1] + (2 * y + 1) * place[3] / (2 * HEIGHT);
                    expect_color(&page, px, py, (int[]){v[0], v[1], v[2]}, 0);
                }
        }
        /* the middle of the spectrum is its largest value */
        rw_montage_place(800, 600, 3, p, 2, place);
        expect_color(&page, place[0] + place[2] / 2 + 1, place[1] + place[3] / 2 + 1, (int[]){255, 255, 255}, 1);
        rw_raster_free(&shot);
    }
    rw_stream_window_destroy(&w.window);
    rw_stream_window_destroy(&w.window);
    rw_stream_window_destroy(NULL);
}

/* Context and device may go first; the window retains both. */
static void test_the_device_goes_first(void **state)
{
    (void)state;
    if (!has_windows()) skip();
    watcher w = {0};
    rw_context *own;
    rw_device *d;
    write_frames(at("a.raw"), FRAMES);
    OK(rw_context_create(&own));
    OK(rw_device_open(own, rw_device_info(dev)->name, &d));
    OK(rw_stream_window_create(d, &(rw_stream_window_spec){0}, &w.window));
    const rw_stream_spec spec = {.text = "invert", .frames = raw, .show = watch, .show_user = &w};
    OK(rw_stream_run(d, at("a.raw"), "none", &spec, NULL));
    rw_context_destroy(&own);
    rw_device_close(&d);
    OK(rw_stream_window_save(w.window, at("last.png")));
    rw_stream_window_destroy(&w.window);
}

static void test_keys(void **state)
{
    (void)state;
    if (!has_windows()) skip();
    static const int keys[] = {'q', 27, 's', ' '};
    rw_stream_report report;
    write_frames(at("a.raw"), 40);
    for (int i = 0; i < RW_COUNT(keys); ++i) {
        watcher w = {.key = keys[i], .resumes_after = keys[i] == ' ' ? 5 : 0};
        const double start = rw_seconds();
        OK(rw_stream_window_create(dev, &(rw_stream_window_spec){.screenshot = at("key.png"), .title = "keys"},
                                   &w.window));
        rw_stream_spec spec = {.text = "invert",
                               .frames = raw,
                               .rate = 200,
                               .deadline = 9,
                               .show = watch,
                               .show_user = &w,
                               .out_format = "raw"};
        if (keys[i] != ' ') begin_clock(); /* in a pause nothing moves it */
        OK(rw_stream_run(dev, at("a.raw"), at("b.raw"), &spec, &report));
        end_clock();
        const double seconds = rw_seconds() - start;
        rw_stream_window_destroy(&w.window);
        if (i < 2) assert_true(report.frames >= 1 && report.frames < 40);
        else assert_int_equal(report.frames, 40);
        assert_int_equal(access(at("key-2.png"), F_OK) == 0, i >= 2);
        assert_true(keys[i] == ' ' ? w.pauses >= 5 && seconds - report.seconds >= 0.08 : w.pauses == 0);
    }
}

static void test_mistakes(void **state)
{
    (void)state;
    rw_stream_window *window = NULL;
    FAILS(RW_ERR_ARGUMENT, "width = 5", rw_stream_window_create(dev, &(rw_stream_window_spec){.width = 5}, &window));
    FAILS(RW_ERR_ARGUMENT, "height = 99999",
          rw_stream_window_create(dev, &(rw_stream_window_spec){.height = 99999}, &window));
    if (!has_windows()) return;
    OK(rw_stream_window_create(dev, &(rw_stream_window_spec){0}, &window)); /* none is left from what failed */
    rw_stream_window_destroy(&window);
}

static int enter(void)
{
    snprintf(folder, sizeof folder, "/tmp/rechenwerk-window-%d", (int)getpid());
    return mkdir(folder, 0700);
}
static int leave(void)
{
    char line[96];
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_montage),
                                       cmocka_unit_test(test_planes),
                                       cmocka_unit_test(test_small_pages),
                                       cmocka_unit_test(test_last_frame),
                                       cmocka_unit_test(test_the_device_goes_first),
                                       cmocka_unit_test(test_keys),
                                       cmocka_unit_test(test_mistakes)};
    setenv("SDL_VIDEODRIVER", "dummy", 0); /* x11: on a display, where OpenGL is */
    if (enter()) return 1;
    const int code = run_on_devices("window", tests, RW_COUNT(tests));
    return leave() || code;
}
