/* Shared by the files of this folder.
 *
 *   run.c      the table of benchmarks, rw_bench_run     task.c     a row of a piece of work: error, peers, times
 *   measure.c  a row from turns
 *   limit.c    copy or STREAM                            host.c     peers in C, compiled at run time from host.k
 *   data.c     random inputs, programs, small helpers    format.c   rows as text, Markdown, JSON
 *   sparse.c stencils.c   matrices of rw_sparse, and none   products.c formats.c   one matrix in several layouts
 *   contest.c  a product or a solve
 *   fft256.c filter.c dot.c        the spine
 *   rates.c laser.c rkc.c rock.c launch.c    through the expression compiler, with equation.c
 *   steps.c                        whole steps of rw_ode
 *   fft.c convolution.c            transforms of the library
 *   tridiagonal.c elliptic.c       tridiagonal systems and whole solves of src/elliptic
 *   flow.c                         plane flow by rw_ode with its solves
 *   image.c                        image filters of the library
 *   fftw.c cufft.c cusparse.c      peers in libraries that are opened if they are there
 *   poisson.c                      Poisson's equation by their transforms */
#ifndef RW_BENCH_INTERNAL_H
#define RW_BENCH_INTERNAL_H

#include "bench/benchmarks.h"
#include "measure/measure.h"
#include "rechenwerk/krylov.h"

enum { RW_BENCH_DEFINITIONS = 256 };

typedef struct rw_limit rw_limit;

/* One run on one device. */
typedef struct rw_bench {
    rw_context *ctx;
    rw_device *dev;
    rw_queue *queue;
    rw_bench_options options;
    bool lanes;      /* items of a group are lanes of a processor's vectors (cpu, check), else threads */
    bool evicts;     /* the limit's arrays exceed the caches, in quick runs too */
    bool rated;      /* the limit is stored as the copy rate of the device */
    int threads;     /* of peers on the host */
    void *host;      /* the library of host.k, opened at first use */
    rw_limit *limit; /* likewise */
    rw_bench_result *rows;
    int nrows, capacity;
} rw_bench;

/* A benchmark. `check` runs variant `variant` at the small size n (meaning defined by the benchmark) on the device
 * after filling the output with NaN, and returns the largest error and the tolerance. `sizes` include sizes around tile
 * edges; those up to `small` suit the check device. */
typedef struct rw_bench_case {
    rw_status (*run)(rw_bench *b);
    int nvariants;
    rw_status (*check)(rw_bench *b, int64_t n, int variant, double *error, double *tolerance);
    const int64_t *sizes; /* ends with -1 */
    int64_t small;
    /* (optional) The kernel source of a variant and its definitions; NULL: the source is generated elsewhere. */
    const char *(*source)(int variant, char definitions[RW_BENCH_DEFINITIONS]);
} rw_bench_case;

#define RW_X(name, spine, line) extern const rw_bench_case rw_bench_##name;
#include "bench/bench.def"
#undef RW_X
const rw_bench_case *rw_bench_find(const char *name); /* NULL: no such benchmark */
/* The first variant or all, small sizes or all: RW_ERR_CHECK names the first that is wrong. */
rw_status rw_bench_check(rw_bench *b, const char *name, bool small, bool first);

rw_status rw_bench_begin(rw_bench *b, rw_context *ctx, rw_device *dev, const rw_bench_options *options);
void rw_bench_end(rw_bench *b); /* rows too */

/* ---- task.c ------------------------------------------------------------------------------------------------------ */

/* Another library, or a loop of host.k, with what it has opened. */
typedef struct rw_peer {
    rw_contestant contestant;
    void *state;
    void (*close)(void *state); /* (optional) */
} rw_peer;

typedef struct rw_peers {
    int n;
    rw_peer peer[RW_BENCH_PEERS];
} rw_peers;

/* How a piece of work, the benchmark's own structure, is checked and timed. */
typedef struct rw_bench_task {
    rw_repetition *call;
    /* (optional) The error of the result of one call. */
    rw_status (*error)(rw_bench *b, void *work, double *worst);
    /* (optional) Adds peers. A failure is no failure of the row; it is logged unless it is ERR_UNSUPPORTED. */
    rw_status (*peers)(rw_bench *b, void *work, rw_peers *peers);
    void (*free)(void *work); /* (optional) */
} rw_bench_task;

/* The error of one call. `made` is the status of what made the work, which is freed in any case. */
rw_status rw_bench_verify(rw_bench *b, const rw_bench_task *task, void *work, rw_status made, double *worst);
/* Adds the row, whose texts, bytes or steps, and tolerance are set: error, times, and whether `target` is reached by
 * the fraction of the limit, or by the ratio to the peer `of`; 0: no target. Frees the work likewise. */
rw_status rw_bench_measure(rw_bench *b, const rw_bench_task *task, void *work, rw_status made, double target,
                           const char *of, rw_bench_result *row);
void rw_peers_add(rw_peers *peers, const char *name, rw_repetition *call, void *user);

/* ---- measure.c ------------------------------------------------------------------------------------------------ */

/* Times our code, the peers and the limit in turns, and fills row: seconds, quartiles, rate, fraction of the limit,
 * ratios. row->bytes must be set; bytes = 0: no limit is measured. */
rw_status rw_bench_compare(rw_bench *b, const rw_contestant *ours, const rw_contestant *peers, int npeers,
                           rw_bench_result *row);
/* Times `ours` warm (calls in a loop) and cold (a single call after the copy, which evicts its data from the caches)
 * and fills row: seconds and quartiles of both, the limit, and the fraction of the limit for the warm time. row->bytes
 * must be set. */
rw_status rw_bench_warm_and_cold(rw_bench *b, const rw_contestant *ours, rw_bench_result *row);
/* Appends a copy of the row. */
rw_status rw_bench_add(rw_bench *b, const rw_bench_result *row);
/* Sets the target ">= 0.97 LIMIT", for the fraction of the limit or the ratio to the peer `of`, and whether it is
 * reached. Only for GPUs and the cpu device, not in quick runs. */
void rw_bench_target(const rw_bench *b, rw_bench_result *row, double at_least, const char *of);

/* ---- limit.c ---------------------------------------------------------------------------------------------------- */

/* Contestants of the limit (one on a GPU, copy and triad on a processor) and the bytes of a repetition. */
rw_status rw_limit_open(rw_bench *b);
/* From here on the limit's arrays exceed the caches, in quick runs too. The check device has none. */
void rw_limit_evict(rw_bench *b);
void rw_limit_close(rw_limit **limit);
int rw_limit_contestants(const rw_limit *limit, rw_contestant c[2], double bytes[2]);

/* ---- host.c ------------------------------------------------------------------------------------------------------ */

/* The functions of host.k, compiled by the system's C compiler for this processor. */
void rw_host_close(rw_bench *b);
/* Stores a function in the pointer `function`; false: not available (no compiler, a GPU). */
bool rw_host_function(rw_bench *b, const char *name, void *function);
/* The same for peers, if they are wanted. */
bool rw_host_loop(rw_bench *b, const char *name, void *function);

/* ---- products.c -------------------------------------------------------------------------------------------------- */

/* A row for each candidate, see rw_bench_products. */
rw_status rw_bench_layouts(rw_bench *b, const rw_entries *entries, rw_dtype vectors,
                           const rw_sparse_candidate *candidates, int n);

/* ---- contest.c --------------------------------------------------------------------------------------------------- */

/* A product y = A x, and a solve of A y = x that makes the given number of iterations: a tolerance that is never
 * reached. Both are repetitions; a solver that stops earlier is an error. */
typedef struct rw_contest {
    rw_sparse *m;
    rw_operator *a; /* of solves; a matrix-free one is owned */
    rw_krylov *k;
    rw_array *x, *y;
    rw_queue *queue;
    int64_t iterations;
} rw_contest;
rw_repetition rw_contest_multiply, rw_contest_solve;
rw_status rw_contest_vectors(rw_bench *b, rw_dtype dtype, int64_t columns, int64_t rows, rw_contest *c);
void rw_contest_free(void *contest);

/* ---- stencils.c -------------------------------------------------------------------------------------------------- */

/* Rows of `krylov`: a stencil with and without its matrix. */
rw_status rw_bench_stencil_solvers(rw_bench *b);
/* 0.1 u minus the sum of second differences on n^3 cells, 0 beyond the sides; f64. */
rw_status rw_bench_laplace(rw_bench *b, int64_t n, rw_sparse **m);

/* ---- data.c ------------------------------------------------------------------------------------------------------ */

rw_status rw_bench_array(rw_bench *b, rw_dtype dtype, int64_t n, rw_array **array);
/* NaN in every element. */
rw_status rw_bench_poison(rw_array *array);
/* An array of the host for the result of a peer. */
rw_status rw_bench_output(rw_bench *b, rw_dtype dtype, int64_t n, rw_array **array, void **values);
/* A program of the library's own text with definitions given as "NAME=VALUE NAME=VALUE …". */
rw_status rw_bench_program(rw_bench *b, const char *file, const char *definitions, rw_program **program);

/* Columns of row i, ascending; the number of them. A cell i of n^3 and its neighbours along the axes, up to `reach`
 * away. */
int64_t rw_bench_stencil(int64_t n, int reach, int64_t i, int64_t *column);
/* `length` of at most `most` columns, anywhere. */
int64_t rw_bench_spread(int64_t rows, int64_t i, int64_t length, int64_t most, int64_t *column);

/* ---- equation.c -------------------------------------------------------------------------------------------------- */

/* The first member of a benchmark's work, so that one pointer is both. */
enum { RW_EQUATION_FIELDS = 8 };
typedef struct rw_equation {
    int64_t cells;
    int nfields;
    rw_array *field[RW_EQUATION_FIELDS];
    const double *host[RW_EQUATION_FIELDS]; /* their values, after rw_equation_read */
    rw_expr *expr;
    rw_queue *queue;
    int threads; /* of the peer on the host, which writes to `out` */
    rw_array *output;
    void *out;
} rw_equation;

typedef struct rw_equation_spec {
    rw_expr_spec program; /* without fields */
    int n;
    const char *const *names; /* [n] */
    const double *low;        /* [n] values are uniform in [low, low + 1) by seed + f; NaN: all are NaN */
    uint64_t seed;
    const rw_boundary *side; /* (optional) of all fields on all sides */
} rw_equation_spec;

rw_status rw_equation_make(rw_bench *b, const rw_equation_spec *spec, rw_equation *equation);
void rw_equation_free(void *equation);
rw_repetition rw_equation_run;
rw_status rw_equation_read(rw_equation *equation);
/* Adds the peer "C loop", whose user is the equation. */
rw_status rw_equation_add_loop(rw_bench *b, rw_equation *equation, rw_repetition *loop, rw_peers *peers);

/* ---- peers ------------------------------------------------------------------------------------------------------- */

/* The _open functions return RW_ERR_UNSUPPORTED if the library is missing. */

/* Keeps an opened peer, or closes it after a failure; returns the status. */
rw_status rw_peer_keep(rw_peer *peer, rw_status status, rw_peer opened);

/* Transforms out of place, one after another without gaps: complex, or `real` to half a spectrum; with `inverse`, where
 * `real`, back. */
typedef struct rw_bench_transform {
    int rank;
    int64_t shape[3], batch;
    bool single, real, inverse;
    int sines; /* (FFTW, real) 1, 2, 3: of this type along all axes, from real to real; 0: none */
} rw_bench_transform;
rw_status rw_fftw_open(rw_bench *b, const rw_bench_transform *t, const void *x, void *y, rw_peer *peer);
rw_status rw_cufft_open(rw_bench *b, const rw_bench_transform *t, rw_array *x, rw_array *y, rw_peer *peer);
/* y = A x for a matrix in csr or bcsr of 32-bit indices whose values have x's type; matrix and x must stay. */
rw_status rw_cusparse_open(rw_bench *b, rw_sparse *matrix, rw_array *x, rw_peer *peer);
/* Adds cuFFT or FFTW, of x to y, if peers are wanted. */
rw_status rw_transform_peer(rw_bench *b, const rw_bench_transform *t, rw_array *x, rw_array *y, rw_peers *peers);

/* laplace(u) = f on n^ndim points by these transforms, if peers are wanted; the mean of u is 0 if it is periodic. */
typedef struct rw_bench_poisson {
    int ndim;
    int64_t n;
    double h;  /* spacing */
    int sines; /* 1: nodes, 2: cells, 0 on the sides; 0: periodic */
} rw_bench_poisson;
rw_status rw_poisson_open(rw_bench *b, const rw_bench_poisson *p, rw_array *f, rw_array *u, rw_peer *peer);

#endif
