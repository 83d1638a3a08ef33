/* The kernels of laser.k, launched as the document does: an item a cell, the scalar product's result on the host in
 * each step. */
#include "lab/laser.h"

enum { MOST_GROUPS = 4096 };

rw_status rw_laser_create(rw_device *dev, rw_laser_sum kind, int block, int64_t n, int64_t groups, rw_laser *l)
{
    static const char *const names[] = {"sum_on_host", "sum_by_block", "sum_by_warp"};
    int64_t one = 1, warps = (block + 31) / 32, cover = RW_MAX((n + block - 1) / block, 1);
    *l = (rw_laser){.device = rw_device_retain(dev),
                    .kind = kind,
                    .block = block,
                    .n = n,
                    .groups = groups ? groups : RW_MIN(cover, MOST_GROUPS)};
    l->parts = kind == RW_LASER_ON_HOST ? (n + 3) / 4 : kind == RW_LASER_BY_BLOCK ? l->groups : l->groups * warps;
    rw_status status = rw_program_create_with(dev, "laser", rw_measure_text("laser.k"), &l->program, "GROUP=%d", block);
    if (status == RW_OK) status = rw_program_kernel(l->program, "update", &l->update);
    if (status == RW_OK) status = rw_program_kernel(l->program, "multiply", &l->multiply);
    if (status == RW_OK) status = rw_program_kernel(l->program, names[kind], &l->sum);
    if (status == RW_OK) status = rw_program_kernel(l->program, "finish", &l->finish);
    if (status == RW_OK) status = rw_array_create(dev, RW_F64, 1, &l->parts, RW_MEMORY_DEVICE, &l->part);
    if (status == RW_OK) status = rw_array_create(dev, RW_F64, 1, &one, RW_MEMORY_PINNED, &l->result);
    if (status != RW_OK) rw_laser_free(l);
    return status;
}

void rw_laser_free(rw_laser *l)
{
    rw_array_destroy(&l->part);
    rw_array_destroy(&l->result);
    rw_program_destroy(&l->program);
    rw_device_close(&l->device);
}

static rw_status launch(rw_laser *l, rw_kernel *k, int64_t groups, const rw_arg *args, int n)
{
    return rw_launch(rw_device_queue(l->device), k, (int64_t[3]){groups, 1, 1}, args, n);
}

static int64_t cover(const rw_laser *l, int64_t items) { return (items + l->block - 1) / l->block; }

rw_status rw_laser_update(rw_laser *l, rw_array *N, rw_array *P, rw_array *U, rw_array *Nm, double tau, double isf,
                          double rate)
{
    const rw_arg args[] = {rw_arg_array(N),  rw_arg_array(P),  rw_arg_array(U),   rw_arg_array(Nm),
                           rw_arg_real(tau), rw_arg_real(isf), rw_arg_real(rate), rw_arg_int(l->n)};
    return launch(l, l->update, cover(l, l->n), args, RW_COUNT(args));
}

rw_status rw_laser_multiply(rw_laser *l, rw_array *product, rw_array *a, rw_array *b)
{
    const rw_arg args[] = {rw_arg_array(product), rw_arg_array(a), rw_arg_array(b), rw_arg_int(l->n)};
    return launch(l, l->multiply, cover(l, l->n), args, RW_COUNT(args));
}

rw_status rw_laser_product(rw_laser *l, rw_array *a, rw_array *b, double *sum)
{
    const rw_arg args[] = {rw_arg_array(l->part), rw_arg_array(a), rw_arg_array(b), rw_arg_int(l->n)};
    const void *data;
    bool on_host = l->kind == RW_LASER_ON_HOST;
    RW_TRY(launch(l, l->sum, on_host ? cover(l, l->parts) : l->groups, args, RW_COUNT(args)));
    if (!on_host) {
        const rw_arg last[] = {rw_arg_array(l->result), rw_arg_array(l->part), rw_arg_int(l->parts)};
        RW_TRY(launch(l, l->finish, 1, last, RW_COUNT(last)));
    }
    RW_TRY(rw_array_read(on_host ? l->part : l->result, &data));
    *sum = 0;
    for (int64_t i = 0; i < (on_host ? l->parts : 1); ++i) *sum += ((const double *)data)[i];
    return RW_OK;
}
