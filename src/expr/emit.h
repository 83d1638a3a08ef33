/* Writing kernel text: what values.c, sides.c, kernel.c and fused.c share. */
#ifndef RW_EXPR_EMIT_H
#define RW_EXPR_EMIT_H

#include "expr/kernel.h"

/* Values of a field along the axis that an item walks: offsets first … last are in registers w7_0, w7_1, … */
typedef struct rw_window {
    int field, version;
    int16_t offset[3]; /* 0 on the axis */
    int first, last;
} rw_window;
enum { RW_MAX_WINDOWS = 64 };

/* A version of a field that fused passes keep in shared memory: s_u_3. */
typedef struct rw_kept {
    int field, version;
    int pass, last_read; /* that writes it; the last one that reads it */
    int memory;          /* m0, m1, …: the piece of shared memory it lies in */
} rw_kept;

typedef struct rw_fusion rw_fusion;
typedef struct rw_wave rw_wave;

typedef struct rw_emitter {
    const rw_plan *plan;
    rw_graph *g;
    int pass;                        /* whose values are being written */
    rw_pass_use use;
    rw_pass_kernel *k;
    rw_text *t;
    rw_text uniforms, uniform_names; /* ", real k3, real k9" and ", k3, k9" */
    rw_text arrays, array_names;     /* ", GLOBAL const f64 *RESTRICT f_u" … */
    bool *one, *each;                /* nodes needed once, in each cell (plain kernels) */
    int border;                      /* bits of the axes along which neighbours may lie beyond a side */
    bool stream;                     /* stores past the caches */
    bool whole_rows;                 /* values beyond the sides of x are in l_u_1, h_u_1, … */
    bool mixed;                      /* fields are read at nodes that may be beyond two sides at once */
    const char *index[3];            /* names of the indices for coordinates, while a side's values are written */
    const char *item;                /* the item of the EACH around it */
    rw_window *windows;              /* while an item walks along an axis */
    int nwindows;
    rw_fusion *fusion;        /* fused passes: see fused.c; else NULL */
    rw_wave *wave;            /* fused passes: see wave.c; else NULL */
    const rw_kept *kept;
    int nkept;
} rw_emitter;

enum { RW_NO_AXIS = 0, RW_ACROSS_ROWS = 6, RW_ALL_AXES = 7 };

#define ADD(...) rw_text_add(e->t, __VA_ARGS__)

static const char rw_axis_letter[] = "xyz", rw_index_letter[] = "ijk", rw_size_letter[] = "XYZ";

static inline const char *rw_text_of(const rw_text *t) { return t->data ? t->data : ""; }
static inline const rw_graph_node *rw_node_of(const rw_emitter *e, rw_node n) { return e->g->nodes + n; }
static inline const char *rw_field_type(const rw_emitter *e, int f)
{
    return rw_dtype_is_complex(e->g->fields[f].dtype) ? "complex" : "real";
}

/* values.c: words for values (valid until seven more are made), and "const real v12 = …;" for the nodes marked in
 * `wanted`, operands first. */
const char *rw_word(rw_emitter *e, rw_node n);
const char *rw_complex_word(rw_emitter *e, rw_node n);
void rw_emit_load(rw_emitter *e, const rw_graph_node *field);
void rw_emit_nodes(rw_emitter *e, const bool *wanted, const char *indent);
const rw_window *rw_find_window(const rw_emitter *e, const rw_graph_node *field);
bool rw_is_mixed(const rw_graph_node *field); /* read at a node that differs on several axes */
const rw_kept *rw_find_kept(const rw_emitter *e, int field, int version);

/* sides.c: get_u_x0, get_u_x1, … for a field in global memory (`kept` NULL), near_u_3_x0, … for one in shared memory. */
rw_status rw_emit_get(rw_emitter *e, int field, const rw_kept *kept);
rw_status rw_emit_near(rw_emitter *e, int field);

/* kernel.c: what a plain kernel and one of fused passes have in common. */
rw_status rw_emit_arguments(rw_emitter *e);
bool rw_emit_uniforms(rw_emitter *e); /* those among them that are scalars; false: memory */
void rw_emit_definitions(rw_emitter *e);
void rw_emit_merge(rw_emitter *e);   /* functions for reductions; with the kernel that combines what groups leave: */
void rw_emit_combine(rw_emitter *e);
void rw_emit_accumulators(rw_emitter *e);
void rw_emit_partials(rw_emitter *e);
/* Adds the values that pass e->pass reduces to the accumulators of e->item. */
void rw_emit_reduced(rw_emitter *e);

void rw_emit_assign(rw_emitter *e, const rw_store *s, const char *to);
/* const INDEX lo0, hi0, lo1, …: the group's tile, number `tile`. */
void rw_emit_tile(rw_emitter *e, const char *indent);

/* fused.c: looks whether the passes from e->k->first on are better done in one kernel; then e->fusion is set, and e->k
 * has its last pass and tiling. */
rw_status rw_fuse(rw_emitter *e, const rw_target *dev, bool forced);
void rw_fusion_free(rw_fusion *f);
bool rw_fused_beside(const rw_emitter *e, int field); /* the field is written to a second array */
rw_status rw_emit_fused(rw_emitter *e);
/* What both kinds of fused kernels need to know of a plan. */
const rw_store *rw_store_of(const rw_plan *plan, const rw_graph_node *field);  /* that made this version; NULL */
const rw_store *rw_final_store(const rw_plan *plan, int first, int last, int field); /* that leaves a value behind; NULL */
bool rw_axis_is_periodic(const rw_graph *g, int axis);
bool rw_sides_agree(const rw_graph *g);
bool rw_use_is_f32(const rw_graph *g, const rw_pass_use *use);
int rw_count_scalars(const rw_pass_use *uses, int n); /* arguments that so many passes need together */
/* What the kernel as a whole reads and writes in the arrays, and its scalars, to e->use. */
rw_status rw_join_uses(rw_emitter *e, const rw_pass_use *uses, int first, int last);

/* wave.c: the same for large grids; then e->wave is set. */
enum { RW_FUSED_CELLS = 1 << 18 }; /* up to so many fuse.c, beyond wave.c */
bool rw_wave_suits(const rw_grid *grid);
rw_status rw_wave_fuse(rw_emitter *e, const rw_target *dev, bool forced, bool rings);
void rw_wave_free(rw_wave *w);
bool rw_wave_beside(const rw_emitter *e, int field);
rw_status rw_emit_wave(rw_emitter *e);
void rw_emit_wave_value(rw_emitter *e, const rw_graph_node *field);

#endif
