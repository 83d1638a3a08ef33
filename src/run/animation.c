/* Animations of the pictures of a run (output.animation), made at its end: figures/u-animation.png (APNG), and
 * figures/u-animation.mp4 where a program ffmpeg is found. A film that ffmpeg does not make is a warning. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device/cpu/cc.h"
#include "device/process.h"
#include "io/apng.h"
#include "run/run_private.h"

#define SECONDS 600.0 /* after which ffmpeg is ended */

static bool has_pictures(const rw_run *r, const char *name)
{
    for (int f = 0; f < r->problem->nfields; f++)
        if (strcmp(rw_state_shown(&r->problem->fields[f]), name) == 0 && rw_contents_draws(r, f) &&
            !rw_layout_is_points(rw_output_layout(r->problem, f)))
            return true;
    return false;
}

rw_status rw_animation_check(const rw_run *r)
{
    const rw_texts *list = &r->output.animation;
    if (list->n == 0) return RW_OK;
    const rw_tree *node = list->item[0];
    if (r->grid->kind == RW_LAYOUT_VALUE)
        return rw_case_fail(r->c, node,
                            "output.animation: there are no frames, since there is no space (grid: none): pictures are "
                            "curves over time: omit this setting");
    if (r->output.figures_every != RUN_FIGURES_ALL)
        return rw_case_fail(r->c, node,
                            "output.animation: there are no frames, since output.figures_every = last draws one "
                            "picture: choose all");
    if (!(r->output.every > 0) && r->output.every_steps == 0)
        return rw_case_fail(r->c, node,
                            "output.animation: there are no frames between the start and the end: set output.every, "
                            "the time between pictures%s",
                            r->stationary ? ", or output.every_steps" : "");
    for (int i = 0; i < list->n; i++) {
        const char *name = list->item[i]->text;
        bool any = false;
        for (int f = 0; f < r->problem->nfields && strcmp(name, "all") == 0; f++)
            any = any || has_pictures(r, rw_state_shown(&r->problem->fields[f]));
        if (any || has_pictures(r, name)) continue;
        return rw_case_fail(r->c, list->item[i],
                            "output.animation: there are no frames of '%.60s', since output.figures draws no pictures "
                            "of it: add it there",
                            name);
    }
    return RW_OK;
}

/* "figures/u-animation.png" */
static void name_file(const char *field, const char *ending, char name[160])
{
    char file[100];
    rw_picture_name(field, file, sizeof(file));
    snprintf(name, 160, "figures/%s-animation.%s", file, ending);
}

/* ---- films ------------------------------------------------------------------------------------------------------- */

static bool run_ffmpeg(rw_run *r, char *program, char *from, char *to)
{
    rw_temporary folder;
    if (rw_temporary_create(r->ctx, &folder) != RW_OK) return false;
    char *log = rw_format("%s/log", folder.path);
    /* the sizes of a film are even */
    char *argv[] = {program,    "-y",      "-loglevel", "error",
                    "-i",       from,      "-vf",       "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white",
                    "-pix_fmt", "yuv420p", "-movflags", "+faststart",
                    to,         NULL};
    const bool good = log && rw_process_run(argv, &folder, log, SECONDS) == 0;
    rw_temporary_remove(&folder);
    rw_free(log);
    return good;
}

static rw_status make_film(rw_run *r, const char *field, char *from)
{
    char name[160], path[RW_PATH_SIZE], program[RW_CC_PATH];
    if (!rw_cc_find_on_path("ffmpeg", program)) return RW_OK;
    name_file(field, "mp4", name);
    rw_status status = rw_folder_claim(r, name, path);
    if (status == RW_OK && !run_ffmpeg(r, program, from, path)) {
        unlink(path);
        rw_log(r->ctx, RW_LOG_WARNING, "%s has not made '%s': the animation is in '%s'", program, path, from);
    }
    return status;
}

/* ---- at the end -------------------------------------------------------------------------------------------------- */

static void free_frames(char **list, int n)
{
    for (int i = 0; list && i < n; i++) rw_free(list[i]);
    rw_free(list);
}

/* The pictures of a field that are there; *n of them. rw_free each and the list. NULL: no memory. */
static char **list_frames(const rw_run *r, const char *field, int *n)
{
    char file[100], name[160], path[RW_PATH_SIZE];
    char **list = rw_calloc((size_t)r->noutputs + 1, sizeof(*list));
    *n = 0;
    rw_picture_name(field, file, sizeof(file));
    for (int k = 0; list && k < r->noutputs; k++) {
        snprintf(name, sizeof(name), "figures/%s-%06d%s.png", file, k, r->grid->blocks ? "-across" : "");
        rw_run_path(r, name, path);
        if (access(path, F_OK) != 0) continue;
        list[*n] = rw_strdup(path);
        if (list[*n]) {
            ++*n;
        } else {
            free_frames(list, *n);
            list = NULL;
        }
    }
    return list;
}

static rw_status animate(rw_run *r, const char *field)
{
    int n;
    char name[160], path[RW_PATH_SIZE], **frames = list_frames(r, field, &n);
    name_file(field, "png", name);
    rw_status status = frames ? rw_folder_claim(r, name, path) : rw_fail_memory(r->ctx, 64, "an animation");
    if (status == RW_OK && n > 0)
        status = rw_apng_write(r->ctx, path, n, (const char *const *)frames, r->output.animation_rate);
    free_frames(frames, n);
    return status == RW_OK && n > 0 ? make_film(r, field, path) : status;
}

rw_status rw_animation_make(rw_run *r)
{
    const rw_texts *list = &r->output.animation;
    for (int f = 0; f < r->problem->nfields && list->n > 0; f++) {
        const rw_state_field *field = &r->problem->fields[f];
        if (!rw_contents_wants(list, field) || !has_pictures(r, rw_state_shown(field)) || field->component > 0)
            continue;
        const rw_dtype type = rw_array_dtype(field->array);
        for (int view = 0; view < rw_views(type, r->grid); view++) {
            char name[RW_VIEW_NAME];
            rw_view_name(type, r->grid, rw_state_shown(field), view, name);
            RW_TRY(animate(r, name));
        }
    }
    return RW_OK;
}
