/* Rows of test_faults.c: matrices of multi-block grids, their preparation, and the operator of all grid blocks. */
#if RW_WITH_CGNS
#include <cgnslib.h>
#endif

static const rw_multiblock_spec small_grid = {.cells = {1, 2, 1},
                                              .blocks = {2, 1, 1},
                                              .mode = RW_MULTIBLOCK_INNER,
                                              .periodic = true,
                                              .seed = 5};
static rw_multiblock *several_blocks;
static rw_sparse_blocks block_pattern, stored_pattern;
static rw_windows windows;
static int64_t *stored_rows;

static rw_status call_measure(void)
{
    rw_multiblock_size size;
    rw_status status = rw_multiblock_measure(ctx, &small_grid, 0, RW_MULTIBLOCK_EXTENDED, RW_F64, &size);
    if (status == RW_OK) count = (int)size.blocks;
    return status;
}

/* A zone alone; builds without libcgns know no file. */
static void before_cgns(void)
{
#if RW_WITH_CGNS
    int file, base, zone;
    const cgsize_t size[9] = {4, 3, 2, 3, 2, 1};
    shell("rm -f '%s'", path_of("zone.cgns"));
    assert_int_equal(cg_open(path_of("zone.cgns"), CG_MODE_WRITE, &file), CG_OK);
    assert_int_equal(cg_base_write(file, "Base", 3, 3, &base), CG_OK);
    assert_int_equal(cg_zone_write(file, base, "Zone", size, CGNS_ENUMV(Structured), &zone), CG_OK);
    assert_int_equal(cg_close(file), CG_OK);
#endif
}
static rw_status call_read_cgns(void)
{
    rw_multiblock_spec s = {.blocks = {1, 1, 1}};
    rw_status status = rw_multiblock_read_cgns(ctx, path_of("zone.cgns"), &s);
    count = (int)s.cells[0];
    return status == RW_ERR_UNSUPPORTED ? RW_OK : status;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static void note_blocks(const rw_sparse_blocks *p)
{
    note("%d x %d", (int)p->rows, (int)p->columns);
    note_bytes("first", p->first, (size_t)(p->rows + 1) * 8),
        note_bytes("column", p->column, (size_t)p->first[p->rows] * 8);
}
static rw_status made_blocks(rw_status status, const rw_sparse_blocks *p)
{
    if (status != RW_OK && (p->first || p->column)) fail_msg("lists after a failure");
    return status;
}
static rw_status call_block_pattern(void)
{
    const rw_sparse_layout l = layout_of("vbcsr");
    return made_blocks(rw_multiblock_pattern(ctx, &small_grid, 1, RW_MULTIBLOCK_EXTENDED, &l, &block_pattern),
                       &block_pattern);
}
static rw_status call_trace_form(void)
{
    return made_blocks(rw_multiblock_trace(ctx, &small_grid, 1, RW_MULTIBLOCK_SENTINEL, &block_pattern),
                       &block_pattern);
}
static void result_blocks_of_grid(void) { note_blocks(&block_pattern); }
static void after_pattern(void) { rw_multiblock_free(&block_pattern); }
static void before_prepare(void) { OK(call_trace_form()); }
static rw_status call_prepare(void)
{
    rw_status status =
        made_blocks(rw_multiblock_prepare(ctx, &block_pattern, &stored_pattern, &stored_rows), &stored_pattern);
    if (status != RW_OK && stored_rows) fail_msg("rows after a failure");
    return status;
}
static void result_prepared(void)
{
    note_blocks(&stored_pattern), note_bytes("rows", stored_rows, (size_t)stored_pattern.rows * 8);
}
static void after_prepare(void)
{
    rw_multiblock_free(&block_pattern), rw_multiblock_free(&stored_pattern), free(stored_rows), stored_rows = NULL;
}
static void before_windows(void)
{
    OK(rw_multiblock_pattern(ctx, &small_grid, 0, RW_MULTIBLOCK_STORED, NULL, &block_pattern));
}
static rw_status call_windows(void)
{
    rw_status status = rw_windows_find(ctx, &block_pattern, 5, 5, &windows);
    if (status != RW_OK && windows.info) fail_msg("windows after a failure");
    return status;
}
static void result_windows(void)
{
    note_bytes("windows", windows.info, (size_t)windows.groups * 24), note("%d", (int)windows.longest);
}
static void after_windows(void) { rw_windows_free(&windows), rw_multiblock_free(&block_pattern); }
static void before_check_windows(void)
{
    before_windows();
    OK(call_windows());
}
static rw_status call_check_windows(void) { return rw_windows_check(ctx, &windows, RW_C64, 1 << 20); }

/* ---- matrices, the operator -------------------------------------------------------------------------------------- */

static rw_status call_assemble(void)
{
    const rw_sparse_layout l = layout_of("bsell:5");
    void *p = poison;
    memcpy(&matrix, &p, sizeof p);
    return made(rw_multiblock_assemble(dev, &small_grid, RW_MULTIBLOCK_ALL, RW_MULTIBLOCK_COMPACT, &l, &matrix),
                &matrix);
}
static rw_status call_several(void)
{
    const rw_sparse_layout l = layout_of("bcsr:5");
    void *p = poison;
    memcpy(&several_blocks, &p, sizeof p);
    return made(rw_multiblock_create(dev, &small_grid, &l, &several_blocks), &several_blocks);
}
static void result_several(void) { note_matrix(rw_multiblock_matrix(several_blocks, 1)); }
static void after_several(void) { rw_multiblock_destroy(&several_blocks), rw_array_destroy(&x), rw_array_destroy(&y); }
static void before_several(void) { OK(call_several()); }
static rw_status call_block_vector(void)
{
    x = poison;
    return made(rw_multiblock_vector(several_blocks, RW_F64, &x), &x);
}
static void result_block_vector(void) { note_array(x); }
static void before_exchange(void)
{
    before_several();
    x = new_ramp(rw_multiblock_cell(&small_grid, 2, 3, 2) * 10 + 10, 1, 0.5), y = new_ramp(rw_array_size(x), 0, 0);
}
static rw_status call_operator_of_blocks(void)
{
    void *p = poison;
    memcpy(&an_operator, &p, sizeof p);
    return made(rw_multiblock_operator(several_blocks, RW_F64, &an_operator), &an_operator);
}
static void result_operator_of_blocks(void) { note("%d", (int)rows_of_operator()); }
static void after_operator_of_blocks(void) { rw_operator_destroy(&an_operator), after_several(); }
static rw_status call_exchange(void) { return rw_multiblock_exchange(several_blocks, x, queue); }
static rw_status call_clear(void) { return rw_multiblock_clear(several_blocks, x, queue); }
static rw_status call_several_multiply(void) { return rw_multiblock_multiply(several_blocks, NULL, x, NULL, y, queue); }
static void result_several_multiply(void) { note_array(x), note_array(y); }
