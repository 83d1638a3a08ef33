/* The kernel of a pass for GPUs where one stage, or one along rows and one along columns, is all there is: an item owns
 * C neighbouring elements and walks down the image. What it needs of earlier rows stays in its registers.
 *
 * A strip of GROUP C elements and SIDES vectors of C more on each side goes through shared memory B rows a step, in two
 * halves that take turns, so that one barrier a step is enough; the rows of the next step are under way in registers
 * meanwhile. Vectors beyond the border, and all of an image whose rows do not begin where a vector can be loaded, are
 * put together element by element.
 *
 *   window   H(0, …) … H(rows - 1, …) are the last rows of the window's elements
 *   sums     of weights: row p of the mask's rows adds to ny results at once, those of rows p - ny + 1 + low … p + low;
 *            sums k is what the result has that will be finished after k more rows:
 *                y = sums 0 + w[ny - 1] x,  sums k = sums (k + 1) + w[ny - 2 - k] x,  sums (ny - 2) = w[0] x
 *   extremes E(r, c) of all rows r of a step together: along the rows first, then along the columns, with the extreme
 *            of earlier rows of unfinished windows in the place of sums (rank.c) */
#include "image/image.h"

#define ADD(...) rw_text_add(w->t, __VA_ARGS__)
enum { ROWS = RW_IMAGE_STEP_ROWS };

static bool is_real(rw_dtype t) { return t == RW_F32 || t == RW_F64; }

/* The stage whose rows are those of x, and the one along columns after it, NULL: none. */
static const rw_image_stage *rows_of(const rw_image_pass *p) { return p->stage + 1; }
static const rw_image_stage *columns_of(const rw_image_pass *p) { return p->nstages == 3 ? p->stage + 2 : NULL; }

static bool sums_up(const rw_image_pass *p)
{
    const rw_image_stage *s = rows_of(p);
    return columns_of(p) || (rw_image_is_taps(s) && s->size[1] > 1);
}

static int channels_of(const rw_image_pass *p, const rw_image_shape *s) { return s->planar ? 1 : p->channels; }

/* Elements that an item owns: 16 bytes of floats, 8 of others. */
static int elements_of(rw_dtype t) { return t == RW_F64 ? 2 : t == RW_U8 ? 8 : 4; }

static int word_elements(rw_dtype t) { return t == RW_U8 ? 4 : t == RW_U16 || t == RW_I16 ? 2 : 1; }

int rw_image_columns(const rw_image_pass *p, const rw_image_shape *shape)
{
    const rw_image_stage *s = rows_of(p), *c = columns_of(p);
    if (!p->ops->rows || p->limits || rw_image_pass_by_pixels(p) || p->nstages > 3 || p->nstages < 2 || s->also >= 0)
        return 0;
    const int most = elements_of(p->x_dtype), high = c ? c->size[1] : s->size[1];
    const int n = most == 8 && sums_up(p) && high > 9 ? 4 : most, side = s->rx * channels_of(p, shape);
    const bool sums = c && rw_image_is_taps(s) && rw_image_is_taps(c),
               extremes = c && rw_image_is_rectangle(s) && rw_image_is_rectangle(c);
    if (c &&
        ((!sums && !extremes) || s->size[1] > 1 || s->ry || c->size[0] > 1 || c->rx || c->from != 1 || c->also >= 0))
        return 0;
    if (s->exponential || s->bits || (s->sums && !rw_image_is_taps(s))) return 0;
    const int tall = c ? c->size[1] : s->size[1], wide = n + 2 * side;
    if (c && c->operation != s->operation && c->border != s->border) return 0;
    if (side > n * 15 || n < word_elements(p->y_dtype)) return 0;
    if (sums_up(p)) return wide <= 72 && (tall - 1) * n <= 96 ? n : 0;
    return wide * (2 * s->ry + 1) <= 120 ? n : 0;
}

/* Groups of a multiprocessor for whose values the registers suffice. */
int rw_image_columns_groups(const rw_image_pass *p, const rw_image_shape *shape)
{
    const rw_image_stage *s = rows_of(p), *c = columns_of(p);
    const int n = shape->columns, wide = n + 2 * s->rx * channels_of(p, shape), tall = c ? c->size[1] : s->size[1];
    const int window = sums_up(p) ? wide + (tall - 1) * n : wide * (2 * s->ry + 1) * (s->prepare ? 2 : 1);
    const int registers = (window + (rw_image_is_rectangle(s) ? ROWS * n : 0)) * (shape->f64 ? 2 : 1) +
                          ROWS * n * (int)rw_dtype_size(p->x_dtype) / 4 + 30;
    return RW_MAX(2, RW_MIN(8, 512 / registers));
}

bool rw_image_merge_extremes(rw_image_pass *p, const rw_image_shape *shape)
{
    const int n = p->nstages, last = n - 1;
    if (!p->ops->rows || n < 2) return false;
    const rw_image_stage *end = p->stage + last;
    int size[2] = {1, 1}, low[2] = {0, 0};
    for (int k = 1; k < n; ++k) {
        const rw_image_stage *s = p->stage + k;
        if (s->write != rw_image_write_extreme || s->extreme.element || s->extreme.sign != end->extreme.sign ||
            s->from != k - 1 || s->also >= 0 || (k < last && s->after.data))
            return false;
        for (int d = 0; d < 2; ++d) {
            size[d] += s->size[d] - 1;
            low[d] += s->low[d];
        }
    }
    const bool two = size[1] > 1; /* along rows, then along columns */
    const rw_image_stage old[2] = {p->stage[1], p->stage[last > 1 ? 2 : 1]};
    rw_image_stage merged = rw_image_rectangle_of(end, two, two ? 1 : size[0], size[1], two ? 0 : low[0], low[1]);
    merged.after = end->after;
    merged.values = end->values;
    if (two) {
        p->stage[1] = rw_image_rectangle_of(p->stage + 1, 0, size[0], 1, low[0], 0);
        p->stage[2] = merged;
    } else {
        p->stage[1] = merged;
    }
    p->nstages = 2 + two;
    if (rw_image_columns(p, shape) > 0) return true;
    p->stage[1] = old[0];
    p->nstages = n;
    if (two) p->stage[2] = old[1];
    return false;
}

/* ---- loads and stores -------------------------------------------------------------------------------------------- */

/* The type that an element is kept in: that in which it is computed with, of integers 32 bits. */
static const char *kept(const rw_image_pass *p)
{
    const rw_image_stage *s = rows_of(p);
    if (is_real(p->stage[0].type)) return rw_dtype_name(p->stage[0].type);
    return rw_image_is_taps(s) && s->compute != RW_I32 ? rw_dtype_name(s->compute) : "i32";
}

/* words: PIECE words of a load, C elements; element k of them. */
static void write_words(rw_image_writer *w, int n)
{
    const rw_image_pass *p = w->pass;
    const rw_dtype x = p->x_dtype, y = p->y_dtype;
    static const char *const words[] = {[1] = "", [2] = "u32", [4] = "u32"};
    const int ex = word_elements(x), ey = word_elements(y);
    const char *x_word = ex > 1 ? words[ex] : rw_dtype_name(x), *y_word = ey > 1 ? words[ey] : rw_dtype_name(y);
    const int x_bytes = (int)rw_dtype_size(x) * n, y_bytes = (int)rw_dtype_size(y) * n;
    ADD("typedef struct ALIGNED(%d) own { %s v[%d]; } own;\n", RW_MIN(x_bytes, 16), x_word, n / ex);
    const int piece = RW_MIN(y_bytes, 16) / (y_bytes / (n / ey)); /* words that one store takes */
    ADD("typedef struct ALIGNED(%d) piece { %s v[%d]; } piece;\n#define PIECE %d\n#define WORDS %d\n",
        RW_MIN(y_bytes, 16), y_word, piece, piece, n / ey);
    ADD("DEVICE %s element(own o, int k) { return ", kept(p));
    if (x == RW_U8) ADD("(%s)((o.v[k / 4] >> k %% 4 * 8) & 255u)", kept(p));
    else if (x == RW_U16) ADD("(%s)((o.v[k / 2] >> k %% 2 * 16) & 65535u)", kept(p));
    else if (x == RW_I16) ADD("(%s)((i32)(o.v[k / 2] << (1 - k %% 2) * 16) >> 16)", kept(p));
    else if (x == RW_F16) ADD("f32_from_f16(o.v[k])");
    else ADD("o.v[k]");
    ADD("; }\n");
}

/* The place of element e of a row of nx pixels, -1: a constant. */
static void write_place(rw_image_writer *w, int channels)
{
    const rw_image_stage *s = rows_of(w->pass);
    const char *outside = rw_image_outside_text(s->border, channels == 1 ? "e" : "i", "nx").text;
    ADD("DEVICE int place(int e, int nx)\n{\n");
    if (!s->rx) ADD("    return e < nx * %d ? e : 0;\n}\n", channels);
    else if (channels == 1) ADD("    return e >= 0 && e < nx ? e : %s;\n}\n", outside);
    else
        ADD("    const int i = (e + %d) / %d - %d, m = i >= 0 && i < nx ? i : %s;\n"
            "    return m < 0 ? -1 : m * %d + (e - i * %d);\n}\n",
            1024 * channels, channels, 1024, outside, channels, channels);
}

/* The vector at element p of row m, -1: outside. */
static void write_fetch(rw_image_writer *w, int n)
{
    const rw_image_pass *p = w->pass;
    const rw_dtype t = p->x_dtype;
    const int per = word_elements(t);
    ADD("DEVICE own fetch(GLOBAL const %s *RESTRICT x, int p, int m, int nx, int width, long x_row, int whole)\n{\n"
        "    if (whole && m >= 0 && p >= 0 && p + %d <= width) return LOAD((GLOBAL const own *)(x + (long)m * x_row + "
        "p));\n    own o;\n",
        rw_dtype_name(t), n);
    if (per > 1) ADD("    UNROLL\n    for (int k = 0; k < %d; ++k) o.v[k] = 0;\n", n / per);
    ADD("    UNROLL\n    for (int k = 0; k < %d; ++k) {\n        const int e = m < 0 ? -1 : place(p + k, nx);\n"
        "        const %s v = e < 0 ? ",
        n, rw_dtype_name(t));
    if (t == RW_F16) ADD("f16_from_f32((f32)%.17g)", rows_of(p)->outside);
    else ADD("(%s)%.17g", rw_dtype_name(t), rows_of(p)->outside);
    ADD(" : x[(long)m * x_row + e];\n");
    if (per > 1)
        ADD("        o.v[k / %d] |= (u32)%sv << k %% %d * %d;\n", per, t == RW_I16 ? "(u16)" : "", per, 32 / per);
    else ADD("        o.v[k] = v;\n");
    ADD("    }\n    return o;\n}\n");
}

/* The newest row of the window <- the row in shared memory. */
static void write_window(rw_image_writer *w, int row, int n, int side)
{
    const int sides = (side + n - 1) / n;
    ADD("                {\n                    LOCAL const own *const at = rows_ + r * WIDE + (int)t;\n"
        "                    own a = at[%d];\n                    UNROLL\n"
        "                    for (int k = 0; k < %d; ++k) H(%d, %d + k) = element(a, k);\n",
        sides, n, row, side);
    for (int v = 1; v <= sides; ++v) {
        ADD("                    a = at[%d];\n", sides - v);
        for (int k = 0; k < n; ++k)
            if (side - v * n + k >= 0)
                ADD("                    H(%d, %d) = element(a, %d);\n", row, side - v * n + k, k);
        ADD("                    a = at[%d];\n", sides + v);
        for (int k = 0; k < n; ++k)
            if (v * n + k < n + side)
                ADD("                    H(%d, %d) = element(a, %d);\n", row, side + v * n + k, k);
    }
    ADD("                }\n");
}

/* E(r, c) <- the extremes of the windows that end with row j + r. */
static void write_extremes(rw_image_writer *w, int n, int side)
{
    const rw_image_stage *s = rows_of(w->pass), *c = columns_of(w->pass);
    ADD("            %s extreme_[%d];\n            UNROLL\n            for (int r = 0; r < %d; ++r) {\n", kept(w->pass),
        ROWS * n, ROWS);
    write_window(w, 0, n, side);
    s->write(s, w);
    ADD("            }\n");
    if (!c) return;
    ADD("            UNROLL\n            for (int c = 0; c < %d; ++c) {\n", n);
    c->write(c, w);
    ADD("            }\n");
}

static void write_store(rw_image_writer *w, rw_dtype from, int values, int n)
{
    const rw_image_pass *p = w->pass;
    const int ey = word_elements(p->y_dtype), bits = 32 / ey;
    char value[32];
    snprintf(value, sizeof value, "v%d", values - 1);
    ADD("                        out[c] = ");
    rw_image_add_store(p, w->t, from, value);
    ADD(";\n                    }\n"
        "                    const int line = j + r - %d;\n"
        "                    if (line >= top && line < bottom && q0 < last) {\n"
        "                        GLOBAL %s *const to = y + (long)(line - y0) * y_row + (q0 - x0 * %d);\n"
        "                        if (joined && q0 + %d <= last) {\n                            UNROLL\n"
        "                            for (int k = 0; k < WORDS; k += PIECE) {\n"
        "                                piece o;\n                                UNROLL\n"
        "                                for (int i = 0; i < PIECE; ++i) ",
        w->shape->lag, rw_dtype_name(p->y_dtype), channels_of(p, w->shape), n);
    if (ey == 1) ADD("o.v[i] = out[k + i];\n");
    else {
        ADD("o.v[i] = ");
        for (int e = 0; e < ey; ++e)
            ADD("%s(u32)(%s)out[%d * (k + i) + %d]%s", e ? " | " : "", p->y_dtype == RW_U8 ? "u8" : "u16", ey, e,
                e ? e * bits == 8    ? " << 8"
                    : e * bits == 16 ? " << 16"
                                     : " << 24"
                  : "");
        ADD(";\n");
    }
    ADD("                                STORE_ONCE((GLOBAL piece *)(to + k * %d), o);\n"
        "                            }\n                        } else {\n"
        "                            UNROLL\n                            for (int c = 0; c < %d; ++c)\n"
        "                                if (q0 + c < last) to[c] = out[c];\n"
        "                        }\n                    }\n",
        ey, n);
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

/* What the item's element c of row j + r - lag is: v0, …; of type *from, after this number of values. */
static const rw_image_stage *write_value(rw_image_writer *w, int n)
{
    const rw_image_pass *p = w->pass;
    const rw_image_stage *s = rows_of(p), *c = columns_of(p);
    const char *type = rw_dtype_name(p->y_dtype);
    if (s->prepare && !sums_up(p)) s->prepare(s, w, n + 2 * s->rx * w->channels);
    ADD("                    %s out[%d];\n                    UNROLL\n"
        "                    for (int c = 0; c < %d; ++c) {\n                        const int q = q0 + c;\n"
        "                        (void)q;\n",
        type, n, n);
    if (rw_image_is_rectangle(s)) {
        const rw_image_stage *last = c ? c : s;
        ADD("                        const %s v0 = E(r, c);\n", kept(p));
        w->k = c ? 2 : 1;
        if (last->after.data) ADD("%s", last->after.data);
        return last;
    }
    if (!sums_up(p)) {
        s->write(s, w);
        if (s->after.data) ADD("%s", s->after.data);
        return s;
    }
    if (c) {
        ADD("                    %s row;\n                    {\n", rw_dtype_name(s->type));
        s->write(s, w);
        if (s->after.data) ADD("%s", s->after.data);
        ADD("                    row = v%d;\n                    }\n", s->values - 1);
        w->k = 2;
        rw_image_write_moved(c, w, "row");
        if (c->after.data) ADD("%s", c->after.data);
        return c;
    }
    rw_image_write_moved(s, w, NULL);
    if (s->after.data) ADD("%s", s->after.data);
    return s;
}

void rw_image_write_columns(const rw_image_pass *p, const rw_image_shape *given, rw_text *text)
{
    rw_image_shape shape = *given;
    const rw_image_stage *s = rows_of(p), *c = columns_of(p), *tall = c ? c : s;
    const int n = shape.columns, channels = channels_of(p, &shape), side = s->rx * channels, wide = n + 2 * side,
              sides = (side + n - 1) / n;
    const bool moved = sums_up(p), extremes = rw_image_is_rectangle(s);
    const int rows = moved ? 1 : 2 * s->ry + 1, B = ROWS;
    const int below = moved ? tall->size[1] - 1 - tall->low[1] : s->ry, above = moved ? tall->low[1] : s->ry;
    const rw_image_border by = tall->ry ? tall->border : 0;
    rw_image_writer writer = {.t = text, .pass = p, .shape = &shape}, *w = &writer;
    shape.lag = below;
    ADD("%s#define W(i) %s\n", rw_image_helper_text, rw_image_weight_arguments(p, &shape) ? "w##i" : "weights[i]");
    /* in tests on processors: loops as they are, which compile in a tenth of the time */
    ADD("#ifdef RW_SIMD\n#undef UNROLL\n#undef UNROLL_BY\n#define UNROLL\n#define UNROLL_BY(n)\n#endif\n");
    rw_image_add_alpha(p, &shape, text);
    rw_image_write_maps(w);
    ADD("DEVICE int line_of(int j, int ny) { return j >= 0 && j < ny ? j : %s; }\n",
        by ? rw_image_outside_text(by, "j", "ny").text : "-1");
    write_words(w, n);
    write_place(w, channels);
    write_fetch(w, n);
    ADD("#define WIDE (GROUP + %d)\n#define H(r, k) AT_N(h, (r) * %d + (k), t)\n"
        "#define SUMS(k) AT_N(sums, (k) * %d + c, t)\n#define E(r, c) extreme_[(r) * %d + (c)]\n",
        2 * sides, wide, n, n);
    ADD("#define LINE(j) line_of((j) < stop ? (j) : stop - 1, ny)\n"
        "#define FETCH(p, j) fetch(x, p, LINE(j), nx, width, x_row, whole)\n");
    rw_image_write_head(p, &shape, text);
    ADD("    SHARED(own, staged, 2 * %d * WIDE);\n    PRIVATE_N(own, next, %d);\n    PRIVATE_N(%s, h, %d);\n", B, B,
        kept(p), rows * wide);
    if (sides) ADD("    PRIVATE(own, more);\n");
    if (moved) ADD("    PRIVATE_N(%s, sums, %d);\n", rw_dtype_name(tall->compute), (tall->size[1] - 1) * n);
    ADD("    const int first = x0 * %d + GROUP_ID(0) * %d, last = x1 * %d, width = nx * %d;\n"
        "    const int top = y0 + GROUP_ID(1) * rows, bottom = y1 - top < rows ? y1 : top + rows, begin = top - %d, "
        "stop = bottom + %d;\n"
        "    x += x_from + (long)GROUP_ID(2) * x_plane;\n    y += y_from + (long)GROUP_ID(2) * y_plane;\n",
        channels, shape.strip, channels, channels, above, below);
    ADD("    const int whole = (u64)x %% %d == 0 && x_row %% %d == 0 && first %% %d == 0, joined = (u64)y %% %d == 0 "
        "&& y_row %% %d == 0;\n",
        RW_MIN(n * (int)rw_dtype_size(p->x_dtype), 16), n, n, RW_MIN(n * (int)rw_dtype_size(p->y_dtype), 16), n);
    if (p->limited)
        ADD("    const f64 low = found[0], factor = found[1] > found[0] ? 1 / ((f64)found[1] - (f64)found[0]) : 0;\n");
    ADD("    EACH(t, GROUP) {\n        UNROLL\n        for (int k = 0; k < %d; ++k) AT_N(%s, k, t) = 0;\n"
        "        UNROLL\n"
        "        for (int r = 0; r < %d; ++r) AT_N(next, r, t) = FETCH(first + (int)t * %d, begin + r);\n    }\n",
        moved ? (tall->size[1] - 1) * n : rows * wide, moved ? "sums" : "h", B, n);
    char sides_text[512] = "";
    if (sides)
        snprintf(
            sides_text, sizeof sides_text,
            "EACH(e, %d) { const int k = (int)e %% %d; AT(more, e) = FETCH(first + (k < %d ? k - %d : GROUP + k - %d) "
            "* %d, %%s + (int)e / %d); }\n",
            B * 2 * sides, 2 * sides, sides, sides, sides, n, 2 * sides);
    if (sides) {
        ADD("    ");
        rw_text_add(text, sides_text, "begin");
    }
    ADD("    for (int j = begin, half_ = 0; j < stop; j += %d, half_ = 1 - half_) {\n"
        "        LOCAL own *const rows_ = staged + half_ * (%d * WIDE);\n"
        "        EACH(t, GROUP) {\n            UNROLL\n"
        "            for (int r = 0; r < %d; ++r) rows_[r * WIDE + %d + t] = AT_N(next, r, t);\n        }\n",
        B, B, B, sides);
    if (sides)
        ADD("        EACH(e, %d) { const int k = (int)e %% %d; rows_[(int)e / %d * WIDE + (k < %d ? k : GROUP + k)] = "
            "AT(more, e); }\n",
            B * 2 * sides, 2 * sides, 2 * sides, sides);
    ADD("        BARRIER;\n        if (j + %d < stop) {\n            EACH(t, GROUP) {\n                UNROLL\n"
        "                for (int r = 0; r < %d; ++r) AT_N(next, r, t) = FETCH(first + (int)t * %d, j + %d + r);\n"
        "            }\n            ",
        B, B, n, B);
    char ahead[32];
    snprintf(ahead, sizeof ahead, "j + %d", B);
    if (sides) rw_text_add(text, sides_text, ahead);
    ADD("        }\n        EACH(t, GROUP) {\n            const int q0 = first + (int)t * %d;\n", n);
    w->k = 1;
    w->channels = channels;
    w->columns = true;
    if (extremes) write_extremes(w, n, side);
    /* the text of a large mask is to fit the cache of instructions */
    ADD("            %s\n            for (int r = 0; r < %d; ++r) {\n",
        !extremes && tall->size[1] * s->size[0] > 49 ? "UNROLL_BY(1)" : "UNROLL", B);
    if (rows > 1)
        ADD("                UNROLL\n                for (int k = 0; k < %d; ++k) {\n                    UNROLL\n"
            "                    for (int i = 0; i < %d; ++i) H(i, k) = H(i + 1, k);\n                }\n",
            wide, rows - 1);
    if (!extremes) write_window(w, rows - 1, n, side);
    const rw_image_stage *end = write_value(w, n);
    write_store(w, end->type, end->values, n);
    ADD("            }\n        }\n    }\n}\n");
}
