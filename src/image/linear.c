/* Texts of linear stages: sums of neighbours with weights.
 *
 * For integer types all weights are integers, so that sums are exact in any order; for u8 in f32, up to 2^24. One
 * product and one rounding, or a shift, follow. */
#include <math.h>

#include "image/image.h"

#define ADD(...) rw_text_add(w->t, __VA_ARGS__)
enum { PAIRS = 20, TAPS = 40, UNROLLED = 160 }; /* largest numbers of terms without loops: processors; GPUs */

static int largest(rw_dtype t) { return (int)rw_image_largest(t); }
static int least(rw_dtype t) { return t == RW_I16 ? -32768 : 0; }

/* v0 <- the sum, as the stage's type. */
static void finish(const rw_image_stage *s, rw_image_writer *w)
{
    const char *type = rw_dtype_name(s->type), *real = s->compute == RW_F32 ? "f32" : "f64";
    char value[96];
    if (s->add.factor != 1) snprintf(value, sizeof value, "(%s)sum * (%s)%.17g", real, real, s->add.factor);
    else snprintf(value, sizeof value, "sum");
    if (s->type == RW_F32 || s->type == RW_F64)
        ADD("                    const %s v0 = (%s)%s(%s);\n", type, type, s->add.rounds ? "RW_RINT" : "", value);
    else if (s->type == RW_I32) ADD("                    const i32 v0 = %s;\n", value);
    else if (s->compute == RW_I32 && s->add.factor == 1)
        ADD("                    const %s v0 = (%s)near_i32(sum, %d, %d);\n", type, type, least(s->type),
            largest(s->type));
    else
        ADD("                    const %s v0 = (%s)(int)RW_RINT(near_%s(%s, %d, %d));\n", type, type, real, value,
            least(s->type), largest(s->type));
}

/* sum <- sum + weight * value, exactly rounded or exact */
static void add_term(const rw_image_stage *s, rw_image_writer *w, const char *weight, const char *value)
{
    const char *type = rw_dtype_name(s->compute);
    if (s->compute == RW_I32) ADD("                    sum += (i32)%s * (i32)%s;\n", weight, value);
    else ADD("                    sum = FMA(%s, (%s)%s, sum);\n", weight, type, value);
}

/* Folded: the weight of a term is for two values, except that of the centre. */
static bool mirrors(const rw_image_stage *s, int i) { return s->add.folded && i < s->size[0] * s->size[1] / 2; }

static void join_tap(const rw_image_stage *s, rw_image_writer *w, const char *weight, const char *a, const char *b)
{
    const char *type = rw_dtype_name(s->compute);
    char both[256];
    if (b) snprintf(both, sizeof both, "((%s)%s + (%s)%s)", type, a, type, b);
    add_term(s, w, weight, b ? both : a);
}

static void close_taps(const rw_image_stage *s, rw_image_writer *w)
{
    if (s->compute == RW_I32 && s->add.shift) /* halves upwards */
        ADD("                    sum = (sum + %d) >> %d;\n", 1 << (s->add.shift - 1), s->add.shift);
    finish(s, w);
}

/* ---- many weights: loops ----------------------------------------------------------------------------------------- */

static void begin_sum(const rw_image_stage *s RW_UNUSED, rw_image_writer *w)
{
    char sum[64];
    ADD("                    %s = 0;\n", rw_image_sum(w, sum, 0));
}

static void add_pixel(const rw_image_stage *s, rw_image_writer *w)
{
    const char *type = rw_dtype_name(s->compute);
    char sum[64], value[64], weight[96];
    rw_image_sum(w, sum, 0);
    rw_image_term(w, value, 0);
    snprintf(weight, sizeof weight, "weights[%d + t * %d + m]", s->weight, s->size[0]);
    if (s->compute == RW_I32) ADD("                    %s += (i32)%s * (i32)%s;\n", sum, weight, value);
    else ADD("                    %s = FMA(%s, (%s)%s, %s);\n", sum, weight, type, value, sum);
}

static void write_looped(const rw_image_stage *s, rw_image_writer *w)
{
    char sum[64];
    ADD("                    const %s sum = %s;\n", rw_dtype_name(s->compute), rw_image_sum(w, sum, 0));
    finish(s, w);
}

void rw_image_set_taps(rw_image_stage *s)
{
    s->terms = s->nweights;
    s->few = s->add.folded ? PAIRS : TAPS;
    s->mirrors = mirrors;
    s->join = join_tap;
    s->close = close_taps;
    s->begin = begin_sum;
    s->sum = s->compute;
    if (s->terms <= UNROLLED) return;
    s->write = write_looped;
    s->term = add_pixel;
    s->sums = 1;
}

/* ---- few --------------------------------------------------------------------------------------------------------- */

void rw_image_write_taps(const rw_image_stage *s, rw_image_writer *w)
{
    const int last = s->size[0] * s->size[1] - 1;
    char weight[64], a[64], b[64];
    ADD("                    %s sum = 0;\n", rw_dtype_name(s->compute));
    for (int i = 0; i < s->terms; ++i) {
        snprintf(weight, sizeof weight, "W(%d)", s->weight + i);
        rw_image_pixel(w, a, i);
        join_tap(s, w, weight, a, mirrors(s, i) ? rw_image_pixel(w, b, last - i) : NULL);
    }
    close_taps(s, w);
}

void rw_image_write_sum(const rw_image_stage *s, rw_image_writer *w)
{
    const char *type = rw_dtype_name(s->compute);
    char value[64];
    ADD("                    %s sum = 0;\n", type);
    for (int i = 0; i < s->size[0] * s->size[1]; ++i)
        ADD("                    sum += (%s)%s;\n", type, rw_image_pixel(w, value, i));
    finish(s, w);
}

/* Masks of integers that are known when the text is written. Two: the root of the sum of the squares of both. */
void rw_image_write_integers(const rw_image_stage *s, rw_image_writer *w)
{
    const char *type = rw_dtype_name(s->compute), *to = rw_dtype_name(s->type);
    const bool integer = s->compute == RW_I32;
    char value[64];
    for (int m = 0; m < s->masks; ++m) {
        ADD("                    %s sum%d = 0;\n", type, m);
        for (int i = 0; i < s->size[0] * s->size[1]; ++i) {
            const int weight = s->integers[m][i];
            if (!weight) continue;
            rw_image_pixel(w, value, i);
            if (weight == 1 || weight == -1)
                ADD("                    sum%d %c= (%s)%s;\n", m, weight > 0 ? '+' : '-', type, value);
            else if (integer) ADD("                    sum%d += %d * (i32)%s;\n", m, weight, value);
            else ADD("                    sum%d = FMA((%s)%d, (%s)%s, sum%d);\n", m, type, weight, type, value, m);
        }
    }
    if (s->masks == 1) {
        ADD("                    const %s v0 = (%s)sum0;\n", to, to);
        return;
    }
    const char *real = s->compute == RW_F64 ? "f64" : "f32";
    ADD("                    const %s gx = (%s)sum0, gy = (%s)sum1, root = sqrt(FMA(gx, gx, gy * gy));\n", real, real,
        real);
    if (s->type == RW_I16) ADD("                    const i16 v0 = (i16)(int)RW_RINT(root < 32767 ? root : 32767);\n");
    else ADD("                    const %s v0 = (%s)root;\n", to, to);
}

void rw_image_write_pair(const rw_image_stage *s, rw_image_writer *w)
{
    const char *type = rw_dtype_name(s->compute);
    char a[64], b[64];
    ADD("                    %s sum = (%s)%s + (%s)%s;\n", type, type, rw_image_at(w, a, -s->low[0], 0, 0), type,
        rw_image_at(w, b, s->add.apart - s->low[0], 0, 0));
    if (s->add.odd) ADD("                    sum += (%s)%s;\n", type, rw_image_also(w, a, 0));
    finish(s, w);
}

void rw_image_write_running(const rw_image_stage *s, rw_image_writer *w) { finish(s, w); }

bool rw_image_is_taps(const rw_image_stage *s)
{
    return s->write == rw_image_write_taps || s->write == write_looped || s->write == rw_image_write_sum;
}

void rw_image_write_moved(const rw_image_stage *s, rw_image_writer *w, const char *row)
{
    const bool plain = s->write == rw_image_write_sum, folded = s->add.folded;
    const int nx = row ? 1 : s->size[0], ny = s->size[1];
    const char *type = rw_dtype_name(s->compute);
    char weight[64], value[64];
    for (int t = ny - 1; t >= 0; --t) {
        const int k = ny - 2 - t; /* sums[k] <- sums[k + 1] + …; k = -1: the result */
        if (k < 0) ADD("                    %s sum = SUMS(0);\n", type);
        else if (k < ny - 2) ADD("                    { %s sum = SUMS(%d);\n", type, k + 1);
        else ADD("                    { %s sum = 0;\n", type);
        for (int m = 0; m < nx; ++m) {
            const int i = folded ? RW_MIN(t, ny - 1 - t) : t * nx + m;
            snprintf(weight, sizeof weight, "W(%d)", s->weight + i);
            if (row) snprintf(value, sizeof value, "%s", row);
            else snprintf(value, sizeof value, "H(0, %d + c)", (m - s->low[0] + s->rx) * w->channels);
            if (plain) ADD("                    sum += (%s)%s;\n", type, value);
            else add_term(s, w, weight, value);
        }
        if (k >= 0) ADD("                    SUMS(%d) = sum; }\n", k);
    }
    close_taps(s, w);
}
