/* rechenwerk explain CASE.yaml: passes over memory, bytes and operations, without running anything. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "rechenwerk/run.h"

static int run(const arguments *a)
{
    rw_context *ctx = make_context(a);
    const char **set = calloc((size_t)a->ngiven + 1, sizeof(*set));
    if (!ctx || !set) return 5;
    rw_run_options options = {.device = value_of(a, "device"), .set = set};
    for (int i = 0; i < a->ngiven; i++)
        if (strcmp(a->given[i].option->name, "set") == 0) set[options.nset++] = a->given[i].value;
    char *text = NULL;
    rw_status status = rw_explain_case(ctx, a->operands[0], &options, &text);
    if (status == RW_OK) fputs(text, stdout);
    int code = status == RW_OK ? 0 : failed(ctx, status);
    free(text);
    free(set);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {OPTION_DEVICE, OPTION_SET, OPTION_VERBOSE, OPTION_QUIET, OPTION_NO_CACHE};

const command command_explain = {
    .name = "explain",
    .operands = "CASE.yaml",
    .least = 1,
    .most = 1,
    .line = "how a case is computed: passes over memory, bytes, operations a cell",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
