/* One time step of the study flow: plane vorticity transport with heat in a square cavity, whose three linear systems
 * are solved by a version of flow_cg.h.
 *
 *   A_h Psi = omega + b^Psi
 *   (E + nu dt A_h) omega' = (E - dt/h^2 C_h) omega + dt/h^2 (D_h T + b^omega)
 *   (E + a dt A_h) T' = (E - dt/h^2 C_h) T + dt/h^2 b^T
 *
 * GPU_1 and CPU_ assemble right-hand sides on the host, by the same kernels in one thread; GPU_2 on the device. The
 * upper wall moves with velocity 1, the left wall has T = 1, the right one T = 0, the others are insulated. */
#ifndef RW_LAB_FLOW_STEP_H
#define RW_LAB_FLOW_STEP_H

#include "lab/flow_cg.h"

enum { RW_FLOW_PSI, RW_FLOW_OMEGA, RW_FLOW_HEAT, RW_FLOW_SYSTEMS };
extern const char *const rw_flow_system_names[RW_FLOW_SYSTEMS]; /* "A_h" "B_h" "B_h^T" */

typedef struct rw_flow_case {
    int edge; /* nodes of a side, boundary included */
    bool f64;
    double dt, viscous, conductive; /* viscous: nu dt, conductive: a dt */
    double buoyancy;                /* beta g */
    rw_flow_stop stop;
    enum { RW_FLOW_TEXT, RW_FLOW_BINARY, RW_FLOW_NO_FILE } output;
} rw_flow_case;
/* Diagonal and neighbour of a system's rows. */
void rw_flow_entries(const rw_flow_case *c, int system, double *middle, double *side);

/* Seconds of a step: total = solve + save + rest. */
typedef struct rw_flow_times {
    double total, solve, save, rest;
    int iterations[RW_FLOW_SYSTEMS];
    bool converged;
    rw_flow_traffic traffic; /* of the three solves */
} rw_flow_times;

typedef struct rw_flow_run {
    rw_flow_case is;
    rw_flow_version version;
    rw_device *device; /* where right-hand sides are assembled: cpu:1 for GPU_1 and CPU_ */
    rw_device *host;   /* cpu:1, opened by the run; NULL: GPU_2 */
    rw_program *program;
    rw_kernel *rhs_psi, *rhs_transport, *inner, *walls;
    int block;
    rw_flow_kernels kernels; /* of the solves; not CPU_ */
    rw_flow_system system[RW_FLOW_SYSTEMS];
    rw_flow_cg cg[RW_FLOW_SYSTEMS];
    rw_array *field[RW_FLOW_SYSTEMS]; /* Psi, omega, T: [edge][edge] */
    rw_array *b, *x;                  /* GPU_1, CPU_: on the host */
} rw_flow_run;

/* At rest, T = 0 inside. device: not used by CPU_. */
rw_status rw_flow_run_create(rw_device *device, rw_flow_version version, const rw_flow_case *is, rw_flow_run *run);
void rw_flow_run_free(rw_flow_run *run);
/* Saving writes Psi, omega and T of all nodes into a temporary file. */
rw_status rw_flow_step(rw_flow_run *run, rw_flow_times *times);

#endif
