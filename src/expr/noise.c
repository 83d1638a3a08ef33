/* noise and normal on the host, from the text that kernels have (src/kernels/dialect_noise.h): the same bits. */
#include <math.h>

#include "expr/graph.h"

typedef uint32_t u32;
typedef uint64_t u64;
typedef float f32;
typedef double f64;
#define DEVICE static RW_UNUSED
#include "kernels/dialect_noise.h"

double rw_noise_value(rw_node_op op, int seed, const rw_grid *grid, const int64_t index[3])
{
    int64_t number = 0, stride = 1;
    for (int d = 0; d < grid->ndim; ++d) {
        number += index[d] * stride;
        stride *= grid->global_size[d] ? grid->global_size[d] : grid->size[d];
    }
    return (op == RW_OP_NOISE ? f64_noise : f64_normal)((u64)seed, (u64)number);
}
