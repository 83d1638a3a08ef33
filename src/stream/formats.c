/* The formats of streams: found by name, first bytes or ending. */
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "stream/stream.h"

extern const rw_stream_format rw_stream_y4m, rw_stream_clm, rw_stream_raw, rw_stream_pnm, rw_stream_png,
    rw_stream_pictures, rw_stream_none;

enum { FORMATS = 64 };
static const rw_stream_format *formats[FORMATS] = {&rw_stream_y4m, &rw_stream_clm,      &rw_stream_pnm, &rw_stream_png,
                                                   &rw_stream_raw, &rw_stream_pictures, &rw_stream_none};
static int nformats = 7;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

rw_status rw_stream_format_register(rw_context *ctx, const rw_stream_format *f)
{
    RW_NEED(f, "format");
    if (!f->name || !*f->name || ((!f->open || !f->read) && (!f->create || !f->write)))
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "rw_stream_format_register: the table needs a name, and the functions open and read, or create and write");
    pthread_mutex_lock(&lock);
    const bool fits = nformats < FORMATS;
    if (fits) {
        memmove(formats + 1, formats, (size_t)nformats * sizeof *formats);
        formats[0] = f;
        ++nformats;
    }
    pthread_mutex_unlock(&lock);
    return fits ? RW_OK
                : rw_fail(ctx, RW_ERR_ARGUMENT, "rw_stream_format_register: all %d places for formats are in use",
                          FORMATS);
}

const rw_stream_format *rw_stream_format_get(int i) { return i >= 0 && i < nformats ? formats[i] : NULL; }

static bool ends_so(const rw_stream_format *f, const char *name)
{
    for (int e = 0; e < RW_COUNT(f->endings) && f->endings[e]; ++e)
        if (rw_ends_in(name, f->endings[e])) return true;
    return false;
}

bool rw_stream_is(const char *name)
{
    if (!name) return false;
    if (strcmp(name, "-") == 0 || strcmp(name, "none") == 0 || rw_stream_is_numbered(name)) return true;
    for (int i = 0; i < nformats; ++i)
        if (!formats[i]->by_name && ends_so(formats[i], name)) return true;
    return false;
}

static rw_status fail_name(rw_context *ctx, const char *name)
{
    char all[256] = "";
    for (int i = 0; i < nformats; ++i) {
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", formats[i]->name);
    }
    return rw_fail(ctx, RW_ERR_ARGUMENT, "there is no stream format '%s': choose one of %s", name, all);
}

static const rw_stream_format *find_name(const char *name)
{
    for (int i = 0; i < nformats; ++i)
        if (strcmp(formats[i]->name, name) == 0) return formats[i];
    return NULL;
}

/* A format that opens files itself; numbered files are pictures. */
static const rw_stream_format *find_by_name(const char *name)
{
    for (int i = 0; i < nformats; ++i)
        if (formats[i]->by_name && ends_so(formats[i], name)) return formats[i];
    return rw_stream_is_numbered(name) ? &rw_stream_pictures : NULL;
}

static rw_status open_as(rw_context *ctx, const char *name, rw_stream *s)
{
    if (!s->table->open)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: streams of format %s cannot be read", name, s->table->name);
    RW_TRY(s->table->open(ctx, name, s->table->by_name ? NULL : &s->file, &s->format, &s->state));
    return rw_frame_check(ctx, name, &s->format);
}

/* The format of an open file: by its first bytes, by its name, as raw frames. */
static void choose(const char *name, const rw_frame_format *frames, rw_stream *s)
{
    for (int i = 0; i < nformats && !s->table; ++i)
        if (formats[i]->is && formats[i]->is(s->file.start, s->file.nstart)) s->table = formats[i];
    for (int i = 0; i < nformats && !s->table; ++i)
        if (!formats[i]->by_name && ends_so(formats[i], name)) s->table = formats[i];
    if (!s->table && frames->width) s->table = &rw_stream_raw;
    if (!s->table) s->table = find_by_name(name);
}

/* Empty files of the others, raw frames and formats of a program's own, are streams without frames. */
static bool begins_with_header(const rw_stream_format *f)
{
    return f == &rw_stream_y4m || f == &rw_stream_clm || f == &rw_stream_pnm || f == &rw_stream_png;
}

rw_status rw_stream_open(rw_context *ctx, const char *name, const char *format_name, const rw_frame_format *frames,
                         rw_stream *s)
{
    *s = (rw_stream){.format = *frames};
    if (format_name && !(s->table = find_name(format_name))) return fail_name(ctx, format_name);
    const rw_stream_format *by_name = find_by_name(name); /* the first bytes of an existing file have priority */
    if (!s->table && by_name && (by_name != &rw_stream_pictures || rw_stream_is_numbered(name))) s->table = by_name;
    if (!s->table || !s->table->by_name) {
        RW_TRY(rw_stream_file_open(ctx, name, &s->file));
        choose(name, frames, s);
    }
    rw_status status = RW_OK;
    const bool by_bytes = !s->table || !s->table->by_name;
    if (by_bytes && s->file.nstart == 0 && (!s->table || begins_with_header(s->table)))
        status = rw_fail(ctx, RW_ERR_INPUT, "%s is empty: expected a stream of frames", s->file.name);
    else if (!s->table)
        status = rw_fail(ctx, RW_ERR_INPUT,
                         "%s: the first bytes are not those of a known format (y4m, clm, pnm, png): for raw frames, "
                         "specify size and kind, such as --frames 1920x1080:rgb24",
                         s->file.name);
    if (status == RW_OK && s->table->by_name) rw_stream_file_close(&s->file);
    if (status == RW_OK) status = open_as(ctx, name, s);
    if (status != RW_OK) rw_stream_close(s);
    return status;
}

bool rw_stream_has_unknown_ending(const char *name)
{
    struct stat info;
    const char *slash = strrchr(name, '/'), *start = slash ? slash + 1 : name, *point = strrchr(start, '.');
    if (!point || point == start || !point[1]) return false;
    return stat(name, &info) != 0 || S_ISREG(info.st_mode);
}

rw_status rw_stream_choose(rw_context *ctx, const char *name, const char *format_name, const rw_stream_format *standard,
                           const rw_stream_format **table)
{
    *table = NULL;
    if (format_name && !(*table = find_name(format_name))) return fail_name(ctx, format_name);
    if (strcmp(name, "none") == 0) *table = &rw_stream_none;
    for (int i = 0; i < nformats && !*table; ++i)
        if (!formats[i]->by_name && ends_so(formats[i], name)) *table = formats[i];
    if (!*table) *table = find_by_name(name);
    if (!*table && rw_stream_has_unknown_ending(name)) {
        char endings[256] = "";
        for (int i = 0; i < nformats; ++i)
            for (int e = 0; e < RW_COUNT(formats[i]->endings) && formats[i]->endings[e]; ++e) {
                const size_t used = strlen(endings);
                snprintf(endings + used, sizeof endings - used, "%s%s", used ? ", " : "", formats[i]->endings[e]);
            }
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: no stream format has this ending: %s; or choose one with --format",
                       name, endings);
    }
    if (!*table) *table = standard->by_name || !standard->create ? &rw_stream_pnm : standard;
    if ((*table)->create) return RW_OK;
    return rw_fail(ctx, RW_ERR_ARGUMENT,
                   "%s: streams of format %s cannot be written: choose another format with --format", name,
                   (*table)->name);
}

rw_status rw_stream_create(rw_context *ctx, const char *name, const rw_stream_format *table,
                           const rw_frame_format *format, rw_stream *s)
{
    *s = (rw_stream){.table = table, .format = *format};
    if (table->holds && !table->holds(format))
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: format %s cannot store frames of %s: choose another format with --format", name,
                       table->name, rw_frame_describe(format).text);
    /* a single picture is written like other files: it replaces nothing before the stream is complete */
    const bool by_name = table->by_name && (table != &rw_stream_pictures || rw_stream_is_numbered(name));
    if (!by_name) RW_TRY(rw_stream_file_create(ctx, name, &s->file));
    rw_status status = table->create(ctx, name, by_name ? NULL : &s->file, format, &s->state);
    if (status != RW_OK) rw_stream_close(s);
    return status;
}

rw_status rw_stream_commit(rw_stream *s)
{
    rw_status status = rw_stream_file_commit(&s->file);
    rw_stream_close(s);
    return status;
}

void rw_stream_close(rw_stream *s)
{
    if (s->state && s->table->destroy) s->table->destroy(s->state);
    s->state = NULL;
    rw_stream_file_close(&s->file);
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

int64_t rw_frame_bytes(const rw_frame_format *f)
{
    if (!f) return 0;
    const int64_t size = f->dtype == RW_U16 ? 2 : 1, pixels = f->width * f->height;
    const int64_t cw = f->layout == RW_FRAME_444 ? f->width : (f->width + 1) / 2,
                  ch = f->layout == RW_FRAME_420 ? (f->height + 1) / 2 : f->height;
    return size * (f->layout == RW_FRAME_PIXELS ? pixels * f->channels : pixels + 2 * cw * ch);
}

rw_frame_text rw_frame_describe(const rw_frame_format *f)
{
    static const char *const layouts[] = {
#define RW_X(name, text, line) text,
        RW_FRAME_LAYOUT_LIST(RW_X)
#undef RW_X
    };
    rw_frame_text t;
    const int bits = f->bits ? f->bits : f->dtype == RW_U16 ? 16 : 8;
    if (f->layout == RW_FRAME_PIXELS)
        snprintf(t.text, sizeof t.text, "%lld x %lld pixels, %d channel%s, %d bits", (long long)f->width,
                 (long long)f->height, f->channels, f->channels == 1 ? "" : "s", bits);
    else
        snprintf(t.text, sizeof t.text, "%lld x %lld pixels, %s, %d bits", (long long)f->width, (long long)f->height,
                 layouts[f->layout], bits);
    return t;
}

rw_status rw_frame_check(rw_context *ctx, const char *name, const rw_frame_format *f)
{
    if (f->width < 1 || f->height < 1 || f->width > 1 << 20 || f->height > 1 << 20 || f->width * f->height > 1 << 28)
        return rw_fail(ctx, RW_ERR_INPUT, "%s: frames of %lld x %lld pixels: a frame must have 1 x 1 to 2^28 pixels",
                       name, (long long)f->width, (long long)f->height);
    if (f->siting > RW_CHROMA_PALDV || f->aspect[0] < 0 || f->aspect[1] < 0 ||
        (f->interlacing && !strchr("ptb?", f->interlacing)))
        return rw_fail(ctx, RW_ERR_INPUT,
                       "%s: frames with aspect %d:%d, interlacing %d, siting %d: the aspect is positive or 0:0, "
                       "interlacing p, t, b, ? or 0, siting a value of rw_chroma_siting",
                       name, f->aspect[0], f->aspect[1], f->interlacing, f->siting);
    RW_CHECK_MEMBERS(ctx, rw_frame_format, f);
    if (f->dtype != RW_U8 && f->dtype != RW_U16)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: samples of type %s: frames have samples of u8 or u16", name,
                       rw_dtype_name(f->dtype));
    const bool pixels = f->layout == RW_FRAME_PIXELS;
    if (pixels ? f->channels < 1 || f->channels > 4 : f->channels != 3)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: frames of %d channels: pixels have 1 to 4 channels, planes have 3",
                       name, f->channels);
    const int most = f->dtype == RW_U16 ? 16 : 8;
    if (f->bits < 0 || f->bits > most)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: bits = %d: samples of %s have 1 to %d bits; 0 means all", name,
                       f->bits, rw_dtype_name(f->dtype), most);
    if ((f->rate[0] || f->rate[1]) && (f->rate[0] < 1 || f->rate[1] < 1))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: rate = %d/%d frames/s: both numbers must be positive, or both 0",
                       name, f->rate[0], f->rate[1]);
    for (int i = 0; i < RW_COUNT(f->reserved); ++i)
        RW_TRY(rw_reserved_check(ctx, "rw_frame_format", &(int64_t){f->reserved[i]}, 1));
    return RW_OK;
}
