/* The words of the expression language: coordinates, operators, functions, constants; which names are free. */
#ifndef RW_EXPR_WORDS_H
#define RW_EXPR_WORDS_H

#include "core/core.h"
#include "expr/grid.h"

/* All words in their order, for help and messages. */
typedef struct rw_language_word {
    const char *name, *form, *line;
    bool free; /* a field, scalar or function may have the name, and is meant then */
} rw_language_word;
int rw_language_words(const rw_language_word **words);

/* True for words that a field, scalar or function may not be named: coordinates, t, operators, functions. */
bool rw_is_reserved(const char *name);
/* The same on a grid: without dimensions there are no coordinates, and x, y and z are free. */
bool rw_is_reserved_on(const rw_grid *grid, const char *name);
/* Those among them that take arguments: operators and functions. */
bool rw_is_operation(const char *name);
/* dx, dxy, dxxx, …: the number of axes, 0: another word. */
int rw_derivative_word(const char *name, int axes[4]);
/* ERR_INPUT when the name is no identifier or reserved. */
rw_status rw_check_name(rw_context *ctx, const char *where, const char *name);
rw_status rw_check_name_on(rw_context *ctx, const rw_grid *grid, const char *where, const char *name);

#endif
