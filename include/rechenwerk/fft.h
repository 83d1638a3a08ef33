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
RW_API rw_status rw_fft_create(rw_device *device, const rw_fft_spec *spec, rw_fft **fft);
RW_API void rw_fft_destroy(rw_fft **fft);
RW_API rw_status rw_fft_get_info(const rw_fft *fft, rw_fft_info *info);
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
    void (*report)(void *user, const char *what, const char *choice, double seconds, bool kept);
    void *user;
} rw_fft_tuning;

typedef struct rw_fft_tuned {
    double before, after; /* seconds of an execution */
    int tried;
} rw_fft_tuned;

/* options and result may be NULL. Takes memory for x, y and the work area. ERR_ARGUMENT, and what rw_fft_create and
 * rw_fft_execute fail with; what was found until then is kept. */
RW_API rw_status rw_fft_tune(rw_device *device, const rw_fft_spec *spec, const rw_fft_tuning *options,
                             rw_fft_tuned *result);
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
RW_API rw_status rw_convolution_shape(rw_context *context, const rw_convolution_spec *spec, int64_t shape[RW_MAX_NDIM]);
RW_API rw_status rw_convolution_create(rw_device *device, const rw_convolution_spec *spec,
                                       rw_convolution **convolution);
RW_API void rw_convolution_destroy(rw_convolution **convolution);
/* The transform of b, an array of b_shape, contiguous or not; b is not needed any more. */
RW_API rw_status rw_convolution_set(rw_convolution *convolution, rw_array *b, rw_queue *queue);
/* y <- a * b. ERR_ARGUMENT: arrays that were not planned, b not set; in place as rw_fft_execute. */
RW_API rw_status rw_convolution_execute(rw_convolution *convolution, rw_array *a, rw_array *y, rw_queue *queue);
RW_API rw_status rw_convolution_get_info(const rw_convolution *convolution, rw_fft_info *info);
RW_API rw_status rw_convolution_set_work(rw_convolution *convolution, rw_array *work);

#ifdef __cplusplus
}
#endif

#endif
