/* The problem rates as the runner sees it: steps in recorded batches, rows of series.csv, saving and loading. */
#include "run/rates/rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RW_SECTION_PREFIX(section) rates_##section
#define RW_SECTION_DEF "run/rates/rates.def"
#define RW_SECTION_TABLE_NAME rates_sections
#include "run/section_table.h"

enum { MOST_BATCH = 100 };
static const double MARGIN = 1e-3; /* of a step */
static const double COARSE = 0.5, GOOD = 0.05;

static void destroy(rw_problem **problem)
{
    rates_problem *p = (rates_problem *)*problem;
    *problem = NULL;
    if (!p) return;
    rw_sequence_destroy(&p->sequence);
    rw_switch_search_destroy(&p->switches); /* it reads the graph of `loss` */
    rw_expr_destroy(&p->step);
    rw_expr_destroy(&p->observe);
    rw_expr_destroy(&p->settle);
    rw_expr_destroy(&p->loss);
    rw_checks_free(&p->checks);
    rw_array_destroy(&p->inversion);
    rw_array_destroy(&p->pumping);
    rw_array_destroy(&p->half);
    rw_array_destroy(&p->offered);
    for (int k = 0; k < p->nmodes; ++k) rw_array_destroy(&p->mode[k]);
    rw_blocks_destroy(&p->blocks);
    rw_free(p->scalars);
    rw_device_close(&p->device);
    rw_free(p);
}

/* ---- creating ---------------------------------------------------------------------------------------------------- */

static int64_t common(int64_t a, int64_t b) { return b ? common(b, a % b) : a; }

/* So many steps at once that every step which the runner asks for is the last of a batch. */
static rw_status choose_batch(const rw_case *c, rates_problem *p)
{
    run_output output;
    run_checkpoint checkpoint;
    RW_TRY(rw_case_section(c, "output", &output));
    RW_TRY(rw_case_section(c, "checkpoint", &checkpoint));
    int64_t every = common(common(output.series_steps, output.every_steps), checkpoint.steps),
            batch = every ? every : MOST_BATCH;
    if (p->time.method) batch = RW_MIN(batch + batch / 4 + 1, MOST_BATCH); /* some attempts fail */
    else if (batch > MOST_BATCH)
        for (batch = MOST_BATCH; every % batch; --batch) continue;
    p->batch = (int)batch;
    p->every = every;
    return RW_OK;
}

static void derive(rates_problem *p)
{
    const rates_cavity *v = &p->cavity;
    p->round_trip = 2 * v->length / p->constants.light;
    p->tau_c = -p->round_trip / log(v->reflectivity);
    p->gain = p->crystal.cross_section * p->constants.light / v->length;
    p->power_factor =
        (1 - v->reflectivity) * (p->constants.planck * p->constants.light / v->wavelength) / p->round_trip;
}

static void describe_output(rates_problem *p)
{
    rw_layout *g = &p->base.grid;
    *g = (rw_layout){RW_LAYOUT_BLOCKS, .ndim = 1, .size = {rw_blocks_cells(p->blocks), 1, 1}, .spacing = {1, 1, 1}};
    for (int d = 0; d < 3; ++d) snprintf(g->axis[d], sizeof g->axis[d], "%c (mm)", "xyz"[d]);
    g->blocks = p->blocks;
    p->base.fields = p->output_fields;
    p->base.nfields = 2 + p->nmodes;
    p->output_fields[0] = (rw_state_field){.name = "inversion", .unit = "1/mm3", .array = p->inversion, .layout = g};
    p->output_fields[1] = (rw_state_field){.name = "pump", .unit = "1/(mm3 s)", .array = p->pumping, .layout = g};
    int n = 0;
    p->columns[n++] = (rw_state_column){"t", "s"};
    for (int k = 0; k < p->nmodes; ++k) {
        const char *name = p->mode_name[k];
        snprintf(p->field_name[k], sizeof p->field_name[k], *name ? "mode_%s" : "mode", name);
        p->output_fields[2 + k] =
            (rw_state_field){.name = p->field_name[k], .unit = "1/mm2", .array = p->mode[k], .layout = g};
        snprintf(p->column_name[2 * k], sizeof p->column_name[0], *name ? "photons_%s" : "photons", name);
        snprintf(p->column_name[2 * k + 1], sizeof p->column_name[0], *name ? "lambda_%s" : "lambda", name);
        p->columns[n++] = (rw_state_column){p->column_name[2 * k], ""};
    }
    p->columns[n++] = (rw_state_column){"power", "mW"};
    for (int k = 0; k < p->nmodes; ++k) p->columns[n++] = (rw_state_column){p->column_name[2 * k + 1], "1/s"};
    p->columns[n++] = (rw_state_column){"inversion_integral", ""};
    p->base.columns = p->columns;
    p->base.ncolumns = n;
    p->base.end = p->time.end;
}

static rw_status make_check(void *user, const rw_expr_spec *given, rw_expr **e)
{
    rw_expr_scalar scalars[80];
    rw_expr_spec spec = *given;
    int n = given->nscalars;
    memcpy(scalars, given->scalars, (size_t)n * sizeof *scalars);
    scalars[n++] = (rw_expr_scalar){.name = "photons"};
    scalars[n++] = (rw_expr_scalar){.name = "power"};
    spec.scalars = scalars;
    spec.nscalars = n;
    return rates_program(user, &spec, e);
}

static rw_status make_state(const rw_case *c, rates_problem *p)
{
    int64_t cells;
    run_top top;
    RW_TRY(rw_case_section(c, "top", &top));
    RW_TRY(rates_make_grid(c, p, false, &cells));
    rw_blocks_set_memory(p->blocks, top.memory ? RW_MEMORY_MANAGED : RW_MEMORY_DEVICE);
    RW_TRY(rates_make_fields(c, p));
    RW_TRY(choose_batch(c, p));
    RW_TRY(rates_make_programs(c, p));
    RW_TRY(rw_checks_read(c, p->scalars, p->nscalars, make_check, p, &p->checks));
    p->spikes.threshold = NAN;
    p->spikes.rtol = p->time.method ? p->time.rtol : 0;
    describe_output(p);
    return RW_OK;
}

static rw_status create(const rw_case *c, rw_device *dev, bool estimate, int64_t *bytes_needed, rw_problem **problem)
{
    if (problem) *problem = NULL;
    rates_problem *p = rw_calloc(1, sizeof *p);
    if (!p) return rw_fail_memory(rw_case_context(c), sizeof *p, "a problem");
    p->base.ops = &rw_rates_ops;
    p->device = rw_device_retain(dev);
    rw_problem *base = &p->base;
    int64_t cells = 0;
    const rw_tree *modes = rw_case_node(c, "modes");
    rw_status status = rw_case_section(c, "crystal", &p->crystal);
    if (status == RW_OK) status = rw_case_section(c, "cavity", &p->cavity);
    if (status == RW_OK) status = rw_case_section(c, "pump", &p->pump);
    if (status == RW_OK) status = rw_case_section(c, "constants", &p->constants);
    if (status == RW_OK) status = rw_case_section(c, "time", &p->time);
    if (status == RW_OK) status = rates_check_names(c);
    if (status == RW_OK) status = rw_read_parameters(c, 1, &p->scalars, &p->nscalars);
    if (status == RW_OK) status = rates_make_grid(c, p, true, &cells);
    derive(p);
    /* N, pump, modes, volume, x, y, z; H, G */
    *bytes_needed = 8 * cells * (6 + RW_MAX(modes ? modes->n : 0, 1) + 2 * (p->time.method != 0));
    if (status == RW_OK && !estimate) status = make_state(c, p);
    if (status == RW_OK && !estimate) *problem = base;
    else destroy(&base);
    return status;
}

/* Grid and names of the fields. */
static rw_status outline(const rw_case *c, rw_problem **problem)
{
    *problem = NULL;
    rates_problem *p = rw_calloc(1, sizeof *p);
    if (!p) return rw_fail_memory(rw_case_context(c), sizeof *p, "a problem");
    p->base.ops = &rw_rates_ops;
    rw_problem *base = &p->base;
    int64_t cells;
    rw_status status = rw_case_section(c, "time", &p->time);
    if (status == RW_OK) status = rates_name_modes(c, p);
    if (status == RW_OK) status = rates_make_grid(c, p, false, &cells);
    if (status == RW_OK) describe_output(p);
    if (status == RW_OK) *problem = base;
    else destroy(&base);
    return status;
}

/* ---- stepping ---------------------------------------------------------------------------------------------------- */

static double full_step(const rates_problem *p) { return p->time.end / (double)p->time.steps; }

static double time_now(const rw_problem *problem)
{
    const rates_problem *p = (const rates_problem *)problem;
    if (p->time.method) return p->now;
    return p->n == p->time.steps ? p->time.end : p->offset > 0 ? p->now : (double)p->n * full_step(p);
}

static int64_t steps(const rw_problem *p) { return ((const rates_problem *)p)->steps; }

/* Equal steps are of first order: a step in which photons grow by more than a factor exp(COARSE) is wrong by much. */
static void check_growth(rates_problem *p, double t, double growth)
{
    const double tau = full_step(p);
    if (p->coarse || p->time.method || !(growth * tau > COARSE)) return;
    p->coarse = true;
    rw_log(p->device->ctx, RW_LOG_WARNING,
           "time.steps = %lld: steps of %.3g s are too long at t = %.6g s, where the photons grow by exp(%.3g) in a "
           "step; choose time.method: adaptive, or time.steps of about %.1e",
           (long long)p->time.steps, tau, t, growth * tau, ceil((double)p->time.steps * growth * tau / GOOD));
}

/* Steps taken since the last call; of equal ones the caller has counted them. */
rw_status rates_look(rates_problem *p)
{
    const double *row;
    const char *const *names;
    int64_t rows, runs, columns;
    int t = -1, photons = -1, largest = -1, good = -1;
    RW_TRY(rw_expr_trace(p->step, &row, &rows, &names, &columns, &runs));
    for (int i = 0; i < columns; ++i) {
        if (!strcmp(names[i], "t")) t = i;
        if (!strcmp(names[i], "photons")) photons = i;
        if (!strcmp(names[i], "largest")) largest = i;
        if (!strcmp(names[i], "good")) good = i;
    }
    for (int64_t r = 0; r < rows; ++r, row += columns) {
        if (good >= 0 && row[good] == 0) continue;
        p->steps += good >= 0;
        check_growth(p, row[t], row[largest]);
        rates_watch(&p->spikes, row[t], row[photons], row[largest]);
    }
    return RW_OK;
}

static rw_status record(rates_problem *p)
{
    rw_queue *q = rw_device_queue(p->device);
    rw_status status = RW_OK;
    RW_TRY(rw_record_begin(q));
    for (int i = 0; i < p->batch && status == RW_OK; ++i) status = rw_expr_run(p->step, q);
    rw_status ended = rw_record_end(q, &p->sequence);
    if (status != RW_OK) rw_sequence_destroy(&p->sequence);
    return status != RW_OK ? status : ended;
}

/* A part of a step up to t_limit, or what is left of one. */
static rw_status split_step(rates_problem *p, double t_limit)
{
    double tau = full_step(p), left = tau - p->offset, to_limit = t_limit - time_now(&p->base);
    bool whole = to_limit >= left * (1 - 1e-9);
    RW_TRY(rw_expr_set(p->step, "tau", whole ? left : to_limit));
    rw_status status = rw_expr_run(p->step, rw_device_queue(p->device));
    RW_TRY(rw_expr_set(p->step, "tau", tau));
    RW_TRY(status);
    p->offset = whole ? 0 : p->offset + to_limit;
    p->now = t_limit;
    p->n += whole;
    p->steps += 1;
    return rates_look(p);
}

/* The device adds up its own time. Where the losses jump it must not be on the other side of a switch: so that a step
 * of tau ends at `to`. */
static rw_status set_device_time(rates_problem *p, double to, double tau)
{
    double t = to - tau;
    while (t + tau > to) t = nextafter(t, -INFINITY);
    return rw_expr_set(p->step, "t", t);
}

/* To a switch that lies in the present step, or by less than MARGIN of a step after it. */
static rw_status step_to_switch(rates_problem *p, const rates_limit *limit)
{
    double tau = full_step(p), length = limit->t - time_now(&p->base), offset = p->offset + length;
    bool whole = offset >= tau * (1 - 1e-9);
    RW_TRY(set_device_time(p, limit->t, length));
    RW_TRY(rw_expr_set(p->step, "tau", length));
    rw_status status = rw_expr_run(p->step, rw_device_queue(p->device));
    RW_TRY(rw_expr_set(p->step, "tau", tau));
    RW_TRY(status);
    p->n += whole;
    p->steps += 1;
    p->offset = !whole ? offset : offset - tau > 1e-9 * tau ? offset - tau : 0;
    p->now = limit->t;
    RW_TRY(rates_pass(p, limit));
    return rates_look(p);
}

rw_status rates_run(rates_problem *p, int64_t n, bool replay)
{
    rw_queue *q = rw_device_queue(p->device);
    if (replay && !p->single && !p->sequence) {
        rw_status status = record(p);
        if (status != RW_OK && status != RW_ERR_UNSUPPORTED) return status;
        p->single = status != RW_OK;
    }
    if (replay && p->sequence) RW_TRY(rw_sequence_replay(p->sequence, q));
    else
        for (int64_t i = 0; i < n; ++i) RW_TRY(rw_expr_run(p->step, q));
    p->run = true;
    return RW_OK;
}

static rw_status step(rw_problem *problem, double t_limit)
{
    rates_problem *p = (rates_problem *)problem;
    if (p->time.method) return rates_adaptive_step(p, t_limit);
    double tau = full_step(p);
    rates_limit limit;
    RW_TRY(rates_limit_step(p, time_now(problem), t_limit, &limit));
    if (limit.is_switch && limit.t - time_now(problem) <= (1 + MARGIN) * tau - p->offset)
        return step_to_switch(p, &limit);
    if (p->switches) RW_TRY(set_device_time(p, time_now(problem), 0));
    /* no rounding error of the device's time takes it across */
    t_limit = limit.is_switch ? limit.t - MARGIN * tau : limit.t;
    int64_t most = (int64_t)((t_limit / tau - (double)p->n) * (1 + 1e-12) + 1e-6); /* whole steps up to the limit */
    most = RW_MIN(most, p->time.steps - p->n);
    if (p->offset > 0 || most < 1) return split_step(p, t_limit);
    int64_t at_once = p->batch - p->steps % p->batch;
    int64_t n = RW_MIN(most, at_once);
    RW_TRY(rates_run(p, n, at_once == p->batch && most >= at_once && p->run));
    p->n += n;
    p->steps += n;
    return rates_look(p);
}

/* ---- what the runner asks for ------------------------------------------------------------------------------------ */

static rw_status get_of_mode(const rates_problem *p, const char *what, int k, double *value)
{
    char name[16], n[8];
    snprintf(name, sizeof name, "%s%s", what, rates_number(p, k, n));
    return rw_expr_get(p->step, name, value, NULL);
}

static rw_status set_of_mode(rates_problem *p, const char *what, int k, double value)
{
    char name[16], n[8];
    snprintf(name, sizeof name, "%s%s", what, rates_number(p, k, n));
    return rw_expr_set(p->step, name, value);
}

static rw_status get_photons(const rates_problem *p, int k, double *value) { return get_of_mode(p, "Phi", k, value); }

static rw_status row(rw_problem *problem, double *values)
{
    rates_problem *p = (rates_problem *)problem;
    double loss = 1 / p->tau_c, sum = 0, inversion, losses;
    RW_TRY(rw_expr_run(p->observe, rw_device_queue(p->device)));
    if (p->time.method) loss += p->first_loss;
    if (!p->time.method && p->steps > 0 && rw_expr_get(p->step, "losses", &losses, NULL) == RW_OK) loss = losses;
    double *v = values, *lambda = values + 2 + p->nmodes;
    *v++ = time_now(problem);
    for (int k = 0; k < p->nmodes; ++k) {
        char name[16];
        double gain;
        RW_TRY(get_photons(p, k, v));
        sum += *v++;
        snprintf(name, sizeof name, "gain%d", k + 1);
        RW_TRY(rw_expr_get(p->observe, name, &gain, NULL));
        *lambda = gain - loss;
        if (p->time.method && p->steps > 0) RW_TRY(get_of_mode(p, "lambda", k, lambda));
        ++lambda;
    }
    *v = p->power_factor * sum;
    RW_TRY(rw_expr_get(p->observe, "inversion", &inversion, NULL));
    *lambda = inversion;
    return RW_OK;
}

static rw_status check(rw_problem *problem, const rw_problem_check **list, int *n)
{
    rates_problem *p = (rates_problem *)problem;
    double sum = 0, photons;
    for (int k = 0; k < p->nmodes; ++k) {
        RW_TRY(get_photons(p, k, &photons));
        sum += photons;
    }
    for (int i = 0; i < p->checks.n; ++i) {
        RW_TRY(rw_expr_set(p->checks.programs[i], "photons", sum));
        RW_TRY(rw_expr_set(p->checks.programs[i], "power", p->power_factor * sum));
    }
    *list = p->checks.list;
    *n = p->checks.n;
    return rw_checks_run(&p->checks, rw_device_queue(p->device), time_now(problem));
}

static int statistics(const rw_problem *problem, const char **names, double *values, int max)
{
    const rates_problem *p = (const rates_problem *)problem;
    const rates_spikes *s = &p->spikes;
    double omega = NAN, damping = NAN, attempts = NAN;
    if (p->time.method) rw_expr_get(p->step, "attempts", &attempts, NULL);
    if (s->seen) rates_relaxation(s, s->photons[1], &omega, &damping);
    const struct {
        const char *name;
        double value;
    } all[] = {{"steps", (double)p->steps},
               {"attempts", attempts},
               {"cells", (double)rw_blocks_cells(p->blocks)},
               {"threshold_time", s->threshold},
               {"spikes", rates_count(s, s->photons[1])},
               {"first_spike_time", s->npeaks ? s->peak[0].t : NAN},
               {"first_spike_photons", s->npeaks ? s->peak[0].photons : NAN},
               {"relaxation_frequency", omega},
               {"relaxation_damping_time", damping},
               {"round_trip_time", p->round_trip},
               {"cavity_lifetime", p->tau_c}};
    int n = 0;
    for (int i = 0; i < RW_COUNT(all) && n < max; ++i)
        if (isfinite(all[i].value)) {
            names[n] = all[i].name;
            values[n++] = all[i].value;
        }
    return n;
}

static rw_status explain(rw_problem *problem, rw_text *text)
{
    rates_problem *p = (rates_problem *)problem;
    char *part;
    RW_TRY(rw_expr_explain(p->step, &part));
    rw_text_add(text, "%lld cells in %lld blocks\n%s", (long long)rw_blocks_cells(p->blocks),
                (long long)rw_blocks_count(p->blocks), part);
    free(part);
    return text->failed ? rw_fail_memory(p->device->ctx, text->length, "the plan as text") : RW_OK;
}

/* ---- checkpoints ------------------------------------------------------------------------------------------------- */

enum { STATE = 8 };

static rw_status save(rw_problem *problem, rw_h5 *file)
{
    rates_problem *p = (rates_problem *)problem;
    const rates_spikes *s = &p->spikes;
    size_t peaks[2] = {(size_t)s->npeaks, 2};
    double photons[RATES_MODES], lambda[RATES_MODES],
        state[STATE] = {(double)p->n, p->offset, (double)p->steps, 0},
        seen[6] = {s->t[0],       s->t[1],         s->photons[0],
                   s->photons[1], (double)s->seen, isnan(s->threshold) ? -1 : s->threshold};
    RW_TRY(rw_expr_get(p->step, "t", state + 3, NULL));
    for (int k = 0; k < p->nmodes; ++k) RW_TRY(get_photons(p, k, photons + k));
    for (int k = 0; k < p->nmodes && p->time.method; ++k) RW_TRY(get_of_mode(p, "lambda", k, lambda + k));
    if (p->time.method) RW_TRY(rw_expr_get(p->step, "wish", state + 4, NULL));
    if (p->time.method) RW_TRY(rw_expr_get(p->step, "attempts", state + 5, NULL));
    state[6] = p->passed;
    state[7] = p->now;
    RW_TRY(rw_state_save_field(&p->output_fields[0], "/state", p->inversion, file));
    RW_TRY(rw_h5_set_numbers(file, "/state", "steps", STATE, state));
    RW_TRY(rw_h5_set_numbers(file, "/state", "photons", p->nmodes, photons));
    RW_TRY(rw_h5_set_numbers(file, "/state", "seen", 6, seen));
    if (p->time.method) RW_TRY(rw_h5_set_numbers(file, "/state", "lambda", p->nmodes, lambda));
    RW_TRY(rw_h5_set_integer(file, "/state", "peaks", s->npeaks));
    return s->npeaks ? rw_h5_write(file, "/state/peak", RW_F64, 2, peaks, s->peak, RW_H5_CHECKSUM) : RW_OK;
}

static rw_status load(rw_problem *problem, rw_h5 *file)
{
    rates_problem *p = (rates_problem *)problem;
    rates_spikes *s = &p->spikes;
    double photons[RATES_MODES], lambda[RATES_MODES], state[STATE], seen[6];
    int64_t npeaks;
    RW_TRY(rw_h5_get_numbers(file, "/state", "steps", STATE, state));
    RW_TRY(rw_h5_get_numbers(file, "/state", "photons", p->nmodes, photons));
    RW_TRY(rw_h5_get_numbers(file, "/state", "seen", 6, seen));
    RW_TRY(rw_h5_get_integer(file, "/state", "peaks", &npeaks));
    RW_TRY(rw_state_load_field(&p->output_fields[0], "/state", p->inversion, file));
    for (int k = 0; k < p->nmodes; ++k) RW_TRY(set_of_mode(p, "Phi", k, photons[k]));
    RW_TRY(rw_expr_set(p->step, "t", state[3]));
    if (p->time.method) {
        RW_TRY(rw_h5_get_numbers(file, "/state", "lambda", p->nmodes, lambda));
        for (int k = 0; k < p->nmodes; ++k) RW_TRY(set_of_mode(p, "lambda", k, lambda[k]));
        RW_TRY(rw_expr_set(p->step, "wish", state[4]));
        RW_TRY(rw_expr_set(p->step, "attempts", state[5]));
        RW_TRY(rw_expr_set(p->step, "taken", state[2]));
        RW_TRY(rw_expr_set(p->step, "offered", 0));
        p->limit = p->quota = 0;
    }
    p->n = (int64_t)state[0];
    p->offset = state[1];
    p->steps = (int64_t)state[2];
    p->passed = state[6];
    p->now = state[7];
    p->run = false;
    *s = (rates_spikes){.rtol = s->rtol,
                        .t = {seen[0], seen[1]},
                        .photons = {seen[2], seen[3]},
                        .seen = (int64_t)seen[4],
                        .threshold = seen[5] < 0 ? NAN : seen[5]};
    s->npeaks = (int)RW_MIN(RW_MAX(npeaks, 0), RATES_PEAKS);
    size_t peaks[2] = {(size_t)s->npeaks, 2};
    return s->npeaks ? rw_h5_read(file, "/state/peak", RW_F64, 2, peaks, s->peak) : RW_OK;
}

/* Steps of equal length are time.end/time.steps long, and count from 0. */
static int may_change(const rw_case *c, const char *setting)
{
    rates_time time;
    if (rw_case_section(c, "time", &time) != RW_OK) return -1;
    return !time.method && (!strcmp(setting, "time.end") || !strcmp(setting, "time.steps")) ? 0 : -1;
}

static const rw_march_ops march = {.step = step, .time = time_now, .steps = steps};

const rw_problem_ops rw_rates_ops = {
    .name = "rates",
    .summary = "laser rate equations: population inversion and photon numbers on a block-structured grid",
    .sections = rates_sections,
    .nsections = RW_COUNT(rates_sections),
    .create = create,
    .destroy = destroy,
    .march = &march,
    .row = row,
    .save = save,
    .load = load,
    .outline = outline,
    .explain = explain,
    .statistics = statistics,
    .check = check,
    .may_change = may_change,
};
