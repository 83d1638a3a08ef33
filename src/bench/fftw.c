/* FFTW as a peer: libfftw3f opened at run time, measured plans for pieces of the batch, pieces spread over threads.
 * M. Frigo, S. G. Johnson: The design and implementation of FFTW3, Proc. IEEE 93 (2005). */
#include <dlfcn.h>
#include <omp.h>
#include <string.h>

#include "bench/bench.h"

enum { POINTS = 256, PIECE = 1024, FORWARD = -1, MEASURE = 0 };

typedef struct fftw {
    void *library, *plan;
    float *x, *y;
    int64_t batch;
    int threads;
    void *(*plan_many)(int rank, const int *n, int howmany, void *in, const int *inembed, int istride, int idist,
                       void *out, const int *onembed, int ostride, int odist, int sign, unsigned flags);
    void (*execute)(void *plan, void *in, void *out);
    void (*destroy)(void *plan);
} fftw;

static rw_status call(void *user, int round)
{
    fftw *f = user;
    (void)round;
#pragma omp parallel for num_threads(f->threads) schedule(static)
    for (int64_t i = 0; i < f->batch; i += PIECE) f->execute(f->plan, f->x + 2 * POINTS * i, f->y + 2 * POINTS * i);
    return RW_OK;
}

static void close_fftw(void *state)
{
    fftw *f = state;
    if (f->plan) f->destroy(f->plan);
    rw_free(f); /* the library stays: it keeps what it has learnt */
}

static bool find(fftw *f)
{
    f->library = dlopen("libfftw3f.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!f->library) return false;
    void *many = dlsym(f->library, "fftwf_plan_many_dft"), *execute = dlsym(f->library, "fftwf_execute_dft"),
         *destroy = dlsym(f->library, "fftwf_destroy_plan");
    memcpy(&f->plan_many, &many, sizeof many), memcpy(&f->execute, &execute, sizeof execute);
    memcpy(&f->destroy, &destroy, sizeof destroy);
    return many && execute && destroy;
}

rw_status rw_fftw_open(rw_bench *b, const void *x, void *y, int64_t batch, rw_peer *peer)
{
    int n = POINTS;
    if (batch % PIECE) return rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "FFTW: batches in pieces of %d", PIECE);
    fftw *f = rw_calloc(1, sizeof *f);
    if (!f) return rw_fail_memory(b->ctx, sizeof *f, "a peer");
    f->x = (float *)(uintptr_t)x, f->y = y, f->batch = batch, f->threads = b->threads;
    rw_array *in = NULL, *out = NULL; /* planning overwrites them */
    rw_status status = find(f) ? RW_OK : rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "libfftw3f.so.3 not found");
    if (status == RW_OK) status = rw_bench_array(b, RW_C64, (int64_t)PIECE * POINTS, &in);
    if (status == RW_OK) status = rw_bench_array(b, RW_C64, (int64_t)PIECE * POINTS, &out);
    void *pin = NULL, *pout = NULL;
    if (status == RW_OK) status = rw_array_write(in, &pin);
    if (status == RW_OK) status = rw_array_write(out, &pout);
    if (status == RW_OK) {
        f->plan = f->plan_many(1, &n, PIECE, pin, NULL, 1, POINTS, pout, NULL, 1, POINTS, FORWARD, MEASURE);
        if (!f->plan) status = rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "FFTW makes no plan");
    }
    rw_array_destroy(&in), rw_array_destroy(&out);
    *peer = (rw_peer){{"FFTW", call, f}, f, close_fftw};
    if (status != RW_OK) {
        close_fftw(f);
        *peer = (rw_peer){0};
    }
    return status;
}
