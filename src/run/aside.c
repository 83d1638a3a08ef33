/* The results of an earlier run, moved aside while a new run (--force) has no checkpoint yet, and brought back if it
 * never gets one.
 *
 *   set aside   .previous/run.files <- run.files        which files are the old ones
 *               .previous/X <- X  for each file listed
 *               run.files <- a new, empty list           the two lists now differ in their first line
 *   discard     .discarded <- .previous                  after the new run's first checkpoint: one rename decides
 *               remove .discarded/X
 *   restore     remove the files of the new list; run.files <- .previous/run.files; X <- .previous/X
 * A process may be killed between any two of these calls: rw_aside_recover finishes or undoes what was begun, from the
 * two lists alone. All names are those of lists (journal.h), files are moved and removed through the descriptor of the
 * folder, and only regular files: links are neither followed nor removed. */
#include "run/run_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREVIOUS ".previous"
#define DISCARDED ".discarded"

int rw_folder_open(int folder, const char *name)
{
    return rw_open_at(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
}

/* The folder that a listed name lies in, to be closed; with `make` a missing subfolder is made. */
static int open_parent(int folder, const char *name, bool make, const char **base)
{
    const char *sub;
    if (!rw_journal_split(name, &sub, base)) return -1;
    if (make && sub && mkdirat(folder, sub, 0777) != 0 && errno != EEXIST) return -1;
    return rw_folder_open(folder, sub ? sub : ".");
}

static bool is_folder(const char *name) { return name[strlen(name) - 1] == '/'; }

/* Removes the subfolders in the list that are empty. */
static void remove_folders(int folder, const rw_journal *j)
{
    const char *sub, *base;
    for (int i = 0; i < j->n; i++)
        if (is_folder(j->name[i]) && rw_journal_split(j->name[i], &sub, &base)) unlinkat(folder, sub, AT_REMOVEDIR);
}

static void remove_listed(int folder, const rw_journal *j)
{
    for (int i = 0; i < j->n; i++) {
        const char *base;
        struct stat info;
        int parent = is_folder(j->name[i]) ? -1 : open_parent(folder, j->name[i], false, &base);
        if (parent < 0) continue;
        if (fstatat(parent, base, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode)) unlinkat(parent, base, 0);
        close(parent);
    }
    remove_folders(folder, j);
}

/* Moves the regular files of the list; those that are not there are passed over. */
static rw_status move_listed(const rw_run *r, int from, int to, const rw_journal *j)
{
    for (int i = 0; i < j->n; i++) {
        const char *base;
        struct stat info;
        if (is_folder(j->name[i])) continue;
        int source = open_parent(from, j->name[i], false, &base), target = -1;
        bool there = source >= 0 && fstatat(source, base, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode),
             moved = !there;
        if (there && (target = open_parent(to, j->name[i], true, &base)) >= 0)
            moved = renameat(source, base, target, base) == 0;
        int reason = errno;
        if (source >= 0) close(source);
        if (target >= 0) close(target);
        if (!moved) return rw_folder_fail(r, "move", j->name[i], reason);
    }
    remove_folders(from, j);
    return RW_OK;
}

/* Removes .previous or .discarded with the files of its list. Anything else that lies there stays. */
static void remove_aside(int folder, const char *name, const rw_journal *j)
{
    int aside = rw_folder_open(folder, name);
    if (aside < 0) return;
    remove_listed(aside, j);
    for (int i = 0; rw_journal_folders[i]; i++) unlinkat(aside, rw_journal_folders[i], AT_REMOVEDIR);
    unlinkat(aside, RW_JOURNAL_FILE, 0);
    close(aside);
    unlinkat(folder, name, AT_REMOVEDIR);
}

/* The list in a subfolder of `folder`; without one j->head is NULL. */
static rw_status read_aside(const rw_run *r, const char *name, rw_journal *j)
{
    *j = (rw_journal){.file = -1};
    int aside = rw_folder_open(r->lock, name);
    if (aside < 0) return RW_OK;
    rw_status status = rw_journal_read(r->ctx, aside, r->folder, j);
    close(aside);
    return status;
}

static void discard(const rw_run *r, const rw_journal *old)
{
    if (renameat(r->lock, PREVIOUS, r->lock, DISCARDED) == 0) remove_aside(r->lock, DISCARDED, old);
}

void rw_aside_discard(rw_run *r)
{
    rw_journal old;
    if (!r->aside) return;
    r->aside = false;
    if (read_aside(r, PREVIOUS, &old) == RW_OK && old.head) discard(r, &old);
    rw_journal_free(&old);
}

void rw_aside_remove(rw_run *r) { remove_listed(r->lock, &r->journal); }

static rw_status restore(const rw_run *r, const rw_journal *old, const rw_journal *list)
{
    bool replaced = list->head && strcmp(list->head, old->head) != 0; /* the new run had begun its own */
    struct stat info;
    if (replaced && rw_journal_has(list, "checkpoint.h5") &&
        fstatat(r->lock, "checkpoint.h5", &info, AT_SYMLINK_NOFOLLOW) == 0) {
        discard(r, old);
        return RW_OK;
    }
    rw_journal back;
    if (replaced) {
        remove_listed(r->lock, list);
        RW_TRY(rw_journal_create(r->ctx, r->lock, r->folder, old, &back));
        rw_journal_free(&back);
    }
    int aside = rw_folder_open(r->lock, PREVIOUS);
    if (aside < 0) return rw_folder_fail(r, "open", PREVIOUS, errno);
    rw_status status = move_listed(r, aside, r->lock, old);
    close(aside);
    if (status == RW_OK) remove_aside(r->lock, PREVIOUS, old);
    return status;
}

rw_status rw_aside_recover(rw_run *r)
{
    rw_journal old, list;
    RW_TRY(read_aside(r, DISCARDED, &old));
    if (old.head) remove_aside(r->lock, DISCARDED, &old);
    rw_journal_free(&old);
    RW_TRY(read_aside(r, PREVIOUS, &old));
    rw_status status = RW_OK;
    if (old.head) {
        status = rw_journal_read(r->ctx, r->lock, r->folder, &list);
        if (status == RW_OK) status = restore(r, &old, &list);
        if (status == RW_OK) rw_journal_free(&list);
    }
    rw_journal_free(&old);
    return status;
}

rw_status rw_aside_begin(rw_run *r)
{
    rw_journal copy;
    unlinkat(r->lock, PREVIOUS, AT_REMOVEDIR); /* an empty one: a process was killed here */
    if (mkdirat(r->lock, PREVIOUS, 0777) != 0) return rw_folder_fail(r, "make", PREVIOUS, errno);
    int aside = rw_folder_open(r->lock, PREVIOUS);
    if (aside < 0) return rw_folder_fail(r, "open", PREVIOUS, errno);
    r->aside = true;
    rw_status status = rw_journal_create(r->ctx, aside, r->folder, &r->journal, &copy);
    if (status == RW_OK) status = move_listed(r, r->lock, aside, &copy);
    rw_journal_free(&copy);
    close(aside);
    return status;
}

/* ---- a run that has come to nothing ------------------------------------------------------------------------------ */

rw_status rw_aside_undo(rw_run *r, bool *restored)
{
    rw_status status = RW_OK;
    *restored = false;
    if (r->lock < 0) return RW_OK;
    if (r->aside) {
        status = rw_aside_recover(r);
        *restored = status == RW_OK;
    } else if (r->fresh_list) {
        remove_listed(r->lock, &r->journal);
        unlinkat(r->lock, RW_JOURNAL_FILE, 0);
    }
    r->aside = r->fresh_list = false;
    if (r->made && rmdir(r->folder) == 0) r->gone = true;
    return status;
}

/* ---- half-written files ------------------------------------------------------------------------------------------ */

static void remove_temporaries(const rw_run *r, const char *sub)
{
    char full[600];
    int folder = rw_folder_open(r->lock, *sub ? sub : ".");
    DIR *list = folder >= 0 ? fdopendir(folder) : NULL;
    if (!list && folder >= 0) close(folder);
    for (struct dirent *e; list && (e = readdir(list));) {
        struct stat info;
        size_t n = rw_file_temporary_of(e->d_name, NULL);
        snprintf(full, sizeof(full), "%s%s%.*s", sub, *sub ? "/" : "", (int)n, e->d_name);
        if (n && rw_journal_has(&r->journal, full) && fstatat(folder, e->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(info.st_mode))
            unlinkat(folder, e->d_name, 0);
    }
    if (list) closedir(list);
}

void rw_aside_remove_temporaries(const rw_run *r)
{
    remove_temporaries(r, "");
    for (int i = 0; rw_journal_folders[i]; i++) remove_temporaries(r, rw_journal_folders[i]);
}
