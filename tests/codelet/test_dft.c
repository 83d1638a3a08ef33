/* Small transforms against the definition in long double: every size to 32 and some beyond, forward and inverse, f32
 * and f64, on every device; and what they cost. */
/* TEST: devices=all */
#include <float.h>
#include <math.h>

#include "../devices.h"
#include "codelet/codelet.h"

enum { LINES = 5, MOST = RW_CODELET_MOST };
static const int sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19,  20,  21,  22,
                            23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 36, 40, 45, 48, 49, 60, 64, 81, 100, 121, 125, 128};

static void add_kernel(rw_text *t, const char *real, int n, bool inverse)
{
    rw_text_add(t, "KERNEL(run_%d, GLOBAL %s *y, GLOBAL const %s *x, long lines)\n{\n    EACH_IN(i, 0, lines)\n    {\n",
                n, real, real);
    rw_codelet_variables(t, real, n);
    for (int k = 0; k < n; ++k)
        rw_text_add(t, "        re%d = x[2 * (i * %d + %d)]; im%d = x[2 * (i * %d + %d) + 1];\n", k, n, k, k, n, k);
    rw_codelet_dft(t, real, n, inverse, NULL);
    for (int k = 0; k < n; ++k)
        rw_text_add(t, "        y[2 * (i * %d + %d)] = re%d; y[2 * (i * %d + %d) + 1] = im%d;\n", n, k, k, n, k, k);
    rw_text_add(t, "    }\n}\n");
}

static long double part_of(const void *data, bool f32, int64_t i)
{
    return f32 ? ((const float *)data)[i] : ((const double *)data)[i];
}

/* Root of the mean square of the error over that of the result, in units of the type's epsilon. */
static double error_of(const void *x, const void *y, bool f32, int n, bool inverse)
{
    static const long double two_pi = 6.283185307179586476925286766559005768L;
    long double wrong = 0, all = 0;
    for (int line = 0; line < LINES; ++line)
        for (int k = 0; k < n; ++k) {
            long double re = 0, im = 0;
            for (int j = 0; j < n; ++j) {
                const long double a = two_pi * (long double)(j * k % n) / n, c = cosl(a),
                                  s = inverse ? sinl(a) : -sinl(a);
                const long double p = part_of(x, f32, 2 * (line * n + j)), q = part_of(x, f32, 2 * (line * n + j) + 1);
                re += c * p - s * q, im += c * q + s * p;
            }
            const long double dr = part_of(y, f32, 2 * (line * n + k)) - re,
                              di = part_of(y, f32, 2 * (line * n + k) + 1) - im;
            wrong += dr * dr + di * di, all += re * re + im * im;
        }
    return (double)(sqrtl(wrong / all) / (f32 ? (long double)FLT_EPSILON : (long double)DBL_EPSILON));
}

static void compare(rw_program *p, bool f32, int n, bool inverse, double *worst)
{
    rw_array *x = new_array(f32 ? RW_C64 : RW_C128, LINES * n, RW_MEMORY_DEVICE),
             *y = new_array(f32 ? RW_C64 : RW_C128, LINES * n, RW_MEMORY_DEVICE);
    char name[32];
    void *w;
    const void *in, *out;
    OK(rw_array_write(x, &w));
    for (int i = 0; i < 2 * LINES * n; ++i) {
        const double v = 2 * rw_random_uniform(5 + (uint64_t)n, (uint64_t)i) - 1;
        if (f32) ((float *)w)[i] = (float)v;
        else ((double *)w)[i] = v;
    }
    snprintf(name, sizeof name, "run_%d", n);
    const rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_int(LINES)};
    OK(launch1(queue, kernel_of(p, name), 1, args, 3));
    OK(rw_array_read(x, &in));
    OK(rw_array_read(y, &out));
    const double error = error_of(in, out, f32, n, inverse);
    *worst = RW_MAX(*worst, error);
    if (!(error < 1))
        fail_msg("%s, %d points, %s: %.3g epsilon", f32 ? "f32" : "f64", n, inverse ? "inverse" : "forward", error);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

/* A compiler takes seconds for the long ones, gcc for some processors minutes: those beyond 16 points run in one
 * direction a type, those beyond 64, which no plan uses, in f64 only. */
static bool chosen(int n, int i, bool f32, bool inverse)
{
    if (test_long()) return n <= 16 || (f32 == inverse && (n <= 64 || !f32));
    return f32 != inverse && (n <= (brief() ? 9 : 16) || (n <= 25 && i % (brief() ? 15 : 9) == 2));
}

/* Sizes that make up about BATCH points share a program, so that none takes a compiler minutes. */
static void test_against_the_definition(void **state)
{
    (void)state;
    enum { BATCH = 100 };
    for (int f32 = 0; f32 < 2; ++f32)
        for (int inverse = 0; inverse < 2; ++inverse) {
            const rw_define d[] = {{"GROUP", "8"}};
            double worst = 0;
            for (int first = 0, next; first < RW_COUNT(sizes); first = next) {
                rw_text t = {0};
                rw_program *p;
                int points = 0;
                for (next = first; next < RW_COUNT(sizes) && points < BATCH; ++next)
                    if (chosen(sizes[next], next, f32, inverse))
                        add_kernel(&t, f32 ? "f32" : "f64", sizes[next], inverse), points += sizes[next];
                assert_false(t.failed);
                if (!points) continue;
                OK(rw_program_create(dev, "codelets", t.data, d, 1, &p));
                for (int i = first; i < next; ++i)
                    if (chosen(sizes[i], i, f32, inverse)) compare(p, f32, sizes[i], inverse, &worst);
                rw_program_destroy(&p);
                rw_text_free(&t);
            }
            if (worst > 0)
                print_message("# %s, %s: root mean square error of at most %.2f epsilon\n", f32 ? "f32" : "f64",
                              inverse ? "inverse" : "forward", worst);
        }
}

/* Operations of the sizes that transforms are made of. 16 points are 8 transforms of 4, 16 additions each, and nine
 * factors: four eighth roots (two additions, two products), four others (two products, two fused), and -i. */
static void test_cost(void **state)
{
    (void)state;
    static const struct {
        int n, adds, products, fmas;
    } rows[] = {{2, 4, 0, 0}, {4, 16, 0, 0}, {8, 52, 4, 0}, {16, 136, 16, 8}, {3, 10, 2, 2}, {5, 20, 4, 12}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_text t = {0};
        rw_codelet_cost c;
        rw_codelet_dft(&t, "f64", rows[i].n, false, &c);
        if (c.adds != rows[i].adds || c.products != rows[i].products || c.fmas != rows[i].fmas)
            fail_msg("%d points: %d additions, %d products, %d fused; %d, %d, %d expected", rows[i].n, c.adds,
                     c.products, c.fmas, rows[i].adds, rows[i].products, rows[i].fmas);
        rw_text_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_the_definition), cmocka_unit_test(test_cost)};
    return run_on_devices("dft", tests, RW_COUNT(tests));
}
