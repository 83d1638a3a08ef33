/* How many warps of a kernel fit on a multiprocessor, after NVIDIA's occupancy calculator, and the work model of P. Herbst (2020). */
#ifndef RW_LAB_OCCUPANCY_H
#define RW_LAB_OCCUPANCY_H

#include <stdint.h>

typedef struct rw_unit_limits { /* of a multiprocessor */
    int warps, blocks, registers, shared_memory;
} rw_unit_limits;
extern const rw_unit_limits rw_limits_pascal; /* GeForce GTX 1070 Ti, compute capability 6.1 */

/* Warps on a multiprocessor: the least of what warps and blocks, registers and shared memory allow. registers, shared_memory: of an item, of a block;
 * 0 limits nothing. Over limits->warps it is the occupancy. */
int rw_occupancy_warps(const rw_unit_limits *limits, int items, int registers, int shared_memory);
/* Items of a block by the document's rule: an eighth of the most, in whole warps. */
int rw_default_block(int most, int warp);
/* Warps started for so many cells by blocks of so many items: ceil(cells/items) ceil(items/32). */
int64_t rw_warps_started(int64_t cells, int items);

#endif
