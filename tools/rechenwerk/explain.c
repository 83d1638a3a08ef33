/* rechenwerk explain CASE.yaml: passes over memory, bytes and operations, or the graph of a step, without running
 * anything. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "rechenwerk/run.h"

static int run(const arguments *a)
{
    double stages = 0; /* not given */
    if (!whole_of(a, "stages", 1, 100000, &stages)) return 2;
    for (int i = 0; i < 2 && !given(a, "graph"); i++) {
        static const char *const names[] = {"output", "stages"};
        if (value_of(a, names[i])) return usage("explain: --%s needs --graph", names[i]);
    }
    if (given(a, "text") && given(a, "graph")) return usage("explain: both --text and --graph: give one of them");
    int code = check_outputs(a, 1, &(output_file){.name = "output"}, access(a->operands[0], R_OK) == 0,
                             a->operands) /* a case that is missing is named by the library */;
    if (code != 0) return code;
    rw_context *ctx = make_context(a);
    const char **set = calloc((size_t)a->ngiven + 1, sizeof(*set));
    if (!ctx || !set) return 5;
    rw_run_options options = {.device = value_of(a, "device"), .set = set};
    for (int i = 0; i < a->ngiven; i++)
        if (strcmp(a->given[i].option->name, "set") == 0) set[options.nset++] = a->given[i].value;
    char *text = NULL;
    rw_status status = given(a, "text") ? rw_explain_text(ctx, a->operands[0], &options, &text)
                       : given(a, "graph")
                           ? rw_explain_graph(ctx, a->operands[0], &options, (int)stages, value_of(a, "output"), &text)
                           : rw_explain_case(ctx, a->operands[0], &options, &text);
    if (status == RW_OK) fputs(text, stdout);
    code = status == RW_OK ? 0 : failed(ctx, status);
    rw_free(text);
    free(set);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {
    {"text", 't', NULL, "print the case as it runs, as YAML: of problem flow the case of a pde that it writes"},
    {"graph", 'g', NULL,
     "print the task graph of one step: kernels, their dependencies, and what can run "
     "concurrently"},
    {"output", 0, "FILE", "with --graph: output file of the graph for Graphviz (dot -Tsvg FILE)"},
    {"stages", 'n', "N",
     "with --graph: approximate number of stages, for methods with a variable number (default: "
     "7)"},
    OPTION_DEVICE_OF_CASE,
    OPTION_SET,
    OPTION_VERBOSE,
    OPTION_QUIET,
    OPTION_NO_CACHE,
    OPTION_FORCE,
};

const command command_explain = {
    .name = "explain",
    .operands = "CASE.yaml",
    .least = 1,
    .most = 1,
    .line = "show how a case is computed: passes over memory, bytes and operations per cell; with --graph the task "
            "graph of a step",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
