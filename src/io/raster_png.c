/* PNG through libpng: grey or colour, with or without alpha, palettes, 1 to 16 bits, interlaced or not. Gamma and
 * colour profiles change no sample: samples are those of the file. The ICC profile (iCCP) and the orientation (eXIf) go
 * with them. libpng leaves by longjmp: whatever must be freed lives in a `job` of the caller, whose frame the jump does
 * not cross, and its memory comes from rw_calloc, so that a test can exhaust it. */
#include "io/raster.h"

#include <png.h>
#include <setjmp.h>
#include <string.h>

typedef struct job {
    rw_io_file stream;
    png_structp png;
    png_infop info;
    rw_raster *raster;
    size_t max_pixels, refused; /* refused: bytes that libpng asked for and did not get, 0: none */
    rw_status status;           /* of our own part; RW_OK when libpng complained */
    unsigned char exif[RW_EXIF_BYTES];
} job;

static void on_error(png_structp png, png_const_charp text)
{
    job *j = png_get_error_ptr(png);
    if (j->status == RW_OK && j->refused) j->status = rw_fail_memory(j->stream.ctx, j->refused, j->stream.path);
    else if (j->status == RW_OK)
        j->status =
            rw_fail(j->stream.ctx, j->stream.temporary ? RW_ERR_FILE : RW_ERR_INPUT, "%s: PNG: %s: the file is %s",
                    j->stream.path, text, j->stream.temporary ? "not written" : "damaged, export the picture again");
    png_longjmp(png, 1);
}

static void on_warning(png_structp png RW_UNUSED, png_const_charp text RW_UNUSED) {}

static png_voidp on_malloc(png_structp png, png_alloc_size_t n)
{
    void *p = rw_calloc(n, 1);
    if (!p) ((job *)png_get_mem_ptr(png))->refused = n;
    return p;
}

static void on_free(png_structp png RW_UNUSED, png_voidp p) { rw_free(p); }

/* Our own failure inside a call of libpng: keeps its status and leaves. */
static void leave(png_structp png, rw_status status)
{
    job *j = png_get_error_ptr(png);
    j->status = status;
    png_longjmp(png, 1);
}

static void on_read(png_structp png, png_bytep bytes, size_t n)
{
    job *j = png_get_io_ptr(png);
    rw_status status = rw_io_read(&j->stream, bytes, n, "the picture");
    if (status != RW_OK) leave(png, status);
}

static void on_write(png_structp png, png_bytep bytes, size_t n)
{
    job *j = png_get_io_ptr(png);
    rw_status status = rw_io_write(&j->stream, bytes, n);
    if (status != RW_OK) leave(png, status);
}

static void on_flush(png_structp png) { (void)png; }

static bool is_little_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

/* Orientation and profile of a file that has been read to its end. */
static rw_status read_tags(job *j)
{
    png_charp title;
    png_bytep profile;
    png_uint_32 n = 0;
    int method;
#ifdef PNG_eXIf_SUPPORTED
    png_bytep exif;
    if (png_get_eXIf_1(j->png, j->info, &n, &exif)) j->raster->orientation = rw_exif_orientation(exif, n);
#endif
    if (!png_get_iCCP(j->png, j->info, &title, &method, &profile, &n)) return RW_OK;
    return rw_raster_set_profile(j->stream.ctx, j->stream.path, profile, n, j->raster);
}

/* What libpng decodes; any failure jumps or returns. */
static rw_status decode(job *j)
{
    png_structp png = j->png;
    rw_context *ctx = j->stream.ctx;
    if (setjmp(png_jmpbuf(png))) return j->status;
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff); /* the limit is ours, below */
    png_set_chunk_malloc_max(png, 8 << 20);
    png_set_chunk_cache_max(png, 1); /* texts and suggested palettes: none are kept */
    png_read_info(png, j->info);
    size_t width = png_get_image_width(png, j->info), height = png_get_image_height(png, j->info);
    int passes = png_set_interlace_handling(png);
    png_set_palette_to_rgb(png);
    png_set_expand_gray_1_2_4_to_8(png);
    if (png_get_valid(png, j->info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(png);
    if (is_little_endian()) png_set_swap(png);

    /* deflate makes at most 1032 bytes of one: a file that is too short is found before its pixels get memory */
    size_t least = png_get_rowbytes(png, j->info) * height / 1040;
    if (least > j->stream.size)
        return j->status = rw_fail(ctx, RW_ERR_INPUT, "%s: %zu x %zu pixels do not fit in %llu bytes: truncated",
                                   j->stream.path, width, height, (unsigned long long)j->stream.size);
    png_read_update_info(png, j->info);
    int channels = png_get_channels(png, j->info), depth = png_get_bit_depth(png, j->info);
    j->status =
        rw_raster_create(ctx, j->stream.path, width, height, channels, depth == 16 ? 2 : 1, j->max_pixels, j->raster);
    if (j->status != RW_OK) return j->status;
    size_t row_bytes = png_get_rowbytes(png, j->info);
    for (int pass = 0; pass < passes; pass++)
        for (size_t y = 0; y < height; y++) png_read_row(png, (png_bytep)j->raster->samples + y * row_bytes, NULL);
    png_read_end(png, j->info);
    return j->status = read_tags(j);
}

static size_t number(const unsigned char *p)
{
    return (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
}

/* Pictures of an animation: chunk acTL, before the pixels. */
static int count_frames(const unsigned char *b, size_t n)
{
    for (size_t at = 8; n - at > 16; at += 12 + number(b + at)) {
        if (!memcmp(b + at + 4, "acTL", 4)) return number(b + at + 8) > 1 ? -1 : 0;
        if (!memcmp(b + at + 4, "IDAT", 4) || number(b + at) > n - at - 12) return 0;
    }
    return 0;
}

static rw_status parse(rw_context *ctx, const char *name, const unsigned char *bytes, size_t n, size_t max_pixels,
                       rw_raster *raster)
{
    job j = {.raster = raster, .max_pixels = max_pixels};
    RW_TRY(rw_io_open_memory(ctx, name, bytes, n, &j.stream));
    j.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &j, on_error, on_warning, &j, on_malloc, on_free);
    if (j.png) j.info = png_create_info_struct(j.png);
    rw_status status;
    if (j.info) {
        png_set_read_fn(j.png, &j, on_read);
        status = decode(&j);
    } else {
        status = rw_fail_memory(ctx, 1 << 10, "the PNG decoder");
    }
    png_destroy_read_struct(&j.png, &j.info, NULL);
    if (status == RW_OK) raster->pages = count_frames(bytes, n);
    rw_io_close(&j.stream);
    return status;
}

static rw_status encode(job *j, const rw_raster *r)
{
    static const int kinds[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};
    png_structp png = j->png;
    if (setjmp(png_jmpbuf(png))) return j->status;
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
    png_set_IHDR(png, j->info, (png_uint_32)r->width, (png_uint_32)r->height, 8 * r->bytes, kinds[r->channels - 1],
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    /* Four times as fast as the defaults of libpng; files are 15 % smaller (photographs) to 27 % larger (figures). */
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
    png_set_compression_level(png, 3);
    if (r->profile) {
        png_set_benign_errors(png, 1); /* a profile that libpng does not accept is left out */
        png_set_iCCP(png, j->info, "ICC", PNG_COMPRESSION_TYPE_BASE, r->profile, (png_uint_32)r->profile_bytes);
    }
#ifdef PNG_eXIf_SUPPORTED
    if (r->orientation > 1) {
        rw_exif_make(r->orientation, j->exif);
        png_set_eXIf_1(png, j->info, RW_EXIF_BYTES, j->exif);
    }
#endif
    png_write_info(png, j->info);
    if (r->bytes == 2 && is_little_endian()) png_set_swap(png);
    const size_t row = r->width * (size_t)r->channels * (size_t)r->bytes;
    for (size_t y = 0; y < r->height; y++) png_write_row(png, (png_const_bytep)r->samples + y * row);
    png_write_end(png, NULL); /* with `info`, eXIf would be written again */
    return RW_OK;
}

static rw_status write_raster(rw_io_file *s, const rw_raster *r)
{
    job j = {.stream = *s};
    j.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &j, on_error, on_warning, &j, on_malloc, on_free);
    if (j.png) j.info = png_create_info_struct(j.png);
    rw_status status;
    if (j.info) {
        png_set_write_fn(j.png, &j, on_write, on_flush);
        status = encode(&j, r);
    } else {
        status = rw_fail_memory(s->ctx, 1 << 10, "the PNG encoder");
    }
    png_destroy_write_struct(&j.png, &j.info);
    return status;
}

static bool is(const unsigned char *start, size_t n) { return n > 1 && start[0] == 0x89 && start[1] == 'P'; }

const rw_raster_format rw_raster_png = {"PNG", {".png"}, true, true, true, true, is, parse, write_raster};
