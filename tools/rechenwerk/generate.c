/* rechenwerk generate KIND: matrices to try formats and solvers with, as files of the Matrix Market. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "command.h"
#include "rechenwerk/multiblock.h"
#include "rechenwerk/run.h"

/* What is to be made, as the options say; then what it takes. */
typedef struct request {
    const arguments *a;
    rw_multiblock_spec spec; /* laplace: its cells alone */
    rw_multiblock_index index;
    int64_t block;
    int64_t rows, columns, blocks, entries;
    double bytes, file; /* of the matrix in memory; of the file, about */
} request;

typedef struct kind {
    const char *name, *line;
    bool has_options;                         /* besides those of all kinds */
    int (*read)(rw_context *ctx, request *r); /* the options, and sizes; gives the exit code */
    void (*describe)(const request *r);
    rw_status (*make)(rw_device *device, const request *r, rw_sparse **matrix);
} kind;

/* ---- sizes of files ---------------------------------------------------------------------------------------------- */

/* Mean length of the numbers 1 … n. */
static double digits(int64_t n)
{
    double all = 0;
    for (double low = 1; low <= (double)n; low *= 10) all += (double)n - low + 1;
    return n ? all / (double)n : 0;
}

/* One line per entry: row, column, and its value in this number of characters. */
static double file_bytes(const request *r, double value)
{
    return 80 + (double)r->entries * (digits(r->rows) + digits(r->columns) + value + 3);
}

/* ---- trace ------------------------------------------------------------------------------------------------------- */

/* What is no member of the specification: which grid block, and how cells are numbered. */
typedef struct choice {
    int index;
    int64_t block;
} choice;
#define RW_X(name, text, line) text "|"
static const char indices[] = RW_MULTIBLOCK_INDEX_LIST(RW_X);
#undef RW_X
static const rw_param choice_rows[] = {
    {.name = "index",
     .kind = RW_PARAM_CHOICE,
     .offset = offsetof(choice, index),
     .size = sizeof(int),
     .standard = "compact",
     .allowed = indices,
     .unit = "",
     .line = "numbering of the cells"},
    {.name = "block",
     .kind = RW_PARAM_INT,
     .offset = offsetof(choice, block),
     .size = sizeof(int64_t),
     .standard = "",
     .allowed = "[0, 999999]",
     .unit = "",
     .line = "index of a single grid block, counted from 0"},
};
static const rw_params choices = {"choice", "choice", "", sizeof(choice), choice_rows, COUNT(choice_rows)};

static rw_sparse_layout layout_of(const request *r)
{
    return (rw_sparse_layout){.format = RW_SPARSE_BCSR,
                              .values = r->spec.is_complex ? RW_C128 : RW_F64,
                              .block_rows = RW_MULTIBLOCK_UNKNOWNS,
                              .block_columns = RW_MULTIBLOCK_UNKNOWNS};
}

static int read_trace(rw_context *ctx, request *r)
{
    const arguments *a = r->a;
    const char *cgns = value_of(a, "cgns");
    choice chosen = {.block = RW_MULTIBLOCK_ALL};
    rw_multiblock_size size;
    if (!set_members(ctx, a, &choices, &chosen)) return 2;
    r->index = (rw_multiblock_index)chosen.index;
    r->block = chosen.block;
    rw_status status = cgns ? rw_multiblock_read_cgns(ctx, cgns, &r->spec) : RW_OK;
    if (status == RW_OK) status = rw_params_resolve(ctx, rw_multiblock_params(), "generate", &r->spec);
    for (int axis = 0; axis < 3; ++axis)
        if (!r->spec.blocks[axis]) r->spec.blocks[axis] = 1;
    if (status == RW_OK && given(a, "periodic") && r->spec.mode == RW_MULTIBLOCK_TRUNCATED)
        return usage("generate: --periodic needs --mode inner or full: truncated drops the couplings across block "
                     "borders");
    if (status == RW_OK) status = rw_multiblock_measure(ctx, &r->spec, r->block, r->index, layout_of(r).values, &size);
    if (status != RW_OK) return failed(ctx, status);
    r->rows = size.rows;
    r->columns = size.columns;
    r->blocks = size.blocks;
    r->entries = size.entries;
    r->bytes = (double)size.value_bytes + (double)size.index_bytes;
    r->file = file_bytes(r, r->spec.is_complex ? 39 : 19);
    return 0;
}

static void describe_trace(const request *r)
{
    const rw_multiblock_spec *s = &r->spec;
    printf("trace: %lld x %lld x %lld grid blocks of %lld x %lld x %lld cells", (long long)s->blocks[0],
           (long long)s->blocks[1], (long long)s->blocks[2], (long long)s->cells[0], (long long)s->cells[1],
           (long long)s->cells[2]);
    if (r->block >= 0) printf(", block %lld", (long long)r->block);
    printf(", %s, %s, %s index, %s", rw_multiblock_stencil_name(s->stencil), rw_multiblock_mode_name(s->mode),
           rw_multiblock_index_name(r->index), s->is_complex ? "complex" : "real");
    if (s->is_complex) printf(", omega %g", s->omega);
    printf(", seed %llu%s%s\n", (unsigned long long)s->seed, s->periodic ? ", periodic in theta" : "",
           s->zeros ? ", zeros in blocks" : "");
}

static rw_status make_trace(rw_device *device, const request *r, rw_sparse **matrix)
{
    const rw_sparse_layout layout = layout_of(r);
    return rw_multiblock_assemble(device, &r->spec, r->block, r->index, &layout, matrix);
}

/* ---- laplace ----------------------------------------------------------------------------------------------------- */

static int read_laplace(rw_context *ctx RW_UNUSED, request *r)
{
    const int64_t *n = r->spec.cells;
    const double all = (double)n[0] * (double)n[1] * (double)n[2];
    if (all > 1e8) return usage("generate: a grid of %.3g cells is too large: at most 1e8 cells are possible", all);
    r->rows = r->columns = (int64_t)all;
    r->entries = r->rows;
    for (int axis = 0; axis < 3; ++axis) r->entries += 2 * (r->rows / n[axis]) * (n[axis] - 1);
    r->blocks = r->entries;
    r->bytes = 12. * (double)r->entries + 4. * (double)(r->rows + 1);
    r->file = file_bytes(r, 2);
    return 0;
}

static void describe_laplace(const request *r)
{
    printf("laplace: %lld x %lld x %lld cells, negative sum of second differences, zero outside the grid\n",
           (long long)r->spec.cells[0], (long long)r->spec.cells[1], (long long)r->spec.cells[2]);
}

static void fill_laplace(const int64_t n[3], int64_t *row, int64_t *column, double *value)
{
    const int64_t stride[3] = {1, n[0], n[0] * n[1]};
    int64_t k = 0;
    int axes = 0;
    for (int axis = 0; axis < 3; ++axis) axes += n[axis] > 1;
    for (int64_t i = 0; i < n[0] * n[1] * n[2]; ++i) {
        row[k] = column[k] = i;
        value[k++] = axes ? 2 * axes : 2;
        for (int axis = 0; axis < 3; ++axis)
            for (int side = -1; side <= 1; side += 2) {
                const int64_t at = i / stride[axis] % n[axis] + side;
                if (at >= 0 && at < n[axis]) {
                    row[k] = i;
                    column[k] = i + side * stride[axis];
                    value[k++] = -1;
                }
            }
    }
}

static rw_status make_laplace(rw_device *device, const request *r, rw_sparse **matrix)
{
    const rw_sparse_layout layout = {.format = RW_SPARSE_CSR, .values = RW_F64, .block_rows = 1, .block_columns = 1};
    const size_t n = (size_t)r->entries;
    int64_t *row = malloc(n * sizeof(*row)), *column = malloc(n * sizeof(*column));
    double *value = malloc(n * sizeof(*value));
    rw_status status = row && column && value ? RW_OK : RW_ERR_MEMORY;
    if (status == RW_OK) {
        fill_laplace(r->spec.cells, row, column, value);
        status =
            rw_sparse_from_entries(device, &layout,
                                   &(rw_entries){r->rows, r->columns, r->entries, false, row, column, value}, matrix);
    }
    free(row);
    free(column);
    free(value);
    return status;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static const kind kinds[] = {
    {"trace", "5 x 5 blocks, as from a flow solver", true, read_trace, describe_trace, make_trace},
    {"laplace", "symmetric positive definite, 3-, 5- or 7-point stencil", false, read_laplace, describe_laplace,
     make_laplace},
};
static const char *const of_all[] = {"cells", "output", "force", "json"};

static const char *const *kind_names(void)
{
    static const char *names[COUNT(kinds) + 1];
    for (int i = 0; i < COUNT(kinds); ++i) names[i] = kinds[i].name;
    return names;
}

static const kind *find_kind(const char *name)
{
    for (int i = 0; i < COUNT(kinds); ++i)
        if (!strcmp(name, kinds[i].name)) return &kinds[i];
    usage("generate: unknown kind of matrix '%s'%s", name, suggest(name, kind_names()));
    return NULL;
}

/* Options of another kind are mistakes. */
static bool fits(const kind *k, const arguments *a)
{
    for (int i = 0; i < a->ngiven && !k->has_options; i++) {
        bool all = false;
        for (int j = 0; j < COUNT(of_all); j++) all = all || !strcmp(a->given[i].option->name, of_all[j]);
        if (all) continue;
        usage("generate: --%s applies to trace only", a->given[i].option->name);
        return false;
    }
    return true;
}

/* The file is not there, or may be replaced; its folder has room. */
static int check_output(const request *r, const char *path)
{
    struct statvfs disk;
    char folder[4096];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    if (statvfs(folder, &disk) != 0) return 0; /* writing will tell */
    const double room = (double)disk.f_bavail * (double)disk.f_frsize;
    if (r->file <= room) return 0;
    return unusable("generate: the file takes about %s, but %s has %s free: choose fewer cells or another folder",
                    in_units(r->file).text, folder, in_units(room).text);
}

static void print(const kind *k, const request *r, const char *path)
{
    if (given(r->a, "json")) {
        rw_json_writer *w = json_begin(0);
        rw_json_add_string(w, "kind", k->name);
        rw_json_add_integer(w, "rows", r->rows);
        rw_json_add_integer(w, "columns", r->columns);
        rw_json_add_integer(w, "blocks", r->blocks);
        rw_json_add_integer(w, "entries", r->entries);
        rw_json_add_number(w, "bytes", r->bytes);
        rw_json_add_number(w, "file_bytes", round(r->file));
        rw_json_add_string(w, "file", path);
        json_end();
        return;
    }
    k->describe(r);
    printf("  rows       %lld%s", (long long)r->rows, r->rows == r->columns ? "\n" : "");
    if (r->rows != r->columns) printf(", columns %lld\n", (long long)r->columns);
    if (k->has_options)
        printf("  blocks     %lld of %d x %d\n", (long long)r->blocks, RW_MULTIBLOCK_UNKNOWNS, RW_MULTIBLOCK_UNKNOWNS);
    printf("  entries    %lld\n", (long long)r->entries);
    printf("  memory     %s as %s\n", in_units(r->bytes).text,
           k->has_options ? r->spec.is_complex ? "bcsr:5x5:c128" : "bcsr:5x5:f64" : "csr:f64");
    printf("  file       about %s%s%s\n", in_units(r->file).text, path ? ": " : "; not written: no --output",
           path ? shown(path) : "");
    fflush(stdout);
}

static int write_matrix(rw_context *ctx, const kind *k, const request *r, const char *path)
{
    rw_device *device = NULL;
    rw_sparse *matrix = NULL;
    rw_status status = rw_device_open(ctx, "cpu", &device);
    if (status == RW_OK) status = k->make(device, r, &matrix);
    if (status == RW_OK) status = rw_sparse_write(matrix, path);
    rw_sparse_destroy(&matrix);
    rw_device_close(&device);
    return status == RW_OK ? 0 : failed(ctx, status);
}

static int run(const arguments *a)
{
    const char *path = value_of(a, "output"), *cells = value_of(a, "cells");
    const bool file = given(a, "cgns");
    request r = {.a = a};
    const kind *k = find_kind(a->operands[0]);
    if (!k || !fits(k, a)) return 2;
    if (!cells && !file) return usage("generate: the grid is missing: give --cells, for example --cells 10x40x20");
    if (file && (cells || given(a, "blocks") || given(a, "periodic")))
        return usage("generate: --cgns defines cells, grid blocks and periodic axes: omit --%s", cells ? "cells"
                                                                                                 : given(a, "blocks")
                                                                                                     ? "blocks"
                                                                                                     : "periodic");
    int code = check_outputs(a, 1, &(output_file){.name = "output", .ending = ".mtx"}, 1,
                             (const char *[]){value_of(a, "cgns")});
    if (code != 0) return code;
    rw_context *ctx = make_context(a);
    if (!ctx) return 5;
    code = set_members(ctx, a, rw_multiblock_params(), &r.spec) ? k->read(ctx, &r) : 2;
    if (code == 0 && path) code = check_output(&r, path);
    if (code == 0) print(k, &r, path);
    if (code == 0 && path) code = write_matrix(ctx, k, &r, path);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {
    {"cells", 'c', "N[xN[xN]]", NULL},
    {"stencil", 0, "NAME", NULL},
    {"complex", 0, NULL, NULL},
    {"mode", 0, "MODE", NULL},
    {"index", 0, "INDEX",
     "trace: numbering of the cells: compact, or with ghost cells extended or stored "
     "(default: compact)"},
    {"blocks", 0, "N[xN[xN]]", NULL},
    {"block", 0, "NUMBER",
     "trace: index of a single grid block, counted from 0 (default: all blocks, one after "
     "the other)"},
    {"cgns", 0, "FILE.cgns",
     "trace: read cells, grid blocks and periodic axes from a CGNS file; needs a build "
     "with libcgns"},
    {"seed", 0, "NUMBER", NULL},
    {"omega", 0, "NUMBER", NULL},
    {"zeros", 0, NULL, NULL},
    {"periodic", 0, NULL, NULL},
    {"output", 0, "FILE.mtx", "output file (default: none, only sizes are printed)"},
    OPTION_FORCE,
    OPTION_JSON,
};

const command command_generate = {
    .name = "generate",
    .operands = "KIND",
    .least = 1,
    .most = 1,
    .line = "generate a sparse matrix for tests of formats and solvers",
    .more = "KIND is trace or laplace. A trace matrix has 5 x 5 blocks, as from a flow solver on a multi-block grid. A "
            "laplace matrix is the negative Laplacian on a grid, symmetric and positive definite. The sizes are "
            "printed before the matrix is assembled.",
    .options = options,
    .noptions = COUNT(options),
    .words = kind_names,
    .rows = rw_multiblock_params,
    .run = run,
};
