/* Linear maps without entries: a function of the caller's puts y <- op(A) x into the queue.
 *
 * It gets whole vectors. Where x lies in a larger array or beside others it is copied first, and where y does, or alpha, beta or z are asked for, the function writes a vector of the matrix that
 * finish.k reads: 2 vector passes for x, 2 and more for y. Where y <- A x is all, of whole vectors, there is nothing besides the function; sums are one kernel more that reads y and w. */
#include "sparse/multiply.h"

rw_status rw_sparse_need_entries(const rw_sparse *m)
{
    if (!rw_sparse_is_free(m)) return RW_OK;
    return rw_fail(m->device->ctx, RW_ERR_UNSUPPORTED, "this map of %lld x %lld is a function and has no entries: put a matrix together, with rw_sparse_create or rw_sparse_from_entries", (long long)m->rows,
                   (long long)m->columns);
}

/* The op that the function is asked for. */
static bool op_of(const rw_sparse *m, rw_op op, rw_op *asked)
{
    const bool same = m->map.hermitian && (op == RW_OP_CONJUGATE || !rw_dtype_is_complex(m->layout.values));
    *asked = same ? RW_OP_NONE : op;
    return *asked == RW_OP_NONE || m->map.transposes;
}

rw_status rw_free_check(const rw_sparse *m, rw_op op, rw_dtype vectors)
{
    rw_op asked;
    if (vectors != m->layout.values)
        return rw_fail(m->device->ctx, RW_ERR_ARGUMENT, "vectors of %s: this map without entries takes %s", rw_dtype_name(vectors), rw_dtype_name(m->layout.values));
    if (op_of(m, op, &asked)) return RW_OK;
    return rw_fail(m->device->ctx, RW_ERR_UNSUPPORTED, "this map without entries has no %s: only A x is possible", op == RW_OP_TRANSPOSE ? "transpose" : "conjugate transpose");
}

/* ---- products ------------------------------------------------------------------------------------------------------------------ */

/* Numbers of an item: on a GPU so many that loads are under way while a group adds up. */
static int pieces(const rw_sparse *m) { return m->threads ? 8 : 1; }

static void define(const rw_sparse *m, const rw_product_program *p, rw_text *d)
{
    (void)p;
    rw_text_add(d, "GROUP=%d PIECES=%d", rw_product_group(m), pieces(m));
}

static int64_t groups_of(const rw_sparse *m, int64_t n)
{
    const int64_t rows = (int64_t)rw_product_group(m) * pieces(m);
    return (n + rows - 1) / rows;
}
static int64_t groups(const rw_sparse *m) { return groups_of(m, m->rows); }

/* A vector of the matrix, made when first needed. */
static rw_status own(rw_sparse *m, int64_t n, rw_array **array) { return *array ? RW_OK : rw_array_create(m->device, m->layout.values, 1, &n, RW_MEMORY_DEVICE, array); }

static bool whole(const rw_array *a, const rw_product *p, int64_t from, int64_t n) { return a->ndim == 1 && a->size == n && from == 0 && p->stride == 1; }

static rw_status copy_piece(rw_sparse *m, const rw_product *p, int64_t n, rw_array *to, rw_queue *q)
{
    const rw_arg a[] = {rw_arg_array(p->x), rw_arg_array(to), rw_arg_int(n), rw_arg_int(p->stride), rw_arg_int(p->x_from)};
    return rw_launch(q, p->program->multiply, (int64_t[3]){groups_of(m, n), 1, 1}, a, RW_COUNT(a));
}

static rw_status add_up(rw_sparse *m, const rw_product *p, int64_t n, rw_queue *q)
{
    const rw_arg a[] = {rw_arg_array(p->y), rw_arg_array(p->w), rw_arg_array(p->part), rw_arg_int(n)};
    return rw_launch(q, p->program->more, (int64_t[3]){groups_of(m, n), 1, 1}, a, RW_COUNT(a));
}

/* y <- alpha s + beta z */
static rw_status finish(rw_sparse *m, const rw_product *p, int64_t n, rw_array *s, rw_queue *q)
{
    rw_arg a[RW_PRODUCT_ARGS] = {rw_arg_array(s), rw_arg_int(1)};
    const int nargs = rw_product_args(m, p, a, 2);
    return rw_launch(q, p->program->finish, (int64_t[3]){groups_of(m, n), 1, 1}, a, nargs);
}

static rw_status launch(rw_sparse *m, const rw_product *p, rw_queue *q)
{
    const bool transposed = p->program->op != RW_OP_NONE, plain = p->alpha[0] == 1 && p->alpha[1] == 0 && p->beta[0] == 0 && p->beta[1] == 0;
    const int64_t nx = transposed ? m->rows : m->columns, ny = transposed ? m->columns : m->rows;
    const bool straight = plain && whole(p->y, p, p->y_from, ny);
    rw_array **own_x = transposed ? &m->scratch : &m->tails, **own_y = transposed ? &m->tails : &m->scratch, *x = p->x;
    rw_op op;
    op_of(m, p->program->op, &op);
    if (!whole(x, p, p->x_from, nx)) {
        RW_TRY(own(m, nx, own_x));
        RW_TRY(copy_piece(m, p, nx, *own_x, q));
        x = *own_x;
    }
    if (!straight) RW_TRY(own(m, ny, own_y));
    const unsigned before = rw_failures();
    rw_status status = m->map.multiply(m->map.user, op, x, straight ? p->y : *own_y, q);
    status = rw_callback_status(m->device->ctx, status, before, "rw_sparse_free.multiply");
    if (status != RW_OK && q->recording) return rw_fail_prefix(m->device->ctx, status, "function of a map without entries, recorded by a solver (one that copies or waits must say so: direct = true)");
    RW_TRY(status);
    if (!straight) return finish(m, p, ny, *own_y, q);
    return p->part ? add_up(m, p, ny, q) : RW_OK;
}

static const rw_sparse_ops ops = {.kernel = "free.k", .more = "sums", .define = define, .groups = groups, .launch = launch};

/* ---- create ---------------------------------------------------------------------------------------------------------------------- */

rw_status rw_sparse_create_free(rw_device *dev, const rw_sparse_free *map, rw_sparse **matrix)
{
    RW_NEED(matrix, "matrix");
    *matrix = NULL;
    RW_NEED(dev, "device");
    RW_NEED(map, "map");
    if (map->rows < 1 || map->columns < 1) return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "a map of %lld x %lld: 1 row and column at least are needed", (long long)map->rows, (long long)map->columns);
    if (!rw_dtype_is_number(map->values)) return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "a map of %s: f32, f64, c64 or c128 is needed", rw_dtype_name(map->values));
    if (!map->multiply) return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "a map with multiply = NULL: a function that puts y <- A x into a queue is needed");
    if (map->hermitian && map->rows != map->columns) return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "a hermitian map of %lld x %lld: it must be square", (long long)map->rows, (long long)map->columns);
    rw_sparse *m = rw_calloc(1, sizeof *m);
    if (!m) return rw_fail_memory(dev->ctx, sizeof *m, "a map without entries");
    m->device = rw_device_retain(dev), m->threads = rw_sparse_wants_threads(dev), m->ops = &ops, m->map = *map;
    m->layout = (rw_sparse_layout){.format = RW_SPARSE_FREE, .values = map->values, .block_rows = 1, .block_columns = 1};
    m->block_rows = m->rows = map->rows, m->block_columns = m->columns = map->columns;
    *matrix = m;
    return RW_OK;
}
