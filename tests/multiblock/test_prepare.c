/* Row starts with placeholders made ready for products: the same rows, columns and products; what is refused. */
/* TEST: devices=all unoptimised */
#include "generator_test.h"

/* y <- A x with rows as the solver keeps them: placeholders are skipped by a loop; and after preparation. Both add in
 * the same order. */
static void product_of_trace(const rw_sparse_blocks *t, const double *value, const double *x, double *y)
{
    for (int64_t i = 0; i < t->rows; ++i) {
        int64_t next = i + 1;
        while (t->first[next] < 0) ++next;
        for (int r = 0; r < 5; ++r) {
            double sum = 0;
            for (int64_t k = t->first[i]; k >= 0 && k < t->first[next]; ++k)
                for (int c = 0; c < 5; ++c) sum += value[25 * k + 5 * r + c] * x[5 * t->column[k] + c];
            y[5 * i + r] = sum;
        }
    }
}

static void product_of_stored(const rw_sparse_blocks *p, const int64_t *row, const double *value, const double *x,
                              double *y)
{
    for (int64_t i = 0; i < p->rows; ++i)
        for (int r = 0; r < 5; ++r) {
            double sum = 0;
            for (int64_t k = p->first[i]; k < p->first[i + 1]; ++k)
                for (int c = 0; c < 5; ++c) sum += value[25 * k + 5 * r + c] * x[5 * p->column[k] + c];
            y[5 * row[i] + r] = sum;
        }
}

static void test_preparation(void **state) /* A05 */
{
    (void)state;
    for (uint64_t seed = 1; seed <= (once() ? 48 : 8); ++seed) {
        rw_multiblock_spec s = spec_of(seed);
        rw_sparse_blocks trace, stored, expected;
        int64_t *row;
        char what[200];
        s.is_complex = false, s.omega = 0;
        print_spec(what, &s);
        OK(rw_multiblock_trace(ctx, &s, 0, seed % 2 ? RW_MULTIBLOCK_SENTINEL : RW_MULTIBLOCK_EMPTY, &trace));
        OK(rw_multiblock_pattern(ctx, &s, 0, RW_MULTIBLOCK_STORED, NULL, &expected));
        OK(rw_multiblock_prepare(ctx, &trace, &stored, &row));
        assert_int_equal(trace.rows, trace.columns);
        assert_int_equal(trace.first[0], seed % 2 ? -1 : 0);
        assert_int_equal(stored.rows, s.cells[0] * s.cells[1] * s.cells[2]);
        assert_int_equal(stored.columns, trace.rows);
        if (memcmp(stored.first, expected.first, (size_t)(stored.rows + 1) * 8) ||
            memcmp(stored.column, expected.column, (size_t)stored.first[stored.rows] * 8))
            fail_msg("%s: other rows", what);
        for (int64_t i = 0, at = 0; i < stored.rows; ++i) { /* the extended numbers of the cells, ascending */
            const int64_t nt = s.cells[1], nx = s.cells[0];
            assert_int_equal(row[i], rw_multiblock_cell(&s, i / nt % nx, i % nt, i / nt / nx));
            assert_true(i == 0 || row[i] > at);
            at = row[i];
        }
        /* values of the matrix, in the order of the blocks */
        rw_sparse *m = assemble(&s, 0, RW_MULTIBLOCK_EXTENDED, "bcsr:5"),
                  *n = assemble(&s, 0, RW_MULTIBLOCK_STORED, "bcsr:5");
        const void *value, *other;
        OK(rw_array_read(m->value, &value));
        OK(rw_array_read(n->value, &other));
        assert_memory_equal(value, other, (size_t)stored.first[stored.rows] * 200);
        rw_array *x = new_ramp(5 * trace.rows, -1, 0.37), *y = new_array(RW_F64, 5 * trace.rows, RW_MEMORY_DEVICE),
                 *z = new_array(RW_F64, 5 * stored.rows, RW_MEMORY_DEVICE);
        double *a = calloc((size_t)trace.rows, 40), *b = calloc((size_t)trace.rows, 40);
        product_of_trace(&trace, value, numbers_of(x), a), product_of_stored(&stored, row, value, numbers_of(x), b);
        assert_memory_equal(a, b, (size_t)trace.rows * 40);
        OK(rw_sparse_multiply(m, RW_OP_NONE, NULL, x, NULL, y, queue));
        OK(rw_sparse_multiply(n, RW_OP_NONE, NULL, x, NULL, z, queue));
        for (int64_t i = 0; i < 5 * stored.rows; ++i) { /* GPUs share rows out by their mean length */
            const double other_sum = numbers_of(z)[i],
                         difference = fabs(numbers_of(y)[5 * row[i / 5] + i % 5] - other_sum);
            assert_true(difference <= (rw_device_has_threads(dev) ? 1e-12 * (1 + fabs(other_sum)) : 0));
        }
        for (int64_t i = 0; i < 5 * trace.rows; ++i)
            assert_true(fabs(numbers_of(y)[i] - a[i]) <= 1e-10 && (a[i] != 0 || numbers_of(y)[i] == 0));
        free(a), free(b), free(row);
        rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&z), rw_sparse_destroy(&m), rw_sparse_destroy(&n);
        rw_multiblock_free(&trace), rw_multiblock_free(&stored), rw_multiblock_free(&expected);
    }
}

static void prepares(const char *part, int64_t rows, const int64_t *first, const int64_t *column)
{
    rw_sparse_blocks stored;
    int64_t *row;
    FAILS(RW_ERR_ARGUMENT, part,
          rw_multiblock_prepare(ctx, &(rw_sparse_blocks){.rows = rows, .columns = 4, .first = first, .column = column},
                                &stored, &row));
    assert_null(stored.first), assert_null(row);
}

static void test_malformed_rows(void **state)
{
    static const int64_t column[] = {0, 1, 2, 3, 1};
    rw_sparse_blocks stored;
    int64_t *row;
    (void)state;
    if (!once()) skip();
    /* both kinds of placeholders together; a matrix without rows */
    OK(rw_multiblock_prepare(ctx,
                             &(rw_sparse_blocks){.rows = 6,
                                                 .columns = 4,
                                                 .first = (int64_t[]){-1, 0, 2, 2, -1, -1, 5},
                                                 .column = (int64_t[]){0, 1, 0, 2, 3}},
                             &stored, &row));
    assert_true(stored.rows == 2 && stored.first[1] == 2 && stored.first[2] == 5 && row[0] == 1 && row[1] == 3);
    rw_multiblock_free(&stored), free(row);
    OK(rw_multiblock_prepare(ctx,
                             &(rw_sparse_blocks){.rows = 2,
                                                 .columns = 4,
                                                 .first = (int64_t[]){-1, -1, 0},
                                                 .column = column},
                             &stored, &row));
    assert_int_equal(stored.rows, 0);
    rw_multiblock_free(&stored), free(row);
    prepares("row start 3 of 4 is -1: the last row start must be the number of blocks", 3, (int64_t[]){0, 2, -1, -1},
             column);
    prepares("row start 1 is -2: placeholders are -1, or the next start", 3, (int64_t[]){0, -2, 2, 4}, column);
    prepares("row start 2 is 1: it is less than an earlier one", 3, (int64_t[]){0, 3, 1, 4}, column);
    prepares("row start 3 is 2: it is less than an earlier one", 3, (int64_t[]){0, 3, -1, 2}, column);
    prepares("row start 1 is 1: the first row start must be 0", 3, (int64_t[]){-1, 1, 2, 4}, column);
    prepares("row start 0 is 1: the first row start must be 0", 1, (int64_t[]){1, 4}, column);
    prepares("row 1: column 1 follows 3, counted from 0: columns must ascend without duplicates", 2,
             (int64_t[]){0, 3, 5}, column);
    prepares("row 0: column 4 is outside [0, 4); both are counted from 0", 1, (int64_t[]){0, 1}, (int64_t[]){4});
    prepares("row 0: column -1 is outside", 1, (int64_t[]){0, 1}, (int64_t[]){-1});
    prepares("-1 rows, 4 columns", -1, (int64_t[]){0, 1}, column);
    prepares("first or column is NULL", 1, NULL, column);
    FAILS(RW_ERR_ARGUMENT, "placeholder = 7 is not one of",
          rw_multiblock_trace(ctx, &(rw_multiblock_spec){.cells = {1, 1, 1}}, 0, (rw_multiblock_placeholder)7,
                              &stored));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_preparation), cmocka_unit_test(test_malformed_rows)};
    return run_on_devices("prepare", tests, RW_COUNT(tests));
}
