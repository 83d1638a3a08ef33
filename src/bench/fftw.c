/* FFTW as a peer: libfftw3f or libfftw3 opened at run time, measured plans. Many short transforms are planned as pieces
 * of the batch that threads share out; long ones with FFTW's own threads. M. Frigo, S. G. Johnson: The design and
 * implementation of FFTW3, Proc. IEEE 93 (2005). */
#include <dlfcn.h>
#include <omp.h>

#include "bench/bench.h"

enum { PIECE_POINTS = 1 << 18, FORWARD = -1, MEASURE = 0 };

typedef struct fftw {
    void *plan;
    char *x, *y;
    int64_t pieces, x_bytes, y_bytes; /* of a piece */
    int threads;
    void (*execute)(void *plan, void *in, void *out);
    void (*destroy)(void *plan);
} fftw;

static rw_status call(void *user, int round)
{
    fftw *f = user;
    (void)round;
#pragma omp parallel for num_threads(f->threads) schedule(static) if (f->pieces > 1)
    for (int64_t i = 0; i < f->pieces; ++i) f->execute(f->plan, f->x + i * f->x_bytes, f->y + i * f->y_bytes);
    return RW_OK;
}

static void close_fftw(void *state)
{
    fftw *f = state;
    if (f->plan) f->destroy(f->plan);
    rw_free(f); /* the library stays: it keeps what it has learnt */
}

static const char *prefix_of(bool single) { return single ? "fftwf_" : "fftw_"; }

typedef void *plan_many(int rank, const int *n, int howmany, void *in, const int *inembed, int istride, int idist,
                        void *out, const int *onembed, int ostride, int odist, int sign, unsigned flags);
typedef void *plan_real(int rank, const int *n, int howmany, void *in, const int *inembed, int istride, int idist,
                        void *out, const int *onembed, int ostride, int odist, unsigned flags);

/* FFTW's own threads, where they are installed. */
static void use_threads(bool single, int threads)
{
    void *library = dlopen(single ? "libfftw3f_threads.so.3" : "libfftw3_threads.so.3", RTLD_NOW | RTLD_GLOBAL);
    int (*init)(void);
    void (*plan)(int);
    const rw_library_function functions[] = {{"init_threads", &init}, {"plan_with_nthreads", &plan}};
    if (library && rw_library_functions(library, prefix_of(single), functions, RW_COUNT(functions)) && init())
        plan(threads);
}

/* The plan of a piece; FFTW overwrites the arrays while it measures. */
static rw_status make_plan(rw_bench *b, const rw_bench_transform *t, fftw *f, int64_t batch, int64_t in, int64_t out)
{
    void *library = dlopen(t->single ? "libfftw3f.so.3" : "libfftw3.so.3", RTLD_NOW | RTLD_GLOBAL);
    if (!library) return rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "libfftw3%s.so.3 not found", t->single ? "f" : "");
    use_threads(t->single, f->pieces > 1 ? 1 : b->threads);
    plan_many *many = NULL;
    plan_real *real = NULL;
    const rw_library_function functions[] = {{t->real ? "plan_many_dft_r2c" : "plan_many_dft",
                                              t->real ? (void *)&real : (void *)&many},
                                             {t->real ? "execute_dft_r2c" : "execute_dft", &f->execute},
                                             {"destroy_plan", &f->destroy}};
    if (!rw_library_functions(library, prefix_of(t->single), functions, RW_COUNT(functions)))
        return rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "the FFTW library lacks a required function");
    int n[3];
    for (int d = 0; d < t->rank; ++d) n[d] = (int)t->shape[d];
    rw_array *x = NULL, *y = NULL;
    void *px = NULL, *py = NULL;
    const rw_dtype dtype = t->single ? RW_F32 : RW_F64;
    rw_status status = rw_bench_output(b, dtype, batch * in * (t->real ? 1 : 2), &x, &px);
    if (status == RW_OK) status = rw_bench_output(b, dtype, batch * out * 2, &y, &py);
    if (status == RW_OK) {
        f->plan = t->real ? real(t->rank, n, (int)batch, px, NULL, 1, (int)in, py, NULL, 1, (int)out, MEASURE)
                          : many(t->rank, n, (int)batch, px, NULL, 1, (int)in, py, NULL, 1, (int)out, FORWARD, MEASURE);
        if (!f->plan) status = rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "FFTW cannot create a plan");
    }
    rw_array_destroy(&x);
    rw_array_destroy(&y);
    return status;
}

rw_status rw_fftw_open(rw_bench *b, const rw_bench_transform *t, const void *x, void *y, rw_peer *peer)
{
    int64_t in = 1, out = 1, piece;
    fftw *f = rw_calloc(1, sizeof *f);
    if (!f) return rw_fail_memory(b->ctx, sizeof *f, "a comparison library");
    for (int d = 0; d < t->rank; ++d) {
        in *= t->shape[d];
        out *= t->real && d == t->rank - 1 ? t->shape[d] / 2 + 1 : t->shape[d];
    }
    piece = RW_MAX(PIECE_POINTS / in, 1);
    while (t->batch % piece) --piece;
    f->x = (char *)(uintptr_t)x;
    f->y = y;
    f->pieces = t->batch / piece;
    f->threads = b->threads;
    f->x_bytes = piece * in * (t->single ? 4 : 8) * (t->real ? 1 : 2);
    f->y_bytes = piece * out * (t->single ? 8 : 16);
    return rw_peer_keep(peer, make_plan(b, t, f, piece, in, out), (rw_peer){{"FFTW", call, f}, f, close_fftw});
}
