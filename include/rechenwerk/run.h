/* Running a case: what the command `rechenwerk run case.yaml` does, for C programs. Link
 * librechenwerk-run.
 *
 *   rw_run_options options = {.device = "cuda:0"};
 *   rw_run_report report;
 *   rw_status status = rw_run_case(ctx, "case.yaml", &options, &report);
 *
 * The results folder holds
 *   settings.yaml   effective settings, each with where it came from
 *   run.json        version, commit, device, reason for stopping, timings, statistics
 *   log.jsonl       what happened when, a JSON object a line
 *   series.csv      scalars against time
 *   fields.h5       all outputs of the fields, as links into fields/000000.h5, …; fields.xdmf and fields.pvd are for
 *                   ParaView
 *   figures/        pictures
 *   checkpoint.h5   the state, from which `restart` continues to the same bits
 *   run.files       names of all files that runs have written here: `force` touches no others
 * Each file appears whole or not at all: a process killed at any moment leaves the last good ones. */
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
    double seconds;             /* wall time since the first step of this process */
    double steps_per_second;    /* of the last seconds; 0: not known yet */
    double points_per_second;   /* grid nodes times steps */
    double seconds_left;        /* estimate at the current or still growing rate; negative: not known yet */
    int64_t outputs;            /* written so far */
    const char *compiling;      /* name of the program that is being compiled; all members above are then 0 */
    int64_t compilations;       /* its number, from 1 */
    int64_t compilations_known; /* programs to compile as far as known; grows if auto chooses a method; 0: not known */
} rw_run_progress;

/* A status other than OK ends the run as rw_run_options.cancel does; rw_run_case returns that status. */
typedef rw_status rw_run_progress_function(void *user, const rw_run_progress *progress);

/* Options of a run. All zero: the case unchanged, into results/NAME. */
typedef struct rw_run_options {
    const char *folder;     /* results folder. Default: results/NAME for NAME.yaml. */
    const char *device;     /* Default: that of the case. */
    const char *const *set; /* [nset] "section.key=value", applied before checks */
    int nset;
    bool restart; /* continue from the folder's checkpoint */
    /* Replaces the results of a folder that is not empty. They are deleted after the first checkpoint of the new run,
     * and restored if it fails earlier. */
    bool force;
    const rw_cancel *cancel; /* (optional) when requested: finish the step, save, stop */
    /* (optional) called several times per second, after each output and before each compilation */
    rw_run_progress_function *progress;
    void *user;
} rw_run_options;

typedef struct rw_run_report {
    char folder[1024]; /* results folder; "": the run has left no files */
    /* "done", "interrupted", "not_finite", "not_converged", "check_failed", "failed"; "": not started */
    char reason[32];
    char problem[32], device[32];
    /* "rock4", and why it was chosen ("": the case names it); "": the problem has no method */
    char method[16], method_reason[240];
    double time, end;
    int64_t step, outputs, pictures;
    int64_t checks, checks_passed; /* of the case, at the end */
    double seconds;
} rw_run_report;

/* Runs a case to its end. A run that fails before its first output leaves no files. A folder in which a run was killed,
 * or failed, before it wrote more than the initial state counts as empty. report: optional; complete whatever the
 * status. Errors: ERR_INPUT: the case, the folder (not empty, a foreign file where a run writes, the checkpoint of
 * another case), a
 *     damaged checkpoint; ERR_MEMORY: the case needs more memory than the device has free, found before anything is
 *     allocated; ERR_FILE; ERR_DEVICE; ERR_NOT_CONVERGED: a scalar is not finite, a method failed, or the final state
 *     fails a check of the case (the results are then complete); ERR_INTERRUPTED: a checkpoint was written; and those
 *     of the problem. */
RW_API rw_status rw_run_case_sized(rw_context *context, const char *path, const rw_run_options *options,
                                   rw_run_report *report, size_t options_size, size_t report_size);
#define rw_run_case(...) rw_run_case_sized(__VA_ARGS__, sizeof(rw_run_options), sizeof(rw_run_report))

/* Passes over memory, bytes and operations of a case on its device, as text. Free it with free(). Nothing is run or
 * written. */
RW_API rw_status rw_explain_case_sized(rw_context *context, const char *path, const rw_run_options *options,
                                       char **text, size_t options_size);
#define rw_explain_case(...) rw_explain_case_sized(__VA_ARGS__, sizeof(rw_run_options))

/* The dependency graph of one step of a case as text (rw_ode_depgraph, docs/methods/depgraph.md). Free it with free().
 * stages: approximate number (default: 7). dot: (optional) file for Graphviz, which appears complete or not at all.
 * Errors: ERR_UNSUPPORTED: the problem has no such steps; ERR_FILE; and those of rw_explain_case. */
RW_API rw_status rw_explain_graph_sized(rw_context *context, const char *path, const rw_run_options *options,
                                        int stages, const char *dot, char **text, size_t options_size);
#define rw_explain_graph(...) rw_explain_graph_sized(__VA_ARGS__, sizeof(rw_run_options))

/* Draws from a results folder, or from one .h5 file of its fields, as the run does: with the colours, limits and nodes
 * on Dirichlet sides that settings.yaml asks for. With output.limits: run, the default, that takes reading the field of
 * all outputs. Without settings.yaml each picture has limits of its own.
 *
 * Pictures in the folder figures/ of the results are listed in its run.files, as those of a run are: pictures that are
 * listed are replaced, and a run with --force replaces them. The folder is locked meanwhile: ERR_FILE while a run
 * writes into it. */
typedef struct rw_plot_options {
    const char *field; /* a field or a column of series.csv; NULL: all fields */
    double time;       /* the nearest output; NaN: the last one */
    /* a .png file (one picture) or a folder; NULL: the folder figures/ of the results, or ".". A new name with another
     * ending is ERR_ARGUMENT unless it ends in '/' */
    const char *output;
    /* [nset] "output.limits=frame", "output.colormap=diverging", "title=…": other than in the case */
    const char *const *set;
    int nset;
    /* replace files in figures/ of the results that are not in run.files (default: they are ERR_INPUT) */
    bool force;
} rw_plot_options;
/* Called for each picture written; a status other than OK ends the drawing and is returned. */
typedef rw_status rw_plot_function(void *user, const char *path);
RW_API rw_status rw_plot_results_sized(rw_context *context, const char *path, const rw_plot_options *options,
                                       rw_plot_function *written, void *user, size_t options_size);
#define rw_plot_results(...) rw_plot_results_sized(__VA_ARGS__, sizeof(rw_plot_options))

/* ---- names, settings and help ------------------------------------------------------------------------------------ */

/* Names, settings and help from the parameter tables: for help texts, templates of cases, bindings, manual pages and
 * shell completion. Link librechenwerk-run.
 *
 * Free all texts and lists with free(). */

typedef struct rw_word {
    const char *name, *line; /* "time.rtol", "relative tolerance of a step" */
} rw_word;

/* Lists the names of a kind: "problems", "methods", "settings" (of all problems, as --set takes them), "functions" (of
 * the expression language), "formats" (of sparse matrices), "solvers" (of linear systems), "preconditioners",
 * "exit-codes". Errors: ERR_ARGUMENT with the nearest kind; ERR_MEMORY. */
RW_API rw_status rw_list_words(rw_context *context, const char *kind, rw_word **words, int *n);
/* The kinds, terminated by NULL. */
RW_API const char *const *rw_word_kinds(void);

/* Help on a problem ("pde"), a section ("time"), a setting ("time.rtol", or "rtol" if that is unambiguous) or a
 * function ("laplace"). Errors: ERR_ARGUMENT with the nearest name. */
RW_API rw_status rw_help(rw_context *context, const char *name, char **text);

/* A commented case of the problem that can be run unchanged. Errors: ERR_ARGUMENT with the nearest problem. */
RW_API rw_status rw_case_template(rw_context *context, const char *problem, char **text);

/* All tables as JSON: problems, sections, settings with kind, default, allowed values, unit; exit codes. */
RW_API rw_status rw_describe(rw_context *context, char **json);

/* Values of all enumerations of options as Fortran constants: rw_krylov_gmres = 3, … */
RW_API rw_status rw_describe_fortran(rw_context *context, char **fortran);

/* The part of the manual page (roff, man macros) that the tables give: the settings of a case. */
RW_API rw_status rw_describe_manual(rw_context *context, char **roff);

/* ---- self-test --------------------------------------------------------------------------------------------------- */

/* One known case for each operation on a device, against the reference: is this driver fit to compute? */

typedef struct rw_selftest_result {
    char name[64]; /* "reduce dot c128" */
    bool passed;
    double error, tolerance; /* largest relative deviation from the reference, and what is allowed */
    double seconds;          /* compiling included */
    char note[256];          /* message of a failure */
} rw_selftest_result;

/* Runs all cases; a failing one is a row, not an error of the call. Free the list with rw_selftest_free. */
RW_API rw_status rw_selftest_sized(rw_context *context, rw_device *device, rw_selftest_result **list, int *count,
                                   size_t element_size);
#define rw_selftest(...) rw_selftest_sized(__VA_ARGS__, sizeof(rw_selftest_result))
RW_API void rw_selftest_free(rw_selftest_result **list);

/* ---- figures ----------------------------------------------------------------------------------------------------- */

/* Figures as PNG: line plots, bars, colour maps and surfaces of plane fields, slices of a volume; histories of solvers
 * and sparsity patterns. Link librechenwerk-run.
 *
 *   rw_figure_series s = {.name = "residual", .n = n, .x = x, .y = y};
 *   rw_figure_lines lines = {.y = {.label = "|r|", .log = true}, .n = 1, .series = &s};
 *   rw_figure_write_lines(ctx, "residual.png", &(rw_figure_page){.title = "GMRES"}, &lines);
 *
 * A zeroed structure has the defaults: automatic size and limits, no labels. Text is UTF-8: ASCII, German letters,
 * Greek, superscript and subscript digits and some signs. White background.
 *
 * Each function draws and writes one PNG, which appears whole or not at all. Errors of all: ERR_ARGUMENT, ERR_FILE,
 * ERR_MEMORY. */

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

typedef struct rw_figure_axis {
    const char *label; /* "x / m"; NULL: none */
    double min, max;   /* min == max: automatic */
    bool log;          /* decimal logarithm; values <= 0 are missing */
} rw_figure_axis;

typedef struct rw_figure_page {
    int width, height;    /* pixels, 200 .. 16384; 0: at most 1400 x 1100, volumes 1800, cut to the shape of the data */
    const char *title;    /* one line above; NULL: none */
    const char *subtitle; /* smaller, grey, below the title: "t = 0.5 s"; NULL: none */
    double text;          /* size of the axis text in pixels; 0: about 1/50 of the smaller side, at least 12 */
} rw_figure_page;

/* A plane field: values[j*nx + i] fills the cell i of nx, j of ny of the rectangle [x0,x1] x [y0,y1], y upward. For
 * values at nodes widen the rectangle by half a spacing on each side. NaN cells get the colour of missing values. */
typedef struct rw_figure_field {
    size_t nx, ny;
    const double *values;
    double x0, x1, y0, y1; /* x0 == x1: 0 .. nx; y0 == y1: 0 .. ny */
    const char *x_label, *y_label;
    rw_figure_axis value; /* the colour bar; automatic limits of a diverging map are symmetric about 0 */
    rw_colormap map;
    bool stretch; /* false: one unit is equally long in x and y; true: fill the page */
    bool down;    /* y counts downward, as rows of a matrix do: values[0 … nx - 1] are at the top */
} rw_figure_field;

typedef enum rw_figure_style {
    RW_FIGURE_LINE,
    RW_FIGURE_DASHED,
    RW_FIGURE_POINTS,
    RW_FIGURE_LINE_POINTS
} rw_figure_style;

/* One series: y against x; NaN or infinite points break the line. */
typedef struct rw_figure_series {
    const char *name; /* in the legend; NULL: not listed */
    size_t n;
    const double *x, *y;
    rw_figure_style style;
} rw_figure_series;

/* With automatic limits a single series that is constant to seven digits is drawn as such: "constant: 0.1234567". */
typedef struct rw_figure_lines {
    rw_figure_axis x, y;
    int n;
    const rw_figure_series *series; /* [n], colours in turn */
    double scale; /* of values beside which those of a single series may be rounding errors of 0; 0: none are known */
} rw_figure_lines;

/* Bars: values[s*ngroups + g] is what series s has in group g. Groups lie one below the other with their names to the
 * left, bars from left to right, each with its number; values that are not finite, or not above 0 when log, have
 * none. */
typedef struct rw_figure_bars {
    rw_figure_axis value; /* automatic limits begin at 0, when log at half of the least value */
    int ngroups, nseries;
    const char *const *group;  /* [ngroups] */
    const char *const *series; /* [nseries] */
    const double *values;
    int pale; /* the last so many series are paler than their colours: values of others */
} rw_figure_bars;

/* A volume: values[(k*ny + j)*nx + i] in the box [lower, upper] (as the rectangle above, cell by cell). Drawn are the
 * planes z, y and x = const through `at` side by side with one colour bar; the planes are marked in each other. */
typedef struct rw_figure_volume {
    size_t n[3];
    const double *values;
    double lower[3], upper[3]; /* lower[a] == upper[a]: 0 .. n[a] */
    const char *label[3];      /* of the axes; NULL: x, y, z */
    bool choose;               /* true: the planes pass through at[]; false: through the middle */
    double at[3];
    rw_figure_axis value;
    rw_colormap map;
} rw_figure_volume;

/* An image: [height][width] or [height][width][channels] of 1 to 4 channels as in rechenwerk/image.h, u8, u16, i16,
 * f16, f32, f64. */
typedef struct rw_figure_image {
    const char *title; /* above the image; NULL: none */
    rw_array *image;
} rw_figure_image;

/* ERR_ARGUMENT: sizes 0, a page outside of its range, limits that are not finite, logarithmic limits <= 0. A field of
 * NaN is drawn as such. page: optional. */
RW_API rw_status rw_figure_write_field_sized(rw_context *context, const char *path, const rw_figure_page *page,
                                             const rw_figure_field *field, size_t page_size, size_t field_size);
#define rw_figure_write_field(...)                                                                                     \
    rw_figure_write_field_sized(__VA_ARGS__, sizeof(rw_figure_page), sizeof(rw_figure_field))
/* The same field as a shaded surface over its rectangle: a value stands above the middle of its cell, higher and lower
 * ones than the limits lie at them, missing ones leave holes. Seen from the side of high x and low y. */
RW_API rw_status rw_figure_write_surface_sized(rw_context *context, const char *path, const rw_figure_page *page,
                                               const rw_figure_field *field, size_t page_size, size_t field_size);
#define rw_figure_write_surface(...)                                                                                   \
    rw_figure_write_surface_sized(__VA_ARGS__, sizeof(rw_figure_page), sizeof(rw_figure_field))
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

/* 1 to 8 images side by side on one scale (an image that would be smaller than a quarter of its place: larger), each
 * with its title, size and type above and the histogram of its values below, a curve for each channel. Large images are
 * reduced, small ones enlarged by integer factors. Values below black or above white are drawn and counted as these;
 * alpha is laid over white and not counted. The current contents of the host's copy are drawn. ERR_ARGUMENT: another
 * number, shape or type. page: optional. */
RW_API rw_status rw_figure_write_images_sized(rw_context *context, const char *path, const rw_figure_page *page, int n,
                                              const rw_figure_image *images, size_t page_size);
#define rw_figure_write_images(...) rw_figure_write_images_sized(__VA_ARGS__, sizeof(rw_figure_page))

/* Residual norms residual[0 … n - 1] of iterations 0 … n - 1, as a rw_krylov_monitor receives them, on a logarithmic
 * scale. right_side: |b|, by which they are divided; 0: they are drawn as they are. tolerance: |r| at which a line is
 * drawn; 0: none. title: optional. ERR_ARGUMENT: n < 1. */
RW_API rw_status rw_figure_write_residuals(rw_context *context, const char *path, const char *title, int64_t n,
                                           const double *residual, double right_side, double tolerance);

/* Sparsity pattern of a matrix, row 0 at the top: the fill ratio of up to 512 x 512 squares as a colour. title:
 * optional. */
RW_API rw_status rw_figure_write_pattern(rw_context *context, const char *path, const char *title,
                                         const rw_entries *entries);

#ifdef __cplusplus
}
#endif
#endif
