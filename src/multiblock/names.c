/* Rows of rw_multiblock_spec, names of its choices. */
#include "multiblock/multiblock.h"
#include "param/param.h"

#define ROW(member, kind, standard, allowed, line, ...)                                                                \
    RW_ROW(rw_multiblock_spec, member, kind, standard, allowed, line, __VA_ARGS__)
#define CELLS(member, standard_, line_, ...)                                                                           \
    {                                                                                                                  \
        .name = #member, .kind = RW_PARAM_SIZES, .offset = offsetof(rw_multiblock_spec, member),                       \
        .size = sizeof(int64_t), .standard = standard_, .allowed = "1..3 of [1, 1000000]", .unit = "", .line = line_,  \
        __VA_ARGS__                                                                                                    \
    }
#define RW_X(name, text, ...) text "|"
static const char stencils[] = RW_MULTIBLOCK_STENCIL_LIST(RW_X), modes[] = RW_MULTIBLOCK_MODE_LIST(RW_X);
#undef RW_X
static const rw_param rows[] = {
    CELLS(cells, "10x40x20", "cells of a grid block along x, theta and r", .required = true),
    CELLS(blocks, "1x1x1", "grid blocks along x, theta and r", .required = false),
    ROW(stencil, CHOICE, "euler3d", stencils, "stencil: the couplings of a cell", .brief = ""),
    ROW(mode, CHOICE, "truncated", modes, "treatment of couplings that leave a grid block", .brief = ""),
    ROW(periodic, BOOL, "false", "", "periodicity along theta", .brief = NULL),
    {.name = "complex",
     .kind = RW_PARAM_BOOL,
     .offset = offsetof(rw_multiblock_spec, is_complex),
     .size = sizeof(bool),
     .standard = "false",
     .allowed = "",
     .unit = "",
     .line = "complex values"},
    ROW(omega, REAL, "0", "(-inf, inf)", "frequency on the diagonal of a complex matrix", .brief = NULL),
    ROW(seed, INT, "0", "[0, 9007199254740992]", "seed of the random values", .brief = NULL),
    ROW(zeros, BOOL, "false", "", "zeros within blocks, which leave 54 of 65 entries per row nonzero", .brief = NULL),
};

RW_PARAMS(rw_multiblock_params, rw_multiblock_spec, rows, "trace", "a multi-block grid")
