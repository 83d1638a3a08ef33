/* Statistics against values by hand, who is called how often in turns and samples, tables byte by byte, functions of a
 * library. */
#include <dlfcn.h>

#include "../devices.h"
#include "measure/measure.h"

static void test_statistics(void **state)
{
    double even[] = {4, 1, 3, 2}, odd[] = {5, -1, 2}, one[] = {7}, with_infinity[] = {INFINITY, 1, 2};
    (void)state;
    assert_true(rw_median(even, 4) == 2.5 && even[0] == 1 && even[3] == 4); /* sorted */
    assert_true(rw_quantile(even, 4, 0.25) == 1.75 && rw_quantile(even, 4, 0.75) == 3.25);
    assert_true(rw_quantile(even, 4, 0) == 1 && rw_quantile(even, 4, 1) == 4);
    assert_true(rw_median(odd, 3) == 2 && rw_median(one, 1) == 7 && rw_quantile(one, 1, 0.25) == 7);
    assert_true(rw_median(with_infinity, 3) == 2);
    assert_true(rw_worse(1, 2) == 2 && rw_worse(2, 1) == 2 && isinf(rw_worse(1, NAN)) && isinf(rw_worse(INFINITY, 0)));
}

/* ---- turns and samples ------------------------------------------------------------------------------------------- */

typedef struct counted {
    int calls, prepared, last;
    rw_status fails;
} counted;

static rw_status count(void *user, int round)
{
    counted *c = user;
    ++c->calls;
    c->last = round;
    return c->fails;
}

static rw_status prepare(void *user, int round)
{
    counted *c = user;
    ++c->prepared;
    c->last = round;
    return RW_OK;
}

/* Without a warm-up time: one turn each, then the rounds; on a GPU each is called twice a round, the cold one once. */
static void test_turns(void **state)
{
    const bool gpu = rw_device_info(dev)->gpu;
    counted a = {0}, cold = {0};
    rw_turns t = {.queue = rw_device_queue(dev),
                  .n = 2,
                  .rounds = 5,
                  .who = {{"a", count, &a}, {"cold", count, &cold}},
                  .cold = 1};
    (void)state;
    OK(rw_turns_take(&t));
    assert_int_equal(a.calls, 1 + 5 * (gpu ? 2 : 1));
    assert_int_equal(cold.calls, 1 + 5);
    assert_int_equal(a.last, 4);
    for (int r = 0; r < 5; ++r) assert_true(rw_turns_of(&t, 0)[r] > 0 && rw_turns_of(&t, 1)[r] > 0);
    rw_turns_free(&t);
    a.fails = RW_ERR_LAUNCH;
    assert_int_equal(rw_turns_take(&t), RW_ERR_LAUNCH);
    rw_turns_free(&t);
}

static void test_samples(void **state)
{
    counted c = {0};
    double median = -1;
    rw_loop loop = {&(const rw_contestant){"c", count, &c}, 3};
    (void)state;
    OK(rw_loop_run(&loop, 6));
    assert_true(c.calls == 3 && c.last == 6);
    OK(rw_loop_choose(&loop, NULL, 0));
    assert_int_equal(loop.n, 1);
    c = (counted){0};
    rw_sampling s = {.what = {"c", count, &c}, .prepare = prepare, .runs = 4, .seconds = INFINITY};
    OK(rw_sample(&s, &median));
    assert_true(c.calls == 3 + 4 && c.prepared == c.calls); /* three warm-ups; each call is prepared */
    assert_true(median >= 0);
    c = (counted){0};
    s.seconds = -1;
    OK(rw_sample(&s, &median));
    assert_int_equal(c.calls, 1); /* at least one sample, at most what there is time for */
    c.fails = RW_ERR_MEMORY;
    assert_int_equal(rw_sample(&s, &median), RW_ERR_MEMORY);
}

static void test_random_data(void **state)
{
    const int64_t n = 100;
    const void *data;
    rw_array *a;
    (void)state;
    OK(rw_array_create(dev, RW_C64, 1, &n, RW_MEMORY_DEVICE, &a));
    OK(rw_random_fill(a, 9, -0.5));
    OK(rw_array_read(a, &data));
    for (int i = 0; i < 2 * n; ++i)
        assert_true(((const float *)data)[i] == (float)(-0.5 + rw_random_uniform(9, (uint64_t)i)));
    rw_array_destroy(&a);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Two lines of head in text, the second empty; columns: left, right, right. */
static void cell(const void *user, bool markdown, int line, int column, char text[RW_CELL])
{
    static const char *const rows[2][3] = {{"dot", "1.5 ms", ""}, {"a long name", "2 s", "x"}};
    (void)user;
    if (line < 0) snprintf(text, RW_CELL, "%s", markdown ? "head" : line == -1 ? "" : column ? "time" : "name");
    else snprintf(text, RW_CELL, "%s", rows[line][column]);
}

static void test_tables(void **state)
{
    const rw_table table = {.ncolumns = 3, .nrows = 2, .nheads = 2, .left = 1, .rule = "---", .cell = cell};
    rw_text text = {0};
    (void)state;
    rw_table_add(&text, &table, false);
    assert_string_equal(text.data, "name           time  time\n"
                                   "dot          1.5 ms\n"
                                   "a long name     2 s     x\n");
    rw_text_free(&text);
    rw_table_add(&text, &table, true);
    assert_string_equal(text.data, "| head | head | head |\n| --- | --- | --- |\n"
                                   "| dot | 1.5 ms |  |\n| a long name | 2 s | x |\n");
    rw_text_free(&text);
}

/* ---- libraries --------------------------------------------------------------------------------------------------- */

static void test_functions_of_a_library(void **state)
{
    double (*sine)(double) = NULL, (*none)(double) = NULL;
    (void)state;
    void *library = dlopen("libm.so.6", RTLD_NOW);
    if (!library) skip();
    const rw_library_function functions[] = {{"in", &sine}, {"o such function", &none}};
    assert_true(rw_library_functions(library, "s", functions, 1));
    assert_true(sine(0.5) == sin(0.5));
    assert_false(rw_library_functions(library, "s", functions, 2));
    assert_null(none);
    dlclose(library);
    assert_null(rw_library_open("no-such-library", "RECHENWERK_NO_SUCH_LIBRARY"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_statistics),
                                       cmocka_unit_test(test_turns),
                                       cmocka_unit_test(test_samples),
                                       cmocka_unit_test(test_random_data),
                                       cmocka_unit_test(test_tables),
                                       cmocka_unit_test(test_functions_of_a_library)};
    return run_on_devices("measure", tests, RW_COUNT(tests));
}
