/* Shared by builder.c, lower.c and lower_windows.c: the plan under construction, one operation at a time. */
#ifndef RW_IMAGE_LOWER_H
#define RW_IMAGE_LOWER_H

#include "image/image.h"

typedef enum rw_image_treatment {
    RW_IMAGE_PLAIN, /* alpha is a channel like others, or there is none */
    RW_IMAGE_POINT, /* unchanged */
    RW_IMAGE_EDGE,  /* unchanged, taken from what the operation reads */
    RW_IMAGE_BLEND  /* a window: colours are multiplied by alpha, and divided by that of the result */
} rw_image_treatment;

typedef struct rw_image_builder {
    rw_image_plan *plan;
    rw_image_pass *pass;
    const rw_image_op *op;
    int operation; /* its number, 1, 2, … */
    int first;     /* the pass's first one with neighbours, if it has any */
    bool windows;  /* the pass has an operation with neighbours; they wrap */
    bool wraps;
    bool points; /* it has operations without neighbours before that */
    bool alone;  /* the next operation begins a pass */
    /* Alpha: the last channel is alpha; what the operation does with it; values are multiplied by it. */
    bool alpha;
    rw_image_treatment treatment;
    bool premultiplied;
    rw_dtype plain; /* type of the values before */
    double gain;    /* sum of the operation's weights */
    int source;     /* the stage that an edge operation reads */
    int watched;    /* the stage whose values may not be finite, see rw_image_stage */
} rw_image_builder;

static inline rw_image_stage *top(const rw_image_builder *b) { return b->pass->stage + b->pass->nstages - 1; }
static inline rw_dtype type_of(const rw_image_builder *b) { return top(b)->type; }
static inline bool is_real(rw_dtype t) { return t == RW_F32 || t == RW_F64; }
static inline rw_dtype real_of(rw_dtype t) { return t == RW_F64 ? RW_F64 : RW_F32; }
/* The type that an operation works with. */
static inline rw_dtype working_type(const rw_image_builder *b)
{
    return b->treatment == RW_IMAGE_BLEND && !b->premultiplied ? real_of(type_of(b)) : type_of(b);
}
double rw_image_white_of(const rw_image_builder *b); /* of the chain */

/* Of integers that have been transformed in f64: results are rounded to multiples of 1/this before they are rounded to
 * integers. 0: they are not. */
double rw_image_noise_of(const rw_image_builder *b);
/* The border of a stage that reads x at arbitrary positions. */
void rw_image_set_outside(const rw_image_builder *b, rw_image_stage *s);

rw_status rw_image_begin_pass(rw_image_builder *b);
/* Adds a stage of the operation that reads the last stage. */
rw_image_stage *rw_image_add_stage(rw_image_builder *b, const char *name,
                                   void (*write)(const rw_image_stage *, rw_image_writer *));
/* The window of a stage: size[0] x size[1] pixels from -low[0], -low[1] on. */
void rw_image_set_window(const rw_image_builder *b, rw_image_stage *s, int nx, int ny, int low_x, int low_y);
void rw_image_add_weight(rw_image_builder *b, rw_image_stage *s, double value);
/* Multiplies colours by alpha if the operation requires it and it has not been done. */
void rw_image_premultiply(rw_image_builder *b, rw_dtype type);
/* After an operation: divides by alpha, or takes alpha from what the operation reads. */
rw_status rw_image_close_alpha(rw_image_builder *b);
/* Before an operation with neighbours; `rows`: several stages of it have some in y; `stages` that it adds at most. */
rw_status rw_image_begin_window(rw_image_builder *b, bool rows, int stages);
rw_status rw_image_begin_point(rw_image_builder *b);
/* A pass of this kind after one that leaves real values. */
rw_status rw_image_begin_whole(rw_image_builder *b, const rw_image_pass_ops *ops, const char *name);
/* Restores the type in the next pass. */
rw_status rw_image_end_whole(rw_image_builder *b, rw_dtype type);

/* What an operation becomes, and what it does with alpha. */
typedef struct rw_image_lowering {
    rw_status (*lower)(rw_image_builder *b);
    rw_image_treatment treatment;
} rw_image_lowering;

/* Operations on windows of neighbours, by method; without a function: those of lower.c. */
extern const rw_image_lowering rw_image_lower_windows[RW_IMAGE_METHODS + 1];

#endif
