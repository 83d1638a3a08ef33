/* 2000 random expressions against their values by mpmath: tests/expr/random_expressions.txt, made by random_expressions.py (the seed is in the table's
 * first line). test_random.c compares devices with the plain evaluator in programs of many passes; this compares both with mathematics. Every device
 * runs all in f64 (check 100), and in f32 some of those that the table marks (GPUs all). RW_TEST_TABLE=FILE reads another table. */
#include "expr_test.h"

enum { POINTS = 3, BATCH = 40, MOST = 20000, LINE = 1024 };

typedef struct reference {
    char *text;
    double want[POINTS];
    bool single, derivative;
} reference;

static reference table[MOST];
static int n;

static const double u[POINTS] = {0.8125, -0.40625, 1.6875}, v[POINTS] = {-1.375, 2.25, 0.15625};

/* FLAGS;EXPRESSION;VALUE;VALUE;VALUE */
static int setup(void **state)
{
    char path[512], line[LINE];
    const char *wish = getenv("RW_TEST_TABLE"), *source = getenv("SOURCE");
    if (make_context(state)) return -1;
    snprintf(path, sizeof path, "%s/tests/expr/random_expressions.txt", source ? source : ".");
    FILE *file = fopen(wish ? wish : path, "r");
    if (!file) {
        printf("cannot read %s\n", wish ? wish : path);
        return -1;
    }
    while (n < MOST && fgets(line, sizeof line, file)) {
        char *part = line, *field[5];
        if (*line == '#') {
            printf("%s", line);
            continue;
        }
        for (int i = 0; i < 5; ++i) field[i] = strsep(&part, ";");
        if (!field[4]) {
            printf("%s: line %d has no %d fields\n", path, n + 2, 5);
            return -1;
        }
        table[n] = (reference){strdup(field[1]), {atof(field[2]), atof(field[3]), atof(field[4])}, strchr(field[0], 's') != NULL, strchr(field[0], 'd') != NULL};
        ++n;
    }
    fclose(file);
    return 0;
}

static int teardown(void **state)
{
    for (int i = 0; i < n; ++i) free(table[i].text);
    return drop_context(state);
}

/* The expressions `which` as one program. */
static void run(rw_device *dev, bool evaluate, rw_dtype dtype, const int *which, int count, double (*have)[POINTS])
{
    static char output[BATCH][8];
    rw_expr_field fields[2 + BATCH] = {{.name = "u", .dtype = dtype}, {.name = "v", .dtype = dtype}};
    static const rw_expr_scalar scalars[] = {{.name = "a", .value = 0.75}, {.name = "b", .value = -1.25}, {.name = "t", .value = 1.5}};
    rw_array *array[2 + BATCH];
    rw_text text = {0};
    rw_expr *e;
    for (int i = 0; i < count; ++i) {
        snprintf(output[i], sizeof output[i], "o%d", i);
        fields[2 + i] = (rw_expr_field){.name = output[i], .dtype = dtype};
        rw_text_add(&text, "o%d = %s\n", i, table[which[i]].text);
    }
    rw_expr_spec spec = {.name = "reference", .text = text.data, .grid = {1, {POINTS, 1, 1}, {0.25, 1, 1}, {0.5, 0, 0}}, .fields = fields, .nfields = 2 + count, .scalars = scalars,
                         .nscalars = RW_COUNT(scalars)};
    if (evaluate) compiler(false);
    rw_status status = rw_expr_create(dev, &spec, &e);
    if (evaluate) compiler(true);
    if (status != RW_OK) fail_msg("%s: %s\n%s", rw_device_info(dev)->name, rw_message(ctx), text.data);
    for (int i = 0; i < 2 + count; ++i) {
        array[i] = field_array(dev, &spec.grid, dtype);
        if (i < 2) put(array[i], i ? v : u);
        OK(rw_expr_bind(e, fields[i].name, array[i]));
    }
    OK(rw_expr_run(e, rw_device_queue(dev)));
    for (int i = 0; i < count; ++i) take(array[2 + i], have[i]);
    rw_expr_destroy(&e);
    for (int i = 0; i < 2 + count; ++i) rw_array_destroy(&array[i]);
    rw_text_free(&text);
}

static bool agrees(const reference *r, int point, double have, bool f32)
{
    double want = r->want[point];
    if (!isfinite(want) || want == 0) return isnan(want) ? isnan(have) : have == want;
    double allowed = f32 ? 1e-4 : r->derivative ? 1e-9 : 2e-12;
    return fabs(have - want) <= allowed * fabs(want);
}

static void compare(rw_device *dev, bool evaluate, bool f32, int most)
{
    int which[BATCH], count = 0, compared = 0;
    static double have[BATCH][POINTS];
    for (int i = 0; i < n && compared < most; ++i) {
        if (f32 && !table[i].single) continue;
        which[count++] = i, ++compared;
        if (count < BATCH && i < n - 1 && compared < most) continue;
        run(dev, evaluate, f32 ? RW_F32 : RW_F64, which, count, have);
        for (int k = 0; k < count; ++k)
            for (int p = 0; p < POINTS; ++p)
                if (!agrees(table + which[k], p, have[k][p], f32))
                    fail_msg("%s, %s: %s at u = %g, v = %g, x = %g is %.17g, mpmath has %.17g", evaluate ? "plain evaluator" : rw_device_info(dev)->name, f32 ? "f32" : "f64",
                             table[which[k]].text, u[p], v[p], 0.5 + 0.25 * p, have[k][p], table[which[k]].want[p]);
        count = 0;
    }
    if (count) fail_msg("%d expressions are left over", count);
    printf("# %s, %s: %d expressions\n", evaluate ? "plain evaluator" : rw_device_info(dev)->name, f32 ? "f32" : "f64", compared);
}

static void test_evaluator(void **state)
{
    (void)state;
    rw_device *cpu = open_device("cpu");
    assert_true(n >= 100);
    compare(cpu, true, false, n);
    rw_device_close(&cpu);
}

static void test_devices(void **state)
{
    (void)state;
    rw_device *devices[16];
    int ndevices = open_devices(devices, 16);
    for (int d = 0; d < ndevices; ++d) {
        const rw_device_properties *info = rw_device_info(devices[d]);
        bool check = !strcmp(info->name, "check"), slow = !strcmp(info->kind, "opencl") && !info->gpu; /* PoCL compiles for a second */
        compare(devices[d], false, false, check ? 100 : n);
        compare(devices[d], false, true, check ? 40 : slow ? 120 : info->gpu ? n : 400);
        rw_counters k = rw_device_counters(devices[d]);
        printf("# %s: %d programs compiled in %.1f s\n", info->name, (int)k.compilations, k.compile_seconds);
        rw_device_close(&devices[d]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_evaluator), cmocka_unit_test(test_devices)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
