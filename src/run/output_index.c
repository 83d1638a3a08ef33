/* What ties the outputs of a run together, as files of links:
 *
 *   fields.h5     /000010/u -> fields/000010.h5:/u, an external link each; /times
 *   fields.xdmf   the same for ParaView and VisIt;  fields.pvd  the .vti or .vtm files
 * They are rewritten as a whole, so not at each output when there are many: at most a twentieth of the time goes into
 * them, and always at a checkpoint and at the end. Complex fields are not in fields.xdmf, which has no such numbers. */
#include <stdio.h>

#include "io/vti.h"
#include "io/xdmf.h"
#include "run/run_private.h"

enum { NAME = 64 };

static rw_status write_links(rw_run *r, const rw_output_field *fields, int n)
{
    char path[RW_PATH_SIZE], target[NAME], group[NAME], link[NAME + 160], object[160];
    rw_h5 *file;
    size_t shape = (size_t)r->noutputs;
    RW_TRY(rw_folder_claim(r, "fields.h5", path));
    RW_TRY(rw_h5_create(r->ctx, path, &file));
    rw_status status = rw_h5_write(file, "/times", RW_F64, 1, &shape, r->times, 0);
    for (int k = 0; k < r->noutputs && status == RW_OK; k++) {
        snprintf(target, sizeof(target), "fields/%06d.h5", k);
        snprintf(group, sizeof(group), "/%06d", k);
        status = rw_h5_group(file, group);
        if (status == RW_OK) status = rw_h5_set_number(file, group, "time", r->times[k]);
        for (int i = 0; i < n && status == RW_OK; i++) {
            if (!rw_layout_has(r, k, fields[i].name)) continue;
            snprintf(object, sizeof(object), "/%.120s", fields[i].name);
            snprintf(link, sizeof(link), "%s%s", group, object);
            status = rw_h5_link(file, link, target, object);
        }
    }
    if (status == RW_OK) return rw_h5_commit(&file);
    rw_h5_close(&file);
    return status;
}

/* fields.xdmf: noutputs steps of m real fields, their datasets "fields/000010.h5:/u" in one block of texts. */
static rw_status write_xdmf(rw_run *r, const rw_output_field *fields, int n)
{
    enum { TEXT = 192 };
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
        list[m++] = (rw_xdmf_field){fields[i].name, type};
    }
    for (size_t k = 0; k < steps; k++) {
        step[k] = (rw_xdmf_step){r->times[k], pointers + k * width};
        for (int i = 0; i < m; i++) {
            char *text = texts + (k * width + (size_t)i) * TEXT;
            if (rw_layout_has(r, (int)k, list[i].name))
                snprintf(text, TEXT, "fields/%06zu.h5:/%.120s", k, list[i].name);
            pointers[k * width + (size_t)i] = text;
        }
    }
    rw_io_grid grid = rw_output_io_grid(r->grid);
    if (m > 0) status = rw_folder_claim(r, "fields.xdmf", path);
    if (m > 0 && status == RW_OK) status = rw_xdmf_write(r->ctx, path, &grid, m, list, steps, step);
done:
    rw_free(list);
    rw_free(step);
    rw_free(texts);
    rw_free(pointers);
    return status;
}

static rw_status write_pvd(rw_run *r)
{
    char path[RW_PATH_SIZE];
    size_t n = (size_t)r->noutputs, m = 0;
    char(*texts)[NAME] = rw_calloc(n, sizeof(*texts));
    const char **files = rw_calloc(n, sizeof(*files));
    double *times = rw_calloc(n, sizeof(*times));
    rw_status status = RW_OK;
    if (!texts || !files || !times) RW_TRY_GOTO(rw_fail_memory(r->ctx, n * sizeof(*texts), "fields.pvd"), done);
    for (size_t k = 0; k < n; k++) {
        if (!rw_layout_has_vti(r, (int)k)) continue;
        snprintf(texts[k], sizeof(*texts), r->grid->blocks ? "vtm/%06zu.vtm" : "vti/%06zu.vti", k);
        times[m] = r->times[k];
        files[m++] = texts[k];
    }
    RW_TRY_GOTO(rw_folder_claim(r, "fields.pvd", path), done);
    status = rw_pvd_write(r->ctx, path, m, times, files);
done:
    rw_free(times);
    rw_free(texts);
    rw_free(files);
    return status;
}

rw_status rw_output_index(rw_run *r, bool always)
{
    const rw_output_field *fields = r->problem->fields;
    const int n = r->problem->nfields;
    double begin = rw_seconds();
    if (!r->index_stale || n == 0 || r->noutputs == 0 || r->output.fields.n == 0) return RW_OK;
    if (!always && begin - r->indexed < RW_MAX(1.0, 20 * r->index_cost)) return RW_OK;
    RW_TRY(write_links(r, fields, n));
    if (!r->grid->blocks) RW_TRY(write_xdmf(r, fields, n)); /* it knows uniform grids */
    if (r->output.vti) RW_TRY(write_pvd(r));
    r->indexed = rw_seconds();
    r->index_cost = r->indexed - begin;
    r->index_stale = false;
    return RW_OK;
}
