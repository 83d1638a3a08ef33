/* What a run writes each time an output is due: a row of series.csv (series.c), the fields as HDF5 and .vti, pictures.
 *
 *   fields/000010.h5   one output, complete in itself: /u, /v (z, y, x), and time, step, origin, … as attributes
 * Cost: one copy of each field from the device per output. Files over all outputs: output_index.c. */
#include "run/run_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/vti.h"

enum { NAME = 64 };

bool rw_output_wants(const rw_texts *list, const char *field)
{
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->item[i]->text, field) == 0 || strcmp(list->item[i]->text, "all") == 0) return true;
    return false;
}

bool rw_output_draws(const rw_run *r, const char *field)
{
    const rw_texts *list = &r->output.figures;
    if (r->points != 1) return rw_output_wants(list, field);
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->item[i]->text, field) == 0) return true;
    return false;
}

static rw_status check_names(const rw_run *r, const rw_texts *list, const rw_output_field *fields, int n,
                             const char *setting)
{
    enum { MOST = 256 };
    const char *names[MOST];
    for (int k = 0; k < n && k < MOST; k++) names[k] = fields[k].name;
    for (int i = 0; i < list->n; i++) {
        const char *text = list->item[i]->text;
        bool known = strcmp(text, "all") == 0;
        for (int k = 0; k < n && !known; k++) known = strcmp(text, fields[k].name) == 0;
        if (known) continue;
        const char *nearest = rw_nearest(text, names, RW_MIN(n, MOST));
        if (!nearest && n > 0) nearest = names[0];
        return rw_case_fail(r->c, list->item[i],
                            "%s: '%.60s' is not a field; %s is one, and all selects every "
                            "field",
                            setting, text, nearest ? nearest : "(none)");
    }
    return RW_OK;
}

rw_status rw_output_check(rw_run *r)
{
    const rw_output_field *fields = r->problem->fields;
    const int n = r->problem->nfields;
    RW_TRY(check_names(r, &r->output.fields, fields, n, "output.fields"));
    RW_TRY(check_names(r, &r->output.figures, fields, n, "output.figures"));
    RW_TRY(rw_frames_check(r));
    if (r->output.interpolate > 0 && !r->ops->interpolate)
        return rw_case_fail(r->c, rw_case_node(r->c, "output.interpolate"),
                            "output.interpolate = %g: the problem %s has no dense output: omit this setting",
                            r->output.interpolate, r->ops->name);
    double every = r->output.every, span = r->problem->end - r->start;
    if (every > 0 && span / every > 999999)
        return rw_case_fail(r->c, rw_case_node(r->c, "output.every"),
                            "output.every = %g makes %.3g outputs until t = %g: at most 999999 are allowed", every,
                            span / every, r->problem->end);
    return RW_OK;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

rw_status rw_output_outer(rw_run *r, rw_output_grid *grid)
{
    *grid = *r->grid;
    return r->no_sides ? RW_OK : rw_sides_grid(r, grid, NULL);
}

/* Shape of the grid for HDF5: (z, y, x), with 1 where a direction is not used: the readers of XDMF want three. */
static void shape_of(const rw_output_grid *grid, size_t shape[3])
{
    for (int a = 0; a < 3; a++) shape[a] = a < 3 - grid->ndim ? 1 : (size_t)grid->size[2 - a];
}

rw_io_grid rw_output_io_grid(const rw_output_grid *grid)
{
    rw_io_grid io = {.n = {1, 1, 1}, .spacing = {1, 1, 1}};
    for (int a = 0; a < grid->ndim; a++) {
        io.n[a] = (size_t)grid->size[a];
        io.origin[a] = grid->origin[a];
        io.spacing[a] = grid->spacing[a];
    }
    return io;
}

/* The field's values on the host, with the nodes on Dirichlet sides. *own: to be freed; NULL: they are the array's. */
static rw_status fetch(rw_run *r, int index, rw_dtype *type, const void **data, void **own)
{
    const rw_output_field *field = r->problem->fields + index;
    *own = NULL;
    *type = rw_array_dtype(field->array);
    if (!rw_dtype_is_number(*type) || rw_array_size(field->array) != r->points)
        return rw_fail(r->ctx, RW_ERR_INTERNAL,
                       "field '%s' does not have the size of the grid and a "
                       "floating-point type",
                       field->name);
    RW_TRY(rw_array_read(field->array, data));
    return r->no_sides ? RW_OK : rw_sides_add(r, index, *type, *data, r->ops->time(r->problem), data, own);
}

static rw_status write_attributes(const rw_run *r, rw_h5 *file, const rw_output_grid *grid)
{
    static const char *const axis[] = {"axis_x", "axis_y", "axis_z"};
    RW_TRY(rw_h5_set_number(file, "/", "time", r->ops->time(r->problem)));
    RW_TRY(rw_h5_set_integer(file, "/", "step", r->ops->steps(r->problem)));
    if (r->interpolating) RW_TRY(rw_h5_set_integer(file, "/", "interpolated", 1));
    RW_TRY(rw_h5_set_integer(file, "/", "dimensions", grid->ndim));
    RW_TRY(rw_h5_set_numbers(file, "/", "origin", grid->ndim, grid->origin));
    RW_TRY(rw_h5_set_numbers(file, "/", "spacing", grid->ndim, grid->spacing));
    for (int a = 0; a < grid->ndim; a++)
        RW_TRY(rw_h5_set_text(file, "/", axis[a], grid->blocks ? "cell" : grid->axis[a]));
    if (grid->blocks) RW_TRY(rw_h5_set_integer(file, "/", "blocks", rw_blocks_count(grid->blocks)));
    if (*r->top.title) RW_TRY(rw_h5_set_text(file, "/", "title", r->top.title));
    return RW_OK;
}

static rw_status write_h5(rw_run *r, const rw_output_field *fields, int n, int output)
{
    char name[NAME], path[RW_PATH_SIZE], set[160];
    size_t shape[3];
    rw_output_grid grid;
    rw_h5 *file;
    snprintf(name, sizeof(name), "fields/%06d.h5", output);
    RW_TRY(rw_output_outer(r, &grid));
    RW_TRY(rw_folder_claim(r, name, path));
    RW_TRY(rw_h5_create(r->ctx, path, &file));
    shape_of(&grid, shape);
    rw_status status = write_attributes(r, file, &grid);
    for (int i = 0; i < n && status == RW_OK; i++) {
        rw_dtype type;
        const void *data;
        void *own;
        if (!rw_output_wants(&r->output.fields, fields[i].name)) continue;
        snprintf(set, sizeof(set), "/%.120s", fields[i].name);
        status = fetch(r, i, &type, &data, &own);
        if (status == RW_OK) status = rw_h5_write(file, set, type, 3, shape, data, 0);
        rw_free(own);
        if (status == RW_OK) status = rw_h5_set_text(file, set, "unit", fields[i].unit ? fields[i].unit : "");
    }
    if (status == RW_OK) return rw_h5_commit(&file);
    rw_h5_close(&file);
    return status;
}

static rw_status write_vti(rw_run *r, const rw_output_field *fields, int n, int output)
{
    char name[NAME], path[RW_PATH_SIZE];
    rw_output_grid outer;
    snprintf(name, sizeof(name), "vti/%06d.vti", output);
    RW_TRY(rw_output_outer(r, &outer));
    rw_vti_array *arrays = rw_calloc((size_t)n, sizeof(*arrays));
    void **own = rw_calloc((size_t)n, sizeof(*own));
    int m = 0;
    rw_status status = RW_OK;
    if (!arrays || !own) status = rw_fail_memory(r->ctx, (size_t)n * sizeof(*arrays), "a .vti file");
    for (int i = 0; i < n && status == RW_OK; i++) {
        if (!rw_output_wants(&r->output.fields, fields[i].name)) continue;
        arrays[m].name = fields[i].name;
        status = fetch(r, i, &arrays[m].type, &arrays[m].data, &own[m]);
        m++;
    }
    rw_io_grid grid = rw_output_io_grid(&outer);
    if (status == RW_OK && r->grid->blocks) status = rw_output_vtm(r, m, arrays, output);
    else if (status == RW_OK && (status = rw_folder_claim(r, name, path)) == RW_OK)
        status = rw_vti_write(r->ctx, path, &grid, m, arrays);
    for (int i = 0; own && i < m; i++) rw_free(own[i]);
    rw_free(own);
    rw_free(arrays);
    return status;
}

static rw_status write_output(rw_run *r, bool last)
{
    const rw_output_field *fields = r->problem->fields;
    const int output = r->noutputs, n = r->problem->nfields;
    RW_TRY(rw_series_row(r, true));
    if (!rw_grow(&r->times, &r->times_capacity, output + 1, sizeof(*r->times)))
        return rw_fail_memory(r->ctx, (size_t)output * sizeof(*r->times), "the times of the outputs");
    if (n > 0 && r->output.fields.n > 0) {
        RW_TRY(write_h5(r, fields, n, output));
        if (r->output.vti) RW_TRY(write_vti(r, fields, n, output));
    }
    for (int i = 0; i < n; i++) {
        if (!rw_output_draws(r, fields[i].name)) continue;
        if (r->output.figures_every == RUN_FIGURES_ALL || last) RW_TRY(rw_figures_output(r, &fields[i], output));
    }
    double t = r->times[output] = r->ops->time(r->problem);
    r->noutputs++; /* from here on a checkpoint counts it as made */
    r->interpolated += r->interpolating;
    /* an output that the end stands for is made */
    double every = r->output.every, reached = t >= r->end ? t + 1e-9 * every : t;
    while (every > 0 && r->start + (double)r->next * every <= reached) r->next++;
    r->index_stale = true;
    char text[32];
    snprintf(text, sizeof(text), "%06d", output);
    rw_log(r->ctx, RW_LOG_INFO, "output %s at t = %.9g", text, t);
    RW_TRY(rw_log_event(r, "output", "output", text));
    RW_TRY(rw_csv_flush(r->series, NULL));
    return rw_output_index(r, false);
}

rw_status rw_output_write(rw_run *r, bool last, double *seconds)
{
    rw_phase before = rw_watch(r, RW_PHASE_OUTPUT);
    const double booked = r->watch.seconds[RW_PHASE_OUTPUT];
    rw_status status = write_output(r, last);
    rw_watch(r, before);
    *seconds = r->watch.seconds[RW_PHASE_OUTPUT] - booked;
    return status;
}
