/* Rows of test_faults.c: block-structured grids, and traces of expression programs. */

static rw_blocks *hexahedra;
static double (*centres)[3], *volumes, (*matrices)[8][8];
static int64_t *cells_cut;
enum { BLOCK_CELLS = 5 * 2 * 2 };

static void note_grid(void)
{
    note("%d %d", (int)rw_blocks_cells(hexahedra), (int)rw_blocks_points(hexahedra));
    note_bytes("points", rw_blocks_coordinates(hexahedra), (size_t)rw_blocks_points(hexahedra) * 3 * sizeof(double));
}
static void after_grid(void) { rw_blocks_destroy(&hexahedra); }

static rw_status call_blocks(void)
{
    static const double vertices[12][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1},
                                           {1, 1, 1}, {0, 1, 1}, {2, 0, 0}, {2, 1, 0}, {2, 0, 1}, {2, 1, 1}};
    static const int blocks[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 8, 9, 2, 5, 10, 11, 6}};
    const rw_blocks_spec spec = {.mesh = {.nvertices = 12, .nblocks = 2, .vertices = vertices, .blocks = blocks},
                                 .cells = {2, 3, 2}};
    hexahedra = poison;
    return made(rw_blocks_create(ctx, &spec, &hexahedra), &hexahedra);
}
static rw_status call_blocks_box(void)
{
    hexahedra = poison;
    return made(rw_blocks_box(ctx, (double[3]){1, 2, 3}, (int[3]){2, 2, 2}, &hexahedra), &hexahedra);
}
static rw_status call_blocks_cylinder(void)
{
    hexahedra = poison;
    return made(rw_blocks_cylinder(ctx, 0.5, 0.2, 1, (int[3]){2, 2, 1}, &hexahedra), &hexahedra);
}
static void before_mesh(void)
{
    static const char mesh[] =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n"
        "7 1 1 1\n8 0 1 1\n$EndNodes\n"
        "$Elements\n1\n1 5 0 1 2 3 4 5 6 7 8\n$EndElements\n";
    OK(rw_file_write(ctx, path_of("cube.msh"), mesh, strlen(mesh)));
}
static rw_status call_blocks_gmsh(void)
{
    static const rw_surface ball = {.kind = RW_SURFACE_SPHERE, .centre = {0.5, 0.5, 0.5}, .radius = 0.8660254037844386};
    hexahedra = poison;
    return made(rw_blocks_read_gmsh(ctx, path_of("cube.msh"), (int[3]){3, 3, 3}, &ball, 1, &hexahedra), &hexahedra);
}

static void before_grid(void)
{
    OK(call_blocks_cylinder());
    centres = calloc(BLOCK_CELLS, sizeof *centres), volumes = calloc(BLOCK_CELLS, sizeof *volumes),
    matrices = calloc(BLOCK_CELLS, sizeof *matrices);
    cells_cut = calloc(16, sizeof *cells_cut);
}
static void after_measured(void)
{
    free(centres), free(volumes), free(matrices), free(cells_cut);
    after_grid();
}
static rw_status call_blocks_centres(void) { return rw_blocks_centres(hexahedra, centres); }
static void result_centres(void) { note_bytes("centres", centres, BLOCK_CELLS * sizeof *centres); }
static rw_status call_blocks_volumes(void) { return rw_blocks_volumes(hexahedra, volumes); }
static void result_volumes(void) { note_bytes("volumes", volumes, BLOCK_CELLS * sizeof *volumes); }
static rw_status call_blocks_local(void) { return rw_blocks_local(hexahedra, rw_integrand_mass, NULL, 2, matrices); }
static void result_matrices(void) { note_bytes("matrices", matrices, BLOCK_CELLS * sizeof *matrices); }
static rw_status call_get_block(void)
{
    rw_block block;
    const rw_status status = rw_blocks_get_block(hexahedra, 0, &block);
    count = block.cells[0];
    return status;
}
static rw_status call_blocks_cut(void)
{
    return rw_blocks_cut(hexahedra,
                         &(rw_blocks_slice){.axis = 2,
                                            .at = 0.5,
                                            .lower = {-0.5, -0.5},
                                            .upper = {0.5, 0.5},
                                            .n = {4, 4}},
                         cells_cut);
}
static void result_cut(void) { note_bytes("cells", cells_cut, 16 * sizeof *cells_cut); }

static rw_status call_blocks_array(void)
{
    x = poison;
    return made(rw_blocks_array(hexahedra, dev, RW_BLOCKS_CELLS, RW_F64, &x), &x);
}
static void result_blocks_array(void) { note("%d", (int)rw_array_size(x)); }
static void after_blocks_array(void)
{
    rw_array_destroy(&x);
    after_measured();
}

static rw_status call_blocks_expr(void)
{
    static const rw_expr_field field = {.name = "u", .dtype = RW_F64};
    const rw_expr_spec spec = {.name = "blocks",
                               .text = "u = volume*laplace(x*x + y)\nr = sum(u*x)",
                               .fields = &field,
                               .nfields = 1};
    expr = poison;
    return made(rw_blocks_expr_create(hexahedra, dev, RW_BLOCKS_CELLS, &spec, &expr), &expr);
}
static void result_blocks_expr(void)
{
    OK(rw_blocks_array(hexahedra, dev, RW_BLOCKS_CELLS, RW_F64, &x));
    OK(rw_expr_bind(expr, "u", x));
    OK(rw_expr_run(expr, queue));
    OK(rw_expr_get(expr, "r", &value, NULL));
    note("%.17g", value), note_array(x);
}
static void after_blocks_expr(void)
{
    rw_expr_destroy(&expr);
    after_blocks_array();
}

/* ---- a trace ----------------------------------------------------------------------------------------------------- */

static const double *trace;
static int64_t trace_rows, trace_runs;
static const char *const *trace_names;
static int64_t trace_columns;

static void before_trace(void)
{
    static const rw_expr_scalar counter = {.name = "n", .value = 3, .state = true};
    static const rw_expr_field field = {.name = "u", .dtype = RW_F64};
    const rw_expr_spec spec = {.name = "trace",
                               .text = "n = n + 1\nr = sum(u)*n",
                               .grid = {1, {N, 1, 1}, {1, 1, 1}, {0}},
                               .fields = &field,
                               .nfields = 1,
                               .scalars = &counter,
                               .nscalars = 1,
                               .trace = 4};
    put_fields();
    OK(rw_expr_create(dev, &spec, &expr));
    OK(rw_expr_bind(expr, "u", x));
    for (int i = 0; i < 6; ++i) OK(rw_expr_run(expr, queue));
}
static rw_status call_trace(void)
{
    return rw_expr_trace(expr, &trace, &trace_rows, &trace_names, &trace_columns, &trace_runs);
}
static void result_trace(void)
{
    note("%d %d %d %s", (int)trace_rows, (int)trace_runs, trace_columns, trace_names[1]);
    note_bytes("trace", trace, (size_t)(trace_rows * trace_columns) * sizeof *trace);
}
