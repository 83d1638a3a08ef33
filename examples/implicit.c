/* An implicit step of the heat equation, (1 - tau laplace) u = b on a cube, by conjugate gradients: with the operator
 * from its equation and with the assembled matrix: ./implicit [DEVICE] */
#include <math.h>
#include <stdio.h>

#include "rechenwerk/krylov.h"
#include "rechenwerk/operator.h"
#include "rechenwerk/sparse.h"
#include "rechenwerk/stencil.h"

enum { N = 32, CELLS = N * N * N };
static const double h = 1. / (N + 1), tau = 0.01;

static int fail(const rw_context *ctx)
{
    fprintf(stderr, "%s\n", rw_message(ctx));
    return 1;
}

/* What the text says, as entries: 0 beyond the sides. */
static rw_status assemble(rw_device *dev, rw_sparse **A)
{
    static int64_t row[7 * CELLS], column[7 * CELLS];
    static double value[7 * CELLS];
    const int64_t step[] = {1, N, N * N};
    int64_t n = 0;
    for (int64_t i = 0; i < CELLS; ++i) {
        row[n] = column[n] = i, value[n++] = 1 + 6 * tau / (h * h);
        for (int axis = 0; axis < 3; ++axis)
            for (int by = -1; by <= 1; by += 2) {
                const int64_t at = i / step[axis] % N + by;
                if (at >= 0 && at < N) row[n] = i, column[n] = i + by * step[axis], value[n++] = -tau / (h * h);
            }
    }
    const rw_sparse_layout layout = {.format = RW_SPARSE_CSR, .values = RW_F64, .block_rows = 1, .block_columns = 1};
    const rw_entries entries = {CELLS, CELLS, n, false, row, column, value};
    return rw_sparse_from_entries(dev, &layout, &entries, A);
}

static rw_status solve(rw_context *ctx, rw_device *dev, const char *what, rw_operator *A, int64_t bytes, double *u)
{
    const int64_t n = CELLS;
    const rw_krylov_spec spec = {.method = RW_KRYLOV_CG, .rtol = 1e-10};
    rw_krylov *solver = NULL;
    rw_krylov_result result;
    rw_array *b = NULL, *x = NULL;
    void *data;
    const void *solution;
    rw_status status = rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &b);
    if (status == RW_OK) status = rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &x);
    if (status == RW_OK) status = rw_array_write(b, &data);
    for (int i = 0; status == RW_OK && i < CELLS; ++i) ((double *)data)[i] = i == CELLS / 2; /* a hot cell */
    if (status == RW_OK) status = rw_array_zero(x, rw_device_queue(dev));
    if (status == RW_OK) status = rw_krylov_create(A, RW_F64, &spec, &solver);
    if (status == RW_OK) status = rw_krylov_solve(solver, b, x, &result);
    if (status == RW_OK) status = rw_array_read(x, &solution);
    for (int i = 0; status == RW_OK && i < CELLS; ++i) u[i] = ((const double *)solution)[i];
    if (status == RW_OK)
        printf("%-9s %8.2f MB, %lld iterations, |r| = %.1e |b|\n", what, 1e-6 * (double)bytes,
               (long long)result.iterations, result.residual / result.right_side);
    else fail(ctx);
    rw_krylov_destroy(&solver);
    rw_array_destroy(&b), rw_array_destroy(&x);
    return status;
}

int main(int argc, char **argv)
{
    static double u[2][CELLS];
    rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64}, {.name = "Au", .dtype = RW_F64}};
    const rw_expr_scalar scalar = {.name = "tau", .value = tau};
    const rw_expr_spec spec = {.text = "Au = u - tau*laplace(u)",
                               .grid = {3, {N, N, N}, {h, h, h}, {h, h, h}},
                               .fields = fields,
                               .nfields = 2,
                               .scalars = &scalar,
                               .nscalars = 1};
    rw_context *ctx;
    rw_device *dev;
    rw_operator *A = NULL;
    rw_sparse *matrix = NULL;
    rw_sparse_size size;
    if (rw_context_create(&ctx) != RW_OK) return 1;
    if (rw_device_open(ctx, argc > 1 ? argv[1] : "auto", &dev) != RW_OK) return fail(ctx);
    for (int side = 0; side < 6; ++side)
        fields[0].boundary[side] = (rw_boundary){.kind = RW_BOUNDARY_DIRICHLET, .a = "0"};
    if (rw_operator_from_expr(dev, &spec, "u", "Au", &A) != RW_OK || assemble(dev, &matrix) != RW_OK) return fail(ctx);
    rw_sparse_get_size(matrix, &size);
    if (solve(ctx, dev, "equation", A, 0, u[0]) != RW_OK ||
        solve(ctx, dev, "matrix", rw_sparse_operator(matrix), size.bytes, u[1]) != RW_OK)
        return 1;
    double differs = 0, most = 0;
    for (int i = 0; i < CELLS; ++i) differs = fmax(differs, fabs(u[0][i] - u[1][i])), most = fmax(most, fabs(u[1][i]));
    printf("%s: solutions differ by %.1e of the largest value\n", rw_device_info(dev)->name, differs / most);
    rw_operator_destroy(&A), rw_sparse_destroy(&matrix);
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    return differs < 1e-8 * most ? 0 : 1;
}
