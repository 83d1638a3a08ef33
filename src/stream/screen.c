/* The one window of a process, by SDL2. It brings fifty libraries, so it is opened with the first window; its headers give the types.
 * Pictures go through the window's surface, which works with every video driver: X11, Wayland, and the one in memory,
 * SDL_VIDEODRIVER=dummy. */
#include "stream/stream.h"

#ifdef RW_WITH_SDL

#define SDL_MAIN_HANDLED
#include <SDL.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(X) \
    X(InitSubSystem) X(QuitSubSystem) X(GetError) X(SetHint) X(CreateWindow) X(DestroyWindow) X(GetWindowSize) X(GetWindowSurface) \
    X(UpdateWindowSurface) X(PollEvent) X(ConvertPixels) X(GetCurrentVideoDriver)

static struct {
#define X(name) __typeof__(SDL_##name) *name;
    FUNCTIONS(X)
#undef X
} sdl;

struct rw_screen {
    rw_context *ctx;
    SDL_Window *window;
};

static bool taken; /* atomic: there is a screen */

/* It stays open until the process ends. */
static rw_status load(rw_context *ctx)
{
    static const char advice[] = "a window needs SDL2: install libsdl2-2.0-0 (Debian, Ubuntu)";
    static bool loaded;
    if (loaded) return RW_OK;
    void *library = dlopen("libSDL2-2.0.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return rw_fail(ctx, RW_ERR_UNSUPPORTED, "%s: %s", advice, dlerror());
    void *function;
#define X(name) \
    if (!(function = dlsym(library, "SDL_" #name))) return rw_fail(ctx, RW_ERR_UNSUPPORTED, "%s: this one lacks SDL_" #name, advice); \
    memcpy(&sdl.name, &function, sizeof function);
    FUNCTIONS(X)
#undef X
    loaded = true;
    return RW_OK;
}

/* Drivers that SDL2 takes where it finds no display; their windows are in memory. */
static bool is_hidden(const char *driver) { return !driver || strcmp(driver, "dummy") == 0 || strcmp(driver, "offscreen") == 0; }

static rw_status init(rw_context *ctx)
{
    RW_TRY(load(ctx));
    sdl.SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    const char *reason = NULL;
    if (sdl.InitSubSystem(SDL_INIT_VIDEO) != 0) {
        reason = sdl.GetError();
    } else if (!getenv("SDL_VIDEODRIVER") && is_hidden(sdl.GetCurrentVideoDriver())) {
        sdl.QuitSubSystem(SDL_INIT_VIDEO);
        reason = "there is none";
    }
    if (!reason) return RW_OK;
    return rw_fail(ctx, RW_ERR_UNSUPPORTED, "a window needs a display: SDL2: %s: set DISPLAY or WAYLAND_DISPLAY, or "
                   "SDL_VIDEODRIVER=dummy for a window in memory", reason);
}

rw_status rw_screen_create(rw_context *ctx, rw_screen **screen)
{
    *screen = NULL;
    if (__atomic_exchange_n(&taken, true, __ATOMIC_ACQ_REL))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "there is a window already: a process has one; destroy it first");
    rw_screen *s = rw_calloc(1, sizeof *s);
    rw_status status = s ? init(ctx) : rw_fail_memory(ctx, sizeof *s, "a window");
    if (status == RW_OK) return s->ctx = ctx, *screen = s, RW_OK;
    rw_free(s);
    __atomic_store_n(&taken, false, __ATOMIC_RELEASE);
    return status;
}

static rw_status fail(const rw_screen *s, const char *what)
{
    return rw_fail(s->ctx, RW_ERR_UNSUPPORTED, "SDL2: %s: %s", what, sdl.GetError());
}

rw_status rw_screen_open(rw_screen *s, const char *title, int width, int height)
{
    const int anywhere = (int)SDL_WINDOWPOS_UNDEFINED;
    s->window = sdl.CreateWindow(title, anywhere, anywhere, width, height, SDL_WINDOW_RESIZABLE);
    return s->window ? RW_OK : fail(s, "the window cannot be opened");
}

bool rw_screen_is_open(const rw_screen *s) { return s->window != NULL; }
void rw_screen_size(const rw_screen *s, int *width, int *height) { sdl.GetWindowSize(s->window, width, height); }

rw_status rw_screen_show(rw_screen *s, const rw_canvas *c)
{
    SDL_Surface *to = sdl.GetWindowSurface(s->window);
    if (!to) return fail(s, "the window has no surface");
    const int width = RW_MIN(c->width, to->w), height = RW_MIN(c->height, to->h); /* the window may have changed meanwhile */
    if (sdl.ConvertPixels(width, height, SDL_PIXELFORMAT_RGB24, c->rgb, 3 * c->width, to->format->format, to->pixels, to->pitch) != 0)
        return fail(s, "pixels cannot be converted");
    return sdl.UpdateWindowSurface(s->window) == 0 ? RW_OK : fail(s, "the window cannot be drawn");
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

rw_screen_key rw_screen_poll(rw_screen *s)
{
    (void)s;
    rw_screen_key key = RW_SCREEN_NOTHING;
    for (SDL_Event e; key == RW_SCREEN_NOTHING && sdl.PollEvent(&e);) key = key_of(&e);
    return key;
}

void rw_screen_destroy(rw_screen **screen)
{
    rw_screen *s = *screen;
    *screen = NULL;
    if (!s) return;
    if (s->window) sdl.DestroyWindow(s->window);
    sdl.QuitSubSystem(SDL_INIT_VIDEO);
    rw_free(s);
    __atomic_store_n(&taken, false, __ATOMIC_RELEASE);
}

#else

rw_status rw_screen_create(rw_context *ctx, rw_screen **screen)
{
    *screen = NULL;
    return rw_fail(ctx, RW_ERR_UNSUPPORTED, "this build has no windows: install libsdl2-dev (Debian, Ubuntu), then configure and build again");
}

/* There is no screen to call these with. */
rw_status rw_screen_open(rw_screen *s, const char *title, int width, int height)
{
    return (void)s, (void)title, (void)width, (void)height, RW_ERR_UNSUPPORTED;
}
bool rw_screen_is_open(const rw_screen *s) { return (void)s, false; }
void rw_screen_size(const rw_screen *s, int *width, int *height) { (void)s, *width = *height = 0; }
rw_status rw_screen_show(rw_screen *s, const rw_canvas *c) { return (void)s, (void)c, RW_ERR_UNSUPPORTED; }
rw_screen_key rw_screen_poll(rw_screen *s) { return (void)s, RW_SCREEN_NOTHING; }
void rw_screen_destroy(rw_screen **screen) { *screen = NULL; }

#endif
