/* What the runner asks of a solver beyond the public interface. */
#ifndef RW_ELLIPTIC_H
#define RW_ELLIPTIC_H

#include "rechenwerk/elliptic.h"

/* rw_elliptic_create with settings for each unknown, [nfields], whose texts and fields are not read; those of the first
 * unknown of a system hold for the system. NULL: those of the specification for all. */
rw_status rw_elliptic_create_with(rw_device *device, const rw_elliptic_spec *spec, const rw_elliptic_spec *settings,
                                  rw_elliptic **elliptic);
/* The largest |F(u)| over what is allowed, of all systems at the bound arrays: at most 1 where they are solved. */
rw_status rw_elliptic_measure(rw_elliptic *e, double *ratio);
/* "transform", and why; with several systems those of the last. Lifetime: the solver's. */
const char *rw_elliptic_method_of(const rw_elliptic *e, const char **why);
/* Bytes of device memory, the bound arrays not counted. */
int64_t rw_elliptic_bytes(const rw_elliptic_spec *spec);

#endif
