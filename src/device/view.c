/* Views: arrays with a shape, strides and an offset of their own on the memory of another. */
#include <stdlib.h>
#include <string.h>

#include "device/storage.h"

/* The lowest and highest element relative to the first; false: beyond 2^62, or no element at all. */
static bool extent(int ndim, const int64_t *shape, const int64_t *stride, int64_t *low, int64_t *high)
{
    *low = *high = 0;
    for (int d = 0; d < ndim; ++d) {
        int64_t span;
        if (shape[d] == 0) return false;
        if (__builtin_mul_overflow(shape[d] - 1, stride[d], &span)) return false;
        if (__builtin_add_overflow(span < 0 ? *low : *high, span, span < 0 ? low : high)) return false;
    }
    return true;
}

/* Certain to have no two elements at one place: sorted by size, each stride leads beyond what the smaller ones span. */
bool rw_strides_are_injective(int ndim, const int64_t *shape, const int64_t *stride)
{
    int64_t reach = 0, last = 0;
    for (int done = 0; done < ndim; ++done) {
        int next = -1;
        for (int d = 0; d < ndim; ++d) {
            const int64_t size = llabs(stride[d]);
            if (shape[d] > 1 && size > last && (next < 0 || size < llabs(stride[next]))) next = d;
        }
        int same = 0;
        for (int d = 0; d < ndim; ++d) same += shape[d] > 1 && next >= 0 && llabs(stride[d]) == llabs(stride[next]);
        if (next < 0) break;
        if (same > 1 || llabs(stride[next]) <= reach) return false;
        last = llabs(stride[next]);
        reach += last * (shape[next] - 1);
    }
    for (int d = 0; d < ndim; ++d)
        if (shape[d] > 1 && stride[d] == 0) return false;
    return true;
}

static bool is_row_major(int ndim, const int64_t *shape, const int64_t *stride, int64_t size)
{
    int64_t step = 1;
    if (!size) return true;
    for (int d = ndim - 1; d >= 0; --d) {
        if (shape[d] > 1 && stride[d] != step) return false;
        step *= shape[d];
    }
    return true;
}

void rw_array_find_layout(rw_array *a)
{
    a->contiguous = is_row_major(a->ndim, a->shape, a->stride, a->size);
    a->overlaps = a->size && !rw_strides_are_injective(a->ndim, a->shape, a->stride);
}

static rw_status check_place(const rw_array *a, rw_dtype dtype, int64_t first, int ndim, const int64_t *shape,
                             const int64_t *stride)
{
    rw_context *ctx = a->device->ctx;
    const int64_t room = (int64_t)(a->storage->bytes / rw_dtype_size(dtype));
    int64_t low, high, size = 1;
    for (int d = 0; d < ndim; ++d) size = shape[d] ? size : 0;
    if (!size)
        return first >= 0 && first <= room
                   ? RW_OK
                   : rw_fail(ctx, RW_ERR_ARGUMENT, "a view at offset %lld is outside its array", (long long)first);
    const bool fits =
        first >= 0 && extent(ndim, shape, stride, &low, &high) && first <= room && low >= -first && high < room - first;
    return fits
               ? RW_OK
               : rw_fail(
                     ctx, RW_ERR_ARGUMENT,
                     "a view from element %lld with first stride %lld extends outside the memory of its array, %lld %s",
                     (long long)first, (long long)stride[0], (long long)room, rw_dtype_name(dtype));
}

rw_status rw_array_view(rw_array *a, rw_dtype dtype, int ndim, const int64_t *shape, const int64_t *strides,
                        int64_t offset, rw_array **view)
{
    RW_NEED(view, "view");
    *view = NULL;
    RW_NEED(a, "array");
    RW_NEED(shape, "shape");
    rw_context *ctx = a->device->ctx;
    if (!dtype) dtype = a->dtype;
    int64_t size, first, bytes;
    RW_TRY(rw_array_check_shape(a->device, dtype, ndim, shape, &size));
    const int64_t item = (int64_t)rw_dtype_size(dtype);
    if (__builtin_mul_overflow(a->offset, (int64_t)rw_dtype_size(a->dtype), &bytes) || bytes % item)
        return rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "a view of %s: the array begins at byte %lld of its memory, which is not a multiple of the element size "
            "%lld",
            rw_dtype_name(dtype), (long long)bytes, (long long)item);
    if (__builtin_add_overflow(bytes / item, offset, &first))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "offset = %lld is outside the array", (long long)offset);
    rw_array *v;
    RW_TRY(rw_array_make(a->device, dtype, ndim, shape, size, &v));
    for (int d = 0; strides && d < ndim; ++d) v->stride[d] = strides[d];
    rw_status status = check_place(a, dtype, first, ndim, shape, v->stride);
    if (status != RW_OK) {
        rw_array_destroy(&v);
        return status;
    }
    v->storage = rw_storage_retain(a->storage);
    v->offset = first;
    v->view = true;
    rw_array_find_layout(v);
    *view = v;
    return RW_OK;
}

static rw_status check_axis(const rw_array *a, int axis, const char *function)
{
    if (axis >= 0 && axis < a->ndim) return RW_OK;
    return rw_fail(a->device->ctx, RW_ERR_ARGUMENT, "%s: axis = %d is outside [0, %d]: the array has %d dimensions",
                   function, axis, a->ndim - 1, a->ndim);
}

rw_status rw_array_slice(rw_array *a, int axis, int64_t first, int64_t end, int64_t step, rw_array **view)
{
    RW_NEED(view, "view");
    *view = NULL;
    RW_NEED(a, "array");
    RW_TRY(check_axis(a, axis, "rw_array_slice"));
    const int64_t n = a->shape[axis];
    const bool up = step > 0;
    if (step == 0 || step == INT64_MIN || first < 0 || first > n - !up || end < -!up || end > n - !up)
        return rw_fail(
            a->device->ctx, RW_ERR_ARGUMENT,
            "rw_array_slice: first = %lld, end = %lld, step = %lld for axis %d with %lld elements: first and end "
            "must be in [0, %lld]; with a negative step, in [0, %lld] and [-1, %lld]",
            (long long)first, (long long)end, (long long)step, axis, (long long)n, (long long)n, (long long)n - 1,
            (long long)n - 1);
    int64_t shape[RW_MAX_NDIM], stride[RW_MAX_NDIM];
    memcpy(shape, a->shape, sizeof shape);
    memcpy(stride, a->stride, sizeof stride);
    const int64_t way = up ? end - first : first - end, by = llabs(step);
    shape[axis] = way > 0 ? (way - 1) / by + 1 : 0;
    if (shape[axis] < 2) step = 1; /* a step that leads nowhere may be too large for a stride */
    stride[axis] *= step;
    return rw_array_view(a, RW_DTYPE_DEFAULT, a->ndim, shape, stride, shape[axis] ? first * a->stride[axis] : 0, view);
}

rw_status rw_array_transpose(rw_array *a, const int *axes, rw_array **view)
{
    RW_NEED(view, "view");
    *view = NULL;
    RW_NEED(a, "array");
    int64_t shape[RW_MAX_NDIM], stride[RW_MAX_NDIM];
    unsigned seen = 0;
    for (int d = 0; d < a->ndim; ++d) {
        const int axis = axes ? axes[d] : a->ndim - 1 - d;
        RW_TRY(check_axis(a, axis, "rw_array_transpose"));
        if (seen & 1u << axis)
            return rw_fail(a->device->ctx, RW_ERR_ARGUMENT, "rw_array_transpose: axis %d is listed twice", axis);
        seen |= 1u << axis;
        shape[d] = a->shape[axis];
        stride[d] = a->stride[axis];
    }
    return rw_array_view(a, RW_DTYPE_DEFAULT, a->ndim, shape, stride, 0, view);
}

rw_status rw_array_select(rw_array *a, int axis, int64_t index, rw_array **view)
{
    RW_NEED(view, "view");
    *view = NULL;
    RW_NEED(a, "array");
    RW_TRY(check_axis(a, axis, "rw_array_select"));
    if (index < 0 || index >= a->shape[axis])
        return rw_fail(a->device->ctx, RW_ERR_ARGUMENT, "rw_array_select: index = %lld is outside [0, %lld] of axis %d",
                       (long long)index, (long long)a->shape[axis] - 1, axis);
    int64_t shape[RW_MAX_NDIM] = {1}, stride[RW_MAX_NDIM] = {1};
    int n = 0;
    for (int d = 0; d < a->ndim; ++d)
        if (d != axis) {
            shape[n] = a->shape[d];
            stride[n++] = a->stride[d];
        }
    return rw_array_view(a, RW_DTYPE_DEFAULT, RW_MAX(n, 1), shape, stride, index * a->stride[axis], view);
}

rw_status rw_array_reshape(rw_array *a, int ndim, const int64_t *shape, rw_array **view)
{
    RW_NEED(view, "view");
    *view = NULL;
    RW_NEED(a, "array");
    RW_NEED(shape, "shape");
    rw_context *ctx = a->device->ctx;
    int64_t s[RW_MAX_NDIM], known = 1;
    int open = -1;
    if (!a->contiguous)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "rw_array_reshape: the view is not contiguous: copy it into an array first (rw_array_copy)");
    if (ndim < 1 || ndim > RW_MAX_NDIM)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "ndim = %d is outside [1, %d], the allowed dimensions of an array", ndim,
                       RW_MAX_NDIM);
    for (int d = 0; d < ndim; ++d) {
        s[d] = shape[d];
        if (s[d] == -1 && open < 0) open = d;
        else if (s[d] < 0 || __builtin_mul_overflow(known, s[d], &known))
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "rw_array_reshape: shape[%d] = %lld: sizes must be 0 or more; one may be -1", d,
                           (long long)s[d]);
    }
    if (open >= 0 && known > 0) {
        s[open] = a->size / known;
        known *= s[open];
    }
    if (known != a->size || (open >= 0 && s[open] < 0))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "rw_array_reshape: %lld elements do not fill the shape",
                       (long long)a->size);
    return rw_array_view(a, RW_DTYPE_DEFAULT, ndim, s, NULL, 0, view);
}
