/* An expression program: several statements with a function, a scalar that changes from run to run, and reductions, in
 * one pass over memory. It takes steps of logistic growth, du/dt = r u (1 - u).
 *
 *   cc -std=c17 expression.c $(pkg-config --cflags --libs rechenwerk) -lm -o expression
 *   ./expression [DEVICE]                  auto (default), cpu, cuda:0, opencl:0, check */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rechenwerk/expr.h"

#define N 10000
#define STEPS 20

static const char text[] = "growth(v) = v*(1 - v)\n"
                           "before = u\n"
                           "u = u + tau*r*growth(u)\n"
                           "total = sum(u)\n"
                           "largest_change = max(abs(u - before))\n";

static int fail(void)
{
    fprintf(stderr, "expression: %s\n", rw_message(NULL)); /* of this thread; no context is needed */
    return 1;
}

int main(int argc, char **argv)
{
    static double u[N];
    const int64_t n = N;
    rw_context *ctx;
    rw_device *dev;
    rw_expr *expr;
    rw_array *array;
    double total = 0, change = 0, exact_total = 0, exact_change = 0, tau = 0.1;

    /* A zeroed member of a specification has its default. */
    rw_expr_field field;
    rw_expr_scalar scalars[2];
    rw_expr_spec spec;
    memset(&field, 0, sizeof field), memset(scalars, 0, sizeof scalars), memset(&spec, 0, sizeof spec);
    field.name = "u", field.dtype = RW_F64;
    scalars[0].name = "r", scalars[0].value = 2;
    scalars[1].name = "tau";
    spec.name = "growth", spec.text = text;
    spec.grid.ndim = 1, spec.grid.size[0] = N, spec.grid.size[1] = spec.grid.size[2] = 1;
    for (int axis = 0; axis < 3; ++axis) spec.grid.spacing[axis] = 1;
    spec.fields = &field, spec.nfields = 1;
    spec.scalars = scalars, spec.nscalars = 2;

    for (int i = 0; i < N; ++i) u[i] = (i + 0.5) / N;
    if (rw_context_create(&ctx) != RW_OK) return fail();
    if (rw_device_open(ctx, argc > 1 ? argv[1] : "auto", &dev) != RW_OK) return fail();
    if (rw_expr_create(dev, &spec, &expr) != RW_OK) return fail();
    if (rw_array_create_from(dev, RW_F64, 1, &n, u, RW_COPY, &array) != RW_OK) return fail();
    if (rw_expr_bind(expr, "u", array) != RW_OK) return fail();

    /* The order of destruction does not matter, as handles are counted. The program retains the array that is bound to
     * it and the device, with its queue; the device retains the context. */
    rw_queue *queue = rw_device_queue(dev);
    rw_context_destroy(&ctx);
    rw_device_close(&dev);
    rw_array_destroy(&array);

    for (int step = 0; step < STEPS; ++step, tau *= 0.9) { /* setting a scalar compiles nothing */
        if (rw_expr_set(expr, "tau", tau) != RW_OK) return fail();
        if (rw_expr_run(expr, queue) != RW_OK) return fail();
        for (int i = 0; i < N; ++i) { /* the same on the host */
            const double before = u[i];
            u[i] += tau * 2 * u[i] * (1 - u[i]);
            if (step == STEPS - 1) exact_total += u[i], exact_change = fmax(exact_change, fabs(u[i] - before));
        }
    }
    if (rw_expr_get(expr, "total", &total, NULL) != RW_OK) return fail();
    if (rw_expr_get(expr, "largest_change", &change, NULL) != RW_OK) return fail();
    rw_expr_plan plan;
    if (rw_expr_get_plan(expr, &plan) != RW_OK) return fail();
    printf("mean %.12f (host: %.12f), largest change %.12f (host: %.12f), %lld pass per step\n", total / N,
           exact_total / N, change, exact_change, (long long)plan.passes);

    rw_expr_destroy(&expr);
    return fabs(total - exact_total) < 1e-9 * N && fabs(change - exact_change) < 1e-12 ? 0 : 1;
}
