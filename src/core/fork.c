/* After fork(): a child has one thread, and locks and thread pools as they were in the parent.
 *
 * libgomp keeps the threads of its pool with the thread that started them. In a child they are gone, but libgomp waits
 * for them in the next parallel region of the thread that forked. So that thread, and no other of the child, runs its
 * parallel regions alone: omp_set_num_threads(1) for those that ask for no number, rw_threads_lost() for the others.
 * Python's multiprocessing forks, after the parent has used the library. */
#include <omp.h>
#include <pthread.h>

#include "core/core.h"

static unsigned forks;
static _Thread_local bool lost;

static void in_child(void)
{
    forks++; /* the only thread there is */
    lost = true;
    omp_set_num_threads(1);
}

static void watch(void) { pthread_atfork(NULL, NULL, in_child); }

void rw_fork_watch(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch);
}

unsigned rw_forks(void) { return forks; }

bool rw_threads_lost(void) { return lost; }
