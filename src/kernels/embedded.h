/* Kernel texts and dialect headers inside the library: src/.../X.k and src/kernels/dialect_X.h, byte for byte.
 *
 * The build (cmake/embed.cmake) writes the table; a file's name is its key, so two texts never share one. */
#ifndef RW_KERNELS_EMBEDDED_H
#define RW_KERNELS_EMBEDDED_H

struct rw_embedded {
    const char *name; /* "reduce.k", "dialect_cpu.h" */
    const char *text; /* NUL-terminated */
};

/* rw_embedded_count entries in the order of their names, then {NULL, NULL}. */
extern const struct rw_embedded rw_embedded[];
extern const int rw_embedded_count;

#endif
