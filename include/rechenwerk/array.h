/* Arrays of up to eight dimensions on a device, row-major (the last index is contiguous), with a host copy on demand;
 * views of them; and memory that is shared with other libraries.
 *
 *   rw_array_create(dev, RW_F64, 2, (int64_t[]){ny, nx}, RW_MEMORY_DEVICE, &a);
 *   rw_array_write(a, (void **)&host);         … fill host[0 … ny*nx - 1] …
 *   rw_array_read(a, (const void **)&result);  after kernels: copied back, once
 *
 * An array tracks which copy is current. Reading the host pointer copies from the device only if the device copy is
 * newer; a kernel copies to the device only if the host copy is newer. All copies are counted
 * (rw_device_get_counters). On the cpu device both copies are the same memory. */
#ifndef RECHENWERK_ARRAY_H
#define RECHENWERK_ARRAY_H

#include "rechenwerk/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rw_array rw_array;

/* Kind of memory.
 * DEVICE: device memory, and pageable host memory on demand.
 * PINNED: the host copy is page-locked, so that copies overlap kernels.
 * MANAGED: one copy that the driver migrates by pages. Only devices with the property `managed`.
 * MAPPED: page-locked host memory that kernels access over the bus, for data that is used once. Only devices with the
 *     property `mapped`.
 * ERR_UNSUPPORTED otherwise. */
typedef enum rw_memory { RW_MEMORY_DEVICE, RW_MEMORY_PINNED, RW_MEMORY_MANAGED, RW_MEMORY_MAPPED } rw_memory;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_memory_name(rw_memory value);
RW_API rw_status rw_memory_parse(rw_context *context, const char *name, rw_memory *value);

/* Ownership of host data that is passed to an array.
 * COPY: copied at once; the caller may free the data.
 * BORROW: the data becomes the host copy; the caller keeps it alive until the array is destroyed, and frees it. It
 *     holds the current contents after rw_array_read or rw_array_update, or after rw_array_fetch and rw_queue_wait;
 *     between these calls its contents are unspecified. The caller changes it only between rw_array_write or
 *     rw_array_update and the next use of the array. It must be aligned to the size of an element.
 * OWN: as BORROW, but the array frees it with free(). */
typedef enum rw_copy_mode { RW_COPY, RW_BORROW, RW_OWN } rw_copy_mode;

/* Creates an array with undefined contents. ndim: 1 … 8; shape[i] >= 0. Device memory is allocated now, host memory on
 * demand.
 * Errors: ERR_ARGUMENT: shape, overflow; ERR_MEMORY with the wanted and the free bytes; ERR_UNSUPPORTED: the kind of
 * memory. Threads: one at a time. */
RW_API rw_status rw_array_create(rw_device *device, rw_dtype dtype, int ndim, const int64_t *shape, rw_memory memory,
                                 rw_array **array);
/* Creates an array with the contents `data`, contiguous and row-major, as many elements as shape says. */
RW_API rw_status rw_array_create_from(rw_device *device, rw_dtype dtype, int ndim, const int64_t *shape, void *data,
                                      rw_copy_mode mode, rw_array **array);
/* Drops the caller's reference and sets *array to NULL. Programs to which the array is bound, recorded sequences and
 * views retain it; the memory is freed with the last of them. */
RW_API void rw_array_destroy(rw_array **array);

/* Properties of an array. */
RW_API rw_dtype rw_array_dtype(const rw_array *array);
RW_API int rw_array_ndim(const rw_array *array);
RW_API int64_t rw_array_shape(const rw_array *array, int axis); /* elements along the axis; 1 beyond ndim */
/* stride of the axis in elements; 1 beyond ndim */
RW_API int64_t rw_array_stride(const rw_array *array, int axis);
RW_API int64_t rw_array_offset(const rw_array *array);     /* offset of the first element in the memory, in elements */
RW_API int64_t rw_array_size(const rw_array *array);       /* elements */
RW_API bool rw_array_is_contiguous(const rw_array *array); /* row-major, without gaps */
RW_API rw_device *rw_array_device(const rw_array *array);

/* Gets a host pointer to the elements. Waits for device work on the array.
 * read: the current contents, which must not be changed.
 * write: memory to be overwritten completely; the old contents are lost and not copied.
 * update: the current contents, which may be changed.
 * After write and update the host copy is the current one.
 * Lifetime: the pointer is valid until the array is used on the device or destroyed.
 * Errors: ERR_ARGUMENT: a view that is not contiguous, contents that were never written. */
RW_API rw_status rw_array_read(rw_array *array, const void **data);
RW_API rw_status rw_array_write(rw_array *array, void **data);
RW_API rw_status rw_array_update(rw_array *array, void **data);

/* Copies the current contents to the device (send) or to the host (fetch) in `queue`, without waiting; of a view, all
 * of its memory. Only copies of pinned arrays overlap with other work. */
RW_API rw_status rw_array_send(rw_array *array, rw_queue *queue);
RW_API rw_status rw_array_fetch(rw_array *array, rw_queue *queue);

/* dst <- src on the device. Both are of one device and of equal shapes, or both contiguous and of equal size. Types are
 * converted (docs/reference/types.md). Views of one memory must not overlap.
 * Errors: ERR_ARGUMENT: shapes, devices, complex to real types. */
RW_API rw_status rw_array_copy(rw_array *dst, rw_array *src, rw_queue *queue);
/* Swaps the contents of two arrays of equal type, size and device without moving data. Views see the new contents.
 * Borrowed memory moves with its contents.
 * Errors: ERR_ARGUMENT: a view, memory that is shared with others. */
RW_API rw_status rw_array_swap(rw_array *a, rw_array *b);
/* Sets every byte to zero on the device. */
RW_API rw_status rw_array_zero(rw_array *array, rw_queue *queue);

/* ---- views: other shapes of the same memory -------------------------------------------------------------------------
 *
 * A view is an array: what is written to one is written to the other. Kernels get the address of its first element. One
 * that is not contiguous is packed into a copy before the launch, and unpacked after a launch that may have written it;
 * a kernel of your own reads it in place with rw_arg_memory, rw_array_offset and rw_array_stride. */

/* Creates a view with any shape and strides. Its element (i, j, …) lies offset + i strides[0] + j strides[1] + …
 * elements of type `dtype` (DEFAULT: the array's type) after the first element of the array. strides NULL: contiguous.
 * Strides may be negative or 0; a view whose elements share memory is read-only.
 * Errors: ERR_ARGUMENT: an element outside the memory of the array, a type whose size does not divide its offset. */
RW_API rw_status rw_array_view(rw_array *array, rw_dtype dtype, int ndim, const int64_t *shape, const int64_t *strides,
                               int64_t offset, rw_array **view);
/* Creates a view of the elements first, first + step, … before `end` along an axis: first:end:step of NumPy, with 0 <=
 * first and end <= shape. With step < 0 the indices descend and stop above `end`, which may be -1. */
RW_API rw_status rw_array_slice(rw_array *array, int axis, int64_t first, int64_t end, int64_t step, rw_array **view);
/* Creates a view with permuted axes: axis k of the view is axes[k] of the array. axes NULL: reversed. */
RW_API rw_status rw_array_transpose(rw_array *array, const int *axes, rw_array **view);
/* Creates a view of the elements with this index along an axis, with that axis removed. A view of a one-dimensional
 * array has one element. */
RW_API rw_status rw_array_select(rw_array *array, int axis, int64_t index, rw_array **view);
/* Creates a view with another shape of as many elements; one size may be -1 and is then computed.
 * Errors: ERR_ARGUMENT: an array that is not contiguous. */
RW_API rw_status rw_array_reshape(rw_array *array, int ndim, const int64_t *shape, rw_array **view);

/* ---- memory that others share ---------------------------------------------------------------------------------------
 *
 * One to one with DLPack (DLManagedTensor of 1.0 and before), which PyTorch, CuPy, NumPy and JAX exchange: a capsule
 * named "dltensor" holds such a structure. */

/* DLDeviceType, DLDataTypeCode */
typedef enum rw_tensor_device {
    RW_TENSOR_CPU = 1,
    RW_TENSOR_CUDA = 2,
    RW_TENSOR_CUDA_HOST = 3,
    RW_TENSOR_OPENCL = 4,
    RW_TENSOR_CUDA_MANAGED = 13
} rw_tensor_device;
typedef enum rw_tensor_code {
    RW_TENSOR_INT,
    RW_TENSOR_UINT,
    RW_TENSOR_FLOAT,
    RW_TENSOR_HANDLE,
    RW_TENSOR_BFLOAT,
    RW_TENSOR_COMPLEX,
    RW_TENSOR_BOOL
} rw_tensor_code;

typedef struct rw_tensor {
    void *data;          /* host address, CUDA device pointer or cl_mem; aligned to the size of an element */
    int32_t device_type; /* rw_tensor_device */
    int32_t device_id;
    int32_t ndim;
    uint8_t code; /* rw_tensor_code */
    uint8_t bits;
    uint16_t lanes; /* 1 */
    int64_t *shape;
    int64_t *strides; /* in elements; NULL: row-major */
    uint64_t byte_offset;
} rw_tensor;

typedef struct rw_managed_tensor {
    rw_tensor tensor;
    void *owner;                                     /* the deleter's */
    void (*deleter)(struct rw_managed_tensor *self); /* frees the structure too; NULL: nobody needs to know */
} rw_managed_tensor;

/* An array on somebody else's memory, without a copy. `tensor` becomes the array's: its deleter is called when the last
 * array on the memory is destroyed, perhaps by another thread; on failure the tensor stays the caller's. The memory
 * holds the contents from now on, and after each rw_queue_wait what kernels wrote; its owner may write it between uses
 * of the array, in an order that queues and events secure (rw_queue_import). Of the `cpu` device a host address; of
 * cuda:N a pointer of that GPU (or managed, or page-locked host memory); of opencl:N a cl_mem of the device's context
 * (rw_device_open_native). ERR_ARGUMENT: a pointer that is none of this device, a type that is not in RW_DTYPE_LIST,
 * more than eight dimensions, an element that is not aligned. */
RW_API rw_status rw_array_import(rw_device *device, rw_managed_tensor *tensor, rw_array **array);
/* The array's memory for others, current on the device in `queue`: who uses it orders the work after that. The tensor
 * keeps the memory; its deleter ends that. From now on the library expects that others write the memory: host copies
 * are made anew at each rw_array_read. Arrays of the check device cannot be exported: ERR_UNSUPPORTED. */
RW_API rw_status rw_array_export(rw_array *array, rw_queue *queue, rw_managed_tensor **tensor);

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* An array from a file. NAME.mtx: a dense one of the Matrix Market ("matrix array …"), of one dimension where it has
 * one column, f64 or c128. Any other name: .npy of NumPy, up to eight dimensions in C or Fortran order. dtype: DEFAULT
 * is the type of the file; else numbers are converted (docs/reference/types.md). NaN and infinity are read from .npy as
 * they are, and refused in .mtx. ERR_INPUT: what the file holds (what, where), complex numbers for a real type;
 * ERR_FILE; ERR_ARGUMENT; ERR_MEMORY. */
RW_API rw_status rw_array_load(rw_device *device, const char *path, rw_dtype dtype, rw_array **array);
/* An array to a file, NAME.mtx or .npy as above, which appears whole or not at all, and is read back to the same bits
 * where they are finite. .mtx: F32, F64, C64 and C128 of at most two dimensions. NumPy has no BF16: ERR_ARGUMENT.
 * ERR_FILE, ERR_MEMORY. */
RW_API rw_status rw_array_save(rw_array *array, const char *path);

/* ---- reductions -------------------------------------------------------------------------------------------------- */

/* Reductions of arrays: deterministic (same device and size: same bits), accumulated in double precision, with the
 * result on the device or on the host. A reducer is created once per operation and type.
 *
 *   rw_reducer_create(dev, RW_REDUCE_OP_NORM2, RW_F64, 0, &norm);
 *   rw_reducer_value(norm, queue, x, NULL, &value, NULL); */

typedef enum rw_reduce_op {
    RW_REDUCE_OP_SUM,    /* sum x */
    RW_REDUCE_OP_DOT,    /* sum conj(x) y */
    RW_REDUCE_OP_MIN,    /* real x only; +infinity for an empty array; NaN if any element is NaN */
    RW_REDUCE_OP_MAX,    /* likewise, -infinity */
    RW_REDUCE_OP_NORM1,  /* sum |x| */
    RW_REDUCE_OP_NORM2,  /* sqrt(sum |x|^2) */
    RW_REDUCE_OP_NORMMAX /* max |x|, 0 for an empty array */
} rw_reduce_op;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_reduce_op_name(rw_reduce_op value);
RW_API rw_status rw_reduce_op_parse(rw_context *context, const char *name, rw_reduce_op *value);

typedef struct rw_reducer rw_reducer;

/* dtype: F32, F64, C64, C128. group: items of a group; 0: chosen for the device. The result is F64, of sum and dot of
 * complex arrays C128.
 * Errors: ERR_ARGUMENT: a type, min and max of complex arrays; ERR_MEMORY; ERR_COMPILE. */
RW_API rw_status rw_reducer_create(rw_device *device, rw_reduce_op op, rw_dtype dtype, int group, rw_reducer **reducer);
RW_API void rw_reducer_destroy(rw_reducer **reducer);
/* result[slot] <- the reduction of x (and y for dot; otherwise NULL), on the device, without waiting. */
RW_API rw_status rw_reducer_run(rw_reducer *reducer, rw_queue *queue, rw_array *x, rw_array *y, rw_array *result,
                                int64_t slot);
/* The same with the result on the host. Waits. im: optional. */
RW_API rw_status rw_reducer_value(rw_reducer *reducer, rw_queue *queue, rw_array *x, rw_array *y, double *re,
                                  double *im);

#ifdef __cplusplus
}
#endif
#endif
