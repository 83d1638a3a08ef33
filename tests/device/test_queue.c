/* Queues, events and recorded sequences on every device: order within a queue and between queues, times, what replay
 * does to memory and coherence, what is refused while recording, and kernels that fail to start. */
/* TEST: devices=all optimised */
#include <math.h>
#include <pthread.h>

#include "../devices.h"

static const char text[] =
    "KERNEL(spin, GLOBAL f64 *y, GLOBAL const f64 *x, long n, int turns)\n" /* y <- x + 1, slowly */
    "{\n"
    "    EACH_IN(i, GROUP_ID(0) * (long)GROUP, n < (GROUP_ID(0) + 1) * (long)GROUP ? n : (GROUP_ID(0) + 1) * "
    "(long)GROUP)\n"
    "    {\n"
    "        f64 v = x[i];\n"
    "        for (int k = 0; k < turns; ++k) v = sqrt(v * v);\n"
    "        y[i] = v + 1;\n"
    "    }\n"
    "}\n"
    "KERNEL(count, GLOBAL f64 *y, int slow, int turns)\n" /* y <- y + 1, a number a group; the first groups slowly */
    "{\n"
    "    EACH(i, 1)\n"
    "    {\n"
    "        f64 v = y[GROUP_ID(0)];\n"
    "        for (int k = 0; k < (GROUP_ID(0) < slow ? turns : 1); ++k) v = sqrt(v * v);\n"
    "        y[GROUP_ID(0)] = v + 1;\n"
    "    }\n"
    "}\n"
    "KERNEL(meet, GLOBAL i32 *here, int me, int turns)\n" /* waits for the other one, but not for ever */
    "{\n"
    "    EACH(i, 1)\n"
    "    {\n"
    "        int k = 0;\n"
    "        ATOMIC_EXCHANGE(here + me, 1);\n"
    "        while (k < turns && ATOMIC_ADD(here + 1 - me, 0) == 0) ++k;\n"
    "        here[2 + me] = k < turns;\n"
    "    }\n"
    "}\n"
    "KERNEL(blend, GLOBAL f64 *y, GLOBAL const f64 *x, f64 a, f64 b, long n) { EACH(i, n) { y[i] = a * x[i] + b * "
    "y[i]; } }\n";

static rw_program *programs[MAX_TEST_DEVICES];

static void compile(int index)
{
    static const rw_define group[] = {{"GROUP", "64"}};
    OK(rw_program_create(dev, "queues", text, group, 1, &programs[index]));
}
static void release(int index) { rw_program_destroy(&programs[index]); }

static rw_status spin(rw_queue *q, rw_array *y, rw_array *x, int turns)
{
    const int64_t n = rw_array_size(y);
    const rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_int(n), rw_arg_int(turns)};
    return launch1(q, kernel_of(programs[device_index()], "spin"), (n + 63) / 64, args, 4);
}

/* y <- a x + b y */
static rw_status step(rw_queue *q, rw_array *y, rw_array *x, double a, double b)
{
    const rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_real(a), rw_arg_real(b),
                           rw_arg_int(rw_array_size(y))};
    return launch1(q, kernel_of(programs[device_index()], "blend"), 1, args, 5);
}

static rw_array *zeros(int64_t n)
{
    rw_array *a = new_array(RW_F64, n, RW_MEMORY_DEVICE);
    OK(rw_array_zero(a, queue));
    return a;
}

static bool all_are(rw_array *a, double value)
{
    const double *p = numbers_of(a);
    for (int64_t i = 0; i < rw_array_size(a); ++i)
        if (p[i] != value) return false;
    return true;
}

static int turns(void) { return on("check") ? 3 : 2000; } /* the check device looks at every access */

/* ---- order ------------------------------------------------------------------------------------------------------- */

static void test_a_queue_keeps_its_order(void **state)
{
    (void)state;
    rw_array *x = zeros(640), *y = zeros(640);
    for (int i = 0; i < 20; ++i) {
        OK(spin(queue, y, x, turns()));
        OK(step(queue, x, y, 1, 0));
    }
    assert_true(all_are(x, 20));
    rw_array_destroy(&x), rw_array_destroy(&y);
}

/* However many there are, whatever each takes, and however many threads share them. */
static void test_each_group_runs_once(void **state)
{
    (void)state;
    static const char *const counts[] = {"cpu:2", "cpu:3", "cpu:32", "cpu:33", "cpu:70"};
    static const int64_t groups[] = {1, 2, 3, 31, 32, 33, 527, 4099};
    rw_device *const mine = dev;
    for (int d = -1; d < (on("cpu") ? RW_COUNT(counts) : 0); ++d) {
        rw_program *p;
        if (d >= 0) OK(rw_device_open(ctx, counts[d], &dev));
        OK(rw_program_create(dev, "groups", text, (const rw_define[]){{"GROUP", "64"}}, 1, &p));
        for (int i = 0; i < RW_COUNT(groups); ++i) {
            rw_array *y = new_array(RW_F64, groups[i], RW_MEMORY_DEVICE);
            rw_queue *q = rw_device_queue(dev);
            OK(rw_array_zero(y, q));
            const rw_arg args[] = {rw_arg_array(y), rw_arg_int(groups[i] / 8), rw_arg_int(10 * turns())};
            for (int n = 0; n < 6; ++n) OK(launch1(q, kernel_of(p, "count"), groups[i], args, 3));
            if (!all_are(y, 6)) fail_msg("%s: %d groups", rw_device_info(dev)->name, (int)groups[i]);
            rw_array_destroy(&y);
        }
        rw_program_destroy(&p);
        if (d >= 0) rw_device_close(&dev);
        dev = mine;
    }
}

/* An array used in one queue after another: the second waits by itself. */
static void test_queues_order_themselves_by_arrays(void **state)
{
    (void)state;
    enum { QUEUES = 4 };
    rw_queue *q[QUEUES];
    for (int i = 0; i < QUEUES; ++i) OK(rw_queue_create(dev, &q[i]));
    rw_array *x = zeros(640), *y = zeros(640);
    for (int i = 0; i < 5 * QUEUES; ++i) {
        OK(spin(q[i % QUEUES], y, x, turns()));    /* reads what the last one writes, */
        OK(step(q[(i + 1) % QUEUES], x, y, 1, 0)); /* writes what the last one reads */
    }
    assert_true(all_are(x, 5 * QUEUES));
    OK(rw_array_copy(y, x, q[1]));
    OK(rw_array_zero(x, q[2]));
    assert_true(all_are(y, 5 * QUEUES) && all_are(x, 0));
    for (int i = 0; i < QUEUES; ++i) rw_queue_destroy(&q[i]);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

/* The same kernel at once with few groups and with many; PoCL 4.0 to 5.0 mixes the two up. */
static void test_queues_launch_different_grids(void **state)
{
    (void)state;
    rw_queue *other;
    OK(rw_queue_create(dev, &other));
    rw_array *x = zeros(64), *y = zeros(64), *u = zeros(64), *v = zeros(64);
    for (int i = 1; i <= 5; ++i) {
        rw_array *many = zeros(640 * i), *from = zeros(640 * i);
        OK(spin(queue, y, x, turns()));
        OK(spin(other, many, from, turns()));
        OK(spin(queue, v, u, turns()));
        assert_true(all_are(many, 1) && all_are(y, 1) && all_are(v, 1));
        rw_array_destroy(&many), rw_array_destroy(&from);
    }
    rw_queue_destroy(&other);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&u), rw_array_destroy(&v);
}

/* A queue may go while arrays were last used in it. */
static void test_a_queue_goes_before_its_arrays(void **state)
{
    (void)state;
    rw_array *x = zeros(640), *y = zeros(640), *z = zeros(640);
    for (int i = 0; i < 3; ++i) {
        rw_queue *q;
        OK(rw_queue_create(dev, &q));
        OK(spin(q, y, x, turns()));
        OK(step(q, x, y, 1, 0));
        OK(step(q, z, y, 1, 0));
        rw_queue_destroy(&q);
        assert_null(q);
        if (i == 0) assert_true(all_are(x, 1));  /* read on the host, */
        if (i == 1) OK(step(queue, x, y, 1, 0)); /* used in another queue, */
        if (i == 2) rw_array_destroy(&x);        /* or destroyed */
    }
    assert_true(all_are(y, 3) && all_are(z, 3));
    rw_array_destroy(&y), rw_array_destroy(&z);
    rw_queue *none = NULL;
    rw_queue_destroy(&none);
    rw_queue *first = rw_device_queue(dev);
    rw_queue_destroy(&first); /* the device's own stays */
    OK(rw_queue_wait(queue));
}

static void test_events_order_queues(void **state)
{
    (void)state;
    rw_queue *a, *b;
    rw_event *e;
    OK(rw_queue_create(dev, &a));
    OK(rw_queue_create(dev, &b));
    OK(rw_event_create(dev, &e));
    rw_array *x = zeros(640), *y = zeros(640), *z = zeros(640);
    for (int i = 0; i < 10; ++i) {
        OK(spin(a, y, x, turns()));
        OK(rw_event_record(e, a));
        OK(rw_queue_wait_event(b, e));
        OK(step(b, z, y, 1, 0));
        OK(step(b, x, z, 1, 0));
        OK(rw_event_record(e, b)); /* the same event again: it marks the later place */
        OK(rw_queue_wait_event(a, e));
    }
    OK(rw_event_wait(e));
    OK(rw_queue_wait(a));
    OK(rw_queue_wait(b));
    assert_true(all_are(x, 10));
    rw_event_destroy(&e);
    assert_null(e);
    rw_event_destroy(&e);
    rw_queue_destroy(&a), rw_queue_destroy(&b);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&z);
}

static void test_event_mistakes(void **state)
{
    (void)state;
    rw_event *e, *f;
    rw_device *other;
    double seconds = 5;
    OK(rw_device_open(ctx, "cpu:1", &other));
    OK(rw_event_create(dev, &e));
    OK(rw_event_create(other, &f));
    FAILS(RW_ERR_ARGUMENT, "has not been recorded", rw_event_wait(e));
    FAILS(RW_ERR_ARGUMENT, "has not been recorded", rw_queue_wait_event(queue, e));
    FAILS(RW_ERR_ARGUMENT, "has not been recorded", rw_event_seconds(e, e, &seconds));
    assert_true(seconds == 0);
    FAILS(RW_ERR_ARGUMENT, "same device", rw_event_record(f, queue));
    FAILS(RW_ERR_ARGUMENT, "same device", rw_event_record(e, rw_device_queue(other)));
    OK(rw_event_record(f, rw_device_queue(other)));
    OK(rw_event_record(e, queue));
    FAILS(RW_ERR_ARGUMENT, "same device", rw_queue_wait_event(queue, f));
    FAILS(RW_ERR_ARGUMENT, "same device", rw_event_seconds(e, f, &seconds));
    OK(rw_event_seconds(e, e, &seconds));
    assert_true(seconds == 0);
    rw_device_close(&other); /* its event keeps it */
    rw_event_destroy(&f);
    rw_event_destroy(&e);
}

static void test_event_times(void **state)
{
    (void)state;
    rw_event *e[6];
    double sum = 0, seconds;
    for (int i = 0; i < RW_COUNT(e); ++i) OK(rw_event_create(dev, &e[i]));
    rw_array *x = zeros(6400), *y = zeros(6400);
    OK(spin(queue, y, x, turns()));
    OK(rw_queue_wait(queue));
    double wall = rw_seconds();
    for (int i = 0; i < RW_COUNT(e); ++i) {
        if (i) OK(spin(queue, y, x, turns()));
        OK(rw_event_record(e[i], queue));
    }
    OK(rw_queue_wait(queue));
    wall = rw_seconds() - wall;
    for (int i = 1; i < RW_COUNT(e); ++i) {
        OK(rw_event_seconds(e[i - 1], e[i], &seconds));
        /* some microseconds of work lie between */
        if (!(seconds > 0 && seconds < 60)) fail_msg("%d: %g s", i, seconds);
        sum += seconds;
    }
    OK(rw_event_seconds(e[0], e[RW_COUNT(e) - 1], &seconds));
    if (fabs(seconds - sum) > 1e-4 + 1e-3 * sum) fail_msg("%g s in all, parts sum to %g s", seconds, sum);
    if (seconds > 1.05 * wall + 1e-3) fail_msg("%g s by the device, %g s by the clock", seconds, wall);
    for (int i = 0; i < RW_COUNT(e); ++i) rw_event_destroy(&e[i]);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

/* ---- recorded sequences ------------------------------------------------------------------------------------------ */

/* Two launches: y <- x + y/2, x <- x/4 + y. */
static rw_status two_steps(rw_queue *q, rw_array *x, rw_array *y)
{
    rw_status status = step(q, y, x, 1, 0.5);
    return status == RW_OK ? step(q, x, y, 1, 0.25) : status;
}

static rw_sequence *record_two_steps(rw_queue *q, rw_array *x, rw_array *y)
{
    rw_sequence *s;
    OK(rw_array_send(x, q));
    OK(rw_array_send(y, q));
    OK(rw_record_begin(q));
    OK(two_steps(q, x, y));
    OK(rw_record_end(q, &s));
    return s;
}

static void test_replay_is_repeated_launches(void **state)
{
    (void)state;
    rw_array *x = new_ramp(100, 1, 1), *y = new_ramp(100, 2, 3), *u = new_ramp(100, 1, 1), *v = new_ramp(100, 2, 3);
    rw_sequence *s = record_two_steps(queue, u, v);
    rw_counters c = counters();
    for (int i = 0; i < 10; ++i) OK(rw_sequence_replay(s, queue));
    assert_int_equal(counters().replays - c.replays, 10);
    assert_int_equal(counters().launches - c.launches, 20);
    assert_int_equal(counters().copies_in - c.copies_in, 0);
    for (int i = 0; i < 10; ++i) OK(two_steps(queue, x, y));
    for (int i = 0; i < 100; ++i)
        assert_true(numbers_of(x)[i] == numbers_of(u)[i] && numbers_of(y)[i] == numbers_of(v)[i]);
    assert_int_equal(counters().copies_out - c.copies_out, discrete() ? 4 : 0);
    rw_sequence_destroy(&s);
    assert_null(s);
    rw_sequence_destroy(&s);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&u), rw_array_destroy(&v);
}

/* Recording runs nothing. */
static void test_recording_runs_nothing(void **state)
{
    (void)state;
    rw_array *x = new_ramp(10, 1, 1), *y = new_ramp(10, 2, 3);
    rw_counters c = counters();
    rw_sequence *s = record_two_steps(queue, x, y);
    OK(rw_queue_wait(queue));
    assert_int_equal(counters().launches, c.launches);
    assert_true(numbers_of(x)[3] == 4 && numbers_of(y)[3] == 11);
    rw_sequence_destroy(&s);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

/* Host changes between replays go to the device, results come back, nothing else is copied. */
static void test_coherence_after_replay(void **state)
{
    (void)state;
    rw_array *x = new_ramp(100, 0, 0), *y = new_ramp(100, 0, 0);
    rw_sequence *s = record_two_steps(queue, x, y);
    double wx = 0, wy = 0;
    for (int i = 0; i < 5; ++i) {
        void *w;
        OK(rw_array_update(x, &w));
        wx = wx + i + 1;
        for (int k = 0; k < 100; ++k) ((double *)w)[k] = wx;
        rw_counters c = counters();
        OK(rw_sequence_replay(s, queue));
        wy = wx + 0.5 * wy, wx = wy + 0.25 * wx;
        assert_int_equal(counters().copies_in - c.copies_in, discrete() ? 1 : 0);
        assert_true(all_are(x, wx) && all_are(y, wy));
        assert_int_equal(counters().copies_out - c.copies_out, discrete() ? 2 : 0);
    }
    rw_sequence_destroy(&s);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

/* In another queue than it was recorded in, between kernels of that and other queues. */
static void test_replay_in_another_queue(void **state)
{
    (void)state;
    rw_queue *other;
    OK(rw_queue_create(dev, &other));
    rw_array *x = new_ramp(100, 1, 0), *y = new_ramp(100, 0, 0), *slow = zeros(100);
    rw_sequence *s = record_two_steps(queue, x, y);
    double wx = 1, wy = 0;
    for (int i = 0; i < 10; ++i) {
        OK(spin(queue, slow, x, turns())); /* queue holds x for a while */
        OK(step(queue, x, slow, 1, 0));    /* x <- x + 1 */
        OK(rw_sequence_replay(s, other));
        wx += 1, wy = wx + 0.5 * wy, wx = wy + 0.25 * wx;
    }
    rw_queue_destroy(&other);
    assert_true(all_are(x, wx) && all_are(y, wy));
    rw_sequence_destroy(&s);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&slow);
}

/* A sequence keeps the memory that the arrays had when it was recorded. (Which copy is current is then for the caller
 * to know: a copy on the device shows the memory itself.) */
static void test_a_sequence_keeps_its_memory(void **state)
{
    (void)state;
    rw_array *x = new_ramp(100, 1, 0), *y = new_ramp(100, 0, 0), *z = new_ramp(100, 7, 0);
    rw_sequence *s = record_two_steps(queue, x, y);
    OK(rw_array_send(z, queue));
    OK(rw_array_swap(x, z)); /* the recorded memory is z's now */
    OK(rw_sequence_replay(s, queue));
    OK(rw_queue_wait(queue));
    rw_array *recorded = zeros(100), *swapped = zeros(100);
    OK(rw_array_copy(recorded, z, queue));
    OK(rw_array_copy(swapped, x, queue));
    assert_true(all_are(recorded, 1.25) && all_are(y, 1) && all_are(swapped, 7));
    rw_sequence_destroy(&s);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&z);
    rw_array_destroy(&recorded), rw_array_destroy(&swapped);
}

/* A sequence holds its arrays, the memory that they had and the programs of its kernels: destroying drops only what the
 * caller has. (Under the address sanitizer a mistake is a use after free.) */
static void test_a_sequence_holds_what_it_needs(void **state)
{
    (void)state;
    static const char add_text[] =
        "KERNEL(add, GLOBAL f64 *y, GLOBAL const f64 *x) { EACH(i, GROUP) { y[i] += x[i]; } }\n";
    for (int swapped = 0; swapped < 2; ++swapped) {
        rw_program *p;
        OK(rw_program_create(dev, "held", add_text, &(rw_define){"GROUP", "64"}, 1, &p));
        rw_kernel *k = kernel_of(p, "add");
        int64_t held = counters().bytes_allocated;
        rw_array *x = new_ramp(64, 1, 1), *y = new_ramp(64, 0, 0), *z = new_ramp(64, 7, 0), *seen = zeros(64);
        OK(rw_array_send(x, queue));
        OK(rw_array_send(y, queue));
        OK(rw_array_send(z, queue));
        rw_sequence *s;
        OK(rw_record_begin(queue));
        OK(rw_launch(queue, k, (int64_t[3]){1, 1, 1}, (rw_arg[]){rw_arg_array(y), rw_arg_array(x)}, 2));
        OK(rw_record_end(queue, &s));
        if (swapped) OK(rw_array_swap(x, z)); /* the recorded memory of x is z's now, and goes with neither */
        rw_array_destroy(&x), rw_array_destroy(&z);
        rw_program_destroy(&p);
        rw_array *fresh = new_ramp(64, 100, 0); /* would take the place of what was freed */
        OK(rw_array_send(fresh, queue));
        for (int i = 0; i < 3; ++i) OK(rw_sequence_replay(s, queue));
        OK(rw_array_copy(seen, y, queue));
        for (int i = 0; i < 64; ++i) assert_true(numbers_of(seen)[i] == 3 * (1 + i));
        rw_array_destroy(&y); /* written by the sequence, which goes on */
        OK(rw_sequence_replay(s, queue));
        OK(rw_queue_wait(queue));
        rw_sequence_destroy(&s);
        rw_array_destroy(&fresh), rw_array_destroy(&seen);
        assert_int_equal(counters().bytes_allocated, held);
    }
}

/* The same while recording, and of a queue that goes away in the middle of it. */
static void test_a_recording_queue_holds_what_it_needs(void **state)
{
    (void)state;
    static const char add_text[] =
        "KERNEL(add, GLOBAL f64 *y, GLOBAL const f64 *x) { EACH(i, GROUP) { y[i] += x[i]; } }\n";
    int64_t held = counters().bytes_allocated;
    for (int end = 0; end < 2; ++end) {
        rw_queue *q;
        rw_sequence *s = NULL;
        OK(rw_queue_create(dev, &q));
        rw_program *p;
        OK(rw_program_create(dev, "held", add_text, &(rw_define){"GROUP", "64"}, 1, &p));
        rw_kernel *k = kernel_of(p, "add");
        rw_array *x = new_ramp(64, 1, 1), *y = new_ramp(64, 0, 0);
        OK(rw_array_send(x, q));
        OK(rw_array_send(y, q));
        OK(rw_record_begin(q));
        OK(rw_launch(q, k, (int64_t[3]){1, 1, 1}, (rw_arg[]){rw_arg_array(y), rw_arg_array(x)}, 2));
        rw_array_destroy(&x);
        rw_program_destroy(&p);
        if (end) OK(rw_record_end(q, &s));
        if (end) OK(rw_sequence_replay(s, q));
        if (end) assert_true(numbers_of(y)[63] == 64);
        rw_sequence_destroy(&s);
        if (!end) { /* nothing waits for what will never run */
            OK(rw_record_end(q, &s));
            rw_sequence_destroy(&s);
        }
        rw_queue_destroy(&q);
        rw_array_destroy(&y);
    }
    assert_int_equal(counters().bytes_allocated, held);
}

static void test_what_recording_refuses(void **state)
{
    (void)state;
    rw_array *x = new_ramp(100, 1, 0), *y = new_ramp(100, 0, 0), *fresh = new_ramp(100, 3, 0), *z = zeros(100);
    rw_sequence *s = (rw_sequence *)state, *t = record_two_steps(queue, x, y);
    rw_event *e;
    const void *p;
    void *w;
    OK(rw_event_create(dev, &e));
    assert_true(all_are(z, 0)); /* nothing is pending for z any more */
    FAILS(RW_ERR_ARGUMENT, "the queue is not recording", rw_record_end(queue, &s));
    assert_null(s);
    OK(rw_record_begin(queue));
    OK(two_steps(queue, x, y));
    FAILS(RW_ERR_ARGUMENT, "recording", rw_record_begin(queue));
    FAILS(RW_ERR_ARGUMENT, "recording", rw_queue_wait(queue));
    FAILS(RW_ERR_ARGUMENT, "recording", rw_event_record(e, queue));
    FAILS(RW_ERR_ARGUMENT, "recording", rw_sequence_replay(t, queue));
    FAILS(RW_ERR_ARGUMENT, "recording", rw_array_read(x, &p));
    FAILS(RW_ERR_ARGUMENT, "recording", rw_array_write(y, &w));
    FAILS(RW_ERR_ARGUMENT, "recording", rw_array_update(y, &w));
    FAILS(RW_ERR_UNSUPPORTED, "recording", rw_array_copy(z, x, queue));
    FAILS(RW_ERR_UNSUPPORTED, "recording", rw_array_zero(z, queue));
    FAILS(RW_ERR_UNSUPPORTED, "recording", rw_array_fetch(x, queue));
    if (discrete()) FAILS(RW_ERR_ARGUMENT, "recording", step(queue, z, fresh, 1, 0)); /* a copy would be needed first */
    else OK(rw_array_read(fresh, &p));
    assert_true(all_are(fresh, 3)); /* an array that the queue does not hold can be read */
    OK(rw_record_end(queue, &s));   /* and the sequence has suffered nothing */
    OK(rw_sequence_replay(s, queue));
    assert_true(all_are(x, 1.25) && all_are(y, 1));
    rw_sequence_destroy(&s), rw_sequence_destroy(&t);
    rw_event_destroy(&e);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&z), rw_array_destroy(&fresh);
}

static void test_an_empty_sequence(void **state)
{
    (void)state;
    rw_sequence *s;
    OK(rw_record_begin(queue));
    OK(rw_record_end(queue, &s));
    rw_counters c = counters();
    OK(rw_sequence_replay(s, queue));
    assert_int_equal(counters().launches, c.launches);
    OK(rw_queue_wait(queue));
    rw_sequence_destroy(&s);
}

static void test_a_sequence_of_another_device(void **state)
{
    (void)state;
    rw_device *other;
    OK(rw_device_open(ctx, rw_device_info(dev)->name, &other));
    rw_array *x = new_ramp(10, 1, 0), *y = new_ramp(10, 0, 0);
    rw_sequence *s = record_two_steps(queue, x, y);
    FAILS(RW_ERR_ARGUMENT, "replayed in a queue of", rw_sequence_replay(s, rw_device_queue(other)));
    FAILS(RW_ERR_ARGUMENT, "the queue belongs to", step(rw_device_queue(other), y, x, 1, 0));
    rw_device_close(&other);
    rw_sequence_destroy(&s);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

/* A queue that goes while it records takes what it has kept with it. */
static void test_a_queue_goes_while_it_records(void **state)
{
    (void)state;
    if (on("cuda")) skip(); /* there the capture has to be ended */
    rw_queue *q;
    rw_array *x = new_ramp(10, 1, 0), *y = new_ramp(10, 0, 0);
    OK(rw_queue_create(dev, &q));
    OK(rw_array_send(x, q));
    OK(rw_array_send(y, q));
    OK(rw_record_begin(q));
    OK(two_steps(q, x, y));
    rw_queue_destroy(&q);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static void test_a_launch_that_fails(void **state)
{
    (void)state;
    rw_array *x = new_ramp(10, 1, 0), *y = new_ramp(10, 0, 0);
    rw_fault_set(RW_FAULT_LAUNCH, 2);
    OK(step(queue, y, x, 1, 0));
    rw_counters c = counters();
    FAILS(RW_ERR_LAUNCH, "kernel blend failed", step(queue, x, y, 5, 5));
    assert_int_equal(counters().launches, c.launches);
    OK(step(queue, y, x, 1, 1));
    assert_true(all_are(x, 1) && all_are(y, 2));
    rw_fault_set(RW_FAULT_LAUNCH, 1);
    rw_sequence *s = NULL;
    OK(rw_array_send(x, queue));
    OK(rw_array_send(y, queue));
    OK(rw_record_begin(queue));
    FAILS(RW_ERR_LAUNCH, "injected", two_steps(queue, x, y));
    OK(rw_record_end(queue, &s));
    rw_sequence_destroy(&s);
    s = record_two_steps(queue, x, y);
    rw_fault_set(RW_FAULT_LAUNCH, 1);
    FAILS(RW_ERR_LAUNCH, "injected", rw_sequence_replay(s, queue));
    OK(rw_sequence_replay(s, queue));
    assert_true(all_are(y, 2) && all_are(x, 2.25));
    rw_sequence_destroy(&s);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

static rw_status life(void *user)
{
    rw_array *x = user, *y = NULL;
    rw_queue *q = NULL;
    rw_event *e = NULL;
    rw_sequence *s = NULL;
    const void *p = NULL;
    const int64_t n = 10;
    rw_status status = rw_queue_create(dev, &q);
    if (status == RW_OK) status = rw_event_create(dev, &e);
    if (status == RW_OK) status = rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &y);
    if (status == RW_OK) status = rw_array_zero(y, q);
    if (status == RW_OK) status = rw_array_send(x, q);
    if (status == RW_OK && (status = rw_record_begin(q)) == RW_OK) {
        status = two_steps(q, x, y);
        rw_status end = rw_record_end(q, &s);
        if (status == RW_OK) status = end;
    }
    if (status == RW_OK) status = rw_sequence_replay(s, q);
    if (status == RW_OK) status = rw_event_record(e, q);
    if (status == RW_OK) status = step(queue, y, x, 1, 1); /* orders the two queues with an event of its own */
    if (status == RW_OK) status = rw_array_read(y, &p);
    rw_sequence_destroy(&s);
    rw_event_destroy(&e);
    rw_queue_destroy(&q);
    rw_array_destroy(&y);
    return status;
}

static void test_every_allocation_and_launch_may_fail(void **state)
{
    (void)state;
    rw_array *x = new_ramp(10, 1, 0);
    assert_true(each_fault(RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, life, x) >= 6);
    assert_true(each_fault(RW_FAULT_LAUNCH, RW_ERR_LAUNCH, RW_ERR_LAUNCH, life, x) >= 3);
    rw_array_destroy(&x);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

typedef struct worker {
    rw_device *dev;
    rw_program *program;
    double result;
    rw_status status;
} worker;

/* Record and replay in a queue of one's own. */
static void *work(void *user)
{
    worker *w = user;
    rw_queue *q = NULL;
    rw_array *x = NULL;
    rw_kernel *k = NULL;
    rw_sequence *s = NULL;
    rw_event *a = NULL, *b = NULL;
    const int64_t n = 64;
    const void *p = NULL;
    double seconds = 0;
    rw_status status = rw_queue_create(w->dev, &q);
    if (status == RW_OK) status = rw_event_create(w->dev, &a);
    if (status == RW_OK) status = rw_event_create(w->dev, &b);
    if (status == RW_OK) status = rw_program_kernel(w->program, "blend", &k);
    if (status == RW_OK) status = rw_array_create(w->dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &x);
    if (status == RW_OK) status = rw_array_zero(x, q);
    if (status == RW_OK) status = rw_event_record(a, q);
    if (status == RW_OK && (status = rw_record_begin(q)) == RW_OK) {
        const rw_arg args[] = {rw_arg_array(x), rw_arg_array(x), rw_arg_real(0), rw_arg_real(1), rw_arg_int(n)};
        for (int i = 0; i < 4 && status == RW_OK; ++i) status = launch1(q, k, 1, args, 5);
        rw_status end = rw_record_end(q, &s);
        if (status == RW_OK) status = end;
    }
    for (int i = 0; i < 30 && status == RW_OK; ++i) status = rw_sequence_replay(s, q);
    if (status == RW_OK) status = rw_event_record(b, q);
    if (status == RW_OK) status = rw_array_read(x, &p);
    if (status == RW_OK) status = rw_event_seconds(a, b, &seconds);
    w->result = status == RW_OK && seconds >= 0 ? ((const double *)p)[63] : NAN;
    rw_sequence_destroy(&s);
    rw_event_destroy(&a), rw_event_destroy(&b);
    rw_array_destroy(&x);
    rw_queue_destroy(&q);
    w->status = status;
    return NULL;
}

static void test_threads_record_and_replay(void **state)
{
    (void)state;
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    worker workers[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        workers[i] = (worker){dev, programs[device_index()], 1, RW_OK};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(workers[i].status, RW_OK);
        assert_true(workers[i].result == 0);
    }
}

/* Two kernels of two queues that wait for each other, through the same memory in two arrays: the library puts uses of
 * one array in order. */
static void test_queues_run_at_once(void **state)
{
    (void)state;
    rw_array *here[2];
    rw_queue *q[2];
    rw_managed_tensor *tensor;
    const void *data;
    if (!on("cuda")) skip(); /* on processors a launch may take all cores */
    here[0] = new_array(RW_I32, 4, RW_MEMORY_DEVICE);
    OK(rw_array_zero(here[0], queue));
    OK(rw_array_export(here[0], queue, &tensor));
    OK(rw_array_import(dev, tensor, &here[1]));
    OK(rw_queue_wait(queue));
    for (int i = 0; i < 2; ++i) OK(rw_queue_create(dev, &q[i]));
    for (int i = 0; i < 2; ++i) {
        const rw_arg args[] = {rw_arg_memory(here[i]), rw_arg_int(i), rw_arg_int(20000000)};
        OK(launch1(q[i], kernel_of(programs[device_index()], "meet"), 1, args, 3));
    }
    for (int i = 0; i < 2; ++i) OK(rw_queue_wait(q[i]));
    OK(rw_array_read(here[0], &data));
    assert_true(((const int32_t *)data)[2] == 1 && ((const int32_t *)data)[3] == 1);
    for (int i = 0; i < 2; ++i) rw_queue_destroy(&q[i]), rw_array_destroy(&here[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_queue_keeps_its_order),
        cmocka_unit_test(test_each_group_runs_once),
        cmocka_unit_test(test_queues_order_themselves_by_arrays),
        cmocka_unit_test(test_queues_launch_different_grids),
        cmocka_unit_test(test_queues_run_at_once),
        cmocka_unit_test(test_a_queue_goes_before_its_arrays),
        cmocka_unit_test(test_events_order_queues),
        cmocka_unit_test(test_event_mistakes),
        cmocka_unit_test(test_event_times),
        cmocka_unit_test(test_replay_is_repeated_launches),
        cmocka_unit_test(test_recording_runs_nothing),
        cmocka_unit_test(test_coherence_after_replay),
        cmocka_unit_test(test_replay_in_another_queue),
        cmocka_unit_test(test_a_sequence_keeps_its_memory),
        cmocka_unit_test(test_a_sequence_holds_what_it_needs),
        cmocka_unit_test(test_a_recording_queue_holds_what_it_needs),
        cmocka_unit_test(test_what_recording_refuses),
        cmocka_unit_test(test_an_empty_sequence),
        cmocka_unit_test(test_a_sequence_of_another_device),
        cmocka_unit_test(test_a_queue_goes_while_it_records),
        cmocka_unit_test(test_a_launch_that_fails),
        cmocka_unit_test(test_every_allocation_and_launch_may_fail),
        cmocka_unit_test(test_threads_record_and_replay),
    };
    return run_on_devices_with("queue", tests, RW_COUNT(tests), compile, release);
}
