/* The program cache on disk: what is in the key, hits in a second process, damaged entries, folders that will not do,
 * several writers at once, crashes and full disks. All in folders of its own under $TMPDIR. */
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

static char root[200];    /* everything lies in here */
static char cache[256];   /* root/cache */
static char log_text[16384];
static int ncorrupt;      /* lines of a kind that there may be many of */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static void keep_log(void *user, rw_log_level level, const char *text)
{
    (void)user;
    pthread_mutex_lock(&log_lock);
    size_t n = strlen(log_text);
    ncorrupt += !strncmp(text, "cache: corrupt", 14);
    snprintf(log_text + n, sizeof log_text - n, "%s %s\n", level == RW_LOG_WARNING ? "warning" : "line", text);
    pthread_mutex_unlock(&log_lock);
}

static int lines(const char *part)
{
    int n = 0;
    for (const char *s = log_text; (s = strstr(s, part)); s += strlen(part)) ++n;
    return n;
}

static void remove_tree(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        char inner[1024];
        struct stat st;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        if (lstat(inner, &st) == 0 && S_ISDIR(st.st_mode)) remove_tree(inner);
        else unlink(inner);
    }
    if (d) closedir(d);
    rmdir(path);
}

static int setup(void **state)
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

static int teardown(void **state)
{
    (void)state;
    for (int kind = 0; kind < RW_FAULT_KINDS; ++kind) rw_fault_set((rw_fault)kind, 0);
    rw_context_destroy(&ctx);
    remove_tree(root);
    return 0;
}

/* ---- a program, on a device opened for it ----------------------------------------------------------------------------- */

static const char text[] = "KERNEL(k, GLOBAL f64 *y, f64 a) { EACH(i, 1) { y[i] = a + VALUE; } }\n";

static rw_program *make_with(const char *source, const char *value, const char *group)
{
    rw_program *p;
    OK(rw_program_create(dev, "cached", source, (rw_define[]){{"GROUP", group}, {"VALUE", value}}, 2, &p));
    return p;
}

/* Opens the device, makes the program, runs it and closes all: {compilations, hits}. */
static void use(const char *device, const char *value, int expected_compilations, int expected_hits, char key[65])
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

static rw_cache_info info(void)
{
    rw_cache_info i;
    OK(rw_cache_describe(ctx, &i));
    return i;
}

static void write_file(const char *path, const char *data, size_t n)
{
    unlink(path); /* never into a file that may be mapped */
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0600), 0);
}

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 0777;
}

static int files_in(const char *path, const char *part)
{
    DIR *d = opendir(path);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.' && strstr(e->d_name, part);
    if (d) closedir(d);
    return n;
}

/* ---- hits ----------------------------------------------------------------------------------------------------------------- */

static void test_second_use_is_a_hit(void **state)
{
    (void)state;
    static const struct { const char *device, *suffix; } kinds[] = {{"cpu", ".so"}, {"check", ".so"}, {"opencl:0", ".clbin"}, {"cuda:0", ".cubin"}};
    char keys[RW_COUNT(kinds)][65] = {""};
    int n = 0;
    for (int i = 0; i < RW_COUNT(kinds); ++i) {
        rw_device *d;
        if (rw_device_open(ctx, kinds[i].device, &d) != RW_OK) continue;
        rw_device_close(&d);
        log_text[0] = 0;
        use(kinds[i].device, "1", 1, 0, keys[i]);
        assert_int_equal(lines("cache: missing"), 1);
        use(kinds[i].device, "1", 0, 1, NULL);
        assert_int_equal(lines("cache: hit"), 1);
        char part[1024];
        snprintf(part, sizeof part, "cache: hit %.16s… (%s/%s%s)", keys[i], cache, keys[i], kinds[i].suffix);
        assert_int_equal(lines(part), 1);
        snprintf(part, sizeof part, "%s%s", keys[i], kinds[i].suffix);
        assert_int_equal(files_in(cache, part), 1);
        assert_int_equal(info().entries, ++n);
        for (int j = 0; j < i; ++j) assert_string_not_equal(keys[i], keys[j]);
    }
    assert_int_equal(lines("warning"), 0);
    assert_int_equal(mode_of(cache), 0700);
}

/* This program again, as another process: see main. Gives what wait says. */
static int run_child(const char *job, const char *const *more)
{
    const char *argv[8] = {"test_cache", job, cache, NULL};
    for (int i = 0; more && more[i]; ++i) argv[3 + i] = more[i];
    pid_t pid;
    int status;
    if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, (char *const *)(uintptr_t)argv, environ) != 0) return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return status;
}

static void test_second_process_is_a_hit(void **state)
{
    (void)state;
    use("cpu", "1", 1, 0, NULL);
    assert_int_equal(run_child("hit", NULL), 0);
}

/* ---- the key ---------------------------------------------------------------------------------------------------------------- */

static void key_of(const char *device, const char *name, const char *source, const rw_define *defines, int n, char key[65])
{
    rw_program *p;
    OK(rw_device_open(ctx, device, &dev));
    OK(rw_program_create(dev, name, source, defines, n, &p));
    memcpy(key, p->key, 65);
    rw_program_destroy(&p);
    rw_device_close(&dev);
}

static void test_whatever_matters_is_in_the_key(void **state)
{
    (void)state;
    enum { KEYS = 9 };
    char keys[KEYS][65], again[65], script[300], order[65];
    const rw_define plain[] = {{"GROUP", "8"}, {"VALUE", "1"}, {"MORE", "2"}};
    key_of("cpu", "n", text, plain, 2, keys[0]);
    key_of("cpu", "n", text, (rw_define[]){{"GROUP", "8"}, {"VALUE", "2"}}, 2, keys[1]);
    key_of("cpu", "n", text, (rw_define[]){{"GROUP", "9"}, {"VALUE", "1"}}, 2, keys[2]);
    key_of("cpu", "n", text, plain, 3, keys[3]);
    key_of("cpu", "n", "KERNEL(k, GLOBAL f64 *y, f64 a) { EACH(i, 1) { y[i] = a + VALUE; } } \n", plain, 2, keys[4]);
    key_of("cpu", "n", text, (rw_define[]){{"GROUP", "8"}, {"VALUE", "1"}, {"REAL", "f32"}}, 3, keys[5]);
    rw_context_set_reproducible(ctx, true);
    key_of("cpu", "n", text, plain, 2, keys[6]);
    rw_context_set_reproducible(ctx, false);
    key_of("check", "n", text, plain, 2, keys[7]);
    /* another compiler: a script that calls the first */
    snprintf(script, sizeof script, "%s/other-cc", root);
    write_file(script, "#!/bin/sh\nexec cc \"$@\"\n", 22);
    assert_int_equal(chmod(script, 0755), 0);
    setenv("RECHENWERK_CC", script, 1);
    key_of("cpu", "n", text, plain, 2, keys[8]);
    for (int i = 0; i < KEYS; ++i) {
        assert_int_equal(strlen(keys[i]), 64);
        assert_int_equal(strspn(keys[i], "0123456789abcdef"), 64);
        for (int j = 0; j < i; ++j)
            if (!strcmp(keys[i], keys[j])) fail_msg("keys %d and %d are equal", i, j);
    }
    /* the same compiler, installed anew */
    const struct timespec times[2] = {{0, 0}, {1000000000, 5}};
    assert_int_equal(utimensat(AT_FDCWD, script, times, 0), 0);
    key_of("cpu", "n", text, plain, 2, again);
    assert_string_not_equal(again, keys[8]);
    unsetenv("RECHENWERK_CC");
    /* what does not matter is not in it: threads, place of the cache, another context */
    key_of("cpu", "n", text, plain, 2, again);
    assert_string_equal(again, keys[0]);
    key_of("cpu:1", "n", text, plain, 2, again);
    assert_string_equal(again, keys[0]);
    OK(rw_context_set_cache(ctx, false, NULL, false));
    key_of("cpu:2", "n", text, plain, 2, again);
    assert_string_equal(again, keys[0]);
    /* the name stands in messages of the compiler, the order of definitions may matter to it */
    key_of("cpu", "other", text, plain, 2, again);
    key_of("cpu", "n", text, (rw_define[]){{"VALUE", "1"}, {"GROUP", "8"}}, 2, order);
    assert_string_not_equal(again, keys[0]);
    assert_string_not_equal(order, keys[0]);
}

/* ---- damaged entries ---------------------------------------------------------------------------------------------------------- */

static const char any_key[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/* At the level of bytes: every length, every bit. */
static void test_no_damaged_entry_is_read(void **state)
{
    (void)state;
    enum { N = 150 };
    char bytes[N], entry[400], *data, *changed;
    size_t n;
    snprintf(entry, sizeof entry, "%s/%s.so", cache, any_key);
    for (int i = 0; i < N; ++i) bytes[i] = (char)(i * 31);
    rw_text binary = {0}, back = {0};
    rw_text_add_bytes(&binary, bytes, N);
    rw_cache_store(ctx, any_key, ".so", &binary);
    OK(rw_file_read(ctx, entry, 0, &data, &n));
    assert_int_equal(n, N + 48); /* the layout of docs/dev/cache.md */
    assert_memory_equal(data, bytes, N);
    assert_memory_equal(data + n - 8, "RWKCACH2", 8);
    assert_int_equal(mode_of(entry), 0600);
    OK(rw_cache_load(ctx, any_key, ".so", &back));
    assert_int_equal(back.length, N);
    assert_memory_equal(back.data, bytes, N);
    rw_text_free(&back);
    changed = rw_calloc(n + 16, 1);
    ncorrupt = 0;
    for (size_t length = 0; length < n; ++length) {
        write_file(entry, data, length);
        if (rw_cache_load(ctx, any_key, ".so", &back) != RW_ERR_UNSUPPORTED) fail_msg("%zu bytes of %zu", length, n);
        assert_int_equal(back.length, 0);
    }
    for (size_t bit = 0; bit < 8 * n; ++bit) {
        memcpy(changed, data, n);
        changed[bit / 8] ^= (char)(1 << bit % 8);
        write_file(entry, changed, n);
        if (rw_cache_load(ctx, any_key, ".so", &back) != RW_ERR_UNSUPPORTED) fail_msg("bit %zu", bit);
    }
    memcpy(changed, data, n); /* bytes behind, bytes in front */
    write_file(entry, changed, n + 16);
    assert_int_equal(rw_cache_load(ctx, any_key, ".so", &back), RW_ERR_UNSUPPORTED);
    memcpy(changed + 16, data, n);
    write_file(entry, changed, n + 16);
    assert_int_equal(rw_cache_load(ctx, any_key, ".so", &back), RW_ERR_UNSUPPORTED);
    assert_int_equal(ncorrupt, n + 8 * n + 2);
    write_file(entry, data, n);
    assert_int_equal(rw_cache_load(ctx, any_key, ".so", &back), RW_OK);
    assert_int_equal(chmod(entry, 0622), 0); /* others may have written it */
    log_text[0] = 0;
    rw_text_free(&back);
    assert_int_equal(rw_cache_load(ctx, any_key, ".so", &back), RW_ERR_UNSUPPORTED);
    assert_int_equal(lines("cache: not private"), 1);
    rw_free(changed), rw_free(data);
    rw_text_free(&binary);
}

/* Through the front door: compiled again, replaced, found the next time. */
static void test_a_damaged_entry_is_rebuilt_and_replaced(void **state)
{
    (void)state;
    static const char *const devices[] = {"cpu", "check", "opencl:0"};
    static const char *const suffixes[] = {".so", ".so", ".clbin"};
    for (int d = 0; d < RW_COUNT(devices); ++d) {
        rw_device *there;
        if (rw_device_open(ctx, devices[d], &there) != RW_OK) continue;
        rw_device_close(&there);
        char key[65], path[400], *data;
        size_t n, m;
        use(devices[d], "1", 1, 0, key);
        snprintf(path, sizeof path, "%s/%s%s", cache, key, suffixes[d]);
        OK(rw_file_read(ctx, path, 0, &data, &n));
        for (int i = 0; i < (d ? 1 : 5); ++i) {
            char *changed = rw_calloc(n, 1), *now;
            memcpy(changed, data, n);
            if (i == 1) changed[0] ^= 1;     /* of the ELF magic */
            if (i == 2) changed[n / 2] ^= 4;
            if (i == 3) changed[n - 1] ^= 1; /* of our magic */
            write_file(path, changed, i == 0 ? n - 1 : i == 4 ? 0 : n);
            log_text[0] = 0;
            use(devices[d], "1", 1, 0, NULL);
            assert_int_equal(lines("cache: corrupt"), 1);
            assert_int_equal(lines("warning"), 0);
            OK(rw_file_read(ctx, path, 0, &now, &m));
            assert_int_equal(m > 48, true);
            assert_memory_equal(now + m - 8, "RWKCACH2", 8);
            assert_int_equal(mode_of(path), 0600);
            use(devices[d], "1", 0, 1, NULL);
            rw_free(changed), rw_free(now);
        }
        rw_free(data);
    }
}

/* Whole by its checksum, but not what the loader takes: compiled again, with a warning. */
static void test_an_entry_that_does_not_load(void **state)
{
    (void)state;
    static const char *const devices[] = {"cpu", "opencl:0"};
    static const char *const suffixes[] = {".so", ".clbin"};
    for (int d = 0; d < RW_COUNT(devices); ++d) {
        rw_device *there;
        if (rw_device_open(ctx, devices[d], &there) != RW_OK) continue;
        rw_device_close(&there);
        char key[65];
        rw_text garbage = {0};
        use(devices[d], "1", 1, 0, key);
        rw_text_add(&garbage, "this is no program");
        snprintf(log_text, sizeof log_text, "%s", "");
        char old[400];
        snprintf(old, sizeof old, "%s/%s%s", cache, key, suffixes[d]);
        unlink(old);
        rw_cache_store(ctx, key, suffixes[d], &garbage);
        use(devices[d], "1", 1, 0, NULL);
        assert_int_equal(lines("does not load"), 1);
        use(devices[d], "1", 0, 1, NULL); /* replaced */
        rw_text_free(&garbage);
    }
}

/* ---- entries under another key, or swapped ------------------------------------------------------------------------------------ */

static void entry_of(const char *key, const char *suffix, char path[400]) { snprintf(path, 400, "%s/%s%s", cache, key, suffix); }

static void copy_file(const char *from, const char *to)
{
    char *data;
    size_t n;
    OK(rw_file_read(ctx, from, 0, &data, &n));
    write_file(to, data, n);
    rw_free(data);
}

/* A whole entry of another program in the place of one: never executed, compiled again. */
static void test_an_entry_of_another_key(void **state)
{
    (void)state;
    static const char *const devices[] = {"cpu", "check", "opencl:0", "cuda:0"};
    static const char *const suffixes[] = {".so", ".so", ".clbin", ".cubin"};
    for (int d = 0; d < RW_COUNT(devices); ++d) {
        rw_device *there;
        if (rw_device_open(ctx, devices[d], &there) != RW_OK) continue;
        rw_device_close(&there);
        char keys[2][65], a[400], b[400];
        use(devices[d], "1", 1, 0, keys[0]);
        use(devices[d], "2", 1, 0, keys[1]);
        entry_of(keys[0], suffixes[d], a), entry_of(keys[1], suffixes[d], b);
        copy_file(a, b);
        log_text[0] = 0;
        use(devices[d], "2", 1, 0, NULL); /* `use` compares what the kernel computes */
        assert_int_equal(lines("cache: corrupt"), 1);
        use(devices[d], "2", 0, 1, NULL);
        use(devices[d], "1", 0, 1, NULL);
    }
}

/* The same key under the suffix of another device. */
static void test_an_entry_of_another_suffix(void **state)
{
    (void)state;
    rw_text binary = {0}, back = {0};
    char so[400], cubin[400];
    rw_text_add(&binary, "bytes");
    rw_cache_store(ctx, any_key, ".so", &binary);
    entry_of(any_key, ".so", so), entry_of(any_key, ".cubin", cubin);
    copy_file(so, cubin);
    assert_int_equal(rw_cache_load(ctx, any_key, ".cubin", &back), RW_ERR_UNSUPPORTED);
    OK(rw_cache_load(ctx, any_key, ".so", &back));
    rw_text_free(&binary), rw_text_free(&back);
}

static void test_a_link_in_the_place_of_an_entry(void **state)
{
    (void)state;
    char key[65], path[400], other[400];
    use("cpu", "1", 1, 0, key);
    entry_of(key, ".so", path);
    snprintf(other, sizeof other, "%s/elsewhere.so", root);
    copy_file(path, other);
    unlink(path);
    assert_int_equal(symlink(other, path), 0);
    log_text[0] = 0;
    use("cpu", "1", 1, 0, NULL);
    assert_int_equal(lines("cache: not private"), 1);
    use("cpu", "1", 0, 1, NULL);
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    assert_true(S_ISREG(st.st_mode)); /* replaced, not followed */
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0); /* must not hang */
    use("cpu", "1", 1, 0, NULL);
    use("cpu", "1", 0, 1, NULL);
}

/* What is loaded is what was checked, whatever the file has become. */
static void test_an_entry_swapped_between_check_and_load(void **state)
{
    (void)state;
    static const char *const devices[] = {"cpu", "check", "opencl:0", "cuda:0"};
    for (int d = 0; d < RW_COUNT(devices); ++d) {
        char key[65], good[400], evil[400], other[65];
        if (rw_device_open(ctx, devices[d], &dev) != RW_OK) continue;
        const char *suffix = dev->ops->suffix;
        rw_device_close(&dev);
        use(devices[d], "1", 1, 0, key);
        use(devices[d], "666", 1, 0, other);
        entry_of(key, suffix, good), entry_of(other, suffix, evil);
        rw_text binary = {0};
        OK(rw_cache_load(ctx, key, suffix, &binary));
        assert_int_equal(rename(evil, good), 0);
        OK(rw_device_open(ctx, devices[d], &dev));
        OK(rw_context_set_cache(ctx, false, NULL, false));
        rw_program *p = make_with(text, "7", "8"); /* its module makes way for the checked bytes */
        dev->ops->unload(dev, p);
        OK(dev->ops->load(dev, p, &binary));
        rw_array *y = new_array(RW_F64, 1, RW_MEMORY_DEVICE);
        OK(launch1(rw_device_queue(dev), kernel_of(p, "k"), 1, (rw_arg[]){rw_arg_array(y), rw_arg_real(0.5)}, 2));
        assert_true(numbers_of(y)[0] == 1.5);
        rw_array_destroy(&y);
        rw_program_destroy(&p);
        rw_device_close(&dev);
        rw_text_free(&binary);
        OK(rw_context_set_cache(ctx, true, cache, true));
        use(devices[d], "1", 1, 0, NULL); /* and the swapped one is not taken at the next start */
    }
}

typedef struct swapper { char good[400], evil[400], place[400], place_new[400]; int stop; } swapper;

/* Renames now the good entry, now the evil one into its place. */
static void *swap_entries(void *user)
{
    swapper *s = user;
    for (int i = 0; !__atomic_load_n(&s->stop, __ATOMIC_RELAXED); ++i) {
        if (link(i % 2 ? s->good : s->evil, s->place_new) != 0) break;
        if (rename(s->place_new, s->place) != 0) break;
        unlink(s->place_new); /* rename of a link to the same file does nothing */
    }
    return NULL;
}

static void test_entries_swapped_all_the_time(void **state)
{
    (void)state;
    char keys[2][65];
    swapper s = {.stop = 0};
    pthread_t thread;
    use("cpu:1", "1", 1, 0, keys[0]);
    use("cpu:1", "666", 1, 0, keys[1]);
    entry_of(keys[0], ".so", s.place);
    snprintf(s.good, sizeof s.good, "%s/good", root), snprintf(s.evil, sizeof s.evil, "%s/evil", root);
    snprintf(s.place_new, sizeof s.place_new, "%s/new", cache);
    char other[400];
    entry_of(keys[1], ".so", other);
    copy_file(s.place, s.good), copy_file(other, s.evil);
    assert_int_equal(pthread_create(&thread, NULL, swap_entries, &s), 0);
    int hits = 0;
    for (int i = 0; i < 60; ++i) {
        OK(rw_device_open(ctx, "cpu:1", &dev));
        rw_program *p = make_with(text, "1", "8");
        rw_array *y = new_array(RW_F64, 1, RW_MEMORY_DEVICE);
        OK(launch1(rw_device_queue(dev), kernel_of(p, "k"), 1, (rw_arg[]){rw_arg_array(y), rw_arg_real(0.5)}, 2));
        hits += counters().cache_hits > 0;
        double result = numbers_of(y)[0];
        rw_array_destroy(&y);
        rw_program_destroy(&p);
        rw_device_close(&dev);
        if (result != 1.5) {
            __atomic_store_n(&s.stop, 1, __ATOMIC_RELAXED);
            pthread_join(thread, NULL);
            fail_msg("turn %d: the program of another key ran: %g", i, result);
        }
    }
    __atomic_store_n(&s.stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert_true(hits > 0);
}

/* Two programs whose bytes come to the same descriptor are two programs. */
static void test_programs_of_one_descriptor(void **state)
{
    (void)state;
    OK(rw_context_set_cache(ctx, false, NULL, false));
    OK(rw_device_open(ctx, "cpu:1", &dev));
    rw_program *p[5];
    rw_array *y = new_array(RW_F64, 1, RW_MEMORY_DEVICE);
    for (int i = 0; i < 5; ++i) p[i] = make_with(text, (const char *[]){"1", "2", "3", "4", "5"}[i], "8");
    for (int i = 0; i < 5; ++i) {
        OK(launch1(rw_device_queue(dev), kernel_of(p[i], "k"), 1, (rw_arg[]){rw_arg_array(y), rw_arg_real(0.5)}, 2));
        assert_true(numbers_of(y)[0] == i + 1.5);
    }
    for (int i = 0; i < 5; ++i) rw_program_destroy(&p[i]);
    rw_array_destroy(&y);
    rw_device_close(&dev);
}

static void test_a_folder_in_the_place_of_an_entry(void **state)
{
    (void)state;
    char key[65], path[400];
    use("cpu", "1", 1, 0, key);
    snprintf(path, sizeof path, "%s/%s.so", cache, key);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    use("cpu", "1", 1, 0, NULL); /* works; the entry cannot be written */
    assert_int_equal(lines("warning cache: entry not written"), 1);
    assert_int_equal(info().entries, 1);
}

/* ---- folders ---------------------------------------------------------------------------------------------------------------------- */

static void test_folders_open_to_others_are_refused(void **state)
{
    (void)state;
    static const mode_t modes[] = {0777, 0770, 0720, 0702, 01777};
    assert_int_equal(mkdir(cache, 0700), 0);
    for (int i = 0; i < RW_COUNT(modes); ++i) {
        assert_int_equal(chmod(cache, modes[i]), 0);
        OK(rw_context_set_cache(ctx, true, cache, false));
        log_text[0] = 0;
        use("cpu", "1", 1, 0, NULL);
        use("cpu", "1", 1, 0, NULL); /* off for this context: no second warning */
        assert_int_equal(lines("warning"), 1);
        assert_int_equal(lines("may be written by others: chmod 700 it"), 1);
        assert_true(lines(cache) >= 1);
        assert_int_equal(lines("the program cache is off"), 1);
        assert_int_equal(files_in(cache, ""), 0);
    }
    static const mode_t good[] = {0700, 0755, 0711};
    for (int i = 0; i < RW_COUNT(good); ++i) {
        assert_int_equal(chmod(cache, good[i]), 0);
        OK(rw_context_set_cache(ctx, true, cache, false));
        log_text[0] = 0;
        use("cpu", "1", i == 0, i > 0, NULL);
        assert_int_equal(lines("warning"), 0);
    }
}

static void test_a_folder_of_someone_else_is_refused(void **state)
{
    (void)state;
    if (geteuid() != 0) skip(); /* only root can make one */
    assert_int_equal(mkdir(cache, 0700), 0);
    assert_int_equal(chown(cache, 65534, 65534), 0);
    use("cpu", "1", 1, 0, NULL);
    assert_int_equal(lines("warning"), 1);
    assert_int_equal(files_in(cache, ""), 0);
}

/* A folder above it that others may write to, or that is someone else's: they could put another in its place. */
static void test_folders_above_are_checked(void **state)
{
    (void)state;
    char parent[300], below[300], link_path[300];
    snprintf(parent, sizeof parent, "%s/parent", root), snprintf(below, sizeof below, "%s/parent/a/cache", root);
    static const struct { mode_t mode; bool good; } rows[] = {{0777, false}, {0757, false}, {0702, false}, {01777, true},
                                                              {0755, true}, {0700, true}};
    assert_int_equal(mkdir(parent, 0700), 0);
    OK(rw_context_set_cache(ctx, true, below, false));
    use("cpu", "1", 1, 0, NULL);
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        assert_int_equal(chmod(parent, rows[i].mode), 0);
        OK(rw_context_set_cache(ctx, true, below, false));
        log_text[0] = 0;
        use("cpu", "1", !rows[i].good, rows[i].good, NULL);
        assert_int_equal(lines("warning"), !rows[i].good);
        assert_int_equal(lines("parent, which may be written by others"), !rows[i].good);
    }
    /* through a link: what counts is where it leads */
    snprintf(link_path, sizeof link_path, "%s/link", root);
    assert_int_equal(symlink(below, link_path), 0);
    OK(rw_context_set_cache(ctx, true, link_path, false));
    use("cpu", "1", 0, 1, NULL);
    assert_int_equal(chmod(parent, 0777), 0);
    OK(rw_context_set_cache(ctx, true, link_path, false));
    use("cpu", "1", 1, 0, NULL);
    assert_int_equal(chmod(parent, 0770), 0); /* of a group with others, or root's own */
    OK(rw_context_set_cache(ctx, true, below, false));
    if (geteuid() == 0) {
        assert_int_equal(chown(parent, (uid_t)-1, 65534), 0);
        use("cpu", "1", 1, 0, NULL);
        assert_int_equal(chown(parent, 65534, (gid_t)-1), 0);
        assert_int_equal(chmod(parent, 0755), 0);
        OK(rw_context_set_cache(ctx, true, below, false));
        log_text[0] = 0;
        use("cpu", "1", 1, 0, NULL);
        assert_int_equal(lines("parent, which belongs to another user"), 1);
    }
}

/* Made with its parents, private, whatever umask says. */
static void test_a_missing_folder_is_made_private(void **state)
{
    (void)state;
    static const char *const ends[] = {"a/b/c", "d/", "e//f///"};
    mode_t old = umask(0);
    for (int i = 0; i < RW_COUNT(ends); ++i) {
        char deep[300];
        snprintf(deep, sizeof deep, "%s/%s", root, ends[i]);
        OK(rw_context_set_cache(ctx, true, deep, false));
        use("cpu", "1", 1, 0, NULL);
        use("cpu", "1", 0, 1, NULL);
        assert_int_equal(mode_of(deep), 0700);
        assert_int_equal(info().entries, 1);
    }
    umask(old);
    assert_int_equal(lines("warning"), 0);
}

static void test_places_where_no_folder_can_be(void **state)
{
    (void)state;
    char file[300], below[300];
    snprintf(file, sizeof file, "%s/file", root), snprintf(below, sizeof below, "%s/file/cache", root);
    write_file(file, "x", 1);
    const char *const places[] = {file, below, "/proc/rechenwerk-test/cache"};
    static const char *const why[] = {"is not a folder", "is a file", "/proc/rechenwerk-test"};
    for (int i = 0; i < RW_COUNT(places); ++i) {
        OK(rw_context_set_cache(ctx, true, places[i], false));
        log_text[0] = 0;
        use("cpu", "1", 1, 0, NULL);
        use("cpu", "1", 1, 0, NULL);
        assert_int_equal(lines("warning"), 1);
        assert_int_equal(lines("the program cache is off"), 1);
        assert_true(lines(why[i]) >= 1);
    }
    assert_int_equal(mode_of(file), 0600); /* untouched */
}

/* A folder that may be read only: hits work, what is missing is compiled each time, with a warning. */
static void test_a_read_only_folder(void **state)
{
    (void)state;
    bool root_user = geteuid() == 0; /* whom no permission stops: be nobody for a while */
    if (root_user) {
        assert_int_equal(chown(root, 65534, 65534), 0);
        assert_int_equal(seteuid(65534), 0);
    }
    use("cpu", "1", 1, 0, NULL);
    assert_int_equal(chmod(cache, 0500), 0);
    log_text[0] = 0;
    use("cpu", "1", 0, 1, NULL);
    assert_int_equal(lines("warning"), 0);
    use("cpu", "2", 1, 0, NULL);
    assert_int_equal(lines("warning cache: entry not written"), 1);
    use("cpu", "2", 1, 0, NULL);
    assert_int_equal(chmod(cache, 0700), 0);
    assert_int_equal(info().entries, 1);
    if (root_user) assert_int_equal(seteuid(0), 0);
}

static void test_switched_off(void **state)
{
    (void)state;
    char tmp[300];
    const char *old = getenv("TMPDIR");
    char saved[300] = "";
    if (old) snprintf(saved, sizeof saved, "%s", old);
    snprintf(tmp, sizeof tmp, "%s/tmp", root);
    assert_int_equal(mkdir(tmp, 0700), 0);
    setenv("TMPDIR", tmp, 1);
    OK(rw_context_set_cache(ctx, false, cache, true));
    use("cpu", "1", 1, 0, NULL);
    use("cpu", "1", 1, 0, NULL);
    use("check", "1", 1, 0, NULL);
    assert_int_equal(access(cache, F_OK), -1); /* not even made */
    assert_int_equal(files_in(tmp, ""), 0);    /* and nothing left over */
    assert_int_equal(lines("cache:"), 0);
    if (*saved) setenv("TMPDIR", saved, 1);
    else unsetenv("TMPDIR");
}

static void test_default_places(void **state)
{
    (void)state;
    static const char *const names[] = {"RECHENWERK_CACHE", "XDG_CACHE_HOME", "HOME"};
    char saved[3][512] = {""};
    for (int i = 0; i < 3; ++i)
        if (getenv(names[i])) snprintf(saved[i], sizeof saved[i], "%s", getenv(names[i]));
    OK(rw_context_set_cache(ctx, true, NULL, false));
    setenv("RECHENWERK_CACHE", "/some/where", 1);
    assert_string_equal(info().folder, "/some/where");
    setenv("RECHENWERK_CACHE", "", 1);
    setenv("XDG_CACHE_HOME", "/xdg", 1);
    assert_string_equal(info().folder, "/xdg/rechenwerk");
    setenv("XDG_CACHE_HOME", "relative", 1); /* the standard: to be ignored */
    setenv("HOME", "/home/me", 1);
    assert_string_equal(info().folder, "/home/me/.cache/rechenwerk");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    int64_t removed = -1; /* no home: no folder that somebody else could have made */
    assert_string_equal(info().folder, "");
    OK(rw_cache_clear(ctx, &removed));
    assert_int_equal(removed, 0);
    use("cpu", "1", 1, 0, NULL);
    use("cpu", "1", 1, 0, NULL);
    assert_int_equal(lines("warning"), 0);
    setenv("HOME", "relative", 1);
    assert_string_equal(info().folder, "");
    for (int i = 0; i < 3; ++i)
        if (*saved[i]) setenv(names[i], saved[i], 1);
        else unsetenv(names[i]);
}

/* ---- describe and clear --------------------------------------------------------------------------------------------------------------- */

static void test_describe_and_clear(void **state)
{
    (void)state;
    int64_t removed = -1;
    assert_int_equal(info().entries, 0); /* no folder yet */
    assert_int_equal(info().bytes, 0);
    OK(rw_cache_clear(ctx, &removed));
    assert_int_equal(removed, 0);
    assert_string_equal(info().folder, cache);
    assert_int_equal(access(cache, F_OK), -1); /* asking makes none */
    use("cpu", "1", 1, 0, NULL);
    use("cpu", "2", 1, 0, NULL);
    char path[400], left[400];
    snprintf(path, sizeof path, "%s/notes.txt", cache);
    write_file(path, "mine", 4); /* files that are no entries stay and do not count */
    snprintf(left, sizeof left, "%s/%s.so.12345-0.tmp", cache, any_key);
    write_file(left, "half", 4); /* a crashed writer's */
    rw_cache_info i = info();
    assert_int_equal(i.entries, 2);
    assert_true(i.bytes > 2000);
    OK(rw_cache_clear(ctx, &removed));
    assert_int_equal(removed, 2);
    assert_int_equal(info().entries, 0);
    assert_int_equal(info().bytes, 0);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(access(left, F_OK), -1);
    use("cpu", "1", 1, 0, NULL);
}

/* ---- writers at once, crashes, full disks ------------------------------------------------------------------------------------------------- */

enum { PROGRAMS = 20 };

static void test_processes_at_once(void **state)
{
    (void)state;
    enum { PROCESSES = 3 };
    pid_t pids[PROCESSES];
    static const char *const starts[] = {"0", "7", "13"};
    for (int i = 0; i < PROCESSES; ++i) {
        const char *argv[] = {"test_cache", "many", cache, starts[i], NULL};
        assert_int_equal(posix_spawn(&pids[i], "/proc/self/exe", NULL, NULL, (char *const *)(uintptr_t)argv, environ), 0);
    }
    for (int i = 0; i < PROCESSES; ++i) {
        int status = -1;
        while (waitpid(pids[i], &status, 0) < 0 && errno == EINTR) {}
        if (status != 0) fail_msg("process %d: %d", i, status);
    }
    assert_int_equal(info().entries, PROGRAMS);
    assert_int_equal(files_in(cache, ".tmp"), 0);
    assert_int_equal(run_child("all hits", NULL), 0);
}

typedef struct worker { rw_device *dev; int first; rw_status status; } worker;

static void *compile_some(void *user)
{
    worker *w = user;
    for (int i = 0; i < 6 && w->status == RW_OK; ++i) {
        char value[8];
        rw_program *p = NULL;
        snprintf(value, sizeof value, "%d", (w->first + i) % 6);
        w->status = rw_program_create(w->dev, "cached", text, (rw_define[]){{"GROUP", "8"}, {"VALUE", value}}, 2, &p);
        rw_program_destroy(&p);
    }
    return NULL;
}

/* Devices of one context in several threads, also when the folder turns out to be no good. */
static void test_threads_at_once(void **state)
{
    (void)state;
    enum { THREADS = 3 };
    for (int bad = 0; bad < 2; ++bad) {
        pthread_t threads[THREADS];
        worker workers[THREADS];
        if (bad) assert_int_equal(chmod(cache, 0777), 0);
        log_text[0] = 0;
        for (int i = 0; i < THREADS; ++i) {
            workers[i] = (worker){NULL, 2 * i, RW_OK};
            OK(rw_device_open(ctx, "cpu:1", &workers[i].dev));
        }
        for (int i = 0; i < THREADS; ++i) assert_int_equal(pthread_create(&threads[i], NULL, compile_some, &workers[i]), 0);
        for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
        for (int i = 0; i < THREADS; ++i) {
            assert_int_equal(workers[i].status, RW_OK);
            rw_device_close(&workers[i].dev);
        }
        assert_int_equal(lines("the program cache is off"), bad);
        if (!bad) assert_int_equal(info().entries, 6);
    }
}

/* The child dies of SIGXFSZ in the middle of writing its entry. */
static void test_a_crash_in_the_middle(void **state)
{
    (void)state;
    char key[65];
    use("cpu", "1", 1, 0, key);
    int status = run_child("crash", NULL);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
    assert_int_equal(files_in(cache, ".tmp"), 1); /* half an entry, not in the place of one */
    assert_int_equal(info().entries, 1);
    use("cpu", "1", 0, 1, NULL);
    rw_text back = {0};
    assert_int_equal(rw_cache_load(ctx, any_key, ".so", &back), RW_ERR_UNSUPPORTED);
    rw_text_free(&back);
    int64_t removed;
    OK(rw_cache_clear(ctx, &removed));
    assert_int_equal(removed, 1);
    assert_int_equal(files_in(cache, ".tmp"), 0);
}

/* Every write, fsync and rename fails once: a warning, the program runs, the folder holds whole entries only. */
static void test_a_full_disk(void **state)
{
    (void)state;
    int failures = 0;
    for (int n = 1;; ++n) {
        char value[16];
        snprintf(value, sizeof value, "%d", n);
        log_text[0] = 0;
        rw_fault_set(RW_FAULT_WRITE, n);
        use("cpu", value, 1, 0, NULL);
        bool met = rw_fault_events(RW_FAULT_WRITE) >= n;
        rw_fault_set(RW_FAULT_WRITE, 0);
        if (!met) break;
        ++failures;
        assert_int_equal(lines("warning cache: entry not written"), 1);
        assert_int_equal(files_in(cache, ""), 0);
    }
    assert_int_equal(failures, 3); /* write, fsync, rename */
    assert_int_equal(info().entries, 1);
}

/* An entry that cannot be read is compiled again. */
static void test_an_unreadable_entry(void **state)
{
    (void)state;
    use("cpu", "1", 1, 0, NULL);
    log_text[0] = 0;
    rw_fault_set(RW_FAULT_READ, 1);
    use("cpu", "1", 1, 0, NULL);
    rw_fault_set(RW_FAULT_READ, 0);
    assert_int_equal(lines("cache: corrupt"), 1);
    use("cpu", "1", 0, 1, NULL);
}

/* ---- as another process ------------------------------------------------------------------------------------------------------------------------ */

static rw_status child(const char *job, int start)
{
    rw_array *y = NULL;
    rw_status status = RW_OK;
    const int64_t n = 1;
    if (rw_context_create(&ctx) != RW_OK) return RW_ERR_MEMORY;
    RW_TRY(rw_context_set_cache(ctx, true, cache, false));
    if (!strcmp(job, "crash")) {
        static char bytes[100000];
        const struct rlimit limit = {5000, 5000}, no_core = {0, 0};
        rw_text binary = {0};
        rw_text_add_bytes(&binary, bytes, sizeof bytes);
        setrlimit(RLIMIT_CORE, &no_core);
        setrlimit(RLIMIT_FSIZE, &limit);
        rw_cache_store(ctx, any_key, ".so", &binary);
        return RW_OK;
    }
    RW_TRY(rw_device_open(ctx, "cpu:1", &dev));
    RW_TRY(rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &y));
    bool many = strcmp(job, "hit") != 0;
    for (int i = 0; i < (many ? PROGRAMS : 1) && status == RW_OK; ++i) {
        rw_program *p = NULL;
        rw_kernel *k = NULL;
        const void *data;
        char value[8];
        int v = many ? (i + start) % PROGRAMS : 1;
        snprintf(value, sizeof value, "%d", v);
        status = rw_program_create(dev, "cached", text, (rw_define[]){{"GROUP", "8"}, {"VALUE", value}}, 2, &p);
        if (status == RW_OK) status = rw_program_kernel(p, "k", &k);
        const rw_arg args[] = {rw_arg_array(y), rw_arg_real(0.5)};
        if (status == RW_OK) status = launch1(rw_device_queue(dev), k, 1, args, 2);
        if (status == RW_OK) status = rw_array_read(y, &data);
        if (status == RW_OK && *(const double *)data != 0.5 + v) status = RW_ERR_INTERNAL;
        rw_program_destroy(&p);
    }
    rw_counters c = counters();
    rw_array_destroy(&y);
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    if (status == RW_OK && strcmp(job, "many") != 0 && c.compilations != 0) status = RW_ERR_INTERNAL;
    return status;
}

int main(int argc, char **argv)
{
    if (argc >= 3) {
        snprintf(cache, sizeof cache, "%s", argv[2]);
        rw_status status = child(argv[1], argc > 3 ? atoi(argv[3]) : 0);
        if (status != RW_OK) fprintf(stderr, "%s: %s: %s\n", argv[1], rw_status_name(status), rw_message(ctx));
        return status;
    }
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        TEST(test_second_use_is_a_hit),
        TEST(test_second_process_is_a_hit),
        TEST(test_whatever_matters_is_in_the_key),
        TEST(test_no_damaged_entry_is_read),
        TEST(test_a_damaged_entry_is_rebuilt_and_replaced),
        TEST(test_an_entry_that_does_not_load),
        TEST(test_an_entry_of_another_key),
        TEST(test_an_entry_of_another_suffix),
        TEST(test_a_link_in_the_place_of_an_entry),
        TEST(test_an_entry_swapped_between_check_and_load),
        TEST(test_entries_swapped_all_the_time),
        TEST(test_programs_of_one_descriptor),
        TEST(test_a_folder_in_the_place_of_an_entry),
        TEST(test_folders_open_to_others_are_refused),
        TEST(test_a_folder_of_someone_else_is_refused),
        TEST(test_folders_above_are_checked),
        TEST(test_a_missing_folder_is_made_private),
        TEST(test_places_where_no_folder_can_be),
        TEST(test_a_read_only_folder),
        TEST(test_switched_off),
        TEST(test_default_places),
        TEST(test_describe_and_clear),
        TEST(test_processes_at_once),
        TEST(test_threads_at_once),
        TEST(test_a_crash_in_the_middle),
        TEST(test_a_full_disk),
        TEST(test_an_unreadable_entry),
    };
    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
