/* "nearest is …" against the definition of the edit distance by recursion, and what words find. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"

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

/* Of five random names the answer is one of the smallest distance; none where that is more than a slip. */
static void test_against_the_definition(void **state)
{
    (void)state;
    enum { NAMES = 5, TAIL = 5 };
    int found = 0, none = 0;
    for (uint64_t k = 0; k < 3000; k++) {
        char text[1 + NAMES][12];
        const char *names[NAMES];
        int least = 100, answer = 100;
        for (int t = 0; t <= NAMES; t++) {
            const uint64_t at = 100 * k + 10 * (uint64_t)t;
            const int n = (int)(rw_random_u64(1, at) % 7);
            for (int i = 0; i < n; i++) text[t][i] = "abc"[rw_random_u64(1, at + 1 + (uint64_t)i) % 3];
            strcpy(text[t] + n, "sssss"); /* so that none begins with another */
            if (t) names[t - 1] = text[t];
        }
        const char *nearest = rw_nearest(text[0], names, NAMES);
        for (int t = 1; t <= NAMES; t++) {
            const int na = (int)strlen(text[0]), nb = (int)strlen(text[t]),
                      d = plain(text[0], na - TAIL, text[t], nb - TAIL);
            if (d && d <= 1 + (na + nb) / 10) least = RW_MIN(least, d);
            if (text[t] == nearest) answer = d;
        }
        if (answer != least)
            fail_msg("'%s' finds '%s' at %d, least %d", text[0], nearest ? nearest : "", answer, least);
        found += nearest != NULL, none += nearest == NULL;
    }
    assert_true(found > 1000 && none > 10);
}

static const char *nearest_of_one(const char *given, const char *name) { return rw_nearest(given, &name, 1); }

static void test_long_texts(void **state)
{
    (void)state;
    char a[1001], b[1001];
    memset(a, 'a', 1000);
    memset(b, 'b', 1000);
    a[1000] = b[1000] = '\0';
    assert_null(nearest_of_one(a, b));
    memset(b, 'a', 1000);
    b[500] = 'x';
    assert_ptr_equal(nearest_of_one(a, b), b); /* what is equal at both ends does not count */
    a[255] = b[255] = '\0';
    memset(a, 'x', 255);
    memset(b, 'y', 255);
    assert_null(nearest_of_one(a, b)); /* the longest whose distance is computed */
    memset(b + 20, 'x', 215);
    assert_ptr_equal(nearest_of_one(a, b), b); /* 40 changes of at most 52 */
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
    /* of equal distance */
    assert_string_equal(rw_nearest("rkc", (const char *const[]){"rk4", "rkc2", "rkl2"}, 3), "rkc2");
    assert_string_equal(rw_nearest("rock", (const char *const[]){"rocc", "rock2", "rock4"}, 3), "rock2");
    static const char *const short_names[] = {"y", "z"};
    assert_null(rw_nearest("x", short_names, 2)); /* one change, but nothing in common */
    /* short ones bear one change, five letters two */
    static const char *const words[] = {"ell", "idr", "bash", "solve", "markdown"};
    static const char *const far[] = {"hello", "dirk", "tcsh", "so", "markup", "mrkdwnn", "sell", "marker"};
    for (int i = 0; i < RW_COUNT(far); i++)
        if (rw_nearest(far[i], words, RW_COUNT(words)))
            fail_msg("'%s' finds %s", far[i], rw_nearest(far[i], words, RW_COUNT(words)));
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
    static const char *const words[] = {"and", "tan", "if",   "laplace", "where", "log",        "log10", "exp",
                                        "cos", "max", "mean", "end",     "rtol",  "gray-scott", "x",     "u"};
    static const struct {
        const char *given, *nearest;
    } rows[] = {
        {"if", "where"},
        {"rand", NULL},
        {"nan", NULL},
        {"lap", "laplace"},
        {"laplacian", "laplace"},
        {"Laplace", "laplace"},
        {"laplce", "laplace"},
        {"gray-scot", "gray-scott"},
        {"gray", "gray-scott"},
        {"cosine", "cos"},
        {"ln", "log"},
        {"maximum", "max"},
        {"t_end", "end"},
        {"reltol", "rtol"},
        {"la", NULL},
        {"expectation", NULL},
        {"where", NULL},
        {"max", NULL},
        {"", NULL},
        {"v", NULL},
        {"sand", NULL},
        {"adn", "and"},
        {"gradient", NULL},
    };
    for (int i = 0; i < RW_COUNT(rows); i++) {
        const char *found = rw_nearest(rows[i].given, words, RW_COUNT(words));
        if (!rows[i].nearest != !found || (found && strcmp(found, rows[i].nearest) != 0))
            fail_msg("'%s' finds %s", rows[i].given, found ? found : "nothing");
    }
    assert_non_null(strstr(rw_foreign_word("if"), "where"));
    assert_non_null(strstr(rw_foreign_word("rand"), "noise(seed)"));
    assert_non_null(strstr(rw_foreign_word("NaN"), "finite"));
    assert_null(rw_foreign_word("u"));
}

static void test_foreign_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text, *better;
        int length;
    } rows[] = {{"0x10", "16", 4},    {"-0x1F;", "-31", 5},
                {"0b101 ", "5", 5},   {"0o17", "15", 4},
                {"1d3", "1e3", 3},    {"1.5D-3*u", "1.5e-3", 6},
                {"1_000", "1000", 5}, {"+1_0.5d+2", "+10.5e+2", 9},
                {"1'000", "1000", 5}, {"1.5f", "1.5", 4},
                {"10", "", 0},        {"1e3", "", 0},
                {"2*d", "", 0},       {"2d", "", 0},
                {"0xg", "", 0},       {"x_1", "", 0},
                {"1_", "", 0},        {"0x1Fg", "", 0},
                {"", "", 0},          {"1.5fg", "", 0}};
    for (int i = 0; i < RW_COUNT(rows); i++) {
        char better[64];
        assert_int_equal(rw_foreign_number(rows[i].text, better), rows[i].length);
        if (rows[i].length) assert_string_equal(better, rows[i].better);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_the_definition),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_foreign_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
