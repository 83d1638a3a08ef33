/* Probes of a run: tables in probes/. Their curves: probes_figures.c.
 *
 * A value is the product of cubic polynomials along the axes, through the four nodes nearest to the point: error of
 * order h^4. Nodes on Dirichlet sides, with the values there, are among them; near other sides and ends of the grid the
 * four nodes lie on one side of the point. An axis of fewer nodes has a polynomial through all of them. Cost of a row:
 * one copy of each field to the host. */
#include "run/probes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/device.h"
#include "run/run_private.h"

enum { NODES = 4 };

/* The nodes along an axis that a value is made of, with their weights. */
typedef struct weights {
    int n;
    int64_t node[NODES];
    double weight[NODES];
} weights;

/* ---- interpolation ----------------------------------------------------------------------------------------------- */

static weights weights_at(const rw_layout *grid, const rw_domain *domain, int d, double x)
{
    const int64_t size = grid->size[d];
    const double place = (x - grid->origin[d]) / grid->spacing[d];
    const bool wraps = domain->periodic[d] && size >= NODES;
    weights w = {.n = (int)RW_MIN(size, NODES)};
    int64_t first = (int64_t)floor(place) - 1;
    if (!wraps) first = RW_MAX(RW_MIN(first, size - w.n), 0);
    for (int i = 0; i < w.n; i++) {
        w.node[i] = wraps ? ((first + i) % size + size) % size : first + i;
        w.weight[i] = 1;
        for (int j = 0; j < w.n; j++)
            if (j != i) w.weight[i] *= (place - (double)(first + j)) / (double)(i - j);
    }
    return w;
}

static void find_weights(const rw_layout *grid, const rw_domain *domain, const double x[3], weights w[3])
{
    for (int d = 0; d < 3; d++) w[d] = d < grid->ndim ? weights_at(grid, domain, d, x[d]) : (weights){1, {0}, {1}};
}

/* Whether a value is made of nodes on Dirichlet sides. */
static bool reads_sides(const rw_layout *grid, const bool has[6], const weights w[3])
{
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < w[d].n; i++)
            if ((has[2 * d] && w[d].node[i] == 0) || (has[2 * d + 1] && w[d].node[i] == grid->size[d] - 1)) return true;
    return false;
}

/* The data have a node less at each side of `without`. part: 1, the imaginary one. */
static double value_at(const int64_t size[3], const bool without[6], rw_dtype type, int part, const void *data,
                       const weights w[3])
{
    const bool single = rw_dtype_is_single(type);
    const int64_t parts = rw_dtype_is_complex(type) ? 2 : 1;
    double sum = 0;
    for (int c = 0; c < w[2].n; c++)
        for (int b = 0; b < w[1].n; b++)
            for (int a = 0; a < w[0].n; a++) {
                const int64_t k = w[2].node[c] - without[4], j = w[1].node[b] - without[2];
                const int64_t i = parts * ((k * size[1] + j) * size[0] + w[0].node[a] - without[0]) + part;
                const double u = single ? (double)((const float *)data)[i] : ((const double *)data)[i];
                sum += w[2].weight[c] * w[1].weight[b] * w[0].weight[a] * u;
            }
    return sum;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

int rw_probe_columns_before(const rw_run *r, const rw_probe *p) { return p->is_line ? 1 + r->grid->ndim : 1; }

static rw_status open_table(rw_run *r, int i, bool fresh)
{
    static const char *const axes[] = {"x", "y", "z"};
    rw_probes *all = r->probes;
    const rw_probe *p = &all->list[i];
    const int before = rw_probe_columns_before(r, p), nvalues = rw_probe_columns(r), n = before + nvalues;
    char name[80], path[RW_PATH_SIZE], (*values)[RW_PROBE_COLUMN];
    snprintf(name, sizeof(name), "probes/%.60s.csv", p->name);
    RW_TRY(rw_folder_claim(r, name, path));
    const char **names = rw_calloc((size_t)n, sizeof(*names));
    values = rw_calloc((size_t)nvalues + 1, sizeof(*values));
    if (!names || !values) {
        rw_free(names);
        rw_free(values);
        return rw_fail_memory(r->ctx, (size_t)n * sizeof(*names), name);
    }
    names[0] = rw_run_axis(r);
    for (int d = 0; d < before - 1; d++) names[1 + d] = axes[d];
    for (int f = 0, k = 0; f < r->problem->nfields; f++)
        for (int part = 0; part < rw_probe_parts(r, f); part++, k++) {
            rw_probe_column(r, f, part, values[k]);
            names[before + k] = values[k];
        }
    const rw_status status = fresh ? rw_csv_create(r->ctx, path, n, names, NULL, &all->table[i])
                                   : rw_csv_append(r->ctx, path, (uint64_t)all->position[i], n, names, &all->table[i]);
    rw_free(names);
    rw_free(values);
    return status;
}

rw_status rw_probes_prepare(rw_run *r)
{
    if (!r->output.probes || r->probes) return RW_OK;
    rw_probes *all = r->probes = rw_calloc(1, sizeof(*all));
    if (!all) return rw_fail_memory(r->ctx, sizeof(*all), "probes");
    RW_TRY(rw_probes_read(r->c, &r->problem->domain, true, &all->list, &all->n));
    all->table = rw_calloc((size_t)all->n + 1, sizeof(rw_csv *));
    all->position = rw_calloc((size_t)all->n + 1, sizeof(*all->position));
    return all->table && all->position ? RW_OK : rw_fail_memory(r->ctx, 64, "probes");
}

rw_status rw_probes_begin(rw_run *r, bool fresh)
{
    if (!r->probes || !r->probes->n) return RW_OK;
    RW_TRY(rw_folder_make(r, "probes"));
    for (int i = 0; i < r->probes->n; i++) RW_TRY(open_table(r, i, fresh));
    return RW_OK;
}

/* Adds the values of field f to the rows, [n points][width], at column `at`. Values on sides are computed only where a
 * point is near one. */
static rw_status add_field(rw_run *r, const rw_probe *p, int f, double *rows, int width, int at)
{
    static const bool none[6];
    const rw_dtype type = rw_array_dtype(r->problem->fields[f].array);
    const void *data;
    void *own = NULL;
    weights w[3];
    double x[3];
    rw_layout grid;
    bool has[6], wide = false;
    RW_TRY(rw_sides_grid(r, &grid, has));
    RW_TRY(rw_array_read(r->problem->fields[f].array, &data));
    for (int64_t i = 0; i < p->n && !wide; i++) {
        rw_probe_point(p, i, x);
        find_weights(&grid, &r->problem->domain, x, w);
        wide = reads_sides(&grid, has, w);
    }
    if (wide) RW_TRY(rw_sides_add(r, f, type, data, rw_run_time(r), &data, &own));
    for (int64_t i = 0; i < p->n; i++) {
        rw_probe_point(p, i, x);
        find_weights(&grid, &r->problem->domain, x, w);
        for (int part = 0; part < rw_probe_parts(r, f); part++)
            rows[i * width + at + part] =
                value_at(wide ? grid.size : r->grid->size, wide ? none : has, type, part, data, w);
    }
    rw_free(own);
    return RW_OK;
}

static rw_status write_rows(rw_run *r, int which)
{
    const rw_probe *p = &r->probes->list[which];
    const int before = rw_probe_columns_before(r, p), width = before + rw_probe_columns(r);
    double *rows = rw_calloc((size_t)p->n * (size_t)width, sizeof(*rows)), x[3];
    if (!rows) return rw_fail_memory(r->ctx, (size_t)p->n * (size_t)width * sizeof(*rows), "the rows of a probe");
    rw_status status = RW_OK;
    for (int f = 0, at = before; f < r->problem->nfields && status == RW_OK; f++) {
        status = add_field(r, p, f, rows, width, at);
        at += rw_probe_parts(r, f);
    }
    for (int64_t i = 0; i < p->n && status == RW_OK; i++) {
        double *row = rows + i * width;
        row[0] = rw_run_time(r);
        rw_probe_point(p, i, x);
        for (int d = 1; d < before; d++) row[d] = x[d - 1];
        status = rw_csv_row(r->probes->table[which], row);
    }
    rw_free(rows);
    return status;
}

rw_status rw_probes_write(rw_run *r, bool lines)
{
    bool any = false;
    for (int i = 0; r->probes && i < r->probes->n; i++) any = any || r->probes->list[i].is_line == lines;
    if (!any) return RW_OK;
    if (r->ops->derive) RW_TRY(r->ops->derive(r->problem));
    for (int i = 0; i < r->probes->n; i++)
        if (r->probes->list[i].is_line == lines) RW_TRY(write_rows(r, i));
    return RW_OK;
}

rw_status rw_probes_flush(rw_run *r)
{
    for (int i = 0; r->probes && i < r->probes->n; i++) RW_TRY(rw_csv_flush(r->probes->table[i], NULL));
    return RW_OK;
}

/* ---- checkpoints ------------------------------------------------------------------------------------------------- */

rw_status rw_probes_save(rw_run *r, rw_h5 *file)
{
    rw_probes *all = r->probes;
    uint64_t position;
    if (!all || !all->n) return RW_OK;
    for (int i = 0; i < all->n; i++) {
        RW_TRY(rw_csv_flush(all->table[i], &position));
        all->position[i] = (double)position;
    }
    const size_t n = (size_t)all->n;
    return rw_h5_write(file, "/run/probes", RW_F64, 1, &n, all->position, RW_H5_CHECKSUM);
}

rw_status rw_probes_load(rw_run *r, rw_h5 *file)
{
    const size_t n = r->probes ? (size_t)r->probes->n : 0;
    if (!n) return RW_OK;
    RW_TRY(rw_h5_read(file, "/run/probes", RW_F64, 1, &n, r->probes->position));
    for (size_t i = 0; i < n; i++)
        if (!(r->probes->position[i] >= 0 && r->probes->position[i] <= 0x1p53))
            return rw_fail(r->ctx, RW_ERR_INPUT,
                           "the position %g in a table of probes is invalid: the checkpoint is damaged: begin again "
                           "with rw_run_options.force",
                           r->probes->position[i]);
    return RW_OK;
}

rw_status rw_probes_close(rw_run *r)
{
    rw_status status = RW_OK;
    rw_probes *all = r->probes;
    for (int i = 0; all && all->table && i < all->n; i++) {
        const rw_status closed = rw_csv_close(&all->table[i]);
        if (status == RW_OK) status = closed;
    }
    return status;
}

void rw_probes_free(rw_run *r)
{
    rw_probes *all = r->probes;
    if (!all) return;
    rw_probes_close(r);
    rw_free(all->table);
    rw_free(all->position);
    rw_free(all->list);
    rw_free(all);
    r->probes = NULL;
}
