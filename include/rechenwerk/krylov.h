/* Solvers of linear systems A x = b by Krylov subspaces, on the device: vectors and scalars stay there, iterations are
 * recorded sequences, and the host looks at the residual now and then.
 *
 *   rw_krylov_spec spec = {.method = RW_KRYLOV_GMRES, .rtol = 1e-8, .precond = {.method = RW_PRECOND_ILU}};
 *   rw_krylov_create(rw_sparse_operator(A), RW_C128, &spec, &solver);
 *   rw_krylov_solve(solver, b, x, &result);        x: the first guess, then the solution */
#ifndef RECHENWERK_KRYLOV_H
#define RECHENWERK_KRYLOV_H

#include <signal.h>

#include "rechenwerk/precond.h"

#ifdef __cplusplus
extern "C" {
#endif

/* name, text, one line */
/* clang-format off */
#define RW_KRYLOV_METHOD_LIST(X)                                                                                       \
    X(CG, "cg", "conjugate gradients: hermitian, positive definite matrices")                                          \
    X(BICGSTAB, "bicgstab", "stabilised bi-conjugate gradients: any matrix, little memory")                            \
    X(GMRES, "gmres", "generalised minimal residuals with restarts: any matrix, a vector an iteration")                \
    X(FGMRES, "fgmres",                                                                                                \
      "flexible gmres: its preconditioner may change, as an inner solver does; two vectors an iteration")              \
    X(IDR, "idr", "induced dimension reduction, IDR(s): any matrix, short recurrences")
/* clang-format on */

typedef enum rw_krylov_method {
    RW_KRYLOV_DEFAULT, /* gmres */
#define RW_X(name, text, line) RW_KRYLOV_##name,
    RW_KRYLOV_METHOD_LIST(RW_X)
#undef RW_X
        RW_KRYLOV_METHODS
} rw_krylov_method;
RW_API const char *rw_krylov_method_name(rw_krylov_method method);

/* How GMRES makes a vector orthogonal to those before. CLASSICAL: by classical Gram-Schmidt twice, the second time
 * together with the next vector's first, which reads the basis twice an iteration and has one sum. MODIFIED: by
 * modified Gram-Schmidt, vector after vector; fgmres has no other. */
typedef enum rw_krylov_orthogonal {
    RW_KRYLOV_ORTHOGONAL_DEFAULT,
    RW_KRYLOV_CLASSICAL,
    RW_KRYLOV_MODIFIED
} rw_krylov_orthogonal;

/* Why a solver stopped: name, text */
/* clang-format off */
#define RW_KRYLOV_REASON_LIST(X)                                                                                       \
    X(CONVERGED, "the residual is small enough")                                                                       \
    X(ITERATIONS, "the largest number of iterations is reached")                                                       \
    X(STAGNATION, "stagnation: the residual does not decrease")                                                        \
    X(BREAKDOWN, "a division by zero: the method cannot go on")                                                        \
    X(INDEFINITE, "the matrix, or the preconditioner, is not positive definite")                                       \
    X(NOT_FINITE, "the residual is not a finite number")                                                               \
    X(INTERRUPTED, "interrupted at the user's wish")
/* clang-format on */

typedef enum rw_krylov_reason {
#define RW_X(name, text) RW_KRYLOV_##name,
    RW_KRYLOV_REASON_LIST(RW_X)
#undef RW_X
} rw_krylov_reason;
RW_API const char *rw_krylov_reason_text(rw_krylov_reason reason);

/* Called on the host with residuals as they become known, in order: |r| of iteration 0, 1, … as the method has it. */
typedef void rw_krylov_monitor(void *user, int64_t iteration, double residual);

/* 0 is the default of every member; RW_OFF switches a tolerance off. Limits and texts: rw_krylov_params. */
typedef struct rw_krylov_spec {
    rw_krylov_method method; /* (default: gmres) */
    /* Converged: |b - A x| <= max(rtol |b|, atol), in the Euclidean norm, without the preconditioner, computed from x
     * at the end. */
    double rtol;        /* (default: 1e-8) */
    double atol;        /* (default: off) */
    int64_t iterations; /* most of them (default: 10000) */
    /* GMRES, FGMRES: vectors stored before a restart, 1 to 1000. IDR: s, the dimension of the shadow space, 1 to 16.
     * (default: 30; idr: 4) */
    int restart;
    rw_krylov_orthogonal orthogonal; /* GMRES (default: classical) */
    rw_precond_spec precond;         /* (default: none) */
    /* FGMRES: a solver in the place of its preconditioner, which makes its `iterations` (10 where they are 0), or fewer
     * where its tolerance is reached. It may have a preconditioner, but no inner solver and no monitor. Needed until
     * the solver is made. NULL: none. */
    const struct rw_krylov_spec *inner;
    rw_krylov_monitor *monitor; /* NULL: none */
    void *user;
    /* Not 0: the iteration after the next poll of the residual is the last, as with so many asked for; the handler of a
     * signal or the monitor may set it. NULL: none. */
    const volatile sig_atomic_t *interrupt;
} rw_krylov_spec;

/* Rows of rw_krylov_spec, for rw_params_parse: "gmres:restart=50:rtol=1e-6:precond=ilu0". */
RW_API const rw_params *rw_krylov_params(void);
/* Reads such a text; `inner`, `monitor`, `user` and `interrupt` become NULL. ERR_ARGUMENT with the nearest name, or
 * what is allowed; ERR_MEMORY. */
RW_API rw_status rw_krylov_parse(rw_context *context, const char *text, rw_krylov_spec *spec);

typedef struct rw_krylov_result {
    rw_krylov_reason reason;
    /* products with A that were used, but for those of restarts and of the residual at the end */
    int64_t iterations;
    double first; /* |b - A x| of the first guess */
    /* |b - A x| of x, computed at the end: a product in the type of the vectors, whose rounding error is about
     * eps |A| |x| */
    double residual;
    double estimate;   /* |r| of the method's recurrence at the end of the last pass */
    double right_side; /* |b| */
    double seconds;
} rw_krylov_result;

typedef struct rw_krylov rw_krylov;

/* A solver for a square operator (rw_sparse_operator of a matrix) and vectors of type `vectors` (complex for a
 * complex operator). It keeps a reference to the operator; after its values have changed the preconditioner is still
 * that of the old ones, see rw_krylov_update. GMRES takes restart + 3 vectors of memory, FGMRES as many more as it
 * restarts and those of its inner solver, CG 4 to 6, BiCGStab 6, IDR 3 s + 5, a preconditioner up to 2 more and what
 * its info says. ERR_ARGUMENT; ERR_INPUT: what the preconditioner does not accept, with the row; ERR_MEMORY;
 * ERR_COMPILE. */
RW_API rw_status rw_krylov_create(rw_operator *op, rw_dtype vectors, const rw_krylov_spec *spec, rw_krylov **solver);
RW_API void rw_krylov_destroy(rw_krylov **solver);
/* Makes the preconditioner anew, its inner solver's too, from the values that the matrix has now; without one it does
 * nothing. A solve uses the new values in any case: with a preconditioner of values that have changed a little it
 * converges too. ERR_INPUT, ERR_MEMORY: the old one, which stays beside the new one until that is made, is kept. */
RW_API rw_status rw_krylov_update(rw_krylov *solver);
/* What its preconditioner is; all 0 without one. */
RW_API rw_precond_info rw_krylov_get_precond(const rw_krylov *solver);

/* Solves A x = b; x is the first guess. For b = 0 without atol x becomes 0.
 * OK: converged, |b - A x| <= max(rtol |b|, atol) for the x returned. Where only the recurrence of CG, BiCGStab or IDR
 * is below the tolerance, the method restarts from b - A x, with the number of iterations going on, as long as each
 * restart halves |b - A x|; otherwise it ends with the reason STAGNATION. GMRES computes b - A x after each cycle.
 * ERR_NOT_CONVERGED, ERR_INTERRUPTED: any other reason. x is the best solution of all passes, or still the first guess
 * where each is worse; *result is filled; the message has |b - A x| and the recurrence's |r|. ERR_INPUT: the largest
 * entry of b is below 1e-140: its square underflows in f64.
 * Works in the device's queue, which must not be recording, and waits for the end. Sources: docs/methods/krylov.md. */
RW_API rw_status rw_krylov_solve(rw_krylov *solver, rw_array *b, rw_array *x, rw_krylov_result *result);

/* Bytes of the vectors that such a solver takes for n unknowns besides b and x; without the matrix of the
 * preconditioner, and what is small. */
RW_API int64_t rw_krylov_memory(const rw_krylov_spec *spec, int64_t n, rw_dtype vectors);

#ifdef __cplusplus
}
#endif
#endif
