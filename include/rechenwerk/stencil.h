/* Operators from equations: an expression program that reads one field and writes another.
 *
 *   rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64}, {.name = "Au", .dtype = RW_F64}};
 *   for (int side = 0; side < 6; ++side)                   default: the value of the nearest cell
 *       fields[0].boundary[side] = (rw_boundary){.kind = RW_BOUNDARY_DIRICHLET, .a = "0"};
 *   rw_expr_spec spec = {.text = "Au = u - 0.01*laplace(u)", .grid = {3, {64, 64, 64}, {h, h, h}},
 *                        .fields = fields, .nfields = 2};
 *   rw_operator_from_expr(dev, &spec, "u", "Au", &A);
 *   rw_krylov_create(A, RW_F64, &(rw_krylov_spec){.method = RW_KRYLOV_CG}, &solver); */
#ifndef RECHENWERK_STENCIL_H
#define RECHENWERK_STENCIL_H

#include "rechenwerk/expr.h"
#include "rechenwerk/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Creates the operator from field `from` to field `to`, the two fields of the program, of one type. Unknowns are the
 * cells of the grid in the order of arrays. The program must assign `to` once, not read it, and leave `from` unchanged.
 * Scalars keep their values of the specification. A product reads `from` and writes `to` once (rw_operator_create).
 *
 * Linearity is tested by seven runs: A 0 = 0 and A (x + a z) = A x + a A z for random x and z of two sizes and, where
 * fields are complex, a complex a, to 1000 rounding errors of the largest value. Smaller deviations are not detected.
 * Boundary values must be 0: their contribution belongs to the right-hand side.
 *
 * The diagonal, for jacobi and chebyshev, is found on first use by products with unit vectors of many cells at once:
 * (reach + 1) products per axis, multiplied, and up to twice as many for an axis that this does not divide. Programs
 * with reductions, or on unstructured grids, have none (ERR_UNSUPPORTED).
 *
 * Errors: ERR_INPUT: the text, with line and column; a program that is no linear map, and why. ERR_ARGUMENT: names,
 * fields, grid. ERR_UNSUPPORTED: a function in C, no compiler. ERR_COMPILE, ERR_MEMORY. */
RW_API rw_status rw_operator_from_expr_sized(rw_device *device, const rw_expr_spec *spec, const char *from,
                                             const char *to, rw_operator **op, size_t spec_size, size_t field_size,
                                             size_t scalar_size, size_t external_size, size_t function_size);
#define rw_operator_from_expr(...)                                                                                     \
    rw_operator_from_expr_sized(__VA_ARGS__, sizeof(rw_expr_spec), sizeof(rw_expr_field), sizeof(rw_expr_scalar),      \
                                sizeof(rw_expr_external), sizeof(rw_expr_function))

#ifdef __cplusplus
}
#endif
#endif
