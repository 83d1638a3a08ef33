/* .vti and .pvd (see vti.h):
 *
 *   <VTKFile ...> <ImageData> <Piece> <PointData> <DataArray ... offset="0"/> ... <AppendedData encoding="raw"> _
 *   length (u64) | numbers | length | numbers | ...  </AppendedData> </VTKFile>
 *
 * An offset counts from the byte after the underscore to the length of its array. */
#include "io/vti.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *rw_vtk_byte_order(void) { return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "BigEndian" : "LittleEndian"; }

rw_status rw_vtk_check_grid(rw_context *ctx, const char *path, const rw_grid *grid, size_t n[3], size_t *points)
{
    for (int a = 0; a < 3; a++) {
        n[a] = a < grid->ndim ? (size_t)RW_MAX(grid->size[a], 0) : 1;
        if (n[a] == 0)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: the grid has 0 points in direction %c: at least 1 is needed",
                           path, "xyz"[a]);
        if (!(grid->spacing[a] > 0) || !isfinite(grid->spacing[a]) || !isfinite(grid->origin[a]))
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "%s: origin %g, spacing %g in direction %c: both must be finite and the spacing above 0",
                           path, grid->origin[a], grid->spacing[a], "xyz"[a]);
    }
    if (!rw_io_bytes(3, n, sizeof(double) * 2, points))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: a grid of %zu x %zu x %zu points does not fit in memory", path, n[0],
                       n[1], n[2]);
    *points /= sizeof(double) * 2;
    return RW_OK;
}

rw_status rw_vtk_check_arrays(rw_context *ctx, const char *path, int n, const rw_vti_array *arrays)
{
    if (n < 0) return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %d arrays: must be 0 or more", path, n);
    for (int i = 0; i < n; i++) {
        if (!arrays[i].name || !*arrays[i].name || !arrays[i].data)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: array %d has no name or no data", path, i + 1);
        for (int j = 0; j < i; j++)
            if (strcmp(arrays[i].name, arrays[j].name) == 0)
                return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: two arrays are named '%s': rename one", path, arrays[i].name);
    }
    return RW_OK;
}

/* At a point. */
static size_t bytes_of(const rw_vti_array *array)
{
    return (size_t)RW_MAX(array->components, 1) * rw_dtype_size(array->type);
}

void rw_vtk_add_array(rw_text *text, const rw_vti_array *array, uint64_t *offset, size_t numbers)
{
    bool complex = rw_dtype_is_complex(array->type);
    char components[40] = "";
    if (array->components) snprintf(components, sizeof components, " NumberOfComponents=\"%d\"", array->components);
    rw_text_add(text, "        <DataArray type=\"Float%d\" Name=\"", (int)rw_io_real_size(array->type) * 8);
    rw_io_add_xml(text, array->name);
    rw_text_add(text, "\"%s format=\"appended\" offset=\"%llu\"/>\n",
                complex ? " NumberOfComponents=\"2\" ComponentName0=\"re\" ComponentName1=\"im\"" : components,
                (unsigned long long)*offset);
    *offset += 8 + (uint64_t)numbers * bytes_of(array);
}

static void add_head(rw_text *text, const rw_grid *g, const size_t size[3], int n, const rw_vti_array *arrays,
                     size_t points)
{
    char extent[80];
    uint64_t offset = 0;
    rw_snprintf(extent, sizeof extent, "0 %zu 0 %zu 0 %zu", size[0] - 1, size[1] - 1, size[2] - 1);
    rw_text_add(text,
                "<?xml version=\"1.0\"?>\n"
                "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n"
                "  <ImageData WholeExtent=\"%s\" Origin=\"%.17g %.17g %.17g\" Spacing=\"%.17g %.17g %.17g\">\n"
                "    <Piece Extent=\"%s\">\n      <PointData>\n",
                rw_vtk_byte_order(), extent, g->origin[0], g->origin[1], g->origin[2], g->spacing[0], g->spacing[1],
                g->spacing[2], extent);
    for (int i = 0; i < n; i++) rw_vtk_add_array(text, arrays + i, &offset, points);
    rw_text_add(text, "      </PointData>\n    </Piece>\n  </ImageData>\n  <AppendedData encoding=\"raw\">\n_");
}

rw_status rw_vtk_write(rw_context *ctx, const char *path, rw_text *head, size_t npoints, const double (*points)[3],
                       size_t numbers, int n, const rw_vti_array *arrays)
{
    static const char tail[] = "\n  </AppendedData>\n</VTKFile>\n";
    rw_io_file s = {0};
    rw_status status = head->failed ? rw_fail_memory(ctx, 4096, path) : rw_io_create(ctx, path, &s);
    if (status == RW_OK) status = rw_io_write(&s, head->data, head->length);
    for (int i = points ? -1 : 0; i < n && status == RW_OK; i++) {
        const uint64_t bytes = i < 0 ? sizeof *points * (uint64_t)npoints : (uint64_t)numbers * bytes_of(&arrays[i]);
        status = rw_io_write(&s, &bytes, sizeof bytes);
        if (status == RW_OK) status = rw_io_write(&s, i < 0 ? (const void *)points : arrays[i].data, bytes);
    }
    if (status == RW_OK) status = rw_io_write(&s, tail, sizeof tail - 1);
    if (status == RW_OK) status = rw_io_commit(&s);
    rw_io_close(&s);
    rw_text_free(head);
    return status;
}

rw_status rw_vti_write(rw_context *ctx, const char *path, const rw_grid *grid, int n, const rw_vti_array *arrays)
{
    size_t size[3], points = 0;
    rw_text head = {0};
    RW_TRY(rw_vtk_check_grid(ctx, path, grid, size, &points));
    RW_TRY(rw_vtk_check_arrays(ctx, path, n, arrays));
    add_head(&head, grid, size, n, arrays, points);
    return rw_vtk_write(ctx, path, &head, 0, NULL, points, n, arrays);
}

rw_status rw_pvd_write(rw_context *ctx, const char *path, size_t n, const double *time, const char *const *files)
{
    rw_text text = {0};
    rw_text_add(&text,
                "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"%s\">\n"
                "  <Collection>\n",
                rw_vtk_byte_order());
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(time[i]) || !files[i]) {
            rw_text_free(&text);
            return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: entry %zu: time %g and file '%s': both are required", path, i,
                           time[i], files[i] ? files[i] : "");
        }
        rw_text_add(&text, "    <DataSet timestep=\"%.17g\" part=\"0\" file=\"", time[i]);
        rw_io_add_xml(&text, files[i]);
        rw_text_add(&text, "\"/>\n");
    }
    rw_text_add(&text, "  </Collection>\n</VTKFile>\n");
    rw_status status =
        text.failed ? rw_fail_memory(ctx, text.length, path) : rw_file_write(ctx, path, text.data, text.length);
    rw_text_free(&text);
    return status;
}
