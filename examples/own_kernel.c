/* A kernel of your own in the group dialect: y <- a x + y, and the sum of each group in shared memory. It is recorded
 * once and replayed four times.
 *
 *   cc -std=c17 own_kernel.c $(pkg-config --cflags --libs rechenwerk) -o own_kernel
 *   ./own_kernel [DEVICE]                  auto (default), cpu, cuda:0, opencl:0, check */
#include <stdio.h>

#include "rechenwerk/program.h"

#define N 1000
#define GROUPS ((N + 127) / 128)
#define REPLAYS 4

static const char text[] = "KERNEL(axpy_sum, GLOBAL real *y, GLOBAL const real *x, real a, int n, GLOBAL real *sums)\n"
                           "{\n"
                           "    SHARED(real, s, GROUP);\n"
                           "    int lo = GROUP_ID(0) * GROUP, hi = lo + GROUP < n ? lo + GROUP : n;\n"
                           "    EACH(i, GROUP) { s[i] = 0; }\n"
                           "    BARRIER;\n"
                           "    EACH_IN(i, lo, hi) { y[i] = FMA(a, x[i], y[i]); s[i - lo] = y[i]; }\n"
                           "    BARRIER;\n"
                           "    for (int m = GROUP / 2; m > 0; m /= 2) {\n"
                           "        EACH(i, m) { s[i] += s[i + m]; }\n"
                           "        BARRIER;\n"
                           "    }\n"
                           "    EACH(i, 1) { sums[GROUP_ID(0)] = s[0]; }\n"
                           "}\n";

static int fail(void)
{
    fprintf(stderr, "own_kernel: %s\n", rw_message(NULL)); /* of this thread; no context is needed */
    return 1;
}

int main(int argc, char **argv)
{
    const rw_define defines[] = {{"GROUP", "128"}, {"REAL", "f64"}};
    const int64_t n = N, ngroups = GROUPS, groups[] = {GROUPS, 1, 1};
    rw_context *ctx;
    rw_device *dev;
    rw_program *program;
    rw_kernel *kernel;
    rw_sequence *sequence;
    rw_array *x, *y, *sums;
    double ones[N], zeros[N], total = 0;
    const void *data;
    for (int i = 0; i < N; ++i) ones[i] = 1, zeros[i] = 0;
    if (rw_context_create(&ctx) != RW_OK) return fail();
    if (rw_device_open(ctx, argc > 1 ? argv[1] : "auto", &dev) != RW_OK) return fail();
    if (rw_program_create(dev, "axpy", text, defines, 2, &program) != RW_OK) return fail();
    if (rw_program_kernel(program, "axpy_sum", &kernel) != RW_OK) return fail();
    if (rw_array_create_from(dev, RW_F64, 1, &n, ones, RW_COPY, &x) != RW_OK) return fail();
    if (rw_array_create_from(dev, RW_F64, 1, &n, zeros, RW_COPY, &y) != RW_OK) return fail();
    if (rw_array_create(dev, RW_F64, 1, &ngroups, RW_MEMORY_DEVICE, &sums) != RW_OK) return fail();

    rw_queue *queue = rw_device_queue(dev);
    const rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_real(2.5), rw_arg_int(N), rw_arg_array(sums)};
    if (rw_array_send(x, queue) != RW_OK || rw_array_send(y, queue) != RW_OK) return fail(); /* not recorded */
    if (rw_record_begin(queue) != RW_OK) return fail();
    if (rw_launch(queue, kernel, groups, args, 5) != RW_OK) return fail();
    if (rw_record_end(queue, &sequence) != RW_OK) return fail();

    /* The order of destruction does not matter, as handles are counted. The sequence retains the program and its
     * arrays; every object retains the device, with its queue, and the context. */
    rw_context_destroy(&ctx);
    rw_device_close(&dev);
    rw_program_destroy(&program);
    rw_array_destroy(&x), rw_array_destroy(&y);

    for (int i = 0; i < REPLAYS; ++i)
        if (rw_sequence_replay(sequence, queue) != RW_OK) return fail();
    if (rw_array_read(sums, &data) != RW_OK) return fail();
    for (int g = 0; g < GROUPS; ++g) total += ((const double *)data)[g];
    printf("%s: the sum is %g\n", rw_device_info(rw_array_device(sums))->name, total);

    rw_sequence_destroy(&sequence);
    rw_array_destroy(&sums);
    return total == REPLAYS * 2.5 * N ? 0 : 1;
}
