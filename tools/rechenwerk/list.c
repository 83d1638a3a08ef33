/* rechenwerk list [KIND]: names of problems, methods, settings, functions, formats, solvers, preconditioners, exit
 * codes, ready cases. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "rechenwerk/run.h"

/* Names without lines, as many in a row as fit. */
static void print_plain(const rw_word *words, int n, const char *indent)
{
    int column = 0;
    for (int i = 0; i < n; i++) {
        if (column && column + (int)strlen(words[i].name) > help_width() - 4) {
            printf("\n");
            column = 0;
        }
        column += printf("%s%s", column ? " " : indent, words[i].name);
    }
    printf("\n");
}

/* The end of the item that begins here: a comma or semicolon outside of brackets, or the end of the text. Brackets of
 * intervals may be open on one side. */
static const char *end_of_item(const char *text)
{
    for (int depth = 0; *text; text++) {
        if (strchr("([", *text)) depth++;
        else if (strchr(")]", *text)) depth--;
        else if (depth == 0 && strchr(",;", *text)) break;
    }
    return text;
}

static int widest_name(const rw_word *words, int n)
{
    int width = 0;
    for (int i = 0; i < n; i++)
        if ((int)strlen(words[i].name) > width) width = (int)strlen(words[i].name);
    return width;
}

/* Bytes of "sigma=1" in "sigma=1 (what it is)". */
static size_t name_of(const char *item)
{
    const char *what = strstr(item, " (");
    return what ? (size_t)(what - item) : strlen(item);
}

/* What follows the semicolon after the operation itself. */
static const char *parameters_of(const char *line)
{
    const char *item = end_of_item(line);
    while (*item == ',') item = end_of_item(item + 1);
    return item;
}

/* Operations with parameters: "Gaussian blur; sigma=1 (what it is), border=reflect101 (…)", a line for each of them. */
static void print_parameters(const rw_word *words, int n, const char *indent)
{
    const int names = widest_name(words, n), margin = (int)strlen(indent);
    int width = 0;
    for (int i = 0; i < n; i++)
        for (const char *item = parameters_of(words[i].line); *item; item = end_of_item(item)) {
            item += strspn(item, ",; ");
            if ((int)name_of(item) > width) width = (int)name_of(item);
        }
    for (int i = 0; i < n; i++) {
        const char *item = parameters_of(words[i].line);
        printf("%s%-*s  ", indent, names, words[i].name);
        print_wrapped(stdout, words[i].line, (size_t)(item - words[i].line), margin + names + 2);
        for (const char *end; *item; item = end) {
            end = end_of_item(item += strspn(item, ",; "));
            const size_t name = name_of(item), rest = (size_t)(end - item) - name;
            printf("%s    %-*.*s  ", indent, width, (int)name, item);
            /* without the brackets */
            print_wrapped(stdout, item + name + (rest ? 2 : 0), rest ? rest - 3 : 0, margin + 4 + width + 2);
        }
    }
}

static void print_lines(const rw_word *words, int n, const char *indent)
{
    const int width = widest_name(words, n);
    for (int i = 0; i < n; i++) {
        printf("%s%-*s  ", indent, width, words[i].name);
        print_wrapped(stdout, words[i].line, strlen(words[i].line), (int)strlen(indent) + width + 2);
    }
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
    if (n > 0 && !*words[0].line) print_plain(words, n, alone ? "" : "  ");
    else if (strcmp(kind, "filters") == 0 || strcmp(kind, "signals") == 0)
        print_parameters(words, n, alone ? "" : "  ");
    else print_lines(words, n, alone ? "" : "  ");
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
    int64_t n;
    rw_status status = rw_list_words(ctx, kind, &words, &n);
    if (status != RW_OK) return failed(ctx, status);
    print_words(kind, words, n, w, alone);
    rw_free(words);
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
    if (!found) return usage("list: unknown list '%s'%s", kind, suggest(kind, kinds()));
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
    .line = "print names of problems, methods, settings, functions, formats, solvers and so on",
    .words = kinds,
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
