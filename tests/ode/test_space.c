/* Observed orders in space, the page docs/methods/order.md: all layouts, all pairs of kinds of sides, sides of two
 * parts, sides that read fields, order 2 and 4, one to three dimensions.
 *
 *   RECHENWERK_ORDERS=docs/methods/order.md build/tests/ode/test_space     writes the page (half an hour)
 *
 * Each row of a table is a field of its own. All have the exact solution u = exp(-t) sin(X), X = 0.3 + w0 x + w1 y +
 * w2 z, of du/dt = laplace(u) + dx(u)/2 + source. One integrator computes all fields whose nodes agree. The page and
 * its rows: order_page.h. */
#include "../long.h"
#include "device/device.h"
#include "order_page.h"
#include "rechenwerk/ode.h"

static rw_context *ctx;
static rw_device *dev;

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != RW_OK) fail_msg("%s: %s", #call, rw_message(ctx));                                               \
    } while (0)

static bool is_periodic(int r) { return rows[r].lower.kind == RW_BOUNDARY_PERIODIC; }

static bool exists(int r, rw_grid_layout layout, int ndim)
{
    if (rows[r].parts && ndim == 1) return false;
    return !rows[r].moves || layout != RW_GRID_AUTO;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

typedef struct setting {
    rw_grid_layout layout;
    int ndim, order;
    bool periodic;
    char other[16]; /* name of the field of row OTHER, if it is computed too */
} setting;

static const char *weight(const setting *s, int axis)
{
    return axis == 0 ? s->periodic ? "(2*pi)" : "2" : axis == 1 ? "1.5" : "1";
}

static void exact(const setting *s, const char *function, char *out, size_t size)
{
    static const char *const coordinates[] = {"x", "y", "z"};
    int n = snprintf(out, size, "(exp(-t)*%s(0.3", function);
    for (int d = 0; d < s->ndim; ++d)
        n += snprintf(out + n, size - (size_t)n, " + %s*%s", weight(s, d), coordinates[d]);
    snprintf(out + n, size - (size_t)n, "))");
}

/* The value of a field on a side, from nodes where none is there; %s is the field. */
static const char *value_on_side(const setting *s)
{
    if (s->layout != RW_GRID_CELL) return "%s";
    return s->order == 2 ? "(1.5*%s - 0.5*inner(%s, 1))"
                         : "((35*%s - 35*inner(%s, 1) + 21*inner(%s, 2) - 5*inner(%s, 3))/16)";
}

/* The same from the outward derivative S on the side and nodes: the polynomial of degree 2 or 4. In layout cell of
 * order 2 the value for which the ghost node is that of a Neumann side, 2g - U0 = U0 + hS. Others would leave an error
 * of order 1, since the ghost node 2g - U0 has an error of order h^2. */
static const char *value_from_slope(const setting *s)
{
    if (s->layout == RW_GRID_CELL)
        return s->order == 2 ? "(@ + hn*S/2)"
                             : "((3675*@ - 1225*inner(@, 1) + 441*inner(@, 2) - 75*inner(@, 3) + 840*hn*S)/2816)";
    return s->order == 2 ? "((4*inner(@, 1) - inner(@, 2) + 2*hn*S)/3)"
                         : "((48*inner(@, 1) - 36*inner(@, 2) + 16*inner(@, 3) - 3*inner(@, 4) + 12*hn*S)/25)";
}

/* Replaces the letters of a template. Lower-case letters are words of the language. */
static void fill(const setting *s, const char *template, const char *name, int face, char *out, size_t size)
{
    char u[160], derivative[160], outward[200], value[200];
    size_t n = 0;
    exact(s, "sin", u, sizeof u);
    exact(s, "cos", derivative, sizeof derivative);
    snprintf(outward, sizeof outward, "(%s%s*%s)", face % 2 ? "" : "-", weight(s, face / 2), derivative);
    for (const char *p = template; *p; ++p) {
        char single[] = {*p, 0};
        const char *insert = single;
        if (*p == '@') insert = name;
        if (*p == 'U') insert = u;
        if (*p == 'S') insert = outward;
        if (*p == 'V' || *p == 'W') {
            const char *of = *p == 'V' ? name : s->other;
            assert_true(*of);
            snprintf(value, sizeof value, value_on_side(s), of, of, of, of);
            insert = value;
        }
        assert_true(n + strlen(insert) < size);
        n += (size_t)snprintf(out + n, size - n, "%s", insert);
    }
    out[n] = 0;
}

static rw_boundary make_side(const setting *s, const side *from, const char *name, int face, char (*texts)[TEXT])
{
    rw_boundary b = {.kind = from->kind};
    const char *templates[] = {from->a, from->b, from->c};
    const char **results[] = {&b.a, &b.b, &b.c};
    for (int i = 0; i < 3; ++i) {
        char with_slope[TEXT];
        if (!templates[i]) continue;
        snprintf(with_slope, sizeof with_slope, "%s",
                 strcmp(templates[i], "L") == 0 ? value_from_slope(s) : templates[i]);
        fill(s, with_slope, name, face, texts[i], TEXT);
        *results[i] = texts[i];
    }
    return b;
}

/* ---- one integrator ---------------------------------------------------------------------------------------------- */

/* Sides of y: those of x with Neumann and Robin exchanged; of z: those of x. Rows from the periodic one on have
 * Dirichlet and Neumann sides there. */
static const side *side_of(int r, int face)
{
    static const side dirichlet = DIRICHLET, neumann = NEUMANN, robin = ROBIN;
    const side *x = face % 2 ? &rows[r].upper : &rows[r].lower;
    if (face < 2) return x;
    if (r >= PERIODIC_ROW) return face % 2 ? &neumann : &dirichlet;
    if (x->kind == RW_BOUNDARY_DIRICHLET || face / 2 == 2) return x;
    return x->kind == RW_BOUNDARY_NEUMANN ? &robin : &neumann;
}

/* Bits of the sides whose node is in no array: layout auto computes fields together only where these agree. */
static int nodes_of(const setting *s, int r)
{
    int bits = is_periodic(r) ? 1 << 6 : 0;
    for (int face = 0; face < 2 * s->ndim && s->layout == RW_GRID_AUTO; ++face)
        bits |= (side_of(r, face)->kind == RW_BOUNDARY_DIRICHLET) << face;
    return bits;
}

static rw_grid make_grid(const setting *s, int r, int n)
{
    rw_grid grid = {.ndim = s->ndim};
    for (int d = 0; d < 3; ++d) {
        const bool used = d < s->ndim, periodic = d == 0 && is_periodic(r),
                   lower = used && side_of(r, 2 * d)->kind == RW_BOUNDARY_DIRICHLET,
                   upper = used && side_of(r, 2 * d + 1)->kind == RW_BOUNDARY_DIRICHLET;
        grid.size[d] = !used ? 1 : periodic || s->layout == RW_GRID_CELL ? n : n + 1;
        grid.spacing[d] = used ? 1. / n : 1;
        if (used && s->layout == RW_GRID_AUTO) {
            grid.size[d] -= lower + upper;
            grid.origin[d] = lower ? 1. / n : 0;
        }
        if (used && s->layout == RW_GRID_CELL) grid.origin[d] = 0.5 / n;
    }
    return grid;
}

/* A program over the fields of an integrator, run once; `errors` gets its scalars r0, r1, … unless it is NULL. */
static void run_program(const rw_ode_spec *s, const char *text, rw_array **u, double t, double *errors)
{
    rw_expr *e;
    rw_expr_scalar time = {.name = "t", .value = t};
    rw_expr_spec spec = {.name = "program",
                         .text = text,
                         .grid = s->grid,
                         .order = s->order,
                         .layout = s->layout,
                         .fields = s->fields,
                         .nfields = s->nfields,
                         .scalars = &time,
                         .nscalars = 1};
    OK(rw_expr_create(dev, &spec, &e));
    for (int f = 0; f < s->nfields; ++f) OK(rw_expr_bind(e, s->fields[f].name, u[f]));
    OK(rw_expr_run(e, rw_device_queue(dev)));
    for (int f = 0; f < s->nfields && errors; ++f) {
        char name[16];
        snprintf(name, sizeof name, "r%d", f);
        OK(rw_expr_get(e, name, errors + f, NULL));
    }
    rw_expr_destroy(&e);
}

/* Text with a line per field, from a template in which % is the field's number. */
static char *lines(const setting *s, const rw_expr_field *fields, int nfields, const char *template)
{
    static char text[ROWS * TEXT];
    size_t n = 0;
    for (int f = 0; f < nfields; ++f) {
        char filled[TEXT], number[16];
        fill(s, template, fields[f].name, 1, filled, sizeof filled);
        snprintf(number, sizeof number, "%d", f);
        for (const char *p = filled; *p; ++p) {
            const char single[] = {*p, 0};
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", *p == '%' ? number : single);
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "\n");
        assert_true(n < sizeof text);
    }
    return text;
}

/* Largest errors at the end of the fields of a group of rows, with n intervals on each axis of length 1. */
static void group_errors(setting *s, const int *group, int nrows, int n, double *errors)
{
    static char texts[ROWS][6][3][TEXT], names[ROWS][16];
    const double end = s->ndim == 3 ? 0.05 : 0.1;
    rw_expr_field fields[ROWS] = {0};
    rw_array *u[ROWS];
    rw_ode *ode;
    for (int f = 0; f < nrows; ++f) {
        snprintf(names[f], sizeof names[f], "u%d", f);
        if (group[f] == OTHER) snprintf(s->other, sizeof s->other, "%s", names[f]);
        fields[f] = (rw_expr_field){.name = names[f], .dtype = RW_F64};
        for (int face = 0; face < 2 * s->ndim; ++face)
            fields[f].boundary[face] = make_side(s, side_of(group[f], face), names[f], face, texts[f][face]);
    }
    char source[256];
    snprintf(source, sizeof source, "d@/dt = laplace(@) + dx(@)/2 + (%s^2 - 1 + %s)*U - S/2", weight(s, 0),
             s->ndim == 1   ? "0"
             : s->ndim == 2 ? "1.5^2"
                            : "1.5^2 + 1");
    rw_ode_spec spec = {.name = "order",
                        .order = s->order,
                        .layout = s->layout,
                        .grid = make_grid(s, group[0], n),
                        .fields = fields,
                        .nfields = nrows,
                        .method = RW_ODE_RK4};
    int64_t shape[3];
    for (int d = 0; d < s->ndim; ++d) shape[d] = spec.grid.size[s->ndim - 1 - d];
    for (int f = 0; f < nrows; ++f) OK(rw_array_create(dev, RW_F64, s->ndim, shape, RW_MEMORY_DEVICE, &u[f]));
    run_program(&spec, lines(s, fields, nrows, "@ = U"), u, 0, NULL);
    spec.equations = lines(s, fields, nrows, source);
    OK(rw_ode_create(dev, &spec, &ode));
    for (int f = 0; f < nrows; ++f) OK(rw_ode_bind(ode, fields[f].name, u[f]));
    while (rw_ode_time(ode) < end) OK(rw_ode_step(ode, end));
    const bool parts = s->ndim > 1 && rows[group[0]].parts;
    run_program(&spec,
                lines(s, fields, nrows,
                      parts ? "r% = normmax(where(x < 0.25 and abs(y - 0.5) < 0.25, 0, @ - U))"
                            : "r% = normmax(@ - U)"),
                u, end, errors);
    rw_ode_destroy(&ode);
    for (int f = 0; f < nrows; ++f) rw_array_destroy(&u[f]);
}

/* Observed orders of every `every`-th row; NaN: not computed, or the row does not exist there. */
static void observe(int ndim, int order, rw_grid_layout layout, int every, double *observed)
{
    static const int n_of[4][2] = {{0, 0}, {40, 40}, {20, 16}, {16, 12}}; /* by dimensions and order */
    const int n = n_of[ndim][order / 2 - 1];
    bool done[ROWS];
    for (int r = 0; r < ROWS; ++r) {
        done[r] = !exists(r, layout, ndim) || r % every != OTHER % every;
        observed[r] = NAN;
    }
    for (int r = 0; r < ROWS; ++r) {
        int group[ROWS], nrows = 0;
        double coarse[ROWS], fine[ROWS];
        setting s = {layout, ndim, order, is_periodic(r), ""};
        for (int other = r; other < ROWS && !done[r]; ++other)
            if (!done[other] && nodes_of(&s, other) == nodes_of(&s, r) && rows[other].parts == rows[r].parts)
                group[nrows++] = other;
        if (!nrows) continue;
        group_errors(&s, group, nrows, n, coarse);
        group_errors(&s, group, nrows, 2 * n, fine);
        for (int f = 0; f < nrows; ++f) {
            observed[group[f]] = log2(coarse[f] / fine[f]);
            done[group[f]] = true;
            print_message("%d-D order %d %s %-46s %.2e -> %.2e, observed %.2f\n", ndim, order, layouts[layout],
                          rows[group[f]].name, coarse[f], fine[f], observed[group[f]]);
        }
    }
}

/* ---- the test ---------------------------------------------------------------------------------------------------- */

/* Orders agree with the page, which has two decimals, and reach what the formulas promise. */
static void compare(int ndim, int order, rw_grid_layout layout, const double *observed)
{
    for (int r = 0; r < ROWS; ++r) {
        if (rows[r].parts && ndim == 1) continue;
        const double expected = order_on_page(ndim, order, layout, r);
        assert_true(isnan(expected) == !exists(r, layout, ndim));
        if (isnan(observed[r])) continue;
        if (!(fabs(observed[r] - expected) < 0.05))
            fail_msg("%d-D order %d %s, %s: observed %.2f, docs/methods/order.md has %.2f", ndim, order,
                     layouts[layout], rows[r].name, observed[r], expected);
        assert_true(observed[r] > order - 0.5);
    }
}

/* The page has 18 columns of orders, and compiling the programs of all takes minutes: one of them, in the long version
 * four, and some rows, among them OTHER. */
static bool in_sample(int ndim, int order, rw_grid_layout layout)
{
    if (ndim == 1 && order == 4 && layout == RW_GRID_CELL) return true;
    if (!test_long()) return false;
    return (ndim == 1 && order == 2 && layout == RW_GRID_NODE) || (ndim == 2 && order == 2 && layout == RW_GRID_CELL) ||
           (ndim == 3 && order == 4 && layout == RW_GRID_CELL);
}

static void test_orders(void **state)
{
    (void)state;
    static double observed[4][2][3][ROWS];
    const char *output = getenv("RECHENWERK_ORDERS");
    if (output && !*output) output = NULL;
    for (int ndim = 1; ndim <= 3; ++ndim)
        for (int i = 0; i < 6; ++i) {
            const int order = 2 + i / 3 * 2;
            const rw_grid_layout layout = (rw_grid_layout)(i % 3);
            if (!output && !in_sample(ndim, order, layout)) continue;
            const int every = output ? 1 : ndim == 3 ? 12 : 3; /* rows */
            observe(ndim, order, layout, every, observed[ndim][i / 3][i % 3]);
            if (!output) compare(ndim, order, layout, observed[ndim][i / 3][i % 3]);
        }
    if (output) write_page(output, observed);
}

static int setup(void **state)
{
    (void)state;
    setenv("RECHENWERK_OPTIMISE", "never", 1); /* compiling takes most of the time */
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
