/* Values between two grids of one domain, the coarser with about half the nodes along some axes: any number of nodes,
 * any layout and kinds of sides. The ends of the domain are on the last nodes, half a spacing or one spacing outside,
 * on both grids alike, and nodes of one lie between nodes of the other wherever the ratio of the spacings puts them.
 *
 * Weights are products of one function per axis of the node's number. */
#ifndef RW_ELLIPTIC_TRANSFER_H
#define RW_ELLIPTIC_TRANSFER_H

#include "elliptic/system.h"

/* How many nodes the coarser grid has along an axis. */
int64_t rw_coarser_size(const rw_system *s, const rw_grid *finer, int axis);
/* The grid with these numbers of nodes in the domain of `finer`. */
rw_grid rw_coarser_grid(const rw_system *s, const rw_grid *finer, const int64_t size[3]);
/* Spacings have the ratio 2. */
bool rw_is_halved(const rw_system *s, const rw_grid *finer, const rw_grid *coarser, int axis);

/* Where nodes of the grid `own` lie among those of the other one, for a field of it. */
rw_graph_other rw_transfer_place(const rw_system *s, const rw_grid *own, const rw_grid *other);

/* Linear interpolation of a field of the coarser grid, with homogeneous sides. */
rw_node rw_transfer_interpolate(rw_system_building *b, int field, const rw_grid *coarser);
/* A field of the finer grid: means; transposed, for residuals: the transposed interpolation over the ratio of
 * volumes. */
rw_node rw_transfer_restrict(rw_system_building *b, int field, const rw_grid *finer, bool transposed);
/* The mean reads each value of the finer grid once; then the sum of their squares at a node. */
bool rw_transfer_reads_once(const rw_system *s, const rw_grid *finer, const rw_grid *coarser);
rw_node rw_transfer_squares(rw_system_building *b, int field, const rw_grid *finer);
/* A coefficient, a field of the finer grid: the geometric mean where all values are positive, else the arithmetic one.
 * Where coefficients jump, the geometric one lies between the resistance along and that across a layer. */
rw_node rw_transfer_coefficient(rw_system_building *b, int field, const rw_grid *finer);

#endif
