/* Fourier, cosine and sine transforms of any length, along any axes; planned once, executed often.
 *
 *   rw_fft_spec spec = {.ndim = 2, .shape = {4096, 4096}};          complex, c128, both axes, forward
 *   rw_fft_create(dev, &spec, &fft);
 *   rw_fft_execute(fft, x, y, queue);                               y <- transform of x; x may be y
 *
 * Forward is X[k] = sum over j of x[j] exp(-2 pi i j k / n), inverse the same with exp(+…); neither is scaled unless
 * `scale` says so: n times the product of all lengths comes back from a round trip. */
#ifndef RECHENWERK_FFT_H
#define RECHENWERK_FFT_H

#include "rechenwerk/array.h"
#include "rechenwerk/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* name, text, one line. Cosine and sine transforms are those of FFTW and SciPy: DCT-II is y[k] = 2 sum of x[j] cos(pi k
 * (2 j + 1) / (2 n)). */
/* clang-format off */
#define RW_FFT_KIND_LIST(X)                                                                                            \
    X(COMPLEX, "complex", "complex numbers to complex numbers")                                                        \
    X(REAL, "real", "real numbers to the first half of their spectrum, n/2 + 1 complex numbers on the last axis")      \
    X(DCT1, "dct1", "cosine transform I, its own inverse; scale 1/(2 (n - 1))")                                        \
    X(DCT2, "dct2", "cosine transform II, whose inverse is III; scale 1/(2 n)")                                        \
    X(DCT3, "dct3", "cosine transform III, whose inverse is II; scale 1/(2 n)")                                        \
    X(DCT4, "dct4", "cosine transform IV, its own inverse; scale 1/(2 n)")                                             \
    X(DST1, "dst1", "sine transform I, its own inverse; scale 1/(2 (n + 1))")                                          \
    X(DST2, "dst2", "sine transform II, whose inverse is III; scale 1/(2 n)")                                          \
    X(DST3, "dst3", "sine transform III, whose inverse is II; scale 1/(2 n)")                                          \
    X(DST4, "dst4", "sine transform IV, its own inverse; scale 1/(2 n)")
/* clang-format on */

typedef enum rw_fft_kind {
#define RW_X(name, text, line) RW_FFT_##name,
    RW_FFT_KIND_LIST(RW_X)
#undef RW_X
        RW_FFT_KINDS
} rw_fft_kind;
RW_API const char *rw_fft_kind_name(rw_fft_kind kind);

/* 0 is the default of every member but ndim and shape. */
typedef struct rw_fft_spec {
    rw_fft_kind kind; /* (default: complex) */
    /* REAL: from complex to real numbers. Other kinds: the inverse transform, unscaled; of dct2 that is dct3. */
    bool inverse;
    bool single; /* computed in f32, else in f64 */
    int ndim;
    int64_t shape[RW_MAX_NDIM]; /* points of the transform; REAL: of the real array */
    unsigned axes;              /* a bit for each axis that is transformed, 1 << axis; 0: all */
    double scale;               /* factor of the results (default: 1) */

    /* The arrays. Elements as they are stored: C64 or C128 where numbers are complex, F32 or F64 where they are real;
     * or F16 or BF16, complex numbers as pairs on one more, last axis of 2 (default: as computed). */
    rw_dtype x_dtype, y_dtype;
    /* x_shape: elements that exist; the transform reads zeros beyond, up to `shape`. y_shape: the first elements that
     * are written. All 0: whole; of a REAL spectrum n/2 + 1 on the last axis that is transformed. */
    int64_t x_shape[RW_MAX_NDIM], y_shape[RW_MAX_NDIM];
    /* From one index to the next, in elements (complex numbers, also of pairs). All 0: row-major without gaps. */
    int64_t x_stride[RW_MAX_NDIM], y_stride[RW_MAX_NDIM];
    /* (optional) Expressions, docs/reference/expressions.md, that take the place of an element u when it is read, and
     * before it is written, where nothing is read or written for them: of u and its indices i0, i1, … along the axes:
     * .load = "u*sin(pi*(i1 + 0.5)/512)^2", .store = "abs(u)^2". Complex where the element is. Elements that do not
     * exist stay 0. */
    const char *load, *store;
} rw_fft_spec;

typedef struct rw_fft rw_fft;

/* What a plan is and takes. */
typedef struct rw_fft_info {
    int passes;          /* launches of one execution */
    int programs;        /* compiled for it */
    int64_t work_bytes;  /* of memory between passes, beside x and y */
    int64_t bytes;       /* read and written by one execution */
    int64_t table_bytes; /* factors */
} rw_fft_info;

/* Plans a transform: writes and compiles its kernels. ERR_ARGUMENT: kind, type, shape, axes, strides; ERR_UNSUPPORTED,
 * ERR_MEMORY, ERR_COMPILE. Several threads may plan at once. */
RW_API rw_status rw_fft_create_sized(rw_device *device, const rw_fft_spec *spec, rw_fft **fft, size_t spec_size);
#define rw_fft_create(...) rw_fft_create_sized(__VA_ARGS__, sizeof(rw_fft_spec))
RW_API void rw_fft_destroy(rw_fft **fft);
RW_API rw_status rw_fft_get_info_sized(const rw_fft *fft, rw_fft_info *info, size_t info_size);
#define rw_fft_get_info(...) rw_fft_get_info_sized(__VA_ARGS__, sizeof(rw_fft_info))
/* Memory between passes, instead of the plan's own: contiguous, `work_bytes` at least, of any type; NULL: the plan's
 * own again. Plans that are not executed at the same time may share it. */
RW_API rw_status rw_fft_set_work(rw_fft *fft, rw_array *work);
/* y <- transform of x, arrays of the shapes, types and strides that were planned, at any offset. In place: x and y may
 * be the same memory where each line of y begins where its line of x does (a real array in place has room for its
 * spectrum: x_stride of a row is 2 (n/2 + 1)). ERR_ARGUMENT: other arrays, other overlaps. Executions of one plan need
 * the same queue, or events in between, where work_bytes is not 0. */
RW_API rw_status rw_fft_execute(rw_fft *fft, rw_array *x, rw_array *y, rw_queue *queue);

/* ---- tuning ---------------------------------------------------------------------------------------------------------
 *
 * A plan is made as is likely to be fastest. Tuning tries other ways, measures each with the transform itself, and what
 * it finds, the wisdom, serves every plan of the process that has such passes, and those of later processes, through
 * the cache on disk. */

typedef struct rw_fft_tuning {
    double seconds; /* after which no more is tried (default: no limit) */
    /* Called after each trial (default: not): what was chosen for what, the seconds of an execution, and whether this
     * is kept. */
    rw_status (*report)(void *user, const char *what, const char *choice, double seconds, bool kept);
    void *user;
} rw_fft_tuning;

typedef struct rw_fft_tuned {
    double before, after; /* seconds of an execution */
    int tried;
} rw_fft_tuned;

/* options and result may be NULL. Takes memory for x, y and the work area. ERR_ARGUMENT, and what rw_fft_create and
 * rw_fft_execute fail with; what was found until then is kept. */
RW_API rw_status rw_fft_tune_sized(rw_device *device, const rw_fft_spec *spec, const rw_fft_tuning *options,
                                   rw_fft_tuned *result, size_t spec_size, size_t options_size, size_t result_size);
#define rw_fft_tune(...)                                                                                               \
    rw_fft_tune_sized(__VA_ARGS__, sizeof(rw_fft_spec), sizeof(rw_fft_tuning), sizeof(rw_fft_tuned))
/* The device's wisdom as text, with a sum of its bytes at the end; free() it. */
RW_API rw_status rw_fft_wisdom_export(rw_device *device, char **text);
/* Adds what a text of n bytes has to the wisdom of such devices, instead of what was there for the same passes.
 * ERR_FILE: damaged, ERR_ARGUMENT: of another device; then nothing is added. */
RW_API rw_status rw_fft_wisdom_import(rw_device *device, const char *text, int64_t n);
/* The same from and to a file; an existing one is replaced. */
RW_API rw_status rw_fft_wisdom_load(rw_device *device, const char *path);
RW_API rw_status rw_fft_wisdom_save(rw_device *device, const char *path);
/* Also in the cache on disk. */
RW_API rw_status rw_fft_wisdom_forget(rw_device *device);

/* ---- convolution ----------------------------------------------------------------------------------------------------
 *
 * y = a * b by transforms: a is transformed, multiplied with the transform of b and transformed back, where the axis in
 * the middle does all three in one pass. b is transformed once, for many a. */

/* name, text, one line; n and m are the lengths of a and b on an axis */
/* clang-format off */
#define RW_CONVOLUTION_MODE_LIST(X)                                                                                    \
    X(FULL, "full", "all n + m - 1 numbers to which a and b contribute")                                               \
    X(SAME, "same", "the n numbers in the middle of these, from (m - 1)/2 on")                                         \
    X(VALID, "valid", "the n - m + 1 numbers to which all of b contributes")                                           \
    X(PERIODIC, "periodic", "n numbers; a goes on from its end with its beginning")
/* clang-format on */

typedef enum rw_convolution_mode {
#define RW_X(name, text, line) RW_CONVOLUTION_##name,
    RW_CONVOLUTION_MODE_LIST(RW_X)
#undef RW_X
        RW_CONVOLUTION_MODES
} rw_convolution_mode;
RW_API const char *rw_convolution_mode_name(rw_convolution_mode mode);

/* 0 is the default of every member but ndim and the shapes. Definitions are those of SciPy (scipy.signal.convolve,
 * correlate). */
typedef struct rw_convolution_spec {
    rw_convolution_mode mode; /* (default: full) */
    bool correlate;           /* y[k] = sum over j of a[j + k] conj(b[j]): b is reversed and conjugated */
    rw_dtype dtype;           /* of a, b and y: F32, F64, C64, C128 (default: f64) */
    int ndim;
    /* On axes that are not convolved b has one element, for all of a, or as many as a. */
    int64_t a_shape[RW_MAX_NDIM], b_shape[RW_MAX_NDIM];
    unsigned axes;                                        /* a bit for each axis that is convolved; 0: all */
    double scale;                                         /* factor of the results (default: 1) */
    int64_t a_stride[RW_MAX_NDIM], y_stride[RW_MAX_NDIM]; /* in elements; all 0: row-major without gaps */
} rw_convolution_spec;

typedef struct rw_convolution rw_convolution;

/* The shape of y. ERR_ARGUMENT: shapes that do not belong together. */
RW_API rw_status rw_convolution_shape_sized(rw_context *context, const rw_convolution_spec *spec,
                                            int64_t shape[RW_MAX_NDIM], size_t spec_size);
#define rw_convolution_shape(...) rw_convolution_shape_sized(__VA_ARGS__, sizeof(rw_convolution_spec))
RW_API rw_status rw_convolution_create_sized(rw_device *device, const rw_convolution_spec *spec,
                                             rw_convolution **convolution, size_t spec_size);
#define rw_convolution_create(...) rw_convolution_create_sized(__VA_ARGS__, sizeof(rw_convolution_spec))
RW_API void rw_convolution_destroy(rw_convolution **convolution);
/* The transform of b, an array of b_shape, contiguous or not; b is not needed any more. */
RW_API rw_status rw_convolution_set(rw_convolution *convolution, rw_array *b, rw_queue *queue);
/* y <- a * b. ERR_ARGUMENT: arrays that were not planned, b not set; in place as rw_fft_execute. */
RW_API rw_status rw_convolution_execute(rw_convolution *convolution, rw_array *a, rw_array *y, rw_queue *queue);
RW_API rw_status rw_convolution_get_info_sized(const rw_convolution *convolution, rw_fft_info *info, size_t info_size);
#define rw_convolution_get_info(...) rw_convolution_get_info_sized(__VA_ARGS__, sizeof(rw_fft_info))
RW_API rw_status rw_convolution_set_work(rw_convolution *convolution, rw_array *work);

/* ---- signals ----------------------------------------------------------------------------------------------------- */

/* Signals of samples: FIR filters of files and pipes by overlap-save, and spectrograms.
 *
 *   rw_signal_spec spec = {.text = "lowpass:cutoff=1000:taps=255|gain:db=6"};
 *   rw_signal_run(dev, "in.wav", "out.wav", &spec, &report);           "-" is standard input or output
 *   rw_spectrogram_run(dev, "in.wav", "picture.png", &(rw_spectrogram_spec){0}, &report);
 *
 * Samples are read from WAV files (RIFF, integers of 8 to 32 bits, f32, f64) or without a header. Link
 * librechenwerk-run. */

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
    int channels;        /* interleaved: [samples][channels], 1 to 64 */
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
    /* Called about twice a second, in the caller's thread. A status other than OK ends the stream after the blocks that
     * were read; the output is complete, and rw_signal_run returns that status. */
    rw_status (*progress)(void *user, const rw_signal_report *report);
    void *user;
    const rw_cancel *cancel; /* ends the stream when requested, as `progress` does, with ERR_INTERRUPTED */
} rw_signal_spec;

/* Filters all channels of `in` to `out`, which has as many samples. Samples before and after the signal are 0. Integers
 * are rounded to nearest and saturated. report may be NULL. ERR_FILE; ERR_INPUT: a header that is malformed, a stream
 * that ends within a sample or before its header says: the result of what came before is written first;
 * ERR_UNSUPPORTED: a coding of WAV other than those above; ERR_ARGUMENT, and what rw_signal_design fails with. A file
 * `out` appears whole or not at all. */
RW_API rw_status rw_signal_run_sized(rw_device *device, const char *in, const char *out, const rw_signal_spec *spec,
                                     rw_signal_report *report, size_t spec_size, size_t report_size);
#define rw_signal_run(...) rw_signal_run_sized(__VA_ARGS__, sizeof(rw_signal_spec), sizeof(rw_signal_report))

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
RW_API rw_status rw_spectrogram_run_sized(rw_device *device, const char *in, const char *out,
                                          const rw_spectrogram_spec *spec, rw_spectrogram_report *report,
                                          size_t spec_size, size_t report_size);
#define rw_spectrogram_run(...)                                                                                        \
    rw_spectrogram_run_sized(__VA_ARGS__, sizeof(rw_spectrogram_spec), sizeof(rw_spectrogram_report))

#ifdef __cplusplus
}
#endif
#endif
