/* The heat equation on a square from equations as text, compared with the exact solution:  ./heat [DEVICE] */
#include <math.h>
#include <stdio.h>

#include "rechenwerk/ode.h"

enum { N = 63 };

static int fail(const rw_context *ctx)
{
    fprintf(stderr, "%s\n", rw_message(ctx));
    return 1;
}

int main(int argc, char **argv)
{
    const double pi = acos(-1.), h = 1. / (N + 1), end = 0.05;
    rw_context *ctx;
    rw_device *dev;
    if (rw_context_create(&ctx) != RW_OK) return 1;
    if (rw_device_open(ctx, argc > 1 ? argv[1] : "auto", &dev) != RW_OK) return fail(ctx);

    rw_expr_field u = {.name = "u", .dtype = RW_F64};
    for (int side = 0; side < 4; ++side) u.boundary[side] = (rw_boundary){.kind = RW_BOUNDARY_DIRICHLET, .a = "0"};
    rw_ode_spec spec = {.name = "heat",
                        .equations = "du/dt = laplace(u)",
                        .grid = {2, {N, N, 1}, {h, h, 1}, {h, h, 0}},
                        .fields = &u,
                        .nfields = 1,
                        .method = RW_ODE_RKC2,
                        .rtol = 1e-6,
                        .atol = 1e-8};
    rw_ode *ode;
    rw_array *array;
    void *data;
    int64_t shape[] = {N, N};
    if (rw_ode_create(dev, &spec, &ode) != RW_OK) return fail(ctx);
    if (rw_array_create(dev, RW_F64, 2, shape, RW_MEMORY_DEVICE, &array) != RW_OK) return fail(ctx);
    if (rw_array_write(array, &data) != RW_OK) return fail(ctx);
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) ((double *)data)[j * N + i] = sin(pi * (i + 1) * h) * sin(pi * (j + 1) * h);
    if (rw_ode_bind(ode, "u", array) != RW_OK) return fail(ctx);
    while (rw_ode_time(ode) < end)
        if (rw_ode_step(ode, end) != RW_OK) return fail(ctx);

    const void *result;
    if (rw_array_read(array, &result) != RW_OK) return fail(ctx);
    double error = 0;
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i)
            error = fmax(error, fabs(((const double *)result)[j * N + i] -
                                     exp(-2 * pi * pi * end) * sin(pi * (i + 1) * h) * sin(pi * (j + 1) * h)));
    rw_ode_statistics s;
    rw_ode_get_statistics(ode, &s);
    printf("%s: t = %g after %lld steps of up to %d stages, %lld right-hand sides, largest error %.2e\n",
           rw_device_info(dev)->name, rw_ode_time(ode), (long long)s.steps, s.max_stages, (long long)s.rhs, error);

    rw_array_destroy(&array);
    rw_ode_destroy(&ode);
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    return error < 2e-3 ? 0 : 1;
}
