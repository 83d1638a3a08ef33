/* Sides that read fields: which value of a field they see in a program of several assignments, and what is refused. The
 * values beyond sides themselves are in test_neighbours.c, orders of convergence in tests/ode/test_manufactured.c. */
#include "expr_test.h"

static rw_device *dev;

enum { N = 5 };

typedef struct program {
    const char *text, *u, *v; /* the outward slope of u, on both sides; the value of v there, NULL: nearest */
} program;

static rw_status create(const program *p, rw_expr **e)
{
    const rw_boundary slope = {RW_BOUNDARY_NEUMANN, p->u, NULL, NULL},
                      value = {RW_BOUNDARY_DIRICHLET, p->v, NULL, NULL};
    rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64},
                              {.name = "v", .dtype = RW_F64},
                              {.name = "o", .dtype = RW_F64}};
    for (int s = 0; s < 2; ++s) {
        fields[0].boundary[s] = slope;
        if (p->v) fields[1].boundary[s] = value;
    }
    const rw_expr_spec spec = {.name = "sides",
                               .text = p->text,
                               .grid = {.ndim = 1, .size = {N, 1, 1}, .spacing = {0.5, 1, 1}},
                               .fields = fields,
                               .nfields = RW_COUNT(fields)};
    return rw_expr_create(dev, &spec, e);
}

/* dx(u) on the left side is -s, s what the side reads. */
static void test_the_value_of_the_moment(void **state)
{
    (void)state;
    static const struct {
        program p;
        int passes;
        double first; /* o at the left side, where v begins as 3, and then 5 */
    } table[] = {
        {{"o = dx(u)", "v", NULL}, 1, -3},
        {{"v = 2*v; o = dx(u)", "v", NULL}, 2, -6},
        {{"o = dx(u); v = 2*v", "v", NULL}, 1, -3},
        {{"q = dx(u); v = 2*v; o = q", "v", NULL}, 1, -3},
        {{"v = 2*v; o = dx(u); v = 3*v; o = o + dx(u)", "v", NULL}, 3, -24},
        {{"o = dx(u)", "inner(v, 1)", NULL}, 1, -5},
        {{"o = dx(u)", "inner(v, 1)", "9"}, 1, -3},
        {{"o = dx(u)", "v", "9"}, 1, -9},
        {{"o = dx(u)", "v", "inner(v, 1) + inner(v, 2)"}, 1, -8},
        {{"o = dx(u)", "hn*v + inner(x, 1)", "9"}, 1, -5},
        {{"o = dx(u)", "u*v", NULL}, 1, -12},
        {{"u = v; o = dx(u)", "u", NULL}, 2, -3},
        {{"hn = 2; inner(q) = 5*q; o = inner(dx(u)) + hn", "v", NULL}, 1, -13},
    };
    for (int i = 0; i < RW_COUNT(table); ++i)
        for (int evaluated = 0; evaluated < 2; ++evaluated) {
            const int64_t n = N;
            const char *const bound[] = {"u", "v", "o"};
            rw_array *arrays[3];
            const void *data;
            rw_expr_plan plan;
            rw_expr *e;
            compiler(!evaluated);
            OK(create(&table[i].p, &e));
            OK(rw_expr_get_plan(e, &plan));
            for (int f = 0; f < 3; ++f) {
                void *values;
                OK(rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &arrays[f]));
                OK(rw_array_write(arrays[f], &values));
                for (int k = 0; k < N; ++k) ((double *)values)[k] = f == 0 ? 4 + k * k : f == 1 ? 3 + 2 * k : 0;
                OK(rw_expr_bind(e, bound[f], arrays[f]));
            }
            OK(rw_expr_run(e, rw_device_queue(dev)));
            OK(rw_array_read(arrays[2], &data));
            const double first = *(const double *)data;
            if (fabs(first - table[i].first) > 1e-12 || plan.passes != table[i].passes)
                fail_msg("%s, sides %s, %s: %g in %d passes, not %g in %d", table[i].p.text, table[i].p.u,
                         table[i].p.v ? table[i].p.v : "nearest", first, (int)plan.passes, table[i].first,
                         table[i].passes);
            rw_expr_destroy(&e);
            for (int f = 0; f < 3; ++f) rw_array_destroy(&arrays[f]);
        }
    compiler(true);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const struct {
        program p;
        const char *message; /* how it ends, or a part */
    } table[] = {
        {{"o = dx(u)", "v", "v + 1"}, "the value of v on this side depends on itself: write inner(v, 1)"},
        {{"o = dx(v)", "0", "2*v"}, "the value of v on this side depends on itself: write inner(v, 1)"},
        {{"o = dx(u)", "inner(v, 5)", NULL}, "inner(v, 5): the axis has 5 nodes: give at most 4"},
        {{"o = dx(u)", "inner(v, 6)", "0"}, "inner(v, 6): the axis has 5 nodes: give at most 5"},
        {{"o = dx(u)", "inner(v, 0.5)", NULL}, "k must be an integer from 0 to 64"},
        {{"o = dx(u)", "inner(v)", NULL}, "inner takes 2 arguments, 1 given"},
        {{"o = dx(u)", "dx(v)", NULL}, "dx reads nodes across this side of x"},
        {{"o = dx(u)", "laplace(v)", NULL}, "laplace reads nodes across this side of x"},
        {{"o = dx(u)", "v[i+1]", NULL}, "shift reads nodes across this side of x"},
        {{"o = dx(u)", "mean(v)", NULL}, "reduction mean is not allowed here"},
        {{"o = dx(u)", "w", NULL}, "name w is unknown"},
        {{"v = 2*v; q = dx(u); v = 7; o = q", "v", NULL}, "the old value of v is used after"},
        {{"o = inner(u, 1)", "0", NULL}, "inner is only for boundary expressions: here write u[i+1]"},
        {{"o = hn", "0", NULL}, "name hn is unknown"},
        {{"o = dx(v)", "0", "1i*u"}, "a complex value for a real field"},
    };
    for (int i = 0; i < RW_COUNT(table); ++i) {
        rw_expr *e;
        const rw_status status = create(&table[i].p, &e);
        if (status != RW_ERR_INPUT || !strstr(rw_message(ctx), table[i].message))
            fail_msg("%s, sides %s, %s: %s, \"%s\"", table[i].p.text, table[i].p.u,
                     table[i].p.v ? table[i].p.v : "nearest", rw_status_name(status), rw_message(ctx));
    }
}

/* dy(v) on the left side, at the end of an axis: of a periodic one from the other end; else of the parabola through the
 * three nodes there; of integers from the nearest node. */
static void test_along_a_side(void **state)
{
    (void)state;
    enum { NX = 4, NY = 5, MADE = 3 };
    static const double v[NY] = {3, 8, 1, 7, 5};
    static const struct {
        rw_boundary_kind kind;
        rw_dtype dtype;
        double first, last; /* times 2 h */
    } table[MADE] = {{RW_BOUNDARY_PERIODIC, RW_F64, 8 - 5, 3 - 7},
                     {RW_BOUNDARY_NEAREST, RW_F64, 8 - (3 * 3 - 3 * 8 + 1), (3 * 5 - 3 * 7 + 1) - 7},
                     {RW_BOUNDARY_NEAREST, RW_U8, 8 - 3, 5 - 7}};
    for (int i = 0; i < 2 * MADE; ++i) {
        const rw_boundary across = {table[i / 2].kind, NULL, NULL, NULL};
        const rw_expr_field fields[] = {{"u",
                                         RW_F64,
                                         {{RW_BOUNDARY_NEUMANN, "dy(v)", NULL, NULL}, {0}, across, across}},
                                        {"v", table[i / 2].dtype, {{0}, {0}, across, across}},
                                        {"o", RW_F64, {{0}}}};
        const rw_expr_spec spec = {.text = "o = dx(u)",
                                   .grid = {.ndim = 2, .size = {NX, NY, 1}, .spacing = {1, 0.5, 1}},
                                   .fields = fields,
                                   .nfields = RW_COUNT(fields)};
        rw_array *arrays[RW_COUNT(fields)];
        const double *out;
        rw_expr *e;
        compiler(i % 2);
        OK(rw_expr_create(dev, &spec, &e));
        for (int f = 0; f < RW_COUNT(fields); ++f) {
            void *data;
            OK(rw_array_create(dev, fields[f].dtype, 2, (int64_t[]){NY, NX}, RW_MEMORY_DEVICE, &arrays[f]));
            OK(rw_array_write(arrays[f], &data));
            for (int c = 0; c < NX * NY && f < 2; ++c) {
                const double value = f ? v[c / NX] : 0;
                if (fields[f].dtype == RW_U8) ((unsigned char *)data)[c] = (unsigned char)value;
                else ((double *)data)[c] = value;
            }
            OK(rw_expr_bind(e, fields[f].name, arrays[f]));
        }
        OK(rw_expr_run(e, rw_device_queue(dev)));
        OK(rw_array_read(arrays[2], (const void **)&out));
        const double first = -out[0], last = -out[(NY - 1) * NX]; /* the slope is outward */
        if (fabs(first - table[i / 2].first) > 1e-12 || fabs(last - table[i / 2].last) > 1e-12)
            fail_msg("row %d: %g and %g, not %g and %g", i, first, last, table[i / 2].first, table[i / 2].last);
        rw_expr_destroy(&e);
        for (int f = 0; f < RW_COUNT(fields); ++f) rw_array_destroy(&arrays[f]);
    }
    compiler(true);
}

enum { CELLS = 7 * 6 * 5 };

/* o by the text, of random u with a u + b du/dn = c on all sides. */
static void assign_in_cells(const char *text, const char *const of[3], const rw_grid *grid, double o[CELLS])
{
    rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64}, {.name = "o", .dtype = RW_F64}};
    const rw_expr_scalar p = {.name = "p", .value = 0.7};
    rw_array *arrays[] = {field_array(dev, grid, RW_F64), field_array(dev, grid, RW_F64)};
    double values[CELLS];
    rw_expr *e;
    for (int s = 0; s < 2 * grid->ndim; ++s)
        fields[0].boundary[s] = (rw_boundary){RW_BOUNDARY_ROBIN, of[0], of[1], of[2]};
    const rw_expr_spec spec = {.name = "cells",
                               .text = text,
                               .grid = *grid,
                               .fields = fields,
                               .nfields = 2,
                               .scalars = &p,
                               .nscalars = 1,
                               .layout = RW_GRID_CELL};
    OK(rw_expr_create(dev, &spec, &e));
    for (int c = 0; c < CELLS; ++c) values[c] = rw_random_uniform(5, (uint64_t)c);
    put(arrays[0], values);
    for (int f = 0; f < 2; ++f) OK(rw_expr_bind(e, fields[f].name, arrays[f]));
    OK(rw_expr_run(e, rw_device_queue(dev)));
    take(arrays[1], o);
    rw_expr_destroy(&e);
    rw_array_destroy(&arrays[0]), rw_array_destroy(&arrays[1]);
}

/* What the coefficients depend on makes no difference (numbers, functions along the side, across it, of several
 * coordinates, of a field), nor whether corners are read. */
static void test_conditions_of_cells(void **state)
{
    (void)state;
    static const char *const coefficients[][3] = {{"2", "0.3", "5"},
                                                  {"1", "0", "-3"},
                                                  {"0", "2", "p"},
                                                  {"1 + y^2", "where(y < 0.8, 0, 2)", "3 + y"},
                                                  {"1 + x^2", "2 - x", "3 + x"},
                                                  {"where(x + y < 1, 1, 0)", "where(x < 0.4, 2, 1)", "x*y"},
                                                  {"2 + u^2", "0.5", "inner(u, 1) + y"}};
    static const char *const texts[] = {"o = laplace(u)", "o = laplace(u) + dx(dy(u))", "o = u + laplace(laplace(u))"};
    for (int i = 0; i < 2 * RW_COUNT(coefficients) * RW_COUNT(texts); ++i) {
        const char *const *of = coefficients[i / 2 % RW_COUNT(coefficients)];
        const char *text = texts[i / 2 / RW_COUNT(coefficients)];
        const rw_grid grid = {.ndim = 2 + i % 2,
                              .size = {7, 6, i % 2 ? 5 : 1},
                              .spacing = {0.25, 0.3, 0.5},
                              .origin = {0.125, 0.15, 0.25}};
        double compiled[CELLS], evaluated[CELLS];
        assign_in_cells(text, of, &grid, compiled);
        compiler(false);
        assign_in_cells(text, of, &grid, evaluated);
        compiler(true);
        for (int64_t c = 0; c < cell_count(&grid); ++c)
            if (!(fabs(compiled[c] - evaluated[c]) <= 1e-10 * (1 + fabs(evaluated[c]))))
                fail_msg("%s in %d-D, robin: [%s, %s, %s]: %.17g at cell %d, evaluated %.17g", text, grid.ndim, of[0],
                         of[1], of[2], compiled[c], (int)c, evaluated[c]);
    }
}

static int setup(void **state)
{
    if (make_context(state)) return -1;
    return rw_device_open(ctx, "cpu", &dev) == RW_OK ? 0 : -1;
}

static int teardown(void **state)
{
    rw_device_close(&dev);
    return drop_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_value_of_the_moment),
                                       cmocka_unit_test(test_along_a_side), cmocka_unit_test(test_conditions_of_cells),
                                       cmocka_unit_test(test_what_is_refused)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
