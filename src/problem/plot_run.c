/* The run that made results which are there: its settings.yaml read as a case, so that pictures made later are those of the
 * run. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "problem/run_private.h"

static const char *const changes[] = {"output.limits", "output.colormap", "title"};

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
        const char *nearest = rw_nearest(key, changes, RW_COUNT(changes));
        return rw_fail(
            ctx, RW_ERR_INPUT,
            "--set %.100s: pictures of results that are there have the settings output.limits, output.colormap "
            "and title%s%s",
            text, nearest ? "; nearest is " : "", nearest ? nearest : "");
    }
    return RW_OK;
}

/* The settings as a case; the problem without its state. */
static rw_status read_run(rw_run *r, const char *path, const char *text, size_t n)
{
    RW_TRY(rw_case_parse(r->ctx, path, text, n, r->options.set, r->options.nset, rw_problems, &r->c));
    RW_TRY(rw_run_take_case(r));
    RW_TRY(rw_frames_check(r));
    if (!r->ops->outline) return RW_OK;
    RW_TRY(r->ops->outline(r->c, &r->problem));
    r->grid = r->ops->grid(r->problem);
    r->points = r->grid->size[0] * r->grid->size[1] * r->grid->size[2];
    return RW_OK;
}

rw_status rw_plot_find_run(rw_context *ctx, const char *folder, const rw_plot_options *options, rw_run *r,
                           rw_run_report *report, bool *known)
{
    char path[RW_PATH_SIZE];
    struct stat info;
    const rw_run_options run = {.folder = folder, .set = options->set, .nset = options->nset};
    rw_run_prepare(r, ctx, &run, report);
    *known = false;
    RW_TRY(check_set(ctx, options));
    RW_TRY(rw_run_choose_folder(r));
    rw_run_path(r, "settings.yaml", path);
    if (stat(path, &info) != 0) {
        if (options->nset == 0) return RW_OK;
        return rw_fail(ctx, RW_ERR_INPUT,
                       "--set %.100s: '%s' is not there, which has the settings of the pictures: leave --set out",
                       options->set[0], path);
    }
    char *text;
    size_t n;
    RW_TRY(rw_file_read(ctx, path, 1 << 23, &text, &n)); /* a file that cannot be read is no reason for other pictures */
    rw_status status = read_run(r, path, text, n);
    rw_free(text);
    *known = status == RW_OK && r->problem != NULL;
    if (status != RW_ERR_INPUT || options->nset > 0) return status;
    rw_log(ctx, RW_LOG_WARNING, "%s: pictures have limits of their own, and no nodes on Dirichlet sides",
           rw_message(ctx));
    return RW_OK;
}
