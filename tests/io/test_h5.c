/* HDF5: round trips, attributes, links, what is refused, whole-or-nothing, truncation and damage at every byte, a full
 * disk, faults, threads, h5py in both directions. */
#include "io_test.h"

#include <hdf5.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "io/h5.h"

#if RW_WITH_CGNS
#include <cgnslib.h>

#include "io/cgns.h"
#endif

static const rw_dtype types[] = {RW_F32, RW_F64, RW_C64, RW_C128};

static void test_round_trip(void **state)
{
    (void)state;
    static const struct {
        int rank;
        size_t shape[4];
    } shapes[] = {{1, {1}},       {1, {0}},          {1, {1000}},    {2, {3, 4}},      {2, {0, 5}},
                  {3, {2, 3, 4}}, {4, {2, 1, 3, 2}}, {3, {5, 0, 2}}, {4, {1, 1, 1, 1}}};
    const uint64_t seed = 20240602;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (unsigned flags = 0; flags < 2; flags++)
        for (int t = 0; t < RW_COUNT(types); t++)
            for (int s = 0; s < RW_COUNT(shapes); s++) {
                size_t bytes, shape[4];
                rw_dtype type;
                int rank;
                rw_h5 *f;
                assert_true(rw_io_bytes(shapes[s].rank, shapes[s].shape, rw_dtype_size(types[t]), &bytes));
                unsigned char *data = calloc(bytes + 1, 1), *back = calloc(bytes + 1, 1);
                for (size_t i = 0; i < bytes; i++) data[i] = (unsigned char)(rw_random_u64(seed, i) & 0x3F);
                ASSERT_OK(rw_h5_create(NULL, "a.h5", &f));
                ASSERT_OK(rw_h5_write(f, "/some/group/u", types[t], shapes[s].rank, shapes[s].shape, data, flags));
                ASSERT_OK(rw_h5_commit(&f));
                assert_null(f);
                ASSERT_OK(rw_h5_open(NULL, "a.h5", &f));
                ASSERT_OK(rw_h5_shape(f, "/some/group/u", &type, &rank, shape));
                assert_int_equal(type, types[t]);
                assert_int_equal(rank, shapes[s].rank);
                for (int a = 0; a < 4; a++) assert_int_equal(shape[a], a < rank ? shapes[s].shape[a] : 1);
                ASSERT_OK(rw_h5_read(f, "some/group/u", type, rank, shape, back));
                assert_memory_equal(back, data, bytes);
                rw_h5_close(&f);
                free(back);
                free(data);
            }
    assert_int_equal(count_files(), 1);
}

/* More than one chunk: 40 MB under the checksum. */
static void test_chunks(void **state)
{
    (void)state;
    const size_t shape[3] = {5, 1000, 1000};
    double *data = malloc(5000000 * sizeof *data), *back = calloc(5000000, sizeof *data);
    rw_h5 *f;
    for (size_t i = 0; i < 5000000; i++) data[i] = (double)i;
    ASSERT_OK(rw_h5_create(NULL, "a.h5", &f));
    ASSERT_OK(rw_h5_write(f, "u", RW_F64, 3, shape, data, RW_H5_CHECKSUM));
    ASSERT_OK(rw_h5_commit(&f));
    ASSERT_OK(rw_h5_open(NULL, "a.h5", &f));
    ASSERT_OK(rw_h5_read(f, "u", RW_F64, 3, shape, back));
    assert_memory_equal(back, data, 5000000 * sizeof *data);
    rw_h5_close(&f);
    char *file;
    size_t n;
    read_whole("a.h5", &file, &n);
    file[n / 2] ^= 1; /* one wrong bit in the data */
    write_whole("b.h5", file, n);
    ASSERT_OK(rw_h5_open(NULL, "b.h5", &f));
    ASSERT_FAILS(rw_h5_read(f, "u", RW_F64, 3, shape, back), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(NULL), "b.h5: u: the data are damaged"));
    rw_h5_close(&f);
    free(file);
    free(back);
    free(data);
}

static void test_conversions(void **state)
{
    (void)state;
    rw_h5 *f;
    float f32[3] = {1.5f, -2, 3}, back32[6];
    double f64[6] = {1, 2, 3, 4, 5, 6}, back64[6];
    const size_t three[1] = {3};
    ASSERT_OK(rw_h5_create(NULL, "a.h5", &f));
    ASSERT_OK(rw_h5_write(f, "a", RW_F32, 1, three, f32, 0));
    ASSERT_OK(rw_h5_write(f, "z", RW_C128, 1, three, f64, 0));
    ASSERT_OK(rw_h5_commit(&f));
    ASSERT_OK(rw_h5_open(NULL, "a.h5", &f));
    ASSERT_OK(rw_h5_read(f, "a", RW_F64, 1, three, back64));
    ASSERT_OK(rw_h5_read(f, "z", RW_C64, 1, three, back32));
    for (int i = 0; i < 3; i++) assert_true(back64[i] == (double)f32[i]);
    for (int i = 0; i < 6; i++) assert_true((double)back32[i] == f64[i]);
    ASSERT_FAILS(rw_h5_read(f, "z", RW_F64, 1, three, back64), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(NULL), "a.h5: z: holds c128, but f64 is expected"));
    ASSERT_FAILS(rw_h5_read(f, "a", RW_C64, 1, three, back64), RW_ERR_INPUT);
    ASSERT_FAILS(rw_h5_read(f, "a", RW_F32, 1, (size_t[]){4}, back64), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(NULL), "(3)"));
    ASSERT_FAILS(rw_h5_read(f, "a", RW_F32, 2, (size_t[]){1, 3}, back64), RW_ERR_INPUT);
    ASSERT_FAILS(rw_h5_read(f, "b", RW_F32, 1, three, back64), RW_ERR_INPUT);
    ASSERT_FAILS(rw_h5_read(f, "/", RW_F32, 1, three, back64), RW_ERR_INPUT);
    rw_h5_close(&f);
}

static void test_attributes(void **state)
{
    (void)state;
    rw_h5 *f;
    char *text, *large = calloc(1, 300001);
    double number, numbers[3] = {1, 2.5, -3}, back[3];
    int64_t integer;
    memset(large, 'x', 300000);
    ASSERT_OK(rw_h5_create(NULL, "a.h5", &f));
    ASSERT_OK(rw_h5_group(f, "/state"));
    ASSERT_OK(rw_h5_group(f, "/state"));
    ASSERT_OK(rw_h5_set_text(f, "/", "case", "alt"));
    ASSERT_OK(rw_h5_set_text(f, "/", "case", "größer"));
    ASSERT_OK(rw_h5_set_text(f, "/", "empty", ""));
    ASSERT_OK(rw_h5_set_text(f, "/", "large", large));
    ASSERT_OK(rw_h5_set_number(f, "/state", "time", 0.1));
    ASSERT_OK(rw_h5_set_numbers(f, "/state", "origin", 3, numbers));
    ASSERT_OK(rw_h5_set_numbers(f, "/state", "nothing", 0, NULL));
    ASSERT_OK(rw_h5_set_integer(f, "/state", "step", INT64_MAX));
    ASSERT_FAILS(rw_h5_set_number(f, "/none", "time", 0.1), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_h5_set_number(f, "/state", "", 0.1), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_h5_set_numbers(f, "/state", "n", -1, numbers), RW_ERR_ARGUMENT);
    ASSERT_OK(rw_h5_commit(&f));
    ASSERT_OK(rw_h5_open(NULL, "a.h5", &f));
    ASSERT_OK(rw_h5_get_text(f, "/", "case", &text));
    assert_string_equal(text, "größer");
    rw_free(text);
    ASSERT_OK(rw_h5_get_text(f, "/", "empty", &text));
    assert_string_equal(text, "");
    rw_free(text);
    ASSERT_OK(rw_h5_get_text(f, "/", "large", &text));
    assert_string_equal(text, large);
    rw_free(text);
    ASSERT_OK(rw_h5_get_number(f, "/state", "time", &number));
    assert_true(number == 0.1);
    ASSERT_OK(rw_h5_get_numbers(f, "/state", "origin", 3, back));
    assert_memory_equal(back, numbers, sizeof back);
    ASSERT_OK(rw_h5_get_numbers(f, "/state", "nothing", 0, NULL));
    ASSERT_OK(rw_h5_get_integer(f, "/state", "step", &integer));
    assert_true(integer == INT64_MAX);
    ASSERT_OK(rw_h5_get_number(f, "/state", "step", &number)); /* an integer is a number */
    assert_true(number == 0x1p63);
    assert_true(rw_h5_has_attribute(f, "/state", "time") && !rw_h5_has_attribute(f, "/state", "Time"));
    assert_false(rw_h5_has_attribute(f, "/none", "time"));
    ASSERT_FAILS(rw_h5_get_integer(f, "/state", "time", &integer), RW_ERR_INPUT);
    ASSERT_FAILS(rw_h5_get_number(f, "/state", "origin", &number), RW_ERR_INPUT);
    ASSERT_FAILS(rw_h5_get_number(f, "/", "case", &number), RW_ERR_INPUT);
    ASSERT_FAILS(rw_h5_get_text(f, "/state", "time", &text), RW_ERR_INPUT);
    ASSERT_FAILS(rw_h5_get_text(f, "/state", "none", &text), RW_ERR_INPUT);
    ASSERT_FAILS(rw_h5_get_text(f, "/none", "case", &text), RW_ERR_INPUT);
    ASSERT_FAILS(rw_h5_set_number(f, "/", "new", 1), RW_ERR_ARGUMENT);
    rw_h5_close(&f);
    free(large);
}

static void test_groups_and_links(void **state)
{
    (void)state;
    rw_h5 *f;
    char **names;
    int n;
    double value = 7, back = 0;
    const size_t one[1] = {1};
    ASSERT_OK(rw_h5_create(NULL, "data.h5", &f));
    ASSERT_OK(rw_h5_write(f, "/fields/u", RW_F64, 1, one, &value, 0));
    ASSERT_FAILS(rw_h5_write(f, "/fields/u", RW_F64, 1, one, &value, 0), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_h5_write(f, "/fields/u/v", RW_F64, 1, one, &value, 0), RW_ERR_FILE);
    ASSERT_FAILS(rw_h5_group(f, "/fields/u"), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_h5_write(f, "", RW_F64, 1, one, &value, 0), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_h5_write(f, "v", RW_F64, 0, one, &value, 0), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_h5_write(f, "v", RW_F64, 5, one, &value, 0), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_h5_write(f, "v", RW_F64, 2, (size_t[]){SIZE_MAX / 2, 2}, &value, 0), RW_ERR_ARGUMENT);
    ASSERT_OK(rw_h5_commit(&f));

    ASSERT_OK(rw_h5_create(NULL, "series.h5", &f));
    ASSERT_OK(rw_h5_link(f, "/step 10/u", "data.h5", "/fields/u"));
    ASSERT_OK(rw_h5_link(f, "/step 9/u", "gone.h5", "/fields/u"));
    ASSERT_OK(rw_h5_group(f, "/b"));
    ASSERT_OK(rw_h5_group(f, "/a/deep/one"));
    ASSERT_FAILS(rw_h5_link(f, "/b", "data.h5", "/"), RW_ERR_ARGUMENT);
    ASSERT_OK(rw_h5_commit(&f));

    ASSERT_OK(rw_h5_open(NULL, "series.h5", &f));
    assert_true(rw_h5_exists(f, "/") && rw_h5_exists(f, "a/deep") && rw_h5_exists(f, "/a/deep/one/"));
    assert_true(rw_h5_exists(f, "/step 10/u"));
    assert_false(rw_h5_exists(f, "/step 9/u"));
    assert_false(rw_h5_exists(f, "/a/none/one") || rw_h5_exists(f, "") || rw_h5_exists(f, "/c"));
    ASSERT_OK(rw_h5_read(f, "/step 10/u", RW_F64, 1, one, &back));
    assert_true(back == 7);
    ASSERT_FAILS(rw_h5_read(f, "/step 9/u", RW_F64, 1, one, &back), RW_ERR_INPUT);
    ASSERT_OK(rw_h5_list(f, "/", &names, &n));
    static const char *const expected[] = {"a", "b", "step 10", "step 9"};
    assert_int_equal(n, 4);
    for (int i = 0; i < 4; i++) assert_string_equal(names[i], expected[i]);
    rw_h5_names_free(&names, n);
    ASSERT_OK(rw_h5_list(f, "/b", &names, &n));
    assert_int_equal(n, 0);
    rw_h5_names_free(&names, n);
    ASSERT_FAILS(rw_h5_list(f, "/none", &names, &n), RW_ERR_INPUT);
    ASSERT_FAILS(rw_h5_group(f, "/new"), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_h5_write(f, "/new", RW_F64, 1, one, &back, 0), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_h5_commit(&f), RW_ERR_ARGUMENT);
    assert_null(f);
}

/* A new file appears with commit only; until then the old one is there. */
static void test_whole_or_nothing(void **state)
{
    (void)state;
    rw_h5 *f;
    double value = 1;
    const size_t one[1] = {1};
    ASSERT_OK(rw_h5_create(NULL, "a.h5", &f));
    rw_h5_close(&f);
    assert_int_equal(count_files(), 0);
    rw_h5_close(&f);
    ASSERT_OK(rw_h5_create(NULL, "a.h5", &f));
    ASSERT_OK(rw_h5_write(f, "old", RW_F64, 1, one, &value, 0));
    ASSERT_OK(rw_h5_commit(&f));
    ASSERT_OK(rw_h5_create(NULL, "a.h5", &f));
    ASSERT_OK(rw_h5_write(f, "new", RW_F64, 1, one, &value, 0));
    rw_h5_close(&f);
    ASSERT_OK(rw_h5_open(NULL, "a.h5", &f));
    assert_true(rw_h5_exists(f, "old") && !rw_h5_exists(f, "new"));
    rw_h5_close(&f);
    assert_int_equal(count_files(), 1);
    ASSERT_FAILS(rw_h5_create(NULL, "no/such/a.h5", &f), RW_ERR_FILE);
    ASSERT_FAILS(rw_h5_open(NULL, "none.h5", &f), RW_ERR_FILE);
    ASSERT_FAILS(rw_h5_open(NULL, ".", &f), RW_ERR_FILE);
    write_whole("text.h5", "not HDF5 at all\n", 16);
    ASSERT_FAILS(rw_h5_open(NULL, "text.h5", &f), RW_ERR_INPUT);
    assert_null(f);
}

static void make_file(const char *path)
{
    rw_h5 *f;
    double values[24];
    for (int i = 0; i < 24; i++) values[i] = i;
    ASSERT_OK(rw_h5_create(NULL, path, &f));
    ASSERT_OK(rw_h5_write(f, "/u", RW_F64, 3, (size_t[]){2, 3, 4}, values, 0));
    ASSERT_OK(rw_h5_write(f, "/state/p", RW_F32, 2, (size_t[]){3, 4}, values, RW_H5_CHECKSUM));
    ASSERT_OK(rw_h5_write(f, "/state/z", RW_C128, 1, (size_t[]){6}, values, RW_H5_CHECKSUM));
    ASSERT_OK(rw_h5_set_text(f, "/", "case", "a case"));
    ASSERT_OK(rw_h5_set_number(f, "/state", "time", 0.25));
    ASSERT_OK(rw_h5_set_integer(f, "/state", "step", 12));
    ASSERT_OK(rw_h5_link(f, "/other", "none.h5", "/x"));
    ASSERT_OK(rw_h5_commit(&f));
}

/* Everything that can be read from the file above; statuses do not matter here. */
static void read_everything(rw_h5 *f)
{
    static const char *const sets[] = {"/u", "/state/p", "/state/z", "/other"};
    static double back[4096];
    char **names, *text;
    int n, rank;
    size_t shape[4], bytes;
    rw_dtype type;
    int64_t integer;
    if (rw_h5_list(f, "/", &names, &n) == RW_OK) rw_h5_names_free(&names, n);
    if (rw_h5_list(f, "/state", &names, &n) == RW_OK) rw_h5_names_free(&names, n);
    for (int i = 0; i < RW_COUNT(sets); i++)
        if (rw_h5_shape(f, sets[i], &type, &rank, shape) == RW_OK &&
            rw_io_bytes(rank, shape, rw_dtype_size(type), &bytes) && bytes <= sizeof back)
            (void)rw_h5_read(f, sets[i], type, rank, shape, back);
    if (rw_h5_get_text(f, "/", "case", &text) == RW_OK) rw_free(text);
    (void)rw_h5_get_number(f, "/state", "time", back);
    (void)rw_h5_get_integer(f, "/state", "step", &integer);
}

static void test_truncated(void **state)
{
    (void)state;
    char *data;
    size_t n;
    rw_h5 *f;
    make_file("a.h5");
    read_whole("a.h5", &data, &n);
    for (size_t length = 0; length < n; length++) {
        write_whole("b.h5", data, length);
        ASSERT_FAILS(rw_h5_open(NULL, "b.h5", &f), RW_ERR_INPUT);
    }
    free(data);
}

/* Each byte changed: a status or wrong numbers where nothing is checked, but no crash and no hang (each in a process
 * of its own, for what could happen inside HDF5). */
static void test_damaged(void **state)
{
    (void)state;
    char *data;
    size_t n;
    int refused = 0;
    make_file("a.h5");
    read_whole("a.h5", &data, &n);
    for (size_t i = 0; i < n; i += 64) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            int bad = 0;
            alarm(60);
            for (size_t k = i; k < i + 64 && k < n; k++) {
                rw_h5 *f;
                char old = data[k];
                data[k] = (char)(k % 2 ? ~old : old ^ 1);
                write_whole("b.h5", data, n);
                data[k] = old;
                if (rw_h5_open(NULL, "b.h5", &f) == RW_OK) read_everything(f);
                else bad++;
                rw_h5_close(&f);
            }
            _exit(bad);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status)) fail_msg("damage in bytes %zu to %zu: signal %d", i, i + 63, WTERMSIG(status));
        refused += WEXITSTATUS(status);
    }
    assert_true(refused > 0);
    free(data);
}

/* Nothing may remain when the disk is full: neither the new file nor the loss of the old one. */
static void test_full_disk(void **state)
{
    (void)state;
    make_file("a.h5");
    pid_t child = fork(); /* HDF5 keeps what it could not write; it shall not disturb the other tests */
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit small = {100000, RLIM_INFINITY};
        static double values[100000];
        const size_t shape[1] = {100000};
        rw_h5 *f;
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &small) != 0) _exit(1);
        for (unsigned flags = 0; flags < 2; flags++) {
            if (rw_h5_create(NULL, "a.h5", &f) != RW_OK) _exit(2);
            rw_status status = rw_h5_write(f, "u", RW_F64, 1, shape, values, flags);
            if (status == RW_OK) status = rw_h5_commit(&f);
            else rw_h5_close(&f);
            if (status != RW_ERR_FILE) _exit(3);
        }
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(count_files(), 1);
    rw_h5 *f;
    ASSERT_OK(rw_h5_open(NULL, "a.h5", &f));
    assert_true(rw_h5_exists(f, "/state/p"));
    rw_h5_close(&f);
}

static rw_status write_and_read(void)
{
    double values[6] = {1, 2, 3, 4, 5, 6}, back[6];
    const size_t shape[2] = {2, 3};
    char *text = NULL, **names = NULL;
    int n = 0;
    int64_t step;
    rw_h5 *f = NULL;
    rw_status status;
    RW_TRY_GOTO(rw_h5_create(NULL, "f.h5", &f), out);
    RW_TRY_GOTO(rw_h5_group(f, "/g"), out);
    RW_TRY_GOTO(rw_h5_write(f, "/g/u", RW_F64, 2, shape, values, RW_H5_CHECKSUM), out);
    RW_TRY_GOTO(rw_h5_link(f, "/l", "f.h5", "/g/u"), out);
    RW_TRY_GOTO(rw_h5_set_text(f, "/", "text", "hello"), out);
    RW_TRY_GOTO(rw_h5_set_integer(f, "/g", "step", 5), out);
    RW_TRY_GOTO(rw_h5_commit(&f), out);
    RW_TRY_GOTO(rw_h5_open(NULL, "f.h5", &f), out);
    RW_TRY_GOTO(rw_h5_list(f, "/", &names, &n), out);
    status = rw_h5_read(f, "/g/u", RW_F64, 2, shape, back);
    if (status == RW_ERR_INPUT) status = RW_ERR_FILE; /* HDF5 does not tell a failed read from a damaged file */
    if (status != RW_OK) goto out;
    RW_TRY_GOTO(rw_h5_get_integer(f, "/g", "step", &step), out);
    RW_TRY_GOTO(rw_h5_get_text(f, "/", "text", &text), out);
out:
    rw_h5_names_free(&names, n);
    rw_free(text);
    rw_h5_close(&f);
    return status;
}

static void test_faults(void **state)
{
    (void)state;
    assert_true(each_fault(write_and_read, false) > 20);
    assert_int_equal(count_files(), 1);
}

/* The date that HDF5 asks for. */
static time_t later;

time_t time(time_t *result)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const time_t date = now.tv_sec + later;
    if (result) *result = date;
    return date;
}

/* The same calls a day apart give the same bytes, groups made on the way included. */
static void test_equal_files(void **state)
{
    (void)state;
    const double values[4] = {1, 2, 3, 4};
    const size_t shape[1] = {4};
    char *data[2];
    size_t n[2];
    for (int i = 0; i < 2; i++) {
        rw_h5 *f;
        later = 86400 * i;
        ASSERT_OK(rw_h5_create(NULL, "e.h5", &f));
        ASSERT_OK(rw_h5_write(f, "/a/b/u", RW_F64, 1, shape, values, RW_H5_CHECKSUM));
        ASSERT_OK(rw_h5_link(f, "/c/d/l", "e.h5", "/a/b/u"));
        ASSERT_OK(rw_h5_group(f, "/g/h"));
        ASSERT_OK(rw_h5_set_text(f, "/a/b", "text", "hello"));
        ASSERT_OK(rw_h5_commit(&f));
        ASSERT_OK(rw_file_read(NULL, "e.h5", 0, &data[i], &n[i]));
    }
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(data[0], data[1], n[0]);
    rw_free(data[0]);
    rw_free(data[1]);
    unlink("e.h5");
}

static herr_t own_handler(hid_t stack, void *data)
{
    (void)stack;
    ++*(int *)data;
    return 0;
}

/* The error handler of a program that uses HDF5 itself is not called by us and is there afterwards. */
static void test_handler(void **state)
{
    (void)state;
    int calls = 0;
    rw_h5 *f;
    H5E_auto2_t old, now;
    void *old_data, *data;
    H5Eget_auto2(H5E_DEFAULT, &old, &old_data);
    H5Eset_auto2(H5E_DEFAULT, own_handler, &calls);
    write_whole("text.h5", "not HDF5 at all\n", 16);
    ASSERT_FAILS(rw_h5_open(NULL, "text.h5", &f), RW_ERR_INPUT);
    make_file("a.h5");
    ASSERT_OK(rw_h5_open(NULL, "a.h5", &f));
    read_everything(f);
    rw_h5_close(&f);
    H5Eget_auto2(H5E_DEFAULT, &now, &data);
    assert_true(now == own_handler && data == &calls);
    assert_int_equal(calls, 0);
    H5Eset_auto2(H5E_DEFAULT, old, old_data);
}

static void *work(void *number)
{
    int k = *(int *)number;
    char name[32];
    const size_t shape[1] = {50};
    double values[50], back[50];
    for (int i = 0; i < 50; i++) values[i] = k * 100 + i;
    snprintf(name, sizeof name, "thread%d.h5", k);
    for (int round = 0; round < 20; round++) {
        rw_h5 *f;
        if (rw_h5_create(NULL, name, &f) != RW_OK || rw_h5_write(f, "u", RW_F64, 1, shape, values, 1) != RW_OK ||
            rw_h5_commit(&f) != RW_OK || rw_h5_open(NULL, name, &f) != RW_OK ||
            rw_h5_read(f, "u", RW_F64, 1, shape, back) != RW_OK || memcmp(values, back, sizeof back) != 0)
            return number;
        rw_h5_close(&f);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[4];
    int numbers[4] = {0, 1, 2, 3};
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, work, &numbers[i]), 0);
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

/* Everything in the file that h5py wrote. */
static void check_theirs(rw_h5 *f)
{
    rw_dtype type;
    int rank;
    size_t shape[4];
    double back[1000];
    float pair[4];
    char *text;
    int64_t integer;
    ASSERT_OK(rw_h5_shape(f, "i", &type, &rank, shape));
    assert_true(type == RW_F64 && rank == 2 && shape[0] == 2 && shape[1] == 3);
    ASSERT_OK(rw_h5_read(f, "i", RW_F64, 2, shape, back));
    for (int i = 0; i < 6; i++) assert_true(back[i] == i);
    ASSERT_OK(rw_h5_shape(f, "s", &type, &rank, shape));
    assert_int_equal(rank, 0);
    ASSERT_OK(rw_h5_read(f, "s", RW_F64, 0, shape, back));
    assert_true(back[0] == 2.5);
    ASSERT_OK(rw_h5_read(f, "b", RW_F64, 1, (size_t[]){3}, back));
    assert_true(back[2] == 2);
    ASSERT_OK(rw_h5_shape(f, "z", &type, &rank, shape));
    assert_int_equal(type, RW_C64);
    ASSERT_OK(rw_h5_read(f, "z", RW_C64, 1, shape, pair));
    assert_true(pair[0] == 1 && pair[1] == 2 && pair[2] == 3 && pair[3] == -4);
    ASSERT_OK(rw_h5_read(f, "packed", RW_F64, 1, (size_t[]){1000}, back));
    assert_true(back[999] == 999);
    static const char *const refused[] = {"text", "five", "null", "pair", "bomb", "loop", "sub"};
    for (int i = 0; i < RW_COUNT(refused); i++)
        ASSERT_FAILS(rw_h5_shape(f, refused[i], &type, &rank, shape), RW_ERR_INPUT);
    ASSERT_OK(rw_h5_get_text(f, "/", "text", &text));
    assert_string_equal(text, "grün");
    rw_free(text);
    ASSERT_OK(rw_h5_get_text(f, "/", "bytes", &text));
    assert_string_equal(text, "abc");
    rw_free(text);
    ASSERT_OK(rw_h5_get_integer(f, "/", "n", &integer));
    assert_int_equal(integer, 3);
    ASSERT_OK(rw_h5_get_number(f, "/", "x", back));
    assert_true(back[0] == 0.5);
    ASSERT_OK(rw_h5_get_numbers(f, "/", "list", 3, back));
    assert_true(back[2] == 3);
    ASSERT_FAILS(rw_h5_get_text(f, "/", "texts", &text), RW_ERR_INPUT);
    ASSERT_FAILS(rw_h5_get_number(f, "/", "null", back), RW_ERR_INPUT);
    assert_true(rw_h5_exists(f, "/sub/up/sub/up/b"));
}

static void test_h5py(void **state)
{
    (void)state;
    make_file("ours.h5");
    run_python("h5py",
               "import h5py, numpy as np\n"
               "f = h5py.File('ours.h5')\n"
               "assert (f['u'][:] == np.arange(24.).reshape(2,3,4)).all() and f['u'].dtype == '<f8'\n"
               "assert f['u'].chunks is None and f['state/p'].fletcher32 and not f['state/p'].compression\n"
               "z = np.arange(0,12,2) + 1j*np.arange(1,12,2)\n"
               "assert f['state/z'].dtype == '<c16' and (f['state/z'][:] == z).all()\n"
               "s = f.attrs['case']; assert (s.decode() if isinstance(s, bytes) else s) == 'a case'\n"
               "assert f['state'].attrs['time'] == 0.25 and f['state'].attrs['step'] == 12\n"
               "assert isinstance(f.get('other', getlink=True), h5py.ExternalLink)\n"
               "def write(name, libver):\n"
               " g = h5py.File(name, 'w', libver=libver)\n"
               " g['i'] = np.arange(6, dtype='>i2').reshape(2,3); g['s'] = 2.5; g['b'] = np.arange(3, dtype='>f8')\n"
               " g['z'] = np.array([1+2j, 3-4j], dtype='c8'); g['text'] = 'text'; g['five'] = np.zeros((1,)*5)\n"
               " g['null'] = h5py.Empty('f8'); g['pair'] = np.zeros(2, dtype=[('x','f8'),('y','f8')])\n"
               " g.create_dataset('packed', data=np.arange(1000.), compression='gzip', shuffle=True, fletcher32=True)\n"
               " g.create_dataset('bomb', shape=(2**20, 2**20, 2**20), dtype='f8', chunks=(1, 1, 64))\n"
               " g.attrs['text'] = 'grün'; g.attrs['bytes'] = np.bytes_(b'abc')\n"
               " g.attrs['n'] = 3; g.attrs['x'] = np.float32(0.5)\n"
               " g.attrs['list'] = [1, 2, 3]; g.attrs['texts'] = ['a', 'b']; g.attrs['null'] = h5py.Empty('f8')\n"
               " g['loop'] = h5py.SoftLink('/loop'); g['sub/up'] = g['/']\n"
               " g.close()\n"
               "write('old.h5', 'earliest'); write('theirs.h5', ('v110', 'v110'))\n");
    rw_h5 *f;
    ASSERT_OK(rw_h5_open(NULL, "theirs.h5", &f));
    check_theirs(f);
    rw_h5_close(&f);
    ASSERT_FAILS(rw_h5_open(NULL, "old.h5", &f), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(NULL), "h5repack"));
    ASSERT_FAILS(rw_h5_open(NULL, "none.h5", &f), RW_ERR_FILE);
    ASSERT_FAILS(rw_h5_open(NULL, "check.py", &f), RW_ERR_INPUT);
}

/* One array over several files with its axes: as xarray opens it and netCDF-4 specifies it. */
static void test_stack(void **state)
{
    (void)state;
    static const char *const scales[] = {"t", "y", "x"}, *const files[] = {"0.h5", NULL, "2.h5"};
    const size_t source[] = {1, 2, 3}, shape[] = {2, 3}, all[] = {3, 2, 3};
    const double t[] = {0, 0.5, 1}, y[] = {10, 20}, x[] = {1, 2, 3};
    double u[18];
    rw_h5 *f;
    for (int k = 0; k < 3; k += 2) {
        for (int i = 0; i < 6; i++) u[i] = 100 * k + i;
        ASSERT_OK(rw_h5_create(NULL, files[k], &f));
        ASSERT_OK(rw_h5_write(f, "u", RW_F32, 3, source,
                              (float[]){(float)u[0], (float)u[1], (float)u[2], (float)u[3], (float)u[4], (float)u[5]},
                              0));
        ASSERT_OK(rw_h5_commit(&f));
    }
    ASSERT_OK(rw_h5_create(NULL, "all.h5", &f));
    ASSERT_OK(rw_h5_write_scale(f, "t", 0, 3, t));
    ASSERT_OK(rw_h5_write_scale(f, "y", 1, 2, y));
    ASSERT_OK(rw_h5_write_scale(f, "x", 2, 3, x));
    ASSERT_OK(rw_h5_write_stack(f, "u", RW_F32, 3, 2, shape, files, "u", 3, source));
    ASSERT_OK(rw_h5_write_stack(f, "v", RW_F32, 3, 2, shape, files, "u", 3, source));
    ASSERT_OK(rw_h5_set_scales(f, "u", 3, scales));
    ASSERT_OK(rw_h5_set_scales(f, "v", 3, scales));
    assert_int_equal(rw_h5_set_scales(f, "u", 5, scales), RW_ERR_ARGUMENT);
    assert_int_equal(rw_h5_set_scales(f, "v", 3, (const char *const[]){"t", "y", "z"}), RW_ERR_FILE);
    assert_int_equal(rw_h5_write_stack(f, "w", RW_F32, 3, 4, all, files, "u", 3, source), RW_ERR_ARGUMENT);
    assert_int_equal(rw_h5_write_stack(f, "u", RW_F32, 3, 2, shape, files, "u", 3, source), RW_ERR_ARGUMENT);
    ASSERT_OK(rw_h5_commit(&f));
    ASSERT_OK(rw_h5_open(NULL, "all.h5", &f));
    ASSERT_OK(rw_h5_read(f, "u", RW_F64, 3, all, u));
    for (int i = 0; i < 18; i++) {
        if (i / 6 == 1) assert_true(isnan(u[i]));
        else assert_true(u[i] == 100 * (i / 6) + i % 6);
    }
    rw_h5_close(&f);
    run_python("h5py, xarray, h5netcdf",
               "import h5py, xarray, numpy as np\n"
               "f = h5py.File('all.h5')\n"
               "assert [d[0].name for d in f['u'].dims] == ['/t', '/y', '/x'] and h5py.h5ds.is_scale(f['t'].id)\n"
               "assert [len(f[n].attrs['REFERENCE_LIST']) for n in 'tyx'] == [2, 2, 2]\n"
               "assert f['t'].attrs['_Netcdf4Dimid'].dtype == np.int32\n"
               "d = xarray.open_dataset('all.h5', engine='h5netcdf')\n"
               "assert dict(d.sizes) == dict(t=3, y=2, x=3) and sorted(d.data_vars) == ['u', 'v']\n"
               "assert sorted(d.coords) == ['t', 'x', 'y'] and float(d.u.sel(t=1, y=20, x=3)) == 205\n"
               "assert d.u.isel(t=1).isnull().all() and d.u.dtype == np.float32\n");
}

/* An untrusted file whose parts lead to other files: by external links (absolute, upwards, through a soft link),
 * external raw data, a virtual dataset. None of them is read, and a pipe is not even opened: that would wait for
 * ever. */
static void test_other_files(void **state)
{
    (void)state;
    rw_h5 *f;
    double value = 7, back = 0;
    const size_t one[1] = {1};
    const hsize_t length = 1;
    char here[4096], absolute[4200];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(absolute, sizeof absolute, "%s/data.h5", here);
    ASSERT_OK(rw_h5_create(NULL, "data.h5", &f));
    ASSERT_OK(rw_h5_write(f, "/u", RW_F64, 1, one, &value, 0));
    ASSERT_OK(rw_h5_set_number(f, "/u", "t", 1));
    ASSERT_OK(rw_h5_commit(&f));
    write_whole("secret", "root:x:0", 8);
    assert_int_equal(mkdir("sub", 0777), 0);
    assert_int_equal(mkfifo("pipe", 0600), 0);

    hid_t list = H5Pcreate(H5P_FILE_ACCESS), raw = H5Pcreate(H5P_DATASET_CREATE),
          virtual = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110);
    hid_t file = H5Fcreate("sub/a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, list), space = H5Screate_simple(1, &length, NULL);
    assert_true(H5Lcreate_external(absolute, "/u", file, "absolute", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external("../data.h5", "/u", file, "up", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external("x/../../data.h5", "/", file, "group", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external("../pipe", "/u", file, "pipe", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_soft("/absolute", file, "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Pset_external(raw, "../secret", 0, 8) >= 0);
    H5Dclose(H5Dcreate2(file, "raw", H5T_IEEE_F64LE, space, H5P_DEFAULT, raw, H5P_DEFAULT));
    assert_true(H5Pset_virtual(virtual, space, "../data.h5", "/u", space) >= 0);
    H5Dclose(H5Dcreate2(file, "virtual", H5T_IEEE_F64LE, space, H5P_DEFAULT, virtual, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(file, "own", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    assert_true(H5Lcreate_soft("/own", file, "inside", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Sclose(space), H5Pclose(raw), H5Pclose(virtual), H5Fclose(file);

    static const char *const refused[][2] = {{"/absolute", "data.h5'"},
                                             {"/up", "../data.h5'"},
                                             {"/group/u", "x/../../data.h5'"},
                                             {"/pipe", "../pipe'"},
                                             {"/soft", "data.h5'"},
                                             {"/raw", "../secret' (external raw data)"},
                                             {"/virtual", "../data.h5' (a virtual dataset)"}};
    for (int alone = 0; alone < 2; alone++) {
        ASSERT_OK((alone ? rw_h5_open_alone : rw_h5_open)(NULL, "sub/a.h5", &f));
        for (int i = 0; i < RW_COUNT(refused); i++) {
            rw_dtype type;
            int rank;
            size_t shape[RW_IO_RANK];
            ASSERT_FAILS(rw_h5_read(f, refused[i][0], RW_F64, 1, one, &back), RW_ERR_INPUT);
            if (!strstr(rw_message(NULL), refused[i][1])) fail_msg("%s: %s", refused[i][0], rw_message(NULL));
            ASSERT_FAILS(rw_h5_shape(f, refused[i][0], &type, &rank, shape), RW_ERR_INPUT);
            if (i >= 5) continue; /* they are objects of this file */
            ASSERT_FAILS(rw_h5_get_number(f, refused[i][0], "t", &back), RW_ERR_INPUT);
            assert_non_null(strstr(rw_message(NULL), "is a link to another file"));
            assert_false(rw_h5_exists(f, refused[i][0]));
        }
        assert_true(back == 0);
        ASSERT_OK(rw_h5_read(f, "/inside", RW_F64, 1, one, &back));
        ASSERT_FAILS(rw_h5_read(f, "/none", RW_F64, 1, one, &back), RW_ERR_INPUT);
        assert_non_null(strstr(rw_message(NULL), "is not in the file"));
        rw_h5_close(&f);
    }

    /* below the same folder: an index of files, followed unless rw_h5_open_alone opened it */
    file = H5Fcreate("index.h5", H5F_ACC_TRUNC, H5P_DEFAULT, list);
    assert_true(H5Lcreate_external("data.h5", "/u", file, "u", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file), H5Pclose(list);
    ASSERT_OK(rw_h5_open(NULL, "index.h5", &f));
    ASSERT_OK(rw_h5_read(f, "/u", RW_F64, 1, one, &back));
    assert_true(back == 7);
    rw_h5_close(&f);
    ASSERT_OK(rw_h5_open_alone(NULL, "index.h5", &f));
    ASSERT_FAILS(rw_h5_read(f, "/u", RW_F64, 1, one, &back), RW_ERR_INPUT);
    rw_h5_close(&f);
}

#if RW_WITH_CGNS
static void make_cgns(const char *path, int kind)
{
    int file, base, zone;
    cgsize_t size[9] = {3, 3, 3, 2, 2, 2, 0, 0, 0};
    cg_set_file_type(kind);
    assert_int_equal(cg_open(path, CG_MODE_WRITE, &file), CG_OK);
    assert_int_equal(cg_base_write(file, "Base", 3, 3, &base), CG_OK);
    assert_int_equal(cg_zone_write(file, base, "A", size, CGNS_ENUMV(Structured), &zone), CG_OK);
    assert_int_equal(cg_close(file), CG_OK);
}

/* The same of grids, in both kinds of CGNS files. */
static void test_other_files_of_cgns(void **state)
{
    (void)state;
    static const int kinds[] = {CG_FILE_HDF5, CG_FILE_ADF};
    rw_cgns grid;
    int file;
    make_cgns("other.cgns", CG_FILE_HDF5);
    for (int k = 0; k < 2; k++) {
        make_cgns("a.cgns", kinds[k]);
        ASSERT_OK(rw_cgns_read(NULL, "a.cgns", &grid));
        assert_int_equal(grid.nzones, 1);
        rw_cgns_free(&grid);
        assert_int_equal(cg_open("a.cgns", CG_MODE_MODIFY, &file), CG_OK);
        assert_int_equal(cg_goto(file, 1, "end"), CG_OK);
        assert_int_equal(cg_link_write("Linked", "other.cgns", "/Base/A"), CG_OK);
        assert_int_equal(cg_close(file), CG_OK);
        ASSERT_FAILS(rw_cgns_read(NULL, "a.cgns", &grid), RW_ERR_INPUT);
        assert_non_null(strstr(rw_message(NULL), "is a link to another"));
    }
    const hsize_t length = 8;
    hid_t f = H5Fopen("other.cgns", H5F_ACC_RDWR, H5P_DEFAULT), raw = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(1, &length, NULL);
    assert_true(H5Pset_external(raw, "secret", 0, 8) >= 0);
    H5Dclose(H5Dcreate2(f, "/Base/raw", H5T_STD_U8LE, space, H5P_DEFAULT, raw, H5P_DEFAULT));
    H5Sclose(space), H5Pclose(raw), H5Fclose(f);
    ASSERT_FAILS(rw_cgns_read(NULL, "other.cgns", &grid), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(NULL), "'secret' (external raw data)"));
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] =
    { IO_TEST(test_round_trip),
      IO_TEST(test_chunks),
      IO_TEST(test_conversions),
      IO_TEST(test_attributes),
      IO_TEST(test_groups_and_links),
      IO_TEST(test_whole_or_nothing),
      IO_TEST(test_truncated),
      IO_TEST(test_damaged),
      IO_TEST(test_full_disk),
      IO_TEST(test_faults),
      IO_TEST(test_handler),
      IO_TEST(test_threads),
      IO_TEST(test_h5py),
      IO_TEST(test_equal_files),
      IO_TEST(test_stack),
      IO_TEST(test_other_files),
#if RW_WITH_CGNS
      IO_TEST(test_other_files_of_cgns),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
