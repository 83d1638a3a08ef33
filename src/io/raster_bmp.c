/* BMP of Windows and OS/2: 1, 2, 4 and 8 bits with a palette, 16, 24 and 32 bits with or without masks, RLE4, RLE8 and
 * RLE24, bottom-up or top-down; a PNG or JPEG within a BMP. Rows are padded to 4 bytes.
 *
 *   "BM" size(4) 0(4) offset(4) | header | masks, where they follow the header | palette | rows, from `offset` on
 *
 * The header begins with its own size, which gives its version; members beyond its end are 0.
 *
 *   12      size(4) width(2) height(2) planes(2) bits(2); palette entries have 3 bytes (OS/2 1)
 *   16, 64  as 40, shorter or longer (OS/2 2)
 *   40      size(4) width(4) height(4) planes(2) bits(2) compression(4) bytes(4) density(8) colours(4) important(4)
 *   52      and masks of red, green, blue (12); 56, 108, 124: and of alpha (4); with 40 the masks follow the header
 *
 * A mask selects adjacent bits of a pixel. Its values 0 … 2^k - 1 are scaled to 8 bits per sample, or to 16 where a
 * mask has more than 8 bits. Without masks, 16 bits are 5 for each colour and the fourth byte of 32 bits has no
 * meaning. Palette indices beyond the table are black. Pixels that run-length encoding leaves out have colour 0.
 * Written are 8 bits with a grey palette and 24 bits. Not read: Huffman coding (OS/2 2).
 * Source: Microsoft, Bitmap Storage and BITMAPV5HEADER (Windows GDI); IBM, OS/2 Presentation Manager Programming
 * Reference, 1994. */
#include "io/raster.h"

#include <string.h>

enum { PLAIN, RLE8, RLE4, FIELDS, JPEG, PNG, ALPHA_FIELDS, RLE24 };

typedef struct bmp {
    rw_context *ctx;
    const char *name;
    const unsigned char *b;
    size_t n, from; /* bytes of the file; where the rows begin */
    size_t header, width, height, colours;
    uint32_t bits, packed;
    uint32_t mask[4];        /* of red, green, blue, alpha */
    uint8_t palette[256][3]; /* red, green, blue */
    bool down, grey;         /* the first row is the top one; all colours of the palette are grey */
} bmp;

static uint32_t get32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static uint32_t get16(const unsigned char *p) { return p[0] | (uint32_t)p[1] << 8; }

static rw_status damaged(const bmp *f, const char *what)
{
    return rw_fail(f->ctx, RW_ERR_INPUT, "%s: BMP: %s: the file is damaged, export the picture again", f->name, what);
}

static rw_status truncated(const bmp *f)
{
    return rw_fail(f->ctx, RW_ERR_INPUT, "%s: %zu x %zu pixels need more than the %zu bytes of the file: truncated",
                   f->name, f->width, f->height, f->from > f->n ? 0 : f->n - f->from);
}

/* A member of the header; one beyond its end is 0. */
static uint32_t member(const bmp *f, size_t at) { return at + 4 <= f->header ? get32(f->b + 14 + at) : 0; }

static bool is_supported(uint32_t packed, uint32_t bits)
{
    switch (packed) {
    case PLAIN: return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16 || bits == 24 || bits == 32;
    case RLE8: return bits == 8;
    case RLE4: return bits == 4;
    case FIELDS:
    case ALPHA_FIELDS: return bits == 16 || bits == 32;
    case RLE24: return bits == 24;
    default: return packed == JPEG || packed == PNG;
    }
}

static rw_status read_header(bmp *f)
{
    if (f->n < 26) return damaged(f, "the header is truncated");
    f->from = get32(f->b + 10);
    f->header = get32(f->b + 14);
    const bool core = f->header == 12;
    if (!core && (f->header < 16 || f->header > 4096)) return damaged(f, "a header of an unknown version");
    if (f->header > f->n - 14) return damaged(f, "the header is truncated");
    const int64_t width = core ? (int64_t)get16(f->b + 18) : (int32_t)get32(f->b + 18),
                  rows = core ? (int64_t)get16(f->b + 20) : (int32_t)get32(f->b + 22);
    if (width <= 0) return damaged(f, "the width is not positive");
    f->width = (size_t)width;
    f->height = (size_t)(rows < 0 ? -rows : rows);
    f->down = rows < 0;
    f->bits = get16(f->b + 14 + (core ? 10 : 14));
    f->packed = core ? PLAIN : member(f, 16);
    if (f->header == 64 && f->packed == 4) f->packed = RLE24;
    if (f->packed == FIELDS && f->bits == 1)
        return rw_fail(f->ctx, RW_ERR_INPUT, "%s: BMP with Huffman coding (OS/2) is not supported: convert it to PNG",
                       f->name);
    if (!is_supported(f->packed, f->bits))
        return rw_fail(f->ctx, RW_ERR_INPUT,
                       "%s: BMP of %u bits with compression %u is not supported: convert it to PNG, or to BMP of 1, 2, "
                       "4, 8, 16, 24 or 32 bits",
                       f->name, f->bits, f->packed);
    if (f->from < 14 + f->header || f->from > f->n) return damaged(f, "the pixels begin outside of the file");
    return RW_OK;
}

/* A mask selects adjacent bits; 0: none. */
static bool is_mask(uint32_t mask, uint32_t bits)
{
    const uint64_t low = mask & (~mask + 1), next = mask + (uint64_t)low;
    return (next & (next - 1)) == 0 && (bits == 32 || mask >> bits == 0);
}

/* The masks, of compressions that have none too; `*after`: the end of header and masks. */
static rw_status read_masks(bmp *f, size_t *after)
{
    static const uint32_t fives[3] = {0x7c00, 0x3e0, 0x1f}, bytes[3] = {0xff0000, 0xff00, 0xff};
    *after = 14 + f->header;
    if (f->packed != FIELDS && f->packed != ALPHA_FIELDS) {
        memcpy(f->mask, f->bits == 16 ? fives : bytes, sizeof bytes);
        return RW_OK;
    }
    const int given = f->packed == ALPHA_FIELDS || f->header >= 56 ? 4 : 3;
    if (f->header < 52) *after += 4 * (size_t)given;
    if (*after > f->n || 54 + 4 * (size_t)given > f->n) return damaged(f, "the masks are truncated");
    for (int c = 0; c < given; c++) {
        f->mask[c] = get32(f->b + 54 + 4 * c); /* after the first 40 bytes of every header */
        if (!is_mask(f->mask[c], f->bits)) return damaged(f, "a mask of bits that are not adjacent");
    }
    return f->mask[0] | f->mask[1] | f->mask[2] ? RW_OK : damaged(f, "the masks of all colours are 0");
}

static rw_status read_palette(bmp *f, size_t at)
{
    const size_t entry = f->header == 12 ? 3 : 4, room = f->from > at ? (f->from - at) / entry : 0,
                 most = (size_t)1 << f->bits;
    const uint32_t used = member(f, 32);
    f->colours = used && used < most ? used : most;
    f->colours = RW_MIN(f->colours, room); /* a number of 0: the palette extends to the pixels */
    if (!f->colours) return damaged(f, "the palette is missing");
    f->grey = true;
    for (size_t i = 0; i < f->colours; i++)
        for (int c = 0; c < 3; c++) {
            f->palette[i][c] = f->b[at + entry * i + 2 - (size_t)c];
            f->grey = f->grey && f->palette[i][c] == f->palette[i][0];
        }
    return RW_OK;
}

/* ---- pixels ------------------------------------------------------------------------------------------------------ */

/* Row y of those that follow one another in the file. */
static size_t row_of(const bmp *f, size_t y) { return f->down ? y : f->height - 1 - y; }

static void set(rw_raster *r, size_t i, const uint8_t colour[3])
{
    memcpy((uint8_t *)r->samples + i * (size_t)r->channels, colour, (size_t)r->channels);
}

static void fill_indices(const bmp *f, size_t row, rw_raster *r)
{
    const uint32_t bits = f->bits, last = (1U << bits) - 1;
    for (size_t y = 0; y < f->height; y++) {
        const unsigned char *line = f->b + f->from + y * row;
        for (size_t x = 0; x < f->width; x++) {
            const size_t bit = x * bits;
            set(r, row_of(f, y) * f->width + x, f->palette[line[bit / 8] >> (8 - bits - bit % 8) & last]);
        }
    }
}

/* Pixels of 2 to 4 bytes, lowest first, of which masks select samples. */
static void fill_masked(const bmp *f, size_t row, rw_raster *r)
{
    const size_t bytes = f->bits / 8, white = r->maximum;
    int shift[4] = {0};
    for (int c = 0; c < r->channels; c++)
        while (f->mask[c] && !(f->mask[c] >> shift[c] & 1)) shift[c]++;
    for (size_t y = 0; y < f->height; y++) {
        const unsigned char *p = f->b + f->from + y * row;
        size_t to = row_of(f, y) * f->width * (size_t)r->channels;
        for (size_t x = 0; x < f->width; x++, p += bytes) {
            const uint32_t v =
                bytes == 2 ? get16(p) : get16(p) | (uint32_t)p[2] << 16 | (bytes == 4 ? (uint32_t)p[3] << 24 : 0);
            for (int c = 0; c < r->channels; c++, to++) {
                const uint64_t most = f->mask[c] >> shift[c], part = (v & f->mask[c]) >> shift[c],
                               level = most == white ? part
                                       : most        ? (part * white + most / 2) / most
                                                     : 0;
                if (r->bytes == 2) ((uint16_t *)r->samples)[to] = (uint16_t)level;
                else ((uint8_t *)r->samples)[to] = (uint8_t)level;
            }
        }
    }
}

/* Runs: n > 0 and a colour: n pixels (RLE4: of two colours in turn). 0 0: the next row; 0 1: the end; 0 2 dx dy: the
 * place moves; 0 n: n pixels as they are, padded to 2 bytes. */
static rw_status fill_runs(const bmp *f, rw_raster *r)
{
    const unsigned char *p = f->b + f->from, *end = f->b + f->n;
    const size_t width = f->packed == RLE24 ? 3 : 1;
    size_t x = 0, y = 0;
    for (size_t i = 0; i < f->width * f->height; i++) set(r, i, f->palette[0]);
    while (y < f->height && end - p >= 2) {
        const bool run = p[0] > 0;
        const size_t n = run ? p[0] : p[1];
        if (!run && n < 3) {
            p += 2;
            if (n == 0) {
                x = 0;
                y++;
            }
            if (n == 1) return RW_OK;
            if (n == 2 && end - p < 2) return truncated(f);
            if (n == 2) {
                x += p[0];
                y += p[1];
                p += 2;
            }
            continue;
        }
        const unsigned char *q = run ? p + 1 : p + 2;
        const size_t values = run                 ? width
                              : f->packed == RLE4 ? (n + 1) / 2
                                                  : n * width,
                     bytes = run ? values : (values + 1) / 2 * 2;
        if ((size_t)(end - q) < values) return truncated(f);
        for (size_t i = 0; i < n && x < f->width; i++, x++) {
            const size_t k = run ? 0 : i, at = row_of(f, y) * f->width + x;
            if (f->packed == RLE24) set(r, at, (uint8_t[]){q[3 * k + 2], q[3 * k + 1], q[3 * k]});
            else if (f->packed == RLE8) set(r, at, f->palette[q[k]]);
            else set(r, at, f->palette[q[k / 2] >> (i % 2 ? 0 : 4) & 15]);
        }
        p = (size_t)(end - q) < bytes ? end : q + bytes;
    }
    return y >= f->height || (y + 1 == f->height && x >= f->width) ? RW_OK : truncated(f);
}

/* A whole file of another format in the place of rows. */
static rw_status parse_within(const bmp *f, size_t max_pixels, rw_raster *r)
{
    const rw_raster_format *format = f->packed == PNG ? &rw_raster_png : &rw_raster_jpeg;
    if (!format->is(f->b + f->from, f->n - f->from)) return damaged(f, "there is no picture in it");
    return format->parse(f->ctx, f->name, f->b + f->from, f->n - f->from, max_pixels, r);
}

/* The ICC profile that a header of 124 bytes places in the file; one outside of the file is none. */
static rw_status read_profile(const bmp *f, rw_raster *r)
{
    enum { EMBEDDED = 0x4d424544 }; /* "MBED" */
    if (f->header < 124 || member(f, 56) != EMBEDDED) return RW_OK;
    const size_t at = 14 + (size_t)member(f, 112), n = member(f, 116);
    return at > f->n || n > f->n - at ? RW_OK : rw_raster_set_profile(f->ctx, f->name, f->b + at, n, r);
}

static rw_status parse(rw_context *ctx, const char *name, const unsigned char *b, size_t n, size_t max_pixels,
                       rw_raster *r)
{
    bmp file = {.ctx = ctx, .name = name, .b = b, .n = n}, *f = &file;
    size_t after;
    bool deep = false;
    RW_TRY(read_header(f));
    if (f->packed == JPEG || f->packed == PNG) return parse_within(f, max_pixels, r);
    RW_TRY(read_masks(f, &after));
    if (f->bits <= 8) RW_TRY(read_palette(f, after));
    const bool runs = f->packed == RLE8 || f->packed == RLE4 || f->packed == RLE24;
    const size_t row = (f->width * f->bits + 31) / 32 * 4;
    if (!runs && (n - f->from) / row < f->height) return truncated(f);
    for (int c = 0; c < 4; c++) deep = deep || __builtin_popcount(f->mask[c]) > 8;
    RW_TRY(rw_raster_create(ctx, name, f->width, f->height,
                            f->grey      ? 1
                            : f->mask[3] ? 4
                                         : 3,
                            deep ? 2 : 1, max_pixels, r));
    RW_TRY(read_profile(f, r));
    if (runs) return fill_runs(f, r);
    if (f->bits <= 8) fill_indices(f, row, r);
    else fill_masked(f, row, r);
    return RW_OK;
}

static void put32(unsigned char *p, size_t v)
{
    for (int i = 0; i < 4; i++) p[i] = (unsigned char)(v >> 8 * i);
}

static rw_status write_raster(rw_io_file *s, const rw_raster *r)
{
    unsigned char head[54] = {'B', 'M'}, palette[1024];
    const size_t bits = r->channels == 1 ? 8 : 24, row = (r->width * bits / 8 + 3) / 4 * 4,
                 from = r->channels == 1 ? 1078 : 54;
    if (row * r->height > 0x7fffffff - from)
        return rw_fail(s->ctx, RW_ERR_ARGUMENT, "%s: a BMP file of more than 2 GB cannot be written: write .png",
                       s->path);
    put32(head + 2, from + row * r->height);
    put32(head + 10, from);
    put32(head + 14, 40);
    put32(head + 18, r->width);
    put32(head + 22, r->height);
    head[26] = 1;
    head[28] = (unsigned char)bits;
    put32(head + 34, row * r->height);
    put32(head + 38, 2835);
    put32(head + 42, 2835); /* 72 pixels an inch */
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
            for (size_t x = 0; x < r->width; x++) {
                line[3 * x] = p[3 * x + 2];
                line[3 * x + 1] = p[3 * x + 1];
                line[3 * x + 2] = p[3 * x];
            }
        status = rw_io_write(s, line, row);
    }
    rw_free(line);
    return status;
}

static bool is(const unsigned char *start, size_t n) { return n > 1 && start[0] == 'B' && start[1] == 'M'; }

const rw_raster_format rw_raster_bmp = {"BMP", {".bmp"}, false, false, false, false, is, parse, write_raster};
