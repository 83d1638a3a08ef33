/* Inputs and small helpers of the benchmarks. */
#include <string.h>

#include "bench/bench.h"

rw_status rw_bench_array(rw_bench *b, rw_dtype dtype, int64_t n, rw_array **array)
{
    return rw_array_create(b->dev, dtype, 1, &n, RW_MEMORY_DEVICE, array);
}

rw_status rw_bench_poison(rw_array *a)
{
    void *data;
    RW_TRY(rw_array_write(a, &data));
    memset(data, 0xff, a->bytes); /* all bits set: NaN in every floating-point type */
    return RW_OK;
}

rw_status rw_bench_output(rw_bench *b, rw_dtype dtype, int64_t n, rw_array **array, void **values)
{
    RW_TRY(rw_bench_array(b, dtype, n, array));
    return rw_array_write(*array, values);
}

rw_status rw_bench_program(rw_bench *b, const char *file, const char *definitions, rw_program **program)
{
    return rw_program_create_with(b->dev, file, rw_measure_text(file), program, "%s", definitions);
}

int64_t rw_bench_stencil(int64_t n, int reach, int64_t i, int64_t *column)
{
    const int64_t step[3] = {1, n, n * n}, at[3] = {i % n, i / n % n, i / n / n};
    int64_t count = 0;
    for (int d = 2; d >= 0; --d)
        for (int k = reach; k > 0; --k)
            if (at[d] >= k) column[count++] = i - k * step[d];
    column[count++] = i;
    for (int d = 0; d < 3; ++d)
        for (int k = 1; k <= reach; ++k)
            if (at[d] + k < n) column[count++] = i + k * step[d];
    return count;
}

int64_t rw_bench_spread(int64_t rows, int64_t i, int64_t length, int64_t most, int64_t *column)
{
    const int64_t n = RW_MIN(length, rows), gap = RW_MAX(rows / n, 1);
    for (int64_t k = 0; k < n; ++k)
        column[k] = k * gap + (int64_t)(rw_random_u64(6, (uint64_t)(i * most + k)) % (uint64_t)gap);
    return n;
}

void rw_peers_add(rw_peers *p, const char *name, rw_repetition *call, void *user)
{
    p->peer[p->n++] = (rw_peer){.contestant = {name, call, user}};
}

rw_status rw_peer_keep(rw_peer *peer, rw_status status, rw_peer opened)
{
    *peer = status == RW_OK ? opened : (rw_peer){0};
    if (status != RW_OK) opened.close(opened.state);
    return status;
}
