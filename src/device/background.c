/* Compiling in the background: threads that take programs from a queue, first come first served, and end when it is
 * empty.
 *
 *   rw_background_add    QUEUED  -> a thread takes it: RUNNING -> DONE (bytes, or status and message)
 *   rw_program_ready     the first that needs the program waits for DONE and loads it (LOADING); one that is still
 *                        QUEUED it compiles itself. Then the program has no job, or one that has FAILED and says why
 *                        each time. One that was interrupted is compiled by the next that needs the program.
 *   rw_background_end    a program is destroyed: what is QUEUED is dropped, what is RUNNING is cancelled and waited for
 *
 * As many threads as the process may use cores. They call the table's `compile` and nothing else: arrays, queues and
 * contexts of a driver, the cache, the log and the counters belong to the thread that needs the program. Log lines
 * are collected and printed there. One lock for all jobs, under which nothing is called.
 * In a child of fork() there are no threads of the parent: there who needs a program compiles it. At exit() what is
 * RUNNING is cancelled and waited for, since compilers in this process must not outlive their libraries. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "device/device.h"

typedef struct rw_job {
    rw_program *program;
    rw_text text, binary, log;
    const rw_cancel *cancel; /* of the thread that made the program */
    enum { QUEUED, RUNNING, DONE, LOADING, FAILED } state;
    unsigned forks; /* rw_forks() of the process in which it is RUNNING or LOADING */
    rw_status status;
    char *message; /* NULL: there was no memory for it */
    double seconds;
    bool dropped;        /* atomic: nobody needs it any more */
    struct rw_job *next; /* in the queue */
} rw_job;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* the state of a job, or `threads` */
    rw_job *first, *last;
    int threads;
    bool closed; /* atomic: by exit() */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static _Thread_local const rw_job *running; /* by this thread; NULL: none that can be dropped */

bool rw_background_dropped(void)
{
    return running &&
           (__atomic_load_n(&running->dropped, __ATOMIC_RELAXED) || __atomic_load_n(&pool.closed, __ATOMIC_RELAXED));
}

/* ---- a job ------------------------------------------------------------------------------------------------------- */

static void free_job(rw_job *j)
{
    rw_text_free(&j->text);
    rw_text_free(&j->binary);
    rw_text_free(&j->log);
    rw_free(j->message);
    rw_free(j);
}

static void compile(rw_job *j)
{
    const double start = rw_seconds();
    rw_device *dev = j->program->device;
    rw_free(j->message);
    j->message = NULL;
    rw_text_free(&j->binary);
    rw_text_free(&j->log);
    rw_fault_exempt(true); /* which events of a thread fail is not to depend on which thread compiles */
    j->status = dev->ops->compile(dev, j->program, j->text.data, &j->binary);
    j->seconds = rw_seconds() - start;
    if (j->status != RW_OK) j->message = rw_strdup(rw_message(dev->ctx));
    rw_fault_exempt(false);
}

/* What a thread of the parent was at when this child was forked: its bytes may be half written. */
static void forget_unfinished(rw_job *j)
{
    if (j->state == RUNNING || j->state == LOADING) {
        j->binary = j->log = (rw_text){0};
        j->message = NULL;
    }
}

static void take_from_queue(rw_job *j)
{
    rw_job *before = NULL;
    for (rw_job *k = pool.first; k != j; k = k->next) before = k;
    if (before) before->next = j->next;
    else pool.first = j->next;
    if (pool.last == j) pool.last = before;
}

static void *work(void *unused)
{
    pthread_mutex_lock(&pool.lock);
    while (pool.first && !pool.closed) {
        rw_job *j = pool.first;
        take_from_queue(j);
        j->state = RUNNING;
        j->forks = rw_forks();
        pthread_mutex_unlock(&pool.lock);
        rw_cancel_leave(j->cancel);
        rw_log_collect(&j->log);
        running = j;
        compile(j);
        running = NULL;
        rw_log_collect(NULL);
        pthread_mutex_lock(&pool.lock);
        j->state = DONE;
        pthread_cond_broadcast(&pool.changed);
    }
    pool.threads--;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.lock);
    return unused;
}

/* ---- the process ------------------------------------------------------------------------------------------------- */

static void before_fork(void) { pthread_mutex_lock(&pool.lock); }
static void in_parent(void) { pthread_mutex_unlock(&pool.lock); }
static void in_child(void)
{
    pool.threads = 0;
    pool.changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pthread_mutex_unlock(&pool.lock);
}

static void at_exit(void)
{
    pthread_mutex_lock(&pool.lock);
    __atomic_store_n(&pool.closed, true, __ATOMIC_RELAXED);
    while (pool.threads > 0) pthread_cond_wait(&pool.changed, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

static void begin(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
    atexit(at_exit);
}

/* One more thread, where there may be one. It gets no signals: they are the host program's. */
static void add_thread(int most)
{
    pthread_t thread;
    pthread_attr_t detached;
    sigset_t all, old;
    if (pool.threads >= most || pool.closed || pthread_attr_init(&detached) != 0) return;
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&thread, &detached, work, NULL) == 0) pool.threads++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&detached);
}

/* ---- add, wait, end ---------------------------------------------------------------------------------------------- */

rw_status rw_background_add(rw_program *p, rw_text *text)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    rw_job *j = rw_calloc(1, sizeof *j);
    if (!j) return rw_fail_memory(p->device->ctx, sizeof *j, "a program");
    pthread_once(&once, begin);
    j->program = p;
    j->text = *text;
    j->cancel = rw_cancel_current();
    *text = (rw_text){0};
    __atomic_add_fetch(&p->device->in_background, 1, __ATOMIC_RELAXED);
    rw_count(p->device, &p->device->counters.compilations, 1);
    pthread_mutex_lock(&pool.lock);
    p->job = j;
    if (pool.last) pool.last->next = j;
    else pool.first = j;
    pool.last = j;
    add_thread(rw_usable_cores());
    pthread_mutex_unlock(&pool.lock);
    return RW_OK;
}

/* Is another thread of this process at it? */
static bool is_busy(const rw_job *j) { return (j->state == RUNNING || j->state == LOADING) && j->forks == rw_forks(); }

/* Waits until the job is this thread's, LOADING; NULL when there is none any more. *compiled: it has been. What a
 * request to stop has interrupted is compiled again where there is none. */
static rw_job *claim(rw_program *p, bool *compiled)
{
    const bool stop = rw_cancel_requested(rw_cancel_current());
    rw_job *j;
    pthread_mutex_lock(&pool.lock);
    while ((j = p->job) && is_busy(j)) pthread_cond_wait(&pool.changed, &pool.lock);
    *compiled = j && (j->state == DONE || j->state == FAILED) && (stop || j->status != RW_ERR_INTERRUPTED);
    if (j && j->state == QUEUED) take_from_queue(j);
    if (j) {
        forget_unfinished(j);
        j->state = LOADING;
        j->forks = rw_forks();
    }
    pthread_mutex_unlock(&pool.lock);
    return j;
}

static rw_status load(rw_program *p, rw_job *j)
{
    rw_device *dev = p->device;
    rw_log_lines(dev->ctx, &j->log);
    if (j->status != RW_OK) {
        if (j->message) return rw_fail(dev->ctx, j->status, "%s", j->message);
        return rw_fail_memory(dev->ctx, 4096, "a message");
    }
    rw_program_compiled(p, &j->binary, j->seconds);
    j->status = dev->ops->load(dev, p, &j->binary);
    if (j->status != RW_OK) j->message = rw_strdup(rw_message(dev->ctx));
    return j->status;
}

rw_status rw_program_ready(rw_program *p)
{
    if (!__atomic_load_n(&p->job, __ATOMIC_ACQUIRE)) return RW_OK;
    rw_device *dev = p->device;
    bool compiled;
    const double start = rw_seconds();
    if (!__atomic_load_n(&p->failed, __ATOMIC_RELAXED))
        rw_compiling(p->name, __atomic_load_n(&dev->in_background, __ATOMIC_RELAXED));
    rw_job *j = claim(p, &compiled);
    if (!j) return RW_OK;
    if (!compiled) compile(j);
    rw_status status = load(p, j); /* where a driver may compile too */
    rw_compiled();
    if (!__atomic_exchange_n(&p->failed, status != RW_OK, __ATOMIC_RELAXED)) {
        __atomic_sub_fetch(&dev->in_background, 1, __ATOMIC_RELAXED);
        rw_count_seconds(dev, rw_seconds() - start);
    }
    pthread_mutex_lock(&pool.lock);
    j->state = FAILED;
    if (status == RW_OK) __atomic_store_n(&p->job, NULL, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.lock);
    if (status == RW_OK) free_job(j);
    return status;
}

static bool is_done(const rw_program *p) { return !p->job || p->job->state == DONE || p->job->state == FAILED; }

bool rw_background_is_done(const rw_program *p)
{
    pthread_mutex_lock(&pool.lock);
    const bool done = is_done(p);
    pthread_mutex_unlock(&pool.lock);
    return done;
}

void rw_background_wait(const rw_program *p, double seconds)
{
    const double end = rw_seconds() + seconds;
    pthread_mutex_lock(&pool.lock);
    while (!is_done(p) && pool.threads > 0 && rw_seconds() < end && !rw_cancel_requested(rw_cancel_current())) {
        struct timespec until; /* a request to stop wakes nobody */
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 20000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&pool.changed, &pool.lock, &until);
    }
    pthread_mutex_unlock(&pool.lock);
}

void rw_background_end(rw_program *p)
{
    rw_job *j = p->job;
    if (!j) return;
    pthread_mutex_lock(&pool.lock);
    __atomic_store_n(&j->dropped, true, __ATOMIC_RELAXED);
    while (is_busy(j)) pthread_cond_wait(&pool.changed, &pool.lock);
    if (j->state == QUEUED) take_from_queue(j);
    forget_unfinished(j);
    pthread_mutex_unlock(&pool.lock);
    if (j->state == DONE && j->status == RW_OK)
        rw_program_compiled(p, &j->binary, j->seconds); /* for the next process */
    if (!p->failed) __atomic_sub_fetch(&p->device->in_background, 1, __ATOMIC_RELAXED);
    p->job = NULL;
    free_job(j);
}
