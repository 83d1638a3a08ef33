/* Running a case: the command `rechenwerk run case.yaml` for C programs; its names, settings and help; the self-test of
 * a device; figures. Link librechenwerk-run.
 *
 *   rw_run_options options = {.device = "cuda:0"};
 *   rw_run_report report;
 *   rw_status status = rw_run_case(ctx, "case.yaml", &options, &report);
 *
 * The results folder contains
 *   settings.yaml   effective settings, each with its origin
 *   run.json        version, commit, device, reason for stopping, timings, statistics
 *   log.jsonl       events with their times, one JSON object per line
 *   series.csv      scalars against time; series.json: their units
 *   fields.h5       each field over all outputs with its axes, in the conventions of netCDF-4, by reference to
 *                   fields/000000.h5, …; fields.xdmf and fields.pvd are for ParaView
 *   figures/        pictures
 *   checkpoint.h5   the state, from which `restart` continues bit-identically
 *   run.files       names of all files that runs have written here; `force` replaces no other files
 * Each file appears complete or not at all: a process killed at any moment leaves the last complete ones. */
#ifndef RECHENWERK_RUN_H
#define RECHENWERK_RUN_H

#include <stdint.h>

#include "rechenwerk/core.h"
#include "rechenwerk/device.h"
#include "rechenwerk/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Progress of a run. */
typedef struct rw_run_progress {
    int64_t step;
    double time, start, end;
    double seconds;           /* wall-clock time since the first step of this process */
    double steps_per_second;  /* over the last few seconds; 0: unknown */
    double points_per_second; /* grid nodes times steps */
    double seconds_left;      /* estimate at the current or still growing rate; negative: unknown */
    int64_t outputs;          /* written so far */
    /* name of the program that is being compiled, otherwise NULL; all members above are then 0, seconds_left is
     * negative */
    const char *compiling;
    int64_t compilations;       /* index of this compilation, from 1 */
    int64_t compilations_known; /* compilations known so far; grows if auto chooses a method; 0: unknown */
    /* At the end of a run: name of the field whose pictures are drawn again, with the final limits; otherwise NULL.
     * `redrawn` of `redraws` pictures are done. */
    const char *redrawing;
    int64_t redrawn, redraws;
} rw_run_progress;

/* A status other than OK ends the run as rw_run_options.cancel does; rw_run_case returns that status. */
typedef rw_status rw_run_progress_function(void *user, const rw_run_progress *progress);

/* Options of a run. A zeroed member has its default: the unchanged case, with its results in results/NAME. */
typedef struct rw_run_options {
    const char *folder;     /* results folder. Default: results/NAME for NAME.yaml. */
    const char *device;     /* Default: that of the case. */
    const char *const *set; /* [nset] "section.key=value", applied before checks */
    int64_t nset;
    bool restart; /* continues from the checkpoint in the folder */
    /* Replaces the results of a folder that is not empty. They are deleted after the first checkpoint of the new run,
     * and restored if the run fails earlier. */
    bool force;
    /* (optional) When requested, the run completes the step, writes a checkpoint and stops. */
    const rw_cancel *cancel;
    /* (optional) Called several times per second, after each output, and before each compilation. */
    rw_run_progress_function *progress;
    void *user;
} rw_run_options;

/* Report of a run. */
typedef struct rw_run_report {
    char folder[1024]; /* results folder; "": the run has left no files */
    /* "done", "interrupted", "not_finite", "not_converged", "check_failed", "failed"; "": not started */
    char reason[32];
    char problem[32], device[32];
    /* "rock4", "" if the problem has no method; why it was chosen, "" if the case names it */
    char method[16], method_reason[240];
    double time, end;
    int64_t step, outputs, pictures;
    int64_t checks, checks_passed; /* checks of the case, made at the end of the run */
    double seconds;
} rw_run_report;

/* Runs a case to its end. A run that fails before its first output leaves no files. A folder in which a run was killed
 * or failed before it wrote more than the initial state counts as empty.
 * options, report: optional. *report is complete whatever the status.
 * Errors: ERR_INPUT: the case; the folder (not empty, a foreign file where a run writes, the checkpoint of another
 *     case); a damaged checkpoint. ERR_MEMORY: the case needs more memory than the device has free, found before
 *     anything is allocated. ERR_NOT_CONVERGED: a scalar is not finite, a method failed, or the final state fails a
 *     check of the case; in the last case the results are complete. ERR_INTERRUPTED: a checkpoint was written, unless
 *     the run had not started its first step. ERR_FILE; ERR_DEVICE; those of the problem.
 * Threads: concurrent runs need one context each: a case with `reproducible` changes the mode of its context while it
 *     runs. */
RW_API rw_status rw_run_case_sized(rw_context *context, const char *path, const rw_run_options *options,
                                   rw_run_report *report, size_t options_size, size_t report_size);
#define rw_run_case(...) rw_run_case_sized(__VA_ARGS__, sizeof(rw_run_options), sizeof(rw_run_report))

/* Describes the passes over memory, bytes and operations of a case on its device as text. Free it with rw_free. Nothing
 * is run or written.
 * Errors: those of rw_run_case for the case and the device. */
RW_API rw_status rw_explain_case_sized(rw_context *context, const char *path, const rw_run_options *options,
                                       char **text, size_t options_size);
#define rw_explain_case(...) rw_explain_case_sized(__VA_ARGS__, sizeof(rw_run_options))

/* Describes the dependency graph of one step of a case as text (rw_ode_depgraph, docs/methods/depgraph.md). Free it
 * with rw_free.
 * stages: approximate number of stages of methods that choose it (default: 7).
 * dot: (optional) file for Graphviz, which appears complete or not at all.
 * Errors: ERR_UNSUPPORTED: the problem has no such steps; ERR_FILE; those of rw_explain_case. */
RW_API rw_status rw_explain_graph_sized(rw_context *context, const char *path, const rw_run_options *options,
                                        int stages, const char *dot, char **text, size_t options_size);
#define rw_explain_graph(...) rw_explain_graph_sized(__VA_ARGS__, sizeof(rw_run_options))

/* Options of pictures of existing results. The pictures are those of the run: colours, limits and nodes on Dirichlet
 * sides follow settings.yaml. output.limits: auto (the default) and run require reading the field from all outputs.
 * Without settings.yaml each picture has its own limits. Options NULL: the last output, all fields.
 *
 * Pictures in the folder figures/ of the results are listed in run.files. Listed pictures are replaced, and a run with
 * `force` replaces them too. The folder is locked meanwhile. */
typedef struct rw_plot_options {
    const char *field; /* a field or a column of series.csv. Default: all. */
    bool at_time;      /* draws the output nearest to `time`. Default: the last output. */
    double time;
    /* A .png file (one picture) or a folder. A new name with another ending is ERR_ARGUMENT, unless it ends in '/'.
     * Default: the folder figures/ of the results; for a single .h5 file the current folder. */
    const char *output;
    /* [nset] settings that differ from the case: "output.limits=frame", "output.colormap=diverging", "title=…" */
    const char *const *set;
    int64_t nset;
    /* replaces files in figures/ of the results that are not in run.files. Default: they are ERR_INPUT. */
    bool force;
} rw_plot_options;
/* Called for each picture written; a status other than OK ends the drawing and is returned. */
typedef rw_status rw_plot_function(void *user, const char *path);
/* Draws pictures from a results folder, or from one .h5 file of its fields.
 * options, written: optional.
 * Errors: ERR_INPUT: no results, an unknown field, a setting other than these; ERR_ARGUMENT: output; ERR_FILE, also
 *     while a run writes into the folder; ERR_MEMORY. */
RW_API rw_status rw_plot_results_sized(rw_context *context, const char *path, const rw_plot_options *options,
                                       rw_plot_function *written, void *user, size_t options_size);
#define rw_plot_results(...) rw_plot_results_sized(__VA_ARGS__, sizeof(rw_plot_options))

/* ---- names, settings and help ------------------------------------------------------------------------------------ */

/* Names, settings and help from the parameter tables, for help texts, templates of cases, bindings, manual pages and
 * shell completion. Link librechenwerk-run.
 * Lifetime: free all texts and lists with rw_free. */

typedef struct rw_word {
    const char *name, *line; /* "time.rtol", "relative tolerance of a step" */
} rw_word;

/* Lists the names of a kind: "problems", "methods", "settings" (of all problems, for --set), "functions" (of the
 * expression language), "formats" (of sparse matrices), "solvers" (of linear systems), "preconditioners", "filters" (of
 * images), "signals" (operations on signals), "exit-codes". A list is one block of memory.
 * Errors: ERR_ARGUMENT with the nearest kind; ERR_MEMORY. */
RW_API rw_status rw_list_words(rw_context *context, const char *kind, rw_word **words, int64_t *n);
/* The kinds, terminated by NULL. */
RW_API const char *const *rw_word_kinds(void);

/* Describes a problem ("pde"), a section ("time"), a setting ("time.rtol", or "rtol" if that is unambiguous) or a
 * function ("laplace").
 * Errors: ERR_ARGUMENT with the nearest name; ERR_MEMORY. */
RW_API rw_status rw_help(rw_context *context, const char *name, char **text);

/* Writes a commented case of the problem that can be run unchanged.
 * Errors: ERR_ARGUMENT with the nearest problem; ERR_MEMORY. */
RW_API rw_status rw_case_template(rw_context *context, const char *problem, char **text);

/* Writes all tables as JSON: problems, sections, settings with kind, default, allowed values and unit, exit codes.
 * Errors: ERR_MEMORY. */
RW_API rw_status rw_describe(rw_context *context, char **json);

/* Writes the values of all enumerations of options as Fortran constants: rw_krylov_gmres = 3, … Errors: ERR_MEMORY. */
RW_API rw_status rw_describe_fortran(rw_context *context, char **fortran);

/* Writes the settings of a case as a part of the manual page (roff, man macros). Errors: ERR_MEMORY. */
RW_API rw_status rw_describe_manual(rw_context *context, char **roff);

/* ---- self-test --------------------------------------------------------------------------------------------------- */

/* The self-test compares operations on a device with references for one known case each, to find faulty drivers:
 * memory, reductions, expressions, integrators, transforms, image filters, matrices, solvers, signals. */

typedef struct rw_selftest_result {
    char name[64]; /* "reduce dot c128" */
    bool passed;
    double error, tolerance; /* largest deviation from the reference, relative; its upper bound */
    double seconds;          /* compilation included */
    char note[256];          /* message of a failure; "" if passed */
} rw_selftest_result;

/* Runs all tests. A failed test is an entry of the list, not an error of the call. Free the list with rw_selftest_free.
 * Errors: ERR_MEMORY. */
RW_API rw_status rw_selftest_sized(rw_context *context, rw_device *device, rw_selftest_result **list, int64_t *count,
                                   size_t element_size);
#define rw_selftest(...) rw_selftest_sized(__VA_ARGS__, sizeof(rw_selftest_result))
RW_API void rw_selftest_free(rw_selftest_result **list);

/* ---- figures ----------------------------------------------------------------------------------------------------- */

/* Figures as PNG: line plots, bar charts, colour maps and surface plots of plane fields, slices of volumes, images,
 * convergence histories of solvers and sparsity patterns. Link librechenwerk-run.
 *
 *   rw_figure_series s = {.name = "residual", .n = n, .x = x, .y = y};
 *   rw_figure_lines lines = {.y = {.label = "|r|", .log = true}, .n = 1, .series = &s};
 *   rw_figure_write_lines(ctx, "residual.png", &(rw_figure_page){.title = "GMRES"}, &lines);
 *
 * A zeroed structure has the defaults: automatic size and limits, no labels. Text is UTF-8: ASCII, German letters,
 * Greek letters, superscript and subscript digits and some signs. The background is white.
 *
 * Each function writes one PNG, which appears complete or not at all. page: optional.
 * Errors of all: ERR_ARGUMENT: sizes of 0, a page out of range, limits that are not finite, limits <= 0 of a
 * logarithmic axis; ERR_FILE; ERR_MEMORY. */

/* value, name */
/* clang-format off */
#define RW_COLORMAP_LIST(X)                                                                                            \
    X(SEQUENTIAL, "sequential")                                                                                        \
    X(DIVERGING, "diverging")                                                                                          \
    X(GREY, "grey")                                                                                                    \
    X(CYCLIC, "cyclic")
/* clang-format on */

typedef enum rw_colormap {
#define RW_X(value, name) RW_COLORMAP_##value,
    RW_COLORMAP_LIST(RW_X)
#undef RW_X
        RW_COLORMAPS
} rw_colormap;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_colormap_name(rw_colormap value);
RW_API rw_status rw_colormap_parse(rw_context *context, const char *name, rw_colormap *value);

/* An axis, or a colour bar. */
typedef struct rw_figure_axis {
    const char *label; /* "x / m". Default: none. */
    double min, max;   /* limits. min == max: automatic limits. */
    bool log;          /* logarithmic, base 10; values <= 0 count as missing */
} rw_figure_axis;

/* Size and titles of a figure. */
typedef struct rw_figure_page {
    /* pixels, 200 … 16384. Default: up to 1400 x 1100 (volumes: 1800 x 1100), reduced to the shape of the data; bar
     * charts: as high as their groups. */
    int width, height;
    const char *title;    /* one line above the figure. Default: none. */
    const char *subtitle; /* smaller, grey, below the title: "t = 0.5 s". Default: none. */
    double text;          /* size of the axis text in pixels. Default: 1/50 of the shorter side, at least 12. */
} rw_figure_page;

/* A plane field: values[j*nx + i] fills cell (i, j) of nx x ny cells of the rectangle [x0, x1] x [y0, y1], with y
 * upward. For values at nodes extend the rectangle by half a spacing on each side. NaN is drawn in the colour of
 * missing values. */
typedef struct rw_figure_field {
    size_t nx, ny;
    const double *values;
    double x0, x1, y0, y1; /* x0 == x1: 0 … nx; y0 == y1: 0 … ny */
    const char *x_label, *y_label;
    rw_figure_axis value; /* the colour bar; automatic limits of a diverging map are symmetric about 0 */
    rw_colormap map;
    bool stretch; /* fills the page. Default: equal scales of x and y. */
    bool down;    /* y points downward, like rows of a matrix: values[0 … nx - 1] are at the top */
} rw_figure_field;

typedef enum rw_figure_style {
    RW_FIGURE_LINE,
    RW_FIGURE_DASHED,
    RW_FIGURE_POINTS,
    RW_FIGURE_LINE_POINTS
} rw_figure_style;
/* Name of a value in texts, and the value of a name. */
RW_API const char *rw_figure_style_name(rw_figure_style value);
RW_API rw_status rw_figure_style_parse(rw_context *context, const char *name, rw_figure_style *value);

/* One data series, y against x. Points that are NaN or infinite interrupt the line. */
typedef struct rw_figure_series {
    const char *name; /* entry in the legend. Default: none. */
    size_t n;
    const double *x, *y;
    rw_figure_style style;
} rw_figure_series;

/* A line plot. With automatic limits a single series that is constant to seven digits is drawn as a constant, with its
 * value: "constant: 0.1234567". */
typedef struct rw_figure_lines {
    rw_figure_axis x, y;
    int64_t n;
    const rw_figure_series *series; /* [n], coloured in turn */
    /* magnitude of the data that a single series is computed from: values below 1e-13 scale are rounding errors and
     * drawn as 0. Default: unknown. */
    double scale;
} rw_figure_lines;

/* A bar chart of 1 to 200 groups and 1 to 40 series: values[s*ngroups + g] is the value of series s in group g. Groups
 * are stacked vertically with their names on the left; bars extend to the right and are labelled with their values.
 * Values that are not finite, or not positive on a logarithmic axis, have no bar. */
typedef struct rw_figure_bars {
    rw_figure_axis value; /* automatic limits begin at 0, on a logarithmic axis at half of the smallest value */
    int64_t ngroups, nseries;
    const char *const *group;  /* [ngroups] */
    const char *const *series; /* [nseries] */
    const double *values;
    int pale; /* the last `pale` series are drawn in paler colours, for values of others */
} rw_figure_bars;

/* A volume: values[(k*ny + j)*nx + i] fills cell (i, j, k) of the box [lower, upper]. The slices z, y and x = const are
 * drawn next to each other with one colour bar; each shows where the others intersect it. */
typedef struct rw_figure_volume {
    size_t n[3];
    const double *values;
    double lower[3], upper[3]; /* lower[a] == upper[a]: 0 … n[a] */
    const char *label[3];      /* of the axes. Default: x, y, z. */
    bool choose;               /* the slices pass through at[]. Default: through the centre. */
    double at[3];
    rw_figure_axis value;
    rw_colormap map;
} rw_figure_volume;

/* An image of shape [height][width] or [height][width][channels] with 1 to 4 channels (rechenwerk/image.h), of type u8,
 * u16, i16, f16, f32 or f64. */
typedef struct rw_figure_image {
    const char *title; /* above the image. Default: none. */
    rw_array *image;
} rw_figure_image;

/* A colour map with axes and colour bar. A field of which all values are NaN is drawn, too. */
RW_API rw_status rw_figure_write_field_sized(rw_context *context, const char *path, const rw_figure_page *page,
                                             const rw_figure_field *field, size_t page_size, size_t field_size);
#define rw_figure_write_field(...)                                                                                     \
    rw_figure_write_field_sized(__VA_ARGS__, sizeof(rw_figure_page), sizeof(rw_figure_field))
/* The same field as a shaded surface over its rectangle, seen from the side of high x and low y. A value is the height
 * above the centre of its cell. Values outside the limits are clamped to them; missing values leave holes. */
RW_API rw_status rw_figure_write_surface_sized(rw_context *context, const char *path, const rw_figure_page *page,
                                               const rw_figure_field *field, size_t page_size, size_t field_size);
#define rw_figure_write_surface(...)                                                                                   \
    rw_figure_write_surface_sized(__VA_ARGS__, sizeof(rw_figure_page), sizeof(rw_figure_field))
/* A line plot, a bar chart, the slices of a volume. */
RW_API rw_status rw_figure_write_lines_sized(rw_context *context, const char *path, const rw_figure_page *page,
                                             const rw_figure_lines *lines, size_t page_size, size_t lines_size);
#define rw_figure_write_lines(...)                                                                                     \
    rw_figure_write_lines_sized(__VA_ARGS__, sizeof(rw_figure_page), sizeof(rw_figure_lines))
RW_API rw_status rw_figure_write_bars_sized(rw_context *context, const char *path, const rw_figure_page *page,
                                            const rw_figure_bars *bars, size_t page_size, size_t bars_size);
#define rw_figure_write_bars(...)                                                                                      \
    rw_figure_write_bars_sized(__VA_ARGS__, sizeof(rw_figure_page), sizeof(rw_figure_bars))
RW_API rw_status rw_figure_write_volume_sized(rw_context *context, const char *path, const rw_figure_page *page,
                                              const rw_figure_volume *volume, size_t page_size, size_t volume_size);
#define rw_figure_write_volume(...)                                                                                    \
    rw_figure_write_volume_sized(__VA_ARGS__, sizeof(rw_figure_page), sizeof(rw_figure_volume))

/* Draws 1 to 8 images next to each other on one scale, each with its title, size and type above and the histogram of
 * its values below, one curve per channel. An image that would be smaller than a quarter of its space is drawn on a
 * larger scale. Large images are reduced, small ones enlarged by integer factors. Values below black or above white are
 * drawn and counted as black or white. Alpha is composited over white and not counted. The images are read from the
 * host copy, which is brought up to date first.
 * Errors: ERR_ARGUMENT: another number, shape or type. */
RW_API rw_status rw_figure_write_images_sized(rw_context *context, const char *path, const rw_figure_page *page,
                                              int64_t n, const rw_figure_image *images, size_t page_size);
#define rw_figure_write_images(...) rw_figure_write_images_sized(__VA_ARGS__, sizeof(rw_figure_page))

/* Draws a convergence history: the residual norms residual[0 … n - 1] of iterations 0 … n - 1, from a
 * rw_krylov_monitor, on a logarithmic scale.
 * right_side: |b|, by which the residuals are divided; 0: absolute residuals.
 * tolerance: |r| at which a dashed line is drawn; 0: none.
 * title: optional.
 * Errors: ERR_ARGUMENT: n < 1. */
RW_API rw_status rw_figure_write_residuals(rw_context *context, const char *path, const char *title, int64_t n,
                                           const double *residual, double right_side, double tolerance);

/* Draws the sparsity pattern of a matrix, row 0 at the top, as the fill ratio of up to 512 x 512 squares.
 * title: optional. */
RW_API rw_status rw_figure_write_pattern(rw_context *context, const char *path, const char *title,
                                         const rw_entries *entries);

#ifdef __cplusplus
}
#endif
#endif
