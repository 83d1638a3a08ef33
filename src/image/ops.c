/* Operations of image filters: their parameters, and chains of them from a text. */
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

static const char methods[] =
#define RW_X(name, text, line) text "|"
    RW_IMAGE_METHOD_LIST(RW_X);
static const char borders[] = RW_IMAGE_BORDER_LIST(RW_X);
#undef RW_X

static const rw_param rows[] = {
    ROW(method, ENUM, "gauss", methods, "operation: see rechenwerk list filters", .brief = NULL),
    ROW(sigma, REAL, "1; bilateral: 2", "(0, 1000]", "standard deviation in pixels", .brief = "",
        .methods = BLURS | OF(BILATERAL)),
    ROW(sigma_y, REAL, "", "(0, 1000]", "of columns, if it differs from sigma", .methods = BLURS),
    ROW(algorithm, ENUM, "auto", "auto|taps|fft|recursive; mask: auto|taps|fft",
        "sums of neighbours, Fourier transforms, or recursion, within 0.05 %; auto: taps, of large windows of floats "
        "transforms",
        .methods = OF(GAUSS) | OF(MASK)),
    ROW(response, ENUM, "gaussian", "gaussian|butterworth|ideal", "of frequencies", .brief = "",
        .methods = FREQUENCIES),
    ROW(cutoff, REAL, "0.1", "(0, 10]", "frequency in cycles per pixel, at most 0.5 on an axis",
        .methods = FREQUENCIES),
    ROW(cutoff_high, REAL, "0.25", "(0, 10]", "upper end of the band", .methods = OF(BANDPASS)),
    ROW(order, INT, "2", "[1, 20]", "of butterworth", .methods = FREQUENCIES),
    ROW(magnitudes, ENUM, "log", "log|linear", "log: logarithm of 1 + |X|, of values up to 255", .brief = "",
        .methods = OF(SPECTRUM)),
    ROW(truncate, REAL, "3", "[1, 10]", "radius of the window in units of sigma", .methods = BLURS | OF(BILATERAL)),
    ROW(size, INT, "3; laplace: 1", "[1, 255]; sobel: 3|5|7; laplace: 1|3|5", "edge of the window in pixels",
        .brief = "", .methods = RECTANGLES | OF(SOBEL) | OF(LAPLACE)),
    ROW(size_y, INT, "", "[1, 255]", "rows of the window, if they differ from size", .methods = RECTANGLES),
    ROW(direction, ENUM, "magnitude", "magnitude|x|y", "sqrt(dx^2 + dy^2), or one of both", .methods = DERIVATIVES),
    ROW(element, ENUM, "rectangle", "rectangle|cross|ellipse", "shape of the structuring element",
        .methods = MORPHOLOGY),
    ROW(amount, REAL, "1", "[-1000, 1000]", "strength", .methods = OF(SHARPEN) | OF(UNSHARP)),
    ROW(range, REAL, "", "(0, inf)", "difference of values with weight exp(-1/2); default: a tenth of white",
        .methods = OF(BILATERAL)),
    ROW(threshold, ENUM, "binary", "binary|inverse|truncate|tozero|tozero_inverse",
        "x > level ? white : 0; 0 : white; level : x; x : 0; 0 : x", .methods = OF(THRESHOLD)),
    ROW(level, REAL, "", "[-inf, inf]", "of the comparison; default: half of white", .methods = OF(THRESHOLD)),
    ROW(gain, REAL, "1", "[-inf, inf]", "factor", .methods = OF(LINEAR)),
    ROW(offset, REAL, "", "[-inf, inf]", "summand", .methods = OF(LINEAR)),
    ROW(power, REAL, "0.45454545", "(0, 100]", "exponent of x over white", .methods = OF(GAMMA)),
    ROW(low, REAL, "", "[-inf, inf]", "least value", .methods = OF(CLIP) | OF(NORMALIZE)),
    ROW(high, REAL, "", "[-inf, inf]", "largest value; default: white, 255, 65535, 32767 or 1",
        .methods = OF(CLIP) | OF(NORMALIZE)),
    ROW(colour, ENUM, "ycbcr", "ycbcr|from_ycbcr|hsv|from_hsv|xyz|from_xyz|swap",
        "colour space, or order of red and blue", .brief = "", .methods = OF(COLOUR)),
    ROW(width, INT, "", "[1, 268435456]", "columns of the result; default: by factor, or by height",
        .methods = OF(RESIZE) | OF(CROP) | OF(WARP) | OF(PAD)),
    ROW(height, INT, "", "[1, 268435456]", "rows of the result", .methods = OF(RESIZE) | OF(CROP) | OF(WARP) | OF(PAD)),
    ROW(factor, REAL, "1", "(0, 1000]", "new size over old size", .methods = OF(RESIZE)),
    ROW(interpolation, ENUM, "linear", "nearest|linear|cubic|lanczos|area",
        "between pixels; area: mean of what a pixel covers, of resize", .brief = "", .methods = SAMPLED),
    ROW(angle, REAL, "", "[-inf, inf]", "degrees, counterclockwise", .methods = OF(ROTATE)),
    ROW(axis, ENUM, "x", "x|y|both", "that is mirrored", .brief = "", .methods = OF(FLIP)),
    ROW(left, INT, "", "[0, 268435456]", "first column of the part; columns added at the left",
        .methods = OF(CROP) | OF(PAD)),
    ROW(top, INT, "", "[0, 268435456]", "first row of the part; rows added at the top", .methods = OF(CROP) | OF(PAD)),
    ROW(anchor_x, INT, "", "[-127, 127]", "the mask's point of reference, to the right of its centre",
        .methods = OF(MASK)),
    ROW(anchor_y, INT, "", "[-127, 127]", "the same, below its centre", .methods = OF(MASK)),
    ROW(scale, REAL, "1", "[-inf, inf]", "factor of the weights", .methods = OF(MASK)),
    ROW(bins, INT, "256", "[1, 65536]; u8: at most 256", "parts of the range 0 … white", .brief = "",
        .methods = OF(HISTOGRAM)),
    ROW(border, ENUM, "reflect101", borders, "pixels beyond the border", .methods = WINDOWS | SAMPLED | OF(PAD)),
    ROW(value, REAL, "", "[-inf, inf]", "beyond a constant border", .methods = WINDOWS | SAMPLED | OF(PAD)),
    ROW(matrix, TEXT, "", "", "2 or 3 rows of 3 numbers: from pixels of the result to those of x", .methods = OF(WARP)),
    ROW(mask, TEXT, "1 2 1/2 4 2/1 2 1", "", "rows of weights with / or ; between them", .methods = OF(MASK)),
};

const rw_params *rw_image_op_params(void)
{
    static const rw_params params = {"filter", "rw_image_op", "an operation on images", sizeof(rw_image_op),
                                     rows,     RW_COUNT(rows)};
    return &params;
}

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

static rw_status parse_chain(rw_context *ctx, rw_image_chain *c)
{
    int capacity = 0;
    for (char *at = c->text, *next; at; at = next) {
        next = strchr(at, '|');
        if (next) *next++ = 0;
        while (*at == ' ') ++at;
        for (char *end = at + strlen(at); end > at && end[-1] == ' ';) *--end = 0;
        if (!*at)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "filter: an operation is empty: write them as gauss:sigma=1|sobel");
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
    *ops = NULL;
    RW_TRY(rw_struct_in(ctx, "rw_image_spec", spec, sizeof *spec, given, spec_size));
    const void *array = spec->ops;
    RW_TRY(rw_struct_in_array(ctx, "rw_image_op", &array, spec->nops, sizeof(rw_image_op), op_size, ops));
    spec->ops = array;
    return RW_OK;
}

rw_status rw_image_chain_create(rw_context *ctx, const rw_image_spec *spec, rw_image_chain *c)
{
    *c = (rw_image_chain){0};
    if (!spec->text == !spec->nops)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "filter: give operations either as text or as ops");
    if (spec->text) {
        c->text = rw_strdup(spec->text);
        if (!c->text) return rw_fail_memory(ctx, strlen(spec->text), "a chain of filters");
        RW_TRY(parse_chain(ctx, c));
    } else {
        c->ops = rw_calloc((size_t)RW_MAX(spec->nops, 1), sizeof *c->ops);
        if (!c->ops) return rw_fail_memory(ctx, sizeof *c->ops, "a chain of filters");
        if (spec->nops > 0) memcpy(c->ops, spec->ops, (size_t)spec->nops * sizeof *c->ops), c->nops = spec->nops;
    }
    for (int i = 0; i < c->nops; ++i) {
        if (c->ops[i].method == RW_IMAGE_OWN && c->ops[i].own) continue;
        if (c->ops[i].method <= 0 || c->ops[i].method >= RW_IMAGE_METHODS)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "filter: method %d is none of rw_image_method", (int)c->ops[i].method);
        RW_TRY(rw_params_resolve(ctx, rw_image_op_params(), NULL, c->ops + i));
    }
    return RW_OK;
}

void rw_image_chain_free(rw_image_chain *c)
{
    rw_free(c->ops), rw_free(c->text);
    *c = (rw_image_chain){0};
}
