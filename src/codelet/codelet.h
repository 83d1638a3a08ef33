/* Straight-line arithmetic as kernel text: small discrete Fourier transforms whose sizes and constants are known when
 * the text is written.
 *
 * A codelet is a block of statements on the variables re0, im0, re1, im1, …, the real and imaginary parts of its n
 * complex numbers, which it changes in place. The text is written value by value (real parts of one operation each);
 * products with 0, ±1 and ±i and signs cost nothing. See docs/dev/codelets.md for the forms of the transforms, and why
 * there are no arrays. */
#ifndef RW_CODELET_H
#define RW_CODELET_H

#include "core/core.h"

enum { RW_CODELET_MOST = 128 }; /* points */

/* What one run of a codelet computes with real numbers. */
typedef struct rw_codelet_cost {
    int adds, products, fmas; /* additions and subtractions; products; a b + c */
    int constants;            /* different ones */
} rw_codelet_cost;

/* Writes X[k] = sum over j of x[j] exp(-2 pi i j k / n), with `inverse` exp(+…), unscaled; `real` is the type R, "f32"
 * or "f64". n: 1 … RW_CODELET_MOST. cost may be NULL. What runs out of memory shows in text->failed. */
void rw_codelet_dft(rw_text *text, const char *real, int n, bool inverse, rw_codelet_cost *cost);
/* "    R re0, im0, …;": the variables. */
void rw_codelet_variables(rw_text *text, const char *real, int n);

#endif
