/* Kernel text of a pass.
 *
 *   get_u_x0, get_u_x1, … the value of a field at a node beyond a side: periodic nodes wrap, Dirichlet, Neumann and
 *                         Robin sides give ghost values (docs/methods/field.md has the formulas)
 *   inner                 cells whose neighbours all exist: plain loads; on a GPU an item walks along the last axis and
 *                         keeps the values it will need again in registers
 *   border                all others: each neighbour is loaded or, beyond a side, asked for
 *   rows, columns         the same on a processor, as loops; of short rows the ends belong to the loop (l_u_1, h_u_1)
 *   run                   a group takes tiles, splits each into an inner box and the cells around it, keeps partial
 *                         reductions
 *   combine               adds up what the groups left behind, in their order; behind the last pass the update of states does (state.c)
 *
 * Scalars that depend on no field are computed once on the host and are arguments (k12); reductions of earlier passes
 * are read from device memory. Values are named after their nodes (v37), so the text follows the graph. */
#include "expr/emit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

/* A processor's rows up to so many cells are loops with the ends included; numbers that a loop takes at once, at most. */
enum { WHOLE_ROWS = 1024, VECTOR = 8 };

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Bytes of the fields that the pass reads and writes. */
static double moved_bytes(const rw_emitter *e)
{
    const rw_grid *grid = &e->g->grid;
    return (double)e->use.bytes_per_cell * (double)grid->size[0] * (double)grid->size[1] * (double)grid->size[2];
}

/* Fields that the pass reads at other places along an axis. */
static int fields_read_along(const rw_emitter *e, int axis)
{
    int count = 0;
    for (int f = 0; f < e->g->nfields; ++f) {
        bool any = false;
        for (int n = 0; n < e->use.nnodes && !any; ++n) {
            const rw_graph_node *p = e->g->nodes + n;
            any = e->use.needed[n] && p->op == RW_OP_FIELD && p->index == f && p->offset[axis];
        }
        count += any;
    }
    return count;
}

static void choose_tiling(rw_emitter *e, const rw_target *dev, rw_tiling *t)
{
    const rw_grid *grid = &e->g->grid;
    const bool gpu = dev->class == RW_GPU, stream = dev->tiling == RW_TILING_STREAM;
    int64_t n[3] = {grid->size[0], grid->size[1], grid->size[2]}, cells = n[0] * n[1] * n[2];
    bool neighbours = false;
    for (int d = 0; d < 3; ++d) neighbours = neighbours || e->use.reach[d][0] || e->use.reach[d][1];
    memset(t, 0, sizeof *t);
    t->flat = !neighbours && !e->use.coordinates && cells <= INT32_MAX / 2; /* indices of EACH2 are ints on a GPU */
    if (t->flat) n[0] = cells, n[1] = n[2] = 1;
    t->narrow = gpu && cells < INT32_MAX / 2;
    int ndim = n[2] > 1 ? 3 : n[1] > 1 ? 2 : 1;
    if (!gpu) { /* whole rows, tiles of 1024 to 8192 cells: the same for any number of threads */
        int64_t most = RW_MIN(RW_MAX(cells / 64, 1024), 8192);
        t->group = t->group_x = 256;
        t->tile[0] = ndim > 1 ? RW_MIN(RW_MAX(n[0], 1), 16384) : most;
        t->tile[1] = RW_MAX(1, RW_MIN(n[1], most / RW_MAX(t->tile[0], 1)));
        t->tile[2] = 1;
    } else if (ndim == 1) {
        t->group = t->group_x = 128;
        t->tile[0] = 1024, t->tile[1] = t->tile[2] = 1;
    } else { /* long columns for reuse in registers, but enough groups to fill the device */
        static const int64_t wide[2][2] = {{128, 1}, {32, 8}};
        t->group_x = (int)wide[ndim - 2][0], t->group = t->group_x * (int)wide[ndim - 2][1];
        t->tile[0] = wide[ndim - 2][0], t->tile[1] = wide[ndim - 2][1], t->tile[2] = 1;
        int64_t across = ceil_div(n[0], t->tile[0]) * (ndim == 3 ? ceil_div(n[1], t->tile[1]) : 1);
        int64_t enough = (int64_t)RW_MAX(dev->units, 16) * 16;
        bool light = ndim == 2 && fields_read_along(e, 1) == 1; /* 99 % of copy instead of 80 on an H200; others lose by the same */
        t->tile[ndim - 1] = RW_MAX(1, RW_MIN(light ? 8 : 16, n[ndim - 1] * across / enough));
        t->roll = ndim - 1, t->unroll = light ? 4 : 2;
    }
    t->stream = !gpu && (stream || moved_bytes(e) > (dev->cache > 0 ? (double)dev->cache : 0x1p26));
    t->rows = !gpu;
    t->split = t->tile[0] * t->tile[1] * t->tile[2] > 4 * t->group;
    int64_t tiles = 1;
    for (int d = 0; d < 3; ++d) tiles *= t->tiles[d] = ceil_div(n[d], RW_MAX(t->tile[d], 1));
    t->groups = tiles;
    if (!e->k->naccumulators) return;
    int64_t most = gpu ? (int64_t)RW_MAX(dev->units, 16) * 4096 / t->group : 256; /* numbers to combine; as many tiles to each, or one less */
    t->groups = tiles <= most ? tiles : gpu ? ceil_div(tiles, ceil_div(tiles, most)) : most;
}

/* ---- cells, tiles, reductions ------------------------------------------------------------------------------------- */

static bool reduces(const rw_emitter *e, const rw_reduction *r) { return r->pass >= e->k->first && r->pass <= e->k->last; }

void rw_emit_reduced(rw_emitter *e)
{
    int a = 0;
    for (int i = 0; i < e->plan->nreductions; ++i) {
        const rw_reduction *r = e->plan->reductions + i;
        static const char *const op[] = {"", "RW_MIN", "RW_MAX"};
        if (!reduces(e, r)) continue;
        if (r->pass != e->pass) a += r->width;
        else for (int part = 0; part < r->width; ++part, ++a) {
            const char *value = rw_word(e, r->value), *suffix = r->width == 1 ? "" : part ? ".im" : ".re";
            if (r->kind == RW_SUM) ADD("        AT(acc%d, %s) += (f64)%s%s;\n", a, e->item, value, suffix);
            else
                ADD("        { const f64 m = (f64)%s; AT(acc%d, %s) = %s(AT(acc%d, %s), m); }\n", value, a, e->item, op[r->kind], a,
                    e->item);
        }
    }
}

void rw_emit_assign(rw_emitter *e, const rw_store *s, const char *to)
{
    rw_dtype dtype = e->g->fields[s->field].dtype;
    bool same = e->k->f32 == (dtype == RW_F32 || dtype == RW_C64);
    if (!rw_dtype_is_complex(dtype))
        ADD("        %s = %s%s;\n", to, same ? "" : dtype == RW_F32 ? "(f32)" : "(f64)", rw_word(e, s->value));
    else if (same) ADD("        %s = %s;\n", to, rw_complex_word(e, s->value));
    else {
        ADD("        { const complex z = %s; ", rw_complex_word(e, s->value));
        ADD("%s = %s_make(z.re, z.im); }\n", to, rw_dtype_name(dtype));
    }
}

/* The value goes past the caches of a CPU: through a strip's buffer, s_u. */
static bool is_streamed(const rw_emitter *e, const rw_store *s)
{
    return e->stream && s->pass == e->pass && !s->dead && (s->shadow || !e->use.read[s->field]);
}

/* Before the loop the buffers, or behind it what empties them. */
static void emit_streams(rw_emitter *e, bool buffers)
{
    for (int i = 0; i < e->plan->nstores; ++i) {
        const rw_store *s = e->plan->stores + i;
        const rw_graph_field *f = e->g->fields + s->field;
        if (!is_streamed(e, s)) continue;
        if (buffers) ADD("    STREAM(%s, s_%s);\n", rw_dtype_name(f->dtype), f->name);
        else ADD(", STREAM_OUT(s_%s, %c_%s)", f->name, s->shadow ? 'o' : 'f', f->name);
    }
}

static void emit_stores(rw_emitter *e)
{
    for (int i = 0; i < e->plan->nstores; ++i) {
        const rw_store *s = e->plan->stores + i;
        const rw_graph_field *f = e->g->fields + s->field;
        if (s->pass != e->pass || s->dead) continue;
        char to[160];
        if (is_streamed(e, s)) snprintf(to, sizeof to, "STREAM_AT(s_%s, i, %c_%s, c)", f->name, s->shadow ? 'o' : 'f', f->name);
        else snprintf(to, sizeof to, "%c_%s[c]", s->shadow ? 'o' : 'f', f->name);
        rw_emit_assign(e, s, to);
    }
    rw_emit_reduced(e);
}

static void emit_head(rw_emitter *e, const char *name, const char *box)
{
    ADD("DEVICE void %s(%s%s%s", name, box, rw_text_of(&e->arrays), rw_text_of(&e->uniforms));
    for (int a = 0; a < e->k->naccumulators; ++a) ADD(", f64 *acc%d", a);
    ADD(")\n{\n");
    rw_emit_nodes(e, e->one, "    ");
}

/* Windows for all fields that are read at several places along the axis of the walk. */
static rw_status make_windows(rw_emitter *e)
{
    int axis = e->k->tiling.roll;
    e->windows = rw_calloc(RW_MAX_WINDOWS, sizeof *e->windows), e->nwindows = 0;
    if (!e->windows) return rw_fail_memory(e->g->ctx, RW_MAX_WINDOWS * sizeof *e->windows, "a kernel");
    for (int n = 0; n < e->use.nnodes; ++n) {
        const rw_graph_node *p = rw_node_of(e, n);
        if (!e->use.needed[n] || p->op != RW_OP_FIELD || rw_plan_forward(e->plan, e->pass, p)) continue;
        rw_window *w = (rw_window *)rw_find_window(e, p);
        if (!w) {
            if (e->nwindows == RW_MAX_WINDOWS) continue;
            w = e->windows + e->nwindows++;
            *w = (rw_window){p->index, p->version, {p->offset[0], p->offset[1], p->offset[2]}, p->offset[axis], p->offset[axis]};
        }
        w->first = RW_MIN(w->first, p->offset[axis]), w->last = RW_MAX(w->last, p->offset[axis]);
    }
    int kept = 0;
    for (int i = 0; i < e->nwindows; ++i)
        if (e->windows[i].last > e->windows[i].first) e->windows[kept++] = e->windows[i];
    e->nwindows = kept;
    return RW_OK;
}

/* w7_0 = value at offset `at` of window i. */
static void emit_window_load(rw_emitter *e, int i, int at, int slot, const char *before)
{
    const rw_window *w = e->windows + i;
    int16_t offset[3] = {w->offset[0], w->offset[1], w->offset[2]};
    offset[e->k->tiling.roll] = (int16_t)at;
    rw_graph_node p = {.op = RW_OP_FIELD, .index = w->field, .is_complex = rw_dtype_is_complex(e->g->fields[w->field].dtype)};
    memcpy(p.offset, offset, sizeof offset);
    ADD("%sw%d_%d = ", before, i, slot);
    rw_emit_load(e, &p);
    ADD(";\n");
}

/* An item walks along the last axis: windows move by one node a step, only their leading values are loaded. */
static void emit_walk(rw_emitter *e)
{
    int axis = e->k->tiling.roll;
    char q = rw_index_letter[axis];
    if (axis == 1) ADD("    EACH(lane, (int)(ihi - ilo)) {\n        const INDEX i = ilo + lane, k = klo;\n");
    else ADD("    EACH2(i, ilo, ihi, j, jlo, jhi) {\n");
    ADD("        INDEX c = (%s * NY + %s) * NX + i;\n", axis == 1 ? "k" : "klo", axis == 1 ? "jlo" : "j");
    for (int i = 0; i < e->nwindows; ++i) {
        const rw_window *w = e->windows + i;
        char declare[32];
        snprintf(declare, sizeof declare, "        %s ", rw_field_type(e, w->field));
        for (int at = w->first; at < w->last; ++at) emit_window_load(e, i, at, at - w->first, declare);
        ADD("        %s w%d_%d;\n", rw_field_type(e, w->field), i, w->last - w->first);
    }
    ADD("        UNROLL_BY(%d) for (INDEX %c = %clo; %c < %chi; ++%c, c += %s) {\n", e->k->tiling.unroll, q, q, q, q, q, axis == 1 ? "NX" : "NX * NY");
    for (int i = 0; i < e->nwindows; ++i)
        emit_window_load(e, i, e->windows[i].last, e->windows[i].last - e->windows[i].first, "        ");
    rw_emit_nodes(e, e->each, "        ");
    emit_stores(e);
    for (int i = 0; i < e->nwindows; ++i)
        for (int m = 0; m < e->windows[i].last - e->windows[i].first; ++m) ADD("        w%d_%d = w%d_%d;\n", i, m, i, m + 1);
    ADD("        }\n    }\n}\n");
}

/* Values beyond the sides of x, once a row: l_u_1 the first below, h_u_2 the second above. Then a loop along a row has all its cells. */
static void emit_ends(rw_emitter *e)
{
    for (int f = 0; f < e->g->nfields; ++f)
        for (int upper = 0; upper < 2; ++upper) {
            int most = 0;
            for (int n = 0; n < e->use.nnodes; ++n) {
                const rw_graph_node *p = rw_node_of(e, n);
                if (e->use.needed[n] && p->op == RW_OP_FIELD && p->index == f && !rw_plan_forward(e->plan, e->pass, p))
                    most = RW_MAX(most, upper ? p->offset[0] : -p->offset[0]);
            }
            for (int m = 1; m <= most; ++m) {
                const char *name = e->g->fields[f].name;
                ADD("    const %s %c_%s_%d = get_%s_x%d(f_%s, %s%d, j, k%s);\n", rw_field_type(e, f), "lh"[upper], name, m, name, upper, name,
                    upper ? "NX - 1 + " : "-", m, rw_text_of(&e->uniform_names));
            }
        }
}

static void emit_cell(rw_emitter *e)
{
    ADD("        const INDEX c = (k * NY + j) * NX + i;\n");
    rw_emit_nodes(e, e->each, "        ");
    emit_stores(e);
    ADD("    }\n");
}

/* A row, its ends apart: between them no cell asks whether a neighbour is beyond a side. */
static void emit_row(rw_emitter *e, bool apart)
{
    int64_t nx = e->g->grid.size[0], last = (nx - RW_MAX(1, e->use.reach[0][1])) / VECTOR * VECTOR;
    if (!apart || last < 2 * VECTOR || e->use.reach[0][0] > VECTOR) {
        ADD("    EACH_IN(i, ilo, ihi) {\n");
        emit_cell(e);
        return;
    }
    int64_t from[] = {0, VECTOR, last, nx};
    for (int part = 0; part < 3; ++part) {
        ADD("    EACH_IN(i, %lld, %lld) {\n", (long long)from[part], (long long)from[part + 1]);
        emit_cell(e);
    }
}

/* A box of cells whose neighbours may be beyond the sides that `border` names: along rows, or, where the box is narrow, along columns. */
static void emit_box(rw_emitter *e, const char *name, int border, bool columns)
{
    e->border = border;
    e->index[0] = "i", e->index[1] = "j", e->index[2] = "k", e->item = columns ? "j" : "i";
    emit_head(e, name, "INDEX ilo, INDEX ihi, INDEX jlo, INDEX jhi, INDEX klo, INDEX khi");
    ADD("    for (INDEX k = klo; k < khi; ++k)\n");
    if (!e->whole_rows) {
        ADD("    %s) {\n", columns ? "EACH2(j, jlo, jhi, i, ilo, ihi" : "EACH2(i, ilo, ihi, j, jlo, jhi");
        emit_cell(e);
        ADD("}\n");
        return;
    }
    ADD("    for (INDEX j = jlo; j < jhi; ++j) {\n");
    emit_ends(e);
    emit_row(e, border == RW_NO_AXIS);
    ADD("    }\n}\n");
}

static rw_status emit_inner(rw_emitter *e)
{
    bool walk = e->k->tiling.roll > 0 && !e->k->tiling.flat;
    e->border = RW_NO_AXIS;
    e->index[0] = "i", e->index[1] = "j", e->index[2] = "k";
    e->item = walk && e->k->tiling.roll == 1 ? "lane" : "i";
    if (e->whole_rows) {
        emit_box(e, "inner", RW_NO_AXIS, false);
        return RW_OK;
    }
    emit_head(e, "inner", "INDEX ilo, INDEX ihi, INDEX jlo, INDEX jhi, INDEX klo, INDEX khi");
    if (walk) {
        RW_TRY(make_windows(e));
        emit_walk(e);
        e->nwindows = 0;
        return RW_OK;
    }
    e->stream = e->k->tiling.stream;
    bool any = false;
    for (int i = 0; i < e->plan->nstores; ++i) any = any || is_streamed(e, e->plan->stores + i);
    emit_streams(e, true);
    ADD("    for (INDEX k = klo; k < khi; ++k)\n    %s(i, ilo, ihi, j, jlo, jhi", any ? "EACH2_STREAM" : "EACH2");
    if (any) ADD(", (k * NY + j) * NX");
    emit_streams(e, false);
    ADD(") {\n        const INDEX c = (k * NY + j) * NX + i;\n");
    rw_emit_nodes(e, e->each, "        ");
    emit_stores(e);
    ADD("    }\n%s}\n", any ? "    STREAM_END;\n" : "");
    e->stream = false;
    return RW_OK;
}

/* The cells of the tile lo … hi outside the box a … b, numbered: planes outside, then rows outside of the planes that
 * are left, then what is left of the rows. An empty box leaves the whole tile. */
static void emit_border(rw_emitter *e)
{
    e->border = RW_ALL_AXES;
    e->index[0] = "i", e->index[1] = "j", e->index[2] = "k", e->item = "cell";
    emit_head(e, "border", "INDEX lo0, INDEX hi0, INDEX lo1, INDEX hi1, INDEX lo2, INDEX hi2, INDEX a0, INDEX b0, INDEX a1, "
                           "INDEX b1, INDEX a2, INDEX b2");
    ADD("    const INDEX W = hi0 - lo0, H = hi1 - lo1, D = hi2 - lo2, w = b0 - a0, h = b1 - a1, d = b2 - a2;\n"
        "    const INDEX planes = (D - d) * H * W, rows = d * (H - h) * W, rest = d * h * (W - w);\n"
        "    EACH(cell, (int)(planes + rows + rest)) {\n"
        "        INDEX n = cell, i, j, k;\n"
        "        if (n < planes) {\n"
        "            i = lo0 + n %% W, j = lo1 + n / W %% H, k = lo2 + n / (W * H);\n"
        "            if (k >= a2) k += d;\n"
        "        } else if (n < planes + rows) {\n"
        "            n -= planes;\n"
        "            i = lo0 + n %% W, j = lo1 + n / W %% (H - h), k = a2 + n / (W * (H - h));\n"
        "            if (j >= a1) j += h;\n"
        "        } else {\n"
        "            n -= planes + rows;\n"
        "            i = lo0 + n %% (W - w), j = a1 + n / (W - w) %% h, k = a2 + n / ((W - w) * h);\n"
        "            if (i >= a0) i += w;\n"
        "        }\n"
        "        const INDEX c = (k * NY + j) * NX + i;\n");
    rw_emit_nodes(e, e->each, "        ");
    emit_stores(e);
    ADD("    }\n}\n");
}

static bool reaches(const rw_emitter *e, int axis) { return e->use.reach[axis][0] || e->use.reach[axis][1]; }

static void emit_call(rw_emitter *e, const char *indent, const char *name, const char *box)
{
    ADD("%s%s(%s%s%s", indent, name, box, rw_text_of(&e->array_names), rw_text_of(&e->uniform_names));
    for (int a = 0; a < e->k->naccumulators; ++a) ADD(", acc%d", a);
    ADD(");\n");
}

void rw_emit_accumulators(rw_emitter *e)
{
    if (e->k->naccumulators) ADD("    SHARED(f64, shared, GROUP);\n");
    for (int a = 0; a < e->k->naccumulators; ++a) ADD("    PRIVATE(f64, acc%d);\n", a);
    for (int i = 0, a = 0; i < e->plan->nreductions; ++i) {
        const rw_reduction *r = e->plan->reductions + i;
        static const char *const start[] = {"0", "RW_INF", "-RW_INF"};
        for (int part = 0; reduces(e, r) && part < r->width; ++part, ++a)
            ADD("    EACH(i, GROUP) { AT(acc%d, i) = %s; }\n", a, start[r->kind]);
    }
}

void rw_emit_partials(rw_emitter *e)
{
    for (int i = 0, a = 0; i < e->plan->nreductions; ++i) {
        const rw_reduction *r = e->plan->reductions + i;
        for (int part = 0; reduces(e, r) && part < r->width; ++part, ++a) {
            ADD("    EACH(i, GROUP) { shared[i] = AT(acc%d, i); }\n    BARRIER;\n    reduce_items(shared, %d);\n", a, r->kind);
            ADD("    EACH(i, 1) { part[%d * GROUP_COUNT(0) + GROUP_ID(0)] = shared[0]; }\n    BARRIER;\n", a);
        }
    }
}

void rw_emit_tile(rw_emitter *e, const char *indent)
{
    static const char *const which[] = {"tile % TILES_X", "tile / TILES_X % TILES_Y", "tile / (TILES_X * TILES_Y)"};
    for (int d = 0; d < 3; ++d) {
        char N = rw_size_letter[d];
        ADD("%sconst INDEX lo%d = (INDEX)(%s) * TILE_%c, hi%d = lo%d + TILE_%c < N%c ? lo%d + TILE_%c : N%c;\n", indent, d, which[d],
            N, d, d, N, N, d, N, N);
    }
}

static void emit_cell_by_cell(rw_emitter *e)
{
    ADD("        const int inside = a0 == lo0 && b0 == hi0 && a1 == lo1 && b1 == hi1 && a2 == lo2 && b2 == hi2;\n"
        "        if (a0 >= b0 || a1 >= b1 || a2 >= b2 || (!SPLIT && !inside)) a0 = b0 = hi0, a1 = b1 = hi1, a2 = b2 = hi2;\n");
    emit_call(e, "        ", "border", "lo0, hi0, lo1, hi1, lo2, hi2, a0, b0, a1, b1, a2, b2");
}

/* Planes below and above the inner box and rows below and above it, without their ends; then the ends of all rows. */
static void emit_rows_and_columns(rw_emitter *e)
{
    for (int d = 0; d < 3; ++d) ADD("        if (a%d >= b%d) a%d = b%d = hi%d;\n", d, d, d, d, d);
    if (reaches(e, 1) || reaches(e, 2)) {
        ADD("        for (int part = 0; part < 4; ++part) {\n"
            "            const INDEX from1 = part == 3 ? b1 : lo1, to1 = part == 2 ? a1 : hi1;\n"
            "            const INDEX from2 = part == 0 ? lo2 : part == 1 ? b2 : a2, to2 = part == 0 ? a2 : part == 1 ? hi2 : b2;\n"
            "            if (a0 < b0 && from1 < to1 && from2 < to2)\n");
        emit_call(e, "                ", "rows", "a0, b0, from1, to1, from2, to2");
        ADD("        }\n");
    }
    if (!reaches(e, 0) || e->whole_rows) return;
    ADD("        for (int part = 0; part < 2; ++part) {\n"
        "            const INDEX from0 = part ? b0 : lo0, to0 = part ? hi0 : a0;\n            if (from0 < to0)\n");
    emit_call(e, "                ", "columns", "from0, to0, lo1, hi1, lo2, hi2");
    ADD("        }\n");
}

static void emit_run(rw_emitter *e)
{
    const rw_tiling *t = &e->k->tiling;
    bool sides = reaches(e, 0) || reaches(e, 1) || reaches(e, 2);
    int na = e->k->naccumulators;
    ADD("KERNEL(run%s%s%s)\n{\n", rw_text_of(&e->arrays), rw_text_of(&e->uniforms),
        na ? ", GLOBAL f64 *RESTRICT part" : "");
    rw_emit_accumulators(e);
    if (t->groups < t->tiles[0] * t->tiles[1] * t->tiles[2])
        ADD("    for (int tile = GROUP_ID(0); tile < TILES_X * TILES_Y * TILES_Z; tile += GROUP_COUNT(0)) {\n");
    else ADD("    {\n        const int tile = GROUP_ID(0);\n");
    rw_emit_tile(e, "        ");
    if (!sides) {
        emit_call(e, "        ", "inner", "lo0, hi0, lo1, hi1, lo2, hi2");
    } else {
        ADD("        INDEX");
        if (e->whole_rows) ADD(" a0 = lo0, b0 = hi0");
        for (int d = e->whole_rows; d < 3; ++d)
            ADD("%s a%d = lo%d < %d ? %d : lo%d, b%d = hi%d > N%c - %d ? N%c - %d : hi%d", d ? "," : "", d, d,
                e->use.reach[d][0], e->use.reach[d][0], d, d, d, rw_size_letter[d], e->use.reach[d][1], rw_size_letter[d],
                e->use.reach[d][1], d);
        ADD(";\n");
        if (t->rows) emit_rows_and_columns(e);
        else emit_cell_by_cell(e);
        ADD("        if (a0 < b0)\n");
        emit_call(e, "            ", "inner", "a0, b0, a1, b1, a2, b2");
    }
    ADD("    }\n");
    rw_emit_partials(e);
    ADD("}\n");
}

/* Two levels: items of a group in shared memory, then the groups' values: eight loads at once, as one group has to hide their latency. */
void rw_emit_merge(rw_emitter *e)
{
    ADD("DEVICE f64 merge(f64 a, f64 b, int kind)\n{\n    return kind == 0 ? a + b : kind == 1 ? RW_MIN(a, b) : RW_MAX(a, "
        "b);\n}\n"
        "DEVICE void reduce_items(LOCAL f64 *s, int kind)\n{\n    for (int n = GROUP; n > 1; n = (n + 1) / 2) {\n"
        "        const int upper = (n + 1) / 2;\n        EACH(i, n - upper) { s[i] = merge(s[i], s[i + upper], kind); }\n"
        "        BARRIER;\n    }\n}\n"
        "DEVICE void combine_parts(GLOBAL f64 *slot, GLOBAL const f64 *part, int n, int kind, LOCAL f64 *shared, f64 *acc)\n{\n"
        "    EACH(i, GROUP) { AT(acc, i) = kind == 0 ? 0 : kind == 1 ? RW_INF : -RW_INF; }\n"
        "    UNROLL_BY(8) EACH_IN(i, 0, n) { AT(acc, i) = merge(AT(acc, i), part[i], kind); }\n"
        "    EACH(i, GROUP) { shared[i] = AT(acc, i); }\n    BARRIER;\n    reduce_items(shared, kind);\n"
        "    EACH(i, 1) { *slot = shared[0]; }\n    BARRIER;\n}\n");
}

/* A group a number. */
void rw_emit_combine(rw_emitter *e)
{
    const rw_pass_kernel *k = e->k;
    int last = k->naccumulators - 1;
    rw_emit_merge(e);
    ADD("KERNEL(combine, GLOBAL f64 *slots, GLOBAL const f64 *part, int n)\n{\n"
        "    SHARED(f64, shared, GROUP);\n    PRIVATE(f64, acc);\n    const int a = GROUP_ID(0);\n    const int slot = ");
    for (int a = 0; a < last; ++a) ADD("a == %d ? %d : ", a, k->accumulator_slot[a]);
    ADD("%d, kind = ", k->accumulator_slot[last]);
    for (int a = 0; a < last; ++a) ADD("a == %d ? %d : ", a, k->accumulator_kind[a]);
    ADD("%d;\n    combine_parts(slots + slot, part + a * n, n, kind, shared, acc);\n}\n", k->accumulator_kind[last]);
}

/* ---- the whole ----------------------------------------------------------------------------------------------------- */

static bool add_slot(rw_emitter *e, rw_slot_kind kind, int index, bool read, bool written)
{
    rw_pass_kernel *k = e->k;
    if (!rw_grow(&k->slots, &k->slots_capacity, k->nslots + 1, sizeof *k->slots)) return false;
    k->slots[k->nslots++] = (rw_slot){kind, index, read, written};
    return true;
}

static bool uses_slots(const rw_emitter *e)
{
    for (int n = 0; n < e->use.nnodes; ++n)
        if (e->use.needed[n] && (rw_node_of(e, n)->op == RW_OP_REDUCE || rw_node_of(e, n)->op == RW_OP_STATE)) return true;
    return false;
}

static bool is_beside(const rw_emitter *e, int f)
{
    if (e->fusion) return rw_fused_beside(e, f);
    if (e->wave) return rw_wave_beside(e, f);
    for (int i = 0; i < e->plan->nstores; ++i) {
        const rw_store *s = e->plan->stores + i;
        if (s->field == f && s->pass == e->pass && !s->dead && s->shadow) return true;
    }
    return false;
}

bool rw_emit_uniforms(rw_emitter *e)
{
    bool ok = true;
    for (int n = 0; n < e->use.nnodes; ++n)
        if (e->use.uniform[n]) {
            ok = ok && add_slot(e, RW_SLOT_UNIFORM, n, true, false);
            rw_text_add(&e->uniforms, ", %s k%d", rw_node_of(e, n)->is_complex ? "complex" : "real", n);
            rw_text_add(&e->uniform_names, ", k%d", n);
        }
    return ok && !e->uniforms.failed && !e->uniform_names.failed;
}

/* Arguments in their order: fields read or written, second arrays, device scalars, tables, uniforms, partial results. */
rw_status rw_emit_arguments(rw_emitter *e)
{
    bool ok = true;
    for (int f = 0; f < e->g->nfields; ++f) {
        const rw_graph_field *field = e->g->fields + f;
        const char *type = rw_dtype_name(field->dtype);
        bool shadow = e->use.written[f] && is_beside(e, f), written = e->use.written[f] && !shadow;
        if (e->use.read[f] || written) {
            ok = ok && add_slot(e, RW_SLOT_FIELD, f, e->use.read[f], written);
            rw_text_add(&e->arrays, ", GLOBAL %s%s *RESTRICT f_%s", written ? "" : "const ", type, field->name);
            rw_text_add(&e->array_names, ", f_%s", field->name);
        }
        if (shadow) {
            ok = ok && add_slot(e, RW_SLOT_SHADOW, f, false, true);
            rw_text_add(&e->arrays, ", GLOBAL %s *RESTRICT o_%s", type, field->name);
            rw_text_add(&e->array_names, ", o_%s", field->name);
        }
    }
    if (uses_slots(e)) {
        ok = ok && add_slot(e, RW_SLOT_SLOTS, 0, true, false);
        rw_text_add(&e->arrays, ", GLOBAL const f64 *RESTRICT slots");
        rw_text_add(&e->array_names, ", slots");
    }
    for (int n = 0; e->use.table && n < e->use.nnodes; ++n)
        if (e->use.table[n]) {
            ok = ok && add_slot(e, RW_SLOT_TABLE, n, true, false);
            rw_text_add(&e->arrays, ", GLOBAL const real *RESTRICT t%d", n);
            rw_text_add(&e->array_names, ", t%d", n);
        }
    ok = rw_emit_uniforms(e) && ok;
    if (e->k->naccumulators) ok = ok && add_slot(e, RW_SLOT_PARTIAL, 0, false, true);
    if (!ok || e->arrays.failed || e->array_names.failed)
        return rw_fail_memory(e->g->ctx, 1024, "a kernel");
    if (e->k->nslots > 150)
        return rw_fail(e->g->ctx, RW_ERR_UNSUPPORTED,
                       "a pass needs %d fields and scalars, more than the 150 a kernel can take: split the equations",
                       e->k->nslots);
    return RW_OK;
}

static rw_status count_accumulators(rw_emitter *e)
{
    rw_pass_kernel *k = e->k;
    k->accumulator_slot = rw_calloc((size_t)e->plan->nslots + 1, sizeof *k->accumulator_slot);
    k->accumulator_kind = rw_calloc((size_t)e->plan->nslots + 1, sizeof *k->accumulator_kind);
    if (!k->accumulator_slot || !k->accumulator_kind) return rw_fail_memory(e->g->ctx, 64, "a kernel");
    for (int i = 0; i < e->plan->nreductions; ++i) {
        const rw_reduction *r = e->plan->reductions + i;
        for (int part = 0; reduces(e, r) && part < r->width; ++part)
            k->accumulator_kind[k->naccumulators] = r->kind, k->accumulator_slot[k->naccumulators++] = r->slot + part;
    }
    return RW_OK;
}

void rw_emit_definitions(rw_emitter *e)
{
    const rw_tiling *t = &e->k->tiling;
    const rw_grid *grid = &e->g->grid;
    int64_t cells = grid->size[0] * grid->size[1] * grid->size[2];
    ADD("#define CX(name) %s_##name\n#define RX(name) %s_##name\n#define INDEX %s\n#define SPLIT %d\n", e->k->f32 ? "c64" : "c128",
        e->k->f32 ? "f32" : "f64", t->narrow ? "int" : "long", t->split);
    for (int d = 0; d < 3; ++d) {
        long long n = t->flat ? d ? 1 : (long long)cells : (long long)grid->size[d];
        ADD("#define N%c %lld\n#define TILE_%c %lld\n#define TILES_%c %lld\n", rw_size_letter[d], n, rw_size_letter[d],
            (long long)t->tile[d], rw_size_letter[d], (long long)t->tiles[d]);
    }
}

static void choose_precision(rw_emitter *e)
{
    bool any64 = false, any = false;
    for (int f = 0; f < e->g->nfields; ++f) {
        if (!e->use.read[f] && !e->use.written[f]) continue;
        any = true;
        any64 = any64 || e->g->fields[f].dtype == RW_F64 || e->g->fields[f].dtype == RW_C128;
        e->k->has_complex = e->k->has_complex || rw_dtype_is_complex(e->g->fields[f].dtype);
    }
    for (int n = 0; n < e->use.nnodes; ++n)
        if (e->use.needed[n] || e->use.uniform[n]) e->k->has_complex = e->k->has_complex || rw_node_of(e, n)->is_complex;
    e->k->f32 = any && !any64;
}

/* Of the nodes needed, what is the same in all cells, such as a function of a sum, and what is not. */
static rw_status part_nodes(rw_emitter *e)
{
    size_t n = (size_t)RW_MAX(e->use.nnodes, 1);
    e->one = rw_calloc(n, 1), e->each = rw_calloc(n, 1);
    if (!e->one || !e->each) return rw_fail_memory(e->g->ctx, 2 * n, "a kernel");
    for (int i = 0; i < e->use.nnodes; ++i) (rw_node_of(e, i)->is_field ? e->each : e->one)[i] = e->use.needed[i];
    return RW_OK;
}

/* One pass: functions for the inner cells and those at the sides, and the kernel that calls them. */
static rw_status emit_plain(rw_emitter *e)
{
    bool flat = e->k->tiling.flat;
    RW_TRY(part_nodes(e));
    for (int f = 0; f < e->g->nfields; ++f)
        if (e->use.read[f] && !flat) RW_TRY(rw_emit_get(e, f, NULL));
    if (e->k->naccumulators) rw_emit_combine(e);
    e->whole_rows = e->k->tiling.rows && !e->k->tiling.stream && reaches(e, 0) && !e->mixed && e->g->grid.size[0] <= WHOLE_ROWS;
    RW_TRY(emit_inner(e));
    if (!flat && !e->k->tiling.rows) emit_border(e);
    if (e->k->tiling.rows && (reaches(e, 1) || reaches(e, 2))) emit_box(e, "rows", RW_ACROSS_ROWS, false);
    if (e->k->tiling.rows && reaches(e, 0) && !e->whole_rows) emit_box(e, "columns", RW_ALL_AXES, true);
    emit_run(e);
    return RW_OK;
}

/* Fused, wave or rings wherever they are possible, any other kind without fusing. */
typedef struct wishes { bool fused, wave, rings, plain; } wishes;

static wishes read_wishes(const rw_target *t)
{
    wishes w = {t->tiling == RW_TILING_FUSED, t->tiling == RW_TILING_WAVE, t->tiling == RW_TILING_RINGS, false};
    w.plain = t->tiling && !w.fused && !w.wave && !w.rings;
    return w;
}

bool rw_passes_fuse(const rw_grid *grid, const rw_target *device)
{
    wishes wish = read_wishes(device);
    bool tiles = grid->ndim == 1 || grid->size[0] * grid->size[1] * grid->size[2] <= RW_FUSED_CELLS;
    return wish.fused || wish.wave || wish.rings || (!wish.plain && ((device->class == RW_GPU && tiles) || rw_wave_suits(grid)));
}

rw_status rw_pass_kernel_create(const rw_plan *plan, int first, const rw_target *device, rw_pass_kernel *k)
{
    rw_text text = {0};
    rw_emitter e = {.plan = plan, .g = plan->graph, .pass = first, .k = k, .t = &text, .index = {"i", "j", "k"}};
    *k = (rw_pass_kernel){.first = first, .last = first};
    RW_TRY(rw_plan_use(plan, first, &e.use));
    wishes wish = read_wishes(device);
    rw_status status = wish.fused || (device->class == RW_GPU && !wish.plain) ? rw_fuse(&e, device, wish.fused) : RW_OK;
    if (status == RW_OK && !e.fusion && !wish.plain) status = rw_wave_fuse(&e, device, wish.wave || wish.rings, wish.rings || (!wish.wave && device->class != RW_GPU));
    if (status == RW_OK) status = count_accumulators(&e);
    if (status != RW_OK) goto out;
    choose_precision(&e);
    for (int n = 0; n < e.use.nnodes; ++n)
        e.mixed = e.mixed || (e.use.needed[n] && e.g->nodes[n].op == RW_OP_FIELD && rw_is_mixed(e.g->nodes + n));
    if (!e.fusion && !e.wave) choose_tiling(&e, device, &k->tiling);
    RW_TRY_GOTO(rw_emit_arguments(&e), out);
    rw_emit_definitions(&e);
    RW_TRY_GOTO(e.fusion ? rw_emit_fused(&e) : e.wave ? rw_emit_wave(&e) : emit_plain(&e), out);
    k->flops = e.use.flops, k->bytes_per_cell = e.use.bytes_per_cell;
    if (text.failed) status = rw_fail_memory(e.g->ctx, text.length, "the text of a kernel");
    else k->text = text.data, text.data = NULL;
out:
    rw_pass_use_free(&e.use);
    rw_fusion_free(e.fusion), rw_wave_free(e.wave);
    rw_free(e.windows), rw_free(e.one), rw_free(e.each);
    rw_text_free(&text);
    rw_text_free(&e.uniforms), rw_text_free(&e.uniform_names);
    rw_text_free(&e.arrays), rw_text_free(&e.array_names);
    if (status != RW_OK) rw_pass_kernel_free(k);
    return status;
}

void rw_pass_kernel_free(rw_pass_kernel *k)
{
    rw_free(k->text), rw_free(k->slots), rw_free(k->accumulator_slot), rw_free(k->accumulator_kind);
    memset(k, 0, sizeof *k);
}
