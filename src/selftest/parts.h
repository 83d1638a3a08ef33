/* What the files of the self-test share: rows of the list. */
#ifndef RW_SELFTEST_PARTS_H
#define RW_SELFTEST_PARTS_H

#include "core/core.h"
#include "rechenwerk/program.h"
#include "rechenwerk/run.h"

typedef struct rw_selftest_run {
    rw_context *ctx;
    rw_device *dev;
    rw_selftest_result *rows;
    int n;
    double start;
} rw_selftest_run;

/* A new row; its time begins. */
rw_selftest_result *rw_selftest_begin(rw_selftest_run *run, const char *name);
void rw_selftest_end(rw_selftest_run *run, rw_selftest_result *row, rw_status status, double error, double tolerance);
/* error <- the larger one; NaN counts as the largest. */
void rw_selftest_worsen(double *error, double difference);

/* methods.c: transforms, image filters, matrices, solvers, signals */
void rw_selftest_methods(rw_selftest_run *run);

#endif
