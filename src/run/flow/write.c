/* The case of a pde: sections of the flow as they are, or as equations, sides, columns and figures. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/flow/flow.h"

/* A tree that grows; after a failure nothing happens. */
typedef struct writer {
    flow *f;
    rw_tree *root;
    rw_status status;
} writer;

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* A text that stands where `of` does; NULL: where the case begins. Takes the text over. */
static rw_tree *text_at(writer *w, char *text, const rw_tree *of)
{
    if (w->status != RW_OK || !text) {
        rw_free(text);
        if (w->status == RW_OK) w->status = rw_fail_memory(w->f->ctx, 64, "the case of a flow");
        return NULL;
    }
    rw_tree *node = rw_tree_new(w->f->ctx, RW_TREE_SCALAR, of ? of->source : rw_case_file(w->f->c));
    if (!node) {
        rw_free(text);
        w->status = RW_ERR_MEMORY;
        return NULL;
    }
    node->text = text;
    node->quoted = true;
    if (of) {
        node->text_source = of->text_source;
        node->line = of->line;
        node->column = of->column;
        node->text_line = of->text_line;
        node->text_column = of->text_column;
    }
    return node;
}

static rw_tree *branch(writer *w, rw_tree_kind kind)
{
    if (w->status != RW_OK) return NULL;
    rw_tree *node = rw_tree_new(w->f->ctx, kind, rw_case_file(w->f->c));
    if (!node) w->status = RW_ERR_MEMORY;
    return node;
}

static void put(writer *w, rw_tree *map, const char *key, rw_tree *item)
{
    if (w->status == RW_OK) w->status = rw_tree_put(w->f->ctx, map, key, item);
    else rw_tree_free(&item);
}

static void append(writer *w, rw_tree *list, rw_tree *item)
{
    if (w->status == RW_OK) w->status = rw_tree_append(w->f->ctx, list, NULL, item->line, item->column, item);
    else rw_tree_free(&item);
}

#define TEXT(of, ...) text_at(w, rw_format(__VA_ARGS__), of)

static rw_tree *word(writer *w, const char *text, const rw_tree *of)
{
    rw_tree *node = text_at(w, rw_strdup(text), of);
    if (node) node->quoted = false;
    return node;
}

static rw_tree *copy(writer *w, const rw_tree *node)
{
    if (node->kind == RW_TREE_SCALAR) {
        rw_tree *to = text_at(w, rw_strdup(node->text), node);
        if (to) to->quoted = node->quoted;
        return to;
    }
    rw_tree *to = branch(w, node->kind);
    if (!to) return NULL;
    to->source = to->text_source = node->source;
    to->line = node->line;
    to->column = node->column;
    for (int i = 0; i < node->n && w->status == RW_OK; ++i) {
        rw_tree *item = copy(w, node->items[i]);
        if (node->kind == RW_TREE_LIST) append(w, to, item);
        else if (w->status == RW_OK) {
            char *key = rw_strdup(node->keys[i]);
            if (key)
                w->status =
                    rw_tree_append(w->f->ctx, to, key, node->key_place[i].line, node->key_place[i].column, item);
            else {
                w->status = rw_fail_memory(w->f->ctx, 64, "the case of a flow");
                rw_tree_free(&item);
            }
        }
    }
    if (w->status != RW_OK) rw_tree_free(&to);
    return to;
}

/* A section of the root, made when it is not there. */
static rw_tree *section(writer *w, const char *name, rw_tree_kind kind)
{
    rw_tree *there = w->status == RW_OK ? rw_tree_get(w->root, name) : NULL;
    if (there || w->status != RW_OK) return there;
    rw_tree *node = branch(w, kind);
    put(w, w->root, name, node);
    return w->status == RW_OK ? node : NULL;
}

static void copy_section(writer *w, const char *name)
{
    const rw_tree *node = rw_case_node(w->f->c, name);
    if (node) put(w, w->root, name, copy(w, node));
}

/* A name or a number as it is, anything else in brackets. */
typedef struct bracketed {
    char text[512];
} bracketed;

static bracketed in_brackets(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.";
    bracketed b;
    snprintf(b.text, sizeof b.text, text[strspn(text, plain)] ? "(%s)" : "%s", text);
    return b;
}

/* ---- numbers of the fluid ---------------------------------------------------------------------------------------- */

static const rw_tree *fluid(const writer *w, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "fluid.%s", name);
    return rw_case_node(w->f->c, full);
}

static void put_parameter(writer *w, const char *name, const rw_tree *of, char *text)
{
    rw_tree *map = section(w, "parameters", RW_TREE_MAP);
    const int there = w->status == RW_OK ? rw_tree_index(map, name) : -1;
    if (there >= 0) {
        w->status = rw_case_fail_key(w->f->c, map, there,
                                     "parameter %s: a flow defines it from `fluid`: choose another name", name);
        rw_free(text);
        return;
    }
    put(w, map, name, text_at(w, text, of));
}

static rw_status need(const writer *w, const char *name, const char *why)
{
    if (fluid(w, name)) return RW_OK;
    return rw_case_fail(w->f->c, rw_case_node(w->f->c, "fluid"), "fluid.%s is missing: %s", name, why);
}

static rw_status check_fluid(const writer *w)
{
    const flow *f = w->f;
    const rw_tree *re = fluid(w, "re"), *ra = fluid(w, "ra"), *viscosity = fluid(w, "viscosity");
    if (viscosity && (re || ra))
        return rw_case_fail(f->c, viscosity,
                            "both fluid.%s and fluid.viscosity: give numbers without units, re, or ra "
                            "and pr, or physical constants",
                            re ? "re" : "ra");
    if (!viscosity && !re && !ra)
        return rw_case_fail(f->c, rw_case_node(f->c, "fluid"),
                            "nothing gives the viscosity: write fluid: {re: 100}, {ra: 1e4, pr: 0.71} or {viscosity: "
                            "…}");
    if (ra) RW_TRY(need(w, "pr", "with ra, pr gives the viscosity"));
    if (ra && !f->heat)
        return rw_case_fail(f->c, ra, "fluid.ra, but no side has a temperature, and initial.temperature is not given");
    if (f->heat && re) RW_TRY(need(w, "pr", "there is a temperature, whose diffusivity is 1/(re pr)"));
    if (f->heat && viscosity && !fluid(w, "diffusivity")) {
        static const char *const parts[] = {"conductivity", "density", "heat_capacity"};
        for (int i = 0; i < RW_COUNT(parts); ++i)
            RW_TRY(need(w, parts[i],
                        "there is a temperature, whose diffusivity is conductivity/(density "
                        "heat_capacity)"));
    }
    return RW_OK;
}

/* nu, kappa, and the factor of dT/dx in the rate of the vorticity. */
static bool put_fluid(writer *w)
{
    const flow *f = w->f;
    const rw_tree *re = fluid(w, "re"), *ra = fluid(w, "ra"), *pr = fluid(w, "pr"), *expansion = fluid(w, "expansion");
    if (w->status == RW_OK) w->status = check_fluid(w);
    if (w->status != RW_OK) return false;
    put_parameter(w, "nu",
                  re   ? re
                  : ra ? pr
                       : fluid(w, "viscosity"),
                  re ? rw_format("1/%s", in_brackets(re->text).text)
                     : rw_format("%s", ra ? pr->text : f->fluid.viscosity));
    if (!f->heat) return false;
    if (re) put_parameter(w, "kappa", pr, rw_format("nu/%s", in_brackets(pr->text).text));
    else if (ra) put_parameter(w, "kappa", ra, rw_format("1"));
    else if (fluid(w, "diffusivity"))
        put_parameter(w, "kappa", fluid(w, "diffusivity"), rw_format("%s", f->fluid.diffusivity));
    else
        put_parameter(w, "kappa", fluid(w, "conductivity"),
                      rw_format("(%s)/((%s)*(%s))", f->fluid.conductivity, f->fluid.density, f->fluid.heat_capacity));
    if (ra) put_parameter(w, "buoyancy", ra, rw_format("%s*nu*kappa", in_brackets(ra->text).text));
    else if (expansion)
        put_parameter(w, "buoyancy", expansion, rw_format("(%s)*(%s)", expansion->text, f->fluid.gravity));
    return ra || expansion;
}

/* ---- sides ------------------------------------------------------------------------------------------------------- */

/* {kind: value} */
static rw_tree *condition(writer *w, const char *kind, rw_tree *value)
{
    rw_tree *map = branch(w, RW_TREE_MAP);
    put(w, map, kind, value);
    if (w->status != RW_OK) rw_tree_free(&map);
    return map;
}

static rw_tree *no_slope(writer *w, const rw_tree *of) { return condition(w, "neumann", TEXT(of, "0")); }

static rw_tree *condition_of_psi(writer *w, const flow_piece *p)
{
    const char *along = flow_axis_along(p->side) ? "y" : "x";
    if (p->part->kind == FLOW_OUTFLOW) return no_slope(w, p->part->node);
    if (p->part->kind != FLOW_INFLOW) return condition(w, "dirichlet", TEXT(p->part->node, "%s", p->psi));
    return condition(w, "dirichlet",
                     !strcmp(p->psi, "0") ? TEXT(p->part->node, "flow_%s(%s)", p->name, along)
                                          : TEXT(p->part->node, "%s + flow_%s(%s)", p->psi, p->name, along));
}

/* " + 2*(U)/hn": the term of the wall's own velocity in its vorticity. */
static char *moving(const flow_piece *p, const rw_tree *velocity, int factor)
{
    const bool minus = p->side == FLOW_NORTH || p->side == FLOW_WEST;
    return velocity ? rw_format(" %c %d*%s/hn", minus ? '-' : '+', factor, in_brackets(velocity->text).text)
                    : rw_format("%s", "");
}

static rw_tree *vorticity_at_wall(writer *w, const flow_piece *p)
{
    static const int factors[] = {2, 3, 3};
    const rw_tree *velocity = flow_tangent(p->part, p->side);
    const int wall = w->f->scheme.wall;
    char *term = moving(p, velocity, factors[wall]);
    char *text = !term       ? NULL
                 : wall == 0 ? rw_format("-2*(inner(psi, 1) - psi)/hn^2%s", term)
                 : wall == 1 ? rw_format("-3*(inner(psi, 1) - psi)/hn^2%s - inner(w, 1)/2", term)
                             : rw_format("(7*psi - 8*inner(psi, 1) + inner(psi, 2))/(2*hn^2)%s", term);
    rw_free(term);
    return condition(w, "dirichlet", text_at(w, text, velocity ? velocity : p->part->node));
}

/* dv/dx - du/dy with the velocity across from the case. A velocity along the side makes the other term a difference,
 * as at a wall; without one it is 0. */
static rw_tree *vorticity_of_inflow(writer *w, const flow_piece *p)
{
    const rw_tree *velocity = flow_tangent(p->part, p->side), *across = flow_across(p->part, p->side);
    const char *along = flow_axis_along(p->side) ? "y" : "x", *sign = p->side < FLOW_SOUTH ? "-" : "";
    if (!velocity) return condition(w, "dirichlet", TEXT(across, "%sdiff(in_%s(%s), %s)", sign, p->name, along, along));
    char *term = moving(p, velocity, 2);
    char *text = term ? rw_format("-2*(inner(psi, 1) - psi)/hn^2%s %s diff(in_%s(%s), %s)", term, *sign ? sign : "+",
                                  p->name, along, along)
                      : NULL;
    rw_free(term);
    return condition(w, "dirichlet", text_at(w, text, velocity));
}

static rw_tree *condition_of_w(writer *w, const flow_piece *p)
{
    switch (p->part->kind) {
    case FLOW_WALL: return vorticity_at_wall(w, p);
    case FLOW_INFLOW: return vorticity_of_inflow(w, p);
    case FLOW_SYMMETRY: return condition(w, "dirichlet", TEXT(p->part->node, "0"));
    default: return no_slope(w, p->part->node);
    }
}

static rw_tree *condition_of_heat(writer *w, const flow_piece *p)
{
    const flow_part *part = p->part;
    const char *kind = part->heat_kind, *way = kind && part->heat->kind == RW_TREE_SCALAR ? part->heat->text : "";
    if (!kind && part->kind == FLOW_INFLOW && w->status == RW_OK)
        w->status = rw_case_fail(w->f->c, part->node, "what flows in needs a temperature: add temperature: …");
    if (!kind || (!strcmp(kind, "insulated") && (!*way || !strcmp(way, "mirror")))) return no_slope(w, part->node);
    if (!strcmp(kind, "temperature")) return condition(w, "dirichlet", copy(w, part->heat));
    if (!strcmp(kind, "robin")) return condition(w, "robin", copy(w, part->heat));
    if (!strcmp(kind, "flux")) return condition(w, "neumann", TEXT(part->heat, "(%s)/kappa", way));
    return condition(w, "dirichlet",
                     TEXT(part->heat, "%s", !strcmp(way, "copy") ? "inner(T, 1)" : "(4*inner(T, 1) - inner(T, 2))/3"));
}

static rw_tree *condition_of_tracer(writer *w, const flow_piece *p, const char *name)
{
    const rw_tree *value = rw_tree_get(p->part->tracers, name);
    return value ? condition(w, "dirichlet", copy(w, value)) : no_slope(w, p->part->node);
}

enum { PSI, W, HEAT, TRACER };

static rw_tree *condition_of(writer *w, const flow_piece *p, int field, const char *name)
{
    return field == PSI    ? condition_of_psi(w, p)
           : field == W    ? condition_of_w(w, p)
           : field == HEAT ? condition_of_heat(w, p)
                           : condition_of_tracer(w, p, name);
}

static rw_tree *side_of(writer *w, int side, int field, const char *name)
{
    const flow *f = w->f;
    rw_tree *list = NULL;
    for (int i = 0; i < f->npieces && w->status == RW_OK; ++i) {
        const flow_piece *p = f->piece + i;
        if (p->side != side) continue;
        rw_tree *one = condition_of(w, p, field, name);
        if (!list && isinf(p->until)) return one;
        if (!list) list = branch(w, RW_TREE_LIST);
        if (!isinf(p->until) && w->status == RW_OK)
            put(w, one, "where", TEXT(p->part->node, "%s < %.17g", side < FLOW_SOUTH ? "y" : "x", p->until));
        append(w, list, one);
    }
    return list;
}

static rw_tree *boundary_of(writer *w, int field, const char *name)
{
    static const char *const sides[] = {"left", "right", "bottom", "top"};
    rw_tree *map = branch(w, RW_TREE_MAP);
    for (int s = 0; s < FLOW_SIDES && w->status == RW_OK; ++s) {
        if (!w->f->periodic[s / 2]) put(w, map, sides[s], side_of(w, s, field, name));
        else if (s % 2) put(w, map, s < FLOW_SOUTH ? "x" : "y", word(w, "periodic", w->f->side[s].node));
    }
    if (w->status != RW_OK) rw_tree_free(&map);
    return map;
}

/* ---- fields and equations ---------------------------------------------------------------------------------------- */

static void put_field(writer *w, const char *name, int field, rw_tree *initial)
{
    rw_tree *fields = section(w, "fields", RW_TREE_MAP), *map = branch(w, RW_TREE_MAP);
    put(w, map, "initial", initial);
    put(w, map, "boundary", boundary_of(w, field, name));
    if (w->status == RW_OK && rw_tree_get(fields, name))
        w->status = rw_case_fail(w->f->c, rw_case_node(w->f->c, "tracers"), "a tracer cannot be called %s", name);
    put(w, fields, name, map);
}

static const rw_tree *initial(const writer *w, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "initial.%s", name);
    return rw_case_node(w->f->c, full);
}

/* psi of the only piece of a side, a wall or symmetry; NULL: of any other side */
static const char *psi_of_side(const flow *f, int side)
{
    const char *psi = NULL;
    for (int i = 0; i < f->npieces; ++i) {
        const flow_piece *p = f->piece + i;
        if (p->side != side) continue;
        if (psi || (p->part->kind != FLOW_WALL && p->part->kind != FLOW_SYMMETRY)) return NULL;
        psi = p->psi;
    }
    return psi;
}

/* The streamfunction at which Newton's method starts: between two walls with a flow through, that of the parabola,
 * psi = A + (B - A) s^2 (3 - 2 s); else 0. From 0 the jump to the walls' values would outweigh all other residuals. */
static rw_tree *start_of_psi(writer *w)
{
    const flow *f = w->f;
    for (int axis = 1; axis >= 0; --axis) {
        const char *from = psi_of_side(f, 2 * axis), *to = psi_of_side(f, 2 * axis + 1);
        if (!from || !to || !strcmp(from, to)) continue;
        char s[64];
        snprintf(s, sizeof s, "(%c - %.15g)/%.15g", axis ? 'y' : 'x', f->origin[axis], f->length[axis]);
        return TEXT(NULL, "(%s) + ((%s) - (%s))*(%s)^2*(3 - 2*%s)", from, to, from, s, s);
    }
    return TEXT(NULL, "0");
}

static void put_fields(writer *w)
{
    const flow *f = w->f;
    const rw_tree *u = initial(w, "u"), *v = initial(w, "v"), *T = initial(w, "temperature"),
                  *tracers = rw_case_node(f->c, "tracers");
    put_field(w, "w", W,
              u || v ? TEXT(u ? u : v, "diff(%s, x) - diff(%s, y)", v ? v->text : "0", u ? u->text : "0")
                     : TEXT(NULL, "0"));
    put_field(w, "psi", PSI, start_of_psi(w));
    if (f->heat) put_field(w, "T", HEAT, T ? copy(w, T) : TEXT(NULL, "0"));
    for (int i = 0; tracers && i < tracers->n && w->status == RW_OK; ++i) {
        flow_tracers t = {0};
        w->status = rw_case_entry(f->c, "tracers", i, &t);
        const rw_tree *given = rw_tree_get(tracers->items[i], "initial");
        put_field(w, tracers->keys[i], TRACER, given ? copy(w, given) : TEXT(NULL, "%s", t.initial));
    }
}

/* The velocity across an inflow and its integral, by Gauss's formula of eight points. */
static void put_functions(writer *w)
{
    static const char points[] = "(0.3626837833783620*(in_%s(%s + (b - %s)*0.4082826787521751) + in_%s(%s + (b - "
                                 "%s)*0.5917173212478248)) + 0.3137066458778873*(in_%s(%s + (b - "
                                 "%s)*0.2372337950418355) + in_%s(%s + (b - %s)*0.7627662049581645)) + "
                                 "0.2223810344533745*(in_%s(%s + (b - %s)*0.1016667612931866) + in_%s(%s + (b - "
                                 "%s)*0.8983332387068134)) + 0.1012285362903763*(in_%s(%s + (b - "
                                 "%s)*0.01985507175123188) + in_%s(%s + (b - %s)*0.9801449282487681)))";
    const flow *f = w->f;
    for (int i = 0; i < f->npieces && w->status == RW_OK; ++i) {
        const flow_piece *p = f->piece + i;
        const char *n = p->name, *along = flow_axis_along(p->side) ? "y" : "x";
        char a[32], *sum;
        if (p->part->kind != FLOW_INFLOW) continue;
        rw_tree *list = section(w, "functions", RW_TREE_LIST);
        const rw_tree *velocity = flow_across(p->part, p->side);
        snprintf(a, sizeof a, "%.15g", p->from);
        append(w, list, TEXT(velocity, "in_%s(%s) = %s", n, along, velocity->text));
        sum = rw_format(points, n, a, a, n, a, a, n, a, a, n, a, a, n, a, a, n, a, a, n, a, a, n, a, a);
        append(w, list,
               TEXT(velocity, "flow_%s(b) = %s(b - %s)/2*%s", n, p->side < FLOW_SOUTH ? "" : "-", a, sum ? sum : ""));
        rw_free(sum);
    }
    if (f->scheme.convection == 2)
        append(w, section(w, "functions", RW_TREE_LIST),
               TEXT(NULL, "limited(a, b) = where(a*b > 0, sign(b)*min(2*abs(a), (abs(a) + 2*abs(b))/3, 2*abs(b))/2, "
                          "0)"));
}

/* The flow of q through the faces of a node: q_east, q_north. */
static void add_faces(const flow *f, rw_text *t, const char *q)
{
    static const struct {
        const char *face, *velocity, *next, *before, *beyond;
    } faces[] = {{"east", "u_face", "i+1, j", "i-1, j", "i+2, j"}, {"north", "v_face", "i, j+1", "i, j-1", "i, j+2"}};
    for (int k = 0; k < 2; ++k) {
        const char *u = faces[k].velocity, *next = faces[k].next, *before = faces[k].before;
        rw_text_add(t, "%s_%s = ", q, faces[k].face);
        if (f->scheme.convection == 0) rw_text_add(t, "%s*(%s + %s[%s])/2\n", u, q, q, next);
        else if (f->scheme.convection == 1) rw_text_add(t, "where(%s > 0, %s*%s, %s*%s[%s])\n", u, u, q, u, q, next);
        else
            rw_text_add(t,
                        "%s*where(%s > 0, %s + limited(%s - %s[%s], %s[%s] - %s), %s[%s] + limited(%s[%s] - "
                        "%s[%s], %s - %s[%s]))\n",
                        u, u, q, q, q, before, q, next, q, q, next, q, next, q, faces[k].beyond, q, q, next);
    }
}

static void add_transport(rw_text *t, const char *q, const char *diffusivity)
{
    rw_text_add(t,
                "d%s/dt = implicit(%s*laplace(%s)) - (%s_east - %s_east[i-1, j] + %s_north - %s_north[i, j-1])/"
                "(hx*hy)",
                q, diffusivity, q, q, q, q, q);
}

static void put_equations(writer *w, bool buoyant)
{
    const flow *f = w->f;
    const rw_tree *tracers = rw_case_node(f->c, "tracers"), *fx = rw_case_node(f->c, "forces.x"),
                  *fy = rw_case_node(f->c, "forces.y");
    const double down[2] = {f->fluid.down.value[0], f->fluid.down.value[1]}, size = hypot(down[0], down[1]);
    rw_text t = {0};
    rw_text_add(&t, "laplace(psi) = -w\n"
                    "u_face = (psi[i, j+1] + psi[i+1, j+1] - psi[i, j-1] - psi[i+1, j-1])/4\n"
                    "v_face = (psi[i-1, j] + psi[i-1, j+1] - psi[i+1, j] - psi[i+1, j+1])/4\n");
    add_faces(f, &t, "w");
    if (f->heat) add_faces(f, &t, "T");
    for (int i = 0; tracers && i < tracers->n; ++i) add_faces(f, &t, tracers->keys[i]);
    add_transport(&t, "w", "nu");
    /* the force is -buoyancy T in the direction down */
    if (buoyant && down[1] != 0)
        rw_text_add(&t, " %c %.15g*buoyancy*dx(T)", down[1] < 0 ? '+' : '-', fabs(down[1]) / size);
    if (buoyant && down[0] != 0)
        rw_text_add(&t, " %c %.15g*buoyancy*dy(T)", down[0] > 0 ? '+' : '-', fabs(down[0]) / size);
    if (fx || fy) rw_text_add(&t, " + curl([%s, %s])", f->forces.x, f->forces.y);
    rw_text_add(&t, "\n");
    if (f->heat) {
        add_transport(&t, "T", "kappa");
        rw_text_add(&t, "\n");
    }
    for (int i = 0; tracers && i < tracers->n && w->status == RW_OK; ++i) {
        flow_tracers one = {0};
        char factor[512];
        w->status = rw_case_entry(f->c, "tracers", i, &one);
        snprintf(factor, sizeof factor, "%s", in_brackets(one.diffusivity).text);
        add_transport(&t, tracers->keys[i], factor);
        rw_text_add(&t, strcmp(one.source, "0") ? " + %s\n" : "\n", one.source);
    }
    if (t.failed && w->status == RW_OK) w->status = rw_fail_memory(f->ctx, t.length, "the case of a flow");
    put(w, w->root, "equations", text_at(w, t.data ? rw_strdup(t.data) : NULL, rw_case_node(f->c, "problem")));
    rw_text_free(&t);
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static void put_column(writer *w, rw_tree *map, const char *name, char *text)
{
    put(w, map, name, text_at(w, text, NULL));
}

/* Mean slope of T into the domain on a side, times the length of the domain across it. */
static void put_nusselt(writer *w, rw_tree *map, int side)
{
    const flow *f = w->f;
    const bool upper = side % 2, along_y = side < FLOW_SOUTH;
    const char *x = along_y ? "x" : "y", *h = along_y ? "hx" : "hy", *g = along_y ? "hy" : "hx",
               *s = along_y ? "y" : "x";
    const int across = along_y ? 0 : 1, along = 1 - across;
    const double at = f->origin[across] + (upper ? f->length[across] : 0), low = f->origin[along],
                 high = low + f->length[along];
    char name[32], one[32], two[32];
    const int d = upper ? -1 : 1;
    snprintf(name, sizeof name, "nusselt_%s", flow_side_names[side]);
    snprintf(one, sizeof one, along_y ? "T[i%+d, j]" : "T[i, j%+d]", d);
    snprintf(two, sizeof two, along_y ? "T[i%+d, j]" : "T[i, j%+d]", 2 * d);
    char *ends = f->periodic[along]
                     ? rw_format("1")
                     : rw_format("where(%s < %.15g + %s/2 or %s > %.15g - %s/2, 0.5, 1)", s, low, g, s, high, g);
    put_column(w, map, name,
               ends ? rw_format("sum(where(abs(%s - %.15g) < %s/2, (3*T - 4*%s + %s)/(2*%s)*%s*%s, 0))*%.15g", x, at, h,
                                one, two, h, g, ends, f->length[across] / f->length[along])
                    : NULL);
    rw_free(ends);
}

static bool has_temperature(const flow *f, int side)
{
    for (int i = 0; i < f->side[side].n; ++i) {
        const char *kind = f->side[side].part[i].heat_kind;
        if (kind && !strcmp(kind, "temperature") && f->side[side].part[i].kind == FLOW_WALL) return true;
    }
    return false;
}

static rw_tree *series(writer *w)
{
    const flow *f = w->f;
    rw_tree *map = branch(w, RW_TREE_MAP);
    const double x = f->origin[0] + f->length[0] / 2, y = f->origin[1] + f->length[1] / 2;
    put_column(w, map, "psi_min_x", rw_format("max(where(psi == min(psi), x, %.15g))", f->origin[0]));
    put_column(w, map, "psi_min_y", rw_format("max(where(psi == min(psi), y, %.15g))", f->origin[1]));
    put_column(w, map, "omega_at_psi_min", rw_format("max(where(psi == min(psi), w, -1e300))"));
    put_column(w, map, "u_min", rw_format("min(where(abs(x - %.15g) < 0.51*hx, dy(psi), 1e300))", x));
    put_column(w, map, "u_max", rw_format("max(where(abs(x - %.15g) < 0.51*hx, dy(psi), -1e300))", x));
    put_column(w, map, "v_min", rw_format("min(where(abs(y - %.15g) < 0.51*hy, -dx(psi), 1e300))", y));
    put_column(w, map, "v_max", rw_format("max(where(abs(y - %.15g) < 0.51*hy, -dx(psi), -1e300))", y));
    put_column(w, map, "kinetic_energy", rw_format("integral(flow.x^2 + flow.y^2)/2"));
    put_column(w, map, "enstrophy", rw_format("integral(w^2)/2"));
    for (int s = 0; s < FLOW_SIDES && f->heat; ++s)
        if (has_temperature(f, s)) put_nusselt(w, map, s);
    if (w->status != RW_OK) rw_tree_free(&map);
    return map;
}

/* A component of the velocity: differences of psi, but at nodes of walls and inflows what the case says. */
static char *velocity(writer *w, int component)
{
    const flow *f = w->f;
    rw_text text = {0};
    int brackets = 0;
    for (int i = 0; i < f->npieces && w->status == RW_OK; ++i) {
        const flow_piece *p = f->piece + i;
        const int across = p->side < FLOW_SOUTH ? 0 : 1;
        const bool upper = p->side % 2;
        const double at = f->origin[across] + (upper ? f->length[across] : 0);
        const char *const axes[] = {"x", "y"}, *const spacings[] = {"hx", "hy"};
        const rw_tree *given = component == 0 ? p->part->u : p->part->v;
        if (p->part->kind != FLOW_WALL && p->part->kind != FLOW_INFLOW) continue;
        rw_text_add(&text, "where(%s %c %.15g %c %s/2", axes[across], upper ? '>' : '<', at, upper ? '-' : '+',
                    spacings[across]);
        if (p->from > f->origin[1 - across]) rw_text_add(&text, " and %s >= %.17g", axes[1 - across], p->from);
        if (!isinf(p->until)) rw_text_add(&text, " and %s < %.17g", axes[1 - across], p->until);
        rw_text_add(&text, ", %s, ", given ? in_brackets(given->text).text : "0");
        ++brackets;
    }
    rw_text_add(&text, component == 0 ? "dy(psi)" : "-dx(psi)");
    for (int i = 0; i < brackets; ++i) rw_text_add(&text, ")");
    if (text.failed && w->status == RW_OK) w->status = rw_fail_memory(w->f->ctx, text.length, "the case of a flow");
    return text.data;
}

static char *velocities(writer *w)
{
    char *u = velocity(w, 0), *v = velocity(w, 1), *both = u && v ? rw_format("[%s, %s]", u, v) : NULL;
    rw_free(u);
    rw_free(v);
    return both;
}

/* The user's entries after those of the flow, in place of those of the same name. */
static void add_entries(writer *w, rw_tree *map, const rw_tree *given)
{
    for (int i = 0; given && i < given->n && w->status == RW_OK; ++i)
        put(w, map, given->keys[i], copy(w, given->items[i]));
}

/* The list names the vector, or all. */
static bool has_flow(const rw_tree *list)
{
    for (int i = 0; list && i < list->n; ++i)
        if (!strcmp(list->items[i]->text, "flow") || !strcmp(list->items[i]->text, "all")) return true;
    return !list;
}

static void put_output(writer *w)
{
    const rw_tree *given = rw_case_node(w->f->c, "output");
    rw_tree *output = branch(w, RW_TREE_MAP), *columns = series(w), *derived = branch(w, RW_TREE_MAP);
    put_column(w, derived, "flow", velocities(w));
    for (int i = 0; given && i < given->n && w->status == RW_OK; ++i)
        put(w, output, given->keys[i], copy(w, given->items[i]));
    add_entries(w, columns, rw_tree_get(given, "series"));
    add_entries(w, derived, rw_tree_get(given, "derived"));
    put(w, output, "series", columns);
    put(w, output, "derived", derived);
    if (w->status == RW_OK && has_flow(rw_tree_get(given, "figures")) && !rw_tree_get(output, "streamlines")) {
        rw_tree *list = branch(w, RW_TREE_LIST);
        append(w, list, word(w, "flow", NULL));
        put(w, output, "streamlines", list);
    }
    put(w, w->root, "output", output);
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

static double number(writer *w, const char *text)
{
    double value = NAN;
    rw_tree *node = text_at(w, rw_strdup(text), NULL);
    if (w->status == RW_OK) w->status = flow_value(w->f, node, 0, 0, &value);
    rw_tree_free(&node);
    return value;
}

static double viscosity(writer *w)
{
    const flow *f = w->f;
    return fluid(w, "re") ? 1 / number(w, f->fluid.re) : number(w, fluid(w, "ra") ? f->fluid.pr : f->fluid.viscosity);
}

static double diffusivity(writer *w)
{
    const flow *f = w->f;
    if (!f->heat) return 0;
    if (fluid(w, "re")) return viscosity(w) / number(w, f->fluid.pr);
    if (fluid(w, "ra")) return 1;
    if (fluid(w, "diffusivity")) return number(w, f->fluid.diffusivity);
    return number(w, f->fluid.conductivity) / (number(w, f->fluid.density) * number(w, f->fluid.heat_capacity));
}

static double largest_diffusivity(writer *w)
{
    const rw_tree *tracers = rw_case_node(w->f->c, "tracers");
    double most = fmax(viscosity(w), diffusivity(w));
    for (int i = 0; tracers && i < tracers->n && w->status == RW_OK; ++i) {
        flow_tracers one = {0};
        w->status = rw_case_entry(w->f->c, "tracers", i, &one);
        if (w->status == RW_OK) most = fmax(most, number(w, one.diffusivity));
    }
    return most;
}

static bool has_walls(const flow *f)
{
    for (int i = 0; i < f->npieces; ++i)
        if (f->piece[i].part->kind == FLOW_WALL) return true;
    return false;
}

/* What diffusion and walls allow: rk4 computes diffusion explicitly; vorticity at walls is that of psi of the step
 * before, measured for Thom's formula, which the others take 1.5 times. INFINITY: any. */
static double longest_step(writer *w)
{
    const flow *f = w->f;
    const double hx = flow_spacing(f, 0), hy = flow_spacing(f, 1), h = fmin(hx, hy);
    const rw_ode_method method = f->time.method;
    if (method == RW_ODE_RK4) return 2.7 / (4 * largest_diffusivity(w) * (1 / (hx * hx) + 1 / (hy * hy)));
    if ((method == RW_ODE_IMEX1 || method == RW_ODE_ARK2) && has_walls(f))
        return (f->scheme.wall ? 0.8 : 1.2) * h * h / viscosity(w);
    return INFINITY;
}

static void put_time(writer *w)
{
    static const char speed[] = "max(abs(dy(psi))/hx + abs(dx(psi))/hy)", square[] = "max(dy(psi)^2 + dx(psi)^2)";
    const flow *f = w->f;
    const rw_tree *given = rw_case_node(f->c, "time");
    const rw_ode_method method = f->time.method;
    const bool steps = method == RW_ODE_RK4 || method == RW_ODE_IMEX1 || method == RW_ODE_ARK2,
               follows = f->time.courant > 0;
    rw_tree *time = given ? copy(w, given) : NULL;
    if (!time || w->status != RW_OK) return;
    if ((follows || (steps && f->time.step > 0)) && !rw_tree_get(time, "courant_one")) {
        /* Euler's method is stable for central differences while the step is at most 2 nu/|u|^2 */
        if (follows && method == RW_ODE_IMEX1 && f->scheme.convection == 0)
            put(w, time, "courant_one", TEXT(NULL, "min(1/%s, %.6g*nu/%s)", speed, 2 / f->time.courant, square));
        else put(w, time, "courant_one", TEXT(NULL, "1/%s", speed));
    }
    if (follows && !rw_tree_get(time, "max_step")) {
        const double longest = longest_step(w);
        if (w->status == RW_OK && isfinite(longest) && longest > 0)
            put(w, time, "max_step", TEXT(NULL, "%.6g", longest));
    }
    put(w, w->root, "time", time);
}

/* ---- the case ---------------------------------------------------------------------------------------------------- */

static void put_grid(writer *w)
{
    const rw_tree *given = rw_case_node(w->f->c, "grid");
    rw_tree *grid = given ? copy(w, given) : NULL;
    put(w, grid, "layout", word(w, "node", NULL));
    put(w, w->root, "grid", grid);
}

rw_status flow_write(flow *f, rw_tree **root)
{
    static const char *const first[] = {"title", "device", "memory", "reproducible"}, *const last[] = {"solvers",
                                                                                                       "checkpoint",
                                                                                                       "checks"};
    writer of = {.f = f}, *w = &of;
    of.root = branch(w, RW_TREE_MAP);
    put(w, of.root, "problem", word(w, "pde", rw_case_node(f->c, "problem")));
    for (int i = 0; i < RW_COUNT(first); ++i) copy_section(w, first[i]);
    if (of.status == RW_OK) put_grid(w);
    copy_section(w, "parameters");
    const bool buoyant = put_fluid(w);
    copy_section(w, "functions");
    put_functions(w);
    put_fields(w);
    put_equations(w, buoyant);
    put_time(w);
    for (int i = 0; i < RW_COUNT(last); ++i) copy_section(w, last[i]);
    put_output(w);
    if (of.status == RW_OK) *root = of.root;
    else rw_tree_free(&of.root);
    return of.status;
}
