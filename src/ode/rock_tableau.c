/* Finishing stages of the ROCK methods by the order conditions, as B-series up to order 5.
 *
 *   one block          the stages' polynomial is w (q conditions); the trees of order 3 and 4 that are not tall (4,
 *                      order 4 only)
 *   two blocks         the polynomial is w, of degree 2; no stage's argument grows with z^2 or more (so that no stage
 *                      is large where z is); the four trees, of the whole step
 *
 * There are more coefficients than conditions: near a tableau of least error of the next order, found by a search
 * (test_rock.c has it) Newton's method takes the way that the conditions' gradients there span. What it gives is smooth
 * in (s_0/s)^2: at damping 0.95 it comes from rock_tableau_series.def; for others Newton's method begins there.
 *
 * The estimate is the shortest combination of the vectors at hand that vanishes to the order below the method's, scaled
 * so that its terms of the next order have norm 1 (times ESTIMATE, which makes tolerances mean what they say). It
 * contains no right-hand side at the end of the step: z R(z) is large where z is, and the estimate would be. */
#include "ode/rock.h"

#include <math.h>
#include <string.h>

/* Trees by their children: 0 empty; 1 t; 2 [t]; 3 [tt]; 4 [[t]]; 5 [ttt]; 6 [t[t]]; 7 [[tt]]; 8 [[[t]]]; then those of
 * order 5. A B-series maps a tree to its elementary weight: 1/density for the exact solution. */
enum { TREES = 18, MOST = 16 };
static const unsigned char child[TREES][4] = {{0},    {0},    {1}, {1, 1},       {2},       {1, 1, 1},
                                              {1, 2}, {3},    {4}, {1, 1, 1, 1}, {1, 1, 2}, {2, 2},
                                              {1, 3}, {1, 4}, {5}, {6},          {7},       {8}};
static const rw_wide symmetry[TREES] = {1, 1, 1, 2, 1, 6, 1, 2, 1, 24, 2, 2, 2, 1, 6, 1, 2, 1};
static const rw_wide density[TREES] = {1, 1, 2, 3, 6, 4, 8, 12, 24, 5, 10, 20, 15, 30, 20, 40, 60, 120};
static const int upto[6] = {1, 2, 3, 5, 9, 18}; /* trees of order at most … */

typedef struct series {
    rw_wide c[TREES];
} series;

static const series identity = {{1}};

/* h F(y) */
static void rate(const series *y, int trees, series *r)
{
    r->c[0] = 0;
    for (int t = 1; t < trees; ++t) {
        rw_wide v = 1;
        for (int k = 0; k < 4 && child[t][k]; ++k) v *= y->c[child[t][k]];
        r->c[t] = v;
    }
}

static series recur(const rw_rock_block *b, const series *v, int trees)
{
    series g0 = {{0}}, g1 = *v, f;
    for (int j = 1; j <= b->m; ++j) {
        rate(&g1, trees, &f);
        for (int t = 0; t < trees; ++t) {
            rw_wide next = b->mu[j] * f.c[t] - b->nu[j] * g1.c[t] - b->kappa[j] * g0.c[t];
            g0.c[t] = g1.c[t];
            g1.c[t] = next;
        }
    }
    return g1;
}

/* g + sum weight_j K_j */
static void combine(const series *g, const series *k, const rw_wide *weight, int n, int trees, series *y)
{
    for (int t = 0; t < trees; ++t) {
        rw_wide v = g->c[t];
        for (int j = 0; j < n; ++j) v += weight[j] * k[j].c[t];
        y->c[t] = v;
    }
}

static void finish(const rw_rock_block *b, const series *g, series *k, int trees, series *y)
{
    series argument;
    for (int i = 0; i < b->q; ++i) {
        combine(g, k, b->a + i * (i - 1) / 2, i, trees, &argument);
        rate(&argument, trees, k + i);
    }
    combine(g, k, b->b, b->q, trees, y);
}

/* The series of b after a, up to order 4: the sum over parts of a tree at its root, of b of the part and a of what is
 * cut off. */
static series behind(const series *first, const series *second)
{
    const rw_wide *a = first->c, *b = second->c;
    series r = {{1}};
    r.c[1] = a[1] + b[1];
    r.c[2] = a[2] + b[1] * a[1] + b[2];
    r.c[3] = a[3] + b[1] * a[1] * a[1] + 2 * b[2] * a[1] + b[3];
    r.c[4] = a[4] + b[1] * a[2] + b[2] * a[1] + b[4];
    r.c[5] = a[5] + b[1] * a[1] * a[1] * a[1] + 3 * b[2] * a[1] * a[1] + 3 * b[3] * a[1] + b[5];
    r.c[6] = a[6] + b[1] * a[1] * a[2] + b[2] * (a[1] * a[1] + a[2]) + (b[3] + b[4]) * a[1] + b[6];
    r.c[7] = a[7] + b[1] * a[3] + b[2] * a[1] * a[1] + 2 * b[4] * a[1] + b[7];
    r.c[8] = a[8] + b[1] * a[4] + b[2] * a[2] + b[4] * a[1] + b[8];
    return r;
}

/* The recurrences by themselves, from the identity. */
static void own_series(const rw_rock *r, series *own)
{
    for (int i = 0; i < r->nblocks; ++i) own[i] = recur(r->block + i, &identity, upto[4]);
}

/* ---- finishing stages -------------------------------------------------------------------------------------------- */

/* Coefficients to be found: in two blocks a_32 = 0, since the second stage's argument is of degree 1. */
static int entries(rw_rock *r, rw_wide **to)
{
    int n = 0;
    for (int i = 0; i < r->nblocks; ++i) {
        rw_rock_block *b = r->block + i;
        for (int j = 0; j < b->q * (b->q - 1) / 2; ++j)
            if (r->nblocks == 1 || j != 2) to[n++] = b->a + j;
        for (int j = 0; j < b->q; ++j) to[n++] = b->b + j;
    }
    return n;
}

/* Defects; `own`: the recurrences, which they do not change. */
static int defects(const rw_rock *r, const series *own, rw_wide *f)
{
    int n = 0;
    series first, y, k[RW_ROCK_FINISH];
    for (int i = 0; i < r->nblocks; ++i) {
        const rw_rock_block *b = r->block + i;
        /* polynomials in z, of K_j and the block */
        rw_wide power[RW_ROCK_FINISH][RW_ROCK_FINISH + 1], v[RW_ROCK_FINISH + 1] = {1};
        for (int j = 0, e = 0; j < b->q; ++j) {
            rw_wide argument[RW_ROCK_FINISH + 1] = {1};
            for (int l = 0; l < j; ++l, ++e)
                for (int c = 0; c <= RW_ROCK_FINISH; ++c) argument[c] += b->a[e] * power[l][c];
            for (int c = 0; c <= RW_ROCK_FINISH; ++c) {
                power[j][c] = c ? argument[c - 1] : 0;
                v[c] += b->b[j] * power[j][c];
            }
            if (r->nblocks == 2 && j == 3) f[n++] = argument[2];
        }
        for (int c = 1; c <= RW_MIN(b->q, 2 * b->pairs); ++c) f[n++] = v[c] - b->w[c];
        if (i) first = behind(&y, own + i);
        finish(b, i ? &first : own, k, upto[4], &y);
    }
    static const int others[] = {3, 5, 6, 7};
    for (int i = 0; r->order == 4 && i < RW_COUNT(others); ++i) f[n++] = y.c[others[i]] - 1 / density[others[i]];
    return n;
}

static rw_wide product(const rw_wide *row, const rw_wide *f, int n)
{
    rw_wide sum = 0;
    for (int i = 0; i < n; ++i) sum += row[i] * f[i];
    return sum;
}

/* G f is the solution of J x = f that the rows of `span` span: G = span^T (J span^T)^-1; with span = J the shortest. */
static bool pseudo_inverse(rw_wide J[MOST][MOST], rw_wide span[MOST][MOST], int nf, int nx, rw_wide G[MOST][MOST])
{
    rw_wide A[MOST * MOST], B[MOST * MOST];
    for (int i = 0; i < nf; ++i)
        for (int k = 0; k < nf; ++k) {
            A[i * nf + k] = product(J[i], span[k], nx);
            B[i * nf + k] = i == k;
        }
    if (!rw_rock_solve(A, B, nf, nf)) return false;
    for (int j = 0; j < nx; ++j)
        for (int k = 0; k < nf; ++k) {
            G[j][k] = 0;
            for (int i = 0; i < nf; ++i) G[j][k] += span[i][j] * B[i * nf + k];
        }
    return true;
}

static void differentiate(rw_rock *r, const series *own, rw_wide **x, int nx, const rw_wide *f, int nf,
                          rw_wide J[MOST][MOST])
{
    const rw_wide h = 1e-6L;
    rw_wide g[MOST];
    for (int j = 0; j < nx; ++j) {
        rw_wide old = *x[j];
        *x[j] = old + h;
        defects(r, own, g);
        *x[j] = old;
        for (int i = 0; i < nf; ++i) J[i][j] = (g[i] - f[i]) / h;
    }
}

/* The derivatives are kept as long as they make the defects ten times smaller. Steps stay within what the first ones
 * span, so that the result does not depend on their number. */
static bool newton(rw_rock *r, const series *own)
{
    rw_wide *x[MOST], f[MOST], J[MOST][MOST], span[MOST][MOST], G[MOST][MOST], dx[MOST], keep[MOST];
    int nx = entries(r, x), nf = defects(r, own, f);
    rw_wide norm = product(f, f, nf), before = 0;
    for (int round = 0; round < 100 && norm > 1e-33L; ++round) {
        bool close = round && norm < 1e-26L;
        if (close && norm > 0.25L * before) break; /* rounding */
        if (!close && norm > 0.01L * before) {
            differentiate(r, own, x, nx, f, nf, J);
            if (!round) memcpy(span, J, sizeof span);
            if (!pseudo_inverse(J, span, nf, nx, G)) return false;
        }
        rw_wide part = 1;
        for (int j = 0; j < nx; ++j) {
            dx[j] = -product(G[j], f, nf);
            keep[j] = *x[j];
            part = fminl(part, 0.5L / fmaxl(fabsl(dx[j]), 1e-30L));
        }
        before = norm;
        for (int halving = 0; halving < 20; ++halving, part /= 2) {
            for (int j = 0; j < nx; ++j) *x[j] = keep[j] + part * dx[j];
            defects(r, own, f);
            norm = product(f, f, nf);
            if (norm < before || before < 1e-26L) break;
        }
    }
    return norm < 1e-26L;
}

/* ---- estimate ---------------------------------------------------------------------------------------------------- */

static const rw_wide estimate_scale[RW_ROCK_KINDS] =
    {[RW_ROCK2] = 0.1L, [RW_ROCK4] = 0.0125L, [RW_ROCK4_SPLIT] = 0.0125L};

enum { MOST_VECTORS = 3 + 2 * RW_ROCK_FINISH };

/* The vectors that the estimate may use, and their weights in r. */
static int vectors(rw_rock *r, const series *own, series *v, rw_wide **weight)
{
    int n = 0;
    series y = identity, k[RW_ROCK_FINISH];
    v[n] = identity;
    weight[n++] = &r->start;
    for (int i = 0; i < r->nblocks; ++i) {
        rw_rock_block *b = r->block + i;
        bool last = i + 1 == r->nblocks;
        series g = behind(&y, own + i);
        finish(b, &g, k, upto[4], &y);
        v[n] = last ? g : y;
        weight[n++] = last ? &r->last : &r->middle;
        for (int j = 0; j < b->q; ++j) {
            v[n] = k[j];
            weight[n++] = b->e + j;
        }
    }
    return n;
}

static bool estimate(rw_rock *r, const series *own)
{
    series v[MOST_VECTORS];
    rw_wide *weight[MOST_VECTORS], J[MOST][MOST] = {{0}}, G[MOST][MOST], x[MOST];
    int n = vectors(r, own, v, weight), trees = upto[r->order - 1], nf = trees;
    for (int t = 0; t < trees; ++t)
        for (int j = 0; j < n; ++j) J[t][j] = v[j].c[t];
    if (r->nblocks == 2) { /* K of the first block: none of what is linear in z, else it would grow with z */
        const rw_rock_block *b = r->block;
        for (int j = 0, e = 0; j < b->q; ++j) {
            J[nf][2 + j] = 1;
            for (int l = 0; l < j; ++l) J[nf + 1][2 + j] += b->a[e++];
        }
        nf += 2;
    }
    /* the tall tree of the method's order: 1 for now */
    for (int j = 0; j < n; ++j) J[nf][j] = v[j].c[upto[r->order] - 1];
    if (!pseudo_inverse(J, J, nf + 1, n, G)) return false;
    for (int j = 0; j < n; ++j) x[j] = G[j][nf];
    rw_wide size = 0;
    for (int t = trees; t < upto[r->order]; ++t) {
        rw_wide c = 0;
        for (int j = 0; j < n; ++j) c += x[j] * v[j].c[t];
        size += c * c / symmetry[t] / symmetry[t];
    }
    for (int j = 0; j < n; ++j) *weight[j] = x[j] * estimate_scale[r->kind] / sqrtl(size);
    return true;
}

rw_status rw_rock_finish(rw_context *ctx, rw_rock *r)
{
    series own[2] = {{{0}}};
    own_series(r, own);
    if (newton(r, own) && estimate(r, own)) return RW_OK;
    return rw_fail(ctx, RW_ERR_NOT_CONVERGED, "no finishing stages for %d stages and damping %g were found", r->stages,
                   r->damping);
}

/* ---- series ------------------------------------------------------------------------------------------------------ */

enum { MOST_NUMBERS = 22, FEW = 16 };

static const double terms[RW_ROCK_KINDS][MOST_NUMBERS][RW_ROCK_TERMS] = {
#include "ode/rock_tableau_series.def"
};
static const double few[RW_ROCK_KINDS][FEW][FEW] = {
#include "ode/rock_tableau_few.def"
};

static int numbers(rw_rock *r, rw_wide **to)
{
    int n = 0;
    for (int i = 0; i < r->nblocks; ++i) {
        rw_rock_block *b = r->block + i;
        for (int j = 0; j < b->q * (b->q - 1) / 2; ++j) to[n++] = b->a + j;
        for (int j = 0; j < b->q; ++j) to[n++] = b->b + j;
        for (int j = 0; j < b->q; ++j) to[n++] = b->e + j;
    }
    to[n++] = &r->start;
    if (r->nblocks == 2) to[n++] = &r->middle;
    to[n++] = &r->last;
    return n;
}

void rw_rock_finish_from_series(rw_rock *r)
{
    static const int first[RW_ROCK_KINDS] = {[RW_ROCK2] = 8, [RW_ROCK4] = 16, [RW_ROCK4_SPLIT] = 16};
    rw_wide *x[MOST_NUMBERS];
    int n = numbers(r, x), from = first[r->kind];
    for (int i = 0; i < n; ++i)
        *x[i] = r->stages < from ? few[r->kind][r->stages][i] : rw_rock_series(terms[r->kind][i], from, r->stages);
}

void rw_rock_order(const rw_rock *rock, rw_wide *defect, rw_wide *estimate_defect, rw_wide *next)
{
    rw_rock *r = (rw_rock *)rock; /* vectors() tells where the weights are */
    series own[2] = {{{0}}}, v[MOST_VECTORS], y = identity, k[RW_ROCK_FINISH];
    rw_wide *weight[MOST_VECTORS], error = 0;
    own_series(r, own);
    int n = vectors(r, own, v, weight);
    *defect = *estimate_defect = 0;
    for (int i = 0; i < r->nblocks; ++i) {
        series g = recur(r->block + i, &y, TREES);
        finish(r->block + i, &g, k, TREES, &y);
    }
    for (int t = 0; t < upto[r->order]; ++t) *defect = fmaxl(*defect, fabsl(y.c[t] - 1 / density[t]));
    for (int t = 0; t < upto[r->order - 1]; ++t) {
        rw_wide c = 0;
        for (int j = 0; j < n; ++j) c += *weight[j] * v[j].c[t];
        *estimate_defect = fmaxl(*estimate_defect, fabsl(c));
    }
    for (int t = upto[r->order]; t < upto[r->order + 1]; ++t) {
        rw_wide e = (y.c[t] - 1 / density[t]) / symmetry[t];
        error += e * e;
    }
    *next = sqrtl(error);
}
