/* Samples in files and pipes: WAV, and samples without a header.
 *
 *   "RIFF" size "WAVE"   chunks: name[4] size[4] bytes, and one more where the size is odd
 *   "fmt "  tag[2] channels[2] rate[4] bytes/s[4] bytes/sample[2] bits[2]; tag 0xfffe: 2 bytes size, valid bits[2]
 *           mask[4] tag[2] GUID[14]
 *   "data"  samples; sizes that programs write for an unknown length: until the end
 *
 * Longer than 4 GiB: "RF64" (or "BW64") 0xffffffff "WAVE", and first the chunk "ds64": size[8] of the file, size[8] of
 * "data", samples[8], entries[4] of a table; the size of "data" is 0xffffffff.
 *
 * Source: European Broadcasting Union, Tech 3306, MBWF/RF64, 2018; Microsoft, Multiple Channel Audio Data and WAVE
 * Files, 2007; IBM and Microsoft, Multimedia Programming Interface 1.0, 1991. */
#include "signal/signal.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "samples are little endian, as the machine");

enum { PCM = 1, FLOAT = 3, EXTENSIBLE = 0xfffe, HEADER = 128, CHUNK = 4096, WIDE = 36 };
static const uint32_t unknown = 0xffffffff;

/* Sizes of "data" that mean an unknown length: 0; those near 2^32 (ffmpeg and others, some less the
 * header); 0x7ffff000 (SoX, in whole samples) to 0x80000000 (arecord). */
static bool is_unknown(uint64_t size, size_t sample)
{
    return size == 0 || (size >= 0x7ffff000 - (uint64_t)sample && size <= 0x80000000) ||
           (size >= 0xfffff000 && size <= unknown) || size == UINT64_MAX;
}
static const unsigned char guid[14] = {0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};

static const struct {
    const char *name;
    int bytes;
    double scale;
    rw_dtype dtype;
} kinds[] = {{"?", 0, 1, RW_F32},
#define INTEGER(kind) (kind == RW_SAMPLE_U8 ? RW_I8 : kind == RW_SAMPLE_S16 ? RW_I16 : RW_I32)
#define RW_X(name, text, bytes, scale, line)                                                                           \
    {text, bytes, scale,                                                                                               \
     RW_SAMPLE_##name == RW_SAMPLE_F32   ? RW_F32                                                                      \
     : RW_SAMPLE_##name == RW_SAMPLE_F64 ? RW_F64                                                                      \
                                         : INTEGER(RW_SAMPLE_##name)},
             RW_SAMPLE_KIND_LIST(RW_X)
#undef RW_X
};

rw_dtype rw_sample_dtype(rw_sample_kind kind) { return kinds[kind].dtype; }
double rw_sample_scale(rw_sample_kind kind) { return kinds[kind].scale; }
static size_t sample_bytes(const rw_signal_format *f) { return (size_t)f->channels * (size_t)kinds[f->kind].bytes; }

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static uint32_t number(const unsigned char *b)
{
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static unsigned small(const unsigned char *b) { return b[0] | (unsigned)b[1] << 8; }

static rw_status parse_format(rw_signal_source *s, const unsigned char *b, uint32_t n)
{
    rw_context *ctx = s->file.ctx;
    const char *name = s->file.name;
    rw_signal_format *f = &s->format;
    unsigned tag = small(b);
    const unsigned bits = small(b + 14), align = small(b + 12);
    if (tag == EXTENSIBLE && (n < 40 || memcmp(b + 26, guid, sizeof guid)))
        return rw_fail(ctx, RW_ERR_UNSUPPORTED,
                       "%s: the encoding of this WAV file is not supported: convert it to integers or floating point",
                       name);
    if (tag == EXTENSIBLE) tag = small(b + 24);
    for (int k = 1; k < RW_SAMPLE_KINDS; ++k)
        if (tag == (k >= RW_SAMPLE_F32 ? FLOAT : PCM) && bits == 8 * (unsigned)kinds[k].bytes)
            f->kind = (rw_sample_kind)k;
    if (!f->kind)
        return rw_fail(
            ctx, RW_ERR_UNSUPPORTED,
            "%s: WAV encoding %u with %u bits is not supported: convert to integers (encoding 1) of 8, 16, 24 or 32 "
            "bits, or floating point (3) of 32 or 64 bits",
            name, tag, bits);
    f->channels = (int)small(b + 2);
    f->rate = number(b + 4);
    if (f->channels < 1 || f->channels > RW_SIGNAL_CHANNELS || !(f->rate > 0) || align != sample_bytes(f))
        return rw_fail(
            ctx, RW_ERR_INPUT,
            "%s: the header is damaged: it has %d channels (1 to %d are allowed), %.0f samples/s, %u bytes per sample "
            "(%s has %zu)",
            name, f->channels, RW_SIGNAL_CHANNELS, f->rate, align, kinds[f->kind].name, sample_bytes(f));
    return RW_OK;
}

static uint64_t large(const unsigned char *b) { return number(b) | (uint64_t)number(b + 4) << 32; }

/* The samples in a chunk "data" of this size. */
static rw_status set_count(rw_signal_source *s, uint64_t size)
{
    rw_signal_format *f = &s->format;
    if (!f->kind)
        return rw_fail(s->file.ctx, RW_ERR_INPUT, "%s: the WAV file is damaged: the chunk \"data\" precedes \"fmt \"",
                       s->file.name);
    if (is_unknown(size, sample_bytes(f))) return RW_OK;
    if (size % sample_bytes(f) || size > INT64_MAX)
        return rw_fail(s->file.ctx, RW_ERR_INPUT,
                       "%s: the header is damaged: %llu bytes of data are not a multiple of the %zu bytes of a sample",
                       s->file.name, (unsigned long long)size, sample_bytes(f));
    f->count = (int64_t)size / (int64_t)sample_bytes(f);
    return RW_OK;
}

static rw_status parse_wav(rw_signal_source *s)
{
    unsigned char b[CHUNK];
    rw_context *ctx = s->file.ctx;
    rw_signal_format *f = &s->format;
    uint64_t data = UINT64_MAX; /* of "ds64" */
    *f = (rw_signal_format){.container = RW_SIGNAL_WAV, .count = -1};
    RW_TRY(rw_stream_file_read(&s->file, b, 12, "the header", NULL));
    const bool wide = memcmp(b, "RIFF", 4) != 0;
    for (;;) {
        bool end;
        RW_TRY(rw_stream_file_read(&s->file, b, 8, "the header of a chunk", &end));
        if (end)
            return rw_fail(ctx, RW_ERR_INPUT, "%s: the WAV file is damaged: it has no chunk \"data\"", s->file.name);
        const uint32_t size = number(b + 4);
        const bool format = memcmp(b, "fmt ", 4) == 0;
        const bool sizes = wide && memcmp(b, "ds64", 4) == 0;
        if (memcmp(b, "data", 4) == 0) return set_count(s, wide && size == unknown ? data : size);
        if (format && (size < 16 || size > CHUNK))
            return rw_fail(ctx, RW_ERR_INPUT, "%s: the chunk \"fmt \" has %u bytes: it must have 16 to %d",
                           s->file.name, size, CHUNK);
        for (uint64_t left = (uint64_t)size + (size & 1), n; left; left -= n) {
            n = RW_MIN(left, CHUNK);
            RW_TRY(rw_stream_file_read(&s->file, b, (size_t)n, "a chunk of the header", NULL));
            if (format) RW_TRY(parse_format(s, b, size));
            if (sizes && n >= 16 && left == (uint64_t)size + (size & 1)) data = large(b + 8);
        }
    }
}

static rw_status check_raw(rw_signal_source *s, const rw_signal_format *given)
{
    rw_context *ctx = s->file.ctx;
    if (!given->kind && !s->file.nstart)
        return rw_fail(ctx, RW_ERR_INPUT, "%s is empty: expected a WAV file, or samples described by --samples",
                       s->file.name);
    if (!given->kind)
        return rw_fail(ctx, RW_ERR_INPUT,
                       "%s is not a WAV file: describe samples that have no header, such as --samples 48000:s16:2",
                       s->file.name);
    s->format = *given;
    s->format.container = RW_SIGNAL_RAW;
    s->format.count = -1;
    const bool known = given->kind > 0 && given->kind < RW_SAMPLE_KINDS;
    if (known && given->channels >= 1 && given->channels <= RW_SIGNAL_CHANNELS && given->rate > 0) return RW_OK;
    return rw_fail(
        ctx, RW_ERR_ARGUMENT,
        "%s: samples of kind %d, %d channels, %g samples/s: the kind must be a value of rw_sample_kind, channels 1 to "
        "%d, the rate above 0",
        s->file.name, (int)given->kind, given->channels, given->rate, RW_SIGNAL_CHANNELS);
}

rw_status rw_signal_open(rw_context *ctx, const char *name, const rw_signal_format *given, rw_signal_source *s)
{
    *s = (rw_signal_source){0};
    RW_TRY(rw_reserved_check(ctx, "rw_signal_format", given->reserved, RW_COUNT(given->reserved)));
    RW_TRY(rw_stream_file_open(ctx, name, &s->file));
    const unsigned char *b = s->file.start;
    const bool wav = s->file.nstart == 12 && memcmp(b + 8, "WAVE", 4) == 0 &&
                     (!memcmp(b, "RIFF", 4) || !memcmp(b, "RF64", 4) || !memcmp(b, "BW64", 4));
    rw_status status = wav ? parse_wav(s) : check_raw(s, given);
    if (status != RW_OK) rw_signal_close(s);
    return status;
}

/* 24-bit samples are stored in the last three quarters of the memory. */
static void expand(void *to, size_t n, size_t room)
{
    int32_t *v = to;
    const unsigned char *b = (unsigned char *)to + room;
    for (size_t i = 0; i < n; ++i, b += 3)
        v[i] = (int32_t)((uint32_t)b[0] << 8 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 24) >> 8;
}

static void flip(unsigned char *to, const unsigned char *from, size_t n)
{
    for (size_t i = 0; i < n; ++i) to[i] = from[i] ^ 0x80;
}

rw_status rw_signal_read(rw_signal_source *s, void *to, int64_t n, int64_t *have)
{
    const rw_signal_format *f = &s->format;
    const size_t bytes = sample_bytes(f);
    const int64_t wanted = f->count >= 0 ? RW_MIN(n, f->count - s->done) : n;
    const size_t values = (size_t)wanted * (size_t)f->channels, room = f->kind == RW_SAMPLE_S24 ? values : 0;
    size_t got;
    *have = 0;
    if (s->ended || wanted <= 0) return RW_OK;
    RW_TRY(rw_stream_file_read_most(&s->file, (char *)to + room, (size_t)wanted * bytes, "samples", &got));
    *have = (int64_t)(got / bytes);
    s->done += *have;
    s->ended = *have < wanted;
    if (f->kind == RW_SAMPLE_S24) expand(to, got / 3, room);
    if (f->kind == RW_SAMPLE_U8) flip(to, to, got);
    if (got % bytes || (s->ended && f->count >= 0)) s->broken = RW_ERR_INPUT;
    if (got % bytes)
        snprintf(s->message, sizeof s->message, "%s: the stream ends inside sample %lld, after %zu of its %zu bytes",
                 s->file.name, (long long)s->done, got % bytes, bytes);
    else if (s->broken)
        snprintf(s->message, sizeof s->message,
                 "%s: the stream ends after %lld of the %lld samples that its header announces", s->file.name,
                 (long long)s->done, (long long)f->count);
    return RW_OK;
}

void rw_signal_close(rw_signal_source *s) { rw_stream_file_close(&s->file); }

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static unsigned char *put(unsigned char *b, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; ++i) b[i] = (unsigned char)(v >> (8 * i));
    return b + bytes;
}

/* 8-bit and 16-bit integers with one or two channels use the short header, which every program reads. count < 0: sizes
 * are unknown. wide: RF64. */
static size_t make_header(const rw_signal_format *f, bool wide, int64_t count, unsigned char *header)
{
    const bool real = f->kind >= RW_SAMPLE_F32, plain = f->kind <= RW_SAMPLE_S16 && f->channels <= 2;
    const uint64_t bytes = sample_bytes(f), data = (uint64_t)count * bytes,
                   size = (plain  ? 36
                           : real ? 72
                                  : 60) +
                          (wide ? WIDE : 0) + data + (data & 1);
    const bool known = count >= 0 && size < unknown && !wide;
    unsigned char *b = header;
    memcpy(b, wide ? "RF64" : "RIFF", 4);
    b = put(b + 4, known ? size : unknown, 4);
    memcpy(b, "WAVE", 4);
    b += 4;
    if (wide) {
        memcpy(b, "ds64", 4);
        b = put(b + 4, WIDE - 8, 4);
        b = put(b, count < 0 ? 0 : size, 8);
        b = put(b, count < 0 ? 0 : data, 8);
        b = put(b, count < 0 ? 0 : (uint64_t)count, 8);
        b = put(b, 0, 4);
    }
    memcpy(b, "fmt ", 4);
    b = put(b + 4, plain ? 16 : 40, 4);
    b = put(b, plain ? PCM : EXTENSIBLE, 2);
    b = put(b, (uint64_t)f->channels, 2);
    b = put(b, (uint64_t)f->rate, 4);
    b = put(b, (uint64_t)f->rate * bytes, 4);
    b = put(b, bytes, 2);
    b = put(b, 8 * (uint64_t)kinds[f->kind].bytes, 2);
    if (!plain) {
        b = put(b, 22, 2);
        b = put(b, 8 * (uint64_t)kinds[f->kind].bytes, 2);
        b = put(b, 0, 4);
        b = put(b, real ? FLOAT : PCM, 2);
        memcpy(b, guid, sizeof guid);
        b += sizeof guid;
    }
    if (real) {
        memcpy(b, "fact", 4);
        b = put(put(b + 4, 4, 4), known ? (uint64_t)count : unknown, 4);
    }
    memcpy(b, "data", 4);
    b = put(b + 4, known ? data : unknown, 4);
    return (size_t)(b - header);
}

/* The container of an output whose caller has chosen none. */
static rw_status choose_container(rw_context *ctx, const char *name, rw_signal_container standard,
                                  rw_signal_container *container)
{
    if (*container) return RW_OK;
    *container = standard;
    if (rw_ends_in(name, ".wav")) *container = RW_SIGNAL_WAV;
    else if (rw_ends_in(name, ".raw") || rw_ends_in(name, ".pcm")) *container = RW_SIGNAL_RAW;
    else if (rw_stream_has_unknown_ending(name))
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: no format of signals has this ending: .wav, .raw, .pcm; or choose --format wav or raw",
                       name);
    return RW_OK;
}

rw_status rw_signal_create(rw_context *ctx, const char *name, const rw_signal_format *format,
                           rw_signal_container standard, rw_signal_sink *s)
{
    *s = (rw_signal_sink){.format = *format};
    rw_signal_format *f = &s->format;
    unsigned char header[HEADER];
    RW_TRY(choose_container(ctx, name, standard, &f->container));
    if (f->container == RW_SIGNAL_WAV && !(f->rate < unknown && f->rate == (double)(uint32_t)f->rate))
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: %g samples/s: the rate of a WAV file must be an integer below 2^32: choose --format raw",
                       name, f->rate);
    s->wide = f->count > 0 && (uint64_t)f->count > (unknown - HEADER) / sample_bytes(f);
    RW_TRY(rw_stream_file_create(ctx, name, &s->file));
    s->open = true;
    if (f->container != RW_SIGNAL_WAV) return RW_OK;
    return rw_stream_file_write(&s->file, header, make_header(f, s->wide, f->count, header));
}

rw_status rw_signal_write(rw_signal_sink *s, const void *from, int64_t n)
{
    const rw_sample_kind kind = s->format.kind;
    const size_t bytes = (size_t)kinds[kind].bytes, values = (size_t)n * (size_t)s->format.channels;
    unsigned char b[3 * CHUNK];
    s->done += n;
    if (kind != RW_SAMPLE_U8 && kind != RW_SAMPLE_S24) return rw_stream_file_write(&s->file, from, values * bytes);
    for (size_t at = 0, some; at < values; at += some) {
        some = RW_MIN(values - at, CHUNK);
        if (kind == RW_SAMPLE_U8) flip(b, (const unsigned char *)from + at, some);
        else
            for (size_t i = 0; i < some; ++i) {
                const int32_t v = ((const int32_t *)from)[at + i], limit = 1 << 23;
                put(b + 3 * i, (uint64_t)(v < -limit ? -limit : v > limit - 1 ? limit - 1 : v), 3);
            }
        RW_TRY(rw_stream_file_write(&s->file, b, some * bytes));
    }
    return RW_OK;
}

rw_status rw_signal_commit(rw_signal_sink *s)
{
    unsigned char header[HEADER] = {0};
    rw_stream_file *file = &s->file;
    rw_status status = RW_OK;
    if (s->format.container == RW_SIGNAL_WAV) {
        const bool odd = (uint64_t)s->done * sample_bytes(&s->format) & 1;
        if (odd && (file->seekable || s->format.count >= 0)) status = rw_stream_file_write(file, header, 1);
        rw_stream_file_set_head(file, header, make_header(&s->format, s->wide, s->done, header));
    }
    s->open = false;
    if (status == RW_OK) return rw_stream_file_commit(file);
    rw_stream_file_close(file);
    return status;
}

void rw_signal_discard(rw_signal_sink *s)
{
    if (s->open) rw_stream_file_close(&s->file);
    s->open = false;
}
