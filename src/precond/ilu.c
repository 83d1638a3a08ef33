/* Incomplete LU factors on the host, of entries or of blocks: in the pattern of the matrix, with fill by levels, modified, by size; and SSOR, whose factors are
 * parts of the matrix.
 *
 * Rows are eliminated one after the other (Saad 2003, algorithms 10.4 to 10.6): a_ij <- a_ij - (a_ik / d_k) a_kj for k < i. Those of the pattern alone go by levels, all rows of
 * a level at once. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "precond/precond.h"

/* A factorisation on its way. */
typedef struct factors {
    rw_context *ctx;
    const char *who;
    rw_host a;         /* the matrix in the order of elimination; then its factors */
    int64_t *order, *diagonal; /* place of the diagonal block of each row */
    double *inverse;   /* of the diagonal blocks */
    bool modified;
} factors;

static rw_status no_memory(const factors *f) { return rw_fail_memory(f->ctx, (size_t)f->a.rows * (size_t)(rw_host_size(&f->a) * 8 + 24), "the factors of a preconditioner"); }

static void free_factors(factors *f)
{
    rw_host_free(&f->a);
    rw_free(f->order), rw_free(f->diagonal), rw_free(f->inverse);
}

static rw_status singular(const factors *f, int64_t i)
{
    return rw_fail(f->ctx, RW_ERR_INPUT, "%s: the diagonal %s of row %lld is missing or singular, or has become so: more fill, another preconditioner, or none is needed", f->who,
                   f->a.r > 1 ? "block" : "entry", (long long)f->order[i] * f->a.r);
}

static rw_status find_diagonals(factors *f)
{
    for (int64_t i = 0; i < f->a.rows; ++i) {
        int64_t k = f->a.first[i];
        while (k < f->a.first[i + 1] && f->a.column[k] < i) ++k;
        if (k == f->a.first[i + 1] || f->a.column[k] != i) return singular(f, i);
        f->diagonal[i] = k;
    }
    return RW_OK;
}

static rw_status check_finite(const factors *f)
{
    const int64_t size = rw_host_size(&f->a);
    for (int64_t i = 0; i < f->a.rows; ++i)
        for (int64_t k = f->a.first[i] * size; k < f->a.first[i + 1] * size; ++k)
            if (!isfinite(f->a.value[k])) return rw_fail(f->ctx, RW_ERR_INPUT, "%s: row %lld of the matrix has a number that is not finite", f->who, (long long)i * f->a.r);
    return RW_OK;
}

/* The matrix in its order. */
static rw_status begin(rw_precond *p, rw_sparse *m, const char *who, factors *f)
{
    rw_host h;
    *f = (factors){.ctx = p->device->ctx, .who = who, .modified = p->spec.method == RW_PRECOND_MILU};
    RW_TRY(rw_host_read(m, &h));
    f->a = h;
    const size_t n = (size_t)RW_MAX(h.rows, 1);
    f->order = rw_calloc(n, sizeof *f->order), f->diagonal = rw_calloc(n, sizeof *f->diagonal), f->inverse = rw_calloc(n * (size_t)rw_host_size(&h), sizeof *f->inverse);
    rw_status status = f->order && f->diagonal && f->inverse ? check_finite(f) : no_memory(f);
    for (int64_t i = 0; status == RW_OK && i < h.rows; ++i) f->order[i] = i;
    if (status == RW_OK && p->spec.order == RW_ORDER_COLOURS) {
        status = rw_order_colours(f->ctx, &h, f->order);
        if (status == RW_OK) status = rw_host_permute(f->ctx, &h, f->order, &f->a);
        if (status == RW_OK) rw_host_free(&h);
        else f->a = h;
    }
    return status;
}

/* Rows of the factors times D^-1, as they are applied. */
static rw_status end(rw_precond *p, factors *f, double scale, double scale_inverse)
{
    const int size = rw_host_size(&f->a);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < f->a.rows; ++i) {
        double row[RW_DENSE_MOST];
        for (int64_t k = f->a.first[i]; k < f->a.first[i + 1]; ++k) {
            memset(row, 0, (size_t)size * sizeof *row);
            rw_dense_multiply(f->a.r, f->a.parts, scale, f->inverse + i * size, f->a.value + k * size, row);
            memcpy(f->a.value + k * size, row, (size_t)size * sizeof *row);
        }
        for (int e = 0; e < size; ++e) f->inverse[i * size + e] *= scale_inverse;
    }
    return rw_factors_create(p, &f->a, f->inverse, f->order);
}

/* ---- SSOR ---------------------------------------------------------------------------------------------------------------------------------- */

/* (D + omega L) D^-1 (D + omega U) / (omega (2 - omega)) */
static rw_status create_ssor(rw_precond *p, rw_sparse *m)
{
    factors f;
    const double omega = p->spec.omega;
    rw_status status = begin(p, m, "ssor", &f);
    if (status == RW_OK) status = find_diagonals(&f);
    const int size = rw_host_size(&f.a);
    for (int64_t i = 0; status == RW_OK && i < f.a.rows; ++i)
        if (!rw_dense_invert(f.a.r, f.a.parts, f.a.value + f.diagonal[i] * size, f.inverse + i * size)) status = singular(&f, i);
    if (status == RW_OK) status = end(p, &f, omega, omega * (2 - omega));
    free_factors(&f);
    return status;
}

/* ---- fill by levels ---------------------------------------------------------------------------------------------------------------------- */

/* Columns of a row, ascending, as a list: next[0] is before the first, next[j + 1] behind column j; n: the end. */
typedef struct row_list {
    int64_t n, *next;
    int32_t *level; /* of the columns in the list */
    bool *there;
} row_list;

/* Puts column j into the list, behind `from`, which is before it (-1: the beginning). */
static void list_add(row_list *l, int64_t from, int64_t j)
{
    int64_t at = from;
    while (l->next[at + 1] < j) at = l->next[at + 1];
    l->next[j + 1] = l->next[at + 1], l->next[at + 1] = j, l->there[j] = true;
}

static bool list_make(row_list *l, int64_t n)
{
    *l = (row_list){n, rw_calloc(((size_t)n + 2), sizeof *l->next), rw_calloc(((size_t)n + 1), sizeof *l->level), rw_calloc((size_t)n + 1, sizeof *l->there)};
    return l->next && l->level && l->there;
}

static void list_free(row_list *l) { rw_free(l->next), rw_free(l->level), rw_free(l->there); }

typedef struct pattern {
    int64_t *first, *column, room;
    int32_t *level;
} pattern;

static bool pattern_room(pattern *p, int64_t n)
{
    if (n <= p->room) return true;
    const int64_t room = RW_MAX(n, 2 * p->room);
    int64_t *column = rw_realloc(p->column, (size_t)room * sizeof *column);
    if (column) p->column = column;
    int32_t *level = rw_realloc(p->level, (size_t)room * sizeof *level);
    if (level) p->level = level;
    if (column && level) p->room = room;
    return column && level;
}

/* Row i with its fill, behind the rows before it. */
static bool fill_row(const rw_host *a, int most, row_list *l, pattern *p, int64_t i)
{
    l->next[0] = l->n;
    for (int64_t k = a->first[i], from = -1; k < a->first[i + 1]; from = a->column[k++]) list_add(l, from, a->column[k]), l->level[a->column[k]] = 0;
    int64_t count = 0;
    for (int64_t k = l->next[0]; k < l->n; k = l->next[k + 1], ++count) {
        if (k >= i || l->level[k] >= most) continue;
        for (int64_t e = p->first[k]; e < p->first[k + 1]; ++e) {
            const int64_t j = p->column[e];
            const int32_t level = l->level[k] + p->level[e] + 1;
            if (j <= k || level > most) continue;
            if (!l->there[j]) list_add(l, k, j), l->level[j] = level;
            else l->level[j] = RW_MIN(l->level[j], level);
        }
    }
    if (!pattern_room(p, p->first[i] + count)) return false;
    int64_t at = p->first[i];
    for (int64_t k = l->next[0]; k < l->n; k = l->next[k + 1], ++at) p->column[at] = k, p->level[at] = l->level[k], l->there[k] = false;
    p->first[i + 1] = at;
    return true;
}

/* The matrix with room for fill up to a level. */
static rw_status add_fill(factors *f, int level)
{
    row_list l;
    rw_host to = f->a;
    pattern p = {.first = rw_calloc((size_t)f->a.rows + 1, sizeof *p.first)};
    const int size = rw_host_size(&f->a);
    bool made = list_make(&l, f->a.rows) && p.first;
    for (int64_t i = 0; made && i < f->a.rows; ++i) made = fill_row(&f->a, level, &l, &p, i);
    list_free(&l);
    to.first = p.first, to.column = p.column, to.value = NULL;
    if (made) to.value = rw_calloc((size_t)RW_MAX(p.first[to.rows], 1) * (size_t)size, sizeof *to.value);
    rw_free(p.level);
    if (!to.value) {
        rw_host_free(&to);
        return no_memory(f);
    }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < to.rows; ++i)
        for (int64_t k = f->a.first[i], at = to.first[i]; k < f->a.first[i + 1]; ++k) {
            while (to.column[at] != f->a.column[k]) ++at;
            memcpy(to.value + at * size, f->a.value + k * size, (size_t)size * sizeof *to.value);
        }
    rw_host_free(&f->a);
    f->a = to;
    return RW_OK;
}

/* ---- factors in a pattern ------------------------------------------------------------------------------------------------------------------ */

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

/* factor_row for real entries. */
static bool factor_entries(factors *f, int64_t i)
{
    const rw_host *a = &f->a;
    for (int64_t k = a->first[i]; k < f->diagonal[i]; ++k) {
        const int64_t row = a->column[k], end = a->first[i + 1];
        const double by = a->value[k] * f->inverse[row];
        for (int64_t e = f->diagonal[row] + 1, to = k + 1; e < a->first[row + 1]; ++e) {
            while (to < end && a->column[to] < a->column[e]) ++to;
            if (to < end && a->column[to] == a->column[e]) a->value[to] -= by * a->value[e];
            else if (f->modified) a->value[f->diagonal[i]] -= by * a->value[e];
        }
    }
    return rw_dense_invert(1, 1, a->value + f->diagonal[i], f->inverse + i);
}

/* Row i, when those it needs are done; false: singular. */
static bool factor_row(factors *f, int64_t i)
{
    const rw_host *a = &f->a;
    const int r = a->r, parts = a->parts, size = rw_host_size(a);
    if (size == 1) return factor_entries(f, i);
    double by[RW_DENSE_MOST], drop[RW_DENSE_MOST];
    for (int64_t k = a->first[i]; k < f->diagonal[i]; ++k) {
        const int64_t row = a->column[k];
        int64_t to = k + 1;
        memset(by, 0, (size_t)size * sizeof *by);
        rw_dense_multiply(r, parts, 1, a->value + k * size, f->inverse + row * size, by);
        for (int64_t e = f->diagonal[row] + 1; e < a->first[row + 1]; ++e) {
            while (to < a->first[i + 1] && a->column[to] < a->column[e]) ++to;
            if (to < a->first[i + 1] && a->column[to] == a->column[e]) rw_dense_multiply(r, parts, -1, by, a->value + e * size, a->value + to * size);
            else if (f->modified) {
                memset(drop, 0, (size_t)size * sizeof *drop);
                rw_dense_multiply(r, parts, -1, by, a->value + e * size, drop);
                compensate(r, parts, drop, a->value + f->diagonal[i] * size);
            }
        }
    }
    return rw_dense_invert(r, parts, a->value + f->diagonal[i] * size, f->inverse + i * size);
}

/* Rows by levels: list[from[l]] … list[from[l + 1] - 1]. */
static int64_t sort_rows(const factors *f, int64_t *level, int64_t *from, int64_t *list)
{
    const rw_host *a = &f->a;
    int64_t levels = 0;
    for (int64_t i = 0; i < a->rows; ++i) {
        level[i] = 0;
        for (int64_t k = a->first[i]; k < f->diagonal[i]; ++k) level[i] = RW_MAX(level[i], level[a->column[k]] + 1);
        ++from[level[i] + 2], levels = RW_MAX(levels, level[i] + 1);
    }
    for (int64_t l = 0; l < levels; ++l) from[l + 2] += from[l + 1];
    for (int64_t i = 0; i < a->rows; ++i) list[from[level[i] + 1]++] = i;
    return levels;
}

/* Levels give threads something to do; one thread goes on to the neighbour, whose rows are still in the cache. */
static rw_status factor(factors *f)
{
    const int64_t n = f->a.rows;
    if (omp_get_max_threads() == 1) {
        for (int64_t i = 0; i < n; ++i)
            if (!factor_row(f, i)) return singular(f, i);
        return RW_OK;
    }
    int64_t *level = rw_calloc((size_t)RW_MAX(n, 1), sizeof *level), *from = rw_calloc((size_t)n + 3, sizeof *from), *list = rw_calloc((size_t)RW_MAX(n, 1), sizeof *list), bad = INT64_MAX;
    const bool made = level && from && list;
    if (made) {
        const int64_t levels = sort_rows(f, level, from, list);
        for (int64_t l = 0; l < levels && bad == INT64_MAX; ++l) {
#pragma omp parallel for schedule(static) reduction(min : bad) if (from[l + 1] - from[l] > 64)
            for (int64_t s = from[l]; s < from[l + 1]; ++s)
                if (!factor_row(f, list[s])) bad = RW_MIN(bad, list[s]);
        }
    }
    rw_free(level), rw_free(from), rw_free(list);
    return !made ? no_memory(f) : bad < INT64_MAX ? singular(f, bad) : RW_OK;
}

static rw_status create_ilu(rw_precond *p, rw_sparse *m)
{
    factors f;
    rw_status status = begin(p, m, p->spec.method == RW_PRECOND_MILU ? "milu" : "ilu", &f);
    if (status == RW_OK && p->spec.level > 0) status = add_fill(&f, p->spec.level);
    if (status == RW_OK) status = find_diagonals(&f);
    if (status == RW_OK) status = factor(&f);
    if (status == RW_OK) status = end(p, &f, 1, 1);
    free_factors(&f);
    return status;
}

/* ---- by size --------------------------------------------------------------------------------------------------------------------------------- */

typedef struct part { double square; int64_t column; } part;

static int by_size(const void *a, const void *b)
{
    const part *p = a, *q = b;
    return p->square != q->square ? (p->square < q->square) - (p->square > q->square) : (p->column > q->column) - (p->column < q->column);
}

static int by_column(const void *a, const void *b)
{
    const part *p = a, *q = b;
    return (p->column > q->column) - (p->column < q->column);
}

/* A row as it is eliminated (Saad 1994): blocks by column, those of the list alone in use. */
typedef struct work {
    row_list list;
    double *value;    /* a block for each column */
    part *kept;
    rw_host to;       /* the rows that are done */
    int64_t room;
} work;

static bool work_make(work *w, const rw_host *a)
{
    const size_t n = (size_t)RW_MAX(a->rows, 1);
    const bool list = list_make(&w->list, a->rows);
    w->value = rw_calloc(n * (size_t)rw_host_size(a), sizeof *w->value), w->kept = rw_calloc(n, sizeof *w->kept);
    w->to = *a, w->to.column = NULL, w->to.value = NULL, w->to.first = rw_calloc(n + 1, sizeof *w->to.first), w->room = 0;
    return list && w->value && w->kept && w->to.first;
}

static void work_free(work *w)
{
    list_free(&w->list);
    rw_free(w->value), rw_free(w->kept);
    rw_host_free(&w->to);
}

static bool work_room(work *w, int64_t n)
{
    if (n <= w->room) return true;
    const int64_t room = RW_MAX(n, 2 * w->room);
    int64_t *column = rw_realloc(w->to.column, (size_t)room * sizeof *column);
    if (column) w->to.column = column;
    double *value = rw_realloc(w->to.value, (size_t)room * (size_t)rw_host_size(&w->to) * sizeof *value);
    if (value) w->to.value = value;
    if (column && value) w->room = room;
    return column && value;
}

/* The largest blocks of columns lo … hi - 1 in the list that are not below `least` (squares), at most `most`, into row i. */
static bool keep(work *w, int64_t lo, int64_t hi, double least, int64_t most, int64_t *at)
{
    const int size = rw_host_size(&w->to);
    int64_t n = 0;
    for (int64_t j = w->list.next[0]; j < w->list.n; j = w->list.next[j + 1]) {
        const double s = rw_dense_square(w->to.r, w->to.parts, w->value + j * size);
        if (j >= lo && j < hi && s >= least) w->kept[n++] = (part){s, j};
    }
    if (n > most) qsort(w->kept, (size_t)n, sizeof *w->kept, by_size), n = most, qsort(w->kept, (size_t)n, sizeof *w->kept, by_column);
    if (!work_room(w, *at + n)) return false;
    for (int64_t k = 0; k < n; ++k, ++*at) {
        w->to.column[*at] = w->kept[k].column;
        memcpy(w->to.value + *at * size, w->value + w->kept[k].column * size, (size_t)size * sizeof *w->value);
    }
    return true;
}

static void eliminate(const factors *f, work *w, int64_t k, double least)
{
    const rw_host *u = &w->to;
    const int size = rw_host_size(u);
    double by[RW_DENSE_MOST];
    if (rw_dense_square(u->r, u->parts, w->value + k * size) < least) return;
    memset(by, 0, (size_t)size * sizeof *by);
    rw_dense_multiply(u->r, u->parts, 1, w->value + k * size, f->inverse + k * size, by);
    for (int64_t e = u->first[k]; e < u->first[k + 1]; ++e) {
        const int64_t j = u->column[e];
        if (j <= k) continue;
        if (!w->list.there[j]) list_add(&w->list, k, j), memset(w->value + j * size, 0, (size_t)size * sizeof *w->value);
        rw_dense_multiply(u->r, u->parts, -1, by, u->value + e * size, w->value + j * size);
    }
}

static rw_status row_by_size(const rw_precond *p, factors *f, work *w, int64_t i)
{
    const rw_host *a = &f->a;
    const int size = rw_host_size(a);
    double square = 0;
    int64_t below = 0, above = 0, at = w->to.first[i];
    w->list.next[0] = w->list.n;
    for (int64_t k = a->first[i], from = -1; k < a->first[i + 1]; from = a->column[k++]) {
        const int64_t j = a->column[k];
        list_add(&w->list, from, j);
        memcpy(w->value + j * size, a->value + k * size, (size_t)size * sizeof *w->value);
        square += rw_dense_square(a->r, a->parts, a->value + k * size), below += j < i, above += j > i;
    }
    const double least = p->spec.drop * p->spec.drop * square;
    for (int64_t k = w->list.next[0]; k < i; k = w->list.next[k + 1]) eliminate(f, w, k, least);
    bool made = keep(w, 0, i, least, below + p->spec.fill, &at) && keep(w, i, i + 1, 0, 1, &at) && keep(w, i + 1, a->rows, least, above + p->spec.fill, &at);
    for (int64_t j = w->list.next[0]; j < w->list.n; j = w->list.next[j + 1]) w->list.there[j] = false;
    w->to.first[i + 1] = at;
    if (!made) return no_memory(f);
    const int64_t k = w->to.first[i];
    for (int64_t d = k; d < at; ++d)
        if (w->to.column[d] == i) return rw_dense_invert(a->r, a->parts, w->to.value + d * size, f->inverse + i * size) ? RW_OK : singular(f, i);
    return singular(f, i);
}

static rw_status create_ilut(rw_precond *p, rw_sparse *m)
{
    factors f;
    work w = {0};
    rw_status status = begin(p, m, "ilut", &f);
    if (status == RW_OK && !work_make(&w, &f.a)) status = no_memory(&f);
    for (int64_t i = 0; status == RW_OK && i < f.a.rows; ++i) status = row_by_size(p, &f, &w, i);
    if (status == RW_OK) {
        rw_host_free(&f.a);
        f.a = w.to, w.to = (rw_host){0};
        status = end(p, &f, 1, 1);
    }
    work_free(&w), free_factors(&f);
    return status;
}

const rw_precond_ops rw_precond_ssor = {create_ssor, rw_factors_apply}, rw_precond_ilu = {create_ilu, rw_factors_apply}, rw_precond_ilut = {create_ilut, rw_factors_apply};
