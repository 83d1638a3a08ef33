/* The state of an integrator besides its fields, as values with names: what rw_ode_save returns, checkpoints store and
 * rw_ode_load takes. First the time and the statistics, then what the method stores (rw_ode_ops.state), then the
 * method's number. Checkpoints without names have the values in this order. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "ode/ode.h"

static void refuse(rw_named *list, const char *name, double found)
{
    if (list->wrong) return;
    list->wrong = name;
    list->found = found;
}

double rw_named_value(rw_named *list, const char *name, double value, double least, double most)
{
    int64_t i = 0;
    if (!list->loads) {
        if (list->n < list->capacity && list->names) list->names[list->n] = name;
        if (list->n < list->capacity && list->values) list->values[list->n] = value;
        list->n++;
        return value;
    }
    while (i < list->n && strcmp(list->names[i], name) != 0) ++i;
    const double found = i < list->n ? list->values[i] : NAN;
    if (found >= least && found <= most) return found;
    refuse(list, name, found);
    return least;
}

int64_t rw_named_count(rw_named *list, const char *name, int64_t value, double most)
{
    const double found = rw_named_value(list, name, (double)value, 0, most);
    if (found != floor(found)) refuse(list, name, found);
    return (int64_t)found;
}

void rw_progress_exchange(rw_named *list, const rw_ode_ops *ops, rw_ode_progress *p)
{
    rw_ode_statistics *s = &p->stat;
    const double most = 1e300, counts = 1e18;
    p->t = rw_named_value(list, "time", p->t, -most, most);
    s->steps = rw_named_count(list, "steps", s->steps, counts);
    s->rejected = rw_named_count(list, "rejected", s->rejected, counts);
    s->rhs = rw_named_count(list, "rhs", s->rhs, counts);
    s->spectral_rhs = rw_named_count(list, "spectral_rhs", s->spectral_rhs, counts);
    s->spectral_radius = rw_named_value(list, "spectral_radius", s->spectral_radius, 0, most);
    s->stages = (int)rw_named_count(list, "stages", s->stages, INT_MAX);
    s->max_stages = (int)rw_named_count(list, "max_stages", s->max_stages, INT_MAX);
    s->step = rw_named_value(list, "step", s->step, 0, most);
    s->error = rw_named_value(list, "error", s->error, 0, most);
    for (int i = 0; ops->state[i]; ++i)
        p->controller[i] = rw_named_value(list, ops->state[i], p->controller[i], 0, most);
    (void)rw_named_count(list, "method", ops->method, most);
    s->undone = rw_named_count(list, "undone", s->undone, counts);
    if (p->moves) s->courant = rw_named_value(list, "courant", s->courant, 0, most);
    if (!p->unknowns) return;
    s->solves = rw_named_count(list, "solves", s->solves, counts);
    s->solve_iterations = rw_named_count(list, "solve_iterations", s->solve_iterations, counts);
    s->solve_residual = rw_named_value(list, "solve_residual", s->solve_residual, 0, most);
}
