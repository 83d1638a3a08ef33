/* The problem rates on every device: single-cell and radial cases against the reference values of the laser model,
 * agreement of devices, thresholds, balances, spikes, several modes, a Q-switch, restarts that give the same bits,
 * wrong cases. */
/* TEST: optimised */
#include "../compiler.h"
#include "../warnings.h"
#include "rates_test.h"

/* 0-D: one step; the steady state; threshold and first spike, at first order. */
static void test_single_cell(void **state)
{
    (void)state;
    rw_case *c;
    double v[5], volume = 7.853981633974483;
    rates_problem *p = make(SINGLE("time: {end: 0.0005, steps: 50000}\n"), &c);
    row(p, v);
    assert_true(v[T] == 0 && v[PHI] == 0.001 && v[INVERSION] == 0);
    OK(rw_rates_ops.march->step(&p->base, 1e-8));
    row(p, v);
    near("N after a step", v[INVERSION] / volume, 5.172815014860e10, 1e-11);
    near("lambda after a step", v[LAMBDA], -1.008842162122e7, 1e-11);
    near("Phi after a step", v[PHI], 9.083607388256e-4, 1e-11);
    if (is_check()) {
        drop(p, &c);
        return;
    }
    advance(p, 0.0005);
    row(p, v);
    near("Phi at the end", v[PHI], 2.452001858e12, 1e-9);
    near("N at the end", v[INVERSION] / volume, 4.040541464e13, 1e-9);
    assert_true(fabs(v[LAMBDA]) < 1e-5 * 1.0101353658759732e7);
    near("power", v[POWER], 4580.959, 1e-6);
    near("threshold", statistic(p, "threshold_time"), 9.91e-6, 1e-9);
    near("first spike", statistic(p, "first_spike_photons"), 6.984673e13, 1e-6);
    near("its time", statistic(p, "first_spike_time"), 2.505e-5, 1e-6);
    drop(p, &c);

    static const struct {
        const char *steps;
        double threshold, spike, at;
    } rows[] = {{"10000", 9.95e-6, 6.915252e13, 2.6e-5}, {"100000", 9.905e-6, 6.991111e13, 2.4935e-5}};
    for (int i = 0; i < RW_COUNT(rows) && !starts_slowly(); ++i) {
        char text[400];
        snprintf(text, sizeof text, SINGLE("time: {end: 0.0005, steps: %s}\n"), rows[i].steps);
        p = make(text, &c);
        advance(p, 5e-5);
        near("threshold", statistic(p, "threshold_time"), rows[i].threshold, 1e-9);
        near("first spike", statistic(p, "first_spike_photons"), rows[i].spike, 1e-6);
        near("its time", statistic(p, "first_spike_time"), rows[i].at, 1e-9);
        drop(p, &c);
    }
}

/* Small oscillations around the steady state: frequency and damping of the linearised equations. */
static void test_relaxation(void **state)
{
    (void)state;
    rw_case *c;
    if (strcmp(rw_device_info(dev)->name, "cpu")) skip();
    rates_problem *p = make(SINGLE("time: {end: 0.0003, steps: 300000}\n"), &c);
    advance(p, 0.0003);
    near("frequency", statistic(p, "relaxation_frequency"), 8.8561e5, 0.03);
    near("damping", statistic(p, "relaxation_damping_time"), 1.5614e-5, 0.03);
    assert_true(statistic(p, "spikes") > 8);
    drop(p, &c);
}

/* The O-grid: total pump, first peak, Phi(t), threshold sum, photon balance; second order in the size of cells. */
static void test_radial(void **state)
{
    (void)state;
    static const struct {
        const char *cells;
        double pump, peak, at, phi, end;
    } rows[] = {{"[5, 5, 1]", 3.91474562e19, 4.158902e13, 1.137e-5, 2.235013296e12, 2.235294946e12},
                {"[10, 10, 3]", 0, 0, 0, 0, 0},
                {"[20, 20, 1]", 3.88795309e19, 4.120652e13, 1.141e-5, 2.208401124e12, 2.208680357e12}};
    double error[3], v[5];
    int n = starts_slowly() ? 1 : RW_COUNT(rows);
    if (is_check()) skip();
    for (int i = 0; i < n; ++i) {
        rw_case *c;
        char text[500];
        snprintf(text, sizeof text, RADIAL("%s", "time: {end: 0.0005, steps: 50000}\n"), rows[i].cells);
        rates_problem *p = make(text, &c);
        rw_expr *e;
        double pump, threshold, pumped, spontaneous;
        const rw_expr_spec spec =
            {.name = "balance",
             .text =
                 "pump_ = sum(volume*pump)\nthreshold = sum(volume*N*mode)\npumped = sum(volume*pump*(1 - N/1.39e17))\n"
                 "spontaneous = sum(volume*N/2e-5)"};
        OK(rates_program(p, &spec, &e));
        advance(p, 1e-4);
        row(p, v);
        if (rows[i].phi > 0) near("Phi(1e-4)", v[PHI], rows[i].phi, 1e-9);
        advance(p, 0.0005);
        row(p, v);
        error[i] = v[PHI] - 2.206932027e12;
        if (rows[i].phi > 0) {
            near("Phi at the end", v[PHI], rows[i].end, 1e-9);
            near("first peak", statistic(p, "first_spike_photons"), rows[i].peak, 1e-6);
            near("its time", statistic(p, "first_spike_time"), rows[i].at, 1e-9);
        }
        OK(rw_expr_run(e, queue));
        OK(rw_expr_get(e, "pump_", &pump, NULL));
        OK(rw_expr_get(e, "threshold", &threshold, NULL));
        OK(rw_expr_get(e, "pumped", &pumped, NULL));
        OK(rw_expr_get(e, "spontaneous", &spontaneous, NULL));
        if (rows[i].pump > 0) near("pump", pump, rows[i].pump, 1e-8);
        near("threshold sum", threshold, 4.040541464e14, 1e-8);
        near("photon balance", spontaneous + v[PHI] / p->tau_c, pumped, 1e-6);
        rw_expr_destroy(&e);
        drop(p, &c);
    }
    if (n < 3) return;
    near("order", error[0] / error[1], 4.05, 0.02);
    near("order", error[1] / error[2], 4, 0.02);
}

/* Phi at every step, against the plain evaluator's on the host. */
static void test_devices_agree(void **state)
{
    (void)state;
    enum { STEPS = 2000 };
    static double reference[STEPS];
    static bool known;
    rw_case *c;
    if (!known) {
        compiler(false);
        rw_device *cpu, *keep = dev;
        OK(rw_device_open(ctx, "cpu", &cpu));
        dev = cpu;
        rates_problem *p = make(RADIAL("[5, 5, 1]", "time: {end: 2e-5, steps: 2000}\noutput: {every_steps: 1}\n"), &c);
        double v[5];
        for (int i = 0; i < STEPS; ++i) {
            OK(rw_rates_ops.march->step(&p->base, 2e-5));
            row(p, v);
            reference[i] = v[PHI];
        }
        drop(p, &c);
        dev = keep;
        rw_device_close(&cpu);
        compiler(true);
        known = true;
    }
    rates_problem *p = make(RADIAL("[5, 5, 1]", "time: {end: 2e-5, steps: 2000}\noutput: {every_steps: 1}\n"), &c);
    double v[5], worst = 0;
    for (int i = 0; i < STEPS; ++i) {
        OK(rw_rates_ops.march->step(&p->base, 2e-5));
        row(p, v);
        assert_int_equal(p->steps, i + 1);
        worst = fmax(worst, fabs(v[PHI] / reference[i] - 1));
        if (worst > 1e-9) fail_msg("step %d: Phi = %.17g, by the plain evaluator %.17g", i, v[PHI], reference[i]);
    }
    print_message("# Phi differs by %.1e at most\n", worst);
    drop(p, &c);
}

/* For any length of step: Phi > 0, 0 <= N < N_tot. */
static void test_bounds(void **state)
{
    (void)state;
    for (int i = 0; i < 6; ++i) {
        rw_case *c;
        char text[500];
        double tau = 1e-10 * pow(10, i), v[5];
        snprintf(text, sizeof text, RADIAL("[3, 3, 1]", "time: {end: %g, steps: 1000}\n"), 1000 * tau);
        rates_problem *p = make(text, &c);
        advance(p, p->time.end);
        row(p, v);
        assert_true(v[PHI] > 0 && isfinite(v[PHI]));
        const void *N;
        OK(rw_array_read(p->inversion, &N));
        for (int64_t k = 0; k < rw_array_size(p->inversion); ++k)
            assert_true(((const double *)N)[k] >= 0 && ((const double *)N)[k] < 1.39e17);
        drop(p, &c);
    }
}

/* Two equal modes share what one has; of two different ones that with the larger gain wins. Losses that are switched
 * off late make one giant pulse. */
static void test_modes_and_switch(void **state)
{
    (void)state;
    rw_case *c;
    double v[7], one[5], giant[5];
    if (starts_slowly()) skip();
    rates_problem *p = make(RADIAL("[5, 5, 1]", "time: {end: 0.0001, steps: 10000}\n"), &c);
    advance(p, 1e-4);
    row(p, one);
    drop(p, &c);
    p = make(MODES("0.25", "0.25", "time: {end: 0.0001, steps: 10000}\n"), &c);
    advance(p, 1e-4);
    row(p, v); /* t, photons_first, photons_second, power, lambda_first, lambda_second, inversion */
    near("both", v[1] + v[2], one[PHI], 1e-6);
    near("the second", v[2], v[1], 1e-12);
    near("power", v[3], one[POWER], 1e-6);
    drop(p, &c);
    p = make(MODES("0.25", "0.45", "time: {end: 0.0005, steps: 50000}\n"), &c);
    advance(p, 0.0005);
    row(p, v);
    for (int k = 0; k < 2; ++k) { /* a mode lases at its threshold, or has none to speak of and stays below it */
        bool lases = v[1 + k] > 1e6;
        if (lases ? fabs(v[4 + k]) > 1e-5 * 1.01e7 : v[4 + k] >= 0)
            fail_msg("mode %d: %g photons, lambda = %g", k, v[1 + k], v[4 + k]);
    }
    assert_true(v[1] > 1e11);
    rw_expr *e;
    double pumped, spontaneous;
    const rw_expr_spec spec = {.name = "balance",
                               .text = "pumped = sum(volume*pump*(1 - N/1.39e17))\nspontaneous = sum(volume*N/2e-5)"};
    OK(rates_program(p, &spec, &e));
    OK(rw_expr_run(e, queue));
    OK(rw_expr_get(e, "pumped", &pumped, NULL));
    OK(rw_expr_get(e, "spontaneous", &spontaneous, NULL));
    near("photon balance", spontaneous + (v[1] + v[2]) / p->tau_c, pumped, 1e-6);
    rw_expr_destroy(&e);
    drop(p, &c);
    p = make(RADIAL("[5, 5, 1]", "cavity: {loss: \"where(t < 1e-4, 1e9, 0)\"}\ntime: {end: 0.0002, steps: 50000}\n"),
             &c);
    advance(p, 1e-4);
    row(p, giant);
    assert_true(giant[PHI] < 1 && giant[INVERSION] > 1.5 * one[INVERSION]);
    advance(p, 2e-4);
    assert_true(statistic(p, "first_spike_photons") > 1.2 * 4.158902e13);
    assert_true(statistic(p, "threshold_time") > 1e-4 && statistic(p, "threshold_time") < 1.001e-4);
    drop(p, &c);
}

/* The default number of steps for a run of a second: photons grow by a large factor in a step, with one warning. */
static void test_too_long_steps_are_reported(void **state)
{
    (void)state;
    if (starts_slowly()) skip();
    for (int i = 0; i < 2; ++i) {
        rw_case *c;
        warnings heard = {0};
        rates_problem *p = make(i ? SINGLE("time: {end: 1}\n") : SINGLE("time: {end: 0.0005}\n"), &c);
        rw_context_set_log(ctx, RW_LOG_WARNING, note_warning, &heard);
        advance(p, i ? 0.02 : 0.0001);
        rw_context_set_log(ctx, RW_LOG_WARNING, NULL, NULL);
        if (heard.n != i) fail_msg("%d warnings: %s", heard.n, heard.text);
        if (i) assert_non_null(strstr(heard.text, "time.steps = 50000: steps of 2e-05 s are too long at t = "));
        drop(p, &c);
    }
}

/* An output between two steps splits one; the whole steps go on where they would be. */
static void test_split_steps(void **state)
{
    (void)state;
    rw_case *c;
    double v[5], whole[5];
    rates_problem *p = make(RADIAL("[3, 3, 1]", "time: {end: 1e-5, steps: 1000}\n"), &c);
    advance(p, 1e-5);
    row(p, whole);
    drop(p, &c);
    p = make(RADIAL("[3, 3, 1]", "time: {end: 1e-5, steps: 1000}\n"), &c);
    advance(p, 2.345678e-6);
    advance(p, 2.35e-6);
    advance(p, 1e-5);
    row(p, v);
    assert_true(p->steps == 1001 && p->n == 1000 && p->offset == 0);
    near("Phi", v[PHI], whole[PHI], 1e-3);
    drop(p, &c);
}

/* A thousand steps copy what the traces hold, eight bytes a number, and no field. */
static void test_copies(void **state)
{
    (void)state;
    rw_case *c;
    rates_problem *p = make(RADIAL("[8, 8, 4]", "time: {end: 2e-5, steps: 2000}\n"), &c);
    advance(p, 1e-5);
    rw_counters before = counters(), after;
    advance(p, 2e-5);
    after = counters();
    assert_int_equal(after.copies_in - before.copies_in, 0);
    assert_int_equal(after.copies_device - before.copies_device, 0);
    assert_true(after.bytes_out - before.bytes_out <= 1000 / p->batch * (p->batch * 8 + 64) * 8);
    assert_true(after.copies_out - before.copies_out <= 2 * 1000 / p->batch);
    drop(p, &c);
}

/* Tolerances, steps, times and the numbers of crystal, cavity and pump are arguments: another run uses the same
 * programs, found in this process as long as the first one is there, or in the cache. */
static void test_settings_compile_nothing(void **state)
{
    static const char *const runs[][2] =
        {{RADIAL("[3, 3, 1]", "time: {end: 1e-5, steps: 1000}\noutput: {series_steps: 5}\n"),
          RADIAL("[3, 3, 1]", "time: {end: 2e-5, steps: 700}\noutput: {series_steps: 7}\ncrystal: {lifetime: 1e-4}\n"
                              "cavity: {length: 120, reflectivity: 0.9, seed: 2}\n")},
         {RADIAL("[3, 3, 1]", "time: {end: 1e-5, method: adaptive, rtol: 1e-4}\n"),
          RADIAL("[3, 3, 1]",
                 "time: {end: 2e-5, method: adaptive, rtol: 1e-5, max_step: 1e-7}\noutput: {series_steps: 7}\n"
                 "crystal: {cross_section: 5e-19}\n")}};
    (void)state;
    for (int i = 0; i < RW_COUNT(runs); ++i) {
        rw_case *c, *d;
        rates_problem *p = make(runs[i][0], &c);
        advance(p, 1e-7);
        const rw_counters before = counters();
        rates_problem *q = make(runs[i][1], &d);
        advance(q, 1e-7);
        const rw_counters after = counters();
        assert_int_equal(after.compilations, before.compilations);
        assert_true(after.shared - before.shared >= 3);
        drop(p, &c), drop(q, &d);
    }
}

/* In memory that the driver moves: the same bits. */
static void test_managed_memory(void **state)
{
    (void)state;
    if (!rw_device_info(dev)->managed) skip();
    static const char text[] = RADIAL("[5, 5, 2]", "time: {end: 2e-5, steps: 2000}\n"),
                      managed[] = RADIAL("[5, 5, 2]", "time: {end: 2e-5, steps: 2000}\nmemory: managed\n");
    rw_case *c, *d;
    double a[5], b[5];
    rates_problem *p = make(text, &c), *q = make(managed, &d);
    advance(p, 2e-5), advance(q, 2e-5);
    row(p, a), row(q, b);
    assert_memory_equal(a, b, sizeof a);
    drop(p, &c), drop(q, &d);
}

static void test_restart(void **state)
{
    (void)state;
    static const char text[] = RADIAL("[4, 4, 2]", "time: {end: 3e-5, steps: 3000}\n");
    restart_at(text, 1.2343e-5);
    restart_at(text, 1.2e-5);
}

static void test_bad_input(void **state)
{
    (void)state;
#define BAD(pump, mode, rest) "problem: rates\npump: {profile: \"" pump "\"}\n" mode "\n" rest
#define END "time: {end: 1e-5}\n"
#define MODE "mode: {profile: \"1\"}"
    static const struct {
        const char *text, *message;
    } rows[] = {{BAD("0.1 - r2", MODE, END), ":2:17: pump.profile is negative in cell ("},
                {BAD("log(r2 - 0.1)", MODE, END), "pump.profile is not a number in cell ("},
                {BAD("1", "mode: {profile: \"1/(x - x)\"}", END),
                 ":3:17: mode.profile is infinite in cell (0, 0, 0) of block 0, at x = "},
                {BAD("1/r3", MODE, END), ":2:20: name r3 is unknown; nearest is r2"},
                {BAD("dx(x)", MODE, END), ":2:18: dx is not defined here"},
                {"problem: rates\npump: {profile: \"1\", power: 10 mm}\n" MODE "\n" END,
                 "pump.power = 10 mm is in a unit that cannot be converted to mW: absorbed power"},
                {BAD("1", "", END), "there is no mode: add mode: {profile:"},
                {BAD("1", MODE "\nmodes: {a: {profile: \"1\"}}", END), "mode and modes are both given"},
                {BAD("1", MODE, "cavity: {reflectivity: 1}\n" END), "cavity.reflectivity = 1 is outside (0, 1)"},
                {BAD("1", MODE, "crystal: {lifetime: 0}\n" END), "crystal.lifetime = 0 is outside (0, inf)"},
                {BAD("1", MODE, "crystal: {inversion: \"-1\"}\n" END),
                 "crystal.inversion is negative in cell (0, 0, 0) of block 0"},
                {BAD("1", MODE, "cavity: {loss: \"-1\"}\n" END), "cavity.loss = -1 at t = 0: it must be 0 or more"},
                {BAD("1", MODE, "cavity: {loss: \"sin(w)\"}\n" END), ":4:21: name w is unknown"},
                {BAD("1", MODE, "grid: {core: 0.5}\n" END), "grid.core = 0.5 must be less than grid.radius = 0.5"},
                {BAD("1", MODE, "grid: {cells: [3, 4]}\n" END),
                 "grid.cells has two values: give one, or one for each axis"},
                {BAD("1", MODE, "grid: {kind: file}\n" END), "grid.kind is file, but grid.file is not given"},
                {BAD("1", MODE, "grid: {file: a.msh}\n" END), "grid.file is given, but grid.kind is not file"},
                {BAD("1", MODE, "pumps: 3\n" END), "pumps is unknown; nearest is pump"},
                {BAD("1", MODE, END "parameters: {w: 1, gain: 2}\n"),
                 "/tmp/case.yaml:5:20: gain is a reserved name of the problem rates: choose another"},
                {BAD("1", MODE, END "parameters: {mode12: 1}\n"), "mode12 is a reserved name of the problem"},
                {BAD("1", MODE, END "functions: [\"g(a) = a\", \" grow (a) = a\"]\n"),
                 ":5:25: grow is a reserved name of the problem"},
                {BAD("1", MODE, END "checks: {a: {value: \"N\"}}\n"), "checks.a.value is a field"}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_case *c = NULL;
        rw_problem *p = NULL;
        int64_t bytes;
        rw_status status =
            rw_case_parse(ctx, "/tmp/case.yaml", rows[i].text, strlen(rows[i].text), NULL, 0, rw_problems, &c);
        if (status == RW_OK) status = rw_rates_ops.create(c, dev, false, &bytes, &p);
        if (status != RW_ERR_INPUT || !strstr(rw_message(ctx), rows[i].message))
            fail_msg("%s\n%s: %s\nexpected: %s", rows[i].text, rw_status_name(status), rw_message(ctx),
                     rows[i].message);
        assert_null(p);
        rw_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_single_cell),
                                       cmocka_unit_test(test_relaxation),
                                       cmocka_unit_test(test_radial),
                                       cmocka_unit_test(test_devices_agree),
                                       cmocka_unit_test(test_bounds),
                                       cmocka_unit_test(test_modes_and_switch),
                                       cmocka_unit_test(test_too_long_steps_are_reported),
                                       cmocka_unit_test(test_split_steps),
                                       cmocka_unit_test(test_copies),
                                       cmocka_unit_test(test_managed_memory),
                                       cmocka_unit_test(test_restart),
                                       cmocka_unit_test(test_settings_compile_nothing),
                                       cmocka_unit_test(test_bad_input)};
    return run_on_devices("rates", tests, RW_COUNT(tests));
}
