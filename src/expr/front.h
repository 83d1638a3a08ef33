/* Wave fronts: planning shared by the two kinds. Layers lie in registers (wave.c) or in shared memory (rings.c). */
#ifndef RW_EXPR_FRONT_H
#define RW_EXPR_FRONT_H

#include "expr/emitter.h"

enum { RW_FRONT_PASSES = 10, RW_FRONT_VERSIONS = 32, RW_FRONT_AGES = 11 };

/* A field as it was before the kernel, or as a pass leaves it. */
typedef struct rw_front_value {
    int field, version;
    int pass;                  /* that makes it; -1: it is loaded */
    int lag;                   /* of its newest layer */
    int oldest;                /* age up to which it is read */
    int shared[RW_FRONT_AGES]; /* by age: the number of a layer that neighbours within the layer want, -1 none */
} rw_front_value;

typedef struct rw_front {
    int first, last;
    rw_pass_use use[RW_FRONT_PASSES];
    int lag[RW_FRONT_PASSES];
    int walk;                       /* the axis along which groups walk, the last: layers are rows or planes */
    int beside[RW_FRONT_PASSES][3]; /* by axis: number of cells that a pass computes beyond the tile on each side */
    int margin[3];                  /* the largest of them, loads included */
    int pad[3];                     /* how far from a cell a pass reads */
    rw_front_value v[RW_FRONT_VERSIONS];
    int nversions, nshared;
    int width, height; /* columns and rows of a layer */
    int ahead;         /* layers loaded before they are needed */
    bool sides_first;  /* strips at the sides of x are the first groups */
} rw_front;

/* What a kind of wave front decides. */
typedef struct rw_front_kind {
    void (*choose_layers)(const rw_emitter *e, rw_front *w, bool forced); /* sets width and height */
    bool (*fits)(const rw_emitter *e, const rw_front *w);
    double pass_bytes; /* the arithmetic of a pass and cell, as bytes that are moved in its time */
    int64_t layers;    /* of a walk, at most */
    int64_t groups;    /* walks are halved, to an eighth at least, until there are as many */
    int (*at_once)(const rw_emitter *e, const rw_front *w); /* or as groups in whole turns need, all units together */
    int group;                                              /* items; 0: one for each cell of a layer */
} rw_front_kind;

/* As many passes as are worth it, where there is room for them and few enough scalars; e->state becomes the front. */
rw_status rw_front_find(rw_emitter *e, const rw_front_kind *kind, bool forced, bool *found);
/* What a read refers to. */
const rw_front_value *rw_front_version(const rw_emitter *e, const rw_graph_node *field);
/* The version that a store makes, NULL when no later pass of the kernel reads it. */
const rw_front_value *rw_front_made(const rw_front *w, const rw_store *store);
bool rw_front_reads(const rw_plan *plan, const rw_pass_use *use, int pass,
                    int node); /* the node is a field read in the pass */
static inline int rw_front_number(const rw_front *w, const rw_front_value *v) { return (int)(v - w->v); }
/* How old the layer is that the pass being written sees as its own. */
static inline int rw_front_age(const rw_emitter *e, const rw_front_value *v)
{
    const rw_front *w = e->state;
    return w->lag[e->pass - w->first] - v->lag;
}
/* near_u_x0, … of all fields that are read. */
rw_status rw_emit_front_sides(rw_emitter *e);
/* x0, y0, begin, end: where the group's layers begin, and where its walk does; `rows`, `planes`: what is declared
 * after `begin`, from its semicolon on or after it. */
void rw_emit_front_place(rw_emitter *e, const char *rows, const char *planes);

#endif
