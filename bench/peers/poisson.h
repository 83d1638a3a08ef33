/* What the programs of bench/elliptic.sh have in common: the problem, the check of a solution and the printed line.
 *
 * laplace(u) = f on the unit square or cube with n cells along each axis. u = 0 on the sides, half a spacing outside
 * the first and last cells: the value beyond a side is minus that of the cell. f is a hash of the cell's index, uniform
 * in [-0.5, 0.5), so that each process computes its part. The first axis varies fastest. */
#ifndef POISSON_H
#define POISSON_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define POISSON_RTOL 1e-8

typedef struct poisson {
    long long n; /* cells along each axis */
    int ndim;    /* 2 or 3 */
} poisson;

typedef struct poisson_result {
    long long iterations;
    double seconds, setup;
} poisson_result;

/* "2048^2". */
static inline int poisson_parse(const char *text, poisson *p)
{
    char end;
    return sscanf(text, "%lld^%d%c", &p->n, &p->ndim, &end) == 2 && p->n > 1 && (p->ndim == 2 || p->ndim == 3);
}

/* Cells of a plane, which is a line in two dimensions. */
static inline int64_t poisson_plane(const poisson *p) { return p->ndim == 3 ? p->n * p->n : p->n; }

/* SplitMix64: G. Steele, D. Lea, C. Flood, OOPSLA 2014. */
static inline double poisson_source(int64_t cell)
{
    uint64_t z = ((uint64_t)cell + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) / 9007199254740992. - 0.5;
}

/* |laplace(u) - f| / |f| */
static inline double poisson_residual(const poisson *p, const double *u)
{
    const double n2 = (double)p->n * (double)p->n;
    double above = 0, below = 0;
    for (int64_t i = 0; i < poisson_plane(p) * p->n; ++i) {
        const double f = poisson_source(i);
        double sum = 0;
        for (int64_t d = 0, step = 1; d < p->ndim; ++d, step *= p->n) {
            const int64_t at = i / step % p->n;
            sum += (at > 0 ? u[i - step] : -u[i]) - 2 * u[i] + (at < p->n - 1 ? u[i + step] : -u[i]);
        }
        above += (n2 * sum - f) * (n2 * sum - f);
        below += f * f;
    }
    return sqrt(above / below);
}

/* Prints "ITERATIONS SECONDS SETUP RESIDUAL". Returns the exit code: 1 if the residual is too large. The 10 % are for
 * norms that a solver updates instead of recomputing them. */
static inline int poisson_report(const poisson *p, const poisson_result *r, const double *u)
{
    const double residual = poisson_residual(p, u);
    printf("%lld %.6g %.6g %.3g\n", r->iterations, r->seconds, r->setup, residual);
    if (residual <= 1.1 * POISSON_RTOL) return 0;
    fprintf(stderr, "residual %.3g |f|: must be at most %.3g |f|\n", residual, POISSON_RTOL);
    return 1;
}

#endif
