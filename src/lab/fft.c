/* Study: Fourier transforms of 2 to 1024 points as M.-R. Lorbeer measured them in 2010: two radix-2 kernels, some to
 * thousands of transforms, with and without the transfers between host and device, copies that are waited for or not,
 * one to eight queues; compared with the transforms of this library and one thread of the host. */
#include <math.h>

#include "lab/lab.h"
#include "lab/occupancy.h"
#include "lab/radix2.h"
#include "measure/measure.h"
#include "rechenwerk/fft.h"

enum { VERSIONS, COUNTS, LENGTHS, COPIES, STREAMS };
enum { LIBRARY, FIRST, SECOND, METHODS };
static const char *const method_names[METHODS] = {"library", "version 1", "version 2"};
enum { STREAMS_MOST = 8 };

/* Microseconds of kernels on 27 multiprocessors of a GeForce GTX 260, section 5.1.2; of 5400 transforms, table 5.2,
 * ms. */
static const struct {
    int method;
    int count;
    double us;
} published_kernels[] = {{FIRST, 1, 107}, {SECOND, 1, 40}, {SECOND, 27, 42.8}};
static const struct {
    int n;
    double ms, occupancy;
} published_lengths[] = {{2, 0.063, 0.25},   {4, 0.086, 0.25},  {8, 0.102, 0.25},  {16, 0.127, 0.25},
                         {32, 0.162, 0.25},  {64, 0.24, 0.25},  {128, 0.501, 0.5}, {256, 1.164, 0.75},
                         {512, 2.753, 0.75}, {1024, 6.565, 0.5}};
enum { PUBLISHED_COUNT = 5400 };

/* ---- transforms on a device, in some queues ---------------------------------------------------------------------- */

typedef struct series {
    rw_device *device;
    int n, queues;
    rw_radix2 radix2; /* of versions 1 and 2 */
    struct {
        int64_t count;
        rw_queue *queue;
        rw_fft *fft;     /* of LIBRARY */
        rw_array *x, *y; /* [count][2 n] f32; LIBRARY: views of them as c64 too */
        rw_array *complex_x, *complex_y;
    } part[STREAMS_MOST];
} series;

static void free_series(series *s)
{
    for (int i = 0; i < s->queues; ++i) {
        rw_array_destroy(&s->part[i].complex_x);
        rw_array_destroy(&s->part[i].complex_y);
        rw_fft_destroy(&s->part[i].fft);
        rw_array_destroy(&s->part[i].x);
        rw_array_destroy(&s->part[i].y);
        rw_queue_destroy(&s->part[i].queue);
    }
    rw_radix2_free(&s->radix2);
}

/* The document's signal in each transform: 5.5 periods of a sine. */
static void put_signal(float *x, int n, int64_t count)
{
    for (int64_t i = 0; i < count * n; ++i) {
        x[2 * i] = (float)(256 * sin(6.28318530717958647692 * 5.5 * (double)(i % n) / n));
        x[2 * i + 1] = 0;
    }
}

static rw_status make_part(series *s, int i, int method)
{
    const int64_t reals = 2 * s->n * s->part[i].count, points[] = {s->part[i].count, s->n};
    void *x;
    RW_TRY(rw_queue_create(s->device, &s->part[i].queue));
    RW_TRY(rw_array_create(s->device, RW_F32, 1, &reals, RW_MEMORY_PINNED, &s->part[i].x));
    RW_TRY(rw_array_create(s->device, RW_F32, 1, &reals, RW_MEMORY_PINNED, &s->part[i].y));
    RW_TRY(rw_array_write(s->part[i].x, &x));
    put_signal(x, s->n, s->part[i].count);
    RW_TRY(rw_array_send(s->part[i].x, s->part[i].queue));
    if (method != LIBRARY) return RW_OK;
    const rw_fft_spec spec = {.single = true, .ndim = 2, .shape = {points[0], points[1]}, .axes = 2};
    RW_TRY(rw_array_view(s->part[i].x, RW_C64, 2, points, NULL, 0, &s->part[i].complex_x));
    RW_TRY(rw_array_view(s->part[i].y, RW_C64, 2, points, NULL, 0, &s->part[i].complex_y));
    return rw_fft_create(s->device, &spec, &s->part[i].fft);
}

/* `count` transforms, shared among the queues. */
static rw_status make_series(rw_device *dev, int method, int n, int64_t count, int queues, series *s)
{
    *s = (series){.device = dev, .n = n, .queues = queues};
    rw_status status = method == LIBRARY ? RW_OK : rw_radix2_create(dev, method, n, &s->radix2);
    for (int i = 0; i < queues && status == RW_OK; ++i) {
        s->part[i].count = count / queues + (i < count % queues);
        status = make_part(s, i, method);
    }
    if (status != RW_OK) free_series(s);
    return status;
}

static rw_status launch(const series *s, int i)
{
    if (s->part[i].fft)
        return rw_fft_execute(s->part[i].fft, s->part[i].complex_x, s->part[i].complex_y, s->part[i].queue);
    return rw_radix2_run(&s->radix2, s->part[i].x, s->part[i].y, s->part[i].count, s->part[i].queue);
}

static rw_status wait_all(const series *s)
{
    for (int i = 0; i < s->queues; ++i) RW_TRY(rw_queue_wait(s->part[i].queue));
    return RW_OK;
}

/* To the device, the transforms, back; all queues have the first before one gets the second, as in the document.
 * `waits`: after each step, which then is the only one. */
static rw_status send_transform_fetch(const series *s, bool waits)
{
    for (int i = 0; i < s->queues; ++i) RW_TRY(rw_array_send(s->part[i].x, s->part[i].queue));
    if (waits) RW_TRY(wait_all(s));
    for (int i = 0; i < s->queues; ++i) RW_TRY(launch(s, i));
    if (waits) RW_TRY(wait_all(s));
    for (int i = 0; i < s->queues; ++i) RW_TRY(rw_array_fetch(s->part[i].y, s->part[i].queue));
    return wait_all(s);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static rw_status launch_first(void *user, int round RW_UNUSED) { return launch(user, 0); }

/* Seconds of the kernels alone: the median of runs of several launches, one after the other. */
static rw_status time_kernels(const rw_lab *lab, series *s, double *seconds)
{
    return rw_sample(&(rw_sampling){.what = {"kernel", launch_first, s},
                                    .queue = s->part[0].queue,
                                    .runs = (int)rw_lab_number(lab, "runs"),
                                    .seconds = INFINITY,
                                    .length = 1e-3},
                     seconds);
}

/* The host's numbers are new. */
static rw_status renew(void *user, int round RW_UNUSED)
{
    const series *s = user;
    void *data;
    for (int i = 0; i < s->queues; ++i) RW_TRY(rw_array_update(s->part[i].x, &data));
    return RW_OK;
}

static rw_status transfer(void *user, int round RW_UNUSED) { return send_transform_fetch(user, false); }
static rw_status transfer_waiting(void *user, int round RW_UNUSED) { return send_transform_fetch(user, true); }

/* … with the transfers. */
static rw_status time_with_transfers(const rw_lab *lab, series *s, bool waits, double *seconds)
{
    return rw_sample(&(rw_sampling){.what = {"transfers", waits ? transfer_waiting : transfer, s},
                                    .prepare = renew,
                                    .runs = (int)rw_lab_number(lab, "runs"),
                                    .seconds = INFINITY},
                     seconds);
}

static rw_status time_device(const rw_lab *lab, int device, int method, int n, int64_t count, double *kernels,
                             double *with_transfers)
{
    series s;
    RW_TRY(make_series(lab->devices[device], method, n, count, 1, &s));
    rw_status status = time_kernels(lab, &s, kernels);
    if (status == RW_OK && with_transfers) status = time_with_transfers(lab, &s, false, with_transfers);
    free_series(&s);
    return status;
}

/* Version 2 with its transfers, in several queues. */
static rw_status time_queues(const rw_lab *lab, int device, int64_t count, int queues, bool waits, double *seconds)
{
    series s;
    RW_TRY(make_series(lab->devices[device], SECOND, RW_RADIX2_MOST, count, queues, &s));
    const rw_status status = time_with_transfers(lab, &s, waits, seconds);
    free_series(&s);
    return status;
}

typedef struct host_series {
    int n;
    int64_t count;
    float *x, *y, *roots;
} host_series;

static rw_status transform_on_host(void *user, int round RW_UNUSED)
{
    const host_series *h = user;
    rw_radix2_host(h->n, h->count, h->roots, h->x, h->y);
    return RW_OK;
}

/* Radix 2 in one thread of the host. */
static rw_status time_host(const rw_lab *lab, int n, int64_t count, double *seconds)
{
    const size_t reals = 2 * (size_t)n * (size_t)count;
    host_series h = {n, count, rw_calloc(reals, sizeof(float)), rw_calloc(reals, sizeof(float)),
                     rw_calloc((size_t)n, sizeof(float))};
    rw_status status =
        h.x && h.y && h.roots ? RW_OK : rw_fail_memory(lab->ctx, 2 * reals * sizeof(float), "transforms");
    if (status == RW_OK) {
        rw_radix2_roots(n, h.roots);
        put_signal(h.x, n, count);
        status = rw_sample(&(rw_sampling){.what = {"one thread", transform_on_host, &h},
                                          .runs = (int)rw_lab_number(lab, "runs"),
                                          .seconds = INFINITY,
                                          .length = 1e-4},
                           seconds);
    }
    rw_free(h.x);
    rw_free(h.y);
    rw_free(h.roots);
    return status;
}

/* ---- versions ---------------------------------------------------------------------------------------------------- */

enum { V_NAME, V_COUNT, V_PUBLISHED, V_TIME };
static const rw_lab_column versions_columns[] = {
    [V_NAME] = {"kernel", "", RW_SHOW_NAME, false,
                "version 1, version 2: the kernels of 2010; library: the plan of rw_fft_create"},
    [V_COUNT] = {"transforms", "", RW_SHOW_INTEGER, false, "number of transforms of 1024 points"},
    [V_PUBLISHED] = {"2010", "us", RW_SHOW_REAL, false, "published"},
    [V_TIME] = {"time", "us", RW_SHOW_REAL, true, "time per launch within a sequence of launches"},
};

static rw_status compare_versions(rw_lab *lab)
{
    static const int order[METHODS] = {FIRST, SECOND, LIBRARY}, counts[] = {1, 27};
    for (int c = 0; c < RW_COUNT(counts); ++c)
        for (int m = 0; m < METHODS; ++m) {
            RW_TRY(rw_lab_row(lab, VERSIONS));
            RW_TRY(rw_lab_put_name(lab, VERSIONS, V_NAME, method_names[order[m]], false));
            rw_lab_put(lab, VERSIONS, V_COUNT, -1, counts[c]);
            for (int p = 0; p < RW_COUNT(published_kernels); ++p)
                if (published_kernels[p].method == order[m] && published_kernels[p].count == counts[c])
                    rw_lab_put(lab, VERSIONS, V_PUBLISHED, -1, published_kernels[p].us);
            for (int d = 0; d < lab->ndevices; ++d) {
                double seconds;
                rw_lab_say(lab, "%s, %d transforms on %s", method_names[order[m]], counts[c], lab->info[d].name);
                RW_TRY(time_device(lab, d, order[m], RW_RADIX2_MOST, counts[c], &seconds, NULL));
                rw_lab_put(lab, VERSIONS, V_TIME, d, 1e6 * seconds);
            }
        }
    rw_lab_note(lab,
                "versions: on a GeForce GTX 260, with simplified arithmetic, version 1 took 50 us, and 71 us for 27 "
                "transforms");
    return RW_OK;
}

/* ---- numbers of transforms --------------------------------------------------------------------------------------- */

enum { C_COUNT, C_HOST, C_KERNELS, C_TRANSFERS, C_RATIO, C_RATIO_TRANSFERS, C_LIBRARY };
static const rw_lab_column counts_columns[] = {
    [C_COUNT] = {"transforms", "", RW_SHOW_INTEGER, false, "number of transforms of 1024 points"},
    [C_HOST] = {"one thread", "us", RW_SHOW_REAL, false, "radix-2 transform in C"},
    [C_KERNELS] = {"version 2", "us", RW_SHOW_REAL, true, "kernel alone"},
    [C_TRANSFERS] = {"and transfers", "us", RW_SHOW_REAL, true, "with transfers to the device and back"},
    [C_RATIO] = {"ratio", "", RW_SHOW_RATIO, true, "time of one thread divided by the time of the kernel"},
    [C_RATIO_TRANSFERS] = {"ratio with transfers", "", RW_SHOW_RATIO, true,
                           "time of one thread divided by the time with transfers; in 2010 it was 15 to 18"},
    [C_LIBRARY] = {"library", "us", RW_SHOW_REAL, true, "kernels of the plan of rw_fft_create, without transfers"},
};

static rw_status compare_counts(rw_lab *lab)
{
    const rw_lab_setting *counts = rw_lab_setting_of(lab, "counts");
    for (int i = 0; i < counts->n; ++i) {
        const int64_t count = (int64_t)counts->number[i];
        double host, kernels, transfers;
        RW_TRY(time_host(lab, RW_RADIX2_MOST, count, &host));
        RW_TRY(rw_lab_row(lab, COUNTS));
        rw_lab_put(lab, COUNTS, C_COUNT, -1, (double)count);
        rw_lab_put(lab, COUNTS, C_HOST, -1, 1e6 * host);
        for (int d = 0; d < lab->ndevices; ++d) {
            rw_lab_say(lab, "%lld transforms on %s", (long long)count, lab->info[d].name);
            RW_TRY(time_device(lab, d, SECOND, RW_RADIX2_MOST, count, &kernels, &transfers));
            rw_lab_put(lab, COUNTS, C_KERNELS, d, 1e6 * kernels);
            rw_lab_put(lab, COUNTS, C_TRANSFERS, d, 1e6 * transfers);
            rw_lab_put(lab, COUNTS, C_RATIO, d, host / kernels);
            rw_lab_put(lab, COUNTS, C_RATIO_TRANSFERS, d, host / transfers);
            RW_TRY(time_device(lab, d, LIBRARY, RW_RADIX2_MOST, count, &kernels, NULL));
            rw_lab_put(lab, COUNTS, C_LIBRARY, d, 1e6 * kernels);
        }
    }
    return RW_OK;
}

/* ---- lengths ----------------------------------------------------------------------------------------------------- */

enum { L_N, L_OCCUPANCY, L_MODEL, L_PUBLISHED, L_HOST, L_FIRST, L_SECOND, L_LIBRARY, L_RATIO };
static const rw_lab_column lengths_columns[] = {
    [L_N] = {"N", "", RW_SHOW_INTEGER, false, "points per transform"},
    [L_OCCUPANCY] = {"occupancy 2010", "", RW_SHOW_RATIO, false,
                     "published fraction of the 32 warps that fit on a multiprocessor"},
    [L_MODEL] = {"model", "", RW_SHOW_RATIO, false,
                 "occupancy by the limits of that GPU: N/2 work-items with 14 registers each and 8 N + 48 bytes, "
                 "allocated in units of 512"},
    [L_PUBLISHED] = {"2010", "ms", RW_SHOW_REAL, false, "published time of version 2 for 5400 transforms"},
    [L_HOST] = {"one thread", "ms", RW_SHOW_REAL, false, "radix-2 transform in C"},
    [L_FIRST] = {"version 1", "ms", RW_SHOW_REAL, true, "kernel alone"},
    [L_SECOND] = {"version 2", "ms", RW_SHOW_REAL, true, "kernel alone"},
    [L_LIBRARY] = {"library", "ms", RW_SHOW_REAL, true, "kernels of the plan of rw_fft_create, without transfers"},
    [L_RATIO] = {"ratio", "", RW_SHOW_RATIO, true, "time of one thread divided by the time of the library"},
};

static double occupancy_of(int n)
{
    enum { REGISTERS = 14, FIXED = 48, PIECE = 512 };
    const int shared = (8 * n + FIXED + PIECE - 1) / PIECE * PIECE;
    return rw_occupancy_warps(&rw_limits_tesla, n / 2, REGISTERS, shared) / (double)rw_limits_tesla.warps;
}

static rw_status compare_lengths(rw_lab *lab)
{
    const rw_lab_setting *lengths = rw_lab_setting_of(lab, "lengths");
    const int64_t count = (int64_t)rw_lab_number(lab, "many");
    for (int i = 0; i < lengths->n; ++i) {
        const int n = (int)lengths->number[i];
        double host;
        RW_TRY(time_host(lab, n, count, &host));
        RW_TRY(rw_lab_row(lab, LENGTHS));
        rw_lab_put(lab, LENGTHS, L_N, -1, n);
        rw_lab_put(lab, LENGTHS, L_MODEL, -1, occupancy_of(n));
        rw_lab_put(lab, LENGTHS, L_HOST, -1, 1e3 * host);
        for (int p = 0; p < RW_COUNT(published_lengths); ++p)
            if (published_lengths[p].n == n) {
                rw_lab_put(lab, LENGTHS, L_OCCUPANCY, -1, published_lengths[p].occupancy);
                if (count == PUBLISHED_COUNT) rw_lab_put(lab, LENGTHS, L_PUBLISHED, -1, published_lengths[p].ms);
            }
        for (int d = 0; d < lab->ndevices; ++d) {
            static const int column[METHODS] = {[LIBRARY] = L_LIBRARY, [FIRST] = L_FIRST, [SECOND] = L_SECOND};
            double seconds[METHODS];
            rw_lab_say(lab, "N = %d on %s", n, lab->info[d].name);
            for (int m = 0; m < METHODS; ++m) {
                RW_TRY(time_device(lab, d, m, n, count, seconds + m, NULL));
                rw_lab_put(lab, LENGTHS, column[m], d, 1e3 * seconds[m]);
            }
            rw_lab_put(lab, LENGTHS, L_RATIO, d, host / seconds[LIBRARY]);
        }
    }
    return RW_OK;
}

/* ---- copies, queues ---------------------------------------------------------------------------------------------- */

enum { Y_NAME, Y_COUNT, Y_TIME };
static const rw_lab_column copies_columns[] = {
    [Y_NAME] = {"copies", "", RW_SHOW_NAME, false,
                "synchronous: copies and kernel are waited for before the next step; asynchronous: all are enqueued "
                "at once"},
    [Y_COUNT] = {"transforms", "", RW_SHOW_INTEGER, false, "number of transforms of 1024 points, version 2"},
    [Y_TIME] = {"time", "us", RW_SHOW_REAL, true,
                "time of the transfer to the device, the kernel and the transfer back"},
};

static rw_status compare_copies(rw_lab *lab)
{
    enum { COUNT = 108 };
    for (int waits = 1; waits >= 0; --waits) {
        RW_TRY(rw_lab_row(lab, COPIES));
        RW_TRY(rw_lab_put_name(lab, COPIES, Y_NAME, waits ? "synchronous" : "asynchronous", false));
        rw_lab_put(lab, COPIES, Y_COUNT, -1, COUNT);
        for (int d = 0; d < lab->ndevices; ++d) {
            double seconds;
            rw_lab_say(lab, "%s copies on %s", waits ? "synchronous" : "asynchronous", lab->info[d].name);
            RW_TRY(time_queues(lab, d, COUNT, 1, waits, &seconds));
            rw_lab_put(lab, COPIES, Y_TIME, d, 1e6 * seconds);
        }
    }
    return RW_OK;
}

enum { S_NAME, S_COUNT, S_QUEUES, S_TIME };
static const rw_lab_column streams_columns[] = {
    [S_NAME] = {"where", "", RW_SHOW_NAME, false, NULL},
    [S_COUNT] = {"transforms", "", RW_SHOW_INTEGER, false,
                 "number of transforms of 1024 points, version 2, divided among the queues"},
    [S_QUEUES] = {"queues", "", RW_SHOW_INTEGER, false, "number of queues; in 2010: 1 and 5 streams"},
    [S_TIME] = {"time", "us", RW_SHOW_REAL, false,
                "time of the transfer to the device, the kernel and the transfer back"},
};

static rw_status measure_streams(rw_lab *lab, int device, int64_t count, int queues)
{
    char text[64];
    double seconds;
    snprintf(text, sizeof text, "%s, %d queue%s", lab->info[device].name, queues, queues == 1 ? "" : "s");
    rw_lab_say(lab, "%lld transforms on %s", (long long)count, text);
    RW_TRY(time_queues(lab, device, count, queues, false, &seconds));
    RW_TRY(rw_lab_row(lab, STREAMS));
    RW_TRY(rw_lab_put_name(lab, STREAMS, S_NAME, text, false));
    rw_lab_put(lab, STREAMS, S_COUNT, -1, (double)count);
    rw_lab_put(lab, STREAMS, S_QUEUES, -1, queues);
    rw_lab_put(lab, STREAMS, S_TIME, -1, 1e6 * seconds);
    return RW_OK;
}

static rw_status compare_streams(rw_lab *lab)
{
    const rw_lab_setting *batches = rw_lab_setting_of(lab, "batches"), *streams = rw_lab_setting_of(lab, "streams");
    for (int d = 0; d < lab->ndevices; ++d)
        for (int i = 0; i < batches->n; ++i)
            for (int k = 0; k < streams->n; ++k)
                if (batches->number[i] >= streams->number[k])
                    RW_TRY(measure_streams(lab, d, (int64_t)batches->number[i], (int)streams->number[k]));
    return RW_OK;
}

/* ---- the study --------------------------------------------------------------------------------------------------- */

static rw_status run_study(rw_lab *lab)
{
    const rw_lab_setting *lengths = rw_lab_setting_of(lab, "lengths");
    for (int i = 0; i < lengths->n; ++i) {
        const int n = (int)lengths->number[i];
        if (n & (n - 1))
            return rw_fail(
                lab->ctx, RW_ERR_ARGUMENT,
                "lab fft: lengths: %d is not a power of two: the kernels of 2010 transform 2, 4, 8, … %d points", n,
                RW_RADIX2_MOST);
    }
    if (rw_lab_wanted(lab, VERSIONS)) RW_TRY(compare_versions(lab));
    if (rw_lab_wanted(lab, COUNTS)) RW_TRY(compare_counts(lab));
    if (rw_lab_wanted(lab, LENGTHS)) RW_TRY(compare_lengths(lab));
    if (rw_lab_wanted(lab, COPIES)) RW_TRY(compare_copies(lab));
    return rw_lab_wanted(lab, STREAMS) ? compare_streams(lab) : RW_OK;
}

static const rw_param parameters[] = {
    PARAMETER("counts", INTS, "1,2,5,10,20,27,28,40,54,55,70,81,82,108", "[1, 1000000]",
              "numbers of transforms of 1024 points"),
    PARAMETER("lengths", INTS, "2,4,8,16,32,64,128,256,512,1024", "[2, 1024]", "points per transform, powers of two"),
    PARAMETER("many", INT, "5400", "[1, 1000000]", "number of transforms in table lengths"),
    PARAMETER("streams", INTS, "1,2,5,8", "[1, 8]", "numbers of queues among which the work is divided"),
    PARAMETER("batches", INTS, "5,27,54,135,540,1000,2000,5000", "[1, 1000000]",
              "numbers of transforms in table streams"),
    PARAMETER("runs", INT, "20", "[1, 1000]", "number of timed runs, whose median is reported"),
};
static const char *const names[] = {"versions", "counts", "lengths", "copies", "streams"};
static const rw_lab_table tables[] = {
    [VERSIONS] = {"The two kernels of 2010 and the library, 1024 points", versions_columns, RW_COUNT(versions_columns)},
    [COUNTS] = {"1 to 108 transforms of 1024 points", counts_columns, RW_COUNT(counts_columns)},
    [LENGTHS] = {"Many transforms of 2 to 1024 points", lengths_columns, RW_COUNT(lengths_columns)},
    [COPIES] = {"Synchronous and asynchronous copies", copies_columns, RW_COUNT(copies_columns)},
    [STREAMS] = {"One queue or several, with transfers", streams_columns, RW_COUNT(streams_columns)},
};
static const rw_lab_curves curves[] = {
    {.name = "counts",
     .title = "1024 points: kernel alone, and with transfers",
     .table = COUNTS,
     .x = C_COUNT,
     .y = {C_HOST, C_KERNELS, C_TRANSFERS},
     .ny = 3,
     .x_axis = {.label = "transforms"},
     .y_axis = {.label = "time / us", .log = true}},
    {.name = "ratios",
     .title = "Time of one thread of the host divided by the time of the device",
     .table = COUNTS,
     .x = C_COUNT,
     .y = {C_RATIO, C_RATIO_TRANSFERS},
     .ny = 2,
     .x_axis = {.label = "transforms of 1024 points"},
     .y_axis = {.label = "ratio", .log = true}},
    {.name = "lengths",
     .title = "Many transforms, compared with 2010",
     .table = LENGTHS,
     .x = L_N,
     .y = {L_SECOND, L_LIBRARY, L_HOST, L_PUBLISHED},
     .ny = 4,
     .dashed = 1,
     .x_axis = {.label = "points", .log = true},
     .y_axis = {.label = "time / ms", .log = true}},
    {.name = "streams",
     .title = "Transforms of 1024 points divided among several queues, with transfers",
     .table = STREAMS,
     .x = S_COUNT,
     .y = {S_TIME},
     .ny = 1,
     .only = "",
     .where = S_NAME,
     .by = S_NAME,
     .x_axis = {.label = "transforms", .log = true},
     .y_axis = {.label = "time / us", .log = true}},
};

const rw_study rw_study_fft = {
    .entry =
        {"fft", "Fourier transforms of 2 to 1024 points",
         "What did the two kernels of 2010, asynchronous copies and several queues gain, what did transfers cost, and "
         "what is it today?",
         "M.-R. Lorbeer, Analyse der NVIDIA CUDA-Architektur fuer die Implementierung von Signal- und "
         "Bildverarbeitungsalgorithmen, bachelor thesis, HAW Hamburg, 2010",
         parameters, RW_COUNT(parameters), names, RW_COUNT(names)},
    .tables = tables,
    .curves = curves,
    .ncurves = RW_COUNT(curves),
    .run = run_study,
};
