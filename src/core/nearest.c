/* The nearest of a list of names to a mistyped one: "nearest is …".
 *
 * Tried in this order; the given name itself is never an answer:
 *   another word of the field for the same thing (a table): "if" finds "where", "laplacian" finds "laplace"
 *   the smallest edit distance, of equal ones a name that begins with it ("rkc" finds "rkc2"), at most 1 + length/5
 *     changes with the mean length of both texts: "cdua" finds "cuda", "cpu" does not find "fft", nor "hello" "ell"; up
 *     to four characters the first must agree: "rand" does not find "and"
 *   a name that begins with it, or that it begins with: "lap" finds "laplace", "cosine" finds "cos"
 *   what follows its last underscore: "t_end" finds "end"
 * Distance: inserted, deleted, replaced bytes and swapped neighbours count one each (optimal string alignment; Damerau
 * 1964, Levenshtein 1966). Cost |a| |b|, in fixed memory: what differs between the texts after their common beginning
 * and end are taken off must fit in LONGEST bytes, else the answer is the upper bound max(|a|, |b|) of that rest.
 * Bytes, not characters. */
#include "core/core.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 255

static char lower(char c) /* not tolower: names do not depend on the locale */
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(char a, char b, bool fold) { return a == b || (fold && lower(a) == lower(b)); }

static int distance(const char *a, const char *b, bool fold)
{
    while (*a && *b && same(*a, *b, fold)) {
        a++;
        b++;
    }
    size_t na = strlen(a), nb = strlen(b);
    while (na && nb && same(a[na - 1], b[nb - 1], fold)) {
        na--;
        nb--;
    }
    if (na == 0 || nb == 0 || na > LONGEST || nb > LONGEST) return (int)RW_MAX(na, nb);

    /* d(i,j), of a[0..i) to b[0..j), from rows i, i-1, i-2:
     *   d(i,j) = min( d(i-1,j) + 1, d(i,j-1) + 1, d(i-1,j-1) + [a_i != b_j], d(i-2,j-2) + 1 if swapped ) */
    int rows[3][LONGEST + 1], *row = rows[0], *above = rows[1], *above2 = rows[2];
    for (size_t j = 0; j <= nb; j++) row[j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *free_row = above2;
        above2 = above;
        above = row;
        row = free_row;
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int d = above[j - 1] + !same(a[i - 1], b[j - 1], fold);
            d = RW_MIN(d, above[j] + 1);
            d = RW_MIN(d, row[j - 1] + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2], fold) && same(a[i - 2], b[j - 1], fold))
                d = RW_MIN(d, above2[j - 2] + 1);
            row[j] = d;
        }
    }
    return row[nb];
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* What others call it, and what it is called here, where that is one of the names. */
static const struct {
    const char *word, *name;
} synonyms[] = {
    {"lap", "laplace"},
    {"laplacian", "laplace"},
    {"nabla2", "laplace"},
    {"nabla", "grad"},
    {"gradient", "grad"},
    {"divergence", "div"},
    {"ddx", "dx"},
    {"ddy", "dy"},
    {"ddz", "dz"},
    {"d2x", "dxx"},
    {"d2dx2", "dxx"},
    {"if", "where"},
    {"ifelse", "where"},
    {"iif", "where"},
    {"select", "where"},
    {"heaviside", "where"},
    {"step", "where"},
    {"ln", "log"},
    {"lg", "log10"},
    {"arcsin", "asin"},
    {"arccos", "acos"},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"fabs", "abs"},
    {"magnitude", "abs"},
    {"modulus", "abs"},
    {"fmod", "mod"},
    {"rem", "mod"},
    {"power", "pow"},
    {"sgn", "sign"},
    {"signum", "sign"},
    {"fmin", "min"},
    {"minimum", "min"},
    {"fmax", "max"},
    {"maximum", "max"},
    {"average", "mean"},
    {"avg", "mean"},
    {"integral", "sum"},
    {"total", "sum"},
    {"conjugate", "conj"},
    {"norm2", "norm"},
    {"maxnorm", "normmax"},
    {"re", "real"},
    {"im", "imag"},
    {"derivative", "diff"},
    {"no_flux", "neumann"},
    {"noflux", "neumann"},
    {"no-flux", "neumann"},
    {"zero-flux", "neumann"},
    {"insulated", "neumann"},
    {"cyclic", "periodic"},
    {"wrap", "periodic"},
    {"fixed", "dirichlet"},
    {"mixed", "robin"},
    {"tolerance", "rtol"},
    {"tol", "rtol"},
    {"reltol", "rtol"},
    {"abstol", "atol"},
    {"dt", "step"},
    {"timestep", "step"},
    {"tend", "end"},
    {"tmax", "end"},
    {"t0", "start"},
    {"begin", "start"},
    {"solver", "method"},
    {"scheme", "method"},
    {"integrator", "method"},
    {"length", "extent"},
    {"lengths", "extent"},
    {"domain", "extent"},
    {"shape", "size"},
    {"nodes", "size"},
    {"points", "size"},
    {"resolution", "size"},
    {"ic", "initial"},
    {"bc", "boundary"},
    {"boundaries", "boundary"},
    {"bcs", "boundary"},
    {"constants", "parameters"},
    {"params", "parameters"},
    {"variables", "fields"},
    {"unknowns", "fields"},
    {"interval", "every"},
    {"range", "limits"},
    {"clim", "limits"},
    {"cmap", "colormap"},
    {"double", "f64"},
    {"float64", "f64"},
    {"float", "f32"},
    {"float32", "f32"},
    {"single", "f32"},
    {"gpu", "cuda:0"},
    {"gpu", "cuda"},
    {"nvidia", "cuda"},
    {"rk45", "dp5"},
    {"dopri5", "dp5"},
    {"ode45", "dp5"},
    {"jakobi", "jacobi"},
    {"bicg", "bicgstab"},
    {"ilu", "ilu0"},
};

#define RANDOM                                                                                                         \
    "random numbers of each node are noise(seed), in [0, 1), and normal(seed), the same at all times; noise in time "  \
    "is not available"
#define COMPLEX                                                                                                        \
    "write the imaginary unit as 1i; a field with complex values has type: complex, as in fields: {psi: {type: "       \
    "complex, initial: \"exp(1i*x)\"}}"
#define RADIUS "write the distance from an axis as sqrt(x^2 + y^2), or declare the name as a parameter"
#define ANGLE "write the angle around an axis as atan2(y, x), or declare the name as a parameter"
#define CYLINDER                                                                                                       \
    "grids of pde are boxes in x, y, z: of a rotationally symmetric problem let x be the radius, with grid.origin a "  \
    "little off the axis, and write the Laplacian as dxx(u) + dx(u)/x + dyy(u); the problem rates has cylinders"

const char *rw_foreign_word(const char *given)
{
    static const struct {
        const char *word, *text;
    } words[] = {
        {"if", "write a choice as where(condition, a, b)"},
        {"heaviside", "write a step as where(a > 0, 1, 0)"},
        {"rand", RANDOM},
        {"random", RANDOM},
        {"randn", RANDOM},
        {"noise", RANDOM},
        {"uniform", RANDOM},
        {"gaussian_noise", RANDOM},
        {"white_noise", RANDOM},
        {"i", COMPLEX},
        {"j", COMPLEX},
        {"complex", COMPLEX},
        {"r", RADIUS},
        {"radius", RADIUS},
        {"theta", ANGLE},
        {"phi", ANGLE},
        {"dr", CYLINDER},
        {"drr", CYLINDER},
        {"dtheta", CYLINDER},
        {"dphi", CYLINDER},
        {"laplace_r", CYLINDER},
        {"cylinder", CYLINDER},
        {"cylindrical", CYLINDER},
        {"axisymmetric", CYLINDER},
        {"polar", CYLINDER},
        {"spherical", CYLINDER},
        {"geometry", CYLINDER},
        {"coordinates", CYLINDER},
        {"dtype", "a field of a case has type: real or complex; its precision is grid.precision, f64 or f32"},
        {"poisson", RW_POISSON_ADVICE},
        {"inverse_laplace", RW_POISSON_ADVICE},
        {"solve", RW_POISSON_ADVICE},
        {"dtt", "equations have first derivatives in time: write a system of two fields, du/dt = v; dv/dt = …"},
        {"nan", "values must be finite numbers"},
        {"inf", "values must be finite numbers"},
        {"infinity", "values must be finite numbers"},
        {"trunc", "write the integer part as sign(a)*floor(abs(a))"},
        {"fix", "write the integer part as sign(a)*floor(abs(a))"},
        {"log1p", "write log(1 + a)"},
        {"expm1", "write exp(a) - 1"},
        {"exp10", "write 10^a"},
        {"sinc", "write where(a == 0, 1, sin(a)/a)"},
        {"gamma", "the gamma function is not available"},
        {"csc", "write 1/sin(a)"},
        {"cot", "write 1/tan(a)"},
        {"sec", "write 1/cos(a)"},
        {"true", "write 1"},
        {"false", "write 0"},
    };
    for (int i = 0; i < RW_COUNT(words); i++)
        if (!distance(given, words[i].word, true)) return words[i].text;
    return NULL;
}

static const char *by_synonym(const char *given, const char *const *names, int n)
{
    for (int k = 0; k < RW_COUNT(synonyms); k++)
        for (int i = 0; i < n && !distance(given, synonyms[k].word, true); i++)
            if (!strcmp(names[i], synonyms[k].name)) return names[i];
    return NULL;
}

/* ---- nearest ----------------------------------------------------------------------------------------------------- */

/* Whether this number of changes is a slip of the keyboard rather than another word. */
static bool is_near(const char *given, const char *name, int folded)
{
    int na = (int)strlen(given), nb = (int)strlen(name);
    if (folded > 1 + (na + nb) / 10 || folded >= RW_MAX(na, nb)) return false;
    if (RW_MAX(na, nb) > 4 || same(given[0], name[0], true)) return true;
    return same(given[0], name[1], true) && same(given[1], name[0], true); /* swapped */
}

static bool begins(const char *text, const char *beginning)
{
    while (*beginning && same(*text, *beginning, true)) {
        text++;
        beginning++;
    }
    return !*beginning;
}

static const char *by_distance(const char *given, const char *const *names, int n)
{
    const char *best = NULL;
    int best_folded = 0, best_exact = 0;
    for (int i = 0; i < n; i++) {
        /* CUDA:0 is cuda:0 mistyped once, not four times: case decides only between equals */
        int folded = distance(given, names[i], true), exact = distance(given, names[i], false);
        if (!exact || !is_near(given, names[i], folded)) continue;
        if (best && (folded > best_folded || (folded == best_folded && exact > best_exact))) continue;
        if (best && folded == best_folded && exact == best_exact && !(begins(names[i], given) && !begins(best, given)))
            continue;
        best = names[i];
        best_folded = folded;
        best_exact = exact;
    }
    return best;
}

/* At least three characters, and a third of the name, or half of what was given. */
static const char *by_beginning(const char *given, const char *const *names, int n)
{
    const char *best = NULL;
    int na = (int)strlen(given);
    for (int i = 0; i < n; i++) {
        int nb = (int)strlen(names[i]);
        bool fits = nb > na ? na >= 3 && 3 * na >= nb && begins(names[i], given)
                            : nb >= 3 && 2 * nb >= na && nb < na && begins(given, names[i]);
        if (!fits) continue;
        if (!best || abs(nb - na) < abs((int)strlen(best) - na)) best = names[i];
    }
    return best;
}

const char *rw_nearest(const char *given, const char *const *names, int n)
{
    const char *found = by_synonym(given, names, n), *tail = strrchr(given, '_');
    if (!found) found = by_distance(given, names, n);
    if (!found) found = by_beginning(given, names, n);
    for (int i = 0; !found && tail && tail[1] && i < n; i++)
        if (!strcmp(tail + 1, names[i])) found = names[i];
    return found && strcmp(found, given) ? found : NULL;
}

rw_hint rw_hint_nearest(const char *given, const char *const *names, int n)
{
    const char *near = rw_nearest(given, names, n);
    rw_hint hint = {""};
    if (near) snprintf(hint.text, sizeof hint.text, "; nearest is %s", near);
    return hint;
}

rw_hint rw_hint_known(const char *given, const char *const *names, int n)
{
    rw_hint hint = rw_hint_nearest(given, names, n);
    if (*hint.text) return hint;
    for (int i = 0; i < n; i++) {
        const size_t at = strlen(hint.text);
        snprintf(hint.text + at, sizeof hint.text - at, "%s%s", i ? ", " : "; known are ", names[i]);
    }
    return hint;
}

const char *rw_nearest_word(const char *given, const char *const *names, int64_t n)
{
    return given && names ? rw_nearest(given, names, (int)n) : NULL;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* 0x1F, 0b101, 0o17 */
static int other_base(const char *text, char better[64])
{
    static const struct {
        char letter;
        int base;
    } bases[] = {{'x', 16}, {'b', 2}, {'o', 8}};
    for (int i = 0; text[0] == '0' && i < RW_COUNT(bases); i++) {
        if ((text[1] | 32) != bases[i].letter || !isxdigit((unsigned char)text[2])) continue;
        char *end;
        const unsigned long long value = strtoull(text + 2, &end, bases[i].base);
        if (end > text + 2 && !is_name(*end)) {
            snprintf(better, 64, "%llu", value);
            return (int)(end - text);
        }
    }
    return 0;
}

int rw_foreign_number(const char *text, char better[64])
{
    const int sign = *text == '-' || *text == '+';
    int n = 0, i = sign, digits = 0, foreign = other_base(text + sign, better + sign);
    if (sign) {
        better[0] = *text;
        n = 1;
    }
    if (foreign) return foreign + sign;
    for (bool exponent = false; n < 60; i++) {
        const char c = text[i];
        if (is_digit(c)) {
            better[n++] = c;
            digits++;
        } else if (c == '.') better[n++] = c;
        else if ((c == '_' || c == '\'') && i > sign && is_digit(text[i - 1]) && is_digit(text[i + 1])) foreign = 1;
        else if (digits && !exponent && strchr("eEdD", c) && c) {
            const int signed_exponent = text[i + 1] == '-' || text[i + 1] == '+';
            if (!is_digit(text[i + 1 + signed_exponent])) break;
            exponent = true;
            foreign |= (c | 32) == 'd';
            better[n++] = 'e';
            if (signed_exponent) better[n++] = text[++i];
        } else break;
    }
    if (digits && text[i] && strchr("fFlL", text[i]) && !is_name(text[i + 1])) {
        foreign = 1;
        i++;
    }
    better[n] = 0;
    return digits && foreign && !is_name(text[i]) ? i : 0;
}
