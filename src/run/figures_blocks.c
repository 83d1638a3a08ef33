/* Outputs of fields on block-structured grids:
 *
 *   vtm/000010.vtm          joins vtm/000010-0.vts, vtm/000010-1.vts …, a block each, for ParaView
 *   figures/u-000010.png    sections through the middle: across z, and along z
 *
 * Pixels of a section take the value of the cell that their middle lies in. Which cell that is, is found once. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/vts.h"
#include "rechenwerk/figure.h"
#include "run/run_private.h"

enum { PIXELS = 480, NAME = 64 };

/* ---- sections ---------------------------------------------------------------------------------------------------- */

/* Across axis 2 and 1, through the middle; a pixel is as long in both directions, unless the section is a thin
 * strip. */
static rw_blocks_slice section(const rw_blocks *g, int which, double *middle)
{
    double lower[3], upper[3];
    rw_blocks_extent(g, lower, upper);
    int axis = which ? 1 : 2, o[2] = {0, which ? 2 : 1};
    double length = upper[axis] - lower[axis];
    *middle = 0.5 * (lower[axis] + upper[axis]);
    if (fabs(*middle) < 1e-9 * length) *middle = 0;
    rw_blocks_slice s = {.axis = axis, .at = *middle + 1e-9 * length}; /* not on the points */
    for (int d = 0; d < 2; ++d) {
        s.lower[d] = lower[o[d]];
        s.upper[d] = upper[o[d]];
        s.n[d] = PIXELS;
    }
    return s;
}

/* "z = 5 mm" of an axis "z (mm)". */
static void place_of(const char *axis, double at, char *text, size_t size)
{
    const char *open = strchr(axis, '(');
    snprintf(text, size, "%.*s = %.4g%s%.*s", (int)strcspn(axis, " ("), axis, at, open ? " " : "",
             open ? (int)strcspn(open + 1, ")") : 0, open ? open + 1 : "");
}

const char *const rw_section_names[RW_SECTIONS] = {"across", "along"};

rw_status rw_picture_section(rw_context *ctx, const char *path, const rw_field_picture *p, int which)
{
    char label[160], where[300], place[80];
    const rw_blocks *g = p->grid->blocks;
    const double *values = p->data;
    double middle, *pixels = rw_calloc(PIXELS * PIXELS, sizeof *pixels);
    int64_t *cell = rw_calloc(PIXELS * PIXELS, sizeof *cell);
    rw_status status = pixels && cell ? RW_OK : rw_fail_memory(ctx, PIXELS * PIXELS * sizeof *pixels, "a section");
    if (status == RW_OK && p->type != RW_F64)
        status = rw_fail(ctx, RW_ERR_INTERNAL, "field '%s' cannot be drawn", p->name);
    const bool titled = p->title && *p->title;
    rw_picture_label(p->name, p->unit, label, sizeof label);
    rw_blocks_slice s = section(g, which, &middle);
    if (status == RW_OK) status = rw_blocks_cut(g, &s, cell);
    for (int i = 0; i < PIXELS * PIXELS && status == RW_OK; ++i) pixels[i] = cell[i] < 0 ? NAN : values[cell[i]];
    place_of(p->grid->axis[s.axis], middle, place, sizeof place);
    snprintf(where, sizeof where, "%.100s%s%.60s, %s", titled ? label : "", titled ? ", " : "", p->subtitle, place);
    rw_figure_page page = {.title = titled ? p->title : label, .subtitle = where};
    rw_figure_field field = {.nx = PIXELS,
                             .ny = PIXELS,
                             .values = pixels,
                             .x0 = s.lower[0],
                             .x1 = s.upper[0],
                             .y0 = s.lower[1],
                             .y1 = s.upper[1],
                             .x_label = p->grid->axis[0],
                             .y_label = p->grid->axis[which ? 2 : 1],
                             .value = {.label = label, .min = p->min, .max = p->max},
                             .map = p->map};
    const double aspect = (s.upper[0] - s.lower[0]) / (s.upper[1] - s.lower[1]);
    field.stretch = aspect > 4 || aspect < 0.25;
    if (status == RW_OK) status = rw_figure_write_field(ctx, path, &page, &field);
    rw_free(pixels);
    rw_free(cell);
    return status;
}

rw_status rw_figures_sections(rw_run *r, const rw_field_picture *p, const char *file)
{
    char path[RW_PATH_SIZE], name[200];
    for (int which = 0; which < RW_SECTIONS; ++which) {
        snprintf(name, sizeof name, "figures/%.150s-%s.png", file, rw_section_names[which]);
        RW_TRY(rw_folder_claim(r, name, path));
        RW_TRY(rw_picture_section(r->ctx, path, p, which));
        r->npictures++;
    }
    return RW_OK;
}
