/* Faults on purpose: a test asks that the n-th allocation, read, write, … fails, and loops n = 1, 2, … until the call
 * under test succeeds; every error path has then run.
 *
 * Exactly one event fails for each rw_fault_set. Until its first rw_fault_set a kind is not counted: an event then
 * costs one load. The counters are the process's: threads share them, so which thread meets the n-th event is open.
 * A thread may be exempt: its events do not count. */
#include "core/core.h"

#include <stdatomic.h>

static struct {
    atomic_bool watched;
    atomic_long n, seen;
} faults[RW_FAULT_KINDS];
static _Thread_local bool exempt;

void rw_fault_set(rw_fault kind, long n)
{
    atomic_store(&faults[kind].n, 0);
    atomic_store(&faults[kind].seen, 0);
    atomic_store(&faults[kind].n, n);
    atomic_store(&faults[kind].watched, true);
}

bool rw_fault_hit(rw_fault kind)
{
    if (!atomic_load_explicit(&faults[kind].watched, memory_order_relaxed) || exempt) return false;
    return atomic_fetch_add(&faults[kind].seen, 1) + 1 == atomic_load(&faults[kind].n);
}

void rw_fault_exempt(bool on) { exempt = on; }

bool rw_fault_armed(void)
{
    for (int kind = 0; kind < RW_FAULT_KINDS; ++kind)
        if (atomic_load_explicit(&faults[kind].n, memory_order_relaxed)) return true;
    return false;
}

long rw_fault_events(rw_fault kind) { return atomic_load(&faults[kind].seen); }
