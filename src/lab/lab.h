/* The structure of a study, and the functions of the framework.
 *
 *   run.c        the list, devices, the run of a study              write.c   text, Markdown, CSV, JSON
 *   lab.c        rows and values
 *   settings.c   texts of settings into numbers, with their limits  save.c    a folder with all of them and the figures
 *   integrate.c  for studies of integrators: from initial values to the end, timed
 *   rock4.c, precision.c with peers.c, rates.c with laser.c, laser.k and occupancy.c, spmv.c with spmv_*, fft.c with
 *   radix2*, convolution.c with convolution_*, flow.c with flow_*   studies
 *
 * A new study is one file with a `const rw_study rw_study_NAME` (question, source, parameters, tables with their
 * columns,
 * figures, a function that fills rows) and one line in lab.def. Output, settings, help, completion follow from that. */
#ifndef RW_LAB_INTERNAL_H
#define RW_LAB_INTERNAL_H

#include "core/core.h"
#include "lab/studies.h"
#include "rechenwerk/figure.h"
#include "rechenwerk/ode.h"

/* How a number is shown: 12, 3.1416, 0.01234, 6.65, 1.3e-05; the name of a device, a name of rw_lab_name (the number is
 * its index). */
typedef enum rw_lab_show {
    RW_SHOW_INTEGER,
    RW_SHOW_REAL,
    RW_SHOW_SECONDS,
    RW_SHOW_RATIO,
    RW_SHOW_ERROR,
    RW_SHOW_DEVICE,
    RW_SHOW_NAME
} rw_lab_show;

/* Repetition of a column: once; once per device, "seconds cpu:1", "seconds cuda:0" (true); or once per value of the
 * setting `over` of the study, "edge 512", "edge 1024". */
typedef enum rw_lab_each { RW_EACH_TABLE, RW_EACH_DEVICE, RW_EACH_VALUE } rw_lab_each;

typedef struct rw_lab_column {
    const char *name, *unit; /* unit "" for a number without one */
    rw_lab_show show;
    rw_lab_each each;
    const char *what; /* one line, printed below the table; NULL: the name says it */
} rw_lab_column;

typedef struct rw_lab_table {
    const char *title;
    const rw_lab_column *columns;
    int ncolumns;
} rw_lab_table;

enum { RW_LAB_CURVES = 4, RW_LAB_FIELDS = 4, RW_LAB_WORKS = 4 };

/* Plots columns of a table over another column; or, with `only`, the first column as one curve per name in column `by`,
 * and the second as markers. */
typedef struct rw_lab_curves {
    const char *name, *title; /* name: the file is STUDY-name.png */
    int table, x, y[RW_LAB_CURVES], ny;
    /* (optional) rows that have this name in column `where`, "" all; names of others are dashed */
    const char *only;
    int where, by;
    bool plain;        /* with `only`: lines without points */
    const char *above; /* (optional) a name whose curve lies on others: dashed, so that they are seen */
    int dashed;        /* number of y columns, the last ones, with published values */
    bool agree;        /* results of the devices should coincide: a line for the first, points for the others */
    rw_figure_axis x_axis, y_axis;
} rw_lab_curves;

/* Bars: a figure for each name in column `by`, in it a group for each name in `group` with a bar for each in `series`;
 * bars of others' names come last, paler. */
typedef struct rw_lab_bars {
    const char *name, *title; /* the file is STUDY-name-BY.png */
    int table, group, series, value, by;
    rw_figure_axis axis;
} rw_lab_bars;

/* A two-dimensional field, set by the study with rw_lab_picture. */
typedef struct rw_lab_plane {
    const char *name, *title;
    const char *x_label, *y_label, *value_label;
    bool surface; /* STUDY-name-surface.png in addition to the colour map */
} rw_lab_plane;

typedef struct rw_study {
    rw_lab_entry entry;
    const rw_lab_table *tables; /* [entry.ntables] */
    const rw_lab_curves *curves;
    int ncurves;
    const rw_lab_bars *bars;
    int nbars;
    const rw_lab_plane *planes;
    int nplanes;
    bool one_device; /* runs on one device only (default: cpu:1) */
    /* (optional) the setting (a list of numbers) for RW_EACH_VALUE columns */
    const char *over;
    rw_status (*run)(rw_lab *lab);
} rw_study;

#define RW_X(name) extern const rw_study rw_study_##name;
#include "lab/lab.def"
#undef RW_X

/* ---- the result -------------------------------------------------------------------------------------------------- */

enum { RW_LAB_LIST = 64, RW_LAB_DEVICES = 16 };

/* A row of a study's parameters. */
#define PARAMETER(name_, kind_, standard_, allowed_, line_)                                                            \
    {                                                                                                                  \
        .name = name_, .kind = RW_PARAM_##kind_, .standard = standard_, .allowed = allowed_, .unit = "", .line = line_ \
    }

typedef struct rw_lab_setting {
    const char *text; /* the default's, or given */
    char *given;      /* NULL: the default */
    int n;
    double number[RW_LAB_LIST]; /* of words: indices */
    int word;                   /* index in the words */
} rw_lab_setting;

/* Names in columns of RW_SHOW_NAME, which also name curves. */
typedef struct rw_lab_label {
    char *text;
    bool other; /* others measured it */
} rw_lab_label;

typedef struct rw_lab_rows_of {
    bool made;
    int n, capacity, width; /* width: columns, those of each device counted */
    double *value;          /* [n][width] */
} rw_lab_rows_of;

typedef struct rw_lab_drawing {
    size_t nx, ny; /* 0: not given */
    double *value; /* [ny][nx] */
    double x0, x1, y0, y1;
    char subtitle[80];
} rw_lab_drawing;

struct rw_lab {
    rw_context *ctx;
    const rw_study *study;
    rw_lab_text_function *progress;
    void *user;
    rw_lab_setting *settings; /* [nparameters] */
    int ndevices;
    rw_device *devices[RW_LAB_DEVICES]; /* while the study runs */
    rw_device_properties info[RW_LAB_DEVICES];
    rw_lab_rows_of *rows;     /* [ntables] */
    rw_lab_drawing *drawings; /* [nplanes] */
    rw_lab_label *names;
    int nnames, names_capacity;
    rw_text notes; /* lines */
};

/* ---- for studies ------------------------------------------------------------------------------------------------- */

const rw_lab_setting *rw_lab_setting_of(const rw_lab *lab, const char *name); /* the name must be one of the study */
double rw_lab_number(const rw_lab *lab, const char *name);                    /* its first number */
bool rw_lab_wanted(const rw_lab *lab, int table);
void rw_lab_say(rw_lab *lab, const char *format, ...) RW_PRINTF(2, 3);  /* progress */
void rw_lab_note(rw_lab *lab, const char *format, ...) RW_PRINTF(2, 3); /* a line below the tables */
/* Appends an empty row; sets a value in the last row. device: index of the device or value, -1 for a column that exists
 * once. */
rw_status rw_lab_row(rw_lab *lab, int table);
void rw_lab_put(rw_lab *lab, int table, int column, int device, double value);
/* values[c] in the columns c = first … end - 1, which exist once. */
void rw_lab_put_values(rw_lab *lab, int table, int first, int end, const double *values);
/* The index of a name, unique per text; other: names published results. */
rw_status rw_lab_name(rw_lab *lab, const char *text, bool other, int *name);
rw_status rw_lab_put_name(rw_lab *lab, int table, int column, const char *text, bool other); /* into the last row */
/* nx x ny values are copied; the rectangle as in rw_figure_field. A later picture of the plane replaces the earlier. */
rw_status rw_lab_picture(rw_lab *lab, int plane, size_t nx, size_t ny, const double *values, const double rectangle[4],
                         const char *subtitle);

/* ---- for studies of integrators: integrate.c --------------------------------------------------------------------- */

/* Field f at a node whose coordinates are x. */
typedef double rw_lab_initial(const double x[3], int f);

typedef struct rw_lab_integration {
    char what[80];    /* "N = 64, tolerance 1e-06, f64", for progress and notes */
    rw_ode_spec spec; /* at most RW_LAB_FIELDS fields, f32 or f64 */
    rw_lab_initial *initial;
    const double *stops; /* [nstops] times that are hit, ascending; the last is the end */
    int nstops;
    int runs;          /* that are timed, after one that compiles; 0: that one only */
    double stage_rule; /* as in rw_ode; 0: the method's own */
} rw_lab_integration;

typedef struct rw_lab_solution {
    bool finished;
    double seconds; /* the best of the runs, NaN without */
    rw_ode_statistics work;
    char method[16], reason[240]; /* of rw_ode_get_method */
    int64_t n;                    /* cells of all fields */
    double *u;                    /* [n] field after field, x fastest; rw_free */
} rw_lab_solution;

/* Integrates from the initial values to the last stop. If the method fails, `finished` is false and a note is added. */
rw_status rw_lab_integrate(rw_lab *lab, const rw_lab_integration *p, int device, rw_lab_solution *s);
double rw_lab_difference(const rw_lab_solution *a, const rw_lab_solution *b); /* the largest */

/* RW_LAB_WORKS columns, [W_STEPS] = RW_LAB_WORK, and what fills them in the last row. */
#define RW_LAB_WORK                                                                                                    \
    {"steps", "", RW_SHOW_INTEGER, false, "number of accepted steps"}, {"rejected", "", RW_SHOW_INTEGER, false, NULL}, \
        {"rhs", "", RW_SHOW_INTEGER, false, "number of evaluations of the right-hand side"},                           \
    {                                                                                                                  \
        "stages", "", RW_SHOW_INTEGER, false, "largest number of stages in a step"                                     \
    }
void rw_lab_put_work(rw_lab *lab, int table, int column, const rw_ode_statistics *work);

/* ---- for the frame ----------------------------------------------------------------------------------------------- */

rw_status rw_lab_read_settings(rw_lab *lab, const rw_lab_spec *spec); /* settings.c */
/* Column `c` of a table as it stands in the rows. */
typedef struct rw_lab_head {
    const rw_lab_column *column;
    int device;    /* that it belongs to, or value; -1: none */
    char name[96]; /* with the device's or value's */
} rw_lab_head;
rw_lab_head rw_lab_head_at(const rw_lab *lab, int table, int c);
int rw_lab_copies(const rw_lab *lab, const rw_lab_column *column);      /* how often it is there */
int rw_lab_place(const rw_lab *lab, int table, int column, int device); /* the other way round */
int rw_lab_table_index(const rw_lab *lab, const char *name);            /* -1: no such table */
rw_status rw_lab_refuse(rw_context *ctx, const char *what, const char *given, const char *const *names, int n);

#endif
