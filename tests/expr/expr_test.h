/* What the tests of the expression language share: devices, programs, fields with numbers. */
#ifndef RW_EXPR_TEST_H
#define RW_EXPR_TEST_H

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../compiler.h"
#include "../long.h"
#include "../normal.h"
#include "expr/program.h"

static rw_context *ctx;

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        rw_status ok_status = (call);                                                                                  \
        if (ok_status != RW_OK) fail_msg("%s: %s", rw_status_name(ok_status), rw_message(ctx));                        \
    } while (0)
#define FAILS(call, status, message)                                                                                   \
    do {                                                                                                               \
        assert_int_equal(call, status);                                                                                \
        assert_string_equal(rw_message(ctx), message);                                                                 \
    } while (0)

static inline rw_device *open_device(const char *name)
{
    rw_device *dev;
    OK(rw_device_open(ctx, name, &dev));
    return dev;
}

/* The device once more, with other kernels where `tiling` names some: cpu, stream, gpu, fused, wave, rings. To be
 * closed in either case. */
static inline rw_device *with_tiling(rw_device *dev, const char *tiling)
{
    char name[64];
    if (!tiling) return rw_device_retain(dev);
    snprintf(name, sizeof name, "%.31s:tiling=%s", rw_device_info(dev)->name, tiling);
    return open_device(name);
}

/* Every usable device of this machine by every name, and "check"; those of RECHENWERK_TEST_DEVICES=cuda:0,opencl:1 when
 * that is set. If none of those is there, the program ends with status 77: skipped. */
static inline int open_devices(rw_device **devices, int max)
{
    const char *wanted = getenv("RECHENWERK_TEST_DEVICES");
    rw_device_properties *list;
    int n = 0;
    int64_t count;
    char names[256], *save;
    snprintf(names, sizeof names, "%s", wanted ? wanted : "");
    for (char *name = strtok_r(names, ",", &save); name && n < max; name = strtok_r(NULL, ",", &save)) {
        if (rw_device_open(ctx, name, &devices[n]) == RW_OK) ++n;
        else printf("# %s is left out: %s\n", name, rw_message(ctx));
    }
    OK(rw_device_list(ctx, &list, &count));
    for (int i = 0; i < count && !wanted; ++i) {
        if (list[i].unusable[0]) {
            printf("# %s is left out: %s\n", list[i].name, list[i].unusable);
            continue;
        }
        const char *both[] = {list[i].name, list[i].also};
        for (int j = 0; j < 2; ++j)
            if (both[j][0] && n < max) devices[n++] = open_device(both[j]);
    }
    rw_device_list_free(&list);
    printf("# devices:");
    for (int i = 0; i < n; ++i) printf(" %s", rw_device_info(devices[i])->name);
    printf("\n");
    if (!n) exit(77);
    return n;
}

static inline rw_grid grid1(int64_t n, double h)
{
    return (rw_grid){.ndim = 1, .size = {n, 1, 1}, .spacing = {h, 1, 1}};
}

static inline int64_t cell_count(const rw_grid *g) { return g->size[0] * g->size[1] * g->size[2]; }

/* An array with the grid's shape, (z, y, x). */
static inline rw_array *field_array(rw_device *dev, const rw_grid *g, rw_dtype dtype)
{
    int64_t shape[3];
    rw_array *a;
    for (int d = 0; d < g->ndim; ++d) shape[d] = g->size[g->ndim - 1 - d];
    OK(rw_array_create(dev, dtype, g->ndim, shape, RW_MEMORY_DEVICE, &a));
    return a;
}

static inline int parts(rw_dtype dtype) { return rw_dtype_is_complex(dtype) ? 2 : 1; }
static inline bool single(rw_dtype dtype) { return dtype == RW_F32 || dtype == RW_C64; }

/* Numbers to and from an array, as doubles; complex ones as pairs. */
static inline void put(rw_array *a, const double *values)
{
    void *data;
    OK(rw_array_write(a, &data));
    int64_t n = rw_array_size(a) * parts(rw_array_dtype(a));
    for (int64_t i = 0; i < n; ++i) {
        if (single(rw_array_dtype(a))) ((float *)data)[i] = (float)values[i];
        else ((double *)data)[i] = values[i];
    }
}

static inline void take(rw_array *a, double *values)
{
    const void *data;
    OK(rw_array_read(a, &data));
    int64_t n = rw_array_size(a) * parts(rw_array_dtype(a));
    for (int64_t i = 0; i < n; ++i)
        values[i] = single(rw_array_dtype(a)) ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static inline double scalar(rw_expr *e, const char *name)
{
    double re, im;
    OK(rw_expr_get(e, name, &re, &im));
    return re;
}

static char locale_folder[] = "/tmp/rechenwerk-locale-XXXXXX";

static inline void remove_locale(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", locale_folder);
    if (system(command) != 0) printf("# %s is left\n", locale_folder);
}

static inline bool make_locale(void)
{
    char command[128];
    if (!mkdtemp(locale_folder)) return false;
    atexit(remove_locale);
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", locale_folder);
    return system(command) == 0;
}

/* A locale that writes 0,5: one of the system's, or made in a folder that is removed when the test ends; false where
 * neither is to be had. */
static inline bool comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
    for (int made = 0; made < 2; ++made) {
        for (int i = 0; i < RW_COUNT(names); ++i)
            if (setlocale(LC_ALL, names[i]) && localeconv()->decimal_point[0] == ',') return true;
        if (!made && make_locale()) setenv("LOCPATH", locale_folder, 1);
    }
    setlocale(LC_ALL, "C");
    printf("# no locale with a decimal comma here\n");
    return false;
}

/* A graph with names in it, to lower expressions into: fields u, v (f64) and w (c128), scalars a, b, c (real) and
 * p, q (complex). */
typedef struct names {
    rw_graph *g;
    rw_lowering l;
} names;

static inline void names_begin(names *n, const rw_grid *grid, int order)
{
    static const rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64},
                                           {.name = "v", .dtype = RW_F64},
                                           {.name = "w", .dtype = RW_C128}};
    static const rw_expr_scalar scalars[] = {{.name = "a", .value = 0.3},
                                             {.name = "b", .value = 0.7},
                                             {.name = "c", .value = 1.1},
                                             {.name = "p", .is_complex = true, .value = 0.4, .imaginary = 0.2},
                                             {.name = "q", .is_complex = true, .value = -0.6, .imaginary = 0.5}};
    rw_expr_spec spec =
        {.name = "names", .grid = *grid, .fields = fields, .nfields = 3, .scalars = scalars, .nscalars = 5};
    OK(rw_graph_create(ctx, grid, order, &n->g));
    rw_lowering_begin(&n->l, ctx, n->g);
    OK(rw_expr_declare(ctx, &spec, n->g, &n->l, NULL, NULL));
}

static inline void names_end(names *n)
{
    rw_lowering_end(&n->l);
    rw_graph_destroy(&n->g);
}

static inline rw_node node_of(names *n, const char *text)
{
    rw_source source = {text, text, 1, 1};
    rw_node node;
    OK(rw_lower_text(&n->l, &source, &node));
    return node;
}

static inline int make_context(void **state)
{
    (void)state;
    return rw_context_create(&ctx) == RW_OK ? 0 : -1;
}

static inline int drop_context(void **state)
{
    (void)state;
    rw_context_destroy(&ctx);
    return 0;
}

#endif
