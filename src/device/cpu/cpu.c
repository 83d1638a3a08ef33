/* The cpu device: groups are spread over OpenMP threads; the items of a group are the innermost loop of the kernel.
 * Device memory is host memory; a launch returns when it is done. */
#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/cpu/cc.h"
#include "device/cpu/cpu.h"

#if defined(__SANITIZE_THREAD__) /* libgomp's fork and join are invisible to the thread sanitizer: spell them out */
void __tsan_acquire(void *);
void __tsan_release(void *);
#define HAPPENS_BEFORE(x) __tsan_release(x)
#define HAPPENS_AFTER(x) __tsan_acquire(x)
#define FORKS __attribute__((no_sanitize("thread"))) /* its variables are handed over behind HAPPENS_BEFORE */
#define WORTH_A_THREAD 0.0                           /* seconds of work; tests are small */
#else
#define HAPPENS_BEFORE(x) (void)(x)
#define HAPPENS_AFTER(x) (void)(x)
#define FORKS
#define WORTH_A_THREAD 15e-6
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define QUICK_SUFFIX NULL /* one level: -O1 */
#else
#define QUICK_SUFFIX ".quick.so"
#endif
#if defined(__SANITIZE_ADDRESS__) /* with -O3 and a second check of every pointer: minutes a kernel */
#define SANITIZE                                                                                                       \
    " -O1 -fsanitize=address,undefined -fno-sanitize=null,object-size,pointer-overflow,alignment "                     \
    "-fno-sanitize-recover=undefined -g"
#elif defined(__SANITIZE_THREAD__)
#define SANITIZE " -O1 -fsanitize=thread -g"
#elif defined(__x86_64__)
#define SANITIZE " -nostdlib" /* linking takes half the time; libm, which cc.c adds, is all that kernels call */
#else
#define SANITIZE ""
#endif

typedef struct cpu_state {
    int threads;
    _Atomic double overhead; /* seconds that launches on several threads take beyond their work, as seen lately */
} cpu_state;

/* "model name" of /proc/cpuinfo and a clock. */
static void describe_processor(rw_device_properties *p)
{
    FILE *f = rw_fopen("/proc/cpuinfo", "r");
    char line[1024];
    snprintf(p->hardware, sizeof p->hardware, "processor");
    for (bool done = false; f && !done && fgets(line, sizeof line, f);) {
        char *value = strchr(line, ':');
        done = line[0] == '\n';
        if (!value) continue;
        value += strspn(value, ": \t");
        value[strcspn(value, "\n")] = 0;
        if (!strncmp(line, "model name", 10)) snprintf(p->hardware, sizeof p->hardware, "%.127s", value);
        if (!strncmp(line, "cpu MHz", 7)) p->clock_mhz = (int)atof(value);
    }
    if (f) fclose(f);
}

void rw_cpu_properties(rw_device_properties *p)
{
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "cpu");
    snprintf(p->kind, sizeof p->kind, "cpu");
    snprintf(p->identity, sizeof p->identity, "cpu");
    describe_processor(p);
    p->units = rw_usable_cores();
    p->memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    p->memory_free = rw_host_available();
    if (p->memory_free < 0) p->memory_free = (int64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    p->cache = cache > 0 ? cache : 0;
    p->shared_memory = 7 << 18; /* of a thread's stack, for which some systems have 2 MB */
    p->group_max = 1 << 16;
#if defined(__x86_64__)
    p->width = __builtin_cpu_supports("avx512f") ? 8 : __builtin_cpu_supports("avx") ? 4 : 2;
#else
    p->width = 2;
#endif
    p->f64 = true;
    p->managed = true;
    p->mapped = true;
    char cc[RW_CC_PATH];
    const char *own = getenv("RECHENWERK_CC");
    if (rw_cc_find(cc)) snprintf(p->driver, sizeof p->driver, "C compiler %.140s", cc);
    else if (own && *own && strcmp(own, "none") != 0)
        snprintf(p->driver, sizeof p->driver, "RECHENWERK_CC = %.100s is no program that can be run", own);
    else snprintf(p->driver, sizeof p->driver, "no C compiler: equations run in the plain evaluator (install gcc)");
}

static int cpu_list(rw_context *ctx RW_UNUSED, rw_device_properties *list, int max RW_UNUSED, char *reason RW_UNUSED,
                    size_t reason_size RW_UNUSED)
{
    rw_cpu_properties(list);
    return 1;
}

static rw_status cpu_open(rw_device *dev, int index)
{
    if (index == 0 || index > 4096)
        return rw_fail(dev->ctx, RW_ERR_DEVICE, "cpu:%d: the number after cpu: is the count of threads, 1 to 4096",
                       index);
    cpu_state *s = rw_calloc(1, sizeof *s);
    if (!s) return rw_fail_memory(dev->ctx, sizeof *s, "a device");
    s->threads = index > 0 ? index : RW_MIN(omp_get_max_threads(), rw_usable_cores());
    dev->state = s;
    rw_cpu_properties(&dev->info);
    if (index > 0) snprintf(dev->info.name, sizeof dev->info.name, "cpu:%d", index);
    dev->info.units = s->threads;
    return RW_OK;
}

static void cpu_close(rw_device *dev)
{
    rw_free(dev->state);
    dev->state = NULL;
}

rw_status rw_cpu_alloc(rw_device *dev, size_t bytes, rw_memory memory, rw_buffer *buffer)
{
    /* large arrays on huge pages' borders */
    const size_t align = bytes >= (size_t)1 << 22 ? (size_t)1 << 21 : 64, room = (bytes + align - 1) / align * align;
    buffer->pointer = rw_fault_hit(RW_FAULT_ALLOC) ? NULL : aligned_alloc(align, room);
    if (!buffer->pointer) return rw_fail_memory(dev->ctx, bytes, "an array");
    rw_huge_pages(buffer->pointer, room);
    buffer->memory = memory;
    buffer->host = buffer->pointer;
    return RW_OK;
}

void rw_cpu_free(rw_device *dev RW_UNUSED, rw_buffer *buffer)
{
    free(buffer->pointer);
    buffer->pointer = NULL;
}

static rw_status cpu_copy_in(rw_queue *q RW_UNUSED, rw_buffer *dst, const void *src, size_t bytes,
                             bool blocking RW_UNUSED)
{
    memcpy(dst->pointer, src, bytes);
    return RW_OK;
}

static rw_status cpu_copy_out(rw_queue *q RW_UNUSED, void *dst, rw_buffer *src, size_t bytes, bool blocking RW_UNUSED)
{
    memcpy(dst, src->pointer, bytes);
    return RW_OK;
}

/* Runs f(first, last) of n pieces over the threads. */
FORKS static void parallel_bytes(int threads, char *dst, const char *src, size_t bytes)
{
    if (rw_threads_lost()) threads = 1;
    HAPPENS_BEFORE(dst);
#pragma omp parallel num_threads(threads) if (bytes > (1 << 20))
    {
        HAPPENS_AFTER(dst);
        size_t t = (size_t)omp_get_thread_num(), n = (size_t)omp_get_num_threads();
        size_t a = bytes / n * t, b = t + 1 == n ? bytes : bytes / n * (t + 1);
        if (src) memcpy(dst + a, src + a, b - a);
        else memset(dst + a, 0, b - a);
        HAPPENS_BEFORE(dst);
    }
    HAPPENS_AFTER(dst);
}

static rw_status cpu_copy(rw_queue *q, rw_buffer *dst, rw_buffer *src, size_t bytes)
{
    parallel_bytes(((cpu_state *)q->device->state)->threads, dst->pointer, src->pointer, bytes);
    return RW_OK;
}

static rw_status cpu_zero(rw_queue *q, rw_buffer *dst, size_t bytes)
{
    parallel_bytes(((cpu_state *)q->device->state)->threads, dst->pointer, NULL, bytes);
    return RW_OK;
}

/* Valgrind knows no AVX-512. */
static bool under_valgrind(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    return preloaded && strstr(preloaded, "vgpreload");
}

#if defined(__x86_64__)
#define VALGRIND_MACHINE "x86-64-v3"
#else
#define VALGRIND_MACHINE "native"
#endif
/* No option may change a result: the same text has the same bits at -O0 and -O3. */
#define OPTIONS(machine)                                                                                               \
    "-std=gnu17 -O3 -march=" machine " -fopenmp-simd -fPIC -shared -fvisibility=hidden -w "                            \
    "-fno-math-errno -fno-trapping-math -ffp-contract=off" SANITIZE

static const char *options(void) { return under_valgrind() ? OPTIONS(VALGRIND_MACHINE) : OPTIONS("native"); }

static rw_status cpu_identity(rw_device *dev, rw_text *identity) { return rw_cc_identity(dev, options(), identity); }

static rw_status cpu_compile(rw_device *dev, rw_program *p, const char *text, rw_text *binary)
{
    return rw_cc_compile(dev, p, text, options(), binary);
}

static void cpu_unload(rw_device *dev RW_UNUSED, rw_program *p) { rw_cc_unload(p); }

/* What a group takes falls at once and rises slowly, for a thread may be interrupted. */
static void note_seconds(rw_kernel *k, double seconds, long groups)
{
    const double one = seconds / (double)groups, before = k->group_seconds;
    k->group_seconds = before > 0 ? fmin(one, 1.1 * before) : one;
}

/* The groups of a launch are cut into shares, one a thread as long as there are few. A thread takes its own in pieces,
 * then what others have not come to: cores differ in speed, groups in work, and a thread may be waiting for another
 * program. */
enum { MAX_SHARES = 32, PIECES = 16 };
typedef struct share {
    _Alignas(64) _Atomic long next;
    long end;
} share;

static rw_cc_entry *entry_of(const rw_kernel *k)
{
    return (rw_cc_entry *)__atomic_load_n(&k->handle, __ATOMIC_ACQUIRE);
}

static long take(share *s, long piece, rw_kernel *k, void **a, const int n[3])
{
    long done = 0;
    while (atomic_load_explicit(&s->next, memory_order_relaxed) < s->end) {
        const long from = atomic_fetch_add_explicit(&s->next, piece, memory_order_relaxed),
                   to = RW_MIN(from + piece, s->end);
        if (from >= to) break;
        entry_of(k)(a, n, from, to);
        done += to - from;
    }
    return done;
}

/* The groups first … total - 1 over the threads; the seconds that thread 0 worked. The kernel itself is instrumented,
 * in its own object. */
FORKS static double run_groups(rw_kernel *k, void **a, const int n[3], long first, long total, int threads)
{
    const int shares = RW_MIN(threads, MAX_SHARES);
    const long groups = total - first, piece = RW_MAX(groups / ((long)threads * PIECES), 1);
    share all[MAX_SHARES];
    for (int i = 0; i < shares; ++i) {
        atomic_init(&all[i].next, first + groups * i / shares);
        all[i].end = first + groups * (i + 1) / shares;
    }
    double busy = 0;
    HAPPENS_BEFORE(a);
#pragma omp parallel num_threads(threads)
    {
        HAPPENS_AFTER(a);
        const int t = omp_get_thread_num();
        const double begin = t == 0 ? rw_seconds() : 0;
        long done = 0;
        for (int i = 0; i < shares; ++i) done += take(all + (t + i) % shares, piece, k, a, n);
        if (t == 0) busy = rw_seconds() - begin;
        if (t == 0 && done) note_seconds(k, busy, done);
        HAPPENS_BEFORE(a);
    }
    HAPPENS_AFTER(a);
    return busy;
}

static void run_alone(rw_kernel *k, void **a, const int n[3], long first, long last)
{
    double begin = rw_seconds();
    entry_of(k)(a, n, first, last);
    note_seconds(k, rw_seconds() - begin, last - first);
}

/* All threads or one: to wake them and wait for them takes some microseconds, and milliseconds on a machine that others
 * use too. What is lost that way, on the average, must be won; while one thread works it is forgotten slowly. (Teams of
 * changing size would make libgomp start and end threads.) */
static int threads_for(cpu_state *s, double work, int most)
{
    if (work >= 2 * WORTH_A_THREAD && work * (1 - 1.0 / most) >= 2 * s->overhead) return most;
    s->overhead = 0.997 * s->overhead;
    return WORTH_A_THREAD > 0 ? 1 : most;
}

/* Lost: the time in which thread 0 had nothing to do. That it had less memory for itself is no loss that one thread
 * would not have, and what came once, longer than the whole work, tells little about the next launch. */
static void run_shared(cpu_state *s, rw_kernel *k, void **a, const int n[3], long first, long total, int threads,
                       double work)
{
    const double begin = rw_seconds(), busy = run_groups(k, a, n, first, total, threads),
                 lost = rw_seconds() - begin - busy;
    s->overhead = s->overhead + (fmin(lost, work) - s->overhead) / 32;
}

/* The first two groups of all are timed by themselves: the very first meets code that is not in memory yet. */
static void run_range(cpu_state *s, rw_kernel *k, void **a, const int n[3], long first, long last)
{
    const int threads = rw_threads_lost() ? 1 : RW_MIN(s->threads, (int)RW_MIN(last - first, 4096));
    if (threads == 1) {
        entry_of(k)(a, n, first, last);
        return;
    }
    for (const long end = first + (k->group_seconds == 0 ? 2 : 0); first < end; ++first)
        run_alone(k, a, n, first, first + 1);
    if (first == last) return;
    const double work = (double)(last - first) * k->group_seconds;
    const int now = threads_for(s, work, threads);
    if (now == 1) run_alone(k, a, n, first, last);
    else run_shared(s, k, a, n, first, last, now, work);
}

/* While a program is quick, in slices: the optimised code is taken over between two of them. */
enum { SLICES = 32 };
static rw_status cpu_launch(rw_queue *q, rw_kernel *k, const int64_t groups[3], const rw_launch_arg *args, int nargs)
{
    void *a[RW_MAX_PARAMETERS];
    cpu_state *s = q->device->state;
    const int n[3] = {(int)groups[0], (int)groups[1], (int)groups[2]};
    const long total = (long)(groups[0] * groups[1] * groups[2]);
    const long slice = RW_MAX(total / SLICES, (long)s->threads);
    for (int i = 0; i < nargs; ++i) a[i] = args[i].buffer ? (void *)&args[i].buffer->pointer : (void *)&args[i].value;
    long first = 0;
    while (first < total && rw_program_is_quick(k->program)) {
        const long last = RW_MIN(first + slice, total);
        const double begin = rw_seconds();
        run_range(s, k, a, n, first, last);
        const double seconds = rw_seconds() - begin;
        rw_program_worked(k->program, seconds, seconds * (double)(total - last) / (double)(last - first));
        first = last;
    }
    if (first < total) run_range(s, k, a, n, first, total);
    return RW_OK;
}

rw_status rw_cpu_queue_create(rw_queue *q RW_UNUSED) { return RW_OK; }
void rw_cpu_queue_destroy(rw_queue *q) { (void)q; }
rw_status rw_cpu_wait(rw_queue *q RW_UNUSED) { return RW_OK; }
rw_status rw_cpu_event_create(rw_event *e RW_UNUSED) { return RW_OK; }
void rw_cpu_event_destroy(rw_event *e) { (void)e; }
rw_status rw_cpu_event_record(rw_event *e, rw_queue *q RW_UNUSED)
{
    e->host_seconds = rw_seconds();
    return RW_OK;
}
rw_status rw_cpu_event_wait(rw_event *e RW_UNUSED) { return RW_OK; }
rw_status rw_cpu_event_order(rw_queue *q RW_UNUSED, rw_event *e RW_UNUSED) { return RW_OK; }
rw_status rw_cpu_event_seconds(rw_event *start, rw_event *stop, double *seconds)
{
    *seconds = stop->host_seconds - start->host_seconds;
    return RW_OK;
}

const rw_device_ops rw_cpu_ops = {
    .kind = "cpu",
    .suffix = ".so",
    .quick_suffix = QUICK_SUFFIX,
    .list = cpu_list,
    .open = cpu_open,
    .close = cpu_close,
    .alloc = rw_cpu_alloc,
    .free = rw_cpu_free,
    .copy_in = cpu_copy_in,
    .copy_out = cpu_copy_out,
    .copy = cpu_copy,
    .zero = cpu_zero,
    .identity = cpu_identity,
    .compile = cpu_compile,
    .load = rw_cc_load,
    .unload = cpu_unload,
    .launch = cpu_launch,
    .queue_create = rw_cpu_queue_create,
    .queue_destroy = rw_cpu_queue_destroy,
    .wait = rw_cpu_wait,
    .event_create = rw_cpu_event_create,
    .event_destroy = rw_cpu_event_destroy,
    .event_record = rw_cpu_event_record,
    .event_wait = rw_cpu_event_wait,
    .event_order = rw_cpu_event_order,
    .event_seconds = rw_cpu_event_seconds,
    .compiler_version = rw_cc_version,
    .host = true,
    .discrete = false,
    .survives_fork = true,
    .tensor_device = {RW_TENSOR_CPU, RW_TENSOR_CPU, RW_TENSOR_CPU, RW_TENSOR_CPU},
};
