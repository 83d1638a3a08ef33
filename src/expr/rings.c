/* Wave fronts (front.c) for processors: the layers that passes hand to each other (rows of a grid of two dimensions,
 * planes of one of three) lie in rings, small enough for the caches, and each pass is a plain loop along a row.
 *
 *   t, u            column and row within a layer; u is 0 in two dimensions
 *   r3              the ring of version 3; w3_0 its newest layer, w3_1 the one before …, each with column x0 of row y0
 *                   at [0]
 *   left … right    columns of a layer that are in the grid, bottom … top its rows; all where an axis is periodic
 *
 * Values beyond the sides of x, and in planes of y, are put into the cells next to those of the layer, values beyond
 * the sides that the walk meets into a layer of their own (n3_0 below, n3_1 above), so that no loop along a row asks
 * where it is. */
#include "expr/front.h"

#include "expr/arguments.h"
#include "expr/loads.h"
#include "expr/nodes.h"
#include "expr/strategy.h"

/* tiling=rings: small grids have several groups too. */
enum { FORCED_ROW_BYTES = 1 << 15, FORCED_ROW = 64, FORCED_PLANE_BYTES = 1 << 18, FORCED_PLANE = 32, LEAST_ROW = 64 };

static int64_t layers_of(const rw_front *w)
{
    int64_t layers = 0;
    for (int i = 0; i < w->nversions; ++i) layers += w->v[i].oldest + 1 + 2;
    return RW_MAX(layers, 1);
}

static bool fits(const rw_emitter *e, const rw_front *w) { return layers_of(w) <= e->tuning->ring_count; }

/* As many cells as a processor's caches hold for all of them. */
static void choose_layers(const rw_emitter *e, rw_front *w, bool forced)
{
    const rw_tuning *c = e->tuning;
    const int64_t *n = e->g->grid.size, most = e->target->shared_memory / 8 * 7; /* the rest: the compiler's own */
    w->height = 1;
    if (w->walk == 1) {
        const int64_t bytes = RW_MIN(forced ? FORCED_ROW_BYTES : c->ring_row_bytes, most),
                      columns = bytes / 8 / layers_of(w) / 32 * 32;
        w->width =
            (int)RW_MIN(RW_MIN(RW_MAX(columns, LEAST_ROW), forced ? FORCED_ROW : c->ring_row), n[0] + 2 * w->margin[0]);
    } else {
        const int64_t bytes = RW_MIN(forced ? FORCED_PLANE_BYTES : c->ring_plane_bytes, most),
                      cells = bytes / 8 / layers_of(w);
        w->width = (int)RW_MIN(forced ? FORCED_PLANE : c->ring_plane, n[0] + 2 * w->margin[0]);
        w->height =
            (int)RW_MAX(RW_MIN(cells / (w->width + 32), n[1] + 2 * w->margin[1]), 1); /* rows have cells at both ends */
    }
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static bool has_planes(const rw_emitter *e) { return ((const rw_front *)e->state)->walk == 2; }

static bool is_read_across(const rw_front_value *v)
{
    for (int a = 0; a < RW_FRONT_AGES; ++a)
        if (v->shared[a] >= 0) return true;
    return false;
}

static void emit_field(rw_emitter *e, const rw_graph_node *p)
{
    const rw_front *w = e->state;
    if (rw_is_of_other(e->g, p)) {
        rw_emit_load(e, p, RW_NO_AXIS);
        return;
    }
    const rw_front_value *v = rw_front_version(e, p);
    int n = rw_front_number(w, v), age = rw_front_age(e, v), along = p->offset[w->walk];
    if (along && !rw_axis_is_periodic(e->g, w->walk)) ADD("n%d_%d[CELL(t, u)]", n, along > 0);
    else ADD("w%d_%d[CELL(t + (%d), u + (%d))]", n, age - along, p->offset[0], has_planes(e) ? p->offset[1] : 0);
}

/* Where a column of the layer lies in the grid. */
static const char *column(const rw_emitter *e)
{
    const rw_front *w = e->state;
    if (!rw_axis_is_periodic(e->g, 0)) return "x0 + t";
    return e->g->grid.size[0] >= w->width + w->margin[0]
               ? "x0 + t < 0 ? x0 + t + NX : x0 + t < NX ? x0 + t : x0 + t - NX"
               : "((x0 + t) % NX + NX) % NX";
}

static const char *in_grid(const rw_emitter *e, int axis, const char *index, char *to, size_t size)
{
    char N = rw_size_letter[axis];
    snprintf(to, size, rw_axis_is_periodic(e->g, axis) ? "((%s) %% N%c + N%c) %% N%c" : "%s", index, N, N, N);
    return to;
}

/* The rows of the layer, one after another, where `condition` holds. Barriers are outside: some OpenCL compilers double
 * their work at each one that is conditional. */
static void begin_rows(rw_emitter *e, const char *condition)
{
    char row[80];
    ADD("            if (%s)", condition);
    if (has_planes(e))
        ADD("\n            for (INDEX u = first; u < last; ++u) {\n            const INDEX j = %s;\n"
            "            (void)j;\n",
            in_grid(e, 1, "y0 + u", row, sizeof row));
    else ADD(" {\n");
}

static void end_rows(rw_emitter *e) { ADD("            }\n            BARRIER;\n"); }

/* The values beyond the sides of x, next to the rows of a version's newest layer. */
static void emit_row_ends(rw_emitter *e, const rw_front_value *v)
{
    const rw_front *w = e->state;
    const char *name = e->g->fields[v->field].name, *names = rw_text_of(&e->uniform_names);
    int below = e->use.reach[0][0], above = e->use.reach[0][1];
    if (!is_read_across(v) || rw_axis_is_periodic(e->g, 0) || (!below && !above)) return;
    begin_rows(e, "runs");
    ADD("            LOCAL real *const w = w%d_0 + CELL(0, u);\n", rw_front_number(w, v));
    if (below)
        ADD("            if (x0 <= 0)\n            EACH(d, %d) { w[-x0 - 1 - d] = near_%s_x0(w, x0, -1 - d, j, "
            "k%s); }\n",
            below, name, names);
    if (above)
        ADD("            if (NX - x0 <= high)\n"
            "            EACH(d, %d) { w[NX - x0 + d] = near_%s_x1(w, x0, NX + d, j, k%s); }\n",
            above, name, names);
    end_rows(e);
}

/* The rows beyond the sides of y, next to those of a plane, where the layer has them: else no pass reads them. */
static void emit_plane_ends(rw_emitter *e, const rw_front_value *v)
{
    const rw_front *w = e->state;
    int n = rw_front_number(w, v);
    if (!has_planes(e) || !is_read_across(v) || rw_axis_is_periodic(e->g, 1)) return;
    for (int up = 0; up < 2; ++up) {
        if (!e->use.reach[1][up]) continue;
        int inside = e->g->grid.size[1] == 1 ? 0 : up ? -1 : 1;
        if (up)
            ADD("            if (runs && NY - y0 <= last && NY - y0 < HEIGHT) {\n"
                "            const INDEX u = NY - 1 - y0, j = NY;\n");
        else ADD("            if (runs && y0 < 0) {\n            const INDEX u = -y0, j = -1;\n");
        ADD("            EACH_IN(t, low, high) {\n            const INDEX i = %s;\n            (void)i;\n", column(e));
        ADD("            w%d_0[CELL(t, u + (%d))] = near_%s_y%d(w%d_0[CELL(t, u)], w%d_0[CELL(t, u + (%d))], i, j, "
            "k%s);\n            }\n",
            n, up ? 1 : -1, e->g->fields[v->field].name, up, n, n, inside, rw_text_of(&e->uniform_names));
        end_rows(e);
    }
}

static void emit_layer(rw_emitter *e, const rw_front_value *v)
{
    const rw_front *w = e->state;
    char layer[80];
    ADD("        {\n            const INDEX %c = %s, low = left, high = right;\n            (void)low, (void)high;\n",
        rw_index_letter[w->walk], in_grid(e, w->walk, "layer", layer, sizeof layer));
    ADD("            const int runs = layer < end + %d", w->margin[w->walk]);
    if (!rw_axis_is_periodic(e->g, w->walk)) ADD(" && layer >= 0 && layer < N%c", rw_size_letter[w->walk]);
    ADD(";\n");
    if (has_planes(e)) ADD("            const INDEX first = bottom, last = top;\n");
    begin_rows(e, "runs");
    ADD("            GLOBAL const %s *const from = f_%s + (k * NY + j) * NX;\n"
        "            LOCAL real *const w = w%d_0 + CELL(0, u);\n",
        rw_dtype_word(e->g->fields[v->field].dtype), e->g->fields[v->field].name, rw_front_number(w, v));
    ADD("            EACH_IN(t, inner0, inner1) { w[t] = (real)from[x0 + t]; }\n");
    if (rw_axis_is_periodic(e->g, 0)) {
        ADD("            EACH_IN(t, 0, inner0) { w[t] = (real)from[%s]; }\n", column(e));
        ADD("            EACH_IN(t, inner1, WIDTH) { w[t] = (real)from[%s]; }\n", column(e));
    }
    end_rows(e);
    emit_row_ends(e, v);
    emit_plane_ends(e, v);
    ADD("        }\n");
}

/* n3_0: the layer below the present one of version 3 as the pass sees it, one of the ring or values beyond the side. */
static void emit_neighbour_layers(rw_emitter *e, int pass)
{
    const rw_front *w = e->state;
    bool known[RW_FRONT_VERSIONS][2] = {{false}};
    const rw_pass_use *use = &w->use[pass - w->first];
    char axis = rw_axis_letter[w->walk], q = rw_index_letter[w->walk];
    for (int n = 0; n < use->nnodes; ++n) {
        const rw_graph_node *p = e->g->nodes + n;
        if (!rw_front_reads(e->plan, use, pass, n) || !p->offset[w->walk]) continue;
        const rw_front_value *v = rw_front_version(e, p);
        int i = rw_front_number(w, v), up = p->offset[w->walk] > 0, age = w->lag[pass - w->first] - v->lag;
        char side[40];
        if (known[i][up]) continue;
        known[i][up] = true;
        if (up) snprintf(side, sizeof side, "runs && %c == N%c - 1", q, rw_size_letter[w->walk]);
        else snprintf(side, sizeof side, "runs && %c == 0", q);
        ADD("            LOCAL real *const e%d_%d = b%d_%d + PAD;\n", i, up, i, up);
        ADD("            LOCAL const real *const n%d_%d = %s ? e%d_%d : w%d_%d;\n", i, up, side, i, up, i,
            age + (up ? -1 : 1));
        begin_rows(e, side);
        ADD("            EACH_IN(t, low, high) {\n            const INDEX i = %s;\n            (void)i;\n", column(e));
        ADD("            e%d_%d[CELL(t, u)] = near_%s_%c%d(w%d_%d[CELL(t, u)], w%d_%d[CELL(t, u)], i, %s(%d)%s%s);\n"
            "            }\n",
            i, up, e->g->fields[v->field].name, axis, up, i, age, i,
            e->g->grid.size[w->walk] == 1 ? age : age + (up ? 1 : -1), has_planes(e) ? "j, k + " : "j + ", up ? 1 : -1,
            has_planes(e) ? "" : ", k", rw_text_of(&e->uniform_names));
        end_rows(e);
    }
}

static void emit_pass(rw_emitter *e, int pass)
{
    const rw_front *w = e->state;
    const int *beside = w->beside[pass - w->first], along = beside[w->walk];
    bool periodic = rw_axis_is_periodic(e->g, w->walk);
    char layer[80];
    e->pass = pass;
    rw_pass_use all = e->use;
    ADD("        {\n            const INDEX r = layer - %d, %c = %s;\n", w->lag[pass - w->first],
        rw_index_letter[w->walk], in_grid(e, w->walk, "r", layer, sizeof layer));
    ADD("            const int runs = r >= begin - %d && r < end + %d", along, along);
    if (!periodic) ADD(" && r >= 0 && r < N%c", rw_size_letter[w->walk]);
    ADD(";\n            const INDEX low = MARGIN - %d > left ? MARGIN - %d : left;\n", beside[0], beside[0]);
    ADD("            const INDEX high = WIDTH - MARGIN + %d < right ? WIDTH - MARGIN + %d : right;\n", beside[0],
        beside[0]);
    if (has_planes(e))
        ADD("            const INDEX first = MARGIN_Y - %d > bottom ? MARGIN_Y - %d : bottom;\n"
            "            const INDEX last = HEIGHT - MARGIN_Y + %d < top ? HEIGHT - MARGIN_Y + %d : top;\n",
            beside[1], beside[1], beside[1], beside[1]);
    if (!periodic) emit_neighbour_layers(e, pass);
    e->use = w->use[pass - w->first];
    begin_rows(e, "runs");
    ADD("            EACH_IN(t, low, high) {\n            const INDEX i = %s;\n            (void)i;\n", column(e));
    rw_emit_nodes(e, e->use.needed, "            ");
    for (const rw_store *store = NULL; (store = rw_next_store(e->plan, pass, store));) {
        const rw_front_value *v = rw_front_made(w, store);
        if (v) ADD("            w%d_0[CELL(t, u)] = %s;\n", rw_front_number(w, v), rw_word(e, store->value));
        if (store != rw_final_store(e->plan, w->first, w->last, store->field)) continue;
        char to[240];
        bool more = beside[0] || beside[1] || beside[2];
        snprintf(to, sizeof to, "    if (%s%sx0 + t < NX%s) %c_%s[(k * NY + j) * NX + x0 + t]",
                 more ? "r >= begin && r < end && t >= MARGIN && t < WIDTH - MARGIN && " : "",
                 more && has_planes(e) ? "u >= MARGIN_Y && u < HEIGHT - MARGIN_Y && " : "",
                 has_planes(e) ? " && y0 + u < NY" : "", e->beside[store->field] ? 'o' : 'f',
                 e->g->fields[store->field].name);
        rw_emit_assign(e, store, to);
    }
    ADD("            }\n");
    end_rows(e);
    e->use = all;
    for (int i = 0; i < w->nversions; ++i)
        if (w->v[i].pass == pass) {
            emit_row_ends(e, w->v + i);
            emit_plane_ends(e, w->v + i);
        }
    ADD("        }\n");
}

/* Where the group's layers begin, and which of their cells lie in the grid. */
static void emit_place(rw_emitter *e)
{
    const bool periodic = rw_axis_is_periodic(e->g, 1);
    char planes[128];
    snprintf(planes, sizeof planes, "    const INDEX bottom = %s, top = %s;\n", periodic ? "0" : "y0 < 0 ? -y0 : 0",
             periodic ? "HEIGHT" : "NY - y0 < HEIGHT ? NY - y0 : HEIGHT");
    rw_emit_front_place(e, ", u = 0;\n    (void)k, (void)u;\n", planes);
    ADD("    const INDEX inner0 = x0 < 0 ? -x0 < WIDTH ? -x0 : WIDTH : 0, most = NX - x0 < WIDTH ? NX - x0 : WIDTH;\n"
        "    const INDEX inner1 = most < inner0 ? inner0 : most;\n");
    if (rw_axis_is_periodic(e->g, 0)) ADD("    const INDEX left = 0, right = WIDTH;\n");
    else ADD("    const INDEX left = inner0, right = inner1;\n");
}

rw_status rw_rings_emit(rw_emitter *e)
{
    const rw_front *w = e->state;
    bool periodic = rw_axis_is_periodic(e->g, w->walk);
    int pad = RW_MAX(RW_MAX(e->use.reach[0][0], e->use.reach[0][1]), 1);
    pad = (pad + 7) / 8 * 8;
    ADD("#define WIDTH %d\n#define MARGIN %d\n#define PAD %d\n#define PITCH %d\n", w->width, w->margin[0], pad,
        (w->width + 2 * pad + 7) / 8 * 8);
    ADD("#define LAYER (%d * PITCH)\n#define CELL(t, u) ((u) * PITCH + (t))\n", w->height);
    if (has_planes(e)) ADD("#define HEIGHT %d\n#define MARGIN_Y %d\n", w->height, w->margin[1]);
    RW_TRY(rw_emit_front_sides(e));
    rw_emit_head(e);
    for (int i = 0; i < w->nversions; ++i) {
        ADD("    SHARED(real, r%d, %d * LAYER);\n", i, w->v[i].oldest + 1);
        for (int up = 0; up < 2 && !periodic; ++up)
            if (e->use.reach[w->walk][up]) ADD("    SHARED(real, b%d_%d, LAYER);\n", i, up);
    }
    emit_place(e);
    ADD("    for (INDEX layer = begin - %d, n = 0; layer < end + %d; ++layer, ++n) {\n", w->margin[w->walk],
        RW_MAX(w->lag[w->last - w->first], w->margin[w->walk]));
    for (int i = 0; i < w->nversions; ++i)
        for (int a = 0; a <= w->v[i].oldest; ++a)
            ADD("        LOCAL real *const w%d_%d = r%d + (n + %d) %% %d * LAYER + PAD;\n", i, a, i,
                a ? w->v[i].oldest + 1 - a : 0, w->v[i].oldest + 1);
    for (int i = 0; i < w->nversions; ++i)
        if (w->v[i].pass < 0) emit_layer(e, w->v + i);
    e->beyond = false; /* passes compute nodes of the grid alone: loops have no choices but those of the text */
    for (int pass = w->first; pass <= w->last; ++pass) emit_pass(e, pass);
    e->pass = w->first;
    ADD("    }\n}\n");
    return RW_OK;
}

rw_status rw_rings_suits(rw_emitter *e, bool forced, bool *suits)
{
    const rw_tuning *c = e->tuning;
    const rw_front_kind kind = {.choose_layers = choose_layers,
                                .fits = fits,
                                .pass_bytes = c->ring_pass_bytes,
                                .group = c->ring_group,
                                .groups = c->ring_groups_a_unit * e->target->units,
                                .layers = c->ring_layers};
    e->field = emit_field;
    return rw_front_find(e, &kind, forced, suits);
}
