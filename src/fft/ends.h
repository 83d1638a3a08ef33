/* Kernel text between arrays and points: what a transform reads and writes is real or complex, short of zeros,
 * mirrored, turned, convolved. */
#ifndef RW_FFT_ENDS_H
#define RW_FFT_ENDS_H

#include "fft/line.h"
#include "fft/tables.h"

/* What a line's kernel is written from. */
typedef struct rw_fft_text {
    rw_text *t;
    const rw_fft_line_spec *spec;
    rw_fft_table table;
    const char *real, *complex;
    /* lines that a loop takes at once, with one number of the twist for all of them: TWIST(C, S, I) before the loop,
     * TWISTED(RE, IM, I, C, S) in it; 0: OUTPUT */
    int strip;
    /* the array `ordered` of the group, [line][number], has the real sequence of II or III: points are made of it, and
     * GET_X and PUT_Y move its elements in the order of x and y */
    bool ordered_x, ordered_y;
} rw_fft_text;

enum { RW_FFT_FACTOR = 320 };
/* The declaration of two reals, a factor's parts: number `index` of n at `at`. */
const char *rw_fft_factor(const rw_fft_text *w, char text[RW_FFT_FACTOR], const char *c, const char *s, int64_t at,
                          int64_t n, const char *index);

/* Real numbers to the half of a spectrum, that half to real numbers, or neither. */
typedef enum rw_fft_form { RW_FFT_FORM_COMPLEX, RW_FFT_FORM_HALVES, RW_FFT_FORM_WHOLE } rw_fft_form;
rw_fft_form rw_fft_form_of(rw_fft_kind kind, bool inverse);
/* Kind and form that y is made from: those of the line, or of its inverse after a division. */
rw_fft_kind rw_fft_kind_of_y(const rw_fft_line_spec *s);
rw_fft_form rw_fft_form_of_y(const rw_fft_line_spec *s);
/* Real numbers whose spectrum a kind of the two halves takes. */
int64_t rw_fft_real_length(rw_fft_kind kind, int64_t n);
/* The spectrum comes from pairs of points, after the last stage. */
bool rw_fft_untangles(const rw_fft_line_spec *s);

/* A line of real numbers side by side, of which points that are neighbours have every fourth: II is read, III written
 * so (Makhoul 1980). */
bool rw_fft_scatters(const rw_fft_line_spec *s, bool y);
/* Defines INPUT(RE, IM, I), the point I of line l, and OUTPUT(RE, IM, I); where the spectrum comes from pairs,
 * SPECTRUM(RE, IM, K) and OUTPUT is the caller's. With a divisor INVERSE(Q, J) too: it declares Q, 1 over the divisor
 * of element J of line l. */
void rw_fft_write_ends(rw_fft_text *w);
/* Of pass and whole; the factor that the kernel leaves out. */
double rw_fft_gain(const rw_fft_line_spec *s);
/* Statements: the numbers k and m - k of the spectrum, p and q, from the points a (k) and b (m - k), variables NAMEr
 * and NAMEi; c and s are w(k / (2 m)). `back`: the points from the spectrum. */
void rw_fft_write_turn(rw_fft_text *w, bool back);
/* The same, with SPECTRUM of both. */
void rw_fft_write_untangle(rw_fft_text *w, int64_t m);
/* Statement: the declarations of c and s, w(k / (2 m)). */
void rw_fft_write_turn_factor(rw_fft_text *w, int64_t m);
/* The index of an element on axis d of the array; J: along the line. */
const char *rw_fft_index(const rw_fft_line_spec *s, int d, char text[32]);
/* "KERNEL(transform, …)" and "{": the arrays, where they begin, steps, axes of lines, as rw_fft_line_run passes
 * them. */
void rw_fft_write_head(rw_fft_text *w);
/* yb, xb, bb: where the lines of a group begin, the first of which is `first`. */
void rw_fft_write_places(rw_fft_text *w);
/* Codelet q of item i, of r points: keeps its points re0, im0, … in the item's registers; takes them back. */
void rw_fft_write_keep(rw_fft_text *w, int q, int r);
void rw_fft_write_take(rw_fft_text *w, int q, int r);
/* Point k of an item times c + i s. */
void rw_fft_write_product(rw_fft_text *w, int k, const char *c, const char *s);
/* The points of an item's codelet b times the factors of a stage, which are at `factors` in the table
 * (rw_fft_table_bases). */
void rw_fft_write_factors(rw_fft_text *w, int r, int64_t p, int64_t factors);
static inline bool rw_fft_has_formula(const rw_fft_line_spec *s) { return s->load || s->store; }
static inline bool rw_fft_takes_indices(const rw_fft_line_spec *s) { return rw_fft_has_formula(s) || s->divisor; }
/* The type that a kernel knows an array as. */
const char *rw_fft_element(const rw_fft_end *end, bool real);

#endif
