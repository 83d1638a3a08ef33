/* The choice of a format: what is predicted is what matrices take, of random matrices and grids in every layout; the
 * least cost is chosen; matrices whose format is clear; padding that explodes; entries from files; what is refused. */
#include <unistd.h>

#include "../devices.h"
#include "../values.h"
#include "matrices.h"
#include "sparse/sparse.h"

static rw_entries given(const entries *e)
{
    return (rw_entries){e->rows, e->columns, e->n, e->is_complex, e->row, e->column, e->value};
}

static rw_sparse *make(const rw_sparse_layout *l, const rw_entries *e)
{
    rw_sparse *m;
    OK(rw_sparse_from_entries(dev, l, e, &m));
    return m;
}

/* The matrix is made, and takes what was said. */
static void is_as_predicted(const char *what, const rw_sparse_candidate *c, const rw_entries *e, rw_dtype vectors)
{
    char layout[80];
    rw_sparse *m = make(&c->layout, e);
    const rw_sparse_size s = matrix_size_of(m);
    const double both = (double)(e->rows + e->columns) * (double)rw_dtype_size(vectors);
    rw_sparse_layout_print(&c->layout, layout, sizeof layout);
    if (s.bytes != c->size.bytes || s.stored != c->size.stored || s.rows != c->size.rows ||
        s.columns != c->size.columns || s.blocks != c->size.blocks)
        fail_msg("%s, %s: %lld bytes, %lld places; predicted %lld, %lld", what, layout, (long long)s.bytes,
                 (long long)s.stored, (long long)c->size.bytes, (long long)c->size.stored);
    /* values, an index a block or 8 bytes a position of 32 of them, and the vectors at least; everything and a vector
     * twice at most */
    const double least = (double)s.stored * (double)rw_dtype_size(c->layout.values) + both,
                 most = (double)s.bytes + both + 2 * (double)e->rows * (double)rw_dtype_size(vectors);
    if (c->moved < least || c->moved > most)
        fail_msg("%s, %s: %g bytes moved, not within %g … %g", what, layout, c->moved, least, most);
    if (e->n && c->fill != (double)s.stored / (double)e->n) fail_msg("%s, %s: fill %g", what, layout, c->fill);
    rw_sparse_destroy(&m);
}

static void test_predictions(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (on("check") ? 20 : 100); ++seed) {
        const int block = 1 + (int)(seed % 6);
        const bool z = seed % 3 == 0;
        char what[80];
        entries e = seed % 4 ? random_entries(seed, 1 + (int64_t)(rw_random_u64(seed, 1) % 40),
                                              1 + (int64_t)(rw_random_u64(seed, 2) % 40), block, block, z, seed % 2,
                                              seed % 5 == 1)
                             : grid_entries(seed, 9, 7, block, block, z);
        const rw_entries g = given(&e);
        const rw_dtype values = seed % 2 ? RW_F32 : RW_F64;
        rw_sparse_choice choice;
        snprintf(what, sizeof what, "seed %llu, %lld x %lld in blocks of %d", (unsigned long long)seed,
                 (long long)e.rows, (long long)e.columns, block);
        OK(rw_sparse_choose(dev, &g, values, RW_F64, &choice));
        assert_in_range(choice.n, 7, RW_SPARSE_CANDIDATES);
        assert_in_range(choice.best, 0, choice.n - 1);
        assert_true(choice.reason[0] && choice.candidate[0].layout.format == RW_SPARSE_CSR);
        for (int i = 0; i < choice.n; ++i) {
            const rw_sparse_candidate *c = choice.candidate + i;
            assert_false(c->refused);
            assert_int_equal(c->layout.values, z ? values == RW_F32 ? RW_C64 : RW_C128 : values);
            assert_true(c->fill <= 2 || c->layout.block_rows == 1 || c->layout.format != RW_SPARSE_BCSR);
            assert_true(c->cost >= c->moved && c->cost >= 0.98 * choice.candidate[choice.best].cost);
            is_as_predicted(what, c, &g, z ? RW_C128 : RW_F64);
        }
        free_entries(&e);
    }
}

/* Layouts that are given, in any order. */
static void test_given_layouts(void **state)
{
    static const char *const layouts[] = {"vbcsr",     "csr:i64", "bcsr:2x3:columns", "bsell:2x3:h64:s128",
                                          "bell:4:l2", "sell:l5", "dia:f32",          "bcsr:2x3"};
    rw_sparse_candidate c[RW_COUNT(layouts)];
    entries e = random_entries(4, 8, 12, 4, 3, false, false, true);
    e.columns = 36, e.rows = 32;
    const rw_entries g = given(&e);
    (void)state;
    for (int i = 0; i < RW_COUNT(layouts); ++i) OK(rw_sparse_layout_parse(ctx, layouts[i], &c[i].layout));
    OK(rw_sparse_predict(dev, &g, RW_F64, RW_COUNT(layouts), c));
    for (int i = 0; i < RW_COUNT(layouts); ++i) is_as_predicted(layouts[i], c + i, &g, RW_F64);
    assert_true(c[2].size.bytes == c[7].size.bytes && c[2].cost == c[7].cost);
    free_entries(&e);
}

static rw_entries banded(int64_t n, const int *offset, int noffsets, bool full_first)
{
    rw_entries e = {.rows = n,
                    .columns = n,
                    .row = malloc((size_t)(n * (noffsets + 1)) * 8),
                    .column = malloc((size_t)(n * (noffsets + 1)) * 8),
                    .value = calloc((size_t)(n * (noffsets + 1)), 8)};
    for (int64_t i = 0; i < n; ++i)
        for (int k = 0; k < noffsets; ++k) {
            const int64_t j = i + offset[k];
            if (j < 0 || j >= n || (full_first && i == 0)) continue;
            e.row[e.n] = i, e.column[e.n] = j, e.value[e.n++] = 1;
        }
    for (int64_t j = 0; full_first && j < n; ++j) e.row[e.n] = 0, e.column[e.n] = j, e.value[e.n++] = 1;
    return e;
}

/* Matrices on which the formats differ much more than devices do. */
static void test_clear_cases(void **state)
{
    rw_sparse_choice choice;
    (void)state;
    rw_entries e = banded(3000, (int[]){-1, 0, 1}, 3, false);
    OK(rw_sparse_choose(dev, &e, RW_F64, RW_F64, &choice));
    const rw_sparse_format f = choice.candidate[choice.best].layout.format;
    assert_true(f == RW_SPARSE_DIA || f == RW_SPARSE_ELL || f == RW_SPARSE_SELL);
    assert_true(choice.candidate[choice.best].cost < 0.9 * choice.candidate[0].cost);
    free(e.row), free(e.column), free(e.value);

    entries blocks = grid_entries(3, 30, 30, 5, 5, false);
    rw_entries g = given(&blocks);
    OK(rw_sparse_choose(dev, &g, RW_F64, RW_F64, &choice));
    assert_int_equal(choice.candidate[choice.best].layout.block_rows, 5);
    assert_true(choice.candidate[choice.best].cost < 0.8 * choice.candidate[0].cost);
    free_entries(&blocks);

    /* one full row among 50,000: no layout that pads, and none is made */
    e = banded(50000, (int[]){0}, 1, true);
    const int64_t before = counters_of(dev).bytes_allocated_peak;
    OK(rw_sparse_choose(dev, &e, RW_F64, RW_F64, &choice));
    assert_int_equal(counters_of(dev).bytes_allocated_peak, before);
    for (int i = 0; i < choice.n; ++i) {
        const rw_sparse_format kind = choice.candidate[i].layout.format;
        const bool pads = kind == RW_SPARSE_DIA || kind == RW_SPARSE_ELL || kind == RW_SPARSE_BELL;
        if (choice.candidate[i].refused != pads)
            fail_msg("candidate %d, format %d: refused %d", i, (int)kind, choice.candidate[i].refused);
    }
    assert_false(choice.candidate[choice.best].refused);
    assert_true(choice.candidate[choice.best].fill <= 2); /* blocks of two of the diagonal */
    free(e.row), free(e.column), free(e.value);
}

static void test_entries_from_files(void **state)
{
    char path[] = "/tmp/rechenwerk-choose-XXXXXX";
    static const char text[] = "%%MatrixMarket matrix coordinate complex hermitian\n3 3 3\n1 1 2 0\n2 1 3 4\n3 2 1 1\n",
                      dense[] = "%%MatrixMarket matrix array real general\n2 2\n0\n3\n4\n0\n";
    rw_entries e;
    (void)state;
    close(mkstemp(path));
    OK(rw_file_write(ctx, path, text, strlen(text)));
    OK(rw_entries_read(ctx, path, RW_DUPLICATES_REFUSE, &e));
    assert_true(e.rows == 3 && e.columns == 3 && e.n == 5 && e.is_complex && e.row[1] == 0 && e.column[1] == 1 &&
                e.value[2] == 3 && e.value[3] == -4);
    rw_entries_free(&e);
    assert_true(!e.row && !e.n);
    OK(rw_file_write(ctx, path, dense, strlen(dense)));
    OK(rw_entries_read(ctx, path, RW_DUPLICATES_REFUSE, &e));
    assert_true(e.n == 2 && e.row[0] == 1 && e.column[0] == 0 && e.value[1] == 4); /* those that are not 0 */
    rw_entries_free(&e);
    OK(rw_file_write(ctx, path, text, strlen(text) - 8));
    FAILS(RW_ERR_INPUT, "it is truncated", rw_entries_read(ctx, path, RW_DUPLICATES_REFUSE, &e));
    assert_null(e.row);
    unlink(path);
    FAILS(RW_ERR_FILE, "cannot open", rw_entries_read(ctx, path, RW_DUPLICATES_REFUSE, &e));
}

#define MM "%%MatrixMarket matrix coordinate "

/* Entries given twice, three times, out of order and in half of a symmetric matrix: refused with both lines, or
 * added. */
static void test_duplicates(void **state)
{
    char path[] = "/tmp/rechenwerk-choose-XXXXXX";
    static const struct {
        const char *text, *refused;
        int64_t n;
        double sums[5];
    } cases[] = {{MM "real general\n% comment\n3 3 5\n2 1 1\n1 1 3\n2 1 0.5\n2 2 7\n2 1 -4\n",
                  ":6: entry (2, 1) is given twice, first in line 4",
                  3,
                  {3, -2.5, 7}},
                 {MM "real symmetric\n2 2 4\n1 1 1\n2 1 2\n2 1 3\n1 1 1\n",
                  ":6: entry (1, 1) is given twice, first in line 3",
                  3,
                  {2, 5, 5}},
                 {MM "complex hermitian\n2 2 3\n2 1 1 2\n2 2 4 0\n2 1 3 4\n",
                  ":5: entry (2, 1) is given twice, first in line 3",
                  3,
                  {4, 4, 4}},
                 {MM "pattern general\n3 3 6\n2 1\n2 1\n2 1\n1 2\n1 2\n1 1\n",
                  ":7: entry (1, 2) is given twice, first in line 6",
                  3,
                  {1, 1, 1}},
                 {MM "integer general\n1 1 3\n1 1 2\n1 1 3\n1 1 4\n", NULL, 1, {9}}};
    rw_entries e;
    (void)state;
    close(mkstemp(path));
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        OK(rw_file_write(ctx, path, cases[i].text, strlen(cases[i].text)));
        if (cases[i].refused)
            FAILS(RW_ERR_INPUT, cases[i].refused, rw_entries_read(ctx, path, RW_DUPLICATES_REFUSE, &e));
        OK(rw_entries_read(ctx, path, RW_DUPLICATES_SUM, &e));
        if (e.n != cases[i].n) fail_msg("case %d: %d entries", i, (int)e.n);
        for (int64_t k = 0; k < e.n; ++k)
            if (e.value[(1 + e.is_complex) * k] != cases[i].sums[k])
                fail_msg("case %d: entry %d is %g", i, (int)k, e.value[(1 + e.is_complex) * k]);
        if (i == 2) assert_true(e.value[1] == -6 && e.value[3] == 6 && e.row[0] == 0 && e.column[0] == 1);
        rw_entries_free(&e);
    }
    static const char large[] = MM "real general\n1 1 2\n1 1 1e308\n1 1 1e308\n";
    OK(rw_file_write(ctx, path, large, strlen(large)));
    FAILS(RW_ERR_INPUT, ":4: entry (1, 1): the sum of its values is not finite",
          rw_entries_read(ctx, path, RW_DUPLICATES_SUM, &e));
    FAILS(RW_ERR_ARGUMENT, "duplicates = 2", rw_entries_read(ctx, path, (rw_duplicates)2, &e));
    unlink(path);
}

static void test_refused(void **state)
{
    rw_sparse_choice choice;
    rw_sparse_candidate c = {
        .layout = {.format = RW_SPARSE_BCSR, .values = RW_F64, .block_rows = 5, .block_columns = 5}};
    int64_t zero[] = {0}, three[] = {3}, less[] = {-1};
    double one[] = {1, 1};
    const rw_entries good = {3, 3, 1, false, zero, zero, one}, beyond = {3, 3, 1, false, three, zero, one},
                     before = {3, 3, 1, false, zero, less, one}, negative = {-3, 3, 0, false, zero, zero, one},
                     z = {3, 3, 1, true, zero, zero, one};
    (void)state;
    FAILS(RW_ERR_ARGUMENT, "entry 0 at (3, 0), counted from 0, is outside the matrix of 3 x 3",
          rw_sparse_choose(dev, &beyond, RW_F64, RW_F64, &choice));
    FAILS(RW_ERR_ARGUMENT, "entry 0 at (0, -1), counted from 0, is outside",
          rw_sparse_choose(dev, &before, RW_F64, RW_F64, &choice));
    FAILS(RW_ERR_ARGUMENT, "negative", rw_sparse_choose(dev, &negative, RW_F64, RW_F64, &choice));
    FAILS(RW_ERR_ARGUMENT, "values of i32 and vectors of f64", rw_sparse_choose(dev, &good, RW_I32, RW_F64, &choice));
    FAILS(RW_ERR_ARGUMENT, "values of f64 and vectors of u8", rw_sparse_choose(dev, &good, RW_F64, RW_U8, &choice));
    FAILS(RW_ERR_ARGUMENT, "3 x 3 cannot be divided into blocks of 5 x 5",
          rw_sparse_predict(dev, &good, RW_F64, 1, &c));
    FAILS(RW_ERR_ARGUMENT, "vectors of i64", rw_sparse_predict(dev, &good, RW_I64, 1, &c));
    c.layout.block_rows = c.layout.block_columns = 3;
    FAILS(RW_ERR_ARGUMENT, "complex entries in a matrix with values of f64",
          rw_sparse_predict(dev, &z, RW_C128, 1, &c));
    OK(rw_sparse_predict(dev, &good, RW_F64, 1, &c));
    OK(rw_sparse_choose(dev, &z, RW_F64, RW_F64, &choice));
    assert_int_equal(choice.candidate[choice.best].layout.values, RW_C128);
    const rw_entries none = {0, 0, 0, false, NULL, NULL, NULL};
    OK(rw_sparse_choose(dev, &none, RW_F64, RW_F64, &choice));
    assert_in_range(choice.best, 0, choice.n - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_predictions), cmocka_unit_test(test_given_layouts),
                                       cmocka_unit_test(test_clear_cases), cmocka_unit_test(test_entries_from_files),
                                       cmocka_unit_test(test_duplicates),  cmocka_unit_test(test_refused)};
    return run_on_devices("choose", tests, RW_COUNT(tests));
}
