/* PNG through libpng (see png.h). libpng leaves by longjmp: whatever must be freed lives in a `job` of the caller,
 * whose frame the jump does not cross, and its memory comes from rw_calloc, so that a test can exhaust it. */
#include "io/png.h"

#include <png.h>
#include <setjmp.h>

typedef struct job {
    rw_io_stream stream;
    png_structp png;
    png_infop info;
    png_bytep rows;      /* one row, or all of an interlaced picture */
    rw_picture *picture;
    size_t max_pixels, refused; /* refused: bytes that libpng asked for and did not get, 0: none */
    rw_status status;    /* of our own part; RW_OK when libpng complained */
} job;

static void on_error(png_structp png, png_const_charp text)
{
    job *j = png_get_error_ptr(png);
    if (j->status == RW_OK && j->refused)
        j->status = rw_fail_memory(j->stream.ctx, j->refused, j->stream.path);
    else if (j->status == RW_OK)
        j->status = rw_fail(j->stream.ctx, j->stream.temporary ? RW_ERR_FILE : RW_ERR_INPUT,
                            "%s: PNG: %s: the file is %s", j->stream.path, text,
                            j->stream.temporary ? "not written" : "damaged, export the picture again");
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) { (void)png, (void)text; }

static png_voidp on_malloc(png_structp png, png_alloc_size_t n)
{
    void *p = rw_calloc(n, 1);
    if (!p) ((job *)png_get_mem_ptr(png))->refused = n;
    return p;
}

static void on_free(png_structp png, png_voidp p)
{
    (void)png;
    rw_free(p);
}

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

/* One row of 1 or 3 channels of 8 or 16 bits (most significant byte first) to grey. */
static void row_to_grey(const png_byte *row, size_t width, int channels, int depth, double *grey)
{
    static const double luma[3] = {0.2126, 0.7152, 0.0722};
    size_t bytes = depth == 16 ? 2 : 1;
    double scale = depth == 16 ? 65535 : 255;
    for (size_t x = 0; x < width; x++) {
        double v[3];
        for (int c = 0; c < channels; c++, row += bytes) v[c] = depth == 16 ? row[0] * 256 + row[1] : row[0];
        grey[x] = (channels == 1 ? v[0] : luma[0] * v[0] + luma[1] * v[1] + luma[2] * v[2]) / scale;
        if (grey[x] > 1) grey[x] = 1; /* the sum of the rounded weights */
    }
}

/* What libpng decodes; any failure jumps or returns. */
static rw_status decode(job *j)
{
    png_structp png = j->png;
    rw_context *ctx = j->stream.ctx;
    if (setjmp(png_jmpbuf(png))) return j->status;
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff); /* the limit is ours, below */
    png_set_chunk_malloc_max(png, 8 << 20);
    png_read_info(png, j->info);
    size_t width = png_get_image_width(png, j->info), height = png_get_image_height(png, j->info);
    int passes = png_set_interlace_handling(png);
    png_set_palette_to_rgb(png);
    png_set_expand_gray_1_2_4_to_8(png);
    png_set_strip_alpha(png);

    /* deflate makes at most 1032 bytes of one: a file that is too short is found before its pixels get memory */
    size_t least = png_get_rowbytes(png, j->info) * height / 1040;
    if (least > j->stream.size)
        return j->status = rw_fail(ctx, RW_ERR_INPUT, "%s: %zu x %zu pixels cannot be in %llu bytes: truncated",
                                   j->stream.path, width, height, (unsigned long long)j->stream.size);
    j->status = rw_picture_create(ctx, j->stream.path, width, height, j->max_pixels, j->picture);
    if (j->status != RW_OK) return j->status;
    png_read_update_info(png, j->info);
    int channels = png_get_channels(png, j->info), depth = png_get_bit_depth(png, j->info);
    size_t row_bytes = png_get_rowbytes(png, j->info), n_rows = passes > 1 ? height : 1;
    j->rows = rw_calloc(n_rows, row_bytes);
    if (!j->rows) return j->status = rw_fail_memory(ctx, n_rows * row_bytes, j->stream.path);
    for (int pass = 1; pass < passes; pass++)
        for (size_t y = 0; y < height; y++) png_read_row(png, j->rows + y * row_bytes, NULL);
    for (size_t y = 0; y < height; y++) {
        png_bytep row = j->rows + (passes > 1 ? y : 0) * row_bytes;
        png_read_row(png, row, NULL);
        row_to_grey(row, width, channels, depth, j->picture->grey + y * width);
    }
    png_read_end(png, NULL);
    return RW_OK;
}

static rw_status read_stream(job *j)
{
    j->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, j, on_error, on_warning, j, on_malloc, on_free);
    if (j->png) j->info = png_create_info_struct(j->png);
    rw_status status;
    if (j->info) {
        png_set_read_fn(j->png, j, on_read);
        status = decode(j);
    } else {
        status = rw_fail_memory(j->stream.ctx, 1 << 10, "the PNG decoder");
    }
    png_destroy_read_struct(&j->png, &j->info, NULL);
    rw_free(j->rows);
    rw_io_close(&j->stream);
    if (status != RW_OK) rw_picture_free(j->picture);
    return status;
}

rw_status rw_png_read(rw_context *ctx, const char *path, size_t max_pixels, rw_picture *picture)
{
    job j = {.picture = picture, .max_pixels = max_pixels};
    *picture = (rw_picture){0};
    RW_TRY(rw_io_open(ctx, path, &j.stream));
    return read_stream(&j);
}

rw_status rw_png_parse(rw_context *ctx, const char *name, const void *bytes, size_t n, size_t max_pixels,
                       rw_picture *picture)
{
    job j = {.picture = picture, .max_pixels = max_pixels};
    *picture = (rw_picture){0};
    RW_TRY(rw_io_open_memory(ctx, name, bytes, n, &j.stream));
    return read_stream(&j);
}

static rw_status encode(job *j, size_t width, size_t height, const uint8_t *rgb)
{
    png_structp png = j->png;
    if (setjmp(png_jmpbuf(png))) return j->status;
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
    png_set_IHDR(png, j->info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, j->info);
    for (size_t y = 0; y < height; y++) png_write_row(png, rgb + y * width * 3);
    png_write_end(png, j->info);
    return RW_OK;
}

rw_status rw_png_write_rgb8(rw_context *ctx, const char *path, size_t width, size_t height, const uint8_t *rgb)
{
    if (width == 0 || height == 0 || width > 1 << 28 || height > 1 << 28)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: a picture of %zu x %zu pixels: sizes from 1 to 2^28 can be written",
                       path, width, height);
    job j = {0};
    RW_TRY(rw_io_create(ctx, path, &j.stream));
    j.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &j, on_error, on_warning, &j, on_malloc, on_free);
    if (j.png) j.info = png_create_info_struct(j.png);
    rw_status status;
    if (j.info) {
        png_set_write_fn(j.png, &j, on_write, on_flush);
        status = encode(&j, width, height, rgb);
    } else {
        status = rw_fail_memory(ctx, 1 << 10, "the PNG encoder");
    }
    png_destroy_write_struct(&j.png, &j.info);
    if (status == RW_OK) status = rw_io_commit(&j.stream);
    rw_io_close(&j.stream);
    return status;
}
