#include "../values.h"
/* Rows of test_faults.c: the pattern of a matrix in a file and its picture; matrices, their conversions and
 * products. */

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

static rw_sparse *matrix, *other_matrix;
static rw_operator *an_operator; /* NULL: that of `matrix` */
static int64_t *some_rows, *some_columns, some_entries;
static double *some_values;
static const int64_t block_first[] = {0, 2, 3}, block_column[] = {0, 1, 1};
static const rw_entries five_entries =
    {4, 4, 5, false, (int64_t[]){0, 0, 1, 3, 3}, (int64_t[]){0, 3, 1, 2, 3}, (double[]){1, 2, 3, 4, 5}};

static rw_sparse_layout layout_of(const char *layout)
{
    rw_sparse_layout l;
    OK(rw_sparse_layout_parse(ctx, layout, &l));
    return l;
}
static rw_sparse_blocks four_blocks(void) { return (rw_sparse_blocks){2, 2, block_first, block_column, NULL, NULL}; }

static rw_status call_layout(void)
{
    rw_sparse_layout l;
    rw_status status = rw_sparse_layout_parse(ctx, "bcsr:2", &l);
    if (status == RW_OK) count = l.block_rows;
    return status;
}
static rw_sparse_size seen_size;
static rw_status call_estimate(void)
{
    const rw_sparse_layout l = layout_of("bsell:2:s8");
    const rw_sparse_blocks b = four_blocks();
    return rw_sparse_estimate(ctx, &l, &b, &seen_size);
}
static void result_size(void) { note("%d %d", (int)seen_size.stored, (int)seen_size.bytes); }

static rw_status make_matrix(const char *layout, rw_sparse **m)
{
    const rw_sparse_layout l = layout_of(layout);
    void *p = poison;
    memcpy(m, &p, sizeof p);
    return made(rw_sparse_from_entries(dev, &l, &five_entries, m), m);
}
static rw_status call_sparse_create(void)
{
    const rw_sparse_layout l = layout_of("bsell:2:s8");
    const rw_sparse_blocks b = four_blocks();
    void *p = poison;
    memcpy(&matrix, &p, sizeof p);
    return made(rw_sparse_create(dev, &l, &b, &matrix), &matrix);
}
static rw_status call_from_entries(void) { return make_matrix("vbcsr", &matrix); }
static void note_matrix(rw_sparse *m)
{
    int64_t n, *r, *c;
    double *v;
    OK(rw_sparse_entries(m, &n, &r, &c, &v));
    note("%d x %d", (int)matrix_size_of(m).rows, (int)matrix_size_of(m).columns);
    for (int64_t i = 0; i < n; ++i) note("%d %d %g", (int)r[i], (int)c[i], v[i]);
    rw_sparse_free_entries(&r, &c, &v);
}
static void result_matrix(void) { note_matrix(matrix); }
static void result_other(void) { note_matrix(other_matrix); }
static void after_matrix(void)
{
    rw_sparse_destroy(&matrix), rw_sparse_destroy(&other_matrix), rw_array_destroy(&x), rw_array_destroy(&y);
}

static void before_arrays(void) { OK(make_matrix("bcsr:2", &matrix)); }
static void before_matrix(void)
{
    OK(make_matrix("bsell:2", &matrix));
    x = new_ramp(4, 1, 0.5), y = new_array(RW_F64, 4, RW_MEMORY_DEVICE);
}
static rw_status call_add_blocks(void)
{
    return rw_sparse_add_blocks(matrix, 1, (int64_t[]){1}, (int64_t[]){1}, (double[]){1, 2, 3, 4});
}
static rw_status call_add_blocks_of(void)
{
    return rw_sparse_add_blocks_of(matrix, RW_F64, 1, (int64_t[]){1}, (int64_t[]){1}, (double[]){1, 2, 3, 4});
}
static rw_status call_sparse_zero(void) { return rw_sparse_zero(matrix); }
static rw_status call_convert(void)
{
    const rw_sparse_layout l = layout_of("ell:s8");
    void *p = poison;
    memcpy(&other_matrix, &p, sizeof p);
    return made(rw_sparse_convert(matrix, dev, &l, &other_matrix), &other_matrix);
}
static rw_status call_transpose(void)
{
    void *p = poison;
    memcpy(&other_matrix, &p, sizeof p);
    return made(rw_sparse_transpose(matrix, true, &other_matrix), &other_matrix);
}
static rw_status call_sparse_write(void) { return rw_sparse_write(matrix, path_of("written.mtx")); }
static void result_written(void) { result_matrix(); }
static void before_sparse_read(void)
{
    before_matrix();
    OK(rw_sparse_write(matrix, path_of("read.mtx")));
}
static rw_status call_sparse_read(void)
{
    const rw_sparse_layout l = layout_of("dia");
    void *p = poison;
    memcpy(&other_matrix, &p, sizeof p);
    return made(rw_sparse_read(dev, &l, path_of("read.mtx"), &other_matrix), &other_matrix);
}
static rw_status call_entries(void)
{
    rw_status status = rw_sparse_entries(matrix, &some_entries, &some_rows, &some_columns, &some_values);
    if (status != RW_OK && (some_rows || some_columns || some_values)) fail_msg("lists after a failure");
    return status;
}
static void result_entries(void) { note("%d %d %g", (int)some_entries, (int)some_rows[1], some_values[1]); }
static void after_entries(void) { rw_sparse_free_entries(&some_rows, &some_columns, &some_values), after_matrix(); }
static rw_status call_multiply(void)
{
    return rw_sparse_multiply(matrix, RW_OP_NONE, NULL, x, NULL, y, rw_device_queue(dev));
}
static rw_status call_multiply_transposed(void)
{
    return rw_sparse_multiply(matrix, RW_OP_TRANSPOSE, NULL, x, NULL, y, rw_device_queue(dev));
}
static void before_coordinates(void)
{
    OK(make_matrix("coo", &matrix));
    x = new_ramp(4, 1, 0.5), y = new_array(RW_F64, 4, RW_MEMORY_DEVICE);
}

/* Operators: `other_matrix` behind a function, a program. */
static void after_operator(void) { rw_operator_destroy(&an_operator), after_matrix(); }
static int64_t rows_of_operator(void)
{
    rw_operator_info about;
    OK(rw_operator_get_info(an_operator, &about));
    return about.rows;
}
static rw_operator *operator_now(void) { return an_operator ? an_operator : rw_sparse_operator(matrix); }
static rw_status multiply_other(void *user, rw_op op, rw_array *from, rw_array *to, rw_queue *to_queue)
{
    (void)user;
    return rw_sparse_multiply(other_matrix, op, NULL, from, NULL, to, to_queue);
}
static void before_free(void)
{
    OK(make_matrix("csr", &other_matrix));
    x = new_ramp(4, 1, 0.5), y = new_ramp(4, 2, 0.25);
}
static rw_status call_operator_create(void)
{
    const rw_operator_spec spec = {.rows = 4, .columns = 4, .multiply = multiply_other};
    void *p = poison;
    memcpy(&an_operator, &p, sizeof p);
    return made(rw_operator_create(dev, &spec, &an_operator), &an_operator);
}
static void result_operator(void) { note("%d rows", (int)rows_of_operator()); }
static void before_operator_product(void)
{
    before_free();
    OK(call_operator_create());
}
static rw_status call_multiply_scaled(void)
{
    return rw_operator_multiply(an_operator, RW_OP_NONE, (double[]){2, 0}, x, NULL, y, rw_device_queue(dev));
}
static rw_status call_info(void)
{
    rw_operator_info about;
    const rw_status status = rw_operator_get_info(rw_sparse_operator(matrix), &about);
    count = (int)about.rows;
    return status;
}
static rw_status call_size(void)
{
    rw_sparse_size size;
    const rw_status status = rw_sparse_get_size(matrix, &size);
    count = (int)size.rows;
    return status;
}
static rw_status call_arrays(void)
{
    rw_sparse_arrays arrays;
    const rw_status status = rw_sparse_get_arrays(matrix, &arrays);
    count = (int)arrays.block_rows;
    return status;
}
static void before_diagonal(void)
{
    OK(make_matrix("vbcsr", &matrix));
    y = new_array(RW_F64, 4, RW_MEMORY_DEVICE);
}
static rw_status call_diagonal(void) { return rw_operator_get_diagonal(rw_sparse_operator(matrix), y); }
static rw_status call_from_expr(void)
{
    static const rw_expr_field both[] = {{.name = "u", .dtype = RW_F64}, {.name = "Au", .dtype = RW_F64}};
    const rw_expr_spec spec = {.text = "Au = 4*u - laplace(u)",
                               .grid = {1, {30, 1, 1}, {1, 1, 1}, {0, 0, 0}},
                               .fields = both,
                               .nfields = 2};
    void *p = poison;
    memcpy(&an_operator, &p, sizeof p);
    return made(rw_operator_from_expr(dev, &spec, "u", "Au", &an_operator), &an_operator);
}
static void result_from_expr(void)
{
    x = new_ramp(30, 1, 0.5), y = new_array(RW_F64, 30, RW_MEMORY_DEVICE);
    OK(rw_operator_multiply(an_operator, RW_OP_NONE, NULL, x, NULL, y, rw_device_queue(dev)));
    note("%.9g", numbers_of(y)[2]);
}
static void before_from_expr(void)
{
    OK(call_from_expr());
    x = new_ramp(30, 1, 0.5), y = new_array(RW_F64, 30, RW_MEMORY_DEVICE);
}

/* ---- preconditioners --------------------------------------------------------------------------------------------- */

static rw_precond *precond;
static rw_precond_spec seen_precond;

static rw_status call_precond_parse(void) { return rw_precond_parse(ctx, "ilu:level=2:f32", &seen_precond); }
static void result_precond_spec(void)
{
    note("%d %d %d", (int)seen_precond.method, seen_precond.level, (int)seen_precond.f32);
}
static rw_status create_precond(rw_precond_spec spec)
{
    void *p = poison;
    memcpy(&precond, &p, sizeof p);
    return made(rw_precond_create(operator_now(), RW_F64, &spec, &precond), &precond);
}
static rw_status call_ilu(void)
{
    return create_precond(
        (rw_precond_spec){.method = RW_PRECOND_ILU, .level = 1, .order = RW_ORDER_COLOURS, .sweeps = 2});
}
static rw_status call_ilu_iterations(void)
{
    return create_precond((rw_precond_spec){.method = RW_PRECOND_ILU,
                                            .level = 1,
                                            .order = RW_ORDER_COLOURS,
                                            .iterations = 2,
                                            .scaled = true});
}
static rw_status call_ilut(void) { return create_precond((rw_precond_spec){.method = RW_PRECOND_ILUT, .fill = 2}); }
static rw_status call_ssor(void) { return create_precond((rw_precond_spec){.method = RW_PRECOND_SSOR}); }
static rw_status call_chebyshev(void) { return create_precond((rw_precond_spec){.method = RW_PRECOND_CHEBYSHEV}); }
static rw_status call_amg(void) { return create_precond((rw_precond_spec){.method = RW_PRECOND_AMG}); }
static void result_precond(void)
{
    OK(rw_precond_apply(precond, x, y, rw_device_queue(dev)));
    note("%.9g %lld", ((const double *)numbers_of(y))[2], (long long)precond_info_of(precond).blocks);
}
static rw_status call_precond_info(void)
{
    rw_precond_info all;
    const rw_status status = rw_precond_get_info(precond, &all);
    count = (int)all.blocks;
    return status;
}
static void after_precond(void) { rw_precond_destroy(&precond), after_operator(); }
/* A line of points, of more unknowns than amg solves for directly. */
static void before_line(void)
{
    enum { POINTS = 1100 };
    int64_t row[3 * POINTS], column[3 * POINTS], n = 0;
    double number[3 * POINTS];
    const rw_sparse_layout l = layout_of("csr");
    for (int i = 0; i < POINTS; ++i)
        for (int j = i - 1; j <= i + 1; ++j)
            if (j >= 0 && j < POINTS) row[n] = i, column[n] = j, number[n++] = i == j ? 2 : -1;
    OK(rw_sparse_from_entries(dev, &l, &(rw_entries){POINTS, POINTS, n, false, row, column, number}, &matrix));
    x = new_ramp(POINTS, 1, 0.5), y = new_array(RW_F64, POINTS, RW_MEMORY_DEVICE);
}
static void before_precond(void)
{
    before_line();
    OK(call_ilu());
}
static rw_status call_precond_apply(void) { return rw_precond_apply(precond, x, y, rw_device_queue(dev)); }

/* ---- the choice of a format -------------------------------------------------------------------------------------- */

static rw_entries seen_entries;
static rw_sparse_choice choice;

static rw_pattern seen_pattern;
static rw_status call_pattern(void) { return rw_pattern_find(ctx, &five_entries, &seen_pattern); }
static void result_pattern(void)
{
    note("%d %d %d %d", (int)seen_pattern.entries, seen_pattern.hermitian, (int)seen_pattern.diagonals,
         (int)seen_pattern.formats[seen_pattern.best].size.bytes);
}
static rw_status call_entries_read(void)
{
    memset(&seen_entries, 0x55, sizeof seen_entries);
    rw_status status = rw_entries_read(ctx, path_of("read.mtx"), RW_DUPLICATES_SUM, &seen_entries);
    if (status != RW_OK && (seen_entries.row || seen_entries.column || seen_entries.value))
        fail_msg("entries after a failure");
    return status;
}
static void result_entries_read(void)
{
    note("%d %d %g", (int)seen_entries.n, (int)seen_entries.row[1], seen_entries.value[1]);
}
static void after_entries_read(void) { rw_entries_free(&seen_entries), after_matrix(); }
static rw_precond_bytes precond_bytes;
static rw_status call_precond_estimate(void)
{
    const rw_sparse_layout csr = {.format = RW_SPARSE_CSR, .values = RW_F64};
    return rw_precond_estimate(dev, &(rw_precond_spec){.method = RW_PRECOND_ILU, .level = 1}, &csr, &five_entries,
                               RW_F64, &precond_bytes);
}
static void result_precond_estimate(void)
{
    note("%d %d %d", (int)precond_bytes.device, (int)precond_bytes.device_setup, (int)precond_bytes.host_setup);
}
static rw_status call_predict(void)
{
    choice.candidate[0].layout = layout_of("bsell:2:s8"), choice.candidate[1].layout = layout_of("vbcsr");
    choice.n = 2, choice.best = 1;
    return rw_sparse_predict(dev, &five_entries, RW_F64, 2, choice.candidate);
}
static rw_status call_choose(void) { return rw_sparse_choose(dev, &five_entries, RW_F64, RW_F64, &choice); }
static void result_choice(void)
{
    note("%d %d %d %g", choice.n, choice.best, (int)choice.candidate[choice.best].size.bytes, choice.candidate[0].cost);
}
static rw_status call_products(void)
{
    const rw_bench_options options = {.quick = true, .rounds = 1};
    rows = poison;
    return made(rw_bench_products(dev, &five_entries, RW_F64, choice.candidate, 2, &options, &rows), &rows);
}
static void before_products(void) { OK(call_predict()); }
static void result_products(void)
{
    note("%s %s %d %d", rows[0].variant, rows[1].variant, rows[0].error <= 1, rows[1].error <= 1);
}
static void after_products(void) { rw_bench_free(&rows); }

/* ---- solvers ----------------------------------------------------------------------------------------------------- */

static rw_krylov *solver;
static rw_krylov_result solved;
static rw_krylov_spec seen_krylov;

static rw_status call_method(void) { return rw_krylov_parse(ctx, "gmres:restart=20:ilu2", &seen_krylov); }
static void result_method(void) { note("%d %d", seen_krylov.restart, seen_krylov.precond.level); }
static rw_status create_solver(rw_krylov_method method)
{
    void *p = poison;
    memcpy(&solver, &p, sizeof p);
    return made(rw_krylov_create(rw_sparse_operator(matrix), RW_F64,
                                 &(rw_krylov_spec){.method = method,
                                                   .restart = 3,
                                                   .precond = {.method = RW_PRECOND_JACOBI}},
                                 &solver),
                &solver);
}
static void before_system(void) /* a diagonal that is nowhere 0 */
{
    const rw_sparse_layout l = layout_of("csr");
    OK(rw_sparse_from_entries(dev, &l,
                              &(rw_entries){4, 4, 6, false, (int64_t[]){0, 1, 2, 3, 0, 3},
                                            (int64_t[]){0, 1, 2, 3, 2, 1}, (double[]){4, 5, 6, 7, 1, 2}},
                              &matrix));
    x = new_ramp(4, 1, 0.5), y = new_array(RW_F64, 4, RW_MEMORY_DEVICE);
}
static rw_status call_solver(void) { return create_solver(RW_KRYLOV_GMRES); }
static void result_solver(void) { note("a solver"); }
static void after_solver(void) { rw_krylov_destroy(&solver), after_matrix(); }
static void before_solve(void)
{
    before_system();
    OK(create_solver(RW_KRYLOV_GMRES));
    OK(rw_array_zero(y, rw_device_queue(dev)));
}
static void before_solve_short(void)
{
    before_system();
    OK(create_solver(RW_KRYLOV_BICGSTAB));
    OK(rw_array_zero(y, rw_device_queue(dev)));
}
static void before_solve_flexible(void)
{
    before_system();
    OK(create_solver(RW_KRYLOV_FGMRES));
    OK(rw_array_zero(y, rw_device_queue(dev)));
}
static void before_solve_inner(void)
{
    const rw_krylov_spec inner = {.method = RW_KRYLOV_BICGSTAB, .iterations = 4};
    before_system();
    OK(rw_krylov_create(rw_sparse_operator(matrix), RW_F64,
                        &(rw_krylov_spec){.method = RW_KRYLOV_FGMRES, .inner = &inner}, &solver));
    OK(rw_array_zero(y, rw_device_queue(dev)));
}
static rw_status call_solver_own(void) /* a preconditioner of its own */
{
    void *p = poison;
    memcpy(&solver, &p, sizeof p);
    return made(rw_krylov_create(rw_sparse_operator(matrix), RW_F64,
                                 &(rw_krylov_spec){.method = RW_KRYLOV_BICGSTAB,
                                                   .precond_operator = rw_sparse_operator(matrix)},
                                 &solver),
                &solver);
}
static void before_solve_own(void)
{
    before_system();
    OK(call_solver_own());
    OK(rw_array_zero(y, rw_device_queue(dev)));
}
static rw_status call_solve(void) { return rw_krylov_solve(solver, x, y, &solved); }
static rw_status call_krylov_precond(void)
{
    rw_precond_info all;
    const rw_status status = rw_krylov_get_precond(solver, &all);
    count = (int)all.blocks;
    return status;
}
static rw_status call_krylov_update(void) { return rw_krylov_update(solver); }
static void result_krylov_update(void) { note("%d", (int)solver_precond_of(solver).blocks); }
static void result_solved(void)
{
    note("%d %d", (int)solved.reason, solved.residual < 1e-7), note("%.6f", ((const double *)numbers_of(y))[2]);
}
static rw_status call_params_set(void)
{
    return rw_params_set(ctx, rw_krylov_params(), "here", "restart", "20", &seen_krylov);
}
static rw_status call_params_resolve(void)
{
    seen_krylov = (rw_krylov_spec){.precond = {.method = RW_PRECOND_AMG}};
    return rw_params_resolve(ctx, rw_krylov_params(), NULL, &seen_krylov);
}
static void result_params(void) { note("%d %d", seen_krylov.restart, seen_krylov.precond.degree); }
