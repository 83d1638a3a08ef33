/* A kernel that is being written.
 *
 *   kernel.c                            takes the first strategy of its table that suits the passes
 *   plain.c, fused.c, wave.c, rings.c   strategies: which passes are a kernel, where values of fields come from, loops
 *   front.c                             planning shared by wave.c and rings.c
 *   loads.c                             between memory and arithmetic
 *   sides.c                             values beyond the sides of the grid
 *   arguments.c, reductions.c           arguments of a kernel, partial results of its groups
 *   nodes.c                             formulas
 *
 * A file uses those below it. The parts below the strategies know none of them: they ask for a value of a field by
 * `field`. */
#ifndef RW_EXPR_EMITTER_H
#define RW_EXPR_EMITTER_H

#include "expr/kernel.h"
#include "expr/tuning.h"

typedef struct rw_emitter rw_emitter;

struct rw_emitter {
    const rw_plan *plan;
    rw_graph *g;
    const rw_target *target;
    const rw_tuning *tuning;
    rw_pass_kernel *k;
    rw_text *t;
    int pass;                        /* whose values are being written */
    rw_pass_use use;                 /* of the kernel, or of that pass */
    rw_text uniforms, uniform_names; /* ", real k3, real k9" and ", k3, k9" */
    rw_text arrays, array_names;     /* ", GLOBAL const f64 *RESTRICT f_u" … */
    size_t own;                      /* length of `uniforms` without the fields that sides read, ', GLOBAL … *b_u' */
    const char *index[3];            /* names of the indices for coordinates, while a side's values are written */
    const int *inside;               /* nodes are at least inside[axis] away from the sides of the grid; NULL: any */
    const char *item;                /* the item of the EACH around it */
    const struct rw_side *side;      /* whose values are being written */
    bool mixed;                      /* fields are read at nodes that may be beyond two sides at once */
    /* the strategy's */
    void *state;
    void (*field)(rw_emitter *e,
                  const rw_graph_node *field); /* writes the value of a field: from memory, a register … */
    bool *beside;                              /* by field: it is written to its second array */
    bool beyond;                               /* cells beyond sides are computed too, and not used */
};

#define ADD(...) rw_text_add(e->t, __VA_ARGS__)

static const char rw_axis_letter[] = "xyz", rw_index_letter[] = "ijk", rw_size_letter[] = "XYZ";

static inline const char *rw_text_of(const rw_text *t) { return t->data ? t->data : ""; }
static inline const rw_graph_node *rw_node_of(const rw_emitter *e, rw_node n) { return e->g->nodes + n; }
static inline const char *rw_field_type(const rw_emitter *e, int f)
{
    const rw_dtype dtype = e->g->fields[f].dtype;
    return dtype == RW_I64 ? "i64" : dtype == RW_U64 ? "u64" : rw_dtype_is_complex(dtype) ? "complex" : "real";
}
/* What is computed from the field has its type. */
static inline bool rw_same_precision(const rw_emitter *e, int f)
{
    const rw_dtype dtype = e->g->fields[f].dtype;
    if (dtype == RW_I64 || dtype == RW_U64) return true;
    return rw_dtype_is_number(dtype) && e->k->f32 == rw_dtype_is_single(dtype);
}

#endif
