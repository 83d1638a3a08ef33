/* Structures of callers whose headers are older or newer: arrays of a structure, whose elements have another size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"

typedef struct element {
    int kind; /* 0 … 2 */
    int64_t value;
} element;
typedef struct older_element {
    int kind;
} older_element;
typedef struct newer_element {
    element known;
    int64_t unknown;
} newer_element;
typedef struct pair {
    const void *a, *b;
    int na;
    int64_t nb;
} pair;

#define RW_MEMBERS_element                                                                                             \
    RW_MEMBER_ENUM(element, kind, colour, 0, 2), { 0 }
enum { ARRAYS = 2 };

static rw_context *ctx;

static rw_status take(pair *p, size_t size, void **copy)
{
    const rw_struct_array arrays[ARRAYS] = {RW_STRUCT_ARRAY(pair, a, element, size),
                                            RW_STRUCT_ARRAY(pair, b, element, size)};
    return rw_struct_in_arrays(ctx, p, arrays, ARRAYS, copy);
}

static void test_same_size(void **state)
{
    (void)state;
    const element a[] = {{1, 10}, {2, 20}}, b[] = {{0, 30}};
    void *copy[ARRAYS];
    pair p = {a, b, 2, 1};
    assert_int_equal(take(&p, sizeof *a, copy), RW_OK);
    assert_true(p.a == a && p.b == b && !copy[0] && !copy[1]);
    rw_struct_free_arrays(copy, ARRAYS);
}

/* Members that the caller does not know are 0. */
static void test_older_caller(void **state)
{
    (void)state;
    const older_element a[] = {{1}, {2}, {0}};
    void *copy[ARRAYS];
    pair p = {a, NULL, 3, 0};
    assert_int_equal(take(&p, sizeof *a, copy), RW_OK);
    assert_true(p.a == copy[0] && !p.b && !copy[1]);
    const element *got = p.a;
    for (int i = 0; i < 3; ++i) assert_true(got[i].kind == a[i].kind && got[i].value == 0);
    rw_struct_free_arrays(copy, ARRAYS);
}

static void test_newer_caller(void **state)
{
    (void)state;
    newer_element a[] = {{{1, 10}, 0}}, b[] = {{{2, 20}, 0}, {{0, 30}, 0}};
    void *copy[ARRAYS];
    pair p = {a, b, 1, 2};
    assert_int_equal(take(&p, sizeof *a, copy), RW_OK);
    const element *got = p.b;
    assert_true(got[0].value == 20 && got[1].value == 30 && ((const element *)p.a)->value == 10);
    rw_struct_free_arrays(copy, ARRAYS);
    b[1].unknown = 1;
    p = (pair){a, b, 1, 2};
    assert_int_equal(take(&p, sizeof *a, copy), RW_ERR_ARGUMENT);
    assert_non_null(strstr(rw_message(ctx), "element: a member is set that this version of the library"));
}

static void test_mistakes(void **state)
{
    (void)state;
    const element a[] = {{1, 10}, {3, 20}};
    void *copy[ARRAYS];
    pair p = {a, a, 1, 2};
    assert_int_equal(take(&p, sizeof *a, copy), RW_ERR_ARGUMENT);
    assert_string_equal(rw_message(ctx), "element 1: element.kind = 3 is not a value of colour: 0 to 2 are allowed");
}

/* What was copied before is freed: the address sanitizer says so. */
static void test_failing_allocations(void **state)
{
    (void)state;
    const older_element a[] = {{1}, {2}};
    for (int n = 1; n <= ARRAYS + 1; ++n) {
        void *copy[ARRAYS];
        pair p = {a, a, 2, 1};
        rw_fault_set(RW_FAULT_ALLOC, n);
        const rw_status status = take(&p, sizeof *a, copy);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        assert_int_equal(status, n <= ARRAYS ? RW_ERR_MEMORY : RW_OK);
        if (status == RW_OK) rw_struct_free_arrays(copy, ARRAYS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_size),           cmocka_unit_test(test_older_caller),
        cmocka_unit_test(test_newer_caller),        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_failing_allocations),
    };
    if (rw_context_create(&ctx) != RW_OK) return 1;
    const int failed = cmocka_run_group_tests_name("structs", tests, NULL, NULL);
    rw_context_destroy(&ctx);
    return failed;
}
