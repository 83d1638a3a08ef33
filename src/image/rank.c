/* Texts of stages that order the values of a window: minimum, maximum, median. Values keep their type, so that lanes of
 * 8 bits stay lanes of 8 bits.
 *
 * Median of up to NETWORK values: of the first n/2 + 2 values neither the least nor the largest can be the median; both
 * are dropped, the next value joins, until one is left (forgetful selection). Larger windows: the median's bits one
 * after the other, by counting how many values lie below a bound.
 *
 * A window with NaN gives NaN. Comparisons do not do this: pipeline.c puts NaN where it belongs if there is any, and
 * the texts for columns.c test their values. */
#include "image/image.h"

#define ADD(...) rw_text_add(w->t, __VA_ARGS__)
enum { NETWORK = 49, BRANCHES = 9 }; /* largest windows by a network; by a network that compares reals */
enum { MEMBERS = 100 };              /* pixels of an element that processors compare without a loop at most */

/* a <- min, b <- max */
static void exchange(rw_image_writer *w, const char *type, int a, int b)
{
    ADD("                    { const %s a = m%d < m%d ? m%d : m%d; m%d = m%d < m%d ? m%d : m%d; m%d = a; }\n", type, a,
        b, a, b, b, a, b, b, a, a);
}

/* list[0] <- the least of n values, list[n - 1] <- the largest */
static void extremes(rw_image_writer *w, const char *type, const int *list, int n)
{
    for (int i = 0; i < n / 2; ++i) exchange(w, type, list[i], list[n - 1 - i]);
    for (int i = 1; i < (n + 1) / 2; ++i) exchange(w, type, list[0], list[i]);
    for (int i = n - 2; i >= n / 2; --i) exchange(w, type, list[i], list[n - 1]);
}

static const char *largest_of(rw_dtype t)
{
    return t == RW_U8 ? "255" : t == RW_U16 ? "65535" : t == RW_I16 ? "32767" : "RW_INF";
}

static bool is_real(rw_dtype t) { return t == RW_F32 || t == RW_F64; }

/* 3 x 3 in columns.c: the columns of three are sorted once; the median is that of the largest least, the middle middle
 * and the least largest of three columns. */
static void sort_columns(const rw_image_stage *s, rw_image_writer *w, int wide)
{
    const char *type = s->type == RW_F32 || s->type == RW_F64 ? rw_dtype_name(s->type) : "i32";
    const bool real = *type == 'f';
    ADD("#define LEAST(a, b) %s\n#define MOST(a, b) %s\n", real ? "fmin(a, b)" : "((a) < (b) ? (a) : (b))",
        real ? "fmax(a, b)" : "((a) < (b) ? (b) : (a))");
    if (real) ADD("                    int nan_[%d];\n", wide);
    ADD("                    %s low_[%d], mid_[%d], high_[%d];\n                    UNROLL\n"
        "                    for (int k = 0; k < %d; ++k) {\n",
        type, wide, wide, wide, wide);
    ADD("                        const %s a = LEAST(H(0, k), H(1, k)), b = MOST(H(0, k), H(1, k)), d = LEAST(b, H(2, "
        "k));\n"
        "                        high_[k] = MOST(b, H(2, k));\n                        low_[k] = LEAST(a, d);\n"
        "                        mid_[k] = MOST(a, d);\n",
        type);
    if (real)
        ADD("                        nan_[k] = H(0, k) != H(0, k) || H(1, k) != H(1, k) || H(2, k) != H(2, k);\n");
    ADD("                    }\n");
}

static void write_median9(const rw_image_stage *s, rw_image_writer *w)
{
    const char *type = s->type == RW_F32 || s->type == RW_F64 ? rw_dtype_name(s->type) : "i32";
    const int n = w->channels;
    ADD("                    const %s m0 = MOST(low_[c], MOST(low_[c + %d], low_[c + %d])), m2 = LEAST(high_[c], "
        "LEAST(high_[c + %d], high_[c + %d]));\n",
        type, n, 2 * n, n, 2 * n);
    ADD("                    const %s n0 = LEAST(mid_[c], mid_[c + %d]), n1 = MOST(mid_[c], mid_[c + %d]), m1 = "
        "MOST(n0, LEAST(n1, mid_[c + %d]));\n",
        type, n, n, 2 * n);
    ADD("                    const %s o0 = LEAST(m0, m1), o1 = MOST(m0, m1), o2 = MOST(o0, LEAST(o1, m2));\n", type);
    if (is_real(s->type))
        ADD("                    const %s v0 = nan_[c] || nan_[c + %d] || nan_[c + %d] ? (%s)(RW_INF - RW_INF) : o2;\n",
            type, n, 2 * n, type);
    else ADD("                    const %s v0 = o2;\n", type);
}

static void write_network(const rw_image_stage *s, rw_image_writer *w)
{
    if (w->columns && s->prepare) {
        write_median9(s, w);
        return;
    }
    /* Compilers make branches of comparisons of reals, and large windows have hundreds of them. */
    const bool keys = s->order && !w->shape->threads;
    const char *real = rw_dtype_name(s->type), *type = real;
    if (keys) type = s->type == RW_F32 ? "u32" : "u64";
    else if (w->columns && !is_real(s->type)) type = "i32";
    /* one that is larger than all keeps the rank n / 2 */
    const int n = s->size[0] * s->size[1], odd = n + (n % 2 == 0);
    int list[NETWORK], have = RW_MIN(odd / 2 + 2, odd), next = have;
    char value[64];
    for (int i = 0; i < odd; ++i)
        ADD(keys ? "                    %s m%d = key_%s(%s);\n" : "                    %s m%d = (%s)(%s);\n", type, i,
            keys ? real : type, i < n ? rw_image_pixel(w, value, i) : largest_of(s->type));
    const bool tests = w->columns && is_real(s->type);
    if (tests) {
        ADD("                    const int nan_ = 0");
        for (int i = 0; i < n; ++i) ADD(" | (m%d != m%d)", i, i);
        ADD(";\n");
    }
    for (int i = 0; i < have; ++i) list[i] = i;
    while (have > 1) {
        extremes(w, type, list, have);
        have -= 2;
        for (int i = 0; i < have; ++i) list[i] = list[i + 1];
        if (next < odd) list[have++] = next++;
    }
    if (tests) ADD("                    const %s v0 = nan_ ? (%s)(RW_INF - RW_INF) : m%d;\n", type, type, list[0]);
    else if (keys) ADD("                    const %s v0 = %s_key(m%d);\n", real, real, list[0]);
    else ADD("                    const %s v0 = m%d;\n", type, list[0]);
}

/* Types as integers in the same order. */
static const struct {
    rw_dtype dtype;
    const char *key, *back;
    int bits;
} orders[] = {
    {RW_U8, "%s", "(u8)%s", 8},
    {RW_U16, "%s", "(u16)%s", 16},
    {RW_I16, "(u16)((i32)%s + 32768)", "(i16)((i32)%s - 32768)", 16},
    {RW_F32, "%s", "f32_key(%s)", 32}, /* write_keys has been there */
    {RW_F64, "key_f64(%s)", "f64_key(%s)", 64},
};

/* ---- by bits: the largest key below which at most n / 2 values lie ----------------------------------------------- */

static int order_of(rw_dtype t)
{
    int o = 0;
    while (orders[o].dtype != t) ++o;
    return o;
}

static void begin_count(const rw_image_stage *s RW_UNUSED, rw_image_writer *w)
{
    char below[64];
    ADD("                    %s = 0;\n", rw_image_sum(w, below, 0));
}

static void count_pixel(const rw_image_stage *s, rw_image_writer *w)
{
    char below[64], found[64], value[64], key[96];
    const int o = order_of(s->type);
    rw_image_sum(w, below, 0);
    rw_image_sum(w, found, 1);
    rw_snprintf(key, sizeof key, orders[o].key, rw_image_term(w, value, 0));
    const char *type = rw_dtype_name(s->sum);
    ADD("                    %s = (%s)(%s + (%s < (%s)(%s | (%s)1 << bit) ? 1 : 0));\n", below, type, below, key, type,
        found, type);
}

static void begin_bits(const rw_image_stage *s RW_UNUSED, rw_image_writer *w)
{
    char found[64];
    ADD("                    %s = 0;\n", rw_image_sum(w, found, 1));
}

static void end_bit(const rw_image_stage *s, rw_image_writer *w)
{
    char below[64], found[64];
    rw_image_sum(w, below, 0);
    rw_image_sum(w, found, 1);
    const char *type = rw_dtype_name(s->sum);
    ADD("                    %s = (%s)(%s | (%s <= %d ? (%s)1 << bit : 0));\n", found, type, found, below,
        s->size[0] * s->size[1] / 2, type);
}

static void write_found(const rw_image_stage *s, rw_image_writer *w)
{
    char found[64], back[96];
    rw_snprintf(back, sizeof back, orders[order_of(s->type)].back, rw_image_sum(w, found, 1));
    ADD("                    const %s v0 = %s;\n", rw_dtype_name(s->type), back);
}

bool rw_image_needs_keys(rw_dtype type, int pixels) { return type == RW_F32 && pixels > NETWORK; }

void rw_image_write_keys(const rw_image_stage *s RW_UNUSED, rw_image_writer *w)
{
    char value[64];
    ADD("                    const u32 v0 = key_f32(%s);\n", rw_image_at(w, value, 0, 0, 0));
}

double rw_image_key(double value)
{
    const union {
        float value;
        uint32_t bits;
    } u = {.value = (float)value};
    return u.bits ^ (u.bits >> 31 ? 0xffffffffu : 0x80000000u);
}

void rw_image_set_median(rw_image_stage *s)
{
    const int n = s->size[0] * s->size[1], bits = orders[order_of(s->type)].bits;
    s->write = write_network;
    if (s->size[0] == 3 && s->size[1] == 3) s->prepare = sort_columns;
    s->order = n > NETWORK || (is_real(s->type) && n > BRANCHES);
    if (n <= NETWORK) return;
    s->sum = bits == 8 && n < 256 ? RW_U8 : bits < 32 ? RW_U16 : bits == 32 ? RW_U32 : RW_U64;
    s->sums = 2;
    s->bits = bits;
    s->write = write_found;
    s->first = begin_bits;
    s->begin = begin_count;
    s->term = count_pixel;
    s->end = end_bit;
}

/* ---- rectangles in columns.c ------------------------------------------------------------------------------------- */

/* Neighbouring windows share the values that all of them have. Four windows of seven values a … j:
 *
 *   a b c d e f g              what the first has before d:  abc, bc, c
 *     b c d e f g h            what all have:                defg
 *       c d e f g h i          what the last has after g:    h, hi, hij
 *         d e f g h i j
 *
 * so that n windows take size + 3 n - 5 comparisons, not n (size - 1). x_A_B is the extreme of values A to B. */

static const char *extreme_type(const rw_image_stage *s) { return is_real(s->type) ? rw_dtype_name(s->type) : "i32"; }

/* Values with names: `format` with first + step k. */
typedef struct {
    rw_image_writer *w;
    const char *type, *better, *format;
    int first, step;
} row_of_values;

static void name_range(const row_of_values *v, int from, int to, char name[32])
{
    if (from == to) rw_snprintf(name, 32, v->format, v->first + v->step * from);
    else snprintf(name, 32, "x_%d_%d", from, to);
}

/* x_from_to <- of x_from_k and x_(k + 1)_to */
static void join(const row_of_values *v, int from, int k, int to)
{
    rw_image_writer *w = v->w;
    char a[32], b[32];
    name_range(v, from, k, a);
    name_range(v, k + 1, to, b);
    ADD("                    const %s x_%d_%d = %s(%s, %s);\n", v->type, from, to, v->better, a, b);
}

/* x_from_k for all k > from, x_k_to for all k < to */
static void write_beginnings(const row_of_values *v, int from, int to)
{
    for (int k = from + 1; k <= to; ++k) join(v, from, k - 1, k);
}

static void write_ends(const row_of_values *v, int from, int to)
{
    for (int k = to - 1; k >= from; --k) join(v, k, k, to);
}

/* E(r, first_c + step k) <- the extreme of the k-th of n windows */
static void write_windows(const row_of_values *v, int n, int size, int first_c, int step)
{
    rw_image_writer *w = v->w;
    char core[32], part[32];
    const bool share = size >= n;
    if (share) {
        write_beginnings(v, n - 1, size - 1);
        write_ends(v, 0, n - 2);
        write_beginnings(v, size, size + n - 2);
    }
    for (int k = 0; k < n; ++k) {
        if (!share) write_beginnings(v, k, k + size - 1);
        name_range(v, share ? n - 1 : k, share ? size - 1 : k + size - 1, core);
        ADD("                    E(r, %d) = %s;\n", first_c + step * k, core);
        for (int after = 0; share && after < 2; ++after) {
            if (k == (after ? 0 : n - 1)) continue;
            name_range(v, after ? size : k, after ? size + k - 1 : n - 2, part);
            ADD("                    E(r, %d) = %s(%s, E(r, %d));\n", first_c + step * k, v->better, part,
                first_c + step * k);
        }
    }
}

/* For all elements c of an item: E(r, c) <- the extreme along the row H(0, …). */
static void write_row_extremes(const rw_image_stage *s, rw_image_writer *w)
{
    const int n = w->shape->columns, channels = w->channels;
    row_of_values v = {w, extreme_type(s), s->extreme.sign < 0 ? "MINIMUM" : "MAXIMUM", "H(0, %d)", 0, channels};
    for (int q = 0; q < channels && q < n; ++q) {
        v.first = (s->rx - s->low[0]) * channels + q;
        ADD("                    {\n");
        write_windows(&v, (n - q + channels - 1) / channels, s->size[0], q, channels);
        ADD("                    }\n");
    }
}

/* For an element c: E(r, c) <- the extreme of the window that ends with row r of the new ones, rows r - size + 1 … r.
 * What it has of earlier rows is SUMS(r); what a window has so far that ends later goes to SUMS(r - rows). */
static void write_column_extremes(const rw_image_stage *s, rw_image_writer *w)
{
    const int size = s->size[1], rows = RW_IMAGE_STEP_ROWS;
    const row_of_values v = {w, extreme_type(s), s->extreme.sign < 0 ? "MINIMUM" : "MAXIMUM", "row%d", 0, 1};
    char now[32], to[32];
    for (int k = 0; k < rows; ++k) ADD("                    const %s row%d = E(%d, c);\n", v.type, k, k);
    write_beginnings(&v, 0, rows - 1);
    write_ends(&v, 1, rows - 1);
    for (int k = 1; k + size < rows; ++k) write_beginnings(&v, k, k + size - 1); /* windows within the new rows */
    for (int k = 0; k < rows + size - 1; ++k) {
        name_range(&v, RW_MAX(0, k - size + 1), RW_MIN(k, rows - 1), now);
        rw_snprintf(to, sizeof to, k < rows ? "E(%d, c)" : "SUMS(%d)", k < rows ? k : k - rows);
        if (k < size - 1) ADD("                    %s = %s(%s, SUMS(%d));\n", to, v.better, now, k);
        else ADD("                    %s = %s;\n", to, now);
    }
}

bool rw_image_is_rectangle(const rw_image_stage *s)
{
    return s->write == write_row_extremes || s->write == write_column_extremes;
}

/* The stage with a window of nx x ny pixels, of which low[0] and low[1] lie before the pixel. */
rw_image_stage rw_image_rectangle_of(const rw_image_stage *like, int from, int nx, int ny, int low_x, int low_y)
{
    rw_image_stage s = *like;
    s.from = from;
    s.after = (rw_text){0};
    s.values = 1;
    s.size[0] = nx;
    s.size[1] = ny;
    s.low[0] = low_x;
    s.low[1] = low_y;
    s.rx = RW_MAX(low_x, nx - 1 - low_x);
    s.ry = RW_MAX(low_y, ny - 1 - low_y);
    s.extreme.element = RW_IMAGE_RECTANGLE;
    s.compute = is_real(s.type) ? s.type : RW_I32;
    s.write = ny > 1 ? write_column_extremes : write_row_extremes;
    s.prepare = NULL;
    return s;
}

/* ---- windows of extremes ----------------------------------------------------------------------------------------- */

/* Pixel i of the window belongs to the structuring element; 0: the first and the last pixel. */
static bool is_member(const rw_image_stage *s, int i)
{
    if (!s->extreme.element) return !i || i == s->size[0] * s->size[1] - 1;
    return rw_image_in_element(s->extreme.element, i % s->size[0], i / s->size[0], s->size);
}

void rw_image_write_extreme(const rw_image_stage *s, rw_image_writer *w)
{
    const int n = s->size[0] * s->size[1];
    const char *type = rw_dtype_name(s->type);
    bool first = true;
    char value[64];
    for (int i = 0; i < n; ++i) {
        if (!is_member(s, i)) continue;
        rw_image_pixel(w, value, i);
        if (first) ADD("                    %s v0 = %s;\n", type, value);
        else
            ADD("                    { const %s b = %s; v0 = b %c v0%s ? b : v0; }\n", type, value,
                s->extreme.sign < 0 ? '<' : '>', w->columns && is_real(s->type) ? " || b != b" : "");
        first = false;
    }
}

static void begin_extreme(const rw_image_stage *s, rw_image_writer *w)
{
    char sum[64];
    const bool least = s->extreme.sign < 0;
    ADD("                    %s = %s%s;\n", rw_image_sum(w, sum, 0), least || !is_real(s->type) ? "" : "-",
        least || is_real(s->type) ? largest_of(s->type)
        : s->type == RW_I16       ? "-32768"
                                  : "0");
}

static void join_extreme(const rw_image_stage *s, rw_image_writer *w, const char *weight RW_UNUSED, const char *a,
                         const char *b RW_UNUSED)
{
    ADD("                    { const %s b = %s; sum = b %c sum ? b : sum; }\n", rw_dtype_name(s->type), a,
        s->extreme.sign < 0 ? '<' : '>');
}

static void close_extreme(const rw_image_stage *s, rw_image_writer *w)
{
    ADD("                    const %s v0 = sum;\n", rw_dtype_name(s->type));
}

void rw_image_set_element(rw_image_stage *s, int sign, rw_image_element element)
{
    s->extreme.sign = sign;
    s->extreme.element = element;
    for (int i = 0; i < s->size[0] * s->size[1]; ++i) s->terms += is_member(s, i);
    s->few = MEMBERS;
    s->has = is_member;
    s->sum = s->type;
    s->begin = begin_extreme;
    s->join = join_extreme;
    s->close = close_extreme;
}
