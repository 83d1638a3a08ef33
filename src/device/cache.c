/* The program cache on disk.
 *
 * Key      SHA-256 of the full text (definitions, dialect, kernel text), the device's identity (hardware, driver,
 *          compiler with version, options, target) and a format number. Whatever the result depends on is in it, so
 *          an entry never has to be changed, only added or removed.
 * Place    $RECHENWERK_CACHE, else $XDG_CACHE_HOME/rechenwerk, else ~/.cache/rechenwerk: a folder of mode 0700 that
 *          belongs to the user; checked before anything in it is loaded. One file a key: KEY.so, KEY.cubin, …
 * Layout   | the compiler's bytes … | SHA-256 of them, 32 | length, 8 | magic "RWKCACH1", 8 |
 *          The trailer is behind the bytes, where an ELF reader does not mind it: the file itself can be opened.
 * Writers  write KEY.so.PID-COUNT.tmp, fsync, rename: two processes at once both succeed, readers see whole entries only.
 * Failure  a missing, short or altered entry, or one that others may write, is "not there": compiled again and replaced. A
 *          folder that cannot be made or is not private is reported once as a warning and the cache is off for this
 *          context. What a crashed writer leaves behind is never read; rw_cache_clear removes it.
 * Tracing  rw_context_set_cache(…, trace): one INFO line a look-up. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device.h"

enum { TRAILER = 48, MAX_ENTRY = 1 << 28 };
static const char magic[8] = {'R', 'W', 'K', 'C', 'A', 'C', 'H', '1'};

static char *default_folder(void)
{
    const char *own = getenv("RECHENWERK_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own && *own) return rw_strdup(own);
    if (xdg && *xdg == '/') return rw_format("%s/rechenwerk", xdg);
    return rw_format("%s/.cache/rechenwerk", home && *home ? home : "/tmp");
}

static char *cache_folder(rw_context *ctx) { return ctx->cache_folder ? rw_strdup(ctx->cache_folder) : default_folder(); }

static bool enabled(const rw_context *ctx) { return __atomic_load_n(&ctx->cache_enabled, __ATOMIC_RELAXED); }

/* Private from its first moment, so that a second process never finds it open to others. */
static rw_status make_folder(rw_context *ctx, const char *folder)
{
    char *parent = rw_strdup(folder);
    if (!parent) return rw_fail_memory(ctx, strlen(folder) + 1, "a path");
    for (size_t n = strlen(parent); n > 1 && parent[n - 1] == '/'; --n) parent[n - 1] = 0;
    char *slash = strrchr(parent, '/');
    rw_status status = RW_OK;
    if (slash && slash != parent) {
        *slash = 0;
        status = rw_folder_create(ctx, parent);
    }
    if (status == RW_OK && mkdir(folder, 0700) != 0 && errno != EEXIST)
        status = rw_fail(ctx, RW_ERR_FILE, "cache folder %s: %s", folder, strerror(errno));
    rw_free(parent);
    return status;
}

/* Private to this user, made when missing. */
static rw_status check_folder(rw_context *ctx, const char *folder)
{
    struct stat st;
    if (stat(folder, &st) != 0) {
        RW_TRY(make_folder(ctx, folder));
        if (stat(folder, &st) != 0) return rw_fail(ctx, RW_ERR_FILE, "cache folder %s: %s", folder, strerror(errno));
    }
    if (!S_ISDIR(st.st_mode)) return rw_fail(ctx, RW_ERR_FILE, "cache folder %s is not a folder", folder);
    if (st.st_uid != geteuid() || (st.st_mode & 022))
        return rw_fail(ctx, RW_ERR_FILE,
                       "cache folder %s may be written by others: chmod 700 it, or set RECHENWERK_CACHE to another",
                       folder);
    return RW_OK;
}

/* The path of an entry; NULL with the cache switched off for the context when the folder will not do. */
static char *entry_path(rw_context *ctx, const char *key, const char *suffix)
{
    char *folder = cache_folder(ctx);
    if (!folder) return NULL;
    char *path = NULL;
    if (check_folder(ctx, folder) == RW_OK) {
        path = rw_format("%s/%s%s", folder, key, suffix);
    } else {
        if (__atomic_exchange_n(&ctx->cache_enabled, false, __ATOMIC_RELAXED)) /* threads may meet here */
            rw_log(ctx, RW_LOG_WARNING, "%s; the program cache is off", rw_message(ctx));
    }
    rw_free(folder);
    return path;
}

/* Cuts the trailer off; false when the entry is not whole. */
static bool check_trailer(char *data, size_t *n)
{
    if (*n < TRAILER || memcmp(data + *n - 8, magic, 8)) return false;
    uint64_t length;
    memcpy(&length, data + *n - 16, 8);
    if (length != *n - TRAILER) return false;
    rw_sha256 s;
    uint8_t digest[32];
    rw_sha256_begin(&s);
    rw_sha256_add(&s, data, length);
    rw_sha256_end(&s, digest);
    if (memcmp(digest, data + length, 32)) return false;
    *n = length;
    return true;
}

rw_status rw_cache_load(rw_context *ctx, const char *key, const char *suffix, rw_text *binary, char **path)
{
    *path = NULL;
    if (!enabled(ctx)) return RW_ERR_UNSUPPORTED;
    char *entry = entry_path(ctx, key, suffix);
    if (!entry) return RW_ERR_UNSUPPORTED;
    char *data = NULL;
    size_t n = 0;
    const char *found = "missing";
    rw_status status = RW_ERR_UNSUPPORTED;
    struct stat st;
    if (stat(entry, &st) == 0) {
        bool own = S_ISREG(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022);
        found = own ? "corrupt" : "not private";
        if (own && rw_file_read(ctx, entry, MAX_ENTRY, &data, &n) == RW_OK && check_trailer(data, &n)) {
            found = "hit";
            rw_text_add_bytes(binary, data, n);
            status = binary->failed ? rw_fail_memory(ctx, n, "a cache entry") : RW_OK;
        }
    }
    if (ctx->cache_trace) rw_log(ctx, RW_LOG_INFO, "cache: %s %.16s… (%s)", found, key, entry);
    rw_free(data);
    if (status == RW_OK) *path = entry;
    else rw_free(entry);
    return status;
}

/* With the cache off the bytes go to a private temporary file that the caller's load may open. */
static rw_status store_temporary(rw_context *ctx, const char *suffix, const rw_text *binary, char **path)
{
    const char *tmp = getenv("TMPDIR");
    char *name = rw_format("%s/rechenwerk-XXXXXX%s", tmp && *tmp ? tmp : "/tmp", suffix);
    if (!name) return rw_fail_memory(ctx, 64, "a path");
    int fd = mkstemps(name, (int)strlen(suffix));
    rw_status status = RW_OK;
    size_t done = 0;
    while (fd >= 0 && done < binary->length) {
        ssize_t n = write(fd, binary->data + done, binary->length - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        done += (size_t)n;
    }
    if (fd < 0 || done < binary->length)
        status = rw_fail(ctx, RW_ERR_FILE, "temporary file %s: %s: set TMPDIR to a folder with room", name,
                         strerror(errno));
    if (fd >= 0) close(fd);
    if (status == RW_OK) *path = name;
    else rw_free(name);
    return status;
}

rw_status rw_cache_store(rw_context *ctx, const char *key, const char *suffix, const rw_text *binary, char **path,
                         bool *temporary)
{
    *path = NULL, *temporary = false;
    char *entry = enabled(ctx) ? entry_path(ctx, key, suffix) : NULL;
    if (!entry) {
        *temporary = true;
        return store_temporary(ctx, suffix, binary, path);
    }
    uint8_t trailer[TRAILER];
    rw_sha256 s;
    uint64_t length = binary->length;
    rw_sha256_begin(&s);
    rw_sha256_add(&s, binary->data, binary->length);
    rw_sha256_end(&s, trailer);
    memcpy(trailer + 32, &length, 8);
    memcpy(trailer + 40, magic, 8);
    rw_text whole = {0};
    rw_text_add_bytes(&whole, binary->data, binary->length);
    rw_text_add_bytes(&whole, (const char *)trailer, TRAILER);
    rw_status status = whole.failed ? rw_fail_memory(ctx, length, "a cache entry")
                                    : rw_file_write(ctx, entry, whole.data, whole.length);
    rw_text_free(&whole);
    if (status == RW_OK) {
        chmod(entry, 0600); /* whatever umask made of it: others never write what is loaded */
        *path = entry;
        return RW_OK;
    }
    rw_log(ctx, RW_LOG_WARNING, "cache: entry not written: %s", rw_message(ctx)); /* a full disk costs time only */
    rw_free(entry);
    *temporary = true;
    return store_temporary(ctx, suffix, binary, path);
}

/* Number of the entries in the folder, their bytes in *bytes; removes them, and what crashed writers left behind. */
static int64_t walk(const char *folder, bool remove, int64_t *bytes)
{
    DIR *d = opendir(folder);
    if (!d) return 0;
    int64_t n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        const char *dot = strchr(e->d_name, '.'), *last = strrchr(e->d_name, '.');
        struct stat st;
        if (!dot || dot - e->d_name != 64 || fstatat(dirfd(d), e->d_name, &st, 0) != 0) continue;
        bool gone = remove && unlinkat(dirfd(d), e->d_name, 0) == 0;
        if (strcmp(last, ".tmp") == 0) continue;
        *bytes += st.st_size;
        if (!remove || gone) ++n;
    }
    closedir(d);
    return n;
}

rw_status rw_cache_describe(rw_context *ctx, rw_cache_info *info)
{
    memset(info, 0, sizeof *info);
    char *folder = cache_folder(ctx);
    if (!folder) return rw_fail_memory(ctx, 64, "a path");
    snprintf(info->folder, sizeof info->folder, "%s", folder);
    info->entries = walk(folder, false, &info->bytes);
    rw_free(folder);
    return RW_OK;
}

rw_status rw_cache_clear(rw_context *ctx, int64_t *removed)
{
    int64_t bytes = 0;
    char *folder = cache_folder(ctx);
    if (!folder) return rw_fail_memory(ctx, 64, "a path");
    *removed = walk(folder, true, &bytes);
    rw_free(folder);
    return RW_OK;
}
