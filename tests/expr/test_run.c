/* Running programs: scalars are arguments, arrays may be others, nothing is compiled or copied again; reductions;
 * writing in place and beside; equal bits in reproducible mode; no compiler; faults; the locale. */
#include <unistd.h>

#include "../values.h"
#include "expr_test.h"

static rw_device *devices[16], *cpu;
static int ndevices;

static const rw_expr_field uv[] = {{.name = "u", .dtype = RW_F64}, {.name = "v", .dtype = RW_F64}};

static rw_expr *create(rw_device *d, const char *text, const rw_grid *grid, const rw_expr_field *fields, int nfields)
{
    static const rw_expr_scalar scalars[] = {{.name = "a", .value = 2},
                                             {.name = "b", .value = 3},
                                             {.name = "c", .is_complex = true, .value = 1}};
    rw_expr_spec spec = {.name = "run",
                         .text = text,
                         .grid = *grid,
                         .fields = fields,
                         .nfields = nfields,
                         .scalars = scalars,
                         .nscalars = 3};
    rw_expr *e;
    rw_status status = rw_expr_create(d, &spec, &e);
    if (status != RW_OK) fail_msg("%s on %s: %s", text, rw_device_info(d)->name, rw_message(ctx));
    return e;
}

/* A program and its arrays, bound to the fields in their order and filled with `values` (NULL: nothing). */
typedef struct bound {
    rw_expr *e;
    rw_array *a[4];
    int n;
} bound;

static bound prepare(rw_device *d, const char *text, const rw_grid *grid, const rw_expr_field *fields, int n,
                     const double *const *values)
{
    bound b = {.e = create(d, text, grid, fields, n), .n = n};
    for (int i = 0; i < n; ++i) {
        b.a[i] = field_array(d, grid, fields[i].dtype);
        if (values[i]) put(b.a[i], values[i]);
        OK(rw_expr_bind(b.e, fields[i].name, b.a[i]));
    }
    return b;
}

static void run(bound *b) { OK(rw_expr_run(b->e, rw_device_queue(b->e->device))); }

static void drop(bound *b)
{
    for (int i = 0; i < b->n; ++i) rw_array_destroy(&b->a[i]);
    rw_expr_destroy(&b->e);
}

static bool brief; /* the program has only some of the results */

static void expect(rw_expr *e, const char *name, double re, double im, double tolerance)
{
    double r, i;
    if (brief && rw_expr_result_index(e, name) < 0) return;
    OK(rw_expr_get(e, name, &r, &i));
    if ((r == re || fabs(r - re) <= tolerance * (1 + fabs(re)) || (isnan(r) && isnan(re))) &&
        fabs(i - im) <= tolerance * (1 + fabs(im)))
        return;
    fail_msg("%s: %s = %.17g%+.17gi, expected %.17g%+.17gi", rw_device_info(e->device)->name, name, r, i, re, im);
}

/* ---- scalars and arrays are arguments ---------------------------------------------------------------------------- */

static void test_thousand_runs(void **state)
{
    (void)state;
    rw_grid grid = grid1(12, 0.5);
    for (int d = 0; d < ndevices; ++d) {
        double u[12], v[12], x[12], s = 0;
        for (int i = 0; i < 12; ++i) u[i] = 1 + i, v[i] = 2;
        bound b = prepare(devices[d], "v = v + a*dx(u)*0.001; u = b*u + (1 - b); r = sum(u)", &grid, uv, 2,
                          (const double *const[]){u, v});
        rw_array *other = field_array(devices[d], &grid, RW_F64);
        put(other, u);
        OK(rw_array_send(other, rw_device_queue(devices[d])));
        run(&b);
        rw_counters before = counters_of(devices[d]);
        assert_int_equal(before.compilations + before.cache_hits > 0, 1);
        for (int k = 1; k < 1000; ++k) {
            OK(rw_expr_set(b.e, "a", 1. / (1 + k)));
            OK(rw_expr_set(b.e, "b", 1 - 1e-6 * k));
            OK(rw_expr_bind(b.e, "u", k % 2 ? other : b.a[0]));
            run(&b);
        }
        rw_counters after = counters_of(devices[d]);
        assert_int_equal(after.compilations, before.compilations);
        assert_int_equal(after.cache_hits, before.cache_hits);
        assert_int_equal(after.shared, before.shared);
        assert_int_equal(after.copies_in, before.copies_in);
        assert_int_equal(after.copies_out, before.copies_out);
        assert_int_equal(after.copies_device, before.copies_device);
        assert_int_equal(after.launches - before.launches, 999 * 2); /* one pass, one number to combine */
        assert_int_equal(after.bytes_allocated, before.bytes_allocated);
        /* the same on the host: u of the odd runs and of the even ones */
        double w[2][12], t[12];
        memcpy(w[0], u, sizeof u), memcpy(w[1], u, sizeof u);
        for (int k = 0; k < 1000; ++k) {
            double a = k ? 1. / (1 + k) : 2, m = k ? 1 - 1e-6 * k : 3;
            memcpy(t, w[k % 2], sizeof t), s = 0;
            for (int i = 0; i < 12; ++i) {
                v[i] += a * (t[RW_MIN(i + 1, 11)] - t[RW_MAX(i - 1, 0)]) * 0.001;
                w[k % 2][i] = m * t[i] + (1 - m);
                s += w[k % 2][i];
            }
        }
        expect(b.e, "r", s, 0, 1e-12);
        take(b.a[1], x);
        for (int i = 0; i < 12; ++i) assert_true(fabs(x[i] - v[i]) < 1e-12);
        take(b.a[0], x);
        for (int i = 0; i < 12; ++i) assert_true(fabs(x[i] - w[0][i]) < 1e-10);
        rw_array_destroy(&other);
        drop(&b);
    }
}

/* The same program again, under another name, with other values of its scalars: nothing is compiled. */
static void test_same_program_again(void **state)
{
    (void)state;
    rw_grid grid = grid1(33, 0.5);
    for (int d = 0; d < ndevices; ++d) {
        rw_expr *first = create(devices[d], "u = u + a*laplace(v) + 0.125; r = max(u)", &grid, uv, 2);
        rw_counters before = counters_of(devices[d]);
        static const rw_expr_scalar scalars[] = {{.name = "a", .value = -7},
                                                 {.name = "b", .value = 3},
                                                 {.name = "c", .is_complex = true}};
        rw_grid moved = grid;
        moved.spacing[0] = 0.01, moved.origin[0] = 4; /* numbers of the grid are arguments too */
        rw_expr_spec spec = {.name = "another",
                             .text = "r = max(u + a*laplace(v) + 0.125)\nu = u + a*laplace(v) + 0.125",
                             .grid = moved,
                             .fields = uv,
                             .nfields = 2,
                             .scalars = scalars,
                             .nscalars = 3};
        rw_expr *second;
        spec.text = "# a comment\nu = u + a*laplace(v) + 0.125; r = max(u)";
        OK(rw_expr_create(devices[d], &spec, &second));
        rw_counters after = counters_of(devices[d]);
        assert_int_equal(after.compilations, before.compilations);
        assert_int_equal(after.cache_hits, before.cache_hits);
        assert_int_equal(after.shared, before.shared + 1);
        rw_expr_destroy(&first), rw_expr_destroy(&second);
    }
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

static const rw_expr_field numbers[] = {{.name = "u", .dtype = RW_F64},
                                        {.name = "s", .dtype = RW_F32},
                                        {.name = "w", .dtype = RW_C128},
                                        {.name = "v", .dtype = RW_C64}};
static const char all_reductions[] =
    "u_sum = sum(u); u_mean = mean(u); u_min = min(u); u_max = max(u); u_norm = norm(u); u_norm1 = norm1(u); "
    "u_normmax = normmax(u)\n"
    "s_sum = sum(s); s_max = max(s); us = dot(u, s); w_sum = sum(w); ww = dot(w, w); vw = dot(v, w); w_norm = norm(w)\n"
    "w_norm1 = norm1(w); w_normmax = normmax(w); v_mean = mean(v); cells = sum(1); xs = sum(x); gradient = "
    "norm(grad(u))\n"
    "both = u_sum + 2*u_max; root = sqrt(u_norm^2 + a)";

/* x as single precision has it; the compiler may not see through it. */
static double rounded(double x)
{
    volatile float f = (float)x;
    return f;
}

static void test_reductions(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 9000};
    static double u[9000], s[9000], w[18000], v[18000];
    for (int n = 0; n < RW_COUNT(sizes); ++n)
        for (int d = 0; d <= ndevices; ++d) {
            rw_grid grid = grid1(sizes[n], 0.5);
            double sum = 0, squares = 0, absolute = 0, least = INFINITY, most = -INFINITY, largest = 0, s_sum = 0,
                   s_max = -INFINITY, us = 0, xs = 0, w_sum[2] = {0}, ww = 0, vw[2] = {0}, w1 = 0, w_max = 0,
                   v_sum[2] = {0}, slope = 0, count = (double)sizes[n];
            for (int64_t i = 0; i < sizes[n]; ++i) {
                u[i] = sin(3. * (double)i + 1), s[i] = rounded(cos(2. * (double)i));
                for (int p = 0; p < 2; ++p)
                    w[2 * i + p] = sin((double)(5 * i + p)), v[2 * i + p] = rounded(cos((double)(7 * i + 2 * p)));
            }
            for (int64_t i = 0; i < sizes[n]; ++i) {
                double g = u[RW_MIN(i + 1, sizes[n] - 1)] - u[RW_MAX(i - 1, 0)], m = hypot(w[2 * i], w[2 * i + 1]);
                sum += u[i], squares += u[i] * u[i], absolute += fabs(u[i]), least = fmin(least, u[i]),
                                                                             most = fmax(most, u[i]);
                largest = fmax(largest, fabs(u[i])), s_sum += s[i], s_max = fmax(s_max, s[i]), us += u[i] * s[i],
                xs += 0.5 * (double)i;
                w_sum[0] += w[2 * i], w_sum[1] += w[2 * i + 1], ww += m * m, w1 += m, w_max = fmax(w_max, m),
                                                                                      slope += g * g;
                vw[0] += v[2 * i] * w[2 * i] + v[2 * i + 1] * w[2 * i + 1],
                    vw[1] += v[2 * i] * w[2 * i + 1] - v[2 * i + 1] * w[2 * i];
                v_sum[0] += v[2 * i], v_sum[1] += v[2 * i + 1];
            }
            rw_device *dev = d < ndevices ? devices[d] : cpu; /* the last: the plain evaluator */
            compiler(d < ndevices);
            /* PoCL: half a second each */
            brief = !strcmp(rw_device_info(dev)->kind, "opencl") && !rw_device_info(dev)->gpu &&
                    (sizes[n] < 9000 || !test_long());
            bound b = prepare(dev,
                              brief ? "u_sum = sum(u); u_min = min(u); ww = dot(w, w); u_normmax = normmax(u)"
                                    : all_reductions,
                              &grid, numbers, 4, (const double *const[]){u, s, w, v});
            compiler(true);
            run(&b);
            static const double eps = 1e-13;
            expect(b.e, "u_sum", sum, 0, eps * (1 + count)), expect(b.e, "u_mean", sum / count, 0, eps),
                expect(b.e, "u_min", least, 0, 0);
            expect(b.e, "u_max", most, 0, 0), expect(b.e, "u_norm", sqrt(squares), 0, eps),
                expect(b.e, "u_norm1", absolute, 0, eps);
            expect(b.e, "u_normmax", largest, 0, 0), expect(b.e, "s_sum", s_sum, 0, eps * (1 + count)),
                expect(b.e, "s_max", s_max, 0, 0);
            expect(b.e, "us", us, 0, eps * (1 + count)), expect(b.e, "w_sum", w_sum[0], w_sum[1], eps * (1 + count)),
                expect(b.e, "ww", ww, 0, eps);
            expect(b.e, "vw", vw[0], vw[1], eps * (1 + count)), expect(b.e, "w_norm", sqrt(ww), 0, eps),
                expect(b.e, "w_norm1", w1, 0, eps);
            expect(b.e, "w_normmax", w_max, 0, eps), expect(b.e, "cells", count, 0, 0), expect(b.e, "xs", xs, 0, eps);
            expect(b.e, "gradient", sqrt(slope), 0, eps), expect(b.e, "both", sum + 2 * most, 0, eps * (1 + count));
            expect(b.e, "root", sqrt(squares + 2), 0, eps);
            if (sizes[n]) expect(b.e, "v_mean", v_sum[0] / count, v_sum[1] / count, eps);
            run(&b); /* nothing is left of the last run */
            expect(b.e, "cells", count, 0, 0), expect(b.e, "u_max", most, 0, 0), expect(b.e, "u_min", least, 0, 0);
            drop(&b);
        }
    brief = false;
}

/* NaN stays in all of them; min and max of two numbers give the other one for no NaN. */
static void test_nan(void **state)
{
    (void)state;
    rw_grid grid = grid1(600, 0.5);
    static double u[600], v[600];
    for (int place = 0; place < 600; place += 299)
        for (int d = 0; d <= ndevices; ++d) {
            for (int i = 0; i < 600; ++i) u[i] = v[i] = 1 + i;
            u[place] = NAN, v[place] = INFINITY;
            compiler(d < ndevices);
            bound b = prepare(
                d < ndevices ? devices[d] : cpu,
                "m1 = min(u); m2 = max(u); m3 = sum(u); m4 = normmax(u); m5 = min(v); m6 = max(v); m7 = sum(where(u "
                "== u, 1, 0))\n"
                "m8 = max(where(u == u, u, 0)); m9 = sum(min(u, 0)); m10 = sum(max(0, u)); m11 = sum(sign(u)); m12 = "
                "sum(not u)",
                &grid, uv, 2, (const double *const[]){u, v});
            compiler(true);
            run(&b);
            static const char *const nans[] = {"m1", "m2", "m3", "m4", "m9", "m10", "m11"};
            for (int i = 0; i < RW_COUNT(nans); ++i) expect(b.e, nans[i], NAN, 0, 0);
            expect(b.e, "m5", place ? 1 : 2, 0, 0), expect(b.e, "m6", INFINITY, 0, 0), expect(b.e, "m7", 599, 0, 0);
            expect(b.e, "m8", 600, 0, 0), expect(b.e, "m12", 0, 0, 0);
            drop(&b);
        }
}

/* Constants that are infinite or no number reach every compiler. */
static void test_special_constants(void **state)
{
    (void)state;
    rw_grid grid = grid1(3, 0.5);
    static const rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64}, {.name = "w", .dtype = RW_C128}};
    double u[] = {1, -2, 3}, w[6];
    for (int d = 0; d < ndevices; ++d) {
        bound b =
            prepare(devices[d],
                    "u = min(u, 1e400) + 0*a; w = where(u > 0, 1e400i, 2 - 1i); m = max(where(u > 0, u, -1e999)); n = "
                    "sum(u*(0/0))\n"
                    "k = sum(where(u < 0, 123456789012345678, 1e17)); h = sum(-0.0*abs(u)) + sum(u^2*-3)",
                    &grid, fields, 2, (const double *const[]){u, NULL});
        run(&b);
        take(b.a[1], w);
        assert_true(w[0] == 0 && w[1] == INFINITY && w[2] == 2 && w[3] == -1);
        expect(b.e, "m", 3, 0, 0), expect(b.e, "n", NAN, 0, 0), expect(b.e, "k", 123456789012345678. + 2e17, 0, 0),
            expect(b.e, "h", -42, 0, 1e-15);
        drop(&b);
    }
}

/* Results feed later passes without leaving the device. */
static void test_results_stay_on_the_device(void **state)
{
    (void)state;
    rw_grid grid = grid1(40, 0.5);
    double u[40], v[40], x[40];
    for (int i = 0; i < 40; ++i) u[i] = 1 + i % 7, v[i] = cos(i);
    for (int d = 0; d < ndevices; ++d) {
        bound b = prepare(
            devices[d],
            "s = sum(u); u = u/s; m = mean(u) + 1/s; q = sqrt(dot(v, v)); v = v/q + m*where(u > m, 1, 0); e = norm(v)",
            &grid, uv, 2, (const double *const[]){u, v});
        run(&b);
        rw_counters before = counters_of(devices[d]);
        run(&b);
        assert_int_equal(counters_of(devices[d]).copies_out, before.copies_out);
        assert_int_equal(counters_of(devices[d]).copies_in, before.copies_in);
        double p[40], w[40], s = 0, q = 0, m;
        memcpy(p, u, sizeof p), memcpy(w, v, sizeof w);
        for (int k = 0; k < 2; ++k) {
            s = q = 0;
            for (int i = 0; i < 40; ++i) s += p[i], q += w[i] * w[i];
            m = 1. / 40 + 1 / s;
            for (int i = 0; i < 40; ++i) p[i] /= s, w[i] = w[i] / sqrt(q) + m * (p[i] > m);
        }
        take(b.a[1], x);
        for (int i = 0; i < 40; ++i) assert_true(fabs(x[i] - w[i]) < 1e-14);
        expect(b.e, "s", s, 0, 1e-14), expect(b.e, "q", sqrt(q), 0, 1e-14);
        drop(&b);
    }
}

/* ---- in place and beside ----------------------------------------------------------------------------------------- */

static void step(double *u, int n)
{
    double old[64];
    memcpy(old, u, (size_t)n * sizeof *u);
    for (int i = 0; i < n; ++i) u[i] = old[i] + 0.25 * (old[RW_MIN(i + 1, n - 1)] + old[RW_MAX(i - 1, 0)] - 2 * old[i]);
}

/* The array stays the field whatever memory is exchanged below it; memory lent by the caller stays the array's. */
static void test_beside_itself(void **state)
{
    (void)state;
    rw_grid grid = grid1(50, 1);
    for (int d = 0; d < ndevices; ++d) {
        rw_device *dev = devices[d];
        rw_expr *e = create(dev, "u = u + 0.25*laplace(u); r = sum(u)", &grid, uv, 1);
        rw_memory kinds[] = {RW_MEMORY_DEVICE, RW_MEMORY_PINNED, RW_MEMORY_DEVICE, RW_MEMORY_MANAGED};
        for (int k = 0; k < 4; ++k) { /* arrays of other kinds of memory, one after the other */
            rw_array *a;
            int64_t n = 50;
            double u[50], x[50];
            if (kinds[k] == RW_MEMORY_MANAGED && !rw_device_info(dev)->managed) continue;
            OK(rw_array_create(dev, RW_F64, 1, &n, kinds[k], &a));
            for (int i = 0; i < 50; ++i) u[i] = (i * 7 + k) % 11;
            put(a, u);
            OK(rw_expr_bind(e, "u", a));
            for (int i = 0; i < 5; ++i) {
                OK(rw_expr_run(e, rw_device_queue(dev)));
                step(u, 50);
            }
            take(a, x);
            for (int i = 0; i < 50; ++i) assert_true(fabs(x[i] - u[i]) < 1e-13);
            rw_array_destroy(&a);
        }
        static const rw_copy_mode modes[] = {RW_BORROW, RW_OWN, RW_COPY};
        for (int k = 0; k < 3; ++k) {
            rw_array *a;
            int64_t n = 50;
            double u[50], x[50], *data = malloc(sizeof u);
            for (int i = 0; i < 50; ++i) u[i] = data[i] = (i * 5 + k) % 13;
            OK(rw_array_create_from(dev, RW_F64, 1, &n, data, modes[k], &a));
            OK(rw_expr_bind(e, "u", a));
            for (int i = 0; i < 3; ++i) {
                OK(rw_expr_run(e, rw_device_queue(dev)));
                step(u, 50);
            }
            take(a, x);
            for (int i = 0; i < 50; ++i) assert_true(fabs(x[i] - u[i]) < 1e-13);
            if (modes[k] == RW_BORROW) {
                const void *now;
                OK(rw_array_read(a, &now));
                assert_ptr_equal(now, data);
            }
            rw_array_destroy(&a);
            if (modes[k] == RW_BORROW) memset(data, 0xff, sizeof u); /* the caller's again: nobody may look at it */
            if (modes[k] != RW_OWN) free(data);
        }
        rw_array *a = field_array(dev, &grid, RW_F64);
        double u[50], x[50];
        for (int i = 0; i < 50; ++i) u[i] = i;
        put(a, u), step(u, 50);
        OK(rw_expr_bind(e, "u", a));
        OK(rw_expr_run(e, rw_device_queue(dev)));
        take(a, x);
        for (int i = 0; i < 50; ++i) assert_true(fabs(x[i] - u[i]) < 1e-13);
        rw_array_destroy(&a);
        rw_expr_destroy(&e);
    }
}

/* Two bodies of a shift: fields that exchange their values, and their arrays. */
static void test_exchange(void **state)
{
    (void)state;
    rw_grid grid = grid1(5, 1);
    double u[] = {1, 2, 3, 4, 5}, v[] = {6, 7, 8, 9, 10}, x[5];
    for (int d = 0; d < ndevices; ++d) {
        bound b =
            prepare(devices[d], "old = dx_forward(u) + u; u = v; v = old", &grid, uv, 2, (const double *const[]){u, v});
        run(&b);
        take(b.a[0], x);
        assert_memory_equal(x, v, sizeof x);
        take(b.a[1], x);
        for (int i = 0; i < 5; ++i) assert_true(x[i] == u[RW_MIN(i + 1, 4)]);
        OK(rw_expr_bind(b.e, "u", b.a[1])); /* for a moment one array for both */
        OK(rw_expr_bind(b.e, "v", b.a[0]));
        run(&b);
        take(b.a[1], x);
        assert_memory_equal(x, v, sizeof x);
        drop(&b);
    }
}

/* A program in a recorded sequence: as often as it is replayed; one that exchanges arrays says that it cannot. */
static void test_recorded(void **state)
{
    (void)state;
    rw_grid grid = grid1(20, 1);
    double u[20], v[20], x[20];
    for (int d = 0; d < ndevices; ++d) {
        rw_queue *q = rw_device_queue(devices[d]);
        for (int i = 0; i < 20; ++i) u[i] = i, v[i] = 1;
        bound b = prepare(devices[d], "v = v + dx(u); u = u*a + 1", &grid, uv, 2, (const double *const[]){u, v});
        run(&b); /* exchanges u */
        OK(rw_record_begin(q));
        assert_int_equal(rw_expr_run(b.e, q), RW_ERR_UNSUPPORTED);
        assert_non_null(strstr(rw_message(ctx), "run cannot be recorded: it writes u to a second array"));
        rw_sequence *s;
        if (rw_record_end(q, &s) == RW_OK) rw_sequence_destroy(&s);
        drop(&b);
        b = prepare(devices[d], "v = v + dx_backward(u)*a; r = sum(v)", &grid, uv, 2, (const double *const[]){u, v});
        OK(rw_array_send(b.a[0], q));
        OK(rw_array_send(b.a[1], q));
        OK(rw_record_begin(q));
        OK(rw_expr_run(b.e, q));
        OK(rw_record_end(q, &s));
        for (int i = 0; i < 10; ++i) OK(rw_sequence_replay(s, q));
        take(b.a[1], x);
        for (int i = 0; i < 20; ++i) assert_true(x[i] == 1 + (i ? 20 : 0));
        expect(b.e, "r", 400, 0, 0);
        rw_sequence_destroy(&s);
        drop(&b);
    }
}

/* ---- equal bits -------------------------------------------------------------------------------------------------- */

static void test_reproducible(void **state)
{
    (void)state;
    rw_context *outer = ctx;
    OK(rw_context_create(&ctx));
    rw_context_set_reproducible(ctx, true);
    rw_grid grid = {.ndim = 2, .size = {67, 9, 1}, .spacing = {0.3, 0.7, 1}, .origin = {0.1, 0.2, 0}};
    enum { N = 67 * 9 };
    static double start[3][N], first[3][N], x[N];
    double reduced[3];
    rw_expr_field f[] = {{.name = "u", .dtype = RW_F64},
                         {.name = "v", .dtype = RW_F64},
                         {.name = "s", .dtype = RW_F64}};
    static const rw_boundary sides[] = {{RW_BOUNDARY_DIRICHLET, "x*y/3", 0, 0},
                                        {RW_BOUNDARY_ROBIN, "1.1", "x + 2", "y"},
                                        {RW_BOUNDARY_NEUMANN, "y/7", 0, 0},
                                        {RW_BOUNDARY_PERIODIC, 0, 0, 0}};
    rw_device *all[17] = {open_device("cpu")}; /* the first one, which the others are compared with */
    int n = 1 + open_devices(all + 1, 16), run_f32 = 0, without_f32 = 0;
    rw_device *host = open_device("cpu");
    for (int d = 0; d < n; ++d) without_f32 += !strcmp(rw_device_info(all[d])->kind, "opencl");
    for (int i = 0; i < 3; ++i)
        for (int c = 0; c < N; ++c) start[i][c] = normal(5, (uint64_t)(1000 * i + c));
    const int orders = test_long() ? 2 : 1;
    for (int f32 = 0; f32 < 2; ++f32)
        for (int order = 2; order <= 2 * orders; order += 2) {
            for (int i = 0; i < 3; ++i) {
                f[i].dtype = f32 ? RW_F32 : RW_F64;
                f[i].boundary[0] = sides[i], f[i].boundary[1] = sides[(i + 1) % 3];
                f[i].boundary[2] = f[i].boundary[3] = sides[i ? 3 : 2];
            }
            bool have = false;
            for (int d = -1; d < n; ++d) { /* -1: the plain evaluator, which works in f64 */
                /* sums depend on their order, so on the tiles */
                rw_device *dev = with_tiling(d < 0 ? host : all[d], "cpu");
                const rw_device_properties *info = rw_device_info(dev);
                if (f32 && (d < 0 || !strcmp(info->kind, "opencl"))) { /* OpenCL allows f32 division 2.5 ulp */
                    rw_device_close(&dev);
                    continue;
                }
                compiler(d >= 0);
                rw_expr_spec spec = {.name = "bits",
                                     .grid = grid,
                                     .order = order,
                                     .fields = f,
                                     .nfields = 3,
                                     .text =
                                         "u = u*v - 3*v/(1.7 + s*s) + laplace(u)*0.01 - dx(v)*dy(s)\n"
                                         "v = sqrt(abs(v*s + u)) - s*s*u + divgrad(1 + v*v, s)*0.03 + x/(y + 2)\n"
                                         "r = sum(u*v); m = max(v - s); q = norm(v); s = s*0.3 + upwind(u, v, s)/r"};
                rw_expr *e;
                OK(rw_expr_create(dev, &spec, &e));
                compiler(true);
                rw_array *a[3];
                for (int i = 0; i < 3; ++i) {
                    a[i] = field_array(dev, &grid, f[i].dtype);
                    put(a[i], start[i]);
                    OK(rw_expr_bind(e, f[i].name, a[i]));
                }
                OK(rw_expr_run(e, rw_device_queue(dev)));
                run_f32 += f32;
                for (int i = 0; i < 3; ++i) {
                    take(a[i], x);
                    for (int c = 0; have && c < N; ++c) /* s holds the order of the sum r */
                        if (memcmp(x + c, first[i] + c, sizeof *x) != 0 && !(i == 2 && d <= 0))
                            fail_msg("%s, order %d: %s[%d] = %.17g, elsewhere %.17g", info->name, order, f[i].name, c,
                                     x[c], first[i][c]);
                    if (!have || d <= 0) memcpy(first[i], x, sizeof x);
                    rw_array_destroy(&a[i]);
                }
                double now[3] = {scalar(e, "r"), scalar(e, "m"), scalar(e, "q")};
                for (int i = 0; i < 3; ++i)
                    if (d > 0 && have) assert_true(now[i] == reduced[i]); /* the evaluator adds up in another order */
                if (d == 0 && have && !f32) assert_true(now[1] == reduced[1]);
                memcpy(reduced, now, sizeof now);
                have = true;
                rw_expr_destroy(&e);
                rw_device_close(&dev);
            }
        }
    assert_int_equal(run_f32, orders * (n - without_f32));
    for (int d = 0; d < n; ++d) rw_device_close(&all[d]);
    rw_device_close(&host);
    rw_context_destroy(&ctx);
    ctx = outer;
}

/* ---- without a compiler ------------------------------------------------------------------------------------------ */

static int warnings;
static char last_warning[512];
static void count_warnings(void *user, rw_log_level level, const char *text)
{
    (void)user;
    if (level != RW_LOG_WARNING) return;
    warnings++;
    snprintf(last_warning, sizeof last_warning, "%s", text);
}

static void test_no_compiler(void **state)
{
    (void)state;
    rw_grid grid = {.ndim = 2, .size = {9, 8, 1}, .spacing = {0.5, 0.4, 1}};
    double start[2][72], u[2][72], v[2][72], r[2];
    for (int i = 0; i < 72; ++i) start[0][i] = sin(i), start[1][i] = cos(2 * i);
    rw_queue *q = rw_device_queue(cpu);
    if (strcmp(rw_device_info(cpu)->kind, "cpu") != 0) skip(); /* GPUs need no C compiler */
    for (int without = 0; without < 2; ++without) {
        compiler(!without);
        warnings = 0;
        rw_context_set_log(ctx, RW_LOG_WARNING, count_warnings, NULL);
        bound b = prepare(cpu, "u = u + 0.01*laplace(u)*exp(v) + x; r = norm(u); v = v/r + dx(u)*a; k = 2*a", &grid, uv,
                          2, (const double *const[]){start[0], start[1]});
        rw_context_set_log(ctx, RW_LOG_WARNING, NULL, NULL);
        compiler(true);
        rw_expr_plan plan;
        OK(rw_expr_get_plan(b.e, &plan));
        assert_int_equal(warnings, without);
        assert_int_equal(plan.evaluator, without);
        assert_int_equal(plan.passes, 2);
        for (int k = 0; k < 3; ++k) {
            OK(rw_expr_set(b.e, "a", 0.5 + k));
            run(&b);
        }
        take(b.a[0], u[without]), take(b.a[1], v[without]);
        r[without] = scalar(b.e, "r");
        expect(b.e, "k", 5, 0, 0);
        if (without) {
            rw_sequence *s;
            assert_non_null(strstr(last_warning, "no C compiler"));
            assert_non_null(strstr(last_warning, "plain evaluator"));
            OK(rw_record_begin(q));
            assert_int_equal(rw_expr_run(b.e, q), RW_ERR_UNSUPPORTED);
            OK(rw_record_end(q, &s));
            rw_sequence_destroy(&s);
        }
        drop(&b);
    }
    for (int i = 0; i < 72; ++i) {
        assert_true(fabs(u[1][i] - u[0][i]) < 1e-13 * (1 + fabs(u[0][i])));
        assert_true(fabs(v[1][i] - v[0][i]) < 1e-13 * (1 + fabs(v[0][i])));
    }
    assert_true(fabs(r[1] - r[0]) < 1e-13 * r[0]);
    rw_device *check = open_device("check"); /* which is for kernels: it needs a compiler and says so */
    rw_expr_spec spec = {.name = "run", .text = "u = u + 1", .grid = grid, .fields = uv, .nfields = 2};
    rw_expr *e;
    compiler(false);
    rw_status status = rw_expr_create(check, &spec, &e);
    compiler(true);
    assert_int_not_equal(status, RW_OK);
    assert_non_null(strstr(rw_message(ctx), "compiler"));
    rw_device_close(&check);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

static const char fault_text[] = "u = u + 0.25*laplace(u); r = sum(u); v = v/r + c*0 + dx(u)";

static rw_status create_fault(rw_device *d, const rw_grid *grid, rw_expr **e)
{
    static const rw_expr_scalar scalars[] = {{.name = "c", .value = 1}};
    rw_expr_field f[2] = {uv[0], uv[1]};
    f[0].boundary[0] = (rw_boundary){RW_BOUNDARY_ROBIN, "1 + x", "c", "0"};
    rw_expr_spec spec = {.name = "faults",
                         .text = fault_text,
                         .grid = *grid,
                         .fields = f,
                         .nfields = 2,
                         .scalars = scalars,
                         .nscalars = 1};
    return rw_expr_create(d, &spec, e);
}

static void run_fault(rw_device *d, rw_expr *e, const rw_grid *grid, double out[2][30], bool inject, rw_fault kind,
                      rw_status wanted, int *failures)
{
    double u[30], v[30];
    for (int i = 0; i < 30; ++i) u[i] = 1 + i % 5, v[i] = 2;
    rw_array *a = field_array(d, grid, RW_F64), *b = field_array(d, grid, RW_F64);
    OK(rw_expr_bind(e, "u", a));
    OK(rw_expr_bind(e, "v", b));
    rw_status status = RW_ERR_INTERNAL;
    for (long n = 1; status != RW_OK; ++n) {
        put(a, u), put(b, v);
        if (inject) rw_fault_set(kind, n);
        status = rw_expr_run(e, rw_device_queue(d));
        rw_fault_set(kind, 0);
        if (status != RW_OK && (!inject || status != wanted))
            fail_msg("%s: %s %s", rw_device_info(d)->name, rw_status_name(status), rw_message(ctx));
        *failures += status != RW_OK;
        OK(rw_queue_wait(rw_device_queue(d)));
    }
    take(a, out[0]), take(b, out[1]);
    rw_array_destroy(&a), rw_array_destroy(&b);
}

static void test_faults(void **state)
{
    (void)state;
    rw_grid grid = grid1(30, 1);
    static double right[2][30], now[2][30];
    for (int d = 0; d <= ndevices; ++d) {
        rw_device *dev = d < ndevices ? devices[d] : cpu;
        bool evaluator = d == ndevices;
        compiler(!evaluator);
        int none = 0, failures = 0;
        rw_expr *first, *e = NULL;
        OK(create_fault(dev, &grid, &first)); /* keeps the compiled programs at hand: the loops below compile nothing */
        run_fault(dev, first, &grid, right, false, RW_FAULT_LAUNCH, RW_OK, &none);
        assert_int_equal(none, 0);
        static const struct {
            rw_fault kind;
            rw_status status;
        } creating[] = {{RW_FAULT_ALLOC, RW_ERR_MEMORY}, {RW_FAULT_DEVICE_ALLOC, RW_ERR_MEMORY}};
        for (int k = 0; k < 2; ++k) {
            failures = 0;
            for (long n = 1; !e || e->evaluator != evaluator; ++n) {
                if (e) rw_expr_destroy(&e); /* no memory to look for the compiler counts as no compiler */
                rw_fault_set(creating[k].kind, n);
                rw_status status = create_fault(dev, &grid, &e);
                rw_fault_set(creating[k].kind, 0);
                if (status != RW_OK && (status != creating[k].status || e))
                    fail_msg("%s: %s", rw_status_name(status), rw_message(ctx));
                failures += status != RW_OK;
            }
            assert_true(failures >= (k ? 1 : 30));
            run_fault(dev, e, &grid, now, false, RW_FAULT_LAUNCH, RW_OK, &none);
            assert_memory_equal(now, right, sizeof now);
            rw_expr_destroy(&e);
        }
        static const struct {
            rw_fault kind;
            rw_status status;
            int least;
        } running[] = {{RW_FAULT_ALLOC, RW_ERR_MEMORY, 0},
                       {RW_FAULT_DEVICE_ALLOC, RW_ERR_MEMORY, 1},
                       {RW_FAULT_LAUNCH, RW_ERR_LAUNCH, 3}};
        for (int k = 0; k < 3; ++k) {
            failures = 0;
            OK(create_fault(dev, &grid, &e));
            run_fault(dev, e, &grid, now, true, running[k].kind, running[k].status, &failures);
            if (!evaluator) assert_true(failures >= running[k].least);
            if (evaluator && k == 0) assert_true(failures > 10);
            assert_memory_equal(now, right, sizeof now);
            rw_expr_destroy(&e);
        }
        rw_expr_destroy(&first);
        compiler(true);
    }
}

static void test_compiler_fails(void **state)
{
    (void)state;
    rw_context *outer = ctx;
    OK(rw_context_create(&ctx));
    OK(rw_context_set_cache(ctx, false, NULL, false));
    rw_device *dev = open_device("cpu");
    rw_grid grid = grid1(30, 1);
    rw_expr *e = NULL;
    int failures = 0;
    for (long n = 1; !e; ++n) {
        rw_fault_set(RW_FAULT_COMPILE, n);
        rw_status status = create_fault(dev, &grid, &e);
        rw_fault_set(RW_FAULT_COMPILE, 0);
        if (status == RW_OK) break;
        assert_int_equal(status, RW_ERR_COMPILE);
        assert_null(e);
        failures++;
    }
    assert_int_equal(failures, 2); /* two passes */
    rw_expr_destroy(&e);
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    ctx = outer;
}

/* A kernel's text is the same whatever the locale. */
static void test_locale(void **state)
{
    (void)state;
    rw_context *outer = ctx;
    OK(rw_context_create(&ctx));
    OK(rw_context_set_cache(ctx, false, NULL, false));
    rw_device *dev = open_device("cpu");
    rw_grid grid = grid1(6, 0.25);
    double u[] = {1, 2, 3, 4, 5, 6}, v[6], x[6];
    bool set = comma_locale();
    bound b = prepare(dev, "v = u*0.125 + 1.5*dx(u)", &grid, uv, 2, (const double *const[]){u, NULL});
    setlocale(LC_ALL, "C");
    run(&b);
    take(b.a[1], x);
    for (int i = 0; i < 6; ++i) v[i] = u[i] * 0.125 + 1.5 * (u[RW_MIN(i + 1, 5)] - u[RW_MAX(i - 1, 0)]) / 0.5;
    for (int i = 0; i < 6; ++i) assert_true(fabs(x[i] - v[i]) < 1e-14);
    drop(&b);
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    ctx = outer;
    if (!set) skip();
}

static int setup(void **state)
{
    if (make_context(state)) return -1;
    if (rw_device_open(ctx, "cpu", &cpu) != RW_OK) return -1;
    ndevices = open_devices(devices, 16);
    return 0;
}

static int teardown(void **state)
{
    for (int d = 0; d < ndevices; ++d) rw_device_close(&devices[d]);
    rw_device_close(&cpu);
    return drop_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thousand_runs),     cmocka_unit_test(test_same_program_again),
        cmocka_unit_test(test_reductions),        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_special_constants), cmocka_unit_test(test_results_stay_on_the_device),
        cmocka_unit_test(test_beside_itself),     cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_recorded),          cmocka_unit_test(test_reproducible),
        cmocka_unit_test(test_no_compiler),       cmocka_unit_test(test_faults),
        cmocka_unit_test(test_compiler_fails),    cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
