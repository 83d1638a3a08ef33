/* Several passes in one kernel over a large grid of two dimensions, by a wave front. A group takes a strip of columns and
 * walks along it; when it has loaded row r, the first pass does row r - 1, the second row r - 2, and so on, so that
 * between the first read and the last write nothing goes through memory.
 *
 *   lag of a pass     how many rows it is behind the loads
 *   version           a field as it was before the kernel, or as a pass leaves it. Each item keeps its column's last
 *                     values in registers, w3_0 the newest, w3_1 the one before …: age 0, 1, …
 *   i                 column of the grid; items beyond a side repeat the last one, so that they read nothing outside
 *   rows              what neighbours in x want to read lies in shared memory too, in two buffers in turn, so that one
 *                     barrier a row is enough
 *
 * A strip has as many columns more on both sides, and a walk as many rows more, as the passes read beside a cell: these
 * are computed twice. Values beyond the sides of the grid come from functions as elsewhere (sides.c). */
#include "expr/wave.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 6 };

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

/* How many columns and rows beside the tile each pass must do, and how many must be loaded. */
static void find_margins(const rw_plan *plan, rw_wave *w)
{
    memset(w->columns, 0, sizeof w->columns), memset(w->rows, 0, sizeof w->rows);
    w->margin = w->above = 0;
    for (int q = w->last; q >= w->first; --q)
        for (int n = 0; n < w->use[q - w->first].nnodes; ++n) {
            const rw_graph_node *p = plan->graph->nodes + n;
            if (!rw_wave_reads(plan, &w->use[q - w->first], q, n)) continue;
            const rw_wave_value *v = rw_wave_version(plan, w, p, false);
            int *columns = v->pass >= 0 ? &w->columns[v->pass - w->first] : &w->margin;
            int *rows = v->pass >= 0 ? &w->rows[v->pass - w->first] : &w->above;
            *columns = RW_MAX(*columns, w->columns[q - w->first] + abs(p->offset[0]));
            *rows = RW_MAX(*rows, w->rows[q - w->first] + abs(p->offset[1]));
        }
    for (int q = w->first; q <= w->last; ++q)
        w->margin = RW_MAX(w->margin, w->columns[q - w->first]), w->above = RW_MAX(w->above, w->rows[q - w->first]);
}

/* Lags and ages with passes first … last; false when they do not fit. */
static bool arrange(const rw_plan *plan, rw_wave *w)
{
    const rw_graph *g = plan->graph;
    int reach_y = 0;
    w->nversions = w->nrows = 0;
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
            int dy = abs(p->offset[1]);
            reach_y = RW_MAX(reach_y, dy);
            if (v->pass >= 0) v->lag = w->lag[v->pass - w->first];
            *lag = RW_MAX(*lag, v->lag + RW_MAX(dy, p->offset[0] != 0));
        }
    }
    for (int q = w->first; q <= w->last; ++q) /* lags are known: ages */
        for (int n = 0; n < w->use[q - w->first].nnodes; ++n) {
            const rw_graph_node *p = g->nodes + n;
            if (!rw_wave_reads(plan, &w->use[q - w->first], q, n)) continue;
            rw_wave_value *v = rw_wave_version(plan, w, p, false);
            int age = w->lag[q - w->first] - v->lag, dy = abs(p->offset[1]);
            v->oldest = RW_MAX(v->oldest, age + dy);
            if (age + dy >= RW_WAVE_AGES) return false;
            if (p->offset[0] && v->shared[age] < 0) v->shared[age] = w->nrows++;
        }
    find_margins(plan, w);
    return rw_axis_is_periodic(g, 1) || (reach_y <= 1 && g->order == 2);
}

static int registers(const rw_wave *w)
{
    int n = 0;
    for (int i = 0; i < w->nversions; ++i) n += w->v[i].oldest + 1 + (w->v[i].pass < 0 ? w->ahead : 0);
    return n;
}

/* Columns of a group of rings: as many as a processor's caches hold for all rows, or, for tests, few. */
static int ring_width(const rw_graph *g, const rw_wave *w, bool forced)
{
    int64_t bytes = forced ? 1 << 15 : 1 << 19, columns = bytes / 8 / rw_ring_rows(w) / 32 * 32;
    columns = RW_MIN(RW_MAX(columns, 64), forced ? 64 : 1024);
    return (int)RW_MIN(columns, g->grid.size[0] + 2 * w->margin);
}

static void choose_tiles(const rw_graph *g, const rw_device_properties *dev, rw_wave *w)
{
    rw_tiling *t = &w->tiling;
    const int64_t *n = g->grid.size;
    int64_t enough = w->rings ? 4 * dev->units : 12 * RW_MAX(dev->units, 16), rows = w->rings ? 512 : 256;
    memset(t, 0, sizeof *t);
    t->group = t->group_x = w->rings ? 256 : w->width;
    t->tile[0] = w->width - 2 * w->margin, t->tile[2] = t->tiles[2] = 1;
    t->tiles[0] = (n[0] + t->tile[0] - 1) / t->tile[0];
    t->tile[1] = rows;
    while (t->tile[1] > rows / 8 && t->tiles[0] * ((n[1] + t->tile[1] - 1) / t->tile[1]) < enough) t->tile[1] /= 2;
    t->tiles[1] = (n[1] + t->tile[1] - 1) / t->tile[1];
    t->groups = t->tiles[0] * t->tiles[1];
    t->narrow = n[0] * n[1] < INT32_MAX / 2;
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
    return grid->ndim == 2 && grid->size[0] * grid->size[1] > RW_FUSED_CELLS;
}

/* A GPU's item holds 48 values in registers; rings take what they need. */
static bool fits(const rw_wave *w)
{
    return (w->rings ? rw_ring_rows(w) <= 120 : registers(w) <= 48) && 4 * w->margin <= w->width;
}

/* As many passes as there is room for, and few enough scalars. */
rw_status rw_wave_fuse(rw_emitter *e, const rw_device_properties *dev, bool forced, bool rings)
{
    const rw_plan *plan = e->plan;
    const rw_graph *g = e->g;
    int first = e->k->first, last = -1;
    int64_t cells = g->grid.size[0] * g->grid.size[1] * g->grid.size[2];
    if (first + 1 >= plan->npasses || g->grid.ndim != 2 || cells == 0 || !rw_sides_agree(g)) return RW_OK;
    if (!forced && !rw_wave_suits(&g->grid)) return RW_OK;
    rw_wave *w = rw_calloc(1, sizeof *w);
    if (!w) return rw_fail_memory(g->ctx, sizeof *w, "a plan");
    rw_status status = RW_OK;
    w->first = first, w->rings = rings, w->ahead = dev->gpu && !rings ? AHEAD : 0;
    w->width = rings ? 1024 : dev->gpu ? 128 : 64;
    for (int q = first; q < plan->npasses && q - first < RW_WAVE_PASSES; ++q) {
        status = rw_plan_use(plan, q, &w->use[q - first]);
        w->last = q;
        if (status != RW_OK || has_reductions(plan, q) || rw_use_is_f32(g, &w->use[q - first]) != rw_use_is_f32(g, &w->use[0])) break;
        if (!arrange(plan, w) || !fits(w) || rw_count_scalars(w->use, q - first + 1) > 110) break;
        if (q > first) last = q;
    }
    if (status != RW_OK || last < 0) {
        rw_wave_free(w);
        return status;
    }
    w->last = last;
    arrange(plan, w);
    if (rings) w->width = ring_width(g, w, forced);
    choose_tiles(g, dev, w);
    e->wave = w, e->k->last = last, e->k->tiling = w->tiling;
    return rw_join_uses(e, w->use, first, last);
}

/* Another group may still read what was there before. */
bool rw_wave_beside(const rw_emitter *e, int field) { return e->use.read[field]; }

/* ---- text ----------------------------------------------------------------------------------------------------------- */

static int number_of(const rw_wave *w, const rw_wave_value *v) { return (int)(v - w->v); }

void rw_emit_wave_value(rw_emitter *e, const rw_graph_node *p)
{
    rw_wave *w = e->wave;
    const rw_wave_value *v = rw_wave_version(e->plan, w, p, false);
    if (w->rings) {
        rw_emit_ring_value(e, p);
        return;
    }
    int n = number_of(w, v), age = w->lag[e->pass - w->first] - v->lag, dx = p->offset[0], dy = p->offset[1];
    const char *name = e->g->fields[p->index].name;
    if (dx) {
        bool wraps = rw_axis_is_periodic(e->g, 0);
        if (!wraps) ADD(dx < 0 ? "i >= %d ? " : "i < NX - %d ? ", abs(dx));
        ADD("rows[(b * ROWS + %d) * PITCH + t + %d]", v->shared[age], w->margin + dx);
        if (!wraps)
            ADD(" : near_%s_x%d(rows + (b * ROWS + %d) * PITCH, x0 - %d, i + (%d), j, k%s)", name, dx > 0, v->shared[age], w->margin, dx,
                rw_text_of(&e->uniform_names));
    } else if (dy) {
        bool wraps = rw_axis_is_periodic(e->g, 1);
        if (!wraps) ADD(dy < 0 ? "j >= %d ? " : "j < NY - %d ? ", abs(dy));
        ADD("AT(w%d_%d, t)", n, age - dy);
        if (!wraps) /* the row itself, and the one farther inside */
            ADD(" : near_%s_y%d(AT(w%d_%d, t), AT(w%d_%d, t), i, j + (%d), k%s)", name, dy > 0, n, age, n, age + dy, dy,
                rw_text_of(&e->uniform_names));
    } else ADD("AT(w%d_%d, t)", n, age);
}

static void emit_load(rw_emitter *e, const rw_wave_value *v, const char *to, const char *row)
{
    const char *name = e->g->fields[v->field].name;
    bool wy = rw_axis_is_periodic(e->g, 1);
    ADD("%s = ", to);
    if (!wy) ADD("%s < 0 || %s >= NY ? (real)0 : ", row, row);
    ADD("(real)f_%s[", name);
    if (wy) ADD("((%s + NY) %% NY + NY) %% NY", row);
    else ADD("(INDEX)(%s)", row);
    ADD(" * NX + i];\n");
}

static void emit_pass(rw_emitter *e, int pass)
{
    rw_wave *w = e->wave;
    bool wy = rw_axis_is_periodic(e->g, 1);
    e->pass = pass;
    rw_pass_use all = e->use;
    e->use = w->use[pass - w->first];
    ADD("            {\n            const INDEX r = row - %d, j = %s, c = j * NX + i;\n", w->lag[pass - w->first], wy ? "((r + NY) % NY + NY) % NY" : "r");
    ADD("            const int mine = own && r >= y0 && r < y1;\n");
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

rw_status rw_emit_wave(rw_emitter *e)
{
    rw_wave *w = e->wave;
    if (w->rings) return rw_emit_rings(e);
    const char *wrap = rw_axis_is_periodic(e->g, 0) ? "((x0 + t) % NX + NX) % NX" : "x0 + t < 0 ? 0 : x0 + t < NX ? x0 + t : NX - 1";
    char to[80];
    ADD("#define WIDTH %d\n#define MARGIN %d\n#define PITCH %d\n#define ROWS %d\n", w->width, w->margin, w->width + 2 * w->margin,
        RW_MAX(w->nrows, 1));
    for (int f = 0; f < e->g->nfields; ++f) RW_TRY(rw_emit_near(e, f));
    ADD("#undef RW_GROUPS_A_UNIT\n#define RW_GROUPS_A_UNIT %d\n", registers(w) > 40 ? 4 : 5);
    ADD("KERNEL(run%s%s)\n{\n    SHARED(real, rows, 2 * ROWS * PITCH);\n", rw_text_of(&e->arrays), rw_text_of(&e->uniforms));
    for (int i = 0; i < w->nversions; ++i) {
        for (int a = 0; a <= w->v[i].oldest; ++a) ADD("    PRIVATE(real, w%d_%d);\n", i, a);
        if (w->v[i].pass < 0 && w->ahead) ADD("    PRIVATE_N(real, a%d, %d);\n", i, w->ahead);
    }
    ADD("    const INDEX x0 = (INDEX)(GROUP_ID(0) %% TILES_X) * TILE_X - MARGIN, y0 = (INDEX)(GROUP_ID(0) / TILES_X) * TILE_Y;\n"
        "    const INDEX y1 = y0 + TILE_Y < NY ? y0 + TILE_Y : NY, k = 0;\n    int b = 0;\n"
        "    EACH(n, 2 * ROWS * PITCH) { rows[n] = 0; }\n    BARRIER;\n    EACH(t, WIDTH) {\n        const INDEX i = %s;\n        (void)i;\n", wrap);
    for (int i = 0; i < w->nversions; ++i) {
        for (int a = 0; a <= w->v[i].oldest; ++a) ADD("        AT(w%d_%d, t) = 0;\n", i, a);
        for (int d = 0; w->v[i].pass < 0 && d < w->ahead; ++d) {
            char row[40];
            snprintf(to, sizeof to, "        AT_N(a%d, %d, t)", i, d), snprintf(row, sizeof row, "(y0 - %d)", w->above - d);
            emit_load(e, w->v + i, to, row);
        }
    }
    ADD("    }\n    UNROLL_BY(%d)\n    for (INDEX row = y0 - %d; row < y1 + %d; ++row) {\n        EACH(t, WIDTH) {\n", w->ahead ? w->ahead : 1, w->above,
        w->lag[w->last - w->first]);
    for (int i = 0; i < w->nversions; ++i)
        for (int a = 1; a < RW_WAVE_AGES; ++a)
            if (w->v[i].shared[a] >= 0)
                ADD("            rows[(b * ROWS + %d) * PITCH + t + MARGIN] = AT(w%d_%d, t);\n", w->v[i].shared[a], i, a - 1);
    ADD("        }\n        BARRIER;\n        EACH(t, WIDTH) {\n            const INDEX i = %s;\n"
        "            const int own = t >= MARGIN && t < WIDTH - MARGIN && x0 + t < NX;\n", wrap);
    for (int i = 0; i < w->nversions; ++i) {
        for (int a = w->v[i].oldest; a > 0; --a) ADD("            AT(w%d_%d, t) = AT(w%d_%d, t);\n", i, a, i, a - 1);
        if (w->v[i].pass >= 0) continue;
        if (!w->ahead) {
            snprintf(to, sizeof to, "            AT(w%d_0, t)", i);
            emit_load(e, w->v + i, to, "row");
            continue;
        }
        ADD("            AT(w%d_0, t) = AT_N(a%d, 0, t);\n", i, i);
        for (int d = 0; d + 1 < w->ahead; ++d) ADD("            AT_N(a%d, %d, t) = AT_N(a%d, %d, t);\n", i, d, i, d + 1);
        snprintf(to, sizeof to, "            AT_N(a%d, %d, t)", i, w->ahead - 1);
        char row[40];
        snprintf(row, sizeof row, "(row + %d)", w->ahead);
        emit_load(e, w->v + i, to, row);
    }
    for (int pass = w->first; pass <= w->last; ++pass) emit_pass(e, pass);
    e->pass = w->first;
    ADD("        }\n        b ^= 1;\n    }\n}\n");
    return RW_OK;
}
