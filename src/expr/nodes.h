/* Formulas in kernel text. */
#ifndef RW_EXPR_NODES_H
#define RW_EXPR_NODES_H

#include "expr/emitter.h"

/* Words for values, valid until seven more are made. */
const char *rw_word(rw_emitter *e, rw_node n);
const char *rw_complex_word(rw_emitter *e, rw_node n);
/* "const real v12 = …;" for the nodes marked in `wanted`, operands first. */
void rw_emit_nodes(rw_emitter *e, const bool *wanted, const char *indent);

#endif
