/* A table of texts for a terminal, with columns as wide as their longest cell, or in Markdown. */
#include <string.h>

#include "measure/measure.h"

static int width_of(const rw_table *t, int column)
{
    char cell[RW_CELL];
    int width = 0;
    for (int line = -t->nheads; line < t->nrows; ++line) {
        t->cell(t->user, false, line, column, cell);
        width = RW_MAX(width, (int)strlen(cell));
    }
    return width;
}

static void add_line(rw_text *text, const rw_table *t, const int *width, int line)
{
    char cell[RW_CELL];
    const size_t begin = text->length;
    for (int c = 0; c < t->ncolumns; ++c) {
        t->cell(t->user, false, line, c, cell);
        rw_text_add(text, t->left >> c & 1 ? "%s%-*s" : "%s%*s", c ? "  " : "", width[c], cell);
    }
    while (!text->failed && text->length > begin && text->data[text->length - 1] == ' ') text->data[--text->length] = 0;
    if (line >= 0 || text->length > begin) rw_text_add(text, "\n");
}

static void add_markdown(rw_text *text, const rw_table *t, int line)
{
    char cell[RW_CELL];
    for (int c = 0; c < t->ncolumns; ++c) {
        t->cell(t->user, true, line, c, cell);
        rw_text_add(text, "| %s ", cell);
    }
    rw_text_add(text, "|\n");
    for (int c = 0; line < 0 && c < t->ncolumns; ++c) rw_text_add(text, "| %s ", t->rule);
    if (line < 0) rw_text_add(text, "|\n");
}

void rw_table_add(rw_text *text, const rw_table *t, bool markdown)
{
    int *width = rw_calloc((size_t)t->ncolumns + 1, sizeof *width);
    if (!width) text->failed = true;
    for (int c = 0; !markdown && width && c < t->ncolumns; ++c) width[c] = width_of(t, c);
    for (int line = markdown ? -1 : -t->nheads; line < t->nrows && width; ++line) {
        if (markdown) add_markdown(text, t, line);
        else add_line(text, t, width, line);
    }
    rw_free(width);
}
