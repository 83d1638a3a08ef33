/* TIFF through libtiff, where the build has found it: 8 and 16 bits, 1 to 4 samples, in strips or tiles, together or in
 * planes. Written in strips with LZW. */
#include "io/raster.h"

#include <string.h>

static bool is(const unsigned char *start, size_t n)
{
    return n > 3 && (!memcmp(start, "II*\0", 4) || !memcmp(start, "MM\0*", 4));
}

#ifdef RW_WITH_TIFF
#include <tiffio.h>

/* A file in memory that libtiff reads, or writes. */
typedef struct memory {
    unsigned char *bytes;
    size_t n, at, capacity;
    bool failed;
} memory;

static tmsize_t on_read(thandle_t h, void *to, tmsize_t n)
{
    memory *m = h;
    const size_t left = m->at < m->n ? m->n - m->at : 0, k = RW_MIN(left, (size_t)n);
    if (k) memcpy(to, m->bytes + m->at, k);
    m->at += k;
    return (tmsize_t)k;
}
static tmsize_t on_write(thandle_t h, void *from, tmsize_t n)
{
    memory *m = h;
    const size_t end = m->at + (size_t)n;
    if (end > m->capacity) {
        const size_t more = RW_MAX(end, 2 * m->capacity);
        unsigned char *bytes = rw_realloc(m->bytes, more);
        if (!bytes) return m->failed = true, 0;
        memset(bytes + m->capacity, 0, more - m->capacity);
        m->bytes = bytes, m->capacity = more;
    }
    memcpy(m->bytes + m->at, from, (size_t)n);
    m->at = end, m->n = RW_MAX(m->n, end);
    return n;
}
static toff_t on_seek(thandle_t h, toff_t at, int whence)
{
    memory *m = h;
    return m->at = (size_t)at + (whence == SEEK_CUR ? m->at : whence == SEEK_END ? m->n : 0);
}
static int on_close(thandle_t h) { return (void)h, 0; }
static toff_t on_size(thandle_t h) { return ((memory *)h)->n; }

static rw_status damaged(rw_context *ctx, const char *name, const char *what)
{
    return rw_fail(ctx, RW_ERR_INPUT,
                   "%s: TIFF: %s: the file is damaged or unsupported: convert it to 8 or 16 "
                   "bits, grey or RGB",
                   name, what);
}

/* Samples of a piece of `wide` x `high` pixels at (x0, y0), of all channels (plane -1) or of one, to the picture. */
static void place(rw_raster *r, const unsigned char *piece, size_t wide, size_t x0, size_t y0, size_t high, int plane)
{
    const size_t size = (size_t)r->bytes, n = plane < 0 ? (size_t)r->channels : 1;
    const size_t columns = RW_MIN(wide, r->width - x0), rows = RW_MIN(high, r->height - y0);
    for (size_t y = 0; y < rows; y++) {
        unsigned char *to = (unsigned char *)r->samples + ((y0 + y) * r->width + x0) * (size_t)r->channels * size;
        const unsigned char *from = piece + y * wide * n * size;
        if (plane < 0) memcpy(to, from, columns * n * size);
        else
            for (size_t x = 0; x < columns; x++)
                memcpy(to + (x * (size_t)r->channels + (size_t)plane) * size, from + x * size, size);
    }
}

static rw_status decode(rw_context *ctx, const char *name, TIFF *t, size_t n, size_t max_pixels, rw_raster *r)
{
    uint32_t width = 0, height = 0, wide, high;
    uint16_t bits = 1, samples = 1, format = SAMPLEFORMAT_UINT, photometric = PHOTOMETRIC_MINISBLACK,
             planes = PLANARCONFIG_CONTIG;
    TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &width), TIFFGetField(t, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(t, TIFFTAG_BITSPERSAMPLE, &bits), TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLEFORMAT, &format), TIFFGetFieldDefaulted(t, TIFFTAG_PLANARCONFIG, &planes);
    TIFFGetField(t, TIFFTAG_PHOTOMETRIC, &photometric);
    if ((bits != 8 && bits != 16) || samples < 1 || samples > 4 || format != SAMPLEFORMAT_UINT)
        return damaged(ctx, name, "bits, samples or their format");
    if (photometric != PHOTOMETRIC_MINISBLACK && photometric != PHOTOMETRIC_MINISWHITE &&
        photometric != PHOTOMETRIC_RGB)
        return damaged(ctx, name, "the colour space");
    /* what a strip or tile of no file can be unpacked from is not worth memory: LZW and deflate make at most about 1500
     * of one */
    if ((uint64_t)width * height * samples * (bits / 8) / 2048 > n)
        return rw_fail(ctx, RW_ERR_INPUT, "%s: %u x %u pixels do not fit in %zu bytes: truncated", name, width, height,
                       n);
    RW_TRY(rw_raster_create(ctx, name, width, height, samples, bits / 8, max_pixels, r));
    const bool tiled = TIFFIsTiled(t), separate = planes == PLANARCONFIG_SEPARATE && samples > 1;
    if (tiled) {
        if (!TIFFGetField(t, TIFFTAG_TILEWIDTH, &wide) || !TIFFGetField(t, TIFFTAG_TILELENGTH, &high))
            return damaged(ctx, name, "the tiles");
    } else {
        wide = width, high = height;
        TIFFGetFieldDefaulted(t, TIFFTAG_ROWSPERSTRIP, &high);
        high = RW_MIN(high, height);
    }
    const size_t want = (size_t)wide * high * (separate ? 1 : samples) * (bits / 8);
    const tmsize_t size = tiled ? TIFFTileSize(t) : TIFFStripSize(t);
    if (!wide || !high || size <= 0 || (size_t)size < want || (size_t)size > want + (1 << 20))
        return damaged(ctx, name, "the strips or tiles");
    if ((uint64_t)size / 2048 > n) return damaged(ctx, name, "a strip or tile larger than the file");
    unsigned char *piece = rw_calloc((size_t)size, 1);
    if (!piece) return rw_fail_memory(ctx, (size_t)size, name);
    rw_status status = RW_OK;
    for (int plane = 0; plane < (separate ? samples : 1); plane++)
        for (uint32_t y = 0; y < height && status == RW_OK; y += high)
            for (uint32_t x = 0; x < width && status == RW_OK; x += wide) {
                const tmsize_t got =
                    tiled ? TIFFReadEncodedTile(t, TIFFComputeTile(t, x, y, 0, (uint16_t)plane), piece, size)
                          : TIFFReadEncodedStrip(t, TIFFComputeStrip(t, y, (uint16_t)plane), piece, size);
                const size_t rows = tiled ? high : RW_MIN(high, height - y);
                if (got < 0 || (size_t)got < want / high * rows) status = damaged(ctx, name, "a strip or tile");
                else place(r, piece, wide, x, y, high, separate ? plane : -1);
            }
    rw_free(piece);
    if (status == RW_OK && photometric == PHOTOMETRIC_MINISWHITE)
        for (size_t i = 0, all = r->width * r->height * (size_t)r->channels; i < all; i++) {
            if (r->channels == 2 && i % 2) continue;
            if (r->bytes == 2) ((uint16_t *)r->samples)[i] = (uint16_t)(65535 - ((uint16_t *)r->samples)[i]);
            else ((uint8_t *)r->samples)[i] = (uint8_t)(255 - ((uint8_t *)r->samples)[i]);
        }
    return status;
}

static void quiet(void) { TIFFSetErrorHandler(NULL), TIFFSetWarningHandler(NULL); /* a library prints nothing */ }

static rw_status parse(rw_context *ctx, const char *name, const unsigned char *bytes, size_t n, size_t max_pixels,
                       rw_raster *r)
{
    memory m = {.bytes = (unsigned char *)(uintptr_t)bytes, .n = n};
    quiet();
    TIFF *t = TIFFClientOpen(name, "rm", &m, on_read, on_write, on_seek, on_close, on_size, NULL, NULL);
    if (!t) return damaged(ctx, name, "the header");
    rw_status status = decode(ctx, name, t, n, max_pixels, r);
    TIFFClose(t);
    return status;
}

static bool encode(TIFF *t, const rw_raster *r)
{
    const uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
    const size_t row = r->width * (size_t)r->channels * (size_t)r->bytes;
    const uint32_t rows = (uint32_t)RW_MAX(1, RW_MIN(r->height, (1 << 20) / RW_MAX(row, 1)));
    TIFFSetField(t, TIFFTAG_IMAGEWIDTH, (uint32_t)r->width), TIFFSetField(t, TIFFTAG_IMAGELENGTH, (uint32_t)r->height);
    TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, 8 * r->bytes), TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, r->channels);
    TIFFSetField(t, TIFFTAG_PHOTOMETRIC, r->channels < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
    TIFFSetField(t, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG), TIFFSetField(t, TIFFTAG_COMPRESSION, COMPRESSION_LZW);
    TIFFSetField(t, TIFFTAG_PREDICTOR, 2), TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, rows);
    if (r->channels % 2 == 0) TIFFSetField(t, TIFFTAG_EXTRASAMPLES, 1, &alpha);
    unsigned char *strip = rw_calloc(rows, row); /* libtiff changes what it is given */
    bool good = strip != NULL;
    for (size_t y = 0, s = 0; y < r->height && good; y += rows, s++) {
        const size_t n = RW_MIN(rows, r->height - y) * row;
        memcpy(strip, (const unsigned char *)r->samples + y * row, n);
        good = TIFFWriteEncodedStrip(t, (uint32_t)s, strip, (tmsize_t)n) >= 0;
    }
    rw_free(strip);
    return good;
}

static rw_status write_raster(rw_io_stream *s, const rw_raster *r)
{
    memory m = {0};
    quiet();
    TIFF *t = TIFFClientOpen(s->path, "wm", &m, on_read, on_write, on_seek, on_close, on_size, NULL, NULL);
    bool good = t && encode(t, r) && TIFFFlush(t);
    if (t) TIFFClose(t);
    rw_status status = good && !m.failed ? rw_io_write(s, m.bytes, m.n) : rw_fail_memory(s->ctx, m.n, "a TIFF file");
    rw_free(m.bytes);
    return status;
}
#else
static rw_status parse(rw_context *ctx, const char *name, const unsigned char *bytes, size_t n, size_t max_pixels,
                       rw_raster *r)
{
    (void)bytes, (void)n, (void)max_pixels, (void)r;
    return rw_fail(ctx, RW_ERR_UNSUPPORTED,
                   "%s: this build has no TIFF support: install libtiff-dev and build again, or convert to PNG", name);
}
static rw_status write_raster(rw_io_stream *s, const rw_raster *r)
{
    (void)r;
    return rw_fail(s->ctx, RW_ERR_UNSUPPORTED,
                   "%s: this build has no TIFF support: install libtiff-dev and build again, or write .png", s->path);
}
#endif

const rw_raster_format rw_raster_tiff = {"TIFF", {".tif", ".tiff"}, true, true, is, parse, write_raster};
