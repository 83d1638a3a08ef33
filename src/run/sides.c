/* Nodes on Dirichlet sides in outputs and pictures: they are no unknowns, so no array of the problem holds them.
 *
 *   o o o o o      o  node on a Dirichlet side, with the value that its boundary condition gives at this time
 *   o x x x o      x  unknown
 *   o o o o o
 * All fields of a problem have their nodes in the same places. Cost: a copy of the field on the host. */
#include "run/run_private.h"

#include <string.h>

#include "core/convert.h"

rw_status rw_sides_grid(rw_run *r, rw_layout *grid, bool has[6])
{
    bool none[6] = {false};
    if (!has) has = none;
    *grid = *r->grid;
    memset(has, 0, 6 * sizeof(*has));
    if (!r->ops->sides || r->grid->blocks || r->problem->nfields == 0) return RW_OK;
    RW_TRY(r->ops->sides(r->problem, 0, 0, has, NULL));
    for (int s = 0; s < 6; s++) {
        grid->size[s / 2] += has[s];
        if (has[s] && s % 2 == 0) grid->origin[s / 2] -= grid->spacing[s / 2];
    }
    return RW_OK;
}

rw_status rw_sides_add(rw_run *r, int field, rw_dtype type, const void *data, double t, const void **values, void **own)
{
    rw_layout g;
    bool has[6];
    const int64_t *n = r->grid->size;
    *values = data;
    *own = NULL;
    RW_TRY(rw_sides_grid(r, &g, has));
    const size_t count = (size_t)(g.size[0] * g.size[1] * g.size[2]);
    if ((int64_t)count == r->points) return RW_OK;
    const bool complex = rw_dtype_is_complex(type);
    const size_t parts = complex ? 2 : 1;
    double *wide = rw_calloc(count, parts * sizeof(*wide));
    if (!wide) return rw_fail_memory(r->ctx, count * parts * sizeof(*wide), "a field with its boundary nodes");
    for (int64_t k = 0; k < n[2]; k++)
        for (int64_t j = 0; j < n[1]; j++) {
            const size_t row = (size_t)(((k + has[4]) * g.size[1] + j + has[2]) * g.size[0] + has[0]),
                         first = (size_t)((k * n[1] + j) * n[0]);
            rw_dtype_convert(complex ? RW_C128 : RW_F64, wide + parts * row, type,
                             (const char *)data + first * rw_dtype_size(type), (size_t)n[0]);
        }
    rw_status status = r->ops->sides(r->problem, field, t, has, wide);
    if (status != RW_OK) {
        rw_free(wide);
        return status;
    }
    const bool single = type == RW_F32 || type == RW_C64;
    float *narrow = (float *)wide; /* element i ends where element i of wide begins, or earlier */
    for (size_t i = 0; i < parts * count && single; i++) {
        const float value = (float)wide[i];
        memcpy(narrow + i, &value, sizeof(value));
    }
    *values = *own = wide;
    return RW_OK;
}

rw_status rw_output_outer(rw_run *r, rw_layout *grid)
{
    *grid = *r->grid;
    return r->no_sides ? RW_OK : rw_sides_grid(r, grid, NULL);
}
