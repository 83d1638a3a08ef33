/* Products of rw_sparse: formats, precisions, several vectors, on the matrices of flow solvers: a grid of n^3 cells, 7
 * or 13 blocks of 5 x 5 a row; the same as plain rows; and rows of very different lengths. And iterations of solvers on
 * the first.
 *
 * Least bytes: the blocks of the pattern with an index each (CSR: entries), x and y once. Rounding allows 4 (terms + 2)
 * eps of the sum of absolute products. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bench/bench.h"
#include "rechenwerk/multiblock.h"
#include "sparse/host.h"

typedef struct work {
    const char *what, *layout, *size;
    rw_dtype vector;
    int vectors, neighbours;
    double target, diagonal;
} work;

enum { SCALAR = 100 };
/* neighbours: 6 or 12 around each cell; SCALAR + 6: of eight times as many cells, with one unknown each; 0: rows of 1
 * to 4096 entries, most of them short, anywhere. */
static const work gpu_works[] =
    {
        {"5x5 blocks f32", "bsell:5x5:f32", "7-point", RW_F32, 1, 6, 0.95, 0},
        {"5x5 blocks f64", "bsell:5x5:f64", "7-point", RW_F64, 1, 6, 0.97, 0},
        {"5x5 blocks c64", "bsell:5x5:c64", "7-point", RW_C64, 1, 6, 0.97, 0},
        {"5x5 blocks c128", "bsell:5x5:c128", "7-point", RW_C128, 1, 6, 0.97, 0},
        {"5x5 blocks f64", "bsell:5x5:f64", "13-point", RW_F64, 1, 12, 0.97, 0},
        {"5x5 blocks c128", "bsell:5x5:c128", "13-point", RW_C128, 1, 12, 0.97, 0},
        {"5x5 f32 stored, f64 computed", "bsell:5x5:f32", "7-point", RW_F64, 1, 6, 0, 0},
        {"5x5 c64 stored, c128 computed", "bsell:5x5:c64", "7-point", RW_C128, 1, 6, 0, 0},
        {"5x5 f32 stored, f64 computed", "bsell:5x5:f32", "13-point", RW_F64, 1, 12, 0, 0},
        {"5x5 16 bits, f32 computed", "bsell:5x5:f32:scaled", "7-point", RW_F32, 1, 6, 0, 0},
        {"5x5 16 bits, f32 computed", "bsell:5x5:f32:scaled", "13-point", RW_F32, 1, 12, 0, 0},
        {"5x5 blocks f64, 4 vectors", "bsell:5x5:f64", "7-point", RW_F64, 4, 6, 0.9, 0},
        {"5x5 blocks f64, 8 vectors", "bsell:5x5:f64", "7-point", RW_F64, 8, 6, 0.9, 0},
        {"5x5 blocks f64", "bcsr:5x5:f64", "7-point", RW_F64, 1, 6, 0, 0},
        {"rows f64", "csr:f64", "7-point of 5x5", RW_F64, 1, 6, 0, 0},
        {"rows f64", "sell:f64", "7-point of 5x5", RW_F64, 1, 6, 0, 0},
        {"rows f64", "csr:f64", "rows of varying length", RW_F64, 1, 0, 0, 0},
        {"rows f64", "csr:f64", "7-point", RW_F64, 1, SCALAR + 6, 0, 0},
        {"rows f64", "sell:f64", "7-point", RW_F64, 1, SCALAR + 6, 0, 0},
        {"rows f64", "sell:s4096:f64", "rows of varying length", RW_F64, 1, 0, 0, 0},
        {"rows f64", "coo:f64", "rows of varying length", RW_F64, 1, 0, 0, 0},
        {"rows f64", "coo:f64", "7-point of 5x5", RW_F64, 1, 6, 0, 0},
        {"rows f64", "dia:f64", "7-point of 5x5", RW_F64, 1, 6, 0, 0},
        {"5x5 blocks f64", "vbcsr:f64", "7-point", RW_F64, 1, 6, 0, 0},
},
                  cpu_works[] = {
                      {"5x5 blocks f32", "bcsr:5x5:f32", "7-point", RW_F32, 1, 6, 0.95, 0},
                      {"5x5 blocks f64", "bcsr:5x5:f64", "7-point", RW_F64, 1, 6, 0.95, 0},
                      {"5x5 blocks c64", "bcsr:5x5:c64", "7-point", RW_C64, 1, 6, 0.95, 0},
                      {"5x5 blocks c128", "bcsr:5x5:c128", "7-point", RW_C128, 1, 6, 0.95, 0},
                      {"5x5 blocks f64", "bcsr:5x5:f64", "13-point", RW_F64, 1, 12, 0.95, 0},
                      {"5x5 f32 stored, f64 computed", "bcsr:5x5:f32", "7-point", RW_F64, 1, 6, 0, 0},
                      {"5x5 16 bits, f32 computed", "bcsr:5x5:f32:scaled", "7-point", RW_F32, 1, 6, 0, 0},
                      {"5x5 blocks f64, 4 vectors", "bcsr:5x5:f64", "7-point", RW_F64, 4, 6, 0, 0},
                      {"5x5 blocks f64", "bsell:5x5:f64", "7-point", RW_F64, 1, 6, 0, 0},
                      {"5x5 blocks f64, by columns", "bcsr:5x5:columns:f64", "7-point", RW_F64, 1, 6, 0, 0},
                      {"rows f64", "csr:f64", "7-point of 5x5", RW_F64, 1, 6, 0, 0},
                      {"rows f64", "sell:f64", "7-point of 5x5", RW_F64, 1, 6, 0, 0},
};

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

/* size: of block rows and columns of vbcsr */
typedef struct pattern {
    int64_t rows, *first, *column;
    int32_t *size;
} pattern;

/* Rows of 1 to 4096 entries: of each 1,000 one is long. */
static int64_t different(int64_t rows, int64_t i, int64_t *out)
{
    const int64_t length = rw_random_u64(3, (uint64_t)i) % 1000 == 0
                               ? 64 + (int64_t)(rw_random_u64(4, (uint64_t)i) % 4032)
                               : 1 + (int64_t)(rw_random_u64(5, (uint64_t)i) % 16);
    return rw_bench_spread(rows, i, length, 4096, out);
}

/* A row of the pattern for each cell: blocks, those of vbcsr are all of 5 x 5 here, or scalars. */
static bool by_cells(const work *w, const rw_sparse_layout *l)
{
    return rw_sparse_has_blocks(l->format) || l->format == RW_SPARSE_VBCSR || w->neighbours > SCALAR;
}

static int64_t columns_of(const work *w, const rw_sparse_layout *l, int n, int64_t i, int64_t *out)
{
    int64_t cell[13];
    if (!w->neighbours) return different(5 * (int64_t)n * n * n, i, out);
    if (by_cells(w, l)) return rw_bench_stencil(n, w->neighbours % SCALAR / 6, i, out);
    const int64_t cells = rw_bench_stencil(n, w->neighbours / 6, i / 5, cell); /* the same matrix without its blocks */
    for (int64_t k = 0; k < 5 * cells; ++k) out[k] = 5 * cell[k / 5] + k % 5;
    return 5 * cells;
}

static rw_status make_pattern(rw_bench *b, const work *w, const rw_sparse_layout *l, int n, pattern *p)
{
    bool failed = false;
    p->rows = (int64_t)n * n * n * (by_cells(w, l) ? 1 : 5);
    p->first = rw_calloc((size_t)p->rows + 1, sizeof *p->first);
    for (int pass = 0; pass < 2 && p->first && !failed; ++pass) {
#pragma omp parallel
        {
            int64_t *room = rw_calloc(4096 + 64, sizeof *room);
#pragma omp for schedule(static)
            for (int64_t i = 0; i < p->rows; ++i)
                if (!room) failed = true;
                else if (pass == 0) p->first[i + 1] = columns_of(w, l, n, i, room);
                else columns_of(w, l, n, i, p->column + p->first[i]);
            rw_free(room);
        }
        for (int64_t i = 0; pass == 0 && i < p->rows; ++i) p->first[i + 1] += p->first[i];
        if (pass == 0) p->column = rw_calloc((size_t)p->first[p->rows] + 1, sizeof *p->column);
        failed = failed || !p->column;
    }
    if (l->format == RW_SPARSE_VBCSR) {
        p->size = rw_calloc((size_t)p->rows, sizeof *p->size);
        for (int64_t i = 0; p->size && i < p->rows; ++i) p->size[i] = 5;
        failed = failed || !p->size;
    }
    return p->first && !failed ? RW_OK : rw_fail_memory(b->ctx, (size_t)p->rows * 64, "a sparsity pattern");
}

/* ---- ours -------------------------------------------------------------------------------------------------------- */

/* Uniform numbers; with `diagonal` that on the diagonal, and symmetric where asked. */
static void fill_values(const rw_view *v, const pattern *p, int64_t columns, double diagonal, bool symmetric)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rw_view_rows(v); ++i) {
        for (int64_t row = rw_view_row(v, i); row < rw_view_row(v, i + 1); ++row)
            rw_entry_scale(v, row, 0.5 + diagonal);
        for (int64_t k = 0, n = rw_view_count(v, i); k < n; ++k) {
            const rw_sparse_block b = rw_view_block(v, i, k);
            uint64_t number = (uint64_t)(p->first[i] + k) * 32;
            for (int r = 0; r < b.nr; ++r)
                for (int c = 0; c < b.nc; ++c, ++number) {
                    const int64_t row = b.row + r, column = b.column + c;
                    const uint64_t of =
                        symmetric ? (uint64_t)(RW_MIN(row, column) * columns + RW_MAX(row, column)) : number;
                    rw_entry_add(v, b.at + b.sr * r + b.sc * c, row,
                                 rw_random_uniform(1, of) - 0.5 + (row == column ? diagonal : 0),
                                 rw_random_uniform(2, of) - 0.5);
                }
        }
    }
}

static rw_status make(rw_bench *b, const work *w, int n, bool symmetric, rw_contest *c)
{
    rw_sparse_layout l;
    rw_view v;
    pattern p = {0};
    c->queue = b->queue;
    RW_TRY(rw_sparse_layout_parse(b->ctx, w->layout, &l));
    rw_status status = make_pattern(b, w, &l, n, &p);
    const rw_sparse_blocks blocks = {p.rows, p.rows, p.first, p.column, p.size, p.size};
    if (status == RW_OK) status = rw_sparse_create(b->dev, &l, &blocks, &c->m);
    if (status == RW_OK) status = rw_sparse_look(c->m, true, &v);
    if (status == RW_OK) fill_values(&v, &p, rw_sparse_size_of(c->m).columns, w->diagonal, symmetric);
    rw_free(p.first);
    rw_free(p.column);
    rw_free(p.size);
    const int64_t shape[2] = {status == RW_OK ? rw_sparse_size_of(c->m).rows : 0, w->vectors};
    if (status == RW_OK) status = rw_array_create(b->dev, w->vector, 2, shape, RW_MEMORY_DEVICE, &c->x);
    if (status == RW_OK) status = rw_array_create(b->dev, w->vector, 2, shape, RW_MEMORY_DEVICE, &c->y);
    if (status == RW_OK) status = rw_random_fill(c->x, 7, -0.5);
    return status == RW_OK ? rw_bench_poison(c->y) : status;
}

static double epsilon(const rw_contest *c, rw_dtype vector)
{
    return rw_dtype_is_single(rw_sparse_get_layout(c->m)->values) && rw_dtype_is_single(vector) ? FLT_EPSILON
                                                                                                : DBL_EPSILON;
}

/* Error of block row i over what rounding allows; NaN counts as infinite. */
static double row_error(const rw_contest *c, const rw_view *v, const void *x, const void *y, rw_dtype type, int vectors,
                        int64_t i)
{
    double worst = 0;
    const int64_t n = rw_view_count(v, i), row = rw_view_row(v, i);
    for (int r = 0; r < rw_view_row(v, i + 1) - row; ++r)
        for (int u = 0; u < vectors; ++u) {
            double re = 0, im = 0, scale = 0, terms = 2;
            for (int64_t k = 0; k < n; ++k) {
                const rw_sparse_block b = rw_view_block(v, i, k);
                for (int j = 0; j < b.nc; ++j, ++terms) {
                    const int64_t at = b.at + b.sr * r + b.sc * j, from = (b.column + j) * vectors + u;
                    const double a = rw_entry_get(v, at, b.row + r, 0), ai = rw_entry_get(v, at, b.row + r, 1);
                    const double f = rw_value_get(type, x, from, 0), fi = rw_value_get(type, x, from, 1);
                    re += a * f - ai * fi;
                    im += a * fi + ai * f;
                    scale += hypot(a, ai) * hypot(f, fi);
                }
            }
            const int64_t to = (row + r) * vectors + u;
            const double e = hypot(rw_value_get(type, y, to, 0) - re, rw_value_get(type, y, to, 1) - im) /
                             (4 * terms * epsilon(c, type) * scale + 1e-300);
            worst = isnan(e) ? INFINITY : RW_MAX(worst, e);
        }
    return worst;
}

typedef struct product {
    rw_contest c, blocks; /* blocks: the same matrix as the peer has it */
    const work *w;
    int n, step; /* step: every such block row is compared */
} product;

static void free_product(void *user)
{
    product *p = user;
    rw_contest_free(&p->c);
    rw_contest_free(&p->blocks);
}

static rw_status multiply(void *user, int round) { return rw_contest_multiply(&((product *)user)->c, round); }

static rw_status error(rw_bench *b, void *user, double *worst)
{
    const product *p = user;
    const rw_contest *c = &p->c;
    const void *x, *y;
    rw_view v;
    double most = 0;
    (void)b;
    RW_TRY(rw_sparse_look(c->m, false, &v));
    RW_TRY(rw_array_read(c->x, &x));
    RW_TRY(rw_array_read(c->y, &y));
#pragma omp parallel for reduction(max : most)
    for (int64_t i = 0; i < rw_view_rows(&v); i += p->step) {
        const double e = row_error(c, &v, x, y, p->w->vector, p->w->vectors, i);
        most = RW_MAX(most, e);
    }
    *worst = most;
    return RW_OK;
}

/* What cuSPARSE can do with the matrix: rows as they are; blocks of one vector's type row after row, a second
 * matrix. */
static rw_status open_cusparse(rw_bench *b, product *p, rw_peer *peer)
{
    const work *w = p->w;
    const rw_sparse_layout *l = rw_sparse_get_layout(p->c.m);
    work same = *w;
    if (l->format == RW_SPARSE_CSR) {
        const rw_status status = rw_cusparse_open(b, p->c.m, p->c.x, peer);
        if (status != RW_ERR_ARGUMENT) return status;
    }
    if (l->format != RW_SPARSE_BSELL && l->format != RW_SPARSE_CSR) return RW_ERR_UNSUPPORTED;
    char layout[24];
    snprintf(layout, sizeof layout, "bcsr:%d:%s", l->block_rows, rw_dtype_name(l->values));
    same.layout = l->format == RW_SPARSE_BSELL ? layout : w->layout;
    const int64_t cache = b->dev->info.cache;
    b->dev->info.cache = 0; /* not known: columns in one part */
    rw_status status = make(b, &same, p->n, false, &p->blocks);
    if (status == RW_OK) status = rw_cusparse_open(b, p->blocks.m, p->blocks.x, peer);
    b->dev->info.cache = cache;
    return status;
}

static rw_status peers(rw_bench *b, void *user, rw_peers *p)
{
    const work *w = ((product *)user)->w;
    const rw_sparse_layout *l = rw_sparse_get_layout(((product *)user)->c.m);
    if (b->options.no_peers || strcmp(b->dev->info.kind, "cuda") != 0 || l->values != w->vector || l->scaled ||
        w->vectors > 1)
        return RW_OK;
    p->n = open_cusparse(b, user, p->peer) == RW_OK;
    return RW_OK;
}

static const rw_bench_task task = {multiply, error, peers, free_product};

static rw_status run_one(rw_bench *b, const work *w)
{
    product p = {.w = w, .n = (b->options.quick ? 12 : 100) * (w->neighbours > SCALAR ? 2 : 1), .step = 7};
    rw_bench_result row = {.tolerance = 1};
    const rw_status status = make(b, w, p.n, false, &p.c);
    if (status == RW_OK) {
        char own[80];
        const rw_sparse_layout *l = rw_sparse_get_layout(p.c.m);
        const rw_sparse_size size = rw_sparse_size_of(p.c.m);
        const double area = l->format == RW_SPARSE_VBCSR ? 25 : (double)l->block_rows * l->block_columns;
        row.bytes = (double)size.blocks * (area * (double)rw_sparse_value_size(l) + 4) +
                    (l->scaled ? 2.0 * (double)size.rows : 0) +
                    2.0 * (double)size.rows * w->vectors * (double)rw_dtype_size(w->vector);
        rw_sparse_layout_print(l, own, sizeof own);
        snprintf(row.variant, sizeof row.variant, "%.60s", own);
    }
    snprintf(row.what, sizeof row.what, "%s", w->what);
    snprintf(row.size, sizeof row.size, "%d^3 cells, %s", p.n, w->size);
    return rw_bench_measure(b, &task, &p, status, w->target, NULL, &row);
}

static rw_status run(rw_bench *b)
{
    const work *works = b->dev->info.gpu ? gpu_works : cpu_works;
    for (int i = 0; i < (b->dev->info.gpu ? RW_COUNT(gpu_works) : RW_COUNT(cpu_works)); ++i)
        RW_TRY(run_one(b, works + i));
    return RW_OK;
}

/* Each kind of kernel once; tests/sparse has the rest. */
static const int checked[] = {0, 1, 3, 6, 9, 11, 13, 14, 17, 20, 23};

static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *allowed)
{
    product p = {.w = gpu_works + checked[variant], .step = 1};
    *allowed = 1;
    return rw_bench_verify(b, &task, &p, make(b, p.w, (int)n, false, &p.c), worst);
}

static const int64_t sizes[] = {1, 3, 8, -1};
const rw_bench_case rw_bench_sparse = {run, RW_COUNT(checked), check, sizes, 3, NULL};

/* ---- solvers ----------------------------------------------------------------------------------------------------- */

/* The number of iterations, and a diagonal with which none of them comes to the end of what f64 can tell. passes: over
 * vectors, those of products included; GMRES reads a basis of half its restart and one twice; IDR(4) on average. */
static const struct {
    rw_krylov_method method;
    int iterations;
    double diagonal, products, passes;
} solvers[] = {
    {RW_KRYLOV_CG, 120, 6, 1, 10},
    {RW_KRYLOV_BICGSTAB, 40, 2.4, 2, 22},
    {RW_KRYLOV_GMRES, 90, 2.4, 1, 2 * 31 / 2. + 6},
    {RW_KRYLOV_FGMRES, 30, 2.4, 1, 4 * 31 / 2. + 6},
    {RW_KRYLOV_IDR, 60, 2.4, 1, 20},
};
enum { RESTART = 30 };

static const rw_bench_task solve = {rw_contest_solve, NULL, NULL, rw_contest_free};

static rw_status run_solver(rw_bench *b, int number, int n, const char *size)
{
    const rw_krylov_method method = solvers[number].method;
    const int iterations = b->dev->info.gpu ? solvers[number].iterations : RESTART;
    const work w = {"",        b->dev->info.gpu ? "bsell:5x5:f64" : "bcsr:5x5:f64",
                    "7-point", RW_F64,
                    1,         6,
                    0,         solvers[number].diagonal};
    rw_contest c = {.iterations = iterations};
    rw_bench_result row = {.tolerance = 1};
    const rw_krylov_spec spec = {.method = method,
                                 .rtol = 1e-300,
                                 .iterations = iterations,
                                 .restart = method == RW_KRYLOV_IDR ? 0 : RESTART};
    rw_status status = make(b, &w, n, method == RW_KRYLOV_CG, &c);
    if (status == RW_OK) status = rw_krylov_create(rw_sparse_operator(c.m), RW_F64, &spec, &c.k);
    if (status == RW_OK)
        row.bytes = iterations * (solvers[number].products * (double)rw_sparse_size_of(c.m).blocks * 204 +
                                  solvers[number].passes * (double)rw_sparse_size_of(c.m).rows * 8);
    snprintf(row.what, sizeof row.what, "%s, %d iterations", rw_krylov_method_name(method), iterations);
    snprintf(row.size, sizeof row.size, "%s", size);
    return rw_bench_measure(b, &solve, &c, status, 0, NULL, &row);
}

/* The study of 2011: eight grid blocks of 10 x 40 x 80 cells, complex single precision, 100 iterations without restart.
 * MPI on eight cores took 3.31 s. */
static rw_status run_document(rw_bench *b)
{
    const int64_t theta = b->options.quick ? 4 : 40, r = b->options.quick ? 8 : 80;
    const rw_multiblock_spec grid = {.cells = {10, theta, r},
                                     .blocks = {8, 1, 1},
                                     .mode = RW_MULTIBLOCK_INNER,
                                     .periodic = true,
                                     .is_complex = true,
                                     .omega = 0.1,
                                     .zeros = true};
    const rw_krylov_spec spec = {.method = RW_KRYLOV_GMRES, .rtol = 1e-300, .iterations = 100, .restart = 100};
    rw_contest c = {.iterations = 100};
    rw_bench_result row = {.what = "gmres, 100 iterations, c64", .tolerance = 1};
    rw_sparse_layout l;
    RW_TRY(rw_sparse_layout_parse(b->ctx, b->dev->info.gpu ? "bsell:5x5:c64" : "bcsr:5x5:c64", &l));
    rw_status status = rw_multiblock_assemble(b->dev, &grid, RW_MULTIBLOCK_ALL, RW_MULTIBLOCK_COMPACT, &l, &c.m);
    const int64_t n = status == RW_OK ? rw_sparse_size_of(c.m).rows : 0;
    if (status == RW_OK) status = rw_contest_vectors(b, RW_C64, n, n, &c);
    if (status == RW_OK) status = rw_krylov_create(rw_sparse_operator(c.m), RW_C64, &spec, &c.k);
    if (status == RW_OK)
        row.bytes = 100 * ((double)rw_sparse_size_of(c.m).blocks * 204 + (2 * 101 / 2. + 6) * (double)n * 8);
    snprintf(row.size, sizeof row.size, "%d x 10x%dx%d cells", (int)(n / (5 * 10 * theta * r)), (int)theta, (int)r);
    return rw_bench_measure(b, &solve, &c, status, 0, NULL, &row);
}

static rw_status run_solvers(rw_bench *b)
{
    for (int i = 0; i < RW_COUNT(solvers); ++i) {
        if (!b->options.quick) RW_TRY(run_solver(b, i, 100, "5,000,000 unknowns"));
        RW_TRY(run_solver(b, i, 7, "1,715 unknowns"));
    }
    RW_TRY(run_document(b));
    return rw_bench_stencil_solvers(b);
}

/* Two of them; tests/krylov has the rest. */
static const rw_krylov_method checked_solvers[] = {RW_KRYLOV_GMRES, RW_KRYLOV_CG};

static rw_status check_solver(rw_bench *b, int64_t n, int variant, double *worst, double *allowed)
{
    const work w = {"", "bcsr:5x5:f64", "7-point", RW_F64, 1, 6, 0, 40};
    rw_contest c = {0};
    rw_krylov_result r = {0};
    rw_status status = make(b, &w, (int)n, checked_solvers[variant] == RW_KRYLOV_CG, &c);
    if (status == RW_OK) status = rw_array_zero(c.y, b->queue);
    if (status == RW_OK)
        status = rw_krylov_create(rw_sparse_operator(c.m), RW_F64,
                                  &(rw_krylov_spec){.method = checked_solvers[variant], .rtol = 1e-9}, &c.k);
    if (status == RW_OK) status = rw_krylov_solve(c.k, c.x, c.y, &r);
    *worst = r.residual;
    *allowed = 2e-9 * r.right_side;
    rw_contest_free(&c);
    return status;
}

static const int64_t solver_sizes[] = {1, -1};
const rw_bench_case rw_bench_krylov = {run_solvers, RW_COUNT(checked_solvers), check_solver, solver_sizes, 1, NULL};
