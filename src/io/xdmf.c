/* XDMF 3 (see xdmf.h): per time one <Grid> with its topology, geometry, and an <Attribute> a field that points into
 * HDF5. Sizes and coordinates are written slowest first, as XDMF wants them. */
#include "io/xdmf.h"

#include <math.h>
#include <string.h>

#include "io/vti.h"

static rw_status check(rw_context *ctx, const char *path, const rw_grid *g, int n_fields,
                       const rw_xdmf_field *fields, size_t n_steps, const rw_xdmf_step *steps, size_t n[3])
{
    size_t points;
    RW_TRY(rw_vtk_check_grid(ctx, path, g, n, &points));
    for (int i = 0; i < n_fields; i++) {
        if (!fields[i].name || !*fields[i].name)
            return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: field %d has no name", path, i + 1);
        if (rw_dtype_is_complex(fields[i].type))
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "%s: field %s is complex, which XDMF cannot represent: write real and imaginary part as "
                           "datasets",
                           path, fields[i].name);
    }
    for (size_t s = 0; s < n_steps; s++)
        for (int i = 0; i < n_fields; i++)
            if (!isfinite(steps[s].time) || !steps[s].datasets[i] ||
                (*steps[s].datasets[i] && !strchr(steps[s].datasets[i], ':')))
                return rw_fail(ctx, RW_ERR_ARGUMENT,
                               "%s: step %zu at t = %g: dataset '%s' of %s is not \"file.h5:/name\"", path, s,
                               steps[s].time, steps[s].datasets[i] ? steps[s].datasets[i] : "", fields[i].name);
    return RW_OK;
}

static void add_step(rw_text *text, const rw_grid *g, const size_t n[3], int n_fields, const rw_xdmf_field *fields,
                     const rw_xdmf_step *step, size_t number)
{
    char shape[80];
    rw_snprintf(shape, sizeof shape, "%zu %zu %zu", n[2], n[1], n[0]);
    rw_text_add(text,
                "      <Grid Name=\"step %zu\" GridType=\"Uniform\">\n        <Time Value=\"%.17g\"/>\n"
                "        <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"%s\"/>\n"
                "        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n",
                number, step->time, shape);
    for (int part = 0; part < 2; part++) {
        const double *v = part ? g->spacing : g->origin;
        rw_text_add(text,
                    "          <DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" Dimensions=\"3\">"
                    "%.17g %.17g %.17g</DataItem>\n",
                    v[2], v[1], v[0]);
    }
    rw_text_add(text, "        </Geometry>\n");
    for (int i = 0; i < n_fields; i++) {
        if (!*step->datasets[i]) continue;
        rw_text_add(text, "        <Attribute Name=\"");
        rw_io_add_xml(text, fields[i].name);
        rw_text_add(text,
                    "\" AttributeType=\"Scalar\" Center=\"Node\">\n"
                    "          <DataItem Format=\"HDF\" NumberType=\"Float\" Precision=\"%d\" Dimensions=\"%s\">",
                    (int)rw_dtype_size(fields[i].type), shape);
        rw_io_add_xml(text, step->datasets[i]);
        rw_text_add(text, "</DataItem>\n        </Attribute>\n");
    }
    rw_text_add(text, "      </Grid>\n");
}

rw_status rw_xdmf_write(rw_context *ctx, const char *path, const rw_grid *grid, int n_fields,
                        const rw_xdmf_field *fields, size_t n_steps, const rw_xdmf_step *steps)
{
    rw_text text = {0};
    size_t n[3];
    RW_TRY(check(ctx, path, grid, n_fields, fields, n_steps, steps, n));
    rw_text_add(&text, "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n"
                       "    <Grid Name=\"series\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
    for (size_t s = 0; s < n_steps; s++) add_step(&text, grid, n, n_fields, fields, &steps[s], s);
    rw_text_add(&text, "    </Grid>\n  </Domain>\n</Xdmf>\n");
    rw_status status =
        text.failed ? rw_fail_memory(ctx, text.length, path) : rw_file_write(ctx, path, text.data, text.length);
    rw_text_free(&text);
    return status;
}
