/* Histograms of the results of a pass, and the table that the next pass reads: an equalising map, a level, or counts.
 * Each channel has its own. Bins divide 0 … white, of i16 -32768 … 32767, into equal parts, the last one with its
 * upper end. Values beyond are not counted by HISTOGRAM (NumPy); for EQUALIZE and OTSU they belong to the outermost
 * bins. NaN is never counted. */
#include <string.h>

#include "image/image.h"

#define ADD(...) rw_text_add(&t, __VA_ARGS__)
enum { GROUP = 256, SHARED_BYTES = 32 << 10, FINE = 65536 };

int rw_image_bins(rw_dtype type) { return type == RW_U8 ? 256 : FINE; }

static const char count_text[] =
    "KERNEL(clear, GLOBAL u32 *counts, int n)\n{\n"
    "    const int from = GROUP_ID(0) * 4096, to = n - from < 4096 ? n : from + 4096;\n"
    "    EACH_IN(i, from, to) { counts[i] = 0; }\n}\n"
    "KERNEL(count, GLOBAL const T *RESTRICT x, GLOBAL u32 *counts, long row, int rows, int height, long plane)\n{\n"
    "    const int top = GROUP_ID(0) * rows, bottom = height - top < rows ? height : top + rows;\n"
    "    x += (long)GROUP_ID(1) * plane;\n    counts += (long)GROUP_ID(1) * BINS;\n"
    "#if FEW\n    SHARED(u32, near_, BINS * CHANNELS);\n    EACH(i, BINS * CHANNELS) { near_[i] = 0; }\n    BARRIER;\n"
    "#else\n"
    "    GLOBAL u32 *const near_ = counts;\n#endif\n"
    "#if THREADS\n    x += (long)top * row;\n    const long n = (bottom - top) * row;\n"
    "    EACH(lane, GROUP) {\n        for (long e = lane; e < n; e += AHEAD * GROUP) {\n"
    "            T v[AHEAD];\n            UNROLL\n"
    "            for (int k = 0; k < AHEAD; ++k) v[k] = x[e + k * GROUP < n ? e + k * GROUP : n - 1];\n"
    "            UNROLL\n            for (int k = 0; k < AHEAD; ++k) {\n"
    "                const long at = e + k * GROUP;\n                const int b = bin_of(v[k]);\n"
    "                if (at < n && b >= 0) ATOMIC_ADD(near_ + (int)(at % CHANNELS) * BINS + b, 1u);\n"
    "            }\n        }\n    }\n"
    "#else\n    EACH(lane, 1) {\n        for (int j = top; j < bottom; ++j)\n"
    "            for (long e = 0; e < row; e += CHANNELS)\n"
    "                for (int c = 0; c < CHANNELS; ++c) {\n"
    "                    const int b = bin_of(x[(long)j * row + e + c]);\n"
    "                    if (b < 0) continue;\n#if FEW\n"
    "                    ++near_[c * BINS + b];\n"
    "#else\n                    ATOMIC_ADD(near_ + c * BINS + b, 1u);\n#endif\n"
    "                }\n    }\n#endif\n"
    "#if FEW\n    BARRIER;\n    EACH(i, BINS * CHANNELS) {\n        if (near_[i]) ATOMIC_ADD(counts + i, near_[i]);\n"
    "    }\n#endif\n}\n";

/* A group for each channel; lane i sums up bins i PART … */
static const char finish_text[] =
    "KERNEL(finish, GLOBAL const u32 *RESTRICT all, GLOBAL TABLE *table)\n{\n"
    "    GLOBAL const u32 *const counts = all + (long)GROUP_ID(0) * BINS;\n"
    "    SHARED(f64, sum, GROUP);\n    SHARED(f64, moment, GROUP);\n    SHARED(f64, best, GROUP);\n"
    "    SHARED(i32, first, GROUP);\n    SHARED(f64, whole, 3);\n"
    "    EACH(i, GROUP) {\n        f64 n = 0, m = 0;\n        int found = BINS;\n"
    "        for (int b = i * PART; b < (i + 1) * PART && b < BINS; ++b) {\n            n += counts[b];\n"
    "            m = MULADD((f64)b, (f64)counts[b], m);\n"
    "            if (counts[b] && found == BINS) found = b;\n        }\n        sum[i] = n;\n        moment[i] = m;\n"
    "        first[i] = found;\n    }\n    BARRIER;\n"
    "    EACH(lane, 1) {\n        f64 n = 0, m = 0;\n        int found = BINS;\n"
    "        for (int i = 0; i < GROUP; ++i) {\n"
    "            const f64 here = sum[i], there = moment[i];\n            sum[i] = n;\n            moment[i] = m;\n"
    "            n += here;\n            m += there;\n"
    "            if (first[i] < found) found = first[i];\n        }\n        whole[0] = n;\n        whole[1] = m;\n"
    "        whole[2] = found;\n    }\n    BARRIER;\n"
    "    EACH(i, GROUP) {\n        f64 n = sum[i], m = moment[i];\n"
    "        const f64 least = whole[2] < BINS ? counts[(int)whole[2]] : 0;\n        f64 most = -1;\n"
    "        int at = 0;\n"
    "        for (int b = i * PART; b < (i + 1) * PART && b < BINS; ++b) {\n            n += counts[b];\n"
    "            m = MULADD((f64)b, (f64)counts[b], m);\n"
    "#if EQUALIZE\n            const f64 part = whole[0] > least ? (n > least ? n - least : 0) / (whole[0] - least) : "
    "(f64)b / (BINS - 1);\n"
    "            table[(long)GROUP_ID(0) * BINS + b] = (TABLE)VALUE(part);\n"
    "#elif OTSU\n            const f64 above = whole[0] - n, d = n > 0 && above > 0 ? m / n - (whole[1] - m) / above "
    ": 0, between = n * above * (d * d);\n"
    "            if (between > most) { most = between; at = b; }\n"
    "#else\n            table[(long)GROUP_ID(0) * BINS + b] = (TABLE)counts[b];\n#endif\n        }\n"
    "        best[i] = most;\n        first[i] = at;\n    }\n"
    "#if OTSU\n    BARRIER;\n    EACH(lane, 1) {\n        int i = 0;\n        for (int k = 1; k < GROUP; ++k)\n"
    "            if (best[k] > best[i]) i = k;\n"
    "        table[GROUP_ID(0)] = (TABLE)LEVEL(first[i]);\n    }\n#endif\n}\n";

/* The text of value v as a part of white. */
static const char *part_of(char text[160], const char *v, const char *type, double white)
{
    if (white == 1) snprintf(text, 160, "%s", v);
    else snprintf(text, 160, "(%s * (%s)%.17g)", v, type, 1 / white);
    return text;
}

/* bin_of(v), -1: none; VALUE: of a part of 1; LEVEL: the largest value that is not above the level of a bin. */
static void write_conversions(rw_text *text, const rw_image_pass *p, rw_dtype type)
{
    const bool real = type == RW_F32 || type == RW_F64;
    const int bins = p->bins;
    char part[160];
    /* derivatives of u8 are i16, of other integers f32: 0 … white is that of the image */
    const bool derived = type == RW_I16 && p->white < 32767;
    if (real)
        rw_text_add(text, "DEVICE int bin_of(T u)\n{\n    const T v = %s;\n    return ",
                    part_of(part, "u", rw_dtype_name(type), p->white));
    else rw_text_add(text, "DEVICE int bin_of(T v)\n{\n    return ");
    if (derived && p->counts == RW_IMAGE_HISTOGRAM)
        rw_text_add(text, "v < 0 || v > 255 ? -1 : v < 255 ? (int)v * %d / 255 : %d", bins, bins - 1);
    else if (real && p->counts == RW_IMAGE_HISTOGRAM)
        rw_text_add(text, "!(v >= 0 && v <= 1) ? -1 : v < 1 && (f64)v * %d < %d ? (int)((f64)v * %d) : %d", bins,
                    bins - 1, bins, bins - 1);
    else if (real) rw_text_add(text, "v < 1 ? v > 0 ? (int)(v * %d) : 0 : v != v ? -1 : %d", bins, bins - 1);
    else if (type == RW_U8) rw_text_add(text, "v < 255 ? (int)v * %d / 255 : %d", bins, bins - 1);
    else
        rw_text_add(text, "(int)v + %d < 65535 ? (int)((u32)((int)v + %d) * %du / 65535u) : %d",
                    type == RW_I16 ? 32768 : 0, type == RW_I16 ? 32768 : 0, bins, bins - 1);
    rw_text_add(text, ";\n}\n");
    if (real)
        rw_text_add(text, "#define VALUE(part) (%.17g * (part))\n#define LEVEL(b) (%.17g * ((b + 1) / (f64)BINS))\n",
                    p->white, p->white);
    else {
        const int low = type == RW_I16 ? -32768 : 0;
        rw_text_add(text,
                    "#define VALUE(part) RW_RINT(MULADD(%.1f, (f64)(part), (f64)%d))\n#define LEVEL(b) (b + %d)\n",
                    derived || !low ? p->white : 65535., derived ? 0 : low, low);
    }
}

rw_status rw_image_counts_create(rw_device *dev, rw_image_pass *p, const rw_image_shape *s, rw_dtype table)
{
    rw_text t = {0};
    char bins[16], channels[16], few[8], part[16];
    const int lanes = s->planar ? 1 : p->stage[p->nstages - 1].channels,
              all = p->bins * p->stage[p->nstages - 1].channels;
    snprintf(bins, sizeof bins, "%d", p->bins);
    snprintf(channels, sizeof channels, "%d", lanes);
    snprintf(few, sizeof few, "%d", (int64_t)p->bins * lanes * 4 <= SHARED_BYTES);
    snprintf(part, sizeof part, "%d", (p->bins + GROUP - 1) / GROUP);
    write_conversions(&t, p, p->y_dtype);
    ADD("%s%s", count_text, finish_text);
    if (t.failed) {
        rw_text_free(&t);
        return rw_fail_memory(dev->ctx, t.capacity, "the kernel text of a filter");
    }
    const rw_define d[] = {{"GROUP", "256"},
                           {"AHEAD", "8"}, /* loads under way in each thread */
                           {"T", rw_dtype_name(p->y_dtype)},
                           {"TABLE", rw_dtype_name(table)},
                           {"BINS", bins},
                           {"PART", part},
                           {"CHANNELS", channels},
                           {"FEW", few},
                           {"THREADS", s->threads ? "1" : "0"},
                           {"EQUALIZE", p->counts == RW_IMAGE_EQUALIZE ? "1" : "0"},
                           {"OTSU", p->counts == RW_IMAGE_OTSU ? "1" : "0"}};
    rw_status status = rw_program_start(dev, "histogram", t.data, d, RW_COUNT(d), &p->counting);
    rw_text_free(&t);
    RW_TRY(status);
    RW_TRY(rw_program_kernel(p->counting, "clear", &p->clear));
    RW_TRY(rw_program_kernel(p->counting, "count", &p->count));
    RW_TRY(rw_program_kernel(p->counting, "finish", &p->finish));
    return rw_array_create(dev, RW_U32, 1, &(int64_t){all}, RW_MEMORY_DEVICE, &p->counted);
}

/* Rows that a workgroup counts. On GPUs there are eight workgroups for each multiprocessor, but each has enough
 * elements to outweigh the bins that it clears and adds up. */
static int64_t rows_of_group(const rw_device *dev, const rw_image_pass *p, int64_t row, int planes)
{
    if (!rw_device_has_threads(dev)) return RW_MIN(64, (1 << 20) / row);
    const int64_t groups = RW_MAX(8 * (int64_t)dev->info.units / planes, 1), elements = 16 * (int64_t)p->bins;
    return RW_MIN(64, RW_MAX(p->y_height / groups, RW_MIN(elements, FINE) / row));
}

/* x: the results of the pass, contiguous. */
rw_status rw_image_counts_run(rw_image_pass *p, bool planar, rw_array *x, rw_array *table, rw_queue *q)
{
    const int channels = p->stage[p->nstages - 1].channels, planes = planar ? channels : 1, bins = p->bins * channels;
    const int64_t row = p->y_width * (planar ? 1 : channels);
    const int64_t rows = RW_MAX(rows_of_group(q->device, p, RW_MAX(row, 1), planes), 1);
    const rw_arg clear[] = {rw_arg_array(p->counted), rw_arg_int(bins)};
    const rw_arg count[] = {rw_arg_array(x),  rw_arg_array(p->counted), rw_arg_int(row),
                            rw_arg_int(rows), rw_arg_int(p->y_height),  rw_arg_int(row * p->y_height)};
    const rw_arg finish[] = {rw_arg_array(p->counted), rw_arg_array(table)};
    RW_TRY(rw_launch(q, p->clear, (int64_t[]){(bins + 4095) / 4096, 1, 1}, clear, RW_COUNT(clear)));
    RW_TRY(rw_launch(q, p->count, (int64_t[]){(p->y_height + rows - 1) / rows, planes, 1}, count, RW_COUNT(count)));
    return rw_launch(q, p->finish, (int64_t[]){channels, 1, 1}, finish, RW_COUNT(finish));
}

/* ---- what reads the table ---------------------------------------------------------------------------------------- */

/* y: the counts, a row of `bins` pixels. */
void rw_image_write_counts(const rw_image_pass *p, const rw_image_shape *s, rw_text *t)
{
    const int channels = s->planar ? 1 : p->channels;
    rw_text_add(t, "%s", rw_image_helper_text);
    rw_image_write_head(p, s, t);
    rw_text_add(t,
                "    y += y_from + (long)GROUP_ID(2) * y_plane;\n"
                "    const int first = x0 + GROUP_ID(0) * %d, end = x1 - first < %d ? x1 : first + %d;\n"
                "    EACH_IN(i, first, end) {\n        for (int c = 0; c < %d; ++c) y[(long)(i - x0) * %d + c] = ",
                s->strip, s->strip, s->strip, channels, channels);
    char value[96];
    snprintf(value, sizeof value, "weights[((long)GROUP_ID(2) * %d + c) * %lld + i]", channels, (long long)p->y_width);
    rw_image_add_store(p, t, RW_F64, value);
    rw_text_add(t, ";\n    }\n}\n");
}

/* v0 <- the table's value for v, or whether v is above the level. */
void rw_image_write_lookup(const rw_image_stage *s, rw_image_writer *w)
{
    const char *type = rw_dtype_name(s->type);
    const bool real = s->type == RW_F32 || s->type == RW_F64;
    const int bins = s->table.bins;
    char v[64], channel[32];
    rw_image_at(w, v, 0, 0, 0);
    snprintf(channel, sizeof channel, w->channels > 1 ? "(int)(q %% %d)" : "GROUP_ID(2)", w->channels);
    rw_text_add(w->t, "                    const %s v0 = ", type);
    if (s->alpha) rw_text_add(w->t, "ALPHA(%d) ? (%s)%s : ", s->channels, type, v);
    if (real) rw_text_add(w->t, "%s != %s ? %s : ", v, v, v);
    if (s->table.level) {
        rw_text_add(w->t, "%s %s weights[%d + %s] ? (%s)%g : 0;\n", v, real ? ">=" : ">", s->weight, channel, type,
                    s->table.white);
        return;
    }
    char bin[640], part[160];
    if (real) {
        part_of(part, v, type, s->table.white);
        snprintf(bin, sizeof bin, "(%s < 1 ? %s > 0 ? (int)(%s * %d) : 0 : %d)", part, part, part, bins, bins - 1);
    } else snprintf(bin, sizeof bin, "((int)%s + %d)", v, s->type == RW_I16 ? 32768 : 0);
    rw_text_add(w->t, "(%s)%sweights[%d + %s * %d + %s];\n", type, real ? "" : "(int)", s->weight, channel, bins, bin);
}
