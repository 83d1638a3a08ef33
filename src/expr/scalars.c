/* What kernels take as numbers: nodes that depend on no field and no reduction, computed on the host before a run. Only
 * what depends on a parameter that has changed is computed again.
 *
 * A scalar has a sample at each time of a quadrature; they are kept, because from one stage of a step to the
 * next only the weights change. */
#include "expr/scalars.h"

#include <string.h>

typedef struct entry {
    rw_node_op op;
    int index, arity, arg[3]; /* PARAM: which; operands' entries */
    bool is_complex;          /* some operand is */
    int parts;                /* 2: it is itself */
    bool wanted;
    int quadrature;              /* parameter whose quadrature it depends on, -1: none */
    bool rough;                  /* it has jumps or bends there: its own value counts */
    bool linear;                 /* in the quadrature's parameter: the weighted sum needs no samples */
    bool sampled, owned, summed; /* samples are needed; own is; sum is */
    double own[2], sum[2];       /* value of the parameters' own values; weighted sum by the quadrature */
    double (*sample)[2];         /* [RW_QUADRATURE_NODES], made when first wanted */
} entry;

struct rw_scalars {
    rw_graph *g;
    entry *entries; /* operands first */
    int n, capacity;
    int *place;        /* by node: its entry; -1 */
    uint64_t *depends; /* [entry][words]: bits of parameters */
    uint64_t *changed; /* [words] since the last update */
    uint64_t *moved;   /* [words] those whose quadrature has other times */
    double (*seen)[2]; /* [parameter] */
    bool *follows;     /* [parameter]: it has a quadrature */
    int words, nnodes, nparams;
    bool filled;
};

/* Has values that jump, or slopes that do. */
static bool is_rough(rw_node_op op)
{
    return rw_ops[op].kind == 'B' || op == RW_OP_ABS || op == RW_OP_SIGN || op == RW_OP_FLOOR || op == RW_OP_MOD ||
           op == RW_OP_MIN || op == RW_OP_MAX || op == RW_OP_WHERE;
}

static bool add(rw_scalars *s, rw_node n)
{
    const rw_graph_node *p = s->g->nodes + n;
    entry e = {.op = (rw_node_op)p->op,
               .index = p->index,
               .arity = rw_ops[p->op].arity,
               .parts = 1 + p->is_complex,
               .quadrature = -1,
               .linear = true,
               .own = {p->re, p->im}};
    if (s->place[n] >= 0) return true;
    for (int i = 0; i < e.arity; ++i) {
        if (!add(s, p->arg[i])) return false;
        e.arg[i] = s->place[p->arg[i]];
        e.is_complex = e.is_complex || (s->g->nodes[p->arg[i]].is_complex && !(e.op == RW_OP_WHERE && i == 0));
    }
    if (!rw_grow(&s->entries, &s->capacity, s->n + 1, sizeof *s->entries)) return false;
    s->entries[s->n] = e;
    s->place[n] = s->n++;
    return true;
}

static bool fill(rw_scalars *s, const bool *wanted)
{
    rw_graph *g = s->g;
    s->nnodes = g->n;
    s->nparams = g->nparams;
    s->words = (g->nparams + 63) / 64;
    s->place = rw_calloc((size_t)g->n, sizeof *s->place);
    s->seen = rw_calloc((size_t)g->nparams, sizeof *s->seen);
    s->follows = rw_calloc((size_t)g->nparams, 1);
    s->changed = rw_calloc((size_t)s->words, sizeof *s->changed);
    s->moved = rw_calloc((size_t)s->words, sizeof *s->moved);
    if (!s->place || !s->seen || !s->follows || !s->changed || !s->moved) return false;
    memset(s->place, -1, (size_t)g->n * sizeof *s->place);
    for (int n = 0; n < g->n; ++n) {
        if (!wanted[n]) continue;
        if (!add(s, n)) return false;
        s->entries[s->place[n]].wanted = true;
    }
    s->depends = rw_calloc((size_t)RW_MAX(s->n, 1) * (size_t)s->words, sizeof *s->depends);
    for (int i = 0; s->depends && i < s->n; ++i) {
        const entry *e = s->entries + i;
        uint64_t *bits = s->depends + i * s->words;
        if (e->op == RW_OP_PARAM) bits[e->index / 64] |= 1ull << e->index % 64;
        for (int a = 0; a < e->arity; ++a)
            for (int w = 0; w < s->words; ++w) bits[w] |= s->depends[e->arg[a] * s->words + w];
    }
    return s->depends != NULL;
}

rw_scalars *rw_scalars_create(rw_graph *g, const bool *wanted)
{
    rw_scalars *s = rw_calloc(1, sizeof *s);
    if (!s) return NULL;
    s->g = g;
    if (!fill(s, wanted)) rw_scalars_destroy(&s);
    return s;
}

void rw_scalars_destroy(rw_scalars **scalars)
{
    rw_scalars *s = *scalars;
    *scalars = NULL;
    if (!s) return;
    for (int i = 0; i < s->n; ++i) rw_free(s->entries[i].sample);
    rw_free(s->follows);
    rw_free(s->moved);
    rw_free(s->entries);
    rw_free(s->place);
    rw_free(s->depends);
    rw_free(s->changed);
    rw_free(s->seen);
    rw_free(s);
}

/* What changed since the last update; *quadratures: some parameter has a quadrature now or none any more. */
static void note_changes(rw_scalars *s, bool *quadratures)
{
    size_t bytes = (size_t)s->words * sizeof *s->changed;
    memset(s->changed, s->filled ? 0 : -1, bytes);
    memset(s->moved, s->filled ? 0 : -1, bytes);
    *quadratures = !s->filled;
    for (int i = 0; i < s->nparams; ++i) {
        rw_graph_param *p = s->g->params + i;
        bool follows = p->quadrature && p->quadrature->n,
             moved = follows != s->follows[i] || (follows && p->quadrature->moved);
        bool same = !memcmp(&p->re, s->seen[i], 8) && !memcmp(&p->im, s->seen[i] + 1, 8);
        if (same && !moved) continue;
        s->seen[i][0] = p->re;
        s->seen[i][1] = p->im;
        s->changed[i / 64] |= 1ull << i % 64;
        if (moved) s->moved[i / 64] |= 1ull << i % 64;
        *quadratures = *quadratures || follows != s->follows[i];
        s->follows[i] = follows;
        if (p->quadrature) p->quadrature->moved = false;
    }
    s->filled = true;
}

static bool keeps_linear(rw_node_op op, const bool *follows)
{
    switch (op) {
    case RW_OP_ADD:
    case RW_OP_SUB:
    case RW_OP_NEG: return true;
    case RW_OP_MUL: return !follows[0] || !follows[1];
    case RW_OP_DIV: return !follows[1];
    default: return false;
    }
}

/* Which entries depend on a quadrature, and what of them is needed. */
static bool arrange(rw_scalars *s)
{
    for (int i = 0; i < s->n; ++i) {
        entry *e = s->entries + i;
        bool follows[3] = {false};
        e->quadrature = e->op == RW_OP_PARAM && s->follows[e->index] ? e->index : -1;
        e->rough = e->sampled = e->owned = e->summed = false;
        for (int a = 0; a < e->arity; ++a) {
            const entry *arg = s->entries + e->arg[a];
            if (arg->quadrature >= 0) {
                e->quadrature = arg->quadrature;
                e->rough = e->rough || arg->rough || is_rough(e->op);
            }
        }
        for (int a = 0; a < e->arity; ++a) follows[a] = s->entries[e->arg[a]].quadrature == e->quadrature;
        e->linear = e->quadrature < 0 || keeps_linear(e->op, follows);
    }
    for (int i = s->n - 1; i >= 0; --i) {
        entry *e = s->entries + i;
        e->owned = e->owned || e->quadrature < 0 || e->rough;
        for (int a = 0; a < e->arity; ++a) {
            entry *arg = s->entries + e->arg[a];
            arg->owned = arg->owned || e->owned || arg->quadrature != e->quadrature;
        }
        if (e->quadrature < 0 || e->rough) continue;
        e->summed = e->summed || e->wanted;
        e->sampled = e->sampled || (e->summed && !e->linear);
        for (int a = 0; a < e->arity; ++a) {
            entry *arg = s->entries + e->arg[a];
            if (arg->quadrature != e->quadrature) continue;
            arg->sampled = arg->sampled || e->sampled;
            arg->summed = arg->summed || (e->summed && e->linear);
        }
        if (e->sampled && !e->sample && !(e->sample = rw_calloc(RW_QUADRATURE_NODES, sizeof *e->sample))) return false;
    }
    return true;
}

enum { OWN = -1, SUM = -2 }; /* other than numbers of samples */

static const double *value_of(const entry *e, int quadrature, int which)
{
    if (e->quadrature != quadrature || which == OWN) return e->own;
    return which == SUM ? e->sum : e->sample[which];
}

static void apply(const rw_scalars *s, const entry *e, int which, double *out)
{
    double arg[3][2];
    for (int i = 0; i < e->arity; ++i)
        memcpy(arg[i], value_of(s->entries + e->arg[i], e->quadrature, which), sizeof arg[i]);
    rw_graph_apply(s->g, e->op, e->index, (const double(*)[2])arg, e->is_complex, out);
}

static void compute_own(rw_scalars *s, entry *e)
{
    if (e->op == RW_OP_PARAM) {
        e->own[0] = s->g->params[e->index].re;
        e->own[1] = s->g->params[e->index].im;
    } else if (e->arity) apply(s, e, OWN, e->own);
}

static void compute_samples(rw_scalars *s, entry *e)
{
    const rw_quadrature *c = s->g->params[e->quadrature].quadrature;
    for (int q = 0; q < c->n; ++q)
        if (e->op == RW_OP_PARAM) {
            e->sample[q][0] = c->at[q];
            e->sample[q][1] = s->g->params[e->index].im;
        } else apply(s, e, q, e->sample[q]);
}

/* The weights are others at each stage. */
static void add_up(rw_scalars *s, entry *e)
{
    const rw_quadrature *c = s->g->params[e->quadrature].quadrature;
    if (e->linear) {
        apply(s, e, SUM, e->sum);
        return;
    }
    e->sum[0] = e->sum[1] = 0;
    for (int part = 0; part < e->parts; ++part)
        for (int q = 0; q < c->n; ++q) e->sum[part] += c->weight[q] * e->sample[q][part];
}

static bool meet(const uint64_t *a, const uint64_t *b, int words)
{
    for (int w = 0; w < words; ++w)
        if (a[w] & b[w]) return true;
    return false;
}

/* The samples of an entry are computed anew where the times, or something else that it depends on, have changed. */
static bool needs_samples(const rw_scalars *s, const entry *e, const uint64_t *depends)
{
    for (int w = 0; w < s->words; ++w) {
        uint64_t along = e->quadrature / 64 == w ? 1ull << e->quadrature % 64 : 0;
        if (depends[w] & ((s->changed[w] & ~along) | (s->moved[w] & along))) return true;
    }
    return false;
}

bool rw_scalars_update(rw_scalars *s)
{
    bool quadratures;
    note_changes(s, &quadratures);
    if (quadratures && !arrange(s)) {
        s->filled = false;
        return false;
    }
    for (int i = 0; i < s->n; ++i) {
        entry *e = s->entries + i;
        const uint64_t *depends = s->depends + i * s->words;
        bool changed = quadratures || meet(depends, s->changed, s->words);
        if (!changed && !e->summed) continue;
        if (changed && e->owned) compute_own(s, e);
        if (changed && e->sampled && (quadratures || needs_samples(s, e, depends))) compute_samples(s, e);
        if (e->summed) add_up(s, e);
    }
    return true;
}

void rw_scalars_get(const rw_scalars *s, rw_node n, double *re, double *im)
{
    const entry *e = s->entries + s->place[n];
    const double *value = e->quadrature >= 0 && !e->rough ? e->sum : e->own;
    *re = value[0];
    *im = value[1];
}
