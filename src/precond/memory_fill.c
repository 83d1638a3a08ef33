/* Blocks of factors with fill, counted in samples of rows.
 *
 * By levels: block (i, j) of a factor has a level of at most p where a path of at most p + 1 steps leads from i to j
 * through rows before both. Nothing is eliminated.
 * By size (ilut): the values decide. Neighbourhoods of rows are eliminated as if they were the whole matrix, and the
 * rows in their middle are counted. Matrices of up to PATCH rows are eliminated whole. Cost: that of PATCHES x PATCH
 * rows.
 *
 * Source: Hysom, Pothen, A scalable parallel algorithm for incomplete factor preconditioning, SIAM J. Sci. Comput. 22,
 * 2001 (fill by paths). */
#include <string.h>

#include "precond/memory.h"

enum { SAMPLE = 400, PATCH = 2500, PATCHES = 3 };

/* ---- by levels --------------------------------------------------------------------------------------------------- */

typedef struct search {
    int64_t *seen, *now, *next;
} search;

/* Columns j > i of row i that paths of at most level + 1 steps through rows before i reach. */
static int64_t reached(const rw_host *h, int64_t i, int level, search *w)
{
    int64_t found = 0, n = 1;
    w->now[0] = i;
    w->seen[i] = i + 1;
    for (int step = 0; step <= level && n; ++step) {
        int64_t more = 0;
        for (int64_t q = 0; q < n; ++q)
            for (int64_t k = h->first[w->now[q]]; k < h->first[w->now[q] + 1]; ++k) {
                const int64_t j = h->column[k];
                if (w->seen[j] == i + 1) continue;
                w->seen[j] = i + 1;
                if (j > i) ++found;
                else w->next[more++] = j;
            }
        int64_t *swap = w->now;
        w->now = w->next;
        w->next = swap;
        n = more;
    }
    return found;
}

/* The lower factor is the upper one of the transpose. */
rw_status rw_count_fill(rw_context *ctx, const rw_host *h, int level, double blocks[2])
{
    const size_t n = (size_t)RW_MAX(h->rows, 1);
    const int64_t rows = RW_MIN(h->rows, SAMPLE);
    rw_host t = {0};
    search w = {rw_calloc(n, sizeof *w.seen), rw_calloc(n, sizeof *w.now), rw_calloc(n, sizeof *w.next)};
    const bool made = rw_host_transpose(h, false, &t) && w.seen && w.now && w.next;
    for (int side = 0; made && side < 2; ++side) {
        memset(w.seen, 0, n * sizeof *w.seen);
        blocks[side] = 0;
        for (int64_t k = 0; k < rows; ++k)
            blocks[side] += (double)reached(side ? h : &t, rw_sampled(h->rows, k, SAMPLE), level, &w);
        blocks[side] *= rows ? (double)h->rows / (double)rows : 0;
    }
    rw_free(w.seen);
    rw_free(w.now);
    rw_free(w.next);
    rw_host_free(&t);
    return made ? RW_OK : rw_forecast_no_memory(ctx, h->rows);
}

/* ---- by size ----------------------------------------------------------------------------------------------------- */

/* A row with entries off the diagonal that is not in yet, at or after the seed; -1: none. *passed: rows that were
 * looked at. */
static int64_t another(const rw_host *h, int64_t seed, const int64_t *distance, int64_t *passed)
{
    while (*passed < h->rows) {
        const int64_t i = (seed + (*passed)++) % h->rows;
        if (!distance[i] && h->first[i + 1] - h->first[i] > 1) return i;
    }
    return -1;
}

/* Rows near `seed`, breadth first, and of other parts of a matrix that falls into parts: distance[i] > 0 of those that
 * are in, ascending in the queue. Their number. */
static int64_t gather(const rw_host *h, int64_t seed, int64_t most, int64_t *distance, int64_t *queue)
{
    int64_t n = 0, passed = 0;
    memset(distance, 0, (size_t)h->rows * sizeof *distance);
    for (int64_t q = 0; n < most; ++q) {
        if (q == n) {
            const int64_t i = another(h, seed, distance, &passed);
            if (i < 0 && n > 0) break;
            queue[n] = i < 0 ? seed : i;
            distance[queue[n]] = n ? distance[queue[n - 1]] + 1 : 1;
            ++n;
        }
        for (int64_t k = h->first[queue[q]]; k < h->first[queue[q] + 1] && n < most; ++k) {
            const int64_t j = h->column[k];
            if (!distance[j]) {
                distance[j] = distance[queue[q]] + 1;
                queue[n++] = j;
            }
        }
    }
    return n;
}

/* The rows and columns with a distance, in their order; name: room for the number of each. */
static bool cut_out(const rw_host *h, const int64_t *distance, int64_t rows, int64_t *name, rw_host *sub)
{
    const int size = rw_host_size(h);
    int64_t n = 0, at = 0;
    if (!rw_host_begin(h, rows, rows, sub)) return false;
    for (int64_t i = 0; i < h->rows; ++i) {
        if (!distance[i]) continue;
        name[i] = n;
        for (int64_t k = h->first[i]; k < h->first[i + 1]; ++k) sub->first[n + 1] += distance[h->column[k]] > 0;
        ++n;
    }
    for (int64_t i = 0; i < rows; ++i) sub->first[i + 1] += sub->first[i];
    if (!rw_host_make(sub)) return false;
    for (int64_t i = 0; i < h->rows; ++i)
        for (int64_t k = h->first[i]; distance[i] && k < h->first[i + 1]; ++k) {
            if (!distance[h->column[k]]) continue;
            sub->column[at] = name[h->column[k]];
            memcpy(sub->value + at++ * size, h->value + k * size, (size_t)size * sizeof *h->value);
        }
    return true;
}

typedef struct counts {
    double given, blocks[2]; /* off-diagonal blocks of the rows that are counted: of the matrix, of the factors */
    double all[2], bytes[2]; /* all blocks of the factors, and their bytes on the device */
} counts;

/* Eliminates a matrix and counts the rows that `inner` marks (NULL: all). */
static rw_status count_rows(const rw_forecast *c, const rw_host *a, const bool *inner, counts *to)
{
    const rw_precond *p = &c->p;
    const size_t n = (size_t)RW_MAX(a->rows, 1);
    rw_factors f = {.ctx = p->device->ctx, .who = "ilut", .a = *a, .scale = 1, .scale_inverse = 1, .eliminates = true};
    f.order = rw_calloc(n, sizeof *f.order);
    f.inverse = rw_calloc(n * (size_t)rw_host_size(a), sizeof *f.inverse);
    rw_status status = f.order && f.inverse ? RW_OK : rw_forecast_no_memory(f.ctx, a->rows);
    for (int64_t i = 0; status == RW_OK && i < a->rows; ++i) f.order[i] = i;
    if (status == RW_OK) status = rw_ilut_eliminate(p, &f);
    for (int s = 0; status == RW_OK && s < 2; ++s) {
        const rw_host *t = &f.side[s].t;
        double bytes;
        for (int64_t i = 0; i < a->rows; ++i)
            if (!inner || inner[i]) to->blocks[s] += (double)(t->first[i + 1] - t->first[i]);
        status = rw_triangle_bytes(p, s, &f.side[s], f.order, &bytes);
        if (status == RW_OK) {
            to->all[s] += (double)t->first[t->rows];
            to->bytes[s] += bytes;
        }
    }
    for (int64_t i = 0; i < a->rows; ++i)
        if (!inner || inner[i]) to->given += (double)(a->first[i + 1] - a->first[i] - 1);
    for (int s = 0; s < 2; ++s) rw_side_free(&f.side[s]);
    rw_free(f.order);
    rw_free(f.inverse);
    return status;
}

/* Neighbourhoods of some rows; the nearer half of each is counted, whose neighbours are there. */
static rw_status count_patches(const rw_forecast *c, const rw_host *h, counts *to)
{
    const size_t n = (size_t)h->rows;
    int64_t *distance = rw_calloc(n, sizeof *distance), *queue = rw_calloc(PATCH, sizeof *queue),
            *name = rw_calloc(n, sizeof *name);
    bool *inner = rw_calloc(PATCH, sizeof *inner);
    rw_status status = distance && queue && name && inner ? RW_OK : rw_forecast_no_memory(c->p.device->ctx, h->rows);
    for (int k = 0; status == RW_OK && k < PATCHES; ++k) {
        const int64_t rows = gather(h, rw_sampled(h->rows, k, PATCHES), PATCH, distance, queue),
                      far = distance[queue[rows / 2]];
        rw_host sub;
        status = cut_out(h, distance, rows, name, &sub) ? RW_OK : rw_forecast_no_memory(c->p.device->ctx, rows);
        for (int64_t i = 0; i < h->rows; ++i)
            if (distance[i]) inner[name[i]] = distance[i] <= far;
        if (status == RW_OK) status = count_rows(c, &sub, inner, to);
        rw_host_free(&sub);
    }
    rw_free(distance);
    rw_free(queue);
    rw_free(name);
    rw_free(inner);
    return status;
}

rw_status rw_count_ilut(const rw_forecast *c, const rw_host *h, double blocks[2], double each[2], bool *found)
{
    counts n = {0};
    const rw_status status = h->rows <= PATCH ? count_rows(c, h, NULL, &n) : count_patches(c, h, &n);
    *found = status == RW_OK;
    const double given = (double)(h->first[h->rows] - h->rows); /* off the diagonal */
    for (int s = 0; *found && s < 2; ++s) {
        blocks[s] = n.given > 0 ? n.blocks[s] * given / n.given : 0;
        each[s] = n.all[s] > 0 ? n.bytes[s] / n.all[s] : 0;
    }
    return status == RW_ERR_INPUT ? RW_OK : status; /* making it will say which pivot */
}
