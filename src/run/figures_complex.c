/* Pictures of complex fields: on a line one, with real part, imaginary part and modulus; otherwise two, the modulus
 * (NAME_abs) and the phase in (-pi, pi] (NAME_arg), whose colours are cyclic and whose scale is that of all outputs. */
#include "run/run_private.h"

#include <math.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;

static double part(rw_dtype type, const void *data, size_t i)
{
    return type == RW_C64 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

rw_status rw_view_phase(rw_context *ctx, rw_dtype type, const void *data, size_t n, double **phase)
{
    double *to = *phase = rw_calloc(n, sizeof(*to));
    if (!to) return rw_fail_memory(ctx, n * sizeof(*to), "a picture");
    for (size_t i = 0; i < n; i++) to[i] = atan2(part(type, data, 2 * i + 1), part(type, data, 2 * i)) / PI;
    return RW_OK;
}

void rw_view_range(const rw_layout *grid, rw_dtype type, const void *data, double *low, double *high)
{
    const size_t n = (size_t)rw_layout_count(grid);
    for (size_t i = 0; i < n; i++) {
        const double re = part(type, data, 2 * i), im = part(type, data, 2 * i + 1), size = hypot(re, im);
        if (!isfinite(re) || !isfinite(im)) continue;
        *low = fmin(*low, grid->ndim == 1 ? fmin(re, im) : size);
        *high = fmax(*high, size);
    }
}

rw_status rw_view_line(rw_context *ctx, const char *path, const rw_figure_page *page, const rw_field_picture *p,
                       const rw_figure_axis *axis)
{
    enum { X, RE, IM, ABS, COLUMNS };
    const size_t n = (size_t)p->grid->size[0];
    char names[COLUMNS][120];
    double *column[COLUMNS], *all = rw_calloc(COLUMNS * n, sizeof(*all));
    if (!all) return rw_fail_memory(ctx, COLUMNS * n * sizeof(*all), "a picture");
    for (int k = 0; k < COLUMNS; k++) column[k] = all + (size_t)k * n;
    for (size_t i = 0; i < n; i++) {
        column[X][i] = p->grid->origin[0] + (double)i * p->grid->spacing[0];
        column[RE][i] = part(p->type, p->data, 2 * i);
        column[IM][i] = part(p->type, p->data, 2 * i + 1);
        column[ABS][i] = hypot(column[RE][i], column[IM][i]);
    }
    snprintf(names[RE], sizeof(names[RE]), "Re %.100s", p->name);
    snprintf(names[IM], sizeof(names[IM]), "Im %.100s", p->name);
    snprintf(names[ABS], sizeof(names[ABS]), "|%.100s|", p->name);
    rw_figure_series series[COLUMNS - RE];
    for (int k = RE; k < COLUMNS; k++)
        series[k - RE] = (rw_figure_series){.name = names[k],
                                            .n = n,
                                            .x = column[X],
                                            .y = column[k],
                                            .style = n > 1 ? RW_FIGURE_LINE : RW_FIGURE_POINTS};
    rw_figure_lines lines = {.x = {.label = p->grid->axis[0]}, .y = *axis, .n = RW_COUNT(series), .series = series};
    rw_status status = rw_figure_write_lines(ctx, path, page, &lines);
    rw_free(all);
    return status;
}
