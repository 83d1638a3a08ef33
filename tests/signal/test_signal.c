/* Signals: filters beside plain convolutions in f64, designs beside those of SciPy, every kind of samples, spectrograms
 * beside a plain Fourier transform, paces and late blocks, streams that are damaged. Files are written and read here
 * without the library. */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../clock.h"
#include "../devices.h"
#include "files/npy.h"
#include "io/raster.h"
#include "rechenwerk/signal.h"

#define PI 3.14159265358979323846

static char folder[64];
static const char *at(const char *name)
{
    static char path[4][160];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static const int bytes_of[] = {0, 1, 2, 3, 4, 4, 8};
static const double scale_of[] = {1, 128, 32768, 8388608, 2147483648., 1, 1};

static void write_file(const char *name, const void *bytes, size_t n)
{
    FILE *file = fopen(at(name), "wb");
    assert_true(file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
}

static size_t put(uint8_t *b, uint64_t v, int n)
{
    for (int i = 0; i < n; ++i) b[i] = (uint8_t)(v >> (8 * i));
    return (size_t)n;
}

/* x[i] in units of the kind: integers are exact. */
static size_t encode(uint8_t *b, const double *x, size_t n, rw_sample_kind kind)
{
    for (size_t i = 0; i < n; ++i, b += bytes_of[kind]) {
        const float single = (float)x[i];
        if (kind == RW_SAMPLE_F32) memcpy(b, &single, 4);
        else if (kind == RW_SAMPLE_F64) memcpy(b, x + i, 8);
        else put(b, (uint64_t)(int64_t)(kind == RW_SAMPLE_U8 ? x[i] + 128 : x[i]), bytes_of[kind]);
    }
    return n * (size_t)bytes_of[kind];
}

/* A header in its plainest form; size: of the data, as the header says. */
static size_t wav_header(uint8_t *b, rw_sample_kind kind, int channels, int rate, uint64_t size)
{
    const unsigned frame = (unsigned)(channels * bytes_of[kind]);
    memcpy(b, "RIFF....WAVEfmt \20\0\0\0", 20), put(b + 4, size + 36, 4);
    put(b + 20, kind >= RW_SAMPLE_F32 ? 3 : 1, 2), put(b + 22, (unsigned)channels, 2), put(b + 24, (unsigned)rate, 4);
    put(b + 28, (unsigned)rate * frame, 4), put(b + 32, frame, 2), put(b + 34, 8 * (unsigned)bytes_of[kind], 2);
    memcpy(b + 36, "data", 4), put(b + 40, size, 4);
    return 44;
}

static uint8_t buffer[1 << 20];

static void write_wav(const char *name, const double *x, int64_t n, int channels, rw_sample_kind kind)
{
    const size_t values = (size_t)(n * channels);
    wav_header(buffer, kind, channels, 8000, values * (size_t)bytes_of[kind]);
    write_file(name, buffer, 44 + encode(buffer + 44, x, values, kind));
}

/* Samples per channel of a file that the library has written; x in units of the kind. */
static int64_t read_signal(const char *name, rw_sample_kind kind, int channels, bool wav, double *x)
{
    FILE *file = fopen(at(name), "rb");
    assert_non_null(file);
    size_t n = fread(buffer, 1, sizeof buffer, file);
    fclose(file);
    const uint8_t *b = buffer;
    if (wav) {
        uint32_t riff, size;
        memcpy(&riff, b + 4, 4);
        assert_true(n > 44 - 8 && !memcmp(b, "RIFF", 4) && riff == n - 8 && riff % 2 == 0);
        const unsigned tag = b[20] == 0xfe && b[21] == 0xff ? b[44] : b[20];
        assert_true(tag == (kind >= RW_SAMPLE_F32 ? 3 : 1) && b[22] == channels && b[34] == 8 * bytes_of[kind]);
        for (b += 12; memcmp(b, "data", 4); b += 8 + size) memcpy(&size, b + 4, 4);
        memcpy(&size, b + 4, 4);
        b += 8;
        assert_true(b + size + size % 2 == buffer + n);
        n = size;
    }
    const int64_t values = (int64_t)n / bytes_of[kind];
    for (int64_t i = 0; i < values; ++i, b += bytes_of[kind]) {
        float single;
        int32_t v = 0;
        if (kind == RW_SAMPLE_F32) memcpy(&single, b, 4), x[i] = single;
        else if (kind == RW_SAMPLE_F64) memcpy(x + i, b, 8);
        else memcpy((char *)&v + 4 - bytes_of[kind], b, (size_t)bytes_of[kind]), x[i] = v >> (32 - 8 * bytes_of[kind]);
        if (kind == RW_SAMPLE_U8) x[i] = b[0] - 128;
    }
    return values / channels;
}

static rw_status stop_at_once(void *user, const rw_signal_report *r);

static rw_signal_report filter(const char *in, const char *out, const rw_signal_spec *spec)
{
    rw_signal_report r;
    const rw_status status = rw_signal_run(dev, at(in), at(out), spec, &r);
    if (spec->progress == stop_at_once) assert_int_equal(status, RW_ERR_INTERRUPTED);
    else OK(status);
    return r;
}

/* ---- filters ----------------------------------------------------------------------------------------------------- */

enum { MOST = 3 * 1000 };
static double x[MOST], y[MOST], wanted[MOST];

/* wanted[i] = sum h[k] x[i + delay - k] */
static double convolve(int64_t n, int channels, const double *h, int64_t m, int64_t delay)
{
    double sum = 0;
    for (int64_t k = 0; k < m; ++k) sum += fabs(h[k]);
    for (int64_t i = 0; i < n; ++i)
        for (int c = 0; c < channels; ++c) {
            double v = 0;
            for (int64_t k = 0; k < m; ++k)
                if (i + delay - k >= 0 && i + delay - k < n) v += h[k] * x[(i + delay - k) * channels + c];
            wanted[i * channels + c] = v;
        }
    return sum;
}

static void compare(const char *what, int64_t n, double bound)
{
    for (int64_t i = 0; i < n; ++i)
        if (!(fabs(y[i] - wanted[i]) <= bound))
            fail_msg("%s, value %d: %.17g, not %.17g", what, (int)i, y[i], wanted[i]);
}

/* Lengths around those of taps, blocks (64) and turns (192); taps without symmetry are causal, designs aligned. */
static void test_fir(void **state)
{
    (void)state;
    static const int64_t lengths[] = {0, 1, 192, 397, 7, 31, 30, 32, 63, 64, 65, 191, 193, 577};
    char text[31 * 24] = "", op[200], what[100];
    for (int k = 0; k < 31; ++k)
        snprintf(text + strlen(text), 24, "%.12f%s", rw_random_uniform(3, (uint64_t)k) - 0.5, k % 4 ? "," : "\n# x\n");
    write_file("taps.txt", text, strlen(text));
    for (int i = 0; i < MOST; ++i) x[i] = (float)(2 * rw_random_uniform(1, (uint64_t)i) - 1);
    snprintf(op, sizeof op, "fir:file=%s", at("taps.txt"));
    for (int channels = 1; channels <= 3; ++channels)
        for (int variant = 0; variant < 4; ++variant) {
            if (brief() && (channels != 3 || variant != 1)) continue; /* each compiles programs */
            const bool keep = variant == 2, wide = variant == 3;
            const rw_signal_spec spec = {.text = variant ? "lowpass:cutoff=900:taps=31" : op,
                                         .block = variant == 1 ? 9 : 64,
                                         .batch = 3,
                                         .queues = 1 + channels % 2,
                                         .keep_delay = keep,
                                         .wide = wide,
                                         .kind = RW_SAMPLE_F64};
            double *h;
            int64_t m, delay;
            OK(rw_signal_design(ctx, spec.text, 8000, &h, &m, &delay));
            assert_true(m == 31 && delay == (variant ? 15 : 0));
            for (int l = 0; l < RW_COUNT(lengths) - (brief() ? 7 : 0); ++l) {
                const int64_t n = lengths[l];
                write_wav("x.wav", x, n, channels, RW_SAMPLE_F32);
                const rw_signal_report r = filter("x.wav", "y.wav", &spec);
                const double bound = convolve(n, channels, h, m, keep ? 0 : delay) * (wide ? 1e-15 : 1e-6);
                snprintf(what, sizeof what, "%d channels, variant %d, %d samples", channels, variant, (int)n);
                assert_true(r.samples == n && r.delay == (keep ? 0 : delay) &&
                            read_signal("y.wav", RW_SAMPLE_F64, channels, true, y) == n);
                compare(what, n * channels, bound);
            }
            free(h);
        }
}

/* A chain is the convolution of its responses; defaults of block and batch. */
static void test_chain(void **state)
{
    (void)state;
    const rw_signal_spec spec = {.text = " highpass:cutoff=200:taps=21:kaiser | "
                                         "gain:db=-6.0205999132796239|bandstop:cutoff=1000:cutoff_high=2000:taps=41",
                                 .wide = true,
                                 .kind = RW_SAMPLE_F64};
    double *a, *b, h[61] = {0};
    int64_t n, m, delay;
    OK(rw_signal_design(ctx, "highpass:cutoff=200:taps=21:window=kaiser:beta=8.6", 8000, &a, &n, &delay));
    OK(rw_signal_design(ctx, "bandstop:cutoff=1000:cutoff_high=2000:taps=41", 8000, &b, &m, &delay));
    for (int i = 0; i < 21; ++i)
        for (int k = 0; k < 41; ++k) h[i + k] += 0.5 * a[i] * b[k];
    if (brief()) {
        free(a), free(b);
        return;
    }
    write_wav("x.wav", x, 999, 1, RW_SAMPLE_F64);
    const rw_signal_report r = filter("x.wav", "y.wav", &spec);
    assert_true(r.taps == 61 && r.delay == 30 && r.block == 1024 && r.batch == 64 && r.in.channels == 1 &&
                r.in.rate == 8000);
    assert_int_equal(read_signal("y.wav", RW_SAMPLE_F64, 1, true, y), 999);
    compare("chain", 999, convolve(999, 1, h, 61, 30) * 1e-15);
    free(a), free(b);
}

/* A value that is not finite affects the results that read it, no others; of integers NaN becomes 0. */
static void test_nonfinite(void **state)
{
    (void)state;
    static const rw_sample_kind kinds[] = {RW_SAMPLE_F32, RW_SAMPLE_F64, RW_SAMPLE_S16};
    const char *op = "lowpass:cutoff=900:taps=31";
    const int64_t n = 1000;
    double *h;
    int64_t m, delay;
    OK(rw_signal_design(ctx, op, 8000, &h, &m, &delay));
    for (int i = 0; i < MOST; ++i) x[i] = (float)(2 * rw_random_uniform(1, (uint64_t)i) - 1) / 4;
    for (int i = 0; i < 70; ++i) x[2 * (500 + i)] = NAN;
    x[2 * 10 + 1] = x[2 * 999] = NAN;
    x[2 * 200] = INFINITY;
    x[2 * 215] = -INFINITY;
    x[2 * 300 + 1] = -INFINITY;
    write_wav("x.wav", x, n, 2, RW_SAMPLE_F32);
    const double bound = convolve(n, 2, h, m, delay) * 1e-6;
    for (int k = 0; k < RW_COUNT(kinds); ++k) {
        if (brief() && k) continue;
        const rw_signal_spec spec = {.text = op, .block = 64, .batch = 3, .wide = k == 1, .kind = kinds[k]};
        filter("x.wav", "y.wav", &spec);
        assert_int_equal(read_signal("y.wav", kinds[k], 2, true, y), n);
        for (int i = 0; i < 2 * n; ++i) {
            const double w = kinds[k] != RW_SAMPLE_S16 ? wanted[i]
                             : isnan(wanted[i])        ? 0
                                                       : rint(fmin(fmax(32768 * wanted[i], -32768), 32767));
            if (!(fabs(y[i] - w) <= (k == 2 ? 1 : bound) || y[i] == w || (isnan(y[i]) && isnan(w))))
                fail_msg("kind %d, value %d: %g, not %g", k, i, y[i], w);
        }
    }
    free(h);
}

/* From every kind to every kind, WAV and raw: rounded to nearest, saturated. */
static void test_kinds(void **state)
{
    (void)state;
    const int64_t n = 101;
    const int channels = 2;
    for (int from = 1; from < RW_SAMPLE_KINDS; ++from)
        for (int to = 1; to < RW_SAMPLE_KINDS; ++to) {
            const bool raw = (from + to) % 2;
            char what[64];
            if (brief() && from != to && (from + 2 * to) % 7) continue;
            snprintf(what, sizeof what, "%s to %s", rw_sample_kind_name((rw_sample_kind)from),
                     rw_sample_kind_name((rw_sample_kind)to));
            for (int i = 0; i < n * channels; ++i) {
                const double u = 2 * rw_random_uniform(9, (uint64_t)i) - 1;
                x[i] = from >= RW_SAMPLE_F32 ? (float)u
                       : i == 5              ? scale_of[from] - 1
                       : i == 6              ? -scale_of[from]
                                             : rint((scale_of[from] - 1) * u);
                const double v = x[i] / scale_of[from] * scale_of[to], high = scale_of[to] - 1;
                wanted[i] = to >= RW_SAMPLE_F32 ? v : rint(v > high ? high : v);
            }
            rw_signal_spec spec = {.text = "gain", .wide = true, .kind = (rw_sample_kind)to, .block = 32, .batch = 2};
            write_wav("x.wav", x, n, channels, (rw_sample_kind)from);
            if (raw) {
                write_file("x.raw", buffer, encode(buffer, x, (size_t)(n * channels), (rw_sample_kind)from));
                spec.in = (rw_signal_format){.kind = (rw_sample_kind)from, .channels = channels, .rate = 8000.5};
            }
            const rw_signal_report r = filter(raw ? "x.raw" : "x.wav", raw ? "y.raw" : "y.wav", &spec);
            assert_true(r.samples == n && (int)r.in.kind == from && (int)r.out.kind == to);
            assert_int_equal(read_signal(raw ? "y.raw" : "y.wav", (rw_sample_kind)to, channels, !raw, y), n);
            /* a half may be rounded either way after rounding errors of transforms */
            compare(what, n * channels, to >= RW_SAMPLE_F32 ? 3e-7 : to < from || from >= RW_SAMPLE_F32 ? 1 : 0);
        }
    if (brief()) return;
    /* one channel of 8 bits and an odd number of samples: a byte more at the end; amplified beyond the range */
    for (int i = 0; i < 7; ++i) x[i] = 40 * i - 120, wanted[i] = RW_MIN(RW_MAX(4 * x[i], -128), 127);
    write_wav("x.wav", x, 7, 1, RW_SAMPLE_U8);
    filter("x.wav", "y.wav", &(rw_signal_spec){.text = "gain:factor=4", .wide = true, .block = 32, .batch = 2});
    assert_int_equal(read_signal("y.wav", RW_SAMPLE_U8, 1, true, y), 7);
    compare("saturation", 7, 0);
}

/* Values of scipy.signal.firwin 1.17 at 8000 samples/s. */
static void test_designs(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int n;
        double h[11];
    } rows[] = {
        {"lowpass:cutoff=1000:taps=7",
         7,
         {0.008485920061584364, 0.06975525008428167, 0.2450309417782483, 0.3534557761517712, 0.2450309417782484,
          0.06975525008428175, 0.008485920061584364}},
        {"lowpass:cutoff=700:taps=9:window=kaiser:beta=5",
         9,
         {0.003506427556547341, 0.03617967181779686, 0.1163139674464325, 0.2141833414172764, 0.259633183523894,
          0.2141833414172764, 0.1163139674464325, 0.03617967181779686, 0.003506427556547341}},
        {"highpass:cutoff=2500:taps=9:hann",
         9,
         {0, 0.006082110378223688, 0.05755480426292386, -0.2567453627137081, 0.3835638868031833, -0.2567453627137081,
          0.05755480426292386, 0.006082110378223688, 0}},
        {"bandpass:cutoff=500:cutoff_high=1500:taps=11:blackman",
         11,
         {0, -0.01257247803578065, -0.0546756697658178, 0, 0.2873861316988, 0.4911066051274033, 0.2873861316988, 0,
          -0.0546756697658178, -0.01257247803578065, 0}},
        {"bandstop:cutoff=900:cutoff_high=2100:taps=9:rectangular",
         9,
         {0, 0.1573974194441421, 0.1480117660489746, -0.08990213695059504, 0.5689859029149567, -0.08990213695059504,
          0.1480117660489746, 0.1573974194441421, 0}},
        {"lowpass:cutoff=3000:taps=1", 1, {1}},
        {"highpass:cutoff=3000:taps=3|gain:db=20", 3, {-0.6295639775562938, 8.740872044887412, -0.6295639775562938}},
    };
    double *h;
    int64_t n, delay;
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        OK(rw_signal_design(ctx, rows[i].text, 8000, &h, &n, &delay));
        assert_true(n == rows[i].n && delay == n / 2);
        for (int k = 0; k < n; ++k)
            if (fabs(h[k] - rows[i].h[k]) > 1e-14)
                fail_msg("%s, tap %d: %.17g, not %.17g", rows[i].text, k, h[k], rows[i].h[k]);
        free(h);
    }
    static const struct {
        const char *text;
        rw_status status;
        const char *message;
    } mistakes[] = {
        {"lowpas:cutoff=3", RW_ERR_ARGUMENT, "nearest is lowpass"},
        {"lowpass", RW_ERR_ARGUMENT, "cutoff is missing"},
        {"bandpass:cutoff=100", RW_ERR_ARGUMENT, "cutoff_high is missing"},
        {"bandstop:cutoff=300:cutoff_high=200", RW_ERR_ARGUMENT, "not below cutoff_high"},
        {"highpass:cutoff=4000", RW_ERR_ARGUMENT, "not below half of the sampling rate, 4000 Hz"},
        {"lowpass:cutoff=100:taps=64", RW_ERR_ARGUMENT, "is even"},
        {"lowpass:cutoff=100:taps=0.5", RW_ERR_ARGUMENT, "taps"},
        {"lowpass:cutoff=100:factor=2", RW_ERR_ARGUMENT, "factor"},
        {"gain:2||gain", RW_ERR_ARGUMENT, "is empty"},
        {"fir", RW_ERR_ARGUMENT, "file is missing"},
        {"fir:file=/nowhere/taps", RW_ERR_FILE, "/nowhere/taps"},
    };
    for (int i = 0; i < RW_COUNT(mistakes); ++i) {
        FAILS(mistakes[i].status, mistakes[i].message, rw_signal_design(ctx, mistakes[i].text, 8000, &h, &n, &delay));
        assert_null(h);
    }
    char text[200];
    snprintf(text, sizeof text, "fir:file=%s", at("h.txt"));
    write_file("h.txt", "1 2\n3 x\n", 8);
    FAILS(RW_ERR_INPUT, "h.txt:2: 'x", rw_signal_design(ctx, text, 8000, &h, &n, &delay));
    write_file("h.txt", " # none\n", 8);
    FAILS(RW_ERR_INPUT, "0 taps", rw_signal_design(ctx, text, 8000, &h, &n, &delay));
    write_file("h.txt", "1,0;-1", 6); /* antisymmetric */
    OK(rw_signal_design(ctx, text, 8000, &h, &n, &delay));
    assert_true(n == 3 && delay == 1 && h[2] == -1);
    free(h);
    snprintf(text, sizeof text, "fir:file=%s", at("h.npy"));
    OK(rw_npy_write(ctx, at("h.npy"), RW_I16, 1, (size_t[]){4}, (int16_t[]){1, 2, 2, 1}));
    OK(rw_signal_design(ctx, text, 8000, &h, &n, &delay));
    assert_true(n == 4 && delay == 0 && h[1] == 2);
    free(h);
    OK(rw_npy_write(ctx, at("h.npy"), RW_F32, 2, (size_t[]){1, 1}, (float[]){1}));
    FAILS(RW_ERR_INPUT, "2 dimensions", rw_signal_design(ctx, text, 8000, &h, &n, &delay));
    OK(rw_npy_write(ctx, at("h.npy"), RW_F32, 1, (size_t[]){1}, (float[]){INFINITY}));
    FAILS(RW_ERR_INPUT, "taps must be finite", rw_signal_design(ctx, text, 8000, &h, &n, &delay));
}

/* ---- spectrograms ------------------------------------------------------------------------------------------------ */

static void expect_transforms(const rw_spectrogram_spec *s, int64_t n, int channels)
{
    rw_npy a;
    rw_spectrogram_report r;
    OK(rw_spectrogram_run(dev, at("x.wav"), at("s.npy"), s, &r));
    OK(rw_npy_read(ctx, at("s.npy"), &a));
    const int64_t frames = n < s->length ? 1 : (n - s->length) / s->hop + 1, bins = s->length / 2 + 1;
    assert_true(a.ndim == 2 && a.type == (s->wide ? RW_C128 : RW_C64) && (int64_t)a.shape[0] == frames &&
                (int64_t)a.shape[1] == bins);
    assert_true(r.frames == frames && r.bins == bins && r.samples == n);
    const int first = s->channel ? s->channel - 1 : 0, last = s->channel ? s->channel : channels;
    for (int64_t f = 0; f < frames; ++f)
        for (int64_t k = 0; k < bins; ++k) {
            double re = 0, im = 0;
            for (int64_t i = 0; i < s->length && f * s->hop + i < n; ++i)
                for (int c = first; c < last; ++c) {
                    const double w = 0.5 - 0.5 * cos(2 * PI * (double)i / (double)s->length),
                                 t = 2 * PI * (double)(i * k % s->length) / (double)s->length;
                    const double v = w * x[(f * s->hop + i) * channels + c] / 32768 / (last - first);
                    re += v * cos(t), im -= v * sin(t);
                }
            const int64_t e = 2 * (f * bins + k);
            const double *d = (double *)a.data + e, gr = s->wide ? d[0] : ((float *)a.data)[e],
                         gi = s->wide ? d[1] : ((float *)a.data)[e + 1];
            if (hypot(gr - re, gi - im) > (double)s->length * (s->wide ? 1e-15 : 1e-7))
                fail_msg("frame %d, frequency %d: %g %g, not %g %g", (int)f, (int)k, gr, gi, re, im);
        }
    rw_npy_free(&a);
}

static void test_spectrogram(void **state)
{
    (void)state;
    for (int i = 0; i < MOST; ++i) x[i] = rint(65535 * rw_random_uniform(4, (uint64_t)i)) - 32768;
    write_wav("x.wav", x, 500, 2, RW_SAMPLE_S16);
    expect_transforms(&(rw_spectrogram_spec){.length = 60, .hop = 17}, 500, 2);
    if (!brief()) expect_transforms(&(rw_spectrogram_spec){.length = 60, .hop = 77, .channel = 2}, 500, 2);
    if (!brief())
        expect_transforms(&(rw_spectrogram_spec){.length = 64, .hop = 64, .channel = 1, .wide = true}, 500, 2);
    write_wav("x.wav", x, 33, 2, RW_SAMPLE_S16);
    expect_transforms(&(rw_spectrogram_spec){.length = 60, .hop = 17, .channel = 2}, 33, 2);
    /* more than one chunk on the device */
    if (!brief()) {
        double *long_x = calloc(1 << 17, sizeof *long_x);
        for (int i = 0; i < 1 << 17; ++i) long_x[i] = 1000 * sin(0.001 * i);
        rw_spectrogram_report r, again;
        write_wav("x.wav", long_x, 1 << 17, 1, RW_SAMPLE_S16);
        OK(rw_spectrogram_run(dev, at("x.wav"), at("s.npy"), &(rw_spectrogram_spec){.length = 16, .hop = 1}, &r));
        assert_int_equal(r.frames, (1 << 17) - 15);
        rw_npy a, b;
        OK(rw_npy_read(ctx, at("s.npy"), &a));
        write_wav("x.wav", long_x + 65500, 100, 1, RW_SAMPLE_S16);
        OK(rw_spectrogram_run(dev, at("x.wav"), at("s.npy"), &(rw_spectrogram_spec){.length = 16, .hop = 1}, &again));
        OK(rw_npy_read(ctx, at("s.npy"), &b));
        assert_memory_equal((float *)a.data + 65500 * 18, b.data, (size_t)again.frames * 9 * 8);
        rw_npy_free(&a), rw_npy_free(&b), free(long_x);
    }
}

/* A sine of half of full scale: -6 dB at its frequency; row 0 of a picture is the highest frequency. */
static void test_picture(void **state)
{
    (void)state;
    rw_spectrogram_report r;
    rw_raster p;
    for (int i = 0; i < 960; ++i) x[i] = 0.5 * sin(2 * PI * 1600 * i / 8000);
    write_wav("x.wav", x, 960, 1, RW_SAMPLE_F32);
    rw_spectrogram_spec s = {.length = 60, .hop = 20};
    OK(rw_spectrogram_run(dev, at("x.wav"), at("s.png"), &s, &r));
    assert_true(fabs(r.high + 6.0206) < 1e-3 && fabs(r.high - r.low - 80) < 1e-9);
    OK(rw_raster_read(ctx, at("s.png"), 0, &p));
    assert_true(p.width == 46 && p.height == 31 && p.channels == 3);
    const uint8_t *b = p.samples;
    for (size_t i = 0; i < 46; ++i) { /* bin 12: yellow; far away: dark */
        const uint8_t *peak = b + 3 * ((30 - 12) * 46 + i), *far = b + 3 * ((30 - 25) * 46 + i);
        assert_true(peak[0] > 200 && peak[1] > 200 && far[1] < 40);
    }
    rw_raster_free(&p);
    s.figure = true, s.low = -100, s.high = 0;
    OK(rw_spectrogram_run(dev, at("x.wav"), at("s.png"), &s, &r));
    OK(rw_raster_read(ctx, at("s.png"), 0, &p));
    assert_true(p.width == 1400 && p.height == 800 && r.low == -100 && r.high == 0);
    rw_raster_free(&p);
    FAILS(RW_ERR_ARGUMENT, ".png: a figure is a PNG file", rw_spectrogram_run(dev, at("x.wav"), at("s.npy"), &s, &r));
    FAILS(RW_ERR_ARGUMENT, "must end in .npy",
          rw_spectrogram_run(dev, at("x.wav"), at("s.txt"), &(rw_spectrogram_spec){0}, &r));
    FAILS(RW_ERR_ARGUMENT, "channel = 2",
          rw_spectrogram_run(dev, at("x.wav"), at("s.png"), &(rw_spectrogram_spec){.channel = 2}, &r));
    FAILS(RW_ERR_ARGUMENT, "length = 1",
          rw_spectrogram_run(dev, at("x.wav"), at("s.png"), &(rw_spectrogram_spec){.length = 1}, &r));
    FAILS(RW_ERR_ARGUMENT, "3 to 2 dB",
          rw_spectrogram_run(dev, at("x.wav"), at("s.png"), &(rw_spectrogram_spec){.low = 3, .high = 2}, &r));
    write_wav("x.wav", x, 0, 1, RW_SAMPLE_F32);
    FAILS(RW_ERR_INPUT, "no samples",
          rw_spectrogram_run(dev, at("x.wav"), at("t.png"), &(rw_spectrogram_spec){.length = 60, .hop = 20}, &r));
    assert_int_not_equal(access(at("t.png"), F_OK), 0);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* Takes 4096 bytes every 40 ms from a pipe that holds as many. */
static void *slow_reader(void *user)
{
    char bytes[4096];
    const struct timespec t = {0, 40000000};
    const int fd = open(user, O_RDONLY);
    if (fd < 0) return NULL;
    (void)fcntl(fd, F_SETPIPE_SZ, 4096);
    for (size_t have = 0;;) {
        const ssize_t got = read(fd, bytes, sizeof bytes - have);
        if (got <= 0) break;
        have = (have + (size_t)got) % sizeof bytes;
        if (!have) nanosleep(&t, NULL);
    }
    close(fd);
    return NULL;
}

static void test_pace(void **state)
{
    (void)state;
    char pipe[160];
    pthread_t thread;
    /* blocks of 10 ms; the last one is not full */
    rw_signal_spec spec = {.text = "gain",
                           .in = {.kind = RW_SAMPLE_F32, .channels = 2, .rate = 51200},
                           .block = 512,
                           .real_time = true,
                           .deadline = 5};
    memset(buffer, 0, sizeof buffer);
    write_file("x.raw", buffer, 20 * 4096 - 400);
    begin_clock();
    rw_signal_report r = filter("x.raw", "y.raw", &spec);
    end_clock();
    assert_true(r.blocks == 20 && r.samples == 20 * 512 - 50 && r.late == 0 && r.batch == 1 &&
                r.latency <= r.latency_99 * 1.1);
    assert_true(r.seconds > 0.2 - 1e-9 && r.seconds < 0.25 && r.latency > 0 && r.latency_max < 0.2);
    /* block k is due at 10 (k + 1) ms, and leaves at 40 (k - 1) ms or later: late from k = 3 on */
    snprintf(pipe, sizeof pipe, "%s", at("pipe"));
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(pthread_create(&thread, NULL, slow_reader, pipe), 0);
    spec.deadline = 0;
    OK(rw_signal_run(dev, at("x.raw"), pipe, &spec, &r));
    pthread_join(thread, NULL);
    unlink(pipe);
    assert_true(r.blocks == 20 && fabs(r.deadline - 0.01) < 1e-12);
    if (r.late < 14 || r.latency_max < 0.3)
        fail_msg("%d blocks late, not 17 to 20; latency %g s", (int)r.late, r.latency_max);
    if (brief()) return;
    spec.real_time = false;
    r = filter("x.raw", "y.raw", &spec);
    assert_true(r.deadline == 0 && r.late == 0 && r.batch == 128);
}

static rw_status stop_at_once(void *user, const rw_signal_report *r)
{
    *(int64_t *)user = r->samples;
    return RW_ERR_INTERRUPTED;
}

static void test_stop(void **state)
{
    (void)state;
    int64_t seen = 0;
    rw_signal_spec spec = {.text = "gain",
                           .in = {.kind = RW_SAMPLE_F32, .channels = 2, .rate = 51200},
                           .block = 512,
                           .real_time = true,
                           .progress = stop_at_once,
                           .user = &seen};
    write_file("x.raw", buffer, 200 * 4096);
    begin_clock();
    const rw_signal_report r = filter("x.raw", "y.raw", &spec);
    end_clock();
    double *all = calloc(200 * 1024, sizeof *all);
    /* asked after half a second, that is 50 blocks; the blocks that were read are finished */
    assert_true(seen > 0 && r.samples >= seen && r.blocks >= 50 && r.blocks < 100);
    assert_int_equal(read_signal("y.raw", RW_SAMPLE_F32, 2, false, all), r.samples);
    free(all);
}

static rw_status request(void *user, const rw_signal_report *r)
{
    (void)r;
    rw_cancel_request(user);
    return RW_OK;
}

/* A request to stop is no end of the input: the old file is unchanged, and the output so far is NAME.partial.EXT. */
static void test_interrupted(void **state)
{
    (void)state;
    rw_cancel cancel = {0};
    rw_signal_spec spec = {.text = "gain",
                           .in = {.kind = RW_SAMPLE_F32, .channels = 2, .rate = 51200},
                           .block = 512,
                           .real_time = true,
                           .progress = request,
                           .user = &cancel,
                           .cancel = &cancel};
    rw_signal_report r;
    static double all[200 * 1024];
    write_file("x.raw", buffer, 200 * 4096);
    write_file("y.wav", "old", 3);
    begin_clock();
    assert_int_equal(rw_signal_run(dev, at("x.raw"), at("y.wav"), &spec, &r), RW_ERR_INTERRUPTED);
    end_clock();
    assert_non_null(strstr(rw_message(ctx), "y.partial.wav'"));
    assert_true(r.samples > 0 && r.blocks >= 50 && r.blocks < 100);
    assert_int_equal(read_signal("y.partial.wav", RW_SAMPLE_F32, 2, true, all), r.samples);
    FILE *old = fopen(at("y.wav"), "rb");
    assert_true(old && fread(buffer, 1, 9, old) == 3 && memcmp(buffer, "old", 3) == 0);
    fclose(old);
    /* before the first block: nothing */
    assert_int_equal(rw_signal_run(dev, at("x.raw"), at("z.wav"), &spec, &r), RW_ERR_INTERRUPTED);
    assert_true(access(at("z.wav"), F_OK) != 0 && access(at("z.partial.wav"), F_OK) != 0);
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

static void test_headers(void **state)
{
    (void)state;
    uint8_t b[400];
    const rw_signal_spec spec = {.text = "gain", .wide = true, .block = 32, .batch = 2};
    const double v[] = {1, -2, 300, -400, 5, 6};
    for (int i = 0; i < 6; ++i) wanted[i] = v[i];
    static const uint64_t sizes[] = {12, 0, 0xffffffff};
    for (int i = 0; i < 3; ++i) { /* unknown sizes, and what comes after the data */
        wav_header(b, RW_SAMPLE_S16, 2, 8000, sizes[i]);
        size_t n = 44 + encode(b + 44, v, 6, RW_SAMPLE_S16);
        if (i == 0) memcpy(b + n, "LIST\4\0\0\0abcd", 12), n += 12;
        write_file("h.wav", b, n);
        assert_int_equal(filter("h.wav", "y.wav", &spec).samples, 3);
        assert_int_equal(read_signal("y.wav", RW_SAMPLE_S16, 2, true, y), 3);
        compare("sizes", 6, 0);
    }
    /* a chunk of odd length in front, the extensible form */
    static const uint8_t guid[14] = {0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
    uint8_t plain[44];
    wav_header(plain, RW_SAMPLE_S24, 2, 8000, 18);
    memcpy(b, plain, 12), memcpy(b + 12, "junk\3\0\0\0abc", 12), memcpy(b + 24, plain + 12, 24),
        b[28] = 40, b[32] = 0xfe, b[33] = 0xff;
    memset(b + 48, 0, 24), b[48] = 22, b[50] = 24, b[56] = 1, memcpy(b + 58, guid, 14), memcpy(b + 72, plain + 36, 8);
    write_file("h.wav", b, 80 + encode(b + 80, v, 6, RW_SAMPLE_S24));
    assert_int_equal(filter("h.wav", "y.wav", &spec).samples, 3);
    assert_int_equal(read_signal("y.wav", RW_SAMPLE_S24, 2, true, y), 3);
    compare("extensible", 6, 0);
    b[56] = 2;
    write_file("h.wav", b, 98);
    FAILS(RW_ERR_UNSUPPORTED, "coding 2 with 24 bits", rw_signal_run(dev, at("h.wav"), at("z.wav"), &spec, NULL));
    b[64] = 1;
    write_file("h.wav", b, 98);
    FAILS(RW_ERR_UNSUPPORTED, "coding", rw_signal_run(dev, at("h.wav"), at("z.wav"), &spec, NULL));

    static const struct {
        int at, value;
        size_t n;
        rw_status status;
        const char *message;
    } rows[] = {
        {0, 'R', 0, RW_ERR_INPUT, "is empty"},
        {0, 'R', 10, RW_ERR_INPUT, "is not a WAV file"},
        {0, 'X', 56, RW_ERR_INPUT, "is not a WAV file: describe samples"},
        {0, 'R', 30, RW_ERR_INPUT, "ends inside a chunk of the header"},
        {0, 'R', 36, RW_ERR_INPUT, "no chunk \"data\""},
        {0, 'R', 41, RW_ERR_INPUT, "ends inside the header of a chunk"},
        {12, 'g', 56, RW_ERR_INPUT, "precedes \"fmt \""},
        {16, 10, 56, RW_ERR_INPUT, "has 10 bytes"},
        {20, 2, 56, RW_ERR_UNSUPPORTED, "coding 2 with 16 bits"},
        {22, 0, 56, RW_ERR_INPUT, "0 channels"},
        {32, 5, 56, RW_ERR_INPUT, "5 bytes per sample"},
        {34, 12, 56, RW_ERR_UNSUPPORTED, "12 bits"},
        {40, 11, 56, RW_ERR_INPUT, "not a multiple of the 4 bytes"},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        wav_header(b, RW_SAMPLE_S16, 2, 8000, 12), encode(b + 44, v, 6, RW_SAMPLE_S16);
        b[rows[i].at] = (uint8_t)rows[i].value;
        write_file("h.wav", b, rows[i].n);
        FAILS(rows[i].status, rows[i].message, rw_signal_run(dev, at("h.wav"), at("z.wav"), &spec, NULL));
    }
    rw_signal_spec later = spec;
    later.in.reserved[0] = 1;
    FAILS(RW_ERR_ARGUMENT, "rw_signal_format.reserved is not 0",
          rw_signal_run(dev, at("h.wav"), at("z.wav"), &later, NULL));
    /* what came before the end is written, then the error */
    static const struct {
        size_t n;
        const char *message;
        int64_t samples;
    } cuts[] = {{54, "ends inside sample 2, after 2 of its 4 bytes", 2},
                {52, "ends after 2 of the 3 samples that its header announces", 2}};
    wav_header(b, RW_SAMPLE_S16, 2, 8000, 12), encode(b + 44, v, 6, RW_SAMPLE_S16);
    for (int i = 0; i < RW_COUNT(cuts); ++i) {
        rw_signal_report r;
        write_file("h.wav", b, cuts[i].n);
        FAILS(RW_ERR_INPUT, cuts[i].message, rw_signal_run(dev, at("h.wav"), at("y.wav"), &spec, &r));
        assert_true(r.samples == cuts[i].samples && read_signal("y.wav", RW_SAMPLE_S16, 2, true, y) == cuts[i].samples);
        compare("a stream that breaks off", 2 * cuts[i].samples, 0);
        FAILS(RW_ERR_INPUT, cuts[i].message,
              rw_spectrogram_run(dev, at("h.wav"), at("z.png"), &(rw_spectrogram_spec){.length = 60, .hop = 20}, NULL));
    }
    write_file("h.wav", b, 44);
    FAILS(RW_ERR_INPUT, "after 0 of the 3", rw_signal_run(dev, at("h.wav"), at("z.wav"), &spec, NULL));
    /* arguments */
    write_file("h.wav", b, 56);
    rw_signal_spec s = spec;
    FAILS(RW_ERR_FILE, "cannot open", rw_signal_run(dev, at("none.wav"), at("z.wav"), &s, NULL));
    s.queues = 99;
    FAILS(RW_ERR_ARGUMENT, "queues", rw_signal_run(dev, at("h.wav"), at("z.wav"), &s, NULL));
    s = spec, s.batch = -1;
    FAILS(RW_ERR_ARGUMENT, "batch = -1 is outside [1, 4096]", rw_signal_run(dev, at("h.wav"), at("z.wav"), &s, NULL));
    s = spec, s.block = 1 << 24, s.batch = 4096;
    FAILS(RW_ERR_ARGUMENT, "2^31 values", rw_signal_run(dev, at("h.wav"), at("z.wav"), &s, NULL));
    s = spec, s.in = (rw_signal_format){.kind = RW_SAMPLE_S16, .channels = 65, .rate = 1};
    memcpy(b, "    ", 4), write_file("h.raw", b, 56);
    FAILS(RW_ERR_ARGUMENT, "65 channels",
          rw_signal_run(dev, at("h.raw"), at("z.wav"), &(rw_signal_spec){.text = "gain", .in = s.in}, NULL));
    s.in = (rw_signal_format){.kind = RW_SAMPLE_S16, .channels = 1, .rate = 0.5};
    FAILS(RW_ERR_ARGUMENT, "--format raw", rw_signal_run(dev, at("h.raw"), at("z.wav"), &s, NULL));
    assert_int_not_equal(access(at("z.wav"), F_OK), 0);
    assert_int_not_equal(access(at("z.png"), F_OK), 0);
}

static rw_status run_design(void *user)
{
    double *h;
    int64_t n, delay;
    const rw_status status = rw_signal_design(ctx, user, 8000, &h, &n, &delay);
    free(h);
    return status;
}
static rw_status run_filter(void *user) { return rw_signal_run(dev, at("x.wav"), at("f.wav"), user, NULL); }

static rw_status run_spectrogram(void *user) { return rw_spectrogram_run(dev, at("x.wav"), at("f.png"), user, NULL); }

static void test_faults(void **state)
{
    (void)state;
    char text[250];
    write_file("h.txt", "1 2 3", 5);
    snprintf(text, sizeof text, "lowpass:cutoff=100:taps=5|fir:file=%s", at("h.txt"));
    assert_true(each_fault(RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, run_design, text) > 6);
    write_wav("x.wav", x, 150, 2, RW_SAMPLE_S24);
    rw_signal_spec spec = {.text = "gain", .wide = true, .block = 32, .batch = 2};
    assert_true(each_fault(RW_FAULT_WRITE, RW_ERR_FILE, RW_ERR_FILE, run_filter, &spec) > 5);
    assert_true(each_fault(RW_FAULT_READ, RW_ERR_FILE, RW_ERR_FILE, run_filter, &spec) > 1);
    assert_true(each_fault(RW_FAULT_DEVICE_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, run_filter, &spec) > 5);
    each_nth_fault(brief() ? 37 : 7, RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, run_filter, &spec);
    rw_spectrogram_spec spectrogram = {.length = 60, .hop = 17};
    each_nth_fault(brief() ? 37 : 7, RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, run_spectrogram, &spectrogram);
}

static int enter(void)
{
    snprintf(folder, sizeof folder, "/tmp/rechenwerk-signal-%d", (int)getpid());
    return mkdir(folder, 0700);
}
static int leave(void)
{
    char line[96];
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return system(line) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fir),       cmocka_unit_test(test_chain),
                                       cmocka_unit_test(test_nonfinite), cmocka_unit_test(test_kinds),
                                       cmocka_unit_test(test_designs),   cmocka_unit_test(test_spectrogram),
                                       cmocka_unit_test(test_picture),   cmocka_unit_test(test_pace),
                                       cmocka_unit_test(test_stop),      cmocka_unit_test(test_interrupted),
                                       cmocka_unit_test(test_headers),   cmocka_unit_test(test_faults)};
    if (enter()) return 1;
    const int code = run_on_devices("signal", tests, RW_COUNT(tests));
    return leave() || code;
}
