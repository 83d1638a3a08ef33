/* The kernel of one pass that is not fused with others.
 *
 *   get_u_x0, get_u_x1, … the value of a field at a node beyond a side: periodic nodes wrap, Dirichlet, Neumann and
 *                         Robin sides give ghost values (docs/methods/field.md has the formulas)
 *   inner                 cells whose neighbours all exist: plain loads; on a GPU an item walks along the last axis and
 *                         keeps the values it will need again in registers
 *   border                all others: each neighbour is loaded or, beyond a side, asked for
 *   rows, columns         the same on a processor, as loops; of short rows the ends belong to the loop (l_u_1, h_u_1)
 *   run                   a group takes tiles, splits each into an inner box and the cells around it, keeps partial
 *                         reductions */
#include <stdlib.h>
#include <string.h>

#include "expr/arguments.h"
#include "expr/loads.h"
#include "expr/nodes.h"
#include "expr/reductions.h"
#include "expr/strategy.h"

/* Values of a field along the axis that an item walks: offsets first … last are in registers w7_0, w7_1, … */
typedef struct window {
    int field, version;
    int16_t offset[3]; /* 0 on the axis */
    int first, last;
} window;
enum { MAX_WINDOWS = 64 };

typedef struct plain {
    uint8_t *one, *each; /* by node: needed once, in each cell (rw_need) */
    int border;          /* bits of the axes along which neighbours may lie beyond a side */
    bool stream;         /* stores past the caches */
    bool whole_rows;     /* values beyond the sides of x are in l_u_1, h_u_1, … */
    window *windows;     /* while an item walks along an axis */
    int nwindows;
} plain;

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

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

static bool reaches(const rw_emitter *e, int axis) { return e->use.reach[axis][0] || e->use.reach[axis][1]; }

/* Whole rows, as many cells for any number of threads. */
static void choose_rows(const rw_emitter *e, const int64_t n[3], int ndim, rw_tiling *t)
{
    const rw_tuning *c = e->tuning;
    const int64_t most = RW_MIN(RW_MAX(n[0] * n[1] * n[2] / 64, c->tile_least), c->tile_most);
    t->group = t->group_x = c->line_group;
    t->tile[0] = ndim > 1 ? RW_MIN(RW_MAX(n[0], 1), c->row_max) : most;
    t->tile[1] = RW_MAX(1, RW_MIN(n[1], most / RW_MAX(t->tile[0], 1)));
    t->tile[2] = 1;
    t->rows = true;
    t->stream = e->target->tiling == RW_TILING_STREAM ||
                moved_bytes(e) > (e->target->cache > 0 ? (double)e->target->cache : (double)c->stream_bytes);
}

/* Long columns for reuse in registers, but enough groups to fill the device. */
static void choose_columns(const rw_emitter *e, const int64_t n[3], int ndim, rw_tiling *t)
{
    const rw_tuning *c = e->tuning;
    const bool light = ndim == 2 && fields_read_along(e, 1) == 1;
    const int x = ndim == 3 ? c->space_group_x : c->plane_group_x, y = ndim == 3 ? c->space_group_y : c->plane_group_y;
    const int64_t across = ceil_div(n[0], x) * (ndim == 3 ? ceil_div(n[1], y) : 1);
    const int64_t enough = (int64_t)RW_MAX(e->target->units, 16) * c->groups_a_unit;
    t->group_x = x;
    t->group = x * y;
    t->tile[0] = x;
    t->tile[1] = y;
    t->tile[2] = 1;
    t->tile[ndim - 1] = RW_MAX(1, RW_MIN(light ? c->walk_light : c->walk_most, n[ndim - 1] * across / enough));
    t->roll = ndim - 1;
    t->unroll = light ? c->walk_light_unroll : c->walk_unroll;
}

static void choose_tiling(const rw_emitter *e, rw_tiling *t)
{
    const rw_grid *grid = &e->g->grid;
    const bool gpu = e->target->class == RW_GPU, neighbours = reaches(e, 0) || reaches(e, 1) || reaches(e, 2);
    int64_t n[3] = {grid->size[0], grid->size[1], grid->size[2]}, cells = n[0] * n[1] * n[2];
    memset(t, 0, sizeof *t);
    t->flat = !neighbours && !e->use.coordinates && cells <= INT32_MAX / 2; /* indices of EACH2 are ints on a GPU */
    if (t->flat) {
        n[0] = cells;
        n[1] = n[2] = 1;
    }
    t->narrow = gpu && cells < INT32_MAX / 2;
    const int ndim = n[2] > 1 ? 3 : n[1] > 1 ? 2 : 1;
    if (!gpu) choose_rows(e, n, ndim, t);
    else if (ndim > 1) choose_columns(e, n, ndim, t);
    else {
        t->group = t->group_x = e->tuning->line_group;
        t->tile[0] = e->tuning->tile_least;
        t->tile[1] = t->tile[2] = 1;
    }
    t->split = t->tile[0] * t->tile[1] * t->tile[2] > e->tuning->border_cells_an_item * t->group;
    int64_t tiles = 1;
    for (int d = 0; d < 3; ++d) tiles *= t->tiles[d] = ceil_div(n[d], RW_MAX(t->tile[d], 1));
    t->groups = tiles;
    if (!rw_pass_reduces(e->plan, e->pass)) return;
    int64_t most =
        rw_target_reducing_groups(e->target, t->group); /* numbers to combine; as many tiles to each, or one less */
    t->groups = tiles <= most ? tiles : gpu ? ceil_div(tiles, ceil_div(tiles, most)) : most;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The window that holds a value, NULL when it is loaded. */
static window *find_window(const rw_emitter *e, const rw_graph_node *p)
{
    const plain *s = e->state;
    int axis = e->k->tiling.roll;
    for (int i = 0; i < s->nwindows; ++i) {
        window *w = s->windows + i;
        bool same = w->field == p->index && w->version == p->version;
        for (int d = 0; d < 3; ++d) same = same && (d == axis || w->offset[d] == p->offset[d]);
        if (same) return w;
    }
    return NULL;
}

/* The node is in the row, or which of the values beyond its ends it is: "i >= 2 ? … : i == 1 ? l_u_1 : l_u_2". */
static void emit_in_row(rw_emitter *e, const rw_graph_node *p, int border)
{
    int m = p->offset[0];
    const char *name = e->g->fields[p->index].name;
    if (m < 0) ADD("i >= %d ? ", -m);
    else ADD("i < NX - %d ? ", m);
    rw_emit_load(e, p, border);
    ADD(" : ");
    for (int n = 1; n < abs(m); ++n) {
        if (m < 0) ADD("i == %d ? l_%s_%d : ", -m - n, name, n);
        else ADD("i == NX - %d ? h_%s_%d : ", m - n + 1, name, n);
    }
    ADD("%c_%s_%d", m < 0 ? 'l' : 'h', name, abs(m));
}

static void emit_field(rw_emitter *e, const rw_graph_node *p)
{
    const plain *s = e->state;
    const window *w = find_window(e, p);
    if (w) ADD("w%d_%d", (int)(w - s->windows), p->offset[e->k->tiling.roll] - w->first);
    else if (s->whole_rows && p->offset[0]) emit_in_row(e, p, s->border);
    else rw_emit_load(e, p, s->border);
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

/* The value goes past the caches of a CPU: through a strip's buffer, s_u. */
static bool is_streamed(const rw_emitter *e, const rw_store *s)
{
    return ((const plain *)e->state)->stream && (s->shadow || !e->use.read[s->field]);
}

/* The buffers before the loop, or after it the code that empties them. */
static void emit_streams(rw_emitter *e, bool buffers)
{
    for (const rw_store *s = NULL; (s = rw_next_store(e->plan, e->pass, s));) {
        const rw_graph_field *f = e->g->fields + s->field;
        if (!is_streamed(e, s)) continue;
        if (buffers) ADD("    STREAM(%s, s_%s);\n", rw_dtype_word(f->dtype), f->name);
        else ADD(", STREAM_OUT(s_%s, %c_%s)", f->name, s->shadow ? 'o' : 'f', f->name);
    }
}

/* The formulas of a cell, its stores and reductions. */
static void emit_formulas(rw_emitter *e)
{
    rw_emit_nodes(e, ((const plain *)e->state)->each, "        ");
    for (const rw_store *s = NULL; (s = rw_next_store(e->plan, e->pass, s));) {
        const char *name = e->g->fields[s->field].name, o = s->shadow ? 'o' : 'f';
        char to[256];
        if (is_streamed(e, s)) snprintf(to, sizeof to, "STREAM_AT(s_%s, i, %c_%s, c)", name, o, name);
        else snprintf(to, sizeof to, "%c_%s[c]", o, name);
        rw_emit_assign(e, s, to);
    }
    rw_emit_reduced(e);
}

static void emit_cell(rw_emitter *e)
{
    ADD("        const INDEX c = (k * NY + j) * NX + i;\n");
    emit_formulas(e);
    ADD("    }\n");
}

/* ---- functions of boxes ------------------------------------------------------------------------------------------ */

#define BOX "INDEX ilo, INDEX ihi, INDEX jlo, INDEX jhi, INDEX klo, INDEX khi"

static void begin_function(rw_emitter *e, const char *name, const char *box, int border, const char *item)
{
    plain *s = e->state;
    const bool rare = e->k->tiling.rows && border != RW_NO_AXIS; /* as one function it takes half as long to compile */
    s->border = border;
    e->item = item;
    ADD("%s void %s(%s%s%s", rare ? "RARE" : "DEVICE", name, box, rw_text_of(&e->arrays), rw_text_of(&e->uniforms));
    for (int a = 0; a < e->k->naccumulators; ++a) ADD(", f64 *acc%d", a);
    ADD(")\n{\n");
    rw_emit_nodes(e, s->one, "    ");
}

/* Windows for all fields that are read at several places along the axis of the walk. */
static rw_status make_windows(rw_emitter *e)
{
    plain *s = e->state;
    int axis = e->k->tiling.roll;
    s->windows = rw_calloc(MAX_WINDOWS, sizeof *s->windows);
    s->nwindows = 0;
    if (!s->windows) return rw_fail_memory(e->g->ctx, MAX_WINDOWS * sizeof *s->windows, "a kernel");
    for (int n = 0; n < e->use.nnodes; ++n) {
        const rw_graph_node *p = rw_node_of(e, n);
        if (!e->use.needed[n] || p->op != RW_OP_FIELD || rw_plan_forward(e->plan, e->pass, p)) continue;
        window *w = find_window(e, p);
        if (!w) {
            if (s->nwindows == MAX_WINDOWS) continue;
            w = s->windows + s->nwindows++;
            *w = (window){p->index,
                          p->version,
                          {p->offset[0], p->offset[1], p->offset[2]},
                          p->offset[axis],
                          p->offset[axis]};
        }
        w->first = RW_MIN(w->first, p->offset[axis]);
        w->last = RW_MAX(w->last, p->offset[axis]);
    }
    int kept = 0;
    for (int i = 0; i < s->nwindows; ++i)
        if (s->windows[i].last > s->windows[i].first) s->windows[kept++] = s->windows[i];
    s->nwindows = kept;
    return RW_OK;
}

/* w7_0 = value at offset `at` of window i. */
static void emit_window_load(rw_emitter *e, int i, int at, const char *before)
{
    const plain *s = e->state;
    const window *w = s->windows + i;
    rw_graph_node p = {.op = RW_OP_FIELD,
                       .index = w->field,
                       .is_complex = rw_dtype_is_complex(e->g->fields[w->field].dtype)};
    memcpy(p.offset, w->offset, sizeof p.offset);
    p.offset[e->k->tiling.roll] = (int16_t)at;
    ADD("%sw%d_%d = ", before, i, at - w->first);
    rw_emit_load(e, &p, s->border);
    ADD(";\n");
}

/* An item walks along the last axis: windows move by one node a step, only their leading values are loaded. */
static rw_status emit_walk(rw_emitter *e)
{
    plain *s = e->state;
    int axis = e->k->tiling.roll;
    char q = rw_index_letter[axis];
    RW_TRY(make_windows(e));
    if (axis == 1) ADD("    EACH(lane, (int)(ihi - ilo)) {\n        const INDEX i = ilo + lane, k = klo;\n");
    else ADD("    EACH2(i, ilo, ihi, j, jlo, jhi) {\n");
    ADD("        INDEX c = (%s * NY + %s) * NX + i;\n", axis == 1 ? "k" : "klo", axis == 1 ? "jlo" : "j");
    for (int i = 0; i < s->nwindows; ++i) {
        const window *w = s->windows + i;
        char declare[32];
        snprintf(declare, sizeof declare, "        %s ", rw_field_type(e, w->field));
        for (int at = w->first; at < w->last; ++at) emit_window_load(e, i, at, declare);
        ADD("        %s w%d_%d;\n", rw_field_type(e, w->field), i, w->last - w->first);
    }
    ADD("        UNROLL_BY(%d) for (INDEX %c = %clo; %c < %chi; ++%c, c += %s) {\n", e->k->tiling.unroll, q, q, q, q, q,
        axis == 1 ? "NX" : "NX * NY");
    for (int i = 0; i < s->nwindows; ++i) emit_window_load(e, i, s->windows[i].last, "        ");
    emit_formulas(e);
    for (int i = 0; i < s->nwindows; ++i)
        for (int m = 0; m < s->windows[i].last - s->windows[i].first; ++m)
            ADD("        w%d_%d = w%d_%d;\n", i, m, i, m + 1);
    ADD("        }\n    }\n}\n");
    s->nwindows = 0;
    return RW_OK;
}

/* Values beyond the sides of x, once a row: l_u_1 the first below, h_u_2 the second above. Then a loop along a row
 * has all its cells. */
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
                ADD("    const %s %c_%s_%d = get_%s_x%d(f_%s, %s%d, j, k%s);\n", rw_field_type(e, f), "lh"[upper], name,
                    m, name, upper, name, upper ? "NX - 1 + " : "-", m, rw_text_of(&e->uniform_names));
            }
        }
}

/* Where the ends of whole rows stand apart: up to `from` and from `to` on. Between them no cell asks whether a
 * neighbour is beyond a side. false: rows are too short. */
static bool find_ends(const rw_emitter *e, int64_t *from, int64_t *to)
{
    const int64_t vector = e->tuning->vector, nx = e->g->grid.size[0];
    *from = vector;
    *to = (nx - RW_MAX(1, e->use.reach[0][1])) / vector * vector;
    return ((const plain *)e->state)->whole_rows && *to >= 2 * vector && e->use.reach[0][0] <= vector;
}

/* A row; of inner ones the ends are another function's. */
static void emit_row(rw_emitter *e, bool apart)
{
    int64_t from, to;
    if (apart && find_ends(e, &from, &to)) ADD("    EACH_IN(i, %lld, %lld) {\n", (long long)from, (long long)to);
    else ADD("    EACH_IN(i, ilo, ihi) {\n");
    emit_cell(e);
}

/* A box of cells whose neighbours may be beyond the sides that `border` names: along rows, or, where the box is
 * narrow, along columns. */
static void emit_box(rw_emitter *e, const char *name, int border, bool columns)
{
    begin_function(e, name, BOX, border, columns ? "j" : "i");
    ADD("    for (INDEX k = klo; k < khi; ++k)\n");
    if (!((const plain *)e->state)->whole_rows) {
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
    plain *s = e->state;
    bool walk = e->k->tiling.roll > 0 && !e->k->tiling.flat, any = false;
    if (s->whole_rows) {
        emit_box(e, "inner", RW_NO_AXIS, false);
        return RW_OK;
    }
    begin_function(e, "inner", BOX, RW_NO_AXIS, walk && e->k->tiling.roll == 1 ? "lane" : "i");
    if (walk) return emit_walk(e);
    s->stream = e->k->tiling.stream;
    for (const rw_store *store = NULL; (store = rw_next_store(e->plan, e->pass, store));)
        any = any || is_streamed(e, store);
    emit_streams(e, true);
    ADD("    for (INDEX k = klo; k < khi; ++k)\n    %s(i, ilo, ihi, j, jlo, jhi", any ? "EACH2_STREAM" : "EACH2");
    if (any) ADD(", (k * NY + j) * NX");
    emit_streams(e, false);
    ADD(") {\n");
    emit_cell(e);
    ADD("%s}\n", any ? "    STREAM_END;\n" : "");
    s->stream = false;
    return RW_OK;
}

/* The cells of the tile lo … hi outside the box a … b, numbered: planes outside, then rows outside of the planes that
 * are left, then what is left of the rows. An empty box leaves the whole tile. */
static void emit_border(rw_emitter *e)
{
    begin_function(e, "border",
                   "INDEX lo0, INDEX hi0, INDEX lo1, INDEX hi1, INDEX lo2, INDEX hi2, INDEX a0, INDEX b0, INDEX a1, "
                   "INDEX b1, INDEX a2, INDEX b2",
                   RW_ALL_AXES, "cell");
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
        "        }\n");
    emit_cell(e);
    ADD("}\n");
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

static void emit_call(rw_emitter *e, const char *indent, const char *name, const char *box)
{
    ADD("%s%s(%s%s%s", indent, name, box, rw_text_of(&e->array_names), rw_text_of(&e->uniform_names));
    for (int a = 0; a < e->k->naccumulators; ++a) ADD(", acc%d", a);
    ADD(");\n");
}

static void emit_cell_by_cell(rw_emitter *e)
{
    ADD("        const int inside = a0 == lo0 && b0 == hi0 && a1 == lo1 && b1 == hi1 && a2 == lo2 && b2 == hi2;\n"
        "        if (a0 >= b0 || a1 >= b1 || a2 >= b2 || (!SPLIT && !inside)) a0 = b0 = hi0, a1 = b1 = hi1, a2 = b2 = "
        "hi2;\n");
    emit_call(e, "        ", "border", "lo0, hi0, lo1, hi1, lo2, hi2, a0, b0, a1, b1, a2, b2");
}

/* Planes below and above the inner box and rows below and above it, without their ends; then the ends of all rows. */
static void emit_rows_and_columns(rw_emitter *e)
{
    for (int d = 0; d < 3; ++d) ADD("        if (a%d >= b%d) a%d = b%d = hi%d;\n", d, d, d, d, d);
    if (reaches(e, 1) || reaches(e, 2)) {
        ADD("        for (int part = 0; part < 4; ++part) {\n"
            "            const INDEX from1 = part == 3 ? b1 : lo1, to1 = part == 2 ? a1 : hi1;\n"
            "            const INDEX from2 = part == 0 ? lo2 : part == 1 ? b2 : a2, to2 = part == 0 ? a2 : part == 1 "
            "? hi2 : b2;\n"
            "            if (a0 < b0 && from1 < to1 && from2 < to2)\n");
        emit_call(e, "                ", "rows", "a0, b0, from1, to1, from2, to2");
        ADD("        }\n");
    }
    int64_t from, to;
    if (find_ends(e, &from, &to)) {
        ADD("        for (int part = 0; part < 2; ++part)\n            if (a1 < b1 && a2 < b2)\n");
        char box[120];
        snprintf(box, sizeof box, "part ? %lld : 0, part ? NX : %lld, a1, b1, a2, b2", (long long)to, (long long)from);
        emit_call(e, "                ", "rows", box);
    }
    if (!reaches(e, 0) || ((const plain *)e->state)->whole_rows) return;
    ADD("        for (int part = 0; part < 2; ++part) {\n"
        "            const INDEX from0 = part ? b0 : lo0, to0 = part ? hi0 : a0;\n            if (from0 < to0)\n");
    emit_call(e, "                ", "columns", "from0, to0, lo1, hi1, lo2, hi2");
    ADD("        }\n");
}

/* The tile's inner box a … b, and what lies around it. */
static void emit_parts(rw_emitter *e)
{
    const bool whole_rows = ((const plain *)e->state)->whole_rows;
    ADD("        INDEX");
    if (whole_rows) ADD(" a0 = lo0, b0 = hi0");
    for (int d = whole_rows; d < 3; ++d) {
        const int below = e->use.reach[d][0], above = e->use.reach[d][1];
        const char N = rw_size_letter[d];
        ADD("%s a%d = lo%d < %d ? %d : lo%d, b%d = hi%d > N%c - %d ? N%c - %d : hi%d", d ? "," : "", d, d, below, below,
            d, d, d, N, above, N, above, d);
    }
    ADD(";\n");
    if (e->k->tiling.rows) emit_rows_and_columns(e);
    else emit_cell_by_cell(e);
    ADD("        if (a0 < b0)\n");
    emit_call(e, "            ", "inner", "a0, b0, a1, b1, a2, b2");
}

static void emit_run(rw_emitter *e)
{
    const rw_tiling *t = &e->k->tiling;
    rw_emit_head(e);
    rw_emit_accumulators(e);
    if (t->groups < t->tiles[0] * t->tiles[1] * t->tiles[2])
        ADD("    for (int tile = GROUP_ID(0); tile < TILES_X * TILES_Y * TILES_Z; tile += GROUP_COUNT(0)) {\n");
    else ADD("    {\n        const int tile = GROUP_ID(0);\n");
    rw_emit_tile(e, "        ");
    if (reaches(e, 0) || reaches(e, 1) || reaches(e, 2)) emit_parts(e);
    else emit_call(e, "        ", "inner", "lo0, hi0, lo1, hi1, lo2, hi2");
    ADD("    }\n");
    rw_emit_partials(e);
    ADD("}\n");
}

/* Functions that are called, not inlined, need more registers than a cell inside: with as many as they want, too few
 * groups would run at once. */
static int groups_a_unit(const rw_emitter *e)
{
    return e->g->grid.ndim == 3 ? e->tuning->space_calling : e->g->grid.ndim == 2 ? e->tuning->plane_calling : 0;
}

rw_status rw_plain_emit(rw_emitter *e)
{
    const rw_tiling *t = &e->k->tiling;
    plain *s = e->state;
    if (e->mixed && e->target->class == RW_GPU) e->k->groups_a_unit = groups_a_unit(e);
    s->whole_rows = t->rows && !t->stream && reaches(e, 0) && !e->mixed && e->g->grid.size[0] <= e->tuning->whole_rows;
    if (!t->flat) rw_emit_read_by_sides(e);
    for (int f = 0; f < e->g->nfields; ++f) {
        const rw_cells cells = rw_global_cells(e, f);
        if (e->use.read[f] && !t->flat) RW_TRY(rw_emit_sides(e, f, &cells));
    }
    if (e->k->naccumulators) rw_emit_combine(e);
    RW_TRY(emit_inner(e));
    if (!t->flat && !t->rows) emit_border(e);
    const bool rows = reaches(e, 1) || reaches(e, 2) || s->whole_rows;
    if (t->rows && rows) emit_box(e, "rows", RW_ACROSS_ROWS, false);
    if (t->rows && reaches(e, 0) && !s->whole_rows) emit_box(e, "columns", RW_ALL_AXES, true);
    emit_run(e);
    return RW_OK;
}

void rw_plain_free(void *state)
{
    plain *s = state;
    rw_free(s->one);
    rw_free(s->each);
    rw_free(s->windows);
    rw_free(s);
}

/* Of the nodes needed, what is the same in all cells, such as a function of a sum, and what is not. */
static rw_status part_nodes(rw_emitter *e, plain *s)
{
    const size_t n = (size_t)RW_MAX(e->use.nnodes, 1);
    s->one = rw_calloc(n, 1);
    s->each = rw_calloc(n, 1);
    if (!s->one || !s->each) return rw_fail_memory(e->g->ctx, 2 * n, "a kernel");
    for (int i = 0; i < e->use.nnodes; ++i) (rw_node_of(e, i)->is_field ? s->each : s->one)[i] = e->use.needed[i];
    return RW_OK;
}

rw_status rw_plain_suits(rw_emitter *e, bool forced, bool *suits)
{
    plain *s = e->state = rw_calloc(1, sizeof *s);
    (void)forced;
    if (!s) return rw_fail_memory(e->g->ctx, sizeof *s, "a kernel");
    *suits = true;
    e->field = emit_field;
    RW_TRY(part_nodes(e, s));
    for (const rw_store *store = NULL; (store = rw_next_store(e->plan, e->pass, store));)
        e->beside[store->field] = e->beside[store->field] || store->shadow;
    choose_tiling(e, &e->k->tiling);
    return RW_OK;
}
