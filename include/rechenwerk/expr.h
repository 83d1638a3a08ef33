/* Expression programs: equations as text, checked, fused into as few passes over memory as is legal, run on a device.
 *
 *   rw_expr_field   fields[] = {{.name = "N"}, {.name = "P"}};
 *   rw_expr_scalar  scalars[] = {{.name = "tau", .value = 1e-9}};
 *   rw_expr_spec    spec = {
 *       .text = "N = (N + tau*P)/(1 + tau*N); total = sum(N)", .fields = fields, .nfields = 2, ...};
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
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_boundary_kind_name(rw_boundary_kind value);
RW_API rw_status rw_boundary_kind_parse(rw_context *context, const char *name, rw_boundary_kind *value);

/* Kinds that images have too (image.h): name, text, one line, and how many of the expressions a, b, c it takes. */
/* clang-format off */
#define RW_BORDER_LIST(X)                                                                                              \
    X(REFLECT101, "reflect101", "c b | a b c d | c b", 0)                                                              \
    X(REFLECT, "reflect", "b a | a b c d | d c", 0)                                                                    \
    X(REPLICATE, "replicate", "a a | a b c d | d d", 0)                                                                \
    X(WRAP, "wrap", "c d | a b c d | a b", 0)                                                                          \
    X(CONSTANT, "constant", "v v | a b c d | v v", 1)
/* Kinds and their names in texts. Messages use the first name of a kind. */
#define RW_BOUNDARY_LIST(X)                                                                                            \
    X(NEAREST, "nearest", "a a | a b c d | d d", 0)                                                                    \
    X(DIRICHLET, "dirichlet", "u = a", 1)                                                                              \
    X(NEUMANN, "neumann", "du/dn = a", 1)                                                                              \
    X(ROBIN, "robin", "a u + b du/dn = c", 3)                                                                          \
    X(PERIODIC, "periodic", "c d | a b c d | a b", 0)                                                                  \
    RW_BORDER_LIST(X)
/* clang-format on */

/* Boundary condition of one field on one side. a, b, c: expressions of coordinates, time and scalars (default: 0). */
typedef struct rw_boundary {
    rw_boundary_kind kind;
    const char *a, *b, *c;
} rw_boundary;

/* A uniform grid of nodes: all of it, or the part that one of several processes computes.
 * Node (i, j, k) of the part lies at origin + (first + (i, j, k)) * spacing. Arrays have the shape (z, y, x) of the
 * part. mean() and error norms divide by the number of nodes of the whole grid. Boundary conditions apply to the sides
 * of the part. Axes beyond ndim have size 0 or 1.
 * ndim = 0: there is no space. A field is one number, in an array of one element; names of fields and scalars may be x,
 * y and z; each assignment to a new name is a result. */
typedef struct rw_grid {
    int ndim;                     /* 1, 2, 3; 0: no space */
    int64_t size[3];              /* nodes of the part */
    double spacing[3], origin[3]; /* origin: coordinates of the first node of the whole grid */
    int64_t global_size[3];       /* nodes of the whole grid. Default: size. */
    int64_t first[3];             /* index of the part's first node in the whole grid. Default: 0. */
} rw_grid;

typedef struct rw_expr_field {
    const char *name;
    /* F32, F64, C64, C128; I64, U64: computed as integers; F16, BF16, BOOL, I8 … I32, U8 … U32: stored so, computed as
     * real numbers */
    rw_dtype dtype;
    rw_boundary boundary[6];
} rw_expr_field;

typedef struct rw_expr_scalar {
    const char *name;
    bool is_complex;
    double value, imaginary; /* initial value */
    /* Stored on the device: statements may assign it, and the next run reads what they assigned. Real only. */
    bool state;
} rw_expr_scalar;

/* An external field, such as the volume of the cells of a grid: real and read-only. Its array is created when the text
 * uses it. The name may be a word of the language: x, y, z are then these fields. Beyond the sides of a uniform grid it
 * has the value of the nearest node; a field that no statement assigns is read-only too and has its own boundary. */
typedef struct rw_expr_external {
    const char *name;
    rw_dtype dtype;
    rw_status (*make)(void *user, rw_device *device, rw_array **array); /* the caller keeps the array */
    void *user;
} rw_expr_external;

/* A function in C. With scalars, or coordinates of one axis, as arguments it is called on the host before a run, and
 * devices load its values. With fields as arguments the whole program runs on the host, in the plain evaluator
 * (rw_expr_get_plan). Functions in the language, f(r) = exp(-r^2), run on all devices.
 * Threads: called by one thread at a time. Equal arguments must give equal values. */
typedef struct rw_expr_function {
    const char *name;
    int arguments; /* 1 … 3 */
    double (*call)(void *user, const double *arguments);
    void *user;
} rw_expr_function;

/* Laplacian of an unstructured grid, created when the text first uses it. laplace(u) in cell i is
 *     sum over k of weight[k][i] (u[cell[k][i]] - u[i]) + the fluxes through the boundary sides of the cell.
 * The flux is area[s][i] times the slope on a NEUMANN side, the same with the slope (c - a u)/b on a ROBIN side, and
 * conductance[s][i] (a - u) on a DIRICHLET side. */
typedef struct rw_expr_tables {
    int width;                    /* neighbours k per cell, padded */
    rw_array *cell, *weight;      /* i32, f64 [width][cells]; the caller keeps them */
    rw_array *area, *conductance; /* f64 [6][cells], of sides, divided by the volume of the cell */
} rw_expr_tables;
typedef struct rw_expr_stencil {
    rw_status (*make)(void *user, rw_expr_tables *tables);
    void *user;
    /* DIRICHLET sides are supported, and boundary values must be constants. Otherwise they may depend on
     * coordinates. */
    bool conducts;
} rw_expr_stencil;

/* Where the nodes of a grid lie. The kinds of boundaries have their formulas for each: docs/methods/field.md. */
typedef enum rw_grid_layout {
    RW_GRID_AUTO, /* a node is on each side; on Dirichlet sides it has the given value and is not in the array */
    RW_GRID_CELL, /* the sides are half a spacing outside the first and last node, whatever their kind */
    /* The first and the last node are on the sides. On Dirichlet sides, and where b = 0 in a u + b du/dn = c, reads
     * give the value that the side gives, whatever the array has there; assignments write it. */
    RW_GRID_NODE
} rw_grid_layout;

typedef struct rw_expr_spec {
    const char *name; /* begins messages: "case.yaml" */
    int line, column; /* where the text begins there. Default: 1:1. */
    const char *text; /* statements */
    rw_grid grid;
    int order; /* of grid operators, 2 or 4. Default: 2. */
    const rw_expr_field *fields;
    int64_t nfields;
    const rw_expr_scalar *scalars;
    int64_t nscalars;
    const rw_expr_external *externals;
    int64_t nexternals;
    const rw_expr_stencil *stencil; /* of an unstructured grid. Default: none. */
    const rw_expr_function *functions;
    int64_t nfunctions;
    /* Sums may be reordered and u/s computed as u*(1/s): fewer operations, different rounding errors. */
    bool reassociate;
    /* Runs whose scalars are stored on the device until rw_expr_trace fetches them. Default: only the last. */
    int trace;
    rw_grid_layout layout;
    /* The nodes have no neighbours along axes, as the cells of block-structured grids: the text may use laplace, with
     * `stencil`, and no other derivative. Default: a uniform grid. */
    bool unstructured;
} rw_expr_spec;

typedef struct rw_expr rw_expr;

/* Creates a program: parses, checks and plans it, and starts to compile in the background. Without a C compiler on the
 * cpu device the plain evaluator runs it (rw_expr_get_plan).
 * Errors: ERR_INPUT with line, column and the nearest name; ERR_ARGUMENT; ERR_MEMORY. ERR_COMPILE comes from the first
 * run, which waits for the compiler.
 * Lifetime: the specification and all that it points to are copied; `user` pointers must outlive the program.
 * Threads: one at a time. */
RW_API rw_status rw_expr_create_sized(rw_device *device, const rw_expr_spec *spec, rw_expr **expr, size_t spec_size,
                                      size_t field_size, size_t scalar_size, size_t external_size,
                                      size_t function_size);
#define rw_expr_create(...)                                                                                            \
    rw_expr_create_sized(__VA_ARGS__, sizeof(rw_expr_spec), sizeof(rw_expr_field), sizeof(rw_expr_scalar),             \
                         sizeof(rw_expr_external), sizeof(rw_expr_function))
RW_API void rw_expr_destroy(rw_expr **expr);

/* Binds an array to a field. It must have the field's type and the grid's shape (z, y, x), or be one row of as many
 * values. An array may be bound to several fields only if all of them are read-only. The program retains it.
 * If a program writes a field that it also reads at other nodes, it swaps the contents of the array with a work array
 * (rw_array_swap); the bound array stays the field.
 * Errors: ERR_ARGUMENT with the nearest name. */
RW_API rw_status rw_expr_bind(rw_expr *expr, const char *field, rw_array *array);
/* Sets a scalar. Nothing is compiled. Errors: ERR_ARGUMENT with the nearest name. */
RW_API rw_status rw_expr_set(rw_expr *expr, const char *scalar, double value);
RW_API rw_status rw_expr_set_complex(rw_expr *expr, const char *scalar, double re, double im);

/* Runs all passes in the queue, without waiting for them. */
RW_API rw_status rw_expr_run(rw_expr *expr, rw_queue *queue);
/* Gets a scalar: one that the program assigns (a reduction, a formula of reductions, a state), for which the call waits
 * for the run, or the value of one that was declared or set. im: optional.
 * Errors: ERR_ARGUMENT with the nearest name. */
RW_API rw_status rw_expr_get(rw_expr *expr, const char *scalar, double *re, double *im);
/* Gets the array bound to a field; NULL if there is none. Lifetime: the program's, until another is bound.
 * Errors: ERR_ARGUMENT with the nearest name. */
RW_API rw_status rw_expr_get_array(const rw_expr *expr, const char *field, rw_array **array);
/* Gets the grid, with its defaults filled in. */
RW_API rw_status rw_expr_get_grid(const rw_expr *expr, rw_grid *grid);
/* Fetches the scalars of the runs since the last call, with spec.trace > 0. Waits.
 * values [*rows][*columns]: one row per run, the newest last; one column per real scalar in the order of assignment.
 * names [*columns]. Both belong to the program until its next run or trace.
 * *runs: number of runs; only the newest spec.trace have rows. */
RW_API rw_status rw_expr_trace(rw_expr *expr, const double **values, int64_t *rows, const char *const **names,
                               int64_t *columns, int64_t *runs);

typedef struct rw_expr_plan {
    int64_t passes; /* kernels over the grid */
    int64_t stores, reductions;
    int64_t bytes; /* minimal memory traffic of one run: each field read once and written once per pass */
    double bytes_per_cell, flops_per_cell;
    bool evaluator;       /* run by the plain evaluator on the host: no compiler, or a function in C */
    const char *function; /* the function in C that requires the host, or NULL; it belongs to the program */
} rw_expr_plan;
/* Passes, memory traffic and operations of one run. */
RW_API rw_status rw_expr_get_plan_sized(const rw_expr *expr, rw_expr_plan *plan, size_t plan_size);
#define rw_expr_get_plan(...) rw_expr_get_plan_sized(__VA_ARGS__, sizeof(rw_expr_plan))
/* The plan as text, one paragraph per pass. Free it with rw_free. */
RW_API rw_status rw_expr_explain(const rw_expr *expr, char **text);

#ifdef __cplusplus
}
#endif
#endif
