/* Compilers that hang, talk without end or are interrupted; what they leave behind; what their output does to a
 * message. The compilers are scripts in a folder of the test's own, which is $TMPDIR too. */
/* TEST: optimised */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../clock.h"
#include "../devices.h"
#include "../values.h"
#include "core/temporary.h"

static char root[200], tmp[256], script[256];
static char sleeper[64]; /* a command line that no other test has */
static char log_text[4096];

static void keep_log(void *user, rw_log_level level, const char *text)
{
    (void)user, (void)level;
    size_t n = strlen(log_text);
    snprintf(log_text + n, sizeof log_text - n, "%s\n", text);
}

static void shell(const char *command) { assert_int_equal(system(command), 0); }

/* The clock moves when a compiler makes the file $0.late: it is too late then, and never before. */
static void compiler(const char *text)
{
    FILE *f = fopen(script, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n%s", text);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(script, 0755), 0);
    setenv("RECHENWERK_CC", script, 1);
}

static void begin_late(void)
{
    begin_clock();
    snprintf(clock_file, sizeof clock_file, "%s.late", script);
}

static int entries(const char *prefix)
{
    int n = 0;
    DIR *d = opendir(tmp);
    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.' && !strncmp(e->d_name, prefix, strlen(prefix));
    if (d) closedir(d);
    return n;
}

static int setup(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/rw-compiler-XXXXXX");
    if (!mkdtemp(root)) return -1;
    snprintf(tmp, sizeof tmp, "%s/tmp", root), snprintf(script, sizeof script, "%s/cc", root);
    snprintf(sleeper, sizeof sleeper, "sleep 54321.%d", (int)getpid());
    mkdir(tmp, 0700);
    setenv("TMPDIR", tmp, 1);
    log_text[0] = 0;
    if (rw_context_create(&ctx) != RW_OK) return -1;
    rw_context_set_log(ctx, RW_LOG_WARNING, keep_log, NULL);
    rw_context_set_cache(ctx, false, NULL, false);
    return rw_device_open(ctx, "cpu:1", &dev) == RW_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    char command[300];
    end_clock();
    unsetenv("RECHENWERK_CC"), unsetenv("RECHENWERK_CC_SECONDS"), unsetenv("TMPDIR");
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static rw_status create(rw_program **p)
{
    return rw_program_create(dev, "tiny", "KERNEL(k, GLOBAL f64 *y) { EACH(i, 1) { y[i] = 1; } }\n",
                             &(rw_define){"GROUP", "8"}, 1, p);
}

/* Processes whose command line has the text. */
static bool runs(const char *text)
{
    char command[300];
    snprintf(
        command, sizeof command,
        "exec 2>/dev/null; for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline | grep -q '^%s ' && exit 1; done; exit 0",
        text);
    return system(command) != 0;
}

static void test_a_compiler_that_hangs(void **state)
{
    (void)state;
    rw_program *p;
    char text[800];
    setenv("RECHENWERK_CC_SECONDS", "1", 1);
    snprintf(text, sizeof text, "echo \"$@\" >>%s/calls\n%s &\n: >\"$0.late\"\n%s\n", root, sleeper, sleeper);
    compiler(text);
    begin_late();
    double begin = rw_seconds();
    FAILS(RW_ERR_COMPILE, "was ended after 1 s, at -O3 and again at -O1: set RECHENWERK_CC_SECONDS", create(&p));
    assert_true(rw_seconds() - begin == 2 * CLOCK_HOUR);
    assert_false(runs(sleeper)); /* its children went too */
    assert_int_equal(entries(""), 0);
    snprintf(text, sizeof text, "test $(wc -l <%s/calls) = 2 && test $(grep -c -e '-O1 -o' %s/calls) = 1", root, root);
    shell(text);
}

static void test_less_optimisation_helps(void **state)
{
    (void)state;
    rw_program *p;
    const int64_t n = 1;
    rw_array *y;
    setenv("RECHENWERK_CC_SECONDS", "2", 1);
    compiler("case \"$*\" in *'-O1 -o'*) exec cc \"$@\";; esac\n: >\"$0.late\"\nsleep 54322\n");
    begin_late();
    OK(create(&p));
    assert_non_null(strstr(log_text, "took more than 2 s at -O3: trying -O1"));
    OK(rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &y));
    OK(launch1(rw_device_queue(dev), kernel_of(p, "k"), 1, (rw_arg[]){rw_arg_array(y)}, 1));
    assert_true(numbers_of(y)[0] == 1);
    rw_array_destroy(&y);
    rw_program_destroy(&p);
    assert_int_equal(entries(""), 0);
}

/* The cache takes only what is compiled as its key says. */
static void test_less_optimised_code_is_not_cached(void **state)
{
    (void)state;
    rw_program *p;
    OK(rw_context_set_cache(ctx, true, root, false));
    setenv("RECHENWERK_CC_SECONDS", "1", 1);
    compiler("case \"$*\" in *'-O1 -o'*) exec cc \"$@\";; esac\ntest -e \"$0.fast\" && exec cc \"$@\"\n"
             ": >\"$0.late\"\nsleep 54322\n");
    begin_late();
    for (int i = 0; i < 3; ++i) {
        if (i == 1) {
            char fast[300];
            snprintf(fast, sizeof fast, "%s.fast", script);
            fclose(fopen(fast, "w"));
        }
        OK(create(&p));
        rw_program_destroy(&p);
        assert_int_equal(counters_of(dev).compilations, i == 0 ? 1 : 2);
    }
    assert_int_equal(counters_of(dev).cache_hits, 1);
}

/* A host program that ignores SIGCHLD does not learn how its children end. */
static void test_ignored_children(void **state)
{
    (void)state;
    rw_program *p;
    signal(SIGCHLD, SIG_IGN);
    rw_status status = create(&p);
    rw_program_destroy(&p);
    assert_int_equal(status, RW_OK);
    /* the compiler starts with the default action, or it could not wait for its own processes */
    compiler(
        "test $((0x$(sed -n 's/^SigIgn:[^0-9a-f]*//p' /proc/self/status) & 0x10000)) = 0 || exit 1\nexec cc \"$@\"\n");
    status = create(&p);
    rw_program_destroy(&p);
    assert_int_equal(status, RW_OK);
    compiler("echo too bad >&2\nexit 1\n");
    status = create(&p);
    signal(SIGCHLD, SIG_DFL);
    FAILS(RW_ERR_COMPILE, "too bad", status);
}

static void test_wrong_limits(void **state)
{
    (void)state;
    static const char *const bad[] = {"0", "-1", "ten", "1s", "nan", "1e9"};
    rw_program *p;
    for (int i = 0; i < RW_COUNT(bad); ++i) {
        setenv("RECHENWERK_CC_SECONDS", bad[i], 1);
        FAILS(RW_ERR_ARGUMENT, bad[i], create(&p));
        assert_non_null(strstr(rw_message(ctx), "RECHENWERK_CC_SECONDS = "));
    }
    assert_int_equal(entries(""), 0);
}

static rw_cancel stop;
static void on_alarm(int number)
{
    (void)number;
    rw_cancel_request(&stop);
}

static void test_an_interrupted_compiler(void **state)
{
    (void)state;
    rw_program *p;
    char text[200];
    snprintf(text, sizeof text, "%s & %s\n", sleeper, sleeper);
    compiler(text);
    rw_cancel_reset(&stop);
    rw_cancel_enter(&stop); /* as a run does */
    signal(SIGALRM, on_alarm);
    alarm(1);
    FAILS(RW_ERR_INTERRUPTED, "interrupted while program tiny was compiled", create(&p));
    signal(SIGALRM, SIG_DFL);
    rw_cancel_leave(NULL);
    assert_false(runs(sleeper));
    assert_int_equal(entries(""), 0);
}

/* Interruptions are the thread's: the flag of another thread's run ends nothing here. */
static void *interrupted_thread(void *user)
{
    (void)user;
    static rw_cancel interrupted;
    rw_cancel_request(&interrupted);
    rw_cancel_enter(&interrupted);
    return NULL;
}

static void test_interruptions_are_of_a_thread(void **state)
{
    (void)state;
    rw_program *p;
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, interrupted_thread, NULL), 0);
    pthread_join(other, NULL);
    OK(create(&p));
    rw_program_destroy(&p);
}

/* This program as a process in a group of its own, with a word for main. */
static pid_t start_self(const char *word)
{
    pid_t pid = fork();
    if (pid == 0) {
        char *argv[] = {"test_compiler", (char *)(uintptr_t)word, NULL};
        setpgid(0, 0);
        execv("/proc/self/exe", argv);
        _exit(1);
    }
    return pid;
}

/* Ctrl-C without a handler: what the terminal sends to the program's process group ends the compiler too. */
static void test_a_host_program_that_is_interrupted(void **state)
{
    (void)state;
    char text[200];
    snprintf(text, sizeof text, "%s\n", sleeper);
    compiler(text);
    pid_t pid = start_self("create");
    while (!runs(sleeper)) usleep(100000);
    kill(-pid, SIGINT);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {}
    assert_true(WIFSIGNALED(status));
    while (runs(sleeper)) usleep(100000);
}

/* What the compiler could not write: the reason and the advice, not its own words. */
static void test_a_full_file_system(void **state)
{
    (void)state;
    rw_program *p;
    compiler("echo 'program.c:1: fatal error: error writing to cc.s: No space left on device' >&2\nexit 1\n");
    FAILS(RW_ERR_FILE, "cannot write its files in ", create(&p));
    assert_non_null(strstr(rw_message(ctx), "No space left on device: free some space"));
    compiler("echo 'program.c:1: fatal error: error writing to cc.s: File too large' >&2\nexit 1\n");
    FAILS(RW_ERR_FILE, "raise it (ulimit -f)", create(&p));
}

/* Head and tail are kept, and the first error is found. */
static void test_logs_of_any_size(void **state)
{
    (void)state;
    rw_program *p;
    struct stat st;
    compiler(
        "echo 'tiny:1:1: error: the first'\nhead -c 40000000 /dev/zero | tr '\\0' x\necho\necho the last\nexit 1\n");
    FAILS(RW_ERR_COMPILE, "kernel k, line 1: tiny:1:1: error: the first", create(&p));
    char path[512];
    const char *at = strstr(rw_message(ctx), "whole log: ");
    assert_non_null(at);
    snprintf(path, sizeof path, "%.*s", (int)strcspn(at + 11, ","), at + 11);
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size > 100000 && st.st_size < 200000);
    char *text;
    OK(rw_file_read(ctx, path, 0, &text, NULL));
    assert_non_null(strstr(text, "the first"));
    assert_non_null(strstr(text, "the last"));
    const char *left = strstr(text, "bytes left out");
    assert_non_null(left);
    while (left > text && left[-1] != '\n') --left;
    /* 40,000,000 less two pieces of 65,536 */
    assert_int_equal(atoll(left + strspn(left, "\xe2\x80\xa6 ")) / 100000, 398);
    rw_free(text);
    assert_int_equal(entries("rechenwerk-log-"), 1);
    assert_int_equal(entries("rechenwerk-tmp-"), 0);
}

/* What would steer a terminal is shown, not sent. */
static void test_escape_characters(void **state)
{
    (void)state;
    rw_program *p;
    compiler("printf 'error: \\033[31mred\\007\\177 \\302\\233 \\234 \\303\\274 \\tend\\n'\nexit 1\n");
    FAILS(RW_ERR_COMPILE, "error: \\x1b[31mred\\x07\\x7f \\xc2\\x9b \\x9c \xC3\xBC \tend", create(&p));
    assert_null(strchr(rw_message(ctx), '\033'));
    rw_fail(ctx, RW_ERR_INPUT, "a\nb \x1b]0;title\x07 \xE2\x82\xAC \xF0\x9F\x98\x80 \xE2\x82 \xC0\x80 %s", "\x1b");
    assert_string_equal(rw_message(ctx),
                        "a\nb \\x1b]0;title\\x07 \xE2\x82\xAC \xF0\x9F\x98\x80 \\xe2\\x82 \\xc0\\x80 \\x1b");
    rw_fail_prefix(ctx, RW_ERR_INPUT, "\x1b");
    assert_int_equal(strncmp(rw_message(ctx), "\\x1b: a\nb \\x1b]0", 15), 0); /* once, not twice */
    log_text[0] = 0;
    rw_log(ctx, RW_LOG_WARNING, "one \x1b[2J\ntwo\r");
    assert_string_equal(log_text, "one \\x1b[2J\ntwo\\x0d\n");
    char many[5000];
    memset(many, 0x1b, sizeof many - 1), many[sizeof many - 1] = 0;
    rw_fail(ctx, RW_ERR_INPUT, "%s", many);
    size_t n = strlen(rw_message(ctx));
    assert_true(n < 4096 && n > 4080 && !strcmp(rw_message(ctx) + n - 3, "..."));
}

/* ---- what ended processes leave --------------------------------------------------------------------------------- */

static void age(const char *path, long seconds)
{
    const struct timespec times[2] = {{time(NULL) - seconds, 0}, {time(NULL) - seconds, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void make_folder(const char *name, long seconds, char path[512])
{
    char file[600];
    snprintf(path, 512, "%s/%s", tmp, name), snprintf(file, sizeof file, "%s/program.c", path);
    assert_int_equal(mkdir(path, 0700), 0);
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fclose(f);
    age(path, seconds);
}

/* In a process of its own: the first temporary folder of a process sweeps. */
static void test_what_dead_processes_left_is_removed(void **state)
{
    (void)state;
    char dead[512], alive[512], fresh[512], old_log[512], new_log[512], foreign[512], link_path[512];
    make_folder("rechenwerk-tmp-dead00", 100, dead), make_folder("rechenwerk-tmp-alive0", 100, alive);
    make_folder("rechenwerk-tmp-fresh0", 0, fresh), make_folder("rechenwerk-log-old000", 100000, old_log);
    make_folder("rechenwerk-log-new000", 1000, new_log), make_folder("something-else", 1000000, foreign);
    snprintf(link_path, sizeof link_path, "%s/rechenwerk-tmp-link00", tmp);
    assert_int_equal(symlink(foreign, link_path), 0);
    int lock = open(alive, O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    pid_t pid = start_self("sweep");
    int status = -1;
    while (waitpid(pid, &status, 0) < 0) {}
    assert_int_equal(status, 0);
    close(lock);
    assert_int_equal(access(dead, F_OK), -1);
    assert_int_equal(access(old_log, F_OK), -1);
    assert_int_equal(access(alive, F_OK), 0);
    assert_int_equal(access(fresh, F_OK), 0);
    assert_int_equal(access(new_log, F_OK), 0);
    assert_int_equal(access(foreign, F_OK), 0);
    assert_int_equal(access(link_path, F_OK), 0);
    assert_int_equal(entries("rechenwerk-tmp-"), 3);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "sweep")) {
        rw_temporary t;
        if (rw_context_create(&ctx) != RW_OK || rw_temporary_create(ctx, &t) != RW_OK) return 1;
        rw_temporary_remove(&t);
        rw_context_destroy(&ctx);
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "create")) {
        rw_program *p;
        if (rw_context_create(&ctx) != RW_OK || rw_device_open(ctx, "cpu:1", &dev) != RW_OK) return 1;
        rw_context_set_cache(ctx, false, NULL, false);
        return create(&p) != RW_OK;
    }
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        TEST(test_a_compiler_that_hangs),
        TEST(test_less_optimisation_helps),
        TEST(test_less_optimised_code_is_not_cached),
        TEST(test_ignored_children),
        TEST(test_wrong_limits),
        TEST(test_an_interrupted_compiler),
        TEST(test_interruptions_are_of_a_thread),
        TEST(test_a_host_program_that_is_interrupted),
        TEST(test_a_full_file_system),
        TEST(test_logs_of_any_size),
        TEST(test_escape_characters),
        TEST(test_what_dead_processes_left_is_removed),
    };
    return cmocka_run_group_tests_name("compiler", tests, NULL, NULL);
}
