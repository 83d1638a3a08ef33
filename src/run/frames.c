/* Colour scales of the pictures of a run.
 *
 *   output.limits: run    one scale for all pictures of a field: the extremes of all outputs
 *   frame                 each picture has its own extremes
 *   auto                  run, if the last picture spans at least half of that scale (a line: a tenth); otherwise
 *                         frame, since the last picture would show its field in a few colours only
 *
 * Limits are final only when the run ends. During the run each picture is drawn with the limits of the outputs so
 * far, while drawing keeps up with the run (drawing.c); what it cannot keep up with is postponed, until a
 * checkpoint or the end. At the end, pictures whose limits differ are drawn again from the written fields. A run
 * that continues another has no extremes of the earlier outputs: it reads these outputs and draws their pictures
 * again, also those that are missing because the earlier run was killed before it had drawn them. If a field is not
 * written, its pictures remain as they are, with a warning. Cost: reading the outputs once more, those of an earlier
 * process twice. A field that is constant in all pictures has no limits: each picture computes the same ones. */
#include "run/run_private.h"
#include "run/writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rechenwerk/figure.h"

enum { LIMITS_RUN, LIMITS_AUTO, LIMITS_FRAME, LIMITS_GIVEN };

/* Extremes of finite values; low > high: there are none. */
typedef struct range {
    double low, high;
} range;

typedef struct drawn {
    int output;
    range own;      /* of its values */
    rw_scale scale; /* min is NAN: it has been postponed */
} drawn;

/* Pictures of a field by this process. */
typedef struct reel {
    range all;       /* of all outputs so far */
    range last;      /* of output number `last_output` */
    int last_output; /* -1: none */
    drawn *list;
    int n, capacity;
} reel;

struct rw_frames {
    int nfields;
    reel *reels; /* [nfields] */
};

/* ---- the setting ------------------------------------------------------------------------------------------------- */

static const char *const words[] = {[LIMITS_RUN] = "run", [LIMITS_AUTO] = "auto", [LIMITS_FRAME] = "frame"};

static int mode_of(const rw_run *r)
{
    const rw_texts *l = &r->output.limits;
    if (l->n == 2) return LIMITS_GIVEN;
    for (int i = 0; i < RW_COUNT(words) && l->n == 1; i++)
        if (strcmp(l->item[0]->text, words[i]) == 0) return i;
    return LIMITS_FRAME;
}

/* Whether pictures depend on other outputs. */
static bool looks_at_others(const rw_run *r) { return mode_of(r) == LIMITS_RUN || mode_of(r) == LIMITS_AUTO; }

rw_status rw_frames_check(rw_run *r)
{
    const rw_texts *l = &r->output.limits;
    double value[2];
    if (l->n == 1) {
        const char *text = l->item[0]->text;
        for (int i = 0; i < RW_COUNT(words); i++)
            if (strcmp(text, words[i]) == 0) return RW_OK;
        return rw_case_fail(r->c, l->item[0],
                            "output.limits = %.60s is none of auto, run, frame or [lowest, highest]%s", text,
                            rw_hint_nearest(text, words, RW_COUNT(words)).text);
    }
    for (int i = 0; i < l->n; i++)
        if (!rw_tree_number(l->item[i], &value[i]) || !isfinite(value[i]))
            return rw_case_fail(
                r->c, l->item[i],
                "output.limits: %.60s is not a finite number: give auto, run, frame or [lowest, highest]",
                l->item[i]->text);
    if (l->n == 2 && !(value[0] < value[1]))
        return rw_case_fail(r->c, l->item[0], "output.limits = [%.9g, %.9g]: the first must be below the second",
                            value[0], value[1]);
    return RW_OK;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static bool is_line(const rw_run *r) { return r->grid->ndim == 1 && !r->grid->blocks; }

static void widen(range *a, range b)
{
    a->low = fmin(a->low, b.low);
    a->high = fmax(a->high, b.high);
}

/* A field changes sign where its smaller side of 0 is at least a tenth of the larger: less may be an undershoot. */
static rw_colormap map_of(const rw_run *r, range all)
{
    if (r->output.colormap != RUN_COLORMAP_AUTO) return (rw_colormap)(r->output.colormap - RUN_COLORMAP_FIRST);
    const bool changes = all.low < 0 && all.high > 0 && fmin(-all.low, all.high) >= 0.1 * fmax(-all.low, all.high);
    return changes ? RW_COLORMAP_DIVERGING : RW_COLORMAP_SEQUENTIAL;
}

/* What the figure would choose by itself from these extremes; equal: nothing. */
static rw_scale scale_of(const rw_run *r, range values, rw_colormap map)
{
    rw_scale scale = {.map = map};
    if (!(values.high > values.low)) return scale;
    scale.min = values.low;
    scale.max = values.high;
    if (is_line(r)) { /* lines keep off the frame */
        scale.min -= 0.04 * (values.high - values.low);
        scale.max += 0.04 * (values.high - values.low);
    } else if (map == RW_COLORMAP_DIVERGING) {
        scale.max = fmax(fabs(values.low), fabs(values.high));
        scale.min = -scale.max;
    }
    return scale;
}

/* The scale of a picture with these extremes, among outputs with those of `all` and, of the last one, `last`. */
static rw_scale scale_among(const rw_run *r, range own, range all, range last)
{
    const double least = is_line(r) ? 0.1 : 0.5;
    const bool one = mode_of(r) == LIMITS_RUN || last.high - last.low >= least * (all.high - all.low);
    return scale_of(r, one ? all : own, map_of(r, all));
}

static rw_status begin(rw_run *r)
{
    const int n = r->problem->nfields;
    if (r->frames) return RW_OK;
    if (!(r->frames = rw_calloc(1, sizeof(*r->frames)))) return rw_fail_memory(r->ctx, sizeof(*r->frames), "pictures");
    if (!(r->frames->reels = rw_calloc((size_t)n + 1, sizeof(reel))))
        return rw_fail_memory(r->ctx, (size_t)n * sizeof(reel), "pictures");
    r->frames->nfields = n;
    for (int i = 0; i < n; i++) r->frames->reels[i] = (reel){.all = {INFINITY, -INFINITY}, .last_output = -1};
    return RW_OK;
}

static void take(reel *l, int output, range own)
{
    widen(&l->all, own);
    if (output < l->last_output) return;
    l->last_output = output;
    l->last = own;
}

/* Limits that need no other output. */
static rw_scale scale_alone(const rw_run *r, range own)
{
    rw_scale scale = {.map = map_of(r, own)};
    if (mode_of(r) != LIMITS_GIVEN) return scale;
    rw_tree_number(r->output.limits.item[0], &scale.min);
    rw_tree_number(r->output.limits.item[1], &scale.max);
    scale.map = map_of(r, (range){scale.min, scale.max});
    return scale;
}

rw_status rw_frames_limits(rw_run *r, int field, int output, const rw_frame *frame, rw_scale *scale)
{
    const range own = {frame->low, frame->high};
    *scale = scale_alone(r, own);
    if (!looks_at_others(r)) return RW_OK;
    RW_TRY(begin(r));
    reel *l = &r->frames->reels[field];
    take(l, output, own);
    *scale = scale_among(r, own, l->all, l->last);
    if (!rw_grow(&l->list, &l->capacity, l->n + 1, sizeof(*l->list)))
        return rw_fail_memory(r->ctx, sizeof(*l->list), "pictures");
    l->list[l->n++] = (drawn){output, own, *scale};
    return RW_OK;
}

bool rw_frames_may_wait(const rw_run *r, int field, int output)
{
    return looks_at_others(r) && r->output.figures_every == RUN_FIGURES_ALL && r->frames && !r->grid->blocks &&
           rw_contents_has(r, output, r->problem->fields[field].name, RW_WRITER_hdf5);
}

void rw_frames_postpone(rw_run *r, int field)
{
    reel *l = &r->frames->reels[field];
    l->list[l->n - 1].scale.min = NAN;
}

/* ---- at the end -------------------------------------------------------------------------------------------------- */

static bool is_size(const int64_t size[3], const rw_layout *grid)
{
    return memcmp(size, grid->size, sizeof(grid->size)) == 0;
}

/* A dataset of a written output as it is drawn. The frame has its own values. */
static rw_status read_part(rw_run *r, rw_h5 *h5, int field, double t, rw_frame *frame)
{
    const char *name = r->problem->fields[field].name;
    char set[160];
    size_t shape[RW_IO_RANK], bytes;
    rw_dtype type;
    int rank;
    int64_t size[3];
    rw_layout wide;
    snprintf(set, sizeof(set), "/%.120s", name);
    RW_TRY(rw_h5_shape(h5, set, &type, &rank, shape));
    RW_TRY(rw_sides_grid(r, &wide, NULL));
    for (int a = 0; a < 3; a++) size[a] = (int64_t)shape[2 - a];
    if (rank != 3 || (!is_size(size, r->grid) && !is_size(size, &wide)) ||
        !rw_io_bytes(rank, shape, rw_dtype_size(type), &bytes))
        return rw_fail(r->ctx, RW_ERR_INPUT, "%s does not fit the grid of the run", name);
    void *data = rw_calloc(bytes, 1);
    if (!data) return rw_fail_memory(r->ctx, bytes, name);
    rw_status status = rw_h5_read(h5, set, type, rank, shape, data);
    if (status == RW_OK) status = rw_frame_make(r, field, type, data, size, t, frame);
    if (status == RW_OK && frame->data == data) frame->own = data;
    else rw_free(data);
    return status;
}

rw_status rw_frame_read(rw_run *r, rw_h5 *file, int field, double t, rw_frame *frame)
{
    const int n = rw_state_components(&r->problem->fields[field], r->problem->nfields - field);
    rw_frame parts[3] = {{.values = NULL}};
    rw_status status = RW_OK;
    for (int k = 0; k < n && status == RW_OK; k++) status = read_part(r, file, field + k, t, &parts[k]);
    if (status == RW_OK) return rw_frame_join(r, n, parts, frame);
    for (int k = 0; k < n; k++) rw_free(parts[k].own);
    return status;
}

static rw_status read_frame(rw_run *r, int field, int output, rw_frame *frame, double *t)
{
    char file[64], path[RW_PATH_SIZE];
    rw_h5 *h5;
    snprintf(file, sizeof(file), "fields/%06d.h5", output);
    rw_run_path(r, file, path);
    RW_TRY(rw_h5_open_alone(r->ctx, path, &h5));
    rw_status status = rw_h5_get_number(h5, "/", "time", t);
    if (status == RW_OK) status = rw_frame_read(r, h5, field, *t, frame);
    if (status == RW_ERR_INPUT) status = rw_fail_prefix(r->ctx, status, "'%s'", path);
    rw_h5_close(&h5);
    return status;
}

/* What this process has drawn of an output; NULL: nothing. */
static drawn *find(const reel *l, int output)
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
static rw_status find_undamaged(rw_run *r, const char *name, int output, bool *has)
{
    const rw_status status = find_written(r, name, output, has);
    return status == RW_ERR_INPUT ? RW_OK : status;
}

/* Whether all pictures of the field at an output are there. */
static bool is_drawn(const rw_run *r, int field, int output)
{
    char name[RW_VIEW_NAME], file[100], picture[160], path[RW_PATH_SIZE];
    const rw_state_field *f = &r->problem->fields[field];
    const rw_dtype type = rw_array_dtype(f->array);
    for (int view = 0; view < rw_views(type, r->grid); view++) {
        rw_view_name(type, r->grid, rw_state_shown(f), view, name);
        rw_picture_name(name, file, sizeof(file));
        snprintf(picture, sizeof(picture), "figures/%s-%06d%s.png", file, output, r->grid->blocks ? "-across" : "");
        rw_run_path(r, picture, path);
        if (access(path, F_OK) != 0) return false;
    }
    return true;
}

/* Extremes of the outputs of an earlier process. */
static rw_status look_back(rw_run *r, int field, const char *name, reel *l)
{
    for (int output = 0; output < r->noutputs; output++) {
        rw_frame frame;
        double t;
        bool has;
        if (find(l, output)) continue;
        RW_TRY(find_undamaged(r, name, output, &has));
        if (!has) continue;
        RW_TRY(read_frame(r, field, output, &frame, &t));
        take(l, output, (range){frame.low, frame.high});
        rw_free(frame.own);
    }
    return RW_OK;
}

static rw_scale final_scale(const rw_run *r, const reel *l, range own)
{
    return looks_at_others(r) ? scale_among(r, own, l->all, l->last) : scale_alone(r, own);
}

static rw_status draw_again(rw_run *r, int field, const rw_state_field *f, int output)
{
    const reel *l = &r->frames->reels[field];
    drawn *d = find(l, output);
    rw_frame frame;
    double t;
    RW_TRY(read_frame(r, field, output, &frame, &t));
    const rw_scale scale = final_scale(r, l, (range){frame.low, frame.high});
    const bool again = d ? !isnan(d->scale.min) : is_drawn(r, field, output);
    rw_status status = rw_figures_frame(r, f, output, t, &frame, &scale, again);
    if (d && status == RW_OK) d->scale = scale;
    rw_free(frame.own);
    return status;
}

/* Whether the picture of an output is missing, or may have other limits than it should have. */
static bool is_stale(const rw_run *r, const reel *l, int field, int output)
{
    const drawn *d = find(l, output);
    if (!d) {
        const bool there = is_drawn(r, field, output);
        if (there) return looks_at_others(r);
        return rw_contents_has(r, output, r->problem->fields[field].name, RW_WRITER_hdf5);
    }
    const rw_scale wanted = final_scale(r, l, d->own);
    return d->scale.min != wanted.min || d->scale.max != wanted.max || d->scale.map != wanted.map;
}

static rw_status finish_field(rw_run *r, int field, const rw_state_field *f)
{
    reel *l = &r->frames->reels[field];
    const char *shown = rw_state_shown(f);
    int kept = 0, stale = 0, done = 0;
    if (looks_at_others(r) && l->n < r->noutputs) RW_TRY(look_back(r, field, f->name, l));
    for (int output = 0; output < r->noutputs; output++) stale += is_stale(r, l, field, output);
    for (int output = 0; output < r->noutputs; output++) {
        bool has;
        if (!is_stale(r, l, field, output)) continue;
        rw_pace_redraw(r, shown, done++, stale);
        if (rw_cancel_requested(r->options.cancel) || r->wish != RW_OK) return RW_ERR_INTERRUPTED;
        RW_TRY(find_undamaged(r, f->name, output, &has));
        if (has) RW_TRY(draw_again(r, field, f, output));
        else kept += is_drawn(r, field, output);
    }
    if (kept)
        rw_log(r->ctx, RW_LOG_WARNING,
               "%d pictures of %s retain their earlier limits: they cannot be drawn again with %.9g to %.9g, since "
               "output.fields does not write the field there: give output.limits: [lowest, highest], or frame",
               kept, shown, l->all.low, l->all.high);
    return RW_OK;
}

/* As the pictures so far would have been drawn now. */
rw_status rw_frames_catch_up(rw_run *r)
{
    for (int i = 0; r->frames && i < r->frames->nfields; i++) {
        const reel *l = &r->frames->reels[i];
        const rw_state_field *f = &r->problem->fields[i];
        for (int k = 0; k < l->n; k++) {
            bool has;
            if (!isnan(l->list[k].scale.min)) continue;
            RW_TRY(find_undamaged(r, f->name, l->list[k].output, &has));
            if (has) RW_TRY(draw_again(r, i, f, l->list[k].output));
        }
    }
    return rw_drawing_wait(r);
}

rw_status rw_frames_finish(rw_run *r)
{
    const rw_state_field *fields = r->problem->fields;
    if (!looks_at_others(r)) RW_TRY(rw_drawing_wait(r)); /* then what is missing is that of an earlier process */
    if (r->output.figures_every != RUN_FIGURES_ALL) return rw_drawing_wait(r);
    /* a continued run may have drawn nothing itself, after one that was killed before it had drawn all again */
    RW_TRY(begin(r));
    for (int i = 0; i < r->problem->nfields; i++)
        if (rw_contents_draws(r, i) && !rw_layout_is_points(rw_output_layout(r->problem, i)))
            RW_TRY(finish_field(r, i, &fields[i]));
    return rw_drawing_wait(r);
}

rw_status rw_frames_of_results(rw_run *r, int field, const rw_frame *frame, rw_scale *scale)
{
    const char *name = r->problem->fields[field].name;
    const range own = {frame->low, frame->high};
    *scale = scale_alone(r, own);
    if (!looks_at_others(r)) return RW_OK;
    reel l = {.all = own, .last = own, .last_output = -1};
    const bool alone = r->output.figures_every != RUN_FIGURES_ALL;
    if (!alone) RW_TRY(rw_hdf5_read_times(r));
    for (int output = 0; output < r->noutputs && !alone; output++) {
        rw_frame other;
        double t;
        bool has;
        RW_TRY(find_written(r, name, output, &has));
        if (!has) continue;
        RW_TRY(read_frame(r, field, output, &other, &t));
        take(&l, output, (range){other.low, other.high});
        rw_free(other.own);
    }
    *scale = scale_among(r, own, l.all, l.last);
    return RW_OK;
}

void rw_frames_free(rw_run *r)
{
    for (int i = 0; r->frames && i < r->frames->nfields; i++) rw_free(r->frames->reels[i].list);
    if (r->frames) rw_free(r->frames->reels);
    rw_free(r->frames);
    r->frames = NULL;
}
