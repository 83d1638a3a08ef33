/* Observed orders of all methods, the page docs/methods/elliptic-order.md: all layouts, kinds of sides, order 2 and 4,
 * one to three dimensions.
 *
 *   RECHENWERK_ORDERS=docs/methods/elliptic-order.md build/tests/elliptic/test_order   writes the page (5 minutes)
 *
 * Manufactured solutions: u is a product of one function per axis, from which the equation and the values on sides
 * follow. The page, its rows and columns: order_page.h. */
#include "order_page.h"
#include "problem.h"

/* ---- manufactured solutions -------------------------------------------------------------------------------------- */

/* The factor sin(w x + shift) of the solution along an axis. */
typedef struct wave {
    double w, shift;
} wave;

#define PI 3.14159265358979323846
static wave wave_of(const problem *p, int axis)
{
    static const wave waves[] = {{3, 0.3}, {2.5, 0.4}, {2, 0.5}},
                      periodic[] = {{2 * PI, 0.4}, {2 * PI, PI / 2}, {2 * PI, 1}};
    return p->fields[0].boundary[2 * axis].kind == RW_BOUNDARY_PERIODIC ? periodic[axis] : waves[axis];
}

/* u, or its derivative along an axis; -1: none. */
static void write_product(const problem *p, int derivative, char *text, size_t size)
{
    for (int d = 0, n = 0; d < p->spec.grid.ndim; ++d) {
        const wave f = wave_of(p, d);
        if (d) n += snprintf(text + n, size - (size_t)n, "*");
        if (d == derivative) n += snprintf(text + n, size - (size_t)n, "%.17g*", f.w);
        n += snprintf(text + n, size - (size_t)n, "%s(%.17g*%c + %.17g)", d == derivative ? "cos" : "sin", f.w,
                      "xyz"[d], f.shift);
    }
}

typedef struct manufactured {
    char equation[1024], value[256], sides[6][640];
} manufactured;

/* varying: a coefficient 1 + x/2. */
static void manufacture(problem *p, manufactured *m, bool varying)
{
    char slope[320];
    double squares = 0;
    for (int d = 0; d < p->spec.grid.ndim; ++d) squares += wave_of(p, d).w * wave_of(p, d).w;
    write_product(p, -1, m->value, sizeof m->value);
    write_product(p, 0, slope, sizeof slope);
    if (varying)
        snprintf(m->equation, sizeof m->equation, "div((1 + 0.5*x)*grad(u)) - u = 0.5*%s - (1 + %.17g*(1 + 0.5*x))*%s",
                 slope, squares, m->value);
    else snprintf(m->equation, sizeof m->equation, "laplace(u) - u = %.17g*%s", -squares - 1, m->value);
    p->spec.equations = m->equation;
    for (int side = 0; side < 2 * p->spec.grid.ndim; ++side) {
        rw_boundary *b = p->fields[0].boundary + side;
        const char *sign = side % 2 ? "" : "-";
        write_product(p, side / 2, slope, sizeof slope);
        switch (b->kind) {
        case RW_BOUNDARY_DIRICHLET: b->a = m->value; break;
        case RW_BOUNDARY_NEUMANN:
            snprintf(m->sides[side], sizeof *m->sides, "%s%s", sign, slope);
            b->a = m->sides[side];
            break;
        case RW_BOUNDARY_ROBIN:
            snprintf(m->sides[side], sizeof *m->sides, "2*%s + %s%s", m->value, sign, slope);
            *b = (rw_boundary){b->kind, "2", "1", m->sides[side]};
            break;
        default: break;
        }
    }
}

static double value_of(const problem *p, int64_t node)
{
    const rw_grid *g = &p->spec.grid;
    double value = 1;
    for (int d = 0; d < g->ndim; ++d) {
        const wave f = wave_of(p, d);
        value *= sin(f.w * (g->origin[d] + g->spacing[d] * (double)(node % g->size[d])) + f.shift);
        node /= g->size[d];
    }
    return value;
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

/* The largest error with n nodes per axis. */
static double error_of(int ndim, const column *c, int r, int64_t n, double *h)
{
    problem p;
    manufactured m;
    double error = 0;
    begin(&p, NULL, 1, ndim, (int64_t[]){n, n, n});
    p.spec.layout = c->layout;
    p.spec.order = c->order;
    p.spec.method = c->method;
    for (int side = 0; side < 2 * ndim; ++side)
        p.fields[0].boundary[side] = (rw_boundary){.kind = pairs[row_of(r, side / 2)].kind[side % 2]};
    for (int d = 0; d < ndim; ++d) place_axis(&p, d);
    manufacture(&p, &m, c->method != RW_ELLIPTIC_TRANSFORM && r != PERIODIC);
    make_arrays(&p);
    make_solver(&p);
    OK(rw_elliptic_solve(p.solver, &p.result));
    for (int64_t i = 0; i < nodes_of(&p); ++i) error = fmax(error, fabs((double)at(p.arrays[0], i) - value_of(&p, i)));
    *h = p.spec.grid.spacing[0];
    drop(&p);
    return error;
}

static double observe(int ndim, int c, int r)
{
    const column of = column_of(c);
    const int64_t n = coarse[ndim][of.order / 2 - 1];
    double h[2];
    const double first = error_of(ndim, &of, r, n, h), second = error_of(ndim, &of, r, 2 * n, h + 1);
    const double order = log(first / second) / log(h[0] / h[1]);
    print_message("%d-D, %s, order %d, layout %d, %s: %.2e -> %.2e, observed %.2f\n", ndim,
                  rw_elliptic_method_name(of.method), of.order, of.layout, pairs[r].name, first, second, order);
    return order;
}

/* The order agrees with the page, which has two decimals, and reaches what the formulas promise. */
static void compare(int ndim, int c, int r, double observed)
{
    const double expected = page_value(read_page(PAGE), titles[ndim], pairs[r].name, c);
    assert_true(isnan(expected) == !exists(ndim, c, r));
    if (isnan(observed)) return;
    if (!(fabs(observed - expected) < 0.05))
        fail_msg("%d-D, column %d, %s: observed %.2f, " PAGE " has %.2f", ndim, c, pairs[r].name, observed, expected);
    assert_true(observed > column_of(c).order - 0.5);
}

/* Each order of the page has two programs to compile: a part of them. */
static void test_orders(void **state)
{
    (void)state;
    static double observed[4][COLUMNS][ROWS];
    const char *output = getenv("RECHENWERK_ORDERS");
    if (output && !*output) output = NULL;
    const int every = output ? 1 : test_long() ? 7 : 23;
    int turn = 0;
    for (int ndim = 1; ndim <= 3; ++ndim)
        for (int c = 0; c < COLUMNS; ++c)
            for (int r = 0; r < ROWS; ++r) {
                const bool measured = exists(ndim, c, r) && turn++ % every == 0;
                observed[ndim][c][r] = measured ? observe(ndim, c, r) : NAN;
                if (!output) compare(ndim, c, r, observed[ndim][c][r]);
            }
    if (output) write_page(output, observed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders)};
    setenv("RECHENWERK_TEST_DEVICES", "cpu", 1);
    setenv("RECHENWERK_OPTIMISE", "never", 1); /* compiling takes most of the time */
    return run_on_devices("elliptic order", tests, RW_COUNT(tests));
}
