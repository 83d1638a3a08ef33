/* Our part of bench/elliptic.sh: the problem of bench/peers/poisson.h solved by rw_elliptic_solve.
 *
 *   elliptic N^NDIM METHOD DEVICE
 *
 * METHOD as of rw_elliptic_params: multigrid, transform, krylov:precond=multigrid. DEVICE: cpu, cpu:tiling=cpu.
 * Prints "ITERATIONS SECONDS SETUP RESIDUAL" of the second solve from 0. SETUP is the creation and what the first
 * solve waited for compilers: nothing where the cache has the kernels. With RECHENWERK_OPTIMISE=first the timed solve
 * uses optimised kernels only. Threads: OMP_NUM_THREADS. Exit code: 0, 1 a failure or a wrong solution, 2 a wrong
 * call. */
#include <omp.h>
#include <stdlib.h>

#include "poisson.h"
#include "rechenwerk/elliptic.h"

static void check(rw_context *ctx, rw_status status)
{
    if (status == RW_OK) return;
    fprintf(stderr, "elliptic: %s\n", rw_message(ctx));
    exit(1);
}

static rw_elliptic *create(rw_device *dev, const poisson *p, const char *method, rw_array *u, rw_array *f)
{
    rw_context *ctx = rw_device_context(dev);
    rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64}, {.name = "f", .dtype = RW_F64}};
    rw_elliptic *e;
    rw_elliptic_spec spec;
    check(ctx, rw_params_parse(ctx, rw_elliptic_params(), method, &spec));
    spec.equations = "laplace(u) = f", spec.rtol = POISSON_RTOL;
    spec.grid = (rw_grid){.ndim = p->ndim, .size = {1, 1, 1}, .spacing = {1, 1, 1}}, spec.layout = RW_GRID_CELL;
    spec.fields = fields;
    spec.nfields = 1;
    spec.externals = fields + 1;
    spec.nexternals = 1;
    for (int d = 0; d < p->ndim; ++d) {
        spec.grid.size[d] = p->n;
        spec.grid.spacing[d] = 1 / (double)p->n;
        spec.grid.origin[d] = 0.5 / (double)p->n;
        for (int side = 2 * d; side < 2 * d + 2; ++side)
            fields[0].boundary[side] = (rw_boundary){.kind = RW_BOUNDARY_DIRICHLET, .a = "0"};
    }
    check(ctx, rw_elliptic_create(dev, &spec, &e));
    check(ctx, rw_elliptic_bind(e, "u", u));
    check(ctx, rw_elliptic_bind(e, "f", f));
    return e;
}

static double solve(rw_context *ctx, rw_device *dev, rw_elliptic *e, rw_array *u, rw_elliptic_result *r)
{
    check(ctx, rw_array_zero(u, rw_device_queue(dev)));
    check(ctx, rw_queue_wait(rw_device_queue(dev)));
    const double begin = omp_get_wtime();
    check(ctx, rw_elliptic_solve(e, r));
    return omp_get_wtime() - begin;
}

static int run(rw_context *ctx, rw_device *dev, const poisson *p, const char *method)
{
    const int64_t shape[3] = {p->n, p->n, p->n};
    rw_elliptic_result r;
    rw_array *u, *f;
    void *right;
    const void *x;
    check(ctx, rw_array_create(dev, RW_F64, p->ndim, shape, RW_MEMORY_DEVICE, &u));
    check(ctx, rw_array_create(dev, RW_F64, p->ndim, shape, RW_MEMORY_DEVICE, &f));
    check(ctx, rw_array_write(f, &right));
    for (int64_t i = 0; i < poisson_plane(p) * p->n; ++i) ((double *)right)[i] = poisson_source(i);
    const double begin = omp_get_wtime();
    rw_elliptic *e = create(dev, p, method, u, f);
    const double created = omp_get_wtime();
    poisson_result result = {.setup = created - begin};
    result.setup += solve(ctx, dev, e, u, &r);
    result.setup -= r.seconds;
    result.seconds = solve(ctx, dev, e, u, &r);
    result.iterations = r.iterations;
    check(ctx, rw_array_read(u, &x));
    const int code = poisson_report(p, &result, x);
    rw_elliptic_destroy(&e);
    rw_array_destroy(&u), rw_array_destroy(&f);
    return code;
}

int main(int argc, char **argv)
{
    rw_context *ctx;
    rw_device *dev = NULL;
    poisson p;
    if (argc != 4 || !poisson_parse(argv[1], &p)) {
        fputs("elliptic N^NDIM METHOD DEVICE\n", stderr);
        return 2;
    }
    if (rw_context_create(&ctx) != RW_OK) return 1;
    check(ctx, rw_device_open(ctx, argv[3], &dev));
    const int code = run(ctx, dev, &p, argv[2]);
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    return code;
}
