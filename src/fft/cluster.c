#include "fft/cluster.h"

#include "codelet/codelet.h"

#define ADD(...) rw_text_add(w->t->t, __VA_ARGS__)
typedef long long big;

/* A half of the transform, on the group's share: `columns` lines of n points, side by side in the buffer. */
typedef struct half {
    bool second;
    int n, columns, row; /* row: from one point to the next in the buffer */
    int stages, radix[RW_FFT_STAGES];
} half;

typedef struct writer {
    rw_fft_text *t;
    const rw_fft_cluster *c;
    half half[2];
} writer;

enum { POINTS = 16 /* of an item */, SECTOR = 32 /* bytes that memory is read by */ };

static int share(int n, const rw_fft_cluster *c) { return n / c->groups; }
/* A column more in the buffer of the second half: what single lines send would meet in one bank. */
static int row_of(const rw_fft_cluster *c) { return share(c->a, c) * c->lines + (c->lines == 1); }

rw_fft_cluster rw_fft_cluster_of(const rw_device *dev, const rw_fft_line_spec *s)
{
    enum { LEAST_SHARE = 4 };
    const int groups = dev->target.cluster, items = s->f64 ? 256 : 512, element = s->f64 ? 16 : 8;
    const int64_t together = (int64_t)groups * items * POINTS, lines = s->stages > 0 ? together / s->stages : 0;
    rw_fft_cluster c = {0};
    const bool plain = s->method == RW_FFT_STOCKHAM && s->middle == RW_FFT_NONE && !s->twist && !s->x.apart && !s->y.apart && s->stages == s->whole && !rw_fft_untangles(s);
    const bool rows = lines == 1 && s->x.unit && s->y.unit, strips = s->x.lines_fast && s->y.lines_fast && lines * element >= 2 * SECTOR && lines <= 64;
    if (!groups || rw_fft_is_limited() || !plain || s->stages & (s->stages - 1) || !(rows || strips)) return c;
    int bits = 0;
    while ((int64_t)1 << bits < s->stages) ++bits;
    c = (rw_fft_cluster){groups, 1 << bits / 2, 1 << (bits - bits / 2), (int)lines, items, POINTS, 0};
    c.bytes = (int64_t)element * RW_MAX((int64_t)c.a * share(c.b, &c) * c.lines, (int64_t)c.b * row_of(&c));
    if (share(c.a, &c) < LEAST_SHARE || c.bytes > dev->info.shared_memory) return (rw_fft_cluster){0};
    return c;
}

/* ---- text ------------------------------------------------------------------------------------------------------------------------ */

static int codelets(const writer *w, int r) { return w->c->points / r; }

/* Codelet q of item i: column m of the group's share, number j of the stage; l: the line, c: the column or row of the matrix. */
static void open_codelet(writer *w, const half *h, int s, int p, int q)
{
    const int r = h->radix[s];
    ADD("            {\n            const int g = i + %d, m = g %% %d, j = g / %d, b = j %% %d, from = j, to = j / %d * %d + b;\n", q * w->c->group, h->columns, h->columns, p, p, p * r);
    ADD("            const int l = m %% %d, c = rank * %d + m / %d;\n", w->c->lines, share(h->second ? w->c->a : w->c->b, w->c), w->c->lines);
    rw_codelet_variables(w->t->t, w->t->real, r);
}

static void keep(writer *w, int q, int r)
{
    for (int k = 0; k < r; ++k) ADD("            AT_N(re, %d, i) = re%d; AT_N(im, %d, i) = im%d;\n", q * r + k, k, q * r + k, k);
}

static void take(writer *w, int q, int r)
{
    for (int k = 0; k < r; ++k) ADD("            re%d = AT_N(re, %d, i); im%d = AT_N(im, %d, i);\n", k, q * r + k, k, q * r + k);
}

/* Points from the array or the buffer, times their factors. */
static void read_points(writer *w, const half *h, int s, int64_t factors, int p)
{
    const int r = h->radix[s], each = h->n / r;
    if (!h->second && s == 0) {
        for (int k = 0; k < r; ++k) ADD("            re%d = 0; im%d = 0; if (l < lines) INPUT(re%d, im%d, (from + %d) * %d + c)\n", k, k, k, k, k * each, w->c->b);
        return;
    }
    for (int k = 0; k < r; ++k) ADD("            { const %s v = large[(from + %d) * %d + m]; re%d = v.re; im%d = v.im; }\n", w->t->complex, k * each, h->row, k, k);
    if (p > 1) rw_fft_write_factors(w->t, r, p, factors);
}

/* Results of the last stage of the first half, times w(k c / n), to the groups that have their rows. */
static void send(writer *w, int r, int p, int64_t of_codelet, int64_t of_result)
{
    const int rows = share(w->c->a, w->c), to = row_of(w->c);
    ADD("            { const %s t = LOAD((GLOBAL const %s *)(factor + %lld) + j * %d + c);\n", w->t->complex, w->t->complex, (big)of_codelet, w->c->b);
    for (int k = 0; k < r; ++k) {
        ADD("            { const %s u = LOAD((GLOBAL const %s *)(factor + %lld) + %d + c); const %s fr = FMA(t.re, u.re, -t.im * u.im), fi = FMA(t.re, u.im, t.im * u.re);\n", w->t->complex,
            w->t->complex, (big)of_result, k * w->c->b, w->t->real);
        ADD("            %s v; v.re = FMA(re%d, fr, -im%d * fi); v.im = FMA(re%d, fi, im%d * fr); const int row = to + %d;\n", w->t->complex, k, k, k, k, k * p);
        ADD("            PEER(large, row / %d)[c * %d + row %% %d * %d + l] = v; }\n", rows, to, rows, w->c->lines);
    }
    ADD("            }\n");
}

static void open_items(writer *w) { ADD("    EACH(i, GROUP)\n    {\n"); }
static void close_items(writer *w) { ADD("    }\n"); }

static void add_stage(writer *w, const half *h, int s, int p, bool inverse)
{
    const int r = h->radix[s], last = s == h->stages - 1;
    const int64_t factors = p > 1 ? rw_fft_table_bases(&w->t->table, p, r, inverse) : 0;
    const bool first_of_all = !h->second && s == 0, last_of_all = h->second && last, sends = !h->second && last;
    const int64_t n = (int64_t)w->c->a * w->c->b;
    const int64_t of_codelet = sends ? rw_fft_table_grid(&w->t->table, p, 1, w->c->b, n, inverse) : 0, of_result = sends ? rw_fft_table_grid(&w->t->table, r, p, w->c->b, n, inverse) : 0;
    const bool keeps = sends || (!first_of_all && !last_of_all);
    open_items(w);
    for (int q = 0; q < codelets(w, r); ++q) {
        open_codelet(w, h, s, p, q);
        read_points(w, h, s, factors, p);
        if (keeps) {
            keep(w, q, r);
        } else {
            rw_codelet_dft(w->t->t, w->t->real, r, inverse, NULL);
            for (int k = 0; k < r; ++k) {
                if (last_of_all) ADD("            if (l < lines) OUTPUT(re%d, im%d, (to + %d) * %d + c)\n", k, k, k * p, w->c->a);
                else ADD("            { %s v; v.re = re%d; v.im = im%d; large[(to + %d) * %d + m] = v; }\n", w->t->complex, k, k, k * p, h->row);
            }
        }
        ADD("            }\n");
    }
    close_items(w);
    if (last_of_all) return;
    ADD(sends ? "    CLUSTER_BARRIER;\n" : "    BARRIER;\n");
    if (!keeps) return;
    open_items(w);
    for (int q = 0; q < codelets(w, r); ++q) {
        open_codelet(w, h, s, p, q);
        take(w, q, r);
        rw_codelet_dft(w->t->t, w->t->real, r, inverse, NULL);
        if (sends) send(w, r, p, of_codelet, of_result);
        else
            for (int k = 0; k < r; ++k) ADD("            { %s v; v.re = re%d; v.im = im%d; large[(to + %d) * %d + m] = v; }\n", w->t->complex, k, k, k * p, h->row);
        ADD("            }\n");
    }
    close_items(w);
    ADD(sends ? "    CLUSTER_BARRIER;\n" : "    BARRIER;\n");
}

void rw_fft_cluster_write(rw_fft_text *t, const rw_fft_cluster *c)
{
    writer all = {.t = t, .c = c}, *w = &all;
    w->half[0] = (half){.n = c->a, .columns = share(c->b, c) * c->lines, .row = share(c->b, c) * c->lines};
    w->half[1] = (half){.second = true, .n = c->b, .columns = share(c->a, c) * c->lines, .row = row_of(c)};
    ADD("#define LINE (first + l)\n");
    rw_fft_write_ends(t);
    rw_fft_write_head(t);
    ADD("    SHARED_LARGE(%s, large);\n    PRIVATE_N(%s, re, %d);\n    PRIVATE_N(%s, im, %d);\n", t->complex, t->real, c->points, t->real, c->points);
    ADD("    const int rank = GROUP_ID(0) %% %d;\n    const long first = (long)(GROUP_ID(0) / %d) * %d;\n", c->groups, c->groups, c->lines);
    ADD("    const int lines = (int)(n0 - first < %d ? n0 - first : %d);\n", c->lines, c->lines);
    rw_fft_write_places(t);
    for (int i = 0; i < 2; ++i) {
        half *const h = w->half + i;
        h->stages = rw_fft_factors(h->n, POINTS, h->radix);
        for (int s = 0, p = 1; s < h->stages; p *= h->radix[s++]) add_stage(w, h, s, p, t->spec->forth_inverse);
    }
    ADD("}\n");
}
