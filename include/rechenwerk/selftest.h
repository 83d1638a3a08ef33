/* One known case for each operation on a device, against the reference: is this driver fit to compute? */
#ifndef RECHENWERK_SELFTEST_H
#define RECHENWERK_SELFTEST_H

#include "rechenwerk/device.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rw_selftest_result {
    char name[64]; /* "reduce dot c128" */
    bool passed;
    double error, tolerance; /* largest relative deviation from the reference, and what is allowed */
    double seconds;          /* compiling included */
    char note[256];          /* message of a failure */
} rw_selftest_result;

/* Runs all cases; a failing one is a row, not an error of the call. Free the list with rw_selftest_free. */
RW_API rw_status rw_selftest(rw_context *context, rw_device *device, rw_selftest_result **list, int *count);
RW_API void rw_selftest_free(rw_selftest_result **list);

#ifdef __cplusplus
}
#endif
#endif
