/* What a case needs, before it is run: memory, the longest stable step, steps and time.
 *
 *   steps   of an earlier run of the case; else span/step where the step is given; else what stability and outputs ask
 *           for at least
 *   stages  as many as steps of an earlier run of the case had; else what a step of the length above needs
 *   time    steps * bytes of a step / rate
 *   rate    bytes per second of an earlier run of the case on the device; else of runs whose steps move about as many
 *           bytes (a factor of 4 at most); else the copy rate, which bench and selftest measure
 *
 * Rates are in the cache on disk (device/rates.c): a run of at least LONG seconds stores that of its size, every run
 * that of its case. */
#include "run/run_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/device.h"
#include "run/case_private.h"
#include "run/memory.h"

enum { NEAR = 2 };                 /* powers of 2 that a size may differ */
static const double SLOWER = 1.25; /* at most, than before: other programs may have slowed a run */
static const double LONG = 0.5;    /* seconds of steps whose rate stands for others */

typedef struct known {
    bool run;               /* an earlier run of the case */
    double steps, per_step; /* its steps, for the span of this case, and seconds of each */
    double evaluations;     /* of the right-hand side in each; NAN: not known */
} known;

/* `what` is known of a case. */
static rw_status name_of(const rw_run *r, const char *what, char name[64])
{
    char hash[65];
    RW_TRY(rw_case_hash(r->c, hash));
    snprintf(name, 64, "%.11s-%.40s", what, hash);
    return RW_OK;
}

static void name_of_size(double bytes, int more, char name[64])
{
    snprintf(name, 64, "size-%d", (int)lround(log2(RW_MAX(bytes, 1))) + more);
}

/* Of the right-hand side, for a step that is accepted or not; NAN: the problem does not count them. */
static double count_evaluations(const rw_run *r)
{
    enum { MOST = 16 };
    const char *names[MOST];
    double values[MOST], all = NAN, spectral = 0, steps = 0;
    const int n = r->ops->statistics ? r->ops->statistics(r->problem, names, values, MOST) : 0;
    for (int i = 0; i < n; i++) {
        if (!strcmp(names[i], "rhs")) all = values[i];
        if (!strcmp(names[i], "spectral_rhs")) spectral = values[i];
        if (!strcmp(names[i], "steps") || !strcmp(names[i], "rejected")) steps += values[i];
    }
    return steps > 0 ? (all - spectral) / steps : NAN;
}

void rw_check_learn(const rw_run *r)
{
    char name[64];
    const double steps = (double)rw_run_steps(r), seconds = r->watch.seconds[RW_PHASE_STEPS], span = r->end - r->start;
    rw_problem_forecast f;
    if (!r->march || !(steps > 0) || !(seconds > 0) || !(span > 0) || name_of(r, "case", name) != RW_OK) return;
    double before[2], per_step = seconds / steps;
    const double evaluations = count_evaluations(r);
    if (rw_rate_find(r->device, name, before)) per_step = RW_MIN(per_step, SLOWER * before[1]);
    rw_rate_store(r->device, name, (double[2]){steps / span, per_step});
    if (!r->ops->forecast) return;
    if (isfinite(evaluations) && name_of(r, "evaluations", name) == RW_OK)
        rw_rate_store(r->device, name, (double[2]){evaluations, 0});
    if (seconds < LONG || r->ops->forecast(r->c, r->device, steps, evaluations, &f) != RW_OK) return;
    const double bytes = f.bytes * (double)f.nodes;
    name_of_size(bytes, 0, name);
    rw_rate_store(r->device, name, (double[2]){bytes * steps / seconds, 0});
}

/* Steps of a given length, which end at outputs. */
static double count_steps(const rw_run *r, const rw_problem_forecast *f)
{
    const double span = f->end - f->start, every = r->output.every;
    if (!(every > 0) || every >= span) return ceil(span / f->step * (1 - 1e-12));
    const double whole = floor(span / every * (1 + 1e-12)), rest = span - whole * every;
    return whole * ceil(every / f->step * (1 - 1e-9)) + (rest > 1e-9 * every ? ceil(rest / f->step * (1 - 1e-9)) : 0);
}

/* Steps end there. */
static double count_outputs(const rw_run *r, const rw_problem_forecast *f)
{
    const bool hit = r->output.every > 0 && !(r->output.interpolate > 0);
    return hit ? ceil((f->end - f->start) / r->output.every * (1 - 1e-9)) : 1;
}

static rw_status add_memory(rw_run *r, int64_t bytes, const rw_problem_forecast *f, rw_text *text)
{
    char device[32], host[32], available[32];
    const bool pictures = r->output.figures.n > 0, on_host = r->device->ops->host;
    /* a copy of the fields where the device has another memory; the picture that is made, of f64 */
    const int64_t outputs = (on_host ? 0 : f->state) + (pictures ? 2 * f->nodes * (int64_t)sizeof(double) : 0);
    rw_memory_text(bytes, device);
    rw_memory_text(outputs, host);
    rw_memory_text(rw_memory_available(r->device), available);
    rw_text_add(text, "memory   %s on the device, %s for outputs on the host; %s free\n", device, host, available);
    return rw_memory_check(r->ctx, rw_case_file(r->c), r->device, bytes);
}

static void add_step(const known *k, const rw_problem_forecast *f, rw_text *text)
{
    const bool average = f->stabilised && isfinite(k->evaluations);
    /* of a step that is as short as no other */
    const bool least = f->stabilised && !average && isnan(f->radius);

    rw_text_add(text, "method   %s%s\n", f->method,
                f->certain ? "" : " or another one, which auto chooses at the first step");
    if (isnan(f->radius)) {
        rw_text_add(text, "radius   not known before the first step (%s)\n", f->by);
    } else {
        rw_text_add(text, "radius   %.3g, the spectral radius at the initial values (%s)\n", f->radius, f->by);
        rw_text_add(text, "step     stable up to %.3g%s", f->stable, f->stabilised ? " with the most stages" : "");
        if (f->step > 0)
            rw_text_add(text, "; time.step = %g%s", f->step, f->step > f->stable ? " may be unstable" : "");
        rw_text_add(text, "\n");
    }
    rw_text_add(text, "plan     a step of %s%d stages%s: %d launches, %.0f bytes and %.0f flops%s\n",
                least ? "at least " : "", f->stages, average ? " on average" : "", f->launches, f->bytes, f->flops,
                f->nodes > 1 ? " per node" : "");
}

/* Bytes per second; `of`: of what. */
static bool find_rate(const rw_run *r, double bytes, double *rate, const char **of)
{
    double value[2];
    char name[64];
    for (int more = 0; more <= NEAR; ++more)
        for (int sign = -1; sign <= 1; sign += 2) {
            name_of_size(bytes, sign * more, name);
            if (!rw_rate_find(r->device, name, value)) continue;
            *rate = value[0];
            *of = "of earlier runs of this size";
            return true;
        }
    *of = "the copy rate";
    if (!rw_rate_find(r->device, "copy", value)) return false;
    *rate = value[0];
    return *rate > 0;
}

static void add_time(rw_run *r, const known *k, const rw_problem_forecast *f, rw_text *text)
{
    const double span = f->end - f->start, bytes = f->bytes * (double)f->nodes;
    double steps = k->run ? k->steps : f->step > 0 ? count_steps(r, f) : ceil(span / f->stable), rate = 0;
    if (!k->run && !(f->step > 0)) steps = fmax(steps, count_outputs(r, f));
    const char *of = "of an earlier run of this case", *least = k->run || f->step > 0 ? "" : "at least ";
    if (!(steps >= 1)) steps = 1;
    rw_text_add(text, "steps    %s%.0f: %s\n", least, steps,
                k->run        ? "an earlier run of this case"
                : f->step > 0 ? "time.step"
                              : "stability and outputs; tolerances may need more");
    if (k->run) rate = bytes / k->per_step;
    else if (!find_rate(r, bytes, &rate, &of)) {
        rw_text_add(text, "time     not known: the device has no copy rate yet: rechenwerk selftest measures it\n");
        return;
    }
    /* the rate may be that of other cases, so the time of the fewest steps is no lower bound */
    char number[32] = "";
    if (*least) snprintf(number, sizeof number, "%.0f ", steps);
    rw_text_add(text, "time     %.3g s of %ssteps, at %.3g GB/s (%s)\n", steps * bytes / rate, number, rate / 1e9, of);
}

/* A number of the section time; NAN: it has none of this name. */
static double time_setting(rw_run *r, const char *name)
{
    const rw_section *s = rw_case_find_section(r->c, "time");
    const rw_param *row = s ? rw_case_find_row(s, name) : NULL;
    const rw_tree *node = row && row->kind == RW_PARAM_REAL ? rw_case_effective(r->c, s, row) : NULL;
    double value = NAN;
    if (!node) return NAN;
    rw_param alone = *row;
    alone.offset = 0;
    return rw_param_read(r->ctx, &alone, name, NULL, node, &value) == RW_OK ? value : NAN;
}

/* Of a problem without a forecast: what an earlier run took. */
static void add_earlier(rw_run *r, bool is_known, const double value[2], rw_text *text)
{
    const double start = time_setting(r, "start"), span = time_setting(r, "end") - (isnan(start) ? 0 : start);
    const double steps = round(value[0] * span);
    if (!is_known || !(steps >= 1)) {
        rw_text_add(text, "time     not known before a first run\n");
        return;
    }
    rw_text_add(text, "steps    %.0f: an earlier run of this case\n", steps);
    rw_text_add(text, "time     %.3g s of steps (of an earlier run of this case)\n", steps * value[1]);
}

/* Settings of outputs that depend on names, units and layouts of fields: a problem without a state has them. */
static rw_status check_outputs(rw_run *r)
{
    const double start = time_setting(r, "start");
    if (!r->ops->outline) return RW_OK;
    RW_TRY(r->ops->outline(r->c, &r->problem));
    rw_run_take_problem(r);
    r->start = isnan(start) ? 0 : start;
    return rw_output_check(r);
}

static rw_status describe(rw_run *r, const void *user, rw_text *text)
{
    (void)user;
    known k = {.evaluations = NAN};
    char name[64];
    double value[2] = {0, 0}, evaluations[2];
    int64_t bytes = 0;
    rw_problem_forecast f = {.by = "", .method = ""};
    RW_TRY(rw_run_open(r));
    RW_TRY(check_outputs(r));
    RW_TRY(r->ops->create(r->c, r->device, true, &bytes, NULL));
    rw_text_add(text, "case     %s: problem %s, no mistakes\n", rw_case_file(r->c), r->ops->name);
    rw_text_add(text, "device   %s: %s\n", r->report->device, rw_device_info(r->device)->hardware);
    RW_TRY(name_of(r, "case", name));
    k.run = rw_rate_find(r->device, name, value);
    if (!r->ops->forecast || r->stationary) {
        RW_TRY(add_memory(r, bytes, &f, text));
        add_earlier(r, k.run, value, text);
        return RW_OK;
    }
    RW_TRY(name_of(r, "evaluations", name));
    if (k.run && rw_rate_find(r->device, name, evaluations)) k.evaluations = evaluations[0];
    RW_TRY(r->ops->forecast(r->c, r->device, NAN, k.evaluations, &f));
    if (k.run) {
        k.steps = round(value[0] * (f.end - f.start));
        k.per_step = value[1];
    }
    /* steps of their length have their number of stages */
    const double steps = k.run ? k.steps : count_outputs(r, &f);
    if (f.stabilised && isnan(k.evaluations) && steps > (f.end - f.start) / f.stable)
        RW_TRY(r->ops->forecast(r->c, r->device, steps, NAN, &f));
    RW_TRY(add_memory(r, bytes, &f, text));
    add_step(&k, &f, text);
    add_time(r, &k, &f, text);
    return RW_OK;
}

rw_status rw_check_case_sized(rw_context *ctx, const char *path, const rw_run_options *options, char **text,
                              size_t options_size)
{
    RW_NEED(text, "text");
    *text = NULL;
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    RW_STRUCT_IN(ctx, rw_run_options, options, options_size);
    return rw_run_describe(ctx, path, options, describe, NULL, text);
}
