/* Pictures as frames: files numbered by a pattern, or concatenated pictures in one stream (PNM, PNG). All have equal
 * size. */
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "io/raster.h"
#include "stream/stream.h"

typedef struct pictures {
    rw_context *ctx;
    const char *name;
    rw_stream_file *file; /* of concatenated pictures */
    bool png;
    rw_frame_format format;
    rw_raster first; /* read in advance to determine the format */
    bool has_first;
    int64_t number, written; /* of the next file */
    rw_numbered numbered;    /* of files */
    unsigned char *bytes;    /* of a picture in the stream */
    size_t n, capacity;
} pictures;

/* ---- pictures one after another ---------------------------------------------------------------------------------- */

/* Reads n more bytes. Memory grows with the bytes read, since a header may announce more than there is. */
static rw_status more(pictures *p, size_t n, const char *what, bool *end)
{
    while (n > 0) {
        const size_t piece = RW_MIN(n, RW_MAX(p->n, (size_t)1 << 20)), wanted = p->n + piece;
        if (wanted > p->capacity) {
            unsigned char *larger = rw_realloc(p->bytes, wanted + wanted / 2);
            if (!larger) return rw_fail_memory(p->ctx, wanted, "a picture");
            p->bytes = larger;
            p->capacity = wanted + wanted / 2;
        }
        RW_TRY(rw_stream_file_read(p->file, p->bytes + p->n, piece, what, end));
        if (end && *end) return RW_OK;
        p->n = wanted;
        n -= piece;
        end = NULL;
    }
    return RW_OK;
}

/* The next number of a PNM header; comments may precede it. */
static rw_status read_number(pictures *p, int64_t *value)
{
    bool comment = false, digits = false;
    for (*value = 0;;) {
        RW_TRY(more(p, 1, "the header of a picture", NULL));
        const int c = p->bytes[p->n - 1];
        if (comment) comment = c != '\n';
        else if (c == '#') comment = true;
        else if (isdigit(c) && *value < 1 << 28) {
            *value = 10 * *value + c - '0';
            digits = true;
        } else if (isspace(c) && digits) return RW_OK;
        else if (!isspace(c))
            return rw_fail(p->ctx, RW_ERR_INPUT,
                           "%s: the header of a picture has the character %d where a number is expected", p->file->name,
                           c);
        if (p->n > 4096)
            return rw_fail(p->ctx, RW_ERR_INPUT, "%s: the header of a picture is longer than 4096 bytes",
                           p->file->name);
    }
}

static rw_status collect_pnm(pictures *p, bool *end)
{
    int64_t width, height, most;
    RW_TRY(more(p, 1, "a picture", end));
    if (*end) return RW_OK;
    RW_TRY(more(p, 1, "a picture", NULL));
    if (p->bytes[0] != 'P' || (p->bytes[1] != '5' && p->bytes[1] != '6'))
        return rw_fail(p->ctx, RW_ERR_INPUT, "%s: a picture of the stream does not begin with P5 or P6", p->file->name);
    RW_TRY(read_number(p, &width));
    RW_TRY(read_number(p, &height));
    RW_TRY(read_number(p, &most));
    if (width < 1 || height < 1 || width * height > 1 << 28)
        return rw_fail(p->ctx, RW_ERR_INPUT,
                       "%s: a picture of %lld x %lld pixels: a picture must have 1 x 1 to 2^28 pixels", p->file->name,
                       (long long)width, (long long)height);
    return more(p, (size_t)(width * height) * (p->bytes[1] == '6' ? 3 : 1) * (most > 255 ? 2 : 1), "a picture", NULL);
}

static rw_status collect_png(pictures *p, bool *end)
{
    RW_TRY(more(p, 8, "a picture", end));
    if (*end) return RW_OK;
    for (bool last = false; !last;) {
        RW_TRY(more(p, 8, "a picture", NULL));
        const unsigned char *head = p->bytes + p->n - 8;
        const size_t n = (size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
        last = memcmp(head + 4, "IEND", 4) == 0;
        if (n > 1 << 30)
            return rw_fail(p->ctx, RW_ERR_INPUT, "%s: a chunk of a picture has %zu bytes: at most 2^30 are allowed",
                           p->file->name, n);
        RW_TRY(more(p, n + 4, "a picture", NULL));
    }
    return RW_OK;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The stream ends at the first missing number: warns if there are files with higher ones. */
static rw_status warn_of_gap(const pictures *p)
{
    char path[RW_PATH_BYTES];
    if (p->numbered.width < 0 || p->number < 2) return RW_OK;
    RW_TRY(rw_numbered_find(p->ctx, &p->numbered, p->number, path));
    if (*path)
        rw_log(p->ctx, RW_LOG_WARNING, "%s: number %lld is missing: the stream ends before it, although %s exists",
               p->name, (long long)p->number, path);
    return RW_OK;
}

static rw_status next_raster(pictures *p, rw_raster *r, bool *end)
{
    char path[RW_PATH_BYTES];
    *end = false;
    if (p->file) {
        p->n = 0;
        RW_TRY(p->png ? collect_png(p, end) : collect_pnm(p, end));
        return *end ? RW_OK : rw_raster_parse(p->ctx, p->file->name, p->bytes, p->n, 0, r);
    }
    RW_TRY(rw_numbered_name(p->ctx, &p->numbered, p->number, path));
    *end = p->numbered.width >= 0 ? access(path, F_OK) != 0 : p->number > 0;
    if (*end) return warn_of_gap(p);
    ++p->number;
    return rw_raster_read(p->ctx, path, 0, r);
}

static rw_frame_format format_of(const rw_raster *r)
{
    return (rw_frame_format){.width = (int64_t)r->width,
                             .height = (int64_t)r->height,
                             .channels = r->channels,
                             .dtype = r->bytes == 2 ? RW_U16 : RW_U8};
}

static void destroy(void *state)
{
    pictures *p = state;
    rw_raster_free(&p->first);
    rw_free(p->bytes);
    rw_free(p);
}

static rw_status make(rw_context *ctx, const char *name, rw_stream_file *f, bool png, pictures **state)
{
    pictures *p = rw_calloc(1, sizeof *p);
    if (!p) return rw_fail_memory(ctx, sizeof *p, "a stream");
    *p = (pictures){.ctx = ctx, .name = name, .file = f, .png = png};
    *state = p;
    return rw_numbered_parse(ctx, f ? "" : name, &p->numbered);
}

static rw_status open_as(rw_context *ctx, const char *name, rw_stream_file *f, bool png, rw_frame_format *format,
                         void **state)
{
    pictures *p = NULL;
    bool end = false;
    char path[RW_PATH_BYTES];
    rw_status status = make(ctx, name, f, png, &p);
    *state = p;
    RW_TRY(status);
    RW_TRY(rw_numbered_name(ctx, &p->numbered, 0, path));
    if (p->numbered.width >= 0 && access(path, F_OK) != 0) p->number = 1;
    RW_TRY(next_raster(p, &p->first, &end));
    if (end) {
        RW_TRY(rw_numbered_find(ctx, &p->numbered, 0, path));
        return rw_fail(ctx, RW_ERR_FILE, "%s: no file with number 0 or 1 exists%s%s", name,
                       *path ? "; the first one is " : "", path);
    }
    rw_raster_stretch(&p->first);
    if (p->first.profile)
        rw_log(ctx, RW_LOG_WARNING,
               "%s: streams do not carry the ICC profile of pictures: frames are written with no profile", name);
    const int rate[2] = {format->rate[0], format->rate[1]};
    *format = p->format = format_of(&p->first);
    format->rate[0] = rate[0];
    format->rate[1] = rate[1];
    p->has_first = true;
    return RW_OK;
}

static rw_status open_files(rw_context *c, const char *name, rw_stream_file *f, rw_frame_format *format, void **s)
{
    return open_as(c, name, f, false, format, s);
}
static rw_status open_pnm(rw_context *c, const char *name, rw_stream_file *f, rw_frame_format *format, void **s)
{
    return open_as(c, name, f, false, format, s);
}
static rw_status open_png(rw_context *c, const char *name, rw_stream_file *f, rw_frame_format *format, void **s)
{
    return open_as(c, name, f, true, format, s);
}

static rw_status read_frame(void *state, void *frame, bool *end)
{
    pictures *p = state;
    rw_raster r = {0};
    *end = false;
    if (p->has_first) {
        r = p->first;
        p->has_first = false;
        p->first = (rw_raster){0};
    } else {
        RW_TRY(next_raster(p, &r, end));
        if (*end) return RW_OK;
        rw_raster_stretch(&r);
    }
    const rw_frame_format f = format_of(&r);
    const bool same = f.width == p->format.width && f.height == p->format.height && f.channels == p->format.channels &&
                      f.dtype == p->format.dtype;
    if (same) memcpy(frame, r.samples, (size_t)rw_frame_bytes(&f));
    rw_raster_free(&r);
    if (same) return RW_OK;
    return rw_fail(
        p->ctx, RW_ERR_INPUT,
        "%s: a picture of %s follows pictures of %s: all pictures of a stream must have the same size and type",
        p->file ? p->file->name : p->name, rw_frame_describe(&f).text, rw_frame_describe(&p->format).text);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static rw_status create_as(rw_context *ctx, const char *name, rw_stream_file *f, bool by_name,
                           const rw_frame_format *format, void **state)
{
    pictures *p = NULL;
    rw_status status = make(ctx, name, f, false, &p);
    *state = p;
    RW_TRY(status);
    p->format = *format;
    p->number = 1;
    if (by_name && !rw_raster_format_of(name)) {
        char endings[160];
        rw_raster_endings(endings, sizeof endings);
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: no picture format has this ending: %s", name, endings);
    }
    return RW_OK;
}

static rw_status create_files(rw_context *c, const char *name, rw_stream_file *f, const rw_frame_format *format,
                              void **s)
{
    return create_as(c, name, f, true, format, s);
}
static rw_status create_pnm(rw_context *c, const char *name, rw_stream_file *f, const rw_frame_format *format, void **s)
{
    return create_as(c, name, f, false, format, s);
}

static rw_status write_file(void *state, const void *frame)
{
    pictures *p = state;
    char path[RW_PATH_BYTES];
    const rw_raster r = {.width = (size_t)p->format.width,
                         .height = (size_t)p->format.height,
                         .channels = p->format.channels,
                         .bytes = p->format.dtype == RW_U16 ? 2 : 1,
                         .maximum = p->format.dtype == RW_U16 ? 65535 : 255,
                         .samples = (void *)(uintptr_t)frame};
    if (p->file && p->written)
        return rw_fail(p->ctx, RW_ERR_ARGUMENT,
                       "%s: the stream has more than one frame: name a pattern such as frame-%%04d.png", p->name);
    ++p->written;
    if (p->file) {
        rw_io_file s = {.ctx = p->ctx, .file = p->file->file, .path = p->name, .temporary = p->file->temporary};
        return rw_raster_write_to(&s, &r);
    }
    RW_TRY(rw_numbered_name(p->ctx, &p->numbered, p->number++, path));
    return rw_raster_write(p->ctx, path, &r);
}

static rw_status write_pnm(void *state, const void *frame)
{
    pictures *p = state;
    char head[64];
    const int n =
        snprintf(head, sizeof head, "P%d\n%lld %lld\n%d\n", p->format.channels == 3 ? 6 : 5, (long long)p->format.width,
                 (long long)p->format.height, p->format.dtype == RW_U16 ? 65535 : 255);
    RW_TRY(rw_stream_file_write(p->file, head, (size_t)n));
    const size_t bytes = (size_t)rw_frame_bytes(&p->format);
    if (p->format.dtype == RW_U8) return rw_stream_file_write(p->file, frame, bytes);
    if (p->capacity < bytes) { /* the high byte first */
        rw_free(p->bytes);
        p->bytes = rw_calloc(1, bytes);
        p->capacity = p->bytes ? bytes : 0;
        if (!p->bytes) return rw_fail_memory(p->ctx, bytes, "a picture");
    }
    for (size_t i = 0; i < bytes / 2; ++i) {
        const uint16_t v = ((const uint16_t *)frame)[i];
        p->bytes[2 * i] = (unsigned char)(v >> 8);
        p->bytes[2 * i + 1] = (unsigned char)v;
    }
    return rw_stream_file_write(p->file, p->bytes, bytes);
}

static bool holds(const rw_frame_format *f) { return f->layout == RW_FRAME_PIXELS; }
static bool holds_pnm(const rw_frame_format *f)
{
    return f->layout == RW_FRAME_PIXELS && (f->channels == 1 || f->channels == 3);
}
static bool is_pnm(const unsigned char *start, size_t n)
{
    return n >= 3 && start[0] == 'P' && (start[1] == '5' || start[1] == '6') && isspace(start[2]);
}
static bool is_png(const unsigned char *start, size_t n)
{
    return n >= 8 && memcmp(start, "\x89PNG\r\n\x1a\n", 8) == 0;
}

const rw_stream_format rw_stream_pictures = {
    .name = "pictures",
    .line = "picture files numbered by a pattern such as frame-%04d.png",
    .by_name = true,
    .endings = {".png", ".pnm", ".pgm", ".ppm", ".jpg", ".jpeg", ".tif", ".bmp"},
    .open = open_files,
    .read = read_frame,
    .create = create_files,
    .write = write_file,
    .holds = holds,
    .destroy = destroy,
};
const rw_stream_format rw_stream_pnm = {
    .name = "pnm",
    .line = "PNM pictures (P5, P6) one after another",
    .is = is_pnm,
    .open = open_pnm,
    .read = read_frame,
    .create = create_pnm,
    .write = write_pnm,
    .holds = holds_pnm,
    .destroy = destroy,
};
const rw_stream_format rw_stream_png = {
    .name = "png",
    .line = "PNG pictures one after another",
    .is = is_png,
    .open = open_png,
    .read = read_frame,
    .destroy = destroy,
};
