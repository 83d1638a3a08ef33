/* The plan: how many passes, which stores, what is written beside itself, bytes and flops a cell, for programs whose
 * numbers follow from the rules in plan.h; and random programs fused against the same statements run one by one. */
#include "expr_test.h"

static rw_device *dev;

static const rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64},
                                       {.name = "v", .dtype = RW_F64},
                                       {.name = "s", .dtype = RW_F32},
                                       {.name = "w", .dtype = RW_C128},
                                       {.name = "k", .dtype = RW_C64}};
static const rw_expr_scalar scalars[] = {{.name = "a", .value = 2}, {.name = "b", .value = 3}};

static rw_expr *create(const char *text)
{
    rw_expr *e;
    rw_expr_spec spec = {.name = "plan",
                         .text = text,
                         .grid = {.ndim = 2, .size = {5, 4, 1}, .spacing = {0.5, 0.5, 1}},
                         .fields = fields,
                         .nfields = RW_COUNT(fields),
                         .scalars = scalars,
                         .nscalars = RW_COUNT(scalars)};
    rw_status status = rw_expr_create(dev, &spec, &e);
    if (status != RW_OK) fail_msg("%s: %s", text, rw_message(ctx));
    return e;
}

/* bytes: 8 for u and v, 4 for s, 16 for w, 8 for k, once for reading and once for writing in each pass.
 * beside: the fields written to a second array, with the number of the pass. */
static const struct {
    const char *text;
    int passes, stores, reductions, bytes;
    const char *beside;
} plans[] = {
    /* one pass, one array */
    {"u = u + 1", 1, 1, 0, 16, ""},
    {"u = v", 1, 1, 0, 16, ""},
    {"u = 3", 1, 1, 0, 8, ""},
    {"u = x*y", 1, 1, 0, 8, ""},
    {"r = 2*a", 0, 0, 0, 0, ""},
    {"f(q) = q*a; r = 1", 0, 0, 0, 0, ""},
    {"u = a*u + v; v = b*v", 1, 2, 0, 32, ""},
    /* precisions */
    {"s = 2*s", 1, 1, 0, 8, ""},
    {"u = s", 1, 1, 0, 12, ""},
    {"w = w*w", 1, 1, 0, 32, ""},
    {"k = conj(k)", 1, 1, 0, 16, ""},
    {"u = abs(w) + s", 1, 1, 0, 28, ""},
    /* a field read at other nodes while it is written */
    {"u = laplace(u)", 1, 1, 0, 16, "u1"},
    {"u = laplace(u); v = laplace(v)", 1, 2, 0, 32, "u1v1"},
    {"u = dx(v)", 1, 1, 0, 16, ""},
    {"v = dx(u); u = u + v", 1, 2, 0, 24, "u1"}, /* v is forwarded: read u, write u and v */
    {"u = u + a*laplace(u) - v; v = v + b*laplace(v) + u", 1, 2, 0, 32, "u1v1"},
    {"q = laplace(u); u = u + q; v = v + q", 1, 2, 0, 32, "u1"},
    {"q = dx(u); u = v; v = q", 1, 2, 0, 32, "u1"}, /* the old u at other nodes after u is assigned */
    {"q = u; u = v; v = q", 1, 2, 0, 32, ""},       /* exchanged in registers */
    /* a new value at other nodes: another pass */
    {"u = v; v = dx(u)", 2, 2, 0, 32, ""},
    {"u = dx(v); v = dx(u)", 2, 2, 0, 32, ""},
    {"v = dx(u); u = dx(v)", 2, 2, 0, 32, ""},
    {"u = u + laplace(u); v = v + laplace(u)", 2, 2, 0, 40, "u1"}, /* 16 + read u, v, write v */
    {"u = 2*u; v = dx(u); u = 0", 2, 3, 0, 40, "u2"},              /* 16 + read u, write v, u */
    {"u = dx(u); u = dx(u); u = dx(u)", 3, 3, 0, 48, "u1u2u3"},
    {"u = v; w = dx(u); v = 0", 2, 3, 0, 48, ""}, /* read v, write u, v: 24; read u, write w: 24 */
    /* stores overwritten in the same pass */
    {"u = 1; u = u + 1; u = u*v", 1, 1, 0, 16, ""},
    {"u = 2*u; v = u; u = 3", 1, 2, 0, 24, ""},
    {"u = dx(u); u = 2*u", 1, 1, 0, 16, "u1"},
    {"u = v; u = dx(u)", 2, 2, 0, 32, "u2"},
    /* reductions */
    {"r = sum(u)", 1, 0, 1, 8, ""},
    {"r = sum(x)", 1, 0, 1, 0, ""},
    {"r = sum(u); q = max(v); m = dot(u, v)", 1, 0, 3, 16, ""},
    {"r = sum(u); q = 2*sum(u)", 1, 0, 1, 8, ""},
    {"r = norm(w); q = sum(w)", 1, 0, 2, 16, ""},
    {"r = sum(u); u = u/r", 2, 1, 1, 24, ""},
    {"u = 2*u; r = sum(u)", 1, 1, 1, 16, ""},
    {"u = laplace(u); r = norm(u)", 1, 1, 1, 16, "u1"},
    {"r = sum(u); u = 2*u; q = sum(u)", 1, 1, 2, 16, ""},
    {"m = mean(u); d = norm(u - m)", 2, 0, 2, 16, ""},
    {"r = sum(u); q = sum(u*r); m = sum(u*q)", 3, 0, 3, 24, ""},
    {"r = sum(u*sum(v))", 2, 0, 2, 16, ""},
    {"u = 2*u; r = sum(laplace(u))", 2, 1, 1, 24, ""},
    {"u = u/sum(u); u = u/sum(u)", 3, 2, 2, 40, ""},
    {"u = where(u > max(v), u, 0)", 2, 1, 1, 24, ""},
    {"r = sum(u); u = dx(u)*r", 2, 1, 1, 24, "u2"},
    {"u = u + dx(u); r = max(abs(u)); v = v/r", 2, 2, 1, 32, "u1"},
    {"v = v/sum(u); u = u*2", 2, 2, 1, 32, ""}, /* u is assigned where it was last read, with the sum in pass 1 */
};

static void test_table(void **state)
{
    (void)state;
    int wrong = 0;
    for (int i = 0; i < RW_COUNT(plans); ++i) {
        rw_expr *e = create(plans[i].text);
        rw_expr_plan p;
        OK(rw_expr_get_plan(e, &p));
        char beside[64] = "";
        for (int s = 0; s < e->plan.nstores; ++s)
            if (e->plan.stores[s].shadow && !e->plan.stores[s].dead)
                snprintf(beside + strlen(beside), sizeof beside - strlen(beside), "%s%d",
                         e->graph->fields[e->plan.stores[s].field].name, e->plan.stores[s].pass + 1);
        if (p.passes != plans[i].passes || p.stores != plans[i].stores || p.reductions != plans[i].reductions ||
            p.bytes_per_cell != plans[i].bytes || strcmp(beside, plans[i].beside) != 0) {
            print_error("%s: %d passes, %d stores, %d reductions, %g bytes, beside \"%s\"\n", plans[i].text,
                        (int)p.passes, (int)p.stores, (int)p.reductions, p.bytes_per_cell, beside);
            wrong++;
        }
        assert_int_equal(p.bytes, 20 * plans[i].bytes);
        assert_int_equal(p.evaluator, p.passes > 0);
        rw_expr_destroy(&e);
    }
    assert_int_equal(wrong, 0);
}

/* Sums that take a product into themselves, and products that are computed by themselves. */
static void test_products(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int sums, products;
    } table[] =
        {{"u = u + a*v", 1, 0},         {"u = u*v - v", 1, 0}, {"u = v - u*v", 1, 0}, {"u = u*v + v*v", 1, 1},
         {"u = (u*v + v)*(u*v)", 1, 2}, {"u = a*b + v", 0, 0}, {"u = u + v", 0, 0},   {"u = sin(u*v)", 0, 1},
         {"w = w + u*w", 1, 0},         {"w = v + w*w", 0, 1}}; /* of complex numbers those with a real factor */
    for (int i = 0; i < RW_COUNT(table); ++i) {
        rw_expr *e = create(table[i].text);
        rw_pass_use use;
        int sums = 0, products = 0;
        OK(rw_plan_use(&e->plan, 0, &use));
        for (int n = 0; n < use.nnodes; ++n) {
            if (use.needed[n] != RW_ALONE) continue;
            sums += rw_plan_product(&e->plan, n) >= 0;
            products += e->graph->nodes[n].op == RW_OP_MUL;
        }
        if (sums != table[i].sums || products != table[i].products)
            fail_msg("%s: %d sums with a product, %d products", table[i].text, sums, products);
        rw_pass_use_free(&use);
        rw_expr_destroy(&e);
    }
}

static void test_flops(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double flops;
    } table[] = {{"u = u + v", 1},      {"u = a*b*u", 1},        {"u = a*u*b", 2},
                 {"u = u/a", 4},        {"u = u/4", 1},          {"u = u/v", 4},
                 {"u = u^4", 2},        {"u = sin(u)", 20},      {"u = (u + v)*(u + v)", 2},
                 {"u = v", 0},          {"u = v; u = u + v", 1}, {"r = sum(u)", 1},
                 {"r = sum(w)", 2},     {"r = max(u*v)", 2},     {"u = dx(v)", 2}, /* (v+ - v-) k */
                 {"u = laplace(v)", 8}, /* t = -2 v; ((v+ + v-) + t) k, twice: 1 + 3 + 3, and their sum */
                 {"u = x", 2}};
    for (int i = 0; i < RW_COUNT(table); ++i) {
        rw_expr *e = create(table[i].text);
        rw_expr_plan p;
        OK(rw_expr_get_plan(e, &p));
        if (p.flops_per_cell != table[i].flops) fail_msg("%s: %g flops", table[i].text, p.flops_per_cell);
        rw_expr_destroy(&e);
    }
}

static void test_text(void **state)
{
    (void)state;
    rw_expr *e = create("r = sum(u); u = u/r + dx(u); v = 1");
    char *text;
    OK(rw_expr_explain(e, &text));
    static const char *const parts_of_text[] = {"plan: 2 passes, 32 bytes and ",
                                                " flops per cell, run by the plain evaluator",
                                                "pass 1: reads u; writes v, a sum; 16 bytes",
                                                "pass 2: reads u; writes u (to a second array); 16 bytes"};
    for (int i = 0; i < RW_COUNT(parts_of_text); ++i)
        if (!strstr(text, parts_of_text[i])) fail_msg("\"%s\" is not in\n%s", parts_of_text[i], text);
    free(text);
    rw_expr_destroy(&e);
}

/* ---- random programs, fused and one by one ----------------------------------------------------------------------- */

enum { NX = 5, NY = 3, CELLS = NX * NY, NAMES = 6, FIELDS = 3 };
static const char *const all_names[NAMES] = {"u", "v", "k", "l0", "l1", "l2"};

static uint64_t seed, counter;
static int pick(int n) { return (int)(rw_random_uniform(seed, ++counter) * n); }

static void grow(rw_text *t, const bool *known, int depth)
{
    if (depth == 0) {
        int name = pick(NAMES + 1);
        if (name == NAMES) rw_text_add(t, "%.3f", 0.5 + rw_random_uniform(seed, ++counter));
        else rw_text_add(t, "%s", all_names[known[name] ? name : name % FIELDS]);
        return;
    }
    static const char *const unary[] = {"dx(", "dy(", "laplace(", "sin(", "-(", "dx_backward("},
                             *const binary[] = {" + ", " - ", "*"}, *const reduce[] = {"sum(", "max(", "min(", "mean("};
    switch (pick(5)) {
    case 0:
    case 1:
        rw_text_add(t, "(");
        grow(t, known, depth - 1);
        rw_text_add(t, "%s", binary[pick(3)]);
        grow(t, known, depth - 1);
        rw_text_add(t, ")");
        break;
    case 2:
    case 3:
        rw_text_add(t, "%s", unary[pick(6)]);
        grow(t, known, depth - 1);
        rw_text_add(t, ")");
        break;
    default:
        rw_text_add(t, "(0.1*%s", reduce[pick(4)]);
        grow(t, known, depth - 1);
        rw_text_add(t, ") + ");
        grow(t, known, depth - 1);
        rw_text_add(t, ")");
    }
}

/* Runs a program over the first `n` names as fields; the others are names of the program. */
static rw_status run(const char *text, int n, rw_array **arrays, int *passes)
{
    rw_expr_field f[NAMES] = {0};
    for (int i = 0; i < n; ++i) {
        f[i] = (rw_expr_field){.name = all_names[i], .dtype = RW_F64};
        /* then dx(name) is dx of its values */
        for (int s = 0; s < 4; ++s) f[i].boundary[s].kind = RW_BOUNDARY_PERIODIC;
    }
    rw_expr_spec spec = {.name = "random",
                         .text = text,
                         .grid = {.ndim = 2, .size = {NX, NY, 1}, .spacing = {0.5, 0.7, 1}},
                         .fields = f,
                         .nfields = n};
    rw_expr *e;
    RW_TRY(rw_expr_create(dev, &spec, &e));
    for (int i = 0; i < n; ++i) OK(rw_expr_bind(e, all_names[i], arrays[i]));
    OK(rw_expr_run(e, rw_device_queue(dev)));
    *passes = e->plan.npasses;
    rw_expr_destroy(&e);
    return RW_OK;
}

static void test_fused_is_one_by_one(void **state)
{
    (void)state;
    static const rw_grid grid = {.ndim = 2, .size = {NX, NY, 1}, .spacing = {0.5, 0.7, 1}};
    rw_array *fused[NAMES], *single_step[NAMES];
    for (int i = 0; i < NAMES; ++i)
        fused[i] = field_array(dev, &grid, RW_F64), single_step[i] = field_array(dev, &grid, RW_F64);
    int refused = 0, fewer = 0, most = 0;
    enum { PROGRAMS = 600 };
    for (seed = 1; seed <= PROGRAMS; ++seed) {
        rw_text whole = {0}, lines[12] = {{0}};
        bool known[NAMES] = {true, true, true};
        double x[CELLS], y[CELLS];
        int nlines = 2 + (int)(seed % 8), passes, total = 0;
        counter = 0;
        for (int i = 0; i < nlines; ++i) {
            int target = pick(NAMES);
            rw_text_add(&lines[i], "%s = ", all_names[target]);
            grow(&lines[i], known, 1 + pick(3));
            known[target] = true;
            rw_text_add(&whole, "%s\n", lines[i].data);
        }
        for (int i = 0; i < NAMES; ++i) {
            for (int c = 0; c < CELLS; ++c) x[c] = normal(seed, (uint64_t)(1000 + 100 * i + c));
            put(fused[i], x), put(single_step[i], x);
        }
        rw_status status = run(whole.data, FIELDS, fused, &passes);
        if (status == RW_OK) {
            for (int i = 0; i < nlines; ++i) {
                int own;
                if (run(lines[i].data, NAMES, single_step, &own) != RW_OK)
                    fail_msg("%s: %s", lines[i].data, rw_message(ctx));
                total += own;
            }
            for (int i = 0; i < FIELDS; ++i) {
                take(fused[i], x), take(single_step[i], y);
                for (int c = 0; c < CELLS; ++c)
                    if (!(x[c] == y[c] || (isnan(x[c]) && isnan(y[c]))))
                        fail_msg("seed %d: %s[%d] = %.17g fused, %.17g one by one\n%s", (int)seed, all_names[i], c,
                                 x[c], y[c], whole.data);
            }
            fewer += passes < total, most = RW_MAX(most, passes);
            if (passes > total)
                fail_msg("seed %d: %d passes fused, %d one by one\n%s", (int)seed, passes, total, whole.data);
        } else {
            if (status != RW_ERR_INPUT || !strstr(rw_message(ctx), "the old value of"))
                fail_msg("%s: %s", whole.data, rw_message(ctx));
            refused++;
        }
        rw_text_free(&whole);
        for (int i = 0; i < nlines; ++i) rw_text_free(&lines[i]);
    }
    for (int i = 0; i < NAMES; ++i) rw_array_destroy(&fused[i]), rw_array_destroy(&single_step[i]);
    printf("# %d programs: %d refused for an old value, %d of the others in fewer passes, at most %d passes\n",
           PROGRAMS, refused, fewer, most);
    assert_true(refused < PROGRAMS / 4);
    assert_true(fewer > PROGRAMS / 2);
}

/* Names that keep an old value: allowed as long as the old value is still there. */
static void test_old_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool allowed;
    } table[] = {
        {"q = u; u = 0; v = q", true},
        {"q = dx(u); u = 0; v = q", true},
        {"q = u; u = 0; r = sum(q)", true},
        {"q = u; u = 0; r = sum(u); v = q", true},    /* pass 1, before u is written there */
        {"q = u; u = 0; r = sum(u); v = q*r", false}, /* wants the sum and the old value */
        {"q = u; u = 0; v = dx(u) + q", false},       /* wants the new neighbours and the old value */
        {"q = dx(u); u = v; u = dx(u); v = q", true}, /* both in pass 1 */
        /* the first store stays: pass 1 reads it, then forward */
        {"u = 2*u; q = u; u = dx(u); r = sum(q)", true},
        {"u = 2*u; q = dx(u); u = 3; v = q", false}, /* the first store is dead, its neighbours nowhere */
        {"u = 2*u; q = u; u = 3; v = q", true},
        {"q = sum(u); u = 0; v = v*q", true},  /* a reduction is a number by then */
        {"f(g) = g*u; u = 0; v = f(1)", true}, /* functions see the names where they are called */
    };
    for (int i = 0; i < RW_COUNT(table); ++i) {
        rw_expr *e;
        rw_expr_spec spec = {.name = "plan",
                             .text = table[i].text,
                             .grid = {.ndim = 2, .size = {5, 4, 1}, .spacing = {0.5, 0.5, 1}},
                             .fields = fields,
                             .nfields = RW_COUNT(fields)};
        rw_status status = rw_expr_create(dev, &spec, &e);
        if ((status == RW_OK) != table[i].allowed) fail_msg("%s: %s", table[i].text, rw_status_name(status));
        rw_expr_destroy(&e);
    }
}

static int setup(void **state)
{
    if (make_context(state)) return -1;
    compiler(false);
    return rw_device_open(ctx, "cpu", &dev) == RW_OK ? 0 : -1;
}

static int teardown(void **state)
{
    rw_device_close(&dev);
    return drop_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table), cmocka_unit_test(test_products),   cmocka_unit_test(test_flops),
        cmocka_unit_test(test_text),  cmocka_unit_test(test_old_values), cmocka_unit_test(test_fused_is_one_by_one),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
