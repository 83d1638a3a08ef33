/* The one window of a process, by SDL2. It brings fifty libraries, so it is opened with the first window; its headers
 * give the types.
 *
 * Where the device's driver shares memory with the display's OpenGL, a page is copied on the device into a buffer that
 * OpenGL draws. Elsewhere it comes to the host and goes through the window's surface, which works with every video
 * driver: X11, Wayland, and the one in memory, SDL_VIDEODRIVER=dummy. */
#include "device/device.h"
#include "stream/stream.h"

#ifdef RW_WITH_SDL

#define SDL_MAIN_HANDLED
#define GL_GLEXT_PROTOTYPES /* types of functions */
#include <SDL.h>
#include <SDL_opengl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define FUNCTIONS(X)                                                                                                   \
    X(InitSubSystem) X(QuitSubSystem) X(GetError) X(SetHint) X(CreateWindow) X(DestroyWindow) X(GetWindowSize)         \
    X(GetWindowSurface) X(UpdateWindowSurface) X(PollEvent) X(ConvertPixels) X(GetCurrentVideoDriver)                  \
    X(GL_CreateContext) X(GL_DeleteContext) X(GL_GetProcAddress) X(GL_SetSwapInterval) X(GL_SwapWindow)
#define GL_FUNCTIONS(X)                                                                                                \
    X(GenBuffers) X(DeleteBuffers) X(BindBuffer) X(BufferData) X(Viewport) X(Clear) X(PixelStorei) X(PixelZoom)        \
    X(RasterPos2f) X(DrawPixels) X(GetError)
/* clang-format on */

static struct {
#define X(name) __typeof__(SDL_##name) *name;
    FUNCTIONS(X)
#undef X
} sdl;

static struct {
#define X(name) __typeof__(gl##name) *name;
    GL_FUNCTIONS(X)
#undef X
} gl; /* of the current context */

struct rw_screen {
    rw_context *ctx;
    SDL_Window *window;
    SDL_GLContext opengl; /* NULL: pages go through the surface */
    GLuint buffer;        /* of OpenGL, for pages of this size in bytes */
    size_t bytes;
    rw_gl_buffer shared; /* the same for the device */
};

static bool taken; /* atomic: there is a screen */

/* The library stays loaded until the process ends. */
static rw_status load(rw_context *ctx)
{
    static const char advice[] = "a window needs SDL2: install libsdl2-2.0-0 (Debian, Ubuntu)";
    static bool loaded;
    if (loaded) return RW_OK;
    void *library = dlopen("libSDL2-2.0.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return rw_fail(ctx, RW_ERR_UNSUPPORTED, "%s: %s", advice, dlerror());
    void *function;
#define X(name)                                                                                                        \
    if (!(function = dlsym(library, "SDL_" #name)))                                                                    \
        return rw_fail(ctx, RW_ERR_UNSUPPORTED, "%s: this one lacks SDL_" #name, advice);                              \
    memcpy(&sdl.name, &function, sizeof function);
    FUNCTIONS(X)
#undef X
    loaded = true;
    return RW_OK;
}

/* Drivers that SDL2 uses if there is no display; their windows are in memory. */
static bool is_hidden(const char *driver)
{
    return !driver || strcmp(driver, "dummy") == 0 || strcmp(driver, "offscreen") == 0;
}

static rw_status init(rw_context *ctx)
{
    RW_TRY(load(ctx));
    sdl.SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    sdl.SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0"); /* of surfaces: OpenGL is for shared buffers alone */
    const char *reason = NULL;
    if (sdl.InitSubSystem(SDL_INIT_VIDEO) != 0) {
        reason = sdl.GetError();
    } else if (!getenv("SDL_VIDEODRIVER") && is_hidden(sdl.GetCurrentVideoDriver())) {
        sdl.QuitSubSystem(SDL_INIT_VIDEO);
        reason = "there is no display";
    }
    if (!reason) return RW_OK;
    return rw_fail(
        ctx, RW_ERR_UNSUPPORTED,
        "a window needs a display, but SDL2 reports: %s: set DISPLAY or WAYLAND_DISPLAY, or SDL_VIDEODRIVER=dummy for "
        "a window in memory",
        reason);
}

rw_status rw_screen_create(rw_context *ctx, rw_screen **screen)
{
    *screen = NULL;
    if (__atomic_exchange_n(&taken, true, __ATOMIC_ACQ_REL))
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "a window is already open, and a process can have only one: destroy it first");
    rw_screen *s = rw_calloc(1, sizeof *s);
    rw_status status = s ? init(ctx) : rw_fail_memory(ctx, sizeof *s, "a window");
    if (status == RW_OK) {
        s->ctx = ctx;
        *screen = s;
        return RW_OK;
    }
    rw_free(s);
    __atomic_store_n(&taken, false, __ATOMIC_RELEASE);
    return status;
}

static rw_status fail(const rw_screen *s, const char *what)
{
    return rw_fail(s->ctx, RW_ERR_UNSUPPORTED, "SDL2: %s: %s", what, sdl.GetError());
}

/* ---- OpenGL ------------------------------------------------------------------------------------------------------ */

static void drop_buffer(rw_screen *s)
{
    rw_gl_buffer_release(&s->shared);
    if (s->buffer) gl.DeleteBuffers(1, &s->buffer);
    s->buffer = 0;
    s->bytes = 0;
}

/* A buffer of OpenGL that the device writes. */
static rw_status make_buffer(rw_screen *s, rw_device *dev, size_t bytes)
{
    if (s->buffer && s->bytes == bytes) return RW_OK;
    drop_buffer(s);
    gl.GenBuffers(1, &s->buffer);
    gl.BindBuffer(GL_PIXEL_UNPACK_BUFFER, s->buffer);
    gl.BufferData(GL_PIXEL_UNPACK_BUFFER, (GLsizeiptr)bytes, NULL, GL_STREAM_DRAW);
    if (gl.GetError() != GL_NO_ERROR)
        return rw_fail(s->ctx, RW_ERR_UNSUPPORTED, "OpenGL cannot allocate a buffer of %zu bytes", bytes);
    RW_TRY(rw_gl_buffer_import(dev, s->buffer, &s->shared));
    s->bytes = bytes;
    return RW_OK;
}

static void close_window(rw_screen *s)
{
    if (s->opengl) {
        drop_buffer(s);
        sdl.GL_DeleteContext(s->opengl);
    }
    if (s->window) sdl.DestroyWindow(s->window);
    s->opengl = NULL;
    s->window = NULL;
}

static bool load_gl(void)
{
    void *function;
#define X(name)                                                                                                        \
    if (!(function = sdl.GL_GetProcAddress("gl" #name))) return false;                                                 \
    memcpy(&gl.name, &function, sizeof function);
    GL_FUNCTIONS(X)
#undef X
    return true;
}

/* A window with OpenGL whose buffers the device writes. */
static bool open_shared(rw_screen *s, rw_device *dev, const char *title, int width, int height)
{
    const int anywhere = (int)SDL_WINDOWPOS_UNDEFINED;
    if (!dev->ops->gl_import) return false;
    s->window = sdl.CreateWindow(title, anywhere, anywhere, width, height, SDL_WINDOW_RESIZABLE | SDL_WINDOW_OPENGL);
    s->opengl = s->window ? sdl.GL_CreateContext(s->window) : NULL;
    const char *reason = s->opengl && load_gl() ? NULL : sdl.GetError();
    if (!reason && make_buffer(s, dev, 3 * (size_t)width * (size_t)height) != RW_OK) reason = rw_message(s->ctx);
    if (!reason) {
        sdl.GL_SetSwapInterval(0); /* the stream does not wait for the screen */
        return true;
    }
    rw_log(s->ctx, RW_LOG_INFO, "the window is drawn from host memory, not through OpenGL: %s",
           *reason ? reason : "functions of OpenGL are missing");
    close_window(s);
    return false;
}

static rw_status show_shared(rw_screen *s, rw_array *page, rw_queue *q)
{
    const GLsizei width = (GLsizei)rw_array_shape(page, 1), height = (GLsizei)rw_array_shape(page, 0);
    RW_TRY(make_buffer(s, q->device, 3 * (size_t)width * (size_t)height));
    RW_TRY(rw_gl_buffer_copy(&s->shared, page, q));
    int w, h;
    rw_screen_size(s, &w, &h);
    gl.Viewport(0, 0, w, h);
    gl.Clear(GL_COLOR_BUFFER_BIT);
    gl.BindBuffer(GL_PIXEL_UNPACK_BUFFER, s->buffer);
    gl.PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    gl.RasterPos2f(-1, 1);
    gl.PixelZoom(1, -1);
    gl.DrawPixels(width, height, GL_RGB, GL_UNSIGNED_BYTE, NULL);
    sdl.GL_SwapWindow(s->window);
    const GLenum error = gl.GetError();
    return error == GL_NO_ERROR
               ? RW_OK
               : rw_fail(s->ctx, RW_ERR_UNSUPPORTED, "cannot draw the window: OpenGL error %#x", error);
}

/* ---- surface ----------------------------------------------------------------------------------------------------- */

static rw_status show_surface(rw_screen *s, rw_array *page, rw_queue *q)
{
    const void *rgb;
    SDL_Surface *to = sdl.GetWindowSurface(s->window);
    if (!to) return fail(s, "the window has no surface");
    RW_TRY(rw_array_fetch(page, q));
    RW_TRY(rw_array_read(page, &rgb));
    /* the window may have been resized */
    const int columns = (int)rw_array_shape(page, 1), width = RW_MIN(columns, to->w),
              height = RW_MIN((int)rw_array_shape(page, 0), to->h);
    if (sdl.ConvertPixels(width, height, SDL_PIXELFORMAT_RGB24, rgb, 3 * columns, to->format->format, to->pixels,
                          to->pitch) != 0)
        return fail(s, "cannot convert pixels");
    return sdl.UpdateWindowSurface(s->window) == 0 ? RW_OK : fail(s, "cannot draw the window");
}

rw_status rw_screen_open(rw_screen *s, rw_device *dev, const char *title, int width, int height)
{
    const int anywhere = (int)SDL_WINDOWPOS_UNDEFINED;
    if (open_shared(s, dev, title, width, height)) return RW_OK;
    s->window = sdl.CreateWindow(title, anywhere, anywhere, width, height, SDL_WINDOW_RESIZABLE);
    return s->window ? RW_OK : fail(s, "cannot open the window");
}

bool rw_screen_is_open(const rw_screen *s) { return s->window != NULL; }
void rw_screen_size(const rw_screen *s, int *width, int *height) { sdl.GetWindowSize(s->window, width, height); }

rw_status rw_screen_show(rw_screen *s, rw_array *page, rw_queue *q)
{
    return s->opengl ? show_shared(s, page, q) : show_surface(s, page, q);
}

static rw_screen_key key_of(const SDL_Event *e)
{
    if (e->type == SDL_QUIT) return RW_SCREEN_END;
    if (e->type == SDL_WINDOWEVENT) return RW_SCREEN_REDRAW;
    if (e->type != SDL_KEYDOWN || e->key.repeat) return RW_SCREEN_NOTHING;
    switch (e->key.keysym.sym) {
    case SDLK_q:
    case SDLK_ESCAPE: return RW_SCREEN_END;
    case SDLK_SPACE: return RW_SCREEN_PAUSE;
    case SDLK_s: return RW_SCREEN_SAVE;
    default: return RW_SCREEN_NOTHING;
    }
}

rw_screen_key rw_screen_poll(rw_screen *s RW_UNUSED)
{
    rw_screen_key key = RW_SCREEN_NOTHING;
    for (SDL_Event e; key == RW_SCREEN_NOTHING && sdl.PollEvent(&e);) key = key_of(&e);
    return key;
}

void rw_screen_destroy(rw_screen **screen)
{
    rw_screen *s = *screen;
    *screen = NULL;
    if (!s) return;
    close_window(s);
    sdl.QuitSubSystem(SDL_INIT_VIDEO);
    rw_free(s);
    __atomic_store_n(&taken, false, __ATOMIC_RELEASE);
}

#else

rw_status rw_screen_create(rw_context *ctx, rw_screen **screen)
{
    *screen = NULL;
    return rw_fail(
        ctx, RW_ERR_UNSUPPORTED,
        "this build does not support windows: install libsdl2-dev (Debian, Ubuntu), then configure and build again");
}

/* Never called: there is no screen. */
rw_status rw_screen_open(rw_screen *s RW_UNUSED, rw_device *dev RW_UNUSED, const char *title RW_UNUSED,
                         int width RW_UNUSED, int height RW_UNUSED)
{
    return RW_ERR_UNSUPPORTED;
}
bool rw_screen_is_open(const rw_screen *s RW_UNUSED) { return false; }
void rw_screen_size(const rw_screen *s RW_UNUSED, int *width, int *height) { *width = *height = 0; }
rw_status rw_screen_show(rw_screen *s RW_UNUSED, rw_array *page RW_UNUSED, rw_queue *q RW_UNUSED)
{
    return RW_ERR_UNSUPPORTED;
}
rw_screen_key rw_screen_poll(rw_screen *s RW_UNUSED) { return RW_SCREEN_NOTHING; }
void rw_screen_destroy(rw_screen **screen) { *screen = NULL; }

#endif
