/* What the tests of runs of the problem pde share: an empty folder with a case and results, problems without a run,
 * runs that are interrupted, comparison of files. */
#ifndef PDE_TEST_H
#define PDE_TEST_H

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../long.h"
#include "run/pde/pde.h"
#include "run/run_private.h"

static rw_context *ctx;
static char folder[64];

static inline bool open_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/rechenwerk-test-XXXXXX");
    return mkdtemp(folder) && rw_context_create(&ctx) == RW_OK;
}

static inline int close_folder(void)
{
    char command[96];
    rw_context_destroy(&ctx);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) != 0;
}

/* FOLDER/RESULTS/NAME; two such paths at a time. */
static inline const char *result(const char *results, const char *name)
{
    static char path[2][256];
    static int next;
    next = 1 - next;
    snprintf(path[next], sizeof *path, "%s/%s/%s", folder, results, name);
    return path[next];
}

static inline void write_case(const char *text, char path[128])
{
    snprintf(path, 128, "%s/case.yaml", folder);
    assert_int_equal(rw_file_write(ctx, path, text, strlen(text)), RW_OK);
}

/* FOLDER/case.yaml with this text, without a file. */
static inline rw_status parse_text(const char *text, rw_case **c)
{
    char path[128];
    snprintf(path, sizeof path, "%s/case.yaml", folder);
    return rw_case_parse(ctx, path, text, strlen(text), NULL, 0, rw_problems, c);
}

/* Whether it is a case; rw_message says why not. */
static inline rw_status check_text(const char *text)
{
    rw_case *c = NULL;
    const rw_status status = parse_text(text, &c);
    rw_case_free(&c);
    return status;
}

/* Parses the case and creates its problem; *p is NULL after a failure. */
static inline rw_status create(const char *text, rw_device *device, rw_case **c, rw_problem **p)
{
    int64_t bytes;
    *p = NULL;
    rw_status status = parse_text(text, c);
    if (status != RW_OK) return status;
    return rw_case_problem(*c)->create(*c, device, false, &bytes, p);
}

static inline void destroy(rw_case **c, rw_problem **p)
{
    if (*p) (*p)->ops->destroy(p);
    rw_case_free(c);
}

static rw_cancel cancel;
static int64_t interrupt_step;

static inline rw_status interrupted_step(rw_problem *p, double t_limit)
{
    rw_status status = rw_pde_ops.march->step(p, t_limit);
    if (rw_pde_ops.march->steps(p) == interrupt_step) rw_cancel_request(&cancel);
    return status;
}

/* Runs the case on cpu into FOLDER/RESULTS, interrupted after the step `until` (-1: not). */
static inline rw_status run_until(const char *path, const char *results, rw_run_options options, int64_t until)
{
    static rw_problem_ops stopping;
    static const rw_problem_ops *const list[] = {&stopping, NULL};
    char where[160];
    static rw_march_ops march;
    march = *rw_pde_ops.march;
    march.step = interrupted_step;
    stopping = rw_pde_ops;
    stopping.march = &march;
    rw_cancel_reset(&cancel), interrupt_step = until;
    snprintf(where, sizeof where, "%s/%s", folder, results);
    options.folder = where, options.device = "cpu", options.cancel = &cancel;
    return rw_run_with(ctx, list, path, &options, NULL);
}

/* Whether two files of two results are equal byte by byte. */
static inline bool same_files(const char *a, const char *name, const char *b, const char *other)
{
    char *x, *y;
    size_t n, k;
    assert_int_equal(rw_file_read(ctx, result(a, name), 1 << 24, &x, &n), RW_OK);
    assert_int_equal(rw_file_read(ctx, result(b, other), 1 << 24, &y, &k), RW_OK);
    bool equal = n == k && !memcmp(x, y, n);
    rw_free(x), rw_free(y);
    return equal;
}

/* Runs the case on cpu into FOLDER/RESULTS. until: "time.end=…", or NULL. */
static inline void run_to_end(const char *path, const char *results, const char *until, bool restart)
{
    char where[160];
    const char *set[] = {until};
    snprintf(where, sizeof where, "%s/%s", folder, results);
    rw_run_options options = {.folder = where, .device = "cpu", .set = set, .nset = until ? 1 : 0, .restart = restart};
    rw_run_report report;
    if (rw_run_case(ctx, path, &options, &report) != RW_OK) fail_msg("%s", rw_message(ctx));
}

#define CASE(fields, rest)                                                                                             \
    "problem: pde\n"                                                                                                   \
    "grid: {size: [8, 6], extent: [1, 2]}\n"                                                                           \
    "fields: " fields "\n" rest

#endif
