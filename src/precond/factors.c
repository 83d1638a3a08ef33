/* Incomplete factors as they are applied, and the orders of elimination.
 *
 * With A ~ (D + L) D^-1 (D + U), D the diagonal blocks of the factors, z = M r is
 *
 *   z <- D^-1 r        (1 + D^-1 L) z = z        (1 + D^-1 U) z = z
 *
 * three matrices of which the triangular ones are solved in place: rows of a level need none of each other, so a level is one product z <- z - T z of some rows.
 * The rows of such a matrix lie in the order of levels. One core, or several for which a level is too little, takes row after row in one launch, in the order of elimination, whose
 * neighbours are still in the cache. By sweeps (Jacobi's method, z <- b - T z, again and again) a system is a few whole products
 * instead: as exact as a preconditioner needs where off-diagonal blocks are small, and without the launch a level.
 *
 * Sources: Saad 2003, chapters 10 and 11.6 (levels); Anzt, Chow, Dongarra, Iterative sparse triangular solves for preconditioning, Euro-Par 2015 (sweeps). */
#include <string.h>

#include "precond/precond.h"

static rw_status no_memory(rw_context *ctx, int64_t n) { return rw_fail_memory(ctx, (size_t)n * 8, "a preconditioner"); }

/* ---- triangles -------------------------------------------------------------------------------------------------------------------------- */

/* level[i] of rows from the first to the last, or back; their number. */
static int64_t find_levels(const rw_host *t, bool upper, int64_t *level)
{
    int64_t levels = 0;
    for (int64_t s = 0; s < t->rows; ++s) {
        const int64_t i = upper ? t->rows - 1 - s : s;
        level[i] = 0;
        for (int64_t k = t->first[i]; k < t->first[i + 1]; ++k) level[i] = RW_MAX(level[i], level[t->column[k]] + 1);
        levels = RW_MAX(levels, level[i] + 1);
    }
    return levels;
}

/* The part of f on one side of the diagonal. */
static bool side_of(const rw_host *f, bool upper, rw_host *t)
{
    const int size = rw_host_size(f);
    *t = *f, t->column = NULL, t->value = NULL;
    t->first = rw_calloc((size_t)f->rows + 1, sizeof *t->first);
    if (!t->first) return false;
    for (int64_t i = 0; i < f->rows; ++i) {
        int64_t n = 0;
        for (int64_t k = f->first[i]; k < f->first[i + 1]; ++k) n += upper ? f->column[k] > i : f->column[k] < i;
        t->first[i + 1] = t->first[i] + n;
    }
    if (!rw_host_make(t)) return false;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < f->rows; ++i)
        for (int64_t k = f->first[i], at = t->first[i]; k < f->first[i + 1]; ++k)
            if (upper ? f->column[k] > i : f->column[k] < i) {
                t->column[at] = f->column[k];
                memcpy(t->value + at++ * size, f->value + k * size, (size_t)size * sizeof *t->value);
            }
    return true;
}

/* position[row]: rows by levels, those of a level as they come. order: names of the rows. */
static rw_status sort_levels(rw_precond *p, const rw_host *t, const int64_t *order, const int64_t *level, rw_triangle *to, int64_t *position)
{
    to->at = rw_calloc((size_t)to->levels + 2, sizeof *to->at);
    if (!to->at) return no_memory(p->device->ctx, to->levels);
    int64_t *at = to->at;
    for (int64_t i = 0; i < t->rows; ++i) ++at[level[i] + 2];
    for (int64_t s = 0; s < to->levels; ++s) at[s + 2] += at[s + 1];
    for (int64_t i = 0; i < t->rows; ++i) position[order[i]] = at[level[i] + 1]++;
    return RW_OK;
}

enum { LITTLE = 1 << 18 }; /* bytes of a level that cores do not share out: at 10 GB/s what waking them takes */

static bool row_after_row(const rw_precond *p, const rw_host *t, int64_t levels)
{
    const double bytes = (double)t->first[t->rows] * rw_host_size(t) * (p->spec.scaled ? 2 : p->spec.single ? 4 : 8);
    return !rw_sparse_threads(p->inverse) && (p->spec.sweeps || p->device->info.units == 1 || bytes < (double)LITTLE * (double)levels);
}

static bool natural(const int64_t *order, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        if (order[i] != i) return false;
    return true;
}

static rw_status create_triangle(rw_precond *p, const rw_host *f, bool upper, const int64_t *order, const int64_t *back, rw_triangle *to)
{
    rw_host t = {0}, named = {0};
    rw_context *ctx = p->device->ctx;
    int64_t *level = rw_calloc((size_t)RW_MAX(f->rows, 1), sizeof *level), *position = rw_calloc((size_t)RW_MAX(f->rows, 1), sizeof *position);
    rw_status status = level && position && side_of(f, upper, &t) ? RW_OK : no_memory(ctx, f->rows);
    if (status == RW_OK) {
        to->levels = find_levels(&t, upper, level);
        if (!row_after_row(p, &t, to->levels)) status = sort_levels(p, &t, order, level, to, position);
        else
            for (int64_t i = 0; i < t.rows; ++i) position[order[i]] = upper ? t.rows - 1 - i : i;
    }
    if (status == RW_OK && natural(order, f->rows)) named = t, t = (rw_host){0};
    else if (status == RW_OK) status = rw_host_permute(ctx, &t, back, &named);
    if (status == RW_OK) {
        const rw_sparse_layout layout = rw_host_layout(f, rw_sparse_threads(p->inverse), &p->spec);
        const rw_sparse_blocks b = {named.rows, named.columns, named.first, named.column, NULL, NULL};
        status = rw_sparse_create_ordered(p->device, &layout, &b, position, &to->t);
    }
    if (status == RW_OK) status = rw_host_fill(&named, to->t);
    rw_host_free(&t), rw_host_free(&named);
    rw_free(level), rw_free(position);
    return status;
}

static rw_status create_inverse(rw_precond *p, const rw_host *f, const double *inverse, const int64_t *order)
{
    const int size = rw_host_size(f);
    rw_host d = {.rows = f->rows, .columns = f->columns, .r = f->r, .parts = f->parts, .first = rw_calloc(((size_t)f->rows + 1), sizeof *d.first)};
    for (int64_t i = 0; d.first && i <= f->rows; ++i) d.first[i] = i;
    rw_status status = d.first && rw_host_make(&d) ? RW_OK : no_memory(p->device->ctx, f->rows * (size + 2));
    for (int64_t i = 0; status == RW_OK && i < f->rows; ++i) {
        d.column[i] = i;
        memcpy(d.value + order[i] * size, inverse + i * size, (size_t)size * sizeof *d.value);
    }
    if (status == RW_OK) status = rw_host_send(&d, p->device, &p->spec, &p->inverse);
    rw_host_free(&d);
    return status;
}

static int64_t launches_of(const rw_triangle *t) { return t->at ? t->levels - 1 : 1; }

rw_status rw_factors_create(rw_precond *p, const rw_host *f, const double *inverse, const int64_t *order)
{
    int64_t *back = rw_calloc((size_t)RW_MAX(f->rows, 1), sizeof *back);
    if (!back) return no_memory(p->device->ctx, f->rows);
    for (int64_t i = 0; i < f->rows; ++i) back[order[i]] = i;
    rw_status status = create_inverse(p, f, inverse, order);
    if (status == RW_OK) status = create_triangle(p, f, false, order, back, &p->lower);
    if (status == RW_OK) status = create_triangle(p, f, true, order, back, &p->upper);
    rw_free(back);
    for (int i = 0; status == RW_OK && p->spec.sweeps && i < 2; ++i) status = rw_array_create(p->device, p->type, 1, &p->n, RW_MEMORY_DEVICE, &p->work[i]);
    if (status != RW_OK) return status;
    p->info.blocks = p->inverse->blocks + p->lower.t->blocks + p->upper.t->blocks;
    p->info.levels = p->spec.sweeps ? 2 * p->spec.sweeps : launches_of(&p->lower) + launches_of(&p->upper);
    p->info.bytes = rw_sparse_get_size(p->inverse).bytes + rw_sparse_get_size(p->lower.t).bytes + rw_sparse_get_size(p->upper.t).bytes;
    return RW_OK;
}

/* b - T z by sweeps from z = b; b, z and the room of a third vector take turns: `now` says which of them is z. */
static rw_status sweeps(const rw_precond *p, rw_sparse *t, rw_array *const v[3], int *now, rw_queue *q)
{
    const int b = *now;
    for (int s = 0; s < p->spec.sweeps; ++s) {
        int next = 0;
        while (next == b || next == *now) ++next;
        RW_TRY(rw_product_run_at(t, (double[]){-1, 0}, v[*now], 0, (double[]){1, 0}, v[b], v[next], 0, NULL, NULL, q));
        *now = next;
    }
    return RW_OK;
}

/* Which of three vectors both systems end in when they begin in 0, as in sweeps. */
static int end_of_sweeps(int n)
{
    int now = 0;
    for (int system = 0; system < 2; ++system)
        for (int s = 0, b = now; s < n; ++s) {
            int next = 0;
            while (next == b || next == now) ++next;
            now = next;
        }
    return now;
}

static rw_status solve(rw_triangle *t, rw_array *y, rw_queue *q)
{
    if (!t->at) return rw_product_in_order(t->t, y, q);
    for (int64_t l = 1; l < t->levels; ++l) RW_TRY(rw_product_range(t->t, y, t->at[l], t->at[l + 1], q));
    return RW_OK;
}

rw_status rw_factors_apply(rw_precond *p, rw_array *x, int64_t from, rw_array *y, rw_queue *q)
{
    rw_array *v[3] = {y, p->work[0], p->work[1]};
    const int end = end_of_sweeps(p->spec.sweeps);
    int now = 0;
    v[0] = v[end], v[end] = y; /* so that the last vector is y */
    RW_TRY(rw_product_run_at(p->inverse, (double[]){1, 0}, x, from, (double[]){0, 0}, v[0], v[0], 0, NULL, NULL, q));
    if (p->spec.sweeps) {
        RW_TRY(sweeps(p, p->lower.t, v, &now, q));
        return sweeps(p, p->upper.t, v, &now, q);
    }
    RW_TRY(solve(&p->lower, y, q));
    return solve(&p->upper, y, q);
}

/* ---- colours ----------------------------------------------------------------------------------------------------------------------------- */

/* Rows that have a block in column j: the transposed pattern. */
static bool transposed(const rw_host *h, int64_t **first, int64_t **row)
{
    *first = rw_calloc((size_t)h->rows + 2, sizeof **first), *row = rw_calloc((size_t)RW_MAX(h->first[h->rows], 1), sizeof **row);
    if (!*first || !*row) return false;
    for (int64_t k = 0; k < h->first[h->rows]; ++k) ++(*first)[h->column[k] + 2];
    for (int64_t j = 0; j < h->rows; ++j) (*first)[j + 2] += (*first)[j + 1];
    for (int64_t i = 0; i < h->rows; ++i)
        for (int64_t k = h->first[i]; k < h->first[i + 1]; ++k) (*row)[(*first)[h->column[k] + 1]++] = i;
    return true;
}

static void mark(const int64_t *first, const int64_t *other, int64_t i, const int32_t *colour, int64_t *used)
{
    for (int64_t k = first[i]; k < first[i + 1]; ++k)
        if (colour[other[k]]) used[colour[other[k]] - 1] = i + 1;
}

rw_status rw_order_colours(rw_context *ctx, const rw_host *h, int64_t *order)
{
    const int64_t n = h->rows;
    int64_t *first = NULL, *row = NULL, *used = rw_calloc((size_t)n + 2, sizeof *used), colours = 0;
    int32_t *colour = rw_calloc((size_t)RW_MAX(n, 1), sizeof *colour); /* 0: none yet */
    const bool made = used && colour && transposed(h, &first, &row);
    for (int64_t i = 0; made && i < n; ++i) {
        int32_t c = 0;
        mark(h->first, h->column, i, colour, used), mark(first, row, i, colour, used);
        while (used[c] == i + 1) ++c;
        colour[i] = c + 1, colours = RW_MAX(colours, c + 1);
    }
    if (made) { /* sorted by counting */
        memset(used, 0, ((size_t)n + 2) * sizeof *used);
        for (int64_t i = 0; i < n; ++i) ++used[colour[i]];
        for (int64_t c = 0; c < colours; ++c) used[c + 1] += used[c];
        for (int64_t i = 0; i < n; ++i) order[used[colour[i] - 1]++] = i;
    }
    rw_free(first), rw_free(row), rw_free(used), rw_free(colour);
    return made ? RW_OK : no_memory(ctx, n);
}
