/* Adaptive steps of the problem rates, on every device: one cell against its two ordinary differential equations in
 * long double, order and tolerance; the cylinder; several modes and a Q-switch; outputs and rows where they are asked
 * for; restarts; units; a tolerance that cannot be kept. */
#include "rates_test.h"

/* dN/dt, dPhi/dt of one cell by the classical Runge-Kutta method in long double, up to t; the first peak on the way.
 * `period` steps apart the losses are higher by `loss` for a tenth of the period; 0: never. */
static void integrate_with(long double t_end, int64_t steps, int64_t period, long double loss, long double *N,
                           long double *Phi, rates_peak *peak)
{
    const long double U = 1 / (acosl(-1) * 0.25L), V = 7.853981633974483L,
                      R = 10000 / (6.62607004e-34L * 3e11L / 808e-9L) / V, gain = 2.5e-17L * 3e11L / 300,
                      tau_c = -2e-9L / logl(0.98L);
    long double h = t_end / steps, y[2] = {0, 0.001L}, before = 0;
    *peak = (rates_peak){0, 0};
    for (int64_t i = 0; i < steps; ++i) {
        static const long double at[4] = {0, 0.5L, 0.5L, 1}, weight[4] = {1, 2, 2, 1};
        long double k[2] = {0, 0}, sum[2] = {0, 0};
        for (int s = 0; s < 4; ++s) {
            long double n = y[0] + at[s] * h * k[0], p = y[1] + at[s] * h * k[1];
            k[0] = -gain * n * p * U - n / 2e-5L + R * (1 - n / 1.39e17L);
            k[1] = p * (gain * V * n * U - 1 / tau_c - (period && i % period < period / 10 ? loss : 0)) + 1e-10L;
            for (int c = 0; c < 2; ++c) sum[c] += weight[s] * k[c];
        }
        for (int c = 0; c < 2; ++c) y[c] += h / 6 * sum[c];
        if (!peak->photons && y[1] < before && y[1] > 1e12L) *peak = (rates_peak){(double)(h * i), (double)before};
        before = y[1];
    }
    *N = y[0], *Phi = y[1];
}

static void integrate(long double t_end, int64_t steps, long double *N, long double *Phi, rates_peak *peak)
{
    integrate_with(t_end, steps, 0, 0, N, Phi, peak);
}

/* Photons, inversion and the first spike at 3e-5 s, in the middle of the first oscillations: errors follow the
 * tolerance, at fourth order. */
static void test_single_cell(void **state)
{
    (void)state;
    static long double N, Phi;
    static rates_peak peak;
    double before = 0, steps_before = 0;
    if (!Phi) integrate(3e-5L, 3000000, &N, &Phi, &peak);
    for (int i = 4; i <= (is_check() ? 4 : starts_slowly() ? 6 : 10); i += 2) {
        rw_case *c;
        char text[400];
        double v[5];
        snprintf(text, sizeof text, SINGLE("time: {end: 0.03 ms, method: adaptive, rtol: 1e-%d}\n"), i);
        rates_problem *p = make(text, &c);
        row(p, v);
        assert_true(v[T] == 0 && v[PHI] == 0.001 && v[INVERSION] == 0 && v[LAMBDA] == -1 / p->tau_c);
        advance(p, 3e-5);
        row(p, v);
        double error = fabs(v[PHI] / (double)Phi - 1), of_n = fabs(v[INVERSION] / 7.853981633974483 / (double)N - 1),
               spike = fabs(statistic(p, "first_spike_photons") / peak.photons - 1);
        double late = fabs(statistic(p, "first_spike_time") - peak.t), bound = 20 * pow(10, -i);
        print_message("# rtol 1e-%02d: %lld steps of %g attempts, Phi %.1e, N %.1e, spike %.1e, %.1e s\n", i,
                      (long long)p->steps, statistic(p, "attempts"), error, of_n, spike, late);
        if (!(error < bound && of_n < bound && spike < bound + 1e-9 * i && late < 1e-6 * bound + 1e-11))
            fail_msg("beyond %g", bound);
        if (before > 0 && error > 1e-12) {
            double order = log(before / error) / log((double)p->steps / steps_before);
            if (!(order > 2.5)) fail_msg("order %g", order);
        }
        before = error, steps_before = (double)p->steps;
        assert_true(statistic(p, "attempts") < 1.6 * (double)p->steps + 10);
        drop(p, &c);
    }
}

static void test_relaxation(void **state)
{
    (void)state;
    rw_case *c;
    if (strcmp(rw_device_info(dev)->name, "cpu")) skip();
    rates_problem *p = make(SINGLE("time: {end: 300 us, method: adaptive, rtol: 1e-8}\n"), &c);
    advance(p, p->time.end);
    near("frequency", statistic(p, "relaxation_frequency"), 8.8561e5, 0.01);
    near("damping", statistic(p, "relaxation_damping_time"), 1.5614e-5, 0.01);
    drop(p, &c);
}

/* The cylinder's steady state is that of small equal steps; on the way there is the threshold. */
static void test_radial(void **state)
{
    (void)state;
    rw_case *c;
    double v[5];
    if (is_check()) skip();
    rates_problem *p =
        make(RADIAL("[5, 5, 1]", "time: {end: 0.0005, method: adaptive}\noutput: {series_steps: 7}\n"), &c);
    while (rw_rates_ops.march->time(&p->base) < 0.0005) {
        int64_t steps = p->steps;
        OK(rw_rates_ops.march->step(&p->base, 0.0005));
        assert_true(p->steps / 7 == steps / 7 || p->steps % 7 == 0); /* no multiple is passed over */
    }
    row(p, v);
    near("Phi at the end", v[PHI], 2.235294946e12, 1e-6);
    rw_case *d;
    rates_problem *q = make(RADIAL("[5, 5, 1]", "time: {end: 0.0005, method: adaptive}\n"), &d);
    /* whenever the host looks, inversion and photons are of the same time */
    while (rw_rates_ops.march->time(&q->base) < 2e-5) {
        double w[5], gain;
        OK(rw_rates_ops.march->step(&q->base, 0.0005));
        row(q, w);
        OK(rw_expr_get(q->observe, "gain1", &gain, NULL));
        if (!(fabs(w[LAMBDA] - (gain - 1 / q->tau_c)) < 1e-5))
            fail_msg("t = %g: lambda = %.17g, of N %.17g", w[T], w[LAMBDA], gain - 1 / q->tau_c);
    }
    drop(q, &d);
    near("threshold", statistic(p, "threshold_time"), 3.82e-6, 0.02);
    assert_in_range(p->steps, 500, 4000);
    const void *N;
    OK(rw_array_read(p->inversion, &N));
    for (int64_t k = 0; k < rw_array_size(p->inversion); ++k)
        assert_true(((const double *)N)[k] >= 0 && ((const double *)N)[k] < 1.39e17);
    drop(p, &c);
}

/* Times that are asked for are met exactly, and do not disturb; two equal modes are one; losses that end late. */
static void test_modes_and_switch(void **state)
{
    (void)state;
    rw_case *c;
    double one[5], v[7], giant[5];
    if (starts_slowly()) skip();
    rates_problem *p =
        make("problem: rates\ngrid: {cells: [5, 5, 1]}\npump: {profile: \"2/(pi*0.4^2)*exp(-2*r2/0.4^2)/10\"}\n"
             "mode: {profile: \"2/(pi*0.25^2)*exp(-2*r2/0.25^2)\", photons: 0.002}\ncavity: {seed: 2e-10}\n"
             "time: {end: 4e-5, method: adaptive, rtol: 1e-9}\n",
             &c);
    advance(p, 4e-5);
    row(p, one);
    drop(p, &c);
    p = make(MODES("0.25", "0.25", "time: {end: 4e-5, method: adaptive, rtol: 1e-9}\n"), &c);
    advance(p, 1e-5 / 3);
    advance(p, 2e-5);
    advance(p, 2.0000001e-5);
    advance(p, 4e-5);
    row(p, v);
    near("both", v[1] + v[2], one[PHI], 1e-6);
    near("the second", v[2], v[1], 1e-12);
    near("inversion", v[6], one[INVERSION], 1e-6);
    drop(p, &c);
    p = make(RADIAL("[5, 5, 1]",
                    "cavity: {loss: \"where(t < 1e-4, 1e9, 0)\"}\ntime: {end: 0.0002, method: adaptive}\n"),
             &c);
    row(p, giant);
    near("lambda at the beginning", giant[LAMBDA], -1e9 - 1.0101353658759732e7, 1e-12);
    advance(p, 1e-10);
    row(p, giant);
    near("photons of the first step", giant[PHI], 1e-3 * exp(-1e-10 * (1e9 + 1.0101353658759732e7)), 1e-6);
    advance(p, 1e-4);
    row(p, giant);
    assert_true(giant[PHI] < 1 && giant[INVERSION] > 1e14);
    advance(p, 2e-4);
    assert_true(statistic(p, "first_spike_photons") > 1.2 * 4.158902e13);
    assert_true(statistic(p, "threshold_time") >= 1e-4 && statistic(p, "threshold_time") < 1.001e-4);
    drop(p, &c);
}

/* Losses that are switched on for a tenth of each microsecond, much shorter than the longest step: without a pump
 * photons decay exponentially, so adaptive steps leave rounding errors, and steps of equal length an error of first
 * order in the loss of a pulse or of a step, whichever is less. */
static void test_pulsed_losses(void **state)
{
    (void)state;
    static const struct {
        const char *time;
        double bound;
    } cases[] = {{"method: adaptive, rtol: 1e-3", 1e-9},
                 {"method: adaptive, rtol: 1e-6", 1e-9},
                 {"method: adaptive, rtol: 1e-9", 1e-9},
                 {"steps: 31", 6e-3},
                 {"steps: 1000", 6e-3},
                 {"steps: 10000", 6e-4}};
    const double tau_c = -2e-9 / log(0.9999999), exact = 0.001 * exp(-1e-4 / tau_c - 100 * 1e-7 * 1e5);
    for (int i = 0; i < (starts_slowly() ? 4 : RW_COUNT(cases)); ++i) {
        rw_case *c;
        char text[600];
        double v[5];
        snprintf(
            text, sizeof text,
            "problem: rates\ngrid: {kind: box, width: 1, length: 1, cells: 1}\npump: {power: 0, profile: \"1\"}\n"
            "mode: {profile: \"1\"}\ncavity: {seed: 0, reflectivity: 0.9999999, loss: \"where(mod(t + 3e-7, 1e-6) < "
            "1e-7, 1e5, 0)\"}\n"
            "time: {end: 0.1 ms, %s}\n",
            cases[i].time);
        rates_problem *p = make(text, &c);
        advance(p, 3.0533e-5);
        advance(p, 3.0751e-5); /* within a pulse */
        advance(p, 1e-4);
        row(p, v);
        double error = fabs(v[PHI] / exact - 1);
        print_message("# %s: %lld steps, error %.1e\n", cases[i].time, (long long)p->steps, error);
        if (!(error < cases[i].bound)) fail_msg("%s: error %g is above %g", cases[i].time, error, cases[i].bound);
        drop(p, &c);
    }
}

/* The same with a pump and gain, against the solution in long double: the error follows the tolerance. */
static void test_pulses_in_a_laser(void **state)
{
    (void)state;
    static long double N, Phi;
    rates_peak peak;
    if (starts_slowly()) skip();
    if (!Phi) integrate_with(3e-5L, 3000000, 100000, 1e8L, &N, &Phi, &peak);
    for (int i = 4; i <= 8; i += 2) {
        rw_case *c;
        char text[500];
        double v[5];
        snprintf(text, sizeof text,
                 SINGLE("cavity: {loss: \"where(mod(t, 1e-6) < 1e-7, 1e8, 0)\"}\n"
                        "time: {end: 0.03 ms, method: adaptive, rtol: 1e-%d}\n"),
                 i);
        rates_problem *p = make(text, &c);
        advance(p, 3e-5);
        row(p, v);
        double error = fabs(v[PHI] / (double)Phi - 1), of_n = fabs(v[INVERSION] / 7.853981633974483 / (double)N - 1),
               bound = 100 * pow(10, -i);
        print_message("# rtol 1e-%d: %lld steps, Phi %.1e, N %.1e\n", i, (long long)p->steps, error, of_n);
        if (!(error < bound && of_n < bound)) fail_msg("beyond %g", bound);
        drop(p, &c);
    }
}

static void test_restart(void **state)
{
    (void)state;
    static const char text[] = RADIAL("[4, 4, 2]", "time: {end: 3e-5, method: adaptive, rtol: 1e-7}\n"),
                      each[] = RADIAL("[4, 4, 2]", "time: {end: 3e-5, method: adaptive}\noutput: {series_steps: 3}\n");
    restart_at(text, 1.2343e-5);
    if (brief()) return;
    restart_at(each, 1.2e-5);
    restart_at(RADIAL("[4, 4, 2]", "cavity: {loss: \"where(mod(t, 2e-6) < 1e-7, 1e7, 0)\"}\n"
                                   "time: {end: 3e-5, method: adaptive, rtol: 1e-7}\n"),
               1.2343e-5);
}

/* Numbers with units are those without. */
static void test_units(void **state)
{
    (void)state;
    rw_case *c, *d;
    rates_problem *p =
        make("problem: rates\ngrid: {cells: [2, 2, 1], radius: 0.05 cm, length: 10 mm}\n"
             "pump: {power: 10 W, wavelength: 808 nm, profile: \"1\"}\nmode: {profile: \"1\"}\n"
             "cavity: {length: 30 cm, wavelength: 1.064 um}\n"
             "crystal: {cross_section: 2.5e-19 cm2, lifetime: 20 us, doping: 1.39e20 1/cm3}\n"
             "constants: {light: 3e8 m/s, planck: 6.62607004e-34 W s2}\ntime: {end: 0.5 ms, max_step: 2 us}\n",
             &c);
    rates_problem *q = make("problem: rates\ngrid: {cells: [2, 2, 1]}\npump: {profile: \"1\"}\nmode: {profile: \"1\"}\n"
                            "time: {end: 0.0005, max_step: 2e-6}\n",
                            &d);
    assert_true(p->pump.power == q->pump.power && p->pump.wavelength == q->pump.wavelength &&
                p->cavity.length == q->cavity.length && p->cavity.wavelength == q->cavity.wavelength);
    assert_true(p->crystal.cross_section == q->crystal.cross_section && p->crystal.lifetime == q->crystal.lifetime &&
                p->crystal.doping == q->crystal.doping);
    assert_true(p->constants.light == q->constants.light && p->constants.planck == q->constants.planck &&
                p->time.end == q->time.end && p->time.max_step == q->time.max_step);
    assert_memory_equal(rw_blocks_coordinates(p->blocks), rw_blocks_coordinates(q->blocks),
                        (size_t)rw_blocks_points(p->blocks) * 24);
    drop(p, &c), drop(q, &d);
}

/* Losses that become no number. */
static void test_no_end(void **state)
{
    (void)state;
    rw_case *c;
    rates_problem *p =
        make(RADIAL("[2, 2, 1]", "cavity: {loss: \"sqrt(1e-6 - t)\"}\ntime: {end: 1e-5, method: adaptive}\n"), &c);
    rw_status status = RW_OK;
    for (int i = 0; i < 100 && status == RW_OK; ++i) status = rw_rates_ops.march->step(&p->base, 1e-5);
    FAILS(RW_ERR_NOT_CONVERGED,
          "s at t = 1e-06 s and its error is still above time.rtol = 1e-06: check cavity.loss there", status);
    drop(p, &c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_single_cell),   cmocka_unit_test(test_relaxation),
                                       cmocka_unit_test(test_radial),        cmocka_unit_test(test_modes_and_switch),
                                       cmocka_unit_test(test_pulsed_losses), cmocka_unit_test(test_pulses_in_a_laser),
                                       cmocka_unit_test(test_restart),       cmocka_unit_test(test_units),
                                       cmocka_unit_test(test_no_end)};
    return run_on_devices("adaptive", tests, RW_COUNT(tests));
}
