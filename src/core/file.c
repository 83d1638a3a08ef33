/* Files: read whole, replaced whole, folders made with their parents.
 *
 *   replace:  begin   create FOLDER/NAME.PROCESS-COUNT.tmp, new, with the permissions of the old file
 *             …       the caller writes it
 *             commit  fsync, rename over the old file, fsync of the folder
 * A reader therefore sees the old bytes or the new ones, never a mixture, also after a crash. What a killed process
 * leaves is removed when the same file is written again (abandoned.c). A symbolic link stays one: the file it points to
 * is replaced. Devices and pipes are refused.
 * Private files hold a lock (flock) until they are renamed: a file without a lock was left by a killed process.
 * No file of the library has descriptor 0, 1 or 2, even if the program has closed them: standard output would be
 * written into it (rw_open).
 * Not here: locks, appending, files that do not fit in memory. Interrupted system calls (EINTR) are repeated. */
#include "core/core.h"
#include "core/leftover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE ((size_t)1 << 20) /* bytes of one read or write: large enough for full speed */

const char *rw_file_advice(int reason)
{
    switch (reason) {
    case ENOENT: return "check the path";
    case ENOTDIR: return "a part of the path is a file: check the path";
    case EISDIR: return "give the path of a file";
    case EACCES:
    case EPERM: return "check the permissions or choose another folder";
    case EROFS: return "choose another folder";
    case ENOSPC:
    case EDQUOT: return "free some space or choose another folder";
    case EFBIG: return "the file size limit is reached: raise it (ulimit -f), or choose another file system";
    case EMFILE:
    case ENFILE: return "close files or raise ulimit -n";
    case ENAMETOOLONG: return "choose a shorter name";
    case ELOOP: return "a symbolic link leads to itself: remove it";
    default: return "check the disk or choose another folder";
    }
}

static rw_status fail(rw_context *ctx, const char *what, const char *path, int reason)
{
    return rw_fail(ctx, RW_ERR_FILE, "cannot %s '%s': %s: %s", what, path, strerror(reason), rw_file_advice(reason));
}

static rw_status check_path(rw_context *ctx, const char *function, const char *path)
{
    if (path && *path) return RW_OK;
    return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: path is %s: give the path of a file or folder", function,
                   path ? "empty" : "NULL");
}

/* The system's calls with injected faults and without EINTR. */

int rw_fd_above(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO) return fd;
    const int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), reason = errno;
    close(fd);
    errno = reason;
    return above;
}

int rw_open_at(int folder, const char *path, int flags, mode_t mode)
{
    int fd;
    do fd = openat(folder, path, flags | O_CLOEXEC, mode);
    while (fd < 0 && errno == EINTR &&
           !rw_cancel_requested(rw_cancel_current())); /* opening a pipe without a reader waits */
    return rw_fd_above(fd);
}

int rw_open(const char *path, int flags, mode_t mode) { return rw_open_at(AT_FDCWD, path, flags, mode); }

FILE *rw_fopen(const char *path, const char *mode)
{
    const int flags = *mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC | (strchr(mode, 'x') ? O_EXCL : 0);
    const int fd = rw_open(path, flags, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, *mode == 'r' ? "r" : "w");
    if (!file && fd >= 0) {
        const int reason = errno;
        close(fd);
        errno = reason;
    }
    return file;
}

rw_fd_guard rw_fd_guard_enter(void)
{
    rw_fd_guard g = {0};
    for (int fd; g.n < 3 && (fd = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0; g.n++) {
        if (fd > STDERR_FILENO) {
            close(fd);
            break;
        }
        g.fd[g.n] = fd;
    }
    return g;
}

void rw_fd_guard_leave(rw_fd_guard g)
{
    while (g.n > 0) close(g.fd[--g.n]);
}

static ssize_t read_some(int fd, void *data, size_t n)
{
    if (rw_fault_hit(RW_FAULT_READ)) {
        errno = EIO;
        return -1;
    }
    ssize_t got;
    do got = read(fd, data, RW_MIN(n, PIECE));
    while (got < 0 && errno == EINTR);
    return got;
}

bool rw_write_all(int fd, const char *data, size_t n)
{
    while (n > 0) {
        if (rw_fault_hit(RW_FAULT_WRITE)) {
            errno = ENOSPC;
            return false;
        }
        ssize_t put = write(fd, data, RW_MIN(n, PIECE));
        if (put == 0) {
            errno = EIO;
            return false;
        }
        if (put < 0 && errno != EINTR) return false;
        if (put > 0) {
            data += put;
            n -= (size_t)put;
        }
    }
    return true;
}

static bool sync_file(int fd)
{
    if (rw_fault_hit(RW_FAULT_WRITE)) {
        errno = EIO;
        return false;
    }
    int failed;
    do failed = fsync(fd);
    while (failed && errno == EINTR);
    return !failed;
}

static bool close_file(int fd) { return close(fd) == 0 || errno == EINTR; /* Linux has closed it all the same */ }

/* Reading */

rw_status rw_file_read(rw_context *ctx, const char *path, size_t limit, char **data, size_t *n)
{
    if (!data) return rw_fail(ctx, RW_ERR_ARGUMENT, "rw_file_read: data is NULL: pass a pointer for the bytes");
    *data = NULL;
    if (n) *n = 0;
    RW_TRY(check_path(ctx, "rw_file_read", path));
    int fd = rw_open(path, O_RDONLY, 0);
    if (fd < 0) return fail(ctx, "open", path, errno);
    rw_status status = rw_file_read_open(ctx, fd, path, limit, data, n);
    close(fd); /* nothing was written: no error to miss */
    return status;
}

rw_status rw_file_read_open(rw_context *ctx, int fd, const char *path, size_t limit, char **data, size_t *n)
{
    *data = NULL;
    if (n) *n = 0;
    if (limit == 0 || limit > SIZE_MAX / 4) limit = SIZE_MAX / 4;
    rw_status status = RW_OK;
    char *bytes = NULL;
    size_t length = 0, room = 0;
    struct stat info;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) room = RW_MIN((size_t)info.st_size, limit);
    room += 2; /* one byte to meet the end of the file, one for the NUL */
    for (;;) {
        if (!bytes || room - length < 2) {
            if (bytes) room = RW_MIN(2 * room + PIECE, limit + 2); /* a pipe, or a file that grows */
            char *larger = rw_realloc(bytes, room);
            if (!larger) {
                status = rw_fail_memory(ctx, room, path);
                break;
            }
            bytes = larger;
        }
        ssize_t got = read_some(fd, bytes + length, room - length - 1);
        if (got < 0) {
            status = fail(ctx, "read", path, errno);
            break;
        }
        length += (size_t)got;
        if (length > limit) {
            status = rw_fail(ctx, RW_ERR_FILE,
                             "cannot read '%s': it exceeds the limit of %zu bytes: is it the right file?", path, limit);
            break;
        }
        if (got == 0) break;
    }
    if (status != RW_OK) {
        rw_free(bytes);
        return status;
    }
    bytes[length] = '\0';
    *data = bytes;
    if (n) *n = length;
    return RW_OK;
}

/* Replacing */

/* The file that `path` means: itself, or (unless private) where its symbolic link leads. *mode: st_mode of the old
 * file, 0 if none. */
static rw_status find_target(rw_context *ctx, const char *path, bool private, char **target, mode_t *mode)
{
    struct stat info;
    *mode = 0;
    *target = NULL;
    if (private) { /* whatever is there is replaced, but for a folder */
        *target = rw_strdup(path);
        if (!*target) return rw_fail_memory(ctx, strlen(path) + 1, "a path");
        return RW_OK;
    }
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
        char *resolved = realpath(path, NULL);
        if (!resolved) return fail(ctx, "follow the link", path, errno);
        *target = rw_strdup(resolved);
        free(resolved);
    } else {
        *target = rw_strdup(path);
    }
    if (!*target) return rw_fail_memory(ctx, strlen(path) + 1, "a path");
    if (stat(*target, &info) != 0) return RW_OK; /* a new file */
    *mode = info.st_mode;
    rw_status status = RW_OK;
    if (S_ISDIR(info.st_mode)) status = fail(ctx, "write", path, EISDIR);
    else if (!S_ISREG(info.st_mode))
        status = rw_fail(ctx, RW_ERR_FILE,
                         "cannot write '%s': it is a device or a pipe, which cannot be replaced: "
                         "give the path of a file",
                         path);
    else if (access(*target, W_OK) != 0) /* rename would not ask */ status = fail(ctx, "write", path, errno);
    if (status == RW_OK) return RW_OK;
    rw_free(*target);
    *target = NULL;
    return status;
}

/* Locks a new file; true if another process has removed it as a leftover in between. */
static bool is_swept(int fd)
{
    struct stat info;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return true;
    return fstat(fd, &info) == 0 && info.st_nlink == 0;
}

/* What killed processes have left of this target, whose name begins at `folder`. */
static void sweep(const char *target, int folder)
{
    char *path = folder ? rw_format("%.*s", folder, target) : NULL;
    if (path || !folder) rw_file_sweep_abandoned(path ? path : ".", target + folder);
    rw_free(path);
}

/* lock: NULL, or gets the descriptor of the file, which holds a lock on it; -1 after a failure. */
static rw_status begin(rw_context *ctx, const char *path, bool private, char **temporary, int *lock)
{
    static atomic_int count;
    if (!temporary)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "rw_file_replace_begin: temporary is NULL: pass a pointer for the name");
    *temporary = NULL;
    if (lock) *lock = -1;
    RW_TRY(check_path(ctx, "rw_file_replace_begin", path));
    char *target;
    mode_t mode;
    RW_TRY(find_target(ctx, path, private, &target, &mode));
    const char *slash = strrchr(target, '/');
    int folder = slash ? (int)(slash - target) + 1 : 0;
    rw_status status = RW_OK;
    if (!private) sweep(target, folder);
    /* the name is cut so that a long one, still allowed, gives a temporary one that is */
    for (int tries = 0; tries < 100; tries++) {
        char *name = rw_format("%.*s%.*s.%ld-%d.tmp", folder, target, RW_TEMPORARY_NAME, target + folder,
                               (long)getpid(), atomic_fetch_add(&count, 1));
        if (!name) {
            status = rw_fail_memory(ctx, strlen(target) + 32, "a path");
            break;
        }
        rw_leftover_lock();
        int fd = rw_open(name, O_WRONLY | O_CREAT | O_EXCL, private ? 0600 : 0666), reason = errno;
        if (fd >= 0) rw_leftover_add_path(RW_LEFTOVER_FILE, name);
        rw_leftover_unlock();
        if (fd >= 0) {
            if (mode) (void)!fchmod(fd, mode & 0777); /* where it fails, the file system has no permissions */
            *temporary = name;
            if (!lock) close_file(fd);
            else if (is_swept(fd)) {
                close_file(fd);
                rw_file_replace_discard(temporary);
                continue;
            } else *lock = fd;
            break;
        }
        rw_free(name);
        status = fail(ctx, "create a file next to", path, reason);
        if (reason != EEXIST) break; /* EEXIST: left by a crashed process of the same number */
        status = tries == 99 ? status : RW_OK;
    }
    rw_free(target);
    return status;
}

rw_status rw_file_replace_begin(rw_context *ctx, const char *path, char **temporary)
{
    return begin(ctx, path, false, temporary, NULL);
}

static rw_status commit(rw_context *ctx, const char *path, bool private, char **temporary)
{
    if (!temporary || !*temporary)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "rw_file_replace_commit: temporary is NULL: call rw_file_replace_begin first");
    char *target = NULL;
    mode_t mode;
    rw_status status = check_path(ctx, "rw_file_replace_commit", path);
    if (status == RW_OK) status = find_target(ctx, path, private, &target, &mode);
    if (status != RW_OK) goto done;

    int fd = rw_open(*temporary, O_RDWR, 0);
    bool synced = fd >= 0 && sync_file(fd);
    if (!synced) status = fail(ctx, "write", path, errno);
    if (fd >= 0 && !close_file(fd) && synced) status = fail(ctx, "write", path, errno);
    if (status != RW_OK) goto done;
    bool hit = rw_fault_hit(RW_FAULT_WRITE);
    rw_leftover_lock();
    int reason = hit || rename(*temporary, target) != 0 ? (hit ? EIO : errno) : 0;
    if (!reason) rw_leftover_drop_path(*temporary);
    rw_leftover_unlock();
    if (reason) {
        status = fail(ctx, "replace", path, reason);
        goto done;
    }
    rw_free(*temporary);
    *temporary = NULL;
    /* That the new name survives a loss of power is tried, not promised: some file systems cannot sync a folder, and
     * the old file, which would come back, is whole too. */
    char *slash = strrchr(target, '/');
    if (slash) slash[slash == target] = '\0';
    fd = rw_open(slash ? target : ".", O_RDONLY | O_DIRECTORY, 0);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
done:
    rw_free(target);
    rw_file_replace_discard(temporary);
    return status;
}

rw_status rw_file_replace_commit(rw_context *ctx, const char *path, char **temporary)
{
    return commit(ctx, path, false, temporary);
}

void rw_file_replace_discard(char **temporary)
{
    if (!temporary || !*temporary) return;
    rw_leftover_lock();
    unlink(*temporary);
    rw_leftover_drop_path(*temporary);
    rw_leftover_unlock();
    rw_free(*temporary);
    *temporary = NULL;
}

static rw_status write_file(rw_context *ctx, const char *path, const void *data, size_t n, bool private)
{
    if (!data && n > 0)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "rw_file_write: data is NULL but n = %zu: pass the bytes", n);
    char *temporary;
    int lock = -1;
    RW_TRY(begin(ctx, path, private, &temporary, private ? &lock : NULL));
    int fd = rw_open(temporary, O_WRONLY, 0);
    bool written = fd >= 0 && rw_write_all(fd, data, n);
    int reason = errno;
    if (fd >= 0 && !close_file(fd) && written) {
        written = false;
        reason = errno;
    }
    rw_status status = RW_OK;
    if (written) status = commit(ctx, path, private, &temporary);
    else {
        rw_file_replace_discard(&temporary);
        status = fail(ctx, "write", path, reason);
    }
    if (lock >= 0) close(lock);
    return status;
}

void rw_file_sweep(int folder, const char *name)
{
    struct stat info;
    int fd = rw_open_at(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0) return;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
    close(fd);
}

char *rw_file_partial_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    const size_t n = dot && dot > name ? (size_t)(dot - path) : strlen(path);
    return rw_format("%.*s.partial%s", (int)n, path, path + n);
}

rw_status rw_file_write(rw_context *ctx, const char *path, const void *data, size_t n)
{
    return write_file(ctx, path, data, n, false);
}

rw_status rw_file_write_private(rw_context *ctx, const char *path, const void *data, size_t n)
{
    return write_file(ctx, path, data, n, true);
}

/* Folders */

static rw_status create_folder(rw_context *ctx, const char *path, mode_t mode)
{
    RW_TRY(check_path(ctx, "rw_folder_create", path));
    char *folder = rw_strdup(path);
    if (!folder) return rw_fail_memory(ctx, strlen(path) + 1, "a path");
    rw_status status = RW_OK;
    /* a, a/b, a/b/c of a/b/c; asked first, since mkdir of an existing folder may fail otherwise than with EEXIST */
    for (char *end = folder; *end && status == RW_OK;) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        char kept = *end;
        *end = '\0';
        struct stat info;
        if (stat(folder, &info) != 0 && mkdir(folder, mode) != 0 && errno != EEXIST)
            status = fail(ctx, "create the folder", folder, errno);
        else if (stat(folder, &info) != 0) status = fail(ctx, "create the folder", folder, errno);
        else if (!S_ISDIR(info.st_mode))
            status = rw_fail(ctx, RW_ERR_FILE,
                             "cannot create the folder '%s': '%s' is a file: choose another name or "
                             "remove it",
                             path, folder);
        *end = kept;
    }
    rw_free(folder);
    return status;
}

rw_status rw_folder_create(rw_context *ctx, const char *path) { return create_folder(ctx, path, 0777); }

rw_status rw_folder_create_private(rw_context *ctx, const char *path) { return create_folder(ctx, path, 0700); }
