/* rechenwerk init NAME: a case to begin with: the commented one of a problem, or one that came with the program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "rechenwerk/run.h"

/* Copies a ready case; NULL when there is none of this name. */
static char *read_ready(const char *name)
{
    int n;
    ready_case *cases = find_cases(&n);
    char *text = NULL;
    for (int i = 0; i < n && !text; i++) {
        if (strcmp(cases[i].name, name) != 0) continue;
        FILE *file = fopen(cases[i].path, "r");
        size_t size = 1 << 20, got;
        if (file && (text = calloc(size, 1))) {
            got = fread(text, 1, size - 1, file);
            text[got] = '\0';
        }
        if (file) fclose(file);
    }
    free(cases);
    return text;
}

/* A new file; one that exists stays as it is. */
static int write_new(const char *path, const char *text)
{
    FILE *file = fopen(path, "wx");
    if (!file)
        return usage("init: cannot create '%s': %s%s", path, strerror(errno),
                     errno == EEXIST ? ": it is not overwritten" : "");
    bool good = fputs(text, file) >= 0;
    good = fclose(file) == 0 && good;
    if (good) return 0;
    fprintf(stderr, "rechenwerk: init: '%s' cannot be written: %s\n", path, strerror(errno));
    remove(path);
    return 1;
}

/* A name that is neither: with the nearest of both. */
static int unknown(rw_context *ctx, const char *name)
{
    int n, count = 0;
    int64_t nproblems = 0;
    ready_case *cases = find_cases(&n);
    rw_word *problems = NULL;
    if (rw_list_words(ctx, "problems", &problems, &nproblems) != RW_OK) nproblems = 0;
    const char **names = calloc((size_t)(n + nproblems) + 1, sizeof(*names));
    for (int i = 0; names && i < n; i++) names[count++] = cases[i].name;
    for (int i = 0; names && i < nproblems; i++) names[count++] = problems[i].name;
    int code =
        usage("init: '%.60s' is neither a problem nor a ready case%s: see rechenwerk list problems and rechenwerk "
              "list cases",
              name, names ? suggest(name, names) : "");
    free(names), rw_free(problems), free(cases);
    return code;
}

static int run(const arguments *a)
{
    rw_context *ctx = make_context(a);
    if (!ctx) return 5;
    char *text = read_ready(a->operands[0]);
    const bool ready = text != NULL;
    rw_status status = ready ? RW_OK : rw_case_template(ctx, a->operands[0], &text);
    int code = 0;
    if (status == RW_ERR_ARGUMENT) code = unknown(ctx, a->operands[0]);
    else if (status != RW_OK) code = failed(ctx, status);
    else if (value_of(a, "output")) code = write_new(value_of(a, "output"), text);
    else fputs(text, stdout);
    if (ready) free(text);
    else rw_free(text);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {{"output", 'o', "FILE.yaml",
                                  "output file, must not exist (default: standard "
                                  "output)"}};

const command command_init = {
    .name = "init",
    .operands = "NAME",
    .least = 1,
    .most = 1,
    .line = "write a commented case to start from: a template for a problem, or one of the ready cases",
    .more = "NAME is a problem (rechenwerk list problems) or a ready case (rechenwerk list cases).",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
