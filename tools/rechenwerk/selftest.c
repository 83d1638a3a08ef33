/* rechenwerk selftest: every operation once on a device, compared with the reference. */
#include "rechenwerk/run.h"

#include "command.h"

static void print_row(const rw_selftest_result *r)
{
    printf("%-4s  %-40s  error %-9.2g of %-9.2g %7.3f s%s%s\n", r->passed ? "ok" : "FAIL", r->name, r->error,
           r->tolerance, r->seconds, r->note[0] ? "  " : "", r->note);
}

static int report_json(const rw_device_properties *info, const rw_selftest_result *list, int n, int bad)
{
    rw_json_writer *w = json_begin(2);
    rw_json_add_string(w, "device", info->name);
    rw_json_add_string(w, "hardware", info->hardware);
    rw_json_add_string(w, "driver", info->driver);
    rw_json_add_integer(w, "tests", n);
    rw_json_add_integer(w, "failed", bad);
    rw_json_add_array(w, "results");
    for (int i = 0; i < n; i++) {
        rw_json_object(w);
        rw_json_add_string(w, "name", list[i].name);
        rw_json_add_bool(w, "passed", list[i].passed);
        rw_json_add_number(w, "error", list[i].error);
        rw_json_add_number(w, "tolerance", list[i].tolerance);
        rw_json_add_number(w, "seconds", list[i].seconds);
        rw_json_add_string(w, "note", list[i].note);
        rw_json_close(w);
    }
    rw_json_close(w);
    return json_end();
}

static int report(const arguments *a, const rw_device *device, const rw_selftest_result *list, int n)
{
    int bad = 0;
    for (int i = 0; i < n; i++) bad += !list[i].passed;
    const rw_device_properties *info = rw_device_info(device);
    if (given(a, "json")) {
        const int code = report_json(info, list, n, bad);
        if (code != 0) return code;
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
    int64_t n = 0;
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
    .line = "test the operations on a device against references of the host",
    .more = "Memory, reductions, expressions, grid operators, integrators, Fourier transforms, image filters, sparse "
            "matrices, solvers with preconditioners, and filters of signals are each run on a small case with known "
            "results. The exit code is 1 if a test fails.",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
