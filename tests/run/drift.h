/* The problem drift: points that stay where they are while time passes. It shows the least that a marching problem
 * is. */
#ifndef RW_TEST_DRIFT_H
#define RW_TEST_DRIFT_H

#include "device/device.h"
#include "run/problem.h"

#define RW_SECTION_PREFIX(section) drift_##section
#define RW_SECTION_DEF "../tests/run/drift.def"
#include "run/section_structs.h"
#define RW_SECTION_PREFIX(section) drift_##section
#define RW_SECTION_DEF "../tests/run/drift.def"
#define RW_SECTION_TABLE_NAME drift_sections
#include "run/section_table.h"

typedef struct drift {
    rw_problem base;
    rw_state state;
    drift_time time;
    double t;
    int64_t steps;
} drift;

static void drift_destroy(rw_problem **problem)
{
    drift *p = (drift *)*problem;
    *problem = NULL;
    if (!p) return;
    rw_device *device = p->state.device;
    rw_state_free(&p->state);
    rw_device_close(&device);
    rw_free(p);
}

static rw_status drift_create(const rw_case *c, rw_device *dev, bool estimate, int64_t *bytes, rw_problem **problem)
{
    drift_points points;
    RW_TRY(rw_case_section(c, "points", &points));
    const int64_t lines = RW_MAX(points.curves, 1), count = points.count * lines;
    *bytes = 2 * count * (int64_t)sizeof(double);
    if (estimate) return RW_OK;
    drift *p = rw_calloc(1, sizeof *p);
    *problem = (rw_problem *)p;
    if (!p) return rw_fail_memory(rw_case_context(c), sizeof *p, "a problem");
    p->base.ops = rw_case_problem(c);
    p->state.device = rw_device_retain(dev);
    p->base.grid = (rw_layout){points.curves ? RW_LAYOUT_CURVES : RW_LAYOUT_POINTS, .ndim = 2,
                               .size = {points.count, lines, 1}, .axis = {"x", "y"}};
    rw_status status = rw_case_section(c, "time", &p->time);
    for (int d = 0; d < 2 && status == RW_OK; ++d) {
        status = rw_state_add(&p->state, d ? "y" : "x", "m", RW_F64, &p->base.grid, RW_MEMORY_DEVICE);
        if (status == RW_OK) p->base.grid.position[d] = p->state.fields[d].array;
    }
    for (int d = 0; d < 2 && status == RW_OK; ++d) { /* on the diagonal, curves above each other */
        void *data;
        status = rw_array_write(p->state.fields[d].array, &data);
        for (int64_t i = 0; i < count && status == RW_OK; ++i)
            ((double *)data)[i] = (double)(i % points.count + d * (i / points.count));
    }
    if (status == RW_OK) status = rw_state_observe(&p->state, "t", "step", NULL);
    rw_problem_take_state(&p->base, &p->state);
    p->base.end = p->time.end;
    if (status != RW_OK) drift_destroy(problem);
    return status;
}

static rw_status drift_step(rw_problem *problem, double t_limit)
{
    drift *p = (drift *)problem;
    p->t = RW_MIN(p->t + p->time.step, t_limit);
    p->steps++;
    return RW_OK;
}
static double drift_time_now(const rw_problem *p) { return ((const drift *)p)->t; }
static int64_t drift_steps(const rw_problem *p) { return ((const drift *)p)->steps; }

static rw_status drift_row(rw_problem *problem, double *values)
{
    drift *p = (drift *)problem;
    return rw_state_row(&p->state, p->t, (double)p->steps, values);
}

static rw_status drift_save(rw_problem *problem, rw_h5 *file)
{
    drift *p = (drift *)problem;
    RW_TRY(rw_state_save(&p->state, "/state", file));
    RW_TRY(rw_h5_set_number(file, "/state", "time", p->t));
    return rw_h5_set_integer(file, "/state", "steps", p->steps);
}

static rw_status drift_load(rw_problem *problem, rw_h5 *file)
{
    drift *p = (drift *)problem;
    RW_TRY(rw_state_load(&p->state, "/state", file));
    RW_TRY(rw_h5_get_number(file, "/state", "time", &p->t));
    return rw_h5_get_integer(file, "/state", "steps", &p->steps);
}

static const rw_march_ops drift_march = {.step = drift_step, .time = drift_time_now, .steps = drift_steps};

static const rw_problem_ops drift_ops = {.name = "drift",
                                         .summary = "points that stay where they are",
                                         .sections = drift_sections,
                                         .nsections = RW_COUNT(drift_sections),
                                         .create = drift_create,
                                         .destroy = drift_destroy,
                                         .row = drift_row,
                                         .save = drift_save,
                                         .load = drift_load,
                                         .march = &drift_march};

#endif
