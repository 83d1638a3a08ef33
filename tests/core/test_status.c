/* The status table: every row is reachable by its value, and no number crashes the look-up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rechenwerk/core.h"

static const struct {
    rw_status status;
    int value, exit_code;
    const char *name;
} rows[] = {
    {RW_OK, 0, 0, "RW_OK"},
    {RW_ERR_ARGUMENT, 1, 2, "RW_ERR_ARGUMENT"},
    {RW_ERR_INPUT, 2, 2, "RW_ERR_INPUT"},
    {RW_ERR_FILE, 3, 1, "RW_ERR_FILE"},
    {RW_ERR_MEMORY, 4, 5, "RW_ERR_MEMORY"},
    {RW_ERR_DEVICE, 5, 4, "RW_ERR_DEVICE"},
    {RW_ERR_COMPILE, 6, 1, "RW_ERR_COMPILE"},
    {RW_ERR_LAUNCH, 7, 1, "RW_ERR_LAUNCH"},
    {RW_ERR_CHECK, 8, 1, "RW_ERR_CHECK"},
    {RW_ERR_UNSUPPORTED, 9, 1, "RW_ERR_UNSUPPORTED"},
    {RW_ERR_NOT_CONVERGED, 10, 3, "RW_ERR_NOT_CONVERGED"},
    {RW_ERR_INTERRUPTED, 11, 130, "RW_ERR_INTERRUPTED"},
    {RW_ERR_INTERNAL, 12, 1, "RW_ERR_INTERNAL"},
    {RW_FATAL_DEVICE_LOST, 100, 4, "RW_FATAL_DEVICE_LOST"},
};

/* The values are part of the binary interface and the exit codes of the command's manual: typed again on purpose. */
static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_int_equal(rows[i].status, rows[i].value);
        assert_string_equal(rw_status_name(rows[i].status), rows[i].name);
        assert_int_equal(rw_status_exit_code(rows[i].status), rows[i].exit_code);
        assert_true(strlen(rw_status_text(rows[i].status)) > 3);
    }
    assert_string_equal(rw_status_text(RW_ERR_MEMORY), "host or device memory is exhausted");
}

static void test_all_rows_are_listed_here(void **state)
{
    (void)state;
    int listed = 0;
#define X(name, value, exit_code, text) listed++;
    RW_STATUS_LIST(X)
#undef X
    assert_int_equal(listed, sizeof(rows) / sizeof(*rows));
}

static void test_unknown_numbers(void **state)
{
    (void)state;
    static const int unknown[] = {13, 99, 101};
    for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
        assert_string_equal(rw_status_name((rw_status)unknown[i]), "RW_UNKNOWN_STATUS");
        assert_non_null(rw_status_text((rw_status)unknown[i]));
        assert_int_equal(rw_status_exit_code((rw_status)unknown[i]), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_all_rows_are_listed_here),
        cmocka_unit_test(test_unknown_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
