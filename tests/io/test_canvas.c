/* The page and its letters: coverage of lines and rectangles, clipping, wild coordinates, every glyph. */
#include "io_test.h"

#include <math.h>

#include "io/font.h"

static const rw_color black = {0, 0, 0}, red = {255, 0, 0};

/* Darkness of a pixel, 0 white .. 255 black. */
static int dark(const rw_canvas *c, int x, int y) { return 255 - c->rgb[3 * (y * c->width + x) + 1]; }

static long total(const rw_canvas *c)
{
    long sum = 0;
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) sum += dark(c, x, y);
    return sum;
}

static void line(rw_canvas *c, double x0, double y0, double x1, double y1, double width, rw_color color)
{
    rw_canvas_segment(c, x0, y0, x1, y1, width);
    rw_canvas_ink(c, color, 1);
}

static void test_lines(void **state)
{
    (void)state;
    rw_canvas c;
    ASSERT_OK(rw_canvas_create(NULL, 40, 30, &c));
    assert_int_equal(total(&c), 0);
    line(&c, 5, 10, 35, 10, 2, black); /* covers rows 9 and 10 fully */
    for (int y = 0; y < 30; y++) assert_int_equal(dark(&c, 20, y), y == 9 || y == 10 ? 255 : 0);
    line(&c, 5, 20.5, 35, 20.5, 1, black); /* one row, the middle of the pixels */
    for (int y = 15; y < 30; y++) assert_int_equal(dark(&c, 20, y), y == 20 ? 255 : 0);
    rw_canvas_free(&c);

    ASSERT_OK(rw_canvas_create(NULL, 40, 30, &c));
    line(&c, 5, 10.25, 35, 10.25, 1, black); /* area is kept wherever the line lies */
    assert_in_range(dark(&c, 20, 9) + dark(&c, 20, 10), 253, 257);
    rw_canvas_free(&c);

    ASSERT_OK(rw_canvas_create(NULL, 60, 60, &c));
    line(&c, 10, 10, 50, 50, 3, black);
    assert_true(labs(total(&c) - (long)(255 * (3 * hypot(40, 40) + 3.14159 * 2.25))) < 255 * 6);
    rw_canvas_free(&c);
}

/* Crossing parts of one stroke are blended once, however they overlap. */
static void test_union(void **state)
{
    (void)state;
    rw_canvas c;
    ASSERT_OK(rw_canvas_create(NULL, 30, 30, &c));
    rw_canvas_segment(&c, 5, 15.5, 25, 15.5, 1);
    rw_canvas_segment(&c, 15.5, 5, 15.5, 25, 1);
    rw_canvas_segment(&c, 5, 15.5, 25, 15.5, 1);
    rw_canvas_ink(&c, black, 0.5);
    assert_in_range(dark(&c, 15, 15), 127, 128);
    assert_in_range(dark(&c, 10, 15), 127, 128);
    for (int twice = 0; twice < 2; twice++) rw_canvas_segment(&c, 5, 20.25, 12, 20.25, 1);
    rw_canvas_ink(&c, black, 1);
    assert_in_range(dark(&c, 8, 19) + dark(&c, 8, 20), 253, 257);
    rw_canvas_ink(&c, black, 1); /* nothing is left to ink */
    assert_in_range(dark(&c, 15, 15), 127, 128);
    rw_canvas_free(&c);
}

static void test_fill_and_clip(void **state)
{
    (void)state;
    rw_canvas c;
    ASSERT_OK(rw_canvas_create(NULL, 20, 20, &c));
    rw_canvas_fill(&c, 2.5, 3, 4, 5, red);
    assert_in_range(dark(&c, 2, 3), 127, 128);
    assert_int_equal(dark(&c, 3, 4), 255);
    assert_int_equal(dark(&c, 4, 4), 0);
    assert_int_equal(c.rgb[3 * (4 * 20 + 3)], 255);
    rw_canvas_free(&c);

    ASSERT_OK(rw_canvas_create(NULL, 20, 20, &c));
    rw_canvas_clip(&c, 5, 6, 15, 16);
    rw_canvas_fill(&c, -1e9, -1e9, 1e9, 1e9, black);
    rw_canvas_pixel(&c, 0, 0, (const uint8_t[3]){0, 0, 0});
    rw_canvas_pixel(&c, -1, 30, (const uint8_t[3]){0, 0, 0});
    assert_int_equal(total(&c), 100 * 255);
    rw_canvas_unclip(&c);
    rw_canvas_pixel(&c, 0, 0, (const uint8_t[3]){0, 0, 0});
    assert_int_equal(total(&c), 101 * 255);
    rw_canvas_free(&c);
}

/* No coordinate writes outside or takes long. */
static void test_wild(void **state)
{
    (void)state;
    static const double values[] = {0, -5, 10, 25, 1e4, -1e4, 1e9, -1e9, 1e300, -1e300, INFINITY, -INFINITY, NAN};
    enum { N = RW_COUNT(values) };
    rw_canvas c;
    ASSERT_OK(rw_canvas_create(NULL, 20, 20, &c));
    for (int i = 0; i < N * N * N * N; i++) {
        double x0 = values[i % N], y0 = values[i / N % N], x1 = values[i / N / N % N], y1 = values[i / N / N / N];
        rw_canvas_segment(&c, x0, y0, x1, y1, 2);
        rw_canvas_dot(&c, x0, y1, 3);
        rw_canvas_clip(&c, x0, y0, x1, y1);
        rw_canvas_fill(&c, x0, y0, x1, y1, black);
        rw_canvas_unclip(&c);
    }
    rw_canvas_ink(&c, black, 1);
    rw_canvas_free(&c);
    ASSERT_OK(rw_canvas_create(NULL, 20, 20, &c));
    line(&c, -1e7, 10.5, 1e7, 10.5, 1, black); /* a very long line keeps its place */
    for (int x = 0; x < 20; x++) assert_int_equal(dark(&c, x, 10), 255);
    assert_int_equal(total(&c), 20 * 255);
    rw_canvas_free(&c);
}

/* Every glyph of printable ASCII and of the list below leaves ink within its box, and is no empty box. */
static void test_glyphs(void **state)
{
    (void)state;
    static const char more[] = "äöüÄÖÜßÅéαβγδεζηθκλμνξπρστφχψωΓΔΘΛΞΠΣΦΨΩ"
                               "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ₀₁₂₃₄₅₆₇₈₉₊₋ₓᵢⱼₙ°±×·−–→≤≥≈∂∇∞√∫′‖µ";
    rw_canvas box;
    ASSERT_OK(rw_canvas_create(NULL, 60, 80, &box));
    rw_font_draw(&box, "\xEF\xBF\xBD", 10, 50, 40, RW_TEXT_LEFT, false, 1, black);
    char text[8];
    int count = 0;
    const char *at = more;
    for (int code = 33; code < 127 || *at; code++) {
        if (code < 127) {
            text[0] = (char)code, text[1] = '\0';
        } else { /* the bytes of the next code point */
            int n = 1;
            while ((at[n] & 0xC0) == 0x80) n++;
            memcpy(text, at, (size_t)n);
            text[n] = '\0';
            at += n;
        }
        rw_canvas c;
        ASSERT_OK(rw_canvas_create(NULL, 60, 80, &c));
        double width = rw_font_width(text, 40);
        assert_true(width > 4 && width < 40);
        rw_font_draw(&c, text, 10, 50, 40, RW_TEXT_LEFT, false, 1, black);
        assert_true(total(&c) > 255 * 5);
        if (memcmp(c.rgb, box.rgb, 60 * 80 * 3) == 0) fail_msg("'%s' has no shape", text);
        rw_canvas_fill(&c, 10 - 3, 50 - 40, 10 + width + 1, 50 + 14, (rw_color){255, 255, 255});
        if (total(&c) != 0) fail_msg("'%s' leaves its box", text);
        rw_canvas_free(&c);
        count++;
    }
    rw_canvas_free(&box);
    assert_int_equal(count, 94 + 87);
}

static void test_text(void **state)
{
    (void)state;
    rw_canvas a, b;
    double width = rw_font_width("Temperature", 20);
    assert_true(fabs(width - 2 * rw_font_width("Temperature", 10)) < 1e-9);
    assert_true(rw_font_width("", 20) == 0);
    static const struct {
        rw_text_align align;
        double x;
    } rows[] = {{RW_TEXT_LEFT, 10}, {RW_TEXT_CENTER, 10}, {RW_TEXT_RIGHT, 10}};
    for (int i = 0; i < 3; i++) { /* the same picture from all three anchors, and turned */
        ASSERT_OK(rw_canvas_create(NULL, 200, 200, &a));
        ASSERT_OK(rw_canvas_create(NULL, 200, 200, &b));
        rw_font_draw(&a, "Temperature", 10, 100, 20, RW_TEXT_LEFT, false, 1, black);
        rw_font_draw(&b, "Temperature", 10 + width * i / 2, 100, 20, rows[i].align, false, 1, black);
        long difference = 0;
        for (int k = 0; k < 200 * 200; k++) difference += labs((long)a.rgb[3 * k] - (long)b.rgb[3 * k]);
        assert_true(difference < 255);
        rw_canvas_free(&b);
        ASSERT_OK(rw_canvas_create(NULL, 200, 200, &b));
        rw_font_draw(&b, "Temperature", 100, 190 - width * i / 2, 20, rows[i].align, true, 1, black);
        difference = 0;
        for (int y = 0; y < 200; y++)
            for (int x = 0; x < 200; x++) difference += labs(dark(&a, x, y) - dark(&b, y, 199 - x));
        assert_true(difference < 0.02 * (double)total(&a));
        rw_canvas_free(&a);
        rw_canvas_free(&b);
    }
    static const char *const broken[] = {"\xFF",     "\xC3",   "\xE2\x88",        "\xC0\x80",
                                         "\xED\xA0", "a\x80z", "\xF0\x9F\x98\x80"};
    for (int i = 0; i < RW_COUNT(broken); i++) { /* malformed UTF-8 ends somewhere */
        ASSERT_OK(rw_canvas_create(NULL, 200, 40, &a));
        rw_font_draw(&a, broken[i], 5, 30, 20, RW_TEXT_LEFT, false, 1, black);
        assert_true(total(&a) > 0);
        rw_canvas_free(&a);
    }
}

static rw_status create(void)
{
    rw_canvas c;
    rw_status status = rw_canvas_create(NULL, 10, 10, &c);
    if (status == RW_OK) rw_canvas_free(&c);
    else assert_null(c.rgb);
    return status;
}

static void test_faults(void **state)
{
    (void)state;
    assert_int_equal(each_fault(create, false), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IO_TEST(test_lines),  IO_TEST(test_union), IO_TEST(test_fill_and_clip), IO_TEST(test_wild),
        IO_TEST(test_glyphs), IO_TEST(test_text),  IO_TEST(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
