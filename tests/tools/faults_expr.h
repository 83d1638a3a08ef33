/* Rows of test_faults.c: programs of expressions. */

static const rw_expr_field fields[] = {{.name = "u",
                                        .dtype = RW_F64,
                                        .boundary = {{RW_BOUNDARY_ROBIN, "1 + x", "c", "0"},
                                                     {RW_BOUNDARY_DIRICHLET, "1", 0, 0}}},
                                       {.name = "v", .dtype = RW_F64}};
static const rw_expr_scalar scalars[] = {{.name = "c", .value = 1}};
static const rw_grid grid = {.ndim = 1, .size = {N, 1, 1}, .spacing = {0.5, 1, 1}};

static rw_status create_expr(rw_expr **e)
{
    const rw_expr_spec spec = {.name = "faults",
                               .text = "v = c*laplace(u) + u^2; r = sum(v); u = u/r",
                               .grid = grid,
                               .fields = fields,
                               .nfields = 2,
                               .scalars = scalars,
                               .nscalars = 1};
    return rw_expr_create(dev, &spec, e);
}
static rw_status call_expr(void)
{
    expr = poison;
    return made(create_expr(&expr), &expr);
}
static void put_fields(void)
{
    void *w;
    /* what lies beside y is made at the first run */
    x = new_ramp(N, 1, 0.1), y = new_array(RW_F64, N, RW_MEMORY_PINNED);
    OK(rw_array_write(y, &w));
    memset(w, 0, N * sizeof(double));
}
static void before_expr(void)
{
    put_fields();
    OK(create_expr(&expr));
    OK(rw_expr_bind(expr, "u", x));
    OK(rw_expr_bind(expr, "v", y));
}
static void after_expr(void)
{
    rw_expr_destroy(&expr);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&z);
}
static void result_run(void)
{
    OK(rw_expr_run(expr, queue));
    OK(rw_expr_get(expr, "r", &value, NULL));
    note("%.17g", value), note_array(x), note_array(y);
}
static void result_expr(void)
{
    put_fields();
    OK(rw_expr_bind(expr, "u", x));
    OK(rw_expr_bind(expr, "v", y));
    result_run();
}
static rw_status call_expr_bind(void) { return rw_expr_bind(expr, "v", y); }
static rw_status call_expr_set(void) { return rw_expr_set(expr, "c", 1.5); }
static rw_status call_expr_set_complex(void) { return rw_expr_set_complex(expr, "c", 2.5, 0); }
/* u is read and written: what a failed run leaves is put back before the next one */
static rw_status call_expr_run(void)
{
    void *w;
    RW_TRY(rw_array_write(x, &w));
    for (int i = 0; i < N; ++i) ((double *)w)[i] = 1 + 0.1 * i;
    return rw_expr_run(expr, queue);
}
static void result_expr_run(void)
{
    OK(rw_expr_get(expr, "r", &value, NULL));
    note("%.17g", value), note_array(x), note_array(y);
}
static void before_expr_run(void)
{
    before_expr();
    OK(rw_expr_run(expr, queue));
}
static rw_status call_expr_get(void) { return rw_expr_get(expr, "r", &value, &imaginary); }
static void result_value(void) { note("%.17g %.17g", value, imaginary); }
static rw_status call_expr_plan(void) { return rw_expr_get_plan(expr, &plan); }
static void result_plan(void) { note("%d %d %d %g", plan.passes, plan.stores, plan.reductions, plan.flops_per_cell); }
TEXT_PROBE(call_expr_explain, rw_expr_explain(expr, &text))
static void after_expr_text(void) { after_text(), after_expr(); }
