/* Kernels of a plan, one after the other: each by the first strategy that suits the passes from there on. Values are
 * named after their nodes (v37), so a kernel's text follows the graph. */
#include <string.h>

#include "expr/arguments.h"
#include "expr/reductions.h"
#include "expr/strategy.h"

/* Strategies in the order in which they are asked; `class`, `grid`: of devices and grids that they are for, unless the
 * device's option `tiling` asks for them. */
static const struct strategy {
    const char *name;
    rw_tiling_option option;
    rw_device_class class;
    bool (*grid)(const rw_grid *grid);
    rw_strategy_suits *suits;
    rw_strategy_emit *emit;
    rw_strategy_free *free;
} strategies[] = {
    {"fused", RW_TILING_FUSED, RW_GPU, rw_fused_grid, rw_fused_suits, rw_fused_emit, rw_fused_free},
    {"wave", RW_TILING_WAVE, RW_GPU, rw_front_grid, rw_wave_suits, rw_wave_emit, rw_front_free},
    {"rings", RW_TILING_RINGS, RW_PROCESSOR, rw_front_grid, rw_rings_suits, rw_rings_emit, rw_front_free},
    {"plain", RW_TILING_AUTO, 0, NULL, rw_plain_suits, rw_plain_emit, rw_plain_free},
};

/* Whether a strategy is to be asked. */
static bool is_asked(const struct strategy *s, const rw_target *target, const rw_grid *grid)
{
    if (!s->grid || target->tiling) return !s->grid || target->tiling == s->option;
    return target->class == s->class && s->grid(grid);
}

bool rw_passes_fuse(const rw_grid *grid, const rw_target *target)
{
    bool any = false;
    for (int i = 0; i < RW_COUNT(strategies); ++i)
        any = any || (strategies[i].grid && is_asked(strategies + i, target, grid));
    return any;
}

/* Passes whose sides read fields, or have nodes that are given, are kernels of their own. */
static rw_status choose_strategy(rw_emitter *e, const struct strategy **chosen)
{
    for (const struct strategy *s = strategies;; ++s) {
        bool suits = false;
        if (!is_asked(s, e->target, &e->g->grid) || (s->grid && (e->g->sides_read || e->g->given))) continue;
        rw_status status = s->suits(e, e->target->tiling && e->target->tiling == s->option, &suits);
        *chosen = s;
        if (status != RW_OK || suits) return status;
        s->free(e->state);
        e->state = NULL;
    }
}

static void choose_precision(rw_emitter *e)
{
    e->k->f32 = rw_pass_use_is_f32(e->plan, &e->use);
    for (int f = 0; f < e->g->nfields; ++f)
        if (e->use.read[f] || e->use.written[f])
            e->k->has_complex = e->k->has_complex || rw_dtype_is_complex(e->g->fields[f].dtype);
    e->mixed = rw_pass_use_is_mixed(e->plan, &e->use);
    for (int n = 0; n < e->use.nnodes; ++n) {
        const rw_graph_node *p = e->g->nodes + n;
        if (e->use.needed[n] || e->use.uniform[n]) e->k->has_complex = e->k->has_complex || p->is_complex;
    }
}

static rw_status write_kernel(rw_emitter *e, const struct strategy **s)
{
    RW_TRY(rw_plan_use(e->plan, e->k->first, &e->use));
    if (!(e->beside = rw_calloc((size_t)e->g->nfields + 1, 1))) return rw_fail_memory(e->g->ctx, 64, "a kernel");
    RW_TRY(choose_strategy(e, s));
    RW_TRY(rw_count_accumulators(e));
    choose_precision(e);
    RW_TRY(rw_emit_arguments(e));
    rw_emit_definitions(e);
    RW_TRY((*s)->emit(e));
    if (e->t->failed) return rw_fail_memory(e->g->ctx, e->t->length, "the text of a kernel");
    e->k->flops = e->use.flops;
    e->k->bytes_per_cell = e->use.bytes_per_cell;
    e->k->text = e->t->data;
    e->t->data = NULL;
    return RW_OK;
}

rw_status rw_pass_kernel_create(const rw_plan *plan, int first, const rw_target *target, rw_pass_kernel *k)
{
    rw_text text = {0};
    const struct strategy *s = NULL;
    rw_emitter e = {.plan = plan,
                    .g = plan->graph,
                    .target = target,
                    .tuning = &rw_tuning_of[target->class],
                    .pass = first,
                    .k = k,
                    .t = &text,
                    .index = {"i", "j", "k"}};
    *k = (rw_pass_kernel){.first = first, .last = first};
    rw_status status = write_kernel(&e, &s);
    if (e.state) s->free(e.state);
    rw_pass_use_free(&e.use);
    rw_text_free(&text);
    rw_free(e.beside);
    rw_text_free(&e.uniforms);
    rw_text_free(&e.uniform_names);
    rw_text_free(&e.arrays);
    rw_text_free(&e.array_names);
    if (status != RW_OK) rw_pass_kernel_free(k);
    return status;
}

void rw_pass_kernel_free(rw_pass_kernel *k)
{
    rw_free(k->text);
    rw_free(k->slots);
    rw_free(k->accumulator_slot);
    rw_free(k->accumulator_kind);
    memset(k, 0, sizeof *k);
}
