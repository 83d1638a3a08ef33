/* The part of OpenCL 1.2 that the device uses, declared from the specification (The OpenCL Specification 1.2,
 * Khronos 2012), and the table of functions that api.c fills from libOpenCL.so.1 at run time.
 *
 * No OpenCL headers are needed to build. Numbers with NV, AMD or KHR come from the extensions
 * cl_nv_device_attribute_query, cl_amd_device_attribute_query and cl_khr_pci_bus_info. */
#ifndef RW_OPENCL_API_H
#define RW_OPENCL_API_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
typedef cl_uint cl_bool;
typedef cl_ulong cl_bitfield;
typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;

#define CL_FALSE 0
#define CL_TRUE 1
#define CL_PLATFORM_VERSION 0x0901
#define CL_PLATFORM_NAME 0x0902
#define CL_DEVICE_TYPE_CPU (1 << 1)
#define CL_DEVICE_TYPE_GPU (1 << 2)
#define CL_DEVICE_TYPE_ALL 0xFFFFFFFF
#define CL_DEVICE_TYPE 0x1000
#define CL_DEVICE_MAX_COMPUTE_UNITS 0x1002
#define CL_DEVICE_MAX_WORK_GROUP_SIZE 0x1004
#define CL_DEVICE_MAX_CLOCK_FREQUENCY 0x100C
#define CL_DEVICE_MAX_MEM_ALLOC_SIZE 0x1010
#define CL_DEVICE_SINGLE_FP_CONFIG 0x101B
#define CL_DEVICE_GLOBAL_MEM_CACHE_SIZE 0x101E
#define CL_DEVICE_GLOBAL_MEM_SIZE 0x101F
#define CL_DEVICE_LOCAL_MEM_SIZE 0x1023
#define CL_DEVICE_AVAILABLE 0x1027
#define CL_DEVICE_COMPILER_AVAILABLE 0x1028
#define CL_DEVICE_NAME 0x102B
#define CL_DRIVER_VERSION 0x102D
#define CL_DEVICE_VERSION 0x102F
#define CL_DEVICE_EXTENSIONS 0x1030
#define CL_DEVICE_DOUBLE_FP_CONFIG 0x1032
#define CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE 0x103B
#define CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV 0x4000
#define CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV 0x4001
#define CL_DEVICE_WARP_SIZE_NV 0x4003
#define CL_DEVICE_PCI_BUS_ID_NV 0x4008
#define CL_DEVICE_PCI_SLOT_ID_NV 0x4009
#define CL_DEVICE_PCI_DOMAIN_ID_NV 0x400A
#define CL_DEVICE_GLOBAL_FREE_MEMORY_AMD 0x4039
#define CL_DEVICE_WAVEFRONT_WIDTH_AMD 0x4043
#define CL_DEVICE_PCI_BUS_INFO_KHR 0x410F
#define CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT (1 << 7)
#define CL_CONTEXT_DEVICES 0x1081
#define CL_CONTEXT_PLATFORM 0x1084
#define CL_QUEUE_CONTEXT 0x1090
#define CL_QUEUE_DEVICE 0x1091
#define CL_QUEUE_PROPERTIES 0x1093
#define CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE (1 << 0)
#define CL_MEM_SIZE 0x1102
#define CL_MEM_CONTEXT 0x1106
#define CL_EVENT_CONTEXT 0x11D4
#define CL_QUEUE_PROFILING_ENABLE (1 << 1)
#define CL_DEVICE_MEM_BASE_ADDR_ALIGN 0x1019
#define CL_BUFFER_CREATE_TYPE_REGION 0x1220
#define CL_MEM_READ_WRITE (1 << 0)
#define CL_MEM_ALLOC_HOST_PTR (1 << 4)
#define CL_MAP_READ (1 << 0)
#define CL_MAP_WRITE (1 << 1)
#define CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED (1 << 1)
#define CL_PROGRAM_BINARY_SIZES 0x1165
#define CL_PROGRAM_BINARIES 0x1166
#define CL_PROGRAM_BUILD_LOG 0x1183
#define CL_KERNEL_WORK_GROUP_SIZE 0x11B0
#define CL_KERNEL_COMPILE_WORK_GROUP_SIZE 0x11B1
#define CL_PROFILING_COMMAND_END 0x1283

/* Errors (specification, appendix on error codes): name, value. */
/* clang-format off */
#define RW_OPENCL_ERRORS(X)                                                                                            \
    X(CL_SUCCESS, 0) X(CL_DEVICE_NOT_FOUND, -1) X(CL_DEVICE_NOT_AVAILABLE, -2) X(CL_COMPILER_NOT_AVAILABLE, -3)        \
    X(CL_MEM_OBJECT_ALLOCATION_FAILURE, -4) X(CL_OUT_OF_RESOURCES, -5) X(CL_OUT_OF_HOST_MEMORY, -6)                    \
    X(CL_PROFILING_INFO_NOT_AVAILABLE, -7) X(CL_MEM_COPY_OVERLAP, -8) X(CL_BUILD_PROGRAM_FAILURE, -11)                 \
    X(CL_MAP_FAILURE, -12) X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -14) X(CL_LINKER_NOT_AVAILABLE, -16)        \
    X(CL_INVALID_VALUE, -30) X(CL_INVALID_PLATFORM, -32) X(CL_INVALID_DEVICE, -33) X(CL_INVALID_CONTEXT, -34)          \
    X(CL_INVALID_COMMAND_QUEUE, -36) X(CL_INVALID_MEM_OBJECT, -38) X(CL_INVALID_BINARY, -42)                           \
    X(CL_INVALID_BUILD_OPTIONS, -43) X(CL_INVALID_PROGRAM, -44) X(CL_INVALID_PROGRAM_EXECUTABLE, -45)                  \
    X(CL_INVALID_KERNEL_NAME, -46) X(CL_INVALID_KERNEL, -48) X(CL_INVALID_ARG_INDEX, -49)                              \
    X(CL_INVALID_ARG_VALUE, -50) X(CL_INVALID_ARG_SIZE, -51) X(CL_INVALID_KERNEL_ARGS, -52)                            \
    X(CL_INVALID_WORK_DIMENSION, -53) X(CL_INVALID_WORK_GROUP_SIZE, -54) X(CL_INVALID_WORK_ITEM_SIZE, -55)             \
    X(CL_INVALID_EVENT, -58) X(CL_INVALID_OPERATION, -59) X(CL_INVALID_BUFFER_SIZE, -61)                               \
    X(CL_INVALID_GLOBAL_WORK_SIZE, -63) X(CL_PLATFORM_NOT_FOUND_KHR, -1001) X(CL_ILLEGAL_ACCESS_NV, -9999)
/* clang-format on */

enum {
#define RW_X(name, value) name = value,
    RW_OPENCL_ERRORS(RW_X)
#undef RW_X
};

typedef void rw_opencl_notify_context(const char *text, const void *data, size_t n, void *user);
typedef void rw_opencl_notify_program(cl_program program, void *user);

/* result, name, parameters */
/* clang-format off */
#define RW_OPENCL_FUNCTIONS(X)                                                                                         \
    X(cl_int, clGetPlatformIDs, (cl_uint n, cl_platform_id *platforms, cl_uint *found))                                \
    X(cl_int, clGetPlatformInfo, (cl_platform_id, cl_uint what, size_t size, void *value, size_t *needed))             \
    X(cl_int, clGetDeviceIDs, (cl_platform_id, cl_bitfield type, cl_uint n, cl_device_id *devices, cl_uint *found))    \
    X(cl_int, clGetDeviceInfo, (cl_device_id, cl_uint what, size_t size, void *value, size_t *needed))                 \
    X(cl_context, clCreateContext,                                                                                     \
      (const intptr_t *properties, cl_uint n, const cl_device_id *devices, rw_opencl_notify_context *notify,           \
       void *user, cl_int *error))                                                                                     \
    X(cl_int, clReleaseContext, (cl_context))                                                                          \
    X(cl_command_queue, clCreateCommandQueue, (cl_context, cl_device_id, cl_bitfield properties, cl_int *error))       \
    X(cl_int, clReleaseCommandQueue, (cl_command_queue))                                                               \
    X(cl_int, clFlush, (cl_command_queue))                                                                             \
    X(cl_int, clFinish, (cl_command_queue))                                                                            \
    X(cl_mem, clCreateBuffer, (cl_context, cl_bitfield flags, size_t bytes, void *host, cl_int *error))                \
    X(cl_int, clReleaseMemObject, (cl_mem))                                                                            \
    X(cl_int, clEnqueueMigrateMemObjects,                                                                              \
      (cl_command_queue, cl_uint n, const cl_mem *objects, cl_bitfield flags, cl_uint nwait, const cl_event *wait,     \
       cl_event *done))                                                                                                \
    X(cl_int, clEnqueueWriteBuffer,                                                                                    \
      (cl_command_queue, cl_mem, cl_bool blocking, size_t offset, size_t bytes, const void *src, cl_uint nwait,        \
       const cl_event *wait, cl_event *done))                                                                          \
    X(cl_int, clGetContextInfo, (cl_context, cl_uint what, size_t size, void *value, size_t *needed))                  \
    X(cl_int, clRetainContext, (cl_context))                                                                           \
    X(cl_int, clGetCommandQueueInfo, (cl_command_queue, cl_uint what, size_t size, void *value, size_t *needed))       \
    X(cl_int, clGetMemObjectInfo, (cl_mem, cl_uint what, size_t size, void *value, size_t *needed))                    \
    X(cl_int, clGetEventInfo, (cl_event, cl_uint what, size_t size, void *value, size_t *needed))                      \
    X(cl_int, clRetainEvent, (cl_event))                                                                               \
    X(cl_mem, clCreateSubBuffer, (cl_mem, cl_bitfield flags, cl_uint type, const void *region, cl_int *error))         \
    X(cl_int, clEnqueueReadBuffer,                                                                                     \
      (cl_command_queue, cl_mem, cl_bool blocking, size_t offset, size_t bytes, void *dst, cl_uint nwait,              \
       const cl_event *wait, cl_event *done))                                                                          \
    X(cl_int, clEnqueueCopyBuffer,                                                                                     \
      (cl_command_queue, cl_mem src, cl_mem dst, size_t src_offset, size_t dst_offset, size_t bytes, cl_uint nwait,    \
       const cl_event *wait, cl_event *done))                                                                          \
    X(cl_int, clEnqueueFillBuffer,                                                                                     \
      (cl_command_queue, cl_mem, const void *pattern, size_t pattern_bytes, size_t offset, size_t bytes,               \
       cl_uint nwait, const cl_event *wait, cl_event *done))                                                           \
    X(void *, clEnqueueMapBuffer,                                                                                      \
      (cl_command_queue, cl_mem, cl_bool blocking, cl_bitfield flags, size_t offset, size_t bytes, cl_uint nwait,      \
       const cl_event *wait, cl_event *done, cl_int *error))                                                           \
    X(cl_int, clEnqueueUnmapMemObject,                                                                                 \
      (cl_command_queue, cl_mem, void *mapped, cl_uint nwait, const cl_event *wait, cl_event *done))                   \
    X(cl_program, clCreateProgramWithSource,                                                                           \
      (cl_context, cl_uint n, const char **texts, const size_t *lengths, cl_int *error))                               \
    X(cl_program, clCreateProgramWithBinary,                                                                           \
      (cl_context, cl_uint n, const cl_device_id *devices, const size_t *lengths, const unsigned char **binaries,      \
       cl_int *status, cl_int *error))                                                                                 \
    X(cl_int, clReleaseProgram, (cl_program))                                                                          \
    X(cl_int, clBuildProgram,                                                                                          \
      (cl_program, cl_uint n, const cl_device_id *devices, const char *options, rw_opencl_notify_program *notify,      \
       void *user))                                                                                                    \
    X(cl_int, clGetProgramInfo, (cl_program, cl_uint what, size_t size, void *value, size_t *needed))                  \
    X(cl_int, clGetProgramBuildInfo,                                                                                   \
      (cl_program, cl_device_id, cl_uint what, size_t size, void *value, size_t *needed))                              \
    X(cl_kernel, clCreateKernel, (cl_program, const char *name, cl_int *error))                                        \
    X(cl_int, clReleaseKernel, (cl_kernel))                                                                            \
    X(cl_int, clGetKernelWorkGroupInfo,                                                                                \
      (cl_kernel, cl_device_id, cl_uint what, size_t size, void *value, size_t *needed))                               \
    X(cl_int, clSetKernelArg, (cl_kernel, cl_uint index, size_t bytes, const void *value))                             \
    X(cl_int, clEnqueueNDRangeKernel,                                                                                  \
      (cl_command_queue, cl_kernel, cl_uint ndim, const size_t *offset, const size_t *global, const size_t *local,     \
       cl_uint nwait, const cl_event *wait, cl_event *done))                                                           \
    X(cl_int, clEnqueueMarkerWithWaitList,                                                                             \
      (cl_command_queue, cl_uint nwait, const cl_event *wait, cl_event *done))                                         \
    X(cl_int, clEnqueueBarrierWithWaitList,                                                                            \
      (cl_command_queue, cl_uint nwait, const cl_event *wait, cl_event *done))                                         \
    X(cl_int, clWaitForEvents, (cl_uint n, const cl_event *events))                                                    \
    X(cl_int, clGetEventProfilingInfo, (cl_event, cl_uint what, size_t size, void *value, size_t *needed))             \
    X(cl_int, clReleaseEvent, (cl_event))
/* clang-format on */

typedef struct rw_opencl_api {
#define RW_X(result, name, parameters) result(*name) parameters;
    RW_OPENCL_FUNCTIONS(RW_X)
#undef RW_X
} rw_opencl_api;

/* The functions of libOpenCL.so.1, opened once and kept until the process ends; NULL and a reason when it is missing
 * or too old. Any thread may call it. */
const rw_opencl_api *rw_opencl_load(const char **reason);
/* "CL_OUT_OF_RESOURCES"; "OpenCL error" for a number that is not in the list. */
const char *rw_opencl_error_name(cl_int error);

#endif
