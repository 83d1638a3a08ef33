/* Entries of the program cache that are not what was written under their key, swapped ones and links, and folders that
 * others may write: none of it is executed. */
/* TEST: optimised */
#include "cache_test.h"

/* ---- entries under another key, or swapped ----------------------------------------------------------------------- */

static void entry_of(const char *key, const char *suffix, char path[400])
{
    snprintf(path, 400, "%s/%s%s", cache, key, suffix);
}

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

typedef struct swapper {
    char good[400], evil[400], place[400], place_new[400];
    int stop;
} swapper;

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

/* ---- folders ----------------------------------------------------------------------------------------------------- */

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
        assert_int_equal(lines("other users can write to cache folder"), 1);
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
    static const struct {
        mode_t mode;
        bool good;
    } rows[] = {{0777, false}, {0757, false}, {0702, false}, {01777, true}, {0755, true}, {0700, true}};
    assert_int_equal(mkdir(parent, 0700), 0);
    OK(rw_context_set_cache(ctx, true, below, false));
    use("cpu", "1", 1, 0, NULL);
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        assert_int_equal(chmod(parent, rows[i].mode), 0);
        OK(rw_context_set_cache(ctx, true, below, false));
        log_text[0] = 0;
        use("cpu", "1", !rows[i].good, rows[i].good, NULL);
        assert_int_equal(lines("warning"), !rows[i].good);
        assert_int_equal(lines("parent, which other users can write to"), !rows[i].good);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
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
    };
    return cmocka_run_group_tests_name("cache_trust", tests, NULL, NULL);
}
