/* Random matrices for tests, as lists of entries: rows of very different lengths, empty ones, a full one; in whole
 * blocks where asked. */
#ifndef TEST_MATRICES_H
#define TEST_MATRICES_H

#include <complex.h>
#include <math.h>

#include "core/core.h"
#include "rechenwerk/sparse.h"

typedef rw_entries entries;

static void free_entries(entries *e) { free(e->row), free(e->column), free(e->value); }

static double uniform(uint64_t seed, uint64_t *count) { return rw_random_uniform(seed, (*count)++); }

/* Blocks of br x bc; with `banded` near the diagonal, else anywhere. `holes`: a part of the entries of a block is left
 * out. */
__attribute__((unused)) static entries random_entries(uint64_t seed, int64_t block_rows, int64_t block_columns, int br,
                                                      int bc, bool is_complex, bool banded, bool holes)
{
    uint64_t count = 0;
    entries e = {block_rows * br, block_columns * bc, 0, is_complex, NULL, NULL, NULL};
    int64_t room = 0;
    for (int64_t i = 0; i < block_rows && block_columns; ++i) {
        double kind = uniform(seed, &count);
        int64_t want = kind < 0.1 ? 0 : kind < 0.15 ? block_columns : 1 + (int64_t)(uniform(seed, &count) * 6), j = -1;
        for (int64_t k = 0; k < want; ++k) {
            int64_t step = want == block_columns ? 1
                           : banded              ? 1 + (int64_t)(uniform(seed, &count) * 2)
                                    : 1 + (int64_t)(uniform(seed, &count) * 2 * (double)block_columns / (double)want);
            if (j < 0 && banded && want < block_columns) step = RW_MAX(i - 2, 0) + 1;
            if ((j += step) >= block_columns) break;
            for (int r = 0; r < br; ++r)
                for (int c = 0; c < bc; ++c) {
                    if (holes && uniform(seed, &count) < 0.2) continue;
                    if (e.n == room) {
                        room = 2 * room + 64;
                        e.row = realloc(e.row, (size_t)room * 8), e.column = realloc(e.column, (size_t)room * 8),
                        e.value = realloc(e.value, (size_t)room * 16);
                    }
                    e.row[e.n] = i * br + r, e.column[e.n] = j * bc + c;
                    for (int p = 0; p <= is_complex; ++p)
                        e.value[(1 + is_complex) * e.n + p] = (double)(float)(uniform(seed, &count) - 0.5) + 0x1p-20;
                    ++e.n;
                }
        }
    }
    if (!e.row) e.row = malloc(8), e.column = malloc(8), e.value = malloc(16);
    for (int64_t k = e.n - 1; k > 0; --k) { /* in any order */
        int64_t other = (int64_t)(uniform(seed, &count) * (double)(k + 1)), t;
        t = e.row[k], e.row[k] = e.row[other], e.row[other] = t;
        t = e.column[k], e.column[k] = e.column[other], e.column[other] = t;
        for (int p = 0; p <= is_complex; ++p) {
            double *a = e.value + (1 + is_complex) * k + p, *b = e.value + (1 + is_complex) * other + p, v = *a;
            *a = *b, *b = v;
        }
    }
    return e;
}

/* A grid of n x m cells with its four neighbours, blocks of br x bc. */
__attribute__((unused)) static entries grid_entries(uint64_t seed, int64_t n, int64_t m, int br, int bc,
                                                    bool is_complex)
{
    uint64_t count = 0;
    const size_t most = (size_t)(n * m * 5 * br * bc);
    entries e = {n * m * br, n * m * bc, 0, is_complex, malloc(most * 8), malloc(most * 8), malloc(most * 16)};
    for (int64_t i = 0; i < n * m; ++i)
        for (int k = -2; k <= 2; ++k) {
            const int64_t j = i + (k == -2 ? -n : k == 2 ? n : k);
            if (j < 0 || j >= n * m || (abs(k) == 1 && j / n != i / n)) continue;
            for (int r = 0; r < br; ++r)
                for (int c = 0; c < bc; ++c, ++e.n) {
                    e.row[e.n] = i * br + r, e.column[e.n] = j * bc + c;
                    for (int p = 0; p <= is_complex; ++p)
                        e.value[(1 + is_complex) * e.n + p] = (double)(float)(uniform(seed, &count) - 0.5) + 0x1p-20;
                }
        }
    return e;
}

/* Layouts of all formats that suit blocks of br x bc, NULL behind the last. */
__attribute__((unused)) static const char *const scalar_layouts[] =
    {"coo",  "csr",      "csr:i64",           "vbcsr",   "dia", "ell", "ell:l5", "ell:s1000000",
     "sell", "sell:s64", "sell:h64:s128:i64", "sell:l3", NULL};
__attribute__((
    unused)) static const char *const block_layouts[] = {"bcsr:%dx%d",          "bcsr:%dx%d:columns",     "bell:%dx%d",
                                                         "bell:%dx%d:l2",       "bell:%dx%d:s100000",     "bsell:%dx%d",
                                                         "bsell:%dx%d:s64:i64", "bsell:%dx%d:h96:s96:l3", NULL};

/* On the device of the test. */
__attribute__((unused)) static rw_sparse *matrix_of(const char *layout, rw_dtype values, const entries *e)
{
    rw_sparse_layout l;
    rw_sparse *m;
    OK(rw_sparse_layout_parse(ctx, layout, &l));
    l.values = values;
    OK(rw_sparse_from_entries(dev, &l, e, &m));
    return m;
}

/* Uniform numbers; seed 0: zeros. */
__attribute__((unused)) static rw_array *vector_of(rw_dtype type, int64_t n, uint64_t seed)
{
    rw_array *a;
    void *data;
    OK(rw_array_create(dev, type, 1, &n, RW_MEMORY_DEVICE, &a));
    OK(rw_array_write(a, &data));
    for (int64_t i = 0; i < n * (1 + rw_dtype_is_complex(type)); ++i) {
        const double v = seed ? rw_random_uniform(seed, (uint64_t)i) - 0.5 : 0;
        if (type == RW_F32 || type == RW_C64) ((float *)data)[i] = (float)v;
        else ((double *)data)[i] = v;
    }
    return a;
}

#endif
