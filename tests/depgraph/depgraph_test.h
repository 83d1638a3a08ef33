/* What the tests of dependency graphs share: a context, graphs made in few words. */
#ifndef DEPGRAPH_TEST_H
#define DEPGRAPH_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "depgraph/depgraph_private.h"

static rw_context *ctx;

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        rw_status ok_status = (call);                                                                                  \
        if (ok_status != RW_OK) fail_msg("%s:%d: %s\n    %s", __FILE__, __LINE__, #call, rw_message(ctx));             \
    } while (0)
#define FAILS(wanted, part, call)                                                                                      \
    do {                                                                                                               \
        rw_status fails_status = (call);                                                                               \
        if (fails_status != (wanted) || !strstr(rw_message(ctx), part))                                                \
            fail_msg("%s:%d: %s\n    is %s: %s", __FILE__, __LINE__, #call, rw_status_name(fails_status),              \
                     rw_message(ctx));                                                                                 \
    } while (0)

static inline rw_depgraph *new_graph(void)
{
    rw_depgraph *g;
    OK(rw_depgraph_create(ctx, &g));
    return g;
}

static inline int add(rw_depgraph *g, const char *kind, const char *format, ...) RW_PRINTF(3, 4);
static inline int add(rw_depgraph *g, const char *kind, const char *format, ...)
{
    char label[64];
    int task = -1;
    va_list args;
    va_start(args, format);
    vsnprintf(label, sizeof label, format, args);
    va_end(args);
    OK(rw_depgraph_add_task(g, kind, label, &task));
    return task;
}

static inline void need(rw_depgraph *g, int task, int needed) { OK(rw_depgraph_add_dependency(g, task, needed)); }

static inline rw_partition *divide(const rw_depgraph *g, const int *part, int nparts)
{
    rw_partition *p;
    OK(rw_depgraph_partition(g, part, nparts, NULL, &p));
    return p;
}

/* A path as it should be: each task needs the one before. */
static inline void assert_path(const rw_depgraph *g, const int *path, int n)
{
    for (int i = 0; i + 1 < n; ++i) {
        bool found = false;
        RW_EACH_NEED(g, d, path[i + 1]) found = found || g->dependency[d].needed == path[i];
        if (!found) fail_msg("%s does not need %s", rw_depgraph_label(g, path[i + 1]), rw_depgraph_label(g, path[i]));
    }
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
