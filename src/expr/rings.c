/* Wave fronts for processors: the rows that passes hand to each other lie in rings of rows, small enough for the caches, and each pass is a
 * plain loop along a row. See wave.c for lags, ages and margins.
 *
 *   r3              the ring of version 3; w3_0 its newest row, w3_1 the one before …, each with the column x0 at [0]
 *   left … right    columns of the strip that are in the grid; all of them where x is periodic
 *   values beyond the sides of x are put into the columns beside the row, those beyond the sides of y into a row of their own (y3_0 below,
 *   y3_1 above), so that no loop along a row asks where it is */
#include "expr/wave.h"

static int number_of(const rw_wave *w, const rw_wave_value *v) { return (int)(v - w->v); }

int64_t rw_ring_rows(const rw_wave *w)
{
    int64_t rows = 0;
    for (int i = 0; i < w->nversions; ++i) rows += w->v[i].oldest + 1 + 2;
    return RW_MAX(rows, 1);
}

static bool is_read_across(const rw_wave_value *v)
{
    for (int a = 0; a < RW_WAVE_AGES; ++a)
        if (v->shared[a] >= 0) return true;
    return false;
}

void rw_emit_ring_value(rw_emitter *e, const rw_graph_node *p)
{
    rw_wave *w = e->wave;
    const rw_wave_value *v = rw_wave_version(e->plan, w, p, false);
    int n = number_of(w, v), age = w->lag[e->pass - w->first] - v->lag, dy = p->offset[1];
    if (dy && !rw_axis_is_periodic(e->g, 1)) ADD("y%d_%d[t]", n, dy > 0);
    else ADD("w%d_%d[t + (%d)]", n, age - dy, p->offset[0]);
}

/* Where a column of the strip lies in the grid. */
static const char *column(const rw_emitter *e)
{
    int64_t n = e->g->grid.size[0];
    if (!rw_axis_is_periodic(e->g, 0)) return "x0 + t";
    return n >= e->wave->width + e->wave->margin ? "x0 + t < 0 ? x0 + t + NX : x0 + t < NX ? x0 + t : x0 + t - NX" : "((x0 + t) % NX + NX) % NX";
}

static const char *row_in_grid(const rw_emitter *e, const char *row, char *to, size_t size)
{
    snprintf(to, size, rw_axis_is_periodic(e->g, 1) ? "((%s) %% NY + NY) %% NY" : "%s", row);
    return to;
}

/* The values beyond the sides of x beside the newest row of a version. */
static void emit_ends(rw_emitter *e, const rw_wave_value *v)
{
    const rw_wave *w = e->wave;
    int n = number_of(w, v);
    const char *name = e->g->fields[v->field].name, *names = rw_text_of(&e->uniform_names);
    if (!is_read_across(v) || rw_axis_is_periodic(e->g, 0)) return;
    int below = e->use.reach[0][0], above = e->use.reach[0][1];
    if (below) {
        ADD("            if (x0 <= 0)\n            EACH(d, %d) { w%d_0[-x0 - 1 - d] = near_%s_x0(w%d_0, x0, -1 - d, j, k%s); }\n", below, n,
            name, n, names);
    }
    if (above) {
        ADD("            if (NX - x0 <= high)\n            EACH(d, %d) { w%d_0[NX - x0 + d] = near_%s_x1(w%d_0, x0, NX + d, j, k%s); }\n", above,
            n, name, n, names);
    }
    ADD("            BARRIER;\n");
}

static void emit_load(rw_emitter *e, const rw_wave_value *v)
{
    const rw_wave *w = e->wave;
    const char *name = e->g->fields[v->field].name;
    int n = number_of(w, v);
    char row[80];
    ADD("            {\n            const INDEX j = %s, high = right;\n            (void)high;\n", row_in_grid(e, "row", row, sizeof row));
    ADD("            GLOBAL const %s *const from = f_%s + j * NX;\n",
        rw_dtype_name(e->g->fields[v->field].dtype), name);
    ADD("            EACH_IN(t, inner0, inner1) { w%d_0[t] = (real)from[x0 + t]; }\n", n);
    if (rw_axis_is_periodic(e->g, 0)) {
        ADD("            EACH_IN(t, 0, inner0) { w%d_0[t] = (real)from[%s]; }\n", n, column(e));
        ADD("            EACH_IN(t, inner1, WIDTH) { w%d_0[t] = (real)from[%s]; }\n", n, column(e));
    }
    ADD("            BARRIER;\n");
    emit_ends(e, v);
    ADD("            }\n");
}

/* y3_0: the row below row j of version 3 as the pass sees it, a row of the ring or values beyond the side. */
static void emit_neighbour_rows(rw_emitter *e, int pass)
{
    rw_wave *w = e->wave;
    bool known[RW_WAVE_VERSIONS][2] = {{false}};
    const rw_pass_use *use = &w->use[pass - w->first];
    for (int n = 0; n < use->nnodes; ++n) {
        const rw_graph_node *p = e->g->nodes + n;
        if (!rw_wave_reads(e->plan, use, pass, n) || !p->offset[1]) continue;
        const rw_wave_value *v = rw_wave_version(e->plan, w, p, false);
        int i = number_of(w, v), up = p->offset[1] > 0, age = w->lag[pass - w->first] - v->lag;
        const char *name = e->g->fields[v->field].name;
        if (known[i][up]) continue;
        known[i][up] = true;
        ADD("            LOCAL const real *y%d_%d = w%d_%d;\n            if (j == %s) {\n", i, up, i, age + (up ? -1 : 1), up ? "NY - 1" : "0");
        ADD("                LOCAL real *const beyond = b%d_%d + PAD;\n", i, up);
        ADD("                EACH_IN(t, low, high) {\n                    const INDEX i = %s;\n                    (void)i;\n"
            "                    beyond[t] = near_%s_y%d(w%d_%d[t], w%d_%d[t], i, j + (%d), k%s);\n                }\n                BARRIER;\n",
            column(e), name, up, i, age, i, e->g->grid.size[1] == 1 ? age : age + (up ? 1 : -1), up ? 1 : -1, rw_text_of(&e->uniform_names));
        ADD("                y%d_%d = beyond;\n            }\n", i, up);
    }
}

static void emit_pass(rw_emitter *e, int pass)
{
    rw_wave *w = e->wave;
    bool periodic = rw_axis_is_periodic(e->g, 1);
    int columns = w->columns[pass - w->first], rows = w->rows[pass - w->first];
    char row[80];
    e->pass = pass;
    rw_pass_use all = e->use;
    ADD("        {\n        const INDEX r = row - %d;\n        if (r >= y0 - %d && r < y1 + %d%s) {\n", w->lag[pass - w->first], rows, rows,
        periodic ? "" : " && r >= 0 && r < NY");
    ADD("            const INDEX j = %s, low = MARGIN - %d > left ? MARGIN - %d : left;\n", row_in_grid(e, "r", row, sizeof row), columns, columns);
    ADD("            const INDEX high = WIDTH - MARGIN + %d < right ? WIDTH - MARGIN + %d : right;\n", columns, columns);
    if (!periodic) emit_neighbour_rows(e, pass);
    e->use = w->use[pass - w->first];
    ADD("            EACH_IN(t, low, high) {\n            const INDEX i = %s;\n            (void)i;\n", column(e));
    rw_emit_nodes(e, e->use.needed, "            ");
    for (int s = 0; s < e->plan->nstores; ++s) {
        const rw_store *store = e->plan->stores + s;
        if (store->pass != pass || store->dead) continue;
        const rw_wave_value *v = rw_wave_made(w, store);
        if (v) ADD("            w%d_0[t] = %s;\n", number_of(w, v), rw_word(e, store->value));
        if (store != rw_final_store(e->plan, w->first, w->last, store->field)) continue;
        char to[160];
        const char *own = columns || rows ? "r >= y0 && r < y1 && t >= MARGIN && t < WIDTH - MARGIN && " : "";
        snprintf(to, sizeof to, "    if (%sx0 + t < NX) %c_%s[j * NX + x0 + t]", own, all.read[store->field] ? 'o' : 'f',
                 e->g->fields[store->field].name);
        rw_emit_assign(e, store, to);
    }
    ADD("            }\n            BARRIER;\n");
    e->use = all;
    for (int s = 0; s < e->plan->nstores; ++s) {
        const rw_store *store = e->plan->stores + s;
        const rw_wave_value *v = store->pass == pass && !store->dead ? rw_wave_made(w, store) : NULL;
        if (v) emit_ends(e, v);
    }
    ADD("        }\n        }\n");
}

rw_status rw_emit_rings(rw_emitter *e)
{
    rw_wave *w = e->wave;
    bool wx = rw_axis_is_periodic(e->g, 0), wy = rw_axis_is_periodic(e->g, 1);
    int pad = RW_MAX(RW_MAX(e->use.reach[0][0], e->use.reach[0][1]), 1);
    pad = (pad + 7) / 8 * 8;
    ADD("#define WIDTH %d\n#define MARGIN %d\n#define PAD %d\n#define PITCH %d\n", w->width, w->margin, pad, (w->width + 2 * pad + 7) / 8 * 8);
    for (int f = 0; f < e->g->nfields; ++f) RW_TRY(rw_emit_near(e, f));
    ADD("KERNEL(run%s%s)\n{\n", rw_text_of(&e->arrays), rw_text_of(&e->uniforms));
    for (int i = 0; i < w->nversions; ++i) {
        ADD("    SHARED(real, r%d, %d * PITCH);\n", i, w->v[i].oldest + 1);
        for (int up = 0; up < 2 && !wy; ++up)
            if (e->use.reach[1][up]) ADD("    SHARED(real, b%d_%d, PITCH);\n", i, up);
    }
    ADD("    const INDEX x0 = (INDEX)(GROUP_ID(0) %% TILES_X) * TILE_X - MARGIN, y0 = (INDEX)(GROUP_ID(0) / TILES_X) * TILE_Y;\n"
        "    const INDEX y1 = y0 + TILE_Y < NY ? y0 + TILE_Y : NY, k = 0;\n"
        "    const INDEX inner0 = x0 < 0 ? -x0 < WIDTH ? -x0 : WIDTH : 0, end = NX - x0 < WIDTH ? NX - x0 : WIDTH;\n"
        "    const INDEX inner1 = end < inner0 ? inner0 : end;\n"
        "    const INDEX left = %s, right = %s;\n    (void)k;\n", wx ? "0" : "inner0", wx ? "WIDTH" : "inner1");
    ADD("    for (INDEX row = y0 - %d, n = 0; row < y1 + %d; ++row, ++n) {\n", w->above, RW_MAX(w->lag[w->last - w->first], w->above));
    for (int i = 0; i < w->nversions; ++i)
        for (int a = 0; a <= w->v[i].oldest; ++a)
            ADD("        LOCAL real *const w%d_%d = r%d + (n + %d) %% %d * PITCH + PAD;\n", i, a, i, a ? w->v[i].oldest + 1 - a : 0,
                w->v[i].oldest + 1);
    ADD("        if (row < y1 + %d%s) {\n", w->above, wy ? "" : " && row >= 0 && row < NY");
    for (int i = 0; i < w->nversions; ++i)
        if (w->v[i].pass < 0) emit_load(e, w->v + i);
    ADD("        }\n");
    for (int pass = w->first; pass <= w->last; ++pass) emit_pass(e, pass);
    e->pass = w->first;
    ADD("    }\n}\n");
    return RW_OK;
}
