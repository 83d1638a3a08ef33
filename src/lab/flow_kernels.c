/* The kernels of flow_kernels.k, launched as the document does: an item a row or an element; dot products with a fixed
 * number of groups and a second kernel that adds what the groups leave. */
#include "lab/flow_kernels.h"

const char *const rw_flow_dot_names[RW_FLOW_DOTS] = {[RW_FLOW_D1_2010] = "D1 as printed",
                                                     [RW_FLOW_D1] = "D1",
                                                     [RW_FLOW_D2] = "D2",
                                                     [RW_FLOW_D3] = "D3",
                                                     [RW_FLOW_D4] = "D4",
                                                     [RW_FLOW_D5] = "D5",
                                                     [RW_FLOW_NORM] = "norm"};
const char *const rw_flow_product_names[RW_FLOW_PRODUCTS] = {"S1", "S2", "S3", "S4"};

enum { BLOCK_MOST = 1024, POINTS = 5 };

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static rw_status find_kernels(rw_flow_kernels *k)
{
    static const char *const dots[RW_FLOW_DOTS] = {"dot_d1", "dot_d1", "dot_d2", "dot_d3",
                                                   "dot_d4", "dot_d5", "norm_d5"};
    static const char *const products[RW_FLOW_PRODUCTS] = {"product_s1", "product_s2", "product_s3", "product_s4"};
    for (int i = 0; i < RW_FLOW_DOTS; ++i) RW_TRY(rw_program_kernel(k->program, dots[i], &k->dot[i]));
    for (int i = 0; i < RW_FLOW_PRODUCTS; ++i) RW_TRY(rw_program_kernel(k->program, products[i], &k->product[i]));
    RW_TRY(rw_program_kernel(k->program, "finish", &k->finish));
    RW_TRY(rw_program_kernel(k->program, "saxpy", &k->saxpy));
    RW_TRY(rw_program_kernel(k->program, "direction", &k->direction));
    return rw_program_kernel(k->program, "residual", &k->residual);
}

static rw_status make_kernels(rw_flow_kernels *k)
{
    const int64_t one = 1;
    if (k->block < 1 || k->block > BLOCK_MOST || k->block & (k->block - 1) || k->groups < 1 || k->groups > INT32_MAX)
        return rw_fail(k->device->ctx, RW_ERR_ARGUMENT,
                       "kernels of flow: %d items of %lld groups: give a power of two up to %d, and groups from 1",
                       k->block, (long long)k->groups, (int)BLOCK_MOST);
    RW_TRY(rw_program_create_with(k->device, "flow", rw_measure_text("flow_kernels.k"), &k->program,
                                  "GROUP=%d REAL=%s DIAGONALS=%d", k->block, rw_dtype_real(rw_flow_dtype(k->f64)),
                                  (int)RW_FLOW_DIAGONALS));
    RW_TRY(find_kernels(k));
    RW_TRY(rw_array_create(k->device, rw_flow_dtype(k->f64), 1, &k->groups, RW_MEMORY_DEVICE, &k->part));
    return rw_array_create(k->device, rw_flow_dtype(k->f64), 1, &one, RW_MEMORY_PINNED, &k->sum);
}

/* Processors: lanes of long rows, some groups for each thread. GPUs: eight groups of 256 fill a multiprocessor. */
rw_status rw_flow_kernels_create(rw_device *dev, bool f64, int block, int64_t groups, rw_flow_kernels *k)
{
    const bool gpu = dev->target.class == RW_GPU;
    const int units = RW_MAX(dev->target.units, 1);
    *k = (rw_flow_kernels){.device = dev,
                           .f64 = f64,
                           .block = block ? block
                                    : gpu ? 256
                                          : BLOCK_MOST,
                           .groups = groups ? groups
                                     : gpu  ? 8 * units
                                            : 4 * units};
    const rw_status status = make_kernels(k);
    if (status != RW_OK) rw_flow_kernels_free(k);
    return status;
}

void rw_flow_kernels_free(rw_flow_kernels *k)
{
    rw_array_destroy(&k->part);
    rw_array_destroy(&k->sum);
    rw_program_destroy(&k->program);
}

/* ---- dot products ------------------------------------------------------------------------------------------------ */

/* Neighbouring elements of an item. */
static int64_t each_of(rw_flow_dot dot, int64_t n, int64_t items)
{
    return dot == RW_FLOW_D1_2010 ? n / (items + 1) + 1 : (n + items - 1) / items;
}

int64_t rw_flow_missing(int64_t n, int64_t items) { return RW_MAX(n - items * each_of(RW_FLOW_D1_2010, n, items), 0); }

rw_status rw_flow_dot_launch(rw_flow_kernels *k, rw_flow_dot dot, rw_array *x, rw_array *y, int64_t n)
{
    rw_queue *q = rw_device_queue(k->device);
    rw_arg args[5];
    int nargs = 0;
    args[nargs++] = rw_arg_array(k->part);
    args[nargs++] = rw_arg_array(x);
    if (dot != RW_FLOW_NORM) args[nargs++] = rw_arg_array(y);
    args[nargs++] = rw_arg_int(n);
    if (dot <= RW_FLOW_D1) args[nargs++] = rw_arg_int(each_of(dot, n, k->block * k->groups));
    RW_TRY(rw_launch(q, k->dot[dot], (int64_t[]){k->groups, 1, 1}, args, nargs));
    return rw_launch(q, k->finish, (int64_t[]){1, 1, 1},
                     (rw_arg[]){rw_arg_array(k->sum), rw_arg_array(k->part), rw_arg_int(k->groups)}, 3);
}

rw_status rw_flow_dot_value(rw_flow_kernels *k, rw_flow_dot dot, rw_array *x, rw_array *y, int64_t n, double *value)
{
    const void *sum;
    RW_TRY(rw_flow_dot_launch(k, dot, x, y, n));
    RW_TRY(rw_array_read(k->sum, &sum));
    *value = k->f64 ? *(const double *)sum : (double)*(const float *)sum;
    ++k->traffic.scalars;
    return RW_OK;
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

static void put(bool f64, void *data, int64_t i, double value)
{
    if (f64) ((double *)data)[i] = value;
    else ((float *)data)[i] = (float)value;
}

static rw_status make_matrix(rw_device *dev, bool f64, rw_flow_matrix *a, void **data, int32_t **offset)
{
    const int64_t size = a->stride * a->diagonals, diagonals = a->diagonals;
    void *there;
    if (a->rows < 1 || a->columns < 1 || a->stride < a->rows || a->diagonals < 1 || a->diagonals > RW_FLOW_DIAGONALS)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT,
                       "matrix of flow: %lld x %lld, stride %lld, %d diagonals: stride must be at least the rows, and "
                       "diagonals are 1 to %d",
                       (long long)a->rows, (long long)a->columns, (long long)a->stride, a->diagonals,
                       (int)RW_FLOW_DIAGONALS);
    RW_TRY(rw_array_create(dev, rw_flow_dtype(f64), 1, &size, RW_MEMORY_DEVICE, &a->data));
    RW_TRY(rw_array_create(dev, RW_I32, 1, &diagonals, RW_MEMORY_DEVICE, &a->offset));
    RW_TRY(rw_array_write(a->data, data));
    RW_TRY(rw_array_write(a->offset, &there));
    *offset = there;
    return RW_OK;
}

rw_status rw_flow_matrix_create(rw_device *dev, bool f64, int64_t rows, int64_t columns, int64_t stride, int diagonals,
                                const int32_t *offset, const double *data, rw_flow_matrix *a)
{
    void *to;
    int32_t *offsets;
    *a = (rw_flow_matrix){.rows = rows, .columns = columns, .stride = stride, .diagonals = diagonals};
    const rw_status status = make_matrix(dev, f64, a, &to, &offsets);
    if (status != RW_OK) {
        rw_flow_matrix_free(a);
        return status;
    }
    for (int d = 0; d < diagonals; ++d) {
        offsets[d] = offset[d];
        for (int64_t r = 0; r < stride; ++r) put(f64, to, stride * d + r, r < rows ? data[rows * d + r] : 0);
    }
    return RW_OK;
}

void rw_flow_fill(bool f64, int64_t nx, int64_t ny, double middle, double side, int64_t stride, void *data,
                  int32_t offset[5])
{
    const int32_t offsets[POINTS] = {(int32_t)-nx, -1, 0, 1, (int32_t)nx};
    const int64_t rows = nx * ny;
    for (int d = 0; d < POINTS; ++d) {
        offset[d] = offsets[d];
        for (int64_t r = 0; r < stride; ++r) {
            const int64_t i = r % nx, j = r / nx;
            const bool there = r < rows && !(d == 0 && j == 0) && !(d == 1 && i == 0) && !(d == 3 && i == nx - 1) &&
                               !(d == 4 && j == ny - 1);
            put(f64, data, stride * d + r, !there ? 0 : d == 2 ? middle : side);
        }
    }
}

rw_status rw_flow_five_points(rw_device *dev, bool f64, int64_t nx, int64_t ny, double middle, double side,
                              int64_t stride, rw_flow_matrix *a)
{
    void *data;
    int32_t *offset;
    *a = (rw_flow_matrix){.rows = nx * ny,
                          .columns = nx * ny,
                          .stride = stride,
                          .diagonals = POINTS,
                          .nx = nx,
                          .ny = ny,
                          .middle = middle,
                          .side = side};
    const rw_status status = make_matrix(dev, f64, a, &data, &offset);
    if (status == RW_OK) rw_flow_fill(f64, nx, ny, middle, side, stride, data, offset);
    else rw_flow_matrix_free(a);
    return status;
}

void rw_flow_matrix_free(rw_flow_matrix *a)
{
    rw_array_destroy(&a->data);
    rw_array_destroy(&a->offset);
}

/* ---- products and updates ---------------------------------------------------------------------------------------- */

static int64_t cover(const rw_flow_kernels *k, int64_t n) { return (n + k->block - 1) / k->block; }

rw_status rw_flow_multiply(const rw_flow_kernels *k, rw_flow_product product, const rw_flow_matrix *a, rw_array *x,
                           rw_array *y)
{
    rw_queue *q = rw_device_queue(k->device);
    if (product == RW_FLOW_S4 && !a->nx)
        return rw_fail(k->device->ctx, RW_ERR_ARGUMENT, "product S4: the matrix is not of five points");
    if (product == RW_FLOW_S4)
        return rw_launch(q, k->product[product], (int64_t[]){cover(k, a->nx), a->ny, 1},
                         (rw_arg[]){rw_arg_array(y), rw_arg_array(x), rw_arg_int(a->nx), rw_arg_int(a->ny),
                                    rw_arg_real(a->middle), rw_arg_real(a->side)},
                         6);
    return rw_launch(q, k->product[product], (int64_t[]){cover(k, a->rows), 1, 1},
                     (rw_arg[]){rw_arg_array(y), rw_arg_array(x), rw_arg_array(a->data), rw_arg_array(a->offset),
                                rw_arg_int(a->diagonals), rw_arg_int(a->rows), rw_arg_int(a->columns),
                                rw_arg_int(a->stride)},
                     8);
}

rw_status rw_flow_saxpy(const rw_flow_kernels *k, double a, rw_array *x, rw_array *y, int64_t n)
{
    return rw_launch(rw_device_queue(k->device), k->saxpy, (int64_t[]){cover(k, n), 1, 1},
                     (rw_arg[]){rw_arg_array(y), rw_arg_array(x), rw_arg_real(a), rw_arg_int(n)}, 4);
}

rw_status rw_flow_direction(const rw_flow_kernels *k, double beta, rw_array *r, rw_array *p, int64_t n)
{
    return rw_launch(rw_device_queue(k->device), k->direction, (int64_t[]){cover(k, n), 1, 1},
                     (rw_arg[]){rw_arg_array(p), rw_arg_array(r), rw_arg_real(beta), rw_arg_int(n)}, 4);
}

rw_status rw_flow_residual(const rw_flow_kernels *k, rw_array *b, rw_array *q, rw_array *r, rw_array *p, int64_t n)
{
    return rw_launch(rw_device_queue(k->device), k->residual, (int64_t[]){cover(k, n), 1, 1},
                     (rw_arg[]){rw_arg_array(r), rw_arg_array(p), rw_arg_array(b), rw_arg_array(q), rw_arg_int(n)}, 5);
}
