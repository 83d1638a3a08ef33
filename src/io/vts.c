/* .vts and .vtm (see vts.h):
 *
 *   <VTKFile type="StructuredGrid"> <StructuredGrid> <Piece> <Points> … <CellData> … <AppendedData encoding="raw"> _
 *   length | numbers | … */
#include "io/vts.h"

#include <string.h>

static void add_head(rw_text *text, const int n[3], size_t points, size_t cells, int narrays,
                     const rw_vti_array *arrays)
{
    char extent[80];
    uint64_t offset = 8 + 3 * sizeof(double) * (uint64_t)points;
    rw_snprintf(extent, sizeof extent, "0 %d 0 %d 0 %d", n[0], n[1], n[2]);
    rw_text_add(text,
                "<?xml version=\"1.0\"?>\n<VTKFile type=\"StructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
                "header_type=\"UInt64\">\n"
                "  <StructuredGrid WholeExtent=\"%s\">\n    <Piece Extent=\"%s\">\n      <Points>\n"
                "        <DataArray type=\"Float64\" Name=\"points\" NumberOfComponents=\"3\" format=\"appended\" "
                "offset=\"0\"/>\n"
                "      </Points>\n      <CellData>\n",
                rw_vtk_byte_order(), extent, extent);
    for (int i = 0; i < narrays; ++i) rw_vtk_add_array(text, arrays + i, &offset, cells);
    rw_text_add(text, "      </CellData>\n    </Piece>\n  </StructuredGrid>\n  <AppendedData encoding=\"raw\">\n_");
}

rw_status rw_vts_write(rw_context *ctx, const char *path, const int n[3], const double (*points)[3], int narrays,
                       const rw_vti_array *arrays)
{
    rw_text head = {0};
    size_t npoints = 1, ncells = 1;
    for (int d = 0; d < 3; ++d) {
        if (n[d] < 1)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %d x %d x %d cells: at least one along each axis is needed", path,
                           n[0], n[1], n[2]);
        npoints *= (size_t)n[d] + 1;
        ncells *= (size_t)n[d];
    }
    RW_TRY(rw_vtk_check_arrays(ctx, path, narrays, arrays));
    add_head(&head, n, npoints, ncells, narrays, arrays);
    return rw_vtk_write(ctx, path, &head, npoints, points, ncells, narrays, arrays);
}

rw_status rw_vtm_write(rw_context *ctx, const char *path, int n, const char *const *files)
{
    rw_text text = {0};
    rw_text_add(&text,
                "<?xml version=\"1.0\"?>\n<VTKFile type=\"vtkMultiBlockDataSet\" version=\"1.0\" byte_order=\"%s\">\n"
                "  <vtkMultiBlockDataSet>\n",
                rw_vtk_byte_order());
    for (int i = 0; i < n; ++i) {
        rw_text_add(&text, "    <DataSet index=\"%d\" name=\"block %d\" file=\"", i, i);
        rw_io_add_xml(&text, files[i]);
        rw_text_add(&text, "\"/>\n");
    }
    rw_text_add(&text, "  </vtkMultiBlockDataSet>\n</VTKFile>\n");
    rw_status status =
        text.failed ? rw_fail_memory(ctx, text.length, path) : rw_file_write(ctx, path, text.data, text.length);
    rw_text_free(&text);
    return status;
}
