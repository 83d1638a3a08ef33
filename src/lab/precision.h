/* What the study `precision` and its reader of other programs' results share. */
#ifndef RW_LAB_PRECISION_H
#define RW_LAB_PRECISION_H

#include "lab/lab.h"

/* One integration: a point of a curve. */
typedef struct rw_lab_point {
    int problem, name;                /* index in the study's list; that of rw_lab_name */
    double tolerance, error, seconds; /* error, seconds: NaN when the method gave up */
    rw_ode_statistics work;
} rw_lab_point;

typedef struct rw_lab_points {
    rw_lab_point *at;
    int n, capacity;
} rw_lab_points;

rw_status rw_lab_add_point(rw_lab *lab, rw_lab_points *points, const rw_lab_point *point);
/* Adds the rows of a table that another program wrote. Problems are looked up in the list; curves are named after the
 * file and the method. ERR_FILE; ERR_INPUT and ERR_ARGUMENT with file and line. */
rw_status rw_lab_read_peers(rw_lab *lab, const char *path, const char *const *problems, int nproblems,
                            rw_lab_points *points);

#endif
