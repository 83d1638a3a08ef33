/* The problem pde: coupled partial differential equations du/dt = … on a uniform grid. What its parts share. */
#ifndef RW_PDE_H
#define RW_PDE_H

#include <math.h>

#include "device/device.h"
#include "elliptic/elliptic.h"
#include "expr/program.h"
#include "ode/dense.h"
#include "ode/params.h"
#include "ode/settle.h"
#include "run/checks.h"
#include "run/parameters.h"
#include "run/problem.h"
#include "run/run_settings.h"

/* Choices of pde.def, in the order of the enumerations they become. */
#define PDE_LAYOUTS "auto|cell|node"
#define PDE_PRECISIONS "f64|f32"
#define PDE_TYPES "real|complex"

#define RW_SECTION_PREFIX(section) pde_##section
#define RW_SECTION_DEF "run/pde/pde.def"
#include "run/section_structs.h"

/* Values on the grid from the case: initial values of a field, or data. */
typedef struct pde_values {
    const char *setting; /* "fields.u.initial", "data.q" */
    const char *name;
    const rw_tree *node; /* an expression, or a map: file, picture, run */
    rw_array *array;
    char checksum[65]; /* of data that come from a file; "": none */
    int mask;          /* 1 + its number: of a mask, whose node is the name of a file; 0: none */
} pde_values;

typedef struct pde_problem {
    rw_problem base;
    rw_context *ctx;
    rw_device *device;     /* NULL: for texts and figures only */
    rw_ode *ode;           /* of equations with a time derivative … */
    rw_elliptic *elliptic; /* … or the solver of equations without; NULL */
    bool algebraic;        /* no equation has a time derivative */
    bool solves;           /* steps solve for fields without one */
    double residual;       /* stationary: of the present state */
    int64_t iterations;    /* of the solver */
    pde_time time;
    bool dense; /* output.interpolate: values within steps are asked for */
    rw_grid grid;
    bool no_grid;  /* the settings give none: `grid` has a dimension, no coordinates */
    bool no_start; /* time.start is wrong: t is not known */
    bool no_time;  /* the section time is wrong, which has been noted */
    int order;     /* of the differences */
    rw_grid_layout layout;
    char why_cell[200]; /* why layout auto has become cell */
    int nfields, nscalars;
    rw_expr_field *fields; /* names and boundary texts live as long as the case or in `owned` */
    const rw_tree **sides; /* [6 nfields] the value of each side's condition in the case; NULL: it has none */
    const rw_tree **parts; /* [6 nfields] the list of conditions of a side in parts; NULL: it has one condition */
    rw_expr_scalar *scalars;
    rw_state state;
    rw_expr *initial;   /* of the fields whose initial values are expressions, until it has run */
    pde_values *values; /* [nfields] initial values */
    int ndata;
    rw_expr_field *data;     /* read-only fields */
    rw_expr_field *readable; /* [nfields + ndata] what programs read */
    pde_values *sources;     /* [ndata] where they come from, and their arrays */
    rw_expr *fill;           /* of data that are expressions, until it has run */
    struct pde_mask *masks;  /* of parts of sides, the last of the data */
    int nmasks, masks_capacity;
    const char **units;
    rw_checks checks;
    rw_functions functions;  /* of initial values and boundaries */
    char *equations;         /* functions and equations, padded so that places are those of the file */
    rw_state_field *outputs; /* [nfields + nderived] the fields, then what output.derived computes */
    int nderived;
    rw_expr *derive;
    char **owned; /* texts made here */
    int nowned, owned_capacity;
} pde_problem;

/* Keeps a text made by rw_format or rw_strdup until the problem is destroyed; NULL (memory) fails. */
rw_status pde_own(pde_problem *p, rw_context *ctx, char *text);

/* boundary.c */
/* One condition: a word, an expression, or {kind: value}; *value is what stands in the case for its expressions. */
rw_status pde_read_condition(const rw_case *c, const pde_problem *p, const char *field, const rw_tree *node,
                             rw_boundary *b, const rw_tree **value);
/* A kind and its value, entry `at` of the map `node`. */
rw_status pde_read_kind(const rw_case *c, const char *field, const rw_tree *node, int at, rw_boundary *b);
/* The node on a side of this kind is given, and no unknown. */
bool pde_pins(const pde_problem *p, rw_boundary_kind kind);
/* The conditions of field f from its setting, and the grid that all of them fit. */
rw_status pde_read_boundary(const rw_case *c, pde_problem *p, int f, const rw_tree *node);
rw_status pde_make_grid(const rw_case *c, pde_problem *p, const pde_grid *settings);
/* parts.c: a side in parts, as one condition. */
rw_status pde_read_parts(const rw_case *c, pde_problem *p, int f, int side, const rw_tree *list);
/* masks.c: which parts apply by a file. `node`: its name, {file: name} or {picture: name}. Reading fails with the place
 * of the name. */
const rw_tree *pde_mask_file(const rw_tree *node, bool *is_picture); /* the name; NULL: there is none */
rw_status pde_add_mask(const rw_case *c, pde_problem *p, int f, int side, const rw_tree *node);
void pde_free_masks(pde_problem *p);
const char *pde_mask_name(const pde_problem *p, const rw_tree *node); /* of its data, for texts */
void pde_declare_masks(pde_problem *p);                               /* as data, which have room for them */
rw_status pde_read_mask(const pde_problem *p, const rw_tree *node);
rw_status pde_read_masks(const pde_problem *p);
bool pde_has_mask_file(const pde_problem *p, const rw_tree *node);
/* When it has been read: at a place of the side, in nodes; of mask `number`, from 1, at all nodes of the grid. */
bool pde_mask_at(const pde_problem *p, const rw_tree *node, const double place[3]);
void pde_fill_mask(const pde_problem *p, int number, unsigned char *to);
/* texts.c */
rw_status pde_join_texts(const rw_case *c, pde_problem *p);
/* values.c */
/* The form of a setting; mistakes in expressions are not sought. */
rw_status pde_check_values(const rw_case *c, const char *setting, const rw_tree *node);
/* Of a map: reads the file and writes the values to the array. */
rw_status pde_read_values(const rw_case *c, pde_problem *p, const char *setting, const rw_tree *node, rw_array *to);
/* Reads the values of maps, and makes the program for expressions; NULL if there are none. `what` names it. */
rw_status pde_make_values(const rw_case *c, pde_problem *p, const char *what, const pde_values *list, int nlist,
                          rw_expr **program);
/* ERR_INPUT with the node of a value that is not finite. */
rw_status pde_check_finite(const rw_case *c, const pde_problem *p, const pde_values *v);
/* names.c: the complex field of which a name is that of a part; -1: none. */
int pde_find_whole(const pde_problem *p, const char *name);
/* No field has the name of a part of a complex one. map: the fields of the case. */
rw_status pde_check_parts(const rw_case *c, const pde_problem *p, const rw_tree *map);
/* initial.c */
/* Sets the values of all fields, or makes the program that will. */
rw_status pde_set_initial(const rw_case *c, pde_problem *p);
/* Initial values must be finite at every node. One pass on the device checks it; the node is sought only on failure. */
rw_status pde_check_initial(const rw_case *c, pde_problem *p);
/* data.c */
rw_status pde_read_data(const rw_case *c, pde_problem *p, int precision); /* after fields and parameters */
void pde_free_data(pde_problem *p);
/* Their kinds of sides, from those of the fields. */
void pde_continue_data(pde_problem *p);
rw_status pde_make_data(const rw_case *c, pde_problem *p, rw_memory memory);
/* Runs their program, checks the values and computes the checksums. */
rw_status pde_fill_data(const rw_case *c, pde_problem *p);
rw_status pde_save_data(const pde_problem *p, rw_h5 *file);
rw_status pde_compare_data(const pde_problem *p, rw_h5 *file);
/* sides.c: the language with the names of the case: parameters, t with this value, and fields; `plain`: fields are
 * refused, and functions are defined. */
typedef struct pde_language {
    rw_graph *graph;
    rw_lowering lowering;
} pde_language;
rw_status pde_language_begin(rw_context *ctx, const pde_problem *p, double t, bool plain, pde_language *l);
void pde_language_end(pde_language *l);
/* For rw_graph_value: coordinates at the place `user`, a double[3], in nodes from the first unknown. */
void pde_at_place(void *user, const rw_graph *g, rw_node leaf, double out[2]);
rw_status pde_sides(rw_problem *problem, int field, double t, bool has[6], double *wide);
/* own.c: what the case computes for its outputs. */
/* A program of all fields with their grid and boundaries: the given text and scalars. */
rw_status pde_list_readable(pde_problem *p);
/* Binds fields and data. */
rw_status pde_bind_program(const pde_problem *p, rw_expr *e);
rw_expr_spec pde_program_spec(const pde_problem *p, const rw_expr_spec *given);
/* The columns of series.csv, with those of output.series. */
rw_status pde_observe(const rw_case *c, pde_problem *p);
void pde_set_numbers(pde_problem *p, const rw_ode_statistics *s); /* before a row */
rw_domain pde_domain(const pde_problem *p);
/* derived.c: what output.derived computes. `read` finds names and shapes, `make` the arrays, with a device, and the
 * program. */
rw_status pde_read_derived(const rw_case *c, pde_problem *p);
rw_status pde_make_derived(const rw_case *c, pde_problem *p, rw_memory memory);
int64_t pde_derived_bytes(const pde_problem *p);
void pde_free_derived(pde_problem *p);
rw_status pde_derive(rw_problem *problem);
/* rw_problem_ops.sides of all fields. */
rw_status pde_all_sides(rw_problem *problem, int field, double t, bool has[6], double *wide);
/* own.c: the value of an expression, which is a name for those that follow; whether a name is taken. */
rw_status pde_lower_named(const rw_case *c, pde_language *l, const rw_named_expr *e, rw_value *v);
rw_status pde_check_own_name(const rw_case *c, const pde_problem *p, const char *setting, const char *name);
/* Mistakes in these settings, each noted. */
rw_status pde_inspect_outputs(const rw_case *c, pde_problem *p);
rw_status pde_inspect_series(const rw_case *c, const pde_problem *p);
rw_status pde_inspect_probes(const rw_case *c, const pde_problem *p);
/* solver.c: p->ode or p->elliptic; bind: to the arrays of the fields. */
rw_status pde_make_solver(const rw_case *c, pde_problem *p, bool bind);
int64_t pde_solver_bytes(const rw_case *c, const pde_problem *p);
rw_ode_spec pde_ode_spec(const rw_case *c, const pde_problem *p); /* pde.c */
/* integrator.c: its state as attributes of /state and, where values within steps are asked for, of /history. */
rw_status pde_save_integrator(const pde_problem *p, rw_h5 *file);
rw_status pde_load_integrator(pde_problem *p, rw_h5 *file);
/* steady.c: cases that end when the state no longer changes (time.end = steady), by steps of the integrator or, without
 * a time derivative, by a solver. */
extern const rw_stationary_ops pde_stationary;
static inline bool pde_is_steady(const pde_problem *p) { return isinf(p->time.end); }
/* p->algebraic, from the equations; what does not fit time.end. */
rw_status pde_find_kind(const rw_case *c, pde_problem *p);
/* The residual of the initial state, or of one that was loaded. */
rw_status pde_find_residual(pde_problem *p);
double pde_time_now(const pde_problem *p);
/* forecast.c */
rw_status pde_forecast(const rw_case *c, pde_problem *p, double steps, double evaluations, rw_problem_forecast *f);
/* inspect.c: mistakes in texts, each noted (RW_NOTE); fields, parameters and grid have been read. */
rw_status pde_inspect_texts(const rw_case *c, const pde_problem *p);
rw_status pde_lower(const rw_case *c, pde_language *l, const rw_tree *node, const char *setting, rw_node *n);
/* The same of an expression of a side, which may read fields: *reads. */
rw_status pde_lower_on_side(const rw_case *c, const pde_problem *p, int f, int side, pde_language *l,
                            const rw_tree *node, const char *setting, rw_node *n, bool *reads);
bool pde_reads_time(const rw_graph *g, rw_node n); /* parts.c */
/* The same of a value for field f, which may be complex where the field is; -1: of data, which are real. */
rw_status pde_lower_value(const rw_case *c, const pde_problem *p, int f, pde_language *l, const rw_tree *node,
                          const char *setting, rw_node *n);
/* Of derived fields. */
static inline rw_dtype pde_real_type(const pde_problem *p)
{
    return rw_dtype_is_single(p->fields[0].dtype) ? RW_F32 : RW_F64;
}
static inline bool pde_is_complex(const pde_problem *p, int f) { return rw_dtype_is_complex(p->fields[f].dtype); }
/* The i-th of n places that are spread over a side, in nodes. */
void pde_place_on_side(const pde_problem *p, int f, int side, int64_t i, int64_t n, double place[3]);
int64_t pde_nodes_of_side(const pde_problem *p, int side);
/* parts.c */
rw_status pde_inspect_parts(const rw_case *c, const pde_problem *p, int f, int side, pde_language *l);

extern const rw_problem_ops rw_pde_ops;

#endif
