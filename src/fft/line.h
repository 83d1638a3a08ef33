/* The program that transforms lines of points in the memory of a group: one pass over memory. docs/dev/transforms.md
 * says which passes make a transform. */
#ifndef RW_FFT_LINE_H
#define RW_FFT_LINE_H

#include "device/device.h"
#include "fft/length.h"
#include "rechenwerk/fft.h"

enum { RW_FFT_LINE_AXES = 3 };

/* What an array holds: the user's numbers, of the line's kind (a half spectrum of REAL in a real array: real part k at
 * k, imaginary part k at n - k); points of the kind's complex transform; or what passes
 * of one transform exchange. */
typedef enum rw_fft_level { RW_FFT_INSIDE, RW_FFT_POINTS, RW_FFT_USER } rw_fft_level;

/* Where a pass reads or writes. */
typedef struct rw_fft_end {
    rw_dtype dtype; /* of the array: C64, C128, F32, F64, F16, BF16 */
    rw_fft_level level;
    bool real;             /* without imaginary parts */
    int64_t period, ahead; /* x: element J is number (J + ahead) mod period; 0: J */
    int64_t exist;         /* elements along the line that exist; others are zeros, or not written */
    bool unit;             /* from one to the next it is one element */
    bool line_unit;        /* from one line to the next it is one element */
    bool lines_fast;       /* neighbouring lines lie closer together than the elements of a line */
    int64_t apart;         /* point i of line q is element i*apart + q of the transform that the lines share; 0: i */
} rw_fft_end;

typedef enum rw_fft_middle {
    RW_FFT_NONE,
    /* a product with the factors of the method's own convolution, [line][point] where a pass is one of several */
    RW_FFT_TABLE,
    RW_FFT_ARRAY, /* a product with an array of the caller's */
    RW_FFT_DIVIDE /* real kinds: results are divided, and the inverse kind makes the elements of y from them */
} rw_fft_middle;

/* What is computed from an element when it is read, or before it is written: a function in kernel text of the element
 * and of indices. */
typedef struct rw_fft_formula {
    char *text;    /* NULL: nothing */
    unsigned axes; /* whose indices it takes, in their order */
} rw_fft_formula;

/* A divisor that is a sum of one table per axis: of the element with the index i[d] on axis d it is the sum of the
 * elements first[d] + i[d] of one array. A divisor of 0 makes the element 0. */
typedef struct rw_fft_divisor {
    unsigned axes; /* that have a table */
    int64_t first[RW_MAX_NDIM];
} rw_fft_divisor;

enum { RW_FFT_FURTHER = RW_MAX_NDIM + 1 - RW_FFT_LINE_AXES, RW_FFT_ALONG = -1, RW_FFT_SINGLE = -2 };

typedef struct rw_fft_line_spec {
    rw_fft_kind kind;
    bool f64;
    bool inverse;         /* exp(+…) of the whole */
    int64_t n;            /* the user's points: real ones where the kind is real */
    int64_t stages;       /* points that this pass transforms */
    int64_t whole;        /* points of the transform whose pass it is: stages, or more */
    bool forth_inverse;   /* exp(+…) of the stages, which is not that of the whole where they convolve */
    rw_fft_middle middle; /* after the stages; then the same back */
    bool conjugate;       /* the factors of ARRAY are conjugated */
    rw_fft_method method; /* of the whole; its first and last steps act on elements of the user's arrays */
    int64_t points;       /* of the kind's complex transform, before the method */
    int64_t twist;        /* result k of line q is multiplied by w(k q / twist); 0: not */
    bool twist_inverse;
    bool second; /* q counts the second axis of lines, else the first */
    rw_fft_end x, y;
    const rw_fft_formula *load, *store; /* of USER ends; NULL: none */
    const rw_fft_divisor *divisor;      /* of DIVIDE, else of a real USER y; NULL: none */
    /* for these: the axis of lines that axis d of the array is. 0, 1, 2: of a launch; 3, …: of several; ALONG: the line
     * itself; SINGLE: its only index is 0. */
    int8_t index_of[RW_MAX_NDIM];
} rw_fft_line_spec;

/* How a pass is made. A GPU's: halves, staged, ordered, groups. */
typedef struct rw_fft_choice {
    int radix;   /* of codelets, at most */
    int lines;   /* of a group */
    int groups;  /* resident on a unit at a time: limits the registers that the compiler uses */
    bool halves; /* real and imaginary parts take turns in the buffer */
    int cluster; /* groups that transform lines together; 0: each its own */
    bool staged; /* arrays are read and written through the buffer: neighbouring items, neighbouring points */
    /* elements are read and written through the buffer where those of neighbouring points lie apart
     * (rw_fft_scatters): neighbouring items, neighbouring elements */
    bool ordered;
} rw_fft_choice;

enum { RW_FFT_KEY = 160 };

typedef struct rw_fft_line {
    rw_fft_line_spec spec;
    rw_fft_choice choice; /* as it was made */
    rw_program *program;
    rw_kernel *kernel;
    rw_array *factors;
    int lines;       /* of a group */
    int64_t pieces;  /* of a line, groups */
    bool multiplies; /* RW_FFT_ARRAY */
    bool divides;    /* has a divisor */
    bool takes_indices;
    double gain; /* part of the scale that the kernel leaves to the caller */
} rw_fft_line;

/* Where the elements of all lines lie: the first one, from one to the next, and up to three axes of lines. */
typedef struct rw_fft_place {
    int64_t first, step, line[RW_FFT_LINE_AXES];
} rw_fft_place;

/* The factor that a transform of n points and the one back leave: 1 over `scale` of the kind. */
double rw_fft_round_trip(rw_fft_kind kind, int64_t n);
/* Complex points that the kind's n numbers are transformed as. */
int64_t rw_fft_points(rw_fft_kind kind, int64_t n);
/* The kind that makes x of a real kind's results, but for a factor. */
rw_fft_kind rw_fft_kind_back(rw_fft_kind kind);
/* A kind that is computed from a spectrum, with exp(+…). */
bool rw_fft_kind_is_inverse(rw_fft_kind kind);
/* Real numbers at the side of x or y: REAL has them at one. */
bool rw_fft_is_real(rw_fft_kind kind, bool inverse, bool y);
/* GPU: how the items of a group share a line of n points whose codelets are at most of the size `radix`. */
rw_fft_share rw_fft_line_share(const rw_device *dev, int64_t n, int radix, bool f64);
/* What lengths are chosen for. */
rw_fft_target rw_fft_target_of(const rw_device *dev, bool f64);
/* Points that fit into the shared memory of a workgroup. */
int64_t rw_fft_line_most(const rw_device *dev, bool f64);
/* For tests: transforms planned from now on take passes of at most this number of points; 0: what fits. */
void rw_fft_limit(int64_t points);
bool rw_fft_is_limited(void);

/* `pairs`: instead of stages the spectrum of real numbers is made of points that are transformed. */
rw_status rw_fft_line_create(rw_device *dev, const rw_fft_line_spec *spec, const rw_fft_choice *choice, bool pairs,
                             rw_fft_line *line);
void rw_fft_line_free(rw_fft_line *line);
/* Of the first line of a call: along the third axis of lines, and along those of several launches. */
typedef struct rw_fft_indices {
    int64_t third, further[RW_FFT_FURTHER];
} rw_fft_indices;
/* b: of RW_FFT_ARRAY, or the tables of the divisor; else NULL. */
rw_status rw_fft_line_run(const rw_fft_line *line, rw_array *x, const rw_fft_place *from, rw_array *y,
                          const rw_fft_place *to, rw_array *b, const rw_fft_place *at,
                          const int64_t lines[RW_FFT_LINE_AXES], const rw_fft_indices *indices, double scale,
                          rw_queue *queue);

#endif
