/* Incomplete factors as they are applied, and the orders of elimination.
 *
 * With A ~ (D + L) D^-1 (D + U), D the diagonal blocks of the factors, z = M r is
 *
 *   z <- D^-1 r        (1 + D^-1 L) z = z        (1 + D^-1 U) z = z
 *
 * three matrices; the triangular systems are solved in place by level scheduling: the rows of a level are independent,
 * so a level is one product z <- z - T z for these rows. The rows of such a matrix lie in the order of levels. One
 * core, or several for which a level is too little, takes row after row in one launch, in the order of elimination,
 * whose neighbours are still in the cache. By sweeps (Jacobi's method, z <- b - T z, again and again) a system is a few
 * whole products instead: as exact as a preconditioner needs where off-diagonal blocks are small, and without the
 * launch a level.
 *
 * Sources: Saad 2003, chapters 10 and 11.6 (levels); Anzt, Chow, Dongarra, Iterative sparse triangular solves for
 * preconditioning, Euro-Par 2015 (sweeps). */
#include <string.h>

#include "precond/precond.h"

static rw_status no_memory(rw_context *ctx, int64_t n)
{
    return rw_fail_memory(ctx, (size_t)n * 8, "a preconditioner");
}

/* ---- triangles --------------------------------------------------------------------------------------------------- */

void rw_side_free(rw_side *s)
{
    if (s->at != s->t.first) rw_free(s->at);
    rw_free(s->levels.at);
    rw_free(s->levels.row);
    rw_host_free(&s->t);
    *s = (rw_side){0};
}

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

bool rw_levels_make(const rw_host *t, bool upper, rw_levels *l)
{
    int64_t *level = rw_calloc((size_t)RW_MAX(t->rows, 1), sizeof *level);
    l->row = rw_calloc((size_t)RW_MAX(t->rows, 1), sizeof *l->row);
    l->n = level ? find_levels(t, upper, level) : 0;
    l->at = rw_calloc((size_t)l->n + 2, sizeof *l->at);
    const bool made = level && l->row && l->at;
    for (int64_t i = 0; made && i < t->rows; ++i) ++l->at[level[i] + 2];
    for (int64_t k = 0; made && k < l->n; ++k) l->at[k + 2] += l->at[k + 1];
    for (int64_t i = 0; made && i < t->rows; ++i) l->row[l->at[level[i] + 1]++] = i;
    rw_free(level);
    return made;
}

/* The pattern of f on one side of the diagonal; places: with each block's number in it. */
bool rw_factors_side(const rw_factors *f, bool upper, bool places, rw_host *t)
{
    const int64_t n = f->a.rows;
    if (!rw_host_begin(&f->a, n, n, t)) return false;
    t->borrowed = places;
    for (int64_t i = 0; i < n; ++i)
        t->first[i + 1] = t->first[i] + (upper ? f->first[i + 1] - f->diagonal[i] - 1 : f->diagonal[i] - f->first[i]);
    const size_t blocks = (size_t)RW_MAX(t->first[n], 1);
    t->column = rw_calloc(blocks, sizeof *t->column);
    t->place = places ? rw_calloc(blocks, sizeof *t->place) : NULL;
    if (!t->column || (places && !t->place)) return false;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; ++i)
        for (int64_t k = upper ? f->diagonal[i] + 1 : f->first[i], at = t->first[i]; at < t->first[i + 1]; ++k, ++at) {
            t->column[at] = f->column[k];
            if (places) t->place[at] = k;
        }
    return true;
}

/* Bytes of a level below which the cores do not divide it: at 10 GB/s the time to wake them. */
enum { LITTLE = 1 << 18 };

/* Row after row, or the levels. */
static rw_status choose_order(const rw_precond *p, bool threads, bool upper, rw_side *s, bool *in_order)
{
    const double bytes = (double)s->t.first[s->t.rows] * rw_host_size(&s->t) *
                         (p->spec.scaled ? 2
                          : p->spec.f32  ? 4
                                         : 8);
    *in_order = !threads && (p->spec.sweeps || p->device->info.units == 1);
    if (*in_order) return RW_OK;
    if (!s->levels.row && !rw_levels_make(&s->t, upper, &s->levels)) return no_memory(p->device->ctx, s->t.rows);
    *in_order = !threads && bytes < (double)LITTLE * (double)s->levels.n;
    return RW_OK;
}

static bool natural(const int64_t *order, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        if (order[i] != i) return false;
    return true;
}

/* Where each row of a side lies: row after row, or by levels. */
static rw_status choose_positions(const rw_precond *p, bool threads, bool upper, rw_side *s, const int64_t *order,
                                  bool *in_order, int64_t **position)
{
    const int64_t n = s->t.rows;
    RW_TRY(choose_order(p, threads, upper, s, in_order));
    *position = rw_calloc((size_t)RW_MAX(n, 1), sizeof **position);
    if (!*position) return no_memory(p->device->ctx, n);
    for (int64_t k = 0; k < n; ++k)
        if (*in_order) (*position)[order[k]] = upper ? n - 1 - k : k;
        else (*position)[order[s->levels.row[k]]] = k;
    return RW_OK;
}

/* The matrix of a side whose pattern is t, with the names of order. */
static rw_status create_ordered(rw_precond *p, bool upper, rw_side *s, const rw_host *t, const int64_t *order,
                                rw_triangle *to)
{
    bool in_order;
    int64_t *position;
    rw_context *ctx = p->device->ctx;
    const bool threads = rw_device_has_threads(p->device);
    RW_TRY(choose_positions(p, threads, upper, s, order, &in_order, &position));
    const rw_sparse_layout layout = rw_host_layout(t, rw_precond_store(&p->spec, threads));
    const rw_sparse_blocks blocks = {t->rows, t->columns, t->first, t->column, NULL, NULL};
    rw_status status = t->place ? rw_sparse_create_there(p->device, &layout, &blocks, position, &to->t)
                                : rw_sparse_create_ordered(p->device, &layout, &blocks, position, &to->t);
    rw_free(position);
    if (status != RW_OK || in_order) return status;
    to->levels = s->levels.n;
    to->at = rw_calloc((size_t)to->levels + 1, sizeof *to->at);
    if (!to->at) return no_memory(ctx, to->levels);
    memcpy(to->at, s->levels.at, ((size_t)to->levels + 1) * sizeof *to->at);
    return RW_OK;
}

rw_status rw_factors_begin(rw_precond *p, rw_factors *f)
{
    const int64_t n = f->a.rows;
    const bool in_place = !rw_device_has_threads(p->device) && !p->spec.f32 && !p->spec.scaled && natural(f->order, n);
    rw_factored *factored = p->method;
    rw_triangle *const to[] = {&factored->lower, &factored->upper};
    for (int i = 0; i < 2; ++i) {
        rw_side *s = &f->side[i];
        if (!rw_factors_side(f, i, false, &s->t)) return no_memory(p->device->ctx, n);
        if (in_place) {
            RW_TRY(create_ordered(p, i, s, &s->t, f->order, to[i]));
            if (!(s->at = rw_calloc((size_t)n + 1, sizeof *s->at))) return no_memory(p->device->ctx, n);
            RW_TRY(rw_host_rows(to[i]->t, &s->value, s->at));
        } else {
            s->value = s->t.value =
                rw_calloc((size_t)RW_MAX(s->t.first[n], 1) * (size_t)rw_host_size(&f->a), sizeof *s->value);
            s->at = s->t.first;
            if (!s->value) return no_memory(p->device->ctx, s->t.first[n] * rw_host_size(&f->a));
        }
    }
    return RW_OK;
}

/* back[order[i]] = i; NULL: no memory. */
static int64_t *back_from(const int64_t *order, int64_t n)
{
    int64_t *back = rw_calloc((size_t)RW_MAX(n, 1), sizeof *back);
    for (int64_t i = 0; back && i < n; ++i) back[order[i]] = i;
    return back;
}

/* The matrix of a side that has its values still, or (places) whose values will be written on the device. */
static rw_status send_side(rw_precond *p, bool upper, rw_side *s, const int64_t *order, const int64_t *back,
                           rw_triangle *to, int64_t *places)
{
    rw_host named = {0};
    if (!natural(order, s->t.rows)) RW_TRY(rw_host_permute(p->device->ctx, &s->t, back, &named));
    const rw_host *t = named.first ? &named : &s->t;
    rw_status status = create_ordered(p, upper, s, t, order, to);
    if (status == RW_OK) status = places ? rw_host_find(t, to->t, places) : rw_host_fill(t, to->t);
    rw_host_free(&named);
    return status;
}

rw_status rw_triangle_bytes(const rw_precond *p, bool upper, rw_side *s, const int64_t *order, double *bytes)
{
    const bool threads = rw_device_has_threads(p->device);
    bool in_order;
    int64_t *position = NULL, *back = NULL;
    rw_host named = {0};
    rw_status status = choose_positions(p, threads, upper, s, order, &in_order, &position);
    if (status == RW_OK && !natural(order, s->t.rows)) {
        back = back_from(order, s->t.rows);
        status = back ? rw_host_permute(p->device->ctx, &s->t, back, &named) : no_memory(p->device->ctx, s->t.rows);
    }
    if (status == RW_OK) {
        const rw_host *t = named.first ? &named : &s->t;
        const rw_sparse_layout layout = rw_host_layout(t, rw_precond_store(&p->spec, threads));
        status =
            rw_sparse_bytes(p->device, &layout,
                            &(rw_sparse_blocks){t->rows, t->columns, t->first, t->column, NULL, NULL}, position, bytes);
    }
    rw_free(position);
    rw_free(back);
    rw_host_free(&named);
    return status;
}

/* place: of the blocks in the order of the matrix, handed over, where the values will be written on the device. */
static rw_status create_inverse(rw_precond *p, const rw_factors *f, double *inverse, int64_t *place, int64_t *places)
{
    rw_factored *factored = p->method;
    const rw_host_store as = rw_precond_store(&p->spec, false);
    rw_host d = {.rows = f->a.rows, .columns = f->a.rows, .r = f->a.r, .parts = f->a.parts};
    d.value = inverse;
    d.borrowed = true;
    d.place = place;
    rw_status status = rw_host_diagonal(&d) ? RW_OK : no_memory(p->device->ctx, d.rows);
    if (status == RW_OK) status = rw_host_send(&d, p->device, as.single, as.scaled, &factored->inverse);
    if (status == RW_OK && places) status = rw_host_find(&d, factored->inverse, places);
    rw_host_free(&d);
    return status;
}

rw_status rw_factors_begin_there(rw_precond *p, rw_factors *f, int64_t *to)
{
    const int64_t n = f->a.rows;
    rw_factored *factored = p->method;
    rw_triangle *const triangle[] = {&factored->lower, &factored->upper};
    int64_t *place = rw_calloc((size_t)RW_MAX(n, 1), sizeof *place), *back;
    if (!place) return no_memory(p->device->ctx, n);
    for (int64_t i = 0; i < n; ++i) place[f->order[i]] = f->diagonal[i];
    RW_TRY(create_inverse(p, f, NULL, place, to));
    if (!(back = back_from(f->order, n))) return no_memory(p->device->ctx, n);
    rw_status status = RW_OK;
    for (int i = 0; status == RW_OK && i < 2; ++i) {
        status = rw_factors_side(f, i, true, &f->side[i].t) ? RW_OK : no_memory(p->device->ctx, n);
        if (status == RW_OK) status = send_side(p, i, &f->side[i], f->order, back, triangle[i], to);
    }
    rw_free(back);
    return status;
}

static int64_t launches_of(const rw_triangle *t) { return t->at ? t->levels - 1 : 1; }

rw_status rw_factors_end(rw_precond *p, rw_factors *f)
{
    rw_factored *factored = p->method;
    rw_triangle *const to[] = {&factored->lower, &factored->upper};
    int64_t *back = back_from(f->order, f->a.rows);
    if (!back) return no_memory(p->device->ctx, f->a.rows);
    rw_status status = factored->inverse ? RW_OK : create_inverse(p, f, f->inverse, NULL, NULL);
    for (int i = 0; i < 2; ++i) {
        if (status == RW_OK && !to[i]->t) status = send_side(p, i, &f->side[i], f->order, back, to[i], NULL);
        rw_side_free(&f->side[i]);
    }
    rw_free(back);
    for (int i = 0; status == RW_OK && p->spec.sweeps && i < 2; ++i)
        status = rw_array_create(p->device, p->type, 1, &p->n, RW_MEMORY_DEVICE, &factored->work[i]);
    if (status != RW_OK) return status;
    rw_precond_count(p, factored->inverse);
    for (int i = 0; i < 2; ++i) rw_precond_count(p, to[i]->t);
    p->info.levels = p->spec.sweeps ? 2 * p->spec.sweeps : launches_of(to[0]) + launches_of(to[1]);
    return RW_OK;
}

/* b - T z by sweeps from z = b; b, z and the room of a third vector take turns: `now` says which of them is z. */
static rw_status sweeps(const rw_precond *p, rw_sparse *t, rw_array *const v[3], int *now, rw_queue *q)
{
    const int b = *now;
    for (int s = 0; s < p->spec.sweeps; ++s) {
        int next = 0;
        while (next == b || next == *now) ++next;
        RW_TRY(rw_operator_apply(rw_sparse_operator(t), -1, v[*now], 0, 1, v[b], v[next], q));
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
    rw_factored *factored = p->method;
    rw_array *v[3] = {y, factored->work[0], factored->work[1]};
    const int end = end_of_sweeps(p->spec.sweeps);
    int now = 0;
    v[0] = v[end];
    v[end] = y; /* so that the last vector is y */
    RW_TRY(rw_operator_apply(rw_sparse_operator(factored->inverse), 1, x, from, 0, v[0], v[0], q));
    if (p->spec.sweeps) {
        RW_TRY(sweeps(p, factored->lower.t, v, &now, q));
        return sweeps(p, factored->upper.t, v, &now, q);
    }
    RW_TRY(solve(&factored->lower, y, q));
    return solve(&factored->upper, y, q);
}

void rw_factors_free(rw_precond *p)
{
    rw_factored *f = p->method;
    rw_sparse_destroy(&f->inverse);
    rw_sparse_destroy(&f->lower.t);
    rw_sparse_destroy(&f->upper.t);
    rw_free(f->lower.at);
    rw_free(f->upper.at);
    rw_array_destroy(&f->work[0]);
    rw_array_destroy(&f->work[1]);
}

/* ---- colours ----------------------------------------------------------------------------------------------------- */

/* Rows that have a block in column j: the transposed pattern. */
static bool transposed(const rw_host *h, int64_t **first, int64_t **row)
{
    *first = rw_calloc((size_t)h->rows + 2, sizeof **first);
    *row = rw_calloc((size_t)RW_MAX(h->first[h->rows], 1), sizeof **row);
    if (!*first || !*row) return false;
    for (int64_t k = 0; k < h->first[h->rows]; ++k) ++(*first)[h->column[k] + 2];
    for (int64_t j = 0; j < h->rows; ++j) (*first)[j + 2] += (*first)[j + 1];
    for (int64_t i = 0; i < h->rows; ++i)
        for (int64_t k = h->first[i]; k < h->first[i + 1]; ++k) (*row)[(*first)[h->column[k] + 1]++] = i;
    return true;
}

static bool has(const rw_host *h, int64_t i, int64_t j)
{
    int64_t lo = h->first[i], hi = h->first[i + 1];
    while (lo < hi) {
        const int64_t middle = (lo + hi) / 2;
        if (h->column[middle] < j) lo = middle + 1;
        else hi = middle;
    }
    return lo < h->first[i + 1] && h->column[lo] == j;
}

/* The pattern is its own transpose, so nobody needs to sort that. */
static bool symmetric(const rw_host *h)
{
    bool all = true;
#pragma omp parallel for schedule(static) reduction(&& : all)
    for (int64_t i = 0; i < h->rows; ++i)
        for (int64_t k = h->first[i]; all && k < h->first[i + 1]; ++k) all = has(h, h->column[k], i);
    return all;
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
    const bool both = symmetric(h), made = used && colour && (both || transposed(h, &first, &row));
    for (int64_t i = 0; made && i < n; ++i) {
        int32_t c = 0;
        mark(h->first, h->column, i, colour, used);
        if (!both) mark(first, row, i, colour, used);
        while (used[c] == i + 1) ++c;
        colour[i] = c + 1;
        colours = RW_MAX(colours, c + 1);
    }
    if (made) { /* sorted by counting */
        memset(used, 0, ((size_t)n + 2) * sizeof *used);
        for (int64_t i = 0; i < n; ++i) ++used[colour[i]];
        for (int64_t c = 0; c < colours; ++c) used[c + 1] += used[c];
        for (int64_t i = 0; i < n; ++i) order[used[colour[i] - 1]++] = i;
    }
    rw_free(first);
    rw_free(row);
    rw_free(used);
    rw_free(colour);
    return made ? RW_OK : no_memory(ctx, n);
}
