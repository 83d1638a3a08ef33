/* Algebraic multigrid by smoothed aggregation (Vanek, Mandel, Brezina, Computing 56, 1996), of entries or of blocks:
 * rows are gathered into aggregates of strong neighbours, the tentative prolongation is 1 from an aggregate to its
 * rows, one damped Jacobi step smooths it, and coarse matrices are P* A P. The setup runs on the host; the application
 * on the device is one V-cycle of products with Chebyshev smoothers. The coarsest system is solved by a product with
 * its inverse. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "precond/precond.h"

enum { MOST_GRIDS = 30 };

typedef struct grid grid;
struct grid {
    grid *coarser;
    rw_operator *a;
    rw_sparse *own;                /* a, but on the first grid */
    rw_sparse *up, *down, *direct; /* up: prolongation, down: restriction */
    rw_smoother smoother;
    rw_array *x, *b, *r; /* x and b: of coarser grids than the first */
};

typedef struct amg {
    grid *first;
    rw_array *x; /* of an x that begins within an array */
} amg;

static rw_status no_memory(const rw_precond *p, const rw_host *h)
{
    return rw_fail_memory(p->device->ctx, (size_t)h->rows * (size_t)(rw_host_size(h) * 8 + 8), "the grids of amg");
}

static rw_status send(const rw_precond *p, const rw_host *h, rw_sparse **m)
{
    return rw_host_send(h, p->device, p->spec.f32 || p->spec.scaled, p->spec.scaled, m);
}

/* ---- products on the host ---------------------------------------------------------------------------------------- */

bool rw_host_transpose(const rw_host *h, bool values, rw_host *t)
{
    const int size = rw_host_size(h), r = h->r, parts = h->parts;
    if (!rw_host_begin(h, h->columns, h->rows, t)) return false;
    t->borrowed = !values;
    for (int64_t k = 0; k < h->first[h->rows]; ++k) ++t->first[h->column[k] + 1];
    for (int64_t j = 0; j < t->rows; ++j) t->first[j + 1] += t->first[j];
    if (!rw_host_make(t)) return false;
    for (int64_t i = 0; i < h->rows; ++i)
        for (int64_t k = h->first[i]; k < h->first[i + 1]; ++k) {
            const int64_t at = t->first[h->column[k]]++;
            t->column[at] = i;
            if (!values) continue;
            const double *from = h->value + k * size;
            double *to = t->value + at * size;
            for (int e = 0; e < r * r; ++e)
                for (int p = 0; p < parts; ++p)
                    to[parts * (e % r * r + e / r) + p] = p ? -from[parts * e + p] : from[parts * e + p];
        }
    for (int64_t j = t->rows; j > 0; --j) t->first[j] = t->first[j - 1];
    t->first[0] = 0;
    return true;
}

/* The rows computed by one thread, in order: blocks are found by column in `place`, so that each is accumulated in its
 * final position. */
typedef struct builder {
    int r, parts, size;
    int64_t *place; /* of a column: its block's number + 1; what is not beyond `begin` is of a row before */
    int64_t *column, begin, n, room;
    double *value;
    bool failed;
} builder;

static builder builder_make(const rw_host *h)
{
    builder b = {.r = h->r,
                 .parts = h->parts,
                 .size = rw_host_size(h),
                 .place = rw_calloc((size_t)RW_MAX(h->columns, 1), sizeof *b.place)};
    b.failed = !b.place;
    return b;
}

static void builder_free(builder *b)
{
    rw_free(b->place);
    rw_free(b->column);
    rw_free(b->value);
}

/* Room for n more blocks. */
static bool builder_room(builder *b, int64_t n)
{
    if (b->failed || b->n + n <= b->room) return !b->failed;
    const int64_t room = RW_MAX(b->n + n, b->room + b->room / 2);
    int64_t *column = rw_realloc(b->column, (size_t)room * sizeof *column);
    if (column) b->column = column;
    double *value = rw_realloc(b->value, (size_t)(room * b->size) * sizeof *value);
    if (value) b->value = value;
    b->failed = !column || !value;
    b->room = room;
    return !b->failed;
}

/* The block of the row in a column, 0 where it is new; there is room. */
RW_DENSE_INLINE double *builder_at(builder *b, int64_t column, const int size)
{
    int64_t at = b->place[column] - 1;
    if (at < b->begin) {
        at = b->n++;
        b->place[column] = at + 1;
        b->column[at] = column;
        for (int e = 0; e < size; ++e) b->value[at * size + e] = 0;
    }
    return b->value + at * size;
}

/* Columns of the row ascending: rows are short. */
static void builder_sort(builder *b)
{
    double held[RW_DENSE_MOST];
    const size_t bytes = (size_t)b->size * sizeof *held;
    for (int64_t i = b->begin + 1; i < b->n; ++i) {
        const int64_t column = b->column[i];
        int64_t k = i;
        if (b->column[i - 1] < column) continue;
        if (b->size == 1) {
            const double value = b->value[i];
            for (; k > b->begin && b->column[k - 1] > column; --k) {
                b->column[k] = b->column[k - 1];
                b->value[k] = b->value[k - 1];
            }
            b->column[k] = column;
            b->value[k] = value;
            continue;
        }
        memcpy(held, b->value + i * b->size, bytes);
        for (; k > b->begin && b->column[k - 1] > column; --k) b->column[k] = b->column[k - 1];
        memmove(b->value + (k + 1) * b->size, b->value + k * b->size, (size_t)(i - k) * bytes);
        b->column[k] = column;
        memcpy(b->value + k * b->size, held, bytes);
    }
}

/* The only piece there is. */
static bool take_over(rw_host *c, builder *b)
{
    if (!builder_room(b, RW_MAX(1 - b->n, 0))) return false;
    c->column = b->column;
    c->value = b->value;
    b->column = NULL;
    b->value = NULL;
    int64_t *column = rw_realloc(c->column, (size_t)RW_MAX(b->n, 1) * sizeof *column); /* the rest is given back */
    if (column) c->column = column;
    double *value = rw_realloc(c->value, (size_t)(RW_MAX(b->n, 1) * b->size) * sizeof *value);
    if (value) c->value = value;
    return column && value;
}

/* c, but for its rows' contents, from rows that `row` makes of i and `user`: each thread makes a piece, which is put
 * after those before it. */
static bool build_rows(rw_host *c, void (*row)(const void *user, int64_t i, builder *b), const void *user)
{
    bool made = true;
    c->first = rw_calloc((size_t)c->rows + 1, sizeof *c->first);
    if (!c->first) return false;
#pragma omp parallel reduction(&& : made)
    {
        const int64_t t = omp_get_thread_num(), threads = omp_get_num_threads(), lo = c->rows * t / threads,
                      hi = c->rows * (t + 1) / threads;
        builder b = builder_make(c);
        for (int64_t i = lo; i < hi; ++i) {
            b.begin = b.n;
            if (!b.failed) row(user, i, &b);
            c->first[i + 1] = b.n - b.begin;
        }
#pragma omp barrier
#pragma omp single
        {
            for (int64_t i = 0; i < c->rows; ++i) c->first[i + 1] += c->first[i];
            if (threads > 1 && !rw_host_make(c)) {
                rw_free(c->value);
                c->value = NULL;
            }
        }
        made = !b.failed && (threads > 1 ? c->value != NULL : take_over(c, &b));
        if (made && threads > 1 && b.n) {
            memcpy(c->column + c->first[lo], b.column, (size_t)b.n * sizeof *b.column);
            memcpy(c->value + c->first[lo] * b.size, b.value, (size_t)(b.n * b.size) * sizeof *b.value);
        }
        builder_free(&b);
    }
    return made;
}

typedef struct factors {
    const rw_host *a, *b;
    bool sorted;
} factors;

RW_DENSE_INLINE void product_row_of(const factors *f, int64_t i, builder *to, const int r, const int parts)
{
    const rw_host *a = f->a, *b = f->b;
    const int size = r * r * parts;
    int64_t most = 0;
    for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k) most += b->first[a->column[k] + 1] - b->first[a->column[k]];
    if (!builder_room(to, most)) return;
    builder now = *to; /* in registers */
    for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k)
        for (int64_t e = b->first[a->column[k]], end = b->first[a->column[k] + 1]; e < end; ++e)
            rw_dense_multiply(r, parts, 1, a->value + k * size, b->value + e * size,
                              builder_at(&now, b->column[e], size));
    to->n = now.n;
}

static void product_row(const void *user, int64_t i, builder *to)
{
    const factors *f = user;
#define PRODUCT_ROW(r, parts) product_row_of(f, i, to, r, parts)
    RW_DENSE_CASES(to->r, to->parts, PRODUCT_ROW)
#undef PRODUCT_ROW
    if (f->sorted) builder_sort(to);
}

/* c <- a b (Gustavson 1978), columns ascending only where that is wanted. */
static bool multiply(const rw_host *a, const rw_host *b, bool sorted, rw_host *c)
{
    *c = (rw_host){.rows = a->rows, .columns = b->columns, .r = a->r, .parts = a->parts};
    return build_rows(c, product_row, &(factors){a, b, sorted});
}

/* ---- aggregates -------------------------------------------------------------------------------------------------- */

double rw_precond_unit(const rw_host *a)
{
    const int64_t n = a->first[a->rows] * rw_host_size(a);
    const int enough = 240; /* fourth powers of values up to 2^240, and of their quotients by 2^15, are normal */
    double most = 0;
    int exponent;
#pragma omp parallel for schedule(static) reduction(max : most)
    for (int64_t i = 0; i < n; ++i) most = fmax(most, fabs(a->value[i]));
    if (most == 0 || !isfinite(most)) return 1;
    frexp(most, &exponent);
    return abs(exponent) <= enough ? 1 : ldexp(1, RW_MIN(-exponent, 1000));
}

/* Squared sizes of the diagonal blocks. */
double *rw_amg_diagonal(const rw_host *a)
{
    const double unit = rw_precond_unit(a);
    double *d = rw_calloc((size_t)RW_MAX(a->rows, 1), sizeof *d);
#pragma omp parallel for schedule(static) if (d)
    for (int64_t i = 0; i < (d ? a->rows : 0); ++i)
        for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k)
            if (a->column[k] == i) d[i] = rw_dense_square_by(a->r, a->parts, unit, a->value + k * rw_host_size(a));
    return d;
}

bool *rw_amg_strong(const rw_host *a, const double *d, double theta)
{
    const double unit = rw_precond_unit(a);
    bool *strong = rw_calloc((size_t)RW_MAX(a->first[a->rows], 1), sizeof *strong);
    if (!strong) return NULL;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->rows; ++i)
        for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k) {
            const int64_t j = a->column[k];
            strong[k] = j != i && rw_dense_square_by(a->r, a->parts, unit, a->value + k * rw_host_size(a)) >
                                      theta * theta * sqrt(d[i] * d[j]);
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
static int64_t nearest(const rw_host *a, const bool *strong, double unit, int64_t i, const int64_t *of, int64_t before)
{
    double most = 0;
    int64_t n = -1;
    for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k) {
        const int64_t o = of[a->column[k]];
        const double s = strong[k] ? rw_dense_square_by(a->r, a->parts, unit, a->value + k * rw_host_size(a)) : 0;
        if (o >= 0 && o < before && s > most) {
            most = s;
            n = o;
        }
    }
    return n;
}

/* of[i]: the aggregate of row i, -1 for rows without strong neighbours. Their number. */
int64_t rw_amg_aggregate(const rw_host *a, const bool *strong, int64_t *of)
{
    const double unit = rw_precond_unit(a);
    int64_t n = 0;
    for (int64_t i = 0; i < a->rows; ++i) of[i] = -1;
    for (int64_t i = 0; i < a->rows; ++i) { /* whole neighbourhoods */
        int64_t neighbours = 0, taken = of[i] >= 0;
        for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k)
            if (strong[k]) {
                ++neighbours;
                taken += of[a->column[k]] >= 0;
            }
        if (neighbours && !taken) gather(a, strong, i, n++, of);
    }
    const int64_t whole = n;
    for (int64_t i = 0; i < a->rows; ++i) /* neighbours of aggregates join, marked so as not to attract others */
        if (of[i] < 0) {
            const int64_t o = nearest(a, strong, unit, i, of, whole);
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

/* ---- prolongation ------------------------------------------------------------------------------------------------ */

/* D^-1 of row i of the filtered matrix: weak blocks are added to the diagonal, so that row sums stay. */
static bool filtered_inverse(const rw_host *a, const bool *strong, int64_t i, double *inverse)
{
    const int size = rw_host_size(a);
    double d[RW_DENSE_MOST] = {0};
    for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k)
        for (int e = 0; !strong[k] && e < size; ++e) d[e] += a->value[k * size + e];
    if (size == 1) {
        inverse[0] = 1 / d[0];
        return isfinite(inverse[0]);
    }
    return rw_dense_invert(a->r, a->parts, d, inverse);
}

typedef struct smoothing {
    const rw_host *a;
    const bool *strong;
    const int64_t *of;
    double omega;
} smoothing;

/* Row i of (1 - omega D^-1 A_F) P0. The diagonal of A_F contributes 1 - omega to the row's own aggregate. */
static void prolong_row(const void *user, int64_t i, builder *to)
{
    const smoothing *s = user;
    const rw_host *a = s->a;
    const int size = rw_host_size(a), r = a->r;
    double inverse[RW_DENSE_MOST];
    if (s->of[i] < 0 || !builder_room(to, a->first[i + 1] - a->first[i])) return;
    const bool smooth = filtered_inverse(a, s->strong, i, inverse);
    for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k) {
        const int64_t j = a->column[k];
        if (!(s->strong[k] || j == i) || s->of[j] < 0) continue;
        double *block = builder_at(to, s->of[j], size);
        if (j == i)
            for (int e = 0; e < r; ++e) block[a->parts * (e * r + e)] += smooth ? 1 - s->omega : 1;
        else if (smooth) rw_dense_multiply(r, a->parts, -s->omega, inverse, a->value + k * size, block);
    }
    builder_sort(to);
}

static bool prolongation(const rw_host *a, const bool *strong, const int64_t *of, int64_t aggregates, double omega,
                         rw_host *p)
{
    *p = (rw_host){.rows = a->rows, .columns = aggregates, .r = a->r, .parts = a->parts};
    return build_rows(p, prolong_row, &(smoothing){a, strong, of, omega});
}

/* ---- grids ------------------------------------------------------------------------------------------------------- */

/* Of all n x n places. */
static void fill(const rw_host *a, int n, double *full)
{
    const int parts = a->parts, r = a->r;
    memset(full, 0, (size_t)n * (size_t)n * (size_t)parts * sizeof *full);
    for (int64_t i = 0; i < a->rows; ++i)
        for (int64_t k = a->first[i]; k < a->first[i + 1]; ++k)
            for (int e = 0; e < r * r; ++e)
                for (int q = 0; q < parts; ++q)
                    full[parts * ((i * r + e / r) * n + a->column[k] * r + e % r) + q] =
                        a->value[k * rw_host_size(a) + parts * e + q];
}

/* The inverse of a small matrix as a matrix of single entries; for a singular hermitian matrix (Neumann problem) a
 * generalised inverse. *direct stays NULL if there is none. */
static rw_status solve_directly(rw_precond *p, const rw_host *a, rw_sparse **direct)
{
    const int n = (int)a->rows * a->r, parts = a->parts;
    double *full = rw_calloc((size_t)n * (size_t)n * (size_t)parts, sizeof *full),
           *diagonal = rw_calloc((size_t)n, sizeof *diagonal);
    rw_host h = {.rows = n, .columns = n, .r = 1, .parts = parts, .first = rw_calloc((size_t)n + 1, sizeof *h.first)};
    for (int i = 0; h.first && i <= n; ++i) h.first[i] = (int64_t)i * n;
    const bool made = full && diagonal && h.first && rw_host_make(&h);
    rw_status status = made ? RW_OK : no_memory(p, a);
    for (int64_t k = 0; made && k < (int64_t)n * n; ++k) h.column[k] = k % n;
    if (made) fill(a, n, h.value);
    bool good = made && rw_dense_sweep(n, parts, h.value, diagonal);
    if (made && !good) {
        fill(a, n, full);
        good = rw_dense_eliminate(n, parts, full, h.value);
    }
    if (good) status = send(p, &h, direct);
    rw_free(full);
    rw_free(diagonal);
    rw_host_free(&h);
    return status;
}

static rw_status vector(rw_precond *p, int64_t n, rw_array **array)
{
    return rw_array_create(p->device, p->type, 1, &n, RW_MEMORY_DEVICE, array);
}

/* The matrix of the next coarser grid, restriction and prolongation; next->rows = 0: the grid would not be much
 * smaller. */
static rw_status coarsen(rw_precond *p, grid *g, const rw_host *a, double theta, rw_host *next)
{
    rw_host prolong = {0}, down = {0}, ap = {0};
    double *d = rw_amg_diagonal(a);
    bool *strong = d ? rw_amg_strong(a, d, theta) : NULL;
    int64_t *of = rw_calloc((size_t)RW_MAX(a->rows, 1), sizeof *of);
    rw_status status = strong && of ? RW_OK : no_memory(p, a);
    const int64_t aggregates = status == RW_OK ? rw_amg_aggregate(a, strong, of) : 0;
    const bool smaller = aggregates > 0 && aggregates < a->rows - a->rows / 5;
    *next = (rw_host){0};
    if (smaller && !(prolongation(a, strong, of, aggregates, 4 / (3 * g->smoother.most / 1.1), &prolong) &&
                     rw_host_transpose(&prolong, true, &down) && multiply(a, &prolong, false, &ap) &&
                     multiply(&down, &ap, true, next)))
        status = no_memory(p, a);
    if (smaller && status == RW_OK) status = send(p, &prolong, &g->up);
    if (smaller && status == RW_OK) status = send(p, &down, &g->down);
    rw_free(d);
    rw_free(strong);
    rw_free(of);
    rw_host_free(&prolong);
    rw_host_free(&down);
    rw_host_free(&ap);
    return status;
}

static void count(rw_precond *p, const grid *g)
{
    const rw_sparse *const all[] = {g->own, g->up, g->down, g->direct};
    for (int i = 0; i < RW_COUNT(all); ++i) p->info.bytes += rw_sparse_size_of(all[i]).bytes;
    p->info.blocks += rw_sparse_size_of(rw_sparse_of(g->a)).blocks;
    ++p->info.levels;
}

/* Sets up a grid with matrix a; *next: the matrix of the coarser grid. */
static rw_status fill_grid(rw_precond *p, grid *g, const rw_host *a, double theta, rw_host *next)
{
    const int64_t n = a->rows * a->r;
    RW_TRY(rw_cancel_check(p->device->ctx, "setup of amg"));
    if (!g->a) {
        RW_TRY(send(p, a, &g->own));
        g->a = rw_sparse_operator(g->own);
    }
    if (g->own) {
        RW_TRY(vector(p, n, &g->x));
        RW_TRY(vector(p, n, &g->b));
    }
    if (n <= RW_AMG_DIRECT) RW_TRY(solve_directly(p, a, &g->direct));
    if (!g->direct) RW_TRY(rw_smoother_create(p, g->a, a, "amg", 20, &g->smoother));
    if (!g->direct && n > RW_AMG_DIRECT && p->info.levels < MOST_GRIDS) RW_TRY(coarsen(p, g, a, theta, next));
    if (!g->direct && !next->rows && n <= RW_AMG_STUCK) RW_TRY(solve_directly(p, a, &g->direct));
    if (next->rows) RW_TRY(vector(p, n, &g->r));
    count(p, g);
    return RW_OK;
}

static rw_status create(rw_precond *p, rw_operator *m)
{
    rw_host a, next = {0};
    amg *all = p->method = rw_calloc(1, sizeof *all);
    if (!all) return rw_fail_memory(p->device->ctx, sizeof *all, "a preconditioner");
    RW_TRY(rw_host_read(rw_sparse_of(m), &a));
    rw_status status = RW_OK;
    grid **place = &all->first;
    for (double theta = rw_given(p->spec.theta) ? p->spec.theta : RW_AMG_THETA; status == RW_OK;
         place = &(*place)->coarser, theta /= rw_given(p->spec.theta) ? 1 : 2) {
        *place = rw_calloc(1, sizeof **place);
        if (!*place) status = rw_fail_memory(p->device->ctx, sizeof **place, "a grid of amg");
        else {
            if (place == &all->first) (*place)->a = m;
            status = fill_grid(p, *place, &a, theta, &next);
        }
        if (!next.rows) break;
        rw_host_free(&a);
        a = next;
        next = (rw_host){0};
    }
    rw_host_free(&a);
    rw_host_free(&next);
    return status == RW_OK ? vector(p, p->n, &all->x) : status;
}

static rw_status cycle(rw_precond *p, grid *g, rw_array *b, rw_array *y, rw_queue *q)
{
    grid *c = g->coarser;
    if (g->direct) return rw_operator_apply(rw_sparse_operator(g->direct), 1, b, 0, 0, y, y, q);
    RW_TRY(rw_chebyshev_run(p, &g->smoother, b, y, true, q));
    if (c) {
        RW_TRY(rw_operator_apply(g->a, -1, y, 0, 1, b, g->r, q));
        RW_TRY(rw_operator_apply(rw_sparse_operator(g->down), 1, g->r, 0, 0, c->b, c->b, q));
        RW_TRY(cycle(p, c, c->b, c->x, q));
        RW_TRY(rw_operator_apply(rw_sparse_operator(g->up), 1, c->x, 0, 1, y, y, q));
    }
    return rw_chebyshev_run(p, &g->smoother, b, y, false, q);
}

static rw_status apply(rw_precond *p, rw_array *x, int64_t from, rw_array *y, rw_queue *q)
{
    const amg *all = p->method;
    if (from) RW_TRY(rw_precond_add(p, x, from, all->x, true, q));
    return cycle(p, all->first, from ? all->x : x, y, q);
}

static void use(rw_precond *p, rw_operator *a)
{
    grid *first = ((amg *)p->method)->first;
    first->a = first->smoother.a = a;
}

static void free_method(rw_precond *p)
{
    amg *all = p->method;
    for (grid *g = all->first, *next; g; g = next) {
        next = g->coarser;
        rw_sparse_destroy(&g->own);
        rw_sparse_destroy(&g->up);
        rw_sparse_destroy(&g->down);
        rw_sparse_destroy(&g->direct);
        rw_smoother_free(&g->smoother);
        rw_array_destroy(&g->x);
        rw_array_destroy(&g->b);
        rw_array_destroy(&g->r);
        rw_free(g);
    }
    rw_array_destroy(&all->x);
}

const rw_precond_ops rw_precond_amg = {.needs_entries = true,
                                       .create = create,
                                       .use = use,
                                       .apply = apply,
                                       .free = free_method};
