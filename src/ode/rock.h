/* Coefficients of the stabilised explicit methods of Abdulle, for every number of stages: ROCK2 (Abdulle, Medovikov
 * 2001), ROCK4 (Abdulle 2002), and ROCK4 in two blocks, which is ours. Derivation: docs/methods/ode.md.
 *
 * A step is one or two blocks. A block of degree d takes v to v':
 *
 *   g_0 = v,  g_1 = v + mu_1 h F(g_0),  g_j = mu_j h F(g_{j-1}) - nu_j g_{j-1} - kappa_j g_{j-2}   j = 2 … m   (nu_j =
 *                                       -1 - kappa_j)
 *   K_i = h F(g_m + sum_{j<i} a_ij K_j)                                                            i = 1 … q
 *   v' = g_m + sum b_i K_i
 *
 * On y' = lambda y, z = h lambda, the recurrence gives polynomials P_j(z) that are orthogonal with respect to
 * w(z)^2/sqrt(1 - x^2), x = 1 + (delta + z)/scale, and the block R(z) = w(z) P_m(z), w(z) = product of (1 - z/zero)
 * over pairs of zeros.
 * The error estimate is start y_n + middle v' (of the first block) + sum e_i K_i (of all blocks) + last g_m (of the
 * last block).
 *
 * Why two blocks: rounding errors of g_m grow by w, about 0.01 z^4 for four finishing stages in a row and 0.1 z^2 for a
 * pair. */
#ifndef RW_ROCK_H
#define RW_ROCK_H

#include "core/core.h"

typedef long double rw_wide;

typedef enum rw_rock_kind { RW_ROCK2, RW_ROCK4, RW_ROCK4_SPLIT, RW_ROCK_KINDS } rw_rock_kind;

enum { RW_ROCK_FINISH = 4 };

typedef struct rw_rock_block {
    int degree, m, q;
    int pairs; /* zeros of w: re +- i im */
    rw_wide re[2], im[2], delta, scale;
    rw_wide *mu, *nu, *kappa; /* 1 … m */
    rw_wide w[RW_ROCK_FINISH + 1];
    rw_wide a[6], b[RW_ROCK_FINISH], e[RW_ROCK_FINISH]; /* a_21, a_31, a_32, a_41, a_42, a_43 */
} rw_rock_block;

typedef struct rw_rock {
    rw_rock_kind kind;
    int order, stages, evaluations; /* stages: degree of the step's polynomial; evaluations of F a step */
    int nblocks;
    double damping;   /* |R| is at most this, beyond the first descent */
    rw_wide interval; /* … down to z = -interval */
    rw_wide start, middle, last;
    rw_rock_block block[2];
} rw_rock;

/* ERR_ARGUMENT: fewer stages than the kind has, an odd number in two blocks, a damping outside [0.5, 0.99];
 * ERR_NOT_CONVERGED: no coefficients found (not seen for dampings within the range). */
rw_status rw_rock_create(rw_context *ctx, rw_rock_kind kind, int stages, double damping, rw_rock **rock);
void rw_rock_destroy(rw_rock **rock);

int rw_rock_least(rw_rock_kind kind);
/* Smallest number of stages whose interval at damping 0.95 holds h rho; at most `most`. */
int rw_rock_stages(rw_rock_kind kind, double h_rho, int most);
double rw_rock_interval(rw_rock_kind kind, int stages);
/* By how much rounding errors of the stages may grow: max |w| on the interval. */
double rw_rock_growth(rw_rock_kind kind, int stages);

/* R(z), and what the error estimate is on y' = lambda y, y_n = 1. */
rw_wide rw_rock_response(const rw_rock *r, rw_wide z);
rw_wide rw_rock_estimate_response(const rw_rock *r, rw_wide z);

/* rock_design.c: zeros, delta and scale from the equations they obey, by Newton's method from where they stand. */
rw_status rw_rock_design(rw_context *ctx, rw_rock *r);
/* The same at damping 0.95 from tables: the series in rock_series.def. */
void rw_rock_from_series(rw_rock *r);
rw_status rw_rock_begin(rw_context *ctx, rw_rock_kind kind, int stages, double damping, rw_rock **rock);
rw_status rw_rock_recurrences(rw_context *ctx, rw_rock *r);

/* A function of 2 (first/stages)^2 - 1 by its Chebyshev coefficients. */
enum { RW_ROCK_TERMS = 12 };
rw_wide rw_rock_series(const double *terms, int first, int stages);

/* rock_tableau.c: finishing stages by the order conditions, by Newton's method from where they stand; and the
 * estimate. */
rw_status rw_rock_finish(rw_context *ctx, rw_rock *r);
/* The same at damping 0.95 from tables. */
void rw_rock_finish_from_series(rw_rock *r);
/* Largest defect of the order conditions, of the estimate's, and the norm of the error of the order above. */
void rw_rock_order(const rw_rock *r, rw_wide *defect, rw_wide *estimate_defect, rw_wide *next);

/* A X = B by elimination with pivots; B [n][columns] becomes X. False when A is singular. */
bool rw_rock_solve(rw_wide *A, rw_wide *B, int n, int columns);

#endif
