/* Fields as HDF5.
 *
 *   fields/000010.h5   one output, complete in itself: /u, /v (z, y, x), and time, step, origin, … as attributes;
 *                 /q-streamlines/points (m, 2) and offsets (n + 1): n curves of the vector q (output.streamlines)
 *   fields.h5     /u (t, z, y, x), whose slices are the datasets /u of fields/000000.h5, …: a virtual dataset each;
 *                 the coordinates /t, /z, /y, /x. These are the conventions of netCDF-4: xarray.open_dataset reads it.
 *   fields.xdmf   the same for ParaView and VisIt
 * The two last are written over all outputs. Complex fields are not in fields.xdmf: XDMF has no complex numbers. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/xdmf.h"
#include "run/run_private.h"
#include "run/writer.h"

enum { NAME = 64 };

/* The readers of XDMF want three axes: 1 where a direction is not used. */
static void shape_of(const rw_layout *l, size_t shape[3])
{
    for (int a = 0; a < 3; a++) shape[a] = (size_t)l->size[2 - a];
}

static bool suits(const rw_layout *layout)
{
    (void)layout;
    return true;
}

static rw_status write_attributes(const rw_run *r, rw_h5 *file, const rw_layout *grid)
{
    static const char *const axis[] = {"axis_x", "axis_y", "axis_z"};
    RW_TRY(rw_h5_set_number(file, "/", "time", rw_run_time(r)));
    RW_TRY(rw_h5_set_integer(file, "/", "step", rw_run_steps(r)));
    if (r->interpolating) RW_TRY(rw_h5_set_integer(file, "/", "interpolated", 1));
    if (rw_layout_is_points(grid)) return *r->top.title ? rw_h5_set_text(file, "/", "title", r->top.title) : RW_OK;
    RW_TRY(rw_h5_set_integer(file, "/", "dimensions", grid->ndim));
    RW_TRY(rw_h5_set_numbers(file, "/", "origin", grid->ndim, grid->origin));
    RW_TRY(rw_h5_set_numbers(file, "/", "spacing", grid->ndim, grid->spacing));
    for (int a = 0; a < grid->ndim; a++)
        RW_TRY(rw_h5_set_text(file, "/", axis[a], grid->blocks ? "cell" : grid->axis[a]));
    if (grid->blocks) RW_TRY(rw_h5_set_integer(file, "/", "blocks", rw_blocks_count(grid->blocks)));
    if (*r->top.title) RW_TRY(rw_h5_set_text(file, "/", "title", r->top.title));
    return RW_OK;
}

/* Which fields are the coordinates of points: "x y". */
static rw_status write_coordinates(const rw_run *r, rw_h5 *file, const char *set, const rw_layout *l)
{
    rw_text names = {0};
    for (int d = 0; d < l->ndim; d++)
        for (int f = 0; f < r->problem->nfields; f++)
            if (r->problem->fields[f].array == l->position[d])
                rw_text_add(&names, "%s%s", names.length ? " " : "", r->problem->fields[f].name);
    rw_status status = names.failed ? rw_fail_memory(r->ctx, names.length, "names of fields") : RW_OK;
    if (status == RW_OK && names.length) status = rw_h5_set_text(file, set, "coordinates", names.data);
    rw_text_free(&names);
    return status;
}

static rw_status write_lines(rw_run *r, rw_h5 *file, const char *vector, const rw_streamlines *lines)
{
    char set[180];
    const size_t n = (size_t)lines->n + 1;
    if (lines->n == 0) return RW_OK;
    double *offsets = rw_calloc(n, sizeof(*offsets));
    if (!offsets) return rw_fail_memory(r->ctx, n * sizeof(*offsets), "streamlines");
    for (size_t i = 0; i < n; i++) offsets[i] = lines->offset[i];
    snprintf(set, sizeof(set), "/%.120s" RW_STREAMLINES "/points", vector);
    rw_status status = rw_h5_write(file, set, RW_F64, 2, (size_t[]){(size_t)lines->offset[n - 1], 2}, lines->point, 0);
    snprintf(set, sizeof(set), "/%.120s" RW_STREAMLINES "/offsets", vector);
    if (status == RW_OK) status = rw_h5_write(file, set, RW_F64, 1, &n, offsets, 0);
    rw_free(offsets);
    return status;
}

/* Those of the vector whose first two components these are. */
static rw_status write_streamlines(rw_run *r, rw_h5 *file, const rw_written_field components[2])
{
    rw_streamlines lines;
    RW_TRY(rw_trace_streamlines(r->ctx, components->layout, components->type, components[0].data, components[1].data,
                                &lines));
    const rw_status status = write_lines(r, file, components->vector, &lines);
    rw_streamlines_free(&lines);
    return status;
}

static rw_status write(rw_run *r, int n, const rw_written_field *fields, int output)
{
    char name[NAME], path[RW_PATH_SIZE], set[160];
    size_t shape[3];
    rw_layout grid;
    rw_h5 *file;
    snprintf(name, sizeof(name), "fields/%06d.h5", output);
    RW_TRY(rw_output_outer(r, &grid));
    RW_TRY(rw_folder_claim(r, name, path));
    RW_TRY(rw_h5_create(r->ctx, path, &file));
    rw_status status = write_attributes(r, file, &grid);
    for (int i = 0; i < n && status == RW_OK; i++) {
        const rw_written_field *f = &fields[i];
        snprintf(set, sizeof(set), "/%.120s", f->name);
        shape_of(f->layout, shape);
        status = rw_h5_write(file, set, f->type, 3, shape, f->data, 0);
        if (status == RW_OK) status = rw_h5_set_text(file, set, "unit", f->unit ? f->unit : "");
        if (status == RW_OK && rw_layout_is_points(f->layout)) status = write_coordinates(r, file, set, f->layout);
        if (status == RW_OK && f->streamlines) status = write_streamlines(r, file, f);
    }
    if (status == RW_OK) return rw_h5_commit(&file);
    rw_h5_close(&file);
    return status;
}

/* ---- over all outputs -------------------------------------------------------------------------------------------- */

/* The axes of the fields on a layout, in the order of their arrays: t, then those of the layout from the last to the
 * first. */
typedef struct index_axes {
    const rw_layout *of, *layout; /* as the problem has it; with the nodes on Dirichlet sides */
    int n;
    char name[4][20];
    const char *list[4];
} index_axes;

/* "x (mm)" is the axis x with the unit mm. */
static void split_label(const char *label, char *name, size_t size, char *unit, size_t unit_size)
{
    size_t n = strcspn(label, " (");
    const char *open = strchr(label, '(');
    snprintf(name, size, "%.*s", (int)n, label);
    snprintf(unit, unit_size, "%.*s", open ? (int)strcspn(open + 1, ")") : 0, open ? open + 1 : "");
}

static void add_axis(index_axes *axes, const char *name)
{
    snprintf(axes->name[axes->n], sizeof(*axes->name), "%s", name);
    axes->list[axes->n] = axes->name[axes->n];
    axes->n++;
}

/* The name of axis a: that of its label, or what values are numbered by. *unit: "". */
static void name_axis(const rw_layout *l, int a, int which, char name[20], char unit[32])
{
    static const char *const numbers[][2] = {
        [RW_LAYOUT_BLOCKS] = {"cell", ""}, [RW_LAYOUT_POINTS] = {"point", ""}, [RW_LAYOUT_CURVES] = {"point", "curve"}};
    char plain[16];
    *unit = '\0';
    if (l->kind == RW_LAYOUT_GRID) split_label(l->axis[a], plain, sizeof(plain), unit, 32);
    else snprintf(plain, sizeof(plain), "%s", numbers[l->kind][a]);
    if (which) snprintf(name, 20, "%s%d", plain, which % 1000 + 1); /* of another layout */
    else snprintf(name, 20, "%s", plain);
}

/* *id: dimensions of the file so far. */
static rw_status write_axes(rw_run *r, rw_h5 *file, int which, int *id, index_axes *axes)
{
    const rw_layout *l = axes->layout;
    axes->n = 0;
    add_axis(axes, rw_run_axis(r));
    for (int a = 2; a >= 0; a--) {
        char name[20], unit[32];
        if (l->kind == RW_LAYOUT_GRID ? a >= l->ndim : l->size[a] == 1) continue;
        name_axis(l, a, which, name, unit);
        add_axis(axes, name);
        const size_t n = (size_t)l->size[a];
        double *x = rw_calloc(n, sizeof(*x));
        if (!x) return rw_fail_memory(r->ctx, n * sizeof(*x), "the axes of fields.h5");
        for (size_t i = 0; i < n; i++)
            x[i] = l->kind == RW_LAYOUT_GRID ? l->origin[a] + (double)i * l->spacing[a] : (double)i;
        rw_status status = rw_h5_write_scale(file, name, (*id)++, n, x);
        if (status == RW_OK && *unit) status = rw_h5_set_text(file, name, "units", unit);
        rw_free(x);
        RW_TRY(status);
    }
    return RW_OK;
}

static rw_status write_field(rw_run *r, rw_h5 *file, const rw_state_field *field, const index_axes *axes,
                             const char **files, char (*texts)[NAME])
{
    char object[160];
    const char *unit = field->unit && strcmp(field->unit, "1") != 0 ? field->unit : "";
    const rw_layout *l = axes->layout;
    size_t source[3], shape[3];
    int rank = 0;
    bool any = false;
    for (int k = 0; k < r->noutputs; k++) {
        snprintf(texts[k], sizeof(*texts), "fields/%06d.h5", k);
        files[k] = rw_contents_has(r, k, field->name, RW_WRITER_hdf5) ? texts[k] : NULL;
        any = any || files[k];
    }
    if (!any) return RW_OK;
    shape_of(l, source);
    for (int a = 2; a >= 0; a--)
        if (l->kind == RW_LAYOUT_GRID ? a < l->ndim : l->size[a] > 1) shape[rank++] = (size_t)l->size[a];
    snprintf(object, sizeof(object), "/%.120s", field->name);
    RW_TRY(rw_h5_write_stack(file, object, rw_array_dtype(field->array), (size_t)r->noutputs, rank, shape, files,
                             object, 3, source));
    RW_TRY(rw_h5_set_text(file, object, "units", *unit ? unit : "1"));
    return rw_h5_set_scales(file, object, axes->n, axes->list);
}

/* Axis of the outputs, then the axes of each layout at its first field, and the fields. */
static rw_status fill_index(rw_run *r, rw_h5 *file, const char **files, char (*texts)[NAME])
{
    const int n = r->problem->nfields;
    const char *unit = r->ncolumns > 0 && r->columns[0].unit ? r->columns[0].unit : "";
    rw_layout grid;
    int layouts = 0, id = 0;
    RW_TRY(rw_output_outer(r, &grid));
    index_axes *axes = rw_calloc((size_t)n, sizeof(*axes));
    if (!axes) return rw_fail_memory(r->ctx, (size_t)n * sizeof(*axes), "the axes of fields.h5");
    rw_status status = rw_h5_write_scale(file, rw_run_axis(r), id++, (size_t)r->noutputs, r->times);
    if (status == RW_OK && *unit) status = rw_h5_set_text(file, rw_run_axis(r), "units", unit);
    for (int i = 0; i < n && status == RW_OK; i++) {
        const rw_layout *l = rw_output_layout(r->problem, i);
        int k = 0;
        while (k < layouts && axes[k].of != l) k++;
        if (k == layouts) {
            axes[k].of = l;
            axes[k].layout = l == r->grid ? &grid : l;
            status = write_axes(r, file, layouts++, &id, &axes[k]);
        }
        if (status == RW_OK) status = write_field(r, file, &r->problem->fields[i], &axes[k], files, texts);
    }
    rw_free(axes);
    return status;
}

static rw_status write_fields(rw_run *r)
{
    char path[RW_PATH_SIZE];
    const size_t outputs = (size_t)r->noutputs;
    rw_h5 *file = NULL;
    RW_TRY(rw_folder_claim(r, "fields.h5", path));
    char(*texts)[NAME] = rw_calloc(outputs, sizeof(*texts));
    const char **files = rw_calloc(outputs, sizeof(*files));
    rw_status status = RW_OK;
    if (!texts || !files) status = rw_fail_memory(r->ctx, outputs * sizeof(*texts), "fields.h5");
    if (status == RW_OK) status = rw_h5_create(r->ctx, path, &file);
    if (status == RW_OK) status = rw_h5_set_text(file, "/", "Conventions", "CF-1.8");
    if (status == RW_OK && *r->top.title) status = rw_h5_set_text(file, "/", "title", r->top.title);
    if (status == RW_OK) status = fill_index(r, file, files, texts);
    if (status == RW_OK) status = rw_h5_commit(&file);
    rw_h5_close(&file);
    rw_free(files);
    rw_free(texts);
    return status;
}

/* fields.xdmf: noutputs steps of m real fields, their datasets "fields/000010.h5:/u" in one block of texts. */
static rw_status write_xdmf(rw_run *r)
{
    enum { TEXT = 192 };
    const rw_state_field *fields = r->problem->fields;
    const int n = r->problem->nfields;
    char path[RW_PATH_SIZE];
    int m = 0;
    size_t steps = (size_t)r->noutputs, width = (size_t)n;
    rw_xdmf_field *list = rw_calloc(width, sizeof(*list));
    rw_xdmf_step *step = rw_calloc(steps, sizeof(*step));
    char *texts = rw_calloc(steps * width, TEXT);
    const char **pointers = rw_calloc(steps * width, sizeof(*pointers));
    rw_status status = RW_OK;
    if (!list || !step || !texts || !pointers)
        RW_TRY_GOTO(rw_fail_memory(r->ctx, steps * width * TEXT, "fields.xdmf"), done);
    for (int i = 0; i < n; i++) {
        const rw_dtype type = rw_array_dtype(fields[i].array);
        if (!rw_dtype_is_number(type) || rw_dtype_is_complex(type)) continue;
        if (rw_output_layout(r->problem, i) != r->grid) continue;
        list[m++] = (rw_xdmf_field){fields[i].name, type};
    }
    for (size_t k = 0; k < steps; k++) {
        step[k] = (rw_xdmf_step){r->times[k], pointers + k * width};
        for (int i = 0; i < m; i++) {
            char *text = texts + (k * width + (size_t)i) * TEXT;
            if (rw_contents_has(r, (int)k, list[i].name, RW_WRITER_hdf5))
                snprintf(text, TEXT, "fields/%06zu.h5:/%.120s", k, list[i].name);
            pointers[k * width + (size_t)i] = text;
        }
    }
    rw_layout outer;
    RW_TRY_GOTO(rw_output_outer(r, &outer), done);
    const rw_grid grid = rw_layout_grid(&outer);
    if (m > 0) status = rw_folder_claim(r, "fields.xdmf", path);
    if (m > 0 && status == RW_OK) status = rw_xdmf_write(r->ctx, path, &grid, m, list, steps, step);
done:
    rw_free(list);
    rw_free(step);
    rw_free(texts);
    rw_free(pointers);
    return status;
}

/* Without fields.h5: one more than the largest number of a file in fields/. */
static int count_files(const rw_run *r)
{
    char path[RW_PATH_SIZE], *end;
    long n = 0;
    rw_run_path(r, "fields", path);
    DIR *folder = fdopendir(rw_open(path, O_RDONLY | O_DIRECTORY, 0));
    for (struct dirent *e; folder && (e = readdir(folder));) {
        long number = strtol(e->d_name, &end, 10);
        if (strspn(e->d_name, "0123456789") >= 6 && strcmp(end, ".h5") == 0 && number >= n && number < RW_PLOT_OUTPUTS)
            n = number + 1;
    }
    if (folder) closedir(folder);
    return (int)n;
}

rw_status rw_hdf5_read_times(rw_run *r)
{
    char path[RW_PATH_SIZE];
    struct stat info;
    rw_h5 *file;
    rw_dtype type;
    int rank;
    size_t shape[RW_IO_RANK];
    if (r->noutputs > 0) return RW_OK;
    rw_run_path(r, "fields.h5", path);
    if (stat(path, &info) != 0) {
        r->noutputs = count_files(r);
        return RW_OK;
    }
    RW_TRY(rw_h5_open_alone(r->ctx, path, &file));
    rw_status status;
    static const char *const names[] = {"/t", "/" RW_ITERATION, "/times"}; /* the last in files of older versions */
    int k = 0;
    while (k + 1 < RW_COUNT(names) && !rw_h5_exists(file, names[k])) k++;
    const char *times = names[k];
    RW_TRY_GOTO(rw_h5_shape(file, times, &type, &rank, shape), cleanup);
    if (rank != 1 || shape[0] == 0 || shape[0] > RW_PLOT_OUTPUTS)
        RW_TRY_GOTO(rw_fail(r->ctx, RW_ERR_INPUT, "'%s' has no output times", path), cleanup);
    if (!(r->times = rw_calloc(shape[0], sizeof(*r->times))))
        RW_TRY_GOTO(rw_fail_memory(r->ctx, shape[0] * sizeof(*r->times), "times"), cleanup);
    RW_TRY_GOTO(rw_h5_read(file, times, RW_F64, 1, shape, r->times), cleanup);
    r->noutputs = (int)shape[0];
cleanup:
    if (status != RW_OK) {
        rw_free(r->times);
        r->times = NULL;
    }
    rw_h5_close(&file);
    return status;
}

/* ---- the format -------------------------------------------------------------------------------------------------- */

static rw_status write_index(rw_run *r)
{
    RW_TRY(write_fields(r));
    return r->grid->kind == RW_LAYOUT_GRID ? write_xdmf(r) : RW_OK; /* it knows uniform grids */
}

const rw_field_writer rw_hdf5_writer = {suits, write, write_index};
