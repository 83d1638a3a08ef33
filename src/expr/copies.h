/* Copies of what a specification points to. */
#ifndef RW_EXPR_COPIES_H
#define RW_EXPR_COPIES_H

#include "core/core.h"
#include "rechenwerk/expr.h"

/* NULL of NULL. *failed is set where memory is gone. */
char *rw_copy_text(const char *text, bool *failed);
/* The default type is filled in. */
void rw_copy_field(rw_expr_field *to, const rw_expr_field *from, bool *failed);
void rw_free_field(rw_expr_field *field);

#endif
