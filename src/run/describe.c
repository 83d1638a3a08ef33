/* The tables as JSON, for bindings and other programs, and as a part of the manual page. */
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "rechenwerk/krylov.h"
#include "rechenwerk/ode.h"
#include "rechenwerk/run.h"
#include "run/tables.h"

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void add_row(rw_json_writer *w, const rw_section *s, const rw_param *row)
{
    char name[160], choice[64];
    rw_text what = {0};
    rw_tables_name(s, row, name, sizeof(name));
    rw_param_describe(row, &what);
    rw_json_object(w);
    rw_json_add_string(w, "name", row->name);
    rw_json_add_string(w, "path", name);
    rw_json_add_string(w, "kind", rw_param_kind_text(row->kind));
    rw_json_add_string(w, "description", what.data ? what.data : "");
    rw_json_add_bool(w, "required", row->required);
    rw_json_add_string(w, row->required ? "example" : "default", row->standard);
    if (row->kind == RW_PARAM_CHOICE || row->kind == RW_PARAM_ENUM) {
        rw_json_add_array(w, "choices");
        for (int i = 0; rw_param_choice(row->allowed, i, choice, sizeof(choice)); i++) rw_json_string(w, choice);
        rw_json_close(w);
    } else {
        rw_json_add_string(w, "allowed", row->allowed);
    }
    rw_json_add_string(w, "unit", row->unit);
    rw_json_add_string(w, "line", row->line);
    rw_json_close(w);
    w->text->failed |= what.failed;
    rw_text_free(&what);
}

static void add_sections(rw_json_writer *w, const char *key, const rw_section *s, int n)
{
    static const char *const forms[] = {"table", "each", "map", "texts"};
    rw_json_add_array(w, key);
    for (int i = 0; i < n; i++) {
        rw_json_object(w);
        rw_json_add_string(w, "name", s[i].name);
        rw_json_add_string(w, "form", forms[s[i].form]);
        rw_json_add_string(w, "line", s[i].line);
        if (*s[i].example) rw_json_add_string(w, "example", s[i].example);
        rw_json_add_array(w, "settings");
        for (int k = 0; k < rw_section_count(&s[i]); k++) add_row(w, &s[i], rw_section_row(&s[i], k));
        rw_json_close(w);
        rw_json_close(w);
    }
    rw_json_close(w);
}

rw_status rw_describe(rw_context *ctx, char **json)
{
    RW_NEED(json, "json");
    *json = NULL;
    RW_NEED(ctx, "context");
    rw_text text = {0};
    rw_json_writer w;
    rw_json_begin(&w, &text, 2);
    rw_json_object(&w);
    rw_json_add_string(&w, "program", "rechenwerk");
    rw_json_add_string(&w, "version", rw_version());
    rw_json_add_object(&w, "every_case");
    int n;
    const rw_section *s = rw_tables_sections(NULL, &n);
    add_sections(&w, "sections", s, n);
    rw_json_close(&w);
    s = rw_tables_specs(&n);
    add_sections(&w, "specifications", s, n);
    rw_json_add_array(&w, "problems");
    for (int i = 0; rw_problems[i]; i++) {
        rw_json_object(&w);
        rw_json_add_string(&w, "name", rw_problems[i]->name);
        rw_json_add_string(&w, "summary", rw_problems[i]->summary);
        s = rw_tables_sections(rw_problems[i], &n);
        add_sections(&w, "sections", s, n);
        rw_json_close(&w);
    }
    rw_json_close(&w);
    rw_json_add_array(&w, "statuses");
#define X(name, value, code, line)                                                                                     \
    rw_json_object(&w);                                                                                                \
    rw_json_add_string(&w, "name", "RW_" #name);                                                                       \
    rw_json_add_integer(&w, "value", value);                                                                           \
    rw_json_add_integer(&w, "exit_code", code);                                                                        \
    rw_json_add_string(&w, "line", line);                                                                              \
    rw_json_close(&w);
    RW_STATUS_LIST(X)
#undef X
    rw_json_close(&w);
    rw_json_close(&w);
    rw_text_add(&text, "\n");
    return rw_tables_give(ctx, &text, json);
}

/* ---- Fortran ----------------------------------------------------------------------------------------------------- */

/* rw_krylov_ of rw_krylov_spec */
static int prefix_of(const char *type) { return (int)(strrchr(type, '_') + 1 - type); }

rw_status rw_describe_fortran(rw_context *ctx, char **fortran)
{
    RW_NEED(fortran, "fortran");
    *fortran = NULL;
    RW_NEED(ctx, "context");
    static const rw_params *(*const specs[])(void) = {rw_sparse_params, rw_krylov_params, rw_precond_params,
                                                      rw_ode_params};
    rw_text text = {0};
    for (int i = 0; i < RW_COUNT(specs); i++) {
        const rw_params *p = specs[i]();
        for (int k = 0; k < p->n; k++) {
            char choice[64];
            if (p->row[k].kind != RW_PARAM_ENUM || strcmp(p->row[k].name, "values") == 0) continue; /* rw_dtype */
            if (!rw_param_enum(&p->row[k], p->row[k].standard) && strcmp(p->row[k].name, "method") == 0)
                rw_text_add(&text, "integer(c_int), parameter :: %.*s%s = 0\n", prefix_of(p->type), p->type,
                            p->row[k].standard);
            for (int c = 0; rw_param_choice(p->row[k].allowed, c, choice, sizeof(choice)); c++)
                rw_text_add(&text, "integer(c_int), parameter :: %.*s%s = %d\n", prefix_of(p->type), p->type, choice,
                            c + 1);
        }
    }
    return rw_tables_give(ctx, &text, fortran);
}

/* ---- manual page ------------------------------------------------------------------------------------------------- */

/* Text for roff: no escape or request may begin by chance. */
static void add_roff(rw_text *text, const char *value)
{
    for (const char *p = value; *p; p++) {
        if ((*p == '.' || *p == '\'') && (p == value || p[-1] == '\n')) rw_text_add(text, "\\&");
        if (*p == '\\') rw_text_add(text, "\\e");
        else if (*p == '-') rw_text_add(text, "\\-");
        else rw_text_add_bytes(text, p, 1);
    }
}

static void add_manual_row(rw_text *text, const rw_section *s, const rw_param *row)
{
    char name[160], standard[160];
    rw_text what = {0};
    rw_tables_name(s, row, name, sizeof(name));
    rw_tables_default(row, standard, sizeof(standard));
    rw_param_describe(row, &what);
    rw_text_add(text, ".TP\n.B ");
    add_roff(text, name);
    rw_text_add(text, "\n");
    add_roff(text, row->line);
    if (*row->unit) {
        rw_text_add(text, " (");
        add_roff(text, row->unit);
        rw_text_add(text, ")");
    }
    rw_text_add(text, ".\n");
    add_roff(text, what.data ? what.data : "");
    rw_text_add(text, " ");
    add_roff(text, standard);
    rw_text_add(text, ".\n");
    text->failed |= what.failed;
    rw_text_free(&what);
}

static void add_manual_sections(rw_text *text, const rw_section *s, int n)
{
    for (int i = 0; i < n; i++) {
        if (rw_section_count(&s[i]) == 0) {
            rw_text_add(text, ".TP\n.B ");
            add_roff(text, s[i].name);
            rw_text_add(text, "\n");
            add_roff(text, s[i].line);
            rw_text_add(text, ". For example ");
            add_roff(text, s[i].example);
            rw_text_add(text, ".\n");
        }
        for (int k = 0; k < rw_section_count(&s[i]); k++) add_manual_row(text, &s[i], rw_section_row(&s[i], k));
    }
}

rw_status rw_describe_manual(rw_context *ctx, char **roff)
{
    RW_NEED(roff, "roff");
    *roff = NULL;
    RW_NEED(ctx, "context");
    rw_text text = {0};
    int n;
    const rw_section *s = rw_tables_sections(NULL, &n);
    rw_text_add(&text, ".SH SETTINGS OF EVERY CASE\n");
    add_manual_sections(&text, s, n);
    for (int i = 0; rw_problems[i]; i++) {
        rw_text_add(&text, ".SH SETTINGS OF THE PROBLEM %s\n", rw_problems[i]->name);
        add_roff(&text, rw_problems[i]->summary);
        rw_text_add(&text, ".\n");
        s = rw_tables_sections(rw_problems[i], &n);
        add_manual_sections(&text, s, n);
    }
    s = rw_tables_specs(&n);
    rw_text_add(&text, ".SH OPTIONS OF SOLVERS, PRECONDITIONERS, FORMATS AND GRIDS\n");
    add_manual_sections(&text, s, n);
    return rw_tables_give(ctx, &text, roff);
}
