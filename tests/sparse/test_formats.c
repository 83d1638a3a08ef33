/* Formats: the examples of the study's document number by number (A01 to A03), round trips between all layouts,
 * assembly block by block, transposes, files, estimates, what is refused, memory that runs out. */
/* TEST: devices=all unoptimised */
#include <unistd.h>

#include "../devices.h"
#include "../values.h"
#include "matrices.h"
#include "sparse/sparse.h"

static rw_sparse *make(const char *text, const entries *e)
{
    rw_sparse_layout l;
    rw_sparse *m;
    OK(rw_sparse_layout_parse(ctx, text, &l));
    if (e->is_complex && l.values == RW_F64) l.values = RW_C128;
    OK(rw_sparse_from_entries(dev, &l, e, &m));
    return m;
}

static void values_are(rw_sparse *m, const double *expected, int n)
{
    const void *p;
    OK(rw_array_read(m->value, &p));
    for (int i = 0; i < n; ++i)
        if (((const double *)p)[i] != expected[i])
            fail_msg("value %d is %g, not %g", i, ((const double *)p)[i], expected[i]);
}

/* Numbers as the document counts, from 1. */
static void indices_are(rw_array *a, int add, const int *expected, int n)
{
    const void *p;
    OK(rw_array_read(a, &p));
    for (int i = 0; i < n; ++i)
        if (((const int32_t *)p)[i] + add != expected[i])
            fail_msg("index %d is %d, not %d", i, ((const int32_t *)p)[i] + add, expected[i]);
}

static entries from_dense(int rows, int columns, const double *a)
{
    entries e = {rows, columns, 0, false, malloc(64 * 8), malloc(64 * 8), malloc(64 * 8)};
    for (int i = 0; i < rows * columns; ++i)
        if (a[i] != 0) e.row[e.n] = i / columns, e.column[e.n] = i % columns, e.value[e.n++] = a[i];
    return e;
}

static void test_document_examples(void **state)
{
    (void)state;
    entries m1 = from_dense(4, 6, (double[]){1, 0, 0, 2, 0, 0, 0, 3, 4, 5, 0, 0, 0, 0, 0, 0, 6, 7, 0, 0, 0, 0, 8, 9});
    const double nine[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    rw_sparse *m = make("coo", &m1);
    values_are(m, nine, 9);
    indices_are(m->column, 1, (int[]){1, 4, 2, 3, 4, 5, 6, 5, 6}, 9);
    indices_are(m->row, 1, (int[]){1, 1, 2, 2, 2, 3, 3, 4, 4}, 9);
    rw_sparse_destroy(&m);
    m = make("csr", &m1);
    values_are(m, nine, 9);
    indices_are(m->column, 1, (int[]){1, 4, 2, 3, 4, 5, 6, 5, 6}, 9);
    indices_are(m->first, 1, (int[]){1, 3, 6, 8, 10}, 5);
    rw_sparse_destroy(&m);
    m = make("bcsr:2", &m1);
    values_are(m, (double[]){1, 0, 0, 3, 0, 2, 4, 5, 6, 7, 8, 9}, 12);
    indices_are(m->column, 1, (int[]){1, 2, 3}, 3);
    indices_are(m->first, 1, (int[]){1, 3, 4}, 3);
    rw_sparse_destroy(&m);
    /* columns of blocks side by side; a slice has 32 block rows, so the two of the example begin each stretch */
    m = make("bell:2", &m1);
    const void *p;
    const int32_t *c;
    OK(rw_array_read(m->value, &p));
    for (int s = 0; s < 2; ++s)
        for (int column = 0; column < 2; ++column) {
            const double expected[2][2][4] = {{{1, 0, 6, 8}, {0, 3, 7, 9}}, {{0, 4, 0, 0}, {2, 5, 0, 0}}};
            for (int i = 0; i < 4; ++i)
                assert_true(((const double *)p)[(2 * s + column) * 64 + i] == expected[s][column][i]);
        }
    OK(rw_array_read(m->column, &p));
    c = p;
    assert_int_equal(c[0] + 1, 1), assert_int_equal(c[1] + 1, 3), assert_int_equal(c[32] + 1, 2);
    assert_true(c[33] >= 0 && c[33] < 3); /* the padding: 0 in the document, here an index that may be followed */
    rw_view v;
    OK(rw_sparse_look_pattern(m, &v));
    assert_int_equal(rw_view_count(&v, 1), 1);
    rw_sparse_destroy(&m);
    free_entries(&m1);

    entries band = from_dense(4, 4, (double[]){1, 2, 0, 0, 3, 4, 5, 0, 0, 6, 7, 8, 0, 0, 9, 10});
    m = make("dia", &band);
    indices_are(m->column, 0, (int[]){-1, 0, 1}, 3);
    values_are(m, (double[]){0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 0}, 12);
    rw_sparse_destroy(&m);
    free_entries(&band);

    entries a03 = from_dense(4, 4, (double[]){1, 0, 0, 2, 3, 4, 5, 0, 0, 6, 7, 0, 8, 0, 9, 10});
    m = make("ell:s100", &a03);
    indices_are(m->row, 1, (int[]){1, 3, 2, 4}, 4);
    OK(rw_array_read(m->value, &p));
    const void *q;
    OK(rw_array_read(m->column, &q));
    const double values[4][3] = {{1, 2, 0}, {6, 7, 0}, {3, 4, 5}, {8, 9, 10}};
    const int columns[4][3] = {{1, 4, 1}, {2, 3, 3}, {1, 2, 3}, {1, 3, 4}};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 3; ++j) {
            assert_true(((const double *)p)[32 * j + i] == values[i][j]);
            assert_int_equal(((const int32_t *)q)[32 * j + i] + 1, columns[i][j]);
        }
    rw_sparse_destroy(&m);
    free_entries(&a03);
}

/* The stored order of permuted blocks (A06): 1 … 25 by rows is kept as 1, 6, 11, 16, 21, 2, 7, … */
static void test_permuted_blocks(void **state)
{
    double by_rows[50];
    int64_t column[] = {0, 1}, first[] = {0, 2};
    rw_sparse_layout l;
    rw_sparse *m;
    const void *p;
    (void)state;
    for (int i = 0; i < 50; ++i) by_rows[i] = i + 1;
    OK(rw_sparse_layout_parse(ctx, "bcsr:5:columns", &l));
    OK(rw_sparse_create(dev, &l, &(rw_sparse_blocks){1, 2, first, column, NULL, NULL}, &m));
    OK(rw_sparse_add_blocks(m, 2, (int64_t[]){0, 0}, column, by_rows));
    OK(rw_array_read(m->value, &p));
    for (int b = 0; b < 2; ++b)
        for (int i = 0; i < 25; ++i) assert_true(((const double *)p)[25 * b + i] == 25 * b + 5 * (i % 5) + i / 5 + 1);
    rw_sparse_destroy(&m);
}

static void same_entries(const char *what, rw_sparse *a, rw_sparse *b)
{
    int64_t n[2], *row[2], *column[2];
    double *value[2];
    OK(rw_sparse_entries(a, &n[0], &row[0], &column[0], &value[0]));
    OK(rw_sparse_entries(b, &n[1], &row[1], &column[1], &value[1]));
    if (n[0] != n[1]) fail_msg("%s: %lld entries, not %lld", what, (long long)n[1], (long long)n[0]);
    if (memcmp(row[0], row[1], (size_t)n[0] * 8) || memcmp(column[0], column[1], (size_t)n[0] * 8))
        fail_msg("%s: other places", what);
    if (memcmp(value[0], value[1], (size_t)n[0] * (rw_dtype_is_complex(a->layout.values) ? 16 : 8)))
        fail_msg("%s: other values", what);
    for (int i = 0; i < 2; ++i) rw_sparse_free_entries(&row[i], &column[i], &value[i]);
}

/* The layouts that suit blocks of `block`, numbered. */
static bool layout_of(int number, int block, char text[64])
{
    const int scalars = RW_COUNT(scalar_layouts) - 1, blocks = RW_COUNT(block_layouts) - 1;
    if (number >= scalars + blocks) return false;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, 64, number < scalars ? scalar_layouts[number] : block_layouts[number - scalars], block, block);
#pragma GCC diagnostic pop
    return true;
}

/* COO -> any layout -> any other -> COO gives the same entries (A04). */
static void test_round_trips(void **state)
{
    const bool all = !strcmp(rw_device_info(dev)->kind, "cpu");
    (void)state;
    for (uint64_t seed = 1; seed <= (all ? 1000u : 60u); ++seed) {
        const int block = 1 + (int)(seed % 8), n = (int)(rw_random_u64(seed, 1) % 12),
                  m = (int)(rw_random_u64(seed, 2) % 12);
        const bool z = seed % 3 == 0;
        char first[64], second[64], what[200];
        entries e = seed % 5 ? random_entries(seed, n, m, block, block, z, seed % 2, seed % 4 == 1)
                             : grid_entries(seed, n + 1, m + 1, block, block, z);
        int kinds = 0;
        while (layout_of(kinds, block, first)) ++kinds;
        layout_of((int)(rw_random_u64(seed, 3) % (uint64_t)kinds), block, first);
        layout_of((int)(rw_random_u64(seed, 4) % (uint64_t)kinds), block, second);
        snprintf(what, sizeof what, "seed %llu, %s, %s, blocks of %d", (unsigned long long)seed, first, second, block);
        rw_sparse *start = make("coo", &e), *a = make(first, &e), *b, *end;
        rw_sparse_layout l;
        OK(rw_sparse_layout_parse(ctx, second, &l));
        l.values = start->layout.values;
        OK(rw_sparse_convert(a, dev, &l, &b));
        OK(rw_sparse_convert(b, dev, &start->layout, &end));
        same_entries(what, start, a);
        same_entries(what, start, b);
        same_entries(what, start, end);
        rw_sparse_destroy(&start), rw_sparse_destroy(&a), rw_sparse_destroy(&b), rw_sparse_destroy(&end);
        free_entries(&e);
    }
}

static void test_transposes_and_files(void **state)
{
    char path[] = "/tmp/rechenwerk-formats-XXXXXX";
    (void)state;
    close(mkstemp(path));
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        char text[64];
        layout_of((int)seed, 3, text);
        entries e = random_entries(seed, 9, 7, 3, 3, seed % 2, false, true);
        rw_sparse *m = make(text, &e), *t, *back, *read;
        OK(rw_sparse_transpose(m, true, &t));
        assert_int_equal(t->rows, m->columns);
        OK(rw_sparse_transpose(t, true, &back));
        same_entries(text, m, back);
        OK(rw_sparse_write(m, path));
        rw_sparse_layout l = m->layout;
        OK(rw_sparse_read(dev, &l, path, &read));
        same_entries(text, m, read);
        rw_sparse_destroy(&m), rw_sparse_destroy(&t), rw_sparse_destroy(&back), rw_sparse_destroy(&read);
        free_entries(&e);
    }
    unlink(path);
}

/* Blocks put where they stay, in any order and in parts, are the matrix of the same entries; no copy of the values is
 * made (A45). */
static void test_assembly(void **state)
{
    static const char *const layouts[] = {"bcsr:5",    "bcsr:5:columns", "bell:5",
                                          "bell:5:l4", "bsell:5",        "bsell:5:s64:h64"};
    const int n = 40;
    (void)state;
    entries e = grid_entries(3, n, n, 5, 5, false);
    int64_t *first = calloc((size_t)(n * n) + 1, 8), *column = calloc((size_t)e.n / 25, 8), blocks = 0;
    for (int64_t i = 0; i < n * n; ++i) {
        for (; blocks * 25 < e.n && e.row[blocks * 25] / 5 == i; ++blocks) column[blocks] = e.column[blocks * 25] / 5;
        first[i + 1] = blocks;
    }
    for (int k = 0; k < RW_COUNT(layouts); ++k) {
        rw_sparse *m, *reference = make("coo", &e);
        rw_sparse_layout l;
        rw_sparse_size size;
        const rw_sparse_blocks b = {n * n, n * n, first, column, NULL, NULL};
        OK(rw_sparse_layout_parse(ctx, layouts[k], &l));
        OK(rw_sparse_estimate(ctx, &l, &b, &size));
        const int64_t before = counters_of(dev).bytes_allocated;
        OK(rw_sparse_create(dev, &l, &b, &m));
        /* pieces of work of a GPU's rows, and slices that it makes equally long, are not known without a device; all
         * else is what was said */
        const int64_t bytes = counters_of(dev).bytes_allocated - before;
        if (bytes > size.bytes + size.bytes / 100 + 4096)
            fail_msg("%s: %lld bytes, said were %lld", layouts[k], (long long)bytes, (long long)size.bytes);
        assert_in_range(matrix_size_of(m).stored, size.stored, size.stored + size.stored / 100);
        assert_int_equal(size.blocks, blocks);
        for (int64_t at = 0; at < 2 * blocks; ++at) { /* twice the half, from the end */
            const int64_t block = blocks - 1 - at / 2;
            double half[25];
            for (int i = 0; i < 25; ++i) half[i] = e.value[25 * block + i] / 2;
            OK(rw_sparse_add_blocks(m, 1, (int64_t[]){e.row[25 * block] / 5}, &column[block], half));
        }
        same_entries(layouts[k], reference, m);
        OK(rw_sparse_zero(m));
        int64_t none, *r, *c;
        double *v;
        OK(rw_sparse_entries(m, &none, &r, &c, &v));
        assert_int_equal(none, 0);
        rw_sparse_free_entries(&r, &c, &v);
        FAILS(RW_ERR_ARGUMENT,
              "block 0 of 1, at (0, 1599), counted from 0, is not in the sparsity pattern of the matrix of 1600 x "
              "1600 blocks",
              rw_sparse_add_blocks(m, 1, (int64_t[]){0}, (int64_t[]){1599}, e.value));
        FAILS(RW_ERR_ARGUMENT, "at (1600, 0), counted from 0, is not in the sparsity pattern",
              rw_sparse_add_blocks(m, 1, (int64_t[]){1600}, (int64_t[]){0}, e.value));
        rw_sparse_destroy(&m), rw_sparse_destroy(&reference);
    }
    free(first), free(column);
    free_entries(&e);
}

static void test_layouts_as_text(void **state)
{
    static const struct {
        const char *given, *printed;
    } good[] = {
        {"csr", "csr:f64"},
        {"bcsr:5", "bcsr:5x5:f64"},
        {"bcsr:2x3:columns:c64:i64", "bcsr:2x3:columns:i64:c64"},
        {"sell", "sell:h32:f64"},
        {"bsell:5:s256:l4", "bsell:5x5:h32:s256:l4:f64"},
        {"ell:l20:f32", "ell:l20:f32"},
        {"bsell:5:scaled:f32", "bsell:5x5:h32:f32:scaled"},
        {"csr:c64:scaled", "csr:c64:scaled"},
    };
    static const struct {
        const char *given, *part;
    } bad[] = {
        {"", "format \"\": format = \"\" is empty"},
        {"bscr:5", "nearest is bcsr"},
        {"csr:5x5",
         "\"5x5\" is not an option of csr; options are index_bits=… or i… (integer: 32, 64), values=… (one of f32, "
         "f64, c64, c128), scaled"},
        {"bcsr:17", "outside [1, 16]"},
        {"bcsr:0", "outside [1, 16]"},
        {"bcsr:5y5", "block = 5y5 is not 1 to 2 integers such as 64x32"},
        {"sell:h33", "slices of 33 rows: the number must be a multiple of 32, at most 1048576"},
        {"csr:h32", "\"h32\" is not an option of csr"},
        {"dia:s9", "\"s9\" is not an option of dia"},
        {"csr:l4", "\"l4\" is not an option of csr"},
        {"csr:i16", "index_bits = 16 is none of 32, 64"},
        {"csr:f16", "\"f16\" is not an option of csr"},
        {"csr:c128:scaled", "scaled values of c128"},
        {"bell:5:columns", "\"columns\" is not an option of bell"},
        {"bcsr:99999999999999999999", "outside [1, 16]"},
    };
    rw_sparse_layout l;
    char text[80];
    (void)state;
    for (int i = 0; i < RW_COUNT(good); ++i) {
        OK(rw_sparse_layout_parse(ctx, good[i].given, &l));
        rw_sparse_layout_print(&l, text, sizeof text);
        assert_string_equal(text, good[i].printed);
        OK(rw_sparse_layout_parse(ctx, text, &l));
    }
    for (int i = 0; i < RW_COUNT(bad); ++i)
        FAILS(RW_ERR_ARGUMENT, bad[i].part, rw_sparse_layout_parse(ctx, bad[i].given, &l));
}

static void test_refused(void **state)
{
    rw_sparse *m;
    rw_sparse_layout csr, z, b5, ell;
    rw_sparse_size size;
    (void)state;
    OK(rw_sparse_layout_parse(ctx, "csr", &csr));
    OK(rw_sparse_layout_parse(ctx, "csr:c64", &z));
    OK(rw_sparse_layout_parse(ctx, "bcsr:5", &b5));
    OK(rw_sparse_layout_parse(ctx, "ell", &ell));
#define FROM(layout, rows, columns, r, c, v, complex)                                                                  \
    rw_sparse_from_entries(dev, layout,                                                                                \
                           &(rw_entries){rows, columns, 1, complex, (int64_t[]){r}, (int64_t[]){c}, (double[]){v, v}}, \
                           &m)
    rw_sparse_layout later = csr;
    later.reserved[3] = 1;
    FAILS(RW_ERR_ARGUMENT, "rw_sparse_layout.reserved is not 0", FROM(&later, 3, 3, 0, 0, 1, false));
    FAILS(RW_ERR_ARGUMENT, "entry 0 at (3, 0), counted from 0, is outside the matrix of 3 x 3",
          FROM(&csr, 3, 3, 3, 0, 1, false));
    FAILS(RW_ERR_ARGUMENT, "entry 0 at (0, -1), counted from 0, is outside", FROM(&csr, 3, 3, 0, -1, 1, false));
    FAILS(RW_ERR_ARGUMENT, "entry 0 at (0, 0), counted from 0: the value nan+0i is not finite",
          FROM(&csr, 3, 3, 0, 0, NAN, false));
    FAILS(RW_ERR_ARGUMENT, "is not finite", FROM(&z, 3, 3, 0, 0, INFINITY, true));
    FAILS(RW_ERR_ARGUMENT, "complex entries in a matrix with values of f64: use c64 or c128",
          FROM(&csr, 3, 3, 0, 0, 1, true));
    FAILS(RW_ERR_ARGUMENT, "3 x 10 cannot be divided into blocks of 5 x 5", FROM(&b5, 3, 10, 0, 0, 1, false));
    FAILS(RW_ERR_ARGUMENT, "negative", FROM(&csr, -3, 3, 0, 0, 1, false));
    const rw_sparse_blocks wrong[] = {
        {2, 2, (int64_t[]){0, 1, 0}, (int64_t[]){0, 1}, NULL, NULL},
        {2, 2, (int64_t[]){0, 1, 2}, (int64_t[]){0, 2}, NULL, NULL},
        {1, 3, (int64_t[]){0, 2}, (int64_t[]){1, 1}, NULL, NULL},
        {1, 3, (int64_t[]){1, 2}, (int64_t[]){1, 1}, NULL, NULL},
        {1, 1, (int64_t[]){0, 1}, (int64_t[]){0}, (int32_t[]){17}, NULL},
        {-1, 1, (int64_t[]){0}, NULL, NULL, NULL},
    };
    static const char *const parts[] = {"first[2] = 0 is less than the previous value, 1",
                                        "block row 1: column 2 is outside [0, 2); both are counted from 0",
                                        "column 1 follows 1, counted from 0: columns must ascend without duplicates",
                                        "it must be 0",
                                        "row_size and column_size are for vbcsr only: use vbcsr, or set both to NULL",
                                        "-1 x 1 blocks"};
    for (int i = 0; i < RW_COUNT(wrong); ++i)
        FAILS(RW_ERR_ARGUMENT, parts[i], rw_sparse_create(dev, &csr, &wrong[i], &m));
    FAILS(RW_ERR_ARGUMENT, "csr has no slices: use sell or bsell",
          rw_sparse_create(dev, &(rw_sparse_layout){.slice = 32}, &wrong[0], &m));
    FAILS(RW_ERR_ARGUMENT, "bsell: blocks of 2 x 0: rows and columns per block must be 1 to 16",
          rw_sparse_create(dev, &(rw_sparse_layout){.format = RW_SPARSE_BSELL, .block_rows = 2}, &wrong[0], &m));
    rw_sparse_layout variable = csr;
    variable.format = RW_SPARSE_VBCSR;
    FAILS(RW_ERR_ARGUMENT, "vbcsr: block row 0, counted from 0, has size 17: the size must be 1 to 16",
          rw_sparse_create(dev, &variable, &wrong[4], &m));

    /* one full row among 50,000: refused before memory is taken, with a better layout */
    const int64_t n = 50000;
    int64_t *first = calloc((size_t)n + 1, 8), *column = calloc((size_t)(2 * n), 8);
    for (int64_t i = 0; i < n; ++i) first[i + 1] = first[i] + (i ? 1 : n);
    for (int64_t k = 0; k < n; ++k) column[k] = k, column[n + k] = k;
    const rw_sparse_blocks arrow = {n, n, first, column, NULL, NULL};
    const int64_t before = counters_of(dev).bytes_allocated_peak;
    FAILS(RW_ERR_MEMORY, "4e+10 bytes: too much padding for this matrix. Use sell:h32:s1024:f64",
          rw_sparse_create(dev, &ell, &arrow, &m));
    FAILS(RW_ERR_MEMORY, "Use sell", rw_sparse_estimate(ctx, &ell, &arrow, &size));
    assert_int_equal(counters_of(dev).bytes_allocated_peak, before);
    ell.format = RW_SPARSE_DIA;
    FAILS(RW_ERR_MEMORY, "Use csr", rw_sparse_estimate(ctx, &ell, &arrow, &size));
    csr.index_bits = 32;
    OK(rw_sparse_estimate(ctx, &csr, &arrow, &size));
    assert_int_equal(size.blocks, 2 * n - 1);
    free(first), free(column);
}

/* Entries of one place are added. */
static void test_duplicates(void **state)
{
    rw_sparse *m;
    rw_sparse_layout l;
    const void *p;
    (void)state;
    OK(rw_sparse_layout_parse(ctx, "csr", &l));
    OK(rw_sparse_from_entries(dev, &l,
                              &(rw_entries){2, 2, 4, false, (int64_t[]){1, 0, 1, 1}, (int64_t[]){0, 1, 0, 1},
                                            (double[]){1, 2, 4, 8}},
                              &m));
    OK(rw_array_read(m->value, &p));
    assert_int_equal(m->stored, 3);
    assert_true(((const double *)p)[0] == 2 && ((const double *)p)[1] == 5 && ((const double *)p)[2] == 8);
    rw_sparse_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_document_examples),
                                       cmocka_unit_test(test_permuted_blocks),
                                       cmocka_unit_test(test_round_trips),
                                       cmocka_unit_test(test_assembly),
                                       cmocka_unit_test(test_transposes_and_files),
                                       cmocka_unit_test(test_layouts_as_text),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_duplicates)};
    return run_on_devices("formats", tests, RW_COUNT(tests));
}
