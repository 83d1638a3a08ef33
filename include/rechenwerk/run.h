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

/* Where a run is. */
typedef struct rw_run_progress {
    int64_t step;
    double time, start, end;
    double seconds;             /* wall time since the first step of this process */
    double steps_per_second;    /* of the last seconds; 0 until known */
    double points_per_second;   /* nodes of the grid times steps */
    double seconds_left;        /* to the end at this rate, or at a rate that still grows; negative until known */
    int64_t outputs;            /* made so far */
    const char *compiling;      /* not NULL: a program of this name is being compiled, and all members above are 0 */
    int64_t compilations;       /* number of the program that is being compiled, from 1 */
    int64_t compilations_known; /* how many there are up to now; more when auto chooses a method. 0: not known */
} rw_run_progress;

typedef void rw_run_progress_function(void *user, const rw_run_progress *progress);

/* All zero: the case as it is, into results/NAME. */
typedef struct rw_run_options {
    const char *folder;     /* results folder; NULL: results/NAME for NAME.yaml */
    const char *device;     /* NULL: what the case says */
    const char *const *set; /* [nset] "section.key=value", before checks */
    int nset;
    bool restart; /* continue from the folder's checkpoint */
    /* a folder that is not empty: replace the results in it. They go after the first checkpoint of the new run, and
     * come back when it fails before */
    bool force;
    const volatile sig_atomic_t *interrupt; /* (optional) not 0: finish the step, save, stop */
    /* (optional) called some times a second, after each output and before each compilation */
    rw_run_progress_function *progress;
    void *user;
} rw_run_options;

typedef struct rw_run_report {
    char folder[1024]; /* where the results are; "": there are none, the run has left nothing */
    char reason[32]; /* "done", "interrupted", "not_finite", "not_converged", "check_failed", "failed"; "": not begun */
    char problem[32], device[32];
    /* "rock4", and why it was chosen ("": the case names it); "": the problem has none */
    char method[16], method_reason[240];
    double time, end;
    int64_t step, outputs, pictures;
    int64_t checks, checks_passed; /* the case's own, made at the end */
    double seconds;
} rw_run_report;

/* Runs a case to its end. A run that fails before its first output leaves no files; a folder in which a run was killed,
 * or failed, before it output more than the initial state is used like an empty one. `report` is optional and filled
 * whatever the status. ERR_INPUT: the case, the folder (not empty, a link or a file of somebody else where a run
 * writes, or a checkpoint of another case), a damaged checkpoint; ERR_MEMORY: the case needs more than the device has
 * free, found out before anything is allocated; ERR_FILE; ERR_DEVICE; ERR_NOT_CONVERGED: a scalar is no longer finite,
 * a method gave up, or the final state fails a check of the case (its results are whole then); ERR_INTERRUPTED: stopped
 * at the user's wish, checkpoint written; and what the problem fails with. */
RW_API rw_status rw_run_case(rw_context *context, const char *path, const rw_run_options *options,
                             rw_run_report *report);

/* Passes over memory, bytes, operations of a case on its device, as text; free() it. Nothing is run or written. */
RW_API rw_status rw_explain_case(rw_context *context, const char *path, const rw_run_options *options, char **text);

/* The graph of one step of a case, as text (rw_ode_depgraph, docs/methods/depgraph.md); free() it. `stages`: about as
 * many, 0: 7. With `dot` a picture of it for Graphviz is written to that file, which appears whole or not at all.
 * ERR_UNSUPPORTED: a problem without steps that can be looked at; ERR_FILE; and as rw_explain_case. */
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
