/* What the two kinds of wave fronts share: wave.c keeps layers in registers (GPUs), rings.c in shared memory (processors: their caches). */
#ifndef RW_EXPR_WAVE_H
#define RW_EXPR_WAVE_H

#include "expr/emit.h"

enum { RW_WAVE_PASSES = 8, RW_WAVE_VERSIONS = 32, RW_WAVE_AGES = 8 };

/* A field as it was before the kernel, or as a pass leaves it. */
typedef struct rw_wave_value {
    int field, version;
    int pass;                  /* that makes it; -1: it is loaded */
    int lag;                   /* of its newest layer */
    int oldest;                /* age up to which it is read */
    int shared[RW_WAVE_AGES];  /* by age: its layer in shared memory where neighbours within the layer want it, -1 none */
} rw_wave_value;

struct rw_wave {
    int first, last;
    rw_pass_use use[RW_WAVE_PASSES];
    int lag[RW_WAVE_PASSES];
    int walk;                  /* the axis along which groups walk, the last: layers are rows or planes */
    int beside[RW_WAVE_PASSES][3]; /* by axis: how many cells a pass must do beside the tile, each side */
    int margin[3];             /* the largest of them, loads included */
    int pad[3];                /* how far a pass reads beside a cell */
    rw_wave_value v[RW_WAVE_VERSIONS];
    int nversions, nshared;
    rw_tiling tiling;
    int width, height, ahead;  /* columns and rows of a layer */
    bool rings;
};

/* What a read refers to; `add`: made when it is not there yet, NULL when there are too many. */
rw_wave_value *rw_wave_version(const rw_plan *plan, rw_wave *w, const rw_graph_node *field, bool add);
/* The version that a store makes, NULL when no later pass of the kernel reads it. */
rw_wave_value *rw_wave_made(rw_wave *w, const rw_store *store);
bool rw_wave_reads(const rw_plan *plan, const rw_pass_use *use, int pass, int node); /* the node is a field read in the pass */

void rw_emit_ring_value(rw_emitter *e, const rw_graph_node *field);
rw_status rw_emit_rings(rw_emitter *e);
int64_t rw_ring_layers(const rw_wave *w); /* of shared memory */

#endif
