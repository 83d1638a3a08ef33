/* Equations without a time derivative: what is one, F = left - right as a node, which unknown each determines and in
 * which order, and every message with its place. */
#include "expr/equations.h"

#include "expr_test.h"

static const rw_grid plane = {.ndim = 2, .size = {4, 3, 1}, .spacing = {0.1, 0.2, 1}};

/* ---- statements -------------------------------------------------------------------------------------------------- */

/* Fields are u and v. */
static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        rw_statement_kind kind; /* of the last statement */
    } cases[] = {
        {"laplace(psi) = -w", RW_EQUATION},
        {"0 = div(a*grad(p)) - c*p - f", RW_EQUATION},
        {"dx(u) + dy(v) = 0", RW_EQUATION},
        {"2*u = 1", RW_EQUATION},
        {"-u = 1", RW_EQUATION},
        {"(u) = 1", RW_EQUATION},
        {"(f(q)) = q", RW_EQUATION},
        {"+f(q) = q", RW_EQUATION},
        {"u^2 = 1", RW_EQUATION},
        {"u.x = 1", RW_EQUATION},
        {"u[i+1] = u", RW_EQUATION},
        {"[u, v] = grad(u)", RW_EQUATION},
        {"sin(v) = v", RW_EQUATION},
        {"dxxy(u) = v", RW_EQUATION},
        {"max(u, v) = v", RW_EQUATION},
        {"dot(u, v) = 1", RW_EQUATION},
        {"f(2*u) = 1", RW_EQUATION},
        {"f(u, 1) = 1", RW_EQUATION},
        {"f(sin(u)) = 1", RW_EQUATION},
        {"not u = v", RW_EQUATION},
        {"du/dt + u = 0", RW_EQUATION},
        {"2*du/dt = u", RW_EQUATION},
        {"du/dx = v", RW_EQUATION},
        {"dx(\n u\n) + # goes on\n dy(v) = 0", RW_EQUATION},
        /* a call of plain names */
        {"f(q) = q", RW_DEFINE},
        {"f(u) = 2*u", RW_DEFINE},
        {"f(u, v) = u - v", RW_DEFINE},
        {"e(u) = u", RW_DEFINE},
        {"inner(u, k) = u", RW_DEFINE},
        {"f(q) = q; f(k) = k", RW_DEFINE},
        {"f(q) = q; g(u) = u", RW_DEFINE},
        {"f(q) = q; f(u) = 3", RW_EQUATION},
        {"f(u) = u^2; f(v) = 3", RW_EQUATION},
        {"f(u, q) = u*q; f(q, v) = 3", RW_EQUATION},
        {"f(q) = q; f(u) = 3; f(k) = k", RW_DEFINE},
        /* unchanged */
        {"u = 1", RW_ASSIGN},
        {"du/dt = 1", RW_RATE},
        {"u_tt = 1", RW_ASSIGN},
        {"dtt(u) = 1", RW_DEFINE},
    };
    static const rw_expr_field fields[] = {{.name = "u"}, {.name = "v"}};
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        const rw_source source = {"s", cases[i].text, 1, 1};
        rw_parsed parsed;
        OK(rw_parse_statements(ctx, &source, &parsed));
        rw_find_equations(&parsed, fields, 2);
        const rw_statement *s = parsed.statements + parsed.n - 1;
        if (s->kind != cases[i].kind) fail_msg("%s: kind %d", cases[i].text, s->kind);
        assert_non_null(s->value);
        if (s->kind == RW_EQUATION) assert_true(s->left && !*s->name && !s->nparameters);
        rw_parsed_free(&parsed);
    }
}

/* ---- lowering ---------------------------------------------------------------------------------------------------- */

static rw_status lower(names *n, const char *text, rw_node *f)
{
    const rw_source source = {"case.yaml", text, 3, 12};
    rw_parsed parsed;
    RW_TRY(rw_parse_statements(ctx, &source, &parsed));
    assert_true(parsed.n == 1 && parsed.statements[0].kind == RW_EQUATION);
    const rw_status status = rw_lower_equation(&n->l, &source, parsed.statements, f);
    rw_parsed_free(&parsed);
    return status;
}

/* Equal nodes are one node, so F is what its text as an expression gives. */
static void test_residuals(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        {"laplace(u) = -v", "laplace(u) - -v"},
        {"0 = div(a*grad(u)) - c*u - v", "0 - (div(a*grad(u)) - c*u - v)"},
        {"dx(u) + dy(v) = 0", "dx(u) + dy(v)"},
        {"curl([u, v]) = x*t", "curl([u, v]) - x*t"},
        {"p*laplace(w) = real(w)", "p*laplace(w) - real(w)"},
        {"mean(u) = u", "mean(u) - u"},
    };
    names n;
    names_begin(&n, &plane, 2);
    for (int i = 0; i < RW_COUNT(same); ++i) {
        rw_node f = -1;
        OK(lower(&n, same[i][0], &f));
        assert_int_equal(f, node_of(&n, same[i][1]));
    }
    names_end(&n);
}

static void test_mistakes_of_lowering(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"laplace(psi) = -v", "3:20: name psi is unknown; nearest is pi"},
        {"laplace(u) = -r2", "3:26: name r2 is unknown: fields, parameters and functions must be declared"},
        {"grad(u) = [v, v]", "3:12: the sides of this equation are vectors of 2: write an equation for each component"},
        {"grad(u) = v",
         "3:12: incompatible shapes: a vector of 2 - a field: vectors can be added to vectors, scaled, or "
         "multiplied with · "},
        {"2*du/dt = u", "3:14: name du is unknown: write first derivatives as dx(u), dy(u), grad(u); the rate du/dt "
                        "stands alone on a left side"},
        {"f(2*u) = 1", "3:12: function f is unknown: fields, parameters and functions must be declared"},
        {"u(3) = 1", "3:12: u is not a function: write a product as u*(…)"},
        {"dz(u) = 1", "3:12: dz is not defined on a grid of 2 dimensions"},
    };
    names n;
    names_begin(&n, &plane, 2);
    for (int i = 0; i < RW_COUNT(wrong); ++i) {
        rw_node f;
        char message[512];
        snprintf(message, sizeof message, "case.yaml:%s", wrong[i].message);
        FAILS(lower(&n, wrong[i].text, &f), RW_ERR_INPUT, message);
    }
    names_end(&n);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* Fields u, v, p, q, s, f (real) and w (complex); the left side of s reads p. */
static rw_status pair(const char *text, const char *unknowns, rw_parsed *parsed, rw_pairs *pairs)
{
    static const rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64},
                                           {.name = "v", .dtype = RW_F64},
                                           {.name = "p", .dtype = RW_F64},
                                           {.name = "q", .dtype = RW_F64},
                                           {.name = "s",
                                            .dtype = RW_F64,
                                            .boundary = {{.kind = RW_BOUNDARY_DIRICHLET, .a = "2*inner(p, 1)"}}},
                                           {.name = "w", .dtype = RW_C128},
                                           {.name = "f", .dtype = RW_F64}};
    const rw_expr_spec spec = {.name = "the case", .grid = plane, .fields = fields, .nfields = RW_COUNT(fields)};
    const rw_source source = {"case.yaml", text, 3, 5};
    rw_unknown list[8];
    rw_node f[16];
    rw_graph *g;
    rw_lowering l;
    int n = 0;
    *pairs = (rw_pairs){0};
    OK(rw_graph_create(ctx, &plane, 2, &g));
    rw_lowering_begin(&l, ctx, g);
    OK(rw_parse_statements(ctx, &source, parsed));
    rw_find_equations(parsed, fields, RW_COUNT(fields));
    OK(rw_expr_declare(ctx, &spec, g, &l, &source, parsed));
    for (const char *c = unknowns; *c; ++c)
        for (int i = 0; i < RW_COUNT(fields); ++i)
            if (fields[i].name[0] == *c)
                list[n++] = (rw_unknown){fields[i].name, rw_graph_find_field(g, fields[i].name)};
    assert_true(parsed->n <= RW_COUNT(f));
    for (int i = 0; i < parsed->n; ++i) {
        const rw_statement *s = parsed->statements + i;
        rw_value value;
        if (s->kind == RW_EQUATION) OK(rw_lower_equation(&l, &source, s, f + i));
        if (s->kind != RW_ASSIGN) continue;
        OK(rw_lower(&l, &source, s->value, &value));
        OK(rw_lower_local(&l, &source, s->at, s->name, value));
    }
    const rw_status status = rw_pair_equations(&l, &source, parsed, f, list, n, pairs);
    rw_lowering_end(&l);
    rw_graph_destroy(&g);
    return status;
}

/* "v2 | p0 q1": unknown and statement, systems apart. */
static void test_pairs(void **state)
{
    (void)state;
    static const struct {
        const char *text, *unknowns, *pairs;
    } cases[] = {
        {"laplace(p) = -u", "p", "p0"},
        {"0 = laplace(p) + u", "p", "p0"},
        {"k = laplace(p); 2*k = f", "p", "p1"},
        {"g(a) = laplace(a); g(p) = f", "p", "p1"},
        {"du/dt = p; laplace(p) = -u", "p", "p1"},
        /* the left side names the unknown first */
        {"laplace(p) = q; laplace(q) = f", "pq", "q1 | p0"},
        {"laplace(q) - p = f; laplace(p) = f", "pq", "p1 | q0"},
        {"u*laplace(q) = p; u*p = 2", "pq", "p1 | q0"},
        {"dx(q, 4) + q[i-1] = p; u*p = 2", "pq", "p1 | q0"},
        {"p - p + q = f; 0 = p", "pq", "q0 | p1"},
        /* the right side only: matched */
        {"0 = p + q; 0 = laplace(q)", "pq", "q1 | p0"},
        {"0 = p + q; 0 = u - p", "pq", "p1 | q0"},
        /* systems */
        {"laplace(p) = q; laplace(q) = p", "pq", "p0 q1"},
        {"laplace(q) = p; laplace(p) = q; u + v = p; v*dx(v) = q", "pquv", "q0 p1 | v3 | u2"},
        {"laplace(u) - dx(p) = f; laplace(v) - dy(p) = f; dx(u) + dy(v) = 0", "uvp", "p0 v1 u2"},
        /* reductions order, but determine nothing */
        {"laplace(p) = mean(q); laplace(q) = f", "pq", "q1 | p0"},
        {"0 = u + max(p); 0 = p - f", "up", "p1 | u0"},
        /* the side of s reads p: where values beyond it are read */
        {"laplace(s) = f; laplace(p) = f", "ps", "p1 | s0"},
        {"s^3 = f; laplace(p) = f", "ps", "s0 | p1"},
        {"laplace(s) = f; laplace(p) = s", "ps", "s0 p1"},
        {"laplace(q) = dx(s); laplace(p) = f", "qp", "p1 | q0"},
        /* complex */
        {"1i*laplace(w) = f", "w", "w0"},
    };
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        rw_parsed parsed;
        rw_pairs pairs;
        rw_text got = {0};
        const rw_status status = pair(cases[i].text, cases[i].unknowns, &parsed, &pairs);
        if (status != RW_OK) fail_msg("%s: %s", cases[i].text, rw_message(ctx));
        for (int s = 0; s < pairs.nsystems; ++s)
            for (int k = pairs.first[s]; k < pairs.first[s + 1]; ++k)
                rw_text_add(&got, "%s%c%d",
                            !k                    ? ""
                            : k == pairs.first[s] ? " | "
                                                  : " ",
                            cases[i].unknowns[pairs.pair[k].unknown], pairs.pair[k].statement);
        assert_int_equal(pairs.first[pairs.nsystems], pairs.n);
        if (strcmp(got.data, cases[i].pairs) != 0) fail_msg("%s: %s", cases[i].text, got.data);
        rw_text_free(&got);
        rw_pairs_free(&pairs);
        rw_parsed_free(&parsed);
    }
}

#define AT(place, text) "case.yaml:" place ": " text
#define NOTHING(place, name)                                                                                           \
    AT(place, "nothing determines " name ": no equation reads its values at the nodes, and it has no rate d" name      \
              "/dt: write an equation such as laplace(" name ") = …, or d" name "/dt = …")

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *unknowns, *message, *second; /* NULL: there is one */
    } cases[] = {
        /* an equation that determines nothing */
        {"0 = u + f", "",
         AT("3:5", "this equation determines no field: each field has a rate d/dt: remove the equation, or the rate of "
                   "the field that it determines"),
         NULL},
        {"laplace(p) = f\n0 = u + f", "p",
         AT("4:1", "this equation reads no unknown: remove it, or let it read p, which has no rate d/dt"), NULL},
        {"0 = u + f\nlaplace(p) = f", "pq",
         AT("3:5", "this equation reads no unknown: remove it, or let it read one of p and q, which have no rate d/dt"),
         NOTHING("3:5", "q")},
        {"p - p = f", "p",
         AT("3:5", "this equation reads no unknown: remove it, or let it read p, which has no rate d/dt"),
         NOTHING("3:5", "p")},
        {"g(a) = a\nlaplace(q) = f\n mean(p) = 0", "pq",
         AT("5:2", "this equation reads p only in reductions or at sides, which determine no value at each node: let "
                   "it read the unknown itself"),
         NOTHING("4:1", "p")},
        /* two equations for one unknown */
        {"laplace(p) = f\n  0 = p - u", "p",
         AT("4:3", "a second equation for p, which case.yaml:3:5 determines already: remove one of them, or add the "
                   "field that it determines"),
         NULL},
        {"laplace(p) = f\n  0 = p - u", "pq",
         AT("4:3", "a second equation for p, which case.yaml:3:5 determines already: remove one of them, or let it "
                   "read q, which has none"),
         NOTHING("3:5", "q")},
        {"p + q = f\np - q = f\n0 = p*q", "pq",
         AT("5:1", "one equation too many: this one, case.yaml:3:5 and case.yaml:4:1 read only the 2 unknowns p and q: "
                   "remove one of them, or add the field that it determines"),
         NULL},
        /* no equation for an unknown */
        {"laplace(p) = q", "pq",
         AT("3:5", "there is no equation for q: the one at case.yaml:3:5 determines p: add one that reads q, or "
                   "dq/dt = …"),
         NULL},
        {"laplace(u) = q\nlaplace(p) + u = q\n v*f = 1", "pquv",
         AT("3:5", "there is no equation for q: those at case.yaml:3:5 and case.yaml:4:1 determine p and u: add one "
                   "that reads q, or dq/dt = …"),
         NULL},
        /* types */
        {"laplace(p) = 1i*f", "p",
         AT("3:5", "this equation is complex, but field p, which it determines, is real: make p complex, or take "
                   "real(), imag() or abs()"),
         NULL},
    };
    for (int i = 0; i < RW_COUNT(cases); ++i)
        for (int collected = 0; collected < 2; ++collected) {
            rw_parsed parsed;
            rw_pairs pairs;
            rw_mistakes m;
            char expected[1024];
            const char *second = collected && cases[i].second ? cases[i].second : "";
            snprintf(expected, sizeof expected, "%s%s%s", cases[i].message, *second ? "\n" : "", second);
            if (collected) rw_mistakes_begin(&m);
            rw_status status = pair(cases[i].text, cases[i].unknowns, &parsed, &pairs);
            if (collected) status = rw_mistakes_end(ctx, &m, status);
            if (status != RW_ERR_INPUT || strcmp(rw_message(ctx), expected) != 0)
                fail_msg("%s: %s\n%s\nexpected\n%s", cases[i].text, rw_status_name(status),
                         status ? rw_message(ctx) : "", expected);
            assert_true(!pairs.pair && !pairs.first);
            rw_parsed_free(&parsed);
        }
}

/* Each allocation fails once: nothing is lost, and the answer is ERR_MEMORY or the right one. */
static void test_without_memory(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        const rw_status right = i ? RW_ERR_INPUT : RW_OK;
        names n;
        rw_parsed parsed;
        rw_node f[2];
        rw_pairs pairs;
        const rw_source source = {"case.yaml", i ? "laplace(u) = a; 0 = u - b" : "laplace(u) = v; laplace(v) = u", 1,
                                  1};
        names_begin(&n, &plane, 2);
        OK(rw_parse_statements(ctx, &source, &parsed));
        for (int k = 0; k < 2; ++k) OK(rw_lower_equation(&n.l, &source, parsed.statements + k, f + k));
        const rw_unknown unknowns[] = {{"u", rw_graph_find_field(n.g, "u")}, {"v", rw_graph_find_field(n.g, "v")}};
        rw_status status = RW_ERR_MEMORY;
        for (long event = 1; status == RW_ERR_MEMORY; ++event) {
            assert_true(event < 100);
            rw_fault_set(RW_FAULT_ALLOC, event);
            status = rw_pair_equations(&n.l, &source, &parsed, f, unknowns, 2 - i, &pairs);
            rw_fault_set(RW_FAULT_ALLOC, 0);
            assert_true(status == RW_ERR_MEMORY || status == right);
            rw_pairs_free(&pairs);
        }
        rw_parsed_free(&parsed);
        names_end(&n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds), cmocka_unit_test(test_residuals), cmocka_unit_test(test_mistakes_of_lowering),
        cmocka_unit_test(test_pairs), cmocka_unit_test(test_mistakes),  cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
