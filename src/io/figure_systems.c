/* Figures of linear systems: the residuals of a solve, the sparsity pattern of a matrix. */
#include <math.h>
#include <string.h>

#include "io/figure_parts.h"

static rw_status draw_residuals(rw_context *ctx, const char *path, const char *title, const char *label, int64_t n,
                                double *y, double unit, double tolerance)
{
    double *x = y + n;
    for (int64_t i = 0; i < n; ++i) {
        x[i] = (double)i;
        y[i] /= unit;
    }
    const double ends[] = {0, (double)(n - 1)}, level[] = {tolerance / unit, tolerance / unit};
    const rw_figure_series series[] = {{.n = (size_t)n, .x = x, .y = y, .name = "residual"},
                                       {.n = 2, .x = ends, .y = level, .name = "tolerance", .style = RW_FIGURE_DASHED}};
    const rw_figure_lines lines = {.x = {.label = "iteration"},
                                   .y = {.label = label, .log = true},
                                   .n = tolerance > 0 ? 2 : 1,
                                   .series = series};
    return rw_figure_write_lines(ctx, path, &(rw_figure_page){.title = title}, &lines);
}

rw_status rw_figure_write_residuals(rw_context *ctx, const char *path, const char *title, int64_t n,
                                    const double *residual, double right_side, double tolerance)
{
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    if (n < 1) return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %lld residuals: at least one is needed", path, (long long)n);
    RW_NEED(residual, "residual");
    double *y = rw_calloc((size_t)n, 2 * sizeof *y);
    if (!y) return rw_fail_memory(ctx, (size_t)n * 2 * sizeof *y, "a picture");
    memcpy(y, residual, (size_t)n * sizeof *y);
    rw_status status = right_side > 0 ? draw_residuals(ctx, path, title, "|r| / |b|", n, y, right_side, tolerance)
                                      : draw_residuals(ctx, path, title, "|r|", n, y, 1, tolerance);
    rw_free(y);
    return status;
}

enum { SQUARES = 512 };

/* Squares without an entry are as dark as the scale goes. */
rw_status rw_figure_write_pattern(rw_context *ctx, const char *path, const char *title, const rw_entries *e)
{
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    RW_NEED(e, "entries");
    RW_CHECK_MEMBERS(ctx, rw_entries, e);
    for (int64_t k = 0; k < e->n; ++k)
        if (e->row[k] < 0 || e->row[k] >= e->rows || e->column[k] < 0 || e->column[k] >= e->columns)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: entry %lld is at (%lld, %lld), outside the %lld x %lld matrix",
                           path, (long long)k, (long long)e->row[k], (long long)e->column[k], (long long)e->rows,
                           (long long)e->columns);
    const size_t nx = (size_t)RW_MIN(RW_MAX(e->columns, 1), SQUARES), ny = (size_t)RW_MIN(RW_MAX(e->rows, 1), SQUARES);
    const double per_square = fmax(1, (double)e->rows / (double)ny) * fmax(1, (double)e->columns / (double)nx);
    double *fill = rw_calloc(nx * ny, sizeof *fill);
    char subtitle[96];
    if (!fill) return rw_fail_memory(ctx, nx * ny * sizeof *fill, "a picture");
    for (int64_t k = 0; k < e->n; ++k) {
        const size_t x = (size_t)((double)e->column[k] * (double)nx / (double)e->columns),
                     y = (size_t)((double)e->row[k] * (double)ny / (double)e->rows);
        if (x < nx && y < ny) fill[y * nx + x] += 1 / per_square;
    }
    for (size_t i = 0; i < nx * ny; ++i) fill[i] = RW_MAX(RW_MIN(fill[i], 1), 1e-300);
    snprintf(subtitle, sizeof subtitle, "%lld x %lld, %lld entries", (long long)e->rows, (long long)e->columns,
             (long long)e->n);
    const rw_figure_field field =
        {.nx = nx,
         .ny = ny,
         .values = fill,
         .x1 = (double)RW_MAX(e->columns, 1),
         .y1 = (double)RW_MAX(e->rows, 1),
         .down = true,
         .x_label = "column",
         .y_label = "row",
         .value = {.label = "fill ratio", .log = true, .min = fmin(0.2 / per_square, 0.1), .max = 1}};
    rw_status status =
        rw_figure_write_field(ctx, path, &(rw_figure_page){.title = title, .subtitle = subtitle}, &field);
    rw_free(fill);
    return status;
}
