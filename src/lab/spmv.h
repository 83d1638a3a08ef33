/* The study spmv: what its files share.
 *
 *   spmv.c           settings, cases, tables            spmv_time.c       time of a product
 *   spmv_sections.c  rows in sections of all lengths    spmv_models.c     tables that follow from printed numbers alone
 *   spmv_gmres.c     the solver around the products */
#ifndef RW_LAB_SPMV_H
#define RW_LAB_SPMV_H

#include "lab/lab.h"
#include "lab/spmv_kernels.h"
#include "lab/windows.h"

enum {
    SPMV_RUNS,
    SPMV_TIMES,
    SPMV_RATES,
    SPMV_ANATOMY,
    SPMV_SECTIONS,
    SPMV_VECTORS,
    SPMV_BLOCKS,
    SPMV_GMRES,
    SPMV_PUBLISHED,
    SPMV_AMDAHL,
    SPMV_BANDWIDTH,
    SPMV_TABLES
};
enum { SPMV_PRODUCTS = 100 /* that seconds are for */, SPMV_RUNS_MOST = 100, SPMV_GRID_BLOCKS_MOST = 64 };

typedef struct rw_spmv_outcome {
    double copied, resident;
} rw_spmv_outcome; /* seconds, 0: none */

typedef struct rw_spmv_study {
    rw_lab *lab;
    int methods;
    rw_spmv_outcome *all;  /* [case][device][method] */
    rw_spmv_source source; /* of the case `which` */
    int which;
    /* y of the first product of the case: the first grid block, cells without ghosts, real and imaginary parts */
    double *first;
    bool described; /* the table of anatomy has a case */
} rw_spmv_study;

/* ---- settings, names, rows: spmv.c ------------------------------------------------------------------------------- */

rw_spmv_kind rw_spmv_kind_of(const rw_lab *lab);
bool rw_spmv_is_f64(const rw_lab *lab);
rw_spmv_options rw_spmv_options_of(const rw_lab *lab);
rw_multiblock_spec rw_spmv_grid(const rw_lab *lab, int which);
const char *rw_spmv_case(int which); /* "10x40x20" */
bool rw_spmv_is_run(const rw_lab *lab, int method, int device);
double rw_spmv_memory(const rw_lab *lab, int device); /* bytes that a product may take */
rw_status rw_spmv_begin_row(rw_lab *lab, int table, const char *product, const char *where, bool other);

/* ---- spmv_time.c ------------------------------------------------------------------------------------------------- */

typedef struct rw_spmv_timing {
    double best, median, most, device, cpu; /* seconds of 100 products; device, cpu: of the best run */
    double launches, sent, fetched;         /* of a product */
} rw_spmv_timing;
/* Of a grid block, or of all (RW_MULTIBLOCK_ALL). */
rw_status rw_spmv_time(const rw_lab *lab, rw_spmv *p, int block, bool copied, rw_spmv_timing *t);
/* The best of each grid block alone. */
rw_status rw_spmv_time_each(const rw_lab *lab, rw_spmv *p, double *seconds);

/* ---- spmv_sections.c --------------------------------------------------------------------------------------------- */

enum { L_PRODUCT, L_WHERE, L_CURVE, L_UNIT, L_LENGTH, L_SECTIONS, L_SECONDS, L_RATE, L_BEST, SPMV_SECTIONS_COLUMNS };
extern const rw_lab_column rw_spmv_sections_columns[SPMV_SECTIONS_COLUMNS];
rw_status rw_spmv_sweep(rw_spmv_study *s); /* of the case s->which */

/* ---- spmv_gmres.c ------------------------------------------------------------------------------------------------ */

enum { G_CASE, G_LIES, G_WHERE, G_SECONDS, G_COPIED, G_GAIN, G_ITERATIONS, G_RESIDUAL, SPMV_GMRES_COLUMNS };
extern const rw_lab_column rw_spmv_gmres_columns[SPMV_GMRES_COLUMNS];
rw_status rw_spmv_solve(rw_spmv_study *s); /* of the case s->which */

/* ---- spmv_models.c ----------------------------------------------------------------------------------------------- */

extern const char *const rw_spmv_gpus[RW_SPMV_DEVICES];
extern const double rw_spmv_mpi[RW_SPMV_CASES]; /* seconds of eight cores, of the fastest grid block */

enum { SPMV_PUBLISHED_COLUMNS = 6, SPMV_BANDWIDTH_COLUMNS = 5 };
enum { A_PROCESSORS, A_SPEEDUP, A_EFFICIENCY, SPMV_AMDAHL_COLUMNS };
extern const rw_lab_column rw_spmv_published_columns[SPMV_PUBLISHED_COLUMNS],
    rw_spmv_amdahl_columns[SPMV_AMDAHL_COLUMNS], rw_spmv_bandwidth_columns[SPMV_BANDWIDTH_COLUMNS];
rw_status rw_spmv_models(rw_lab *lab); /* those of the three tables that are wanted */

#endif
