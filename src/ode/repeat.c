#include "ode/repeat.h"

#include <math.h>

#include "ode/algebraic.h"
#include "ode/implicit.h"

static const double MANY = 1e9; /* given steps worth a warning */

struct rw_repeat {
    const rw_stage *first;
    bool autonomous;
    bool recordable;       /* all programs are */
    rw_sequence *sequence; /* a step of `recorded` recorded; NULL */
    double recorded;
    int64_t changes;            /* of the ode when it was recorded: other arrays or scalars, another recording */
    int64_t ran;                /* of the ode when launches ran one by one last: tables of scalars are made then */
    void **memory;              /* by field, of y and its unknowns: the caller may have exchanged it */
    int64_t solves;             /* in a recorded step */
    rw_switch_search *switches; /* of the first stage */
};

rw_status rw_repeat_create(rw_ode *ode, const rw_stage *first, bool autonomous)
{
    struct rw_repeat *r = ode->repeat = rw_calloc(1, sizeof *r);
    if (r) r->memory = rw_calloc((size_t)(ode->nfields + ode->nunknowns), sizeof *r->memory);
    if (!r || !r->memory) return rw_fail_memory(ode->device->ctx, sizeof *r, "an integrator");
    r->first = first;
    r->ran = -1;
    r->autonomous = autonomous && !(ode->algebraic && ode->algebraic->moves) && !rw_implicit_moves(ode);
    r->recordable = true;
    const rw_stage *stage = ode->method;
    for (int i = 0; i < ode->ops->programs; ++i)
        r->recordable = r->recordable && (!stage[i].expr || rw_expr_is_recordable(stage[i].expr));
    return rw_switches_create(ode, first, &r->switches);
}

void rw_repeat_free(rw_ode *ode)
{
    struct rw_repeat *r = ode->repeat;
    if (!r) return;
    rw_sequence_destroy(&r->sequence);
    rw_switch_search_destroy(&r->switches);
    rw_free(r->memory);
    rw_free(r);
    ode->repeat = NULL;
}

bool rw_repeat_is_autonomous(const rw_ode *ode) { return ode->repeat->autonomous; }

bool rw_repeat_is_possible(const rw_ode *ode)
{
    const struct rw_repeat *r = ode->repeat;
    return r->autonomous && r->recordable && (!ode->algebraic || ode->algebraic->recordable) &&
           rw_implicit_is_recordable(ode);
}

void rw_repeat_note_steps(const rw_ode *ode, double t_limit)
{
    if (!(ode->fixed_step > 0)) return;
    const double end = rw_ode_end(ode, t_limit), steps = (end - ode->now.t) / ode->fixed_step;
    if (steps > MANY && !rw_ode_is_endless(end))
        rw_log(ode->device->ctx, RW_LOG_WARNING, "time.step = %g: %.2g steps to t = %.6g; choose a longer step",
               ode->fixed_step, steps, end);
}

/* ---- recorded steps ---------------------------------------------------------------------------------------------- */

static rw_status run(rw_ode *ode, double h)
{
    RW_TRY(ode->ops->run(ode, h));
    return rw_algebraic_update(ode, ode->step_end);
}

/* What a recorded step finds on the device. */
static rw_status send_state(rw_ode *ode)
{
    rw_queue *q = rw_device_queue(ode->device);
    for (int f = 0; f < ode->nfields; ++f) RW_TRY(rw_array_send(ode->vector[f], q));
    RW_TRY(rw_externals_send(ode, q));
    RW_TRY(rw_algebraic_send(ode, q));
    return ode->ops->send ? ode->ops->send(ode, q) : RW_OK;
}

/* Of y, and of its unknowns. */
static void *memory_of(const rw_ode *ode, int f)
{
    const rw_array *a = f < ode->nfields ? ode->vector[f] : ode->algebraic->set[0][f - ode->nfields];
    return a->storage->allocation->buffer.pointer;
}

static rw_status replay(rw_ode *ode)
{
    const struct rw_repeat *r = ode->repeat;
    RW_TRY(rw_sequence_replay(r->sequence, rw_device_queue(ode->device)));
    ode->now.stat.solves += r->solves;
    rw_algebraic_take_as_solved(ode, ode->step_end);
    return RW_OK;
}

static rw_status record(rw_ode *ode, double h)
{
    struct rw_repeat *r = ode->repeat;
    rw_queue *q = rw_device_queue(ode->device);
    rw_stage *stage = ode->method;
    RW_TRY(send_state(ode));
    for (int i = 0; i < ode->ops->programs; ++i)
        if (stage[i].expr) RW_TRY(rw_stage_prepare(ode, stage + i));
    rw_sequence_destroy(&r->sequence);
    if (ode->algebraic) RW_TRY(rw_elliptic_prepare(ode->algebraic->solver));
    RW_TRY(rw_implicit_prepare(ode));
    const int64_t solves = ode->now.stat.solves;
    RW_TRY(rw_record_begin(q));
    rw_status status = run(ode, h), end = rw_record_end(q, &r->sequence);
    if (status == RW_OK) status = end;
    if (status != RW_OK) rw_sequence_destroy(&r->sequence);
    r->solves = ode->now.stat.solves - solves;
    ode->now.stat.solves = solves;
    r->recorded = h;
    r->changes = ode->changes;
    for (int f = 0; f < ode->nfields + ode->nunknowns; ++f) r->memory[f] = memory_of(ode, f);
    return status;
}

static bool is_recorded(const rw_ode *ode, double h)
{
    const struct rw_repeat *r = ode->repeat;
    bool same = r->sequence && r->recorded == h && r->changes == ode->changes;
    for (int f = 0; f < ode->nfields + ode->nunknowns && same; ++f) same = r->memory[f] == memory_of(ode, f);
    return same;
}

/* Recording pays from the second step on. */
static rw_status run_or_replay(rw_ode *ode, double h, bool repeated)
{
    const bool may = ode->record && rw_repeat_is_possible(ode);
    if (may && is_recorded(ode, h)) RW_TRY(send_state(ode));
    else if (may && repeated && ode->repeat->ran == ode->changes && ode->now.stat.step == h) RW_TRY(record(ode, h));
    else {
        ode->repeat->ran = ode->changes;
        return run(ode, h);
    }
    return replay(ode);
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

rw_status rw_repeat_step(rw_ode *ode, double t_limit, double chosen, bool repeated, bool (*looks)(const rw_ode *ode),
                         rw_status (*once)(rw_ode *ode, double h))
{
    struct rw_repeat *r = ode->repeat;
    double after = 0;
    bool to_switch = rw_switches_limit(ode, (rw_stage *)r->first, r->switches, 2 * chosen, &t_limit, &after);
    if (ode->now.t >= t_limit) return RW_OK; /* the limit was a switch: no step is left */
    double remaining = t_limit - ode->now.t, n = ceil(remaining / chosen * (1 - 1e-12)), h = remaining / RW_MAX(n, 1);
    if (fabs(h - chosen) <= 1e-9 * chosen) h = chosen;
    else if (fabs(h - ode->now.stat.step) <= 1e-9 * h) h = ode->now.stat.step; /* rounding does not change launches */
    RW_TRY(rw_ode_check_resolution(ode, h, t_limit));
    ode->step_end = n <= 1 ? t_limit : ode->now.t + h;
    RW_TRY(looks && looks(ode) ? once(ode, h) : run_or_replay(ode, h, repeated));
    ode->now.t = ode->step_end;
    if (n <= 1 && to_switch) rw_switches_pass(ode, after);
    ode->now.stat.steps++;
    ode->now.stat.rhs += ode->ops->least_stages;
    ode->now.stat.step = h;
    ode->now.stat.stages = ode->now.stat.max_stages = ode->ops->least_stages;
    return n <= 1 ? rw_courant_watch(ode) : RW_OK;
}
