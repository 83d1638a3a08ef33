/* Specifications of preconditioners as text, their defaults and limits; create, apply, destroy. */
#include "precond/precond.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const rw_precond_ops *const methods[] = {
    [RW_PRECOND_NONE] = NULL,
    [RW_PRECOND_JACOBI] = &rw_precond_jacobi,
    [RW_PRECOND_SSOR] = &rw_precond_ssor,
    [RW_PRECOND_ILU] = &rw_precond_ilu,
    [RW_PRECOND_MILU] = &rw_precond_ilu,
    [RW_PRECOND_ILUT] = &rw_precond_ilut,
    [RW_PRECOND_CHEBYSHEV] = &rw_precond_chebyshev,
    [RW_PRECOND_AMG] = &rw_precond_amg,
    [RW_PRECOND_ICC] = &rw_precond_icc,
};
enum {
    FOR_ILU = 1 << RW_PRECOND_ILU | 1 << RW_PRECOND_MILU,
    FOR_LEVELS = FOR_ILU | 1 << RW_PRECOND_ICC,
    FOR_FACTORS = FOR_LEVELS | 1 << RW_PRECOND_SSOR | 1 << RW_PRECOND_ILUT,
    FOR_SMOOTHER = 1 << RW_PRECOND_CHEBYSHEV | 1 << RW_PRECOND_AMG,
};

/* ---- parameters -------------------------------------------------------------------------------------------------- */

#define ROW(member, kind, standard, allowed, line, ...)                                                                \
    RW_ROW(rw_precond_spec, member, kind, standard, allowed, line, __VA_ARGS__)
static const char choices[] =
#define RW_X(name, text, line) text "|"
    RW_PRECOND_METHOD_LIST(RW_X);
#undef RW_X
static const rw_param rows[] = {
    ROW(method, ENUM, "none", choices, "method: see rechenwerk list preconditioners", .brief = NULL),
    ROW(level, INT, "0", "[0, 10]", "level of fill: 0 keeps the pattern of the matrix", .methods = FOR_LEVELS,
        .brief = "@"),
    ROW(drop, REAL, "1e-3", "(0, 1)", "drop tolerance for factor entries, relative to the norm of their row",
        .methods = 1 << RW_PRECOND_ILUT),
    ROW(fill, INT, "10", "[1, 1000]",
        "maximum number of entries that a factor row has in addition to those of the matrix row",
        .methods = 1 << RW_PRECOND_ILUT),
    ROW(omega, REAL, "1", "(0, 2)", "relaxation factor", .methods = 1 << RW_PRECOND_SSOR),
    ROW(degree, INT, "4; amg: 2", "[1, 100]", "degree of the Chebyshev polynomial; for amg that of the smoother",
        .methods = FOR_SMOOTHER),
    ROW(theta, REAL, "", "[0, 1)",
        "strength threshold: i and j are strongly coupled if |a_ij|^2 > theta^2 |a_ii| |a_jj|",
        .methods = 1 << RW_PRECOND_AMG),
    ROW(order, ENUM, "auto", "natural|colours", "order of elimination of the rows", .methods = FOR_FACTORS),
    ROW(iterations, INT, "", "[1, 100]", "number of sweeps over all rows at once that approximate the factors",
        .methods = FOR_ILU),
    ROW(sweeps, INT, "", "[1, 100]", "number of Jacobi sweeps that approximate a triangular solve",
        .methods = FOR_FACTORS),
    ROW(f32, BOOL, "false", "", "single-precision storage", .brief = NULL),
    ROW(scaled, BOOL, "false", "", "storage as 16-bit integers with one scale factor per row", .brief = NULL),
    ROW(block, INT, "", "auto|[1, 16]", "rows and columns per block", .brief = NULL),
};

RW_PARAMS(rw_precond_params, rw_precond_spec, rows, "preconditioner", "a preconditioner")

rw_status rw_precond_parse(rw_context *ctx, const char *text, rw_precond_spec *spec)
{
    RW_NEED(ctx, "context");
    RW_NEED(text, "text");
    RW_NEED(spec, "spec");
    return rw_params_parse(ctx, rw_precond_params(), text, spec);
}

void rw_precond_print(const rw_precond_spec *s, char *text, size_t size)
{
    rw_params_print(rw_precond_params(), s, text, size);
}

/* *s: the specification with its defaults. */
static rw_status check(rw_context *ctx, rw_operator *a, rw_dtype vectors, rw_precond_spec *s)
{
    const int64_t n = a->info.rows, columns = a->info.columns;
    RW_TRY(rw_precond_resolve(ctx, rw_device_has_threads(a->device), s));
    const char *name = rw_precond_method_name(s->method);
    if (s->method == RW_PRECOND_NONE) return rw_fail(ctx, RW_ERR_ARGUMENT, "method = none: choose a preconditioner");
    if (s->block == RW_PRECOND_BLOCK_AUTO && s->method != RW_PRECOND_AMG)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "preconditioner %s: block = auto is for amg only: set the block size",
                       name);
    if (n != columns)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "an operator of %lld x %lld: a preconditioner needs a square operator",
                       (long long)n, (long long)columns);
    if (!rw_dtype_is_number(vectors))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "vectors of %s: the type must be f32, f64, c64 or c128",
                       rw_dtype_name(vectors));
    if (methods[s->method]->needs_entries && !rw_sparse_of(a))
        return rw_fail(
            ctx, RW_ERR_UNSUPPORTED,
            "preconditioner %s needs matrix entries, and this operator of %lld x %lld is matrix-free: use jacobi or "
            "chebyshev, or assemble a matrix",
            name, (long long)n, (long long)columns);
    return rw_operator_check(a, RW_OP_NONE, vectors);
}

/* On a GPU each level is a launch, and the launches of the natural order cost more than the additional iterations of a
 * multicolour order. The natural order is kept with fill, which creates levels between colours again; for sweeps and
 * iterations, which have no levels; and for milu, which is poor if neighbours are not consecutive. */
static rw_precond_order order_of(bool threads, const rw_precond_spec *s)
{
    const bool by_launches = (s->method == RW_PRECOND_ILU || s->method == RW_PRECOND_ICC) && !s->level && !s->sweeps &&
                             !s->iterations && threads;
    return s->method == RW_PRECOND_SSOR || by_launches ? RW_ORDER_COLOURS : RW_ORDER_NATURAL;
}

rw_status rw_precond_resolve(rw_context *ctx, bool threads, rw_precond_spec *s)
{
    RW_TRY(rw_reserved_check(ctx, "rw_precond_spec", s->reserved, RW_COUNT(s->reserved)));
    RW_CHECK_MEMBERS(ctx, rw_precond_spec, s);
    RW_TRY(rw_params_resolve(ctx, rw_precond_params(), NULL, s));
    if (!s->order) s->order = order_of(threads, s);
    return RW_OK;
}

int64_t rw_precond_memory(const rw_precond_spec *s, const rw_sparse_layout *layout, const rw_sparse_size *size,
                          rw_dtype vectors, bool *all)
{
    if (!s || !size) return 0;
    rw_sparse_layout resolved = {.values = vectors}, *l = &resolved;
    if (layout && rw_sparse_layout_resolve(NULL, layout, l) != RW_OK) return 0;
    const rw_host h = {.r = RW_MAX(l->block_rows, 1), .parts = 1 + rw_dtype_is_complex(l->values)};
    const rw_sparse_layout kept = rw_host_layout(&h, rw_precond_store(s, false));
    const int64_t r = h.r, vector = size->rows * (int64_t)rw_dtype_size(vectors),
                  block = r * r * (int64_t)rw_sparse_value_size(&kept) + 4;
    const int64_t scales = s->scaled ? (int64_t)sizeof(uint16_t) * size->rows : 0,
                  diagonal = size->rows / r * block + scales;
    if (all)
        *all = s->method != RW_PRECOND_AMG && s->method != RW_PRECOND_ILUT &&
               !(FOR_LEVELS >> s->method & 1 && s->level > 0);
    switch (s->method) {
    case RW_PRECOND_JACOBI:
    case RW_PRECOND_AMG:
    case RW_PRECOND_ILUT: return diagonal;
    case RW_PRECOND_CHEBYSHEV: return diagonal + 3 * vector;
    case RW_PRECOND_SSOR:
    case RW_PRECOND_ILU:
    case RW_PRECOND_ICC:
    case RW_PRECOND_MILU: return size->blocks * block + 3 * scales + (s->sweeps ? 2 * vector : 0);
    default: return 0;
    }
}

/* ---- create, apply, destroy -------------------------------------------------------------------------------------- */

enum { GROUP = 256, EACH_ITEM = 4 };

rw_status rw_precond_build(rw_precond *p)
{
    RW_TRY(rw_program_create_with(p->device, "precond.k", rw_embedded_text("precond.k"), &p->program,
                                  "GROUP=%d EACH_ITEM=%d REAL=%s", GROUP, EACH_ITEM, rw_dtype_real(p->type)));
    return rw_program_kernel(p->program, "add", &p->add);
}

rw_status rw_precond_add(const rw_precond *p, rw_array *x, int64_t from, rw_array *y, bool zero, rw_queue *q)
{
    const int64_t parts = 1 + rw_dtype_is_complex(p->type), n = y->size * parts, piece = GROUP * EACH_ITEM;
    const rw_arg a[] = {rw_arg_array(x), rw_arg_int(from * parts), rw_arg_array(y), rw_arg_int(n), rw_arg_int(zero)};
    return rw_launch(q, p->add, (int64_t[3]){(n + piece - 1) / piece, 1, 1}, a, 5);
}

rw_status rw_precond_warm_up(rw_precond *p)
{
    rw_array *x = NULL, *y = NULL;
    rw_status status = rw_array_create(p->device, p->type, 1, &p->n, RW_MEMORY_DEVICE, &x);
    if (status == RW_OK) status = rw_array_create(p->device, p->type, 1, &p->n, RW_MEMORY_DEVICE, &y);
    if (status == RW_OK) status = rw_array_zero(x, p->device->queue);
    if (status == RW_OK) status = rw_array_zero(y, p->device->queue);
    if (status == RW_OK) status = p->ops->apply(p, x, 0, y, p->device->queue);
    rw_array_destroy(&x);
    rw_array_destroy(&y);
    return status;
}

rw_status rw_precond_create(rw_operator *a, rw_dtype vectors, const rw_precond_spec *given, rw_precond **precond)
{
    RW_NEED(precond, "precond");
    *precond = NULL;
    RW_NEED(a, "op");
    RW_NEED(given, "spec");
    const double start = rw_seconds();
    rw_precond_spec resolved = *given, *spec = &resolved;
    RW_TRY(check(a->device->ctx, a, vectors, spec));
    rw_precond *p = rw_calloc(1, sizeof *p);
    if (!p) return rw_fail_memory(a->device->ctx, sizeof *p, "a preconditioner");
    p->device = rw_device_retain(a->device);
    p->spec = *spec;
    p->ops = methods[spec->method];
    p->type = vectors;
    p->n = a->info.rows;
    p->info.shift_row = -1;
    if (p->ops->use) p->a = rw_operator_retain(a);
    rw_sparse *copy = NULL;
    int block = 1;
    const rw_cancel *outer = rw_cancel_enter(spec->cancel);
    rw_status status = rw_precond_build(p);
    if (status == RW_OK) status = rw_precond_blocks(a, spec, &block, &copy);
    if (status == RW_OK) status = p->ops->create(p, copy ? rw_sparse_operator(copy) : a);
    if (status == RW_OK && copy && p->ops->use) p->ops->use(p, a);
    rw_sparse_destroy(&copy);
    p->info.block = block;
    if (status == RW_OK && p->n) status = rw_precond_warm_up(p);
    rw_cancel_leave(outer);
    p->spec.cancel = NULL;
    p->info.seconds = rw_seconds() - start;
    if (status == RW_OK) *precond = p;
    else rw_precond_destroy(&p);
    return status;
}

void rw_precond_destroy(rw_precond **precond)
{
    if (!precond) return;
    rw_precond *p = *precond;
    *precond = NULL;
    if (!p) return;
    if (p->method) p->ops->free(p);
    rw_free(p->method);
    rw_operator_release(&p->a);
    rw_program_destroy(&p->program);
    rw_device_close(&p->device);
    rw_free(p);
}

rw_status rw_precond_run(rw_precond *p, rw_array *x, int64_t from, rw_array *y, rw_queue *q)
{
    return p->n ? p->ops->apply(p, x, from, y, q) : RW_OK;
}
rw_operator *rw_precond_product(const rw_precond *p) { return p && p->ops->product ? p->ops->product(p) : NULL; }

void rw_precond_count(rw_precond *p, const rw_sparse *m)
{
    const rw_sparse_size size = rw_sparse_size_of(m);
    p->info.blocks += size.blocks;
    p->info.bytes += size.bytes;
}

rw_status rw_precond_get_spec(const rw_precond *p, rw_precond_spec *spec)
{
    RW_NEED(p, "precond");
    RW_NEED(spec, "spec");
    *spec = p->spec;
    return RW_OK;
}

rw_status rw_precond_get_info_sized(const rw_precond *p, rw_precond_info *info, size_t info_size)
{
    RW_NEED(p, "precond");
    RW_NEED(info, "info");
    return rw_struct_out(RW_OK, info, info_size, &p->info, sizeof p->info);
}

rw_status rw_precond_apply(rw_precond *p, rw_array *r, rw_array *z, rw_queue *q)
{
    RW_NEED(p, "precond");
    RW_NEED(r, "r");
    RW_NEED(z, "z");
    RW_NEED(q, "queue");
    const rw_array *both[] = {r, z};
    for (int i = 0; i < 2; ++i)
        if (both[i]->device != p->device || both[i]->dtype != p->type || both[i]->size != p->n)
            return rw_fail(p->device->ctx, RW_ERR_ARGUMENT,
                           "%s has %lld entries of %s on %s: the preconditioner needs %lld entries of %s on %s",
                           i ? "z" : "r", (long long)both[i]->size, rw_dtype_name(both[i]->dtype),
                           both[i]->device->info.name, (long long)p->n, rw_dtype_name(p->type), p->device->info.name);
    if (r == z)
        return rw_fail(p->device->ctx, RW_ERR_ARGUMENT,
                       "r and z are the same array: a preconditioner needs two different arrays");
    return rw_precond_run(p, r, 0, z, q);
}
