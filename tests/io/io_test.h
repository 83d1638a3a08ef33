/* What the tests of readers and writers share: a folder of their own, random data, faults one by one, and Python as an
 * independent reader where it is installed. Included once a test, before its first function. */
#ifndef IO_TEST_H
#define IO_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../long.h"
#include "files/io.h"

#define UNUSED __attribute__((unused))
#define ASSERT_OK(call)                                                                                                \
    do {                                                                                                               \
        rw_status status_of_call = (call);                                                                             \
        if (status_of_call != RW_OK) fail_msg("%s: %s", rw_status_name(status_of_call), rw_message(NULL));             \
    } while (0)
#define ASSERT_FAILS(call, expected)                                                                                   \
    do {                                                                                                               \
        rw_status status_of_call = (call);                                                                             \
        if (status_of_call != (expected))                                                                              \
            fail_msg("%s: %s instead of %s: %s", #call, rw_status_name(status_of_call), rw_status_name(expected),      \
                     rw_message(NULL));                                                                                \
    } while (0)

static char io_test_home[4096], io_test_folder[32];

/* Setup and teardown of a test: it works in an empty folder. */
static UNUSED int io_test_enter(void **state)
{
    (void)state;
    strcpy(io_test_folder, "rw-io-XXXXXX");
    return !getcwd(io_test_home, sizeof io_test_home) || !mkdtemp(io_test_folder) || chdir(io_test_folder);
}

static UNUSED int io_test_leave(void **state)
{
    (void)state;
    char command[64];
    for (int kind = 0; kind < RW_FAULT_KINDS; kind++) rw_fault_set((rw_fault)kind, 0);
    snprintf(command, sizeof command, "rm -rf ./%s", io_test_folder);
    return chdir(io_test_home) || system(command);
}

#define IO_TEST(f) cmocka_unit_test_setup_teardown(f, io_test_enter, io_test_leave)

/* Random doubles of many sizes and both signs. */
static UNUSED void fill_random(double *values, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        int exponent = (int)(rw_random_u64(seed, 2 * i) % 41) - 20;
        double scale = 1;
        for (int k = 0; k < abs(exponent); k++) scale *= exponent > 0 ? 10 : 0.1;
        values[i] = (2 * rw_random_uniform(seed, 2 * i + 1) - 1) * scale;
    }
}

static UNUSED void read_whole(const char *path, char **data, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *n = (size_t)ftell(f);
    rewind(f);
    *data = calloc(*n + 1, 1);
    assert_int_equal(fread(*data, 1, *n, f), *n);
    fclose(f);
}

static UNUSED void write_whole(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Number of files in the folder, to see that no temporary one is left. */
static UNUSED int count_files(void)
{
    int n = 0;
    FILE *p = popen("ls -A | wc -l", "r");
    assert_non_null(p);
    assert_int_equal(fscanf(p, "%d", &n), 1);
    pclose(p);
    return n;
}

/* Makes the 1st, 2nd, ... event of each kind fail until the call succeeds; returns how many failures were seen. An
 * event whose failure the call survives (libpng does without some buffers) is allowed when `tolerant`. */
static UNUSED long each_fault(rw_status (*call)(void), bool tolerant)
{
    long failures = 0;
    const rw_fault kinds[] = {RW_FAULT_ALLOC, RW_FAULT_READ, RW_FAULT_WRITE};
    for (int k = 0; k < RW_COUNT(kinds); k++)
        for (long n = 1;; n++) {
            rw_fault_set(kinds[k], n);
            rw_status status = call();
            bool reached = rw_fault_events(kinds[k]) >= n;
            rw_fault_set(kinds[k], 0);
            if (!reached) {
                ASSERT_OK(status);
                break;
            }
            if (status == RW_OK && tolerant) continue;
            assert_int_not_equal(status, RW_OK);
            if (kinds[k] == RW_FAULT_ALLOC && !tolerant) assert_int_equal(status, RW_ERR_MEMORY);
            if (kinds[k] != RW_FAULT_ALLOC && !tolerant) assert_int_equal(status, RW_ERR_FILE);
            failures++;
        }
    return failures;
}

/* Runs a Python program in the folder; skips the test when `module` is not installed: for the first python3 in PATH, or
 * for /usr/bin/python3, to which Debian's packages belong. */
static UNUSED void run_python(const char *module, const char *program)
{
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};
    char command[256];
    for (int i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "%s -c 'import %s' >/dev/null 2>&1", pythons[i], module);
        if (system(command) != 0) continue;
        write_whole("check.py", program, strlen(program));
        snprintf(command, sizeof command, "%s -B check.py", pythons[i]);
        if (system(command) != 0) fail_msg("the check by Python failed, see above");
        return;
    }
    print_message("python3 has no %s: not cross-checked\n", module);
    skip();
}

#endif
