/* rechenwerk matrix FILE: what a sparse matrix looks like and which format suits it. */
#include <math.h>
#include <string.h>

#include "matrices.h"
#include "rechenwerk/figure.h"

static const char *symmetry_of(const rw_pattern *p)
{
    if (p->rows != p->columns) return "not square";
    return p->hermitian && p->symmetric ? "symmetric and hermitian"
           : p->hermitian               ? "hermitian"
           : p->symmetric && p->skew    ? "zero"
           : p->symmetric               ? "symmetric"
           : p->skew                    ? "skew-symmetric"
           : p->same_pattern            ? "structurally symmetric"
                                        : "unsymmetric";
}

/* The largest of 2 x 2 to 8 x 8 whose blocks are nearly full; 1: none. */
static int block_of(const rw_pattern *p)
{
    int size = 1;
    for (int b = 2; b <= RW_PATTERN_BLOCKS; ++b)
        if (p->entries > 0 && p->rows % b == 0 && p->columns % b == 0 &&
            (double)p->blocks[b] * b * b <= 1.05 * (double)p->entries)
            size = b;
    return size;
}

static void print_blocks(const rw_pattern *p)
{
    const int b = block_of(p);
    if (b > 1)
        printf("  blocks             %lld of %d x %d hold all entries, %.4g %% full\n", (long long)p->blocks[b], b, b,
               100 * (double)p->entries / ((double)p->blocks[b] * b * b));
    else
        printf("  blocks             no size from 2 x 2 to %d x %d gives nearly full blocks\n", RW_PATTERN_BLOCKS,
               RW_PATTERN_BLOCKS);
}

static void print_text(const char *path, const rw_pattern *p)
{
    printf("%s: %lld x %lld, %lld entries, %s, %s\n", shown(path), (long long)p->rows, (long long)p->columns,
           (long long)p->entries, p->is_complex ? "complex" : "real", symmetry_of(p));
    printf("  entries per row    %lld to %lld, mean %.3g; %lld empty rows\n", (long long)p->row_min,
           (long long)p->row_max, p->rows ? (double)p->entries / (double)p->rows : 0., (long long)p->empty_rows);
    printf("  bandwidth          %lld below, %lld above the diagonal; %lld nonzero diagonals\n", (long long)p->lower,
           (long long)p->upper, (long long)p->diagonals);
    printf("  diagonal           %lld missing or 0; %lld entries are 0\n", (long long)p->no_diagonal,
           (long long)p->zeros);
    print_blocks(p);
    printf("\n   %-24s %11s %11s %9s\n", "format", "memory", "moved", "fill");
    for (int i = 0; i < p->nformats; ++i) {
        const rw_sparse_candidate *c = p->formats + i;
        if (c->refused)
            printf("   %-24s refused: padding would multiply the size of the matrix\n", text_of(&c->layout));
        else
            printf("%s %-24s %11s %11s %9.3f\n", i == p->best ? "->" : "  ", text_of(&c->layout),
                   in_units((double)c->size.bytes).text, in_units(c->moved).text, c->fill);
    }
    printf("\n"
           "  memory: size of the matrix, including padding and zeros within blocks; moved: bytes that one product "
           "reads of the matrix and x, and writes of y; fill: stored values per entry\n"
           "  -> %s: its product moves the fewest bytes (among formats within 2 %%, the simplest). To measure the "
           "fastest format on a device: rechenwerk tune %s\n",
           text_of(&p->formats[p->best].layout), path);
}

static int print_as_json(const char *path, const rw_pattern *p)
{
    rw_json_writer *w = json_begin(0);
    rw_json_add_string(w, "file", path);
    rw_json_add_integer(w, "rows", p->rows);
    rw_json_add_integer(w, "columns", p->columns);
    rw_json_add_integer(w, "entries", p->entries);
    rw_json_add_bool(w, "complex", p->is_complex);
    rw_json_add_string(w, "symmetry", symmetry_of(p));
    rw_json_add_integer(w, "row_min", p->row_min);
    rw_json_add_integer(w, "row_max", p->row_max);
    rw_json_add_integer(w, "empty_rows", p->empty_rows);
    rw_json_add_integer(w, "lower", p->lower);
    rw_json_add_integer(w, "upper", p->upper);
    rw_json_add_integer(w, "diagonals", p->diagonals);
    rw_json_add_integer(w, "no_diagonal", p->no_diagonal);
    rw_json_add_integer(w, "zeros", p->zeros);
    rw_json_add_integer(w, "block", block_of(p));
    rw_json_add_string(w, "best", text_of(&p->formats[p->best].layout));
    rw_json_add_array(w, "formats");
    for (int i = 0; i < p->nformats; ++i) {
        const rw_sparse_candidate *c = p->formats + i;
        rw_json_object(w);
        rw_json_add_string(w, "name", text_of(&c->layout));
        rw_json_add_number(w, "bytes", c->refused ? INFINITY : (double)c->size.bytes);
        rw_json_add_number(w, "moved", c->refused ? INFINITY : c->moved);
        rw_json_add_number(w, "fill", c->refused ? INFINITY : c->fill);
        rw_json_close(w);
    }
    rw_json_close(w);
    return json_end();
}

static int run(const arguments *a)
{
    const char *path = a->operands[0], *picture = value_of(a, "output");
    rw_pattern p;
    rw_entries e = {0};
    rw_duplicates duplicates;
    if (!duplicates_of(a, &duplicates)) return 2;
    int code = check_outputs(a, 1, &(output_file){.name = "output", .ending = ".png"}, 1, a->operands);
    if (code != 0) return code;
    rw_context *ctx = make_context(a);
    if (!ctx) return 5;
    const char *slash = strrchr(path, '/');
    rw_status status = rw_entries_read(ctx, path, duplicates, &e);
    if (status == RW_OK) status = rw_pattern_find(ctx, &e, &p);
    if (status == RW_OK && picture) status = rw_figure_write_pattern(ctx, picture, slash ? slash + 1 : path, &e);
    code = status == RW_OK ? 0 : failed(ctx, status);
    if (status == RW_OK && given(a, "json")) code = print_as_json(path, &p);
    else if (status == RW_OK) print_text(path, &p);
    rw_entries_free(&e);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {
    {"output", 0, "FILE.png", "picture of the sparsity pattern"},
    OPTION_DUPLICATES,
    OPTION_FORCE,
    OPTION_JSON,
};

const command command_matrix = {
    .name = "matrix",
    .operands = "FILE.mtx",
    .least = 1,
    .most = 1,
    .line = "describe a sparse matrix and recommend a storage format",
    .more = "FILE is a Matrix Market file. For each format, the memory of the matrix (including padding and zeros "
            "within blocks) and the bytes moved by one product are printed. The format that moves the fewest bytes "
            "is marked.",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
