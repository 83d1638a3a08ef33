/* What a run writes each time an output is due: a row of series.csv (series.c), the fields (writers.c), pictures
 * (figures.c). */
#include "run/run_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/writer.h"

static rw_status check_names(const rw_run *r, const rw_texts *list, const char *setting)
{
    enum { MOST = 256 };
    const rw_state_field *fields = r->problem->fields;
    const int n = r->problem->nfields;
    const char *names[MOST];
    for (int k = 0; k < n && k < MOST; k++) names[k] = rw_state_shown(&fields[k]);
    for (int i = 0; i < list->n; i++) {
        const char *text = list->item[i]->text;
        bool known = strcmp(text, "all") == 0;
        for (int k = 0; k < n && !known; k++) known = strcmp(text, rw_state_shown(&fields[k])) == 0;
        if (known) continue;
        const char *nearest = rw_nearest(text, names, RW_MIN(n, MOST));
        if (!nearest && n > 0) nearest = names[0];
        RW_NOTE(r->ctx,
                rw_case_fail(r->c, list->item[i], "%s: '%.60s' is not a field; %s is one, and all selects every field",
                             setting, text, nearest ? nearest : "(none)"));
    }
    return RW_OK;
}

/* Whether there is a vector of this name, or any (all), on a plane; with `shown`, one that is drawn or written. */
static bool has_plane_vector(const rw_run *r, const char *name, bool shown)
{
    for (int f = 0; f < r->problem->nfields; f++) {
        const rw_state_field *field = &r->problem->fields[f];
        if (rw_contents_is_plane_vector(r, f) &&
            (strcmp(name, "all") == 0 || strcmp(name, rw_state_shown(field)) == 0) &&
            (!shown || rw_contents_draws(r, f) || rw_contents_wants(&r->output.fields, field)))
            return true;
    }
    return false;
}

rw_status rw_output_check_streamlines(const rw_run *r)
{
    const rw_texts *list = &r->output.streamlines;
    const int met = rw_mistakes_met();
    RW_TRY(check_names(r, list, "output.streamlines"));
    for (int i = 0; i < list->n && rw_mistakes_met() == met; i++) {
        const char *name = list->item[i]->text;
        if (!has_plane_vector(r, name, false))
            return rw_case_fail(
                r->c, list->item[i],
                "output.streamlines: '%.60s' is no vector in two dimensions: add one to output.derived, "
                "such as velocity: \"[u, v]\"",
                name);
        if (!has_plane_vector(r, name, true) && (r->output.figures.n > 0 || r->output.fields.n > 0))
            return rw_case_fail(r->c, list->item[i],
                                "output.streamlines: '%.60s' is neither in output.figures nor in output.fields: add it "
                                "there",
                                name);
    }
    return RW_OK;
}

/* What only some problems compute for their outputs. */
static rw_status check_own(const rw_run *r)
{
    const struct {
        const char *name;
        const rw_tree *given;
    } list[] = {{"series", r->output.series}, {"derived", r->output.derived}, {"probes", r->output.probes}};
    for (int i = 0; i < RW_COUNT(list) && !r->ops->computes_outputs; i++)
        if (list[i].given)
            return rw_case_fail(r->c, list[i].given, "output.%s: the problem %s does not have it: omit this setting",
                                list[i].name, r->ops->name);
    return RW_OK;
}

/* Without space there are no fields to write. */
static rw_status check_space(const rw_run *r)
{
    const rw_texts *list = &r->output.fields;
    for (int i = 0; i < list->n && r->grid->kind == RW_LAYOUT_VALUE; i++)
        if (strcmp(list->item[i]->text, "all") != 0)
            return rw_case_fail(
                r->c, list->item[i],
                "output.fields: '%.60s' has one value, since there is no space (grid: none): series.csv "
                "has a column for it: omit output.fields",
                list->item[i]->text);
    return RW_OK;
}

/* Within a collector of mistakes. */
static rw_status check_all(rw_run *r)
{
    const double every = r->output.every, span = r->problem->end - r->start;
    RW_NOTE(r->ctx, check_names(r, &r->output.fields, "output.fields"));
    RW_NOTE(r->ctx, check_names(r, &r->output.figures, "output.figures"));
    const int met = rw_mistakes_met();
    RW_NOTE(r->ctx, check_names(r, &r->output.animation, "output.animation"));
    if (rw_mistakes_met() == met) RW_NOTE(r->ctx, rw_animation_check(r));
    RW_NOTE(r->ctx, rw_output_check_streamlines(r));
    RW_NOTE(r->ctx, check_space(r));
    RW_NOTE(r->ctx, rw_frames_check(r));
    RW_NOTE(r->ctx, rw_writers_check(r));
    RW_NOTE(r->ctx, check_own(r));
    RW_NOTE(r->ctx, rw_probes_prepare(r));
    if (r->stationary && every > 0)
        return rw_case_fail(r->c, rw_case_node(r->c, "output.every"),
                            "output.every = %g: the problem %s is stationary, and has no time: use output.every_steps, "
                            "a number of iterations",
                            every, r->ops->name);
    if (r->output.interpolate > 0 && !(r->march && r->march->interpolate))
        RW_NOTE(r->ctx, rw_case_fail(r->c, rw_case_node(r->c, "output.interpolate"),
                                     "output.interpolate = %g: the problem %s has no dense output: omit this setting",
                                     r->output.interpolate, r->ops->name));
    if (every > 0 && span / every > 999999)
        return rw_case_fail(r->c, rw_case_node(r->c, "output.every"),
                            "output.every = %g makes %.3g outputs until t = %g: at most 999999 are allowed", every,
                            span / every, r->problem->end);
    return RW_OK;
}

rw_status rw_output_check(rw_run *r)
{
    rw_mistakes mistakes;
    rw_mistakes_begin(&mistakes);
    return rw_mistakes_end(r->ctx, &mistakes, check_all(r));
}

static rw_status write_output(rw_run *r, bool last)
{
    const rw_state_field *fields = r->problem->fields;
    const int output = r->noutputs, n = r->problem->nfields;
    RW_TRY(rw_series_row(r, true));
    if (!rw_grow(&r->times, &r->times_capacity, output + 1, sizeof(*r->times)))
        return rw_fail_memory(r->ctx, (size_t)output * sizeof(*r->times), "the times of the outputs");
    if (r->ops->derive) RW_TRY(r->ops->derive(r->problem));
    RW_TRY(rw_writers_output(r, output));
    for (int i = 0; i < n; i++) {
        if (!rw_contents_draws(r, i)) continue;
        if (r->output.figures_every == RUN_FIGURES_ALL || last) RW_TRY(rw_figures_output(r, &fields[i], output));
    }
    RW_TRY(rw_probes_write(r, true));
    double t = r->times[output] = rw_run_time(r);
    r->noutputs++; /* from here on a checkpoint counts it as made */
    r->interpolated += r->interpolating;
    /* an output that the end stands for is made */
    double every = r->output.every, reached = t >= r->end ? t + 1e-9 * every : t;
    while (every > 0 && r->start + (double)r->next * every <= reached) r->next++;
    r->index_stale = true;
    char text[32];
    snprintf(text, sizeof(text), "%06d", output);
    rw_log(r->ctx, RW_LOG_INFO, "output %s at %s = %.9g", text, rw_run_axis(r), t);
    RW_TRY(rw_log_event(r, "output", "output", text));
    RW_TRY(rw_series_flush(r));
    RW_TRY(rw_probes_flush(r));
    return rw_writers_index(r, false);
}

rw_status rw_output_write(rw_run *r, bool last, double *seconds)
{
    rw_phase before = rw_watch(r, RW_PHASE_OUTPUT);
    const double booked = r->watch.seconds[RW_PHASE_OUTPUT];
    rw_status status = write_output(r, last);
    rw_watch(r, before);
    *seconds = r->watch.seconds[RW_PHASE_OUTPUT] - booked;
    return status;
}
