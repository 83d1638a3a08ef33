/* A process that can be ended with those that it starts: gcc starts cc1, as and ld.
 * Where the host program has a flag for interruptions the process has a group of its own. Where it has none, Ctrl-C
 * must reach the process as it reaches the host program, so it stays in the host's group.
 * It is polled every 2 milliseconds, 1 % of what a compiler takes: no signal handler of the host program is touched. */
#include "device/process.h"
#include "core/leftover.h"
#include "device/device.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* The environment with TMPDIR = folder (to be freed with rw_free; the strings are the environment's, but the first). */
static char **with_folder(char *variable)
{
    size_t n = 0, m = 0;
    while (environ[n]) ++n;
    char **all = rw_calloc(n + 2, sizeof *all);
    if (!all) return NULL;
    all[m++] = variable;
    for (size_t i = 0; i < n; ++i)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0) all[m++] = environ[i];
    return all;
}

static int start(pid_t *pid, char *const *argv, char **environment, const char *log, bool group)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    sigset_t child, none;
    sigemptyset(&none);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD); /* a compiler that inherits SIG_IGN cannot wait for its own processes */
    posix_spawnattr_setsigdefault(&attributes, &child);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | (group ? POSIX_SPAWN_SETPGROUP : 0));
    posix_spawnattr_setpgroup(&attributes, 0);
    rw_leftover_lock();
    int error = posix_spawn(pid, argv[0], &actions, &attributes, argv, environment);
    if (!error) rw_leftover_add_process(*pid, group);
    rw_leftover_unlock();
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* As waitpid. The number of a process that has been waited for may be another's: it leaves the list first. */
static pid_t wait_once(pid_t pid, int *status, int options)
{
    rw_leftover_lock();
    const pid_t ended = waitpid(pid, status, options);
    const int error = errno;
    if (ended == pid || (ended < 0 && error != EINTR)) rw_leftover_drop_process(pid);
    rw_leftover_unlock();
    errno = error;
    return ended;
}

static int wait_for(pid_t pid, const char *log, double until, const rw_cancel *cancel)
{
    const struct timespec pause = {0, 2000000};
    int status, why = 0;
    while (!why) {
        pid_t ended = wait_once(pid, &status, WNOHANG);
        if (ended == pid) {
            if (cancel) kill(-pid, SIGKILL); /* what it may have left running */
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
        }
        if (ended < 0 && errno == ECHILD) return RW_PROCESS_UNKNOWN;
        if (ended < 0 && errno != EINTR) return RW_PROCESS_FAILED;
        struct stat st;
        if (rw_cancel_requested(cancel) || rw_background_dropped()) why = RW_PROCESS_INTERRUPTED;
        else if (rw_seconds() > until) why = RW_PROCESS_LATE;
        else if (stat(log, &st) == 0 && st.st_size >= RW_PROCESS_MOST_OUTPUT) why = RW_PROCESS_TALKS;
        else nanosleep(&pause, NULL);
    }
    rw_leftover_lock();
    rw_leftover_kill(pid, cancel != NULL);
    rw_leftover_unlock();
    while (wait_once(pid, &status, 0) < 0 && errno == EINTR) {}
    return why;
}

int rw_process_run(char *const *argv, const rw_temporary *folder, const char *log, double seconds)
{
    pid_t pid;
    const double until = rw_seconds() + seconds;
    const rw_cancel *cancel = rw_cancel_current();
    char *variable = rw_format("TMPDIR=%s", folder->path), **environment = variable ? with_folder(variable) : NULL;
    int error = environment ? start(&pid, argv, environment, log, cancel != NULL) : ENOMEM;
    int code = error ? RW_PROCESS_FAILED : wait_for(pid, log, until, cancel);
    rw_free(environment);
    rw_free(variable);
    if (error) errno = error;
    return code;
}

char *rw_process_ask(rw_context *ctx, char *const *argv, double seconds)
{
    rw_temporary folder;
    char *answer = NULL;
    size_t n;
    if (rw_temporary_create(ctx, &folder) != RW_OK) return NULL;
    char *path = rw_format("%s/answer", folder.path);
    const int code = path ? rw_process_run(argv, &folder, path, seconds) : RW_PROCESS_FAILED;
    if ((code == 0 || code == RW_PROCESS_UNKNOWN) && rw_file_read(ctx, path, 1 << 20, &answer, &n) != RW_OK)
        answer = NULL;
    rw_temporary_remove(&folder);
    rw_free(path);
    return answer;
}

rw_status rw_process_limit(rw_context *ctx, double *seconds)
{
    const char *given = getenv("RECHENWERK_CC_SECONDS");
    char *end = NULL;
    *seconds = 120;
    if (!given || !*given) return RW_OK;
    *seconds = rw_strtod(given, &end);
    if (*end == 0 && *seconds >= 1 && *seconds <= 86400) return RW_OK;
    return rw_fail(
        ctx, RW_ERR_ARGUMENT,
        "RECHENWERK_CC_SECONDS = %s: give the seconds after which a compiler is ended, 1 … 86400, or unset it", given);
}

rw_status rw_process_output(rw_context *ctx, const char *log, char **text)
{
    enum { PART = 1 << 16 };
    struct stat st;
    *text = NULL;
    int fd = rw_open(log, O_RDONLY, 0);
    if (fd < 0 || fstat(fd, &st) != 0) {
        if (fd >= 0) close(fd);
        return rw_fail(ctx, RW_ERR_FILE, "the output of a compiler, %s: %s", log, strerror(errno));
    }
    const bool whole = st.st_size <= 2 * PART;
    const size_t head = whole ? (size_t)st.st_size : PART;
    char *all = rw_calloc(2 * PART + 100, 1);
    if (!all) {
        close(fd);
        return rw_fail_memory(ctx, 2 * PART + 100, "the output of a compiler");
    }
    ssize_t n = pread(fd, all, head, 0);
    size_t length = n > 0 ? (size_t)n : 0;
    if (!whole) {
        length += (size_t)snprintf(all + length, 99, "\n… %lld bytes left out …\n", (long long)(st.st_size - 2 * PART));
        n = pread(fd, all + length, PART, st.st_size - PART);
        if (n > 0) length += (size_t)n;
    }
    close(fd);
    for (size_t i = 0; i < length; ++i)
        if (!all[i]) all[i] = ' '; /* it is a text */
    *text = all;
    return RW_OK;
}
