/* The integrator of a run in checkpoints: one attribute per named value. Older checkpoints have one array of all values
 * in the order in which an integrator saves them: /state "integrator" and "history". */
#include "run/pde/pde.h"

enum { MOST = 64 };

typedef struct part {
    const char *object, *array; /* attributes of the object; an array of /state in older checkpoints */
    int64_t (*save)(const rw_ode *ode, const char **names, double *values, int64_t capacity);
    rw_status (*load)(rw_ode *ode, const char *const *names, const double *values, int64_t n);
} part;
static const part parts[] = {{"/state", "integrator", rw_ode_save, rw_ode_load},
                             {"/history", "history", rw_history_save, rw_history_load}};

static int count(const pde_problem *p) { return p->dense ? 2 : 1; }

rw_status pde_save_integrator(const pde_problem *p, rw_h5 *file)
{
    const char *names[MOST];
    double values[MOST];
    if (!p->ode) return rw_h5_set_number(file, "/state", "iterations", (double)p->iterations);
    for (const part *at = parts; at < parts + count(p); ++at) {
        const int64_t n = at->save(p->ode, names, values, MOST);
        RW_TRY(rw_h5_group(file, at->object));
        for (int i = 0; i < n; ++i) RW_TRY(rw_h5_set_number(file, at->object, names[i], values[i]));
    }
    return RW_OK;
}

rw_status pde_load_integrator(pde_problem *p, rw_h5 *file)
{
    const char *names[MOST];
    double values[MOST];
    if (!p->ode) {
        RW_TRY(rw_h5_get_number(file, "/state", "iterations", values));
        p->iterations = (int64_t)values[0];
        return RW_OK;
    }
    for (const part *at = parts; at < parts + count(p); ++at) {
        const int64_t n = at->save(p->ode, names, NULL, MOST);
        if (rw_h5_has_attribute(file, "/state", at->array))
            RW_TRY(rw_h5_get_numbers(file, "/state", at->array, (int)n, values));
        else
            for (int i = 0; i < n; ++i) RW_TRY(rw_h5_get_number(file, at->object, names[i], values + i));
        RW_TRY(at->load(p->ode, names, values, n));
    }
    return RW_OK;
}
