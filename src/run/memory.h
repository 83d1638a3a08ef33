/* Memory that a case may still take; see memory.c. */
#ifndef RW_PROBLEM_MEMORY_H
#define RW_PROBLEM_MEMORY_H

#include "core/core.h"
#include "rechenwerk/device.h"

/* Bytes free for a case on the device; 0: unknown. */
int64_t rw_memory_available(const rw_device *device);
void rw_memory_text(int64_t bytes, char text[32]); /* "1.5 GiB" */
/* ERR_MEMORY with the estimate and what is there when `needed` bytes are more than that. `what` begins the message. */
rw_status rw_memory_check(rw_context *ctx, const char *what, const rw_device *device, int64_t needed);

#endif
