/* The run that made results which are there: its settings.yaml read as a case, so that pictures made later are those of
 * the run. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/run_private.h"

static const char *const changes[RW_PLOT_SETTINGS] =
    {[RW_PLOT_LIMITS] = "output.limits", [RW_PLOT_COLORMAP] = "output.colormap", [RW_PLOT_TITLE] = "title"};

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
                       "--set %.100s: plot accepts only the settings output.limits, output.colormap and title%s", text,
                       rw_hint_nearest(key, changes, RW_COUNT(changes)).text);
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
    r->grid = &r->problem->grid;
    r->points = r->grid->size[0] * r->grid->size[1] * r->grid->size[2];
    return RW_OK;
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
               "output.colormap to those in two or three dimensions",
               list);
}

/* ---- outputs of the run ------------------------------------------------------------------------------------------ */

/* Without fields.h5: one more than the largest number of a file in fields/. */
static int count_files(const rw_run *r)
{
    char path[RW_PATH_SIZE], *end;
    long n = 0;
    rw_run_path(r, "fields", path);
    DIR *folder = fdopendir(rw_open(path, O_RDONLY | O_DIRECTORY, 0));
    for (struct dirent *e; folder && (e = readdir(folder));) {
        long number = strtol(e->d_name, &end, 10);
        if (strspn(e->d_name, "0123456789") >= 6 && strcmp(end, ".h5") == 0 && number >= n && number < RW_PLOT_OUTPUTS)
            n = number + 1;
    }
    if (folder) closedir(folder);
    return (int)n;
}

rw_status rw_plot_read_times(rw_run *r)
{
    char path[RW_PATH_SIZE];
    struct stat info;
    rw_h5 *file;
    rw_dtype type;
    int rank;
    size_t shape[RW_IO_RANK];
    if (r->noutputs > 0) return RW_OK;
    rw_run_path(r, "fields.h5", path);
    if (stat(path, &info) != 0) {
        r->noutputs = count_files(r);
        return RW_OK;
    }
    RW_TRY(rw_h5_open_alone(r->ctx, path, &file));
    rw_status status;
    const char *times = rw_h5_exists(file, "/t") ? "/t" : "/times"; /* the name in files of older versions */
    RW_TRY_GOTO(rw_h5_shape(file, times, &type, &rank, shape), cleanup);
    if (rank != 1 || shape[0] == 0 || shape[0] > RW_PLOT_OUTPUTS)
        RW_TRY_GOTO(rw_fail(r->ctx, RW_ERR_INPUT, "'%s' has no output times", path), cleanup);
    if (!(r->times = rw_calloc(shape[0], sizeof(*r->times))))
        RW_TRY_GOTO(rw_fail_memory(r->ctx, shape[0] * sizeof(*r->times), "times"), cleanup);
    RW_TRY_GOTO(rw_h5_read(file, times, RW_F64, 1, shape, r->times), cleanup);
    r->noutputs = (int)shape[0];
cleanup:
    if (status != RW_OK) {
        rw_free(r->times);
        r->times = NULL;
    }
    rw_h5_close(&file);
    return status;
}
