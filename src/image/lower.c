/* Lowers operations to stages and passes, one operation after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "image/lower.h"

static rw_status lower_response(rw_image_builder *b)
{
    const rw_dtype type = type_of(b);
    RW_TRY(rw_image_begin_whole(b, &rw_image_response_ops, rw_image_method_name(b->op->method)));
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
    if (top(b)->channels < 3) {
        rw_image_add_stage(b, "copy", rw_image_write_copy);
        return RW_OK;
    }
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
    s->colour = b->op->colour;
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
    s->real.steps = rw_image_noise_of(b);
    s->real.opaque = opaque;
    rw_image_add_weight(b, s, low);
    rw_image_add_weight(b, s, high);
    return RW_OK;
}

static rw_status lower_normalize(rw_image_builder *b) { return add_normalize(b, b->op->low, high_or_white(b), 0); }

/* Magnitudes, logarithmic or linear, mapped to black … white; of colours multiplied by alpha, as an opaque picture. */
static rw_status lower_spectrum(rw_image_builder *b)
{
    const double unit = 255 / white_of(b);
    RW_TRY(rw_image_begin_whole(b, &rw_image_magnitudes_ops, "spectrum"));
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
    s->table.bins = bins;
    s->table.level = level;
    s->table.white = white_of(b);
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
    b->pass->ops = &rw_image_counts_ops;
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
    rw_image_set_outside(b, rw_image_add_stage(b, rw_image_method_name(b->op->method), NULL));
    b->pass->ops = &rw_image_gather_ops;
    b->alone = true;
    b->pass->interpolation = b->op->interpolation;
    return rw_image_set_geometry(b->plan->ctx, b->op, b->pass);
}

/* ---- operations of a program's own ------------------------------------------------------------------------------- */

static rw_status lower_own(rw_image_builder *b)
{
    const rw_dtype type = type_of(b);
    const char *options = b->op->options ? b->op->options : "";
    RW_TRY(rw_image_begin_whole(b, &rw_image_own_ops, b->op->own->name));
    if (strlen(options) >= sizeof b->pass->options)
        return rw_fail(b->plan->ctx, RW_ERR_ARGUMENT, "%s: the options have %zu bytes: at most %zu are allowed",
                       b->op->own->name, strlen(options), sizeof b->pass->options - 1);
    strcpy(b->pass->options, options);
    b->pass->own = b->op->own;
    return rw_image_end_whole(b, type);
}

static const rw_image_lowering lowerings[RW_IMAGE_METHODS + 1] = {
    [RW_IMAGE_OWN] = {lower_own, RW_IMAGE_PLAIN},
    [RW_IMAGE_THRESHOLD] = {lower_threshold, RW_IMAGE_POINT},
    [RW_IMAGE_INVERT] = {lower_invert, RW_IMAGE_POINT},
    [RW_IMAGE_LINEAR] = {lower_linear, RW_IMAGE_POINT},
    [RW_IMAGE_GAMMA] = {lower_gamma, RW_IMAGE_POINT},
    [RW_IMAGE_CLIP] = {lower_clip, RW_IMAGE_POINT},
    [RW_IMAGE_GREY] = {lower_grey, RW_IMAGE_PLAIN},
    [RW_IMAGE_COLOUR] = {lower_colour, RW_IMAGE_PLAIN},
    [RW_IMAGE_NORMALIZE] = {lower_normalize, RW_IMAGE_POINT},
    [RW_IMAGE_SPECTRUM] = {lower_spectrum, RW_IMAGE_BLEND},
    [RW_IMAGE_EQUALIZE] = {lower_counted, RW_IMAGE_POINT},
    [RW_IMAGE_OTSU] = {lower_counted, RW_IMAGE_POINT},
    [RW_IMAGE_HISTOGRAM] = {lower_histogram, RW_IMAGE_PLAIN},
    [RW_IMAGE_LOWPASS] = {lower_response, RW_IMAGE_BLEND},
    [RW_IMAGE_HIGHPASS] = {lower_response, RW_IMAGE_POINT},
    [RW_IMAGE_BANDPASS] = {lower_response, RW_IMAGE_POINT},
    [RW_IMAGE_RESIZE] = {lower_geometry, RW_IMAGE_BLEND},
    [RW_IMAGE_WARP] = {lower_geometry, RW_IMAGE_BLEND},
    [RW_IMAGE_ROTATE] = {lower_geometry, RW_IMAGE_BLEND},
    [RW_IMAGE_FLIP] = {lower_geometry, RW_IMAGE_PLAIN},
    [RW_IMAGE_TRANSPOSE] = {lower_geometry, RW_IMAGE_PLAIN},
    [RW_IMAGE_CROP] = {lower_geometry, RW_IMAGE_PLAIN},
    [RW_IMAGE_PAD] = {lower_geometry, RW_IMAGE_PLAIN},
};

static const rw_image_lowering *row_of(rw_image_method m)
{
    return lowerings[m].lower ? lowerings + m : rw_image_lower_windows + m;
}

static rw_image_treatment treatment_of(const rw_image_builder *b)
{
    const rw_image_method m = b->op->method;
    const bool moves = m == RW_IMAGE_RESIZE || m == RW_IMAGE_WARP || m == RW_IMAGE_ROTATE;
    if (!b->alpha || b->op->alpha == RW_IMAGE_ALPHA_FILTER) return RW_IMAGE_PLAIN;
    if (moves && b->op->interpolation == RW_IMAGE_INTERPOLATION_NEAREST) return RW_IMAGE_PLAIN;
    return row_of(m)->treatment;
}

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
        RW_TRY(row_of(m)->lower(&b));
        RW_TRY(rw_image_close_alpha(&b));
    }
    if (b.pass->nstages == 1) {
        ++b.operation;
        rw_image_add_stage(&b, "copy", rw_image_write_copy);
    }
    if (!plan->y_dtype) plan->y_dtype = ops[nops - 1].method == RW_IMAGE_HISTOGRAM ? RW_F64 : plan->dtype;
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
        rw_text_free(&p->response);
        if (p->ops->free) p->ops->free(p);
    }
}
