/* Passes over memory of a transform or a convolution. */
#ifndef RW_FFT_PLAN_H
#define RW_FFT_PLAN_H

#include "device/axes.h"
#include "device/storage.h"
#include "fft/choice.h"

enum { RW_FFT_PASSES = 4 * RW_MAX_NDIM };

/* Where a pass reads or writes. */
typedef struct rw_fft_region {
    enum { RW_FFT_X, RW_FFT_Y, RW_FFT_WORK } where;
    bool real;
    rw_dtype dtype;
    int64_t first; /* WORK, in elements */
    int64_t shape[RW_MAX_NDIM], stride[RW_MAX_NDIM];
} rw_fft_region;

typedef struct rw_fft_pass {
    rw_fft_line line;
    rw_fft_region from, to;
    int64_t step_x, step_y, step_b;
    rw_axis other[RW_MAX_NDIM + 1];   /* lines: three axes of a launch, then those of several launches */
    int64_t factors[RW_MAX_NDIM + 1]; /* strides of these axes in the array that is multiplied with */
    int nother;
    /* A pass of a long transform and those after it are executed for some lines at a time, whose points then stay in
     * the caches: of `whole` along the third axis of lines, at_once. What lies inside is the same memory for all of
     * them. 0: no such passes. */
    int together; /* of the first such pass: how many */
    int split;    /* the axis of these lines */
    int64_t whole, at_once;
    bool from_inside, to_inside;
} rw_fft_pass;

/* All zero but device, ndim and single before the first pass is added. */
typedef struct rw_fft_passes {
    rw_device *device;
    int ndim;
    bool single;
    int n;
    rw_fft_pass pass[RW_FFT_PASSES];
    int naxes;
    rw_fft_axis axis[RW_MAX_NDIM]; /* that were transformed, and how they were chosen */
    int64_t work_reals;            /* of the work area */
    rw_array *work, *own;          /* in use; the plan's */
} rw_fft_passes;

struct rw_fft {
    rw_fft_formula load, store;
    rw_device *device;
    rw_fft_spec spec;
    bool inverse; /* exp(+…), after the kind has been chosen */
    bool empty;
    double factor;    /* of results, besides spec.scale: of an orthonormal transform */
    char *weights[2]; /* `load` and `store` of one; NULL: those of the specification */
    rw_fft *parts;    /* of complex cosine and sine transforms: the same of real numbers, on one more axis; else NULL */
    rw_fft_passes passes;
    rw_fft_region input, output;
};

/* 16-bit complex numbers are pairs, on one more axis of the array. */
bool rw_fft_has_pairs(const rw_fft_region *region);
/* The caller's x or y; strides all 0: row-major without gaps. */
rw_fft_region rw_fft_of_caller(bool y, bool real, rw_dtype dtype, int ndim, const int64_t *shape,
                               const int64_t *stride);
/* ERR_ARGUMENT where elements of the region share memory. name: "y_stride". */
rw_status rw_fft_check_strides(rw_device *device, const rw_fft_region *region, int ndim, const char *name);
/* A new region in the work area for an array of this shape. */
rw_fft_region rw_fft_in_work(rw_fft_passes *f, bool real, const int64_t *shape);
/* What an axis does in addition to its transform; all zero: nothing. */
typedef struct rw_fft_extra {
    const int64_t *product;             /* a convolution: factors, whose strides these are, and the transform back */
    bool conjugate;                     /* the factors are conjugated */
    int64_t period, ahead;              /* x goes on periodically: element j is number (j + ahead) mod period; 0: not */
    const rw_fft_formula *load, *store; /* of x, of y; NULL: none */
    const rw_fft_divisor *divisor;      /* of y; NULL: none */
} rw_fft_extra;
/* The passes of one axis: of the kind, `inverse` exp(+…), n points. */
rw_status rw_fft_add_axis(rw_fft_passes *f, rw_fft_kind kind, bool inverse, int64_t n, int axis,
                          const rw_fft_region *from, const rw_fft_region *to, rw_fft_extra extra);
/* The passes back along an axis that was transformed with the real kind `kind`, times a factor. */
rw_status rw_fft_add_axis_back(rw_fft_passes *f, rw_fft_kind kind, int64_t n, int axis, const rw_fft_region *from,
                               const rw_fft_region *to);
/* The passes of one axis forward, divided, and back, of a real kind; the divisor must outlive them. One pass where
 * rw_fft_divides_in_one_pass. along: the axis' elements are neighbours in memory. */
rw_status rw_fft_add_division(rw_fft_passes *f, rw_fft_kind kind, int64_t n, int axis, const rw_fft_region *from,
                              const rw_fft_region *to, const rw_fft_divisor *divisor);
bool rw_fft_divides_in_one_pass(const rw_fft_passes *f, rw_fft_kind kind, int64_t n, bool along);
/* Waits for the compilers of all passes, which run at once. */
rw_status rw_fft_passes_ready(const rw_fft_passes *f);
void rw_fft_passes_free(rw_fft_passes *f);
/* The plan's own work area, where it needs one and has no other; else the first run allocates it. */
rw_status rw_fft_passes_allocate(rw_fft_passes *f);
/* b: an array of factors, or the tables of a divisor; NULL: none. */
rw_status rw_fft_passes_run(rw_fft_passes *f, rw_array *x, rw_array *y, rw_array *b, double scale, rw_queue *queue);
rw_status rw_fft_passes_set_work(rw_fft_passes *f, rw_array *work, const char *function);
rw_fft_info rw_fft_passes_info(const rw_fft_passes *f);
/* Bytes that pass k reads and writes. */
int64_t rw_fft_pass_bytes(const rw_fft_passes *f, int k);
/* An array is what was planned, complex numbers of 16 bits as pairs on one more axis; x and y do not overlap, or as the
 * first pass allows. */
rw_status rw_fft_check_array(const rw_fft_passes *f, const rw_array *a, const rw_fft_region *r, const char *name);
rw_status rw_fft_check_overlap(const rw_fft_passes *f, const rw_array *x, const rw_array *y, const char *function);

#endif
