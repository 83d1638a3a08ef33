/* Layouts as text: FORMAT[:OPTION…], "bsell:5x5:h32:s256:f32". One table of options for reading and writing. */
#include <stdlib.h>
#include <string.h>

#include "sparse/sparse.h"

static const struct { const char *name; bool blocks; } formats[] = {
#define RW_X(name, text, blocks, line) {text, blocks},
    RW_SPARSE_FORMAT_LIST(RW_X)
#undef RW_X
};

bool rw_sparse_has_blocks(rw_sparse_format format) { return formats[format].blocks; }
size_t rw_sparse_value_size(const rw_sparse_layout *l) { return rw_dtype_size(l->values) / (l->scaled ? 2 : 1); }

static bool has_slices(rw_sparse_format f) { return f == RW_SPARSE_SELL || f == RW_SPARSE_BSELL; }
static bool has_sections(rw_sparse_format f) { return has_slices(f) || f == RW_SPARSE_ELL || f == RW_SPARSE_BELL; }

rw_status rw_sparse_layout_check(rw_context *ctx, const rw_sparse_layout *l)
{
    if (l->format == RW_SPARSE_FREE) return rw_fail(ctx, RW_ERR_ARGUMENT, "format free: a map without entries comes from rw_sparse_create_free; for a matrix take another format");
    if ((unsigned)l->format >= RW_SPARSE_FORMATS) return rw_fail(ctx, RW_ERR_ARGUMENT, "format = %d is not one of rw_sparse_format", (int)l->format);
    const char *name = formats[l->format].name;
    if (l->values > RW_C128) return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: values of %s: a matrix has f32, f64, c64 or c128", name, rw_dtype_name(l->values));
    int most = formats[l->format].blocks ? RW_SPARSE_BLOCK_MOST : 1;
    if (l->block_rows < 1 || l->block_columns < 1 || l->block_rows > most || l->block_columns > most)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: blocks of %d x %d are outside [1, %d]%s", name, l->block_rows, l->block_columns, most,
                       most == 1 ? ": formats with blocks are bcsr, bell and bsell" : "");
    if (l->by_columns && l->format != RW_SPARSE_BCSR) return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: blocks column after column are for bcsr", name);
    if (has_slices(l->format) ? l->slice < 32 || l->slice % 32 || l->slice > 1 << 20 : l->slice != 0)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: slices of %d rows: %s", name, l->slice, has_slices(l->format) ? "multiples of 32 up to 1048576 are possible" : "slices are for sell and bsell");
    if (l->sort < 0 || (l->sort > 1 && !has_sections(l->format)))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: sorting windows of %d rows: %s", name, l->sort, l->sort < 0 ? "0 or more are needed" : "sorting is for ell, bell, sell and bsell");
    if (l->section < 0 || (l->section && !has_sections(l->format)))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: sections of %d: %s", name, l->section, l->section < 0 ? "0 or more are needed" : "sections are for ell, bell, sell and bsell");
    if (l->scaled && l->values != RW_F32 && l->values != RW_C64)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: scaled values of %s: they have 16 bits, for f32 or c64", name, rw_dtype_name(l->values));
    if (l->index_bits != 0 && l->index_bits != 32 && l->index_bits != 64) return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: indices of %d bits: 32 or 64 (0: what suffices)", name, l->index_bits);
    return RW_OK;
}

/* A number behind a letter: "c32". */
static bool number(const char *text, int *value)
{
    char *end;
    if (*text < '0' || *text > '9') return false;
    long v = strtol(text, &end, 10);
    *value = v < 1 << 30 ? (int)v : 1 << 30;
    return !*end;
}

static bool read_option(const char *text, rw_sparse_layout *l)
{
    char *end;
    for (rw_dtype t = RW_F32; t <= RW_C128; ++t)
        if (!strcmp(text, rw_dtype_name(t))) return l->values = t, true;
    if (!strcmp(text, "columns")) return l->by_columns = true;
    if (!strcmp(text, "scaled")) return l->scaled = true;
    if (text[0] == 'h') return number(text + 1, &l->slice);
    if (text[0] == 's') return number(text + 1, &l->sort);
    if (text[0] == 'l') return number(text + 1, &l->section);
    if (text[0] == 'i') return number(text + 1, &l->index_bits);
    if (text[0] < '0' || text[0] > '9') return false;
    l->block_rows = l->block_columns = (int)RW_MIN(strtol(text, &end, 10), 1 << 20);
    return !*end || (*end == 'x' && number(end + 1, &l->block_columns));
}

static rw_status find_format(rw_context *ctx, const char *name, rw_sparse_format *format)
{
    const char *names[RW_SPARSE_FORMATS];
    for (int i = 0; i < RW_SPARSE_FORMATS; ++i) {
        names[i] = formats[i].name;
        if (!strcmp(name, names[i])) return *format = (rw_sparse_format)i, RW_OK;
    }
    const char *nearest = rw_nearest(name, names, RW_SPARSE_FORMATS);
    rw_text all = {0};
    for (int i = 0; i < RW_SPARSE_FORMATS; ++i) rw_text_add(&all, "%s%s", i ? ", " : "", names[i]);
    rw_status status = rw_fail(ctx, RW_ERR_ARGUMENT, "format \"%s\": there is none of that name%s%s%s; formats are %s", name, nearest ? ", did you mean " : "", nearest ? nearest : "",
                               nearest ? "?" : "", all.failed ? "coo, csr, …" : all.data);
    rw_text_free(&all);
    return status;
}

rw_status rw_sparse_layout_parse(rw_context *ctx, const char *text, rw_sparse_layout *l)
{
    RW_NEED(ctx, "context");
    RW_NEED(text, "text");
    RW_NEED(l, "layout");
    char part[32];
    rw_sparse_layout read = {.values = RW_F64, .block_rows = 1, .block_columns = 1};
    for (int i = 0; *text || i == 0; ++i) {
        size_t n = strcspn(text, ":");
        snprintf(part, sizeof part, "%.*s", (int)RW_MIN(n, sizeof part - 1), text);
        text += n + (text[n] == ':');
        if (i == 0) RW_TRY(find_format(ctx, part, &read.format));
        else if (!read_option(part, &read))
            return rw_fail(ctx, RW_ERR_ARGUMENT, "format %s: \"%s\" is none of 5 or 5x5 (blocks), h32 (slices of 32 rows), s256 (sorted within 256 rows), l20 (sections of 20), columns, "
                           "i32, i64 (indices), f32, f64, c64, c128 (values), scaled (values of f32 or c64 with 16 bits)", formats[read.format].name, part);
    }
    if (has_slices(read.format) && !read.slice) read.slice = 32;
    RW_TRY(rw_sparse_layout_check(ctx, &read));
    *l = read;
    return RW_OK;
}

void rw_sparse_layout_print(const rw_sparse_layout *l, char *text, size_t size)
{
    if (!l || !text) return;
    char block[32] = "", slice[16] = "", sort[16] = "", section[16] = "";
    bool known = (unsigned)l->format < RW_SPARSE_FORMATS;
    if (known && formats[l->format].blocks) snprintf(block, sizeof block, ":%dx%d", l->block_rows, l->block_columns);
    if (l->slice) snprintf(slice, sizeof slice, ":h%d", l->slice);
    if (l->sort > 1) snprintf(sort, sizeof sort, ":s%d", l->sort);
    if (l->section) snprintf(section, sizeof section, ":l%d", l->section);
    snprintf(text, size, "%s%s%s%s%s%s%s:%s%s", known ? formats[l->format].name : l->format == RW_SPARSE_FREE ? "free" : "?", block, l->by_columns ? ":columns" : "", slice, sort, section,
             l->index_bits == 64 ? ":i64" : l->index_bits == 32 ? ":i32" : "", rw_dtype_name(l->values), l->scaled ? ":scaled" : "");
}
