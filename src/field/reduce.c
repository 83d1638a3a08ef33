/* Reductions of whole arrays by src/kernels/reduce.k: the operation is a handful of definitions. */
#include "rechenwerk/array.h"

#include <string.h>

#include "device/device.h"
#include "device/ranks.h"

enum { GROUP = 256 }; /* items, unless the caller says */

struct rw_reducer {
    rw_device *device;
    rw_reduce_op op;
    rw_dtype dtype, result;
    int64_t groups;
    rw_program *program;
    rw_kernel *partial, *combine;
    rw_array *part, *value;
};

/* Element of the sum for real and complex x; "z" marks results that are complex. */
static const struct {
    const char *name, *real, *complex, *add, *zero, *finish;
} table[] = {
    [RW_REDUCE_OP_SUM] = {"sum", "(f64)x[i]", "c128_make(x[i].re, x[i].im)", "z", "", "(r)"},
    [RW_REDUCE_OP_DOT] = {"dot", "(f64)x[i] * (f64)y[i]",
                          "c128_mul(c128_make(x[i].re, -(f64)x[i].im), c128_make(y[i].re, y[i].im))", "z", "", "(r)"},
    [RW_REDUCE_OP_MIN] = {"min", "(f64)x[i]", NULL, "RW_MIN(a, b)", "RW_INF", "(r)"},
    [RW_REDUCE_OP_MAX] = {"max", "(f64)x[i]", NULL, "RW_MAX(a, b)", "(-RW_INF)", "(r)"},
    [RW_REDUCE_OP_NORM1] = {"norm1", "fabs((f64)x[i])", "hypot((f64)x[i].re, (f64)x[i].im)", "((a) + (b))", "0", "(r)"},
    [RW_REDUCE_OP_NORM2] = {"norm2", "(f64)x[i] * (f64)x[i]",
                            "(f64)x[i].re * (f64)x[i].re + (f64)x[i].im * (f64)x[i].im", "((a) + (b))", "0", "sqrt(r)"},
    [RW_REDUCE_OP_NORMMAX] = {"normmax", "fabs((f64)x[i])", "hypot((f64)x[i].re, (f64)x[i].im)", "RW_MAX(a, b)", "0",
                              "(r)"},
};

static rw_status build(rw_reducer *r, int group)
{
    bool z = rw_dtype_is_complex(r->dtype), sum = !strcmp(table[r->op].add, "z");
    char items[16];
    snprintf(items, sizeof items, "%d", group);
    rw_define defines[] = {
        {"GROUP", items},
        {"T", rw_dtype_name(r->dtype)},
        {"R", rw_dtype_name(r->result)},
        {"LOADX(i)", z ? table[r->op].complex : table[r->op].real},
        {"ADD(a, b)", !sum ? table[r->op].add
                      : z  ? "c128_add(a, b)"
                           : "((a) + (b))"},
        {"ZERO", !sum ? table[r->op].zero
                 : z  ? "c128_make(0, 0)"
                      : "0"},
        {"FINISH(r)", table[r->op].finish},
        {"WITH_COMPLEX", "1"},
    };
    RW_TRY(
        rw_program_create(r->device, table[r->op].name, rw_embedded_text("reduce.k"), defines, z ? 8 : 7, &r->program));
    RW_TRY(rw_program_kernel(r->program, "partial", &r->partial));
    RW_TRY(rw_program_kernel(r->program, "combine", &r->combine));
    int64_t one = 1;
    RW_TRY(rw_array_create(r->device, r->result, 1, &r->groups, RW_MEMORY_DEVICE, &r->part));
    return rw_array_create(r->device, r->result, 1, &one, RW_MEMORY_PINNED, &r->value);
}

rw_status rw_reducer_create(rw_device *dev, rw_reduce_op op, rw_dtype dtype, int group, rw_reducer **reducer)
{
    RW_NEED(reducer, "reducer");
    *reducer = NULL;
    RW_NEED(dev, "device");
    if ((unsigned)op >= RW_COUNT(table) || !rw_dtype_is_number(dtype) || group < 0)
        return rw_fail(
            dev->ctx, RW_ERR_ARGUMENT,
            "rw_reducer_create: op %d, dtype %s, group %d: op must be a rw_reduce_op, dtype f32, f64, c64 or c128, "
            "and group 0 or more",
            (int)op, rw_dtype_name(dtype), group);
    bool z = rw_dtype_is_complex(dtype);
    if (z && !table[op].complex)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "%s of complex numbers: they have no order; use normmax",
                       table[op].name);
    rw_reducer *r = rw_calloc(1, sizeof *r);
    if (!r) return rw_fail_memory(dev->ctx, sizeof *r, "a reduction");
    r->device = rw_device_retain(dev);
    r->op = op;
    r->dtype = dtype;
    r->result = z && !strcmp(table[op].add, "z") ? RW_C128 : RW_F64;
    r->groups = rw_target_reducing_groups(&dev->target, GROUP);
    rw_status status = build(r, group ? group : GROUP);
    if (status == RW_OK) *reducer = r;
    else rw_reducer_destroy(&r);
    return status;
}

void rw_reducer_destroy(rw_reducer **reducer)
{
    if (!reducer) return;
    rw_reducer *r = *reducer;
    *reducer = NULL;
    if (!r) return;
    rw_array_destroy(&r->part);
    rw_array_destroy(&r->value);
    rw_program_destroy(&r->program);
    rw_device_close(&r->device);
    rw_free(r);
}

rw_status rw_reducer_run(rw_reducer *r, rw_queue *q, rw_array *x, rw_array *y, rw_array *result, int64_t slot)
{
    RW_NEED(r, "reducer");
    RW_NEED(q, "queue");
    RW_NEED(x, "x");
    RW_NEED(result, "result");
    rw_context *ctx = r->device->ctx;
    if ((r->op == RW_REDUCE_OP_DOT) != (y != NULL))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s takes %s", table[r->op].name, y ? "one array" : "two arrays");
    if (x->dtype != r->dtype || (y && (y->dtype != r->dtype || y->size != x->size)))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s of %s cannot take %lld %s%s", table[r->op].name,
                       rw_dtype_name(r->dtype), (long long)x->size, rw_dtype_name(x->dtype),
                       y ? " and a second array of another size or type" : "");
    if (result->dtype != r->result || slot < 0 || slot >= result->size)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: the result is %s at index %lld, but the array has %lld %s",
                       table[r->op].name, rw_dtype_name(r->result), (long long)slot, (long long)result->size,
                       rw_dtype_name(result->dtype));
    rw_arg a[] = {rw_arg_array(r->part), rw_arg_array(x), rw_arg_array(y ? y : x), rw_arg_int(x->size)};
    RW_TRY(rw_launch(q, r->partial, (int64_t[3]){r->groups, 1, 1}, a, 4));
    const rw_rank_op op = r->op == RW_REDUCE_OP_MIN                                    ? RW_RANK_MIN
                          : r->op == RW_REDUCE_OP_MAX || r->op == RW_REDUCE_OP_NORMMAX ? RW_RANK_MAX
                                                                                       : RW_RANK_SUM;
    RW_TRY(rw_ranks_combine(q, op, r->part, 0, rw_array_size(r->part) * (r->result == RW_C128 ? 2 : 1)));
    rw_arg b[] = {rw_arg_array(result), rw_arg_array(r->part), rw_arg_int(r->groups), rw_arg_int(slot)};
    return rw_launch(q, r->combine, (int64_t[3]){1, 1, 1}, b, 4);
}

rw_status rw_reducer_value(rw_reducer *r, rw_queue *q, rw_array *x, rw_array *y, double *re, double *im)
{
    RW_NEED(r, "reducer");
    RW_NEED(q, "queue");
    RW_NEED(x, "x");
    RW_NEED(re, "re");
    const void *data;
    RW_TRY(rw_reducer_run(r, q, x, y, r->value, 0));
    RW_TRY(rw_array_read(r->value, &data));
    *re = ((const double *)data)[0];
    if (im) *im = r->result == RW_C128 ? ((const double *)data)[1] : 0;
    return RW_OK;
}
