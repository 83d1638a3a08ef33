/* Temporary folders: $TMPDIR/rechenwerk-tmp-XXXXXX while a compiler works, $TMPDIR/rechenwerk-log-XXXXXX for logs.
 *
 * The owner of a folder holds a lock on it (flock), which ends with the process however it ends. A folder without a
 * lock that has not changed for a minute belongs to nobody: the next process removes it. Numbers of processes would not
 * do, since containers that share a folder have numbers of their own. Logs have no lock and go after a day.
 * Not here: folders within folders. */
#include "core/temporary.h"
#include "core/leftover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char used[] = "rechenwerk-tmp-", kept[] = "rechenwerk-log-";
enum { UNUSED_SECONDS = 60, KEPT_SECONDS = 24 * 3600 };

static const char *parent(void)
{
    const char *tmp = getenv("TMPDIR");
    return tmp && *tmp ? tmp : "/tmp";
}

/* A folder of ours that nobody uses any more. */
static void sweep_one(int in, const char *name, long seconds, bool locked)
{
    struct stat st;
    int fd = rw_open_at(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (fd < 0) return;
    if (fstat(fd, &st) != 0 || st.st_uid != geteuid() || time(NULL) - st.st_mtime < seconds ||
        (locked && flock(fd, LOCK_EX | LOCK_NB) != 0)) {
        close(fd);
        return;
    }
    rw_leftover_empty(fd);
    unlinkat(in, name, AT_REMOVEDIR);
}

static void sweep(void)
{
    DIR *d = fdopendir(rw_open(parent(), O_RDONLY | O_DIRECTORY, 0));
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));) {
        if (!strncmp(e->d_name, used, sizeof used - 1)) sweep_one(dirfd(d), e->d_name, UNUSED_SECONDS, true);
        if (!strncmp(e->d_name, kept, sizeof kept - 1)) sweep_one(dirfd(d), e->d_name, KEPT_SECONDS, false);
    }
    closedir(d);
}

static rw_status make(rw_context *ctx, const char *prefix, char **path)
{
    *path = rw_format("%s/%sXXXXXX", parent(), prefix);
    if (!*path) return rw_fail_memory(ctx, 64, "a path");
    if (mkdtemp(*path)) return RW_OK;
    rw_status status =
        rw_fail(ctx, RW_ERR_FILE, "temporary folder %s: %s: set TMPDIR to a writable folder", *path, strerror(errno));
    rw_free(*path);
    *path = NULL;
    return status;
}

void rw_temporary_sweep(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, sweep);
}

rw_status rw_temporary_create(rw_context *ctx, rw_temporary *t)
{
    *t = (rw_temporary){NULL, -1};
    rw_temporary_sweep();
    rw_leftover_lock();
    rw_status status = make(ctx, used, &t->path);
    if (status == RW_OK) rw_leftover_add_path(RW_LEFTOVER_FOLDER, t->path);
    rw_leftover_unlock();
    RW_TRY(status);
    t->fd = rw_open(t->path, O_RDONLY | O_DIRECTORY, 0);
    if (t->fd >= 0) flock(t->fd, LOCK_EX | LOCK_NB); /* where it fails, the minute of grace is left */
    return RW_OK;
}

void rw_temporary_remove(rw_temporary *t)
{
    if (!t->path) return;
    rw_leftover_lock();
    int fd = rw_open(t->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (fd >= 0) rw_leftover_empty(fd);
    rmdir(t->path);
    rw_leftover_drop_path(t->path);
    rw_leftover_unlock();
    if (t->fd >= 0) close(t->fd);
    rw_free(t->path);
    *t = (rw_temporary){NULL, -1};
}

rw_status rw_temporary_keep(rw_context *ctx, char **path) { return make(ctx, kept, path); }
