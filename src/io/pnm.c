/* PNM (see pnm.h):  "P5" width height maximum <one white space> samples.  Plain formats (P2, P3) hold decimal numbers.
 *
 * The whole file is in memory while it is parsed; the pixels get theirs after the sizes agree with its length. */
#include "io/pnm.h"

#include <math.h>
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

static rw_status take_sample(cursor *c, bool plain, size_t maximum, double *value)
{
    size_t n;
    if (plain) {
        RW_TRY(take_number(c, "a sample", maximum, &n));
    } else {
        n = maximum > 255 ? (size_t)c->at[0] * 256 + c->at[1] : c->at[0];
        c->at += maximum > 255 ? 2 : 1;
        if (n > maximum) n = maximum; /* netpbm leaves it open; clamped like its own tools do */
    }
    *value = (double)n / (double)maximum;
    return RW_OK;
}

static rw_status parse(cursor *c, size_t max_pixels, rw_picture *picture)
{
    size_t width, height, maximum;
    int kind = c->end - c->at > 2 && c->at[0] == 'P' ? c->at[1] : 0;
    if (kind != '2' && kind != '3' && kind != '5' && kind != '6')
        return rw_fail(c->ctx, RW_ERR_INPUT, "%s: is not a PNM picture of kind P2, P3, P5 or P6", c->name);
    bool plain = kind < '5';
    size_t channels = kind == '3' || kind == '6' ? 3 : 1;
    c->at += 2;
    RW_TRY(take_number(c, "the width", 1 << 30, &width));
    RW_TRY(take_number(c, "the height", 1 << 30, &height));
    RW_TRY(take_number(c, "the maximum", 65535, &maximum));
    if (maximum == 0 || c->at == c->end || !is_space(*c->at))
        return rw_fail(c->ctx, RW_ERR_INPUT, "%s: PNM: maximum %zu: 1 to 65535 and a space after it are allowed",
                       c->name, maximum);
    c->at++;
    size_t sample = plain ? 2 : maximum > 255 ? 2 : 1, need; /* plain: a digit and a space, but for the last */
    if (!rw_io_bytes(4, (size_t[]){width, height, channels, sample}, 1, &need) ||
        need > (size_t)(c->end - c->at) + (plain ? 1 : 0))
        return rw_fail(c->ctx, RW_ERR_INPUT, "%s: %zu x %zu pixels need more than the %zu bytes there: truncated",
                       c->name, width, height, (size_t)(c->end - c->at));
    RW_TRY(rw_picture_create(c->ctx, c->name, width, height, max_pixels, picture));
    for (size_t i = 0; i < width * height; i++) {
        double v[3] = {0};
        for (size_t k = 0; k < channels; k++) RW_TRY(take_sample(c, plain, maximum, &v[k]));
        picture->grey[i] = channels == 1 ? v[0] : fmin(0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2], 1);
    }
    return RW_OK;
}

rw_status rw_pnm_parse(rw_context *ctx, const char *name, const void *bytes, size_t n, size_t max_pixels,
                       rw_picture *picture)
{
    cursor c = {ctx, name, bytes, (const unsigned char *)bytes + n};
    *picture = (rw_picture){0};
    rw_status status = parse(&c, max_pixels, picture);
    if (status != RW_OK) rw_picture_free(picture);
    return status;
}

rw_status rw_pnm_read(rw_context *ctx, const char *path, size_t max_pixels, rw_picture *picture)
{
    char *bytes;
    size_t n, limit = max_pixels ? max_pixels : RW_PICTURE_MAX_PIXELS;
    *picture = (rw_picture){0};
    RW_TRY(rw_file_read(ctx, path, limit > SIZE_MAX / 32 ? SIZE_MAX / 2 : limit * 12 + (1 << 20), &bytes, &n));
    rw_status status = rw_pnm_parse(ctx, path, bytes, n, max_pixels, picture);
    rw_free(bytes);
    return status;
}
