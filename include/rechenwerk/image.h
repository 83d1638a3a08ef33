/* Image filters: chains of operations, planned once for a size and type, executed often, without leaving the device.
 *
 *   rw_image_spec spec = {.text = "gauss:sigma=1|sobel|normalize", .dtype = RW_U8,
 *                         .width = 1920, .height = 1080, .channels = 3};
 *   rw_image_filter_create(dev, &spec, &filter);
 *   rw_image_filter_execute(filter, x, y, queue);          y <- filtered x
 *
 * Operations, parameters and definitions: docs/methods/image.md, `rechenwerk list filters`. Results of integer types
 * are the same bits on every device. */
#ifndef RECHENWERK_IMAGE_H
#define RECHENWERK_IMAGE_H

#include <stddef.h>

#include "rechenwerk/array.h"
#include "rechenwerk/core.h"

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
    RW_IMAGE_OWN = RW_IMAGE_METHODS /* an operation of a program's own, rw_image_own_register */
} rw_image_method;
RW_API const char *rw_image_method_name(rw_image_method method);

/* name, text, one line: values beyond the border of a row a b c d */
/* clang-format off */
#define RW_IMAGE_BORDER_LIST(X)                                                                                        \
    X(REFLECT101, "reflect101", "c b | a b c d | c b")                                                                 \
    X(REFLECT, "reflect", "b a | a b c d | d c")                                                                       \
    X(REPLICATE, "replicate", "a a | a b c d | d d")                                                                   \
    X(WRAP, "wrap", "c d | a b c d | a b")                                                                             \
    X(CONSTANT, "constant", "v v | a b c d | v v")                                                                     \
    X(SKIP, "skip", "pixels whose window leaves the image stay as they are")
/* clang-format on */

typedef enum rw_image_border {
    RW_IMAGE_BORDER_DEFAULT,
#define RW_X(name, text, line) RW_IMAGE_BORDER_##name,
    RW_IMAGE_BORDER_LIST(RW_X)
#undef RW_X
        RW_IMAGE_BORDERS
} rw_image_border;

typedef enum rw_image_direction { /* of derivatives */
                                  RW_IMAGE_DIRECTION_DEFAULT,
                                  RW_IMAGE_MAGNITUDE,
                                  RW_IMAGE_X,
                                  RW_IMAGE_Y
} rw_image_direction;
typedef enum rw_image_element { /* structuring element */
                                RW_IMAGE_ELEMENT_DEFAULT,
                                RW_IMAGE_RECTANGLE,
                                RW_IMAGE_CROSS,
                                RW_IMAGE_ELLIPSE
} rw_image_element;
typedef enum rw_image_threshold { /* x > level ? … : … */
                                  RW_IMAGE_THRESHOLD_DEFAULT,
                                  RW_IMAGE_BINARY,
                                  RW_IMAGE_BINARY_INVERSE,
                                  RW_IMAGE_TRUNCATE,
                                  RW_IMAGE_TO_ZERO,
                                  RW_IMAGE_TO_ZERO_INVERSE
} rw_image_threshold;
typedef enum rw_image_interpolation {
    RW_IMAGE_INTERPOLATION_DEFAULT,
    RW_IMAGE_INTERPOLATION_NEAREST,
    RW_IMAGE_INTERPOLATION_LINEAR,
    RW_IMAGE_INTERPOLATION_CUBIC,
    RW_IMAGE_INTERPOLATION_LANCZOS,
    RW_IMAGE_INTERPOLATION_AREA
} rw_image_interpolation;
typedef enum rw_image_flip {
    RW_IMAGE_FLIP_DEFAULT,
    RW_IMAGE_FLIP_X,
    RW_IMAGE_FLIP_Y,
    RW_IMAGE_FLIP_BOTH
} rw_image_flip;
typedef enum rw_image_colour { /* from red, green, blue, or back */
                               RW_IMAGE_COLOUR_DEFAULT,
                               RW_IMAGE_YCBCR,
                               RW_IMAGE_YCBCR_INVERSE,
                               RW_IMAGE_HSV,
                               RW_IMAGE_HSV_INVERSE,
                               RW_IMAGE_XYZ,
                               RW_IMAGE_XYZ_INVERSE,
                               RW_IMAGE_SWAP
} rw_image_colour;

typedef enum rw_image_response { /* of frequencies */
                                 RW_IMAGE_RESPONSE_DEFAULT,
                                 RW_IMAGE_RESPONSE_GAUSSIAN,
                                 RW_IMAGE_RESPONSE_BUTTERWORTH,
                                 RW_IMAGE_RESPONSE_IDEAL
} rw_image_response;
/* of a spectrum */
typedef enum rw_image_scale { RW_IMAGE_SCALE_DEFAULT, RW_IMAGE_SCALE_LOG, RW_IMAGE_SCALE_LINEAR } rw_image_scale;
typedef enum rw_image_algorithm { /* of sums of neighbours */
                                  RW_IMAGE_ALGORITHM_DEFAULT,
                                  RW_IMAGE_ALGORITHM_AUTO,
                                  RW_IMAGE_ALGORITHM_TAPS,
                                  RW_IMAGE_ALGORITHM_FFT,
                                  RW_IMAGE_ALGORITHM_RECURSIVE
} rw_image_algorithm;

/* An operation that a program or a plugin adds: a table in a file of its own. It gets whole images of real values (F32;
 * F64 of images of f64), contiguous, [height][width][channels] or, planar, [channels][height][width], one channel
 * [height][width], and gives one of the same shape. */
typedef struct rw_image_own {
    const char *name, *line; /* as in chains, in one line */
    /* `options`: what follows the name and a colon, "" if nothing does. *state is kept for executions. */
    rw_status (*create)(rw_device *device, const char *options, rw_dtype dtype, int64_t width, int64_t height,
                        int channels, bool planar, void **state);
    rw_status (*execute)(void *state, rw_array *x, rw_array *y, rw_queue *queue);
    void (*destroy)(void *state); /* (optional) */
} rw_image_own;
/* Adds an operation, which must live until the end. ERR_ARGUMENT: a name that is there already, or functions that are
 * missing. */
RW_API rw_status rw_image_own_register(rw_context *context, const rw_image_own *operation);
RW_API const rw_image_own *rw_image_own_get(int i); /* NULL: there are fewer */

/* One operation with its parameters; 0 is the default of every member but `method`. Which method has which: `rechenwerk
 * list filters`. */
typedef struct rw_image_op {
    rw_image_method method;               /* (default: gauss) */
    rw_image_border border;               /* pixels beyond the border (default: reflect101) */
    double value;                         /* their value, of border constant */
    double sigma;                         /* standard deviation in pixels (default: 1; bilateral: 2) */
    double sigma_y;                       /* of columns, if it differs from sigma */
    rw_image_algorithm algorithm;         /* of gauss and mask (default: auto) */
    rw_image_response response;           /* of frequencies (default: gaussian) */
    double cutoff;                        /* frequency in cycles per pixel (default: 0.1) */
    double cutoff_high;                   /* upper end of a band (default: 0.25) */
    int order;                            /* of a Butterworth response (default: 2) */
    rw_image_scale magnitudes;            /* of a spectrum (default: log) */
    double truncate;                      /* radius of the window in units of sigma (default: 3) */
    int size;                             /* edge of the window in pixels (default: 3; laplace: 1) */
    int size_y;                           /* its rows, if they differ from size */
    rw_image_direction direction;         /* (default: magnitude) */
    rw_image_element element;             /* structuring element (default: rectangle) */
    double amount;                        /* of sharpening (default: 1) */
    double range;                         /* difference of values with weight exp(-1/2); 0: a tenth of white */
    rw_image_threshold threshold;         /* (default: binary) */
    double level;                         /* of the comparison; 0: half of white */
    double gain;                          /* factor (default: 1) */
    double offset;                        /* summand */
    double power;                         /* exponent of x over white (default: 0.45454545) */
    double low;                           /* least value */
    double high;                          /* largest value; 0: white, which is 255, 65535, 32767 or 1 */
    rw_image_colour colour;               /* (default: ycbcr) */
    int64_t width;                        /* of the result; 0: by factor, or by height */
    int64_t height;                       /* the same */
    double factor;                        /* new size over old size (default: 1) */
    rw_image_interpolation interpolation; /* (default: linear) */
    double angle;                         /* degrees, counterclockwise */
    rw_image_flip axis;                   /* that is mirrored (default: x) */
    int64_t left;                         /* first column of a part; columns that are added at the left */
    int64_t top;                          /* the same of rows */
    int bins;                             /* of a histogram (default: 256) */
    int anchor_x;                         /* the mask's point of reference, to the right of its centre */
    int anchor_y;                         /* the same, below its centre */
    double scale;                         /* factor of the weights (default: 1) */
    const char *mask;        /* rows of weights; must outlive the filter's creation (default: 1 2 1/2 4 2/1 2 1) */
    const rw_image_own *own; /* of method OWN */
    const char *options;     /* of method OWN; NULL: none */
    const char *matrix;      /* 2 or 3 rows of 3 numbers: from pixels of the result to those of x */
} rw_image_op;

RW_API const rw_params *rw_image_op_params(void);
/* Reads "gauss:sigma=3:border=wrap". ERR_ARGUMENT: what is wrong, with the nearest name or what is allowed. */
RW_API rw_status rw_image_op_parse_sized(rw_context *context, const char *text, rw_image_op *op, size_t op_size);
#define rw_image_op_parse(...) rw_image_op_parse_sized(__VA_ARGS__, sizeof(rw_image_op))

/* A chain. Either `text`, operations with | between them, or ops[nops]. */
typedef struct rw_image_spec {
    const char *text;
    const rw_image_op *ops;
    int nops;
    rw_dtype dtype;   /* of x: U8, U16, I16, F16, F32, F64 (default: f32) */
    rw_dtype y_dtype; /* of y (default: as x; of a histogram f64) */
    int64_t width, height;
    int channels; /* of x (default: 1) */
    /* arrays are [channels][height][width], else [height][width][channels]; one channel: [height][width] too */
    bool planar;
    /* Part of the result that is computed: y has its size. The neighbours of its pixels are those of the whole image.
     * All 0: all. */
    struct {
        int64_t x, y, width, height;
    } region;
} rw_image_spec;

typedef struct rw_image_filter rw_image_filter;

typedef struct rw_image_info {
    int passes;            /* over the image */
    int64_t width, height; /* of y */
    int channels;
    rw_dtype dtype;
    int64_t bytes;      /* read and written by one execution, at least */
    int64_t work_bytes; /* of memory between passes */
} rw_image_info;

/* Plans the chain: writes and compiles its kernels, which other sizes and weights share. ERR_ARGUMENT: operation,
 * parameter, type, size; ERR_UNSUPPORTED, ERR_MEMORY, ERR_COMPILE. */
RW_API rw_status rw_image_filter_create_sized(rw_device *device, const rw_image_spec *spec, rw_image_filter **filter,
                                              size_t spec_size, size_t op_size);
#define rw_image_filter_create(...)                                                                                    \
    rw_image_filter_create_sized(__VA_ARGS__, sizeof(rw_image_spec), sizeof(rw_image_op))
RW_API void rw_image_filter_destroy(rw_image_filter **filter);
RW_API rw_status rw_image_filter_get_info_sized(const rw_image_filter *filter, rw_image_info *info, size_t info_size);
#define rw_image_filter_get_info(...) rw_image_filter_get_info_sized(__VA_ARGS__, sizeof(rw_image_info))
/* The passes as text, a line each, for a person; free() it. */
RW_API rw_status rw_image_filter_explain(const rw_image_filter *filter, char **text);
/* y <- filtered x. Arrays of the planned types and shapes; rows may lie apart (views). x and y must not overlap:
 * ERR_ARGUMENT. */
RW_API rw_status rw_image_filter_execute(rw_image_filter *filter, rw_array *x, rw_array *y, rw_queue *queue);

/* y <- filtered x of images in host memory, [height][width][channels] without gaps, which may be larger than the
 * device's memory: in bands of rows, with the rows beside them that the chain reads; two bands are under way at a time.
 * `bytes` of the device are used at most (0: half of what is free). info (may be NULL) has y's shape and type.
 * ERR_UNSUPPORTED: operations that need the whole image at once (normalize, equalize, otsu, histogram, frequencies,
 * transforms, geometry); ERR_MEMORY: not even one row fits. */
RW_API rw_status rw_image_filter_tiles_sized(rw_device *device, const rw_image_spec *spec, const void *x, void *y,
                                             int64_t bytes, rw_image_info *info, size_t spec_size, size_t op_size,
                                             size_t info_size);
#define rw_image_filter_tiles(...)                                                                                     \
    rw_image_filter_tiles_sized(__VA_ARGS__, sizeof(rw_image_spec), sizeof(rw_image_op), sizeof(rw_image_info))

/* ---- files; link librechenwerk-run ------------------------------------------------------------------------------- */

/* An image from a file as an array [height][width][channels]. PNG, PNM, BMP, JPEG, TIFF (by the first bytes): u8 or
 * u16, 1 to 4 channels: grey, grey and alpha, red, green, blue, and alpha; samples of PNM whose maximum is no power of
 * 2 minus 1 are scaled to 255 or 65535. NAME.npy: an array of the type in the file, of two dimensions or three.
 * ERR_FILE; ERR_INPUT: what is wrong, where; ERR_UNSUPPORTED: JPEG or TIFF in a build without them; ERR_MEMORY. */
RW_API rw_status rw_image_load(rw_device *device, const char *path, rw_array **array);
/* An image to a file, which appears whole or not at all, in the format of its ending: .png, .pnm, .pgm, .ppm, .bmp,
 * .jpg, .tif, .npy. u8 and u16 as they are; i16 and floats are converted, white becoming 255 or 65535 (bool `deep`).
 * ERR_ARGUMENT: an ending, channels or bits that the format does not hold. */
RW_API rw_status rw_image_save(rw_array *array, const char *path, bool deep);

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* Streams of frames through image filters: read, copied, filtered, copied back and written at the same time, in memory
 * of a fixed size.
 *
 *   rw_stream_spec spec = {.text = "gauss:sigma=1|sobel"};
 *   rw_stream_run(dev, "film.y4m", "edges.y4m", &spec, &report);       "-" is standard input or output
 *
 * Formats are tables (rw_stream_format): y4m, clm, raw, pictures. A new one needs no change here:
 * rw_stream_format_register. Link librechenwerk-run. */

/* name, text, one line; planes are Y, Cb, Cr */
/* clang-format off */
#define RW_FRAME_LAYOUT_LIST(X)                                                                                        \
    X(PIXELS, "pixels", "[height][width][channels]")                                                                   \
    X(420, "420", "planes, colour at every second pixel of every second row")                                          \
    X(422, "422", "planes, colour at every second pixel")                                                              \
    X(444, "444", "planes of equal size")
/* clang-format on */

typedef enum rw_frame_layout {
#define RW_X(name, text, line) RW_FRAME_##name,
    RW_FRAME_LAYOUT_LIST(RW_X)
#undef RW_X
        RW_FRAME_LAYOUTS
} rw_frame_layout;

/* What each frame of a stream is. */
typedef struct rw_frame_format {
    rw_frame_layout layout;
    int64_t width, height;
    int channels;        /* of PIXELS: 1 to 4; of planes 3 */
    rw_dtype dtype;      /* U8 or U16 */
    int bits;            /* of a sample that are used; 0: all */
    bool full_range;     /* planes: black and white are 0 and the largest value, not 16 and 235 */
    int rate[2];         /* frames a second, as a fraction; 0 0: not known */
    int64_t count;       /* frames; 0: not known */
    int64_t reserved[2]; /* 0: later members take this room, so that the size stays */
} rw_frame_format;
RW_API int64_t rw_frame_bytes(const rw_frame_format *format);

/* ---- formats ----------------------------------------------------------------------------------------------------- */

/* A file or a pipe that is read from its start or written to its end. */
typedef struct rw_stream_file rw_stream_file;
RW_API rw_context *rw_stream_file_context(const rw_stream_file *file);
RW_API const char *rw_stream_file_name(const rw_stream_file *file); /* for messages */
/* Exactly n bytes. end (may be NULL): true if there was not a single one, which is then no error. ERR_INPUT: it ends
 * within them; `what` says in what. */
RW_API rw_status rw_stream_file_read(rw_stream_file *file, void *bytes, size_t n, const char *what, bool *end);
RW_API rw_status rw_stream_file_write(rw_stream_file *file, const void *bytes, size_t n);

/* A format. Functions that it lacks are NULL: then it cannot be read, or written. */
typedef struct rw_stream_format {
    const char *name, *line;
    const char *endings[8]; /* of files: ".y4m" */
    /* Whether a stream begins so; n bytes, 12 unless it is shorter. NULL: it is chosen by its name or ending alone. */
    bool (*is)(const unsigned char *start, size_t n);
    /* The format opens files itself, by a name such as "frame-%04d.png": `file` is NULL. */
    bool by_name;
    bool luma; /* its frames of one channel are luma, 16 … 235 unless full_range */
    /* Reads the head. `format` has what the caller has said about frames, for streams without a head. *state belongs to
     * the format. */
    rw_status (*open)(rw_context *context, const char *name, rw_stream_file *file, rw_frame_format *format,
                      void **state);
    /* The next frame, rw_frame_bytes(format) long, or *end. */
    rw_status (*read)(void *state, void *frame, bool *end);
    rw_status (*create)(rw_context *context, const char *name, rw_stream_file *file, const rw_frame_format *format,
                        void **state);
    rw_status (*write)(void *state, const void *frame);
    /* Whether it can hold such frames; NULL: all. */
    bool (*holds)(const rw_frame_format *format);
    void (*destroy)(void *state);
} rw_stream_format;

/* Adds a format, which must live until the end, before those that are there. ERR_ARGUMENT: a table without a name or
 * functions. */
RW_API rw_status rw_stream_format_register(rw_context *context, const rw_stream_format *format);
/* The formats, in the order in which they are tried; NULL: there is none with this number. */
RW_API const rw_stream_format *rw_stream_format_get(int i);
/* Whether a name means a stream: "-", a pattern such as %04d.png, an ending of a format of streams. */
RW_API bool rw_stream_is(const char *name);

/* ---- running ----------------------------------------------------------------------------------------------------- */

typedef struct rw_stream_report {
    int64_t frames;
    double seconds; /* from the first frame read to the last one written */
    int64_t bytes_in, bytes_out;
    double latency, latency_99, latency_most; /* seconds from read (or due) to written: median, 99 %, most */
    int64_t late;                             /* frames written after their deadline */
    double deadline;                          /* seconds; 0: none */
    double depth;                             /* frames between reading and writing, mean */
    int depth_most;
    rw_frame_format in, out;
    int64_t shown; /* frames that `show` was called for */
} rw_stream_report;

/* A frame that has been filtered, for an observer of the stream. Valid until the call returns. */
typedef struct rw_stream_view {
    int64_t frame;        /* its number, from 0 */
    const void *in, *out; /* host memory: the frame as read and as written, of the formats in the report */
    /* device: the filter's input and result, [height][width][channels]; values only if `in` is not NULL */
    rw_array *x, *y;
    const rw_stream_report *report; /* so far */
} rw_stream_view;

typedef enum rw_stream_action {
    RW_STREAM_CONTINUE,
    RW_STREAM_PAUSE, /* no further frames are read; rates and seconds do not count the pause */
    RW_STREAM_END    /* the stream ends after the frames that were read */
} rw_stream_action;

typedef struct rw_stream_spec {
    const char *text;                   /* chain of operations (rechenwerk/image.h) */
    const char *in_format, *out_format; /* names of formats (default: by first bytes, by ending, as the input) */
    rw_frame_format frames;             /* of streams without a head: layout, width, height, channels, dtype, rate */
    bool luma;  /* planes: the chain gets Y, and Cb, Cr stay as they are; else red, green, blue */
    int queues; /* of the device, that work at the same time (default: 3) */
    int depth;  /* frames between reading and writing, at most (default: 8) */
    /* frames a second at which they are read, as from a camera (default: as fast as they come) */
    double rate;
    double deadline;     /* seconds from read to written (default: with a rate 1/rate, else none) */
    int64_t frames_most; /* after which it ends (default: all) */
    /* Called about twice a second, in the caller's thread. A status other than OK ends the stream after the frames that
     * were read; the output is complete, and rw_stream_run returns that status. */
    rw_status (*progress)(void *user, const rw_stream_report *report);
    void *user;
    /* (optional) Observes frames, in the caller's thread.
     * It gets the last frame of the stream, and of the others so many that the stream is not slowed: two to 60 a
     * second, where it takes less than a tenth of the time, or, with a rate, ends before the next frame is due.
     * Other calls, for its own events, come once before the first frame is read and then about 50 times a second:
     * report->shown is that of the call before, and view->in is NULL or that of the call before.
     * *action is RW_STREAM_CONTINUE before each call. A status other than OK ends the stream. */
    rw_status (*show)(void *show_user, const rw_stream_view *view, rw_stream_action *action);
    void *show_user;
    const rw_cancel *cancel; /* ends the stream when requested, as `progress` does, with ERR_INTERRUPTED */
} rw_stream_spec;

/* Filters all frames of `in` to `out`. "none" as `out`: nothing is written. report may be NULL. A file `out` appears
 * whole or not at all. ERR_FILE, ERR_INPUT: a stream that is malformed, or ends within a frame: the frames before are
 * written; ERR_ARGUMENT, and what filters and `show` fail with. */
RW_API rw_status rw_stream_run_sized(rw_device *device, const char *in, const char *out, const rw_stream_spec *spec,
                                     rw_stream_report *report, size_t spec_size, size_t report_size);
#define rw_stream_run(...) rw_stream_run_sized(__VA_ARGS__, sizeof(rw_stream_spec), sizeof(rw_stream_report))

/* ---- window ------------------------------------------------------------------------------------------------------ */

/* A window with the input, the result and the result's spectrum side by side, scaled to its size, and rates, latency
 * and late frames below them. Keys: q or Escape ends the stream, space pauses it, s saves the window as PNG.
 *
 *   rw_stream_window *window;
 *   rw_stream_window_create(dev, &(rw_stream_window_spec){0}, &window);
 *   rw_stream_spec spec = {.text = "gauss|sobel", .show = rw_stream_window_show, .show_user = window};
 *   rw_stream_run(dev, "film.y4m", "none", &spec, NULL);
 *   rw_stream_window_destroy(&window);
 *
 * It needs SDL2. All calls must come from one thread. */
typedef struct rw_stream_window rw_stream_window;

typedef struct rw_stream_window_spec {
    /* pixels, 64 to 16384 (default: for whole multiples of the frames, at most 1280 x 720) */
    int width, height;
    const char *title; /* (default: "Rechenwerk") */
    /* "FILE.png": key s writes FILE-2.png, FILE-3.png … (default: window.png, window-2.png …) */
    const char *screenshot;
} rw_stream_window_spec;

/* The window opens with the first frame. A process has one at a time. Destroy it before its device.
 * ERR_ARGUMENT: there is one already, or a size is outside its limits. ERR_UNSUPPORTED: SDL2 or a display is missing;
 * the message says what to install. */
RW_API rw_status rw_stream_window_create_sized(rw_device *device, const rw_stream_window_spec *spec,
                                               rw_stream_window **window, size_t spec_size);
#define rw_stream_window_create(...) rw_stream_window_create_sized(__VA_ARGS__, sizeof(rw_stream_window_spec))
/* For rw_stream_spec.show; show_user: the window. ERR_UNSUPPORTED: SDL2 cannot open the window; and what filters fail
 * with. */
RW_API rw_status rw_stream_window_show(void *show_user, const rw_stream_view *view, rw_stream_action *action);
/* Writes what the window shows as PNG. ERR_ARGUMENT: no frame was shown yet; ERR_FILE. */
RW_API rw_status rw_stream_window_save(rw_stream_window *window, const char *path);
RW_API void rw_stream_window_destroy(rw_stream_window **window);

#ifdef __cplusplus
}
#endif
#endif
