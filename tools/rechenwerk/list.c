/* rechenwerk list [KIND]: names of problems, methods, settings, functions, formats, solvers, preconditioners, exit
 * codes, ready cases. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "rechenwerk/describe.h"

/* Names without lines, as many in a row as fit. */
static void print_plain(const rw_word *words, int n, const char *indent)
{
    int column = 0;
    for (int i = 0; i < n; i++) {
        if (column && column + (int)strlen(words[i].name) > 96) {
            printf("\n");
            column = 0;
        }
        column += printf("%s%s", column ? " " : indent, words[i].name);
    }
    printf("\n");
}

static void print_lines(const rw_word *words, int n, const char *indent)
{
    int width = 0;
    for (int i = 0; i < n; i++)
        if ((int)strlen(words[i].name) > width) width = (int)strlen(words[i].name);
    for (int i = 0; i < n; i++) printf("%s%-*s  %s\n", indent, width, words[i].name, words[i].line);
}

/* w: NULL, or into JSON. */
static void print_words(const char *kind, const rw_word *words, int n, rw_json_writer *w, bool alone)
{
    if (w) {
        rw_json_add_array(w, kind);
        for (int i = 0; i < n; i++) {
            rw_json_object(w);
            rw_json_add_string(w, "name", words[i].name);
            rw_json_add_string(w, "line", words[i].line);
            rw_json_close(w);
        }
        rw_json_close(w);
        return;
    }
    if (!alone) printf("%s\n", kind);
    if (n > 0 && !*words[0].line)
        print_plain(words, n, alone ? "" : "  ");
    else
        print_lines(words, n, alone ? "" : "  ");
    if (!alone) printf("\n");
}

static void print_cases(rw_json_writer *w, bool alone)
{
    int n;
    ready_case *cases = find_cases(&n);
    rw_word *words = calloc((size_t)n + 1, sizeof(*words));
    for (int i = 0; words && i < n; i++) words[i] = (rw_word){cases[i].name, cases[i].line};
    print_words("cases", words, words ? n : 0, w, alone);
    free(words);
    free(cases);
}

static int print_kind(rw_context *ctx, const char *kind, rw_json_writer *w, bool alone)
{
    rw_word *words;
    int n;
    rw_status status = rw_list_words(ctx, kind, &words, &n);
    if (status != RW_OK) return failed(ctx, status);
    print_words(kind, words, n, w, alone);
    free(words);
    return 0;
}

static const char *const *kinds(void)
{
    static const char *all[16];
    int n = 0;
    for (const char *const *k = rw_word_kinds(); *k && n < COUNT(all) - 2; k++) all[n++] = *k;
    all[n] = "cases";
    return all;
}

static int run(const arguments *a)
{
    const char *kind = a->noperands ? a->operands[0] : NULL;
    bool found = !kind;
    int code = 0;
    for (const char *const *k = kinds(); *k && !found; k++) found = strcmp(*k, kind) == 0;
    if (!found) return usage("list: there is no list of '%s'%s", kind, suggest(kind, kinds()));
    rw_context *ctx = make_context(a);
    if (!ctx) return 5;
    rw_json_writer *w = given(a, "json") ? json_begin(0) : NULL;
    for (const char *const *k = rw_word_kinds(); *k && code == 0; k++)
        if (!kind || strcmp(*k, kind) == 0) code = print_kind(ctx, *k, w, kind);
    if (!kind || strcmp(kind, "cases") == 0) print_cases(w, kind);
    if (w && code == 0) code = json_end();
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {OPTION_JSON};

const command command_list = {
    .name = "list",
    .operands = "[KIND]",
    .most = 1,
    .line = "names of problems, methods, settings, functions, formats, solvers and so on",
    .words = kinds,
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
