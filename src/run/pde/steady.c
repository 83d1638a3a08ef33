/* Cases that end when the state no longer changes (time.end = steady).
 *
 *   rates                steps of the integrator, until the largest |du/dt|/max(|u|, 1) is at most time.tolerance;
 *                        fields without a rate are solved for inside each step
 *   no rates, or         one solve; the residual is the largest |F(u)| over what the tolerances of `solvers` allow
 *   time.method: newton   */
#include <math.h>
#include <string.h>

#include "expr/equations.h"
#include "run/pde/pde.h"

/* ---- what the case is -------------------------------------------------------------------------------------------- */

static bool mentions_time(const rw_syntax *s)
{
    if (s->kind == RW_SYNTAX_NAME && !strcmp(s->name, "t")) return true;
    for (int i = 0; i < s->n; ++i)
        if (mentions_time(s->args[i])) return true;
    return false;
}

static const rw_statement *find_rate(const rw_parsed *parsed, const char *field)
{
    for (int i = 0; i < parsed->n; ++i)
        if (parsed->statements[i].kind == RW_RATE && !strcmp(parsed->statements[i].name, field))
            return parsed->statements + i;
    return NULL;
}

/* A field with a rate is solved for by Newton's method, and where its marked terms are. */
static bool is_solved_for(const pde_problem *p, const rw_statement *rate)
{
    return !rate || p->time.method == RW_ODE_NEWTON ||
           (rw_ode_is_additive(p->time.method) && rw_has_implicit(rate->value));
}

/* Entries of fields that have none, or need none. */
static rw_status check_solvers(const rw_case *c, const pde_problem *p, const rw_parsed *parsed)
{
    const rw_tree *solvers = rw_case_node(c, "solvers");
    for (int i = 0; solvers && i < solvers->n; ++i) {
        const char *name = solvers->keys[i], *names[64];
        int f = p->nfields - 1, n = RW_MIN(p->nfields, 64);
        for (int k = 0; k < n; ++k) names[k] = p->fields[k].name;
        while (f >= 0 && strcmp(p->fields[f].name, name)) --f;
        if (f < 0)
            RW_NOTE(p->ctx, rw_case_fail_key(c, solvers, i, "solvers.%s: there is no field %s%s", name, name,
                                             rw_hint_nearest(name, names, n).text));
        else if (!is_solved_for(p, find_rate(parsed, name)))
            RW_NOTE(p->ctx, rw_case_fail_key(c, solvers, i,
                                             "solvers.%s: the equation for %s has a time derivative: it needs no "
                                             "solver, except with time.method: newton, or for marked terms, "
                                             "implicit(e), with imex1 and ark2",
                                             name, name));
    }
    return RW_OK;
}

rw_status pde_find_kind(const rw_case *c, pde_problem *p)
{
    const rw_source source = {rw_case_file(c), p->equations, 1, 1};
    const rw_tree *end = rw_case_node(c, "time.end");
    rw_parsed parsed = {0};
    const rw_statement *timed = NULL;
    int rates = 0, equations = 0;
    if (!p->equations || rw_parse_statements(p->ctx, &source, &parsed) != RW_OK) return RW_OK; /* inspect.c says it */
    rw_find_equations(&parsed, p->fields, p->nfields);
    for (int i = 0; i < parsed.n; ++i) {
        rates += parsed.statements[i].kind == RW_RATE;
        equations += parsed.statements[i].kind == RW_EQUATION;
        if (!timed && mentions_time(parsed.statements[i].value)) timed = parsed.statements + i;
        if (!timed && equations && parsed.statements[i].left && mentions_time(parsed.statements[i].left))
            timed = parsed.statements + i;
    }
    const bool newton = p->time.method == RW_ODE_NEWTON && !p->no_time;
    p->algebraic = (equations > 0 && rates == 0) || newton;
    p->solves = equations > 0 && !p->algebraic;
    p->base.stationary = pde_is_steady(p);
    rw_status status = RW_OK;
    if (timed && pde_is_steady(p))
        status = rw_fail_at(p->ctx, &source, timed->at,
                            "time.end = steady, but the equations depend on t: give a final time, or leave t out");
    if (status == RW_OK) status = check_solvers(c, p, &parsed);
    rw_parsed_free(&parsed);
    RW_TRY(status);
    if (newton && !pde_is_steady(p))
        return rw_case_fail(c, end,
                            "time.end = %s with time.method = newton, which finds steady states: write end: steady, or "
                            "take another method",
                            end->text);
    if (p->algebraic && p->grid.ndim == 0 && newton)
        RW_NOTE(p->ctx, rw_case_fail(c, rw_case_node(c, "grid"),
                                     "grid: none with time.method = newton: it needs a grid: omit time.method, then "
                                     "the steady state is found by steps"));
    else if (p->algebraic && p->grid.ndim == 0)
        RW_NOTE(p->ctx, rw_case_fail(c, rw_case_node(c, "grid"),
                                     "grid: none: equations without a time derivative need a grid; the steady state of "
                                     "ordinary differential equations is found with rates and time: {end: steady}"));
    if (p->algebraic && end && !p->no_time && !pde_is_steady(p))
        return rw_case_fail(c, end,
                            "time.end = %s: no equation has a time derivative: write time: {end: steady}, the fields "
                            "are solved for",
                            end->text);
    if (p->dense && pde_is_steady(p))
        return rw_case_fail(c, rw_case_node(c, "output.interpolate"),
                            "output.interpolate with time.end = steady: there are no times of outputs: omit it");
    return RW_OK;
}

/* ---- the state --------------------------------------------------------------------------------------------------- */

double pde_time_now(const pde_problem *p) { return p->ode ? rw_ode_time(p->ode) : p->time.start; }

static int64_t iterations(const rw_problem *problem)
{
    const pde_problem *p = (const pde_problem *)problem;
    rw_ode_statistics s = {0};
    if (!p->ode) return p->iterations;
    rw_ode_get_statistics(p->ode, &s);
    return s.steps;
}

static double residual(const rw_problem *problem) { return ((const pde_problem *)problem)->residual; }

rw_status pde_find_residual(pde_problem *p)
{
    if (!pde_is_steady(p)) return RW_OK;
    if (p->ode) return rw_ode_get_rate(p->ode, &p->residual, NULL);
    RW_TRY(rw_elliptic_measure(p->elliptic, &p->residual));
    p->residual *= p->base.tolerance;
    /* a case is solved once at least: where the equations leave the mean open, that of the start is another one */
    if (p->iterations == 0) p->residual = fmax(p->residual, nextafter(p->base.tolerance, INFINITY));
    return RW_OK;
}

/* Later than any step, and small enough to be counted in steps. */
static const double NEVER = 1e290;

/* One step, or the whole solve. */
static rw_status solve(rw_problem *problem)
{
    pde_problem *p = (pde_problem *)problem;
    rw_elliptic_result result;
    if (p->ode) {
        RW_TRY(rw_ode_step(p->ode, NEVER));
        return pde_find_residual(p);
    }
    const rw_status status = rw_elliptic_solve(p->elliptic, &result);
    p->iterations += status == RW_OK ? RW_MAX(result.steps, 1) : result.steps;
    p->residual = result.first > 0 ? p->residual * result.residual / result.first : 0;
    if (status == RW_OK) p->residual = fmin(p->residual, p->base.tolerance);
    return status;
}

const rw_stationary_ops pde_stationary = {.solve = solve, .residual = residual, .iterations = iterations};
