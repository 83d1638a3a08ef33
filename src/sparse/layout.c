/* Layouts: the rows of rw_sparse_layout, their texts FORMAT[:OPTION…], defaults and checks. */
#include <stdio.h>

#include "param/param.h"
#include "sparse/sparse.h"

enum {
    BLOCKS = 1 << RW_SPARSE_BCSR | 1 << RW_SPARSE_BELL | 1 << RW_SPARSE_BSELL,
    SLICES = 1 << RW_SPARSE_SELL | 1 << RW_SPARSE_BSELL,
    PADDED = SLICES | 1 << RW_SPARSE_ELL | 1 << RW_SPARSE_BELL,
};

#define ROW(member, kind, standard, allowed, line, ...)                                                                \
    RW_ROW(rw_sparse_layout, member, kind, standard, allowed, line, __VA_ARGS__)
static const char choices[] =
#define RW_X(name, text, blocks, line) text "|"
    RW_SPARSE_FORMAT_LIST(RW_X);
#undef RW_X
static const rw_param rows[] = {
    ROW(format, ENUM, "csr", choices, "storage format: see rechenwerk list formats", .brief = NULL),
    {.name = "block",
     .kind = RW_PARAM_SIZES,
     .offset = offsetof(rw_sparse_layout, block_rows),
     .size = sizeof(int),
     .standard = "1",
     .allowed = "1..2 of [1, 16]",
     .unit = "",
     .line = "rows and columns per block",
     .methods = BLOCKS,
     .brief = ""},
    ROW(columns, BOOL, "false", "", "column-major order of the entries in a block", .methods = 1 << RW_SPARSE_BCSR),
    ROW(slice, INT, "32", "[32, 1048576]", "rows per slice, a multiple of 32", .methods = SLICES, .brief = "h"),
    ROW(sort, INT, "0", "[0, 2147483647]", "rows per window within which rows are sorted by length", .methods = PADDED,
        .brief = "s"),
    ROW(section, INT, "0", "[0, 2147483647]", "entries per section into which rows are cut", .methods = PADDED,
        .brief = "l"),
    ROW(index_bits, INT, "", "32|64", "bits per index", .brief = "i"),
    ROW(values, ENUM, "f64", "f32|f64|c64|c128", "type of the values", .brief = ""),
    ROW(scaled, BOOL, "false", "", "values of f32 or c64 as 16-bit integers with one scale factor per row",
        .brief = NULL),
};

RW_PARAMS(rw_sparse_params, rw_sparse_layout, rows, "format", "a sparse matrix format")

bool rw_sparse_has_blocks(rw_sparse_format format) { return BLOCKS >> format & 1; }
size_t rw_sparse_value_size(const rw_sparse_layout *l) { return rw_dtype_size(l->values) / (l->scaled ? 2 : 1); }

/* Options of other formats. */
static rw_status check_others(rw_context *ctx, const char *name, const rw_sparse_layout *l)
{
    const struct {
        const char *what;
        bool is_set;
        uint32_t formats;
        const char *have;
    } options[] = {{"blocks", l->block_rows > 1 || l->block_columns > 1, BLOCKS, "bcsr, bell or bsell"},
                   {"column-major blocks", l->columns, 1 << RW_SPARSE_BCSR, "bcsr"},
                   {"slices", l->slice != 0, SLICES, "sell or bsell"},
                   {"sorting windows", l->sort > 1, PADDED, "ell, bell, sell or bsell"},
                   {"sections", l->section != 0, PADDED, "ell, bell, sell or bsell"}};
    for (int i = 0; i < RW_COUNT(options); ++i)
        if (options[i].is_set && !(options[i].formats >> l->format & 1))
            return rw_fail(ctx, RW_ERR_ARGUMENT, "%s has no %s: use %s", name, options[i].what, options[i].have);
    return RW_OK;
}

rw_status rw_sparse_layout_resolve(rw_context *ctx, const rw_sparse_layout *given, rw_sparse_layout *l)
{
    char name[32];
    *l = *given;
    RW_TRY(rw_reserved_check(ctx, "rw_sparse_layout", l->reserved, RW_COUNT(l->reserved)));
    RW_CHECK_MEMBERS(ctx, rw_sparse_layout, l);
    RW_TRY(rw_params_resolve(ctx, rw_sparse_params(), NULL, l));
    rw_params_method(rw_sparse_params(), l, name, sizeof name);
    RW_TRY(check_others(ctx, name, l));
    if (!l->block_rows && !l->block_columns) l->block_rows = l->block_columns = 1;
    if (l->block_rows < 1 || l->block_columns < 1 || l->block_rows > RW_SPARSE_BLOCK_MOST ||
        l->block_columns > RW_SPARSE_BLOCK_MOST)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: blocks of %d x %d: rows and columns per block must be 1 to %d", name,
                       l->block_rows, l->block_columns, RW_SPARSE_BLOCK_MOST);
    if (l->slice % 32)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: slices of %d rows: the number must be a multiple of 32, at most 1048576", name, l->slice);
    if (l->scaled && l->values != RW_F32 && l->values != RW_C64)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: scaled values of %s: scaling to 16 bits is for values of f32 or c64 only", name,
                       rw_dtype_name(l->values));
    return RW_OK;
}

rw_status rw_sparse_layout_parse(rw_context *ctx, const char *text, rw_sparse_layout *l)
{
    RW_NEED(ctx, "context");
    RW_NEED(text, "text");
    RW_NEED(l, "layout");
    rw_sparse_layout read, resolved;
    RW_TRY(rw_params_parse(ctx, rw_sparse_params(), text, &read));
    RW_TRY(rw_sparse_layout_resolve(ctx, &read, &resolved));
    *l = resolved;
    return RW_OK;
}

void rw_sparse_layout_print(const rw_sparse_layout *l, char *text, size_t size)
{
    if (l && text) rw_params_print(rw_sparse_params(), l, text, size);
}
