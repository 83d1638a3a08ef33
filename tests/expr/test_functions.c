/* Functions written in C, on all devices: where they run and that the plan says so, against the same formulas in the
 * language; coordinates and scalars leave the program on the device; recorded runs, derivatives, names. Programs made
 * and destroyed many times keep no memory. */
/* TEST: devices=all */
#include "../devices.h"

#include <malloc.h>
#include <math.h>

#include "rechenwerk/expr.h"

enum { CELLS = 777 };

static int calls;

static double profile(void *user, const double *a)
{
    ++calls;
    return *(const double *)user * exp(-a[0] * a[0]);
}
static double product(void *user, const double *a)
{
    (void)user;
    return a[0] * a[1];
}
static double blend(void *user, const double *a)
{
    (void)user;
    return a[0] * (1 - a[2]) + a[1] * a[2];
}

static double two = 2;
static const rw_expr_function functions[] = {{.name = "profile", .arguments = 1, .call = profile, .user = &two},
                                             {.name = "product", .arguments = 2, .call = product},
                                             {.name = "blend", .arguments = 3, .call = blend}};
static const rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64}, {.name = "v", .dtype = RW_F64}};
static const rw_expr_scalar scalars[] = {{.name = "a", .value = 0.25},
                                         {.name = "s", .value = 1, .state = true},
                                         {.name = "c", .is_complex = true}};

static rw_expr_spec spec_of(const char *text)
{
    return (rw_expr_spec){.name = "functions",
                          .text = text,
                          .grid = {1, {CELLS, 1, 1}, {0.01, 1, 1}, {-2, 0, 0}},
                          .fields = fields,
                          .nfields = 2,
                          .scalars = scalars,
                          .nscalars = 3,
                          .functions = functions,
                          .nfunctions = 3};
}

typedef struct program {
    rw_expr *e;
    rw_array *u, *v;
} program;

static program make(const char *text)
{
    rw_expr_spec spec = spec_of(text);
    program p = {.u = new_ramp(CELLS, -1, 0.003), .v = new_ramp(CELLS, 0.5, 0.001)};
    OK(rw_expr_create(dev, &spec, &p.e));
    OK(rw_expr_bind(p.e, "u", p.u));
    OK(rw_expr_bind(p.e, "v", p.v));
    return p;
}

static void drop(program *p)
{
    rw_expr_destroy(&p->e);
    rw_array_destroy(&p->u), rw_array_destroy(&p->v);
}

/* The program with functions in C, and with the same in the language: equal fields and sums; whether each runs on the
 * host. */
static void compare(const char *in_c, const char *in_language, bool host)
{
    static const char definitions[] =
        "profile2(r) = 2*exp(-r^2)\nproduct2(p, q) = p*q\nblend2(p, q, w) = p*(1 - w) + q*w\n";
    char text[600];
    snprintf(text, sizeof text, "%s%s", definitions, in_language);
    program p = make(in_c), q = make(text);
    rw_expr_plan plan;
    char *explained;
    OK(rw_expr_get_plan(p.e, &plan));
    OK(rw_expr_explain(p.e, &explained));
    if (host != (plan.function != NULL) || (host && !plan.evaluator)) fail_msg("%s: %s", in_c, explained);
    if (host != (strstr(explained, "run by the plain evaluator (on the host, because ") != NULL))
        fail_msg("%s: %s", in_c, explained);
    free(explained);
    OK(rw_expr_get_plan(q.e, &plan));
    assert_null(plan.function);
    assert_false(plan.evaluator);
    for (int run = 0; run < 3; ++run) {
        double s, t;
        OK(rw_expr_set(p.e, "a", 0.25 + run));
        OK(rw_expr_set(q.e, "a", 0.25 + run));
        OK(rw_expr_run(p.e, queue));
        OK(rw_expr_run(q.e, queue));
        OK(rw_expr_get(p.e, "s", &s, NULL));
        OK(rw_expr_get(q.e, "s", &t, NULL));
        if (!(fabs(s - t) <= 1e-13 * fabs(t))) fail_msg("%s: s = %.17g, expected %.17g", in_c, s, t);
    }
    const double *have = numbers_of(p.v), *want = numbers_of(q.v);
    for (int i = 0; i < CELLS; ++i)
        if (!(fabs(have[i] - want[i]) <= 1e-13 * (1 + fabs(want[i]))))
            fail_msg("%s: v[%d] = %.17g, expected %.17g", in_c, i, have[i], want[i]);
    drop(&p), drop(&q);
}

static void test_placement(void **state)
{
    (void)state;
    compare("v = profile(u) + v/2", "v = profile2(u) + v/2", true); /* of a field */
    /* of a coordinate: a table */
    compare("v = u*profile(x) + v/2", "v = u*profile2(x) + v/2", false);
    /* of scalars: an argument */
    compare("v = u*profile(3*a + 1)", "v = u*profile2(3*a + 1)", false);
    compare("v = blend(u, product(u, v), a)\ns = sum(v)", "v = blend2(u, product2(u, v), a)\ns = sum(v)", true);
    /* in what a state becomes */
    compare("v = u\ns = product(sum(v), 0.5) + s", "v = u\ns = product2(sum(v), 0.5) + s", true);
    /* in a result: on the host anyway */
    compare("v = u\nr = product(sum(v), 0.5)", "v = u\nr = product2(sum(v), 0.5)", false);
    compare("v = product(2, 3)*u", "v = 6*u", false);
}

/* What does not change from run to run is not asked again. */
static void test_calls(void **state)
{
    (void)state;
    program p = make("v = u*profile(x) + profile(a)");
    calls = 0;
    for (int i = 0; i < 10; ++i) OK(rw_expr_run(p.e, queue));
    assert_in_range(calls, 1, CELLS + 1);
    drop(&p);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {{"v = profile(u, v)", "profile takes 1 argument, 2 given"},
                {"v = product(u)", "product takes 2 arguments, 1 given"},
                {"v = profil(u)", "function profil is unknown; nearest is profile"},
                {"v = profile", "profile is a function: its arguments are missing"},
                {"profile(r) = r\nv = profile(u)", "function profile is defined in C: choose another name"},
                {"v = diff(profile(u), u)", "profile has no derivative here"},
                {"v = real(profile(c))", "profile takes real numbers"}};
    rw_expr *e;
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_expr_spec spec = spec_of(rows[i].text);
        FAILS(RW_ERR_INPUT, rows[i].message, rw_expr_create(dev, &spec, &e));
    }
    rw_expr_function wrong = {.name = "u", .arguments = 1, .call = profile};
    rw_expr_spec spec = spec_of("v = u");
    spec.functions = &wrong, spec.nfunctions = 1;
    FAILS(RW_ERR_INPUT, "u is declared twice", rw_expr_create(dev, &spec, &e));
    wrong.name = "sin";
    FAILS(RW_ERR_INPUT, "\"sin\" is a coordinate, operator or function of the language",
          rw_expr_create(dev, &spec, &e));
    wrong.name = "f", wrong.arguments = 4;
    FAILS(RW_ERR_ARGUMENT, "function f: 1 to 3 arguments are allowed", rw_expr_create(dev, &spec, &e));
    wrong.arguments = 1, wrong.call = NULL;
    FAILS(RW_ERR_ARGUMENT, "function f: call = NULL", rw_expr_create(dev, &spec, &e));

    spec = spec_of("v = diff(profile(x)*u + product(a, 2), u)"); /* it does not depend on what is differentiated by */
    OK(rw_expr_create(dev, &spec, &e));
    rw_expr_destroy(&e);
    program p = make("v = profile(u)");
    rw_sequence *sequence;
    OK(rw_record_begin(queue));
    FAILS(RW_ERR_UNSUPPORTED, "functions cannot be recorded: it calls profile, a function in C, on the host",
          rw_expr_run(p.e, queue));
    rw_record_end(queue, &sequence);
    rw_sequence_destroy(&sequence);
    drop(&p);
}

/* Programs come and go; another number in the text is another program, and the old one again is found. */
static void test_many(void **state)
{
    (void)state;
    const int many = brief() ? 30 : 3000;
    rw_expr_spec spec = spec_of("v = (u + a*v)/(1 + 2*profile(x)) + 0.75");
    size_t before = 0;
    for (int i = 0; i < many; ++i) {
        rw_expr *e;
        OK(rw_expr_create(dev, &spec, &e));
        rw_expr_destroy(&e);
        if (i == many / 2) before = mallinfo2().uordblks;
    }
    size_t after = mallinfo2().uordblks;
    if (after > before + 65536 && on("cpu"))
        fail_msg("%d programs keep %lld bytes", many / 2, (long long)(after - before));
    program p = make("v = (u + a*v)/(1 + 2*u*u) + 0.75");
    rw_counters first = counters();
    spec.text = "v = (u + a*v)/(1 + 2*u*u) + 0.8125";
    rw_expr *e;
    OK(rw_expr_create(dev, &spec, &e));
    rw_counters other = counters();
    assert_int_equal(other.compilations + other.cache_hits, first.compilations + first.cache_hits + 1);
    rw_expr_destroy(&e);
    spec.text = "v = (u + a*v)/(1 + 2*u*u) + 0.75";
    OK(rw_expr_create(dev, &spec, &e));
    assert_int_equal(counters().compilations + counters().cache_hits, other.compilations + other.cache_hits);
    rw_expr_destroy(&e);
    drop(&p);
}

/* Four leaves, two of which the host has changed: two copies; a field that the host reads twice: one. */
static void test_copies(void **state)
{
    (void)state;
    static const rw_expr_field four[] = {{.name = "p", .dtype = RW_F64},
                                         {.name = "q", .dtype = RW_F64},
                                         {.name = "r", .dtype = RW_F64},
                                         {.name = "s", .dtype = RW_F64},
                                         {.name = "out", .dtype = RW_F64}};
    rw_expr_spec spec = {.name = "copies",
                         .text = "out = p*q + r*s",
                         .grid = {1, {CELLS, 1, 1}, {1, 1, 1}, {0}},
                         .fields = four,
                         .nfields = 5};
    rw_expr *e;
    rw_array *a[5];
    OK(rw_expr_create(dev, &spec, &e));
    for (int i = 0; i < 5; ++i) {
        a[i] = new_ramp(CELLS, i, 0.5);
        OK(rw_expr_bind(e, four[i].name, a[i]));
    }
    OK(rw_expr_run(e, queue));
    for (int i = 0; i < 2; ++i) {
        void *host;
        OK(rw_array_update(a[2 * i], &host));
        ((double *)host)[5] = 9;
    }
    rw_counters before = counters();
    OK(rw_expr_run(e, queue));
    assert_int_equal(counters().copies_in - before.copies_in, discrete() ? 2 : 0);
    before = counters();
    double want = 9 * (1 + 2.5) + 9 * (3 + 2.5);
    assert_true(fabs(numbers_of(a[4])[5] - want) < 1e-12);
    assert_true(fabs(numbers_of(a[4])[5] - want) < 1e-12);
    assert_int_equal(counters().copies_out - before.copies_out, discrete() ? 1 : 0);
    assert_int_equal(counters().copies_in - before.copies_in, 0);
    rw_expr_destroy(&e);
    for (int i = 0; i < 5; ++i) rw_array_destroy(&a[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_placement), cmocka_unit_test(test_calls),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_many),
                                       cmocka_unit_test(test_copies)};
    return run_on_devices("functions", tests, RW_COUNT(tests));
}
