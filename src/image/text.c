/* What the texts of stages and passes share: names of values, borders, conversions, functions. */
#include <math.h>

#include "expr/boundary.h"
#include "image/image.h"

#define ADD(...) rw_text_add(w->t, __VA_ARGS__)

bool rw_image_pass_by_pixels(const rw_image_pass *p)
{
    for (int k = 0; k < p->nstages; ++k)
        if (p->stage[k].pixels) return true;
    return false;
}

/* As OpenCV's getStructuringElement. */
bool rw_image_in_element(rw_image_element element, int x, int y, const int size[2])
{
    const int r = size[1] / 2, c = size[0] / 2, dy = y - r;
    if (element == RW_IMAGE_CROSS) return x == c || y == r;
    if (element != RW_IMAGE_ELLIPSE) return true;
    const int dx = r ? (int)rint(c * sqrt(((double)r * r - (double)dy * dy) / ((double)r * r))) : 0;
    return x >= c - dx && x < c + dx + 1;
}

/* ---- for the texts of stages ------------------------------------------------------------------------------------- */

bool rw_image_few_weights(const rw_image_pass *p) { return p->weights.n <= 96; }

const char *rw_image_term(rw_image_writer *w, char buffer[64], int c)
{
    const rw_image_stage *s = w->pass->stage + w->k;
    if (s->pixels) snprintf(buffer, 64, "row[%d*i + m * %d + %d]", w->channels, w->channels, c);
    else snprintf(buffer, 64, "row[q + m * %d]", w->channels);
    return buffer;
}

const char *rw_image_sum(rw_image_writer *w, char buffer[64], int i)
{
    if (w->swept) snprintf(buffer, 64, "sums%d_%d[%s]", w->k, i, w->pass->stage[w->k].pixels ? "i" : "q");
    else snprintf(buffer, 64, "sum%d", i);
    return buffer;
}

const char *rw_image_also(rw_image_writer *w, char buffer[64], int c)
{
    const rw_image_stage *s = w->pass->stage + w->k;
    const int offset = (w->also_shift + s->also_x) * w->channels;
    if (s->pixels) snprintf(buffer, 64, "also[%d*i + %d]", w->channels, offset + c);
    else snprintf(buffer, 64, "also[q + %d]", offset);
    return buffer;
}

const char *rw_image_at(rw_image_writer *w, char buffer[64], int dx, int dy, int c)
{
    const rw_image_stage *s = w->pass->stage + w->k;
    const int offset = (w->shift + dx) * w->channels;
    if (w->columns) snprintf(buffer, 64, "H(%d, %d + c)", dy + s->ry, (s->rx + dx) * w->channels);
    else if (s->pixels) snprintf(buffer, 64, "s%d[%d*i + %d]", dy + s->ry, w->channels, offset + c);
    else snprintf(buffer, 64, "s%d[q + %d]", dy + s->ry, offset);
    return buffer;
}

const char *rw_image_pixel(rw_image_writer *w, char buffer[64], int i)
{
    const rw_image_stage *s = w->pass->stage + w->k;
    return rw_image_at(w, buffer, i % s->size[0] - s->low[0], i / s->size[0] - s->low[1], 0);
}

/* ---- borders ----------------------------------------------------------------------------------------------------- */

static const rw_boundary_kind kinds[] = {
#define RW_X(name, ...) [RW_IMAGE_BORDER_##name] = RW_BOUNDARY_##name,
    RW_BORDER_LIST(RW_X)
#undef RW_X
};

const char *rw_image_map_text(rw_image_border b) { return rw_boundary_row_of(kinds[b])->index; }

rw_image_border rw_image_map_of(rw_image_border b) { return b == RW_IMAGE_BORDER_SKIP ? RW_IMAGE_BORDER_REPLICATE : b; }

void rw_image_write_maps(rw_image_writer *w)
{
    unsigned written = 0;
    for (int k = 1; k < w->pass->nstages; ++k) {
        const rw_image_border b = rw_image_map_of(w->pass->stage[k].border);
        if (!b || written & 1u << b) continue;
        written |= 1u << b;
        ADD("DEVICE int outside%d(int i, int n)\n{\n%s}\n", (int)b, rw_image_map_text(b));
    }
}

rw_image_call rw_image_outside_text(rw_image_border b, const char *i, const char *n)
{
    rw_image_call call;
    snprintf(call.text, sizeof call.text, "outside%d(%s, %s)", (int)rw_image_map_of(b), i, n);
    return call;
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */

static const char *c_name(rw_dtype t) { return rw_dtype_name(t); }

/* An element of x as a value of stage 0. */
void rw_image_add_load(const rw_image_pass *p, rw_text *t, const char *element)
{
    const rw_dtype from = p->x_dtype, to = p->stage[0].type;
    if (from == RW_F16) rw_text_add(t, "f32_from_f16(%s)", element);
    else if (from == to) rw_text_add(t, "%s", element);
    else rw_text_add(t, "(%s)%s", c_name(to), element);
}

/* Whether all values of one type are values of the other. */
static bool holds(rw_dtype to, rw_dtype from)
{
    if (to == from) return true;
    if (to == RW_F64) return true;
    if (to == RW_F32) return from != RW_F64 && from != RW_I32;
    return from == RW_U8 && (to == RW_U16 || to == RW_I16);
}

void rw_image_add_store(const rw_image_pass *p, rw_text *t, rw_dtype from, const char *value)
{
    const rw_dtype to = p->y_dtype;
    const bool f64 = from == RW_F64;
    if (to == RW_F16) rw_text_add(t, "f16_from_%s((%s)%s)", f64 ? "f64" : "f32", f64 ? "f64" : "f32", value);
    else if (holds(to, from) || to == RW_F32) rw_text_add(t, "(%s)%s", c_name(to), value);
    else if (f64 || from == RW_F32) /* the nearest, of two the even one; saturated; NaN becomes 0 */
        rw_text_add(t, "(%s)(int)RW_RINT(near_%s(%s, %d, %d))", c_name(to), f64 ? "f64" : "f32", value,
                    to == RW_I16 ? -32768 : 0, (int)rw_image_largest(to));
    else
        rw_text_add(t, "(%s)near_i32(%s, %d, %d)", c_name(to), value, to == RW_I16 ? -32768 : 0,
                    (int)rw_image_largest(to));
}

const char rw_image_helper_text[] =
    "DEVICE f32 near_f32(f32 v, f32 least, f32 most) { return v > least ? v < most ? v : most : v != v ? 0 : least; }\n"
    "DEVICE f64 near_f64(f64 v, f64 least, f64 most) { return v > least ? v < most ? v : most : v != v ? 0 : least; }\n"
    "DEVICE i32 near_i32(i32 v, i32 least, i32 most) { return v > least ? v < most ? v : most : least; }\n";

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* exp(v), v <= 0, to an ulp or two; the same bits everywhere: 2^n times a polynomial, all products and sums rounded
 * once. */
const char rw_image_exp_text[] =
    "DEVICE f32 exp_f32(f32 v)\n{\n"
    "    const f32 n = RW_RINT(v > -87.0f ? v * 1.44269504f : -125.0f), r = FMA(n, 2.12194440e-4f, FMA(n, "
    "-0.693359375f, v > -87.0f ? v : -86.643397f));\n"
    "    f32 p = FMA(1.9875691500e-4f, r, 1.3981999507e-3f);\n"
    "    p = FMA(p, r, 8.3334519073e-3f);\n    p = FMA(p, r, 4.1665795894e-2f);\n    p = FMA(p, r, 1.6666665459e-1f);\n"
    "    p = FMA(p, r, 5.0000001201e-1f);\n    p = FMA(p, r * r, r) + 1.0f;\n"
    "    rw_bits u;\n    u.bits = ((i32)n + 127) << 23;\n    return v > -87.0f ? p * u.value : 0;\n}\n"
    "DEVICE f64 exp_f64(f64 v) { return exp(v); }\n";

/* For the median of large windows. */
const char rw_image_order_text[] =
    "typedef union { f32 value; u32 bits; } order32;\ntypedef union { f64 value; u64 bits; } order64;\n"
    "DEVICE u32 key_f32(f32 v) { order32 o; o.value = v; return o.bits ^ (o.bits >> 31 ? 0xffffffffu : "
    "0x80000000u); }\n"
    "DEVICE f32 f32_key(u32 k) { order32 o; o.bits = k ^ (k >> 31 ? 0x80000000u : 0xffffffffu); return o.value; }\n"
    "DEVICE u64 key_f64(f64 v) { order64 o; o.value = v; return o.bits ^ (o.bits >> 63 ? ~(u64)0 : (u64)1 << 63); }\n"
    "DEVICE f64 f64_key(u64 k) { order64 o; o.bits = k ^ (k >> 63 ? (u64)1 << 63 : ~(u64)0); return o.value; }\n";

void rw_image_add_alpha(const rw_image_pass *p, const rw_image_shape *s, rw_text *text)
{
    rw_text_add(text, "#define ALPHA(n) (%s == (n) - 1)\n",
                s->planar && !rw_image_pass_by_pixels(p) ? "GROUP_ID(2)" : "q % (n)");
}

/* ---- the head of a kernel ---------------------------------------------------------------------------------------- */

enum { WEIGHTS = 240 }; /* arguments of a kernel */
int rw_image_weight_arguments(const rw_image_pass *p, const rw_image_shape *s)
{
    return s->columns && p->weights.n <= WEIGHTS ? p->weights.n : 0;
}

void rw_image_write_head(const rw_image_pass *p, const rw_image_shape *s, rw_text *text)
{
    const char *limits = c_name(s->limits), *real = s->f64 ? "f64" : "f32";
    rw_text_add(
        text,
        "KERNEL(image, GLOBAL %s *RESTRICT y, GLOBAL const %s *RESTRICT x, GLOBAL const %s *RESTRICT weights, GLOBAL "
        "%s *limits, GLOBAL const %s *found, int nx, int ny, "
        "int x0, int x1, int y0, int y1, int rows, long x_from, long x_row, long x_plane, long y_from, long y_row, "
        "long y_plane%s",
        c_name(p->y_dtype), c_name(p->x_dtype), real, limits, limits, s->in_memory ? ", GLOBAL u8 *RESTRICT work" : "");
    for (int i = 0; i < rw_image_weight_arguments(p, s); ++i) rw_text_add(text, ", %s w%d", real, i);
    rw_text_add(text, ")\n{\n");
}
