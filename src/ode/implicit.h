/* Terms of rates that are solved for, implicit(e): du/dt = f(u) + e(u).
 *
 * A stage of an additive method solves U - h e(U) = R for all fields with such terms, by the interface of equations
 * without a time derivative. What sides make of fields belongs to f: in e a side that reads fields gives 0,
 *
 *   L(u)   the marked terms with these sides       N(u) = F(u) - L(u)
 *
 * so that walls, and whatever else depends on the state, are explicit, to the method's full order, and L is an operator
 * that transforms can invert. Sides that depend on place and time alone are the same in both. */
#ifndef RW_ODE_IMPLICIT_H
#define RW_ODE_IMPLICIT_H

#include "ode/ode.h"

struct rw_implicit {
    rw_elliptic *solver;
    int n;
    int *field;           /* [n] fields with marked terms, in the order of the text */
    rw_expr_field *sides; /* [n] with the sides of L; their texts belong to the integrator */
    bool split;           /* some sides of theirs read fields */
    bool enqueued, recordable, moves;
    double step; /* h of the solver, 0: none yet */
};

/* For methods that solve for marked terms. `settings`: of each field of the specification; NULL: spec->solvers.
 * Errors: ERR_INPUT: no rate has marked terms. */
rw_status rw_implicit_create(rw_ode *ode, const rw_ode_spec *spec, const rw_elliptic_spec *settings);
void rw_implicit_free(rw_ode *ode);
/* The field has marked terms. */
bool rw_implicit_has(const rw_ode *ode, int field);
/* Vector `into` <- U, where U - h L(U) = R and R is the vector `known`; t: of U. Iterations begin with the vector
 * `start`, which may be `into`. Fields without marked terms stay. */
rw_status rw_implicit_solve(rw_ode *ode, int into, int start, int known, double t, double h);
/* Without marked terms these are true, false, or do nothing. */
bool rw_implicit_is_recordable(const rw_ode *ode);
bool rw_implicit_moves(const rw_ode *ode);
rw_status rw_implicit_prepare(rw_ode *ode);
rw_status rw_implicit_set(rw_ode *ode, const char *scalar, double value);
rw_status rw_implicit_explain(const rw_ode *ode, rw_text *text);

/* N and L of vector v, which has been added to the program, by field; 0 where a field has no marked terms and at nodes
 * that are given. L: optional. */
void rw_build_parts(rw_building *b, int v, rw_node *N, rw_node *L);

#endif
