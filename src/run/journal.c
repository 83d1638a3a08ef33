/* The list of files that runs have written (see journal.h), with a hash table for the question whether a name is in
 * it. */
#include "run/journal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run/writers.h"

#define HEAD "rechenwerk files "
enum { NAME = 250 }; /* longest name of a file, as most file systems have it */

#define X(name, folder, files, index, line) folder,
const char *const rw_journal_folders[] = {RW_FIELD_WRITERS(X) "figures", "probes", NULL};
#undef X

/* Names between blanks. */
#define X(name, folder, files, index, line) index " "
static const char top[] = " settings.yaml run.json log.jsonl series.csv series.json checkpoint.h5 " RW_FIELD_WRITERS(X);
#undef X

/* Without what is not a letter, a digit, '-', '_' or '.'. */
void rw_picture_name(const char *name, char *file, size_t size)
{
    size_t n = 0;
    for (const char *p = name; *p && n + 1 < size; p++) {
        bool good = isalnum((unsigned char)*p) || *p == '-' || *p == '_' || (*p == '.' && n > 0);
        if (good) file[n++] = *p;
        else if (n > 0 && file[n - 1] != '_') file[n++] = '_';
    }
    while (n > 0 && file[n - 1] == '_') n--;
    if (n == 0 && size > 1) file[n++] = '_';
    file[n] = '\0';
}

bool rw_journal_is_of(const char *folder, const char *rest)
{
#define X(name, folder, files, index, line) {folder, files},
    static const char *const table[][2] = {RW_FIELD_WRITERS(X)};
#undef X
    for (int w = 0; w < RW_COUNT(table); w++) {
        if (strcmp(table[w][0], folder) != 0) continue;
        for (const char *p = table[w][1]; *p; p += strspn(p, " ")) {
            char pattern[40];
            const size_t n = strcspn(p, " ");
            snprintf(pattern, sizeof(pattern), "%.*s", (int)n, p);
            if (fnmatch(pattern, rest, 0) == 0) return true;
            p += n;
        }
    }
    return false;
}

bool rw_journal_split(const char *name, const char **folder, const char **base)
{
    const char *slash = strchr(name, '/');
    *folder = NULL;
    *base = name;
    if (!slash) {
        const size_t n = strlen(name);
        for (const char *p = top; n && (p = strstr(p, name)); p++)
            if (p > top && p[-1] == ' ' && p[n] == ' ') return !strchr(name, ' ');
        return false;
    }
    for (int i = 0; rw_journal_folders[i]; i++)
        if (strncmp(name, rw_journal_folders[i], (size_t)(slash - name)) == 0 &&
            strlen(rw_journal_folders[i]) == (size_t)(slash - name))
            *folder = rw_journal_folders[i];
    *base = slash + 1;
    if (!*folder || strchr(*base, '/') || strlen(*base) > NAME) return false;
    return strcmp(*base, ".") != 0 && strcmp(*base, "..") != 0;
}

static rw_status fail(rw_context *ctx, const char *where, const char *what, int reason)
{
    return rw_fail(ctx, RW_ERR_FILE,
                   "results folder '%s': cannot %s '" RW_JOURNAL_FILE "': %s: choose another folder "
                   "with rw_run_options.folder",
                   where, what, strerror(reason));
}

/* ---- the set of names -------------------------------------------------------------------------------------------- */

/* FNV-1a */
static uint32_t hash(const char *name)
{
    uint32_t h = 2166136261u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

/* The slot of the name, or the free one where it belongs. */
static int find(const rw_journal *j, const char *name)
{
    int i = (int)(hash(name) & (uint32_t)(j->nslots - 1));
    while (j->slot[i] && strcmp(j->name[j->slot[i] - 1], name) != 0) i = (i + 1) & (j->nslots - 1);
    return i;
}

bool rw_journal_has(const rw_journal *j, const char *name) { return j->nslots > 0 && j->slot[find(j, name)] != 0; }

static bool grow(rw_journal *j)
{
    if (!rw_grow(&j->name, &j->capacity, j->n + 1, sizeof(*j->name))) return false;
    if (2 * (j->n + 1) <= j->nslots) return true;
    int n = j->nslots ? 2 * j->nslots : 64;
    int *slot = rw_calloc((size_t)n, sizeof(*slot));
    if (!slot) return false;
    rw_free(j->slot);
    j->slot = slot;
    j->nslots = n;
    for (int i = 0; i < j->n; i++) j->slot[find(j, j->name[i])] = i + 1;
    return true;
}

static rw_status remember(rw_journal *j, const char *name)
{
    char *copy = grow(j) ? rw_strdup(name) : NULL;
    if (!copy) return rw_fail_memory(j->ctx, strlen(name) + 1, RW_JOURNAL_FILE);
    j->slot[find(j, name)] = j->n + 1;
    j->name[j->n++] = copy;
    return RW_OK;
}

void rw_journal_free(rw_journal *j)
{
    if (j->head && j->file >= 0) close(j->file);
    for (int i = 0; i < j->n; i++) rw_free(j->name[i]);
    rw_free(j->name);
    rw_free(j->slot);
    rw_free(j->head);
    *j = (rw_journal){.file = -1};
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* The whole file as a text; *text NULL: there is none. */
static rw_status read_file(rw_context *ctx, int folder, const char *where, char **text, size_t *n)
{
    struct stat info;
    *text = NULL;
    int file = rw_open_at(folder, RW_JOURNAL_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (file < 0) return errno == ENOENT ? RW_OK : fail(ctx, where, "read", errno);
    rw_status status = RW_OK;
    bool good = !rw_fault_hit(RW_FAULT_READ) && fstat(file, &info) == 0 && S_ISREG(info.st_mode);
    if (!good) status = fail(ctx, where, "read", EIO);
    size_t size = good ? (size_t)info.st_size : 0, done = 0;
    if (good && !(*text = rw_calloc(size + 1, 1))) status = rw_fail_memory(ctx, size + 1, RW_JOURNAL_FILE);
    while (status == RW_OK && done < size) {
        ssize_t got = read(file, *text + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) status = fail(ctx, where, "read", errno);
        if (got <= 0) break;
        done += (size_t)got;
    }
    close(file);
    *n = done;
    return status;
}

rw_status rw_journal_read(rw_context *ctx, int folder, const char *where, rw_journal *j)
{
    char *text;
    size_t n;
    const char *sub, *base;
    *j = (rw_journal){.ctx = ctx, .file = -1};
    rw_status status = read_file(ctx, folder, where, &text, &n);
    if (status != RW_OK || !text) goto done;
    for (char *line = text, *end; status == RW_OK && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        bool head = line == text,
             good = head ? strncmp(line, HEAD, strlen(HEAD)) == 0 : rw_journal_split(line, &sub, &base);
        if (!good)
            status = rw_fail(ctx, RW_ERR_INPUT,
                             "results folder '%s': '" RW_JOURNAL_FILE "' is not the list of files that "
                             "a run has written ('%.60s'): choose another folder with rw_run_options.folder",
                             where, line);
        else if (head && !(j->head = rw_strdup(line))) status = rw_fail_memory(ctx, strlen(line), RW_JOURNAL_FILE);
        j->bytes = (size_t)(end + 1 - text);
        if (good && !head && status == RW_OK && !rw_journal_has(j, line)) status = remember(j, line);
    }
    if (status == RW_OK && n > 0 && !j->head)
        status = rw_fail(ctx, RW_ERR_INPUT,
                         "results folder '%s': '" RW_JOURNAL_FILE "' has no first line: remove it, or choose "
                         "another folder with rw_run_options.folder",
                         where);
done:
    rw_free(text);
    if (status != RW_OK) rw_journal_free(j);
    return status;
}

rw_status rw_journal_create(rw_context *ctx, int folder, const char *where, const rw_journal *from, rw_journal *j)
{
    static const char temporary[] = RW_JOURNAL_FILE ".new";
    struct timespec now;
    struct tm utc;
    char when[32] = "";
    rw_text text = {0};
    *j = (rw_journal){.ctx = ctx, .file = -1};
    clock_gettime(CLOCK_REALTIME, &now);
    if (gmtime_r(&now.tv_sec, &utc)) strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &utc);
    j->head = from ? rw_strdup(from->head) : rw_format(HEAD "%s %ld %ld", when, (long)getpid(), now.tv_nsec);
    if (j->head) rw_text_add(&text, "%s\n", j->head);
    rw_status status = RW_OK;
    for (int i = 0; from && i < from->n && status == RW_OK; i++) {
        rw_text_add(&text, "%s\n", from->name[i]);
        status = remember(j, from->name[i]);
    }
    if (status == RW_OK && (!j->head || text.failed)) status = rw_fail_memory(ctx, text.length, RW_JOURNAL_FILE);
    if (status != RW_OK) goto done;
    unlinkat(folder, temporary, 0);
    j->file = rw_open_at(folder, temporary, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
    bool good = j->file >= 0 && rw_write_all(j->file, text.data, text.length);
    if (good) good = renameat(folder, temporary, folder, RW_JOURNAL_FILE) == 0;
    if (!good) status = fail(ctx, where, "write", errno);
    if (!good && j->file >= 0) unlinkat(folder, temporary, 0);
done:
    rw_text_free(&text);
    if (status != RW_OK) rw_journal_free(j);
    return status;
}

rw_status rw_journal_continue(int folder, const char *where, rw_journal *j)
{
    j->file = rw_open_at(folder, RW_JOURNAL_FILE, O_WRONLY | O_APPEND | O_NOFOLLOW, 0);
    struct stat info;
    bool good = j->file >= 0 && fstat(j->file, &info) == 0;
    if (good && (size_t)info.st_size > j->bytes) good = ftruncate(j->file, (off_t)j->bytes) == 0;
    return good ? RW_OK : fail(j->ctx, where, "write", errno);
}

rw_status rw_journal_add(rw_journal *j, const char *where, const char *name)
{
    if (rw_journal_has(j, name)) return RW_OK;
    struct stat info;
    char line[2 * NAME];
    int n = snprintf(line, sizeof(line), "%s\n", name);
    RW_TRY(remember(j, name));
    off_t before = fstat(j->file, &info) == 0 ? info.st_size : -1;
    if (rw_write_all(j->file, line, (size_t)n)) return RW_OK;
    int reason = errno;
    if (before >= 0) (void)!ftruncate(j->file, before); /* half a line must not join the next one */
    j->slot[find(j, name)] = 0;
    rw_free(j->name[--j->n]);
    return fail(j->ctx, where, "write", reason);
}
