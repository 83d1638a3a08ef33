/* Products of every layout, type and operation on every device, against sums in long double: |y - y_ref| <= c eps (sum
 * |a||x| + |beta y|), c = 4 (terms + 2). */
/* TEST: devices=check */
#include <float.h>

#include "../devices.h"
#include "../values.h"
#include "matrices.h"
#include "sparse/multiply.h"

static const rw_dtype types[] = {RW_F32, RW_F64, RW_C64, RW_C128};
static bool is_single(rw_dtype t) { return t == RW_F32 || t == RW_C64; }
static bool is_complex(rw_dtype t) { return rw_dtype_is_complex(t); }

static rw_array *vectors(rw_dtype type, int64_t n, int k, uint64_t seed)
{
    rw_array *a;
    void *data;
    OK(rw_array_create(dev, type, k == 1 ? 1 : 2, (int64_t[]){n, k}, RW_MEMORY_DEVICE, &a));
    OK(rw_array_write(a, &data));
    for (int64_t i = 0; i < n * k * (1 + is_complex(type)); ++i) {
        double v = rw_random_uniform(seed, (uint64_t)i) - 0.5;
        if (is_single(type)) ((float *)data)[i] = (float)v;
        else ((double *)data)[i] = v;
    }
    return a;
}

static long double complex element(rw_dtype type, const void *p, int64_t i)
{
    return (long double)rw_value_get(type, p, i, 0) + (long double)rw_value_get(type, p, i, 1) * I;
}

/* What y should be, and what its error is measured by. */
typedef struct expected {
    long double complex *y;
    long double *scale;
    int64_t *terms;
} expected;

static expected expect(const entries *e, rw_dtype matrix, rw_op op, const double alpha[2], const void *x,
                       const double beta[2], const void *y, rw_dtype type, int64_t n, int k)
{
    expected r = {calloc((size_t)(n * k) + 1, sizeof *r.y), calloc((size_t)(n * k) + 1, sizeof *r.scale),
                  calloc((size_t)n + 1, sizeof *r.terms)};
    const long double complex a = alpha[0] + alpha[1] * I, b = beta[0] + beta[1] * I;
    for (int64_t i = 0; i < e->n; ++i) {
        const int64_t to = op == RW_OP_NONE ? e->row[i] : e->column[i],
                      from = op == RW_OP_NONE ? e->column[i] : e->row[i];
        double re = e->is_complex ? e->value[2 * i] : e->value[i], im = e->is_complex ? e->value[2 * i + 1] : 0;
        if (is_single(matrix)) re = (float)re, im = (float)im;
        const long double complex v = re + (op == RW_OP_CONJUGATE ? -im : im) * I;
        ++r.terms[to];
        for (int c = 0; c < k; ++c) {
            const long double complex u = element(type, x, from * k + c);
            r.y[to * k + c] += v * u, r.scale[to * k + c] += cabsl(v) * cabsl(u);
        }
    }
    for (int64_t i = 0; i < n * k; ++i) {
        const long double complex old = beta[0] != 0 || beta[1] != 0 ? b * element(type, y, i) : 0;
        r.y[i] = a * r.y[i] + old, r.scale[i] = cabsl(a) * r.scale[i] + cabsl(old);
    }
    return r;
}

static void compare(const char *what, const expected *r, rw_dtype matrix, rw_dtype type, const void *y, int64_t n,
                    int k)
{
    /* sums in the wider precision, the result rounded to that of the vectors */
    const long double sum = is_single(type) && is_single(matrix) ? FLT_EPSILON : DBL_EPSILON,
                      round = is_single(type) ? FLT_EPSILON : DBL_EPSILON;
    for (int64_t i = 0; i < n * k; ++i) {
        const long double allowed = 4 * (long double)(r->terms[i / k] + 2) * sum * r->scale[i] + round * cabsl(r->y[i]),
                          error = cabsl(element(type, y, i) - r->y[i]);
        if (!(error <= allowed))
            fail_msg("%s: y[%lld] of %lld x %d = %.17g%+.17gi, expected %.17Lg%+.17Lgi, error %.3Lg > %.3Lg", what,
                     (long long)i, (long long)n, k, (double)creall(element(type, y, i)),
                     (double)cimagl(element(type, y, i)), creall(r->y[i]), cimagl(r->y[i]), error, allowed);
    }
}

/* One product, twice; y is full of NaN where beta is 0. */
static void product(const char *what, rw_sparse *m, const entries *e, rw_op op, rw_dtype type, int k, uint64_t seed)
{
    static const double factors[][4] = {{1, 0, 0, 0}, {-0.5, 0.25, 0.75, -1}, {2, 0, 1, 0}};
    double alpha[2], beta[2];
    memcpy(alpha, factors[seed % 3], sizeof alpha), memcpy(beta, factors[seed % 3] + 2, sizeof beta);
    if (!is_complex(type)) alpha[1] = beta[1] = 0;
    const rw_dtype matrix = rw_sparse_get_layout(m)->values;
    const int64_t nx = op == RW_OP_NONE ? e->columns : e->rows, ny = op == RW_OP_NONE ? e->rows : e->columns;
    rw_array *x = vectors(type, nx, k, seed + 1), *y = vectors(type, ny, k, seed + 2),
             *again = vectors(type, ny, k, seed + 2);
    const void *px, *py;
    void *old;
    OK(rw_array_read(x, &px));
    for (int i = 0; i < 2; ++i) {
        OK(rw_array_update(i ? y : again, &old));
        if (beta[0] == 0 && beta[1] == 0) memset(old, 0xff, (size_t)(ny * k) * rw_dtype_size(type));
    }
    expected r = expect(e, rw_sparse_get_layout(m)->scaled ? RW_F64 : matrix, op, alpha, px, beta, old, type, ny, k);
    OK(rw_sparse_multiply(m, op, alpha, x, beta, y, queue));
    OK(rw_array_read(y, &py));
    compare(what, &r, matrix, type, py, ny, k);
    OK(rw_sparse_multiply(m, op, alpha, x, beta, again, queue));
    same_bits(what, y, again);
    free(r.y), free(r.scale), free(r.terms);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&again);
}

/* Each kind is a program to be compiled: a random part of them, more on cpu and cuda, less where a program takes a
 * second, an eighth of that part in the short version; all (some 10,000) with RECHENWERK_TEST_ALL=1, those whose number
 * leaves 3 when it is divided by 40 with RECHENWERK_TEST_ALL=3/40. */
static bool chosen(uint64_t number, bool plain)
{
    const uint64_t every = (on("cpu") || on("cuda") ? 16 : on("check") ? 40 : 80) * (test_long() ? 1 : 8);
    const char *all = getenv("RECHENWERK_TEST_ALL");
    unsigned part, parts;
    if (all) return sscanf(all, "%u/%u", &part, &parts) != 2 || parts == 0 || number % parts == part;
    return rw_random_u64(4711, number) % (plain ? every : 25 * every / 2) == 0;
}

/* Whether part `number` of `parts` is to be run for row i of a table: all of them, or one per row in the short version
 * and where a program takes a second. */
static bool turn(int i, int number, int parts)
{
    return getenv("RECHENWERK_TEST_ALL") || (test_long() && !on("opencl")) || i % parts == number;
}

static void all_kinds(const char *layout, const entries *real, const entries *z, uint64_t seed)
{
    static uint64_t number;
    for (int matrix = 0; matrix < 4; ++matrix)
        for (int type = 0; type < 4; ++type)
            for (int op = 0; op < 3; ++op)
                for (int k = 0; k < 3; ++k) {
                    const int width[] = {1, 3, 13};
                    if (is_complex(types[matrix]) && !is_complex(types[type])) continue;
                    const bool plain = op == 0 && k == 0 && matrix == type;
                    if (!chosen(++number, plain)) continue;
                    rw_sparse_layout l;
                    rw_sparse *m;
                    char what[160];
                    const entries *e = is_complex(types[matrix]) ? z : real;
                    OK(rw_sparse_layout_parse(ctx, layout, &l));
                    l.values = types[matrix];
                    OK(rw_sparse_from_entries(dev, &l, e, &m));
                    snprintf(what, sizeof what, "%s: %s %s x %s, op %d, %d vectors, seed %llu",
                             rw_device_info(dev)->name, layout, rw_dtype_name(types[matrix]),
                             rw_dtype_name(types[type]), op, width[k], (unsigned long long)seed);
                    product(what, m, e, (rw_op)op, types[type], width[k], seed + number);
                    rw_sparse_destroy(&m);
                }
}

static void test_scalar_formats(void **state)
{
    static const int64_t sizes[][2] = {{37, 41}, {64, 64}, {1, 1}, {130, 7}, {0, 5}, {5, 0}, {97, 97}};
    (void)state;
    for (int s = 0; s < RW_COUNT(sizes); ++s) {
        entries real = random_entries((uint64_t)s + 10, sizes[s][0], sizes[s][1], 1, 1, false, s % 2, false),
                z = random_entries((uint64_t)s + 20, sizes[s][0], sizes[s][1], 1, 1, true, s % 2, false);
        for (int i = 0; scalar_layouts[i]; ++i) all_kinds(scalar_layouts[i], &real, &z, (uint64_t)s);
        free_entries(&real), free_entries(&z);
    }
}

static void test_blocks(void **state)
{
    static const int blocks[][2] = {{5, 5}, {1, 1}, {2, 2}, {3, 3}, {4, 4},   {6, 6}, {7, 7},
                                    {8, 8}, {2, 3}, {5, 1}, {1, 4}, {16, 16}, {3, 16}};
    const bool fast = !strcmp(rw_device_info(dev)->kind, "cpu") || !strcmp(rw_device_info(dev)->kind, "cuda");
    (void)state;
    for (int b = 0; b < (fast ? RW_COUNT(blocks) : 4); ++b) {
        const int64_t n = 33 + 7 * b;
        entries real =
            random_entries((uint64_t)b + 30, n, b % 2 ? n : n + 3, blocks[b][0], blocks[b][1], false, b % 3 == 0, true);
        entries z =
            random_entries((uint64_t)b + 40, n, b % 2 ? n : n + 3, blocks[b][0], blocks[b][1], true, b % 3 == 0, true);
        for (int i = 0; block_layouts[i]; ++i) {
            char layout[40];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(layout, sizeof layout, block_layouts[i], blocks[b][0], blocks[b][1]);
#pragma GCC diagnostic pop
            all_kinds(layout, &real, &z, (uint64_t)b);
        }
        free_entries(&real), free_entries(&z);
    }
}

/* Grids: slices of 32 rows know the shifts of neighbours; rows at the sides have gaps. */
static void test_grids(void **state)
{
    static const struct {
        int64_t n, m;
        int block;
    } grids[] = {{9, 11, 5}, {40, 5, 1}, {33, 3, 2}, {7, 1, 5}, {3, 30, 4}};
    (void)state;
    for (int g = 0; g < RW_COUNT(grids); ++g) {
        char layout[40];
        entries real = grid_entries((uint64_t)g, grids[g].n, grids[g].m, grids[g].block, grids[g].block, false),
                z = grid_entries((uint64_t)g, grids[g].n, grids[g].m, grids[g].block, grids[g].block, true);
        snprintf(layout, sizeof layout, "bsell:%d", grids[g].block);
        for (int again = 0; again < 4; ++again) all_kinds(layout, &real, &z, (uint64_t)g);
        if (grids[g].block == 1) all_kinds("sell", &real, &z, (uint64_t)g), all_kinds("dia", &real, &z, (uint64_t)g);
        free_entries(&real), free_entries(&z);
    }
}

/* Values of 16 bits with a scale a row: what is kept is near the entries, products are those of what is kept. */
static void scaled(const char *text, const entries *e, rw_dtype type, rw_op op, int k)
{
    rw_sparse_layout l;
    rw_sparse *m;
    rw_sparse_size size;
    char what[120];
    entries kept = {e->rows, e->columns, 0, e->is_complex, NULL, NULL, NULL};
    double *most = calloc((size_t)e->rows + 1, sizeof *most);
    OK(rw_sparse_layout_parse(ctx, text, &l));
    OK(rw_sparse_from_entries(dev, &l, e, &m));
    OK(rw_sparse_entries(m, &kept.n, &kept.row, &kept.column, &kept.value));
    size = matrix_size_of(m);
    assert_true(size.bytes >= (e->is_complex ? 4 : 2) * size.stored + 2 * size.rows);
    const int parts = 1 + e->is_complex;
    for (int64_t i = 0; i < e->n * parts; ++i)
        most[e->row[i / parts]] = fmax(most[e->row[i / parts]], fabs(e->value[i]));
    for (int64_t i = 0, j = 0; i < e->n; ++i) { /* both by rows; what became 0 may be missing */
        const bool there = j < kept.n && kept.row[j] == e->row[i] && kept.column[j] == e->column[i];
        for (int p = 0; p < parts; ++p) {
            const double error = fabs((there ? kept.value[parts * j + p] : 0) - e->value[parts * i + p]),
                         allowed = most[e->row[i]] * (0.5 / RW_SCALED_MOST * (1 + 0x1p-7) + FLT_EPSILON);
            if (!(error <= allowed))
                fail_msg("%s: entry %lld differs by %g, %g allowed", text, (long long)i, error, allowed);
        }
        j += there;
    }
    snprintf(what, sizeof what, "%s: %s x %s, op %d, %d vectors", rw_device_info(dev)->name, text, rw_dtype_name(type),
             (int)op, k);
    product(what, m, &kept, op, type, k, 77);
    rw_sparse_free_entries(&kept.row, &kept.column, &kept.value);
    rw_sparse_destroy(&m);
    free(most);
}

/* A grid of so many slices that those at its ends, whose rows have fewer neighbours, are filled up on GPUs. */
static void test_uniform_slices(void **state)
{
    static const struct {
        const char *layout;
        rw_dtype type;
        int k;
    } kinds[] = {
        {"bsell:2:f64", RW_F64, 1}, {"bsell:2:f32", RW_F64, 1}, {"bsell:2:f32:scaled", RW_F32, 1},
        {"sell:f64", RW_F64, 1},    {"bsell:2:f64", RW_F64, 4}, {"bsell:2:h64:c64", RW_C64, 1},
    };
    const bool own = !dev->target.tiling;
    (void)state;
    if (own) begin_tiling("gpu");
    for (int i = 0; i < (!strcmp(rw_device_info(dev)->kind, "opencl") ? 3 : RW_COUNT(kinds)); ++i) {
        rw_sparse_layout l;
        rw_sparse *m;
        OK(rw_sparse_layout_parse(ctx, kinds[i].layout, &l));
        entries e = grid_entries((uint64_t)i + 70, 70, 60, l.block_rows, l.block_columns, is_complex(l.values)),
                kept = e;
        OK(rw_sparse_from_entries(dev, &l, &e, &m));
        if (has_gpu_kernels())
            assert_true(m->ncolumn == 5. * (m->nfirst - 1) * m->layout.slice); /* as many positions in each slice */
        OK(rw_sparse_entries(m, &kept.n, &kept.row, &kept.column, &kept.value));
        assert_true(l.scaled || kept.n == e.n); /* what became 0 is missing */
        product(kinds[i].layout, m, &kept, RW_OP_NONE, kinds[i].type, kinds[i].k, (uint64_t)i + 95);
        if (i == 0) product(kinds[i].layout, m, &kept, RW_OP_TRANSPOSE, kinds[i].type, kinds[i].k, 94);
        rw_sparse_free_entries(&kept.row, &kept.column, &kept.value);
        rw_sparse_destroy(&m);
        free_entries(&e);
    }
    if (own) end_tiling();
}

/* The widest blocks of slices: kernels of GPUs keep within the shared memory that all of them have. */
static void test_wide_blocks(void **state)
{
    static const struct {
        const char *layout;
        rw_dtype type;
        int k;
    } kinds[] = {
        {"bsell:16:f32", RW_C128, 1}, {"bsell:13:c64", RW_C128, 1}, {"bsell:16:c64", RW_C64, 1},
        {"bsell:9:f32", RW_F32, 1},   {"bsell:16:f32", RW_F64, 13}, {"bsell:16:l2:f64", RW_F64, 1},
    };
    const bool quick = strcmp(rw_device_info(dev)->kind, "opencl"), own = !dev->target.tiling;
    (void)state;
    if (own) begin_tiling("gpu");
    for (int i = 0; i < (quick ? RW_COUNT(kinds) : 1); ++i) {
        rw_sparse_layout l;
        rw_sparse *m;
        OK(rw_sparse_layout_parse(ctx, kinds[i].layout, &l));
        entries e =
            random_entries((uint64_t)i + 80, 35, 37, l.block_rows, l.block_columns, is_complex(l.values), false, true);
        OK(rw_sparse_from_entries(dev, &l, &e, &m));
        product(kinds[i].layout, m, &e, RW_OP_NONE, kinds[i].type, kinds[i].k, (uint64_t)i + 90);
        rw_sparse_destroy(&m);
        free_entries(&e);
    }
    if (own) end_tiling();
}

static void by_rows(entries *e)
{
    const size_t parts = 1 + e->is_complex;
    rw_sorted s;
    entries t = {e->rows,
                 e->columns,
                 e->n,
                 e->is_complex,
                 malloc((size_t)e->n * 8 + 1),
                 malloc((size_t)e->n * 8 + 1),
                 malloc((size_t)e->n * 16 + 1)};
    OK(rw_entries_sort(ctx, e, &s));
    for (int64_t i = 0; i < e->rows; ++i)
        for (int64_t k = s.first[i]; k < s.first[i + 1]; ++k) {
            t.row[k] = i, t.column[k] = s.column[k];
            memcpy(t.value + parts * (size_t)k, e->value + parts * (size_t)s.entry[k], parts * sizeof *t.value);
        }
    rw_sorted_free(&s);
    free_entries(e);
    *e = t;
}

static void test_scaled(void **state)
{
    static const struct {
        const char *layout;
        rw_dtype type;
        rw_op op;
        int k;
    } kinds[] = {
        {"bsell:5x5", RW_F32, RW_OP_NONE, 1},
        {"bsell:5x5", RW_F64, RW_OP_NONE, 1},
        {"csr", RW_F32, RW_OP_NONE, 1},
        {"bcsr:5x5", RW_F32, RW_OP_NONE, 1},
        {"sell:s64", RW_F64, RW_OP_NONE, 1},
        {"bsell:5x5:h64", RW_F32, RW_OP_NONE, 1},
        {"bsell:5x5", RW_F32, RW_OP_TRANSPOSE, 1},
        {"bsell:5x5:s64", RW_F32, RW_OP_NONE, 3},
        {"coo", RW_F64, RW_OP_NONE, 1},
        {"dia", RW_F32, RW_OP_NONE, 1},
        {"vbcsr", RW_F32, RW_OP_NONE, 2},
        {"bell:5x5:l4", RW_F32, RW_OP_NONE, 1},
        {"bcsr:5x5:columns", RW_F64, RW_OP_TRANSPOSE, 3},
        {"bell:5x5", RW_F32, RW_OP_NONE, 1},
        {"ell", RW_F64, RW_OP_NONE, 2},
    };
    const bool fast = !strcmp(rw_device_info(dev)->kind, "cpu") || !strcmp(rw_device_info(dev)->kind, "cuda");
    (void)state;
    for (int z = 0; z < 2; ++z) {
        entries e[2] = {random_entries(60, 43, 43, 5, 5, z, true, false), grid_entries(61, 9, 11, 5, 5, z)};
        for (int g = 0; g < 2; ++g) {
            by_rows(&e[g]);
            for (int i = 0; i < (fast ? RW_COUNT(kinds) : z ? 2 : 5); ++i) {
                char text[60];
                if (!in_turn(i + g + z, 0)) continue;
                snprintf(text, sizeof text, "%s:%s:scaled", kinds[i].layout, z ? "c64" : "f32");
                scaled(text, &e[g], z ? is_single(kinds[i].type) ? RW_C64 : RW_C128 : kinds[i].type, kinds[i].op,
                       kinds[i].k);
            }
        }
        free_entries(&e[0]), free_entries(&e[1]);
    }
    rw_sparse_layout l;
    rw_sparse *m;
    FAILS(RW_ERR_ARGUMENT, "scaled values of f64: scaling to 16 bits is for values of f32 or c64 only",
          rw_sparse_layout_parse(ctx, "csr:scaled", &l));
    OK(rw_sparse_layout_parse(ctx, "csr:f32:scaled", &l));
    OK(rw_sparse_from_entries(dev, &l,
                              &(rw_entries){3, 3, 3, false, (int64_t[]){0, 0, 2}, (int64_t[]){1, 1, 2},
                                            (double[]){1, -3, 0}},
                              &m)); /* the same place twice; a row of zeros; one without entries */
    int64_t n, *row, *column;
    double *value;
    OK(rw_sparse_entries(m, &n, &row, &column, &value));
    assert_true(n == 2 && fabs(value[0] + 2) < 2 * 0x1p-16 * (1 + 0x1p-7) && value[1] == 0);
    rw_sparse_free_entries(&row, &column, &value);
    FAILS(RW_ERR_UNSUPPORTED, "blocks cannot be added to a matrix with scaled values, whose scale factors are fixed",
          rw_sparse_add_blocks(m, 1, (int64_t[]){0}, (int64_t[]){1}, (float[]){1}));
    rw_sparse_destroy(&m);
    /* complex blocks would be read as real ones */
    const rw_sparse_blocks one = {.rows = 1, .columns = 1, .first = (int64_t[]){0, 1}, .column = (int64_t[]){0}};
    const double values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    OK(rw_sparse_layout_parse(ctx, "bcsr:2x2", &l));
    OK(rw_sparse_create(dev, &l, &one, &m));
    FAILS(RW_ERR_ARGUMENT,
          "blocks of c128 for a matrix of layout bcsr:2x2:i32:f64, whose values are f64: create the matrix with "
          "layout bcsr:2x2:i32:c128",
          rw_sparse_add_blocks_of(m, RW_C128, 1, &(int64_t){0}, &(int64_t){0}, values));
    OK(rw_sparse_add_blocks_of(m, RW_F64, 1, &(int64_t){0}, &(int64_t){0}, values));
    rw_sparse_destroy(&m);
}

/* Coordinates: rows of 0 to 19 entries, so that a row ends at every place of an item and of a group, and items of whole
 * groups belong to one row. */
static void test_ends_of_rows(void **state)
{
    enum { ROWS = 300 };
    (void)state;
    entries e = {.rows = ROWS,
                 .columns = 40,
                 .row = malloc(ROWS * 40 * 8),
                 .column = malloc(ROWS * 40 * 8),
                 .value = malloc(ROWS * 40 * 8)};
    for (int64_t i = 0; i < ROWS; ++i)
        for (int64_t k = 0, count = i % 60 == 59 ? 40 : (int64_t)(20 * rw_random_uniform(71, (uint64_t)i)); k < count;
             ++k)
            e.row[e.n] = i, e.column[e.n] = (i + 2 * k) % 40 / 2 * 2 % 40 + (k >= 20),
            e.value[e.n] = rw_random_uniform(72, (uint64_t)e.n) - 0.5, ++e.n;
    rw_sparse_layout l;
    rw_sparse *m;
    OK(rw_sparse_layout_parse(ctx, "coo", &l));
    OK(rw_sparse_from_entries(dev, &l, &e, &m));
    assert_int_equal(matrix_size_of(m).blocks, e.n);
    for (int k = 1; k < 4; k += 2) product("ends of rows", m, &e, RW_OP_NONE, RW_F64, k, 7);
    rw_sparse_destroy(&m);
    free_entries(&e);
}

/* Rows longer than a group's shared memory, and rows through many pieces of COO. */
static void test_long_rows(void **state)
{
    static const char *const layouts[] = {"coo",      "csr",           "bcsr:2x2", "bcsr:4x4:columns",
                                          "sell:s64", "bsell:4x4:l50", "vbcsr"};
    const int64_t n = !strcmp(rw_device_info(dev)->kind, "check") ? 3000 : 20000;
    (void)state;
    entries e = {24, n, 0, false, malloc((size_t)n * 24 * 8), malloc((size_t)n * 24 * 8), malloc((size_t)n * 24 * 8)};
    for (int64_t i = 0; i < 24; ++i)
        for (int64_t j = 0; j < n; ++j)
            if (i == 5 || i == 6 || (i == 20 && j > 7) || (j * 31 + i) % 997 == 0)
                e.row[e.n] = i, e.column[e.n] = j, e.value[e.n] = rw_random_uniform(5, (uint64_t)e.n) - 0.5, ++e.n;
    for (int i = 0; i < RW_COUNT(layouts); ++i) {
        rw_sparse_layout l;
        rw_sparse *m;
        OK(rw_sparse_layout_parse(ctx, layouts[i], &l));
        OK(rw_sparse_from_entries(dev, &l, &e, &m));
        if (turn(i, 0, 3)) product(layouts[i], m, &e, RW_OP_NONE, RW_F64, 1, 7);
        if (turn(i, 1, 3)) product(layouts[i], m, &e, RW_OP_NONE, RW_C128, 2, 8);
        if (turn(i, 2, 3)) product(layouts[i], m, &e, RW_OP_TRANSPOSE, RW_F64, 1, 9);
        rw_sparse_destroy(&m);
    }
    free_entries(&e);
}

/* The sums that come with a product: conj(w) y and |y|^2. */
static void sums(const char *layout, const entries *e, rw_op op)
{
    rw_sparse_layout l;
    rw_sparse *m;
    rw_array *x = vectors(RW_C128, e->columns, 1, 1), *y = vectors(RW_C128, e->rows, 1, 2),
             *w = vectors(RW_C128, e->rows, 1, 3), *part, *again;
    const void *py, *pw, *pp;
    OK(rw_sparse_layout_parse(ctx, layout, &l));
    l.values = RW_C128;
    OK(rw_sparse_from_entries(dev, &l, e, &m));
    const int64_t groups = rw_sparse_groups(&m->op, op);
    OK(rw_array_create(dev, RW_F64, 1, (int64_t[]){3 * groups}, RW_MEMORY_DEVICE, &part));
    OK(rw_array_create(dev, RW_F64, 1, (int64_t[]){3 * groups}, RW_MEMORY_DEVICE, &again));
    OK(rw_array_zero(part, queue));
    OK(rw_array_zero(again, queue));
    rw_product p1 = {.op = op, .x = x, .z = y, .y = y, .w = w, .part = again, .vectors = 1, .alpha = {1, 0}};
    OK(rw_operator_run(&m->op, &p1, queue));
    p1.part = part;
    OK(rw_operator_run(&m->op, &p1, queue));
    same_bits(layout, part, again);
    OK(rw_array_read(y, &py));
    OK(rw_array_read(w, &pw));
    OK(rw_array_read(part, &pp));
    long double complex dot = 0, sum = 0;
    long double yy = 0, got = 0;
    for (int64_t k = 0; k < e->rows; ++k)
        dot += conjl(element(RW_C128, pw, k)) * element(RW_C128, py, k),
            yy += creall(element(RW_C128, py, k) * conjl(element(RW_C128, py, k)));
    const double *p = pp;
    for (int64_t g = 0; g < groups; ++g) sum += p[g] + p[groups + g] * I, got += p[2 * groups + g];
    assert_true(cabsl(sum - dot) < 1e-12L * sqrtl(yy) * 20);
    assert_true(fabsl(got - yy) < 1e-12L * yy);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&w), rw_array_destroy(&part), rw_array_destroy(&again);
    rw_sparse_destroy(&m);
}

static void test_sums(void **state)
{
    static const char *const layouts[] = {"coo",      "csr",      "vbcsr",    "dia",       "ell",      "ell:l5",
                                          "sell:s64", "bcsr:5x5", "bell:5x5", "bsell:5x5", "bsell:16", "bsell:16:l2"};
    (void)state;
    entries z = random_entries(99, 61, 61, 5, 5, true, true, false),
            wide = random_entries(98, 37, 37, 16, 16, true, true, false);
    for (int i = 0; i < RW_COUNT(layouts); ++i)
        for (int op = 0; op < 2; ++op) {
            if (!turn(i, op, 2)) continue;
            const entries *e = strstr(layouts[i], "16") ? &wide : &z;
            const bool tiled = e == &wide && !dev->target.tiling;
            if (tiled) begin_tiling("gpu");
            sums(layouts[i], e, (rw_op)op);
            if (tiled) end_tiling();
        }
    free_entries(&z), free_entries(&wide);
}

/* Rows of `most` entries anywhere, of none and of one; `longer` in two of them. */
static entries scattered_entries(uint64_t seed, int64_t rows, int64_t columns, int64_t most, int64_t longer,
                                 bool is_complex)
{
    const size_t room = (size_t)(rows * most + 2 * longer);
    entries e = {rows, columns, 0, is_complex, malloc(room * 8), malloc(room * 8), malloc(room * 16)};
    for (int64_t i = 0; i < rows; ++i) {
        const int64_t n = i == 3 || i == rows / 2 ? longer
                          : i % 50 == 7           ? i % 3 == 0
                                                  : most,
                      gap = columns / RW_MAX(n, 1);
        for (int64_t k = 0; k < n; ++k, ++e.n) {
            e.row[e.n] = i, e.column[e.n] = k * gap + (int64_t)(rw_random_u64(seed, (uint64_t)e.n) % (uint64_t)gap);
            for (int p = 0; p <= is_complex; ++p)
                e.value[(1 + is_complex) * e.n + p] =
                    (double)(float)(rw_random_uniform(seed + 1, (uint64_t)(2 * e.n + p)) - 0.5) + 0x1p-20;
        }
    }
    return e;
}

/* Parts of columns that rows are in. */
static int parts_of(const rw_sparse *m) { return (int)((m->nfirst - 1) / (double)m->block_rows); }

/* Columns in parts, on GPUs where x is larger than the cache: as if it were small. Not where rows have few entries, or
 * a band. */
static void test_parts(void **state)
{
    static const struct {
        const char *layout;
        rw_dtype type;
        int k;
        rw_op op;
    } kinds[] = {
        {"csr:f64", RW_F64, 1, RW_OP_NONE},      {"csr:f32:scaled", RW_F32, 1, RW_OP_NONE},
        {"csr:c64", RW_C64, 13, RW_OP_NONE},     {"csr:f64:i64", RW_C128, 3, RW_OP_NONE},
        {"csr:f64", RW_F64, 1, RW_OP_TRANSPOSE}, {"csr:f32", RW_F64, 1, RW_OP_NONE},
    };
    const int64_t columns = 60000;
    const bool quick = strcmp(rw_device_info(dev)->kind, "opencl"), own = !dev->target.tiling;
    (void)state;
    if (own) begin_tiling("gpu");
    const bool threads = has_gpu_kernels();
    const int64_t cache = dev->info.cache;
    for (int i = 0; i < (quick && !brief() ? RW_COUNT(kinds) : 2); ++i) {
        rw_sparse_layout l;
        rw_sparse *m;
        OK(rw_sparse_layout_parse(ctx, kinds[i].layout, &l));
        const int64_t x = columns * (int64_t)rw_dtype_size(l.values);
        entries e = scattered_entries((uint64_t)i + 60, 200, columns, 12, 5000, is_complex(l.values)), kept = e;
        dev->info.cache = x; /* 0.4 of it is the room: three parts */
        OK(rw_sparse_from_entries(dev, &l, &e, &m));
        assert_int_equal(parts_of(m), threads ? 3 : 1);
        OK(rw_sparse_entries(m, &kept.n, &kept.row, &kept.column, &kept.value));
        assert_true(l.scaled || kept.n == e.n);
        for (int64_t k = 0; !l.scaled && k < e.n; ++k)
            assert_true(kept.row[k] == e.row[k] && kept.column[k] == e.column[k] && kept.value[k] == e.value[k]);
        product(kinds[i].layout, m, &kept, kinds[i].op, kinds[i].type, kinds[i].k, (uint64_t)i + 65);
        rw_sparse_free_entries(&kept.row, &kept.column, &kept.value);
        rw_sparse_destroy(&m);
        free_entries(&e);
    }
    entries z = scattered_entries(67, 300, columns, 20, 4000, true),
            few = scattered_entries(68, 300, columns, 7, 8, false), band = grid_entries(69, 200, 100, 1, 1, false);
    dev->info.cache = columns * 16;
    sums("csr", &z, RW_OP_NONE);
    dev->info.cache = columns * 8;
    rw_sparse *m = matrix_of("csr", RW_F64, &few);
    assert_int_equal(parts_of(m), 1);
    rw_sparse_destroy(&m);
    dev->info.cache = 20000 * 8;
    m = matrix_of("csr", RW_F64, &band);
    assert_int_equal(parts_of(m), 1);
    rw_sparse_destroy(&m);
    dev->info.cache = cache;
    if (own) end_tiling();
    free_entries(&z), free_entries(&few), free_entries(&band);
}

/* Rows at places of their own, as triangular systems have them: half of the rows need the others; or each needs some of
 * those at places before its own. Each kind of value once. */
enum { ORDERED_ROWS = 300 };

static entries ordered_entries(uint64_t seed, int r, bool is_complex, bool triangle, int64_t *position)
{
    uint64_t count = 0;
    const int64_t n = ORDERED_ROWS;
    int64_t row[ORDERED_ROWS];
    for (int64_t i = 0; i < n; ++i) row[i] = i;
    for (int64_t i = n - 1; i > 0; --i) {
        const int64_t other = (int64_t)(uniform(seed, &count) * (double)(i + 1)), t = row[i];
        row[i] = row[other], row[other] = t;
    }
    entries e = {n * r,
                 n * r,
                 0,
                 is_complex,
                 malloc((size_t)(n * 7 * r * r) * 8),
                 malloc((size_t)(n * 7 * r * r) * 8),
                 malloc((size_t)(n * 7 * r * r) * 16)};
    for (int64_t i = 0; i < n; ++i) {
        const int64_t last = triangle    ? i
                             : i < n / 2 ? 0
                                         : n / 2,
                      some = (int64_t)(uniform(seed, &count) * 8),
                      want = RW_MIN(triangle ? some : RW_MAX(some, 1), last);
        position[row[i]] = i;
        for (int64_t k = 0; k < want; ++k) {
            const int64_t j = row[k * last / want + (int64_t)(uniform(seed, &count) * (double)(last / want))];
            for (int f = 0; f < r * r; ++f, ++e.n) {
                e.row[e.n] = row[i] * r + f / r, e.column[e.n] = j * r + f % r;
                for (int p = 0; p <= is_complex; ++p)
                    e.value[(1 + is_complex) * e.n + p] = (double)(float)((uniform(seed, &count) - 0.5) / (2 * r));
            }
        }
    }
    return e;
}

static int by_row_and_column(const void *a, const void *b)
{
    const int64_t *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

static rw_sparse *ordered_matrix(const entries *e, int r, rw_dtype values, const int64_t *position)
{
    const bool slices = has_gpu_kernels();
    const rw_sparse_layout l = {.format = slices  ? r > 1 ? RW_SPARSE_BSELL : RW_SPARSE_SELL
                                          : r > 1 ? RW_SPARSE_BCSR
                                                  : RW_SPARSE_CSR,
                                .values = values,
                                .block_rows = r,
                                .block_columns = r,
                                .slice = slices ? 32 : 0};
    const int64_t n = e->n / (r * r);
    int64_t(*place)[3] = malloc((size_t)(n + 1) * sizeof *place), first[ORDERED_ROWS + 1] = {0},
    *column = malloc((size_t)(n + 1) * 8);
    char *value = calloc((size_t)(r * r), rw_dtype_size(values));
    rw_sparse *m;
    for (int64_t k = 0; k < n; ++k)
        place[k][0] = e->row[k * r * r] / r, place[k][1] = e->column[k * r * r] / r, place[k][2] = k;
    qsort(place, (size_t)n, sizeof *place, by_row_and_column);
    for (int64_t k = 0; k < n; ++k) ++first[place[k][0] + 1], column[k] = place[k][1];
    for (int64_t i = 0; i < ORDERED_ROWS; ++i) first[i + 1] += first[i];
    OK(rw_sparse_create_ordered(dev, &l, &(rw_sparse_blocks){ORDERED_ROWS, ORDERED_ROWS, first, column, NULL, NULL},
                                position, &m));
    for (int64_t k = 0; k < n; ++k) {
        memset(value, 0, (size_t)(r * r) * rw_dtype_size(values));
        for (int f = 0; f < r * r; ++f) {
            const double *v = e->value + (1 + e->is_complex) * (place[k][2] * r * r + f);
            rw_value_add(values, value, f, v[0], e->is_complex ? v[1] : 0);
        }
        OK(rw_sparse_add_blocks(m, 1, &place[k][0], &place[k][1], value));
    }
    free(place), free(column), free(value);
    return m;
}

static void ordered(int r, rw_dtype values, rw_dtype type, bool triangle)
{
    int64_t position[ORDERED_ROWS], row[ORDERED_ROWS];
    const int64_t n = ORDERED_ROWS, all = n * r;
    const entries e = ordered_entries(50 + (uint64_t)r, r, is_complex(values), triangle, position);
    rw_sparse *m = ordered_matrix(&e, r, values, position);
    rw_array *y = vectors(type, all, 1, 51);
    const void *py;
    char what[80];
    long double complex *z = malloc((size_t)all * sizeof *z);
    snprintf(what, sizeof what, "ordered rows, blocks of %d, %s x %s, seed %d", r, rw_dtype_name(values),
             rw_dtype_name(type), 50 + r);
    product(what, m, &e, RW_OP_NONE, type, 1, 52);
    OK(rw_array_read(y, &py));
    for (int64_t k = 0; k < all; ++k) z[k] = element(type, py, k);
    for (int64_t i = 0; i < n; ++i) row[position[i]] = i;
    for (int64_t p = triangle ? 0 : n / 2; p < n; ++p) /* entries of a row lie together */
        for (int64_t k = 0; k < e.n; ++k)
            if (e.row[k] / r == row[p])
                z[e.row[k]] -= (e.is_complex ? e.value[2 * k] + e.value[2 * k + 1] * I : e.value[k]) * z[e.column[k]];
    if (triangle) OK(rw_product_in_order(m, y, queue));
    else OK(rw_product_range(m, y, n / 2, n, queue));
    OK(rw_array_read(y, &py));
    /* 300 rows of 7 blocks: errors of earlier rows come along, with factors below 1 */
    for (int64_t k = 0; k < all; ++k) {
        const double error = (double)cabsl(element(type, py, k) - z[k]),
                     allowed = 300 * (is_single(type) ? FLT_EPSILON : DBL_EPSILON);
        if (!(error <= allowed))
            fail_msg("%s, %s: row %lld differs by %.3g, %.3g allowed", what, triangle ? "in order" : "a range",
                     (long long)k, error, allowed);
    }
    free(z), free(e.row), free(e.column), free(e.value);
    rw_sparse_destroy(&m), rw_array_destroy(&y);
}

static void test_ordered(void **state)
{
    static const struct {
        int r;
        rw_dtype values, type;
    } kinds[] = {{1, RW_F64, RW_F64},  {5, RW_F64, RW_F64}, {5, RW_C128, RW_C128},
                 {1, RW_C64, RW_C128}, {3, RW_F32, RW_F64}, {2, RW_F64, RW_C128}};
    (void)state;
    for (int i = 0; i < RW_COUNT(kinds); ++i) {
        if (!turn(i, 0, 2)) continue;
        ordered(kinds[i].r, kinds[i].values, kinds[i].type, false);
        if (!has_gpu_kernels()) ordered(kinds[i].r, kinds[i].values, kinds[i].type, true);
    }
}

static void test_refused(void **state)
{
    rw_sparse_layout l;
    rw_sparse *m;
    (void)state;
    OK(rw_sparse_layout_parse(ctx, "csr:c128", &l));
    OK(rw_sparse_from_entries(dev, &l, &(rw_entries){3, 4, 1, true, (int64_t[]){2}, (int64_t[]){3}, (double[]){1, 1}},
                              &m));
    rw_array *x = vectors(RW_C128, 4, 1, 1), *y = vectors(RW_C128, 3, 1, 2), *real = vectors(RW_F64, 4, 1, 3),
             *real_y = vectors(RW_F64, 3, 1, 3), *two = vectors(RW_C128, 3, 2, 4);
    FAILS(RW_ERR_ARGUMENT, "x has 3 rows and 1 dimensions: it must be a vector of 4",
          rw_sparse_multiply(m, RW_OP_NONE, NULL, y, NULL, x, queue));
    FAILS(RW_ERR_ARGUMENT, "x has 4 rows and 1 dimensions: it must be a vector of 3",
          rw_sparse_multiply(m, RW_OP_TRANSPOSE, NULL, x, NULL, y, queue));
    FAILS(RW_ERR_ARGUMENT, "numbers and types must be equal",
          rw_sparse_multiply(m, RW_OP_NONE, NULL, x, NULL, two, queue));
    FAILS(RW_ERR_ARGUMENT, "numbers and types must be equal",
          rw_sparse_multiply(m, RW_OP_NONE, NULL, real, NULL, y, queue));
    FAILS(RW_ERR_ARGUMENT, "use complex vectors", rw_sparse_multiply(m, RW_OP_NONE, NULL, real, NULL, real_y, queue));
    FAILS(RW_ERR_ARGUMENT, "op = 3 is not one of", rw_sparse_multiply(m, (rw_op)3, NULL, x, NULL, y, queue));
    rw_sparse_destroy(&m);
    OK(rw_sparse_layout_parse(ctx, "csr", &l));
    OK(rw_sparse_from_entries(dev, &l, &(rw_entries){3, 3, 0, false, NULL, NULL, NULL}, &m));
    rw_array *other = vectors(RW_F64, 3, 1, 5);
    FAILS(RW_ERR_ARGUMENT, "must be real",
          rw_sparse_multiply(m, RW_OP_NONE, (double[]){0, 1}, real_y, NULL, other, queue));
    rw_array_destroy(&other);
    FAILS(RW_ERR_ARGUMENT, "the same array", rw_sparse_multiply(m, RW_OP_NONE, NULL, real_y, NULL, real_y, queue));
    rw_sparse_destroy(&m);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&real), rw_array_destroy(&real_y),
        rw_array_destroy(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scalar_formats), cmocka_unit_test(test_blocks),
                                       cmocka_unit_test(test_grids),          cmocka_unit_test(test_ends_of_rows),
                                       cmocka_unit_test(test_long_rows),      cmocka_unit_test(test_sums),
                                       cmocka_unit_test(test_ordered),        cmocka_unit_test(test_uniform_slices),
                                       cmocka_unit_test(test_parts),          cmocka_unit_test(test_wide_blocks),
                                       cmocka_unit_test(test_scaled),         cmocka_unit_test(test_refused)};
    return run_on_devices("multiply", tests, RW_COUNT(tests));
}
