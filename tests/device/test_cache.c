/* The program cache on disk: what is in the key, hits in a second process, damaged entries, several writers at once,
 * crashes and full disks. test_cache_trust.c: entries and folders that others may have changed. */
/* TEST: optimised */
#include "cache_test.h"

/* ---- hits -------------------------------------------------------------------------------------------------------- */

static void test_second_use_is_a_hit(void **state)
{
    (void)state;
    static const struct {
        const char *device, *suffix;
    } kinds[] = {{"cpu", ".so"}, {"check", ".so"}, {"opencl:0", ".clbin"}, {"cuda:0", ".cubin"}};
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

/* ---- the key ----------------------------------------------------------------------------------------------------- */

static void key_of(const char *device, const char *name, const char *source, const rw_define *defines, int n,
                   char key[65])
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

/* ---- damaged entries --------------------------------------------------------------------------------------------- */

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
            if (i == 1) changed[0] ^= 1; /* of the ELF magic */
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

/* ---- describe and clear ------------------------------------------------------------------------------------------ */

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

/* ---- writers at once, crashes, full disks ------------------------------------------------------------------------ */

enum { PROGRAMS = 20 };

static void test_processes_at_once(void **state)
{
    (void)state;
    enum { PROCESSES = 3 };
    pid_t pids[PROCESSES];
    static const char *const starts[] = {"0", "7", "13"};
    for (int i = 0; i < PROCESSES; ++i) {
        const char *argv[] = {"test_cache", "many", cache, starts[i], NULL};
        assert_int_equal(posix_spawn(&pids[i], "/proc/self/exe", NULL, NULL, (char *const *)(uintptr_t)argv, environ),
                         0);
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

typedef struct worker {
    rw_device *dev;
    int first;
    rw_status status;
} worker;

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
        for (int i = 0; i < THREADS; ++i)
            assert_int_equal(pthread_create(&threads[i], NULL, compile_some, &workers[i]), 0);
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

/* ---- as another process ------------------------------------------------------------------------------------------ */

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
        TEST(test_describe_and_clear),
        TEST(test_processes_at_once),
        TEST(test_threads_at_once),
        TEST(test_a_crash_in_the_middle),
        TEST(test_a_full_disk),
        TEST(test_an_unreadable_entry),
    };
    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
