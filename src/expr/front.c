/* The plan of a wave front. A group takes a strip of columns (of a grid of three dimensions a column of rectangles)
 * and walks along it; when it has loaded layer r, a row or a plane, the first pass does layer r - 1, the second layer
 * r - 2, and so on, so that between the first read and the last write nothing goes through memory.
 *
 *   lag of a pass     by how many layers it is later than the loads
 *   version           a field as it was before the kernel, or as a pass leaves it, with its last layers: 0 the newest
 *
 * A strip has as many cells more on its sides, and a walk as many layers more, as the passes read around a cell:
 * these are computed twice; more passes save less and compute more twice, which cost_of weighs. */
#include "expr/front.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/arguments.h"
#include "expr/sides.h"
#include "expr/strategy.h"

static rw_front_value *find(rw_front *w, int field, int number, bool loaded)
{
    for (int i = 0; i < w->nversions; ++i)
        if (w->v[i].field == field && w->v[i].version == number && (w->v[i].pass < 0) == loaded) return w->v + i;
    return NULL;
}

/* What a read refers to: a version, and whether an earlier pass of the kernel makes it. `add`: made when it is not
 * there yet, NULL when there are too many. */
static rw_front_value *version(const rw_plan *plan, rw_front *w, const rw_graph_node *p, bool add)
{
    const rw_store *s = rw_store_of(plan, p);
    bool kept = s && s->pass >= w->first && s->pass <= w->last;
    rw_front_value *v = find(w, p->index, kept ? p->version : 0, !kept);
    if (v || !add || w->nversions == RW_FRONT_VERSIONS) return v;
    v = w->v + w->nversions++;
    *v = (rw_front_value){.field = p->index, .version = kept ? p->version : 0, .pass = kept ? s->pass : -1};
    for (int a = 0; a < RW_FRONT_AGES; ++a) v->shared[a] = -1;
    return v;
}

const rw_front_value *rw_front_version(const rw_emitter *e, const rw_graph_node *field)
{
    return version(e->plan, e->state, field, false);
}

const rw_front_value *rw_front_made(const rw_front *w, const rw_store *s)
{
    return find((rw_front *)w, s->field, s->version, false);
}

bool rw_front_reads(const rw_plan *plan, const rw_pass_use *use, int pass, int n)
{
    const rw_graph_node *p = plan->graph->nodes + n;
    return use->needed[n] && p->op == RW_OP_FIELD && !rw_plan_forward(plan, pass, p) && !rw_is_of_other(plan->graph, p);
}

/* Read at another place of the same layer. */
static bool is_across(const rw_front *w, const rw_graph_node *p)
{
    return p->offset[0] || (w->walk == 2 && p->offset[1]);
}

/* Halo of each pass in cells beyond the tile, and how many cells must be loaded. */
static void find_margins(const rw_plan *plan, rw_front *w)
{
    memset(w->beside, 0, sizeof w->beside);
    memset(w->margin, 0, sizeof w->margin);
    for (int q = w->last; q >= w->first; --q)
        for (int n = 0; n < w->use[q - w->first].nnodes; ++n) {
            const rw_graph_node *p = plan->graph->nodes + n;
            if (!rw_front_reads(plan, &w->use[q - w->first], q, n)) continue;
            const rw_front_value *v = version(plan, w, p, false);
            int *cells = v->pass >= 0 ? w->beside[v->pass - w->first] : w->margin;
            for (int d = 0; d < 3; ++d) cells[d] = RW_MAX(cells[d], w->beside[q - w->first][d] + abs(p->offset[d]));
        }
    for (int q = w->first; q <= w->last; ++q)
        for (int d = 0; d < 3; ++d) w->margin[d] = RW_MAX(w->margin[d], w->beside[q - w->first][d]);
}

/* The versions that pass q reads, and its lag; false when there are too many, or it reads what no layer has. */
static bool find_lag(const rw_plan *plan, rw_front *w, int q)
{
    const rw_pass_use *use = &w->use[q - w->first];
    int *lag = &w->lag[q - w->first];
    *lag = q > w->first ? w->lag[q - w->first - 1] : 0;
    for (int n = 0; n < use->nnodes; ++n) {
        const rw_graph_node *p = plan->graph->nodes + n;
        if (use->needed[n] && p->op == RW_OP_REDUCE && rw_plan_reduction(plan, n)->pass >= w->first) return false;
        if (!rw_front_reads(plan, use, q, n)) continue;
        rw_front_value *v = version(plan, w, p, true);
        if (!v || rw_is_mixed(p) || p->is_complex) return false;
        for (int d = 0; d < 3; ++d) w->pad[d] = RW_MAX(w->pad[d], abs(p->offset[d]));
        if (v->pass >= 0) v->lag = w->lag[v->pass - w->first];
        *lag = RW_MAX(*lag, v->lag + RW_MAX(abs(p->offset[w->walk]), is_across(w, p)));
    }
    return true;
}

/* How old the layers are that pass q reads, when lags are known. */
static bool find_ages(const rw_plan *plan, rw_front *w, int q)
{
    for (int n = 0; n < w->use[q - w->first].nnodes; ++n) {
        const rw_graph_node *p = plan->graph->nodes + n;
        if (!rw_front_reads(plan, &w->use[q - w->first], q, n)) continue;
        rw_front_value *v = version(plan, w, p, false);
        int age = w->lag[q - w->first] - v->lag, along = abs(p->offset[w->walk]);
        v->oldest = RW_MAX(v->oldest, age + along);
        if (age + along >= RW_FRONT_AGES) return false;
        if (is_across(w, p) && v->shared[age] < 0) v->shared[age] = w->nshared++;
    }
    return true;
}

/* Lags and ages with passes first … last; false when they do not fit. */
static bool arrange(const rw_plan *plan, rw_front *w)
{
    const rw_graph *g = plan->graph;
    memset(w->pad, 0, sizeof w->pad);
    w->nversions = w->nshared = 0;
    for (int q = w->first; q <= w->last; ++q)
        if (!find_lag(plan, w, q)) return false;
    for (int q = w->first; q <= w->last; ++q)
        if (!find_ages(plan, w, q)) return false;
    find_margins(plan, w);
    for (int d = 1; d <= w->walk; ++d)
        if (!rw_axis_is_periodic(g, d) && (w->pad[d] > 1 || g->order != 2)) return false;
    return true;
}

static int64_t count_groups(const int64_t *n, rw_tiling *t)
{
    t->groups = 1;
    for (int d = 0; d < 3; ++d) t->groups *= t->tiles[d] = (n[d] + t->tile[d] - 1) / t->tile[d];
    return t->groups;
}

/* Groups run in turns, `at_once` in each: the layers that make all turns together shortest. */
static int64_t best_layers(const rw_front *w, int64_t most, int64_t at_once, const int64_t *n, rw_tiling t)
{
    const int walk = w->walk;
    int64_t best = most, shortest = INT64_MAX;
    for (t.tile[walk] = most; t.tile[walk] >= most / 32; --t.tile[walk]) {
        const int64_t turns = (count_groups(n, &t) + at_once - 1) / at_once,
                      layers = turns * (t.tile[walk] + 2 * w->margin[walk]);
        if (layers < shortest) shortest = layers, best = t.tile[walk];
    }
    return best;
}

static void choose_tiles(const rw_emitter *e, const rw_front *w, const rw_front_kind *kind, rw_tiling *t)
{
    const int64_t *n = e->g->grid.size;
    const int walk = w->walk;
    memset(t, 0, sizeof *t);
    t->group = t->group_x = kind->group ? kind->group : w->width * w->height;
    t->tile[0] = w->width - 2 * w->margin[0];
    t->tile[1] = w->height - 2 * w->margin[1];
    t->tile[2] = 1;
    t->tile[walk] = kind->layers;
    if (kind->at_once) t->tile[walk] = best_layers(w, kind->layers, kind->at_once(e, w), n, *t);
    while (count_groups(n, t) < kind->groups && t->tile[walk] > kind->layers / 8) t->tile[walk] /= 2;
    t->narrow = n[0] * n[1] * n[2] < INT32_MAX / 2;
}

/* Bytes a pass and cell: what the kernel loads, with the cells around the tile, and stores, and the time of its
 * arithmetic as bytes. */
static double cost_of(const rw_plan *plan, const rw_front *w, double pass_bytes)
{
    const rw_graph *g = plan->graph;
    double passes = w->last - w->first + 1, loaded = 0, stored = 0, own = 1;
    for (int i = 0; i < w->nversions; ++i)
        if (w->v[i].pass < 0) loaded += (double)rw_dtype_size(g->fields[w->v[i].field].dtype);
    for (int f = 0; f < g->nfields; ++f)
        if (rw_final_store(plan, w->first, w->last, f)) stored += (double)rw_dtype_size(g->fields[f].dtype);
    if (passes > 1) own *= 1 - 2.0 * w->margin[0] / w->width; /* a pass by itself is another kernel */
    if (passes > 1 && w->walk == 2) own *= 1 - 2.0 * w->margin[1] / w->height;
    return ((loaded + passes * pass_bytes) / own + stored) / passes;
}

void rw_front_free(void *state)
{
    rw_front *w = state;
    for (int i = 0; w && i < RW_FRONT_PASSES; ++i) rw_pass_use_free(&w->use[i]);
    rw_free(w);
}

bool rw_front_grid(const rw_grid *g)
{
    return g->ndim >= 2 && g->size[0] * g->size[1] * g->size[2] > rw_tuning_of[RW_GPU].fused_cells;
}

static bool is_wide(const rw_front *w)
{
    return 3 * w->margin[0] <= w->width && (w->walk == 1 || 3 * w->margin[1] <= w->height);
}

/* *last: the last pass that is worth it; as it was: none. */
static rw_status find_last(const rw_emitter *e, rw_front *w, const rw_front_kind *kind, bool forced, int *last)
{
    const rw_plan *plan = e->plan;
    const int first = w->first;
    double cost = INFINITY;
    for (int q = first; q < plan->npasses && q - first < RW_FRONT_PASSES; ++q) {
        RW_TRY(rw_plan_use(plan, q, &w->use[q - first]));
        w->last = q;
        if (rw_pass_reduces(plan, q) ||
            rw_pass_use_is_f32(plan, &w->use[q - first]) != rw_pass_use_is_f32(plan, &w->use[0]) ||
            rw_pass_use_is_long(plan, &w->use[q - first]))
            break;
        if (!arrange(plan, w) || rw_count_scalars(w->use, q - first + 1) > RW_SCALARS) break;
        kind->choose_layers(e, w, forced);
        if (!is_wide(w) || !kind->fits(e, w)) break;
        if (q > first && (forced || cost_of(plan, w, kind->pass_bytes) < cost)) *last = q;
        if (q == first || *last == q) cost = cost_of(plan, w, kind->pass_bytes);
    }
    return RW_OK;
}

rw_status rw_front_find(rw_emitter *e, const rw_front_kind *kind, bool forced, bool *found)
{
    const rw_plan *plan = e->plan;
    const rw_graph *g = e->g;
    const int first = e->k->first;
    int last = first;
    if (first + 1 >= plan->npasses || g->grid.ndim < 2 || g->grid.size[0] * g->grid.size[1] * g->grid.size[2] == 0 ||
        !rw_sides_agree(g))
        return RW_OK;
    rw_front *w = e->state = rw_calloc(1, sizeof *w);
    if (!w) return rw_fail_memory(g->ctx, sizeof *w, "a plan");
    w->first = first;
    w->walk = g->grid.ndim - 1;
    RW_TRY(find_last(e, w, kind, forced, &last));
    if (last == first) return RW_OK;
    *found = true;
    w->last = last;
    arrange(plan, w);
    kind->choose_layers(e, w, forced);
    choose_tiles(e, w, kind, &e->k->tiling);
    e->k->last = last;
    e->beyond = true;
    RW_TRY(rw_pass_use_join(plan, w->use, first, last, &e->use));
    /* another group may still read what was there before */
    for (int f = 0; f < g->nfields; ++f) e->beside[f] = e->use.read[f];
    return RW_OK;
}

rw_status rw_emit_front_sides(rw_emitter *e)
{
    const rw_front *w = e->state;
    for (int f = 0; f < e->g->nfields; ++f) {
        bool any = false;
        for (int i = 0; i < w->nversions; ++i) any = any || w->v[i].field == f;
        if (any) RW_TRY(rw_emit_near_sides(e, f));
    }
    return RW_OK;
}

/* The strips at the sides of x are the first groups, then row by row. */
static void emit_sides_first(rw_emitter *e)
{
    ADD("    const INDEX rest = (INDEX)GROUP_ID(0) - 2 * TILES_Y;\n"
        "    const INDEX x0 = (rest < 0 ? GROUP_ID(0) %% 2 * (TILES_X - 1) : rest %% (TILES_X - 2) + 1) * TILE_X - "
        "MARGIN;\n"
        "    const INDEX begin = (rest < 0 ? GROUP_ID(0) / 2 : rest / (TILES_X - 2)) * TILE_Y, k = 0");
}

void rw_emit_front_place(rw_emitter *e, const char *rows, const char *planes)
{
    const rw_front *w = e->state;
    const char N = rw_size_letter[w->walk];
    if (w->sides_first) emit_sides_first(e);
    else ADD("    const INDEX x0 = (INDEX)(GROUP_ID(0) %% TILES_X) * TILE_X - MARGIN;\n");
    if (w->walk == 2)
        ADD("    const INDEX y0 = (INDEX)(GROUP_ID(0) / TILES_X %% TILES_Y) * TILE_Y - MARGIN_Y;\n"
            "    const INDEX begin = (INDEX)(GROUP_ID(0) / (TILES_X * TILES_Y)) * TILE_Z;\n%s",
            planes);
    else if (!w->sides_first) ADD("    const INDEX begin = (INDEX)(GROUP_ID(0) / TILES_X) * TILE_Y, k = 0");
    if (w->walk == 1) ADD("%s", rows);
    ADD("    const INDEX end = begin + TILE_%c < N%c ? begin + TILE_%c : N%c;\n", N, N, N, N);
}
