/* Ranges of scalars while one parameter runs through an interval: interval arithmetic (R. E. Moore, Interval Analysis,
 * 1966).
 *
 * A switch is a scalar whose value or slope jumps: a comparison, floor, sign, mod, min, max, abs, tan or atan2 of the
 * parameter. Time integration looks for the next jump with rw_range_next. It is found wherever it lies and however
 * short the pulse is, because an interval counts as free of jumps only when its range proves that. */
#ifndef RW_RANGE_H
#define RW_RANGE_H

#include "expr/graph.h"

typedef struct rw_interval {
    double lo, hi;
    bool nan; /* may be NaN somewhere; then lo = -inf, hi = inf */
} rw_interval;

typedef struct rw_range rw_range;

/* Of the scalar `node`, which depends on no field and on no reduction. The graph must outlive it and stay as it is, but
 * for the values of its parameters. NULL: out of memory. */
rw_range *rw_range_create(rw_graph *g, rw_node node, int param);
void rw_range_destroy(rw_range **range);

/* The range of the node's value for lo <= parameter <= hi: an enclosure, not always the narrowest. */
rw_interval rw_range_of(rw_range *range, double lo, double hi);

/* False when the node contains what interval arithmetic cannot bound: functions in C and complex numbers that depend on
 * the parameter. */
bool rw_range_is_bounded(const rw_range *range);

/* True for the functions named above. */
bool rw_range_is_switch(rw_node_op op);

typedef enum rw_range_answer {
    RW_RANGE_NONE,     /* no jump in (from, until] */
    RW_RANGE_FOUND,    /* the first one is between the neighbouring numbers *before and *after */
    RW_RANGE_UNDECIDED /* no jump in (from, *before]; beyond it the search was given up */
} rw_range_answer;

/* The first jump of a switch with from < parameter <= until. */
rw_range_answer rw_range_next(rw_range *range, double from, double until, double *before, double *after);

/* True when the switch is another at `there` than at `here`. */
bool rw_range_jumps(rw_range *range, double here, double there);
/* A jump between *before and *after, of which there is one: moved together to neighbouring numbers. */
void rw_range_bisect(rw_range *range, double *before, double *after);

/* The node as text, as in the language, for messages; cut after about 60 characters. */
void rw_range_text(const rw_range *range, rw_text *text);
/* The same of any node. name_of (NULL: their own): names of the graph's fields. */
typedef const char *rw_range_name(void *user, int field);
void rw_range_node_text(const rw_graph *g, rw_node n, rw_range_name *name_of, void *user, rw_text *text);

#endif
