/* Grid operators: their order of accuracy on smooth functions, sides included; the values beyond the sides; and devices
 * against the plain evaluator on grids around the edges of tiles and below the reach of the stencils.
 *
 * Orders are measured in the plain evaluator, so that no compiler is in the way: the largest error on a grid and on one
 * of half the spacing. What is exact comes from diff(), which test_diff.c holds against numerical derivatives. */
#include "expr_test.h"

static rw_device *dev; /* cpu */

/* ---- orders ------------------------------------------------------------------------------------------------------ */

enum kind { DIRICHLET, NEUMANN, ROBIN, PERIODIC, KINDS };
static const char *const kind_names[] = {"Dirichlet", "Neumann", "Robin", "periodic"};

/* F for 1, 2, 3 dimensions: a general function, one that is periodic on [0, 1), ones that are odd and even about 0 and
 * 1. */
static const char *const general[] = {"sin(3*x + 0.4)", "sin(3*x + 0.4)*cos(2*y + 0.2)",
                                      "sin(3*x + 0.4)*cos(2*y + 0.2)*exp(z)"};
static const char *const periodic[] = {"sin(2*pi*x + 0.4)", "sin(2*pi*x + 0.4)*(2 + cos(2*pi*y))",
                                       "sin(2*pi*x + 0.4)*(2 + cos(2*pi*y))*(3 + sin(2*pi*z))"};
static const char *const odd[] = {"sin(pi*x)", "sin(pi*x)*sin(pi*y)", "sin(pi*x)*sin(pi*y)*sin(pi*z)"};
static const char *const even[] = {"cos(pi*x)", "cos(pi*x)*cos(pi*y)", "cos(pi*x)*cos(pi*y)*cos(pi*z)"};

/* Operators of u, what they approximate, and the orders: inside for orders 2 and 4 of the program, and on the whole
 * grid next to Dirichlet and to Neumann or Robin sides (9: as inside). K is 1.5 + sin(x), cx … change their signs. */
static const struct operation {
    const char *text, *exact;
    int ndim, inside2, inside4, dirichlet2, dirichlet4, neumann2, neumann4;
} operations[] = {
    {"dx(u)", "Fx", 1, 2, 4, 9, 9, 9, 9},
    {"dxx(u)", "Fxx", 1, 2, 4, 9, 3, 1, 3},
    {"dx_forward(u)", "Fx", 1, 1, 1, 9, 9, 9, 9},
    {"dx_backward(u)", "Fx", 1, 1, 1, 9, 9, 9, 9},
    {"laplace(u)", "L", 1, 2, 4, 9, 3, 1, 3},
    {"laplace(u, 2)", "L", 1, 2, 2, 9, 9, 1, 9},
    {"divgrad(K, u)", "diff(K*Fx, x)", -1, 2, 4, 9, 3, 1, 3},
    {"divgrad(K, u)", "diff(K*Fx, x) + K*Fyy", -2, 2, 4, 9, 3, 1, 3},
    {"divgrad(K, u)", "diff(K*Fx, x) + K*Fyy + K*Fzz", -3, 2, 4, 9, 3, 1, 3},
    {"divgrad(K, u, 2)", "diff(K*Fx, x)", -1, 2, 2, 9, 9, 1, 9},
    {"divgrad(1 + u^2, u)", "diff((1 + F^2)*Fx, x)", -1, 2, 4, 9, 3, 1, 3},
    {"div(K*grad(u))", "diff(K*Fx, x)", -1, 2, 4, 9, 3, 1, 3},
    {"div(K*grad(u))", "diff(K*Fx, x) + K*Fyy", -2, 2, 4, 9, 3, 1, 3},
    {"div(-grad(u)*K/2 + grad(u^2) - u*(2*grad(x) - 3*grad(y)))",
     "-0.5*(diff(K*Fx, x) + K*Fyy) + diff(2*F*Fx, x) + diff(2*F*Fy, y) - 2*Fx + 3*Fy", -2, 2, 4, 9, 3, 1, 3},
    {"div(K*grad(u))", "diff(K*Fx, x) + K*Fyy + K*Fzz", -3, 2, 4, 9, 3, 1, 3},
    {"dx(K*dx(u))", "diff(K*Fx, x)", 1, 2, 4, 9, 3, 1, 3},
    {"dx(dx(u))", "Fxx", 1, 2, 4, 9, 3, 1, 3},
    {"dy(2*dy(u) - u)", "2*Fyy - Fy", 2, 2, 4, 9, 3, 1, 3},
    {"dy(dx(u))", "diff(Fx, y)", 2, 2, 4, 9, 3, 9, 9},
    {"upwind1(u, cx)", "cx*Fx", -1, 1, 1, 9, 9, 9, 9},
    {"upwind(u, cx)", "cx*Fx", -1, 2, 4, 1, 9, 9, 9},
    {"upwind(u, cx, cy)", "cx*Fx + cy*Fy", -2, 2, 4, 1, 9, 9, 9},
    {"upwind(u, cx*grad(x) + cy*grad(y))", "cx*Fx + cy*Fy", -2, 2, 4, 1, 9, 9, 9},
    {"upwind(u, cx, cy, cz)", "cx*Fx + cy*Fy + cz*Fz", -3, 2, 4, 1, 9, 9, 9},
    {"upwind1(u, cx, cy, cz)", "cx*Fx + cy*Fy + cz*Fz", -3, 1, 1, 9, 9, 9, 9},
    {"dy(u)", "Fy", 2, 2, 4, 9, 9, 9, 9},
    {"dyy(u)", "Fyy", 2, 2, 4, 9, 3, 1, 3},
    {"dxy(u)", "diff(Fx, y)", 2, 2, 4, 9, 3, 9, 9}, /* in the corners the errors of both axes meet */
    {"dy_forward(u) + dy_backward(u)", "2*Fy", 2, 2, 2, 9, 9, 9, 9},
    {"grad(u) \xc2\xb7 grad(u)", "Fx^2 + Fy^2", -2, 2, 4, 9, 9, 9, 9},
    {"grad(u) \xc2\xb7 grad(u)", "Fx^2", -1, 2, 4, 9, 9, 9, 9},
    {"div(u*(2*grad(x) - 3*grad(y)))", "2*Fx - 3*Fy", -2, 2, 4, 9, 9, 9, 9},
    {"dz(u)", "Fz", 3, 2, 4, 9, 9, 9, 9},
    {"dxz(u) + dyz(u)", "diff(Fx, z) + diff(Fy, z)", 3, 2, 4, 9, 3, 9, 9},
    {"dzz(u, 4)", "Fzz", 3, 4, 4, 0, 3, 0, 3}, /* in a program of order 2 the values beyond the sides have order 2 */
    /* inside only: beyond the first node outside, continuation is even or odd (tested below) */
    {"dxxx(u)", "diff(Fxx, x)", 1, 2, 4, -99, -99, -99, -99},
    {"dxxxx(u)", "diff(diff(Fxx, x), x)", 1, 2, 4, -99, -99, -99, -99},
    {"div(grad(u))", "L", 1, 2, 4, 9, 3, 1, 3},
    {"dxxyy(u)", "diff(diff(Fxx, y), y)", 2, 2, 4, -99, -99, -99, -99},
};

/* Boundaries of u for an exact F. */
static void set_boundaries(rw_expr_field *f, enum kind kind, int ndim, const char *F, char text[6][2][256])
{
    for (int side = 0; side < 2 * ndim; ++side) {
        char axis = "xyz"[side / 2];
        const char *sign = side % 2 ? "" : "-";
        rw_boundary *b = f->boundary + side;
        switch (kind) {
        case DIRICHLET: *b = (rw_boundary){RW_BOUNDARY_DIRICHLET, F, NULL, NULL}; break;
        case NEUMANN:
            snprintf(text[side][0], 256, "%sdiff(%s, %c)", sign, F, axis);
            *b = (rw_boundary){RW_BOUNDARY_NEUMANN, text[side][0], NULL, NULL};
            break;
        case ROBIN:
            snprintf(text[side][0], 256, "(1 + x)*(%s) %s 0.5*diff(%s, %c)", F, side % 2 ? "+" : "-", F, axis);
            *b = (rw_boundary){RW_BOUNDARY_ROBIN, "1 + x", "0.5", text[side][0]};
            break;
        default: *b = (rw_boundary){RW_BOUNDARY_PERIODIC, NULL, NULL, NULL};
        }
    }
}

/* Spacing and origin that put the sides at 0 and 1. */
static rw_grid unit_grid(enum kind kind, int ndim, int64_t n)
{
    rw_grid g = {.ndim = ndim, .size = {1, 1, 1}, .spacing = {1, 1, 1}};
    for (int d = 0; d < ndim; ++d) {
        g.size[d] = kind == DIRICHLET ? n - 1 : kind == PERIODIC ? n : n + 1;
        g.spacing[d] = 1. / (double)n, g.origin[d] = kind == DIRICHLET ? g.spacing[d] : 0;
    }
    return g;
}

/* errors[i] = largest |operation i - exact|, on the whole grid and in the middle, which no stencil connects with a
 * side. */
static void measure(const char *const *operators, const char *const *exact, int n, enum kind kind, int ndim, int order,
                    int64_t size, const char *F, double (*errors)[2])
{
    rw_expr_field u = {.name = "u", .dtype = RW_F64};
    char boundaries[6][2][256];
    rw_grid grid = unit_grid(kind, ndim, size);
    set_boundaries(&u, kind, ndim, F, boundaries);
    rw_text t = {0};
    rw_text_add(&t, "F = %s\nFx = diff(F, x); Fxx = diff(Fx, x); L = Fxx\nK = 1.5 + sin(%sx); cx = cos(5*x)\n", F,
                kind == PERIODIC ? "2*pi*" : "");
    if (ndim > 1) rw_text_add(&t, "Fy = diff(F, y); Fyy = diff(Fy, y); L = L + Fyy; cy = cos(6*y + x)\n");
    if (ndim > 2) rw_text_add(&t, "Fz = diff(F, z); Fzz = diff(Fz, z); L = L + Fzz; cz = cos(7*z - y)\n");
    rw_text_add(&t, "inside = 1");
    for (int d = 0; d < ndim; ++d) rw_text_add(&t, " and %c > 0.36 and %c < 0.64", "xyz"[d], "xyz"[d]);
    for (int i = 0; i < n; ++i)
        rw_text_add(&t, "\ne = abs(%s - (%s)); w%d = max(e); i%d = max(where(inside, e, 0))", operators[i], exact[i], i,
                    i);
    rw_text set = {0};
    rw_text_add(&set, "u = %s", F);
    rw_array *a = field_array(dev, &grid, RW_F64);
    const char *const programs[] = {set.data, t.data};
    for (int k = 0; k < 2; ++k) {
        rw_expr *e;
        rw_expr_spec spec =
            {.name = "orders", .text = programs[k], .grid = grid, .order = order, .fields = &u, .nfields = 1};
        OK(rw_expr_create(dev, &spec, &e));
        OK(rw_expr_bind(e, "u", a));
        OK(rw_expr_run(e, rw_device_queue(dev)));
        for (int i = 0; k && i < n; ++i) {
            char name[16];
            snprintf(name, sizeof name, "w%d", i), errors[i][0] = scalar(e, name);
            snprintf(name, sizeof name, "i%d", i), errors[i][1] = scalar(e, name);
        }
        rw_expr_destroy(&e);
    }
    rw_array_destroy(&a);
    rw_text_free(&t), rw_text_free(&set);
}

/* Errors that are rounding alone, eps/h^4 for fourth derivatives, have no order. */
static double observed(double coarse, double fine, int64_t size)
{
    return fine < 1e-14 * pow((double)size, 4) ? 99 : log2(coarse / fine);
}

static void test_orders(void **state)
{
    (void)state;
    int wrong = 0;
    for (int ndim = 1; ndim <= 3; ++ndim)
        for (int order = 2; order <= 4; order += 2)
            for (enum kind kind = 0; kind < KINDS; ++kind) {
                const char *operators[RW_COUNT(operations)], *exact[RW_COUNT(operations)];
                const struct operation *of[RW_COUNT(operations)];
                double coarse[RW_COUNT(operations)][2], fine[RW_COUNT(operations)][2];
                int n = 0;
                for (int i = 0; i < RW_COUNT(operations); ++i)
                    if (operations[i].ndim > 0 ? operations[i].ndim <= ndim : -operations[i].ndim == ndim)
                        operators[n] = operations[i].text, exact[n] = operations[i].exact, of[n++] = operations + i;
                const char *F = kind == PERIODIC ? periodic[ndim - 1] : general[ndim - 1];
                /* both grids have nodes at the ends of the middle, 0.375 and 0.625 */
                int64_t size = ndim == 3 ? 16 : 32;
                measure(operators, exact, n, kind, ndim, order, size, F, coarse);
                measure(operators, exact, n, kind, ndim, order, 2 * size, F, fine);
                for (int i = 0; i < n; ++i) {
                    const struct operation *o = of[i];
                    int inside = order == 4 ? o->inside4 : o->inside2;
                    int whole = kind == PERIODIC    ? 9
                                : kind == DIRICHLET ? (order == 4 ? o->dirichlet4 : o->dirichlet2)
                                                    : (order == 4 ? o->neumann4 : o->neumann2);
                    if (whole == 9) whole = inside;
                    double pw = observed(coarse[i][0], fine[i][0], size);
                    double pi = kind == PERIODIC ? pw : observed(coarse[i][1], fine[i][1], size);
                    if (pw > whole - 0.3 && pi > inside - 0.3) continue;
                    print_error(
                        "%s in %d dimensions, order %d, %s: order %.2f on the whole grid (expected %d), %.2f inside "
                        "(%d); "
                        "errors %.2e -> %.2e, inside %.2e -> %.2e\n",
                        o->text, ndim, order, kind_names[kind], pw, whole, pi, inside, coarse[i][0], fine[i][0],
                        coarse[i][1], fine[i][1]);
                    wrong++;
                }
            }
    assert_int_equal(wrong, 0);
}

/* Third and fourth derivatives and nested first ones, up to the sides, of functions that continue as they do: odd about
 * Dirichlet sides, even about Neumann and Robin sides. In programs of order 4 the two next nodes outside come from a
 * polynomial, exact to h^5, which leaves h^5/h^3 and h^5/h^4. */
static void test_symmetric_functions(void **state)
{
    (void)state;
    static const char *const operators[] = {"dxxx(u)",    "dxxxx(u)",  "div(grad(u))", "laplace(laplace(u))",
                                            "dx(dxx(u))", "laplace(u)"},
                             *const exact[] = {"diff(Fxx, x)",        "diff(diff(Fxx, x), x)", "L",
                                               "diff(diff(L, x), x)", "diff(Fxx, x)",          "L"};
    static const int least[2][6] = {{2, 2, 2, 2, 2, 2}, {2, 1, 3, 1, 2, 3}};
    for (int order = 2; order <= 4; order += 2)
        for (enum kind kind = DIRICHLET; kind <= NEUMANN; ++kind) {
            double coarse[6][2], fine[6][2];
            const char *F = kind == DIRICHLET ? odd[0] : even[0];
            measure(operators, exact, 6, kind, 1, order, 32, F, coarse);
            measure(operators, exact, 6, kind, 1, order, 64, F, fine);
            for (int i = 0; i < 6; ++i) {
                double p = observed(coarse[i][0], fine[i][0], 32);
                if (p < least[order / 4][i] - 0.3)
                    fail_msg("%s, order %d, %s: order %.2f", operators[i], order, kind_names[kind], p);
            }
        }
}

/* ---- values beyond the sides ------------------------------------------------------------------------------------- */

/* v = u at offset d on an axis of n nodes, u = p(place) at nodes i, side conditions from p and its slope p1. */
static rw_grid_layout layout;
static void beyond(int axis, int64_t n, int order, rw_boundary_kind kind, int d, double (*p)(double),
                   double (*p1)(double), double *out)
{
    rw_grid grid = {.ndim = axis + 1, .size = {1, 1, 1}, .spacing = {1, 1, 1}};
    grid.size[axis] = n, grid.spacing[axis] = 0.5;
    bool outside = kind == RW_BOUNDARY_DIRICHLET; /* the node on the side is none of the array */
    double h = 0.5, out_by = layout == RW_GRID_CELL ? 0.5 * h : outside ? h : 0,
           side[2] = {-out_by, (double)(n - 1) * h + out_by};
    char texts[2][3][64];
    rw_expr_field f[2] = {{.name = "u", .dtype = RW_F64}, {.name = "v", .dtype = RW_F64}};
    for (int s = 0; s < 2; ++s) {
        double slope = (s ? 1 : -1) * p1(side[s]);
        if (kind == RW_BOUNDARY_DIRICHLET) snprintf(texts[s][0], 64, "%.17g", p(side[s]));
        else if (kind == RW_BOUNDARY_NEUMANN) snprintf(texts[s][0], 64, "%.17g", slope);
        else
            snprintf(texts[s][0], 64, "3"), snprintf(texts[s][1], 64, "2"),
                snprintf(texts[s][2], 64, "%.17g", 3 * p(side[s]) + 2 * slope);
        f[0].boundary[2 * axis + s] = (rw_boundary){kind, texts[s][0], texts[s][1], texts[s][2]};
    }
    rw_graph *g;
    rw_plan plan;
    rw_lowering l;
    rw_expr *e;
    rw_expr_spec spec = {.name = "beyond", .grid = grid, .fields = f, .nfields = 2};
    OK(rw_graph_create(ctx, &grid, order, &g));
    g->layout = layout;
    rw_lowering_begin(&l, ctx, g);
    OK(rw_expr_declare(ctx, &spec, g, &l, NULL, NULL));
    rw_lowering_end(&l);
    OK(rw_plan_begin(&plan, g, 0));
    int offset[3] = {0};
    offset[axis] = d;
    OK(rw_plan_store(&plan, 1, rw_field(g, 0, 0, offset)));
    OK(rw_plan_finish(&plan));
    OK(rw_expr_from_plan(dev, "beyond", &g, &plan, &e));
    rw_array *u = field_array(dev, &grid, RW_F64), *v = field_array(dev, &grid, RW_F64);
    double values[64];
    for (int64_t i = 0; i < n; ++i) values[i] = p((double)i * h);
    put(u, values);
    OK(rw_expr_bind(e, "u", u));
    OK(rw_expr_bind(e, "v", v));
    OK(rw_expr_run(e, rw_device_queue(dev)));
    take(v, out);
    rw_array_destroy(&u), rw_array_destroy(&v);
    rw_expr_destroy(&e);
}

static double line(double x) { return 1 - 2 * x; }
static double line1(double x)
{
    (void)x;
    return -2;
}
static double quartic(double x) { return 1 + x * (0.5 + x * (-0.7 + x * (0.3 - 0.1 * x))); }
static double quartic1(double x) { return 0.5 + x * (-1.4 + x * (0.9 - 0.4 * x)); }

/* By the evaluator; kernels are compared with it in test_neighbours.c. */
static void check_beyond(int axis, rw_boundary_kind kind, int64_t n, int d, int order)
{
    double out[64];
    /* straight lines are exact at any distance, on axes of any length */
    beyond(axis, n, order, kind, d, line, line1, out);
    for (int64_t i = 0; i < n; ++i) /* the polynomials magnify rounding */
        if (fabs(out[i] - line(0.5 * (double)(i + d))) > 1e-9)
            fail_msg("layout %d, kind %d, n %d, order %d: a line is %g at %d + %d", layout, kind, (int)n, order, out[i],
                     (int)i, d);
    if (order != 4 || n < 5) return;
    /* polynomials of degree four at the three nodes next to the array */
    beyond(axis, n, order, kind, d, quartic, quartic1, out);
    for (int64_t i = 0; i < n; ++i) {
        if (i + d < -3 || i + d > n + 2) continue;
        if (fabs(out[i] - quartic(0.5 * (double)(i + d))) > 1e-9)
            fail_msg("layout %d, kind %d, n %d: a quartic is %g at %d + %d, not %g", layout, kind, (int)n, out[i],
                     (int)i, d, quartic(0.5 * (double)(i + d)));
    }
}

static void test_values_beyond_the_sides(void **state)
{
    (void)state;
    static const rw_boundary_kind kinds[] = {RW_BOUNDARY_DIRICHLET, RW_BOUNDARY_NEUMANN, RW_BOUNDARY_ROBIN};
    double out[64];
    for (layout = RW_GRID_AUTO; layout <= RW_GRID_CELL; ++layout)
        for (int axis = 0; axis < 3; ++axis)
            for (int k = 0; k < 3; ++k)
                for (int64_t n = 1; n <= 9; ++n)
                    for (int d = -9; d <= 9; ++d)
                        for (int order = 2; order <= 4; order += 2) check_beyond(axis, kinds[k], n, d, order);
    layout = RW_GRID_AUTO;
    for (int64_t n = 1; n <= 5; ++n)
        for (int d = -7; d <= 7; ++d) {
            beyond(0, n, 2, RW_BOUNDARY_NEAREST, d, quartic, quartic1, out);
            for (int64_t i = 0; i < n; ++i)
                assert_true(out[i] == quartic(0.5 * (double)RW_MAX(0, RW_MIN(n - 1, i + d))));
            beyond(0, n, 4, RW_BOUNDARY_PERIODIC, d, quartic, quartic1, out);
            for (int64_t i = 0; i < n; ++i) assert_true(out[i] == quartic(0.5 * (double)((i + d + 70 * n) % n)));
        }
    /* order 2: odd about a Dirichlet side, even with its slope about a Neumann side */
    beyond(0, 6, 2, RW_BOUNDARY_DIRICHLET, -3, quartic, quartic1, out);
    assert_true(fabs(out[0] - (2 * quartic(-0.5) - quartic(0.5))) < 1e-14);
    beyond(0, 6, 2, RW_BOUNDARY_NEUMANN, -3, quartic, quartic1, out);
    assert_true(fabs(out[0] - (quartic(1.5) - 6 * 0.5 * quartic1(0))) < 1e-14);
    /* the same about sides between two nodes */
    layout = RW_GRID_CELL;
    beyond(0, 6, 2, RW_BOUNDARY_DIRICHLET, -3, quartic, quartic1, out);
    assert_true(fabs(out[0] - (2 * quartic(-0.25) - quartic(1))) < 1e-14);
    beyond(0, 6, 2, RW_BOUNDARY_NEUMANN, -3, quartic, quartic1, out);
    assert_true(fabs(out[0] - (quartic(1) - 5 * 0.5 * quartic1(-0.25))) < 1e-14);
    layout = RW_GRID_AUTO;
}

/* Linear functions over [0, 2] x [-1, 0] (x [1, 4]): exact in both layouts, with all pairs of kinds. */
static double integral(int ndim, rw_grid_layout where, rw_boundary_kind lower, rw_boundary_kind upper, int n)
{
    static const double from[3] = {0, -1, 1}, length[3] = {2, 1, 3};
    rw_expr_field u = {.name = "u", .dtype = RW_F64};
    rw_expr_spec spec = {.name = "integral",
                         .text = ndim > 2 ? "r = integral(1 + 2*x - y + 3*z)" : "r = integral(1 + 2*x - y)",
                         .grid = {.ndim = ndim, .size = {1, 1, 1}, .spacing = {1, 1, 1}},
                         .fields = &u,
                         .nfields = 1,
                         .layout = where};
    const bool outer[2] = {lower == RW_BOUNDARY_DIRICHLET, upper == RW_BOUNDARY_DIRICHLET};
    for (int d = 0; d < ndim; ++d) {
        const int parts = where == RW_GRID_CELL ? n + d : n + d - 1 + outer[0] + outer[1];
        u.boundary[2 * d] = (rw_boundary){lower, "1", "1", "1"};
        u.boundary[2 * d + 1] = (rw_boundary){upper, "1", "1", "1"};
        spec.grid.size[d] = n + d;
        spec.grid.spacing[d] = length[d] / parts;
        spec.grid.origin[d] = from[d] + (where == RW_GRID_CELL ? 0.5 : outer[0] ? 1 : 0) * spec.grid.spacing[d];
    }
    rw_expr *e;
    double r;
    OK(rw_expr_create(dev, &spec, &e));
    OK(rw_expr_run(e, rw_device_queue(dev)));
    OK(rw_expr_get(e, "r", &r, NULL));
    rw_expr_destroy(&e);
    return r;
}

static void test_integrals(void **state)
{
    (void)state;
    static const rw_boundary_kind kinds[] = {RW_BOUNDARY_DIRICHLET, RW_BOUNDARY_NEUMANN, RW_BOUNDARY_ROBIN};
    for (rw_grid_layout where = RW_GRID_AUTO; where <= RW_GRID_CELL; ++where)
        for (int ndim = 2; ndim <= 3; ++ndim)
            for (int lower = 0; lower < 3; ++lower)
                for (int upper = 0; upper < 3; ++upper)
                    for (int n = 2; n < 6; ++n) {
                        const double want = ndim == 2 ? 7 : 66, /* volume times the value in the middle */
                            got = integral(ndim, where, kinds[lower], kinds[upper], n);
                        if (fabs(got - want) > 1e-12 * want)
                            fail_msg("layout %d, %d-D, kinds %d, %d, n %d: %.17g", where, ndim, lower, upper, n, got);
                    }
}

/* A march in time with the differences that reach far: no mode may grow (it did for upwind of order 4 and for
 * laplace(laplace()) of order 4 with lower polynomials beyond the sides). */
static void test_closures_are_stable(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int order;
        rw_boundary_kind left, right;
    } marches[] = {
        {"u = u - 0.004*upwind(u, 1)", 4, RW_BOUNDARY_DIRICHLET, RW_BOUNDARY_NEAREST},
        {"u = u - 0.004*upwind(u, -1)", 4, RW_BOUNDARY_NEAREST, RW_BOUNDARY_DIRICHLET},
        {"u = u - 0.004*upwind(u, 1)", 2, RW_BOUNDARY_DIRICHLET, RW_BOUNDARY_NEAREST},
        {"u = u + 0.00008*laplace(u)", 4, RW_BOUNDARY_DIRICHLET, RW_BOUNDARY_NEUMANN},
        {"u = u - 0.00000001*laplace(laplace(u))", 4, RW_BOUNDARY_DIRICHLET, RW_BOUNDARY_DIRICHLET},
        {"u = u - 0.00000001*laplace(laplace(u))", 2, RW_BOUNDARY_DIRICHLET, RW_BOUNDARY_NEUMANN},
        {"u = u - 0.00000001*laplace(laplace(u))", 4, RW_BOUNDARY_NEUMANN, RW_BOUNDARY_NEUMANN},
    };
    for (int i = 0; i < RW_COUNT(marches); ++i) {
        rw_expr_field u = {.name = "u",
                           .dtype = RW_F64,
                           .boundary = {{marches[i].left, "0", 0, 0}, {marches[i].right, "0", 0, 0}}};
        rw_grid grid = grid1(50, 0.02);
        char text[128];
        snprintf(text, sizeof text, "%s; r = normmax(u)", marches[i].text);
        rw_expr_spec spec =
            {.name = "march", .text = text, .grid = grid, .order = marches[i].order, .fields = &u, .nfields = 1};
        rw_expr *e;
        OK(rw_expr_create(dev, &spec, &e));
        rw_array *a = field_array(dev, &grid, RW_F64);
        double start[50];
        for (int k = 0; k < 50; ++k) start[k] = rw_random_uniform(1, (uint64_t)k);
        put(a, start);
        OK(rw_expr_bind(e, "u", a));
        for (int step = 0; step < 4000; ++step) OK(rw_expr_run(e, rw_device_queue(dev)));
        double r = scalar(e, "r");
        if (!(r < 3)) fail_msg("%s, order %d: grows to %g", marches[i].text, marches[i].order, r);
        rw_array_destroy(&a);
        rw_expr_destroy(&e);
    }
}

/* A reduction inside a difference is one number, not a sum over shifted cells. */
static void test_reductions_inside_differences(void **state)
{
    (void)state;
    rw_expr_field f[] = {{.name = "u", .dtype = RW_F64},
                         {.name = "v", .dtype = RW_F64},
                         {.name = "k", .dtype = RW_F64}};
    rw_grid grid = grid1(7, 0.5);
    rw_expr_spec spec = {.name = "differences",
                         .text = "v = dx(u*sum(u)) + laplace(u/max(u)); k = sum(u)*dx(u) + laplace(u)/max(u)",
                         .grid = grid,
                         .fields = f,
                         .nfields = 3};
    rw_expr *e;
    OK(rw_expr_create(dev, &spec, &e));
    assert_int_equal(e->plan.nreductions, 2);
    rw_array *a[3];
    double u[7] = {1, 3, 2, 5, -1, 4, 2}, v[7], k[7];
    for (int i = 0; i < 3; ++i) {
        a[i] = field_array(dev, &grid, RW_F64);
        OK(rw_expr_bind(e, f[i].name, a[i]));
    }
    put(a[0], u);
    OK(rw_expr_run(e, rw_device_queue(dev)));
    take(a[1], v), take(a[2], k);
    for (int i = 0; i < 7; ++i) assert_true(fabs(v[i] - k[i]) < 1e-13);
    for (int i = 0; i < 3; ++i) rw_array_destroy(&a[i]);
    rw_expr_destroy(&e);
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* All operators of a grid in four statements and two reductions over u and v, whose sides are of all kinds. */
static void add_operators(rw_text *t, int ndim)
{
    static const char *const text[3] =
        {"o1 = dx(u) + 2*dxx(v) + dx_forward(u)*dx_backward(v) - dxxx(v)\n"
         "o2 = laplace(u) + divgrad(1 + v^2, u) + upwind(u, cos(3*x)) + dxxxx(u)\n"
         "o3 = upwind1(v, cos(2*x))*u - upwind(v, u) + dx(u, 4)\n"
         "o4 = grad(u) \xc2\xb7 grad(v) + div(grad(v)) + laplace(v, 4)\n",
         "o1 = dx(u) + 2*dxx(v) + dy_forward(u)*dy_backward(v) - dxxx(v) + dxy(u) + dyy(v)\n"
         "o2 = laplace(u) + divgrad(1 + v^2, u) + upwind(u, cos(3*x), u) + dxxyy(u) - dyyyy(v)\n"
         "o3 = upwind1(v, cos(2*x), y - 1)*u - upwind(v, u, v) + dy(u, 4)\n"
         "o4 = grad(u) \xc2\xb7 grad(v) + div(grad(v)) + laplace(v, 4)\n",
         "o1 = dx(u) + 2*dzz(v) + dy_forward(u)*dz_backward(v) - dxxx(v) + dxy(u) + dyz(v)\n"
         "o2 = laplace(u) + divgrad(1 + v^2, u) + upwind(u, cos(3*x), u, z - 1) - dzzzz(v)\n"
         "o3 = upwind1(v, cos(2*x), y - 1, z)*u - upwind(v, u, v, u) + dz(u, 4)\n"
         "o4 = grad(u) \xc2\xb7 grad(v) + div(grad(v)) + laplace(v, 4)\n"};
    rw_text_add(t, "%sr = max(abs(laplace(u))); q = sum(dx(v)^2)\n", text[ndim - 1]);
}

static const rw_boundary all_kinds[] = {{RW_BOUNDARY_DIRICHLET, "sin(x) + 0.2*t", 0, 0},
                                        {RW_BOUNDARY_NEUMANN, "0.3*cos(x) - t", 0, 0},
                                        {RW_BOUNDARY_ROBIN, "1.5", "0.5 + t", "x - 0.4"},
                                        {RW_BOUNDARY_NEAREST, 0, 0, 0},
                                        {RW_BOUNDARY_REFLECT101, 0, 0, 0},
                                        {RW_BOUNDARY_CONSTANT, "0.3 + x*t", 0, 0},
                                        {RW_BOUNDARY_REFLECT, 0, 0, 0}};
enum { OPEN_KINDS = RW_COUNT(all_kinds) };
static const rw_boundary wrap = {RW_BOUNDARY_PERIODIC, 0, 0, 0};

enum { ARRAYS = 6 };
static const char *const array_names[ARRAYS] = {"u", "v", "o1", "o2", "o3", "o4"};

static void fill(rw_array *a, uint64_t seed)
{
    int64_t n = rw_array_size(a) * parts(rw_array_dtype(a));
    double *x = malloc((size_t)(n + 1) * sizeof *x);
    for (int64_t i = 0; i < n; ++i) x[i] = normal(seed, (uint64_t)i);
    put(a, x);
    free(x);
}

/* Runs the program on a device and in the evaluator (`reference`), and compares. */
static void compare(rw_device *device, const char *tiling, const rw_grid *grid, int order, int shuffle, rw_dtype dtype)
{
    rw_expr_field f[ARRAYS] = {0};
    for (int i = 0; i < ARRAYS; ++i) {
        f[i].name = array_names[i], f[i].dtype = dtype;
        for (int axis = 0; axis < grid->ndim; ++axis)
            for (int s = 0; s < 2; ++s) { /* any two kinds on an axis, or periodic on both sides */
                int choice = (shuffle + 3 * i + axis) % (OPEN_KINDS + 1),
                    other = (choice + s * (1 + shuffle % 3)) % OPEN_KINDS;
                f[i].boundary[2 * axis + s] = choice == OPEN_KINDS ? wrap : all_kinds[s ? other : choice];
            }
    }
    rw_text t = {0};
    add_operators(&t, grid->ndim);
    if (rw_dtype_is_complex(dtype)) { /* speeds and extremes must be real */
        rw_text_free(&t);
        rw_text_add(&t,
                    "o1 = dx(u) + 2i*dxx(v) - dxxx(v); o2 = laplace(u) + divgrad(1 + v^2, u) + upwind1(u, %s)\n"
                    "o3 = grad(u) \xc2\xb7 grad(v); o4 = dx(u, 4) + laplace(conj(v), 4)\n"
                    "r = max(abs(laplace(u))); q = real(sum(dx(v)^2))",
                    grid->ndim == 1   ? "cos(x)"
                    : grid->ndim == 2 ? "cos(x), y"
                                      : "cos(x), y, z - 1");
    }
    rw_expr_scalar time = {.name = "t", .value = 0.25};
    rw_expr_spec spec = {.name = "operators",
                         .text = t.data,
                         .grid = *grid,
                         .order = order,
                         .fields = f,
                         .nfields = ARRAYS,
                         .scalars = &time,
                         .nscalars = 1};
    double results[2][2];
    int64_t n = cell_count(grid) * parts(dtype);
    double *values[2][ARRAYS];
    rw_device *tiled = with_tiling(device, tiling);
    for (int reference = 0; reference < 2; ++reference) {
        rw_expr *e;
        rw_device *d = reference ? dev : tiled;
        compiler(!reference);
        OK(rw_expr_create(d, &spec, &e));
        rw_array *a[ARRAYS];
        for (int i = 0; i < ARRAYS; ++i) {
            a[i] = field_array(d, grid, dtype);
            OK(rw_expr_bind(e, array_names[i], a[i]));
            if (i < 2) fill(a[i], (uint64_t)(7 * i + shuffle));
        }
        OK(rw_expr_run(e, rw_device_queue(d)));
        for (int i = 0; i < ARRAYS; ++i) {
            values[reference][i] = malloc((size_t)(n + 1) * sizeof(double));
            take(a[i], values[reference][i]);
            rw_array_destroy(&a[i]);
        }
        results[reference][0] = scalar(e, "r"), results[reference][1] = scalar(e, "q");
        rw_expr_destroy(&e);
    }
    rw_device_close(&tiled);
    compiler(false);
    double tolerance = single(dtype) ? 3e-5 : 1e-13;
    for (int i = 0; i < ARRAYS; ++i) {
        double scale = 1, worst = 0;
        int64_t where = 0;
        for (int64_t c = 0; c < n; ++c) scale = fmax(scale, fabs(values[1][i][c]));
        for (int64_t c = 0; c < n; ++c) {
            double difference = fabs(values[0][i][c] - values[1][i][c]);
            if (!(difference <= worst)) worst = difference, where = c;
        }
        if (!(worst <= tolerance * scale))
            fail_msg("%s (%s) %dx%dx%d, order %d, shuffle %d, %s: %s[%d] = %.17g, evaluator %.17g",
                     rw_device_info(device)->name, tiling ? tiling : "own tiles", (int)grid->size[0],
                     (int)grid->size[1], (int)grid->size[2], order, shuffle, rw_dtype_name(dtype), array_names[i],
                     (int)where, values[0][i][where], values[1][i][where]);
        free(values[0][i]), free(values[1][i]);
    }
    for (int i = 0; i < 2; ++i)
        if (!(fabs(results[0][i] - results[1][i]) <= (single(dtype) ? 1e-4 : 1e-12) * (1 + fabs(results[1][i]))))
            fail_msg("%s (%s): result %d is %.17g, evaluator %.17g", rw_device_info(device)->name,
                     tiling ? tiling : "own tiles", i, results[0][i], results[1][i]);
    rw_text_free(&t);
}

static const int64_t sizes[][3] = {
    /* shorter than the stencils */
    {1, 1, 1},
    {2, 1, 1},
    {3, 1, 1},
    {4, 1, 1},
    {5, 1, 1},
    {1, 1, 2},
    {1, 5, 2},
    {4, 1, 2},
    {3, 2, 2},
    {1, 1, 3},
    {2, 3, 3},
    {5, 1, 3},
    {4, 5, 3},
    /* around the edges of tiles */
    {63, 1, 1},
    {65, 1, 1},
    {255, 1, 1},
    {257, 1, 1},
    {1025, 1, 1},
    {8193, 1, 1},
    {64, 64, 2},
    {63, 65, 2},
    {129, 17, 2},
    {257, 5, 2},
    {5, 131, 2},
    {33, 9, 33},
    {65, 8, 7},
    {31, 17, 5}};

static void test_devices(void **state)
{
    (void)state;
    rw_device *devices[16];
    int n = open_devices(devices, 16), runs = 0;
    for (int i = 0; i < RW_COUNT(sizes); ++i) {
        int ndim = sizes[i][2] > 3 ? 3 : sizes[i][1] > 1 || sizes[i][2] > 1 ? 2 : 1;
        rw_grid grid = {.ndim = ndim,
                        .size = {sizes[i][0], sizes[i][1], ndim == 3 ? sizes[i][2] : 1},
                        .spacing = {0.5, 0.4, 0.6},
                        .origin = {0.1, -0.2, 0.3}};
        if (i >= 9 && i < 13) grid.ndim = 3, grid.size[2] = sizes[i][2];
        for (int d = 0; d < n; ++d) {
            if (!test_long() && i % (strcmp(rw_device_info(devices[d])->kind, "cpu") ? 7 : 2)) continue;
            rw_dtype dtype = i % 5 == 3 ? RW_C128 : i % 5 == 1 ? RW_F32 : i % 7 == 2 ? RW_C64 : RW_F64;
            /* each grid by the device's own tiles or by those of the other sorts, in turn */
            const char *others[] = {NULL, rw_device_info(devices[d])->gpu ? "cpu" : "gpu", "stream", "fused"};
            compare(devices[d], others[(i + d) % 4], &grid, i % 3 == 1 ? 2 : 4, i, dtype);
            runs++;
        }
    }
    printf("# %d runs compared with the evaluator\n", runs);
    for (int d = 0; d < n; ++d) rw_device_close(&devices[d]);
}

/* ---- upwind warns of shocks -------------------------------------------------------------------------------------- */

static char warning[1024];
static int warnings;
static void note_warning(void *user, rw_log_level level, const char *line)
{
    (void)user;
    if (level == RW_LOG_WARNING) ++warnings, snprintf(warning, sizeof warning, "%s", line);
}

static void test_upwind_warns(void **state)
{
    (void)state;
    static const struct {
        const char *text, *starts;
    } rows[] = {{"u = u - 0.1*upwind1(u, u)", "upwind:1:13: upwind1: the velocity depends on the advected field"},
                {"w = 2*v\nu = upwind(u*v, sin(w))", "upwind:2:5: upwind: "},
                {"f(q) = upwind(q, q^2); u = f(u); v = f(v)", "upwind:1:8: upwind: "},
                {"u = upwind(u, v)", ""},
                {"u = upwind(u, 1 + x)", ""},
                {"u = upwind(u, max(u))", ""}};
    rw_context_set_log(ctx, RW_LOG_WARNING, note_warning, NULL);
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        static const rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64}, {.name = "v", .dtype = RW_F64}};
        rw_expr_spec spec = {.name = "upwind",
                             .text = rows[i].text,
                             .grid = grid1(20, 0.1),
                             .fields = fields,
                             .nfields = 2};
        rw_expr *e;
        warnings = 0, *warning = 0;
        compiler(true);
        OK(rw_expr_create(dev, &spec, &e));
        rw_expr_destroy(&e);
        if (warnings != (*rows[i].starts != 0) || strncmp(warning, rows[i].starts, strlen(rows[i].starts)) != 0)
            fail_msg("%s: %d warnings, \"%s\"", rows[i].text, warnings, warning);
    }
    rw_context_set_log(ctx, RW_LOG_WARNING, NULL, NULL);
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

static int without_compiler(void **state)
{
    (void)state;
    compiler(false);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_upwind_warns),
        cmocka_unit_test_setup(test_orders, without_compiler),
        cmocka_unit_test_setup(test_symmetric_functions, without_compiler),
        cmocka_unit_test_setup(test_values_beyond_the_sides, without_compiler),
        cmocka_unit_test_setup(test_integrals, without_compiler),
        cmocka_unit_test_setup(test_closures_are_stable, without_compiler),
        cmocka_unit_test_setup(test_reductions_inside_differences, without_compiler),
        cmocka_unit_test(test_devices),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
