/* The kernels of the study flow on a device: dot products, products by diagonals, updates of vectors, as M. Baumann and
 * P. Buran (2010, part 4) have them.
 *
 *   rw_flow_kernels_create(dev, true, 0, 0, &k);                    f64; GROUP and groups as suit the device
 *   rw_flow_dot_value(&k, RW_FLOW_D5, x, y, n, &sum);               x . y, on the host
 *   rw_flow_five_points(dev, true, nx, ny, 4, -1, nx * ny, &a);     a matrix in five diagonals
 *   rw_flow_multiply(&k, RW_FLOW_S3, &a, x, y);                     y <- A x
 *
 * Everything is launched in the device's own queue. Arrays are of type f32 or f64, as k.f64 says. */
#ifndef RW_LAB_FLOW_KERNELS_H
#define RW_LAB_FLOW_KERNELS_H

#include "device/device.h"

/* D1_2010: as printed, which leaves elements out where m (n / (m + 1) + 1) < n, m = GROUP * groups items. NORM: x . x,
 * y is not used. */
typedef enum rw_flow_dot {
    RW_FLOW_D1_2010,
    RW_FLOW_D1,
    RW_FLOW_D2,
    RW_FLOW_D3,
    RW_FLOW_D4,
    RW_FLOW_D5,
    RW_FLOW_NORM,
    RW_FLOW_DOTS
} rw_flow_dot;
/* S4 has no stored matrix: it is refused for one that is not of five points. */
typedef enum rw_flow_product { RW_FLOW_S1, RW_FLOW_S2, RW_FLOW_S3, RW_FLOW_S4, RW_FLOW_PRODUCTS } rw_flow_product;
extern const char *const rw_flow_dot_names[RW_FLOW_DOTS];         /* "D1" */
extern const char *const rw_flow_product_names[RW_FLOW_PRODUCTS]; /* "S1" */

enum { RW_FLOW_DIAGONALS = 32 }; /* most of a matrix */

/* What passes between host and device memory, on processors too, where nothing is copied. */
typedef struct rw_flow_traffic {
    int64_t sends, fetches; /* of vectors and matrices */
    double sent, fetched;   /* their bytes */
    int64_t scalars;        /* results of dot products that the host reads, k.f64 ? 8 : 4 bytes each */
} rw_flow_traffic;

typedef struct rw_flow_kernels {
    rw_device *device;
    bool f64;
    int block;      /* items of a group */
    int64_t groups; /* of a dot product */
    rw_program *program;
    rw_kernel *dot[RW_FLOW_DOTS], *finish, *product[RW_FLOW_PRODUCTS], *saxpy, *direction, *residual;
    rw_array *part, *sum;
    rw_flow_traffic traffic; /* scalars are counted here */
} rw_flow_kernels;

/* block: a power of two up to 1024; 0: as suits the device. groups 0: likewise. ERR_ARGUMENT. */
rw_status rw_flow_kernels_create(rw_device *device, bool f64, int block, int64_t groups, rw_flow_kernels *k);
void rw_flow_kernels_free(rw_flow_kernels *k);
static inline rw_dtype rw_flow_dtype(bool f64) { return f64 ? RW_F64 : RW_F32; }

/* x . y of n elements into k->sum, two launches; rw_flow_dot_value reads it. */
rw_status rw_flow_dot_launch(rw_flow_kernels *k, rw_flow_dot dot, rw_array *x, rw_array *y, int64_t n);
rw_status rw_flow_dot_value(rw_flow_kernels *k, rw_flow_dot dot, rw_array *x, rw_array *y, int64_t n, double *value);

/* Elements that D1_2010 leaves out of n, by the number of items of all groups. */
int64_t rw_flow_missing(int64_t n, int64_t items);

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

typedef struct rw_flow_matrix {
    int64_t rows, columns, stride; /* dim_r, dim_c; element of diagonal d in row r at data[stride d + r] */
    int diagonals;
    int64_t nx, ny; /* of five points, else 0 */
    double middle, side;
    rw_array *data, *offset;
} rw_flow_matrix;

/* data: [diagonals][rows], elements outside the matrix are not used; stride >= rows. ERR_ARGUMENT. */
rw_status rw_flow_matrix_create(rw_device *device, bool f64, int64_t rows, int64_t columns, int64_t stride,
                                int diagonals, const int32_t *offset, const double *data, rw_flow_matrix *a);
/* Rows i + nx j with `middle` on the diagonal and `side` for each of the four neighbours in nx x ny points, in the
 * order -nx, -1, 0, 1, nx. */
rw_status rw_flow_five_points(rw_device *device, bool f64, int64_t nx, int64_t ny, double middle, double side,
                              int64_t stride, rw_flow_matrix *a);
void rw_flow_matrix_free(rw_flow_matrix *a);
/* The five diagonals on the host: data [5][stride] of f32 or f64, offset [5]. */
void rw_flow_fill(bool f64, int64_t nx, int64_t ny, double middle, double side, int64_t stride, void *data,
                  int32_t offset[5]);

/* y <- A x */
rw_status rw_flow_multiply(const rw_flow_kernels *k, rw_flow_product product, const rw_flow_matrix *a, rw_array *x,
                           rw_array *y);

/* ---- updates of n elements --------------------------------------------------------------------------------------- */

rw_status rw_flow_saxpy(const rw_flow_kernels *k, double a, rw_array *x, rw_array *y, int64_t n); /* y <- y + a x */
rw_status rw_flow_direction(const rw_flow_kernels *k, double beta, rw_array *r, rw_array *p, int64_t n);
rw_status rw_flow_residual(const rw_flow_kernels *k, rw_array *b, rw_array *q, rw_array *r, rw_array *p, int64_t n);

#endif
