/* What the solvers of this folder share: arrays, kernels, sums; one table a method. */
#ifndef RW_KRYLOV_H
#define RW_KRYLOV_H

#include "rechenwerk/krylov.h"
#include "precond/precond.h"

/* name, the text that has it */
#define RW_KRYLOV_KERNELS(X)                                                                                           \
    X(take, krylov) X(combine, krylov) X(squares, krylov) X(inner, krylov) X(begin, krylov)                            \
    X(begin_rho, krylov) X(cg_update, cg) X(cg_direction, cg) X(cg_single, cg) X(bi_half, bicgstab)                    \
    X(bi_update, bicgstab) X(bi_direction, bicgstab) X(gm_again, gmres) X(gm_dots, gmres) X(gm_totals, gmres)          \
    X(gm_column, gmres) X(gm_update, gmres) X(gm_one, gmres) X(gm_plain_column, gmres) X(gm_scale, gmres)              \
    X(gm_solve, gmres) X(gm_combine, gmres) X(gm_add, gmres) X(idr_begin, idr) X(idr_first, idr)                       \
    X(idr_left, idr) X(idr_direction, idr) X(idr_scalars, idr) X(idr_update, idr) X(idr_omega, idr)                    \
    X(idr_relax, idr)

enum {
#define RW_X(name, text) RW_KRYLOV_K_##name,
    RW_KRYLOV_KERNELS(RW_X)
#undef RW_X
    RW_KRYLOV_NKERNELS
};

/* Numbers of a state, as in krylov.k. */
enum { RW_KRYLOV_RESIDUAL = 6, RW_KRYLOV_ITERATION = 7, RW_KRYLOV_WHY = 8, RW_KRYLOV_TOLERANCE = 9, RW_KRYLOV_MOST = 12, RW_KRYLOV_RIGHT_SIDE = 13, RW_KRYLOV_ESTIMATE = 15, RW_KRYLOV_STATE = 16 };
enum { RW_KRYLOV_VECTORS = 8, RW_KRYLOV_FEW = 1280 };

/* Sums that a launch has left: `n` numbers of each in `now`; few: what they are combined to where they are many. */
typedef struct rw_sums {
    rw_array *part, *few, *now;
    int64_t groups, n;
} rw_sums;

typedef struct rw_krylov_ops {
    const char *text;  /* its kernels, behind krylov.k */
    int vectors, more; /* besides x and b; more with a preconditioner */
    int iterations;    /* of a step */
    /* From b and k->x to the first state (state 0) and everything an iteration needs. */
    rw_status (*start)(rw_krylov *k, rw_array *b);
    /* A step puts iterations into the queue; it is recorded and replayed. step number 0, 1, …; a cycle is `restart` of them. With cycles step j goes from
     * state j mod 2 to the other, else a step ends in state 0. */
    rw_status (*step)(rw_krylov *k, int number);
    /* (optional) Room for what the method has beside vectors and sums. */
    rw_status (*allocate)(rw_krylov *k);
    /* (optional) Behind a cycle, or the step behind which the method has stopped: from state `now` to state 0. */
    rw_status (*cycle)(rw_krylov *k, rw_array *b);
} rw_krylov_ops;

extern const rw_krylov_ops rw_krylov_cg, rw_krylov_single_cg, rw_krylov_bicgstab, rw_krylov_gmres, rw_krylov_fgmres, rw_krylov_plain_gmres, rw_krylov_idr;

struct rw_krylov {
    rw_device *device;
    rw_queue *queue;
    rw_sparse *a;
    rw_precond *p; /* NULL: none */
    rw_krylov *inner; /* in its place; NULL: none */
    rw_array *right;  /* of an inner solver: its right-hand side */
    rw_krylov_spec spec;
    const rw_krylov_ops *ops;
    rw_dtype type;
    int64_t n, groups; /* of vector kernels */
    bool threads;      /* kernels for threads of a GPU */
    rw_program *program;
    rw_kernel *kernel[RW_KRYLOV_NKERNELS];
    rw_array *vector[RW_KRYLOV_VECTORS], *x; /* x: the solution while it is looked for, so that recordings hold for any x of the caller */
    rw_array *state[2], *history;
    int now; /* the state that is the latest */
    int64_t begun; /* iterations before the last restart from the true residual; 0 in the first pass, and of methods with
                      cycles */
    double target; /* the pass ends where the recurrence reaches this fraction of the tolerance */
    rw_array *omega; /* BiCGStab: omega on its way */
    rw_array *basis, *small, *totals, **flexible; /* GMRES: basis, least squares problem; flexible: P v of each vector */
    int64_t pitch;   /* from one vector of the basis to the next */
    int deep, tiles; /* GMRES: vectors, and tiles of them, of a group of sums */
    rw_sums product, second, update, dots, one[2]; /* one: they take turns */
    rw_sequence **sequence; /* of steps, made when first used */
};

/* A cycle has one step per stored vector; methods without cycles have one step. */
static inline int rw_krylov_steps(const rw_krylov *k) { return k->ops->cycle ? k->spec.restart : 1; }
/* Columns that a least squares problem has room for: of few sizes, so that few programs are made. */
static inline int rw_krylov_room(int restart) { return restart <= 31 ? 31 : restart <= 127 ? 127 : 1000; }
/* Numbers of a least squares problem and what belongs to it, see gmres.k. */
static inline int64_t rw_krylov_small(int restart)
{
    const int64_t room = rw_krylov_room(restart);
    return 2 * room * (room + 1) + 2 * room + 4 * (room + 1);
}
/* Numbers from one vector of a basis to the next: whole tiles, of four numbers an item. */
enum { RW_KRYLOV_GROUP = 256, RW_KRYLOV_TILE = 4 * RW_KRYLOV_GROUP };
static inline int64_t rw_krylov_pitch(int64_t n) { return RW_MAX((n + RW_KRYLOV_TILE - 1) / RW_KRYLOV_TILE, 1) * RW_KRYLOV_TILE; }
/* Launches of `groups` groups of a kernel. */
rw_status rw_krylov_launch(rw_krylov *k, int kernel, int64_t groups, int64_t more, const rw_arg *args, int nargs);
/* y <- alpha A x + beta z, at places of arrays; with sums of `w` when sums is not NULL. */
rw_status rw_krylov_product(rw_krylov *k, rw_sparse *m, double alpha, rw_array *x, int64_t x_from, double beta, rw_array *z, rw_array *y, int64_t y_from, rw_array *w, rw_sums *sums);
/* z <- M r with the sum conj(r) z in k->second. */
rw_status rw_krylov_precondition(rw_krylov *k, rw_array *r, rw_array *z);
/* Makes `sums` numbers of each few. */
rw_status rw_krylov_settle(rw_krylov *k, rw_sums *s, int sums);
rw_status rw_krylov_sums(rw_krylov *k, rw_sums *s, int64_t groups, int sums);
/* y <- what the solver's iterations make of the vector at `from` in b, beginning with 0; nothing waits. */
rw_status rw_krylov_apply(rw_krylov *k, rw_array *b, int64_t from, rw_array *y);
/* state 0 from the residual r and b. */
rw_status rw_krylov_begin(rw_krylov *k, rw_array *r, rw_array *b);

#endif
