/* Rows of test_faults.c: benchmarks, self-test. */

static rw_status call_bench(void)
{
    const rw_bench_options options = {.quick = true, .rounds = 1};
    rows = poison;
    int n = 0;
    const rw_status status = made(rw_bench_run(ctx, dev, "dot", &options, &rows, &n), &rows);
    count = n;
    return status;
}
static void result_bench(void)
{
    for (int i = 0; i < count; ++i)
        note("%s %s %s %d", rows[i].what, rows[i].size, rows[i].variant, rows[i].error <= rows[i].tolerance);
}
static void after_bench(void) { rw_bench_free(&rows); }
static const rw_bench_result row = {.name = "dot",
                                    .what = "dot",
                                    .size = "10",
                                    .rounds = 1,
                                    .seconds = 1e-3,
                                    .lower = 1e-3,
                                    .upper = 2e-3,
                                    .bytes = 1e6,
                                    .limit_name = "copy",
                                    .limit = 2e9,
                                    .share = 0.5,
                                    .npeers = 1,
                                    .peers = {{"C loop", 1e-3, 1}},
                                    .tolerance = 1,
                                    .met = -1};
TEXT_PROBE(call_bench_text, rw_bench_format(dev, &row, 1, RW_BENCH_TEXT, &text))
TEXT_PROBE(call_bench_markdown, rw_bench_format(dev, &row, 1, RW_BENCH_MARKDOWN, &text))
TEXT_PROBE(call_bench_json, rw_bench_format(dev, &row, 1, RW_BENCH_JSON, &text))

static rw_status call_selftest(void)
{
    selftests = poison;
    return made(rw_selftest(ctx, dev, &selftests, &count), &selftests);
}
static void result_selftest(void) /* what fails is a row with a note */
{
    for (int i = 0; i < count; ++i) {
        note("%s", selftests[i].name);
        assert_true(selftests[i].passed || selftests[i].note[0]);
    }
}
static void after_selftest(void) { rw_selftest_free(&selftests); }
