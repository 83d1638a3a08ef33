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
typedef void *plan_sines(int rank, const int *n, int howmany, void *in, const int *inembed, int istride, int idist,
                         void *out, const int *onembed, int ostride, int odist, const int *kinds, unsigned flags);

/* The functions of a transform. */
typedef struct planner {
    plan_many *many;
    plan_real *real;
    plan_sines *sines;
} planner;

static bool find(void *library, const rw_bench_transform *t, planner *p, fftw *f)
{
    const rw_library_function destroy = {"destroy_plan", &f->destroy},
                              complex[] = {{"plan_many_dft", &p->many}, {"execute_dft", &f->execute}, destroy},
                              forth[] = {{"plan_many_dft_r2c", &p->real}, {"execute_dft_r2c", &f->execute}, destroy},
                              back[] = {{"plan_many_dft_c2r", &p->real}, {"execute_dft_c2r", &f->execute}, destroy},
                              sines[] = {{"plan_many_r2r", &p->sines}, {"execute_r2r", &f->execute}, destroy};
    const rw_library_function *functions = t->sines ? sines : !t->real ? complex : t->inverse ? back : forth;
    return rw_library_functions(library, prefix_of(t->single), functions, RW_COUNT(complex));
}

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

/* The plan of a piece, `batch` transforms of `in` numbers to `out`; FFTW overwrites the arrays while it measures. */
static rw_status make_plan(rw_bench *b, const rw_bench_transform *t, fftw *f, int64_t batch, int64_t in, int64_t out)
{
    static const int kinds[] = {0, 7, 9, 8}; /* RODFT00, RODFT10, RODFT01 */
    void *library = dlopen(t->single ? "libfftw3f.so.3" : "libfftw3.so.3", RTLD_NOW | RTLD_GLOBAL);
    if (!library) return rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "libfftw3%s.so.3 not found", t->single ? "f" : "");
    use_threads(t->single, f->pieces > 1 ? 1 : b->threads);
    planner p = {0};
    if (!find(library, t, &p, f))
        return rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "the FFTW library lacks a required function");
    int n[3], kind[3];
    for (int d = 0; d < t->rank; ++d) n[d] = (int)t->shape[d], kind[d] = kinds[t->sines];
    rw_array *x = NULL, *y = NULL;
    void *px = NULL, *py = NULL;
    const int many = (int)batch, from = (int)in, to = (int)out;
    rw_status status = rw_bench_output(b, RW_U8, f->x_bytes, &x, &px);
    if (status == RW_OK) status = rw_bench_output(b, RW_U8, f->y_bytes, &y, &py);
    if (status == RW_OK) {
        f->plan = p.sines  ? p.sines(t->rank, n, many, px, NULL, 1, from, py, NULL, 1, to, kind, MEASURE)
                  : p.real ? p.real(t->rank, n, many, px, NULL, 1, from, py, NULL, 1, to, MEASURE)
                           : p.many(t->rank, n, many, px, NULL, 1, from, py, NULL, 1, to, FORWARD, MEASURE);
        if (!f->plan) status = rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "FFTW cannot create a plan");
    }
    rw_array_destroy(&x);
    rw_array_destroy(&y);
    return status;
}

/* Values of a transform, and bytes of one: of what it transforms, or of the spectrum. */
static int64_t values_of(const rw_bench_transform *t, bool spectrum)
{
    int64_t n = 1;
    for (int d = 0; d < t->rank; ++d) n *= t->shape[d];
    const int64_t last = t->shape[t->rank - 1];
    return spectrum && t->real && !t->sines ? n / last * (last / 2 + 1) : n;
}

static int64_t bytes_of(const rw_bench_transform *t, bool spectrum)
{
    const bool real = t->sines || (t->real && !spectrum);
    return (t->single ? 4 : 8) * (real ? 1 : 2);
}

rw_status rw_fftw_open(rw_bench *b, const rw_bench_transform *t, const void *x, void *y, rw_peer *peer)
{
    const int64_t in = values_of(t, t->inverse), out = values_of(t, !t->inverse);
    int64_t piece = RW_MAX(PIECE_POINTS / in, 1);
    fftw *f = rw_calloc(1, sizeof *f);
    if (!f) return rw_fail_memory(b->ctx, sizeof *f, "a comparison library");
    while (t->batch % piece) --piece;
    f->x = (char *)(uintptr_t)x;
    f->y = y;
    f->pieces = t->batch / piece;
    f->threads = b->threads;
    f->x_bytes = piece * in * bytes_of(t, t->inverse);
    f->y_bytes = piece * out * bytes_of(t, !t->inverse);
    return rw_peer_keep(peer, make_plan(b, t, f, piece, in, out), (rw_peer){{"FFTW", call, f}, f, close_fftw});
}
