/* A program as a map from one field to another. */
#ifndef RW_EXPR_MAP_H
#define RW_EXPR_MAP_H

#include "rechenwerk/expr.h"

typedef struct rw_expr_map {
    char name[32];    /* of the program */
    rw_dtype type;    /* of both fields */
    int64_t size[3];  /* of the grid */
    int64_t reach[3]; /* stencil half-width: how far along an axis a cell of `to` reads `from` */
    const char *far;  /* why cells may read farther; NULL: they do not */
    int side;         /* the first whose boundary value is not plainly 0; -1: none */
} rw_expr_map;

/* The program reads `from`, assigns `to` once, in kernels, and nothing stays for its next run. ERR_ARGUMENT: names,
 * fields; ERR_INPUT: it is no such map; ERR_UNSUPPORTED: it runs on the host. */
rw_status rw_expr_get_map(rw_expr *expr, const char *from, const char *to, rw_expr_map *map);

#endif
