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

#include <signal.h>
#include <stdint.h>

#include "rechenwerk/device.h"

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

typedef void rw_run_progress_function(void *user, const rw_run_progress *progress);

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
    const volatile sig_atomic_t *interrupt; /* (optional) set to nonzero: finish the step, save, stop */
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
RW_API rw_status rw_run_case(rw_context *context, const char *path, const rw_run_options *options,
                             rw_run_report *report);

/* Passes over memory, bytes and operations of a case on its device, as text. Free it with free(). Nothing is run or
 * written. */
RW_API rw_status rw_explain_case(rw_context *context, const char *path, const rw_run_options *options, char **text);

/* The dependency graph of one step of a case as text (rw_ode_depgraph, docs/methods/depgraph.md). Free it with free().
 * stages: approximate number (default: 7). dot: (optional) file for Graphviz, which appears complete or not at all.
 * Errors: ERR_UNSUPPORTED: the problem has no such steps; ERR_FILE; and those of rw_explain_case. */
RW_API rw_status rw_explain_graph(rw_context *context, const char *path, const rw_run_options *options, int stages,
                                  const char *dot, char **text);

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
typedef void rw_plot_function(void *user, const char *path); /* called for each picture written */
RW_API rw_status rw_plot_results(rw_context *context, const char *path, const rw_plot_options *options,
                                 rw_plot_function *written, void *user);

#ifdef __cplusplus
}
#endif
#endif
