/* The kernel of a pass. A group walks down a strip of the image, `block` rows a step; stage k computes a row as soon as
 * stage k - 1 has the rows below it that it needs, and keeps it in its ring for stage k + 1:
 *
 *        rows j …              rows j - ry1 …            rows j - ry1 - ry2 …
 *   x -> [ring 0] -stage 1-> [ring 1] -stage 2-> … -> y
 *
 * Ring k has as many rows as stage k + 1 reads, and one more for a constant border. Its row is the strip with `reach`
 * pixels on each side, as many as the stages after it read together. An operation may have several stages; those in its
 * middle compute as many pixels beyond the image as the others of the operation read (`open`), from x whose rows and
 * columns go on by the operation's border. What an operation leaves has no pixels beyond the image: columns there are
 * put into the row when it is made, by the border of the next operation; rows are looked up among those in the ring,
 * which by all borders but `wrap` are there where an operation has one stage with neighbours in y. With `wrap` the
 * whole pass computes with rows and columns of the periodic image, which gives the same.
 *
 * Rings lie in the shared memory of the group, or in global memory where they are too large for it (`in_memory`).
 *
 * Lanes are neighbouring elements (or pixels) of a row; no lane asks where it is. */
#include <string.h>

#include "image/image.h"

#define ADD(...) rw_text_add(w->t, __VA_ARGS__)

static const char *c_name(rw_dtype t) { return rw_dtype_name(t); }
static int last(const rw_image_pass *p) { return p->nstages - 1; }

void rw_image_pass_extent(const rw_image_pass *p, int extent[4])
{
    int all[RW_IMAGE_STAGES][4] = {{0}};
    for (int k = 1; k < p->nstages; ++k) {
        const rw_image_stage *s = p->stage + k;
        const int own[4] = {s->low[0], s->size[0] - 1 - s->low[0], s->low[1], s->size[1] - 1 - s->low[1]},
                  also[4] = {-s->also_x, s->also_x, 0, 0};
        for (int d = 0; d < 4; ++d) {
            all[k][d] = all[s->from][d] + own[d];
            if (s->also >= 0) all[k][d] = RW_MAX(all[k][d], all[s->also][d] + also[d]);
        }
    }
    for (int d = 0; d < 4; ++d) extent[d] = RW_MAX(all[last(p)][d], 0);
}

/* Interleaved channels of a stage's ring: planes are filtered one by one where no stage needs all channels. */
static int channels_of(const rw_image_pass *p, const rw_image_shape *shape, int k)
{
    return shape->planar && !rw_image_pass_by_pixels(p) ? 1 : p->stage[k].channels;
}

/* Calls for all stages m that read ring k: their windows' pixels or rows. */
#define EACH_READER(p, k, m)                                                                                           \
    for (int m = (k) + 1; m < (p)->nstages; ++m)                                                                       \
        if ((p)->stage[m].from == (k) || (p)->stage[m].also == (k))
static int window(const rw_image_pass *p, int m, int k, bool y)
{
    const rw_image_stage *s = p->stage + m;
    const int from = s->from != k ? 0
                     : y          ? s->ry
                                  : s->rx,
              also = s->also != k || y ? 0
                     : s->also_x < 0   ? -s->also_x
                                       : s->also_x;
    return RW_MAX(from, also);
}

/* Pixels (rows) beyond its part of the result for which stage k is computed. */
static int reach_of(const rw_image_pass *p, int k, bool y)
{
    int most = 0;
    EACH_READER(p, k, m) most = RW_MAX(most, reach_of(p, m, y) + window(p, m, k, y));
    return most;
}
static int reach(const rw_image_pass *p, int k) { return reach_of(p, k, false); }
static int reach_y(const rw_image_pass *p, int k) { return reach_of(p, k, true); }

/* Rows by which stage k is later than the loads. */
static int lag(const rw_image_pass *p, int k)
{
    const rw_image_stage *s = p->stage + k;
    if (!k) return 0;
    const int own = lag(p, s->from) + s->ry;
    return s->also >= 0 ? RW_MAX(own, lag(p, s->also)) : own;
}

static bool wraps(const rw_image_pass *p)
{
    for (int k = 1; k < p->nstages; ++k)
        if (p->stage[k].border == RW_IMAGE_BORDER_WRAP) return true;
    return false;
}

/* Rows of ring k: from the newest back to the oldest that a stage reads. */
static int depth(const rw_image_pass *p, const rw_image_shape *s, int k)
{
    int most = 0;
    EACH_READER(p, k, m) most = RW_MAX(most, lag(p, m) - lag(p, k) + window(p, m, k, true) + p->stage[m].running);
    return most + s->block;
}
static int width(const rw_image_pass *p, const rw_image_shape *s, int k)
{
    return (s->strip + 2 * reach(p, k)) * channels_of(p, s, k);
}
static int pitch(const rw_image_pass *p, const rw_image_shape *s, int k) { return (width(p, s, k) + 15) / 16 * 16; }

/* The operation that is first to have neighbours in y: its rows beyond the image are loaded. */
static int first_operation(const rw_image_pass *p)
{
    for (int k = 1; k < p->nstages; ++k)
        if (p->stage[k].ry) return p->stage[k].operation;
    return 1 << 30;
}

/* Stage k looks its rows up in its ring. */
static bool looks_up(const rw_image_pass *p, int k)
{
    return p->stage[k].ry > 0 && p->stage[k].operation > first_operation(p) && !wraps(p);
}

/* Pixels and rows beyond the image that stage k computes. */
static int open_x(const rw_image_pass *p, int k)
{
    int most = 0;
    EACH_READER(p, k, m)
        if (p->stage[m].operation == p->stage[k].operation) most = RW_MAX(most, open_x(p, m) + window(p, m, k, false));
    return most;
}
static int open_y(const rw_image_pass *p, int k)
{
    const int first = first_operation(p);
    int most = 0;
    if (p->stage[k].operation > first) return 0;
    EACH_READER(p, k, m)
        if (p->stage[m].operation <= first) most = RW_MAX(most, open_y(p, m) + window(p, m, k, true));
    return most;
}
static bool is_result(const rw_image_pass *p, int k) /* of an operation */
{
    return p->stage[k].operation != p->stage[k + 1].operation;
}

/* The row of ring k that row c lies in; c >= -reach_y(0) - the largest lag. */
static void add_slot(rw_text *t, const rw_image_pass *p, const rw_image_shape *s, int k, const char *c)
{
    const int d = depth(p, s, k);
    rw_text_add(t, "(%s + %d) %% %d * %d", c, ((reach_y(p, 0) + lag(p, last(p))) / d + 2) * d, d, pitch(p, s, k));
}

/* Rows of the ring that stage k looks up for a row: those of its window, and the one before it. */
static int entries(const rw_image_pass *p, int k) { return 2 * p->stage[k].ry + 1 + p->stage[k].running; }

enum { BLOCK = 8 }; /* terms; a compiler compares all pairs of loads of a loop over lanes */
static bool in_blocks(const rw_image_shape *shape, const rw_image_stage *s)
{
    return !shape->threads && s->join && s->terms > s->few;
}

/* The arrays that a stage's sums lie in: on processors. */
static int sums_of(const rw_image_shape *shape, const rw_image_stage *s)
{
    return shape->threads ? 0 : in_blocks(shape, s) ? 1 : s->sums;
}

/* Of one of the arrays that a stage's sums lie in. */
static int64_t sum_bytes(const rw_image_pass *p, const rw_image_shape *s, int k)
{
    return (width(p, s, k) * (int64_t)rw_dtype_size(p->stage[k].sum) + 63) / 64 * 64;
}

int64_t rw_image_pass_bytes(const rw_image_pass *p, const rw_image_shape *s)
{
    int64_t bytes = 0;
    for (int k = 0; k < last(p); ++k) {
        bytes += (int64_t)(depth(p, s, k) + 1) * pitch(p, s, k) * (int64_t)rw_dtype_size(p->stage[k].type);
        bytes = (bytes + 63) / 64 * 64;
    }
    for (int k = 1; k < p->nstages; ++k) bytes += sum_bytes(p, s, k) * sums_of(s, p->stage + k);
    for (int k = 1; k < p->nstages; ++k) bytes += (int64_t)s->block * entries(p, k) * 4;
    return (bytes + 63) / 64 * 64;
}

/* ---- careful stages and readers ---------------------------------------------------------------------------------- */

/* The test of value v of ring k for careful stages (image.h); NULL: there are none. Order statistics test for NaN,
 * running sums for values that are not finite. nonfinite<k>[0] is set when a value meets the test. */
static const char *watch_of(const rw_image_pass *p, int k)
{
    const char *test = NULL;
    for (int m = 1; m < p->nstages; ++m)
        if (p->stage[m].careful && p->stage[m].watched == k) {
            if (p->stage[m].running) return "!(v - v == 0)";
            test = "v != v";
        }
    return test;
}
static bool is_watched(const rw_image_pass *p, int k) { return watch_of(p, k) != NULL; }

/* The stage that reads ring k with neighbours in x (or y), NULL: none. Stages before it have no neighbours there. */
static const rw_image_stage *reader(const rw_image_pass *p, int k, bool y)
{
    for (int m = k + 1; m < p->nstages; ++m)
        if (y ? p->stage[m].ry : p->stage[m].rx) return p->stage + m;
    return NULL;
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

/* left: the image's pixel that is pixel 0 of a row of stage k; it is computed for pixels from … to - 1 of the row. */
static void write_bounds(rw_image_writer *w)
{
    const rw_image_pass *p = w->pass;
    const bool wrap = wraps(p);
    for (int k = 0; k < p->nstages; ++k) {
        const int r = reach(p, k), ry = reach_y(p, k), x = open_x(p, k), y = open_y(p, k);
        ADD("    const int left%d = first - %d, all%d = end + %d - left%d;\n", k, r, k, r, k);
        if (wrap)
            ADD("    const int from%d = 0, to%d = all%d, low%d = top - %d, high%d = bottom + %d;\n", k, k, k, k, ry, k,
                ry);
        else
            ADD("    const int from%d = left%d < %d ? %d - left%d : 0, to%d = nx + %d - left%d < all%d ? nx + %d - "
                "left%d : all%d;\n"
                "    const int low%d = top - %d < %d ? %d : top - %d, high%d = bottom + %d < ny + %d ? bottom + %d : "
                "ny + %d;\n",
                k, k, -x, -x, k, k, x, k, k, x, k, k, k, ry, -y, -y, ry, k, ry, y, ry, y);
    }
}

static void write_rings(rw_image_writer *w)
{
    const rw_image_pass *p = w->pass;
    int64_t at = 0;
    if (w->shape->in_memory)
        ADD("    GLOBAL u8 *const large = work + "
            "(((long)GROUP_ID(2) * GROUP_COUNT(1) + GROUP_ID(1)) * GROUP_COUNT(0) + GROUP_ID(0)) * %lld;\n",
            (long long)rw_image_pass_bytes(p, w->shape));
    else ADD("    SHARED_LARGE(u8, large);\n");
    for (int k = 0; k < last(p); ++k) {
        const char *type = c_name(p->stage[k].type);
        ADD("    RING %s *const ring%d = (RING %s *)(large + %lld);\n", type, k, type, (long long)at);
        at += (int64_t)(depth(p, w->shape, k) + 1) * pitch(p, w->shape, k) * (int64_t)rw_dtype_size(p->stage[k].type);
        at = (at + 63) / 64 * 64;
    }
    for (int k = 1; k < p->nstages; ++k)
        for (int i = 0; i < sums_of(w->shape, p->stage + k); ++i, at += sum_bytes(p, w->shape, k))
            ADD("    RING %s *const sums%d_%d = (RING %s *)(large + %lld);\n", c_name(p->stage[k].sum), k, i,
                c_name(p->stage[k].sum), (long long)at);
    for (int k = 1; k < p->nstages; ++k) {
        ADD("    RING i32 *const at%d = (RING i32 *)(large + %lld);\n", k, (long long)at);
        at += (int64_t)w->shape->block * entries(p, k) * 4;
    }
    for (int k = 0; k < last(p); ++k)
        EACH_READER(p, k, m)
            if (looks_up(p, m) && p->stage[m].from == k && p->stage[m].border == RW_IMAGE_BORDER_CONSTANT)
                ADD("    EACH(e, %d) { ring%d[%d + e] = (%s)%.17g; }\n", pitch(p, w->shape, k), k,
                    depth(p, w->shape, k) * pitch(p, w->shape, k), c_name(p->stage[k].type), p->stage[m].value);
}

/* Where the rows that stage k reads begin in its ring. */
static void write_rows(rw_image_writer *w, int k)
{
    const rw_image_pass *p = w->pass;
    const rw_image_stage *s = p->stage + k;
    const int taps = entries(p, k), d = depth(p, w->shape, s->from), n = pitch(p, w->shape, s->from);
    ADD("        EACH(e, %d) { const int c = j - %d + (int)e / %d + (int)e %% %d;", w->shape->block * taps,
        lag(p, k) + s->ry + s->running, taps, taps);
    if (looks_up(p, k))
        ADD(" const int m = outside%d(c, ny); at%d[e] = m < 0 ? %d : ", (int)rw_image_map_of(s->border), k, d * n);
    else ADD(" at%d[e] = ", k);
    add_slot(w->t, p, w->shape, s->from, looks_up(p, k) ? "m" : "c");
    ADD("; }\n");
}

/* A loop over lanes of rows c + r, r = ra … rb - 1; `name` is the lane, a pixel or an element, `row` what each row
 * needs. */
static void open_rows(rw_image_writer *w, const char *name, const char *from, const char *to, const char *row)
{
    if (w->shape->threads) ADD("            EACH2(%s, %s, %s, r, ra, rb) {\n                %s\n", name, from, to, row);
    else
        ADD("            for (int r = ra; r < rb; ++r) {\n                %s\n                EACH_IN(%s, %s, %s) {\n",
            row, name, from, to);
}
static void close_rows(rw_image_writer *w)
{
    ADD(w->shape->threads ? "            }\n" : "                }\n            }\n");
}

/* Looks for values that are not finite in rows c + ra … of ring k, elements lo … hi - 1; `out` declares the row. */
static void write_watch(rw_image_writer *w, int k, const char *lo, const char *hi, const char *out)
{
    const char *type = c_name(w->pass->stage[k].type);
    if (!is_watched(w->pass, k)) return;
    if (w->shape->threads) {
        ADD("            EACH2(q, %s, %s, r, ra, rb) {\n                %s\n"
            "                const %s v = out[q];\n                if (%s) ATOMIC_MAX(nonfinite%d, 1);\n"
            "            }\n",
            lo, hi, out, type, watch_of(w->pass, k), k);
        return;
    }
    ADD("            BARRIER;\n            for (int r = ra; r < rb; ++r) {\n                %s\n"
        "                EACH_SERIAL(lane, 1) {\n"
        "                    i32 any = 0;\n"
        "                    for (int q = %s; q < %s; ++q) {\n                        const %s v = out[q];\n"
        "                        any |= %s;\n                    }\n"
        "                    nonfinite%d[0] |= any;\n                }\n            }\n",
        out, lo, hi, type, watch_of(w->pass, k), k);
}

static void open_stage(rw_image_writer *w, int k)
{
    ADD("        { /* %s */\n", w->pass->stage[k].name);
    ADD("            const int c = j - %d, ra = low%d > c ? low%d - c : 0, rb = high%d - c < %d ? high%d - c : %d;\n",
        lag(w->pass, k), k, k, k, w->shape->block, k, w->shape->block);
}

/* The row of ring k that row c + r of the stage is kept in. */
static void add_ring_row(rw_text *t, const rw_image_writer *w, int k)
{
    rw_text_add(t, "RING %s *const out = ring%d + ", c_name(w->pass->stage[k].type), k);
    add_slot(t, w->pass, w->shape, k, "c + (int)r");
    rw_text_add(t, ";");
}

static bool gathers(const rw_image_writer *w, int k)
{
    return w->shape->planar && channels_of(w->pass, w->shape, k) > 1;
}

static void write_load(rw_image_writer *w)
{
    const rw_image_pass *p = w->pass;
    const rw_image_stage *s = p->stage, *rx = reader(p, 0, false), *ry = reader(p, 0, true);
    const int n = channels_of(p, w->shape, 0), b = rx ? (int)rw_image_map_of(rx->border) : 0,
              by = ry ? (int)rw_image_map_of(ry->border) : 0;
    char lo[64], hi[64], element[200], outside[64] = "";
    rw_text row = {0};
    open_stage(w, 0);
    add_ring_row(&row, w, 0);
    if (by) rw_text_add(&row, " const int line = outside%d(c + (int)r, ny);", by);
    else rw_text_add(&row, " const int line = c + (int)r;");
    if (by == RW_IMAGE_BORDER_CONSTANT)
        snprintf(outside, sizeof outside, "line < 0 ? (%s)%.17g : ", c_name(s->type), ry->outside);
    rw_text_add(&row, " GLOBAL const %s *const in = x + (long)%s * x_row;", c_name(p->x_dtype),
                *outside ? "(line < 0 ? 0 : line)" : "line");
    const char *rows = row.data ? row.data : "";
    if (row.failed) w->t->failed = true;
    /* pixels of the image, then those beyond it */
    ADD("            const int real = left0 < 0 ? -left0 : 0, stop = nx - left0 < all0 ? nx - left0 : all0;\n");
    snprintf(lo, sizeof lo, "%d * real", n);
    snprintf(hi, sizeof hi, "%d * stop", n);
    open_rows(w, "q", lo, hi, rows);
    ADD("                    out[q] = %s", outside);
    if (gathers(w, 0)) snprintf(element, sizeof element, "in[(long)(q %% %d) * x_plane + left0 + q / %d]", n, n);
    else snprintf(element, sizeof element, "in[(long)left0 * %d + q]", n);
    rw_image_add_load(p, w->t, element);
    ADD(";\n");
    close_rows(w);
    if (rx) {
        ADD("            if (real > 0 || stop < all0) {\n");
        snprintf(hi, sizeof hi, "%d * (real + all0 - stop)", n);
        open_rows(w, "e", "0", hi, rows);
        ADD("                    const int q = e < %d * real ? (int)e : (int)e + %d * (stop - real);\n"
            "                    const int m = outside%d(left0 + q / %d, nx);\n                    out[q] = %s",
            n, n, b, n, outside);
        if (gathers(w, 0)) snprintf(element, sizeof element, "in[(long)(q %% %d) * x_plane + m]", n);
        else snprintf(element, sizeof element, "in[(long)m * %d + q %% %d]", n, n);
        if (b == RW_IMAGE_BORDER_CONSTANT) ADD("m < 0 ? (%s)%.17g : ", c_name(s->type), rx->outside);
        rw_image_add_load(p, w->t, element);
        ADD(";\n");
        close_rows(w);
        ADD("            }\n");
    }
    snprintf(lo, sizeof lo, "%d * real", n);
    snprintf(hi, sizeof hi, "%d * stop", n);
    write_watch(w, 0, lo, hi, rows);
    rw_text_free(&row);
    ADD("        }\n");
}

/* Columns of ring k beyond the image. */
static void write_beyond(rw_image_writer *w, int k)
{
    const rw_image_pass *p = w->pass;
    const rw_image_stage *rx = reader(p, k, false);
    const int n = channels_of(p, w->shape, k);
    if (!rx || wraps(p) || !is_result(p, k)) return;
    const int b = rw_image_map_of(rx->border);
    char hi[64];
    rw_text out = {0};
    ADD("        BARRIER;\n");
    open_stage(w, k);
    add_ring_row(&out, w, k);
    ADD("            if (from%d > 0 || to%d < all%d) {\n", k, k, k);
    snprintf(hi, sizeof hi, "%d * (from%d + all%d - to%d)", n, k, k, k);
    if (out.failed) w->t->failed = true;
    open_rows(w, "e", "0", hi, out.data ? out.data : "");
    rw_text_free(&out);
    ADD("                    const int q = e < %d * from%d ? (int)e : (int)e + %d * (to%d - from%d);\n"
        "                    const int m = outside%d(left%d + q / %d, nx);\n                    out[q] = ",
        n, k, n, k, k, b, k, n);
    if (b == RW_IMAGE_BORDER_CONSTANT) ADD("m < 0 ? (%s)%.17g : ", c_name(p->stage[k].type), rx->value);
    ADD("out[(m - left%d) * %d + q %% %d];\n", k, n, n);
    close_rows(w);
    ADD("            }\n        }\n");
}

/* The rows of the window and its columns, and in the middle the lanes or, where sums are variables, nothing. */
static void write_window(rw_image_writer *w, const char *lane, const char *from, const char *to)
{
    const rw_image_stage *s = w->pass->stage + w->k;
    ADD("                    for (int t = 0; t < %d; ++t) {\n"
        "                        RING const %s *const row = ring%d + at%d[(int)r * %d + t + %d] + %d;\n"
        "                        for (int m = 0; m < %d; ++m) {\n",
        s->size[1], c_name(w->pass->stage[s->from].type), s->from, w->k, 2 * s->ry + 1, s->ry - s->low[1],
        (w->shift - s->low[0]) * w->channels, s->size[0]);
    if (s->skips)
        ADD("                            if (weights[%d + t * %d + m] == 0) continue;\n", s->weight, s->size[0]);
    if (lane) ADD("                    EACH_IN(%s, %s, %s) {\n", lane, from, to);
    s->term(s, w);
    ADD("%s                        }\n                    }\n", lane ? "                    }\n" : "");
}

static void write_lanes(rw_image_writer *w, void (*write)(const rw_image_stage *, rw_image_writer *), const char *lane,
                        const char *from, const char *to)
{
    if (!write) return;
    if (w->swept) ADD("                EACH_IN(%s, %s, %s) {\n", lane, from, to);
    write(w->pass->stage + w->k, w);
    if (w->swept) ADD("                }\n");
}

/* Sums over the window: before the loop over lanes that uses them on processors, within it on GPUs. */
static void write_sums(rw_image_writer *w, const char *lane, const char *from, const char *to)
{
    const rw_image_stage *s = w->pass->stage + w->k;
    for (int i = 0; i < s->sums && !w->swept; ++i) ADD("                    %s sum%d;\n", c_name(s->sum), i);
    write_lanes(w, s->first, lane, from, to);
    if (s->bits) ADD("                    for (int bit = %d; bit >= 0; --bit) {\n", s->bits - 1);
    write_lanes(w, s->begin, lane, from, to);
    write_window(w, w->swept ? lane : NULL, from, to);
    write_lanes(w, s->end, lane, from, to);
    if (s->bits) ADD("                    }\n");
}

/* Where pixel `e` of the window begins in the ring. */
static void add_pixel(const rw_image_writer *w, const char *e)
{
    const rw_image_stage *s = w->pass->stage + w->k;
    ADD("ring%d + at%d[(int)r * %d + %d + %s / %d] + (%d + %s %% %d) * %d", s->from, w->k, entries(w->pass, w->k),
        s->ry - s->low[1], e, s->size[0], w->shift - s->low[0], e, s->size[0], w->channels);
}

/* A loop over lanes that adds n terms to the sums, from term `first` + from on. The caller closes the loop. */
static void write_block(rw_image_writer *w, const char *first, int from, int n, const char *lo, const char *hi)
{
    const rw_image_pass *p = w->pass;
    const rw_image_stage *s = p->stage + w->k;
    char a[32], b[32], weight[32], sum[64];
    for (int i = 0; i < n; ++i) {
        ADD("                    const int e%d = ", i);
        if (s->has) ADD("points%d[%s%d];\n", w->k, first, from + i);
        else ADD("%s%d;\n", first, from + i);
        for (int side = 0; side < 1 + (s->mirrors && s->mirrors(s, from + i)); ++side) {
            if (side) snprintf(a, sizeof a, "(%d - e%d)", s->size[0] * s->size[1] - 1, i);
            else snprintf(a, sizeof a, "e%d", i);
            ADD("                    RING const %s *const %s%d = ", c_name(p->stage[s->from].type), side ? "b" : "a",
                i);
            add_pixel(w, a);
            ADD(";\n");
        }
        if (s->nweights)
            ADD("                    const %s u%d = weights[%d + e%d];\n", w->shape->f64 ? "f64" : "f32", i, s->weight,
                i);
    }
    ADD("                    EACH_IN(q, %s, %s) {\n                    %s sum = %s;\n", lo, hi, c_name(s->sum),
        rw_image_sum(w, sum, 0));
    for (int i = 0; i < n; ++i) {
        snprintf(a, sizeof a, "a%d[q]", i);
        snprintf(b, sizeof b, "b%d[q]", i);
        snprintf(weight, sizeof weight, "u%d", i);
        s->join(s, w, weight, a, s->mirrors && s->mirrors(s, from + i) ? b : NULL);
    }
}

/* All terms in blocks. The loop over lanes of the last block defines v0; the caller closes it. */
static void write_blocks(rw_image_writer *w, const char *lo, const char *hi)
{
    const rw_image_stage *s = w->pass->stage + w->k;
    const int whole = (s->terms - 1) / BLOCK * BLOCK;
    char sum[64];
    write_lanes(w, s->begin, "q", lo, hi);
    ADD("                for (int i = 0; i < %d; i += %d) {\n", whole, BLOCK);
    write_block(w, "i + ", 0, BLOCK, lo, hi);
    ADD("                    %s = sum;\n                    }\n                }\n", rw_image_sum(w, sum, 0));
    write_block(w, "", whole, s->terms - whole, lo, hi);
    s->close(s, w);
}

/* After stage k NaN is put into its results where it belongs. */
static bool puts_nan(const rw_image_pass *p, int k) { return p->stage[k].careful && !p->stage[k].running; }

/* A table of the pixels of the window that are terms, counted row by row. */
static void write_points(rw_image_writer *w, int k)
{
    const rw_image_stage *s = w->pass->stage + k;
    if (!s->has || (!in_blocks(w->shape, s) && !puts_nan(w->pass, k))) return;
    ADD("CONSTANT i32 points%d[] = {", k);
    for (int i = 0; i < s->size[0] * s->size[1]; ++i)
        if (s->has(s, i)) ADD("%d, ", i);
    ADD("};\n");
}

/* The only stage of a pass reads pixels alone, as they are in x: they are not put into a ring first. */
static bool reads_x(const rw_image_writer *w)
{
    const rw_image_pass *p = w->pass;
    const rw_image_stage *s = p->stage + 1;
    return p->nstages == 2 && !s->rx && !s->ry && s->also < 0 && p->x_dtype == p->stage[0].type && !gathers(w, 0);
}

/* `sum` <- that of the window's rows: on processors of the row before it, with the new row and without the one that is
 * gone. */
static void write_running(rw_image_writer *w, const char *rows, const char *lo, const char *hi)
{
    const rw_image_pass *p = w->pass;
    const rw_image_stage *s = p->stage + w->k;
    const int taps = entries(p, w->k), shift = w->shift * w->channels, first = s->ry - s->low[1] + 1, n = s->size[1];
    const char *from = c_name(p->stage[s->from].type), *type = c_name(s->sum);
    char nonfinite[32] = "";
    if (s->careful) snprintf(nonfinite, sizeof nonfinite, " || nonfinite%d[0]", s->watched);
    if (w->shape->threads) {
        open_rows(w, "q", lo, hi, rows);
        ADD("                    %s sum = 0;\n"
            "                    for (int t = 0; t < %d; ++t) sum += (%s)ring%d[at%d[(int)r * %d + t + %d] + q + "
            "%d];\n",
            type, n, type, s->from, w->k, taps, first, shift);
        return;
    }
    ADD("            for (int r = ra; r < rb; ++r) {\n                %s\n"
        "                RING const %s *const in = ring%d + at%d[r * %d + %d] + %d, *const gone = ring%d + at%d[r * "
        "%d + %d] + %d;\n"
        "                if (c + r == low%d%s) {\n                    EACH_IN(q, %s, %s) { sums%d_0[q] = 0; }\n"
        "                    for (int t = 0; t < %d; ++t) {\n"
        "                        RING const %s *const row = ring%d + at%d[r * %d + t + %d] + %d;\n"
        "                        EACH_IN(q, %s, %s) { sums%d_0[q] += (%s)row[q]; }\n                    }\n"
        "                } else EACH_IN(q, %s, %s) { sums%d_0[q] += (%s)in[q] - (%s)gone[q]; }\n"
        "                EACH_IN(q, %s, %s) {\n"
        "                    const %s sum = sums%d_0[q];\n",
        rows, from, s->from, w->k, taps, first + n - 1, shift, s->from, w->k, taps, first - 1, shift, w->k, nonfinite,
        lo, hi, w->k, n, from, s->from, w->k, taps, first, shift, lo, hi, w->k, type, lo, hi, w->k, type, type, lo, hi,
        type, w->k);
}

/* The end of a row: out[q] of a stage <- the value. */
static void write_out(rw_image_writer *w, int k, const char *value)
{
    const rw_image_pass *p = w->pass;
    const int n = channels_of(p, w->shape, k);
    if (k == last(p) && gathers(w, k)) ADD("out[(long)(q %% %d) * y_plane + q / %d] = ", n, n);
    else ADD("out[q] = ");
    if (k == last(p)) rw_image_add_store(p, w->t, p->stage[k].type, value);
    else ADD("(%s)%s", c_name(p->stage[k].type), value);
    ADD(";");
}

/* out[q] of stage k <- NaN if the value is NaN. */
static void write_nan(rw_image_writer *w, int k, const char *value)
{
    const rw_image_pass *p = w->pass;
    const rw_image_stage *s = p->stage + k, *from = p->stage + s->from;
    const bool keys = from->type == RW_U32;
    ADD("const %s v = %s; if (%s) { const %s nan = %s; ", c_name(from->type), value,
        keys ? "v > 0xff800000u || v < 0x007fffffu" : "v != v", c_name(s->type), keys ? "(f32)(RW_INF - RW_INF)" : "v");
    write_out(w, k, "nan");
    ADD(" }");
}

/* The first stage whose function put_nan serves stage k too. */
static int nan_of(const rw_image_pass *p, int k)
{
    for (int m = 1; m < k && k < last(p); ++m)
        if (puts_nan(p, m) && p->stage[m].type == p->stage[k].type &&
            p->stage[p->stage[m].from].type == p->stage[p->stage[k].from].type)
            return m;
    return k;
}

/* On processors: the function that does so for a row. In line, it would be most of what is compiled. */
static void write_nan_function(rw_image_writer *w, int k)
{
    const rw_image_pass *p = w->pass;
    const bool end = k == last(p);
    if (w->shape->threads || !puts_nan(p, k) || nan_of(p, k) != k) return;
    ADD("CALLED void put_nan%d(%s %s *out, RING const %s *row, int lo, int hi, long y_plane)\n{\n"
        "    EACH_IN(q, lo, hi) { ",
        k, end ? "GLOBAL" : "RING", c_name(end ? p->y_dtype : p->stage[k].type),
        c_name(p->stage[p->stage[k].from].type));
    write_nan(w, k, "row[q]");
    ADD(" }\n}\n");
}

/* NaN for all windows with NaN, if the values of the stage that is watched are not all finite. `rows`: what each row
 * needs. */
static void write_care(rw_image_writer *w, int k, const char *rows, const char *lo, const char *hi)
{
    const rw_image_pass *p = w->pass;
    const rw_image_stage *s = p->stage + k;
    const bool threads = w->shape->threads;
    if (!puts_nan(p, k)) return;
    ADD("            if (nonfinite%d[0]) {\n", s->watched);
    if (threads) ADD("                EACH2(q, %s, %s, r, ra, rb) {\n                    %s\n", lo, hi, rows);
    else ADD("                for (int r = ra; r < rb; ++r) {\n                    %s\n", rows);
    ADD("                    for (int i = 0; i < %d; ++i) {\n                        const int e = ",
        s->has ? s->terms : s->size[0] * s->size[1]);
    ADD(s->has ? "points%d[i];\n" : "i;\n", k);
    ADD("                        RING const %s *const pixel = ", c_name(p->stage[s->from].type));
    add_pixel(w, "e");
    ADD(";\n                        ");
    if (threads) write_nan(w, k, "pixel[q]");
    else ADD("put_nan%d(out, pixel, %s, %s, y_plane);", nan_of(p, k), lo, hi);
    ADD("\n                    }\n                }\n            }\n");
}

static void write_stage(rw_image_writer *w, int k)
{
    const rw_image_pass *p = w->pass;
    const rw_image_stage *s = p->stage + k;
    const int n = channels_of(p, w->shape, k), taps = entries(p, k);
    char lo[64], hi[64];
    rw_text rows = {0};
    w->k = k;
    w->channels = channels_of(p, w->shape, s->from);
    w->shift = reach(p, s->from) - reach(p, k);
    if (s->also >= 0) w->also_shift = reach(p, s->also) - reach(p, k);
    open_stage(w, k);
    if (reads_x(w))
        rw_text_add(&rows, "GLOBAL const %s *const s0 = x + (long)(c + (int)r) * x_row + (long)left0 * %d; ",
                    c_name(p->x_dtype), channels_of(p, w->shape, 0));
    const bool blocks = in_blocks(w->shape, s);
    for (int t = 0; t < taps && !reads_x(w) && !s->running && !blocks; ++t)
        rw_text_add(&rows, "RING const %s *const s%d = ring%d + at%d[(int)r * %d + %d];%s",
                    c_name(p->stage[s->from].type), t, s->from, k, taps, t, t + 1 < taps ? "\n                " : " ");
    if (s->also >= 0) {
        rw_text_add(&rows, "RING const %s *const also = ring%d + ", c_name(p->stage[s->also].type), s->also);
        add_slot(&rows, p, w->shape, s->also, "c + (int)r");
        rw_text_add(&rows, "; ");
    }
    if (k < last(p)) add_ring_row(&rows, w, k);
    else
        rw_text_add(&rows, "GLOBAL %s *const out = y + (long)(c + (int)r - y0) * y_row + (long)(first - x0) * %d;",
                    c_name(p->y_dtype), gathers(w, k) ? 1 : n);
    if (rows.failed) w->t->failed = true;
    const int lanes = s->pixels ? 1 : n;
    snprintf(lo, sizeof lo, "%d * from%d", lanes, k);
    snprintf(hi, sizeof hi, "%d * to%d", lanes, k);
    const char *lane = s->pixels ? "i" : "q";
    w->swept = sums_of(w->shape, s) > 0;
    if (s->running) {
        write_running(w, rows.data ? rows.data : "", lo, hi);
    } else if (w->swept) {
        ADD("            for (int r = ra; r < rb; ++r) {\n                %s\n", rows.data ? rows.data : "");
        if (blocks) {
            write_blocks(w, lo, hi);
        } else {
            write_sums(w, lane, lo, hi);
            ADD("                EACH_IN(%s, %s, %s) {\n", lane, lo, hi);
        }
    } else {
        open_rows(w, lane, lo, hi, rows.data ? rows.data : "");
        if (s->sums) write_sums(w, lane, lo, hi);
    }
    if (!blocks) s->write(s, w);
    if (s->after.data) ADD("%s", s->after.data);
    for (int c = 0; c < (s->pixels ? n : 1); ++c) {
        char value[32];
        if (s->pixels) snprintf(value, sizeof value, "r%d", c);
        else snprintf(value, sizeof value, "v%d", s->values - 1);
        if (k == last(p) && p->limits && p->alpha && !s->pixels)
            ADD("                    if (!ALPHA(%d))\n", s->channels);
        if (k == last(p) && p->limits && !(p->alpha && s->pixels && c == n - 1))
            ADD("                    { const %s v = %s; if (v < AT(least, %s)) AT(least, %s) = v; if (v > AT(most, "
                "%s)) AT(most, %s) = v; }\n",
                c_name(w->shape->limits), value, s->pixels ? "i" : "q", s->pixels ? "i" : "q", s->pixels ? "i" : "q",
                s->pixels ? "i" : "q");
        if (k == last(p) && gathers(w, k))
            s->pixels ? ADD("                    out[%d * y_plane + i] = ", c)
                      : ADD("                    out[(long)(q %% %d) * y_plane + q / %d] = ", n, n);
        else if (s->pixels) ADD("                    out[%d * i + %d] = ", n, c);
        else ADD("                    out[q] = ");
        if (k == last(p)) rw_image_add_store(p, w->t, s->type, value);
        else ADD("(%s)%s", c_name(s->type), value);
        ADD(";\n");
    }
    close_rows(w);
    write_care(w, k, rows.data ? rows.data : "", lo, hi);
    rw_text_free(&rows);
    if (is_watched(p, k)) {
        rw_text out = {0};
        add_ring_row(&out, w, k);
        if (out.failed) w->t->failed = true;
        snprintf(lo, sizeof lo, "%d * from%d", n, k);
        snprintf(hi, sizeof hi, "%d * to%d", n, k);
        write_watch(w, k, lo, hi, out.data ? out.data : "");
        rw_text_free(&out);
    }
    ADD("        }\n");
    if (k < last(p)) write_beyond(w, k);
}

static void write_limits(rw_image_writer *w)
{
    const char *type = c_name(w->shape->limits);
    ADD("    BARRIER;\n"
        "    EACH(i, GROUP) { shared_least[i] = AT(least, i); shared_most[i] = AT(most, i); }\n    BARRIER;\n"
        "    EACH(i, 1) {\n        %s a = shared_least[0], b = shared_most[0];\n"
        "        for (int m = 1; m < GROUP; ++m) { if (shared_least[m] < a) a = shared_least[m]; if (shared_most[m] > "
        "b) b = shared_most[m]; }\n"
        "        ATOMIC_MIN(limits, a);\n        ATOMIC_MAX(limits + 1, b);\n    }\n",
        type);
}

void rw_image_write_pass(const rw_image_pass *p, const rw_image_shape *shape, rw_text *text)
{
    rw_image_writer writer = {.t = text, .pass = p, .shape = shape}, *w = &writer;
    const char *real = shape->f64 ? "f64" : "f32";
    bool ordered = false, exponential = false;
    for (int k = 0; k < p->nstages; ++k) {
        if (p->stage[k].order && !ordered) {
            ADD("%s", rw_image_order_text);
            ordered = true;
        }
        if (p->stage[k].exponential && !exponential) {
            ADD("%s", rw_image_exp_text);
            exponential = true;
        }
    }
    ADD("%s#define W(i) %s\n#define RING %s\n", rw_image_helper_text, rw_image_few_weights(p) ? "w##i" : "weights[i]",
        shape->in_memory ? "GLOBAL" : "LOCAL");
    rw_image_add_alpha(p, shape, text);
    rw_image_write_maps(w);
    for (int k = 1; k < p->nstages; ++k) {
        write_points(w, k);
        write_nan_function(w, k);
    }
    rw_image_write_head(p, shape, text);
    if (p->limits) {
        const char *type = c_name(shape->limits);
        ADD("    SHARED(%s, shared_least, GROUP);\n    SHARED(%s, shared_most, GROUP);\n    PRIVATE(%s, least);\n"
            "    PRIVATE(%s, most);\n",
            type, type, type, type);
    }
    ADD("    const int first = x0 + GROUP_ID(0) * %d, end = x1 - first < %d ? x1 : first + %d;\n"
        "    const int top = y0 + GROUP_ID(1) * rows, bottom = y1 - top < rows ? y1 : top + rows;\n",
        shape->strip, shape->strip, shape->strip);
    ADD("    x += x_from + (long)GROUP_ID(2) * x_plane;\n    y += y_from + (long)GROUP_ID(2) * y_plane;\n");
    write_bounds(w);
    if (!reads_x(w)) write_rings(w);
    if (p->limits)
        ADD("    EACH(i, GROUP) { AT(least, i) = (%s)RW_INF; AT(most, i) = -(%s)RW_INF; }\n", c_name(shape->limits),
            c_name(shape->limits));
    for (int k = 0; k < last(p); ++k)
        if (is_watched(p, k))
            ADD("    SHARED(i32, nonfinite%d, 1);\n    EACH(e, 1) { nonfinite%d[0] = 0; }\n    BARRIER;\n", k, k);
    for (int i = 0; i < p->weights.n && rw_image_few_weights(p); ++i)
        ADD("    const %s w%d = weights[%d];\n", real, i, i);
    if (p->limited)
        ADD("    const f64 low = found[0], factor = found[1] > found[0] ? 1 / ((f64)found[1] - (f64)found[0]) : 0;\n");
    ADD("    for (int j = top - %d; j < bottom + %d; j += %d) {\n", reach_y(p, 0), lag(p, last(p)), shape->block);
    const bool direct = reads_x(w);
    for (int k = 1; k < p->nstages && !direct; ++k) write_rows(w, k);
    if (!direct) write_load(w);
    for (int k = 1; k < p->nstages; ++k) {
        if (!direct) ADD("        BARRIER;\n");
        write_stage(w, k);
    }
    ADD("%s    }\n", direct ? "" : "        BARRIER;\n");
    if (p->limits) write_limits(w);
    ADD("}\n");
}
