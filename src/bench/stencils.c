/* Iterations of conjugate gradients with the 7-point stencil on n^3 cells, matrix-free and assembled: equal numbers of
 * iterations show the cost of the matrix.
 *
 * Least bytes of an iteration: 10 passes over vectors; of the matrix its entries with an index each; a matrix-free
 * operator takes one pass more that reads two vectors, for the sums of a product (src/operator/function.c). */
#include "bench/bench.h"
#include "rechenwerk/operator.h"
#include "rechenwerk/stencil.h"
#include "sparse/host.h"

static rw_status fill(rw_bench *b, int64_t n, int64_t *first, int64_t *column, rw_sparse **m)
{
    const int64_t rows = n * n * n;
    rw_sparse_layout l;
    rw_view v;
    for (int64_t i = 0; i < rows; ++i) first[i + 1] = first[i] + rw_bench_stencil(n, 1, i, column + first[i]);
    const rw_sparse_blocks blocks = {rows, rows, first, column, NULL, NULL};
    RW_TRY(rw_sparse_layout_parse(b->ctx, b->dev->info.gpu ? "sell:f64" : "csr:f64", &l));
    RW_TRY(rw_sparse_create(b->dev, &l, &blocks, m));
    RW_TRY(rw_sparse_look(*m, true, &v));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = first[i]; k < first[i + 1]; ++k)
            rw_value_add(RW_F64, v.value, rw_view_block(&v, i, (int)(k - first[i])).at, column[k] == i ? 6.1 : -1, 0);
    return RW_OK;
}

rw_status rw_bench_laplace(rw_bench *b, int64_t n, rw_sparse **m)
{
    const size_t rows = (size_t)(n * n * n);
    int64_t *first = rw_calloc(rows + 1, sizeof *first), *column = rw_calloc(7 * rows, sizeof *column);
    rw_status status =
        first && column ? fill(b, n, first, column, m) : rw_fail_memory(b->ctx, rows * 64, "a sparsity pattern");
    rw_free(first);
    rw_free(column);
    return status;
}

static rw_status from_equation(rw_bench *b, int64_t n, rw_operator **a)
{
    rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64}, {.name = "Au", .dtype = RW_F64}};
    for (int side = 0; side < 6; ++side) fields[0].boundary[side] = (rw_boundary){.kind = RW_BOUNDARY_DIRICHLET};
    const rw_expr_spec spec = {.text = "Au = 0.1*u - laplace(u)",
                               .grid = {3, {n, n, n}, {1, 1, 1}, {0, 0, 0}},
                               .fields = fields,
                               .nfields = 2};
    return rw_operator_from_expr(b->dev, &spec, "u", "Au", a);
}

static const rw_bench_task task = {rw_contest_solve, NULL, NULL, rw_contest_free};

static rw_status run_one(rw_bench *b, int64_t n, bool assembled)
{
    const int64_t rows = n * n * n;
    rw_contest c = {.iterations = b->dev->info.gpu ? 60 : 30};
    const rw_krylov_spec spec = {.method = RW_KRYLOV_CG, .rtol = 1e-300, .iterations = c.iterations};
    rw_bench_result row = {.tolerance = 1};
    rw_status status = assembled ? rw_bench_laplace(b, n, &c.m) : from_equation(b, n, &c.a);
    if (status == RW_OK) status = rw_contest_vectors(b, RW_F64, rows, rows, &c);
    if (status == RW_OK) status = rw_krylov_create(assembled ? rw_sparse_operator(c.m) : c.a, RW_F64, &spec, &c.k);
    if (status == RW_OK)
        row.bytes = (double)c.iterations *
                    (assembled ? 12. * (double)rw_sparse_size_of(c.m).blocks + 80. * (double)rows : 96. * (double)rows);
    snprintf(row.what, sizeof row.what, "cg, %d iterations, %s", (int)c.iterations,
             assembled ? "7-point, assembled" : "7-point, matrix-free");
    snprintf(row.size, sizeof row.size, "%d^3 cells", (int)n);
    return rw_bench_measure(b, &task, &c, status, 0, NULL, &row);
}

rw_status rw_bench_stencil_solvers(rw_bench *b)
{
    const int64_t n = b->options.quick ? 16 : b->dev->info.gpu ? 256 : 128;
    RW_TRY(run_one(b, n, true));
    return run_one(b, n, false);
}
