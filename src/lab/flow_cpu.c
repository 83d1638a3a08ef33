/* CPU_ of the study flow: the vectors and the product of conjugate gradients as plain sequential loops, in single and
 * in double precision. The product is by rows and tests for columns outside the matrix as the document's kernel. */
#include "lab/flow_cg.h"

#define LOOPS(T)                                                                                                       \
    static void multiply_##T(const rw_flow_system *s, const T *x, T *y)                                                \
    {                                                                                                                  \
        const T *data = s->data;                                                                                       \
        for (int64_t row = 0; row < s->n; ++row) {                                                                     \
            T sum = 0;                                                                                                 \
            for (int d = 0; d < 5; ++d) {                                                                              \
                const int64_t column = row + s->offset[d];                                                             \
                if (column >= 0 && column < s->n) sum += data[s->n * d + row] * x[column];                             \
            }                                                                                                          \
            y[row] = sum;                                                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    static T dot_##T(int64_t n, const T *x, const T *y)                                                                \
    {                                                                                                                  \
        T sum = 0;                                                                                                     \
        for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];                                                            \
        return sum;                                                                                                    \
    }                                                                                                                  \
    static void saxpy_##T(int64_t n, T a, const T *x, T *y)                                                            \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; ++i) y[i] += a * x[i];                                                              \
    }                                                                                                                  \
    static void direction_##T(int64_t n, T beta, const T *r, T *p)                                                     \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; ++i) p[i] = r[i] + beta * p[i];                                                     \
    }                                                                                                                  \
    static void residual_##T(int64_t n, const T *b, const T *q, T *r, T *p)                                            \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; ++i) p[i] = r[i] = b[i] - q[i];                                                     \
    }
LOOPS(float)
LOOPS(double)

void rw_flow_cpu_multiply(const rw_flow_system *s, const void *x, void *y)
{
    if (s->f64) multiply_double(s, x, y);
    else multiply_float(s, x, y);
}

double rw_flow_cpu_dot(bool f64, int64_t n, const void *x, const void *y)
{
    return f64 ? dot_double(n, x, y) : (double)dot_float(n, x, y);
}

void rw_flow_cpu_saxpy(bool f64, int64_t n, double a, const void *x, void *y)
{
    if (f64) saxpy_double(n, a, x, y);
    else saxpy_float(n, (float)a, x, y);
}

void rw_flow_cpu_direction(bool f64, int64_t n, double beta, const void *r, void *p)
{
    if (f64) direction_double(n, beta, r, p);
    else direction_float(n, (float)beta, r, p);
}

void rw_flow_cpu_residual(bool f64, int64_t n, const void *b, const void *q, void *r, void *p)
{
    if (f64) residual_double(n, b, q, r, p);
    else residual_float(n, b, q, r, p);
}
