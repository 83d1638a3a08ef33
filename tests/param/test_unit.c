/* Units: names, prefixes, powers, quotients; exact decimal conversions; what is not understood, with its place; random
 * texts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"
#include "param/unit.h"

static void test_conversions(void **state)
{
    (void)state;
    static const struct {
        const char *value, *from, *to;
        double wanted;
    } rows[] = {{"10", "W", "mW", 10000},
                {"808", "nm", "m", 808e-9},
                {"1064", "nm", "m", 1064e-9},
                {"20", "us", "s", 2e-5},
                {"20", "\xC2\xB5s", "s", 2e-5},
                {"20", "\xCE\xBCs", "s", 2e-5},
                {"0.5", "mm", "mm", 0.5},
                {"1", "cm", "mm", 10},
                {"1.39e20", "1/cm3", "1/mm3", 1.39e17},
                {"1.39e20", "cm^-3", "1/mm3", 1.39e17},
                {"2.5e-19", "cm2", "mm2", 2.5e-17},
                {"6.62607004e-34", "J s", "J s", 6.62607004e-34},
                {"6.62607004e-34", "W s2", "J s", 6.62607004e-34},
                {"299792458", "m/s", "mm/s", 299792458e3},
                {"3", "kW/cm2", "W/m2", 3e7},
                {"1", "1/(mm3 s)", "1/(m3*s)", 1e9},
                {"2", "GHz", "1/s", 2e9},
                {"1", "h", "s", 3600},
                {"1.5", "min", "s", 90},
                {"2", "kg m / s / s", "N", 2},
                {"1", "m/(s/(m))", "m2/s", 1},
                {"5", "V A", "W", 5},
                {"1", "eV", "J", 1.602176634e-19},
                {"1", "Pa m3", "J", 1},
                {"7", "C/s", "A", 7},
                {"3", "mol / (1/K)", "mol K", 3}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_unit from, to;
        const char *bad;
        int n;
        if (!rw_unit_parse(rows[i].from, &from, &bad, &n) || !rw_unit_parse(rows[i].to, &to, &bad, &n))
            fail_msg("row %d: %.*s", i, n, bad);
        if (!rw_unit_same(&from, &to)) fail_msg("%s is not of the kind of %s", rows[i].from, rows[i].to);
        const char *end;
        double value = rw_unit_read(rows[i].value, &end, &from, &to);
        if (*end ||
            (value != rows[i].wanted && !(strchr(rows[i].from, 'V') && fabs(value / rows[i].wanted - 1) < 1e-15)))
            fail_msg("%s %s = %.17g %s, expected %.17g", rows[i].value, rows[i].from, value, rows[i].to,
                     rows[i].wanted);
    }
    rw_unit a, b;
    const char *bad;
    int n;
    assert_true(rw_unit_parse("W", &a, &bad, &n) && rw_unit_parse("J", &b, &bad, &n));
    assert_false(rw_unit_same(&a, &b));
    static const char *const none[] = {"",        "W",
                                       "e5",      "1.2.3",
                                       "+-1",     "-",
                                       "1e99999", "111111111111111111111111111111111111111111111111111111111111111111"};
    for (int i = 0; i < RW_COUNT(none); ++i) {
        rw_unit_read(none[i], &bad, &a, &a);
        if (bad != none[i]) fail_msg("\"%s\" is a number", none[i]);
    }
    assert_true(rw_unit_read("-1.5E+3 W", &bad, &a, &a) == -1500 && *bad == ' ');
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *bad;
    } rows[] = {{"Watt", "Watt"}, {"mmm2", "mmm"},       {"m//s", "/"}, {"m/", ""},   {"(m", ""},  {"m)", ")"},
                {"2 m", "2"},     {"m^", "m"},           {"m^x", "m"},  {"1/0", "0"}, {"m%", "%"}, {"10", "1"},
                {"m/(s", ""},     {"((((((m))))))", "("}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_unit u;
        const char *bad = NULL;
        int n = 0;
        if (rw_unit_parse(rows[i].text, &u, &bad, &n)) fail_msg("%s is understood", rows[i].text);
        if (strncmp(bad, rows[i].bad, strlen(rows[i].bad)))
            fail_msg("%s: \"%.*s\" is wrong, expected \"%s\"", rows[i].text, n, bad, rows[i].bad);
    }
}

static void test_random_texts(void **state)
{
    (void)state;
    static const char letters[] = "m g s2W/ ()*^-1kJ\xC2\xB5";
    int understood = 0;
    for (uint64_t i = 0; i < 200000; ++i) {
        char text[13] = {0};
        rw_unit u;
        const char *bad;
        int n, length = (int)(rw_random_u64(1, 100 * i) % 12);
        for (int k = 0; k < length; ++k)
            text[k] = letters[rw_random_u64(1, 100 * i + (uint64_t)k + 1) % (sizeof letters - 1)];
        if (rw_unit_parse(text, &u, &bad, &n)) ++understood;
        else assert_true(bad >= text && bad <= text + length && n > 0);
    }
    assert_in_range(understood, 1000, 150000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_conversions), cmocka_unit_test(test_mistakes),
                                       cmocka_unit_test(test_random_texts)};
    return cmocka_run_group_tests_name("unit", tests, NULL, NULL);
}
