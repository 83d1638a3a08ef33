/* Layouts, launches and costs of the products in spmv.def.
 *
 * All layouts are made from one source, the BCSR of each grid block without placeholders. Resident products keep theirs
 * on the device; of the others every call makes the arrays of a grid block from the host's, and frees them: so grid
 * blocks pass through the device one after another. temp is as large as the largest grid block needs and belongs to
 * all. */
#include "lab/spmv_kernels.h"
#include "lab/windows.h"

#include <string.h>

#include "sparse/host.h"

#define T(...)                                                                                                         \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
const rw_spmv_method rw_spmv_methods[] = {
#define RW_X(name, title, layout, item, kernel, reduction, flags, reads, registers, more, c1060, quadro)               \
    {name,      title, RW_SPMV_##layout,   RW_SPMV_##item, kernel, reduction, flags, reads,                            \
     registers, more,  {T c1060, T quadro}},
#include "lab/spmv.def"
#undef RW_X
};
const int rw_spmv_method_count = RW_COUNT(rw_spmv_methods);

const rw_spmv_method *rw_spmv_find(const char *name)
{
    int i = 0;
    while (i < rw_spmv_method_count && strcmp(rw_spmv_methods[i].name, name) != 0) ++i;
    return i < rw_spmv_method_count ? rw_spmv_methods + i : NULL;
}

enum { CELL = RW_MULTIBLOCK_UNKNOWNS, AREA = CELL * CELL };

rw_dtype rw_spmv_dtype(bool is_complex, bool f64)
{
    return is_complex ? f64 ? RW_C128 : RW_C64 : f64 ? RW_F64 : RW_F32;
}
static int64_t cover(int64_t n, int64_t group) { return (n + group - 1) / group; }

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

rw_status rw_spmv_measure(rw_context *ctx, const rw_multiblock_spec *grid, rw_spmv_shape *shape)
{
    rw_multiblock_size z;
    RW_TRY(rw_multiblock_measure(ctx, grid, 0, RW_MULTIBLOCK_STORED, RW_F32, &z));
    *shape = (rw_spmv_shape){.cells = z.cells,
                             .blocks = z.blocks,
                             .vector = z.vector,
                             .slots = z.blocks / z.cells,
                             .entries = z.entries / z.rows,
                             .useful = z.entries,
                             .grid_blocks = (int)z.grid_blocks};
    return RW_OK;
}

static int64_t section_of(const rw_spmv_method *m, const rw_spmv_options *o)
{
    return !(m->flags & RW_SPMV_CUT) ? 1 : m->layout == RW_SPMV_ELL ? o->section : o->block_section;
}
/* Entries or blocks of a row, padding included; its sections. */
static int64_t width_of(const rw_spmv_method *m, const rw_spmv_shape *s, const rw_spmv_options *o)
{
    const int64_t longest = m->layout == RW_SPMV_ELL ? s->entries : s->slots, section = section_of(m, o);
    return cover(longest, section) * section;
}
static int64_t sections_of(const rw_spmv_method *m, const rw_spmv_shape *s, const rw_spmv_options *o)
{
    return m->flags & RW_SPMV_CUT ? width_of(m, s, o) / section_of(m, o) : 1;
}

static bool by_rows(const rw_spmv_method *m)
{
    return m->layout == RW_SPMV_BCSR || m->layout == RW_SPMV_PERMUTED || m->layout == RW_SPMV_OURS;
}

/* Elements of the arrays of a grid block. */
static void count_parts(const rw_spmv_method *m, const rw_spmv_shape *s, const rw_spmv_options *o,
                        int64_t n[RW_SPMV_PARTS])
{
    const int64_t rows = CELL * s->cells, width = width_of(m, s, o);
    const bool ours = m->layout == RW_SPMV_OURS, ell = m->layout == RW_SPMV_ELL;
    n[RW_SPMV_VALUE] = by_rows(m) ? AREA * s->blocks : ell ? width * rows : AREA * width * s->cells;
    n[RW_SPMV_COLUMN] = by_rows(m) ? s->blocks : ell ? width * rows : width * s->cells;
    n[RW_SPMV_FIRST] = by_rows(m) ? s->cells + 1 : 0;
    n[RW_SPMV_ROWS] = ours ? 0 : ell || m->flags & RW_SPMV_CUT ? rows : s->cells;
    n[RW_SPMV_WINDOWS] = m->flags & RW_SPMV_WINDOW ? 3 * cover(rows, o->window) : 0;
    n[RW_SPMV_X] = s->vector;
    n[RW_SPMV_Y] = ours ? rows : s->vector;
    n[RW_SPMV_TEMP] = !m->reduction ? 0 : by_rows(m) ? CELL * s->blocks : sections_of(m, s, o) * rows;
}

static int64_t items_of(const rw_spmv_method *m, const rw_spmv_shape *s, const rw_spmv_options *o)
{
    switch (m->item) {
    case RW_SPMV_BLOCK: return s->blocks;
    case RW_SPMV_BLOCK_ROW: return CELL * s->blocks;
    case RW_SPMV_ROW: return sections_of(m, s, o) * CELL * s->cells;
    default: return sections_of(m, s, o) * s->cells;
    }
}

rw_spmv_need rw_spmv_predict(const rw_spmv_method *m, const rw_spmv_shape *s, rw_spmv_kind kind, bool f64,
                             const rw_spmv_options *o)
{
    static const int operations[] = {8, 4, 2};
    const double value = (double)rw_dtype_size(rw_spmv_dtype(kind == RW_SPMV_CC, f64)),
                 vector = (double)rw_dtype_size(rw_spmv_dtype(kind != RW_SPMV_RR, f64)), all = s->grid_blocks;
    const bool sent = m->flags & RW_SPMV_SENT, zeroed = m->flags & RW_SPMV_ZEROED;
    int64_t n[RW_SPMV_PARTS];
    count_parts(m, s, o, n);
    const int64_t items = items_of(m, s, o), reduction_items = m->reduction ? CELL * s->cells : 0;
    const double matrix = value * (double)n[RW_SPMV_VALUE] +
                          4. * (double)(n[RW_SPMV_COLUMN] + n[RW_SPMV_FIRST] + n[RW_SPMV_ROWS] + n[RW_SPMV_WINDOWS]);
    const double x = vector * (double)n[RW_SPMV_X], y = vector * (double)n[RW_SPMV_Y],
                 temp = vector * (double)n[RW_SPMV_TEMP];
    return (rw_spmv_need){.memory = (sent ? 1 : all) * (matrix + x + y) + temp,
                          .sent = all * (x + (sent ? matrix + temp : 0) + (m->kernel && !zeroed ? y : 0)),
                          .fetched = all * y,
                          .moved = all * (matrix + x + y + (zeroed ? y : 0) + 2 * temp),
                          .operations = all * operations[kind] *
                                        (double)(m->layout == RW_SPMV_ELL ? s->useful : AREA * s->blocks),
                          .items = items,
                          .reduction_items = reduction_items,
                          .groups = cover(items, m->flags & RW_SPMV_WINDOW ? o->window : RW_SPMV_GROUP),
                          .reduction_groups = cover(reduction_items, RW_SPMV_GROUP)};
}

/* ---- the source -------------------------------------------------------------------------------------------------- */

static bool is_zero(rw_dtype type, const void *value, int64_t k)
{
    return rw_value_get(type, value, k, 0) == 0 && rw_value_get(type, value, k, 1) == 0;
}

/* Entries of row r of block row i that are not 0. */
static int64_t entries_of(const rw_spmv_source *s, const rw_view *v, int64_t i, int r)
{
    int64_t n = 0;
    for (int64_t k = s->stored.first[i]; k < s->stored.first[i + 1]; ++k)
        for (int c = 0; c < CELL; ++c) n += !is_zero(s->matrix_type, v->value, AREA * k + CELL * r + c);
    return n;
}

/* The longest rows of all grid blocks. */
static rw_status find_shape(rw_spmv_source *s)
{
    int64_t slots = 0, entries = 0, useful = 0;
    for (int64_t i = 0; i < s->stored.rows; ++i) slots = RW_MAX(slots, s->stored.first[i + 1] - s->stored.first[i]);
    for (int b = 0; b < s->shape.grid_blocks; ++b) {
        rw_view v;
        RW_TRY(rw_sparse_look(s->matrix[b], false, &v));
#pragma omp parallel for schedule(static) reduction(max : entries) reduction(+ : useful)
        for (int64_t i = 0; i < CELL * s->stored.rows; ++i) {
            const int64_t n = entries_of(s, &v, i / CELL, (int)(i % CELL));
            entries = RW_MAX(entries, n);
            useful += b == 0 ? n : 0;
        }
    }
    s->shape.slots = slots;
    s->shape.entries = entries;
    s->shape.useful = useful;
    return RW_OK;
}

static rw_status check_room(rw_context *ctx, const rw_spmv_source *s)
{
    const double bytes =
        (double)s->shape.grid_blocks * ((double)(AREA * s->shape.blocks) * (double)rw_dtype_size(s->matrix_type) +
                                        4. * (double)(s->shape.blocks + s->shape.cells));
    const double room = (double)rw_device_info(s->host)->memory;
    if (room <= 0 || bytes <= room) return RW_OK;
    return rw_fail(
        ctx, RW_ERR_MEMORY,
        "%d grid blocks of %lld blocks need %.3g bytes of host memory, and %.3g are available: use fewer cells or "
        "grid blocks",
        s->shape.grid_blocks, (long long)s->shape.blocks, bytes, room);
}

static rw_status make_source(rw_context *ctx, rw_spmv_source *s)
{
    rw_sparse_blocks trace;
    rw_sparse_layout layout;
    RW_TRY(rw_spmv_measure(ctx, &s->grid, &s->shape));
    RW_TRY(rw_device_open(ctx, "cpu:1", &s->host));
    RW_TRY(check_room(ctx, s));
    RW_TRY(rw_multiblock_trace(ctx, &s->grid, 0, RW_MULTIBLOCK_SENTINEL, &trace));
    rw_status status = rw_multiblock_prepare(ctx, &trace, &s->stored, &s->row);
    rw_multiblock_free(&trace);
    RW_TRY(status);
    RW_TRY(rw_sparse_layout_parse(ctx, "bcsr:5x5:i32", &layout));
    layout.values = s->matrix_type;
    s->matrix = rw_calloc((size_t)s->shape.grid_blocks, sizeof *s->matrix);
    if (!s->matrix) return rw_fail_memory(ctx, (size_t)s->shape.grid_blocks * sizeof *s->matrix, "grid blocks");
    for (int b = 0; b < s->shape.grid_blocks; ++b)
        RW_TRY(rw_multiblock_assemble(s->host, &s->grid, b, RW_MULTIBLOCK_STORED, &layout, &s->matrix[b]));
    return find_shape(s);
}

rw_status rw_spmv_source_create(rw_context *ctx, const rw_multiblock_spec *grid, rw_spmv_kind kind, bool f64,
                                rw_spmv_source *s)
{
    *s = (rw_spmv_source){.grid = *grid,
                          .kind = kind,
                          .f64 = f64,
                          .matrix_type = rw_spmv_dtype(kind == RW_SPMV_CC, f64),
                          .vector_type = rw_spmv_dtype(kind != RW_SPMV_RR, f64)};
    s->grid.is_complex = kind == RW_SPMV_CC;
    const rw_status status = make_source(ctx, s);
    if (status != RW_OK) rw_spmv_source_free(s);
    return status;
}

void rw_spmv_source_free(rw_spmv_source *s)
{
    for (int b = 0; s->matrix && b < s->shape.grid_blocks; ++b) rw_sparse_destroy(&s->matrix[b]);
    rw_free(s->matrix);
    rw_free(s->row);
    rw_multiblock_free(&s->stored);
    rw_device_close(&s->host);
    *s = (rw_spmv_source){0};
}

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

/* Values and columns in another layout than the source's; `value` is all zeros. Padding has a column that its row has
 * too, so that a window holds it. */
typedef struct target {
    const rw_spmv *p;
    const rw_view *from;
    char *value;
    int32_t *column;
    int64_t width;
} target;

static void copy_value(const target *t, int64_t to, int64_t from)
{
    const size_t bytes = rw_dtype_size(t->p->source->matrix_type);
    memcpy(t->value + bytes * (size_t)to, t->from->value + bytes * (size_t)from, bytes);
}

static void permute(const target *t, int64_t i)
{
    const int64_t *first = t->p->source->stored.first;
    for (int64_t k = first[i]; k < first[i + 1]; ++k)
        for (int e = 0; e < AREA; ++e) copy_value(t, AREA * k + CELL * (e % CELL) + e / CELL, AREA * k + e);
}

static void fill_bell(const target *t, int64_t i)
{
    const rw_sparse_blocks *b = &t->p->source->stored;
    const int64_t cells = b->rows, by_cell = t->p->method->layout == RW_SPMV_BELL ? CELL : 1,
                  by_row = t->p->method->layout == RW_SPMV_BELL ? 1 : cells;
    for (int64_t s = 0; s < t->width; ++s) {
        const int64_t k = b->first[i] + s;
        const bool there = k < b->first[i + 1];
        t->column[s * cells + i] = (int32_t)b->column[there ? k : b->first[i]];
        for (int e = 0; e < AREA && there; ++e)
            copy_value(t, (CELL * s + e % CELL) * CELL * cells + by_cell * i + by_row * (e / CELL), AREA * k + e);
    }
}

static void fill_ell(const target *t, int64_t i)
{
    const rw_sparse_blocks *b = &t->p->source->stored;
    const int64_t rows = CELL * b->rows;
    for (int r = 0; r < CELL; ++r) {
        int64_t n = 0;
        for (int64_t k = b->first[i]; k < b->first[i + 1]; ++k)
            for (int c = 0; c < CELL; ++c) {
                const int64_t from = AREA * k + CELL * r + c;
                if (is_zero(t->p->source->matrix_type, t->from->value, from)) continue;
                copy_value(t, n * rows + CELL * i + r, from);
                t->column[n++ * rows + CELL * i + r] = (int32_t)(CELL * b->column[k] + c);
            }
        for (; n < t->width; ++n) t->column[n * rows + CELL * i + r] = (int32_t)(CELL * b->column[b->first[i]]);
    }
}

static rw_status new_part(rw_device *dev, rw_dtype type, int64_t n, rw_array **part, void **data)
{
    RW_TRY(rw_array_create(dev, type, 1, &n, RW_MEMORY_DEVICE, part));
    RW_TRY(rw_array_write(*part, data));
    memset(*data, 0, (size_t)n * rw_dtype_size(type));
    return RW_OK;
}

static rw_status borrow(rw_device *dev, rw_dtype type, int64_t n, const void *data, rw_array **part)
{
    return rw_array_create_from(dev, type, 1, &n, (void *)(uintptr_t)data, RW_BORROW, part);
}

static rw_status make_matrix(rw_spmv *p, int block, rw_device *where, const int64_t n[RW_SPMV_PARTS])
{
    const rw_spmv_source *s = p->source;
    const rw_spmv_layout layout = p->method->layout;
    rw_array **part = p->block[block].part;
    rw_view v;
    void *value = NULL, *column = NULL;
    RW_TRY(rw_sparse_look(s->matrix[block], false, &v));
    if (by_rows(p->method)) {
        RW_TRY(borrow(where, RW_I32, n[RW_SPMV_COLUMN], v.column, &part[RW_SPMV_COLUMN]));
        RW_TRY(borrow(where, RW_I32, n[RW_SPMV_FIRST], v.first, &part[RW_SPMV_FIRST]));
        if (layout == RW_SPMV_BCSR)
            return borrow(where, s->matrix_type, n[RW_SPMV_VALUE], v.value, &part[RW_SPMV_VALUE]);
    } else RW_TRY(new_part(where, RW_I32, n[RW_SPMV_COLUMN], &part[RW_SPMV_COLUMN], &column));
    RW_TRY(new_part(where, s->matrix_type, n[RW_SPMV_VALUE], &part[RW_SPMV_VALUE], &value));
    const target t = {p, &v, value, column, width_of(p->method, &p->shape, &p->options)};
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < s->stored.rows; ++i)
        (layout == RW_SPMV_PERMUTED ? permute : layout == RW_SPMV_ELL ? fill_ell : fill_bell)(&t, i);
    return RW_OK;
}

static rw_status make_rows(rw_spmv *p, int block, rw_device *where, int64_t n)
{
    const int64_t each = n / p->shape.cells;
    void *row;
    RW_TRY(new_part(where, RW_I32, n, &p->block[block].part[RW_SPMV_ROWS], &row));
    for (int64_t i = 0; i < n; ++i) ((int32_t *)row)[i] = (int32_t)(each * p->source->row[i / each] + i % each);
    return RW_OK;
}

static rw_status make_windows(rw_spmv *p, int block, const rw_windows *w)
{
    void *info;
    RW_TRY(new_part(p->device, RW_I32, 3 * w->groups, &p->block[block].part[RW_SPMV_WINDOWS], &info));
    for (int64_t i = 0; i < 3 * w->groups; ++i) ((int32_t *)info)[i] = (int32_t)w->info[i];
    return RW_OK;
}

static rw_status make_vectors(rw_spmv *p, int block, rw_device *where, const int64_t n[RW_SPMV_PARTS])
{
    const rw_dtype type = p->source->vector_type;
    const int64_t numbers = n[RW_SPMV_X] * (rw_dtype_is_complex(type) ? 2 : 1);
    void *x, *y;
    RW_TRY(new_part(where, type, n[RW_SPMV_X], &p->block[block].part[RW_SPMV_X], &x));
    for (int64_t i = 0; i < numbers; ++i) {
        const double u = rw_random_uniform(17, (uint64_t)(block * numbers + i)) - 0.5;
        if (p->source->f64) ((double *)x)[i] = u;
        else ((float *)x)[i] = (float)u;
    }
    return new_part(where, type, n[RW_SPMV_Y], &p->block[block].part[RW_SPMV_Y], &y);
}

rw_status rw_spmv_our_layout(const rw_device *dev, rw_dtype values, rw_sparse_layout *layout)
{
    RW_TRY(rw_sparse_layout_parse(dev->ctx, dev->info.gpu ? "bsell:5x5" : "bcsr:5x5", layout));
    layout->values = values;
    return RW_OK;
}

static rw_status make_ours(rw_spmv *p, int block)
{
    rw_sparse_layout layout;
    RW_TRY(rw_spmv_our_layout(p->device, p->source->matrix_type, &layout));
    return rw_multiblock_assemble(p->device, &p->source->grid, block, RW_MULTIBLOCK_STORED, &layout,
                                  &p->block[block].ours);
}

static rw_status make_block(rw_spmv *p, int block, rw_device *where, const int64_t n[RW_SPMV_PARTS],
                            const rw_windows *windows)
{
    RW_TRY(make_vectors(p, block, where, n));
    if (p->method->layout == RW_SPMV_OURS) return make_ours(p, block);
    RW_TRY(make_matrix(p, block, where, n));
    RW_TRY(make_rows(p, block, where, n[RW_SPMV_ROWS]));
    if (windows->info) RW_TRY(make_windows(p, block, windows));
    for (int i = 0; i < RW_SPMV_PARTS && where == p->device; ++i)
        if (p->block[block].part[i]) RW_TRY(rw_array_send(p->block[block].part[i], rw_device_queue(p->device)));
    return RW_OK;
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

static rw_status build(rw_spmv *p, const char *name, int group, int64_t shared, rw_program **program)
{
    const rw_spmv_source *s = p->source;
    const char *real = s->f64 ? "f64" : "f32";
    const bool matrix = rw_dtype_is_complex(s->matrix_type), vector = rw_dtype_is_complex(s->vector_type);
    rw_text text = {0};
    char large[48] = "";
    if (shared) snprintf(large, sizeof large, " SHARED_LARGE_BYTES=%lld", (long long)shared);
    rw_text_add(&text, "%s\n%s\n%s", rw_embedded_text("values.k"), rw_measure_text("spmv_items.k"),
                rw_measure_text(name));
    rw_status status = text.failed ? rw_fail_memory(p->device->ctx, 4096, "the source of a product kernel") : RW_OK;
    if (status == RW_OK)
        status = rw_program_create_with(
            p->device, name, text.data, program,
            "GROUP=%d REAL=%s MATRIX_REAL=%s VECTOR_REAL=%s MATRIX_COMPLEX=%d VECTOR_COMPLEX=%d WIDE=1 "
            "CONJUGATE=0 DOTS=0 SECTION=%lld%s",
            group, real, real, real, matrix, vector, (long long)section_of(p->method, &p->options), large);
    rw_text_free(&text);
    return status;
}

static rw_status make_kernels(rw_spmv *p, int64_t window)
{
    const rw_spmv_method *m = p->method;
    if (!m->kernel) return RW_OK;
    RW_TRY(build(p, "spmv_kernels.k", RW_SPMV_GROUP, 0, &p->program));
    if (window)
        RW_TRY(build(p, "spmv_window.k", p->options.window, window * (int64_t)rw_dtype_size(p->source->vector_type),
                     &p->window_program));
    RW_TRY(rw_program_kernel(window ? p->window_program : p->program, m->kernel, &p->multiply));
    RW_TRY(rw_program_kernel(p->program, "zero_fill", &p->zero));
    return m->reduction ? rw_program_kernel(p->program, m->reduction, &p->reduce) : RW_OK;
}

/* ---- create and free --------------------------------------------------------------------------------------------- */

static rw_status make(rw_spmv *p, rw_windows *windows)
{
    rw_device *dev = p->device, *where = p->method->flags & RW_SPMV_SENT ? p->source->host : dev;
    int64_t n[RW_SPMV_PARTS];
    void *temp;
    if (p->method->flags & RW_SPMV_WINDOW) {
        RW_TRY(rw_windows_find(dev->ctx, &p->source->stored, CELL, p->options.window, windows));
        RW_TRY(rw_windows_check(dev->ctx, windows, p->source->vector_type, dev->info.shared_memory));
        p->shape.window = windows->longest;
    }
    RW_TRY(make_kernels(p, p->shape.window));
    count_parts(p->method, &p->shape, &p->options, n);
    p->block = rw_calloc((size_t)p->shape.grid_blocks, sizeof *p->block);
    if (!p->block) return rw_fail_memory(dev->ctx, (size_t)p->shape.grid_blocks * sizeof *p->block, "grid blocks");
    if (n[RW_SPMV_TEMP]) RW_TRY(new_part(where, p->source->vector_type, n[RW_SPMV_TEMP], &p->temp, &temp));
    for (int b = 0; b < p->shape.grid_blocks; ++b) RW_TRY(make_block(p, b, where, n, windows));
    return RW_OK;
}

rw_status rw_spmv_create(rw_device *dev, const rw_spmv_source *source, const rw_spmv_method *method,
                         const rw_spmv_options *options, rw_spmv *p)
{
    rw_windows windows = {0};
    *p = (rw_spmv){.method = method, .source = source, .options = *options, .shape = source->shape};
    if (method->flags & RW_SPMV_CUDA && strcmp(dev->info.kind, "cuda") != 0)
        return rw_fail(dev->ctx, RW_ERR_UNSUPPORTED, "%s is kernel %s compiled by CUDA, and %s is not a CUDA device",
                       method->title, method->kernel, dev->info.name);
    p->device = rw_device_retain(dev);
    p->need = rw_spmv_predict(method, &p->shape, source->kind, source->f64, options);
    rw_status status = make(p, &windows);
    rw_windows_free(&windows);
    if (status == RW_OK) status = rw_queue_wait(rw_device_queue(dev));
    if (status != RW_OK) rw_spmv_free(p);
    return status;
}

void rw_spmv_free(rw_spmv *p)
{
    for (int b = 0; p->block && b < p->shape.grid_blocks; ++b) {
        for (int i = 0; i < RW_SPMV_PARTS; ++i) rw_array_destroy(&p->block[b].part[i]);
        rw_sparse_destroy(&p->block[b].ours);
    }
    rw_free(p->block);
    rw_array_destroy(&p->temp);
    rw_program_destroy(&p->program);
    rw_program_destroy(&p->window_program);
    rw_device_close(&p->device);
    *p = (rw_spmv){0};
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

static rw_status launch(const rw_spmv *p, rw_kernel *k, int64_t groups, const rw_arg *args, int n)
{
    return rw_launch(rw_device_queue(p->device), k, (int64_t[3]){groups, 1, 1}, args, n);
}

/* The document's two or three kernels of a grid block. */
static rw_status launch_all(const rw_spmv *p, rw_array *const part[RW_SPMV_PARTS])
{
    const rw_spmv_method *m = p->method;
    const bool rows = by_rows(m);
    const int64_t cells = p->shape.cells;
    rw_arg a[8] = {rw_arg_array(part[RW_SPMV_VALUE]), rw_arg_array(part[RW_SPMV_X]),
                   rw_arg_array(part[RW_SPMV_COLUMN])};
    int n = 3;
    if (m->flags & RW_SPMV_ZEROED)
        RW_TRY(launch(p, p->zero, cover(p->shape.vector, RW_SPMV_GROUP),
                      (rw_arg[]){rw_arg_array(part[RW_SPMV_Y]), rw_arg_int(p->shape.vector)}, 2));
    if (!m->reduction) a[n++] = rw_arg_array(part[RW_SPMV_ROWS]);
    a[n++] = rw_arg_array(m->reduction ? part[RW_SPMV_TEMP] : part[RW_SPMV_Y]);
    if (m->flags & RW_SPMV_WINDOW) a[n++] = rw_arg_array(part[RW_SPMV_WINDOWS]);
    if (!rows) a[n++] = rw_arg_int(width_of(m, &p->shape, &p->options));
    a[n++] = rw_arg_int(rows ? p->shape.blocks : m->layout == RW_SPMV_ELL ? CELL * cells : cells);
    RW_TRY(launch(p, p->multiply, p->need.groups, a, n));
    if (!m->reduction) return RW_OK;
    n = 2;
    a[0] = rw_arg_array(part[RW_SPMV_TEMP]);
    a[1] = rw_arg_array(part[RW_SPMV_Y]);
    if (rows) a[n++] = rw_arg_array(part[RW_SPMV_FIRST]);
    a[n++] = rw_arg_array(part[RW_SPMV_ROWS]);
    if (!rows) a[n++] = rw_arg_int(sections_of(m, &p->shape, &p->options));
    a[n++] = rw_arg_int(rows ? cells + 1 : CELL * cells);
    return launch(p, p->reduce, p->need.reduction_groups, a, n);
}

/* Everything from the host to new arrays, y back. */
static rw_status multiply_sent(const rw_spmv *p, const struct rw_spmv_block *b)
{
    rw_array *on[RW_SPMV_PARTS] = {NULL};
    const rw_array *y = b->part[RW_SPMV_Y];
    rw_status status = RW_OK;
    for (int i = 0; i < RW_SPMV_PARTS && status == RW_OK; ++i) {
        rw_array *from = i == RW_SPMV_TEMP ? p->temp : b->part[i];
        const void *data = NULL;
        if (!from || i == RW_SPMV_Y) continue;
        status = rw_array_read(from, &data);
        if (status == RW_OK) status = borrow(p->device, from->dtype, from->size, data, &on[i]);
    }
    if (status == RW_OK) status = rw_array_create(p->device, y->dtype, 1, &y->size, RW_MEMORY_DEVICE, &on[RW_SPMV_Y]);
    if (status == RW_OK) status = launch_all(p, on);
    const void *result;
    void *to;
    if (status == RW_OK) status = rw_array_read(on[RW_SPMV_Y], &result);
    if (status == RW_OK) status = rw_array_write(b->part[RW_SPMV_Y], &to);
    if (status == RW_OK) memcpy(to, result, y->bytes);
    for (int i = 0; i < RW_SPMV_PARTS; ++i) rw_array_destroy(&on[i]);
    return status;
}

rw_status rw_spmv_multiply_block(rw_spmv *p, int block, bool copied)
{
    const struct rw_spmv_block *b = p->block + block;
    rw_array *x = b->part[RW_SPMV_X], *y = b->part[RW_SPMV_Y], *part[RW_SPMV_PARTS];
    const void *result;
    void *unused;
    if (p->method->flags & RW_SPMV_SENT) return multiply_sent(p, b);
    if (copied) RW_TRY(rw_array_update(x, &unused)); /* the host's is the newer one now */
    if (copied && b->part[RW_SPMV_VALUE] && !(p->method->flags & RW_SPMV_ZEROED)) RW_TRY(rw_array_update(y, &unused));
    memcpy(part, b->part, sizeof part);
    part[RW_SPMV_TEMP] = p->temp;
    RW_TRY(b->ours ? rw_sparse_multiply(b->ours, RW_OP_NONE, NULL, x, NULL, y, rw_device_queue(p->device))
                   : launch_all(p, part));
    return copied ? rw_array_read(y, &result) : RW_OK;
}

rw_status rw_spmv_multiply(rw_spmv *p, bool copied)
{
    for (int b = 0; b < p->shape.grid_blocks; ++b) RW_TRY(rw_spmv_multiply_block(p, b, copied));
    return RW_OK;
}
