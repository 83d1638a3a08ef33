/* Several passes in one kernel, by overlapping tiles. A group takes a tile of the last pass; each pass before it is
 * computed on the tile and as many cells around it as the later ones will read, in shared memory, so that groups need
 * nothing from each other. Cells around a tile are computed by its neighbours too: worth it where a launch costs more
 * than the work, on small grids, and on lines of any length, where little is computed twice.
 *
 *   region of pass p   that of pass p+1 and what p+1 reads beside it; cut at the sides of the grid, where it also
 *                      has the cells that the formulas of values beyond the side need; beyond periodic sides it goes on
 *   u0, u1, u2 / i, j, k   a cell as counted from the tile / as it is called in the grid (periodic axes wrap) */
#include "expr/emit.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 16, MOST_KEPT = 64, SHARED_BYTES = 49152, LONG_TILE = 1024 };

typedef struct rw_fusion {
    int first, last;
    rw_pass_use use[MOST];
    int reach[MOST][3][2];        /* what a pass reads beside a cell of fields that earlier ones leave in shared memory */
    rw_kept kept[MOST_KEPT];
    int nkept;
    struct { rw_dtype dtype; int64_t cells; int busy_until; } memory[MOST_KEPT];
    int nmemory;
    int64_t size[MOST][3];        /* of the largest region */
    rw_tiling tiling;
    double cost;                  /* microseconds a pass, by the model below */
} fusion;

const rw_store *rw_store_of(const rw_plan *plan, const rw_graph_node *field)
{
    for (int i = 0; field->version && i < plan->nstores; ++i)
        if (plan->stores[i].field == field->index && plan->stores[i].version == field->version) return plan->stores + i;
    return NULL;
}

bool rw_axis_is_periodic(const rw_graph *g, int axis)
{
    return axis < g->grid.ndim && g->nfields && g->fields[0].boundary[2 * axis].kind == RW_BOUNDARY_PERIODIC;
}

/* Regions go on beyond a side for all fields or for none. */
bool rw_sides_agree(const rw_graph *g)
{
    for (int f = 0; f < g->nfields; ++f)
        for (int s = 0; s < 2 * g->grid.ndim; ++s)
            if ((g->fields[f].boundary[s].kind == RW_BOUNDARY_PERIODIC) != rw_axis_is_periodic(g, s / 2)) return false;
    return true;
}

bool rw_use_is_f32(const rw_graph *g, const rw_pass_use *use)
{
    bool any = false;
    for (int f = 0; f < g->nfields; ++f) {
        if (!use->read[f] && !use->written[f]) continue;
        any = true;
        if (g->fields[f].dtype == RW_F64 || g->fields[f].dtype == RW_C128) return false;
    }
    return any;
}

/* Cells inwards from a side that formulas for values beyond it may use. */
static int depth(const rw_graph *g, const int reach[2])
{
    return RW_MAX(g->order == 4 ? 4 : 0, RW_MAX(reach[0], reach[1])) + 1;
}

/* ---- what may be fused -------------------------------------------------------------------------------------------- */

/* Notes what pass q reads: versions in shared memory, and how far. False when it needs a reduction of the kernel. */
static bool note_reads(const rw_plan *plan, fusion *f, int q)
{
    const rw_graph *g = plan->graph;
    const rw_pass_use *use = &f->use[q - f->first];
    for (int n = 0; n < use->nnodes; ++n) {
        const rw_graph_node *p = g->nodes + n;
        if (!use->needed[n]) continue;
        if (p->op == RW_OP_REDUCE && rw_plan_reduction(plan, n)->pass >= f->first) return false;
        const rw_store *s = p->op == RW_OP_FIELD ? rw_store_of(plan, p) : NULL;
        if (!s || s->pass < f->first || s->pass == q) continue;
        if (rw_is_mixed(p)) return false; /* rw_emit_get serves nodes beyond one side */
        int i = 0;
        while (i < f->nkept && (f->kept[i].field != p->index || f->kept[i].version != p->version)) ++i;
        if (i == MOST_KEPT) return false;
        if (i == f->nkept) f->kept[f->nkept++] = (rw_kept){.field = p->index, .version = p->version, .pass = s->pass};
        f->kept[i].last_read = q;
        for (int d = 0; d < 3; ++d) {
            int *reach = f->reach[q - f->first][d];
            reach[0] = RW_MAX(reach[0], -p->offset[d]), reach[1] = RW_MAX(reach[1], p->offset[d]);
        }
    }
    return true;
}

/* The store that leaves a field's value behind, NULL when the passes do not write it. */
const rw_store *rw_final_store(const rw_plan *plan, int first, int last, int field)
{
    const rw_store *final = NULL;
    for (int i = 0; i < plan->nstores; ++i) {
        const rw_store *s = plan->stores + i;
        if (s->field == field && s->pass >= first && s->pass <= last && !s->dead && (!final || s->pass > final->pass)) final = s;
    }
    return final;
}

/* Whether a field's value from before the kernel is read where another group may have written the new one. */
static bool needs_second_array(const rw_plan *plan, const fusion *f, int field)
{
    bool wide = false; /* the pass has cells outside the tile */
    for (int q = f->last; q >= f->first; --q) {
        const rw_pass_use *use = &f->use[q - f->first];
        for (int n = 0; n < use->nnodes; ++n) {
            const rw_graph_node *p = plan->graph->nodes + n;
            if (!use->needed[n] || p->op != RW_OP_FIELD || p->index != field) continue;
            const rw_store *s = rw_store_of(plan, p);
            if (s && s->pass >= f->first) continue;
            if (wide || p->offset[0] || p->offset[1] || p->offset[2]) return true;
        }
        for (int d = 0; d < 3; ++d) wide = wide || f->reach[q - f->first][d][0] || f->reach[q - f->first][d][1];
    }
    return false;
}

/* Pieces of shared memory; one is used again when nothing reads what lies in it any more. */
static bool allocate(const rw_plan *plan, fusion *f)
{
    f->nmemory = 0;
    for (int pass = f->first; pass <= f->last; ++pass)
        for (int i = 0; i < f->nkept; ++i) {
            rw_kept *v = f->kept + i;
            if (v->pass != pass) continue;
            const int64_t *size = f->size[pass - f->first];
            int64_t cells = size[0] * size[1] * size[2];
            rw_dtype dtype = plan->graph->fields[v->field].dtype;
            int m = 0;
            while (m < f->nmemory && (f->memory[m].dtype != dtype || f->memory[m].busy_until >= pass)) ++m;
            if (m == f->nmemory) f->memory[f->nmemory++].dtype = dtype, f->memory[m].cells = 0;
            f->memory[m].cells = RW_MAX(f->memory[m].cells, cells);
            f->memory[m].busy_until = v->last_read;
            v->memory = m;
        }
    int64_t bytes = 8 * f->tiling.group; /* for reductions */
    for (int m = 0; m < f->nmemory; ++m) bytes += f->memory[m].cells * (int64_t)rw_dtype_size(f->memory[m].dtype);
    return bytes <= SHARED_BYTES;
}

/* ---- tiles and cost ------------------------------------------------------------------------------------------------- */

/* A line whose passes are limited by memory, not by launches: what shares a kernel costs nothing more. */
static bool is_long(const rw_graph *g) { return g->grid.ndim == 1 && g->grid.size[0] > RW_FUSED_CELLS; }

/* As many tiles as the device has units, and their regions. */
static void choose_tiles(const rw_graph *g, const rw_target *dev, fusion *f)
{
    static const int64_t least[3][3] = {{64, 1, 1}, {8, 8, 1}, {4, 4, 4}};
    rw_tiling *t = &f->tiling;
    const int64_t *n = g->grid.size;
    int ndim = g->grid.ndim;
    memset(t, 0, sizeof *t);
    for (int d = 0; d < 3; ++d) t->tile[d] = RW_MIN(is_long(g) && d == 0 ? LONG_TILE : least[ndim - 1][d], n[d]);
    for (int round = 0;; ++round) {
        t->groups = 1;
        for (int d = 0; d < 3; ++d) t->groups *= t->tiles[d] = (n[d] + t->tile[d] - 1) / t->tile[d];
        if (is_long(g) || t->groups <= RW_MAX(dev->units, 16)) break;
        int d = round % ndim;
        t->tile[d] = RW_MIN(2 * t->tile[d], n[d]);
    }
    int64_t most = 1;
    for (int p = f->last; p >= f->first; --p) {
        int64_t *size = f->size[p - f->first], cells = 1;
        for (int d = 0; d < 3; ++d) {
            if (p == f->last) size[d] = t->tile[d];
            else {
                const int *reach = f->reach[p + 1 - f->first][d];
                size[d] = f->size[p + 1 - f->first][d] + reach[0] + reach[1];
                if (d < ndim && !rw_axis_is_periodic(g, d)) size[d] = RW_MIN(RW_MAX(size[d], depth(g, reach)), n[d]);
            }
            cells *= size[d];
        }
        most = RW_MAX(most, cells);
    }
    int64_t group = (RW_MAX(most, 64) + 31) / 32 * 32, limit = is_long(g) ? 256 : dev->group_most;
    t->group = t->group_x = (int)RW_MIN(group, RW_MAX(RW_MIN(limit, 1024) / 32 * 32, 1)); /* more: too few registers for some drivers */
    t->narrow = n[0] * n[1] * n[2] < INT32_MAX / 2;
}

/* Microseconds a pass. A launch within a recorded sequence takes 1.4 (H200), a barrier and the latency of a pass 0.15;
 * a unit does about 60,000 double-precision operations in a microsecond. */
static double cost_of(const fusion *f, const rw_target *dev)
{
    double time = 1.4;
    for (int p = f->first; p <= f->last; ++p) {
        const int64_t *size = f->size[p - f->first];
        double cells = (double)(size[0] * size[1] * size[2]);
        time += 0.15 + cells * (f->use[p - f->first].flops + 10) / 60000;
    }
    return time * (double)((f->tiling.groups + dev->units - 1) / RW_MAX(dev->units, 1)) / (f->last - f->first + 1);
}

static bool complete(const rw_plan *plan, const rw_target *dev, fusion *f)
{
    const rw_graph *g = plan->graph;
    for (int field = 0; field < g->nfields; ++field) {
        const rw_store *s = rw_final_store(plan, f->first, f->last, field);
        /* a program that could be recorded stays so */
        if (s && !s->shadow && needs_second_array(plan, f, field)) return false;
    }
    choose_tiles(g, dev, f);
    f->cost = cost_of(f, dev);
    return allocate(plan, f);
}

void rw_fusion_free(rw_fusion *f)
{
    for (int i = 0; f && i < MOST; ++i) rw_pass_use_free(&f->use[i]);
    rw_free(f);
}

int rw_count_scalars(const rw_pass_use *uses, int n)
{
    int count = 0, nnodes = uses[n - 1].nnodes;
    for (int i = 0; i < nnodes; ++i) {
        bool any = false;
        for (int q = 0; q < n && !any; ++q) any = i < uses[q].nnodes && (uses[q].uniform[i] || (uses[q].table && uses[q].table[i]));
        count += any;
    }
    return count;
}

/* What the kernel as a whole reads and writes in the arrays, and its scalars. */
rw_status rw_join_uses(rw_emitter *e, const rw_pass_use *uses, int first, int last)
{
    rw_graph *g = e->g;
    rw_pass_use all = {.nnodes = g->n};
    all.read = rw_calloc((size_t)g->nfields + 1, 1), all.written = rw_calloc((size_t)g->nfields + 1, 1);
    all.needed = rw_calloc((size_t)g->n, 1), all.uniform = rw_calloc((size_t)g->n, 1), all.table = rw_calloc((size_t)g->n, 1);
    rw_pass_use_free(&e->use);
    e->use = all;
    if (!all.read || !all.written || !all.needed || !all.uniform || !all.table) return rw_fail_memory(g->ctx, (size_t)g->n, "a kernel");
    for (int q = first; q <= last; ++q) {
        const rw_pass_use *use = &uses[q - first];
        for (int n = 0; n < use->nnodes; ++n) {
            const rw_graph_node *p = g->nodes + n;
            e->use.uniform[n] = e->use.uniform[n] || use->uniform[n];
            e->use.needed[n] = e->use.needed[n] || use->needed[n];
            e->use.table[n] = e->use.table[n] || (use->table && use->table[n]);
            if (!use->needed[n] || p->op != RW_OP_FIELD) continue;
            const rw_store *s = rw_store_of(e->plan, p);
            if (!s || s->pass < first) e->use.read[p->index] = true;
        }
        for (int d = 0; d < 3; ++d)
            for (int side = 0; side < 2; ++side) e->use.reach[d][side] = RW_MAX(e->use.reach[d][side], use->reach[d][side]);
        e->use.flops += use->flops;
        e->use.coordinates = e->use.coordinates || use->coordinates;
    }
    for (int field = 0; field < g->nfields; ++field) {
        e->use.written[field] = rw_final_store(e->plan, first, last, field) != NULL;
        e->use.bytes_per_cell += (int64_t)rw_dtype_size(g->fields[field].dtype) * (e->use.read[field] + e->use.written[field]);
    }
    return RW_OK;
}

rw_status rw_fuse(rw_emitter *e, const rw_target *dev, bool forced)
{
    const rw_plan *plan = e->plan;
    const rw_graph *g = e->g;
    int first = e->k->first, most = forced ? 4 : MOST;
    int64_t cells = g->grid.size[0] * g->grid.size[1] * g->grid.size[2];
    if (first + 1 >= plan->npasses || cells == 0 || g->neighbours >= 0 || (cells > RW_FUSED_CELLS && !is_long(g)) || !rw_sides_agree(g)) return RW_OK;
    fusion *f = rw_calloc(2, sizeof *f), *best = f + 1; /* the second one borrows what a pass uses from the first */
    if (!f) return rw_fail_memory(g->ctx, 2 * sizeof *f, "a plan");
    rw_status status = RW_OK;
    f->first = first;
    best->cost = forced ? 1e300 : 1.55; /* a pass by itself */
    for (int q = first; q < plan->npasses && q - first < most; ++q) {
        status = rw_plan_use(plan, q, &f->use[q - first]);
        f->last = q;
        if (status != RW_OK || rw_use_is_f32(g, &f->use[q - first]) != rw_use_is_f32(g, &f->use[0]) || !note_reads(plan, f, q) ||
            rw_count_scalars(f->use, q - first + 1) > 110)
            break;
        if (q > first && complete(plan, dev, f) && (forced || is_long(g) || f->cost < best->cost)) *best = *f;
    }
    if (status != RW_OK || best->last <= first) {
        rw_fusion_free(f);
        return status;
    }
    e->fusion = f;
    e->k->last = best->last, e->k->tiling = best->tiling;
    e->kept = best->kept, e->nkept = best->nkept;
    memcpy(best->use, f->use, sizeof f->use);
    return rw_join_uses(e, best->use, best->first, best->last);
}

bool rw_fused_beside(const rw_emitter *e, int field)
{
    return needs_second_array(e->plan, e->fusion + 1, field);
}

/* ---- text ----------------------------------------------------------------------------------------------------------- */

/* l2_0, h2_0: where the region of pass 2 begins and ends on axis 0. */
static void emit_regions(rw_emitter *e, const fusion *f)
{
    for (int d = 0; d < 3; ++d) ADD("    const INDEX l%d_%d = lo%d, h%d_%d = hi%d;\n", f->last, d, d, f->last, d, d);
    for (int p = f->last - 1; p >= f->first; --p)
        for (int d = 0; d < 3; ++d) {
            const int *reach = f->reach[p + 1 - f->first][d];
            ADD("    INDEX l%d_%d = l%d_%d - %d, h%d_%d = h%d_%d + %d;\n", p, d, p + 1, d, reach[0], p, d, p + 1, d, reach[1]);
            if (d >= e->g->grid.ndim || rw_axis_is_periodic(e->g, d) || (!reach[0] && !reach[1])) continue;
            int64_t n = e->g->grid.size[d], inside = RW_MIN(depth(e->g, reach), n);
            ADD("    {\n        const int below = l%d_%d < 0, above = h%d_%d > %lld;\n", p, d, p, d, (long long)n);
            ADD("        if (below) l%d_%d = 0, h%d_%d = h%d_%d < %lld ? %lld : h%d_%d;\n", p, d, p, d, p, d, (long long)inside,
                (long long)inside, p, d);
            ADD("        if (above) h%d_%d = %lld, l%d_%d = l%d_%d > %lld ? %lld : l%d_%d;\n    }\n", p, d, (long long)n, p, d, p, d,
                (long long)(n - inside), (long long)(n - inside), p, d);
        }
}

static void emit_fused_stores(rw_emitter *e, const fusion *f)
{
    for (int i = 0; i < e->plan->nstores; ++i) {
        const rw_store *s = e->plan->stores + i;
        const char *name = e->g->fields[s->field].name;
        char to[160];
        if (s->pass != e->pass || s->dead) continue;
        if (rw_find_kept(e, s->field, s->version)) {
            snprintf(to, sizeof to, "s_%s_%d[cell]", name, s->version);
            rw_emit_assign(e, s, to);
        }
        if (s != rw_final_store(e->plan, f->first, f->last, s->field)) continue;
        snprintf(to, sizeof to, "if (own) %c_%s[c]", rw_fused_beside(e, s->field) ? 'o' : 'f', name);
        rw_emit_assign(e, s, to);
    }
    if (!e->k->naccumulators) return;
    ADD("        if (own) {\n");
    rw_emit_reduced(e);
    ADD("        }\n");
}

static void emit_cells(rw_emitter *e, const fusion *f)
{
    int p = e->pass;
    e->item = "cell", e->border = RW_ALL_AXES; /* one text for all cells: a tile at a side would execute two, one after the other */
    ADD("    EACH(cell, W%d * H%d * D%d) {\n", p, p, p);
    ADD("        const INDEX u0 = l%d_0 + cell %% W%d, u1 = l%d_1 + cell / W%d %% H%d, u2 = l%d_2 + cell / (W%d * H%d);\n", p, p, p, p, p, p,
        p, p);
    ADD("        if (u0 < h%d_0 && u1 < h%d_1 && u2 < h%d_2) {\n", p, p, p);
    for (int d = 0; d < 3; ++d) {
        char i = rw_index_letter[d], N = rw_size_letter[d];
        if (rw_axis_is_periodic(e->g, d)) ADD("        const INDEX %c = (u%d %% N%c + N%c) %% N%c;\n", i, d, N, N, N);
        else ADD("        const INDEX %c = u%d;\n", i, d);
    }
    for (int q = f->first; q < p; ++q)
        ADD("        const INDEX o%d = ((l%d_2 + k - u2) * H%d + l%d_1 + j - u1) * W%d + l%d_0 + i - u0;\n", q, q, q, q, q, q);
    ADD("        const INDEX c = (k * NY + j) * NX + i;\n");
    ADD("        const int own = u0 >= lo0 && u0 < hi0 && u1 >= lo1 && u1 < hi1 && u2 >= lo2 && u2 < hi2;\n");
    rw_emit_nodes(e, e->use.needed, "        ");
    emit_fused_stores(e, f);
    ADD("        }\n    }\n%s", p < f->last ? "    BARRIER;\n" : "");
}

rw_status rw_emit_fused(rw_emitter *e)
{
    const fusion *f = e->fusion + 1;
    for (int p = f->first; p <= f->last; ++p) {
        const int64_t *size = f->size[p - f->first];
        ADD("#define W%d %lld\n#define H%d %lld\n#define D%d %lld\n", p, (long long)size[0], p, (long long)size[1], p, (long long)size[2]);
    }
    for (int field = 0; field < e->g->nfields; ++field)
        if (e->use.read[field]) RW_TRY(rw_emit_get(e, field, NULL));
    for (int i = 0; i < f->nkept; ++i) RW_TRY(rw_emit_get(e, f->kept[i].field, f->kept + i));
    if (e->k->naccumulators) rw_emit_combine(e);
    ADD("KERNEL(run%s%s%s)\n{\n", rw_text_of(&e->arrays), rw_text_of(&e->uniforms),
        e->k->naccumulators ? ", GLOBAL f64 *RESTRICT part" : "");
    for (int m = 0; m < f->nmemory; ++m)
        ADD("    SHARED(%s, m%d, %lld);\n", rw_dtype_name(f->memory[m].dtype), m, (long long)f->memory[m].cells);
    rw_emit_accumulators(e);
    ADD("    const int tile = GROUP_ID(0);\n");
    rw_emit_tile(e, "    ");
    for (int i = 0; i < f->nkept; ++i) {
        const rw_graph_field *field = e->g->fields + f->kept[i].field;
        ADD("    LOCAL %s *const s_%s_%d = m%d;\n", rw_dtype_name(field->dtype), field->name, f->kept[i].version, f->kept[i].memory);
    }
    emit_regions(e, f);
    rw_pass_use all = e->use;
    for (e->pass = f->first; e->pass <= f->last; ++e->pass) {
        e->use = f->use[e->pass - f->first];
        emit_cells(e, f);
    }
    e->use = all, e->pass = f->first;
    rw_emit_partials(e);
    ADD("}\n");
    return RW_OK;
}
