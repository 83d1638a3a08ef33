/* Inputs and small helpers of the benchmarks. */
#include <math.h>
#include <string.h>

#include "bench/bench.h"

rw_status rw_bench_array(rw_bench *b, rw_dtype dtype, int64_t n, rw_array **array)
{
    return rw_array_create(b->dev, dtype, 1, &n, RW_MEMORY_DEVICE, array);
}

rw_status rw_bench_fill(rw_array *a, uint64_t seed, double low)
{
    void *data;
    int64_t n = a->size * (rw_dtype_is_complex(a->dtype) ? 2 : 1);
    bool single = a->dtype == RW_F32 || a->dtype == RW_C64;
    RW_TRY(rw_array_write(a, &data));
    float *f = data;
    double *d = data;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; ++i) {
        double v = low + rw_random_uniform(seed, (uint64_t)i);
        if (single) f[i] = (float)v;
        else d[i] = v;
    }
    return RW_OK;
}

rw_status rw_bench_poison(rw_array *a)
{
    void *data;
    RW_TRY(rw_array_write(a, &data));
    memset(data, 0xff, a->bytes); /* all bits set: NaN in every floating-point type */
    return RW_OK;
}

rw_status rw_bench_read(rw_array *const *arrays, int n, const double **values)
{
    const void *data;
    for (int i = 0; i < n; ++i) {
        RW_TRY(rw_array_read(arrays[i], &data));
        values[i] = data;
    }
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
