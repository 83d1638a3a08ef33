/* Image filters: chains of operations, planned once for an image size and type and executed often on the device.
 *
 *   rw_image_spec spec = {.text = "gauss:sigma=1|sobel|normalize", .dtype = RW_U8,
 *                         .width = 1920, .height = 1080, .channels = 3};
 *   rw_image_filter_create(dev, &spec, &filter);
 *   rw_image_filter_execute(filter, x, y, queue);          y <- filtered x
 *
 * White is 255, 65535 and 32767 for u8, u16 and i16, and 1 for floating-point types. Results of integer types are
 * bit-identical on all devices. Operations and parameters: `rechenwerk list filters`.
 * Source: docs/methods/image.md. */
#ifndef RECHENWERK_IMAGE_H
#define RECHENWERK_IMAGE_H

#include <stddef.h>

#include "rechenwerk/array.h"
#include "rechenwerk/core.h"
#include "rechenwerk/expr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* name, text, one line */
/* clang-format off */
#define RW_IMAGE_METHOD_LIST(X)                                                                                        \
    X(GAUSS, "gauss", "Gaussian blur")                                                                                 \
    X(BOX, "box", "mean of a rectangle")                                                                               \
    X(SOBEL, "sobel", "gradient: derivative of binomial filters")                                                      \
    X(SCHARR, "scharr", "gradient with the weights 3 10 3")                                                            \
    X(LAPLACE, "laplace", "sum of the second derivatives")                                                             \
    X(SHARPEN, "sharpen", "x - amount Laplacian(x)")                                                                   \
    X(UNSHARP, "unsharp", "x + amount (x - Gaussian blur(x))")                                                         \
    X(MASK, "mask", "correlation with a mask of any size")                                                             \
    X(MEDIAN, "median", "median of a rectangle")                                                                       \
    X(ERODE, "erode", "minimum over a structuring element")                                                            \
    X(DILATE, "dilate", "maximum over a structuring element")                                                          \
    X(OPEN, "open", "erosion, then dilation")                                                                          \
    X(CLOSE, "close", "dilation, then erosion")                                                                        \
    X(GRADIENT, "gradient", "dilation minus erosion")                                                                  \
    X(TOPHAT, "tophat", "x minus its opening")                                                                         \
    X(BLACKHAT, "blackhat", "closing of x minus x")                                                                    \
    X(BILATERAL, "bilateral", "weighted mean of neighbours with similar values")                                       \
    X(THRESHOLD, "threshold", "compares with a level")                                                                 \
    X(INVERT, "invert", "largest value minus x")                                                                       \
    X(LINEAR, "linear", "gain x + offset")                                                                             \
    X(GAMMA, "gamma", "power of x over its largest value")                                                             \
    X(CLIP, "clip", "limits values to a range")                                                                        \
    X(GREY, "grey", "luminance of red, green, blue")                                                                   \
    X(COLOUR, "colour", "another colour space")                                                                        \
    X(NORMALIZE, "normalize", "linear map of least and largest value to a range")                                      \
    X(EQUALIZE, "equalize", "values spread evenly over the range")                                                     \
    X(OTSU, "otsu", "threshold that separates two classes of values best")                                             \
    X(HISTOGRAM, "histogram", "counts of values, a row of them for each channel")                                      \
    X(LOWPASS, "lowpass", "low frequencies, by Fourier transforms")                                                    \
    X(HIGHPASS, "highpass", "high frequencies")                                                                        \
    X(BANDPASS, "bandpass", "a band of frequencies")                                                                   \
    X(SPECTRUM, "spectrum", "magnitudes of the spectrum as a picture, zero frequency in the middle")                   \
    X(RESIZE, "resize", "another size")                                                                                \
    X(WARP, "warp", "affine or perspective map")                                                                       \
    X(ROTATE, "rotate", "rotation about the centre")                                                                   \
    X(FLIP, "flip", "mirror image")                                                                                    \
    X(TRANSPOSE, "transpose", "exchange of rows and columns")                                                          \
    X(CROP, "crop", "part of the image")                                                                               \
    X(PAD, "pad", "pixels beyond the border become part of the image")
/* clang-format on */

typedef enum rw_image_method {
    RW_IMAGE_METHOD_NONE,
#define RW_X(name, text, line) RW_IMAGE_##name,
    RW_IMAGE_METHOD_LIST(RW_X)
#undef RW_X
        RW_IMAGE_METHODS,
    RW_IMAGE_OWN = RW_IMAGE_METHODS /* a user-defined operation, rw_image_own_register */
} rw_image_method;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_image_method_name(rw_image_method value);
RW_API rw_status rw_image_method_parse(rw_context *context, const char *name, rw_image_method *value);

/* name, text, one line: values beyond the border of a row a b c d; v is rw_image_op.value */
/* clang-format off */
#define RW_IMAGE_BORDER_LIST(X)                                                                                        \
    RW_BORDER_LIST(X)                                                                                                  \
    X(SKIP, "skip", "pixels whose window leaves the image stay as they are", 0)
/* clang-format on */

typedef enum rw_image_border {
    RW_IMAGE_BORDER_DEFAULT,
#define RW_X(name, text, line, ...) RW_IMAGE_BORDER_##name,
    RW_IMAGE_BORDER_LIST(RW_X)
#undef RW_X
        RW_IMAGE_BORDERS
} rw_image_border;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_image_border_name(rw_image_border value);
RW_API rw_status rw_image_border_parse(rw_context *context, const char *name, rw_image_border *value);

typedef enum rw_image_direction { /* component of a gradient */
                                  RW_IMAGE_DIRECTION_DEFAULT,
                                  RW_IMAGE_MAGNITUDE,
                                  RW_IMAGE_X,
                                  RW_IMAGE_Y
} rw_image_direction;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_image_direction_name(rw_image_direction value);
RW_API rw_status rw_image_direction_parse(rw_context *context, const char *name, rw_image_direction *value);
typedef enum rw_image_element { /* shape of a structuring element */
                                RW_IMAGE_ELEMENT_DEFAULT,
                                RW_IMAGE_RECTANGLE,
                                RW_IMAGE_CROSS,
                                RW_IMAGE_ELLIPSE
} rw_image_element;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_image_element_name(rw_image_element value);
RW_API rw_status rw_image_element_parse(rw_context *context, const char *name, rw_image_element *value);
typedef enum rw_image_threshold { /* x > level ? white : 0, …, x > level ? 0 : x */
                                  RW_IMAGE_THRESHOLD_DEFAULT,
                                  RW_IMAGE_BINARY,
                                  RW_IMAGE_BINARY_INVERSE,
                                  RW_IMAGE_TRUNCATE,
                                  RW_IMAGE_TO_ZERO,
                                  RW_IMAGE_TO_ZERO_INVERSE
} rw_image_threshold;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_image_threshold_name(rw_image_threshold value);
RW_API rw_status rw_image_threshold_parse(rw_context *context, const char *name, rw_image_threshold *value);
typedef enum rw_image_interpolation {
    RW_IMAGE_INTERPOLATION_DEFAULT,
    RW_IMAGE_INTERPOLATION_NEAREST,
    RW_IMAGE_INTERPOLATION_LINEAR,
    RW_IMAGE_INTERPOLATION_CUBIC,
    RW_IMAGE_INTERPOLATION_LANCZOS,
    RW_IMAGE_INTERPOLATION_AREA
} rw_image_interpolation;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_image_interpolation_name(rw_image_interpolation value);
RW_API rw_status rw_image_interpolation_parse(rw_context *context, const char *name, rw_image_interpolation *value);
typedef enum rw_image_flip {
    RW_IMAGE_FLIP_DEFAULT,
    RW_IMAGE_FLIP_X,
    RW_IMAGE_FLIP_Y,
    RW_IMAGE_FLIP_BOTH
} rw_image_flip;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_image_flip_name(rw_image_flip value);
RW_API rw_status rw_image_flip_parse(rw_context *context, const char *name, rw_image_flip *value);
typedef enum rw_image_colour { /* conversion from or to red, green, blue */
                               RW_IMAGE_COLOUR_DEFAULT,
                               RW_IMAGE_YCBCR,
                               RW_IMAGE_YCBCR_INVERSE,
                               RW_IMAGE_HSV,
                               RW_IMAGE_HSV_INVERSE,
                               RW_IMAGE_XYZ,
                               RW_IMAGE_XYZ_INVERSE,
                               RW_IMAGE_SWAP
} rw_image_colour;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_image_colour_name(rw_image_colour value);
RW_API rw_status rw_image_colour_parse(rw_context *context, const char *name, rw_image_colour *value);

typedef enum rw_image_response { /* frequency response of lowpass, highpass, bandpass */
                                 RW_IMAGE_RESPONSE_DEFAULT,
                                 RW_IMAGE_RESPONSE_GAUSSIAN,
                                 RW_IMAGE_RESPONSE_BUTTERWORTH,
                                 RW_IMAGE_RESPONSE_IDEAL
} rw_image_response;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_image_response_name(rw_image_response value);
RW_API rw_status rw_image_response_parse(rw_context *context, const char *name, rw_image_response *value);
/* scale of the magnitudes of a spectrum */
typedef enum rw_image_scale { RW_IMAGE_SCALE_DEFAULT, RW_IMAGE_SCALE_LOG, RW_IMAGE_SCALE_LINEAR } rw_image_scale;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_image_scale_name(rw_image_scale value);
RW_API rw_status rw_image_scale_parse(rw_context *context, const char *name, rw_image_scale *value);
typedef enum rw_image_alpha { /* what an operation does with an alpha channel */
                              RW_IMAGE_ALPHA_DEFAULT,
                              RW_IMAGE_ALPHA_KEEP,
                              RW_IMAGE_ALPHA_FILTER
} rw_image_alpha;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_image_alpha_name(rw_image_alpha value);
RW_API rw_status rw_image_alpha_parse(rw_context *context, const char *name, rw_image_alpha *value);
typedef enum rw_image_algorithm { /* how sums over neighbours are computed */
                                  RW_IMAGE_ALGORITHM_DEFAULT,
                                  RW_IMAGE_ALGORITHM_AUTO,
                                  RW_IMAGE_ALGORITHM_TAPS,
                                  RW_IMAGE_ALGORITHM_FFT,
                                  RW_IMAGE_ALGORITHM_RECURSIVE
} rw_image_algorithm;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_image_algorithm_name(rw_image_algorithm value);
RW_API rw_status rw_image_algorithm_parse(rw_context *context, const char *name, rw_image_algorithm *value);

/* A user-defined operation of a program or plugin. It receives whole images of floating-point values (F32; F64 if the
 * image is f64), contiguous, of shape [height][width][channels], or planar [channels][height][width]; one channel:
 * [height][width]. Its result has the same shape. */
typedef struct rw_image_own {
    const char *name, *line; /* name in chains, without : | and spaces; description in one line */
    /* Prepares the operation. options: the text after the name and a colon, "" if there is none. *state is passed to
     * `execute` and `destroy`. */
    rw_status (*create)(rw_device *device, const char *options, rw_dtype dtype, int64_t width, int64_t height,
                        int channels, bool planar, void **state);
    /* Computes y from x, in the queue. */
    rw_status (*execute)(void *state, rw_array *x, rw_array *y, rw_queue *queue);
    void (*destroy)(void *state); /* (optional) frees the state */
} rw_image_own;
/* Registers an operation for all filters of the process.
 * Errors: ERR_ARGUMENT: a name that exists, a missing name or function, more than 64 operations.
 * Lifetime: *operation must remain valid until the process ends.
 * Threads: register operations before other threads create filters. */
RW_API rw_status rw_image_own_register(rw_context *context, const rw_image_own *operation);
RW_API const rw_image_own *rw_image_own_get(int i); /* registered operation i; NULL: none */

/* One operation with its parameters. A zeroed member has its default, except that rw_image_spec.ops requires `method`.
 * The method decides which members are used (`rechenwerk list filters`). */
typedef struct rw_image_op {
    rw_image_method method;               /* operation (default: gauss) */
    rw_image_border border;               /* pixels beyond the border (default: reflect101; resize: replicate) */
    double value;                         /* border constant: value beyond the border (default: 0) */
    double sigma;                         /* standard deviation in pixels (default: 1; bilateral: 2) */
    double sigma_y;                       /* standard deviation along columns. Default: sigma. */
    rw_image_algorithm algorithm;         /* gauss, mask (default: auto) */
    rw_image_response response;           /* lowpass, highpass, bandpass (default: gaussian) */
    double cutoff;                        /* cycles per pixel, up to 0.5 along an axis (default: 0.1) */
    double cutoff_high;                   /* bandpass: upper end of the band (default: 0.25) */
    int order;                            /* order of the Butterworth response (default: 2) */
    rw_image_scale magnitudes;            /* spectrum: log is log(1 + |X|) (default: log) */
    double truncate;                      /* radius of the window in units of sigma (default: 3) */
    int size;                             /* edge of the window in pixels (default: 3; laplace: 1) */
    int size_y;                           /* rows of the window. Default: size. */
    rw_image_direction direction;         /* sobel, scharr (default: magnitude) */
    rw_image_element element;             /* structuring element (default: rectangle) */
    double amount;                        /* sharpen, unsharp: strength (default: 1) */
    double range;                         /* bilateral: difference with weight exp(-1/2). Default: white/10. */
    rw_image_threshold threshold;         /* (default: binary) */
    double level;                         /* threshold: level. Default: white/2. */
    double gain;                          /* linear: factor (default: 1) */
    double offset;                        /* linear: value added to the product (default: 0) */
    double power;                         /* gamma: exponent of x/white (default: 0.45454545) */
    double low;                           /* clip, normalize: lower end of the range (default: 0) */
    double high;                          /* clip, normalize: upper end of the range. Default: white. */
    rw_image_colour colour;               /* target space (default: ycbcr) */
    int64_t width;                        /* columns of the result. Default: by factor, or by height. */
    int64_t height;                       /* rows of the result. Default: by factor, or by width. */
    double factor;                        /* resize: new size over old size (default: 1) */
    rw_image_interpolation interpolation; /* (default: linear) */
    double angle;                         /* rotate: degrees, counterclockwise (default: 0) */
    rw_image_flip axis;                   /* flip: axis that is mirrored (default: x) */
    int64_t left;                         /* crop: first column; pad: columns at the left (default: 0) */
    int64_t top;                          /* crop: first row; pad: rows at the top (default: 0) */
    int bins;                             /* histogram: bins (default: 256) */
    int anchor_x;                         /* mask: columns from its centre to the reference point (default: 0) */
    int anchor_y;                         /* mask: rows from its centre to the reference point (default: 0) */
    double scale;                         /* mask: factor of the weights (default: 1) */
    /* mask: rows of weights, valid until the filter has been created (default: 1 2 1/2 4 2/1 2 1) */
    const char *mask;
    const rw_image_own *own; /* RW_IMAGE_OWN: the operation */
    const char *options;     /* RW_IMAGE_OWN: its options; NULL: none */
    /* warp: 2 or 3 rows of 3 coefficients, from pixels of the result to those of x; valid like mask */
    const char *matrix;
    /* images with an alpha channel (rw_image_spec.alpha); filter: alpha is filtered like a colour (default: keep) */
    rw_image_alpha alpha;
} rw_image_op;

/* The parameter table of rw_image_op. */
RW_API const rw_params *rw_image_op_params(void);
/* Parses an operation: "gauss:sigma=3:border=wrap".
 * Errors: ERR_ARGUMENT with the nearest name or the allowed values; ERR_MEMORY. */
RW_API rw_status rw_image_op_parse_sized(rw_context *context, const char *text, rw_image_op *op, size_t op_size);
#define rw_image_op_parse(...) rw_image_op_parse_sized(__VA_ARGS__, sizeof(rw_image_op))

/* Specification of a filter: a chain of operations, given either as `text`, separated by |, or as ops[nops]. Other
 * zeroed members have their defaults; width and height are required. */
typedef struct rw_image_spec {
    const char *text;
    const rw_image_op *ops;
    int64_t nops;
    rw_dtype dtype;   /* type of x: U8, U16, I16, F16, F32, F64. Default: f32. */
    rw_dtype y_dtype; /* type of y. Default: that of x; f64 for a histogram. */
    int64_t width, height;
    int channels; /* channels of x, 1 … 64. Default: 1. */
    /* arrays have shape [channels][height][width]. Default: [height][width][channels]. One channel: [height][width]
     * too. */
    bool planar;
    /* Computes only this part of the result: y has its size. Its pixels use neighbours from the whole image. Default:
     * the whole result. */
    struct {
        int64_t x, y, width, height;
    } region;
    /* The last channel is alpha, from 0 (transparent) to white (opaque); colours are not multiplied by it. Requires 2
     * channels or more. Point and edge operations leave alpha unchanged. Windows and interpolation work on colours
     * multiplied by alpha, and divide by the alpha of the result. rw_image_op.alpha = RW_IMAGE_ALPHA_FILTER: this
     * operation filters alpha like a colour. The command and streams set it for images of 2 and 4 channels. Default:
     * no channel is alpha. */
    bool alpha;
} rw_image_spec;

typedef struct rw_image_filter rw_image_filter;

/* Properties of a filter. */
typedef struct rw_image_info {
    int64_t passes;        /* passes over the image */
    int64_t width, height; /* size of y */
    int channels;
    rw_dtype dtype;
    int64_t bytes;      /* lower bound of the bytes read and written by one execution */
    int64_t work_bytes; /* bytes of memory between passes, and of row buffers in global memory */
    /* NaN and infinity in x affect more results than those whose windows read them: recursive Gaussians, frequencies,
     * spectra */
    bool spreads;
} rw_image_info;

/* Creates a filter: generates and compiles the kernels of the chain. Filters of other sizes and weights share them.
 * Errors: ERR_ARGUMENT: operation, parameter, type, size; ERR_UNSUPPORTED: colours of i16;
 *     ERR_MEMORY; ERR_COMPILE.
 * Lifetime: the filter retains the device; the specification and its texts are not used afterwards. */
RW_API rw_status rw_image_filter_create_sized(rw_device *device, const rw_image_spec *spec, rw_image_filter **filter,
                                              size_t spec_size, size_t op_size);
#define rw_image_filter_create(...)                                                                                    \
    rw_image_filter_create_sized(__VA_ARGS__, sizeof(rw_image_spec), sizeof(rw_image_op))
RW_API void rw_image_filter_destroy(rw_image_filter **filter);
RW_API rw_status rw_image_filter_get_info_sized(const rw_image_filter *filter, rw_image_info *info, size_t info_size);
#define rw_image_filter_get_info(...) rw_image_filter_get_info_sized(__VA_ARGS__, sizeof(rw_image_info))
/* Describes the passes as text, one line per pass. Free it with rw_free. */
RW_API rw_status rw_image_filter_explain(const rw_image_filter *filter, char **text);
/* y <- filtered x, without waiting. The arrays have the types and shapes of the plan; views are allowed.
 * Errors: ERR_ARGUMENT: other arrays, x and y that overlap; ERR_MEMORY; ERR_LAUNCH.
 * Threads: executions of one filter must be ordered by one queue or by events, since they share memory between
 *     passes. */
RW_API rw_status rw_image_filter_execute(rw_image_filter *filter, rw_array *x, rw_array *y, rw_queue *queue);

/* y <- filtered x for images in host memory that may exceed device memory: [height][width][channels] without gaps. The
 * image is processed in bands of rows, together with the adjacent rows that the chain reads; two bands are in flight at
 * a time.
 * x, y: may not overlap, not even in part: a band is read after the bands above it have been written.
 * bytes: maximum of device memory to use; 0: half of the free memory.
 * info: optional; shape and type of y.
 * Errors: ERR_UNSUPPORTED: operations that need the whole image at once (normalize, equalize, otsu, histogram,
 *     frequencies, transforms, geometry, user-defined ones), or border wrap together with another border. ERR_ARGUMENT:
 *     planar, region, x and y that overlap, negative bytes, and those of rw_image_filter_create. ERR_MEMORY: not even
 *     one row fits. */
RW_API rw_status rw_image_filter_tiles_sized(rw_device *device, const rw_image_spec *spec, const void *x, void *y,
                                             int64_t bytes, rw_image_info *info, size_t spec_size, size_t op_size,
                                             size_t info_size);
#define rw_image_filter_tiles(...)                                                                                     \
    rw_image_filter_tiles_sized(__VA_ARGS__, sizeof(rw_image_spec), sizeof(rw_image_op), sizeof(rw_image_info))

#ifdef __cplusplus
}
#endif
#endif
