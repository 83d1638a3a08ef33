/* What is wrong with an array, for messages: the first value that is not finite, and the largest of the others. The
 * array is read back and searched on the host: for the end of a run, not for its loop. */
#ifndef RW_FINITE_H
#define RW_FINITE_H

#include "device/device.h"
#include "expr/grid.h"

typedef struct rw_finite {
    int64_t first;   /* node of the first value that is not finite, -1: all are */
    double value;    /* that value; of a complex one the part that is not finite */
    int64_t largest; /* node of the largest finite value, -1: none */
    double size;     /* its modulus */
} rw_finite;

rw_status rw_finite_find(rw_array *a, rw_finite *f);
/* Real and imaginary part at a node, of any real or complex array of floating-point numbers. */
rw_status rw_finite_value(rw_array *a, int64_t node, double value[2]);

/* "not a number" or "infinite" */
const char *rw_finite_word(double value);
/* Adds "node (3, 0), x = 0.3, y = 0.1"; indices count from 0. */
void rw_finite_node(rw_text *text, const rw_grid *grid, int64_t node);
/* The same after " at "; nothing without space. */
void rw_finite_at(rw_text *text, const rw_grid *grid, int64_t node);

#endif
