/* Frames of planes to pixels and back, on the device.
 *
 *   Y = Kr R + Kg G + Kb B,  Cb = (B - Y)/(2 (1 - Kb)),  Cr = (R - Y)/(2 (1 - Kr))
 *
 * with the coefficients of BT.709 from 720 rows on, else of BT.601. Colour of a block of pixels is that of the plane's
 * sample, and back its mean. A pixel that the chain has not changed keeps its luma, a block of such pixels its colour,
 * also where they lie outside RGB. Samples of 9 to 15 bits become 16 bits. */
#include <math.h>

#include "device/device.h"
#include "stream/stream.h"

static const char text[] =
    "DEVICE T sample(f32 v, f32 most) { return (T)(int)RW_RINT(v > 0 ? v < most ? v : most : 0); }\n"
    /* red, green and blue of pixel (i, j) of the frame x; up, wide: factors of luma and of colour */
    "#define COLOURS(i, j) \\\n"
    "    const f32 v_ = ((f32)x[(long)(j) * w + (i)] - low) * up; \\\n"
    "    const long at_ = (long)w * h + (long)((j) / SY) * cw + (i) / SX; \\\n"
    "    const f32 cb_ = ((f32)x[at_] - middle) * wide, cr_ = ((f32)x[at_ + (long)cw * ch] - middle) * wide; \\\n"
    "    const T red = sample(FMA(rv, cr_, v_), white), green = sample(FMA(gv, cr_, FMA(gu, cb_, v_)), white), \\\n"
    "            blue = sample(FMA(bu, cb_, v_), white)\n"
    /* RGB: red, green and blue, else luma alone */
    "KERNEL(unpack, GLOBAL T *RESTRICT y, GLOBAL const T *RESTRICT x, int w, int h, f32 white, f32 low, f32 up, f32 "
    "middle, f32 wide,\n"
    "       f32 rv, f32 gu, f32 gv, f32 bu)\n{\n"
    "    const int j = GROUP_ID(0), cw = (w + SX - 1) / SX, ch = (h + SY - 1) / SY;\n"
    "    EACH(i, w) {\n#if RGB\n        COLOURS(i, j);\n"
    "        y[((long)j * w + i) * 3] = red;\n        y[((long)j * w + i) * 3 + 1] = green;\n"
    "        y[((long)j * w + i) * 3 + 2] = blue;\n#else\n"
    "        y[(long)j * w + i] = sample(((f32)x[(long)j * w + i] - low) * up, white);\n#endif\n    }\n}\n"
    "KERNEL(pack, GLOBAL T *RESTRICT y, GLOBAL const T *RESTRICT p, GLOBAL const T *RESTRICT x, int w, int h, f32 "
    "most, f32 low, f32 gain, f32 middle,\n"
    "       f32 colour, f32 kr, f32 kg, f32 kb, f32 by_b, f32 by_r, f32 white, f32 up, f32 wide,\n"
    "       f32 rv, f32 gu, f32 gv, f32 bu)\n{\n"
    "    const int j = GROUP_ID(0), cw = (w + SX - 1) / SX, ch = (h + SY - 1) / SY;\n"
    "    if (j < h) {\n        EACH(i, w) {\n"
    "#if CHANNELS >= 3\n            GLOBAL const T *const q = p + ((long)j * w + i) * CHANNELS;\n"
    "            const f32 v = FMA(kr, (f32)q[0], FMA(kg, (f32)q[1], kb * (f32)q[2]));\n#else\n"
    "            const f32 v = p[(long)j * w + i];\n#endif\n"
    "#if KEEP\n            COLOURS(i, j);\n"
    "            const int same = q[0] == red && q[1] == green && q[2] == blue;\n"
    "            y[(long)j * w + i] = same ? x[(long)j * w + i] : sample(FMA(v, gain, low), most);\n#else\n"
    "            y[(long)j * w + i] = sample(FMA(v, gain, low), most);\n#endif\n        }\n    } else {\n"
    "        const int n = j - h;\n        EACH(m, cw) {\n"
    "            const long at = (long)w * h + (long)n * cw + m, other = at + (long)cw * ch;\n"
    "#if CHANNELS >= 3\n            f32 r = 0, g = 0, b = 0;\n            int count = 0, same = KEEP;\n"
    "            for (int t = n * SY; t < n * SY + SY && t < h; ++t)\n"
    "                for (int s = m * SX; s < m * SX + SX && s < w; ++s) {\n"
    "                    GLOBAL const T *const q = p + ((long)t * w + s) * CHANNELS;\n                    r += q[0];\n"
    "                    g += q[1];\n                    b += q[2];\n                    ++count;\n"
    "#if KEEP\n                    COLOURS(s, t);\n"
    "                    same = same && q[0] == red && q[1] == green && q[2] == blue;\n#endif\n                }\n"
    "            const f32 by = 1 / (f32)count, v = FMA(kr, r, FMA(kg, g, kb * b));\n"
    "            const T cb = sample(FMA((b - v) * by_b * by, colour, middle), most), cr = sample(FMA((r - v) * by_r * "
    "by, colour, middle), most);\n"
    "#if KEEP\n            y[at] = same ? x[at] : cb;\n            y[other] = same ? x[other] : cr;\n"
    "#else\n            (void)same;\n            y[at] = cb;\n            y[other] = cr;\n#endif\n"
    "#else\n            y[at] = x[at];\n            y[other] = x[other];\n#endif\n        }\n    }\n}\n";

static bool planes(const rw_frame_format *f) { return f->layout != RW_FRAME_PIXELS; }
static int bits_of(const rw_frame_format *f) { return f->bits ? f->bits : f->dtype == RW_U16 ? 16 : 8; }
static double white_of(const rw_frame_format *f) { return f->dtype == RW_U16 ? 65535 : 255; }
static double most_of(const rw_frame_format *f) { return (double)((1 << bits_of(f)) - 1); }

bool rw_frame_needs_conversion(const rw_frame_format *f)
{
    return planes(f) || bits_of(f) != (f->dtype == RW_U16 ? 16 : 8);
}
int rw_frame_channels(const rw_frame_format *f, bool luma) { return !planes(f) ? f->channels : luma ? 1 : 3; }

/* Properties of pixels in a result of another size: their aspect if both sides are scaled alike; fields and the place
 * of colour are unknown. */
static void set_shape(const rw_frame_format *in, bool same, rw_frame_format *out)
{
    if (same) return;
    const double x = (double)out->width / (double)in->width, y = (double)out->height / (double)in->height;
    if (fabs(x - y) * RW_MAX((double)in->width, (double)in->height) > 1) out->aspect[0] = out->aspect[1] = 0;
    if (out->height != in->height && out->interlacing && out->interlacing != 'p') out->interlacing = '?';
    out->siting = RW_CHROMA_CENTRE;
}

rw_frame_format rw_frame_result(const rw_frame_format *in, bool luma, int64_t width, int64_t height, int channels,
                                const rw_stream_format *table)
{
    rw_frame_format out = *in;
    const bool same = width == in->width && height == in->height;
    out.width = width;
    out.height = height;
    set_shape(in, same, &out);
    const bool as_it_was = planes(in) && (channels == 3 || (luma && same && channels == 1));
    if (as_it_was && (!table->holds || table->holds(&out))) return out;
    out.layout = RW_FRAME_PIXELS;
    out.channels = channels;
    if (!table->luma) out.bits = 0;
    if (!planes(in) && channels >= 3 && table->luma && table->holds && !table->holds(&out)) {
        out.layout = RW_FRAME_444;
        out.channels = 3;
        out.bits = bits_of(&out);
        out.full_range = false;
    }
    return out;
}

/* Luma as it is, scaled to the type's range; or black and white to 0 and white. */
typedef struct ranges {
    double low, gain, middle, colour;
} ranges;

static ranges ranges_of(const rw_frame_format *f, bool luma)
{
    const double step = most_of(f) + 1, unit = step / 256;
    if (luma) return (ranges){.gain = white_of(f) / most_of(f)};
    if (f->full_range) return (ranges){0, white_of(f) / most_of(f), step / 2, white_of(f) / most_of(f)};
    return (ranges){16 * unit, white_of(f) / (219 * unit), step / 2, white_of(f) / (224 * unit)};
}

rw_status rw_frame_converter_create(rw_device *dev, const rw_frame_format *in, const rw_frame_format *out, bool luma,
                                    int channels, rw_frame_converter *c)
{
    *c = (rw_frame_converter){.in = *in, .out = *out, .luma = luma || !planes(in)};
    const bool sx = in->layout == RW_FRAME_420 || in->layout == RW_FRAME_422, sy = in->layout == RW_FRAME_420;
    const bool to_rgb = !c->luma, from_rgb = planes(out) && (to_rgb || !planes(in));
    const bool keeps = from_rgb && in->layout == out->layout && in->width == out->width && in->height == out->height;
    char n[16];
    snprintf(n, sizeof n, "%d", from_rgb ? channels : 1);
    const rw_define d[] = {{"GROUP", "256"},           {"T", rw_dtype_name(in->dtype)}, {"SX", sx ? "2" : "1"},
                           {"SY", sy ? "2" : "1"},     {"RGB", to_rgb ? "1" : "0"},     {"CHANNELS", n},
                           {"KEEP", keeps ? "1" : "0"}};
    RW_TRY(rw_program_create(dev, "planes", text, d, RW_COUNT(d), &c->program));
    RW_TRY(rw_program_kernel(c->program, "unpack", &c->unpack));
    return rw_program_kernel(c->program, "pack", &c->pack);
}

void rw_frame_converter_free(rw_frame_converter *c) { rw_program_destroy(&c->program); }

static void coefficients(const rw_frame_format *f, double *kr, double *kb)
{
    *kr = f->height >= 720 ? 0.2126 : 0.299;
    *kb = f->height >= 720 ? 0.0722 : 0.114;
}

rw_status rw_frame_unpack(const rw_frame_converter *c, rw_array *frame, rw_array *pixels, rw_queue *q)
{
    double kr, kb;
    coefficients(&c->in, &kr, &kb);
    const double kg = 1 - kr - kb;
    const ranges r = ranges_of(&c->in, c->luma);
    const rw_arg a[] = {rw_arg_array(pixels),
                        rw_arg_array(frame),
                        rw_arg_int(c->in.width),
                        rw_arg_int(c->in.height),
                        rw_arg_real(white_of(&c->in)),
                        rw_arg_real(r.low),
                        rw_arg_real(r.gain),
                        rw_arg_real(r.middle),
                        rw_arg_real(r.colour),
                        rw_arg_real(2 * (1 - kr)),
                        rw_arg_real(-2 * (1 - kb) * kb / kg),
                        rw_arg_real(-2 * (1 - kr) * kr / kg),
                        rw_arg_real(2 * (1 - kb))};
    return rw_launch(q, c->unpack, (int64_t[]){c->in.height, 1, 1}, a, RW_COUNT(a));
}

rw_status rw_frame_pack(const rw_frame_converter *c, rw_array *pixels, rw_array *frame, rw_array *result, rw_queue *q)
{
    double kr, kb;
    coefficients(&c->out, &kr, &kb); /* those of its own size, since readers choose them by it */
    const double kg = 1 - kr - kb;
    const ranges r = !planes(&c->in) && planes(&c->out) ? ranges_of(&c->out, false) : ranges_of(&c->in, c->luma);
    const int64_t w = c->out.width, h = c->out.height;
    const int64_t colours = !planes(&c->out) ? 0 : c->out.layout == RW_FRAME_420 ? (h + 1) / 2 : h;
    const rw_arg a[] = {rw_arg_array(result),
                        rw_arg_array(pixels),
                        rw_arg_array(frame),
                        rw_arg_int(w),
                        rw_arg_int(h),
                        rw_arg_real(most_of(&c->out)),
                        rw_arg_real(r.low),
                        rw_arg_real(1 / r.gain),
                        rw_arg_real(r.middle),
                        rw_arg_real(r.colour > 0 ? 1 / r.colour : 0),
                        rw_arg_real(kr),
                        rw_arg_real(kg),
                        rw_arg_real(kb),
                        rw_arg_real(1 / (2 * (1 - kb))),
                        rw_arg_real(1 / (2 * (1 - kr))),
                        rw_arg_real(white_of(&c->in)),
                        rw_arg_real(r.gain),
                        rw_arg_real(r.colour),
                        rw_arg_real(2 * (1 - kr)),
                        rw_arg_real(-2 * (1 - kb) * kb / kg),
                        rw_arg_real(-2 * (1 - kr) * kr / kg),
                        rw_arg_real(2 * (1 - kb))};
    return rw_launch(q, c->pack, (int64_t[]){h + colours, 1, 1}, a, RW_COUNT(a));
}
