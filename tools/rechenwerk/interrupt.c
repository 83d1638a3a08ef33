/* Ctrl-C, TERM and HUP. A handler may call few functions, so it wakes a thread. The thread removes unfinished files and
 * ends the program. Commands that can stop with a result (run, solve, streams) end by themselves instead. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

enum { INTERRUPTED = 130 };
static rw_cancel cancel;
static bool ends_itself; /* atomic */
static sem_t wake;

static void on_signal(int number RW_UNUSED)
{
    const int error = errno;
    rw_cancel_request(&cancel);
    sem_post(&wake);
    errno = error;
}

static _Noreturn void end_now(void)
{
    rw_abandon();
    if (isatty(STDERR_FILENO)) (void)!write(STDERR_FILENO, "\r\033[K", 4); /* erases a progress line */
    fprintf(stderr, "rechenwerk: interrupted\n");
    if (ftrylockfile(stdout) == 0) fflush(stdout); /* not if the command is printing */
    _exit(INTERRUPTED);
}

/* A signal within a second or two of the first counts as the same one: `timeout` and some terminals send it to the
 * program and again to its process group. */
static void *watch(void *unused)
{
    struct timespec first = {0}, now;
    for (;;) {
        while (sem_wait(&wake) != 0) continue;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (!__atomic_load_n(&ends_itself, __ATOMIC_RELAXED)) end_now();
        if (!first.tv_sec) first = now;
        else if (now.tv_sec - first.tv_sec > 1) end_now();
    }
    return unused;
}

void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal}, old;
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    sem_init(&wake, 0, 0);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the thread gets none */
    const bool started = pthread_create(&thread, NULL, watch, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started) return; /* signals have their default action */
    pthread_detach(thread);
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < COUNT(numbers); i++)
        if (numbers[i] != SIGHUP || (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN))
            sigaction(numbers[i], &action, NULL);
}

const rw_cancel *stop_request(void)
{
    __atomic_store_n(&ends_itself, true, __ATOMIC_RELAXED);
    return &cancel;
}

int code_after_signals(int code) { return rw_cancel_requested(&cancel) ? INTERRUPTED : code; }
