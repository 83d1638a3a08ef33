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
 * A node that is given, on a side in layout node, is one spacing outside the unknowns.
 *
 * Coefficients that vary along one axis, and sides to which no transform belongs: transforms along the others leave a
 * tridiagonal system for each line of that axis (tridiagonal.h). Sources: Buzbee, Golub and
 * Nielson, On direct methods for solving Poisson's equations, SIAM J. Numer. Anal. 7, 1970; Swarztrauber, The methods
 * of cyclic reduction, Fourier analysis and the FACR algorithm, SIAM Review 19, 1977. */
#ifndef RW_ELLIPTIC_BOX_H
#define RW_ELLIPTIC_BOX_H

#include "elliptic/system.h"

typedef struct rw_box rw_box;

/* line: the axis with tridiagonal systems, -1: none. */
typedef struct rw_box_of {
    int unknown, line;
    bool similar; /* sides to which no transform belongs are taken for others */
} rw_box_of;

/* Transforms belong to all sides but those of the line; otherwise `why` says what forbids it. */
bool rw_box_suits(const rw_system *s, rw_box_of of, char *why, size_t size);
/* Only where it suits. */
rw_status rw_box_create(rw_system *s, rw_box_of of, rw_box **box);
void rw_box_destroy(rw_box **box);
/* The operator: the sum of coefficient[i] times the value at offset[i] along axis[i]. singular: 0 for constants.
 * regular: with all eigenvalues moved by the smallest, if constants would have 0. */
typedef struct rw_box_term {
    int axis, offset;
    double coefficient;
} rw_box_term;
rw_status rw_box_set(rw_box *box, const rw_box_term *terms, int n, bool singular, bool regular);
/* The tridiagonal systems, tables along the line: rows a, b, c, with zeros before the first and after the last unknown
 * of an axis that is not periodic, and what the operator of the other axes is multiplied with. `terms` of rw_box_set
 * are of the other axes then; what they are for constants belongs to b. */
typedef struct rw_box_rows {
    const double *a, *b, *c, *scale;
} rw_box_rows;
rw_status rw_box_set_rows(rw_box *box, const rw_box_rows *rows);
/* to <- the solution for factor from (1 in one dimension with a line), arrays of all nodes of the grid; nodes that are
 * given are left alone. Launches only. */
rw_status rw_box_solve(rw_box *box, rw_array *from, double factor, rw_array *to, rw_queue *q);
void rw_box_add_cost(const rw_box *box, double *bytes, int *launches); /* bytes a node */
void rw_box_explain(const rw_box *box, rw_text *text);

#endif
