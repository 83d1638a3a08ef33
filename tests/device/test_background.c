/* Programs that are compiled in the background: order, sharing between threads, errors, faults, the log, programs that
 * end before their compiler, and interrupts. */
/* TEST: devices=all optimised */
#include <pthread.h>

#include "../clock.h"
#include "program_test.h"

static int known[16], nknown;

static void note_compiling(void *user, const char *program, int n)
{
    (void)user, (void)program;
    if (nknown < RW_COUNT(known)) known[nknown++] = n;
}

static rw_program *start(const char *name, const char *text, int value)
{
    char words[16];
    snprintf(words, sizeof words, "+ %d", value);
    const rw_define defines[] = {{"GROUP", "8"}, {"VALUE", words}};
    rw_program *p;
    OK(rw_program_start(dev, name, text, defines, 2, &p));
    return p;
}

static const char bad[] = "KERNEL(k, GLOBAL f64 *y, f64 x) { EACH(i, 1) { y[i] = x + nowhere VALUE; } }";

static void begin_background(void)
{
    rw_context_set_cache(ctx, false, NULL, false);
    rw_compiling_set(note_compiling, NULL);
    nknown = 0;
}

static void end_background(void)
{
    rw_compiling_set(NULL, NULL);
    rw_context_set_cache(ctx, true, NULL, false);
    assert_int_equal(dev->in_background, 0);
}

#define RUNS(p, value)                                                                                                 \
    do {                                                                                                               \
        OK(rw_launch(queue, kernel_of(p, "k"), one, args, 2));                                                         \
        assert_true(numbers_of(y)[0] == 5 + (value));                                                                  \
    } while (0)

static void test_order(void **state)
{
    (void)state;
    enum { N = 5 };
    rw_program *p[N];
    rw_array *y = zeros(RW_F64, 1);
    const rw_arg args[] = {rw_arg_array(y), rw_arg_real(5)};
    begin_background();
    const int64_t compiled = counters().compilations;
    for (int i = 0; i < N; ++i) p[i] = start("tiny", TINY, 11 + i);
    assert_int_equal(counters().compilations, compiled + N);
    rw_program *again = start("tiny", TINY, 12); /* the same text once more */
    assert_ptr_equal(again, p[1]);
    rw_program_destroy(&again);
    assert_int_equal(nknown, 0);
    for (int i = N - 1; i >= 0; --i) RUNS(p[i], 11 + i); /* in another order than they were made */
    assert_int_equal(nknown, N);
    for (int i = 0; i < N; ++i) assert_int_equal(known[i], N - i);
    RUNS(p[0], 11);
    assert_int_equal(nknown, N);
    assert_int_equal(counters().compilations, compiled + N);
    again = build("tiny", TINY, "8", "VALUE", "+ 12");
    assert_ptr_equal(again, p[1]);
    rw_program_destroy(&again);
    for (int i = 0; i < N; ++i) rw_program_destroy(&p[i]);

    p[0] = start("tiny", TINY, 21); /* rw_program_create waits for one that is under way */
    p[1] = build("tiny", TINY, "8", "VALUE", "+ 21");
    assert_ptr_equal(p[0], p[1]);
    assert_null(p[0]->job);
    RUNS(p[0], 21);
    rw_program_destroy(&p[0]), rw_program_destroy(&p[1]);
    nknown = 0;
    p[0] = build("tiny", TINY, "8", "VALUE", "+ 31"); /* how many follow is not known */
    assert_true(nknown == 1 && known[0] == 0);
    rw_program_destroy(&p[0]);
    end_background();
    rw_array_destroy(&y);
}

/* Programs that nobody uses: some are still in the queue, some at the compiler. */
static void test_programs_end(void **state)
{
    (void)state;
    enum { N = 12 };
    rw_program *p[N];
    begin_background();
    for (int i = 0; i < N; ++i) p[i] = start("unused", TINY, 500 + i);
    for (int i = N - 1; i >= 0; i -= 2) rw_program_destroy(&p[i]); /* from the tail of the queue */
    for (int i = 0; i < N; i += 2) rw_program_destroy(&p[i]);
    assert_int_equal(nknown, 0);

    rw_device *other = NULL; /* the last reference to a device is a program's */
    OK(rw_device_open(ctx, rw_device_info(dev)->name, &other));
    const rw_define defines[] = {{"GROUP", "8"}, {"VALUE", "+ 600"}};
    OK(rw_program_start(other, "unused", TINY, defines, 2, &p[0]));
    rw_device_close(&other);
    rw_program_destroy(&p[0]);
    end_background();
}

/* The second of three does not compile: its message comes with each use of it, the others run. */
static void test_errors(void **state)
{
    (void)state;
    rw_program *a, *b, *c, *waits = (rw_program *)state;
    rw_array *y = zeros(RW_F64, 1);
    const rw_arg args[] = {rw_arg_array(y), rw_arg_real(5)};
    const rw_define defines[] = {{"GROUP", "8"}, {"VALUE", "+ 42"}};
    rw_kernel_resources resources;
    begin_background();
    a = start("first", TINY, 41), b = start("second", bad, 42), c = start("third", TINY, 43);
    RUNS(c, 43);
    FAILS(RW_ERR_COMPILE, "program second: kernel k, line 1", rw_launch(queue, kernel_of(b, "k"), one, args, 2));
    assert_non_null(strstr(rw_message(ctx), "nowhere"));
    rw_free(read_log());
    rw_fail(ctx, RW_ERR_INTERNAL, "another message");
    FAILS(RW_ERR_COMPILE, "program second: kernel k, line 1", rw_kernel_measure(kernel_of(b, "k"), &resources));
    RUNS(a, 41);
    FAILS(RW_ERR_COMPILE, "nowhere", rw_program_create(dev, "second", bad, defines, 2, &waits)); /* tries again */
    assert_null(waits);
    rw_free(read_log());
    rw_program_destroy(&a), rw_program_destroy(&b), rw_program_destroy(&c);
    b = start("second", bad, 44);
    FAILS(RW_ERR_COMPILE, "nowhere",
          rw_program_create(dev, "second", bad, (rw_define[]){{"GROUP", "8"}, {"VALUE", "+ 44"}}, 2, &waits));
    rw_free(read_log());
    rw_program_destroy(&b); /* that was waited for by another reference */
    rw_program_destroy(&a);
    b = start("second", bad, 45);
    rw_program_destroy(&b); /* nobody has asked */
    end_background();
    rw_array_destroy(&y);
}

/* Two threads start the same two programs and use each other's. */
static void *start_and_run(void *user)
{
    worker *w = user;
    rw_program *p[2] = {0};
    rw_kernel *k = NULL;
    rw_array *y = NULL;
    const int64_t n = 1;
    const void *data = NULL;
    double sum = 0;
    w->status = RW_OK;
    for (int i = 0; i < 2 && w->status == RW_OK; ++i) {
        const rw_define defines[] = {{"GROUP", "8"}, {"VALUE", (i + w->number) % 2 ? "+ 701" : "+ 702"}};
        w->status = rw_program_start(w->dev, "threads", TINY, defines, 2, &p[i]);
    }
    if (w->status == RW_OK) w->status = rw_array_create(w->dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &y);
    for (int i = 1; i >= 0 && w->status == RW_OK; --i) {
        const rw_arg args[] = {rw_arg_array(y), rw_arg_real(5)};
        w->status = rw_program_kernel(p[i], "k", &k);
        if (w->status == RW_OK) w->status = rw_launch(rw_device_queue(w->dev), k, one, args, 2);
        if (w->status == RW_OK) w->status = rw_array_read(y, &data);
        if (w->status == RW_OK) sum += *(const double *)data;
    }
    w->got = sum;
    rw_array_destroy(&y);
    rw_program_destroy(&p[0]), rw_program_destroy(&p[1]);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    worker workers[THREADS];
    rw_context_set_cache(ctx, false, NULL, false);
    for (int i = 0; i < THREADS; ++i) {
        workers[i] = (worker){dev, i, RW_ERR_INTERNAL, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, start_and_run, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    rw_context_set_cache(ctx, true, NULL, false);
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(workers[i].status, RW_OK);
        assert_true(workers[i].got == 706 + 707);
    }
    assert_int_equal(dev->in_background, 0);
}

/* With a fault set programs are compiled one after another by this thread, which meets all events. */
static void test_faults(void **state)
{
    rw_program *p = (rw_program *)state;
    const rw_define defines[] = {{"GROUP", "8"}, {"VALUE", "+ 801"}};
    rw_context_set_cache(ctx, false, NULL, false);
    rw_fault_set(RW_FAULT_COMPILE, 1);
    FAILS(RW_ERR_COMPILE, "injected", rw_program_start(dev, "tiny", TINY, defines, 2, &p));
    assert_null(p);
    rw_fault_set(RW_FAULT_COMPILE, 0);
    for (long n = 1;; ++n) {
        rw_fault_set(RW_FAULT_ALLOC, n);
        rw_status status = rw_program_start(dev, "tiny", TINY, defines, 2, &p);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        if (status == RW_OK) break;
        assert_int_equal(status, RW_ERR_MEMORY);
        assert_null(p);
    }
    assert_null(p->job);
    rw_program_destroy(&p);
    p = start("tiny", TINY, 802); /* what was started earlier does not meet them */
    rw_fault_set(RW_FAULT_ALLOC, 1);
    rw_status status = rw_program_ready(p);
    rw_fault_set(RW_FAULT_ALLOC, 0);
    if (!on("opencl") && !on("check")) assert_int_equal(status, RW_OK); /* these two allocate when they load */
    rw_program_destroy(&p);
    rw_context_set_cache(ctx, true, NULL, false);
    assert_int_equal(dev->in_background, 0);
}

/* What a compiler in the background wants logged comes from the thread that uses the program. */
static pthread_t logged_by;
static char logged_line[256];

static void note_log(void *user, rw_log_level level, const char *text)
{
    (void)user, (void)level;
    if (!strstr(text, "at -O3")) return;
    logged_by = pthread_self();
    snprintf(logged_line, sizeof logged_line, "%s", text);
}

static void test_log(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    char path[512];
    rw_array *y = zeros(RW_F64, 1);
    const rw_arg args[] = {rw_arg_array(y), rw_arg_real(5)};
    begin_background();
    make_folder();
    write_script("slow",
                 "#!/bin/sh\ncase \"$*\" in *-O1*) exec cc \"$@\";; *) : >\"$0.late\"; exec sleep 3000;; esac\n", path);
    begin_clock();
    snprintf(clock_file, sizeof clock_file, "%.500s.late", path);
    setenv("RECHENWERK_CC", path, 1), setenv("RECHENWERK_CC_SECONDS", "1", 1);
    rw_program *p = start("slow", TINY, 901);
    rw_context_set_log(ctx, RW_LOG_WARNING, note_log, NULL);
    RUNS(p, 901);
    rw_context_set_log(ctx, RW_LOG_WARNING, NULL, NULL);
    assert_non_null(strstr(logged_line, "program slow: "));
    assert_true(pthread_equal(logged_by, pthread_self()));
    assert_true(p->makeshift);
    unsetenv("RECHENWERK_CC"), unsetenv("RECHENWERK_CC_SECONDS");
    end_clock();
    rw_program_destroy(&p);
    remove_folder();
    end_background();
    rw_array_destroy(&y);
}

/* A thread's cancel flag ends the compilers that it has started; when it is cleared, the programs are compiled
 * again. */
static void test_interrupt(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    char path[512];
    rw_cancel flag = {0};
    rw_array *y = zeros(RW_F64, 1);
    const rw_arg args[] = {rw_arg_array(y), rw_arg_real(5)};
    begin_background();
    make_folder();
    write_script("sleeps", "#!/bin/sh\nsleep 3000\n", path);
    setenv("RECHENWERK_CC", path, 1);
    const rw_cancel *outer = rw_cancel_enter(&flag);
    rw_program *p[4];
    for (int i = 0; i < 4; ++i) p[i] = start("sleeps", TINY, 910 + i);
    rw_cancel_request(&flag);
    for (int i = 0; i < 3; ++i)
        FAILS(RW_ERR_INTERRUPTED, "program sleeps was compiled", rw_launch(queue, kernel_of(p[i], "k"), one, args, 2));
    for (int i = 1; i < 4; ++i) rw_program_destroy(&p[i]);
    rw_cancel_reset(&flag);
    unsetenv("RECHENWERK_CC");
    RUNS(p[0], 910);
    rw_program_destroy(&p[0]);
    rw_cancel_leave(outer);
    remove_folder();
    end_background();
    rw_array_destroy(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),     cmocka_unit_test(test_programs_end), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_threads),   cmocka_unit_test(test_faults),       cmocka_unit_test(test_log),
        cmocka_unit_test(test_interrupt),
    };
    return run_on_devices("background", tests, RW_COUNT(tests));
}
