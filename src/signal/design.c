/* Operations on signals and their impulse responses.
 *
 *   lowpass   h[n] = 2 f sinc(2 f m) w[n],  m = n - (N - 1)/2,  f = cutoff/rate,  sinc x = sin(pi x)/(pi x)
 *   others    differences of two of these (cutoff 1/2: all frequencies)
 *
 * scaled to gain 1 at one frequency. Source: A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, 3rd ed.,
 * 2010, 7.5; J. F. Kaiser, Nonrecursive digital filter design using the I0-sinh window function, 1974. Conventions:
 * scipy.signal.firwin. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/npy.h"
#include "param/param.h"
#include "signal/signal.h"

#define PI 3.14159265358979323846
enum { MOST_TAPS = 1 << 20, MOST_OPERATIONS = 1000 };
static const double MOST_PRODUCTS = 1e11; /* of one convolution on the host: about a minute */

#define ROW(member, kind, standard, allowed, line, ...)                                                                \
    RW_ROW(rw_signal_op, member, kind, standard, allowed, line, __VA_ARGS__)
#define OF(method) ((uint64_t)1 << RW_SIGNAL_##method)
#define BANDS (OF(BANDPASS) | OF(BANDSTOP))
#define DESIGNS (OF(LOWPASS) | OF(HIGHPASS) | BANDS)

static const char methods[] =
#define RW_X(name, text, line) text "|"
    RW_SIGNAL_METHOD_LIST(RW_X);
static const char windows[] = RW_SIGNAL_WINDOW_LIST(RW_X);
#undef RW_X

static const rw_param rows[] = {
    ROW(method, ENUM, "lowpass", methods, "operation: see rechenwerk list signals", .brief = NULL),
    ROW(cutoff, REAL, "", "(0, inf)", "cutoff frequency in Hz, where the amplitude is halved (required)",
        .methods = DESIGNS),
    ROW(cutoff_high, REAL, "", "(0, inf)", "upper cutoff frequency of the band in Hz (required)", .methods = BANDS),
    ROW(taps, INT, "255", "[1, 131071]", "odd number of filter coefficients", .methods = DESIGNS),
    ROW(window, ENUM, "hamming", windows, "window function of the design", .brief = "", .methods = DESIGNS),
    ROW(beta, REAL, "8.6", "(0, 100]", "shape parameter of the Kaiser window", .methods = DESIGNS),
    ROW(factor, REAL, "1", "[-inf, inf]", "gain factor", .brief = "", .methods = OF(GAIN)),
    ROW(db, REAL, "0", "[-1000, 1000]", "gain in decibels, in addition to factor", .methods = OF(GAIN)),
    ROW(file, TEXT, "", "", "file with the impulse response: .npy, or numbers as text (required)", .methods = OF(FIR)),
};

RW_PARAMS(rw_signal_op_params, rw_signal_op, rows, "signal", "an operation on signals")

/* ---- windows ----------------------------------------------------------------------------------------------------- */

/* I0(x) = sum of ((x/2)^k/k!)^2 */
static double bessel_i0(double x)
{
    double sum = 1, term = 1;
    for (int k = 1; term > 1e-17 * sum; ++k) {
        term *= x * x / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

void rw_signal_fill_window(rw_signal_window window, double beta, int64_t n, bool periodic, double *w)
{
    const double period = (double)(periodic ? n : n - 1);
    for (int64_t i = 0; i < n; ++i) {
        const double t = period > 0 ? (double)i / period : 0.5, x = 2 * PI * t, r = 2 * t - 1;
        w[i] = window == RW_SIGNAL_HANN       ? 0.5 - 0.5 * cos(x)
               : window == RW_SIGNAL_HAMMING  ? 0.54 - 0.46 * cos(x)
               : window == RW_SIGNAL_BLACKMAN ? 0.42 - 0.5 * cos(x) + 0.08 * cos(2 * x)
               : window == RW_SIGNAL_KAISER   ? bessel_i0(beta * sqrt(fmax(0, 1 - r * r))) / bessel_i0(beta)
                                              : 1;
    }
}

/* ---- designs ----------------------------------------------------------------------------------------------------- */

/* 2 f sinc(2 f m) */
static double low(double f, double m) { return m == 0 ? 2 * f : sin(2 * PI * f * m) / (PI * m); }

static rw_status check_design(rw_context *ctx, const rw_signal_op *op, const char *name, double rate)
{
    const bool band = op->method == RW_SIGNAL_BANDPASS || op->method == RW_SIGNAL_BANDSTOP;
    if (!(op->cutoff > 0))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: cutoff is missing: set it to a frequency in Hz, such as %s:cutoff=%g",
                       name, name, rate / 8);
    if (band && !(op->cutoff_high > 0))
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: cutoff_high is missing: set it to the upper end of the band in Hz, such as "
                       "%s:cutoff=%g:cutoff_high=%g",
                       name, name, op->cutoff, 2 * op->cutoff);
    if (band && !(op->cutoff < op->cutoff_high))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: cutoff = %g Hz is not below cutoff_high = %g Hz", name, op->cutoff,
                       op->cutoff_high);
    const double most = band ? op->cutoff_high : op->cutoff;
    if (!(most < rate / 2))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %s = %g Hz is not below half of the sampling rate, %g Hz", name,
                       band ? "cutoff_high" : "cutoff", most, rate / 2);
    if (op->taps % 2 == 0)
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "%s: taps = %lld is even: choose an odd number, so that the delay is an integer number of samples", name,
            (long long)op->taps);
    return RW_OK;
}

static void design(const rw_signal_op *op, double rate, double *h)
{
    const int64_t n = op->taps;
    const double f = op->cutoff / rate, g = op->cutoff_high / rate;
    /* gain 1 */
    const double unit = op->method == RW_SIGNAL_HIGHPASS ? 0.5 : op->method == RW_SIGNAL_BANDPASS ? (f + g) / 2 : 0;
    double sum = 0;
    rw_signal_fill_window(op->window, op->beta, n, false, h);
    for (int64_t i = 0; i < n; ++i) {
        const double m = (double)(i - n / 2), all = m == 0;
        h[i] *= op->method == RW_SIGNAL_LOWPASS    ? low(f, m)
                : op->method == RW_SIGNAL_HIGHPASS ? all - low(f, m)
                : op->method == RW_SIGNAL_BANDPASS ? low(g, m) - low(f, m)
                                                   : low(f, m) + (all - low(g, m));
        sum += h[i] * cos(2 * PI * unit * m);
    }
    for (int64_t i = 0; i < n; ++i) h[i] /= sum;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static rw_status parse_taps(rw_context *ctx, const char *path, const char *text, double *h, int64_t *n)
{
    int64_t line = 1;
    for (const char *at = text; *at;) {
        if (*at == '#') at += strcspn(at, "\n");
        if (*at == '\n') ++line;
        if (!*at) break;
        if (strchr(" \t\r\n,;", *at)) {
            ++at;
            continue;
        }
        char *end;
        const double value = rw_strtod(at, &end);
        if (end == at || !isfinite(value) || (*end && !strchr(" \t\r\n,;#", *end)))
            return rw_fail_line(ctx, path, line, "'%.20s' is not a number", at);
        if (h) h[*n] = value;
        ++*n;
        at = end;
    }
    return RW_OK;
}

static rw_status read_text(rw_context *ctx, const char *path, double **h, int64_t *n)
{
    char *text;
    size_t bytes;
    int64_t again = 0;
    RW_TRY(rw_file_read(ctx, path, (size_t)1 << 28, &text, &bytes));
    const char *first = rw_skip_mark(text, &bytes);
    rw_status status = parse_taps(ctx, path, first, NULL, n);
    if (status == RW_OK && !(*h = rw_calloc((size_t)*n + 1, sizeof **h)))
        status = rw_fail_memory(ctx, (size_t)*n * sizeof **h, path);
    if (status == RW_OK) status = parse_taps(ctx, path, first, *h, &again);
    rw_free(text);
    return status;
}

static rw_status read_npy(rw_context *ctx, const char *path, double **h, int64_t *n)
{
    rw_npy a;
    RW_TRY(rw_npy_read(ctx, path, &a));
    rw_status status =
        a.ndim == 1 ? RW_OK
                    : rw_fail(ctx, RW_ERR_INPUT,
                              "%s: the array has %d dimensions: taps must be a one-dimensional array", path, a.ndim);
    if (status == RW_OK) status = rw_npy_to_f64(ctx, &a);
    if (status == RW_OK) {
        *h = a.data;
        *n = (int64_t)a.shape[0];
        a.data = NULL;
    }
    for (int64_t i = 0; status == RW_OK && i < *n; ++i)
        if (!isfinite((*h)[i]))
            status = rw_fail(ctx, RW_ERR_INPUT, "%s: tap %lld is %g: taps must be finite", path, (long long)i, (*h)[i]);
    rw_npy_free(&a);
    return status;
}

static rw_status load(rw_context *ctx, const rw_signal_op *op, double **h, int64_t *n)
{
    if (!op->file || !*op->file)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "fir: file is missing: name a file with the impulse response, such as fir:file=taps.npy");
    RW_TRY(rw_ends_in(op->file, ".npy") ? read_npy(ctx, op->file, h, n) : read_text(ctx, op->file, h, n));
    return *n >= 1 && *n <= MOST_TAPS ? RW_OK
                                      : rw_fail(ctx, RW_ERR_INPUT, "%s: %lld taps: the number of taps must be 1 to %d",
                                                op->file, (long long)*n, MOST_TAPS);
}

/* Taps that are symmetric or antisymmetric about the one in the middle. */
static bool has_linear_phase(const double *h, int64_t n)
{
    double most = 0, even = 0, odd = 0;
    for (int64_t i = 0; i < n; ++i) {
        most = fmax(most, fabs(h[i]));
        even = fmax(even, fabs(h[i] - h[n - 1 - i]));
        odd = fmax(odd, fabs(h[i] + h[n - 1 - i]));
    }
    return n % 2 && fmin(even, odd) <= 1e-9 * most;
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

static rw_status make_taps(rw_context *ctx, const rw_signal_op *op, double rate, double **h, int64_t *n)
{
    char name[32];
    *h = NULL;
    *n = 0;
    if (op->method == RW_SIGNAL_FIR) return load(ctx, op, h, n);
    *n = op->method == RW_SIGNAL_GAIN ? 1 : op->taps;
    if (op->method != RW_SIGNAL_GAIN)
        RW_TRY(check_design(ctx, op, rw_params_method(rw_signal_op_params(), op, name, sizeof name), rate));
    if (!(*h = rw_calloc((size_t)*n, sizeof **h)))
        return rw_fail_memory(ctx, (size_t)*n * sizeof **h, "the taps of a filter");
    if (op->method == RW_SIGNAL_GAIN) **h = rw_plain_zero(op->factor) * pow(10, op->db / 20);
    else design(op, rate, *h);
    return RW_OK;
}

static rw_status check_length(rw_context *ctx, int64_t length)
{
    if (length <= MOST_TAPS) return RW_OK;
    return rw_fail(ctx, RW_ERR_ARGUMENT,
                   "signal: the chain has %lld taps: at most %d are allowed: use fewer taps, or filter in several runs",
                   (long long)length, MOST_TAPS);
}

/* *h <- *h * g, sums in f64 */
static rw_status convolve(rw_context *ctx, double **h, int64_t *n, const double *g, int64_t m)
{
    const int64_t length = *n + m - 1;
    RW_TRY(check_length(ctx, length));
    if ((double)*n * (double)m > MOST_PRODUCTS)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "signal: the convolution of operations with %lld and %lld taps needs more than %.0e products: "
                       "filter in several runs",
                       (long long)*n, (long long)m, MOST_PRODUCTS);
    double *sum = rw_calloc((size_t)length, sizeof *sum);
    if (!sum) return rw_fail_memory(ctx, (size_t)length * sizeof *sum, "the taps of a filter");
    for (int64_t i = 0; i < *n; ++i) {
        double *restrict to = sum + i;
        const double factor = (*h)[i];
        for (int64_t k = 0; k < m; ++k) to[k] += factor * g[k];
    }
    rw_free(*h);
    *h = sum;
    *n = length;
    return RW_OK;
}

/* Adds one operation to the chain. */
static rw_status append(rw_context *ctx, const rw_signal_op *op, double rate, double **h, int64_t *n, int64_t *delay)
{
    double *g;
    int64_t m;
    rw_status status = make_taps(ctx, op, rate, &g, &m);
    if (status == RW_OK && has_linear_phase(g, m)) *delay += m / 2;
    if (status == RW_OK) status = convolve(ctx, h, n, g, m);
    rw_free(g);
    return status;
}

/* The operations of a chain, whose text is cut in pieces that they refer to. Their number and taps are checked before
 * the first is designed; those in files are counted as one. */
static rw_status parse_chain(rw_context *ctx, char *text, rw_signal_op **ops, int *nops)
{
    int capacity = 0;
    int64_t length = 1;
    for (char *at = text, *next; at; at = next) {
        next = strchr(at, '|');
        if (next) *next++ = 0;
        while (*at == ' ') ++at;
        for (char *end = at + strlen(at); end > at && end[-1] == ' ';) *--end = 0;
        if (!*at)
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "signal: an operation of the chain is empty: separate operations by |, such as "
                           "lowpass:cutoff=1000|gain:db=6");
        if (*nops == MOST_OPERATIONS)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "signal: a chain of more than %d operations: filter in several runs",
                           MOST_OPERATIONS);
        if (!rw_grow(ops, &capacity, *nops + 1, sizeof **ops))
            return rw_fail_memory(ctx, sizeof **ops, "a chain of operations");
        rw_signal_op *op = *ops + *nops;
        RW_TRY(rw_params_parse(ctx, rw_signal_op_params(), at, op));
        RW_TRY(rw_params_resolve(ctx, rw_signal_op_params(), NULL, op));
        if (op->method != RW_SIGNAL_GAIN && op->method != RW_SIGNAL_FIR) length += op->taps - 1;
        ++*nops;
    }
    return check_length(ctx, length);
}

rw_status rw_signal_design(rw_context *ctx, const char *text, double rate, double **taps, int64_t *n, int64_t *delay)
{
    RW_NEED(taps, "taps");
    *taps = NULL;
    RW_NEED(ctx, "context");
    RW_NEED(text, "text");
    RW_NEED(n, "n");
    RW_NEED(delay, "delay");
    if (!(rate > 0) || !isfinite(rate))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "signal: rate = %g samples/s: the rate must be finite and above 0", rate);
    char *copy = rw_strdup(text);
    double *h = rw_calloc(1, sizeof *h);
    rw_status status = copy && h ? RW_OK : rw_fail_memory(ctx, strlen(text), "a chain of operations");
    rw_signal_op *ops = NULL;
    int nops = 0;
    *n = 1;
    *delay = 0;
    if (h) *h = 1;
    if (status == RW_OK) status = parse_chain(ctx, copy, &ops, &nops);
    for (int i = 0; i < nops && status == RW_OK; ++i) status = append(ctx, ops + i, rate, &h, n, delay);
    rw_free(ops);
    rw_free(copy);
    if (status == RW_OK) *taps = h;
    else {
        rw_free(h);
        *n = 0;
    }
    return status;
}
