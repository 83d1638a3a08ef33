/* Which library of others a thread is in, for a program that is about to end by a signal.
 *
 * One place for the process: those libraries are entered under a lock. */
#include "core/core.h"

#include <pthread.h>
#include <stdatomic.h>

static _Atomic(const char *) inside;
static pthread_t thread; /* valid while inside is not NULL */

void rw_within_set(const char *library)
{
    if (library) thread = pthread_self();
    atomic_store(&inside, library);
}

const char *rw_within(void)
{
    const char *library = atomic_load(&inside);
    return library && pthread_equal(thread, pthread_self()) ? library : NULL;
}
