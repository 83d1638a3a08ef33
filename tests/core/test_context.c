/* The context: messages of each thread, the log and its level, references, settings, exhausted memory. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"

static rw_context *new_context(void)
{
    rw_context *ctx;
    assert_int_equal(rw_context_create(&ctx), RW_OK);
    return ctx;
}

static void test_version(void **state)
{
    (void)state;
    char version[32];
    snprintf(version, sizeof(version), "%d.%d.%d", RW_VERSION_MAJOR, RW_VERSION_MINOR, RW_VERSION_PATCH);
    assert_string_equal(rw_version(), version);
    assert_string_equal(RW_VERSION, version);
}

static void test_message(void **state)
{
    (void)state;
    rw_context *ctx = new_context();
    assert_int_equal(rw_fail(ctx, RW_ERR_ARGUMENT, "size = %d is negative: give %s", -3, "the number of cells"),
                     RW_ERR_ARGUMENT);
    assert_string_equal(rw_message(ctx), "size = -3 is negative: give the number of cells");

    assert_int_equal(rw_fail_prefix(ctx, RW_ERR_INPUT, "%s:%d", "case.yaml", 14), RW_ERR_INPUT);
    assert_string_equal(rw_message(ctx), "case.yaml:14: size = -3 is negative: give the number of cells");

    /* the old message may be an argument of the new one */
    rw_fail(ctx, RW_ERR_DEVICE, "cuda:0: %s", rw_message(ctx));
    assert_string_equal(rw_message(ctx), "cuda:0: case.yaml:14: size = -3 is negative: give the number of cells");

    assert_int_equal(rw_fail_memory(ctx, 4096, "a field"), RW_ERR_MEMORY);
    assert_string_equal(
        rw_message(ctx),
        "out of host memory: cannot allocate 4096 bytes for a field: choose a smaller size or free memory");
    assert_int_equal(rw_fail(NULL, RW_ERR_INTERNAL, "without a context"), RW_ERR_INTERNAL);
    assert_string_equal(rw_message(NULL), "without a context");
    rw_context_destroy(&ctx);
}

static void test_long_messages_are_cut_at_a_character(void **state)
{
    (void)state;
    char text[9000] = "";
    for (int shift = 0; shift < 3; shift++) { /* every way in which a 3-byte character may lie across the end */
        memset(text, 'x', (size_t)shift);
        for (size_t i = (size_t)shift; i + 3 < sizeof(text); i += 3) memcpy(text + i, "\xE2\x82\xAC", 4);
        rw_fail(NULL, RW_ERR_INPUT, "%s", text);
        size_t n = strlen(rw_message(NULL));
        assert_true(n >= 2000 && n < sizeof(text) - 3);
        assert_string_equal(rw_message(NULL) + n - 3, "...");
        assert_int_equal((n - 3 - (size_t)shift) % 3, 0);
        assert_memory_equal(rw_message(NULL), text, n - 3);
    }
    rw_fail_prefix(NULL, RW_ERR_INPUT, "%s", "file");
    assert_memory_equal(rw_message(NULL), "file: xx", 8);
}

static void *fail_in_a_thread(void *data)
{
    int *number = data;
    char expected[64];
    if (*rw_message(NULL)) return "a new thread has a message";
    for (int i = 0; i < 2000; i++) {
        rw_fail(NULL, RW_ERR_INPUT, "thread %d, call %d", *number, i);
        snprintf(expected, sizeof(expected), "thread %d, call %d", *number, i);
        if (strcmp(rw_message(NULL), expected) != 0) return "another thread's message";
    }
    return NULL;
}

static void test_message_of_each_thread(void **state)
{
    (void)state;
    rw_fail(NULL, RW_ERR_INPUT, "mine");
    pthread_t threads[4];
    int numbers[4];
    for (int i = 0; i < 4; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, fail_in_a_thread, &numbers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        if (wrong) fail_msg("%s", (char *)wrong);
    }
    assert_string_equal(rw_message(NULL), "mine");
}

typedef struct record {
    int calls;
    rw_log_level level;
    char text[4096];
} record;

static void remember(void *user, rw_log_level level, const char *text)
{
    record *r = user;
    r->level = level;
    if (r->calls++) strcat(r->text, "|");
    strcat(r->text, text);
}

static void test_log_level(void **state)
{
    (void)state;
    rw_context *ctx = new_context();
    rw_log(ctx, RW_LOG_ERROR, "nobody listens");
    rw_log(NULL, RW_LOG_ERROR, "no context");
    for (int level = RW_LOG_ERROR; level <= RW_LOG_DEBUG; level++) {
        record r = {0};
        rw_context_set_log(ctx, (rw_log_level)level, remember, &r);
        for (int line = RW_LOG_ERROR; line <= RW_LOG_DEBUG; line++) rw_log(ctx, (rw_log_level)line, "line %d", line);
        assert_int_equal(r.calls, level + 1);
        assert_int_equal(r.level, level);
    }
    record r = {0};
    rw_context_set_log(ctx, RW_LOG_INFO, remember, &r);
    rw_log(ctx, RW_LOG_INFO, "first %s\n\nsecond\n", "line");
    assert_string_equal(r.text, "first line|second");
    rw_fail(ctx, RW_ERR_INPUT, "a failure is not logged");
    assert_int_equal(r.calls, 2);
    rw_context_set_log(ctx, RW_LOG_DEBUG, NULL, NULL);
    rw_log(ctx, RW_LOG_ERROR, "nobody listens again");
    rw_context_set_log(NULL, RW_LOG_DEBUG, remember, &r);
    assert_int_equal(r.calls, 2);
    rw_context_destroy(&ctx);
}

static void *hold_and_drop(void *data)
{
    for (int i = 0; i < 2000; i++) {
        rw_context *mine = rw_context_retain(data);
        rw_context_destroy(&mine);
    }
    return NULL;
}

static void test_references(void **state)
{
    (void)state;
    rw_context *ctx = new_context(), *object = rw_context_retain(ctx);
    assert_ptr_equal(object, ctx);
    assert_null(rw_context_retain(NULL));
    rw_context_destroy(&ctx);
    assert_null(ctx);
    rw_context_destroy(&ctx);
    rw_context_destroy(NULL);
    rw_context_set_reproducible(object, true); /* still there: the sanitizer watches */
    assert_true(object->reproducible);

    pthread_t threads[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, hold_and_drop, object), 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    assert_int_equal(object->references, 1);
    rw_context_destroy(&object);
}

static void test_settings(void **state)
{
    (void)state;
    rw_context *ctx = new_context();
    assert_true(ctx->cache_enabled && !ctx->cache_trace && !ctx->reproducible && !ctx->cache_folder);
    assert_int_equal(rw_context_set_cache(ctx, false, "/tmp/a", true), RW_OK);
    assert_true(!ctx->cache_enabled && ctx->cache_trace);
    assert_string_equal(ctx->cache_folder, "/tmp/a");
    assert_int_equal(rw_context_set_cache(ctx, true, "", false), RW_ERR_ARGUMENT);
    assert_non_null(strstr(rw_message(ctx), "folder is empty"));
    assert_string_equal(ctx->cache_folder, "/tmp/a");
    assert_int_equal(rw_context_set_cache(ctx, true, NULL, false), RW_OK);
    assert_null(ctx->cache_folder);
    assert_int_equal(rw_context_set_cache(NULL, true, NULL, false), RW_ERR_ARGUMENT);
    assert_int_equal(rw_context_create(NULL), RW_ERR_ARGUMENT);
    rw_context_set_reproducible(NULL, true);
    rw_context_destroy(&ctx);
}

static void test_memory_exhausted(void **state)
{
    (void)state;
    rw_context not_null = {0}, *ctx = &not_null;
    rw_fault_set(RW_FAULT_ALLOC, 1);
    assert_int_equal(rw_context_create(&ctx), RW_ERR_MEMORY);
    assert_null(ctx);
    rw_fault_set(RW_FAULT_ALLOC, 0);
    ctx = new_context();
    assert_int_equal(rw_context_set_cache(ctx, true, "/tmp/kept", true), RW_OK);
    rw_fault_set(RW_FAULT_ALLOC, 1);
    assert_int_equal(rw_context_set_cache(ctx, false, "/tmp/new", false), RW_ERR_MEMORY);
    rw_fault_set(RW_FAULT_ALLOC, 0);
    assert_string_equal(ctx->cache_folder, "/tmp/kept");
    assert_true(ctx->cache_enabled && ctx->cache_trace);
    rw_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_message),
        cmocka_unit_test(test_long_messages_are_cut_at_a_character),
        cmocka_unit_test(test_message_of_each_thread),
        cmocka_unit_test(test_log_level),
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_memory_exhausted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
