/* One pass over memory for an update and a reduction, on any device: ./fused_update [cpu | cuda:0 | opencl:0 |
 * check] */
#include <stdio.h>

#include "rechenwerk/expr.h"

static int fail(const rw_context *ctx)
{
    fprintf(stderr, "%s\n", rw_message(ctx));
    return 1;
}

int main(int argc, char **argv)
{
    rw_context *ctx;
    rw_device *dev;
    if (rw_context_create(&ctx) != RW_OK) return 1;
    if (rw_device_open(ctx, argc > 1 ? argv[1] : "auto", &dev) != RW_OK) return fail(ctx);

    /* N <- (N + tau P) / (1 + tau s M),  photons = sum of N M, both in the same kernel */
    rw_expr_field fields[] = {{.name = "N", .dtype = RW_F64},
                              {.name = "P", .dtype = RW_F64},
                              {.name = "M", .dtype = RW_F64}};
    rw_expr_scalar scalars[] = {{.name = "tau", .value = 0.01}, {.name = "s", .value = 2}};
    int64_t n = 1 << 20;
    rw_expr_spec spec = {.name = "update",
                         .text = "N = (N + tau*P)/(1 + tau*s*M); photons = sum(N*M)",
                         .grid = {.ndim = 1, .size = {n, 1, 1}, .spacing = {1, 1, 1}},
                         .fields = fields,
                         .nfields = 3,
                         .scalars = scalars,
                         .nscalars = 2};
    rw_expr *update;
    if (rw_expr_create(dev, &spec, &update) != RW_OK) return fail(ctx);

    rw_array *array[3];
    for (int f = 0; f < 3; ++f) {
        void *data;
        if (rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &array[f]) != RW_OK) return fail(ctx);
        if (rw_array_write(array[f], &data) != RW_OK) return fail(ctx);
        for (int64_t i = 0; i < n; ++i) ((double *)data)[i] = f == 0 ? 0 : 1;
        if (rw_expr_bind(update, fields[f].name, array[f]) != RW_OK) return fail(ctx);
    }

    double photons;
    for (int step = 0; step < 1000; ++step)
        if (rw_expr_run(update, rw_device_queue(dev)) != RW_OK) return fail(ctx);
    if (rw_expr_get(update, "photons", &photons, NULL) != RW_OK) return fail(ctx);

    rw_expr_plan plan;
    rw_expr_get_plan(update, &plan);
    rw_counters c;
    rw_device_get_counters(dev, &c);
    printf("%s: mean density %.6f (0.5 in the long run); %lld pass, %.0f bytes a cell; %lld copies in, %lld out\n",
           rw_device_info(dev)->name, photons / (double)n, (long long)plan.passes, plan.bytes_per_cell,
           (long long)c.copies_in, (long long)c.copies_out);

    for (int f = 0; f < 3; ++f) rw_array_destroy(&array[f]);
    rw_expr_destroy(&update);
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    return photons / (double)n > 0.499 && photons / (double)n < 0.501 ? 0 : 1;
}
