/* rechenwerk cache: the programs compiled before, on disk: where, how many, empty it, watch it at work. */
#include <stdlib.h>

#include "command.h"
#include "rechenwerk/program.h"
#include "rechenwerk/run.h"

static void trace_line(void *user RW_UNUSED, rw_log_level level RW_UNUSED, const char *text) { printf("%s\n", text); }

/* Compiles what a case needs and prints one line for each look-up. */
static int trace(rw_context *ctx, const arguments *a)
{
    rw_run_options options = {.device = value_of(a, "device")};
    char *text = NULL;
    rw_status status = rw_context_set_cache(ctx, true, NULL, true);
    rw_context_set_log(ctx, RW_LOG_INFO, trace_line, NULL);
    if (status == RW_OK) status = rw_explain_case(ctx, value_of(a, "trace"), &options, &text);
    rw_free(text);
    return status == RW_OK ? 0 : failed(ctx, status);
}

static int clear(rw_context *ctx)
{
    int64_t removed;
    rw_status status = rw_cache_clear(ctx, &removed);
    if (status != RW_OK) return failed(ctx, status);
    printf("%lld entries removed\n", (long long)removed);
    return 0;
}

static int describe(rw_context *ctx, const arguments *a)
{
    rw_cache_info info;
    rw_status status = rw_cache_describe(ctx, &info);
    if (status != RW_OK) return failed(ctx, status);
    if (given(a, "path")) {
        printf("%s\n", shown(info.folder));
    } else if (given(a, "json")) {
        rw_json_writer *w = json_begin(0);
        rw_json_add_string(w, "folder", info.folder);
        rw_json_add_integer(w, "entries", info.entries);
        rw_json_add_integer(w, "bytes", info.bytes);
        return json_end();
    } else {
        printf("folder   %s\nentries  %lld\nsize     %s\n",
               *info.folder ? shown(info.folder) : "none: set HOME or RECHENWERK_CACHE", (long long)info.entries,
               in_units((double)info.bytes).text);
    }
    return 0;
}

static int run(const arguments *a)
{
    if (given(a, "clear") + given(a, "path") + given(a, "trace") + given(a, "json") > 1)
        return usage("cache: --clear, --path, --trace and --json exclude each other: give one of them");
    if (given(a, "device") && !given(a, "trace")) return usage("cache: --device needs --trace");
    rw_context *ctx = make_context(a);
    if (!ctx) return 5;
    int code = given(a, "clear") ? clear(ctx) : given(a, "trace") ? trace(ctx, a) : describe(ctx, a);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {
    {"clear", 0, NULL, "remove all entries"},
    {"path", 0, NULL, "print only the path of the folder"},
    {"trace", 0, "CASE.yaml", "compile the programs of a case and print each cache lookup"},
    OPTION_DEVICE_OF_CASE,
    OPTION_JSON,
};

const command command_cache = {
    .name = "cache",
    .operands = "",
    .line = "show, clear or trace the cache of compiled programs on disk",
    .more = "The folder is $RECHENWERK_CACHE, else $XDG_CACHE_HOME/rechenwerk, else $HOME/.cache/rechenwerk. It and\n"
            "the folders above it must belong to you or root and not be writable by others.",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
