/* Streams of frames through image filters. Reading, copying, filtering, copying back and writing overlap, in memory of
 * fixed size.
 *
 *   rw_stream_spec spec = {.text = "gauss:sigma=1|sobel"};
 *   rw_stream_run(dev, "film.y4m", "edges.y4m", &spec, &report);       "-" is standard input or output
 *
 * Formats: y4m, clm, raw, pnm, png, numbered pictures, and user-defined ones (rw_stream_format_register). Link
 * librechenwerk-run.
 * Source: docs/methods/stream.md. */
#ifndef RECHENWERK_STREAM_H
#define RECHENWERK_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rechenwerk/array.h"
#include "rechenwerk/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* name, text, one line; the planes are Y, Cb, Cr */
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
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_frame_layout_name(rw_frame_layout value);
RW_API rw_status rw_frame_layout_parse(rw_context *context, const char *name, rw_frame_layout *value);

/* Where a sample of colour lies in layout 420. */
typedef enum rw_chroma_siting {
    RW_CHROMA_CENTRE, /* in the middle of its four pixels, as in JPEG and MPEG-1 */
    RW_CHROMA_LEFT,   /* between the two left pixels, as in MPEG-2 and H.264 */
    RW_CHROMA_PALDV   /* on the pixels of the left column, Cb and Cr in alternate rows, as in PAL DV */
} rw_chroma_siting;

/* Format of the frames of a stream. */
typedef struct rw_frame_format {
    rw_frame_layout layout;
    int64_t width, height;
    int channels;    /* PIXELS: 1 … 4; planes: 3 */
    rw_dtype dtype;  /* U8 or U16 */
    int bits;        /* bits used per sample; 0: all */
    bool full_range; /* planes: full range, 0 … white. Default: limited range, 16 … 235 for 8 bits. */
    int rate[2];     /* frames per second as a fraction; 0, 0: unknown */
    int64_t count;   /* number of frames; 0: unknown */
    int aspect[2];   /* width and height of a pixel as a ratio; 0, 0: unknown */
    /* order of fields: 'p' progressive, 't' and 'b' interlaced with the top or bottom field first, '?' unknown or
     * mixed; 0: not stated */
    char interlacing;
    unsigned char siting;      /* 420: where a sample of colour lies among its four pixels: rw_chroma_siting */
    bool limited_range;        /* y4m: the header states limited range; read where full_range is false */
    bool states_sampling;      /* y4m: the header repeats the sampling of colour as XYSCSS=… */
    unsigned char reserved[4]; /* 0: later members take this room, so that the size stays */
} rw_frame_format;
/* Bytes per frame. */
RW_API int64_t rw_frame_bytes(const rw_frame_format *format);

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* An open file or pipe that is read from its start or written to its end, for functions of rw_stream_format. */
typedef struct rw_stream_file rw_stream_file;
RW_API rw_context *rw_stream_file_context(const rw_stream_file *file);
RW_API const char *rw_stream_file_name(const rw_stream_file *file); /* name for messages */
/* Reads exactly n bytes, or writes n bytes.
 * what: the part of the stream that is read, for messages ("the header").
 * end: optional. *end = true if the stream has ended before the first byte; this is no error.
 * Errors: ERR_INPUT: the stream ends within the n bytes; ERR_FILE. */
RW_API rw_status rw_stream_file_read(rw_stream_file *file, void *bytes, size_t n, const char *what, bool *end);
RW_API rw_status rw_stream_file_write(rw_stream_file *file, const void *bytes, size_t n);

/* A stream format. Members that a format does not support are NULL: `open` and `read`, or `create` and `write`, are
 * required. */
typedef struct rw_stream_format {
    const char *name, *line;
    const char *endings[8]; /* file name endings: ".y4m" */
    /* Returns whether a stream begins with these n bytes (12, or fewer if the stream is shorter). NULL: the format is
     * chosen by its name or ending only. */
    bool (*is)(const unsigned char *start, size_t n);
    /* The format opens its files itself from a name such as "frame-%04d.png"; the argument `file` is NULL. */
    bool by_name;
    bool luma; /* frames of one channel are luma, 16 … 235 unless full_range */
    /* Reads the header. *format contains rw_stream_spec.frames, for streams without a header, and receives the format
     * of the frames. *state is passed to the other functions. */
    rw_status (*open)(rw_context *context, const char *name, rw_stream_file *file, rw_frame_format *format,
                      void **state);
    /* Reads the next frame, rw_frame_bytes(format) bytes, or sets *end. */
    rw_status (*read)(void *state, void *frame, bool *end);
    /* `create` begins a stream of these frames; `write` appends the next frame. */
    rw_status (*create)(rw_context *context, const char *name, rw_stream_file *file, const rw_frame_format *format,
                        void **state);
    rw_status (*write)(void *state, const void *frame);
    /* Returns whether the format can store such frames; NULL: it can store all. */
    bool (*holds)(const rw_frame_format *format);
    void (*destroy)(void *state); /* (optional) frees the state */
} rw_stream_format;

/* Registers a format for the process, to be tried before the existing ones.
 * Errors: ERR_ARGUMENT: a missing name, missing functions, more than 64 formats.
 * Lifetime: *format must remain valid until the process ends.
 * Threads: register formats before other threads open streams. */
RW_API rw_status rw_stream_format_register(rw_context *context, const rw_stream_format *format);
/* Format i in the order in which formats are tried; NULL: none. */
RW_API const rw_stream_format *rw_stream_format_get(int i);
/* Returns whether a name denotes a stream: "-", "none", a numbered name such as frame-%04d.png, or a name with the
 * ending of a stream format. */
RW_API bool rw_stream_is(const char *name);
/* Returns whether a name has a number: %d, or %04d with zeros in front. In such a name %% is a percent sign; in others
 * every character is text ("my%20dog.png"). */
RW_API bool rw_stream_is_numbered(const char *name);
/* Finds an existing file that an output of this name would replace: of a numbered name the file with the smallest
 * number that fits it, of others the file itself.
 * context: optional.
 * path: NULL if there is none. Free it with rw_free.
 * Errors: ERR_ARGUMENT: more than one number, a name that is too long; ERR_MEMORY. */
RW_API rw_status rw_stream_find_output(rw_context *context, const char *name, char **path);

/* ---- running ----------------------------------------------------------------------------------------------------- */

/* Report of a stream. */
typedef struct rw_stream_report {
    int64_t frames;
    double seconds; /* from the first frame read to the last one written */
    int64_t bytes_in, bytes_out;
    /* latency of a frame in seconds, from read (with a rate: due) to written: median, 99th percentile, maximum */
    double latency, latency_99, latency_max;
    int64_t late;    /* frames written after their deadline */
    double deadline; /* seconds; 0: none */
    double depth;    /* mean number of frames between reading and writing */
    int depth_max;   /* maximum number of frames between reading and writing */
    rw_frame_format in, out;
    int64_t shown; /* frames passed to rw_stream_spec.show */
} rw_stream_report;

/* A filtered frame, for an observer of the stream. Lifetime: valid until `show` returns. */
typedef struct rw_stream_view {
    int64_t frame; /* index of the frame, from 0 */
    /* host memory: the frame as read and as written, in the formats of the report; NULL: no frame */
    const void *in, *out;
    /* device memory: input and result of the filter, [height][width][channels]; contents are valid only if `in` is not
     * NULL */
    rw_array *x, *y;
    const rw_stream_report *report; /* state of the stream so far */
} rw_stream_view;

/* What an observer requests. */
typedef enum rw_stream_action {
    RW_STREAM_CONTINUE,
    RW_STREAM_PAUSE, /* no further frames are read; rates and times exclude the pause */
    RW_STREAM_END    /* the stream ends after the frames that have been read */
} rw_stream_action;

/* Specification of a stream. A zeroed member has its default; `text` is required. */
typedef struct rw_stream_spec {
    const char *text; /* chain of operations: "gauss:sigma=1|sobel" */
    /* names of formats. Default: by the first bytes; by the ending, otherwise that of the input. */
    const char *in_format, *out_format;
    rw_frame_format frames; /* format of frames without a header: layout, size, channels, dtype, rate */
    bool luma;  /* planes: the chain processes Y only; Cb and Cr are unchanged. Default: red, green, blue. */
    int queues; /* queues of the device that work concurrently, 1 … 16 (default: 3) */
    /* maximum number of frames between reading and writing, 1 … 256 (default: 8), or queues + 2 if that is more */
    int depth;
    /* frames per second at which frames are read, like from a camera. Default: as fast as they arrive. */
    double rate;
    double deadline;    /* seconds from read to written. Default: 1/rate with a rate, otherwise none. */
    int64_t frames_max; /* maximum number of frames to read. Default: all. */
    /* (optional) Called about twice per second in the caller's thread. A status other than OK ends the stream after
     * the frames that have been read; the output is complete, and rw_stream_run returns the status. */
    rw_status (*progress)(void *user, const rw_stream_report *report);
    void *user;
    /* (optional) Observes frames, in the caller's thread.
     * It receives the last frame of the stream, and of the others 2 to 60 per second, chosen so that the stream is not
     * slowed: calls take less than a tenth of the time or, with a rate, end before the next frame is due.
     * Further calls let the observer handle its own events: one before the first frame is read, then about 50 per
     * second. In these report->shown is unchanged from the previous call, and view->in is NULL or unchanged.
     * *action is RW_STREAM_CONTINUE before each call. A status other than OK ends the stream with this status. */
    rw_status (*show)(void *show_user, const rw_stream_view *view, rw_stream_action *action);
    void *show_user;
    /* (optional) When requested, the stream ends after the frames that have been read, with ERR_INTERRUPTED. An output
     * file is put next to `out`, as NAME.partial.EXT; a file `out` keeps its old content. */
    const rw_cancel *cancel;
} rw_stream_spec;
/* The parameter table of rw_stream_spec. */
RW_API const rw_params *rw_stream_params(void);

/* Filters all frames of `in` to `out`. out: "none": nothing is written. An output file appears complete or not at all.
 * report: optional.
 * Errors: ERR_FILE; ERR_INPUT: a malformed stream, or one that ends within a frame; the frames before it are written.
 *     ERR_ARGUMENT; those of rw_image_filter_create, rw_image_filter_execute and `show`. */
RW_API rw_status rw_stream_run_sized(rw_device *device, const char *in, const char *out, const rw_stream_spec *spec,
                                     rw_stream_report *report, size_t spec_size, size_t report_size);
#define rw_stream_run(...) rw_stream_run_sized(__VA_ARGS__, sizeof(rw_stream_spec), sizeof(rw_stream_report))

/* ---- window ------------------------------------------------------------------------------------------------------ */

/* A window that shows the input, the result and the spectrum of the result side by side, scaled to its size, with
 * rates, latency and late frames below them. Keys: q or Escape ends the stream, space pauses it, s saves the window as
 * PNG.
 *
 *   rw_stream_window *window;
 *   rw_stream_window_create(dev, &(rw_stream_window_spec){0}, &window);
 *   rw_stream_spec spec = {.text = "gauss|sobel", .show = rw_stream_window_show, .show_user = window};
 *   rw_stream_run(dev, "film.y4m", "none", &spec, NULL);
 *   rw_stream_window_destroy(&window);
 *
 * It needs SDL2. A process has one window at a time.
 * Threads: all calls must come from one thread. */
typedef struct rw_stream_window rw_stream_window;

typedef struct rw_stream_window_spec {
    /* pixels, 64 … 16384. Default: an integer multiple of the frame size, up to 1280 x 720. */
    int width, height;
    const char *title; /* Default: "Rechenwerk". */
    /* "FILE.png": key s writes FILE-2.png, FILE-3.png, … Default: window.png, window-2.png, … */
    const char *screenshot;
} rw_stream_window_spec;

/* Creates a window. It opens with the first call of rw_stream_window_show.
 * Errors: ERR_ARGUMENT: a window exists already, a size out of range; ERR_UNSUPPORTED: SDL2 or a display is missing;
 *     the message names what to install. ERR_MEMORY.
 * Lifetime: the window retains the device; the texts are copied. */
RW_API rw_status rw_stream_window_create_sized(rw_device *device, const rw_stream_window_spec *spec,
                                               rw_stream_window **window, size_t spec_size);
#define rw_stream_window_create(...) rw_stream_window_create_sized(__VA_ARGS__, sizeof(rw_stream_window_spec))
/* The function for rw_stream_spec.show; show_user: the window.
 * Errors: ERR_UNSUPPORTED: SDL2 cannot open the window; those of rw_image_filter_create and rw_image_filter_execute. */
RW_API rw_status rw_stream_window_show(void *show_user, const rw_stream_view *view, rw_stream_action *action);
/* Writes the contents of the window as PNG. Errors: ERR_ARGUMENT: no frame has been shown yet; ERR_FILE; ERR_MEMORY. */
RW_API rw_status rw_stream_window_save(rw_stream_window *window, const char *path);
RW_API void rw_stream_window_destroy(rw_stream_window **window);

#ifdef __cplusplus
}
#endif
#endif
