/* Products of one matrix in several layouts: on every device each is right and timed, refused ones are left out, and a
 * wrong product is told from a right one. */
/* TEST: optimised */
#include <time.h>

#include "../clock.h"
#include "../devices.h"
#include "../sparse/matrices.h"
#include "bench/bench.h"
#include "sparse/sparse.h"

static const rw_bench_options quick = {.quick = true, .rounds = 2};

static void test_all_layouts(void **state)
{
    (void)state;
    for (int z = 0; z < 2; ++z)
        for (int single = 0; single < 2; ++single) {
            entries e = grid_entries(3, 12, 9, 2, 2, z);
            const rw_entries g = {e.rows, e.columns, e.n, e.is_complex, e.row, e.column, e.value};
            const rw_dtype vectors = z ? single ? RW_C64 : RW_C128 : RW_F64; /* of f32 with vectors of f64 too */
            rw_sparse_choice choice;
            rw_bench_result *rows;
            OK(rw_sparse_choose(dev, &g, single ? RW_F32 : RW_F64, vectors, &choice));
            if (on("opencl") || on("check") || !test_long()) choice.n = brief() ? 2 : 4; /* compiling takes its time */
            OK(rw_bench_products(dev, &g, vectors, choice.candidate, choice.n, &quick, &rows));
            for (int i = 0; i < choice.n; ++i) {
                const rw_bench_result *r = rows + i;
                if (!(r->error <= 1)) fail_msg("%s: error %g", r->variant, r->error);
                assert_true(r->error > 0 && r->rounds == 2 && r->seconds > 0 && r->limit > 0 && r->share > 0 &&
                            r->bytes == choice.candidate[i].moved);
                assert_true(r->lower <= r->seconds && r->seconds <= r->upper);
                assert_true(0 < r->cold_lower && r->cold_lower <= r->cold && r->cold <= r->cold_upper);
            }
            assert_memory_equal(rows[0].variant, "csr:", 4);
            rw_bench_free(&rows);
            free_entries(&e);
        }
}

static void test_refused_layouts(void **state)
{
    const int64_t n = 50000;
    rw_entries e = {.rows = n,
                    .columns = n,
                    .n = 2 * n - 1,
                    .row = calloc((size_t)(2 * n), 8),
                    .column = calloc((size_t)(2 * n), 8),
                    .value = calloc((size_t)(2 * n), 8)};
    rw_sparse_candidate c[2];
    rw_bench_result *rows;
    (void)state;
    if (!on("cpu")) skip();
    for (int64_t k = 0; k < n; ++k) e.column[k] = k, e.value[k] = 1;
    for (int64_t k = 1; k < n; ++k) e.row[n + k - 1] = e.column[n + k - 1] = k, e.value[n + k - 1] = 2;
    OK(rw_sparse_layout_parse(ctx, "ell", &c[0].layout));
    OK(rw_sparse_layout_parse(ctx, "csr", &c[1].layout));
    OK(rw_sparse_predict(dev, &e, RW_F64, 2, c));
    OK(rw_bench_products(dev, &e, RW_F64, c, 2, &quick, &rows));
    assert_true(c[0].refused && rows[0].rounds == 0 && rows[0].seconds == 0 && rows[1].rounds == 2 &&
                rows[1].error <= 1);
    rw_bench_free(&rows);
    free(e.row), free(e.column), free(e.value);
}

/* A contestant that takes 0.3 ms after a copy, and 1 us in a loop, by a clock that only it moves. A copy shows in the
 * time that the processor has worked for this thread. */
static rw_status slow_after_a_copy(void *user, int round)
{
    static double last;
    struct timespec t;
    (void)user, (void)round;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    const double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    pass_time(now - last > 1e-4 ? 3e-4 : 1e-6);
    last = now;
    return RW_OK;
}

/* The cold call comes after a copy of 64 MB; the looped calls follow one another. */
static void test_warm_and_cold(void **state)
{
    const rw_bench_options options = {.quick = true, .rounds = 9};
    rw_bench_result row = {.name = "products", .bytes = 1};
    rw_contestant limit[2];
    double bytes[2];
    rw_bench b;
    (void)state;
    if (!on("cpu")) skip();
    OK(rw_bench_begin(&b, ctx, dev, &options));
    rw_limit_evict(&b);
    begin_clock();
    const rw_status status = rw_bench_warm_and_cold(&b, &(rw_contestant){"", slow_after_a_copy, NULL}, &row);
    end_clock();
    OK(status);
    for (int i = rw_limit_contestants(b.limit, limit, bytes) - 1; i >= 0; --i) assert_true(bytes[i] >= 64 << 20);
    if (!(fabs(row.cold - 3e-4) < 1e-9 && row.seconds < 1e-4))
        fail_msg("warm %g us, cold %g us", 1e6 * row.seconds, 1e6 * row.cold);
    assert_int_equal(row.rounds, 9);
    rw_bench_end(&b);
}

static void test_doubt(void **state)
{
    static const struct {
        double lower, upper, share;
        const char *why;
    } cases[] = {
        {0.9, 1.1, 0.8, ""},          {0.9, 1.1, 1.5, ""},           {0.9, 1.1, 1.6, "in the cache"},
        {0.8, 1.25, 0.8, "IQR 45 %"}, {0.5, 1.5, 2, "in the cache"}, {0.875, 1.25, 1.5, "IQR 38 %"},
    };
    char text[32];
    (void)state;
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        const rw_bench_result r = {.seconds = 1,
                                   .lower = cases[i].lower,
                                   .upper = cases[i].upper,
                                   .share = cases[i].share};
        assert_int_equal(rw_bench_doubt(&r, text, sizeof text), cases[i].why[0] != 0);
        assert_string_equal(text, cases[i].why);
        assert_int_equal(rw_bench_doubt(&r, NULL, 0), cases[i].why[0] != 0);
    }
}

/* A place that occurs twice: 1e8 + 1 is 1e8 in f32, so the matrix is another one than the reference takes it for. */
static void test_a_wrong_product_is_seen(void **state)
{
    int64_t row[] = {0, 0, 1}, column[] = {0, 0, 1};
    double value[] = {1e8, 1, 1};
    const rw_entries e = {2, 2, 3, false, row, column, value};
    rw_sparse_candidate c[2];
    rw_bench_result *rows;
    (void)state;
    if (on("opencl")) skip();
    OK(rw_sparse_layout_parse(ctx, "csr:f32", &c[0].layout));
    OK(rw_sparse_layout_parse(ctx, "csr:f64", &c[1].layout));
    OK(rw_sparse_predict(dev, &e, RW_F64, 2, c));
    OK(rw_bench_products(dev, &e, RW_F64, c, 2, &quick, &rows));
    assert_true(rows[0].error > 1 && rows[1].error <= 1);
    rw_bench_free(&rows);
    value[2] = INFINITY;
    FAILS(RW_ERR_ARGUMENT, "entry 2 at (1, 1), counted from 0: the value inf+0i is not finite",
          rw_bench_products(dev, &e, RW_F64, c, 2, &quick, &rows));
    assert_null(rows);
    value[2] = 1;
    const rw_bench_options wrong = {.rounds = -1};
    FAILS(RW_ERR_ARGUMENT, "rounds = -1", rw_bench_products(dev, &e, RW_F64, c, 2, &wrong, &rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_layouts), cmocka_unit_test(test_refused_layouts),
                                       cmocka_unit_test(test_warm_and_cold), cmocka_unit_test(test_doubt),
                                       cmocka_unit_test(test_a_wrong_product_is_seen)};
    return run_on_devices("products", tests, RW_COUNT(tests));
}
