/* rechenwerk convert A.mtx -o B.mtx: a matrix through a format: what it takes there, and what is written from it. */
#include "matrices.h"

typedef struct conversion {
    rw_device *device;
    rw_entries e;
    rw_sparse_candidate layout;
    rw_sparse *a, *b; /* b: transposed */
} conversion;

static int convert(rw_context *ctx, const arguments *a, conversion *c)
{
    const char *path = a->operands[0], *output = value_of(a, "output");
    const rw_entries *e = &c->e;
    char reason[240];
    const bool transpose = given(a, "transpose") || given(a, "conjugate");
    rw_dtype values = RW_F64;
    rw_status status = open_device(ctx, a, &c->device);
    if (status == RW_OK) status = read_entries(ctx, a, path, &c->e);
    if (status == RW_OK && !precision_of(a, "values", e->is_complex, &values)) return 2;
    if (status == RW_OK)
        status = find_layout(ctx, a, "csr", c->device, &c->e, c->e.is_complex ? RW_C128 : RW_F64, &c->layout, reason);
    if (status == RW_OK) status = rw_sparse_from_entries(c->device, &c->layout.layout, e, &c->a);
    if (status == RW_OK && transpose) status = rw_sparse_transpose(c->a, given(a, "conjugate"), &c->b);
    if (status == RW_OK) status = rw_sparse_write(c->b ? c->b : c->a, output);
    if (status != RW_OK) return failed(ctx, status);
    if (given(a, "quiet")) return 0;
    rw_sparse_size size;
    rw_sparse_get_size(c->b ? c->b : c->a, &size);
    print_matrix(path, e);
    printf("  %s%s: %lld x %lld, %lld stored values, %.3f per entry, %s\n",
           text_of(rw_sparse_get_layout(c->b ? c->b : c->a)), transpose ? ", transposed" : "", (long long)size.rows,
           (long long)size.columns, (long long)size.stored, e->n ? (double)size.stored / (double)e->n : 1,
           in_units((double)size.bytes).text);
    if (*reason) printf("  chosen by %s\n", reason);
    printf("  written: %s\n", output);
    return 0;
}

static int run(const arguments *a)
{
    if (!check_types(a)) return 2;
    if (!value_of(a, "output")) return usage("convert: the output file is missing: give --output B.mtx");
    int code = check_outputs(a, 1, &(output_file){.name = "output", .ending = ".mtx"}, 1, a->operands);
    if (code != 0) return code;
    conversion c = {0};
    rw_context *ctx = make_context(a);
    code = ctx ? convert(ctx, a, &c) : 5;
    rw_sparse_destroy(&c.a);
    rw_sparse_destroy(&c.b);
    rw_entries_free(&c.e);
    rw_device_close(&c.device);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {
    {"output", 0, "B.mtx", "output file: general Matrix Market, all entries that are not 0"},
    {"format", 0, "FORMAT",
     "storage format such as bsell:5x5, or auto; see rechenwerk list formats (default: "
     "csr)"},
    {"transpose", 0, NULL, "write the transpose"},
    {"conjugate", 0, NULL, "write the conjugate transpose"},
    OPTION_VALUES,
    OPTION_DUPLICATES,
    OPTION_DEVICE,
    OPTION_VERBOSE,
    OPTION_QUIET,
    OPTION_FORCE,
};

const command command_convert = {
    .name = "convert",
    .operands = "A.mtx",
    .least = 1,
    .most = 1,
    .line = "convert a sparse matrix to a storage format, report its size and write it to a file",
    .more = "All kinds of Matrix Market files are read. The output is a general one whose values read back to the "
            "same bits. Zeros that fill blocks are not written. Entries that are 0 are not written either if the "
            "format has padding.",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
