/* rechenwerk run CASE.yaml: a progress line on a terminal, Ctrl-C that saves and says how to continue, a summary. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "rechenwerk/run.h"

/* "12:05" or "1:02:03" */
static void print_duration(double seconds, char *text, size_t size)
{
    if (seconds < 0 || seconds > 1e7) {
        snprintf(text, size, "?");
        return;
    }
    long s = (long)ceil(seconds);
    if (s < 3600) snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
    else snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
}

/* 1234567 as "1.23 M" */
static void print_rate(double rate, char *text, size_t size)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    int i = 0;
    for (; rate >= 999.5 && i < COUNT(prefixes) - 1; i++) rate /= 1000;
    snprintf(text, size, "%.*f %s", rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0, rate, prefixes[i]);
}

/* ---- compiling --------------------------------------------------------------------------------------------------- */

/* A driver's compiler may take a minute, during which the library does not return. A thread prints how long a program
 * has been compiled: on a terminal every second, elsewhere every ten. */
enum { SHORT = 10, SELDOM = 10 };
static struct {
    pthread_mutex_t lock;
    bool terminal;
    char program[64]; /* "": none */
    int64_t number, known;
    double since, printed; /* times; printed 0: not yet */
} compiling = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void set_compiling(const rw_run_progress *p)
{
    pthread_mutex_lock(&compiling.lock);
    if (compiling.printed > 0 && !compiling.terminal)
        fprintf(stderr, "compiled %s in %s\n", compiling.program, in_time(elapsed_seconds() - compiling.since).text);
    snprintf(compiling.program, sizeof(compiling.program), "%s", p && p->compiling ? p->compiling : "");
    compiling.since = elapsed_seconds();
    compiling.printed = 0;
    if (p) {
        compiling.number = p->compilations;
        compiling.known = p->compilations_known;
    }
    pthread_mutex_unlock(&compiling.lock);
}

static void *watch_compiling(void *unused)
{
    for (;;) {
        nanosleep(&(struct timespec){0, 500000000}, NULL);
        pthread_mutex_lock(&compiling.lock);
        const double now = elapsed_seconds(), lasted = now - compiling.since;
        const bool due =
            now - (compiling.printed > 0 ? compiling.printed : compiling.since) >= (compiling.terminal      ? 1
                                                                                    : compiling.printed > 0 ? SELDOM
                                                                                                            : SHORT);
        if (*compiling.program && lasted >= SHORT && due) {
            compiling.printed = now;
            fprintf(stderr, "%s%.0f s: compiling %lld", compiling.terminal ? "\r\033[K" : "", lasted,
                    (long long)compiling.number);
            if (compiling.known) fprintf(stderr, " of %lld", (long long)compiling.known);
            fprintf(stderr, ", %s%s", compiling.program, compiling.terminal ? "" : "\n");
            fflush(stderr);
        }
        pthread_mutex_unlock(&compiling.lock);
    }
    return unused;
}

static void begin_compiling(bool terminal)
{
    pthread_t thread;
    sigset_t all, before;
    compiling.terminal = terminal;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, watch_compiling, NULL) == 0) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- progress ---------------------------------------------------------------------------------------------------- */

/* Without a terminal: a line for each output. */
static rw_status show_outputs(void *user, const rw_run_progress *p)
{
    int64_t *shown = user;
    char left[32];
    double span = p->end - p->start;
    set_compiling(p);
    if (p->redrawing && p->redrawn == 0)
        fprintf(stderr, "drawing pictures of %s again with the final limits (%lld), elapsed %s\n", p->redrawing,
                (long long)p->redraws, in_time(elapsed_seconds()).text);
    if (p->compiling || p->outputs == *shown) return RW_OK;
    *shown = p->outputs;
    print_duration(p->seconds_left, left, sizeof(left));
    fprintf(stderr, "output %lld: ", (long long)p->outputs - 1);
    if (p->tolerance > 0)
        fprintf(stderr, "iteration %lld, residual %.3g of %.3g", (long long)p->step, p->residual, p->tolerance);
    else
        fprintf(stderr, "t = %.5g of %.5g (%.0f %%), step %lld", p->time, p->end,
                span > 0 ? 100 * (p->time - p->start) / span : 100, (long long)p->step);
    fprintf(stderr, ", elapsed %s, remaining %s\n", in_time(elapsed_seconds()).text, left);
    return RW_OK;
}

static rw_status show_progress(void *user RW_UNUSED, const rw_run_progress *p)
{
    char left[32], steps[32], points[32];
    double span = p->end - p->start;
    set_compiling(p);
    if (p->compiling) {
        fprintf(stderr, "\r\033[Kcompiling %lld", (long long)p->compilations);
        if (p->compilations_known) fprintf(stderr, " of %lld", (long long)p->compilations_known);
        fflush(stderr);
        return RW_OK;
    }
    if (p->redrawing) {
        fprintf(stderr, "\r\033[Kdrawing again %s, %lld of %lld pictures", p->redrawing, (long long)p->redrawn + 1,
                (long long)p->redraws);
        fflush(stderr);
        return RW_OK;
    }
    print_duration(p->seconds_left, left, sizeof(left));
    print_rate(p->steps_per_second, steps, sizeof(steps));
    print_rate(p->points_per_second, points, sizeof(points));
    if (p->tolerance > 0) {
        fprintf(stderr, "\r\033[Kiteration %lld  residual %.3g of %.3g  %siterations/s  remaining %s",
                (long long)p->step, p->residual, p->tolerance, steps, left);
        fflush(stderr);
        return RW_OK;
    }
    fprintf(stderr, "\r\033[K%3.0f %%  t = %.5g of %.5g  step %lld  %ssteps/s  %spoints/s  remaining %s",
            span > 0 ? 100 * (p->time - p->start) / span : 100, p->time, p->end, (long long)p->step, steps, points,
            left);
    fflush(stderr);
    return RW_OK;
}

/* A word as the shell reads it back. */
static void print_word(FILE *file, const char *word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (*word && strspn(word, safe) == strlen(word)) {
        fputs(word, file);
        return;
    }
    fputc('\'', file);
    for (; *word; word++)
        if (*word == '\'') fputs("'\\''", file);
        else fputc(*word, file);
    fputc('\'', file);
}

static void print_how_to_continue(const arguments *a)
{
    fputs("To continue:  rechenwerk", stderr);
    for (int i = 0; i < a->argc; i++) {
        if (strcmp(a->argv[i], "--force") == 0 || strcmp(a->argv[i], "-f") == 0) continue;
        if (strcmp(a->argv[i], "--restart") == 0) continue;
        fputc(' ', stderr);
        print_word(stderr, a->argv[i]);
    }
    fputs(" --restart\n", stderr);
}

/* null for an empty text. */
static void add_text(rw_json_writer *w, const char *key, const char *text)
{
    rw_json_add_string(w, key, *text ? text : NULL);
}

static void print_report(const arguments *a, const rw_run_report *r, rw_status status, const char *message)
{
    if (given(a, "json")) {
        rw_json_writer *w = json_begin(0);
        rw_json_add_string(w, "status", rw_status_name(status));
        rw_json_add_integer(w, "exit_code", rw_status_exit_code(status));
        add_text(w, "message", message);
        add_text(w, "reason", r->reason);
        add_text(w, "folder", r->folder);
        add_text(w, "problem", r->problem);
        add_text(w, "device", r->device);
        add_text(w, "method", r->method);
        add_text(w, "method_reason", r->method_reason);
        rw_json_add_number(w, "time", *r->reason ? r->time : NAN);
        rw_json_add_integer(w, "steps", r->step);
        if (r->tolerance > 0) rw_json_add_number(w, "residual", r->residual);
        rw_json_add_integer(w, "outputs", r->outputs);
        rw_json_add_integer(w, "pictures", r->pictures);
        rw_json_add_integer(w, "checks", r->checks);
        rw_json_add_integer(w, "checks_passed", r->checks_passed);
        rw_json_add_number(w, "seconds", r->seconds);
        json_end();
    } else if (status == RW_OK && !given(a, "quiet")) {
        if (r->tolerance > 0)
            printf("%s: residual %.3g after %lld iterations on %s in %s; %lld outputs, %lld pictures\n",
                   shown(r->folder), r->residual, (long long)r->step, r->device, in_time(r->seconds).text,
                   (long long)r->outputs, (long long)r->pictures);
        else
            printf("%s: t = %.6g after %lld steps on %s in %s; %lld outputs, %lld pictures\n", shown(r->folder),
                   r->time, (long long)r->step, r->device, in_time(r->seconds).text, (long long)r->outputs,
                   (long long)r->pictures);
        if (*r->method_reason) printf("method %s, chosen by auto: %s\n", r->method, r->method_reason);
        if (r->checks) printf("checks: %lld of %lld passed\n", (long long)r->checks_passed, (long long)r->checks);
    }
}

static int run(const arguments *a)
{
    char until[64];
    double end = NAN;
    if (given(a, "restart") && given(a, "force")) return usage("run: --restart and --force exclude each other");
    if (!number_of(a, "until", &end)) return 2;
    rw_context *ctx = make_context(a);
    const char **set = calloc((size_t)a->ngiven + 1, sizeof(*set));
    if (!ctx || !set) return 5;
    bool terminal = isatty(STDERR_FILENO) && !given(a, "quiet");
    int64_t shown = 0;
    rw_run_options options = {.folder = value_of(a, "output"),
                              .device = value_of(a, "device"),
                              .set = set,
                              .restart = given(a, "restart"),
                              .force = given(a, "force"),
                              .cancel = stop_request(),
                              .progress = terminal            ? show_progress
                                          : given(a, "quiet") ? NULL
                                                              : show_outputs,
                              .user = &shown};
    for (int i = 0; i < a->ngiven; i++)
        if (strcmp(a->given[i].option->name, "set") == 0) set[options.nset++] = a->given[i].value;
    if (given(a, "until")) {
        for (int digits = 6; digits <= 17; digits++) { /* as few as give the same number */
            int n = snprintf(until, sizeof(until), "--until %.*g", digits, end);
            if (n > 0 && strtod(until + strlen("--until "), NULL) == end) break;
        }
        set[options.nset++] = until;
    }
    rw_run_report report;
    if (options.progress) begin_compiling(terminal);
    rw_status status = rw_run_case(ctx, a->operands[0], &options, &report);
    set_compiling(NULL);
    if (terminal) fputs("\r\033[K", stderr);
    const char *text = status == RW_OK ? "" : rw_message(ctx);
    char *message = with_options(*text || status == RW_OK ? text : rw_status_text(status));
    print_report(a, &report, status, message ? message : text);
    free(message);
    int code = status == RW_OK ? 0 : failed(ctx, status);
    if (status == RW_ERR_INTERRUPTED && *report.folder) print_how_to_continue(a);
    free(set);
    rw_context_destroy(&ctx);
    return code;
}

static const option options_of_run[] = {
    OPTION_DEVICE_OF_CASE,
    {"output", 0, "DIR", "results folder (default: results/NAME for NAME.yaml)"},
    OPTION_SET,
    {"until", 'u', "T", "final time; short for --set time.end=T, also to extend a finished run"},
    {"restart", 0, NULL, "continue from the checkpoint in the results folder"},
    {"force", 0, NULL, "overwrite the files that earlier runs wrote to the folder; other files stay"},
    OPTION_JSON,
    OPTION_VERBOSE,
    OPTION_QUIET,
    OPTION_NO_CACHE,
};

const command command_run = {
    .name = "run",
    .operands = "CASE.yaml",
    .least = 1,
    .most = 1,
    .line = "run a case and write results, pictures and checkpoints",
    .more = "The results folder holds settings.yaml, run.json, log.jsonl, series.csv, fields.h5 with fields.xdmf "
            "and fields.pvd for ParaView, figures/, probes/ (output.probes), checkpoint.h5, and run.files, the names "
            "of all files that runs have written. Ctrl-C finishes the step, saves the state and prints how to "
            "continue. A run killed at any moment continues from its last checkpoint with --restart.",
    .options = options_of_run,
    .noptions = COUNT(options_of_run),
    .run = run,
};
