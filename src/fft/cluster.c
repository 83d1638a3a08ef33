#include "fft/cluster.h"

#include "codelet/codelet.h"

#define ADD(...) rw_text_add(w->t->t, __VA_ARGS__)
typedef long long big;

/* A half of the transform, on the group's share: `columns` lines of n points, side by side in the buffer. */
typedef struct half {
    bool second;
    int n, columns;
    int row, column; /* from one point, and one column, to the next in the buffer */
    int stages, radix[RW_FFT_STAGES];
} half;

typedef struct writer {
    rw_fft_text *t;
    const rw_fft_cluster *c;
    half half[2];
} writer;

enum { POINTS = 16 /* of an item */, SECTOR = 32 /* bytes that memory is read by */ };

static int share(int n, const rw_fft_cluster *c) { return n / c->groups; }

/* Lines of the shape that make a cluster of this number of groups; 0: none do. */
static int lines_of(const rw_fft_line_spec *s, int groups)
{
    const int element = s->f64 ? 16 : 8, most = (s->f64 ? 4096 : 8192) * groups,
              least = (s->f64 ? 1024 : 2048) * groups;
    int lines = s->x.unit && s->y.unit ? 1 : s->x.lines_fast && s->y.lines_fast ? 4 * SECTOR / element : 0;
    if (lines > 1 && s->stages * lines > most) lines /= 2;
    if (lines == 1 && !s->f64 && s->stages > most / 2) return 0; /* two passes are faster */
    return s->stages * lines <= most && s->stages * lines >= least ? lines : 0;
}

static bool is_plain(const rw_fft_line_spec *s)
{
    return s->method == RW_FFT_STOCKHAM && s->middle == RW_FFT_NONE && !s->twist && !s->x.apart && !s->y.apart &&
           s->stages == s->whole && !rw_fft_untangles(s) && s->stages > 1 && !(s->stages & (s->stages - 1));
}

/* Small groups where there are enough, else few. */
static int likely_groups(const rw_device *dev, const rw_fft_line_spec *s)
{
    int groups = 0;
    for (int g = dev->target.cluster; g >= 4; g /= 2) {
        const int64_t points = s->stages * lines_of(s, g) / g;
        if (points > 0 && points <= (s->f64 ? 2048 : 4096)) return g;
        if (points > 0) groups = g;
    }
    return groups;
}

rw_fft_cluster rw_fft_cluster_of(const rw_device *dev, const rw_fft_line_spec *s, int groups)
{
    enum { MOST_FIRST = 13 };
    rw_fft_cluster c = {0};
    if (!dev->target.cluster || rw_fft_is_limited() || !is_plain(s)) return c;
    if (!groups) groups = likely_groups(dev, s);
    c.groups = groups;
    c.lines = groups > 0 && groups <= dev->target.cluster ? lines_of(s, groups) : 0;
    int bits = 0;
    while ((int64_t)1 << bits < s->stages) ++bits;
    c.b = 1 << (bits <= MOST_FIRST ? 4 : bits - bits / 2);
    c.a = (int)(s->stages / c.b); /* one stage after the exchange, or as many as before it */
    if (!c.lines || c.a < c.groups || c.b < c.groups) return (rw_fft_cluster){0};
    c.group = (int)(s->stages * c.lines / groups / POINTS);
    const int64_t first = (int64_t)c.a * share(c.b, &c) * c.lines,
                  second = (int64_t)share(c.a, &c) * c.lines * c.b + (c.lines == 1 ? share(c.a, &c) : 0);
    c.bytes = RW_MAX(first, second) * (s->f64 ? 16 : 8);
    return c.bytes <= dev->info.shared_memory ? c : (rw_fft_cluster){0};
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static int codelets(int r) { return POINTS / r; }

/* Codelet q of item i: column m of the group's share, number j of the stage; l: the line, c: the column or row of the
 * matrix. */
static void open_codelet(writer *w, const half *h, int s, int p, int q)
{
    const int r = h->radix[s];
    ADD("            {\n            const int g = i + %d, m = g %% %d, j = g / %d, b = j %% %d, from = j, to = j / %d "
        "* %d + b;\n",
        q * w->c->group, h->columns, h->columns, p, p, p * r);
    ADD("            const int l = m %% %d, c = rank * %d + m / %d;\n", w->c->lines,
        share(h->second ? w->c->a : w->c->b, w->c), w->c->lines);
    rw_codelet_variables(w->t->t, w->t->real, r);
}

/* Points from the array or the buffer, times their factors. */
static void read_points(writer *w, const half *h, int s, int64_t factors, int p)
{
    const int r = h->radix[s], each = h->n / r;
    if (!h->second && s == 0) {
        for (int k = 0; k < r; ++k)
            ADD("            re%d = 0; im%d = 0; if (l < lines) INPUT(re%d, im%d, (from + %d) * %d + c)\n", k, k, k, k,
                k * each, w->c->b);
        return;
    }
    for (int k = 0; k < r; ++k)
        ADD("            { const %s v = large[(from + %d) * %d + m * %d]; re%d = v.re; im%d = v.im; }\n", w->t->complex,
            k * each, h->row, h->column, k, k);
    if (p > 1) rw_fft_write_factors(w->t, r, p, factors);
}

/* Results of the last stage of the first half, times w(row c / n): the product of what all results of the codelet
 * share, and what all codelets of the column share. */
static void twist(writer *w, int r, int64_t of_codelet, int64_t of_result)
{
    const char *real = w->t->real, *complex = w->t->complex;
    ADD("            const %s t = LOAD((GLOBAL const %s *)(factor + %lld) + j * %d + c);\n", complex, complex,
        (big)of_codelet, w->c->b);
    for (int k = 0; k < r; ++k) {
        if (k)
            ADD("            { const %s u = LOAD((GLOBAL const %s *)(factor + %lld) + %d + c); ", complex, complex,
                (big)of_result, k * w->c->b);
        if (k)
            ADD("const %s fr = FMA(t.re, u.re, -t.im * u.im), fi = FMA(t.re, u.im, t.im * u.re), a = re%d; ", real, k);
        else ADD("            { const %s fr = t.re, fi = t.im, a = re0; ", real);
        ADD("re%d = FMA(a, fr, -im%d * fi); im%d = FMA(a, fi, im%d * fr); }\n", k, k, k, k);
    }
}

/* … to the groups that have their rows. */
static void send(writer *w, int r, int p)
{
    const half *const there = w->half + 1;
    const int rows = share(w->c->a, w->c);
    for (int k = 0; k < r; ++k) {
        ADD("            { %s v; v.re = re%d; v.im = im%d; const int row = to + %d;\n", w->t->complex, k, k, k * p);
        ADD("            STORE_PEER(large, row / %d, c * %d + (row %% %d * %d + l) * %d, v); }\n", rows, there->row,
            rows, w->c->lines, there->column);
    }
}

static void open_items(writer *w) { ADD("    EACH(i, GROUP)\n    {\n"); }
static void close_items(writer *w) { ADD("    }\n"); }

static void add_stage(writer *w, const half *h, int s, int p, bool inverse)
{
    const int r = h->radix[s], last = s == h->stages - 1;
    const int64_t factors = p > 1 ? rw_fft_table_bases(&w->t->table, p, r, inverse) : 0;
    const bool first_of_all = !h->second && s == 0, last_of_all = h->second && last, sends = !h->second && last;
    const int64_t n = (int64_t)w->c->a * w->c->b;
    const int64_t of_codelet = sends ? rw_fft_table_grid(&w->t->table, p, 1, w->c->b, n, inverse) : 0,
                  of_result = sends ? rw_fft_table_grid(&w->t->table, r, p, w->c->b, n, inverse) : 0;
    const bool keeps = sends || (!first_of_all && !last_of_all);
    open_items(w);
    for (int q = 0; q < codelets(r); ++q) {
        open_codelet(w, h, s, p, q);
        read_points(w, h, s, factors, p);
        if (keeps) {
            rw_fft_write_keep(w->t, q, r);
        } else {
            rw_codelet_dft(w->t->t, w->t->real, r, inverse, NULL);
            for (int k = 0; k < r; ++k) {
                if (last_of_all)
                    ADD("            if (l < lines) OUTPUT(re%d, im%d, (to + %d) * %d + c)\n", k, k, k * p, w->c->a);
                else
                    ADD("            { %s v; v.re = re%d; v.im = im%d; large[(to + %d) * %d + m * %d] = v; }\n",
                        w->t->complex, k, k, k * p, h->row, h->column);
            }
        }
        ADD("            }\n");
    }
    close_items(w);
    if (last_of_all) return;
    ADD(sends ? "    CLUSTER_ARRIVE;\n" : "    BARRIER;\n");
    if (!keeps) return;
    open_items(w);
    for (int q = 0; q < codelets(r); ++q) {
        open_codelet(w, h, s, p, q);
        rw_fft_write_take(w->t, q, r);
        rw_codelet_dft(w->t->t, w->t->real, r, inverse, NULL);
        if (sends) {
            twist(w, r, of_codelet, of_result);
            rw_fft_write_keep(w->t, q, r);
        } else
            for (int k = 0; k < r; ++k)
                ADD("            { %s v; v.re = re%d; v.im = im%d; large[(to + %d) * %d + m * %d] = v; }\n",
                    w->t->complex, k, k, k * p, h->row, h->column);
        ADD("            }\n");
    }
    close_items(w);
    if (!sends) {
        ADD("    BARRIER;\n");
        return;
    }
    ADD("    CLUSTER_WAIT;\n");
    open_items(w);
    for (int q = 0; q < codelets(r); ++q) {
        open_codelet(w, h, s, p, q);
        rw_fft_write_take(w->t, q, r);
        send(w, r, p);
        ADD("            }\n");
    }
    close_items(w);
    ADD("    CLUSTER_ARRIVE;\n    CLUSTER_WAIT;\n");
}

void rw_fft_cluster_write(rw_fft_text *t, const rw_fft_cluster *c)
{
    writer all = {.t = t, .c = c}, *w = &all;
    const int first = share(c->b, c) * c->lines, second = share(c->a, c) * c->lines;
    w->half[0] = (half){.n = c->a, .columns = first, .row = first, .column = 1};
    w->half[1] = (half){.second = true, .n = c->b, .columns = second, .row = second, .column = 1};
    if (c->lines == 1) {
        w->half[1].row = 1;
        w->half[1].column =
            c->b + 1; /* what is sent lies side by side, and columns begin in banks that follow each other */
    }
    ADD("#define LINE (first + l)\n");
    rw_fft_write_ends(t);
    rw_fft_write_head(t);
    ADD("    SHARED_LARGE(%s, large);\n    PRIVATE_N(%s, re, %d);\n    PRIVATE_N(%s, im, %d);\n", t->complex, t->real,
        POINTS, t->real, POINTS);
    ADD("    const int rank = GROUP_ID(0) %% %d;\n    const long first = (long)(GROUP_ID(0) / %d) * %d;\n", c->groups,
        c->groups, c->lines);
    ADD("    const int lines = (int)(n0 - first < %d ? n0 - first : %d);\n", c->lines, c->lines);
    rw_fft_write_places(t);
    for (int i = 0; i < 2; ++i) {
        half *const h = w->half + i;
        h->stages = rw_fft_factors(h->n, POINTS, h->radix);
        for (int s = 0, p = 1; s < h->stages; p *= h->radix[s++]) add_stage(w, h, s, p, t->spec->forth_inverse);
    }
    ADD("}\n");
}
