/* What the files of the runner share. run.c: the loop; folder.c: the results folder; unfinished.c: one of a run that
 * came to nothing; record.c: settings.yaml, run.json, log.jsonl; journal.c: which files are ours; aside.c: earlier
 * results moved aside; output.c: series and fields; figures.c: pictures; drawing.c: their threads; checkpoint.c:
 * saving, continuing; restart.c, backend.c: what may differ then; watch.c: where the time goes; progress.c: pace;
 * check.c: what a case needs. */
#ifndef RW_RUN_PRIVATE_H
#define RW_RUN_PRIVATE_H

#include "io/streamlines.h"
#include "rechenwerk/figure.h"
#include "rechenwerk/run.h"
#include "run/journal.h"
#include "run/problem.h"
#include "run/run_settings.h"

#include "files/csv.h"

#define RW_PATH_SIZE 1200

/* What the time of a run goes into. Compiling is taken out of the phase in which it happens. */
typedef enum rw_phase { RW_PHASE_CREATE, RW_PHASE_STEPS, RW_PHASE_OUTPUT, RW_PHASE_CHECKPOINT, RW_PHASES } rw_phase;

typedef struct rw_stopwatch {
    rw_phase phase;
    double since, compiled;             /* when it began; what the device had spent on compiling then */
    double seconds[RW_PHASES], compile; /* their sum is the time since the start of the run */
} rw_stopwatch;

/* What computes a run; see backend.c. */
typedef struct rw_backend {
    char name[32], kind[16], hardware[128], driver[160], compiler[160], instructions[80], key[17];
} rw_backend;

/* What outputs from `first` on hold; see contents.c. */
typedef struct rw_contents {
    int first;
    unsigned formats; /* bit w: rw_field_writer w */
    char *fields;     /* " u v " */
} rw_contents;

typedef struct rw_pace {
    double begin, last, last_time; /* wall time of the first step and of the last call, problem time then */
    /* wall time of the first step, later by what compiling and outputs have taken since; seconds of compiling */
    double begin_steps, compiled;
    double first_time;
    int64_t first_step, last_step;
    double steps_per_second, time_per_second; /* smoothed; 0 until known */
    double recent, longest;                   /* longest step since the last call; in the interval before it */
    double first_length, longest_ever;        /* of the first step; of all */
    rw_event *event[2];                       /* recorded in turn */
    int64_t calls, queued_step, done_step, compilations;
    double queued_time, done_time; /* of the newest event; done for certain */
    double reported;               /* wall time of the last call by steps */
    int64_t counted;               /* steps at the end of the last call of the problem's `step` */
    double output_seconds;         /* of all outputs of this process, without compiling */
    int64_t outputs;
} rw_pace;

typedef struct rw_run {
    rw_context *ctx;
    rw_run_options options;
    rw_run_report *report;
    rw_status wish; /* what progress has returned, with its message; OK: nothing */
    char wish_message[512];
    const rw_problem_ops *ops;
    const rw_march_ops *march; /* NULL: the problem is stationary */
    const rw_stationary_ops *stationary;
    rw_case *c;
    run_top top;
    run_output output;
    run_checkpoint checkpoint;
    rw_device *device;
    rw_backend backend;
    rw_problem *problem;
    const rw_layout *grid;
    int64_t points;
    char hash[65];

    const char *folder; /* report->folder */
    int lock;           /* descriptor of the folder, locked; -1: none */
    rw_journal journal; /* files that runs have written into it */
    bool fresh_list;    /* this run has begun the list: a file not in it is somebody else's */
    bool unfinished;    /* the folder holds the beginning of a run, which this one replaces */
    bool aside;         /* an earlier run's files lie in .previous */
    bool made, gone;    /* this run has made the folder; it has removed it again */
    int log;            /* descriptor of log.jsonl, -1: none */
    bool begun;         /* the folder is ours: run.json may be written */
    char started[32];
    double clock;       /* rw_seconds at the start */
    bool interpolating; /* fields, row and time are those of an output within the last step */
    rw_stopwatch watch;
    rw_pace pace;

    /* --- what a checkpoint carries --- */
    double start;          /* initial time; stationary: iterations at the beginning, as times are */
    double first_residual; /* stationary: at the beginning of this process */
    double *times;         /* [noutputs]: time of each output */
    int noutputs, times_capacity;
    int64_t next;       /* the next output by time is at start + next*output.every */
    bool every_changed; /* output.every is not that of the checkpoint: next is to be found again */
    double earlier_end; /* time.end of the run that is continued, where it was another; NaN */
    double earlier_every, earlier_interpolate; /* its output.every and output.interpolate */
    double end;           /* final time: that of an output where time.end is within 1e-9 of an interval of it */
    int64_t interpolated; /* outputs that lie within a step */
    double stride;        /* with output.interpolate: no step is longer, as values within it would not be good enough */
    double begun_at;      /* time at which the last step began */
    double last_look;     /* time of the last row of series.csv that is of a time within a step, NaN: none */
    int64_t last_row;     /* step of the last row of series.csv, -1: none */
    int64_t restarts;
    rw_contents *contents;
    int ncontents, contents_capacity;

    bool no_sides; /* outputs omit the nodes on Dirichlet sides, like those of the older run that is continued */

    rw_csv *series;
    double *row;
    int ncolumns;
    const rw_state_column *columns;
    double flushed, indexed, index_cost, recorded; /* when series, index and run.json were last written */
    bool index_stale;
    double checkpoint_clock, checkpoint_time; /* of the last one; checkpoint_time is NaN before the first */
    int64_t checkpoint_step, ncheckpoints, npictures;
    rw_probes *probes;              /* NULL: none */
    struct rw_frames *frames;       /* frames.c: limits of the pictures so far */
    struct rw_drawings *drawings;   /* drawing.c: pictures that are being drawn */
    const rw_problem_check *checks; /* the problem's, once they are made */
    int nchecks;
    const char *reason; /* why the run ended badly, where the status alone does not say it */
} rw_run;

/* prepare.c */
void rw_run_prepare(rw_run *r, rw_context *ctx, const rw_run_options *options, rw_run_report *report);
rw_status rw_run_read_case(rw_run *r, const rw_problem_ops *const *problems, const char *path);
rw_status rw_run_take_case(rw_run *r); /* the sections of the runner, from r->c */
rw_status rw_run_choose_folder(rw_run *r);
rw_status rw_run_open(rw_run *r); /* the device */
/* Opens the device, compares the estimate with its memory, and only then creates the problem. */
rw_status rw_run_create(rw_run *r, int64_t *bytes);
void rw_run_release(rw_run *r);
/* What `describe` says of a case that has been read; *text is to be freed with rw_free. */
typedef rw_status rw_run_description(rw_run *r, const void *user, rw_text *text);
rw_status rw_run_describe(rw_context *ctx, const char *path, const rw_run_options *options,
                          rw_run_description *describe, const void *user, char **text);
double rw_run_compile_seconds(const rw_run *r); /* that the run has waited for compilers */

/* advance.c */
void rw_run_take_problem(rw_run *r); /* what r keeps of r->problem */
enum { RW_PLACE_SIZE = 120 };
double rw_run_time(const rw_run *r);      /* of the present state; stationary: its iterations */
int64_t rw_run_steps(const rw_run *r);    /* accepted so far; the same */
const char *rw_run_axis(const rw_run *r); /* what they are called: "t", RW_ITERATION */
bool rw_run_ended(const rw_run *r);
/* "t = 0.5, step 12", so many steps later; "iteration 12, residual 1e-5 of 1e-8". Returns text. */
const char *rw_run_place(const rw_run *r, int more, char text[RW_PLACE_SIZE]);
void rw_run_time_text(const rw_run *r, double t, char text[64]); /* "t = 0.5 s" */
/* time.end, or the time of an output that is as good as equal to it. */
void rw_run_set_end(rw_run *r);
double rw_run_output_time(const rw_run *r, int64_t k); /* start + k*every, or the end */
double rw_run_next_output(const rw_run *r);
rw_status rw_run_advance(rw_run *r);
/* The end; of a stationary problem an estimate from the residuals so far, INFINITY: not known. */
double rw_run_expected_end(const rw_run *r);

/* folder.c */
/* Refuses a folder that cannot be used, before anything is computed; locks one that is to be continued or replaced.
 * *fresh: there is no checkpoint to continue from. */
rw_status rw_folder_check(rw_run *r, bool *fresh);
/* Makes and locks it; moves the files of an earlier run aside (fresh); removes half-written ones. */
rw_status rw_folder_begin(rw_run *r, bool fresh);
void rw_folder_end(rw_run *r);
void rw_run_path(const rw_run *r, const char *name, char path[RW_PATH_SIZE]);
/* "results folder 'X': cannot WHAT 'PATH': …" */
rw_status rw_folder_fail(const rw_run *r, const char *what, const char *path, int reason);
/* Before a file is written: its path, with its name in the list. ERR_INPUT, ERR_FILE: a link, a folder, or a file that
 * no run has written is in the way. */
rw_status rw_folder_claim(rw_run *r, const char *name, char path[RW_PATH_SIZE]);
/* The same for a picture of results that are there, "figures/NAME.png". It locks the folder and makes figures/. A file
 * that is not listed is replaced only with options.force. ERR_INPUT, ERR_FILE. */
rw_status rw_folder_claim_picture(rw_run *r, const char *name);
rw_status rw_folder_make(rw_run *r, const char *name); /* a subfolder */
/* Descriptor of a subfolder, "." for the folder itself; -1 with errno: not there, or a link. */
int rw_folder_open(int folder, const char *name);

/* aside.c */
rw_status rw_aside_begin(rw_run *r);
void rw_aside_discard(rw_run *r);
void rw_aside_remove(rw_run *r); /* the files in the list */
/* Finishes or undoes what a killed process has begun. */
rw_status rw_aside_recover(rw_run *r);
/* Of a run that has no output (or no checkpoint, where it replaces another run): removes its files and brings back
 * those moved aside. */
rw_status rw_aside_undo(rw_run *r, bool *restored);
void rw_aside_remove_temporaries(const rw_run *r);

/* unfinished.c: whether the folder, locked, holds nothing but the beginning of a run. Then r->journal is its list. */
bool rw_folder_is_unfinished(rw_run *r);

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
/* series.csv of a results folder with the units of series.json. */
rw_status rw_series_read(rw_context *ctx, const char *folder, rw_csv_table *table);
/* Computes a row and checks that it is finite: ERR_NOT_CONVERGED. With `write` it is put into series.csv. */
rw_status rw_series_row(rw_run *r, bool write);
rw_status rw_series_flush(rw_run *r);                   /* to the disk, at most once a second */
rw_status rw_output_check(rw_run *r);                   /* names in output.fields and output.figures */
rw_status rw_output_check_streamlines(const rw_run *r); /* the setting output.streamlines */
/* seconds: of the output, without waiting for steps and without compiling. */
rw_status rw_output_write(rw_run *r, bool last, double *seconds);
/* probes.c: the setting read; tables opened; a row of the points, or of the lines, for the present state. */
rw_status rw_probes_prepare(rw_run *r);
rw_status rw_probes_begin(rw_run *r, bool fresh);
rw_status rw_probes_write(rw_run *r, bool lines);
rw_status rw_probes_flush(rw_run *r);
rw_status rw_probes_save(rw_run *r, rw_h5 *file);
rw_status rw_probes_load(rw_run *r, rw_h5 *file);
rw_status rw_probes_draw(rw_run *r); /* probes_figures.c */
/* Columns of its table before the fields. */
int rw_probe_columns_before(const rw_run *r, const rw_probe *p);
rw_status rw_probes_close(rw_run *r);
void rw_probes_free(rw_run *r);
/* probes_names.c: whether a probe writes a file of this name in the subfolder; columns of values in its table: 1 of a
 * field, 2 of a complex one. */
bool rw_probes_owns(const rw_run *r, const char *folder, const char *name);
int rw_probe_parts(const rw_run *r, int field);
int rw_probe_columns(const rw_run *r); /* of all fields */
void rw_probe_column(const rw_run *r, int field, int part, char name[RW_PROBE_COLUMN]);
/* animation.c: refuses an animation without frames; makes them at the end. */
rw_status rw_animation_check(const rw_run *r);
rw_status rw_animation_make(rw_run *r);
/* contents.c */
rw_status rw_contents_begin(rw_run *r);                       /* after the checkpoint is loaded */
bool rw_contents_in(const rw_run *r, int output, int format); /* whether the output has files of a format */
bool rw_contents_has(const rw_run *r, int output, const char *field, int format);
rw_status rw_contents_save(rw_run *r, rw_h5 *file);
rw_status rw_contents_load(rw_run *r, rw_h5 *file);
void rw_contents_free(rw_run *r);
bool rw_contents_wants(const rw_texts *list, const rw_state_field *field);
/* Whether output.figures asks for pictures of a field; of one on a single node or cell only by its name. */
bool rw_contents_draws(const rw_run *r, int field);
/* Whether a field is the first component of a vector on a plane; whether output.streamlines names that vector. */
bool rw_contents_is_plane_vector(const rw_run *r, int field);
bool rw_contents_has_streamlines(const rw_run *r, int field);

/* figures.c */
typedef struct rw_field_picture {
    const char *title, *subtitle, *name, *unit;
    const rw_layout *grid;
    rw_dtype type;
    const void *data; /* shape (z, y, x) */
    rw_colormap map;
    double min, max;        /* equal: automatic */
    int view;               /* of a complex field */
    const double *arrow[2]; /* of a vector on a plane, whose moduli the data are; NULL: none */
    bool streamlines;       /* instead of arrows */
} rw_field_picture;
/* A field's values as they are drawn: f64, or complex ones; with the nodes of Dirichlet sides. */
typedef struct rw_frame {
    rw_layout grid;
    rw_dtype type;
    const void *data;
    const double *values; /* the same, unless they are complex */
    double *own;          /* what `data` points to, when it is not the field's; rw_free it */
    double low, high;     /* of the finite values; low > high: there is none */
    int ncomponents;      /* of a vector, of which `values` are the moduli; 0: it is none */
    const double *component[3];
} rw_frame;
/* The frame of a vector from those of its n components, which are freed; n = 1: that frame. */
rw_status rw_frame_join(rw_run *r, int n, rw_frame *parts, rw_frame *frame);
/* views.c: pictures of a field; a complex one may have two. */
enum { RW_VIEW_VALUE, RW_VIEW_PHASE, RW_VIEWS };
enum { RW_VIEW_NAME = 140 };
int rw_views(rw_dtype type, const rw_layout *grid);
/* Name of a picture: "A_abs", or that of the field where it has one picture. */
void rw_view_name(rw_dtype type, const rw_layout *grid, const char *field, int view, char name[RW_VIEW_NAME]);
/* The view of the field that has this name; -1: none. */
int rw_view_find(const char *field, const char *name);
/* figures_complex.c: arg/pi of n complex values, to be freed. */
rw_status rw_view_phase(rw_context *ctx, rw_dtype type, const void *data, size_t n, double **phase);
/* Widens the range by that of the complex values as they are drawn. */
void rw_view_range(const rw_layout *grid, rw_dtype type, const void *data, double *low, double *high);
rw_status rw_view_line(rw_context *ctx, const char *path, const rw_figure_page *page, const rw_field_picture *p,
                       const rw_figure_axis *axis);
/* size: of the data, with the nodes on Dirichlet sides (as outputs have them) or without (as arrays have them). */
rw_status rw_frame_make(rw_run *r, int field, rw_dtype type, const void *data, const int64_t size[3], double t,
                        rw_frame *frame);
/* frames.c: a field in the file of an output, or the vector that it begins. */
rw_status rw_frame_read(rw_run *r, rw_h5 *file, int field, double t, rw_frame *frame);
/* sides.c: the grid with the nodes on Dirichlet sides. has: (optional) which sides have them. */
rw_status rw_sides_grid(rw_run *r, rw_layout *grid, bool has[6]);
/* A field with these nodes. *own: what `values` points to, where that is not `data`; rw_free it. */
rw_status rw_sides_add(rw_run *r, int field, rw_dtype type, const void *data, double t, const void **values,
                       void **own);
/* The grid of the outputs. */
rw_status rw_output_outer(rw_run *r, rw_layout *grid);
/* frames.c: one colour scale for all pictures of a field. */
rw_status rw_frames_check(rw_run *r); /* the setting output.limits */
/* How values become colours, or places on an axis. min == max: automatic limits. */
typedef struct rw_scale {
    double min, max;
    rw_colormap map;
} rw_scale;
rw_status rw_frames_limits(rw_run *r, int field, int output, const rw_frame *frame, rw_scale *scale);
/* Whether the picture of an output can be drawn later, from the written field, and would be drawn again anyway. */
bool rw_frames_may_wait(const rw_run *r, int field, int output);
/* The picture whose limits have been asked for last is drawn later. */
void rw_frames_postpone(rw_run *r, int field);
rw_status rw_frames_catch_up(rw_run *r); /* draws what has been postponed, and waits for it */
rw_status rw_frames_finish(rw_run *r);   /* draws what has been postponed, and again what has other limits */
void rw_frames_free(rw_run *r);
/* The scale of a picture of existing results, as the run chose it. */
rw_status rw_frames_of_results(rw_run *r, int field, const rw_frame *frame, rw_scale *scale);
rw_status rw_picture_field(rw_context *ctx, const char *path, const rw_field_picture *picture);
rw_status rw_picture_series(rw_context *ctx, const char *path, const char *title, const rw_csv_table *table,
                            int column);
/* figures_streamlines.c: of the components u and v, f32 or f64, at the nodes of a plane; rw_streamlines_free them. */
rw_status rw_trace_streamlines(rw_context *ctx, const rw_layout *grid, rw_dtype type, const void *u, const void *v,
                               rw_streamlines *lines);
/* A strip so thin that its picture is stretched. */
bool rw_layout_is_thin(const rw_layout *grid);
/* Their group in the HDF5 file of an output, NAME-streamlines: no name of a field. */
#define RW_STREAMLINES "-streamlines"
bool rw_is_streamlines(const char *name);
/* figures_blocks.c: a section of a field (f64) on a block-structured grid, 0: across z, 1: along it. */
enum { RW_SECTIONS = 2 };
extern const char *const rw_section_names[RW_SECTIONS];
rw_status rw_picture_section(rw_context *ctx, const char *path, const rw_field_picture *picture, int which);
/* Two sections of a field on a block-structured grid, figures/FILE-across.png and FILE-along.png. */
rw_status rw_figures_sections(rw_run *r, const rw_field_picture *picture, const char *file);
/* Values as f64. *own: what *values points to, where that is not `data`; rw_free it. */
rw_status rw_to_f64(rw_context *ctx, rw_dtype type, const void *data, size_t n, const double **values, double **own);
void rw_picture_label(const char *name, const char *unit, char *text, size_t size); /* "u (K)" */
rw_status rw_figures_points(rw_run *r, const rw_state_field *field, int output);    /* figures_points.c */
rw_status rw_figures_output(rw_run *r, const rw_state_field *field, int output);
/* The picture of an output of time t, of these values and limits. `again`: it has been drawn before. The frame's own
 * values may become the picture's. */
rw_status rw_figures_frame(rw_run *r, const rw_state_field *field, int output, double t, rw_frame *frame,
                           const rw_scale *scale, bool again);
/* drawing.c: a picture whose data are f64 is drawn by a thread. *own: the data, taken over and set to NULL, or NULL:
 * they are copied. Failures of earlier pictures are reported here and by rw_drawing_wait. */
typedef rw_status rw_picture_draw(rw_context *ctx, const char *path, const rw_field_picture *picture);
rw_status rw_drawing_add(rw_run *r, const char *path, rw_picture_draw *draw, const rw_field_picture *picture,
                         double **own);
bool rw_drawing_busy(const rw_run *r); /* the next one would wait for others */
void rw_drawing_hurry(rw_run *r);      /* steps no longer need the cores */
rw_status rw_drawing_wait(rw_run *r);  /* until all are drawn */
void rw_drawing_free(rw_run *r);       /* after the present ones */
/* Whether a column of series.csv is drawn by default: it is neither constant, nor that of another column of the same
 * field, nor the number of steps of one length. */
bool rw_series_is_drawn(const rw_csv_table *table, int column);
rw_status rw_figures_series(rw_run *r);
/* figures_curves.c: a system without space. The columns of the fields to draw (room for all fields), whether they share
 * a picture, and that picture. */
int rw_curves_find(const rw_run *r, const rw_csv_table *table, int *columns);
bool rw_curves_share(const rw_csv_table *table, const int *columns, int n);
rw_status rw_picture_curves(rw_context *ctx, const char *path, const char *title, const rw_csv_table *table,
                            const int *columns, int n);
rw_status rw_figures_curves(rw_run *r);

/* plot_run.c: the run that made results, from their settings.yaml: case, outline of the problem, grid; for
 * rw_frame_make and rw_frames_of_results. *known: false where there is no settings.yaml, or the problem has no outline.
 * r->top and r->output hold the settings without an outline too. folder NULL: the run is not known. rw_run_release
 * it. */
rw_status rw_plot_find_run(rw_context *ctx, const char *folder, const rw_plot_options *options, rw_run *r,
                           rw_run_report *report, bool *known);
/* Settings that --set may change for pictures of results that are there. */
enum { RW_PLOT_LIMITS, RW_PLOT_COLORMAP, RW_PLOT_STREAMLINES, RW_PLOT_TITLE, RW_PLOT_SETTINGS };
/* One warning that names the settings given by options->set that no picture has used. */
void rw_plot_warn_unused(rw_context *ctx, const rw_plot_options *options, const bool used[RW_PLOT_SETTINGS]);
enum { RW_PLOT_OUTPUTS = 10000000 }; /* most outputs of a run that are read */
/* backend.c */
rw_status rw_backend_find(rw_run *r); /* after the device is open */
rw_status rw_backend_save(rw_run *r, rw_h5 *file);
rw_status rw_backend_compare(rw_run *r, rw_h5 *file); /* one warning when it is another one */

/* restart.c */
rw_status rw_restart_save(rw_run *r, rw_h5 *file);
/* Refuses settings that belong to another state; reports those that change. *known: the checkpoint holds its
 * settings. */
rw_status rw_restart_check(rw_run *r, rw_h5 *file, const char *path, bool *known);

/* Refuses an end before the time of the checkpoint; reports what the end of the earlier run has changed. */
rw_status rw_restart_check_end(const rw_run *r);

/* checkpoint.c */
rw_status rw_checkpoint_write(rw_run *r);
/* Loads problem and runner; the position of series.csv to continue at. */
rw_status rw_checkpoint_load(rw_run *r, uint64_t *position);

/* watch.c */
/* Books the time since the last call on the phase that ends, with the work that the device still has to do for it: the
 * end of steps waits for the queue, which outputs and checkpoints would do. Returns the phase that has ended, to go
 * back to. */
rw_phase rw_watch(rw_run *r, rw_phase phase);

/* progress.c */
void rw_pace_begin(rw_run *r);
void rw_pace_step(rw_run *r, bool last);        /* calls the user's function when it is due */
void rw_pace_output(rw_run *r, double seconds); /* calls it after an output that took that long */
/* Calls it before the first picture of a field that is drawn again, and then when it is due. */
void rw_pace_redraw(rw_run *r, const char *field, int redrawn, int redraws);
void rw_pace_compiling(void *run, const char *program, int known);
/* After a compilation: reports the progress of the run, so that the display does not stay at compiling. */
void rw_pace_compiled(void *run);
void rw_pace_end(rw_run *r);

/* check.c: remembers what the steps of a finished run took, for rw_check_case. */
void rw_check_learn(const rw_run *r);

/* The run with a table of problems of one's own: for tests. */
rw_status rw_run_with(rw_context *ctx, const rw_problem_ops *const *problems, const char *path,
                      const rw_run_options *options, rw_run_report *report);

#endif
