/* Sides and their parts from the case, and numbers that they need at once. */
#include <math.h>
#include <string.h>

#include "expr/lower.h"
#include "run/flow/flow.h"

const char *const flow_side_names[FLOW_SIDES] = {"west", "east", "south", "north"};
const char *const flow_kind_names[FLOW_KINDS] = {"wall", "inflow", "outflow", "symmetry", "periodic"};
static const char *const others[FLOW_SIDES] = {"left", "right", "bottom", "top"};
static const char *const heats[] = {"temperature", "insulated", "flux", "robin"};

double flow_spacing(const flow *f, int axis) { return f->length[axis] / (double)(f->size[axis] - !f->periodic[axis]); }

rw_status flow_value(const flow *f, const rw_tree *node, double x, double y, double *value)
{
    static const rw_grid nowhere = {.ndim = 0, .size = {1, 1, 1}, .spacing = {1, 1, 1}};
    rw_expr_scalar *scalars = rw_calloc((size_t)f->nscalars + 2, sizeof *scalars);
    rw_graph *g;
    rw_lowering l;
    rw_node n = 0;
    double imaginary;
    *value = NAN;
    if (!scalars) return rw_fail_memory(f->ctx, 4096, "a side");
    scalars[0] = (rw_expr_scalar){.name = "x", .value = x};
    scalars[1] = (rw_expr_scalar){.name = "y", .value = y};
    for (int i = 0; i < f->nscalars; ++i) scalars[i + 2] = f->scalars[i];
    const rw_expr_spec spec = {.grid = nowhere, .scalars = scalars, .nscalars = f->nscalars + 2};
    const rw_source source = {node->text_source, node->text, node->text_line, node->text_column};
    rw_status status = rw_graph_create(f->ctx, &nowhere, 2, &g);
    if (status != RW_OK) {
        rw_free(scalars);
        return status;
    }
    rw_lowering_begin(&l, f->ctx, g);
    l.no_fields = true;
    status = rw_expr_declare(f->ctx, &spec, g, &l, &f->functions.source, &f->functions.parsed);
    if (status == RW_OK) status = rw_lower_text(&l, &source, &n);
    if (status == RW_OK) rw_graph_scalar(g, n, value, &imaginary);
    rw_lowering_end(&l);
    rw_graph_destroy(&g);
    rw_free(scalars);
    return status;
}

/* ---- one part ---------------------------------------------------------------------------------------------------- */

static int find(const char *const *names, int n, const char *name)
{
    int i = n - 1;
    while (i >= 0 && strcmp(names[i], name) != 0) --i;
    return i;
}

static rw_status need_text(const flow *f, const rw_tree *node, const char *what)
{
    if (node->kind == RW_TREE_SCALAR && *node->text) return RW_OK;
    return rw_case_fail(f->c, node, "%s must be a number or an expression", what);
}

static rw_status read_velocities(const flow *f, const rw_tree *map, flow_part *p)
{
    static const char *const names[] = {"u", "v"};
    for (int i = 0; i < map->n; ++i) {
        const int k = find(names, 2, map->keys[i]);
        if (k < 0)
            return rw_case_fail_key(f->c, map, i, "%s of a %s is unknown: give u, the velocity along x, or v, along y",
                                    map->keys[i], flow_kind_names[p->kind]);
        RW_TRY(need_text(f, map->items[i], "a velocity"));
        *(k ? &p->v : &p->u) = map->items[i];
    }
    return RW_OK;
}

static rw_status read_entry(const flow *f, const rw_tree *map, int i, flow_part *p)
{
    const char *key = map->keys[i];
    const rw_tree *value = map->items[i];
    const int kind = find(flow_kind_names, FLOW_KINDS, key), heat = find(heats, RW_COUNT(heats), key);
    if (kind >= 0) {
        if (p->kind != FLOW_KINDS)
            return rw_case_fail_key(f->c, map, i, "both %s and %s: a part of a side is one of them",
                                    flow_kind_names[p->kind], key);
        p->kind = (flow_kind)kind;
        if (value->kind == RW_TREE_MAP) return read_velocities(f, value, p);
        if (value->kind == RW_TREE_SCALAR && !*value->text) return RW_OK;
        return rw_case_fail(f->c, value, "%s takes velocities, {u: 1}, or {}", key);
    }
    if (heat >= 0) {
        if (p->heat_kind) return rw_case_fail_key(f->c, map, i, "both %s and %s: give one of them", p->heat_kind, key);
        p->heat_kind = heats[heat];
        p->heat = value;
        return RW_OK;
    }
    if (!strcmp(key, "where")) {
        p->where = value;
        return need_text(f, value, "where");
    }
    if (!strcmp(key, "tracers")) {
        p->tracers = value;
        return value->kind == RW_TREE_MAP ? RW_OK : rw_case_fail(f->c, value, "tracers takes a map {dye: \"1\"}");
    }
    static const char *const known[] = {"wall",      "inflow", "outflow", "symmetry", "periodic", "temperature",
                                        "insulated", "flux",   "robin",   "where",    "tracers"};
    return rw_case_fail_key(f->c, map, i, "%s is unknown%s", key, rw_hint_known(key, known, RW_COUNT(known)).text);
}

static rw_status check_part(const flow *f, int side, const flow_part *p)
{
    const rw_tree *across = flow_across(p, side), *along = flow_tangent(p, side);
    const char *normal = side < FLOW_SOUTH ? "u" : "v";
    double value;
    if (p->kind == FLOW_KINDS)
        return rw_case_fail(f->c, p->node,
                            "what the side %s is, is missing: wall, inflow, outflow, symmetry or periodic",
                            flow_side_names[side]);
    if (p->kind > FLOW_INFLOW && (across || along))
        return rw_case_fail(f->c, across ? across : along, "%s takes no velocity", flow_kind_names[p->kind]);
    if (p->kind == FLOW_WALL && across)
        return rw_case_fail(
            f->c, across, "a wall on the side %s moves along itself, with %s: %s is across it: take inflow, or omit %s",
            flow_side_names[side], side < FLOW_SOUTH ? "v" : "u", normal, normal);
    if (p->kind == FLOW_INFLOW && !across)
        return rw_case_fail(f->c, p->node, "inflow through the side %s needs the velocity %s", flow_side_names[side],
                            normal);
    if (p->heat_kind && !strcmp(p->heat_kind, "robin")) {
        if (p->heat->kind != RW_TREE_LIST || p->heat->n != 3)
            return rw_case_fail(f->c, p->heat, "robin takes [a, b, c] for a T + b dT/dn = c");
    } else if (p->heat_kind && strcmp(p->heat_kind, "insulated") != 0) RW_TRY(need_text(f, p->heat, p->heat_kind));
    if (p->heat_kind && !strcmp(p->heat_kind, "insulated")) {
        static const char *const ways[] = {"mirror", "copy", "second", ""};
        if (p->heat->kind != RW_TREE_SCALAR || find(ways, RW_COUNT(ways), p->heat->text) < 0)
            return rw_case_fail(f->c, p->heat, "insulated takes mirror, copy or second");
    }
    for (int k = 0; k < 2 && (k ? along : across); ++k)
        RW_TRY(flow_value(f, k ? along : across, f->origin[0], f->origin[1], &value));
    return RW_OK;
}

static rw_status read_part(const flow *f, int side, const rw_tree *node, flow_part *p)
{
    *p = (flow_part){.kind = FLOW_KINDS, .node = node};
    if (node->kind == RW_TREE_SCALAR) {
        p->kind = (flow_kind)find(flow_kind_names, FLOW_KINDS, node->text);
        if ((int)p->kind >= 0) return check_part(f, side, p);
        return rw_case_fail(f->c, node, "side %s = %.40s is unknown%s", flow_side_names[side], node->text,
                            rw_hint_known(node->text, flow_kind_names, FLOW_KINDS).text);
    }
    if (node->kind != RW_TREE_MAP)
        return rw_case_fail(f->c, node, "a part of the side %s must be a word or a map, {wall: {u: 1}}",
                            flow_side_names[side]);
    for (int i = 0; i < node->n; ++i) RW_TRY(read_entry(f, node, i, p));
    return check_part(f, side, p);
}

/* ---- sides ------------------------------------------------------------------------------------------------------- */

static rw_status read_side(flow *f, int which, const rw_tree *node)
{
    flow_side *s = f->side + which;
    const bool list = node->kind == RW_TREE_LIST;
    s->node = node;
    if (list && (node->n < 1 || node->n > FLOW_PARTS))
        return rw_case_fail(f->c, node, "side %s: 1 to %d parts are possible", flow_side_names[which], FLOW_PARTS);
    for (int i = 0; i < (list ? node->n : 1); ++i) {
        flow_part *p = s->part + s->n;
        RW_TRY(read_part(f, which, list ? node->items[i] : node, p));
        if (p->kind == FLOW_PERIODIC && list)
            return rw_case_fail(f->c, p->node, "a side is periodic as a whole: write %s: periodic",
                                flow_side_names[which]);
        if (!p->where && list && i + 1 < node->n)
            return rw_case_fail(f->c, p->node,
                                "part %d of %d of the side %s has no where and covers the rest: write "
                                "it last",
                                i + 1, node->n, flow_side_names[which]);
        s->n++;
    }
    return RW_OK;
}

static rw_status read_all(flow *f, const rw_tree *map)
{
    for (int i = 0; map && i < map->n; ++i) {
        int side = find(flow_side_names, FLOW_SIDES, map->keys[i]);
        if (side < 0) side = find(others, FLOW_SIDES, map->keys[i]);
        if (side < 0)
            RW_NOTE(f->ctx, rw_case_fail_key(f->c, map, i, "side %s is unknown%s", map->keys[i],
                                             rw_hint_known(map->keys[i], flow_side_names, FLOW_SIDES).text));
        else if (f->side[side].node)
            RW_NOTE(f->ctx, rw_case_fail_key(f->c, map, i, "the side %s is given twice", flow_side_names[side]));
        else RW_NOTE(f->ctx, read_side(f, side, map->items[i]));
    }
    return RW_OK;
}

rw_status flow_read_sides(flow *f)
{
    const int mistakes = rw_mistakes_met();
    RW_TRY(read_all(f, rw_case_node(f->c, "sides")));
    if (rw_mistakes_met() > mistakes) return RW_OK;
    for (int s = 0; s < FLOW_SIDES; ++s)
        if (!f->side[s].node)
            RW_NOTE(f->ctx, rw_case_fail(f->c, rw_case_node(f->c, "sides"),
                                         "nothing is said of the side %s: add %s: wall, or what it is",
                                         flow_side_names[s], flow_side_names[s]));
    if (rw_mistakes_met() > mistakes) return RW_OK;
    for (int axis = 0; axis < 2; ++axis) {
        const flow_side *low = f->side + 2 * axis, *high = low + 1;
        const bool a = low->part[0].kind == FLOW_PERIODIC, b = high->part[0].kind == FLOW_PERIODIC;
        f->periodic[axis] = a && b;
        if (a != b)
            RW_NOTE(f->ctx, rw_case_fail(f->c, (a ? high : low)->node,
                                         "the side %s is periodic, but %s, opposite to it, is not: both or none",
                                         flow_side_names[2 * axis + b], flow_side_names[2 * axis + a]));
    }
    return RW_OK;
}
