/* Incomplete LU factors, of entries or of blocks: in the pattern of the matrix, with level-based fill, modified, or
 * with a drop tolerance; incomplete Cholesky factors of a hermitian matrix with positive pivots, L D L* written as (D +
 * L) D^-1 (D + L*); and SSOR, whose factors are parts of the matrix. This file has the patterns, and the values on the
 * host. On GPUs, and for iterative factorisation everywhere, values in a known pattern stay on the device (factor.c).
 *
 * Rows are eliminated one after the other (Saad 2003, algorithms 10.4 to 10.6): a_ij <- a_ij - a_ik (d_k^-1 u_kj) for k
 * < i, then the row is multiplied by d_i^-1, as it is applied. Those of the pattern alone go by levels, all rows of a
 * level at once. Cost: the matrix is read once, the factors are written once. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "precond/precond.h"

static rw_status no_memory(const rw_factors *f)
{
    return rw_fail_memory(f->ctx, (size_t)f->a.rows * (size_t)(rw_host_size(&f->a) * 8 + 24),
                          "the factors of a preconditioner");
}

static void free_factors(rw_factors *f)
{
    if (f->first != f->a.first) {
        rw_free(f->first);
        rw_free(f->column);
    }
    rw_host_free(&f->a);
    rw_free(f->order);
    rw_free(f->diagonal);
    rw_free(f->inverse);
    for (int s = 0; s < 2; ++s) rw_side_free(&f->side[s]);
}

/* Row i of a matrix whose values are here. */
static bool is_finite(const rw_factors *f, int64_t i)
{
    const int64_t size = rw_host_size(&f->a);
    double sum = 0;
    for (int64_t k = f->a.first[i] * size; k < f->a.first[i + 1] * size; ++k) sum += 0 * f->a.value[k];
    return sum == 0;
}

/* Row i stops it. */
static rw_status refuse_row(const rw_factors *f, int64_t i, bool finite)
{
    const long long row = (long long)f->order[i] * f->a.r;
    if (finite && f->definite)
        return rw_fail(
            f->ctx, RW_ERR_INPUT,
            "%s: the diagonal %s of row %lld, counted from 0, is missing or not positive: icc needs a hermitian, "
            "positive definite matrix. For other matrices use ilu0 with gmres",
            f->who, f->a.r > 1 ? "block" : "entry", row);
    if (!finite)
        return rw_fail(f->ctx, RW_ERR_INPUT,
                       "%s: row %lld of the matrix, counted from 0, has an entry that is not finite", f->who, row);
    return rw_fail(
        f->ctx, RW_ERR_INPUT,
        "%s: the diagonal %s of row %lld, counted from 0, is missing or singular, or became singular during "
        "elimination: allow more fill, or use another preconditioner (icc0 for a hermitian, positive definite "
        "matrix), or none",
        f->who, f->a.r > 1 ? "block" : "entry", row);
}

static rw_status refuse(const rw_factors *f, int64_t i) { return refuse_row(f, i, !f->a.value || is_finite(f, i)); }

static rw_status find_diagonals(rw_factors *f)
{
    int64_t bad = INT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t i = 0; i < f->a.rows; ++i) {
        int64_t k = f->first[i];
        while (k < f->first[i + 1] && f->column[k] < i) ++k;
        if (k == f->first[i + 1] || f->column[k] != i) bad = RW_MIN(bad, i);
        f->diagonal[i] = k;
    }
    return bad < INT64_MAX ? refuse(f, bad) : RW_OK;
}

/* The matrix in its order; there: its pattern, and where its values are on the device. */
static rw_status begin(rw_precond *p, rw_sparse *m, const char *who, bool there, rw_factors *f)
{
    rw_host h;
    p->method = rw_calloc(1, sizeof(rw_factored));
    *f = (rw_factors){.ctx = p->device->ctx,
                      .who = who,
                      .scale = 1,
                      .scale_inverse = 1,
                      .eliminates = true,
                      .modified = p->spec.method == RW_PRECOND_MILU};
    if (!p->method) return rw_fail_memory(f->ctx, sizeof(rw_factored), "a preconditioner");
    RW_TRY(there ? rw_host_read_pattern(m, &h) : rw_host_read(m, &h));
    f->a = h;
    const size_t n = (size_t)RW_MAX(h.rows, 1);
    f->order = rw_calloc(n, sizeof *f->order);
    f->diagonal = rw_calloc(n, sizeof *f->diagonal);
    if (!there) f->inverse = rw_calloc(n * (size_t)rw_host_size(&h), sizeof *f->inverse);
    rw_status status = f->order && f->diagonal && (there || f->inverse) ? RW_OK : no_memory(f);
    for (int64_t i = 0; status == RW_OK && i < h.rows; ++i) f->order[i] = i;
    if (status == RW_OK && p->spec.order == RW_ORDER_COLOURS) {
        status = rw_order_colours(f->ctx, &h, f->order);
        if (status == RW_OK) status = rw_host_permute(f->ctx, &h, f->order, &f->a);
        if (status == RW_OK) rw_host_free(&h);
        else f->a = h;
    }
    f->first = f->a.first;
    f->column = f->a.column;
    return status;
}

/* ---- fill by levels ---------------------------------------------------------------------------------------------- */

/* Columns of a row as an ascending linked list: next[0] is the first column, next[j + 1] the successor of column j; n:
 * the end. */
typedef struct row_list {
    int64_t n, *next;
    int32_t *level; /* of the columns in the list */
    bool *there;
} row_list;

/* Inserts column j into the list; the search starts at `from` < j (-1: the beginning). */
static void list_add(row_list *l, int64_t from, int64_t j)
{
    int64_t at = from;
    while (l->next[at + 1] < j) at = l->next[at + 1];
    l->next[j + 1] = l->next[at + 1];
    l->next[at + 1] = j;
    l->there[j] = true;
}

static bool list_make(row_list *l, int64_t n)
{
    *l = (row_list){n, rw_calloc(((size_t)n + 2), sizeof *l->next), rw_calloc(((size_t)n + 1), sizeof *l->level),
                    rw_calloc((size_t)n + 1, sizeof *l->there)};
    return l->next && l->level && l->there;
}

static void list_free(row_list *l)
{
    rw_free(l->next);
    rw_free(l->level);
    rw_free(l->there);
}

typedef struct pattern {
    int64_t *first, *column, room;
    int32_t *level;
} pattern;

static bool pattern_room(pattern *p, int64_t n)
{
    if (n <= p->room) return true;
    const int64_t room = rw_more_room(p->room, n);
    int64_t *column = rw_realloc(p->column, (size_t)room * sizeof *column);
    if (column) p->column = column;
    int32_t *level = rw_realloc(p->level, (size_t)room * sizeof *level);
    if (level) p->level = level;
    if (column && level) p->room = room;
    return column && level;
}

/* Appends row i with its fill. */
static bool fill_row(const rw_host *a, int most, row_list *l, pattern *p, int64_t i)
{
    l->next[0] = l->n;
    for (int64_t k = a->first[i], from = -1; k < a->first[i + 1]; from = a->column[k++]) {
        list_add(l, from, a->column[k]);
        l->level[a->column[k]] = 0;
    }
    int64_t count = 0;
    for (int64_t k = l->next[0]; k < l->n; k = l->next[k + 1], ++count) {
        if (k >= i || l->level[k] >= most) continue;
        for (int64_t e = p->first[k]; e < p->first[k + 1]; ++e) {
            const int64_t j = p->column[e];
            const int32_t level = l->level[k] + p->level[e] + 1;
            if (j <= k || level > most) continue;
            if (!l->there[j]) {
                list_add(l, k, j);
                l->level[j] = level;
            } else l->level[j] = RW_MIN(l->level[j], level);
        }
    }
    if (!pattern_room(p, p->first[i] + count)) return false;
    int64_t at = p->first[i];
    for (int64_t k = l->next[0]; k < l->n; k = l->next[k + 1], ++at) {
        p->column[at] = k;
        p->level[at] = l->level[k];
        l->there[k] = false;
    }
    p->first[i + 1] = at;
    return true;
}

rw_status rw_factors_fill(rw_factors *f, int level)
{
    row_list l;
    pattern p = {.first = rw_calloc((size_t)f->a.rows + 1, sizeof *p.first)};
    bool made = list_make(&l, f->a.rows) && p.first;
    for (int64_t i = 0; made && i < f->a.rows; ++i) made = fill_row(&f->a, level, &l, &p, i);
    list_free(&l);
    rw_free(p.level);
    if (made) {
        f->first = p.first;
        f->column = p.column;
    } else {
        rw_free(p.first);
        rw_free(p.column);
    }
    return made ? RW_OK : no_memory(f);
}

/* ---- factors in a pattern ---------------------------------------------------------------------------------------- */

/* d's rows: their sums of `drop` taken away, on the diagonal. */
static void compensate(int n, int parts, const double *drop, double *d)
{
    for (int r = 0; r < n; ++r)
        for (int p = 0; p < parts; ++p) {
            double sum = 0;
            for (int c = 0; c < n; ++c) sum += drop[(r * n + c) * parts + p];
            d[(r * n + r) * parts + p] += sum;
        }
}

/* Row i of the matrix into the places of its factors, 0 where they have fill; false: a number that is not finite. */
RW_DENSE_INLINE bool copy_row(const rw_factors *f, int64_t i, const int size, double *l, double *d, double *u)
{
    const rw_host *a = &f->a;
    double sum = 0;
    for (int64_t k = a->first[i], at = f->first[i]; at < f->first[i + 1]; ++at) {
        double *to = at < f->diagonal[i] ? l : at == f->diagonal[i] ? d : u;
        if (k < a->first[i + 1] && a->column[k] == f->column[at]) {
            const double *from = a->value + k++ * size;
#pragma omp simd reduction(+ : sum)
            for (int e = 0; e < size; ++e) {
                to[e] = from[e];
                sum += 0 * from[e];
            }
        } else memset(to, 0, (size_t)size * sizeof *to);
        if (at < f->diagonal[i]) l += size;
        else if (at > f->diagonal[i]) u += size;
    }
    return sum == 0;
}

/* a_ij <- a_ij - a_ik (d_k^-1 u_kj) for all k < i; by: a_ik where the row's factors are. */
RW_DENSE_INLINE void eliminate_row(const rw_factors *f, int64_t i, const int r, const int parts, double *l, double *d,
                                   double *u)
{
    const int64_t *column = f->column, begin = f->first[i], diagonal = f->diagonal[i], end = f->first[i + 1];
    const int size = r * r * parts;
    for (int64_t k = begin; k < diagonal; ++k) {
        const int64_t row = column[k], last = f->first[row + 1];
        const double *by = l + (k - begin) * size, *from = f->side[1].value + f->side[1].at[row] * size;
        for (int64_t e = f->diagonal[row] + 1, to = k + 1; e < last; ++e, from += size) {
            while (to < end && column[to] < column[e]) ++to;
            if (to < end && column[to] == column[e])
                rw_dense_multiply(r, parts, -1, by, from,
                                  to < diagonal    ? l + (to - begin) * size
                                  : to == diagonal ? d
                                                   : u + (to - diagonal - 1) * size);
            else if (f->modified) {
                double drop[RW_DENSE_MOST] = {0};
                rw_dense_multiply(r, parts, -1, by, from, drop);
                compensate(r, parts, drop, d);
            }
        }
    }
}

/* n blocks from v on <- scale inverse v */
RW_DENSE_INLINE void scale_blocks(const int r, const int parts, const double *inverse, double scale, int64_t n,
                                  double *v)
{
    const int size = r * r * parts;
    double row[RW_DENSE_MOST];
    for (int64_t k = 0; k < n; ++k, v += size) {
        for (int e = 0; e < size; ++e) row[e] = 0;
        rw_dense_multiply(r, parts, scale, inverse, v, row);
        for (int e = 0; e < size; ++e) v[e] = row[e];
    }
}

enum { MOST_SHIFTS = 24 };
static const double least_shift = 1e-3, least_pivot = 1e-10; /* pivot: relative to the diagonal of the matrix */

/* Diagonals of the diagonal block of row i, with the shift. */
RW_DENSE_INLINE void shift_diagonal(const rw_factors *f, const int r, const int parts, double *d, double *diagonal)
{
    for (int c = 0; c < r; ++c) {
        double *at = d + (c * r + c) * parts;
        diagonal[c] = *at *= 1 + f->shift;
    }
}

/* Whether a hermitian block has positive pivots that are not negligible against the diagonal it came from. */
RW_DENSE_INLINE bool is_definite(const int r, const int parts, const double *d, const double *diagonal)
{
    double a[RW_DENSE_MOST];
    memcpy(a, d, sizeof *a * (size_t)(r * r * parts));
    for (int k = 0; k < r; ++k) {
        const double pivot = a[(k * r + k) * parts];
        if (!(diagonal[k] > 0) || !(pivot > least_pivot * diagonal[k])) return false;
        for (int i = k + 1; i < r; ++i)
            for (int j = k + 1; j < r; ++j) { /* a_ij <- a_ij - a_ik a_kj / a_kk */
                const double *ik = a + (i * r + k) * parts, *kj = a + (k * r + j) * parts;
                double *ij = a + (i * r + j) * parts;
                ij[0] -= (ik[0] * kj[0] - (parts == 2 ? ik[1] * kj[1] : 0)) / pivot;
                if (parts == 2) ij[1] -= (ik[0] * kj[1] + ik[1] * kj[0]) / pivot;
            }
    }
    return true;
}

/* Eliminates row i after the rows on which it depends; false: singular pivot. r and parts are compile-time
 * constants. */
RW_DENSE_INLINE bool factor_row_of(const rw_factors *f, int64_t i, const int r, const int parts)
{
    const int size = r * r * parts;
    double *l = f->side[0].value + f->side[0].at[i] * size, *u = f->side[1].value + f->side[1].at[i] * size,
           *inverse = f->inverse + f->order[i] * size, d[RW_DENSE_MOST], diagonal[RW_SPARSE_BLOCK_MOST] = {0};
    if (!copy_row(f, i, size, l, d, u)) return false;
    if (f->definite) shift_diagonal(f, r, parts, d, diagonal);
    if (f->eliminates) eliminate_row(f, i, r, parts, l, d, u);
    if (f->definite && !is_definite(r, parts, d, diagonal)) return false;
    if (!rw_dense_invert(r, parts, d, inverse)) return false;
    scale_blocks(r, parts, inverse, f->scale, f->diagonal[i] - f->first[i], l);
    scale_blocks(r, parts, inverse, f->scale, f->first[i + 1] - f->diagonal[i] - 1, u);
    for (int e = 0; e < size; ++e) inverse[e] *= f->scale_inverse;
    return true;
}

static bool factor_row(const rw_factors *f, int64_t i)
{
    bool made;
#define FACTOR_ROW(r, parts) made = factor_row_of(f, i, r, parts)
    RW_DENSE_CASES(f->a.r, f->a.parts, FACTOR_ROW)
#undef FACTOR_ROW
    return made;
}

/* Level scheduling if there are several threads; a single thread goes row by row, since the neighbouring rows are still
 * in the cache. *first: the first row with a singular pivot, INT64_MAX: none. */
static rw_status factor_rows(rw_factors *f, int64_t *first)
{
    rw_levels *l = &f->side[0].levels;
    const int64_t n = f->a.rows;
    int64_t bad = INT64_MAX;
    const bool level_by_level = f->eliminates && omp_get_max_threads() > 1;
    if (level_by_level && !l->row && !rw_levels_make(&f->side[0].t, false, l)) return no_memory(f);
    if (!level_by_level) {
#pragma omp parallel for schedule(static) reduction(min : bad) if (!f->eliminates)
        for (int64_t i = 0; i < n; ++i)
            if (bad == INT64_MAX && !factor_row(f, i)) bad = i;
    } else {
#pragma omp parallel
        for (int64_t k = 0; k < l->n; ++k) {
#pragma omp for schedule(static) reduction(min : bad)
            for (int64_t s = l->at[k]; s < l->at[k + 1]; ++s)
                if (!factor_row(f, l->row[s])) bad = RW_MIN(bad, l->row[s]);
        }
    }
    *first = bad;
    return RW_OK;
}

/* The diagonal of row i is positive. */
static bool positive(const rw_factors *f, int64_t i)
{
    const int r = f->a.r, parts = f->a.parts;
    for (int64_t k = f->a.first[i]; k < f->a.first[i + 1]; ++k)
        for (int c = 0; c < r && f->a.column[k] == i; ++c)
            if (!(f->a.value[k * rw_host_size(&f->a) + (c * r + c) * parts] > 0)) return false;
    return true;
}

/* If pivots must be positive: repeats with a larger shift until they are. */
static rw_status factor(rw_precond *p, rw_factors *f)
{
    int64_t bad;
    RW_TRY(factor_rows(f, &bad));
    for (int n = 0; f->definite && bad < INT64_MAX && n < MOST_SHIFTS && positive(f, bad) && is_finite(f, bad); ++n) {
        f->shift = n ? 2 * f->shift : least_shift;
        p->info.shift = f->shift;
        p->info.shift_row = f->order[bad] * f->a.r;
        RW_TRY(factor_rows(f, &bad));
    }
    return bad < INT64_MAX ? refuse(f, bad) : RW_OK;
}

bool rw_factors_stay_there(const rw_precond_spec *s, bool threads)
{
    return s->method != RW_PRECOND_ICC && s->method != RW_PRECOND_ILUT && (threads || s->iterations);
}
static bool stays_there(const rw_precond *p)
{
    return rw_factors_stay_there(&p->spec, rw_device_has_threads(p->device));
}

/* Factors in a known pattern, written directly where they are applied if possible. */
static rw_status create_in_pattern(rw_precond *p, rw_sparse *m, rw_factors *f)
{
    RW_TRY(find_diagonals(f));
    if (stays_there(p)) {
        bool finite;
        int64_t bad;
        RW_TRY(rw_factors_compute(p, m, f, &bad, &finite));
        if (bad >= 0) return refuse_row(f, bad, finite);
    } else {
        RW_TRY(rw_factors_begin(p, f));
        RW_TRY(factor(p, f));
    }
    return rw_factors_end(p, f);
}

static rw_status create_ilu(rw_precond *p, rw_operator *a)
{
    rw_factors f;
    rw_sparse *const m = rw_sparse_of(a);
    rw_status status = begin(p, m, rw_precond_method_name(p->spec.method), stays_there(p), &f);
    f.definite = p->spec.method == RW_PRECOND_ICC;
    if (status == RW_OK && p->spec.level > 0) status = rw_factors_fill(&f, p->spec.level);
    if (status == RW_OK) status = create_in_pattern(p, m, &f);
    free_factors(&f);
    return status;
}

/* (D + omega L) D^-1 (D + omega U) / (omega (2 - omega)): parts of the matrix */
static rw_status create_ssor(rw_precond *p, rw_operator *a)
{
    rw_factors f;
    rw_sparse *const m = rw_sparse_of(a);
    const double omega = p->spec.omega;
    rw_status status = begin(p, m, "ssor", stays_there(p), &f);
    f.eliminates = false;
    f.scale = omega;
    f.scale_inverse = omega * (2 - omega);
    if (status == RW_OK) status = create_in_pattern(p, m, &f);
    free_factors(&f);
    return status;
}

/* ---- by size ----------------------------------------------------------------------------------------------------- */

typedef struct part {
    double square;
    int64_t column;
} part;

static int by_size(const void *a, const void *b)
{
    const part *p = a, *q = b;
    return p->square != q->square ? (p->square < q->square) - (p->square > q->square)
                                  : (p->column > q->column) - (p->column < q->column);
}

static int by_column(const void *a, const void *b)
{
    const part *p = a, *q = b;
    return (p->column > q->column) - (p->column < q->column);
}

/* A row as it is eliminated (Saad 1994): blocks by column, those of the list alone in use. */
typedef struct work {
    row_list list;
    double *value; /* a block for each column */
    part *kept;
    int64_t room[2]; /* blocks of each side */
    double unit;     /* rw_precond_unit */
} work;

static bool work_make(work *w, rw_factors *f)
{
    const size_t n = (size_t)RW_MAX(f->a.rows, 1);
    bool made = list_make(&w->list, f->a.rows);
    w->value = rw_calloc(n * (size_t)rw_host_size(&f->a), sizeof *w->value);
    w->kept = rw_calloc(n, sizeof *w->kept);
    for (int s = 0; s < 2; ++s) { made &= rw_host_begin(&f->a, f->a.rows, f->a.columns, &f->side[s].t); }
    return made && w->value && w->kept;
}

static void work_free(work *w)
{
    list_free(&w->list);
    rw_free(w->value);
    rw_free(w->kept);
}

static bool side_room(rw_host *t, int64_t *room, int64_t n)
{
    if (n <= *room) return true;
    const int64_t more = rw_more_room(*room, n);
    int64_t *column = rw_realloc(t->column, (size_t)more * sizeof *column);
    if (column) t->column = column;
    double *value = rw_realloc(t->value, (size_t)more * (size_t)rw_host_size(t) * sizeof *value);
    if (value) t->value = value;
    if (column && value) *room = more;
    return column && value;
}

/* The largest blocks of columns lo … hi - 1 in the list that are not below `least` (squares), at most `most`, into row
 * i of a side. */
static bool keep(work *w, int64_t lo, int64_t hi, double least, int64_t most, int64_t i, rw_host *t, int64_t *room)
{
    const int size = rw_host_size(t);
    int64_t n = 0;
    for (int64_t j = w->list.next[0]; j < w->list.n; j = w->list.next[j + 1]) {
        const double s = rw_dense_square_by(t->r, t->parts, w->unit, w->value + j * size);
        if (j >= lo && j < hi && s >= least) w->kept[n++] = (part){s, j};
    }
    if (n > most) {
        qsort(w->kept, (size_t)n, sizeof *w->kept, by_size);
        n = most;
        qsort(w->kept, (size_t)n, sizeof *w->kept, by_column);
    }
    if (!side_room(t, room, t->first[i] + n)) return false;
    for (int64_t k = 0, at = t->first[i]; k < n; ++k, ++at) {
        t->column[at] = w->kept[k].column;
        memcpy(t->value + at * size, w->value + w->kept[k].column * size, (size_t)size * sizeof *w->value);
    }
    t->first[i + 1] = t->first[i] + n;
    return true;
}

static void eliminate(const rw_factors *f, work *w, int64_t k, double least)
{
    const rw_host *u = &f->side[1].t;
    const int size = rw_host_size(u);
    const double *by = w->value + k * size;
    if (rw_dense_square_by(u->r, u->parts, w->unit, by) < least) return;
    for (int64_t e = u->first[k]; e < u->first[k + 1]; ++e) {
        const int64_t j = u->column[e];
        if (!w->list.there[j]) {
            list_add(&w->list, k, j);
            memset(w->value + j * size, 0, (size_t)size * sizeof *w->value);
        }
        rw_dense_multiply(u->r, u->parts, -1, by, u->value + e * size, w->value + j * size);
    }
}

static rw_status row_by_size(const rw_precond *p, rw_factors *f, work *w, int64_t i)
{
    const rw_host *a = &f->a;
    rw_host *const l = &f->side[0].t, *const u = &f->side[1].t;
    const int size = rw_host_size(a);
    double square = 0;
    int64_t below = 0, above = 0;
    w->list.next[0] = w->list.n;
    for (int64_t k = a->first[i], from = -1; k < a->first[i + 1]; from = a->column[k++]) {
        const int64_t j = a->column[k];
        list_add(&w->list, from, j);
        memcpy(w->value + j * size, a->value + k * size, (size_t)size * sizeof *w->value);
        square += rw_dense_square_by(a->r, a->parts, w->unit, a->value + k * size);
        below += j < i;
        above += j > i;
    }
    const double least = p->spec.drop * p->spec.drop * square;
    for (int64_t k = w->list.next[0]; k < i; k = w->list.next[k + 1]) eliminate(f, w, k, least);
    const bool made = keep(w, 0, i, least, below + p->spec.fill, i, l, &w->room[0]) &&
                      keep(w, i + 1, a->rows, least, above + p->spec.fill, i, u, &w->room[1]),
               there = w->list.there[i];
    for (int64_t j = w->list.next[0]; j < w->list.n; j = w->list.next[j + 1]) w->list.there[j] = false;
    if (!made) return no_memory(f);
    double *inverse = f->inverse + f->order[i] * size;
    if (!there || !is_finite(f, i) || !rw_dense_invert(a->r, a->parts, w->value + i * size, inverse))
        return refuse(f, i);
    scale_blocks(a->r, a->parts, inverse, 1, l->first[i + 1] - l->first[i], l->value + l->first[i] * size);
    scale_blocks(a->r, a->parts, inverse, 1, u->first[i + 1] - u->first[i], u->value + u->first[i] * size);
    return RW_OK;
}

rw_status rw_ilut_eliminate(const rw_precond *p, rw_factors *f)
{
    work w = {.unit = rw_precond_unit(&f->a)};
    rw_status status = work_make(&w, f) ? RW_OK : no_memory(f);
    for (int64_t i = 0; status == RW_OK && i < f->a.rows; ++i) {
        if (i % 1024 == 0) status = rw_cancel_check(f->ctx, "setup of ilut");
        if (status == RW_OK) status = row_by_size(p, f, &w, i);
    }
    work_free(&w);
    return status;
}

static rw_status create_ilut(rw_precond *p, rw_operator *a)
{
    rw_factors f;
    rw_sparse *const m = rw_sparse_of(a);
    rw_status status = begin(p, m, "ilut", false, &f);
    if (status == RW_OK) status = rw_ilut_eliminate(p, &f);
    if (status == RW_OK) status = rw_factors_end(p, &f);
    free_factors(&f);
    return status;
}

#define FACTORS(made)                                                                                                  \
    {                                                                                                                  \
        .needs_entries = true, .create = made, .apply = rw_factors_apply, .free = rw_factors_free                      \
    }
const rw_precond_ops rw_precond_ssor = FACTORS(create_ssor), rw_precond_ilu = FACTORS(create_ilu),
                     rw_precond_icc = FACTORS(create_ilu), rw_precond_ilut = FACTORS(create_ilut);
