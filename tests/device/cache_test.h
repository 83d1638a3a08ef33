/* What the tests of the program cache share: a cache in a folder of their own under $TMPDIR, its log, and a program. */
#ifndef RW_CACHE_TEST_H
#define RW_CACHE_TEST_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../devices.h"

extern char **environ;

static char root[200];  /* everything lies in here */
static char cache[256]; /* root/cache */
static char log_text[16384];
static int ncorrupt; /* lines of a kind that there may be many of */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static inline void keep_log(void *user, rw_log_level level, const char *text)
{
    (void)user;
    pthread_mutex_lock(&log_lock);
    size_t n = strlen(log_text);
    ncorrupt += !strncmp(text, "cache: corrupt", 14);
    snprintf(log_text + n, sizeof log_text - n, "%s %s\n", level == RW_LOG_WARNING ? "warning" : "line", text);
    pthread_mutex_unlock(&log_lock);
}

static inline int lines(const char *part)
{
    int n = 0;
    for (const char *s = log_text; (s = strstr(s, part)); s += strlen(part)) ++n;
    return n;
}

__attribute__((noinline)) static void remove_tree(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        char inner[4096];
        struct stat st;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        if (lstat(inner, &st) == 0 && S_ISDIR(st.st_mode)) remove_tree(inner);
        else unlink(inner);
    }
    if (d) closedir(d);
    rmdir(path);
}

static inline int setup(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(root, sizeof root, "%.150s/rw-cache-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(root)) return -1;
    snprintf(cache, sizeof cache, "%s/cache", root);
    log_text[0] = 0;
    if (rw_context_create(&ctx) != RW_OK) return -1;
    rw_context_set_log(ctx, RW_LOG_INFO, keep_log, NULL);
    return rw_context_set_cache(ctx, true, cache, true) == RW_OK ? 0 : -1;
}

static inline int teardown(void **state)
{
    (void)state;
    for (int kind = 0; kind < RW_FAULT_KINDS; ++kind) rw_fault_set((rw_fault)kind, 0);
    rw_context_destroy(&ctx);
    remove_tree(root);
    return 0;
}

static const char any_key[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/* ---- a program, on a device opened for it ------------------------------------------------------------------------ */

static const char text[] = "KERNEL(k, GLOBAL f64 *y, f64 a) { EACH(i, 1) { y[i] = a + VALUE; } }\n";

static inline rw_program *make_with(const char *source, const char *value, const char *group)
{
    rw_program *p;
    OK(rw_program_create(dev, "cached", source, (rw_define[]){{"GROUP", group}, {"VALUE", value}}, 2, &p));
    return p;
}

/* Opens the device, makes the program, runs it and closes all: {compilations, hits}. */
static inline void use(const char *device, const char *value, int expected_compilations, int expected_hits,
                       char key[65])
{
    OK(rw_device_open(ctx, device, &dev));
    rw_program *p = make_with(text, value, "8");
    rw_array *y = new_array(RW_F64, 1, RW_MEMORY_DEVICE);
    OK(launch1(rw_device_queue(dev), kernel_of(p, "k"), 1, (rw_arg[]){rw_arg_array(y), rw_arg_real(0.5)}, 2));
    assert_true(numbers_of(y)[0] == 0.5 + atof(value));
    rw_counters c = counters();
    if (key) memcpy(key, p->key, 65);
    rw_array_destroy(&y);
    rw_program_destroy(&p);
    rw_device_close(&dev);
    if (c.compilations != expected_compilations || c.cache_hits != expected_hits)
        fail_msg("%s: %d compilations, %d hits; expected %d, %d\n%s", device, (int)c.compilations, (int)c.cache_hits,
                 expected_compilations, expected_hits, log_text);
}

static inline rw_cache_info info(void)
{
    rw_cache_info i;
    OK(rw_cache_describe(ctx, &i));
    return i;
}

static inline void write_file(const char *path, const char *data, size_t n)
{
    unlink(path); /* never into a file that may be mapped */
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0600), 0);
}

static inline mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 0777;
}

static inline int files_in(const char *path, const char *part)
{
    DIR *d = opendir(path);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.' && strstr(e->d_name, part);
    if (d) closedir(d);
    return n;
}

#endif
