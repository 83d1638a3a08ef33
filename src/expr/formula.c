/* The arguments are fields of a grid without rows, so that the language, its checks and its formulas apply here too. */
#include "expr/formula.h"

#include <string.h>

#include "expr/lower.h"
#include "expr/nodes.h"

/* Of an emitter: an argument by its name. */
static void write_argument(rw_emitter *e, const rw_graph_node *field) { ADD("%s", e->g->fields[field->index].name); }

static rw_status refuse(rw_context *ctx, const rw_formula *f, const char *what)
{
    char names[256] = "";
    size_t used = 0;
    for (int i = 0; i < f->narguments && used < sizeof names; ++i)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", f->arguments[i].name);
    return rw_fail(ctx, RW_ERR_INPUT, "%s: \"%.200s\": %s: it may contain %s, numbers and functions", f->where,
                   f->expression, what, names);
}

/* Only the arguments, numbers and operations of the language. */
static rw_status check_nodes(rw_context *ctx, const rw_formula *f, const rw_graph *g, const rw_pass_use *use)
{
    for (int n = 0; n < use->nnodes; ++n) {
        if (use->uniform[n]) return refuse(ctx, f, "a part of it is not a number");
        if (!use->needed[n]) continue;
        const rw_graph_node *p = g->nodes + n;
        if (p->op == RW_OP_COORD) return refuse(ctx, f, "coordinates are not available");
        if (p->op == RW_OP_REDUCE) return refuse(ctx, f, "reductions over the array are not available");
        if (p->op == RW_OP_FIELD && (p->offset[0] || p->offset[1] || p->offset[2] || p->column))
            return refuse(ctx, f, "neighbours are not available");
    }
    return RW_OK;
}

static void write_function(const rw_formula *f, rw_emitter *e, rw_node value, unsigned *used)
{
    *used = 1;
    for (int i = 1; i < f->narguments; ++i)
        if (e->use.read[i]) *used |= 1u << i;
    ADD("#define CX(name) %s_##name\n#define RX(name) %s_##name\n", f->single ? "c64" : "c128",
        f->single ? "f32" : "f64");
    ADD("DEVICE %s %s(", f->is_complex ? "complex" : "real", f->function);
    for (int i = 0; i < f->narguments; ++i)
        if (*used & 1u << i)
            ADD("%s%s %s", i ? ", " : "", f->arguments[i].is_complex ? "complex" : "real", f->arguments[i].name);
    ADD(")\n{\n");
    rw_emit_nodes(e, e->use.needed, "    ");
    ADD("    return %s;\n}\n", f->is_complex ? rw_complex_word(e, value) : rw_word(e, value));
}

static rw_status write_value(rw_context *ctx, const rw_formula *f, rw_graph *g, rw_node value, rw_text *text,
                             unsigned *used)
{
    rw_plan plan;
    rw_pass_use use = {0};
    rw_pass_kernel kernel = {.f32 = f->single};
    if (g->nodes[value].is_complex && !f->is_complex)
        return refuse(ctx, f, "a complex value cannot be stored in a real element");
    RW_TRY(rw_plan_begin(&plan, g, 0));
    rw_status status = rw_pass_use_begin(&plan, &use);
    if (status == RW_OK) {
        rw_pass_use_add(&plan, 0, &use, value);
        status = check_nodes(ctx, f, g, &use);
    }
    if (status == RW_OK) {
        rw_emitter e = {.plan = &plan, .g = g, .k = &kernel, .t = text, .use = use, .field = write_argument};
        write_function(f, &e, value, used);
    }
    rw_pass_use_free(&use);
    rw_plan_end(&plan);
    if (status == RW_OK && (text->failed || g->failed)) status = rw_fail_memory(ctx, text->length, "a formula");
    return status;
}

rw_status rw_formula_write(rw_context *ctx, const rw_formula *f, rw_text *text, unsigned *used)
{
    static const rw_grid one = {.ndim = 1, .size = {1, 1, 1}, .spacing = {1, 1, 1}};
    const rw_source source = {f->where, f->expression, 1, 1};
    rw_graph *g;
    rw_lowering l;
    rw_node value = -1;
    RW_TRY(rw_graph_create(ctx, &one, 2, &g));
    g->unstructured = true;
    for (int i = 0; i < f->narguments; ++i)
        rw_graph_add_field(g, f->arguments[i].name, f->arguments[i].is_complex ? RW_C128 : RW_F64);
    rw_lowering_begin(&l, ctx, g);
    rw_status status = g->failed ? rw_fail_memory(ctx, 64, "a formula") : rw_lower_text(&l, &source, &value);
    rw_lowering_end(&l);
    if (status == RW_OK) status = write_value(ctx, f, g, value, text, used);
    rw_graph_destroy(&g);
    return status;
}
