/* Expression programs: equations as text, checked, fused into as few passes over memory as is legal, run on a device.
 *
 *   rw_expr_field   fields[] = {{.name = "N"}, {.name = "P"}};
 *   rw_expr_scalar  scalars[] = {{.name = "tau", .value = 1e-9}};
 *   rw_expr_spec    spec = {.text = "N = (N + tau*P)/(1 + tau*N); total = sum(N)", .fields = fields, .nfields = 2,
 *                   ...};
 *   rw_expr_create(dev, &spec, &e);  rw_expr_bind(e, "N", array);  rw_expr_set(e, "tau", 2e-9);
 *   rw_expr_run(e, queue);           rw_expr_get(e, "total", &re, NULL);
 *
 * The language is described in docs/reference/expressions.md. Scalars are arguments of the kernels: setting one, or
 * binding other arrays, compiles nothing. */
#ifndef RECHENWERK_EXPR_H
#define RECHENWERK_EXPR_H

#include "rechenwerk/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sides of a grid: 2*axis + 0 at the lower end, 2*axis + 1 at the upper end. */
typedef enum rw_boundary_kind {
    RW_BOUNDARY_NEAREST,    /* a a | a b c d | d d: outside as at the nearest node */
    RW_BOUNDARY_DIRICHLET,  /* u = a; the node on the side is no unknown and lies one spacing outside the array */
    RW_BOUNDARY_NEUMANN,    /* outward normal derivative du/dn = a; the node on the side is an unknown */
    RW_BOUNDARY_ROBIN,      /* a u + b du/dn = c; the node on the side is an unknown */
    RW_BOUNDARY_PERIODIC,   /* c d | a b c d | a b: both sides of an axis */
    RW_BOUNDARY_REFLECT101, /* c b | a b c d | c b: mirrored about the last node */
    RW_BOUNDARY_REFLECT,    /* b a | a b c d | d c: mirrored half a spacing beyond the last node */
    /* v v | a b c d | v v: every node outside has the value v = a, converted to the field's type */
    RW_BOUNDARY_CONSTANT,
    RW_BOUNDARY_KINDS,
    RW_BOUNDARY_REPLICATE = RW_BOUNDARY_NEAREST, /* names of image processing */
    RW_BOUNDARY_WRAP = RW_BOUNDARY_PERIODIC
} rw_boundary_kind;

/* Kinds and their names in texts. The first name of a kind is the one that messages have. */
/* clang-format off */
#define RW_BOUNDARY_LIST(X)                                                                                            \
    X(NEAREST, "nearest")                                                                                              \
    X(DIRICHLET, "dirichlet")                                                                                          \
    X(NEUMANN, "neumann")                                                                                              \
    X(ROBIN, "robin")                                                                                                  \
    X(PERIODIC, "periodic")                                                                                            \
    X(REFLECT101, "reflect101")                                                                                        \
    X(REFLECT, "reflect")                                                                                              \
    X(CONSTANT, "constant")                                                                                            \
    X(REPLICATE, "replicate")                                                                                          \
    X(WRAP, "wrap")
/* clang-format on */

/* One side of one field; a, b, c are expressions of coordinates, time and scalars (default: 0). */
typedef struct rw_boundary {
    rw_boundary_kind kind;
    const char *a, *b, *c;
} rw_boundary;

/* A uniform grid of nodes: node (i, j, k) lies at origin + (i, j, k) * spacing; arrays have shape (z, y, x). */
typedef struct rw_grid {
    int ndim; /* 1, 2, 3 */
    int64_t size[3];
    double spacing[3], origin[3];
} rw_grid;

typedef struct rw_expr_field {
    const char *name;
    /* F32, F64, C64, C128; F16, BF16, BOOL, I8 … I32, U8 … U32, which are stored so and computed with as real numbers;
     * I64, U64: as integers */
    rw_dtype dtype;
    rw_boundary boundary[6];
} rw_expr_field;

typedef struct rw_expr_scalar {
    const char *name;
    bool is_complex;
    double value, imaginary; /* until set otherwise */
    /* lives on the device: statements may assign it, and the next run finds what they assigned; real */
    bool state;
} rw_expr_scalar;

/* A field that is given with the grid, such as the volume of its cells: real, only read, its array made when the text
 * uses it. The name may be a word of the language; x, y, z then are these fields. */
typedef struct rw_expr_given {
    const char *name;
    rw_dtype dtype;
    rw_status (*make)(void *user, rw_device *device, rw_array **array); /* the array stays its owner's */
    void *user;
} rw_expr_given;

/* A function written in C. Where its arguments are scalars, or coordinates of one axis, it is called on the host before
 * a run and devices load what it gave; where they are fields, the whole program runs on the host, in the plain
 * evaluator (rw_expr_get_plan tells). Functions written in the language, f(r) = exp(-r^2), run on all devices. Called
 * by one thread at a time; equal arguments should give equal values. */
typedef struct rw_expr_function {
    const char *name;
    int arguments; /* 1 … 3 */
    double (*call)(void *user, const double *arguments);
    void *user;
} rw_expr_function;

/* The laplacian of a grid without rows, made when the text first uses it: laplace(u) in cell i is
 *     sum over k of weight[k][i] (u[cell[k][i]] - u[i]) + what the field's six boundaries let in through the cell's
 *     sides.
 * A NEUMANN side lets in area[s][i] times the slope, a ROBIN side the same with the slope (c - a u)/b, a DIRICHLET side
 * conductance[s][i] (a - u). */
typedef struct rw_expr_tables {
    int width;                    /* numbers of k */
    rw_array *cell, *weight;      /* i32, f64 [width][cells]; they stay their owner's */
    rw_array *area, *conductance; /* f64 [6][cells]: of sides, over the cell's volume */
} rw_expr_tables;
typedef struct rw_expr_stencil {
    rw_status (*make)(void *user, rw_expr_tables *tables);
    void *user;
    /* DIRICHLET sides are possible, then what boundaries say is numbers; else they may depend on the place */
    bool conducts;
} rw_expr_stencil;

typedef struct rw_expr_spec {
    const char *name; /* in messages: "case.yaml" */
    int line, column; /* where the text begins there; 0: counts from 1:1 */
    const char *text; /* statements */
    rw_grid grid;
    int order; /* of grid operators: 2 (0 means 2) or 4 */
    const rw_expr_field *fields;
    int nfields;
    const rw_expr_scalar *scalars;
    int nscalars;
    const rw_expr_given *given;
    int ngiven;
    const rw_expr_stencil *stencil; /* NULL: the grid has rows, or no laplacian */
    const rw_expr_function *functions;
    int nfunctions;
    /* sums may be computed in another order and u/s as u*(1/s): fewer operations, other rounding errors */
    bool reassociate;
    /* runs whose scalars are kept on the device until rw_expr_trace takes them; 0: only the last */
    int trace;
} rw_expr_spec;

typedef struct rw_expr rw_expr;

/* Parses, checks and plans, and begins to compile in the background. ERR_INPUT with place and nearest name. The
 * first run waits for the compiler: ERR_COMPILE comes from there. Without a C compiler on the cpu device the plain
 * evaluator runs the program (rw_expr_plan says so). */
RW_API rw_status rw_expr_create(rw_device *device, const rw_expr_spec *spec, rw_expr **expr);
RW_API void rw_expr_destroy(rw_expr **expr);

/* Fields and scalars by name. An array must have the grid's shape (z, y, x), or be one row of as many values, and the
 * field's dtype. It may be bound to one field only, unless all of its fields are only read. ERR_ARGUMENT otherwise. The
 * program holds a reference to each. A program that must write a field which it also reads at other nodes exchanges the
 * array's contents with one of its own (rw_array_swap), so the array keeps being the field. */
RW_API rw_status rw_expr_bind(rw_expr *expr, const char *field, rw_array *array);
RW_API rw_status rw_expr_set(rw_expr *expr, const char *scalar, double value);
RW_API rw_status rw_expr_set_complex(rw_expr *expr, const char *scalar, double re, double im);

/* Runs all passes in the queue. */
RW_API rw_status rw_expr_run(rw_expr *expr, rw_queue *queue);
/* A scalar that the program assigns (a reduction or a formula of them); waits for the run. im may be NULL. */
RW_API rw_status rw_expr_get(rw_expr *expr, const char *scalar, double *re, double *im);
/* What the runs since the last call assigned to scalars: a row a run, the newest last, a column for each real scalar in
 * the order in which the program first assigns them; `names` [*columns] too. All belong to the program until its next
 * run or trace. Of more runs than spec.trace only the newest are kept; *runs counts all. Needs spec.trace > 0.
 * Waits. */
RW_API rw_status rw_expr_trace(rw_expr *expr, const double **values, int64_t *rows, const char *const **names,
                               int *columns, int64_t *runs);

typedef struct rw_expr_plan {
    int passes; /* kernels over the grid */
    int stores, reductions;
    int64_t bytes; /* least bytes of one run: each field read once and written once a pass */
    double bytes_per_cell, flops_per_cell;
    bool evaluator;       /* the plain evaluator on the host runs it: no compiler, or a function in C */
    const char *function; /* the function in C that keeps it on the host; NULL: none does. It belongs to the program */
} rw_expr_plan;
RW_API rw_status rw_expr_get_plan(const rw_expr *expr, rw_expr_plan *plan);
/* The plan as text, a paragraph a pass; free() it. */
RW_API rw_status rw_expr_explain(const rw_expr *expr, char **text);

#ifdef __cplusplus
}
#endif
#endif
