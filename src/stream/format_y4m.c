/* YUV4MPEG2: a line of text for the stream and one for each frame, then planes Y, Cb, Cr. */
#include <stdlib.h>
#include <string.h>

#include "stream/stream.h"

enum { LINE = 1024 };

typedef struct y4m {
    rw_stream_file *file;
    size_t bytes;
} y4m;

static bool is(const unsigned char *start, size_t n) { return n >= 9 && memcmp(start, "YUV4MPEG2", 9) == 0; }

/* Reads up to the end of the line, which is not stored. */
static rw_status read_line(rw_stream_file *f, char line[LINE], const char *what, bool *end)
{
    for (int i = 0; i < LINE - 1; ++i) {
        RW_TRY(rw_stream_file_read(f, line + i, 1, what, i ? NULL : end));
        if (!i && end && *end) return RW_OK;
        if (line[i] == '\n') {
            line[i] = 0;
            return RW_OK;
        }
    }
    return rw_fail(f->ctx, RW_ERR_INPUT, "%s: %s is longer than %d bytes", f->name, what, LINE - 1);
}

static const struct {
    const char *name;
    rw_frame_layout layout;
    int channels;
    rw_chroma_siting siting;
} spaces[] = {
    {"420jpeg", RW_FRAME_420, 3, RW_CHROMA_CENTRE}, {"420mpeg2", RW_FRAME_420, 3, RW_CHROMA_LEFT},
    {"420paldv", RW_FRAME_420, 3, RW_CHROMA_PALDV}, {"420", RW_FRAME_420, 3, RW_CHROMA_CENTRE},
    {"422", RW_FRAME_422, 3, RW_CHROMA_CENTRE},     {"444", RW_FRAME_444, 3, RW_CHROMA_CENTRE},
    {"mono", RW_FRAME_PIXELS, 1, RW_CHROMA_CENTRE},
};

/* "420p10": the colour space, then the bits of a sample. */
static rw_status set_space(const rw_stream_file *f, const char *text, rw_frame_format *format)
{
    for (int i = 0; i < RW_COUNT(spaces); ++i) {
        const size_t n = strlen(spaces[i].name);
        if (strncmp(text, spaces[i].name, n) != 0) continue;
        const char *rest = text + n + (text[n] == 'p' && !spaces[i].name[3]);
        char *after;
        const long bits = *rest ? strtol(rest, &after, 10) : 8;
        if (*rest && (*after || bits < 9 || bits > 16)) continue;
        format->layout = spaces[i].layout;
        format->channels = spaces[i].channels;
        format->siting = (unsigned char)spaces[i].siting;
        format->bits = (int)bits;
        format->dtype = bits > 8 ? RW_U16 : RW_U8;
        return RW_OK;
    }
    return rw_fail(f->ctx, RW_ERR_UNSUPPORTED,
                   "%s: colour space C%s is not supported: use 420, 422, 444 or mono with 8 to 16 bits", f->name, text);
}

static rw_status open_stream(rw_context *ctx, const char *name RW_UNUSED, rw_stream_file *f, rw_frame_format *format,
                             void **state)
{
    char line[LINE], *save = NULL;
    RW_TRY(read_line(f, line, "the header", NULL));
    *format = (rw_frame_format){.layout = RW_FRAME_420, .channels = 3, .dtype = RW_U8, .bits = 8};
    for (char *word = strtok_r(line + 9, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        if (*word == 'W') format->width = strtoll(word + 1, NULL, 10);
        if (*word == 'H') format->height = strtoll(word + 1, NULL, 10);
        if (*word == 'F' && sscanf(word + 1, "%d:%d", &format->rate[0], &format->rate[1]) != 2)
            format->rate[0] = format->rate[1] = 0;
        if (*word == 'C') RW_TRY(set_space(f, word + 1, format));
        if (*word == 'A' && (sscanf(word + 1, "%d:%d", &format->aspect[0], &format->aspect[1]) != 2 ||
                             format->aspect[0] <= 0 || format->aspect[1] <= 0))
            format->aspect[0] = format->aspect[1] = 0;
        /* mixed: each frame has its own interlacing, which is not copied */
        if (*word == 'I') format->interlacing = word[1] && strchr("ptb", word[1]) ? word[1] : '?';
        if (strcmp(word, "XCOLORRANGE=FULL") == 0) format->full_range = true;
        if (strcmp(word, "XCOLORRANGE=LIMITED") == 0) format->limited_range = true;
        if (strncmp(word, "XYSCSS=", 7) == 0) format->states_sampling = true;
    }
    if (format->rate[0] <= 0 || format->rate[1] <= 0) format->rate[0] = format->rate[1] = 0;
    RW_TRY(rw_frame_check(ctx, f->name, format));
    y4m *s = rw_calloc(1, sizeof *s);
    if (!s) return rw_fail_memory(ctx, sizeof *s, "a stream");
    *s = (y4m){f, (size_t)rw_frame_bytes(format)};
    *state = s;
    return RW_OK;
}

static rw_status read_frame(void *state, void *frame, bool *end)
{
    y4m *s = state;
    char line[LINE];
    RW_TRY(read_line(s->file, line, "the header of a frame", end));
    if (*end) return RW_OK;
    if (strncmp(line, "FRAME", 5) != 0)
        return rw_fail(s->file->ctx, RW_ERR_INPUT,
                       "%s: \"%.20s\" is not the header of a frame, which begins with FRAME", s->file->name, line);
    return rw_stream_file_read(s->file, frame, s->bytes, "a frame", NULL);
}

static bool holds(const rw_frame_format *f) { return f->layout != RW_FRAME_PIXELS || f->channels == 1; }

/* What the header says after its colour space: XYSCSS=420JPEG repeats it, XCOLORRANGE=… is the range. */
static void add_comments(const rw_frame_format *format, const char *space, char *head, size_t size)
{
    char capitals[32];
    size_t n = 0;
    for (; space[n] && n + 1 < sizeof capitals; ++n)
        capitals[n] = (char)(space[n] >= 'a' && space[n] <= 'z' ? space[n] - 32 : space[n]);
    capitals[n] = 0;
    if (format->states_sampling && format->layout != RW_FRAME_PIXELS)
        snprintf(head + strlen(head), size - strlen(head), " XYSCSS=%s", capitals);
    if (format->full_range || format->limited_range)
        snprintf(head + strlen(head), size - strlen(head), " XCOLORRANGE=%s", format->full_range ? "FULL" : "LIMITED");
}

static rw_status create(rw_context *ctx, const char *name RW_UNUSED, rw_stream_file *f, const rw_frame_format *format,
                        void **state)
{
    char head[256], bits[8] = "", space[24];
    const bool mono = format->layout == RW_FRAME_PIXELS;
    const int rate[2] = {format->rate[0] ? format->rate[0] : 25, format->rate[0] ? format->rate[1] : 1};
    static const char *const sited[] = {"420jpeg", "420mpeg2", "420paldv"};
    if (format->dtype == RW_U16) snprintf(bits, sizeof bits, mono ? "%d" : "p%d", format->bits ? format->bits : 16);
    snprintf(space, sizeof space, "%s%s",
             mono                             ? "mono"
             : format->layout == RW_FRAME_420 ? *bits ? "420" : sited[format->siting]
             : format->layout == RW_FRAME_422 ? "422"
                                              : "444",
             bits);
    snprintf(head, sizeof head, "YUV4MPEG2 W%lld H%lld F%d:%d I%c A%d:%d C%s", (long long)format->width,
             (long long)format->height, rate[0], rate[1], format->interlacing ? format->interlacing : 'p',
             format->aspect[0], format->aspect[1], space);
    add_comments(format, space, head, sizeof head - 1);
    strcat(head, "\n");
    RW_TRY(rw_stream_file_write(f, head, strlen(head)));
    y4m *s = rw_calloc(1, sizeof *s);
    if (!s) return rw_fail_memory(ctx, sizeof *s, "a stream");
    *s = (y4m){f, (size_t)rw_frame_bytes(format)};
    *state = s;
    return RW_OK;
}

static rw_status write_frame(void *state, const void *frame)
{
    y4m *s = state;
    RW_TRY(rw_stream_file_write(s->file, "FRAME\n", 6));
    return rw_stream_file_write(s->file, frame, s->bytes);
}

const rw_stream_format rw_stream_y4m = {
    .name = "y4m",
    .line = "YUV4MPEG2, written by ffmpeg and others: planes of luma and chroma",
    .endings = {".y4m"},
    .is = is,
    .open = open_stream,
    .read = read_frame,
    .create = create,
    .write = write_frame,
    .holds = holds,
    .destroy = rw_free,
    .luma = true,
};
