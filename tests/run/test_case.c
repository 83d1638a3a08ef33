/* Cases: effective settings and where they came from, the message of every kind of mistake, --set, the hash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/problem.h"
#include "run/run_settings.h"

#define RW_SECTION_PREFIX(section) fake_##section
#define RW_SECTION_DEF "../tests/run/fake.def"
#include "run/section_structs.h"
#define RW_SECTION_PREFIX(section) fake_##section
#define RW_SECTION_DEF "../tests/run/fake.def"
#define RW_SECTION_TABLE_NAME fake_sections
#include "run/section_table.h"

static const rw_problem_ops fake = {.name = "fake", .sections = fake_sections, .nsections = RW_COUNT(fake_sections)};
static const rw_problem_ops other = {.name = "other"};
static const rw_problem_ops *const problems[] = {&fake, &other, NULL};

static rw_context *ctx;

#define GOOD                                                                                                           \
    "problem: fake\n"                                                                                                  \
    "grid: {size: [4, 6], extent: 2.5}\n"                                                                              \
    "fields:\n"                                                                                                        \
    "  u: {initial: 1, unit: K}\n"                                                                                     \
    "  v: {initial: [1, 2]}\n"                                                                                         \
    "parameters: {a: 1.5, b: \"2*a\"}\n"                                                                               \
    "equations: \"du/dt = a*u\"\n"                                                                                     \
    "time: {end: 2, method: heun}\n"

static rw_status parse(const char *text, const char *set, rw_case **c)
{
    return rw_case_parse(ctx, "cases/good.yaml", text, strlen(text), &set, set ? 1 : 0, problems, c);
}

static void test_settings(void **state)
{
    (void)state;
    rw_case *c;
    assert_int_equal(parse(GOOD, NULL, &c), RW_OK);
    assert_string_equal(rw_case_name(c), "good");
    assert_string_equal(rw_case_file(c), "cases/good.yaml");
    assert_ptr_equal(rw_case_problem(c), &fake);
    fake_grid grid;
    assert_int_equal(rw_case_section(c, "grid", &grid), RW_OK);
    assert_int_equal(grid.size.n, 2);
    assert_int_equal(grid.size.value[1], 6);
    assert_int_equal(grid.extent.n, 1);
    assert_true(grid.extent.value[0] == 2.5);
    assert_int_equal(grid.order, 2);
    assert_string_equal(grid.file, "");
    fake_time time;
    assert_int_equal(rw_case_section(c, "time", &time), RW_OK);
    assert_true(time.end == 2 && time.step == 0.01 && time.method == 1 && !time.slow);
    assert_int_equal(time.tags.n, 2);
    assert_string_equal(time.tags.item[1]->text, "two");
    run_output output;
    assert_int_equal(rw_case_section(c, "output", &output), RW_OK);
    assert_true(output.every == 0 && output.vti && output.fields.n == 1 && output.limits.n == 1);
    run_top top;
    assert_int_equal(rw_case_section(c, "top", &top), RW_OK);
    assert_string_equal(top.problem, "fake");
    assert_string_equal(top.device, "cpu");
    fake_fields entry;
    assert_int_equal(rw_case_entry(c, "fields", 0, &entry), RW_OK);
    assert_string_equal(entry.unit, "K");
    assert_int_equal(rw_case_entry(c, "fields", 1, &entry), RW_OK);
    assert_string_equal(entry.unit, "1");
    assert_int_equal(entry.initial->n, 2);
    assert_int_equal(rw_case_entry(c, "fields", 2, &entry), RW_ERR_INTERNAL);
    assert_int_equal(rw_case_section(c, "fields", &entry), RW_ERR_INTERNAL);
    assert_int_equal(rw_case_section(c, "nothing", &entry), RW_ERR_INTERNAL);
    const rw_tree *equations = rw_case_node(c, "equations"), *parameters = rw_case_node(c, "parameters");
    assert_int_equal(equations->n, 1);
    assert_string_equal(equations->items[0]->text, "du/dt = a*u");
    assert_int_equal(equations->items[0]->text_line, 7);
    assert_int_equal(equations->items[0]->text_column, 13);
    assert_string_equal(rw_case_node(c, "time.end")->text, "2");
    assert_null(rw_case_node(c, "time.step"));
    assert_null(rw_case_node(c, "checkpoint"));
    rw_case_fail(c, parameters->items[0], "no %s", "good");
    assert_string_equal(rw_message(ctx), "cases/good.yaml:6:17: no good");
    rw_case_fail_key(c, parameters, 1, "no");
    assert_string_equal(rw_message(ctx), "cases/good.yaml:6:22: no");
    rw_case_fail(c, NULL, "no");
    assert_string_equal(rw_message(ctx), "cases/good.yaml: no");
    char *path = rw_case_path(c, "u.npy");
    assert_string_equal(path, "cases/u.npy");
    rw_free(path);
    path = rw_case_path(c, "/u.npy");
    assert_string_equal(path, "/u.npy");
    rw_free(path);
    rw_case_free(&c);
}

/* A line of the good case replaced, and the message that it gets. The table of docs/reference/bad-input.md names it. */
static void test_bad_input(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new, *message;
    } rows[] = {
        /* unknown keys */
        {"extent:", "extend:", "cases/good.yaml:2:22: grid.extend is unknown; nearest is grid.extent"},
        {"grid:", "gird:", "cases/good.yaml:2:1: gird is unknown; nearest is grid"},
        {"problem:", "problm:", "cases/good.yaml:1:1: problm is unknown; nearest is problem"},
        {"end: 2", "end: 2, size: 3", "cases/good.yaml:8:16: time.size is unknown; nearest is grid.size"},
        {"unit: K", "units: K", "cases/good.yaml:4:19: fields.u.units is unknown; nearest is fields.u.unit"},
        {"end: 2", "end: 2, zzz: 3", "time.zzz is unknown; known are end, method, step, slow, nan_at, tags"},
        {"problem: fake", "problem: fale", "cases/good.yaml:1:10: problem = fale is unknown; nearest is fake"},
        {"problem: fake", "problem: zzzzzz", "problem = zzzzzz is unknown; known are fake, other"},
        {"problem: fake", "problem: [a]", "cases/good.yaml:1:10: problem must be a single name"},
        {"problem: fake", "title: x", "cases/good.yaml: problem is missing: kind of problem"},
        {"equations", "top", "cases/good.yaml:7:1: top is unknown; "},
        /* wrong types */
        {"end: 2", "end: soon", "cases/good.yaml:8:13: time.end = soon is not a number: final time (s)"},
        {"end: 2", "end: 2 kg",
         "cases/good.yaml:8:13: time.end = 2 kg is in a unit that cannot be converted to s: final time (s)"},
        {"end: 2", "end: 2 sec",
         "cases/good.yaml:8:13: time.end = 2 sec is not a number with a unit: the unit sec is unknown: final time (s)"},
        {"end: 2", "end: 2 m/",
         "cases/good.yaml:8:13: time.end = 2 m/ is not a number with a unit: the unit is incomplete: final time (s)"},
        {"end: 2", "end: 2s", "cases/good.yaml:8:13: time.end = 2s is not a number: final time (s)"},
        {"end: 2", "end: [2]", "cases/good.yaml:8:13: time.end = [2] is a list, not a number: final time (s)"},
        {"end: 2", "end: {a: 2}", "time.end = {a: 2} is a map, not a number"},
        {"{end: 2, method: heun}", "\n  end:\n", "cases/good.yaml:9:7: time.end = \"\" is empty, not a number"},
        {"[4, 6]", "4.5", "cases/good.yaml:2:14: grid.size = 4.5 is not an integer: nodes along x, y, z"},
        {"[4, 6]", "1e99", "grid.size = 1e99 is too large for an integer"},
        {"[4, 6]", "{x: 3}", "grid.size = {x: 3} is a map, not a list of integers"},
        {"[4, 6]", "[4, 6, 7, 8]", "is a list of 4 values, but the number of values must be 1 to 3"},
        {"[4, 6]", "[]", "is a list of 0 values, but the number of values must be 1 to 3"},
        {"heun", "eular", "cases/good.yaml:8:24: time.method = eular is none of euler, heun; nearest is euler"},
        {"heun", "heun, slow: 2", "time.slow = 2 is neither true nor false"},
        {"heun", "heun, tags: [a, b, c, d]", "the number of values must be 0 to 3: a list of texts"},
        {"heun", "heun, tags: [[a]]", "is a list, not a text"},
        {"grid: {size: [4, 6], extent: 2.5}", "grid: 5", "cases/good.yaml:2:7: grid is a single value, not a map"},
        {"{a: 1.5, b: \"2*a\"}", "{a: [1]}", "cases/good.yaml:6:17: parameters.a is a list, not a single value"},
        {"{a: 1.5, b: \"2*a\"}", "{a: }", "parameters.a has no value: named numbers"},
        {"{a: 1.5, b: \"2*a\"}", "[a]", "parameters is a list, not a map of names"},
        {"\"du/dt = a*u\"", "{u: 1}", "equations = {u: 1} is a map, not a list of texts"},
        /* ranges, NaN, size 0 */
        {"end: 2", "end: .nan", "time.end = .nan is not a number (NaN): final time (s); give a finite number"},
        {"end: 2", "end: 0x10", "time.end = 0x10 is not a number (write 16): final time"},
        {"end: 2", "end: 1d3", "time.end = 1d3 is not a number (write 1e3): final time"},
        {"end: 2", "end: 1_000", "time.end = 1_000 is not a number (write 1000): final time"},
        {"end: 2", "end: 2*pi/3", "time.end = 2*pi/3 is not a number (an expression: write its value): final time (s)"},
        {"end: 2", "end: '1,5'", "is not a number (decimals follow a point): final time"},
        {"[4, 6]", "[4, 0x6]", "is not an integer (write 6)"},
        {"end: 2", "end: .inf", "time.end = .inf is outside (-inf, inf)"},
        {"[4, 6]", "[4, 0]", "cases/good.yaml:2:18: grid.size = 0 is outside [1, 1e9]: nodes along x, y, z"},
        {"[4, 6]", "-4", "grid.size = -4 is outside [1, 1e9]"},
        {"[4, 6]", ".nan", "grid.size = .nan is not a number (NaN)"},
        {"heun", "heun, step: 0", "cases/good.yaml:8:36: time.step = 0 is outside (0, 1]: length of a step (s)"},
        {"heun", "heun, step: 1.5", "time.step = 1.5 is outside (0, 1]"},
        {"heun", "heun, nan_at: .inf", "time.nan_at = .inf is not finite"},
        {"extent: 2.5", "order: 3", "grid.order = 3 is none of 2, 4: order of the differences"},
        /* missing */
        {"size: [4, 6], ", "",
         "cases/good.yaml:2:7: grid.size is missing: nodes along x, y, z (list of 1 to 3 integers "
         "in [1, 1e9]), for example [8, 8]"},
        {"{initial: 1, unit: K}", "{}", "cases/good.yaml:4:6: fields.u.initial is missing"},
        {"grid: {size: [4, 6], extent: 2.5}\n", "", "cases/good.yaml: grid.size is missing"},
    };
    for (int i = 0; i < RW_COUNT(rows); i++) {
        const char *at = strstr(GOOD, rows[i].old);
        assert_non_null(at);
        rw_case *c = (rw_case *)ctx;
        char *text = rw_format("%.*s%s%s", (int)(at - GOOD), GOOD, rows[i].new, at + strlen(rows[i].old));
        assert_int_equal(parse(text, NULL, &c), RW_ERR_INPUT);
        assert_null(c);
        if (!strstr(rw_message(ctx), rows[i].message)) fail_msg("'%s' is not in: %s", rows[i].message, rw_message(ctx));
        rw_free(text);
    }
}

static void test_set(void **state)
{
    (void)state;
    const char *const set[] = {"time.step=0.5",       "grid.size=[3,3,3]", "fields.w.initial!=7", "fields.w.unit=m",
                               "parameters.c!=a*b",   "parameters.c=a+b",  "output.every=0.25",   "title=",
                               "equations=dv/dt = 1", "checkpoint.steps=3"};
    rw_case *c;
    assert_int_equal(rw_case_parse(ctx, "good.yaml", GOOD, strlen(GOOD), set, RW_COUNT(set), problems, &c), RW_OK);
    fake_time time;
    fake_grid grid;
    rw_case_section(c, "time", &time);
    rw_case_section(c, "grid", &grid);
    assert_true(time.step == 0.5 && time.end == 2 && grid.size.n == 3);
    assert_int_equal(rw_case_node(c, "fields")->n, 3);
    assert_string_equal(rw_case_node(c, "parameters.c")->text, "a+b");
    assert_string_equal(rw_case_node(c, "equations")->items[0]->text, "dv/dt = 1");
    assert_int_equal(rw_case_node(c, "equations")->items[0]->line, 0);
    assert_int_equal(rw_case_node(c, "equations")->items[0]->text_line, 1);
    assert_string_equal(rw_case_node(c, "equations")->items[0]->text_source, "--set equations,");
    rw_text text = {0};
    assert_int_equal(rw_case_write(c, &text), RW_OK);
    assert_non_null(strstr(text.data, "  step: 0.5                              # --set time.step=0.5\n"));
    assert_non_null(strstr(text.data, "  method: heun                           # good.yaml:8:24\n"));
    assert_non_null(strstr(text.data, "  order: 2                               # default\n"));
    assert_non_null(strstr(text.data, "  - dv/dt = 1"));
    rw_text_free(&text);
    rw_case_free(&c);
    const char *const lines = "equations=du/dt = 1\ndv/dt = 2";
    assert_int_equal(rw_case_parse(ctx, "good.yaml", GOOD, strlen(GOOD), &lines, 1, problems, &c), RW_OK);
    assert_string_equal(rw_case_node(c, "equations")->items[0]->text, "du/dt = 1\ndv/dt = 2"); /* lines stay lines */
    rw_case_free(&c);
    static const struct {
        const char *set, *message;
    } bad[] = {
        {"time.step", "--set time.step: must be section.key=value"},
        {"=3", "must be section.key=value"},
        {"time..step=3", "a name is missing next to a dot"},
        {"time.=3", "a name is missing next to a dot"},
        {"time.end.x=3", "--set time.end.x=3: 'end' is a single value in cases/good.yaml"},
        {"time.stop=3", "--set time.stop=3: time.stop is unknown; nearest is time.step"},
        {"time.step=-1", "--set time.step=-1: time.step = -1 is outside (0, 1]: length of a step (s)"},
        {"a=3", "--set a=3: a is unknown; nearest is parameters.a"},
        {"u.initial=3", "--set u.initial=3: u is unknown; nearest is fields.u"},
        {"tine=3", "--set tine=3: tine is unknown; nearest is time"},
        {"time.end=[1", "--set time.end, 2:1: not YAML"},
        /* names of one's own are added on purpose only */
        {"parameters.A=1",
         "--set parameters.A=1: parameters.A is not in the case; nearest is parameters.a; to add it: --set "
         "'parameters.A!=…'"},
        {"parameters.zeta=1", "parameters.zeta is not in the case; it has parameters.a, parameters.b; to add it"},
        {"fields.w.initial=7", "fields.w is not in the case; it has fields.u, fields.v"},
        {"fields.uu.unit=m", "fields.uu is not in the case; nearest is fields.u"},
        {"parameters.a!=1", "--set parameters.a!=1: parameters.a is already in the case: change it with ="},
        {"time.step!=0.5",
         "--set time.step!=0.5: '!=' adds names to sections of free names, but time has fixed settings"},
        {"equations!=0", "'!=' adds a name to a section, such as parameters.new!=0.4"},
        {"-d cpu:", NULL},
        {"--until soon", "--until soon: time.end = soon is not a number: final time (s)"},
        {"--until -inf", "--until -inf: time.end = \"-inf\" is outside"},
    };
    for (int i = 0; i < RW_COUNT(bad); i++) {
        assert_int_equal(parse(GOOD, bad[i].set, &c), bad[i].message ? RW_ERR_INPUT : RW_OK);
        if (bad[i].message && !strstr(rw_message(ctx), bad[i].message))
            fail_msg("'%s' is not in: %s", bad[i].message, rw_message(ctx));
        rw_case_free(&c);
    }
}

/* All mistakes in one message, each once, none that only follows from another. */
static void test_many_mistakes(void **state)
{
    (void)state;
    static const char text[] = "problem: fake\n"
                               "gird: {size: [4, 6]}\n"
                               "fields:\n"
                               "  u: {initial: 1, units: K}\n"
                               "  v: 7\n"
                               "  w: {}\n"
                               "parameters: {a: [1], b: }\n"
                               "time: {end: soon, method: eular, step: 0}\n"
                               "output: {every: -1}\n";
    static const char *const expected[] = {
        "--set tim.end=1: tim is unknown; nearest is time",
        "many.yaml:2:1: gird is unknown; nearest is grid",
        "many.yaml:4:19: fields.u.units is unknown; nearest is fields.u.unit",
        "many.yaml:5:6: fields.v is a single value",
        "many.yaml:6:6: fields.w.initial is missing",
        "many.yaml:7:17: parameters.a is a list",
        "parameters.b has no value",
        "many.yaml:8:13: time.end = soon is not a number",
        "time.method = eular is none of",
        "time.step = 0 is outside",
        "many.yaml:9:17: output.every = -1 is outside",
        "--set parameters.c=1: parameters.c is not in the case",
    };
    const char *const set[] = {"tim.end=1", "parameters.c=1"};
    rw_case *c;
    assert_int_equal(rw_case_parse(ctx, "many.yaml", text, strlen(text), set, 2, problems, &c), RW_ERR_INPUT);
    int lines = 1;
    for (const char *p = rw_message(ctx); *p; p++) lines += *p == '\n';
    for (int i = 0; i < RW_COUNT(expected); i++)
        if (!strstr(rw_message(ctx), expected[i])) fail_msg("'%s' is not in:\n%s", expected[i], rw_message(ctx));
    if (lines != RW_COUNT(expected)) fail_msg("%d lines, not %d:\n%s", lines, RW_COUNT(expected), rw_message(ctx));
    rw_text many = {0};
    rw_text_add(&many, "problem: fake\ngrid: {size: 2}\nfields: {u: {initial: 1}}\ntime: {end: 1}\noutput:\n");
    for (int i = 0; i < RW_MISTAKES + 5; i++) rw_text_add(&many, "  wrong%d: 1\n", i);
    assert_int_equal(rw_case_parse(ctx, "many.yaml", many.data, many.length, NULL, 0, problems, &c), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(ctx), "\nand 5 more"));
    rw_text_free(&many);
}

/* The effective settings, read as a case, are the same case. */
static void test_written_runs_again(void **state)
{
    (void)state;
    rw_case *c, *again;
    char hash[65], hash_again[65];
    rw_text text = {0};
    assert_int_equal(parse(GOOD, "title=\"a: b # c\"", &c), RW_OK);
    assert_int_equal(rw_case_write(c, &text), RW_OK);
    assert_int_equal(rw_case_hash(c, hash), RW_OK);
    if (parse(text.data, NULL, &again) != RW_OK) fail_msg("%s in\n%s", rw_message(ctx), text.data);
    assert_int_equal(rw_case_hash(again, hash_again), RW_OK);
    assert_string_equal(hash, hash_again);
    rw_text_free(&text);
    rw_case_free(&c);
    rw_case_free(&again);
}

static void test_hash(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        bool same;
    } rows[] = {
        {"time.step=0.01", true},     {"time.step=1e-2", true},    {"time.step=0.02", false},
        {"device=check", true},       {"time.end=7", true},        {"output.every=1", false},
        {"output.vti=false", true},   {"parameters.a=1.50", true}, {"parameters.a=2", false},
        {"parameters.d!=2", false},   {"equations=1", false},      {"checkpoint.steps=1", true},
        {"reproducible=true", false}, {"problem=other", false},
    };
    rw_case *c;
    char hash[65], changed[65];
    assert_int_equal(parse(GOOD, NULL, &c), RW_OK);
    rw_case_hash(c, hash);
    rw_case_free(&c);
    for (int i = 0; i < RW_COUNT(rows) - 1; i++) {
        assert_int_equal(parse(GOOD, rows[i].set, &c), RW_OK);
        rw_case_hash(c, changed);
        if ((strcmp(hash, changed) == 0) != rows[i].same) fail_msg("%s", rows[i].set);
        rw_case_free(&c);
    }
}

static void test_files(void **state)
{
    (void)state;
    rw_case *c;
    assert_int_equal(rw_case_read(ctx, "/proc/self/exe/case.yaml", NULL, 0, problems, &c), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(ctx), "/proc/self/exe/case.yaml"));
    assert_int_equal(rw_case_read(ctx, "/", NULL, 0, problems, &c), RW_ERR_INPUT);
    assert_int_equal(parse("", NULL, &c), RW_ERR_INPUT);
    assert_int_equal(parse("[1]", NULL, &c), RW_ERR_INPUT);
    assert_int_equal(parse("just text", NULL, &c), RW_ERR_INPUT);
}

static void test_no_memory(void **state)
{
    (void)state;
    rw_status status = RW_ERR_MEMORY;
    long n = 1;
    for (; status != RW_OK && n < 5000; n++) {
        rw_case *c;
        rw_text text = {0};
        char hash[65];
        rw_fault_set(RW_FAULT_ALLOC, n);
        status = parse(GOOD, "time.tags=[x]", &c);
        if (status == RW_OK) status = rw_case_write(c, &text);
        if (status == RW_OK) status = rw_case_hash(c, hash);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        assert_true(status == RW_OK || status == RW_ERR_MEMORY);
        rw_text_free(&text);
        rw_case_free(&c);
    }
    assert_true(n > 50 && status == RW_OK);
}

static int setup(void **state)
{
    (void)state;
    return rw_context_create(&ctx) != RW_OK;
}

static int teardown(void **state)
{
    (void)state;
    rw_context_destroy(&ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),      cmocka_unit_test(test_bad_input),          cmocka_unit_test(test_set),
        cmocka_unit_test(test_many_mistakes), cmocka_unit_test(test_written_runs_again), cmocka_unit_test(test_hash),
        cmocka_unit_test(test_files),         cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
