/* Algebraic multigrid by smoothed aggregation (Vanek, Mandel, Brezina, Computing 56, 1996), of entries or of blocks: rows are gathered into aggregates of strong
 * neighbours, the tentative prolongation is 1 from an aggregate to its rows, one damped Jacobi step smooths it, and coarse matrices are P* A P. Made on the host, applied on the
 * device as one V-cycle of products with Chebyshev smoothers; the coarsest system is a product with its inverse. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "precond/precond.h"

enum { DIRECT = 200, STUCK = 1000, MOST_GRIDS = 30 }; /* unknowns that are solved for directly; at most, where coarsening does not go on */

struct rw_grid {
    rw_grid *coarser;
    rw_sparse *a, *own;        /* own: a, but on the first grid */
    rw_sparse *up, *down, *direct; /* up: prolongation, down: restriction */
    rw_smoother smoother;
    rw_array *x, *b, *r;       /* x and b: of coarser grids than the first */
};

void rw_amg_destroy(rw_grid **grid)
{
    for (rw_grid *g = *grid, *next; g; g = next) {
        next = g->coarser;
        rw_sparse_destroy(&g->own), rw_sparse_destroy(&g->up), rw_sparse_destroy(&g->down), rw_sparse_destroy(&g->direct);
        rw_smoother_free(&g->smoother);
        rw_array_destroy(&g->x), rw_array_destroy(&g->b), rw_array_destroy(&g->r);
        rw_free(g);
    }
    *grid = NULL;
}

static rw_status no_memory(const rw_precond *p, const rw_host *h) { return rw_fail_memory(p->device->ctx, (size_t)h->rows * (size_t)(rw_host_size(h) * 8 + 8), "the grids of amg"); }

/* ---- products on the host ------------------------------------------------------------------------------------------------------------------ */

/* The conjugate transpose. */
static bool transpose(const rw_host *h, rw_host *t)
{
    const int size = rw_host_size(h), r = h->r, parts = h->parts;
    *t = (rw_host){.rows = h->columns, .columns = h->rows, .r = r, .parts = parts, .first = rw_calloc((size_t)h->columns + 2, sizeof *t->first)};
    if (!t->first) return false;
    for (int64_t k = 0; k < h->first[h->rows]; ++k) ++t->first[h->column[k] + 1];
    for (int64_t j = 0; j < t->rows; ++j) t->first[j + 1] += t->first[j];
    if (!rw_host_make(t)) return false;
    for (int64_t i = 0; i < h->rows; ++i)
        for (int64_t k = h->first[i]; k < h->first[i + 1]; ++k) {
            const int64_t at = t->first[h->column[k]]++;
            const double *from = h->value + k * size;
            double *to = t->value + at * size;
            t->column[at] = i;
            for (int e = 0; e < r * r; ++e)
                for (int p = 0; p < parts; ++p) to[parts * (e % r * r + e / r) + p] = p ? -from[parts * e + p] : from[parts * e + p];
        }
    for (int64_t j = t->rows; j > 0; --j) t->first[j] = t->first[j - 1];
    t->first[0] = 0;
    return true;
}

static void sort(int64_t *v, int64_t n) /* rows are short */
{
    for (int64_t i = 1; i < n; ++i) {
        const int64_t x = v[i];
        int64_t k = i;
        for (; k > 0 && v[k - 1] > x; --k) v[k] = v[k - 1];
        v[k] = x;
    }
}

/* Row i of a b: its columns to `columns`, ascending; seen[j] = i + 1 marks them. Their number. */
static int64_t product_columns(const rw_host *a, const rw_host *b, int64_t i, int64_t *seen, int64_t *columns)
{
    int64_t n = 0;
    for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k)
        for (int64_t e = b->first[a->column[k]]; e < b->first[a->column[k] + 1]; ++e) {
            const int64_t j = b->column[e];
            if (seen[j] == i + 1) continue;
            seen[j] = i + 1;
            if (columns) columns[n] = j;
            ++n;
        }
    if (columns) sort(columns, n);
    return n;
}

static void product_row(const rw_host *a, const rw_host *b, int64_t i, int64_t *at, rw_host *c)
{
    const int size = rw_host_size(a);
    for (int64_t k = c->first[i]; k < c->first[i + 1]; ++k) at[c->column[k]] = k;
    for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k)
        for (int64_t e = b->first[a->column[k]]; e < b->first[a->column[k] + 1]; ++e)
            rw_dense_multiply(a->r, a->parts, 1, a->value + k * size, b->value + e * size, c->value + at[b->column[e]] * size);
}

/* c <- a b (Gustavson 1978), rows shared out to threads, each with a list of the places of columns. */
static bool multiply(const rw_host *a, const rw_host *b, rw_host *c)
{
    const int threads = omp_get_max_threads();
    *c = (rw_host){.rows = a->rows, .columns = b->columns, .r = a->r, .parts = a->parts, .first = rw_calloc((size_t)a->rows + 1, sizeof *c->first)};
    int64_t *lists = rw_calloc((size_t)threads * (size_t)RW_MAX(b->columns, 1), sizeof *lists);
    bool made = c->first && lists;
    if (made) {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int64_t i = 0; i < a->rows; ++i) c->first[i + 1] = product_columns(a, b, i, lists + omp_get_thread_num() * b->columns, NULL);
        for (int64_t i = 0; i < a->rows; ++i) c->first[i + 1] += c->first[i];
        made = rw_host_make(c);
    }
    if (made) {
        memset(lists, 0, (size_t)threads * (size_t)b->columns * sizeof *lists);
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int64_t i = 0; i < a->rows; ++i) product_columns(a, b, i, lists + omp_get_thread_num() * b->columns, c->column + c->first[i]);
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int64_t i = 0; i < a->rows; ++i) product_row(a, b, i, lists + omp_get_thread_num() * b->columns, c);
    }
    rw_free(lists);
    return made;
}

/* ---- aggregates -------------------------------------------------------------------------------------------------------------------------------- */

/* Squared sizes of the diagonal blocks. */
static double *diagonal_squares(const rw_host *a)
{
    double *d = rw_calloc((size_t)RW_MAX(a->rows, 1), sizeof *d);
    for (int64_t i = 0; d && i < a->rows; ++i)
        for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k)
            if (a->column[k] == i) d[i] = rw_dense_square(a->r, a->parts, a->value + k * rw_host_size(a));
    return d;
}

static bool *strong_blocks(const rw_host *a, const double *d, double theta)
{
    bool *strong = rw_calloc((size_t)RW_MAX(a->first[a->rows], 1), sizeof *strong);
    if (!strong) return NULL;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->rows; ++i)
        for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k) {
            const int64_t j = a->column[k];
            strong[k] = j != i && rw_dense_square(a->r, a->parts, a->value + k * rw_host_size(a)) > theta * theta * sqrt(d[i] * d[j]);
        }
    return strong;
}

/* Gives i and its strong neighbours that are in no aggregate yet the number n. */
static void gather(const rw_host *a, const bool *strong, int64_t i, int64_t n, int64_t *of)
{
    of[i] = n;
    for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k)
        if (strong[k] && of[a->column[k]] < 0) of[a->column[k]] = n;
}

/* The aggregate of the strongest neighbour that has one of `before`, else -1. */
static int64_t nearest(const rw_host *a, const bool *strong, int64_t i, const int64_t *of, int64_t before)
{
    double most = 0;
    int64_t n = -1;
    for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k) {
        const int64_t o = of[a->column[k]];
        const double s = strong[k] ? rw_dense_square(a->r, a->parts, a->value + k * rw_host_size(a)) : 0;
        if (o >= 0 && o < before && s > most) most = s, n = o;
    }
    return n;
}

/* of[i]: the aggregate of row i, -1 for rows without strong neighbours. Their number. */
static int64_t aggregate(const rw_host *a, const bool *strong, int64_t *of)
{
    int64_t n = 0;
    for (int64_t i = 0; i < a->rows; ++i) of[i] = -1;
    for (int64_t i = 0; i < a->rows; ++i) { /* whole neighbourhoods */
        int64_t neighbours = 0, taken = of[i] >= 0;
        for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k)
            if (strong[k]) ++neighbours, taken += of[a->column[k]] >= 0;
        if (neighbours && !taken) gather(a, strong, i, n++, of);
    }
    const int64_t whole = n;
    for (int64_t i = 0; i < a->rows; ++i) /* those beside them: marked, so that they do not attract others */
        if (of[i] < 0) {
            const int64_t o = nearest(a, strong, i, of, whole);
            if (o >= 0) of[i] = o + a->rows;
        }
    for (int64_t i = 0; i < a->rows; ++i)
        if (of[i] >= a->rows) of[i] -= a->rows;
    for (int64_t i = 0; i < a->rows; ++i) { /* what is left */
        bool neighbours = false;
        for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k) neighbours |= strong[k];
        if (of[i] < 0 && neighbours) gather(a, strong, i, n++, of);
    }
    return n;
}

/* ---- prolongation ---------------------------------------------------------------------------------------------------------------------------------- */

/* D^-1 of row i of the filtered matrix: weak blocks are added to the diagonal, so that row sums stay. */
static bool filtered_inverse(const rw_host *a, const bool *strong, int64_t i, double *inverse)
{
    const int size = rw_host_size(a);
    double d[RW_DENSE_MOST] = {0};
    for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k)
        for (int e = 0; !strong[k] && e < size; ++e) d[e] += a->value[k * size + e];
    return rw_dense_invert(a->r, a->parts, d, inverse);
}

/* Aggregates of row i, ascending. */
static int64_t row_aggregates(const rw_host *a, const bool *strong, const int64_t *of, int64_t i, int64_t *list)
{
    int64_t n = 0;
    if (of[i] < 0) return 0;
    for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k) {
        const int64_t j = a->column[k], o = of[j];
        if (!(strong[k] || j == i) || o < 0) continue;
        bool there = false;
        for (int64_t e = 0; e < n; ++e) there |= list[e] == o;
        if (!there) list[n++] = o;
    }
    sort(list, n);
    return n;
}

/* Row i of (1 - omega D^-1 A_F) P0; p's columns are there. The diagonal of A_F contributes 1 - omega to the row's own aggregate. */
static void prolong_row(const rw_host *a, const bool *strong, const int64_t *of, double omega, int64_t i, rw_host *p)
{
    const int size = rw_host_size(a), r = a->r;
    double inverse[RW_DENSE_MOST];
    const bool smooth = filtered_inverse(a, strong, i, inverse);
    for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k) {
        const int64_t j = a->column[k];
        if (of[i] < 0 || !(strong[k] || j == i) || of[j] < 0) continue;
        int64_t at = p->first[i];
        while (p->column[at] != of[j]) ++at;
        double *to = p->value + at * size;
        if (j == i)
            for (int e = 0; e < r; ++e) to[a->parts * (e * r + e)] += smooth ? 1 - omega : 1;
        else if (smooth) rw_dense_multiply(r, a->parts, -omega, inverse, a->value + k * size, to);
    }
}

static bool prolongation(const rw_host *a, const bool *strong, const int64_t *of, int64_t aggregates, double omega, rw_host *p)
{
    int64_t longest = 1;
    for (int64_t i = 0; i < a->rows; ++i) longest = RW_MAX(longest, a->first[i + 1] - a->first[i]);
    *p = (rw_host){.rows = a->rows, .columns = aggregates, .r = a->r, .parts = a->parts, .first = rw_calloc((size_t)a->rows + 1, sizeof *p->first)};
    int64_t *list = rw_calloc((size_t)longest, sizeof *list);
    bool made = p->first && list;
    for (int64_t i = 0; made && i < a->rows; ++i) p->first[i + 1] = p->first[i] + row_aggregates(a, strong, of, i, list);
    rw_free(list);
    if (!made || !rw_host_make(p)) return false;
    for (int64_t i = 0; i < a->rows; ++i) row_aggregates(a, strong, of, i, p->column + p->first[i]);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->rows; ++i) prolong_row(a, strong, of, omega, i, p);
    return true;
}

/* ---- grids -------------------------------------------------------------------------------------------------------------------------------------------- */

/* The inverse of a small matrix as a matrix of single entries; *direct stays NULL where it is singular. */
static rw_status solve_directly(rw_precond *p, const rw_host *a, rw_sparse **direct)
{
    const int n = (int)a->rows * a->r, parts = a->parts, r = a->r;
    double *full = rw_calloc((size_t)n * (size_t)n * (size_t)parts, sizeof *full);
    rw_host h = {.rows = n, .columns = n, .r = 1, .parts = parts, .first = rw_calloc((size_t)n + 1, sizeof *h.first)};
    for (int i = 0; h.first && i <= n; ++i) h.first[i] = (int64_t)i * n;
    const bool made = full && h.first && rw_host_make(&h);
    rw_status status = made ? RW_OK : no_memory(p, a);
    for (int64_t i = 0; made && i < a->rows; ++i)
        for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k)
            for (int e = 0; e < r * r; ++e)
                for (int q = 0; q < parts; ++q) full[parts * ((i * r + e / r) * n + a->column[k] * r + e % r) + q] = a->value[k * rw_host_size(a) + parts * e + q];
    for (int64_t k = 0; made && k < (int64_t)n * n; ++k) h.column[k] = k % n;
    if (made && rw_dense_eliminate(n, parts, full, h.value)) status = rw_host_send(&h, p->device, &p->spec, direct);
    rw_free(full), rw_host_free(&h);
    return status;
}

static rw_status vector(rw_precond *p, int64_t n, rw_array **array) { return rw_array_create(p->device, p->type, 1, &n, RW_MEMORY_DEVICE, array); }

/* The matrix of the next grid, and how to get there and back; next->rows = 0: it would not be much smaller. */
static rw_status coarsen(rw_precond *p, rw_grid *g, const rw_host *a, double theta, rw_host *next)
{
    rw_host prolong = {0}, down = {0}, ap = {0};
    double *d = diagonal_squares(a);
    bool *strong = d ? strong_blocks(a, d, theta) : NULL;
    int64_t *of = rw_calloc((size_t)RW_MAX(a->rows, 1), sizeof *of);
    rw_status status = strong && of ? RW_OK : no_memory(p, a);
    const int64_t aggregates = status == RW_OK ? aggregate(a, strong, of) : 0;
    const bool smaller = aggregates > 0 && aggregates < a->rows - a->rows / 5;
    *next = (rw_host){0};
    if (smaller && !(prolongation(a, strong, of, aggregates, 4 / (3 * g->smoother.most / 1.1), &prolong) && transpose(&prolong, &down) && multiply(a, &prolong, &ap) &&
                     multiply(&down, &ap, next)))
        status = no_memory(p, a);
    if (smaller && status == RW_OK) status = rw_host_send(&prolong, p->device, &p->spec, &g->up);
    if (smaller && status == RW_OK) status = rw_host_send(&down, p->device, &p->spec, &g->down);
    rw_free(d), rw_free(strong), rw_free(of);
    rw_host_free(&prolong), rw_host_free(&down), rw_host_free(&ap);
    return status;
}

static void count(rw_precond *p, const rw_grid *g)
{
    const rw_sparse *const all[] = {g->own, g->up, g->down, g->direct};
    for (int i = 0; i < RW_COUNT(all); ++i)
        if (all[i]) p->info.bytes += rw_sparse_get_size(all[i]).bytes;
    p->info.blocks += g->a->blocks, ++p->info.levels;
}

/* Everything of a grid with matrix a; *next: that of the coarser one. */
static rw_status fill_grid(rw_precond *p, rw_grid *g, const rw_host *a, double theta, rw_host *next)
{
    const int64_t n = a->rows * a->r;
    if (!g->a) {
        RW_TRY(rw_host_send(a, p->device, &p->spec, &g->own));
        g->a = g->own;
    }
    if (g->own) {
        RW_TRY(vector(p, n, &g->x));
        RW_TRY(vector(p, n, &g->b));
    }
    if (n <= DIRECT) RW_TRY(solve_directly(p, a, &g->direct));
    if (!g->direct) RW_TRY(rw_smoother_create(p, g->a, "amg", 20, &g->smoother));
    if (!g->direct && n > DIRECT && p->info.levels < MOST_GRIDS) RW_TRY(coarsen(p, g, a, theta, next));
    if (!g->direct && !next->rows && n <= STUCK) RW_TRY(solve_directly(p, a, &g->direct));
    if (next->rows) RW_TRY(vector(p, n, &g->r));
    count(p, g);
    return RW_OK;
}

static rw_status create(rw_precond *p, rw_sparse *m)
{
    rw_host a, next = {0};
    RW_TRY(rw_host_read(m, &a));
    rw_status status = RW_OK;
    rw_grid **place = &p->grid;
    for (double theta = p->spec.theta > 0 ? p->spec.theta : 0.08; status == RW_OK; place = &(*place)->coarser, theta /= p->spec.theta > 0 ? 1 : 2) {
        *place = rw_calloc(1, sizeof **place);
        if (!*place) status = rw_fail_memory(p->device->ctx, sizeof **place, "a grid of amg");
        else {
            if (place == &p->grid) (*place)->a = m;
            status = fill_grid(p, *place, &a, theta, &next);
        }
        if (!next.rows) break;
        rw_host_free(&a);
        a = next, next = (rw_host){0};
    }
    rw_host_free(&a), rw_host_free(&next);
    return status == RW_OK ? vector(p, p->n, &p->work[0]) : status;
}

static rw_status cycle(rw_precond *p, rw_grid *g, rw_array *b, rw_array *y, rw_queue *q)
{
    static const double one[2] = {1, 0}, zero[2] = {0, 0}, minus[2] = {-1, 0};
    rw_grid *c = g->coarser;
    if (g->direct) return rw_product_run_at(g->direct, one, b, 0, zero, y, y, 0, NULL, NULL, q);
    RW_TRY(rw_chebyshev_run(p, &g->smoother, b, y, true, q));
    if (c) {
        RW_TRY(rw_product_run_at(g->a, minus, y, 0, one, b, g->r, 0, NULL, NULL, q));
        RW_TRY(rw_product_run_at(g->down, one, g->r, 0, zero, c->b, c->b, 0, NULL, NULL, q));
        RW_TRY(cycle(p, c, c->b, c->x, q));
        RW_TRY(rw_product_run_at(g->up, one, c->x, 0, one, y, y, 0, NULL, NULL, q));
    }
    return rw_chebyshev_run(p, &g->smoother, b, y, false, q);
}

static rw_status apply(rw_precond *p, rw_array *x, int64_t from, rw_array *y, rw_queue *q)
{
    if (from) RW_TRY(rw_precond_add(p, x, from, p->work[0], true, q));
    return cycle(p, p->grid, from ? p->work[0] : x, y, q);
}

const rw_precond_ops rw_precond_amg = {create, apply};
