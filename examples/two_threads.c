/* Two threads compute at the same time. They share the context and open the device once each; compiled programs are
 * shared. Messages belong to the thread whose call failed.
 *
 *   cc -std=c17 two_threads.c -pthread $(pkg-config --cflags --libs rechenwerk) -lm -o two_threads
 *   ./two_threads [DEVICE]                 auto (default), cpu, cuda:0, opencl:0, check */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "rechenwerk/expr.h"

#define N 100000
#define RUNS 50

typedef struct job {
    rw_context *ctx;
    const char *device, *wrong; /* wrong: the name of a field that the program does not have */
    double start;
    rw_expr *expr;      /* the result: its scalar `total` */
    bool own_message;   /* the message is that of this thread's mistake */
    char message[2000]; /* "": no other failure */
} job;

/* u <- u/2 + 1, which tends to 2. */
static rw_status compute(job *j)
{
    const int64_t n = N;
    rw_device *dev = NULL;
    rw_array *array = NULL;
    void *data;
    rw_expr_field field; /* a zeroed member of a specification has its default */
    rw_expr_spec spec;
    memset(&field, 0, sizeof field), memset(&spec, 0, sizeof spec);
    field.name = "u", field.dtype = RW_F64;
    spec.name = "two_threads", spec.text = "u = u/2 + 1; total = sum(u)";
    spec.grid.ndim = 1, spec.grid.size[0] = N, spec.grid.size[1] = spec.grid.size[2] = 1;
    for (int axis = 0; axis < 3; ++axis) spec.grid.spacing[axis] = 1;
    spec.fields = &field, spec.nfields = 1;

    rw_status status = rw_device_open(j->ctx, j->device, &dev);
    if (status == RW_OK) status = rw_expr_create(dev, &spec, &j->expr);
    if (status == RW_OK) status = rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &array);
    if (status == RW_OK) status = rw_array_write(array, &data);
    for (int i = 0; status == RW_OK && i < N; ++i) ((double *)data)[i] = j->start;
    if (status == RW_OK) status = rw_expr_bind(j->expr, "u", array);

    /* A mistake. The other thread's mistake does not change this thread's message. */
    if (status == RW_OK && rw_expr_bind(j->expr, j->wrong, array) == RW_ERR_ARGUMENT)
        j->own_message = strstr(rw_message(j->ctx), j->wrong) != NULL;

    /* The order of destruction does not matter, as handles are counted: the program retains array and device. */
    rw_queue *queue = rw_device_queue(dev);
    rw_device_close(&dev);
    rw_array_destroy(&array);
    for (int i = 0; status == RW_OK && i < RUNS; ++i) status = rw_expr_run(j->expr, queue);
    return status;
}

static void *run(void *user)
{
    job *j = (job *)user;
    if (compute(j) != RW_OK) snprintf(j->message, sizeof j->message, "%s", rw_message(j->ctx));
    return NULL;
}

int main(int argc, char **argv)
{
    static job jobs[2];
    pthread_t threads[2];
    rw_context *ctx;
    int wrong = 0;
    if (rw_context_create(&ctx) != RW_OK) return 1;
    for (int i = 0; i < 2; ++i) {
        jobs[i].ctx = ctx, jobs[i].device = argc > 1 ? argv[1] : "auto";
        jobs[i].start = i ? 1e6 : -1e6, jobs[i].wrong = i ? "pressure" : "density";
        if (pthread_create(&threads[i], NULL, run, &jobs[i]) != 0) return 1;
    }
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);

    /* The context goes before the programs, which retain it. Objects may be used by another thread afterwards. */
    rw_context_destroy(&ctx);
    for (int i = 0; i < 2; ++i) {
        double total = 0, exact = N * (2 + (jobs[i].start - 2) * pow(0.5, RUNS));
        if (jobs[i].message[0]) fprintf(stderr, "two_threads: thread %d: %s\n", i, jobs[i].message);
        else if (rw_expr_get(jobs[i].expr, "total", &total, NULL) != RW_OK) fprintf(stderr, "%s\n", rw_message(NULL));
        printf("thread %d: mean %.9f (exact: %.9f), message of its own: %s\n", i, total / N, exact / N,
               jobs[i].own_message ? "yes" : "no");
        if (!(fabs(total - exact) < 1e-9 * N) || !jobs[i].own_message) wrong = 1;
        rw_expr_destroy(&jobs[i].expr);
    }
    return wrong;
}
