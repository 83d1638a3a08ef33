/* Arrays: up to four dimensions, row-major (the last index runs fastest), on a device, with a host copy when asked.
 *
 * An array knows which copy is current. Reading the host pointer copies from the device only if the device copy is
 * newer; a kernel that uses the array copies to the device only if the host copy is newer. All copies are counted
 * (rw_device_counters). On the cpu device both copies are the same memory. */
#ifndef RECHENWERK_ARRAY_H
#define RECHENWERK_ARRAY_H

#include "rechenwerk/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rw_array rw_array;

/* name, C name in kernels, bytes */
#define RW_DTYPE_LIST(X)                                                                                               \
    X(F32, "f32", 4) X(F64, "f64", 8) X(C64, "c64", 8) X(C128, "c128", 16)                                             \
    X(U8, "u8", 1) X(U16, "u16", 2) X(I32, "i32", 4) X(I64, "i64", 8)

/* DEFAULT: what the member or argument says, mostly f64; an array has another one. */
typedef enum rw_dtype {
    RW_DTYPE_DEFAULT,
#define RW_X(name, text, bytes) RW_##name,
    RW_DTYPE_LIST(RW_X)
#undef RW_X
} rw_dtype;

RW_API const char *rw_dtype_name(rw_dtype dtype);
RW_API size_t rw_dtype_size(rw_dtype dtype);
RW_API bool rw_dtype_is_complex(rw_dtype dtype);
/* f32, f64, c64 or c128: what vectors, fields and matrices consist of. */
RW_API bool rw_dtype_is_number(rw_dtype dtype);

/* Where the memory lies. PINNED: the host copy is page-locked, so that copies overlap kernels. MANAGED: one copy that
 * the driver moves by pages (devices with the property `managed` only, else ERR_UNSUPPORTED). */
typedef enum rw_memory { RW_MEMORY_DEVICE, RW_MEMORY_PINNED, RW_MEMORY_MANAGED } rw_memory;

/* Who owns host data given to an array.
 * COPY: copied now; the data may be freed at once.
 * BORROW: the data becomes the array's host copy; the caller keeps it alive, and frees it, after the last use of the array.
 *     On every device it holds the current contents after rw_array_read or rw_array_update, or after rw_array_fetch and
 *     rw_queue_wait; read and update return its address. Between these calls its contents are unspecified: on the cpu
 *     kernels change it at once, elsewhere not at all. The caller changes it only between rw_array_write or _update and the
 *     next use. Programs that exchange arrays copy into it instead. It must be aligned to the size of an element.
 * OWN: as BORROW, but handed over; freed with free(). */
typedef enum rw_copy_mode { RW_COPY, RW_BORROW, RW_OWN } rw_copy_mode;

/* Creates an array with unwritten contents; ndim 1 … 4, shape[i] >= 0. Device memory is taken now, host memory when
 * first asked for. Errors: ERR_ARGUMENT (shape, overflow), ERR_MEMORY with wanted and free bytes. */
RW_API rw_status rw_array_create(rw_device *device, rw_dtype dtype, int ndim, const int64_t *shape, rw_memory memory,
                                 rw_array **array);
/* The same around `data` (contiguous, row-major, as many elements as shape says), whose values are the contents. */
RW_API rw_status rw_array_create_from(rw_device *device, rw_dtype dtype, int ndim, const int64_t *shape, void *data,
                                      rw_copy_mode mode, rw_array **array);
/* Drops the caller's reference and sets *array to NULL. A program to which the array is bound and a recorded sequence
 * that uses it hold references of their own: it goes away with the last of them. */
RW_API void rw_array_destroy(rw_array **array);

RW_API rw_dtype rw_array_dtype(const rw_array *array);
RW_API int rw_array_ndim(const rw_array *array);
RW_API int64_t rw_array_shape(const rw_array *array, int axis); /* 1 beyond ndim */
RW_API int64_t rw_array_size(const rw_array *array);            /* elements */
RW_API rw_device *rw_array_device(const rw_array *array);

/* Host pointers, valid until the array is used on the device or destroyed.
 * read: contents current, must not be written. write: to be overwritten whole, old contents lost, no copy.
 * update: contents current and may be changed. After write or update the host copy is the current one.
 * They wait for device work that concerns the array. */
RW_API rw_status rw_array_read(rw_array *array, const void **data);
RW_API rw_status rw_array_write(rw_array *array, void **data);
RW_API rw_status rw_array_update(rw_array *array, void **data);

/* Starts bringing the current contents to the device (or host) in `queue` without waiting; only pinned arrays
 * really overlap. */
RW_API rw_status rw_array_send(rw_array *array, rw_queue *queue);
RW_API rw_status rw_array_fetch(rw_array *array, rw_queue *queue);

/* dst <- src: same dtype, size and device; stays on the device. */
RW_API rw_status rw_array_copy(rw_array *dst, rw_array *src, rw_queue *queue);
/* Exchanges the contents of two arrays of equal dtype, shape and device without moving anything. Memory given with
 * RW_BORROW goes with its contents. */
RW_API rw_status rw_array_swap(rw_array *a, rw_array *b);
/* Every byte zero, on the device. */
RW_API rw_status rw_array_zero(rw_array *array, rw_queue *queue);


/* An array from a file. NAME.mtx: a dense one of the Matrix Market ("matrix array …"), of one dimension where it has one column, f64 or c128. Any other
 * name: .npy of NumPy, up to four dimensions in C or Fortran order; whole numbers are f64. dtype: F32, F64, C64, C128 or DEFAULT, the type of the file; numbers are
 * rounded, real ones become complex ones. NaN and infinity are read from .npy as they are, and refused in .mtx. ERR_INPUT: what the file holds (what,
 * where), complex numbers for a real type; ERR_FILE; ERR_ARGUMENT; ERR_MEMORY. */
RW_API rw_status rw_array_load(rw_device *device, const char *path, rw_dtype dtype, rw_array **array);
/* An array to a file, NAME.mtx or .npy as above, which appears whole or not at all; F32, F64, C64, C128, in .mtx of at most two dimensions and read back
 * to the same bits where they are finite. ERR_ARGUMENT, ERR_FILE, ERR_MEMORY. */
RW_API rw_status rw_array_save(rw_array *array, const char *path);

#ifdef __cplusplus
}
#endif
#endif
