/* What a C compiler makes of the types and constants that Fortran declares once more, by name; -1: unknown here. */
#include <stddef.h>
#include <string.h>

#include "rechenwerk/krylov.h"

long long value_in_c(const char *name);

#define FIELD(type, field)                                                                                             \
    {                                                                                                                  \
#type "." #field, offsetof(type, field)                                                                        \
    }
#define SIZE(type)                                                                                                     \
    {                                                                                                                  \
#type, sizeof(type)                                                                                            \
    }
#define VALUE(name)                                                                                                    \
    {                                                                                                                  \
#name, name                                                                                                    \
    }

static const struct {
    const char *name;
    long long value;
} table[] = {
    SIZE(rw_sparse_layout),
    FIELD(rw_sparse_layout, format),
    FIELD(rw_sparse_layout, values),
    FIELD(rw_sparse_layout, block_rows),
    FIELD(rw_sparse_layout, block_columns),
    FIELD(rw_sparse_layout, columns),
    FIELD(rw_sparse_layout, slice),
    FIELD(rw_sparse_layout, sort),
    FIELD(rw_sparse_layout, section),
    FIELD(rw_sparse_layout, index_bits),
    FIELD(rw_sparse_layout, scaled),
    SIZE(rw_sparse_blocks),
    FIELD(rw_sparse_blocks, rows),
    FIELD(rw_sparse_blocks, columns),
    FIELD(rw_sparse_blocks, first),
    FIELD(rw_sparse_blocks, column),
    FIELD(rw_sparse_blocks, row_size),
    FIELD(rw_sparse_blocks, column_size),
    SIZE(rw_sparse_size),
    FIELD(rw_sparse_size, rows),
    FIELD(rw_sparse_size, columns),
    FIELD(rw_sparse_size, blocks),
    FIELD(rw_sparse_size, stored),
    FIELD(rw_sparse_size, bytes),
    SIZE(rw_krylov_spec),
    FIELD(rw_krylov_spec, method),
    FIELD(rw_krylov_spec, rtol),
    FIELD(rw_krylov_spec, atol),
    FIELD(rw_krylov_spec, iterations),
    FIELD(rw_krylov_spec, restart),
    FIELD(rw_krylov_spec, orthogonal),
    FIELD(rw_krylov_spec, precond),
    FIELD(rw_krylov_spec, inner),
    FIELD(rw_krylov_spec, precond_operator),
    FIELD(rw_krylov_spec, monitor),
    FIELD(rw_krylov_spec, user),
    FIELD(rw_krylov_spec, cancel),
    SIZE(rw_precond_spec),
    FIELD(rw_precond_spec, method),
    FIELD(rw_precond_spec, level),
    FIELD(rw_precond_spec, drop),
    FIELD(rw_precond_spec, fill),
    FIELD(rw_precond_spec, omega),
    FIELD(rw_precond_spec, degree),
    FIELD(rw_precond_spec, theta),
    FIELD(rw_precond_spec, order),
    FIELD(rw_precond_spec, iterations),
    FIELD(rw_precond_spec, sweeps),
    FIELD(rw_precond_spec, f32),
    FIELD(rw_precond_spec, scaled),
    FIELD(rw_precond_spec, block),
    SIZE(rw_krylov_result),
    FIELD(rw_krylov_result, reason),
    FIELD(rw_krylov_result, iterations),
    FIELD(rw_krylov_result, first),
    FIELD(rw_krylov_result, residual),
    FIELD(rw_krylov_result, estimate),
    FIELD(rw_krylov_result, right_side),
    FIELD(rw_krylov_result, seconds),
    VALUE(RW_OK),
    VALUE(RW_ERR_ARGUMENT),
    VALUE(RW_ERR_INPUT),
    VALUE(RW_ERR_FILE),
    VALUE(RW_ERR_MEMORY),
    VALUE(RW_ERR_DEVICE),
    VALUE(RW_ERR_COMPILE),
    VALUE(RW_ERR_LAUNCH),
    VALUE(RW_ERR_CHECK),
    VALUE(RW_OFF),
    VALUE(RW_ERR_UNSUPPORTED),
    VALUE(RW_ERR_NOT_CONVERGED),
    VALUE(RW_ERR_INTERRUPTED),
    VALUE(RW_ERR_INTERNAL),
    VALUE(RW_F32),
    VALUE(RW_F64),
    VALUE(RW_C64),
    VALUE(RW_C128),
    VALUE(RW_I8),
    VALUE(RW_I16),
    VALUE(RW_I32),
    VALUE(RW_I64),
    VALUE(RW_U8),
    VALUE(RW_U16),
    VALUE(RW_U32),
    VALUE(RW_U64),
    VALUE(RW_F16),
    VALUE(RW_BF16),
    VALUE(RW_BOOL),
    VALUE(RW_MEMORY_MANAGED),
    VALUE(RW_MEMORY_MAPPED),
    VALUE(RW_DTYPE_DEFAULT),
    VALUE(RW_MEMORY_DEVICE),
    VALUE(RW_MEMORY_PINNED),
    VALUE(RW_OP_NONE),
    VALUE(RW_OP_TRANSPOSE),
    VALUE(RW_OP_CONJUGATE),
    VALUE(RW_KRYLOV_CG),
    VALUE(RW_KRYLOV_BICGSTAB),
    VALUE(RW_KRYLOV_GMRES),
    VALUE(RW_KRYLOV_FGMRES),
    VALUE(RW_KRYLOV_IDR),
    VALUE(RW_KRYLOV_CONVERGED),
    VALUE(RW_KRYLOV_ITERATIONS),
    VALUE(RW_KRYLOV_STAGNATION),
    VALUE(RW_KRYLOV_BREAKDOWN),
    VALUE(RW_KRYLOV_INDEFINITE),
    VALUE(RW_KRYLOV_NOT_FINITE),
    VALUE(RW_KRYLOV_INTERRUPTED),
    VALUE(RW_KRYLOV_CLASSICAL),
    VALUE(RW_KRYLOV_MODIFIED),
    VALUE(RW_SPARSE_COO),
    VALUE(RW_SPARSE_CSR),
    VALUE(RW_SPARSE_BCSR),
    VALUE(RW_SPARSE_VBCSR),
    VALUE(RW_SPARSE_DIA),
    VALUE(RW_SPARSE_ELL),
    VALUE(RW_SPARSE_BELL),
    VALUE(RW_SPARSE_SELL),
    VALUE(RW_SPARSE_BSELL),
    VALUE(RW_PRECOND_NONE),
    VALUE(RW_PRECOND_JACOBI),
    VALUE(RW_PRECOND_SSOR),
    VALUE(RW_PRECOND_ILU),
    VALUE(RW_PRECOND_MILU),
    VALUE(RW_PRECOND_ILUT),
    VALUE(RW_PRECOND_CHEBYSHEV),
    VALUE(RW_PRECOND_AMG),
};

long long value_in_c(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
        if (strcmp(table[i].name, name) == 0) return table[i].value;
    return -1;
}
