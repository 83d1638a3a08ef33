/* The one tag of EXIF that changes what a picture shows: its orientation. An EXIF block is a TIFF file without pixels:
 *
 *   "II" 42(2) offset(4)   (or "MM", high byte first)   at offset: entries(2), entries of 12 bytes: tag(2) type(2)
 *   count(4) value(4)
 *
 * Source: CIPA DC-008, Exchangeable image file format for digital still cameras: Exif 2.32, 2019, 4.6.4. */
#include "io/raster.h"

#include <string.h>

enum { ORIENTATION = 0x112, SHORT = 3 };

static uint32_t number(const unsigned char *p, int n, bool high_first)
{
    uint32_t v = 0;
    for (int i = 0; i < n; i++) v |= (uint32_t)p[i] << 8 * (high_first ? n - 1 - i : i);
    return v;
}

int rw_exif_orientation(const unsigned char *b, size_t n)
{
    if (n >= 6 && !memcmp(b, "Exif\0\0", 6)) {
        b += 6;
        n -= 6;
    }
    if (n < 8 || (memcmp(b, "II*\0", 4) != 0 && memcmp(b, "MM\0*", 4) != 0)) return 0;
    const bool high = b[0] == 'M';
    const size_t at = number(b + 4, 4, high);
    if (at > n - 2) return 0;
    const size_t entries = number(b + at, 2, high);
    for (size_t i = 0; i < entries && 12 * (i + 1) <= n - at - 2; i++) {
        const unsigned char *entry = b + at + 2 + 12 * i;
        if (number(entry, 2, high) != ORIENTATION || number(entry + 2, 2, high) != SHORT) continue;
        const uint32_t value = number(entry + 8, 2, high);
        return value >= 1 && value <= 8 ? (int)value : 0;
    }
    return 0;
}

void rw_exif_make(int orientation, unsigned char block[RW_EXIF_BYTES])
{
    static const unsigned char start[RW_EXIF_BYTES] = "MM\0*\0\0\0\10\0\1\1\22\0\3\0\0\0\1";
    memcpy(block, start, RW_EXIF_BYTES);
    block[19] = (unsigned char)orientation;
}

/* Where the pixel (x, y) of the file is shown. The value names the sides that the first row and the first column of the
 * file are on: 1 top left, 2 top right, 3 bottom right, 4 bottom left, 5 left top, 6 right top, 7 right bottom, 8 left
 * bottom. */
static size_t shown_at(const rw_raster *r, size_t x, size_t y)
{
    const size_t w = r->width, h = r->height;
    switch (r->orientation) {
    case 2: return y * w + w - 1 - x;
    case 3: return (h - 1 - y) * w + w - 1 - x;
    case 4: return (h - 1 - y) * w + x;
    case 5: return x * h + y;
    case 6: return x * h + h - 1 - y;
    case 7: return (w - 1 - x) * h + h - 1 - y;
    case 8: return (w - 1 - x) * h + y;
    default: return y * w + x;
    }
}

rw_status rw_raster_orient(rw_context *ctx, const char *name, rw_raster *r)
{
    const size_t pixel = (size_t)r->channels * (size_t)r->bytes, all = r->width * r->height * pixel;
    if (r->orientation > 1) {
        unsigned char *to = rw_calloc(all, 1);
        if (!to) return rw_fail_memory(ctx, all, name);
        const unsigned char *from = r->samples;
        for (size_t y = 0; y < r->height; y++)
            for (size_t x = 0; x < r->width; x++, from += pixel) memcpy(to + shown_at(r, x, y) * pixel, from, pixel);
        rw_free(r->samples);
        r->samples = to;
    }
    if (r->orientation > 4) {
        const size_t width = r->width;
        r->width = r->height;
        r->height = width;
    }
    r->orientation = 0;
    return RW_OK;
}
