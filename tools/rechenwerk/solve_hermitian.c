/* rechenwerk solve: whether the matrix is what cg, amg and icc are made for. A warning, before the work: they may
 * converge all the same, and more often do not. */
#include <math.h>
#include <stdlib.h>

#include "solve.h"

static double part_of(const rw_entries *e, int64_t k, int part)
{
    return e->is_complex ? e->value[2 * k + part] : part ? 0 : e->value[k];
}
static double size_of(const rw_entries *e, int64_t k)
{
    return e->is_complex ? hypot(part_of(e, k, 0), part_of(e, k, 1)) : fabs(e->value[k]);
}

/* `order` by key, equal ones as `from` has them (NULL: as they come): by counting. first: [n + 1], where each key
 * begins. */
static void sort_by(const int64_t *key, int64_t n, int64_t keys, const int64_t *from, int64_t *first, int64_t *order)
{
    for (int64_t i = 0; i <= keys; i++) first[i] = 0;
    for (int64_t k = 0; k < n; k++) first[key[k] + 1]++;
    for (int64_t i = 0; i < keys; i++) first[i + 1] += first[i];
    for (int64_t k = 0; k < n; k++) {
        const int64_t entry = from ? from[k] : k;
        order[first[key[entry]]++] = entry;
    }
    for (int64_t i = keys; i > 0; i--) first[i] = first[i - 1];
    first[0] = 0;
}

/* The first entry that differs from the conjugate of the one opposite to it, *opposite -1 where there is none; -1: all
 * agree. Row after row, columns ascending, the entry opposite to (i, j) is the next of row j that has not been met.
 * A rounding error relative to the largest entry is no difference. */
static int64_t find_difference(const rw_entries *e, int64_t *next, const int64_t *first, const int64_t *order,
                               int64_t *opposite)
{
    double largest = 0;
    for (int64_t k = 0; k < e->n; k++) largest = fmax(largest, size_of(e, k));
    const double small = 1e-12 * largest;
    for (int64_t i = 0; i < e->rows; i++) next[i] = first[i];
    for (int64_t i = 0; i < e->rows; i++)
        for (int64_t at = first[i]; at < first[i + 1]; at++) {
            const int64_t k = order[at], j = e->column[k];
            *opposite = -1;
            /* nothing is opposite to those */
            while (next[j] < first[j + 1] && e->column[order[next[j]]] < i) next[j]++;
            if (next[j] < first[j + 1] && e->column[order[next[j]]] == i) *opposite = order[next[j]++];
            const double re = *opposite < 0 ? 0 : part_of(e, *opposite, 0),
                         im = *opposite < 0 ? 0 : part_of(e, *opposite, 1);
            if (hypot(part_of(e, k, 0) - re, part_of(e, k, 1) + im) > small) return k;
        }
    return -1;
}

static void print_value(const rw_entries *e, int64_t k)
{
    fprintf(stderr, "%.6g", k < 0 ? 0 : part_of(e, k, 0));
    if (e->is_complex && k >= 0) fprintf(stderr, "%+.6gi", part_of(e, k, 1));
}

void warn_unless_hermitian(const solve *s)
{
    const rw_entries *e = &s->e;
    const rw_krylov_spec *inner = s->spec.inner;
    const bool cg = s->spec.method == RW_KRYLOV_CG || (inner && inner->method == RW_KRYLOV_CG);
    const rw_precond_method p = inner ? inner->precond.method : s->spec.precond.method;
    if (s->stencil || !(cg || p == RW_PRECOND_AMG || p == RW_PRECOND_ICC)) return;
    const size_t n = (size_t)e->n + 1, rows = (size_t)e->rows + 1;
    int64_t *spare = calloc(n > rows ? n : rows, sizeof *spare), *order = calloc(n, sizeof *order),
            *first = calloc(rows, sizeof *first), opposite = -1;
    if (spare && order && first) { /* else there is no warning */
        sort_by(e->column, e->n, e->columns, NULL, first, spare);
        sort_by(e->row, e->n, e->rows, spare, first, order);
        const int64_t k = find_difference(e, spare, first, order, &opposite);
        if (k >= 0) {
            const long long i = e->row[k] + 1, j = e->column[k] + 1;
            fprintf(stderr,
                    "rechenwerk: warning: %s needs a hermitian matrix, but %s is not hermitian: entry "
                    "(%lld, %lld) = ",
                    cg ? "cg" : rw_precond_method_name(p), s->matrix, i, j);
            print_value(e, k);
            if (i != j) {
                fprintf(stderr, ", (%lld, %lld) = ", j, i);
                print_value(e, opposite);
            }
            fprintf(stderr, ", counted from 1: %s\n",
                    cg ? "use gmres, bicgstab or idr" : "if it does not converge, use ilu0");
        }
    }
    free(spare);
    free(order);
    free(first);
}
