/* rechenwerk plot RESULTS: pictures of fields and series from results that are there. */
#include <math.h>
#include <sys/stat.h>

#include "command.h"
#include "rechenwerk/run.h"

static void written(void *user, const char *path)
{
    if (!given(user, "quiet")) printf("%s\n", path);
}

static int run(const arguments *a)
{
    rw_plot_options options = {.field = value_of(a, "field"), .time = NAN, .output = value_of(a, "output")};
    if (!number_of(a, "time", &options.time)) return 2;
    struct stat info;
    int refused = check_inputs(a, 1, (const char *const *)a->operands);
    if (!refused && options.output && !(stat(options.output, &info) == 0 && S_ISDIR(info.st_mode))) refused = check_exists(a, options.output);
    if (refused) return refused;
    rw_context *ctx = make_context(a);
    if (!ctx) return 5;
    rw_status status = rw_plot_results(ctx, a->operands[0], &options, written, (void *)a);
    int code = status == RW_OK ? 0 : failed(ctx, status);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {
    {"field", 'F', "NAME", "one field, or one column of series.csv; without it all"},
    {"time", 't', "T", "the output nearest to this time; without it the last one"},
    {"output", 'o', "PATH", "a .png file for one picture, or a folder; without it RESULTS/figures"},
    OPTION_FORCE,
    OPTION_QUIET,
};

const command command_plot = {
    .name = "plot",
    .operands = "RESULTS",
    .least = 1,
    .most = 1,
    .line = "draw pictures from a results folder, or from one of its fields/*.h5",
    .more = "The path of every picture written is printed.",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
