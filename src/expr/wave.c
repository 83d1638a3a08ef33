/* Several passes in one kernel over a large grid, by a wave front. A group takes a strip of columns (of a grid of three dimensions a column of
 * rectangles) and walks along it; when it has loaded layer r, a row or a plane, the first pass does layer r - 1, the second layer r - 2, and
 * so on, so that between the first read and the last write nothing goes through memory.
 *
 *   lag of a pass     how many layers it is behind the loads
 *   version           a field as it was before the kernel, or as a pass leaves it. Each item keeps its column's last
 *                     values in registers, w3_0 the newest, w3_1 the one before …: age 0, 1, …
 *   i, j              the item's place in the grid; items beyond a side repeat the last one, so that they read nothing outside
 *   shared            what neighbours within the layer want to read lies in shared memory too, in two buffers in turn, so that one
 *                     barrier a layer is enough
 *
 * A strip has as many cells more on its sides, and a walk as many layers more, as the passes read beside a cell: these are computed
 * twice; more passes save less and compute more twice, which cost_of weighs. Values beyond the sides of the grid come from functions
 * as elsewhere (sides.c). */
#include "expr/wave.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 6, PLANES_AHEAD = 4 };

static bool is_kept(const rw_wave *w, const rw_store *s) { return s && s->pass >= w->first && s->pass <= w->last; }

static rw_wave_value *find(rw_wave *w, int field, int number, bool loaded)
{
    for (int i = 0; i < w->nversions; ++i)
        if (w->v[i].field == field && w->v[i].version == number && (w->v[i].pass < 0) == loaded) return w->v + i;
    return NULL;
}

/* What a read refers to: a version, and whether an earlier pass of the kernel makes it. */
rw_wave_value *rw_wave_version(const rw_plan *plan, rw_wave *w, const rw_graph_node *p, bool add)
{
    const rw_store *s = rw_store_of(plan, p);
    bool kept = is_kept(w, s);
    rw_wave_value *v = find(w, p->index, kept ? p->version : 0, !kept);
    if (v || !add || w->nversions == RW_WAVE_VERSIONS) return v;
    v = w->v + w->nversions++;
    *v = (rw_wave_value){.field = p->index, .version = kept ? p->version : 0, .pass = kept ? s->pass : -1};
    for (int a = 0; a < RW_WAVE_AGES; ++a) v->shared[a] = -1;
    return v;
}

rw_wave_value *rw_wave_made(rw_wave *w, const rw_store *store) { return find(w, store->field, store->version, false); }

bool rw_wave_reads(const rw_plan *plan, const rw_pass_use *use, int pass, int n)
{
    const rw_graph_node *p = plan->graph->nodes + n;
    return use->needed[n] && p->op == RW_OP_FIELD && !rw_plan_forward(plan, pass, p);
}

/* Read at another place of the same layer. */
static bool is_across(const rw_wave *w, const rw_graph_node *field) { return field->offset[0] || (w->walk == 2 && field->offset[1]); }

/* How many cells beside the tile each pass must do, and how many must be loaded. */
static void find_margins(const rw_plan *plan, rw_wave *w)
{
    memset(w->beside, 0, sizeof w->beside), memset(w->margin, 0, sizeof w->margin);
    for (int q = w->last; q >= w->first; --q)
        for (int n = 0; n < w->use[q - w->first].nnodes; ++n) {
            const rw_graph_node *p = plan->graph->nodes + n;
            if (!rw_wave_reads(plan, &w->use[q - w->first], q, n)) continue;
            const rw_wave_value *v = rw_wave_version(plan, w, p, false);
            int *cells = v->pass >= 0 ? w->beside[v->pass - w->first] : w->margin;
            for (int d = 0; d < 3; ++d) cells[d] = RW_MAX(cells[d], w->beside[q - w->first][d] + abs(p->offset[d]));
        }
    for (int q = w->first; q <= w->last; ++q)
        for (int d = 0; d < 3; ++d) w->margin[d] = RW_MAX(w->margin[d], w->beside[q - w->first][d]);
}

/* Lags and ages with passes first … last; false when they do not fit. */
static bool arrange(const rw_plan *plan, rw_wave *w)
{
    const rw_graph *g = plan->graph;
    int *reach = w->pad;
    memset(w->pad, 0, sizeof w->pad);
    w->nversions = w->nshared = 0;
    for (int q = w->first; q <= w->last; ++q) {
        const rw_pass_use *use = &w->use[q - w->first];
        int *lag = &w->lag[q - w->first];
        *lag = q > w->first ? w->lag[q - w->first - 1] : 0;
        for (int n = 0; n < use->nnodes; ++n) {
            const rw_graph_node *p = g->nodes + n;
            if (!use->needed[n]) continue;
            if (p->op == RW_OP_REDUCE && rw_plan_reduction(plan, n)->pass >= w->first) return false;
            if (!rw_wave_reads(plan, use, q, n)) continue;
            rw_wave_value *v = rw_wave_version(plan, w, p, true);
            if (!v || rw_is_mixed(p) || p->is_complex) return false;
            for (int d = 0; d < 3; ++d) reach[d] = RW_MAX(reach[d], abs(p->offset[d]));
            if (v->pass >= 0) v->lag = w->lag[v->pass - w->first];
            *lag = RW_MAX(*lag, v->lag + RW_MAX(abs(p->offset[w->walk]), is_across(w, p)));
        }
    }
    for (int q = w->first; q <= w->last; ++q) /* lags are known: ages */
        for (int n = 0; n < w->use[q - w->first].nnodes; ++n) {
            const rw_graph_node *p = g->nodes + n;
            if (!rw_wave_reads(plan, &w->use[q - w->first], q, n)) continue;
            rw_wave_value *v = rw_wave_version(plan, w, p, false);
            int age = w->lag[q - w->first] - v->lag, along = abs(p->offset[w->walk]);
            v->oldest = RW_MAX(v->oldest, age + along);
            if (age + along >= RW_WAVE_AGES) return false;
            if (is_across(w, p) && v->shared[age] < 0) v->shared[age] = w->nshared++;
        }
    find_margins(plan, w);
    for (int d = 1; d <= w->walk; ++d)
        if (!rw_axis_is_periodic(g, d) && (reach[d] > 1 || g->order != 2)) return false;
    return true;
}

static int registers(const rw_wave *w)
{
    int n = 0;
    for (int i = 0; i < w->nversions; ++i) n += w->v[i].oldest + 1 + (w->v[i].pass < 0 ? w->ahead : 0);
    return n;
}

/* Layers of rings: as many cells as a processor's caches hold for all of them, or, for tests, few. Layers of a GPU: an item for each cell;
 * OpenCL's compilers give items of larger groups too few registers. */
static void choose_layers(const rw_graph *g, const rw_target *dev, rw_wave *w, bool forced)
{
    const int64_t *n = g->grid.size;
    w->height = 1;
    if (!w->rings) {
        if (w->walk == 2) w->width = 32, w->height = RW_MIN(512, dev->group_most) / 32;
        return;
    }
    const int64_t most = dev->shared_memory / 8 * 7; /* the rest: the compiler's own */
    if (w->walk == 1) {
        int64_t bytes = RW_MIN(forced ? 1 << 15 : 1 << 19, most), columns = bytes / 8 / rw_ring_layers(w) / 32 * 32;
        w->width = (int)RW_MIN(RW_MIN(RW_MAX(columns, 64), forced ? 64 : 1024), n[0] + 2 * w->margin[0]);
    } else {
        int64_t bytes = RW_MIN(forced ? 1 << 18 : 3 << 19, most), cells = bytes / 8 / rw_ring_layers(w);
        w->width = (int)RW_MIN(forced ? 32 : 256, n[0] + 2 * w->margin[0]);
        w->height = (int)RW_MAX(RW_MIN(cells / (w->width + 32), n[1] + 2 * w->margin[1]), 1); /* rows have cells beside them */
    }
}

static void choose_tiles(const rw_graph *g, const rw_target *dev, rw_wave *w)
{
    rw_tiling *t = &w->tiling;
    const int64_t *n = g->grid.size;
    int64_t enough = w->rings ? 4 * dev->units : 12 * RW_MAX(dev->units, 16), layers = w->rings ? 512 : 256;
    int walk = w->walk;
    memset(t, 0, sizeof *t);
    t->group = t->group_x = w->rings ? 256 : w->width * w->height;
    t->tile[0] = w->width - 2 * w->margin[0], t->tile[1] = w->height - 2 * w->margin[1], t->tile[2] = 1;
    t->tile[walk] = layers;
    for (;; t->tile[walk] /= 2) {
        t->groups = 1;
        for (int d = 0; d < 3; ++d) t->groups *= t->tiles[d] = (n[d] + t->tile[d] - 1) / t->tile[d];
        if (t->groups >= enough || t->tile[walk] <= layers / 8) break;
    }
    t->narrow = n[0] * n[1] * n[2] < INT32_MAX / 2;
}

/* Bytes a pass and cell: what the kernel loads, with the cells beside the tile, and stores, and the time of its arithmetic as bytes. */
static double cost_of(const rw_plan *plan, const rw_wave *w)
{
    const rw_graph *g = plan->graph;
    double arithmetic = w->rings ? 5 : 4, passes = w->last - w->first + 1, loaded = 0, stored = 0, own = 1;
    for (int i = 0; i < w->nversions; ++i)
        if (w->v[i].pass < 0) loaded += (double)rw_dtype_size(g->fields[w->v[i].field].dtype);
    for (int f = 0; f < g->nfields; ++f)
        if (rw_final_store(plan, w->first, w->last, f)) stored += (double)rw_dtype_size(g->fields[f].dtype);
    if (passes > 1) own *= 1 - 2.0 * w->margin[0] / w->width; /* a pass by itself is another kernel */
    if (passes > 1 && w->walk == 2) own *= 1 - 2.0 * w->margin[1] / w->height;
    return ((loaded + passes * arithmetic) / own + stored) / passes;
}

static bool has_reductions(const rw_plan *plan, int pass)
{
    for (int i = 0; i < plan->nreductions; ++i)
        if (plan->reductions[i].pass == pass) return true;
    return false;
}

void rw_wave_free(rw_wave *w)
{
    for (int i = 0; w && i < RW_WAVE_PASSES; ++i) rw_pass_use_free(&w->use[i]);
    rw_free(w);
}

bool rw_wave_suits(const rw_grid *grid)
{
    return grid->ndim >= 2 && grid->size[0] * grid->size[1] * grid->size[2] > RW_FUSED_CELLS;
}

/* Bytes of shared memory for layers that neighbours read: they are written and read in turn. */
static int64_t shared_bytes(const rw_wave *w)
{
    int64_t pad_y = w->walk == 2 ? 2 * w->pad[1] : 0;
    return (w->height + pad_y) * (w->width + 2 * w->pad[0]) * 2 * RW_MAX(w->nshared, 1) * 8;
}

/* A GPU's item holds 48 values in registers, its group 48 kB; rings take what they need. */
static bool fits(const rw_wave *w)
{
    bool enough = 3 * w->margin[0] <= w->width && (w->walk == 1 || 3 * w->margin[1] <= w->height);
    return enough && (w->rings ? rw_ring_layers(w) <= 120 : registers(w) <= 48 && shared_bytes(w) <= 49152);
}

/* As many passes as are worth it, where there is room for them and few enough scalars. */
rw_status rw_wave_fuse(rw_emitter *e, const rw_target *dev, bool forced, bool rings)
{
    const rw_plan *plan = e->plan;
    const rw_graph *g = e->g;
    int first = e->k->first, last = -1;
    int64_t cells = g->grid.size[0] * g->grid.size[1] * g->grid.size[2];
    if (first + 1 >= plan->npasses || g->grid.ndim < 2 || cells == 0 || !rw_sides_agree(g)) return RW_OK;
    if (!forced && !rw_wave_suits(&g->grid)) return RW_OK;
    rw_wave *w = rw_calloc(1, sizeof *w);
    if (!w) return rw_fail_memory(g->ctx, sizeof *w, "a plan");
    rw_status status = RW_OK;
    double cost = INFINITY;
    w->first = first, w->walk = g->grid.ndim - 1, w->rings = rings, w->ahead = dev->class != RW_GPU || rings ? 0 : w->walk == 2 ? PLANES_AHEAD : AHEAD;
    w->width = dev->class == RW_GPU ? 128 : 64;
    for (int q = first; q < plan->npasses && q - first < RW_WAVE_PASSES; ++q) {
        status = rw_plan_use(plan, q, &w->use[q - first]);
        w->last = q;
        if (status != RW_OK || has_reductions(plan, q) || rw_use_is_f32(g, &w->use[q - first]) != rw_use_is_f32(g, &w->use[0])) break;
        if (!arrange(plan, w) || rw_count_scalars(w->use, q - first + 1) > 110) break;
        choose_layers(g, dev, w, forced);
        if (!fits(w)) break;
        if (q > first && (forced || cost_of(plan, w) < cost)) last = q;
        if (q == first || last == q) cost = cost_of(plan, w);
    }
    if (status != RW_OK || last < 0) {
        rw_wave_free(w);
        return status;
    }
    w->last = last;
    arrange(plan, w), choose_layers(g, dev, w, forced);
    choose_tiles(g, dev, w);
    e->wave = w, e->k->last = last, e->k->tiling = w->tiling;
    return rw_join_uses(e, w->use, first, last);
}

/* Another group may still read what was there before. */
bool rw_wave_beside(const rw_emitter *e, int field) { return e->use.read[field]; }

/* ---- text ----------------------------------------------------------------------------------------------------------- */

static int number_of(const rw_wave *w, const rw_wave_value *v) { return (int)(v - w->v); }

/* A place in a layer of shared memory, `dx` and `dy` beside the item. */
static const char *beside_item(const rw_emitter *e, int shared, int dx, int dy, char *to, size_t size)
{
    if (e->wave->walk == 2) snprintf(to, size, "shared[(b * VERSIONS + %d) * LAYER + CELL(t) + (%d) + (%d) * PITCH]", shared, dx, dy);
    else snprintf(to, size, "shared[(b * VERSIONS + %d) * LAYER + CELL(t) + (%d)]", shared, dx);
    return to;
}

void rw_emit_wave_value(rw_emitter *e, const rw_graph_node *p)
{
    rw_wave *w = e->wave;
    const rw_wave_value *v = rw_wave_version(e->plan, w, p, false);
    if (w->rings) {
        rw_emit_ring_value(e, p);
        return;
    }
    int n = number_of(w, v), age = w->lag[e->pass - w->first] - v->lag, axis = 0;
    while (axis < w->walk && !p->offset[axis]) ++axis;
    int by = p->offset[axis];
    bool wraps = rw_axis_is_periodic(e->g, axis);
    const char *name = e->g->fields[p->index].name, *names = rw_text_of(&e->uniform_names);
    char q = rw_index_letter[axis], N = rw_size_letter[axis], at[96], inside[96], place[40];
    if (!by) {
        ADD("AT(w%d_%d, t)", n, age);
        return;
    }
    if (axis == w->walk) snprintf(at, sizeof at, "AT(w%d_%d, t)", n, age - by), snprintf(inside, sizeof inside, "AT(w%d_%d, t)", n, age + by);
    else {
        beside_item(e, v->shared[age], axis == 0 ? by : 0, axis == 1 ? by : 0, at, sizeof at);
        beside_item(e, v->shared[age], axis == 0 ? -by : 0, axis == 1 ? -by : 0, inside, sizeof inside);
    }
    if (wraps) {
        ADD("%s", at);
        return;
    }
    snprintf(place, sizeof place, axis == 0 ? "i + (%d), j, k" : axis == 1 ? "i, j + (%d), k" : "i, j, k + (%d)", by);
    if (by < 0) ADD("%c >= %d ? %s : ", q, -by, at);
    else ADD("%c < N%c - %d ? %s : ", q, N, by, at);
    if (axis == 0) /* from the row; else from the value itself and the one farther inside */
        ADD("near_%s_x%d(shared + (b * VERSIONS + %d) * LAYER%s, x0 - PAD, %s%s)", name, by > 0, v->shared[age],
            w->walk == 2 ? " + (t / WIDTH + PAD_Y) * PITCH" : "", place, names);
    else ADD("near_%s_%c%d(AT(w%d_%d, t), %s, %s%s)", name, rw_axis_letter[axis], by > 0, n, age, inside, place, names);
}

static void emit_load(rw_emitter *e, const rw_wave_value *v, const char *to, const char *layer)
{
    int walk = e->wave->walk;
    bool wraps = rw_axis_is_periodic(e->g, walk);
    char N = rw_size_letter[walk];
    ADD("%s = ", to);
    if (!wraps) ADD("%s < 0 || %s >= N%c ? (real)0 : ", layer, layer, N);
    ADD("(real)f_%s[", e->g->fields[v->field].name);
    if (wraps) ADD("((%s + N%c) %% N%c + N%c) %% N%c", layer, N, N, N, N);
    else ADD("(INDEX)(%s)", layer);
    ADD(walk == 2 ? " * (NX * NY) + j * NX + i];\n" : " * NX + i];\n");
}

static void emit_pass(rw_emitter *e, int pass)
{
    rw_wave *w = e->wave;
    char q = rw_index_letter[w->walk], N = rw_size_letter[w->walk];
    e->pass = pass;
    rw_pass_use all = e->use;
    e->use = w->use[pass - w->first];
    ADD("            {\n            const INDEX r = layer - %d, %c = ", w->lag[pass - w->first], q);
    if (rw_axis_is_periodic(e->g, w->walk)) ADD("((r + N%c) %% N%c + N%c) %% N%c", N, N, N, N);
    else ADD("r");
    ADD(", c = (k * NY + j) * NX + i;\n            const int mine = own && r >= begin && r < end;\n            (void)c;\n");
    rw_emit_nodes(e, e->use.needed, "            ");
    for (int i = 0; i < e->plan->nstores; ++i) {
        const rw_store *s = e->plan->stores + i;
        char to[160];
        if (s->pass != pass || s->dead) continue;
        const rw_wave_value *v = rw_wave_made(w, s);
        if (v) ADD("            AT(w%d_0, t) = %s;\n", number_of(w, v), rw_word(e, s->value));
        if (s != rw_final_store(e->plan, w->first, w->last, s->field)) continue;
        snprintf(to, sizeof to, "    if (mine) %c_%s[c]", all.read[s->field] ? 'o' : 'f', e->g->fields[s->field].name);
        rw_emit_assign(e, s, to);
    }
    ADD("            }\n");
    e->use = all;
}

/* const INDEX i, j: the item's column. */
static void emit_column(rw_emitter *e, const char *indent)
{
    bool planes = e->wave->walk == 2;
    ADD("%sconst INDEX x = x0 + %s, i = %s;\n%s(void)i;\n", indent, planes ? "t % WIDTH" : "t",
        rw_axis_is_periodic(e->g, 0) ? "(x % NX + NX) % NX" : "x < 0 ? 0 : x < NX ? x : NX - 1", indent);
    if (planes)
        ADD("%sconst INDEX y = y0 + t / WIDTH, j = %s;\n%s(void)j;\n", indent,
            rw_axis_is_periodic(e->g, 1) ? "(y % NY + NY) % NY" : "y < 0 ? 0 : y < NY ? y : NY - 1", indent);
}

static void emit_sizes(rw_emitter *e)
{
    const rw_wave *w = e->wave;
    ADD("#define WIDTH %d\n#define HEIGHT %d\n#define MARGIN %d\n#define PAD %d\n#define PITCH (WIDTH + 2 * PAD)\n", w->width, w->height, w->margin[0], w->pad[0]);
    if (w->walk == 2)
        ADD("#define MARGIN_Y %d\n#define PAD_Y %d\n#define CELL(t) (((t) / WIDTH + PAD_Y) * PITCH + (t) %% WIDTH + PAD)\n", w->margin[1], w->pad[1]);
    else ADD("#define CELL(t) ((t) + PAD)\n");
    ADD("#define LAYER ((HEIGHT + %d) * PITCH)\n#define VERSIONS %d\n", w->walk == 2 ? 2 * w->pad[1] : 0, RW_MAX(w->nshared, 1));
}

/* Where the group's column of cells begins. */
static void emit_place(rw_emitter *e)
{
    int walk = e->wave->walk;
    char N = rw_size_letter[walk];
    ADD("    const INDEX x0 = (INDEX)(GROUP_ID(0) %% TILES_X) * TILE_X - MARGIN;\n");
    if (walk == 2)
        ADD("    const INDEX y0 = (INDEX)(GROUP_ID(0) / TILES_X %% TILES_Y) * TILE_Y - MARGIN_Y;\n"
            "    const INDEX begin = (INDEX)(GROUP_ID(0) / (TILES_X * TILES_Y)) * TILE_Z;\n");
    else ADD("    const INDEX begin = (INDEX)(GROUP_ID(0) / TILES_X) * TILE_Y, k = 0;\n");
    ADD("    const INDEX end = begin + TILE_%c < N%c ? begin + TILE_%c : N%c;\n    int b = 0;\n", N, N, N, N);
}

/* So many that registers last. */
static int groups_a_unit(const rw_wave *w)
{
    if (w->walk == 2) return registers(w) > 26 ? 1 : 2;
    return registers(w) > 40 ? 4 : 5;
}

rw_status rw_emit_wave(rw_emitter *e)
{
    rw_wave *w = e->wave;
    if (w->rings) return rw_emit_rings(e);
    const char *own = w->walk == 2 ? " && t / WIDTH >= MARGIN_Y && t / WIDTH < HEIGHT - MARGIN_Y && y < NY" : "";
    const char *column = w->walk == 2 ? "t % WIDTH" : "t";
    char to[80], layer[40];
    emit_sizes(e);
    for (int f = 0; f < e->g->nfields; ++f) RW_TRY(rw_emit_near(e, f));
    e->k->groups_a_unit = groups_a_unit(w);
    ADD("KERNEL(run%s%s)\n{\n    SHARED(real, shared, 2 * VERSIONS * LAYER);\n", rw_text_of(&e->arrays), rw_text_of(&e->uniforms));
    for (int i = 0; i < w->nversions; ++i) {
        for (int a = 0; a <= w->v[i].oldest; ++a) ADD("    PRIVATE(real, w%d_%d);\n", i, a);
        if (w->v[i].pass < 0 && w->ahead) ADD("    PRIVATE_N(real, a%d, %d);\n", i, w->ahead);
    }
    emit_place(e);
    ADD("    EACH(n, 2 * VERSIONS * LAYER) { shared[n] = 0; }\n    BARRIER;\n    EACH(t, WIDTH * HEIGHT) {\n");
    emit_column(e, "        ");
    for (int i = 0; i < w->nversions; ++i) {
        for (int a = 0; a <= w->v[i].oldest; ++a) ADD("        AT(w%d_%d, t) = 0;\n", i, a);
        for (int d = 0; w->v[i].pass < 0 && d < w->ahead; ++d) {
            snprintf(to, sizeof to, "        AT_N(a%d, %d, t)", i, d), snprintf(layer, sizeof layer, "(begin - %d)", w->margin[w->walk] - d);
            emit_load(e, w->v + i, to, layer);
        }
    }
    ADD("    }\n    UNROLL_BY(%d)\n    for (INDEX layer = begin - %d; layer < end + %d; ++layer) {\n        EACH(t, WIDTH * HEIGHT) {\n",
        w->ahead ? w->ahead : 1, w->margin[w->walk], w->lag[w->last - w->first]);
    for (int i = 0; i < w->nversions; ++i)
        for (int a = 1; a < RW_WAVE_AGES; ++a)
            if (w->v[i].shared[a] >= 0)
                ADD("            shared[(b * VERSIONS + %d) * LAYER + CELL(t)] = AT(w%d_%d, t);\n", w->v[i].shared[a], i, a - 1);
    ADD("        }\n        BARRIER;\n        EACH(t, WIDTH * HEIGHT) {\n");
    emit_column(e, "            ");
    ADD("            const int own = %s >= MARGIN && %s < WIDTH - MARGIN && x < NX%s;\n", column, column, own);
    for (int i = 0; i < w->nversions; ++i) {
        for (int a = w->v[i].oldest; a > 0; --a) ADD("            AT(w%d_%d, t) = AT(w%d_%d, t);\n", i, a, i, a - 1);
        if (w->v[i].pass >= 0) continue;
        if (!w->ahead) {
            snprintf(to, sizeof to, "            AT(w%d_0, t)", i);
            emit_load(e, w->v + i, to, "layer");
            continue;
        }
        ADD("            AT(w%d_0, t) = AT_N(a%d, 0, t);\n", i, i);
        for (int d = 0; d + 1 < w->ahead; ++d) ADD("            AT_N(a%d, %d, t) = AT_N(a%d, %d, t);\n", i, d, i, d + 1);
        snprintf(to, sizeof to, "            AT_N(a%d, %d, t)", i, w->ahead - 1);
        snprintf(layer, sizeof layer, "(layer + %d)", w->ahead);
        emit_load(e, w->v + i, to, layer);
    }
    for (int pass = w->first; pass <= w->last; ++pass) emit_pass(e, pass);
    e->pass = w->first;
    ADD("        }\n        b ^= 1;\n    }\n}\n");
    return RW_OK;
}
