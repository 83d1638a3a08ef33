/* Lists of names, and help on one of them, read from the tables of settings, problems and the language. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/boundary.h"
#include "expr/lower.h"
#include "rechenwerk/image.h"
#include "rechenwerk/run.h"
#include "rechenwerk/signal.h"
#include "run/tables.h"
#include "run/topics.h"

#define WIDTH 100 /* of help on a terminal */

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* Names and lines one after the other in `texts`, each ended by NUL; made into rw_word at the end. */
typedef struct collection {
    rw_text texts;
    int n;
} collection;

static void add(collection *all, const char *name, const char *line)
{
    rw_text_add_bytes(&all->texts, name, strlen(name) + 1);
    rw_text_add_bytes(&all->texts, line, strlen(line) + 1);
    all->n++;
}

static void add_problems(collection *all)
{
    for (int i = 0; rw_problems[i]; i++) add(all, rw_problems[i]->name, rw_problems[i]->summary);
}

static bool has(const collection *all, const char *name)
{
    const char *at = all->texts.data;
    for (int i = 0; i < 2 * all->n && !all->texts.failed; i++, at += strlen(at) + 1)
        if (i % 2 == 0 && !strcmp(at, name)) return true;
    return false;
}

/* What several problems have is listed once. */
static void add_rows(collection *all, const rw_problem_ops *problem)
{
    int n;
    const rw_section *s = rw_tables_sections(problem, &n);
    for (int i = 0; i < n; i++) {
        char name[160];
        if (rw_section_count(&s[i]) == 0 && !has(all, s[i].name)) add(all, s[i].name, s[i].line);
        for (int k = 0; k < rw_section_count(&s[i]); k++) {
            rw_tables_name(&s[i], rw_section_row(&s[i], k), name, sizeof(name));
            if (!has(all, name)) add(all, name, rw_section_row(&s[i], k)->line);
        }
    }
}

static void add_settings(collection *all)
{
    add_rows(all, NULL);
    for (int i = 0; rw_problems[i]; i++) add_rows(all, rw_problems[i]);
}

/* The choices of every setting named "method". */
static void add_methods(collection *all)
{
    for (int p = 0; rw_problems[p]; p++) {
        int n;
        const rw_section *s = rw_tables_sections(rw_problems[p], &n);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < rw_section_count(&s[i]); k++) {
                const rw_param *row = rw_section_row(&s[i], k);
                char choice[64], line[200];
                if ((row->kind != RW_PARAM_CHOICE && row->kind != RW_PARAM_ENUM) || strcmp(row->name, "method") != 0)
                    continue;
                snprintf(line, sizeof(line), "%s.%s of problem %s", s[i].name, row->name, rw_problems[p]->name);
                for (int c = 0; rw_param_choice(row->allowed, c, choice, sizeof(choice)); c++) add(all, choice, line);
            }
    }
}

static void add_functions(collection *all)
{
    const rw_language_word *words;
    int n = rw_language_words(&words);
    for (int i = 0; i < n; i++) add(all, words[i].name, words[i].line);
}

static void add_exit_codes(collection *all)
{
    static const struct {
        int code;
        const char *line;
    } codes[] = {
#define X(name, value, code, line) {code, line},
        RW_STATUS_LIST(X)
#undef X
    };
    for (int code = 0; code < 256; code++) {
        char name[16];
        rw_text line = {0};
        for (int i = 0; i < RW_COUNT(codes); i++)
            if (codes[i].code == code) rw_text_add(&line, "%s%s", line.data ? "; " : "", codes[i].line);
        snprintf(name, sizeof(name), "%d", code);
        if (line.data) add(all, name, line.data);
        all->texts.failed |= line.failed;
        rw_text_free(&line);
    }
}

static void add_formats(collection *all)
{
    int n;
    const rw_word *words = rw_format_words(&n);
    for (int i = 0; i < n; i++) add(all, words[i].name, words[i].line);
}

static void add_solvers(collection *all)
{
    int n;
    const rw_word *words = rw_solver_words(&n);
    for (int i = 0; i < n; i++) add(all, words[i].name, words[i].line);
}

static void add_preconds(collection *all)
{
    int n;
    const rw_word *words = rw_precond_words(&n);
    for (int i = 0; i < n; i++) add(all, words[i].name, words[i].line);
}

/* The methods of a specification: "Gaussian blur; sigma=1 (standard deviation in pixels (number in (0, 1000])), …". */
static void add_operations(collection *all, const rw_params *p, const char *const *lines)
{
    char name[64];
    for (int m = 1; rw_param_enum_text(p->row, m, name, sizeof name); m++) {
        const char *before = "; ";
        char buffer[64];
        rw_text line = {0};
        rw_text_add(&line, "%s", lines[m - 1]);
        for (int i = 1; i < p->n; i++) {
            const rw_param *row = p->row + i;
            rw_text what = {0};
            if (!(row->methods >> m & 1)) continue;
            rw_param shown = *row;
            char allowed[200];
            const char *own = rw_param_for(row->allowed, name, allowed, sizeof(allowed));
            const char *standard = rw_param_for(row->standard, name, buffer, sizeof(buffer));
            shown.allowed = own ? own : row->allowed;
            rw_param_describe(&shown, &what);
            rw_text_add(&line, "%s%s", before, row->name);
            if (standard && *standard) rw_text_add(&line, "=%s", standard);
            const bool any = what.data && *what.data;
            rw_text_add(&line, " (%s%s%s%s)", row->line, any ? " (" : "", any ? what.data : "", any ? ")" : "");
            all->texts.failed |= what.failed;
            rw_text_free(&what);
            before = ", ";
        }
        if (line.data) add(all, name, line.data);
        all->texts.failed |= line.failed;
        rw_text_free(&line);
    }
}

#define X(name, text, line) line,
static void add_filters(collection *all)
{
    static const char *const lines[] = {RW_IMAGE_METHOD_LIST(X)};
    add_operations(all, rw_image_op_params(), lines);
}

static void add_signals(collection *all)
{
    static const char *const lines[] = {RW_SIGNAL_METHOD_LIST(X)};
    add_operations(all, rw_signal_op_params(), lines);
}
#undef X

/* clang-format off */
#define KINDS(X)                                                                                                       \
    X("problems", add_problems)                                                                                        \
    X("methods", add_methods)                                                                                          \
    X("settings", add_settings)                                                                                        \
    X("functions", add_functions)                                                                                      \
    X("formats", add_formats)                                                                                          \
    X("solvers", add_solvers)                                                                                          \
    X("preconditioners", add_preconds)                                                                                 \
    X("filters", add_filters)                                                                                          \
    X("signals", add_signals)                                                                                          \
    X("exit-codes", add_exit_codes)
/* clang-format on */
static const struct {
    const char *kind;
    void (*add)(collection *all);
} kinds[] = {
#define X(kind, add) {kind, add},
    KINDS(X)
#undef X
};

const char *const *rw_word_kinds(void)
{
    static const char *const names[] = {
#define X(kind, add) kind,
        KINDS(X)
#undef X
            NULL};
    return names;
}

rw_status rw_list_words(rw_context *ctx, const char *kind, rw_word **words, int64_t *n)
{
    RW_NEED(words, "words");
    *words = NULL;
    RW_NEED(ctx, "context");
    RW_NEED(kind, "kind");
    RW_NEED(n, "n");
    *n = 0;
    collection all = {.n = 0};
    int k = 0;
    while (k < RW_COUNT(kinds) && strcmp(kinds[k].kind, kind) != 0) k++;
    if (k == RW_COUNT(kinds))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "unknown list '%.60s'%s", kind,
                       rw_hint_known(kind, rw_word_kinds(), RW_COUNT(kinds)).text);
    kinds[k].add(&all);
    size_t head = (size_t)all.n * sizeof(rw_word);
    rw_word *list = all.texts.failed ? NULL : rw_calloc(1, head + all.texts.length + 1);
    if (!list) {
        rw_text_free(&all.texts);
        return rw_fail_memory(ctx, head, "a list of names");
    }
    char *p = (char *)list + head;
    if (all.texts.length) memcpy(p, all.texts.data, all.texts.length);
    for (int i = 0; i < all.n; i++) {
        list[i].name = p;
        list[i].line = p + strlen(p) + 1;
        p += strlen(p) + 1 + strlen(list[i].line) + 1;
    }
    rw_text_free(&all.texts);
    *words = list;
    *n = all.n;
    return RW_OK;
}

/* ---- help -------------------------------------------------------------------------------------------------------- */

/* Adds `words`, indented and broken at WIDTH. */
static void add_wrapped(rw_text *text, int indent, const char *words)
{
    int column = 0;
    for (const char *p = words; *p;) {
        int n = (int)strcspn(p, " ");
        if (column > 0 && column + 1 + n > WIDTH) {
            rw_text_add(text, "\n");
            column = 0;
        }
        rw_text_add(text, column ? " %.*s" : "%*s%.*s", column ? n : indent, column ? p : "", n, p);
        column += column ? n + 1 : indent + n;
        p += n;
        while (*p == ' ') p++;
    }
    rw_text_add(text, "\n");
}

static void help_row(rw_text *text, const rw_section *section, const rw_param *row)
{
    char name[160], standard[160], condition[200];
    rw_text what = {0};
    rw_section_condition(section, row, condition, sizeof(condition));
    rw_tables_name(section, row, name, sizeof(name));
    rw_tables_default(row, standard, sizeof(standard));
    rw_param_describe(row, &what);
    rw_text_add(text, "  %s\n", name);
    rw_text line = {0};
    rw_text_add(&line, "%s%s%s%s: %s%s%s%s%s %s", row->line, *row->unit ? " (" : "", row->unit, *row->unit ? ")" : "",
                what.data ? what.data : "", row->required ? "; for example " : "", row->required ? row->standard : "",
                *condition ? "; only if " : "", condition, standard);
    if (line.data) add_wrapped(text, 6, line.data);
    text->failed |= line.failed || what.failed;
    rw_text_free(&line);
    rw_text_free(&what);
}

static void help_section(rw_text *text, const rw_section *s)
{
    rw_text_add(text, "%s: %s\n", strcmp(s->name, RW_SECTION_TOP) == 0 ? "(top level)" : s->name, s->line);
    if (*s->example) rw_text_add(text, "  for example  %s: %s\n", s->name, s->example);
    for (int k = 0; k < rw_section_count(s); k++) help_row(text, s, rw_section_row(s, k));
}

static void help_problem(rw_text *text, const rw_problem_ops *problem)
{
    int n;
    rw_text_add(text, "%s: %s\n\n", problem->name, problem->summary);
    rw_text_add(text, "Template of a case: rechenwerk init %s. Settings of the problem:\n", problem->name);
    const rw_section *s = rw_tables_sections(problem, &n);
    for (int i = 0; i < n; i++) {
        rw_text_add(text, "\n");
        help_section(text, &s[i]);
    }
    rw_text_add(text, "\nSettings of every case:\n");
    s = rw_tables_sections(NULL, &n);
    for (int i = 0; i < n; i++) {
        rw_text_add(text, "\n");
        help_section(text, &s[i]);
    }
}

static bool is_choice(const rw_param *row, const char *name)
{
    char choice[64];
    for (int c = 0; (row->kind == RW_PARAM_CHOICE || row->kind == RW_PARAM_ENUM) &&
                    rw_param_choice(row->allowed, c, choice, sizeof(choice));
         c++)
        if (strcmp(choice, name) == 0) return true;
    return false;
}

/* Sections and settings of one table named so; a setting also without its section, and by the name of a method. */
static void help_in(rw_text *text, const rw_section *s, int n, const char *name)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(s[i].name, name) == 0) help_section(text, &s[i]);
        for (int k = 0; k < rw_section_count(&s[i]); k++) {
            char full[160], plain[160];
            rw_tables_name(&s[i], rw_section_row(&s[i], k), full, sizeof(full));
            snprintf(plain, sizeof(plain), "%s.%s", s[i].name, rw_section_row(&s[i], k)->name); /* fields.initial */
            if (strcmp(full, name) != 0 && strcmp(plain, name) != 0 &&
                strcmp(rw_section_row(&s[i], k)->name, name) != 0 &&
                !(strcmp(rw_section_row(&s[i], k)->name, "method") == 0 && is_choice(rw_section_row(&s[i], k), name)))
                continue;
            help_row(text, &s[i], rw_section_row(&s[i], k));
        }
    }
}

/* After the topic of boundaries: a line for each kind, one for all borders. */
static void help_boundaries(rw_text *text)
{
    rw_text borders = {0};
    for (int k = 0; k < RW_BOUNDARY_KINDS; k++) {
        const rw_boundary_row *row = rw_boundary_row_of((rw_boundary_kind)k);
        const char *form = row->form ? row->form : rw_boundary_kind_name((rw_boundary_kind)k);
        if (row->meaning) rw_text_add(text, "  %-30s%s\n", form, row->meaning);
        else rw_text_add(&borders, "%s%s", borders.data ? ", " : "", form);
    }
    rw_text_add(
        text,
        "  %s    borders as of images: docs/reference/expressions.md\n"
        "  {left: \"1\", right: neumann, y: periodic}         by side or axis; sides that are not named have zero "
        "flux\n"
        "  {left: [{where: \"y > 0.5\", dirichlet: \"1\"}, neumann]}    a side in parts: the first whose where is "
        "true\n"
        "  {left: [{mask: inlet.npy, dirichlet: \"1\"}, neumann]}    the same by a file: where it is not 0\n",
        borders.data ? borders.data : "");
    text->failed |= borders.failed;
    rw_text_free(&borders);
}

static void help_topic(rw_text *text, const char *name)
{
    int next = 0, n;
    const char *settings;
    for (const char *line; (line = rw_topic_text(name, &next, &settings));) {
        rw_text_add(text, "%s", line);
        if (strcmp(settings, "fields.boundary") == 0) help_boundaries(text);
        for (int k = 0; *settings && rw_problems[k]; k++) {
            const rw_section *s = rw_tables_sections(rw_problems[k], &n);
            rw_text row = {0};
            help_in(&row, s, n, settings);
            if (row.data) rw_text_add(text, "%s", row.data);
            text->failed |= row.failed;
            rw_text_free(&row);
        }
        rw_text_add(text, "\n");
    }
}

static rw_status fail_unknown(rw_context *ctx, const char *name)
{
    static const char *const where[] = {"problems", "settings", "functions"};
    const char *candidates[3];
    rw_word *words[3] = {NULL};
    int found = 0;
    int64_t n;
    for (int i = 0; i < RW_COUNT(where); i++) {
        if (rw_list_words(ctx, where[i], &words[i], &n) != RW_OK) continue;
        const char **names = rw_calloc((size_t)n + 1, sizeof(*names));
        for (int k = 0; names && k < n; k++) names[k] = words[i][k].name;
        const char *near = names ? rw_nearest(name, names, n) : NULL;
        if (near) candidates[found++] = near;
        rw_free(names);
    }
    rw_status status =
        rw_fail(ctx, RW_ERR_ARGUMENT, "'%.80s' is not a problem, section, setting or function%s: see rechenwerk list",
                name, rw_hint_nearest(name, candidates, found).text);
    for (int i = 0; i < RW_COUNT(where); i++) free(words[i]);
    return status;
}

rw_status rw_help(rw_context *ctx, const char *name, char **out)
{
    RW_NEED(out, "text");
    *out = NULL;
    RW_NEED(ctx, "context");
    RW_NEED(name, "name");
    rw_text text = {0};
    const rw_problem_ops *problem = rw_tables_problem(name);
    if (problem) {
        help_problem(&text, problem);
        return rw_tables_give(ctx, &text, out);
    }
    int sections;
    help_topic(&text, name);
    if (text.data && !strcmp(name, "boundary")) /* the row is part of it */
        return rw_tables_give(ctx, &text, out);
    const rw_section *s = rw_tables_sections(NULL, &sections);
    help_in(&text, s, sections, name);
    for (int i = 0; rw_problems[i]; i++) {
        s = rw_tables_sections(rw_problems[i], &sections);
        help_in(&text, s, sections, name);
    }
    s = rw_tables_specs(&sections);
    help_in(&text, s, sections, name);
    const rw_language_word *words;
    int n = rw_language_words(&words);
    for (int i = 0; i < n && !text.data; i++)
        if (strcmp(words[i].name, name) == 0)
            rw_text_add(&text, "%s: %s\n\nA word of the expression language (docs/reference/expressions.md).\n",
                        words[i].form, words[i].line);
    if (!text.data && !text.failed) return fail_unknown(ctx, name);
    return rw_tables_give(ctx, &text, out);
}
