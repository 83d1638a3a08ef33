/* rechenwerk solve: what its files share. */
#ifndef SOLVE_H
#define SOLVE_H

#include <complex.h>
#include <time.h>

#include "matrices.h"
#include "rechenwerk/expr.h"
#include "rechenwerk/krylov.h"

/* Residuals as the monitor reports them. */
typedef struct history {
    double *residual; /* of iterations 0 … n - 1 */
    int64_t n, room;
    bool failed;   /* no memory: later ones are missing */
    bool terminal; /* a progress line is shown */
    time_t shown;
} history;

typedef struct solve {
    const char *matrix,
        *right_side;     /* paths; right_side NULL: b = A x with a known x; matrix of an equation: its text */
    const char *stencil; /* the equation; NULL: there is a matrix */
    rw_grid grid;        /* of the equation, and what lies beyond its sides */
    rw_boundary_kind boundary[3];
    rw_device *device;
    rw_entries e; /* of an equation rows and columns alone */
    rw_dtype vectors;
    rw_sparse_candidate layout;
    char reason[240];                 /* for the layout; "": it was given */
    const char *precond, *inner_text; /* as they were given */
    rw_krylov_spec spec, inner;
    rw_sparse *assembled; /* NULL: of an equation */
    rw_operator *a;
    rw_array *b, *x;
    rw_array *known; /* the x of b = A x; NULL: ones, or b is given */
    rw_krylov_result result;
    rw_precond_bytes precond_bytes; /* forecast */
    rw_precond_info info;
    history h;
} solve;

/* solve.c. Whether the method keeps vectors until it restarts, or has a space of as many: gmres, fgmres, idr. */
bool restarts(const solve *s);

/* solve_input.c. Each gives an exit code, 0 to go on, and has said what is wrong. */
int parse_spec(rw_context *ctx, const arguments *a, solve *s);
/* The matrix, the type of vectors, the layout: nothing is made on the device yet. */
int read_system(rw_context *ctx, const arguments *a, solve *s);
/* Complex vectors where the matrix or the right-hand side is. */
int find_vectors(rw_context *ctx, const arguments *a, solve *s);
/* solve_hermitian.c: a line on stderr where cg or amg is asked for, and the matrix is not hermitian. */
void warn_unless_hermitian(const solve *s);
/* solve_stencil.c: the same of an equation; the operator; a line about it. */
int read_stencil(rw_context *ctx, const arguments *a, solve *s);
rw_status make_stencil(solve *s);
void print_stencil(const solve *s);
/* The matrix on the device, b and x. */
int make_system(rw_context *ctx, const arguments *a, solve *s);
/* solve_right_side.c: b = A x for a known x, where no b is given; what b is; the largest error of x. */
rw_status make_right_side(solve *s);
const char *right_side_text(const solve *s);
rw_status error_of_known(const solve *s, double *error);
/* Element i of an array of that type, on the host. */
double complex element(rw_dtype type, const void *data, int64_t i);

#endif
