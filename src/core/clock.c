/* Seconds of a clock that only moves forward, since a moment that the system chose; for differences, not for dates. */
#include "core/core.h"

#include <time.h>

static double system_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void system_wait(double until)
{
    const double left = until - system_seconds();
    if (left <= 0) return;
    nanosleep(&(struct timespec){(time_t)left, (long)((left - (double)(time_t)left) * 1e9)}, NULL);
}

static const rw_clock system_clock = {system_seconds, system_wait};
static const rw_clock *current = &system_clock;

static const rw_clock *get(void) { return __atomic_load_n(&current, __ATOMIC_ACQUIRE); }

double rw_seconds(void) { return get()->seconds(); }

void rw_wait_until(double seconds) { get()->wait_until(seconds); }

void rw_clock_set(const rw_clock *clock)
{
    __atomic_store_n(&current, clock ? clock : &system_clock, __ATOMIC_RELEASE);
}
