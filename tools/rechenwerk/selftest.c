/* rechenwerk selftest: every operation once on a device, compared with the reference. */
#include "rechenwerk/selftest.h"

#include "command.h"

static void print_row(const rw_selftest_result *r)
{
    printf("%-4s  %-40s  error %-9.2g of %-9.2g %7.3f s%s%s\n", r->passed ? "ok" : "FAIL", r->name, r->error,
           r->tolerance, r->seconds, r->note[0] ? "  " : "", r->note);
}

static void print_row_json(const rw_selftest_result *r, bool last)
{
    printf("    {\"name\": ");
    print_json(stdout, r->name);
    printf(", \"passed\": %s, \"error\": ", r->passed ? "true" : "false");
    print_number(stdout, r->error);
    printf(", \"tolerance\": ");
    print_number(stdout, r->tolerance);
    printf(", \"seconds\": ");
    print_number(stdout, r->seconds);
    printf(", \"note\": ");
    print_json(stdout, r->note);
    printf("}%s\n", last ? "" : ",");
}

static int report(const arguments *a, const rw_device *device, const rw_selftest_result *list, int n)
{
    int bad = 0;
    for (int i = 0; i < n; i++) bad += !list[i].passed;
    const rw_device_properties *info = rw_device_info(device);
    if (given(a, "json")) {
        printf("{\n  \"device\": ");
        print_json(stdout, info->name);
        printf(",\n  \"hardware\": ");
        print_json(stdout, info->hardware);
        printf(",\n  \"driver\": ");
        print_json(stdout, info->driver);
        printf(",\n  \"tests\": %d,\n  \"failed\": %d,\n  \"results\": [\n", n, bad);
        for (int i = 0; i < n; i++) print_row_json(&list[i], i == n - 1);
        printf("  ]\n}\n");
    } else {
        for (int i = 0; i < n; i++)
            if (!list[i].passed || !given(a, "quiet")) print_row(&list[i]);
        printf("%s (%s): %d tests, %d failed\n", info->name, info->hardware, n, bad);
    }
    return bad ? 1 : 0;
}

static int run(const arguments *a)
{
    rw_device *device = NULL;
    rw_selftest_result *list = NULL;
    int n = 0;
    rw_context *ctx = make_context(a);
    if (!ctx) return 5;
    rw_status status = open_device(ctx, a, &device);
    if (status == RW_OK) status = rw_selftest(ctx, device, &list, &n);
    int code = status == RW_OK ? report(a, device, list, n) : failed(ctx, status);
    if (list) rw_selftest_free(&list);
    rw_device_close(&device);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {OPTION_DEVICE, OPTION_JSON, OPTION_VERBOSE, OPTION_QUIET, OPTION_NO_CACHE};

const command command_selftest = {
    .name = "selftest",
    .operands = "",
    .line = "run one known case of every operation on a device",
    .more = "The exit code is 1 when a test fails.",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
