/* What tests of figures share: a picture read back, and where a colour is in it. */
#ifndef RW_FIGURE_TEST_H
#define RW_FIGURE_TEST_H

#include "io_test.h"

#include <math.h>
#include <png.h>

#include "io/figure_parts.h"

static rw_context *ctx;

typedef struct page {
    int width, height;
    uint8_t *rgb;
} page;

static inline page load(const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    page p = {(int)image.width, (int)image.height, malloc(PNG_IMAGE_SIZE(image))};
    assert_true(png_image_finish_read(&image, NULL, p.rgb, 0, NULL));
    return p;
}

static inline bool is_color(const page *p, int x, int y, const uint8_t rgb[3])
{
    return memcmp(p->rgb + 3 * (y * p->width + x), rgb, 3) == 0;
}

/* Number of pixels of exactly this colour in the columns from x0 to x1 - 1, their box and centre. */
typedef struct patch {
    long n;
    int x0, y0, x1, y1;
    double x, y;
} patch;

static inline patch find(const page *p, const uint8_t rgb[3], int x0, int x1)
{
    patch a = {0, 1 << 30, 1 << 30, -1, -1, 0, 0};
    for (int y = 0; y < p->height; y++)
        for (int x = x0; x < x1; x++) {
            if (!is_color(p, x, y, rgb)) continue;
            a.n++;
            a.x += x;
            a.y += y;
            a.x0 = RW_MIN(a.x0, x);
            a.x1 = RW_MAX(a.x1, x);
            a.y0 = RW_MIN(a.y0, y);
            a.y1 = RW_MAX(a.y1, y);
        }
    if (!a.n) return a;
    a.x /= (double)a.n;
    a.y /= (double)a.n;
    return a;
}

static inline void color_at(rw_colormap map, double t, uint8_t rgb[3])
{
    rw_colormap_rgb(map, round(t * 1023) / 1023, rgb); /* the figure uses 1024 colours */
}

static inline int begin(void **state)
{
    (void)state;
    return rw_context_create(&ctx);
}
static inline int end(void **state)
{
    (void)state;
    rw_context_destroy(&ctx);
    return 0;
}

#endif
