/* A side in parts: the first part whose `where` is true at a node has its condition there; the last has no `where`.
 * In its place there may be a mask, the values of a file or a picture (masks.c).
 *
 *   left: [{where: "y > 0.7", dirichlet: "1"}, {mask: inlet.npy, robin: ["1", "2", "0"]}, neumann]
 *
 * Parts of one kind are that kind, with where(…) in its expressions; others are a u + b du/dn = c with where(…) in a, b
 * and c: Dirichlet is (1, 0, g), Neumann (0, 1, g). Cost: where(…) at the nodes beyond the side. */
#include <math.h>
#include <string.h>

#include "expr/boundary.h"
#include "run/pde/pde.h"

enum { MOST_PARTS = 16, MOST_NODES = 65536 };

typedef struct part {
    const rw_tree *where, *mask; /* one of them; both NULL: the last part */
    const rw_tree *value;        /* of its expressions; NULL: there is none */
    rw_boundary condition;
} part;

static rw_status read_part(const rw_case *c, const pde_problem *p, int f, const rw_tree *list, int i, part *to)
{
    const rw_tree *item = list->items[i];
    const char *field = p->fields[f].name;
    const int where = item->kind == RW_TREE_MAP ? rw_tree_index(item, "where") : -1,
              mask = item->kind == RW_TREE_MAP ? rw_tree_index(item, "mask") : -1, at = RW_MAX(where, mask);
    *to = (part){0};
    if (where >= 0 && mask >= 0)
        return rw_case_fail_key(c, item, at,
                                "fields.%s.boundary: a part of a side has where or mask, not both: remove one of them",
                                field);
    if (i == list->n - 1) {
        if (at >= 0)
            return rw_case_fail_key(c, item, at,
                                    "fields.%s.boundary: the last part of a side must have no %s: it applies "
                                    "wherever no other does",
                                    field, item->keys[at]);
        RW_TRY(pde_read_condition(c, p, field, item, &to->condition, &to->value));
    } else {
        if (at < 0 || item->n != 2 || (mask < 0 && item->items[at]->kind != RW_TREE_SCALAR))
            return rw_case_fail(c, item,
                                "fields.%s.boundary: a part of a side has where and a condition, such as {where: \"y > "
                                "0.5\", dirichlet: \"1\"}, or mask and a condition, such as {mask: inlet.npy, "
                                "dirichlet: \"1\"}; only the last has neither",
                                field);
        bool is_picture;
        if (mask >= 0 && !pde_mask_file(item->items[at], &is_picture))
            return rw_case_fail_key(c, item, at,
                                    "fields.%s.boundary: mask must be the name of a .npy file, or {file: inlet.npy}, "
                                    "or {picture: inlet.png}",
                                    field);
        *(mask >= 0 ? &to->mask : &to->where) = item->items[at];
        to->value = item->items[!at];
        RW_TRY(pde_read_kind(c, field, item, !at, &to->condition));
    }
    const rw_boundary_row *row = rw_boundary_row_of(to->condition.kind);
    if (row->pins || row->slope) return RW_OK;
    return rw_case_fail(c, item, "fields.%s.boundary: %s cannot be a part of a side: dirichlet, neumann and robin can",
                        field, rw_boundary_kind_name(to->condition.kind));
}

static rw_status read_all(const rw_case *c, const pde_problem *p, int f, const rw_tree *list, part parts[MOST_PARTS])
{
    if (list->n < 1 || list->n > MOST_PARTS)
        return rw_case_fail(c, list, "fields.%s.boundary: a side has %d parts: 1 to %d are allowed", p->fields[f].name,
                            list->n, MOST_PARTS);
    for (int i = 0; i < list->n; ++i) RW_TRY(read_part(c, p, f, list, i, parts + i));
    return RW_OK;
}

/* a, b or c of the condition as a u + b du/dn = c. */
static const char *coefficient(const rw_boundary *b, int i)
{
    const rw_boundary_row *row = rw_boundary_row_of(b->kind);
    const char *robin[] = {b->a, b->b, b->c}, *value[] = {"1", "0", b->a}, *slope[] = {"0", "1", b->a};
    return rw_boundary_values(b->kind) == 3 ? robin[i] : row->pins ? value[i] : slope[i];
}

/* where(w_1, x_1, where(w_2, x_2, … x_n)) */
static rw_status join(const rw_case *c, pde_problem *p, int n, const part *parts, int which, bool one_kind,
                      const char **text)
{
    rw_text t = {0};
    for (int i = 0; i < n; ++i) {
        const rw_boundary *b = &parts[i].condition;
        const char *own[] = {b->a, b->b, b->c}, *x = one_kind ? own[which] : coefficient(b, which);
        /* a text may end with a comment, which a new line ends */
        if (parts[i].mask) rw_text_add(&t, "where(%s, %s\n, ", pde_mask_name(p, parts[i].mask), x);
        else if (parts[i].where) rw_text_add(&t, "where(%s\n, %s\n, ", parts[i].where->text, x);
        else rw_text_add(&t, "%s\n", x);
    }
    for (int i = 1; i < n; ++i) rw_text_add(&t, ")");
    *text = t.data;
    if (!t.failed) return pde_own(p, rw_case_context(c), t.data);
    rw_text_free(&t);
    return rw_fail_memory(rw_case_context(c), 256, "a case");
}

rw_status pde_read_parts(const rw_case *c, pde_problem *p, int f, int side, const rw_tree *list)
{
    part parts[MOST_PARTS];
    rw_boundary b = {0};
    bool one_kind = true;
    RW_TRY(read_all(c, p, f, list, parts));
    for (int i = 0; i < list->n; ++i)
        if (parts[i].mask) RW_TRY(pde_add_mask(c, p, f, side, parts[i].mask));
    for (int i = 1; i < list->n; ++i) one_kind = one_kind && parts[i].condition.kind == parts[0].condition.kind;
    b.kind = one_kind ? parts[0].condition.kind : RW_BOUNDARY_ROBIN;
    const char **texts[] = {&b.a, &b.b, &b.c};
    for (int i = 0; i < rw_boundary_values(b.kind); ++i) RW_TRY(join(c, p, list->n, parts, i, one_kind, texts[i]));
    p->fields[f].boundary[side] = b;
    p->parts[6 * f + side] = list;
    return RW_OK;
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

bool pde_reads_time(const rw_graph *g, rw_node n)
{
    const rw_graph_node *q = g->nodes + n;
    if (q->op == RW_OP_PARAM) return q->index == rw_graph_find_param(g, "t");
    for (int i = 0; i < rw_ops[q->op].arity; ++i)
        if (pde_reads_time(g, q->arg[i])) return true;
    return false;
}

typedef struct lowered {
    rw_node where, value[3];
    int nvalues;
    bool reads; /* fields: the values are not known */
} lowered;

static rw_status lower_part(const rw_case *c, const pde_problem *p, int f, int side, pde_language *l,
                            const char *setting, const part *from, lowered *to)
{
    *to = (lowered){.where = -1, .nvalues = from->value ? rw_boundary_values(from->condition.kind) : 0};
    l->lowering.no_fields = false; /* this message says more */
    const rw_status status = from->where ? pde_lower(c, l, from->where, setting, &to->where) : RW_OK;
    l->lowering.no_fields = true;
    RW_TRY(status);
    if (from->where && l->graph->nodes[to->where].depends & RW_ON_FIELD)
        return rw_case_fail(c, from->where,
                            "%s: where = %.60s reads a field: parts of a side stay where they are: use coordinates and "
                            "parameters, or a mask; a value may read fields",
                            setting, from->where->text);
    if (from->where && pde_reads_time(l->graph, to->where))
        return rw_case_fail(c, from->where,
                            "%s: where = %.60s reads t: parts of a side stay where they are; write a value that "
                            "depends on t instead",
                            setting, from->where->text);
    for (int i = 0; i < to->nvalues; ++i) {
        const rw_tree *node = to->nvalues > 1 ? from->value->items[i] : from->value;
        bool reads;
        RW_TRY(pde_lower_on_side(c, p, f, side, l, node, setting, to->value + i, &reads));
        to->reads = to->reads || reads;
    }
    return RW_OK;
}

static rw_status check_place(const rw_case *c, const pde_problem *p, const pde_language *l, const char *setting,
                             const part *at, const lowered *of, double place[3])
{
    double value[3][2] = {{0}};
    bool good = true;
    for (int i = 0; i < of->nvalues && !of->reads; ++i) {
        rw_graph_value(l->graph, of->value[i], pde_at_place, place, value[i]);
        good = good && isfinite(value[i][0]) && isfinite(value[i][1]);
    }
    const bool a = value[0][0] != 0 || value[0][1] != 0, b = value[1][0] != 0 || value[1][1] != 0,
               zero = of->nvalues == 3 && !of->reads && !b && (p->layout == RW_GRID_AUTO || !a);
    if (good && !zero) return RW_OK;
    rw_text where = {0};
    for (int d = 0; d < p->grid.ndim; ++d)
        rw_text_add(&where, "%s%c = %.6g", d ? ", " : "", "xyz"[d],
                    p -> grid.origin[d] + place[d] * p->grid.spacing[d]);
    rw_status status =
        where.failed ? rw_fail_memory(rw_case_context(c), 64, "a message")
                     : rw_case_fail(c, at->value, "%s: at %s %s", setting, where.data,
                                    good ? "a and b in robin: [a, b, c] must not both be 0" : "a value is not finite");
    rw_text_free(&where);
    return status;
}

static bool does_apply(const pde_problem *p, const pde_language *l, const part *of, const lowered *as, double place[3])
{
    double is[2];
    if (of->mask) return pde_mask_at(p, of->mask, place);
    if (!of->where) return true;
    rw_graph_value(l->graph, as->where, pde_at_place, place, is);
    return is[0] != 0;
}

rw_status pde_inspect_parts(const rw_case *c, const pde_problem *p, int f, int side, pde_language *l)
{
    const rw_tree *list = p->parts[6 * f + side];
    part parts[MOST_PARTS];
    lowered nodes[MOST_PARTS];
    int64_t applies[MOST_PARTS] = {0};
    char setting[64];
    snprintf(setting, sizeof setting, "fields.%.31s.boundary", p->fields[f].name);
    RW_TRY(read_all(c, p, f, list, parts));
    for (int i = 0; i < list->n; ++i) RW_TRY(lower_part(c, p, f, side, l, setting, parts + i, nodes + i));
    if (p->no_grid) return RW_OK;
    for (int i = 0; i < list->n; ++i) {
        if (!parts[i].mask) continue;
        /* that there is none shows when values are read: pictures of results do not need it */
        if (!pde_has_mask_file(p, parts[i].mask)) return RW_OK;
        RW_TRY(pde_read_mask(p, parts[i].mask));
    }
    if (p->no_start) return RW_OK;
    const int64_t all = pde_nodes_of_side(p, side), count = RW_MIN(all, MOST_NODES);
    for (int64_t k = 0; k < count; ++k) {
        double place[3];
        int i = 0;
        pde_place_on_side(p, f, side, k, count, place);
        while (!does_apply(p, l, parts + i, nodes + i, place)) ++i;
        applies[i]++;
        RW_TRY(check_place(c, p, l, setting, parts + i, nodes + i, place));
    }
    for (int i = 0; i < list->n && count == all; ++i)
        if (!applies[i])
            return rw_case_fail(c, list->items[i],
                                "%s: part %d of %d never applies: at each of the %lld nodes of the side an earlier "
                                "part does%s",
                                setting, i + 1, list->n, (long long)all,
                                parts[i].where  ? ", or its where is not true"
                                : parts[i].mask ? ", or its mask is 0"
                                                : "");
    return RW_OK;
}
