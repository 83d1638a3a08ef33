/* Observed orders on manufactured solutions: 2 and 4 in space for every kind of side in one, two and three dimensions,
 * 4 (RK4) and 2 (RKC2) in time. A solution is given as text; its source term and boundary values are texts too, so the
 * test knows them independently of the library's differences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../long.h"
#include "../values.h"
#include "device/device.h"
#include "rechenwerk/ode.h"

static rw_context *ctx;
static rw_device *dev;

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != RW_OK) fail_msg("%s: %s", #call, rw_message(ctx));                                               \
    } while (0)

/* A scalar computed from the state: normmax(u - exact). */
static double measure(const rw_ode_spec *s, const char *text, rw_array **u, double t)
{
    rw_expr *e;
    double value;
    rw_expr_scalar time = {.name = "t", .value = t};
    rw_expr_spec spec = {.name = "measure",
                         .text = text,
                         .grid = s->grid,
                         .fields = s->fields,
                         .nfields = s->nfields,
                         .scalars = &time,
                         .nscalars = 1};
    OK(rw_expr_create(dev, &spec, &e));
    for (int f = 0; f < s->nfields; ++f) OK(rw_expr_bind(e, s->fields[f].name, u[f]));
    OK(rw_expr_run(e, rw_device_queue(dev)));
    if (rw_expr_get(e, "r", &value, NULL) != RW_OK) value = 0; /* an assignment only */
    rw_expr_destroy(&e);
    return value;
}

static void make_arrays(const rw_ode_spec *s, rw_array **u)
{
    int64_t shape[3];
    for (int d = 0; d < s->grid.ndim; ++d) shape[d] = s->grid.size[s->grid.ndim - 1 - d];
    for (int f = 0; f < s->nfields; ++f) OK(rw_array_create(dev, RW_F64, s->grid.ndim, shape, RW_MEMORY_DEVICE, &u[f]));
}

/* ---- space ------------------------------------------------------------------------------------------------------- */

typedef struct space_case {
    const char *name, *exact, *equation;
    int ndim;
    rw_boundary sides[6];
} space_case;

/* u = exp(-t) cos(2x) + x t on [0, 1];  u_x = -2 exp(-t) sin(2x) + t */
#define U1 "exp(-t)*cos(2*x) + x*t"
#define S1 "du/dt = laplace(u) + 3*exp(-t)*cos(2*x) + x"
#define D1                                                                                                             \
    {                                                                                                                  \
        RW_BOUNDARY_DIRICHLET, U1, 0, 0                                                                                \
    }
#define NL1                                                                                                            \
    {                                                                                                                  \
        RW_BOUNDARY_NEUMANN, "2*exp(-t)*sin(2*x) - t", 0, 0                                                            \
    }
#define NR1                                                                                                            \
    {                                                                                                                  \
        RW_BOUNDARY_NEUMANN, "-2*exp(-t)*sin(2*x) + t", 0, 0                                                           \
    }
#define RL1                                                                                                            \
    {                                                                                                                  \
        RW_BOUNDARY_ROBIN, "3", "2", "3*(" U1 ") + 2*(2*exp(-t)*sin(2*x) - t)"                                         \
    }
#define RR1                                                                                                            \
    {                                                                                                                  \
        RW_BOUNDARY_ROBIN, "1 + t", "0.5", "(1 + t)*(" U1 ") + 0.5*(-2*exp(-t)*sin(2*x) + t)"                          \
    }
/* u = exp(-t) sin(x + 2 y): u_x = C, u_y = 2 C with C = exp(-t) cos(x + 2 y) */
#define U2 "exp(-t)*sin(x + 2*y)"
#define C2 "exp(-t)*cos(x + 2*y)"
#define S2 "du/dt = laplace(u) + 0.5*dx(u) - u^2 + 4*(" U2 ") - 0.5*" C2 " + (" U2 ")^2"
/* periodic in z */
#define U3 "(1 + t)*cos(x)*sin(y)*cos(2*pi*z)"
#define S3 "du/dt = laplace(u) + cos(x)*sin(y)*cos(2*pi*z)*(1 + (1 + t)*(2 + 4*pi^2))"

static const space_case space[] = {
    {"1-D Dirichlet Dirichlet", U1, S1, 1, {D1, D1}},
    {"1-D Dirichlet Neumann", U1, S1, 1, {D1, NR1}},
    {"1-D Neumann Neumann", U1, S1, 1, {NL1, NR1}},
    {"1-D Neumann Dirichlet", U1, S1, 1, {NL1, D1}},
    {"1-D Robin Robin", U1, S1, 1, {RL1, RR1}},
    {"1-D Robin Dirichlet", U1, S1, 1, {RL1, D1}},
    {"1-D periodic",
     "exp(-t)*sin(2*pi*x)",
     "du/dt = laplace(u) + (4*pi^2 - 1)*exp(-t)*sin(2*pi*x)",
     1,
     {{RW_BOUNDARY_PERIODIC, 0, 0, 0}, {RW_BOUNDARY_PERIODIC, 0, 0, 0}}},
    {"2-D all kinds",
     U2,
     S2,
     2,
     {{RW_BOUNDARY_DIRICHLET, U2, 0, 0},
      {RW_BOUNDARY_NEUMANN, C2, 0, 0},
      {RW_BOUNDARY_ROBIN, "2", "1", "2*(" U2 ") - 2*" C2},
      {RW_BOUNDARY_DIRICHLET, U2, 0, 0}}},
    {"3-D",
     U3,
     S3,
     3,
     {{RW_BOUNDARY_NEUMANN, "(1 + t)*sin(x)*sin(y)*cos(2*pi*z)", 0, 0},
      {RW_BOUNDARY_DIRICHLET, U3, 0, 0},
      {RW_BOUNDARY_DIRICHLET, U3, 0, 0},
      {RW_BOUNDARY_NEUMANN, "(1 + t)*cos(x)*cos(y)*cos(2*pi*z)", 0, 0},
      {RW_BOUNDARY_PERIODIC, 0, 0, 0},
      {RW_BOUNDARY_PERIODIC, 0, 0, 0}}},
};

#define RADIATION                                                                                                      \
    {                                                                                                                  \
        "1-D radiation and Robin", U1, S1, 1,                                                                          \
        {                                                                                                              \
            {RW_BOUNDARY_NEUMANN, "-u^3 + (" U1 ")^3 + 2*exp(-t)*sin(2*x) - t", 0, 0},                                 \
            {                                                                                                          \
                RW_BOUNDARY_ROBIN, "u", "1 + u^2", "(" U1 ")^2 + (1 + (" U1 ")^2)*(t - 2*exp(-t)*sin(2*x))"            \
            }                                                                                                          \
        }                                                                                                              \
    }
/* Sides that read fields. The value on a side from its slope by differences inwards, of order 2 and 4; in layout cell
 * u is half a spacing inside, and the value on the side is extrapolated. */
static const struct reading_case {
    space_case c;
    rw_grid_layout layout;
    int order;
} reading[] = {
    {RADIATION, RW_GRID_AUTO, 2},
    {RADIATION, RW_GRID_AUTO, 4},
    {{"1-D value from a slope",
      U1,
      S1,
      1,
      {{RW_BOUNDARY_DIRICHLET, "(4*inner(u, 1) - inner(u, 2) + 2*hn*(2*exp(-t)*sin(2*x) - t))/3", 0, 0}, D1}},
     RW_GRID_AUTO,
     2},
    {{"1-D value from a slope",
      U1,
      S1,
      1,
      {{RW_BOUNDARY_DIRICHLET,
        "(48*inner(u, 1) - 36*inner(u, 2) + 16*inner(u, 3) - 3*inner(u, 4) + 12*hn*(2*exp(-t)*sin(2*x) - t))/25", 0, 0},
       D1}},
     RW_GRID_AUTO,
     4},
    {{"1-D radiation",
      U1,
      S1,
      1,
      {{RW_BOUNDARY_NEUMANN, "-(1.5*u - 0.5*inner(u, 1))^3 + (" U1 ")^3 + 2*exp(-t)*sin(2*x) - t", 0, 0}, D1}},
     RW_GRID_CELL,
     2},
    {{"2-D differences along",
      U2,
      S2,
      2,
      {{RW_BOUNDARY_DIRICHLET, U2, 0, 0},
       {RW_BOUNDARY_NEUMANN, "dy(u)/2", 0, 0},
       {RW_BOUNDARY_ROBIN, "2 + u", "1", "(2 + " U2 ")*(" U2 ") - 2*dx(u)"},
       {RW_BOUNDARY_DIRICHLET, U2, 0, 0}}},
     RW_GRID_AUTO,
     2},
};

/* Largest error at the end with n intervals on each axis of length 1. */
static double space_error(const space_case *c, rw_grid_layout layout, int n, int order, double end)
{
    rw_expr_field field = {.name = "u", .dtype = RW_F64};
    memcpy(field.boundary, c->sides, sizeof c->sides);
    rw_ode_spec s = {.name = c->name,
                     .equations = c->equation,
                     .order = order,
                     .layout = layout,
                     .fields = &field,
                     .nfields = 1,
                     .method = RW_ODE_RK4};
    s.grid.ndim = c->ndim;
    for (int d = 0; d < 3; ++d) {
        bool used = d < c->ndim, lower = used && c->sides[2 * d].kind == RW_BOUNDARY_DIRICHLET,
             upper = used && c->sides[2 * d + 1].kind == RW_BOUNDARY_DIRICHLET,
             periodic = used && c->sides[2 * d].kind == RW_BOUNDARY_PERIODIC;
        s.grid.size[d] = !used ? 1 : periodic ? n : n + 1 - lower - upper;
        s.grid.spacing[d] = used ? 1. / n : 1, s.grid.origin[d] = lower ? 1. / n : 0;
        if (used && layout == RW_GRID_CELL) {
            s.grid.size[d] = n;
            s.grid.origin[d] = 0.5 / n;
        }
        if (used && layout == RW_GRID_NODE) {
            s.grid.size[d] = periodic ? n : n + 1;
            s.grid.origin[d] = 0;
        }
    }
    char text[512];
    rw_ode *ode;
    rw_array *u;
    make_arrays(&s, &u);
    snprintf(text, sizeof text, "u = %s", c->exact);
    measure(&s, text, &u, 0);
    OK(rw_ode_create(dev, &s, &ode));
    OK(rw_ode_bind(ode, "u", u));
    while (rw_ode_time(ode) < end) OK(rw_ode_step(ode, end));
    snprintf(text, sizeof text, "r = normmax(u - (%s))", c->exact);
    double error = measure(&s, text, &u, end);
    rw_ode_destroy(&ode);
    rw_array_destroy(&u);
    return error;
}

static const char *const layouts[] = {"auto", "cell", "node"};

/* The short version takes every eleventh of all layouts, the last of them in three dimensions. */
static void check_orders(rw_grid_layout layout)
{
    static int turn = 0;
    for (size_t i = 0; i < sizeof space / sizeof *space; ++i)
        for (int order = 2; order <= 4; order += 2) {
            if (turn++ % 11 != 9 && !test_long()) continue;
            int n = space[i].ndim == 3 ? 8 : order == 4 ? 12 : 16;
            double end = space[i].ndim == 3 ? 0.05 : 0.1;
            double coarse = space_error(space + i, layout, n, order, end),
                   fine = space_error(space + i, layout, 2 * n, order, end), observed = log2(coarse / fine);
            print_message("%s %-26s order %d: %.2e -> %.2e, observed %.2f\n", layouts[layout], space[i].name, order,
                          coarse, fine, observed);
            assert_true(observed > order - 0.25);
        }
}

static void test_order_in_space(void **state)
{
    (void)state;
    check_orders(RW_GRID_AUTO);
    check_orders(RW_GRID_CELL);
    check_orders(RW_GRID_NODE);
}

static void test_sides_that_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * (sizeof reading / sizeof *reading); ++i) {
        const struct reading_case *r = reading + i / 2;
        const rw_grid_layout layout = i % 2 ? RW_GRID_NODE : r->layout;
        if (i % 2 && r->layout == RW_GRID_CELL) continue;
        if (!test_long() && i % 3 != 2) continue; /* of each kind of side one */
        const int n = r->order == 4 ? 12 : r->c.ndim == 2 ? 16 : 32;
        const double coarse = space_error(&r->c, layout, n, r->order, 0.1),
                     fine = space_error(&r->c, layout, 2 * n, r->order, 0.1), observed = log2(coarse / fine);
        print_message("%s %-26s order %d: %.2e -> %.2e, observed %.2f\n", layouts[layout], r->c.name, r->order, coarse,
                      fine, observed);
        assert_true(observed > r->order - 0.25);
    }
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static double final_difference(rw_ode_method method, int steps, const double *reference, double *result, int n)
{
    rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64}, {.name = "v", .dtype = RW_F64}};
    for (int f = 0; f < 2; ++f)
        for (int side = 0; side < 4; ++side) fields[f].boundary[side].kind = RW_BOUNDARY_PERIODIC;
    const double end = 0.4, h = end / steps;
    rw_ode_spec s = {.name = "time",
                     .equations = "r = u^2*v + cos(3*t)\ndu/dt = 1 + r - 4*u + 0.01*laplace(u)\n"
                                  "dv/dt = 3*u - r + 0.02*laplace(v)",
                     .grid = {2, {n, n, 1}, {1. / n, 1. / n, 1}, {0, 0, 0}},
                     .fields = fields,
                     .nfields = 2,
                     .method = method,
                     .step = h,
                     .max_step = h,
                     .initial_step = h,
                     .rtol = 1,
                     .atol = 1e6};
    rw_array *u[2];
    rw_ode *ode;
    const void *data;
    make_arrays(&s, u);
    measure(&s, "u = 1 + 0.3*sin(2*pi*x)*cos(2*pi*y); v = 2 + 0.2*cos(2*pi*x)", u, 0);
    OK(rw_ode_create(dev, &s, &ode));
    for (int f = 0; f < 2; ++f) OK(rw_ode_bind(ode, fields[f].name, u[f]));
    while (rw_ode_time(ode) < end) OK(rw_ode_step(ode, end));
    assert_in_range(statistics_of(ode).steps, steps, steps + 1); /* rounding may leave a last tiny step */
    double worst = 0;
    for (int f = 0; f < 2; ++f) {
        OK(rw_array_read(u[f], &data));
        for (int i = 0; i < n * n; ++i) {
            if (reference) worst = fmax(worst, fabs(((const double *)data)[i] - reference[f * n * n + i]));
            if (result) result[f * n * n + i] = ((const double *)data)[i];
        }
    }
    rw_ode_destroy(&ode);
    for (int f = 0; f < 2; ++f) rw_array_destroy(&u[f]);
    return worst;
}

static void test_order_in_time(void **state)
{
    (void)state;
    enum { N = 16 };
    static double reference[2 * N * N];
    static const struct {
        rw_ode_method method;
        const char *name;
        int steps;
        double order;
    } cases[] = {{RW_ODE_RK4, "RK4", 32, 4}, {RW_ODE_RKC2, "RKC2", 16, 2}};
    final_difference(RW_ODE_RK4, 1024, NULL, reference, N);
    for (int i = 0; i < 2; ++i) {
        double coarse = final_difference(cases[i].method, cases[i].steps, reference, NULL, N);
        double fine = final_difference(cases[i].method, 2 * cases[i].steps, reference, NULL, N);
        double observed = log2(coarse / fine);
        print_message("%s: %.2e -> %.2e, observed order %.2f\n", cases[i].name, coarse, fine, observed);
        assert_true(fabs(observed - cases[i].order) < 0.2);
    }
}

static int setup(void **state)
{
    (void)state;
    return rw_context_create(&ctx) != RW_OK || rw_device_open(ctx, "cpu", &dev) != RW_OK;
}

static int teardown(void **state)
{
    (void)state;
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order_in_space), cmocka_unit_test(test_sides_that_read),
                                       cmocka_unit_test(test_order_in_time)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
