/* Reductions in kernel text: accumulators of items, partial results of groups, and the kernel that combines them. */
#ifndef RW_EXPR_REDUCTIONS_H
#define RW_EXPR_REDUCTIONS_H

#include "expr/emitter.h"

/* Those of passes e->k->first to last. */
rw_status rw_count_accumulators(rw_emitter *e);
void rw_emit_accumulators(rw_emitter *e);
/* Adds the values that pass e->pass reduces to the accumulators of e->item. */
void rw_emit_reduced(rw_emitter *e);
void rw_emit_partials(rw_emitter *e);
/* The functions that they use; with the kernel that combines what the groups leave: */
void rw_emit_merge(rw_emitter *e);
void rw_emit_combine(rw_emitter *e);

#endif
