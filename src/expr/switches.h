/* Switches in time of a program: scalars that jump while time runs, such as mod(t, 20) < 0.5 in where(mod(t, 20) <
 * 0.5, 2, 0).
 *
 * A step must not contain one: values on both sides of a jump cost a method its order, and a pulse between two of
 * them is not seen at all. The next switch is searched by interval arithmetic (range.h), which finds it wherever it
 * lies. Only what interval arithmetic cannot bound, such as functions in C, is sampled; then a warning names the
 * expression. */
#ifndef RW_SWITCHES_H
#define RW_SWITCHES_H

#include "expr/range.h"

typedef struct rw_switch_search rw_switch_search;

/* Of all scalars of the graph that jump with the parameter `t`. The graph must outlive the search and stay as it is,
 * but for the values of its parameters. `name`: of the program, for the warning; it must outlive the search.
 * `quiet`: no warning. */
rw_status rw_switch_search_create(rw_context *ctx, const char *name, rw_graph *g, int t, bool quiet,
                                  rw_switch_search **search);
void rw_switch_search_destroy(rw_switch_search **search);
bool rw_switch_search_is_empty(const rw_switch_search *search);

/* The first switch in (from, until], by the parameters' present values: FOUND, between the neighbouring numbers
 * *before and *after; UNDECIDED, there is none in (from, *before]. */
rw_range_answer rw_switch_search_next(rw_switch_search *search, double from, double until, double *before,
                                      double *after);

#endif
