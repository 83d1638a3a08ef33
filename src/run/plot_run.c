/* The run that made results which are there: its settings.yaml read as a case, so that pictures made later are those of
 * the run. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/run_private.h"

static const char *const changes[RW_PLOT_SETTINGS] = {[RW_PLOT_LIMITS] = "output.limits",
                                                      [RW_PLOT_COLORMAP] = "output.colormap",
                                                      [RW_PLOT_STREAMLINES] = "output.streamlines",
                                                      [RW_PLOT_TITLE] = "title"};

/* Settings of pictures only: results that are there cannot change. */
static rw_status check_set(rw_context *ctx, const rw_plot_options *options)
{
    for (int i = 0; i < options->nset; i++) {
        const char *text = options->set[i], *end = text + strcspn(text, "=");
        char key[64];
        bool good = false;
        snprintf(key, sizeof(key), "%.*s", (int)(end - text), text);
        for (int k = 0; k < RW_COUNT(changes); k++) good = good || (strcmp(key, changes[k]) == 0 && *end);
        if (good) continue;
        return rw_fail(ctx, RW_ERR_INPUT,
                       "--set %.100s: plot accepts only the settings output.limits, output.colormap, "
                       "output.streamlines and title%s",
                       text, rw_hint_nearest(key, changes, RW_COUNT(changes)).text);
    }
    return RW_OK;
}

/* With output.figures: [], settings of pictures would be reported as without effect; here they have one. */
static rw_status read_case(rw_run *r, const char *path, const char *text, size_t n)
{
    int nset = r->options.nset;
    const char **set = rw_calloc((size_t)nset + 1, sizeof(*set));
    if (!set) return rw_fail_memory(r->ctx, ((size_t)nset + 1) * sizeof(*set), "the settings");
    set[0] = "output.figures=[all]";
    for (int i = 0; i < nset; i++) set[i + 1] = r->options.set[i];
    rw_status status = rw_case_parse(r->ctx, path, text, n, set, nset + 1, rw_problems, &r->c);
    rw_free(set);
    return status;
}

/* The settings as a case; the problem without its state. */
static rw_status read_run(rw_run *r, const char *path, const char *text, size_t n)
{
    RW_TRY(read_case(r, path, text, n));
    RW_TRY(rw_run_take_case(r));
    RW_TRY(rw_frames_check(r));
    if (!r->ops->outline) return RW_OK;
    RW_TRY(r->ops->outline(r->c, &r->problem));
    rw_run_take_problem(r);
    return rw_output_check_streamlines(r);
}

rw_status rw_plot_find_run(rw_context *ctx, const char *folder, const rw_plot_options *options, rw_run *r,
                           rw_run_report *report, bool *known)
{
    char path[RW_PATH_SIZE];
    struct stat info;
    const rw_run_options run = {.folder = folder, .set = options->set, .nset = options->nset, .force = options->force};
    rw_run_prepare(r, ctx, &run, report);
    *known = false;
    RW_TRY(check_set(ctx, options));
    if (!folder && options->nset == 0) return RW_OK;
    if (!folder)
        return rw_fail(ctx, RW_ERR_INPUT,
                       "--set %.100s: the file is not in the folder fields/ of results, so there is no "
                       "settings.yaml with the settings of its pictures: omit --set",
                       options->set[0]);
    RW_TRY(rw_run_choose_folder(r));
    rw_run_path(r, "settings.yaml", path);
    if (stat(path, &info) != 0) {
        if (options->nset == 0) return RW_OK;
        return rw_fail(ctx, RW_ERR_INPUT,
                       "--set %.100s: '%s', which has the settings of the pictures, is missing: omit --set",
                       options->set[0], path);
    }
    char *text;
    size_t n;
    /* a file that cannot be read is no reason for other pictures */
    RW_TRY(rw_file_read(ctx, path, 1 << 23, &text, &n));
    rw_status status = read_run(r, path, text, n);
    rw_free(text);
    *known = status == RW_OK && r->problem != NULL;
    if (status != RW_ERR_INPUT || options->nset > 0) return status;
    rw_log(ctx, RW_LOG_WARNING, "%s: each picture has its own limits, and no nodes on Dirichlet sides",
           rw_message(ctx));
    return RW_OK;
}

void rw_plot_warn_unused(rw_context *ctx, const rw_plot_options *options, const bool used[RW_PLOT_SETTINGS])
{
    char list[100] = "";
    for (int k = 0; k < RW_PLOT_SETTINGS; k++) {
        size_t length = strlen(changes[k]);
        bool given = false;
        for (int i = 0; i < options->nset; i++)
            given = given || (strncmp(options->set[i], changes[k], length) == 0 && options->set[i][length] == '=');
        size_t end = strlen(list);
        if (given && !used[k]) snprintf(list + end, sizeof(list) - end, "%s%s", end ? ", " : "", changes[k]);
    }
    if (*list)
        rw_log(ctx, RW_LOG_WARNING,
               "--set %s has no effect on the pictures drawn: output.limits applies to pictures of fields, "
               "output.colormap to those in two or three dimensions, output.streamlines to vectors on a plane",
               list);
}
