/* What a run-time compiler (of an OpenCL driver, NVRTC) said about a text that it refused. */
#ifndef RW_BUILD_LOG_H
#define RW_BUILD_LOG_H

#include "core/core.h"

/* Writes the text and the compiler's log to a private folder in $TMPDIR, which stays a day (of more than 128 KiB the
 * head and the tail), and sets the message
 *
 *   program heat: kernel step, line 12: heat:12:5: error: … (whole log: …/heat.log, source: …/heat.cl)
 *
 * from the first error of the log; lines count as `#line` directives of the text say. Returns RW_ERR_COMPILE. */
rw_status rw_build_failed(rw_context *ctx, const char *program, const char *suffix, const char *text, const char *log);

#endif
