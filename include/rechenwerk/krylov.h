/* Krylov subspace solvers for linear systems A x = b on a device. Vectors, scalars and reductions stay on the device;
 * iterations are recorded sequences; the host polls the residual now and then.
 *
 *   rw_krylov_spec spec = {.method = RW_KRYLOV_GMRES, .rtol = 1e-8, .precond = {.method = RW_PRECOND_ILU}};
 *   rw_krylov_create(rw_sparse_operator(A), RW_C128, &spec, &solver);
 *   rw_krylov_solve(solver, b, x, &result);        x: the initial guess, then the solution
 *
 * Sources: docs/methods/krylov.md. */
#ifndef RECHENWERK_KRYLOV_H
#define RECHENWERK_KRYLOV_H

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
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_krylov_method_name(rw_krylov_method value);
RW_API rw_status rw_krylov_method_parse(rw_context *context, const char *name, rw_krylov_method *value);

/* Orthogonalisation of GMRES.
 * CLASSICAL: classical Gram-Schmidt with delayed reorthogonalisation. One reduction and two reads of the basis per
 *     iteration.
 * MODIFIED: modified Gram-Schmidt, one reduction per basis vector. FGMRES has no other. */
typedef enum rw_krylov_orthogonal {
    RW_KRYLOV_ORTHOGONAL_DEFAULT,
    RW_KRYLOV_CLASSICAL,
    RW_KRYLOV_MODIFIED
} rw_krylov_orthogonal;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_krylov_orthogonal_name(rw_krylov_orthogonal value);
RW_API rw_status rw_krylov_orthogonal_parse(rw_context *context, const char *name, rw_krylov_orthogonal *value);

/* Why a solver stopped: name, text */
/* clang-format off */
#define RW_KRYLOV_REASON_LIST(X)                                                                                       \
    X(CONVERGED, "the residual is small enough")                                                                       \
    X(ITERATIONS, "the largest number of iterations is reached")                                                       \
    X(STAGNATION, "stagnation: the residual does not decrease")                                                        \
    X(BREAKDOWN, "a division by zero: the method cannot go on")                                                        \
    X(INDEFINITE, "the matrix, or the preconditioner, is not positive definite")                                       \
    X(NOT_FINITE, "the residual is not a finite number")                                                               \
    X(INTERRUPTED, "interrupted at the user's wish")                                                                   \
    X(RANGE, "the solution under- or overflows in the type of the vectors")
/* clang-format on */

typedef enum rw_krylov_reason {
#define RW_X(name, text) RW_KRYLOV_##name,
    RW_KRYLOV_REASON_LIST(RW_X)
#undef RW_X
} rw_krylov_reason;
/* A reason as a clause of a sentence: "the residual is small enough". */
RW_API const char *rw_krylov_reason_text(rw_krylov_reason reason);

/* Called on the host, in the thread that called rw_krylov_solve, with |r| of the recurrence of iterations 0, 1, … in
 * order. A status other than OK stops the solver after at most a few more iterations, for which the monitor is not
 * called; the solve returns that status, with the reason INTERRUPTED and the iterate at which it stopped. */
typedef rw_status rw_krylov_monitor(void *user, int64_t iteration, double residual);

/* A zeroed member has its default. RW_OFF switches a tolerance off. Ranges: rw_krylov_params. */
typedef struct rw_krylov_spec {
    rw_krylov_method method; /* (default: gmres) */
    /* Converged: |b - A x| <= max(rtol |b|, atol) in the Euclidean norm. The residual is the true one, not that of the
     * preconditioned system. */
    double rtol;        /* (default: 1e-8) */
    double atol;        /* (default: off) */
    int64_t iterations; /* maximum number of iterations (default: 10000) */
    /* GMRES, FGMRES: iterations between restarts, 1 to 1000. IDR: dimension s of the shadow space, 1 to 16.
     * (default: 30; idr: 4) */
    int restart;
    rw_krylov_orthogonal orthogonal; /* GMRES (default: classical) */
    rw_precond_spec precond;         /* (default: none) */
    /* FGMRES: an inner solver that replaces the preconditioner. Default: none. It runs `iterations` iterations
     * (default here: 10), or fewer if it reaches its tolerance. It may have a preconditioner, but neither an inner
     * solver nor a monitor. Used by rw_krylov_create only. */
    const struct rw_krylov_spec *inner;
    /* A preconditioner of your own: an operator z <- M r with M close to the inverse of A, of the size, the device and
     * the vector type of the solver, that replaces `precond`. CG requires a hermitian, positive definite M. Solvers
     * record its function unless it is `direct` (rw_operator_spec); rw_krylov_create applies it once, to a vector of
     * zeros. The solver retains it. Default: none. */
    rw_operator *precond_operator;
    rw_krylov_monitor *monitor; /* Default: none. */
    void *user;                 /* passed to the monitor */
    /* When requested, the setup ends, and a solve stops after its next poll of the residual with the reason
     * INTERRUPTED. Default: none. */
    const rw_cancel *cancel;
} rw_krylov_spec;

/* The parameter table of rw_krylov_spec, for rw_params_parse: "gmres:restart=50:rtol=1e-6:precond=ilu0". */
RW_API const rw_params *rw_krylov_params(void);
/* Parses such a text. `inner`, `precond_operator`, `monitor`, `user` and `cancel` become NULL.
 * Errors: ERR_ARGUMENT with the nearest name, or the allowed values; ERR_MEMORY. */
RW_API rw_status rw_krylov_parse_sized(rw_context *context, const char *text, rw_krylov_spec *spec, size_t spec_size);
#define rw_krylov_parse(...) rw_krylov_parse_sized(__VA_ARGS__, sizeof(rw_krylov_spec))

typedef struct rw_krylov_result {
    rw_krylov_reason reason;
    int64_t iterations; /* products with A, without those of restarts and of the final residual */
    double first;       /* |b - A x| of the initial guess */
    /* |b - A x| of the returned x, computed in the type of the vectors; its rounding error is about eps |A| |x| */
    double residual;
    double estimate;   /* |r| of the recurrence at the end of the last cycle */
    double right_side; /* |b| */
    double seconds;    /* of the solve, without waiting for compilers */
} rw_krylov_result;

typedef struct rw_krylov rw_krylov;

/* Creates a solver for a square operator (of a matrix: rw_sparse_operator) and vectors of type `vectors`, which must be
 * complex for a complex operator. The preconditioner is set up here.
 * Memory in vectors: GMRES restart + 3; FGMRES twice the restart and those of its inner solver; CG 4 to 6; BiCGStab 6;
 * IDR 3 s + 5; up to 2 more with a preconditioner (rw_krylov_memory, rw_precond_memory).
 * Errors: ERR_ARGUMENT; ERR_INPUT: the preconditioner does not accept the matrix, with the row; ERR_MEMORY;
 * ERR_COMPILE. Lifetime: the solver retains the operator. After the values of the matrix have changed call
 * rw_krylov_update. Threads: one at a time, together with all other users of the device's own queue. */
RW_API rw_status rw_krylov_create_sized(rw_operator *op, rw_dtype vectors, const rw_krylov_spec *spec,
                                        rw_krylov **solver, size_t spec_size);
#define rw_krylov_create(...) rw_krylov_create_sized(__VA_ARGS__, sizeof(rw_krylov_spec))
RW_API void rw_krylov_destroy(rw_krylov **solver);
/* Sets up the preconditioner again, also that of the inner solver, from the current values of the matrix. Solves use
 * the current values of the matrix in any case; an outdated preconditioner only costs iterations. A `precond_operator`
 * is recorded again by the next solve.
 * Errors: ERR_INPUT, ERR_MEMORY: the previous preconditioner stays. Both exist until the new one is complete. */
RW_API rw_status rw_krylov_update(rw_krylov *solver);
/* Gets the specification, with its defaults filled in. `inner` is NULL. */
RW_API rw_status rw_krylov_get_spec_sized(const rw_krylov *solver, rw_krylov_spec *spec, size_t spec_size);
#define rw_krylov_get_spec(...) rw_krylov_get_spec_sized(__VA_ARGS__, sizeof(rw_krylov_spec))
/* Gets the operator A. Lifetime: the solver's. */
RW_API rw_status rw_krylov_get_operator(const rw_krylov *solver, rw_operator **op);
/* Information on the preconditioner; all members are 0 if there is none, or a `precond_operator`. */
RW_API rw_status rw_krylov_get_precond_sized(const rw_krylov *solver, rw_precond_info *info, size_t info_size);
#define rw_krylov_get_precond(...) rw_krylov_get_precond_sized(__VA_ARGS__, sizeof(rw_precond_info))

/* Solves A x = b. x holds the initial guess, then the solution. If b = 0 and there is no atol, x becomes 0.
 * If only the recurrence of CG, BiCGStab or IDR meets the tolerance, the method restarts from the true residual as long
 * as each restart halves it; otherwise it ends with the reason STAGNATION. GMRES computes the true residual in each
 * cycle. Returns OK if |b - A x| <= max(rtol |b|, atol) for the returned x.
 * Where |b|, A or the preconditioner is so small or so large that squares or products under- or overflow, the system is
 * scaled by powers of 2 internally; iterates of other systems keep their bits.
 * Errors: ERR_NOT_CONVERGED, ERR_INTERRUPTED: any other reason. x is the best iterate of all cycles, or the initial
 * guess if the residual did not decrease. *result is complete, and the message has both residuals. ERR_ARGUMENT:
 * shapes, types, a queue that is recording. Works in the device's own queue and waits for the end. */
RW_API rw_status rw_krylov_solve_sized(rw_krylov *solver, rw_array *b, rw_array *x, rw_krylov_result *result,
                                       size_t result_size);
#define rw_krylov_solve(...) rw_krylov_solve_sized(__VA_ARGS__, sizeof(rw_krylov_result))

/* Bytes of device memory for the vectors of such a solver with n unknowns, without x, b and the matrices of the
 * preconditioner. A solve that is scaled internally takes one more vector. */
RW_API int64_t rw_krylov_memory_sized(const rw_krylov_spec *spec, int64_t n, rw_dtype vectors, size_t spec_size);
#define rw_krylov_memory(...) rw_krylov_memory_sized(__VA_ARGS__, sizeof(rw_krylov_spec))

#ifdef __cplusplus
}
#endif
#endif
