/* rechenwerk spmv A.mtx: products y = A x in several formats. rechenwerk tune A.mtx: the same, compared with what the
 * choice of a format predicts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmarks.h"
#include "matrices.h"

typedef struct products {
    const char *path;
    rw_device *device;
    rw_entries e;
    rw_dtype vectors;
    rw_sparse_choice choice; /* candidates, chosen or given */
    rw_bench_result *rows;
    int order[RW_SPARSE_CANDIDATES]; /* candidates as they are printed */
    bool tune;
} products;

/* ---- output ------------------------------------------------------------------------------------------------------ */

/* Useful operations of a product: a multiplication and an addition an entry, of complex numbers 8, of real by complex
 * ones 4. */
static double operations(const products *p)
{
    return (double)p->e.n * (p->e.is_complex ? 8 : rw_dtype_is_complex(p->vectors) ? 4 : 2);
}

/* Whether candidate a comes after b in `tune`: by warm time, refused ones last. */
static bool is_slower(const products *p, int a, int b)
{
    const rw_bench_result *r = p->rows + a, *s = p->rows + b;
    return r->rounds && s->rounds ? r->seconds > s->seconds : !r->rounds && s->rounds;
}

static void sort_rows(products *p)
{
    for (int i = 0; i < p->choice.n; ++i) {
        int at = i;
        for (; p->tune && at > 0 && is_slower(p, p->order[at - 1], i); --at) p->order[at] = p->order[at - 1];
        p->order[at] = i;
    }
}

/* The candidate with the least warm time, -1 where none was measured. */
static int fastest(const products *p)
{
    int best = -1;
    for (int i = 0; i < p->choice.n; ++i)
        if (p->rows[i].rounds && (best < 0 || p->rows[i].seconds < p->rows[best].seconds)) best = i;
    return best;
}

/* Why the fastest format is not stated: the times of the fastest or of the chosen one are in doubt. "": it is. */
static void doubt_of_order(const products *p, int best, char *text, size_t size)
{
    const int who[] = {best, p->choice.best};
    text[0] = 0;
    for (int i = 0; i < 2 && !text[0]; ++i) {
        char why[32];
        if (p->rows[who[i]].rounds && rw_bench_doubt(p->rows + who[i], why, sizeof why))
            snprintf(text, size, "%s: %s", p->rows[who[i]].variant, why);
    }
}

/* The predicted time, at the speed of the copy in the same rounds. */
static double predicted(const products *p, int i) { return p->choice.candidate[i].cost / p->rows[i].limit; }

static void print_row(const products *p, int i)
{
    const rw_sparse_candidate *c = p->choice.candidate + i;
    const rw_bench_result *r = p->rows + i;
    const char *mark = p->tune && i == p->choice.best ? "->" : "";
    char share[32];
    if (c->refused) {
        printf("%-2s %-26s refused: padding would multiply the size of the matrix\n", mark, r->variant);
        return;
    }
    if (!rw_bench_doubt(r, share, sizeof share)) snprintf(share, sizeof share, "%.3f", r->share);
    printf("%-2s %-26s %11s %9.3f %11s", mark, r->variant, in_units((double)c->size.bytes).text, c->fill,
           in_units(c->moved).text);
    if (p->tune) printf(" %12.4g", 1e6 * predicted(p, i));
    printf(" %10.4g %10.4g", 1e6 * r->seconds, 1e6 * r->cold);
    if (p->tune) printf(" %10.3g", r->seconds / predicted(p, i));
    else printf(" %8.1f", 1e-9 * r->bytes / r->seconds);
    printf(" %12s %9.2f %8.2g%s\n", share, 1e-9 * operations(p) / r->seconds, r->error, r->error > 1 ? "  WRONG" : "");
}

static void print_columns(const products *p)
{
    printf("\n"
           "  memory: size of the matrix; fill: stored values per entry, including padding; moved: bytes moved by one "
           "product\n"
           "  warm: median time of the product in a loop, as in solvers; cold: time of one product after a copy that "
           "evicts the matrix from the caches\n");
    if (p->tune)
        printf("  predicted: bytes moved, divided by the copy bandwidth here and by the fraction of it that the "
               "format reaches on such devices; ratio: warm over predicted\n"
               "  ->: format with the least predicted cost, as chosen by --format auto; rows are sorted by warm "
               "time\n"
               "  The model ignores launch overhead and caches: small matrices may be slower or faster than "
               "predicted.\n");
    else printf("  GB/s: bytes moved over the warm time\n");
    printf("  of copy: warm bandwidth over copy bandwidth in the same rounds. None if it exceeds %.1f (in the "
           "cache) or if the interquartile range exceeds %.0f %% of the median (IQR)\n",
           RW_BENCH_MOST_SHARE, 100 * RW_BENCH_MOST_SPREAD);
    printf("  GFlop/s: counts entries without padding; error: relative to the rounding error allowed, above 1 is "
           "wrong\n");
}

static void print_choice(const products *p)
{
    const int best = fastest(p);
    const rw_bench_result *chosen = p->rows + p->choice.best, *any = p->rows + best;
    char doubt[128];
    printf("  chosen: %s, %s\n", chosen->variant, p->choice.reason);
    doubt_of_order(p, best, doubt, sizeof doubt);
    if (doubt[0]) printf("  fastest: no verdict (%s); least warm time: %s", doubt, any->variant);
    else printf("  fastest: %s", any->variant);
    if (chosen->rounds) printf("; the chosen format takes %.3f times as long (warm)", chosen->seconds / any->seconds);
    printf("\n");
}

static void print_text(const products *p)
{
    const rw_bench_result *any = fastest(p) >= 0 ? p->rows + fastest(p) : NULL;
    print_matrix(p->path, &p->e);
    if (any)
        printf("  %s, vectors %s; %s %.4g GB/s; medians of %d\n", rw_device_info(p->device)->name,
               rw_dtype_name(p->vectors), any->limit_name, 1e-9 * any->limit, any->rounds);
    printf("\n   %-26s %11s %9s %11s", "format", "memory", "fill", "moved");
    if (p->tune) printf(" %12s", "predicted/us");
    printf(" %10s %10s", "warm/us", "cold/us");
    if (p->tune) printf(" %10s", "ratio");
    else printf(" %8s", "GB/s");
    printf(" %12s %9s %8s\n", "of copy", "GFlop/s", "error");
    for (int i = 0; i < p->choice.n; ++i) print_row(p, p->order[i]);
    print_columns(p);
    if (p->tune && any) print_choice(p);
}

/* "warm": {"seconds": …, "lower": …, "upper": …} */
static void add_times(rw_json_writer *w, const char *name, double seconds, double lower, double upper)
{
    rw_json_add_object(w, name);
    rw_json_add_number(w, "seconds", seconds);
    rw_json_add_number(w, "lower", lower);
    rw_json_add_number(w, "upper", upper);
    rw_json_close(w);
}

static void add_row(rw_json_writer *w, const products *p, int i)
{
    const rw_sparse_candidate *c = p->choice.candidate + i;
    const rw_bench_result *r = p->rows + i;
    char doubt[32];
    rw_json_object(w);
    rw_json_add_string(w, "format", r->variant);
    if (c->refused) {
        rw_json_add_bool(w, "refused", true);
        rw_json_close(w);
        return;
    }
    rw_json_add_integer(w, "bytes", c->size.bytes);
    rw_json_add_number(w, "fill", c->fill);
    rw_json_add_number(w, "moved", c->moved);
    rw_json_add_number(w, "cost", c->cost);
    add_times(w, "warm", r->seconds, r->lower, r->upper);
    add_times(w, "cold", r->cold, r->cold_lower, r->cold_upper);
    rw_json_add_number(w, "copy", r->limit);
    const bool doubtful = rw_bench_doubt(r, doubt, sizeof doubt);
    rw_json_add_number(w, "share", doubtful ? INFINITY : r->share);
    if (doubtful) rw_json_add_string(w, "no_share", doubt);
    rw_json_add_number(w, "error", r->error);
    rw_json_close(w);
}

static int print_as_json(const products *p)
{
    const int best = fastest(p);
    rw_json_writer *w = json_begin(0);
    rw_json_add_string(w, "file", p->path);
    rw_json_add_integer(w, "rows", p->e.rows);
    rw_json_add_integer(w, "columns", p->e.columns);
    rw_json_add_integer(w, "entries", p->e.n);
    rw_json_add_bool(w, "complex", p->e.is_complex);
    rw_json_add_string(w, "device", rw_device_info(p->device)->name);
    rw_json_add_string(w, "vectors", rw_dtype_name(p->vectors));
    rw_json_add_number(w, "operations", operations(p));
    if (p->tune) rw_json_add_string(w, "chosen", p->rows[p->choice.best].variant);
    if (p->tune && best >= 0) {
        char doubt[128];
        rw_json_add_string(w, "least_warm_time", p->rows[best].variant);
        doubt_of_order(p, best, doubt, sizeof doubt);
        rw_json_add_string(w, "fastest", *doubt ? NULL : p->rows[best].variant);
        if (*doubt) rw_json_add_string(w, "no_fastest", doubt);
    }
    rw_json_add_array(w, "products");
    for (int i = 0; i < p->choice.n; ++i) add_row(w, p, p->order[i]);
    rw_json_close(w);
    return json_end();
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

/* Layouts with commas between them; run_products has checked their number. */
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
    if (is_auto) {
        c->candidate[0] = c->candidate[c->best];
        c->n = 1;
        c->best = 0;
    }
    return status;
}

static int measure(rw_context *ctx, const arguments *a, const rw_bench_options *options, products *p)
{
    rw_status status = open_device(ctx, a, &p->device);
    if (status == RW_OK) status = read_entries(ctx, a, p->path, &p->e);
    if (status != RW_OK) return failed(ctx, status);
    rw_dtype values = RW_F64;
    if (!precision_of(a, "values", p->e.is_complex, &values)) return 2;
    p->vectors = values;
    if (!precision_of(a, "vectors", p->e.is_complex, &p->vectors)) return 2;
    status = find_candidates(ctx, a, values, p);
    if (status == RW_OK)
        status = rw_bench_products(p->device, &p->e, p->vectors, p->choice.candidate, p->choice.n, options, &p->rows);
    if (status != RW_OK) return failed(ctx, status);
    sort_rows(p);
    const int code = given(a, "json") ? print_as_json(p) : 0;
    if (code != 0) return code;
    if (!given(a, "json")) print_text(p);
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
    if (formats > RW_SPARSE_CANDIDATES)
        return usage("%s: --format: %d formats are given, at most %d are allowed", a->command->name, formats,
                     (int)RW_SPARSE_CANDIDATES);
    const int missing = check_inputs(a, 1, (const char *const *)a->operands);
    if (missing) return missing;
    const rw_bench_options options = {.quick = given(a, "quick"), .rounds = (int)rounds};
    products *p = calloc(1, sizeof *p);
    rw_context *ctx = p ? make_context(a) : NULL;
    if (p) {
        p->path = a->operands[0];
        p->tune = tune;
    }
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

#define OPTIONS_OF_PRODUCTS                                                                                            \
    OPTION_DEVICE, OPTION_VALUES, OPTION_DUPLICATES,                                                                   \
        {"vectors", 0, "TYPE", "precision of the vectors: f64 or f32 (default: that of the matrix)"},                  \
        {"rounds", 'n', "N", "timed repetitions (default: 20)"},                                                       \
        {"quick", 0, NULL, "three repetitions: checks the results, not the speed"}, OPTION_JSON, OPTION_VERBOSE,       \
        OPTION_NO_CACHE

static const option spmv_options[] = {
    {"format", 0, "FORMATS", "all, auto, or formats separated by commas: csr,bsell:5x5 (default: all)"},
    OPTIONS_OF_PRODUCTS,
};
static const option tune_options[] = {OPTIONS_OF_PRODUCTS};

const command command_spmv = {
    .name = "spmv",
    .operands = "A.mtx",
    .least = 1,
    .most = 1,
    .line = "measure sparse matrix-vector products, in one format or all",
    .more = "Each result is first compared with sums in long double. Two times are printed: warm, of the product "
            "in a loop as in solvers, and cold, of one product after a copy that evicts its data from the caches. "
            "The fraction of the copy bandwidth refers to the warm time. A reason replaces it if the matrix is in "
            "the cache (fraction above 1.5) or the interquartile range exceeds 30 % of the median. The exit code "
            "is 1 if a result is wrong.",
    .options = spmv_options,
    .noptions = COUNT(spmv_options),
    .run = run_spmv,
};

const command command_tune = {
    .name = "tune",
    .operands = "A.mtx",
    .least = 1,
    .most = 1,
    .line = "measure the formats for a sparse matrix and compare them with the predicted cost",
    .more = "The format chosen by `--format auto` is marked ->. The predicted time is the bytes moved by a product, "
            "divided by the copy bandwidth of this run and by the fraction of it that the format typically reaches. "
            "Formats are sorted by warm time, which matters for solvers; the cold time is that after a copy has "
            "evicted the matrix from the caches. No format is named fastest if one of the times is in doubt: the "
            "matrix is in the cache (faster than 1.5 copies) or the interquartile range exceeds 30 % of the median.",
    .options = tune_options,
    .noptions = COUNT(tune_options),
    .run = run_tune,
};
