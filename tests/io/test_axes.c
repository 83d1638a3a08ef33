/* Axes: ticks are round, inside, evenly spaced, as many as fit, and their labels say their value. */
#include "io_test.h"

#include <locale.h>
#include <math.h>

#include "io/axes.h"

/* The number a label shows: "−2.5", "10⁻³", "5×10⁻⁴". */
static double label_value(const char *label)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[64] = "";
    double sign = 1;
    if (strncmp(label, "−", strlen("−")) == 0) sign = -1, label += strlen("−");
    const char *ten = strstr(label, "10");
    const char *times = strstr(label, "×");
    bool power = times || (ten == label && ten[2] != '\0' && (unsigned char)ten[2] >= 0x80);
    if (!power) return sign * strtod(label, NULL);
    double factor = times ? strtod(label, NULL) : 1;
    const char *c = times ? times + strlen("×") + 2 : label + 2;
    while (*c) {
        if (strncmp(c, "⁻", strlen("⁻")) == 0) {
            strcat(plain, "-");
            c += strlen("⁻");
            continue;
        }
        int digit = 0;
        while (digit < 10 && strncmp(c, raised[digit], strlen(raised[digit])) != 0) digit++;
        if (digit == 10) return NAN;
        size_t n = strlen(plain);
        plain[n] = (char)('0' + digit), plain[n + 1] = '\0';
        c += strlen(raised[digit]);
    }
    return sign * factor * pow(10, atoi(plain));
}

static void check_labels(const rw_axis *a)
{
    double factor = a->factor[0] ? label_value(a->factor + strlen("×")) : 1;
    double span = a->log ? 0 : a->max - a->min;
    for (int i = 0; i < a->n; i++) {
        double shown = label_value(a->label[i]) * factor;
        double slack = (span > 0 ? 1e-6 * span : 0) + (span > 0 ? 1e-15 : 1e-9) * fabs(a->tick[i]);
        if (!(fabs(shown - a->tick[i]) <= slack))
            fail_msg("[%g, %g]: '%s' %s for %.17g", a->min, a->max, a->label[i], a->factor, a->tick[i]);
        if (a->tick[i] == 0) assert_true(label_value(a->label[i]) == 0 && a->label[i][0] == '0');
    }
}

static void test_linear(void **state)
{
    (void)state;
    const uint64_t seed = 5;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint64_t k = 0; k < 20000; k++) {
        double numbers[2];
        rw_axis a;
        fill_random(numbers, 2, seed + k);
        if (k % 3 == 0) numbers[1] = numbers[0] * (1 + 1e-6 * rw_random_uniform(seed, k)); /* narrow */
        rw_axis_limits(&a, numbers[0], numbers[1], false);
        assert_true(a.min < a.max);
        double length = 60 + 900 * rw_random_uniform(seed + 1, k), size = 12 + 10 * rw_random_uniform(seed + 2, k);
        rw_axis_side side = (rw_axis_side)(k % 3);
        rw_axis_place(&a, 100, 100 + length, size, side);
        assert_in_range(a.n, 1, 12);
        double span = a.max - a.min;
        for (int i = 0; i < a.n; i++) {
            assert_true(a.tick[i] >= a.min - 1e-5 * span && a.tick[i] <= a.max + 1e-5 * span);
            double at = rw_axis_pixel(&a, a.tick[i]);
            assert_true(at > 100 - 0.1 && at < 100 + length + 0.1);
        }
        if (a.n > 2) { /* one step, and it is 1, 2 or 5 times a power of ten */
            double step = (a.tick[a.n - 1] - a.tick[0]) / (a.n - 1), digit = step / pow(10, floor(log10(step) + 1e-6));
            assert_true(fabs(digit - 1) < 1e-4 || fabs(digit - 2) < 1e-4 || fabs(digit - 5) < 1e-4);
            for (int i = 1; i < a.n; i++)
                assert_true(fabs(a.tick[i] - a.tick[i - 1] - step) < 1e-6 * fmax(step, fabs(a.tick[i])));
        }
        check_labels(&a);
        for (int i = 1; i < a.n; i++) { /* neighbours do not touch */
            double apart = fabs(rw_axis_pixel(&a, a.tick[i]) - rw_axis_pixel(&a, a.tick[i - 1]));
            double need = side == RW_AXIS_BELOW
                              ? (rw_font_width(a.label[i], size) + rw_font_width(a.label[i - 1], size)) / 2
                              : size;
            assert_true(apart > need);
        }
    }
}

/* Where the labels are long, fewer are taken, but more than one. */
static void test_long_labels(void **state)
{
    (void)state;
    for (int digits = 0; digits < 10; digits++) {
        rw_axis a;
        rw_axis_limits(&a, 3, 3 + pow(10, -digits), false);
        rw_axis_place(&a, 0, 900, 14, RW_AXIS_BELOW);
        assert_in_range(a.n, 3, 11);
    }
}

static void test_log(void **state)
{
    (void)state;
    const uint64_t seed = 6;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint64_t k = 0; k < 5000; k++) {
        rw_axis a;
        double low = pow(10, 40 * rw_random_uniform(seed, 3 * k) - 20);
        double high = low * pow(10, 0.05 + (k % 4 ? 6 : 60) * rw_random_uniform(seed, 3 * k + 1));
        rw_axis_limits(&a, low, high, true);
        rw_axis_place(&a, 500, 40, 14, RW_AXIS_LEFT);
        assert_in_range(a.n, 1, RW_AXIS_TICKS);
        assert_true(a.n_minor <= RW_AXIS_MINOR);
        for (int i = 0; i < a.n; i++) {
            double at = rw_axis_pixel(&a, a.tick[i]);
            assert_true(at > 39.5 && at < 500.5);
            if (i > 0) assert_true(a.tick[i] > a.tick[i - 1]);
        }
        check_labels(&a);
    }
    rw_axis a;
    rw_axis_limits(&a, 1e-8, 1, true);
    rw_axis_place(&a, 500, 40, 14, RW_AXIS_LEFT);
    assert_int_equal(a.n, 9);
    assert_string_equal(a.label[0], "10⁻⁸");
    assert_string_equal(a.label[8], "10⁰");
    assert_true(isnan(rw_axis_pixel(&a, 0)) && isnan(rw_axis_pixel(&a, -1)) && isnan(rw_axis_pixel(&a, NAN)));
}

/* Limits that cannot be drawn become some that can. */
static void test_limits(void **state)
{
    (void)state;
    static const double rows[][2] = {{0, 0},         {3, 3},           {-3, -3},
                                     {1, 1 + 1e-15}, {5, -5},          {1e308, -1e308},
                                     {5e-324, 0},    {1e-310, 2e-310}, {INFINITY, -INFINITY},
                                     {1e300, 1e300}};
    for (int i = 0; i < RW_COUNT(rows); i++)
        for (int log = 0; log < 2; log++) {
            rw_axis a;
            rw_axis_limits(&a, rows[i][0], rows[i][1], log);
            assert_true(isfinite(a.min) && isfinite(a.max) && a.min < a.max && (!log || a.min > 0));
            rw_axis_place(&a, 0, 500, 14, RW_AXIS_BELOW);
            assert_true(isfinite(rw_axis_pixel(&a, a.min)) && fabs(rw_axis_pixel(&a, a.max) - 500) < 1e-6);
        }
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0, "0"},       {0.25, "0.25"},     {-0.5, "−0.5"}, {1234, "1234"},  {123456, "123456"},
                {1e6, "1×10⁶"}, {-3e-7, "−3×10⁻⁷"}, {NAN, "nan"},   {INFINITY, "∞"}, {0.001, "0.001"}};
    setlocale(LC_ALL, "de_DE.UTF-8");
    for (int i = 0; i < RW_COUNT(rows); i++) {
        char text[64];
        rw_axis_number(text, sizeof text, rows[i].value);
        assert_string_equal(text, rows[i].text);
    }
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IO_TEST(test_linear), IO_TEST(test_long_labels), IO_TEST(test_log), IO_TEST(test_limits), IO_TEST(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
