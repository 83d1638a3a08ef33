/* A row of a piece of work: its error, its peers, its times. */
#include "bench/bench.h"

static rw_status find_error(rw_bench *b, const rw_bench_task *task, void *work, double *worst)
{
    if (!task->error) return RW_OK;
    RW_TRY(task->call(work, 0));
    return task->error(b, work, worst);
}

rw_status rw_bench_verify(rw_bench *b, const rw_bench_task *task, void *work, rw_status made, double *worst)
{
    const rw_status status = made == RW_OK ? find_error(b, task, work, worst) : made;
    if (task->free) task->free(work);
    return status;
}

static rw_status compare(rw_bench *b, const rw_bench_task *task, void *work, rw_bench_result *row)
{
    rw_peers p = {0};
    rw_contestant peers[RW_BENCH_PEERS];
    const rw_status found = task->peers ? task->peers(b, work, &p) : RW_OK;
    if (found != RW_OK && found != RW_ERR_UNSUPPORTED) rw_log(b->ctx, RW_LOG_WARNING, "bench: %s", rw_message(b->ctx));
    for (int i = 0; i < p.n; ++i) peers[i] = p.peer[i].contestant;
    const rw_status status = rw_bench_compare(b, &(rw_contestant){"", task->call, work}, peers, p.n, row);
    for (int i = 0; i < p.n; ++i)
        if (p.peer[i].close) p.peer[i].close(p.peer[i].state);
    return status;
}

rw_status rw_bench_measure(rw_bench *b, const rw_bench_task *task, void *work, rw_status made, double target,
                           const char *of, rw_bench_result *row)
{
    rw_status status = made == RW_OK ? find_error(b, task, work, &row->error) : made;
    if (status == RW_OK) status = compare(b, task, work, row);
    row->met = -1;
    if (status == RW_OK && target > 0) rw_bench_target(b, row, target, of);
    if (status == RW_OK) status = rw_bench_add(b, row);
    if (task->free) task->free(work);
    return status;
}

/* ---- peers ------------------------------------------------------------------------------------------------------- */

rw_status rw_transform_peer(rw_bench *b, const rw_bench_transform *t, rw_array *x, rw_array *y, rw_peers *p)
{
    const void *from;
    void *to;
    if (b->options.no_peers) return RW_ERR_UNSUPPORTED;
    if (b->dev->info.gpu) {
        RW_TRY(rw_cufft_open(b, t, x, y, p->peer + p->n));
    } else {
        RW_TRY(rw_array_read(x, &from));
        RW_TRY(rw_array_update(y, &to));
        RW_TRY(rw_fftw_open(b, t, from, to, p->peer + p->n));
    }
    ++p->n;
    return RW_OK;
}
