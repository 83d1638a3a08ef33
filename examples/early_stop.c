/* Time integration with error control that a condition on the solution stops: a rod with cold ends cools until its
 * hottest point is below 0.1. After each step an expression computes the maximum on the device; rw_cancel ends the
 * integration, as a signal handler or another thread could.
 *
 *   cc -std=c17 early_stop.c $(pkg-config --cflags --libs rechenwerk) -lm -o early_stop
 *   ./early_stop [DEVICE]                  auto (default), cpu, cuda:0, opencl:0, check */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rechenwerk/ode.h"

#define N 99

static int fail(void)
{
    fprintf(stderr, "early_stop: %s\n", rw_message(NULL)); /* of this thread; no context is needed */
    return 1;
}

int main(int argc, char **argv)
{
    const double pi = acos(-1.), end = 10, longest = 0.001;
    const int64_t n = N;
    static rw_cancel cancel; /* zeroed: not requested */
    double u[N], hottest = 0;
    rw_context *ctx;
    rw_device *dev;
    rw_ode *ode;
    rw_expr *condition;
    rw_array *array;
    rw_ode_statistics statistics;

    /* A zeroed member of a specification has its default. */
    rw_expr_field field;
    rw_ode_spec spec;
    rw_expr_spec reduction;
    memset(&field, 0, sizeof field), memset(&spec, 0, sizeof spec), memset(&reduction, 0, sizeof reduction);
    field.name = "u", field.dtype = RW_F64;
    for (int side = 0; side < 2; ++side)
        field.boundary[side].kind = RW_BOUNDARY_DIRICHLET, field.boundary[side].a = "0";
    spec.name = "rod", spec.equations = "du/dt = laplace(u)";
    spec.grid.ndim = 1, spec.grid.size[0] = N, spec.grid.size[1] = spec.grid.size[2] = 1;
    for (int axis = 0; axis < 3; ++axis) spec.grid.spacing[axis] = 1. / (N + 1);
    spec.grid.origin[0] = spec.grid.spacing[0];
    spec.fields = &field, spec.nfields = 1;
    spec.method = RW_ODE_RKC2, spec.rtol = 1e-6, spec.atol = 1e-9, spec.max_step = longest;
    spec.cancel = &cancel;
    reduction.name = "condition", reduction.text = "hottest = max(u)";
    reduction.grid = spec.grid, reduction.fields = &field, reduction.nfields = 1;

    for (int i = 0; i < N; ++i) u[i] = sin(pi * (i + 1) / (N + 1));
    if (rw_context_create(&ctx) != RW_OK) return fail();
    if (rw_device_open(ctx, argc > 1 ? argv[1] : "auto", &dev) != RW_OK) return fail();
    if (rw_array_create_from(dev, RW_F64, 1, &n, u, RW_COPY, &array) != RW_OK) return fail();
    if (rw_ode_create(dev, &spec, &ode) != RW_OK) return fail();
    if (rw_expr_create(dev, &reduction, &condition) != RW_OK) return fail();
    if (rw_ode_bind(ode, "u", array) != RW_OK) return fail();
    if (rw_expr_bind(condition, "u", array) != RW_OK) return fail();

    /* The order of destruction does not matter, as handles are counted. Integrator and program retain the array and
     * the device, with its queue; the device retains the context. */
    rw_queue *queue = rw_device_queue(dev);
    rw_context_destroy(&ctx);
    rw_device_close(&dev);
    rw_array_destroy(&array);

    rw_status status = RW_OK;
    while (status == RW_OK && rw_ode_time(ode) < end) {
        status = rw_ode_step(ode, end);
        if (status != RW_OK) break;
        if (rw_expr_run(condition, queue) != RW_OK) return fail();
        if (rw_expr_get(condition, "hottest", &hottest, NULL) != RW_OK) return fail();
        if (hottest < 0.1) rw_cancel_request(&cancel);
    }
    if (status != RW_ERR_INTERRUPTED) return fail(); /* a failure; or the end, without a message */
    if (rw_ode_get_statistics(ode, &statistics) != RW_OK) return fail();

    /* u = sin(pi x) exp(-pi^2 t) */
    const double exact = log(10.) / (pi * pi), t = rw_ode_time(ode);
    printf("hottest point %.4f at t = %.4f after %lld steps (exact: 0.1 at t = %.4f)\n", hottest, t,
           (long long)statistics.steps, exact);
    rw_ode_destroy(&ode);
    rw_expr_destroy(&condition);
    return t > exact - 1e-4 && t < exact + longest + 1e-4 ? 0 : 1;
}
