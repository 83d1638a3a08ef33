/* The results folder: chosen, checked before anything is computed, locked, and emptied of an earlier run's files.
 *
 * Only files with the names that runs give are ever removed; whatever else lies in the folder stays. The lock is an
 * flock on the folder itself: it goes away with the process, and two runs cannot write into one folder. */
#include "problem/run_private.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Everything a run writes: a folder NAME/ with files of this ending, or a file. */
static const struct { const char *folder, *ending; } written[] = {
    {"fields/", ".h5"},   {"vti/", ".vti"},      {"vtm/", ".vtm"},      {"vtm/", ".vts"},      {"figures/", ".png"},   {"", "fields.h5"},   {"", "fields.xdmf"},
    {"", "fields.pvd"},   {"", "series.csv"},    {"", "checkpoint.h5"},  {"", "log.jsonl"},   {"", "run.json"},
    {"", "settings.yaml"},
};

void rw_run_path(const rw_run *r, const char *name, char path[RW_PATH_SIZE])
{
    snprintf(path, RW_PATH_SIZE, "%s/%s", r->folder, name);
}

static rw_status fail(const rw_run *r, const char *what, const char *path, int reason)
{
    return rw_fail(r->ctx, RW_ERR_FILE, "results folder '%s': cannot %s '%s': %s: choose another folder with -o",
                   r->folder, what, path, strerror(reason));
}

/* Whether a new folder could be made: the nearest folder above that exists must be writable. */
static rw_status check_parent(const rw_run *r)
{
    char path[RW_PATH_SIZE];
    snprintf(path, sizeof(path), "%s", r->folder);
    for (;;) {
        char *slash = strrchr(path, '/');
        if (!slash)
            snprintf(path, sizeof(path), ".");
        else
            slash[slash == path] = '\0';
        struct stat info;
        if (stat(path, &info) == 0) {
            if (!S_ISDIR(info.st_mode)) return fail(r, "make a folder in", path, ENOTDIR);
            return access(path, W_OK | X_OK) == 0 ? RW_OK : fail(r, "write in", path, errno);
        }
        if (errno != ENOENT) return fail(r, "use", path, errno);
        if (!slash || slash == path) return fail(r, "use", path, ENOENT);
    }
}

static bool file_exists(const rw_run *r, const char *name)
{
    char path[RW_PATH_SIZE];
    rw_run_path(r, name, path);
    return access(path, F_OK) == 0;
}

/* The member `case_hash` of the folder's run.json equals ours: an earlier run of the same case, however far it got. */
static bool same_case(const rw_run *r)
{
    char path[RW_PATH_SIZE], *text;
    size_t n;
    rw_run_path(r, "run.json", path);
    if (rw_file_read(r->ctx, path, 1 << 20, &text, &n) != RW_OK) return false;
    bool same = strstr(text, r->hash) != NULL;
    rw_free(text);
    return same;
}

static rw_status check_restart(rw_run *r, bool *fresh)
{
    if (file_exists(r, "checkpoint.h5")) return RW_OK;
    if (same_case(r)) { /* it ended before the first checkpoint: nothing is lost by beginning again */
        *fresh = true;
        return RW_OK;
    }
    return rw_fail(r->ctx, RW_ERR_INPUT, "results folder '%s' has no checkpoint.h5 to continue from: run without "
                   "--restart, or name the folder of the run with -o", r->folder);
}

static rw_status check_empty(const rw_run *r)
{
    DIR *folder = opendir(r->folder);
    if (!folder) return fail(r, "list", r->folder, errno);
    int n = 0;
    for (struct dirent *e; (e = readdir(folder));) n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(folder);
    if (n == 0) return RW_OK;
    return rw_fail(r->ctx, RW_ERR_INPUT, "results folder '%s' is not empty (%d files): continue its run with "
                   "--restart, replace its results with --force, or choose another folder with -o", r->folder, n);
}

rw_status rw_folder_check(rw_run *r, bool *fresh)
{
    *fresh = !r->options.restart;
    struct stat info;
    if (stat(r->folder, &info) != 0) {
        if (errno != ENOENT) return fail(r, "use", r->folder, errno);
        if (r->options.restart)
            return rw_fail(r->ctx, RW_ERR_INPUT, "results folder '%s' does not exist, so there is nothing to continue: "
                           "run without --restart, or name the folder of the run with -o", r->folder);
        return check_parent(r);
    }
    if (!S_ISDIR(info.st_mode)) return fail(r, "use", r->folder, ENOTDIR);
    if (access(r->folder, W_OK | X_OK) != 0) return fail(r, "write in", r->folder, errno);
    if (r->options.restart) return check_restart(r, fresh);
    return r->options.force ? RW_OK : check_empty(r);
}

/* NAME.PROCESS-COUNT.tmp, as rw_file_replace_begin makes them: left by a process that was killed. */
static bool is_temporary(const char *name)
{
    size_t n = strlen(name);
    if (n < 8 || strcmp(name + n - 4, ".tmp") != 0) return false;
    const char *p = name + n - 5;
    while (p > name && isdigit((unsigned char)*p)) p--;
    if (*p != '-') return false;
    for (p--; p > name && isdigit((unsigned char)*p); p--) continue;
    return *p == '.';
}

/* Removes from FOLDER/name files ending in `ending` (NULL: none), and half-written ones in any case. */
static void clean(const rw_run *r, const char *name, const char *ending)
{
    char path[RW_PATH_SIZE];
    rw_run_path(r, name, path);
    DIR *folder = opendir(path);
    if (!folder) return;
    for (struct dirent *e; (e = readdir(folder));) {
        size_t n = strlen(e->d_name), m = ending ? strlen(ending) : 0;
        bool match = ending && n >= m && strcmp(e->d_name + n - m, ending) == 0;
        if (match && !*name) match = n == m; /* files of the folder itself: whole names */
        if (match || is_temporary(e->d_name)) unlinkat(dirfd(folder), e->d_name, 0);
    }
    closedir(folder);
}

rw_status rw_folder_begin(rw_run *r, bool fresh)
{
    RW_TRY(rw_folder_create(r->ctx, r->folder));
    r->lock = open(r->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r->lock < 0) return fail(r, "open", r->folder, errno);
    if (flock(r->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) /* other errors: no locks on this file system */
        return rw_fail(r->ctx, RW_ERR_FILE, "results folder '%s': another run is writing into it: wait for its end, or "
                       "choose another folder with -o", r->folder);
    if (!r->options.restart && !r->options.force) RW_TRY(check_empty(r)); /* another run may have been quicker */
    for (int i = 0; i < RW_COUNT(written); i++) clean(r, written[i].folder, fresh ? written[i].ending : NULL);
    return RW_OK;
}

void rw_folder_end(rw_run *r)
{
    if (r->log >= 0) close(r->log);
    if (r->lock >= 0) close(r->lock);
    r->log = r->lock = -1;
}
