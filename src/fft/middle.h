/* Kernel text of what happens to points between the stages forward and back: a product, or the division of a real
 * kind's results. */
#ifndef RW_FFT_MIDDLE_H
#define RW_FFT_MIDDLE_H

#include "fft/ends.h"

/* Defines MIDDLE(RE, IM, I, K): point I is multiplied or divided; K is 0 where I may be. Pairs: DIVIDE_AT instead. */
void rw_fft_write_middle(rw_fft_text *w);
/* A division whose results come from pairs of points. */
bool rw_fft_divides_pairs(const rw_fft_line_spec *s);
/* Statements: the points p (k) and q (m - k) of the inverse from the points a and b, as rw_fft_write_turn. */
void rw_fft_write_divided_pair(rw_fft_text *w);

#endif
