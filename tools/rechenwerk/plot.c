/* rechenwerk plot RESULTS: pictures of fields and series from results that are there. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "rechenwerk/run.h"

static rw_status written(void *user, const char *path)
{
    print_written(user, path);
    return RW_OK;
}

static int run(const arguments *a)
{
    rw_plot_options options = {.field = value_of(a, "field"),
                               .at_time = given(a, "time"),
                               .output = value_of(a, "output")};
    if (!number_of(a, "time", &options.time)) return 2;
    struct stat info;
    int refused = check_inputs(a, 1, (const char *const *)a->operands);
    if (!refused && options.output && !(stat(options.output, &info) == 0 && S_ISDIR(info.st_mode)))
        refused = check_exists(a, options.output);
    if (refused) return refused;
    rw_context *ctx = make_context(a);
    const char **set = calloc((size_t)a->ngiven + 1, sizeof(*set));
    if (!ctx || !set) return 5;
    options.set = set;
    options.force = given(a, "force");
    for (int i = 0; i < a->ngiven; i++)
        if (strcmp(a->given[i].option->name, "set") == 0) set[options.nset++] = a->given[i].value;
    rw_status status = rw_plot_results(ctx, a->operands[0], &options, written, (void *)a);
    int code = status == RW_OK ? 0 : failed(ctx, status);
    free(set);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {
    {"field", 'F', "NAME", "field, or column of series.csv, to draw (default: all)"},
    {"time", 't', "T", "time to draw: the nearest output with a file in fields/ (default: the last one)"},
    {"output", 0, "PATH", "output: a .png file for one picture, or a folder (default: RESULTS/figures)"},
    {"set", 0, "KEY=VALUE",
     "change colour limits, colormap, streamlines or title: output.limits=frame, output.limits=[0, 1], "
     "output.colormap=diverging, output.streamlines=[flow], title=…"},
    {"force", 0, NULL,
     "overwrite an existing .png file, and files in RESULTS/figures that its run.files does not "
     "list"},
    OPTION_QUIET,
};

const command command_plot = {
    .name = "plot",
    .operands = "RESULTS",
    .least = 1,
    .most = 1,
    .line = "draw pictures from a results folder, or from one of its fields/*.h5",
    .more = "Pictures use the colormap, limits and title of the case. With output.limits: run, the limits cover "
            "all outputs of a field; so they do with auto, the default, unless the last output spans less than half "
            "of them. The path of every written picture is printed.",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
