/* Systems for tests of solvers and preconditioners. */
#ifndef TEST_SYSTEMS_H
#define TEST_SYSTEMS_H

#include "../devices.h"
#include "../sparse/matrices.h"
#include "krylov/krylov.h"
#include "sparse/host.h"

/* A grid of n x n cells with blocks: random numbers, diagonal blocks that dominate; symmetric (hermitian) where
 * asked. */
__attribute__((unused)) static entries system_of(uint64_t seed, int64_t n, int block, bool is_complex, bool hermitian)
{
    entries e = grid_entries(seed, n, n, block, block, is_complex);
    const int parts = 1 + is_complex;
    double *sum = calloc((size_t)e.rows, sizeof *sum);
    for (int64_t k = 0; hermitian && k < e.n; ++k) { /* (j, i) follows from (i, j), a number of the places alone */
        const int64_t lo = RW_MIN(e.row[k], e.column[k]), hi = RW_MAX(e.row[k], e.column[k]);
        for (int p = 0; p < parts; ++p) {
            const double v = rw_random_uniform(seed + (uint64_t)p, (uint64_t)(lo * e.rows + hi)) - 0.5;
            e.value[parts * k + p] = p == 1 ? e.row[k] < e.column[k] ? v : e.row[k] > e.column[k] ? -v : 0 : v;
        }
    }
    for (int64_t k = 0; k < e.n; ++k)
        for (int p = 0; p < parts; ++p) sum[e.row[k]] += fabs(e.value[parts * k + p]);
    for (int64_t k = 0; k < e.n; ++k)
        if (e.row[k] == e.column[k]) e.value[parts * k] = 0.9 * sum[e.row[k]] * (1 + (double)(e.row[k] % 7));
    free(sum);
    return e;
}

/* |b - A x| / |b| in long double, from the entries */
__attribute__((unused)) static double true_residual(const entries *e, rw_dtype type, rw_array *b, rw_array *x)
{
    const void *pb, *px;
    OK(rw_array_read(b, &pb));
    OK(rw_array_read(x, &px));
    long double complex *r = calloc((size_t)e->rows, sizeof *r);
    long double rr = 0, bb = 0;
    for (int64_t i = 0; i < e->rows; ++i)
        r[i] = rw_value_get(type, pb, i, 0) + rw_value_get(type, pb, i, 1) * I, bb += creall(r[i] * conjl(r[i]));
    for (int64_t k = 0; k < e->n; ++k) {
        const long double complex a = e->is_complex ? e->value[2 * k] + e->value[2 * k + 1] * I : e->value[k];
        r[e->row[k]] -= a * (rw_value_get(type, px, e->column[k], 0) + rw_value_get(type, px, e->column[k], 1) * I);
    }
    for (int64_t i = 0; i < e->rows; ++i) rr += creall(r[i] * conjl(r[i]));
    free(r);
    return (double)sqrtl(rr / bb);
}

#endif
