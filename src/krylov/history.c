/* The residuals of a solve as a picture. */
#include <math.h>

#include "io/figure.h"
#include "rechenwerk/krylov.h"

static rw_status draw(rw_context *ctx, const char *path, const char *title, const char *label, int64_t n, const double *y, double limit)
{
    double *x = rw_calloc((size_t)n, sizeof *x);
    if (!x) return rw_fail_memory(ctx, (size_t)n * sizeof *x, "a picture");
    for (int64_t i = 0; i < n; ++i) x[i] = (double)i;
    const double ends[] = {0, (double)(n - 1)}, level[] = {limit, limit};
    const rw_figure_series series[] = {{.n = (size_t)n, .x = x, .y = y, .name = "residual"}, {.n = 2, .x = ends, .y = level, .name = "tolerance", .style = RW_FIGURE_DASHED}};
    const rw_figure_page page = {.title = title ? title : ""};
    const rw_figure_lines lines = {.x = {.label = "iteration"}, .y = {.label = label, .log = true}, .n = limit > 0 ? 2 : 1, .series = series};
    rw_status status = rw_figure_write_lines(ctx, path, &page, &lines);
    rw_free(x);
    return status;
}

rw_status rw_krylov_plot(rw_context *ctx, const char *path, const char *title, int64_t n, const double *residual, double right_side, double tolerance)
{
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    if (n < 1) return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %lld residuals: one is needed at least", path, (long long)n);
    RW_NEED(residual, "residual");
    const double unit = right_side > 0 ? right_side : 1;
    double *y = rw_calloc((size_t)n, sizeof *y);
    if (!y) return rw_fail_memory(ctx, (size_t)n * sizeof *y, "a picture");
    for (int64_t i = 0; i < n; ++i) y[i] = residual[i] / unit;
    rw_status status = draw(ctx, path, title, right_side > 0 ? "|r| / |b|" : "|r|", n, y, tolerance / unit);
    rw_free(y);
    return status;
}
