/* Strategies: ways to make one kernel of a pass or of several. kernel.c has them in a table. */
#ifndef RW_EXPR_STRATEGY_H
#define RW_EXPR_STRATEGY_H

#include "expr/emitter.h"

/* suits  whether the passes from e->k->first on are better done so than by the rows below in the table; then e->k has
 *        the last of them and the tiling, and e->use, beside, field, beyond, state are set. forced: the device's option
 *        `tiling` asks for it, wherever it is possible
 * emit   the kernel's text after its definitions
 * free   e->state, which may be NULL */
typedef rw_status rw_strategy_suits(rw_emitter *e, bool forced, bool *suits);
typedef rw_status rw_strategy_emit(rw_emitter *e);
typedef void rw_strategy_free(void *state);

rw_strategy_suits rw_plain_suits, rw_fused_suits, rw_wave_suits, rw_rings_suits;
rw_strategy_emit rw_plain_emit, rw_fused_emit, rw_wave_emit, rw_rings_emit;
rw_strategy_free rw_plain_free, rw_fused_free, rw_front_free;
/* Grids that they are for, unless they are forced. */
bool rw_fused_grid(const rw_grid *grid), rw_front_grid(const rw_grid *grid);

#endif
