/* Animated PNG from the PNG files of its frames (see apng.h):
 *
 *   signature  IHDR  acTL  fcTL 0  IDAT …  fcTL 1  fdAT 2 …  fcTL 3  fdAT 4 …  IEND
 *
 * Sequence numbers count the chunks fcTL and fdAT. Each frame has one chunk of data, which holds those of all IDAT of
 * its file. One frame is in memory at a time. */
#include "io/apng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/raster.h"

enum { LONGEST = 0x7ffffff0, HEAD = 13, LIMIT = 1 << 30 };

static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

typedef struct animation {
    rw_context *ctx;
    rw_io_file file;
    size_t width, height;
    uint32_t sequence;
} animation;

static uint32_t number(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void put(unsigned char *p, uint32_t value)
{
    for (int i = 0; i < 4; i++) p[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* CRC-32 of PNG, continued from `crc`; four bits at a time. */
static uint32_t add_crc(uint32_t crc, const unsigned char *p, size_t n)
{
    uint32_t table[16];
    for (uint32_t i = 0; i < 16; i++) {
        table[i] = i;
        for (int bit = 0; bit < 4; bit++) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return crc;
}

/* A chunk whose data begin with a sequence number where `numbered`. */
static rw_status write_chunk(animation *a, const char type[5], bool numbered, const void *data, size_t n)
{
    unsigned char head[12], tail[4];
    const size_t before = numbered ? 12 : 8;
    put(head, (uint32_t)(n + before - 8));
    memcpy(head + 4, type, 4);
    if (numbered) put(head + 8, a->sequence++);
    put(tail, ~add_crc(add_crc(~0u, head + 4, before - 4), data, n));
    RW_TRY(rw_io_write(&a->file, head, before));
    RW_TRY(rw_io_write(&a->file, data, n));
    return rw_io_write(&a->file, tail, 4);
}

/* ---- a frame ----------------------------------------------------------------------------------------------------- */

static rw_status fail_kind(rw_context *ctx, const char *path)
{
    return rw_fail(ctx, RW_ERR_INPUT, "%s: a frame of an animation must be a PNG of 8-bit RGB pixels, not interlaced",
                   path);
}

/* The size from the first chunk. */
static rw_status read_size(rw_context *ctx, const char *path, const unsigned char *b, size_t n, size_t *width,
                           size_t *height)
{
    static const unsigned char kind[5] = {8, 2, 0, 0, 0};
    if (n < 33 || memcmp(b, signature, 8) != 0 || memcmp(b + 12, "IHDR", 4) != 0 || memcmp(b + 24, kind, 5) != 0)
        return fail_kind(ctx, path);
    *width = number(b + 16);
    *height = number(b + 20);
    return RW_OK;
}

/* The data of all IDAT, moved to the beginning of the bytes. There they end before the next chunk. */
static rw_status join_data(rw_context *ctx, const char *path, unsigned char *b, size_t n, size_t *length)
{
    *length = 0;
    for (size_t at = 8; at + 12 <= n;) {
        const size_t size = number(b + at), next = at + 12 + size;
        const bool is_data = memcmp(b + at + 4, "IDAT", 4) == 0, is_end = memcmp(b + at + 4, "IEND", 4) == 0;
        if (size > n - at - 12) break;
        if (is_end && *length > 0 && *length < LONGEST) return RW_OK;
        if (is_data) memmove(b + *length, b + at + 8, size);
        *length += is_data ? size : 0;
        at = next;
    }
    return rw_fail(ctx, RW_ERR_INPUT, "%s: the PNG is damaged", path);
}

/* The picture in the middle of white, as PNG in memory. */
static rw_status pad(animation *a, const char *path, char **bytes, size_t *n)
{
    rw_raster small, wide = {0};
    RW_TRY(rw_raster_read(a->ctx, path, 0, &small));
    rw_status status = rw_raster_create(a->ctx, path, a->width, a->height, 3, 1, 0, &wide);
    const size_t left = (a->width - small.width) / 2, top = (a->height - small.height) / 2;
    if (status == RW_OK) memset(wide.samples, 255, 3 * a->width * a->height);
    for (size_t y = 0; y < small.height && status == RW_OK; y++)
        memcpy((char *)wide.samples + 3 * ((top + y) * a->width + left), (char *)small.samples + 3 * y * small.width,
               3 * small.width);
    wide.maximum = 255;
    rw_io_file memory = {.ctx = a->ctx, .path = path};
    char *made = NULL;
    if (status == RW_OK && !(memory.file = open_memstream(&made, n))) status = rw_fail_memory(a->ctx, *n, path);
    if (status == RW_OK) status = rw_raster_png.write(&memory, &wide);
    if (memory.file && fclose(memory.file) != 0 && status == RW_OK) status = rw_fail_memory(a->ctx, *n, path);
    *bytes = status == RW_OK ? rw_calloc(*n, 1) : NULL;
    if (*bytes) memcpy(*bytes, made, *n);
    else if (status == RW_OK) status = rw_fail_memory(a->ctx, *n, path);
    free(made);
    rw_raster_free(&small);
    rw_raster_free(&wide);
    return status;
}

/* fcTL: size, place, time, and how it is drawn: in place of all that was there. */
static rw_status write_control(animation *a, double rate)
{
    unsigned char data[22] = {0};
    put(data, (uint32_t)a->width);
    put(data + 4, (uint32_t)a->height);
    const uint32_t delay = 100u << 16 | (uint32_t)lround(100 * rate);
    put(data + 16, delay);
    return write_chunk(a, "fcTL", true, data, sizeof data);
}

static rw_status add_frame(animation *a, int which, const char *path, double rate)
{
    char *bytes;
    size_t n, width = 0, height = 0, length = 0;
    RW_TRY(rw_file_read(a->ctx, path, LIMIT, &bytes, &n));
    rw_status status = read_size(a->ctx, path, (unsigned char *)bytes, n, &width, &height);
    if (status == RW_OK && (width != a->width || height != a->height)) {
        rw_free(bytes);
        RW_TRY(pad(a, path, &bytes, &n));
    }
    if (status == RW_OK) status = join_data(a->ctx, path, (unsigned char *)bytes, n, &length);
    if (status == RW_OK) status = write_control(a, rate);
    if (status == RW_OK) status = write_chunk(a, which ? "fdAT" : "IDAT", which > 0, bytes, length);
    rw_free(bytes);
    return status;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* The largest width and height of all. */
static rw_status find_size(animation *a, int n, const char *const *files)
{
    for (int i = 0; i < n; i++) {
        unsigned char head[33];
        size_t width, height;
        rw_io_file frame;
        RW_TRY(rw_io_open(a->ctx, files[i], &frame));
        rw_status status = rw_io_read(&frame, head, sizeof head, "the header");
        rw_io_close(&frame);
        if (status == RW_OK) status = read_size(a->ctx, files[i], head, sizeof head, &width, &height);
        RW_TRY(status);
        a->width = RW_MAX(a->width, width);
        a->height = RW_MAX(a->height, height);
    }
    return RW_OK;
}

rw_status rw_apng_write(rw_context *ctx, const char *path, int n, const char *const *files, double rate)
{
    animation a = {.ctx = ctx};
    unsigned char head[HEAD] = {0}, control[8] = {0};
    RW_TRY(find_size(&a, n, files));
    put(head, (uint32_t)a.width);
    put(head + 4, (uint32_t)a.height);
    head[8] = 8;
    head[9] = 2;
    put(control, (uint32_t)n);
    RW_TRY(rw_io_create(ctx, path, &a.file));
    rw_status status = rw_io_write(&a.file, signature, sizeof signature);
    if (status == RW_OK) status = write_chunk(&a, "IHDR", false, head, sizeof head);
    if (status == RW_OK) status = write_chunk(&a, "acTL", false, control, sizeof control);
    for (int i = 0; i < n && status == RW_OK; i++) status = add_frame(&a, i, files[i], rate);
    if (status == RW_OK) status = write_chunk(&a, "IEND", false, "", 0);
    if (status == RW_OK) status = rw_io_commit(&a.file);
    rw_io_close(&a.file);
    return status;
}
