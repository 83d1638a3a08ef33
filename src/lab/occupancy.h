/* How many warps of a kernel fit on a multiprocessor, after NVIDIA's occupancy calculator, and the work model of P.
 * Herbst (2020). */
#ifndef RW_LAB_OCCUPANCY_H
#define RW_LAB_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rw_unit_limits { /* of a multiprocessor */
    int warps, blocks, registers, shared_memory;
    int piece;      /* registers are allocated in units of this size, */
    bool to_blocks; /* to a block as a whole; else to each warp */
} rw_unit_limits;
/* Tesla C1060 (compute capability 1.3), Quadro 5000 (2.0), GeForce GTX 1070 Ti (6.1) */
extern const rw_unit_limits rw_limits_tesla, rw_limits_fermi, rw_limits_pascal;

/* Warps on a multiprocessor: the least of what warps and blocks, registers and shared memory allow. registers,
 * shared_memory: of an item, of a block; 0 limits nothing. Over limits->warps it is the occupancy. */
int rw_occupancy_warps(const rw_unit_limits *limits, int items, int registers, int shared_memory);
/* Items of a block by the document's rule: an eighth of the most, in whole warps. */
int rw_default_block(int most, int warp);
/* Warps that blocks of `items` start for `cells`: ceil(cells/items) ceil(items/32). */
int64_t rw_warps_started(int64_t cells, int items);

#endif
