/* Shared by the solvers of this folder: arrays, kernels, reductions, and one table of functions per method. */
#ifndef RW_KRYLOV_H
#define RW_KRYLOV_H

#include "device/ranks.h"
#include "precond/precond.h"
#include "rechenwerk/krylov.h"

/* Scalars passed from iteration to iteration: name, index in the state of STATE values of f64. Kernels get these names,
 * and those of RW_KRYLOV_REASON_LIST, as definitions. */
/* clang-format off */
#define RW_KRYLOV_STATE_LIST(X)                                                                                        \
    X(RHO, 0)          /* and RHO + 1: (r, z), of BiCGStab (r0, r) */                                                  \
    X(ALPHA, 2)                                                                                                        \
    X(OMEGA, 4)                                                                                                        \
    X(RESIDUAL, 6)     /* |r| */                                                                                       \
    X(ITERATION, 7)                                                                                                    \
    X(REASON, 8)       /* -1: going on; else why it stopped */                                                         \
    X(TOLERANCE, 9)                                                                                                    \
    X(SCALE, 10)       /* GMRES: one over the length of the next vector */                                             \
    X(COLUMNS, 11)     /* GMRES: columns of the least squares problem that are ready */                                \
    X(MOST, 12)        /* iterations */                                                                                \
    X(RIGHT_SIDE, 13)  /* |b| */                                                                                       \
    X(LARGEST, 14)     /* GMRES: the largest |A v| so far */                                                           \
    X(ESTIMATE, 15)    /* GMRES: what |r| was taken for at the end of a cycle */                                       \
    X(STATE, 16)
/* clang-format on */
enum {
#define RW_X(name, at) RW_KRYLOV_AT_##name = at,
    RW_KRYLOV_STATE_LIST(RW_X)
#undef RW_X
};
enum { RW_KRYLOV_VECTORS = 8, RW_KRYLOV_FEW = 1280 };

/* Partial sums of a launch: `n` values of each sum in `now`; few: result of a first reduction if there are many. */
typedef struct rw_sums {
    rw_array *part, *few, *now;
    int64_t groups, n;
} rw_sums;

typedef struct rw_krylov_ops {
    const char *text[2]; /* its kernels, after krylov.k */
    int vectors, more;   /* besides x and b; more with a preconditioner */
    int iterations;      /* of a step */
    bool few_unknowns;   /* an item of vector kernels has one element */
    size_t state;        /* bytes of k->method, which starts as zeros */
    /* (optional) Definitions of its kernels: " NAME=VALUE NAME=VALUE". */
    void (*define)(rw_krylov *k, rw_text *definitions);
    /* Computes the first state (state 0) and everything that an iteration needs from b and k->x. */
    rw_status (*start)(rw_krylov *k, rw_array *b);
    /* Enqueues the iterations of one step, which is recorded and replayed. number: 0, 1, …; a cycle has `restart`
     * steps. In methods with cycles step j goes from state j mod 2 to the other state; in others a step ends in state
     * 0. */
    rw_status (*step)(rw_krylov *k, int number);
    /* (optional) Allocates the data of the method in addition to vectors and sums. */
    rw_status (*allocate)(rw_krylov *k);
    /* (optional) Bytes of these data for n unknowns. */
    int64_t (*memory)(const rw_krylov_spec *spec, int64_t n, rw_dtype vectors);
    /* (optional) After a cycle, or after the step in which the method stopped: goes from state `now` to state 0. */
    rw_status (*cycle)(rw_krylov *k, rw_array *b);
    rw_status (*clear)(rw_krylov *k); /* (optional) Clears what infinities may have left in the padding of vectors. */
    void (*free)(rw_krylov *k);       /* (optional) what k->method holds */
} rw_krylov_ops;

extern const rw_krylov_ops rw_krylov_cg, rw_krylov_single_cg, rw_krylov_bicgstab, rw_krylov_gmres, rw_krylov_fgmres,
    rw_krylov_plain_gmres, rw_krylov_idr;

/* Of a system that is solved as (2^-a A) (2^(a-b) x) = 2^-b b, preconditioned by 2^-m M: see scale.c. a and m are
 * retained for later solves, since recorded steps contain them. */
typedef struct rw_krylov_scale {
    bool on, tried; /* tried: rw_krylov_scale_begin has decided, or need not */
    int a, m, b, x; /* x: k->x is 2^x times the iterate */
    int in_x;       /* the largest entry of the iterate is about 2^in_x */
    double right;   /* 2^-b |b| */
} rw_krylov_scale;

struct rw_krylov {
    rw_device *device;
    rw_queue *queue;
    rw_operator *a;
    rw_precond *p;    /* NULL: none */
    rw_krylov *inner; /* preconditions instead of p; NULL: none */
    rw_array *right;  /* of an inner solver: its right-hand side */
    rw_krylov_spec spec;
    const rw_krylov_ops *ops;
    void *method; /* the method's own state */
    rw_dtype type;
    int64_t n, groups; /* of vector kernels */
    rw_program *program;
    /* x: the current iterate, separate from the x of the caller, so that recordings stay valid for any x */
    rw_array *vector[RW_KRYLOV_VECTORS], *x;
    rw_array *state[2], *history;
    rw_krylov_scale scale;
    rw_array *scaled; /* 2^-b b; NULL until a system needs it */
    bool probed;      /* of a solver with an inner one: whether A needs scaling is known */
    int now;          /* index of the latest state */
    /* iterations before the last restart from the true residual, or before the system was scaled; 0 in the first
     * pass */
    int64_t begun;
    /* status returned by the monitor, and its message ("": none) */
    rw_status stopped;
    char wish[256];
    double target; /* the pass ends where the recurrence reaches this fraction of the tolerance */
    rw_sums product, second, update;
    rw_sequence **sequence; /* of steps, made when first used */
};

/* Whether steps cannot be recorded: an inner solver records its own steps, and a direct operator may wait. */
static inline bool rw_krylov_direct(const rw_krylov *k)
{
    const rw_operator *m = k->spec.precond_operator;
    return k->inner || k->a->info.direct || (m && m->info.direct);
}
/* A cycle has one step per stored vector; methods without cycles have one step. */
static inline int rw_krylov_steps(const rw_krylov *k) { return k->ops->cycle ? k->spec.restart : 1; }
/* Dot products use one workgroup per tile, with four elements per work-item. */
enum { RW_KRYLOV_GROUP = 256, RW_KRYLOV_TILE = 4 * RW_KRYLOV_GROUP };
/* Launches of `groups` groups of a kernel. */
rw_status rw_krylov_launch(rw_krylov *k, const char *kernel, int64_t groups, int64_t more, const rw_arg *args,
                           int nargs);
/* y <- alpha A x + beta z, starting at x_from and y_from; also dot products with w if sums is not NULL. */
rw_status rw_krylov_product(rw_krylov *k, rw_operator *a, double alpha, rw_array *x, int64_t x_from, double beta,
                            rw_array *z, rw_array *y, int64_t y_from, rw_array *w, rw_sums *sums);
/* z <- M r, with the partial sums of conj(r) z in k->second. */
rw_status rw_krylov_precondition(rw_krylov *k, rw_array *r, rw_array *z);
/* Reduces many partial sums of each of `sums` sums to few. */
rw_status rw_krylov_reduce_partials(rw_krylov *k, rw_sums *s, int sums);
rw_status rw_krylov_sums(rw_krylov *k, rw_sums *s, int64_t groups, int sums);
void rw_krylov_sums_free(rw_sums *s);
/* y <- approximate solution for the right-hand side at `from` in b after the fixed number of iterations, with initial
 * guess 0; never waits. */
rw_status rw_krylov_apply(rw_krylov *k, rw_array *b, int64_t from, rw_array *y);
/* x <- the iterate that starts from 0 for b, after this number of iterations, which change nothing once the residual is
 * below rtol |b|. Kernels only, which may be recorded, and never waits: CG without an inner solver. */
rw_status rw_krylov_enqueue(rw_krylov *k, rw_array *b, rw_array *x, int64_t iterations, double rtol);
/* y <- x, y <- 0 by kernels, which may be recorded. */
rw_status rw_krylov_copy(rw_krylov *k, rw_array *x, rw_array *y);
rw_status rw_krylov_clear(rw_krylov *k, rw_array *y);
/* state 0 from the residual r and b. */
rw_status rw_krylov_begin(rw_krylov *k, rw_array *r, rw_array *b);
/* z <- M r, r at `from` of an array; of a scaled system 2^-m M r. */
rw_status rw_krylov_precond(rw_krylov *k, rw_array *r, int64_t from, rw_array *z);
/* Drops the recorded steps. */
void rw_krylov_forget(rw_krylov *k);

/* Of the next solves, as rw_krylov_spec.rtol. */
static inline void rw_krylov_set_rtol(rw_krylov *k, double rtol) { k->spec.rtol = rtol; }

/* ---- scaling (scale.c) ---- */

/* to <- 2^power from; both may be the same array. */
rw_status rw_krylov_rescale(rw_krylov *k, rw_array *from, rw_array *to, int power);
/* Whether |b| and the first |r|, as computed without scaling, require it. */
rw_status rw_krylov_scale_wanted(rw_krylov *k, rw_array *b, double right_side, double first, bool *wanted);
/* Whether the largest |A v| of GMRES requires it: its intermediate vectors reach |A|^2. 0: there is none. */
bool rw_krylov_scale_wanted_by(const rw_krylov *k, double largest);
/* Sets a, m and k->scale.on: whether the system is scaled; forced: always. k->x must be the unscaled iterate. */
rw_status rw_krylov_scale_begin(rw_krylov *k, rw_array *b, bool forced);
/* Before each pass: sets b, scales k->x to it, and k->scaled <- 2^-b b. */
rw_status rw_krylov_scale_pass(rw_krylov *k, rw_array *b);
/* The tolerance of a pass, in scaled numbers. */
double rw_krylov_scale_tolerance(const rw_krylov *k);
/* x <- the iterate, unless it under- or overflows: *fits is false, and k->scale.in_x shows which. */
rw_status rw_krylov_scale_end(rw_krylov *k, rw_array *x, bool *fits);

/* singular.c: if A times ones is 0, appends that, and the condition on b, to the text; otherwise leaves it unchanged.
 * For a system that was not solved to this tolerance. */
rw_status rw_krylov_explain_singular(rw_krylov *k, rw_array *b, double tolerance, rw_text *text);

#endif
