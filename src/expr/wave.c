/* Wave fronts (front.c) in registers, for GPUs: an item has a column of cells.
 *
 *   w3_0, w3_1, …     an item's values of version 3, the newest and the ones before
 *   a0                layers that memory has been asked for; none may be spilled: a value that is stored has arrived
 *   g67_1             the next layer's value of node 67, a field of another grid, for the pass of lag 1: memory answers
 *                     while a layer is computed
 *   x, y              the item's place in the grid, for coordinates
 *   i, j              the same; items beyond a side repeat the last one, so that they read nothing outside
 *   shared            what neighbours within the layer want to read lies in shared memory too, in two buffers in turn,
 *                     so that one barrier a layer is enough
 *
 * Values beyond the sides of the grid come from functions as elsewhere (sides.c). */
#include "expr/front.h"

#include "expr/arguments.h"
#include "expr/loads.h"
#include "expr/nodes.h"
#include "expr/strategy.h"

/* The next node after n that is a field of another grid and is read in a pass; -1: none. */
static int next_other(const rw_emitter *e, const rw_front *w, int pass, int n)
{
    const rw_pass_use *use = w->use + (pass - w->first);
    while (++n < use->nnodes)
        if (use->needed[n] == RW_ALONE && rw_node_of(e, n)->op == RW_OP_FIELD && rw_is_of_other(e->g, rw_node_of(e, n)))
            return n;
    return -1;
}

static int registers(const rw_emitter *e, const rw_front *w)
{
    int n = 0;
    for (int i = 0; i < w->nversions; ++i) n += w->v[i].oldest + 1 + (w->v[i].pass < 0 ? w->ahead : 0);
    for (int pass = w->first; pass <= w->last; ++pass)
        for (int other = -1; (other = next_other(e, w, pass, other)) >= 0;) n += 2; /* and its place */
    return n;
}

/* Bytes of shared memory for layers that neighbours read: they are written and read in turn. */
static int64_t shared_bytes(const rw_front *w)
{
    int64_t pad_y = w->walk == 2 ? 2 * w->pad[1] : 0;
    return (w->height + pad_y) * (w->width + 2 * w->pad[0]) * 2 * RW_MAX(w->nshared, 1) * 8;
}

static bool fits(const rw_emitter *e, const rw_front *w)
{
    return registers(e, w) <= e->tuning->wave_registers && shared_bytes(w) <= e->tuning->wave_bytes;
}

/* An item for each cell; fewer layers are loaded ahead where registers are few. */
static void choose_layers(const rw_emitter *e, rw_front *w, bool forced)
{
    const rw_tuning *c = e->tuning;
    (void)forced;
    w->ahead = w->walk == 2 ? c->planes_ahead : c->rows_ahead;
    while (w->ahead > c->least_ahead && registers(e, w) > c->ahead_registers) --w->ahead;
    w->width = w->walk == 2 ? c->rectangle : c->strip;
    w->height = w->walk == 2 ? RW_MIN(c->rectangle_items, e->target->group_most) / c->rectangle : 1;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* A place in a layer of shared memory, `by` cells from the item along an axis. */
static void beside_item(const rw_emitter *e, int shared, int axis, int by, char *to, size_t size)
{
    const int dx = axis == 0 ? by : 0, dy = axis == 1 ? by : 0;
    if (((const rw_front *)e->state)->walk == 2)
        snprintf(to, size, "shared[(b * VERSIONS + %d) * LAYER + CELL(t) + (%d) + (%d) * PITCH]", shared, dx, dy);
    else snprintf(to, size, "shared[(b * VERSIONS + %d) * LAYER + CELL(t) + (%d)]", shared, dx);
}

/* near_u_x0(…): from the row; of other axes from the value itself and the one farther inside. */
static void emit_beyond(rw_emitter *e, const rw_graph_node *p, const rw_front_value *v, int axis, const char *inside)
{
    const rw_front *w = e->state;
    const char *name = e->g->fields[p->index].name, *names = rw_text_of(&e->uniform_names);
    const int by = p->offset[axis], age = rw_front_age(e, v);
    char place[40];
    snprintf(place, sizeof place, axis == 0 ? "i + (%d), j, k" : axis == 1 ? "i, j + (%d), k" : "i, j, k + (%d)", by);
    if (axis == 0)
        ADD("near_%s_x%d(shared + (b * VERSIONS + %d) * LAYER%s, x0 - PAD, %s%s)", name, by > 0, v->shared[age],
            w->walk == 2 ? " + (t / WIDTH + PAD_Y) * PITCH" : "", place, names);
    else
        ADD("near_%s_%c%d(AT(w%d_%d, t), %s, %s%s)", name, rw_axis_letter[axis], by > 0, rw_front_number(w, v), age,
            inside, place, names);
}

static void emit_field(rw_emitter *e, const rw_graph_node *p)
{
    const rw_front *w = e->state;
    if (rw_is_of_other(e->g, p)) {
        ADD("other%d_%d", (int)(p - e->g->nodes), w->lag[e->pass - w->first]);
        return;
    }
    const rw_front_value *v = rw_front_version(e, p);
    int n = rw_front_number(w, v), age = rw_front_age(e, v), axis = 0;
    while (axis < w->walk && !p->offset[axis]) ++axis;
    const int by = p->offset[axis];
    char at[96], inside[96];
    if (!by) {
        ADD("AT(w%d_%d, t)", n, age);
        return;
    }
    if (axis == w->walk) {
        snprintf(at, sizeof at, "AT(w%d_%d, t)", n, age - by);
        snprintf(inside, sizeof inside, "AT(w%d_%d, t)", n, age + by);
    } else {
        beside_item(e, v->shared[age], axis, by, at, sizeof at);
        beside_item(e, v->shared[age], axis, -by, inside, sizeof inside);
    }
    if (e->inside || rw_axis_is_periodic(e->g, axis)) {
        ADD("%s", at);
        return;
    }
    if (by < 0) ADD("%c >= %d ? %s : ", rw_index_letter[axis], -by, at);
    else ADD("%c < N%c - %d ? %s : ", rw_index_letter[axis], rw_size_letter[axis], by, at);
    emit_beyond(e, p, v, axis, inside);
}

/* to = the field's value in a layer. */
static void emit_layer_load(rw_emitter *e, const rw_front_value *v, const char *to, const char *layer)
{
    int walk = ((const rw_front *)e->state)->walk;
    bool wraps = rw_axis_is_periodic(e->g, walk);
    char N = rw_size_letter[walk];
    ADD("%s = ", to);
    if (!wraps) ADD("%s < 0 || %s >= N%c ? (real)0 : ", layer, layer, N);
    ADD("(real)f_%s[", e->g->fields[v->field].name);
    if (wraps) ADD("((%s + N%c) %% N%c + N%c) %% N%c", layer, N, N, N, N);
    else ADD("(INDEX)(%s)", layer);
    ADD(walk == 2 ? " * (NX * NY) + j * NX + i];\n" : " * NX + i];\n");
}

/* const INDEX r, j: the row that a pass of this lag computes in a layer. */
static void emit_row(rw_emitter *e, const char *layer, int lag)
{
    const int walk = ((const rw_front *)e->state)->walk;
    const char N = rw_size_letter[walk];
    ADD("const INDEX r = %s - %d, %c = ", layer, lag, rw_index_letter[walk]);
    if (rw_axis_is_periodic(e->g, walk)) ADD("((r + N%c) %% N%c + N%c) %% N%c", N, N, N, N);
    else ADD("r");
}

/* Fields of other grids for a layer; now: those of the present one take their values. */
static void emit_others(rw_emitter *e, const rw_front *w, const char *layer, bool now)
{
    for (int pass = w->first; pass <= w->last; ++pass)
        for (int n = -1; (n = next_other(e, w, pass, n)) >= 0;) {
            const int lag = w->lag[pass - w->first];
            if (now) ADD("            const real other%d_%d = AT(g%d_%d, t);\n", n, lag, n, lag);
            ADD("            { ");
            emit_row(e, layer, lag);
            ADD("; AT(g%d_%d, t) = ", n, lag);
            rw_emit_load(e, rw_node_of(e, n), RW_NO_AXIS);
            ADD("; }\n");
        }
}

static void emit_pass(rw_emitter *e, int pass)
{
    const rw_front *w = e->state;
    const rw_pass_use all = e->use;
    e->pass = pass;
    e->use = w->use[pass - w->first];
    ADD("            {\n            ");
    emit_row(e, "layer", w->lag[pass - w->first]);
    ADD(", c = (k * NY + j) * NX + i;\n            const int mine = own && r >= begin && r < end;\n"
        "            (void)c;\n");
    rw_emit_nodes(e, e->use.needed, "            ");
    for (const rw_store *s = NULL; (s = rw_next_store(e->plan, pass, s));) {
        char to[160];
        const rw_front_value *v = rw_front_made(w, s);
        if (v) ADD("            AT(w%d_0, t) = %s;\n", rw_front_number(w, v), rw_word(e, s->value));
        if (s != rw_final_store(e->plan, w->first, w->last, s->field)) continue;
        snprintf(to, sizeof to, "    if (mine) %c_%s[c]", e->beside[s->field] ? 'o' : 'f', e->g->fields[s->field].name);
        rw_emit_assign(e, s, to);
    }
    ADD("            }\n");
    e->use = all;
}

/* const INDEX x, y, i, j: the item's column. ptxas 13.0 (sm_90) takes min(x, n) == n from the instruction that gives
 * the minimum, and takes it wrongly: i and j are compared by < and > only, and coordinates, which texts compare as
 * they like, come from x and y. */
static void emit_column(rw_emitter *e, const char *indent)
{
    bool planes = ((const rw_front *)e->state)->walk == 2;
    ADD("%sconst INDEX x = x0 + %s, i = %s;\n%s(void)i;\n", indent, planes ? "t % WIDTH" : "t",
        rw_axis_is_periodic(e->g, 0) ? "(x % NX + NX) % NX" : "x < 0 ? 0 : x < NX ? x : NX - 1", indent);
    if (planes)
        ADD("%sconst INDEX y = y0 + t / WIDTH, j = %s;\n%s(void)j;\n", indent,
            rw_axis_is_periodic(e->g, 1) ? "(y % NY + NY) % NY" : "y < 0 ? 0 : y < NY ? y : NY - 1", indent);
}

static void emit_sizes(rw_emitter *e, const rw_front *w)
{
    ADD("#define WIDTH %d\n#define HEIGHT %d\n#define MARGIN %d\n#define PAD %d\n#define PITCH (WIDTH + 2 * PAD)\n",
        w->width, w->height, w->margin[0], w->pad[0]);
    if (w->walk == 2)
        ADD("#define MARGIN_Y %d\n#define PAD_Y %d\n"
            "#define CELL(t) (((t) / WIDTH + PAD_Y) * PITCH + (t) %% WIDTH + PAD)\n",
            w->margin[1], w->pad[1]);
    else ADD("#define CELL(t) ((t) + PAD)\n");
    ADD("#define LAYER ((HEIGHT + %d) * PITCH)\n#define VERSIONS %d\n", w->walk == 2 ? 2 * w->pad[1] : 0,
        RW_MAX(w->nshared, 1));
}

/* So many that registers last. */
static int groups_a_unit(const rw_emitter *e, const rw_front *w)
{
    if (w->walk == 2) return registers(e, w) > e->tuning->plane_registers ? 1 : 2;
    return registers(e, w) > e->tuning->row_registers ? 4 : 5;
}

static int groups_at_once(const rw_emitter *e, const rw_front *w)
{
    return groups_a_unit(e, w) * RW_MAX(e->target->units, 16);
}

/* Registers, empty, and the first layers of those loaded ahead. */
static void emit_start(rw_emitter *e, const rw_front *w)
{
    char to[80], layer[40];
    ADD("    EACH(n, 2 * VERSIONS * LAYER) { shared[n] = 0; }\n    BARRIER;\n    EACH(t, WIDTH * HEIGHT) {\n");
    emit_column(e, "        ");
    for (int i = 0; i < w->nversions; ++i) {
        for (int a = 0; a <= w->v[i].oldest; ++a) ADD("        AT(w%d_%d, t) = 0;\n", i, a);
        for (int d = 0; w->v[i].pass < 0 && d < w->ahead; ++d) {
            snprintf(to, sizeof to, "        AT_N(a%d, %d, t)", i, d);
            snprintf(layer, sizeof layer, "(begin - %d)", w->margin[w->walk] - d);
            emit_layer_load(e, w->v + i, to, layer);
        }
    }
    snprintf(layer, sizeof layer, "(begin - %d)", w->margin[w->walk]);
    emit_others(e, w, layer, false);
    ADD("    }\n");
}

/* Every value one layer older; the newest of those that are loaded. */
static void emit_shift(rw_emitter *e, const rw_front *w)
{
    char to[80], layer[40];
    for (int i = 0; i < w->nversions; ++i) {
        for (int a = w->v[i].oldest; a > 0; --a) ADD("            AT(w%d_%d, t) = AT(w%d_%d, t);\n", i, a, i, a - 1);
        if (w->v[i].pass >= 0) continue;
        if (!w->ahead) {
            snprintf(to, sizeof to, "            AT(w%d_0, t)", i);
            emit_layer_load(e, w->v + i, to, "layer");
            continue;
        }
        ADD("            AT(w%d_0, t) = AT_N(a%d, 0, t);\n", i, i);
        for (int d = 0; d + 1 < w->ahead; ++d)
            ADD("            AT_N(a%d, %d, t) = AT_N(a%d, %d, t);\n", i, d, i, d + 1);
        snprintf(to, sizeof to, "            AT_N(a%d, %d, t)", i, w->ahead - 1);
        snprintf(layer, sizeof layer, "(layer + %d)", w->ahead);
        emit_layer_load(e, w->v + i, to, layer);
    }
}

/* The passes are written twice, once for layers where all lanes have their neighbours: the choices that other layers
 * need are half of the instructions. Planes have not enough registers for that, and take it only where a value beyond a
 * side would cost more. */
static bool has_layers_inside(const rw_emitter *e, const rw_front *w)
{
    if (w->walk == 1) return !rw_axis_is_periodic(e->g, 0) || !rw_axis_is_periodic(e->g, 1);
    for (int i = 0; i < w->nversions && e->g->layout == RW_GRID_CELL; ++i)
        for (int s = 0; s < 2 * e->g->grid.ndim; ++s)
            if (e->g->fields[w->v[i].field].boundary[s].kind == RW_BOUNDARY_ROBIN) return true;
    return false;
}

/* All lanes and rows of a layer, of all passes, have their neighbours. */
static void emit_is_inside(rw_emitter *e, const rw_front *w)
{
    const int walk = w->walk;
    const char *and = "";
    ADD("            if (");
    for (int d = walk; d >= 0; --d) {
        if (rw_axis_is_periodic(e->g, d)) continue;
        const char N = rw_size_letter[d], x = rw_axis_letter[d];
        if (d == walk) ADD("layer >= %d && layer < N%c - %d", w->pad[d] + w->lag[w->last - w->first], N, w->pad[d]);
        else ADD("%s%c0 >= %d && %c0 + %s <= N%c - %d", and, x, w->pad[d], x, d ? "HEIGHT" : "WIDTH", N, w->pad[d]);
        and = " && ";
    }
    ADD(") {\n");
}

rw_status rw_wave_emit(rw_emitter *e)
{
    rw_front *w = e->state;
    const char *own = w->walk == 2 ? " && t / WIDTH >= MARGIN_Y && t / WIDTH < HEIGHT - MARGIN_Y && y < NY" : "";
    const char *column = w->walk == 2 ? "t % WIDTH" : "t";
    emit_sizes(e, w);
    RW_TRY(rw_emit_front_sides(e));
    /* they take longest: as the last ones they would run alone */
    w->sides_first = w->walk == 1 && !rw_axis_is_periodic(e->g, 0) && e->k->tiling.tiles[0] > 2;
    e->k->groups_a_unit = groups_a_unit(e, w);
    rw_emit_head(e);
    ADD("    SHARED(real, shared, 2 * VERSIONS * LAYER);\n");
    for (int i = 0; i < w->nversions; ++i) {
        for (int a = 0; a <= w->v[i].oldest; ++a) ADD("    PRIVATE(real, w%d_%d);\n", i, a);
        if (w->v[i].pass < 0 && w->ahead) ADD("    PRIVATE_N(real, a%d, %d);\n", i, w->ahead);
    }
    for (int pass = w->first; pass <= w->last; ++pass)
        for (int n = -1; (n = next_other(e, w, pass, n)) >= 0;)
            ADD("    PRIVATE(real, g%d_%d);\n", n, w->lag[pass - w->first]);
    rw_emit_front_place(e, ";\n", "");
    ADD("    int b = 0;\n");
    emit_start(e, w);
    ADD("    UNROLL_BY(%d)\n    for (INDEX layer = begin - %d; layer < end + %d; ++layer) {\n"
        "        EACH(t, WIDTH * HEIGHT) {\n",
        w->ahead ? w->ahead : 1, w->margin[w->walk], w->lag[w->last - w->first]);
    for (int i = 0; i < w->nversions; ++i)
        for (int a = 1; a < RW_FRONT_AGES; ++a)
            if (w->v[i].shared[a] >= 0)
                ADD("            shared[(b * VERSIONS + %d) * LAYER + CELL(t)] = AT(w%d_%d, t);\n", w->v[i].shared[a],
                    i, a - 1);
    ADD("        }\n        BARRIER;\n        EACH(t, WIDTH * HEIGHT) {\n");
    emit_column(e, "            ");
    ADD("            const int own = %s >= MARGIN && %s < WIDTH - MARGIN && x < NX%s;\n", column, column, own);
    emit_shift(e, w);
    emit_others(e, w, "(layer + 1)", true);
    const char *const held[2] = {e->index[0], e->index[1]};
    e->index[0] = rw_axis_is_periodic(e->g, 0) ? "i" : "x";
    if (w->walk == 2) e->index[1] = rw_axis_is_periodic(e->g, 1) ? "j" : "y";
    const bool apart = has_layers_inside(e, w);
    if (apart) {
        emit_is_inside(e, w);
        e->inside = w->pad;
        for (int pass = w->first; pass <= w->last; ++pass) emit_pass(e, pass);
        e->inside = NULL;
        ADD("            } else {\n");
    }
    for (int pass = w->first; pass <= w->last; ++pass) emit_pass(e, pass);
    if (apart) ADD("            }\n");
    e->index[0] = held[0];
    e->index[1] = held[1];
    e->pass = w->first;
    ADD("        }\n        b ^= 1;\n    }\n}\n");
    return RW_OK;
}

rw_status rw_wave_suits(rw_emitter *e, bool forced, bool *suits)
{
    const rw_tuning *c = e->tuning;
    const rw_front_kind kind = {.choose_layers = choose_layers,
                                .fits = fits,
                                .pass_bytes = c->wave_pass_bytes,
                                .at_once = groups_at_once,
                                .layers = c->wave_layers};
    e->field = emit_field;
    return rw_front_find(e, &kind, forced, suits);
}
