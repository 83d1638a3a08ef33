/* What the solvers of this folder share: arrays, kernels, sums; one table a method. */
#ifndef RW_KRYLOV_H
#define RW_KRYLOV_H

#include "device/ranks.h"
#include "precond/precond.h"
#include "rechenwerk/krylov.h"

/* What an iteration hands on: name, its place in a state of STATE numbers f64. Kernels have these names, and those of
 * RW_KRYLOV_REASON_LIST, as definitions. */
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

/* Sums that a launch has left: `n` numbers of each in `now`; few: what they are combined to where they are many. */
typedef struct rw_sums {
    rw_array *part, *few, *now;
    int64_t groups, n;
} rw_sums;

typedef struct rw_krylov_ops {
    const char *text[2]; /* its kernels, after krylov.k */
    int vectors, more;   /* besides x and b; more with a preconditioner */
    int iterations;      /* of a step */
    bool few_unknowns;   /* an item of vector kernels has one element */
    size_t state;        /* bytes of k->method, zeroed before all else */
    /* (optional) Definitions of its kernels: " NAME=VALUE NAME=VALUE". */
    void (*define)(rw_krylov *k, rw_text *definitions);
    /* From b and k->x to the first state (state 0) and everything an iteration needs. */
    rw_status (*start)(rw_krylov *k, rw_array *b);
    /* A step puts iterations into the queue; it is recorded and replayed. step number 0, 1, …; a cycle is `restart`
     * of them. With cycles step j goes from state j mod 2 to the other, else a step ends in state 0. */
    rw_status (*step)(rw_krylov *k, int number);
    /* (optional) Room for what the method has beside vectors and sums. */
    rw_status (*allocate)(rw_krylov *k);
    /* (optional) Bytes of that room for n unknowns. */
    int64_t (*memory)(const rw_krylov_spec *spec, int64_t n, rw_dtype vectors);
    /* (optional) Behind a cycle, or the step behind which the method has stopped: from state `now` to state 0. */
    rw_status (*cycle)(rw_krylov *k, rw_array *b);
    void (*free)(rw_krylov *k); /* (optional) what k->method holds */
} rw_krylov_ops;

extern const rw_krylov_ops rw_krylov_cg, rw_krylov_single_cg, rw_krylov_bicgstab, rw_krylov_gmres, rw_krylov_fgmres,
    rw_krylov_plain_gmres, rw_krylov_idr;

struct rw_krylov {
    rw_device *device;
    rw_queue *queue;
    rw_operator *a;
    rw_precond *p;    /* NULL: none */
    rw_krylov *inner; /* in its place; NULL: none */
    rw_array *right;  /* of an inner solver: its right-hand side */
    rw_krylov_spec spec;
    const rw_krylov_ops *ops;
    void *method; /* the method's own state */
    rw_dtype type;
    int64_t n, groups; /* of vector kernels */
    rw_program *program;
    /* x: the solution while it is looked for, so that recordings hold for any x of the caller */
    rw_array *vector[RW_KRYLOV_VECTORS], *x;
    rw_array *state[2], *history;
    int now; /* the state that is the latest */
    /* iterations before the last restart from the true residual; 0 in the first pass, and of methods with cycles */
    int64_t begun;
    /* what the monitor has returned, OK: nothing; its message, "" when it has set none */
    rw_status stopped;
    char wish[256];
    double target; /* the pass ends where the recurrence reaches this fraction of the tolerance */
    rw_sums product, second, update;
    rw_sequence **sequence; /* of steps, made when first used */
};

/* Its steps cannot be recorded: an inner solver's are recorded themselves, a direct operator's may wait. */
static inline bool rw_krylov_direct(const rw_krylov *k)
{
    const rw_operator *m = k->spec.precond_operator;
    return k->inner || k->a->info.direct || (m && m->info.direct);
}
/* A cycle has one step per stored vector; methods without cycles have one step. */
static inline int rw_krylov_steps(const rw_krylov *k) { return k->ops->cycle ? k->spec.restart : 1; }
/* Sums have a group for a tile, of four elements an item. */
enum { RW_KRYLOV_GROUP = 256, RW_KRYLOV_TILE = 4 * RW_KRYLOV_GROUP };
/* Launches of `groups` groups of a kernel. */
rw_status rw_krylov_launch(rw_krylov *k, const char *kernel, int64_t groups, int64_t more, const rw_arg *args,
                           int nargs);
/* y <- alpha A x + beta z, at places of arrays; with sums of `w` when sums is not NULL. */
rw_status rw_krylov_product(rw_krylov *k, rw_operator *a, double alpha, rw_array *x, int64_t x_from, double beta,
                            rw_array *z, rw_array *y, int64_t y_from, rw_array *w, rw_sums *sums);
/* z <- M r with the sum conj(r) z in k->second. */
rw_status rw_krylov_precondition(rw_krylov *k, rw_array *r, rw_array *z);
/* Makes `sums` numbers of each few. */
rw_status rw_krylov_settle(rw_krylov *k, rw_sums *s, int sums);
rw_status rw_krylov_sums(rw_krylov *k, rw_sums *s, int64_t groups, int sums);
void rw_krylov_sums_free(rw_sums *s);
/* y <- what the solver's iterations make of the vector at `from` in b, beginning with 0; nothing waits. */
rw_status rw_krylov_apply(rw_krylov *k, rw_array *b, int64_t from, rw_array *y);
/* state 0 from the residual r and b. */
rw_status rw_krylov_begin(rw_krylov *k, rw_array *r, rw_array *b);

#endif
