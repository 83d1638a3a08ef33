/* rechenwerk solve: its options, matrix, right-hand side and first guess. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rechenwerk/run.h"
#include "solve.h"

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* METHOD[:ITERATIONS[:PRECOND]], and more options by name */
static int parse_inner(rw_context *ctx, const char *text, solve *s)
{
    if (s->spec.method != RW_KRYLOV_FGMRES)
        return usage("solve: --inner %s: %s needs a constant preconditioner, which an inner solver is not: use "
                     "fgmres",
                     text, rw_krylov_method_name(s->spec.method));
    if (s->spec.precond.method)
        return usage("solve: --precond %s and --inner %s exclude each other: give the preconditioner to the inner "
                     "solver, such as cg:10:jacobi",
                     s->precond, text);
    rw_status status = rw_krylov_parse(ctx, text, &s->inner);
    s->spec.inner = &s->inner;
    s->inner_text = text;
    return status == RW_OK ? 0 : failed(ctx, status);
}

int parse_spec(rw_context *ctx, const arguments *a, solve *s)
{
    s->precond = value_of(a, "precond") ? value_of(a, "precond") : "none";
    if (!check_types(a) || !set_members(ctx, a, rw_krylov_params(), &s->spec)) return 2;
    rw_status status = rw_params_resolve(ctx, rw_krylov_params(), "solve", &s->spec);
    if (status != RW_OK) return failed(ctx, status);
    return given(a, "inner") ? parse_inner(ctx, value_of(a, "inner"), s) : 0;
}

/* ---- input ------------------------------------------------------------------------------------------------------- */

/* A vector from a file, in the type of the solver's; its numbers are finite and as many as the matrix has rows. */
static int load(rw_context *ctx, solve *s, const char *path, rw_array **array)
{
    const void *data;
    rw_status status = rw_array_load(s->device, path, s->vectors, array);
    if (status == RW_OK) status = rw_array_read(*array, &data);
    if (status != RW_OK) return failed(ctx, status);
    const int64_t n = rw_array_size(*array);
    if (n != s->e.rows)
        return usage("solve: %s has %lld entries, but %s has %lld rows: one entry per row is needed", path,
                     (long long)n, s->matrix, (long long)s->e.rows);
    for (int64_t i = 0; i < n; i++) {
        const double complex v = element(s->vectors, data, i);
        if (!isfinite(creal(v)) || !isfinite(cimag(v)))
            return usage("solve: %s: entry %lld of %lld, counted from 1, is %g%s: entries must be finite", path,
                         (long long)i + 1, (long long)n, isfinite(creal(v)) ? cimag(v) : creal(v),
                         rw_dtype_is_complex(s->vectors) ? " in its real or imaginary part" : "");
    }
    return 0;
}

int find_vectors(rw_context *ctx, const arguments *a, solve *s)
{
    bool is_complex = s->e.is_complex;
    if (s->right_side && !is_complex) {
        rw_array *b;
        rw_status status = rw_array_load(s->device, s->right_side, RW_DTYPE_DEFAULT, &b);
        if (status != RW_OK) return failed(ctx, status);
        is_complex = rw_dtype_is_complex(rw_array_dtype(b));
        rw_array_destroy(&b);
    }
    s->vectors = RW_F64;
    return precision_of(a, "vectors", is_complex, &s->vectors) ? 0 : 2;
}

/* A format that is chosen for speed leaves a preconditioner as it is with csr: by entries, but for amg, which finds the
 * unknowns per node. Blocks come with a format that is asked for, or from block=N. */
static void set_block(rw_precond_spec *p)
{
    if (p->method && !p->block) p->block = p->method == RW_PRECOND_AMG ? RW_PRECOND_BLOCK_AUTO : 1;
}

int read_system(rw_context *ctx, const arguments *a, solve *s)
{
    rw_status status = open_device(ctx, a, &s->device);
    if (status == RW_OK) status = read_entries(ctx, a, s->matrix, &s->e);
    if (status != RW_OK) return failed(ctx, status);
    if (s->e.rows != s->e.columns || s->e.rows == 0)
        return usage("solve: %s is %lld x %lld: a solver needs a square, non-empty matrix", s->matrix,
                     (long long)s->e.rows, (long long)s->e.columns);
    rw_dtype values = RW_F64;
    const int code = precision_of(a, "values", s->e.is_complex, &values) ? find_vectors(ctx, a, s) : 2;
    if (code != 0) return code;
    status = find_layout(ctx, a, "auto", s->device, &s->e, s->vectors, &s->layout, s->reason);
    if (status != RW_OK) return failed(ctx, status);
    if (*s->reason) {
        set_block(&s->spec.precond);
        set_block(&s->inner.precond);
    }
    if (rw_dtype_is_complex(s->layout.layout.values) && !rw_dtype_is_complex(s->vectors))
        return usage("solve: --format %s: the matrix, b and the vectors are real: omit %s", value_of(a, "format"),
                     rw_dtype_name(s->layout.layout.values));
    if (!s->layout.refused) return 0;
    /* making it fails before it takes memory, and says which format is better */
    return failed(ctx, rw_sparse_from_entries(s->device, &s->layout.layout, &s->e, &s->assembled));
}

/* ---- on the device ----------------------------------------------------------------------------------------------- */

/* grid: in the shape of an equation's grid, as far as it has one and a file of the name can hold it. */
static rw_status constant(const solve *s, double value, bool grid, rw_array **array)
{
    const bool z = rw_dtype_is_complex(s->vectors), single = s->vectors == RW_F32 || s->vectors == RW_C64;
    void *data;
    int64_t shape[3] = {s->e.rows};
    for (int d = 0; grid && d < s->grid.ndim; d++) shape[s->grid.ndim - 1 - d] = s->grid.size[d];
    rw_status status =
        rw_array_create(s->device, s->vectors, grid && s->grid.ndim ? s->grid.ndim : 1, shape, RW_MEMORY_DEVICE, array);
    if (status == RW_OK) status = rw_array_write(*array, &data);
    for (int64_t i = 0; status == RW_OK && i < s->e.rows * (z ? 2 : 1); i++) {
        const double v = z && i % 2 ? 0 : value;
        if (single) ((float *)data)[i] = (float)v;
        else ((double *)data)[i] = v;
    }
    return status;
}

int make_system(rw_context *ctx, const arguments *a, solve *s)
{
    const char *guess = value_of(a, "guess");
    int code = s->right_side ? load(ctx, s, s->right_side, &s->b) : 0;
    if (code == 0 && guess) code = load(ctx, s, guess, &s->x);
    if (code != 0) return code;
    const char *output = value_of(a, "output");
    const size_t n = output ? strlen(output) : 0;
    rw_status status =
        s->stencil ? make_stencil(s) : rw_sparse_from_entries(s->device, &s->layout.layout, &s->e, &s->assembled);
    if (!s->stencil) s->a = rw_sparse_operator(s->assembled);
    if (status == RW_OK && !s->b) status = make_right_side(s);
    if (status == RW_OK && !s->x) status = constant(s, 0, n < 4 || strcmp(output + n - 4, ".mtx") != 0, &s->x);
    return status == RW_OK ? 0 : failed(ctx, status);
}
