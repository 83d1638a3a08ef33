/* What the files of the runner share. run.c: the loop; folder.c: the results folder; record.c: settings.yaml, run.json,
 * log.jsonl; output.c: series and fields; figures.c: pictures; checkpoint.c: saving, continuing; progress.c: rates. */
#ifndef RW_RUN_PRIVATE_H
#define RW_RUN_PRIVATE_H

#include "problem/problem.h"
#include "problem/run_settings.h"
#include "rechenwerk/run.h"

#include "io/csv.h"
#include "io/vti.h"

#define RW_PATH_SIZE 1200

typedef struct rw_stopwatch {
    double create, steps, output, checkpoint; /* seconds */
} rw_stopwatch;

typedef struct rw_rates {
    double begin, last, last_time; /* wall time of the first step and of the last call, problem time then */
    int64_t first_step, last_step;
    double steps_per_second, time_per_second; /* smoothed; 0 until known */
} rw_rates;

typedef struct rw_run {
    rw_context *ctx;
    rw_run_options options;
    rw_run_report *report;
    const rw_problem_ops *ops;
    rw_case *c;
    run_top top;
    run_output output;
    run_checkpoint checkpoint;
    rw_device *device;
    rw_problem *problem;
    const rw_output_grid *grid;
    int64_t points;
    char hash[65];

    const char *folder; /* report->folder */
    int lock;           /* descriptor of the folder, -1: none */
    int log;            /* descriptor of log.jsonl, -1: none */
    bool begun;         /* the folder is ours: run.json may be written */
    char started[32];
    double clock;       /* rw_seconds at the start */
    bool looking;       /* fields, row and time are those of an output within the last step */
    rw_stopwatch seconds;
    rw_rates rates;

    /* --- what a checkpoint carries --- */
    double start;        /* initial time */
    double *times;       /* [noutputs]: time of each output */
    int noutputs, times_capacity;
    int64_t next;        /* the next output by time is at start + next*output.every */
    int64_t interpolated; /* outputs that lie within a step */
    double stride;       /* with output.interpolate: no step is longer, as values within it would not be good enough */
    double begun_at;     /* time at which the last step began */
    double last_look;    /* time of the last row of series.csv that is of a time within a step, NaN: none */
    int64_t last_row;    /* step of the last row of series.csv, -1: none */
    int64_t restarts;

    rw_csv *series;
    double *row;
    int ncolumns;
    const rw_output_column *columns;
    double flushed, indexed, index_cost, recorded; /* when series, index and run.json were last written */
    bool index_stale;
    double checkpoint_clock, checkpoint_time; /* of the last one; checkpoint_time is NaN before the first */
    int64_t checkpoint_step, ncheckpoints, npictures;
    struct rw_frames *frames;       /* frames.c: limits of the pictures so far */
    const rw_problem_check *checks; /* the problem's, once they are made */
    int nchecks;
    const char *reason; /* why the run ended badly, where the status alone does not say it */
} rw_run;

/* prepare.c */
void rw_run_prepare(rw_run *r, rw_context *ctx, const rw_run_options *options, rw_run_report *report);
rw_status rw_run_read_case(rw_run *r, const rw_problem_ops *const *problems, const char *path);
rw_status rw_run_choose_folder(rw_run *r);
/* Opens the device, compares the estimate with its memory, and only then creates the problem. */
rw_status rw_run_create(rw_run *r, int64_t *bytes);
void rw_run_release(rw_run *r);

/* folder.c */
/* Chooses the folder and refuses one that cannot be used, before anything is computed. *fresh: there is no checkpoint
 * to continue from. */
rw_status rw_folder_check(rw_run *r, bool *fresh);
/* Makes and locks it; removes what an earlier run left (fresh) or half-written files (not fresh). */
rw_status rw_folder_begin(rw_run *r, bool fresh);
void rw_folder_end(rw_run *r);
void rw_run_path(const rw_run *r, const char *name, char path[RW_PATH_SIZE]);

/* record.c */
rw_status rw_record_settings(rw_run *r);
/* Writes run.json; `status` and `reason` of the end, or RW_OK and NULL while running. */
rw_status rw_record_run(rw_run *r, rw_status result, const char *reason);
rw_status rw_log_open(rw_run *r);
/* A line of log.jsonl: when, event, time, step, and an optional text under the name `key`. */
rw_status rw_log_event(rw_run *r, const char *event, const char *key, const char *text);
void rw_time_now(char text[32]); /* "2026-01-31T12:00:00Z" */

/* output.c */
rw_status rw_series_begin(rw_run *r, bool fresh, uint64_t position);
/* Computes a row and checks that it is finite: ERR_NOT_CONVERGED. With `write` it is put into series.csv. */
rw_status rw_series_row(rw_run *r, bool write);
rw_status rw_output_check(rw_run *r); /* names in output.fields and output.figures */
rw_status rw_output_write(rw_run *r, bool last);
rw_status rw_output_index(rw_run *r, bool always); /* fields.h5, fields.xdmf, fields.pvd */
/* output_blocks.c: fields on a block-structured grid for ParaView. */
rw_status rw_output_vtm(const rw_run *r, int n, const rw_vti_array *arrays, int output);
bool rw_output_wants(const rw_texts *list, const char *field);
bool rw_io_type_of(rw_dtype dtype, rw_io_type *type);
rw_io_grid rw_output_io_grid(const rw_output_grid *grid);

/* figures.c */
typedef struct rw_field_picture {
    const char *title, *subtitle, *name, *unit;
    const rw_output_grid *grid;
    rw_io_type type;
    const void *data; /* shape (z, y, x) */
    rw_colormap map;
    double min, max; /* equal: automatic */
} rw_field_picture;
/* A field's values as they are drawn: f64 (moduli of complex ones), with the nodes of Dirichlet sides. */
typedef struct rw_frame {
    rw_output_grid grid;
    const double *values;
    double *own;      /* what `values` points to, when they are not the field's; rw_free it */
    double low, high; /* of the finite values; low > high: there is none */
} rw_frame;
rw_status rw_frame_make(rw_run *r, int field, rw_io_type type, const void *data, double t, rw_frame *frame);
/* frames.c: one colour scale for all pictures of a field. */
rw_status rw_frames_check(rw_run *r); /* the setting output.limits */
rw_status rw_frames_limits(rw_run *r, int field, int output, const rw_frame *frame, double *min, double *max);
rw_status rw_frames_finish(rw_run *r); /* draws again what has other limits */
void rw_frames_free(rw_run *r);
rw_status rw_picture_field(rw_context *ctx, const char *path, const rw_field_picture *picture);
rw_status rw_picture_series(rw_context *ctx, const char *path, const char *title, const rw_csv_table *table,
                            int column);
/* A name for a file: letters, digits, '-', '_' and '.' of `name`. */
void rw_picture_name(const char *name, char *file, size_t size);
/* output_blocks.c: two sections of a field on a block-structured grid, figures/FILE-across.png and FILE-along.png. */
rw_status rw_figures_sections(rw_run *r, const rw_field_picture *picture, const char *file);
rw_status rw_figures_output(rw_run *r, const rw_output_field *field, int output);
/* The picture of an output of time t, of these values and limits. `again`: it has been drawn before. */
rw_status rw_figures_frame(rw_run *r, const rw_output_field *field, int output, double t, const rw_frame *frame,
                           double min, double max, bool again);
rw_status rw_figures_series(rw_run *r);

/* checkpoint.c */
rw_status rw_checkpoint_write(rw_run *r);
/* Loads problem and runner; the position of series.csv to continue at. */
rw_status rw_checkpoint_load(rw_run *r, uint64_t *position);

/* progress.c */
void rw_rates_begin(rw_run *r);
void rw_rates_step(rw_run *r, bool last); /* calls the user's function when it is due */

/* The run with a table of problems of one's own: for tests. */
rw_status rw_run_with(rw_context *ctx, const rw_problem_ops *const *problems, const char *path,
                      const rw_run_options *options, rw_run_report *report);

#endif
