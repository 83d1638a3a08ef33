/* Fourier, cosine and sine transforms of any length along any axes, planned once and executed often; convolution.
 *
 *   rw_fft_spec spec = {.ndim = 2, .shape = {4096, 4096}};          complex, c128, both axes, forward
 *   rw_fft_create(dev, &spec, &fft);
 *   rw_fft_execute(fft, x, y, queue);                               y <- transform of x; x may be y
 *
 * Forward transform: X[k] = sum over j of x[j] exp(-2 pi i j k / n). Inverse transform: the same with
 * exp(+2 pi i j k / n). Both are unnormalised unless `scale` is set: a round trip multiplies by the product of all
 * transformed lengths.
 * Source: docs/methods/fft.md. */
#ifndef RECHENWERK_FFT_H
#define RECHENWERK_FFT_H

#include "rechenwerk/array.h"
#include "rechenwerk/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* name, text, one line. Cosine and sine transforms are those of FFTW and SciPy: DCT-II is y[k] = 2 sum of x[j] cos(pi k
 * (2 j + 1) / (2 n)). `scale` of a line is the factor per axis that normalises a round trip. */
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
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_fft_kind_name(rw_fft_kind value);
RW_API rw_status rw_fft_kind_parse(rw_context *context, const char *name, rw_fft_kind *value);

/* Specification of a transform. A zeroed member has its default; ndim and shape are required. */
typedef struct rw_fft_spec {
    rw_fft_kind kind; /* (default: complex) */
    /* REAL: from the half spectrum to real values. COMPLEX: exp(+…). Cosine and sine transforms: the unnormalised
     * inverse, of dct2 for instance dct3. Default: forward. */
    bool inverse;
    bool single; /* single precision (f32). Default: double precision (f64). */
    int ndim;
    int64_t shape[RW_MAX_NDIM]; /* points of the transform; REAL: shape of the real array */
    unsigned axes;              /* transformed axes, bit 1 << axis for each. Default: all axes. */
    double scale;               /* factor of the results, finite; 0: RW_ZERO (default: 1) */

    /* Element types of the arrays. Complex elements: C64 or C128; real elements: F32 or F64; in single precision also
     * F16 or BF16, complex elements then being pairs along an additional last axis of length 2. Default: the precision
     * of the transform.
     * COMPLEX: x may be real, F32 or F64. Cosine and sine transforms: x and y may both be complex, C64 or C128; real
     * and imaginary parts are then transformed separately. */
    rw_dtype x_dtype, y_dtype;
    /* x_shape: stored elements of x; the transform reads zeros beyond them, up to `shape`. y_shape: elements of y that
     * are computed and stored, from index 0. On axes that are not transformed both equal `shape`. Default: all
     * elements; the half spectrum of REAL has n/2 + 1 on the last transformed axis. */
    int64_t x_shape[RW_MAX_NDIM], y_shape[RW_MAX_NDIM];
    /* Strides in elements (in complex elements for pairs). Elements of y must not overlap. Default: row-major without
     * gaps. */
    int64_t x_stride[RW_MAX_NDIM], y_stride[RW_MAX_NDIM];
    /* (optional) Expressions (docs/reference/expressions.md) of an element u and its indices i0, i1, … along the axes.
     * `load` replaces u when it is read, `store` before it is written, without an additional pass:
     * .load = "u*sin(pi*(i1 + 0.5)/512)^2", .store = "abs(u)^2". They are complex where the element is. Elements beyond
     * x_shape remain 0. */
    const char *load;
    const char *store;
    /* naxes > 0: the transformed axes axis[0] … axis[naxes - 1] in place of `axes`, each once, counted from 0. REAL
     * halves the spectrum on the last one of the list, as `axes` of NumPy. Default: the axes of `axes`, ascending. */
    int naxes;
    int axis[RW_MAX_NDIM];
    /* Orthonormal transform: divided by the square root of the number of points, and with the weights of SciPy's
     * norm="ortho" for cosine and sine transforms; its inverse is the `inverse` with ortho. Multiplied by `scale`.
     * Cosine and sine transforms with ortho have no `load` and `store`. Default: false. */
    bool ortho;
} rw_fft_spec;
/* The parameter table of rw_fft_spec. */
RW_API const rw_params *rw_fft_params(void);

typedef struct rw_fft rw_fft;

/* Properties of a plan. */
typedef struct rw_fft_info {
    int64_t passes;      /* kernel launches per execution */
    int64_t programs;    /* compiled programs */
    int64_t work_bytes;  /* bytes of the work area, in addition to x and y */
    int64_t bytes;       /* bytes read and written by one execution */
    int64_t table_bytes; /* bytes of twiddle factors */
} rw_fft_info;

/* Creates a plan: generates and compiles the kernels.
 * Errors: ERR_ARGUMENT: kind, type, shape, axes, strides; ERR_INPUT: `load` or `store`; ERR_UNSUPPORTED; ERR_MEMORY;
 *     ERR_COMPILE.
 * Lifetime: the plan retains the device; the specification and its texts are copied.
 * Threads: several threads may create plans at once. */
RW_API rw_status rw_fft_create_sized(rw_device *device, const rw_fft_spec *spec, rw_fft **fft, size_t spec_size);
#define rw_fft_create(...) rw_fft_create_sized(__VA_ARGS__, sizeof(rw_fft_spec))
RW_API void rw_fft_destroy(rw_fft **fft);
/* Gets the specification, with its defaults filled in; inverse cosine and sine transforms have the kind that computes
 * them. Lifetime: the texts belong to the plan. */
RW_API rw_status rw_fft_get_spec_sized(const rw_fft *fft, rw_fft_spec *spec, size_t spec_size);
#define rw_fft_get_spec(...) rw_fft_get_spec_sized(__VA_ARGS__, sizeof(rw_fft_spec))
RW_API rw_status rw_fft_get_info_sized(const rw_fft *fft, rw_fft_info *info, size_t info_size);
#define rw_fft_get_info(...) rw_fft_get_info_sized(__VA_ARGS__, sizeof(rw_fft_info))
/* Replaces the plan's own work area by `work`: a contiguous array of any type on the device of the plan, of at least
 * `work_bytes` bytes. NULL: the plan's own work area again. Plans that are not executed at the same time may share one.
 * Errors: ERR_ARGUMENT: a smaller array, another device, an offset that is not a multiple of a complex element.
 * Lifetime: the plan retains the memory of `work`. */
RW_API rw_status rw_fft_set_work(rw_fft *fft, rw_array *work);
/* y <- transform of x, without waiting. The arrays have the types, shapes and strides of the plan and any offset. In
 * place: x and y may be the same memory if each line of y begins where its line of x does. A real array in place needs
 * room for its spectrum: x_stride of a row is 2 (n/2 + 1).
 * Errors: ERR_ARGUMENT: other arrays, another overlap; ERR_MEMORY; ERR_LAUNCH.
 * Threads: if work_bytes is not 0, executions of a plan must be ordered by one queue or by events. */
RW_API rw_status rw_fft_execute(rw_fft *fft, rw_array *x, rw_array *y, rw_queue *queue);

/* ---- tuning ---------------------------------------------------------------------------------------------------------
 *
 * A plan is chosen by a model of the device. Tuning measures other plans by executing the transform. Its results, the
 * wisdom, apply to all later plans of the process with the same passes, and through the cache on disk to those of later
 * processes. */

typedef struct rw_fft_tuning {
    double seconds; /* time limit; trials stop when it has passed. Default: none. */
    /* Called after each trial with the pass, the choice, the seconds per execution, and whether the choice is retained.
     * A status other than OK ends the tuning and is returned. Default: none. */
    rw_status (*report)(void *user, const char *what, const char *choice, double seconds, bool kept);
    void *user;
} rw_fft_tuning;

typedef struct rw_fft_tuned {
    double before, after; /* seconds per execution */
    int tried;            /* number of trials */
} rw_fft_tuned;

/* Tunes a transform. It allocates arrays for x and y and the work area. options, result: optional.
 * Errors: ERR_ARGUMENT: negative seconds; those of rw_fft_create and rw_fft_execute. Wisdom found before the error is
 *     retained. */
RW_API rw_status rw_fft_tune_sized(rw_device *device, const rw_fft_spec *spec, const rw_fft_tuning *options,
                                   rw_fft_tuned *result, size_t spec_size, size_t options_size, size_t result_size);
#define rw_fft_tune(...)                                                                                               \
    rw_fft_tune_sized(__VA_ARGS__, sizeof(rw_fft_spec), sizeof(rw_fft_tuning), sizeof(rw_fft_tuned))
/* Writes the wisdom of the device as text, with a checksum in the last line. Free it with rw_free. */
RW_API rw_status rw_fft_wisdom_export(rw_device *device, char **text);
/* Adds the wisdom of a text of n bytes, replacing that of the same passes.
 * Errors: ERR_FILE: damaged text; ERR_ARGUMENT: wisdom of another device. Nothing is added then. ERR_MEMORY. */
RW_API rw_status rw_fft_wisdom_import(rw_device *device, const char *text, int64_t n);
/* Imports wisdom from a file, exports it to a file; an existing file is replaced.
 * Errors: ERR_FILE; those of rw_fft_wisdom_import and rw_fft_wisdom_export. */
RW_API rw_status rw_fft_wisdom_load(rw_device *device, const char *path);
RW_API rw_status rw_fft_wisdom_save(rw_device *device, const char *path);
/* Deletes the wisdom of the device, in the cache on disk too. */
RW_API rw_status rw_fft_wisdom_forget(rw_device *device);

/* ---- convolution ----------------------------------------------------------------------------------------------------
 *
 * y = a * b by Fourier transforms: forward transform of a, product with the transform of b, inverse transform. One pass
 * performs all three along the first convolved axis. b is transformed once for many a. */

/* name, text, one line; n and m are the lengths of a and b on an axis */
/* clang-format off */
#define RW_CONVOLUTION_MODE_LIST(X)                                                                                    \
    X(FULL, "full", "all n + m - 1 numbers to which a and b contribute")                                               \
    X(SAME, "same", "the n numbers in the middle of these, from (m - 1)/2 on")                                         \
    X(VALID, "valid", "the |n - m| + 1 numbers to which all of the shorter contributes")                               \
    X(PERIODIC, "periodic", "n numbers; a goes on from its end with its beginning")
/* clang-format on */

typedef enum rw_convolution_mode {
#define RW_X(name, text, line) RW_CONVOLUTION_##name,
    RW_CONVOLUTION_MODE_LIST(RW_X)
#undef RW_X
        RW_CONVOLUTION_MODES
} rw_convolution_mode;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_convolution_mode_name(rw_convolution_mode value);
RW_API rw_status rw_convolution_mode_parse(rw_context *context, const char *name, rw_convolution_mode *value);

/* Specification of a convolution. A zeroed member has its default; ndim and the shapes are required. Definitions are
 * those of SciPy (scipy.signal.convolve, correlate). */
typedef struct rw_convolution_spec {
    rw_convolution_mode mode; /* (default: full) */
    bool correlate;           /* correlation: y[k] = sum over j of a[j + k] conj(b[j]) */
    rw_dtype dtype;           /* type of a, b and y: F32, F64, C64, C128. Default: f64. */
    int ndim;
    /* On axes that are not convolved b has one element, which applies to all of a, or as many as a. On convolved axes
     * of mode PERIODIC b is not longer than a; of mode VALID one of a and b is not longer on any. */
    int64_t a_shape[RW_MAX_NDIM], b_shape[RW_MAX_NDIM];
    /* convolved axes, bit 1 << axis for each. Default: all axes. */
    unsigned axes;
    double scale; /* factor of the results, finite; 0: RW_ZERO (default: 1) */
    /* In elements; those of y must not overlap. Default: row-major without gaps. */
    int64_t a_stride[RW_MAX_NDIM], y_stride[RW_MAX_NDIM];
} rw_convolution_spec;
/* The parameter table of rw_convolution_spec. */
RW_API const rw_params *rw_convolution_params(void);

typedef struct rw_convolution rw_convolution;

/* Computes the shape of y. Errors: ERR_ARGUMENT: shapes that do not match, an invalid specification. */
RW_API rw_status rw_convolution_shape_sized(rw_context *context, const rw_convolution_spec *spec,
                                            int64_t shape[RW_MAX_NDIM], size_t spec_size);
#define rw_convolution_shape(...) rw_convolution_shape_sized(__VA_ARGS__, sizeof(rw_convolution_spec))
/* Creates a plan, like rw_fft_create. Errors, lifetime and threads: those of rw_fft_create. */
RW_API rw_status rw_convolution_create_sized(rw_device *device, const rw_convolution_spec *spec,
                                             rw_convolution **convolution, size_t spec_size);
#define rw_convolution_create(...) rw_convolution_create_sized(__VA_ARGS__, sizeof(rw_convolution_spec))
RW_API void rw_convolution_destroy(rw_convolution **convolution);
/* Transforms b, an array of shape b_shape, contiguous or not. The convolution does not use b afterwards. Call it before
 * the first execution.
 * Errors: ERR_ARGUMENT: type, shape, device; ERR_MEMORY. */
RW_API rw_status rw_convolution_set(rw_convolution *convolution, rw_array *b, rw_queue *queue);
/* y <- a * b, without waiting; in place as in rw_fft_execute.
 * Errors: ERR_ARGUMENT: other arrays than planned, no call of rw_convolution_set; ERR_MEMORY; ERR_LAUNCH. */
RW_API rw_status rw_convolution_execute(rw_convolution *convolution, rw_array *a, rw_array *y, rw_queue *queue);
/* Gets the specification, with its defaults filled in. */
RW_API rw_status rw_convolution_get_spec_sized(const rw_convolution *convolution, rw_convolution_spec *spec,
                                               size_t spec_size);
#define rw_convolution_get_spec(...) rw_convolution_get_spec_sized(__VA_ARGS__, sizeof(rw_convolution_spec))
/* Properties of the plan and its work area: as rw_fft_get_info and rw_fft_set_work. table_bytes includes the transform
 * of b. */
RW_API rw_status rw_convolution_get_info_sized(const rw_convolution *convolution, rw_fft_info *info, size_t info_size);
#define rw_convolution_get_info(...) rw_convolution_get_info_sized(__VA_ARGS__, sizeof(rw_fft_info))
RW_API rw_status rw_convolution_set_work(rw_convolution *convolution, rw_array *work);

#ifdef __cplusplus
}
#endif
#endif
