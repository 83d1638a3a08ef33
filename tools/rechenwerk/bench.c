/* rechenwerk bench [NAME]: the list of benchmarks, or one of them on a device. */
#include "bench/benchmarks.h"

#include <stdlib.h>

#include "command.h"

static int print_list(void)
{
    int n;
    const rw_bench_entry *list = rw_bench_list(&n);
    printf("Benchmarks (rechenwerk bench NAME runs one, spine or all runs several):\n");
    for (int i = 0; i < n; i++) printf("  %-16s %s%s\n", list[i].name, list[i].line, list[i].spine ? " (spine)" : "");
    return 0;
}

static int run(const arguments *a)
{
    double rounds = 0;
    if (!whole_of(a, "rounds", 1, 100000, &rounds)) return 2;
    if (given(a, "json") && given(a, "markdown")) return usage("bench: --json and --markdown exclude each other");
    if (a->noperands == 0) return print_list();
    rw_bench_options options = {.quick = given(a, "quick"),
                                .rounds = (int)rounds,
                                .variants = given(a, "variants"),
                                .no_peers = given(a, "no-peers")};
    rw_bench_style style = given(a, "json") ? RW_BENCH_JSON : given(a, "markdown") ? RW_BENCH_MARKDOWN : RW_BENCH_TEXT;
    rw_device *device = NULL;
    rw_bench_result *rows = NULL;
    char *text = NULL;
    int n = 0, code = 0;
    rw_context *ctx = make_context(a);
    if (!ctx) return 5;
    rw_status status = open_device(ctx, a, &device);
    if (status == RW_OK) status = rw_bench_run(ctx, device, a->operands[0], &options, &rows, &n);
    if (status == RW_OK) status = rw_bench_format(device, rows, n, style, &text);
    if (status == RW_OK) fputs(text, stdout);
    if (status != RW_OK) code = failed(ctx, status);
    for (int i = 0; i < n && code == 0; i++) code = rows[i].error > rows[i].tolerance ? 1 : 0;
    free(text);
    if (rows) rw_bench_free(&rows);
    rw_device_close(&device);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {
    OPTION_DEVICE,
    {"quick", 0, NULL, "small sizes, a second or two: checks the results, not the speed"},
    {"rounds", 'n', "N", "number of timed repetitions"},
    {"variants", 0, NULL, "one row for every parameter set of a kernel"},
    {"no-peers", 0, NULL, "skip the peers (other libraries)"},
    OPTION_JSON,
    {"markdown", 0, NULL, "print a Markdown table"},
    OPTION_VERBOSE,
    OPTION_NO_CACHE,
};

const command command_bench = {
    .name = "bench",
    .operands = "[NAME]",
    .most = 1,
    .line = "run benchmarks: times compared with the memory bandwidth limit and with other libraries",
    .more = "If NAME is omitted, the benchmarks are listed. The exit code is 1 if a result is wrong; a missed "
            "target is not an error.",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
