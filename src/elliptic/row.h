/* Rows of J with what values beyond the sides add to them, where sides are homogeneous. */
#ifndef RW_ELLIPTIC_ROW_H
#define RW_ELLIPTIC_ROW_H

#include "elliptic/form.h"

/* Beyond the side, one spacing (`times` that of the grid) from the node next to it, an unknown has share[0] times the
 * value of this node plus share[1] times that of the next one further in. False: other nodes, too. */
bool rw_row_shares(rw_graph *graph, int unknown, int side, double times, rw_node share[2]);
/* 1 at the nodes next to the side, or on it where it has some; else 0. */
rw_node rw_row_is_next_to(rw_graph *graph, int side);
/* The term belongs to the node itself, or to one that is m nodes further along the axis. */
bool rw_form_term_is_at(const rw_form_term *term, int axis, int m);

/* Of an unknown's own row, along an axis: the factors of the node before (0), of the node itself and of the next one.
 * Periodic sides leave them as they are. Terms off the axis are left out. False: factors two nodes away, or sides whose
 * shares are not known. */
bool rw_row_along(rw_graph *graph, const rw_form *form, int unknown, int axis, rw_node factor[3]);

#endif
