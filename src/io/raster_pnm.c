/* Portable any-map (http://netpbm.sourceforge.net/doc/pnm.html):  "P5" width height maximum <one white space> samples.
 *
 * P1 to P6, with comments in the header, and maximum 1 to 65535; of files with several pictures the first. P1 and P4
 * have bits, 1 is black; P2 and P3 decimal numbers. Written are P5 and P6. Not read: PAM (P7). */
#include "io/raster.h"

#include <string.h>

typedef struct cursor {
    rw_context *ctx;
    const char *name;
    const unsigned char *at, *end;
} cursor;

static bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The next decimal number; white space and comments before it are skipped. */
static rw_status take_number(cursor *c, const char *what, size_t limit, size_t *number)
{
    while (c->at < c->end && (is_space(*c->at) || *c->at == '#')) {
        if (*c->at == '#')
            while (c->at < c->end && *c->at != '\n') c->at++;
        else c->at++;
    }
    const unsigned char *start = c->at;
    size_t n = 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        n = n * 10 + (size_t)(*c->at - '0');
        if (n > limit) return rw_fail(c->ctx, RW_ERR_INPUT, "%s: PNM: %s is above %zu", c->name, what, limit);
    }
    if (c->at == start)
        return rw_fail(c->ctx, RW_ERR_INPUT, "%s: PNM: %s: a number is missing: damaged or truncated", c->name, what);
    *number = n;
    return RW_OK;
}

/* A bit of P1: a digit, with or without spaces. */
static rw_status take_bit(cursor *c, size_t *bit)
{
    while (c->at < c->end && (is_space(*c->at) || *c->at == '#')) {
        if (*c->at == '#')
            while (c->at < c->end && *c->at != '\n') c->at++;
        else c->at++;
    }
    if (c->at == c->end || (*c->at != '0' && *c->at != '1'))
        return rw_fail(c->ctx, RW_ERR_INPUT, "%s: PNM: a bit is missing: damaged or truncated", c->name);
    *bit = *c->at++ == '0';
    return RW_OK;
}

static rw_status fill(cursor *c, int kind, size_t maximum, rw_raster *r)
{
    const size_t row = r->width * (size_t)r->channels;
    for (size_t i = 0; i < row * r->height; i++) {
        size_t n = 0;
        switch (kind) {
        case '1': RW_TRY(take_bit(c, &n)); break;
        case '4': n = !(c->at[i / row * ((row + 7) / 8) + i % row / 8] >> (7 - i % row % 8) & 1); break;
        case '2':
        case '3': RW_TRY(take_number(c, "a sample", maximum, &n)); break;
        default:
            n = r->bytes == 2 ? (size_t)c->at[2 * i] * 256 + c->at[2 * i + 1] : c->at[i];
            if (n > maximum) n = maximum; /* netpbm leaves it open; clamped like its own tools do */
        }
        if (r->bytes == 2) ((uint16_t *)r->samples)[i] = (uint16_t)n;
        else ((uint8_t *)r->samples)[i] = (uint8_t)(maximum == 1 ? n * 255 : n);
    }
    if (maximum == 1) r->maximum = 255;
    return RW_OK;
}

static bool is(const unsigned char *start, size_t n)
{
    return n > 1 && start[0] == 'P' && start[1] >= '1' && start[1] <= '7';
}

static rw_status parse(rw_context *ctx, const char *name, const unsigned char *bytes, size_t n, size_t max_pixels,
                       rw_raster *r)
{
    cursor cursor_ = {ctx, name, bytes, bytes + n}, *c = &cursor_;
    size_t width, height, maximum = 1;
    const int kind = n > 2 ? bytes[1] : 0;
    if (kind < '1' || kind > '6') return rw_fail(ctx, RW_ERR_INPUT, "%s: is not a PNM picture of type P1 to P6", name);
    const bool bits = kind == '1' || kind == '4', plain = kind < '4';
    const int channels = kind == '3' || kind == '6' ? 3 : 1;
    c->at += 2;
    RW_TRY(take_number(c, "the width", 1 << 30, &width));
    RW_TRY(take_number(c, "the height", 1 << 30, &height));
    if (!bits) RW_TRY(take_number(c, "the maximum", 65535, &maximum));
    if (maximum == 0 || c->at == c->end || !is_space(*c->at))
        return rw_fail(ctx, RW_ERR_INPUT, "%s: PNM: maximum %zu: must be 1 to 65535, followed by a space", name,
                       maximum);
    c->at++;
    /* plain: a digit and a space, but for the last; bits of P1 stand without spaces */
    size_t sample = plain && !bits ? 2 : maximum > 255 ? 2 : 1, need;
    const size_t row = kind == '4' ? (width + 7) / 8 : width;
    if (!rw_io_bytes(4, (size_t[]){row, height, (size_t)channels, sample}, 1, &need) ||
        need > (size_t)(c->end - c->at) + (plain ? 1 : 0))
        return rw_fail(ctx, RW_ERR_INPUT, "%s: %zu x %zu pixels need more than the %zu bytes of the file: truncated",
                       name, width, height, (size_t)(c->end - c->at));
    RW_TRY(rw_raster_create(ctx, name, width, height, channels, maximum > 255 ? 2 : 1, max_pixels, r));
    r->maximum = (unsigned)maximum;
    RW_TRY(fill(c, kind, maximum, r));
    if (!plain) c->at += need;
    while (c->at < c->end && is_space(*c->at)) c->at++;
    if (c->end - c->at > 2 && is(c->at, 2) && is_space(c->at[2])) r->pages = -1;
    return RW_OK;
}

static rw_status write_raster(rw_io_file *s, const rw_raster *r)
{
    char head[64];
    const size_t row = r->width * (size_t)r->channels;
    const int n = snprintf(head, sizeof head, "P%c\n%zu %zu\n%u\n", r->channels == 3 ? '6' : '5', r->width, r->height,
                           r->maximum);
    RW_TRY(rw_io_write(s, head, (size_t)n));
    if (r->bytes == 1) return rw_io_write(s, r->samples, row * r->height);
    unsigned char *line = rw_calloc(row, 2);
    if (!line) return rw_fail_memory(s->ctx, row * 2, s->path);
    rw_status status = RW_OK;
    for (size_t y = 0; y < r->height && status == RW_OK; y++) {
        for (size_t i = 0; i < row; i++) {
            const uint16_t v = ((const uint16_t *)r->samples)[y * row + i];
            line[2 * i] = (unsigned char)(v >> 8);
            line[2 * i + 1] = (unsigned char)v;
        }
        status = rw_io_write(s, line, row * 2);
    }
    rw_free(line);
    return status;
}

const rw_raster_format rw_raster_pnm = {"PNM",       {".pnm", ".pgm", ".ppm"}, true, false, false, false, is, parse,
                                        write_raster};
