/* Pictures of fields on points and curves: values against the number of the point, or against its coordinate where
 * there is one; of the first of two or three coordinates, the points in the plane of x and y. */
#include <stdio.h>

#include "rechenwerk/figure.h"
#include "run/run_private.h"

/* Values on the host as f64; rw_free *own. */
static rw_status fetch(rw_run *r, rw_array *array, const double **values, double **own)
{
    const void *data;
    *own = NULL;
    RW_TRY(rw_array_read(array, &data));
    return rw_to_f64(r->ctx, rw_array_dtype(array), data, (size_t)rw_array_size(array), values, own);
}

rw_status rw_figures_points(rw_run *r, const rw_state_field *field, int output)
{
    const rw_layout *l = rw_output_layout(r->problem, (int)(field - r->problem->fields));
    const bool plane = l->ndim > 1 && field->array == l->position[0], placed = l->ndim == 1 && l->position[0];
    const size_t curves = l->kind == RW_LAYOUT_CURVES ? (size_t)l->size[1] : 1, n = (size_t)l->size[0];
    char name[200], file[100], path[RW_PATH_SIZE], subtitle[64], label[160];
    const double *x = NULL, *y = NULL;
    double *own_x = NULL, *own_y = NULL, *number = NULL;
    rw_figure_series *series = rw_calloc(curves, sizeof(*series));
    rw_status status = series ? RW_OK : rw_fail_memory(r->ctx, curves * sizeof(*series), "a picture of points");
    if (status == RW_OK) status = fetch(r, plane ? l->position[1] : field->array, &y, &own_y);
    if (status == RW_OK && (plane || placed)) status = fetch(r, l->position[0], &x, &own_x);
    if (status == RW_OK && !x) {
        if (!(number = rw_calloc(n, sizeof(*number)))) status = rw_fail_memory(r->ctx, n * sizeof(*number), "numbers");
        for (size_t i = 0; number && i < n; i++) number[i] = (double)i;
    }
    for (size_t c = 0; c < curves && status == RW_OK; c++)
        series[c] = (rw_figure_series){.n = n,
                                       .x = x ? x + c * n : number,
                                       .y = y + c * n,
                                       .style = l->kind == RW_LAYOUT_CURVES ? RW_FIGURE_LINE : RW_FIGURE_POINTS};
    rw_picture_label(field->name, field->unit, label, sizeof(label));
    rw_run_time_text(r, rw_run_time(r), subtitle);
    const rw_figure_page page = {.title = *r->top.title ? r->top.title
                                          : plane       ? "points"
                                                        : field->name,
                                 .subtitle = subtitle};
    const rw_figure_lines lines = {.x = {.label = plane || placed ? l->axis[0] : "point"},
                                   .y = {.label = plane ? l->axis[1] : label},
                                   .n = (int64_t)curves,
                                   .series = series};
    rw_picture_name(field->name, file, sizeof(file));
    snprintf(name, sizeof(name), "figures/%s-%06d.png", file, output);
    if (status == RW_OK) status = rw_folder_claim(r, name, path);
    if (status == RW_OK) status = rw_figure_write_lines(r->ctx, path, &page, &lines);
    r->npictures += status == RW_OK;
    rw_free(own_x);
    rw_free(own_y);
    rw_free(number);
    rw_free(series);
    return status;
}
