/* The benchmarks without the command, for machines that lack what the rest of the library links (YAML, PNG, HDF5):
 *
 *   spine check DEVICE            every kernel and variant against its reference, sizes around tile edges
 *   spine reference DEVICE TABLE  all random expressions of the table (tests/expr) against their values by mpmath
 *   spine run DEVICE NAME [variants] [quick] [no-peers] [markdown] [json] [rounds=N]
 *
 * bench/h200.sh builds it. Exit code: 0, 1 a wrong result or a failure, 4 no such device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tests/expr/reference.h"
#include "bench/bench.h"

static void print_log(void *user, rw_log_level level, const char *text)
{
    (void)user;
    (void)level;
    fprintf(stderr, "%s\n", text);
}

static int check(rw_context *ctx, rw_device *dev)
{
    rw_bench b;
    int n, wrong = rw_bench_begin(&b, ctx, dev, NULL) != RW_OK;
    const rw_bench_entry *list = rw_bench_list(&n);
    for (int i = 0; i < n && !wrong; ++i) {
        double start = rw_seconds();
        bool ok = rw_bench_check(&b, list[i].name, !strcmp(rw_device_info(dev)->kind, "check"), false) == RW_OK;
        printf("%-8s %s on %s  (%.1f s)%s%s\n", ok ? "correct" : "WRONG", list[i].name, rw_device_info(dev)->name,
               rw_seconds() - start, ok ? "" : ": ", ok ? "" : rw_message(ctx));
        fflush(stdout);
        if (!ok) wrong = 1;
    }
    rw_bench_end(&b);
    return wrong;
}

static int check_expressions(rw_context *ctx, rw_device *dev, const char *path)
{
    reference_table table;
    int wrong = 0;
    if (reference_read(ctx, path, &table) != RW_OK) wrong = 1;
    for (int f32 = 0; f32 < 2 && !wrong; ++f32) {
        double start = rw_seconds();
        int n;
        wrong = reference_compare(dev, &table, f32, table.n, &n) != RW_OK;
        printf("%-8s %d random expressions, %s, on %s  (%.1f s)%s%s\n", wrong ? "WRONG" : "correct", n,
               f32 ? "f32" : "f64", rw_device_info(dev)->name, rw_seconds() - start, wrong ? ": " : "",
               wrong ? rw_message(ctx) : "");
        fflush(stdout);
    }
    reference_free(&table);
    return wrong;
}

static int run(rw_context *ctx, rw_device *dev, int argc, char **argv)
{
    rw_bench_options options = {0};
    rw_bench_style style = RW_BENCH_TEXT;
    rw_bench_result *rows;
    char *text;
    int n, wrong = 0;
    for (int i = 1; i < argc; ++i) {
        options.variants = options.variants || !strcmp(argv[i], "variants");
        options.quick = options.quick || !strcmp(argv[i], "quick");
        options.no_peers = options.no_peers || !strcmp(argv[i], "no-peers");
        if (!strcmp(argv[i], "markdown")) style = RW_BENCH_MARKDOWN;
        if (!strcmp(argv[i], "json")) style = RW_BENCH_JSON;
        if (!strncmp(argv[i], "rounds=", 7)) options.rounds = atoi(argv[i] + 7);
    }
    if (rw_bench_run(ctx, dev, argv[0], &options, &rows, &n) != RW_OK) return 1;
    for (int i = 0; i < n; ++i) wrong = wrong || !(rows[i].error <= rows[i].tolerance);
    if (rw_bench_format(dev, rows, n, style, &text) == RW_OK) {
        fputs(text, stdout);
        free(text);
    }
    rw_bench_free(&rows);
    return wrong;
}

int main(int argc, char **argv)
{
    rw_context *ctx;
    rw_device *dev = NULL;
    int code = 2;
    if (argc < 3 || rw_context_create(&ctx) != RW_OK) return code;
    rw_context_set_log(ctx, RW_LOG_WARNING, print_log, NULL);
    if (rw_device_open(ctx, argv[2], &dev) != RW_OK) code = 4;
    else if (!strcmp(argv[1], "check")) code = check(ctx, dev);
    else if (!strcmp(argv[1], "reference") && argc > 3) code = check_expressions(ctx, dev, argv[3]);
    else if (!strcmp(argv[1], "run") && argc > 3) code = run(ctx, dev, argc - 3, argv + 3);
    if (code) fprintf(stderr, "%s\n", rw_message(ctx));
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    return code;
}
