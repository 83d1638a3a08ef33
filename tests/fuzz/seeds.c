/* Writes seeds for the fuzz targets whose files are binary:   fuzz-seeds FOLDER   makes FOLDER/NAME/… for fuzz_NAME.
 * Those that are text lie in tests/fuzz/corpus. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "files/npy.h"
#include "io/h5.h"
#include "io/picture.h"
#include "io/raster.h"
#if RW_WITH_CGNS
#include <cgnslib.h>
#endif

static rw_status write_rgb8(const char *path, size_t width, size_t height, const uint8_t *rgb)
{
    return rw_raster_write_png(NULL, path,
                               &(rw_raster){.width = width,
                                            .height = height,
                                            .channels = 3,
                                            .bytes = 1,
                                            .maximum = 255,
                                            .samples = (void *)(uintptr_t)rgb});
}

static char path[4096];

static void check(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz-seeds: %s: %s\n", what, rw_message(NULL));
    exit(1);
}

static const char *in(const char *folder, const char *target, const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, target);
    check(rw_folder_create(NULL, path) == RW_OK, target);
    snprintf(path, sizeof path, "%s/%s/%s", folder, target, name);
    return path;
}

static void write_text(const char *folder, const char *target, const char *name, const char *bytes, size_t n)
{
    FILE *f = fopen(in(folder, target, name), "wb");
    check(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0, name);
}

static void write_npy(const char *folder)
{
    static const double values[6] = {1, -2.5, 1e300, 0, 5, 6}, marked[2] = {1, 0};
    const size_t shape[2] = {2, 3};
    check(rw_npy_write(NULL, in(folder, "npy", "matrix"), RW_F64, 2, shape, values) == RW_OK, "npy");
    check(rw_npy_write(NULL, in(folder, "npy", "vector"), RW_F64, 1, shape, values) == RW_OK, "npy");
    check(rw_npy_write(NULL, in(folder, "npy", "mask"), RW_F64, 1, shape, marked) == RW_OK, "npy");
}

static void write_png(const char *folder)
{
    static const uint8_t bytes[12] = {0, 255, 17, 33, 4, 5, 6, 7, 8, 9, 10, 11};
    png_image grey = {.version = PNG_IMAGE_VERSION, .width = 3, .height = 4, .format = PNG_FORMAT_GRAY};
    check(write_rgb8(in(folder, "png", "rgb"), 2, 2, bytes) == RW_OK, "png");
    check(png_image_write_to_file(&grey, in(folder, "png", "grey"), 0, bytes, 0, NULL), "png");
}

/* A picture in a format of rasters: its name has the ending, by which it is chosen. */
static void write_raster(const char *folder, const char *target, const char *name, int channels, int bytes)
{
    static uint16_t samples[12 * 9 * 4];
    for (int i = 0; i < RW_COUNT(samples); i++) samples[i] = (uint16_t)(i * 2557);
    const rw_raster r = {.width = 12,
                         .height = 9,
                         .channels = channels,
                         .bytes = bytes,
                         .maximum = bytes == 2 ? 65535 : 255,
                         .samples = samples};
    check(rw_raster_write(NULL, in(folder, target, name), &r) == RW_OK, name);
}

/* Little-endian numbers, one after another. */
typedef struct bytes {
    unsigned char b[512];
    size_t n;
} bytes;
static void put(bytes *f, uint64_t v, int n)
{
    for (int i = 0; i < n; ++i) f->b[f->n++] = (unsigned char)(i < 8 ? v >> 8 * i : 0);
}
static void write_bytes(const char *folder, const char *target, const char *name, const bytes *f)
{
    write_text(folder, target, name, (const char *)f->b, f->n);
}

/* BMP of 6 x 4 pixels: every kind of header and of rows, with masks after the header or in it. */
static void write_bmp(const char *folder, const char *name, size_t header, int bits, int packed,
                      const uint32_t masks[4], const unsigned char *rows, size_t n)
{
    bytes f = {.b = "BM", .n = 14};
    const size_t colours = bits <= 8 ? (size_t)1 << bits : 0, entry = header == 12 ? 3 : 4;
    put(&f, header, 4);
    if (header == 12) put(&f, 6, 2), put(&f, 4, 2), put(&f, 1, 2), put(&f, (unsigned)bits, 2);
    else {
        put(&f, 6, 4), put(&f, 4, 4), put(&f, 1, 2), put(&f, (unsigned)bits, 2), put(&f, (unsigned)packed, 4);
        put(&f, 0, 4), put(&f, 0, 8), put(&f, colours > 16 ? 16 : colours, 4), put(&f, 0, 4);
        f.n = 14 + header;
    }
    const size_t end = f.n;
    if (masks) {
        f.n = 54;
        for (int i = 0; i < 4; ++i) put(&f, masks[i], 4);
        f.n = header == 40 ? f.n : end;
    }
    for (size_t i = 0; i < (colours > 16 ? 16 : colours) * entry; ++i) put(&f, i * 37 & 255, 1);
    const size_t from = f.n;
    for (size_t i = 0; i < n; ++i) put(&f, rows ? rows[i] : i * 29 & 255, 1);
    for (int i = 0; i < 4; ++i) f.b[10 + i] = (unsigned char)(from >> 8 * i);
    write_bytes(folder, "bmp", name, &f);
}

static void write_bmps(const char *folder)
{
    static const uint32_t rgba[4] = {0xff, 0xff00, 0xff0000, 0xff000000}, tens[4] = {0x3ff00000, 0xffc00, 0x3ff, 0},
                          fours[4] = {0xf00, 0xf0, 0xf, 0xf000};
    static const unsigned char rle8[] = {6, 3, 0, 0, 0, 3, 1, 2, 3, 0, 0, 2, 1, 1, 2, 9, 0, 1},
                               rle4[] = {6, 0x12, 0, 0, 0, 5, 0x12, 0x34, 0x50, 0, 0, 2, 1, 1, 3, 0x77, 0, 1},
                               rle24[] = {6, 1, 2, 3, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 1};
    write_bmp(folder, "core1", 12, 1, 0, NULL, NULL, 16), write_bmp(folder, "two", 16, 2, 0, NULL, NULL, 16);
    write_bmp(folder, "four", 64, 4, 0, NULL, NULL, 16), write_bmp(folder, "eight", 40, 8, 0, NULL, NULL, 32);
    write_bmp(folder, "sixteen", 40, 16, 0, NULL, NULL, 48), write_bmp(folder, "fields", 40, 32, 3, tens, NULL, 96);
    write_bmp(folder, "alpha", 40, 16, 6, fours, NULL, 48), write_bmp(folder, "v3", 56, 32, 3, rgba, NULL, 96);
    write_bmp(folder, "v5", 124, 32, 3, rgba, NULL, 96), write_bmp(folder, "rle8", 40, 8, 1, NULL, rle8, sizeof rle8);
    write_bmp(folder, "rle4", 40, 4, 2, NULL, rle4, sizeof rle4);
    write_bmp(folder, "rle24", 64, 24, 4, NULL, rle24, sizeof rle24);
}

/* TIFF of 4 x 2 pixels in one strip: bits, colours, the meaning of a sample beyond them, orientation, BigTIFF. */
static void write_tiff(const char *folder, const char *name, bool big, int bits, int samples, int photometric,
                       int extra, int orientation, int pages)
{
    const size_t colours = photometric == 3 ? (size_t)3 << bits : 0, pixels = big ? 16 : 8;
    const int wide = big ? 8 : 4, count = big ? 8 : 2;
    bytes f = {.b = "II", .n = 2};
    put(&f, big ? 43 : 42, 2);
    if (big) put(&f, 8, 2), put(&f, 0, 2);
    size_t link = f.n;
    put(&f, 0, wide);
    for (int i = 0; i < 64; ++i) put(&f, (unsigned)i * 37 & 255, 1);
    const size_t palette = f.n;
    for (size_t i = 0; i < colours; ++i) put(&f, i * 257 * 5 & 0xffff, 2);
    for (int page = 0; page < pages; ++page) {
        const uint64_t all_bits = (uint64_t)bits * (samples > 1 ? 0x0001000100010001 : 1);
        const uint64_t tags[][4] = {{256, 4, 1, 4},
                                    {257, 4, 1, 2},
                                    {258, 3, big ? (uint64_t)samples : 1, all_bits},
                                    {259, 3, 1, 1},
                                    {262, 3, 1, (uint64_t)photometric},
                                    {273, 4, 1, pixels},
                                    {274, 3, 1, (uint64_t)orientation},
                                    {277, 3, 1, (uint64_t)samples},
                                    {278, 4, 1, 2},
                                    {279, 4, 1, 64},
                                    {320, 3, colours, palette},
                                    {338, 3, 1, (uint64_t)extra}};
        for (int i = 0; i < wide; ++i) f.b[link + (size_t)i] = (unsigned char)(f.n >> 8 * i);
        put(&f, RW_COUNT(tags), count);
        for (int i = 0; i < RW_COUNT(tags); ++i)
            put(&f, tags[i][0], 2), put(&f, tags[i][1], 2), put(&f, tags[i][2], wide), put(&f, tags[i][3], wide);
        link = f.n;
        put(&f, 0, wide);
    }
    write_bytes(folder, "tiff", name, &f);
}

/* Signals: a byte that chooses a format for what has no header, then the file. */
static void write_wav(const char *folder, const char *name, const char *start, int tag, int bits, int channels,
                      uint32_t size)
{
    bytes f = {0};
    const unsigned sample = (unsigned)(bits / 8 * channels);
    const bool wide = strcmp(start, "RIFF") != 0;
    put(&f, 0, 1);
    memcpy(f.b + 1, start, 4);
    f.n += 4;
    put(&f, 0xffffffff, 4);
    memcpy(f.b + f.n, "WAVE", 4);
    f.n += 4;
    if (wide) {
        memcpy(f.b + f.n, "ds64", 4);
        f.n += 4;
        put(&f, 28, 4);
        put(&f, 136, 8);
        put(&f, 48, 8);
        put(&f, 0, 12);
    }
    memcpy(f.b + f.n, "fmt ", 4);
    f.n += 4;
    put(&f, tag == 0xfffe ? 40 : 16, 4);
    put(&f, (unsigned)tag, 2), put(&f, (unsigned)channels, 2), put(&f, 8000, 4), put(&f, 8000 * sample, 4);
    put(&f, sample, 2), put(&f, (unsigned)bits, 2);
    if (tag == 0xfffe) {
        put(&f, 22, 2), put(&f, (unsigned)bits, 2), put(&f, 0, 4), put(&f, 1, 2);
        memcpy(f.b + f.n, "\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71", 14), f.n += 14;
    }
    memcpy(f.b + f.n, "data", 4);
    f.n += 4;
    put(&f, size, 4);
    for (int i = 0; i < 48; ++i) put(&f, (unsigned)i * 53 & 255, 1);
    write_bytes(folder, "signal", name, &f);
}

static void write_signals(const char *folder)
{
    write_wav(folder, "s16", "RIFF", 1, 16, 2, 48), write_wav(folder, "u8", "RIFF", 1, 8, 1, 48);
    write_wav(folder, "s24", "RIFF", 0xfffe, 24, 2, 48), write_wav(folder, "f32", "RIFF", 3, 32, 3, 48);
    write_wav(folder, "sox", "RIFF", 1, 16, 1, 0x7ffff000), write_wav(folder, "pipe", "RIFF", 3, 64, 1, 0xffffffff);
    write_wav(folder, "rf64", "RF64", 1, 16, 2, 0xffffffff), write_wav(folder, "bw64", "BW64", 1, 32, 1, 0xffffffff);
    write_text(folder, "signal", "raw",
               "\x05"
               "0123456789abcdef",
               17);
}

static void write_rasters(const char *folder)
{
    write_bmps(folder);
    write_raster(folder, "bmp", "grey.bmp", 1, 1), write_raster(folder, "bmp", "rgb.bmp", 3, 1);
#ifdef RW_WITH_JPEG
    write_raster(folder, "jpeg", "grey.jpg", 1, 1), write_raster(folder, "jpeg", "rgb.jpg", 3, 1);
#else
    write_text(folder, "jpeg", "start", "\xff\xd8\xff\xe0", 4);
#endif
#ifdef RW_WITH_TIFF
    write_raster(folder, "tiff", "grey.tif", 1, 1), write_raster(folder, "tiff", "rgba.tif", 4, 2);
    write_tiff(folder, "bits", false, 1, 1, 0, 0, 6, 1), write_tiff(folder, "palette", false, 4, 1, 3, 0, 1, 1);
    write_tiff(folder, "alpha", true, 8, 4, 2, 1, 3, 1), write_tiff(folder, "big", true, 16, 2, 1, 1, 8, 1);
    write_tiff(folder, "pages", false, 8, 1, 1, 0, 2, 2);
#else
    write_text(folder, "tiff", "start", "II*\0", 4);
#endif
}

/* Streams: a byte that chooses nothing here, then the stream. */
static void write_streams(const char *folder)
{
    static const char y4m[] = "sYUV4MPEG2 W4 H2 F25:1 Ip A0:0 C420jpeg\nFRAME\n0123456789abFRAME\n0123456789ab";
    static const char clm[] = "sCLM1\2\0\0\0\2\0\0\0\3\0\0\0\2\0\0\0\14\0\0\0000123456789ab0123456789ab";
    static const char pnm[] = "sP5 2 2 255\n0123P5 2 2 255\n4567", raw[] = "r0123456789abcdef";
    write_text(folder, "stream", "y4m", y4m, sizeof y4m - 1), write_text(folder, "stream", "clm", clm, sizeof clm - 1);
    write_text(folder, "stream", "pnm", pnm, sizeof pnm - 1), write_text(folder, "stream", "raw", raw, sizeof raw - 1);
    write_raster(folder, "stream", "one.png", 3, 1); /* its first byte is left out by the target */
}

/* As a checkpoint lies in it: attributes, groups, an array with a checksum. */
static void write_h5(const char *folder, const char *target)
{
    rw_h5 *f;
    static const double values[6] = {0, 1, 2, 3, 4, 5};
    const size_t shape[2] = {2, 3};
    check(rw_h5_create(NULL, in(folder, target, "fields"), &f) == RW_OK, "h5");
    check(rw_h5_set_text(f, "/", "case", "a case") == RW_OK && rw_h5_set_number(f, "/", "time", 0.5) == RW_OK &&
              rw_h5_set_integer(f, "/", "step", 3) == RW_OK && rw_h5_group(f, "/fields") == RW_OK &&
              rw_h5_write(f, "/fields/u", RW_F64, 2, shape, values, RW_H5_CHECKSUM) == RW_OK,
          "h5");
    check(rw_h5_commit(&f) == RW_OK, "h5");
}

/* Two zones side by side, joined by a whole face. */
static void write_cgns(const char *folder)
{
#if RW_WITH_CGNS
    int file, base, zone, joint;
    const cgsize_t size[9] = {4, 3, 2, 3, 2, 1}, face[6] = {4, 1, 1, 4, 3, 2}, other[6] = {1, 1, 1, 1, 3, 2};
    const int transform[3] = {1, 2, 3};
    remove(in(folder, "cgns", "zones"));
    check(cg_open(path, CG_MODE_WRITE, &file) == CG_OK && cg_base_write(file, "Base", 3, 3, &base) == CG_OK &&
              cg_zone_write(file, base, "A", size, CGNS_ENUMV(Structured), &zone) == CG_OK &&
              cg_zone_write(file, base, "B", size, CGNS_ENUMV(Structured), &zone) == CG_OK &&
              cg_1to1_write(file, base, 1, "AB", "B", face, other, transform, &joint) == CG_OK &&
              cg_1to1_write(file, base, 2, "BA", "A", other, face, transform, &joint) == CG_OK &&
              cg_close(file) == CG_OK,
          "cgns");
#endif
    FILE *f = fopen(in(folder, "cgns", "edits"), "wb"); /* one for the changes too, with no bytes changed */
    check(f && fputs("E", f) >= 0 && fclose(f) == 0, "cgns");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: fuzz-seeds FOLDER\n");
        return 2;
    }
    write_rasters(argv[1]), write_streams(argv[1]), write_signals(argv[1]);
    write_npy(argv[1]), write_png(argv[1]), write_h5(argv[1], "h5"), write_h5(argv[1], "checkpoint"),
        write_cgns(argv[1]);
    return 0;
}
