/* No kernel leaves an output untouched or undefined, whatever constants its text has: NaN, infinities, zeros of both
 * signs, denormal and huge numbers, in every function, on every device, in f64 and f32. A compiler that sees a constant
 * may compute with it, and what a driver's function does with NaN may be undefined, the store of its result included.
 * Outputs begin as POISON; values are compared with the plain evaluator's. */
#include "../values.h"
#include "expr_test.h"

enum { CELLS = 6, OUTPUTS = 36 };
#define POISON 12345.678

static const char *const constants[] = {"asin(2)", "1/0", "(-1/0)", "(-0.0)", "5e-324", "-1e-310", "1e20", "-1.7e308"};
/* %s is the constant; u has positive and negative values, v is another field. */
static const char *const shapes[] = {"%s(u + %s)", "%s(where(u > 1, %s, 2))", "%s(v*%s)"};
static const char *const pairs[] = {"%s(u, %s)", "%s(%s, u)", "%s(u + %s, v)", "%s(where(u > 1, %s, 2), v)"};
static const char *const signs[] = {"u + %s",
                                    "u - %s",
                                    "u*%s",
                                    "u/%s",
                                    "%s/u",
                                    "-(u + %s)",
                                    "u < %s",
                                    "u + %s <= v",
                                    "u == %s",
                                    "u != %s",
                                    "u and %s",
                                    "not (u + %s)",
                                    "where(u, %s, v)",
                                    "where(u + %s, u, v)",
                                    "exp2(u + %s)",
                                    "log2(u + %s)",
                                    "log10(v*%s)",
                                    "(u + %s)^3",
                                    "(v*%s)^-2",
                                    "(u + %s)^0.5",
                                    "%s"};
static const double values[CELLS] = {0.5, 2.5, -1.5, 0, 3, -700}, others[CELLS] = {1.5, -2, 0.25, 4, 0, 30};

typedef struct batch {
    rw_text text;
    char *expression[OUTPUTS];
    int n;
} batch;

static rw_dtype dtype;
static int checked;

static void run(rw_device *dev, const batch *b, bool evaluate, double (*out)[CELLS])
{
    static char output[OUTPUTS][8];
    rw_expr_field fields[2 + OUTPUTS] = {{.name = "u", .dtype = dtype}, {.name = "v", .dtype = dtype}};
    rw_array *a[2 + OUTPUTS];
    rw_expr_spec spec = {.name = "outputs",
                         .text = b->text.data,
                         .grid = grid1(CELLS, 1),
                         .fields = fields,
                         .nfields = 2 + b->n};
    rw_expr *e;
    double poison[CELLS];
    for (int i = 0; i < CELLS; ++i) poison[i] = POISON;
    for (int i = 0; i < b->n; ++i) {
        snprintf(output[i], sizeof output[i], "o%d", i);
        fields[2 + i] = (rw_expr_field){.name = output[i], .dtype = dtype};
    }
    if (evaluate) compiler(false);
    rw_status status = rw_expr_create(dev, &spec, &e);
    compiler(true);
    if (status != RW_OK) fail_msg("%s: %s\n%s", rw_device_info(dev)->name, rw_message(ctx), spec.text);
    for (int i = 0; i < spec.nfields; ++i) {
        a[i] = field_array(dev, &spec.grid, dtype);
        put(a[i], i == 0 ? values : i == 1 ? others : poison);
        OK(rw_expr_bind(e, fields[i].name, a[i]));
    }
    OK(rw_expr_run(e, rw_device_queue(dev)));
    for (int i = 0; i < b->n; ++i) take(a[2 + i], out[i]);
    rw_expr_destroy(&e);
    for (int i = 0; i < spec.nfields; ++i) rw_array_destroy(&a[i]);
}

/* Values of f32 overflow, underflow or are flushed where f64 values do not: there only the poison is looked for. */
static bool agrees(double have, double want)
{
    if (have == (double)(float)POISON || have == POISON) return false;
    if (dtype == RW_F32) return true;
    if (isnan(want)) return isnan(have);
    if (isinf(want)) return have == want || fabs(have) > 1e307;
    return fabs(have - want) <= 1e-9 * fabs(want) + 1e-290 || fabs(want) > 1e300;
}

static void flush(rw_device **devices, int n, batch *b)
{
    static double want[OUTPUTS][CELLS], have[OUTPUTS][CELLS];
    if (!b->n) return;
    run(devices[0], b, true, want);
    for (int d = 1; d < n; ++d) {
        run(devices[d], b, false, have);
        for (int i = 0; i < b->n; ++i)
            for (int c = 0; c < CELLS; ++c, ++checked)
                if (!agrees(have[i][c], want[i][c]))
                    fail_msg("%s, %s: o = %s of u = %g, v = %g is %.17g, the plain evaluator has %.17g",
                             rw_device_info(devices[d])->name, rw_dtype_name(dtype), b->expression[i], values[c],
                             others[c], have[i][c], want[i][c]);
    }
    for (int i = 0; i < b->n; ++i) free(b->expression[i]);
    rw_text_free(&b->text);
    *b = (batch){0};
}

static void RW_PRINTF(4, 5) add(rw_device **devices, int n, batch *b, const char *format, ...)
{
    char line[128];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    rw_text_add(&b->text, "o%d = %s\n", b->n, line);
    b->expression[b->n++] = strdup(line);
    if (b->n == OUTPUTS) flush(devices, n, b);
}

static void test_constants(void **state)
{
    (void)state;
    rw_device *devices[17] = {open_device("cpu")};
    int n = 1 + open_devices(devices + 1, 16);
    batch b = {0};
    const bool slow = !test_long() && !strcmp(rw_device_info(devices[n - 1])->kind, "opencl");
    for (int single = 0; single < 2 - slow; ++single) {
        dtype = single ? RW_F32 : RW_F64;
        for (int k = 0; k < (slow ? 2 : RW_COUNT(constants)); ++k) {
            const char *K = constants[k];
            for (int op = 0; op < RW_OP_CAST; ++op) {
                const char *word = rw_ops[op].word;
                if (!word[0] || op == RW_OP_WHERE) continue;
                const char *const *forms = rw_ops[op].arity == 1 ? shapes : pairs;
                int nforms = rw_ops[op].arity == 1 ? RW_COUNT(shapes) : RW_COUNT(pairs);
                for (int i = 0; i < nforms; ++i)
                    if ((op + k + i) % (single ? 4 : 2) == 0 || (!single && k == 0))
                        add(devices, n, &b, forms[i], word, K);
            }
            for (int i = 0; i < RW_COUNT(signs); ++i)
                if (!single || (i + k) % 4 == 0) add(devices, n, &b, signs[i], K);
        }
        flush(devices, n, &b);
    }
    printf("# %d values\n", checked);
    for (int d = 0; d < n; ++d) {
        rw_counters k = counters_of(devices[d]);
        printf("# %s: %d programs compiled in %.1f s\n", rw_device_info(devices[d])->name, (int)k.compilations,
               k.compile_seconds);
        rw_device_close(&devices[d]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_constants)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
