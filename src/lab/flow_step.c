/* A time step of the study flow: boundary values, right-hand sides, three solves, a file. Source: M. Baumann and
 * P. Buran (2010), part 3: implicit Euler for diffusion, explicit convection, buoyancy and boundary values. Their
 * formulas of convection and of wall vorticity are lost: central differences in flux form and Thom's formula here. */
#include "lab/flow_step.h"

#include <string.h>

const char *const rw_flow_system_names[RW_FLOW_SYSTEMS] = {"A_h", "B_h", "B_h^T"};

static double spacing(const rw_flow_case *c) { return 1. / (c->edge - 1); }

void rw_flow_entries(const rw_flow_case *c, int system, double *middle, double *side)
{
    const double h = spacing(c), s = system == RW_FLOW_PSI ? 1 : system == RW_FLOW_OMEGA ? c->viscous : c->conductive;
    *middle = (system != RW_FLOW_PSI) + 4 * s / (h * h);
    *side = -s / (h * h);
}

/* ---- create ------------------------------------------------------------------------------------------------------ */

static rw_status make_program(rw_flow_run *r)
{
    r->block = r->device->target.class == RW_GPU ? 256 : 1024;
    RW_TRY(rw_program_create_with(r->device, "flow step", rw_measure_text("flow_step.k"), &r->program,
                                  "GROUP=%d REAL=%s", r->block, rw_dtype_real(rw_flow_dtype(r->is.f64))));
    RW_TRY(rw_program_kernel(r->program, "rhs_psi", &r->rhs_psi));
    RW_TRY(rw_program_kernel(r->program, "rhs_transport", &r->rhs_transport));
    RW_TRY(rw_program_kernel(r->program, "inner", &r->inner));
    return rw_program_kernel(r->program, "walls", &r->walls);
}

static rw_status make_fields(rw_flow_run *r)
{
    const rw_dtype type = rw_flow_dtype(r->is.f64);
    const int64_t edge = r->is.edge, n = edge * edge, inside = (edge - 2) * (edge - 2);
    void *values;
    for (int f = 0; f < RW_FLOW_SYSTEMS; ++f) {
        RW_TRY(rw_array_create(r->device, type, 1, &n, RW_MEMORY_DEVICE, &r->field[f]));
        RW_TRY(rw_array_write(r->field[f], &values));
        memset(values, 0, (size_t)n * rw_dtype_size(type));
        for (int64_t j = 0; f == RW_FLOW_HEAT && j < edge; ++j) {
            if (r->is.f64) ((double *)values)[j * edge] = 1;
            else ((float *)values)[j * edge] = 1;
        }
    }
    if (r->version == RW_FLOW_GPU_2) return RW_OK;
    RW_TRY(rw_array_create(r->device, type, 1, &inside, RW_MEMORY_DEVICE, &r->b));
    return rw_array_create(r->device, type, 1, &inside, RW_MEMORY_DEVICE, &r->x);
}

static rw_status make_run(rw_device *dev, rw_flow_run *r)
{
    if (r->is.edge < 4)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "a grid of %d x %d nodes has too few inside: give at least 4",
                       r->is.edge, r->is.edge);
    if (r->version != RW_FLOW_GPU_2) RW_TRY(rw_device_open(dev->ctx, "cpu:1", &r->host));
    r->device = r->host ? r->host : dev;
    if (r->version != RW_FLOW_CPU) RW_TRY(rw_flow_kernels_create(dev, r->is.f64, 0, 0, &r->kernels));
    RW_TRY(make_program(r));
    RW_TRY(make_fields(r));
    for (int s = 0; s < RW_FLOW_SYSTEMS; ++s) {
        double middle, side;
        rw_flow_entries(&r->is, s, &middle, &side);
        RW_TRY(rw_flow_system_create(dev->ctx, r->is.f64, r->is.edge - 2, r->is.edge - 2, middle, side, &r->system[s]));
        RW_TRY(rw_flow_cg_create(dev->ctx, r->version, &r->system[s], &r->kernels, &r->cg[s]));
    }
    return RW_OK;
}

rw_status rw_flow_run_create(rw_device *dev, rw_flow_version version, const rw_flow_case *is, rw_flow_run *r)
{
    *r = (rw_flow_run){.is = *is, .version = version};
    const rw_status status = make_run(dev, r);
    if (status != RW_OK) rw_flow_run_free(r);
    return status;
}

void rw_flow_run_free(rw_flow_run *r)
{
    for (int s = 0; s < RW_FLOW_SYSTEMS; ++s) {
        rw_flow_cg_free(&r->cg[s]);
        rw_flow_system_free(&r->system[s]);
        rw_array_destroy(&r->field[s]);
    }
    rw_array_destroy(&r->b);
    rw_array_destroy(&r->x);
    rw_program_destroy(&r->program);
    rw_flow_kernels_free(&r->kernels);
    rw_device_close(&r->host);
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

static rw_array *vector_of(const rw_flow_run *r, int system, int vector)
{
    return r->version == RW_FLOW_GPU_2 ? r->cg[system].vector[vector] : vector == RW_FLOW_B ? r->b : r->x;
}

static rw_status launch_inner(const rw_flow_run *r, rw_kernel *k, const rw_arg *args, int nargs)
{
    const int64_t inside = r->is.edge - 2;
    return rw_launch(rw_device_queue(r->device), k, (int64_t[]){(inside + r->block - 1) / r->block, inside, 1}, args,
                     nargs);
}

/* b and the first guess. */
static rw_status assemble(const rw_flow_run *r, int system)
{
    const double h = spacing(&r->is), scale = 1 / (h * h),
                 s = (system == RW_FLOW_OMEGA ? r->is.viscous : r->is.conductive) * scale;
    rw_array *const *f = r->field, *b = vector_of(r, system, RW_FLOW_B), *x = vector_of(r, system, RW_FLOW_X);
    const rw_arg psi[] = {rw_arg_array(b),
                          rw_arg_array(x),
                          rw_arg_array(f[RW_FLOW_PSI]),
                          rw_arg_array(f[RW_FLOW_OMEGA]),
                          rw_arg_int(r->is.edge),
                          rw_arg_real(scale)};
    const rw_arg transport[] = {rw_arg_array(b),
                                rw_arg_array(x),
                                rw_arg_array(f[system]),
                                rw_arg_array(f[RW_FLOW_PSI]),
                                rw_arg_array(f[RW_FLOW_HEAT]),
                                rw_arg_int(r->is.edge),
                                rw_arg_real(0.25 / h),
                                rw_arg_real(r->is.dt / h),
                                rw_arg_real(system == RW_FLOW_OMEGA ? r->is.dt * r->is.buoyancy / (2 * h) : 0),
                                rw_arg_real(s)};
    if (system == RW_FLOW_PSI) return launch_inner(r, r->rhs_psi, psi, RW_COUNT(psi));
    return launch_inner(r, r->rhs_transport, transport, RW_COUNT(transport));
}

/* Boundary values of omega and T from the new Psi. */
static rw_status set_walls(const rw_flow_run *r)
{
    const double h = spacing(&r->is);
    return rw_launch(rw_device_queue(r->device), r->walls,
                     (int64_t[]){(r->is.edge - 2 + r->block - 1) / r->block, 1, 1},
                     (rw_arg[]){rw_arg_array(r->field[RW_FLOW_PSI]), rw_arg_array(r->field[RW_FLOW_OMEGA]),
                                rw_arg_array(r->field[RW_FLOW_HEAT]), rw_arg_int(r->is.edge), rw_arg_real(2 / (h * h)),
                                rw_arg_real(2 / h)},
                     6);
}

/* The system's right-hand side and first guess to its solution, which is left in x. */
static rw_status solve(rw_flow_run *r, int system, rw_flow_times *t)
{
    const void *b = NULL;
    void *x = NULL;
    rw_flow_outcome o;
    RW_TRY(rw_queue_wait(rw_device_queue(r->device)));
    const double begin = rw_seconds();
    if (r->version != RW_FLOW_GPU_2) {
        RW_TRY(rw_array_read(r->b, &b));
        RW_TRY(rw_array_update(r->x, &x));
    }
    RW_TRY(rw_flow_cg_solve(&r->cg[system], b, x, r->is.stop, &o));
    if (r->version == RW_FLOW_GPU_2) RW_TRY(rw_queue_wait(rw_device_queue(r->device)));
    t->solve += rw_seconds() - begin;
    t->iterations[system] = o.iterations;
    t->converged = t->converged && o.converged;
    t->traffic.sends += o.traffic.sends;
    t->traffic.fetches += o.traffic.fetches;
    t->traffic.sent += o.traffic.sent;
    t->traffic.fetched += o.traffic.fetched;
    t->traffic.scalars += o.traffic.scalars;
    return RW_OK;
}

static rw_status solve_for(rw_flow_run *r, int system, rw_flow_times *t)
{
    RW_TRY(assemble(r, system));
    RW_TRY(solve(r, system, t));
    const rw_arg args[] = {rw_arg_array(r->field[system]), rw_arg_array(vector_of(r, system, RW_FLOW_X)),
                           rw_arg_int(r->is.edge)};
    return launch_inner(r, r->inner, args, RW_COUNT(args));
}

static double value_at(const rw_flow_run *r, const void *field, int64_t i)
{
    return r->is.f64 ? ((const double *)field)[i] : (double)((const float *)field)[i];
}

static rw_status write_fields(const rw_flow_run *r, FILE *file)
{
    const void *f[RW_FLOW_SYSTEMS];
    const int64_t n = (int64_t)r->is.edge * r->is.edge;
    bool written = true;
    for (int s = 0; s < RW_FLOW_SYSTEMS; ++s) {
        RW_TRY(rw_array_read(r->field[s], &f[s]));
        if (r->is.output == RW_FLOW_BINARY)
            written = written && fwrite(f[s], rw_dtype_size(rw_flow_dtype(r->is.f64)), (size_t)n, file) == (size_t)n;
    }
    for (int64_t i = 0; i < n && r->is.output == RW_FLOW_TEXT && written; ++i)
        written = fprintf(file, "%.9g %.9g %.9g\n", value_at(r, f[RW_FLOW_PSI], i), value_at(r, f[RW_FLOW_OMEGA], i),
                          value_at(r, f[RW_FLOW_HEAT], i)) > 0;
    if (!written || fflush(file))
        return rw_fail(r->device->ctx, RW_ERR_FILE, "lab flow: a temporary file of %lld nodes cannot be written",
                       (long long)n);
    return RW_OK;
}

static rw_status save(const rw_flow_run *r)
{
    if (r->is.output == RW_FLOW_NO_FILE) return RW_OK;
    FILE *file = tmpfile();
    if (!file) return rw_fail(r->device->ctx, RW_ERR_FILE, "lab flow: no temporary file can be made");
    const rw_status status = write_fields(r, file);
    fclose(file);
    return status;
}

rw_status rw_flow_step(rw_flow_run *r, rw_flow_times *t)
{
    rw_queue *q = rw_device_queue(r->device);
    *t = (rw_flow_times){.converged = true};
    const double begin = rw_seconds();
    RW_TRY(solve_for(r, RW_FLOW_PSI, t));
    RW_TRY(set_walls(r));
    RW_TRY(solve_for(r, RW_FLOW_OMEGA, t));
    RW_TRY(solve_for(r, RW_FLOW_HEAT, t));
    RW_TRY(rw_queue_wait(q));
    const double saving = rw_seconds();
    RW_TRY(save(r));
    const double end = rw_seconds();
    t->save = end - saving;
    t->total = end - begin;
    t->rest = t->total - t->solve - t->save;
    return RW_OK;
}
