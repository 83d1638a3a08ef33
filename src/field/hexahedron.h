/* The trilinear hexahedron: x(u) = sum over corners c of N_c(u) x_c with N_c the product over axes of u or 1 - u, u in
 * [0, 1]^3. Corners are numbered i + 2j + 4k. */
#ifndef RW_FIELD_HEXAHEDRON_H
#define RW_FIELD_HEXAHEDRON_H

#include "field/vector.h"

/* N_c and its derivatives by u. */
static inline void rw_hexahedron_shape(const double u[3], double N[8], double dN[8][3])
{
    for (int c = 0; c < 8; ++c) {
        double f[3], slope[3];
        for (int d = 0; d < 3; ++d) {
            f[d] = c >> d & 1 ? u[d] : 1 - u[d];
            slope[d] = c >> d & 1 ? 1 : -1;
        }
        N[c] = f[0] * f[1] * f[2];
        dN[c][0] = slope[0] * f[1] * f[2];
        dN[c][1] = f[0] * slope[1] * f[2];
        dN[c][2] = f[0] * f[1] * slope[2];
    }
}

/* J[d] = dx/du_d; the determinant. */
static inline double rw_hexahedron_jacobian(const double x[8][3], double dN[8][3], double J[3][3])
{
    double normal[3];
    for (int d = 0; d < 3; ++d) {
        J[d][0] = J[d][1] = J[d][2] = 0;
        for (int c = 0; c < 8; ++c) add_scaled(J[d], dN[c][d], x[c]);
    }
    cross(J[0], J[1], normal);
    return dot(normal, J[2]);
}

/* At u: the functions, their gradients by x; the determinant. */
static inline double rw_hexahedron_gradients(const double x[8][3], const double u[3], double N[8],
                                             double gradient[8][3])
{
    double dN[8][3], J[3][3], reciprocal[3][3];
    rw_hexahedron_shape(u, N, dN);
    double det = rw_hexahedron_jacobian(x, dN, J);
    for (int d = 0; d < 3; ++d) cross(J[(d + 1) % 3], J[(d + 2) % 3], reciprocal[d]);
    for (int c = 0; c < 8; ++c) {
        gradient[c][0] = gradient[c][1] = gradient[c][2] = 0;
        for (int d = 0; d < 3; ++d) add_scaled(gradient[c], dN[c][d] / det, reciprocal[d]);
    }
    return det;
}

/* The determinant at corner c: of the three edges that meet there. */
static inline double rw_hexahedron_corner(const double x[8][3], int c)
{
    double edge[3][3], normal[3];
    for (int d = 0; d < 3; ++d) {
        int upper = c | 1 << d, lower = c & ~(1 << d);
        subtract(x[upper], x[lower], edge[d]);
    }
    cross(edge[0], edge[1], normal);
    return dot(normal, edge[2]);
}

/* The volume, exactly: three determinants of sums of diagonals (J. Grandy, Efficient computation of volume of
 * hexahedral cells, 1997). */
static inline double rw_hexahedron_volume(const double x[8][3])
{
    double a[3], b[3], c[3], d[3], e[3], f[3], normal[3], sum, both[3];
    subtract(x[7], x[1], a);
    subtract(x[6], x[0], b);
    subtract(x[7], x[2], c);
    subtract(x[3], x[0], d);
    subtract(x[5], x[0], e);
    subtract(x[7], x[4], f);
    for (int i = 0; i < 3; ++i) both[i] = a[i] + b[i];
    cross(both, c, normal);
    sum = dot(normal, d);
    for (int i = 0; i < 3; ++i) both[i] = c[i] + e[i];
    cross(b, both, normal);
    sum += dot(normal, f);
    for (int i = 0; i < 3; ++i) both[i] = f[i] + d[i];
    cross(a, e, normal);
    sum += dot(normal, both);
    return sum / 12;
}

#endif
