/* A results folder in which a run has left nothing but its beginning, since it was killed or failed: the next run may
 * replace it without --force.
 *
 * That is so where
 *   - every file of the folder is in its list (run.files), or the half-written form of one that is; there are no links
 *     and no other folders,
 *   - there is no checkpoint and nothing of an earlier run (.previous),
 *   - there is no output but the first one, the initial state, and no other row of series.csv; run.json, where there is
 *     one, says so too.
 * The files themselves are checked because run.json may be older than they are. Everything is opened through the
 * descriptor of the folder, which the caller has locked. */
#include "run/run_private.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/json.h"

enum { LINES = 2 }; /* of series.csv: names, the initial state; besides comments, where older versions have units */

/* A file of the first output, or of none. */
static bool is_early(const char *sub, const char *name)
{
    if (!*sub) return strcmp(name, "checkpoint.h5") != 0;
    if (strcmp(sub, "probes") == 0) return true; /* rows as series.csv has */
    if (strcmp(sub, "figures") != 0) return atol(name) == 0;
    return rw_ends_in(name, "-000000.png") || rw_ends_in(name, "-000000-across.png") ||
           rw_ends_in(name, "-000000-along.png");
}

static bool is_listed(const rw_run *r, int folder, const char *sub, const char *name)
{
    char full[600];
    struct stat info;
    size_t n = rw_file_temporary_of(name, NULL);
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) return false;
    if (!*sub && (strcmp(name, RW_JOURNAL_FILE) == 0 || strcmp(name, RW_JOURNAL_FILE ".new") == 0)) return true;
    snprintf(full, sizeof(full), "%s%s%.*s", sub, *sub ? "/" : "", n ? (int)n : (int)strlen(name), name);
    return rw_journal_has(&r->journal, full) && (n || is_early(sub, name));
}

/* The name of a listed subfolder that is a folder. */
static bool is_subfolder(const rw_run *r, const char *name)
{
    char listed[300];
    struct stat info;
    snprintf(listed, sizeof(listed), "%s/", name);
    return rw_journal_has(&r->journal, listed) && fstatat(r->lock, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(info.st_mode);
}

static bool all_listed(const rw_run *r, const char *sub)
{
    int folder = rw_folder_open(r->lock, *sub ? sub : ".");
    DIR *list = folder >= 0 ? fdopendir(folder) : NULL;
    if (!list && folder >= 0) close(folder);
    bool good = list != NULL;
    for (struct dirent *e; good && (e = readdir(list));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        good =
            is_listed(r, folder, sub, e->d_name) || (!*sub && is_subfolder(r, e->d_name) && all_listed(r, e->d_name));
    }
    if (list) closedir(list);
    return good;
}

/* *there: false where there is no such file. `data` is to be freed. */
static bool read_small(const rw_run *r, const char *name, bool *there, char **data, size_t *n)
{
    struct stat info;
    *data = NULL;
    *n = 0;
    *there = fstatat(r->lock, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (!*there) return true;
    int file = rw_open_at(r->lock, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    bool good = file >= 0 && rw_file_read_open(r->ctx, file, name, 1 << 20, data, n) == RW_OK;
    if (file >= 0) close(file);
    return good;
}

static bool few_rows(const rw_run *r)
{
    bool there;
    char *text;
    size_t n, lines = 0;
    bool comment = false;
    bool good = read_small(r, "series.csv", &there, &text, &n);
    for (size_t i = 0; good && i < n; i++) {
        if (i == 0 || text[i - 1] == '\n') comment = text[i] == '#';
        lines += text[i] == '\n' && !comment;
    }
    rw_free(text);
    return good && lines <= LINES;
}

/* A member of run.json is a number of at most `most`. */
static bool is_at_most(const rw_json *json, const char *key, double most)
{
    const rw_json *member = rw_json_get(json, key);
    return member && member->kind == RW_JSON_NUMBER && member->number <= most;
}

static bool counts_nothing(const rw_run *r)
{
    bool there;
    char *text;
    size_t n;
    rw_json *json = NULL;
    bool good = read_small(r, "run.json", &there, &text, &n);
    if (good && there) {
        good = rw_json_parse(r->ctx, text, n, &json) == RW_OK && json->kind == RW_JSON_OBJECT;
        good = good && is_at_most(json, "outputs", 1) && is_at_most(json, "checkpoints", 0);
        rw_json_free(&json);
    }
    rw_free(text);
    return good;
}

bool rw_folder_is_unfinished(rw_run *r)
{
    bool listed = rw_journal_read(r->ctx, r->lock, r->folder, &r->journal) == RW_OK;
    if (listed && all_listed(r, "") && few_rows(r) && counts_nothing(r)) return true;
    rw_journal_free(&r->journal);
    return false;
}
