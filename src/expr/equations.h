/* Equations without a time derivative, F = left - right = 0, which determine fields without a rate (unknowns).
 *
 *   rw_parse_statements(ctx, &source, &parsed);
 *   rw_find_equations(&parsed, fields, nfields);
 *   for each statement i in its order, kind EQUATION:
 *       rw_lower_equation(&lowering, &source, statement, &f[i]);
 *   rw_pair_equations(&lowering, &source, &parsed, f, unknowns, nunknowns, &pairs);
 *
 * Statements are lowered in their order, because names that they assign are meant by those that follow. */
#ifndef RW_EXPR_EQUATIONS_H
#define RW_EXPR_EQUATIONS_H

#include "expr/lower.h"

/* Decides what a statement's text alone does not say. f(u) = …, f no word of the language, is a definition of f, also
 * where u is the name of a field: inside f the name is the parameter. But where an earlier statement defines f and one
 * of the names is that of a field, it is an equation: the kind becomes RW_EQUATION. */
void rw_find_equations(rw_parsed *parsed, const rw_expr_field *fields, int nfields);

/* The steady state: du/dt = … is the equation 0 = … of u. */
void rw_take_rates_for_equations(rw_parsed *parsed);

/* The step of an implicit stage: of each rate du/dt with marked terms e the equation u - RW_IMPLICIT_STEP e = r, where
 * RW_IMPLICIT_STEP is a scalar and the last fields that are declared are the r, in the order of the text. All other
 * equations become rates, which are left out. */
#define RW_IMPLICIT_STEP "step#" /* no name of a text */
void rw_take_implicit_for_equations(rw_parsed *parsed);

/* *f: left - right at each node of the grid, of the current meaning of names.
 * Errors: ERR_INPUT: those of rw_lower; the sides are vectors. */
rw_status rw_lower_equation(rw_lowering *l, const rw_source *source, const rw_statement *s, rw_node *f);

/* A field that has no rate. */
typedef struct rw_unknown {
    const char *name; /* in the text */
    int field;        /* of the graph */
} rw_unknown;

/* Which equation determines which unknown. */
typedef struct rw_pair {
    int statement; /* its number in the text */
    int unknown;   /* its number in the list */
} rw_pair;

/* The pairs in the order in which they have to be solved. Unknowns that depend on each other are one system. */
typedef struct rw_pairs {
    int n, nsystems;
    rw_pair *pair; /* [n]; those of a system in the order of the text */
    int *first;    /* [nsystems + 1] system s: pair[first[s]] … pair[first[s + 1] - 1] */
} rw_pairs;

/* Pairs all equations of the text with all unknowns. An equation is paired with the unknown that its left side names
 * first, of those that its F reads; where this leaves an equation or an unknown over, with another one that it reads.
 * Unknowns in reductions, and those that boundary conditions of the graph read, are no candidates, but an equation
 * comes after them.
 * f: [parsed->n] of each statement that is an equation.
 * Errors: ERR_INPUT, each mistake noted (rw_mistake) and the last one returned: an equation that reads no unknown; more
 *     equations than unknowns that they read; an unknown that no equation reads, or that is left over; a complex F for
 *     a real unknown. ERR_MEMORY.
 * Lifetime: the pairs depend on neither graph nor text. Free them with rw_pairs_free. */
rw_status rw_pair_equations(rw_lowering *l, const rw_source *source, const rw_parsed *parsed, const rw_node *f,
                            const rw_unknown *unknowns, int nunknowns, rw_pairs *pairs);
void rw_pairs_free(rw_pairs *pairs);

#endif
