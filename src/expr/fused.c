/* Several passes in one kernel, by overlapping tiles. A group takes a tile of the last pass; each pass before it is
 * computed on the tile and as many cells around it as the later ones will read, in shared memory, so that groups need
 * nothing from each other. Cells around a tile are computed by its neighbours too: worth it where a launch costs more
 * than the work, on small grids, and on lines of any length, where little is computed twice.
 *
 *   region of pass p   that of pass p+1 and what p+1 reads around it; cut at the sides of the grid, where it also
 *                      has the cells that the formulas of values beyond the side need; beyond periodic sides it goes on
 *   u0, u1, u2 / i, j, k   a cell as counted from the tile / as it is called in the grid (periodic axes wrap)
 *   s_u_3              version 3 of u in shared memory; o2: the place of the grid's first cell in pass 2's region */
#include <string.h>

#include "expr/arguments.h"
#include "expr/loads.h"
#include "expr/nodes.h"
#include "expr/reductions.h"
#include "expr/strategy.h"

enum { MOST = 16, MOST_FORCED = 4, MOST_KEPT = 64 };

/* A version of a field in shared memory. */
typedef struct kept {
    int field, version;
    int pass, last_read; /* that writes it; the last one that reads it */
    int memory;          /* m0, m1, …: the piece of shared memory it lies in */
} kept;

typedef struct fusion {
    int first, last;
    rw_pass_use use[MOST];
    int reach[MOST][3][2]; /* what a pass reads around a cell of fields that earlier ones leave in shared memory */
    kept kept[MOST_KEPT];
    int nkept;
    struct {
        rw_dtype dtype;
        int64_t cells;
        int busy_until;
    } memory[MOST_KEPT];
    int nmemory;
    int64_t size[MOST][3]; /* of the largest region */
    rw_tiling tiling;
    double cost; /* microseconds a pass, by the model below */
} fusion;

/* Cells inwards from a side that formulas for values beyond it may use. */
static int depth(const rw_graph *g, const int reach[2])
{
    return RW_MAX(g->order == 4 ? 4 : 0, RW_MAX(reach[0], reach[1])) + 1;
}

/* ---- what may be fused ------------------------------------------------------------------------------------------- */

static kept *find_kept(fusion *f, int field, int version)
{
    for (int i = 0; i < f->nkept; ++i)
        if (f->kept[i].field == field && f->kept[i].version == version) return f->kept + i;
    return NULL;
}

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
        if (rw_is_mixed(p)) return false; /* functions of sides serve nodes beyond one side */
        kept *v = find_kept(f, p->index, p->version);
        if (!v && f->nkept == MOST_KEPT) return false;
        if (!v) {
            v = f->kept + f->nkept++;
            *v = (kept){.field = p->index, .version = p->version, .pass = s->pass};
        }
        v->last_read = q;
        for (int d = 0; d < 3; ++d) {
            int *reach = f->reach[q - f->first][d];
            reach[0] = RW_MAX(reach[0], -p->offset[d]);
            reach[1] = RW_MAX(reach[1], p->offset[d]);
        }
    }
    return true;
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
static bool allocate(const rw_plan *plan, const rw_tuning *c, fusion *f)
{
    f->nmemory = 0;
    for (int pass = f->first; pass <= f->last; ++pass)
        for (int i = 0; i < f->nkept; ++i) {
            kept *v = f->kept + i;
            if (v->pass != pass) continue;
            const int64_t *size = f->size[pass - f->first];
            int64_t cells = size[0] * size[1] * size[2];
            rw_dtype dtype = plan->graph->fields[v->field].dtype;
            int m = 0;
            while (m < f->nmemory && (f->memory[m].dtype != dtype || f->memory[m].busy_until >= pass)) ++m;
            if (m == f->nmemory) {
                f->memory[f->nmemory++].dtype = dtype;
                f->memory[m].cells = 0;
            }
            f->memory[m].cells = RW_MAX(f->memory[m].cells, cells);
            f->memory[m].busy_until = v->last_read;
            v->memory = m;
        }
    int64_t bytes = 8 * f->tiling.group; /* for reductions */
    for (int m = 0; m < f->nmemory; ++m) bytes += f->memory[m].cells * (int64_t)rw_dtype_size(f->memory[m].dtype);
    return bytes <= c->fused_bytes;
}

/* ---- tiles and cost ---------------------------------------------------------------------------------------------- */

static int64_t cells_of(const rw_grid *g) { return g->size[0] * g->size[1] * g->size[2]; }

/* A line whose passes are limited by memory, not by launches: what shares a kernel costs nothing more. */
static bool is_long(const rw_emitter *e) { return e->g->grid.ndim == 1 && e->g->grid.size[0] > e->tuning->fused_cells; }

bool rw_fused_grid(const rw_grid *grid)
{
    return grid->ndim == 1 || cells_of(grid) <= rw_tuning_of[RW_GPU].fused_cells;
}

/* The largest regions of the passes; the number of cells of the largest. */
static int64_t find_regions(const rw_graph *g, fusion *f)
{
    const int64_t *n = g->grid.size;
    int64_t most = 1;
    for (int p = f->last; p >= f->first; --p) {
        int64_t *size = f->size[p - f->first], cells = 1;
        for (int d = 0; d < 3; ++d) {
            if (p == f->last) size[d] = f->tiling.tile[d];
            else {
                const int *reach = f->reach[p + 1 - f->first][d];
                size[d] = f->size[p + 1 - f->first][d] + reach[0] + reach[1];
                if (d < g->grid.ndim && !rw_axis_is_periodic(g, d))
                    size[d] = RW_MIN(RW_MAX(size[d], depth(g, reach)), n[d]);
            }
            cells *= size[d];
        }
        most = RW_MAX(most, cells);
    }
    return most;
}

/* As many tiles as the device has units, and their regions. */
static void choose_tiles(const rw_emitter *e, fusion *f)
{
    const rw_tuning *c = e->tuning;
    const int64_t *n = e->g->grid.size;
    const int ndim = RW_MAX(e->g->grid.ndim, 1);
    const int least[] = {c->fused_least_line, c->fused_least_plane, c->fused_least_space};
    const bool line = is_long(e);
    rw_tiling *t = &f->tiling;
    memset(t, 0, sizeof *t);
    for (int d = 0; d < 3; ++d) t->tile[d] = RW_MIN(d >= ndim ? 1 : line ? c->fused_line : least[ndim - 1], n[d]);
    for (int round = 0;; ++round) {
        t->groups = 1;
        for (int d = 0; d < 3; ++d) t->groups *= t->tiles[d] = (n[d] + t->tile[d] - 1) / t->tile[d];
        if (line || t->groups <= RW_MAX(e->target->units, c->fused_units)) break;
        int d = round % ndim;
        t->tile[d] = RW_MIN(2 * t->tile[d], n[d]);
    }
    const int64_t group = (RW_MAX(find_regions(e->g, f), 64) + 31) / 32 * 32;
    const int64_t limit = line ? c->fused_line_group : e->target->group_most;
    t->group = t->group_x = (int)RW_MIN(group, RW_MAX(RW_MIN(limit, c->fused_group) / 32 * 32, 1));
    t->narrow = cells_of(&e->g->grid) < INT32_MAX / 2;
}

/* Microseconds a pass. */
static double cost_of(const rw_emitter *e, const fusion *f)
{
    const int units = e->target->units;
    double time = e->tuning->launch_us;
    for (int p = f->first; p <= f->last; ++p) {
        const int64_t *size = f->size[p - f->first];
        double cells = (double)(size[0] * size[1] * size[2]);
        time += e->tuning->pass_us + cells * (f->use[p - f->first].flops + 10) / e->tuning->flops_a_us;
    }
    return time * (double)((f->tiling.groups + units - 1) / RW_MAX(units, 1)) / (f->last - f->first + 1);
}

static bool complete(const rw_emitter *e, fusion *f)
{
    for (int field = 0; field < e->g->nfields; ++field) {
        const rw_store *s = rw_final_store(e->plan, f->first, f->last, field);
        /* a program that could be recorded stays so */
        if (s && !s->shadow && needs_second_array(e->plan, f, field)) return false;
    }
    choose_tiles(e, f);
    f->cost = cost_of(e, f);
    return allocate(e->plan, e->tuning, f);
}

/* The state is two: what passes use belongs to the first, the second is the best so far, and borrows it. */
void rw_fused_free(void *state)
{
    fusion *f = state;
    for (int i = 0; f && i < MOST; ++i) rw_pass_use_free(&f->use[i]);
    rw_free(f);
}

static fusion *chosen(const rw_emitter *e) { return (fusion *)e->state + 1; }

/* ---- values and stores ------------------------------------------------------------------------------------------- */

static rw_cells cells_of_kept(const rw_emitter *e, const kept *v)
{
    const char *name = e->g->fields[v->field].name;
    rw_cells c = {.shared = true};
    snprintf(c.array, sizeof c.array, "s_%s_%d", name, v->version);
    snprintf(c.function, sizeof c.function, "near_%s_%d", name, v->version);
    snprintf(c.index, sizeof c.index, "(k * H%d + j) * W%d + i - o", v->pass, v->pass);
    snprintf(c.origin, sizeof c.origin, ", o%d", v->pass);
    return c;
}

/* One text for all cells: a tile at a side would execute two, one after the other. */
static void emit_field(rw_emitter *e, const rw_graph_node *p)
{
    const kept *v = find_kept(chosen(e), p->index, p->version);
    char place[256];
    if (!v) {
        rw_emit_load(e, p, RW_ALL_AXES);
        return;
    }
    const rw_cells cells = cells_of_kept(e, v);
    snprintf(place, sizeof place, "%s[((k + (%d)) * H%d + j + (%d)) * W%d + i + (%d) - o%d]", cells.array, p->offset[2],
             v->pass, p->offset[1], v->pass, p->offset[0], v->pass);
    rw_emit_load_from(e, p, place, &cells, RW_ALL_AXES);
}

static void emit_stores(rw_emitter *e)
{
    fusion *f = chosen(e);
    for (const rw_store *s = NULL; (s = rw_next_store(e->plan, e->pass, s));) {
        const char *name = e->g->fields[s->field].name;
        char to[160];
        if (find_kept(f, s->field, s->version)) {
            snprintf(to, sizeof to, "s_%s_%d[cell]", name, s->version);
            rw_emit_assign(e, s, to);
        }
        if (s != rw_final_store(e->plan, f->first, f->last, s->field)) continue;
        snprintf(to, sizeof to, "if (own) %c_%s[c]", e->beside[s->field] ? 'o' : 'f', name);
        rw_emit_assign(e, s, to);
    }
    if (!e->k->naccumulators) return;
    ADD("        if (own) {\n");
    rw_emit_reduced(e);
    ADD("        }\n");
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

/* l2_0, h2_0: where the region of pass 2 begins and ends on axis 0. */
static void emit_regions(rw_emitter *e, const fusion *f)
{
    for (int d = 0; d < 3; ++d) ADD("    const INDEX l%d_%d = lo%d, h%d_%d = hi%d;\n", f->last, d, d, f->last, d, d);
    for (int p = f->last - 1; p >= f->first; --p)
        for (int d = 0; d < 3; ++d) {
            const int *reach = f->reach[p + 1 - f->first][d];
            ADD("    INDEX l%d_%d = l%d_%d - %d, h%d_%d = h%d_%d + %d;\n", p, d, p + 1, d, reach[0], p, d, p + 1, d,
                reach[1]);
            if (d >= e->g->grid.ndim || rw_axis_is_periodic(e->g, d) || (!reach[0] && !reach[1])) continue;
            const long long n = e->g->grid.size[d], inside = RW_MIN(depth(e->g, reach), n);
            ADD("    {\n        const int below = l%d_%d < 0, above = h%d_%d > %lld;\n", p, d, p, d, n);
            ADD("        if (below) l%d_%d = 0, h%d_%d = h%d_%d < %lld ? %lld : h%d_%d;\n", p, d, p, d, p, d, inside,
                inside, p, d);
            ADD("        if (above) h%d_%d = %lld, l%d_%d = l%d_%d > %lld ? %lld : l%d_%d;\n    }\n", p, d, n, p, d, p,
                d, n - inside, n - inside, p, d);
        }
}

static void emit_cells(rw_emitter *e, const fusion *f)
{
    int p = e->pass;
    e->item = "cell";
    ADD("    EACH(cell, W%d * H%d * D%d) {\n", p, p, p);
    ADD("        const INDEX u0 = l%d_0 + cell %% W%d, u1 = l%d_1 + cell / W%d %% H%d, u2 = l%d_2 + cell / (W%d * "
        "H%d);\n",
        p, p, p, p, p, p, p, p);
    ADD("        if (u0 < h%d_0 && u1 < h%d_1 && u2 < h%d_2) {\n", p, p, p);
    for (int d = 0; d < 3; ++d) {
        char i = rw_index_letter[d], N = rw_size_letter[d];
        if (rw_axis_is_periodic(e->g, d)) ADD("        const INDEX %c = (u%d %% N%c + N%c) %% N%c;\n", i, d, N, N, N);
        else ADD("        const INDEX %c = u%d;\n", i, d);
    }
    for (int q = f->first; q < p; ++q)
        ADD("        const INDEX o%d = ((l%d_2 + k - u2) * H%d + l%d_1 + j - u1) * W%d + l%d_0 + i - u0;\n", q, q, q, q,
            q, q);
    ADD("        const INDEX c = (k * NY + j) * NX + i;\n");
    ADD("        const int own = u0 >= lo0 && u0 < hi0 && u1 >= lo1 && u1 < hi1 && u2 >= lo2 && u2 < hi2;\n");
    rw_emit_nodes(e, e->use.needed, "        ");
    emit_stores(e);
    ADD("        }\n    }\n%s", p < f->last ? "    BARRIER;\n" : "");
}

static rw_status emit_functions(rw_emitter *e, const fusion *f)
{
    for (int field = 0; field < e->g->nfields; ++field) {
        const rw_cells cells = rw_global_cells(e, field);
        if (e->use.read[field]) RW_TRY(rw_emit_sides(e, field, &cells));
    }
    for (int i = 0; i < f->nkept; ++i) {
        const rw_cells cells = cells_of_kept(e, f->kept + i);
        RW_TRY(rw_emit_sides(e, f->kept[i].field, &cells));
    }
    if (e->k->naccumulators) rw_emit_combine(e);
    return RW_OK;
}

rw_status rw_fused_emit(rw_emitter *e)
{
    const fusion *f = chosen(e);
    for (int p = f->first; p <= f->last; ++p) {
        const int64_t *size = f->size[p - f->first];
        ADD("#define W%d %lld\n#define H%d %lld\n#define D%d %lld\n", p, (long long)size[0], p, (long long)size[1], p,
            (long long)size[2]);
    }
    RW_TRY(emit_functions(e, f));
    rw_emit_head(e);
    for (int m = 0; m < f->nmemory; ++m)
        ADD("    SHARED(%s, m%d, %lld);\n", rw_dtype_word(f->memory[m].dtype), m, (long long)f->memory[m].cells);
    rw_emit_accumulators(e);
    ADD("    const int tile = GROUP_ID(0);\n");
    rw_emit_tile(e, "    ");
    for (int i = 0; i < f->nkept; ++i) {
        const rw_graph_field *field = e->g->fields + f->kept[i].field;
        ADD("    LOCAL %s *const s_%s_%d = m%d;\n", rw_dtype_word(field->dtype), field->name, f->kept[i].version,
            f->kept[i].memory);
    }
    emit_regions(e, f);
    rw_pass_use all = e->use;
    for (e->pass = f->first; e->pass <= f->last; ++e->pass) {
        e->use = f->use[e->pass - f->first];
        emit_cells(e, f);
    }
    e->use = all;
    e->pass = f->first;
    rw_emit_partials(e);
    ADD("}\n");
    return RW_OK;
}

/* ---- whether it suits -------------------------------------------------------------------------------------------- */

/* As many passes as are worth it: `best`, whose last one is its first where none are. */
static rw_status find_best(rw_emitter *e, bool forced, fusion *f, fusion *best)
{
    const rw_plan *plan = e->plan;
    const int first = e->k->first, most = forced ? MOST_FORCED : MOST;
    f->first = best->last = first;
    best->cost = forced ? 1e300 : e->tuning->alone_us;
    for (int q = first; q < plan->npasses && q - first < most; ++q) {
        RW_TRY(rw_plan_use(plan, q, &f->use[q - first]));
        f->last = q;
        if (rw_pass_use_is_f32(plan, &f->use[q - first]) != rw_pass_use_is_f32(plan, &f->use[0]) ||
            rw_pass_use_is_long(plan, &f->use[q - first]) || !note_reads(plan, f, q) ||
            rw_count_scalars(f->use, q - first + 1) > RW_SCALARS)
            break;
        if (q > first && complete(e, f) && (forced || is_long(e) || f->cost < best->cost)) *best = *f;
    }
    memcpy(best->use, f->use, sizeof f->use);
    return RW_OK;
}

rw_status rw_fused_suits(rw_emitter *e, bool forced, bool *suits)
{
    const rw_grid *grid = &e->g->grid;
    if (e->k->first + 1 >= e->plan->npasses || cells_of(grid) == 0 || e->g->neighbours >= 0 || !rw_fused_grid(grid) ||
        !rw_sides_agree(e->g))
        return RW_OK;
    fusion *f = e->state = rw_calloc(2, sizeof *f), *best = f + 1;
    if (!f) return rw_fail_memory(e->g->ctx, 2 * sizeof *f, "a plan");
    RW_TRY(find_best(e, forced, f, best));
    if (best->last == e->k->first) return RW_OK;
    *suits = true;
    e->field = emit_field;
    e->k->last = best->last;
    e->k->tiling = best->tiling;
    for (int field = 0; field < e->g->nfields; ++field) e->beside[field] = needs_second_array(e->plan, best, field);
    return rw_pass_use_join(e->plan, best->use, best->first, best->last, &e->use);
}
