/* rechenwerk lab list, rechenwerk lab NAME: studies compared with published values. */
#include "lab/studies.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "rechenwerk/run.h"

static int print_list(void)
{
    int n;
    const rw_lab_entry *const *list = rw_lab_list(&n);
    for (int i = 0; i < n; i++) {
        const rw_lab_entry *e = list[i];
        printf("%s: %s\n  %s\n  Source: %s\n  tables: ", e->name, e->title, e->question, e->source);
        for (int k = 0; k < e->ntables; k++) printf("%s%s", k ? ", " : "", e->tables[k]);
        printf("\n");
        for (int k = 0; k < e->nparameters; k++)
            printf("  %s=%s\n      %s\n", e->parameters[k].name, e->parameters[k].standard, e->parameters[k].line);
    }
    return 0;
}

static const char *const formats[] =
    {[RW_LAB_TEXT] = "text", [RW_LAB_MARKDOWN] = "markdown", [RW_LAB_CSV] = "csv", [RW_LAB_JSON] = "json", NULL};

/* -1 after a message */
static int find_format(const arguments *a)
{
    const char *text = value_of(a, "format");
    if (!text) return RW_LAB_TEXT;
    for (int i = 0; formats[i]; i++)
        if (strcmp(formats[i], text) == 0) return i;
    usage("lab: unknown format '%s'%s", text, suggest(text, formats));
    return -1;
}

static void show_progress(void *user RW_UNUSED, const char *text)
{
    fprintf(stderr, "\r\033[K%s", text);
    fflush(stderr);
}

/* The values of an option that may be repeated; *values is freed by the caller. false after a message. */
static bool collect(const arguments *a, const char *name, const char ***values, int *n)
{
    *values = calloc((size_t)a->ngiven + 1, sizeof(**values));
    if (!*values) usage("no memory for %d options", a->ngiven);
    for (int i = 0; *values && i < a->ngiven; i++)
        if (strcmp(a->given[i].option->name, name) == 0) (*values)[(*n)++] = a->given[i].value;
    return *values;
}

static rw_status print_result(const rw_lab *lab, const char *table, rw_lab_format format)
{
    char *text;
    rw_status status = rw_lab_write(lab, table, format, &text);
    if (status == RW_OK) fputs(text, stdout);
    free(text);
    return status;
}

static int run_study(const arguments *a, rw_lab_spec *spec, rw_lab_format format)
{
    const char *folder = value_of(a, "output");
    bool terminal = isatty(STDERR_FILENO) && !given(a, "quiet");
    rw_lab *lab = NULL;
    rw_context *ctx = make_context(a);
    if (!ctx) return 5;
    spec->progress = terminal ? show_progress : NULL;
    rw_status status = rw_lab_run(ctx, spec, &lab);
    if (terminal) fputs("\r\033[K", stderr);
    if (status == RW_OK)
        status = folder ? rw_lab_save(lab, folder, print_written, (void *)a) : print_result(lab, spec->table, format);
    int code = status == RW_OK ? 0 : failed(ctx, status);
    rw_lab_destroy(&lab);
    rw_context_destroy(&ctx);
    return code;
}

static int run(const arguments *a)
{
    int format = find_format(a), code = 5;
    if (format < 0) return 2;
    if (given(a, "format") && given(a, "output")) return usage("lab: --output writes every format: omit --format");
    if (strcmp(a->operands[0], "list") == 0) return print_list();
    rw_lab_spec spec = {.study = a->operands[0], .table = value_of(a, "table")};
    const char **devices = NULL, **set = NULL;
    if (collect(a, "device", &devices, &spec.ndevices) && collect(a, "set", &set, &spec.nset)) {
        spec.devices = devices;
        spec.set = set;
        code = run_study(a, &spec, (rw_lab_format)format);
    }
    free(devices);
    free(set);
    return code;
}

static const option options[] = {
    {"device", 0, "DEV", "device; may be repeated (default: cpu:1, cpu and every GPU)"},
    {"set", 0, "NAME=VALUE", "change a parameter of the study, such as sizes=16,64; may be repeated"},
    {"table", 't', "NAME", "print only this table"},
    {"format", 0, "FORMAT",
     "output format: text, markdown, csv (the first table, or that of --table) or json "
     "(default: text)"},
    {"output", 0, "FOLDER", "write every format and the figures to a folder"},
    OPTION_VERBOSE,
    OPTION_QUIET,
    OPTION_NO_CACHE,
};

const command command_lab = {
    .name = "lab",
    .operands = "list|NAME",
    .least = 1,
    .most = 1,
    .line = "run a study: one question, answered by tables next to published values",
    .more = "list prints the studies with their tables and parameters. The first device is the reference for the "
            "others. The path of every written file is printed.",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
