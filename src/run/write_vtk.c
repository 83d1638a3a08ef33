/* Fields as files of VTK, for ParaView.
 *
 *   vti/000010.vti   one output on a uniform grid
 *   vtm/000010.vtm   one on a block-structured grid: it joins vtm/000010-0.vts, vtm/000010-1.vts …, a block each
 *   fields.pvd       the outputs against time
 *
 * A complex field A is two arrays, A_re and A_im: programs that read VTK take two components for a vector. */
#include <stdio.h>
#include <string.h>

#include "io/vti.h"
#include "io/vts.h"
#include "run/run_private.h"
#include "run/writer.h"

enum { NAME = 64 };

static bool suits_vti(const rw_layout *layout) { return layout->kind == RW_LAYOUT_GRID; }
static bool suits_vtm(const rw_layout *layout) { return layout->kind == RW_LAYOUT_BLOCKS; }

enum { PARTS = 2 };

/* Arrays of the file: complex fields as two, vectors as three components each. */
typedef struct file_arrays {
    int n;
    rw_vti_array *list;
    void **own; /* [PARTS of each] names and numbers made here; NULL of others */
} file_arrays;

static void free_arrays(file_arrays *a)
{
    for (int i = 0; a->own && i < PARTS * a->n; i++) rw_free(a->own[i]);
    rw_free(a->own);
    rw_free(a->list);
    *a = (file_arrays){0};
}

/* Real or imaginary part. */
static bool add_part(const rw_written_field *f, int part, file_arrays *a)
{
    const size_t n = (size_t)rw_layout_count(f->layout), size = rw_io_real_size(f->type);
    char *name = rw_format("%s_%s", f->name, part ? "im" : "re"), *numbers = rw_calloc(n, size);
    const int i = a->n++;
    a->own[PARTS * i] = name;
    a->own[PARTS * i + 1] = numbers;
    a->list[i] = (rw_vti_array){.name = name, .type = rw_io_type(size, false), .data = numbers};
    if (!name || !numbers) return false;
    for (size_t k = 0; k < n; k++)
        memcpy(numbers + k * size, (const char *)f->data + (PARTS * k + (size_t)part) * size, size);
    return true;
}

/* m fields as one array of vectors, in f64 or f32 as they are. */
static bool add_vector(int m, const rw_written_field *fields, file_arrays *a)
{
    const size_t n = (size_t)rw_layout_count(fields->layout), size = rw_dtype_size(fields->type);
    char *data = rw_calloc(3 * n, size);
    const int i = a->n++;
    a->own[PARTS * i] = data;
    a->list[i] = (rw_vti_array){.name = fields->vector, .type = fields->type, .data = data, .components = 3};
    for (int k = 0; data && k < m; k++)
        for (size_t c = 0; c < n; c++)
            memcpy(data + (3 * c + (size_t)k) * size, (const char *)fields[k].data + c * size, size);
    return data != NULL;
}

/* free_arrays() it, also after a failure. */
static rw_status make_arrays(rw_run *r, int n, const rw_written_field *fields, file_arrays *a)
{
    const size_t most = PARTS * (size_t)n;
    *a = (file_arrays){0, rw_calloc(most, sizeof *a->list), rw_calloc(PARTS * most, sizeof *a->own)};
    bool good = a->list && a->own;
    for (int i = 0, m; good && i < n; i += m) {
        const rw_written_field *f = &fields[i];
        for (m = 1; f->vector && i + m < n && f[m].vector == f->vector;) m++;
        if (f->vector) good = add_vector(m, f, a);
        else if (!rw_dtype_is_complex(f->type))
            a->list[a->n++] = (rw_vti_array){.name = f->name, .type = f->type, .data = f->data};
        else
            for (int part = 0; part < PARTS && good; part++) good = add_part(f, part, a);
    }
    return good ? RW_OK : rw_fail_memory(r->ctx, most * sizeof *a->list, "files for ParaView");
}

static rw_status write_vti(rw_run *r, int n, const rw_written_field *fields, int output)
{
    char name[NAME], path[RW_PATH_SIZE];
    snprintf(name, sizeof(name), "vti/%06d.vti", output);
    const rw_grid grid = rw_layout_grid(fields->layout);
    RW_TRY(rw_folder_claim(r, name, path));
    file_arrays arrays;
    rw_status status = make_arrays(r, n, fields, &arrays);
    if (status == RW_OK) status = rw_vti_write(r->ctx, path, &grid, arrays.n, arrays.list);
    free_arrays(&arrays);
    return status;
}

/* The points of a block, row by row. */
static double (*points_of(const rw_blocks *g, int b, const int n[3]))[3]
{
    double(*x)[3] = rw_calloc((size_t)(n[0] + 1) * (size_t)(n[1] + 1) * (size_t)(n[2] + 1), sizeof *x), (*at)[3] = x;
    for (int k = 0; x && k <= n[2]; ++k)
        for (int j = 0; j <= n[1]; ++j)
            for (int i = 0; i <= n[0]; ++i, ++at)
                memcpy(*at, rw_blocks_coordinates(g)[rw_blocks_point(g, b, i, j, k)], sizeof *at);
    return x;
}

static rw_status write_block(const rw_run *r, const char *path, int b, int n, const rw_vti_array *arrays)
{
    const rw_blocks *g = r->grid->blocks;
    rw_block block;
    rw_blocks_get_block(g, b, &block);
    rw_vti_array *own = rw_calloc((size_t)n + 1, sizeof *own);
    double(*points)[3] = points_of(g, b, block.cells);
    rw_status status =
        own && points ? RW_OK
                      : rw_fail_memory(r->ctx, (size_t)rw_blocks_points(g) * sizeof *points, "the points of a block");
    for (int i = 0; i < n && status == RW_OK; ++i) {
        own[i] = arrays[i];
        own[i].data = (const char *)arrays[i].data +
                      (size_t)block.first_cell * (size_t)RW_MAX(own[i].components, 1) * rw_dtype_size(arrays[i].type);
    }
    if (status == RW_OK) status = rw_vts_write(r->ctx, path, block.cells, (const double(*)[3])points, n, own);
    rw_free(points);
    rw_free(own);
    return status;
}

static rw_status write_vtm(rw_run *r, int n, const rw_written_field *fields, int output)
{
    char name[NAME], path[RW_PATH_SIZE];
    int count = rw_blocks_count(r->grid->blocks);
    char(*texts)[NAME] = rw_calloc((size_t)count, sizeof *texts);
    const char **files = rw_calloc((size_t)count, sizeof *files);
    file_arrays arrays;
    rw_status status = make_arrays(r, n, fields, &arrays);
    if (status == RW_OK && !(texts && files))
        status = rw_fail_memory(r->ctx, (size_t)count * sizeof *texts, "a .vtm file");
    for (int b = 0; b < count && status == RW_OK; ++b) {
        snprintf(texts[b], sizeof *texts, "%06d-%d.vts", output, b);
        files[b] = texts[b];
        snprintf(name, sizeof name, "vtm/%.50s", texts[b]);
        status = rw_folder_claim(r, name, path);
        if (status == RW_OK) status = write_block(r, path, b, arrays.n, arrays.list);
    }
    snprintf(name, sizeof name, "vtm/%06d.vtm", output);
    if (status == RW_OK) status = rw_folder_claim(r, name, path);
    if (status == RW_OK) status = rw_vtm_write(r->ctx, path, count, files);
    rw_free(texts);
    rw_free(files);
    free_arrays(&arrays);
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
        const bool vtm = rw_contents_in(r, (int)k, RW_WRITER_vtm);
        if (!vtm && !rw_contents_in(r, (int)k, RW_WRITER_vti)) continue;
        snprintf(texts[k], sizeof(*texts), vtm ? "vtm/%06zu.vtm" : "vti/%06zu.vti", k);
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

const rw_field_writer rw_vti_writer = {suits_vti, write_vti, write_pvd};
const rw_field_writer rw_vtm_writer = {suits_vtm, write_vtm, write_pvd};
