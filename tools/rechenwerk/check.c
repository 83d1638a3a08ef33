/* rechenwerk check CASE.yaml: all mistakes of a case, and what it needs: memory, steps, time. Nothing is run. */
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
    const rw_status status = rw_check_case(ctx, a->operands[0], &options, &text);
    if (status == RW_OK) fputs(text, stdout);
    const int code = status == RW_OK ? 0 : failed(ctx, status);
    rw_free(text);
    free(set);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {
    OPTION_DEVICE_OF_CASE, OPTION_SET, OPTION_VERBOSE, OPTION_QUIET, OPTION_NO_CACHE,
};

const command command_check = {
    .name = "check",
    .operands = "CASE.yaml",
    .least = 1,
    .most = 1,
    .line = "check a case without running it: all mistakes, memory, the longest stable step, expected steps and time",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
