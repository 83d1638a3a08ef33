/* Operators from a callback that enqueues y <- op(A) x.
 *
 * The callback gets whole vectors. An x that is part of a larger array or interleaved is copied first. For such a y, or
 * if alpha, beta or z are used, the callback writes a work vector of the operator that finish.k reads. Cost: 2 vector
 * passes for x, 2 or more for y. A plain y <- A x of whole vectors calls only the callback; partial sums need one more
 * kernel, which reads y and w. */
#include "operator/operator.h"

/* Kernels of function.k: for interleaved vectors, for one vector, for one vector with partial sums. */
typedef enum variant { BESIDE, ALONE, SUMS, VARIANTS } variant;

typedef struct kernels {
    rw_program *program;
    rw_kernel *piece, *finish, *sums;
} kernels;

typedef struct function {
    rw_operator op;
    rw_operator_spec spec;
    kernels kernels[VARIANTS]; /* compiled at first use */
    rw_array *x, *y;           /* work vectors of `rows` and `columns` entries, created at first use */
} function;

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

static int group_of(const function *f) { return rw_device_has_threads(f->op.device) ? 128 : 1024; }
/* Elements of an item: on a GPU enough that loads are in flight while a group adds up. */
static int pieces_of(const function *f) { return rw_device_has_threads(f->op.device) ? 8 : 1; }

static int64_t groups_of(const function *f, int64_t n)
{
    const int64_t all = (int64_t)group_of(f) * pieces_of(f);
    return (n + all - 1) / all;
}

static rw_status build(function *f, variant which, kernels *k)
{
    rw_context *ctx = f->op.device->ctx;
    const rw_dtype type = f->op.info.type;
    rw_text d = {0}, text = {0};
    rw_product_types(&d, rw_dtype_real(type), rw_dtype_real(type), rw_dtype_is_complex(type), type);
    rw_text_add(&d, "GROUP=%d PIECES=%d VECTORS=1 WIDE=1 ALONE=%d DOTS=%d", group_of(f), pieces_of(f), which != BESIDE,
                which == SUMS);
    rw_text_add(&text, "%s\n%s\n%s", rw_embedded_text("values.k"), rw_embedded_text("function.k"),
                rw_embedded_text("finish.k"));
    rw_status status = d.failed || text.failed ? rw_fail_memory(ctx, 4096, "the source of an operator kernel") : RW_OK;
    if (status == RW_OK)
        status = rw_program_create_with(f->op.device, "function.k", text.data, &k->program, "%s", d.data);
    rw_text_free(&d);
    rw_text_free(&text);
    if (status == RW_OK) status = rw_program_kernel(k->program, "piece", &k->piece);
    if (status == RW_OK) status = rw_program_kernel(k->program, "sums", &k->sums);
    if (status == RW_OK) status = rw_program_kernel(k->program, "finish", &k->finish);
    if (status != RW_OK) rw_program_destroy(&k->program);
    return status;
}

/* ---- products --------------------------------------------------------------------------------------------------- */

/* The op that is passed to the callback. */
static rw_op op_of(const function *f, rw_op op)
{
    const bool same = op == RW_OP_CONJUGATE || !rw_dtype_is_complex(f->op.info.type);
    return f->spec.hermitian && same ? RW_OP_NONE : op;
}

static rw_status own(function *f, int64_t n, rw_array **array)
{
    return *array ? RW_OK : rw_array_create(f->op.device, f->op.info.type, 1, &n, RW_MEMORY_DEVICE, array);
}

static bool is_whole(const rw_array *a, const rw_product *p, int64_t from, int64_t n)
{
    return a->ndim == 1 && a->size == n && from == 0 && p->vectors == 1;
}

static rw_status call(function *f, rw_op op, rw_array *x, rw_array *y, rw_queue *q)
{
    rw_context *ctx = f->op.device->ctx;
    const unsigned before = rw_failures();
    rw_status status = f->spec.multiply(f->spec.user, op_of(f, op), x, y, q);
    status = rw_callback_status(ctx, status, before, "rw_operator_spec.multiply");
    if (status == RW_OK || !q->recording) return status;
    return rw_fail_prefix(
        ctx, status,
        "the function of an operator while a solver records it (a function that copies or waits needs direct = true)");
}

/* One vector of those side by side. */
static rw_status run_one(function *f, const rw_product *p, rw_queue *q)
{
    const bool transposed = p->op != RW_OP_NONE,
               plain = p->alpha[0] == 1 && p->alpha[1] == 0 && p->beta[0] == 0 && p->beta[1] == 0;
    const int64_t rows = f->op.info.rows, columns = f->op.info.columns, nx = transposed ? rows : columns,
                  ny = transposed ? columns : rows;
    const bool straight = plain && is_whole(p->y, p, p->y_from, ny), whole = is_whole(p->x, p, p->x_from, nx);
    const variant which = p->part ? SUMS : p->vectors == 1 ? ALONE : BESIDE;
    rw_array **own_x = transposed ? &f->y : &f->x, **own_y = transposed ? &f->x : &f->y;
    kernels *k = &f->kernels[which];
    if ((!whole || !straight || p->part) && !k->program) RW_TRY(build(f, which, k));
    if (!whole) {
        RW_TRY(own(f, nx, own_x));
        const rw_arg a[] = {rw_arg_array(p->x), rw_arg_array(*own_x), rw_arg_int(nx), rw_arg_int(p->vectors),
                            rw_arg_int(p->x_from)};
        RW_TRY(rw_launch(q, k->piece, (int64_t[3]){groups_of(f, nx), 1, 1}, a, RW_COUNT(a)));
    }
    if (!straight) RW_TRY(own(f, ny, own_y));
    RW_TRY(call(f, p->op, whole ? p->x : *own_x, straight ? p->y : *own_y, q));
    if (!straight) {
        rw_arg a[RW_PRODUCT_ARGS] = {rw_arg_array(*own_y), rw_arg_int(1)};
        const int n = rw_product_args(p, ny, NULL, a, 2);
        return rw_launch(q, k->finish, (int64_t[3]){groups_of(f, ny), 1, 1}, a, n);
    }
    if (!p->part) return RW_OK;
    const rw_arg a[] = {rw_arg_array(p->y), rw_arg_array(p->w), rw_arg_array(p->part), rw_arg_int(ny)};
    return rw_launch(q, k->sums, (int64_t[3]){groups_of(f, ny), 1, 1}, a, RW_COUNT(a));
}

static rw_status run(rw_operator *a, const rw_product *p, rw_queue *q)
{
    rw_product one = *p;
    for (int v = 0; v < p->vectors; ++v) {
        one.x_from = p->x_from + v;
        one.y_from = p->y_from + v;
        RW_TRY(run_one((function *)a, &one, q));
    }
    return RW_OK;
}

static int64_t groups(const rw_operator *a, rw_op op)
{
    return groups_of((const function *)a, op == RW_OP_NONE ? a->info.rows : a->info.columns);
}

static rw_status diagonal(rw_operator *a, rw_array *diagonal)
{
    const function *f = (const function *)a;
    const unsigned before = rw_failures();
    const rw_status status = f->spec.diagonal(f->spec.user, diagonal);
    return rw_callback_status(a->device->ctx, status, before, "rw_operator_spec.diagonal");
}

static void free_function(rw_operator *a)
{
    function *f = (function *)a;
    if (f->spec.destroy) f->spec.destroy(f->spec.user);
    rw_array_destroy(&f->x);
    rw_array_destroy(&f->y);
    for (int i = 0; i < VARIANTS; ++i) rw_program_destroy(&f->kernels[i].program);
    rw_free(f);
}

static const rw_operator_ops ops = {.run = run, .groups = groups, .diagonal = diagonal, .free = free_function};

/* ---- create ----------------------------------------------------------------------------------------------------- */

static rw_status check(rw_context *ctx, const rw_operator_spec *s, rw_dtype type)
{
    if (s->rows < 1 || s->columns < 1)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "an operator of %lld x %lld: it must have at least one row and one column",
                       (long long)s->rows, (long long)s->columns);
    if (!rw_dtype_is_number(type))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "an operator of %s: the type must be f32, f64, c64 or c128",
                       rw_dtype_name(type));
    if (!s->multiply)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "rw_operator_spec.multiply is NULL: it must be a function that enqueues y <- A x");
    if (s->hermitian && s->rows != s->columns)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "a hermitian operator of %lld x %lld: a hermitian operator must be square",
                       (long long)s->rows, (long long)s->columns);
    return RW_OK;
}

rw_status rw_operator_create_sized(rw_device *dev, const rw_operator_spec *spec, rw_operator **op, size_t spec_size)
{
    RW_NEED(op, "op");
    *op = NULL;
    RW_NEED(dev, "device");
    RW_NEED(spec, "spec");
    RW_STRUCT_IN(dev->ctx, rw_operator_spec, spec, spec_size);
    const rw_dtype type = spec->type ? spec->type : RW_F64;
    RW_TRY(check(dev->ctx, spec, type));
    function *f = rw_calloc(1, sizeof *f);
    if (!f) return rw_fail_memory(dev->ctx, sizeof *f, "an operator");
    rw_operator_init(&f->op, &ops, dev);
    f->spec = *spec;
    f->op.info = (rw_operator_info){.rows = spec->rows,
                                    .columns = spec->columns,
                                    .type = type,
                                    .transposes = spec->transposes || (spec->hermitian && !rw_dtype_is_complex(type)),
                                    .adjoint = spec->transposes || spec->hermitian,
                                    .diagonal = spec->diagonal != NULL,
                                    .direct = spec->direct};
    *op = &f->op;
    return RW_OK;
}
