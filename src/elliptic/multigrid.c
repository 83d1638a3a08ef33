/* Multigrid: V-cycles over grids of about half the nodes along each axis. Two sweeps of red-black relaxation before and
 * two after the correction from the coarser grid; there the text is lowered again with the larger spacing, and fields
 * that J reads are means. Residuals are averaged and corrections interpolated linearly (transfer.h). The coarsest grid
 * is solved by transforms where they apply (similar.h).
 *
 * Relaxation by points smooths errors along an axis of weak coupling slowly, so that only axes of strong coupling are
 * halved, until all are alike: semicoarsening.
 *
 * Sources: Brandt, Multi-level adaptive solutions to boundary-value problems, Math. Comp. 31, 1977; Trottenberg,
 * Oosterlee, Schueller, Multigrid, 2001, chapters 2 and 5. */
#include "elliptic/multigrid.h"

#include <math.h>
#include <stdio.h>

#include "elliptic/box.h"
#include "elliptic/similar.h"
#include "elliptic/transfer.h"
#include "expr/boundary.h"
#include "rechenwerk/operator.h"

/* Where transforms solve the equation, they do on a grid of at most COARSEST nodes: below it a cycle is launches more
 * than work. Otherwise the coarsest grid has one or two nodes along each axis, and gets SWEEPS pairs of sweeps. */
enum { MOST_GRIDS = 40, COARSEST = 1 << 18, SWEEPS = 8 };
/* The coupling along an axis over the strongest one, from which on it is halved. */
static const double STRONG = 0.4;

typedef struct level {
    rw_system own; /* of coarser grids; programs, vectors and fields that J reads are its own */
    rw_system *s;  /* the system itself, or `own` */
    rw_grid grid;
    rw_expr *start, *up, *cycle;  /* cycle: the finest grid alone */
    rw_expr *restrict_, *coarsen; /* from the finer grid; coarsen NULL: J reads no field */
} level;

struct rw_multigrid {
    rw_system *s;
    level *level;
    int n;
    rw_similar *coarsest;
    rw_operator *operator; /* of a preconditioner */
    /* Of grids from `first` on launches take longer than what they do: they are recorded, with the present scalars. */
    int first;
    bool loaded; /* their programs, and tables of the present scalars */
    rw_sequence *sequence;
};

/* ---- grids ------------------------------------------------------------------------------------------------------- */

/* Transforms solve the equation exactly. */
static bool is_transformed(const rw_system *s)
{
    char why[200];
    for (int i = 0; i < s->form.nterms; ++i)
        if (s->form.terms[i].by_place) return false;
    return rw_box_suits(s, (rw_box_of){0, -1, false}, why, sizeof why);
}

/* The number of nodes of the next grid along an axis; as before: it is not halved. Transforms need three unknowns. */
static int64_t next_size(const rw_system *s, const rw_grid *g, int axis, bool transformed)
{
    const rw_graph_side *side = s->graph->fields[0].boundary + 2 * axis;
    const bool cells = s->spec->layout == RW_GRID_CELL && side->kind != RW_BOUNDARY_PERIODIC;
    const int64_t least = transformed              ? 3 + side[0].given + side[1].given
                          : cells && !s->form.open ? 1
                                                   : 2,
                  next = rw_coarser_size(s, g, axis);
    return next >= least ? RW_MIN(next, g->size[axis]) : g->size[axis];
}

/* The next coarser grid of one whose axes have these couplings. False: there is none. */
static bool find_coarser(const rw_system *s, const rw_grid *g, const double coupling[3], rw_grid *coarser)
{
    int64_t size[3] = {1, 1, 1}, nodes = 1;
    double most = 0;
    const bool transformed = is_transformed(s);
    bool any = false;
    for (int d = 0; d < g->ndim; ++d) {
        size[d] = next_size(s, g, d, transformed);
        if (transformed || size[d] < g->size[d]) most = fmax(most, coupling[d]);
        nodes *= g->size[d];
    }
    for (int d = 0; d < g->ndim; ++d) {
        if (coupling[d] < STRONG * most) size[d] = g->size[d];
        any = any || size[d] < g->size[d];
    }
    *coarser = rw_coarser_grid(s, g, size);
    return any && (g == s->grid || !transformed || nodes > COARSEST);
}

/* All of them, from the finest to the coarsest; their number. */
static int find_grids(const rw_system *s, rw_grid grid[MOST_GRIDS])
{
    double coupling[3] = {0};
    int n = 1;
    grid[0] = *s->grid;
    for (int d = 0; d < s->grid->ndim; ++d) coupling[d] = rw_form_coupling(s->graph, &s->form, d);
    while (n < MOST_GRIDS && find_coarser(s, n > 1 ? grid + n - 1 : s->grid, coupling, grid + n)) {
        for (int d = 0; d < s->grid->ndim; ++d) {
            const double ratio = grid[n - 1].spacing[d] / grid[n].spacing[d];
            coupling[d] *= ratio * ratio;
        }
        ++n;
    }
    return n;
}

bool rw_multigrid_suits(const rw_system *s, char *why, size_t size)
{
    const char *problem = s->n > 1 ? "there are several unknowns"
                          : s->form.linear && s->form.sign == 0
                              ? "the diagonal of a row may be smaller than the rest: take krylov"
                              : NULL;
    rw_grid grids[MOST_GRIDS];
    if (!problem && find_grids(s, grids) < 2) problem = "the grid has no coarser one: take transform or krylov";
    snprintf(why, size, "%s", problem ? problem : "one unknown, rows with a large diagonal");
    return !problem;
}

/* ---- create ------------------------------------------------------------------------------------------------------ */

static rw_status make_vectors(rw_system *s, bool rv)
{
    if (rv) {
        s->r_of = rw_calloc(2, sizeof(*s->r_of));
        if (!s->r_of) return rw_fail_memory(s->device->ctx, 64, "a grid");
        s->v_of = s->r_of + 1;
        RW_TRY(rw_array_create(s->device, s->type, 1, &s->nodes, RW_MEMORY_DEVICE, &s->r));
        RW_TRY(rw_array_create(s->device, s->type, 1, &s->nodes, RW_MEMORY_DEVICE, &s->v));
        s->r_of[0] = rw_array_retain(s->r);
        s->v_of[0] = rw_array_retain(s->v);
    }
    if (s->finer && s->coarser) RW_TRY(rw_array_create(s->device, s->type, 1, &s->nodes, RW_MEMORY_DEVICE, &s->p));
    return rw_array_create(s->device, s->type, 1, &s->nodes, RW_MEMORY_DEVICE, &s->d);
}

/* Arrays of the fields that J reads. */
static rw_status make_fields(const rw_system *finest, const rw_expr *start, rw_system *s, bool *any)
{
    s->bound = rw_calloc((size_t)(s->n + s->nothers), sizeof(*s->bound));
    if (!s->bound) return rw_fail_memory(s->device->ctx, 64, "a grid");
    int64_t shape[3];
    for (int d = 0; d < s->grid->ndim; ++d) shape[s->grid->ndim - 1 - d] = s->grid->size[d];
    for (int f = 0; f < s->n + s->nothers; ++f) {
        if (!rw_expr_uses_field(start, f)) continue;
        *any = true;
        RW_TRY(
            rw_array_create(s->device, finest->fields[f].dtype, s->grid->ndim, shape, RW_MEMORY_DEVICE, s->bound + f));
    }
    return RW_OK;
}

static rw_status make_coarser(rw_multigrid *m, int i)
{
    level *l = m->level + i;
    rw_system *finer = m->level[i - 1].s, *finest = m->level->s;
    bool reads = false;
    l->s = &l->own;
    l->own = *finer;
    l->own.grid = &l->grid;
    l->own.nodes = l->grid.size[0] * l->grid.size[1] * l->grid.size[2];
    l->own.finer = finer->grid;
    l->own.coarser = i + 1 < m->n ? &l[1].grid : NULL;
    l->own.squares = false;
    l->own.counts = i == 1 && !finer->symmetric && !finer->squares;
    l->own.nprograms = 0;
    l->own.bound = NULL;
    l->own.r = l->own.v = l->own.d = l->own.p = l->own.zeros = NULL;
    l->own.r_of = l->own.v_of = NULL;
    RW_TRY(make_vectors(l->s, true));
    RW_TRY(make_fields(finest, m->level->start, l->s, &reads));
    RW_TRY(rw_system_program(l->s, RW_SYSTEM_RESTRICT, &l->restrict_));
    rw_expr_hold(l->restrict_, rw_system_other(l->s), finer->d);
    rw_expr_hold(l[-1].up, rw_system_other(finer), l->s->v_of[0]);
    if (l[-1].cycle) rw_expr_hold(l[-1].cycle, rw_system_other(finer), l->s->v_of[0]);
    if (reads) RW_TRY(rw_system_program(l->s, RW_SYSTEM_COARSEN, &l->coarsen));
    if (i + 1 == m->n && is_transformed(l->s)) return rw_similar_create(l->s, &m->coarsest);
    RW_TRY(rw_system_program(l->s, RW_SYSTEM_START, &l->start));
    return rw_system_program(l->s, RW_SYSTEM_UP, &l->up);
}

/* From grid `first` on. On a large grid sweeps share a pass, which writes to a second array of v and swaps the two. */
static bool is_recordable(const rw_multigrid *m, int first)
{
    bool is = true;
    for (int i = first; i < m->n && is; ++i) {
        const level *l = m->level + i;
        const rw_expr *const list[] = {l->start, l->up, l->cycle, l->restrict_};
        for (int k = 0; k < RW_COUNT(list); ++k) is = is && (!list[k] || rw_expr_is_recordable(list[k]));
    }
    return is;
}

static rw_status multiply(void *user, rw_op op RW_UNUSED, rw_array *x, rw_array *y, rw_queue *q)
{
    return rw_multigrid_apply(user, x, y, q);
}

static rw_status make_operator(rw_multigrid *m)
{
    const rw_system *s = m->s;
    const rw_operator_spec map = {.rows = s->nodes,
                                  .columns = s->nodes,
                                  .type = s->type,
                                  .multiply = multiply,
                                  .direct = !is_recordable(m, 0) || !rw_system_records(s, m->level->start),
                                  .user = m};
    return rw_operator_create(s->device, &map, &m->operator);
}

static rw_status make(rw_multigrid *m)
{
    rw_system *s = m->s;
    level *finest = m->level;
    finest->s = s;
    rw_grid grids[MOST_GRIDS];
    m->n = find_grids(s, grids);
    for (int i = 0; i < m->n; ++i) m->level[i].grid = grids[i];
    s->coarser = &finest[1].grid;
    const bool once = rw_transfer_reads_once(s, s->grid, s->coarser);
    s->squares = !s->symmetric && !once;
    RW_TRY(make_vectors(s, false));
    RW_TRY(rw_system_program(s, RW_SYSTEM_START, &finest->start));
    RW_TRY(rw_system_program(s, RW_SYSTEM_UP, &finest->up));
    if (!s->symmetric) RW_TRY(rw_system_program(s, RW_SYSTEM_CYCLE, &finest->cycle));
    for (int i = 1; i < m->n; ++i) RW_TRY(make_coarser(m, i));
    for (m->first = 1; m->first < m->n && !is_recordable(m, m->first); ++m->first) continue;
    return s->symmetric ? make_operator(m) : RW_OK;
}

rw_status rw_multigrid_create(rw_system *s, rw_multigrid **multigrid)
{
    rw_multigrid *m = rw_calloc(1, sizeof *m);
    *multigrid = NULL;
    if (m) *m = (rw_multigrid){.s = s, .level = rw_calloc(MOST_GRIDS, sizeof *m->level)};
    const rw_status status = m && m->level ? make(m) : rw_fail_memory(s->device->ctx, sizeof *m, "grids");
    if (status == RW_OK) *multigrid = m;
    else rw_multigrid_destroy(&m);
    return status;
}

/* Programs of the finest grid belong to its system. */
void rw_multigrid_destroy(rw_multigrid **multigrid)
{
    rw_multigrid *m = *multigrid;
    *multigrid = NULL;
    if (!m) return;
    rw_operator_destroy(&m->operator);
    rw_sequence_destroy(&m->sequence);
    rw_similar_destroy(&m->coarsest);
    for (int i = 1; m->level && i < m->n; ++i) {
        rw_system *own = &m->level[i].own;
        for (int p = 0; p < own->nprograms; ++p) rw_expr_destroy(&own->programs[p]);
        for (int f = 0; own->bound && f < own->n + own->nothers; ++f) rw_array_destroy(&own->bound[f]);
        if (own->r_of) rw_array_destroy(&own->r_of[0]);
        if (own->r_of) rw_array_destroy(&own->r_of[1]);
        rw_array_destroy(&own->r);
        rw_array_destroy(&own->v);
        rw_array_destroy(&own->d);
        rw_array_destroy(&own->p);
        rw_free(own->bound);
        rw_free(own->r_of);
    }
    rw_array_destroy(&m->s->d);
    rw_free(m->level);
    rw_free(m);
}

/* ---- cycles ------------------------------------------------------------------------------------------------------ */

/* The user's, t and the sign: not those of the grid. */
static void copy_scalars(const rw_system *s, const rw_graph *g, rw_expr *expr)
{
    for (int64_t i = 0; i <= s->spec->nscalars; ++i) {
        const char *name = i < s->spec->nscalars ? s->spec->scalars[i].name : "t";
        const rw_graph_param *from = s->graph->params + rw_graph_find_param(s->graph, name);
        rw_expr_set_index(expr, rw_graph_find_param(g, name), from->re, from->im);
    }
    rw_expr_set_index(expr, rw_graph_find_param(g, "#sign"), rw_system_sign(s), 0);
}

rw_status rw_multigrid_prepare(rw_multigrid *m)
{
    rw_system *s = m->s;
    rw_sequence_destroy(&m->sequence);
    m->loaded = false;
    copy_scalars(s, m->level->start->graph, m->level->start);
    copy_scalars(s, m->level->up->graph, m->level->up);
    if (m->level->cycle) copy_scalars(s, m->level->cycle->graph, m->level->cycle);
    for (int i = 1; i < m->n; ++i) {
        level *l = m->level + i;
        for (int e = 0; e < l->own.nprograms; ++e) copy_scalars(s, l->own.programs[e]->graph, l->own.programs[e]);
        l->own.form.sign = s->form.sign;
        if (!l->coarsen) continue;
        for (int f = 0, other = rw_system_other(s); f < s->n + s->nothers; ++f)
            if (l->own.bound[f]) rw_expr_hold(l->coarsen, other++, l[-1].s->bound[f]);
        RW_TRY(rw_expr_run(l->coarsen, s->device->queue));
    }
    return m->coarsest ? rw_similar_prepare(m->coarsest, false) : RW_OK;
}

static rw_status correct(rw_multigrid *m, int i);

static rw_status launch_below(rw_multigrid *m, int i)
{
    const level *l = m->level + i;
    rw_queue *q = l->s->device->queue;
    const bool last = i + 1 == m->n;
    if (last && m->coarsest) return rw_similar_solve(m->coarsest, l->s->r, l->s->v, q);
    RW_TRY(rw_expr_run(l->start, q));
    if (!last) return correct(m, i);
    for (int k = 1; k < SWEEPS; ++k) RW_TRY(rw_expr_run(l->up, q));
    return RW_OK;
}

static rw_status record_below(rw_multigrid *m, int i)
{
    rw_queue *q = m->s->device->queue;
    RW_TRY(rw_record_begin(q));
    const rw_status status = launch_below(m, i), ended = rw_record_end(q, &m->sequence);
    if (status == RW_OK && ended == RW_OK) return RW_OK;
    rw_sequence_destroy(&m->sequence);
    return status != RW_OK ? status : ended;
}

/* v of grid i from its r. Programs and tables load with their first launch, and a recording holds launches alone. */
static rw_status solve_below(rw_multigrid *m, int i)
{
    rw_queue *q = m->s->device->queue;
    if (i != m->first || q->recording || m->s->moves || !m->loaded) {
        m->loaded = m->loaded || i == m->first;
        return launch_below(m, i);
    }
    if (!m->sequence) RW_TRY(record_below(m, i));
    return rw_sequence_replay(m->sequence, q);
}

/* From the residual of grid i to its corrected v. */
static rw_status correct(rw_multigrid *m, int i)
{
    const level *l = m->level + i;
    rw_queue *q = l->s->device->queue;
    RW_TRY(rw_expr_run(l[1].restrict_, q));
    RW_TRY(solve_below(m, i + 1));
    return rw_expr_run(l->up, q);
}

/* The programs of the finest grid have x and y for r and v meanwhile. */
static void hold_vectors(const rw_multigrid *m, rw_array *x, rw_array *y)
{
    const level *l = m->level;
    rw_expr *const of_finest[] = {l->start, l->up};
    for (int i = 0; i < RW_COUNT(of_finest); ++i) {
        rw_expr_hold(of_finest[i], rw_system_r(m->s, 0), x);
        rw_expr_hold(of_finest[i], rw_system_v(m->s, 0), y);
    }
}

rw_status rw_multigrid_apply(rw_multigrid *m, rw_array *x, rw_array *y, rw_queue *q)
{
    hold_vectors(m, x, y);
    rw_status status = rw_expr_run(m->level->start, q);
    if (status == RW_OK) status = correct(m, 0);
    hold_vectors(m, m->s->r_of[0], m->s->v_of[0]);
    return status;
}

rw_operator *rw_multigrid_operator(const rw_multigrid *m) { return m->operator; }

/* Of a solver: the residual on the next grid, and its norm on the finest one. `after`: the program that made it. */
static rw_status restrict_first(rw_multigrid *m, rw_expr *after, double *norm)
{
    double square;
    rw_expr *restrict_ = m->level[1].restrict_;
    RW_TRY(rw_expr_run(restrict_, m->s->device->queue));
    RW_TRY(rw_expr_get(m->s->squares ? after : restrict_, "square", &square, NULL));
    *norm = sqrt(square);
    return RW_OK;
}

/* Cycles that are needed at least: their norms are not waited for. */
static int64_t cycles_before_look(double norm, double wanted)
{
    enum { GAIN = 32 }; /* of a cycle, at most */
    return wanted > 0 ? RW_MAX(1, (int64_t)((log(norm) - log(wanted)) / log(GAIN))) : 1;
}

static rw_status solve(rw_system *s, double reduction)
{
    rw_multigrid *m = s->data;
    const level *finest = m->level;
    rw_queue *q = s->device->queue;
    const double wanted = reduction * s->result.residual;
    double norm, before = INFINITY;
    RW_TRY(rw_expr_run(finest->start, q));
    RW_TRY(restrict_first(m, finest->start, &norm));
    for (int64_t i = 0; norm > wanted && norm < before && i < s->settings->iterations;) {
        const int64_t n = RW_MIN(cycles_before_look(norm, wanted), s->settings->iterations - i);
        for (int64_t k = 0; k < n; ++k) {
            RW_TRY(rw_cancel_check(s->device->ctx, s->source->name));
            if (k) RW_TRY(rw_expr_run(finest[1].restrict_, q));
            RW_TRY(solve_below(m, 1));
            RW_TRY(rw_expr_run(finest->cycle, q));
        }
        before = norm;
        RW_TRY(restrict_first(m, finest->cycle, &norm));
        s->result.iterations += n;
        i += n;
    }
    return RW_OK;
}

static rw_status cycle(rw_system *s)
{
    rw_multigrid *m = s->data;
    const level *finest = m->level;
    rw_queue *q = s->device->queue;
    RW_TRY(rw_expr_run(finest->start, q));
    for (int64_t i = 1; i < s->settings->cycles; ++i) {
        RW_TRY(rw_expr_run(finest[1].restrict_, q));
        RW_TRY(solve_below(m, 1));
        RW_TRY(rw_expr_run(finest->cycle, q));
    }
    return correct(m, 0);
}

static bool reads(const rw_system *s, int f)
{
    return rw_expr_uses_field(((const rw_multigrid *)s->data)->level->cycle, f);
}

void rw_multigrid_explain(const rw_multigrid *m, rw_text *text)
{
    const rw_grid *g = &m->level[m->n - 1].grid;
    rw_expr_plan plan;
    rw_text_add(text, "cycle    %d grids, V(2, 2), red-black; the coarsest, %lld", m->n, (long long)g->size[0]);
    for (int d = 1; d < g->ndim; ++d) rw_text_add(text, " x %lld", (long long)g->size[d]);
    rw_text_add(text, m->coarsest ? ", by transforms\n" : ", by %d sweeps\n", 2 * SWEEPS);
    if (m->level->cycle && rw_expr_get_plan(m->level->cycle, &plan) == RW_OK)
        rw_text_add(text, "finest   %lld passes, %.0f bytes a node\n", (long long)plan.passes, plan.bytes_per_cell);
}

static bool suits(rw_system *s, char *why, size_t size) { return rw_multigrid_suits(s, why, size); }

static rw_status create(rw_system *s)
{
    rw_multigrid *m;
    const rw_status status = rw_multigrid_create(s, &m);
    s->data = m;
    return status;
}

static rw_status prepare(rw_system *s) { return rw_multigrid_prepare(s->data); }

static bool records(const rw_system *s) { return is_recordable(s->data, 0); }

static void explain(const rw_system *s, rw_text *text) { rw_multigrid_explain(s->data, text); }

static void destroy(rw_system *s)
{
    rw_multigrid *m = s->data;
    rw_multigrid_destroy(&m);
}

typedef struct cost {
    double bytes; /* a node of the finest grid */
    int launches;
} cost;

static void add_runs(const rw_system *s, const rw_expr *expr, int64_t times, cost *c)
{
    rw_expr_plan plan;
    if (!expr || rw_expr_get_plan(expr, &plan) != RW_OK) return;
    const rw_grid *g = &expr->graph->grid;
    const double nodes = (double)(g->size[0] * g->size[1] * g->size[2]);
    c->bytes += (double)times * plan.bytes_per_cell * nodes / (double)s->nodes;
    c->launches += (int)(times * plan.passes);
}

static void add_cost(const rw_system *s, double *bytes, int *launches)
{
    const rw_multigrid *m = s->data;
    const int64_t cycles = RW_MAX(s->settings->cycles, 1);
    cost all = {0};
    add_runs(s, m->level->cycle, cycles - 1, &all);
    for (int i = 0; i < m->n; ++i) {
        const level *l = m->level + i;
        const bool last = i + 1 == m->n;
        add_runs(s, l->start, i ? cycles : 1, &all);
        add_runs(s, l->up, last ? cycles * (SWEEPS - 1) : i ? cycles : 1, &all);
        add_runs(s, l->restrict_, cycles, &all);
    }
    *bytes += all.bytes;
    *launches += all.launches;
}

const rw_system_ops rw_system_multigrid = {.method = RW_ELLIPTIC_MULTIGRID,
                                           .suits = suits,
                                           .create = create,
                                           .prepare = prepare,
                                           .solve = solve,
                                           .cycle = cycle,
                                           .records = records,
                                           .reads = reads,
                                           .explain = explain,
                                           .add_cost = add_cost,
                                           .destroy = destroy};
