/* Colour maps as curves in OKLab: lightness L, chroma C, hue h as functions of t in [0,1].
 *
 *   sequential  L = 0.20 + 0.75 t            C = 0.115 - 0.07 t + 0.13 t^3      h = 275 - 168 t^1.5
 *   diverging   L = 0.965 - 0.56 s           C = 0.30 s - 0.16 s^2              h = 258 below, 25 above;  s = |2t - 1|
 *   grey        L = t (t + a)/(c (t + b))    C = 0        a = 0.206, b = 0.03, c = 1.206/1.03: Ottosson's L_r = t
 *   cyclic      L = 0.73                     C = 0.12                           h = 25 + 360 t
 *
 * The coefficients were chosen so that the curves stay inside the sRGB gamut and the distance in OKLab between
 * neighbours varies by less than a factor 1.6 along each map; the test of this file asserts both. Source of OKLab:
 * Ottosson (2020). Not here: corrections for colour-blind readers beyond the even lightness. */
#include "io/colormap.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static double encode(double linear)
{
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

static void oklab_to_linear(const double lab[3], double rgb[3])
{
    double l = lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2];
    double m = lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2];
    double s = lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2];
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

void rw_oklab_to_srgb(const double lab[3], double srgb[3])
{
    double rgb[3], color[3] = {lab[0], lab[1], lab[2]};
    for (int tries = 0; tries < 64; tries++) { /* lower the chroma until the colour exists */
        oklab_to_linear(color, rgb);
        double lowest = fmin(rgb[0], fmin(rgb[1], rgb[2])), highest = fmax(rgb[0], fmax(rgb[1], rgb[2]));
        if (lowest >= -1e-4 && highest <= 1 + 1e-4) break;
        color[1] *= 0.97;
        color[2] *= 0.97;
    }
    for (int c = 0; c < 3; c++) srgb[c] = encode(fmin(fmax(rgb[c], 0), 1));
}

void rw_colormap_missing(rw_colormap map, uint8_t rgb[3])
{
    static const uint8_t grey[3] = {150, 150, 150}, violet[3] = {190, 150, 220};
    memcpy(rgb, map == RW_COLORMAP_GREY ? violet : grey, 3);
}

void rw_colormap_rgb(rw_colormap map, double t, uint8_t rgb[3])
{
    if (isnan(t)) {
        rw_colormap_missing(map, rgb);
        return;
    }
    t = fmin(fmax(t, 0), 1);
    double L = t, C = 0, h = 0, s = fabs(2 * t - 1), srgb[3];
    switch (map) {
    case RW_COLORMAP_DIVERGING:
        L = 0.965 - 0.56 * s;
        C = 0.30 * s - 0.16 * s * s;
        h = t < 0.5 ? 258 : 25;
        break;
    case RW_COLORMAP_GREY: L = t * (t + 0.206) / (1.206 / 1.03 * (t + 0.03)); break;
    case RW_COLORMAP_CYCLIC:
        L = 0.73;
        C = 0.12;
        h = 25 + 360 * t;
        break;
    default:
        L = 0.20 + 0.75 * t;
        C = 0.115 - 0.07 * t + 0.13 * t * t * t;
        h = 275 - 168 * pow(t, 1.5);
    }
    const double lab[3] = {L, C * cos(h * PI / 180), C * sin(h * PI / 180)};
    rw_oklab_to_srgb(lab, srgb);
    for (int c = 0; c < 3; c++) rgb[c] = (uint8_t)(srgb[c] * 255 + 0.5);
}
