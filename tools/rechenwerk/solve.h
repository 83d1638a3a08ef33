/* rechenwerk solve: what its two files share. */
#ifndef SOLVE_H
#define SOLVE_H

#include <time.h>

#include "matrices.h"
#include "rechenwerk/krylov.h"

/* Residuals as the monitor tells them. */
typedef struct history {
    double *residual; /* of iterations 0 … n - 1 */
    int64_t n, room;
    bool failed;      /* no memory: later ones are missing */
    bool terminal;    /* a progress line is shown */
    time_t shown;
} history;

typedef struct solve {
    const char *matrix, *right_side; /* paths; right_side NULL: b = A 1 */
    rw_device *device;
    rw_entries e;
    rw_dtype vectors;
    rw_sparse_candidate layout;
    char reason[240];                /* for the layout; "": it was given */
    const char *precond;
    rw_krylov_spec spec;
    rw_sparse *a;
    rw_array *b, *x;
    rw_krylov_result result;
    rw_precond_info info;
    history h;
} solve;

/* solve_input.c. Each gives an exit code, 0 to go on, and has said what is wrong. */
int parse_spec(rw_context *ctx, const arguments *a, solve *s);
/* The matrix, the type of vectors, the layout: nothing is made on the device yet. */
int read_system(rw_context *ctx, const arguments *a, solve *s);
/* The matrix on the device, b and x. */
int make_system(rw_context *ctx, const arguments *a, solve *s);
/* Largest |x - 1|. */
rw_status error_of_ones(const solve *s, double *error);

#endif
