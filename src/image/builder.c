/* Passes and stages under construction. A new pass begins where stages cannot share one: after an operation that needs
 * the whole image first (normalize), between wrap and other borders, before and after border `skip`, and where an
 * operation with several stages of neighbours in y is not the first. */
#include "image/lower.h"

rw_status rw_image_begin_pass(rw_image_builder *b)
{
    rw_image_plan *plan = b->plan;
    if (plan->npasses >= RW_IMAGE_PASSES)
        return rw_fail(plan->ctx, RW_ERR_ARGUMENT,
                       "filter: the chain needs more than %d passes: split it into several filters", RW_IMAGE_PASSES);
    rw_image_pass *last = b->pass, *p = plan->pass + plan->npasses++;
    rw_dtype dtype = plan->dtype;
    int channels = plan->channels;
    p->ops = &rw_image_rows_ops;
    p->width = plan->width;
    p->height = plan->height;
    if (last) {
        last->y_dtype = dtype = top(b)->type;
        channels = top(b)->channels;
        p->width = last->y_width;
        p->height = last->y_height;
    }
    p->y_width = p->width;
    p->y_height = p->height;
    p->x_dtype = dtype;
    p->channels = channels;
    p->stage[0] =
        (rw_image_stage){.name = "load", .type = dtype == RW_F16 ? RW_F32 : dtype, .channels = channels, .also = -1};
    p->nstages = 1;
    b->pass = p;
    b->windows = b->wraps = b->points = b->alone = false;
    return RW_OK;
}

rw_image_stage *rw_image_add_stage(rw_image_builder *b, const char *name,
                                   void (*write)(const rw_image_stage *, rw_image_writer *))
{
    rw_image_stage *from = top(b), *s = b->pass->stage + b->pass->nstages++;
    *s = (rw_image_stage){.name = name,
                          .operation = b->operation,
                          .from = b->pass->nstages - 2,
                          .also = -1,
                          .type = from->type,
                          .channels = from->channels,
                          .compute = real_of(from->type),
                          .size = {1, 1},
                          .add = {.factor = 1},
                          .values = 1,
                          .write = write,
                          .weight = b->pass->weights.n};
    return s;
}

void rw_image_set_window(const rw_image_builder *b, rw_image_stage *s, int nx, int ny, int low_x, int low_y)
{
    s->size[0] = nx;
    s->size[1] = ny;
    s->low[0] = low_x;
    s->low[1] = low_y;
    s->rx = RW_MAX(RW_MAX(low_x, nx - 1 - low_x), 0);
    s->ry = RW_MAX(RW_MAX(low_y, ny - 1 - low_y), 0);
    s->border = b->op->border == RW_IMAGE_BORDER_SKIP ? RW_IMAGE_BORDER_REPLICATE : b->op->border;
    s->value = s->outside = b->op->value;
}

/* ---- alpha ------------------------------------------------------------------------------------------------------- */

void rw_image_premultiply(rw_image_builder *b, rw_dtype type)
{
    if (b->treatment != RW_IMAGE_BLEND || b->premultiplied) return;
    b->plain = type_of(b);
    rw_image_stage *s = rw_image_add_stage(b, "times alpha", rw_image_write_premultiply);
    s->type = type;
    s->pixels = true;
    s->blend.white = rw_image_white_of(b);
    b->premultiplied = true;
}

/* Of integers that have been transformed in f64: results are rounded to multiples of 1/this before they are rounded to
 * integers. Rounding errors then decide nothing where the exact result lies in the middle between two integers. */
double rw_image_noise_of(const rw_image_builder *b)
{
    const rw_dtype t = b->plan->dtype;
    if (is_real(t) || t == RW_F16 || b->pass->x_dtype != RW_F64) return 0;
    return t == RW_U8 ? 0x1p20 : 0x1p12;
}

rw_status rw_image_close_alpha(rw_image_builder *b)
{
    if (b->premultiplied) {
        if (!b->pass->ops->rows || b->pass->nstages >= RW_IMAGE_STAGES) {
            RW_TRY(rw_image_begin_pass(b));
            b->points = true;
        }
        rw_image_stage *s = rw_image_add_stage(b, "by alpha", rw_image_write_divide);
        s->type = b->plain;
        s->pixels = true;
        s->blend = (rw_image_blend){rw_image_white_of(b), 1 / b->gain, rw_image_noise_of(b)};
        b->premultiplied = false;
    } else if (b->treatment == RW_IMAGE_EDGE) {
        rw_image_stage *s = rw_image_add_stage(b, "alpha", rw_image_write_alpha);
        s->also = b->source;
    }
    return RW_OK;
}

void rw_image_add_weight(rw_image_builder *b, rw_image_stage *s, double value)
{
    rw_image_weight(&b->pass->weights, value);
    ++s->nweights;
}

rw_status rw_image_begin_window(rw_image_builder *b, bool rows, int stages)
{
    const bool wrap = b->op->border == RW_IMAGE_BORDER_WRAP, skip = b->op->border == RW_IMAGE_BORDER_SKIP;
    const bool constant = b->op->border == RW_IMAGE_BORDER_CONSTANT, blends = b->treatment == RW_IMAGE_BLEND;
    /* colours are multiplied by alpha after the border has been added */
    if (blends) rows = true;
    if (b->treatment >= RW_IMAGE_EDGE) stages += 2;
    if (b->alone || b->pass->nstages + stages > RW_IMAGE_STAGES || (b->windows && (rows || wrap != b->wraps)) ||
        (constant && b->points && !b->windows) || (skip && b->pass->nstages > 1))
        RW_TRY(rw_image_begin_pass(b));
    if (b->pass->nstages + stages > RW_IMAGE_STAGES)
        return rw_fail(b->plan->ctx, RW_ERR_INTERNAL, "internal error: %s needs %d stages in a pass of at most %d",
                       rw_image_method_name(b->op->method), stages, RW_IMAGE_STAGES - 1);
    if (!b->windows) b->first = b->operation;
    b->windows = true;
    b->wraps = wrap;
    if (skip) b->alone = b->pass->skip = true;
    b->source = b->pass->nstages - 1;
    rw_image_premultiply(b, working_type(b));
    b->watched = b->pass->nstages - 1;
    return RW_OK;
}

rw_status rw_image_begin_point(rw_image_builder *b)
{
    if (b->alone || b->pass->nstages + 1 > RW_IMAGE_STAGES) RW_TRY(rw_image_begin_pass(b));
    if (!b->windows) b->points = true;
    return RW_OK;
}

/* ---- operations that need all of x ------------------------------------------------------------------------------- */

/* Beyond a constant border all channels have the value, alpha too. */
void rw_image_set_outside(const rw_image_builder *b, rw_image_stage *s)
{
    s->border = b->op->border == RW_IMAGE_BORDER_SKIP ? RW_IMAGE_BORDER_REPLICATE : b->op->border;
    s->outside = s->outside_alpha = b->op->value;
    s->premultiplied = b->premultiplied;
    if (b->premultiplied) s->outside *= b->op->value / rw_image_white_of(b);
}

rw_status rw_image_begin_whole(rw_image_builder *b, const rw_image_pass_ops *ops, const char *name)
{
    /* Of integers in f64: rounding errors that depend on the device stay below what write_round removes. */
    const rw_dtype type = type_of(b), real = is_real(type) ? type : ops->single ? RW_F32 : RW_F64;
    const bool blends = b->treatment == RW_IMAGE_BLEND && !b->premultiplied;
    const bool copies = !is_real(type) || b->plan->npasses == 1 || blends;
    if (copies && (b->alone || b->pass->nstages >= RW_IMAGE_STAGES)) RW_TRY(rw_image_begin_pass(b));
    if (blends) rw_image_premultiply(b, real);
    else if (copies) rw_image_add_stage(b, "copy", rw_image_write_copy)->type = real;
    if (b->pass->nstages > 1) RW_TRY(rw_image_begin_pass(b));
    b->pass->ops = ops;
    b->alone = true;
    rw_image_set_outside(b, rw_image_add_stage(b, name, NULL));
    return RW_OK;
}

rw_status rw_image_end_whole(rw_image_builder *b, rw_dtype type)
{
    RW_TRY(rw_image_begin_pass(b));
    b->points = true;
    if (b->premultiplied) return rw_image_close_alpha(b);
    rw_image_stage *s = rw_image_add_stage(b, "copy", rw_image_write_round);
    s->type = type;
    s->compute = real_of(b->pass->x_dtype);
    s->real.steps = rw_image_noise_of(b);
    return RW_OK;
}

double rw_image_white_of(const rw_image_builder *b)
{
    return rw_image_largest(b->plan->dtype == RW_F16 ? RW_F32 : b->plan->dtype);
}
