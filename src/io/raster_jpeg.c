/* JPEG through libjpeg, where the build has found it: grey and colour, 8 bits. libjpeg leaves by longjmp, as libpng
 * does (raster_png.c). */
#include "io/raster.h"

static bool is(const unsigned char *start, size_t n)
{
    return n > 2 && start[0] == 0xff && start[1] == 0xd8 && start[2] == 0xff;
}

#ifdef RW_WITH_JPEG
#include <jpeglib.h>
#include <setjmp.h>
#include <stdlib.h>

enum { QUALITY = 92 };

typedef struct job {
    struct jpeg_error_mgr errors; /* first: libjpeg knows its address */
    jmp_buf out;
    struct jpeg_decompress_struct in;
    struct jpeg_compress_struct to;
    rw_context *ctx;
    const char *name;
    bool writes;
    rw_status status;
    unsigned char *bytes;
    unsigned long n;
} job;

static void on_error(j_common_ptr c)
{
    job *j = (job *)c->err;
    char text[JMSG_LENGTH_MAX];
    c->err->format_message(c, text);
    j->status = rw_fail(j->ctx, j->writes ? RW_ERR_FILE : RW_ERR_INPUT, "%s: JPEG: %s: the file is %s", j->name, text,
                        j->writes ? "not written" : "damaged, export the picture again");
    longjmp(j->out, 1);
}
static void on_message(j_common_ptr c) { (void)c; }

/* A warning is a file that is cut off or damaged: half a picture is none. */
static void on_warning(j_common_ptr c, int level)
{
    if (level < 0) on_error(c);
}

static void begin(job *j, rw_context *ctx, const char *name, bool writes)
{
    *j = (job){.ctx = ctx, .name = name, .writes = writes};
    jpeg_std_error(&j->errors);
    j->errors.error_exit = on_error, j->errors.output_message = on_message, j->errors.emit_message = on_warning;
}

static rw_status decode(job *j, const unsigned char *bytes, size_t n, size_t max_pixels, rw_raster *r)
{
    struct jpeg_decompress_struct *in = &j->in;
    if (setjmp(j->out)) return j->status;
    jpeg_create_decompress(in);
    jpeg_mem_src(in, (unsigned char *)(uintptr_t)bytes, (unsigned long)n);
    jpeg_read_header(in, TRUE);
    if (in->num_components != 1 && in->num_components != 3)
        return rw_fail(j->ctx, RW_ERR_INPUT,
                       "%s: JPEG: %d components (CMYK?): only grey and colour are supported: "
                       "convert it",
                       j->name, in->num_components);
    in->out_color_space = in->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    RW_TRY(rw_raster_create(j->ctx, j->name, in->image_width, in->image_height, in->num_components, 1, max_pixels, r));
    jpeg_start_decompress(in);
    while (in->output_scanline < in->output_height) {
        JSAMPROW row = (JSAMPROW)r->samples + (size_t)in->output_scanline * r->width * (size_t)r->channels;
        jpeg_read_scanlines(in, &row, 1);
    }
    jpeg_finish_decompress(in);
    return RW_OK;
}

static rw_status parse(rw_context *ctx, const char *name, const unsigned char *bytes, size_t n, size_t max_pixels,
                       rw_raster *r)
{
    job j;
    begin(&j, ctx, name, false);
    j.in.err = &j.errors;
    rw_status status = decode(&j, bytes, n, max_pixels, r);
    jpeg_destroy_decompress(&j.in);
    return status;
}

static rw_status encode(job *j, const rw_raster *r)
{
    struct jpeg_compress_struct *to = &j->to;
    if (setjmp(j->out)) return j->status;
    jpeg_create_compress(to);
    jpeg_mem_dest(to, &j->bytes, &j->n);
    to->image_width = (JDIMENSION)r->width, to->image_height = (JDIMENSION)r->height;
    to->input_components = r->channels, to->in_color_space = r->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(to);
    jpeg_set_quality(to, QUALITY, TRUE);
    jpeg_start_compress(to, TRUE);
    while (to->next_scanline < to->image_height) {
        JSAMPROW row = (JSAMPROW)r->samples + (size_t)to->next_scanline * r->width * (size_t)r->channels;
        jpeg_write_scanlines(to, &row, 1);
    }
    jpeg_finish_compress(to);
    return RW_OK;
}

static rw_status write_raster(rw_io_stream *s, const rw_raster *r)
{
    job j;
    begin(&j, s->ctx, s->path, true);
    j.to.err = &j.errors;
    rw_status status = encode(&j, r);
    if (status == RW_OK) status = rw_io_write(s, j.bytes, j.n);
    jpeg_destroy_compress(&j.to);
    free(j.bytes);
    return status;
}
#else
static rw_status parse(rw_context *ctx, const char *name, const unsigned char *bytes, size_t n, size_t max_pixels,
                       rw_raster *r)
{
    (void)bytes, (void)n, (void)max_pixels, (void)r;
    return rw_fail(ctx, RW_ERR_UNSUPPORTED,
                   "%s: this build has no JPEG support: install libjpeg-dev and build again, or convert to PNG", name);
}
static rw_status write_raster(rw_io_stream *s, const rw_raster *r)
{
    (void)r;
    return rw_fail(s->ctx, RW_ERR_UNSUPPORTED,
                   "%s: this build has no JPEG support: install libjpeg-dev and build again, or write .png", s->path);
}
#endif

const rw_raster_format rw_raster_jpeg = {"JPEG", {".jpg", ".jpeg"}, false, false, is, parse, write_raster};
