/* Where the time of a run goes: its creation, compiling, steps, output, checkpoints. The sum is the total.
 *
 * A step is put into the device's queue and may be done much later. Whatever asks for the state waits for it, so the
 * end of a sequence of steps is where the queue is empty; there is no wait between steps. */
#include "run/run_private.h"

rw_phase rw_watch(rw_run *r, rw_phase phase)
{
    rw_stopwatch *w = &r->watch;
    rw_phase before = w->phase;
    /* A failure shows again in whatever reads the state. */
    if (before == RW_PHASE_STEPS && phase != before && r->device) (void)!rw_queue_wait(rw_device_queue(r->device));
    double now = rw_seconds(), compiled = rw_run_compile_seconds(r);
    double compiling = RW_MIN(compiled - w->compiled, now - w->since);
    w->seconds[before] += now - w->since - compiling;
    w->compile += compiling;
    w->phase = phase;
    w->since = now;
    w->compiled = compiled;
    return before;
}
