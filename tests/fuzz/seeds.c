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
    static const double values[6] = {1, -2.5, 1e300, 0, 5, 6};
    const size_t shape[2] = {2, 3};
    check(rw_npy_write(NULL, in(folder, "npy", "matrix"), RW_F64, 2, shape, values) == RW_OK, "npy");
    check(rw_npy_write(NULL, in(folder, "npy", "vector"), RW_F64, 1, shape, values) == RW_OK, "npy");
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

static void write_rasters(const char *folder)
{
    write_raster(folder, "bmp", "grey.bmp", 1, 1), write_raster(folder, "bmp", "rgb.bmp", 3, 1);
#ifdef RW_WITH_JPEG
    write_raster(folder, "jpeg", "grey.jpg", 1, 1), write_raster(folder, "jpeg", "rgb.jpg", 3, 1);
#else
    write_text(folder, "jpeg", "start", "\xff\xd8\xff\xe0", 4);
#endif
#ifdef RW_WITH_TIFF
    write_raster(folder, "tiff", "grey.tif", 1, 1), write_raster(folder, "tiff", "rgba.tif", 4, 2);
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
    write_rasters(argv[1]), write_streams(argv[1]);
    write_npy(argv[1]), write_png(argv[1]), write_h5(argv[1], "h5"), write_h5(argv[1], "checkpoint"),
        write_cgns(argv[1]);
    return 0;
}
