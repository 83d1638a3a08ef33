#include "lab/occupancy.h"

#include "core/core.h"

enum { WARP = 32 };

const rw_unit_limits rw_limits_tesla =
    {.warps = 32, .blocks = 8, .registers = 16384, .shared_memory = 16384, .piece = 512, .to_blocks = true};
const rw_unit_limits rw_limits_fermi = {.warps = 48,
                                        .blocks = 8,
                                        .registers = 32768,
                                        .shared_memory = 49152,
                                        .piece = 64};
const rw_unit_limits rw_limits_pascal = {.warps = 64,
                                         .blocks = 32,
                                         .registers = 65536,
                                         .shared_memory = 65536,
                                         .piece = 256};

static int warps_of(int items) { return (items + WARP - 1) / WARP; }

static int in_pieces(int n, int piece) { return (n + piece - 1) / piece * piece; }
static int registers_of(const rw_unit_limits *l, int warps, int registers)
{
    return l->to_blocks ? in_pieces(warps * WARP * registers, l->piece) : warps * in_pieces(WARP * registers, l->piece);
}

int rw_occupancy_warps(const rw_unit_limits *l, int items, int registers, int shared_memory)
{
    int warps = warps_of(items), blocks = RW_MIN(l->warps / warps, l->blocks);
    if (registers > 0) blocks = RW_MIN(blocks, l->registers / registers_of(l, warps, registers));
    if (shared_memory > 0) blocks = RW_MIN(blocks, l->shared_memory / shared_memory);
    return blocks * warps;
}

int rw_default_block(int most, int warp) { return warp * (most / 8 / warp); }

int64_t rw_warps_started(int64_t cells, int items) { return (cells + items - 1) / items * warps_of(items); }
