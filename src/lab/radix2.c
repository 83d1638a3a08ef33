/* Radix 2: butterflies whose inputs lie 1, 2, 4, … apart, after the points were put into the order of reversed bits
 * (Cooley and Tukey 1965). */
#include "lab/radix2.h"

#include <math.h>

static int log2_of(int n)
{
    int s = 0;
    while (1 << s < n) ++s;
    return s;
}

rw_status rw_radix2_create(rw_device *dev, int version, int n, rw_radix2 *r)
{
    *r = (rw_radix2){.n = n};
    if (n < 2 || n > RW_RADIX2_MOST || n & (n - 1))
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "the kernels of 2010 transform 2, 4, 8, … %d points, not %d",
                       RW_RADIX2_MOST, n);
    char *text =
        rw_format("%s%s", rw_measure_text("radix2.k"), rw_measure_text(version == 1 ? "radix2_1.k" : "radix2_2.k"));
    if (!text) return rw_fail_memory(dev->ctx, 1 << 12, "the source of a program");
    rw_status status =
        rw_program_create_with(dev, "radix2", text, &r->program, "N=%d STAGES=%d GROUP=%d%s%d", n, log2_of(n), n / 2,
                               version == 1 ? " VERSION=" : " SHARED_LARGE_BYTES=", version == 1 ? 1 : 8 * n);
    rw_free(text);
    if (status == RW_OK) status = rw_program_kernel(r->program, "transform", &r->kernel);
    if (status != RW_OK) rw_radix2_free(r);
    return status;
}

void rw_radix2_free(rw_radix2 *r) { rw_program_destroy(&r->program); }

rw_status rw_radix2_run(const rw_radix2 *r, rw_array *x, rw_array *y, int64_t count, rw_queue *queue)
{
    const rw_arg args[] = {rw_arg_array(y), rw_arg_array(x)};
    return rw_launch(queue, r->kernel, (const int64_t[]){count, 1, 1}, args, RW_COUNT(args));
}

void rw_radix2_roots(int n, float *roots)
{
    for (int k = 0; k < n / 2; ++k) {
        const double angle = 6.28318530717958647692 * k / n;
        roots[2 * k] = (float)cos(angle);
        roots[2 * k + 1] = (float)-sin(angle);
    }
}

static void transform(int n, int stages, const float *roots, const float *x, float *y)
{
    for (int i = 0; i < n; ++i) {
        int r = 0;
        for (int b = 0; b < stages; ++b) r = r << 1 | (i >> b & 1);
        y[2 * r] = x[2 * i];
        y[2 * r + 1] = x[2 * i + 1];
    }
    for (int step = 1; step < n; step *= 2)
        for (int group = 0; group < n; group += 2 * step)
            for (int k = 0; k < step; ++k) {
                float *const a = y + 2 * (group + k), *const b = a + 2 * step;
                const float c = roots[2 * (n / 2 / step * k)], s = roots[2 * (n / 2 / step * k) + 1];
                const float p = c * b[0] - s * b[1], q = c * b[1] + s * b[0];
                b[0] = a[0] - p;
                b[1] = a[1] - q;
                a[0] += p;
                a[1] += q;
            }
}

void rw_radix2_host(int n, int64_t count, const float *roots, const float *x, float *y)
{
    const int stages = log2_of(n);
    for (int64_t i = 0; i < count; ++i) transform(n, stages, roots, x + 2 * n * i, y + 2 * n * i);
}
