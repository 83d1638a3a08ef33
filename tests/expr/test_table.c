/* Functions of one coordinate from tables: against the same formula without a table, for every kind of kernel; scalars
 * that change; recorded runs. And sums as linear forms. */
#include "expr_test.h"

static rw_device *devices[16];
static int ndevices;

static rw_expr *create(rw_device *d, const char *text, const rw_grid *grid, rw_dtype dtype, bool periodic)
{
    rw_expr_field fields[2] = {{.name = "u", .dtype = dtype}, {.name = "v", .dtype = dtype}};
    static const rw_expr_scalar scalars[] = {{.name = "a", .value = 2}, {.name = "t", .value = 0.5}};
    for (int f = 0; f < 2; ++f)
        for (int s = 0; s < 6; ++s) fields[f].boundary[s].kind = periodic ? RW_BOUNDARY_PERIODIC : RW_BOUNDARY_NEAREST;
    rw_expr_spec spec = {.name = "table",
                         .text = text,
                         .grid = *grid,
                         .fields = fields,
                         .nfields = 2,
                         .scalars = scalars,
                         .nscalars = 2};
    rw_expr *e;
    rw_status status = rw_expr_create(d, &spec, &e);
    if (status != RW_OK) fail_msg("%s on %s: %s", text, rw_device_info(d)->name, rw_message(ctx));
    return e;
}

static int tables_in(const rw_expr *e)
{
    int n = 0;
    for (int i = 0; i < e->npasses; ++i)
        for (int j = 0; j < e->passes[i].kernel.nslots; ++j) n += e->passes[i].kernel.slots[j].kind == RW_SLOT_TABLE;
    return n;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static double sx(double x, double a) { return sin(a * x) * sin(a * x); }
static double cy(double y) { return exp(-y) + cos(3 * y); }
static double tz(double z) { return 1 / (1 + z * z) + tanh(z); }

static void check_values(rw_device *d, const rw_grid *grid, rw_dtype dtype, bool periodic, double a, rw_expr *e,
                         rw_array *u)
{
    enum { MOST = 4096 };
    static double values[MOST], got[MOST];
    int64_t n = cell_count(grid);
    double tolerance = single(dtype) ? 4e-6 : 4e-15;
    for (int64_t i = 0; i < n; ++i) values[i] = (double)(i % 7);
    put(u, values);
    OK(rw_expr_set(e, "a", a));
    OK(rw_expr_run(e, rw_device_queue(d)));
    take(u, got);
    for (int64_t k = 0, c = 0; k < grid->size[2]; ++k)
        for (int64_t j = 0; j < grid->size[1]; ++j)
            for (int64_t i = 0; i < grid->size[0]; ++i, ++c) {
                double x[3] = {grid->origin[0] + (double)i * grid->spacing[0],
                               grid->origin[1] + (double)j * grid->spacing[1],
                               grid->origin[2] + (double)k * grid->spacing[2]};
                int64_t last = grid->size[0] - 1, west = i ? i - 1 : periodic ? last : 0;
                double left = values[c - i + west], want = values[c] + left * sx(x[0], a);
                if (grid->ndim > 1) want += cy(x[1]) * 0.25;
                if (grid->ndim > 2) want += tz(x[2]);
                if (!(fabs(got[c] - want) <= tolerance * (1 + fabs(want))))
                    fail_msg("%s, %d dimensions, %s, a = %g: %.17g at %d, %d, %d, expected %.17g",
                             rw_device_info(d)->name, grid->ndim, rw_dtype_name(dtype), a, got[c], (int)i, (int)j,
                             (int)k, want);
            }
}

/* Kinds of kernels in the short version where compiling takes long: a part. */
static bool few_kinds(const rw_device *d)
{
    return !test_long() && strcmp(rw_device_info(d)->kind, "cpu") && !rw_device_info(d)->gpu;
}

static void test_values(void **state)
{
    (void)state;
    static const char *const equation[3] =
        {"u = u + (u - 0.125*dx_backward(u))*sin(a*x)^2",
         "u = u + (u - 0.125*dx_backward(u))*sin(a*x)^2 + (exp(-y) + cos(3*y))*t^2",
         "u = u + (u - 0.125*dx_backward(u))*sin(a*x)^2 + (exp(-y) + cos(3*y))*t^2 + (1/(1 + z^2) + tanh(z))"};
    static const char *const kinds[] = {NULL, "cpu", "stream", "gpu", "fused", "wave", "rings"};
    static const int64_t sizes[][3] = {{37, 1, 1}, {1, 1, 1}, {33, 19, 1}, {3, 70, 1}, {9, 7, 11}};
    for (int d = 0; d < ndevices; ++d)
        for (int kind = 0; kind < RW_COUNT(kinds); ++kind)
            for (int s = 0; s < RW_COUNT(sizes); ++s)
                for (int variant = 0; variant < 4; ++variant) {
                    if (s != 2 && variant != s % 4) continue;
                    if (few_kinds(devices[d]) && kind % 3) continue;
                    rw_dtype dtype = variant % 2 ? RW_F32 : RW_F64;
                    bool periodic = variant / 2;
                    int ndim = sizes[s][2] > 1 ? 3 : sizes[s][1] > 1 ? 2 : 1;
                    rw_grid grid = {.ndim = ndim,
                                    .size = {sizes[s][0], sizes[s][1], sizes[s][2]},
                                    .spacing = {0.125, 0.3, 0.7},
                                    .origin = {-1, 0.2, 0.4}};
                    rw_device *dev = with_tiling(devices[d], kinds[kind]);
                    rw_expr *e = create(dev, equation[ndim - 1], &grid, dtype, periodic);
                    rw_array *u = field_array(dev, &grid, dtype);
                    assert_int_equal(tables_in(e), ndim);
                    OK(rw_expr_bind(e, "u", u));
                    check_values(dev, &grid, dtype, periodic, 2, e, u);
                    check_values(dev, &grid, dtype, periodic, 2, e, u);
                    check_values(dev, &grid, dtype, periodic, -1.5, e, u);
                    rw_expr_destroy(&e);
                    rw_array_destroy(&u);
                    rw_device_close(&dev);
                }
}

/* Passes that share a kernel look their tables up at cells that lie beyond the tile, and beyond sides. */
static void test_shared_kernels(void **state)
{
    (void)state;
    static const char *const equation = "v = u + 0.1*laplace(u) + sin(x)^2; u = v + 0.1*laplace(v)*exp(-y) + cos(3*y)";
    static const char *const kinds[] = {"cpu", "gpu", "fused", "wave", "rings"};
    enum { NX = 150, NY = 90 };
    static double start[NX * NY], got[5][NX * NY];
    rw_grid grid = {.ndim = 2, .size = {NX, NY, 1}, .spacing = {0.02, 0.03, 1}, .origin = {0.5, -1, 0}};
    for (int i = 0; i < NX * NY; ++i) start[i] = rw_random_uniform(7, (uint64_t)i);
    for (int d = 0; d < ndevices; ++d)
        for (int periodic = 0; periodic < 2; ++periodic)
            for (int kind = 0; kind < RW_COUNT(kinds); ++kind) {
                if (few_kinds(devices[d]) && kind % 2) continue;
                rw_device *dev = with_tiling(devices[d], kinds[kind]);
                rw_expr *e = create(dev, equation, &grid, RW_F64, periodic);
                rw_array *u = field_array(dev, &grid, RW_F64), *v = field_array(dev, &grid, RW_F64);
                put(u, start);
                OK(rw_expr_bind(e, "u", u));
                OK(rw_expr_bind(e, "v", v));
                OK(rw_expr_run(e, rw_device_queue(dev)));
                take(u, got[kind]);
                for (int i = 0; i < NX * NY; ++i)
                    if (!(fabs(got[kind][i] - got[0][i]) <= 1e-12 * (1 + fabs(got[0][i]))))
                        fail_msg("%s, %s, cell %d: %.17g, by %s %.17g", rw_device_info(dev)->name, kinds[kind], i,
                                 got[kind][i], kinds[0], got[0][i]);
                rw_expr_destroy(&e);
                rw_array_destroy(&u), rw_array_destroy(&v);
                rw_device_close(&dev);
            }
}

/* At other nodes the function has its value there. */
static void test_neighbours(void **state)
{
    (void)state;
    enum { N = 30 };
    double u[N], got[N];
    rw_grid grid = {.ndim = 1, .size = {N, 1, 1}, .spacing = {0.1, 1, 1}, .origin = {0.3, 0, 0}};
    for (int i = 0; i < N; ++i) u[i] = 1 + i % 3;
    for (int d = 0; d < ndevices; ++d) {
        rw_expr *e = create(devices[d], "v = dx(sin(a*x)*u)", &grid, RW_F64, false);
        rw_array *from = field_array(devices[d], &grid, RW_F64), *to = field_array(devices[d], &grid, RW_F64);
        put(from, u);
        OK(rw_expr_bind(e, "u", from));
        OK(rw_expr_bind(e, "v", to));
        OK(rw_expr_run(e, rw_device_queue(devices[d])));
        take(to, got);
        for (int i = 1; i < N - 1; ++i) {
            double x = 0.3 + 0.1 * i, want = (sin(2 * (x + 0.1)) * u[i + 1] - sin(2 * (x - 0.1)) * u[i - 1]) / 0.2;
            if (!(fabs(got[i] - want) < 1e-12))
                fail_msg("%s: %.17g at %d, expected %.17g", rw_device_info(devices[d])->name, got[i], i, want);
        }
        rw_expr_destroy(&e);
        rw_array_destroy(&from), rw_array_destroy(&to);
    }
}

/* What is not worth a table, is none, or changes from run to run. */
static void test_what_is_a_table(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int tables;
    } cases[] = {{"u = u + x", 0},
                 {"u = u*x^2", 0},
                 {"u = u + sin(x)", 1},
                 {"u = u + sin(x)*cos(y)", 2},
                 {"u = u + sin(x*y)", 0},
                 {"u = u + sin(u*x)", 0},
                 {"u = u + sin(t*x)", 0},
                 {"u = u + sin(a*x)", 1},
                 {"u = u + sin(x)*sin(x)", 1},
                 {"u = u + sin(x) + cos(x)*t", 2},
                 {"u = sum(u) + sin(x)", 1},
                 {"v = sin(x); u = u + dx(v)", 1},
                 {"u = u + dx(sin(x)*u)", 2}};
    rw_grid grid = {.ndim = 2, .size = {8, 6, 1}, .spacing = {0.1, 0.1, 1}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        rw_expr *e = create(devices[0], cases[i].text, &grid, RW_F64, false);
        if (tables_in(e) != cases[i].tables)
            fail_msg("%s: %d tables, expected %d", cases[i].text, tables_in(e), cases[i].tables);
        rw_expr_destroy(&e);
    }
}

/* A recorded run keeps the numbers it was recorded with. */
static void test_recorded(void **state)
{
    (void)state;
    enum { N = 40 };
    double u[N], x[N];
    rw_grid grid = grid1(N, 0.1);
    for (int d = 0; d < ndevices; ++d) {
        rw_queue *q = rw_device_queue(devices[d]);
        rw_expr *e = create(devices[d], "u = sin(a*x)", &grid, RW_F64, false);
        rw_array *array = field_array(devices[d], &grid, RW_F64);
        rw_sequence *s;
        for (int i = 0; i < N; ++i) u[i] = 0;
        put(array, u);
        OK(rw_expr_bind(e, "u", array));
        OK(rw_array_send(array, q));
        OK(rw_record_begin(q));
        OK(rw_expr_run(e, q));
        OK(rw_record_end(q, &s));
        OK(rw_expr_set(e, "a", 3));
        OK(rw_expr_run(e, q));
        take(array, x);
        for (int i = 0; i < N; ++i) assert_true(fabs(x[i] - sin(3 * 0.1 * i)) < 1e-14);
        OK(rw_sequence_replay(s, q));
        take(array, x);
        for (int i = 0; i < N; ++i)
            if (!(fabs(x[i] - sin(2 * 0.1 * i)) < 1e-14))
                fail_msg("%s: replayed %.17g at %d", rw_device_info(devices[d])->name, x[i], i);
        rw_sequence_destroy(&s);
        OK(rw_expr_set(e, "a", 4));
        OK(rw_array_send(array, q));
        OK(rw_record_begin(q));
        assert_int_equal(rw_expr_run(e, q), RW_ERR_UNSUPPORTED);
        assert_non_null(strstr(rw_message(ctx), "run it once first"));
        if (rw_record_end(q, &s) == RW_OK) rw_sequence_destroy(&s);
        rw_array_destroy(&array);
        rw_expr_destroy(&e);
    }
}

/* ---- linear forms ------------------------------------------------------------------------------------------------ */

static void random_leaf(void *user, const rw_graph *g, rw_node leaf, double out[2])
{
    (void)g;
    out[0] = rw_random_uniform(*(uint64_t *)user, (uint64_t)leaf) + 0.5, out[1] = 0;
}

static double value(rw_graph *g, rw_node n, uint64_t seed)
{
    double out[2];
    rw_graph_value(g, n, random_leaf, &seed, out);
    return out[0];
}

/* Operations on what depends on something of `on`. */
static int operations(const rw_graph *g, rw_node n, int on, bool *seen)
{
    const rw_graph_node *p = g->nodes + n;
    if (seen[n] || !(p->depends & on)) return 0;
    seen[n] = true;
    int sum = rw_ops[p->op].arity > 0;
    for (int i = 0; i < rw_ops[p->op].arity; ++i) sum += operations(g, p->arg[i], on, seen);
    return sum;
}

static int count_on(const rw_graph *g, rw_node n, int on)
{
    static bool seen[RW_GRAPH_NODES];
    memset(seen, 0, sizeof seen);
    return operations(g, n, on, seen);
}

static int count(const rw_graph *g, rw_node n)
{
    return count_on(g, n, RW_ON_FIELD | RW_ON_COORD | RW_ON_COORD << 1 | RW_ON_COORD << 2);
}

static void test_linear(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int most;
    } cases[] = {{"u", 0},
                 {"u + v", 1},
                 {"2*u - u*2", 0},
                 {"a*u + b*u + c*u", 1},
                 {"u - a*(u - v)", 3},
                 {"laplace(u)", 8},
                 {"a*laplace(u) + b*u", 10},
                 {"u + a*(laplace(u) - b*dx(u) - c*dy(u))", 15},
                 {"u + a*(laplace(u) + b*(u - u^3))", 14},
                 {"(u + v)*(u - v)", 3},
                 {"-(-u - v)", 2},
                 {"sin(2*u + 3*u)", 2},
                 {"a + u + b", 1},
                 {"u*v + a*(u*v)", 2},
                 {"a*(b + u) - c", 2},
                 {"where(u < v, u + u, v)", 4},
                 {"u/a + v/a", 2},
                 {"u + c*(laplace(u, 4) + u*v)", 18}};
    rw_grid grid = {.ndim = 2, .size = {8, 8, 1}, .spacing = {0.3, 0.7, 1}};
    names n;
    names_begin(&n, &grid, 2);
    n.g->reciprocals = true;
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        rw_node before = node_of(&n, cases[i].text), after = rw_linear(n.g, before);
        for (uint64_t seed = 1; seed < 20; ++seed) {
            double x = value(n.g, before, seed), y = value(n.g, after, seed);
            if (!(fabs(x - y) <= 1e-13 * (1 + fabs(x)) * 40))
                fail_msg("%s, seed %d: %.17g, as linear forms %.17g", cases[i].text, (int)seed, x, y);
        }
        if (count(n.g, after) > cases[i].most)
            fail_msg("%s: %d operations, %d as linear forms, expected %d", cases[i].text, count(n.g, before),
                     count(n.g, after), cases[i].most);
    }
    names_end(&n);
}

/* What is the same along a row is a scalar: operations a cell. */
static void test_rows(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int most;
    } cases[] = {{"a*(tanh(x)*tanh(y)) + b*(tanh(x)*cos(y)) + u", 3},
                 {"a*(tanh(x)*tanh(y)) + b*(tanh(x)*cos(y) + cos(x)*tanh(y)) + u", 6},
                 {"u + a*(y*(1 - y)*(u - v))", 3},
                 {"y*u - v*y", 2},
                 {"u + a*y + cos(y)*b", 1},
                 {"y*(u + v*y)", 3},
                 {"x*u + x*v", 3}};
    rw_grid grid = {.ndim = 2, .size = {8, 8, 1}, .spacing = {0.3, 0.7, 1}};
    names n;
    names_begin(&n, &grid, 2);
    n.g->reciprocals = true;
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        rw_node before = node_of(&n, cases[i].text), after = rw_linear(n.g, before);
        for (uint64_t seed = 1; seed < 20; ++seed) {
            double x = value(n.g, before, seed), y = value(n.g, after, seed);
            if (!(fabs(x - y) <= 1e-13 * (1 + fabs(x))))
                fail_msg("%s, seed %d: %.17g, as linear forms %.17g", cases[i].text, (int)seed, x, y);
        }
        int cell = count_on(n.g, after, RW_ON_COORD | RW_ON_FIELD);
        if (cell > cases[i].most)
            fail_msg("%s: %d operations a cell, %d as linear forms, expected %d", cases[i].text,
                     count_on(n.g, before, RW_ON_COORD | RW_ON_FIELD), cell, cases[i].most);
    }
    names_end(&n);
}

static bool contains(const rw_graph *g, rw_node n, rw_node part)
{
    const rw_graph_node *p = g->nodes + n;
    bool found = n == part;
    for (int i = 0; i < rw_ops[p->op].arity && !found; ++i) found = contains(g, p->arg[i], part);
    return found;
}

/* Differences stay whole, and come before what is not small. */
static void test_differences(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"a*(u - v) + b*u", "u - v"}, {"u + c*(a*(v - u) + b*v)", "v - u"}};
    rw_grid grid = {.ndim = 2, .size = {8, 8, 1}, .spacing = {0.3, 0.7, 1}};
    names n;
    names_begin(&n, &grid, 2);
    for (int i = 0; i < 2; ++i) {
        rw_node after = rw_linear(n.g, node_of(&n, cases[i][0]));
        if (!contains(n.g, after, node_of(&n, cases[i][1]))) fail_msg("%s: %s was opened", cases[i][0], cases[i][1]);
    }
    rw_node after = rw_linear(n.g, node_of(&n, "a*(u + v) + b*u")), sum = node_of(&n, "u + v");
    if (contains(n.g, after, sum)) fail_msg("a sum was not opened");
    after = rw_linear(n.g, node_of(&n, "u + a*(u - v)")); /* … + u is the last addition */
    const rw_graph_node *p = n.g->nodes + after;
    assert_true(p->op == RW_OP_ADD && (p->arg[0] == node_of(&n, "u") || p->arg[1] == node_of(&n, "u")));
    names_end(&n);
}

/* Sums of sums of products, with parts that several use: equal values, never many more operations. */
static void test_random_forms(void **state)
{
    (void)state;
    enum { SEED = 5, ROUNDS = 300, NODES = 60 };
    rw_grid grid = {.ndim = 2, .size = {8, 8, 1}, .spacing = {0.3, 0.7, 1}};
    uint64_t at = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        names n;
        names_begin(&n, &grid, 2);
        rw_node made[NODES] = {node_of(&n, "u"),
                               node_of(&n, "v"),
                               node_of(&n, "a"),
                               node_of(&n, "b"),
                               node_of(&n, "dx_forward(u)"),
                               node_of(&n, "0.5")};
        for (int i = 6; i < NODES; ++i) {
            rw_node x = made[rw_random_u64(SEED, at++) % (uint64_t)i],
                    y = made[rw_random_u64(SEED, at++) % (uint64_t)i];
            static const rw_node_op ops[] = {RW_OP_ADD, RW_OP_SUB, RW_OP_ADD, RW_OP_SUB,
                                             RW_OP_MUL, RW_OP_NEG, RW_OP_MIN};
            rw_node_op op = ops[rw_random_u64(SEED, at++) % RW_COUNT(ops)];
            made[i] = op == RW_OP_NEG   ? rw_make1(n.g, op, x)
                      : op == RW_OP_MUL ? rw_make2(n.g, op, x, rw_make1(n.g, RW_OP_TANH, y))
                                        : rw_make2(n.g, op, x, y);
        }
        rw_node before = made[NODES - 1], after = rw_linear(n.g, before);
        double x = value(n.g, before, (uint64_t)round), y = value(n.g, after, (uint64_t)round), size = 0;
        for (int i = 0; i < NODES; ++i) size = fmax(size, fabs(value(n.g, made[i], (uint64_t)round)));
        if (!(fabs(x - y) <= 1e-12 * size))
            fail_msg("seed %d, round %d: %.17g, as linear forms %.17g", SEED, round, x, y);
        names_end(&n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values),      cmocka_unit_test(test_shared_kernels),
                                       cmocka_unit_test(test_neighbours),  cmocka_unit_test(test_what_is_a_table),
                                       cmocka_unit_test(test_recorded),    cmocka_unit_test(test_linear),
                                       cmocka_unit_test(test_rows),        cmocka_unit_test(test_differences),
                                       cmocka_unit_test(test_random_forms)};
    make_context(NULL);
    ndevices = open_devices(devices, RW_COUNT(devices));
    int failed = cmocka_run_group_tests_name("table", tests, NULL, NULL);
    for (int d = 0; d < ndevices; ++d) rw_device_close(&devices[d]);
    drop_context(NULL);
    return failed;
}
