/* Lines of n = r0 r1 … points in the memory of a group. Stage t takes r points that lie n / r apart, multiplies them
 * with factors, transforms them and puts the results p = r0 … r(t-1) apart, so that the last stage has them in order
 * (Stockham; Cochran et al., IEEE Trans. AU-15, 1967). The first stage reads the array, the last one writes it.
 *
 * Processors: the innermost loop runs over what is contiguous, in the group's memory and in the arrays: over lines
 * where they are neighbours in memory, else over the points that share their factors; points change between two
 * buffers. GPUs: an item has some codelets of a stage, and all points of a group in its registers while the one buffer
 * changes. */
#include "fft/line.h"

#include <string.h>

#include "codelet/codelet.h"
#include "fft/cluster.h"
#include "fft/ends.h"
#include "fft/middle.h"

typedef struct stage {
    /* 1: points change their places only, a GPU's items in the order of the array; 0: pairs of points are divided */
    int r;
    int64_t p, factors;
    bool inverse;
} stage;

typedef struct writer {
    rw_fft_text text;
    rw_text *t; /* its text */
    const rw_fft_line_spec *spec;
    rw_fft_choice choice;
    int n, lines, nstages, forth; /* stages in all, and those before the middle */
    stage stages[2 * RW_FFT_STAGES + 2];
    int hops;         /* times that points go through the buffer */
    bool threads;     /* a GPU's */
    int items, group; /* GPU: items of a line, of a group */
    int pad;          /* GPU: one element in `pad` is left out; 0: none */
    int values;       /* GPU: points that an item keeps */
    rw_fft_cluster cluster;
} writer;

#define ADD(...) rw_text_add(w->t, __VA_ARGS__)
typedef long long big;

/* ---- the buffer -------------------------------------------------------------------------------------------------- */

/* In the buffer neighbouring lines lie side by side, else the points of a line. Where x and y differ in that, a GPU's
 * first stage goes over from one to the other, a processor's last stage. */
static bool lines_fast(const writer *w) { return w->threads ? w->spec->y.lines_fast : w->spec->x.lines_fast; }

/* Elements of the buffer for `lines` lines. */
static int64_t buffer_elements(const writer *w, int lines)
{
    const int64_t gaps = w->pad ? w->n / w->pad : 0;
    if (lines_fast(w)) return (int64_t)w->n * lines + gaps;
    if (w->threads) { /* neighbouring items lie in neighbouring banks, also where they have several lines */
        enum { BANKS = 16 };
        const int64_t line = w->n + gaps, items = w->items % BANKS;
        return (line + (w->items < BANKS ? ((items - line) % BANKS + BANKS) % BANKS : 0)) * lines;
    }
    return (w->n + gaps + (w->spec->y.lines_fast ? 16 : 0)) *
           lines; /* 16: lines of a power of 2 would share their places in the caches */
}

static int64_t buffer_bytes(const writer *w, int lines)
{
    if (!w->hops) return 0;
    return buffer_elements(w, lines) * (w->spec->f64 ? 16 : 8) / (w->choice.halves ? 2 : 1) *
           (w->threads ? 1 : RW_MIN(w->hops, 2));
}

/* Where point NAME + k of line l lies. */
static void add_index(writer *w, const char *name, int64_t k)
{
    const int64_t step = lines_fast(w) ? w->lines : 1;
    if (!w->pad) ADD("SLOT(%s + %lld)", name, (big)k);
    else if (k % w->pad == 0) ADD("SLOT(%s) + %lld", name, (big)(k * step + k / w->pad));
    else ADD("SLOT(%s + %lld)", name, (big)k);
}

static void write_slot(writer *w)
{
    char gap[32] = "";
    if (w->pad) snprintf(gap, sizeof gap, " + (I) / %d", w->pad);
    if (lines_fast(w)) ADD("#define SLOT(I) ((I) * %d%s + l)\n", w->lines, gap);
    else ADD("#define SLOT(I) (l * %lld + (I)%s)\n", (big)buffer_elements(w, 1), gap);
}

static void add_take(writer *w, int hop, const char *to, const char *name, int64_t k)
{
    if (w->threads) {
        ADD("            { const %s v = large[", w->text.complex);
        add_index(w, name, k);
        ADD("]; re%s = v.re; im%s = v.im; }\n", to, to);
        return;
    }
    for (int part = 0; part < 2; ++part) {
        ADD("            %s%s = b%d_%s[", part ? "im" : "re", to, hop % 2, part ? "im" : "re");
        add_index(w, name, k);
        ADD("];\n");
    }
}

static void add_put(writer *w, int hop, int from, const char *name, int64_t k)
{
    if (w->threads) {
        ADD("            { %s v; v.re = re%d; v.im = im%d; large[", w->text.complex, from, from);
        add_index(w, name, k);
        ADD("] = v; }\n");
        return;
    }
    for (int part = 0; part < 2; ++part) {
        ADD("            b%d_%s[", hop % 2, part ? "im" : "re");
        add_index(w, name, k);
        ADD("] = %s%d;\n", part ? "im" : "re", from);
    }
}

static void add_buffer(writer *w)
{
    const big points = buffer_elements(w, w->lines);
    if (!w->hops) return;
    if (w->threads) {
        ADD("    SHARED_LARGE(%s, large);\n", w->choice.halves ? w->text.real : w->text.complex);
        if (w->text.ordered_x || w->text.ordered_y)
            ADD("    LOCAL %s *const ordered = (LOCAL %s *)large;\n", w->text.real, w->text.real);
        return;
    }
    ADD("    SHARED_LARGE(%s, large);\n", w->text.real);
    for (int b = 0; b < RW_MIN(w->hops, 2); ++b)
        ADD("    LOCAL %s *const b%d_re = large + %lld, *const b%d_im = large + %lld;\n", w->text.real, b,
            2 * b * points, b, (2 * b + 1) * points);
}

/* RESULT(RE, IM, K) of points whose spectrum is to come: they stay in the buffer. */
static void write_kept(writer *w)
{
    const int b = (w->nstages - 1) % 2;
    if (w->threads)
        ADD("#define RESULT(RE, IM, K) { %s v_; v_.re = RE; v_.im = IM; large[SLOT(K)] = v_; }\n", w->text.complex);
    else ADD("#define RESULT(RE, IM, K) { b%d_re[SLOT(K)] = RE; b%d_im[SLOT(K)] = IM; }\n", b, b);
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

static bool stage_lines_fast(const writer *w, int s)
{
    return s == 0 || (!w->threads && s < w->nstages - 1) ? w->spec->x.lines_fast : w->spec->y.lines_fast;
}

/* Processors: rows of memory far apart, of which a group has a piece each, come late unless they are asked for: while
 * the first stage runs, what y will be written to; while the last one runs, what the next group reads. */
static void ask_ahead(writer *w, int s)
{
    const int r = w->stages[s].r, each = w->n / r;
    const bool reads = s == w->nstages - 1 && w->spec->x.lines_fast,
               writes = s == 0 && w->spec->y.lines_fast && !rw_fft_untangles(w->spec);
    const bool plain_x =
        w->spec->kind == RW_FFT_COMPLEX && w->spec->method == RW_FFT_STOCKHAM && !w->spec->x.period && !w->spec->x.real;
    const bool plain_y = w->spec->kind == RW_FFT_COMPLEX && w->spec->method == RW_FFT_STOCKHAM && !w->spec->y.real;
    const int bytes = w->lines * (w->spec->f64 ? 16 : 8);
    if (reads && plain_x)
        for (int k = 0; k < r; ++k)
            ADD("        { const int l = %d; PREFETCH(x + AT_X(NUMBER_X(from + %d)), %d); }\n", w->lines, k * each,
                bytes);
    if (writes && plain_y)
        for (int k = 0; k < r; ++k)
            ADD("        { const int l = 0; PREFETCH(y + AT_Y(NUMBER_Y(from + %d)), %d); }\n", k * each, bytes);
}

/* Loops of a processor over the codelets of a stage. l: the line; from, to: the points that point 0 is read from and
 * written to; b: whose factors. The loop inside counts what is contiguous on both sides, from what is the same for all
 * of it. */
static void open_loops(writer *w, int s)
{
    const int r = w->stages[s].r, p = (int)w->stages[s].p, each = w->n / r;
    if (stage_lines_fast(w, s)) {
        ADD("    for (int j = 0; j < %d; ++j) {\n        const int b = j %% %d, from = j, to = j / %d * %d + b;\n",
            each, p, p, p * r);
        ask_ahead(w, s);
        if (s == w->nstages - 1 && w->text.strip)
            for (int k = 0; k < r; ++k) ADD("        TWIST(tc%d, ts%d, to + %lld)\n", k, k, (big)k * p);
        ADD("        EACH(l, lines)\n        {\n");
    } else if (p == 1) {
        ADD("    for (int l = 0; l < lines; ++l) {\n        EACH(from, %d)\n        {\n"
            "            const int b = 0, to = (int)from * %d;\n",
            each, r);
    } else {
        ADD("    for (int q = 0; q < lines * %d; ++q) {\n"
            "        const int l = q / %d, from_0 = q %% %d * %d, to_0 = from_0 * %d;\n",
            each / p, each / p, each / p, p, r);
        ADD("        EACH(b, %d)\n        {\n            const int from = from_0 + (int)b, to = to_0 + (int)b;\n", p);
    }
}

static void close_loops(writer *w) { ADD("        }\n    }\n"); }

/* Item i of a GPU's group: line l, item t of it. */
static void open_items(writer *w, int s)
{
    if (w->stages[s].r == 1) {
        ADD("    EACH(i, GROUP)\n    {\n        {\n");
        return;
    }
    const bool fast = stage_lines_fast(w, s);
    ADD("    EACH(i, GROUP)\n    {\n        const int l = i %s %d, t = i %s %d;\n        if (l < lines && t < %d) {\n",
        fast ? "%" : "/", fast ? w->lines : w->items, fast ? "/" : "%", fast ? w->lines : w->items, w->items);
}

/* Codelet q of the item: number j of the stage. */
static void open_codelet(writer *w, int s, int q)
{
    const int r = w->stages[s].r, p = (int)w->stages[s].p, each = w->n / r;
    if (r == 1) {
        ADD("            if (i < %d - %d && (i + %d) / %d < lines) {\n"
            "            const int f = i + %d, l = f / %d, from = f %% %d, to = from;\n",
            w->n * w->lines, q * w->group, q * w->group, w->n, q * w->group, w->n, w->n);
        return;
    }
    const bool all = (q + 1) * w->items <= each;
    if (all) ADD("            {\n");
    else ADD("            if (t < %d) {\n", each - q * w->items);
    ADD("            const int j = t + %d, b = j %% %d, from = j, to = j / %d * %d + b;\n", q * w->items, p, p, p * r);
}

static void add_input(writer *w, int s)
{
    const int r = w->stages[s].r;
    for (int k = 0; k < r; ++k) ADD("            INPUT(re%d, im%d, from + %d)\n", k, k, k * (w->n / r));
}

static void add_load(writer *w, int s)
{
    const int r = w->stages[s].r;
    char to[12];
    for (int k = 0; k < r; ++k) {
        snprintf(to, sizeof to, "%d", k);
        add_take(w, s - 1, to, "from", k * (w->n / r));
    }
}

static void add_factors(writer *w, int s)
{
    const stage *g = w->stages + s;
    if (g->p == 1) return;
    if (w->threads) {
        rw_fft_write_factors(&w->text, g->r, g->p, g->factors);
        return;
    }
    for (int k = 1; k < g->r; ++k) {
        char c[48], f[48];
        snprintf(c, sizeof c, "factor[%lld + b]", (big)(g->factors + 2 * g->p * (k - 1)));
        snprintf(f, sizeof f, "factor[%lld + b]", (big)(g->factors + 2 * g->p * (k - 1) + g->p));
        rw_fft_write_product(&w->text, k, c, f);
    }
}

static void add_middle(writer *w, int s)
{
    const stage *g = w->stages + s;
    if (s != w->forth - 1 || w->spec->middle == RW_FFT_NONE || rw_fft_divides_pairs(w->spec)) return;
    for (int k = 0; k < g->r; ++k) ADD("            MIDDLE(re%d, im%d, to + %lld, %d)\n", k, k, (big)k * g->p, k);
}

/* On GPUs, whose loads cost more than arithmetic, the twist of result k is a product of those of k / 4 * 4 and of k %
 * 4. */
static void add_twisted(writer *w, const stage *g)
{
    for (int k = 1; k < 4; ++k) ADD("            TWIST(sc%d, ss%d, %lld)\n", k, k, (big)k * g->p);
    for (int k = 0; k < g->r; ++k) {
        const int m = k / 4 * 4, j = k % 4;
        if (!j) {
            ADD("            TWIST(tc%d, ts%d, to + %lld)\n            TWISTED(re%d, im%d, to + %lld, tc%d, ts%d)\n", k,
                k, (big)k * g->p, k, k, (big)k * g->p, k, k);
            continue;
        }
        ADD("            { const %s c_ = FMA(tc%d, sc%d, -(ts%d * ss%d)), s_ = FMA(tc%d, ss%d, ts%d * sc%d); "
            "TWISTED(re%d, im%d, to + %lld, c_, s_) }\n",
            w->text.real, m, j, m, j, m, j, m, j, k, k, (big)k * g->p);
    }
}

static void add_store(writer *w, int s)
{
    const stage *g = w->stages + s;
    const bool last = s == w->nstages - 1;
    if (last && w->threads && w->spec->twist && g->r >= 8) {
        add_twisted(w, g);
        return;
    }
    for (int k = 0; k < g->r; ++k) {
        if (last && w->text.strip)
            ADD("            TWISTED(re%d, im%d, to + %lld, tc%d, ts%d)\n", k, k, (big)k * g->p, k, k);
        else if (last) ADD("            OUTPUT(re%d, im%d, to + %lld)\n", k, k, (big)k * g->p);
        else add_put(w, s, k, "to", k * g->p);
    }
}

static void add_stage_of_processor(writer *w, int s)
{
    const stage *g = w->stages + s;
    open_loops(w, s);
    rw_codelet_variables(w->t, w->text.real, g->r);
    if (s) add_load(w, s);
    else add_input(w, s);
    add_factors(w, s);
    rw_codelet_dft(w->t, w->text.real, g->r, g->inverse, NULL);
    add_middle(w, s);
    add_store(w, s);
    close_loops(w);
    if (s < w->nstages - 1 || rw_fft_untangles(w->spec)) ADD("    BARRIER;\n");
}

/* What a stage writes takes the place of what it read: an item keeps its points until all have read theirs. */
static bool is_last(const writer *w, int s) { return s == w->nstages - 1 && !rw_fft_untangles(w->spec); }
static bool keeps(const writer *w, int s)
{
    const bool reads = s || w->text.ordered_x, writes = !is_last(w, s) || w->text.ordered_y;
    return w->stages[s].r > 1 && ((reads && writes) || (w->choice.halves && w->nstages > 1));
}

static int codelets_of(const writer *w, int s)
{
    if (w->stages[s].r == 1) return (w->n * w->lines + w->group - 1) / w->group;
    return (w->n / w->stages[s].r + w->items - 1) / w->items;
}

/* What an item does with each codelet of a stage. */
enum {
    READ = 1,
    TAKE = 2,
    FACTORS = 4,
    COMPUTE = 8,
    WRITE = 16,
    KEEP = 32,
    PUT_RE = 64,
    PUT_IM = 128,
    GET_RE = 256,
    GET_IM = 512
};

static void add_half(writer *w, bool put, bool imaginary, int at, const char *name, int64_t k)
{
    ADD(put ? "            large[" : "            AT_N(%s, %d, i) = large[", imaginary ? "im" : "re", at);
    add_index(w, name, k);
    if (put) ADD("] = AT_N(%s, %d, i);\n", imaginary ? "im" : "re", at);
    else ADD("];\n");
}

static void add_part(writer *w, int s, int what)
{
    const stage *g = w->stages + s;
    const int codelets = codelets_of(w, s);
    open_items(w, s);
    for (int q = 0; q < codelets; ++q) {
        open_codelet(w, s, q);
        if (what & (READ | TAKE)) rw_codelet_variables(w->t, w->text.real, g->r);
        if (what & READ) {
            if (s) add_load(w, s);
            else add_input(w, s);
        }
        if (what & TAKE) rw_fft_write_take(&w->text, q, g->r);
        if (what & FACTORS) add_factors(w, s);
        if (what & COMPUTE) {
            rw_codelet_dft(w->t, w->text.real, g->r, g->inverse, NULL);
            add_middle(w, s);
        }
        if (what & WRITE) add_store(w, s);
        if (what & KEEP) rw_fft_write_keep(&w->text, q, g->r);
        for (int k = 0; k < g->r; ++k) {
            if (what & PUT_RE) add_half(w, true, false, q * g->r + k, "to", k * g->p);
            if (what & PUT_IM) add_half(w, true, true, q * g->r + k, "to", k * g->p);
            if (what & GET_RE) add_half(w, false, false, q * g->r + k, "from", k * (w->n / g->r));
            if (what & GET_IM) add_half(w, false, true, q * g->r + k, "from", k * (w->n / g->r));
        }
        ADD("            }\n");
    }
    close_loops(w);
}

static void add_barrier(writer *w) { ADD("    BARRIER;\n"); }

/* Real parts go to the items of the next stage before imaginary parts do. */
static void add_stage_in_halves(writer *w, int s)
{
    const bool last = is_last(w, s);
    add_part(w, s, (s ? TAKE | FACTORS : READ) | COMPUTE | (last ? WRITE : KEEP | PUT_RE));
    if (last) return;
    add_barrier(w);
    add_part(w, s + 1, GET_RE);
    add_barrier(w);
    add_part(w, s, PUT_IM);
    add_barrier(w);
    add_part(w, s + 1, GET_IM);
    if (!is_last(w, s + 1)) add_barrier(w);
}

static void add_stage_of_items(writer *w, int s)
{
    if (w->choice.halves) {
        add_stage_in_halves(w, s);
        return;
    }
    if (keeps(w, s)) {
        add_part(w, s, READ | FACTORS | KEEP);
        add_barrier(w);
        add_part(w, s, TAKE | COMPUTE | WRITE);
    } else {
        add_part(w, s, READ | FACTORS | COMPUTE | WRITE);
    }
    if (!is_last(w, s)) add_barrier(w);
}

/* The elements of all lines of a group, from x to their place in the real sequence of II and III, or from there to y:
 * those of even numbers, then the others from the last one on, whose sign sine transforms change. */
static void add_ordered(writer *w, bool y)
{
    const int n = (int)w->spec->n, each = (n * w->lines + w->group - 1) / w->group;
    const rw_fft_kind kind = y ? rw_fft_kind_of_y(w->spec) : w->spec->kind;
    const char *sign = kind == RW_FFT_DST2 || kind == RW_FFT_DST3 ? "if (e % 2) v = -v;" : "";
    if (y) add_barrier(w);
    ADD("    EACH(i, GROUP)\n    {\n        UNROLL for (int q = 0; q < %d; ++q) {\n"
        "            const int f = q * %d + i, l = f / %d, e = f %% %d, at = e %% 2 ? %d - e / 2 : e / 2;\n"
        "            if (l < lines) {\n            %s v;\n",
        each, w->group, n, n, n - 1, w->text.real);
    if (y) ADD("            v = ordered[l * %d + at]; %s PUT_Y(v, e)\n", n, sign);
    else ADD("            GET_X(v, e) %s ordered[l * %d + at] = v;\n", sign, n);
    ADD("            }\n        }\n    }\n");
    if (!y) add_barrier(w);
}

/* Points k and m - k of the buffer: to numbers of the spectrum, or stage s, in the middle. */
static void add_pair(writer *w, int s)
{
    const int points = (int)w->spec->points;
    ADD("            %s rea, ima, reb, imb;\n            const int other = k ? %d - k : 0;\n", w->text.real, points);
    add_take(w, s - 1, "a", "k", 0);
    add_take(w, s - 1, "b", "other", 0);
    ADD("            %s ar = rea, ai = ima, br = reb, bi = imb;\n", w->text.real);
    if (s == w->nstages) {
        rw_fft_write_untangle(&w->text, points);
        return;
    }
    rw_fft_write_divided_pair(&w->text);
    ADD("            const %s re0 = pr, im0 = pi, re1 = qr, im1 = qi;\n", w->text.real);
    add_put(w, s, 0, "k", 0);
    add_put(w, s, 1, "other", 0); /* of k = 0 the same point with the same value */
}

/* The pair in the middle is one point: it comes after the others, whose number the items share evenly, so that the
 * loads of all of them are in flight. */
static void add_pairs_of_items(writer *w, int s)
{
    const int points = (int)w->spec->points, pairs = points / 2 + 1;
    const bool fast = w->spec->y.lines_fast, even = points % 2 == 0 && points / 2 % w->items == 0;
    ADD("    EACH(i, GROUP)\n    {\n        const int l = i %s %d, t = i %s %d;\n        if (l < lines && t < %d) {\n",
        fast ? "%" : "/", fast ? w->lines : w->items, fast ? "/" : "%", fast ? w->lines : w->items, w->items);
    if (even)
        ADD("        UNROLL for (int q = 0; q < %d; ++q) {\n            const int k = q * %d + t;\n",
            points / 2 / w->items, w->items);
    else ADD("        for (int k = t; k < %d; k += %d) {\n", pairs, w->items);
    add_pair(w, s);
    ADD("        }\n");
    if (even) {
        ADD("        if (t == 0) {\n            const int k = %d;\n", points / 2);
        add_pair(w, s);
        ADD("        }\n");
    }
    close_loops(w);
}

/* All pairs, after the stages before s; see add_pair. */
static void add_pairs(writer *w, int s)
{
    const int pairs = (int)w->spec->points / 2 + 1;
    if (w->threads) {
        add_pairs_of_items(w, s);
        return;
    }
    if (s == w->nstages ? w->spec->y.lines_fast : lines_fast(w))
        ADD("    for (int k = 0; k < %d; ++k) {\n        EACH(l, lines)\n        {\n", pairs);
    else ADD("    for (int l = 0; l < lines; ++l) {\n        EACH(k, %d)\n        {\n", pairs);
    add_pair(w, s);
    close_loops(w);
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

/* The parameters, the buffer, and what items keep. */
static void open_kernel(writer *w)
{
    rw_fft_write_head(&w->text);
    add_buffer(w);
    if (w->values)
        ADD("    PRIVATE_N(%s, re, %d);\n    PRIVATE_N(%s, im, %d);\n", w->text.real, w->values, w->text.real,
            w->values);
}

static void add_kernel(writer *w)
{
    const rw_fft_line_spec *s = w->spec;
    ADD("#define LINE %s\n", s->second ? "(long)(begin_1 + GROUP_ID(1))" : "(first + l)");
    rw_fft_write_ends(&w->text);
    rw_fft_write_middle(&w->text);
    write_slot(w);
    if (rw_fft_untangles(s)) write_kept(w);
    open_kernel(w);
    ADD("    const long first = (long)GROUP_ID(0) * %d;\n", w->lines);
    ADD("    const int lines = (int)(n0 - first < %d ? n0 - first : %d);\n", w->lines, w->lines);
    rw_fft_write_places(&w->text);
    if (w->text.ordered_x) add_ordered(w, false);
    for (int i = 0; i < w->nstages; ++i) {
        if (!w->stages[i].r) {
            add_pairs(w, i);
            add_barrier(w);
        } else if (w->threads) add_stage_of_items(w, i);
        else add_stage_of_processor(w, i);
    }
    if (rw_fft_untangles(s)) add_pairs(w, w->nstages);
    if (w->text.ordered_y) add_ordered(w, true);
    ADD("}\n");
}

/* Pairs that a group has, of one line. */
enum { PAIRS = 2048 };

static void add_pairs_kernel(writer *w)
{
    const int64_t pairs = w->spec->points / 2 + 1;
    ADD("#define LINE 0\n");
    rw_fft_write_ends(&w->text);
    open_kernel(w);
    ADD("    const int l = 0, piece = GROUP_ID(0) %% %lld;\n    const long first = GROUP_ID(0) / %lld;\n",
        (big)((pairs + PAIRS - 1) / PAIRS), (big)((pairs + PAIRS - 1) / PAIRS));
    rw_fft_write_places(&w->text);
    ADD("    EACH_IN(k, (long)piece * %d, (long)(piece + 1) * %d < %lld ? (long)(piece + 1) * %d : %lld)\n    {\n"
        "            %s ar, ai, br, bi;\n",
        PAIRS, PAIRS, (big)pairs, PAIRS, (big)pairs, w->text.real);
    ADD("            const long other = k ? %lld - k : 0;\n            GET(ar, ai, k) GET(br, bi, other)\n",
        (big)w->spec->points);
    rw_fft_write_untangle(&w->text, w->spec->points);
    ADD("    }\n}\n");
}

/* ---- create, run ------------------------------------------------------------------------------------------------- */

static void add_stage(writer *w, int r, int p, bool inverse)
{
    stage *g = w->stages + w->nstages++;
    *g = (stage){r, p, 0, inverse};
    if (p > 1 && r > 1)
        g->factors = (w->threads ? rw_fft_table_bases : rw_fft_table_stage)(&w->text.table, p, r, inverse);
}

static void find_stages(writer *w)
{
    int radix[RW_FFT_STAGES];
    const int n = rw_fft_factors(w->n, w->choice.radix, radix);
    const bool inverse = w->spec->forth_inverse, /* IV is its own inverse */
        turns = w->spec->middle != RW_FFT_DIVIDE || rw_fft_form_of_y(w->spec) != RW_FFT_FORM_COMPLEX;
    if (w->choice.staged) add_stage(w, 1, 1, false);
    for (int back = 0; back < (w->spec->middle == RW_FFT_NONE ? 1 : 2); ++back) {
        for (int i = 0, p = 1; i < n; p *= radix[i++]) add_stage(w, radix[i], p, inverse != (back && turns));
        if (!back) w->forth = w->nstages;
        if (!back && rw_fft_divides_pairs(w->spec)) add_stage(w, 0, 1, false);
    }
    if (w->choice.staged && !rw_fft_untangles(w->spec)) add_stage(w, 1, 1, false);
    w->hops = w->nstages - 1 + (rw_fft_untangles(w->spec) ? 1 : 0) + w->text.ordered_x + w->text.ordered_y;
}

rw_fft_share rw_fft_line_share(const rw_device *dev, int64_t n, int radix, bool f64)
{
    int r[RW_FFT_STAGES];
    const int stages = rw_fft_factors(n, radix, r);
    return rw_fft_share_of(n, r, stages, dev->target.group_most, f64);
}

/* At most this number of neighbouring lines, whose elements fill sectors of memory, in which a GPU reads and writes: a
 * multiple of a sector's, or a part of one that others complete. */
static int whole_sectors(const rw_fft_line_spec *s, int lines)
{
    enum { SECTOR = 32 };
    int of_sector = 1;
    const rw_fft_end *const ends[] = {&s->x, &s->y};
    for (int i = 0; i < RW_COUNT(ends); ++i)
        if (ends[i]->lines_fast && ends[i]->line_unit)
            of_sector = RW_MAX(of_sector, SECTOR / (int)rw_dtype_size(ends[i]->dtype));
    while (of_sector > lines) of_sector /= 2;
    return lines / of_sector * of_sector;
}

/* Items and padding of a group, its lines as far as its memory holds them. */
static rw_status fit_group(rw_device *dev, writer *w)
{
    const bool x_fast = w->spec->x.lines_fast, y_fast = w->spec->y.lines_fast;
    const int r = w->stages[w->choice.staged].r;
    if (w->threads) {
        w->items = rw_fft_line_share(dev, w->n, w->choice.radix, w->spec->f64).items;
        if (r % 2 == 0 && w->hops && !(x_fast && y_fast)) w->pad = r;
        if (buffer_bytes(w, 1) > dev->info.shared_memory) w->pad = 0;
    }
    if (buffer_bytes(w, 1) > dev->info.shared_memory)
        return rw_fail(
            dev->ctx, RW_ERR_UNSUPPORTED,
            "a transform of %d points in %s needs %lld bytes of shared memory per workgroup, but %s has %lld bytes",
            w->n, w->text.real, (big)buffer_bytes(w, 1), dev->info.name, (big)dev->info.shared_memory);
    w->lines = RW_MAX(w->choice.lines, 1);
    if (w->threads) w->lines = RW_MIN(w->lines, RW_MAX(1, dev->target.group_most / w->items));
    while (w->lines > 1 && buffer_bytes(w, w->lines) > dev->info.shared_memory) --w->lines;
    if (w->threads && w->lines < w->choice.lines) w->lines = whole_sectors(w->spec, w->lines);
    w->text.strip = w->spec->twist && !w->threads && y_fast ? w->lines : 0;
    w->group = w->threads ? RW_MAX(32, (w->items * w->lines + 31) / 32 * 32) : 256;
    for (int s = 0; s < w->nstages && w->threads; ++s)
        if (keeps(w, s)) w->values = RW_MAX(w->values, codelets_of(w, s) * w->stages[s].r);
    return RW_OK;
}

static rw_status compile(rw_device *dev, const writer *w, rw_program **program)
{
    const rw_fft_cluster *c = &w->cluster;
    char group[16], large[24], groups[16], cluster[16], name[64];
    snprintf(cluster, sizeof cluster, "%d", w->choice.cluster);
    snprintf(groups, sizeof groups, "%d", RW_MAX(w->choice.groups, 1));
    snprintf(group, sizeof group, "%d", w->group);
    snprintf(large, sizeof large, "%lld", (big)RW_MAX(w->choice.cluster ? c->bytes : buffer_bytes(w, w->lines), 16));
    snprintf(name, sizeof name, "transform of %d points", w->n);
    const bool cluster_or_hops = w->hops > 0 || w->choice.cluster, formula = rw_fft_has_formula(w->spec);
    const struct {
        bool used;
        rw_define define;
    } all[] = {{true, {"GROUP", group}},
               {true, {"RW_WIDE", "1"}},
               {true, {"RW_GROUPS_A_UNIT", groups}},
               {cluster_or_hops, {"SHARED_LARGE_BYTES", large}},
               {w->choice.cluster > 0, {"RW_CLUSTER", cluster}},
               {formula, {"REAL", w->text.real}},
               {formula, {"WITH_FUNCTIONS", "1"}},
               {formula, {"WITH_COMPLEX", "1"}}};
    rw_define used[RW_COUNT(all)];
    int n = 0;
    for (int i = 0; i < RW_COUNT(all); ++i)
        if (all[i].used) used[n++] = all[i].define;
    return rw_program_start(dev, name, w->t->data, used, n, program);
}

static int64_t limit; /* of tests */
void rw_fft_limit(int64_t points) { limit = points; }
bool rw_fft_is_limited(void) { return limit != 0; }

int64_t rw_fft_line_most(const rw_device *dev, bool f64)
{
    const int64_t most = dev->info.shared_memory / (f64 ? 16 : 8) / (rw_device_has_threads(dev) ? 1 : 2);
    return limit && limit < most ? limit : most;
}

rw_fft_target rw_fft_target_of(const rw_device *dev, bool f64)
{
    return (rw_fft_target){rw_device_has_threads(dev) ? dev->target.group_most : 0,
                           RW_MIN(rw_fft_line_most(dev, f64), f64 ? 12288 : 16384), f64};
}

rw_status rw_fft_line_create(rw_device *dev, const rw_fft_line_spec *spec, const rw_fft_choice *choice, bool pairs,
                             rw_fft_line *line)
{
    rw_text text = {0};
    writer w = {.text = {.t = &text,
                         .spec = spec,
                         .real = spec->f64 ? "f64" : "f32",
                         .complex = spec->f64 ? "c128" : "c64",
                         .table = {.ctx = dev->ctx, .pairs = rw_device_has_threads(dev)}},
                .t = &text,
                .spec = spec,
                .choice = *choice,
                .n = (int)spec->stages,
                .threads = rw_device_has_threads(dev)};
    *line = (rw_fft_line){.gain = rw_fft_gain(spec)};
    rw_status status = RW_OK;
    if (pairs) {
        w.group = w.threads ? 128 : 256;
        w.lines = 1;
    } else if (choice->cluster) {
        w.cluster = rw_fft_cluster_of(dev, spec, choice->cluster);
        w.group = w.cluster.group;
        w.lines = w.cluster.lines;
    } else {
        w.text.ordered_x = w.threads && choice->ordered && rw_fft_scatters(spec, false);
        w.text.ordered_y = w.threads && choice->ordered && rw_fft_scatters(spec, true);
        find_stages(&w);
        status = fit_group(dev, &w);
    }
    if (status == RW_OK) {
        if (pairs) add_pairs_kernel(&w);
        else if (choice->cluster) rw_fft_cluster_write(&w.text, &w.cluster);
        else add_kernel(&w);
        status = text.failed || w.text.table.failed
                     ? rw_fail_memory(dev->ctx, text.length, "the kernel text of a transform")
                     : compile(dev, &w, &line->program);
    }
    rw_text_free(&text);
    if (status == RW_OK) status = rw_program_kernel(line->program, "transform", &line->kernel);
    if (status == RW_OK) status = rw_fft_table_send(&w.text.table, dev, spec->f64, &line->factors);
    rw_fft_table_free(&w.text.table);
    line->choice = w.choice;
    line->choice.lines = w.lines;
    line->takes_indices = rw_fft_takes_indices(spec);
    line->divides = spec->divisor != NULL;
    line->lines = w.lines;
    line->multiplies = spec->middle == RW_FFT_ARRAY;
    line->pieces = pairs ? (spec->points / 2 + PAIRS) / PAIRS : RW_MAX(choice->cluster, 1);
    if (status != RW_OK) rw_fft_line_free(line);
    return status;
}

void rw_fft_line_free(rw_fft_line *line)
{
    rw_program_destroy(&line->program);
    rw_array_destroy(&line->factors);
}

rw_status rw_fft_line_run(const rw_fft_line *line, rw_array *x, const rw_fft_place *from, rw_array *y,
                          const rw_fft_place *to, rw_array *b, const rw_fft_place *at,
                          const int64_t lines[RW_FFT_LINE_AXES], const rw_fft_indices *indices, double scale,
                          rw_queue *q)
{
    enum { MOST_GROUPS = 65535 /* along the second and third axis of a launch, on GPUs */ };
    rw_arg args[32] = {rw_arg_memory(y), rw_arg_memory(x), rw_arg_array(line->factors)};
    int n = 3;
    if (line->divides) args[n++] = rw_arg_array(b);
    if (line->multiplies) {
        args[n++] = rw_arg_memory(b);
        n++;
        args[n++] = rw_arg_int(at->step);
        for (int d = 0; d < RW_FFT_LINE_AXES; ++d) args[n++] = rw_arg_int(at->line[d]);
    }
    for (int64_t z = 0; z < lines[2]; z += MOST_GROUPS)
        for (int64_t y_begin = 0; y_begin < lines[1]; y_begin += MOST_GROUPS) {
            const int64_t y_first = to->first + y_begin * to->line[1] + z * to->line[2],
                          x_first = from->first + y_begin * from->line[1] + z * from->line[2];
            const rw_arg rest[] = {rw_arg_int(y_first),
                                   rw_arg_int(x_first),
                                   rw_arg_int(to->step),
                                   rw_arg_int(from->step),
                                   rw_arg_int(lines[0]),
                                   rw_arg_int(to->line[0]),
                                   rw_arg_int(from->line[0]),
                                   rw_arg_int(y_begin),
                                   rw_arg_int(to->line[1]),
                                   rw_arg_int(from->line[1]),
                                   rw_arg_int(to->line[2]),
                                   rw_arg_int(from->line[2]),
                                   rw_arg_real(scale * line->gain)};
            const int64_t groups[] = {(lines[0] + line->lines - 1) / line->lines * line->pieces,
                                      RW_MIN(lines[1] - y_begin, MOST_GROUPS), RW_MIN(lines[2] - z, MOST_GROUPS)};
            if (line->multiplies) args[4] = rw_arg_int(at->first + y_begin * at->line[1] + z * at->line[2]);
            int count = n + RW_COUNT(rest);
            memcpy(args + n, rest, sizeof rest);
            if (line->takes_indices) args[count++] = rw_arg_int(indices->third + z);
            for (int i = 0; i < RW_FFT_FURTHER && line->takes_indices; ++i)
                args[count++] = rw_arg_int(indices->further[i]);
            RW_TRY(rw_launch(q, line->kernel, groups, args, count));
        }
    return RW_OK;
}
