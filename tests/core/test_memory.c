/* Memory and growing texts: zeroed, grown, copied, failing at every allocation, independent of the locale. */
#include <limits.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"

static void test_zeroed(void **state)
{
    (void)state;
    unsigned char *p = rw_calloc(100, 3);
    assert_non_null(p);
    for (int i = 0; i < 300; i++) assert_int_equal(p[i], 0);
    memset(p, 7, 300);
    p = rw_realloc(p, 1000);
    assert_non_null(p);
    for (int i = 0; i < 300; i++) assert_int_equal(p[i], 7);
    rw_free(p);
    rw_free(NULL);
}

static void test_nothing_is_not_exhausted(void **state)
{
    (void)state;
    void *p = rw_calloc(0, 8), *q = rw_calloc(8, 0), *r = rw_realloc(NULL, 0);
    assert_true(p && q && r);
    r = rw_realloc(r, 0);
    assert_non_null(r);
    rw_free(p);
    rw_free(q);
    rw_free(r);
}

static void test_copies(void **state)
{
    (void)state;
    char *a = rw_strdup("Rechenwerk"), *b = rw_strndup("Rechenwerk", 6), *c = rw_strndup("ab", 100), *d = rw_strdup("");
    assert_string_equal(a, "Rechenwerk");
    assert_string_equal(b, "Rechen");
    assert_string_equal(c, "ab");
    assert_string_equal(d, "");
    const char unterminated[3] = {'x', 'y', 'z'};
    char *e = rw_strndup(unterminated, 3);
    assert_string_equal(e, "xyz");
    rw_free(a);
    rw_free(b);
    rw_free(c);
    rw_free(d);
    rw_free(e);
}

static void test_grow(void **state)
{
    (void)state;
    double *items = NULL;
    int capacity = 0, reallocations = 0;
    for (int n = 0; n < 1000; n++) {
        int before = capacity;
        assert_true(rw_grow(&items, &capacity, n + 1, sizeof(*items)));
        assert_true(capacity > n);
        for (int i = before; i < capacity; i++) assert_true(items[i] == 0);
        reallocations += capacity != before;
        items[n] = n;
    }
    assert_true(reallocations <= 10);
    for (int n = 0; n < 1000; n++) assert_true(items[n] == n);

    double *old = items;
    int old_capacity = capacity;
    rw_fault_set(RW_FAULT_ALLOC, 1);
    assert_false(rw_grow(&items, &capacity, 100000, sizeof(*items)));
    rw_fault_set(RW_FAULT_ALLOC, 0);
    assert_ptr_equal(items, old);
    assert_int_equal(capacity, old_capacity);
    assert_false(rw_grow(&items, &capacity, INT_MAX, SIZE_MAX / 1000)); /* the product does not fit */
    assert_ptr_equal(items, old);
    rw_free(items);
}

static void test_text(void **state)
{
    (void)state;
    rw_text text = {0};
    rw_text_add_bytes(&text, "", 0);
    rw_text_add(&text, "%s", "");
    assert_null(text.data);
    char expected[4000] = "";
    for (int i = 0; i < 500; i++) {
        rw_text_add(&text, "%d,", i);
        sprintf(expected + strlen(expected), "%d,", i);
    }
    assert_false(text.failed);
    assert_string_equal(text.data, expected);
    assert_int_equal(text.length, strlen(expected));
    rw_text_add_bytes(&text, "a\0b", 3);
    assert_int_equal(text.length, strlen(expected) + 3);
    assert_memory_equal(text.data + strlen(expected), "a\0b", 4);
    rw_text_free(&text);
    assert_null(text.data);
    assert_int_equal(text.length, 0);

    /* lengths around the room there is: 64 at first, then doubled */
    for (int n = 60; n < 70; n++) {
        rw_text_add(&text, "%*s", n, "x");
        assert_int_equal(text.length, n);
        assert_int_equal(strlen(text.data), n);
        rw_text_add(&text, "%*s", 2 * n, "y");
        assert_int_equal(strlen(text.data), 3 * n);
        rw_text_free(&text);
    }
    char *formatted = rw_format("%s = %d", "n", 7), *empty = rw_format("%s", "");
    assert_string_equal(formatted, "n = 7");
    assert_string_equal(empty, "");
    rw_free(formatted);
    rw_free(empty);
}

/* The n-th allocation fails: the text keeps what it had, whole pieces only, and appends nothing more. */
static void test_text_when_memory_ends(void **state)
{
    (void)state;
    bool failed = true;
    int n;
    for (n = 1; failed; n++) {
        rw_text text = {0};
        size_t whole = 0;
        rw_fault_set(RW_FAULT_ALLOC, n);
        for (int i = 0; i < 300; i++) {
            if (i % 2) rw_text_add(&text, "[%05d]", i);
            else rw_text_add_bytes(&text, "[bytes]", 7);
            if (!text.failed) whole = text.length;
        }
        rw_fault_set(RW_FAULT_ALLOC, 0);
        failed = text.failed;
        assert_int_equal(text.length, whole);
        if (text.data) assert_int_equal(strlen(text.data), whole);
        rw_text_free(&text);
    }
    assert_true(n > 5); /* 64, 128, … 4096: six allocations */
    rw_text text = {0};
    rw_text_add(&text, "%60s", "x");
    rw_fault_set(RW_FAULT_ALLOC, 1);
    rw_text_add(&text, "%s", "there is room for the first three letters of this");
    rw_fault_set(RW_FAULT_ALLOC, 0);
    assert_true(text.failed);
    assert_int_equal(strlen(text.data), 60);
    rw_text_free(&text);
    for (failed = true, n = 1; failed; n++) {
        rw_fault_set(RW_FAULT_ALLOC, n);
        char *formatted = rw_format("%200d", 1);
        failed = !formatted;
        rw_free(formatted);
        rw_fault_set(RW_FAULT_ALLOC, n);
        formatted = rw_format("%s", "");
        rw_free(formatted);
        rw_fault_set(RW_FAULT_ALLOC, 0);
    }
}

/* 0.5 stays 0.5 in a program whose locale writes 0,5. */
static void test_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"};
    bool set = false;
    for (int i = 0; i < RW_COUNT(names) && !set; i++)
        set = setlocale(LC_ALL, names[i]) && localeconv()->decimal_point[0] == ',';
    char own[16];
    snprintf(own, sizeof(own), "%g", 0.5);
    char *text = rw_format("%g", 0.5), *end;
    rw_fail(NULL, RW_ERR_INPUT, "%g", 1.5);
    double value = rw_strtod("2.25,", &end);
    char still_own[16];
    snprintf(still_own, sizeof(still_own), "%g", 0.5);
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "0.5");
    assert_string_equal(rw_message(NULL), "1.5");
    assert_true(value == 2.25);
    assert_string_equal(end, ",");
    assert_string_equal(still_own, own); /* the program's locale is put back */
    rw_free(text);
    if (!set) skip(); /* no such locale is installed */
    assert_string_equal(own, "0,5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zeroed), cmocka_unit_test(test_nothing_is_not_exhausted),
        cmocka_unit_test(test_copies), cmocka_unit_test(test_grow),
        cmocka_unit_test(test_text),   cmocka_unit_test(test_text_when_memory_ends),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
