/* Children of fork() and threads that open devices at the same time.
 *
 * A child of a process that has used several OpenMP threads must not wait for them; devices whose drivers do not work
 * in a child are refused with the reason. Each child has a time limit: a hang is SIGALRM. */
/* TEST: optimised */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program_test.h"
#include "rechenwerk/sparse.h"

static const char text[] =
    "KERNEL(twice, GLOBAL f64 *y, GLOBAL const f64 *x, int n) { EACH(i, GROUP) { int j = GROUP_ID(0) * GROUP + i; "
    "if (j < n) y[j] = 2 * x[j]; } }\n";

/* y <- 2 x of so many numbers that several threads share them. */
static bool doubles(rw_device *d)
{
    enum { N = 1 << 20 };
    const int64_t n = N;
    const rw_define defines[] = {{"GROUP", "256"}};
    rw_program *p = NULL;
    rw_kernel *k = NULL;
    rw_array *x = NULL, *y = NULL;
    void *w;
    const void *r;
    bool right = false;
    rw_status status = rw_program_create(d, "twice", text, defines, 1, &p);
    if (status == RW_OK) status = rw_program_kernel(p, "twice", &k);
    if (status == RW_OK) status = rw_array_create(d, RW_F64, 1, &n, RW_MEMORY_DEVICE, &x);
    if (status == RW_OK) status = rw_array_create(d, RW_F64, 1, &n, RW_MEMORY_DEVICE, &y);
    if (status == RW_OK) status = rw_array_write(x, &w);
    for (int i = 0; status == RW_OK && i < N; ++i) ((double *)w)[i] = i;
    const rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_int(N)};
    for (int i = 0; i < 5 && status == RW_OK; ++i)
        status = rw_launch(rw_device_queue(d), k, (int64_t[3]){N / 256, 1, 1}, args, 3);
    if (status == RW_OK) status = rw_array_zero(x, rw_device_queue(d)); /* host threads */
    if (status == RW_OK) status = rw_array_read(y, &r);
    if (status == RW_OK) right = ((const double *)r)[N - 1] == 2.0 * (N - 1);
    rw_array_destroy(&x), rw_array_destroy(&y);
    rw_program_destroy(&p);
    return right;
}

/* Runs f in a child; true when it returned true within 60 seconds. */
static bool in_child(bool (*f)(rw_device *), rw_device *d)
{
    int status = -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        _exit(f(d) ? 0 : 1);
    }
    assert_true(pid > 0);
    while (waitpid(pid, &status, 0) < 0) {}
    if (WIFSIGNALED(status)) print_error("the child ended with signal %d\n", WTERMSIG(status));
    return status == 0;
}

static bool doubles_in_grandchild(rw_device *d) { return doubles(d) && in_child(doubles, d); }

static bool opens_anew(rw_device *d)
{
    rw_device *other;
    (void)d;
    if (rw_device_open(ctx, "cpu:2", &other) != RW_OK) return false;
    bool right = doubles(other);
    rw_device_close(&other);
    return right;
}

/* Loops of the host: a matrix put together and converted. */
static bool host_loops(rw_device *d)
{
    enum { N = 20000 };
    static int64_t at[N];
    static double value[N];
    rw_sparse_layout l, sell;
    rw_sparse *m = NULL, *other = NULL;
    for (int i = 0; i < N; ++i) at[i] = i, value[i] = 1 + i;
    rw_status status = rw_sparse_layout_parse(ctx, "csr", &l);
    if (status == RW_OK) status = rw_sparse_layout_parse(ctx, "sell", &sell);
    l.values = sell.values = RW_F64;
    if (status == RW_OK) status = rw_sparse_from_entries(d, &l, &(rw_entries){N, N, N, false, at, at, value}, &m);
    if (status == RW_OK) status = rw_sparse_convert(m, d, &sell, &other);
    if (status != RW_OK) print_error("%s\n", rw_message(ctx));
    rw_sparse_destroy(&m), rw_sparse_destroy(&other);
    return status == RW_OK;
}

static void *thread_of_child(void *user) { return doubles(user) ? user : NULL; }
static bool in_a_new_thread(rw_device *d)
{
    pthread_t thread;
    void *right = NULL;
    if (pthread_create(&thread, NULL, thread_of_child, d) != 0) return false;
    pthread_join(thread, &right);
    return right != NULL;
}

static void test_children_of_the_cpu(void **state)
{
    (void)state;
    static const char *const names[] = {"cpu:2", "cpu", "check"};
    for (int i = 0; i < RW_COUNT(names); ++i) {
        OK(rw_device_open(ctx, names[i], &dev));
        if (i < 2) assert_true(doubles(dev));
        if (i < 2) assert_true(host_loops(dev));
        if (i < 2) assert_true(in_child(doubles, dev));
        if (i == 0) assert_true(in_child(doubles_in_grandchild, dev));
        if (i == 0) assert_true(in_child(opens_anew, dev));
        assert_true(in_child(host_loops, dev));
        if (i == 0) assert_true(in_child(in_a_new_thread, dev));
        if (i < 2) assert_true(doubles(dev)); /* the parent goes on */
        rw_device_close(&dev);
    }
}

/* Programs that are in the background when the process forks: parent and child use them, or drop them. */
enum { STARTED = 6 };
static rw_program *started[STARTED];

static bool start_programs(rw_device *d)
{
    bool right = true;
    for (int i = 0; i < STARTED; ++i) {
        char value[8];
        snprintf(value, sizeof value, "%d", i + 3);
        const rw_define defines[] = {{"GROUP", "8"}, {"VALUE", value}};
        right = right && rw_program_start(d, "fill", "KERNEL(fill, GLOBAL f64 *y) { EACH(i, 1) { y[i] = VALUE; } }",
                                          defines, 2, &started[i]) == RW_OK;
    }
    return right;
}

static bool use_programs(rw_device *d)
{
    const int64_t n = 1;
    rw_array *y = NULL;
    rw_kernel *k;
    const void *r;
    bool right = rw_array_create(d, RW_F64, 1, &n, RW_MEMORY_DEVICE, &y) == RW_OK;
    for (int i = 0; i < STARTED - 1 && right; ++i)
        right = rw_program_kernel(started[i], "fill", &k) == RW_OK &&
                rw_launch(rw_device_queue(d), k, (int64_t[]){1, 1, 1}, &(rw_arg){.array = y}, 1) == RW_OK &&
                rw_array_read(y, &r) == RW_OK && *(const double *)r == i + 3;
    if (!right) print_error("%s\n", rw_message(ctx));
    for (int i = 0; i < STARTED; ++i) rw_program_destroy(&started[i]); /* the last one was not used */
    rw_array_destroy(&y);
    return right && start_programs(d);
}

static bool use_programs_again(rw_device *d)
{
    return use_programs(d) && use_programs(d);
} /* the second time the child's own */

static bool drop_programs(rw_device *d)
{
    rw_device *mine = d;
    for (int i = 0; i < STARTED; ++i) rw_program_destroy(&started[i]);
    rw_device_close(&mine);
    return true;
}

static void test_children_share_the_background(void **state)
{
    (void)state;
    static const char *const names[] = {"cpu:2", "check", "opencl:0"};
    rw_context_set_cache(ctx, false, NULL, false);
    for (int i = 0; i < RW_COUNT(names); ++i) {
        if (rw_device_open(ctx, names[i], &dev) != RW_OK) continue;
        for (int pause = 0; pause < 4; ++pause) {
            assert_true(start_programs(dev));
            usleep((useconds_t)pause * 30000);
            assert_true(in_child(i < 2 && pause < 3 ? use_programs_again : drop_programs, dev));
            assert_true(use_programs(dev));
            for (int k = 0; k < STARTED; ++k) rw_program_destroy(&started[k]);
        }
        rw_device_close(&dev);
    }
    rw_context_set_cache(ctx, true, NULL, false);
}

static rw_array *old_array;

static bool is_refused(rw_device *d)
{
    const int64_t n = 4;
    const void *r;
    rw_array *a;
    rw_device *again;
    rw_queue *q;
    rw_program *p;
    const rw_define defines[] = {{"GROUP", "64"}};
    const char *kind = rw_device_info(d)->kind;
    bool right = true;
#define REFUSED(call)                                                                                                  \
    right = right && (call) != RW_OK &&                                                                                \
            (strstr(rw_message(ctx), "fork") || (print_error("%s: %s\n", #call, rw_message(ctx)), false))
    REFUSED(rw_array_create(d, RW_F64, 1, &n, RW_MEMORY_DEVICE, &a));
    REFUSED(rw_array_read(old_array, &r));
    REFUSED(rw_array_zero(old_array, rw_device_queue(d)));
    REFUSED(rw_queue_wait(rw_device_queue(d)));
    REFUSED(rw_queue_create(d, &q));
    REFUSED(rw_program_create(d, "twice", text, defines, 1, &p));
    REFUSED(rw_device_open(ctx, kind, &again));
    rw_array_destroy(&old_array);
    rw_device *mine = d;
    rw_device_close(&mine);
    right = right && rw_device_open(ctx, "cpu:2", &again) == RW_OK && doubles(again);
    rw_device *found = NULL;
    /* a driver that the parent has not begun may serve */
    right = right && rw_device_open(ctx, "auto", &found) == RW_OK && doubles(found);
    return right;
}

static void test_children_of_drivers(void **state)
{
    (void)state;
    static const char *const names[] = {"opencl:0", "cuda:0"};
    for (int i = 0; i < RW_COUNT(names); ++i) {
        if (rw_device_open(ctx, names[i], &dev) != RW_OK) continue;
        const int64_t n = 4;
        OK(rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &old_array));
        OK(rw_array_zero(old_array, rw_device_queue(dev)));
        assert_true(in_child(is_refused, dev));
        assert_true(numbers_of(old_array)[3] == 0); /* untouched in the parent */
        assert_true(doubles(dev));
        rw_array_destroy(&old_array);
        rw_device_close(&dev);
    }
}

/* ---- opening at the same time ------------------------------------------------------------------------------------ */

enum { THREADS = 12 };
static pthread_barrier_t barrier;

static void *open_one(void *user)
{
    static const char *const names[] = {"opencl:0", "cpu:1", "opencl:0", "check"};
    const char *name = names[*(int *)user % 4];
    rw_device *d = NULL;
    rw_device_properties *list = NULL;
    int64_t n = 0;
    pthread_barrier_wait(&barrier);
    rw_status status = rw_device_open(ctx, name, &d);
    if (status == RW_OK || !strncmp(name, "opencl", 6)) status = rw_device_list(ctx, &list, &n);
    rw_device_list_free(&list);
    rw_device_close(&d);
    return status == RW_OK ? user : NULL;
}

/* In a new process each time: what crashes is the driver's first enumeration. */
static bool open_all(rw_device *d)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    bool right = true;
    (void)d;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; ++i) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, open_one, &numbers[i]) != 0) return false;
    }
    for (int i = 0; i < THREADS; ++i) {
        void *result;
        pthread_join(threads[i], &result);
        right = right && result;
    }
    return right;
}

static void test_threads_open_at_once(void **state)
{
    (void)state;
    for (int i = 0; i < 10; ++i) assert_true(in_child(open_all, NULL));
}

int main(void)
{
    if (rw_context_create(&ctx) != RW_OK) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_open_at_once), /* first: no driver is loaded yet */
        cmocka_unit_test(test_children_of_the_cpu),
        cmocka_unit_test(test_children_share_the_background),
        cmocka_unit_test(test_children_of_drivers),
    };
    int failed = cmocka_run_group_tests_name("fork", tests, NULL, NULL);
    rw_context_destroy(&ctx);
    return failed;
}
