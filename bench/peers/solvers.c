/* Our part of bench/solvers.sh, and what its parts share: systems as raw files, the speed of the memory, the comparison
 * of results.
 *
 *   solvers write trace|complex|laplace NxNxN FOLDER      a system of 5 x 5 blocks as `rechenwerk generate trace` has
 *                                                         it (complex: --values complex), or `generate laplace`
 *   solvers stream                                        GB/s of read, copy and triad, several times
 *   solvers run FOLDER WORK VARIANT ITERATIONS RTOL OUTPUT
 *   solvers compare A.f64 B.f64                           the largest difference over the largest number
 *
 * A system is a folder of files: size.i64 with block rows, rows of a block, blocks, 0 or 1 for real or complex;
 * first.i32, column.i32 as of BCSR; value.f64, the blocks row after row; right.f64. WORK is product, gmres or cg;
 * VARIANT a layout, with a preconditioner after a slash: bcsr:5x5/ilu0. RTOL 0: all iterations are made. Every program
 * of the script takes the same arguments and prints a line "ITERATIONS SECONDS" for each repetition, of solvers with
 * what the preconditioner took: "ITERATIONS SECONDS SETUP"; OUTPUT gets the result. Threads: OMP_NUM_THREADS. Exit
 * code: 0, 1 a failure, 2 a wrong call. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "rechenwerk/krylov.h"
#include "rechenwerk/multiblock.h"

enum { PRODUCTS = 10, CHUNK = 1 << 16 };

typedef struct raw_system {
    int64_t rows, block, blocks, is_complex; /* rows and blocks of block x block */
    int32_t *first, *column;
    double *value, *right;
} raw_system;

static int64_t area(const raw_system *s) { return s->block * s->block; }
static int64_t parts(const raw_system *s) { return s->is_complex ? 2 : 1; }

/* ---- files ------------------------------------------------------------------------------------------------------- */

static void stop(const char *what, const char *where)
{
    fprintf(stderr, "solvers: %s %s\n", what, where);
    exit(1);
}

static void *room(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p) stop("no memory for", "a system");
    return p;
}

static void store(const char *folder, const char *name, const void *data, size_t size, int64_t n)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, size, (size_t)n, f) != (size_t)n || fclose(f) != 0) stop("cannot write", path);
}

static void *load(const char *folder, const char *name, size_t size, int64_t n)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name);
    void *data = room(size * (size_t)n);
    FILE *f = fopen(path, "rb");
    if (!f || fread(data, size, (size_t)n, f) != (size_t)n || fclose(f) != 0) stop("cannot read", path);
    return data;
}

static raw_system read_system(const char *folder)
{
    int64_t *size = load(folder, "size.i64", sizeof *size, 4);
    raw_system s = {.rows = size[0], .block = size[1], .blocks = size[2], .is_complex = size[3]};
    s.first = load(folder, "first.i32", 4, s.rows + 1), s.column = load(folder, "column.i32", 4, s.blocks);
    s.value = load(folder, "value.f64", 8, s.blocks * area(&s) * parts(&s)),
    s.right = load(folder, "right.f64", 8, s.rows * s.block * parts(&s));
    free(size);
    return s;
}

static void write_system(const char *folder, const raw_system *s)
{
    const int64_t size[4] = {s->rows, s->block, s->blocks, s->is_complex}, n = s->rows * s->block * parts(s);
    double *right = room(8 * (size_t)n);
    uint64_t seed = 1;
    for (int64_t i = 0; i < n; ++i)
        seed = seed * 6364136223846793005u + 1442695040888963407u,
        right[i] = (double)(seed >> 11) / 9007199254740992. - 0.5;
    store(folder, "size.i64", size, 8, 4), store(folder, "first.i32", s->first, 4, s->rows + 1),
        store(folder, "column.i32", s->column, 4, s->blocks);
    store(folder, "value.f64", s->value, 8, s->blocks * area(s) * parts(s)), store(folder, "right.f64", right, 8, n);
    free(right);
}

/* ---- write ------------------------------------------------------------------------------------------------------- */

static void check(rw_context *ctx, rw_status status)
{
    if (status != RW_OK) stop("", rw_message(ctx));
}

/* The entries of the matrix, ascending in each row, into its blocks. */
static void fill_blocks(raw_system *s, int64_t n, const int64_t *row, const int64_t *column, const double *value)
{
    const int64_t p = parts(s);
    int64_t k = 0;
    for (int64_t e = 0; e < n; ++e) {
        const int64_t i = row[e] / s->block, j = column[e] / s->block;
        if (e == 0 || row[e] != row[e - 1]) k = s->first[i];
        while (s->column[k] < j) ++k;
        memcpy(s->value + p * (k * area(s) + row[e] % s->block * s->block + column[e] % s->block), value + p * e,
               sizeof(double) * (size_t)p);
    }
}

static raw_system trace(rw_context *ctx, rw_device *dev, const int64_t cells[3], bool is_complex)
{
    const rw_multiblock_spec spec = {.cells = {cells[0], cells[1], cells[2]},
                                     .blocks = {1, 1, 1},
                                     .is_complex = is_complex};
    const rw_sparse_layout layout = {.format = RW_SPARSE_BCSR,
                                     .values = is_complex ? RW_C128 : RW_F64,
                                     .block_rows = 5,
                                     .block_columns = 5};
    rw_sparse_blocks b;
    rw_sparse *m;
    int64_t n, *row, *column;
    double *value;
    check(ctx, rw_multiblock_pattern(ctx, &spec, 0, RW_MULTIBLOCK_COMPACT, NULL, &b));
    raw_system s = {.rows = b.rows, .block = 5, .blocks = b.first[b.rows], .is_complex = is_complex};
    s.first = room(4 * ((size_t)s.rows + 1)), s.column = room(4 * (size_t)s.blocks);
    for (int64_t i = 0; i <= s.rows; ++i) s.first[i] = (int32_t)b.first[i];
    for (int64_t k = 0; k < s.blocks; ++k) s.column[k] = (int32_t)b.column[k];
    rw_multiblock_free(&b);
    check(ctx, rw_multiblock_assemble(dev, &spec, 0, RW_MULTIBLOCK_COMPACT, &layout, &m));
    check(ctx, rw_sparse_entries(m, &n, &row, &column, &value));
    rw_sparse_destroy(&m);
    s.value = calloc((size_t)(s.blocks * area(&s) * parts(&s)), sizeof *s.value);
    if (!s.value) stop("no memory for", "a system");
    fill_blocks(&s, n, row, column, value);
    rw_sparse_free_entries(&row, &column, &value);
    return s;
}

/* Minus the sum of second differences, zero beyond the sides. */
static raw_system laplace(const int64_t n[3])
{
    const int64_t step[3] = {1, n[0], n[0] * n[1]};
    raw_system s = {.rows = n[0] * n[1] * n[2], .block = 1};
    s.first = room(4 * ((size_t)s.rows + 1)), s.column = room(28 * (size_t)s.rows), s.value = room(56 * (size_t)s.rows);
    s.first[0] = 0;
    for (int64_t i = 0; i < s.rows; ++i) {
        const int64_t at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        for (int d = 2; d >= 0; --d)
            if (at[d] > 0) s.column[s.blocks] = (int32_t)(i - step[d]), s.value[s.blocks++] = -1;
        s.column[s.blocks] = (int32_t)i, s.value[s.blocks++] = 6;
        for (int d = 0; d < 3; ++d)
            if (at[d] + 1 < n[d]) s.column[s.blocks] = (int32_t)(i + step[d]), s.value[s.blocks++] = -1;
        s.first[i + 1] = (int32_t)s.blocks;
    }
    return s;
}

static int write_one(rw_context *ctx, rw_device *dev, const char *kind, const char *text, const char *folder)
{
    int64_t cells[3];
    check(ctx, rw_multiblock_cells_parse(ctx, text, cells));
    const raw_system s = strcmp(kind, "laplace") ? trace(ctx, dev, cells, !strcmp(kind, "complex")) : laplace(cells);
    write_system(folder, &s);
    printf("%lld unknowns, %lld blocks of %lld x %lld, %.0f MB of values\n", (long long)(s.rows * s.block),
           (long long)s.blocks, (long long)s.block, (long long)s.block,
           8e-6 * (double)(s.blocks * area(&s) * parts(&s)));
    return 0;
}

/* ---- stream ------------------------------------------------------------------------------------------------------ */

/* As STREAM counts (J. McCalpin): 16 and 24 bytes an element; read: 8. */
static int stream(void)
{
    const int64_t n = (int64_t)1 << 26;
    double *a = aligned_alloc(1 << 21, 8 * (size_t)n), *b = aligned_alloc(1 << 21, 8 * (size_t)n),
           *c = aligned_alloc(1 << 21, 8 * (size_t)n), all = 0;
    if (!a || !b || !c) stop("no memory for", "stream");
    /* as the library does */
    for (int k = 0; k < 3; ++k) madvise((double *[]){a, b, c}[k], 8 * (size_t)n, MADV_HUGEPAGE);
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; ++i) a[i] = 1, b[i] = 2, c[i] = 0;
    for (int round = 0; round < 3; ++round) {
        double t[4], sum = 0;
        t[0] = omp_get_wtime();
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
        for (int64_t i = 0; i < n; ++i) sum += a[i];
        t[1] = omp_get_wtime();
#pragma omp parallel for simd schedule(static)
        for (int64_t i = 0; i < n; ++i) c[i] = b[i];
        t[2] = omp_get_wtime();
#pragma omp parallel for simd schedule(static)
        for (int64_t i = 0; i < n; ++i) a[i] = b[i] + 0.5 * c[i];
        t[3] = omp_get_wtime();
        all += sum;
        for (int k = 0; k < 3; ++k)
            printf("%s %.6g\n", (const char *[]){"read", "copy", "triad"}[k],
                   8e-9 * (k + 1) * (double)n / (t[k + 1] - t[k]));
    }
    if (!(all > 0)) stop("wrong sums of", "stream");
    free(a), free(b), free(c);
    return 0;
}

/* ---- run --------------------------------------------------------------------------------------------------------- */

/* The blocks, or their single entries, where they stay. */
static void add_all(rw_context *ctx, const raw_system *s, const rw_sparse_layout *l, rw_sparse *m)
{
    const bool whole = l->block_rows == s->block, single = l->values == RW_F32 || l->values == RW_C64;
    const int64_t inside = whole ? area(s) : 1, each = whole ? 1 : s->block, p = parts(s);
    int64_t *row = room(8 * CHUNK), *column = room(8 * CHUNK), n = 0;
    double *value = room(8 * (size_t)(CHUNK * inside * p));
    float *narrow = room(4 * (size_t)(CHUNK * inside * p));
    for (int64_t i = 0; i < s->rows * each; ++i)
        for (int64_t k = s->first[i / each] * each; k < s->first[i / each + 1] * each; ++k) {
            row[n] = i, column[n] = s->column[k / each] * each + k % each;
            memcpy(value + n * inside * p,
                   s->value + p * (whole ? k * inside : (k / each * each + i % each) * each + k % each),
                   8 * (size_t)(inside * p));
            if (++n < CHUNK && (i + 1 < s->rows * each || k + 1 < s->first[s->rows] * each)) continue;
            for (int64_t e = 0; single && e < n * inside * p; ++e) narrow[e] = (float)value[e];
            check(ctx, rw_sparse_add_blocks(m, n, row, column, single ? (void *)narrow : value));
            n = 0;
        }
    free(row), free(column), free(value), free(narrow);
}

static rw_sparse *make(rw_context *ctx, rw_device *dev, const raw_system *s, const char *text)
{
    rw_sparse_layout l;
    rw_sparse *m;
    check(ctx, rw_sparse_layout_parse(ctx, text, &l));
    if (s->is_complex) l.values = l.values == RW_F32 ? RW_C64 : RW_C128;
    const int64_t each = l.block_rows == s->block ? 1 : s->block, n = s->rows * each;
    int64_t *first = room(8 * ((size_t)n + 1)), *column = room(8 * (size_t)(s->blocks * each * each));
    first[0] = 0;
    for (int64_t i = 0, to = 0; i < n; ++i) {
        for (int64_t k = s->first[i / each] * each; k < s->first[i / each + 1] * each; ++k)
            column[to++] = s->column[k / each] * each + k % each;
        first[i + 1] = to;
    }
    check(ctx, rw_sparse_create(dev, &l, &(rw_sparse_blocks){n, n, first, column, NULL, NULL}, &m));
    free(first), free(column);
    add_all(ctx, s, &l, m);
    return m;
}

typedef struct job {
    rw_context *ctx;
    rw_device *dev;
    rw_sparse *m;
    rw_array *right, *x; /* of products: x and y */
    rw_dtype type;
} job;

static void multiply(const job *j)
{
    for (int round = -1; round < PRODUCTS; ++round) {
        const double begin = omp_get_wtime();
        check(j->ctx, rw_sparse_multiply(j->m, RW_OP_NONE, NULL, j->right, NULL, j->x, rw_device_queue(j->dev)));
        check(j->ctx, rw_queue_wait(rw_device_queue(j->dev)));
        if (round >= 0) printf("1 %.6g\n", omp_get_wtime() - begin);
    }
}

static void solve(const job *j, const char *method, const char *precond, int64_t iterations, double rtol)
{
    rw_krylov_spec spec = {.rtol = rtol > 0 ? rtol : 1e-300, .iterations = 2, .restart = 30};
    rw_krylov_result r;
    rw_precond_info info;
    rw_krylov *k;
    check(j->ctx, rw_krylov_method_parse(j->ctx, method, &spec.method));
    check(j->ctx, rw_precond_parse(j->ctx, precond, &spec.precond));
    /* the first compiles and touches the memory */
    for (int round = 0; round < 2; ++round, spec.iterations = iterations) {
        check(j->ctx, rw_krylov_create(rw_sparse_operator(j->m), j->type, &spec, &k));
        check(j->ctx, rw_array_zero(j->x, rw_device_queue(j->dev)));
        const double begin = omp_get_wtime();
        const rw_status status = rw_krylov_solve(k, j->right, j->x, &r);
        if (status != RW_ERR_NOT_CONVERGED) check(j->ctx, status);
        const double end = omp_get_wtime();
        check(j->ctx, rw_krylov_get_precond(k, &info));
        if (round) printf("%lld %.6g %.6g\n", (long long)r.iterations, end - begin, info.seconds);
        rw_krylov_destroy(&k);
    }
}

static int run(rw_context *ctx, rw_device *dev, char **argv)
{
    raw_system s = read_system(argv[0]);
    char layout[64];
    const char *slash = strchr(argv[2], '/');
    snprintf(layout, sizeof layout, "%.*s", (int)strcspn(argv[2], "/"), argv[2]);
    job j = {.ctx = ctx, .dev = dev, .m = make(ctx, dev, &s, layout), .type = s.is_complex ? RW_C128 : RW_F64};
    const int64_t n = s.rows * s.block;
    const void *x;
    void *right;
    check(ctx, rw_array_create(dev, j.type, 1, &n, RW_MEMORY_DEVICE, &j.right));
    check(ctx, rw_array_create(dev, j.type, 1, &n, RW_MEMORY_DEVICE, &j.x));
    check(ctx, rw_array_write(j.right, &right));
    memcpy(right, s.right, 8 * (size_t)(n * parts(&s)));
    free(s.first), free(s.column), free(s.value), free(s.right);
    if (!strcmp(argv[1], "product")) multiply(&j);
    else solve(&j, argv[1], slash ? slash + 1 : "none", atoll(argv[3]), atof(argv[4]));
    check(ctx, rw_array_read(j.x, &x));
    store("", argv[5], x, 8, n * parts(&s));
    rw_array_destroy(&j.right), rw_array_destroy(&j.x), rw_sparse_destroy(&j.m);
    return 0;
}

/* ---- compare ----------------------------------------------------------------------------------------------------- */

static int64_t numbers(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0) stop("cannot read", path);
    const int64_t n = ftell(f) / 8;
    fclose(f);
    return n;
}

static int compare(const char *path_a, const char *path_b)
{
    const int64_t n = numbers(path_a);
    if (n != numbers(path_b)) stop("another number of numbers in", path_b);
    double *a = load("", path_a, 8, n), *b = load("", path_b, 8, n), most = 0, largest = 0;
    for (int64_t i = 0; i < n; ++i) {
        const double error = fabs(a[i] - b[i]);
        most = error > most || error != error ? error : most;
        largest = fmax(largest, fabs(a[i]));
    }
    printf("%.1e\n", most / largest);
    free(a), free(b);
    return 0;
}

int main(int argc, char **argv)
{
    rw_context *ctx;
    rw_device *dev = NULL;
    if (argc == 2 && !strcmp(argv[1], "stream")) return stream();
    if (argc == 4 && !strcmp(argv[1], "compare")) return compare(argv[2], argv[3]);
    const bool writes = argc == 5 && !strcmp(argv[1], "write"), runs = argc == 8 && !strcmp(argv[1], "run");
    if (!writes && !runs) {
        fputs(
            "solvers write KIND CELLS FOLDER | stream | run FOLDER WORK VARIANT ITERATIONS RTOL OUTPUT | compare A B\n",
            stderr);
        return 2;
    }
    if (rw_context_create(&ctx) != RW_OK) return 1;
    check(ctx, rw_device_open(ctx, "cpu", &dev));
    const int code = writes ? write_one(ctx, dev, argv[2], argv[3], argv[4]) : run(ctx, dev, argv + 2);
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    return code;
}
