/* Complex fields of the problem pde on each device: the same steps as with two real fields, their real and imaginary
 * parts, in one to three dimensions, f64 and f32, both layouts and orders, all kinds of sides. What is written here in
 * complex numbers is written there by hand. */
/* TEST: devices=check */
#include "../devices.h"

#include <math.h>

#include "run/case.h"
#include "run/pde/pde.h"

enum { STEPS = 3, PARTS = 4 };

typedef struct opened {
    rw_case *c;
    rw_problem *p;
} opened;

static opened open_case(const char *text)
{
    opened o = {0};
    int64_t bytes;
    OK(rw_case_parse(ctx, "case.yaml", text, strlen(text), NULL, 0, rw_problems, &o.c));
    OK(rw_case_problem(o.c)->create(o.c, dev, false, &bytes, &o.p));
    return o;
}

static void close_case(opened *o)
{
    o->p->ops->destroy(&o->p);
    rw_case_free(&o->c);
}

static const void *data_of(const opened *o, int field)
{
    const void *data;
    OK(rw_array_read(o->p->fields[field].array, &data));
    return data;
}

static double number(const void *data, bool single, int64_t i)
{
    return single ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

/* Sides of A = a + 1i b: as A has them, and as a and b have them. Last a side in parts. */
static const struct {
    const char *sides, *a, *b;
} kinds[] = {
    {"periodic", "periodic", "periodic"},
    {"\"x + 2i*t\"", "x", "2*t"},
    {"{neumann: \"1 - 1i*x\"}", "{neumann: 1}", "{neumann: \"-x\"}"},
    {"{left: {robin: [1, 2, \"1i + t\"]}, right: 1i}", "{left: {robin: [1, 2, t]}, right: 0}",
     "{left: {robin: [1, 2, 1]}, right: 1}"},
    {"{left: [{where: \"y < 0.5\", dirichlet: \"1 + 1i\"}, {neumann: 2i}], right: symmetric}",
     "{left: [{where: \"y < 0.5\", dirichlet: 1}, {neumann: 0}], right: symmetric}",
     "{left: [{where: \"y < 0.5\", dirichlet: 1}, {neumann: 2}], right: symmetric}"},
};
static const char *const grids[] = {"[9]", "[9, 8]", "[9, 8, 7]"};

/* (1 + 0.5i) laplace A + (2 - 1i) dx(A) - (1 + 2i) |A|^2 A + conj(A) */
static void write_both(int dimension, int kind, bool single, bool cell, int order, char complex[2048], char real[2048])
{
    static const char *const head = "problem: pde\ngrid: {size: %s, order: %d, layout: %s, precision: %s}\n";
    static const char *const tail = "time: {end: 1, method: rk4, step: 0.002}\n";
    const char *layout = cell ? "cell" : "auto", *precision = single ? "f32" : "f64";
    int n = snprintf(complex, 2048, head, grids[dimension], order, layout, precision);
    snprintf(complex + n, (size_t)(2048 - n),
             "parameters: {D: 1 + 0.5i, c: 2*D - real(D) + 1i}\n"
             "fields: {A: {type: complex, initial: \"sin(3*x) + 1i*cos(2*x)\", boundary: %s}}\n"
             "equations: \"dA/dt = D*laplace(A) + (2 - 1i)*dx(A) - c*abs(A)^2*A + conj(A)\"\n%s",
             kinds[kind].sides, tail);
    n = snprintf(real, 2048, head, grids[dimension], order, layout, precision);
    snprintf(real + n, (size_t)(2048 - n),
             "fields: {a: {initial: \"sin(3*x)\", boundary: %s}, b: {initial: \"cos(2*x)\", boundary: %s}}\n"
             "equations: |\n"
             "  s = a^2 + b^2\n"
             "  da/dt = laplace(a) - 0.5*laplace(b) + 2*dx(a) + dx(b) - s*(a - 2*b) + a\n"
             "  db/dt = 0.5*laplace(a) + laplace(b) + 2*dx(b) - dx(a) - s*(2*a + b) - b\n%s",
             kinds[kind].a, kinds[kind].b, tail);
}

static void compare(int dimension, int kind, bool single, bool cell, int order)
{
    char complex[2048], real[2048];
    write_both(dimension, kind, single, cell, order, complex, real);
    opened z = open_case(complex), r = open_case(real);
    const rw_dtype type = single ? RW_C64 : RW_C128;
    assert_int_equal(rw_array_dtype(z.p->fields[0].array), type);
    for (int i = 0; i < STEPS; ++i) {
        OK(z.p->ops->march->step(z.p, 1));
        OK(r.p->ops->march->step(r.p, 1));
    }
    const void *A = data_of(&z, 0), *a = data_of(&r, 0), *b = data_of(&r, 1);
    const int64_t n = rw_array_size(z.p->fields[0].array);
    double largest = 0, low = INFINITY, high = 0, sum = 0, row[8];
    for (int64_t i = 0; i < n; ++i) {
        const double re = number(A, single, 2 * i), im = number(A, single, 2 * i + 1), size = hypot(re, im);
        largest = fmax(largest, fmax(fabs(re - number(a, single, i)), fabs(im - number(b, single, i))));
        low = fmin(low, size);
        high = fmax(high, size);
        sum += size;
    }
    const double eps = single ? 1.2e-7 : 2.3e-16; /* times 1/h^2, h/dt and the stages: rounding errors of each */
    if (!(largest <= 2000 * eps))
        fail_msg("%s, sides %d, %s, layout %s, order %d: real fields differ by %g", grids[dimension], kind,
                 single ? "f32" : "f64", cell ? "cell" : "auto", order, largest);
    /* columns: of the modulus */
    assert_int_equal(z.p->ncolumns, 5);
    assert_string_equal(z.p->columns[2].name, "A_abs_min");
    assert_string_equal(z.p->columns[3].name, "A_abs_max");
    assert_string_equal(z.p->columns[4].name, "A_abs_mean");
    OK(z.p->ops->row(z.p, row));
    assert_true(fabs(row[2] - low) <= 4 * eps && fabs(row[3] - high) <= 4 * eps * high);
    assert_true(fabs(row[4] - sum / (double)n) <= 1000 * eps);
    assert_true(high - low > 0.1); /* the field is no constant */
    close_case(&z);
    close_case(&r);
}

static void test_complex_is_two_real_fields(void **state)
{
    (void)state;
    /* the short version takes each kind of side in each dimension once, the other choices in turn */
    for (int dimension = 0; dimension < 3; ++dimension)
        for (int kind = 0; kind < RW_COUNT(kinds); ++kind)
            for (int how = 0; how < 8; ++how) {
                const bool single = how & 1, cell = how & 2 || kind == PARTS;
                if (dimension == 0 && kind == PARTS) continue;              /* they differ in y */
                const bool all = test_long() && (on("cpu") || on("check")); /* others compile for minutes */
                if (!all && how != (3 * dimension + 5 * kind) % 8) continue;
                if (brief() && !in_turn(dimension, kind)) continue;
                compare(dimension, kind, single, cell, how & 4 ? 4 : 2);
            }
}

static void run_and_check(const char *text, const char *name)
{
    opened o = open_case(text);
    const rw_problem_check *list;
    int n;
    const double end = o.p->end;
    while (o.p->ops->march->time(o.p) < end) OK(o.p->ops->march->step(o.p, end));
    OK(o.p->ops->check(o.p, &list, &n));
    for (int i = 0; i < n; ++i)
        if (!list[i].passed) fail_msg("%s: %s is %g", name, list[i].name, list[i].value);
    close_case(&o);
}

/* Adaptive methods: the plane wave a exp(i (k x - w t)) with a^2 = 1 - k^2 and w = c (1 - k^2) + b k^2. k^2 is that of
 * the differences, so that the solution is exact. */
static void test_methods(void **state)
{
    (void)state;
    static const char *const methods[] = {"dp5", "rkc2", "rock4"};
    for (int m = 0; m < RW_COUNT(methods); ++m) {
        char text[1024];
        snprintf(text, sizeof text,
                 "problem: pde\ngrid: {size: 32, extent: 20}\n"
                 "parameters: {b: 0.4, c: -0.7, q: 2*pi/20, k2: (2*sin(q*20/64)/(20/32))^2, w: c*(1 - k2) + b*k2}\n"
                 "functions: \"wave(t) = sqrt(1 - k2)*exp(1i*(q*x - w*t))\"\n"
                 "fields: {A: {type: complex, initial: wave(0), boundary: periodic}}\n"
                 "equations: \"dA/dt = A + (1 + 1i*b)*laplace(A) - (1 + 1i*c)*abs(A)^2*A\"\n"
                 "time: {end: 1, method: %s, rtol: 1e-7, atol: 1e-9}\n"
                 "checks: {wave: {value: \"normmax(A - wave(t))\", tolerance: 2e-6},\n"
                 "         turned: {value: \"normmax(A - wave(0))\", expect: 0.5, tolerance: 0.1}}\n",
                 methods[m]);
        run_and_check(text, methods[m]);
    }
}

/* Error control where the squares of moduli overflow in f32, and where they underflow. */
static void test_scales(void **state)
{
    (void)state;
    static const char *const scales[] = {"1", "1e25", "1e-25"};
    for (int i = 0; i < RW_COUNT(scales); ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 "problem: pde\ngrid: {size: 8, precision: f32}\n"
                 "fields: {A: {type: complex, initial: \"%s*(1 + 1i*x)\", boundary: periodic}}\n"
                 "equations: \"dA/dt = 1i*A*(1 + x)\"\n"
                 "time: {end: 20, rtol: 1e-4, atol: 1e-30, method: dp5}\n"
                 "checks: {e: {value: \"normmax(A/%s - (1 + 1i*x)*exp(1i*t*(1 + x)))\", tolerance: 1e-2}}\n",
                 scales[i], scales[i]);
        run_and_check(text, scales[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_complex_is_two_real_fields),
                                       cmocka_unit_test(test_methods), cmocka_unit_test(test_scales)};
    return run_on_devices("complex_pde", tests, RW_COUNT(tests));
}
