/* CLM1: u32 width, height, channels (1 or 3), images, bytes of an image, little endian, after "CLM1"; then the
 * images, rows from the top, red, green and blue interleaved, without gaps. The image streams of M.-R. Lorbeer's
 * study, whose layout was not published. */
#include <string.h>

#include "stream/stream.h"

typedef struct clm {
    rw_stream_file *file;
    size_t bytes;
    int64_t left;           /* remaining frames; -1: until the end */
    unsigned char head[24]; /* of one that is written */
    uint32_t written;
} clm;

static bool is(const unsigned char *start, size_t n) { return n >= 4 && memcmp(start, "CLM1", 4) == 0; }

static uint32_t number(const unsigned char *b)
{
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static rw_status make(rw_context *ctx, rw_stream_file *f, const rw_frame_format *format, int64_t left, void **state)
{
    clm *s = rw_calloc(1, sizeof *s);
    if (!s) return rw_fail_memory(ctx, sizeof *s, "a stream");
    *s = (clm){.file = f, .bytes = (size_t)rw_frame_bytes(format), .left = left};
    *state = s;
    return RW_OK;
}

static rw_status open_stream(rw_context *ctx, const char *name RW_UNUSED, rw_stream_file *f, rw_frame_format *format,
                             void **state)
{
    unsigned char head[24];
    RW_TRY(rw_stream_file_read(f, head, sizeof head, "the header", NULL));
    *format = (rw_frame_format){.width = number(head + 4),
                                .height = number(head + 8),
                                .channels = (int)number(head + 12),
                                .dtype = RW_U8,
                                .count = number(head + 16)};
    if (format->channels != 1 && format->channels != 3)
        return rw_fail(ctx, RW_ERR_INPUT, "%s: %d channels: a CLM1 stream has 1 or 3 channels", f->name,
                       format->channels);
    RW_TRY(rw_frame_check(ctx, f->name, format));
    if (number(head + 20) != (uint64_t)rw_frame_bytes(format))
        return rw_fail(ctx, RW_ERR_INPUT,
                       "%s: the header is damaged: it has %u bytes per image, but images of %s have %lld bytes",
                       f->name, number(head + 20), rw_frame_describe(format).text, (long long)rw_frame_bytes(format));
    return make(ctx, f, format, format->count ? format->count : -1, state);
}

static rw_status read_frame(void *state, void *frame, bool *end)
{
    clm *s = state;
    *end = s->left == 0;
    if (*end) return RW_OK;
    RW_TRY(rw_stream_file_read(s->file, frame, s->bytes, "an image", s->left < 0 ? end : NULL));
    if (s->left > 0) --s->left;
    return RW_OK;
}

static bool holds(const rw_frame_format *f)
{
    return f->layout == RW_FRAME_PIXELS && f->dtype == RW_U8 && (f->channels == 1 || f->channels == 3);
}

static void put(unsigned char *head, int i, uint32_t v)
{
    for (int b = 0; b < 4; ++b) head[4 + 4 * i + b] = (unsigned char)(v >> 8 * b);
}

/* A count of 0 means until the end. A file gets the count of its frames when it is complete, a pipe that of the input,
 * or 0 if it is unknown. */
static rw_status create(rw_context *ctx, const char *name RW_UNUSED, rw_stream_file *f, const rw_frame_format *format,
                        void **state)
{
    const uint32_t n[] = {(uint32_t)format->width, (uint32_t)format->height, (uint32_t)format->channels,
                          (uint32_t)format->count, (uint32_t)rw_frame_bytes(format)};
    unsigned char head[24] = "CLM1";
    for (int i = 0; i < 5; ++i) put(head, i, n[i]);
    RW_TRY(rw_stream_file_write(f, head, sizeof head));
    RW_TRY(make(ctx, f, format, -1, state));
    memcpy(((clm *)*state)->head, head, sizeof head);
    return RW_OK;
}

static rw_status write_frame(void *state, const void *frame)
{
    clm *s = state;
    RW_TRY(rw_stream_file_write(s->file, frame, s->bytes));
    put(s->head, 3, ++s->written);
    rw_stream_file_set_head(s->file, s->head, sizeof s->head);
    return RW_OK;
}

const rw_stream_format rw_stream_clm = {
    .name = "clm",
    .line = "images of equal size after a short header",
    .endings = {".clm"},
    .is = is,
    .open = open_stream,
    .read = read_frame,
    .create = create,
    .write = write_frame,
    .holds = holds,
    .destroy = rw_free,
};
