/* Streamlines: they follow the vectors (circles, hyperbolas, straight lines), close, keep their distance, leave no
 * gaps, end at nodes without a value; odd grids, refusals, the same curves twice, faults. */
#include "io_test.h"

#include <math.h>

#include "io/streamlines.h"

#define PI 3.14159265358979323846

static rw_context *ctx;

enum { MOST = 130 * 130 };
static double u[MOST], v[MOST];

/* n x n nodes of [-1, 1]^2. */
static rw_streamline_field square(int n)
{
    return (rw_streamline_field){.nx = (size_t)n,
                                 .ny = (size_t)n,
                                 .u = u,
                                 .v = v,
                                 .origin = {-1, -1},
                                 .spacing = {2.0 / (n - 1), 2.0 / (n - 1)}};
}

static void fill(const rw_streamline_field *f, void (*vector)(double x, double y, double out[2]))
{
    for (size_t j = 0; j < f->ny; j++)
        for (size_t i = 0; i < f->nx; i++) {
            double out[2];
            vector(f->origin[0] + (double)i * f->spacing[0], f->origin[1] + (double)j * f->spacing[1], out);
            u[j * f->nx + i] = out[0];
            v[j * f->nx + i] = out[1];
        }
}

static bool is_closed(const rw_streamlines *l, int i)
{
    return memcmp(l->point[l->offset[i]], l->point[l->offset[i + 1] - 1], sizeof *l->point) == 0;
}

static const double plain[2] = {1, 1};

/* The square of a distance. */
static double square_apart(const double a[2], const double b[2], const double scale[2])
{
    const double x = (a[0] - b[0]) * scale[0], y = (a[1] - b[1]) * scale[1];
    return x * x + y * y;
}

/* The smallest distance of points of different lines. */
static double nearest_lines(const rw_streamlines *l, const double scale[2])
{
    double least = INFINITY;
    for (int a = 0; a < l->n; a++)
        for (int i = l->offset[a]; i < l->offset[a + 1]; i++)
            for (int k = l->offset[a + 1]; k < l->offset[l->n]; k++) {
                const double square = square_apart(l->point[i], l->point[k], scale);
                least = square < least ? square : least;
            }
    return sqrt(least);
}

/* The largest distance of places of [-1, 1]^2, of those that are `inside`, to the nearest line. */
static double largest_gap(const rw_streamlines *l, bool (*inside)(double x, double y))
{
    double most = 0;
    for (int j = 0; j <= 60; j++)
        for (int i = 0; i <= 60; i++) {
            const double at[2] = {-1 + i / 30.0, -1 + j / 30.0};
            double least = INFINITY;
            if (inside && !inside(at[0], at[1])) continue;
            for (int k = 0; k < l->offset[l->n]; k++) {
                const double square = square_apart(l->point[k], at, plain);
                least = square < least ? square : least;
            }
            most = least > most ? least : most;
        }
    return sqrt(most);
}

static void rotation(double x, double y, double out[2])
{
    out[0] = -y;
    out[1] = x;
}

/* Circles; those inside the square close, the others end at its sides. */
static void test_rotation(void **state)
{
    (void)state;
    const double d = 0.1;
    rw_streamline_field f = square(33);
    rw_streamlines l;
    fill(&f, rotation);
    ASSERT_OK(rw_streamlines_create(ctx, &f, d, &l));
    int closed = 0, on_axis[2] = {0, 0};
    double inner = 1;
    for (int i = 0; i < l.n; i++) {
        const double *first = l.point[l.offset[i]], *second = l.point[l.offset[i] + 1],
                     *last = l.point[l.offset[i + 1] - 1], r = hypot(first[0], first[1]);
        for (int k = l.offset[i]; k < l.offset[i + 1]; k++)
            assert_true(fabs(hypot(l.point[k][0], l.point[k][1]) - r) < 1e-3 * r);
        assert_true(first[0] * second[1] - first[1] * second[0] > 0); /* the way round */
        if (r < 0.999) assert_true(is_closed(&l, i));
        closed += is_closed(&l, i);
        inner = fmin(inner, r);
        if (r > 1.001) {
            assert_true(fmax(fabs(first[0]), fabs(first[1])) > 1 - 0.01 * d);
            assert_true(fmax(fabs(last[0]), fabs(last[1])) > 1 - 0.01 * d);
        }
        on_axis[0] += is_closed(&l, i) && r < 0.5;
        on_axis[1] += is_closed(&l, i) && r >= 0.5;
    }
    assert_in_range(closed, 9, 12);
    assert_true(inner < 2 * d && on_axis[0] >= 4 && on_axis[1] >= 4);
    assert_true(nearest_lines(&l, plain) >= 0.5 * d);
    assert_true(largest_gap(&l, NULL) < 2 * d);
    rw_streamlines_free(&l);
    assert_true(l.n == 0 && !l.offset && !l.point);
}

static void slanted(double x, double y, double out[2])
{
    (void)x, (void)y;
    out[0] = 3;
    out[1] = 1;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Straight lines from side to side, evenly spaced. */
static void test_uniform(void **state)
{
    (void)state;
    const double d = 0.15;
    rw_streamline_field f = square(20);
    rw_streamlines l;
    double at[100];
    fill(&f, slanted);
    ASSERT_OK(rw_streamlines_create(ctx, &f, d, &l));
    assert_in_range(l.n, 12, 24);
    for (int i = 0; i < l.n; i++) {
        at[i] = (-l.point[l.offset[i]][0] + 3 * l.point[l.offset[i]][1]) / sqrt(10);
        for (int k = l.offset[i]; k < l.offset[i + 1]; k++) {
            assert_true(fabs((-l.point[k][0] + 3 * l.point[k][1]) / sqrt(10) - at[i]) < 1e-12);
            if (k > l.offset[i]) assert_true(l.point[k][0] > l.point[k - 1][0]);
        }
        assert_true(fabs(l.point[l.offset[i]][0]) > 0.999 || fabs(l.point[l.offset[i]][1]) > 0.999);
    }
    qsort(at, (size_t)l.n, sizeof *at, compare);
    for (int i = 1; i < l.n; i++) assert_true(at[i] - at[i - 1] >= 0.5 * d && at[i] - at[i - 1] <= 2 * d);
    assert_true(largest_gap(&l, NULL) < 2 * d);
    rw_streamlines_free(&l);
}

static void saddle(double x, double y, double out[2])
{
    out[0] = x;
    out[1] = -y;
}

/* Hyperbolas x y = const, of which none passes the saddle point. */
static void test_saddle(void **state)
{
    (void)state;
    const double d = 0.1;
    rw_streamline_field f = square(41);
    rw_streamlines l;
    fill(&f, saddle);
    ASSERT_OK(rw_streamlines_create(ctx, &f, d, &l));
    for (int i = 0; i < l.n; i++) {
        const double *first = l.point[l.offset[i]];
        for (int k = l.offset[i]; k < l.offset[i + 1]; k++)
            assert_true(fabs(l.point[k][0] * l.point[k][1] - first[0] * first[1]) < 1e-4);
        assert_false(is_closed(&l, i));
    }
    assert_true(nearest_lines(&l, plain) >= 0.5 * d);
    assert_true(largest_gap(&l, NULL) < 2 * d);
    rw_streamlines_free(&l);
}

static void sink(double x, double y, double out[2])
{
    out[0] = -x - 0.3 * y;
    out[1] = 0.3 * x - y;
}

/* Lines end in the sink at the latest. */
static void test_sink(void **state)
{
    (void)state;
    rw_streamline_field f = square(31);
    rw_streamlines l;
    fill(&f, sink);
    ASSERT_OK(rw_streamlines_create(ctx, &f, 0.1, &l));
    for (int i = 0; i < l.n; i++)
        for (int k = l.offset[i] + 1; k < l.offset[i + 1]; k++)
            assert_true(hypot(l.point[k][0], l.point[k][1]) < hypot(l.point[k - 1][0], l.point[k - 1][1]) + 1e-3);
    assert_true(nearest_lines(&l, plain) >= 0.05);
    assert_true(largest_gap(&l, NULL) < 0.2);
    rw_streamlines_free(&l);
}

/* Waves of random amplitudes and phases: of a streamfunction, or of the components. */
static void random_field(uint64_t seed, bool solenoidal, const rw_streamline_field *f)
{
    memset(u, 0, sizeof u);
    memset(v, 0, sizeof v);
    for (uint64_t w = 0; w < 12; w++) {
        const double kx = PI * (1 + 3 * rw_random_uniform(seed, 5 * w)),
                     phase = 2 * PI * rw_random_uniform(seed, 5 * w + 1),
                     ky = PI * (1 + 3 * rw_random_uniform(seed, 5 * w + 2)),
                     a = rw_random_uniform(seed, 5 * w + 3) - 0.5, b = rw_random_uniform(seed, 5 * w + 4) - 0.5;
        for (size_t k = 0; k < f->nx * f->ny; k++) {
            const double x = f->origin[0] + (double)(k % f->nx) * f->spacing[0],
                         y = f->origin[1] + (double)(k / f->nx) * f->spacing[1],
                         c = cos(kx * x + (w % 2 ? ky : -ky) * y + phase);
            u[k] += solenoidal ? a * (w % 2 ? ky : -ky) * c : a * c;
            v[k] -= solenoidal ? a * kx * c : b * c;
        }
    }
}

static void test_random(void **state)
{
    (void)state;
    const int64_t n = test_long() ? 200 : 10;
    const double d = 0.08;
    for (int64_t seed = 1; seed <= n; seed++) {
        rw_streamline_field f = square(65);
        rw_streamlines l, again;
        random_field((uint64_t)seed, seed % 2, &f);
        ASSERT_OK(rw_streamlines_create(ctx, &f, d, &l));
        assert_true(nearest_lines(&l, plain) >= 0.5 * d);
        const double gap = largest_gap(&l, NULL);
        if (gap > 2 * d) fail_msg("seed %d: a gap of %g separations", (int)seed, gap / d);
        for (int i = 0; i < l.n; i++)
            for (int k = l.offset[i] + 1; k < l.offset[i + 1]; k++)
                assert_true(square_apart(l.point[k], l.point[k - 1], plain) < pow(0.17 * d, 2));
        ASSERT_OK(rw_streamlines_create(ctx, &f, d, &again));
        assert_int_equal(l.n, again.n);
        assert_memory_equal(l.offset, again.offset, (size_t)(l.n + 1) * sizeof *l.offset);
        assert_memory_equal(l.point, again.point, (size_t)l.offset[l.n] * sizeof *l.point);
        rw_streamlines_free(&l);
        rw_streamlines_free(&again);
    }
}

static bool is_outside(double x, double y) { return hypot(x, y) > 0.45 && fabs(x - 0.7) > 0.1; }

/* A disc without values, and a wall that separates a part of the plane: lines end there, and are on both sides. */
static void test_missing(void **state)
{
    (void)state;
    rw_streamline_field f = square(81);
    rw_streamlines l;
    fill(&f, slanted);
    int right = 0;
    for (size_t k = 0; k < f.nx * f.ny; k++) {
        const double x = -1 + (double)(k % f.nx) * f.spacing[0], y = -1 + (double)(k / f.nx) * f.spacing[1];
        if (hypot(x, y) < 0.4) u[k] = NAN;
        if (fabs(x - 0.7) < 0.04) v[k] = k % 2 ? INFINITY : NAN;
    }
    ASSERT_OK(rw_streamlines_create(ctx, &f, 0.1, &l));
    for (int k = 0; k < l.offset[l.n]; k++) {
        assert_true(hypot(l.point[k][0], l.point[k][1]) >= 0.4 - 0.036 && fabs(l.point[k][0] - 0.7) >= 0.025);
        right += l.point[k][0] > 0.8;
    }
    assert_true(right > 50);
    assert_true(largest_gap(&l, is_outside) < 0.2);
    rw_streamlines_free(&l);
    for (size_t k = 0; k < f.nx * f.ny; k++) u[k] = NAN;
    ASSERT_OK(rw_streamlines_create(ctx, &f, 0.1, &l));
    assert_int_equal(l.n, 0);
    rw_streamlines_free(&l);
}

/* With a scale, distances are those of the scaled plane; the curves are the same ones. */
static void test_scale(void **state)
{
    (void)state;
    rw_streamline_field f = square(33);
    f.spacing[0] *= 1e-3;
    f.origin[0] *= 1e-3;
    f.scale[0] = 1000;
    f.scale[1] = 1;
    rw_streamlines l;
    for (size_t k = 0; k < f.nx * f.ny; k++) {
        u[k] = 1 - (double)(k / f.nx) / 16;
        v[k] = -1e3 * (1 - (double)(k % f.nx) / 16);
        u[k] *= 1e-3;
        v[k] *= 1e-3;
    }
    ASSERT_OK(rw_streamlines_create(ctx, &f, 0.1, &l));
    int closed = 0;
    for (int i = 0; i < l.n; i++) {
        const double *first = l.point[l.offset[i]], r = hypot(1000 * first[0], first[1]);
        for (int k = l.offset[i]; k < l.offset[i + 1]; k++)
            assert_true(fabs(hypot(1000 * l.point[k][0], l.point[k][1]) - r) < 1e-3 * r);
        closed += is_closed(&l, i);
    }
    assert_in_range(closed, 9, 12);
    assert_true(nearest_lines(&l, f.scale) >= 0.05);
    rw_streamlines_free(&l);
}

static void test_odd(void **state)
{
    (void)state;
    rw_streamlines l;
    for (int i = 0; i < MOST; i++) u[i] = v[i] = 1;
    for (size_t n = 0; n < 2; n++) {
        rw_streamline_field f = {.nx = n, .ny = 5, .u = u, .v = v, .spacing = {1, 1}};
        ASSERT_OK(rw_streamlines_create(ctx, &f, 0.5, &l));
        assert_int_equal(l.n, 0);
        rw_streamlines_free(&l);
        f = (rw_streamline_field){.nx = 5, .ny = n, .u = u, .v = v, .spacing = {1, 1}};
        ASSERT_OK(rw_streamlines_create(ctx, &f, 0.5, &l));
        assert_int_equal(l.n, 0);
        rw_streamlines_free(&l);
    }
    rw_streamline_field f = {.nx = 2, .ny = 2, .u = u, .v = v, .spacing = {1, 1}};
    ASSERT_OK(rw_streamlines_create(ctx, &f, 0.2, &l));
    assert_in_range(l.n, 5, 9);
    rw_streamlines_free(&l);
    ASSERT_OK(rw_streamlines_create(ctx, &f, 100, &l)); /* no line is that long */
    assert_int_equal(l.n, 0);
    rw_streamlines_free(&l);
    for (int i = 0; i < 4; i++) u[i] = v[i] = 0;
    ASSERT_OK(rw_streamlines_create(ctx, &f, 0.2, &l));
    assert_int_equal(l.n, 0);
    rw_streamlines_free(&l);
    for (int i = 0; i < 4; i++) u[i] = 1e300, v[i] = 1e-300;
    ASSERT_OK(rw_streamlines_create(ctx, &f, 0.2, &l));
    assert_in_range(l.n, 4, 9);
    rw_streamlines_free(&l);
    const double bad[] = {0, -1, NAN, INFINITY, 1e-9};
    for (int i = 0; i < RW_COUNT(bad); i++) {
        ASSERT_FAILS(rw_streamlines_create(ctx, &f, bad[i], &l), RW_ERR_ARGUMENT);
        assert_true(l.n == 0 && !l.offset && !l.point);
    }
    f.spacing[1] = NAN;
    ASSERT_FAILS(rw_streamlines_create(ctx, &f, 0.2, &l), RW_ERR_ARGUMENT);
    f.spacing[1] = 0;
    ASSERT_FAILS(rw_streamlines_create(ctx, &f, 0.2, &l), RW_ERR_ARGUMENT);
}

static rw_status trace(void)
{
    rw_streamline_field f = square(9);
    rw_streamlines l;
    fill(&f, rotation);
    const rw_status status = rw_streamlines_create(ctx, &f, 0.2, &l);
    if (status != RW_OK) assert_true(l.n == 0 && !l.offset && !l.point);
    rw_streamlines_free(&l);
    return status;
}

static void test_faults(void **state)
{
    (void)state;
    assert_true(each_fault(trace, false) > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {IO_TEST(test_rotation), IO_TEST(test_uniform), IO_TEST(test_saddle),
                                       IO_TEST(test_sink),     IO_TEST(test_random),  IO_TEST(test_missing),
                                       IO_TEST(test_scale),    IO_TEST(test_odd),     IO_TEST(test_faults)};
    if (rw_context_create(&ctx) != RW_OK) return 1;
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    rw_context_destroy(&ctx);
    return failures;
}
