/* Arguments and definitions of a kernel. */
#ifndef RW_EXPR_ARGUMENTS_H
#define RW_EXPR_ARGUMENTS_H

#include "expr/emitter.h"

enum {
    RW_ARGUMENTS = 150,
    RW_SCALARS = 110
}; /* fields and scalars of a kernel, at most; scalars where several passes share one */

/* By e->use: fields read or written, second arrays, device scalars, tables, scalars, partial results. */
rw_status rw_emit_arguments(rw_emitter *e);
bool rw_emit_uniforms(rw_emitter *e); /* those among them that are scalars; false: memory */
/* Types, sizes, tiles. */
void rw_emit_definitions(rw_emitter *e);
/* "KERNEL(run, …)" with its brace. */
void rw_emit_head(rw_emitter *e);
/* const INDEX lo0, hi0, lo1, …: the group's tile, number `tile`. */
void rw_emit_tile(rw_emitter *e, const char *indent);

#endif
