/* JPEG through libjpeg, where the build has found it: grey and colour, 8 bits, with the orientation of EXIF (APP1) and
 * the ICC profile (APP2, in pieces of at most 65519 bytes). libjpeg leaves by longjmp, as libpng does (raster_png.c).
 * Source: ICC.1:2022, B.4. */
#include "io/raster.h"

static bool is(const unsigned char *start, size_t n)
{
    return n > 2 && start[0] == 0xff && start[1] == 0xd8 && start[2] == 0xff;
}

#ifdef RW_WITH_JPEG
#include <jpeglib.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>

enum { QUALITY = 92, EXIF = JPEG_APP0 + 1, PROFILE = JPEG_APP0 + 2, PROFILE_HEAD = 14, PROFILE_PIECE = 65519 };
static const char profile_name[] =
    "ICC_PROFILE"; /* its 0 belongs to the marker; then the piece, from 1, and how many */

typedef struct job {
    struct jpeg_error_mgr errors; /* first: libjpeg knows its address */
    jmp_buf out;
    struct jpeg_decompress_struct in;
    struct jpeg_compress_struct to;
    rw_context *ctx;
    const char *name;
    bool writes, warned;
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

/* Warnings of libjpeg about missing pixels are errors. The first other one is logged. */
static void on_warning(j_common_ptr c, int level)
{
    job *j = (job *)c->err;
    char text[JMSG_LENGTH_MAX];
    if (level >= 0) return;
    switch (c->err->msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_JPEG_EOF:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC: on_error(c); break;
    default:
        if (!j->warned && !j->writes) {
            c->err->format_message(c, text);
            rw_log(j->ctx, RW_LOG_WARNING, "%s: JPEG: %s: the pixels are complete", j->name, text);
        }
        j->warned = true;
    }
}

static void begin(job *j, rw_context *ctx, const char *name, bool writes)
{
    *j = (job){.ctx = ctx, .name = name, .writes = writes};
    jpeg_std_error(&j->errors);
    j->errors.error_exit = on_error;
    j->errors.output_message = on_message;
    j->errors.emit_message = on_warning;
}

/* Joins the pieces of a profile in their order. A profile with a missing piece is ignored. */
static rw_status read_profile(const job *j, rw_raster *r)
{
    unsigned char *all = NULL;
    size_t n = 0;
    rw_status status = RW_OK;
    for (int piece = 1, pieces = 1; piece <= pieces && status == RW_OK; piece++) {
        const struct jpeg_marker_struct *m = j->in.marker_list;
        while (m && (m->marker != PROFILE || m->data_length < PROFILE_HEAD ||
                     memcmp(m->data, profile_name, sizeof profile_name) != 0 || m->data[12] != piece))
            m = m->next;
        if (!m) break;
        pieces = m->data[13];
        unsigned char *larger = rw_realloc(all, n + m->data_length);
        if (!larger) status = rw_fail_memory(j->ctx, n + m->data_length, j->name);
        else {
            all = larger;
            memcpy(all + n, m->data + PROFILE_HEAD, m->data_length - PROFILE_HEAD);
        }
        n += larger ? m->data_length - PROFILE_HEAD : 0;
        if (status == RW_OK && piece == pieces) status = rw_raster_set_profile(j->ctx, j->name, all, n, r);
    }
    rw_free(all);
    return status;
}

static rw_status read_markers(const job *j, rw_raster *r)
{
    for (const struct jpeg_marker_struct *m = j->in.marker_list; m && !r->orientation; m = m->next)
        if (m->marker == EXIF && m->data_length > 6 && !memcmp(m->data, "Exif\0\0", 6))
            r->orientation = rw_exif_orientation(m->data, m->data_length);
    return read_profile(j, r);
}

static rw_status decode(job *j, const unsigned char *bytes, size_t n, size_t max_pixels, rw_raster *r)
{
    struct jpeg_decompress_struct *in = &j->in;
    if (setjmp(j->out)) return j->status;
    jpeg_create_decompress(in);
    jpeg_mem_src(in, (unsigned char *)(uintptr_t)bytes, (unsigned long)n);
    jpeg_save_markers(in, EXIF, 0xffff);
    jpeg_save_markers(in, PROFILE, 0xffff);
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
    rw_status status = read_markers(j, r); /* jpeg_finish_decompress frees them */
    jpeg_finish_decompress(in);
    return status;
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

static void write_markers(struct jpeg_compress_struct *to, const rw_raster *r)
{
    if (r->orientation > 1) {
        unsigned char block[6 + RW_EXIF_BYTES] = "Exif\0";
        rw_exif_make(r->orientation, block + 6);
        jpeg_write_marker(to, EXIF, block, sizeof block);
    }
    const size_t pieces = (r->profile_bytes + PROFILE_PIECE - 1) / PROFILE_PIECE;
    for (size_t piece = 0; piece < pieces && pieces < 256; piece++) {
        const unsigned char *p = (const unsigned char *)r->profile + piece * PROFILE_PIECE;
        const size_t n = RW_MIN(r->profile_bytes - piece * PROFILE_PIECE, (size_t)PROFILE_PIECE);
        jpeg_write_m_header(to, PROFILE, (unsigned)(PROFILE_HEAD + n));
        for (size_t i = 0; i < sizeof profile_name; i++) jpeg_write_m_byte(to, profile_name[i]);
        jpeg_write_m_byte(to, (int)piece + 1);
        jpeg_write_m_byte(to, (int)pieces);
        for (size_t i = 0; i < n; i++) jpeg_write_m_byte(to, p[i]);
    }
}

static rw_status encode(job *j, const rw_raster *r)
{
    struct jpeg_compress_struct *to = &j->to;
    if (setjmp(j->out)) return j->status;
    jpeg_create_compress(to);
    jpeg_mem_dest(to, &j->bytes, &j->n);
    to->image_width = (JDIMENSION)r->width;
    to->image_height = (JDIMENSION)r->height;
    to->input_components = r->channels;
    to->in_color_space = r->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(to);
    jpeg_set_quality(to, QUALITY, TRUE);
    jpeg_start_compress(to, TRUE);
    write_markers(to, r);
    while (to->next_scanline < to->image_height) {
        JSAMPROW row = (JSAMPROW)r->samples + (size_t)to->next_scanline * r->width * (size_t)r->channels;
        jpeg_write_scanlines(to, &row, 1);
    }
    jpeg_finish_compress(to);
    return RW_OK;
}

static rw_status write_raster(rw_io_file *s, const rw_raster *r)
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
static rw_status parse(rw_context *ctx, const char *name, const unsigned char *bytes RW_UNUSED, size_t n RW_UNUSED,
                       size_t max_pixels RW_UNUSED, rw_raster *r RW_UNUSED)
{
    return rw_fail(ctx, RW_ERR_UNSUPPORTED,
                   "%s: this build has no JPEG support: install libjpeg-dev and build again, or convert to PNG", name);
}
static rw_status write_raster(rw_io_file *s, const rw_raster *r RW_UNUSED)
{
    return rw_fail(s->ctx, RW_ERR_UNSUPPORTED,
                   "%s: this build has no JPEG support: install libjpeg-dev and build again, or write .png", s->path);
}
#endif

const rw_raster_format rw_raster_jpeg = {"JPEG", {".jpg", ".jpeg"}, false, false, true, true, is, parse, write_raster};
