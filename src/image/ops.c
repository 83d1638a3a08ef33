/* Operations of image filters: parameter table, and parsing of chains. */
#include <math.h>
#include <string.h>

#include "image/image.h"
#include "param/param.h"

#define ROW(member, kind, standard, allowed, line, ...)                                                                \
    RW_ROW(rw_image_op, member, kind, standard, allowed, line, __VA_ARGS__)
#define OF(method) ((uint64_t)1 << RW_IMAGE_##method)
#define MORPHOLOGY (OF(ERODE) | OF(DILATE) | OF(OPEN) | OF(CLOSE) | OF(GRADIENT) | OF(TOPHAT) | OF(BLACKHAT))
#define DERIVATIVES (OF(SOBEL) | OF(SCHARR))
#define BLURS (OF(GAUSS) | OF(UNSHARP))
#define FREQUENCIES (OF(LOWPASS) | OF(HIGHPASS) | OF(BANDPASS))
#define SAMPLED (OF(RESIZE) | OF(WARP) | OF(ROTATE))
#define WINDOWS                                                                                                        \
    (BLURS | DERIVATIVES | MORPHOLOGY | OF(BOX) | OF(LAPLACE) | OF(SHARPEN) | OF(MASK) | OF(MEDIAN) | OF(BILATERAL))
#define RECTANGLES (MORPHOLOGY | OF(BOX) | OF(MEDIAN))
#define POINTS                                                                                                         \
    (OF(THRESHOLD) | OF(INVERT) | OF(LINEAR) | OF(GAMMA) | OF(CLIP) | OF(NORMALIZE) | OF(EQUALIZE) | OF(OTSU))

static const char methods[] =
#define RW_X(name, text, ...) text "|"
    RW_IMAGE_METHOD_LIST(RW_X);
static const char borders[] = RW_IMAGE_BORDER_LIST(RW_X);
#undef RW_X

static const rw_param rows[] = {
    ROW(method, ENUM, "gauss", methods, "operation: see rechenwerk list filters", .brief = NULL),
    ROW(sigma, REAL, "1; bilateral: 2", "(0, 1000]", "standard deviation in pixels", .brief = "",
        .methods = BLURS | OF(BILATERAL)),
    ROW(sigma_y, REAL, "", "(0, 1000]", "standard deviation along columns in pixels (default: sigma)",
        .methods = BLURS),
    ROW(algorithm, ENUM, "auto", "auto|taps|fft|recursive; mask: auto|taps|fft",
        "direct sum (taps), FFT convolution, or recursive filter (error up to 0.05 %); auto: fft for large windows of "
        "floats, else taps",
        .methods = OF(GAUSS) | OF(MASK)),
    ROW(response, ENUM, "gaussian", "gaussian|butterworth|ideal", "shape of the frequency response", .brief = "",
        .methods = FREQUENCIES),
    ROW(cutoff, REAL, "0.1", "(0, 10]", "cutoff frequency in cycles per pixel; the Nyquist frequency of an axis is 0.5",
        .methods = FREQUENCIES),
    ROW(cutoff_high, REAL, "0.25", "(0, 10]", "upper cutoff frequency of the band in cycles per pixel",
        .methods = OF(BANDPASS)),
    ROW(order, INT, "2", "[1, 20]", "order of the Butterworth response", .methods = FREQUENCIES),
    ROW(magnitudes, ENUM, "log", "log|linear",
        "scale of the magnitudes; log: log(1 + |X|) for pixel values scaled to 0 … 255", .brief = "",
        .methods = OF(SPECTRUM)),
    ROW(truncate, REAL, "3", "[1, 10]", "radius of the window in units of sigma", .methods = BLURS | OF(BILATERAL)),
    ROW(size, INT, "3; laplace: 1", "[1, 255]; sobel: 3|5|7; laplace: 1|3|5", "edge length of the window in pixels",
        .brief = "", .methods = RECTANGLES | OF(SOBEL) | OF(LAPLACE)),
    ROW(size_y, INT, "", "[1, 255]", "height of the window in pixels (default: size)", .methods = RECTANGLES),
    ROW(direction, ENUM, "magnitude", "magnitude|x|y", "gradient magnitude sqrt(dx^2 + dy^2), or one component",
        .methods = DERIVATIVES),
    ROW(element, ENUM, "rectangle", "rectangle|cross|ellipse", "shape of the structuring element",
        .methods = MORPHOLOGY),
    ROW(amount, REAL, "1", "[-1000, 1000]", "strength of the sharpening", .methods = OF(SHARPEN) | OF(UNSHARP)),
    ROW(range, REAL, "", "(0, inf)", "standard deviation of the weights in pixel values (default: white/10)",
        .methods = OF(BILATERAL)),
    ROW(threshold, ENUM, "binary", "binary|inverse|truncate|tozero|tozero_inverse",
        "result for x > level and else; binary: white, 0; inverse: 0, white; truncate: level, x; tozero: x, 0; "
        "tozero_inverse: 0, x",
        .methods = OF(THRESHOLD)),
    ROW(level, REAL, "", "[-inf, inf]", "level that pixels are compared with (default: white/2)",
        .methods = OF(THRESHOLD)),
    ROW(gain, REAL, "1", "[-inf, inf]", "factor that multiplies the values", .methods = OF(LINEAR)),
    ROW(offset, REAL, "0", "[-inf, inf]", "value that is added after the multiplication", .methods = OF(LINEAR)),
    ROW(power, REAL, "0.45454545", "(0, 100]", "exponent of x/white", .methods = OF(GAMMA)),
    ROW(low, REAL, "0", "[-inf, inf]", "lower limit of the result", .methods = OF(CLIP) | OF(NORMALIZE)),
    ROW(high, REAL, "", "[-inf, inf]", "upper limit of the result (default: white: 255, 65535, 32767 or 1)",
        .methods = OF(CLIP) | OF(NORMALIZE)),
    ROW(colour, ENUM, "ycbcr", "ycbcr|from_ycbcr|hsv|from_hsv|xyz|from_xyz|swap",
        "colour space conversion, or swap of red and blue", .brief = "", .methods = OF(COLOUR)),
    ROW(width, INT, "", "[1, 268435456]",
        "width of the result in pixels (default: resize: from factor or height; crop: up to the right edge; warp: "
        "unchanged; pad: width + left)",
        .methods = OF(RESIZE) | OF(CROP) | OF(WARP) | OF(PAD)),
    ROW(height, INT, "", "[1, 268435456]",
        "height of the result in pixels (default: resize: from factor or width; crop: up to the lower edge; warp: "
        "unchanged; pad: height + top)",
        .methods = OF(RESIZE) | OF(CROP) | OF(WARP) | OF(PAD)),
    ROW(factor, REAL, "1", "(0, 1000]", "ratio of the new size to the old size", .methods = OF(RESIZE)),
    ROW(interpolation, ENUM, "linear", "nearest|linear|cubic|lanczos|area",
        "interpolation between pixels; area: mean over the area of a result pixel (resize only)", .brief = "",
        .methods = SAMPLED),
    ROW(angle, REAL, "0", "[-inf, inf]", "angle of rotation in degrees, counterclockwise", .methods = OF(ROTATE)),
    ROW(axis, ENUM, "x", "x|y|both", "axis that is mirrored", .brief = "", .methods = OF(FLIP)),
    ROW(left, INT, "0", "[0, 268435456]", "crop: first column of the part; pad: columns added at the left",
        .methods = OF(CROP) | OF(PAD)),
    ROW(top, INT, "0", "[0, 268435456]", "crop: first row of the part; pad: rows added at the top",
        .methods = OF(CROP) | OF(PAD)),
    ROW(anchor_x, INT, "0", "[-127, 127]", "column of the mask's reference point, counted to the right of the centre",
        .methods = OF(MASK)),
    ROW(anchor_y, INT, "0", "[-127, 127]", "row of the mask's reference point, counted downwards from the centre",
        .methods = OF(MASK)),
    ROW(scale, REAL, "1", "[-inf, inf]", "factor that multiplies the weights", .methods = OF(MASK)),
    ROW(bins, INT, "256", "[1, 65536]; u8: at most 256", "number of bins that divide the range 0 … white", .brief = "",
        .methods = OF(HISTOGRAM)),
    ROW(border, ENUM, "reflect101; resize: replicate", borders, "extension of the image beyond its border",
        .methods = WINDOWS | SAMPLED | OF(PAD)),
    ROW(value, REAL, "0", "[-inf, inf]", "pixel value beyond a constant border",
        .methods = WINDOWS | SAMPLED | OF(PAD)),
    ROW(alpha, ENUM, "keep", "keep|filter",
        "images with alpha; keep: points and edges leave alpha unchanged, windows work on colours multiplied by alpha; "
        "filter: alpha is filtered like a colour",
        .methods = WINDOWS | SAMPLED | POINTS | FREQUENCIES | OF(SPECTRUM)),
    ROW(matrix, TEXT, "", "",
        "affine (2 rows of 3 numbers) or perspective (3 rows) map from result pixels to input pixels; rows are "
        "separated by /",
        .methods = OF(WARP)),
    ROW(mask, TEXT, "1 2 1/2 4 2/1 2 1", "", "rows of weights, separated by / or ;", .methods = OF(MASK)),
};

RW_PARAMS(rw_image_op_params, rw_image_op, rows, "filter", "an operation on images")

rw_status rw_image_op_parse_sized(rw_context *ctx, const char *text, rw_image_op *op, size_t op_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(text, "text");
    RW_NEED(op, "op");
    return rw_params_parse_sized(ctx, rw_image_op_params(), text, op, op_size);
}

double rw_image_largest(rw_dtype dtype)
{
    return dtype == RW_U8 ? 255 : dtype == RW_U16 ? 65535 : dtype == RW_I16 ? 32767 : 1;
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

enum { MOST_OPERATIONS = 200 };

static rw_status parse_chain(rw_context *ctx, rw_image_chain *c)
{
    int capacity = 0;
    for (char *at = c->text, *next; at; at = next) {
        next = strchr(at, '|');
        if (next) *next++ = 0;
        while (*at == ' ') ++at;
        for (char *end = at + strlen(at); end > at && end[-1] == ' ';) *--end = 0;
        if (!*at)
            return rw_fail(
                ctx, RW_ERR_ARGUMENT,
                "filter: an operation of the chain is empty: separate operations by |, such as gauss:sigma=1|sobel");
        if (c->nops == MOST_OPERATIONS)
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "filter: a chain of more than %d operations: split it into several filters",
                           MOST_OPERATIONS);
        if (!rw_grow(&c->ops, &capacity, c->nops + 1, sizeof *c->ops))
            return rw_fail_memory(ctx, sizeof *c->ops, "a chain of filters");
        const size_t n = strcspn(at, ":");
        const rw_image_own *own = rw_image_own_find(at, n);
        if (own)
            c->ops[c->nops++] = (rw_image_op){.method = RW_IMAGE_OWN, .own = own, .options = at[n] ? at + n + 1 : ""};
        else RW_TRY(rw_image_op_parse(ctx, at, c->ops + c->nops++));
    }
    return RW_OK;
}

rw_status rw_image_spec_take(rw_context *ctx, const rw_image_spec *given, size_t spec_size, size_t op_size,
                             rw_image_spec *spec, void **ops)
{
    const rw_struct_array arrays[] = {RW_STRUCT_ARRAY(rw_image_spec, ops, rw_image_op, op_size)};
    *ops = NULL;
    RW_TRY(rw_struct_in(ctx, "rw_image_spec", spec, sizeof *spec, given, spec_size));
    RW_CHECK_MEMBERS(ctx, rw_image_spec, spec);
    return rw_struct_in_arrays(ctx, spec, arrays, 1, ops);
}

rw_status rw_image_chain_create(rw_context *ctx, const rw_image_spec *spec, rw_image_chain *c)
{
    *c = (rw_image_chain){0};
    if (!spec->text == !spec->nops) return rw_fail(ctx, RW_ERR_ARGUMENT, "filter: set either text or ops");
    if (spec->text) {
        c->text = rw_strdup(spec->text);
        if (!c->text) return rw_fail_memory(ctx, strlen(spec->text), "a chain of filters");
        RW_TRY(parse_chain(ctx, c));
    } else {
        c->ops = rw_calloc((size_t)RW_MAX(spec->nops, 1), sizeof *c->ops);
        if (!c->ops) return rw_fail_memory(ctx, sizeof *c->ops, "a chain of filters");
        if (spec->nops > 0) {
            memcpy(c->ops, spec->ops, (size_t)spec->nops * sizeof *c->ops);
            c->nops = spec->nops;
        }
    }
    for (int i = 0; i < c->nops; ++i) {
        if (c->ops[i].method == RW_IMAGE_OWN && c->ops[i].own) continue;
        if (c->ops[i].method == 0)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "filter: ops[%d].method is 0: set a value of rw_image_method", i);
        RW_TRY(rw_params_resolve(ctx, rw_image_op_params(), NULL, c->ops + i));
    }
    return RW_OK;
}

void rw_image_chain_free(rw_image_chain *c)
{
    rw_free(c->ops);
    rw_free(c->text);
    *c = (rw_image_chain){0};
}
