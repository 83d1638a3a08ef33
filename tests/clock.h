/* A clock that stands still between the moments that a test gives it: what depends on time then depends on nothing
 * else. A wait ends at once and moves the clock to its end.
 *
 *   begin_clock();
 *   …  pass_time(0.5); …
 *   end_clock();
 *
 * Another process moves it by making the file clock_file: it is removed, and an hour has passed. */
#ifndef RW_TEST_CLOCK_H
#define RW_TEST_CLOCK_H

#include <pthread.h>
#include <unistd.h>

#include "core/core.h"

static pthread_mutex_t clock_lock = PTHREAD_MUTEX_INITIALIZER;
static double clock_now;
static char clock_file[512];
enum { CLOCK_HOUR = 3600 };

static inline double clock_seconds(void)
{
    pthread_mutex_lock(&clock_lock);
    if (*clock_file && unlink(clock_file) == 0) clock_now += CLOCK_HOUR;
    const double now = clock_now;
    pthread_mutex_unlock(&clock_lock);
    return now;
}

static inline void clock_wait(double until)
{
    pthread_mutex_lock(&clock_lock);
    if (until > clock_now) clock_now = until;
    pthread_mutex_unlock(&clock_lock);
}

static inline void pass_time(double seconds)
{
    pthread_mutex_lock(&clock_lock);
    clock_now += seconds;
    pthread_mutex_unlock(&clock_lock);
}

static inline void begin_clock(void)
{
    static const rw_clock set = {clock_seconds, clock_wait};
    clock_now = 1000;
    rw_clock_set(&set);
}

static inline void end_clock(void)
{
    rw_clock_set(NULL);
    *clock_file = 0;
}

#endif
