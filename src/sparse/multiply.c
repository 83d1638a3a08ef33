/* y <- alpha op(A) x + beta z: checks, programs by kind of product, launches.
 *
 * The kernel source of a product is values.k (types and arithmetic for real and complex matrices and vectors) and the
 * kernel of the format. Several vectors are computed 8 at a time, the rest 4, 2 and 1 at a time: each pass reads the
 * matrix once. Transposed products use an index of the blocks of each block column (transposed.k). */
#include "sparse/multiply.h"

#include <string.h>

static rw_dtype arithmetic(const rw_sparse *m, rw_dtype vector)
{
    const bool f64 = m->layout.values == RW_F64 || m->layout.values == RW_C128 || vector == RW_F64 || vector == RW_C128;
    return rw_dtype_is_complex(vector) ? f64 ? RW_C128 : RW_C64 : f64 ? RW_F64 : RW_F32;
}

/* Work-items per workgroup of transposed products; each computes one element. */
static int group_of(const rw_sparse *m) { return rw_sparse_threads(m) ? 128 : 1024; }

/* ---- programs --------------------------------------------------------------------------------------------------- */

static rw_status build(rw_sparse *m, rw_product_program *p)
{
    rw_device *dev = m->op.device;
    rw_text d = {0}, text = {0};
    const rw_sparse_layout *l = &m->layout;
    const bool transposed = p->op != RW_OP_NONE, finishes = !transposed && (m->ops->finishes || l->section);
    const int bits = transposed ? m->stored >= INT32_MAX ? 64 : 32 : l->index_bits;
    const char *name = transposed ? "transposed.k" : m->ops->kernel;
    rw_product_types(&d, rw_dtype_real(arithmetic(m, p->vector)), m->scale ? "i16" : rw_dtype_real(l->values),
                     rw_dtype_is_complex(l->values), p->vector);
    rw_text_add(&d, "INDEX=i%d R=%d C=%d VECTORS=%d WIDE=%d ALONE=%d CONJUGATE=%d DOTS=%d SCALED=%d ", bits,
                l->block_rows, l->block_columns, p->vectors, p->wide, p->alone, p->op == RW_OP_CONJUGATE, p->dots,
                m->scale != NULL);
    if (transposed) rw_text_add(&d, "GROUP=%d", group_of(m));
    else m->ops->define(m, p, &d);
    rw_text_add(&text, "%s\n%s\n%s", rw_embedded_text("values.k"), rw_embedded_text(name),
                finishes ? rw_embedded_text("finish.k") : "");
    rw_status status =
        d.failed || text.failed ? rw_fail_memory(dev->ctx, 4096, "the source of a product kernel") : RW_OK;
    if (status == RW_OK) status = rw_program_create_with(dev, name, text.data, &p->program, "%s", d.data);
    if (status == RW_OK) status = rw_program_kernel(p->program, "multiply", &p->multiply);
    if (status == RW_OK && finishes) status = rw_program_kernel(p->program, "finish", &p->finish);
    if (status == RW_OK && !transposed && m->ops->more) status = rw_program_kernel(p->program, m->ops->more, &p->more);
    rw_text_free(&d);
    rw_text_free(&text);
    return status;
}

/* The program for a kind of product; compiled at first use. */
static rw_status find_program(rw_sparse *m, rw_product_program kind, const rw_product_program **found)
{
    for (rw_product_program *p = m->programs; p; p = p->next)
        if (p->vector == kind.vector && p->op == kind.op && p->vectors == kind.vectors && p->wide == kind.wide &&
            p->alone == kind.alone && p->dots == kind.dots && p->ranged == kind.ranged) {
            *found = p;
            return RW_OK;
        }
    rw_product_program *p = rw_calloc(1, sizeof *p);
    if (!p) return rw_fail_memory(m->op.device->ctx, sizeof *p, "a program");
    *p = kind;
    rw_status status = build(m, p);
    if (status == RW_OK) {
        p->next = m->programs;
        m->programs = p;
        *found = p;
    } else {
        rw_program_destroy(&p->program);
        rw_free(p);
    }
    return status;
}

rw_status rw_pass_without_sums(rw_sparse *m, rw_pass *p)
{
    rw_product_program kind = *p->program;
    if (!kind.dots) return RW_OK;
    kind.dots = false;
    return find_program(m, kind, &p->program);
}

void rw_products_free(rw_sparse *m)
{
    for (rw_product_program *p = m->programs, *next; p; p = next) {
        next = p->next;
        rw_program_destroy(&p->program);
        rw_free(p);
    }
}

/* ---- for the formats -------------------------------------------------------------------------------------------- */

int rw_pass_args(const rw_sparse *m, const rw_pass *p, rw_arg *a, int n)
{
    return rw_product_args(&p->of, p->program->op == RW_OP_NONE ? m->rows : m->columns, m->scale, a, n);
}

rw_status rw_pass_scratch(rw_sparse *m, const rw_pass *p, int64_t sections, bool *made)
{
    const rw_dtype type = arithmetic(m, p->program->vector);
    const int64_t n = RW_MAX(m->rows, 1) * sections * p->program->vectors;
    if (m->scratch && (m->scratch->dtype != type || m->scratch->size < n)) rw_array_destroy(&m->scratch);
    if (made) *made = !m->scratch;
    return m->scratch ? RW_OK : rw_array_create(m->op.device, type, 1, &n, RW_MEMORY_DEVICE, &m->scratch);
}

rw_status rw_pass_finish(rw_sparse *m, const rw_pass *p, int64_t sections, rw_queue *q)
{
    rw_arg a[RW_PRODUCT_ARGS] = {rw_arg_array(m->scratch), rw_arg_int(sections)};
    const int n = rw_pass_args(m, p, a, 2), group = p->program->program->group;
    return rw_launch(q, p->program->finish, (int64_t[3]){(m->rows + group - 1) / group, 1, 1}, a, n);
}

/* ---- transposes -------------------------------------------------------------------------------------------------- */

/* Calls of `put` for each block (VBCSR: each entry): block column, scalar row, place. */
typedef struct index_part {
    int bits;
    void *first, *row, *at;
} index_part;

static void put(const index_part *p, int64_t j, int64_t row, int64_t at)
{
    const int64_t to = rw_index_get(p->first, p->bits, j + (p->row ? 1 : 2));
    rw_index_set(p->first, p->bits, j + (p->row ? 1 : 2), to + 1);
    if (p->row) {
        rw_index_set(p->row, p->bits, to, row);
        rw_index_set(p->at, p->bits, to, at);
    }
}

static void put_all(rw_sparse *m, const rw_view *v, const index_part *p)
{
    for (int64_t i = 0; i < m->block_rows; ++i)
        for (int64_t k = 0, n = m->ops->count(v, i); k < n; ++k) {
            const rw_sparse_block b = m->ops->block(v, i, k);
            m->t_sr = b.sr;
            m->t_sc = b.sc;
            if (!m->row_first) put(p, b.column / m->layout.block_columns, b.row, b.at);
            for (int c = 0; m->row_first && c < b.nc; ++c)
                for (int r = 0; r < b.nr; ++r) put(p, b.column + c, b.row + r, b.at + b.sr * r + b.sc * c);
        }
}

static rw_status index_array(rw_sparse *m, int bits, int64_t n, rw_array **array, void **data)
{
    RW_TRY(rw_array_create(m->op.device, bits == 64 ? RW_I64 : RW_I32, 1, &n, RW_MEMORY_DEVICE, array));
    return rw_array_write(*array, data);
}

/* Where each block column has its blocks. first[j + 2] counts those of column j, then first[j + 1] runs from their
 * beginning to their end. */
static rw_status fill_index(rw_sparse *m, rw_array *arrays[3])
{
    rw_view v;
    index_part p = {.bits = m->stored >= INT32_MAX ? 64 : 32};
    const int64_t n = m->row_first ? m->columns : m->block_columns;
    RW_TRY(rw_sparse_look(m, false, &v));
    RW_TRY(index_array(m, p.bits, n + 2, &arrays[0], &p.first));
    memset(p.first, 0, (size_t)(n + 2) * (size_t)(p.bits / 8));
    put_all(m, &v, &p);
    for (int64_t j = 0; j < n; ++j)
        rw_index_set(p.first, p.bits, j + 2,
                     rw_index_get(p.first, p.bits, j + 2) + rw_index_get(p.first, p.bits, j + 1));
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
    if (status == RW_OK) {
        m->t_first = arrays[0];
        m->t_row = arrays[1];
        m->t_at = arrays[2];
    } else
        for (int i = 0; i < 3; ++i) rw_array_destroy(&arrays[i]);
    return status;
}

static rw_status launch_transposed(rw_sparse *m, const rw_pass *p, rw_queue *q)
{
    const int group = p->program->program->group;
    RW_TRY(make_index(m));
    rw_arg a[RW_PRODUCT_ARGS] = {rw_arg_array(m->value), rw_arg_array(m->t_first), rw_arg_array(m->t_row),
                                 rw_arg_array(m->t_at),  rw_arg_int(m->t_sr),      rw_arg_int(m->t_sc)};
    const int n = rw_pass_args(m, p, a, 6);
    return rw_launch(q, p->program->multiply, (int64_t[3]){(m->columns + group - 1) / group, 1, 1}, a, n);
}

/* ---- products --------------------------------------------------------------------------------------------------- */

int64_t rw_sparse_groups(const rw_operator *a, rw_op op)
{
    const rw_sparse *m = (const rw_sparse *)a;
    return op == RW_OP_NONE ? m->ops->groups(m) : (m->columns + group_of(m) - 1) / group_of(m);
}

rw_status rw_sparse_run(rw_operator *op, const rw_product *of, rw_queue *q)
{
    rw_sparse *m = (rw_sparse *)op;
    const int all = of->vectors, loaded = RW_MAX(16 / (int)rw_dtype_size(of->x->dtype), 1);
    rw_pass p = {.of = *of};
    for (int at = 0, width; at < all; at += width) {
        for (width = of->part ? 1 : RW_PRODUCT_VECTORS; width > all - at; width /= 2) {}
        p.of.x_from = of->x_from + at;
        p.of.y_from = of->y_from + at;
        const int wide = RW_MIN(width, loaded),
                  fits = p.of.x_from % wide == 0 && p.of.y_from % wide == 0 && all % wide == 0;
        RW_TRY(find_program(m,
                            (rw_product_program){.vector = of->x->dtype,
                                                 .op = of->op,
                                                 .vectors = width,
                                                 .wide = fits ? wide : 1,
                                                 .alone = all == 1,
                                                 .dots = of->part != NULL},
                            &p.program));
        RW_TRY(of->op == RW_OP_NONE ? m->ops->launch(m, &p, q) : launch_transposed(m, &p, q));
    }
    return RW_OK;
}

static rw_status some_rows(rw_sparse *m, rw_product_rows ranged, rw_array *y, int64_t from, int64_t to, rw_queue *q)
{
    rw_pass p = {.of = {.x = y, .y = y, .z = y, .vectors = 1, .alpha = {-1, 0}, .beta = {1, 0}},
                 .from = from,
                 .to = to};
    RW_TRY(
        find_program(m,
                     (rw_product_program){.vector = y->dtype, .vectors = 1, .wide = 1, .alone = true, .ranged = ranged},
                     &p.program));
    return m->ops->launch(m, &p, q);
}

rw_status rw_product_range(rw_sparse *m, rw_array *y, int64_t from, int64_t to, rw_queue *q)
{
    return some_rows(m, RW_PRODUCT_ANY, y, from, to, q);
}
rw_status rw_product_in_order(rw_sparse *m, rw_array *y, rw_queue *q)
{
    return some_rows(m, RW_PRODUCT_IN_ORDER, y, 0, m->block_rows, q);
}

rw_status rw_sparse_multiply(rw_sparse *m, rw_op op, const double alpha[2], rw_array *x, const double beta[2],
                             rw_array *y, rw_queue *q)
{
    RW_NEED(m, "matrix");
    RW_NEED(x, "x");
    RW_NEED(y, "y");
    RW_NEED(q, "queue");
    return rw_operator_multiply(&m->op, op, alpha, x, beta, y, q);
}
