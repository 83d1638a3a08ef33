/* Conjugate gradients without a preconditioner, as M. Baumann and P. Buran (2010, part 4) have them, for the matrices
 * of their flow solver: A_h and B_h = E + s A_h on the nx x ny inner points of a grid, in five diagonals.
 *
 *   rw_flow_system_create(ctx, true, 62, 62, 4 / (h * h), -1 / (h * h), &system);        A_h on the host
 *   rw_flow_cg_create(RW_FLOW_GPU_1, &system, &kernels, &cg);
 *   rw_flow_cg_solve(&cg, b, x, stop, &outcome);                                        x: first guess, then the result
 *
 * The versions are the document's: GPU_1 loads matrix, b and x from host memory in each solve and copies x back; GPU_2
 * has all of them in the memory of the device; CPU_ is a sequential loop in C. */
#ifndef RW_LAB_FLOW_CG_H
#define RW_LAB_FLOW_CG_H

#include "lab/flow_kernels.h"

typedef enum rw_flow_version { RW_FLOW_GPU_1, RW_FLOW_GPU_2, RW_FLOW_CPU, RW_FLOW_VERSIONS } rw_flow_version;
extern const char *const rw_flow_version_names[RW_FLOW_VERSIONS];

/* ---- a matrix on the host ---------------------------------------------------------------------------------------- */

typedef struct rw_flow_system {
    bool f64;
    int64_t nx, ny, n; /* n = nx ny */
    double middle, side;
    void *data; /* [5][n] of f32 or f64 */
    int32_t offset[5];
} rw_flow_system;
rw_status rw_flow_system_create(rw_context *context, bool f64, int64_t nx, int64_t ny, double middle, double side,
                                rw_flow_system *system);
void rw_flow_system_free(rw_flow_system *system);

/* ---- solves ------------------------------------------------------------------------------------------------------ */

/* Ends with |r| < tolerance |r0|, r by the recurrence, or after `most` iterations. */
typedef struct rw_flow_stop {
    double tolerance;
    int most;
} rw_flow_stop;

typedef struct rw_flow_outcome {
    int iterations;
    bool converged;     /* false: `most` iterations, or a number that is not finite or not positive */
    double first, last; /* |r0|, |r| */
    rw_flow_traffic traffic;
} rw_flow_outcome;

/* 20 for an iteration and each unknown, 13 before the first. */
static inline double rw_flow_operations(int iterations, int64_t n) { return (20. * iterations + 13) * (double)n; }

enum { RW_FLOW_X, RW_FLOW_B, RW_FLOW_R, RW_FLOW_P, RW_FLOW_Q, RW_FLOW_VECTORS };
typedef struct rw_flow_cg {
    rw_flow_version version;
    const rw_flow_system *system;
    rw_flow_kernels *kernels; /* NULL: CPU_ */
    rw_flow_dot dot;          /* (default: D5) */
    rw_flow_product product;  /* (default: S3) */
    rw_flow_matrix matrix;    /* GPU_1: only during a solve, as are x and b */
    rw_array *vector[RW_FLOW_VECTORS];
    void *host[RW_FLOW_VECTORS]; /* CPU_ */
} rw_flow_cg;

/* system and kernels are used until rw_flow_cg_free. kernels: of the system's type; not used by CPU_. */
rw_status rw_flow_cg_create(rw_context *context, rw_flow_version version, const rw_flow_system *system,
                            rw_flow_kernels *kernels, rw_flow_cg *cg);
void rw_flow_cg_free(rw_flow_cg *cg);

/* A x = b. b and x: [n] on the host, x is the first guess; GPU_2: NULL, its b and x are the arrays
 * vector[RW_FLOW_B], vector[RW_FLOW_X]. A solve that does not converge is no error. */
rw_status rw_flow_cg_solve(rw_flow_cg *cg, const void *b, void *x, rw_flow_stop stop, rw_flow_outcome *outcome);

/* ---- plain loops on the host: flow_cpu.c ------------------------------------------------------------------------- */

void rw_flow_cpu_multiply(const rw_flow_system *system, const void *x, void *y);
double rw_flow_cpu_dot(bool f64, int64_t n, const void *x, const void *y);
void rw_flow_cpu_saxpy(bool f64, int64_t n, double a, const void *x, void *y);                  /* y <- y + a x */
void rw_flow_cpu_direction(bool f64, int64_t n, double beta, const void *r, void *p);           /* p <- r + beta p */
void rw_flow_cpu_residual(bool f64, int64_t n, const void *b, const void *q, void *r, void *p); /* r, p <- b - q */

#endif
