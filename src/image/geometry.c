/* Operations that read x anywhere: pixel (i, j) of the result is x at
 *
 *   (p/r, q/r),   (p, q, r) = M (i, j, 1)         M: 9 weights, from pixels of the result to those of x; centres
 *                                                 of pixels are integers
 *
 * between pixels by nearest, linear, cubic (Keys, a = -0.75) or Lanczos interpolation of 8 pixels; or the mean of what
 * a pixel covers (area). Places are computed in f64, weights and sums in f32 (of f64 in f64), each product and sum
 * rounded once, so that integers are the same everywhere. */
#include <math.h>
#include <string.h>

#include "image/image.h"

#define ADD(...) rw_text_add(t, __VA_ARGS__)

/* ---- maps -------------------------------------------------------------------------------------------------------- */

static void set_map(rw_image_pass *p, const double m[9])
{
    for (int i = 0; i < 9; ++i) rw_image_weight(&p->weights, m[i]);
}

static rw_status matrix_of(rw_context *ctx, const rw_image_op *op, double m[9])
{
    double *values;
    int size[2];
    if (!op->matrix || !*op->matrix)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "warp: matrix is missing: write 2 or 3 rows of 3 numbers, such as matrix=1 0 0/0 1 0");
    rw_status status = rw_image_mask_parse(ctx, "warp: matrix", op->matrix, &values, size);
    if (status == RW_OK && (size[0] != 3 || (size[1] != 2 && size[1] != 3)))
        status =
            rw_fail(ctx, RW_ERR_ARGUMENT,
                    "warp: matrix has %d rows of %d numbers: it must have 2 or 3 rows of 3 numbers", size[1], size[0]);
    if (status == RW_OK) {
        memcpy(m, (const double[]){0, 0, 0, 0, 0, 0, 0, 0, 1}, 9 * sizeof *m);
        memcpy(m, values, (size_t)size[0] * (size_t)size[1] * sizeof *m);
    }
    rw_free(values);
    return status;
}

/* The size of the result of `resize`. */
static rw_status resized(rw_context *ctx, const rw_image_op *op, rw_image_pass *p)
{
    const double w = (double)p->width, h = (double)p->height;
    p->y_width = op->width ? op->width : (int64_t)rint(op->height && h ? w * (double)op->height / h : w * op->factor);
    p->y_height = op->height ? op->height : (int64_t)rint(op->width && w ? h * (double)op->width / w : h * op->factor);
    p->y_width = RW_MAX(p->y_width, p->width > 0);
    p->y_height = RW_MAX(p->y_height, p->height > 0);
    if ((!p->width || !p->height) && (p->y_width || p->y_height))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "resize: an image of 0 pixels cannot be resized");
    if (p->y_width > 1 << 28 || p->y_height > 1 << 28)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "resize: a result of %lld x %lld pixels: width and height must be at most 2^28",
                       (long long)p->y_width, (long long)p->y_height);
    return RW_OK;
}

static rw_status part_of(rw_context *ctx, const rw_image_op *op, rw_image_pass *p)
{
    p->y_width = op->width ? op->width : p->width - op->left;
    p->y_height = op->height ? op->height : p->height - op->top;
    if (p->y_width < 0 || p->y_height < 0 || op->left + p->y_width > p->width || op->top + p->y_height > p->height)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "crop: the part of %lld x %lld pixels at (%lld, %lld) exceeds the image of %lld x %lld pixels",
                       (long long)p->y_width, (long long)p->y_height, (long long)op->left, (long long)op->top,
                       (long long)p->width, (long long)p->height);
    return RW_OK;
}

rw_status rw_image_set_geometry(rw_context *ctx, const rw_image_op *op, rw_image_pass *p)
{
    const double w = (double)p->width, h = (double)p->height, turn = op->angle * acos(-1) / 180, c = cos(turn),
                 s = sin(turn);
    double m[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (op->interpolation == RW_IMAGE_INTERPOLATION_AREA && op->method != RW_IMAGE_RESIZE &&
        (op->method == RW_IMAGE_WARP || op->method == RW_IMAGE_ROTATE))
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: interpolation area is for resize only: choose nearest, linear, cubic or lanczos",
                       rw_image_method_name(op->method));
    switch (op->method) {
    case RW_IMAGE_RESIZE: {
        RW_TRY(resized(ctx, op, p));
        const double sx = w / (double)RW_MAX(p->y_width, 1), sy = h / (double)RW_MAX(p->y_height, 1);
        p->separable = true;
        /* pixels 2 i and 2 i + 1, equally */
        p->halves =
            sx == 2 && sy == 2 &&
            (op->interpolation == RW_IMAGE_INTERPOLATION_LINEAR || op->interpolation == RW_IMAGE_INTERPOLATION_AREA);
        m[0] = sx;
        m[2] = 0.5 * sx - 0.5;
        m[4] = sy;
        m[5] = 0.5 * sy - 0.5;
        break;
    }
    case RW_IMAGE_WARP:
        RW_TRY(matrix_of(ctx, op, m));
        if (op->width) p->y_width = op->width;
        if (op->height) p->y_height = op->height;
        break;
    case RW_IMAGE_ROTATE: { /* y counts downwards */
        const double x0 = (w - 1) / 2, y0 = (h - 1) / 2;
        m[0] = c;
        m[1] = -s;
        m[2] = x0 - c * x0 + s * y0;
        m[3] = s;
        m[4] = c;
        m[5] = y0 - s * x0 - c * y0;
        break;
    }
    case RW_IMAGE_FLIP:
        if (op->axis != RW_IMAGE_FLIP_Y) {
            m[0] = -1;
            m[2] = w - 1;
        }
        if (op->axis != RW_IMAGE_FLIP_X) {
            m[4] = -1;
            m[5] = h - 1;
        }
        break;
    case RW_IMAGE_TRANSPOSE:
        p->y_width = p->height;
        p->y_height = p->width;
        m[0] = m[4] = 0;
        m[1] = m[3] = 1;
        break;
    case RW_IMAGE_CROP:
        RW_TRY(part_of(ctx, op, p));
        m[2] = (double)op->left;
        m[5] = (double)op->top;
        break;
    default: /* PAD */
        p->y_width = op->width ? op->width : p->width + op->left;
        p->y_height = op->height ? op->height : p->height + op->top;
        m[2] = -(double)op->left;
        m[5] = -(double)op->top;
    }
    if (op->method >= RW_IMAGE_FLIP) {
        p->interpolation = RW_IMAGE_INTERPOLATION_NEAREST;
        p->transposes = op->method == RW_IMAGE_TRANSPOSE;
        p->separable = !p->transposes;
    }
    set_map(p, m);
    return RW_OK;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* f0 … f<n-1>: weights of pixels floor(s) - low … along an axis; `a` is "x" or "y". */
static int write_weights(rw_text *t, rw_image_interpolation how, const char *real, char a)
{
    if (how == RW_IMAGE_INTERPOLATION_LINEAR) {
        ADD("            const %s f%c[2] = {1 - d%c, d%c};\n", real, a, a, a);
        return 2;
    }
    /* -0.75: |d| < 1: 1.25 d^3 - 2.25 d^2 + 1; < 2: -0.75 (d^3 - 5 d^2 + 8 d - 4) */
    if (how == RW_IMAGE_INTERPOLATION_CUBIC) {
        ADD("            %s f%c[4];\n            for (int m = 0; m < 4; ++m) {\n"
            "                const %s d = fabs(d%c + 1 - m);\n"
            "                const %s near_ = FMA(FMA((%s)1.25, d, (%s)-2.25), d * d, (%s)1), far_ = (%s)-0.75 * "
            "FMA(FMA(d - 5, d, (%s)8), d, (%s)-4);\n"
            "                f%c[m] = d < 1 ? near_ : d < 2 ? far_ : 0;\n            }\n",
            real, a, real, a, real, real, real, real, real, real, real, a);
        return 4;
    }
    /* sinc(d) sinc(d/4) at d + 3 … d - 4, scaled so that their sum is 1; sin(pi (d + k)) = ±sin(pi d), sin(pi (d +
     * k)/4) from the sum rule */
    ADD("            %s f%c[8], all%c = 0;\n            {\n"
        "                const f64 c4[8] = {-0.70710678118654752, 0, 0.70710678118654752, 1, 0.70710678118654752, 0, "
        "-0.70710678118654752, -1};\n"
        "                const f64 s4[8] = {0.70710678118654752, 1, 0.70710678118654752, 0, -0.70710678118654752, -1, "
        "-0.70710678118654752, 0};\n"
        "                const f64 e = (f64)d%c, u = sine(e * 0.78539816339744831), v = cosine(e * "
        "0.78539816339744831);\n"
        "                for (int m = 0; m < 8; ++m) {\n"
        "                    const f64 d = e + (3 - m), w = FMA(u, c4[m], v * s4[m]);\n"
        "                    f%c[m] = (%s)(fabs(d) < 1e-9 ? 1.0 : w * sine4(e, m) / (d * d * 2.4674011002723395));\n"
        "                    all%c += f%c[m];\n                }\n"
        "                for (int m = 0; m < 8; ++m) f%c[m] = fabs(d%c) < (%s)1e-9 ? (m == 3 ? 1 : 0) : f%c[m] / "
        "all%c;\n            }\n",
        real, a, a, a, a, real, a, a, a, a, real, a, a);
    return 8;
}

/* Sine and cosine of 0 … pi/4 and sin(pi (e + 3 - m)), by polynomials with products and sums rounded once. */
static const char lanczos_text[] =
    "DEVICE f64 sine(f64 a)\n{\n    const f64 s = a * a;\n"
    "    f64 p = FMA(s, 1.0 / 6227020800.0, -1.0 / 39916800.0);\n    p = FMA(p, s, 1.0 / 362880.0);\n"
    "    p = FMA(p, s, -1.0 / 5040.0);\n"
    "    p = FMA(p, s, 1.0 / 120.0);\n    p = FMA(p, s, -1.0 / 6.0);\n    return FMA(p * s, a, a);\n}\n"
    "DEVICE f64 cosine(f64 a)\n{\n    const f64 s = a * a;\n"
    "    f64 p = FMA(s, 1.0 / 479001600.0, -1.0 / 3628800.0);\n    p = FMA(p, s, 1.0 / 40320.0);\n"
    "    p = FMA(p, s, -1.0 / 720.0);\n"
    "    p = FMA(p, s, 1.0 / 24.0);\n    p = FMA(p, s, -0.5);\n    return FMA(p, s, 1.0);\n}\n"
    "DEVICE f64 sine4(f64 e, int m)\n{\n"
    "    const f64 h = e < 0.5 ? e : 1 - e, q = sine(h * 1.5707963267948966), r = cosine(h * 1.5707963267948966), s = "
    "2 * (q * r);\n"
    "    return m % 2 ? s : -s;\n}\n";

/* The value beyond a constant border; `channel` is that of the element. */
static void outside_of(const rw_image_pass *p, const rw_image_shape *s, char *text, size_t size, const char *channel)
{
    const rw_image_stage *g = p->stage + 1;
    const char *type = rw_dtype_name(g->type);
    if (!g->premultiplied) snprintf(text, size, "(%s)%.17g", type, g->outside);
    else
        snprintf(text, size, "(%s == %d ? (%s)%.17g : (%s)%.17g)", s->planar ? "GROUP_ID(2)" : channel, p->channels - 1,
                 type, g->outside_alpha, type, g->outside);
}

static void write_element(const rw_image_pass *p, const rw_image_shape *s, rw_text *t, int channels)
{
    const rw_image_stage *g = p->stage + 1;
    const char *type = rw_dtype_name(g->type);
    char element[128], outside[160];
    outside_of(p, s, outside, sizeof outside, "c");
    if (s->planar) snprintf(element, sizeof element, "x[(long)n * x_row + m]");
    else snprintf(element, sizeof element, "x[(long)n * x_row + (long)m * %d + c]", channels);
    ADD("DEVICE %s pixel_(GLOBAL const %s *RESTRICT x, int i, int j, int c, int nx, int ny, long x_row, %s beyond_)\n"
        "{\n"
        "    const int m = outside(i, nx), n = outside(j, ny);\n",
        type, rw_dtype_name(p->x_dtype), type);
    if (g->border == RW_IMAGE_BORDER_CONSTANT) ADD("    if (m < 0 || n < 0) return beyond_;\n");
    else ADD("    (void)beyond_;\n");
    ADD("    return ");
    rw_image_add_load(p, t, element);
    /* where the kernel calls it, `c` is the channel, and GROUP_ID is known */
    ADD(";\n}\n#define pixel(x, i, j, c, nx, ny, x_row) pixel_(x, i, j, c, nx, ny, x_row, %s)\n", outside);
}

/* The mean over the rectangle of x that a pixel covers, M without rotation. */
static void write_area(rw_text *t, const char *real)
{
    ADD("            const f64 ax = W0 * i, bx = W0 * (i + 1.0), ay = W4 * j, by = W4 * (j + 1.0);\n"
        "            const int lx = (int)RW_FLOOR(ax), hx = (int)RW_FLOOR(bx - 1e-9), ly = (int)RW_FLOOR(ay), hy = "
        "(int)RW_FLOOR(by - 1e-9);\n"
        "            %s sum = 0;\n            for (int m = lx; m <= hx; ++m) {\n"
        "                const f64 from_ = m > ax ? m : ax, to_ = m + 1.0 < bx ? m + 1.0 : bx;\n"
        "                %s column = 0;\n"
        "                for (int n = ly; n <= hy; ++n) {\n"
        "                    const f64 top_ = n > ay ? n : ay, end_ = n + 1.0 < by ? n + 1.0 : by;\n"
        "                    column = FMA((%s)(end_ - top_), (%s)pixel(x, m, n, c, nx, ny, x_row), column);\n"
        "                }\n"
        "                sum = FMA((%s)(to_ - from_), column, sum);\n            }\n"
        "            const %s v = sum * (%s)(1 / (W0 * W4));\n",
        real, real, real, real, real, real, real);
}

/* Elements of the buffer of weighted sums along columns, in the second cache at the most. */
enum { AREA_BUFFER = 8192 };

/* Whether a pixel of the result covers so few columns that their sums fit the buffer. */
static bool takes_column_sums(const rw_image_pass *p, const rw_image_shape *s)
{
    return !s->threads && p->interpolation == RW_IMAGE_INTERPOLATION_AREA && !p->halves &&
           (p->weights.value[0] + 2) * (s->planar ? 1 : p->channels) <= AREA_BUFFER;
}

/* The same on CPUs, in the same order: rows of x are added up with their weights, without gaps; then along rows.
 * Columns and weights are computed once for each part of the strip: pixel k covers `head` of column at[k], all of the
 * columns between, `tail` of column at[k] + more[k]. */
static void write_rows_of_areas(const rw_image_pass *p, const rw_image_shape *s, rw_text *t, const char *real)
{
    const rw_image_stage *g = p->stage + 1;
    const int channels = s->planar ? 1 : p->channels;
    ADD("    SHARED_LARGE(u8, large);\n"
        "    LOCAL %s *const sums = (LOCAL %s *)large, *const head = sums + %d, *const tail = head + %d;\n"
        "    LOCAL i32 *const at = (LOCAL i32 *)(tail + %d), *const more = at + %d;\n",
        real, real, AREA_BUFFER, s->strip, s->strip, s->strip);
    ADD("    const int part = (int)((%d / %d - 2) / W0);\n"
        "    for (int from = first; from < end; from += part) {\n"
        "        const int to = from + part < end ? from + part : end, left = (int)RW_FLOOR(W0 * from);\n"
        "        const int wide = ((int)RW_FLOOR(MULADD(W0, (f64)to, -1e-9)) - left + 1) * %d;\n"
        "        EACH(k, to - from) {\n"
        "            const f64 ax = W0 * (from + (int)k), bx = W0 * (from + (int)k + 1.0);\n"
        "            const int lx = (int)RW_FLOOR(ax), hx = (int)RW_FLOOR(bx - 1e-9);\n"
        "            at[k] = lx - left;\n            more[k] = hx - lx;\n"
        "            head[k] = (%s)((lx + 1.0 < bx ? lx + 1.0 : bx) - ax);\n"
        "            tail[k] = (%s)((hx + 1.0 < bx ? hx + 1.0 : bx) - hx);\n        }\n        BARRIER;\n"
        "        for (int j = top; j < bottom; ++j) {\n"
        "            const f64 ay = W4 * j, by = W4 * (j + 1.0);\n"
        "            const int ly = (int)RW_FLOOR(ay), hy = (int)RW_FLOOR(by - 1e-9);\n"
        "            for (int n = ly; n <= hy; ++n) {\n"
        "                const f64 top_ = n > ay ? n : ay, end_ = n + 1.0 < by ? n + 1.0 : by;\n"
        "                const %s share = (%s)(end_ - top_);\n"
        "                GLOBAL const %s *const in = x + (long)n * x_row + (long)left * %d;\n"
        "                if (n == ly) {\n                    EACH(e, wide) sums[e] = share * (%s)",
        AREA_BUFFER, channels, channels, real, real, real, real, rw_dtype_name(p->x_dtype), channels, real);
    rw_image_add_load(p, t, "in[e]");
    ADD(";\n                } else {\n                    EACH(e, wide) sums[e] = FMA(share, (%s)", real);
    rw_image_add_load(p, t, "in[e]");
    ADD(", sums[e]);\n                }\n            }\n            BARRIER;\n"
        "            GLOBAL %s *const out = y + (long)(j - y0) * y_row + (long)(from - x0) * %d;\n"
        "            EACH_SERIAL(k, to - from) {\n"
        "                LOCAL const %s *const in = sums + at[k] * %d;\n"
        "                const int last = more[k];\n"
        "                %s sum[%d];\n"
        "                for (int c = 0; c < %d; ++c) sum[c] = FMA(head[k], in[c], (%s)0);\n"
        "                for (int m = 1; m < last; ++m)\n"
        "                    for (int c = 0; c < %d; ++c) sum[c] += in[m * %d + c];\n"
        "                if (last > 0)\n"
        "                    for (int c = 0; c < %d; ++c) sum[c] = FMA(tail[k], in[last * %d + c], sum[c]);\n"
        "                for (int c = 0; c < %d; ++c) {\n"
        "                    const %s v = sum[c] * (%s)(1 / (W0 * W4));\n"
        "                    out[k * %d + c] = ",
        rw_dtype_name(p->y_dtype), channels, real, channels, real, channels, channels, real, channels, channels,
        channels, channels, channels, real, real, channels);
    rw_image_add_store(p, t, g->type == RW_F64 ? RW_F64 : RW_F32, "v");
    ADD(";\n                }\n            }\n            BARRIER;\n        }\n    }\n}\n");
}

/* Where pixel (i, j) lies: lx, ly, and for interpolation dx, dy. */
static void write_place(const rw_image_pass *p, rw_text *t, const char *real)
{
    const double *m = p->weights.value;
    const bool affine = m[6] == 0 && m[7] == 0 && m[8] == 1;
    if (!affine) ADD("            const f64 r = FMA(W6, (f64)i, FMA(W7, (f64)j, W8)), by = r != 0 ? 1 / r : 0;\n");
    ADD("            const f64 sx = FMA(W0, (f64)i, FMA(W1, (f64)j, W2))%s;\n"
        "            const f64 sy = FMA(W3, (f64)i, FMA(W4, (f64)j, W5))%s;\n"
        "            const f64 px = within(sx), py = within(sy);\n",
        affine ? "" : " * by", affine ? "" : " * by");
    if (p->interpolation == RW_IMAGE_INTERPOLATION_NEAREST)
        ADD("            const int lx = (int)RW_FLOOR(px + 0.5), ly = (int)RW_FLOOR(py + 0.5);\n");
    else
        ADD("            const int lx = (int)RW_FLOOR(px), ly = (int)RW_FLOOR(py);\n"
            "            const %s dx = (%s)(px - lx), dy = (%s)(py - ly);\n",
            real, real, real);
}

/* Pixels along an axis that contribute to a value. */
static int taps_of(rw_image_interpolation how)
{
    return how == RW_IMAGE_INTERPOLATION_NEAREST  ? 1
           : how == RW_IMAGE_INTERPOLATION_LINEAR ? 2
           : how == RW_IMAGE_INTERPOLATION_CUBIC  ? 4
                                                  : 8;
}
static int low_of(rw_image_interpolation how) { return (taps_of(how) - 1) / 2; }

/* v at the place; `pixel`: x at (lx + m - low, ly + n - low), channel c, written with %1$d for low. */
static void write_value(const rw_image_pass *p, rw_text *t, const char *real, const char *pixel)
{
    const rw_image_stage *g = p->stage + 1;
    const int n = taps_of(p->interpolation), low = low_of(p->interpolation);
    char at[160];
    rw_snprintf(at, sizeof at, pixel, low, low);
    if (n == 1) {
        ADD("            const int m = 0, n = 0;\n            (void)m, (void)n;\n            const %s v = %s;\n",
            rw_dtype_name(g->type), at);
        return;
    }
    write_weights(t, p->interpolation, real, 'x');
    write_weights(t, p->interpolation, real, 'y');
    ADD("            %s v = 0;\n            for (int n = 0; n < %d; ++n) {\n                %s row = 0;\n"
        "                for (int m = 0; m < %d; ++m) row = FMA(fx[m], (%s)%s, row);\n"
        "                v = FMA(fy[n], row, v);\n            }\n",
        real, n, real, n, real, at);
}

/* x itself, for places all of whose pixels lie in the image. */
static void inner_pixel(const rw_image_pass *p, const rw_image_shape *s, rw_text *t, char *text, size_t size)
{
    rw_text element = {0};
    rw_image_add_load(p, &element,
                      s->planar ? "x[(long)(ly + n - %d) * x_row + (lx + m - %d)]"
                                : "x[(long)(ly + n - %d) * x_row + (long)(lx + m - %d) * CHANNELS + c]");
    snprintf(text, size, "%s", element.data ? element.data : "");
    if (element.failed) t->failed = true;
    rw_text_free(&element);
}

static void write_pixels(const rw_image_pass *p, const rw_image_shape *s, rw_text *t, const char *real,
                         const char *pixel, rw_dtype result)
{
    const int channels = s->planar ? 1 : p->channels;
    ADD("            for (int c = 0; c < %d; ++c) {\n", channels);
    if (p->interpolation == RW_IMAGE_INTERPOLATION_AREA) write_area(t, real);
    else write_value(p, t, real, pixel);
    ADD("            y[(long)(j - y0) * y_row + (long)(i - x0) * %d + c] = ", channels);
    rw_image_add_store(p, t, result, "v");
    ADD(";\n            }\n");
}

static const char any_pixel[] = "pixel(x, lx + m - %d, ly + n - %d, c, nx, ny, x_row)";

/* On CPUs: the positions of a row are computed first. If all of its pixels lie in the image, borders are not tested. */
static void write_rows_of_places(const rw_image_pass *p, const rw_image_shape *s, rw_text *t, const char *real,
                                 rw_dtype result)
{
    const int n = taps_of(p->interpolation), low = low_of(p->interpolation);
    char inner[160];
    inner_pixel(p, s, t, inner, sizeof inner);
    ADD("    SHARED_LARGE(u8, large);\n    LOCAL %s *const at_dx = (LOCAL %s *)large, *const at_dy = at_dx + %d;\n"
        "    LOCAL i32 *const at_x = (LOCAL i32 *)(large + %d), *const at_y = at_x + %d, *const beyond = at_y + %d;\n",
        real, real, s->strip, 2 * s->strip * (p->stage[1].type == RW_F64 ? 8 : 4), s->strip, s->strip);
    ADD("    for (int j = top; j < bottom; ++j) {\n        EACH_IN(i, first, end) {\n");
    write_place(p, t, real);
    if (n > 1) ADD("            at_dx[i - first] = dx;\n            at_dy[i - first] = dy;\n");
    ADD("            at_x[i - first] = lx;\n            at_y[i - first] = ly;\n"
        "            beyond[i - first] = lx < %d || ly < %d || lx >= nx - %d || ly >= ny - %d;\n        }\n"
        "        BARRIER;\n",
        low, low, n - 1 - low, n - 1 - low);
    ADD("        EACH(lane, 1) {\n            i32 any = 0;\n"
        "            for (int k = 1; k < end - first; ++k) any |= beyond[k];\n            beyond[0] |= any;\n"
        "        }\n        BARRIER;\n");
    const char *places = n > 1 ? "            const int lx = at_x[i - first], ly = at_y[i - first];\n"
                                 "            const %s dx = at_dx[i - first], dy = at_dy[i - first];\n"
                               : "            const int lx = at_x[i - first], ly = at_y[i - first];\n";
    ADD("        if (!beyond[0]) {\n            EACH_IN(i, first, end) {\n");
    rw_text_add(t, places, real);
    write_pixels(p, s, t, real, inner, result);
    ADD("            }\n        } else {\n            EACH_IN(i, first, end) {\n");
    rw_text_add(t, places, real);
    write_pixels(p, s, t, real, any_pixel, result);
    ADD("            }\n        }\n        BARRIER;\n    }\n}\n");
}

/* The same for linear interpolation: the four pixels of each place go into arrays, corner[(m strip + k) channels + c]
 * for pixel k of the strip, so that the loop over sums can use vectors. */
static void write_rows_of_corners(const rw_image_pass *p, const rw_image_shape *s, rw_text *t, const char *real)
{
    const rw_image_stage *g = p->stage + 1;
    const char *type = rw_dtype_name(g->type);
    const int channels = s->planar ? 1 : p->channels, plane = s->strip * channels;
    char inner[160], outside[160], beyond[200];
    rw_text load = {0};
    rw_image_add_load(p, &load, "x[at_]");
    snprintf(inner, sizeof inner, "%s", load.data ? load.data : "0");
    if (load.failed) t->failed = true;
    rw_text_free(&load);
    outside_of(p, s, outside, sizeof outside, "c");
    if (g->border == RW_IMAGE_BORDER_CONSTANT) snprintf(beyond, sizeof beyond, "m_ < 0 || n_ < 0 ? %s : ", outside);
    else *beyond = 0;
    ADD("    SHARED_LARGE(u8, large);\n    LOCAL %s *const at_dx = (LOCAL %s *)large, *const at_dy = at_dx + %d;\n"
        "    LOCAL i32 *const at_x = (LOCAL i32 *)(at_dy + %d), *const at_y = at_x + %d, *const beyond = at_y + %d;\n"
        "    LOCAL %s *const corner = (LOCAL %s *)(beyond + %d);\n",
        real, real, s->strip, s->strip, s->strip, s->strip, type, type, s->strip);
    ADD("    for (int j = top; j < bottom; ++j) {\n        EACH(k, end - first) {\n"
        "            const int i = first + (int)k;\n");
    write_place(p, t, real);
    ADD("            at_dx[k] = dx;\n            at_dy[k] = dy;\n"
        "            at_x[k] = lx;\n            at_y[k] = ly;\n"
        "            beyond[k] = lx | ly | (nx - 2 - lx) | (ny - 2 - ly); /* negative: one of them is */\n        }\n"
        "        BARRIER;\n"
        "        EACH_SERIAL(k, end - first) {\n            const int lx = at_x[k], ly = at_y[k];\n"
        "            if (beyond[k] >= 0) {\n                const long from_ = (long)ly * x_row + (long)lx * %d;\n"
        "                for (int m = 0; m < 4; ++m)\n                    for (int c = 0; c < %d; ++c) {\n"
        "                        const long at_ = from_ + (m > 1 ? x_row : 0) + m %% 2 * %d + c;\n"
        "                        corner[(m * %d + k) * %d + c] = %s;\n                    }\n            } else {\n"
        "                const int across[2] = {outside(lx, nx), outside(lx + 1, nx)};\n"
        "                const int down[2] = {outside(ly, ny), outside(ly + 1, ny)};\n"
        "                for (int m = 0; m < 4; ++m)\n                    for (int c = 0; c < %d; ++c) {\n"
        "                        const int m_ = across[m %% 2], n_ = down[m / 2];\n"
        "                        const long at_ = (long)n_ * x_row + (long)m_ * %d + c;\n"
        "                        corner[(m * %d + k) * %d + c] = %s%s;\n                    }\n            }\n"
        "        }\n"
        "        BARRIER;\n"
        "        GLOBAL %s *const out = y + (long)(j - y0) * y_row + (long)(first - x0) * %d;\n",
        channels, channels, channels, s->strip, channels, inner, channels, channels, s->strip, channels, beyond, inner,
        rw_dtype_name(p->y_dtype), channels);
    ADD("        EACH(k, end - first) {\n"
        "            const %s dx = at_dx[k], dy = at_dy[k];\n            for (int c = 0; c < %d; ++c) {\n"
        "                LOCAL const %s *const near_ = corner + k * %d + c;\n"
        "                const %s above = FMA(dx, (%s)near_[%d], (1 - dx) * (%s)near_[0]);\n"
        "                const %s below = FMA(dx, (%s)near_[%d], (1 - dx) * (%s)near_[%d]);\n"
        "                const %s v = FMA(dy, below, (1 - dy) * above);\n"
        "                out[k * %d + c] = ",
        real, channels, type, channels, real, real, plane, real, real, real, 3 * plane, real, 2 * plane, real,
        channels);
    rw_image_add_store(p, t, g->type == RW_F64 ? RW_F64 : RW_F32, "v");
    ADD(";\n            }\n        }\n        BARRIER;\n    }\n}\n");
}

static bool takes_corners(const rw_image_pass *p, const rw_image_shape *s)
{
    return !s->threads && p->interpolation == RW_IMAGE_INTERPOLATION_LINEAR;
}

static int64_t places_bytes(const rw_image_pass *p, const rw_image_shape *s)
{
    const int64_t corners = takes_corners(p, s) ? 4 * (s->planar ? 1 : p->channels) : 0;
    return s->strip *
           (2 * (p->stage[1].type == RW_F64 ? 8 : 4) + 12 + corners * (int64_t)rw_dtype_size(p->stage[1].type));
}

/* Tiles of 64 x 64, whose rows and columns both stay in the caches. */
static void write_transposed(const rw_image_pass *p, const rw_image_shape *s, rw_text *t)
{
    const int channels = s->planar ? 1 : p->channels;
    char element[64];
    snprintf(element, sizeof element, "x[(long)i * x_row + (long)j * %d + c]", channels);
    ADD("    EACH2(i, first, end, j, top, bottom) {\n"
        "        for (int c = 0; c < %d; ++c) y[(long)(j - y0) * y_row + (long)(i - x0) * %d + c] = ",
        channels, channels);
    rw_text load = {0};
    rw_image_add_load(p, &load, element);
    rw_image_add_store(p, t, p->stage[1].type, load.data ? load.data : "0");
    if (load.failed) t->failed = true;
    rw_text_free(&load);
    ADD(";\n    }\n}\n");
}

/* ---- resize to one half ------------------------------------------------------------------------------------------ */

/* Bytes of a row of x that are computed with at once, and the distance in bytes at which it is prefetched. */
enum { HALVES_PART = 768, HALVES_AHEAD = 2048 };

/* Pixels of the result that are computed at once. On CPUs memory is read in time for several channels only if it is
 * prefetched: several loops run over the same elements. A multiple of 32 makes all vectors of bytes full. */
static int halves_part(const rw_image_pass *p, const rw_image_shape *s)
{
    const int channels = s->planar ? 1 : p->channels, pixel = 2 * channels * (int)rw_dtype_size(p->x_dtype);
    return s->threads || channels == 1 ? s->strip : RW_MAX(HALVES_PART / pixel / 32 * 32, 32);
}

/* On CPUs, for bytes of several channels: means at all pixels, whose elements are read without gaps; every second one
 * is copied. */
static bool takes_every_second(const rw_image_pass *p, const rw_image_shape *s)
{
    return !s->threads && p->halves && !s->planar && p->channels > 1 && p->x_dtype == RW_U8 && p->y_dtype == RW_U8;
}

/* The sums of columns have one pixel more: 0, for the last mean, which is not copied. */
static int64_t every_second_bytes(const rw_image_pass *p, const rw_image_shape *s)
{
    const int64_t wide = 2 * (int64_t)halves_part(p, s) * p->channels;
    return wide + 2 * (wide + p->channels);
}

static void write_every_second(const rw_image_pass *p, const rw_image_shape *s, rw_text *t)
{
    const int channels = p->channels;
    ADD("            LOCAL u8 *const means = large;\n            LOCAL u16 *const sums = (LOCAL u16 *)(large + %d);\n"
        "            EACH(e, (to - from) * %d) sums[e] = (u16)(above[e] + below[e]);\n"
        "            EACH(c, %d) sums[(to - from) * %d + c] = 0;\n            BARRIER;\n"
        "            EACH(e, (to - from) * %d) {\n"
        "                const u16 sum = (u16)(sums[e] + sums[e + %d]);\n"
        "                means[e] = (u8)((u16)(sum + 1 + (sum >> 2 & 1)) >> 2);\n            }\n"
        "            BARRIER;\n"
        "            EACH_SERIAL(k, to - from) {\n"
        "                for (int c = 0; c < %d; ++c) out[k * %d + c] = means[k * %d + c];\n            }\n"
        "            BARRIER;\n        }\n}\n",
        2 * halves_part(p, s) * channels, 2 * channels, channels, 2 * channels, 2 * channels, channels, channels,
        channels, 2 * channels);
}

/* The mean of 2 x 2 pixels, rounded in the same way as for other sizes. */
static void write_halves(const rw_image_pass *p, const rw_image_shape *s, rw_text *t, const char *real)
{
    const int channels = s->planar ? 1 : p->channels, part = halves_part(p, s);
    const int line = 64 / (int)rw_dtype_size(p->x_dtype); /* elements of a cache line */
    if (takes_every_second(p, s)) ADD("    SHARED_LARGE(u8, large);\n");
    ADD("    for (int j = top; j < bottom; ++j)\n"
        "        for (int from = first; from < end; from += %d) {\n"
        "            const int to = end - from < %d ? end : from + %d;\n"
        "            GLOBAL const %s *const above = x + (long)(2 * j) * x_row + (long)from * %d;\n"
        "            GLOBAL const %s *const below = above + x_row;\n"
        "            GLOBAL %s *const out = y + (long)(j - y0) * y_row + (long)(from - x0) * %d;\n",
        part, part, part, rw_dtype_name(p->x_dtype), 2 * channels, rw_dtype_name(p->x_dtype), rw_dtype_name(p->y_dtype),
        channels);
    if (part < s->strip)
        ADD("            EACH_SERIAL(q, ((to - from) * %d + %d) / %d) {\n"
            "                PREFETCH(above + %d + q * %d, 64);\n"
            "                PREFETCH(below + %d + q * %d, 64);\n            }\n",
            2 * channels, line - 1, line, HALVES_AHEAD / 64 * line, line, HALVES_AHEAD / 64 * line, line);
    if (takes_every_second(p, s)) {
        write_every_second(p, s, t);
        return;
    }
    ADD("            EACH(e, (to - from) * %d) {\n"
        "                const long q = %s;\n",
        channels, channels == 1 ? "2 * e" : "(int)e / CHANNELS * (2 * CHANNELS) + (int)e % CHANNELS");
    if (p->x_dtype == RW_U8 && p->y_dtype == RW_U8) { /* in integers, ties to even as well */
        ADD("                const i32 sum = (i32)above[q] + above[q + %d] + below[q] + below[q + %d];\n"
            "                out[e] = (u8)((sum + 1 + (sum >> 2 & 1)) >> 2);\n            }\n        }\n}\n",
            channels, channels);
        return;
    }
    ADD("                %s v = 0;\n", real);
    for (int row = 0; row < 2; ++row) {
        ADD("                {\n                %s sum = 0;\n", real);
        for (int m = 0; m < 2; ++m) {
            char element[48];
            snprintf(element, sizeof element, "%s[q + %d]", row ? "below" : "above", m * channels);
            ADD("                    sum = FMA((%s)0.5, (%s)", real, real);
            rw_image_add_load(p, t, element);
            ADD(", sum);\n");
        }
        ADD("                    v = FMA((%s)0.5, sum, v);\n            }\n", real);
    }
    ADD("                out[e] = ");
    rw_image_add_store(p, t, p->stage[1].type == RW_F64 ? RW_F64 : RW_F32, "v");
    ADD(";\n            }\n        }\n}\n");
}

/* ---- resize: rows, then columns ---------------------------------------------------------------------------------- */

bool rw_image_resizes(const rw_image_pass *p)
{
    return p->separable && !p->halves && p->interpolation != RW_IMAGE_INTERPOLATION_AREA;
}

static int64_t ring_pitch(const rw_image_shape *s, int channels)
{
    return (s->strip * (int64_t)(s->planar ? 1 : channels) + 15) / 16 * 16;
}

/* Bytes of shared memory of a workgroup. */
int64_t rw_image_gather_bytes(const rw_image_pass *p, const rw_image_shape *s)
{
    if (takes_every_second(p, s)) return every_second_bytes(p, s);
    if (takes_column_sums(p, s)) {
        const int64_t size = p->stage[1].type == RW_F64 ? 8 : 4;
        return AREA_BUFFER * size + s->strip * (2 * size + 8);
    }
    if (!rw_image_resizes(p))
        return !s->threads && !p->transposes && !p->halves && p->interpolation != RW_IMAGE_INTERPOLATION_AREA
                   ? places_bytes(p, s)
                   : 16;
    const int n = taps_of(p->interpolation), size = p->stage[1].type == RW_F64 ? 8 : 4;
    return ring_pitch(s, p->channels) * n * (4 + 2 * size) + n * size + 64;
}

/* f<axis>[…] at the place W<scale> i + W<offset>, for taps from floor(place) - low on, l<axis> = floor(place). */
static void write_axis(rw_text *t, const rw_image_pass *p, const char *real, char axis, const char *index, int scale,
                       int offset)
{
    ADD("            const f64 p%c = FMA(W%d, (f64)%s, W%d);\n", axis, scale, index, offset);
    if (p->interpolation == RW_IMAGE_INTERPOLATION_NEAREST) {
        ADD("            const int l%c = (int)RW_FLOOR(p%c + 0.5);\n            const %s f%c[1] = {1};\n", axis, axis,
            real, axis);
        return;
    }
    ADD("            const int l%c = (int)RW_FLOOR(p%c);\n            const %s d%c = (%s)(p%c - l%c);\n", axis, axis,
        real, axis, real, axis, axis);
    write_weights(t, p->interpolation, real, axis);
}

/* A workgroup has a strip of columns. Positions and weights along rows are computed once. A row of x filtered along
 * them stays in a ring buffer of the rows that contribute to a value. */
static void write_resize(const rw_image_pass *p, const rw_image_shape *s, rw_text *t, const char *real)
{
    const rw_image_stage *g = p->stage + 1;
    const int n = taps_of(p->interpolation), low = low_of(p->interpolation), channels = s->planar ? 1 : p->channels;
    const long pitch = (long)ring_pitch(s, p->channels), size = g->type == RW_F64 ? 8 : 4;
    const bool constant = g->border == RW_IMAGE_BORDER_CONSTANT;
    char pixel[96], beyond[160];
    outside_of(p, s, beyond, sizeof beyond, "(int)e % CHANNELS");
    ADD("    SHARED_LARGE(u8, large);\n"
        "    LOCAL %s *const ring = (LOCAL %s *)large, *const xw = ring + %ld, *const yw = xw + %ld;\n"
        "    LOCAL i32 *const xi = (LOCAL i32 *)(large + %ld);\n    const int wide = (end - first) * %d;\n",
        real, real, n * pitch, n * pitch, (2 * n * pitch + 8) * size, channels);
    ADD("    EACH(e, wide) {\n        const int i = first + (int)e / %d, c = (int)e %% %d;\n        {\n", channels,
        channels);
    write_axis(t, p, real, 'x', "i", 0, 2);
    ADD("            for (int m = 0; m < %d; ++m) {\n                const int k = outside(lx + m - %d, nx);\n"
        "                xi[m * %ld + e] = k < 0 ? -1 : k * %d + c;\n"
        "                xw[m * %ld + e] = fx[m];\n            }\n        }\n    }\n    BARRIER;\n"
        "    int kept_from = 1 << 30, kept_to = -(1 << 30);\n",
        n, low, pitch, channels, pitch);
    ADD("    for (int j = top; j < bottom; ++j) {\n        const f64 place_ = FMA(W4, (f64)j, W5);\n"
        "        const int line = (int)RW_FLOOR(place_%s) - %d;\n",
        n == 1 ? " + 0.5" : "", low);
    ADD("        EACH(lane, 1) {\n");
    write_axis(t, p, real, 'y', "j", 4, 5);
    ADD("            for (int m = 0; m < %d; ++m) yw[m] = fy[m];\n        }\n", n);
    snprintf(pixel, sizeof pixel, "in[xi[m * %ld + e]]", pitch);
    ADD("        for (int k = line; k < line + %d; ++k) {\n            if (k >= kept_from && k <= kept_to) continue;\n"
        "            const int m0 = outside(k, ny), slot = (k %% %d + %d) %% %d * %ld;\n"
        "            GLOBAL const %s *const in = x + (long)(m0 < 0 ? 0 : m0) * x_row;\n"
        "            EACH(e, wide) {\n                %s sum = 0;\n"
        "                for (int m = 0; m < %d; ++m) sum = FMA(xw[m * %ld + e], (%s)",
        n, n, n, n, pitch, rw_dtype_name(p->x_dtype), real, n, pitch, real);
    if (constant) ADD("(m0 < 0 || xi[m * %ld + e] < 0 ? %s : ", pitch, beyond);
    rw_image_add_load(p, t, pixel);
    ADD("%s, sum);\n                ring[slot + e] = sum;\n            }\n        }\n        kept_from = line;\n"
        "        kept_to = line + %d;\n        BARRIER;\n",
        constant ? ")" : "", n - 1);
    ADD("        GLOBAL %s *const out = y + (long)(j - y0) * y_row + (long)(first - x0) * %d;\n"
        "        EACH(e, wide) {\n            %s v = 0;\n"
        "            for (int m = 0; m < %d; ++m) v = FMA(yw[m], ring[((line + m) %% %d + %d) %% %d * %ld + e], v);\n"
        "            out[e] = ",
        rw_dtype_name(p->y_dtype), channels, real, n, n, n, n, pitch);
    rw_image_add_store(p, t, g->type == RW_F64 ? RW_F64 : RW_F32, "v");
    ADD(";\n        }\n        BARRIER;\n    }\n}\n");
}

void rw_image_write_gather(const rw_image_pass *p, const rw_image_shape *s, rw_text *t)
{
    const rw_image_stage *g = p->stage + 1;
    const char *real = g->type == RW_F64 ? "f64" : "f32";
    const int channels = p->channels;
    const rw_dtype result = p->interpolation == RW_IMAGE_INTERPOLATION_NEAREST ? g->type
                            : g->type == RW_F64                                ? RW_F64
                                                                               : RW_F32;
    ADD("%s#define CHANNELS %d\n", rw_image_helper_text, channels);
    if (p->interpolation == RW_IMAGE_INTERPOLATION_LANCZOS) ADD("%s", lanczos_text);
    ADD("DEVICE int outside(int i, int n)\n{\n%s}\n",
        rw_image_map_text(g->border ? g->border : RW_IMAGE_BORDER_REFLECT101));
    ADD("DEVICE f64 within(f64 a) { return a > -1e9 ? a < 1e9 ? a : 1e9 : -1e9; }\n"); /* NaN too */
    if (!rw_image_resizes(p)) write_element(p, s, t, channels);
    rw_image_write_head(p, s, t);
    ADD("    const int first = x0 + GROUP_ID(0) * %d, end = x1 - first < %d ? x1 : first + %d;\n"
        "    const int top = y0 + GROUP_ID(1) * rows, bottom = y1 - top < rows ? y1 : top + rows;\n"
        "    x += x_from + (long)GROUP_ID(2) * x_plane;\n    y += y_from + (long)GROUP_ID(2) * y_plane;\n",
        s->strip, s->strip, s->strip);
    for (int i = 0; i < 9; ++i) ADD("    const f64 W%d = weights[%d];\n", i, i);
    if (rw_image_resizes(p)) {
        write_resize(p, s, t, real);
        return;
    }
    if (p->transposes || p->halves) {
        if (p->transposes) write_transposed(p, s, t);
        else write_halves(p, s, t, real);
        return;
    }
    if (takes_column_sums(p, s)) {
        write_rows_of_areas(p, s, t, real);
        return;
    }
    if (takes_corners(p, s)) {
        write_rows_of_corners(p, s, t, real);
        return;
    }
    if (!s->threads && p->interpolation != RW_IMAGE_INTERPOLATION_AREA) {
        write_rows_of_places(p, s, t, real, result);
        return;
    }
    ADD("    EACH2(i, first, end, j, top, bottom) {\n");
    if (p->interpolation != RW_IMAGE_INTERPOLATION_AREA) write_place(p, t, real);
    write_pixels(p, s, t, real, any_pixel, result);
    ADD("    }\n}\n");
}
