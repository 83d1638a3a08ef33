/* A matrix of 5x5 blocks put together on the device, and a system solved with it: ./solve [cpu | cuda:0 | opencl:0 |
 * check] */
#include <math.h>
#include <stdio.h>

#include "rechenwerk/krylov.h"

enum { N = 12, CELLS = N * N, B = 5, UNKNOWNS = CELLS * B };

static int fail(const rw_context *ctx)
{
    fprintf(stderr, "%s\n", rw_message(ctx));
    return 1;
}

/* Cell i and its neighbours on a grid of N x N, ascending. */
static int neighbours(int64_t i, int64_t j[5])
{
    int n = 0;
    if (i >= N) j[n++] = i - N;
    if (i % N > 0) j[n++] = i - 1;
    j[n++] = i;
    if (i % N < N - 1) j[n++] = i + 1;
    if (i < CELLS - N) j[n++] = i + N;
    return n;
}

int main(int argc, char **argv)
{
    rw_context *ctx;
    rw_device *dev;
    if (rw_context_create(&ctx) != RW_OK) return 1;
    if (rw_device_open(ctx, argc > 1 ? argv[1] : "auto", &dev) != RW_OK) return fail(ctx);

    /* the pattern: which cells are coupled */
    int64_t first[CELLS + 1] = {0}, column[5 * CELLS];
    for (int64_t i = 0; i < CELLS; ++i) first[i + 1] = first[i] + neighbours(i, column + first[i]);
    rw_sparse_layout layout;
    rw_sparse *A;
    const rw_sparse_blocks blocks = {.rows = CELLS, .columns = CELLS, .first = first, .column = column};
    if (rw_sparse_layout_parse(ctx, rw_device_info(dev)->gpu ? "bsell:5x5" : "bcsr:5x5", &layout) != RW_OK)
        return fail(ctx);
    if (rw_sparse_create(dev, &layout, &blocks, &A) != RW_OK) return fail(ctx);

    /* the blocks, one after the other, right where they stay */
    for (int64_t i = 0; i < CELLS; ++i)
        for (int64_t k = first[i]; k < first[i + 1]; ++k) {
            double block[B * B];
            for (int e = 0; e < B * B; ++e)
                block[e] = sin((double)(25 * k + e)) + (column[k] == i && e / B == e % B ? 20 : 0);
            if (rw_sparse_add_blocks_of(A, RW_F64, 1, &i, &column[k], block) != RW_OK) return fail(ctx);
        }

    /* b = A x for an x that is known, then x from b */
    const int64_t n = UNKNOWNS;
    rw_array *x, *b;
    void *data;
    const void *result;
    rw_krylov *solver;
    rw_krylov_result r;
    const rw_krylov_spec spec = {.method = RW_KRYLOV_GMRES, .rtol = 1e-10, .precond = {.method = RW_PRECOND_JACOBI}};
    if (rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &x) != RW_OK) return fail(ctx);
    if (rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &b) != RW_OK || rw_array_write(x, &data) != RW_OK)
        return fail(ctx);
    for (int i = 0; i < UNKNOWNS; ++i) ((double *)data)[i] = 1 + i % 7;
    if (rw_sparse_multiply(A, RW_OP_NONE, NULL, x, NULL, b, rw_device_queue(dev)) != RW_OK) return fail(ctx);
    if (rw_array_zero(x, rw_device_queue(dev)) != RW_OK) return fail(ctx);
    if (rw_krylov_create(rw_sparse_operator(A), RW_F64, &spec, &solver) != RW_OK ||
        rw_krylov_solve(solver, b, x, &r) != RW_OK)
        return fail(ctx);

    double error = 0;
    if (rw_array_read(x, &result) != RW_OK) return fail(ctx);
    for (int i = 0; i < UNKNOWNS; ++i) error = fmax(error, fabs(((const double *)result)[i] - (1 + i % 7)));
    printf("%s: %d unknowns, %lld iterations, |b - A x| = %.2e |b|, error of x %.2e\n", rw_device_info(dev)->name,
           UNKNOWNS, (long long)r.iterations, r.residual / r.right_side, error);

    rw_krylov_destroy(&solver);
    rw_array_destroy(&x), rw_array_destroy(&b);
    rw_sparse_destroy(&A);
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    return error < 1e-8 ? 0 : 1;
}
