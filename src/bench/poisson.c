/* Poisson's equation as a user of FFTW or cuFFT solves it, f64: a transform forward, the division by the eigenvalues of
 * the second differences and by the scale of both transforms, a transform back.
 *
 *   f -> z,   z <- z / (scale (e_k + e_l …)),   z -> u      e_k = -(2 sin(theta_k / 2) / h)^2
 *
 *   sides       transforms                  theta_k                scale per axis
 *   0, cells    sines of type II and III    pi (k + 1) / n         2 n
 *   0, nodes    sines of type I             pi (k + 1) / (n + 1)   2 (n + 1)
 *   periodic    real                        2 pi k / n             n
 *
 * FFTW on the cpu device; cuFFT, which has no sines, on cuda devices. */
#include <math.h>
#include <string.h>

#include "bench/bench.h"

enum { FORTH, BACK };

typedef struct chain {
    rw_peers transforms;
    rw_array *z, *outer, *inner; /* eigenvalues times scale: of the other axes, a row each; of the last axis */
    rw_program *program;
    rw_kernel *divide;
    rw_queue *queue;
} chain;

static rw_status transform(chain *c, int which, int round)
{
    const rw_contestant *t = &c->transforms.peer[which].contestant;
    return t->call(t->user, round);
}

static rw_status call(void *user, int round)
{
    chain *c = user;
    const rw_arg args[] = {rw_arg_array(c->z), rw_arg_array(c->outer), rw_arg_array(c->inner),
                           rw_arg_int(c->inner->size)};
    RW_TRY(transform(c, FORTH, round));
    RW_TRY(rw_launch(c->queue, c->divide, (const int64_t[]){c->outer->size, 1, 1}, args, RW_COUNT(args)));
    return transform(c, BACK, round);
}

static void close_chain(void *state)
{
    chain *c = state;
    for (int i = 0; i < c->transforms.n; ++i) c->transforms.peer[i].close(c->transforms.peer[i].state);
    rw_array_destroy(&c->z);
    rw_array_destroy(&c->outer);
    rw_array_destroy(&c->inner);
    rw_program_destroy(&c->program);
    rw_free(c);
}

static double eigenvalue(const rw_bench_poisson *p, int64_t k)
{
    static const double pi = 3.14159265358979323846;
    const double periods = p->sines ? (double)(k + 1) / 2 : (double)k,
                 half = pi * periods / (double)(p->n + (p->sines == 1)), s = 2 * sin(half) / p->h;
    return -s * s;
}

static double scale(const rw_bench_poisson *p)
{
    return pow((double)(p->sines == 0 ? p->n : p->sines == 1 ? 2 * (p->n + 1) : 2 * p->n), p->ndim);
}

static rw_status make_eigenvalues(rw_bench *b, const rw_bench_poisson *p, chain *c, int64_t rows, int64_t length)
{
    void *outer, *inner;
    const int64_t parts = p->sines ? 1 : 2; /* of a complex number */
    RW_TRY(rw_bench_array(b, RW_F64, rows, &c->outer));
    RW_TRY(rw_bench_array(b, RW_F64, length, &c->inner));
    RW_TRY(rw_array_write(c->outer, &outer));
    RW_TRY(rw_array_write(c->inner, &inner));
    for (int64_t i = 0; i < rows; ++i)
        ((double *)outer)[i] = scale(p) * (eigenvalue(p, i % p->n) + (p->ndim == 3 ? eigenvalue(p, i / p->n) : 0));
    for (int64_t i = 0; i < length; ++i) ((double *)inner)[i] = scale(p) * eigenvalue(p, i / parts);
    return RW_OK;
}

static rw_status make(rw_bench *b, const rw_bench_poisson *p, rw_array *f, rw_array *u, chain *c)
{
    const int64_t rows = p->ndim == 3 ? p->n * p->n : p->n, length = p->sines ? p->n : 2 * (p->n / 2 + 1);
    rw_bench_transform t = {.rank = p->ndim, .shape = {p->n, p->n, p->n}, .batch = 1, .real = true, .sines = p->sines};
    c->queue = b->queue;
    RW_TRY(rw_bench_array(b, RW_F64, rows * length, &c->z));
    RW_TRY(rw_bench_poison(c->z));
    RW_TRY(rw_transform_peer(b, &t, f, c->z, &c->transforms));
    t.inverse = true;
    t.sines = p->sines == 2 ? 3 : p->sines;
    RW_TRY(rw_transform_peer(b, &t, c->z, u, &c->transforms));
    RW_TRY(make_eigenvalues(b, p, c, rows, length));
    RW_TRY(rw_bench_program(b, "poisson.k", "GROUP=256", &c->program));
    return rw_program_kernel(c->program, "divide", &c->divide);
}

rw_status rw_poisson_open(rw_bench *b, const rw_bench_poisson *p, rw_array *f, rw_array *u, rw_peer *peer)
{
    const char *kind = b->dev->info.kind;
    const bool cuda = !strcmp(kind, "cuda");
    if (cuda ? p->sines : strcmp(kind, "cpu") != 0)
        return rw_fail(b->ctx, RW_ERR_UNSUPPORTED, "no transforms of another library for %s", b->dev->info.name);
    chain *c = rw_calloc(1, sizeof *c);
    if (!c) return rw_fail_memory(b->ctx, sizeof *c, "a comparison library");
    const char *name = cuda ? "cuFFT D2Z, divide, Z2D" : p->sines ? "FFTW r2r" : "FFTW r2c";
    return rw_peer_keep(peer, make(b, p, f, u, c), (rw_peer){{name, call, c}, c, close_chain});
}
