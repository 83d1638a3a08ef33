/* Fields that are stored in small types and computed with in f32 or f64: every type on every device and with every
 * strategy against the plain evaluator, and by hand where a result is rounded, saturated, read again. */
#include "expr_test.h"

#include "core/convert.h"

static const rw_dtype types[] = {RW_U8, RW_I8, RW_U16, RW_I16, RW_F16, RW_BF16, RW_BOOL, RW_I32, RW_U32};

static void fill(rw_array *a, const double *values)
{
    void *w;
    OK(rw_array_write(a, &w));
    rw_dtype_convert(a->dtype, w, RW_F64, values, (size_t)a->size);
}

static void get(rw_array *a, double *values)
{
    const void *p;
    OK(rw_array_read(a, &p));
    rw_dtype_convert(RW_F64, values, a->dtype, p, (size_t)a->size);
}

/* o: assigned twice and read in between, at the node and beside it, so that passes exchange stored values; r, an f32
 * field. Numbers are such that rounding in f32 and f64 meet no tie. */
static const char text[] = "s = 1.25*a + 0.3*b\n"
                           "o = s - 3\n"
                           "r = 2*o + dx(o)\n"
                           "o = where(a < b, o + 0.25*b, max(a, o))\n"
                           "m = sum(o)\n"
                           "n = min(o)\n";

enum { NX = 37, NY = 11, CELLS = NX * NY };
typedef struct results {
    double o[CELLS], r[CELLS], m, n;
} results;

static void run(rw_device *dev, rw_dtype dtype, bool evaluate, results *out)
{
    static double a[CELLS], b[CELLS];
    const double scale = dtype == RW_BOOL ? 1 : dtype == RW_I8 ? 90 : dtype == RW_U8 ? 200 : 30000;
    rw_expr_field fields[] = {{.name = "a", .dtype = dtype},
                              {.name = "b", .dtype = dtype},
                              {.name = "o", .dtype = dtype},
                              {.name = "r", .dtype = RW_F32}};
    for (int f = 0; f < 4; ++f)
        for (int side = 0; side < 6; ++side)
            fields[f].boundary[side].kind = side < 2 ? RW_BOUNDARY_PERIODIC : RW_BOUNDARY_NEAREST;
    rw_expr_spec spec = {.name = "stored",
                         .text = text,
                         .grid = {2, {NX, NY, 1}, {0.5, 1, 1}, {0}},
                         .fields = fields,
                         .nfields = 4};
    rw_array *arrays[4];
    rw_expr *e;
    for (int i = 0; i < CELLS; ++i)
        a[i] = floor(scale * rw_random_uniform(3, (uint64_t)i)),
        b[i] = floor(scale * rw_random_uniform(4, (uint64_t)i));
    if (evaluate) compiler(false);
    rw_status status = rw_expr_create(dev, &spec, &e);
    compiler(true);
    if (status != RW_OK) fail_msg("%s, %s: %s", rw_device_info(dev)->name, rw_dtype_name(dtype), rw_message(ctx));
    for (int f = 0; f < 4; ++f) {
        arrays[f] = field_array(dev, &spec.grid, fields[f].dtype);
        fill(arrays[f], f == 1 ? b : a);
        OK(rw_expr_bind(e, fields[f].name, arrays[f]));
    }
    OK(rw_expr_run(e, rw_device_queue(dev)));
    out->m = scalar(e, "m"), out->n = scalar(e, "n");
    rw_expr_destroy(&e);
    get(arrays[2], out->o), get(arrays[3], out->r);
    for (int f = 0; f < 4; ++f) rw_array_destroy(&arrays[f]);
    if (!evaluate) return;
    for (int i = 0; i < CELLS; ++i) assert_true(out->o[i] == rw_dtype_round(dtype, out->o[i]));
}

static void test_every_type(void **state)
{
    (void)state;
    static const char *const tilings[] = {NULL, "gpu", "fused", "stream", "cpu"};
    static results want, have;
    rw_device *devices[16], *host = open_device("cpu");
    const int n = open_devices(devices, 16);
    for (int t = 0; t < RW_COUNT(types); ++t) {
        run(host, types[t], true, &want);
        for (int d = 0; d < n; ++d)
            for (int k = 0; k < RW_COUNT(tilings); ++k) {
                if (!test_long() && strcmp(rw_device_info(devices[d])->kind, "cpu") && t % 3 != d % 3) continue;
                if (k && (!strcmp(rw_device_info(devices[d])->kind, "check") || (!test_long() && (d + t + k) % 4)))
                    continue;
                rw_device *dev = with_tiling(devices[d], tilings[k]);
                run(dev, types[t], false, &have);
                /* a rounding error may meet a tie: then the next value */
                double spacing = types[t] == RW_F16 || types[t] == RW_BF16 ? 0 : 1;
                for (int i = 0; i < CELLS; ++i) {
                    const double step = spacing > 0 ? 0 : fabs(want.o[i]) * (types[t] == RW_F16 ? 0x1p-10 : 0x1p-7);
                    if (fabs(have.o[i] - want.o[i]) > step)
                        fail_msg("%s, %s: o[%d] = %.9g, not %.9g", rw_device_info(dev)->name, rw_dtype_name(types[t]),
                                 i, have.o[i], want.o[i]);
                    const double room = spacing > 0 ? 1e-5 * (1 + fabs(want.r[i])) : 4e-2 * (300 + fabs(want.r[i]));
                    if (fabs(have.r[i] - want.r[i]) > room)
                        fail_msg("%s, %s: r[%d] = %.9g, not %.9g", rw_device_info(dev)->name, rw_dtype_name(types[t]),
                                 i, have.r[i], want.r[i]);
                }
                if (spacing > 0) assert_true(have.m == want.m && have.n == want.n);
                rw_device_close(&dev);
            }
    }
    for (int d = 0; d < n; ++d) rw_device_close(&devices[d]);
    rw_device_close(&host);
}

/* u8: saturated and rounded to even, also where the value is used again without having been in memory. */
static void test_by_hand(void **state)
{
    (void)state;
    rw_device *devices[16];
    const int n = open_devices(devices, 16);
    static const double a[6] = {0, 1, 2, 3, 100, 255}, u[6] = {0, 2, 3, 4, 150, 255}, p[6] = {0, 4, 6, 8, 300, 510},
                        q[6] = {0, 0, 0, 0, 0, 155}, t[6] = {0, 1, 1, 1, 1, 1};
    for (int d = 0; d < n; ++d)
        for (int evaluate = 0; evaluate <= !strcmp(rw_device_info(devices[d])->kind, "cpu"); ++evaluate) {
            rw_expr_field fields[] = {{.name = "a", .dtype = RW_U8},
                                      {.name = "o", .dtype = RW_U8},
                                      {.name = "p", .dtype = RW_I16},
                                      {.name = "q", .dtype = RW_U8},
                                      {.name = "yes", .dtype = RW_BOOL}};
            rw_expr_spec spec = {.name = "by hand",
                                 .text = "o = 1.5*a; p = 2*o; q = a - 100; yes = a*7",
                                 .grid = grid1(6, 1),
                                 .fields = fields,
                                 .nfields = 5};
            rw_array *arrays[5];
            rw_expr *e;
            double out[6];
            if (evaluate) compiler(false);
            OK(rw_expr_create(devices[d], &spec, &e));
            compiler(true);
            for (int f = 0; f < 5; ++f) {
                arrays[f] = field_array(devices[d], &spec.grid, fields[f].dtype);
                fill(arrays[f], a);
                OK(rw_expr_bind(e, fields[f].name, arrays[f]));
            }
            OK(rw_expr_run(e, rw_device_queue(devices[d])));
            const double *const want[] = {a, u, p, q, t};
            for (int f = 0; f < 5; ++f) {
                get(arrays[f], out);
                for (int i = 0; i < 6; ++i)
                    if (out[i] != want[f][i])
                        fail_msg("%s%s: %s[%d] = %g, not %g", rw_device_info(devices[d])->name,
                                 evaluate ? ", evaluator" : "", fields[f].name, i, out[i], want[f][i]);
            }
            rw_expr_destroy(&e);
            for (int f = 0; f < 5; ++f) rw_array_destroy(&arrays[f]);
        }
    for (int d = 0; d < n; ++d) rw_device_close(&devices[d]);
}

static void test_refused(void **state)
{
    (void)state;
    rw_device *dev = open_device("cpu");
    rw_expr_field fields[] = {{.name = "a", .dtype = RW_U8}};
    rw_expr_spec spec = {.name = "refused", .text = "a = a*i", .grid = grid1(6, 1), .fields = fields, .nfields = 1};
    rw_expr *e;
    assert_int_equal(rw_expr_create(dev, &spec, &e), RW_ERR_INPUT);
    rw_device_close(&dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_every_type, make_context, drop_context),
                                       cmocka_unit_test_setup_teardown(test_by_hand, make_context, drop_context),
                                       cmocka_unit_test_setup_teardown(test_refused, make_context, drop_context)};
    return cmocka_run_group_tests_name("stored", tests, NULL, NULL);
}
