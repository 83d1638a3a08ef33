/* Running a case: the command `rechenwerk run case.yaml` for C programs; its names, settings and help; the self-test of
 * a device. Link librechenwerk-run.
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
 *   probes/         values at points and along lines, with output.probes
 *   checkpoint.h5   the state, from which `restart` continues bit-identically
 *   run.files       names of all files that runs have written here; `force` replaces no other files
 * Each file appears complete or not at all: a process killed at any moment leaves the last complete ones. */
#ifndef RECHENWERK_RUN_H
#define RECHENWERK_RUN_H

#include <stdint.h>

#include "rechenwerk/core.h"
#include "rechenwerk/device.h"

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
    /* Of a stationary problem: the residual, and the one at which the run ends. `step` and `time` are then iterations,
     * and `end` an estimate, infinite if unknown. 0: the problem marches in time. */
    double residual, tolerance;
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
    double residual, tolerance; /* of a stationary problem, whose `time` and `step` are iterations; otherwise 0 */
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

/* Checks a case and describes what it needs as text: memory, the longest stable step, steps, time. Free it with
 * rw_free. Nothing is run, compiled or written. Steps and time follow from earlier runs of the case, or of its size, on
 * the device where there are any; else from time.step or stability, and from the device's copy rate.
 * Errors: those of rw_run_case for the case and the device; the message has all mistakes of the case. */
RW_API rw_status rw_check_case_sized(rw_context *context, const char *path, const rw_run_options *options, char **text,
                                     size_t options_size);
#define rw_check_case(...) rw_check_case_sized(__VA_ARGS__, sizeof(rw_run_options))

/* The case as it runs, as YAML: of problem flow the case of a pde that it writes, else what the case says. It runs to
 * the same bits. Free it with rw_free. Nothing is run, no device is opened.
 * Errors: those of rw_run_case for the case. */
RW_API rw_status rw_explain_text_sized(rw_context *context, const char *path, const rw_run_options *options,
                                       char **text, size_t options_size);
#define rw_explain_text(...) rw_explain_text_sized(__VA_ARGS__, sizeof(rw_run_options))

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
    /* [nset] settings that differ from the case: "output.limits=frame", "output.colormap=diverging",
     * "output.streamlines=[q]", "title=…" */
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

#ifdef __cplusplus
}
#endif
#endif
