/* Signals of samples: FIR filters of files and pipes by overlap-save, and spectrograms.
 *
 *   rw_signal_spec spec = {.text = "lowpass:cutoff=1000:taps=255|gain:db=6"};
 *   rw_signal_run(dev, "in.wav", "out.wav", &spec, &report);           "-" is standard input or output
 *   rw_spectrogram_run(dev, "in.wav", "picture.png", &(rw_spectrogram_spec){0}, &report);
 *
 * Samples are read from WAV files (RIFF, integers of 8 to 32 bits, f32, f64) or without a header. Link
 * librechenwerk-run. */
#ifndef RECHENWERK_SIGNAL_H
#define RECHENWERK_SIGNAL_H

#include "rechenwerk/array.h"
#include "rechenwerk/param.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* name, text, bytes, what is 1 at full scale, one line; all little endian */
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
RW_API const char *rw_sample_kind_name(rw_sample_kind kind);

typedef enum rw_signal_container { RW_SIGNAL_DEFAULT, RW_SIGNAL_WAV, RW_SIGNAL_RAW } rw_signal_container;

typedef struct rw_signal_format {
    rw_signal_container container;
    rw_sample_kind kind;
    int channels;  /* interleaved: [samples][channels], 1 to 64 */
    double rate;   /* samples per second and channel */
    int64_t count; /* samples per channel; -1: unknown */
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

/* name, text, one line; w[i] with x = 2 pi i/(n - 1) in designs, 2 pi i/n in Fourier transforms */
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

/* One operation; 0 is the default of every member but `method`. Which method has which: `rechenwerk list signals`. */
typedef struct rw_signal_op {
    rw_signal_method method; /* (default: lowpass) */
    double cutoff;           /* Hz, at half the amplitude; required by designs */
    double cutoff_high;      /* Hz, upper end of the band; required by bandpass and bandstop */
    int64_t taps;            /* number of coefficients, odd (default: 255) */
    rw_signal_window window; /* (default: hamming) */
    double beta;             /* of kaiser (default: 8.6) */
    double factor;           /* of gain (default: 1) */
    double db;               /* of gain, in decibels, in addition to factor */
    /* of fir: .npy of one dimension, else text: numbers separated by spaces, commas or new lines, # comments */
    const char *file;
} rw_signal_op;
RW_API const rw_params *rw_signal_op_params(void);

/* The impulse response of a chain such as "lowpass:cutoff=1000|gain:db=-3" at a sampling rate: that of its operations
 * convolved in f64. Designs are those of scipy.signal.firwin with scale=True: unit gain at 0 Hz (lowpass, bandstop), at
 * rate/2 (highpass), at the centre of the band (bandpass). *delay: samples, (n - 1)/2 of each operation that has linear
 * phase and an odd number of taps (all designs; files whose taps are symmetric or antisymmetric), 0 of others. free()
 * the taps. ERR_ARGUMENT: operation, parameter, a cutoff that is not below rate/2; ERR_FILE, ERR_INPUT: of the file;
 * ERR_MEMORY. */
RW_API rw_status rw_signal_design(rw_context *context, const char *text, double rate, double **taps, int64_t *n,
                                  int64_t *delay);

/* ---- filters ----------------------------------------------------------------------------------------------------- */

typedef struct rw_signal_report {
    int64_t samples; /* written, per channel */
    int64_t blocks;
    double seconds; /* from the start to the last block written */
    /* seconds from the last sample of a block read (or due) to its result written */
    double latency, latency_99, latency_most;
    double deadline;     /* seconds; 0: none */
    int64_t late;        /* blocks written after their deadline */
    int64_t taps, delay; /* of the chain; delay as of rw_signal_design, 0 with keep_delay */
    int64_t block;       /* samples */
    int batch;
    rw_signal_format in, out;
} rw_signal_report;

typedef struct rw_signal_spec {
    const char *text;              /* chain of operations */
    rw_signal_format in;           /* of an input without a header: kind, channels, rate */
    rw_signal_container container; /* of the output (default: by its ending .wav, .raw or .pcm, else as the input) */
    rw_sample_kind kind;           /* of the output (default: as the input) */
    /* causal: y[n] = sum h[k] x[n - k]; else y[n] = sum h[k] x[n + delay - k], aligned with the input */
    bool keep_delay;
    bool wide;     /* computes in f64, else in f32 */
    int64_t block; /* samples per block (default: a power of 2, at least 1024 and the number of taps) */
    int batch;     /* blocks filtered at once (default: 1 in real time, else about 65536 samples) */
    int queues;    /* of the device that work at the same time (default: 2) */
    int depth;     /* batches between reading and writing, at most (default: 4) */
    /* reads as fast as the sampling rate says, as from a microphone: block i not before (i + 1) block/rate */
    bool real_time;
    double deadline; /* seconds from read to written (default: in real time block/rate, else none) */
    /* Called about twice a second, in the caller's thread; not 0 ends the stream after the blocks that were read. */
    int (*progress)(void *user, const rw_signal_report *report);
    void *user;
} rw_signal_spec;

/* Filters all channels of `in` to `out`, which has as many samples. Samples before and after the signal are 0. Integers
 * are rounded to nearest and saturated. report may be NULL. ERR_FILE; ERR_INPUT: a header that is malformed, a stream
 * that ends within a sample or before its header says: the result of what came before is written first;
 * ERR_UNSUPPORTED: a coding of WAV other than those above; ERR_ARGUMENT, and what rw_signal_design fails with. A file
 * `out` appears whole or not at all. */
RW_API rw_status rw_signal_run(rw_device *device, const char *in, const char *out, const rw_signal_spec *spec,
                               rw_signal_report *report);

/* ---- spectrograms ------------------------------------------------------------------------------------------------ */

typedef struct rw_spectrogram_report {
    int64_t samples; /* read, per channel */
    int64_t frames, bins;
    double low, high; /* dB, of the picture */
    double seconds;
    rw_signal_format in;
} rw_spectrogram_report;

typedef struct rw_spectrogram_spec {
    rw_signal_format in;     /* of an input without a header: kind, channels, rate */
    int64_t length;          /* samples per transform (default: 1024) */
    int64_t hop;             /* samples from one transform to the next (default: length/4) */
    rw_signal_window window; /* (default: hann) */
    double beta;             /* of kaiser (default: 8.6) */
    int channel;             /* 1, 2, …; 0: mean of all */
    /* dB at the upper and lower end of the colours; both 0: the largest value, and 80 dB less */
    double high, low;
    /* with axes and a colour bar; else one pixel per value, time to the right, frequency upward */
    bool figure;
    bool wide; /* computes in f64, else in f32 */
} rw_spectrogram_spec;

/* Short-time Fourier transforms of a signal with full scale 1:
 *
 *   X[f][k] = sum over i < length of w[i] x[f hop + i] exp(-2 pi i j k/length),   f = 0, 1, …, k = 0 … length/2
 *
 * of all frames that lie within the signal; one shorter than `length` has one frame, padded with zeros. out: .npy: X,
 * c64 or c128 [frames][bins]; else a picture of 20 log10(2 |X|/sum w), so that a sine of full scale has 0 dB. X is held
 * in host memory. report may be NULL. ERR_INPUT: an empty signal, one that breaks off (nothing is written), ERR_FILE,
 * ERR_ARGUMENT, ERR_MEMORY. */
RW_API rw_status rw_spectrogram_run(rw_device *device, const char *in, const char *out, const rw_spectrogram_spec *spec,
                                    rw_spectrogram_report *report);

#ifdef __cplusplus
}
#endif
#endif
