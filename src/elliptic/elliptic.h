/* What the runner asks of a solver beyond the public interface. */
#ifndef RW_ELLIPTIC_H
#define RW_ELLIPTIC_H

#include "expr/graph.h"
#include "rechenwerk/elliptic.h"

typedef enum rw_elliptic_use {
    RW_ELLIPTIC_ALONE,
    RW_ELLIPTIC_IN_TIME, /* of an integrator, whose rates are left out; t is a scalar */
    /* The same for the marked terms of its rates: rw_take_implicit_for_equations. The last external fields are the
     * right-hand sides, the scalar RW_IMPLICIT_STEP is one of `scalars`. */
    RW_ELLIPTIC_IMPLICIT
} rw_elliptic_use;

/* rw_elliptic_create with settings for each unknown, [nfields], whose texts and fields are not read; those of the first
 * unknown of a system hold for the system. NULL: those of the specification for all. */
rw_status rw_elliptic_create_with(rw_device *device, const rw_elliptic_spec *spec, const rw_elliptic_spec *settings,
                                  rw_elliptic_use use, rw_elliptic **elliptic);
/* Systems, in the order in which they are solved. */
struct rw_system *rw_elliptic_system(const rw_elliptic *e, int system);
/* rw_elliptic_bind of unknown f, or of external field f - nfields, without checks. */
rw_status rw_elliptic_hold(rw_elliptic *e, int f, rw_array *array);
/* rw_elliptic_enqueue begins cycles for the unknown there; NULL: with what its array has. The caller keeps it. */
void rw_elliptic_start_from(rw_elliptic *e, int unknown, rw_array *start);
/* t; stage: what functions of t have there instead of their values at t, NULL: these. */
rw_status rw_elliptic_set_time(rw_elliptic *e, double t, const rw_quadrature *stage);
bool rw_elliptic_moves(const rw_elliptic *e);               /* the equations depend on t */
bool rw_elliptic_is_enqueued(const rw_elliptic *e);         /* rw_elliptic_enqueue solves */
bool rw_elliptic_is_recordable(const rw_elliptic *e);       /* … and may be recorded */
bool rw_elliptic_has_start(const rw_elliptic *e);           /* the solution depends on what the arrays had */
bool rw_elliptic_is_singular(const rw_elliptic *e);         /* a system is */
double rw_elliptic_rtol(const rw_elliptic *e, int unknown); /* 0: off */
/* Of one rw_elliptic_enqueue, added: bytes per node, launches. Other methods add their smallest. */
void rw_elliptic_add_cost(const rw_elliptic *e, double *bytes, int *launches);
/* What rw_elliptic_enqueue does beside launches, which may then be recorded. */
rw_status rw_elliptic_prepare(rw_elliptic *e);
/* The largest |F(u)| over what is allowed, of all systems at the bound arrays: at most 1 where they are solved. */
rw_status rw_elliptic_measure(rw_elliptic *e, double *ratio);
/* "transform", and why; with several systems those of the last. Lifetime: the solver's. */
const char *rw_elliptic_method_of(const rw_elliptic *e, const char **why);
/* Bytes of device memory, the bound arrays not counted. */
int64_t rw_elliptic_bytes(const rw_elliptic_spec *spec);

#endif
