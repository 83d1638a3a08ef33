/* The state of an integrator besides its fields, as values with names: what rw_ode_save hands out, checkpoints store and
 * rw_ode_load takes. First the time and the statistics, then what the method stores (rw_ode_ops.state), then the
 * method's number. The order is that of checkpoints that had no names. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "ode/ode.h"

typedef enum kind { ANY, REAL, COUNT, STAGES } kind;

static const struct row {
    const char *name;
    kind kind;
    size_t place;
} rows[] = {
#define ROW(name, kind, member)                                                                                        \
    {                                                                                                                  \
        name, kind, offsetof(rw_ode_progress, member)                                                                  \
    }
    ROW("time", ANY, t),
    ROW("steps", COUNT, stat.steps),
    ROW("rejected", COUNT, stat.rejected),
    ROW("rhs", COUNT, stat.rhs),
    ROW("spectral_rhs", COUNT, stat.spectral_rhs),
    ROW("spectral_radius", REAL, stat.spectral_radius),
    ROW("stages", STAGES, stat.stages),
    ROW("max_stages", STAGES, stat.max_stages),
    ROW("step", REAL, stat.step),
    ROW("error", REAL, stat.error),
    ROW("undone", COUNT, stat.undone), /* after those of the method */
#undef ROW
};
enum { ROWS = RW_COUNT(rows), AFTER = ROWS - 1 };

void rw_named_add(rw_named *to, const char *name, double value)
{
    if (to->n < to->capacity && to->names) to->names[to->n] = name;
    if (to->n < to->capacity && to->values) to->values[to->n] = value;
    to->n++;
}

bool rw_named_find(const rw_named *in, const char *name, double *value)
{
    for (int64_t i = 0; i < in->n; ++i)
        if (!strcmp(in->names[i], name)) {
            *value = in->values[i];
            return true;
        }
    return false;
}

static double get(const rw_ode_progress *p, const struct row *r)
{
    const char *at = (const char *)p + r->place;
    return r->kind == COUNT ? (double)*(const int64_t *)at : r->kind == STAGES ? *(const int *)at : *(const double *)at;
}

static void put(rw_ode_progress *p, const struct row *r, double value)
{
    char *at = (char *)p + r->place;
    if (r->kind == COUNT) *(int64_t *)at = (int64_t)value;
    else if (r->kind == STAGES) *(int *)at = (int)value;
    else *(double *)at = value;
}

void rw_progress_save(const rw_ode_progress *p, const rw_ode_ops *ops, rw_named *to)
{
    for (int i = 0; i < AFTER; ++i) rw_named_add(to, rows[i].name, get(p, rows + i));
    for (int i = 0; ops->state[i]; ++i) rw_named_add(to, ops->state[i], p->controller[i]);
    rw_named_add(to, "method", ops->method);
    rw_named_add(to, rows[AFTER].name, get(p, rows + AFTER));
}

/* A value that rw_progress_save can have written. */
static rw_status find(rw_context *ctx, const rw_named *from, const char *name, kind of, double *value)
{
    const double most = of == COUNT ? 1e18 : of == STAGES ? INT_MAX : 1e300;
    if (!rw_named_find(from, name, value))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "there is no %s in the state: load a state that rw_ode_save has saved",
                       name);
    if (fabs(*value) <= most && (of == ANY || *value >= 0)) return RW_OK;
    return rw_fail(ctx, RW_ERR_ARGUMENT, "%s = %g was not written by rw_ode_save: load a state that it has saved", name,
                   *value);
}

rw_status rw_progress_load(rw_context *ctx, const rw_named *from, const rw_ode_ops *ops, rw_ode_progress *p)
{
    double value;
    *p = (rw_ode_progress){0};
    for (int i = 0; i < ROWS; ++i) {
        RW_TRY(find(ctx, from, rows[i].name, rows[i].kind, &value));
        put(p, rows + i, value);
    }
    for (int i = 0; ops->state[i]; ++i) RW_TRY(find(ctx, from, ops->state[i], REAL, &p->controller[i]));
    return RW_OK;
}

rw_ode_progress rw_ode_progress_of(const rw_ode *ode)
{
    rw_ode_progress p = {.t = ode->t, .stat = ode->stat};
    memcpy(p.controller, ode->controller, sizeof p.controller);
    return p;
}

void rw_ode_return_to(rw_ode *ode, const rw_ode_progress *p)
{
    ode->t = p->t;
    ode->stat = p->stat;
    memcpy(ode->controller, p->controller, sizeof ode->controller);
}
