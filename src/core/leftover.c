/* What must not outlive this process: temporary files, temporary folders, and compilers.
 *
 * They are created and added to the list under one lock, and removed under the same lock. rw_abandon takes the lock and
 * does not release it: it finds all of them, and no thread can create more.
 * A killed process leaves its files. The next process removes those without a lock of the file system: folders in
 * temporary.c, files of the program cache in device/cache.c, files next to an output in abandoned.c. */
#include "core/leftover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 256 }; /* further ones are not listed: only rw_abandon uses the list */
static const struct timespec pause_of = {0, 5000000};

static struct {
    rw_leftover_kind kind;
    const char *path;
    pid_t pid;
    bool group;
} list[MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void in_parent(void) { pthread_mutex_unlock(&lock); }
static void in_child(void)
{
    memset(list, 0, sizeof list); /* its entries belong to the parent */
    pthread_mutex_unlock(&lock);
}
static void watch(void) { pthread_atfork(before_fork, in_parent, in_child); }

void rw_leftover_lock(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch);
    pthread_mutex_lock(&lock);
}

void rw_leftover_unlock(void) { pthread_mutex_unlock(&lock); }

static int place_for(rw_leftover_kind kind)
{
    for (int i = 0; i < MOST; i++)
        if (!list[i].kind) {
            list[i].kind = kind;
            return i;
        }
    return -1;
}

void rw_leftover_add_path(rw_leftover_kind kind, const char *path)
{
    const int i = place_for(kind);
    if (i >= 0) list[i].path = path;
}

void rw_leftover_add_process(pid_t pid, bool group)
{
    const int i = place_for(RW_LEFTOVER_PROCESS);
    if (i >= 0) {
        list[i].pid = pid;
        list[i].group = group;
    }
}

void rw_leftover_drop_path(const char *path)
{
    for (int i = 0; i < MOST; i++)
        if (list[i].path == path) {
            list[i].kind = RW_LEFTOVER_NONE;
            list[i].path = NULL;
        }
}

void rw_leftover_drop_process(pid_t pid)
{
    for (int i = 0; i < MOST; i++)
        if (list[i].kind == RW_LEFTOVER_PROCESS && list[i].pid == pid) list[i].kind = RW_LEFTOVER_NONE;
}

void rw_leftover_empty(int fd)
{
    DIR *d = fdopendir(fd);
    if (!d) {
        close(fd);
        return;
    }
    for (struct dirent *e; (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
}

/* The processes that end_tree has killed; rw_abandon waits for them. */
static pid_t ended[MOST];
static int nended;

static void end_tree(pid_t pid)
{
    char path[64];
    int child;
    if (nended < MOST) ended[nended++] = pid;
    kill(pid, SIGSTOP); /* so that it starts no further children */
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)pid, (long)pid);
    FILE *children = rw_fopen(path, "r");
    while (children && fscanf(children, "%d", &child) == 1) end_tree(child);
    if (children) fclose(children);
    kill(pid, SIGKILL);
}

void rw_leftover_kill(pid_t pid, bool group)
{
    nended = 0;
    if (group) kill(-pid, SIGKILL);
    else end_tree(pid);
}

/* Waits until the process, or with -pid the group, has ended: a second at most. */
static void wait_for(pid_t pid)
{
    for (int i = 0; i < 200 && kill(pid, 0) == 0; i++) nanosleep(&pause_of, NULL);
}

/* Ends a child with all that it has started, and waits for them. */
static void end(pid_t pid, bool group)
{
    rw_leftover_kill(pid, group);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    if (group) wait_for(-pid);
    for (int i = 0; i < nended; i++) wait_for(ended[i]);
}

void rw_abandon(void)
{
    rw_leftover_lock();
    for (int i = 0; i < MOST; i++)
        if (list[i].kind == RW_LEFTOVER_PROCESS) end(list[i].pid, list[i].group);
    for (int i = 0; i < MOST; i++) {
        if (list[i].kind == RW_LEFTOVER_FILE) unlink(list[i].path);
        if (list[i].kind != RW_LEFTOVER_FOLDER) continue;
        const int fd = rw_open(list[i].path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
        if (fd >= 0) rw_leftover_empty(fd);
        rmdir(list[i].path);
    }
}
