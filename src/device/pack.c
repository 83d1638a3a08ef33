/* Copies between arrays with strides, and between types: one kernel (kernels/convert.k), specialised by types and by
 * the way in which both sides run. What kernels get for a view that they cannot read in place is packed by it. */
#include <stdio.h>
#include <stdlib.h>

#include "device/axes.h"
#include "device/storage.h"

enum { OUTER = 6, TILE = 32 };

/* What the kernel runs over: i, j, outer axes. */
typedef struct walk {
    rw_axis at[RW_MAX_NDIM];
    int n;
    bool tile; /* x runs fastest along j */
} walk;

static walk plan(const rw_array *dst, const rw_array *src)
{
    walk w = {.n = 0};
    for (int d = dst->ndim - 1; d >= 0; --d)
        w.n = rw_axes_add(w.at, w.n, (rw_axis){dst->shape[d], dst->stride[d], src->stride[d]});
    w.n = rw_axes_join(w.at, w.n, 2);
    int fast = 0;
    for (int k = 1; k < w.n; ++k)
        if (w.at[k].n > 1 && llabs(w.at[k].x) < llabs(w.at[fast].x)) fast = k;
    w.tile = fast > 0 && w.at[fast].n > 4 && w.at[0].n > 4;
    if (w.tile) {
        const rw_axis t = w.at[1];
        w.at[1] = w.at[fast];
        w.at[fast] = t;
    }
    return w;
}

/* Equal types are copied as words of their size. */
static const char *word_of(rw_dtype dtype, int *parts)
{
    const size_t bytes = rw_dtype_size(dtype);
    *parts = bytes == 16 ? 2 : 1;
    return bytes == 1 ? "u8" : bytes == 2 ? "u16" : bytes == 4 ? "u32" : "u64";
}

static const char *part_of(rw_dtype dtype, int *parts)
{
    *parts = rw_dtype_is_complex(dtype) ? 2 : 1;
    return dtype == RW_BOOL ? "b8" : dtype == RW_C64 ? "f32" : dtype == RW_C128 ? "f64" : rw_dtype_name(dtype);
}

/* What computes with a type: f16 and bf16 in f32, integers of up to 16 bits in i32. */
static const char *compute_of(rw_dtype dtype)
{
    switch (dtype) {
    case RW_I8:
    case RW_I16:
    case RW_I32:
    case RW_U8:
    case RW_U16:
    case RW_BOOL: return "i32";
    case RW_U32:
    case RW_I64: return "i64";
    case RW_U64: return "u64";
    case RW_F64:
    case RW_C128: return "f64";
    default: return "f32";
    }
}

static void conversion(char text[96], rw_dtype to, rw_dtype from)
{
    int parts;
    const bool small = from == RW_F16 || from == RW_BF16;
    snprintf(text, 96, small ? "%s_from_%s(f32_from_%s(v))" : "%s_from_%s((%s)(v))", part_of(to, &parts),
             compute_of(from), small ? rw_dtype_name(from) : compute_of(from));
}

/* Programs that the device keeps: arrays of many shapes share them. */
static rw_status program_for(const rw_array *dst, const rw_array *src, const walk *w, bool zero, rw_program **program)
{
    rw_device *dev = dst->device;
    const bool gpu = rw_device_has_threads(dev), unit = w->at[0].y == 1 && w->at[0].x == 1;
    char convert[96] = "(v)", sizes[2][16], group[16], lanes[16];
    int parts[2];
    const bool same = dst->dtype == src->dtype;
    const char *to = same ? word_of(dst->dtype, parts) : part_of(dst->dtype, parts);
    const char *from = same ? word_of(src->dtype, parts + 1) : part_of(src->dtype, parts + 1);
    if (!same) conversion(convert, dst->dtype, src->dtype);
    for (int k = 0; k < 2; ++k) snprintf(sizes[k], sizeof sizes[k], "%d", parts[k]);
    snprintf(group, sizeof group, "%d", gpu ? 256 : w->tile ? TILE : 1024);
    snprintf(lanes, sizeof lanes, "%d", !gpu || w->tile || w->at[0].n < 128 ? 32 : 256);
    char name[64];
    snprintf(name, sizeof name, "%s from %s", zero ? "zero" : rw_dtype_name(dst->dtype), rw_dtype_name(src->dtype));
    char macro[] = "CONVERT(v)";
    const rw_define defines[] = {{"GROUP", group},
                                 {"GROUP_X", lanes},
                                 {"SRC", from},
                                 {"DST", to},
                                 {"SRC_PARTS", sizes[1]},
                                 {"DST_PARTS", sizes[0]},
                                 {macro, convert},
                                 {w->tile ? "TILE" : zero ? "ZERO" : unit ? "UNIT" : "STRIDES", "32"}};
    return rw_program_kept(dev, name, rw_embedded_text("convert.k"), defines, RW_COUNT(defines), program);
}

static rw_status run(rw_array *dst, rw_array *src, bool zero, rw_queue *q)
{
    rw_device *dev = dst->device;
    walk w = plan(dst, src);
    w.tile = w.tile && !zero;
    rw_program *p;
    rw_kernel *k;
    RW_TRY(program_for(dst, src, &w, zero, &p));
    RW_TRY(rw_program_kernel(p, "convert_array", &k));
    const bool gpu = rw_device_has_threads(dev);
    const rw_axis i = w.at[0], j = w.at[1];
    const int64_t si = w.tile ? TILE : gpu ? i.n < 128 ? 32 : 256 : RW_MIN(i.n, 8192);
    const int64_t sj = w.tile ? TILE : gpu ? i.n < 128 ? 32 : 4 : RW_MAX(8192 / si, 1);
    int64_t groups[3] = {(i.n + si - 1) / si * ((j.n + sj - 1) / sj), 1, 1};
    rw_arg args[12 + 3 * OUTER] = {rw_arg_memory(dst),      rw_arg_memory(src), rw_arg_int(dst->offset),
                                   rw_arg_int(src->offset), rw_arg_int(i.n),    rw_arg_int(j.n),
                                   rw_arg_int(si),          rw_arg_int(sj),     rw_arg_int(i.y),
                                   rw_arg_int(j.y),         rw_arg_int(i.x),    rw_arg_int(j.x)};
    for (int o = 0; o < OUTER; ++o) {
        const rw_axis a = o + 2 < w.n ? w.at[o + 2] : (rw_axis){1, 0, 0};
        groups[0] *= a.n;
        args[12 + 3 * o] = rw_arg_int(a.n);
        args[13 + 3 * o] = rw_arg_int(a.y);
        args[14 + 3 * o] = rw_arg_int(a.x);
    }
    return rw_launch(q, k, groups, args, RW_COUNT(args));
}

rw_status rw_array_convert(rw_array *dst, rw_array *src, rw_queue *q)
{
    rw_array *shaped = src;
    if (!dst->size) return RW_OK;
    RW_TRY(rw_array_check_written(dst, "rw_array_copy"));
    if (dst->contiguous && src->contiguous) RW_TRY(rw_array_reshape(src, dst->ndim, dst->shape, &shaped));
    rw_status status = run(dst, shaped, false, q);
    if (shaped != src) rw_array_destroy(&shaped);
    return status;
}

rw_status rw_array_fill_zero(rw_array *a, rw_queue *q) { return a->size ? run(a, a, true, q) : RW_OK; }

rw_status rw_array_pack(rw_array *view, rw_queue *q, rw_array **packed)
{
    if (!view->packed)
        RW_TRY(rw_array_create(view->device, view->dtype, view->ndim, view->shape, RW_MEMORY_DEVICE, &view->packed));
    *packed = view->packed;
    return rw_storage_is_written(view->storage) ? rw_array_convert(view->packed, view, q) : RW_OK;
}

rw_status rw_array_unpack(rw_array *view, rw_queue *q) { return rw_array_convert(view, view->packed, q); }
