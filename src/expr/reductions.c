/* Reductions in kernel text. Items have accumulators, a group adds up those of its items in a tree and leaves one
 * number for each; `combine` adds up what the groups left, in their order. After the last pass the update of
 * states does. */
#include "expr/reductions.h"

#include "expr/nodes.h"

/* By rw_reduce_kind: where an accumulator starts, and a and b together. */
static const struct {
    const char *start, *merged, *function;
} kinds[] = {[RW_SUM] = {"0", "a + b", ""},
             [RW_REDUCE_MIN] = {"RW_INF", "RW_MIN(a, b)", "RW_MIN"},
             [RW_REDUCE_MAX] = {"-RW_INF", "RW_MAX(a, b)", "RW_MAX"}};

static bool reduces(const rw_emitter *e, const rw_reduction *r)
{
    return r->pass >= e->k->first && r->pass <= e->k->last;
}

/* A real product that is added up as it is computed, in f64. */
static bool is_product(const rw_emitter *e, rw_node n)
{
    const rw_graph_node *p = rw_node_of(e, n);
    return p->op == RW_OP_MUL && p->is_field && !p->integer && !p->is_complex && !e->k->f32 &&
           !(e->use.table && e->use.table[n]);
}

rw_status rw_count_accumulators(rw_emitter *e)
{
    rw_pass_kernel *k = e->k;
    k->accumulator_slot = rw_calloc((size_t)e->plan->nslots + 1, sizeof *k->accumulator_slot);
    k->accumulator_kind = rw_calloc((size_t)e->plan->nslots + 1, sizeof *k->accumulator_kind);
    if (!k->accumulator_slot || !k->accumulator_kind) return rw_fail_memory(e->g->ctx, 64, "a kernel");
    for (int i = 0; i < e->plan->nreductions; ++i) {
        const rw_reduction *r = e->plan->reductions + i;
        for (int part = 0; reduces(e, r) && part < r->width; ++part) {
            k->accumulator_kind[k->naccumulators] = r->kind;
            k->accumulator_slot[k->naccumulators++] = r->slot + part;
        }
    }
    return RW_OK;
}

void rw_emit_accumulators(rw_emitter *e)
{
    const rw_pass_kernel *k = e->k;
    if (k->naccumulators) ADD("    SHARED(f64, shared, GROUP);\n");
    for (int a = 0; a < k->naccumulators; ++a) ADD("    PRIVATE(f64, acc%d);\n", a);
    for (int a = 0; a < k->naccumulators; ++a) ADD("    start_items(acc%d, %d);\n", a, k->accumulator_kind[a]);
}

void rw_emit_reduced(rw_emitter *e)
{
    int a = 0;
    for (int i = 0; i < e->plan->nreductions; ++i) {
        const rw_reduction *r = e->plan->reductions + i;
        const rw_graph_node *p = rw_node_of(e, r->value);
        if (!reduces(e, r)) continue;
        if (r->pass != e->pass) a += r->width;
        else
            for (int part = 0; part < r->width; ++part, ++a) {
                const char *value = rw_word(e, r->value), *suffix = r->width == 1 ? "" : part ? ".im" : ".re";
                if (r->kind == RW_SUM && is_product(e, r->value))
                    ADD("        AT(acc%d, %s) = MULADD(%s, %s, AT(acc%d, %s));\n", a, e->item,
                        rw_converted(e, p->arg[0], 0), rw_converted(e, p->arg[1], 0), a, e->item);
                else if (r->kind == RW_SUM) ADD("        AT(acc%d, %s) += (f64)%s%s;\n", a, e->item, value, suffix);
                else
                    ADD("        { const f64 m = (f64)%s; AT(acc%d, %s) = %s(AT(acc%d, %s), m); }\n", value, a, e->item,
                        kinds[r->kind].function, a, e->item);
            }
    }
}

void rw_emit_partials(rw_emitter *e)
{
    for (int a = 0; a < e->k->naccumulators; ++a)
        ADD("    reduce_items(part + (%d * GROUP_COUNT(0) + GROUP_ID(0)), shared, acc%d, %d);\n", a, a,
            e->k->accumulator_kind[a]);
}

/* A choice by `kind` among texts of the table. */
#define CHOICE(member)                                                                                                 \
    ADD("kind == %d ? %s : kind == %d ? %s : %s", RW_SUM, kinds[RW_SUM].member, RW_REDUCE_MIN,                         \
        kinds[RW_REDUCE_MIN].member, kinds[RW_REDUCE_MAX].member)

/* Two levels: items of a group in shared memory, then the groups' values: eight loads at once, as one group has to
 * hide their latency. */
void rw_emit_merge(rw_emitter *e)
{
    ADD("DEVICE f64 merge(f64 a, f64 b, int kind)\n{\n    return ");
    CHOICE(merged);
    ADD(";\n}\n"
        "CALLED void start_items(f64 *acc, int kind)\n{\n    EACH(i, GROUP) { AT(acc, i) = ");
    CHOICE(start);
    ADD("; }\n}\n"
        "CALLED void reduce_items(GLOBAL f64 *sum, LOCAL f64 *s, f64 *acc, int kind)\n{\n"
        "    EACH(i, GROUP) { s[i] = AT(acc, i); }\n    BARRIER;\n"
        "    for (int n = GROUP; n > 1; n = (n + 1) / 2) {\n        const int upper = (n + 1) / 2;\n"
        "        EACH(i, n - upper) { s[i] = merge(s[i], s[i + upper], kind); }\n        BARRIER;\n    }\n"
        "    EACH(i, 1) { *sum = s[0]; }\n    BARRIER;\n}\n"
        "CALLED void combine_parts(GLOBAL f64 *slot, GLOBAL const f64 *part, int n, int kind, LOCAL f64 *shared, f64 "
        "*acc)\n"
        "{\n    start_items(acc, kind);\n"
        "    UNROLL_BY(8) EACH_IN(i, 0, n) { AT(acc, i) = merge(AT(acc, i), part[i], kind); }\n"
        "    reduce_items(slot, shared, acc, kind);\n}\n");
}

/* A group a number. */
void rw_emit_combine(rw_emitter *e)
{
    const rw_pass_kernel *k = e->k;
    int last = k->naccumulators - 1;
    rw_emit_merge(e);
    ADD("KERNEL(combine, GLOBAL f64 *slots, GLOBAL const f64 *part, int n)\n{\n"
        "    SHARED(f64, shared, GROUP);\n    PRIVATE(f64, acc);\n    const int a = GROUP_ID(0);\n"
        "    const int slot = ");
    for (int a = 0; a < last; ++a) ADD("a == %d ? %d : ", a, k->accumulator_slot[a]);
    ADD("%d, kind = ", k->accumulator_slot[last]);
    for (int a = 0; a < last; ++a) ADD("a == %d ? %d : ", a, k->accumulator_kind[a]);
    ADD("%d;\n    combine_parts(slots + slot, part + a * n, n, kind, shared, acc);\n}\n", k->accumulator_kind[last]);
}
