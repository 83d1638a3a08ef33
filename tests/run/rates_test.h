/* What the tests of the problem rates share: cases of one cell and of a cylinder, made and run on a device. */
#ifndef RW_TEST_RATES_H
#define RW_TEST_RATES_H

#include "../devices.h"

#include <math.h>
#include <unistd.h>

#include "run/rates/rates.h"

static inline rates_problem *make(const char *text, rw_case **c)
{
    rw_problem *p;
    int64_t bytes;
    if (rw_case_parse(ctx, "/tmp/case.yaml", text, strlen(text), NULL, 0, rw_problems, c) != RW_OK ||
        rw_rates_ops.create(*c, dev, false, &bytes, &p) != RW_OK)
        fail_msg("%s\n%s", rw_message(ctx), text);
    return (rates_problem *)p;
}

static inline void drop(rates_problem *p, rw_case **c)
{
    rw_problem *base = &p->base;
    rw_rates_ops.destroy(&base);
    rw_case_free(c);
}

static inline void advance(rates_problem *p, double t)
{
    while (rw_rates_ops.march->time(&p->base) < t) OK(rw_rates_ops.march->step(&p->base, t));
    assert_true(rw_rates_ops.march->time(&p->base) == t);
}

static inline void row(rates_problem *p, double *values) { OK(rw_rates_ops.row(&p->base, values)); }

static inline double statistic(const rates_problem *p, const char *name)
{
    const char *names[16];
    double values[16];
    int n = rw_rates_ops.statistics(&p->base, names, values, 16);
    for (int i = 0; i < n; ++i)
        if (!strcmp(names[i], name)) return values[i];
    return NAN;
}

/* PoCL starts a kernel in 20 us and more, and check looks at every access: long runs are left to the others. */
static inline bool is_check(void) { return !strcmp(rw_device_info(dev)->name, "check"); }
static inline bool starts_slowly(void)
{
    return is_check() || (!rw_device_info(dev)->gpu && !strncmp(rw_device_info(dev)->name, "opencl", 6));
}

static inline void near(const char *what, double got, double expected, double relative)
{
    if (!(fabs(got - expected) <= relative * fabs(expected)))
        fail_msg("%s: %.13g, expected %.13g", what, got, expected);
}

/* One cell with the volume of the cylinder; pump and mode are constant. */
#define SINGLE(rest)                                                                                                   \
    "problem: rates\ngrid: {kind: box, width: 0.886226925452758, length: 10, cells: 1}\n"                              \
    "pump: {profile: \"1/7.853981633974483\"}\n"                                                                       \
    "mode: {profile: \"1/(pi*0.25)\"}\n" rest
enum { T, PHI, POWER, LAMBDA, INVERSION };

#define RADIAL(cells, rest)                                                                                            \
    "problem: rates\ngrid: {cells: " cells "}\npump: {profile: \"2/(pi*0.4^2)*exp(-2*r2/0.4^2)/10\"}\n"                \
    "mode: {profile: \"2/(pi*0.25^2)*exp(-2*r2/0.25^2)\"}\n" rest

#define MODES(a, b, rest)                                                                                              \
    "problem: rates\ngrid: {cells: [5, 5, 1]}\npump: {profile: \"2/(pi*0.4^2)*exp(-2*r2/0.4^2)/10\"}\n"                \
    "modes: {first: {profile: \"2/(pi*" a "^2)*exp(-2*r2/" a "^2)\"}, second: {profile: \"2/(pi*" b "^2)*exp(-2*r2/" b \
    "^2)\"}}\n" rest

/* Saved in the middle of a batch and of a step, and between batches, and loaded: the same bits as without, and steps
 * are recorded again. */
static inline void restart_at(const char *text, double t)
{
    rw_case *c, *d;
    double a[5], b[5];
    char path[] = "/tmp/rechenwerk-rates-XXXXXX";
    close(mkstemp(path));
    rw_h5 *file;
    rates_problem *p = make(text, &c), *q = make(text, &d);
    advance(p, t);
    OK(rw_h5_create(ctx, path, &file));
    OK(rw_rates_ops.save(&p->base, file));
    OK(rw_h5_commit(&file));
    OK(rw_h5_open(ctx, path, &file));
    OK(rw_rates_ops.load(&q->base, file));
    rw_h5_close(&file);
    assert_true(rw_rates_ops.march->time(&q->base) == rw_rates_ops.march->time(&p->base) && q->offset == p->offset);
    advance(p, 3e-5);
    advance(q, 3e-5);
    row(p, a), row(q, b);
    assert_memory_equal(a, b, sizeof a);
    assert_true(statistic(p, "first_spike_time") == statistic(q, "first_spike_time") &&
                statistic(p, "spikes") == statistic(q, "spikes"));
    assert_true(p->sequence && q->sequence && !q->single);
    unlink(path);
    drop(p, &c), drop(q, &d);
}

#endif
