/* What places say, of all layouts. */
#include "state/layout.h"

#include <stdio.h>

#include "field/finite.h"

int rw_layout_shape(const rw_layout *l, size_t shape[3])
{
    const int rank = l->kind == RW_LAYOUT_GRID ? l->ndim : l->kind == RW_LAYOUT_CURVES ? 2 : 1;
    for (int a = 0; a < rank; a++) shape[a] = (size_t)l->size[rank - 1 - a];
    return rank;
}

rw_grid rw_layout_grid(const rw_layout *l)
{
    return (rw_grid){.ndim = l->ndim,
                     .size = {l->size[0], l->size[1], l->size[2]},
                     .spacing = {l->spacing[0], l->spacing[1], l->spacing[2]},
                     .origin = {l->origin[0], l->origin[1], l->origin[2]}};
}

void rw_layout_place(const rw_layout *l, int64_t i, rw_text *text)
{
    int at[3];
    rw_grid grid;
    switch (l->kind) {
    case RW_LAYOUT_GRID:
        grid = rw_layout_grid(l);
        rw_finite_node(text, &grid, i);
        break;
    case RW_LAYOUT_BLOCKS: {
        const int block = rw_blocks_find(l->blocks, i, at);
        rw_text_add(text, "cell (%d, %d, %d) of block %d", at[0], at[1], at[2], block);
        break;
    }
    case RW_LAYOUT_VALUE: rw_text_add(text, "its only value"); break;
    case RW_LAYOUT_POINTS: rw_text_add(text, "point %lld", (long long)i); break;
    case RW_LAYOUT_CURVES:
        rw_text_add(text, "point %lld of curve %lld", (long long)(i % l->size[0]), (long long)(i / l->size[0]));
        break;
    }
}
