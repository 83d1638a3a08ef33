#include "lab/occupancy.h"

#include "core/core.h"

enum { WARP = 32 };

const rw_unit_limits rw_limits_pascal = {.warps = 64, .blocks = 32, .registers = 65536, .shared_memory = 65536};

static int warps_of(int items) { return (items + WARP - 1) / WARP; }

int rw_occupancy_warps(const rw_unit_limits *l, int items, int registers, int shared_memory)
{
    int warps = warps_of(items), blocks = RW_MIN(l->warps / warps, l->blocks);
    if (registers > 0) blocks = RW_MIN(blocks, l->registers / (warps * WARP * registers));
    if (shared_memory > 0) blocks = RW_MIN(blocks, l->shared_memory / shared_memory);
    return blocks * warps;
}

int rw_default_block(int most, int warp) { return warp * (most / 8 / warp); }

int64_t rw_warps_started(int64_t cells, int items) { return (cells + items - 1) / items * warps_of(items); }
