/* The operator of all grid blocks in one process: one matrix per grid block, and a list of ghost cells with the cells
 * whose values they copy.
 *
 *   x   | grid block 0 with ghosts | grid block 1 with ghosts | …        one array; an exchange is one launch, a
 *       product one a grid block */
#include <stdlib.h>
#include <string.h>

#include "device/ranks.h"
#include "multiblock/multiblock.h"
#include "sparse/host.h"

enum { GROUP = 256 };

/* Kernels for vectors of one type; compiled at first use. */
typedef struct kernels {
    rw_program *program;
    rw_kernel *exchange, *clear;
} kernels;

struct rw_multiblock {
    int references; /* the caller's, and one per operator of rw_multiblock_operator */
    rw_device *device;
    rw_multiblock_grid grid;
    rw_sparse **matrix;   /* of each grid block */
    int64_t ghosts, size; /* ghost cells that are filled; numbers of a vector */
    rw_array *to, *from;  /* those cells, and the ones they stand for; NULL where there are none */
    kernels kernels[RW_C128 + 1];
};

/* ---- ghost cells ------------------------------------------------------------------------------------------------- */

/* How far outside of its grid block a cell lies along an axis. */
static int64_t outside(int64_t cell, int64_t n) { return cell < 0 ? -cell : cell >= n ? cell - n + 1 : 0; }

/* A cell so far outside along each axis has a coupling to one inside. */
static bool reached(const rw_multiblock_grid *g, const int64_t cell[RW_AXES])
{
    for (int k = 0; k < g->noffsets; ++k) {
        bool same = true;
        for (int a = 0; a < RW_AXES; ++a) same = same && abs(g->offset[k].d[a]) == outside(cell[a], g->spec.cells[a]);
        if (same) return true;
    }
    return false;
}

/* Numbers the ghosts of all grid blocks that are cells of the whole grid; with lists writes them. */
static int64_t list_ghosts(const rw_multiblock_grid *g, int bits, void *to, void *from)
{
    int64_t n = 0, origin[RW_AXES], cell[RW_AXES], owner, local[RW_AXES];
    for (int64_t b = 0; b < g->blocks; ++b) {
        rw_multiblock_origin(g, b, origin);
        for (int64_t i = 0; i < g->extended_cells; ++i) {
            if (rw_multiblock_locate(g, i, true, cell)) continue;
            if (!reached(g, cell) || !rw_multiblock_owner(g, origin, cell, &owner, local)) continue;
            if (to) {
                rw_index_set(to, bits, n, b * g->extended_cells + i);
                rw_index_set(from, bits, n, owner * g->extended_cells + rw_multiblock_extended(g, local));
            }
            ++n;
        }
    }
    return n;
}

static bool is_long(const rw_multiblock_grid *g) { return g->blocks * g->extended_cells >= INT32_MAX; }

static rw_status make_lists(rw_multiblock *op)
{
    const rw_multiblock_grid *g = &op->grid;
    const int bits = is_long(g) ? 64 : 32;
    rw_array **const lists[] = {&op->to, &op->from};
    void *data[2];
    op->ghosts = g->spec.mode == RW_MULTIBLOCK_TRUNCATED ? 0 : list_ghosts(g, bits, NULL, NULL);
    if (!op->ghosts) return RW_OK;
    for (int i = 0; i < 2; ++i) {
        RW_TRY(rw_array_create(op->device, bits == 64 ? RW_I64 : RW_I32, 1, &op->ghosts, RW_MEMORY_DEVICE, lists[i]));
        RW_TRY(rw_array_write(*lists[i], &data[i]));
    }
    list_ghosts(g, bits, data[0], data[1]);
    for (int i = 0; i < 2; ++i) RW_TRY(rw_array_send(*lists[i], op->device->queue));
    return RW_OK;
}

/* ---- create, destroy --------------------------------------------------------------------------------------------- */

static rw_status fill(rw_multiblock *op, const rw_sparse_layout *layout)
{
    op->matrix = rw_calloc((size_t)op->grid.blocks, sizeof *op->matrix);
    if (!op->matrix)
        return rw_fail_memory(op->device->ctx, (size_t)op->grid.blocks * sizeof *op->matrix,
                              "the matrices of grid blocks");
    for (int64_t b = 0; b < op->grid.blocks; ++b) {
        RW_TRY(rw_multiblock_assemble(op->device, &op->grid.spec, b, RW_MULTIBLOCK_EXTENDED, layout, &op->matrix[b]));
        RW_TRY(rw_operator_send(rw_sparse_operator(op->matrix[b]), op->device->queue));
    }
    RW_TRY(make_lists(op));
    return rw_queue_wait(op->device->queue);
}

rw_status rw_multiblock_create_sized(rw_device *dev, const rw_multiblock_spec *spec, const rw_sparse_layout *layout,
                                     rw_multiblock **op, size_t spec_size)
{
    RW_NEED(op, "op");
    *op = NULL;
    RW_NEED(dev, "device");
    RW_NEED(spec, "spec");
    RW_NEED(layout, "layout");
    RW_STRUCT_IN(dev->ctx, rw_multiblock_spec, spec, spec_size);
    rw_multiblock_grid g;
    rw_sparse_layout resolved;
    RW_TRY(rw_sparse_layout_resolve(dev->ctx, layout, &resolved));
    RW_TRY(rw_multiblock_grid_make(dev->ctx, spec, &g));
    layout = &resolved;
    RW_TRY(rw_multiblock_check_memory(dev, spec, RW_MULTIBLOCK_ALL, layout->values));
    rw_multiblock *o = rw_calloc(1, sizeof *o);
    if (!o) return rw_fail_memory(dev->ctx, sizeof *o, "an operator of grid blocks");
    o->references = 1;
    o->device = rw_device_retain(dev);
    o->grid = g;
    o->size = g.blocks * g.extended_cells * RW_UNKNOWNS;
    rw_status status = fill(o, layout);
    if (status == RW_OK) *op = o;
    else rw_multiblock_destroy(&o);
    return status;
}

void rw_multiblock_destroy(rw_multiblock **op)
{
    if (!op) return;
    rw_multiblock *o = *op;
    *op = NULL;
    if (!o || __atomic_sub_fetch(&o->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    for (int64_t b = 0; o->matrix && b < o->grid.blocks; ++b) rw_sparse_destroy(&o->matrix[b]);
    rw_free(o->matrix);
    rw_array_destroy(&o->to);
    rw_array_destroy(&o->from);
    for (int i = 0; i < RW_COUNT(o->kernels); ++i) rw_program_destroy(&o->kernels[i].program);
    rw_device_close(&o->device);
    rw_free(o);
}

rw_sparse *rw_multiblock_matrix(rw_multiblock *op, int64_t block)
{
    return op ? (block >= 0 && block < op->grid.blocks ? op->matrix[block] : NULL) : NULL;
}
const rw_multiblock_spec *rw_multiblock_get_spec(const rw_multiblock *op) { return op ? &op->grid.spec : NULL; }

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

rw_status rw_multiblock_vector(rw_multiblock *op, rw_dtype type, rw_array **vector)
{
    RW_NEED(vector, "vector");
    *vector = NULL;
    RW_NEED(op, "op");
    if (!rw_dtype_is_number(type))
        return rw_fail(op->device->ctx, RW_ERR_ARGUMENT, "vectors of %s: the type must be f32, f64, c64 or c128",
                       rw_dtype_name(type));
    RW_TRY(rw_array_create(op->device, type, 1, &op->size, RW_MEMORY_DEVICE, vector));
    rw_status status = rw_array_zero(*vector, op->device->queue);
    if (status != RW_OK) rw_array_destroy(vector);
    return status;
}

static rw_status check_vector(const rw_multiblock *op, const char *name, const rw_array *a)
{
    rw_context *ctx = op->device->ctx;
    if (a->device != op->device)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s is on %s, the grid blocks on %s: both must be on one device", name,
                       a->device->info.name, op->device->info.name);
    if (!rw_dtype_is_number(a->dtype))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s is of %s: the type must be f32, f64, c64 or c128", name,
                       rw_dtype_name(a->dtype));
    if (a->ndim != 1 || a->size != op->size)
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "%s has %lld entries and %d dimensions: it must be a vector of %lld entries, %d unknowns of %lld cells "
            "(ghost cells included) in %lld grid blocks",
            name, (long long)a->size, a->ndim, (long long)op->size, RW_UNKNOWNS, (long long)op->grid.extended_cells,
            (long long)op->grid.blocks);
    return RW_OK;
}

/* Complex matrices need complex vectors. */
static rw_status check_type(const rw_multiblock *op, rw_dtype vectors)
{
    const rw_dtype values = rw_sparse_get_layout(op->matrix[0])->values;
    if (!rw_dtype_is_complex(values) || rw_dtype_is_complex(vectors)) return RW_OK;
    return rw_fail(op->device->ctx, RW_ERR_ARGUMENT, "matrices of %s with real vectors of %s: use complex vectors",
                   rw_dtype_name(values), rw_dtype_name(vectors));
}

static rw_status find_kernels(rw_multiblock *op, rw_dtype type, const kernels **found)
{
    kernels *k = &op->kernels[type];
    *found = k;
    if (k->program) return RW_OK;
    RW_TRY(rw_program_create_with(op->device, "exchange.k", rw_embedded_text("exchange.k"), &k->program,
                                  "GROUP=%d REAL=%s PARTS=%d INDEX=%s", GROUP, rw_dtype_real(type),
                                  rw_dtype_is_complex(type) ? 10 : 5, is_long(&op->grid) ? "i64" : "i32"));
    rw_status status = rw_program_kernel(k->program, "exchange", &k->exchange);
    if (status == RW_OK) status = rw_program_kernel(k->program, "clear", &k->clear);
    if (status != RW_OK) rw_program_destroy(&k->program);
    return status;
}

static int64_t groups_of(const rw_multiblock *op, rw_dtype type)
{
    return (op->ghosts * RW_UNKNOWNS * (1 + rw_dtype_is_complex(type)) + GROUP - 1) / GROUP;
}

rw_status rw_multiblock_exchange(rw_multiblock *op, rw_array *x, rw_queue *q)
{
    RW_NEED(op, "op");
    RW_NEED(x, "x");
    RW_NEED(q, "queue");
    const kernels *k;
    RW_TRY(check_vector(op, "x", x));
    if (!op->ghosts) return RW_OK;
    RW_TRY(find_kernels(op, x->dtype, &k));
    const rw_arg a[] = {rw_arg_array(x), rw_arg_array(op->to), rw_arg_array(op->from), rw_arg_int(op->ghosts)};
    RW_TRY(rw_launch(q, k->exchange, (int64_t[3]){groups_of(op, x->dtype), 1, 1}, a, 4));
    return rw_ranks_exchange(q, x);
}

rw_status rw_multiblock_clear(rw_multiblock *op, rw_array *x, rw_queue *q)
{
    RW_NEED(op, "op");
    RW_NEED(x, "x");
    RW_NEED(q, "queue");
    const kernels *k;
    RW_TRY(check_vector(op, "x", x));
    if (!op->ghosts) return RW_OK;
    RW_TRY(find_kernels(op, x->dtype, &k));
    const rw_arg a[] = {rw_arg_array(x), rw_arg_array(op->to), rw_arg_int(op->ghosts)};
    return rw_launch(q, k->clear, (int64_t[3]){groups_of(op, x->dtype), 1, 1}, a, 3);
}

rw_status rw_multiblock_multiply(rw_multiblock *op, const double alpha[2], rw_array *x, const double beta[2],
                                 rw_array *y, rw_queue *q)
{
    RW_NEED(op, "op");
    RW_NEED(x, "x");
    RW_NEED(y, "y");
    RW_NEED(q, "queue");
    rw_context *ctx = op->device->ctx;
    const int64_t length = op->grid.extended_cells * RW_UNKNOWNS;
    rw_product p = {.x = x, .z = y, .y = y, .vectors = 1, .alpha = {1, 0}};
    RW_TRY(check_vector(op, "x", x));
    RW_TRY(check_vector(op, "y", y));
    if (x == y)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "x and y are the same array: a product needs two different arrays");
    if (x->dtype != y->dtype)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "x is of %s, y of %s: the types must be equal", rw_dtype_name(x->dtype),
                       rw_dtype_name(y->dtype));
    RW_TRY(check_type(op, x->dtype));
    if (alpha) memcpy(p.alpha, alpha, sizeof p.alpha);
    if (beta) memcpy(p.beta, beta, sizeof p.beta);
    if (!rw_dtype_is_complex(x->dtype) && (p.alpha[1] != 0 || p.beta[1] != 0))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "alpha and beta must be real for vectors of %s", rw_dtype_name(x->dtype));
    RW_TRY(rw_multiblock_exchange(op, x, q));
    for (int64_t b = 0; b < op->grid.blocks; ++b) {
        p.x_from = p.y_from = b * length;
        RW_TRY(rw_operator_run(rw_sparse_operator(op->matrix[b]), &p, q));
    }
    return RW_OK;
}

/* ---- for solvers ------------------------------------------------------------------------------------------------- */

typedef struct whole {
    rw_multiblock *op;
    rw_dtype type; /* of vectors */
} whole;

/* Ghost cells of x are 0 before and after it, so that sums over x count each cell once. */
static rw_status multiply(void *user, rw_op op, rw_array *x, rw_array *y, rw_queue *q)
{
    const whole *w = user;
    (void)op; /* it has no transpose */
    RW_TRY(rw_multiblock_multiply(w->op, NULL, x, NULL, y, q));
    return rw_multiblock_clear(w->op, x, q);
}

/* Of the rows of a grid block, from element `at` on; 1 of ghosts. */
static rw_status put_diagonal(const whole *w, rw_sparse *m, rw_array *d, int64_t at, void *to)
{
    const void *from;
    int64_t cell[RW_AXES];
    RW_TRY(rw_operator_get_diagonal(rw_sparse_operator(m), d));
    RW_TRY(rw_array_read(d, &from));
    for (int64_t i = 0; i < d->size; ++i) {
        const bool inside = rw_multiblock_locate(&w->op->grid, i / RW_UNKNOWNS, true, cell);
        rw_value_add(w->type, to, at + i, inside ? rw_value_get(d->dtype, from, i, 0) : 1,
                     inside ? rw_value_get(d->dtype, from, i, 1) : 0);
    }
    return RW_OK;
}

static rw_status diagonal(void *user, rw_array *to)
{
    const whole *w = user;
    const rw_multiblock *op = w->op;
    const int64_t length = op->size / op->grid.blocks;
    rw_array *d;
    void *data;
    RW_TRY(rw_array_create(op->device, rw_sparse_get_layout(op->matrix[0])->values, 1, &length, RW_MEMORY_DEVICE, &d));
    rw_status status = rw_array_write(to, &data);
    if (status == RW_OK) memset(data, 0, (size_t)to->size * rw_dtype_size(to->dtype));
    for (int64_t b = 0; status == RW_OK && b < op->grid.blocks; ++b)
        status = put_diagonal(w, op->matrix[b], d, b * length, data);
    rw_array_destroy(&d);
    return status;
}

static void end(void *user)
{
    whole *w = user;
    rw_multiblock_destroy(&w->op);
    rw_free(w);
}

rw_status rw_multiblock_operator(rw_multiblock *op, rw_dtype type, rw_operator **whole_op)
{
    RW_NEED(whole_op, "whole");
    *whole_op = NULL;
    RW_NEED(op, "op");
    if (rw_dtype_is_number(type)) RW_TRY(check_type(op, type)); /* otherwise the operator rejects the type */
    whole *w = rw_calloc(1, sizeof *w);
    if (!w) return rw_fail_memory(op->device->ctx, sizeof *w, "an operator of grid blocks");
    *w = (whole){op, type};
    const rw_operator_spec spec = {.rows = op->size,
                                   .columns = op->size,
                                   .type = type,
                                   .multiply = multiply,
                                   .diagonal = diagonal,
                                   .destroy = end,
                                   .user = w};
    const rw_status status = rw_operator_create(op->device, &spec, whole_op);
    if (status == RW_OK) __atomic_add_fetch(&op->references, 1, __ATOMIC_RELAXED);
    else rw_free(w);
    return status;
}
