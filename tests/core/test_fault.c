/* Injected faults: exactly the n-th event of one kind fails, also when threads share the count; and the clock. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "core/core.h"

static void test_nth_event(void **state)
{
    (void)state;
    for (int n = 1; n <= 5; n++) {
        rw_fault_set(RW_FAULT_LAUNCH, n);
        for (int i = 1; i <= 7; i++) assert_int_equal(rw_fault_hit(RW_FAULT_LAUNCH), i == n);
        assert_int_equal(rw_fault_events(RW_FAULT_LAUNCH), 7);
    }
    rw_fault_set(RW_FAULT_LAUNCH, 0);
    assert_int_equal(rw_fault_events(RW_FAULT_LAUNCH), 0);
    for (int i = 0; i < 7; i++) assert_false(rw_fault_hit(RW_FAULT_LAUNCH));
    assert_int_equal(rw_fault_events(RW_FAULT_LAUNCH), 7);
}

static void test_kinds_are_apart(void **state)
{
    (void)state;
    for (int kind = 0; kind < RW_FAULT_KINDS; kind++) {
        rw_fault_set((rw_fault)kind, 1);
        for (int other = 0; other < RW_FAULT_KINDS; other++)
            assert_int_equal(rw_fault_hit((rw_fault)other), other == kind);
        rw_fault_set((rw_fault)kind, 0);
    }
}

static void *meet_events(void *hits)
{
    for (int i = 0; i < 10000; i++) *(int *)hits += rw_fault_hit(RW_FAULT_COMPILE);
    return NULL;
}

static void test_one_thread_meets_it(void **state)
{
    (void)state;
    pthread_t threads[4];
    int hits[4] = {0};
    rw_fault_set(RW_FAULT_COMPILE, 20000);
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, meet_events, &hits[i]), 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    assert_int_equal(hits[0] + hits[1] + hits[2] + hits[3], 1);
    assert_int_equal(rw_fault_events(RW_FAULT_COMPILE), 40000);
    rw_fault_set(RW_FAULT_COMPILE, 0);
}

static void test_clock_moves_forward(void **state)
{
    (void)state;
    double begin = rw_seconds(), before = begin;
    for (int i = 0; i < 1000; i++) {
        double now = rw_seconds();
        assert_true(now >= before);
        before = now;
    }
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    assert_true(rw_seconds() - begin >= 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nth_event),
        cmocka_unit_test(test_kinds_are_apart),
        cmocka_unit_test(test_one_thread_meets_it),
        cmocka_unit_test(test_clock_moves_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
