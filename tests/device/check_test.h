/* What the tests of the check device share: the device with a log, arrays, programs of kernels, a stencil in a shared
 * tile. */
#ifndef RW_CHECK_TEST_H
#define RW_CHECK_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../values.h"
#include "device/check/check.h"
#include "device/cpu/cc.h"

enum { N = 64, GROUP = 8 };

static rw_context *ctx;
static rw_device *dev;
static char log_text[4096];

static inline void keep_log(void *user, rw_log_level level, const char *text)
{
    (void)user;
    size_t n = strlen(log_text);
    snprintf(log_text + n, sizeof log_text - n, "%d %s\n", (int)level, text);
}

static inline void set_order(const char *order)
{
    if (order) setenv("RECHENWERK_CHECK_ORDER", order, 1);
    else unsetenv("RECHENWERK_CHECK_ORDER");
}

static inline int setup(void **state)
{
    (void)state;
    log_text[0] = 0;
    set_order("forward");
    assert_int_equal(rw_context_create(&ctx), RW_OK);
    rw_context_set_log(ctx, RW_LOG_INFO, keep_log, NULL);
    assert_int_equal(rw_device_open(ctx, "check", &dev), RW_OK);
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    unsetenv("RECHENWERK_CC");
    return 0;
}

static inline void need(rw_status status, const char *what)
{
    if (status != RW_OK) fail_msg("%s: %s: %s", what, rw_status_name(status), rw_message(ctx));
}
#define NEED(call) need(call, #call)

static inline rw_array *array(rw_dtype dtype, int64_t n)
{
    rw_array *a;
    NEED(rw_array_create(dev, dtype, 1, &n, RW_MEMORY_DEVICE, &a));
    return a;
}

/* 0, 1, 2, … */
static inline rw_array *ramp(int64_t n)
{
    rw_array *a = array(RW_F64, n);
    void *host;
    NEED(rw_array_write(a, &host));
    for (int64_t i = 0; i < n; ++i) ((double *)host)[i] = (double)i;
    return a;
}

static inline const double *values(rw_array *a)
{
    const void *host;
    NEED(rw_array_read(a, &host));
    return host;
}

static inline rw_program *compile(const char *name, const char *text, const char *more, const char *value)
{
    rw_define d[] = {{"GROUP", "8"},
                     {"GROUP_X", "4"},
                     {"SHARED_LARGE_BYTES", "512"},
                     {"WITH_COMPLEX", "1"},
                     {more ? more : "NONE", value ? value : ""}};
    rw_program *p;
    NEED(rw_program_create(dev, name, text, d, RW_COUNT(d), &p));
    return p;
}

static inline rw_status launch(rw_program *p, const char *kernel, int64_t nx, int64_t ny, const rw_arg *args, int nargs)
{
    rw_kernel *k;
    NEED(rw_program_kernel(p, kernel, &k));
    return rw_launch(rw_device_queue(dev), k, (int64_t[3]){nx, ny, 1}, args, nargs);
}

/* y <- x[i-1] - 2 x[i] + x[i+1], zero beyond the ends, from a shared tile. */
static const char stencil[] = "KERNEL(stencil, GLOBAL real *RESTRICT y, GLOBAL const real *RESTRICT x, long n)\n{\n"
                              "    SHARED(real, t, GROUP + 2);\n"
                              "    long lo = GROUP_ID(0) * GROUP, hi = lo + GROUP < n ? lo + GROUP : n;\n"
                              "    EACH_IN(i, lo - 1, hi + 1) { t[i - lo + 1] = i >= 0 && i < n ? x[i] : 0; }\n"
                              "    BARRIER;\n"
                              "    EACH_IN(i, lo, hi) { y[i] = t[i - lo] - 2 * t[i - lo + 1] + t[i - lo + 2]; }\n"
                              "}\n";

static inline void stencil_at(rw_program *p, int64_t n)
{
    rw_array *x = ramp(n), *y = array(RW_F64, n);
    NEED(launch(p, "stencil", (n + GROUP - 1) / GROUP, 1, (rw_arg[]){rw_arg_array(y), rw_arg_array(x), rw_arg_int(n)},
                3));
    for (int64_t i = 0; i < n; ++i)
        assert_true(values(y)[i] == (double)((i ? i - 1 : 0) - 2 * i + (i + 1 < n ? i + 1 : 0)));
    rw_array_destroy(&x), rw_array_destroy(&y);
}

#endif
