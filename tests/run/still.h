/* The problem still: a field of zeros, of which each iteration halves a residual. It shows the least that a stationary
 * problem is; the settings of its solver are those of rw_krylov_spec. */
#ifndef RW_TEST_STILL_H
#define RW_TEST_STILL_H

#include "device/device.h"
#include "run/problem.h"

#include "rechenwerk/krylov.h"

#define RW_SECTION_PREFIX(section) still_##section
#define RW_SECTION_DEF "../tests/run/still.def"
#include "run/section_structs.h"
#define RW_SECTION_PREFIX(section) still_##section
#define RW_SECTION_DEF "../tests/run/still.def"
#define RW_SECTION_TABLE_NAME still_sections
#include "run/section_table.h"

typedef struct still {
    rw_problem base;
    rw_state state;
    still_solver solver;
    double residual;
    int64_t iterations;
} still;

static void still_destroy(rw_problem **problem)
{
    still *p = (still *)*problem;
    *problem = NULL;
    if (!p) return;
    rw_device *device = p->state.device;
    rw_state_free(&p->state);
    rw_device_close(&device);
    rw_free(p);
}

static rw_status still_create(const rw_case *c, rw_device *dev, bool estimate, int64_t *bytes, rw_problem **problem)
{
    still_grid grid;
    RW_TRY(rw_case_section(c, "grid", &grid));
    *bytes = grid.size.value[0] * grid.size.value[grid.size.n - 1] * (int64_t)sizeof(double);
    if (estimate) return RW_OK;
    still *p = rw_calloc(1, sizeof *p);
    *problem = (rw_problem *)p;
    if (!p) return rw_fail_memory(rw_case_context(c), sizeof *p, "a problem");
    p->base.ops = rw_case_problem(c);
    p->base.stationary = true;
    p->state.device = rw_device_retain(dev);
    p->base.grid = (rw_layout){RW_LAYOUT_GRID, .ndim = 2, .spacing = {1, 1, 1}, .axis = {"x", "y"}};
    for (int d = 0; d < 3; ++d) p->base.grid.size[d] = d < 2 ? grid.size.value[RW_MIN(d, grid.size.n - 1)] : 1;
    rw_status status = rw_case_section(c, "solver", &p->solver);
    if (status == RW_OK) status = rw_state_add(&p->state, "u", "", RW_F64, &p->base.grid, RW_MEMORY_DEVICE);
    if (status == RW_OK) status = rw_array_zero(p->state.fields[0].array, rw_device_queue(dev));
    if (status == RW_OK) status = rw_state_observe(&p->state, RW_ITERATION, "step", NULL);
    rw_problem_take_state(&p->base, &p->state);
    p->base.tolerance = p->solver.rtol;
    p->residual = 1;
    if (status != RW_OK) still_destroy(problem);
    return status;
}

static rw_status still_solve(rw_problem *problem)
{
    still *p = (still *)problem;
    p->residual /= 2;
    p->iterations++;
    return RW_OK;
}
static double still_residual(const rw_problem *p) { return ((const still *)p)->residual; }
static int64_t still_iterations(const rw_problem *p) { return ((const still *)p)->iterations; }

static rw_status still_row(rw_problem *problem, double *values)
{
    still *p = (still *)problem;
    return rw_state_row(&p->state, (double)p->iterations, (double)p->iterations, values);
}

static rw_status still_save(rw_problem *problem, rw_h5 *file)
{
    still *p = (still *)problem;
    RW_TRY(rw_state_save(&p->state, "/state", file));
    RW_TRY(rw_h5_set_number(file, "/state", "residual", p->residual));
    return rw_h5_set_integer(file, "/state", "iterations", p->iterations);
}

static rw_status still_load(rw_problem *problem, rw_h5 *file)
{
    still *p = (still *)problem;
    RW_TRY(rw_state_load(&p->state, "/state", file));
    RW_TRY(rw_h5_get_number(file, "/state", "residual", &p->residual));
    return rw_h5_get_integer(file, "/state", "iterations", &p->iterations);
}

static const rw_stationary_ops still_stationary = {.solve = still_solve,
                                                   .residual = still_residual,
                                                   .iterations = still_iterations};

static const rw_problem_ops still_ops = {.name = "still",
                                         .summary = "a field that is solved already",
                                         .sections = still_sections,
                                         .nsections = RW_COUNT(still_sections),
                                         .create = still_create,
                                         .destroy = still_destroy,
                                         .row = still_row,
                                         .save = still_save,
                                         .load = still_load,
                                         .stationary = &still_stationary};

#endif
