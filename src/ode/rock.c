/* ROCK2 and ROCK4 (rock.h has the formulas, docs/methods/ode.md the reasons).
 *
 * Vectors: y, two of the recurrence (NEW, OLD), the finishing stages' arguments (OLD, and SPARE from the third stage
 * on) and their K_i = h F, and for two blocks PART, the first block's share of the error estimate. A recurrence's
 * kernel reads two vectors and writes one, 24 bytes per point and f64 component; the last finishing stage writes
 * y_{n+1} over K_1 and reduces the estimate.
 *
 * ROCK4 takes one block of four finishing stages while rounding errors, grown by w, stay far below the tolerance; else
 * two blocks, which need 4 % more stages and two right-hand sides more, and let the step grow as long as accuracy
 * allows. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ode/ode.h"
#include "ode/rock.h"

enum { Y, NEW, OLD, K1, K2, K3, SPARE, PART };

/* Coefficients in use, with the polynomials of the argument of each evaluation of F in their order. */
typedef struct entry {
    rw_rock *rock;
    double (*polynomial)[RW_QUADRATURE_NODES];
} entry;

/* Several stages in one program, where the compiler makes fewer kernels of them than stages (fused.c, wave.c of
 * src/expr). */
enum { LONGEST = 8, CHAINS = 3, PROGRAMS = 7 + RW_ROCK_FINISH - 1 + CHAINS };
static const int chain_length[CHAINS] = {8, 4, 2};

typedef struct method {
    rw_stage first;                      /* NEW = y + c F(y), the program of adaptive.c's Euler step */
    rw_stage again;                      /* OLD = NEW + c F(NEW): first of the second block */
    rw_stage second;                     /* OLD = NEW + k (NEW - y) + c F(NEW) */
    rw_stage stage;                      /* OLD = NEW + k (NEW - OLD) + c F(NEW) */
    rw_stage middle[RW_ROCK_FINISH - 1]; /* finishing stages that are not the last of their block */
    rw_stage last;                       /* of the step, one block */
    rw_stage join, part;                 /* of the first block; of the step, two blocks */
    rw_stage chain[CHAINS];              /* K2, K1 = newest and the one before, from NEW and OLD */
    bool chains_known, chains;
    entry *entries;
    int nentries, capacity;
    double epsilon; /* of the fields' type */
} method;

static rw_rock_kind kind_of(const rw_ode *ode) { return *(const rw_rock_kind *)ode->ops->variant; }

/* Also the number of finishing stages. */
static int order_of(const rw_ode *ode) { return ode->ops->power; }

/* ---- programs ---------------------------------------------------------------------------------------------------- */

/* base: y or NEW; older: y, OLD, or -1 for the first stage of a block. */
static rw_status build_recurrence(rw_ode *ode, int base, int older, const char *name, rw_stage *stage)
{
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node t = rw_build_scalar(&b, "t"), c = rw_build_scalar(&b, "c"), k = older >= 0 ? rw_build_scalar(&b, "k") : 0;
    const int into = base == Y ? NEW : OLD;
    for (int v = Y; v <= OLD; ++v)
        if (v == base || v == older || v == into) rw_build_vector(&b, v, t);
    rw_node *rates = b.node[0];
    rw_build_rates(&b, base, rates);
    rw_graph *g = b.graph;
    for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
        rw_node sum = rw_build_value(&b, base, f);
        if (older >= 0) sum = OP(ADD, sum, OP(MUL, k, OP(SUB, sum, rw_build_value(&b, older, f))));
        rw_build_store(&b, into, f, OP(ADD, sum, OP(MUL, c, rates[f])));
    }
    return rw_build_end(&b, name, stage);
}

static rw_node numbered(rw_building *b, char letter, int i)
{
    char name[4] = {letter, (char)('1' + i)};
    return rw_build_scalar(b, name);
}

/* Stages j … j + n - 1 of the recurrence. *possible: false when boundary values depend on time. */
static rw_status build_chain(rw_ode *ode, int n, rw_stage *stage, bool *possible)
{
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node t[LONGEST] = {0}, *rates = b.node[0];
    for (int i = 0; i < n; ++i) t[i] = numbered(&b, 't', i);
    for (int v = NEW; v <= K2; ++v) rw_build_vector(&b, v, t[0]);
    *possible = !rw_build_sides_vary(&b);
    for (int i = 0; i < n; ++i) {
        int into = i % 2 ? K2 : K1, from = i == 0 ? NEW : i % 2 ? K1 : K2, older = i == 0 ? OLD : i == 1 ? NEW : into;
        rw_node c = numbered(&b, 'c', i), k = numbered(&b, 'k', i);
        b.time[from] = t[i];
        rw_build_rates(&b, from, rates);
        rw_graph *g = b.graph;
        rw_node value[2];
        for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) {
            value[0] = rw_build_value(&b, from, f);
            value[1] = rw_build_value(&b, older, f);
            rates[f] = OP(ADD, OP(ADD, value[0], OP(MUL, k, OP(SUB, value[0], value[1]))), OP(MUL, c, rates[f]));
        }
        for (int f = 0; f < ode->nfields && b.status == RW_OK; ++f) rw_build_store(&b, into, f, rates[f]);
    }
    return rw_build_end(&b, "rock_chain", stage);
}

typedef enum finish_kind { MIDDLE, LAST, JOIN, LAST_OF_TWO } finish_kind;

static int argument_of(int i) { return i == 0 ? NEW : i % 2 ? OLD : SPARE; }

/* Finishing stage i (from 0). MIDDLE: K_i and the next argument. LAST: y_{n+1} and the norm of the estimate. JOIN: the
 * block's result and PART. */
static rw_status build_finish(rw_ode *ode, finish_kind kind, int i, rw_stage *stage)
{
    int nf = ode->nfields;
    static const char *const names[] = {"rock_finish", "rock_last", "rock_join", "rock_last"};
    rw_building b;
    rw_build_begin(&b, ode);
    rw_node t = rw_build_scalar(&b, "t"), h = rw_build_scalar(&b, "h"), weight[RW_ROCK_FINISH] = {0},
            e[RW_ROCK_FINISH] = {0};
    for (int j = 0; j <= i; ++j) weight[j] = numbered(&b, 'b', j);
    for (int j = 0; j <= i && kind != MIDDLE; ++j) e[j] = numbered(&b, 'e', j);
    rw_node s = rw_build_scalar(&b, "s"), m = rw_build_scalar(&b, "m"), l = rw_build_scalar(&b, "l");
    for (int v = Y; v < RW_METHOD_VECTORS; ++v) {
        bool used = v == NEW || v == argument_of(i) || (v >= K1 && v <= K1 + i && v <= K3);
        if (kind == MIDDLE) used = used || v == argument_of(i + 1);
        else used = used || v == Y || v == K1 || (v == PART && kind != LAST);
        if (used) rw_build_vector(&b, v, t);
    }
    rw_node *rates = b.node[0], *estimate = b.node[1], *old = b.node[2], *next = b.node[3];
    rw_build_rates(&b, argument_of(i), rates);
    rw_graph *g = b.graph;
    for (int f = 0; f < nf && b.status == RW_OK; ++f) {
        rw_node base = rw_build_value(&b, NEW, f), sum = base, own = OP(MUL, h, rates[f]);
        for (int j = 0; j <= i; ++j)
            sum = OP(ADD, sum, OP(MUL, weight[j], j < i ? rw_build_value(&b, K1 + j, f) : own));
        if (kind == MIDDLE) {
            rw_build_store(&b, K1 + i, f, own);
            rw_build_store(&b, argument_of(i + 1), f, sum);
            continue;
        }
        old[f] = rw_build_value(&b, Y, f);
        rw_node error = kind == LAST_OF_TWO ? rw_build_value(&b, PART, f) : OP(MUL, s, old[f]);
        if (kind == JOIN) error = OP(ADD, error, OP(MUL, m, sum));
        else error = OP(ADD, error, OP(MUL, l, base));
        for (int j = 0; j <= i; ++j) error = OP(ADD, error, OP(MUL, e[j], j < i ? rw_build_value(&b, K1 + j, f) : own));
        estimate[f] = error;
        next[f] = sum;
    }
    for (int f = 0; f < nf && b.status == RW_OK && kind != MIDDLE; ++f) {
        if (kind == JOIN) rw_build_store(&b, PART, f, estimate[f]);
        rw_build_store(&b, K1, f, next[f]);
    }
    if (kind == LAST || kind == LAST_OF_TWO) rw_build_norm(&b, estimate, old, next);
    return rw_build_end(&b, names[kind], stage);
}

static void destroy(rw_ode *ode)
{
    method *m = ode->method;
    for (int i = 0; i < m->nentries; ++i) {
        rw_rock_destroy(&m->entries[i].rock);
        rw_free(m->entries[i].polynomial);
    }
    rw_free(m->entries);
}

/* Of the fields' types. */
static double epsilon_of(const rw_ode *ode)
{
    for (int f = 0; f < ode->nfields; ++f)
        if (ode->fields[f].dtype == RW_F32 || ode->fields[f].dtype == RW_C64) return FLT_EPSILON;
    return DBL_EPSILON;
}

/* Whether rounding errors call for two blocks: the more stages, the sooner. Two blocks have some stages at least: a
 * step that needs fewer takes them only when its rounding errors are above the tolerance, and are not far above it in
 * two blocks. */
static bool wants_split(const rw_ode *ode, int stages)
{
    int least = rw_rock_least(RW_ROCK4_SPLIT);
    const method *m = ode->method;
    double rounding = m->epsilon * rw_rock_growth(RW_ROCK4, stages);
    if (stages > least) return rounding > 0.03 * ode->rtol;
    return rounding > ode->rtol && ode->max_stages >= least &&
           m->epsilon * rw_rock_growth(RW_ROCK4_SPLIT, least) < 10 * ode->rtol;
}

static rw_status create(rw_ode *ode)
{
    method *m = ode->method;
    const int q = order_of(ode);
    m->epsilon = epsilon_of(ode);
    RW_TRY(build_finish(ode, LAST, q - 1, &m->last)); /* which takes longest to compile */
    RW_TRY(build_recurrence(ode, Y, -1, "rock_first", &m->first));
    RW_TRY(build_recurrence(ode, NEW, Y, "rock_second", &m->second));
    RW_TRY(build_recurrence(ode, NEW, OLD, "rock_stage", &m->stage));
    for (int i = 0; i < q - 1; ++i) RW_TRY(build_finish(ode, MIDDLE, i, &m->middle[i]));
    return RW_OK;
}

/* What a second block needs, when there first is one. */
static rw_status create_split(rw_ode *ode)
{
    method *m = ode->method;
    if (m->part.expr) return RW_OK;
    rw_stage_free(&m->again);
    rw_stage_free(&m->join); /* of a call that failed */
    RW_TRY(build_recurrence(ode, NEW, -1, "rock_again", &m->again));
    RW_TRY(build_finish(ode, JOIN, 3, &m->join));
    const rw_status status = build_finish(ode, LAST_OF_TWO, 1, &m->part);
    if (status != RW_OK) rw_stage_free(&m->part);
    return status;
}

/* Chains take seconds to compile, so runs of few steps do without them. Which step has the first follows from the
 * number of steps, which checkpoints have; their compilation begins early enough that it is mostly done by
 * then. Where the device's name asks for tiles of a kind, all steps have them. */
enum { CHAINS_BEGIN = 24, CHAINS_FIRST = 32 };
static bool has_steps(const rw_ode *ode, int steps)
{
    return ode->device->target.tiling || ode->now.stat.steps >= steps;
}

static rw_status create_chains(rw_ode *ode)
{
    method *m = ode->method;
    if (m->chains_known) return RW_OK;
    if (ode->algebraic ||
        !rw_passes_fuse(&ode->grid, &ode->device->target)) { /* unknowns are solved for between stages */
        m->chains_known = true;
        return RW_OK;
    }
    rw_status status = RW_OK;
    bool possible = true, fewer = true;
    for (int i = 0; i < CHAINS && status == RW_OK && possible && fewer; ++i) {
        rw_stage_free(&m->chain[i]);
        status = build_chain(ode, chain_length[i], &m->chain[i], &possible);
        if (status == RW_OK) fewer = !m->chain[i].expr->evaluator && m->chain[i].expr->npasses < chain_length[i];
    }
    if (status == RW_OK) {
        m->chains_known = true;
        m->chains = possible && fewer;
    }
    return status;
}

/* ---- coefficients ------------------------------------------------------------------------------------------------ */

/* The polynomials of all arguments: what F is evaluated at when F(y) = lambda y, as coefficients of powers of h
 * lambda. */
static void follow(const rw_rock *r, double (*to)[RW_QUADRATURE_NODES])
{
    rw_wide v[RW_QUADRATURE_NODES] = {1};
    for (int i = 0; i < r->nblocks; ++i) {
        const rw_rock_block *b = r->block + i;
        rw_wide g0[RW_QUADRATURE_NODES] = {0}, g1[RW_QUADRATURE_NODES], k[RW_ROCK_FINISH][RW_QUADRATURE_NODES];
        memcpy(g1, v, sizeof g1);
        for (int j = 1; j <= b->m; ++j, ++to) {
            for (int c = 0; c < RW_QUADRATURE_NODES; ++c) (*to)[c] = (double)g1[c];
            for (int c = RW_QUADRATURE_NODES - 1; c >= 0; --c) { /* downwards: the new g1[c] needs the old g1[c - 1] */
                rw_wide next = (c ? b->mu[j] * g1[c - 1] : 0) - b->nu[j] * g1[c] - b->kappa[j] * g0[c];
                g0[c] = g1[c];
                g1[c] = next;
            }
        }
        memcpy(v, g1, sizeof v);
        for (int j = 0, n = 0; j < b->q; n += j, ++j, ++to)
            for (int c = 0; c < RW_QUADRATURE_NODES; ++c) {
                rw_wide t = g1[c];
                for (int l = 0; l < j; ++l) t += b->a[n + l] * k[l][c];
                (*to)[c] = (double)t;
                if (c + 1 < RW_QUADRATURE_NODES) k[j][c + 1] = t;
                else k[j][0] = 0;
            }
        for (int c = 0; c < RW_QUADRATURE_NODES; ++c)
            for (int j = 0; j < b->q; ++j) v[c] += b->b[j] * k[j][c];
    }
}

static rw_status find(rw_ode *ode, rw_rock_kind kind, int stages, entry **found)
{
    method *m = ode->method;
    rw_context *ctx = ode->device->ctx;
    for (int i = 0; i < m->nentries; ++i)
        if (m->entries[i].rock->kind == kind && m->entries[i].rock->stages == stages) {
            *found = m->entries + i;
            return RW_OK;
        }
    if (!rw_grow(&m->entries, &m->capacity, m->nentries + 1, sizeof *m->entries))
        return rw_fail_memory(ctx, sizeof(entry), "coefficients");
    entry e = {0};
    RW_TRY(rw_rock_create(ctx, kind, stages, ode->damping, &e.rock));
    e.polynomial = rw_calloc((size_t)e.rock->evaluations, sizeof *e.polynomial);
    if (!e.polynomial) {
        rw_rock_destroy(&e.rock);
        return rw_fail_memory(ctx, (size_t)stages * sizeof *e.polynomial, "coefficients");
    }
    follow(e.rock, e.polynomial);
    m->entries[m->nentries] = e;
    *found = m->entries + m->nentries++;
    return RW_OK;
}

/* The published table has coefficients for these numbers of stages. */
static const short published[] = {5,  6,  7,  8,  9,  10, 11, 12, 13, 14,  15,  16,  17,  18,  19,  20, 21,
                                  22, 23, 24, 26, 28, 30, 32, 34, 36, 38,  40,  42,  45,  48,  51,  54, 57,
                                  60, 63, 67, 71, 75, 80, 85, 90, 96, 102, 109, 116, 124, 133, 142, 152};

static int published_stages(double h_rho, double rule)
{
    int i = 0;
    while (i + 1 < RW_COUNT(published) && rule * published[i] * published[i] < h_rho) ++i;
    return published[i];
}

/* ROCK4 in one block where rounding errors allow. */
static rw_status choose(rw_ode *ode, double h_rho, entry **found)
{
    if (ode->stage_rule > 0) return find(ode, RW_ROCK4, published_stages(h_rho, ode->stage_rule), found);
    rw_rock_kind kind = kind_of(ode);
    double wanted = h_rho;
    for (int more = 0;; ++more) { /* other dampings have other intervals */
        int s = rw_rock_stages(kind, wanted, ode->max_stages);
        if (kind == RW_ROCK4 && wants_split(ode, s)) {
            kind = RW_ROCK4_SPLIT;
            s = rw_rock_stages(kind, wanted, ode->max_stages);
        }
        RW_TRY(find(ode, kind, s, found));
        if ((double)(*found)->rock->interval >= h_rho * (1 - 1e-9) || more == 20 || s + 1 >= ode->max_stages)
            return RW_OK;
        wanted *= 1.0001 * h_rho / (double)(*found)->rock->interval;
    }
}

static double reach(const rw_ode *ode)
{
    const rw_rock_kind kind = kind_of(ode);
    const double longest = published[RW_COUNT(published) - 1];
    if (ode->stage_rule > 0) return ode->stage_rule * longest * longest;
    double most = rw_rock_interval(kind, ode->max_stages);
    if (kind == RW_ROCK4) {
        int least = rw_rock_least(RW_ROCK4_SPLIT);
        if (ode->max_stages > least) most = rw_rock_interval(RW_ROCK4_SPLIT, ode->max_stages / 2 * 2);
    }
    return ode->damping == 0.95 ? most : 0.8 * most;
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

static rw_status run(rw_ode *ode, rw_stage *st, double h, const double *polynomial)
{
    RW_TRY(rw_stage_time(ode, st, "t", h, polynomial));
    ode->now.stat.rhs++;
    return rw_stage_run(ode, st);
}

/* Stages from j on, as many as a chain has; *n: how many, 0 none. */
static rw_status run_chain(rw_ode *ode, const rw_rock_block *b, int j, double h,
                           const double (*polynomial)[RW_QUADRATURE_NODES], int *n)
{
    method *m = ode->method;
    *n = 0;
    if (b->m - j + 1 < chain_length[CHAINS - 1] || !has_steps(ode, CHAINS_BEGIN)) return RW_OK;
    RW_TRY(create_chains(ode));
    if (!m->chains || !has_steps(ode, CHAINS_FIRST)) return RW_OK;
    int which = 0;
    while (chain_length[which] > b->m - j + 1) ++which;
    rw_stage *st = &m->chain[which];
    *n = chain_length[which];
    for (int i = 0; i < *n; ++i) {
        char digit = (char)('1' + i);
        rw_stage_set(st, (char[]){'c', digit, 0}, h * (double)b->mu[j + i]);
        rw_stage_set(st, (char[]){'k', digit, 0}, (double)b->kappa[j + i]);
        RW_TRY(rw_stage_time(ode, st, (char[]){'t', digit, 0}, h, polynomial[i]));
    }
    RW_TRY(rw_stage_run(ode, st));
    ode->now.stat.rhs += *n;
    rw_ode_exchange(ode, NEW, K2);
    rw_ode_exchange(ode, OLD, K1);
    return RW_OK;
}

static rw_status finish(rw_ode *ode, const rw_rock *r, int block, double h,
                        const double (*polynomial)[RW_QUADRATURE_NODES], rw_stage **last)
{
    method *m = ode->method;
    const rw_rock_block *b = r->block + block;
    for (int i = 0; i < b->q; ++i) {
        bool end = i + 1 == b->q;
        rw_stage *st = !end ? m->middle + i : r->nblocks == 1 ? &m->last : block == 0 ? &m->join : &m->part;
        rw_stage_set(st, "h", h);
        for (int j = 0; j <= i; ++j) {
            rw_stage_set(st, (char[]){'b', (char)('1' + j), 0}, (double)(end ? b->b[j] : b->a[i * (i + 1) / 2 + j]));
            if (end) rw_stage_set(st, (char[]){'e', (char)('1' + j), 0}, (double)b->e[j]);
        }
        if (end) {
            rw_stage_set(st, "s", (double)r->start);
            rw_stage_set(st, "m", (double)r->middle);
            rw_stage_set(st, "l", (double)r->last);
        }
        RW_TRY(run(ode, st, h, polynomial[i]));
        *last = st;
    }
    return RW_OK;
}

static rw_status attempt(rw_ode *ode, double h, double rho, rw_attempt *a)
{
    method *m = ode->method;
    entry *e = NULL;
    rw_stage *last = NULL;
    RW_TRY(choose(ode, h * rho, &e));
    const rw_rock *r = e->rock;
    const double(*polynomial)[RW_QUADRATURE_NODES] = (const double(*)[RW_QUADRATURE_NODES])e->polynomial;
    if (r->nblocks > 1) RW_TRY(create_split(ode));
    for (int i = 0; i < r->nblocks; ++i) {
        const rw_rock_block *b = r->block + i;
        for (int j = 1; j <= b->m; ++j) {
            if (j > 2 || (j == 2 && i == 1)) {
                int n;
                RW_TRY(run_chain(ode, b, j, h, polynomial, &n));
                if (n) {
                    j += n - 1;
                    polynomial += n;
                    continue;
                }
            }
            rw_stage *st = j == 1 ? (i ? &m->again : &m->first) : j == 2 && i == 0 ? &m->second : &m->stage;
            rw_stage_set(st, "c", h * (double)b->mu[j]);
            rw_stage_set(st, "k", (double)b->kappa[j]); /* which the first of a block has not */
            RW_TRY(run(ode, st, h, *polynomial++));
            if (st != &m->first) rw_ode_exchange(ode, NEW, OLD);
        }
        RW_TRY(finish(ode, r, i, h, polynomial, &last));
        polynomial += b->q;
        if (i + 1 < r->nblocks) rw_ode_exchange(ode, NEW, K1);
    }
    a->stages = r->stages;
    return rw_expr_get(last->expr, "norm", &a->estimate, NULL);
}

static rw_status explain(const rw_ode *ode, rw_text *text)
{
    const method *m = ode->method;
    const int q = order_of(ode);
    rw_text_add(text,
                "%s: a step with s stages takes 1 first, 1 second, s - %d further and %d finishing kernels; the last "
                "computes the error estimate\n",
                ode->ops->name, q + 2, q);
    const rw_stage *stages[] = {&m->first, &m->second, &m->stage};
    for (int i = 0; i < RW_COUNT(stages); ++i) RW_TRY(rw_stage_explain(stages[i], text));
    for (int i = 0; i < q - 1; ++i) RW_TRY(rw_stage_explain(m->middle + i, text));
    return rw_stage_explain(&m->last, text);
}

#define EITHER(kind, order)                                                                                            \
    .state = rw_adaptive_state, .variant = &(const rw_rock_kind){kind}, .size = sizeof(method), .programs = PROGRAMS,  \
    .create = create, .step = rw_adaptive_step, .destroy = destroy, .explain = explain, .result = K1, .power = order,  \
    .growth = 5, .reach = reach, .attempt = attempt

const rw_ode_ops rw_method_ROCK2 = {EITHER(RW_ROCK2, 2), .method = RW_ODE_ROCK2, .name = "rock2", .vectors = K2 + 1,
                                    .least_stages = 3};
const rw_ode_ops rw_method_ROCK4 = {EITHER(RW_ROCK4, 4),          .method = RW_ODE_ROCK4, .name = "rock4",
                                    .vectors = RW_METHOD_VECTORS, .least_stages = 5,      .choosable = true};
