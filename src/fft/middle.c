/* A division in the middle makes points of the inverse kind from points of a kind. The results, which are divided,
 * exist in registers alone. Where they come from (forms of ends.c):
 *   HALVES    n even: numbers k and m - k of a half spectrum from the points k and m - k, so the pairs of points that
 *             become pairs of points; n odd: points are the spectrum
 *   WHOLE     points are the results, in the order in which the inverse reads them
 *   COMPLEX   (IV) the results 2 k and n - 1 - 2 k from point k, which becomes point k */
#include "fft/middle.h"

#define ADD(...) rw_text_add(w->t, __VA_ARGS__)
typedef long long big;

bool rw_fft_divides_pairs(const rw_fft_line_spec *s)
{
    return s->middle == RW_FFT_DIVIDE && rw_fft_form_of(s->kind, s->inverse) == RW_FFT_FORM_HALVES &&
           rw_fft_real_length(s->kind, s->n) % 2 == 0;
}

/* DIVIDE_AT(RE, IM, K): number K of a half spectrum is divided. Of cosine and sine transforms its results are, and
 * become the number of the half spectrum that the inverse begins with. */
static void write_divide_at(rw_fft_text *w)
{
    const rw_fft_line_spec *s = w->spec;
    const big n = s->n;
    if (s->kind == RW_FFT_REAL) {
        ADD("#define DIVIDE_AT(RE, IM, K) { INVERSE(q_, K) RE *= q_; IM *= q_; if ((K) == 0 || 2 * (K) == %lld) IM = "
            "0; }\n",
            n);
    } else if (s->kind == RW_FFT_DCT1) {
        ADD("#define DIVIDE_AT(RE, IM, K) { INVERSE(q_, K) RE *= q_; IM = 0; }\n");
    } else if (s->kind == RW_FFT_DST1) {
        ADD("#define DIVIDE_AT(RE, IM, K) { RE = 0; if ((K) > 0 && (K) <= %lld) { INVERSE(q_, (K) - 1) IM *= q_; } "
            "else IM = 0; }\n",
            n);
    } else {
        const int64_t half = n / 2 + 1, at = rw_fft_table_roots(&w->table, half, 0, 1, 4 * n, false);
        const bool sine = s->kind == RW_FFT_DST2;
        char first[48], second[48], f[RW_FFT_FACTOR];
        snprintf(first, sizeof first, sine ? "%lld - (K)" : "(K)", n - 1);
        snprintf(second, sizeof second, sine ? "(K) - 1" : "%lld - (K)", n);
        ADD("#define DIVIDE_AT(RE, IM, K) { %s INVERSE(q_, %s) const %s a_ = q_ * FMA(c_, RE, -(s_ * IM)); %s b_ = "
            "0;\\\n"
            "    if ((K) > 0) { INVERSE(r_, %s) b_ = -(r_ * FMA(c_, IM, s_ * RE)); }\\\n"
            "    RE = FMA(c_, a_, -(s_ * b_)); IM = -FMA(s_, a_, c_ * b_); }\n",
            rw_fft_factor(w, f, "c_", "s_", at, half, "(K)"), first, w->real, w->real, second);
    }
}

/* MIDDLE of IV: the results of a point, and the point of them. */
static void write_quarter(rw_fft_text *w)
{
    const rw_fft_line_spec *s = w->spec;
    const big n = s->n, m = s->points;
    const bool sine = s->kind == RW_FFT_DST4;
    const int64_t count = n % 2 ? n : m,
                  out = n % 2 ? rw_fft_table_roots(&w->table, n, 1, 2, 8 * n, false)
                              : rw_fft_table_roots(&w->table, m, 1, 4, 8 * n, false),
                  in = n % 2 ? rw_fft_table_roots(&w->table, n, 0, 1, 4 * n, false)
                             : rw_fft_table_roots(&w->table, m, 0, 1, 2 * n, false);
    char f[RW_FFT_FACTOR], g[RW_FFT_FACTOR];
    rw_fft_factor(w, f, "c_", "s_", out, count, "(I)");
    rw_fft_factor(w, g, "ci_", "si_", in, count, "(I)");
    if (n % 2) {
        ADD("#define MIDDLE(RE, IM, I, K) { if ((I) < %lld) { INVERSE(q_, I) %s %s\\\n"
            "    const %s a_ = q_ * %s; RE = a_ * ci_; IM = a_ * si_; } else { RE = 0; IM = 0; } }\n",
            n, f, g, w->real, sine ? "-FMA(c_, IM, s_ * RE)" : "FMA(c_, RE, -(s_ * IM))");
        return;
    }
    ADD("#define MIDDLE(RE, IM, I, K) { INVERSE(q_, 2 * (I)) INVERSE(r_, %lld - 2 * (I)) %s %s\\\n"
        "    const %s %s = q_ * FMA(c_, RE, -(s_ * IM)), %s = %s(r_ * FMA(c_, IM, s_ * RE));\\\n"
        "    RE = FMA(a_, ci_, -(b_ * si_)); IM = FMA(a_, si_, b_ * ci_); }\n",
        n - 1, f, g, w->real, sine ? "b_" : "a_", sine ? "a_" : "b_", sine ? "" : "-");
}

static void write_divided(rw_fft_text *w)
{
    const rw_fft_line_spec *s = w->spec;
    const rw_fft_form form = rw_fft_form_of(s->kind, s->inverse);
    const big n = s->n;
    if (form == RW_FFT_FORM_COMPLEX) {
        write_quarter(w);
    } else if (form == RW_FFT_FORM_HALVES) {
        write_divide_at(w);
        if (n % 2)
            ADD("#define MIDDLE(RE, IM, I, K) { if (2 * (I) < %lld) DIVIDE_AT(RE, IM, I) else { IM = -IM; "
                "DIVIDE_AT(RE, IM, %lld - (I)) IM = -IM; } }\n",
                n, n);
    } else {
        ADD("#define RESULT_OF(I) (2 * (I) < %lld ? 2 * (I) : %lld - 2 * (I))\n", n, 2 * n - 1);
        if (n % 2) ADD("#define MIDDLE(RE, IM, I, K) { INVERSE(q_, RESULT_OF(I)) RE *= q_; IM = 0; }\n");
        else
            ADD("#define MIDDLE(RE, IM, I, K) { INVERSE(q_, RESULT_OF(2 * (I))) INVERSE(r_, RESULT_OF(2 * (I) + 1)) RE "
                "*= q_; IM *= r_; }\n");
    }
}

void rw_fft_write_divided_pair(rw_fft_text *w)
{
    const big m = w->spec->points;
    rw_fft_write_turn_factor(w, m);
    ADD("            {\n");
    rw_fft_write_turn(w, false);
    ADD("            DIVIDE_AT(pr, pi, k)\n            DIVIDE_AT(qr, qi, %lld - k)\n"
        "            ar = pr, ai = pi, br = qr, bi = qi;\n            }\n",
        m);
    rw_fft_write_turn(w, true);
}

static void write_product(rw_fft_text *w)
{
    ADD("#define MIDDLE(RE, IM, I, K) { const %s c_ = LOAD(bb + l * b_line + (I) * b_step); const %s a_ = RE, s_ = "
        "%sc_.im;\\\n"
        "    RE = FMA(a_, c_.re, -(IM * s_)); IM = FMA(a_, s_, IM * c_.re); }\n",
        w->complex, w->real, w->spec->conjugate ? "-" : "");
}

/* The factors of a convolution of Rader's or Bluestein's. */
static void write_table(rw_fft_text *w)
{
    const rw_fft_line_spec *s = w->spec;
    const char *real = w->real;
    const bool several = s->whole > s->stages;
    const int64_t n = s->whole,
                  at = s->method == RW_FFT_RADER
                           ? rw_fft_table_rader(&w->table, s->points, s->inverse)
                           : rw_fft_table_bluestein(&w->table, s->points, n, several ? n / s->stages : 1, s->inverse);
    char index[64], f[RW_FFT_FACTOR];
    snprintf(index, sizeof index, several ? "LINE * %lld + (I)" : "(I)", (big)s->stages);
    ADD("#define MIDDLE(RE, IM, I, K) { ");
    if (s->method == RW_FFT_RADER) /* the first number is in no product, and the sum of all is a result */
        ADD("%s z_ = 0, y_ = 0; if ((K) == 0 && (I) == 0) { POINT(z_, y_, 0) const %s u_ = z_ + RE, v_ = y_ + IM; "
            "RESULT(u_, v_, 0) }\\\n    ",
            real, real);
    ADD("%s const %s a_ = RE; RE = FMA(a_, c_, -(IM * s_)); IM = FMA(a_, s_, IM * c_);",
        rw_fft_factor(w, f, "c_", "s_", at, n, index), real);
    if (s->method == RW_FFT_RADER) ADD(" if ((K) == 0 && (I) == 0) { RE += z_; IM += y_; }");
    ADD(" }\n");
}

void rw_fft_write_middle(rw_fft_text *w)
{
    switch (w->spec->middle) {
    case RW_FFT_NONE: break;
    case RW_FFT_TABLE: write_table(w); break;
    case RW_FFT_ARRAY: write_product(w); break;
    case RW_FFT_DIVIDE: write_divided(w); break;
    }
}
