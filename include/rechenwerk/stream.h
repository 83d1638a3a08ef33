/* Streams of frames through image filters: read, copied, filtered, copied back and written at the same time, in memory
 * of a fixed size.
 *
 *   rw_stream_spec spec = {.text = "gauss:sigma=1|sobel"};
 *   rw_stream_run(dev, "film.y4m", "edges.y4m", &spec, &report);       "-" is standard input or output
 *
 * Formats are tables (rw_stream_format): y4m, clm, raw, pictures. A new one needs no change here:
 * rw_stream_format_register. Link librechenwerk-run. */
#ifndef RECHENWERK_STREAM_H
#define RECHENWERK_STREAM_H

#include <stddef.h>

#include "rechenwerk/image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* name, text, one line; planes are Y, Cb, Cr */
/* clang-format off */
#define RW_FRAME_LAYOUT_LIST(X)                                                                                        \
    X(PIXELS, "pixels", "[height][width][channels]")                                                                   \
    X(420, "420", "planes, colour at every second pixel of every second row")                                          \
    X(422, "422", "planes, colour at every second pixel")                                                              \
    X(444, "444", "planes of equal size")
/* clang-format on */

typedef enum rw_frame_layout {
#define RW_X(name, text, line) RW_FRAME_##name,
    RW_FRAME_LAYOUT_LIST(RW_X)
#undef RW_X
        RW_FRAME_LAYOUTS
} rw_frame_layout;

/* What each frame of a stream is. */
typedef struct rw_frame_format {
    rw_frame_layout layout;
    int64_t width, height;
    int channels;    /* of PIXELS: 1 to 4; of planes 3 */
    rw_dtype dtype;  /* U8 or U16 */
    int bits;        /* of a sample that are used; 0: all */
    bool full_range; /* planes: black and white are 0 and the largest value, not 16 and 235 */
    int rate[2];     /* frames a second, as a fraction; 0 0: not known */
    int64_t count;   /* frames; 0: not known */
} rw_frame_format;
RW_API int64_t rw_frame_bytes(const rw_frame_format *format);

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* A file or a pipe that is read from its start or written to its end. */
typedef struct rw_stream_file rw_stream_file;
RW_API rw_context *rw_stream_file_context(const rw_stream_file *file);
RW_API const char *rw_stream_file_name(const rw_stream_file *file); /* for messages */
/* Exactly n bytes. end (may be NULL): true if there was not a single one, which is then no error. ERR_INPUT: it ends
 * within them; `what` says in what. */
RW_API rw_status rw_stream_file_read(rw_stream_file *file, void *bytes, size_t n, const char *what, bool *end);
RW_API rw_status rw_stream_file_write(rw_stream_file *file, const void *bytes, size_t n);

/* A format. Functions that it lacks are NULL: then it cannot be read, or written. */
typedef struct rw_stream_format {
    const char *name, *line;
    const char *endings[8]; /* of files: ".y4m" */
    /* Whether a stream begins so; n bytes, 12 unless it is shorter. NULL: it is chosen by its name or ending alone. */
    bool (*is)(const unsigned char *start, size_t n);
    /* The format opens files itself, by a name such as "frame-%04d.png": `file` is NULL. */
    bool by_name;
    bool luma; /* its frames of one channel are luma, 16 … 235 unless full_range */
    /* Reads the head. `format` has what the caller has said about frames, for streams without a head. *state belongs to
     * the format. */
    rw_status (*open)(rw_context *context, const char *name, rw_stream_file *file, rw_frame_format *format,
                      void **state);
    /* The next frame, rw_frame_bytes(format) long, or *end. */
    rw_status (*read)(void *state, void *frame, bool *end);
    rw_status (*create)(rw_context *context, const char *name, rw_stream_file *file, const rw_frame_format *format,
                        void **state);
    rw_status (*write)(void *state, const void *frame);
    /* Whether it can hold such frames; NULL: all. */
    bool (*holds)(const rw_frame_format *format);
    void (*destroy)(void *state);
} rw_stream_format;

/* Adds a format, which must live until the end, before those that are there. ERR_ARGUMENT: a table without a name or
 * functions. */
RW_API rw_status rw_stream_format_register(rw_context *context, const rw_stream_format *format);
/* The formats, in the order in which they are tried; NULL: there is none with this number. */
RW_API const rw_stream_format *rw_stream_format_get(int i);
/* Whether a name means a stream: "-", a pattern such as %04d.png, an ending of a format of streams. */
RW_API bool rw_stream_is(const char *name);

/* ---- running ----------------------------------------------------------------------------------------------------- */

typedef struct rw_stream_report {
    int64_t frames;
    double seconds; /* from the first frame read to the last one written */
    int64_t bytes_in, bytes_out;
    double latency, latency_99, latency_most; /* seconds from read (or due) to written: median, 99 %, most */
    int64_t late;                             /* frames written after their deadline */
    double deadline;                          /* seconds; 0: none */
    double depth;                             /* frames between reading and writing, mean */
    int depth_most;
    rw_frame_format in, out;
    int64_t shown; /* frames that `show` was called for */
} rw_stream_report;

/* A frame that has been filtered, for an observer of the stream. Valid until the call returns. */
typedef struct rw_stream_view {
    int64_t frame;        /* its number, from 0 */
    const void *in, *out; /* host memory: the frame as read and as written, of the formats in the report */
    /* device: the filter's input and result, [height][width][channels]; values only if `in` is not NULL */
    rw_array *x, *y;
    const rw_stream_report *report; /* so far */
} rw_stream_view;

typedef enum rw_stream_action {
    RW_STREAM_CONTINUE,
    RW_STREAM_PAUSE, /* no further frames are read; rates and seconds do not count the pause */
    RW_STREAM_END    /* the stream ends after the frames that were read */
} rw_stream_action;

typedef struct rw_stream_spec {
    const char *text;                   /* chain of operations (rechenwerk/image.h) */
    const char *in_format, *out_format; /* names of formats (default: by first bytes, by ending, as the input) */
    rw_frame_format frames;             /* of streams without a head: layout, width, height, channels, dtype, rate */
    bool luma;  /* planes: the chain gets Y, and Cb, Cr stay as they are; else red, green, blue */
    int queues; /* of the device, that work at the same time (default: 3) */
    int depth;  /* frames between reading and writing, at most (default: 8) */
    /* frames a second at which they are read, as from a camera (default: as fast as they come) */
    double rate;
    double deadline;     /* seconds from read to written (default: with a rate 1/rate, else none) */
    int64_t frames_most; /* after which it ends (default: all) */
    /* Called about twice a second, in the caller's thread; not 0 ends the stream after the frames that were read. */
    int (*progress)(void *user, const rw_stream_report *report);
    void *user;
    /* (optional) Observes frames, in the caller's thread.
     * It gets the last frame of the stream, and of the others so many that the stream is not slowed: two to 60 a
     * second, where it takes less than a tenth of the time, or, with a rate, ends before the next frame is due.
     * Other calls, for its own events, come once before the first frame is read and then about 50 times a second:
     * report->shown is that of the call before, and view->in is NULL or that of the call before.
     * *action is RW_STREAM_CONTINUE before each call. A status other than OK ends the stream. */
    rw_status (*show)(void *show_user, const rw_stream_view *view, rw_stream_action *action);
    void *show_user;
} rw_stream_spec;

/* Filters all frames of `in` to `out`. "none" as `out`: nothing is written. report may be NULL. A file `out` appears
 * whole or not at all. ERR_FILE, ERR_INPUT: a stream that is malformed, or ends within a frame: the frames before are
 * written; ERR_ARGUMENT, and what filters and `show` fail with. */
RW_API rw_status rw_stream_run(rw_device *device, const char *in, const char *out, const rw_stream_spec *spec,
                               rw_stream_report *report);

/* ---- window ------------------------------------------------------------------------------------------------------ */

/* A window with the input, the result and the result's spectrum side by side, scaled to its size, and rates, latency
 * and late frames below them. Keys: q or Escape ends the stream, space pauses it, s saves the window as PNG.
 *
 *   rw_stream_window *window;
 *   rw_stream_window_create(dev, &(rw_stream_window_spec){0}, &window);
 *   rw_stream_spec spec = {.text = "gauss|sobel", .show = rw_stream_window_show, .show_user = window};
 *   rw_stream_run(dev, "film.y4m", "none", &spec, NULL);
 *   rw_stream_window_destroy(&window);
 *
 * It needs SDL2. All calls must come from one thread. */
typedef struct rw_stream_window rw_stream_window;

typedef struct rw_stream_window_spec {
    /* pixels, 64 to 16384 (default: for whole multiples of the frames, at most 1280 x 720) */
    int width, height;
    const char *title; /* (default: "Rechenwerk") */
    /* "FILE.png": key s writes FILE-2.png, FILE-3.png … (default: window.png, window-2.png …) */
    const char *screenshot;
} rw_stream_window_spec;

/* The window opens with the first frame. A process has one at a time. Destroy it before its device.
 * ERR_ARGUMENT: there is one already, or a size is outside its limits. ERR_UNSUPPORTED: SDL2 or a display is missing;
 * the message says what to install. */
RW_API rw_status rw_stream_window_create(rw_device *device, const rw_stream_window_spec *spec,
                                         rw_stream_window **window);
/* For rw_stream_spec.show; show_user: the window. ERR_UNSUPPORTED: SDL2 cannot open the window; and what filters fail
 * with. */
RW_API rw_status rw_stream_window_show(void *show_user, const rw_stream_view *view, rw_stream_action *action);
/* Writes what the window shows as PNG. ERR_ARGUMENT: no frame was shown yet; ERR_FILE. */
RW_API rw_status rw_stream_window_save(rw_stream_window *window, const char *path);
RW_API void rw_stream_window_destroy(rw_stream_window **window);

#ifdef __cplusplus
}
#endif
#endif
