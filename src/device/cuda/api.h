/* The parts of the CUDA driver API and of NVRTC that the device uses, declared from NVIDIA's reference manuals (CUDA
 * Driver API, NVRTC), and the tables of functions that api.c fills from libcuda.so.1 and libnvrtc at run time.
 *
 * No CUDA toolkit is needed to build. A name with _v2 is the symbol in the library behind the name in the manual; the
 * plain symbol is an older function with other types. Needs a driver of CUDA 11.4 or newer and NVRTC 11.2 or newer. */
#ifndef RW_CUDA_API_H
#define RW_CUDA_API_H

#include <stddef.h>

typedef int CUresult, CUdevice, CUdevice_attribute, CUfunction_attribute, CUjit_option, CUstreamCaptureMode;
typedef unsigned long long CUdeviceptr, cuuint64_t;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphicsResource_st *CUgraphicsResource;

/* clang-format off */
#define RW_CUDA_CONSTANTS(X)                                                                                           \
    X(CUDA_SUCCESS, 0) X(CUDA_ERROR_INVALID_VALUE, 1) X(CUDA_ERROR_OUT_OF_MEMORY, 2) X(CUDA_ERROR_DEINITIALIZED, 4)    \
    X(CUDA_ERROR_DEVICE_UNAVAILABLE, 46) X(CUDA_ERROR_NO_DEVICE, 100) X(CUDA_ERROR_ECC_UNCORRECTABLE, 214)             \
    X(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220) X(CUDA_ERROR_CONTAINED, 226)                                               \
    X(CUDA_ERROR_ILLEGAL_ADDRESS, 700) X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)                                      \
    X(CUDA_ERROR_LAUNCH_TIMEOUT, 702) X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709) X(CUDA_ERROR_ASSERT, 710)                \
    X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714) X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)                                     \
    X(CUDA_ERROR_MISALIGNED_ADDRESS, 716) X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717) X(CUDA_ERROR_INVALID_PC, 718)       \
    X(CUDA_ERROR_LAUNCH_FAILED, 719)                                                                                   \
    X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1) X(CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10)                               \
    X(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13) X(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                              \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 20)                                                                            \
    X(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 19) X(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 33)                               \
    X(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 34)                                                                           \
    X(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38) X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39)                 \
    X(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 50)                                                                           \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75) X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)            \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81)                                                    \
    X(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 83) X(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 89)                     \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)                                                       \
    X(CU_COMPUTEMODE_PROHIBITED, 2)                                                                                    \
    X(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0) X(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1)                            \
    X(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3) X(CU_FUNC_ATTRIBUTE_NUM_REGS, 4)                                          \
    X(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 14)                                                         \
    X(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8) X(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 9)     \
    X(CU_JIT_ERROR_LOG_BUFFER, 5) X(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6)                                             \
    X(CU_SHAREDMEM_CARVEOUT_MAX_SHARED, 100) X(CU_MEM_ATTACH_GLOBAL, 1) X(CU_MEMHOSTALLOC_PORTABLE, 1)                 \
    X(CU_MEMHOSTALLOC_DEVICEMAP, 2)                                                                                    \
    X(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 2) X(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, 3)                                   \
    X(CU_POINTER_ATTRIBUTE_IS_MANAGED, 8)                                                                              \
    X(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 9) X(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, 11)                             \
    X(CU_POINTER_ATTRIBUTE_RANGE_SIZE, 12)                                                                             \
    X(CU_MEMORYTYPE_HOST, 1) X(CU_MEMORYTYPE_DEVICE, 2)                                                                \
    X(CU_STREAM_NON_BLOCKING, 1) X(CU_STREAM_CAPTURE_MODE_RELAXED, 2) X(CU_EVENT_DEFAULT, 0)                           \
    X(CU_GL_DEVICE_LIST_ALL, 1) X(CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD, 2)
/* clang-format on */

enum {
#define RW_X(name, value) name = value,
    RW_CUDA_CONSTANTS(RW_X)
#undef RW_X
};

/* symbol, parameters; every function returns a CUresult */
/* clang-format off */
#define RW_CUDA_FUNCTIONS(X)                                                                                           \
    X(cuInit, (unsigned int flags))                                                                                    \
    X(cuDriverGetVersion, (int *version))                                                                              \
    X(cuGetErrorName, (CUresult, const char **name))                                                                   \
    X(cuGetErrorString, (CUresult, const char **text))                                                                 \
    X(cuDeviceGetCount, (int *count))                                                                                  \
    X(cuDeviceGet, (CUdevice *device, int index))                                                                      \
    X(cuDeviceGetName, (char *name, int size, CUdevice))                                                               \
    X(cuDeviceGetAttribute, (int *value, CUdevice_attribute, CUdevice))                                                \
    X(cuDeviceTotalMem_v2, (size_t *bytes, CUdevice))                                                                  \
    X(cuDevicePrimaryCtxRetain, (CUcontext *context, CUdevice))                                                        \
    X(cuDevicePrimaryCtxRelease_v2, (CUdevice))                                                                        \
    X(cuCtxGetCurrent, (CUcontext *context))                                                                           \
    X(cuCtxSetCurrent, (CUcontext))                                                                                    \
    X(cuCtxPushCurrent_v2, (CUcontext))                                                                                \
    X(cuCtxPopCurrent_v2, (CUcontext *context))                                                                        \
    X(cuMemGetInfo_v2, (size_t *free, size_t *total))                                                                  \
    X(cuMemAlloc_v2, (CUdeviceptr *pointer, size_t bytes))                                                             \
    X(cuMemAllocManaged, (CUdeviceptr *pointer, size_t bytes, unsigned int flags))                                     \
    X(cuMemFree_v2, (CUdeviceptr))                                                                                     \
    X(cuMemHostAlloc, (void **pointer, size_t bytes, unsigned int flags))                                              \
    X(cuMemHostGetDevicePointer_v2, (CUdeviceptr *pointer, void *host, unsigned int flags))                            \
    X(cuMemFreeHost, (void *pointer))                                                                                  \
    X(cuMemcpyHtoDAsync_v2, (CUdeviceptr dst, const void *src, size_t bytes, CUstream))                                \
    X(cuMemcpyDtoHAsync_v2, (void *dst, CUdeviceptr src, size_t bytes, CUstream))                                      \
    X(cuMemcpyDtoDAsync_v2, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream))                                \
    X(cuMemsetD8Async, (CUdeviceptr dst, unsigned char value, size_t n, CUstream))                                     \
    X(cuMemsetD32Async, (CUdeviceptr dst, unsigned int value, size_t n, CUstream))                                     \
    X(cuModuleLoadDataEx,                                                                                              \
      (CUmodule *module, const void *image, unsigned int noptions, CUjit_option *options, void **values))              \
    X(cuModuleUnload, (CUmodule))                                                                                      \
    X(cuModuleGetFunction, (CUfunction *function, CUmodule, const char *name))                                         \
    X(cuFuncGetAttribute, (int *value, CUfunction_attribute, CUfunction))                                              \
    X(cuFuncSetAttribute, (CUfunction, CUfunction_attribute, int value))                                               \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, CUfunction, int items, size_t shared))                \
    X(cuLaunchKernel,                                                                                                  \
      (CUfunction, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,                \
       unsigned int block_y, unsigned int block_z, unsigned int shared, CUstream, void **parameters, void **extra))    \
    X(cuStreamCreate, (CUstream *stream, unsigned int flags))                                                          \
    X(cuStreamDestroy_v2, (CUstream))                                                                                  \
    X(cuStreamGetCtx, (CUstream, CUcontext *context))                                                                  \
    X(cuPointerGetAttribute, (void *value, int attribute, CUdeviceptr pointer))                                        \
    X(cuStreamSynchronize, (CUstream))                                                                                 \
    X(cuStreamWaitEvent, (CUstream, CUevent, unsigned int flags))                                                      \
    X(cuEventCreate, (CUevent *event, unsigned int flags))                                                             \
    X(cuEventDestroy_v2, (CUevent))                                                                                    \
    X(cuEventRecord, (CUevent, CUstream))                                                                              \
    X(cuEventSynchronize, (CUevent))                                                                                   \
    X(cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent stop))                                          \
    X(cuStreamBeginCapture_v2, (CUstream, CUstreamCaptureMode))                                                        \
    X(cuStreamEndCapture, (CUstream, CUgraph *graph))                                                                  \
    X(cuGraphInstantiateWithFlags, (CUgraphExec *exec, CUgraph, unsigned long long flags))                             \
    X(cuGraphDestroy, (CUgraph))                                                                                       \
    X(cuGraphUpload, (CUgraphExec, CUstream))                                                                          \
    X(cuGraphLaunch, (CUgraphExec, CUstream))                                                                          \
    X(cuGraphExecDestroy, (CUgraphExec))                                                                               \
    X(cuGLGetDevices_v2, (unsigned int *count, CUdevice *devices, unsigned int most, int list))                        \
    X(cuGraphicsGLRegisterBuffer, (CUgraphicsResource *resource, unsigned int buffer, unsigned int flags))             \
    X(cuGraphicsMapResources, (unsigned int count, CUgraphicsResource *resources, CUstream))                           \
    X(cuGraphicsResourceGetMappedPointer_v2, (CUdeviceptr *pointer, size_t *bytes, CUgraphicsResource))                \
    X(cuGraphicsUnmapResources, (unsigned int count, CUgraphicsResource *resources, CUstream))                         \
    X(cuGraphicsUnregisterResource, (CUgraphicsResource))
/* clang-format on */

typedef struct rw_cuda_api {
#define RW_X(name, parameters) CUresult(*name) parameters;
    RW_CUDA_FUNCTIONS(RW_X)
#undef RW_X
} rw_cuda_api;

typedef int nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;

/* result, symbol, parameters */
/* clang-format off */
#define RW_NVRTC_FUNCTIONS(X)                                                                                          \
    X(nvrtcResult, nvrtcVersion, (int *major, int *minor))                                                             \
    X(const char *, nvrtcGetErrorString, (nvrtcResult))                                                                \
    X(nvrtcResult, nvrtcGetNumSupportedArchs, (int *count))                                                            \
    X(nvrtcResult, nvrtcGetSupportedArchs, (int *archs))                                                               \
    X(nvrtcResult, nvrtcCreateProgram,                                                                                 \
      (nvrtcProgram *program, const char *text, const char *name, int nheaders, const char *const *headers,            \
       const char *const *names))                                                                                      \
    X(nvrtcResult, nvrtcDestroyProgram, (nvrtcProgram *program))                                                       \
    X(nvrtcResult, nvrtcCompileProgram, (nvrtcProgram, int noptions, const char *const *options))                      \
    X(nvrtcResult, nvrtcGetProgramLogSize, (nvrtcProgram, size_t *bytes))                                              \
    X(nvrtcResult, nvrtcGetProgramLog, (nvrtcProgram, char *log))                                                      \
    X(nvrtcResult, nvrtcGetCUBINSize, (nvrtcProgram, size_t *bytes))                                                   \
    X(nvrtcResult, nvrtcGetCUBIN, (nvrtcProgram, char *cubin))                                                         \
    X(nvrtcResult, nvrtcGetPTXSize, (nvrtcProgram, size_t *bytes))                                                     \
    X(nvrtcResult, nvrtcGetPTX, (nvrtcProgram, char *ptx))
/* clang-format on */

typedef struct rw_nvrtc_api {
#define RW_X(result, name, parameters) result(*name) parameters;
    RW_NVRTC_FUNCTIONS(RW_X)
#undef RW_X
    int major, minor;
} rw_nvrtc_api;

/* The driver's functions, cuInit done; NULL and a reason when the library is missing or too old or finds no GPU.
 * Opened once and kept until the process ends; any thread may call it. */
const rw_cuda_api *rw_cuda_load(const char **reason);
/* NVRTC's functions. Searched: $RECHENWERK_NVRTC alone when it is set; else the linker's path, $CUDA_HOME, $CUDA_PATH,
 * $CONDA_PREFIX, /usr/local/cuda*, and the folders of pip. One that is newer than the driver is passed over, since the
 * driver could not load what it makes. NULL and a reason when there is none. */
const rw_nvrtc_api *rw_nvrtc_load(const char **reason);

#endif
