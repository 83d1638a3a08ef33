/* Figures of vectors: arrows and streamlines where the data have them, and nothing where a vector is 0. */
#include "figure_test.h"

#include "io/figure_arrows.h"

/* One arrow in the middle of each cell of a coarse field, longer than where there are many; none where a vector is 0.
 */
static void test_arrows(void **state)
{
    (void)state;
    enum { N = 40 };
    static double one[N * N], zero[N * N];
    const uint8_t white[3] = {255, 255, 255};
    uint8_t rgb[3];
    for (int i = 0; i < N * N; i++) one[i] = 1;
    color_at(RW_COLORMAP_SEQUENTIAL, 1, rgb);
    rw_figure_field field = {.nx = 3, .ny = 2, .values = one, .value = {.min = 0, .max = 1}};
    ASSERT_OK(rw_figure_write_arrows(ctx, "a.png", NULL, &field, (const double *[]){one, zero}));
    page p = load("a.png");
    const patch box = find(&p, rgb, 60, p.width - 140);
    const int h = (box.y1 + 1 - box.y0) / 2, w = h; /* squares */
    int length = 0;
    for (int cell = 0; cell < 6; cell++) {
        const int x0 = box.x0 + cell % 3 * w, y0 = box.y0 + cell / 3 * h;
        int left = p.width, right = 0, top = p.height, bottom = 0;
        for (int y = y0 + 2; y < y0 + h - 2; y++)
            for (int x = x0 + 2; x < x0 + w - 2; x++) {
                if (!is_color(&p, x, y, white)) continue;
                left = RW_MIN(left, x);
                right = RW_MAX(right, x);
                top = RW_MIN(top, y);
                bottom = RW_MAX(bottom, y);
            }
        assert_in_range((left + right) / 2, x0 + w / 2 - 4, x0 + w / 2 + 4);
        assert_in_range((top + bottom) / 2, y0 + h / 2 - 4, y0 + h / 2 + 4);
        length = right - left;
    }
    free(p.rgb);
    field.nx = field.ny = N;
    ASSERT_OK(rw_figure_write_arrows(ctx, "a.png", NULL, &field, (const double *[]){one, zero}));
    p = load("a.png");
    int run = 0, longest = 0; /* of white pixels in a row of the box */
    for (int y = box.y0 + 20; y < box.y1 - 20; y++)
        for (int x = box.x0 + 20; x < box.x1 - 200; x++) {
            run = is_color(&p, x, y, white) ? run + 1 : 0;
            longest = RW_MAX(longest, run);
        }
    assert_in_range(longest, length / 3, length * 2 / 3);
    free(p.rgb);
    ASSERT_OK(rw_figure_write_arrows(ctx, "a.png", NULL, &field, (const double *[]){zero, zero}));
    p = load("a.png");
    const patch all = find(&p, rgb, 60, p.width - 140);
    assert_int_equal(all.n, (long)(all.x1 + 1 - all.x0) * (all.y1 + 1 - all.y0));
    free(p.rgb);
}

/* On yellow. */
static bool is_light(const page *p, int x, int y) { return p->rgb[3 * (y * p->width + x) + 2] > 170; }

/* A line along the middle of the box, white with a dark edge, with heads whose strokes end at their tips; nothing is
 * drawn outside the box. */
static void test_streamlines(void **state)
{
    (void)state;
    static const double one[6] = {1, 1, 1, 1, 1, 1};
    uint8_t rgb[3];
    int offset[] = {0, 2, 5};
    double point[5][2] = {{0.5, 1}, {2.5, 1}, {-5, 9}, {9, 9}, {9, -5}};
    const rw_figure_field field = {.nx = 3, .ny = 2, .values = one, .value = {.min = 0, .max = 1}};
    color_at(RW_COLORMAP_SEQUENTIAL, 1, rgb);
    for (int back = 0; back < 2; back++) {
        if (back) memcpy(point, (double[2][2]){{2.5, 1}, {0.5, 1}}, 2 * sizeof *point);
        ASSERT_OK(rw_figure_write_streamlines(ctx, "a.png", NULL, &field,
                                              &(rw_streamlines){.n = 2, .offset = offset, .point = point}));
        page p = load("a.png");
        const patch box = find(&p, rgb, 60, p.width - 140);
        const int w = (box.y1 + 1 - box.y0) * 3 / 2, middle = (box.y0 + box.y1 + 1) / 2, x0 = box.x0;
        int left = p.width, right = 0, tip = 0, dark = 0, strokes = 0, ahead = 0;
        for (int x = x0 + 2; x < x0 + w - 2; x++)
            for (int y = box.y0 + 2; y < box.y1 - 2; y++) {
                dark += y == middle - 2 && p.rgb[3 * (y * p.width + x)] < 128;
                if (!is_light(&p, x, y)) continue;
                assert_in_range(y, middle - 12, middle + 12);
                left = RW_MIN(left, x);
                right = RW_MAX(right, x);
            }
        assert_true(abs(left - x0 - w / 6) < 4 && abs(right - x0 - w * 5 / 6) < 4);
        assert_true(dark > 0.9 * (right - left));
        for (int x = left; x < right; x++) { /* the first head: columns that are light far from the line */
            assert_true(is_light(&p, x, middle) || is_light(&p, x, middle - 1));
            const bool far = is_light(&p, x, middle - 4), near = is_light(&p, x, middle - 2);
            strokes += far;
            if (far && !tip) tip = x;
            ahead += near && !far && tip && x < tip + 15 ? 1 : near && !far && !tip ? -1 : 0;
        }
        assert_true(strokes > 0 && (back ? ahead < 0 : ahead > 0));
        free(p.rgb);
    }
    ASSERT_OK(rw_figure_write_streamlines(ctx, "a.png", NULL, &field, &(rw_streamlines){0}));
    page p = load("a.png");
    const patch all = find(&p, rgb, 60, p.width - 140);
    assert_int_equal(all.n, (long)(all.x1 + 1 - all.x0) * (all.y1 + 1 - all.y0));
    free(p.rgb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {IO_TEST(test_arrows), IO_TEST(test_streamlines)};
    return cmocka_run_group_tests(tests, begin, end);
}
