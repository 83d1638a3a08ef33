/* Functions and equations of a case joined to one text. */
#include <string.h>

#include "problem/pde/pde.h"

rw_status pde_own(pde_problem *p, rw_context *ctx, char *text)
{
    if (!text || !rw_grow(&p->owned, &p->owned_capacity, p->nowned + 1, sizeof *p->owned)) {
        rw_free(text);
        return rw_fail_memory(ctx, 64, "a case");
    }
    p->owned[p->nowned++] = text;
    return RW_OK;
}

/* Appends a text so that its characters stand in the lines and columns that they have in the file, which makes every
 * later message right without a table of places. */
static void add_in_place(rw_text *t, const rw_yaml *item, int *line)
{
    int column = 1;
    if (item->text_line > *line)
        while (*line < item->text_line) rw_text_add(t, "\n"), ++*line;
    else if (t->length) rw_text_add(t, ";"); /* several on a line, or from --set: places are approximate */
    for (; column < item->text_column; ++column) rw_text_add(t, " ");
    for (const char *s = item->text; *s; ++s) {
        rw_text_add_bytes(t, s, 1);
        if (*s != '\n') continue;
        ++*line;
        for (column = 1; column < item->text_column; ++column) rw_text_add(t, " ");
    }
}

rw_status pde_join_texts(const rw_case *c, pde_problem *p)
{
    static const char *const sections[] = {"functions", "equations"};
    const rw_yaml *lists[2];
    rw_text t = {0};
    int line = 1;
    for (int s = 0; s < 2; ++s) lists[s] = rw_case_node(c, sections[s]);
    if (!lists[1] || !lists[1]->n)
        return rw_case_fail(c, NULL, "there are no equations: add equations: \"du/dt = …\"");
    /* in the order of the file: definitions may stand behind their use, the parser reads them all first */
    int first = lists[0] && lists[0]->n && lists[0]->items[0]->text_line > lists[1]->items[0]->text_line;
    for (int k = 0; k < 2; ++k) {
        const rw_yaml *list = lists[k ^ first];
        for (int i = 0; list && i < list->n; ++i) add_in_place(&t, list->items[i], &line);
    }
    p->equations = t.data;
    if (t.failed) return rw_fail_memory(rw_case_context(c), t.length, "the equations");
    return RW_OK;
}
