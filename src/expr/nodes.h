/* Formulas in kernel text. */
#ifndef RW_EXPR_NODES_H
#define RW_EXPR_NODES_H

#include "expr/emitter.h"

/* Words for values, valid until seven more are made. */
const char *rw_word(rw_emitter *e, rw_node n);
/* "u8", as kernels name it; bool is "b8". */
const char *rw_dtype_word(rw_dtype dtype);
/* Writes an element of a real type, which `word` names, as what computes. */
void rw_emit_as_real(rw_emitter *e, rw_dtype dtype, const char *word);
const char *rw_complex_word(rw_emitter *e, rw_node n);
/* The value as one of the type `integer` (RW_I64, RW_U64), or, with 0, of the arithmetic. */
const char *rw_converted(rw_emitter *e, rw_node n, int integer);
/* "const real v12 = …;" for the nodes that `wanted` (rw_need) needs by themselves, operands first. */
void rw_emit_nodes(rw_emitter *e, const uint8_t *wanted, const char *indent);

#endif
