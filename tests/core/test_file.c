/* Files: whole or not at all. Every read, write, fsync, rename and allocation is made to fail once; afterwards the old
 * file is as it was and nothing lies beside it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/core.h"
#include "core/leftover.h"
#include "core/temporary.h"

static char home[4096], folder[] = "rw-file-XXXXXX";

/* Each test works in an empty folder of its own. */
static int enter(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return !getcwd(home, sizeof(home)) || !mkdtemp(folder) || chdir(folder);
}

static int leave(void **state)
{
    (void)state;
    char command[64];
    rw_fault_set(RW_FAULT_ALLOC, 0);
    rw_fault_set(RW_FAULT_READ, 0);
    rw_fault_set(RW_FAULT_WRITE, 0);
    snprintf(command, sizeof(command), "rm -rf ./%s", folder);
    return chdir(home) || system(command);
}

static int count_files(const char *path)
{
    int n = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    while (readdir(dir)) n++;
    closedir(dir);
    return n - 2;
}

static void assert_content(const char *path, const void *expected, size_t n)
{
    char *data;
    size_t length;
    assert_int_equal(rw_file_read(NULL, path, 0, &data, &length), RW_OK);
    assert_int_equal(length, n);
    if (n) assert_memory_equal(data, expected, n);
    assert_int_equal(data[n], 0);
    rw_free(data);
}

static void assert_fails(rw_status status, rw_status expected, const char *part, const char *other_part)
{
    assert_int_equal(status, expected);
    if (!strstr(rw_message(NULL), part) || !strstr(rw_message(NULL), other_part)) fail_msg("%s", rw_message(NULL));
}

/* n bytes that are no text; to be freed. */
static char *some_bytes(size_t n, uint64_t seed)
{
    char *data = malloc(n + 1);
    assert_non_null(data);
    for (size_t i = 0; i < n; i++) data[i] = (char)rw_random_u64(seed, i);
    return data;
}

static void test_round_trip(void **state)
{
    (void)state;
    static const size_t MIB = 1 << 20, sizes[] = {0, 1, 4096, MIB - 1, MIB, MIB + 1, 5 * MIB / 2};
    for (int i = 0; i < RW_COUNT(sizes); i++) {
        char *data = some_bytes(sizes[i], (uint64_t)i);
        assert_int_equal(rw_file_write(NULL, "a", data, sizes[i]), RW_OK);
        assert_content("a", data, sizes[i]);
        assert_int_equal(count_files("."), 1);
        free(data);
    }
    assert_int_equal(rw_file_write(NULL, "a", NULL, 0), RW_OK);
    assert_content("a", "", 0);
}

static void test_messages(void **state)
{
    (void)state;
    char *data;
    size_t n = 7;
    assert_int_equal(rw_file_read(NULL, "missing.yaml", 0, &data, &n), RW_ERR_FILE);
    assert_string_equal(rw_message(NULL), "cannot open 'missing.yaml': No such file or directory: check the path");
    assert_null(data);
    assert_int_equal(n, 0);
    assert_fails(rw_file_read(NULL, ".", 0, &data, NULL), RW_ERR_FILE, "cannot read '.'", "give the path of a file");
    assert_fails(rw_file_read(NULL, "", 0, &data, NULL), RW_ERR_ARGUMENT, "rw_file_read", "path is empty");
    assert_fails(rw_file_read(NULL, NULL, 0, &data, NULL), RW_ERR_ARGUMENT, "rw_file_read", "path is NULL");
    assert_fails(rw_file_read(NULL, "a", 0, NULL, NULL), RW_ERR_ARGUMENT, "rw_file_read", "data is NULL");
    assert_fails(rw_file_write(NULL, "no/a", "x", 1), RW_ERR_FILE, "'no/a'", "check the path");
    assert_fails(rw_file_write(NULL, ".", "x", 1), RW_ERR_FILE, "cannot write '.'", "give the path of a file");
    assert_fails(rw_file_write(NULL, "", "x", 1), RW_ERR_ARGUMENT, "path", "empty");
    assert_fails(rw_file_write(NULL, "a", NULL, 1), RW_ERR_ARGUMENT, "data is NULL", "n = 1");
    assert_fails(rw_file_replace_begin(NULL, "a", NULL), RW_ERR_ARGUMENT, "rw_file_replace_begin", "NULL");
    assert_fails(rw_file_replace_commit(NULL, "a", NULL), RW_ERR_ARGUMENT, "rw_file_replace_commit", "NULL");
    assert_fails(rw_folder_create(NULL, ""), RW_ERR_ARGUMENT, "rw_folder_create", "empty");
    assert_int_equal(count_files("."), 0);
}

static void test_limit(void **state)
{
    (void)state;
    char *data;
    size_t n;
    assert_int_equal(rw_file_write(NULL, "a", "0123456789", 10), RW_OK);
    assert_int_equal(rw_file_read(NULL, "a", 10, &data, &n), RW_OK);
    assert_string_equal(data, "0123456789");
    rw_free(data);
    assert_fails(rw_file_read(NULL, "a", 9, &data, &n), RW_ERR_FILE, "'a'", "exceeds the limit of 9 bytes");
    assert_null(data);
    assert_fails(rw_file_read(NULL, "/dev/zero", 100000, &data, &n), RW_ERR_FILE, "'/dev/zero'", "100000 bytes");
}

/* The n-th write, fsync or rename fails. */
static void test_write_faults(void **state)
{
    (void)state;
    size_t size = 5 << 19; /* 2.5 MiB: three writes */
    char *data = some_bytes(size, 1);
    rw_status status = RW_ERR_FILE;
    int n;
    assert_int_equal(rw_file_write(NULL, "a", "the old file", 12), RW_OK);
    for (n = 1; status != RW_OK; n++) {
        rw_fault_set(RW_FAULT_WRITE, n);
        status = rw_file_write(NULL, "a", data, size);
        rw_fault_set(RW_FAULT_WRITE, 0);
        if (status != RW_OK) {
            assert_fails(status, RW_ERR_FILE, "'a'", strerror(n <= 3 ? ENOSPC : EIO));
            assert_content("a", "the old file", 12);
        }
        assert_int_equal(count_files("."), 1);
    }
    assert_int_equal(n - 2, 5); /* failures: three writes, fsync, rename */
    assert_content("a", data, size);
    free(data);
}

static void test_read_faults(void **state)
{
    (void)state;
    size_t size = 5 << 19, length;
    char *data = some_bytes(size, 1), *read;
    assert_int_equal(rw_file_write(NULL, "a", data, size), RW_OK);
    rw_status status = RW_ERR_FILE;
    int n;
    for (n = 1; status != RW_OK; n++) {
        rw_fault_set(RW_FAULT_READ, n);
        status = rw_file_read(NULL, "a", 0, &read, &length);
        rw_fault_set(RW_FAULT_READ, 0);
        if (status == RW_OK) break;
        assert_fails(status, RW_ERR_FILE, "cannot read 'a'", strerror(EIO));
        assert_null(read);
        assert_int_equal(length, 0);
    }
    assert_int_equal(n - 1, 4); /* three pieces and the end of the file */
    rw_free(read);
    free(data);
}

/* One call with the n-th allocation failing, for each that allocates. */
static rw_status one_of(int which)
{
    char *text = NULL;
    rw_status status;
    switch (which) {
    case 0: return rw_file_write(NULL, "a", "new", 3);
    case 1: status = rw_file_read(NULL, "a", 0, &text, NULL); break;
    case 2: return rw_folder_create(NULL, "b/c/d");
    case 3: status = rw_file_read(NULL, "/proc/self/status", 0, &text, NULL); break; /* length not known before */
    default:
        status = rw_file_replace_begin(NULL, "link", &text);
        if (status == RW_OK) status = rw_file_replace_commit(NULL, "link", &text);
        assert_null(text);
    }
    rw_free(text);
    return status;
}

static void test_allocation_faults(void **state)
{
    (void)state;
    for (int which = 0; which <= 4; which++) {
        assert_int_equal(rw_file_write(NULL, "a", "old", 3), RW_OK);
        if (which == 4) assert_int_equal(symlink("a", "link"), 0);
        int files = count_files("."), n;
        rw_status status = RW_ERR_MEMORY;
        for (n = 1; status != RW_OK; n++) {
            rw_fault_set(RW_FAULT_ALLOC, n);
            status = one_of(which);
            rw_fault_set(RW_FAULT_ALLOC, 0);
            if (status == RW_OK) break;
            assert_fails(status, RW_ERR_MEMORY, "out of host memory", "bytes for");
            assert_content("a", "old", 3);
            assert_int_equal(count_files("."), files);
        }
        assert_true(n > 1);
    }
}

static void test_replace_in_two_halves(void **state)
{
    (void)state;
    char *temporary, *other;
    assert_int_equal(rw_file_write(NULL, "field.h5", "old", 3), RW_OK);
    assert_int_equal(rw_file_replace_begin(NULL, "./field.h5", &temporary), RW_OK);
    assert_int_equal(rw_file_replace_begin(NULL, "field.h5", &other), RW_OK);
    assert_memory_equal(temporary, "./field.h5.", 11); /* beside it, and each its own */
    assert_string_not_equal(temporary + 2, other);
    FILE *file = fopen(temporary, "wb");
    assert_non_null(file);
    fputs("new", file);
    fclose(file);
    assert_content("field.h5", "old", 3);
    rw_file_replace_discard(&other);
    assert_null(other);
    rw_file_replace_discard(&other);
    rw_file_replace_discard(NULL);
    assert_int_equal(rw_file_replace_commit(NULL, "./field.h5", &temporary), RW_OK);
    assert_null(temporary);
    assert_content("field.h5", "new", 3);
    assert_int_equal(count_files("."), 1);

    /* the writer removed its file: commit fails and the old one stays */
    assert_int_equal(rw_file_replace_begin(NULL, "field.h5", &temporary), RW_OK);
    unlink(temporary);
    assert_fails(rw_file_replace_commit(NULL, "field.h5", &temporary), RW_ERR_FILE, "'field.h5'", strerror(ENOENT));
    assert_null(temporary);
    assert_content("field.h5", "new", 3);
    assert_int_equal(rw_file_replace_begin(NULL, "field.h5", &temporary), RW_OK);
    assert_fails(rw_file_replace_commit(NULL, NULL, &temporary), RW_ERR_ARGUMENT, "path", "NULL");
    assert_null(temporary);
    assert_int_equal(count_files("."), 1);
}

/* A crashed process of the same number may have left its temporary file. */
static void test_temporary_names_left_over(void **state)
{
    (void)state;
    char *temporary, left[64];
    int process, count;
    assert_int_equal(rw_file_replace_begin(NULL, "a", &temporary), RW_OK);
    assert_int_equal(sscanf(temporary, "a.%d-%d.tmp", &process, &count), 2);
    assert_int_equal(process, getpid());
    rw_file_replace_discard(&temporary);
    for (int k = 1; k <= 3; k++) {
        snprintf(left, sizeof(left), "a.%d-%d.tmp", process, count + k);
        close(open(left, O_WRONLY | O_CREAT, 0600));
    }
    assert_int_equal(rw_file_write(NULL, "a", "x", 1), RW_OK);
    assert_content("a", "x", 1);
    assert_int_equal(count_files("."), 4);
}

static void test_long_names(void **state)
{
    (void)state;
    char name[300];
    memset(name, 'n', sizeof(name));
    name[255] = '\0'; /* the longest name that Linux allows */
    assert_int_equal(rw_file_write(NULL, name, "x", 1), RW_OK);
    assert_content(name, "x", 1);
    name[255] = 'n', name[256] = '\0';
    assert_fails(rw_file_write(NULL, name, "x", 1), RW_ERR_FILE, strerror(ENAMETOOLONG), "choose a shorter name");
    assert_int_equal(count_files("."), 1);
}

static void test_permissions_and_links(void **state)
{
    (void)state;
    struct stat info;
    assert_int_equal(rw_file_write(NULL, "secret", "old", 3), RW_OK);
    assert_int_equal(chmod("secret", 0600), 0);
    assert_int_equal(rw_file_write(NULL, "secret", "new", 3), RW_OK);
    assert_int_equal(stat("secret", &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);

    assert_int_equal(mkdir("data", 0777), 0);
    assert_int_equal(symlink("data/real", "link"), 0);
    assert_fails(rw_file_write(NULL, "link", "x", 1), RW_ERR_FILE, "cannot follow the link 'link'", strerror(ENOENT));
    assert_int_equal(rw_file_write(NULL, "data/real", "old", 3), RW_OK);
    assert_int_equal(rw_file_write(NULL, "link", "new", 3), RW_OK);
    assert_true(lstat("link", &info) == 0 && S_ISLNK(info.st_mode));
    assert_content("data/real", "new", 3);
    assert_int_equal(count_files("data"), 1);
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_fails(rw_file_write(NULL, "loop", "x", 1), RW_ERR_FILE, "'loop'", "a symbolic link leads to itself");

    if (geteuid() == 0) skip(); /* root may write everywhere */
    assert_int_equal(chmod("secret", 0400), 0);
    assert_fails(rw_file_write(NULL, "secret", "x", 1), RW_ERR_FILE, "'secret'", strerror(EACCES));
    assert_int_equal(chmod("data", 0500), 0);
    assert_fails(rw_file_write(NULL, "data/b", "x", 1), RW_ERR_FILE, "'data/b'", "check the permissions");
    assert_fails(rw_folder_create(NULL, "data/c/d"), RW_ERR_FILE, "'data/c'", strerror(EACCES));
    assert_int_equal(chmod("data", 0700), 0);
}

/* A true failure of the system in the middle of the file. */
static void test_file_size_limit(void **state)
{
    (void)state;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 3 << 19;
    char *data = some_bytes(5 << 19, 1);
    assert_int_equal(rw_file_write(NULL, "a", "old", 3), RW_OK);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    rw_status status = rw_file_write(NULL, "a", data, 5 << 19);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_fails(status, RW_ERR_FILE, "cannot write 'a'", strerror(EFBIG));
    assert_content("a", "old", 3);
    assert_int_equal(count_files("."), 1);
    free(data);
}

static void on_alarm(int number) { (void)number; }

/* Reads a pipe that fills slowly while signals interrupt every wait. */
static void test_pipe_and_signals(void **state)
{
    (void)state;
    enum { SIZE = 300000, PIECES = 10 };
    char *data = some_bytes(SIZE, 1);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    /* stands for a device: a mistake here, run by root, would replace /dev/null by a file */
    assert_fails(rw_file_write(NULL, "pipe", "x", 1), RW_ERR_FILE, "'pipe'", "a device or a pipe");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        usleep(20000);
        int fd = open("pipe", O_WRONLY);
        for (int i = 0; i < PIECES; i++) {
            for (ssize_t put, done = 0; done < SIZE / PIECES; done += put) {
                put = write(fd, data + i * (SIZE / PIECES) + done, (size_t)(SIZE / PIECES - done));
                if (put < 0) _exit(1);
            }
            usleep(5000);
        }
        free(data);
        _exit(0);
    }
    struct sigaction action = {.sa_handler = on_alarm}; /* no SA_RESTART */
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    char *read;
    size_t n;
    rw_status status = rw_file_read(NULL, "pipe", 0, &read, &n);
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGALRM, SIG_IGN); /* one may still be on its way */
    int code;
    waitpid(child, &code, 0);
    if (status != RW_OK) fail_msg("%s", rw_message(NULL));
    assert_int_equal(n, SIZE);
    assert_memory_equal(read, data, SIZE);
    assert_int_equal(code, 0);
    rw_free(read);
    free(data);
}

static void *write_often(void *letter)
{
    static char data[2][100000];
    char *mine = data[*(char *)letter - 'A'];
    memset(mine, *(char *)letter, sizeof(data[0]));
    for (int i = 0; i < 30; i++)
        if (rw_file_write(NULL, "shared", mine, sizeof(data[0])) != RW_OK) return "a write failed";
    return NULL;
}

/* Two writers, one reader: what is read is always one writer's file, whole. */
static void test_concurrent_writers(void **state)
{
    (void)state;
    pthread_t threads[2];
    char letters[2] = {'A', 'B'};
    char first[100000];
    memset(first, 'C', sizeof(first));
    assert_int_equal(rw_file_write(NULL, "shared", first, sizeof(first)), RW_OK);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, write_often, &letters[i]), 0);
    for (int i = 0; i < 60; i++) {
        char *data;
        size_t n;
        assert_int_equal(rw_file_read(NULL, "shared", 0, &data, &n), RW_OK);
        assert_int_equal(n, 100000);
        for (size_t k = 1; k < n; k++) assert_true(data[k] == data[0]);
        rw_free(data);
    }
    for (int i = 0; i < 2; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        if (wrong) fail_msg("%s", (char *)wrong);
    }
    assert_int_equal(count_files("."), 1);
}

static void test_folders(void **state)
{
    (void)state;
    struct stat info;
    static const char *const good[] = {"a", "a", "a/b/c", "a/b/c/", "x//y///z", "./p/./q", "a/../r", "/", "."};
    for (int i = 0; i < RW_COUNT(good); i++) {
        if (rw_folder_create(NULL, good[i]) != RW_OK) fail_msg("%s", rw_message(NULL));
        assert_true(stat(good[i], &info) == 0 && S_ISDIR(info.st_mode));
    }
    assert_int_equal(rw_file_write(NULL, "file", "x", 1), RW_OK);
    assert_int_equal(rw_folder_create(NULL, "file/sub"), RW_ERR_FILE);
    assert_string_equal(rw_message(NULL), "cannot create the folder 'file/sub': 'file' is a file: "
                                          "choose another name or remove it");
    assert_int_equal(rw_folder_create(NULL, "file"), RW_ERR_FILE);
    assert_fails(rw_folder_create(NULL, "/proc/no/such"), RW_ERR_FILE, "'/proc/no'", strerror(ENOENT));
}

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

/* With descriptors 0 to `low` - 1 closed, no file of the library gets one of them. In a child: the test prints. */
static void test_closed_descriptors(void **state)
{
    (void)state;
    for (int closed = 1; closed < 8; closed++) {
        const pid_t child = fork();
        if (child == 0) {
            for (int fd = 0; fd < 3; fd++)
                if (closed >> fd & 1) close(fd);
            const int a = rw_open("a", O_RDWR | O_CREAT, 0666), b = rw_open_at(AT_FDCWD, "a", O_RDONLY, 0),
                      c = rw_fd_above(dup(a));
            FILE *file = rw_fopen("b", "wb"), *again = rw_fopen("b", "rb");
            const rw_fd_guard guard = rw_fd_guard_enter();
            const int d = open("a", O_RDONLY);
            rw_fd_guard_leave(guard);
            bool good = a > 2 && b > 2 && c > 2 && d > 2 && file && fileno(file) > 2 && again && fileno(again) > 2;
            good = good && fcntl(a, F_GETFD) == FD_CLOEXEC && fcntl(c, F_GETFD) == FD_CLOEXEC;
            for (int fd = 0; fd < 3; fd++)
                good = good && (fcntl(fd, F_GETFD) < 0) == (bool)(closed >> fd & 1); /* left as they were */
            good = good && rw_file_write(NULL, "c", "123", 3) == RW_OK && !rw_fopen("b", "wx") && errno == EEXIST;
            _exit(good ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0) fail_msg("descriptors %d closed: status %d", closed, status);
        assert_content("c", "123", 3);
    }
}

/* ---- leftovers --------------------------------------------------------------------------------------------------- */

/* In a child: rw_abandon removes an incomplete file and folder and ends a process; a complete file remains. */
static void test_abandon(void **state)
{
    (void)state;
    assert_int_equal(rw_file_write(NULL, "old", "old", 3), RW_OK);
    setenv("TMPDIR", ".", 1);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        char *a, *b;
        rw_temporary t;
        const pid_t sleeper = fork();
        if (sleeper == 0) {
            setpgid(0, 0);
            for (;;) pause();
        }
        setpgid(sleeper, sleeper);
        rw_leftover_lock();
        rw_leftover_add_process(sleeper, true);
        rw_leftover_unlock();
        bool good = rw_file_replace_begin(NULL, "old", &a) == RW_OK && rw_file_replace_begin(NULL, "new", &b) == RW_OK;
        good = good && rw_file_replace_commit(NULL, "new", &b) == RW_OK && rw_temporary_create(NULL, &t) == RW_OK;
        good = good && chdir(t.path) == 0 && rw_file_write(NULL, "within", "x", 1) == RW_OK && chdir("..") == 0;
        good = good && count_files(".") == 4 && write(ends[1], &sleeper, sizeof sleeper) == sizeof sleeper;
        rw_abandon();
        _exit(good ? 0 : 1);
    }
    int status;
    pid_t sleeper;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read(ends[0], &sleeper, sizeof sleeper), sizeof sleeper);
    close(ends[0]), close(ends[1]);
    assert_int_equal(kill(sleeper, 0), -1);
    assert_int_equal(count_files("."), 2);
    assert_content("old", "old", 3);
    unsetenv("TMPDIR");
}

/* A file that a killed process has left has no lock; one that another process is writing has one. */
static void test_sweep(void **state)
{
    (void)state;
    const int here = open(".", O_RDONLY | O_DIRECTORY), held = rw_open("held.tmp", O_RDWR | O_CREAT, 0600);
    assert_true(here >= 0 && held >= 0 && flock(held, LOCK_EX | LOCK_NB) == 0);
    assert_int_equal(rw_file_write(NULL, "left.tmp", "x", 1), RW_OK);
    assert_int_equal(symlink("held.tmp", "link.tmp"), 0);
    rw_file_sweep(here, "held.tmp"), rw_file_sweep(here, "left.tmp"), rw_file_sweep(here, "link.tmp");
    assert_true(access("held.tmp", F_OK) == 0 && access("left.tmp", F_OK) != 0 && access("link.tmp", F_OK) == 0);
    close(held);
    rw_file_sweep(here, "held.tmp");
    assert_true(access("held.tmp", F_OK) != 0);
    close(here);
}

/* Last changed two hours ago. */
static void leave_file(char name[64], const char *format, long process)
{
    const struct timespec old = {.tv_sec = time(NULL) - 7200}, times[2] = {old, old};
    snprintf(name, 64, format, process);
    assert_int_equal(close(open(name, O_WRONLY | O_CREAT | O_EXCL, 0600)), 0);
    assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
}

/* Writing a file again removes what ended processes have left of it, and nothing else. First of all tests: a folder is
 * read once. */
static void test_abandoned(void **state)
{
    (void)state;
    enum { GONE = 4 };
    static const char *const gone[GONE] = {"one.%ld-0.tmp", "one.%ld-12.tmp", "two.%ld-1.tmp", "one.5-5.tmp.%ld-0.tmp"},
                             *const stay[] = {"one.%ld-.tmp",    "one.%ldx-0.tmp", "one.%ld-0.tmp~", "one-%ld-0.tmp",
                                              "three.%ld-0.tmp", ".%ld-0.tmp",     "xone.%ld-0.tmp"};
    char names[GONE][64], name[64];
    const pid_t ended = fork();
    if (ended == 0) _exit(0);
    assert_int_equal(waitpid(ended, NULL, 0), ended);
    for (int i = 0; i < GONE; i++) leave_file(names[i], gone[i], (long)ended);
    for (int i = 0; i < RW_COUNT(stay); i++) leave_file(name, stay[i], (long)ended);
    leave_file(name, "one.%ld-99.tmp", (long)getppid()); /* of a process that works */
    snprintf(name, sizeof(name), "one.%ld-3.tmp", (long)ended);
    assert_int_equal(symlink("two", name), 0);
    leave_file(name, "one.%ld-4.tmp", (long)ended);
    const int held = rw_open(name, O_RDWR, 0);
    assert_true(held >= 0 && flock(held, LOCK_EX | LOCK_NB) == 0);
    leave_file(name, "one.%ld-5.tmp", (long)ended); /* changed within the last hour */
    assert_int_equal(utimensat(AT_FDCWD, name, NULL, 0), 0);
    const int all = count_files(".");

    assert_int_equal(rw_file_write(NULL, "one", "x", 1), RW_OK);
    for (int i = 0; i < GONE; i++) assert_int_equal(access(names[i], F_OK), i < 2 ? -1 : 0);
    assert_int_equal(count_files("."), all - 2 + 1);
    assert_int_equal(rw_file_write(NULL, "./two", "x", 1), RW_OK);
    assert_int_equal(rw_file_write(NULL, "one.5-5.tmp", "x", 1), RW_OK);
    for (int i = 0; i < GONE; i++) assert_int_equal(access(names[i], F_OK), -1);
    assert_int_equal(count_files("."), all - GONE + 3);
    close(held);
}

static void test_partial_names(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"out.wav", "out.partial.wav"},
                                           {"a.b/out", "a.b/out.partial"},
                                           {"a.b/.out", "a.b/.out.partial"},
                                           {"/x.y/o.tar.gz", "/x.y/o.tar.partial.gz"}};
    for (int i = 0; i < RW_COUNT(pairs); i++) {
        char *name = rw_file_partial_name(pairs[i][0]);
        assert_string_equal(name, pairs[i][1]);
        rw_free(name);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
    const struct CMUnitTest tests[] = {
        TEST(test_abandoned),
        TEST(test_round_trip),
        TEST(test_messages),
        TEST(test_limit),
        TEST(test_write_faults),
        TEST(test_read_faults),
        TEST(test_allocation_faults),
        TEST(test_replace_in_two_halves),
        TEST(test_temporary_names_left_over),
        TEST(test_long_names),
        TEST(test_permissions_and_links),
        TEST(test_file_size_limit),
        TEST(test_pipe_and_signals),
        TEST(test_concurrent_writers),
        TEST(test_folders),
        TEST(test_closed_descriptors),
        TEST(test_abandon),
        TEST(test_sweep),
        TEST(test_partial_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
