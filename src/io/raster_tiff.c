/* TIFF and BigTIFF through libtiff, where the build has found it: 8 and 16 bits, 1 to 4 samples, in strips or tiles,
 * together or in planes; 1, 2 and 4 bits of grey; palettes. Colours multiplied by their alpha are divided by it. Of
 * several pages the first is read. Written in strips with LZW. */
#include "io/raster.h"

#include <string.h>

static bool is(const unsigned char *start, size_t n)
{
    static const char *const starts[] = {"II*\0", "MM\0*", "II+\0", "MM\0+"}; /* the last two: BigTIFF */
    for (int i = 0; i < RW_COUNT(starts) && n > 3; i++)
        if (!memcmp(start, starts[i], 4)) return true;
    return false;
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
        if (!bytes) {
            m->failed = true;
            return 0;
        }
        memset(bytes + m->capacity, 0, more - m->capacity);
        m->bytes = bytes;
        m->capacity = more;
    }
    memcpy(m->bytes + m->at, from, (size_t)n);
    m->at = end;
    m->n = RW_MAX(m->n, end);
    return n;
}
static toff_t on_seek(thandle_t h, toff_t at, int whence)
{
    memory *m = h;
    return m->at = (size_t)at + (whence == SEEK_CUR ? m->at : whence == SEEK_END ? m->n : 0);
}
static int on_close(thandle_t h RW_UNUSED) { return 0; }
static toff_t on_size(thandle_t h) { return ((memory *)h)->n; }

static rw_status damaged(rw_context *ctx, const char *name, const char *what)
{
    return rw_fail(ctx, RW_ERR_INPUT,
                   "%s: TIFF: %s: the file is damaged or unsupported: convert it to 8 or 16 "
                   "bits, grey or RGB",
                   name, what);
}

/* Tags of a page. */
typedef struct page {
    uint32_t width, height;
    uint16_t bits, samples, format, photometric, planes, compression;
    uint16_t *colours[3]; /* of a palette */
    int shift;            /* of a palette's values to 8 bits */
    bool deep;            /* 16 bits in the result */
    bool multiplied;      /* colours are multiplied by alpha */
} page;

static rw_status unsupported(rw_context *ctx, const char *name, const page *p, const char *what)
{
    static const char *const formats[] = {"?",     "unsigned integer", "signed integer",        "floating-point",
                                          "void?", "complex integer",  "complex floating-point"};
    static const char *const colours[] = {"white is 0", "black is 0",     "RGB",    "palette", "mask", "CMYK",
                                          "YCbCr",      "colour space 7", "CIE Lab"};
    return rw_fail(ctx, RW_ERR_INPUT,
                   "%s: TIFF of %u sample%s per pixel, %u bits, %s, %s: %s is not supported: convert it to 8 or 16 "
                   "bits, grey or RGB",
                   name, p->samples, p->samples == 1 ? "" : "s", p->bits,
                   p->format < RW_COUNT(formats) ? formats[p->format] : "?",
                   p->photometric < RW_COUNT(colours) ? colours[p->photometric] : "a private colour space", what);
}

/* Palettes store colours of 8 bits times 257, times 256 or, in malformed files, unscaled. Other values are colours of
 * 16 bits. */
static void read_palette(page *p)
{
    bool small = true;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 1 << p->bits; i++) {
            const unsigned v = p->colours[c][i];
            small = small && v < 256;
            p->deep = p->deep || (v % 257 != 0 && v % 256 != 0);
        }
    p->deep = p->deep && !small;
    p->shift = small ? 0 : 8;
}

static rw_status read_page(rw_context *ctx, const char *name, TIFF *t, page *p)
{
    uint16_t nextra = 0, *extra = NULL;
    *p = (page){.photometric = PHOTOMETRIC_MINISBLACK};
    TIFFGetField(t, TIFFTAG_IMAGEWIDTH, &p->width);
    TIFFGetField(t, TIFFTAG_IMAGELENGTH, &p->height);
    TIFFGetFieldDefaulted(t, TIFFTAG_BITSPERSAMPLE, &p->bits);
    TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLESPERPIXEL, &p->samples);
    TIFFGetFieldDefaulted(t, TIFFTAG_SAMPLEFORMAT, &p->format);
    TIFFGetFieldDefaulted(t, TIFFTAG_PLANARCONFIG, &p->planes);
    TIFFGetFieldDefaulted(t, TIFFTAG_COMPRESSION, &p->compression);
    TIFFGetField(t, TIFFTAG_PHOTOMETRIC, &p->photometric);
    const bool palette = p->photometric == PHOTOMETRIC_PALETTE, whole = p->bits == 8 || p->bits == 16;
    if (!TIFFIsCODECConfigured(p->compression)) return unsupported(ctx, name, p, "its compression");
    if (p->format != SAMPLEFORMAT_UINT && p->format != SAMPLEFORMAT_VOID)
        return unsupported(ctx, name, p, "this type of samples");
    if (!palette && p->photometric != PHOTOMETRIC_MINISBLACK && p->photometric != PHOTOMETRIC_MINISWHITE &&
        p->photometric != PHOTOMETRIC_RGB)
        return unsupported(ctx, name, p, "this colour space");
    if (p->samples < 1 || p->samples > 4 || (palette && p->samples != 1) ||
        (p->photometric == PHOTOMETRIC_RGB && p->samples < 3))
        return unsupported(ctx, name, p, "this number of samples");
    if (!(whole && !(palette && p->bits == 16)) && !(p->samples == 1 && (p->bits == 1 || p->bits == 2 || p->bits == 4)))
        return unsupported(ctx, name, p, "this number of bits");
    if (palette && !TIFFGetField(t, TIFFTAG_COLORMAP, &p->colours[0], &p->colours[1], &p->colours[2]))
        return damaged(ctx, name, "the palette is missing");
    TIFFGetField(t, TIFFTAG_EXTRASAMPLES, &nextra, &extra);
    p->multiplied = nextra == 1 && extra[0] == EXTRASAMPLE_ASSOCALPHA && p->samples % 2 == 0;
    p->deep = p->bits == 16;
    if (palette) read_palette(p);
    return RW_OK;
}

/* Whole samples of a piece of `wide` x `high` pixels at (x0, y0), of all channels (plane -1) or of one, to the picture.
 */
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

/* The same for grey of 1, 2 and 4 bits, stretched to 8, and for palettes. */
static void place_indices(const page *p, rw_raster *r, const unsigned char *piece, size_t wide, size_t x0, size_t y0,
                          size_t high)
{
    const size_t columns = RW_MIN(wide, r->width - x0), rows = RW_MIN(high, r->height - y0), bits = p->bits,
                 line = (wide * bits + 7) / 8;
    const unsigned last = (1U << bits) - 1;
    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < columns; x++) {
            const unsigned v = piece[y * line + x * bits / 8] >> (8 - bits - x * bits % 8) & last;
            const size_t i = ((y0 + y) * r->width + x0 + x) * (size_t)r->channels;
            for (size_t c = 0; c < (size_t)r->channels; c++) {
                if (p->deep) ((uint16_t *)r->samples)[i + c] = p->colours[c][v];
                else
                    ((uint8_t *)r->samples)[i + c] =
                        (uint8_t)(p->colours[c] ? (unsigned)p->colours[c][v] >> p->shift : v * 255 / last);
            }
        }
}

static void negate(rw_raster *r)
{
    for (size_t i = 0, all = r->width * r->height * (size_t)r->channels; i < all; i++) {
        if (r->channels == 2 && i % 2) continue;
        if (r->bytes == 2) ((uint16_t *)r->samples)[i] = (uint16_t)(65535 - ((uint16_t *)r->samples)[i]);
        else ((uint8_t *)r->samples)[i] = (uint8_t)(255 - ((uint8_t *)r->samples)[i]);
    }
}

static unsigned level(const rw_raster *r, size_t i)
{
    return r->bytes == 2 ? ((const uint16_t *)r->samples)[i] : ((const uint8_t *)r->samples)[i];
}

/* colour <- colour/alpha; where alpha is 0, colours are 0 */
static void divide_by_alpha(rw_raster *r)
{
    const size_t n = (size_t)r->channels;
    for (size_t i = 0; i < r->width * r->height * n; i += n) {
        const uint64_t alpha = level(r, i + n - 1), white = r->maximum;
        for (size_t c = 0; c + 1 < n; c++) {
            const uint64_t v = alpha ? RW_MIN((level(r, i + c) * white + alpha / 2) / alpha, white) : 0;
            if (r->bytes == 2) ((uint16_t *)r->samples)[i + c] = (uint16_t)v;
            else ((uint8_t *)r->samples)[i + c] = (uint8_t)v;
        }
    }
}

static rw_status read_pieces(rw_context *ctx, const char *name, TIFF *t, const page *p, size_t n, size_t max_pixels,
                             rw_raster *r)
{
    const bool tiled = TIFFIsTiled(t), separate = p->planes == PLANARCONFIG_SEPARATE && p->samples > 1;
    const bool indices = p->bits < 8 || p->colours[0];
    uint32_t wide = p->width, high = p->height;
    if (tiled) {
        if (!TIFFGetField(t, TIFFTAG_TILEWIDTH, &wide) || !TIFFGetField(t, TIFFTAG_TILELENGTH, &high))
            return damaged(ctx, name, "the tiles");
    } else {
        TIFFGetFieldDefaulted(t, TIFFTAG_ROWSPERSTRIP, &high);
        high = RW_MIN(high, p->height);
    }
    const size_t line = ((size_t)wide * (separate ? 1 : p->samples) * p->bits + 7) / 8, want = line * high,
                 limit = max_pixels ? RW_MAX(8 * max_pixels, (size_t)1 << 20) : rw_raster_limit();
    const tmsize_t size = tiled ? TIFFTileSize(t) : TIFFStripSize(t);
    if (!wide || !high || size <= 0 || (size_t)size < want || (size_t)size > want + (1 << 20))
        return damaged(ctx, name, "the strips or tiles");
    if ((p->bits > 1 && (uint64_t)size / 2048 > n) || (size_t)size > limit)
        return damaged(ctx, name, "a strip or tile larger than the file");
    unsigned char *piece = rw_calloc((size_t)size, 1);
    if (!piece) return rw_fail_memory(ctx, (size_t)size, name);
    rw_status status = RW_OK;
    for (int plane = 0; plane < (separate ? p->samples : 1); plane++)
        for (uint32_t y = 0; y < p->height && status == RW_OK; y += high)
            for (uint32_t x = 0; x < p->width && status == RW_OK; x += wide) {
                const tmsize_t got =
                    tiled ? TIFFReadEncodedTile(t, TIFFComputeTile(t, x, y, 0, (uint16_t)plane), piece, size)
                          : TIFFReadEncodedStrip(t, TIFFComputeStrip(t, y, (uint16_t)plane), piece, size);
                const size_t rows = tiled ? high : RW_MIN(high, p->height - y);
                if (got < 0 || (size_t)got < line * rows) status = damaged(ctx, name, "a strip or tile");
                else if (indices) place_indices(p, r, piece, wide, x, y, high);
                else place(r, piece, wide, x, y, high, separate ? plane : -1);
            }
    rw_free(piece);
    return status;
}

static rw_status decode(rw_context *ctx, const char *name, TIFF *t, size_t n, size_t max_pixels, rw_raster *r)
{
    page p;
    void *profile = NULL;
    uint32_t profile_bytes = 0;
    uint16_t orientation = 0;
    RW_TRY(read_page(ctx, name, t, &p));
    /* refuse, before memory is allocated, more samples than the file can hold: LZW and deflate expand at most
     * 1500-fold; fax coding, for one bit, expands empty rows further */
    if (p.bits > 1 && (uint64_t)p.width * p.height / 8 * p.samples * p.bits / 2048 > n)
        return rw_fail(ctx, RW_ERR_INPUT, "%s: %u x %u pixels do not fit in %zu bytes: truncated", name, p.width,
                       p.height, n);
    RW_TRY(rw_raster_create(ctx, name, p.width, p.height, p.colours[0] ? 3 : p.samples, p.deep ? 2 : 1, max_pixels, r));
    RW_TRY(read_pieces(ctx, name, t, &p, n, max_pixels, r));
    if (p.photometric == PHOTOMETRIC_MINISWHITE) negate(r);
    if (p.multiplied) divide_by_alpha(r);
    if (TIFFGetField(t, TIFFTAG_ORIENTATION, &orientation) && orientation <= 8) r->orientation = orientation;
    if (TIFFGetField(t, TIFFTAG_ICCPROFILE, &profile_bytes, &profile))
        RW_TRY(rw_raster_set_profile(ctx, name, profile, profile_bytes, r));
    r->pages = (int)TIFFNumberOfDirectories(t); /* last: it changes the current page */
    return RW_OK;
}

static void quiet(void)
{
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL); /* a library prints nothing */
}

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
    TIFFSetField(t, TIFFTAG_IMAGEWIDTH, (uint32_t)r->width);
    TIFFSetField(t, TIFFTAG_IMAGELENGTH, (uint32_t)r->height);
    TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, 8 * r->bytes);
    TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, r->channels);
    TIFFSetField(t, TIFFTAG_PHOTOMETRIC, r->channels < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
    TIFFSetField(t, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(t, TIFFTAG_COMPRESSION, COMPRESSION_LZW);
    TIFFSetField(t, TIFFTAG_PREDICTOR, 2);
    TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, rows);
    if (r->channels % 2 == 0) TIFFSetField(t, TIFFTAG_EXTRASAMPLES, 1, &alpha);
    if (r->orientation > 1) TIFFSetField(t, TIFFTAG_ORIENTATION, r->orientation);
    if (r->profile) TIFFSetField(t, TIFFTAG_ICCPROFILE, (uint32_t)r->profile_bytes, r->profile);
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

static rw_status write_raster(rw_io_file *s, const rw_raster *r)
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
static rw_status parse(rw_context *ctx, const char *name, const unsigned char *bytes RW_UNUSED, size_t n RW_UNUSED,
                       size_t max_pixels RW_UNUSED, rw_raster *r RW_UNUSED)
{
    return rw_fail(ctx, RW_ERR_UNSUPPORTED,
                   "%s: this build has no TIFF support: install libtiff-dev and build again, or convert to PNG", name);
}
static rw_status write_raster(rw_io_file *s, const rw_raster *r RW_UNUSED)
{
    return rw_fail(s->ctx, RW_ERR_UNSUPPORTED,
                   "%s: this build has no TIFF support: install libtiff-dev and build again, or write .png", s->path);
}
#endif

const rw_raster_format rw_raster_tiff = {"TIFF", {".tif", ".tiff"}, true, true, true, true, is, parse, write_raster};
