/* Kernel texts and dialect headers that the build embeds, byte for byte (cmake/embed.cmake). A file's name is its key,
 * so two texts of a part never share one. */
#ifndef RW_KERNELS_EMBEDDED_H
#define RW_KERNELS_EMBEDDED_H

/* "reduce.k", "dialect_cpu.h", …: texts of the library, NUL-terminated; NULL when there is none of that name. */
const char *rw_embedded_text(const char *name);
/* The same for benchmarks and studies (src/bench, src/lab). */
const char *rw_measure_text(const char *name);

#endif
