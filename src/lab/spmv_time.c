/* Time of a product for the study spmv: runs of as many products as fit into `seconds`, by the wall, by the process'
 * threads and by the device's own clock. */
#include <math.h>
#include <time.h>

#include "lab/spmv.h"
#include "measure/measure.h"

typedef struct clocks {
    double wall, cpu, device;
} clocks;

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static rw_status multiply(rw_spmv *p, int block, bool copied)
{
    return block == RW_MULTIBLOCK_ALL ? rw_spmv_multiply(p, copied) : rw_spmv_multiply_block(p, block, copied);
}

static rw_status run_products(rw_spmv *p, int block, bool copied, int products, rw_event *const events[2], clocks *c)
{
    rw_queue *q = rw_device_queue(p->device);
    /* looked at within what the wall's clock measures: who is kept waiting between two looks must not make it more */
    const double wall = rw_seconds(), cpu = processor_seconds();
    RW_TRY(rw_event_record(events[0], q));
    for (int i = 0; i < products; ++i) RW_TRY(multiply(p, block, copied));
    RW_TRY(rw_event_record(events[1], q));
    RW_TRY(rw_queue_wait(q));
    c->cpu = processor_seconds() - cpu;
    c->wall = rw_seconds() - wall;
    return rw_event_seconds(events[0], events[1], &c->device);
}

static rw_status time_runs(const rw_lab *lab, rw_spmv *p, int block, bool copied, rw_event *const events[2],
                           rw_spmv_timing *t)
{
    const int runs = (int)rw_lab_number(lab, "runs");
    const rw_counters before = rw_counters_of(p->device);
    clocks once, run, best = {.wall = INFINITY};
    double wall[SPMV_RUNS_MOST];
    /* the first after one that has compiled and sent everything */
    RW_TRY(run_products(p, block, copied, 1, events, &once));
    const rw_counters after = rw_counters_of(p->device);
    const int products =
        (int)fmin(fmax(rw_lab_number(lab, "seconds") / (runs * fmax(once.wall, 1e-9)), 1), rw_lab_number(lab, "most"));
    for (int r = 0; r < runs; ++r) {
        RW_TRY(run_products(p, block, copied, products, events, &run));
        if (run.wall < best.wall) best = run;
        wall[r] = run.wall;
    }
    const double scale = (double)SPMV_PRODUCTS / products;
    *t = (rw_spmv_timing){scale * best.wall,
                          scale * rw_median(wall, runs),
                          scale * rw_quantile(wall, runs, 1),
                          scale * best.device,
                          scale * best.cpu,
                          (double)(after.launches - before.launches),
                          (double)(after.bytes_in - before.bytes_in),
                          (double)(after.bytes_out - before.bytes_out)};
    return RW_OK;
}

rw_status rw_spmv_time(const rw_lab *lab, rw_spmv *p, int block, bool copied, rw_spmv_timing *t)
{
    rw_event *events[2] = {NULL};
    rw_status status = multiply(p, block, copied);
    for (int i = 0; i < 2 && status == RW_OK; ++i) status = rw_event_create(p->device, &events[i]);
    if (status == RW_OK) status = time_runs(lab, p, block, copied, events, t);
    for (int i = 0; i < 2; ++i) rw_event_destroy(&events[i]);
    return status;
}

rw_status rw_spmv_time_each(const rw_lab *lab, rw_spmv *p, double *seconds)
{
    for (int b = 0; b < p->shape.grid_blocks; ++b) {
        rw_spmv_timing t;
        RW_TRY(rw_spmv_time(lab, p, b, p->method->flags & RW_SPMV_SENT, &t));
        seconds[b] = t.best;
    }
    return RW_OK;
}
