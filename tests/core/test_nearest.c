/* Edit distance against its definition by recursion, and what "did you mean" answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"

static void test_distances(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        int distance;
    } rows[] = {
        {"", "", 0},          {"a", "", 1},
        {"", "abc", 3},       {"cuda", "cuda", 0},
        {"cuda", "cdua", 1},  {"cuda", "cud", 1},
        {"cuda", "cudaa", 1}, {"cuda", "coda", 1},
        {"a", "A", 1},        {"industry", "interest", 6},
        {"ca", "abc", 3},     {"abcd", "badc", 2},
        {"flaw", "lawn", 2},  {"restart", "restrat", 1},
        {"aaab", "baaa", 2},  {"saturday", "sunday", 3},
    };
    for (int i = 0; i < RW_COUNT(rows); i++) {
        assert_int_equal(rw_edit_distance(rows[i].a, rows[i].b, false), rows[i].distance);
        assert_int_equal(rw_edit_distance(rows[i].b, rows[i].a, false), rows[i].distance);
    }
}

/* The definition, of the first i and j bytes. */
static int plain(const char *a, int i, const char *b, int j)
{
    if (i == 0 || j == 0) return i + j;
    int d = plain(a, i - 1, b, j - 1) + (a[i - 1] != b[j - 1]);
    d = RW_MIN(d, plain(a, i - 1, b, j) + 1);
    d = RW_MIN(d, plain(a, i, b, j - 1) + 1);
    if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d = RW_MIN(d, plain(a, i - 2, b, j - 2) + 1);
    return d;
}

static void test_against_the_definition(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 3000; k++) {
        char a[7] = "", b[7] = "";
        int na = (int)(rw_random_u64(1, 20 * k) % 7), nb = (int)(rw_random_u64(1, 20 * k + 1) % 7);
        for (int i = 0; i < na; i++) a[i] = "abc"[rw_random_u64(1, 20 * k + 2 + (uint64_t)i) % 3];
        for (int i = 0; i < nb; i++) b[i] = "abc"[rw_random_u64(1, 20 * k + 10 + (uint64_t)i) % 3];
        if (rw_edit_distance(a, b, false) != plain(a, na, b, nb)) fail_msg("distance of '%s' and '%s'", a, b);
    }
}

static void test_long_texts(void **state)
{
    (void)state;
    char a[1001], b[1001];
    memset(a, 'a', 1000);
    memset(b, 'b', 1000);
    a[1000] = b[1000] = '\0';
    assert_int_equal(rw_edit_distance(a, b, false), 1000); /* the bound, here exact */
    memset(b, 'a', 1000);
    b[500] = 'x';
    assert_int_equal(rw_edit_distance(a, b, false), 1); /* what is equal at both ends does not count */
    a[255] = b[255] = '\0';
    memset(a, 'x', 255);
    memset(b, 'y', 255);
    b[100] = 'x';
    assert_int_equal(rw_edit_distance(a, b, false), 254); /* the longest that is computed */
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const devices[] = {"cpu", "opencl:0", "cuda:0", "cuda:1", "check", "auto"};
    static const struct {
        const char *given, *nearest;
    } rows[] = {
        {"cpu", NULL},        {"gpu", "cuda:0"},    {"cdua:0", "cuda:0"},
        {"CUDA:1", "cuda:1"}, {"cuda:2", "cuda:0"}, {"opencl", "opencl:0"},
        {"ckeck", "check"},   {"metal", NULL},      {"", NULL},
        {"x", NULL},          {"atuo", "auto"},     {"OpenCL0", "opencl:0"},
        {"vulkan:0", NULL},
    };
    for (int i = 0; i < RW_COUNT(rows); i++) {
        const char *found = rw_nearest(rows[i].given, devices, RW_COUNT(devices));
        if (!rows[i].nearest != !found || (found && strcmp(found, rows[i].nearest) != 0))
            fail_msg("'%s' finds %s", rows[i].given, found ? found : "nothing");
    }
    assert_null(rw_nearest("cpu", NULL, 0));
    assert_string_equal(rw_nearest("rkc", (const char *const[]){"rk4", "rkc2", "rkl2"}, 3), "rkc2"); /* of equal distance */
    assert_string_equal(rw_nearest("rock", (const char *const[]){"rocc", "rock2", "rock4"}, 3), "rock2");
    static const char *const short_names[] = {"y", "z"};
    assert_null(rw_nearest("x", short_names, 2)); /* one change, but nothing in common */
    static const char *const words[] = {"ell", "idr", "bash", "solve", "markdown"}; /* short ones bear one change, five letters two */
    static const char *const far[] = {"hello", "dirk", "tcsh", "so", "markup", "mrkdwnn", "sell", "marker"};
    for (int i = 0; i < RW_COUNT(far); i++)
        if (rw_nearest(far[i], words, RW_COUNT(words))) fail_msg("'%s' finds %s", far[i], rw_nearest(far[i], words, RW_COUNT(words)));
    assert_string_equal(rw_nearest("zhs", (const char *const[]){"zsh"}, 1), "zsh");
    assert_string_equal(rw_nearest("slover", words, RW_COUNT(words)), "solve");
    assert_string_equal(rw_nearest("mrkdwn", words, RW_COUNT(words)), "markdown");
    static const char *const cases[] = {"DT", "dt"};
    assert_string_equal(rw_nearest("dx", cases, 2), "dt"); /* case decides between equals */
    assert_string_equal(rw_nearest("dt", cases, 2), "DT"); /* never the word itself */
}

/* Words of the field, of other languages, beginnings; and those that only look alike. */
static void test_words(void **state)
{
    (void)state;
    static const char *const words[] = {"and", "tan", "if", "laplace", "where", "log", "log10", "exp", "cos", "max", "mean", "end", "rtol", "gray-scott", "x", "u"};
    static const struct { const char *given, *nearest; } rows[] = {
        {"if", "where"}, {"rand", NULL}, {"nan", NULL}, {"lap", "laplace"}, {"laplacian", "laplace"}, {"Laplace", "laplace"},
        {"laplce", "laplace"}, {"gray-scot", "gray-scott"}, {"gray", "gray-scott"}, {"cosine", "cos"}, {"ln", "log"},
        {"maximum", "max"}, {"t_end", "end"}, {"reltol", "rtol"}, {"la", NULL}, {"expectation", NULL}, {"where", NULL},
        {"max", NULL}, {"", NULL}, {"v", NULL}, {"sand", NULL}, {"adn", "and"}, {"gradient", NULL},
    };
    for (int i = 0; i < RW_COUNT(rows); i++) {
        const char *found = rw_nearest(rows[i].given, words, RW_COUNT(words));
        if (!rows[i].nearest != !found || (found && strcmp(found, rows[i].nearest) != 0))
            fail_msg("'%s' finds %s", rows[i].given, found ? found : "nothing");
    }
    assert_non_null(strstr(rw_foreign_word("if"), "where"));
    assert_non_null(strstr(rw_foreign_word("rand"), ".npy"));
    assert_non_null(strstr(rw_foreign_word("NaN"), "finite"));
    assert_null(rw_foreign_word("u"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_against_the_definition),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
