/* Solvers of linear systems: names, checks, memory, creation. The iterations are in solve.c. */
#include "krylov/krylov.h"

#include <math.h>
#include <string.h>

static const rw_krylov_ops *const methods[] = {[RW_KRYLOV_CG] = &rw_krylov_cg,
                                               [RW_KRYLOV_BICGSTAB] = &rw_krylov_bicgstab,
                                               [RW_KRYLOV_GMRES] = &rw_krylov_gmres,
                                               [RW_KRYLOV_FGMRES] = &rw_krylov_fgmres,
                                               [RW_KRYLOV_IDR] = &rw_krylov_idr};
static const char *const reasons[] = {
#define RW_X(name, text) text,
    RW_KRYLOV_REASON_LIST(RW_X)
#undef RW_X
};

const char *rw_krylov_reason_text(rw_krylov_reason reason)
{
    return (unsigned)reason < RW_COUNT(reasons) ? reasons[reason] : "?";
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

#define ROW(member, kind, standard, allowed, line, ...)                                                                \
    RW_ROW(rw_krylov_spec, member, kind, standard, allowed, line, __VA_ARGS__)
enum { RESTARTED = 1 << RW_KRYLOV_GMRES | 1 << RW_KRYLOV_FGMRES | 1 << RW_KRYLOV_IDR };
static const char choices[] =
#define RW_X(name, text, line) text "|"
    RW_KRYLOV_METHOD_LIST(RW_X);
#undef RW_X
static const rw_param rows[] = {
    ROW(method, ENUM, "gmres", choices, "iterative method: see rechenwerk list solvers", .brief = NULL),
    ROW(rtol, REAL, "1e-8", "off|(0, inf)", "relative tolerance: stop when |b - A x| <= rtol |b|", .brief = NULL),
    ROW(atol, REAL, "off", "off|(0, inf)", "absolute tolerance: stop when |b - A x| <= atol", .brief = NULL),
    ROW(iterations, INT, "10000", "[1, 100000000]", "maximum number of iterations", .brief = ""),
    ROW(restart, INT, "30; idr: 4", "[1, 1000]; idr: [1, 16]",
        "basis vectors before a restart; for idr the dimension of the shadow space", .methods = RESTARTED),
    ROW(orthogonal, ENUM, "classical", "classical|modified",
        "Gram-Schmidt variant: classical (applied twice) or modified", .methods = 1 << RW_KRYLOV_GMRES),
    ROW(precond, TABLE, "none", "", "preconditioner with its options: see rechenwerk list preconditioners", .brief = "",
        .table = rw_precond_params),
};

RW_PARAMS(rw_krylov_params, rw_krylov_spec, rows, "solver", "a solver of linear systems A x = b")

rw_status rw_krylov_parse_sized(rw_context *ctx, const char *text, rw_krylov_spec *spec, size_t spec_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(text, "text");
    RW_NEED(spec, "spec");
    return rw_params_parse_sized(ctx, rw_krylov_params(), text, spec, spec_size);
}

/* ---- for the methods --------------------------------------------------------------------------------------------- */

rw_status rw_krylov_launch(rw_krylov *k, const char *name, int64_t groups, int64_t more, const rw_arg *args, int nargs)
{
    rw_kernel *kernel;
    RW_TRY(rw_program_kernel(k->program, name, &kernel));
    return rw_launch(k->queue, kernel, (int64_t[3]){groups, more, 1}, args, nargs);
}

/* Zeroed, because some imaginary parts of real sums are never written, but all are combined. */
rw_status rw_krylov_sums(rw_krylov *k, rw_sums *s, int64_t groups, int sums)
{
    s->groups = groups;
    const int64_t all = RW_MAX(groups, 1) * sums, few = 64 * (int64_t)sums;
    RW_TRY(rw_array_create(k->device, RW_F64, 1, &all, RW_MEMORY_DEVICE, &s->part));
    RW_TRY(rw_array_zero(s->part, k->queue));
    if (groups <= RW_KRYLOV_FEW) return RW_OK;
    RW_TRY(rw_array_create(k->device, RW_F64, 1, &few, RW_MEMORY_DEVICE, &s->few));
    return rw_array_zero(s->few, k->queue);
}

void rw_krylov_sums_free(rw_sums *s)
{
    rw_array_destroy(&s->part);
    rw_array_destroy(&s->few);
}

rw_status rw_krylov_reduce_partials(rw_krylov *k, rw_sums *s, int sums)
{
    s->now = s->few ? s->few : s->part;
    s->n = s->few ? 64 : s->groups;
    const rw_arg a[] = {rw_arg_array(s->part), rw_arg_array(s->few ? s->few : s->part), rw_arg_int(s->groups)};
    if (s->few) RW_TRY(rw_krylov_launch(k, "combine", 64, sums, a, 3));
    return rw_ranks_combine(k->queue, RW_RANK_SUM, s->now, 0, s->n * sums);
}

rw_status rw_krylov_product(rw_krylov *k, rw_operator *a, double alpha, rw_array *x, int64_t x_from, double beta,
                            rw_array *z, rw_array *y, int64_t y_from, rw_array *w, rw_sums *sums)
{
    const rw_product p = {.x = x,
                          .z = z,
                          .y = y,
                          .w = w,
                          .part = sums ? sums->part : NULL,
                          .vectors = 1,
                          .x_from = x_from,
                          .y_from = y_from,
                          .alpha = {a == k->a ? ldexp(alpha, -k->scale.a) : alpha, 0},
                          .beta = {beta, 0}};
    RW_TRY(rw_operator_run(a, &p, k->queue));
    return sums ? rw_krylov_reduce_partials(k, sums, 3) : RW_OK;
}

rw_status rw_krylov_precond(rw_krylov *k, rw_array *r, int64_t from, rw_array *z)
{
    RW_TRY(rw_precond_run(k->p, r, from, z, k->queue));
    return k->scale.m ? rw_krylov_rescale(k, z, z, -k->scale.m) : RW_OK;
}

void rw_krylov_forget(rw_krylov *k)
{
    for (int i = 0; k->sequence && i < rw_krylov_steps(k); ++i) rw_sequence_destroy(&k->sequence[i]);
}

rw_status rw_krylov_precondition(rw_krylov *k, rw_array *r, rw_array *z)
{
    rw_operator *one = rw_precond_product(k->p);
    if (one) return rw_krylov_product(k, one, ldexp(1, -k->scale.m), r, 0, 0, z, z, 0, r, &k->second);
    RW_TRY(rw_krylov_precond(k, r, 0, z));
    const rw_arg a[] = {rw_arg_array(r), rw_arg_array(z), rw_arg_array(k->second.part), rw_arg_int(k->n)};
    RW_TRY(rw_krylov_launch(k, "inner", k->groups, 1, a, 4));
    return rw_krylov_reduce_partials(k, &k->second, 1);
}

rw_status rw_krylov_begin(rw_krylov *k, rw_array *r, rw_array *b)
{
    const rw_arg s[] = {rw_arg_array(r), rw_arg_array(b), rw_arg_array(k->update.part), rw_arg_int(k->n)};
    RW_TRY(rw_krylov_launch(k, "squares", k->groups, 1, s, 4));
    RW_TRY(rw_krylov_reduce_partials(k, &k->update, 2));
    const rw_arg a[] = {rw_arg_array(k->update.now),
                        rw_arg_int(k->update.n),
                        rw_arg_array(k->state[0]),
                        rw_arg_array(k->history),
                        rw_arg_real(k->scale.on ? 0 : k->target * k->spec.rtol),
                        rw_arg_real(k->scale.on ? rw_krylov_scale_tolerance(k) : k->target * k->spec.atol),
                        rw_arg_real((double)k->spec.iterations),
                        rw_arg_real((double)k->begun),
                        rw_arg_real(k->ops->cycle ? 0 : (double)k->begun)};
    return rw_krylov_launch(k, "begin", 1, 1, a, 9);
}

enum { SMALL = 65536 }; /* number of unknowns below which a launch costs a GPU more than the vector operations */

/* ---- create, destroy --------------------------------------------------------------------------------------------- */

/* *s: the specification with its defaults. */
static rw_status check(rw_context *ctx, const rw_operator *a, rw_dtype vectors, rw_krylov_spec *s)
{
    RW_TRY(rw_params_resolve(ctx, rw_krylov_params(), NULL, s));
    s->rtol = fmax(s->rtol, 0);
    s->atol = fmax(s->atol, 0);
    if (s->rtol == 0 && s->atol == 0)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "rtol and atol are both off: set at least one, or the iteration has no stopping criterion");
    if (a->info.rows != a->info.columns)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "an operator of %lld x %lld: a solver needs a square operator",
                       (long long)a->info.rows, (long long)a->info.columns);
    if (!rw_dtype_is_number(vectors))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "vectors of %s: the type must be f32, f64, c64 or c128",
                       rw_dtype_name(vectors));
    return rw_operator_check(a, RW_OP_NONE, vectors);
}

static rw_status check_own(rw_context *ctx, const rw_operator *a, rw_dtype vectors, const rw_krylov_spec *s)
{
    const rw_operator *m = s->precond_operator;
    if (!m) return RW_OK;
    if (s->precond.method || s->inner)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "precond_operator and %s are both set: a solver has only one preconditioner",
                       s->inner ? "an inner solver" : rw_precond_method_name(s->precond.method));
    if (m->device != a->device)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "precond_operator is on %s, the operator on %s: both must be on the same rw_device, opened once",
                       m->device->info.name, a->device->info.name);
    if (m->info.rows != a->info.rows || m->info.columns != a->info.columns)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "precond_operator is %lld x %lld, the operator %lld x %lld: the sizes must be equal",
                       (long long)m->info.rows, (long long)m->info.columns, (long long)a->info.rows,
                       (long long)a->info.columns);
    const rw_status status = rw_operator_check(m, RW_OP_NONE, vectors);
    return status == RW_OK ? RW_OK : rw_fail_prefix(ctx, status, "precond_operator");
}

static rw_status check_inner(rw_context *ctx, const rw_krylov_spec *s)
{
    const rw_krylov_spec *in = s->inner;
    if (!in) return RW_OK;
    if (s->method != RW_KRYLOV_FGMRES)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "an inner solver with %s: this method needs a fixed preconditioner. Use fgmres",
                       rw_krylov_method_name(s->method));
    if (s->precond.method)
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "an inner solver and a preconditioner are both set: set the preconditioner in the specification of the "
            "inner solver");
    if (in->inner || in->monitor)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "an inner solver with %s: an inner solver must not have one",
                       in->inner ? "an inner solver of its own" : "a monitor");
    if (in->iterations > 1000)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "an inner solver with %lld iterations: the number must be 1 to 1000",
                       (long long)in->iterations);
    return RW_OK;
}

/* Elements per work-item of vector kernels: one on a GPU, until it is fully occupied. */
static int each_item_of(const rw_krylov *k)
{
    const int64_t fill = 256 * RW_MAX(k->device->info.units, 1) * 8;
    if (k->ops->few_unknowns) return 1;
    return rw_device_has_threads(k->device) ? (int)RW_MAX((k->n + fill - 1) / fill, 1) : 32;
}

static rw_status build(rw_krylov *k)
{
    const int each_item = each_item_of(k), group = RW_KRYLOV_GROUP;
    const char *const *name = k->ops->text, *part = rw_dtype_real(k->type);
    rw_text d = {0}, text = {0};
    k->groups = RW_MAX((k->n + group * each_item - 1) / (group * each_item), 1);
    rw_product_types(&d, "f64", part, rw_dtype_is_complex(k->type), k->type);
    rw_text_add(&d, "GROUP=%d EACH_ITEM=%d", group, each_item);
    if (k->ops->define) k->ops->define(k, &d);
#define RW_X(name, number) rw_text_add(&text, "#define " #name " %d\n", (int)(number));
    RW_KRYLOV_STATE_LIST(RW_X)
#undef RW_X
#define RW_X(name, line) rw_text_add(&text, "#define " #name " %d\n", (int)RW_KRYLOV_##name);
    RW_KRYLOV_REASON_LIST(RW_X)
#undef RW_X
    rw_text_add(&text, "%s\n%s", rw_embedded_text("values.k"), rw_embedded_text("krylov.k"));
    for (int i = 0; i < 2 && name[i]; ++i) rw_text_add(&text, "\n%s", rw_embedded_text(name[i]));
    rw_status status =
        d.failed || text.failed ? rw_fail_memory(k->device->ctx, 40000, "the source of the solver kernels") : RW_OK;
    if (status == RW_OK)
        status = rw_program_create_with(k->device, name[1] ? name[1] : name[0], text.data, &k->program, "%s", d.data);
    rw_text_free(&d);
    rw_text_free(&text);
    return status;
}

static rw_status vector(rw_krylov *k, rw_dtype type, int64_t n, rw_array **array)
{
    return rw_array_create(k->device, type, 1, &n, RW_MEMORY_DEVICE, array);
}

/* The variant of the method; threads: kernels run on a GPU. */
static const rw_krylov_ops *ops_of(const rw_krylov_spec *s, int64_t n, bool threads)
{
    if (s->method == RW_KRYLOV_CG && threads && n <= SMALL) return &rw_krylov_single_cg;
    return s->method == RW_KRYLOV_GMRES && s->orthogonal == RW_KRYLOV_MODIFIED ? &rw_krylov_plain_gmres
                                                                               : methods[s->method];
}

/* Number of vectors without those of a basis. */
static int vectors_of(const rw_krylov_ops *ops, const rw_krylov_spec *s)
{
    return ops->vectors + (s->precond.method || s->precond_operator ? ops->more : 0) + 1;
}

enum { INNER_ITERATIONS = 10 };

/* An inner solver with cycles makes one. */
static rw_krylov_spec spec_of_inner(const rw_krylov_spec *s)
{
    rw_krylov_spec in = *s->inner;
    if (!in.iterations) in.iterations = INNER_ITERATIONS;
    if (in.method != RW_KRYLOV_IDR) in.restart = (int)in.iterations;
    return in;
}

int64_t rw_krylov_memory_sized(const rw_krylov_spec *spec, int64_t n, rw_dtype vectors, size_t spec_size)
{
    RW_STRUCT_IN_QUIET(rw_krylov_spec, spec, spec_size);
    if (!spec) return 0;
    rw_krylov_spec resolved = *spec, *s = &resolved;
    if (rw_params_resolve(NULL, rw_krylov_params(), NULL, s) != RW_OK) return 0;
    const rw_krylov_ops *ops = ops_of(s, n, true);
    const int64_t vector = n * (int64_t)rw_dtype_size(vectors);
    if (s->inner) { /* includes the vectors that it creates and its right-hand side */
        rw_krylov_spec plain = *s;
        const rw_krylov_spec in = spec_of_inner(s);
        plain.inner = NULL;
        return rw_krylov_memory(&plain, n, vectors) + (s->restart + 1) * vector +
               (in.inner ? 0 : rw_krylov_memory(&in, n, vectors));
    }
    return vectors_of(ops, s) * vector + (ops->memory ? ops->memory(s, n, vectors) : 0);
}

static rw_status allocate(rw_krylov *k)
{
    for (int i = 0; i < vectors_of(k->ops, &k->spec) - 1; ++i) RW_TRY(vector(k, k->type, k->n, &k->vector[i]));
    RW_TRY(vector(k, k->type, k->n, &k->x));
    for (int i = 0; i < 2; ++i) RW_TRY(vector(k, RW_F64, RW_KRYLOV_AT_STATE, &k->state[i]));
    RW_TRY(vector(k, RW_F64, k->spec.iterations + 3, &k->history));
    RW_TRY(rw_krylov_sums(k, &k->product, rw_operator_groups(k->a), 3));
    if (k->p)
        RW_TRY(rw_krylov_sums(k, &k->second,
                              rw_precond_product(k->p) ? rw_operator_groups(rw_precond_product(k->p)) : k->groups, 3));
    RW_TRY(rw_krylov_sums(k, &k->update, k->groups, 3));
    if (k->ops->allocate) RW_TRY(k->ops->allocate(k));
    k->sequence = rw_calloc((size_t)rw_krylov_steps(k), sizeof *k->sequence);
    return k->sequence ? RW_OK
                       : rw_fail_memory(k->device->ctx, (size_t)rw_krylov_steps(k) * sizeof *k->sequence, "a solver");
}

static rw_status create_inner(rw_krylov *k, const rw_krylov_spec *s)
{
    const rw_krylov_spec in = spec_of_inner(s);
    const rw_status status = rw_krylov_create(k->a, k->type, &in, &k->inner);
    if (status != RW_OK) return rw_fail_prefix(k->device->ctx, status, "inner solver");
    return rw_array_create(k->device, k->type, 1, &k->n, RW_MEMORY_DEVICE, &k->inner->right);
}

rw_status rw_krylov_create_sized(rw_operator *a, rw_dtype vectors, const rw_krylov_spec *given, rw_krylov **solver,
                                 size_t spec_size)
{
    RW_NEED(solver, "solver");
    *solver = NULL;
    RW_NEED(a, "op");
    RW_NEED(given, "spec");
    RW_STRUCT_IN(a->device->ctx, rw_krylov_spec, given, spec_size);
    rw_krylov_spec resolved = *given, *spec = &resolved;
    const rw_krylov_spec *inner = spec->inner;
    RW_STRUCT_IN(a->device->ctx, rw_krylov_spec, inner, spec_size);
    spec->inner = inner;
    RW_TRY(check(a->device->ctx, a, vectors, spec));
    RW_TRY(check_own(a->device->ctx, a, vectors, spec));
    RW_TRY(check_inner(a->device->ctx, spec));
    rw_krylov *k = rw_calloc(1, sizeof *k);
    if (!k) return rw_fail_memory(a->device->ctx, sizeof *k, "a solver");
    k->device = rw_device_retain(a->device);
    k->queue = a->device->queue;
    k->a = rw_operator_retain(a);
    k->spec = *spec;
    k->type = vectors;
    k->n = a->info.rows;
    k->ops = ops_of(spec, k->n, rw_device_has_threads(k->device));
    k->spec.inner = NULL;
    const rw_cancel *outer = rw_cancel_enter(spec->cancel);
    rw_status status = RW_OK;
    if (k->ops->state && !(k->method = rw_calloc(1, k->ops->state)))
        status = rw_fail_memory(k->device->ctx, k->ops->state, "a solver");
    if (status == RW_OK)
        status = spec->precond.method     ? rw_precond_create(a, vectors, &spec->precond, &k->p)
                 : spec->precond_operator ? rw_precond_from_operator(spec->precond_operator, vectors, &k->p)
                 : spec->inner            ? create_inner(k, spec)
                                          : RW_OK;
    if (status == RW_OK) status = build(k);
    if (status == RW_OK) status = allocate(k);
    rw_cancel_leave(outer);
    if (status == RW_OK) *solver = k;
    else rw_krylov_destroy(&k);
    return status;
}

void rw_krylov_destroy(rw_krylov **solver)
{
    if (!solver) return;
    rw_krylov *k = *solver;
    *solver = NULL;
    if (!k) return;
    rw_krylov_forget(k);
    rw_free(k->sequence);
    rw_array_destroy(&k->x);
    rw_array_destroy(&k->scaled);
    for (int i = 0; i < RW_KRYLOV_VECTORS; ++i) rw_array_destroy(&k->vector[i]);
    rw_array_destroy(&k->state[0]);
    rw_array_destroy(&k->state[1]);
    rw_array_destroy(&k->history);
    rw_krylov_sums_free(&k->product);
    rw_krylov_sums_free(&k->second);
    rw_krylov_sums_free(&k->update);
    if (k->method && k->ops->free) k->ops->free(k);
    rw_free(k->method);
    rw_program_destroy(&k->program);
    rw_precond_destroy(&k->p);
    rw_krylov_destroy(&k->inner);
    rw_array_destroy(&k->right);
    rw_operator_release(&k->a);
    rw_device_close(&k->device);
    rw_free(k);
}

/* The new one is complete before the old one goes: if the setup fails, the solver keeps what it had. */
rw_status rw_krylov_update(rw_krylov *k)
{
    RW_NEED(k, "solver");
    rw_precond *fresh = NULL;
    if (k->inner) return rw_krylov_update(k->inner);
    if (!k->p) return RW_OK;
    const rw_cancel *outer = rw_cancel_enter(k->spec.cancel);
    rw_operator *own = k->spec.precond_operator;
    const rw_status status = own ? rw_precond_from_operator(own, k->type, &fresh)
                                 : rw_precond_create(k->a, k->type, &k->spec.precond, &fresh);
    rw_cancel_leave(outer);
    RW_TRY(status);
    rw_krylov_forget(k); /* recordings refer to its arrays */
    rw_precond_destroy(&k->p);
    k->p = fresh;
    return RW_OK;
}

rw_status rw_krylov_get_spec_sized(const rw_krylov *k, rw_krylov_spec *spec, size_t spec_size)
{
    RW_NEED(k, "solver");
    RW_NEED(spec, "spec");
    return rw_struct_out(RW_OK, spec, spec_size, &k->spec, sizeof k->spec);
}

rw_status rw_krylov_get_operator(const rw_krylov *k, rw_operator **op)
{
    RW_NEED(op, "op");
    *op = NULL;
    RW_NEED(k, "solver");
    *op = k->a;
    return RW_OK;
}

rw_status rw_krylov_get_precond_sized(const rw_krylov *k, rw_precond_info *info, size_t info_size)
{
    RW_NEED(k, "solver");
    RW_NEED(info, "info");
    if (k->p) return rw_precond_get_info_sized(k->p, info, info_size);
    memset(info, 0, info_size);
    return RW_OK;
}
