/* The study `flow`: time steps of the three versions agree and follow the scheme; small runs whose tables are complete
 * and whose sums are right, next to the published values. */
#include "../devices.h"

#include <math.h>

#include "lab/flow_step.h"
#include "lab/lab.h"

static double get(bool f64, const void *p, int64_t i)
{
    return f64 ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

static const rw_flow_case small = {.edge = 20,
                                   .f64 = true,
                                   .dt = 1e-3,
                                   .viscous = 5e-4,
                                   .conductive = 1e-4,
                                   .buoyancy = 1,
                                   .stop = {1e-12, 1000},
                                   .output = RW_FLOW_NO_FILE};

/* ---- steps ------------------------------------------------------------------------------------------------------- */

typedef struct state {
    double psi[20][20], omega[20][20], heat[20][20];
} state;

static state read_state(rw_flow_run *run)
{
    state s;
    double *to[] = {&s.psi[0][0], &s.omega[0][0], &s.heat[0][0]};
    for (int f = 0; f < RW_FLOW_SYSTEMS; ++f) {
        const void *p;
        OK(rw_array_read(run->field[f], &p));
        for (int i = 0; i < 400; ++i) to[f][i] = get(run->is.f64, p, i);
    }
    return s;
}

/* The step from `a` to `b` satisfies the equations of the scheme at each inner node, written once more. */
static void check_step(const state *a, const state *b)
{
    const double h = 1.0 / 19, dt = small.dt;
    double worst_psi = 0, worst_omega = 0, worst_heat = 0;
    for (int j = 1; j < 19; ++j)
        for (int i = 1; i < 19; ++i) {
            const double(*p)[20] = b->psi;
            worst_psi = fmax(worst_psi, fabs(4 * p[j][i] - p[j + 1][i] - p[j - 1][i] - p[j][i + 1] - p[j][i - 1] -
                                             h * h * a->omega[j][i]));
            const double ue = (p[j + 1][i] + p[j + 1][i + 1] - p[j - 1][i] - p[j - 1][i + 1]) / (4 * h),
                         uw = (p[j + 1][i - 1] + p[j + 1][i] - p[j - 1][i - 1] - p[j - 1][i]) / (4 * h),
                         vn = -(p[j][i + 1] + p[j + 1][i + 1] - p[j][i - 1] - p[j + 1][i - 1]) / (4 * h),
                         vs = -(p[j - 1][i + 1] + p[j][i + 1] - p[j - 1][i - 1] - p[j][i - 1]) / (4 * h);
            assert_true(fabs(ue - uw + vn - vs) < 1e-13); /* no divergence */
            for (int heat = 0; heat < 2; ++heat) {
                const double k = heat ? small.conductive / dt : small.viscous / dt;
                /* boundary values are those of the walls of the new Psi, which b has; inside, the old field */
                const double(*now)[20] = heat ? b->heat : b->omega, (*old)[20] = heat ? a->heat : a->omega;
                double z[3][3], t[3][3];
                for (int q = -1; q < 2; ++q)
                    for (int r = -1; r < 2; ++r) {
                        const bool side = j + q == 0 || j + q == 19 || i + r == 0 || i + r == 19;
                        z[q + 1][r + 1] = side ? now[j + q][i + r] : old[j + q][i + r];
                        t[q + 1][r + 1] = side ? b->heat[j + q][i + r] : a->heat[j + q][i + r];
                    }
                const double zp = z[1][1], flux = h * (ue * (zp + z[1][2]) / 2 - uw * (z[1][0] + zp) / 2 +
                                                       vn * (zp + z[2][1]) / 2 - vs * (z[0][1] + zp) / 2);
                const double laplace = now[j][i + 1] + now[j][i - 1] + now[j + 1][i] + now[j - 1][i] - 4 * now[j][i];
                const double buoyancy = heat ? 0 : small.buoyancy * h / 2 * (t[1][2] - t[1][0]);
                const double error = h * h * (now[j][i] - zp) / dt - k * laplace + flux - buoyancy;
                if (heat) worst_heat = fmax(worst_heat, fabs(error));
                else worst_omega = fmax(worst_omega, fabs(error));
            }
        }
    if (!(worst_psi < 1e-12 && worst_omega < 1e-8 && worst_heat < 1e-10))
        fail_msg("a step misses its equations by %.3g, %.3g, %.3g", worst_psi, worst_omega, worst_heat);
}

/* Walls after the solve for Psi: Thom's formula. */
static void check_walls(const state *s)
{
    const double h = 1.0 / 19, scale = 2 / (h * h);
    for (int i = 1; i < 19; ++i) {
        assert_true(fabs(s->omega[0][i] + scale * s->psi[1][i]) < 1e-9);
        assert_true(fabs(s->omega[19][i] + scale * s->psi[18][i] + 2 / h) < 1e-9);
        assert_true(fabs(s->omega[i][0] + scale * s->psi[i][1]) < 1e-9);
        assert_true(fabs(s->omega[i][19] + scale * s->psi[i][18]) < 1e-9);
        assert_true(s->heat[i][0] == 1 && s->heat[i][19] == 0);
        assert_true(s->psi[0][i] == 0 && s->psi[19][i] == 0 && s->psi[i][0] == 0 && s->psi[i][19] == 0);
    }
}

static void test_scheme(void **unused)
{
    (void)unused;
    for (int v = 0; v < RW_FLOW_VERSIONS; ++v) {
        rw_flow_run run;
        rw_flow_times t;
        OK(rw_flow_run_create(dev, (rw_flow_version)v, &small, &run));
        OK(rw_flow_step(&run, &t));
        for (int n = 0; n < 3; ++n) {
            const state before = read_state(&run);
            OK(rw_flow_step(&run, &t));
            const state after = read_state(&run);
            check_step(&before, &after);
            check_walls(&after);
            assert_true(t.converged);
            for (int s = 0; s < RW_FLOW_SYSTEMS; ++s) assert_true(t.iterations[s] > 0);
            assert_true(t.total >= t.solve && fabs(t.total - t.solve - t.save - t.rest) < 1e-12);
            assert_int_equal(t.traffic.sends, v == RW_FLOW_GPU_1 ? 12 : 0);
            assert_int_equal(t.traffic.fetches, v == RW_FLOW_GPU_1 ? 3 : 0);
        }
        assert_true(read_state(&run).psi[15][10] < 0); /* the lid drags the fluid clockwise */
        rw_flow_run_free(&run);
    }
}

/* The versions compute the same, in both precisions. */
static void test_versions(void **unused)
{
    (void)unused;
    for (int f64 = 0; f64 < 2; ++f64) {
        rw_flow_case is = small;
        state first = {0};
        is.f64 = f64;
        is.stop.tolerance = f64 ? 1e-12 : 1e-6;
        for (int v = 0; v < RW_FLOW_VERSIONS; ++v) {
            rw_flow_run run;
            rw_flow_times t;
            OK(rw_flow_run_create(dev, (rw_flow_version)v, &is, &run));
            for (int n = 0; n < 5; ++n) OK(rw_flow_step(&run, &t));
            const state s = read_state(&run);
            if (v == 0) first = s;
            for (int j = 0; j < 20; ++j)
                for (int i = 0; i < 20; ++i) {
                    assert_true(fabs(s.psi[j][i] - first.psi[j][i]) < (f64 ? 1e-10 : 1e-5));
                    assert_true(fabs(s.omega[j][i] - first.omega[j][i]) < (f64 ? 1e-7 : 1e-2));
                    assert_true(fabs(s.heat[j][i] - first.heat[j][i]) < (f64 ? 1e-10 : 1e-5));
                }
            rw_flow_run_free(&run);
        }
    }
}

/* The steady cavity at Re = 1 by steps of dt = 5e-4: Psi_min of another code with the same scheme. */
static void test_cavity(void **unused)
{
    (void)unused;
    rw_flow_case is = {.edge = 33,
                       .f64 = true,
                       .dt = 5e-4,
                       .viscous = 5e-4,
                       .conductive = 1e-9,
                       .stop = {1e-8, 1000},
                       .output = RW_FLOW_NO_FILE};
    rw_flow_run run;
    rw_flow_times t;
    const void *psi;
    double least = 0;
    if (!on("cpu")) skip();
    OK(rw_flow_run_create(dev, RW_FLOW_CPU, &is, &run));
    for (int n = 0; n < 1000; ++n) OK(rw_flow_step(&run, &t));
    OK(rw_array_read(run.field[RW_FLOW_PSI], &psi));
    for (int i = 0; i < 33 * 33; ++i) least = fmin(least, ((const double *)psi)[i]);
    if (!(fabs(least + 0.099616) < 2e-6)) fail_msg("Psi_min = %.7f", least);
    rw_flow_run_free(&run);
}

static void test_files(void **unused)
{
    (void)unused;
    for (int output = RW_FLOW_TEXT; output <= RW_FLOW_NO_FILE; ++output) {
        rw_flow_case is = small;
        rw_flow_run run;
        rw_flow_times t;
        is.output = output;
        OK(rw_flow_run_create(dev, RW_FLOW_GPU_2, &is, &run));
        OK(rw_flow_step(&run, &t));
        assert_true(t.save >= 0);
        rw_flow_run_free(&run);
    }
    rw_flow_case is = small;
    rw_flow_run run;
    is.edge = 3;
    FAILS(RW_ERR_ARGUMENT, "give at least 4", rw_flow_run_create(dev, RW_FLOW_CPU, &is, &run));
}

/* ---- the study --------------------------------------------------------------------------------------------------- */

static rw_lab *run_study(const char *table, const char *one, const char *other)
{
    const char *const set[] = {"runs=1", "seconds=0", "edge=24", "most=64", one, other};
    const char *const device = rw_device_info(dev)->name;
    const rw_lab_spec spec = {.study = "flow",
                              .table = table,
                              .set = set,
                              .nset = other ? 6
                                      : one ? 5
                                            : 4,
                              .devices = &device,
                              .ndevices = 1};
    rw_lab *lab;
    OK(rw_lab_run(ctx, &spec, &lab));
    return lab;
}

static bool filled(const rw_lab *lab, const char *table, int row, const char *const *columns, int n)
{
    for (int c = 0; c < n; ++c)
        if (!isfinite(rw_lab_value(lab, table, row, columns[c]))) return false;
    return true;
}

static void test_kernel_tables(void **unused)
{
    (void)unused;
    static const char *const columns[] = {"kernel",  "type",  "where",     "time",   "rate",
                                          "traffic", "share", "2010 peak", "missing"};
    rw_lab *lab = run_study("dots", NULL, NULL);
    assert_int_equal(rw_lab_rows(lab, "dots"), 14);
    assert_int_equal(rw_lab_rows(lab, "products") + rw_lab_rows(lab, "solves") + rw_lab_rows(lab, "steps"), 0);
    for (int r = 0; r < 14; ++r) {
        assert_true(filled(lab, "dots", r, columns, RW_COUNT(columns)));
        const double us = rw_lab_value(lab, "dots", r, "time");
        assert_true(fabs(rw_lab_value(lab, "dots", r, "rate") * us / (2e-3 * 22 * 22) - 1) < 1e-12);
        assert_true(rw_lab_value(lab, "dots", r, "missing") == 0 || r % 7 == 0);
        assert_true(rw_lab_value(lab, "dots", r, "2010 peak") == (r < 7 ? 25.5 : 12.75) * (r % 7 == 6 ? 2 : 1));
    }
    rw_lab_destroy(&lab);
    lab = run_study("products", "types=f64", NULL);
    assert_int_equal(rw_lab_rows(lab, "products"), 5); /* the last: library */
    for (int r = 0; r < 5; ++r) {
        assert_true(filled(lab, "products", r, columns, RW_COUNT(columns) - 1));
        const double us = rw_lab_value(lab, "products", r, "time");
        assert_true(fabs(rw_lab_value(lab, "products", r, "rate") * us / (1e-2 * 22 * 22) - 1) < 1e-12);
        assert_true(fabs(rw_lab_value(lab, "products", r, "traffic") * us / ((r == 3 ? 16e-3 : 56e-3) * 22 * 22) - 1) <
                    1e-12);
    }
    rw_lab_destroy(&lab);
}

/* Three systems by three versions: rates follow from times, published values are at their rows. */
static void test_solves(void **unused)
{
    (void)unused;
    if (on("check") && brief()) skip();
    rw_lab *lab = run_study("solves", "sizes=10,64,256", "types=f64");
    assert_int_equal(rw_lab_rows(lab, "solves"), rw_device_info(dev)->gpu ? 33 : 24); /* 256: GPUs alone */
    for (int r = 0; r < 24; ++r) {
        const bool large = r >= 12;
        const double it = rw_lab_value(lab, "solves", r, "iterations"), ms = rw_lab_value(lab, "solves", r, "time"),
                     n = large ? 62 * 62 : 64, copied = rw_lab_value(lab, "solves", r, "copied");
        const int version = r / 3 % 4; /* GPU_1 GPU_2 CPU_ library */
        assert_true(rw_lab_value(lab, "solves", r, "edge") == (large ? 64 : 10) && it > 0);
        assert_true(fabs(rw_lab_value(lab, "solves", r, "rate") * ms / ((20 * it + 13) * n * 1e-6) - 1) < 1e-12);
        assert_true(isnan(rw_lab_value(lab, "solves", r, "2010 rate")) == (!large || version == 3));
        const double scalars = 8e-3 * (2 * it + 1), vectors = 8e-3 * 8 * n + 20e-3;
        assert_true(rw_lab_value(lab, "solves", r, "residual") <= 1.1e-10);
        if (version == 3) {
            assert_true(isnan(copied) && fabs(it - rw_lab_value(lab, "solves", r - 3, "iterations")) <= 2);
            continue;
        }
        assert_true(fabs(copied - (version == 2 ? 0 : version == 1 ? scalars : scalars + vectors)) < 1e-9);
    }
    assert_true(fabs(rw_lab_value(lab, "solves", 12, "iterations") - 128) <= 2);
    assert_true(rw_lab_value(lab, "solves", 12, "2010 iterations") == 202 &&
                rw_lab_value(lab, "solves", 12, "2010 time") == 22.75 &&
                rw_lab_value(lab, "solves", 15, "2010 rate") == 0.68 &&
                rw_lab_value(lab, "solves", 20, "2010 time") == 1.31);
    rw_lab_destroy(&lab);
}

/* total = systems + saving + rest, of measured and, as they are rounded, of published values. */
static void test_steps(void **unused)
{
    (void)unused;
    if (on("check") && brief()) skip();
    rw_lab *lab = run_study("steps", "sizes=12,64", "output=binary");
    assert_int_equal(rw_lab_rows(lab, "steps"), 12);
    for (int r = 0; r < 12; ++r) {
        static const char *const columns[] = {"A_h", "B_h", "B_h^T", "total", "systems", "saving", "rest"};
        assert_true(filled(lab, "steps", r, columns, RW_COUNT(columns)));
        const double total = rw_lab_value(lab, "steps", r, "total"), sum = rw_lab_value(lab, "steps", r, "systems") +
                                                                           rw_lab_value(lab, "steps", r, "saving") +
                                                                           rw_lab_value(lab, "steps", r, "rest");
        assert_true(total > 0 && fabs(sum / total - 1) < 1e-12);
        const double then = rw_lab_value(lab, "steps", r, "2010 total"),
                     sum_then = rw_lab_value(lab, "steps", r, "2010 systems") +
                                rw_lab_value(lab, "steps", r, "2010 saving") +
                                rw_lab_value(lab, "steps", r, "2010 rest");
        assert_true(r < 6 ? isnan(then) : fabs(sum_then / then - 1) < 2e-3);
    }
    assert_true(rw_lab_value(lab, "steps", 6, "2010 total") == 53.35 &&
                rw_lab_value(lab, "steps", 11, "2010 systems") == 150.1);
    rw_lab_destroy(&lab);
}

static rw_status small_study(void *table) /* NULL: all */
{
    static const char *const set[] = {"runs=1", "seconds=0", "edge=8", "sizes=6", "types=f64"};
    const char *const device = "cpu";
    const rw_lab_spec spec =
        {.study = "flow", .table = table, .devices = &device, .ndevices = 1, .set = set, .nset = RW_COUNT(set)};
    rw_lab *lab;
    const rw_status status = rw_lab_run(ctx, &spec, &lab);
    if (status == RW_OK) rw_lab_destroy(&lab);
    return status;
}

/* Failures of memory and launches are a status, and lose nothing. */
static void test_faults(void **unused)
{
    const int stride = test_long() ? 3 : 40;
    char steps[] = "steps"; /* the others repeat launches by the time that they take */
    (void)unused;
    if (!on("cpu")) skip();
    OK(small_study(NULL));
    each_nth_fault(stride, RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, small_study, NULL);
    each_nth_fault(stride, RW_FAULT_DEVICE_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, small_study, NULL);
    each_nth_fault(stride, RW_FAULT_LAUNCH, RW_ERR_LAUNCH, RW_ERR_LAUNCH, small_study, steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scheme),        cmocka_unit_test(test_versions),
                                       cmocka_unit_test(test_cavity),        cmocka_unit_test(test_files),
                                       cmocka_unit_test(test_kernel_tables), cmocka_unit_test(test_solves),
                                       cmocka_unit_test(test_steps),         cmocka_unit_test(test_faults)};
    return run_on_devices("lab flow", tests, RW_COUNT(tests));
}
