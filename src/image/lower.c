/* Lowers operations to stages and passes. A new pass begins where stages cannot share one: after an operation that
 * needs the whole image first (normalize), between wrap and other borders, before and after border `skip`, and where an
 * operation with several stages of neighbours in y is not the first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
                          .number = {0, 1},
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

static const uint8_t treatments[RW_IMAGE_METHODS + 1] = {
    [RW_IMAGE_THRESHOLD] = RW_IMAGE_POINT, [RW_IMAGE_INVERT] = RW_IMAGE_POINT,   [RW_IMAGE_LINEAR] = RW_IMAGE_POINT,
    [RW_IMAGE_GAMMA] = RW_IMAGE_POINT,     [RW_IMAGE_CLIP] = RW_IMAGE_POINT,     [RW_IMAGE_NORMALIZE] = RW_IMAGE_POINT,
    [RW_IMAGE_EQUALIZE] = RW_IMAGE_POINT,  [RW_IMAGE_OTSU] = RW_IMAGE_POINT,     [RW_IMAGE_HIGHPASS] = RW_IMAGE_POINT,
    [RW_IMAGE_BANDPASS] = RW_IMAGE_POINT,  [RW_IMAGE_SOBEL] = RW_IMAGE_EDGE,     [RW_IMAGE_SCHARR] = RW_IMAGE_EDGE,
    [RW_IMAGE_LAPLACE] = RW_IMAGE_EDGE,    [RW_IMAGE_GRADIENT] = RW_IMAGE_EDGE,  [RW_IMAGE_TOPHAT] = RW_IMAGE_EDGE,
    [RW_IMAGE_BLACKHAT] = RW_IMAGE_EDGE,   [RW_IMAGE_GAUSS] = RW_IMAGE_BLEND,    [RW_IMAGE_BOX] = RW_IMAGE_BLEND,
    [RW_IMAGE_SHARPEN] = RW_IMAGE_BLEND,   [RW_IMAGE_UNSHARP] = RW_IMAGE_BLEND,  [RW_IMAGE_MASK] = RW_IMAGE_BLEND,
    [RW_IMAGE_MEDIAN] = RW_IMAGE_BLEND,    [RW_IMAGE_ERODE] = RW_IMAGE_BLEND,    [RW_IMAGE_DILATE] = RW_IMAGE_BLEND,
    [RW_IMAGE_OPEN] = RW_IMAGE_BLEND,      [RW_IMAGE_CLOSE] = RW_IMAGE_BLEND,    [RW_IMAGE_BILATERAL] = RW_IMAGE_BLEND,
    [RW_IMAGE_LOWPASS] = RW_IMAGE_BLEND,   [RW_IMAGE_SPECTRUM] = RW_IMAGE_BLEND, [RW_IMAGE_RESIZE] = RW_IMAGE_BLEND,
    [RW_IMAGE_WARP] = RW_IMAGE_BLEND,      [RW_IMAGE_ROTATE] = RW_IMAGE_BLEND,
};

static rw_image_treatment treatment_of(const rw_image_builder *b)
{
    const rw_image_method m = b->op->method;
    const bool moves = m == RW_IMAGE_RESIZE || m == RW_IMAGE_WARP || m == RW_IMAGE_ROTATE;
    if (!b->alpha || b->op->alpha == RW_IMAGE_ALPHA_FILTER) return RW_IMAGE_PLAIN;
    if (moves && b->op->interpolation == RW_IMAGE_INTERPOLATION_NEAREST) return RW_IMAGE_PLAIN;
    return (rw_image_treatment)treatments[m];
}

void rw_image_premultiply(rw_image_builder *b, rw_dtype type)
{
    if (b->treatment != RW_IMAGE_BLEND || b->premultiplied) return;
    b->plain = type_of(b);
    rw_image_stage *s = rw_image_add_stage(b, "times alpha", rw_image_write_premultiply);
    s->type = type;
    s->pixels = true;
    s->number[0] = rw_image_white_of(b);
    b->premultiplied = true;
}

/* Of integers that have been transformed in f64: results are rounded to multiples of 1/this before they are rounded to
 * integers. Rounding errors then decide nothing where the exact result lies in the middle between two integers. */
static double noise_of(const rw_image_builder *b)
{
    const rw_dtype t = b->plan->dtype;
    if (is_real(t) || t == RW_F16 || b->pass->x_dtype != RW_F64) return 0;
    return t == RW_U8 ? 0x1p20 : 0x1p12;
}

rw_status rw_image_close_alpha(rw_image_builder *b)
{
    if (b->premultiplied) {
        if (b->pass->kind != RW_IMAGE_ROWS || b->pass->nstages >= RW_IMAGE_STAGES) {
            RW_TRY(rw_image_begin_pass(b));
            b->points = true;
        }
        rw_image_stage *s = rw_image_add_stage(b, "by alpha", rw_image_write_divide);
        s->type = b->plain;
        s->pixels = true;
        s->number[0] = rw_image_white_of(b);
        s->number[1] = 1 / b->gain;
        s->number[2] = noise_of(b);
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
static void set_outside(const rw_image_builder *b, rw_image_stage *s)
{
    s->border = b->op->border == RW_IMAGE_BORDER_SKIP ? RW_IMAGE_BORDER_REPLICATE : b->op->border;
    s->outside = s->outside_alpha = b->op->value;
    s->premultiplied = b->premultiplied;
    if (b->premultiplied) s->outside *= b->op->value / rw_image_white_of(b);
}

rw_status rw_image_begin_whole(rw_image_builder *b, rw_image_pass_kind kind, const char *name)
{
    /* Of integers in f64: rounding errors that depend on the device stay below what write_round removes. */
    const rw_dtype type = type_of(b), real = is_real(type) ? type : kind == RW_IMAGE_OWN_WHOLE ? RW_F32 : RW_F64;
    const bool blends = b->treatment == RW_IMAGE_BLEND && !b->premultiplied;
    const bool copies = !is_real(type) || b->plan->npasses == 1 || blends;
    if (copies && (b->alone || b->pass->nstages >= RW_IMAGE_STAGES)) RW_TRY(rw_image_begin_pass(b));
    if (blends) rw_image_premultiply(b, real);
    else if (copies) rw_image_add_stage(b, "copy", rw_image_write_copy)->type = real;
    if (b->pass->nstages > 1) RW_TRY(rw_image_begin_pass(b));
    b->pass->kind = kind;
    b->alone = true;
    set_outside(b, rw_image_add_stage(b, name, NULL));
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
    s->number[2] = noise_of(b);
    return RW_OK;
}

static rw_status lower_response(rw_image_builder *b)
{
    const rw_dtype type = type_of(b);
    RW_TRY(rw_image_begin_whole(b, RW_IMAGE_RESPONSE, rw_image_method_name(b->op->method)));
    b->pass->alpha = b->treatment == RW_IMAGE_POINT;
    RW_TRY(rw_image_set_response(b->plan->ctx, b->op, b->pass));
    return rw_image_end_whole(b, b->op->method == RW_IMAGE_LOWPASS ? type : real_of(type));
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* Adds a copy stage for a pointwise operation, unless the last stage can include the operation. */
static rw_status open_point(rw_image_builder *b)
{
    RW_TRY(rw_image_begin_point(b));
    if (b->pass->nstages == 1 || top(b)->pixels)
        rw_image_add_stage(b, rw_image_method_name(b->op->method), rw_image_write_copy);
    return RW_OK;
}

/* v<n> <- the text, in which %1$s is the type and %2$d the number of the previous value. */
static rw_status add_point(rw_image_builder *b, const char *format)
{
    rw_image_stage *s = top(b);
    rw_text_add(&s->after, "                    const %s v%d = ", rw_dtype_name(s->type), s->values);
    if (b->treatment == RW_IMAGE_POINT) rw_text_add(&s->after, "ALPHA(%d) ? v%d : ", s->channels, s->values - 1);
    for (const char *at = format; *at; ++at) {
        if (*at == '$') rw_text_add(&s->after, "v%d", s->values - 1);
        else if (*at == '@') rw_text_add(&s->after, "%s", rw_dtype_name(s->type));
        else rw_text_add(&s->after, "%c", *at);
    }
    rw_text_add(&s->after, ";\n");
    ++s->values;
    return s->after.failed ? rw_fail_memory(b->plan->ctx, s->after.capacity, "the kernel text of a filter") : RW_OK;
}

double rw_image_white_of(const rw_image_builder *b)
{
    return rw_image_largest(b->plan->dtype == RW_F16 ? RW_F32 : b->plan->dtype);
}
static double white_of(const rw_image_builder *b) { return rw_image_white_of(b); }
static double low_of(rw_dtype t) { return t == RW_I16 ? -32768 : 0; }
static double high_or_white(const rw_image_builder *b) { return rw_given(b->op->high) ? b->op->high : white_of(b); }

/* NaN stays NaN in all functions of a value. */
static rw_status lower_threshold(rw_image_builder *b)
{
    static const char *const texts[] = {[RW_IMAGE_BINARY] = "(@)($ > W(%d) ? W(%d) : 0)",
                                        [RW_IMAGE_BINARY_INVERSE] = "(@)($ > W(%d) ? 0 : W(%d))",
                                        [RW_IMAGE_TRUNCATE] = "(@)($ > W(%d) ? (@)W(%d) : $)",
                                        [RW_IMAGE_TO_ZERO] = "(@)($ > W(%d) ? $ : 0)",
                                        [RW_IMAGE_TO_ZERO_INVERSE] = "(@)($ > W(%d) ? 0 : $)"};
    char value[96], text[128];
    RW_TRY(open_point(b));
    const bool integer = !is_real(type_of(b));
    double level = rw_given(b->op->level) ? b->op->level : white_of(b) / 2;
    if (integer) level = floor(level);
    const rw_image_threshold t = b->op->threshold;
    const int at = rw_image_weight(&b->pass->weights, level);
    rw_image_weight(&b->pass->weights, t == RW_IMAGE_TRUNCATE ? level : white_of(b));
    rw_snprintf(value, sizeof value, texts[t], at, at + 1);
    rw_snprintf(text, sizeof text, "%s%s", integer ? "" : "$ != $ ? $ : ", value);
    return add_point(b, text);
}

static rw_status lower_invert(rw_image_builder *b)
{
    char text[64];
    RW_TRY(open_point(b));
    if (is_real(type_of(b))) rw_snprintf(text, sizeof text, "(@)%g - $", white_of(b));
    else if (type_of(b) == RW_I16) /* of negative values more than the largest one */
        rw_snprintf(text, sizeof text, "(@)near_i32(%g - (i32)$, -32768, 32767)", white_of(b));
    else rw_snprintf(text, sizeof text, "(@)(%g - $)", white_of(b));
    return add_point(b, text);
}

/* A real value to the type. */
static void rounded(const rw_image_builder *b, char *text, size_t size, const char *value)
{
    const rw_dtype t = type_of(b);
    if (is_real(t)) rw_snprintf(text, size, "%s", value);
    else if (t == RW_I32) rw_snprintf(text, size, "(i32)RW_RINT(%s)", value);
    else rw_snprintf(text, size, "(@)(int)RW_RINT(near_f32(%s, %g, %g))", value, low_of(t), rw_image_largest(t));
}

static rw_status lower_linear(rw_image_builder *b)
{
    char value[96], text[160];
    RW_TRY(open_point(b));
    const int at = rw_image_weight(&b->pass->weights, b->op->gain);
    rw_image_weight(&b->pass->weights, b->op->offset);
    rw_snprintf(value, sizeof value, "FMA(W(%d), (%s)$, W(%d))", at, rw_dtype_name(real_of(type_of(b))), at + 1);
    rounded(b, text, sizeof text, value);
    return add_point(b, text);
}

static rw_status lower_clip(rw_image_builder *b)
{
    char text[128];
    RW_TRY(open_point(b));
    const bool real = is_real(type_of(b));
    const int at = rw_image_weight(&b->pass->weights, real ? b->op->low : rint(b->op->low));
    rw_image_weight(&b->pass->weights, real ? high_or_white(b) : rint(high_or_white(b)));
    rw_snprintf(text, sizeof text, "(@)($ < W(%d) ? W(%d) : $ > W(%d) ? W(%d) : $)", at, at, at + 1, at + 1);
    return add_point(b, text);
}

/* For integers a lookup table. */
static rw_status lower_gamma(rw_image_builder *b)
{
    char text[128];
    RW_TRY(open_point(b));
    const rw_dtype t = type_of(b);
    const double white = white_of(b);
    if (is_real(t)) {
        const int at = rw_image_weight(&b->pass->weights, b->op->power);
        if (white == 1) rw_snprintf(text, sizeof text, "$ <= 0 ? 0 : pow($, W(%d))", at);
        else /* of what was made of integers */
            rw_snprintf(text, sizeof text, "$ <= 0 ? 0 : (@)%g * pow($ * (@)%.17g, W(%d))", white, 1 / white, at);
        return add_point(b, text);
    }
    const int n = t == RW_U8 ? 256 : t == RW_U16 ? 65536 : 32768, at = b->pass->weights.n;
    for (int v = 0; v < n; ++v)
        rw_image_weight(&b->pass->weights, rint(fmin(white * pow(v / white, b->op->power), rw_image_largest(t))));
    if (t == RW_I16) rw_snprintf(text, sizeof text, "(@)(int)weights[%d + ($ < 0 ? 0 : (int)$)]", at);
    else rw_snprintf(text, sizeof text, "(@)(int)weights[%d + (int)$]", at);
    return add_point(b, text);
}

static rw_status need_colours(const rw_image_builder *b)
{
    const int n = top(b)->channels;
    if (n != 3 && n != 4)
        return rw_fail(b->plan->ctx, RW_ERR_ARGUMENT,
                       "%s: the image has %d channel%s: it must have 3 (red, green and blue) or 4 (with alpha)",
                       rw_image_method_name(b->op->method), n, n == 1 ? "" : "s");
    if (type_of(b) == RW_I16 || type_of(b) == RW_I32)
        return rw_fail(b->plan->ctx, RW_ERR_UNSUPPORTED,
                       "%s: colours of type %s are not supported: choose u8, u16, f16, f32 or f64",
                       rw_image_method_name(b->op->method), rw_dtype_name(type_of(b)));
    return RW_OK;
}

static rw_status lower_grey(rw_image_builder *b)
{
    RW_TRY(rw_image_begin_point(b));
    if (top(b)->channels < 3) return rw_image_add_stage(b, "copy", rw_image_write_copy), RW_OK;
    RW_TRY(need_colours(b));
    rw_image_stage *s = rw_image_add_stage(b, "grey", rw_image_write_grey);
    s->pixels = true;
    s->channels -= 2;
    return RW_OK;
}

static rw_status lower_colour(rw_image_builder *b)
{
    RW_TRY(rw_image_begin_point(b));
    RW_TRY(need_colours(b));
    rw_image_stage *s = rw_image_add_stage(b, "colour", rw_image_write_colour);
    s->pixels = true;
    s->number[0] = b->op->colour;
    if (!is_real(s->type)) s->compute = RW_F64;
    return RW_OK;
}

/* Stores the results of the pass and their minimum and maximum; the next pass maps them to low … high. opaque: alpha
 * becomes this, 0: is unchanged. */
static rw_status add_normalize(rw_image_builder *b, double low, double high, double opaque)
{
    if (b->alone) RW_TRY(rw_image_begin_pass(b));
    /* extremes are taken before a careful stage (image.h) writes its NaN, so its results are copied first */
    if (b->pass->nstages == 1 || top(b)->careful) rw_image_add_stage(b, "copy", rw_image_write_copy);
    b->pass->limits = true;
    b->pass->alpha = b->treatment != RW_IMAGE_PLAIN;
    RW_TRY(rw_image_begin_pass(b));
    b->pass->limited = 1;
    b->points = true;
    rw_image_stage *s = rw_image_add_stage(b, "normalize", rw_image_write_normalize);
    s->type = b->plan->dtype == RW_F16 ? RW_F32 : b->plan->dtype;
    s->alpha = b->treatment != RW_IMAGE_PLAIN;
    s->number[2] = noise_of(b);
    s->number[3] = opaque;
    rw_image_add_weight(b, s, low);
    rw_image_add_weight(b, s, high);
    return RW_OK;
}

static rw_status lower_normalize(rw_image_builder *b) { return add_normalize(b, b->op->low, high_or_white(b), 0); }

/* Magnitudes, logarithmic or linear, mapped to black … white; of colours multiplied by alpha, as an opaque picture. */
static rw_status lower_spectrum(rw_image_builder *b)
{
    const double unit = 255 / white_of(b);
    RW_TRY(rw_image_begin_whole(b, RW_IMAGE_MAGNITUDES, "spectrum"));
    b->pass->unit = b->op->magnitudes == RW_IMAGE_SCALE_LINEAR ? 0 : unit;
    b->premultiplied = false;
    return add_normalize(b, 0, white_of(b), white_of(b));
}

/* Stores and counts the results of the pass. */
static rw_status begin_counts(rw_image_builder *b, int bins)
{
    if (b->alone) RW_TRY(rw_image_begin_pass(b));
    if (b->pass->nstages == 1) rw_image_add_stage(b, "copy", rw_image_write_copy);
    if (type_of(b) == RW_I32)
        return rw_fail(b->plan->ctx, RW_ERR_INTERNAL, "internal error: values of type i32 reach the operation %s",
                       rw_image_method_name(b->op->method));
    b->pass->counts = b->op->method;
    b->pass->bins = bins;
    b->pass->white = white_of(b);
    return rw_image_begin_pass(b);
}

static void add_table(rw_image_builder *b, rw_image_stage *s, int n)
{
    for (int i = 0; i < n * s->channels; ++i) rw_image_add_weight(b, s, 0);
}

static rw_status lower_counted(rw_image_builder *b)
{
    const int bins = rw_image_bins(type_of(b));
    const bool level = b->op->method == RW_IMAGE_OTSU;
    RW_TRY(begin_counts(b, bins));
    rw_image_stage *s = rw_image_add_stage(b, rw_image_method_name(b->op->method), rw_image_write_lookup);
    s->number[0] = bins;
    s->number[1] = level;
    s->number[2] = white_of(b);
    s->alpha = b->treatment == RW_IMAGE_POINT;
    b->points = true;
    add_table(b, s, level ? 1 : bins);
    return RW_OK;
}

static rw_status lower_histogram(rw_image_builder *b)
{
    const int bins = type_of(b) == RW_U8 ? RW_MIN(b->op->bins, 256) : b->op->bins;
    RW_TRY(begin_counts(b, bins));
    rw_image_stage *s = rw_image_add_stage(b, "histogram", NULL);
    s->type = RW_F64;
    b->pass->kind = RW_IMAGE_COUNTS;
    b->alone = true;
    b->pass->y_width = bins;
    b->pass->y_height = 1;
    b->alpha = false;
    add_table(b, s, bins);
    return RW_OK;
}

/* ---- geometry ---------------------------------------------------------------------------------------------------- */

/* A separate pass. Values keep their type. */
static rw_status lower_geometry(rw_image_builder *b)
{
    if (b->alone || (b->treatment == RW_IMAGE_BLEND && b->pass->nstages >= RW_IMAGE_STAGES))
        RW_TRY(rw_image_begin_pass(b));
    rw_image_premultiply(b, working_type(b));
    if (b->pass->nstages > 1) RW_TRY(rw_image_begin_pass(b));
    set_outside(b, rw_image_add_stage(b, rw_image_method_name(b->op->method), NULL));
    b->pass->kind = RW_IMAGE_GATHER;
    b->alone = true;
    b->pass->interpolation = b->op->interpolation;
    return rw_image_set_geometry(b->plan->ctx, b->op, b->pass);
}

/* ---- operations of a program's own ------------------------------------------------------------------------------- */

static rw_status lower_own(rw_image_builder *b)
{
    const rw_dtype type = type_of(b);
    const char *options = b->op->options ? b->op->options : "";
    RW_TRY(rw_image_begin_whole(b, RW_IMAGE_OWN_WHOLE, b->op->own->name));
    if (strlen(options) >= sizeof b->pass->options)
        return rw_fail(b->plan->ctx, RW_ERR_ARGUMENT, "%s: the options have %zu bytes: at most %zu are allowed",
                       b->op->own->name, strlen(options), sizeof b->pass->options - 1);
    strcpy(b->pass->options, options);
    b->pass->own = b->op->own;
    return rw_image_end_whole(b, type);
}

static rw_status (*const lower[RW_IMAGE_METHODS + 1])(rw_image_builder *) = {
    [RW_IMAGE_OWN] = lower_own,
    [RW_IMAGE_THRESHOLD] = lower_threshold,
    [RW_IMAGE_INVERT] = lower_invert,
    [RW_IMAGE_LINEAR] = lower_linear,
    [RW_IMAGE_GAMMA] = lower_gamma,
    [RW_IMAGE_CLIP] = lower_clip,
    [RW_IMAGE_GREY] = lower_grey,
    [RW_IMAGE_COLOUR] = lower_colour,
    [RW_IMAGE_NORMALIZE] = lower_normalize,
    [RW_IMAGE_SPECTRUM] = lower_spectrum,
    [RW_IMAGE_EQUALIZE] = lower_counted,
    [RW_IMAGE_OTSU] = lower_counted,
    [RW_IMAGE_HISTOGRAM] = lower_histogram,
    [RW_IMAGE_LOWPASS] = lower_response,
    [RW_IMAGE_HIGHPASS] = lower_response,
    [RW_IMAGE_BANDPASS] = lower_response,
    [RW_IMAGE_RESIZE] = lower_geometry,
    [RW_IMAGE_WARP] = lower_geometry,
    [RW_IMAGE_ROTATE] = lower_geometry,
    [RW_IMAGE_FLIP] = lower_geometry,
    [RW_IMAGE_TRANSPOSE] = lower_geometry,
    [RW_IMAGE_CROP] = lower_geometry,
    [RW_IMAGE_PAD] = lower_geometry,
};

rw_status rw_image_lower(rw_image_plan *plan, const rw_image_op *ops, int nops)
{
    rw_image_builder b = {.plan = plan, .alpha = plan->alpha};
    RW_TRY(rw_image_begin_pass(&b));
    for (int i = 0; i < nops; ++i) {
        b.op = ops + i;
        ++b.operation;
        if (type_of(&b) == RW_I32 && ops[i].method != RW_IMAGE_NORMALIZE)
            return rw_fail(plan->ctx, RW_ERR_INTERNAL, "internal error: values of type i32 reach the operation %s",
                           rw_image_method_name(ops[i].method));
        const rw_image_method m = ops[i].method;
        b.treatment = treatment_of(&b);
        b.gain = 1;
        RW_TRY((lower[m] ? lower[m] : rw_image_lower_windows[m])(&b));
        RW_TRY(rw_image_close_alpha(&b));
    }
    if (b.pass->nstages == 1) {
        ++b.operation;
        rw_image_add_stage(&b, "copy", rw_image_write_copy);
    }
    if (!plan->y_dtype) plan->y_dtype = b.pass->kind == RW_IMAGE_COUNTS ? RW_F64 : plan->dtype;
    b.pass->y_dtype = plan->y_dtype;
    plan->y_channels = top(&b)->channels;
    for (int k = 0; k < plan->npasses; ++k)
        if (plan->pass[k].weights.failed) return rw_fail_memory(plan->ctx, 1 << 16, "the weights of a filter");
    return RW_OK;
}

void rw_image_plan_free(rw_image_plan *plan)
{
    for (int k = 0; k < plan->npasses; ++k) {
        rw_image_pass *p = plan->pass + k;
        for (int i = 0; i < p->nstages; ++i) rw_text_free(&p->stage[i].after);
        rw_free(p->weights.value);
        rw_program_destroy(&p->program);
        rw_array_destroy(&p->table);
        rw_program_destroy(&p->counting);
        rw_array_destroy(&p->counted);
        rw_image_whole_free(p);
    }
}
