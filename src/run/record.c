/* What a run says about itself: settings.yaml once, run.json again and again, log.jsonl line by line.
 *
 * run.json is replaced as a whole; the log is appended to, each line by one write, so that a process killed at any
 * moment leaves whole lines. No field of them names the machine or the user. */
#include "run/run_private.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/json.h"

void rw_time_now(char text[32])
{
    time_t now = time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || !strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc)) text[0] = '\0';
}

rw_status rw_record_settings(rw_run *r)
{
    char path[RW_PATH_SIZE];
    rw_text text = {0};
    RW_TRY(rw_folder_claim(r, "settings.yaml", path));
    rw_status status = rw_case_write(r->c, &text);
    if (status == RW_OK) status = rw_file_write(r->ctx, path, text.data, text.length);
    rw_text_free(&text);
    return status;
}

/* ---- run.json ---------------------------------------------------------------------------------------------------- */

static void add_device(rw_json_writer *w, const rw_run *r)
{
    const rw_device_properties *info = rw_device_info(r->device);
    rw_json_add_object(w, "device");
    rw_json_add_string(w, "name", info->name);
    rw_json_add_string(w, "kind", info->kind);
    rw_json_add_string(w, "hardware", info->hardware);
    rw_json_add_string(w, "driver", info->driver);
    rw_json_add_string(w, "compiler", r->backend.compiler);
    rw_json_add_string(w, "instruction_set", r->backend.instructions);
    rw_json_add_string(w, "key", r->backend.key);
    rw_json_add_integer(w, "units", info->units);
    rw_json_close(w);
}

static void add_statistics(rw_json_writer *w, const rw_run *r)
{
    enum { MOST = 64 };
    const char *names[MOST];
    double values[MOST];
    int n = r->ops->statistics ? r->ops->statistics(r->problem, names, values, MOST) : 0;
    rw_json_add_object(w, "statistics");
    for (int i = 0; i < n; i++) rw_json_add_number(w, names[i], values[i]);
    rw_json_close(w);
}

static void add_method(rw_json_writer *w, const rw_run *r)
{
    const char *reason = "";
    if (!r->ops->method || !r->problem) return;
    rw_json_add_object(w, "method");
    rw_json_add_string(w, "name", r->ops->method(r->problem, &reason));
    if (reason[0]) rw_json_add_string(w, "reason", reason);
    rw_json_close(w);
}

static void add_checks(rw_json_writer *w, const rw_run *r)
{
    rw_json_add_array(w, "checks");
    for (int i = 0; i < r->nchecks; i++) {
        rw_json_object(w);
        rw_json_add_string(w, "name", r->checks[i].name);
        rw_json_add_number(w, "value", r->checks[i].value);
        rw_json_add_number(w, "expect", r->checks[i].expect);
        rw_json_add_number(w, "tolerance", r->checks[i].tolerance);
        rw_json_add_bool(w, "passed", r->checks[i].passed);
        rw_json_close(w);
    }
    rw_json_close(w);
}

static void add_counters(rw_json_writer *w, const rw_run *r)
{
    rw_counters c = {0};
    if (r->device) rw_device_get_counters(r->device, &c);
    rw_json_add_object(w, "counters");
    rw_json_add_integer(w, "launches", c.launches);
    rw_json_add_integer(w, "replays", c.replays);
    rw_json_add_integer(w, "compilations", c.compilations);
    rw_json_add_integer(w, "cache_hits", c.cache_hits);
    rw_json_add_number(w, "compile_seconds", c.compile_seconds);
    rw_json_add_integer(w, "copies_in", c.copies_in);
    rw_json_add_integer(w, "copies_out", c.copies_out);
    rw_json_add_integer(w, "bytes_in", c.bytes_in);
    rw_json_add_integer(w, "bytes_out", c.bytes_out);
    rw_json_add_integer(w, "bytes_allocated_peak", c.bytes_allocated_peak);
    rw_json_close(w);
}

static void add_timings(rw_json_writer *w, rw_run *r)
{
    rw_watch(r, r->watch.phase);
    const double *seconds = r->watch.seconds;
    double total = r->watch.since - r->clock;
    int64_t steps = rw_run_steps(r) - r->pace.first_step;
    rw_json_add_object(w, "seconds");
    rw_json_add_number(w, "total", total);
    rw_json_add_number(w, "create", seconds[RW_PHASE_CREATE]);
    rw_json_add_number(w, "compile", r->watch.compile);
    rw_json_add_number(w, "steps", seconds[RW_PHASE_STEPS]);
    rw_json_add_number(w, "output", seconds[RW_PHASE_OUTPUT]);
    rw_json_add_number(w, "checkpoint", seconds[RW_PHASE_CHECKPOINT]);
    rw_json_close(w);
    double rate = steps > 0 && seconds[RW_PHASE_STEPS] > 0 ? (double)steps / seconds[RW_PHASE_STEPS] : NAN;
    rw_json_add_number(w, "steps_per_second", rate);
    rw_json_add_number(w, "points_per_second", rate * (double)r->points);
}

rw_status rw_record_run(rw_run *r, rw_status result, const char *reason)
{
    char path[RW_PATH_SIZE], now[32];
    rw_text text = {0};
    rw_json_writer w;
    rw_json_begin(&w, &text, 2);
    rw_json_object(&w);
    rw_json_add_string(&w, "program", "rechenwerk");
    rw_json_add_string(&w, "version", rw_version());
    rw_json_add_string(&w, "commit", rw_build_commit());
    rw_json_add_string(&w, "case", rw_case_name(r->c));
    rw_json_add_string(&w, "problem", r->ops->name);
    rw_json_add_string(&w, "case_hash", r->hash);
    add_device(&w, r);
    rw_json_add_string(&w, "started", r->started);
    rw_time_now(now);
    rw_json_add_string(&w, "ended", reason ? now : NULL);
    rw_json_add_string(&w, "state", reason ? "ended" : "running");
    rw_json_add_string(&w, "reason", reason);
    rw_json_add_string(&w, "status", reason ? rw_status_name(result) : NULL);
    rw_json_key(&w, "exit_code");
    if (reason) rw_json_integer(&w, rw_status_exit_code(result));
    else rw_json_string(&w, NULL);
    rw_json_add_string(&w, "message", reason && result != RW_OK ? rw_message(r->ctx) : NULL);
    rw_json_add_number(&w, "time", rw_run_time(r));
    if (r->march) rw_json_add_number(&w, "end", r->end);
    else {
        rw_json_add_number(&w, "residual", r->stationary->residual(r->problem));
        rw_json_add_number(&w, "tolerance", r->problem->tolerance);
    }
    rw_json_add_integer(&w, "steps", rw_run_steps(r));
    rw_json_add_integer(&w, "outputs", r->noutputs);
    rw_json_add_integer(&w, "outputs_interpolated", r->interpolated);
    rw_json_add_integer(&w, "checkpoints", r->ncheckpoints);
    rw_json_add_number(&w, "checkpoint_time", r->checkpoint_time);
    rw_json_add_integer(&w, "restarts", r->restarts);
    add_checks(&w, r);
    add_timings(&w, r);
    add_method(&w, r);
    add_statistics(&w, r);
    add_counters(&w, r);
    rw_json_close(&w);
    rw_text_add(&text, "\n");
    rw_status status =
        text.failed ? rw_fail_memory(r->ctx, text.length, "run.json") : rw_folder_claim(r, "run.json", path);
    if (status == RW_OK) status = rw_file_write(r->ctx, path, text.data, text.length);
    rw_text_free(&text);
    r->recorded = rw_seconds();
    return status;
}

/* ---- log.jsonl --------------------------------------------------------------------------------------------------- */

static rw_status fail_log(const rw_run *r, int reason)
{
    return rw_fail(r->ctx, RW_ERR_FILE,
                   "cannot write '%s/log.jsonl': %s: free some space or choose another folder "
                   "with rw_run_options.folder",
                   r->folder, strerror(reason));
}

/* Cuts off a last line that has no end: half of what a full disk let through. */
static void cut_torn_line(int fd)
{
    char piece[4096];
    struct stat info;
    if (fstat(fd, &info) != 0) return;
    off_t end = info.st_size;
    while (end > 0) {
        size_t n = end < (off_t)sizeof(piece) ? (size_t)end : sizeof(piece);
        ssize_t got = pread(fd, piece, n, end - (off_t)n);
        if (got != (ssize_t)n) return;
        for (size_t i = n; i > 0; i--, end--) {
            if (piece[i - 1] != '\n') continue;
            if (end < info.st_size) (void)!ftruncate(fd, end);
            return;
        }
    }
    (void)!ftruncate(fd, 0);
}

rw_status rw_log_open(rw_run *r)
{
    char path[RW_PATH_SIZE];
    RW_TRY(rw_folder_claim(r, "log.jsonl", path));
    r->log = rw_open_at(r->lock, "log.jsonl", O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0666);
    if (r->log < 0) return fail_log(r, errno);
    cut_torn_line(r->log);
    return RW_OK;
}

rw_status rw_log_event(rw_run *r, const char *event, const char *key, const char *value)
{
    if (r->log < 0) return RW_OK;
    char now[32];
    rw_text text = {0};
    rw_json_writer w;
    rw_time_now(now);
    rw_json_begin(&w, &text, 0);
    rw_json_object(&w);
    rw_json_add_string(&w, "when", now);
    rw_json_add_integer(&w, "milliseconds", (int64_t)((rw_seconds() - r->clock) * 1e3));
    rw_json_add_string(&w, "event", event);
    rw_json_add_number(&w, "t", rw_run_time(r));
    rw_json_add_integer(&w, "step", rw_run_steps(r));
    if (key) rw_json_add_string(&w, key, value);
    rw_json_close(&w);
    rw_text_add(&text, "\n");
    rw_status status = RW_OK;
    if (text.failed) status = rw_fail_memory(r->ctx, text.length, "a line of log.jsonl");
    else if (!rw_write_all(r->log, text.data, text.length)) status = fail_log(r, errno);
    rw_text_free(&text);
    return status;
}
