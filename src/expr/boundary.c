/* What a caller says of the sides of a field, before any of it is lowered. */
#include "expr/program.h"

static const char *const side_names[] = {"lower x", "upper x", "lower y", "upper y", "lower z", "upper z"};

rw_status rw_check_boundaries(rw_context *ctx, const rw_expr_field *f, int sides, bool rows)
{
    for (int s = 0; s < sides; ++s) {
        const rw_boundary *b = f->boundary + s, *opposite = f->boundary + (s ^ 1);
        if ((unsigned)b->kind > RW_BOUNDARY_PERIODIC)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "boundary of %s, %s side: kind %d: give RW_BOUNDARY_NEAREST, _DIRICHLET, _NEUMANN, _ROBIN or _PERIODIC (0 to %d)", f->name,
                           side_names[s], (int)b->kind, RW_BOUNDARY_PERIODIC);
        if ((f->dtype == RW_I64 || f->dtype == RW_U64) && b->kind != RW_BOUNDARY_NEAREST && b->kind != RW_BOUNDARY_PERIODIC)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "boundary of %s, %s side: fields of %s have RW_BOUNDARY_NEAREST or _PERIODIC: the others compute with real numbers", f->name,
                           side_names[s], rw_dtype_name(f->dtype));
        if (rows && b->kind == RW_BOUNDARY_PERIODIC && opposite->kind != RW_BOUNDARY_PERIODIC)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "boundary of %s: periodic on the %s side only: make the opposite side periodic too", f->name, side_names[s]);
        if (b->kind == RW_BOUNDARY_ROBIN && !b->b)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "boundary of %s, %s side: robin without b: a u + b du/dn = c needs b; for u = c/a take dirichlet", f->name, side_names[s]);
    }
    return RW_OK;
}

/* After lowering: what is known to be 0 on the host. */
rw_status rw_check_robin(rw_context *ctx, const rw_graph *g, const rw_expr_field *f, int side, rw_node b)
{
    if (f->boundary[side].kind != RW_BOUNDARY_ROBIN || !rw_is_const(g, b, 0)) return RW_OK;
    return rw_fail(ctx, RW_ERR_INPUT, "boundary of %s, %s side: robin with b = 0: a u + b du/dn = c needs another b; for u = c/a take dirichlet", f->name, side_names[side]);
}
