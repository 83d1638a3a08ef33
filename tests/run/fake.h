/* A problem for tests of cases and runs: u' = -u, v' = u - v at every node by explicit steps on the host.
 *
 * Steps have the length time.step and end at the limit, so that a wrong limit shows in the last bits. It can be slow
 * (to be killed) and can become NaN. */
#ifndef RW_TEST_FAKE_H
#define RW_TEST_FAKE_H

#include <math.h>
#include <string.h>
#include <time.h>

#include "run/problem.h"

#define RW_SECTION_PREFIX(section) fake_##section
#define RW_SECTION_DEF "../tests/run/fake.def"
#include "run/section_structs.h"
#define RW_SECTION_PREFIX(section) fake_##section
#define RW_SECTION_DEF "../tests/run/fake.def"
#define RW_SECTION_TABLE_NAME fake_sections
#include "run/section_table.h"

typedef struct fake_problem {
    rw_problem base;
    rw_context *ctx;
    fake_time settings;
    rw_state_field fields[2];
    double t;
    int64_t steps;
} fake_problem;

static void fake_destroy(rw_problem **problem)
{
    if (!*problem) return;
    fake_problem *p = (fake_problem *)*problem;
    for (int i = 0; i < 2; i++) rw_array_destroy(&p->fields[i].array);
    rw_free(p);
    *problem = NULL;
}

static rw_status fake_initial(fake_problem *p)
{
    for (int f = 0; f < 2; f++) {
        void *data;
        RW_TRY(rw_array_write(p->fields[f].array, &data));
        double *u = data;
        for (int64_t i = 0; i < rw_array_size(p->fields[f].array); i++)
            u[i] = f ? 0.5 : 1 + sin(6.0 * (double)i / (double)rw_array_size(p->fields[f].array));
    }
    return RW_OK;
}

static const rw_state_column fake_columns[] = {{"t", "s"}, {"mean(u)", "K"}, {"steps", "1"}};

static rw_status fake_create(const rw_case *c, rw_device *dev, bool estimate, int64_t *bytes, rw_problem **problem)
{
    fake_grid grid;
    int64_t shape[3];
    RW_TRY(rw_case_section(c, "grid", &grid));
    double points = 1;
    for (int a = 0; a < grid.size.n; a++) points *= (double)grid.size.value[a];
    *bytes = points > 1e17 ? INT64_MAX : (int64_t)(16 * points);
    if (estimate) return RW_OK;
    fake_problem *p = rw_calloc(1, sizeof(*p));
    if (!p) return rw_fail_memory(rw_case_context(c), sizeof(*p), "the problem");
    p->ctx = rw_case_context(c);
    p->base.grid.ndim = grid.size.n;
    for (int a = 0; a < 3; a++) {
        bool used = a < grid.size.n;
        p->base.grid.size[a] = used ? grid.size.value[a] : 1;
        p->base.grid.spacing[a] = used ? grid.extent.value[a % grid.extent.n] / (double)grid.size.value[a] : 1;
        strcpy(p->base.grid.axis[a], a == 0 ? "x (m)" : a == 1 ? "y (m)" : "z (m)");
        if (used) shape[grid.size.n - 1 - a] = grid.size.value[a];
    }
    rw_status status = rw_case_section(c, "time", &p->settings);
    p->fields[0] = (rw_state_field){.name = "u", .unit = "K", .array = NULL, .layout = NULL};
    p->fields[1] = (rw_state_field){.name = "v", .unit = "1", .array = NULL, .layout = NULL};
    for (int i = 0; i < 2 && status == RW_OK; i++)
        status = rw_array_create(dev, RW_F64, grid.size.n, shape, RW_MEMORY_DEVICE, &p->fields[i].array);
    if (status == RW_OK) status = fake_initial(p);
    *problem = &p->base;
    extern const rw_problem_ops fake;
    p->base.ops = &fake;
    p->base.fields = p->fields, p->base.nfields = 2;
    p->base.columns = fake_columns, p->base.ncolumns = RW_COUNT(fake_columns);
    p->base.end = p->settings.end;
    if (status != RW_OK) fake_destroy(problem);
    return status;
}

static rw_status fake_step(rw_problem *problem, double t_limit)
{
    fake_problem *p = (fake_problem *)problem;
    double dt = p->settings.step, t = p->t + dt;
    if (t >= t_limit) t = t_limit, dt = t_limit - p->t;
    void *a, *b;
    RW_TRY(rw_array_update(p->fields[0].array, &a));
    RW_TRY(rw_array_update(p->fields[1].array, &b));
    double *u = a, *v = b;
    for (int64_t i = 0; i < rw_array_size(p->fields[0].array); i++) {
        double before = u[i];
        u[i] -= dt * before;
        v[i] += dt * (before - v[i]);
    }
    if (t > p->settings.nan_at) u[0] = (double)NAN;
    if (p->settings.slow) nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
    p->t = t;
    p->steps++;
    return RW_OK;
}

static double fake_now(const rw_problem *p) { return ((const fake_problem *)p)->t; }

static int64_t fake_steps(const rw_problem *p) { return ((const fake_problem *)p)->steps; }

static rw_status fake_row(rw_problem *problem, double *values)
{
    fake_problem *p = (fake_problem *)problem;
    const void *data;
    RW_TRY(rw_array_read(p->fields[0].array, &data));
    const double *u = data;
    double sum = 0;
    for (int64_t i = 0; i < rw_array_size(p->fields[0].array); i++) sum += u[i];
    values[0] = p->t;
    values[1] = sum / (double)rw_array_size(p->fields[0].array);
    values[2] = (double)p->steps;
    return RW_OK;
}

static const char *const fake_names[] = {"/state/u", "/state/v"};

static rw_status fake_save(rw_problem *problem, rw_h5 *file)
{
    fake_problem *p = (fake_problem *)problem;
    for (int i = 0; i < 2; i++) {
        const void *data;
        size_t n = (size_t)rw_array_size(p->fields[i].array);
        RW_TRY(rw_array_read(p->fields[i].array, &data));
        RW_TRY(rw_h5_write(file, fake_names[i], RW_F64, 1, &n, data, RW_H5_CHECKSUM));
    }
    RW_TRY(rw_h5_set_integer(file, "/state", "steps", p->steps));
    return rw_h5_set_number(file, "/state", "t", p->t);
}

static rw_status fake_load(rw_problem *problem, rw_h5 *file)
{
    fake_problem *p = (fake_problem *)problem;
    for (int i = 0; i < 2; i++) {
        void *data;
        size_t n = (size_t)rw_array_size(p->fields[i].array);
        RW_TRY(rw_array_write(p->fields[i].array, &data));
        RW_TRY(rw_h5_read(file, fake_names[i], RW_F64, 1, &n, data));
    }
    RW_TRY(rw_h5_get_integer(file, "/state", "steps", &p->steps));
    return rw_h5_get_number(file, "/state", "t", &p->t);
}

static int fake_statistics(const rw_problem *p, const char **names, double *values, int max)
{
    if (max < 1) return 0;
    names[0] = "rejected_steps";
    values[0] = 0;
    (void)p;
    return 1;
}

static const rw_march_ops fake_march = {.step = fake_step, .time = fake_now, .steps = fake_steps};

extern const rw_problem_ops fake;
const rw_problem_ops fake = {
    .name = "fake",
    .summary = "a problem for tests",
    .sections = fake_sections,
    .nsections = RW_COUNT(fake_sections),
    .create = fake_create,
    .destroy = fake_destroy,
    .march = &fake_march,
    .row = fake_row,
    .save = fake_save,
    .load = fake_load,
    .statistics = fake_statistics,
};

#endif
