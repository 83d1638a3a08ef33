/* Units after the numbers of a case: "10 W", "808 nm", "1.39e20 1/cm3". */
#ifndef RW_UNIT_H
#define RW_UNIT_H

#include <stdbool.h>

enum { RW_UNIT_BASES = 6 }; /* m kg s A K mol */

typedef struct rw_unit {
    int power[RW_UNIT_BASES];
    int ten; /* the unit is factor * 10^ten of the base units */
    double factor;
} rw_unit;

/* "mm2", "1/(mm3 s)", "J s", "m s^-1", "kW/cm2": names of the SI with prefixes, and eV, min, h. A quotient divides by
 * what follows next. False when it is none; then *bad and *n are the part that is not understood. */
bool rw_unit_parse(const char *text, rw_unit *unit, const char **bad, int *n);
bool rw_unit_same(const rw_unit *a, const rw_unit *b);
/* The decimal number that `text` begins with, in `from`, as one in `to`, of the same kind. Its exponent takes the
 * powers of ten, so nothing is rounded twice: 808 nm are 808e-9 m. *end: after the number; `text` itself: there is
 * none. */
double rw_unit_read(const char *text, const char **end, const rw_unit *from, const rw_unit *to);

#endif
