/* The results folder: chosen, locked, checked before anything is computed, and emptied of an earlier run's files.
 *
 * Only files that the folder's own list names (run.files, journal.h) are ever replaced or removed. Each name is added
 * to the list before its file is written: rw_folder_claim. The folder itself may be a link that the user gives; links
 * inside of it are never followed. A link, a folder or a file of somebody else where a run has to write is an error
 * that is found before the first step. The lock is an flock on the folder itself: it goes away with the process, and
 * two runs cannot write into one folder. */
#include "run/run_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void rw_run_path(const rw_run *r, const char *name, char path[RW_PATH_SIZE])
{
    snprintf(path, RW_PATH_SIZE, "%s/%s", r->folder, name);
}

rw_status rw_folder_fail(const rw_run *r, const char *what, const char *path, int reason)
{
    return rw_fail(r->ctx, RW_ERR_FILE,
                   "results folder '%s': cannot %s '%s': %s: choose another folder with rw_run_options.folder",
                   r->folder, what, path, strerror(reason));
}

/* Whether a new folder could be made: the nearest folder above that exists must be writable. */
static rw_status check_parent(const rw_run *r)
{
    char path[RW_PATH_SIZE];
    snprintf(path, sizeof(path), "%s", r->folder);
    for (;;) {
        char *slash = strrchr(path, '/');
        if (!slash) snprintf(path, sizeof(path), ".");
        else slash[slash == path] = '\0';
        struct stat info;
        if (stat(path, &info) == 0) {
            if (!S_ISDIR(info.st_mode)) return rw_folder_fail(r, "make a folder in", path, ENOTDIR);
            return access(path, W_OK | X_OK) == 0 ? RW_OK : rw_folder_fail(r, "write in", path, errno);
        }
        if (errno != ENOENT) return rw_folder_fail(r, "use", path, errno);
        if (!slash || slash == path) return rw_folder_fail(r, "use", path, ENOENT);
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

/* Without a checkpoint there is nothing to continue. A run that left no more than its initial state begins again; from
 * any other folder a run that begins again would remove results. */
static rw_status check_restart(rw_run *r, bool *fresh)
{
    if (file_exists(r, "checkpoint.h5")) return RW_OK;
    bool unfinished = rw_folder_is_unfinished(r);
    rw_journal_free(&r->journal);
    *fresh = unfinished && same_case(r);
    if (*fresh) return RW_OK;
    return rw_fail(r->ctx, RW_ERR_INPUT,
                   "results folder '%s' has no checkpoint.h5 to continue from: %s, or name the "
                   "folder of the run with rw_run_options.folder",
                   r->folder,
                   unfinished ? "run without rw_run_options.restart"
                              : "begin again with rw_run_options.force, which replaces the results there");
}

static rw_status lock_folder(rw_run *r)
{
    if (r->lock >= 0) return RW_OK;
    r->lock = rw_open(r->folder, O_RDONLY | O_DIRECTORY, 0);
    if (r->lock < 0) return rw_folder_fail(r, "open", r->folder, errno);
    /* A child of a run that was just killed may hold the lock until it executes its program. */
    for (int tries = 0; tries < 50; tries++) {
        /* no locks on this file system */
        if (flock(r->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return RW_OK;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    close(r->lock);
    r->lock = -1;
    return rw_fail(r->ctx, RW_ERR_FILE,
                   "results folder '%s': another run is writing into it: wait for its end, or "
                   "choose another folder with rw_run_options.folder",
                   r->folder);
}

/* An empty folder, or one that a run has only begun to fill. */
static rw_status check_empty(rw_run *r)
{
    const int file = rw_open(r->folder, O_RDONLY | O_DIRECTORY, 0);
    DIR *folder = file < 0 ? NULL : fdopendir(file);
    if (!folder) return rw_folder_fail(r, "list", r->folder, errno);
    int n = 0;
    for (struct dirent *e; (e = readdir(folder));) n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(folder);
    if (n == 0 || r->unfinished) return RW_OK;
    RW_TRY(lock_folder(r));
    r->unfinished = rw_folder_is_unfinished(r);
    if (r->unfinished) return RW_OK;
    return rw_fail(
        r->ctx, RW_ERR_INPUT,
        "results folder '%s' is not empty (%d files): continue its run with "
        "rw_run_options.restart, replace its results with rw_run_options.force, or choose another folder with "
        "rw_run_options.folder",
        r->folder, n);
}

/* ---- names that are taken ---------------------------------------------------------------------------------------- */

/* "000010" at the beginning of `name`: the number of an output; how many digits it has. */
static size_t digits(const char *name) { return strspn(name, "0123456789"); }

/* NAME-000010.png, NAME-000010-across.png, NAME-animation.png. */
static bool is_picture_of(const char *of, const char *name)
{
    char file[100];
    rw_picture_name(of, file, sizeof(file));
    const size_t length = strlen(file);
    if (strncmp(name, file, length) != 0 || name[length] != '-') return false;
    if (!strcmp(name + length, "-animation.png") || !strcmp(name + length, "-animation.mp4")) return true;
    const char *end = name + length + 1 + digits(name + length + 1);
    return end - (name + length + 1) >= 6 &&
           (!strcmp(end, ".png") || !strcmp(end, "-across.png") || !strcmp(end, "-along.png"));
}

/* A picture of a field, series-NAME.png with a NAME of this case, or series.png. Before the problem is made its names
 * are not known. */
static bool is_figure(const rw_run *r, const char *name)
{
    char file[100], view[RW_VIEW_NAME];
    const rw_problem *p = r->problem;
    for (int i = 0; p && i < p->nfields; i++) {
        const rw_dtype type = rw_array_dtype(p->fields[i].array);
        const rw_layout *layout = rw_output_layout(p, i);
        for (int k = 0; k < rw_views(type, layout); k++) {
            rw_view_name(type, layout, rw_state_shown(&p->fields[i]), k, view);
            if (is_picture_of(view, name)) return true;
        }
    }
    if (p && p->grid.kind == RW_LAYOUT_VALUE && strcmp(name, "series.png") == 0) return true;
    for (int i = 1; p && i < p->ncolumns && strncmp(name, "series-", 7) == 0; i++) {
        rw_picture_name(p->columns[i].name, file, sizeof(file));
        size_t length = strlen(file);
        if (strncmp(name + 7, file, length) == 0 && strcmp(name + 7 + length, ".png") == 0) return true;
    }
    return false;
}

/* Whether this run may have to write a file of this name in the subfolder, "" for the results folder. */
static bool may_write(const rw_run *r, const char *sub, const char *name)
{
    const char *folder, *base;
    if (!*sub) return rw_journal_split(name, &folder, &base);
    if (rw_probes_owns(r, sub, name)) return true;
    if (strcmp(sub, "figures") == 0) return is_figure(r, name);
    size_t n = digits(name);
    if (n < 6) return false;
    return rw_journal_is_of(sub, name + n);
}

static rw_status fail_kind(const rw_run *r, const char *name, mode_t mode, const char *wanted)
{
    return rw_fail(r->ctx, RW_ERR_INPUT,
                   "results folder '%s': '%s' is a %s, but a run writes a %s there; links are not followed and "
                   "folders are not replaced: move it away, or choose another folder with rw_run_options.folder",
                   r->folder, name,
                   S_ISLNK(mode)   ? "link"
                   : S_ISDIR(mode) ? "folder"
                   : S_ISREG(mode) ? "file"
                                   : "device or pipe",
                   wanted);
}

static rw_status fail_foreign(const rw_run *r, const char *name, const char *remedy, rw_status status)
{
    return rw_fail(r->ctx, status,
                   "results folder '%s': '%s' is not in " RW_JOURNAL_FILE ", the list of files that runs have "
                   "written here%s: %smove it away, or "
                   "choose another folder with rw_run_options.folder",
                   r->folder, name, r->journal.head ? "" : " (older versions wrote no list)", remedy);
}

/* One name of the folder that is there. A continued run may meet files that its list has lost (a loss of power). */
static rw_status check_name(const rw_run *r, int folder, const char *sub, const char *name, bool fresh)
{
    char full[600];
    struct stat info;
    if (!may_write(r, sub, name)) return RW_OK;
    snprintf(full, sizeof(full), "%s%s%s", sub, *sub ? "/" : "", name);
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return RW_OK;
    if (!S_ISREG(info.st_mode)) return fail_kind(r, full, info.st_mode, "file");
    return fresh && !rw_journal_has(&r->journal, full) ? fail_foreign(r, full, "", RW_ERR_INPUT) : RW_OK;
}

static rw_status check_names(const rw_run *r, const char *sub, bool fresh)
{
    struct stat info;
    int folder = rw_folder_open(r->lock, *sub ? sub : ".");
    if (folder < 0) {
        if (fstatat(r->lock, sub, &info, AT_SYMLINK_NOFOLLOW) != 0) return RW_OK; /* there is none */
        return S_ISDIR(info.st_mode) ? rw_folder_fail(r, "open", sub, errno)
                                     : fail_kind(r, sub, info.st_mode, "folder");
    }
    DIR *list = fdopendir(folder);
    if (!list) {
        int reason = errno;
        close(folder);
        return rw_folder_fail(r, "list", *sub ? sub : r->folder, reason);
    }
    rw_status status = RW_OK;
    for (struct dirent *e; status == RW_OK && (e = readdir(list));)
        status = check_name(r, folder, sub, e->d_name, fresh);
    closedir(list);
    return status;
}

static rw_status check_all_names(const rw_run *r, bool fresh)
{
    RW_TRY(check_names(r, "", fresh));
    for (int i = 0; rw_journal_folders[i]; i++) RW_TRY(check_names(r, rw_journal_folders[i], fresh));
    return RW_OK;
}

/* ---- before the run ---------------------------------------------------------------------------------------------- */

rw_status rw_folder_check(rw_run *r, bool *fresh)
{
    *fresh = !r->options.restart;
    struct stat info;
    if (stat(r->folder, &info) != 0) {
        if (errno != ENOENT) return rw_folder_fail(r, "use", r->folder, errno);
        if (lstat(r->folder, &info) == 0)
            return rw_fail(r->ctx, RW_ERR_INPUT,
                           "results folder '%s' is a link to a missing folder: create that folder, or choose "
                           "another with rw_run_options.folder",
                           r->folder);
        if (r->options.restart)
            return rw_fail(
                r->ctx, RW_ERR_INPUT,
                "results folder '%s' does not exist, so there is nothing to continue: "
                "run without rw_run_options.restart, or name the folder of the run with rw_run_options.folder",
                r->folder);
        return check_parent(r);
    }
    if (!S_ISDIR(info.st_mode)) return rw_folder_fail(r, "use", r->folder, ENOTDIR);
    if (access(r->folder, W_OK | X_OK) != 0) return rw_folder_fail(r, "write in", r->folder, errno);
    if (!r->options.restart && !r->options.force) return check_empty(r);
    RW_TRY(lock_folder(r));
    RW_TRY(rw_aside_recover(r));
    if (r->options.restart) RW_TRY(check_restart(r, fresh));
    RW_TRY(rw_journal_read(r->ctx, r->lock, r->folder, &r->journal));
    return check_all_names(r, *fresh);
}

rw_status rw_folder_begin(rw_run *r, bool fresh)
{
    struct stat info;
    r->made = stat(r->folder, &info) != 0;
    RW_TRY(rw_folder_create(r->ctx, r->folder));
    RW_TRY(lock_folder(r));
    if (!r->options.restart && !r->options.force) RW_TRY(check_empty(r)); /* another run may have been quicker */
    RW_TRY(check_all_names(r, fresh));
    rw_aside_remove_temporaries(r);
    if (!fresh && r->journal.head) return rw_journal_continue(r->lock, r->folder, &r->journal);
    rw_status status = RW_OK;
    /* the beginning of a run (rw_folder_is_unfinished) is not worth setting aside */
    if (fresh && (r->options.restart || r->unfinished)) rw_aside_remove(r);
    else if (fresh && r->journal.n > 0) status = rw_aside_begin(r);
    rw_journal_free(&r->journal);
    if (status == RW_OK) status = rw_journal_create(r->ctx, r->lock, r->folder, NULL, &r->journal);
    r->fresh_list = fresh && status == RW_OK;
    return status;
}

void rw_folder_end(rw_run *r)
{
    if (r->log >= 0) close(r->log);
    if (r->lock >= 0) close(r->lock);
    rw_journal_free(&r->journal);
    r->log = r->lock = -1;
}

/* ---- files of the run -------------------------------------------------------------------------------------------- */

/* Adds the name to the list. A file that is there and not listed is refused with `refusal`, unless that is RW_OK. */
static rw_status claim(rw_run *r, const char *name, rw_status refusal, const char *remedy)
{
    const char *sub, *base;
    struct stat info;
    if (!rw_journal_split(name, &sub, &base))
        return rw_fail(r->ctx, RW_ERR_INTERNAL, "'%s' is not the name of a result", name);
    int folder = rw_folder_open(r->lock, sub ? sub : ".");
    if (folder < 0) return rw_folder_fail(r, "open", sub ? sub : r->folder, errno);
    bool there = fstatat(folder, base, &info, AT_SYMLINK_NOFOLLOW) == 0;
    close(folder);
    if (there && !S_ISREG(info.st_mode)) return fail_kind(r, name, info.st_mode, "file");
    if (there && refusal != RW_OK && !rw_journal_has(&r->journal, name)) return fail_foreign(r, name, remedy, refusal);
    return rw_journal_add(&r->journal, r->folder, name);
}

rw_status rw_folder_claim(rw_run *r, const char *name, char path[RW_PATH_SIZE])
{
    rw_run_path(r, name, path);
    if (r->lock < 0) return RW_OK; /* no folder was begun: a test of one part */
    return claim(r, name, r->fresh_list ? RW_ERR_FILE : RW_OK, "");
}

rw_status rw_folder_make(rw_run *r, const char *name)
{
    char listed[64];
    snprintf(listed, sizeof(listed), "%s/", name);
    int folder = rw_folder_open(r->lock, name);
    if (folder < 0) {
        if (errno != ENOENT) return rw_folder_fail(r, "open", name, errno);
        RW_TRY(rw_journal_add(&r->journal, r->folder, listed));
        if (mkdirat(r->lock, name, 0777) != 0) return rw_folder_fail(r, "make", name, errno);
        return RW_OK;
    }
    close(folder);
    return RW_OK;
}

/* Locks the folder and opens its list to append to it. A folder without a list gets one. */
static rw_status open_list(rw_run *r)
{
    if (r->lock >= 0) return RW_OK;
    RW_TRY(lock_folder(r));
    RW_TRY(rw_journal_read(r->ctx, r->lock, r->folder, &r->journal));
    if (r->journal.head) return rw_journal_continue(r->lock, r->folder, &r->journal);
    return rw_journal_create(r->ctx, r->lock, r->folder, NULL, &r->journal);
}

rw_status rw_folder_claim_picture(rw_run *r, const char *name)
{
    RW_TRY(open_list(r));
    RW_TRY(rw_folder_make(r, "figures"));
    return claim(r, name, r->options.force ? RW_OK : RW_ERR_INPUT, "replace it with rw_plot_options.force, ");
}
