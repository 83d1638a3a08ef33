/* Normally distributed numbers, the same for the same (seed, index): Box and Muller, 1958. */
#ifndef NORMAL_H
#define NORMAL_H

#include <math.h>

#include "core/core.h"

static inline double normal(uint64_t seed, uint64_t index)
{
    const double u = 1 - rw_random_uniform(seed, 2 * index), v = rw_random_uniform(seed, 2 * index + 1);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

#endif
