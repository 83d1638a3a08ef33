/* A kernel of one's own in the group dialect: y <- a x + y, then sums of groups in shared memory: ./own_kernel
 * [DEVICE] */
#include <stdio.h>

#include "rechenwerk/program.h"

static const char text[] = "KERNEL(axpy_sum, GLOBAL real *y, GLOBAL const real *x, real a, int n, GLOBAL real *sums)\n"
                           "{\n"
                           "    SHARED(real, s, GROUP);\n"
                           "    int lo = GROUP_ID(0) * GROUP, hi = lo + GROUP < n ? lo + GROUP : n;\n"
                           "    EACH(i, GROUP) { s[i] = 0; }\n"
                           "    EACH_IN(i, lo, hi) { y[i] = FMA(a, x[i], y[i]); s[i - lo] = y[i]; }\n"
                           "    BARRIER;\n"
                           "    for (int m = GROUP / 2; m > 0; m /= 2) {\n"
                           "        EACH(i, m) { s[i] += s[i + m]; }\n"
                           "        BARRIER;\n"
                           "    }\n"
                           "    EACH(i, 1) { sums[GROUP_ID(0)] = s[0]; }\n"
                           "}\n";

static int fail(const rw_context *ctx)
{
    fprintf(stderr, "%s\n", rw_message(ctx));
    return 1;
}

int main(int argc, char **argv)
{
    enum { N = 1000, GROUPS = (N + 127) / 128 };
    const rw_define defines[] = {{"GROUP", "128"}, {"REAL", "f64"}};
    rw_context *ctx;
    rw_device *dev;
    rw_program *program;
    rw_kernel *kernel;
    rw_array *x, *y, *sums;
    double ones[N], zeros[N] = {0};
    const void *result;
    int64_t n = N, m = GROUPS;
    for (int i = 0; i < N; ++i) ones[i] = 1;
    if (rw_context_create(&ctx) != RW_OK) return 1;
    if (rw_device_open(ctx, argc > 1 ? argv[1] : "auto", &dev) != RW_OK) return fail(ctx);
    if (rw_program_create(dev, "axpy", text, defines, 2, &program) != RW_OK) return fail(ctx);
    if (rw_program_kernel(program, "axpy_sum", &kernel) != RW_OK) return fail(ctx);
    if (rw_array_create_from(dev, RW_F64, 1, &n, ones, RW_COPY, &x) != RW_OK) return fail(ctx);
    if (rw_array_create_from(dev, RW_F64, 1, &n, zeros, RW_COPY, &y) != RW_OK) return fail(ctx);
    if (rw_array_create(dev, RW_F64, 1, &m, RW_MEMORY_DEVICE, &sums) != RW_OK) return fail(ctx);

    const rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_real(2.5), rw_arg_int(N), rw_arg_array(sums)};
    const int64_t groups[3] = {GROUPS, 1, 1};
    if (rw_launch(rw_device_queue(dev), kernel, groups, args, 5) != RW_OK) return fail(ctx);

    double total = 0;
    if (rw_array_read(sums, &result) != RW_OK) return fail(ctx);
    for (int g = 0; g < GROUPS; ++g) total += ((const double *)result)[g];
    printf("%s: the sum is %g\n", rw_device_info(dev)->name, total);

    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&sums);
    rw_program_destroy(&program);
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    return total == 2.5 * N ? 0 : 1;
}
