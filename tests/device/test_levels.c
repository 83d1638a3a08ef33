/* Levels of optimisation: a program with many statements for each loop runs before it is optimised, is optimised after
 * it has worked, and computes the same bits. */
/* TEST: optimised */
#include "program_test.h"

#include <math.h>

/* Some milliseconds of a chaotic map, v = x v (1 - v): two ways of rounding differ after a hundred steps. One loop,
 * five statements, and as many empty ones as the test asks for. */
static rw_program *start_work(const char *value, int empty)
{
    const rw_define defines[] = {{"GROUP", "8"}, {"VALUE", value}};
    char text[1024], more[512] = "";
    rw_program *p;
    memset(more, ';', (size_t)empty);
    snprintf(text, sizeof text,
             "KERNEL(k, GLOBAL f64 *y, f64 x)\n{\n    EACH(i, 8) {\n        f64 v = VALUE + (f64)i / 100;\n%s\n"
             "        for (int j = 0; j < 200000; ++j) v = x * v - x * v * v;\n        y[i] = v;\n    }\n}\n",
             more);
    OK(rw_program_create(dev, "work", text, defines, 2, &p));
    return p;
}
static rw_program *start_long(const char *value) { return start_work(value, 195); }

static void launch(rw_program *p, rw_array *y)
{
    rw_kernel *k;
    OK(rw_program_kernel(p, "k", &k));
    OK(rw_launch(queue, k, one, (const rw_arg[]){rw_arg_array(y), rw_arg_real(3.9)}, 2));
}

static void launch_until_optimised(rw_program *p, rw_array *y)
{
    const double end = rw_seconds() + 300;
    do launch(p, y);
    while (rw_program_is_quick(p) && rw_seconds() < end);
    assert_false(rw_program_is_quick(p));
}

static void begin_levels(const char *optimise)
{
    if (!dev->ops->quick_suffix) skip();
    if (optimise) setenv("RECHENWERK_OPTIMISE", optimise, 1);
    else unsetenv("RECHENWERK_OPTIMISE");
    rw_context_set_cache(ctx, false, NULL, false);
}

static void end_levels(void)
{
    unsetenv("RECHENWERK_OPTIMISE");
    rw_context_set_cache(ctx, true, NULL, false);
    ctx->optimise_first = false;
}

static void test_same_bits(void **state)
{
    (void)state;
    begin_levels(NULL);
    rw_array *y = zeros(RW_F64, 8);
    double quick[8];
    const int64_t compiled = counters().compilations;
    rw_program *p = start_long("0.1");
    assert_true(rw_program_is_quick(p));
    launch(p, y);
    memcpy(quick, numbers_of(y), sizeof quick);
    launch_until_optimised(p, y);
    launch(p, y);
    assert_memory_equal(quick, numbers_of(y), sizeof quick);
    assert_true(quick[0] != quick[7] && isfinite(quick[7]));
    assert_int_equal(counters().compilations, compiled + 1); /* one program */
    assert_int_equal(dev->in_background, 0);
    rw_program_destroy(&p);
    rw_array_destroy(&y);
    end_levels();
}

static void test_settings(void **state)
{
    (void)state;
    rw_array *y;
    begin_levels("first");
    rw_program *p = start_long("0.2");
    assert_false(rw_program_is_quick(p));
    rw_program_destroy(&p);
    begin_levels("never");
    y = zeros(RW_F64, 8);
    p = start_long("0.2");
    while (p->worked < 0.2) launch(p, y);
    assert_true(rw_program_is_quick(p) && !p->optimised);
    rw_program_destroy(&p);
    begin_levels(NULL);
    p = start_long("0.2");
    ctx->optimise_first = true; /* the quick one is not shared then */
    rw_program *other = start_long("0.2");
    assert_true(rw_program_is_quick(p) && other != p && !rw_program_is_quick(other));
    rw_program_destroy(&other);
    rw_program_destroy(&p);
    rw_array_destroy(&y);
    end_levels();
}

/* A program with fewer statements is optimised from the start, unless nothing is. */
static void test_short_text(void **state)
{
    (void)state;
    begin_levels(NULL);
    rw_program *p = start_work("0.6", 194);
    assert_false(rw_program_is_quick(p));
    rw_program_destroy(&p);
    begin_levels("never");
    p = start_work("0.6", 194);
    assert_true(rw_program_is_quick(p));
    rw_program_destroy(&p);
    end_levels();
}

static void test_statements(void **state)
{
    (void)state;
    char text[4096] = "", loop[] = "for (int j = 0; j < 4; ++j) k += j;\n";
    assert_false(rw_text_is_written_out(text));
    memset(text, ';', 199);
    assert_false(rw_text_is_written_out(text));
    text[199] = ';';
    assert_true(rw_text_is_written_out(text));
    for (int i = 0; i < 2; ++i) strcat(text, loop); /* 206 statements, 3 are 64 a loop and one outside */
    assert_true(rw_text_is_written_out(text));
    strcat(text, loop);
    assert_false(rw_text_is_written_out(text)); /* 209 of 256 */
}

/* Destroyed while its compiler runs, and with a compiler that fails at the second level. */
static void test_ends(void **state)
{
    (void)state;
    begin_levels(NULL);
    rw_array *y = zeros(RW_F64, 8);
    rw_program *p = start_long("0.3");
    assert_true(rw_program_is_quick(p));
    while (!p->improving) launch(p, y);
    rw_program_destroy(&p);
    assert_int_equal(dev->in_background, 0);

    char path[512];
    make_folder();
    write_script("cc",
                 "#!/bin/sh\ncase \" $* \" in *' -O0 '*) exec cc \"$@\" ;; esac\necho no such level >&2\nexit 1\n",
                 path);
    const char *before = getenv("RECHENWERK_CC");
    char *own = before ? strdup(before) : NULL;
    setenv("RECHENWERK_CC", path, 1);
    p = start_long("0.4");
    const double end = rw_seconds() + 300;
    while (p->improving < 2 && rw_seconds() < end) launch(p, y);
    assert_int_equal(p->improving, 2);
    launch(p, y);
    assert_true(rw_program_is_quick(p));
    rw_program_destroy(&p);
    if (own) setenv("RECHENWERK_CC", own, 1);
    else unsetenv("RECHENWERK_CC");
    free(own);
    remove_folder();
    rw_array_destroy(&y);
    end_levels();
}

/* What has been optimised is found in the cache; what has only been quick, too. */
static void test_cache(void **state)
{
    (void)state;
    begin_levels(NULL);
    make_folder();
    rw_context_set_cache(ctx, true, folder, false);
    rw_array *y = zeros(RW_F64, 8);
    rw_program *p = start_long("0.5");
    assert_true(rw_program_is_quick(p));
    rw_program_destroy(&p);
    const int64_t compiled = counters().compilations;
    p = start_long("0.5");
    assert_true(rw_program_is_quick(p));
    assert_int_equal(counters().compilations, compiled);
    launch_until_optimised(p, y);
    rw_program_destroy(&p);
    p = start_long("0.5");
    assert_false(rw_program_is_quick(p));
    rw_program_destroy(&p);
    rw_array_destroy(&y);
    remove_folder();
    end_levels();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits),  cmocka_unit_test(test_settings),
                                              cmocka_unit_test(test_statements), cmocka_unit_test(test_short_text),
                                              cmocka_unit_test(test_ends),       cmocka_unit_test(test_cache)};
    return run_on_devices("levels", tests, RW_COUNT(tests));
}
