/* The result of a study as text, Markdown, CSV or JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "lab/lab.h"
#include "measure/measure.h"

/* A number as its column shows it; "-" for a gap. */
static void format_cell(const rw_lab *lab, rw_lab_show show, double x, char cell[RW_CELL])
{
    if (isnan(x)) {
        rw_snprintf(cell, RW_CELL, "-");
        return;
    }
    switch (show) {
    case RW_SHOW_INTEGER: rw_snprintf(cell, RW_CELL, "%lld", (long long)x); break;
    case RW_SHOW_REAL: rw_snprintf(cell, RW_CELL, "%.6g", x); break;
    case RW_SHOW_SECONDS: rw_snprintf(cell, RW_CELL, "%.5f", x); break;
    case RW_SHOW_RATIO: rw_snprintf(cell, RW_CELL, "%.2f", x); break;
    case RW_SHOW_ERROR: rw_snprintf(cell, RW_CELL, "%.1e", x); break;
    case RW_SHOW_DEVICE: rw_snprintf(cell, RW_CELL, "%s", lab->info[(int)x].name); break;
    case RW_SHOW_NAME: rw_snprintf(cell, RW_CELL, "%s", lab->names[(int)x].text); break;
    }
}

static double value_at(const rw_lab *lab, int table, int row, int c)
{
    return lab->rows[table].value[row * lab->rows[table].width + c];
}

/* ---- text and Markdown ------------------------------------------------------------------------------------------- */

static void add_head(rw_text *t, const rw_lab *lab, bool markdown)
{
    const rw_lab_entry *e = &lab->study->entry;
    rw_text_add(t, "%s%s\n\n%s\n\nSource: %s\n\n", markdown ? "# " : "", e->title, e->question, e->source);
    rw_text_add(t, "rechenwerk %s, commit %s\n", rw_version(), rw_build_commit());
    if (markdown) rw_text_add(t, "\n");
    for (int i = 0; i < lab->ndevices; ++i)
        rw_text_add(t, markdown ? "- %s: %s; %s\n" : "  %-9s %s; %s\n", lab->info[i].name, lab->info[i].hardware,
                    lab->info[i].driver);
    if (markdown) rw_text_add(t, "\n");
    rw_text_add(t, "Parameters:");
    for (int i = 0; i < e->nparameters; ++i) {
        const char *quote = markdown ? "`" : "";
        rw_text_add(t, "%s %s%s=%s%s", i ? "," : "", quote, e->parameters[i].name, lab->settings[i].text, quote);
    }
    rw_text_add(t, "\n");
}

/* What the columns mean, each once. */
static void add_meanings(rw_text *t, const rw_lab *lab, int table, bool markdown)
{
    const rw_lab_table *d = lab->study->tables + table;
    rw_text_add(t, "\n");
    for (int c = 0; c < d->ncolumns; ++c)
        if (d->columns[c].what)
            rw_text_add(t, "%s%s: %s\n", markdown ? "- " : "  ", d->columns[c].name, d->columns[c].what);
}

/* Of the head in text: the first word of its name, the rest, its unit; in Markdown name and unit. */
static void head_at(const rw_lab *lab, int table, bool markdown, int line, int c, char cell[RW_CELL])
{
    const rw_lab_head h = rw_lab_head_at(lab, table, c);
    size_t first = strcspn(h.name, " ");
    if (markdown) snprintf(cell, RW_CELL, "%s%s%s", h.name, *h.column->unit ? ", " : "", h.column->unit);
    else if (line == -3) snprintf(cell, RW_CELL, "%.*s", (int)first, h.name);
    else if (line == -2) snprintf(cell, RW_CELL, "%s", h.name[first] ? h.name + first + 1 : "");
    else snprintf(cell, RW_CELL, "%s", h.column->unit);
}

typedef struct printed {
    const rw_lab *lab;
    int table;
} printed;

static void cell_at(const void *user, bool markdown, int line, int c, char cell[RW_CELL])
{
    const printed *p = user;
    if (line < 0) head_at(p->lab, p->table, markdown, line, c, cell);
    else
        format_cell(p->lab, rw_lab_head_at(p->lab, p->table, c).column->show, value_at(p->lab, p->table, line, c),
                    cell);
}

static void add_table(rw_text *t, const rw_lab *lab, int table, bool markdown)
{
    const rw_lab_rows_of *r = lab->rows + table;
    const printed p = {lab, table};
    rw_table_add(t, &(rw_table){r->width, r->n, 3, 0, "---:", cell_at, &p}, markdown);
}

static void add_page(rw_text *t, const rw_lab *lab, bool markdown)
{
    add_head(t, lab, markdown);
    for (int k = 0; k < lab->study->entry.ntables; ++k) {
        if (!lab->rows[k].made) continue;
        rw_text_add(t, "\n%s%s\n\n", markdown ? "## " : "", lab->study->tables[k].title);
        add_table(t, lab, k, markdown);
        add_meanings(t, lab, k, markdown);
    }
    if (lab->notes.data) rw_text_add(t, "\n%s", lab->notes.data);
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

/* Names, units, comments, numbers: the form of files/csv.h, whose reader takes it. */
static void add_csv(rw_text *t, const rw_lab *lab, int table)
{
    const rw_lab_rows_of *r = lab->rows + table;
    for (int c = 0; c < r->width; ++c) rw_text_add(t, "%s%s", c ? "," : "", rw_lab_head_at(lab, table, c).name);
    for (int c = 0; c < r->width; ++c) {
        const char *unit = rw_lab_head_at(lab, table, c).column->unit;
        rw_text_add(t, "%s%s", c ? ", " : "\n# ", *unit ? unit : "1");
    }
    rw_text_add(t, "\n# rechenwerk %s, commit %s: lab %s: %s\n", rw_version(), rw_build_commit(),
                lab->study->entry.name, lab->study->entry.tables[table]);
    for (int i = 0; i < lab->ndevices; ++i)
        rw_text_add(t, "# device %d: %s: %s; %s\n", i, lab->info[i].name, lab->info[i].hardware, lab->info[i].driver);
    for (int i = 0; i < lab->nnames; ++i) rw_text_add(t, "# name %d: %s\n", i, lab->names[i].text);
    for (int row = 0; row < r->n; ++row)
        for (int c = 0; c < r->width; ++c)
            rw_text_add(t, "%.17g%s", value_at(lab, table, row, c), c + 1 < r->width ? "," : "\n");
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void add_value(rw_json_writer *w, const rw_lab *lab, rw_lab_show show, double x)
{
    if (isnan(x)) rw_json_string(w, NULL);
    else if (show == RW_SHOW_DEVICE) rw_json_string(w, lab->info[(int)x].name);
    else if (show == RW_SHOW_NAME) rw_json_string(w, lab->names[(int)x].text);
    else if (show == RW_SHOW_INTEGER) rw_json_integer(w, (long long)x);
    else rw_json_number(w, x);
}

static void add_json_columns(rw_json_writer *w, const rw_lab *lab, int table)
{
    rw_json_add_array(w, "columns");
    for (int c = 0; c < lab->rows[table].width; ++c) {
        const rw_lab_head h = rw_lab_head_at(lab, table, c);
        rw_json_object(w);
        rw_json_add_string(w, "name", h.name);
        rw_json_add_string(w, "unit", h.column->unit);
        rw_json_add_string(w, "what", h.column->what);
        rw_json_close(w);
    }
    rw_json_close(w);
}

static void add_json_rows(rw_json_writer *w, const rw_lab *lab, int table)
{
    rw_json_add_array(w, "rows");
    for (int row = 0; row < lab->rows[table].n; ++row) {
        rw_json_object(w);
        for (int c = 0; c < lab->rows[table].width; ++c) {
            const rw_lab_head h = rw_lab_head_at(lab, table, c);
            rw_json_key(w, h.name);
            add_value(w, lab, h.column->show, value_at(lab, table, row, c));
        }
        rw_json_close(w);
    }
    rw_json_close(w);
}

static void add_json_tables(rw_json_writer *w, const rw_lab *lab)
{
    rw_json_add_array(w, "tables");
    for (int t = 0; t < lab->study->entry.ntables; ++t) {
        if (!lab->rows[t].made) continue;
        rw_json_object(w);
        rw_json_add_string(w, "name", lab->study->entry.tables[t]);
        rw_json_add_string(w, "title", lab->study->tables[t].title);
        add_json_columns(w, lab, t);
        add_json_rows(w, lab, t);
        rw_json_close(w);
    }
    rw_json_close(w);
}

static void add_json(rw_text *t, const rw_lab *lab)
{
    const rw_lab_entry *e = &lab->study->entry;
    rw_json_writer w;
    rw_json_begin(&w, t, 1);
    rw_json_object(&w);
    rw_json_add_string(&w, "study", e->name);
    rw_json_add_string(&w, "title", e->title);
    rw_json_add_string(&w, "question", e->question);
    rw_json_add_string(&w, "source", e->source);
    rw_json_add_string(&w, "version", rw_version());
    rw_json_add_string(&w, "commit", rw_build_commit());
    rw_json_add_array(&w, "devices");
    for (int i = 0; i < lab->ndevices; ++i) {
        rw_json_object(&w);
        rw_json_add_string(&w, "name", lab->info[i].name);
        rw_json_add_string(&w, "hardware", lab->info[i].hardware);
        rw_json_add_string(&w, "driver", lab->info[i].driver);
        rw_json_close(&w);
    }
    rw_json_close(&w);
    rw_json_add_object(&w, "parameters");
    for (int i = 0; i < e->nparameters; ++i) rw_json_add_string(&w, e->parameters[i].name, lab->settings[i].text);
    rw_json_close(&w);
    add_json_tables(&w, lab);
    rw_json_add_string(&w, "notes", lab->notes.data ? lab->notes.data : "");
    rw_json_close(&w);
    rw_text_add(t, "\n");
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static int first_made(const rw_lab *lab)
{
    int t = 0;
    while (!lab->rows[t].made) ++t;
    return t;
}

rw_status rw_lab_write(const rw_lab *lab, const char *name, rw_lab_format format, char **text)
{
    RW_NEED(text, "text");
    *text = NULL;
    RW_NEED(lab, "lab");
    rw_text t = {0};
    int table = name ? rw_lab_table_index(lab, name) : first_made(lab);
    if (format == RW_LAB_CSV && (table < 0 || !lab->rows[table].made))
        return rw_lab_refuse(lab->ctx, "lab: table", name, lab->study->entry.tables, lab->study->entry.ntables);
    switch (format) {
    case RW_LAB_TEXT: add_page(&t, lab, false); break;
    case RW_LAB_MARKDOWN: add_page(&t, lab, true); break;
    case RW_LAB_CSV: add_csv(&t, lab, table); break;
    case RW_LAB_JSON: add_json(&t, lab); break;
    }
    if (!t.failed && t.data) *text = strdup(t.data);
    rw_text_free(&t);
    return *text ? RW_OK : rw_fail_memory(lab->ctx, 4096, "a table");
}
