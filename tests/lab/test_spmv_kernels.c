/* The products of the study `spmv`: each against sums in long double, row by row; what they take, launch and copy; temp
 * full of NaN; small numbers; CUDA beside OpenCL. */
#include "../devices.h"
#include "lab/windows.h"

#include <complex.h>
#include <dlfcn.h>
#include <float.h>
#include <math.h>

#include "device/check/check.h"
#include "lab/occupancy.h"
#include "lab/spmv_kernels.h"
#include "sparse/sparse.h"

static const rw_spmv_options standard = {.section = 20, .block_section = 4, .window = 160};
static const struct {
    int64_t cells[3];
    rw_multiblock_mode mode;
    bool zeros;
    rw_spmv_options options;
} grids[] = {
    {{1, 1, 1}, RW_MULTIBLOCK_FULL, true, {20, 4, 160}},
    {{3, 5, 7}, RW_MULTIBLOCK_FULL, true, {7, 13, 80}},
    {{17, 1, 2}, RW_MULTIBLOCK_TRUNCATED, true, {100, 3, 37}},
    {{3, 5, 7}, RW_MULTIBLOCK_TRUNCATED, false, {1, 1, 32}},
};

static bool slow(void) { return on("check") || (on("opencl") && !rw_device_info(dev)->gpu); }

static rw_spmv_source source_with(int64_t blocks, const int64_t cells[3], rw_multiblock_mode mode, bool zeros,
                                  rw_spmv_kind kind, bool f64)
{
    rw_multiblock_spec grid = {.blocks = {blocks, 1, 1}, .mode = mode, .zeros = zeros, .omega = 0, .seed = 5};
    rw_spmv_source s;
    memcpy(grid.cells, cells, sizeof grid.cells);
    OK(rw_spmv_source_create(ctx, &grid, kind, f64, &s));
    return s;
}
static rw_spmv_source source_of(const int64_t cells[3], rw_multiblock_mode mode, bool zeros, rw_spmv_kind kind,
                                bool f64)
{
    return source_with(2, cells, mode, zeros, kind, f64);
}

/* A product that there is on this device. */
static bool made(const rw_spmv_source *s, const rw_spmv_method *m, const rw_spmv_options *o, rw_spmv *p)
{
    if (!(m->flags & RW_SPMV_CUDA) || on("cuda")) OK(rw_spmv_create(dev, s, m, o, p));
    else FAILS(RW_ERR_UNSUPPORTED, "is not a CUDA device", rw_spmv_create(dev, s, m, o, p));
    return p->block != NULL;
}

/* ---- the reference ----------------------------------------------------------------------------------------------- */

static long double complex element(const rw_array *a, const void *p, int64_t i)
{
    return (long double)rw_value_get(a->dtype, p, i, 0) + (long double)rw_value_get(a->dtype, p, i, 1) * I;
}

typedef struct sums {
    int64_t n; /* numbers of y with ghosts */
    long double complex *y;
    long double *scale;
    int64_t *terms;
} sums;

/* Rows and columns with ghosts, entry by entry, from another layout and another numbering of rows than the products
 * have. */
static sums reference(const rw_spmv *p, int block)
{
    const rw_spmv_source *s = p->source;
    rw_array *x = p->block[block].part[RW_SPMV_X];
    rw_sparse_layout layout;
    rw_sparse *m;
    int64_t n, *row, *column;
    double *value;
    const void *u;
    OK(rw_sparse_layout_parse(ctx, "csr", &layout));
    layout.values = s->matrix_type;
    OK(rw_multiblock_assemble(s->host, &s->grid, block, RW_MULTIBLOCK_EXTENDED, &layout, &m));
    OK(rw_sparse_entries(m, &n, &row, &column, &value));
    OK(rw_array_read(x, &u));
    sums r = {s->shape.vector, calloc((size_t)s->shape.vector, sizeof *r.y),
              calloc((size_t)s->shape.vector, sizeof *r.scale), calloc((size_t)s->shape.vector, sizeof *r.terms)};
    const int parts = rw_dtype_is_complex(s->matrix_type) ? 2 : 1;
    for (int64_t k = 0; k < n; ++k) {
        const long double complex a = (long double)value[parts * k] +
                                      (parts == 2 ? (long double)value[2 * k + 1] : 0) * I,
                                  b = element(x, u, column[k]);
        r.y[row[k]] += a * b, r.scale[row[k]] += cabsl(a) * cabsl(b), ++r.terms[row[k]];
    }
    rw_sparse_free_entries(&row, &column, &value);
    rw_sparse_destroy(&m);
    return r;
}

static void free_sums(sums *s) { free(s->y), free(s->scale), free(s->terms); }

/* y of a grid block, with ghosts; ours has the rows of cells alone. */
static long double complex *result(const rw_spmv *p, int block)
{
    rw_array *y = p->block[block].part[RW_SPMV_Y];
    const void *data;
    long double complex *all = calloc((size_t)p->shape.vector, sizeof *all);
    OK(rw_array_read(y, &data));
    if (p->method->kernel)
        for (int64_t i = 0; i < p->shape.vector; ++i) all[i] = element(y, data, i);
    else
        for (int64_t i = 0; i < 5 * p->shape.cells; ++i) all[5 * p->source->row[i / 5] + i % 5] = element(y, data, i);
    return all;
}

/* |y - y_ref| <= 4 (terms + 2) eps sum |a||x| + lost, ghosts are 0 exactly. */
static void compare(const char *what, const rw_spmv *p, long double lost)
{
    const long double eps = p->source->f64 ? DBL_EPSILON : FLT_EPSILON;
    for (int b = 0; b < p->shape.grid_blocks; ++b) {
        sums r = reference(p, b);
        long double complex *y = result(p, b);
        for (int64_t i = 0; i < r.n; ++i) {
            const long double error = cabsl(y[i] - r.y[i]),
                              allowed = r.terms[i] ? 4 * (long double)(r.terms[i] + 2) * (eps * r.scale[i] + lost) : 0;
            if (!(error <= allowed))
                fail_msg("%s, %s, grid block %d: y[%lld] = %.9Lg%+.9Lgi, expected %.9Lg%+.9Lgi, error %.3Lg > %.3Lg",
                         what, p->method->name, b, (long long)i, creall(y[i]), cimagl(y[i]), creall(r.y[i]),
                         cimagl(r.y[i]), error, allowed);
        }
        free(y);
        free_sums(&r);
    }
}

static void poison(rw_array *a)
{
    void *data;
    if (!a) return;
    OK(rw_array_write(a, &data));
    memset(data, 0xff, a->bytes);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* A12, A14 (the check device sees what lies outside of arrays), A15; twice, the second time with vectors that stay,
 * into a y that held something else. */
static void test_products(void **state)
{
    (void)state;
    for (int g = 0; g < RW_COUNT(grids); ++g)
        for (int kind = 0; kind < 3; ++kind)
            for (int f64 = 0; f64 < 2; ++f64) {
                /* each is a program to be compiled */
                if (slow() && (kind != g % 3 || (on("opencl") && f64 != (kind == RW_SPMV_RR)))) continue;
                if (!test_long() && (kind != g % 3 || (slow() && f64 != g % 2))) continue;
                char what[80];
                snprintf(what, sizeof what, "%s, grid %d, kind %d, f%d", rw_device_info(dev)->name, g, kind,
                         f64 ? 64 : 32);
                rw_spmv_source s = source_of(grids[g].cells, grids[g].mode, grids[g].zeros, (rw_spmv_kind)kind, f64);
                for (int i = 0; i < rw_spmv_method_count; ++i) {
                    rw_spmv p;
                    if (!made(&s, rw_spmv_methods + i, &grids[g].options, &p)) continue;
                    poison(p.temp);
                    OK(rw_spmv_multiply(&p, true));
                    compare(what, &p, 0);
                    poison(p.temp);
                    if (p.method->flags & RW_SPMV_ZEROED && !(p.method->flags & RW_SPMV_SENT))
                        poison(p.block[1].part[RW_SPMV_Y]);
                    OK(rw_spmv_multiply(&p, false));
                    compare(what, &p, 0);
                    rw_spmv_free(&p);
                }
                rw_spmv_source_free(&s);
            }
}

/* A16: one temp for eight grid blocks, in any order. */
static void test_any_order(void **state)
{
    static const int order[] = {5, 2, 7, 0, 6, 1, 4, 3};
    enum { BLOCKS = RW_COUNT(order) };
    (void)state;
    rw_spmv_source s = source_with(BLOCKS, grids[1].cells, RW_MULTIBLOCK_FULL, true, RW_SPMV_CC, false);
    for (int i = 0; i < rw_spmv_method_count; ++i) {
        rw_spmv p;
        if (!rw_spmv_methods[i].reduction || !made(&s, rw_spmv_methods + i, &standard, &p)) continue;
        assert_int_equal(p.shape.grid_blocks, BLOCKS);
        long double complex *forward[BLOCKS];
        OK(rw_spmv_multiply(&p, true));
        for (int b = 0; b < BLOCKS; ++b) forward[b] = result(&p, b), poison(p.block[b].part[RW_SPMV_Y]);
        poison(p.temp);
        for (int k = 0; k < BLOCKS; ++k) OK(rw_spmv_multiply_block(&p, order[k], true));
        for (int b = 0; b < BLOCKS; ++b) {
            long double complex *other = result(&p, b);
            /* a long double has bytes that are not compared */
            for (int64_t e = 0; e < p.shape.vector; ++e) assert_true(forward[b][e] == other[e]);
            free(forward[b]), free(other);
        }
        rw_spmv_free(&p);
    }
    rw_spmv_source_free(&s);
}

/* A14: items; A17: what a call copies and launches, and what the device holds, as predicted. */
static void test_needs(void **state)
{
    (void)state;
    /* 54 entries in sections of 20, 13 blocks in sections of 4 */
    const int64_t nb = 105 * 13, rows = 525, sections = 3, slots = 4;
    const struct {
        const char *name;
        int64_t items, more;
        int launches;
    } rows_of[] = {{"bcsr-v1a", nb, rows, 3},
                   {"bcsr-v2a", 5 * nb, rows, 3},
                   {"bcsr-v1b", nb, rows, 3},
                   {"bcsr-v2b", 5 * nb, rows, 3},
                   {"bcsr-v3", 5 * nb, rows, 3},
                   {"ell", sections * rows, rows, 3},
                   {"ell-v2", rows, 0, 1},
                   {"bell", rows, 0, 1},
                   {"bell-v2", 105, 0, 1},
                   {"bell-v3", rows, 0, 2},
                   {"bell-v4", rows, 0, 1},
                   {"bell-v2-coalesced", 105, 0, 1},
                   {"bell-sections", slots * rows, rows, 3},
                   {"bell-v2-sections", slots * 105, rows, 3},
                   {"bell-v4-sections", slots * rows, rows, 3}};
    rw_spmv_source s = source_of(grids[1].cells, RW_MULTIBLOCK_FULL, true, RW_SPMV_RC, false);
    rw_spmv_shape before;
    OK(rw_spmv_measure(ctx, &s.grid, &before));
    assert_true(before.slots == s.shape.slots && before.entries == s.shape.entries && before.useful == s.shape.useful &&
                before.slots == 13 && before.entries == 54);
    for (int i = 0; i < RW_COUNT(rows_of); ++i) {
        const int64_t held = counters().bytes_allocated;
        rw_spmv p;
        if (!made(&s, rw_spmv_find(rows_of[i].name), &standard, &p)) continue;
        const bool sent = p.method->flags & RW_SPMV_SENT;
        assert_true(p.need.items == rows_of[i].items && p.need.reduction_items == rows_of[i].more);
        const int64_t group = p.method->flags & RW_SPMV_WINDOW ? standard.window : 256;
        assert_int_equal(p.multiply->program->group, group);
        assert_true(p.need.groups == (rows_of[i].items + group - 1) / group &&
                    p.need.reduction_groups == (rows_of[i].more + 255) / 256);
        OK(rw_spmv_multiply(&p, true));
        const rw_counters a = counters();
        OK(rw_spmv_multiply(&p, true));
        const rw_counters b = counters();
        assert_int_equal(b.launches - a.launches, 2 * rows_of[i].launches);
        assert_true((double)(b.bytes_in - a.bytes_in) == (discrete() ? p.need.sent : 0) &&
                    (double)(b.bytes_out - a.bytes_out) == (discrete() ? p.need.fetched : 0));
        const double x = 8. * 2 * (double)s.shape.vector, y = x,
                     matrix = 2 * (4. * 25 * (double)nb + 4. * (double)(nb + 106 + 105)),
                     temp = 2 * 8. * 5 * (double)nb;
        assert_true(p.need.fetched == y && p.need.sent == x + (sent                               ? matrix + temp
                                                               : p.method->flags & RW_SPMV_ZEROED ? 0
                                                                                                  : y));
        if (!sent) OK(rw_spmv_multiply(&p, false));
        if (!sent) assert_true(counters().bytes_in == b.bytes_in && counters().bytes_out == b.bytes_out);
        if (!sent && discrete()) assert_true((double)(counters().bytes_allocated - held) == p.need.memory);
        if (sent && discrete()) assert_true(counters().bytes_allocated == held);
        rw_spmv_free(&p);
    }
    rw_spmv_source_free(&s);
}

/* A37: case 6 with 2.5 GB holds no resident product and both that send all; A35: operations of 100 products, case 4.
 * Nothing is allocated. */
static void test_predictions(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    int n;
    const rw_study_case *cases = rw_study_cases(&n);
    rw_spmv_shape shape[2];
    for (int i = 0; i < 2; ++i) {
        rw_multiblock_spec grid = {.blocks = {8, 1, 1}, .mode = RW_MULTIBLOCK_FULL, .zeros = true, .is_complex = true};
        memcpy(grid.cells, cases[i ? 3 : 5].cells, sizeof grid.cells);
        OK(rw_spmv_measure(ctx, &grid, &shape[i]));
    }
    for (int i = 0; i < rw_spmv_method_count; ++i) {
        const rw_spmv_method *m = rw_spmv_methods + i;
        const rw_spmv_need six = rw_spmv_predict(m, &shape[0], RW_SPMV_CC, false, &standard),
                           four = rw_spmv_predict(m, &shape[1], RW_SPMV_CC, false, &standard);
        /* ELL has fewer values, with 20 to a section and its indices 3.6 GB all the same */
        if ((six.memory > 2.5e9) == !!(m->flags & RW_SPMV_SENT)) fail_msg("%s: %g bytes", m->name, six.memory);
        assert_true(four.memory < 2.5e9);
        const double operations = 100 * four.operations, expected = m->layout == RW_SPMV_ELL ? 5.5296e10 : 6.656e10;
        if (fabs(operations / expected - 1) > 1e-12) fail_msg("%s: %.17g operations", m->name, operations);
        assert_true(rw_spmv_predict(m, &shape[1], RW_SPMV_RC, false, &standard).operations == four.operations / 2 &&
                    rw_spmv_predict(m, &shape[1], RW_SPMV_RR, true, &standard).operations == four.operations / 4);
    }
    assert_true(fabs(5.5296e10 / 6.656e10 - 0.8308) < 5e-5);
    rw_multiblock_spec huge = {.blocks = {8, 1, 1}, .cells = {100000, 1000, 10}, .mode = RW_MULTIBLOCK_FULL};
    rw_spmv_source s;
    FAILS(RW_ERR_MEMORY, "use fewer cells", rw_spmv_source_create(ctx, &huge, RW_SPMV_CC, true, &s));
    FAILS(RW_ERR_ARGUMENT, "0 cells along x",
          rw_spmv_source_create(ctx, &(rw_multiblock_spec){.cells = {0, 1, 1}}, RW_SPMV_CC, true, &s));
}

/* A19: reads of an index for a block of 5 x 5 are items times what an item reads; an item of ELL reads one a product,
 * others one a block. */
static void test_index_reads(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    const rw_spmv_shape shape = {.cells = 105,
                                 .blocks = 105 * 13,
                                 .vector = 3000,
                                 .slots = 13,
                                 .entries = 65,
                                 .useful = 65 * 525,
                                 .grid_blocks = 1};
    const rw_spmv_options o = {.section = 5, .block_section = 1, .window = 160}; /* no padding */
    for (int i = 0; i < rw_spmv_method_count; ++i) {
        const rw_spmv_method *m = rw_spmv_methods + i;
        if (!m->kernel) continue;
        const double items = (double)rw_spmv_predict(m, &shape, RW_SPMV_CC, false, &o).items,
                     cut = m->flags & RW_SPMV_CUT ? (m->layout == RW_SPMV_ELL ? 13 : 13) : 1;
        const double each = m->layout == RW_SPMV_ELL                                     ? 65 / cut
                            : m->layout == RW_SPMV_BCSR || m->layout == RW_SPMV_PERMUTED ? 1
                                                                                         : 13 / cut;
        if (items * each / (double)shape.blocks != m->reads)
            fail_msg("%s: %g reads a block, %d in the table", m->name, items * each / (double)shape.blocks, m->reads);
    }
    assert_int_equal(rw_spmv_find("ell")->reads - rw_spmv_find("bell-v2")->reads, 24);
    assert_int_equal(rw_spmv_find("bell")->reads, 5);
    assert_null(rw_spmv_find("bell-v5"));
}

static const rw_check_area *watched(const rw_array *a)
{
    return rw_check_find(dev->state, &a->storage->allocation->buffer);
}

/* A19 counted: what kernels read as the check device saw it. Real numbers, as a compiler that leaves out nothing reads
 * an entry of ELL anew for each part of a complex one. Values are read once each. A20: of a window BELL V3 reads each
 * number of x once and writes it once into memory of the group. */
static void test_counted_reads(void **state)
{
    static const rw_spmv_options no_padding = {.section = 5, .block_section = 1, .window = 80};
    (void)state;
    if (!on("check")) skip();
    rw_spmv_source s = source_of(grids[1].cells, RW_MULTIBLOCK_FULL, false, RW_SPMV_RR, true);
    assert_int_equal(s.shape.entries, 65);
    for (int i = 0; i < rw_spmv_method_count; ++i) {
        const rw_spmv_method *m = rw_spmv_methods + i;
        rw_spmv p;
        /* those that are sent have the kernels of others */
        if (!m->kernel || m->flags & RW_SPMV_SENT || !made(&s, m, &no_padding, &p)) continue;
        const struct rw_spmv_block *b = &p.block[1];
        const rw_check_area *column = watched(b->part[RW_SPMV_COLUMN]), *value = watched(b->part[RW_SPMV_VALUE]),
                            *x = watched(b->part[RW_SPMV_X]), *near = NULL;
        const rw_check_state *c = dev->state;
        const uint64_t before = c->declared[0] ? c->declared[0]->bytes_written : 0;
        assert_true(column->bytes_read == 0 && value->bytes_read == 0 && x->bytes_read == 0);
        OK(rw_spmv_multiply_block(&p, 1, false));
        if (column->bytes_read != (uint64_t)(4 * m->reads * s.shape.blocks))
            fail_msg("%s: %g reads of columns a block, %d in the table", m->name,
                     (double)column->bytes_read / 4 / (double)s.shape.blocks, m->reads);
        assert_int_equal(value->bytes_read, 8 * 25 * s.shape.blocks);
        assert_true(column->bytes_written == 0 && value->bytes_written == 0 && x->bytes_written == 0);
        int64_t numbers = 25 * s.shape.blocks;
        if (m->flags & RW_SPMV_WINDOW) {
            const void *data;
            OK(rw_array_read(b->part[RW_SPMV_WINDOWS], &data));
            const int32_t *info = data;
            numbers = 0, near = c->declared[0];
            for (int64_t g = 0; g < p.need.groups; ++g) numbers += info[3 * g + 1] - info[3 * g] + 1;
            assert_true(numbers > p.need.groups && near->kind == RW_CHECK_LARGE &&
                        near->bytes_written - before == 8 * (uint64_t)numbers);
        }
        if (m->item != RW_SPMV_CELL && x->bytes_read != 8 * (uint64_t)numbers)
            fail_msg("%s: %lld bytes of x read, expected %lld", m->name, (long long)x->bytes_read,
                     8 * (long long)numbers);
        rw_spmv_free(&p);
    }
    rw_spmv_source_free(&s);
}

/* A22: a kernel's handle is of the function that its row of the table names, as OpenCL has it. */
static void test_function_names(void **state)
{
    enum { FUNCTION_NAME = 0x1190 };
    (void)state;
    if (!on("opencl")) skip();
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    int (*info)(void *kernel, unsigned what, size_t size, void *value, size_t *needed);
    assert_non_null(library);
    *(void **)&info = dlsym(library, "clGetKernelInfo");
    assert_non_null(info);
    rw_spmv_source s = source_of(grids[0].cells, RW_MULTIBLOCK_FULL, true, RW_SPMV_CC, false);
    for (int i = 0; i < rw_spmv_method_count; ++i) {
        rw_spmv p;
        if (!made(&s, rw_spmv_methods + i, &grids[0].options, &p)) continue;
        rw_kernel *const kernels[] = {p.multiply, p.reduce, p.zero};
        const char *const names[] = {p.method->kernel, p.method->reduction, "zero_fill"};
        for (int k = 0; k < RW_COUNT(kernels); ++k) {
            char name[64];
            if (!kernels[k]) continue;
            assert_int_equal(info(*(void **)kernels[k]->handle /* rw_opencl_kernel, whose first member it is */,
                                  FUNCTION_NAME, sizeof name, name, NULL),
                             0);
            assert_string_equal(name, names[k]);
        }
        assert_true(!p.method->kernel == !p.multiply && !p.method->reduction == !p.reduce);
        rw_spmv_free(&p);
    }
    rw_spmv_source_free(&s);
    dlclose(library);
}

/* A43: registers, what of them lies in memory, and the items that a multiprocessor takes: as the calculator has it for
 * the registers that the compiler tells. */
static void test_resources(void **state)
{
    static const rw_unit_limits hopper = {.warps = 64,
                                          .blocks = 32,
                                          .registers = 65536,
                                          .shared_memory = 228 << 10,
                                          .piece = 256};
    (void)state;
    if (!on("cuda")) skip();
    rw_spmv_source s = source_of(grids[1].cells, RW_MULTIBLOCK_FULL, true, RW_SPMV_CC, false);
    for (int i = 0; i < rw_spmv_method_count; ++i) {
        rw_kernel_resources r;
        rw_spmv p;
        if (!rw_spmv_methods[i].kernel || !made(&s, rw_spmv_methods + i, &standard, &p)) continue;
        OK(rw_kernel_measure(p.multiply, &r));
        print_message("%s: %d registers, %d bytes spilled, %d of %d items\n", p.method->name, r.registers, r.spilled,
                      r.items, r.items_most);
        assert_true(r.registers >= 10 && r.registers <= 255 && r.spilled >= 0 && r.items > 0 &&
                    r.items <= r.items_most);
        if (!strcmp(rw_device_info(dev)->version, "9.0") && !(p.method->flags & RW_SPMV_WINDOW))
            assert_int_equal(r.items, 32 * rw_occupancy_warps(&hopper, RW_SPMV_GROUP, r.registers, 0));
        rw_spmv_free(&p);
    }
    rw_spmv_source_free(&s);
}

/* A13: products differ from each other by 1e-7 in f32, 1e-15 in f64, relative to the largest number. */
static void test_agreement(void **state)
{
    (void)state;
    for (int f64 = 0; f64 < 2; ++f64) {
        rw_spmv_source s = source_of(grids[1].cells, RW_MULTIBLOCK_FULL, true, RW_SPMV_CC, f64);
        long double complex *first = NULL;
        long double largest = 0, difference = 0;
        for (int i = 0; i < rw_spmv_method_count; ++i) {
            rw_spmv p;
            if ((slow() && i % 4) || !made(&s, rw_spmv_methods + i, &standard, &p)) continue;
            OK(rw_spmv_multiply(&p, true));
            long double complex *y = result(&p, 0);
            for (int64_t k = 0; k < s.shape.vector; ++k) {
                if (first) difference = fmaxl(difference, cabsl(y[k] - first[k]));
                largest = fmaxl(largest, cabsl(y[k]));
            }
            if (first) free(y);
            else first = y;
            rw_spmv_free(&p);
        }
        print_message("f%d: %.1Le\n", f64 ? 64 : 32, difference / largest);
        assert_true(difference / largest < (f64 ? 2e-15 : 1e-6));
        free(first);
        rw_spmv_source_free(&s);
    }
}

static void scale(rw_array *a, float factor)
{
    void *data;
    OK(rw_array_update(a, &data));
    for (size_t i = 0; i < a->bytes / sizeof(float); ++i) ((float *)data)[i] *= factor;
}

/* A18: products below 1e-38 are kept, or flushed to 0, and nothing else differs: with what a flush may take the result
 * is within its bound. */
static void test_small_numbers(void **state)
{
    (void)state;
    rw_spmv_source s = source_of(grids[1].cells, RW_MULTIBLOCK_FULL, true, RW_SPMV_CC, false);
    for (int i = 0; i < rw_spmv_method_count; ++i) {
        rw_spmv p;
        if ((slow() && i % 4 != 2) || !made(&s, rw_spmv_methods + i, &standard, &p)) continue;
        /* sums of some 1e-39 and 1e-38 */
        for (int b = 0; b < p.shape.grid_blocks; ++b) scale(p.block[b].part[RW_SPMV_X], 1e-38f);
        OK(rw_spmv_multiply(&p, true));
        compare("small numbers", &p, FLT_MIN);
        sums r = reference(&p, 0);
        long double complex *y = result(&p, 0);
        int64_t below = 0, kept = 0;
        for (int64_t k = 0; k < r.n; ++k) {
            if (creall(r.y[k]) == 0 || fabsl(creall(r.y[k])) >= FLT_MIN) continue;
            ++below, kept += creall(y[k]) != 0;
        }
        if (i == 2)
            print_message("%s: of %lld numbers below %g %lld are kept\n", rw_device_info(dev)->name, (long long)below,
                          (double)FLT_MIN, (long long)kept);
        assert_true(below > 0 && (kept == 0 || kept > below / 2));
        free(y);
        free_sums(&r);
        rw_spmv_free(&p);
    }
    rw_spmv_source_free(&s);
}

/* A42: the window decides, with both sizes in the message. Cases 1 to 5 need 107 to 190 KB in c64: too much for OpenCL
 * on processors and older GPUs, enough room on others. */
static void test_windows(void **state)
{
    (void)state;
    if (on("check")) skip();
    static const int64_t windows[] = {13380, 13380, 21300, 13380, 23700};
    int n;
    const rw_study_case *cases = rw_study_cases(&n);
    rw_spmv_source s;
    rw_spmv p;
    for (int c = 0; c < (getenv("RECHENWERK_TEST_ALL") || on("cuda") ? RW_COUNT(windows) : 1); ++c) {
        rw_multiblock_spec grid = {.blocks = {1, 1, 1}, .mode = RW_MULTIBLOCK_FULL};
        char message[64];
        memcpy(grid.cells, cases[c].cells, sizeof grid.cells);
        snprintf(message, sizeof message, "%lld entries of c64, %lld bytes", (long long)windows[c],
                 8 * (long long)windows[c]);
        OK(rw_spmv_source_create(ctx, &grid, RW_SPMV_CC, false, &s));
        const rw_status status = rw_spmv_create(dev, &s, rw_spmv_find("bell-v3"), &standard, &p);
        if (rw_device_info(dev)->shared_memory >= 8 * windows[c]) {
            OK(status);
            assert_int_equal(p.shape.window, windows[c]);
            OK(rw_spmv_multiply(&p, true));
            compare(cases[c].name, &p, 0);
            rw_spmv_free(&p);
        } else FAILS(RW_ERR_UNSUPPORTED, message, status);
        rw_spmv_source_free(&s);
    }
    /* 3.5 MB: too much for all */
    rw_multiblock_spec grid = {.cells = {100, 100, 1}, .blocks = {1, 1, 1}, .mode = RW_MULTIBLOCK_FULL};
    OK(rw_spmv_source_create(ctx, &grid, RW_SPMV_RC, true, &s));
    FAILS(RW_ERR_UNSUPPORTED, "entries of c128, 34", rw_spmv_create(dev, &s, rw_spmv_find("bell-v3"), &standard, &p));
    rw_spmv_source_free(&s);
}

/* A12 at full size: a grid block of case 1, of all six with RECHENWERK_TEST_ALL. */
static void test_cases(void **state)
{
    (void)state;
    if (slow() || !test_long()) skip();
    int n;
    const rw_study_case *cases = rw_study_cases(&n);
    for (int c = 0; c < (getenv("RECHENWERK_TEST_ALL") ? n : 1); ++c) {
        rw_multiblock_spec grid = {.blocks = {1, 1, 1}, .mode = RW_MULTIBLOCK_FULL, .zeros = true, .omega = 0.1};
        rw_spmv_source s;
        memcpy(grid.cells, cases[c].cells, sizeof grid.cells);
        grid.is_complex = true;
        OK(rw_spmv_source_create(ctx, &grid, RW_SPMV_CC, false, &s));
        for (int i = 0; i < rw_spmv_method_count; ++i) {
            rw_spmv p;
            if (rw_spmv_methods[i].flags & RW_SPMV_WINDOW || !made(&s, rw_spmv_methods + i, &standard, &p)) continue;
            OK(rw_spmv_multiply(&p, true));
            compare(cases[c].name, &p, 0);
            rw_spmv_free(&p);
        }
        rw_spmv_source_free(&s);
    }
}

/* The same hardware by its other interface; NULL: there is none. */
static rw_device *by_opencl(void)
{
    char name[24];
    for (int i = 0; i < 8; ++i) {
        rw_device *other;
        snprintf(name, sizeof name, "opencl:%d", i);
        if (rw_device_open(ctx, name, &other) != RW_OK) return NULL;
        if (!strcmp(other->info.identity, dev->info.identity)) return other;
        rw_device_close(&other);
    }
    return NULL;
}

/* A21: the same text by CUDA and by OpenCL on the same GPU, without contraction the same bits. */
static void test_cuda_beside_opencl(void **state)
{
    (void)state;
    if (!on("cuda")) skip();
    rw_device *other = by_opencl();
    if (!other) skip();
    for (int g = 0; g < RW_COUNT(grids); ++g)
        for (int kind = 0; kind < 3; ++kind)
            for (int f64 = 0; f64 < 2; ++f64) {
                rw_spmv_source s = source_of(grids[g].cells, grids[g].mode, grids[g].zeros, (rw_spmv_kind)kind, f64);
                long double complex *y[2];
                for (int i = 0; i < 2; ++i) {
                    rw_spmv p;
                    OK(rw_spmv_create(i ? other : dev, &s, rw_spmv_find(i ? "bell" : "bell-v4"), &standard, &p));
                    OK(rw_spmv_multiply(&p, true));
                    y[i] = result(&p, 0);
                    rw_spmv_free(&p);
                }
                /* every product and sum is an FMA of the text; padding of a long double is not compared */
                for (int64_t i = 0; i < s.shape.vector; ++i)
                    if (y[0][i] != y[1][i])
                        fail_msg("grid %d, kind %d, f%d: y[%lld] differs", g, kind, f64 ? 64 : 32, (long long)i);
                free(y[0]), free(y[1]);
                rw_spmv_source_free(&s);
            }
    rw_device_close(&other);
}

static rw_status one_product(void *user)
{
    const rw_multiblock_spec grid = {.cells = {2, 1, 1}, .blocks = {2, 1, 1}, .mode = RW_MULTIBLOCK_FULL};
    rw_spmv_source s;
    rw_spmv p;
    RW_TRY(rw_spmv_source_create(ctx, &grid, RW_SPMV_CC, false, &s));
    rw_status status = rw_spmv_create(dev, &s, user, &standard, &p);
    if (status == RW_OK) status = rw_spmv_multiply(&p, true);
    rw_spmv_free(&p);
    rw_spmv_source_free(&s);
    return status;
}

/* Memory and launches that fail lose nothing. */
static void test_faults(void **state)
{
    (void)state;
    static const char *const names[] = {"bcsr-v1a", "ell", "bell-v3"};
    if (!on("cpu") && !on("check")) skip();
    for (int i = 0; i < RW_COUNT(names); ++i) {
        void *method = (void *)(uintptr_t)rw_spmv_find(names[i]);
        OK(one_product(method));
        assert_true(each_fault(RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, one_product, method) > 10);
        each_fault(RW_FAULT_DEVICE_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, one_product, method);
        each_fault(RW_FAULT_LAUNCH, RW_ERR_LAUNCH, RW_ERR_LAUNCH, one_product, method);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products),
                                       cmocka_unit_test(test_any_order),
                                       cmocka_unit_test(test_needs),
                                       cmocka_unit_test(test_predictions),
                                       cmocka_unit_test(test_index_reads),
                                       cmocka_unit_test(test_counted_reads),
                                       cmocka_unit_test(test_function_names),
                                       cmocka_unit_test(test_resources),
                                       cmocka_unit_test(test_agreement),
                                       cmocka_unit_test(test_small_numbers),
                                       cmocka_unit_test(test_windows),
                                       cmocka_unit_test(test_cases),
                                       cmocka_unit_test(test_cuda_beside_opencl),
                                       cmocka_unit_test(test_faults)};
    return run_on_devices("lab spmv kernels", tests, RW_COUNT(tests));
}
