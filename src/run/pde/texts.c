/* Functions and equations of a case joined to one text. */
#include <string.h>

#include "expr/parse.h"
#include "run/pde/pde.h"

rw_status pde_own(pde_problem *p, rw_context *ctx, char *text)
{
    if (!text || !rw_grow(&p->owned, &p->owned_capacity, p->nowned + 1, sizeof *p->owned)) {
        rw_free(text);
        return rw_fail_memory(ctx, 64, "a case");
    }
    p->owned[p->nowned++] = text;
    return RW_OK;
}

rw_status pde_join_texts(const rw_case *c, pde_problem *p)
{
    static const char *const sections[] = {"functions", "equations"};
    const rw_tree *lists[2];
    rw_text t = {0};
    for (int s = 0; s < 2; ++s) lists[s] = rw_case_node(c, sections[s]);
    if (!lists[1] || !lists[1]->n) return rw_case_fail(c, NULL, "there are no equations: add equations: \"du/dt = …\"");
    for (int s = 0; s < 2; ++s) /* each with its place, which makes every later message right */
        for (int i = 0; lists[s] && i < lists[s]->n; ++i) {
            const rw_tree *item = lists[s]->items[i];
            rw_add_place(&t, item->text_source, item->text_line, item->text_column);
            rw_text_add(&t, "%s;\n", item->text); /* a text ends its last statement */
        }
    rw_free(p->equations);
    p->equations = t.data;
    if (t.failed) return rw_fail_memory(rw_case_context(c), t.length, "the equations");
    return RW_OK;
}
