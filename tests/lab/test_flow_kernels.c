/* The kernels of the study `flow`: dot products and norms of many sizes against sums in long double, with all elements
 * whatever the number of work-items, but for D1 as it was printed; products by diagonals with a stride, eigenvalue and
 * symmetry of the five-point matrix; updates. */
#include "../devices.h"

#include <float.h>
#include <math.h>

#include "lab/flow_kernels.h"

static const double pi = 3.14159265358979323846;

static double get(bool f64, const void *p, int64_t i)
{
    return f64 ? ((const double *)p)[i] : (double)((const float *)p)[i];
}
static void set(bool f64, void *p, int64_t i, double value)
{
    if (f64) ((double *)p)[i] = value;
    else ((float *)p)[i] = (float)value;
}

/* Uniform in [low, low + 1); seed 0: all 1. */
static rw_array *vector(bool f64, int64_t n, uint64_t seed, double low)
{
    rw_array *a = new_array(f64 ? RW_F64 : RW_F32, n, RW_MEMORY_DEVICE);
    void *w;
    OK(rw_array_write(a, &w));
    for (int64_t i = 0; i < n; ++i) set(f64, w, i, seed ? low + rw_random_uniform(seed, (uint64_t)i) : 1);
    return a;
}

static const void *read(rw_array *a)
{
    const void *p;
    OK(rw_array_read(a, &p));
    return p;
}

/* ---- dot products ------------------------------------------------------------------------------------------------ */

static const int64_t sizes[] = {1, 31, 32, 33, 1025, 15361, 1044484};
static const struct {
    int block;
    int64_t groups;
} launches[] = {{256, 2}, {0, 0}, {32, 1}, {1024, 3}, {1, 7}, {256, 30}, {64, 130}};

static int size_count(void) { return RW_COUNT(sizes) - !on("cpu"); }

static long double exact(bool f64, rw_array *x, rw_array *y, int64_t n)
{
    const void *p = read(x), *q = read(y);
    long double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += (long double)get(f64, p, i) * get(f64, q, i);
    return sum;
}

static void check_dots(rw_flow_kernels *k, int64_t n)
{
    rw_array *one = vector(k->f64, n, 0, 0), *x = vector(k->f64, n, 3, 0), *y = vector(k->f64, n, 4, 0);
    const long double xy = exact(k->f64, x, y, n), xx = exact(k->f64, x, x, n);
    const bool few = k->block * k->groups < 128; /* sums of f32 are long */
    for (int d = RW_FLOW_D1; d < RW_FLOW_DOTS; ++d) {
        const long double wanted = d == RW_FLOW_NORM ? xx : xy;
        double sum;
        OK(rw_flow_dot_value(k, (rw_flow_dot)d, one, one, n, &sum));
        if (sum != (double)n)
            fail_msg("%s of %lld ones, %d x %lld items: %.17g", rw_flow_dot_names[d], (long long)n, k->block,
                     (long long)k->groups, sum);
        OK(rw_flow_dot_value(k, (rw_flow_dot)d, x, y, n, &sum));
        const double error = (double)fabsl(sum / wanted - 1);
        if (!(error <= (k->f64 ? 1e-12 : few ? 1e-3 : 1e-5)))
            fail_msg("%s of %lld numbers, %d x %lld items: relative error %.3g", rw_flow_dot_names[d], (long long)n,
                     k->block, (long long)k->groups, error);
    }
    rw_array_destroy(&one), rw_array_destroy(&x), rw_array_destroy(&y);
}

/* K1 */
static void test_dots(void **state)
{
    (void)state;
    for (int f64 = 0; f64 < 2; ++f64)
        for (int i = 0; i < RW_COUNT(launches); ++i) {
            rw_flow_kernels k;
            if (brief() && i > 1) continue;
            OK(rw_flow_kernels_create(dev, f64, launches[i].block, launches[i].groups, &k));
            for (int s = 0; s < size_count(); ++s) check_dots(&k, sizes[s]);
            rw_flow_kernels_free(&k);
        }
}

/* K2: n / (m + 1) + 1 elements for each of m items are too few where n is a multiple of m and some more. */
static void test_d1_as_printed(void **state)
{
    (void)state;
    static const struct {
        int64_t n, groups, covered;
    } cases[] = {{1024, 2, 1024}, {1025, 2, 1024}, {15361, 30, 15360}, {1044484, 30, 1044480}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        const int64_t n = cases[i].n;
        rw_flow_kernels k;
        double sum, corrected;
        if (n > 20000 && !on("cpu")) continue;
        OK(rw_flow_kernels_create(dev, true, 256, cases[i].groups, &k));
        rw_array *one = vector(true, n, 0, 0);
        OK(rw_flow_dot_value(&k, RW_FLOW_D1_2010, one, one, n, &sum));
        OK(rw_flow_dot_value(&k, RW_FLOW_D1, one, one, n, &corrected));
        assert_true(sum == (double)cases[i].covered);
        assert_int_equal(rw_flow_missing(n, 256 * cases[i].groups), n - cases[i].covered);
        assert_true(corrected == (double)n);
        assert_int_equal(k.traffic.scalars, 2);
        rw_array_destroy(&one);
        rw_flow_kernels_free(&k);
    }
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* K3: the document's example, with its gaps filled by numbers that must not be used. */
static void test_example(void **state)
{
    (void)state;
    static const int32_t offset[] = {-2, 0, 1};
    static const double data[] = {NAN, NAN, 5, 6, 1, 2, 3, 4, 7, 8, 9, NAN}, wanted[] = {15, 28, 50, 28};
    for (int f64 = 0; f64 < 2; ++f64)
        for (int stride = 4; stride < 40; stride += 31) {
            rw_flow_kernels k;
            rw_flow_matrix a;
            OK(rw_flow_kernels_create(dev, f64, 0, 0, &k));
            OK(rw_flow_matrix_create(dev, f64, 4, 4, stride, 3, offset, data, &a));
            rw_array *x = vector(f64, 4, 0, 0), *y = vector(f64, 4, 0, 0);
            void *w;
            OK(rw_array_write(x, &w));
            for (int i = 0; i < 4; ++i) set(f64, w, i, i + 1);
            for (int s = RW_FLOW_S1; s < RW_FLOW_S4; ++s) {
                OK(rw_array_zero(y, queue));
                OK(rw_flow_multiply(&k, (rw_flow_product)s, &a, x, y));
                for (int i = 0; i < 4; ++i) assert_true(get(f64, read(y), i) == wanted[i]);
            }
            FAILS(RW_ERR_ARGUMENT, "not of five points", rw_flow_multiply(&k, RW_FLOW_S4, &a, x, y));
            rw_array_destroy(&x), rw_array_destroy(&y);
            rw_flow_matrix_free(&a);
            rw_flow_kernels_free(&k);
        }
}

/* All products leave the same bits, whatever the stride and the group; rows are those of the plain sum. */
static void check_products(bool f64, int block, int64_t nx, int64_t ny, int64_t more)
{
    const int64_t n = nx * ny;
    rw_flow_kernels k;
    rw_flow_matrix a;
    OK(rw_flow_kernels_create(dev, f64, block, 1, &k));
    OK(rw_flow_five_points(dev, f64, nx, ny, 4.25, -1.125, n + more, &a));
    rw_array *x = vector(f64, n, 7, -0.5), *y[RW_FLOW_PRODUCTS];
    const double eps = f64 ? DBL_EPSILON : FLT_EPSILON;
    for (int s = 0; s < RW_FLOW_PRODUCTS; ++s) {
        y[s] = vector(f64, n, 0, 0);
        OK(rw_flow_multiply(&k, (rw_flow_product)s, &a, x, y[s]));
        if (s > 0) same_bits(rw_flow_product_names[s], y[s], y[0]);
    }
    const void *u = read(x), *v = read(y[0]);
    for (int64_t r = 0; r < n; ++r) {
        const int64_t i = r % nx, j = r / nx;
        const double sum = 4.25 * get(f64, u, r) -
                           1.125 * ((i > 0 ? get(f64, u, r - 1) : 0) + (i < nx - 1 ? get(f64, u, r + 1) : 0) +
                                    (j > 0 ? get(f64, u, r - nx) : 0) + (j < ny - 1 ? get(f64, u, r + nx) : 0));
        assert_true(fabs(get(f64, v, r) - sum) <= 32 * eps);
    }
    for (int s = 0; s < RW_FLOW_PRODUCTS; ++s) rw_array_destroy(&y[s]);
    rw_array_destroy(&x);
    rw_flow_matrix_free(&a);
    rw_flow_kernels_free(&k);
}

static void test_products(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{1, 1}, {1, 9}, {5, 1}, {37, 29}, {300, 7}};
    for (int f64 = 0; f64 < 2; ++f64)
        for (int i = 0; i < RW_COUNT(shapes); ++i) {
            check_products(f64, 0, shapes[i][0], shapes[i][1], 0);
            check_products(f64, 0, shapes[i][0], shapes[i][1], 13);
            if (!brief()) check_products(f64, 4, shapes[i][0], shapes[i][1], 1);
        }
}

/* K4: A sin(pi k x) sin(pi l y) = 4/h^2 (sin^2(pi k h/2) + sin^2(pi l h/2)) sin(pi k x) sin(pi l y) */
static void test_eigenvalues(void **state)
{
    (void)state;
    enum { N = 64, INSIDE = N - 2 };
    static const int modes[][2] = {{1, 1}, {3, 2}, {17, 40}, {62, 62}};
    const double h = 1.0 / (N - 1);
    rw_flow_kernels k;
    rw_flow_matrix a;
    OK(rw_flow_kernels_create(dev, true, 0, 0, &k));
    OK(rw_flow_five_points(dev, true, INSIDE, INSIDE, 4 / (h * h), -1 / (h * h), INSIDE * INSIDE, &a));
    rw_array *x = vector(true, INSIDE * INSIDE, 0, 0), *y = vector(true, INSIDE * INSIDE, 0, 0);
    for (int m = 0; m < RW_COUNT(modes); ++m) {
        const double wk = pi * modes[m][0] * h, wl = pi * modes[m][1] * h,
                     value = 4 / (h * h) * (sin(wk / 2) * sin(wk / 2) + sin(wl / 2) * sin(wl / 2));
        void *w;
        OK(rw_array_write(x, &w));
        for (int i = 0; i < INSIDE * INSIDE; ++i)
            ((double *)w)[i] = sin(wk * (i % INSIDE + 1)) * sin(wl * (i / INSIDE + 1));
        for (int s = 0; s < RW_FLOW_PRODUCTS; ++s) {
            OK(rw_flow_multiply(&k, (rw_flow_product)s, &a, x, y));
            const double *u = read(x), *v = read(y);
            /* where the mode is small rounding is that of its neighbours */
            for (int i = 0; i < INSIDE * INSIDE; ++i)
                assert_true(fabs(v[i] - value * u[i]) <= 1e-10 * value * fmax(fabs(u[i]), 1e-2));
        }
    }
    rw_array_destroy(&x), rw_array_destroy(&y);
    rw_flow_matrix_free(&a);
    rw_flow_kernels_free(&k);
}

/* K5: x . A y = y . A x; rows whose point has all neighbours inside sum to 0. */
static void test_symmetry(void **state)
{
    (void)state;
    enum { NX = 41, NY = 23, ALL = NX * NY };
    rw_flow_kernels k;
    rw_flow_matrix a;
    double xay, yax;
    OK(rw_flow_kernels_create(dev, true, 0, 0, &k));
    OK(rw_flow_five_points(dev, true, NX, NY, 4, -1, ALL, &a));
    rw_array *x = vector(true, ALL, 11, -0.5), *y = vector(true, ALL, 12, -0.5), *z = vector(true, ALL, 0, 0),
             *one = vector(true, ALL, 0, 0);
    for (int s = 0; s < RW_FLOW_PRODUCTS; ++s) {
        OK(rw_flow_multiply(&k, (rw_flow_product)s, &a, y, z));
        OK(rw_flow_dot_value(&k, RW_FLOW_D5, x, z, ALL, &xay));
        OK(rw_flow_multiply(&k, (rw_flow_product)s, &a, x, z));
        OK(rw_flow_dot_value(&k, RW_FLOW_D5, y, z, ALL, &yax));
        assert_true(fabs(xay - yax) <= 1e-12 * ALL);
        OK(rw_flow_multiply(&k, (rw_flow_product)s, &a, one, z));
        const double *sums = read(z);
        for (int i = 0; i < ALL; ++i) {
            const int sides = (i % NX == 0) + (i % NX == NX - 1) + (i < NX) + (i >= ALL - NX);
            assert_true(sums[i] == sides);
        }
    }
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&z), rw_array_destroy(&one);
    rw_flow_matrix_free(&a);
    rw_flow_kernels_free(&k);
}

/* ---- updates ----------------------------------------------------------------------------------------------------- */

static void test_updates(void **state)
{
    (void)state;
    enum { N = 3001 };
    for (int f64 = 0; f64 < 2; ++f64) {
        rw_flow_kernels k;
        OK(rw_flow_kernels_create(dev, f64, 0, 0, &k));
        rw_array *x = vector(f64, N, 21, 0), *y = vector(f64, N, 22, 0), *r = vector(f64, N, 23, 0),
                 *p = vector(f64, N, 24, 0);
        const double eps = f64 ? DBL_EPSILON : FLT_EPSILON;
        OK(rw_flow_saxpy(&k, 1.5, x, y, N));
        OK(rw_flow_direction(&k, -0.75, x, p, N));
        const void *q = read(y), *d = read(p);
        for (int i = 0; i < N; ++i) {
            const double u = get(f64, read(x), i);
            assert_true(fabs(get(f64, q, i) - (1.5 * u + rw_random_uniform(22, (uint64_t)i))) <= 8 * eps);
            assert_true(fabs(get(f64, d, i) - (u - 0.75 * rw_random_uniform(24, (uint64_t)i))) <= 8 * eps);
        }
        OK(rw_flow_residual(&k, x, y, r, p, N));
        same_bits("p <- r", r, p);
        for (int i = 0; i < N; ++i)
            assert_true(fabs(get(f64, read(r), i) - (get(f64, read(x), i) - get(f64, read(y), i))) <= 4 * eps);
        rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&r), rw_array_destroy(&p);
        rw_flow_kernels_free(&k);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const int32_t offset[] = {0};
    static const double data[] = {1, 1};
    rw_flow_kernels k;
    rw_flow_matrix a;
    FAILS(RW_ERR_ARGUMENT, "a power of two", rw_flow_kernels_create(dev, true, 48, 1, &k));
    FAILS(RW_ERR_ARGUMENT, "a power of two", rw_flow_kernels_create(dev, true, 2048, 1, &k));
    FAILS(RW_ERR_ARGUMENT, "groups from 1", rw_flow_kernels_create(dev, true, 64, -1, &k));
    FAILS(RW_ERR_ARGUMENT, "stride must be at least", rw_flow_matrix_create(dev, true, 2, 2, 1, 1, offset, data, &a));
    FAILS(RW_ERR_ARGUMENT, "diagonals are 1 to", rw_flow_matrix_create(dev, true, 2, 2, 2, 33, offset, data, &a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dots),        cmocka_unit_test(test_d1_as_printed),
                                       cmocka_unit_test(test_example),     cmocka_unit_test(test_products),
                                       cmocka_unit_test(test_eigenvalues), cmocka_unit_test(test_symmetry),
                                       cmocka_unit_test(test_updates),     cmocka_unit_test(test_refused)};
    return run_on_devices("flow kernels", tests, RW_COUNT(tests));
}
