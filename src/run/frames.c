/* One colour scale for all pictures of a field in a run (output.limits: run).
 *
 * Limits are final only when the run ends. So each picture is drawn at once with the limits of those before it, which
 * serves while the run goes on; at the end pictures whose limits were others are drawn again from the written fields. A
 * run that continues another does not know its pictures: it reads those outputs and draws them again. Where a field is
 * not written, its pictures stay as they are, with a warning. Cost: reading the outputs once more, and once more of
 * those of an earlier process. A value that is constant in all pictures has no limits: each takes the same ones by
 * itself. */
#include "run/run_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rechenwerk/run.h"

enum { LIMITS_RUN, LIMITS_FRAME, LIMITS_GIVEN };

typedef struct drawn {
    int output;
    double min, max;
} drawn;

/* Pictures of a field by this process. */
typedef struct reel {
    double low, high; /* of all so far */
    drawn *list;
    int n, capacity;
} reel;

struct rw_frames {
    int nfields;
    reel *reels; /* [nfields] */
};

/* ---- the setting ------------------------------------------------------------------------------------------------- */

static int mode_of(const rw_run *r)
{
    const rw_texts *l = &r->output.limits;
    if (l->n == 0 || (l->n == 1 && strcmp(l->item[0]->text, "frame") == 0)) return LIMITS_FRAME;
    return l->n == 1 ? LIMITS_RUN : LIMITS_GIVEN;
}

rw_status rw_frames_check(rw_run *r)
{
    const rw_texts *l = &r->output.limits;
    double value[2];
    if (l->n == 1) {
        const char *text = l->item[0]->text, *const words[] = {"run", "frame"};
        if (strcmp(text, words[0]) == 0 || strcmp(text, words[1]) == 0) return RW_OK;
        return rw_case_fail(r->c, l->item[0], "output.limits = %.60s is none of run, frame or [lowest, highest]%s",
                            text, rw_hint_nearest(text, words, 2).text);
    }
    for (int i = 0; i < l->n; i++)
        if (!rw_tree_number(l->item[i], &value[i]) || !isfinite(value[i]))
            return rw_case_fail(r->c, l->item[i],
                                "output.limits: %.60s is not a finite number: give run, frame or [lowest, highest]",
                                l->item[i]->text);
    if (l->n == 2 && !(value[0] < value[1]))
        return rw_case_fail(r->c, l->item[0], "output.limits = [%.9g, %.9g]: the first must be below the second",
                            value[0], value[1]);
    return RW_OK;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* What the figure would choose by itself from these extremes; equal: nothing. */
static void limits_of(const rw_run *r, double low, double high, double *min, double *max)
{
    *min = *max = 0;
    if (!(high > low)) return;
    *min = low, *max = high;
    if (r->grid->ndim == 1 && !r->grid->blocks) { /* lines keep off the frame */
        *min -= 0.04 * (high - low), *max += 0.04 * (high - low);
    } else if (r->output.colormap == RW_COLORMAP_DIVERGING) {
        *max = fmax(fabs(low), fabs(high));
        *min = -*max;
    }
}

static rw_status begin(rw_run *r)
{
    const int n = r->problem->nfields;
    if (r->frames) return RW_OK;
    if (!(r->frames = rw_calloc(1, sizeof(*r->frames)))) return rw_fail_memory(r->ctx, sizeof(*r->frames), "pictures");
    if (!(r->frames->reels = rw_calloc((size_t)n + 1, sizeof(reel))))
        return rw_fail_memory(r->ctx, (size_t)n * sizeof(reel), "pictures");
    r->frames->nfields = n;
    for (int i = 0; i < n; i++) r->frames->reels[i].low = INFINITY, r->frames->reels[i].high = -INFINITY;
    return RW_OK;
}

rw_status rw_frames_limits(rw_run *r, int field, int output, const rw_frame *frame, double *min, double *max)
{
    *min = *max = 0;
    if (mode_of(r) == LIMITS_FRAME) return RW_OK;
    if (mode_of(r) == LIMITS_GIVEN) {
        rw_tree_number(r->output.limits.item[0], min);
        rw_tree_number(r->output.limits.item[1], max);
        return RW_OK;
    }
    RW_TRY(begin(r));
    reel *l = &r->frames->reels[field];
    l->low = fmin(l->low, frame->low), l->high = fmax(l->high, frame->high);
    limits_of(r, l->low, l->high, min, max);
    if (!rw_grow(&l->list, &l->capacity, l->n + 1, sizeof(*l->list)))
        return rw_fail_memory(r->ctx, sizeof(*l->list), "pictures");
    l->list[l->n++] = (drawn){output, *min, *max};
    return RW_OK;
}

/* ---- at the end -------------------------------------------------------------------------------------------------- */

/* A written output of a field as it is drawn. `data` is to be freed after the frame. */
static rw_status read_frame(rw_run *r, int field, const char *name, int output, rw_frame *frame, double *t, void **data)
{
    char file[64], path[RW_PATH_SIZE], set[160];
    size_t shape[RW_IO_RANK], bytes;
    rw_dtype type;
    int rank;
    rw_h5 *h5;
    *data = NULL;
    snprintf(file, sizeof(file), "fields/%06d.h5", output);
    snprintf(set, sizeof(set), "/%.120s", name);
    rw_run_path(r, file, path);
    RW_TRY(rw_h5_open_alone(r->ctx, path, &h5));
    rw_status status = rw_h5_get_number(h5, "/", "time", t);
    if (status == RW_OK) status = rw_h5_shape(h5, set, &type, &rank, shape);
    if (status == RW_OK && (rank != 3 || (int64_t)(shape[0] * shape[1] * shape[2]) != r->points ||
                            !rw_io_bytes(rank, shape, rw_dtype_size(type), &bytes)))
        status = rw_fail(r->ctx, RW_ERR_INPUT, "'%s': %s does not fit the grid of the run", path, name);
    if (status == RW_OK && !(*data = rw_calloc(bytes, 1))) status = rw_fail_memory(r->ctx, bytes, name);
    if (status == RW_OK) status = rw_h5_read(h5, set, type, rank, shape, *data);
    rw_h5_close(&h5);
    if (status == RW_OK) status = rw_frame_make(r, field, type, *data, *t, frame);
    if (status != RW_OK) rw_free(*data), *data = NULL;
    return status;
}

/* What this process has drawn of an output; NULL: nothing. */
static const drawn *find(const reel *l, int output)
{
    for (int i = l->n - 1; i >= 0; i--)
        if (l->list[i].output == output) return &l->list[i];
    return NULL;
}

/* Whether an output has the field: not where output.fields was another when it was made, or its file is missing. */
static rw_status find_written(rw_run *r, const char *name, int output, bool *has)
{
    char file[64], path[RW_PATH_SIZE], set[160];
    rw_h5 *h5;
    snprintf(file, sizeof(file), "fields/%06d.h5", output);
    snprintf(set, sizeof(set), "/%.120s", name);
    rw_run_path(r, file, path);
    *has = false;
    if (access(path, F_OK) != 0) return RW_OK;
    RW_TRY(rw_h5_open_alone(r->ctx, path, &h5));
    *has = rw_h5_exists(h5, set);
    rw_h5_close(&h5);
    return RW_OK;
}

/* The same at the end of a run, which a damaged file of an earlier output does not make fail. */
static bool is_written(rw_run *r, const char *name, int output)
{
    bool has;
    return find_written(r, name, output, &has) == RW_OK && has;
}

/* Whether an earlier process has drawn the field at an output. */
static bool is_drawn(const rw_run *r, const char *name, int output)
{
    char file[100], picture[160], path[RW_PATH_SIZE];
    rw_picture_name(name, file, sizeof(file));
    snprintf(picture, sizeof(picture), "figures/%s-%06d%s.png", file, output, r->grid->blocks ? "-across" : "");
    rw_run_path(r, picture, path);
    return access(path, F_OK) == 0;
}

/* Extremes of the outputs that an earlier process has drawn. */
static rw_status look_back(rw_run *r, int field, const char *name, reel *l)
{
    for (int output = 0; output < r->noutputs; output++) {
        rw_frame frame;
        void *data;
        double t;
        if (find(l, output) || !is_drawn(r, name, output) || !is_written(r, name, output)) continue;
        RW_TRY(read_frame(r, field, name, output, &frame, &t, &data));
        l->low = fmin(l->low, frame.low), l->high = fmax(l->high, frame.high);
        rw_free(frame.own);
        rw_free(data);
    }
    return RW_OK;
}

static rw_status draw_again(rw_run *r, int field, const rw_output_field *f, int output, double min, double max)
{
    rw_frame frame;
    void *data;
    double t;
    RW_TRY(read_frame(r, field, f->name, output, &frame, &t, &data));
    rw_status status = rw_figures_frame(r, f, output, t, &frame, min, max, true);
    rw_free(frame.own);
    rw_free(data);
    return status;
}

static rw_status finish_field(rw_run *r, int field, const rw_output_field *f)
{
    reel *l = &r->frames->reels[field];
    double min, max;
    int kept = 0;
    if (l->n < r->noutputs) RW_TRY(look_back(r, field, f->name, l));
    limits_of(r, l->low, l->high, &min, &max);
    for (int output = 0; output < r->noutputs; output++) {
        const drawn *d = find(l, output);
        if (d ? d->min == min && d->max == max : !is_drawn(r, f->name, output)) continue;
        if (is_written(r, f->name, output)) RW_TRY(draw_again(r, field, f, output, min, max));
        else kept++;
    }
    if (kept)
        rw_log(r->ctx, RW_LOG_WARNING,
               "%d pictures of %s retain their earlier limits: they cannot be drawn again with %.9g to %.9g, since "
               "output.fields does not write the field there: give output.limits: [lowest, highest], or frame",
               kept, f->name, l->low, l->high);
    return RW_OK;
}

rw_status rw_frames_finish(rw_run *r)
{
    const rw_output_field *fields = r->problem->fields;
    if (mode_of(r) != LIMITS_RUN || r->output.figures_every != RUN_FIGURES_ALL) return RW_OK;
    /* a continued run may have drawn nothing itself, after one that was killed before it had drawn all again */
    RW_TRY(begin(r));
    for (int i = 0; i < r->problem->nfields; i++)
        if (rw_output_wants(&r->output.figures, fields[i].name)) RW_TRY(finish_field(r, i, &fields[i]));
    return RW_OK;
}

rw_status rw_frames_of_results(rw_run *r, int field, const rw_frame *frame, double *min, double *max)
{
    const char *name = r->problem->fields[field].name;
    bool alone = mode_of(r) == LIMITS_RUN && r->output.figures_every != RUN_FIGURES_ALL;
    if (mode_of(r) != LIMITS_RUN) return rw_frames_limits(r, field, 0, frame, min, max);
    if (!alone) RW_TRY(rw_plot_read_times(r));
    double low = frame->low, high = frame->high;
    for (int output = 0; output < r->noutputs && !alone; output++) {
        rw_frame other;
        void *data;
        double t;
        bool has;
        RW_TRY(find_written(r, name, output, &has));
        if (!has) continue;
        RW_TRY(read_frame(r, field, name, output, &other, &t, &data));
        low = fmin(low, other.low), high = fmax(high, other.high);
        rw_free(other.own);
        rw_free(data);
    }
    limits_of(r, low, high, min, max);
    return RW_OK;
}

void rw_frames_free(rw_run *r)
{
    for (int i = 0; r->frames && i < r->frames->nfields; i++) rw_free(r->frames->reels[i].list);
    if (r->frames) rw_free(r->frames->reels);
    rw_free(r->frames);
    r->frames = NULL;
}
