/* Seconds of a clock that only moves forward, since a moment that the system chose; for differences, not for dates. */
#include "core/core.h"

#include <time.h>

double rw_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
