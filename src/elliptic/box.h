/* A constant operator on a box, solved by transforms: which transform an axis has, and the division in the spectrum
 * (fft/divide.h). Differences continue the unknown beyond a side as an odd or even function, so that sines or cosines
 * are eigenvectors:
 *
 *   beyond the sides                                   transform         angle of number k
 *   odd  about half a spacing outside, both            DST-II            pi (k + 1)/n
 *   even about half a spacing outside, both            DCT-II            pi k/n
 *   odd, even; even, odd                               DST-IV, DCT-IV    pi (k + 1/2)/n
 *   odd  about one spacing outside, both               DST-I             pi (k + 1)/(n + 1)
 *   even about the last node, both                     DCT-I             pi k/(n - 1)
 *   odd, even; even, odd                               DST-III, DCT-III  pi (k + 1/2)/n
 *   periodic                                           real              2 pi k/n
 *
 * A node that is given, on a side in layout node, is one spacing outside the unknowns. Sources: Buzbee, Golub and
 * Nielson, On direct methods for solving Poisson's equations, SIAM J. Numer. Anal. 7, 1970; Swarztrauber, The methods
 * of cyclic reduction, Fourier analysis and the FACR algorithm, SIAM Review 19, 1977. */
#ifndef RW_ELLIPTIC_BOX_H
#define RW_ELLIPTIC_BOX_H

#include "elliptic/system.h"

typedef struct rw_box rw_box;

/* Of one unknown of the system. With `similar`, sides to which no transform belongs are taken for others; otherwise
 * `why` says what forbids it. */
bool rw_box_suits(const rw_system *s, int unknown, bool similar, char *why, size_t size);
/* Only where it suits. */
rw_status rw_box_create(const rw_system *s, int unknown, bool similar, rw_box **box);
void rw_box_destroy(rw_box **box);
/* The operator: the sum of coefficient[i] times the value at offset[i] along axis[i]. singular: 0 for constants.
 * regular: with all eigenvalues moved by the smallest, if constants would have 0. */
typedef struct rw_box_term {
    int axis, offset;
    double coefficient;
} rw_box_term;
rw_status rw_box_set(rw_box *box, const rw_box_term *terms, int n, bool singular, bool regular);
/* to <- the solution for from, arrays of all nodes of the grid; nodes that are given are left alone. Launches only. */
rw_status rw_box_solve(rw_box *box, rw_array *from, rw_array *to, rw_queue *q);
void rw_box_add_cost(const rw_box *box, double *bytes, int *launches); /* bytes a node */
void rw_box_explain(const rw_box *box, rw_text *text);

#endif
