/* y <- alpha op(A) x + beta z: checks, programs by kind of product, launches.
 *
 * The text of a product is values.k (types and arithmetic for real and complex matrices and vectors) and the format's kernel. Several vectors are
 * computed 8 at once, the rest 4, 2 and 1 at once: each pass reads the matrix. Transposes go by an index of where each block
 * column has its blocks (transposed.k). */
#include "sparse/multiply.h"

#include <string.h>

static rw_dtype arithmetic(const rw_sparse *m, rw_dtype vector)
{
    const bool f64 = m->layout.values == RW_F64 || m->layout.values == RW_C128 || vector == RW_F64 || vector == RW_C128;
    return rw_dtype_is_complex(vector) ? f64 ? RW_C128 : RW_C64 : f64 ? RW_F64 : RW_F32;
}

int rw_product_group(const rw_sparse *m) { return m->threads ? 128 : 1024; }

/* ---- programs ---------------------------------------------------------------------------------------------------------------------- */

static rw_status build(rw_sparse *m, rw_product_program *p)
{
    rw_device *dev = m->device;
    rw_context *ctx = dev->ctx;
    rw_text d = {0}, text = {0};
    const bool is_free = rw_sparse_is_free(m), transposed = p->op != RW_OP_NONE && !is_free, f64 = arithmetic(m, p->vector) == RW_F64 || arithmetic(m, p->vector) == RW_C128;
    const bool finishes = !transposed && (m->ops == &rw_sparse_coordinates || m->layout.section || is_free);
    const char *kernel = rw_embedded_text(transposed ? "transposed.k" : m->ops->kernel), *values = rw_embedded_text("values.k");
    rw_text_add(&d, "REAL=%s MATRIX_REAL=%s MATRIX_COMPLEX=%d VECTOR_REAL=%s VECTOR_COMPLEX=%d INDEX=%s R=%d C=%d VECTORS=%d WIDE=%d ALONE=%d CONJUGATE=%d DOTS=%d SCALED=%d ", f64 ? "f64" : "f32",
                m->scale ? "i16" : m->layout.values == RW_F32 || m->layout.values == RW_C64 ? "f32" : "f64", rw_dtype_is_complex(m->layout.values), p->vector == RW_F32 || p->vector == RW_C64 ? "f32" : "f64",
                rw_dtype_is_complex(p->vector), m->layout.index_bits == 64 && !transposed ? "i64" : m->places >= INT32_MAX && transposed ? "i64" : "i32", m->layout.block_rows,
                m->layout.block_columns, p->vectors, p->wide, p->alone, p->op == RW_OP_CONJUGATE, p->dots, m->scale != NULL);
    if (transposed) rw_text_add(&d, "GROUP=%d", rw_product_group(m));
    else m->ops->define(m, p, &d);
    rw_text_add(&text, "%s\n%s\n%s", values, kernel, finishes ? rw_embedded_text("finish.k") : "");
    rw_status status = d.failed || text.failed ? rw_fail_memory(ctx, 4096, "the text of a product") : RW_OK;
    if (status == RW_OK)
        status = rw_program_create_with(dev, transposed ? "transposed.k" : m->ops->kernel, text.data, &p->program, "%s", d.data);
    if (status == RW_OK) status = rw_program_kernel(p->program, is_free ? "piece" : "multiply", &p->multiply);
    if (status == RW_OK && finishes) status = rw_program_kernel(p->program, "finish", &p->finish);
    if (status == RW_OK && !transposed && m->ops->more) status = rw_program_kernel(p->program, m->ops->more, &p->more);
    rw_text_free(&d), rw_text_free(&text);
    return status;
}

static rw_status find_program(rw_sparse *m, rw_dtype vector, rw_op op, int vectors, int wide, bool alone, bool dots, rw_product_rows ranged, const rw_product_program **found)
{
    for (rw_product_program *p = m->programs; p; p = p->next)
        if (p->vector == vector && p->op == op && p->vectors == vectors && p->wide == wide && p->alone == alone && p->dots == dots && p->ranged == ranged) return *found = p, RW_OK;
    rw_product_program *p = rw_calloc(1, sizeof *p);
    if (!p) return rw_fail_memory(m->device->ctx, sizeof *p, "a program");
    p->vector = vector, p->op = op, p->vectors = vectors, p->wide = wide, p->alone = alone, p->dots = dots, p->ranged = ranged;
    rw_status status = build(m, p);
    if (status == RW_OK) p->next = m->programs, m->programs = p, *found = p;
    else rw_program_destroy(&p->program), rw_free(p);
    return status;
}

rw_status rw_product_without_sums(rw_sparse *m, rw_product *p)
{
    const rw_product_program *o = p->program;
    return o->dots ? find_program(m, o->vector, o->op, o->vectors, o->wide, o->alone, false, o->ranged, &p->program) : RW_OK;
}

void rw_products_free(rw_sparse *m)
{
    for (rw_product_program *p = m->programs, *next; p; p = next) {
        next = p->next;
        rw_program_destroy(&p->program);
        rw_free(p);
    }
}

/* ---- for the formats ------------------------------------------------------------------------------------------------------------------ */

int rw_product_args(const rw_sparse *m, const rw_product *p, rw_arg *a, int n)
{
    const rw_arg common[] = {rw_arg_array(p->x),
                             rw_arg_array(p->y),
                             rw_arg_array(p->z),
                             rw_arg_array(p->w ? p->w : p->x),
                             rw_arg_array(p->part ? p->part : p->y),
                             rw_arg_array(m->scale ? m->scale : p->x),
                             rw_arg_int(p->program->op == RW_OP_NONE ? m->rows : m->columns),
                             rw_arg_int(p->stride),
                             rw_arg_int(p->x_from),
                             rw_arg_int(p->y_from),
                             rw_arg_real(p->alpha[0]),
                             rw_arg_real(p->alpha[1]),
                             rw_arg_real(p->beta[0]),
                             rw_arg_real(p->beta[1])};
    memcpy(a + n, common, sizeof common);
    return n + RW_COUNT(common);
}

static rw_status room(rw_sparse *m, rw_dtype dtype, int64_t n, rw_array **array)
{
    if (*array && ((*array)->dtype != dtype || (*array)->size < n)) rw_array_destroy(array), m->zeroed = 0;
    return *array ? RW_OK : rw_array_create(m->device, dtype, 1, &n, RW_MEMORY_DEVICE, array);
}

rw_status rw_product_scratch(rw_sparse *m, const rw_product *p, int64_t sections)
{
    return room(m, arithmetic(m, p->program->vector), RW_MAX(m->rows, 1) * sections * p->program->vectors, &m->scratch);
}

rw_status rw_product_finish(rw_sparse *m, const rw_product *p, int64_t sections, rw_queue *q)
{
    rw_arg a[RW_PRODUCT_ARGS] = {rw_arg_array(m->scratch), rw_arg_int(sections)};
    const int n = rw_product_args(m, p, a, 2);
    const int group = p->program->program->group;
    return rw_launch(q, p->program->finish, (int64_t[3]){(m->rows + group - 1) / group, 1, 1}, a, n);
}

/* ---- transposes ---------------------------------------------------------------------------------------------------------------------- */

/* Calls of `put` for each block (VBCSR: each entry): block column, scalar row, place. */
typedef struct index_part { int bits; void *first, *row, *at; } index_part;

static void put(const index_part *p, int64_t j, int64_t row, int64_t at)
{
    const int64_t to = rw_index_get(p->first, p->bits, j + (p->row ? 1 : 2));
    rw_index_set(p->first, p->bits, j + (p->row ? 1 : 2), to + 1);
    if (p->row) rw_index_set(p->row, p->bits, to, row), rw_index_set(p->at, p->bits, to, at);
}

static void put_all(rw_sparse *m, const rw_view *v, const index_part *p)
{
    for (int64_t i = 0; i < m->block_rows; ++i)
        for (int64_t k = 0, n = m->ops->count(v, i); k < n; ++k) {
            const rw_sparse_block b = m->ops->block(v, i, k);
            m->t_sr = b.sr, m->t_sc = b.sc;
            if (!m->row_first) put(p, b.column / m->layout.block_columns, b.row, b.at);
            for (int c = 0; m->row_first && c < b.nc; ++c)
                for (int r = 0; r < b.nr; ++r) put(p, b.column + c, b.row + r, b.at + b.sr * r + b.sc * c);
        }
}

static rw_status index_array(rw_sparse *m, int bits, int64_t n, rw_array **array, void **data)
{
    RW_TRY(rw_array_create(m->device, bits == 64 ? RW_I64 : RW_I32, 1, &n, RW_MEMORY_DEVICE, array));
    return rw_array_write(*array, data);
}

/* Where each block column has its blocks. first[j + 2] counts those of column j, then first[j + 1] runs from their beginning to their end. */
static rw_status fill_index(rw_sparse *m, rw_array *arrays[3])
{
    rw_view v;
    index_part p = {.bits = m->places >= INT32_MAX ? 64 : 32};
    const int64_t n = m->row_first ? m->columns : m->block_columns;
    RW_TRY(rw_sparse_look(m, false, &v));
    RW_TRY(index_array(m, p.bits, n + 2, &arrays[0], &p.first));
    memset(p.first, 0, (size_t)(n + 2) * (size_t)(p.bits / 8));
    put_all(m, &v, &p);
    for (int64_t j = 0; j < n; ++j) rw_index_set(p.first, p.bits, j + 2, rw_index_get(p.first, p.bits, j + 2) + rw_index_get(p.first, p.bits, j + 1));
    const int64_t all = rw_index_get(p.first, p.bits, n + 1);
    RW_TRY(index_array(m, p.bits, all, &arrays[1], &p.row));
    RW_TRY(index_array(m, p.bits, all, &arrays[2], &p.at));
    put_all(m, &v, &p);
    return RW_OK;
}

static rw_status make_index(rw_sparse *m)
{
    rw_array *arrays[3] = {NULL};
    if (m->t_at) return RW_OK;
    rw_status status = fill_index(m, arrays);
    if (status == RW_OK) m->t_first = arrays[0], m->t_row = arrays[1], m->t_at = arrays[2];
    else for (int i = 0; i < 3; ++i) rw_array_destroy(&arrays[i]);
    return status;
}

static rw_status launch_transposed(rw_sparse *m, const rw_product *p, rw_queue *q)
{
    const int group = p->program->program->group;
    RW_TRY(make_index(m));
    rw_arg a[RW_PRODUCT_ARGS] = {rw_arg_array(m->value), rw_arg_array(m->t_first), rw_arg_array(m->t_row), rw_arg_array(m->t_at), rw_arg_int(m->t_sr), rw_arg_int(m->t_sc)};
    int n = rw_product_args(m, p, a, 6);
    return rw_launch(q, p->program->multiply, (int64_t[3]){(m->columns + group - 1) / group, 1, 1}, a, n);
}

/* ---- products -------------------------------------------------------------------------------------------------------------------------- */

int64_t rw_product_groups(const rw_sparse *m, rw_op op)
{
    const int transposed = rw_product_group(m);
    return op == RW_OP_NONE ? m->ops->groups(m) : (m->columns + transposed - 1) / transposed;
}

rw_status rw_product_run(rw_sparse *m, rw_op op, const double alpha[2], rw_array *x, const double beta[2], rw_array *z, rw_array *y, rw_array *w, rw_array *part, rw_queue *q)
{
    const int all = (int)y->shape[1];
    int at = 0;
    rw_product p = {.x = x, .y = y, .z = z, .w = w, .part = part, .stride = all, .alpha = {alpha[0], alpha[1]}, .beta = {beta[0], beta[1]}};
    for (int width; at < all; at += width) {
        for (width = part || rw_sparse_is_free(m) ? 1 : RW_PRODUCT_VECTORS; width > all - at; width /= 2) {}
        p.x_from = p.y_from = at;
        int wide = RW_MIN(width, RW_MAX(16 / (int)rw_dtype_size(x->dtype), 1));
        if (all % wide || at % wide) wide = 1;
        RW_TRY(find_program(m, x->dtype, op, width, wide, all == 1, part != NULL, RW_PRODUCT_ALL, &p.program));
        RW_TRY(op == RW_OP_NONE || rw_sparse_is_free(m) ? m->ops->launch(m, &p, q) : launch_transposed(m, &p, q));
    }
    return RW_OK;
}

rw_status rw_product_run_at(rw_sparse *m, const double alpha[2], rw_array *x, int64_t x_from, const double beta[2], rw_array *z, rw_array *y, int64_t y_from, rw_array *w, rw_array *part,
                            rw_queue *q)
{
    rw_product p = {.x = x, .y = y, .z = z, .w = w, .part = part, .stride = 1, .x_from = x_from, .y_from = y_from, .alpha = {alpha[0], alpha[1]}, .beta = {beta[0], beta[1]}};
    RW_TRY(find_program(m, x->dtype, RW_OP_NONE, 1, 1, true, part != NULL, RW_PRODUCT_ALL, &p.program));
    return m->ops->launch(m, &p, q);
}

static rw_status some_rows(rw_sparse *m, rw_product_rows ranged, rw_array *y, int64_t from, int64_t to, rw_queue *q)
{
    rw_product p = {.x = y, .y = y, .z = y, .stride = 1, .from = from, .to = to, .alpha = {-1, 0}, .beta = {1, 0}};
    RW_TRY(find_program(m, y->dtype, RW_OP_NONE, 1, 1, true, false, ranged, &p.program));
    return m->ops->launch(m, &p, q);
}

rw_status rw_product_range(rw_sparse *m, rw_array *y, int64_t from, int64_t to, rw_queue *q) { return some_rows(m, RW_PRODUCT_ANY, y, from, to, q); }
rw_status rw_product_in_order(rw_sparse *m, rw_array *y, rw_queue *q) { return some_rows(m, RW_PRODUCT_IN_ORDER, y, 0, m->block_rows, q); }

rw_status rw_product_check(const rw_sparse *m, rw_op op, rw_dtype vectors)
{
    if (rw_dtype_is_complex(m->layout.values) && !rw_dtype_is_complex(vectors))
        return rw_fail(m->device->ctx, RW_ERR_ARGUMENT, "a matrix of %s with vectors of %s, which are real: use complex vectors", rw_dtype_name(m->layout.values), rw_dtype_name(vectors));
    return rw_sparse_is_free(m) ? rw_free_check(m, op, vectors) : RW_OK;
}

static rw_status check_vector(const rw_sparse *m, const char *name, const rw_array *a, int64_t n)
{
    rw_context *ctx = m->device->ctx;
    if (a->device != m->device) return rw_fail(ctx, RW_ERR_ARGUMENT, "%s is on %s, the matrix on %s", name, a->device->info.name, m->device->info.name);
    if (!rw_dtype_is_number(a->dtype)) return rw_fail(ctx, RW_ERR_ARGUMENT, "%s is of %s: f32, f64, c64 or c128 is needed", name, rw_dtype_name(a->dtype));
    if (a->ndim > 2 || a->shape[0] != n)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s has %lld rows in %d dimensions: a vector of %lld, or several as (%lld, k), is needed for a matrix of %lld x %lld", name, (long long)a->shape[0],
                       a->ndim, (long long)n, (long long)n, (long long)m->rows, (long long)m->columns);
    return RW_OK;
}

rw_status rw_sparse_multiply(rw_sparse *m, rw_op op, const double alpha[2], rw_array *x, const double beta[2], rw_array *y, rw_queue *q)
{
    RW_NEED(m, "matrix");
    RW_NEED(x, "x");
    RW_NEED(y, "y");
    RW_NEED(q, "queue");
    rw_context *ctx = m->device->ctx;
    static const double one[2] = {1, 0}, zero[2] = {0, 0};
    if ((unsigned)op > RW_OP_CONJUGATE) return rw_fail(ctx, RW_ERR_ARGUMENT, "op = %d is not one of rw_op", (int)op);
    RW_TRY(check_vector(m, "x", x, op == RW_OP_NONE ? m->columns : m->rows));
    RW_TRY(check_vector(m, "y", y, op == RW_OP_NONE ? m->rows : m->columns));
    if (x == y) return rw_fail(ctx, RW_ERR_ARGUMENT, "x and y are the same array: a product needs two");
    if (x->dtype != y->dtype || x->shape[1] != y->shape[1])
        return rw_fail(ctx, RW_ERR_ARGUMENT, "x is %lld vectors of %s, y %lld of %s: they must be alike", (long long)x->shape[1], rw_dtype_name(x->dtype), (long long)y->shape[1], rw_dtype_name(y->dtype));
    RW_TRY(rw_product_check(m, op, x->dtype));
    if (!alpha) alpha = one;
    if (!beta) beta = zero;
    if (!rw_dtype_is_complex(x->dtype) && (alpha[1] != 0 || beta[1] != 0)) return rw_fail(ctx, RW_ERR_ARGUMENT, "alpha and beta must be real for vectors of %s", rw_dtype_name(x->dtype));
    return rw_product_run(m, op, alpha, x, beta, y, y, NULL, NULL, q);
}
