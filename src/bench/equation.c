/* An equation through the expression compiler, with fields of f64 of its own. */
#include "bench/bench.h"

rw_status rw_equation_make(rw_bench *b, const rw_equation_spec *s, rw_equation *e)
{
    rw_expr_field fields[RW_EQUATION_FIELDS];
    rw_expr_spec spec = s->program;
    e->cells = spec.grid.size[0] * spec.grid.size[1] * spec.grid.size[2];
    e->nfields = s->n;
    e->queue = b->queue;
    e->threads = b->threads;
    for (int f = 0; f < s->n; ++f) {
        fields[f] = (rw_expr_field){.name = s->names[f], .dtype = RW_F64};
        for (int side = 0; s->side && side < 2 * spec.grid.ndim; ++side) fields[f].boundary[side] = *s->side;
        RW_TRY(rw_bench_array(b, RW_F64, e->cells, &e->field[f]));
        RW_TRY(isnan(s->low[f]) ? rw_bench_poison(e->field[f])
                                : rw_random_fill(e->field[f], s->seed + (uint64_t)f, s->low[f]));
    }
    spec.fields = fields;
    spec.nfields = s->n;
    RW_TRY(rw_expr_create(b->dev, &spec, &e->expr));
    for (int f = 0; f < s->n; ++f) RW_TRY(rw_expr_bind(e->expr, s->names[f], e->field[f]));
    return RW_OK;
}

void rw_equation_free(void *equation)
{
    rw_equation *e = equation;
    for (int f = 0; f < e->nfields; ++f) rw_array_destroy(&e->field[f]);
    rw_array_destroy(&e->output);
    rw_expr_destroy(&e->expr);
}

rw_status rw_equation_run(void *user, int round RW_UNUSED)
{
    rw_equation *e = user;
    return rw_expr_run(e->expr, e->queue);
}

rw_status rw_equation_read(rw_equation *e)
{
    const void *data;
    for (int f = 0; f < e->nfields; ++f) {
        RW_TRY(rw_array_read(e->field[f], &data));
        e->host[f] = data;
    }
    return RW_OK;
}

rw_status rw_equation_add_loop(rw_bench *b, rw_equation *e, rw_repetition *loop, rw_peers *peers)
{
    RW_TRY(rw_bench_output(b, RW_F64, e->cells, &e->output, &e->out));
    rw_peers_add(peers, "C loop", loop, e);
    return RW_OK;
}
