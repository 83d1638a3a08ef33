/* Colour maps: ends, evenness, symmetry, gamut, and the conversions to and from OKLab. */
#include "io_test.h"

#include <math.h>

#include "io/colormap.h"

static double decode(double srgb) { return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4); }

static void srgb_to_oklab(const double srgb[3], double lab[3])
{
    double r = decode(srgb[0]), g = decode(srgb[1]), b = decode(srgb[2]);
    double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    lab[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

static void lab_at(rw_colormap map, double t, double lab[3])
{
    uint8_t rgb[3];
    rw_colormap_rgb(map, t, rgb);
    srgb_to_oklab((double[]){rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0}, lab);
}

/* Grey is even in L_r, which Ottosson gives beside L for a reference white. */
static double reference_lightness(double L)
{
    const double k1 = 0.206, k2 = 0.03, k3 = 1.206 / 1.03, x = k3 * L - k1;
    return (x + sqrt(x * x + 4 * k2 * k3 * L)) / 2;
}

static double distance(const double a[3], const double b[3])
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

/* White is (1, 0, 0); red by the published matrices; there and back. */
static void test_oklab(void **state)
{
    (void)state;
    double lab[3], rgb[3];
    srgb_to_oklab((double[]){1, 1, 1}, lab);
    assert_true(fabs(lab[0] - 1) < 1e-6 && fabs(lab[1]) < 1e-6 && fabs(lab[2]) < 1e-6);
    srgb_to_oklab((double[]){1, 0, 0}, lab);
    assert_true(fabs(lab[0] - 0.627955) < 1e-5 && fabs(lab[1] - 0.224863) < 1e-5 && fabs(lab[2] - 0.125846) < 1e-5);
    for (uint64_t i = 0; i < 1000; i++) {
        const double in[3] = {rw_random_uniform(1, 3 * i), rw_random_uniform(1, 3 * i + 1),
                              rw_random_uniform(1, 3 * i + 2)};
        srgb_to_oklab(in, lab);
        rw_oklab_to_srgb(lab, rgb);
        for (int c = 0; c < 3; c++) assert_true(fabs(rgb[c] - in[c]) < 1e-5);
    }
    rw_oklab_to_srgb((double[]){0.5, 0.4, 0}, rgb); /* no such colour: paler, not outside */
    for (int c = 0; c < 3; c++) assert_true(rgb[c] >= 0 && rgb[c] <= 1);
    srgb_to_oklab(rgb, lab);
    assert_true(fabs(lab[0] - 0.5) < 0.01);
}

static void test_evenness(void **state)
{
    (void)state;
    enum { STEPS = 32 }; /* wide enough for the rounding to 8 bits not to count */
    for (int m = 0; m < RW_COLORMAPS; m++) {
        double least = 9, most = 0, before[3], now[3];
        for (int i = 0; i <= STEPS; i++) {
            lab_at((rw_colormap)m, (double)i / STEPS, now);
            if (m == RW_COLORMAP_GREY) now[0] = reference_lightness(now[0]);
            if (i > 0) {
                least = fmin(least, distance(now, before));
                most = fmax(most, distance(now, before));
            }
            if (i > 0 && (m == RW_COLORMAP_SEQUENTIAL || m == RW_COLORMAP_GREY)) assert_true(now[0] > before[0]);
            memcpy(before, now, sizeof now);
        }
        if (most / least > 1.7) fail_msg("map %d: steps from %g to %g", m, least, most);
    }
}

static void test_ends(void **state)
{
    (void)state;
    uint8_t a[3], b[3], missing[3];
    rw_colormap_rgb(RW_COLORMAP_GREY, 0, a);
    rw_colormap_rgb(RW_COLORMAP_GREY, 1, b);
    assert_true(a[0] == 0 && a[1] == 0 && a[2] == 0 && b[0] == 255 && b[1] == 255 && b[2] == 255);
    rw_colormap_rgb(RW_COLORMAP_CYCLIC, 0, a);
    rw_colormap_rgb(RW_COLORMAP_CYCLIC, 1, b);
    assert_memory_equal(a, b, 3);
    for (int m = 0; m < RW_COLORMAPS; m++) {
        rw_colormap_rgb((rw_colormap)m, -5, a);
        rw_colormap_rgb((rw_colormap)m, 0, b);
        assert_memory_equal(a, b, 3);
        rw_colormap_rgb((rw_colormap)m, INFINITY, a);
        rw_colormap_rgb((rw_colormap)m, 1, b);
        assert_memory_equal(a, b, 3);
        rw_colormap_missing((rw_colormap)m, missing);
        rw_colormap_rgb((rw_colormap)m, NAN, a);
        assert_memory_equal(a, missing, 3);
        for (int i = 0; i <= 1000; i++) { /* no value looks like a missing one */
            double lab[3], other[3];
            lab_at((rw_colormap)m, i / 1000.0, lab);
            srgb_to_oklab((double[]){missing[0] / 255.0, missing[1] / 255.0, missing[2] / 255.0}, other);
            if (distance(lab, other) < 0.05) fail_msg("map %d at %g looks like missing", m, i / 1000.0);
        }
    }
    for (int i = 0; i <= 100; i++) { /* both sides of the diverging map are equally light */
        double low[3], high[3];
        lab_at(RW_COLORMAP_DIVERGING, 0.5 - i / 200.0, low);
        lab_at(RW_COLORMAP_DIVERGING, 0.5 + i / 200.0, high);
        assert_true(fabs(low[0] - high[0]) < 0.01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {IO_TEST(test_oklab), IO_TEST(test_evenness), IO_TEST(test_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
