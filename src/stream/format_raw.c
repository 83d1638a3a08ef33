/* Frames without a header, concatenated. */
#include <string.h>

#include "stream/stream.h"

typedef struct raw {
    rw_stream_file *file;
    size_t bytes;
} raw;

static rw_status make(rw_context *ctx, rw_stream_file *f, const rw_frame_format *format, void **state)
{
    raw *s = rw_calloc(1, sizeof *s);
    if (!s) return rw_fail_memory(ctx, sizeof *s, "a stream");
    *s = (raw){f, (size_t)rw_frame_bytes(format)};
    *state = s;
    return RW_OK;
}

static rw_status open_stream(rw_context *ctx, const char *name RW_UNUSED, rw_stream_file *f, rw_frame_format *format,
                             void **state)
{
    if (!format->width || !format->height)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: raw frames have no header: specify size and kind, such as --frames 1920x1080:rgb24",
                       f->name);
    RW_TRY(rw_frame_check(ctx, f->name, format));
    return make(ctx, f, format, state);
}

static rw_status read_frame(void *state, void *frame, bool *end)
{
    raw *s = state;
    return rw_stream_file_read(s->file, frame, s->bytes, "a frame", end);
}

static rw_status create(rw_context *ctx, const char *name RW_UNUSED, rw_stream_file *f, const rw_frame_format *format,
                        void **state)
{
    return make(ctx, f, format, state);
}

static rw_status write_frame(void *state, const void *frame)
{
    raw *s = state;
    return rw_stream_file_write(s->file, frame, s->bytes);
}

const rw_stream_format rw_stream_raw = {
    .name = "raw",
    .line = "frames without a header",
    .endings = {".raw", ".yuv", ".rgb"},
    .open = open_stream,
    .read = read_frame,
    .create = create,
    .write = write_frame,
    .destroy = rw_free,
};
