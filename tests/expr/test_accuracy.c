/* What functions are on every device, in f64 and f32: exact where the result is an integer, quotients correctly
 * rounded, mod in its range; and how many units in the last place (ulp) each is away from long double at most. The
 * table is printed for docs/reference/expressions.md. */
#include "expr_test.h"

#include <complex.h>

enum { MANY = 1 << 14, MOST = 40 };

static rw_device *devices[16];
static int ndevices;

/* Each text as an output of its own, of the fields `given` and the scalar a. */
static void evaluate(rw_device *dev, rw_dtype dtype, const char *const *given, const double *const *in, int nin,
                     const char *const *texts, int n, int64_t cells, double a, double **out)
{
    static char output[MOST][8];
    rw_expr_field fields[2 * MOST] = {{0}};
    rw_expr_scalar scalar_a = {.name = "a", .value = a};
    rw_array *array[2 * MOST];
    rw_text text = {0};
    rw_expr *e;
    for (int i = 0; i < nin; ++i) fields[i] = (rw_expr_field){.name = given[i], .dtype = dtype};
    for (int i = 0; i < n; ++i) {
        snprintf(output[i], sizeof output[i], "o%d", i);
        fields[nin + i] = (rw_expr_field){.name = output[i], .dtype = dtype};
        rw_text_add(&text, "o%d = %s\n", i, texts[i]);
    }
    rw_expr_spec spec = {.name = "accuracy",
                         .text = text.data,
                         .grid = grid1(cells, 1),
                         .fields = fields,
                         .nfields = nin + n,
                         .scalars = &scalar_a,
                         .nscalars = 1};
    rw_status status = rw_expr_create(dev, &spec, &e);
    if (status != RW_OK) fail_msg("%s: %s", rw_device_info(dev)->name, rw_message(ctx));
    for (int i = 0; i < nin + n; ++i) {
        array[i] = field_array(dev, &spec.grid, dtype);
        if (i < nin) put(array[i], in[i]);
        OK(rw_expr_bind(e, fields[i].name, array[i]));
    }
    OK(rw_expr_run(e, rw_device_queue(dev)));
    for (int i = 0; i < n; ++i) take(array[nin + i], out[i]);
    rw_expr_destroy(&e);
    for (int i = 0; i < nin + n; ++i) rw_array_destroy(&array[i]);
    rw_text_free(&text);
}

static const char *const u_and_v[] = {"u", "v"};

static double **outputs(int n, int64_t cells)
{
    double **out = malloc((size_t)n * sizeof *out);
    for (int i = 0; i < n; ++i) out[i] = malloc((size_t)cells * sizeof **out);
    return out;
}

static void drop(double **out, int n)
{
    for (int i = 0; i < n; ++i) free(out[i]);
    free(out);
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

enum { EXP2, LOG2, LOG10, LOG10_SMALL, CBRT, HYPOT, SQUARE_ROOT, POWER, POWER_OF_2, FLOOR_OF_LOG, INTEGERS };

/* Integers k = -20 … 20 in u, 0 … 40 in v: texts whose value is an integer, and that integer for (u, v); f32 has what
 * fits. */
static void test_integers(void **state)
{
    (void)state;
    static const char *const texts[INTEGERS] = {"exp2(v - 10)",
                                                "log2(exp2(u))",
                                                "log10(10^min(v, 22))",
                                                "log10(1/10^min(v, 22))",
                                                "cbrt(u*u*u)",
                                                "hypot(3*u, 4*u)",
                                                "sqrt(v*v)",
                                                "(v - 20)^(0*v + 3)",
                                                "(0*v + 2)^min(v, 30)",
                                                "floor(log2(where(v > 30, 8, 2^v)))"};
    enum { N = 41 };
    double u[N], v[N];
    for (int i = 0; i < N; ++i) u[i] = i - 20, v[i] = i;
    double **out = outputs(INTEGERS, N);
    for (int d = 0; d < ndevices; ++d)
        for (int f32 = 0; f32 < 2; ++f32) {
            evaluate(devices[d], f32 ? RW_F32 : RW_F64, u_and_v, (const double *[]){u, v}, 2, texts, INTEGERS, N, 0,
                     out);
            for (int k = 0; k < INTEGERS; ++k)
                for (int i = 0; i < N; ++i) {
                    double n = fmin(v[i], 22), want[INTEGERS] = {ldexp(1, i - 10),
                                                                 u[i],
                                                                 n,
                                                                 -n,
                                                                 u[i],
                                                                 5 * fabs(u[i]),
                                                                 v[i],
                                                                 pow(v[i] - 20, 3),
                                                                 ldexp(1, (int)fmin(v[i], 30)),
                                                                 v[i] > 30 ? 3 : v[i]};
                    /* 10^v itself is exact below 2^17 */
                    if (f32 && (k == LOG10 || k == LOG10_SMALL) && v[i] > 5) continue;
                    if (f32 && k == POWER_OF_2 && v[i] > 16) continue;
                    if (out[k][i] != want[k])
                        fail_msg("%s, %s: %s of u = %g, v = %g is %.17g", rw_device_info(devices[d])->name,
                                 f32 ? "f32" : "f64", texts[k], u[i], v[i], out[k][i]);
                }
        }
    drop(out, INTEGERS);
}

/* ---- quotients, mod ---------------------------------------------------------------------------------------------- */

static double rounded(double x, bool f32) { return f32 ? (double)(float)x : x; }

static void test_quotients(void **state)
{
    (void)state;
    static const char *const texts[] =
        {"u/49",      "u/a",        "(u*1e-30)/1e-30", "u/0.1",          "floor(u/49)",      "u/4",
         "u/49 == v", "floor(u/a)", "mod(u, 0.1)",     "mod(u*1e30, 3)", "mod(-u*1e-30, 3)", "mod(u, -a)"};
    enum { N = 400, TEXTS = sizeof texts / sizeof *texts };
    double u[N], v[N], **out = outputs(TEXTS, N);
    for (int i = 0; i < N; ++i) u[i] = 49 * (i - 200), v[i] = i - 200;
    for (int d = 0; d < ndevices; ++d)
        for (int f32 = 0; f32 < 2; ++f32) {
            evaluate(devices[d], f32 ? RW_F32 : RW_F64, u_and_v, (const double *[]){u, v}, 2, texts, TEXTS, N, 4.9,
                     out);
            double a = rounded(4.9, f32), tenth = rounded(0.1, f32);
            for (int i = 0; i < N; ++i) {
                const struct {
                    int text;
                    double want;
                } exact[] = {{0, i - 200},
                             {1, rounded(u[i] / a, f32)},
                             {3, rounded(u[i] / tenth, f32)},
                             {4, i - 200},
                             {5, u[i] / 4},
                             {6, 1},
                             {7, floor(rounded(u[i] / a, f32))}};
                for (int k = 0; k < RW_COUNT(exact); ++k)
                    if (out[exact[k].text][i] != exact[k].want)
                        fail_msg("%s, %s: %s of %g is %.17g, not %.17g", rw_device_info(devices[d])->name,
                                 f32 ? "f32" : "f64", texts[exact[k].text], u[i], out[exact[k].text][i], exact[k].want);
                if (!(fabs(out[2][i] - u[i]) <= (f32 ? 2e-7 : 4e-16) * fabs(u[i])))
                    fail_msg("%s: %s of %g is %.17g", rw_device_info(devices[d])->name, texts[2], u[i], out[2][i]);
                for (int k = 8; k < TEXTS; ++k) {
                    double b = k == 8 ? tenth : k == 11 ? -a : 3, m = out[k][i];
                    if (!(b > 0 ? m >= 0 && m < b : m <= 0 && m > b))
                        fail_msg("%s, %s: %s of %g is %.17g", rw_device_info(devices[d])->name, f32 ? "f32" : "f64",
                                 texts[k], u[i], m);
                }
                double m = fmod(u[i] * 1e30, 3);
                if (!f32 && out[9][i] != (m < 0 ? m + 3 : m))
                    fail_msg("%s: %s of %g is %.17g", rw_device_info(devices[d])->name, texts[9], u[i], out[9][i]);
            }
        }
    drop(out, TEXTS);
}

/* ---- units in the last place ------------------------------------------------------------------------------------- */

#define UNARY(name, f)                                                                                                 \
    static long double name(long double a, long double b)                                                              \
    {                                                                                                                  \
        (void)b;                                                                                                       \
        return f(a);                                                                                                   \
    }
UNARY(sqrt_of, sqrtl)
UNARY(cbrt_of, cbrtl)
UNARY(exp_of, expl)
UNARY(exp2_of, exp2l)
UNARY(log_of, logl)
UNARY(log2_of, log2l)
UNARY(log10_of, log10l)
UNARY(sin_of, sinl)
UNARY(cos_of, cosl)
UNARY(tan_of, tanl)
UNARY(asin_of, asinl)
UNARY(acos_of, acosl)
UNARY(atan_of, atanl)
UNARY(sinh_of, sinhl)
UNARY(cosh_of, coshl)
UNARY(tanh_of, tanhl)
UNARY(asinh_of, asinhl)
UNARY(acosh_of, acoshl)
UNARY(atanh_of, atanhl)
UNARY(erf_of, erfl)
UNARY(erfc_of, erfcl)
static long double quotient_of(long double a, long double b) { return a / b; }
static long double mod_of(long double a, long double b) { return fmodl(a, b) < 0 ? fmodl(a, b) + b : fmodl(a, b); }

/* %s stands for a field with values lo … hi, v for one of 0.01 … 100; bounds for any device, in ulp. */
static const struct {
    const char *text;
    long double (*exact)(long double, long double);
    double lo, hi, bound;
    const char *range;
} functions[] = {
    {"%s/v", quotient_of, -100, 100, 0.5, "±100, 0.01 … 100"},
    {"mod(%s, v)", mod_of, -100, 100, 1, "±100, 0.01 … 100"},
    {"sqrt(%s)", sqrt_of, 0, 1000, 0.5, "0 … 1000"},
    {"cbrt(%s)", cbrt_of, -1000, 1000, 4, "±1000"},
    {"hypot(%s, v)", hypotl, -100, 100, 4, "±100, 0.01 … 100"},
    {"exp(%s)", exp_of, -80, 80, 3, "±80"},
    {"exp2(%s)", exp2_of, -120, 120, 3, "±120"},
    {"log(%s)", log_of, 0, 1000, 3, "0 … 1000"},
    {"log2(%s)", log2_of, 0, 1000, 3, "0 … 1000"},
    {"log10(%s)", log10_of, 0, 1000, 3, "0 … 1000"},
    {"%s^v", powl, 0, 10, 16, "0 … 10, 0.01 … 100"},
    {"sin(%s)", sin_of, -100, 100, 4, "±100"},
    {"cos(%s)", cos_of, -100, 100, 4, "±100"},
    {"tan(%s)", tan_of, -100, 100, 5, "±100"},
    {"asin(%s)", asin_of, -1, 1, 4, "±1"},
    {"acos(%s)", acos_of, -1, 1, 4, "±1"},
    {"atan(%s)", atan_of, -100, 100, 5, "±100"},
    {"atan2(%s, v)", atan2l, -100, 100, 6, "±100, 0.01 … 100"},
    {"sinh(%s)", sinh_of, -80, 80, 4, "±80"},
    {"cosh(%s)", cosh_of, -80, 80, 4, "±80"},
    {"tanh(%s)", tanh_of, -10, 10, 5, "±10"},
    {"asinh(%s)", asinh_of, -100, 100, 5, "±100"},
    {"acosh(%s)", acosh_of, 1, 100, 5, "1 … 100"},
    {"atanh(%s)", atanh_of, -1, 1, 6, "±1"},
    {"erf(%s)", erf_of, -5, 5, 16, "±5"},
    {"erfc(%s)", erfc_of, -5, 5, 16, "±5"},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Of the formulas in dialect_complex.h, in units of 2^-52 |value| (f32: 2^-23 |value|); w and p in the square ±3 ±
 * 3i. */
static long double complex times(long double complex w, long double complex z) { return w * z; }
static long double complex over(long double complex w, long double complex z) { return w / z; }
#define COMPLEX(name, f)                                                                                               \
    static long double complex name(long double complex w, long double complex z)                                      \
    {                                                                                                                  \
        (void)z;                                                                                                       \
        return f(w);                                                                                                   \
    }
COMPLEX(csqrt_of, csqrtl)
COMPLEX(cexp_of, cexpl)
COMPLEX(clog_of, clogl)
COMPLEX(csin_of, csinl)
COMPLEX(ccos_of, ccosl)
COMPLEX(ctan_of, ctanl)
COMPLEX(csinh_of, csinhl)
COMPLEX(ccosh_of, ccoshl)
COMPLEX(ctanh_of, ctanhl)
COMPLEX(cabs_of, cabsl)
static const struct {
    const char *text;
    long double complex (*exact)(long double complex, long double complex);
    double bound;
} complex_functions[] = {{"w*p", times, 3},        {"w/p", over, 6},         {"abs(w)", cabs_of, 4},
                         {"sqrt(w)", csqrt_of, 6}, {"exp(w)", cexp_of, 6},   {"log(w)", clog_of, 6},
                         {"w^p", cpowl, 40},       {"sin(w)", csin_of, 8},   {"cos(w)", ccos_of, 8},
                         {"tan(w)", ctan_of, 16},  {"sinh(w)", csinh_of, 8}, {"cosh(w)", ccosh_of, 8},
                         {"tanh(w)", ctanh_of, 16}};
enum { COMPLEX_FUNCTIONS = sizeof complex_functions / sizeof *complex_functions };

static double ulp(long double x, bool f32)
{
    int exponent;
    frexpl(x, &exponent);
    return f32 ? ldexp(1, RW_MAX(exponent, -125) - 24) : ldexp(1, RW_MAX(exponent, -1021) - 53);
}

typedef double table[16][2][MOST]; /* the largest error: device, precision, function */

static void print(const table worst, int n, const char *(*text)(int), const char *(*range)(int))
{
    printf("# | function | arguments |");
    for (int d = 0; d < ndevices; ++d) printf(" %s f64 | f32 |", rw_device_info(devices[d])->name);
    printf("\n");
    for (int k = 0; k < n; ++k) {
        printf("# | `%s` | %s |", text(k), range(k));
        for (int d = 0; d < ndevices; ++d) printf(" %.2f | %.2f |", worst[d][0][k], worst[d][1][k]);
        printf("\n");
    }
}

static const char *function_text(int k)
{
    static char text[64];
    snprintf(text, sizeof text, functions[k].text, "u");
    return text;
}
static const char *function_range(int k) { return functions[k].range; }
static const char *complex_text(int k) { return complex_functions[k].text; }
static const char *complex_range(int k) { return k < 2 || k == 6 ? "±3 ± 3i, both" : "±3 ± 3i"; }

static void test_ulp(void **state)
{
    (void)state;
    static double values[FUNCTIONS + 1][MANY];
    static table worst;
    const double *in[FUNCTIONS + 1];
    const char *given[FUNCTIONS + 1], *texts[FUNCTIONS];
    char name[FUNCTIONS][8], text[FUNCTIONS][64];
    double **out = outputs(FUNCTIONS, MANY);
    for (int k = 0; k < FUNCTIONS; ++k) {
        snprintf(name[k], sizeof name[k], "u%d", k);
        snprintf(text[k], sizeof text[k], functions[k].text, name[k]);
        given[k] = name[k], texts[k] = text[k];
    }
    given[FUNCTIONS] = "v";
    for (int f32 = 0; f32 < 2; ++f32) {
        for (int k = 0; k <= FUNCTIONS; ++k)
            for (int i = 0; i < MANY; ++i) {
                double r = rw_random_uniform(20261124 + (uint64_t)k, (uint64_t)i);
                double x =
                    k < FUNCTIONS ? functions[k].lo + (functions[k].hi - functions[k].lo) * r : pow(10, 4 * r - 2);
                values[k][i] = rounded(x, f32), in[k] = values[k];
            }
        for (int d = 0; d < ndevices; ++d) {
            evaluate(devices[d], f32 ? RW_F32 : RW_F64, given, in, FUNCTIONS + 1, texts, FUNCTIONS, MANY, 0, out);
            for (int k = 0; k < FUNCTIONS; ++k)
                for (int i = 0; i < MANY; ++i) {
                    long double want = functions[k].exact(values[k][i], values[FUNCTIONS][i]);
                    if (!(fabsl(want) < (f32 ? 1e38L : 1e308L)) || fabsl(want) < (f32 ? 2e-38L : 3e-308L)) continue;
                    double error = (double)fabsl((long double)out[k][i] - want) / ulp(want, f32);
                    worst[d][f32][k] = fmax(worst[d][f32][k], error);
                    if (!(error <= functions[k].bound * 1.0001))
                        fail_msg("%s, %s: %s of %.17g, %.17g is %.17g: %.3g ulp, allowed are %g",
                                 rw_device_info(devices[d])->name, f32 ? "f32" : "f64", text[k], values[k][i],
                                 values[FUNCTIONS][i], out[k][i], error, functions[k].bound);
                }
        }
    }
    print(worst, FUNCTIONS, function_text, function_range);
    drop(out, FUNCTIONS);
}

static void test_complex(void **state)
{
    (void)state;
    static double values[2][2 * MANY];
    static table worst;
    const double *in[2] = {values[0], values[1]};
    const char *given[2] = {"w", "p"}, *texts[COMPLEX_FUNCTIONS];
    double **out = outputs(COMPLEX_FUNCTIONS, 2 * MANY);
    for (int k = 0; k < COMPLEX_FUNCTIONS; ++k) texts[k] = complex_functions[k].text;
    for (int f32 = 0; f32 < 2; ++f32) {
        for (int i = 0; i < 4 * MANY; ++i)
            values[i % 2][i / 2] = rounded(6 * rw_random_uniform(20261124, (uint64_t)i) - 3, f32);
        for (int d = 0; d < ndevices; ++d) {
            evaluate(devices[d], f32 ? RW_C64 : RW_C128, given, in, 2, texts, COMPLEX_FUNCTIONS, MANY, 0, out);
            for (int k = 0; k < COMPLEX_FUNCTIONS; ++k)
                for (int i = 0; i < MANY; ++i) {
                    long double complex w = values[0][2 * i] + values[0][2 * i + 1] * 1.0Li,
                                        z = values[1][2 * i] + values[1][2 * i + 1] * 1.0Li;
                    long double complex want = complex_functions[k].exact(w, z),
                                        have = out[k][2 * i] + out[k][2 * i + 1] * 1.0Li;
                    double error = (double)(cabsl(have - want) / cabsl(want)) / (f32 ? 0x1p-23 : 0x1p-52);
                    worst[d][f32][k] = fmax(worst[d][f32][k], error);
                    if (!(error <= complex_functions[k].bound))
                        fail_msg("%s, %s: %s of %.17g%+.17gi, %.17g%+.17gi: %.3g units, allowed are %g",
                                 rw_device_info(devices[d])->name, f32 ? "c64" : "c128", texts[k], values[0][2 * i],
                                 values[0][2 * i + 1], values[1][2 * i], values[1][2 * i + 1], error,
                                 complex_functions[k].bound);
                }
        }
    }
    print(worst, COMPLEX_FUNCTIONS, complex_text, complex_range);
    drop(out, COMPLEX_FUNCTIONS);
}

static int setup(void **state)
{
    if (make_context(state)) return -1;
    ndevices = open_devices(devices, 16);
    return 0;
}

static int teardown(void **state)
{
    for (int d = 0; d < ndevices; ++d) rw_device_close(&devices[d]);
    return drop_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_integers), cmocka_unit_test(test_quotients),
                                       cmocka_unit_test(test_ulp), cmocka_unit_test(test_complex)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
