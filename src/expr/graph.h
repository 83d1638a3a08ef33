/* The graph of an expression program: nodes in one table, equal nodes stored once (so common subexpressions are found
 * by construction), constants folded as nodes are made.
 *
 *   CONST re, im     PARAM i     STATE i      COORD axis, offset     FIELD f, version, offset     REDUCE kind(a)
 *   operations
 *
 * A STATE is a scalar on the device as it was when the program started.
 * A field has versions: 0 is its value when the program starts, n after its n-th assignment. Offsets count nodes; on a
 * grid without rows the `column` tells which cell of the grid's table of neighbours is meant. */
#ifndef RW_GRAPH_H
#define RW_GRAPH_H

#include "core/core.h"
#include "expr/grid.h"
#include "expr/parse.h"
#include "rechenwerk/expr.h"

typedef int rw_node; /* index into the table; -1: none */

typedef enum rw_node_op {
    RW_OP_CONST,
    RW_OP_PARAM,
    RW_OP_COORD,
    RW_OP_FIELD,
    RW_OP_STATE,
    RW_OP_REDUCE,
#define OP(name, arity, word, flops, kind) RW_OP_##name,
#include "expr/ops.def"
#undef OP
    RW_OP_COUNT
} rw_node_op;

/* Recursion over a graph goes as deep as the graph, so its depth is limited. */
enum { RW_GRAPH_NODES = 1 << 16, RW_GRAPH_DEPTH = 2000 };

typedef enum rw_reduce_kind { RW_SUM, RW_REDUCE_MIN, RW_REDUCE_MAX } rw_reduce_kind;

/* What a node's value depends on: coordinates (1 << axis), values that one run of a program has unlike the next (times,
 * the numbers of a method), fields or reductions. */
enum { RW_ON_COORD = 1, RW_ON_RUN = 8, RW_ON_FIELD = 16 };

enum { RW_WHOLE = 1, RW_NATURAL = 2 };

typedef struct rw_graph_node {
    uint8_t op;
    bool is_complex;
    /* RW_I64, RW_U64: the value is an integer of this type, and what is computed is exact, modulo 2^64; 0: it is real
     * or complex */
    uint8_t integer;
    /* of a real value, RW_WHOLE, RW_NATURAL: an integer, or one from 0 on, made of numbers in the range of i64, or u64,
     * and of fields of integers of up to 32 bits */
    uint8_t whole;
    bool is_field;   /* has a value at each node of the grid; else one value */
    bool reduced;    /* depends on a reduction of this program */
    uint8_t depends; /* RW_ON_… */
    int16_t offset[3];
    int16_t column; /* FIELD: 0 the cell's own value, k > 0 that of its neighbour k - 1; of a table: column k - 1 */
    int index;      /* PARAM, FIELD, COORD axis, REDUCE kind, CALL function, CAST type */
    int version;    /* FIELD */
    int stores;     /* FIELD with sides that read fields: assignments of the program before it is read */
    int depth;      /* operations on the longest way to a leaf, through the values of assigned fields too */
    rw_node arg[3];
    double re, im; /* CONST */
    bool is_exact; /* CONST: it is the integer `exact`, of which re is the nearest real number */
    rw_int128 exact;
    int next;        /* in the hash chain */
    double value[2]; /* of the rw_graph_value numbered `stamp` */
    uint64_t stamp;
} rw_graph_node;

typedef struct rw_graph_side {
    rw_boundary_kind kind;
    bool pins;  /* the node on the side has the value a, and is not in the array */
    bool given; /* the node on the side is in the array, but has the value a, of ROBIN c/a where b = 0 */
    bool slope; /* its values beyond depend on the spacing */
    /* a, b or c have FIELD leaves, of version 0, which stand for the value after the assignments before the node that
     * asks: their offset across counts from the node next to the side, along it from the place */
    bool reads;
    union {
        struct {
            rw_node a, b, c; /* -1: the kind has none */
        };
        rw_node value[3];
    };
} rw_graph_side;

/* Another grid that covers the same domain. Node i of this one, along an axis, has the base floor((num i + add)/den)
 * there; a FIELD of that grid is read o nodes from the base, or at the nearest node that exists, and its column stands
 * for the offsets o. */
enum { RW_OTHER_LEAST = -1, RW_OTHER_MOST = 2 };
typedef struct rw_graph_other {
    int64_t size[3], num[3], add[3], den[3];
    bool wraps[3]; /* the axis is periodic */
} rw_graph_other;

typedef struct rw_graph_field {
    char *name;
    rw_dtype dtype;
    rw_graph_side boundary[6];
    int versions;         /* assignments so far */
    bool external;        /* of the caller or the grid: only read */
    int columns;          /* > 0: a table with this number of values for each cell, [columns][cells] */
    rw_graph_other other; /* size[0] > 0: it has values at the nodes of another grid, which are only read */
    int depth;            /* of the value assigned last */
    bool reads;           /* some side does */
    bool given;           /* some side's node is */
} rw_graph_field;

/* Stage-time quadrature: a parameter may have several values with weights, whose sum is 1, instead of one. A scalar
 * that depends smoothly on it is the weighted sum of its values at them; any other takes the parameter's own value.
 * Methods of time integration treat functions of time so. */
enum { RW_QUADRATURE_NODES = 9 };
typedef struct rw_quadrature {
    int n;
    double at[RW_QUADRATURE_NODES], weight[RW_QUADRATURE_NODES];
    bool moved; /* times are others than when scalars were computed last (rw_scalars) */
} rw_quadrature;

typedef struct rw_graph_param {
    char *name;
    bool is_complex;
    double re, im;
    rw_quadrature *quadrature; /* NULL or empty: one value */
    int state;                 /* its number among those on the device; -1: it is an argument */
} rw_graph_param;

typedef struct rw_graph_function {
    char *name;
    int arguments;
    double (*call)(void *user, const double *arguments);
    void *user;
} rw_graph_function;

typedef struct rw_graph {
    rw_context *ctx;
    rw_graph_node *nodes;
    int n, capacity;
    int *hash, buckets; /* chains of nodes; as many as nodes or more, a power of 2 */
    rw_grid grid;
    rw_grid_layout layout;
    bool unstructured; /* the nodes have no neighbours along axes */
    int neighbours;    /* the field that is the table of their cells; -1: none */
    int order;
    rw_graph_field *fields;
    int nfields, fields_capacity;
    int stores;      /* assignments to fields so far */
    bool sides_read; /* some field has a side that reads fields */
    bool given;      /* some field has nodes on sides that are given */
    rw_graph_param *params;
    int nparams, params_capacity, nstates;
    int spacing[3], origin[3];    /* params of the grid */
    rw_graph_function *functions; /* in C */
    int nfunctions, functions_capacity;
    uint64_t stamp;
    /* products keep their scalar factors together, whatever the order they were written in */
    bool gather;
    /* a division by a scalar may be a product with its reciprocal; else only where that has the same bits */
    bool reciprocals;
    bool linear;    /* sums of what is assigned become linear forms: rw_linear */
    bool failed;    /* out of memory once, or too_large: checked at the end of building */
    bool too_large; /* more than RW_GRAPH_NODES, or deeper than RW_GRAPH_DEPTH */
} rw_graph;

typedef struct rw_op_info {
    const char *name, *word;
    int arity, flops;
    char kind;
} rw_op_info;
extern const rw_op_info rw_ops[RW_OP_COUNT];

rw_status rw_graph_create(rw_context *ctx, const rw_grid *grid, int order, rw_graph **graph);
void rw_graph_destroy(rw_graph **graph);
/* The field is of another grid. */
void rw_graph_set_other(rw_graph *graph, int field, const rw_graph_other *other);
int rw_graph_add_field(rw_graph *g, const char *name, rw_dtype dtype); /* -1: memory */
int rw_graph_add_param(rw_graph *g, const char *name, bool is_complex, double re, double im);
void rw_graph_make_state(rw_graph *g, int param);
void rw_graph_add_function(rw_graph *g, const rw_expr_function *function);
int rw_graph_find_function(const rw_graph *g, const char *name); /* -1: none */
int rw_graph_find_field(const rw_graph *g, const char *name);    /* -1: none */
int rw_graph_find_param(const rw_graph *g, const char *name);

/* Makers fold constants and trivial identities, and integers among constants exactly. After a failed allocation they
 * return node 0 and set g->failed. */
rw_node rw_const(rw_graph *g, double re, double im);
/* An integer below 2^126. */
rw_node rw_exact(rw_graph *g, rw_int128 value);
rw_node rw_scalar_argument(rw_graph *g, int index);
rw_node rw_coord(rw_graph *g, int axis, int offset);
/* The index of the node in the whole grid, a COORD of version 1. */
rw_node rw_index(rw_graph *g, int axis, int offset);
/* NOISE or NORMAL of nodes whose indices are the arguments. */
rw_node rw_noise(rw_graph *g, rw_node_op op, int seed, const rw_node args[3]);
/* noise.c: its value; the indices are those of the whole grid. */
double rw_noise_value(rw_node_op op, int seed, const rw_grid *grid, const int64_t index[3]);
rw_node rw_field(rw_graph *g, int index, int version, const int offset[3]);
/* The value that the FIELD reads, at another node. */
rw_node rw_field_like(rw_graph *g, rw_graph_node field, const int offset[3]);
rw_node rw_field_at(rw_graph *g, int index, int version, int column);
/* Of a field of another grid; offsets from RW_OTHER_LEAST to RW_OTHER_MOST. */
rw_node rw_field_of_other(rw_graph *g, int field, const int offset[3]);
int rw_other_offset(const rw_graph_node *field, int axis);
static inline bool rw_is_of_other(const rw_graph *g, const rw_graph_node *p)
{
    return p->op == RW_OP_FIELD && g->fields[p->index].other.size[0] > 0;
}
/* The base of node i, and its distance from there in parts of `den`. */
int64_t rw_other_base(const rw_graph_other *other, int axis, int64_t i);
rw_node rw_reduce(rw_graph *g, rw_reduce_kind kind, rw_node a);
rw_node rw_make(rw_graph *g, rw_node_op op, rw_node a, rw_node b, rw_node c);
static inline rw_node rw_make1(rw_graph *g, rw_node_op op, rw_node a) { return rw_make(g, op, a, -1, -1); }
static inline rw_node rw_make2(rw_graph *g, rw_node_op op, rw_node a, rw_node b) { return rw_make(g, op, a, b, -1); }
static inline rw_node rw_real(rw_graph *g, double value) { return rw_const(g, value, 0); }
rw_node rw_call(rw_graph *g, int function, const rw_node args[3]); /* never folded */
/* A real number as an array of this type stores it, docs/reference/types.md; the node itself where it loses nothing. */
rw_node rw_cast(rw_graph *g, rw_dtype dtype, rw_node a);
/* An operation like p of other arguments. */
rw_node rw_remake(rw_graph *g, const rw_graph_node *p, const rw_node arg[3]);
/* An index of the node along an axis, as a real number. */
static inline bool rw_is_index(const rw_graph_node *p) { return p->op == RW_OP_COORD && p->version; }
/* The value is an integer of that type (RW_I64, RW_U64), or a real number that is one. */
bool rw_is_whole(const rw_graph *g, rw_node n, int integer);
/* The type of integers in which a comparison, and, or, not takes its operands; 0: real or complex numbers. */
int rw_compared_as(const rw_graph *g, const rw_graph_node *p);
bool rw_is_const(const rw_graph *g, rw_node n, double value);

/* Every leaf replaced by replace(user, leaf) (the leaf itself to keep it); the rest made again. */
typedef rw_node rw_replace(void *user, rw_graph *g, rw_node leaf);
rw_node rw_graph_map(rw_graph *g, rw_node n, rw_replace *replace, void *user);

/* The expression `n` as seen `by` nodes further along the axis. */
rw_node rw_shift(rw_graph *g, rw_node n, int axis, int by);
/* d^k/d(axis)^k by central differences of the graph's order (k = 1, 2). */
rw_node rw_central(rw_graph *g, rw_node n, int axis, int k, int order);
rw_node rw_spacing(rw_graph *g, int axis);
/* The axis when `n` is a real function of one coordinate that is the same in each run and costs more than loading a
 * number does: its values are kept in a table as long as the axis. -1: it is not. */
int rw_table_axis(const rw_graph *g, rw_node n);

/* Symbolic derivative with respect to a leaf (PARAM, COORD or one FIELD access). |z|, real, imag and conj have no
 * complex derivative: then *problem names the operation and the result is -1. */
rw_node rw_diff(rw_graph *g, rw_node n, rw_node leaf, const char **problem);

/* The expression with its sums as linear forms: fewer operations, different rounding errors. */
rw_node rw_linear(rw_graph *g, rw_node n);

/* Value of a node; those of COORD, FIELD and REDUCE come from `leaf`. Each node is computed once. */
typedef void rw_leaf_value(void *user, const rw_graph *g, rw_node leaf, double out[2]);
void rw_graph_value(rw_graph *g, rw_node n, rw_leaf_value *leaf, void *user, double out[2]);
/* The same for a node that is not a field and depends on no reduction; quadratures have no effect. */
void rw_graph_scalar(rw_graph *g, rw_node n, double *re, double *im);
/* False when memory is gone. n = 0 removes the quadrature. */
bool rw_graph_set_quadrature(rw_graph *g, int param, const rw_quadrature *quadrature);
/* True when the parameter is among the leaves of the node. */
bool rw_graph_depends(rw_graph *g, rw_node n, int param);
/* True when some value of the field is, reductions apart. */
bool rw_graph_reads(rw_graph *g, rw_node n, int field);
static inline bool rw_side_reads(rw_graph *g, const rw_graph_side *s, int field)
{
    return s->reads &&
           (rw_graph_reads(g, s->a, field) || rw_graph_reads(g, s->b, field) || rw_graph_reads(g, s->c, field));
}
/* A field of the graph that both depend on at nodes of the grid, reductions apart; -1: none. */
int rw_shared_field(rw_graph *g, rw_node a, rw_node b);
/* A field that n reads although it varies with the leaf, which is t, a coordinate, or a field of the grid: a derivative
 * by the leaf would miss this. -1: none. */
int rw_graph_place_field(rw_graph *g, rw_node n, rw_node leaf);
/* One operation on complex numbers in double precision: the reference of all devices. */
void rw_apply(rw_node_op op, const double (*arg)[2], bool is_complex, double out[2]);
/* The same for the operation of a node with this index, calls among them. */
void rw_graph_apply(const rw_graph *g, rw_node_op op, int index, const double (*arg)[2], bool is_complex,
                    double out[2]);

#endif
