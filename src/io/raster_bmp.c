/* BMP: uncompressed, 8 bits with a palette, 24 and 32 bits, bottom-up or top-down. Rows are padded to 4 bytes.
 *
 *   "BM" size(4) 0(4) offset(4) | header size(4) width(4) height(4) planes(2) bits(2) compression(4) … colours(4) … |
 *   palette | rows
 *
 * 32 bits are read as blue, green, red, alpha; without masks (compression 0) the fourth byte is dropped. Written are 8
 * bits with a grey palette and 24 bits. */
#include "io/raster.h"

#include <string.h>

static uint32_t get32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static uint32_t get16(const unsigned char *p) { return p[0] | (uint32_t)p[1] << 8; }

static rw_status damaged(rw_context *ctx, const char *name, const char *what)
{
    return rw_fail(ctx, RW_ERR_INPUT,
                   "%s: BMP: %s: the file is damaged or of an unsupported kind (supported: uncompressed 8, 24, 32 "
                   "bits)",
                   name, what);
}

static rw_status parse(rw_context *ctx, const char *name, const unsigned char *b, size_t n, size_t max_pixels,
                       rw_raster *r)
{
    if (n < 54) return damaged(ctx, name, "the header is truncated");
    const uint32_t from = get32(b + 10), header = get32(b + 14), bits = get16(b + 28), packed = get32(b + 30);
    const int32_t width = (int32_t)get32(b + 18), rows = (int32_t)get32(b + 22);
    uint32_t colours = get32(b + 46);
    if (header < 40 || header > n - 14) return damaged(ctx, name, "a header of another version");
    if ((bits != 8 && bits != 24 && bits != 32) || (packed != 0 && !(packed == 3 && bits == 32)))
        return damaged(ctx, name, "bits or compression");
    const size_t height = rows < 0 ? (size_t) - (int64_t)rows : (size_t)rows;
    if (width <= 0) return damaged(ctx, name, "the width");
    const unsigned char *palette = b + 14 + header + (packed == 3 && header == 40 ? 12 : 0);
    bool grey = bits == 8;
    if (bits == 8) {
        if (!colours) colours = 256;
        if (colours > 256 || (size_t)(palette - b) + 4 * (size_t)colours > n) return damaged(ctx, name, "the palette");
        for (uint32_t i = 0; i < colours; i++)
            grey = grey && palette[4 * i] == palette[4 * i + 1] && palette[4 * i] == palette[4 * i + 2];
    }
    const size_t row = ((size_t)width * bits / 8 + 3) / 4 * 4;
    if (from > n || (n - from) / row < height)
        return rw_fail(ctx, RW_ERR_INPUT, "%s: %d x %zu pixels need more than the %zu bytes of the file: truncated",
                       name, width, height, from > n ? 0 : n - from);
    const bool alpha = bits == 32 && packed == 3;
    const int channels = grey ? 1 : alpha ? 4 : 3;
    RW_TRY(rw_raster_create(ctx, name, (size_t)width, height, channels, 1, max_pixels, r));
    uint8_t *to = r->samples;
    for (size_t y = 0; y < height; y++) {
        const unsigned char *line = b + from + (rows < 0 ? y : height - 1 - y) * row;
        for (size_t x = 0; x < (size_t)width; x++) {
            const unsigned char *p = bits == 8 ? palette + 4 * (line[x] < colours ? line[x] : 0) : line + x * bits / 8;
            if (channels == 1) *to++ = p[0];
            else *to++ = p[2], *to++ = p[1], *to++ = p[0];
            if (alpha) *to++ = p[3];
        }
    }
    return RW_OK;
}

static void put32(unsigned char *p, size_t v)
{
    for (int i = 0; i < 4; i++) p[i] = (unsigned char)(v >> 8 * i);
}

static rw_status write_raster(rw_io_stream *s, const rw_raster *r)
{
    unsigned char head[54] = {'B', 'M'}, palette[1024];
    const size_t bits = r->channels == 1 ? 8 : 24, row = (r->width * bits / 8 + 3) / 4 * 4,
                 from = r->channels == 1 ? 1078 : 54;
    if (row * r->height > 0x7fffffff - from)
        return rw_fail(s->ctx, RW_ERR_ARGUMENT, "%s: a BMP file of more than 2 GB cannot be written: write .png",
                       s->path);
    put32(head + 2, from + row * r->height), put32(head + 10, from), put32(head + 14, 40), put32(head + 18, r->width);
    put32(head + 22, r->height), head[26] = 1, head[28] = (unsigned char)bits, put32(head + 34, row * r->height);
    put32(head + 38, 2835), put32(head + 42, 2835); /* 72 pixels an inch */
    RW_TRY(rw_io_write(s, head, sizeof head));
    for (int i = 0; i < 1024; i++) palette[i] = i % 4 == 3 ? 0 : (unsigned char)(i / 4);
    if (r->channels == 1) RW_TRY(rw_io_write(s, palette, sizeof palette));
    unsigned char *line = rw_calloc(row, 1);
    if (!line) return rw_fail_memory(s->ctx, row, s->path);
    rw_status status = RW_OK;
    for (size_t y = r->height; y-- > 0 && status == RW_OK;) {
        const uint8_t *p = (const uint8_t *)r->samples + y * r->width * (size_t)r->channels;
        if (r->channels == 1) memcpy(line, p, r->width);
        else
            for (size_t x = 0; x < r->width; x++)
                line[3 * x] = p[3 * x + 2], line[3 * x + 1] = p[3 * x + 1], line[3 * x + 2] = p[3 * x];
        status = rw_io_write(s, line, row);
    }
    rw_free(line);
    return status;
}

static bool is(const unsigned char *start, size_t n) { return n > 1 && start[0] == 'B' && start[1] == 'M'; }

const rw_raster_format rw_raster_bmp = {"BMP", {".bmp"}, false, false, is, parse, write_raster};
