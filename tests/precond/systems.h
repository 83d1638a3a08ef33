/* For tests of preconditioners: dense factors in long double, systems, applications, iterations of a solver. */
#ifndef RW_TEST_PRECOND_SYSTEMS_H
#define RW_TEST_PRECOND_SYSTEMS_H

#include "../devices.h"
#include "../sparse/matrices.h"
#include "../values.h"
#include "precond/precond.h"
#include "rechenwerk/krylov.h"

typedef long double complex number;

/* ---- dense matrices of nb x nb blocks of r x r ------------------------------------------------------------------- */

typedef struct dense {
    int nb, r;
    number *a;   /* (nb r)^2, row after row */
    bool *there; /* nb^2: the pattern */
} dense;

static inline number *at(const dense *d, int i, int j)
{
    return d->a + ((size_t)i * (size_t)d->r) * (size_t)(d->nb * d->r) + (size_t)(j * d->r);
}
static inline int width(const dense *d) { return d->nb * d->r; }

static inline dense dense_of(const entries *e, int r)
{
    dense d = {(int)e->rows / r, r, calloc((size_t)(e->rows * e->rows), sizeof *d.a), NULL};
    d.there = calloc((size_t)(d.nb * d.nb), 1);
    for (int64_t k = 0; k < e->n; ++k) {
        d.a[e->row[k] * e->rows + e->column[k]] +=
            e->is_complex ? e->value[2 * k] + e->value[2 * k + 1] * I : e->value[k];
        d.there[e->row[k] / r * d.nb + e->column[k] / r] = true;
    }
    return d;
}

static inline void free_dense(dense *d) { free(d->a), free(d->there); }

static inline void invert(int n, const number *from, int step, number *b)
{
    number a[256];
    for (int i = 0; i < n * n; ++i) a[i] = from[i / n * step + i % n], b[i] = i / n == i % n;
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        for (int r = c; r < n; ++r)
            if (cabsl(a[r * n + c]) > cabsl(a[pivot * n + c])) pivot = r;
        for (int k = 0; k < n; ++k) {
            number s = a[c * n + k], t = b[c * n + k];
            a[c * n + k] = a[pivot * n + k], b[c * n + k] = b[pivot * n + k], a[pivot * n + k] = s,
                      b[pivot * n + k] = t;
        }
        const number p = a[c * n + c];
        for (int k = 0; k < n; ++k) a[c * n + k] /= p, b[c * n + k] /= p;
        for (int r = 0; r < n; ++r) {
            const number f = a[r * n + c];
            for (int k = 0; r != c && k < n; ++k) a[r * n + k] -= f * a[c * n + k], b[r * n + k] -= f * b[c * n + k];
        }
    }
}

/* c += sign a b, blocks in matrices whose rows are `step` long (b: n). */
static inline void block_multiply(int n, number sign, const number *a, int sa, const number *b, int sb, number *c,
                                  int sc)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k) c[i * sc + j] += sign * a[i * sa + k] * b[k * sb + j];
}

static inline void add_fill(dense *d, int most)
{
    int *level = malloc((size_t)(d->nb * d->nb) * sizeof *level), n = d->nb;
    for (int i = 0; i < n * n; ++i) level[i] = d->there[i] ? 0 : 1000;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < i; ++k)
            for (int j = k + 1; level[i * n + k] <= most && j < n; ++j)
                level[i * n + j] = RW_MIN(level[i * n + j], level[i * n + k] + level[k * n + j] + 1);
    for (int i = 0; i < n * n; ++i) d->there[i] = level[i] <= most;
    free(level);
}

/* L and U in the place of A. */
static inline void factor(dense *d, bool modified)
{
    const int n = d->nb, r = d->r, w = width(d);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < i; ++k) {
            number inverse[256], l[256] = {0};
            if (!d->there[i * n + k]) continue;
            invert(r, at(d, k, k), w, inverse);
            block_multiply(r, 1, at(d, i, k), w, inverse, r, l, r);
            for (int e = 0; e < r * r; ++e) at(d, i, k)[e / r * w + e % r] = l[e];
            for (int j = k + 1; j < n; ++j) {
                number drop[256] = {0};
                if (!d->there[k * n + j]) continue;
                if (d->there[i * n + j]) block_multiply(r, -1, l, r, at(d, k, j), w, at(d, i, j), w);
                else if (modified) {
                    block_multiply(r, -1, l, r, at(d, k, j), w, drop, r);
                    for (int e = 0; e < r * r; ++e) at(d, i, i)[e / r * w + e / r] += drop[e];
                }
            }
        }
}

/* z <- (L U)^-1 z */
static inline void solve_factors(const dense *d, number *z)
{
    const int n = d->nb, r = d->r, w = width(d);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < i; ++k)
            for (int e = 0; d->there[i * n + k] && e < r * r; ++e)
                z[i * r + e / r] -= at(d, i, k)[e / r * w + e % r] * z[k * r + e % r];
    for (int i = n - 1; i >= 0; --i) {
        number inverse[256], y[16] = {0};
        for (int k = i + 1; k < n; ++k)
            for (int e = 0; d->there[i * n + k] && e < r * r; ++e)
                z[i * r + e / r] -= at(d, i, k)[e / r * w + e % r] * z[k * r + e % r];
        invert(r, at(d, i, i), w, inverse);
        for (int e = 0; e < r * r; ++e) y[e / r] += inverse[e] * z[i * r + e % r];
        for (int e = 0; e < r; ++e) z[i * r + e] = y[e];
    }
}

/* omega (2 - omega) (D + omega U)^-1 D (D + omega L)^-1 as an LU: L' = omega L D^-1, U' = (D + omega U) / (omega (2 -
 * omega)) */
static inline void ssor_factors(dense *d, double omega)
{
    const int n = d->nb, r = d->r, w = width(d);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < i; ++k) {
            number inverse[256], l[256] = {0};
            invert(r, at(d, k, k), w, inverse);
            block_multiply(r, omega, at(d, i, k), w, inverse, r, l, r);
            for (int e = 0; e < r * r; ++e) at(d, i, k)[e / r * w + e % r] = l[e];
        }
    for (int i = 0; i < n; ++i)
        for (int j = i; j < n; ++j)
            for (int e = 0; e < r * r; ++e)
                at(d, i, j)[e / r * w + e % r] *= (j == i ? 1 : omega) / (omega * (2 - omega));
}

/* Greedy colours of the pattern in both directions; order[k]: the k-th row. */
static inline void colours(const dense *d, int *order)
{
    const int n = d->nb;
    int *colour = calloc((size_t)n, sizeof *colour), at_ = 0;
    for (int i = 0; i < n; ++i)
        for (colour[i] = 1;; ++colour[i]) {
            bool taken = false;
            for (int j = 0; j < i; ++j) taken |= (d->there[i * n + j] || d->there[j * n + i]) && colour[j] == colour[i];
            if (!taken) break;
        }
    for (int c = 1; c <= n; ++c)
        for (int i = 0; i < n; ++i)
            if (colour[i] == c) order[at_++] = i;
    free(colour);
}

static inline dense permuted(const dense *d, const int *order)
{
    const int n = d->nb, r = d->r, w = width(d);
    dense p = {n, r, calloc((size_t)(w * w), sizeof *p.a), calloc((size_t)(n * n), 1)};
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            p.there[i * n + j] = d->there[order[i] * n + order[j]];
            for (int e = 0; e < r * r; ++e)
                at(&p, i, j)[e / r * w + e % r] = at(d, order[i], order[j])[e / r * w + e % r];
        }
    return p;
}

/* ---- systems ----------------------------------------------------------------------------------------------------- */

/* Random blocks anywhere, and a diagonal; rows of different lengths, the pattern not symmetric. */
static inline entries system_of(uint64_t seed, int64_t n, int r, bool is_complex)
{
    entries e = random_entries(seed, n, n, r, r, is_complex, false, false);
    const int parts = 1 + is_complex;
    uint64_t count = 1000000;
    e.row = realloc(e.row, (size_t)(e.n + n * r * r) * 8), e.column = realloc(e.column, (size_t)(e.n + n * r * r) * 8),
    e.value = realloc(e.value, (size_t)(e.n + n * r * r) * 16);
    for (int64_t i = 0; i < n; ++i)
        for (int k = 0; k < r * r; ++k, ++e.n) {
            e.row[e.n] = i * r + k / r, e.column[e.n] = i * r + k % r;
            for (int p = 0; p < parts; ++p)
                e.value[parts * e.n + p] =
                    (double)(float)(uniform(seed, &count) - 0.5 + (k / r == k % r && p == 0 ? 6.0 * r : 0));
        }
    return e;
}

static inline rw_precond_info apply(const char *text, rw_sparse *m, rw_dtype type, rw_array *r, rw_array *z)
{
    rw_precond_spec spec;
    rw_precond *p;
    OK(rw_precond_parse(ctx, text, &spec));
    if (rw_precond_create(rw_sparse_operator(m), type, &spec, &p) != RW_OK) fail_msg("%s: %s", text, rw_message(ctx));
    OK(rw_precond_apply(p, r, z, queue));
    rw_array *again = vector_of(type, rw_array_size(r), 0);
    OK(rw_precond_apply(p, r, again, queue));
    same_bits(text, z, again);
    rw_array_destroy(&again);
    const rw_precond_info info = precond_info_of(p);
    rw_precond_destroy(&p);
    return info;
}

/* The largest difference of z from the reference, beside its largest number. */
static inline double difference(rw_dtype type, rw_array *z, const number *reference)
{
    const void *data;
    double most = 0, largest = 0;
    OK(rw_array_read(z, &data));
    for (int64_t i = 0; i < rw_array_size(z); ++i) {
        const number v = rw_value_get(type, data, i, 0) + rw_value_get(type, data, i, 1) * I;
        const double d = (double)cabsl(v - reference[i]);
        most = d > most || d != d ? d : most, largest = fmax(largest, (double)cabsl(reference[i]));
    }
    return most / largest;
}

static inline number *numbers(rw_dtype type, rw_array *a)
{
    const void *data;
    number *n = malloc((size_t)rw_array_size(a) * sizeof *n);
    OK(rw_array_read(a, &data));
    for (int64_t i = 0; i < rw_array_size(a); ++i)
        n[i] = rw_value_get(type, data, i, 0) + rw_value_get(type, data, i, 1) * I;
    return n;
}

typedef struct factor_case {
    const char *text;
    int level;
    bool modified, coloured;
    double omega;
} factor_case;

/* z of a case in long double: in the order of elimination and back. */
static inline void reference(const factor_case *c, const dense *full, number *z)
{
    const int n = full->nb, r = full->r;
    int *order = malloc((size_t)n * sizeof *order);
    number *y = malloc((size_t)(n * r) * sizeof *y);
    for (int i = 0; i < n; ++i) order[i] = i;
    if (c->coloured) colours(full, order);
    dense d = permuted(full, order);
    if (c->omega > 0) ssor_factors(&d, c->omega);
    else {
        if (c->level == 1000) memset(d.there, 1, (size_t)(n * n));
        else add_fill(&d, c->level);
        factor(&d, c->modified);
    }
    for (int i = 0; i < n * r; ++i) y[i] = z[order[i / r] * r + i % r];
    solve_factors(&d, y);
    for (int i = 0; i < n * r; ++i) z[order[i / r] * r + i % r] = y[i];
    free(order), free(y), free_dense(&d);
}

/* The grid of n^dim points with neighbours -1; r > 1: as many unknowns a point, coupled. Convection: an upwind flow of
 * that strength. */
static inline entries laplacian(int n, int dim, int r, bool is_complex, double convection)
{
    int64_t cells = 1;
    for (int d = 0; d < dim; ++d) cells *= n;
    const int parts = 1 + is_complex;
    const size_t most = (size_t)cells * (size_t)((2 * dim + 1) * r * r);
    entries e = {cells * r, cells * r, 0, is_complex, malloc(most * 8), malloc(most * 8), calloc(most, 16)};
    for (int64_t i = 0; i < cells; ++i)
        for (int k = -dim; k <= dim; ++k) {
            int64_t step = 1;
            for (int d = 1; d < abs(k); ++d) step *= n;
            const int64_t place = k ? i / step % n : 0, j = i + (k > 0 ? step : k < 0 ? -step : 0);
            if (k && (place + (k > 0) - (k < 0) < 0 || place + (k > 0) - (k < 0) >= n)) continue;
            for (int b = 0; b < r * r; ++b) {
                if (k && b / r != b % r) continue;
                e.row[e.n] = i * r + b / r, e.column[e.n] = j * r + b % r;
                double v = k                ? k < 0 ? -1 - convection : -1
                           : b / r == b % r ? 2 * dim + dim * convection + (r > 1) * 0.1 * r
                                            : 0;
                if (!k && b / r != b % r) v = 0.05;
                e.value[parts * e.n] = v;
                if (is_complex && !k && b / r != b % r) e.value[2 * e.n + 1] = b / r < b % r ? 0.03 : -0.03;
                ++e.n;
            }
        }
    return e;
}

/* Of two solvers made alike, whose solutions are the same to the bit. */
static inline int64_t iterations(const entries *e, const char *layout, rw_dtype values, rw_krylov_method method,
                                 const char *precond)
{
    rw_sparse *m = matrix_of(layout, values, e);
    const rw_dtype type = values == RW_F32 ? RW_F64 : values;
    rw_array *b = vector_of(type, e->rows, 7), *x[2] = {vector_of(type, e->rows, 0), vector_of(type, e->rows, 0)};
    rw_krylov_spec spec = {.method = method, .rtol = 1e-9, .iterations = 3000};
    rw_krylov_result result;
    rw_krylov *k;
    OK(rw_precond_parse(ctx, precond, &spec.precond));
    for (int i = 0; i < 2; ++i) {
        if (rw_krylov_create(rw_sparse_operator(m), type, &spec, &k) != RW_OK ||
            rw_krylov_solve(k, b, x[i], &result) != RW_OK)
            fail_msg("%s, %s: %s", rw_krylov_method_name(method), precond, rw_message(ctx));
        assert_true(result.residual <= 1.1e-9 * result.right_side);
        rw_krylov_destroy(&k);
    }
    same_bits(precond, x[0], x[1]);
    rw_sparse_destroy(&m), rw_array_destroy(&b), rw_array_destroy(&x[0]), rw_array_destroy(&x[1]);
    return result.iterations;
}

#endif
