/* Texts of stages without neighbours, and the bilateral filter. */
#include <math.h>
#include <string.h>

#include "image/image.h"

#define ADD(...) rw_text_add(w->t, __VA_ARGS__)

static bool is_real(rw_dtype t) { return t == RW_F32 || t == RW_F64; }
static int least(rw_dtype t) { return t == RW_I16 ? -32768 : 0; }

/* `name` <- the real value, as the stage's type */
static void put(const rw_image_stage *s, rw_image_writer *w, const char *name, const char *value)
{
    const char *type = rw_dtype_name(s->type);
    if (is_real(s->type)) ADD("                    const %s %s = (%s)(%s);\n", type, name, type, value);
    else
        ADD("                    const %s %s = (%s)(int)RW_RINT(near_%s(%s, %d, %d));\n", type, name, type,
            s->compute == RW_F64 ? "f64" : "f32", value, least(s->type), (int)rw_image_largest(s->type));
}

void rw_image_write_copy(const rw_image_stage *s, rw_image_writer *w)
{
    char value[64];
    ADD("                    const %s v0 = (%s)%s;\n", rw_dtype_name(s->type), rw_dtype_name(s->type),
        rw_image_at(w, value, 0, 0, 0));
}

/* The value as a multiple of 1/steps, 0: as it is. */
static const char *without_noise(double steps, char *text, size_t size, const char *value)
{
    if (steps == 0) snprintf(text, size, "%s", value);
    else rw_snprintf(text, size, "RW_RINT((f64)(%s) * %.17g) * %.17g", value, steps, 1 / steps);
    return text;
}

void rw_image_write_round(const rw_image_stage *s, rw_image_writer *w)
{
    char value[64], text[240];
    put(s, w, "v0", without_noise(s->real.steps, text, sizeof text, rw_image_at(w, value, 0, 0, 0)));
}

/* ---- alpha ------------------------------------------------------------------------------------------------------- */

/* The part in f64, which all devices divide and round alike; it is 1 where a pixel is opaque. */
void rw_image_write_premultiply(const rw_image_stage *s, rw_image_writer *w)
{
    const char *type = rw_dtype_name(s->type);
    char value[64];
    const int n = w->channels;
    ADD("                    const %s r%d = (%s)%s, part_ = ", type, n - 1, type, rw_image_at(w, value, 0, 0, n - 1));
    if (s->type == RW_F64) ADD("(f64)%s / %.17g;\n", value, s->blend.white);
    else ADD("(f32)((f64)%s * %.17g);\n", value, 1 / s->blend.white); /* rounded to f32, white is 1 too */
    for (int c = 0; c < n - 1; ++c)
        ADD("                    const %s r%d = (%s)%s * part_;\n", type, c, type, rw_image_at(w, value, 0, 0, c));
}

/* Where nothing is left of alpha, colours become 0. */
void rw_image_write_divide(const rw_image_stage *s, rw_image_writer *w)
{
    char value[64], text[320], product[160], name[16];
    const int n = w->channels;
    const char *real = rw_dtype_name(s->compute);
    ADD("                    const %s alpha_ = %s * (%s)%.17g, by_ = alpha_ <= 0 ? 0 : (%s)(%.17g / (f64)alpha_);\n",
        real, rw_image_at(w, value, 0, 0, n - 1), real, s->blend.gain, real, s->blend.white);
    for (int c = 0; c < n; ++c) {
        if (c < n - 1) snprintf(product, sizeof product, "%s * by_", rw_image_at(w, value, 0, 0, c));
        else
            snprintf(product, sizeof product, "(alpha_ < 0 ? 0 : alpha_ > (%s)%.17g ? (%s)%.17g : alpha_)", real,
                     s->blend.white, real, s->blend.white);
        snprintf(name, sizeof name, "r%d", c);
        put(s, w, name, without_noise(s->blend.steps, text, sizeof text, product));
    }
}

void rw_image_write_alpha(const rw_image_stage *s, rw_image_writer *w)
{
    char value[64], also[64];
    const char *type = rw_dtype_name(s->type);
    ADD("                    const %s v0 = ALPHA(%d) ? (%s)%s : (%s)%s;\n", type, s->channels, type,
        rw_image_also(w, also, 0), type, rw_image_at(w, value, 0, 0, 0));
}

/* ---- two stages, limits ------------------------------------------------------------------------------------------ */

/* sign (v - also); with weights W v + W' also, in real numbers */
void rw_image_write_difference(const rw_image_stage *s, rw_image_writer *w)
{
    char v[64], also[64], value[256];
    const char *real = rw_dtype_name(s->compute);
    rw_image_at(w, v, 0, 0, 0);
    rw_image_also(w, also, 0);
    if (s->nweights) {
        snprintf(value, sizeof value, "FMA(W(%d), (%s)%s, W(%d) * (%s)%s)", s->weight, real, v, s->weight + 1, real,
                 also);
        put(s, w, "v0", value);
    } else {
        const char *plus = s->sign > 0 ? v : also, *minus = s->sign > 0 ? also : v, *type = rw_dtype_name(s->type);
        if (is_real(s->type)) ADD("                    const %s v0 = %s - %s;\n", type, plus, minus);
        else
            ADD("                    const %s v0 = (%s)near_i32((i32)%s - (i32)%s, %d, %d);\n", type, type, plus, minus,
                least(s->type), (int)rw_image_largest(s->type));
    }
}

/* W(0) + (v - low) (W(1) - W(0))/(high - low) */
void rw_image_write_normalize(const rw_image_stage *s, rw_image_writer *w)
{
    char v[64], value[256], text[400];
    const char *real = rw_dtype_name(s->compute), *type = rw_dtype_name(s->type);
    rw_image_at(w, v, 0, 0, 0);
    snprintf(value, sizeof value, "FMA((%s)%s - (%s)low, (%s)(factor * ((f64)W(%d) - (f64)W(%d))), W(%d))", real, v,
             real, real, s->weight + 1, s->weight, s->weight);
    put(s, w, s->alpha ? "mapped" : "v0", without_noise(s->real.steps, text, sizeof text, value));
    if (!s->alpha) return;
    if (s->real.opaque != 0) snprintf(v, sizeof v, "%.17g", s->real.opaque);
    ADD("                    const %s v0 = ALPHA(%d) ? (%s)%s : mapped;\n", type, s->channels, type, v);
}

/* ---- colours ----------------------------------------------------------------------------------------------------- */

/* Channels beyond the third are copied. */
static void copy_rest(const rw_image_stage *s, rw_image_writer *w, int from)
{
    char value[64];
    for (int c = from; c < w->channels; ++c)
        ADD("                    const %s r%d = %s;\n", rw_dtype_name(s->type), c - w->channels + s->channels,
            rw_image_at(w, value, 0, 0, c));
}

static void take(const rw_image_stage *s RW_UNUSED, rw_image_writer *w, const char *type)
{
    char a[64], b[64], c[64];
    ADD("                    const %s a = (%s)%s, b = (%s)%s, c = (%s)%s;\n", type, type, rw_image_at(w, a, 0, 0, 0),
        type, rw_image_at(w, b, 0, 0, 1), type, rw_image_at(w, c, 0, 0, 2));
}

/* ITU-R BT.601: Y = 0.299 R + 0.587 G + 0.114 B, Cb = (B - Y)/(2 (1 - 0.114)), Cr = (R - Y)/(2 (1 - 0.299)) and their
 * inverse, to three digits as in OpenCV. u8 computes with factors in units of 2^-14, u16 with Y exactly; halves
 * upwards. */
static const double red_part = 0.299, green_part = 0.587, blue_part = 0.114, to_cb = 0.564, to_cr = 0.713,
                    red_of_cr = 1.403, green_of_cr = -0.714, green_of_cb = -0.344, blue_of_cb = 1.773;
enum { COLOUR_BITS = 14, XYZ_BITS = 12 };
static int fixed(double factor, int bits) { return (int)rint(ldexp(factor, bits)); }

#define LUMA_U16 "((u32)a * 299u + (u32)b * 587u + (u32)c * 114u + 500u) / 1000u"
static const char *luma_integer(char text[96])
{
    snprintf(text, 96, "(a * %d + b * %d + c * %d + 8192) >> 14", fixed(red_part, COLOUR_BITS),
             fixed(green_part, COLOUR_BITS), fixed(blue_part, COLOUR_BITS));
    return text;
}
static void luma(char *text, size_t size, const char *real)
{
    snprintf(text, size, "FMA((%s)%g, a, FMA((%s)%g, b, (%s)%g * c))", real, red_part, real, green_part, real,
             blue_part);
}

void rw_image_write_grey(const rw_image_stage *s, rw_image_writer *w)
{
    const char *type = rw_dtype_name(s->type);
    char text[128], integer[96];
    take(s, w, is_real(s->type) ? type : "i32");
    luma(text, sizeof text, type);
    ADD("                    const %s r0 = (%s)(%s);\n", type, type,
        is_real(s->type)    ? text
        : s->type == RW_U16 ? LUMA_U16
                            : luma_integer(integer));
    copy_rest(s, w, 3);
}

static void put_integer(const rw_image_stage *s, rw_image_writer *w, int c, const char *value)
{
    const char *type = rw_dtype_name(s->type);
    ADD("                    const %s r%d = (%s)near_i32(%s, 0, %d);\n", type, c, type, value,
        (int)rw_image_largest(s->type));
}

/* Of u8 factors of 2^-14 (YCbCr) or 2^-12 (XYZ), whose error in u16 would be several units: u16 computes in f64. */
static bool in_integers(const rw_image_stage *s) { return s->type == RW_U8; }
static const char *colour_type(const rw_image_stage *s) { return s->type == RW_U16 ? "f64" : rw_dtype_name(s->type); }

/* Rows for each result, the constant last, in units of the result. */
static void write_matrix(const rw_image_stage *s, rw_image_writer *w, const double m[3][4])
{
    const char *real = colour_type(s);
    char value[256], name[8];
    for (int c = 0; c < 3; ++c) {
        if (!in_integers(s)) {
            snprintf(name, sizeof name, "r%d", c);
            snprintf(value, sizeof value, "FMA((%s)%.9g, a, FMA((%s)%.9g, b, FMA((%s)%.9g, c, (%s)%.9g)))", real,
                     m[c][0], real, m[c][1], real, m[c][2], real, m[c][3]);
            put(s, w, name, value);
            continue;
        }
        snprintf(value, sizeof value, "(a * %d + b * %d + c * %d + %d) >> %d", fixed(m[c][0], XYZ_BITS),
                 fixed(m[c][1], XYZ_BITS), fixed(m[c][2], XYZ_BITS), 1 << (XYZ_BITS - 1), XYZ_BITS);
        put_integer(s, w, c, value);
    }
}

static void write_ycbcr(const rw_image_stage *s, rw_image_writer *w)
{
    const char *real = colour_type(s);
    char value[256], text[128];
    const double middle = s->type == RW_U16 ? 32768 : 0.5;
    const int half = 128;
    if (!in_integers(s)) {
        luma(text, sizeof text, real);
        ADD("                    const %s y_ = %s, cb_ = FMA((%s)%g, c - y_, (%s)%g), cr_ = FMA((%s)%g, a - y_, "
            "(%s)%g);\n",
            real, text, real, to_cb, real, middle, real, to_cr, real, middle);
        put(s, w, "r0", "y_");
        put(s, w, "r1", "cb_");
        put(s, w, "r2", "cr_");
        return;
    }
    ADD("                    const i32 y_ = %s;\n", luma_integer(text));
    put_integer(s, w, 0, "y_");
    snprintf(value, sizeof value, "((c - y_) * %d + %d) >> 14", fixed(to_cb, COLOUR_BITS), half * 16384 + 8192);
    put_integer(s, w, 1, value);
    snprintf(value, sizeof value, "((a - y_) * %d + %d) >> 14", fixed(to_cr, COLOUR_BITS), half * 16384 + 8192);
    put_integer(s, w, 2, value);
}

static void write_from_ycbcr(const rw_image_stage *s, rw_image_writer *w)
{
    const char *real = colour_type(s);
    char value[256];
    const double middle = s->type == RW_U16 ? 32768 : 0.5;
    const int half = 128;
    if (!in_integers(s)) {
        ADD("                    const %s d = b - (%s)%g, e = c - (%s)%g, red = FMA((%s)%g, e, a), "
            "green = FMA((%s)%g, e, FMA((%s)%g, d, a)), blue = FMA((%s)%g, d, a);\n",
            real, real, middle, real, middle, real, red_of_cr, real, green_of_cr, real, green_of_cb, real, blue_of_cb);
        put(s, w, "r0", "red");
        put(s, w, "r1", "green");
        put(s, w, "r2", "blue");
        return;
    }
    ADD("                    const i32 d = b - %d, e = c - %d;\n", half, half);
    snprintf(value, sizeof value, "a + ((e * %d + 8192) >> 14)", fixed(red_of_cr, COLOUR_BITS));
    put_integer(s, w, 0, value);
    snprintf(value, sizeof value, "a + ((e * %d + d * %d + 8192) >> 14)", fixed(green_of_cr, COLOUR_BITS),
             fixed(green_of_cb, COLOUR_BITS));
    put_integer(s, w, 1, value);
    snprintf(value, sizeof value, "a + ((d * %d + 8192) >> 14)", fixed(blue_of_cb, COLOUR_BITS));
    put_integer(s, w, 2, value);
}

/* V = max, S = (V - min)/V, H the angle: of u8 0 … 179 (degrees/2), S and V 0 … 255; of floats H 0 … 360, S and V as x.
 * u16: as u8 with white 65535 and H 0 … 65535 for a turn. Quotients in f64, which all devices divide alike. */
static void write_hsv(const rw_image_stage *s, rw_image_writer *w)
{
    const char *real = s->type == RW_F32 ? "f32" : "f64";
    const double turn = s->type == RW_U8 ? 180 : s->type == RW_U16 ? 65536 : 360, white = rw_image_largest(s->type);
    ADD("                    const %s most = a > b ? a > c ? a : c : b > c ? b : c, least_ = a < b ? a < c ? a : c : "
        "b < c ? b : c;\n"
        "                    const %s wide = most - least_, by = wide > 0 ? 1 / wide : 0;\n"
        "                    const %s sixth = most == a ? (b - c) * by : most == b ? 2 + (c - a) * by : 4 + (a - b) * "
        "by;\n"
        "                    const %s turn = (sixth < 0 ? sixth + 6 : sixth) * (%s)%.17g;\n",
        real, real, real, real, real, turn / 6);
    if (is_real(s->type)) {
        /* NaN in any channel makes all three NaN */
        ADD("                    const %s bad = a + b + c, nan = bad != bad ? bad : 0;\n"
            "                    const %s part = most != 0 ? wide / most : 0, r0 = turn + nan, r1 = part + nan, r2 = "
            "most + nan;\n",
            real, real);
        return;
    }
    const char *type = rw_dtype_name(s->type);
    ADD("                    const f64 near_turn = RW_RINT(turn);\n"
        "                    const %s r0 = (%s)(int)(near_turn >= %g ? near_turn - %g : near_turn);\n"
        "                    const %s r1 = (%s)(int)RW_RINT(most > 0 ? wide * %g / most : 0), r2 = (%s)(int)most;\n",
        type, type, turn, turn, type, type, white, type);
}

static void write_from_hsv(const rw_image_stage *s, rw_image_writer *w)
{
    const char *real = s->type == RW_F32 ? "f32" : "f64";
    const double turn = s->type == RW_U8    ? 180
                        : s->type == RW_U16 ? 65536
                                            : 360,
                 white = is_real(s->type) ? 1 : rw_image_largest(s->type);
    ADD("                    const %s six = a * (%s)%.17g, h = six - 6 * RW_FLOOR(six / 6), part = RW_FLOOR(h), f = h "
        "- part;\n"
        "                    const %s t = b / (%s)%g, p0 = c * (1 - t), p1 = c * (1 - t * f), p2 = c * (1 - t * (1 - "
        "f));\n"
        "                    const int sector = part >= 0 && part < 6 ? (int)part : 6;\n"
        "                    const %s red = sector == 0 || sector == 5 ? c : sector == 1 ? p1 : sector == 4 ? p2 : "
        "p0;\n"
        "                    const %s green = sector == 1 || sector == 2 ? c : sector == 3 ? p1 : sector == 0 ? p2 : "
        "p0;\n"
        "                    const %s blue = sector == 3 || sector == 4 ? c : sector == 5 ? p1 : sector == 2 ? p2 : "
        "p0;\n",
        real, real, 6 / turn, real, real, white, real, real, real);
    if (is_real(s->type)) { /* NaN in any channel makes all three NaN */
        ADD("                    const %s bad = a + b + c, nan = bad != bad ? bad : 0;\n", real);
        put(s, w, "r0", "red + nan");
        put(s, w, "r1", "green + nan");
        put(s, w, "r2", "blue + nan");
        return;
    }
    put(s, w, "r0", "red");
    put(s, w, "r1", "green");
    put(s, w, "r2", "blue");
}

/* Linear RGB of ITU-R BT.709 with white D65, and its inverse. */
static const double to_xyz[3][4] = {{0.412453, 0.357580, 0.180423, 0},
                                    {0.212671, 0.715160, 0.072169, 0},
                                    {0.019334, 0.119193, 0.950227, 0}};
static const double from_xyz[3][4] = {{3.240479, -1.53715, -0.498535, 0},
                                      {-0.969256, 1.875991, 0.041556, 0},
                                      {0.055648, -0.204043, 1.057311, 0}};

void rw_image_write_colour(const rw_image_stage *s, rw_image_writer *w)
{
    const rw_image_colour colour = s->colour;
    const char *type = rw_dtype_name(s->type);
    const bool hsv = colour == RW_IMAGE_HSV || colour == RW_IMAGE_HSV_INVERSE;
    const bool integers = colour == RW_IMAGE_SWAP || (!hsv && in_integers(s));
    take(s, w, is_real(s->type) ? type : integers ? "i32" : "f64");
    switch (colour) {
    case RW_IMAGE_YCBCR: write_ycbcr(s, w); break;
    case RW_IMAGE_YCBCR_INVERSE: write_from_ycbcr(s, w); break;
    case RW_IMAGE_HSV: write_hsv(s, w); break;
    case RW_IMAGE_HSV_INVERSE: write_from_hsv(s, w); break;
    case RW_IMAGE_XYZ: write_matrix(s, w, to_xyz); break;
    case RW_IMAGE_XYZ_INVERSE: write_matrix(s, w, from_xyz); break;
    default: ADD("                    const %s r0 = (%s)c, r1 = (%s)b, r2 = (%s)a;\n", type, type, type, type);
    }
    copy_rest(s, w, 3);
}

/* ---- bilateral --------------------------------------------------------------------------------------------------- */

/* The pixel's own value, of channel c. */
static void add_centre(rw_image_writer *w, const char *type, int c)
{
    char value[64];
    ADD("                    const %s m%d = (%s)%s;\n", type, c, type, rw_image_at(w, value, 0, 0, c));
}

static void begin_bilateral(const rw_image_stage *s, rw_image_writer *w)
{
    char sum[64];
    for (int i = 0; i < s->sums; ++i) ADD("                    %s = 0;\n", rw_image_sum(w, sum, i));
}

/* Weights: one for each pixel of the window, then -1/(2 range^2). The distance of two pixels is the sum of the
 * differences of their channels (Tomasi and Manduchi 1998; so in OpenCV). */
static void add_neighbour(const rw_image_stage *s, rw_image_writer *w)
{
    const char *real = rw_dtype_name(s->compute);
    char value[64], sum[64];
    ADD("                    %s away = 0;\n", real);
    for (int c = 0; c < w->channels; ++c) {
        add_centre(w, real, c);
        ADD("                    const %s x%d = (%s)%s;\n                    away += fabs(x%d - m%d);\n", real, c, real,
            rw_image_term(w, value, c), c, c);
    }
    ADD("                    const %s both = weights[%d + t * %d + m] * exp_%s(away * away * weights[%d]);\n", real,
        s->weight, s->size[0], real, s->weight + s->size[0] * s->size[1]);
    rw_image_sum(w, sum, w->channels);
    ADD("                    %s += both;\n", sum);
    for (int c = 0; c < w->channels; ++c) {
        rw_image_sum(w, sum, c);
        ADD("                    %s = FMA(both, x%d, %s);\n", sum, c, sum);
    }
}

static void write_bilateral(const rw_image_stage *s, rw_image_writer *w)
{
    const char *to = rw_dtype_name(s->type);
    char sum[64], weight[64];
    rw_image_sum(w, weight, w->channels);
    for (int c = 0; c < w->channels; ++c) {
        rw_image_sum(w, sum, c);
        if (s->premultiplied) /* of integers too: in f64, which all devices divide alike */
            ADD("                    const %s r%d = (%s)((f64)%s / (f64)%s);\n", to, c, to, sum, weight);
        else if (is_real(s->type)) ADD("                    const %s r%d = %s / %s;\n", to, c, sum, weight);
        else ADD("                    const %s r%d = (%s)(int)RW_RINT((f64)%s / (f64)%s);\n", to, c, to, sum, weight);
    }
}

void rw_image_set_bilateral(rw_image_stage *s)
{
    s->pixels = s->exponential = s->skips = true;
    s->write = write_bilateral;
    s->begin = begin_bilateral;
    s->term = add_neighbour;
    s->sum = s->compute;
    s->sums = s->channels + 1;
}
