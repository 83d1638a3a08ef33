/* Image filters: lowering of a chain of operations to passes over the image.
 *
 *   text --ops.c--> rw_image_op --lower.c--> stages of passes --pipeline.c--> kernel text --pass.c--> launches
 *
 * A stage computes a row of values from rows of the stage before it. The stages of a pass form one kernel: a
 * workgroup walks down a strip of the image, and each stage stores the rows that the next one reads. */
#ifndef RW_IMAGE_H
#define RW_IMAGE_H

#include "device/device.h"
#include "rechenwerk/fft.h"
#include "rechenwerk/image.h"

enum { RW_IMAGE_STAGES = 40, RW_IMAGE_PASSES = 16, RW_IMAGE_MASK_MOST = 255, RW_IMAGE_CHANNELS = 64 };

typedef struct rw_image_stage rw_image_stage;
typedef struct rw_image_writer rw_image_writer;

/* Values of a pass's operations that are arguments of its kernel: u8 and floats compute in f32 or f64, u16 and i16 in
 * i32. */
typedef struct rw_image_weights {
    double *value;
    int n, capacity;
    bool failed;
} rw_image_weights;

typedef struct rw_image_blend {
    double white, gain; /* largest alpha; alpha is multiplied by gain */
    double steps;       /* results are rounded to multiples of 1/steps first; 0: are not */
} rw_image_blend;

struct rw_image_stage {
    const char *name; /* for explanations */
    int operation;    /* that it belongs to: 0 of what is loaded, 1, 2, … */
    /* input stages; from: read with neighbours; also: second input stage, same pixel; -1: none */
    int from, also;
    int also_x;   /* that many pixels to the right */
    bool running; /* a sum of rows, on processors from that of the row before */
    /* (optional) Values that are not finite need care: order statistics that read NaN give NaN, running sums are
     * restarted. If the values of stage `watched` are all finite, nothing is done. */
    bool careful;
    int watched;
    int rx, ry;              /* neighbours that it reads, in pixels, on each side */
    rw_image_border border;  /* where rx or ry is not 0 */
    double outside, value;   /* beyond a constant border: in x; in the units of what the stage reads */
    double outside_alpha;    /* GATHER, RECURSIVE of premultiplied colours: that of the last channel */
    bool premultiplied;      /* it reads such colours */
    bool alpha;              /* its last channel is alpha, which it does not change */
    rw_dtype type;           /* of its results: U8, U16, I16, I32, U32, F32, F64 */
    int channels;            /* of its results */
    bool pixels;             /* its text computes all channels of a pixel */
    int weight, nweights;    /* its first weight in the pass; how many */
    rw_dtype compute;        /* F32, F64, I32: of its arithmetic with weights */
    int low[2], size[2];     /* window: from -low[0], -low[1] on, size[0] columns and size[1] rows */
    bool order, exponential; /* its text calls functions of rw_image_order_text, rw_image_exp_text */
    union {                  /* what `write` needs to know of the operation */
        struct {             /* sums of linear.c */
            double factor;   /* of the sum */
            bool rounds;     /* to an integer in real types too */
            int shift;       /* i32: afterwards the nearest multiple of 2^shift is shifted by as many bits; 0: is not */
            bool folded;     /* taps: symmetric weights, size/2 + 1 of them, the outermost first */
            int apart;       /* pairs: between both pixels */
            bool odd;        /* pairs: also the value of `also` */
        } add;
        struct {
            int sign;                 /* -1: minimum, 1: maximum */
            rw_image_element element; /* DEFAULT: the first and the last pixel of the window */
        } extreme;
        int sign;             /* differences: of the value; that of `also` has the other one */
        rw_image_blend blend; /* colours times alpha, and back */
        struct {
            double steps, opaque; /* as above; NORMALIZE: value that alpha gets, 0: is unchanged */
        } real;
        struct {
            int bins;
            bool level; /* the table is a level */
            double white;
        } table;
        rw_image_colour colour;
        double sigma; /* RECURSIVE */
    };
    int integers[2][49]; /* weights that are part of the text: [size[1]][size[0]], for each of `masks` */
    int masks;
    /* (optional) in columns.c: what is defined once for `wide` elements of the window's rows, before `write` for each
     * of the item's */
    void (*prepare)(const rw_image_stage *stage, rw_image_writer *w, int wide);
    /* the text that defines v0, or of all channels r0, r1, … */
    void (*write)(const rw_image_stage *stage, rw_image_writer *w);
    /* (optional) Long sums: on processors they run over the window outside and lanes inside. `sums` arrays of type
     * `sum`, as long as a row, are set by `begin` and added to by `term` for each pixel of the window, whose row is
     * `row` and column m. */
    int sums;
    rw_dtype sum;
    bool skips; /* terms with weight 0 are omitted */
    void (*begin)(const rw_image_stage *stage, rw_image_writer *w),
        (*term)(const rw_image_stage *stage, rw_image_writer *w);
    /* (optional) number of bits; all this once for each, from the highest to 0, after `first`, with `end` after each */
    int bits;
    void (*first)(const rw_image_stage *stage, rw_image_writer *w),
        (*end)(const rw_image_stage *stage, rw_image_writer *w);
    /* (optional) A sum of `terms` terms. If they are more than `few`, processors run blocks of them in a loop outside
     * and lanes inside: `begin` sets an array of type `sum`, `join` adds a term to `sum`, `close` makes v0 of it. A
     * term has pixel a of the window. A term that mirrors also has the opposite pixel b; else b is NULL. */
    int terms, few;
    bool (*has)(const rw_image_stage *stage, int i);     /* (optional) whether pixel i is a term (default: all are) */
    bool (*mirrors)(const rw_image_stage *stage, int i); /* (optional) whether term i does */
    void (*join)(const rw_image_stage *stage, rw_image_writer *w, const char *weight, const char *a, const char *b);
    void (*close)(const rw_image_stage *stage, rw_image_writer *w);
    rw_text after; /* operations on each result: statements that define v1, v2, … */
    int values;    /* v0 … v<values - 1> are defined */
};

typedef struct rw_image_shape rw_image_shape;
typedef struct rw_image_pass rw_image_pass;

/* Where an array's pixels lie, in elements. */
typedef struct rw_image_layout {
    rw_array *array;
    int64_t from, row, plane;
    bool in_place; /* the kernel reads the view itself */
} rw_image_layout;

typedef struct rw_image_rectangle {
    int64_t x0, x1, y0, y1;
} rw_image_rectangle;

/* One execution of a pass. */
typedef struct rw_image_run {
    rw_image_layout x, y;
    rw_image_rectangle pixels; /* of y that it computes */
    rw_array *limits, *found;  /* minimum and maximum of its results, and of those of an earlier pass; else `nothing` */
    rw_array *rings, *nothing; /* row buffers in global memory; placeholder for arguments that it does not use */
    rw_queue *queue;
} rw_image_run;

/* One table for each kind of pass. */
typedef struct rw_image_pass_ops {
    bool rows;    /* stages over rows: stages may be appended, and images may be cut into bands of rows */
    bool whole;   /* it needs all of x: x and y are contiguous, and y is not a region */
    bool spreads; /* a value that is not finite affects more than a window */
    bool single;  /* integers become f32 before it, else f64 */
    /* (optional) Strips and blocks of its kernel; `planar`, `threads` and `limits` are set. */
    void (*choose)(const rw_device *device, const rw_image_pass *pass, rw_image_shape *shape);
    /* (optional) The text of its kernel, for the `create` of pass.c. */
    void (*write)(const rw_image_pass *pass, const rw_image_shape *shape, rw_text *text);
    /* Starts the compilers of its kernels and takes memory. dtype: of the image. */
    rw_status (*create)(rw_device *device, rw_image_pass *pass, const rw_image_shape *shape, rw_dtype dtype);
    rw_status (*run)(rw_image_pass *pass, const rw_image_shape *shape, const rw_image_run *run);
    void (*free)(rw_image_pass *pass); /* (optional) `state` */
    /* (optional) The end of a line (default: type and size of y). */
    void (*explain)(const rw_image_pass *pass, const rw_image_shape *shape, rw_text *text);
    int64_t (*bytes)(const rw_image_pass *pass, const rw_image_shape *shape); /* (optional) shared memory of a group */
} rw_image_pass_ops;
extern const rw_image_pass_ops rw_image_rows_ops, rw_image_gather_ops, rw_image_counts_ops; /* pass.c */
extern const rw_image_pass_ops rw_image_response_ops, rw_image_magnitudes_ops,
    rw_image_correlation_ops;                                            /* spectral.c */
extern const rw_image_pass_ops rw_image_recursive_ops, rw_image_own_ops; /* recursive.c, own.c */

struct rw_image_pass {
    rw_dtype x_dtype, y_dtype;
    int channels;                          /* of x */
    rw_image_stage stage[RW_IMAGE_STAGES]; /* [0]: what is loaded */
    int nstages;
    rw_image_weights weights;
    int64_t width, height; /* of x */
    int64_t y_width, y_height;
    const rw_image_pass_ops *ops;
    void *state; /* of ops */
    rw_image_interpolation interpolation;
    bool separable, transposes, halves; /* GATHER: without rotation; rows become columns; 2 x 2 pixels become one */
    bool skip;                          /* afterwards the frame of y is that of x */
    bool alpha;                         /* the last channel of the results is alpha, which `limits` leave out */
    bool limits;                        /* it also computes the minimum and maximum of the results */
    int limited;                        /* values of `limits` of an earlier pass that it reads: 1 yes */
    /* EQUALIZE, OTSU, HISTOGRAM: a histogram of the results becomes the table of the next pass; 0: none */
    rw_image_method counts;
    int bins;
    double white;
    /* pass.c */
    rw_program *program;
    rw_kernel *kernel, *begin, *frame;
    rw_array *table; /* weights on the device (filter.c) */
    /* histogram.c */
    rw_program *counting;
    rw_kernel *clear, *count, *finish;
    rw_array *counted;
    /* own.c */
    const rw_image_own *own;
    char options[256];
    /* spectral.c */
    rw_text response; /* an expression of X and Y, cycles per pixel */
    double unit;      /* MAGNITUDES: y = log(1 + unit |X|), 0: |X| */
};

/* The plan of a chain. */
typedef struct rw_image_plan {
    rw_context *ctx;
    rw_dtype dtype, y_dtype;
    int channels; /* of x */
    int64_t width, height;
    int y_channels;
    bool alpha; /* the last channel of x is alpha */
    rw_image_pass pass[RW_IMAGE_PASSES];
    int npasses;
} rw_image_plan;

/* ops.c: what a text or the caller gives, defaults put in. It is to be freed after a failure too. */
typedef struct rw_image_chain {
    rw_image_op *ops;
    int nops;
    char *text; /* that ops point to */
} rw_image_chain;
/* *spec <- the caller's specification in the layout of this version; *ops: a copy of its operations, to be freed, or
 * NULL. */
rw_status rw_image_spec_take(rw_context *ctx, const rw_image_spec *given, size_t spec_size, size_t op_size,
                             rw_image_spec *spec, void **ops);
rw_status rw_image_chain_create(rw_context *ctx, const rw_image_spec *spec, rw_image_chain *chain);
void rw_image_chain_free(rw_image_chain *chain);
double rw_image_largest(rw_dtype dtype); /* white: 255, 65535, 32767, 1 */

/* filter.c: checks types and sizes, and puts in the defaults of dtype and channels. */
rw_status rw_image_check_spec(rw_context *ctx, rw_image_spec *spec);

/* lower.c */
rw_status rw_image_lower(rw_image_plan *plan, const rw_image_op *ops, int nops);
void rw_image_plan_free(rw_image_plan *plan);

/* geometry.c */
void rw_image_write_gather(const rw_image_pass *pass, const rw_image_shape *shape, rw_text *text);
bool rw_image_resizes(const rw_image_pass *pass); /* by rows, then columns */
int64_t rw_image_gather_bytes(const rw_image_pass *pass, const rw_image_shape *shape);
/* Sets y_width, y_height and the weights of a pass for one of the operations from RESIZE on. */
rw_status rw_image_set_geometry(rw_context *ctx, const rw_image_op *op, rw_image_pass *pass);

/* own.c: the operation of this name, which is n long; NULL: none. */
const rw_image_own *rw_image_own_find(const char *name, size_t n);

/* pass.c */
void rw_image_choose_shape(const rw_device *device, const rw_image_pass *pass, bool planar, rw_image_shape *shape);
/* Workgroups for the pixels of r, and the rows of each. */
int64_t rw_image_groups(const rw_device *device, const rw_image_pass *pass, const rw_image_shape *shape,
                        const rw_image_rectangle *r, int64_t groups[3]);

/* spectral.c */
/* The shape of an image, where a single channel has no axis, and the axis along rows. */
int rw_image_shape_of(const rw_image_pass *pass, bool planar, int64_t width, int64_t height, int64_t shape[3],
                      int *axis);
/* Sets `response` for LOWPASS, HIGHPASS and BANDPASS. */
rw_status rw_image_set_response(rw_context *ctx, const rw_image_op *op, rw_image_pass *pass);

/* histogram.c */
int rw_image_bins(rw_dtype type); /* of EQUALIZE and OTSU */
rw_status rw_image_counts_create(rw_device *device, rw_image_pass *pass, const rw_image_shape *shape, rw_dtype table);
rw_status rw_image_counts_run(rw_image_pass *pass, bool planar, rw_array *x, rw_array *table, rw_queue *queue);
void rw_image_write_counts(const rw_image_pass *pass, const rw_image_shape *shape, rw_text *text);

/* weights.c */
int rw_image_weight(rw_image_weights *w, double value); /* its index */
/* Sampled Gaussian of 2 radius + 1 taps whose sum is `one`; `integer`: integers, errors carried on from tap to tap. */
void rw_image_gauss_taps(double sigma, int radius, double one, bool integer, double *taps);
/* Rows of numbers, "1 2 1; 0 0 0", called `name` in messages: at most RW_IMAGE_MASK_MOST^2. *values is freed with
 * rw_free. ERR_ARGUMENT. */
rw_status rw_image_mask_parse(rw_context *ctx, const char *name, const char *text, double **values, int size[2]);
/* values[n] = factor times integers, if there are such of at most `most` in sum of magnitudes: replaces them by the
 * integers. */
bool rw_image_common_factor(double *values, int n, double most, double *factor);

/* pipeline.c: the kernel text of a pass. */
struct rw_image_shape {
    bool planar;      /* one plane for each channel */
    bool threads;     /* a GPU's */
    bool f64;         /* weights */
    int strip, block; /* pixels of a group's strip, rows of a step */
    rw_dtype limits;  /* type of the least and the largest result: F32 or F64 */
    int columns;      /* columns.c: elements of an item; 0: not so */
    int lag;          /* there: rows between the last one read and the result */
    bool in_memory;   /* the rings of a group are in global memory */
};
/* columns.c: rows of a step. */
enum { RW_IMAGE_STEP_ROWS = 4 };
/* The elements that an item owns if a pass can be written as columns.c does, else 0. `strip` is then in elements. */
int rw_image_columns(const rw_image_pass *pass, const rw_image_shape *shape);
int rw_image_columns_groups(const rw_image_pass *pass, const rw_image_shape *shape);
/* Weights that are arguments w0, w1, … of the kernel, after the others; 0: they are in memory. */
int rw_image_weight_arguments(const rw_image_pass *pass, const rw_image_shape *shape);
void rw_image_write_columns(const rw_image_pass *pass, const rw_image_shape *shape, rw_text *text);
void rw_image_write_pass(const rw_image_pass *pass, const rw_image_shape *shape, rw_text *text);
int64_t rw_image_pass_bytes(const rw_image_pass *pass, const rw_image_shape *shape); /* of the rings of a group */
bool rw_image_pass_by_pixels(const rw_image_pass *pass); /* at least one stage needs all channels of a pixel */
/* Pixels that the results depend on: on the left, on the right, above and below. */
void rw_image_pass_extent(const rw_image_pass *pass, int extent[4]);

/* What the text of a stage is written with. */
struct rw_image_writer {
    rw_text *t;
    const rw_image_pass *pass;
    const rw_image_shape *shape;
    int k;          /* the stage */
    int channels;   /* interleaved, of what it reads */
    int shift;      /* pixels in its row before its own first one */
    int also_shift; /* of the row of `also` */
    bool swept;     /* sums are in arrays */
    bool columns;   /* columns.c: values are in h[row][element] */
};
/* The value of the stage before it, at this distance in rows and pixels: "s2[q + 3]"; by pixels: of channel c. */
const char *rw_image_at(rw_image_writer *w, char buffer[64], int dx, int dy, int c);
/* The value of pixel i of the window, counted row by row. */
const char *rw_image_pixel(rw_image_writer *w, char buffer[64], int i);
/* In a `term`: the value of the pixel of the window; in all three: sum i. */
const char *rw_image_term(rw_image_writer *w, char buffer[64], int c);
const char *rw_image_sum(rw_image_writer *w, char buffer[64], int i);
/* The value of the stage's `also`. */
const char *rw_image_also(rw_image_writer *w, char buffer[64], int c);
/* Weight i of a pass is W(i) in texts, a variable each if they are few. */
bool rw_image_few_weights(const rw_image_pass *pass);

/* Shared by the writers: functions of borders, conversions. */
const char *rw_image_map_text(rw_image_border border);   /* body of a function of i and n */
rw_image_border rw_image_map_of(rw_image_border border); /* skip: replicate */
void rw_image_write_maps(rw_image_writer *w);            /* functions outside<border>(i, n) of the pass */
typedef struct rw_image_call {
    char text[64];
} rw_image_call;
rw_image_call rw_image_outside_text(rw_image_border border, const char *i, const char *n); /* "outside3(i, n)" */
extern const char rw_image_helper_text[];
/* of the kernel `image`, and { */
void rw_image_write_head(const rw_image_pass *pass, const rw_image_shape *shape, rw_text *text);
void rw_image_add_load(const rw_image_pass *pass, rw_text *text, const char *element);
void rw_image_add_store(const rw_image_pass *pass, rw_text *text, rw_dtype from, const char *value);
bool rw_image_in_element(rw_image_element element, int x, int y, const int size[2]);
extern const char rw_image_order_text[]; /* functions for the median of large windows */

/* linear.c, rank.c, point.c: texts of stages */
void rw_image_write_taps(const rw_image_stage *s, rw_image_writer *w);
/* The sum of two pixels of a row, and of `also` where sum.odd is set. */
void rw_image_write_pair(const rw_image_stage *s, rw_image_writer *w);
void rw_image_write_running(const rw_image_stage *s, rw_image_writer *w); /* v0 of `sum` */
bool rw_image_is_taps(const rw_image_stage *s);                           /* a sum of neighbours with weights */
/* Of a stage of taps, in columns.c: adds the new row to the sums and defines v0 of the one that is finished. `row`: the
 * one value of a column, NULL: the window's elements. */
void rw_image_write_moved(const rw_image_stage *s, rw_image_writer *w, const char *row);
void rw_image_write_sum(const rw_image_stage *s, rw_image_writer *w);
void rw_image_write_copy(const rw_image_stage *s, rw_image_writer *w);
void rw_image_write_round(const rw_image_stage *s, rw_image_writer *w); /* real values to the stage's type */
void rw_image_write_difference(const rw_image_stage *s, rw_image_writer *w);
void rw_image_write_normalize(const rw_image_stage *s, rw_image_writer *w);
/* Alpha: colours times alpha/white; back; the last channel of `also`, else the value. */
void rw_image_write_premultiply(const rw_image_stage *s, rw_image_writer *w);
void rw_image_write_divide(const rw_image_stage *s, rw_image_writer *w);
void rw_image_write_alpha(const rw_image_stage *s, rw_image_writer *w);
/* ALPHA(n) in texts: whether lane q belongs to the last of n channels. */
void rw_image_add_alpha(const rw_image_pass *p, const rw_image_shape *s, rw_text *text);
void rw_image_write_lookup(const rw_image_stage *s, rw_image_writer *w);
void rw_image_write_integers(const rw_image_stage *s, rw_image_writer *w);
void rw_image_set_median(rw_image_stage *s);
/* Large windows of f32: from order-preserving integers, which a preceding stage computes. */
bool rw_image_needs_keys(rw_dtype type, int pixels);
void rw_image_write_keys(const rw_image_stage *s, rw_image_writer *w);
double rw_image_key(double value);
void rw_image_write_extreme(const rw_image_stage *s, rw_image_writer *w);
/* On GPUs: the stages of a rectangle become one, or one along rows and one along columns, if their windows fit the
 * registers (columns.c). shape: whether channels are planar. */
bool rw_image_merge_extremes(rw_image_pass *p, const rw_image_shape *shape);
bool rw_image_is_rectangle(const rw_image_stage *s);
/* The stage with a window of nx x ny pixels, of which low_x and low_y lie before the pixel. */
rw_image_stage rw_image_rectangle_of(const rw_image_stage *like, int from, int nx, int ny, int low_x, int low_y);
void rw_image_set_taps(rw_image_stage *s); /* of rw_image_write_taps, once it has its weights */
void rw_image_set_element(rw_image_stage *s, int sign, rw_image_element element); /* of rw_image_write_extreme */
void rw_image_set_bilateral(rw_image_stage *s);
extern const char rw_image_exp_text[]; /* exp_f32(v), v <= 0, and f64 */
void rw_image_write_grey(const rw_image_stage *s, rw_image_writer *w);
void rw_image_write_colour(const rw_image_stage *s, rw_image_writer *w);

#endif
