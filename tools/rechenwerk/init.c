/* rechenwerk init NAME: a case to begin with: the commented one of a problem, or one that came with the program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "rechenwerk/run.h"

/* Copies a ready case; NULL when there is none of this name. path: where it is. */
static char *read_ready(const char *name, char path[800])
{
    int n;
    ready_case *cases = find_cases(&n);
    char *text = NULL;
    for (int i = 0; i < n && !text; i++) {
        if (strcmp(cases[i].name, name) != 0) continue;
        FILE *file = fopen(cases[i].path, "r");
        snprintf(path, 800, "%s", cases[i].path);
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

/* ---- files that a ready case reads ------------------------------------------------------------------------------- */

/* The next word of the text that is the path of a file below `folder`; where to look on, or NULL. */
static const char *next_file(const char *text, const char *folder, char name[256])
{
    static const char of_paths[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
    for (const char *p = text + strcspn(text, of_paths); *p; p += strcspn(p, of_paths)) {
        const size_t n = strspn(p, of_paths);
        char path[1100];
        struct stat s;
        snprintf(name, 256, "%.*s", (int)(n < 256 ? n : 0), p);
        snprintf(path, sizeof(path), "%s/%s", folder, name);
        p += n;
        if (*name && *name != '/' && !strstr(name, "..") && stat(path, &s) == 0 && S_ISREG(s.st_mode)) return p;
    }
    return NULL;
}

static bool copy(FILE *from, FILE *to)
{
    char bytes[4096];
    for (size_t n; (n = fread(bytes, 1, sizeof(bytes), from)) > 0;)
        if (fwrite(bytes, 1, n, to) != n) return false;
    return !ferror(from);
}

/* Copies `from` to `to`, whose folder is made if there is none. A file that exists stays as it is. */
static int copy_new(const char *from, char *to)
{
    for (char *slash = strchr(to + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(to, 0777); /* of one that cannot be made, opening the file says why */
        *slash = '/';
    }
    FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wbx") : NULL;
    const int why = errno;
    bool good = in && out && copy(in, out);
    if (out) good = fclose(out) == 0 && good;
    if (out && !good) remove(to);
    if (in) fclose(in);
    if (good) printf("%s\n", to);
    else if (in && !out && why == EEXIST) fprintf(stderr, "rechenwerk: init: '%s' exists and is not overwritten\n", to);
    else fprintf(stderr, "rechenwerk: init: '%s' cannot be copied to '%s': %s\n", from, to, strerror(why));
    return good || (in && !out && why == EEXIST) ? 0 : 1;
}

/* Copies the files that the case at `path` reads to the folder of the new case; NULL: prints a notice. */
static int bring_files(const char *text, const char *path, const char *output)
{
    char folder[800], name[256], from[1100], to[1400];
    const char *slash = strrchr(path, '/'), *last = output ? strrchr(output, '/') : NULL;
    int code = 0;
    snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    for (const char *p = text; (p = next_file(p, folder, name));) {
        snprintf(from, sizeof(from), "%s/%s", folder, name);
        snprintf(to, sizeof(to), "%.*s%s", last ? (int)(last - output + 1) : 0, last ? output : "", name);
        if (output) code |= copy_new(from, to);
        else fprintf(stderr, "rechenwerk: init: the case reads %s; init -o FILE.yaml copies it too\n", name);
    }
    return code;
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
    char *help = NULL, see[100] = "list problems and rechenwerk list cases";
    if (rw_help(ctx, name, &help) == RW_OK) snprintf(see, sizeof(see), "help %.60s", name);
    int code = usage("init: '%.60s' is neither a problem nor a ready case%s: see rechenwerk %s", name,
                     names ? suggest(name, names) : "", see);
    rw_free(help);
    free(names);
    rw_free(problems);
    free(cases);
    return code;
}

static int run(const arguments *a)
{
    rw_context *ctx = make_context(a);
    if (!ctx) return 5;
    char path[800], *text = read_ready(a->operands[0], path);
    const bool ready = text != NULL;
    rw_status status = ready ? RW_OK : rw_case_template(ctx, a->operands[0], &text);
    int code = 0;
    if (status == RW_ERR_ARGUMENT) code = unknown(ctx, a->operands[0]);
    else if (status != RW_OK) code = failed(ctx, status);
    else if (ready) code = bring_files(text, path, value_of(a, "output")); /* before the case, which reads them */
    if (code == 0 && value_of(a, "output")) code = write_new(value_of(a, "output"), text);
    else if (code == 0) fputs(text, stdout);
    if (ready) free(text);
    else rw_free(text);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {{"output", 0, "FILE.yaml",
                                  "output file, must not exist (default: standard "
                                  "output)"}};

const command command_init = {
    .name = "init",
    .operands = "NAME",
    .least = 1,
    .most = 1,
    .line = "write a commented case to start from: a template for a problem, or one of the ready cases",
    .more = "NAME is a problem (rechenwerk list problems) or a ready case (rechenwerk list cases).\n"
            "With --output the files that a ready case reads, such as pictures, are copied next to it.",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
