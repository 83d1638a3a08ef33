/* Vectors of three numbers. */
#ifndef RW_FIELD_VECTOR_H
#define RW_FIELD_VECTOR_H

#include <math.h>

static inline void subtract(const double a[3], const double b[3], double out[3])
{
    for (int d = 0; d < 3; ++d) out[d] = a[d] - b[d];
}

static inline double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline double norm(const double a[3]) { return sqrt(dot(a, a)); }

static inline void cross(const double a[3], const double b[3], double out[3])
{
    for (int d = 0; d < 3; ++d) out[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* x <- x + s a */
static inline void add_scaled(double x[3], double s, const double a[3])
{
    for (int d = 0; d < 3; ++d) x[d] += s * a[d];
}

#endif
