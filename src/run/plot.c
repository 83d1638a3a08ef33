/* Pictures from results that are already there: of a results folder or of one .h5 file of its fields.
 *
 * Each output file is complete in itself (grid, time, units are attributes), so a picture needs nothing else. Where the
 * folder has settings.yaml the picture is that of the run: see plot_run.c. */
#include "run/run_private.h"
#include "run/writer.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct plotter {
    rw_context *ctx;
    const char *path; /* as given */
    rw_plot_options options;
    rw_plot_function *written;
    void *user;
    rw_run run; /* that made the results: its folder, and its settings where settings.yaml is there */
    bool known; /* its problem has an outline: fields are drawn as the run does */
    bool used[RW_PLOT_SETTINGS];
    char column[64]; /* of series.csv, nearest to options.field */
    char stem[64];   /* of names of pictures: "000010" */
    bool one_file;   /* options.output names a .png file */
} plotter;

/* Whether the folder is figures/ of the results. A link in its place is not. */
static bool is_figures(const plotter *p, const char *folder)
{
    char path[RW_PATH_SIZE];
    struct stat a, b;
    if (!p->run.folder) return false;
    rw_run_path(&p->run, "figures", path);
    if (stat(folder, &a) != 0 || lstat(path, &b) != 0) return strcmp(folder, path) == 0; /* it will be made */
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Where a picture goes: the file given, or NAME-STEM.png in the folder given, or in `standard`. In figures/ of the
 * results the name is claimed, as a run does it. */
static rw_status target(plotter *p, const char *name, const char *standard, char path[RW_PATH_SIZE])
{
    char file[100], base[300], claimed[320];
    if (p->one_file) {
        snprintf(path, RW_PATH_SIZE, "%s", p->options.output);
        return RW_OK;
    }
    const char *folder = p->options.output ? p->options.output : standard;
    struct stat info;
    if (!p->options.output && lstat(folder, &info) == 0 && S_ISLNK(info.st_mode))
        return rw_fail(
            p->ctx, RW_ERR_INPUT,
            "'%s' is a link, which is not followed: give the folder of the pictures with rw_plot_options.output",
            folder);
    rw_picture_name(name, file, sizeof(file));
    if (*name) snprintf(base, sizeof(base), "%s%s%s.png", *p->stem ? file : "series-", *p->stem ? "-" : file, p->stem);
    else snprintf(base, sizeof(base), "series.png");
    snprintf(path, RW_PATH_SIZE, "%s%s%s", folder, rw_ends_in(folder, "/") ? "" : "/", base);
    if (!is_figures(p, folder)) RW_TRY(rw_folder_create(p->ctx, folder));
    if (!is_figures(p, folder)) return RW_OK; /* asked again: RESULTS/./figures is known once it is there */
    snprintf(claimed, sizeof(claimed), "figures/%s", base);
    return rw_folder_claim_picture(&p->run, claimed);
}

static rw_status done(const plotter *p, const char *path, rw_status status)
{
    if (status != RW_OK || !p->written) return status;
    const unsigned before = rw_failures();
    return rw_callback_status(p->ctx, p->written(p->user, path), before, "written");
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static rw_status read_grid(const plotter *p, rw_h5 *file, const char *path, rw_layout *grid, double *time)
{
    static const char *const names[] = {"axis_x", "axis_y", "axis_z"};
    int64_t dimensions;
    rw_status status = rw_h5_get_integer(file, "/", "dimensions", &dimensions);
    if (status == RW_ERR_MEMORY) return status;
    if (status != RW_OK && rw_h5_has_attribute(file, "/", "step"))
        return rw_fail(p->ctx, RW_ERR_INPUT,
                       "'%s' has fields on points, of which the run itself draws pictures: see the folder figures",
                       path);
    if (status != RW_OK || dimensions < 1 || dimensions > 3)
        return rw_fail(p->ctx, RW_ERR_INPUT,
                       "'%s' is not an output of a run: give a results folder or one of its fields/*.h5", path);
    int64_t blocks;
    const rw_blocks *of_run = p->known ? p->run.grid->blocks : NULL;
    const bool on_blocks = rw_h5_get_integer(file, "/", "blocks", &blocks) == RW_OK;
    if (on_blocks && (!of_run || rw_blocks_count(of_run) != blocks))
        return rw_fail(p->ctx, RW_ERR_INPUT,
                       "'%s' has fields on %lld blocks, whose grid is known from settings.yaml of the results only: "
                       "give the results folder, or open fields.pvd in ParaView",
                       path, (long long)blocks);
    *grid = (rw_layout){.ndim = (int)dimensions, .size = {1, 1, 1}, .spacing = {1, 1, 1}};
    RW_TRY(rw_h5_get_number(file, "/", "time", time));
    if (on_blocks) {
        *grid = *p->run.grid;
        return RW_OK;
    }
    RW_TRY(rw_h5_get_numbers(file, "/", "origin", grid->ndim, grid->origin));
    RW_TRY(rw_h5_get_numbers(file, "/", "spacing", grid->ndim, grid->spacing));
    for (int a = 0; a < grid->ndim; a++) {
        char *label;
        RW_TRY(rw_h5_get_text(file, "/", names[a], &label));
        snprintf(grid->axis[a], sizeof(grid->axis[a]), "%s", label);
        rw_free(label);
        if (!(grid->spacing[a] > 0) || !isfinite(grid->spacing[a]) || !isfinite(grid->origin[a]))
            return rw_fail(p->ctx, RW_ERR_INPUT, "'%s': the grid has no positive spacing", path);
    }
    return RW_OK;
}

/* Colours, limits, title and nodes on Dirichlet sides as the run has them, where it is known and has the field on this
 * grid. */
static rw_status draw_as_run(plotter *p, const char *name, double time, const void *data, rw_frame *frame,
                             rw_field_picture *figure)
{
    rw_run *r = &p->run;
    const rw_state_field *fields = p->known ? r->problem->fields : NULL;
    int n = p->known ? r->problem->nfields : 0, f = 0;
    rw_layout wide;
    while (f < n && strcmp(fields[f].name, name) != 0) f++;
    if (f == n || fields[f].vector) return RW_OK;
    RW_TRY(rw_sides_grid(r, &wide, NULL));
    const int64_t *size = figure->grid->size;
    if (memcmp(r->grid->size, size, sizeof wide.size) != 0 && memcmp(wide.size, size, sizeof wide.size) != 0)
        return RW_OK;
    RW_TRY(rw_frame_make(r, f, figure->type, data, size, time, frame));
    rw_scale scale;
    RW_TRY(rw_frames_of_results(r, f, frame, &scale));
    p->used[RW_PLOT_LIMITS] = p->used[RW_PLOT_TITLE] = true;
    p->used[RW_PLOT_COLORMAP] = p->used[RW_PLOT_COLORMAP] || figure->grid->ndim > 1 || figure->grid->blocks;
    figure->title = r->top.title;
    figure->map = scale.map;
    figure->min = scale.min;
    figure->max = scale.max;
    figure->grid = &frame->grid;
    figure->type = frame->type;
    figure->data = frame->data;
    return RW_OK;
}

/* The sections of a field on blocks, as the run draws them; into one file: the one across z. */
static rw_status plot_sections(plotter *p, const char *name, const rw_field_picture *figure, const char *standard)
{
    char picture[RW_PATH_SIZE], stem[sizeof(p->stem)];
    rw_status status = RW_OK;
    memcpy(stem, p->stem, sizeof(stem));
    for (int which = 0; which < (p->one_file ? 1 : RW_SECTIONS) && status == RW_OK; which++) {
        snprintf(p->stem, sizeof(p->stem), "%.50s-%s", stem, rw_section_names[which]);
        status = target(p, name, standard, picture);
        if (status == RW_OK) status = done(p, picture, rw_picture_section(p->ctx, picture, figure, which));
    }
    memcpy(p->stem, stem, sizeof(stem));
    return status;
}

/* Pictures of a field on a grid: all views, or one; into one file: the first. */
static rw_status plot_views(plotter *p, const char *name, rw_field_picture *figure, int view, const char *standard)
{
    char picture[RW_PATH_SIZE], shown[RW_VIEW_NAME];
    const int n = p->one_file ? 1 : rw_views(figure->type, figure->grid);
    for (int k = view < 0 ? 0 : view; k < (view < 0 ? n : view + 1); k++) {
        figure->view = k;
        rw_view_name(figure->type, figure->grid, name, k, shown);
        RW_TRY(target(p, shown, standard, picture));
        RW_TRY(done(p, picture, rw_picture_field(p->ctx, picture, figure)));
    }
    return RW_OK;
}

/* Whether a field is asked for, or (*view) one of its pictures. */
static bool is_asked(const plotter *p, rw_h5 *file, const char *name, const rw_layout *grid, int *view)
{
    char set[160];
    size_t shape[RW_IO_RANK];
    rw_dtype type;
    int rank;
    *view = -1;
    if (!p->options.field || strcmp(p->options.field, name) == 0) return true;
    *view = rw_view_find(name, p->options.field);
    if (*view < 0) return false;
    snprintf(set, sizeof(set), "/%.120s", name);
    return rw_h5_shape(file, set, &type, &rank, shape) == RW_OK && *view < rw_views(type, grid) &&
           rw_views(type, grid) > 1;
}

static rw_status plot_dataset(plotter *p, rw_h5 *file, const char *path, const char *name, int view, rw_layout *grid,
                              double time, const char *standard)
{
    char set[160], subtitle[64];
    size_t shape[RW_IO_RANK], bytes;
    rw_dtype type;
    int rank;
    char *unit = NULL, *title = NULL;
    rw_frame frame = {0};
    snprintf(set, sizeof(set), "/%.120s", name);
    RW_TRY(rw_h5_shape(file, set, &type, &rank, shape));
    if (rank != 3 || !rw_io_bytes(rank, shape, rw_dtype_size(type), &bytes) || bytes == 0)
        return rw_fail(p->ctx, RW_ERR_INPUT, "'%s': %s is not a three-dimensional field", path, name);
    const int64_t cells = grid->size[0];
    for (int a = 0; a < 3; a++) grid->size[a] = (int64_t)shape[2 - a];
    if (grid->blocks && grid->size[0] != cells)
        return rw_fail(p->ctx, RW_ERR_INPUT, "'%s': %s does not have the cells of settings.yaml", path, name);
    for (int a = grid->ndim; a < 3; a++)
        if (grid->size[a] != 1) return rw_fail(p->ctx, RW_ERR_INPUT, "'%s': %s does not fit its grid", path, name);
    void *data = rw_calloc(bytes, 1);
    if (!data) return rw_fail_memory(p->ctx, bytes, name);
    rw_status status;
    RW_TRY_GOTO(rw_h5_read(file, set, type, rank, shape, data), cleanup);
    RW_TRY_GOTO(rw_h5_get_text(file, set, "unit", &unit), cleanup);
    status = rw_h5_get_text(file, "/", "title", &title); /* the case may have none */
    if (status == RW_ERR_MEMORY) goto cleanup;
    if (status != RW_OK) title = NULL;
    const char *of_time = p->known && p->run.problem->ncolumns ? p->run.problem->columns[0].unit : "";
    snprintf(subtitle, sizeof(subtitle), "t = %.6g%s%.20s", time, *of_time ? " " : "", of_time);
    p->used[RW_PLOT_TITLE] = p->used[RW_PLOT_TITLE] || p->run.top.title;
    rw_field_picture figure = {.title = p->run.top.title ? p->run.top.title : title,
                               .subtitle = subtitle,
                               .name = name,
                               .unit = unit,
                               .grid = grid,
                               .type = type,
                               .data = data,
                               .map = RW_COLORMAP_SEQUENTIAL};
    RW_TRY_GOTO(draw_as_run(p, name, time, data, &frame, &figure), cleanup);
    if (grid->blocks) status = plot_sections(p, name, &figure, standard);
    else status = plot_views(p, name, &figure, view, standard);
cleanup:
    rw_free(frame.own);
    rw_free(title);
    rw_free(unit);
    rw_free(data);
    return status;
}

/* The vector that field f of the run begins, with arrows. */
static rw_status plot_vector(plotter *p, rw_h5 *file, int f, double time, const char *standard)
{
    rw_run *r = &p->run;
    const rw_state_field *field = &r->problem->fields[f];
    char subtitle[64], picture[RW_PATH_SIZE];
    rw_frame frame;
    rw_scale scale;
    rw_run_time_text(r, time, subtitle);
    RW_TRY(rw_frame_read(r, file, f, time, &frame));
    rw_status status = rw_frames_of_results(r, f, &frame, &scale);
    if (status == RW_OK) status = target(p, field->vector, standard, picture);
    p->used[RW_PLOT_LIMITS] = p->used[RW_PLOT_TITLE] = p->used[RW_PLOT_COLORMAP] = true;
    const rw_field_picture figure = {.title = r->top.title,
                                     .subtitle = subtitle,
                                     .name = field->vector,
                                     .unit = field->unit,
                                     .grid = &frame.grid,
                                     .type = RW_F64,
                                     .data = frame.values,
                                     .map = scale.map,
                                     .min = scale.min,
                                     .max = scale.max,
                                     .arrow = {frame.component[0], frame.component[1]},
                                     .streamlines = rw_contents_has_streamlines(r, f)};
    p->used[RW_PLOT_STREAMLINES] = p->used[RW_PLOT_STREAMLINES] || frame.grid.ndim == 2;
    if (status == RW_OK) status = done(p, picture, rw_picture_field(p->ctx, picture, &figure));
    rw_free(frame.own);
    return status;
}

/* The field of the run with this name; NULL: it has none. */
static const rw_state_field *find_field(const plotter *p, const char *name)
{
    for (int f = 0; p->known && f < p->run.problem->nfields; f++)
        if (strcmp(p->run.problem->fields[f].name, name) == 0) return &p->run.problem->fields[f];
    return NULL;
}

/* A dataset: a field, or the vector of which it is the first component. Components are drawn by their name only. */
static rw_status plot_set(plotter *p, rw_h5 *file, const char *path, const char *name, rw_layout *grid, double time,
                          const char *standard, int *drawn)
{
    const rw_state_field *field = find_field(p, name);
    const bool of_vector = field && field->vector, named = p->options.field && strcmp(p->options.field, name) == 0;
    if (of_vector && !named) {
        if (field->component > 0 || (p->options.field && strcmp(p->options.field, field->vector) != 0)) return RW_OK;
        ++*drawn;
        return plot_vector(p, file, (int)(field - p->run.problem->fields), time, standard);
    }
    int view;
    if (!is_asked(p, file, name, grid, &view)) return RW_OK;
    ++*drawn;
    return plot_dataset(p, file, path, name, view, grid, time, standard);
}

static rw_status fail_field(const plotter *p, const char *path, char *const *names, int n)
{
    const char *nearest = rw_nearest(p->options.field, (const char *const *)names, n);
    if (!nearest && *p->column) nearest = p->column;
    if (!nearest) nearest = n > 0 ? names[0] : "(none)";
    return rw_fail(p->ctx, RW_ERR_INPUT, "'%s' holds no field '%.60s'; there is %s", path, p->options.field, nearest);
}

static rw_status plot_file(plotter *p, const char *path, const char *standard)
{
    rw_h5 *file;
    char **names = NULL;
    int n = 0, drawn = 0, fields = 0;
    double time;
    rw_layout grid;
    const char *slash = strrchr(path, '/');
    snprintf(p->stem, sizeof(p->stem), "%.50s", slash ? slash + 1 : path);
    char *dot = strrchr(p->stem, '.');
    if (dot) *dot = '\0';
    for (char *c = p->stem; *c; c++)
        if (iscntrl((unsigned char)*c)) *c = '_'; /* a line of run.files holds the name */
    RW_TRY(rw_h5_open_alone(p->ctx, path, &file));
    rw_status status;
    RW_TRY_GOTO(read_grid(p, file, path, &grid, &time), cleanup);
    RW_TRY_GOTO(rw_h5_list(file, "/", &names, &n), cleanup);
    for (int i = 0; i < n; i++) fields += !rw_is_streamlines(names[i]);
    if (p->one_file && !p->options.field && fields > 1)
        RW_TRY_GOTO(rw_fail(p->ctx, RW_ERR_ARGUMENT,
                            "'%s' holds %d fields, but '%s' is one picture: choose one with "
                            "--field, or give a folder",
                            path, fields, p->options.output),
                    cleanup);
    for (int i = 0; i < n; i++)
        if (!rw_is_streamlines(names[i]))
            RW_TRY_GOTO(plot_set(p, file, path, names[i], &grid, time, standard, &drawn), cleanup);
    if (drawn == 0 && p->options.field) status = fail_field(p, path, names, n);
cleanup:
    rw_h5_names_free(&names, n);
    rw_h5_close(&file);
    return status;
}

/* ---- a results folder -------------------------------------------------------------------------------------------- */

static bool has_file(const plotter *p, int output)
{
    char file[64], path[RW_PATH_SIZE];
    snprintf(file, sizeof(file), "fields/%06d.h5", output);
    rw_run_path(&p->run, file, path);
    return access(path, F_OK) == 0;
}

/* Of the outputs (with_file: of those that have a file) the nearest in time, or the last one. -1: there is none. */
static int nearest_output(const plotter *p, bool with_file)
{
    const double *times = p->run.times, t = p->options.time;
    int last = p->run.noutputs - 1;
    while (last >= 0 && with_file && !has_file(p, last)) last--;
    int output = last;
    for (int i = 0; p->options.at_time && i < last; i++)
        if (fabs(times[i] - t) < fabs(times[output] - t) && (!with_file || has_file(p, i))) output = i;
    return output;
}

static rw_status choose_output(plotter *p, int *output)
{
    RW_TRY(rw_hdf5_read_times(&p->run));
    if (!p->run.times) return rw_fail(p->ctx, RW_ERR_INPUT, "'%s' has no fields.h5", p->path); /* it has gone since */
    int nearest = nearest_output(p, false);
    *output = nearest_output(p, true);
    if (*output < 0)
        return rw_fail(p->ctx, RW_ERR_INPUT,
                       "'%s': none of the %d outputs has a file in fields/: continue the run with the fields that you "
                       "need in output.fields, or choose a column of series.csv with --field",
                       p->path, p->run.noutputs);
    if (*output != nearest)
        rw_log(p->ctx, RW_LOG_WARNING,
               "'%s': the output at t = %.6g has no file fields/%06d.h5 (output.fields of the run): t = %.6g is "
               "drawn, the nearest output with a file",
               p->path, p->run.times[nearest], nearest, p->run.times[*output]);
    return RW_OK;
}

/* All fields of a system without space in one picture, where they share one; *drawn counts. */
static rw_status plot_curves(plotter *p, const char *standard, int *drawn)
{
    char picture[RW_PATH_SIZE];
    rw_csv_table table;
    RW_TRY(rw_series_read(p->ctx, p->path, &table));
    int *columns = rw_calloc((size_t)p->run.problem->nfields + 1, sizeof(*columns));
    rw_status status = columns ? RW_OK : rw_fail_memory(p->ctx, 64, "curves");
    const int n = columns ? rw_curves_find(&p->run, &table, columns) : 0;
    p->stem[0] = '\0';
    if (n && rw_curves_share(&table, columns, n)) {
        status = target(p, "", standard, picture);
        if (status == RW_OK) status = rw_picture_curves(p->ctx, picture, p->run.top.title, &table, columns, n);
        p->used[RW_PLOT_TITLE] = true;
        status = done(p, picture, status);
        ++*drawn;
    }
    rw_free(columns);
    rw_csv_free(&table);
    return status;
}

/* Columns of series.csv, all or the one named; *drawn counts. */
static rw_status plot_series(plotter *p, const char *standard, int *drawn)
{
    char picture[RW_PATH_SIZE];
    rw_csv_table table;
    RW_TRY(rw_series_read(p->ctx, p->path, &table));
    rw_status status = RW_OK;
    p->stem[0] = '\0';
    for (int i = 1; i < table.n_columns && status == RW_OK; i++) {
        if (p->options.field ? strcmp(p->options.field, table.names[i]) != 0 : !rw_series_is_drawn(&table, i)) continue;
        status = target(p, table.names[i], standard, picture);
        if (status == RW_OK) status = rw_picture_series(p->ctx, picture, p->run.top.title, &table, i);
        p->used[RW_PLOT_TITLE] = true;
        status = done(p, picture, status);
        ++*drawn;
    }
    const char *const *names = (const char *const *)table.names + 1; /* the first is the time */
    const char *nearest = p->options.field ? rw_nearest(p->options.field, names, table.n_columns - 1) : NULL;
    snprintf(p->column, sizeof(p->column), "%s", nearest ? nearest : "");
    rw_csv_free(&table);
    return status;
}

static rw_status plot_folder(plotter *p)
{
    char path[RW_PATH_SIZE], standard[RW_PATH_SIZE];
    int output = -1, drawn = 0;
    struct stat info;
    rw_run_path(&p->run, "figures", standard);
    snprintf(path, sizeof(path), "%s/series.csv", p->path);
    bool series = stat(path, &info) == 0;
    snprintf(path, sizeof(path), "%s/fields.h5", p->path);
    bool fields = stat(path, &info) == 0;
    if (!series && !fields)
        return rw_fail(p->ctx, RW_ERR_INPUT, "'%s' is not a results folder: it has neither fields.h5 nor series.csv",
                       p->path);
    const bool curves = p->known && p->run.grid->kind == RW_LAYOUT_VALUE && !p->options.field;
    if (series && curves) RW_TRY(plot_curves(p, standard, &drawn));
    if (drawn > 0) return RW_OK;
    if (series && (!p->one_file || p->options.field)) RW_TRY(plot_series(p, standard, &drawn));
    if (drawn > 0 && (p->options.field || !fields)) return RW_OK;
    if (drawn > 0 && p->known && p->run.points == 1 && !p->options.at_time) return RW_OK; /* the series show it */
    if (!fields && p->options.field)
        return rw_fail(p->ctx, RW_ERR_INPUT, "'%s' has no fields.h5, and no column '%.60s' in series.csv%s%s", p->path,
                       p->options.field, *p->column ? "; nearest is " : "", p->column);
    if (!fields)
        return rw_fail(p->ctx, RW_ERR_INPUT,
                       "'%s' has no fields.h5: choose one column of series.csv with --field, or give "
                       "a folder for all",
                       p->path);
    RW_TRY(choose_output(p, &output));
    snprintf(path, sizeof(path), "%s/fields/%06d.h5", p->path, output);
    return plot_file(p, path, standard);
}

/* A new name with an ending is meant as a file, whose kind must be one that is written. */
static rw_status check_output(const plotter *p)
{
    struct stat info;
    const char *output = p->options.output, *slash = output ? strrchr(output, '/') : NULL,
               *name = slash ? slash + 1 : output;
    const char *dot = name ? strrchr(name, '.') : NULL;
    if (!dot || dot == name || strspn(name, ".") == strlen(name) || strcmp(dot, ".png") == 0) return RW_OK;
    if (stat(output, &info) == 0 && S_ISDIR(info.st_mode)) return RW_OK;
    return rw_fail(p->ctx, RW_ERR_ARGUMENT,
                   "'%s' ends in %s: pictures are written as .png: end the name in .png for one picture, or give a "
                   "folder for all ('%s/')",
                   output, dot, output);
}

/* The folder of the run: that given, or ../.. of a file RESULTS/fields/000010.h5. False: the file lies elsewhere, and
 * settings near it are not those of its run. */
static bool results_of(const char *path, bool is_folder, char folder[RW_PATH_SIZE])
{
    char fields[RW_PATH_SIZE];
    struct stat a, b;
    const char *slash = strrchr(path, '/');
    int n = slash ? (int)(slash - path) + 1 : 2;
    snprintf(folder, RW_PATH_SIZE, "%s", path);
    if (is_folder) return true;
    if (!slash) path = "./";
    snprintf(fields, sizeof(fields), "%.*s../fields", n, path); /* the same folder where this is its name */
    snprintf(folder, RW_PATH_SIZE, "%.*s.", n, path);
    bool found = stat(folder, &a) == 0 && stat(fields, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    snprintf(folder, RW_PATH_SIZE, "%.*s..", n, path);
    return found;
}

rw_status rw_plot_results_sized(rw_context *ctx, const char *path, const rw_plot_options *options,
                                rw_plot_function *written, void *user, size_t options_size)
{
    RW_NEED(ctx, "context");
    RW_NEED(path, "path");
    RW_STRUCT_IN(ctx, rw_plot_options, options, options_size);
    struct stat info;
    if (!*path) return rw_fail(ctx, RW_ERR_ARGUMENT, "rw_plot_results: path is missing");
    plotter p = {.ctx = ctx, .path = path, .written = written, .user = user};
    if (options) p.options = *options;
    RW_TRY(check_output(&p));
    char folder[RW_PATH_SIZE];
    rw_run_report report;
    p.one_file = p.options.output && rw_ends_in(p.options.output, ".png");
    if (stat(path, &info) != 0)
        return rw_fail(ctx, RW_ERR_FILE, "cannot open '%s': %s: give a results folder or one of its fields/*.h5", path,
                       strerror(errno));
    bool found = results_of(path, S_ISDIR(info.st_mode), folder);
    rw_status status = rw_plot_find_run(ctx, found ? folder : NULL, &p.options, &p.run, &report, &p.known);
    if (status == RW_OK) status = S_ISDIR(info.st_mode) ? plot_folder(&p) : plot_file(&p, path, ".");
    if (status == RW_OK) rw_plot_warn_unused(ctx, &p.options, p.used);
    rw_run_release(&p.run);
    return status;
}
