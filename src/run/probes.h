/* Probes of a case (output.probes): values of all fields at a point against time, and along a line at each output.
 *
 *   output: {probes: {wall: {at: [0.5, 0.1]}, axis: {from: [0, 0.5], to: [1, 0.5], points: 101}}}
 *
 *   probes/wall.csv   t,u,v        a row for each row of series.csv
 *   probes/axis.csv   t,x,y,u,v    a row for each point of each output
 *
 * A complex field A has two columns, A_re and A_im. */
#ifndef RW_PROBES_H
#define RW_PROBES_H

#include "run/case.h"

/* The box that a uniform grid fills, with its sides. */
typedef struct rw_domain {
    int ndim; /* 0: not known */
    double lower[3], upper[3];
    bool periodic[3];
} rw_domain;

typedef struct rw_probe {
    const char *name; /* lives as long as the case */
    bool is_line;
    int64_t n; /* points */
    double from[3], to[3];
} rw_probe;

/* Those of a run. */
typedef struct rw_probes {
    int n;
    rw_probe *list;
    struct rw_csv **table;
    double *position; /* [n] of the tables in the checkpoint, from which the run goes on */
} rw_probes;

enum { RW_PROBE_COLUMN = 140 };

/* The name of the picture of a column, "probe-wall-u.png". */
void rw_probe_figure(const rw_probe *p, const char *column, char name[200]);
/* The probes of a case, which must lie in the domain. rw_free(*list), also after a failure. Wrong ones are noted and
 * left out. `places`: false where the sides of the domain are not known. */
rw_status rw_probes_read(const rw_case *c, const rw_domain *domain, bool places, rw_probe **list, int *n);
/* The coordinates of point i. */
void rw_probe_point(const rw_probe *p, int64_t i, double x[3]);

#endif
