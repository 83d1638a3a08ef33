/* The runner: one loop for all problems.
 *
 *   case -> folder checked -> device -> memory estimated -> problem created
 *   folder begun, state of a checkpoint loaded
 *   loop:  outputs within the last step? write them    output due? write it    end? stop    interrupted? save, stop
 *          checkpoint due? save      step
 *
 * Whether an output is due follows from the state alone (time, step, outputs so far), so that a run continued from a
 * checkpoint does exactly what the uninterrupted one does. Times of output are start + k*every, computed from k, and
 * the problem hits them exactly; one within 1e-9 of an interval of the end is the end.
 * With output.interpolate steps go over times of output, and the problem gives the values there with an estimate of
 * their error. When that is too large the step is undone and a shorter one taken, which at the least ends at the next
 * output. All else (rows by steps, checkpoints, checks, the end) is of states that steps have reached. Not here: what a
 * step is, which scalars there are, how a state is saved: the problem's table. */
#include "run/run_private.h"
#include "run/writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "field/finite.h"

/* ---- before the first step --------------------------------------------------------------------------------------- */

/* The first output by time after the present state, where output.every is not that of the checkpoint. */
static void find_next(rw_run *r)
{
    double t = rw_run_time(r), every = r->output.every;
    if (every <= 0) return;
    r->next = (int64_t)RW_MAX(0, floor((t - r->start) / every));
    while (r->start + (double)r->next * every <= t) r->next++;
}

/* Everything up to the first step; after it the folder is ours. */
static rw_status begin(rw_run *r, bool fresh)
{
    uint64_t position = 0;
    RW_TRY(rw_output_check(r));
    RW_TRY(rw_backend_find(r));
    if (!fresh) RW_TRY(rw_checkpoint_load(r, &position)); /* a refused one leaves the folder as it was */
    RW_TRY(rw_contents_begin(r));
    if (r->every_changed) find_next(r);
    if (!fresh) RW_TRY(rw_restart_check_end(r));
    rw_run_set_end(r);
    RW_TRY(rw_folder_begin(r, fresh));
    RW_TRY(rw_series_begin(r, fresh, position));
    RW_TRY(rw_probes_begin(r, fresh));
    r->begun = true;
    RW_TRY(rw_writers_folders(r));
    if (r->output.figures.n > 0) RW_TRY(rw_folder_make(r, "figures"));
    RW_TRY(rw_record_settings(r));
    RW_TRY(rw_record_run(r, RW_OK, NULL));
    RW_TRY(rw_log_open(r));
    RW_TRY(rw_log_event(r, fresh ? "start" : "restart", "device", rw_device_info(r->device)->name));
    char place[RW_PLACE_SIZE];
    rw_log(r->ctx, RW_LOG_INFO, "%s %s at %s", fresh ? "results go to" : "continuing in", r->folder,
           rw_run_place(r, 0, place));
    r->index_stale = r->noutputs > 0; /* a killed run may have left an old index */
    if (fresh) r->checkpoint_clock = rw_seconds();
    if (r->stationary) r->first_residual = r->stationary->residual(r->problem);
    rw_pace_begin(r);
    return RW_OK;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

static bool output_due(const rw_run *r)
{
    double t = rw_run_time(r);
    if (r->noutputs == 0) return true;
    if (r->times[r->noutputs - 1] == t) return false;
    if (t >= rw_run_next_output(r) || rw_run_ended(r)) return true;
    return r->output.every_steps > 0 && rw_run_steps(r) % r->output.every_steps == 0;
}

static bool checkpoint_due(const rw_run *r)
{
    int64_t steps = rw_run_steps(r) - r->checkpoint_step;
    if (steps == 0) return false;
    if (r->checkpoint.steps > 0 && steps >= r->checkpoint.steps) return true;
    return r->checkpoint.seconds > 0 && rw_seconds() - r->checkpoint_clock >= r->checkpoint.seconds;
}

/* An output that cannot be written (a full disk, no memory for a picture) does not cost the work done: the state is
 * saved if that is still possible, and the output is made again at the restart. */
static rw_status save_after_failure(rw_run *r, rw_status status)
{
    if (status != RW_ERR_FILE && status != RW_ERR_MEMORY) return status;
    char *message = rw_strdup(rw_message(r->ctx));
    bool saved = rw_checkpoint_write(r) == RW_OK;
    if (message && (saved || !isnan(r->checkpoint_time)))
        rw_fail(r->ctx, status,
                "%s; the state of %s = %.9g is in '%s/checkpoint.h5': remove the cause and continue with "
                "rw_run_options.restart",
                message, rw_run_axis(r), r->checkpoint_time, r->folder);
    else if (message) rw_fail(r->ctx, status, "%s; no checkpoint could be written", message);
    rw_free(message);
    return status;
}

static rw_status write_output(rw_run *r)
{
    double seconds;
    rw_status status = rw_output_write(r, rw_run_ended(r), &seconds);
    if (status != RW_OK) return save_after_failure(r, status);
    rw_pace_output(r, seconds);
    if (rw_seconds() - r->recorded > 1) RW_TRY(rw_record_run(r, RW_OK, NULL));
    return RW_OK;
}

static rw_status write_row(rw_run *r)
{
    int64_t every = r->output.series_steps;
    if (every == 0 || rw_run_steps(r) % every != 0) return RW_OK;
    rw_phase before = rw_watch(r, RW_PHASE_OUTPUT);
    rw_status status = rw_series_row(r, true);
    if (status == RW_OK) status = rw_series_flush(r);
    if (status == RW_OK) status = rw_probes_flush(r);
    rw_watch(r, before);
    return status;
}

/* Whether all outputs that the last step has gone over may be interpolated. The estimate is of size h^3: it says how
 * long steps may be. */
static rw_status judge_step(rw_run *r, bool *good)
{
    double end = rw_run_time(r), tolerance = r->output.interpolate, t, error;
    *good = true;
    for (int64_t k = r->next; (t = rw_run_output_time(r, k)) < end; k++) {
        RW_TRY(r->march->interpolate(r->problem, t, &error));
        double factor = RW_MAX(0.1, 0.9 * cbrt(tolerance / error));
        if (factor < 1.5) r->stride = RW_MIN(r->stride, factor * (end - r->begun_at));
        *good = *good && error <= tolerance;
    }
    return r->march->restore(r->problem);
}

static rw_status write_interpolated(rw_run *r, double t)
{
    double error, seconds;
    RW_TRY(r->march->interpolate(r->problem, t, &error));
    r->interpolating = true;
    rw_status status = rw_output_write(r, false, &seconds);
    r->interpolating = false;
    rw_status restored = r->march->restore(r->problem);
    if (status == RW_OK) status = restored;
    if (status == RW_OK) rw_pace_output(r, seconds);
    return status == RW_OK ? RW_OK : save_after_failure(r, status);
}

/* Outputs that the last step has gone over, all of them or none: then it is undone. */
static rw_status write_within(rw_run *r, bool *undone)
{
    bool good = true;
    *undone = false;
    if (!(r->output.interpolate > 0) || rw_run_next_output(r) >= rw_run_time(r)) return RW_OK;
    RW_TRY(judge_step(r, &good));
    *undone = !good;
    if (!good) return r->march->undo(r->problem);
    while (rw_run_next_output(r) < rw_run_time(r)) RW_TRY(write_interpolated(r, rw_run_next_output(r)));
    return RW_OK;
}

/* What the present state asks for before the next step; *ended: there is none. */
static rw_status serve(rw_run *r, bool *ended)
{
    if (output_due(r)) RW_TRY(write_output(r));
    else RW_TRY(write_row(r));
    *ended = rw_run_ended(r);
    if (*ended) return RW_OK;
    if (rw_cancel_requested(r->options.cancel) || r->wish != RW_OK) return RW_ERR_INTERRUPTED; /* `keep` says why */
    if (!checkpoint_due(r)) return RW_OK;
    RW_TRY(rw_frames_catch_up(r)); /* a run that goes on from there does not know what has been postponed */
    RW_TRY(rw_checkpoint_write(r));
    return rw_record_run(r, RW_OK, NULL);
}

static rw_status loop(rw_run *r)
{
    rw_watch(r, RW_PHASE_STEPS);
    for (bool undone, ended = false;;) {
        RW_TRY(write_within(r, &undone));
        if (!undone) RW_TRY(serve(r, &ended)); /* else it has been */
        if (ended) return RW_OK;
        RW_TRY(rw_run_advance(r));
        rw_pace_step(r, false);
    }
}

/* What an interruption leaves: the state, also where it has ended a compiler within a step (then the state is that
 * before it) or within an output (which the restart makes again). The checkpoint itself may compile. */
static rw_status keep(rw_run *r, rw_status status)
{
    static const rw_cancel never;
    if (status != RW_ERR_INTERRUPTED) return status;
    const rw_cancel *outer = rw_cancel_enter(&never);
    const rw_status drawn = rw_frames_catch_up(r);
    status = rw_checkpoint_write(r); /* in any case */
    if (status == RW_OK) status = drawn;
    rw_cancel_leave(outer);
    if (status != RW_OK) return status;
    if (r->wish != RW_OK) return rw_fail(r->ctx, r->wish, "%s", r->wish_message);
    char where[RW_PLACE_SIZE];
    if (r->stationary) rw_run_place(r, 0, where);
    else
        snprintf(where, sizeof where, "t = %.9g of %.9g, step %lld", rw_run_time(r), r->end,
                 (long long)rw_run_steps(r));
    return rw_fail(r->ctx, RW_ERR_INTERRUPTED,
                   "interrupted at %s; the state is saved in '%s/checkpoint.h5': continue with "
                   "rw_run_options.restart",
                   where, r->folder);
}

/* The numbers that the case says its final state must have. The results are whole whatever they say. */
static rw_status make_checks(rw_run *r)
{
    if (!r->ops->check) return RW_OK;
    RW_TRY(r->ops->check(r->problem, &r->checks, &r->nchecks));
    const rw_problem_check *bad = NULL;
    for (int i = 0; i < r->nchecks; i++) {
        const rw_problem_check *k = &r->checks[i];
        r->report->checks_passed += k->passed;
        if (!k->passed && !bad) bad = k;
    }
    r->report->checks = r->nchecks;
    if (!bad) return RW_OK;
    r->reason = "check_failed";
    return rw_fail(r->ctx, RW_ERR_NOT_CONVERGED,
                   "%s: checks.%s = %.9g, expected %.9g with a tolerance of %g (%d of %d checks failed): results "
                   "are in '%s'; rw_run_options.set 'checks={}' disables the checks",
                   rw_case_file(r->c), bad->name, bad->value, bad->expect, bad->tolerance,
                   r->nchecks - (int)r->report->checks_passed, r->nchecks, r->folder);
}

static rw_status complete(rw_run *r)
{
    rw_watch(r, RW_PHASE_OUTPUT);
    RW_TRY(rw_writers_index(r, true));
    const rw_status drawn = rw_drawing_wait(r); /* a run that goes on from there cannot draw fields not written */
    RW_TRY(rw_checkpoint_write(r));
    RW_TRY(drawn);
    RW_TRY(r->grid->kind == RW_LAYOUT_VALUE ? rw_figures_curves(r) : rw_figures_series(r));
    RW_TRY(rw_probes_draw(r));
    RW_TRY(rw_animation_make(r));
    return make_checks(r);
}

/* ---- afterwards -------------------------------------------------------------------------------------------------- */

static const char *reason_of(rw_status status)
{
    switch (status) {
    case RW_OK: return "done";
    case RW_ERR_INTERRUPTED: return "interrupted";
    case RW_ERR_NOT_CONVERGED: return "not_converged";
    default: return "failed";
    }
}

/* A row with values that are not finite gives no location: the first such value of the fields does. */
static rw_status name_place(rw_run *r, rw_status status)
{
    if (status != RW_ERR_NOT_CONVERGED || !r->reason || strcmp(r->reason, "not_finite")) return status;
    if (r->grid->kind == RW_LAYOUT_VALUE) return status; /* the column is the value */
    const rw_state_field *fields = r->problem->fields;
    char *message = rw_strdup(rw_message(r->ctx));
    rw_text place = {0};
    for (int i = 0; i < r->problem->nfields && !place.length; i++) {
        rw_finite found;
        if (fields[i].derived) continue;
        if (rw_finite_find(fields[i].array, &found) != RW_OK || found.first < 0) continue;
        rw_text_add(&place, "; %s is %s at ", fields[i].name, rw_finite_word(found.value));
        rw_layout_place(rw_output_layout(r->problem, i), found.first, &place);
    }
    if (message) rw_fail(r->ctx, status, "%s%s", message, place.data && !place.failed ? place.data : "");
    rw_text_free(&place);
    rw_free(message);
    return status;
}

static void report_method(const rw_run *r)
{
    const char *reason = "";
    if (!r->ops->method || !r->problem) return;
    snprintf(r->report->method, sizeof r->report->method, "%s", r->ops->method(r->problem, &reason));
    snprintf(r->report->method_reason, sizeof r->report->method_reason, "%s", reason);
}

/* A run that has failed before its first output leaves nothing; one that was to replace the results of another
 * (--force) and has no checkpoint brings those back. */
static rw_status withdraw(rw_run *r, rw_status status)
{
    bool restored;
    if (status == RW_OK || r->ncheckpoints > 0 || !(r->aside || (r->fresh_list && r->noutputs == 0))) return status;
    char *message = rw_strdup(rw_message(r->ctx));
    rw_csv_close(&r->series);
    rw_status undone = rw_aside_undo(r, &restored);
    char *reason = undone == RW_OK ? NULL : rw_strdup(rw_message(r->ctx));
    const char *before = message ? message : rw_status_text(status);
    if (restored) rw_fail(r->ctx, status, "%s; the earlier results in '%s' are restored", before, r->folder);
    else if (undone == RW_OK) rw_fail(r->ctx, status, "%s", before);
    else
        rw_fail(r->ctx, status,
                "%s; the earlier results are in '%s/.previous' (%s): the next run with rw_run_options.restart or "
                "rw_run_options.force restores them",
                before, r->folder, reason ? reason : rw_status_text(undone));
    rw_free(reason);
    rw_free(message);
    return status;
}

/* The last words: run.json and the log say how it ended. What fails here is reported only if nothing failed before. */
static rw_status finish(rw_run *r, rw_status status)
{
    if (!r->begun) return status;
    const char *reason = r->reason && status == RW_ERR_NOT_CONVERGED ? r->reason : reason_of(status);
    char *message = rw_strdup(rw_message(r->ctx));
    rw_status closed = rw_csv_close(&r->series), probes = rw_probes_close(r);
    if (closed == RW_OK) closed = probes;
    if (status == RW_OK && closed != RW_OK) {
        status = closed;
        reason = "failed";
    } else if (status != RW_OK && message) rw_fail(r->ctx, status, "%s", message);
    rw_status logged = rw_log_event(r, "end", "reason", reason);
    if (status != RW_OK && message) rw_fail(r->ctx, status, "%s", message);
    rw_status recorded = rw_record_run(r, status, reason);
    if (status != RW_OK && message) rw_fail(r->ctx, status, "%s", message);
    if (status == RW_OK && (status = recorded != RW_OK ? recorded : logged) != RW_OK) reason = "failed";
    rw_free(message);
    snprintf(r->report->reason, sizeof(r->report->reason), "%s", reason);
    report_method(r);
    rw_pace_step(r, true);
    return status;
}

rw_status rw_run_with(rw_context *ctx, const rw_problem_ops *const *problems, const char *path,
                      const rw_run_options *options, rw_run_report *report)
{
    rw_run r;
    rw_run_report unused;
    rw_status status;
    int64_t bytes;
    bool fresh = true, reproducible = ctx->reproducible;
    if (!path || !*path) return rw_fail(ctx, RW_ERR_ARGUMENT, "rw_run_case: path is missing: give a case file");
    rw_run_prepare(&r, ctx, options, report ? report : &unused);
    const rw_cancel *outer = rw_cancel_enter(r.options.cancel);
    RW_TRY_GOTO(rw_run_read_case(&r, problems, path), done);
    RW_TRY_GOTO(rw_run_choose_folder(&r), done);
    RW_TRY_GOTO(rw_folder_check(&r, &fresh), done);
    if (r.top.reproducible) rw_context_set_reproducible(ctx, true);
    if (r.options.progress) {
        rw_compiling_set(rw_pace_compiling, &r);
        rw_compiled_set(rw_pace_compiled, &r);
    }
    status = rw_run_create(&r, &bytes);
    if (status == RW_OK && r.wish != RW_OK) status = rw_fail(ctx, r.wish, "%s", r.wish_message);
    if (rw_cancel_requested(r.options.cancel)) /* also when it ended a compiler on the way */
        status = rw_fail(ctx, RW_ERR_INTERRUPTED, "interrupted before the first step: nothing was written");
    if (status != RW_OK) goto done;
    RW_TRY_GOTO(begin(&r, fresh), done);
    RW_TRY_GOTO(name_place(&r, keep(&r, loop(&r))), done);
    status = name_place(&r, keep(&r, complete(&r)));
    if (status == RW_OK && fresh) rw_check_learn(&r);
done:
    rw_cancel_leave(outer);
    rw_drawing_free(&r); /* before its files are moved */
    status = withdraw(&r, finish(&r, status));
    rw_compiling_set(NULL, NULL);
    rw_compiled_set(NULL, NULL);
    bool nowhere = !r.begun || r.gone;
    rw_run_release(&r);
    if (nowhere && report) report->folder[0] = '\0';
    rw_context_set_reproducible(ctx, reproducible);
    return status;
}

static rw_status run_case(rw_context *ctx, const char *path, const rw_run_options *options, rw_run_report *report)
{
    return rw_run_with(ctx, rw_problems, path, options, report);
}

rw_status rw_run_case_sized(rw_context *ctx, const char *path, const rw_run_options *options, rw_run_report *report,
                            size_t options_size, size_t report_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    RW_STRUCT_IN(ctx, rw_run_options, options, options_size);
    RW_STRUCT_ROOM(rw_run_report, report, report_size);
    return RW_STRUCT_OUT(run_case(ctx, path, options, report_whole), report, report_size);
}
