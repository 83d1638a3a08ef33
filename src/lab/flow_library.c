/* The library's own product and solver for the systems of the study flow. */
#include "lab/flow_library.h"

/* Entries of five points, by rows. */
static int64_t list_entries(const rw_flow_system *s, rw_entries *e)
{
    int64_t n = 0;
    for (int64_t row = 0; row < s->n; ++row) {
        const int64_t i = row % s->nx, j = row / s->nx;
        const bool there[] = {j > 0, i > 0, true, i < s->nx - 1, j < s->ny - 1};
        for (int d = 0; d < 5; ++d) {
            if (!there[d]) continue;
            e->row[n] = row;
            e->column[n] = row + s->offset[d];
            e->value[n++] = d == 2 ? s->middle : s->side;
        }
    }
    return n;
}

static rw_status make_matrix(rw_flow_library *own, const rw_flow_system *s)
{
    const size_t most = 5 * (size_t)s->n;
    rw_entries e = {.rows = s->n,
                    .columns = s->n,
                    .row = rw_calloc(most, sizeof *e.row),
                    .column = rw_calloc(most, sizeof *e.column),
                    .value = rw_calloc(most, sizeof *e.value)};
    rw_sparse_layout layout;
    rw_status status = e.row && e.column && e.value
                           ? rw_sparse_layout_parse(own->device->ctx, "dia", &layout)
                           : rw_fail_memory(own->device->ctx, 3 * most * sizeof *e.value, "entries of a matrix");
    if (status == RW_OK) {
        layout.values = rw_flow_dtype(s->f64);
        e.n = list_entries(s, &e);
        status = rw_sparse_from_entries(own->device, &layout, &e, &own->matrix);
    }
    rw_free(e.row);
    rw_free(e.column);
    rw_free(e.value);
    return status;
}

static rw_status make_library(rw_flow_library *own, const rw_flow_system *s, rw_flow_stop stop)
{
    const rw_krylov_spec spec = {.method = RW_KRYLOV_CG, .rtol = stop.tolerance, .iterations = stop.most};
    const rw_dtype type = rw_flow_dtype(s->f64);
    void *b;
    RW_TRY(make_matrix(own, s));
    RW_TRY(rw_krylov_create(rw_sparse_operator(own->matrix), type, &spec, &own->solver));
    RW_TRY(rw_array_create(own->device, type, 1, &s->n, RW_MEMORY_DEVICE, &own->b));
    RW_TRY(rw_array_create(own->device, type, 1, &s->n, RW_MEMORY_DEVICE, &own->x));
    RW_TRY(rw_array_write(own->b, &b));
    for (int64_t i = 0; i < s->n; ++i) {
        if (s->f64) ((double *)b)[i] = 1;
        else ((float *)b)[i] = 1;
    }
    RW_TRY(rw_array_send(own->b, rw_device_queue(own->device)));
    return rw_array_zero(own->x, rw_device_queue(own->device));
}

rw_status rw_flow_library_create(rw_device *dev, const rw_flow_system *s, rw_flow_stop stop, rw_flow_library *own)
{
    *own = (rw_flow_library){.device = dev};
    const rw_status status = make_library(own, s, stop);
    if (status != RW_OK) rw_flow_library_free(own);
    return status;
}

void rw_flow_library_free(rw_flow_library *own)
{
    rw_krylov_destroy(&own->solver);
    rw_sparse_destroy(&own->matrix);
    rw_array_destroy(&own->b);
    rw_array_destroy(&own->x);
}

rw_status rw_flow_library_multiply(rw_flow_library *own, rw_array *x, rw_array *y)
{
    return rw_sparse_multiply(own->matrix, RW_OP_NONE, NULL, x, NULL, y, rw_device_queue(own->device));
}

rw_status rw_flow_library_solve(rw_flow_library *own)
{
    RW_TRY(rw_array_zero(own->x, rw_device_queue(own->device)));
    const rw_status status = rw_krylov_solve(own->solver, own->b, own->x, &own->result);
    own->converged = status == RW_OK;
    return status == RW_ERR_NOT_CONVERGED ? RW_OK : status;
}
