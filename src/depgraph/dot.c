/* A graph as a picture for Graphviz: one box a part, coloured by structure, the parts of a level to the right of those
 * of the level before (labels are wider than high: a tile's tasks one below the other make the better picture); given
 * values are dots. Names are tooltips too, in SVG. Colours go round the circle by the golden section, so that
 * neighbours in number are far apart. */
#include <math.h>

#include "depgraph/depgraph_private.h"

/* Inside quotes; entities such as &amp; and escapes such as \N mean something to Graphviz. */
static void add_escaped(rw_text *t, const char *text)
{
    for (; *text; ++text) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') rw_text_add(t, "\\%c", c);
        else if (c == '&') rw_text_add(t, "&amp;");
        else if (c == '\n') rw_text_add(t, "\\n");
        else if (c < 32 || c == 127) rw_text_add(t, " ");
        else rw_text_add_bytes(t, text, 1);
    }
}

static double hue(int structure) { return fmod(0.58 + 0.6180339887498949 * structure, 1); }

static void add_task(const rw_depgraph *g, int i, const char *before, const char *more, rw_text *t)
{
    rw_text_add(t, "%st%d [label=\"", before, i);
    add_escaped(t, g->task[i].label);
    rw_text_add(t, "\", tooltip=\"");
    add_escaped(t, g->task[i].kind);
    rw_text_add(t, " ");
    add_escaped(t, g->task[i].label);
    rw_text_add(t, "\"%s];\n", more);
}

static void add_part(const rw_depgraph *g, const rw_partition *p, int i, const int *member, int n, rw_text *t)
{
    rw_text_add(t, "  subgraph cluster_%d {\n    label=\"", i);
    add_escaped(t, p->name[i]);
    if (p->accepted)
        rw_text_add(t,
                    "\"; tooltip=\"level %d, structure %d\"; fillcolor=\"%.3f 0.15 1.0\"; color=\"%.3f 0.6 0.6\";\n"
                    "    node [fillcolor=\"%.3f 0.35 1.0\"];\n",
                    p->level[i], p->structure[i], hue(p->structure[i]), hue(p->structure[i]), hue(p->structure[i]));
    else rw_text_add(t, "\"; fillcolor=\"gray95\"; color=\"gray60\";\n    node [fillcolor=\"gray88\"];\n");
    for (int m = 0; m < n; ++m) add_task(g, member[m], "    ", "", t);
    rw_text_add(t, "  }\n");
}

static bool is_on_path(const rw_partition *p, const rw_dependency *d)
{
    for (int i = 0; p && i + 1 < p->npath; ++i)
        if (p->path[i] == d->needed && p->path[i + 1] == d->task) return true;
    return false;
}

static void add_dependencies(const rw_depgraph *g, const rw_partition *p, rw_text *t)
{
    for (int i = 0; i < g->ndependencies; ++i) {
        const rw_dependency *d = g->dependency + i;
        rw_text_add(t, "  t%d -> t%d%s;\n", d->needed, d->task, is_on_path(p, d) ? " [color=red, penwidth=2.5]" : "");
    }
}

static void add_head(const rw_depgraph *g, const rw_partition *p, rw_text *t)
{
    rw_text_add(t, "digraph dependencies {\n  label=\"%d tasks, %d dependencies", g->ntasks, g->ndependencies);
    if (p && p->accepted)
        rw_text_add(t, "; %lld parts of %d structures on %d levels", (long long)p->nparts, p->nstructures, p->nlevels);
    if (p && !p->accepted) {
        rw_text_add(t, "; ");
        add_escaped(t, p->reason);
    }
    rw_text_add(t,
                "\";\n  rankdir=LR; fontname=\"Helvetica\"; ranksep=0.8; nodesep=0.06; style=\"filled,rounded\";\n"
                "  node [shape=box, style=filled, color=\"#00000030\", fontname=\"Helvetica\", fontsize=9, height=0.2, "
                "width=0.3, "
                "margin=\"0.04,0.02\"];\n"
                "  edge [arrowsize=0.4, color=\"#00000058\"];\n");
}

/* Tasks of each part in their order: member[first[p] …]. */
static bool list_parts(const rw_depgraph *g, const rw_partition *p, int **member, int **first)
{
    *member = rw_calloc((size_t)RW_MAX(g->ntasks, 1), sizeof **member);
    *first = rw_calloc((size_t)p->nparts + 2, sizeof **first);
    if (!*member || !*first) return false;
    for (int i = 0; i < g->ntasks; ++i)
        if (p->part[i] >= 0) (*first)[p->part[i] + 2]++;
    for (int i = 0; i < p->nparts; ++i) (*first)[i + 2] += (*first)[i + 1];
    for (int i = 0; i < g->ntasks; ++i)
        if (p->part[i] >= 0) (*member)[(*first)[p->part[i] + 1]++] = i;
    return true;
}

rw_status rw_depgraph_dot(const rw_depgraph *g, const rw_partition *p, char **text)
{
    RW_NEED(text, "text");
    *text = NULL;
    RW_NEED(g, "graph");
    static const char given[] = ", shape=point, width=0.04, color=gray60",
                      chosen[] = ", shape=ellipse, fillcolor=white";
    rw_text t = {0};
    int *member = NULL, *first = NULL;
    if (p && p->ntasks != g->ntasks)
        return rw_fail(
            g->ctx, RW_ERR_ARGUMENT,
            "the partition has %lld tasks, but the graph has %d: create the partition again after adding tasks",
            (long long)p->ntasks, g->ntasks);
    add_head(g, p, &t);
    if (p && !list_parts(g, p, &member, &first)) t.failed = true;
    for (int i = 0; p && i < p->nparts && !t.failed; ++i)
        add_part(g, p, i, member + first[i], first[i + 1] - first[i], &t);
    for (int i = 0; i < g->ntasks; ++i)
        if (!p || p->part[i] < 0) add_task(g, i, "  ", !p ? "" : g->task[i].nneeds ? chosen : given, &t);
    add_dependencies(g, p, &t);
    rw_text_add(&t, "}\n");
    if (!t.failed) {
        *text = t.data;
        t.data = NULL;
    }
    rw_text_free(&t);
    rw_free(member);
    rw_free(first);
    return *text ? RW_OK : rw_fail_memory(g->ctx, 4096, "the text of a picture");
}
