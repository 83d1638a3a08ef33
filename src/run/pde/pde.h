/* The problem pde: coupled partial differential equations du/dt = … on a uniform grid. What its parts share. */
#ifndef RW_PDE_H
#define RW_PDE_H

#include "device/device.h"
#include "expr/program.h"
#include "ode/dense.h"
#include "ode/params.h"
#include "run/checks.h"
#include "run/parameters.h"
#include "run/problem.h"
#include "run/run_settings.h"

/* Choices of pde.def, in the order of the enumerations they become. */
#define PDE_LAYOUTS "auto|cell"
#define PDE_PRECISIONS "f64|f32"

#define RW_SECTION_PREFIX(section) pde_##section
#define RW_SECTION_DEF "run/pde/pde.def"
#include "run/section_structs.h"

typedef struct pde_problem {
    rw_problem base;
    rw_context *ctx;
    rw_device *device; /* NULL: for texts and figures only */
    rw_ode *ode;
    pde_time time;
    bool dense; /* output.interpolate: values within steps are asked for */
    rw_grid grid;
    bool no_grid;  /* the settings give none: `grid` has a dimension, no coordinates */
    bool no_start; /* time.start is wrong: t is not known */
    int order;     /* of the differences */
    rw_grid_layout layout;
    char why_cell[200]; /* why layout auto has become cell */
    int nfields, nscalars;
    rw_expr_field *fields; /* names and boundary texts live as long as the case or in `owned` */
    const rw_tree **sides; /* [6 nfields] the value of each side's condition in the case; NULL: it has none */
    const rw_tree **parts; /* [6 nfields] the list of conditions of a side in parts; NULL: it has one condition */
    rw_expr_scalar *scalars;
    rw_state state;
    rw_expr *initial; /* of the fields whose initial values are expressions, until it has run */
    const char **units;
    rw_checks checks;
    rw_functions functions; /* of initial values and boundaries */
    char *equations;        /* functions and equations, padded so that places are those of the file */
    char **owned;           /* texts made here */
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
/* texts.c */
rw_status pde_join_texts(const rw_case *c, pde_problem *p);
/* initial.c */
/* Sets the values of all fields, or makes the program that will. */
rw_status pde_set_initial(const rw_case *c, pde_problem *p);
/* Initial values must be finite at every node. One pass on the device checks it; the node is sought only on failure. */
rw_status pde_check_initial(const rw_case *c, pde_problem *p);
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
/* integrator.c: its state as attributes of /state and, where values within steps are asked for, of /history. */
rw_status pde_save_integrator(const pde_problem *p, rw_h5 *file);
rw_status pde_load_integrator(const pde_problem *p, rw_h5 *file);
/* forecast.c */
rw_status pde_forecast(const rw_case *c, pde_problem *p, double steps, rw_problem_forecast *f);
/* inspect.c: mistakes in texts, each noted (RW_NOTE); fields, parameters and grid have been read. */
rw_status pde_inspect_texts(const rw_case *c, const pde_problem *p);
rw_status pde_lower(const rw_case *c, pde_language *l, const rw_tree *node, const char *setting, rw_node *n);
/* The i-th of n places that are spread over a side, in nodes. */
void pde_place_on_side(const pde_problem *p, int f, int side, int64_t i, int64_t n, double place[3]);
int64_t pde_nodes_of_side(const pde_problem *p, int side);
/* parts.c */
rw_status pde_inspect_parts(const rw_case *c, const pde_problem *p, int f, int side, pde_language *l);

extern const rw_problem_ops rw_pde_ops;

#endif
