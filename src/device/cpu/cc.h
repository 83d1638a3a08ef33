/* The system's C compiler as the compiler of the cpu and check devices. */
#ifndef RW_CC_H
#define RW_CC_H

#include "device/device.h"

enum { RW_CC_PATH = 4096 };
/* Path of the compiler: $RECHENWERK_CC, else cc, gcc or clang on PATH. False when there is none; RECHENWERK_CC = none:
 * none. */
bool rw_cc_find(char path[RW_CC_PATH]);
bool rw_cc_find_on_path(const char *name, char path[RW_CC_PATH]);
/* Path, size and time of the compiler, the processor, and `options`: what a compiled program depends on.
 * RW_ERR_UNSUPPORTED when there is no compiler, RW_ERR_DEVICE when RECHENWERK_CC names none. */
rw_status rw_cc_identity(rw_device *dev, const char *options, rw_text *identity);
/* rw_device_ops.compiler_version; "" also after two seconds. */
void rw_cc_version(rw_device *dev, char *line, size_t size);
/* Compiles the text with entry points for all kernels of p to the bytes of a shared object. */
rw_status rw_cc_compile(rw_device *dev, rw_program *p, const char *text, const char *options, rw_text *binary);
/* Loads the bytes of a shared object and finds the entry points; `handle` of each kernel becomes a rw_cc_entry. */
typedef void rw_cc_entry(void *const *args, const int *groups, long first, long last);
rw_status rw_cc_load(rw_device *dev, rw_program *p, const rw_text *binary);
void rw_cc_unload(rw_program *p);

#endif
