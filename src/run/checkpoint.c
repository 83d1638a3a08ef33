/* checkpoint.h5: everything that a run needs to continue to the same bits.
 *
 *   /            attributes: format, version, problem, case, case_hash, device, and the state of the runner; with
 *                output.interpolate also what the length of its steps depends on
 *   /run/times   time of each output so far
 *   (the rest)   what the problem saves
 * It is replaced as a whole: whenever a process is killed, the last checkpoint is there. Before it is written a row of
 * scalars is computed, so that a state with NaN never takes the place of a good one.
 * Not in the hash of the case: input files themselves (pictures, .npy); they have done their work at the start. */
#include "run/run_private.h"
#include "run/writer.h"

#include <math.h>
#include <string.h>

#define FORMAT 1

/* Without output.interpolate the format is that of versions that did not know it. */
static rw_status save_interpolation(rw_run *r, rw_h5 *file)
{
    if (!(r->output.interpolate > 0)) return RW_OK;
    RW_TRY(rw_h5_set_integer(file, "/", "outputs_interpolated", r->interpolated));
    RW_TRY(rw_h5_set_number(file, "/", "stride", r->stride));
    RW_TRY(rw_h5_set_number(file, "/", "begun_at", r->begun_at));
    return rw_h5_set_number(file, "/", "last_look", r->last_look);
}

static rw_status save(rw_run *r, rw_h5 *file, uint64_t position)
{
    size_t n = (size_t)r->noutputs;
    RW_TRY(rw_h5_set_integer(file, "/", "rechenwerk_checkpoint", FORMAT));
    RW_TRY(rw_h5_set_text(file, "/", "version", rw_version()));
    RW_TRY(rw_h5_set_text(file, "/", "problem", r->ops->name));
    RW_TRY(rw_h5_set_text(file, "/", "case", rw_case_name(r->c)));
    RW_TRY(rw_h5_set_text(file, "/", "case_hash", r->hash));
    RW_TRY(rw_h5_set_text(file, "/", "device", rw_device_info(r->device)->name));
    RW_TRY(rw_h5_set_number(file, "/", "time", rw_run_time(r)));
    RW_TRY(rw_h5_set_integer(file, "/", "step", rw_run_steps(r)));
    RW_TRY(rw_h5_set_number(file, "/", "start", r->start));
    RW_TRY(rw_h5_set_integer(file, "/", "outputs", r->noutputs));
    RW_TRY(rw_h5_set_integer(file, "/", "next_output", r->next));
    RW_TRY(rw_h5_set_integer(file, "/", "last_row", r->last_row));
    RW_TRY(rw_h5_set_integer(file, "/", "series_position", (int64_t)position));
    RW_TRY(rw_h5_set_integer(file, "/", "restarts", r->restarts));
    RW_TRY(rw_h5_set_integer(file, "/", "no_sides", r->no_sides));
    if (n > 0) RW_TRY(rw_h5_write(file, "/run/times", RW_F64, 1, &n, r->times, RW_H5_CHECKSUM));
    RW_TRY(save_interpolation(r, file));
    RW_TRY(rw_restart_save(r, file));
    RW_TRY(rw_backend_save(r, file));
    RW_TRY(rw_contents_save(r, file));
    RW_TRY(rw_probes_save(r, file));
    return r->ops->save(r->problem, file);
}

static rw_status write_checkpoint(rw_run *r)
{
    char path[RW_PATH_SIZE];
    uint64_t position;
    rw_h5 *file;
    RW_TRY(rw_series_row(r, false));
    RW_TRY(rw_writers_index(r, true));
    RW_TRY(rw_csv_flush(r->series, &position));
    RW_TRY(rw_folder_claim(r, "checkpoint.h5", path));
    RW_TRY(rw_h5_create(r->ctx, path, &file));
    rw_status status = save(r, file, position);
    if (status == RW_OK) status = rw_h5_commit(&file);
    rw_h5_close(&file);
    if (status != RW_OK) return status;
    rw_aside_discard(r);
    r->checkpoint_clock = rw_seconds();
    r->checkpoint_time = rw_run_time(r);
    r->checkpoint_step = rw_run_steps(r);
    r->ncheckpoints++;
    rw_log(r->ctx, RW_LOG_INFO, "checkpoint at %s = %.9g", rw_run_axis(r), r->checkpoint_time);
    return rw_log_event(r, "checkpoint", NULL, NULL);
}

rw_status rw_checkpoint_write(rw_run *r)
{
    rw_phase before = rw_watch(r, RW_PHASE_CHECKPOINT);
    rw_status status = write_checkpoint(r);
    rw_watch(r, before);
    return status;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

static rw_status check_text(rw_run *r, rw_h5 *file, const char *path, const char *name, const char *ours,
                            const char *what)
{
    char *theirs;
    RW_TRY(rw_h5_get_text(file, "/", name, &theirs));
    rw_status status = RW_OK;
    if (strcmp(theirs, ours) != 0)
        status = rw_fail(r->ctx, RW_ERR_INPUT,
                         "'%s' is the checkpoint of another case: its %s is %.16s, that of %s is %.16s: use the "
                         "case and the rw_run_options.set of that run, or begin again with rw_run_options.force",
                         path, what, theirs, rw_case_file(r->c), ours);
    rw_free(theirs);
    return status;
}

/* Counts come from a file: checked before they are used. */
static rw_status get_count(rw_run *r, rw_h5 *file, const char *path, const char *name, int64_t least, int64_t most,
                           int64_t *value)
{
    RW_TRY(rw_h5_get_integer(file, "/", name, value));
    if (*value >= least && *value <= most) return RW_OK;
    return rw_fail(r->ctx, RW_ERR_INPUT,
                   "'%s': %s = %lld is invalid: the checkpoint is damaged: begin again with rw_run_options.force", path,
                   name, (long long)*value);
}

static rw_status load_interpolation(rw_run *r, rw_h5 *file, const char *path)
{
    if (!(r->output.interpolate > 0)) return RW_OK;
    RW_TRY(get_count(r, file, path, "outputs_interpolated", 0, r->noutputs, &r->interpolated));
    RW_TRY(rw_h5_get_number(file, "/", "stride", &r->stride));
    RW_TRY(rw_h5_get_number(file, "/", "begun_at", &r->begun_at));
    RW_TRY(rw_h5_get_number(file, "/", "last_look", &r->last_look));
    if (r->stride > 0 && isfinite(r->begun_at)) return RW_OK;
    return rw_fail(
        r->ctx, RW_ERR_INPUT,
        "'%s': steps of %g from t = %g are invalid: the checkpoint is damaged: begin again with rw_run_options.force",
        path, r->stride, r->begun_at);
}

static rw_status load(rw_run *r, rw_h5 *file, const char *path, uint64_t *position)
{
    int64_t format, outputs, place;
    rw_status status = rw_h5_get_integer(file, "/", "rechenwerk_checkpoint", &format);
    if (status == RW_ERR_MEMORY) return status;
    if (status != RW_OK || format != FORMAT)
        return rw_fail(r->ctx, RW_ERR_INPUT,
                       "'%s' is not a checkpoint that version %s can read: begin again with "
                       "rw_run_options.force",
                       path, rw_version());
    RW_TRY(check_text(r, file, path, "problem", r->ops->name, "problem"));
    bool known;
    RW_TRY(rw_restart_check(r, file, path, &known));
    if (!known) RW_TRY(check_text(r, file, path, "case_hash", r->hash, "hash of the settings"));
    RW_TRY(rw_h5_get_number(file, "/", "start", &r->start));
    RW_TRY(get_count(r, file, path, "outputs", 0, 1 << 30, &outputs));
    RW_TRY(get_count(r, file, path, "next_output", 0, INT64_MAX, &r->next));
    RW_TRY(get_count(r, file, path, "last_row", -1, INT64_MAX, &r->last_row));
    RW_TRY(get_count(r, file, path, "series_position", 0, INT64_MAX, &place));
    RW_TRY(get_count(r, file, path, "restarts", 0, INT64_MAX - 1, &r->restarts));
    *position = (uint64_t)place;
    int64_t no_sides = 1; /* a checkpoint of an older version */
    if (rw_h5_has_attribute(file, "/", "no_sides")) RW_TRY(get_count(r, file, path, "no_sides", 0, 1, &no_sides));
    r->no_sides = no_sides;
    if (outputs > 0) {
        size_t n = (size_t)outputs, shape[RW_IO_RANK];
        rw_dtype type;
        int rank;
        RW_TRY(rw_h5_shape(file, "/run/times", &type, &rank, shape)); /* before memory is taken for them */
        if (rank != 1 || shape[0] != n)
            return rw_fail(r->ctx, RW_ERR_INPUT,
                           "'%s': the number of output times is not %zu: the checkpoint is damaged: begin again "
                           "with rw_run_options.force",
                           path, n);
        if (!rw_grow(&r->times, &r->times_capacity, (int)n, sizeof(*r->times)))
            return rw_fail_memory(r->ctx, n * sizeof(*r->times), "the times of the outputs");
        RW_TRY(rw_h5_read(file, "/run/times", RW_F64, 1, &n, r->times));
    }
    r->noutputs = (int)outputs;
    RW_TRY(rw_contents_load(r, file));
    RW_TRY(rw_probes_load(r, file));
    RW_TRY(load_interpolation(r, file, path));
    RW_TRY(rw_backend_compare(r, file));
    return r->ops->load(r->problem, file);
}

rw_status rw_checkpoint_load(rw_run *r, uint64_t *position)
{
    char path[RW_PATH_SIZE];
    rw_h5 *file;
    rw_run_path(r, "checkpoint.h5", path);
    rw_status status = rw_h5_open_alone(r->ctx, path, &file);
    if (status == RW_OK) status = load(r, file, path, position);
    rw_h5_close(&file);
    if (status != RW_OK) return rw_fail_prefix(r->ctx, status, "cannot continue");
    r->checkpoint_time = rw_run_time(r);
    r->checkpoint_step = rw_run_steps(r);
    r->checkpoint_clock = rw_seconds();
    r->restarts++;
    return RW_OK;
}
