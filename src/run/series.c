/* Scalars against time: series.csv, whose first line has the names, and series.json, which has the units.
 *
 *   series.csv    t,u_mean              series.json   {"columns": [{"name": "t", "unit": "s"},
 *                 0,1                                              {"name": "u_mean", "unit": "1"}]}
 *                 0.5,0.98
 * Folders of older versions have the units in a second line of series.csv, "# s, 1", which is read as well. */
#include "run/run_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/json.h"

enum { UNITS_LIMIT = 1 << 24 }; /* bytes of series.json */

static rw_status write_units(rw_run *r)
{
    char path[RW_PATH_SIZE];
    rw_text text = {0};
    rw_json_writer w;
    rw_json_begin(&w, &text, 2);
    rw_json_object(&w);
    rw_json_add_array(&w, "columns");
    for (int i = 0; i < r->ncolumns; i++) {
        const char *unit = r->columns[i].unit;
        rw_json_object(&w);
        rw_json_add_string(&w, "name", r->columns[i].name);
        rw_json_add_string(&w, "unit", unit && *unit ? unit : "1");
        rw_json_close(&w);
    }
    rw_json_close(&w);
    rw_json_close(&w);
    rw_text_add(&text, "\n");
    rw_status status =
        text.failed ? rw_fail_memory(r->ctx, text.length, "series.json") : rw_folder_claim(r, "series.json", path);
    if (status == RW_OK) status = rw_file_write(r->ctx, path, text.data, text.length);
    rw_text_free(&text);
    return status;
}

/* Units of the columns that series.json names. */
static rw_status take_units(rw_context *ctx, const rw_json *json, const char *path, rw_csv_table *table)
{
    const rw_json *columns = json->kind == RW_JSON_OBJECT ? rw_json_get(json, "columns") : NULL;
    if (!columns || columns->kind != RW_JSON_ARRAY)
        return rw_fail(ctx, RW_ERR_INPUT, "%s: has no list 'columns': is it the file of a run?", path);
    for (int k = 0; k < columns->n; k++) {
        const rw_json *item = columns->items[k]->kind == RW_JSON_OBJECT ? columns->items[k] : NULL;
        const rw_json *name = item ? rw_json_get(item, "name") : NULL, *unit = item ? rw_json_get(item, "unit") : NULL;
        if (!name || !unit || name->kind != RW_JSON_STRING || unit->kind != RW_JSON_STRING)
            return rw_fail(ctx, RW_ERR_INPUT, "%s: entry %d of 'columns' has no name and unit", path, k + 1);
        for (int i = 0; i < table->n_columns; i++) {
            if (strcmp(table->names[i], name->string) != 0) continue;
            char *copy = rw_strdup(unit->string);
            if (!copy) return rw_fail_memory(ctx, strlen(unit->string) + 1, path);
            rw_free(table->units[i]);
            table->units[i] = copy;
        }
    }
    return RW_OK;
}

rw_status rw_series_read(rw_context *ctx, const char *folder, rw_csv_table *table)
{
    char path[RW_PATH_SIZE], *text;
    struct stat info;
    size_t n;
    rw_json *json = NULL;
    snprintf(path, sizeof(path), "%s/series.csv", folder);
    RW_TRY(rw_csv_read(ctx, path, table));
    snprintf(path, sizeof(path), "%s/series.json", folder);
    if (stat(path, &info) != 0) return RW_OK;
    rw_status status = rw_file_read(ctx, path, UNITS_LIMIT, &text, &n);
    if (status == RW_OK) {
        status = rw_json_parse(ctx, text, n, &json);
        if (status == RW_OK) status = take_units(ctx, json, path, table);
        rw_json_free(&json);
        rw_free(text);
    }
    if (status != RW_OK) rw_csv_free(table);
    return status;
}

rw_status rw_series_begin(rw_run *r, bool fresh, uint64_t position)
{
    char path[RW_PATH_SIZE];
    RW_TRY(rw_folder_claim(r, "series.csv", path));
    r->ncolumns = r->problem->ncolumns;
    r->columns = r->problem->columns;
    const char **names = rw_calloc((size_t)r->ncolumns, sizeof(*names));
    r->row = rw_calloc((size_t)r->ncolumns, sizeof(*r->row));
    rw_status status = RW_OK;
    if (!names || !r->row)
        RW_TRY_GOTO(rw_fail_memory(r->ctx, (size_t)r->ncolumns * sizeof(*names), "the columns of series.csv"), done);
    for (int i = 0; i < r->ncolumns; i++) names[i] = r->columns[i].name;
    status = fresh ? rw_csv_create(r->ctx, path, r->ncolumns, names, NULL, &r->series)
                   : rw_csv_append(r->ctx, path, position, r->ncolumns, names, &r->series);
    if (status == RW_OK) status = write_units(r);
done:
    rw_free(names);
    return status;
}

static rw_status fail_not_finite(rw_run *r, int column)
{
    r->reason = "not_finite";
    char kept[120] = "there is no checkpoint yet", place[RW_PLACE_SIZE];
    if (!isnan(r->checkpoint_time))
        snprintf(kept, sizeof(kept), "the last good state is in checkpoint.h5, %s = %.6g", rw_run_axis(r),
                 r->checkpoint_time);
    return rw_fail(r->ctx, RW_ERR_NOT_CONVERGED, "%s: '%s' is %s at %s: %s: check the equations%s", rw_case_file(r->c),
                   r->columns[column].name, isnan(r->row[column]) ? "not a number" : "infinite",
                   rw_run_place(r, 0, place), kept,
                   r->march ? ", or lower the step or the tolerance of section time" : "");
}

/* At most once a second: it waits for the disk, longer than many a step takes. A checkpoint and the end flush, too. */
rw_status rw_series_flush(rw_run *r)
{
    if (rw_seconds() - r->flushed < 1) return RW_OK;
    r->flushed = rw_seconds();
    return rw_csv_flush(r->series, NULL);
}

rw_status rw_series_row(rw_run *r, bool write)
{
    RW_TRY(r->ops->row(r->problem, r->row));
    bool written = r->interpolating ? r->last_look == rw_run_time(r) : r->last_row == rw_run_steps(r);
    if (write && !written) {
        RW_TRY(rw_probes_write(r, false));
        RW_TRY(rw_csv_row(r->series, r->row));
        if (r->interpolating) r->last_look = rw_run_time(r);
        else r->last_row = rw_run_steps(r);
    }
    for (int i = 0; i < r->ncolumns - r->problem->nown; i++)
        if (!isfinite(r->row[i])) return fail_not_finite(r, i);
    return RW_OK;
}
