/* The program cache on disk.
 *
 * Key      SHA-256 of the full text (definitions, dialect, kernel text), the device's identity (hardware, driver,
 *          compiler with version, options, target) and a format number. Whatever the result depends on is in it, so
 *          an entry never has to be changed, only added or removed.
 * Place    $RECHENWERK_CACHE, else $XDG_CACHE_HOME/rechenwerk, else $HOME/.cache/rechenwerk; none of them: no cache.
 *          One file per key: KEY.so, KEY.cubin, …
 * Trust    An entry is executed, so nobody else may be able to put one there (safe_folder, rw_cache_load):
 *          the folder has mode 0700 and belongs to the user; every folder above it belongs to the user or root and
 *          is not writable by others (or is sticky, like /tmp); an entry is opened once, without following a link,
 *          and owner, mode and checksum are those of the open file. The bytes that were checked are what is loaded.
 * Layout   | the compiler's bytes … | SHA-256, 32 | length, 8 | magic "RWKCACH2", 8 |
 *          The hash covers magic, key, suffix, length and bytes: an entry copied to another name is not valid there.
 * Writers write KEY.so.PID-COUNT.tmp, fsync, rename: two processes at once both succeed, readers see whole entries
 * only. Failure a missing, short or altered entry, or one that others may write, is "not there": compiled again and
 * replaced. A
 *          folder that cannot be made or is not private is reported once as a warning and the cache is off for this
 *          context. What a killed writer leaves is never read; it has no lock, so the first process
 *          that uses the folder next removes it, as rw_cache_clear does.
 * Tracing  rw_context_set_cache(…, trace): one INFO line per look-up. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/temporary.h"
#include "device/device.h"

enum { HASH = 32, TRAILER = HASH + 8 + 8, MAX_ENTRY = 1 << 28 };
static const char magic[8] = {'R', 'W', 'K', 'C', 'A', 'C', 'H', '2'};

/* ---- place ----------------------------------------------------------------------------------------------------- */

/* The folder that the environment names (to be freed); NULL with *none when it names none. */
static char *cache_folder(const rw_context *ctx, bool *none)
{
    const char *own = getenv("RECHENWERK_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    *none = false;
    if (ctx->cache_folder) return rw_strdup(ctx->cache_folder);
    if (own && *own) return rw_strdup(own);
    if (xdg && *xdg == '/') return rw_format("%s/rechenwerk", xdg);
    if (home && *home == '/') return rw_format("%s/.cache/rechenwerk", home);
    *none = true;
    return NULL;
}

static bool enabled(const rw_context *ctx) { return __atomic_load_n(&ctx->cache_enabled, __ATOMIC_RELAXED); }

/* Is the group the user's own (of the same name, without other members)? Where the umask is 002, new folders are
 * writable by it. */
static bool private_group(gid_t gid)
{
    char users[4096], groups[4096];
    struct passwd user, *u = NULL;
    struct group group, *g = NULL;
    if (getpwuid_r(geteuid(), &user, users, sizeof users, &u) != 0 || !u) return false;
    if (getgrgid_r(gid, &group, groups, sizeof groups, &g) != 0 || !g) return false;
    if (gid != user.pw_gid || strcmp(group.gr_name, user.pw_name) != 0) return false;
    for (char **member = group.gr_mem; *member; ++member)
        if (strcmp(*member, user.pw_name) != 0) return false;
    return true;
}

/* May another user replace what lies in this folder? In a sticky folder only the owner of an entry may. */
static bool open_to_others(const struct stat *st)
{
    if ((st->st_mode & 022) == 0 || (st->st_mode & S_ISVTX)) return false;
    return (st->st_mode & 002) || !private_group(st->st_gid);
}

/* Every folder above `path` (absolute, without links). */
static rw_status check_parents(rw_context *ctx, const char *path)
{
    char *parent = rw_strdup(path), *slash;
    if (!parent) return rw_fail_memory(ctx, strlen(path) + 1, "a path");
    rw_status status = RW_OK;
    while (status == RW_OK && (slash = strrchr(parent, '/')) && strcmp(parent, "/") != 0) {
        slash[slash == parent] = 0;
        struct stat st;
        if (lstat(parent, &st) != 0)
            status = rw_fail(ctx, RW_ERR_FILE, "cache folder %s: %s: %s", path, parent, strerror(errno));
        else if (st.st_uid != geteuid() && st.st_uid != 0)
            status = rw_fail(ctx, RW_ERR_FILE,
                             "cache folder %s lies in %s, which belongs to another user (uid %ld), who could replace "
                             "it: set RECHENWERK_CACHE to a folder of your own",
                             path, parent, (long)st.st_uid);
        else if (open_to_others(&st))
            status = rw_fail(
                ctx, RW_ERR_FILE,
                "cache folder %s lies in %s, which other users can write to (mode %03o): run chmod go-w on it, or "
                "set RECHENWERK_CACHE to another folder",
                path, parent, (unsigned)st.st_mode & 07777);
    }
    rw_free(parent);
    return status;
}

/* The folder without links (to be freed), made when missing, open in *fd; it and all above it are safe. */
static rw_status safe_folder(rw_context *ctx, const char *folder, char **real, int *fd)
{
    *real = NULL;
    *fd = -1;
    char *resolved = realpath(folder, NULL);
    if (!resolved) {
        RW_TRY(rw_folder_create_private(ctx, folder));
        resolved = realpath(folder, NULL);
    }
    if (!resolved) return rw_fail(ctx, RW_ERR_FILE, "cache folder %s: %s", folder, strerror(errno));
    *real = rw_strdup(resolved);
    free(resolved);
    if (!*real) return rw_fail_memory(ctx, strlen(folder) + 1, "a path");
    struct stat st;
    rw_status status = RW_OK;
    *fd = rw_open(*real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (*fd < 0)
        status = rw_fail(ctx, RW_ERR_FILE, "cache folder %s%s%s", folder, errno == ENOTDIR ? "" : ": ",
                         errno == ENOTDIR ? " is not a folder" : strerror(errno));
    else if (fstat(*fd, &st) != 0) status = rw_fail(ctx, RW_ERR_FILE, "cache folder %s: %s", folder, strerror(errno));
    else if (st.st_uid != geteuid())
        status = rw_fail(ctx, RW_ERR_FILE,
                         "cache folder %s belongs to another user (uid %ld): set RECHENWERK_CACHE to a folder of your "
                         "own",
                         folder, (long)st.st_uid);
    else if (st.st_mode & 022)
        status = rw_fail(
            ctx, RW_ERR_FILE,
            "other users can write to cache folder %s: run chmod 700 on it, or set RECHENWERK_CACHE to another folder",
            folder);
    else status = check_parents(ctx, *real);
    if (status == RW_OK) return RW_OK;
    if (*fd >= 0) close(*fd);
    rw_free(*real);
    *real = NULL;
    *fd = -1;
    return status;
}

/* Where the suffix of an entry begins; NULL: the file is not of the cache. */
static const char *dot_of(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot && dot - name == 64 ? dot : NULL;
}

/* Once per process: what killed processes have left in the open folder and as temporary folders. */
static void sweep(int folder)
{
    static bool swept;
    if (__atomic_exchange_n(&swept, true, __ATOMIC_RELAXED)) return;
    rw_temporary_sweep();
    DIR *d = fdopendir(rw_open_at(folder, ".", O_RDONLY | O_DIRECTORY, 0));
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));)
        if (dot_of(e->d_name) && rw_ends_in(e->d_name, ".tmp")) rw_file_sweep(folder, e->d_name);
    closedir(d);
}

/* The path of an entry (to be freed) and its open folder. RW_ERR_UNSUPPORTED when there is no cache, which a folder
 * that will not do switches off for the context; RW_ERR_MEMORY leaves it on. */
static rw_status entry_path(rw_context *ctx, const char *key, const char *suffix, char **path, int *fd)
{
    bool none;
    *path = NULL;
    *fd = -1;
    if (!enabled(ctx)) return RW_ERR_UNSUPPORTED;
    char *folder = cache_folder(ctx, &none), *real = NULL;
    /* no home: programs stay in memory */
    if (!folder) return none ? RW_ERR_UNSUPPORTED : rw_fail_memory(ctx, 256, "a path");
    rw_status status = safe_folder(ctx, folder, &real, fd);
    if (status == RW_OK) {
        *path = rw_format("%s/%s%s", real, key, suffix);
        if (!*path) {
            close(*fd);
            *fd = -1;
            status = rw_fail_memory(ctx, 256, "a path");
        }
    } else if (status != RW_ERR_MEMORY) {
        if (__atomic_exchange_n(&ctx->cache_enabled, false, __ATOMIC_RELAXED)) /* threads may meet here */
            rw_log(ctx, RW_LOG_WARNING, "%s; the program cache is off", rw_message(ctx));
        status = RW_ERR_UNSUPPORTED;
    }
    rw_free(real);
    rw_free(folder);
    if (status == RW_OK) sweep(*fd);
    return status;
}

/* ---- entries --------------------------------------------------------------------------------------------------- */

static void make_trailer(const char *key, const char *suffix, const void *data, uint64_t n, uint8_t trailer[TRAILER])
{
    rw_sha256 s;
    rw_sha256_begin(&s);
    rw_sha256_add(&s, magic, sizeof magic);
    rw_sha256_add(&s, key, strlen(key) + 1);
    rw_sha256_add(&s, suffix, strlen(suffix) + 1);
    rw_sha256_add(&s, &n, sizeof n);
    rw_sha256_add(&s, data, n);
    rw_sha256_end(&s, trailer);
    memcpy(trailer + HASH, &n, sizeof n);
    memcpy(trailer + HASH + 8, magic, sizeof magic);
}

/* Cuts the trailer off; false when the bytes are not a whole entry of this key. */
static bool check_trailer(const char *key, const char *suffix, const char *data, size_t *n)
{
    uint8_t expected[TRAILER];
    if (*n < TRAILER) return false;
    make_trailer(key, suffix, data, *n - TRAILER, expected);
    if (memcmp(data + *n - TRAILER, expected, TRAILER)) return false;
    *n -= TRAILER;
    return true;
}

/* The whole of an open file that only its owner may write; NULL with the reason in *found, *status RW_ERR_MEMORY where
 * that is the reason. */
static char *read_entry(rw_context *ctx, int fd, size_t *n, const char **found, rw_status *status)
{
    struct stat st;
    char *data = NULL;
    *found = "not private";
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022)) return NULL;
    *found = "corrupt";
    rw_status read = rw_file_read_open(ctx, fd, "a cache entry", MAX_ENTRY, &data, n);
    if (read == RW_ERR_MEMORY) {
        *status = read;
        *found = "out of memory";
    }
    return read == RW_OK ? data : NULL;
}

rw_status rw_cache_load(rw_context *ctx, const char *key, const char *suffix, rw_text *binary)
{
    int folder;
    char *entry, *data = NULL;
    RW_TRY(entry_path(ctx, key, suffix, &entry, &folder));
    size_t n = 0;
    const char *found = "missing";
    rw_status status = RW_ERR_UNSUPPORTED;
    int fd = rw_open_at(folder, strrchr(entry, '/') + 1, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd >= 0) {
        data = read_entry(ctx, fd, &n, &found, &status);
        close(fd);
    } else if (errno != ENOENT) {
        found = errno == ELOOP ? "not private" : "corrupt"; /* ELOOP: a link */
    }
    if (data && check_trailer(key, suffix, data, &n)) {
        found = "hit";
        rw_text_add_bytes(binary, data, n);
        status = binary->failed ? rw_fail_memory(ctx, n, "a cache entry") : RW_OK;
    }
    if (ctx->cache_trace) rw_log(ctx, RW_LOG_INFO, "cache: %s %.16s… (%s)", found, key, entry);
    close(folder);
    rw_free(data);
    rw_free(entry);
    return status;
}

void rw_cache_store(rw_context *ctx, const char *key, const char *suffix, const rw_text *binary)
{
    int folder;
    char *entry;
    if (entry_path(ctx, key, suffix, &entry, &folder) != RW_OK) return;
    close(folder); /* the path stays the folder's: nobody else may change what leads to it */
    uint8_t trailer[TRAILER];
    rw_text whole = {0};
    make_trailer(key, suffix, binary->data, binary->length, trailer);
    rw_text_add_bytes(&whole, binary->data, binary->length);
    rw_text_add_bytes(&whole, (const char *)trailer, TRAILER);
    rw_status status = whole.failed ? rw_fail_memory(ctx, binary->length, "a cache entry")
                                    : rw_file_write_private(ctx, entry, whole.data, whole.length);
    if (status != RW_OK) /* a full disk costs time only */
        rw_log(ctx, RW_LOG_WARNING, "cache: entry not written: %s", rw_message(ctx));
    rw_text_free(&whole);
    rw_free(entry);
}

/* ---- describe, clear ------------------------------------------------------------------------------------------- */

/* Number of the entries in the folder, their bytes in *bytes; removes them, and files that crashed writers left. */
static int64_t walk(const char *folder, bool remove, int64_t *bytes)
{
    DIR *d = fdopendir(rw_open(folder, O_RDONLY | O_DIRECTORY, 0));
    if (!d) return 0;
    int64_t n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        const char *dot = dot_of(e->d_name), *last = strrchr(e->d_name, '.');
        struct stat st;
        if (!dot || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
        bool gone = remove && unlinkat(dirfd(d), e->d_name, 0) == 0;
        if (strcmp(last, ".tmp") == 0) continue;
        *bytes += st.st_size;
        if (!remove || gone) ++n;
    }
    closedir(d);
    return n;
}

static rw_status cache_describe(rw_context *ctx, rw_cache_info *info)
{
    bool none;
    memset(info, 0, sizeof *info);
    char *folder = cache_folder(ctx, &none);
    if (!folder) return none ? RW_OK : rw_fail_memory(ctx, 64, "a path");
    snprintf(info->folder, sizeof info->folder, "%s", folder);
    info->entries = walk(folder, false, &info->bytes);
    rw_free(folder);
    return RW_OK;
}

rw_status rw_cache_describe_sized(rw_context *ctx, rw_cache_info *info, size_t info_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(info, "info");
    RW_STRUCT_ROOM(rw_cache_info, info, info_size);
    return RW_STRUCT_OUT(cache_describe(ctx, info_whole), info, info_size);
}

rw_status rw_cache_clear(rw_context *ctx, int64_t *removed)
{
    RW_NEED(ctx, "context");
    RW_NEED(removed, "removed");
    bool none;
    int64_t bytes = 0;
    *removed = 0;
    char *folder = cache_folder(ctx, &none);
    if (!folder) return none ? RW_OK : rw_fail_memory(ctx, 64, "a path");
    *removed = walk(folder, true, &bytes);
    rw_free(folder);
    return RW_OK;
}

void rw_program_compiled(rw_program *p, const rw_text *binary, double seconds)
{
    rw_device *dev = p->device;
    const char *suffix = rw_program_suffix(p);
    rw_log(dev->ctx, RW_LOG_INFO, "%s: compiled %s in %.3g s%s", dev->info.name, p->name, seconds,
           p->quick ? ", not optimised" : "");
    if (!p->makeshift && *suffix) rw_cache_store(dev->ctx, p->key, suffix, binary);
}
