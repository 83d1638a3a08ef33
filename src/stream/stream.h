/* Streams: files (file.c), formats (formats.c, format_*.c), frames to pixels and back (pixels.c), the pipeline
 * (pipeline.c); pictures side by side (montage.c) in a window (window.c) on a screen (screen.c); the pipeline knows a
 * window as an observer alone.
 *
 *   reader thread -> slot of pinned memory -> queue of the device: copy, unpack, filter, pack, copy -> slot -> writer
 *   thread
 *
 * Reader and writer only move bytes between files and host memory; the caller's thread does all work with the
 * device. */
#ifndef RW_STREAM_H
#define RW_STREAM_H

#include "core/core.h"
#include "io/canvas.h"
#include "rechenwerk/program.h"
#include "rechenwerk/stream.h"

struct rw_stream_file {
    rw_context *ctx;
    const char *name;
    bool opened; /* for reading */
    int fd;
    bool stop;  /* gives up waiting for bytes */
    FILE *file; /* of one that is written */
    char *temporary;
    bool standard;           /* input or output: not closed */
    bool seekable;           /* of one that is written: a regular file, also one that the shell redirects to */
    int64_t origin;          /* where its first byte lies there */
    unsigned char head[128]; /* bytes that replace the first ones when it is complete */
    size_t nhead;
    bool cut;                /* an output that ends early: it is put next to its place */
    unsigned char start[12]; /* the first bytes, read to find the format */
    size_t nstart, used;
    unsigned char buffer[4096]; /* of short reads */
    size_t at, filled;
};

/* "-" is standard input; other names must be files or pipes. */
rw_status rw_stream_file_open(rw_context *ctx, const char *name, rw_stream_file *file);
rw_status rw_stream_file_create(rw_context *ctx, const char *name, rw_stream_file *file);
/* As rw_stream_file_read, but fewer bytes at the end are no error: *have of them. */
rw_status rw_stream_file_read_most(rw_stream_file *file, void *bytes, size_t n, const char *what, size_t *have);
rw_status rw_stream_file_flush(rw_stream_file *file);
/* Sets n bytes, at most 128, that replace the first ones when the file is complete: a header with lengths. No effect on
 * a pipe. */
void rw_stream_file_set_head(rw_stream_file *file, const void *bytes, size_t n);
/* Flushes, replaces the first bytes, and puts a file into its place; one that is cut into NAME.partial.EXT, with
 * ERR_INTERRUPTED. */
rw_status rw_stream_file_commit(rw_stream_file *file);
void rw_stream_file_close(rw_stream_file *file); /* one that is not committed is discarded */

/* A stream that is open: a format with its state. */
typedef struct rw_stream {
    const rw_stream_format *table;
    rw_stream_file file;
    rw_frame_format format;
    void *state;
} rw_stream;
rw_status rw_stream_open(rw_context *ctx, const char *name, const char *format_name, const rw_frame_format *frames,
                         rw_stream *stream);
/* Whether the name of an output has the ending of a format that is not supported: "film.mp4". False for names without a
 * point, pipes and devices. */
bool rw_stream_has_unknown_ending(const char *name);
/* The format that `name` is written in; `standard` where the name says nothing. */
rw_status rw_stream_choose(rw_context *ctx, const char *name, const char *format_name, const rw_stream_format *standard,
                           const rw_stream_format **table);
rw_status rw_stream_create(rw_context *ctx, const char *name, const rw_stream_format *table,
                           const rw_frame_format *format, rw_stream *stream);
rw_status rw_stream_commit(rw_stream *stream);
void rw_stream_close(rw_stream *stream);

/* ---- numbered.c: names with a number ----------------------------------------------------------------------------- */

enum { RW_PATH_BYTES = 4096 };
typedef struct rw_numbered {
    char before[RW_PATH_BYTES], after[RW_PATH_BYTES]; /* text around the number */
    int width;                                        /* digits, with zeros in front; 0: as many as it has; -1: none */
} rw_numbered;
/* ERR_ARGUMENT: more than one number, a name that is too long. */
rw_status rw_numbered_parse(rw_context *ctx, const char *name, rw_numbered *numbered);
/* The name of the file with this number; of a name without one the name. ERR_ARGUMENT: too long. */
rw_status rw_numbered_name(rw_context *ctx, const rw_numbered *numbered, int64_t number, char path[RW_PATH_BYTES]);
/* The existing file with the smallest number from `from` on, by reading the folder; "": none. */
rw_status rw_numbered_find(rw_context *ctx, const rw_numbered *numbered, int64_t from, char path[RW_PATH_BYTES]);
/* ERR_ARGUMENT: what is written may be a file that is read. */
rw_status rw_numbered_check(rw_context *ctx, const char *in, const char *out);

/* "1920 x 1080, 420, 8 bits" */
typedef struct rw_frame_text {
    char text[96];
} rw_frame_text;
rw_frame_text rw_frame_describe(const rw_frame_format *format);
rw_status rw_frame_check(rw_context *ctx, const char *name, const rw_frame_format *format);

/* ---- pixels.c: planes and pixels --------------------------------------------------------------------------------- */

/* Kernels between the bytes of a frame and the arrays of a filter. */
typedef struct rw_frame_converter {
    rw_program *program;
    rw_kernel *unpack, *pack;
    rw_frame_format in, out;
    bool luma;
} rw_frame_converter;
/* Whether frames are anything but the pixels of a filter. */
bool rw_frame_needs_conversion(const rw_frame_format *format);
/* The filter's channels for frames of this format. */
int rw_frame_channels(const rw_frame_format *format, bool luma);
/* The format in which a filter's result of this size and number of channels is written. */
rw_frame_format rw_frame_result(const rw_frame_format *in, bool luma, int64_t width, int64_t height, int channels,
                                const rw_stream_format *table);
/* channels: those of the filter's result. */
rw_status rw_frame_converter_create(rw_device *device, const rw_frame_format *in, const rw_frame_format *out, bool luma,
                                    int channels, rw_frame_converter *converter);
void rw_frame_converter_free(rw_frame_converter *converter);
/* pixels <- frame; frame, the one that was read, gives what the chain does not change */
rw_status rw_frame_unpack(const rw_frame_converter *c, rw_array *frame, rw_array *pixels, rw_queue *queue);
rw_status rw_frame_pack(const rw_frame_converter *c, rw_array *pixels, rw_array *frame, rw_array *result,
                        rw_queue *queue);

/* ---- montage.c: pictures side by side ---------------------------------------------------------------------------- */

typedef struct rw_montage_picture {
    const char *title;
    int64_t width, height;
} rw_montage_picture;

/* The size of a page of at most width x height pixels for n such pictures: each enlarged by an integer, or all scaled
 * down. */
void rw_montage_size(int n, const rw_montage_picture *pictures, int *width, int *height);
/* Where picture i lies on a page: x, y, width, height. Its aspect ratio is kept. */
void rw_montage_place(int width, int height, int n, const rw_montage_picture *pictures, int i, int place[4]);
/* Draws the page without its pictures: titles and sizes above them and a line of text below. */
void rw_montage_draw_text(int n, const rw_montage_picture *pictures, const char *footer, rw_canvas *canvas);

/* The kernel that draws pictures. */
typedef struct rw_montage {
    rw_dtype dtype;
    rw_program *program;
    rw_kernel *picture;
} rw_montage;
rw_status rw_montage_create(rw_device *device, rw_dtype dtype, rw_montage *montage); /* U8 or U16 */
void rw_montage_free(rw_montage *montage);
/* Draws x [height][width][channels] on the page [height][width][3], both on the device. One channel is grey, an alpha
 * channel has no effect. Enlarged, each pixel is a rectangle of one colour; scaled down, a pixel is the mean of up to
 * four. */
rw_status rw_montage_draw_picture(const rw_montage *montage, rw_array *x, const int place[4], rw_array *page,
                                  rw_queue *queue);

/* ---- screen.c: windows of the desktop, by SDL2 ------------------------------------------------------------------- */

typedef struct rw_screen rw_screen;
typedef enum rw_screen_key {
    RW_SCREEN_NOTHING,
    RW_SCREEN_END,
    RW_SCREEN_PAUSE,
    RW_SCREEN_SAVE,
    RW_SCREEN_REDRAW
} rw_screen_key;
/* Opens SDL2 and the connection to the display. ERR_UNSUPPORTED with what to install; ERR_ARGUMENT: there is one
 * already. */
rw_status rw_screen_create(rw_context *ctx, rw_screen **screen);
/* A window that is drawn from the device's memory where its driver shares memory with OpenGL, else from the host's. */
rw_status rw_screen_open(rw_screen *screen, rw_device *device, const char *title, int width, int height);
bool rw_screen_is_open(const rw_screen *screen);
void rw_screen_size(const rw_screen *screen, int *width, int *height);
rw_status rw_screen_show(rw_screen *screen, rw_array *page, rw_queue *queue); /* u8 [height][width][3] */
rw_screen_key rw_screen_poll(rw_screen *screen);                              /* the next event that means something */
void rw_screen_destroy(rw_screen **screen);

#endif
