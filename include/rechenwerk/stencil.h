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

/* The map from field `from` to field `to`, the two fields of the program, of one type. Unknowns are the cells of the
 * grid in the order of arrays. The program assigns `to` once and does not read it; it leaves `from` as it is. Scalars
 * keep the values of the spec. Products read `from` and write `to` once, as the program does; rw_operator_create says
 * what else.
 *
 * That the map is linear is tested, by seven runs: A 0 = 0, and A (x + a z) = A x + a A z for random x and z of two
 * sizes and a complex where fields are, to 1000 roundings of the largest value. What is smaller than that goes unseen.
 * Boundary values must be 0: what they add to A u belongs to the right side.
 *
 * The diagonal, which jacobi and chebyshev need, is found by products when first asked for: with unit vectors of many
 * cells at once, so far apart that none sees another: (reach + 1) products for each axis, multiplied, and up to twice
 * as many for an axis that this does not divide. Programs with sums over the grid, or on grids without rows, have none:
 * ERR_UNSUPPORTED then.
 *
 * ERR_INPUT: mistakes of the text, with their place; a program that is not such a map, and why. ERR_ARGUMENT: names,
 * fields, grid. ERR_UNSUPPORTED: a function in C, no compiler. ERR_COMPILE, ERR_MEMORY. */
RW_API rw_status rw_operator_from_expr(rw_device *device, const rw_expr_spec *spec, const char *from, const char *to,
                                       rw_operator **op);

#ifdef __cplusplus
}
#endif
#endif
