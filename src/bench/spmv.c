/* Block-sparse matrix times vector: the 7-point pattern of an n^3 grid, dense 5x5 blocks of random numbers.
 *
 * The matrix is made row by row (BCSR, what peers take) and packed into the slices of spmv.k. Each scalar row is
 * compared with the same sum in double precision; rounding allows (terms + 1) eps of the sum of absolute products. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bench/bench.h"

typedef struct matrix {
    int n, rows, slices; /* n^3 block rows */
    int64_t plane;       /* entries of one column of the blocks */
    rw_dtype dtype;
    rw_bcsr host;
    rw_array *d_value, *d_column, *d_first, *x, *y;
    rw_program *program;
    rw_kernel *kernel;
    rw_queue *queue;
    void (*loop)(void *, const void *, const int *, const int *, const void *, long, int); /* peer on the host */
    void *host_y;
    const void *host_x;
    int threads;
} matrix;

/* How the items of a group are counted, see spmv.k; the first for threads or lanes that suits values of `least` to `most`
 * bytes is in use. */
#define THREADS                                                                                                        \
    "GROUP=160 GROUP_X=5 N_I=5 N_J=32 ROW(i,j)=(j) PART(i,j)=(i) S_J=800 S_C=160 S_R=1 S_ROW=5 ORDER_X=0 "
static const struct variant {
    const char *name, *definitions;
    int s_j, s_c, s_r, s_row, least, most;
    bool lanes;
} variants[] = {
    {"r first, 2 blocks at once", THREADS "AT_ONCE=2", 800, 160, 1, 5, 8, 16, false},
    {"r first, loads of 4 blocks first, x shared",
     THREADS "DEEP=4 X_SHARED=1 RW_GROUPS_A_UNIT=(sizeof(T)<8?8:32/sizeof(T))", 800, 160, 1, 5, 4, 4, false},
    {"rows first, 5 planes",
     "GROUP=160 GROUP_X=32 N_I=32 N_J=5 ROW(i,j)=(i) PART(i,j)=(j) S_J=160 S_C=plane S_R=32 S_ROW=1 ORDER_X=1",
     160, 0, 32, 1, 4, 16, true},
};

static bool suits(const rw_bench *b, const struct variant *v, rw_dtype dtype)
{
    int bytes = (int)rw_dtype_size(dtype);
    return v->lanes == b->lanes && bytes >= v->least && bytes <= v->most;
}

static const rw_dtype types[] = {RW_F32, RW_F64, RW_C64, RW_C128};

static void free_matrix(matrix *m)
{
    rw_free(m->host.first), rw_free(m->host.column), rw_free(m->host.value);
    rw_array_destroy(&m->d_value), rw_array_destroy(&m->d_column), rw_array_destroy(&m->d_first);
    rw_array_destroy(&m->x), rw_array_destroy(&m->y);
    rw_program_destroy(&m->program);
}

/* Neighbours of cell i that exist, in ascending order. */
static int neighbours(int n, int i, int *out)
{
    int x = i % n, y = i / n % n, z = i / n / n, count = 0;
    if (z > 0) out[count++] = i - n * n;
    if (y > 0) out[count++] = i - n;
    if (x > 0) out[count++] = i - 1;
    out[count++] = i;
    if (x < n - 1) out[count++] = i + 1;
    if (y < n - 1) out[count++] = i + n;
    if (z < n - 1) out[count++] = i + n * n;
    return count;
}

static rw_status make_rows(rw_bench *b, matrix *m)
{
    size_t width = rw_dtype_size(m->dtype);
    bool single = m->dtype == RW_F32 || m->dtype == RW_C64;
    int unused[7], blocks = 0;
    m->host.first = rw_calloc((size_t)m->rows + 1, sizeof *m->host.first);
    for (int i = 0; m->host.first && i < m->rows; ++i) m->host.first[i + 1] = blocks += neighbours(m->n, i, unused);
    m->host.column = rw_calloc((size_t)blocks + 1, sizeof *m->host.column);
    m->host.value = rw_calloc((size_t)blocks * 25 + 1, width);
    if (!m->host.first || !m->host.column || !m->host.value)
        return rw_fail_memory(b->ctx, (size_t)blocks * 25 * width, "a matrix");
    for (int i = 0; i < m->rows; ++i) neighbours(m->n, i, m->host.column + m->host.first[i]);
    int64_t numbers = (int64_t)blocks * 25 * (rw_dtype_is_complex(m->dtype) ? 2 : 1);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < numbers; ++i) {
        double v = rw_random_uniform(1, (uint64_t)i) - 0.5;
        if (single) ((float *)m->host.value)[i] = (float)v;
        else ((double *)m->host.value)[i] = v;
    }
    return RW_OK;
}

/* One slice: its block positions, short rows filled up with zeros. */
static void pack_slice(const matrix *m, const struct variant *v, int s, const int *first, int *column, char *value)
{
    size_t w = rw_dtype_size(m->dtype), plane = v->s_c ? (size_t)v->s_c : (size_t)m->plane;
    for (int row = 0; row < 32; ++row) {
        int i = 32 * s + row, blocks = i < m->rows ? m->host.first[i + 1] - m->host.first[i] : 0;
        for (int j = first[s]; j < first[s + 1]; ++j) {
            int k = j - first[s], at = i < m->rows ? m->host.first[i] + k : 0;
            char *to = value + v->s_j * (size_t)j * w;
            column[32 * j + row] = k < blocks ? m->host.column[at] : i < m->rows ? i : 0;
            for (int e = 0; e < 25; ++e) {
                char *one = to + (plane * (size_t)(e % 5) + (size_t)(v->s_r * (e / 5) + v->s_row * row)) * w;
                if (k < blocks) memcpy(one, m->host.value + (25 * (size_t)at + (size_t)e) * w, w);
                else memset(one, 0, w);
            }
        }
    }
}

static rw_status pack(rw_bench *b, matrix *m, const struct variant *v)
{
    void *first, *column, *value;
    m->slices = (m->rows + 31) / 32;
    RW_TRY(rw_bench_array(b, RW_I32, m->slices + 1, &m->d_first));
    RW_TRY(rw_array_write(m->d_first, &first));
    int *f = first;
    f[0] = 0;
    for (int s = 0; s < m->slices; ++s) {
        int longest = 0;
        for (int i = 32 * s; i < 32 * s + 32 && i < m->rows; ++i)
            longest = RW_MAX(longest, m->host.first[i + 1] - m->host.first[i]);
        f[s + 1] = f[s] + longest;
    }
    m->plane = 160 * (int64_t)f[m->slices];
    RW_TRY(rw_bench_array(b, RW_I32, 32 * (int64_t)f[m->slices], &m->d_column));
    RW_TRY(rw_bench_array(b, m->dtype, 5 * m->plane, &m->d_value));
    RW_TRY(rw_array_write(m->d_column, &column));
    RW_TRY(rw_array_write(m->d_value, &value));
#pragma omp parallel for schedule(static)
    for (int s = 0; s < m->slices; ++s) pack_slice(m, v, s, f, column, value);
    return RW_OK;
}

static void define(rw_dtype dtype, const struct variant *v, char definitions[RW_BENCH_DEFINITIONS])
{
    snprintf(definitions, RW_BENCH_DEFINITIONS, "REAL=%s WIDTH=%d %s",
             dtype == RW_F32 || dtype == RW_C64 ? "f32" : "f64", rw_dtype_is_complex(dtype) ? 2 : 1, v->definitions);
}

static const char *source(int variant, char definitions[RW_BENCH_DEFINITIONS])
{
    define(types[variant % 4], variants + variant / 4, definitions);
    return "spmv.k";
}

static rw_status make(rw_bench *b, matrix *m, int n, rw_dtype dtype, const struct variant *v)
{
    char definitions[RW_BENCH_DEFINITIONS];
    m->n = n, m->rows = n * n * n, m->dtype = dtype, m->queue = b->queue, m->threads = b->threads;
    m->host.rows = m->rows, m->host.dtype = dtype;
    RW_TRY(make_rows(b, m));
    RW_TRY(pack(b, m, v));
    RW_TRY(rw_bench_array(b, dtype, 5 * (int64_t)m->rows, &m->x));
    RW_TRY(rw_bench_array(b, dtype, 5 * (int64_t)m->rows, &m->y));
    RW_TRY(rw_bench_fill(m->x, 2, -0.5));
    RW_TRY(rw_bench_poison(m->y));
    define(dtype, v, definitions);
    RW_TRY(rw_bench_program(b, "spmv.k", definitions, &m->program));
    return rw_program_kernel(m->program, "spmv", &m->kernel);
}

static rw_status multiply(void *user, int round)
{
    matrix *m = user;
    rw_arg a[] = {rw_arg_array(m->y), rw_arg_array(m->d_value), rw_arg_array(m->d_column), rw_arg_array(m->d_first),
                  rw_arg_array(m->x), rw_arg_int(m->rows),      rw_arg_int(m->plane)};
    (void)round;
    return rw_launch(m->queue, m->kernel, (int64_t[3]){m->slices, 1, 1}, a, 7);
}

/* Scalar row i: |y - sum a x| over the sum of |a x|; NaN counts as infinite. */
static double row_error(const matrix *m, const void *x, const void *y, int64_t i)
{
    bool z = rw_dtype_is_complex(m->dtype);
    double re = 0, im = 0, scale = 0;
    for (int k = m->host.first[i / 5]; k < m->host.first[i / 5 + 1]; ++k)
        for (int c = 0; c < 5; ++c) {
            int64_t at = 25 * (int64_t)k + 5 * (i % 5) + c, from = 5 * (int64_t)m->host.column[k] + c;
            double a = rw_bench_element(m->dtype, m->host.value, at, 0), u = rw_bench_element(m->dtype, x, from, 0);
            double ai = z ? rw_bench_element(m->dtype, m->host.value, at, 1) : 0;
            double ui = z ? rw_bench_element(m->dtype, x, from, 1) : 0;
            re += a * u - ai * ui, im += a * ui + ai * u;
            scale += hypot(a, ai) * hypot(u, ui);
        }
    double e = fabs(rw_bench_element(m->dtype, y, i, 0) - re);
    if (z) e += fabs(rw_bench_element(m->dtype, y, i, 1) - im);
    return isnan(e) ? INFINITY : scale > 0 ? e / scale : e;
}

/* Every `step`-th row. */
static rw_status error(matrix *m, int64_t step, double *worst)
{
    const void *x, *y;
    double w = 0;
    RW_TRY(rw_array_read(m->x, &x));
    RW_TRY(rw_array_read(m->y, &y));
#pragma omp parallel for reduction(max : w)
    for (int64_t i = 0; i < 5 * (int64_t)m->rows; i += step) {
        double e = row_error(m, x, y, i);
        w = RW_MAX(w, e);
    }
    *worst = w;
    return RW_OK;
}

static double tolerance(rw_dtype dtype)
{
    return 40 * (dtype == RW_F32 || dtype == RW_C64 ? FLT_EPSILON : DBL_EPSILON) * (rw_dtype_is_complex(dtype) ? 2 : 1);
}

static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *allowed)
{
    matrix m = {0};
    rw_dtype dtype = types[variant % 4];
    rw_status status = make(b, &m, (int)n, dtype, variants + variant / 4);
    if (status == RW_OK) status = multiply(&m, 0);
    if (status == RW_OK) status = error(&m, 1, worst);
    *allowed = tolerance(dtype);
    free_matrix(&m);
    return status;
}

/* ---- peers and rows ---------------------------------------------------------------------------------------------- */

static rw_status loop(void *user, int round)
{
    matrix *m = user;
    (void)round;
    m->loop(m->host_y, m->host.value, m->host.column, m->host.first, m->host_x, m->rows, m->threads);
    return RW_OK;
}

static rw_status add_loop(rw_bench *b, matrix *m, rw_contestant *peers, int *npeers)
{
    char name[32];
    snprintf(name, sizeof name, "bcsr_%s", rw_dtype_name(m->dtype));
    void *function = b->options.no_peers ? NULL : rw_host_function(b, name);
    if (!function) return RW_OK;
    memcpy(&m->loop, &function, sizeof function);
    RW_TRY(rw_array_read(m->x, &m->host_x));
    m->host_y = rw_calloc((size_t)m->rows * 5, rw_dtype_size(m->dtype));
    if (!m->host_y) return rw_fail_memory(b->ctx, (size_t)m->rows * 40, "a vector");
    peers[(*npeers)++] = (rw_contestant){"C loop BCSR", loop, m};
    return RW_OK;
}

static rw_status run_one(rw_bench *b, rw_dtype dtype, const struct variant *v)
{
    int n = b->options.quick ? 12 : 100, npeers = 0;
    matrix m = {0};
    rw_peer cusparse = {0};
    rw_contestant peers[RW_BENCH_PEERS];
    rw_bench_result row = {.tolerance = tolerance(dtype)};
    rw_status status = make(b, &m, n, dtype, v);
    if (status == RW_OK) status = multiply(&m, 0);
    if (status == RW_OK) status = error(&m, 7, &row.error);
    if (status == RW_OK) status = add_loop(b, &m, peers, &npeers);
    if (status == RW_OK && b->dev->info.gpu && !b->options.no_peers &&
        rw_cusparse_open(b, &m.host, m.x, &cusparse) == RW_OK)
        peers[npeers++] = cusparse.contestant;
    if (status == RW_OK) {
        double blocks = m.host.first[m.rows], bytes = (double)rw_dtype_size(dtype);
        row.bytes = blocks * (25 * bytes + 4) + 10.0 * m.rows * bytes;
        status = rw_bench_compare(b, &(rw_contestant){"", multiply, &m}, peers, npeers, &row);
    }
    if (status == RW_OK) {
        snprintf(row.what, sizeof row.what, "5x5 block SpMV %s", rw_dtype_name(dtype));
        snprintf(row.size, sizeof row.size, "%d^3 cells, 7-point", n);
        snprintf(row.variant, sizeof row.variant, "%s", v->name);
        if (b->dev->info.gpu && (dtype == RW_F64 || dtype == RW_C64)) rw_bench_target(b, &row, 0.97, NULL);
        else if (!b->dev->info.gpu) rw_bench_target(b, &row, 0.95, NULL);
        status = rw_bench_add(b, &row);
    }
    if (cusparse.close) cusparse.close(cusparse.state);
    rw_free(m.host_y);
    free_matrix(&m);
    return status;
}

static rw_status run(rw_bench *b)
{
    for (int t = 0; t < RW_COUNT(types); ++t)
        for (int v = 0, taken = 0; v < RW_COUNT(variants); ++v)
            if (b->options.variants || (suits(b, variants + v, types[t]) && !taken++))
                RW_TRY(run_one(b, types[t], variants + v));
    return RW_OK;
}

static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 8, 11, -1};
const rw_bench_case rw_bench_spmv = {run, 4 * RW_COUNT(variants), check, sizes, 5, source};
