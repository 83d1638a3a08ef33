/* Several mistakes in one message: each once, in order, bounded; other failures end the checks; collectors nest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"

static rw_status check(const char *const *messages, int n, rw_status status)
{
    for (int i = 0; i < n; i++) RW_NOTE(NULL, messages[i] ? rw_fail(NULL, status, "%s", messages[i]) : RW_OK);
    return RW_OK;
}

static void test_lines(void **state)
{
    (void)state;
    static const char *const messages[] = {"a: 1", NULL, "b: 2", "a: 1", "a: 12", ": 1"};
    rw_mistakes m;
    rw_mistakes_begin(&m);
    assert_int_equal(rw_mistakes_met(), 0);
    rw_status status = check(messages, RW_COUNT(messages), RW_ERR_INPUT);
    assert_int_equal(status, RW_OK);
    assert_int_equal(rw_mistakes_met(), 5); /* "a: 1" twice */
    assert_int_equal(rw_mistakes_end(NULL, &m, status), RW_ERR_INPUT);
    assert_string_equal(rw_message(NULL), "a: 1\nb: 2\na: 12\n: 1");
    /* the last failure is not noted twice; without mistakes the status stays */
    rw_mistakes_begin(&m);
    rw_fail(NULL, RW_ERR_INPUT, "last");
    assert_true(rw_mistake(NULL, RW_ERR_INPUT));
    assert_int_equal(rw_mistakes_end(NULL, &m, RW_ERR_INPUT), RW_ERR_INPUT);
    assert_string_equal(rw_message(NULL), "last");
    rw_mistakes_begin(&m);
    assert_int_equal(rw_mistakes_end(NULL, &m, RW_OK), RW_OK);
}

static void test_without_a_collector(void **state)
{
    (void)state;
    static const char *const messages[] = {NULL, "first", "second"};
    assert_int_equal(check(messages, 3, RW_ERR_INPUT), RW_ERR_INPUT);
    assert_string_equal(rw_message(NULL), "first");
    assert_int_equal(rw_mistakes_met(), 0);
}

static void test_other_failures(void **state)
{
    (void)state;
    static const char *const messages[] = {"full", "more"};
    rw_mistakes m;
    rw_mistakes_begin(&m);
    assert_int_equal(check((const char *const[]){"mistake"}, 1, RW_ERR_INPUT), RW_OK);
    rw_status status = check(messages, 2, RW_ERR_FILE);
    assert_int_equal(status, RW_ERR_FILE);
    assert_int_equal(rw_mistakes_end(NULL, &m, status), RW_ERR_FILE);
    assert_string_equal(rw_message(NULL), "full");
}

static void test_nested_and_bounded(void **state)
{
    (void)state;
    rw_mistakes outer, inner;
    rw_mistakes_begin(&outer);
    rw_mistakes_begin(&inner);
    for (int i = 0; i < RW_MISTAKES + 3; i++) {
        rw_fail(NULL, RW_ERR_INPUT, "mistake %d", i);
        assert_true(rw_mistake(NULL, RW_ERR_INPUT));
    }
    rw_status status = rw_mistakes_end(NULL, &inner, RW_OK);
    assert_non_null(strstr(rw_message(NULL), "mistake 19\nand 3 more"));
    assert_null(strstr(rw_message(NULL), "mistake 20"));
    assert_int_equal(rw_mistakes_end(NULL, &outer, status), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(NULL), "and 3 more"));
    assert_false(rw_mistake(NULL, RW_ERR_INPUT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_without_a_collector),
        cmocka_unit_test(test_other_failures),
        cmocka_unit_test(test_nested_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
