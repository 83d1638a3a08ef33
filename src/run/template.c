/* The commented case of `rechenwerk init`: required settings with an example, all others as comments with their
 * defaults, each with its line. It is made from the tables, so it is complete, and it runs as it is. */
#include <stdio.h>
#include <string.h>

#include "rechenwerk/run.h"
#include "run/tables.h"

#define COLUMN 34 /* of the comments */

static void add_line(rw_text *text, const char *setting, const char *comment)
{
    rw_text_add(text, "%-*s # %s\n", COLUMN, setting, comment);
}

/* "relative tolerance of a step: number in (0, 1]" */
static void comment_of(rw_text *text, const rw_param *row, char *comment, size_t size)
{
    rw_text what = {0};
    rw_param_describe(row, &what);
    text->failed |= what.failed;
    bool plain = row->kind == RW_PARAM_NODE || row->kind == RW_PARAM_TEXT;
    snprintf(comment, size, "%s%s%s%s%s%s", row->line, *row->unit ? " (" : "", row->unit, *row->unit ? ")" : "",
             plain ? "" : ": ", plain || !what.data ? "" : what.data);
    rw_text_free(&what);
}

/* The default as YAML: an empty text is written "". */
static const char *value_of(const rw_param *row)
{
    return rw_param_by_method(row) ? "auto" : *row->standard ? row->standard : "\"\"";
}

static void add_row(rw_text *text, int indent, const rw_param *row, const char *value)
{
    char setting[400], comment[500];
    comment_of(text, row, comment, sizeof(comment));
    snprintf(setting, sizeof(setting), "%*s%s%s: %s", indent, "", row->required ? "" : "# ", row->name, value);
    add_line(text, setting, comment);
}

static void add_entry_keys(rw_text *text, const rw_section *s)
{
    for (int k = 0; k < rw_section_count(s); k++) {
        const rw_param *row = rw_section_row(s, k);
        rw_text_add(text, "  # %s%s: %s\n", row->name, row->required ? " (required)" : "", row->line);
    }
}

static void add_section(rw_text *text, const rw_section *s, const char *problem)
{
    char head[400];
    bool top = strcmp(s->name, RW_SECTION_TOP) == 0;
    if (top) {
        for (int k = 0; k < rw_section_count(s); k++)
            add_row(text, 0, rw_section_row(s, k),
                    strcmp(rw_section_row(s, k)->name, "problem") == 0 ? problem : value_of(rw_section_row(s, k)));
        return;
    }
    rw_text_add(text, "\n");
    if (rw_section_count(s) == 0) {
        snprintf(head, sizeof(head), "%s: %s", s->name, s->example);
        add_line(text, head, s->line);
        return;
    }
    bool needed = s->form != RW_SECTION_EACH;
    for (int k = 0; k < rw_section_count(s); k++) needed |= rw_section_row(s, k)->required;
    snprintf(head, sizeof(head), "%s%s:", needed ? "" : "# ", s->name);
    add_line(text, head, s->line);
    if (s->form == RW_SECTION_EACH) {
        if (*s->example) rw_text_add(text, "%s  %s\n", needed ? "" : "#", s->example);
        add_entry_keys(text, s);
        return;
    }
    if (*s->example) rw_text_add(text, "  %s\n", s->example);
    for (int k = 0; k < rw_section_count(s); k++)
        add_row(text, 2, rw_section_row(s, k), value_of(rw_section_row(s, k)));
}

rw_status rw_case_template(rw_context *ctx, const char *name, char **out)
{
    RW_NEED(out, "text");
    *out = NULL;
    RW_NEED(ctx, "context");
    RW_NEED(name, "problem");
    const rw_problem_ops *problem = rw_tables_problem(name);
    if (!problem) {
        const char *names[32];
        int n = 0;
        for (; rw_problems[n] && n < RW_COUNT(names); n++) names[n] = rw_problems[n]->name;
        return rw_fail(ctx, RW_ERR_ARGUMENT, "unknown problem '%.60s'%s: see rechenwerk list problems", name,
                       rw_hint_nearest(name, names, n).text);
    }
    rw_text text = {0};
    rw_text_add(&text, "# A case of the problem %s: %s.\n", problem->name, problem->summary);
    rw_text_add(&text, "# Run it with: rechenwerk run THIS-FILE.yaml\n");
    rw_text_add(&text, "# Settings that are commented out show their defaults: uncomment one to change it.\n\n");
    int n;
    const rw_section *s = rw_tables_sections(NULL, &n);
    add_section(&text, &s[0], name); /* the top level */
    s = rw_tables_sections(problem, &n);
    for (int i = 0; i < n; i++) add_section(&text, &s[i], name);
    s = rw_tables_sections(NULL, &n);
    for (int i = 1; i < n; i++) add_section(&text, &s[i], name);
    return rw_tables_give(ctx, &text, out);
}
