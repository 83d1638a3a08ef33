/* Short-time Fourier transforms (J. B. Allen, L. R. Rabiner, A unified approach to short-time Fourier analysis and
 * synthesis, 1977), and pictures of their magnitudes. The signal passes through in chunks of frames; their spectra stay
 * in host memory. */
#include <math.h>
#include <string.h>

#include "device/device.h"
#include "files/npy.h"
#include "io/colormap.h"
#include "io/raster.h"
#include "param/param.h"
#include "rechenwerk/fft.h"
#include "rechenwerk/program.h"
#include "rechenwerk/signal.h"
#include "signal/signal.h"

enum { CHUNK = 1 << 20 }; /* approximate number of values of a chunk */

typedef struct spectrogram {
    rw_context *ctx;
    rw_device *device;
    rw_spectrogram_spec spec; /* with defaults */
    rw_signal_source in;
    rw_dtype compute;
    int64_t frames, bins; /* of a chunk */
    int64_t samples;      /* of a chunk; at its end those that the next one begins with */
    rw_array *read, *x;   /* samples, and in the type that is computed with */
    rw_array *window, *framed, *spectra;
    rw_program *program;
    rw_kernel *kernel;
    rw_fft *fft;
    char *result; /* [total][bins] */
    size_t capacity;
    int64_t total;
    double sum; /* of the window */
} spectrogram;

/* y[f][i] <- w[i] (sum of the chosen channels of x[f hop + i]) */
static const char text[] =
    "KERNEL(frame, GLOBAL R *RESTRICT y, GLOBAL const R *RESTRICT x, GLOBAL const R *RESTRICT w, int length, int hop, "
    "int channels, int first,\n"
    "       int n)\n{\n"
    "    x += (long)GROUP_ID(0) * hop * channels + first;\n    y += (long)GROUP_ID(0) * length;\n"
    "    EACH(i, length) {\n        R sum = 0;\n"
    "        for (int c = 0; c < n; ++c) sum += x[(long)i * channels + c];\n        y[i] = w[i] * sum;\n    }\n}\n";

#define ROW(member, kind, standard, allowed, line)                                                                     \
    RW_ROW(rw_spectrogram_spec, member, kind, standard, allowed, line, .brief = NULL)
#define RW_X(name, text, line) text "|"
static const char windows[] = RW_SIGNAL_WINDOW_LIST(RW_X);
#undef RW_X

static const rw_param rows[] = {
    ROW(length, INT, "1024", "[2, 1048576]", "samples per transform"),
    ROW(hop, INT, "", "[1, 1048576]", "samples between the starts of transforms (default: length/4)"),
    ROW(window, ENUM, "hann", windows, "window: hann, hamming, blackman, kaiser or rectangular"),
    ROW(beta, REAL, "8.6", "(0, 100]", "parameter of the kaiser window"),
    ROW(channel, INT, "", "[1, 64]", "channel, counted from 1 (default: mean of all channels)"),
    ROW(figure, BOOL, "false", "", "draw a figure with axes and a colour bar (default: one pixel per value)"),
    ROW(wide, BOOL, "false", "", "double precision"),
};

RW_PARAMS(rw_spectrogram_params, rw_spectrogram_spec, rows, "spectrogram", "a spectrogram")

/* ---- plan -------------------------------------------------------------------------------------------------------- */

static rw_status check_spec(spectrogram *g, const char *out)
{
    rw_spectrogram_spec *s = &g->spec;
    RW_TRY(rw_params_resolve(g->ctx, rw_spectrogram_params(), "spectrogram", s));
    if (!s->hop) s->hop = RW_MAX(s->length / 4, 1);
    if (s->channel < 0 || s->channel > g->in.format.channels)
        return rw_fail(
            g->ctx, RW_ERR_ARGUMENT,
            "spectrogram: channel = %d: the signal has %d channels, counted from 1; 0 is the mean of all channels",
            s->channel, g->in.format.channels);
    if (!(s->low < s->high) && (s->low != 0 || s->high != 0))
        return rw_fail(g->ctx, RW_ERR_ARGUMENT,
                       "spectrogram: the colour range %g to %g dB is empty: the lower end must come first", s->low,
                       s->high);
    if (s->figure ? rw_ends_in(out, ".png") : rw_ends_in(out, ".npy") || rw_raster_format_of(out)) return RW_OK;
    return rw_fail(g->ctx, RW_ERR_ARGUMENT, "%s: the file name must end in %s", out,
                   s->figure ? ".png: a figure is a PNG file" : ".npy, .png or the ending of another picture format");
}

static rw_status make_window(spectrogram *g)
{
    const rw_spectrogram_spec *s = &g->spec;
    const int channels = s->channel ? 1 : g->in.format.channels;
    const double unit = 1 / (rw_sample_scale(g->in.format.kind) * channels);
    double *w = rw_calloc((size_t)s->length, sizeof *w);
    void *to;
    if (!w) return rw_fail_memory(g->ctx, (size_t)s->length * sizeof *w, "a window");
    rw_signal_fill_window(s->window, s->beta, s->length, true, w);
    rw_status status = rw_array_create(g->device, g->compute, 1, &s->length, RW_MEMORY_DEVICE, &g->window);
    if (status == RW_OK) status = rw_array_write(g->window, &to);
    for (int64_t i = 0; status == RW_OK && i < s->length; ++i) {
        g->sum += w[i];
        if (s->wide) ((double *)to)[i] = unit * w[i];
        else ((float *)to)[i] = (float)(unit * w[i]);
    }
    rw_free(w);
    return status;
}

static rw_status make(spectrogram *g, const char *in, const char *out)
{
    const rw_signal_format given = g->spec.in;
    RW_TRY(rw_signal_open(g->ctx, in, &given, &g->in));
    RW_TRY(check_spec(g, out));
    const rw_spectrogram_spec *s = &g->spec;
    const rw_dtype type = rw_sample_dtype(g->in.format.kind);
    g->compute = s->wide ? RW_F64 : RW_F32;
    g->bins = s->length / 2 + 1;
    g->frames = RW_MAX(CHUNK / RW_MAX(s->length, s->hop), 1);
    g->samples = (g->frames - 1) * s->hop + RW_MAX(s->length, s->hop);
    const int64_t values = g->samples * g->in.format.channels, framed[] = {g->frames, s->length},
                  spectra[] = {g->frames, g->bins};
    RW_TRY(make_window(g));
    RW_TRY(rw_array_create(g->device, type, 1, &values, RW_MEMORY_DEVICE, &g->read));
    if (type != g->compute) RW_TRY(rw_array_create(g->device, g->compute, 1, &values, RW_MEMORY_DEVICE, &g->x));
    RW_TRY(rw_array_create(g->device, g->compute, 2, framed, RW_MEMORY_DEVICE, &g->framed));
    RW_TRY(rw_array_create(g->device, s->wide ? RW_C128 : RW_C64, 2, spectra, RW_MEMORY_DEVICE, &g->spectra));
    const rw_define d[] = {{"GROUP", "256"}, {"R", rw_dtype_name(g->compute)}};
    RW_TRY(rw_program_create(g->device, "spectrogram", text, d, RW_COUNT(d), &g->program));
    RW_TRY(rw_program_kernel(g->program, "frame", &g->kernel));
    const rw_fft_spec spec = {.kind = RW_FFT_REAL,
                              .single = !s->wide,
                              .ndim = 2,
                              .shape = {g->frames, s->length},
                              .axes = 2};
    return rw_fft_create(g->device, &spec, &g->fft);
}

/* ---- transforms -------------------------------------------------------------------------------------------------- */

static rw_status transform(spectrogram *g, int64_t frames)
{
    const rw_spectrogram_spec *s = &g->spec;
    const int channels = g->in.format.channels;
    rw_queue *q = rw_device_queue(g->device);
    const size_t row = (size_t)g->bins * rw_dtype_size(s->wide ? RW_C128 : RW_C64), used = (size_t)g->total * row;
    const size_t wanted = used + (size_t)frames * row;
    const void *spectra;
    if (g->x) RW_TRY(rw_array_copy(g->x, g->read, q));
    const rw_arg a[] = {rw_arg_array(g->framed),
                        rw_arg_array(g->x ? g->x : g->read),
                        rw_arg_array(g->window),
                        rw_arg_int(s->length),
                        rw_arg_int(s->hop),
                        rw_arg_int(channels),
                        rw_arg_int(s->channel ? s->channel - 1 : 0),
                        rw_arg_int(s->channel ? 1 : channels)};
    RW_TRY(rw_launch(q, g->kernel, (int64_t[]){g->frames, 1, 1}, a, RW_COUNT(a)));
    RW_TRY(rw_fft_execute(g->fft, g->framed, g->spectra, q));
    RW_TRY(rw_array_read(g->spectra, &spectra));
    if (wanted > g->capacity) {
        const size_t capacity = RW_MAX(2 * g->capacity, wanted);
        char *more = rw_realloc(g->result, capacity);
        if (!more) return rw_fail_memory(g->ctx, capacity, "a spectrogram (a larger hop needs less)");
        g->result = more;
        g->capacity = capacity;
    }
    memcpy(g->result + used, spectra, wanted - used);
    g->total += frames;
    return RW_OK;
}

static rw_status run(spectrogram *g)
{
    const rw_spectrogram_spec *s = &g->spec;
    const size_t bytes = (size_t)g->in.format.channels * rw_dtype_size(rw_sample_dtype(g->in.format.kind));
    const int64_t again = RW_MAX(s->length - s->hop, 0);
    int64_t kept = 0, have, n;
    do {
        void *w;
        RW_TRY((kept ? rw_array_update : rw_array_write)(g->read, &w));
        char *x = w;
        if (kept) memmove(x, x + (size_t)(g->samples - again) * bytes, (size_t)kept * bytes);
        RW_TRY(rw_signal_read(&g->in, x + (size_t)kept * bytes, g->samples - kept, &have));
        if (g->in.broken) return rw_fail(g->ctx, g->in.broken, "%s", g->in.message);
        n = kept + have;
        kept = again;
        memset(x + (size_t)n * bytes, 0, (size_t)(g->samples - n) * bytes);
        const int64_t frames = n >= s->length ? RW_MIN((n - s->length) / s->hop + 1, g->frames) : !g->total && n > 0;
        if (frames) RW_TRY(transform(g, frames));
    } while (n == g->samples);
    if (g->total) return RW_OK;
    return rw_fail(g->ctx, RW_ERR_INPUT, "%s has no samples: a spectrogram needs at least one", g->in.file.name);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* db[k][f] */
static void fill_decibels(const spectrogram *g, double *db)
{
    const double unit = 2 / g->sum;
    for (int64_t f = 0; f < g->total; ++f)
        for (int64_t k = 0; k < g->bins; ++k) {
            const size_t at = (size_t)(f * g->bins + k);
            const double *d = (const double *)g->result + 2 * at,
                         re = g->spec.wide ? d[0] : ((const float *)g->result)[2 * at],
                         im = g->spec.wide ? d[1] : ((const float *)g->result)[2 * at + 1];
            db[k * g->total + f] = 20 * log10(fmax(unit * hypot(re, im), 1e-300));
        }
}

static rw_status write_picture(const spectrogram *g, const char *out, const double *db, double low, double high)
{
    rw_raster r = {0};
    RW_TRY(rw_raster_create(g->ctx, out, (size_t)g->total, (size_t)g->bins, 3, 1, (size_t)1 << 28, &r));
    for (int64_t k = 0; k < g->bins; ++k)
        for (int64_t f = 0; f < g->total; ++f)
            rw_colormap_rgb(RW_COLORMAP_SEQUENTIAL, (db[k * g->total + f] - low) / (high - low),
                            (uint8_t *)r.samples + 3 * (size_t)((g->bins - 1 - k) * g->total + f));
    rw_status status = rw_raster_write(g->ctx, out, &r);
    rw_raster_free(&r);
    return status;
}

static rw_status write_figure(const spectrogram *g, const char *out, const double *db, double low, double high)
{
    const rw_spectrogram_spec *s = &g->spec;
    const double rate = g->in.format.rate, df = rate / (double)s->length;
    /* a column is at the middle of its frame */
    const double step = (double)s->hop / rate, first = (double)s->length / 2 / rate - step / 2;
    const rw_figure_field field = {.nx = (size_t)g->total,
                                   .ny = (size_t)g->bins,
                                   .values = db,
                                   .x0 = first,
                                   .x1 = first + (double)g->total * step,
                                   .y0 = -df / 2,
                                   .y1 = ((double)g->bins - 0.5) * df,
                                   .x_label = "time / s",
                                   .y_label = "frequency / Hz",
                                   .value = {.label = "dB", .min = low, .max = high},
                                   .stretch = true};
    return rw_figure_write_field(g->ctx, out, &(rw_figure_page){.width = 1400, .height = 800}, &field);
}

static rw_status write_result(spectrogram *g, const char *out, double *low, double *high)
{
    const size_t n = (size_t)g->total * (size_t)g->bins;
    const size_t shape[] = {(size_t)g->total, (size_t)g->bins};
    if (rw_ends_in(out, ".npy")) return rw_npy_write(g->ctx, out, g->spec.wide ? RW_C128 : RW_C64, 2, shape, g->result);
    double *db = rw_calloc(n, sizeof *db);
    if (!db) return rw_fail_memory(g->ctx, n * sizeof *db, "a spectrogram (a larger hop needs less)");
    fill_decibels(g, db);
    *low = g->spec.low;
    *high = g->spec.high;
    if (*low == *high) {
        *high = -1000;
        for (size_t i = 0; i < n; ++i) *high = fmax(*high, db[i]);
        *low = *high - 80;
    }
    rw_status status = (g->spec.figure ? write_figure : write_picture)(g, out, db, *low, *high);
    rw_free(db);
    return status;
}

static rw_status spectrogram_run(rw_device *dev, const char *in, const char *out, const rw_spectrogram_spec *spec,
                                 rw_spectrogram_report *report)
{
    spectrogram g = {.ctx = dev->ctx, .device = dev, .spec = *spec};
    const double start = rw_seconds();
    double low = 0, high = 0;
    rw_status status = make(&g, in, out);
    if (status == RW_OK) status = run(&g);
    if (status == RW_OK) status = write_result(&g, out, &low, &high);
    if (report)
        *report = (rw_spectrogram_report){g.in.done, g.total, g.bins, low, high, rw_seconds() - start, g.in.format};
    rw_fft_destroy(&g.fft);
    rw_program_destroy(&g.program);
    rw_array_destroy(&g.read);
    rw_array_destroy(&g.x);
    rw_array_destroy(&g.window);
    rw_array_destroy(&g.framed);
    rw_array_destroy(&g.spectra);
    rw_signal_close(&g.in);
    rw_free(g.result);
    return status;
}

rw_status rw_spectrogram_run_sized(rw_device *dev, const char *in, const char *out, const rw_spectrogram_spec *spec,
                                   rw_spectrogram_report *report, size_t spec_size, size_t report_size)
{
    RW_NEED(dev, "device");
    RW_NEED(in, "in");
    RW_NEED(out, "out");
    RW_NEED(spec, "spec");
    RW_STRUCT_IN(dev->ctx, rw_spectrogram_spec, spec, spec_size);
    RW_STRUCT_ROOM(rw_spectrogram_report, report, report_size);
    return RW_STRUCT_OUT(spectrogram_run(dev, in, out, spec, report_whole), report, report_size);
}
