/* Axes of two arrays that are walked together. */
#ifndef RW_AXES_H
#define RW_AXES_H

#include <stdlib.h>
#include <string.h>

#include "rechenwerk/array.h"

typedef struct rw_axis {
    int64_t n, y, x;
} rw_axis; /* elements, strides of both arrays */

/* Adds an axis to n others that are sorted by the strides of y; one of a single element is left out. The number of
 * axes. */
static inline int rw_axes_add(rw_axis *axes, int n, rw_axis a)
{
    int at = n;
    if (a.n == 1) return n;
    for (; at > 0 && llabs(axes[at - 1].y) > llabs(a.y); --at) axes[at] = axes[at - 1];
    axes[at] = a;
    return n + 1;
}

/* Joins neighbours that lie as one axis in both arrays, and fills up with axes of one element to `least`. The number of
 * axes. */
static inline int rw_axes_join(rw_axis *axes, int n, int least)
{
    for (int k = 0; k + 1 < n;) {
        rw_axis *a = axes + k, *b = a + 1;
        if (b->y != a->y * a->n || b->x != a->x * a->n) {
            ++k;
            continue;
        }
        a->n *= b->n;
        memmove(b, b + 1, (size_t)(n - k - 2) * sizeof *b);
        --n;
    }
    for (; n < least; ++n) axes[n] = (rw_axis){1, 0, 0};
    return n;
}

#endif
