/* Colour maps by formula in OKLab (Ottosson 2020, https://bottosson.github.io/posts/oklab/): our own curves of
 * lightness and hue, brought into the sRGB gamut by lowering the chroma, never the lightness.
 *
 *   sequential  dark blue - teal - green - yellow, lightness rises evenly: magnitudes
 *   diverging   blue - near white - red, the middle at t = 1/2, both sides equally light: signed quantities
 *   grey        black to white, lightness rises evenly (after L_r, which tells dark tones apart)
 *   cyclic      all hues at one lightness, t = 0 and t = 1 the same colour: angles and phases */
#ifndef RW_COLORMAP_H
#define RW_COLORMAP_H

#include "rechenwerk/figure.h"

/* The colour at t in [0,1], clamped; NaN gives the colour of missing values. */
void rw_colormap_rgb(rw_colormap map, double t, uint8_t rgb[3]);
/* The colour of missing values, one that the map does not hold: a middle grey, for the grey map a violet. */
void rw_colormap_missing(rw_colormap map, uint8_t rgb[3]);

/* sRGB in [0,1] from OKLab: for other colours of a figure. */
void rw_oklab_to_srgb(const double lab[3], double srgb[3]);

#endif
