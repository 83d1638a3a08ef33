/* The problem flow: plane flow with heat. It is no problem of its own but writes the case of a pde: vorticity w,
 * streamfunction psi, temperature T and tracers on nodes, walls included. What its parts share.
 *
 *   sides.c   sides and their parts from the case
 *   walk.c    psi on the sides, by one walk round the domain
 *   write.c   the case of the pde, as a tree whose values stand where the user has written them */
#ifndef RW_FLOW_H
#define RW_FLOW_H

#include "elliptic/elliptic.h"
#include "expr/program.h"
#include "ode/params.h"
#include "run/checks.h"
#include "run/parameters.h"
#include "run/problem.h"

#define RW_SECTION_PREFIX(section) flow_##section
#define RW_SECTION_DEF "run/flow/flow.def"
#include "run/section_structs.h"

typedef enum flow_kind { FLOW_WALL, FLOW_INFLOW, FLOW_OUTFLOW, FLOW_SYMMETRY, FLOW_PERIODIC, FLOW_KINDS } flow_kind;
enum { FLOW_WEST, FLOW_EAST, FLOW_SOUTH, FLOW_NORTH, FLOW_SIDES, FLOW_PARTS = 16, FLOW_PIECES = 32 };

/* A condition of a side, or of the part of it where `where` holds and no part before. */
typedef struct flow_part {
    flow_kind kind;
    const rw_tree *node;   /* what the case says */
    const rw_tree *where;  /* NULL: everywhere */
    const rw_tree *u, *v;  /* of a wall or an inflow; NULL: 0 */
    const rw_tree *heat;   /* entry of the temperature: its value, or that of … */
    const char *heat_kind; /* "temperature", "insulated", "flux", "robin"; NULL: none is given */
    const rw_tree *tracers;
} flow_part;

typedef struct flow_side {
    const rw_tree *node; /* NULL: not given */
    int n;
    flow_part part[FLOW_PARTS];
} flow_side;

/* A piece of the boundary with one condition, between two places along its side. */
typedef struct flow_piece {
    int side;
    const flow_part *part;
    double from, to; /* the coordinate along the side */
    double until;    /* between the last node of the piece and the next one; INFINITY: the last piece */
    char name[24];   /* "west_1": of its functions */
    char *psi;       /* text: psi at `from`; NULL: nothing gives it */
    double begin;    /* that number */
    double net;      /* what psi grows by from `from` to `to` */
} flow_piece;

typedef struct flow {
    const rw_case *c;
    rw_context *ctx;
    flow_grid grid;
    flow_fluid fluid;
    flow_initial initial;
    flow_forces forces;
    flow_scheme scheme;
    rw_ode_spec time;
    double length[2], origin[2];
    int64_t size[2];
    bool periodic[2];
    bool heat; /* T is a field */
    flow_side side[FLOW_SIDES];
    flow_piece piece[FLOW_PIECES];
    int npieces;
    rw_expr_scalar *scalars;
    int nscalars;
    rw_functions functions;
} flow;

extern const char *const flow_side_names[FLOW_SIDES], *const flow_kind_names[FLOW_KINDS];
static inline int flow_axis_along(int side) { return side < FLOW_SOUTH; } /* y of west and east */
/* The spacing of an axis. */
double flow_spacing(const flow *f, int axis);
/* A number: an expression of x, y, t and parameters at a point, t = 0. */
rw_status flow_value(const flow *f, const rw_tree *node, double x, double y, double *value);

/* sides.c. All mistakes are noted. */
rw_status flow_read_sides(flow *f);
/* walk.c: pieces with psi. */
rw_status flow_walk(flow *f);
void flow_free_pieces(flow *f);
/* The velocity along the outward normal's axis (u on west and east), and the other one; NULL: 0. */
static inline const rw_tree *flow_across(const flow_part *p, int side) { return side < FLOW_SOUTH ? p->u : p->v; }
static inline const rw_tree *flow_tangent(const flow_part *p, int side) { return side < FLOW_SOUTH ? p->v : p->u; }
/* write.c: the whole case. */
rw_status flow_write(flow *f, rw_tree **root);

#endif
