/* The plan of a program: which statements share a pass over memory.
 *
 * A pass is one kernel over the grid. A statement goes into the earliest pass in which everything it reads is there:
 *   a field written before, read at the same node    the same pass (its value is forwarded in a register)
 *   a field written before, read at other nodes      a later pass
 *   a reduction made before                          a later pass
 * A field that is read at other nodes in the pass that writes it is written to a second array; both are exchanged. */
#ifndef RW_PLAN_H
#define RW_PLAN_H

#include "expr/graph.h"

typedef struct rw_store {
    int field, version;
    rw_node value;
    int pass;
    bool shadow; /* written to the second array */
    bool dead;   /* overwritten in the same pass: only its value is used */
} rw_store;

typedef struct rw_reduction {
    rw_node node; /* the REDUCE */
    rw_reduce_kind kind;
    rw_node value;
    int pass, slot; /* slot: its place among the device scalars, two numbers wide when complex */
    int width;
} rw_reduction;

typedef struct rw_result {
    char name[32];
    rw_node value;
} rw_result;

/* Device scalars: the states as the program found them, the states before its last run, the number of runs that are
 * traced, the reductions. */
static inline int rw_state_slot(int state) { return state; }
static inline int rw_state_before(const rw_graph *g, int state) { return g->nstates + state; }
static inline int rw_trace_slot(const rw_graph *g) { return 2 * g->nstates; }

typedef struct rw_plan {
    rw_graph *graph;
    rw_store *stores;
    int nstores, stores_capacity;
    rw_reduction *reductions;
    int nreductions, reductions_capacity;
    rw_result *results;
    int nresults, results_capacity;
    rw_node *states; /* by number: what is assigned to it; -1: nothing */
    struct rw_plan_field {
        int read, read_off;
    } * fields; /* last pass that reads a field; at other nodes; -1: none */
    int npasses, nslots;
    int trace;   /* rows that are kept of the results */
    bool tables; /* functions of one coordinate are looked up: rw_table_axis */
} rw_plan;

/* trace: rows that are kept of the results, 0: none. */
rw_status rw_plan_begin(rw_plan *plan, rw_graph *graph, int trace);
void rw_plan_end(rw_plan *plan);
/* field <- value; raises the field's version. */
rw_status rw_plan_store(rw_plan *plan, int field, rw_node value);
/* A scalar on the device <- value. */
rw_status rw_plan_state(rw_plan *plan, int state, rw_node value);
/* A scalar result by name. */
rw_status rw_plan_result(rw_plan *plan, const char *name, rw_node value);
rw_status rw_plan_finish(rw_plan *plan);

/* The store that made the version that is read; NULL: it was there before. */
const rw_store *rw_store_of(const rw_plan *plan, const rw_graph_node *field);
/* The last store of a field in passes first … last; NULL: they do not write it. */
const rw_store *rw_final_store(const rw_plan *plan, int first, int last, int field);
/* The first of a pass, or the next one after `s`, whose value is stored; NULL: no more. */
const rw_store *rw_next_store(const rw_plan *plan, int pass, const rw_store *s);
/* The store of (field, version) if it is in this pass, else NULL. */
const rw_store *rw_plan_forward(const rw_plan *plan, int pass, const rw_graph_node *field);
const rw_reduction *rw_plan_reduction(const rw_plan *plan, rw_node reduce);
bool rw_pass_reduces(const rw_plan *plan, int pass);

/* Which operand of a sum or difference is a product that is written together with it, as one multiply-add; -1: none.
 * Of a complex product one factor is real. It follows from the graph alone: not from the kernel, nor from the
 * compiler. */
int rw_plan_product(const rw_plan *plan, rw_node sum);

/* A value is only used within multiply-adds, or also by itself. */
typedef enum rw_need { RW_WITHIN = 1, RW_ALONE } rw_need;

/* Who looks up a function of one coordinate. */
typedef enum rw_lookup { RW_BY_CELLS = 1, RW_BY_SIDES = 2 } rw_lookup;

/* What a pass touches. */
typedef struct rw_pass_use {
    bool *read, *written; /* by field */
    bool *side;           /* by field, of those read: values beyond sides depend on it */
    int reach[3][2];      /* farthest offset read below and above on each axis */
    int call;             /* a function in C that the pass would have to call for each cell, plus 1; 0: none */
    double flops;         /* a cell */
    int64_t bytes_per_cell;
    uint8_t *needed; /* by node: to be computed for each cell (rw_need); 0: not needed */
    bool *uniform;   /* by node: an argument of the kernel */
    uint8_t *table;  /* by node: it is looked up (rw_lookup); NULL: nothing is */
    int nnodes;
    bool coordinates;
} rw_pass_use;
rw_status rw_plan_use(const rw_plan *plan, int pass, rw_pass_use *use);
void rw_pass_use_free(rw_pass_use *use);
/* Nothing yet; ERR_MEMORY. */
rw_status rw_pass_use_begin(const rw_plan *plan, rw_pass_use *use);
/* Marks `n` and what it needs in a pass, as rw_plan_use does for all roots of the pass. */
void rw_pass_use_add(const rw_plan *plan, int pass, rw_pass_use *use, rw_node n);

/* ---- several passes in one kernel -------------------------------------------------------------------------------- */

/* What passes first … last as a whole read and write in the arrays, and their scalars, from what each uses, to `use`
 * (freed before). */
rw_status rw_pass_use_join(const rw_plan *plan, const rw_pass_use *uses, int first, int last, rw_pass_use *use);
bool rw_pass_use_is_f32(const rw_plan *plan, const rw_pass_use *use);  /* precision of the arithmetic */
bool rw_pass_use_is_long(const rw_plan *plan, const rw_pass_use *use); /* has fields of i64 or u64 */
int rw_count_scalars(const rw_pass_use *uses, int n);                  /* arguments that these passes need together */
/* A field is read at a node that differs on several axes. */
bool rw_is_mixed(const rw_graph_node *field);
/* Some field is, or the nodes on the sides are in the array: values are asked for that lie beyond two sides. */
bool rw_pass_use_is_mixed(const rw_plan *plan, const rw_pass_use *use);
bool rw_axis_is_periodic(const rw_graph *g, int axis);
/* All fields are periodic along the same axes: regions go on beyond a side for all or for none. */
bool rw_sides_agree(const rw_graph *g);

#endif
