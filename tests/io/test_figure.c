/* Figures: what is drawn is where the data are. Orientation, limits, missing values, averaging, lines, legends that do
 * not hide data, slices, surfaces; refusals, the same bytes twice, hundreds of odd figures, faults. */
#include "figure_test.h"

#include <float.h>

#include "io/figure_arrows.h"

/* values[j*nx + i]: i to the right, j upward, each cell of the same size, the right colour. */
static void test_orientation(void **state)
{
    (void)state;
    const double values[6] = {0, 0.2, 0.4, 0.6, 0.8, 1};
    patch cells[6];
    for (int m = 0; m < RW_COLORMAPS; m++) {
        if (m == RW_COLORMAP_CYCLIC) continue; /* its ends are one colour */
        ASSERT_OK(rw_figure_write_field(ctx, "a.png", NULL,
                                        &(rw_figure_field){.nx = 3,
                                                           .ny = 2,
                                                           .values = values,
                                                           .map = (rw_colormap)m,
                                                           .value = {.min = 0, .max = 1}}));
        page p = load("a.png");
        for (int k = 0; k < 6; k++) {
            uint8_t rgb[3];
            color_at((rw_colormap)m, values[k], rgb);
            cells[k] = find(&p, rgb, 60, p.width - 140);
            double area = (double)(cells[k].x1 - cells[k].x0 + 1) * (cells[k].y1 - cells[k].y0 + 1);
            bool shared = m == RW_COLORMAP_GREY && k == 5; /* white like the page */
            if (!shared) assert_true((double)cells[k].n > 0.97 * area);
            if (k > 0 && k < 5) assert_in_range(cells[k].n, cells[1].n * 93 / 100, cells[1].n * 107 / 100);
        }
        assert_true(cells[0].x < cells[1].x && cells[1].x < cells[2].x && cells[3].x < cells[4].x);
        assert_true(fabs(cells[1].x - cells[4].x) < 2 && fabs(cells[0].y - cells[1].y) < 2);
        assert_true(cells[3].y < cells[0].y && cells[4].y < cells[1].y);                 /* row 0 is at the bottom */
        assert_true(abs((cells[1].x1 - cells[1].x0) - (cells[1].y1 - cells[1].y0)) < 3); /* equal units: squares */
        free(p.rgb);
    }
}

static void test_sizes(void **state)
{
    (void)state;
    const double values[4] = {1, 2, 3, 4};
    const rw_figure_page fixed = {.width = 640, .height = 480, .title = "t", .text = 14};
    ASSERT_OK(rw_figure_write_field(ctx, "a.png", &fixed, &(rw_figure_field){.nx = 2, .ny = 2, .values = values}));
    page p = load("a.png");
    assert_true(p.width == 640 && p.height == 480);
    free(p.rgb);
    ASSERT_OK(rw_figure_write_field(ctx, "a.png", NULL, &(rw_figure_field){.nx = 4, .ny = 1, .values = values}));
    p = load("a.png");
    assert_true(p.width == 1400 && p.height < 600); /* cut to a flat box */
    free(p.rgb);
    ASSERT_OK(rw_figure_write_field(ctx, "a.png", NULL,
                                    &(rw_figure_field){.nx = 4, .ny = 1, .values = values, .stretch = true}));
    p = load("a.png");
    assert_true(p.width == 1400 && p.height == 1100);
    free(p.rgb);
}

static void test_missing(void **state)
{
    (void)state;
    double values[100];
    uint8_t rgb[3];
    for (int i = 0; i < 100; i++) values[i] = i % 10 < 5 ? NAN : i;
    ASSERT_OK(rw_figure_write_field(ctx, "a.png", NULL, &(rw_figure_field){.nx = 10, .ny = 10, .values = values}));
    page p = load("a.png");
    rw_colormap_missing(RW_COLORMAP_SEQUENTIAL, rgb);
    patch a = find(&p, rgb, 0, p.width / 2);
    assert_int_equal(a.n, (long)(a.x1 - a.x0 + 1) * (a.y1 - a.y0 + 1));
    assert_true(a.n > p.width * p.height / 4);
    assert_true(find(&p, rgb, p.width * 4 / 5, p.width).n > 100); /* the key below the bar */
    free(p.rgb);
    for (int i = 0; i < 100; i++) values[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -INFINITY;
    ASSERT_OK(rw_figure_write_field(ctx, "a.png", NULL, &(rw_figure_field){.nx = 10, .ny = 10, .values = values}));
    for (int i = 0; i < 100; i++) values[i] = -i;
    ASSERT_OK(rw_figure_write_field(ctx, "a.png", NULL,
                                    &(rw_figure_field){.nx = 10, .ny = 10, .values = values, .value = {.log = true}}));
}

/* A constant is the middle colour; zero of a diverging map is its middle whatever the data. */
static void test_limits(void **state)
{
    (void)state;
    double values[4] = {3, 3, 3, 3};
    uint8_t rgb[3];
    ASSERT_OK(rw_figure_write_field(ctx, "a.png", NULL, &(rw_figure_field){.nx = 2, .ny = 2, .values = values}));
    page p = load("a.png");
    rw_colormap_rgb(RW_COLORMAP_SEQUENTIAL, 512.0 / 1023, rgb);
    assert_true(find(&p, rgb, 0, p.width * 3 / 4).n > p.width * p.height / 3);
    free(p.rgb);
    values[0] = 0, values[1] = 8;
    ASSERT_OK(
        rw_figure_write_field(ctx, "a.png", NULL,
                              &(rw_figure_field){.nx = 2, .ny = 2, .values = values, .map = RW_COLORMAP_DIVERGING}));
    p = load("a.png");
    rw_colormap_rgb(RW_COLORMAP_DIVERGING, 512.0 / 1023, rgb);
    assert_true(find(&p, rgb, 0, p.width * 3 / 4).n > p.width * p.height / 10);
    free(p.rgb);
}

/* A series that is constant to seven digits looks as a constant one, says so, and does not magnify rounding errors. */
static void test_constant(void **state)
{
    (void)state;
    enum { N = 60 };
    double x[N], y[N];
    static const struct {
        double value, noise, scale;
        bool constant;
    } rows[] = {
        {1. / 3, 1e-9, 0, true}, {-1. / 3, 3e-8, 0, true}, {1. / 3, 1e-6, 0, false}, {0, 0, 0, true},
        {0, 1e-16, 1, true},     {0, 1e-16, 0, false},     {0, 1e-10, 1, false},     {1e20, 1e-9, 0, true},
    };
    for (int r = 0; r < RW_COUNT(rows); r++) {
        rw_figure_series series = {.n = N, .x = x, .y = y};
        rw_figure_lines lines = {.n = 1, .series = &series, .scale = rows[r].scale};
        page p[3];
        for (int k = 0; k < 3; k++) { /* constant; with noise; noise within limits that are asked for */
            for (int i = 0; i < N; i++) {
                double size = rows[r].value != 0 ? fabs(rows[r].value) : 1;
                x[i] = i, y[i] = rows[r].value + (k ? rows[r].noise * size * cos(7 * i) : 0);
            }
            lines.y.min = k == 2 ? rows[r].value * 0.9 : 0,
            lines.y.max = k == 2 ? rows[r].value * 1.1 + (rows[r].value == 0) : 0;
            ASSERT_OK(rw_figure_write_lines(ctx, "a.png", NULL, &lines));
            p[k] = load("a.png");
        }
        size_t bytes = (size_t)p[0].width * (size_t)p[0].height * 3;
        bool alike = p[0].width == p[1].width;
        for (size_t i = 0; i < bytes && alike; i++) alike = abs(p[0].rgb[i] - p[1].rgb[i]) <= 2; /* of rounded edges */
        if (alike != rows[r].constant) fail_msg("row %d: %s", r, alike ? "noise is not drawn" : "noise is drawn");
        if (memcmp(p[0].rgb, p[2].rgb, bytes) == 0) fail_msg("row %d: nothing is said", r);
        for (int k = 0; k < 3; k++) free(p[k].rgb);
    }
}

/* More cells than pixels: their mean, so that fine noise is grey and nothing is dropped. */
static void test_averaging(void **state)
{
    (void)state;
    enum { N = 3000 };
    double *values = malloc(N * N * sizeof *values);
    for (int i = 0; i < N * N; i++) values[i] = (i % N + i / N) % 2; /* a chessboard */
    ASSERT_OK(rw_figure_write_field(ctx, "a.png", &(rw_figure_page){.width = 500, .height = 400},
                                    &(rw_figure_field){.nx = N, .ny = N, .values = values, .map = RW_COLORMAP_GREY}));
    page p = load("a.png");
    for (int y = 100; y < 250; y++)
        for (int x = 150; x < 250; x++) {
            uint8_t low[3], high[3];
            rw_colormap_rgb(RW_COLORMAP_GREY, 0.44, low);
            rw_colormap_rgb(RW_COLORMAP_GREY, 0.56, high);
            assert_in_range(p.rgb[3 * (y * p.width + x)], low[0], high[0]);
        }
    free(p.rgb);
    free(values);
}

static rw_figure_lines one_line(const rw_figure_series *s)
{
    return (rw_figure_lines){.x = {.min = 0, .max = 10}, .y = {.min = 0, .max = 1}, .n = 1, .series = s};
}

/* Colour of the first series, from a thick place of a drawn line. */
static void first_color(uint8_t rgb[3])
{
    const double x[2] = {0, 10}, y[2] = {0.5, 0.5};
    const rw_figure_series s = {NULL, 2, x, y, RW_FIGURE_LINE};
    const rw_figure_lines lines = one_line(&s);
    ASSERT_OK(rw_figure_write_lines(ctx, "c.png", &(rw_figure_page){.text = 40}, &lines));
    page p = load("c.png");
    int darkest = 0, at = 0;
    for (int y_pixel = 300; y_pixel < 700; y_pixel++) {
        const uint8_t *c = p.rgb + 3 * (y_pixel * p.width + p.width / 2 + 37);
        if (255 - c[0] > darkest) darkest = 255 - c[0], at = y_pixel;
    }
    memcpy(rgb, p.rgb + 3 * (at * p.width + p.width / 2 + 37), 3);
    free(p.rgb);
}

static void test_lines(void **state)
{
    (void)state;
    enum { N = 100000 };
    static double x[N], y[N];
    uint8_t rgb[3];
    first_color(rgb);
    for (int i = 0; i < N; i++) x[i] = i * 1e-4, y[i] = i % 2 ? 0.25 : 0.75; /* a band that is filled */
    rw_figure_series s = {NULL, N, x, y, RW_FIGURE_LINE};
    rw_figure_lines lines = one_line(&s);
    ASSERT_OK(rw_figure_write_lines(ctx, "a.png", NULL, &lines));
    page p = load("a.png");
    patch band = find(&p, rgb, 0, p.width);
    assert_int_equal(band.n, (long)(band.x1 - band.x0 + 1) * (band.y1 - band.y0 + 1));
    double height = band.y1 - band.y0;
    assert_true(height > 0.47 * p.height * 0.85 && height < 0.55 * p.height);
    free(p.rgb);

    for (int k = 0; k < 40; k += 3) { /* one point of 100000 is not lost, up or down */
        double base = k % 2 ? 0.1 : 0.9;
        for (int i = 0; i < N; i++) y[i] = i == N / 2 + k ? 1 - base : base;
        ASSERT_OK(rw_figure_write_lines(ctx, "a.png", NULL, &lines));
        p = load("a.png");
        patch peak = find(&p, rgb, 0, p.width);
        assert_true(peak.y1 - peak.y0 > 0.75 * height / 0.5);
        free(p.rgb);
    }

    for (int i = 0; i < N; i++) y[i] = i < N / 2 ? 0.1 : i < N / 2 + 2000 ? NAN : 0.9; /* nor is a gap closed */
    ASSERT_OK(rw_figure_write_lines(ctx, "a.png", NULL, &lines));
    p = load("a.png");
    patch both = find(&p, rgb, 0, p.width);
    for (int row = both.y0 + 20; row < both.y1 - 20; row++)
        for (int column = both.x0; column < both.x1; column++) assert_false(is_color(&p, column, row, rgb));
    free(p.rgb);

    for (int i = 0; i < N; i++) y[i] = 0.5;
    ASSERT_OK(rw_figure_write_lines(ctx, "a.png", NULL, &lines));
    p = load("a.png");
    patch solid = find(&p, rgb, 0, p.width);
    free(p.rgb);
    s.style = RW_FIGURE_DASHED;
    ASSERT_OK(rw_figure_write_lines(ctx, "a.png", NULL, &lines));
    p = load("a.png");
    patch dashed = find(&p, rgb, 0, p.width);
    assert_true(dashed.n > 0.5 * (double)solid.n && dashed.n < 0.9 * (double)solid.n);
    free(p.rgb);
}

/* Random series: wherever the legend goes, drawing it covers no data. */
static void test_legend(void **state)
{
    (void)state;
    enum { N = 200 };
    double x[N], y[N];
    uint8_t rgb[3];
    first_color(rgb);
    print_message("seeds 0 to 19\n");
    for (uint64_t seed = 0; seed < 20; seed++) {
        long n[2];
        bool beside = false;
        for (int i = 0; i < N; i++) {
            x[i] = i;
            y[i] = sin(0.03 * i * (1 + 3 * rw_random_uniform(seed, 0)) + 6 * rw_random_uniform(seed, 1)) *
                   (seed % 2 ? i : N - i);
        }
        for (int named = 0; named < 2; named++) {
            const rw_figure_series s = {named ? "a name of some length" : NULL, N, x, y, RW_FIGURE_LINE};
            const rw_figure_lines lines = {.n = 1, .series = &s};
            ASSERT_OK(rw_figure_write_lines(ctx, "a.png", NULL, &lines));
            page p = load("a.png");
            n[named] = find(&p, rgb, 0, p.width).n;
            patch border = find(&p, (const uint8_t[]){200, 201, 205}, 0, p.width);
            patch frame = find(&p, (const uint8_t[]){rw_frame.r, rw_frame.g, rw_frame.b}, 0, p.width);
            assert_int_equal(border.n > 0, named);
            beside = named && border.x0 > frame.x1;
            free(p.rgb);
        }
        assert_true(n[1] > n[0] || beside); /* the line in the legend comes on top, and nothing is hidden */
    }
}

static void test_volume(void **state)
{
    (void)state;
    double values[4 * 3 * 2];
    uint8_t rgb[3], marked[3];
    for (int i = 0; i < 24; i++) values[i] = 0.5;
    values[(1 * 3 + 2) * 4 + 0] = 1; /* i = 0, j = 2, k = 1: upper left of the planes z and y, upper right of x */
    rw_figure_volume v = {.n = {4, 3, 2},
                          .values = values,
                          .value = {.min = 0, .max = 1},
                          .choose = true,
                          .at = {0.5, 2.5, 1.5}};
    ASSERT_OK(rw_figure_write_volume(ctx, "a.png", NULL, &v));
    page p = load("a.png");
    assert_int_equal(p.width, 1800);
    color_at(RW_COLORMAP_SEQUENTIAL, 0.5, rgb);
    color_at(RW_COLORMAP_SEQUENTIAL, 1, marked);
    patch all = find(&p, rgb, 0, 1690), bright = find(&p, marked, 0, 1690);
    assert_true(all.n > 15 * bright.n / 3 && bright.n > 1000);
    assert_true(bright.y < all.y);
    v.at[0] = 3.5; /* the plane x no longer meets the cell */
    ASSERT_OK(rw_figure_write_volume(ctx, "b.png", NULL, &v));
    page q = load("b.png");
    patch two = find(&q, marked, 0, 1690);
    double kept = (double)two.n / (double)bright.n;
    if (!(fabs(kept - 2.0 / 3) < 0.1)) fail_msg("%ld of %ld pixels", two.n, bright.n); /* the marks take some */
    free(p.rgb);
    free(q.rgb);
}

/* Pixels left of the colour bar whose colour is that of the map at t: the surface where it is level and has no line. */
static patch level_at(const page *p, double t)
{
    uint8_t rgb[3];
    color_at(RW_COLORMAP_SEQUENTIAL, t, rgb);
    return find(p, rgb, 0, p->width * 4 / 5);
}

/* A low floor with a high block at each corner in turn: high x is to the right and near, high y to the right and
 * far. */
static void test_surface(void **state)
{
    (void)state;
    enum { N = 20 };
    double values[N * N];
    patch high[4];
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < N * N; i++)
            values[i] = (i % N >= N / 2) == k % 2 && (i / N >= N / 2) == k / 2 ? 0.75 : 0.25;
        const rw_figure_field f = {.nx = N, .ny = N, .values = values, .value = {.label = "z", .min = 0, .max = 1}};
        ASSERT_OK(rw_figure_write_surface(ctx, "a.png", NULL, &f));
        page p = load("a.png");
        assert_true(p.width <= 1400 && p.height <= 1100 && p.width > 700 && p.height > 700);
        patch low = level_at(&p, 0.25);
        high[k] = level_at(&p, 0.75);
        assert_true(high[k].n > 20000 && low.n > 40000);
        free(p.rgb);
    }
    assert_true(high[0].x < high[1].x && high[2].x < high[3].x && high[0].x < high[2].x && high[1].x < high[3].x);
    assert_true(high[1].y > high[0].y + 100 && high[3].y > high[2].y + 100); /* to the near side with x, */
    assert_true(high[2].y < high[0].y - 100 && high[3].y < high[1].y - 100); /* to the far one with y */
}

/* A wall in front hides what is behind it; a hole shows the page. */
static void test_surface_hides(void **state)
{
    (void)state;
    enum { N = 40 };
    double values[N * N];
    const rw_figure_field f = {.nx = N, .ny = N, .values = values, .value = {.min = 0, .max = 1}};
    patch seen[4];
    for (int k = 0; k < 4; k++) { /* nothing; a wall along the near, along the far side; a hole of a quarter */
        for (int i = 0; i < N * N; i++) {
            bool wall = (k == 1 && i / N < 3) || (k == 2 && i / N >= N - 3);
            values[i] = wall ? 1 : k == 3 && i % N < N / 2 && i / N < N / 2 ? NAN : 0.2;
        }
        ASSERT_OK(rw_figure_write_surface(ctx, "a.png", NULL, &f));
        page p = load("a.png");
        seen[k] = level_at(&p, 0.2);
        free(p.rgb);
    }
    assert_true(seen[1].n < seen[0].n * 3 / 4 && seen[2].n > seen[0].n * 85 / 100);
    assert_in_range(seen[3].n, seen[0].n * 70 / 100, seen[0].n * 80 / 100);
}

/* One and two values, a constant, nothing, all numbers there are, more values than pixels, a flat rectangle, a small
 * page. */
static void test_surface_corners(void **state)
{
    (void)state;
    enum { N = 1500 };
    double *values = malloc(N * N * sizeof *values);
    for (size_t nx = 1; nx <= 3; nx++)
        for (size_t ny = 1; ny <= 3; ny++) {
            for (size_t i = 0; i < nx * ny; i++) values[i] = 0.5;
            ASSERT_OK(
                rw_figure_write_surface(ctx, "a.png", NULL, &(rw_figure_field){.nx = nx, .ny = ny, .values = values}));
            page p = load("a.png");
            patch constant = level_at(&p, 0.5);
            assert_true(constant.n > 20000);
            free(p.rgb);
        }
    for (int i = 0; i < 100; i++) values[i] = i % 2 ? NAN : INFINITY;
    ASSERT_OK(rw_figure_write_surface(ctx, "a.png", NULL, &(rw_figure_field){.nx = 10, .ny = 10, .values = values}));
    for (int i = 0; i < 100; i++) values[i] = i % 2 ? -DBL_MAX : DBL_MAX;
    ASSERT_OK(rw_figure_write_surface(ctx, "a.png", NULL, &(rw_figure_field){.nx = 10, .ny = 10, .values = values}));
    for (int i = 0; i < N * N; i++) values[i] = (i % N + i / N) % 2 ? 1 : 0; /* a chessboard is level at its mean */
    const rw_figure_field fine = {.nx = N, .ny = N, .values = values, .x1 = 1, .y1 = 0.4};
    ASSERT_OK(rw_figure_write_surface(ctx, "a.png", &(rw_figure_page){.width = 900, .height = 700}, &fine));
    page p = load("a.png");
    assert_true(p.width == 900 && p.height == 700);
    free(p.rgb);
    ASSERT_OK(
        rw_figure_write_surface(ctx, "a.png", &(rw_figure_page){.width = 200, .height = 200, .title = "t"}, &fine));
    free(values);
}

/* The box of a series' colour right of the names, which the legend above is not part of. */
static patch bars_of(const page *p, rw_color c)
{
    const uint8_t rgb[3] = {c.r, c.g, c.b};
    return find(p, rgb, 0, p->width);
}

/* Bars are as long as their values say, from 0 or on a logarithmic axis; what is missing has none; odd ones are drawn
 * too. */
static void test_bars(void **state)
{
    (void)state;
    static const char *const group[] = {"first", "second"}, *const series[] = {NULL, ""};
    const double values[] = {4, 1, 2, NAN}, far[] = {1000, 10, 100, -1}, odd[] = {INFINITY, 5e-324, 1e300, -1e300};
    const rw_color own = rw_figure_color(0), other = rw_figure_color(1);
    const rw_color pale = {(uint8_t)((other.r + 255) / 2), (uint8_t)((other.g + 255) / 2),
                           (uint8_t)((other.b + 255) / 2)};
    rw_figure_bars b = {.ngroups = 2, .nseries = 2, .group = group, .series = series, .values = values, .pale = 1};
    ASSERT_OK(rw_figure_write_bars(ctx, "a.png", NULL, &b));
    page p = load("a.png");
    patch four = bars_of(&p, own), two = bars_of(&p, pale), frame = bars_of(&p, rw_frame);
    assert_int_equal(bars_of(&p, other).n, 0);
    free(p.rgb);
    b.nseries = 1, b.pale = 0; /* without the legend's squares of the second */
    const double one[] = {NAN, 1};
    b.values = one, b.value = (rw_figure_axis){.min = 0, .max = 4};
    ASSERT_OK(rw_figure_write_bars(ctx, "a.png", NULL, &b));
    p = load("a.png");
    patch quarter = bars_of(&p, own);
    free(p.rgb);
    /* legends lie above and left of the plot; a bar's right end is its value's place: 4 at the end of the axis, 2 at
     * its middle, 1 at a quarter */
    const double zero = frame.x0, length = four.x1 - zero;
    assert_true(fabs(two.x1 - zero - length / 2) < 8 && fabs(quarter.x1 - zero - length / 4) < 8);

    b = (rw_figure_bars){.ngroups = 2,
                         .nseries = 2,
                         .group = group,
                         .series = series,
                         .values = far,
                         .value = {.min = 1, .max = 1000, .log = true}};
    ASSERT_OK(rw_figure_write_bars(ctx, "a.png", NULL, &b));
    p = load("a.png");
    assert_true(fabs(bars_of(&p, other).x1 - frame.x0 - 2 / 3. * (bars_of(&p, own).x1 - frame.x0)) < 8);
    free(p.rgb);
    for (int k = 0; k < 8; k++) {
        b.value = (rw_figure_axis){.log = k & 1}, b.values = k & 2 ? odd : (const double[]){NAN, NAN, NAN, NAN},
        b.series = k & 4 ? group : series;
        ASSERT_OK(rw_figure_write_bars(ctx, "a.png",
                                       &(rw_figure_page){.width = 200 + 100 * k, .height = 200, .title = "t"}, &b));
    }
    remove("a.png");
    b.ngroups = 0;
    ASSERT_FAILS(rw_figure_write_bars(ctx, "a.png", NULL, &b), RW_ERR_ARGUMENT);
    b.ngroups = 1, b.values = NULL;
    ASSERT_FAILS(rw_figure_write_bars(ctx, "a.png", NULL, &b), RW_ERR_ARGUMENT);
    b.values = values, b.value = (rw_figure_axis){.min = -1, .max = 1, .log = true};
    ASSERT_FAILS(rw_figure_write_bars(ctx, "a.png", NULL, &b), RW_ERR_ARGUMENT);
    assert_int_equal(count_files(), 0);
}

static rw_array *image_of(rw_device *dev, rw_dtype dtype, int height, int width, int channels, const void *values)
{
    const int64_t shape[] = {height, width, channels};
    void *data;
    rw_array *a;
    ASSERT_OK(rw_array_create(dev, dtype, 3, shape, RW_MEMORY_DEVICE, &a));
    ASSERT_OK(rw_array_write(a, &data));
    memcpy(data, values, (size_t)(height * width * channels) * rw_dtype_size(dtype));
    return a;
}

/* Pixels are squares of their colour in order, an image of half the size is drawn half as large, alpha lies over white;
 * values beyond black and white are drawn as these; large images are means. */
static void test_images(void **state)
{
    (void)state;
    static const uint8_t rgb[2][2][3] = {{{250, 10, 20}, {30, 240, 50}}, {{60, 70, 230}, {200, 190, 10}}},
                         alpha[2] = {0, 51};
    static const float levels[2] = {-3, 7};
    static uint8_t fine[3000][3000];
    rw_device *dev;
    ASSERT_OK(rw_device_open(ctx, "cpu", &dev));
    rw_figure_image images[] = {{"colours", image_of(dev, RW_U8, 2, 2, 3, rgb)},
                                {NULL, image_of(dev, RW_U8, 1, 1, 2, alpha)}};
    ASSERT_OK(rw_figure_write_images(ctx, "a.png", &(rw_figure_page){.title = "two"}, 2, images));
    page p = load("a.png");
    patch a[2][2];
    for (int k = 0; k < 4; k++) {
        patch *q = &a[k / 2][k % 2];
        *q = find(&p, rgb[k / 2][k % 2], 0, p.width);
        assert_int_equal(q->n, (q->x1 - q->x0 + 1) * (q->y1 - q->y0 + 1));
        assert_int_equal(q->n, a[0][0].n);
    }
    assert_true(a[0][0].x1 + 1 == a[0][1].x0 && a[0][0].y1 + 1 == a[1][0].y0 && a[1][1].x0 == a[0][1].x0 &&
                a[1][1].y0 == a[1][0].y0);
    patch half = find(&p, (const uint8_t[]){204, 204, 204}, 0, p.width); /* 0 with alpha 1/5, over white */
    assert_true(half.n == a[0][0].n && half.x0 > a[0][1].x1 && half.y0 == a[0][0].y0);
    free(p.rgb);
    rw_array_destroy(&images[0].image), rw_array_destroy(&images[1].image);

    /* rows of 100 and 200 */
    for (int i = 0; i < 3000 * 3000; i++) fine[i / 3000][i % 3000] = (uint8_t)(i / 3000 % 2 ? 200 : 100);
    images[0].image = image_of(dev, RW_F32, 1, 2, 1, levels),
    images[1].image = image_of(dev, RW_U8, 3000, 3000, 1, fine);
    ASSERT_OK(rw_figure_write_images(ctx, "a.png", NULL, 1, images));
    p = load("a.png");
    patch black = find(&p, (const uint8_t[]){0, 0, 0}, 0, p.width);
    assert_int_equal(black.n, (black.x1 - black.x0 + 1) * (black.y1 - black.y0 + 1));
    free(p.rgb);
    const rw_figure_page thirds = {.width = 1400, .height = 1300, .text = 12};
    ASSERT_OK(rw_figure_write_images(ctx, "a.png", &thirds, 1, images + 1));
    p = load("a.png");
    assert_true(p.width == 1400 && p.height == 1300);
    long near = 0;
    for (int v = 100; v <= 200; v++) {
        const uint8_t grey[] = {(uint8_t)v, (uint8_t)v, (uint8_t)v};
        const patch q = find(&p, grey, 0, p.width);
        if (v < 120 || v > 180) assert_true(q.n < 1500); /* letters */
        else near += q.n;
    }
    assert_true(near > 900 * 900);
    free(p.rgb);
    images[0].title = "a very long title of an image that does not fit above it, over and over again "
                      "\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244";
    for (int k = 0; k < 4; k++) {
        const rw_figure_page small = {.width = 200 + 150 * k, .height = 200, .title = "t"};
        ASSERT_OK(rw_figure_write_images(ctx, "a.png", &small, 2, images));
    }
    remove("a.png");
    ASSERT_FAILS(rw_figure_write_images(ctx, "a.png", NULL, 0, images), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_figure_write_images(ctx, "a.png", NULL, 9, images), RW_ERR_ARGUMENT);
    rw_array_destroy(&images[0].image);
    images[0].image = image_of(dev, RW_U8, 2, 1, 5, fine);
    ASSERT_FAILS(rw_figure_write_images(ctx, "a.png", NULL, 1, images), RW_ERR_ARGUMENT);
    rw_array_destroy(&images[0].image);
    images[0].image = image_of(dev, RW_I32, 2, 2, 1, fine);
    ASSERT_FAILS(rw_figure_write_images(ctx, "a.png", NULL, 1, images), RW_ERR_ARGUMENT);
    rw_array_destroy(&images[0].image), rw_array_destroy(&images[1].image);
    rw_device_close(&dev);
    assert_int_equal(count_files(), 0);
}

static void test_refusals(void **state)
{
    (void)state;
    const double values[4] = {1, 2, 3, 4};
    const rw_figure_field good = {.nx = 2, .ny = 2, .values = values};
    rw_figure_field f = good;
#define REFUSED(page_pointer)                                                                                          \
    ASSERT_FAILS(rw_figure_write_field(ctx, "a.png", page_pointer, &f), RW_ERR_ARGUMENT);                              \
    ASSERT_FAILS(rw_figure_write_surface(ctx, "a.png", page_pointer, &f), RW_ERR_ARGUMENT)
    f.nx = 0;
    REFUSED(NULL);
    f = good, f.ny = 0;
    REFUSED(NULL);
    f = good, f.values = NULL;
    REFUSED(NULL);
    f = good, f.x0 = NAN;
    REFUSED(NULL);
    f = good, f.value.max = INFINITY;
    REFUSED(NULL);
    f = good, f.value.log = true, f.value.min = -1, f.value.max = 1;
    REFUSED(NULL);
    f = good;
    REFUSED((&(rw_figure_page){.width = 100}));
    REFUSED((&(rw_figure_page){.height = 20000}));
    REFUSED((&(rw_figure_page){.width = -5}));
    REFUSED((&(rw_figure_page){.text = 1}));
    REFUSED((&(rw_figure_page){.text = 1000}));
    REFUSED((&(rw_figure_page){.text = NAN}));
    ASSERT_FAILS(rw_figure_write_lines(ctx, "a.png", NULL, &(rw_figure_lines){.n = 1}), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_figure_write_lines(ctx, "a.png", NULL, &(rw_figure_lines){.n = -1}), RW_ERR_ARGUMENT);
    const rw_figure_series s = {NULL, 3, NULL, values, RW_FIGURE_LINE};
    ASSERT_FAILS(rw_figure_write_lines(ctx, "a.png", NULL, &(rw_figure_lines){.n = 1, .series = &s}), RW_ERR_ARGUMENT);
    rw_figure_volume v = {.n = {2, 2, 0}, .values = values};
    ASSERT_FAILS(rw_figure_write_volume(ctx, "a.png", NULL, &v), RW_ERR_ARGUMENT);
    v.n[2] = 1, v.lower[1] = 5;
    ASSERT_FAILS(rw_figure_write_volume(ctx, "a.png", NULL, &v), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_figure_write_field(ctx, "no/a.png", NULL, &good), RW_ERR_FILE);
    assert_int_equal(count_files(), 0);
}

/* Odd sizes, labels, limits and values: each is drawn, and twice the same. */
static void test_odd(void **state)
{
    (void)state;
    static const char *const labels[] = {NULL,       "",
                                         "x / m",    "a label that is far too long for any page, and goes on",
                                         "\xFF\xC3", "µ₀ ∇²φ"};
    static const double extremes[] = {0, 1, -1, 1e-300, 1e300, -1e300, 1e-12, NAN, INFINITY, 5e-324};
    enum { CELLS = 600 };
    double values[CELLS], xs[CELLS];
    const uint64_t seed = 77;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint64_t k = 0; k < (test_long() ? 240 : 60); k++) {
#define PICK(draw, what) ((size_t)(rw_random_u64(seed + k, draw) % (what)))
        rw_figure_page page_given = {.width = 200 + (int)PICK(0, 500),
                                     .height = 200 + (int)PICK(1, 500),
                                     .title = labels[PICK(2, 6)],
                                     .subtitle = labels[PICK(3, 6)]};
        fill_random(values, CELLS, seed + k);
        fill_random(xs, CELLS, seed + k + 1000);
        for (size_t i = PICK(4, 20); i > 0; i--) {
            size_t to = PICK(100 + i, CELLS);
            values[to] = xs[CELLS - 1 - to] = extremes[PICK(200 + i, 10)];
        }
        rw_figure_axis axis = {.label = labels[PICK(5, 6)], .log = PICK(6, 2)};
        if (PICK(7, 2)) axis.min = 0.1 * (double)PICK(8, 10) + 1e-9, axis.max = pow(10, (double)PICK(9, 12) - 6);
        char *bytes[2];
        size_t n[2];
        for (int twice = 0; twice < 2; twice++) {
            if (k % 3 == 0) {
                const rw_figure_field f = {.nx = 1 + k % 20,
                                           .ny = 1 + k % 30,
                                           .values = values,
                                           .value = axis,
                                           .x0 = isfinite(values[3]) ? values[3] : 0,
                                           .y1 = (double)(k % 7),
                                           .x_label = labels[k % 6],
                                           .map = (rw_colormap)(k % RW_COLORMAPS),
                                           .stretch = k % 2};
                ASSERT_OK(k % 2 ? rw_figure_write_field(ctx, "a.png", &page_given, &f)
                                : rw_figure_write_surface(ctx, "a.png", &page_given, &f));
            } else if (k % 3 == 1) {
                rw_figure_series s[5];
                for (size_t i = 0; i < 5; i++)
                    s[i] = (rw_figure_series){labels[(k + i) % 6], k % 9 * (i + 1), xs + 10 * i, values + 20 * i,
                                              (rw_figure_style)((k + i) % 4)};
                const rw_figure_lines l = {.x = {.label = labels[k % 6], .log = k % 2},
                                           .y = axis,
                                           .n = (int)(k % 6),
                                           .series = s};
                ASSERT_OK(rw_figure_write_lines(ctx, "a.png", &page_given, &l));
            } else {
                const rw_figure_volume v = {.n = {1 + k % 9, 1 + k % 8, 1 + k % 7},
                                            .values = values,
                                            .value = axis,
                                            .upper = {1, (double)(k % 30), 1e-7},
                                            .label = {labels[k % 6]},
                                            .choose = k % 2,
                                            .at = {1e9, -1e9, 0}};
                ASSERT_OK(rw_figure_write_volume(ctx, "a.png", &page_given, &v));
            }
            read_whole("a.png", &bytes[twice], &n[twice]);
        }
        assert_int_equal(n[0], n[1]);
        assert_memory_equal(bytes[0], bytes[1], n[0]);
        free(bytes[0]), free(bytes[1]);
    }
}

static rw_status draw_all(void)
{
    static const double values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const rw_figure_page small = {.width = 200, .height = 200};
    const rw_figure_series s = {"s", 8, values, values, RW_FIGURE_LINE_POINTS};
    RW_TRY(rw_figure_write_field(ctx, "a.png", &small, &(rw_figure_field){.nx = 4, .ny = 2, .values = values}));
    RW_TRY(rw_figure_write_surface(ctx, "d.png", &small, &(rw_figure_field){.nx = 4, .ny = 2, .values = values}));
    RW_TRY(rw_figure_write_lines(ctx, "b.png", &small, &(rw_figure_lines){.n = 1, .series = &s}));
    RW_TRY(rw_figure_write_bars(ctx, "e.png", &small,
                                &(rw_figure_bars){.ngroups = 1,
                                                  .nseries = 1,
                                                  .group = &s.name,
                                                  .series = &s.name,
                                                  .values = values}));
    return rw_figure_write_volume(ctx, "c.png", &small, &(rw_figure_volume){.n = {2, 2, 2}, .values = values});
}

static void test_faults(void **state)
{
    (void)state;
    assert_true(each_fault(draw_all, true) > 20);
    assert_int_equal(count_files(), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IO_TEST(test_orientation), IO_TEST(test_sizes),     IO_TEST(test_missing),       IO_TEST(test_limits),
        IO_TEST(test_constant),    IO_TEST(test_averaging), IO_TEST(test_lines),         IO_TEST(test_legend),
        IO_TEST(test_volume),      IO_TEST(test_surface),   IO_TEST(test_surface_hides), IO_TEST(test_surface_corners),
        IO_TEST(test_bars),        IO_TEST(test_images),    IO_TEST(test_refusals),      IO_TEST(test_odd),
        IO_TEST(test_faults),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
