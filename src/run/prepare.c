/* What a run and an explanation of it have in common: the case read, its folder named, the device opened, the memory
 * estimated, the problem created; and all of it given back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/memory.h"
#include "run/run_private.h"

void rw_run_prepare(rw_run *r, rw_context *ctx, const rw_run_options *options, rw_run_report *report)
{
    static const rw_run_options none;
    *report = (rw_run_report){.folder = ""};
    *r = (rw_run){.ctx = ctx,
                  .options = options ? *options : none,
                  .report = report,
                  .lock = -1,
                  .log = -1,
                  .journal = {.file = -1},
                  .last_row = -1,
                  .stride = INFINITY,
                  .last_look = NAN,
                  .earlier_end = NAN,
                  .checkpoint_time = NAN,
                  .clock = rw_seconds()};
    r->watch.since = r->clock;
    rw_time_now(r->started);
}

rw_status rw_run_take_case(rw_run *r)
{
    r->ops = rw_case_problem(r->c);
    snprintf(r->report->problem, sizeof(r->report->problem), "%s", r->ops->name);
    RW_TRY(rw_case_section(r->c, "top", &r->top));
    RW_TRY(rw_case_section(r->c, "output", &r->output));
    return rw_case_section(r->c, "checkpoint", &r->checkpoint);
}

rw_status rw_run_read_case(rw_run *r, const rw_problem_ops *const *problems, const char *path)
{
    const rw_run_options *o = &r->options;
    int n = o->nset;
    const char **set = rw_calloc((size_t)n + 1, sizeof(*set));
    char *device = o->device ? rw_format("-d %s", o->device) : NULL;
    rw_status status;
    if (!set || (o->device && !device)) RW_TRY_GOTO(rw_fail_memory(r->ctx, 64, "the settings"), done);
    for (int i = 0; i < n; i++) set[i] = o->set[i];
    if (device) set[n++] = device;
    RW_TRY_GOTO(rw_case_read(r->ctx, path, set, n, problems, &r->c), done);
    RW_TRY_GOTO(rw_run_take_case(r), done);
    status = rw_case_hash(r->c, r->hash);
done:
    rw_free(set);
    rw_free(device);
    return status;
}

rw_status rw_run_choose_folder(rw_run *r)
{
    size_t size = sizeof(r->report->folder);
    char *folder = r->report->folder;
    int n = r->options.folder ? snprintf(folder, size, "%s", r->options.folder)
                              : snprintf(folder, size, "results/%s", rw_case_name(r->c));
    while (n > 1 && n < (int)size && folder[n - 1] == '/') folder[--n] = '\0';
    r->folder = folder;
    if (n > 0 && n < (int)size) return RW_OK;
    return rw_fail(r->ctx, RW_ERR_ARGUMENT,
                   "the name of the results folder is %s: give another with rw_run_options.folder",
                   n > 0 ? "too long" : "empty");
}

/* A device that cannot be had is the fault of who asked for it: "-d: device …", "case.yaml:3:9: device …". */
static rw_status find_device(rw_run *r)
{
    const rw_tree *node = rw_case_node(r->c, "device");
    char place[320];
    rw_status status = rw_device_open(r->ctx, r->top.device, &r->device);
    if (status == RW_OK || status == RW_ERR_MEMORY || !node) return status;
    if (r->options.device) snprintf(place, sizeof(place), "-d");
    else rw_tree_place(node, place, sizeof(place));
    return rw_fail_prefix(r->ctx, status, "%s", place);
}

rw_status rw_run_open(rw_run *r)
{
    RW_TRY(find_device(r));
    snprintf(r->report->device, sizeof(r->report->device), "%s", rw_device_info(r->device)->name);
    return RW_OK;
}

rw_status rw_run_create(rw_run *r, int64_t *bytes)
{
    RW_TRY(rw_run_open(r));
    RW_TRY(r->ops->create(r->c, r->device, true, bytes, NULL));
    if (r->top.memory && !rw_device_info(r->device)->managed)
        return rw_case_fail(r->c, rw_case_node(r->c, "memory"),
                            "memory = managed: %s has no managed memory: omit this setting, or choose another "
                            "device",
                            rw_device_info(r->device)->name);
    char needed[32];
    rw_memory_text(*bytes, needed);
    rw_log(r->ctx, RW_LOG_INFO, "device %s: %s, %s; needs about %s", r->report->device,
           rw_device_info(r->device)->hardware, rw_device_info(r->device)->driver, needed);
    RW_TRY(rw_memory_check(r->ctx, rw_case_file(r->c), r->device, *bytes));
    RW_TRY(r->ops->create(r->c, r->device, false, bytes, &r->problem));
    rw_run_take_problem(r);
    r->start = rw_run_time(r);
    return RW_OK;
}

void rw_run_release(rw_run *r)
{
    if (r->problem) {
        r->report->time = rw_run_time(r);
        r->report->end = r->begun ? r->end : r->problem->end;
        if (r->stationary) {
            r->report->end = r->report->time;
            r->report->residual = r->stationary->residual(r->problem);
            r->report->tolerance = r->problem->tolerance;
        }
        r->report->step = rw_run_steps(r);
        r->ops->destroy(&r->problem);
    }
    r->report->outputs = r->noutputs;
    r->report->pictures = r->npictures;
    r->report->seconds = rw_seconds() - r->clock;
    rw_csv_close(&r->series);
    rw_probes_free(r);
    rw_pace_end(r);
    rw_folder_end(r);
    rw_device_close(&r->device);
    rw_case_free(&r->c);
    rw_contents_free(r);
    rw_free(r->times);
    rw_free(r->row);
    rw_frames_free(r);
    rw_drawing_free(r);
}

/* What is to be said of a case: its plan, or the graph of a step with `dot` for its picture. */
typedef struct question {
    bool graph;
    int stages;
    const char *dot;
} question;

static rw_status answer(rw_run *r, const question *q, rw_text *text)
{
    char *dot = NULL;
    if (!q->graph) return r->ops->explain ? r->ops->explain(r->problem, text) : RW_OK;
    if (!r->ops->graph)
        return rw_fail(r->ctx, RW_ERR_UNSUPPORTED, "the problem %s has no task graph of a step", r->ops->name);
    RW_TRY(r->ops->graph(r->problem, q->stages, text, q->dot ? &dot : NULL));
    rw_status status = q->dot ? rw_file_write(r->ctx, q->dot, dot, strlen(dot)) : RW_OK;
    free(dot);
    return status;
}

/* Creates the problem for it. */
static rw_status explain(rw_run *r, const void *user, rw_text *text)
{
    int64_t bytes = 0;
    char needed[32], available[32];
    RW_TRY(rw_run_create(r, &bytes));
    rw_memory_text(bytes, needed);
    rw_memory_text(rw_memory_available(r->device), available);
    rw_text_add(text, "case     %s: problem %s\n", rw_case_file(r->c), r->ops->name);
    rw_text_add(text, "device   %s: %s\n", r->report->device, rw_device_info(r->device)->hardware);
    rw_text_add(text, "memory   %s needed, %s free\n", needed, available);
    return answer(r, user, text);
}

rw_status rw_run_describe(rw_context *ctx, const char *path, const rw_run_options *options,
                          rw_run_description *describe, const void *user, char **text)
{
    rw_run r;
    rw_run_report report;
    rw_status status;
    rw_text t = {0};
    const bool reproducible = ctx->reproducible;
    *text = NULL;
    rw_run_prepare(&r, ctx, options, &report);
    RW_TRY_GOTO(rw_run_read_case(&r, rw_problems, path), done);
    if (r.top.reproducible) rw_context_set_reproducible(ctx, true);
    RW_TRY_GOTO(describe(&r, user, &t), done);
    if (t.failed) RW_TRY_GOTO(rw_fail_memory(ctx, t.length, "the text"), done);
    *text = t.data;
    t = (rw_text){0};
done:
    rw_text_free(&t);
    rw_run_release(&r);
    rw_context_set_reproducible(ctx, reproducible);
    return status;
}

rw_status rw_explain_case_sized(rw_context *ctx, const char *path, const rw_run_options *options, char **text,
                                size_t options_size)
{
    RW_NEED(text, "text");
    *text = NULL;
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    RW_STRUCT_IN(ctx, rw_run_options, options, options_size);
    return rw_run_describe(ctx, path, options, explain, &(question){0}, text);
}

static rw_status write_text(rw_run *r, const void *user RW_UNUSED, rw_text *text) { return rw_case_text(r->c, text); }

rw_status rw_explain_text_sized(rw_context *ctx, const char *path, const rw_run_options *options, char **text,
                                size_t options_size)
{
    RW_NEED(text, "text");
    *text = NULL;
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    RW_STRUCT_IN(ctx, rw_run_options, options, options_size);
    return rw_run_describe(ctx, path, options, write_text, NULL, text);
}

rw_status rw_explain_graph_sized(rw_context *ctx, const char *path, const rw_run_options *options, int stages,
                                 const char *dot, char **text, size_t options_size)
{
    RW_NEED(text, "text");
    *text = NULL;
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    RW_STRUCT_IN(ctx, rw_run_options, options, options_size);
    return rw_run_describe(ctx, path, options, explain, &(question){true, stages, dot}, text);
}
