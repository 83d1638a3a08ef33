/* What a caller says of the sides of a field, before any of it is lowered. */
#include "expr/program.h"

static const char *const side_names[] = {"lower x", "upper x", "lower y", "upper y", "lower z", "upper z"};

const char *rw_boundary_name(rw_boundary_kind kind)
{
    static const struct {
        const char *name;
        rw_boundary_kind kind;
    } names[] = {
#define RW_X(name, text) {text, RW_BOUNDARY_##name},
        RW_BOUNDARY_LIST(RW_X)
#undef RW_X
    };
    int i = 0;
    while (names[i].kind != kind) ++i;
    return names[i].name;
}

int rw_boundary_values(rw_boundary_kind kind)
{
    return kind == RW_BOUNDARY_ROBIN
               ? 3
               : kind == RW_BOUNDARY_DIRICHLET || kind == RW_BOUNDARY_NEUMANN || kind == RW_BOUNDARY_CONSTANT;
}

void rw_set_boundary(rw_graph *g, int field, int side, rw_boundary_kind kind, const rw_node values[3])
{
    rw_graph_field *f = g->fields + field;
    f->boundary[side].kind = kind;
    f->boundary[side].a = kind == RW_BOUNDARY_CONSTANT ? rw_cast(g, f->dtype, values[0]) : values[0];
    f->boundary[side].b = values[1];
    f->boundary[side].c = values[2];
}

rw_status rw_check_boundaries(rw_context *ctx, const rw_expr_field *f, int sides, bool rows)
{
    for (int s = 0; s < sides; ++s) {
        const rw_boundary *b = f->boundary + s, *opposite = f->boundary + (s ^ 1);
        if ((f->dtype == RW_I64 || f->dtype == RW_U64) && b->kind >= RW_BOUNDARY_DIRICHLET &&
            b->kind <= RW_BOUNDARY_ROBIN)
            return rw_fail(
                ctx, RW_ERR_ARGUMENT,
                "boundary of %s, %s side: %s needs floating-point values: fields of %s accept nearest, periodic, "
                "reflect101, reflect or constant",
                f->name, side_names[s], rw_boundary_name(b->kind), rw_dtype_name(f->dtype));
        if (rows && b->kind == RW_BOUNDARY_PERIODIC && opposite->kind != RW_BOUNDARY_PERIODIC)
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "boundary of %s: periodic on the %s side only: make the opposite side periodic too", f->name,
                           side_names[s]);
        if (b->kind == RW_BOUNDARY_ROBIN && !b->b)
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "boundary of %s, %s side: robin needs b in a u + b du/dn = c; for u = c/a use dirichlet",
                           f->name, side_names[s]);
    }
    return RW_OK;
}

/* After lowering: what is known to be 0 on the host. */
rw_status rw_check_robin(rw_context *ctx, const rw_graph *g, const rw_expr_field *f, int side, rw_node b)
{
    if (f->boundary[side].kind != RW_BOUNDARY_ROBIN || !rw_is_const(g, b, 0)) return RW_OK;
    return rw_fail(
        ctx, RW_ERR_INPUT,
        "boundary of %s, %s side: robin needs b other than 0 in a u + b du/dn = c; for u = c/a use dirichlet", f->name,
        side_names[side]);
}
