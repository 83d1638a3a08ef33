/* FIR filters of sampled signals in files and pipes, by overlap-save, and spectrograms.
 *
 *   rw_signal_spec spec = {.text = "lowpass:cutoff=1000:taps=255|gain:db=6"};
 *   rw_signal_run(dev, "in.wav", "out.wav", &spec, &report);           "-" is standard input or output
 *   rw_spectrogram_run(dev, "in.wav", "picture.png", &(rw_spectrogram_spec){0}, &report);
 *
 * Files: WAV (RIFF, integers of 8 to 32 bits, f32, f64), or raw samples without a header. Link librechenwerk-run.
 * Source: docs/methods/signal.md. */
#ifndef RECHENWERK_SIGNAL_H
#define RECHENWERK_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "rechenwerk/core.h"
#include "rechenwerk/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* name, text, bytes, value of full scale, one line; all little-endian */
/* clang-format off */
#define RW_SAMPLE_KIND_LIST(X)                                                                                         \
    X(U8, "u8", 1, 128., "unsigned integers of 8 bits, silence is 128")                                                \
    X(S16, "s16", 2, 32768., "integers of 16 bits")                                                                    \
    X(S24, "s24", 3, 8388608., "integers of 24 bits, packed")                                                          \
    X(S32, "s32", 4, 2147483648., "integers of 32 bits")                                                               \
    X(F32, "f32", 4, 1., "floating point, full scale is 1")                                                            \
    X(F64, "f64", 8, 1., "floating point, full scale is 1")
/* clang-format on */

typedef enum rw_sample_kind {
    RW_SAMPLE_DEFAULT,
#define RW_X(name, text, bytes, scale, line) RW_SAMPLE_##name,
    RW_SAMPLE_KIND_LIST(RW_X)
#undef RW_X
        RW_SAMPLE_KINDS
} rw_sample_kind;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_sample_kind_name(rw_sample_kind value);
RW_API rw_status rw_sample_kind_parse(rw_context *context, const char *name, rw_sample_kind *value);

typedef enum rw_signal_container { RW_SIGNAL_DEFAULT, RW_SIGNAL_WAV, RW_SIGNAL_RAW } rw_signal_container;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_signal_container_name(rw_signal_container value);
RW_API rw_status rw_signal_container_parse(rw_context *context, const char *name, rw_signal_container *value);

/* Format of a signal. rw_signal_spec.in and rw_spectrogram_spec.in describe raw samples: kind, channels, rate. */
typedef struct rw_signal_format {
    rw_signal_container container;
    rw_sample_kind kind;
    int channels;        /* 1 … 64, interleaved: [samples][channels] */
    double rate;         /* samples per second and channel */
    int64_t count;       /* samples per channel; -1: unknown */
    int64_t reserved[2]; /* 0: later members take this room, so that the size stays */
} rw_signal_format;

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* name, text, one line */
/* clang-format off */
#define RW_SIGNAL_METHOD_LIST(X)                                                                                       \
    X(LOWPASS, "lowpass", "windowed sinc, passes frequencies below cutoff")                                            \
    X(HIGHPASS, "highpass", "windowed sinc, passes frequencies above cutoff")                                          \
    X(BANDPASS, "bandpass", "windowed sinc, passes frequencies from cutoff to cutoff_high")                            \
    X(BANDSTOP, "bandstop", "windowed sinc, removes frequencies from cutoff to cutoff_high")                           \
    X(FIR, "fir", "impulse response from a file")                                                                      \
    X(GAIN, "gain", "factor")
/* clang-format on */

typedef enum rw_signal_method {
    RW_SIGNAL_METHOD_DEFAULT,
#define RW_X(name, text, line) RW_SIGNAL_##name,
    RW_SIGNAL_METHOD_LIST(RW_X)
#undef RW_X
        RW_SIGNAL_METHODS
} rw_signal_method;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_signal_method_name(rw_signal_method value);
RW_API rw_status rw_signal_method_parse(rw_context *context, const char *name, rw_signal_method *value);

/* name, text, one line: w[i] as a function of x, 2 pi i/(n - 1) in filter designs, 2 pi i/n in Fourier transforms */
/* clang-format off */
#define RW_SIGNAL_WINDOW_LIST(X)                                                                                       \
    X(HANN, "hann", "0.5 - 0.5 cos x")                                                                                 \
    X(HAMMING, "hamming", "0.54 - 0.46 cos x")                                                                         \
    X(BLACKMAN, "blackman", "0.42 - 0.5 cos x + 0.08 cos 2x")                                                          \
    X(KAISER, "kaiser", "I0(beta sqrt(1 - (x/pi - 1)^2))/I0(beta)")                                                    \
    X(RECTANGULAR, "rectangular", "1")
/* clang-format on */

typedef enum rw_signal_window {
    RW_SIGNAL_WINDOW_DEFAULT,
#define RW_X(name, text, line) RW_SIGNAL_##name,
    RW_SIGNAL_WINDOW_LIST(RW_X)
#undef RW_X
        RW_SIGNAL_WINDOWS
} rw_signal_window;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_signal_window_name(rw_signal_window value);
RW_API rw_status rw_signal_window_parse(rw_context *context, const char *name, rw_signal_window *value);

/* One operation. A zeroed member has its default; `method` decides which members are used (`rechenwerk list
 * signals`). */
typedef struct rw_signal_op {
    rw_signal_method method; /* (default: lowpass) */
    /* cutoff frequency in Hz, at half the amplitude; required by lowpass, highpass, bandpass, bandstop */
    double cutoff;
    double cutoff_high;      /* upper end of the band in Hz; required by bandpass and bandstop */
    int64_t taps;            /* number of coefficients, odd, 1 … 131071 (default: 255) */
    rw_signal_window window; /* window of the design (default: hamming) */
    double beta;             /* parameter of the Kaiser window, (0, 100] (default: 8.6) */
    double factor;           /* gain: factor (default: 1) */
    double db;               /* gain: decibels, in addition to `factor` (default: 0) */
    /* fir: impulse response. A .npy file of one dimension, or a text file of values separated by spaces, commas,
     * semicolons or new lines, with # comments */
    const char *file;
} rw_signal_op;
/* The parameter table of rw_signal_op. */
RW_API const rw_params *rw_signal_op_params(void);

/* Computes the impulse response of a chain of operations such as "lowpass:cutoff=1000|gain:db=-3": the convolution of
 * the impulse responses of its operations, in f64. Free *taps with rw_free. Designs are those of scipy.signal.firwin
 * with scale=True: unit gain at 0 Hz (lowpass, bandstop), at rate/2 (highpass), at the centre of the band (bandpass).
 * rate: samples per second.
 * *n: number of coefficients, up to 2^20.
 * *delay: group delay in samples: the sum of (n - 1)/2 over the operations with linear phase and an odd number n of
 *     taps. These are all designs, and files whose taps are symmetric or antisymmetric.
 * Errors: ERR_ARGUMENT: operation, parameter, a cutoff that is not below rate/2, too many taps; ERR_FILE, ERR_INPUT:
 *     the file of fir; ERR_MEMORY. */
RW_API rw_status rw_signal_design(rw_context *context, const char *text, double rate, double **taps, int64_t *n,
                                  int64_t *delay);

/* ---- filters ----------------------------------------------------------------------------------------------------- */

/* Report of a filter run. */
typedef struct rw_signal_report {
    int64_t samples; /* samples written, per channel */
    int64_t blocks;
    double seconds; /* from the start to the last written block */
    /* latency of a block in seconds, from its last sample read (in real time: due) to its result written: median, 99th
     * percentile, maximum */
    double latency, latency_99, latency_max;
    double deadline;     /* seconds; 0: none */
    int64_t late;        /* blocks written after their deadline */
    int64_t taps, delay; /* of the chain; delay: as rw_signal_design returns it, 0 with keep_delay */
    int64_t block;       /* samples per block */
    int batch;           /* blocks per batch */
    rw_signal_format in, out;
} rw_signal_report;

/* Specification of a filter run. A zeroed member has its default; `text` is required. */
typedef struct rw_signal_spec {
    const char *text;    /* chain of operations: "lowpass:cutoff=1000|gain:db=6" */
    rw_signal_format in; /* format of an input without a header */
    /* container of the output. Default: by its ending .wav, .raw or .pcm, otherwise that of the input. */
    rw_signal_container container;
    rw_sample_kind kind; /* sample type of the output. Default: that of the input. */
    /* true: causal filter, y[n] = sum h[k] x[n - k]. Default: y[n] = sum h[k] x[n + delay - k], aligned with the
     * input. */
    bool keep_delay;
    bool wide; /* double precision (f64). Default: single precision (f32). */
    /* samples per block, 1 … 2^24. Default: the smallest power of 2 that is at least 1024 and the number of taps. */
    int64_t block;
    int batch;  /* blocks filtered at once, 1 … 4096. Default: 1 in real time, otherwise about 65536 samples. */
    int queues; /* queues of the device that work concurrently, 1 … 16 (default: 2) */
    /* maximum number of batches between reading and writing, 1 … 256 (default: 4), or queues + 2 if that is more */
    int depth;
    /* paces reading by the sampling rate, like a microphone: block i is read no earlier than (i + 1) block/rate
     * seconds */
    bool real_time;
    double deadline; /* seconds from read to written. Default: block/rate in real time, otherwise none. */
    /* (optional) Called about twice per second in the caller's thread. A status other than OK ends the stream after
     * the blocks that have been read; the output is complete, and rw_signal_run returns the status. */
    rw_status (*progress)(void *user, const rw_signal_report *report);
    void *user;
    /* (optional) When requested, the stream ends after the blocks that have been read, with ERR_INTERRUPTED. An output
     * file is put next to `out`, as NAME.partial.EXT; a file `out` keeps its old content. */
    const rw_cancel *cancel;
} rw_signal_spec;
/* The parameter table of rw_signal_spec. */
RW_API const rw_params *rw_signal_params(void);

/* Filters all channels of `in` to `out`, which has as many samples. Samples before and after the signal are 0. Integer
 * results are rounded to nearest and saturated. An output file appears complete or not at all.
 * report: optional.
 * Errors: ERR_FILE; ERR_INPUT: a malformed header, or an input that ends within a sample or earlier than its header
 *     states; the results of the samples before are written first. ERR_UNSUPPORTED: another encoding of WAV.
 *     ERR_ARGUMENT; ERR_MEMORY; those of rw_signal_design. */
RW_API rw_status rw_signal_run_sized(rw_device *device, const char *in, const char *out, const rw_signal_spec *spec,
                                     rw_signal_report *report, size_t spec_size, size_t report_size);
#define rw_signal_run(...) rw_signal_run_sized(__VA_ARGS__, sizeof(rw_signal_spec), sizeof(rw_signal_report))

/* ---- spectrograms ------------------------------------------------------------------------------------------------ */

/* Report of a spectrogram. */
typedef struct rw_spectrogram_report {
    int64_t samples; /* samples read, per channel */
    int64_t frames, bins;
    double low, high; /* range of the colours in dB */
    double seconds;
    rw_signal_format in;
} rw_spectrogram_report;

/* Specification of a spectrogram. A zeroed member has its default. */
typedef struct rw_spectrogram_spec {
    rw_signal_format in;     /* format of an input without a header */
    int64_t length;          /* samples per transform, 2 … 2^20 (default: 1024) */
    int64_t hop;             /* samples between consecutive frames, 1 … 2^20. Default: length/4. */
    rw_signal_window window; /* (default: hann) */
    double beta;             /* parameter of the Kaiser window, (0, 100] (default: 8.6) */
    int channel;             /* 1, 2, …; 0: mean of all channels */
    /* upper and lower end of the colours in dB. Default: the largest value, and 80 dB less. */
    double high, low;
    /* figure with axes and colour bar. Default: one pixel per value, time to the right, frequency upward. */
    bool figure;
    bool wide; /* double precision (f64). Default: single precision (f32). */
} rw_spectrogram_spec;
/* The parameter table of rw_spectrogram_spec. */
RW_API const rw_params *rw_spectrogram_params(void);

/* Computes short-time Fourier transforms of a signal with full scale 1:
 *
 *   X[f][k] = sum over i < length of w[i] x[f hop + i] exp(-2 pi i j k/length),   f = 0, 1, …, k = 0 … length/2
 *
 * for all frames f within the signal. A signal shorter than `length` has one frame, padded with zeros.
 * out: NAME.npy: X, c64 or c128 [frames][bins]. Otherwise a picture of 20 log10(2 |X|/sum w), in which a sine of full
 *     scale has 0 dB: NAME.png or another picture format; figures are PNG.
 * report: optional.
 * Memory: X is stored in host memory.
 * Errors: ERR_INPUT: an empty signal, or one that breaks off (nothing is written); ERR_FILE; ERR_ARGUMENT;
 *     ERR_MEMORY. */
RW_API rw_status rw_spectrogram_run_sized(rw_device *device, const char *in, const char *out,
                                          const rw_spectrogram_spec *spec, rw_spectrogram_report *report,
                                          size_t spec_size, size_t report_size);
#define rw_spectrogram_run(...)                                                                                        \
    rw_spectrogram_run_sized(__VA_ARGS__, sizeof(rw_spectrogram_spec), sizeof(rw_spectrogram_report))

#ifdef __cplusplus
}
#endif
#endif
