#include "fft/ends.h"

#include <string.h>

#define ADD(...) rw_text_add(w->t, __VA_ARGS__)
typedef long long big;

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

bool rw_fft_kind_is_inverse(rw_fft_kind k) { return k == RW_FFT_DCT3 || k == RW_FFT_DST3; }
static bool is_quarter(rw_fft_kind k) { return k == RW_FFT_DCT4 || k == RW_FFT_DST4; }

rw_fft_form rw_fft_form_of(rw_fft_kind kind, bool inverse)
{
    if (kind == RW_FFT_COMPLEX || is_quarter(kind)) return RW_FFT_FORM_COMPLEX;
    return rw_fft_kind_is_inverse(kind) || (kind == RW_FFT_REAL && inverse) ? RW_FFT_FORM_WHOLE : RW_FFT_FORM_HALVES;
}

rw_fft_kind rw_fft_kind_back(rw_fft_kind kind)
{
    return kind == RW_FFT_DCT2   ? RW_FFT_DCT3
           : kind == RW_FFT_DCT3 ? RW_FFT_DCT2
           : kind == RW_FFT_DST2 ? RW_FFT_DST3
           : kind == RW_FFT_DST3 ? RW_FFT_DST2
                                 : kind;
}

rw_fft_kind rw_fft_kind_of_y(const rw_fft_line_spec *s)
{
    return s->middle == RW_FFT_DIVIDE ? rw_fft_kind_back(s->kind) : s->kind;
}

rw_fft_form rw_fft_form_of_y(const rw_fft_line_spec *s)
{
    const rw_fft_form form = rw_fft_form_of(s->kind, s->inverse);
    if (s->middle != RW_FFT_DIVIDE || form == RW_FFT_FORM_COMPLEX) return form;
    return form == RW_FFT_FORM_HALVES ? RW_FFT_FORM_WHOLE : RW_FFT_FORM_HALVES;
}

int64_t rw_fft_real_length(rw_fft_kind kind, int64_t n)
{
    return kind == RW_FFT_DCT1 ? 2 * (n - 1) : kind == RW_FFT_DST1 ? 2 * (n + 1) : n;
}

double rw_fft_round_trip(rw_fft_kind kind, int64_t n)
{
    return (kind == RW_FFT_COMPLEX || kind == RW_FFT_REAL ? 1 : 2) * (double)(kind == RW_FFT_DCT1   ? n - 1
                                                                              : kind == RW_FFT_DST1 ? n + 1
                                                                                                    : n);
}

int64_t rw_fft_points(rw_fft_kind kind, int64_t n)
{
    if (kind == RW_FFT_COMPLEX) return n;
    if (is_quarter(kind)) return n % 2 ? 2 * n : n / 2;
    const int64_t real = rw_fft_real_length(kind, n);
    return real % 2 ? real : real / 2;
}

bool rw_fft_is_real(rw_fft_kind kind, bool inverse, bool y)
{
    return kind == RW_FFT_REAL ? inverse == y : kind != RW_FFT_COMPLEX;
}

bool rw_fft_untangles(const rw_fft_line_spec *s)
{
    return s->y.level == RW_FFT_USER && rw_fft_form_of_y(s) == RW_FFT_FORM_HALVES &&
           rw_fft_real_length(s->kind, s->n) % 2 == 0;
}

bool rw_fft_scatters(const rw_fft_line_spec *s, bool y)
{
    const rw_fft_end *const e = y ? &s->y : &s->x;
    const rw_fft_kind kind = y ? rw_fft_kind_of_y(s) : s->kind;
    const bool one_pass = s->method == RW_FFT_STOCKHAM && s->stages == s->points && s->points > 1;
    return one_pass && e->level == RW_FFT_USER && e->unit && !e->lines_fast &&
           (y ? rw_fft_kind_is_inverse(kind) : kind == RW_FFT_DCT2 || kind == RW_FFT_DST2);
}

static double gain_of(rw_fft_kind kind, rw_fft_form form, int64_t n)
{
    if (kind == RW_FFT_COMPLEX || form == RW_FFT_FORM_WHOLE) return 1;
    if (is_quarter(kind)) return 2;
    const double halves = rw_fft_real_length(kind, n) % 2 ? 1 : 0.5;
    return kind == RW_FFT_DCT2 || kind == RW_FFT_DST2 ? 2 * halves : halves;
}

double rw_fft_gain(const rw_fft_line_spec *s)
{
    if (s->y.level != RW_FFT_USER) return 1;
    const double gain = gain_of(rw_fft_kind_of_y(s), rw_fft_form_of_y(s), s->n);
    return s->middle == RW_FFT_DIVIDE ? gain * gain_of(s->kind, rw_fft_form_of(s->kind, s->inverse), s->n) : gain;
}

/* ---- elements of arrays ------------------------------------------------------------------------------------------ */

static bool is_small(rw_dtype t) { return t == RW_F16 || t == RW_BF16; }
static bool end_is_real(const rw_fft_text *w, bool y)
{
    const rw_fft_end *e = y ? &w->spec->y : &w->spec->x;
    return e->level == RW_FFT_USER && e->real;
}

const char *rw_fft_element(const rw_fft_end *end, bool real)
{
    if (is_small(end->dtype)) return rw_dtype_name(end->dtype);
    const bool f64 = end->dtype == RW_F64 || end->dtype == RW_C128;
    return real ? f64 ? "f64" : "f32" : f64 ? "c128" : "c64";
}

/* Numbers that an array of the end holds of a line, all told. */
static int64_t elements(const rw_fft_line_spec *s, bool y)
{
    const rw_fft_level level = y ? s->y.level : s->x.level;
    if (level != RW_FFT_USER) return level == RW_FFT_INSIDE ? s->stages : s->points;
    return s->kind == RW_FFT_REAL && !(y ? s->y.real : s->x.real) ? s->n / 2 + 1 : s->n;
}

/* AT_X(J): where element J of line l lies. */
static void write_place(rw_fft_text *w, bool y)
{
    const rw_fft_end *e = y ? &w->spec->y : &w->spec->x;
    const char *name = y ? "y" : "x";
    char step[16] = "", line[24] = "";
    if (!e->unit) snprintf(step, sizeof step, " * %s_step", name);
    const bool counted = e->apart && !w->spec->second; /* the line is in the element's number */
    if (!counted) snprintf(line, sizeof line, e->line_unit ? " + l" : " + l * %s_line", name);
    if (!y && e->period)
        ADD("#define AT_X(J) (xb%s + ((J) + %lld) %% %lld%s)\n", line, (big)e->ahead, (big)e->period, step);
    else ADD("#define AT_%s(J) (%sb%s + (J)%s)\n", y ? "Y" : "X", name, line, step);
}

const char *rw_fft_index(const rw_fft_line_spec *s, int d, char text[32])
{
    static const char *const places[] = {"first + l", "begin_1 + GROUP_ID(1)", "begin_2 + GROUP_ID(2)"};
    const int at = s->index_of[d];
    if (at == RW_FFT_SINGLE) return "0";
    if (at == RW_FFT_ALONG) return "(J)";
    if (at < RW_FFT_LINE_AXES) return places[at];
    snprintf(text, 32, "further_%d", at - RW_FFT_LINE_AXES);
    return text;
}

/* INVERSE(Q, J): declares Q, 1 over the divisor of element J of line l; 0 where the divisor is 0. */
static void write_divisor(rw_fft_text *w)
{
    const rw_fft_divisor *const divisor = w->spec->divisor;
    char text[32];
    ADD("#define INVERSE(Q, J) const %s d##Q = 0", w->real);
    for (int d = RW_MAX_NDIM - 1; d >= 0; --d)
        if (divisor->axes & 1u << d)
            ADD(" + divisor[%lld + %s]", (big)divisor->first[d], rw_fft_index(w->spec, d, text));
    ADD(", Q = d##Q == 0 ? 0 : 1 / d##Q;\n");
}

/* What a formula makes of an element of line l: NAME(V, J) or NAME(RE, IM, J). */
static void write_formula(rw_fft_text *w, const rw_fft_formula *f, const char *name, const char *function, bool real)
{
    char text[32];
    ADD("%s#define %s(%s, J) { ", f->text, name, real ? "V" : "RE, IM");
    if (real) ADD("V = %s(V", function);
    else ADD("complex u_; u_.re = RE; u_.im = IM; u_ = %s(u_", function);
    for (int d = 0; d < RW_MAX_NDIM; ++d) {
        if (f->axes & 1u << d) ADD(", (real)(%s)", rw_fft_index(w->spec, d, text));
    }
    ADD(real ? "); }\n" : "); RE = u_.re; IM = u_.im; }\n");
}

/* GET(V, J) of real, GET(RE, IM, J) of complex elements. */
static void write_get(rw_fft_text *w)
{
    const rw_fft_end *e = &w->spec->x;
    const bool real = end_is_real(w, false),
               short_line = e->level == RW_FFT_USER && e->exist < elements(w->spec, false);
    const char *small = is_small(e->dtype) ? rw_dtype_name(e->dtype) : NULL;
    write_place(w, false);
    if (w->spec->load) write_formula(w, w->spec->load, "LOADED", "loaded", real);
    ADD(w->ordered_x ? "#define GET_X(V, J) { " : real ? "#define GET(V, J) { " : "#define GET(RE, IM, J) { ");
    if (short_line) ADD("if ((J) < %lld) { ", (big)e->exist);
    if (real && small) ADD("V = f32_from_%s(x[AT_X(J)]);", small);
    else if (real) ADD("V = (%s)x[AT_X(J)];", w->real);
    else if (small) ADD("RE = f32_from_%s(x[2 * AT_X(J)]); IM = f32_from_%s(x[2 * AT_X(J) + 1]);", small, small);
    else
        ADD("const %s c_ = LOAD(x + AT_X(J)); RE = (%s)c_.re; IM = (%s)c_.im;", rw_fft_element(e, false), w->real,
            w->real);
    if (w->spec->load) ADD(real ? " LOADED(V, J)" : " LOADED(RE, IM, J)");
    if (short_line) ADD(real ? " } else V = 0;" : " } else { RE = 0; IM = 0; }");
    ADD(" }\n");
}

static void write_put(rw_fft_text *w)
{
    const rw_fft_end *e = &w->spec->y;
    const bool real = end_is_real(w, true), short_line = e->level == RW_FFT_USER && e->exist < elements(w->spec, true);
    const char *small = is_small(e->dtype) ? rw_dtype_name(e->dtype) : NULL, *element = rw_fft_element(e, real);
    const char *value = "scale * (V)", *re = "scale * (RE)", *im = "scale * (IM)";
    const bool divides = w->spec->divisor && w->spec->middle != RW_FFT_DIVIDE;
    const char *part = e->dtype == RW_F64 || e->dtype == RW_C128 ? "f64" : "f32";
    write_place(w, true);
    if (w->spec->store) write_formula(w, w->spec->store, "STORED", "stored", real);
    ADD(w->ordered_y ? "#define PUT_Y(V, J) { " : real ? "#define PUT(V, J) { " : "#define PUT(RE, IM, J) { ");
    if (short_line) ADD("if ((J) < %lld) { ", (big)e->exist);
    if (divides) {
        ADD("INVERSE(q_, J) ");
        value = "scale * (V) * q_";
    } else if (w->spec->store && real) {
        ADD("real w_ = scale * (V); STORED(w_, J) ");
        value = "w_";
    } else if (w->spec->store) {
        ADD("real wr_ = scale * (RE), wi_ = scale * (IM); STORED(wr_, wi_, J) ");
        re = "wr_";
        im = "wi_";
    }
    if (real && small) ADD("y[AT_Y(J)] = %s_from_f32(%s);", small, value);
    else if (real) ADD("y[AT_Y(J)] = (%s)(%s);", part, value);
    else if (small)
        ADD("y[2 * AT_Y(J)] = %s_from_f32(%s); y[2 * AT_Y(J) + 1] = %s_from_f32(%s);", small, re, small, im);
    else ADD("%s c_; c_.re = (%s)(%s); c_.im = (%s)(%s); y[AT_Y(J)] = c_;", element, part, re, part, im);
    if (short_line) ADD(" }");
    ADD(" }\n");
}

/* ---- the kernel's arguments, factors ----------------------------------------------------------------------------- */

void rw_fft_write_head(rw_fft_text *w)
{
    const rw_fft_line_spec *s = w->spec;
    ADD("KERNEL(transform, GLOBAL %s *y, GLOBAL const %s *x, GLOBAL const %s *factor, ",
        rw_fft_element(&s->y, end_is_real(w, true)), rw_fft_element(&s->x, end_is_real(w, false)), w->real);
    if (s->middle == RW_FFT_ARRAY)
        ADD("GLOBAL const %s *b_array, long b_first, long b_step, long b_line, long b_1, long b_2, ", w->complex);
    if (s->divisor) ADD("GLOBAL const %s *divisor, ", w->real);
    ADD("long y_first, long x_first, long y_step, long x_step, long n0, long y_line, long x_line,\n"
        "       int begin_1, long y_1, long x_1, long y_2, long x_2, %s scale",
        w->real);
    if (rw_fft_takes_indices(s)) {
        ADD(", int begin_2");
        for (int i = 0; i < RW_FFT_FURTHER; ++i) ADD(", int further_%d", i);
    }
    ADD(")\n{\n");
}

void rw_fft_write_places(rw_fft_text *w)
{
    ADD("    const long yb = y_first + first * y_line + (long)GROUP_ID(1) * y_1 + (long)GROUP_ID(2) * y_2;\n");
    ADD("    const long xb = x_first + first * x_line + (long)GROUP_ID(1) * x_1 + (long)GROUP_ID(2) * x_2;\n");
    if (w->spec->middle == RW_FFT_ARRAY)
        ADD("    GLOBAL const %s *const bb = b_array + b_first + first * b_line + (long)GROUP_ID(1) * b_1 + "
            "(long)GROUP_ID(2) * b_2;\n",
            w->complex);
}

void rw_fft_write_keep(rw_fft_text *w, int q, int r)
{
    for (int k = 0; k < r; ++k)
        ADD("            AT_N(re, %d, i) = re%d; AT_N(im, %d, i) = im%d;\n", q * r + k, k, q * r + k, k);
}

void rw_fft_write_take(rw_fft_text *w, int q, int r)
{
    for (int k = 0; k < r; ++k)
        ADD("            re%d = AT_N(re, %d, i); im%d = AT_N(im, %d, i);\n", k, q * r + k, k, q * r + k);
}

void rw_fft_write_product(rw_fft_text *w, int k, const char *c, const char *s)
{
    ADD("            { const %s a = re%d; re%d = FMA(a, %s, -im%d * %s); im%d = FMA(a, %s, im%d * %s); }\n", w->real, k,
        k, c, k, s, k, s, k, c);
}

/* Loads cost a GPU more than arithmetic: factors that are products of two others are computed. */
void rw_fft_write_factors(rw_fft_text *w, int r, int64_t p, int64_t factors)
{
    int base = 0;
    ADD("            GLOBAL const %s *const w_b = (GLOBAL const %s *)(factor + %lld) + b;\n", w->complex, w->complex,
        (big)factors);
    for (int k = 1; k < r; k += k < 4 ? 1 : 4)
        ADD("            const %s w%d = LOAD(w_b + %lld);\n", w->complex, k, (big)base++ * p);
    for (int k = 1; k < r; ++k) {
        char c[24], s[24];
        snprintf(c, sizeof c, "w%d.re", k);
        snprintf(s, sizeof s, "w%d.im", k);
        if (k > 4 && k % 4) {
            const int m = k / 4 * 4, j = k % 4;
            ADD("            const %s c%d = FMA(w%d.re, w%d.re, -w%d.im * w%d.im), s%d = FMA(w%d.re, w%d.im, w%d.im * "
                "w%d.re);\n",
                w->real, k, m, j, m, j, k, m, j, m, j);
            snprintf(c, sizeof c, "c%d", k);
            snprintf(s, sizeof s, "s%d", k);
        }
        rw_fft_write_product(w, k, c, s);
    }
}

/* The declaration of C and S, number I of n factors. */
const char *rw_fft_factor(const rw_fft_text *w, char text[RW_FFT_FACTOR], const char *c, const char *s, int64_t at,
                          int64_t n, const char *index)
{
    if (w->table.pairs)
        snprintf(
            text, RW_FFT_FACTOR,
            "const %s %s_p = LOAD((GLOBAL const %s *)(factor + %lld) + (%s)); const %s %s = %s_p.re, %s = %s_p.im;",
            w->complex, c, w->complex, (big)at, index, w->real, c, c, s, c);
    else
        snprintf(text, RW_FFT_FACTOR, "const %s %s = factor[%lld + %s], %s = factor[%lld + %s];", w->real, c, (big)at,
                 index, s, (big)(at + n), index);
    return text;
}

/* ---- points from elements ---------------------------------------------------------------------------------------- */

/* REAL_AT(V, I): number I of the real sequence whose spectrum is the transform. */
static void write_real_at(rw_fft_text *w)
{
    const big n = w->spec->n;
    if (w->ordered_x) {
        ADD("#define REAL_AT(V, I) V = ordered[l * %lld + (I)];\n", n);
        return;
    }
    switch (w->spec->kind) {
    case RW_FFT_DCT1: ADD("#define REAL_AT(V, I) GET(V, (I) < %lld ? (I) : %lld - (I))\n", n, 2 * (n - 1)); break;
    case RW_FFT_DST1:
        ADD("#define REAL_AT(V, I) { if ((I) %% %lld == 0) V = 0; else GET(V, (I) < %lld ? (I) - 1 : %lld - (I)) if "
            "((I) > %lld) V = -V; }\n",
            n + 1, n + 1, 2 * n + 1, n + 1);
        break;
    case RW_FFT_DCT2:
        ADD("#define REAL_AT(V, I) GET(V, 2 * (I) < %lld ? 2 * (I) : %lld - 2 * (I))\n", n, 2 * n - 1);
        break;
    case RW_FFT_DST2:
        ADD("#define REAL_AT(V, I) { GET(V, 2 * (I) < %lld ? 2 * (I) : %lld - 2 * (I)) if (2 * (I) >= %lld) V = "
            "-V; }\n",
            n, 2 * n - 1, n);
        break;
    default: ADD("#define REAL_AT(V, I) GET(V, I)\n");
    }
}

/* HALF_AT(RE, IM, K): number K of half a spectrum. Both elements are read for every K: a read in an if was lost where
 * PoCL 3.1 makes vectors of work-items (lines of 8 and 16 points, f64). */
static void write_half_at(rw_fft_text *w)
{
    const big n = w->spec->n;
    if (w->spec->kind == RW_FFT_REAL && w->spec->x.real) {
        ADD("#define HALF_AT(RE, IM, K) { GET(RE, K) if ((K) > 0 && 2 * (K) < %lld) GET(IM, %lld - (K)) else IM = 0; "
            "}\n",
            n, n);
        return;
    }
    if (w->spec->kind == RW_FFT_REAL) {
        ADD("#define HALF_AT(RE, IM, K) { GET(RE, IM, K) if ((K) == 0 || 2 * (K) == %lld) IM = 0; }\n", n);
        return;
    }
    const int64_t half = n / 2 + 1, at = rw_fft_table_roots(&w->table, half, 0, 1, 4 * n, false);
    const bool sine = w->spec->kind == RW_FFT_DST3;
    char first[48], second[48], f[RW_FFT_FACTOR];
    snprintf(first, sizeof first, sine ? "%lld - (K)" : "(K)", n - 1);
    snprintf(second, sizeof second, sine ? "(K) - 1" : "%lld - (K)", n);
    ADD("#define HALF_AT(RE, IM, K) { %s a_, b_; GET(a_, %s) GET(b_, (K) > 0 ? %s : 0) if ((K) == 0) b_ = 0; %s\\\n"
        "    RE = FMA(c_, a_, -(s_ * b_)); IM = -FMA(s_, a_, c_ * b_); }\n",
        w->real, first, second, rw_fft_factor(w, f, "c_", "s_", at, half, "(K)"));
}

/* POINT(RE, IM, J): point J of the complex transform. */
static void write_point(rw_fft_text *w)
{
    const rw_fft_line_spec *s = w->spec;
    const big n = s->n, m = s->points;
    const rw_fft_form form = rw_fft_form_of(s->kind, s->inverse);
    char f[RW_FFT_FACTOR];
    if (s->x.level != RW_FFT_USER || s->kind == RW_FFT_COMPLEX) {
        ADD(end_is_real(w, false) ? "#define POINT(RE, IM, J) { GET(RE, J) IM = 0; }\n"
                                  : "#define POINT(RE, IM, J) GET(RE, IM, J)\n");
    } else if (form == RW_FFT_FORM_HALVES) {
        write_real_at(w);
        if (rw_fft_real_length(s->kind, n) % 2) ADD("#define POINT(RE, IM, J) { REAL_AT(RE, J) IM = 0; }\n");
        else if (w->ordered_x)
            ADD("#define POINT(RE, IM, J) { const %s c_ = ((LOCAL const %s *)ordered)[l * %lld + (J)]; RE = c_.re; "
                "IM = c_.im; }\n",
                w->complex, w->complex, m);
        else ADD("#define POINT(RE, IM, J) { REAL_AT(RE, 2 * (J)) REAL_AT(IM, 2 * (J) + 1) }\n");
    } else if (form == RW_FFT_FORM_WHOLE) {
        write_half_at(w);
        if (n % 2) {
            ADD("#define POINT(RE, IM, J) { if (2 * (J) <= %lld) HALF_AT(RE, IM, J) else { HALF_AT(RE, IM, %lld - "
                "(J)) IM = -IM; } }\n",
                n, n);
        } else {
            const int64_t at = rw_fft_table_roots(&w->table, m, 0, 1, n, false);
            ADD("#define POINT(RE, IM, J) { %s ar_, ai_, br_, bi_; HALF_AT(ar_, ai_, J) HALF_AT(br_, bi_, %lld - "
                "(J))\\\n"
                "    %s const %s or_ = ar_ - br_, oi_ = ai_ + bi_;\\\n"
                "    RE = ar_ + br_ + FMA(s_, or_, -(c_ * oi_)); IM = ai_ - bi_ + FMA(s_, oi_, c_ * or_); }\n",
                w->real, m, rw_fft_factor(w, f, "c_", "s_", at, m, "(J)"), w->real);
        }
    } else if (n % 2) {
        const int64_t at = rw_fft_table_roots(&w->table, n, 0, 1, 4 * n, false);
        ADD("#define POINT(RE, IM, J) { RE = 0; IM = 0; if ((J) < %lld) { %s a_; GET(a_, J) %s RE = a_ * c_; IM = a_ "
            "* s_; } }\n",
            n, w->real, rw_fft_factor(w, f, "c_", "s_", at, n, "(J)"));
    } else {
        const int64_t at = rw_fft_table_roots(&w->table, m, 0, 1, 2 * n, false);
        const bool sine = s->kind == RW_FFT_DST4;
        ADD("#define POINT(RE, IM, J) { %s a_, b_; GET(%s, 2 * (J)) GET(%s, %lld - 2 * (J)) %s\\\n"
            "    RE = FMA(a_, c_, -(b_ * s_)); IM = FMA(a_, s_, b_ * c_); }\n",
            w->real, sine ? "b_" : "a_", sine ? "a_" : "b_", n - 1, rw_fft_factor(w, f, "c_", "s_", at, m, "(J)"));
    }
}

static void write_input(rw_fft_text *w, int64_t chirp, int64_t places)
{
    const rw_fft_line_spec *s = w->spec;
    const big m = s->points;
    char number[64], f[RW_FFT_FACTOR];
    snprintf(number, sizeof number, s->x.apart ? "((long)(I) * %lld + LINE)" : "(I)", (big)s->x.apart);
    ADD("#define NUMBER_X(I) %s\n", number);
    if (s->x.level == RW_FFT_INSIDE || s->method == RW_FFT_STOCKHAM)
        ADD("#define INPUT(RE, IM, I) POINT(RE, IM, NUMBER_X(I))\n");
    else if (s->method == RW_FFT_RADER)
        ADD("#define INPUT(RE, IM, I) { const int i_ = (int)factor[%lld + NUMBER_X(I)]; POINT(RE, IM, i_) }\n",
            (big)places);
    else
        ADD("#define INPUT(RE, IM, I) { RE = 0; IM = 0; if (NUMBER_X(I) < %lld) { %s pr_, pi_; POINT(pr_, pi_, "
            "NUMBER_X(I))\\\n"
            "    %s RE = FMA(pr_, c_, -(pi_ * s_)); IM = FMA(pr_, s_, pi_ * c_); } }\n",
            m, w->real, rw_fft_factor(w, f, "c_", "s_", chirp, m, "NUMBER_X(I)"));
}

/* ---- elements from points ---------------------------------------------------------------------------------------- */

/* SPECTRUM(RE, IM, K): number K of half a spectrum goes to y. */
static void write_spectrum(rw_fft_text *w)
{
    const big n = w->spec->n;
    const rw_fft_kind kind = rw_fft_kind_of_y(w->spec);
    if (kind == RW_FFT_DCT1) {
        ADD("#define SPECTRUM(RE, IM, K) PUT(RE, K)\n");
    } else if (kind == RW_FFT_DST1) {
        ADD("#define SPECTRUM(RE, IM, K) { if ((K) > 0 && (K) <= %lld) PUT(-(IM), (K) - 1) }\n", n);
    } else if (kind == RW_FFT_DCT2 || kind == RW_FFT_DST2) {
        const int64_t half = n / 2 + 1, at = rw_fft_table_roots(&w->table, half, 0, 1, 4 * n, false);
        char first[48], second[48], f[RW_FFT_FACTOR];
        snprintf(first, sizeof first, kind == RW_FFT_DST2 ? "%lld - (K)" : "(K)", n - 1);
        snprintf(second, sizeof second, kind == RW_FFT_DST2 ? "(K) - 1" : "%lld - (K)", n);
        ADD("#define SPECTRUM(RE, IM, K) { %s PUT(FMA(c_, RE, -(s_ * (IM))), %s)\\\n"
            "    if ((K) > 0 && 2 * (K) < %lld) PUT(-FMA(c_, IM, s_ * (RE)), %s) }\n",
            rw_fft_factor(w, f, "c_", "s_", at, half, "(K)"), first, n, second);
    } else if (w->spec->y.real) {
        ADD("#define SPECTRUM(RE, IM, K) { PUT(RE, K) if ((K) > 0 && 2 * (K) < %lld) PUT(IM, %lld - (K)) }\n", n, n);
    } else {
        ADD("#define SPECTRUM(RE, IM, K) PUT(RE, IM, K)\n");
    }
}

/* RESULT(RE, IM, K): point K of the complex transform goes to y. */
static void write_result(rw_fft_text *w)
{
    const rw_fft_line_spec *s = w->spec;
    const big n = s->n, m = s->points;
    const rw_fft_kind kind = rw_fft_kind_of_y(s);
    const rw_fft_form form = rw_fft_form_of_y(s);
    const bool odd = rw_fft_real_length(kind, n) % 2;
    char f[RW_FFT_FACTOR];
    if (s->y.level != RW_FFT_USER || s->kind == RW_FFT_COMPLEX) {
        ADD(end_is_real(w, true) ? "#define RESULT(RE, IM, K) PUT(RE, K)\n"
                                 : "#define RESULT(RE, IM, K) PUT(RE, IM, K)\n");
    } else if (form == RW_FFT_FORM_HALVES) {
        write_spectrum(w);
        if (odd) ADD("#define RESULT(RE, IM, K) { if (2 * (K) <= %lld) SPECTRUM(RE, IM, K) }\n", n);
    } else if (form == RW_FFT_FORM_WHOLE) {
        if (w->ordered_y) ADD("#define REAL_TO(V, I) ordered[l * %lld + (I)] = V;\n", n);
        else if (kind == RW_FFT_REAL) ADD("#define REAL_TO(V, I) PUT(V, I)\n");
        else if (kind == RW_FFT_DCT1) ADD("#define REAL_TO(V, I) { if ((I) < %lld) PUT(V, I) }\n", n);
        else if (kind == RW_FFT_DST1) ADD("#define REAL_TO(V, I) { if ((I) > 0 && (I) <= %lld) PUT(V, (I) - 1) }\n", n);
        else
            ADD("#define REAL_TO(V, I) { if (2 * (I) < %lld) PUT(V, 2 * (I)) else PUT(%s(V), %lld - 2 * (I)) }\n", n,
                kind == RW_FFT_DST3 ? "-" : "", 2 * n - 1);
        if (!odd && w->ordered_y)
            ADD("#define RESULT(RE, IM, K) { %s c_; c_.re = RE; c_.im = IM; "
                "((LOCAL %s *)ordered)[l * %lld + (K)] = c_; }\n",
                w->complex, w->complex, m);
        else
            ADD(odd ? "#define RESULT(RE, IM, K) REAL_TO(RE, K)\n"
                    : "#define RESULT(RE, IM, K) { REAL_TO(RE, 2 * (K)) REAL_TO(IM, 2 * (K) + 1) }\n");
    } else {
        const bool sine = s->kind == RW_FFT_DST4;
        const big count = n % 2 ? n : m, at = n % 2 ? rw_fft_table_roots(&w->table, n, 1, 2, 8 * n, false)
                                                    : rw_fft_table_roots(&w->table, m, 1, 4, 8 * n, false);
        ADD("#define RESULT(RE, IM, K) { ");
        if (n % 2) ADD("if ((K) < %lld) { ", n);
        ADD("%s\\\n    ", rw_fft_factor(w, f, "c_", "s_", at, count, "(K)"));
        if (n % 2 && sine) ADD("PUT(-FMA(c_, IM, s_ * (RE)), K) }");
        else if (n % 2) ADD("PUT(FMA(c_, RE, -(s_ * (IM))), K) }");
        else
            ADD("PUT(FMA(c_, RE, -(s_ * (IM))), 2 * (K)) PUT(%sFMA(c_, IM, s_ * (RE)), %lld - 2 * (K))",
                sine ? "" : "-", n - 1);
        ADD(" }\n");
    }
}

/* One of the two factors that make w(e / twist): its table is chosen by the high or the low bits of e. */
static const char *twist_part(rw_fft_text *w, char text[RW_FFT_FACTOR], char name, int64_t at, int64_t n,
                              const char *operator, big bits)
{
    char c[16], s[16], index[48];
    snprintf(c, sizeof c, "%cc_##C", name);
    snprintf(s, sizeof s, "%cs_##C", name);
    snprintf(index, sizeof index, "(e_##C %s %lld)", operator, bits);
    if (!w->table.pairs) return rw_fft_factor(w, text, c, s, at, n, index);
    snprintf(
        text, RW_FFT_FACTOR,
        "const %s %cp_##C = LOAD((GLOBAL const %s *)(factor + %lld) + %s); const %s %s = %cp_##C.re, %s = %cp_##C.im;",
        w->complex, name, w->complex, (big)at, index, w->real, c, name, s, name);
    return text;
}

static void write_twist(rw_fft_text *w)
{
    const rw_fft_line_spec *s = w->spec;
    int shift = 0;
    while ((int64_t)1 << 2 * shift < s->twist) ++shift;
    const bool inverse = s->twist_inverse;
    const big low = 1ll << shift, high = s->twist / low + 1;
    const int64_t a = rw_fft_table_roots(&w->table, low, 0, 1, s->twist, inverse),
                  b = rw_fft_table_roots(&w->table, high, 0, low, s->twist, inverse);
    const char *line = w->strip && !s->second ? "first" : "LINE";
    char f[RW_FFT_FACTOR], g[RW_FFT_FACTOR];
    ADD("#define TWIST(C, S, I) const int e_##C = (int)(%s * (I)); %s %s\\\n"
        "    const %s C = FMA(fc_##C, gc_##C, -(fs_##C * gs_##C)), S = FMA(fc_##C, gs_##C, fs_##C * gc_##C);\n",
        line, twist_part(w, f, 'f', b, high, ">>", shift), twist_part(w, g, 'g', a, low, "&", low - 1), w->real);
    if (w->strip && !s->second) {
        const big n = s->stages * w->strip, t = rw_fft_table_strip(&w->table, s->stages, w->strip, s->twist, inverse);
        ADD("#define TWISTED(RE, IM, I, C, S) { const %s lc_ = factor[%lld + (I) * %d + l], ls_ = factor[%lld + (I) * "
            "%d + l];\\\n"
            "    const %s c_ = FMA(lc_, C, -(ls_ * S)), s_ = FMA(lc_, S, ls_ * C), or_ = FMA(RE, c_, -((IM) * s_)), "
            "oi_ = FMA(RE, s_, (IM) * c_); PUT(or_, oi_, I) }\n",
            w->real, t, w->strip, t + n, w->strip, w->real);
        return;
    }
    ADD("#define TWISTED(RE, IM, I, C, S) { const %s or_ = FMA(RE, C, -((IM) * S)), oi_ = FMA(RE, S, (IM) * C); "
        "PUT(or_, oi_, I) }\n",
        w->real);
    ADD("#define OUTPUT(RE, IM, I) { TWIST(c_, s_, I) TWISTED(RE, IM, I, c_, s_) }\n");
}

static void write_output(rw_fft_text *w, int64_t chirp, int64_t places)
{
    const rw_fft_line_spec *s = w->spec;
    const big m = s->points;
    char f[RW_FFT_FACTOR];
    ADD(s->y.apart ? "#define NUMBER_Y(I) ((long)(I) * %lld + LINE)\n" : "#define NUMBER_Y(I) (I)\n", (big)s->y.apart);
    if (s->twist) write_twist(w);
    else if (s->y.level == RW_FFT_INSIDE || s->method == RW_FFT_STOCKHAM)
        ADD("#define OUTPUT(RE, IM, I) RESULT(RE, IM, NUMBER_Y(I))\n");
    else if (s->method == RW_FFT_RADER)
        ADD("#define OUTPUT(RE, IM, I) { const int i_ = (int)factor[%lld + NUMBER_Y(I)]; RESULT(RE, IM, i_) }\n",
            (big)places + s->whole);
    else
        ADD("#define OUTPUT(RE, IM, I) { if (NUMBER_Y(I) < %lld) { %s\\\n"
            "    const %s or_ = FMA(RE, xc_, -((IM) * xs_)), oi_ = FMA(RE, xs_, (IM) * xc_); RESULT(or_, oi_, "
            "NUMBER_Y(I)) } }\n",
            m, rw_fft_factor(w, f, "xc_", "xs_", chirp, m, "NUMBER_Y(I)"), w->real);
}

void rw_fft_write_ends(rw_fft_text *w)
{
    const rw_fft_line_spec *s = w->spec;
    int64_t chirp = 0, places = 0;
    if (s->method == RW_FFT_BLUESTEIN && (s->x.level != RW_FFT_INSIDE || s->y.level != RW_FFT_INSIDE))
        chirp = rw_fft_table_chirp(&w->table, s->points, s->inverse);
    if (s->method == RW_FFT_RADER) places = rw_fft_table_places(&w->table, s->points);
    if (s->divisor) write_divisor(w);
    write_get(w);
    write_point(w);
    write_input(w, chirp, places);
    write_put(w);
    write_result(w);
    write_output(w, chirp, places);
}

void rw_fft_write_turn_factor(rw_fft_text *w, int64_t m)
{
    const int64_t half = m / 2 + 1, at = rw_fft_table_roots(&w->table, half, 0, 1, 2 * m, false);
    char f[RW_FFT_FACTOR];
    ADD("            %s\n", rw_fft_factor(w, f, "c", "s", at, half, "k"));
}

void rw_fft_write_turn(rw_fft_text *w, bool back)
{
    const char *first = back ? "-" : "", *second = back ? "" : "-";
    ADD("            %s pr, pi, qr, qi;\n"
        "            { const %s er = ar + br, ei = ai - bi, dr = ar - br, di = ai + bi;\n"
        "            const %s tr = FMA(s, dr, %s(c * di)), ti = FMA(s, di, %s(c * dr));\n"
        "            pr = er + tr, pi = ei + ti, qr = er - tr, qi = ti - ei; }\n",
        w->real, w->real, w->real, first, second);
}

void rw_fft_write_untangle(rw_fft_text *w, int64_t m)
{
    rw_fft_write_turn_factor(w, m);
    rw_fft_write_turn(w, false);
    ADD("            SPECTRUM(pr, pi, k)\n"
        "            if (2 * k != %lld) { const int n_k = %lld - k; SPECTRUM(qr, qi, n_k) }\n",
        (big)m, (big)m);
}
