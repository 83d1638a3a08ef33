/* rechenwerk spmv A.mtx: products y = A x in several formats. rechenwerk tune A.mtx: the same beside what the choice of a format predicts. */
#include <stdlib.h>
#include <string.h>

#include "matrices.h"
#include "rechenwerk/bench.h"

typedef struct products {
    const char *path;
    rw_device *device;
    rw_entries e;
    rw_dtype vectors;
    rw_sparse_choice choice; /* candidates, chosen or given */
    rw_bench_result *rows;
    bool tune;
} products;

/* ---- output --------------------------------------------------------------------------------------------------------------- */

/* Useful operations of a product: a multiplication and an addition an entry, of complex numbers 8, of real by complex ones 4. */
static double operations(const products *p) { return (double)p->e.n * (p->e.is_complex ? 8 : rw_dtype_is_complex(p->vectors) ? 4 : 2); }

/* What a product took, as bytes that a copy moved in that time: formats are measured one after the other, and others may use the machine meanwhile. */
static double measured_cost(const rw_bench_result *r) { return r->bytes / r->share; }

static int fastest(const products *p)
{
    int best = -1;
    for (int i = 0; i < p->choice.n; ++i)
        if (p->rows[i].rounds && (best < 0 || measured_cost(p->rows + i) < measured_cost(p->rows + best))) best = i;
    return best;
}

/* What the model says it should take, at the speed of the copy in the same rounds. */
static double predicted(const products *p, int i) { return p->choice.candidate[i].cost / p->rows[i].limit; }

static void print_row(const products *p, int i)
{
    const rw_sparse_candidate *c = p->choice.candidate + i;
    const rw_bench_result *r = p->rows + i;
    const char *mark = p->tune && i == p->choice.best ? "->" : "";
    if (c->refused) {
        printf("%-2s %-26s refused: it would pad the matrix to many times its size\n", mark, r->variant);
        return;
    }
    printf("%-2s %-26s %11s %9.3f %11s", mark, r->variant, in_units((double)c->size.bytes).text, c->fill, in_units(c->moved).text);
    if (p->tune) printf(" %12.4g %12.4g %10.3g", 1e6 * predicted(p, i), 1e6 * r->seconds, r->seconds / predicted(p, i));
    else printf(" %12.4g %8.1f", 1e6 * r->seconds, 1e-9 * r->bytes / r->seconds);
    printf(" %8.3f %9.2f %8.2g%s\n", r->share, 1e-9 * operations(p) / r->seconds, r->error, r->error > 1 ? "  WRONG" : "");
}

static void print_columns(const products *p)
{
    printf("\n  memory: of the matrix; places: kept for an entry; a product: bytes that it moves");
    if (p->tune)
        printf("\n  predicted: those bytes, over the share of a copy's speed that products of the format reach on such devices and the speed of the copy here; measured: the median; ratio: measured over predicted\n"
               "  of copy: speed of the product over that of a copy in the same rounds");
    else printf("; time: the median; GB/s: those bytes over it\n  of copy: that speed over the one of a copy in the same rounds");
    printf("; GFlop/s: of entries, without padding; error: over what rounding allows, above 1 is wrong\n");
    if (p->tune) printf("  ->: of the least predicted cost, the one that --format auto takes; the model leaves out launches and caches, so a small matrix takes longer than predicted\n");
}

static void print_text(const products *p)
{
    const rw_bench_result *any = fastest(p) >= 0 ? p->rows + fastest(p) : NULL;
    print_matrix(p->path, &p->e);
    if (any)
        printf("  %s, vectors %s; %s %.4g GB/s; medians of %d\n", rw_device_info(p->device)->name, rw_dtype_name(p->vectors), any->limit_name, 1e-9 * any->limit, any->rounds);
    printf("\n   %-26s %11s %9s %11s", "format", "memory", "places", "a product");
    if (p->tune) printf(" %12s %12s %10s", "predicted/us", "measured/us", "ratio");
    else printf(" %12s %8s", "time/us", "GB/s");
    printf(" %8s %9s %8s\n", "of copy", "GFlop/s", "error");
    for (int i = 0; i < p->choice.n; ++i) print_row(p, i);
    print_columns(p);
    if (!p->tune || !any) return;
    const rw_bench_result *best = p->rows + p->choice.best;
    printf("  chosen: %s, %s\n  fastest: %s", best->variant, p->choice.reason, any->variant);
    if (best->rounds) printf("; the chosen one takes %.3f times as long, both beside a copy in the same rounds", measured_cost(best) / measured_cost(any));
    printf("\n");
}

static void print_as_json(const products *p)
{
    printf("{\"file\": "), print_json(stdout, p->path);
    printf(", \"rows\": %lld, \"columns\": %lld, \"entries\": %lld, \"complex\": %s, \"device\": ", (long long)p->e.rows, (long long)p->e.columns, (long long)p->e.n, p->e.is_complex ? "true" : "false");
    print_json(stdout, rw_device_info(p->device)->name);
    printf(", \"vectors\": \"%s\", \"operations\": %.17g", rw_dtype_name(p->vectors), operations(p));
    if (p->tune) printf(", \"chosen\": "), print_json(stdout, p->rows[p->choice.best].variant);
    printf(", \"products\": [");
    for (int i = 0; i < p->choice.n; ++i) {
        const rw_sparse_candidate *c = p->choice.candidate + i;
        const rw_bench_result *r = p->rows + i;
        printf("%s{\"format\": ", i ? ", " : ""), print_json(stdout, r->variant);
        if (c->refused) printf(", \"refused\": true}");
        else
            printf(", \"bytes\": %lld, \"fill\": %.17g, \"moved\": %.17g, \"cost\": %.17g, \"seconds\": %.9g, \"lower\": %.9g, \"upper\": %.9g, \"copy\": %.9g, \"share\": %.9g, \"error\": %.9g}", (long long)c->size.bytes,
                   c->fill, c->moved, c->cost, r->seconds, r->lower, r->upper, r->limit, r->share, r->error);
    }
    printf("]}\n");
}

/* ---- work ------------------------------------------------------------------------------------------------------------------ */

/* Layouts with commas between them, no more than there is room for. */
static rw_status parse_list(rw_context *ctx, const arguments *a, const char *text, products *p)
{
    rw_sparse_choice *c = &p->choice;
    rw_status status = RW_OK;
    for (bool more = true; more && status == RW_OK; ++c->n) {
        const size_t n = strcspn(text, ",");
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)n, text);
        status = layout_of(ctx, a, word, p->e.is_complex, &c->candidate[c->n].layout);
        more = text[n] == ',';
        text += n + more;
    }
    return status == RW_OK ? rw_sparse_predict(p->device, &p->e, p->vectors, c->n, c->candidate) : status;
}

static rw_status find_candidates(rw_context *ctx, const arguments *a, rw_dtype values, products *p)
{
    const char *text = value_of(a, "format");
    rw_sparse_choice *c = &p->choice;
    const bool is_auto = text && strcmp(text, "auto") == 0;
    if (text && !is_auto && strcmp(text, "all") != 0) return parse_list(ctx, a, text, p);
    rw_status status = rw_sparse_choose(p->device, &p->e, values, p->vectors, c);
    if (is_auto) c->candidate[0] = c->candidate[c->best], c->n = 1, c->best = 0;
    return status;
}

static int measure(rw_context *ctx, const arguments *a, const rw_bench_options *options, products *p)
{
    rw_status status = open_device(ctx, a, &p->device);
    if (status == RW_OK) status = rw_entries_read(ctx, p->path, &p->e);
    if (status != RW_OK) return failed(ctx, status);
    rw_dtype values = RW_F64;
    if (!precision_of(a, "values", p->e.is_complex, &values)) return 2;
    p->vectors = values;
    if (!precision_of(a, "vectors", p->e.is_complex, &p->vectors)) return 2;
    status = find_candidates(ctx, a, values, p);
    if (status == RW_OK) status = rw_bench_products(p->device, &p->e, p->vectors, p->choice.candidate, p->choice.n, options, &p->rows);
    if (status != RW_OK) return failed(ctx, status);
    if (given(a, "json")) print_as_json(p);
    else print_text(p);
    for (int i = 0; i < p->choice.n; ++i)
        if (!(p->rows[i].error <= 1)) return 1;
    return 0;
}

static int run_products(const arguments *a, bool tune)
{
    double rounds = 0;
    int formats = 1;
    for (const char *comma = value_of(a, "format"); comma && (comma = strchr(comma, ',')); comma++) formats++;
    if (!check_types(a) || !whole_of(a, "rounds", 1, 100000, &rounds)) return 2;
    if (formats > RW_SPARSE_CANDIDATES) return usage("%s: --format: %d formats are given, at most %d are possible", a->command->name, formats, (int)RW_SPARSE_CANDIDATES);
    const int missing = check_inputs(a, 1, (const char *const *)a->operands);
    if (missing) return missing;
    const rw_bench_options options = {.quick = given(a, "quick"), .rounds = (int)rounds};
    products *p = calloc(1, sizeof *p);
    rw_context *ctx = p ? make_context(a) : NULL;
    if (p) p->path = a->operands[0], p->tune = tune;
    int code = ctx ? measure(ctx, a, &options, p) : 5;
    if (p) {
        rw_bench_free(&p->rows);
        rw_entries_free(&p->e);
        rw_device_close(&p->device);
    }
    free(p);
    rw_context_destroy(&ctx);
    return code;
}

static int run_spmv(const arguments *a) { return run_products(a, false); }
static int run_tune(const arguments *a) { return run_products(a, true); }

#define OPTIONS_OF_PRODUCTS                                                                                                                                 \
    OPTION_DEVICE, OPTION_VALUES, {"vectors", 0, "TYPE", "precision of the vectors: f64, f32; without it that of the matrix"},                               \
        {"rounds", 'n', "N", "timed repetitions, without it 20"}, {"quick", 0, NULL, "three repetitions: that it runs, not how fast"}, OPTION_JSON, OPTION_VERBOSE, OPTION_NO_CACHE

static const option spmv_options[] = {
    {"format", 'f', "FORMATS", "all (usual), auto, or formats with commas between them: csr,bsell:5x5"},
    OPTIONS_OF_PRODUCTS,
};
static const option tune_options[] = {OPTIONS_OF_PRODUCTS};

const command command_spmv = {
    .name = "spmv",
    .operands = "A.mtx",
    .least = 1,
    .most = 1,
    .line = "measure products of a sparse matrix with a vector, in one format or all",
    .more = "Each result is compared with sums in long double first; then it takes turns with a copy on the device. The exit code is 1 when a result is wrong.",
    .options = spmv_options,
    .noptions = COUNT(spmv_options),
    .run = run_spmv,
};

const command command_tune = {
    .name = "tune",
    .operands = "A.mtx",
    .least = 1,
    .most = 1,
    .line = "measure the formats for a sparse matrix beside what the choice of one predicts",
    .more = "The format that `--format auto` takes is marked ->. Predicted are the bytes that a product moves, over the share of a copy's speed that the format was seen to reach, at the "
            "speed of the copy in this run.",
    .options = tune_options,
    .noptions = COUNT(tune_options),
    .run = run_tune,
};
