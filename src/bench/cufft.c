/* cuFFT as a peer: libcufft opened at run time, a plan for the whole batch, in the queue of the device. */
#include <string.h>

#include "bench/bench.h"

enum { C2C = 0x29, R2C = 0x2a, C2R = 0x2c, Z2Z = 0x69, D2Z = 0x6a, Z2D = 0x6c, FORWARD = -1 };

typedef struct cufft {
    int plan;
    void *x, *y;
    bool real;
    int (*plan_many)(int *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride,
                     int odist, int type, int batch);
    int (*set_stream)(int plan, void *stream);
    int (*execute)(int plan, void *in, void *out, int direction);
    int (*execute_real)(int plan, void *in, void *out);
    int (*destroy)(int plan);
    rw_context *ctx;
} cufft;

static rw_status call(void *user, int round RW_UNUSED)
{
    cufft *f = user;
    const int error = f->real ? f->execute_real(f->plan, f->x, f->y) : f->execute(f->plan, f->x, f->y, FORWARD);
    return error ? rw_fail(f->ctx, RW_ERR_LAUNCH, "cufftExec: error %d", error) : RW_OK;
}

static void close_cufft(void *state)
{
    cufft *f = state;
    if (f->plan) f->destroy(f->plan);
    rw_free(f);
}

static bool find(cufft *f, bool single, bool inverse)
{
    const char *const real = single ? inverse ? "ExecC2R" : "ExecR2C" : inverse ? "ExecZ2D" : "ExecD2Z";
    const rw_library_function functions[] = {{"PlanMany", &f->plan_many},
                                             {"SetStream", &f->set_stream},
                                             {f->real  ? real
                                              : single ? "ExecC2C"
                                                       : "ExecZ2Z",
                                              f->real ? (void *)&f->execute_real : (void *)&f->execute},
                                             {"Destroy", &f->destroy}};
    void *library = rw_library_open("cufft", "RECHENWERK_CUFFT");
    return library && rw_library_functions(library, "cufft", functions, RW_COUNT(functions));
}

rw_status rw_cufft_open(rw_bench *b, const rw_bench_transform *t, rw_array *x, rw_array *y, rw_peer *peer)
{
    if (strcmp(b->dev->info.kind, "cuda") != 0) return rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "cuFFT is for cuda devices");
    cufft *f = rw_calloc(1, sizeof *f);
    if (!f) return rw_fail_memory(b->ctx, sizeof *f, "a comparison library");
    f->ctx = b->ctx;
    f->real = t->real;
    int n[3], in = 1, out = 1;
    for (int d = 0; d < t->rank; ++d) {
        n[d] = (int)t->shape[d];
        in *= n[d];
        out *= t->real && d == t->rank - 1 ? n[d] / 2 + 1 : n[d];
    }
    rw_status status = RW_OK;
    if (!find(f, t->single, t->inverse))
        status = rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "libcufft not found: set RECHENWERK_CUFFT to its path");
    if (status == RW_OK) status = rw_array_address(x, b->queue, false, &f->x);
    if (status == RW_OK) status = rw_array_address(y, b->queue, true, &f->y);
    if (status == RW_OK) {
        const int real = t->single ? t->inverse ? C2R : R2C : t->inverse ? Z2D : D2Z;
        int error = f->plan_many(&f->plan, t->rank, n, NULL, 1, t->inverse ? out : in, NULL, 1, t->inverse ? in : out,
                                 t->real     ? real
                                 : t->single ? C2C
                                             : Z2Z,
                                 (int)t->batch);
        if (!error) error = f->set_stream(f->plan, b->queue->state);
        if (error) status = rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "cuFFT cannot create a plan: error %d", error);
    }
    return rw_peer_keep(peer, status, (rw_peer){{"cuFFT", call, f}, f, close_cufft});
}
