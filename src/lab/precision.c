/* Study: right-hand sides and seconds that methods take for an error in time, on three problems that others have
 * measured too, and how far errors are from tolerances on six small ones.
 *
 *   front        du/dt = 0.1 laplace(u) - u_x - u_y + 10 (u - u^3), forward differences, u = 0 on the sides, u = 1 at t
 *                = 0, 64 x 64 unknowns 0.01 apart, to t = 1: the study rock4 with N = 64
 *   source       du/dt = 10 laplace(u) + s(t, x, y), u = 0 on the sides, u = sin(pi x)^2 sin(pi y)^2 at t = 0, of which
 *                s makes u(t) = u(0) cos(pi t)^2 but for the error of the differences, 62 x 62 unknowns on the unit
 *                square, to t = 1: a source that is stiff, in SUNDIALS' example ark_heat2D_lsrk
 *   brusselator  du/dt = 1 + u^2 v - 4.4 u + 0.1 laplace(u) + s, dv/dt = 3.4 u - u^2 v + 0.1 laplace(v), periodic, s =
 *                5 on a disc from t = 1.1 on, 128 x 128 nodes of the unit square, to t = 11.5: Hairer and Wanner,
 *                Solving Ordinary Differential Equations II, IV.10
 *   gray-scott   du/dt = 0.16 laplace(u) - u v^2 + 0.035 (1 - u), dv/dt = 0.08 laplace(v) + u v^2 - 0.1 v, periodic, 64
 *                x 64 nodes 1 apart, to 200
 *   switched     the brusselator with 32 x 32 nodes, to t = 3: a source that is switched on in time
 *   convection   du/dt = 0.02 u_xx - u_x on [0, 1], 129 nodes, u + 0.1 du/dn = sin(6 t) on the left, u/2 + du/dn = 0 on
 *                the right
 *   relaxation   du/dt = -u_x - 1000 (u - v), dv/dt = 0.05 v_xx - v_x + 100 (u - v) + sin(3 t), periodic, 64 nodes, to
 *                t = 2: stiff
 *   moving       du/dt = 0.001 u_xx + 10 where |x - t| < 0.05, 101 nodes, to t = 2: a source with edges that pass node
 *                after node
 *   pulses       du/dt = 20 (1 + x) where mod(t, 1) < 0.1, less u (1 + x), 0.01 u_xx, 16 nodes, to t = 10: pulses in
 *                time
 *
 * Errors are the largest differences at the end from a reference solution of the same differences: rock4 at tolerance
 * 1e-12 (moving: 1e-11). It is checked by classical Runge-Kutta steps that stability bounds, which share neither stages
 * nor step control with it; where the right-hand side jumps in place, where such steps are of first order, by dp5.
 * bench/peers/sundials.c integrates the same and measures its errors from the same references; `peers` takes its
 * table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/precision.h"
#include "measure/measure.h"

enum { REFERENCES, WORK, SUMMARY, ACCURACY };
enum { PROBLEM }; /* the first column of each table */
static const double PI = 3.14159265358979323846;

/* ---- the problems ------------------------------------------------------------------------------------------------ */

typedef struct problem {
    const char *equations;
    int ndim, n, nfields; /* n: unknowns along a side */
    double spacing, origin;
    const rw_boundary *sides; /* [4]; NULL: u = 0 */
    const char *radius;       /* NULL: estimated */
    rw_lab_initial *initial;
    double end;
    bool jumps;  /* in place: the check is by dp5 */
    double step; /* of the check; 0: what stability allows */
} problem;

static double one(const double x[3] RW_UNUSED, int f RW_UNUSED) { return 1; }

static double bump(const double x[3], int f RW_UNUSED)
{
    double a = sin(PI * x[0]), b = sin(PI * x[1]);
    return a * a * b * b;
}

static double waves(const double x[3], int f)
{
    return f ? 27 * x[0] * pow(1 - x[0], 1.5) : 22 * x[1] * pow(1 - x[1], 1.5);
}

static double zero(const double x[3] RW_UNUSED, int f RW_UNUSED) { return 0; }
static double spot(const double x[3], int f)
{
    double e = exp(-((x[0] - 32) * (x[0] - 32) + (x[1] - 32) * (x[1] - 32)) / 20);
    return f ? 0.25 * e : 1 - 0.5 * e;
}
static double peak(const double x[3], int f RW_UNUSED) { return exp(-100 * (x[0] - 0.3) * (x[0] - 0.3)); }
static double sine(const double x[3], int f) { return f ? 1 : 1 + 0.5 * sin(2 * PI * x[0]); }

#define PERIODIC                                                                                                       \
    {                                                                                                                  \
        RW_BOUNDARY_PERIODIC, NULL, NULL, NULL                                                                         \
    }
#define OPEN                                                                                                           \
    {                                                                                                                  \
        RW_BOUNDARY_NEAREST, NULL, NULL, NULL                                                                          \
    }
static const rw_boundary periodic[4] = {PERIODIC, PERIODIC, PERIODIC, PERIODIC},
                         open_sides[4] = {OPEN, OPEN, OPEN, OPEN};
static const rw_boundary robin[4] = {{RW_BOUNDARY_ROBIN, "1", "0.1", "sin(6*t)"},
                                     {RW_BOUNDARY_ROBIN, "0.5", "1", "0"},
                                     OPEN,
                                     OPEN};

#define BRUSSELATOR                                                                                                    \
    "du/dt = 1 + u^2*v - 4.4*u + 0.1*laplace(u) + where(t >= 1.1, 5, 0)"                                               \
    "*where((x - 0.3)^2 + (y - 0.6)^2 <= 0.01, 1, 0)\n"                                                                \
    "dv/dt = 3.4*u - u^2*v + 0.1*laplace(v)"

static const char *const problem_names[] = {"front",      "source",     "brusselator", "gray-scott", "switched",
                                            "convection", "relaxation", "moving",      "pulses"};
static const problem problems[] = {
    {.equations = "du/dt = 0.1*laplace(u) - dx_forward(u) - dy_forward(u) + 10*(u - u^3)",
     .ndim = 2,
     .n = 64,
     .nfields = 1,
     .spacing = 0.01,
     .origin = 0.01,
     .initial = one,
     .end = 1,
     .step = 4e-5},
    {.equations = "c = cos(pi*t)^2\n"
                  "du/dt = 10*laplace(u) - 2*pi*sin(pi*x)^2*sin(pi*y)^2*sin(pi*t)*cos(pi*t) - 20*pi^2*c*"
                  "((cos(pi*x)^2 - sin(pi*x)^2)*sin(pi*y)^2 + (cos(pi*y)^2 - sin(pi*y)^2)*sin(pi*x)^2)",
     .ndim = 2,
     .n = 62,
     .nfields = 1,
     .spacing = 1. / 63,
     .origin = 1. / 63,
     .radius = "8*10*63^2",
     .initial = bump,
     .end = 1},
    {.equations = BRUSSELATOR,
     .ndim = 2,
     .n = 128,
     .nfields = 2,
     .spacing = 1. / 128,
     .sides = periodic,
     .initial = waves,
     .end = 11.5},
    {.equations = "du/dt = 0.16*laplace(u) - u*v^2 + 0.035*(1 - u)\ndv/dt = 0.08*laplace(v) + u*v^2 - 0.1*v",
     .ndim = 2,
     .n = 64,
     .nfields = 2,
     .spacing = 1,
     .sides = periodic,
     .initial = spot,
     .end = 200,
     .step = 0.05},
    {.equations = BRUSSELATOR,
     .ndim = 2,
     .n = 32,
     .nfields = 2,
     .spacing = 1. / 32,
     .sides = periodic,
     .initial = waves,
     .end = 3,
     .step = 2e-4},
    {.equations = "du/dt = 0.02*dxx(u) - dx(u)",
     .ndim = 1,
     .n = 129,
     .nfields = 1,
     .spacing = 1. / 128,
     .sides = robin,
     .initial = peak,
     .end = 1,
     .step = 2e-4},
    {.equations = "du/dt = -dx(u) - 1000*(u - v)\ndv/dt = 0.05*laplace(v) - dx(v) + 100*(u - v) + sin(3*t)",
     .ndim = 1,
     .n = 64,
     .nfields = 2,
     .spacing = 1. / 64,
     .sides = periodic,
     .initial = sine,
     .end = 2,
     .step = 1e-4},
    {.equations = "du/dt = where(abs(x - t) < 0.05, 10, 0) + 0.001*laplace(u)",
     .ndim = 1,
     .n = 101,
     .nfields = 1,
     .spacing = 0.01,
     .sides = open_sides,
     .initial = zero,
     .end = 2,
     .jumps = true},
    {.equations = "du/dt = where(mod(t, 1) < 0.1, 20*(1 + x), 0) - u*(1 + x) + 0.01*laplace(u)",
     .ndim = 1,
     .n = 16,
     .nfields = 1,
     .spacing = 1. / 16,
     .sides = open_sides,
     .initial = zero,
     .end = 10,
     .step = 1e-3},
};

/* ---- one integration --------------------------------------------------------------------------------------------- */

typedef struct method {
    rw_ode_method method;
    const char *name;
    double tol; /* 0: fixed steps */
    int runs;
} method;

static rw_status solve(rw_lab *lab, int k, const method *m, rw_lab_solution *s)
{
    const problem *p = problems + k;
    rw_expr_field fields[2] = {{.name = "u", .dtype = RW_F64}, {.name = "v", .dtype = RW_F64}};
    for (int f = 0; f < 2; ++f)
        for (int side = 0; side < 4; ++side)
            fields[f].boundary[side] =
                p->sides ? p->sides[side] : (rw_boundary){RW_BOUNDARY_DIRICHLET, "0", NULL, NULL};
    rw_lab_integration task = {.initial = p->initial, .stops = &p->end, .nstops = 1, .runs = m->runs};
    task.spec = (rw_ode_spec){.name = "lab precision",
                              .equations = p->equations,
                              .grid = {p->ndim,
                                       {p->n, p->ndim > 1 ? p->n : 1, 1},
                                       {p->spacing, p->spacing, 1},
                                       {p->origin, p->origin, 0}},
                              .fields = fields,
                              .nfields = p->nfields,
                              .method = m->method,
                              .end = p->end,
                              .rtol = m->tol,
                              .atol = m->tol,
                              .step = p->step,
                              .spectral_radius = p->radius,
                              .record = RW_SWITCH_ON};
    if (m->tol > 0) snprintf(task.what, sizeof task.what, "%s, %s, tolerance %g", problem_names[k], m->name, m->tol);
    else snprintf(task.what, sizeof task.what, "%s, %s, fixed steps", problem_names[k], m->name);
    return rw_lab_integrate(lab, &task, 0, s);
}

/* A row that begins with the problem's name. */
static rw_status new_row(rw_lab *lab, int table, int k)
{
    RW_TRY(rw_lab_row(lab, table));
    return rw_lab_put_name(lab, table, PROBLEM, problem_names[k], false);
}

/* ---- the solution that errors are taken from --------------------------------------------------------------------- */

enum { R_STEPS = PROBLEM + 1, R_CHECK = R_STEPS + RW_LAB_WORKS, R_DIFFERENCE };
static const rw_lab_column references[] = {
    [PROBLEM] = {"problem", "", RW_SHOW_NAME, false, NULL},
    [R_STEPS] = RW_LAB_WORK,
    [R_CHECK] = {"check rhs", "", RW_SHOW_INTEGER, false,
                 "evaluations for the check by classical Runge-Kutta steps, or by dp5 at tolerance 1e-10 if the "
                 "right-hand side is discontinuous in space"},
    [R_DIFFERENCE] = {"difference", "", RW_SHOW_ERROR, false,
                      "largest difference of the two solutions: errors near it are not significant"},
};

static rw_status check_reference(rw_lab *lab, int k, const rw_lab_solution *reference)
{
    rw_lab_solution check;
    RW_TRY(new_row(lab, REFERENCES, k));
    rw_lab_put_work(lab, REFERENCES, R_STEPS, &reference->work);
    const method by = problems[k].jumps ? (method){RW_ODE_DP5, "dp5", 1e-10, 0} : (method){RW_ODE_RK4, "rk4", 0, 0};
    rw_status status = solve(lab, k, &by, &check);
    if (check.finished) {
        rw_lab_put(lab, REFERENCES, R_CHECK, -1, (double)check.work.rhs);
        rw_lab_put(lab, REFERENCES, R_DIFFERENCE, -1, rw_lab_difference(&check, reference));
    }
    rw_free(check.u);
    return status;
}

/* FOLDER/front.f64: field after field, x fastest, the bytes of this machine */
static rw_status save_reference(rw_lab *lab, int k, const rw_lab_solution *reference)
{
    const char *folder = rw_lab_setting_of(lab, "references")->text;
    if (!*folder) return RW_OK;
    char *path = rw_format("%s/%s.f64", folder, problem_names[k]);
    if (!path) return rw_fail_memory(lab->ctx, 256, folder);
    rw_status status = rw_file_write(lab->ctx, path, reference->u, (size_t)reference->n * sizeof *reference->u);
    rw_free(path);
    return status;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

enum { W_METHOD = PROBLEM + 1, W_TOLERANCE, W_STEPS, W_RHS = W_STEPS + 2, W_ERROR = W_STEPS + RW_LAB_WORKS, W_SECONDS };
static const rw_lab_column work[] = {
    [PROBLEM] = {"problem", "", RW_SHOW_NAME, false, NULL},
    [W_METHOD] = {"method", "", RW_SHOW_NAME, false,
                  "method; with the name of a file in front: from the table of parameter peers"},
    [W_TOLERANCE] = {"tolerance", "", RW_SHOW_ERROR, false, "relative and absolute tolerance"},
    [W_STEPS] = RW_LAB_WORK,
    [W_ERROR] = {"error", "", RW_SHOW_ERROR, false, "largest error at the end, compared with the reference solution"},
    [W_SECONDS] = {"seconds", "s", RW_SHOW_SECONDS, false,
                   "best time of the integration over the runs after the first, which compiles"},
};

static rw_status put_point(rw_lab *lab, const rw_lab_point *p)
{
    RW_TRY(new_row(lab, WORK, p->problem));
    rw_lab_put(lab, WORK, W_METHOD, -1, p->name);
    rw_lab_put(lab, WORK, W_TOLERANCE, -1, p->tolerance);
    if (isnan(p->error)) return RW_OK;
    rw_lab_put_work(lab, WORK, W_STEPS, &p->work);
    rw_lab_put(lab, WORK, W_ERROR, -1, p->error);
    rw_lab_put(lab, WORK, W_SECONDS, -1, p->seconds);
    return RW_OK;
}

/* Ours, then those of others. */
static rw_status put_points(rw_lab *lab, int k, const rw_lab_points *points)
{
    for (int other = 0; other < 2; ++other)
        for (int i = 0; i < points->n; ++i)
            if (points->at[i].problem == k && lab->names[points->at[i].name].other == other)
                RW_TRY(put_point(lab, points->at + i));
    return RW_OK;
}

/* `last` is what AUTO was at the tolerance before. */
static void note_choice(rw_lab *lab, int k, const method *m, const rw_lab_solution *s, char last[16])
{
    if (m->method != RW_ODE_AUTO || !strcmp(s->method, last)) return;
    rw_lab_note(lab, "%s, tolerance %g: auto is %s: %s", problem_names[k], m->tol, s->method, s->reason);
    snprintf(last, 16, "%s", s->method);
}

static int looser_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* A method at all tolerances. */
static rw_status measure_method(rw_lab *lab, int k, method m, const rw_lab_solution *reference, rw_lab_points *points)
{
    rw_lab_setting tolerances = *rw_lab_setting_of(lab, "tolerances");
    char last[16] = "";
    rw_lab_point p = {.problem = k};
    qsort(tolerances.number, (size_t)tolerances.n, sizeof *tolerances.number, looser_first);
    RW_TRY(rw_lab_name(lab, m.name, false, &p.name));
    for (int i = 0; i < tolerances.n; ++i) {
        rw_lab_solution s;
        m.tol = p.tolerance = tolerances.number[i];
        rw_status status = solve(lab, k, &m, &s);
        p.error = s.finished ? rw_lab_difference(&s, reference) : NAN;
        p.seconds = s.seconds;
        p.work = s.work;
        if (status == RW_OK && s.finished) note_choice(lab, k, &m, &s, last);
        if (status == RW_OK) status = rw_lab_add_point(lab, points, &p);
        rw_free(s.u);
        if (status != RW_OK) return status;
    }
    return RW_OK;
}

/* ---- at one error ------------------------------------------------------------------------------------------------ */

enum { S_METHOD = PROBLEM + 1, S_RHS, S_SECONDS, S_RHS_RATIO, S_SECONDS_RATIO };
static const rw_lab_column summary[] = {
    [PROBLEM] = {"problem", "", RW_SHOW_NAME, false, NULL},
    [S_METHOD] = {"method", "", RW_SHOW_NAME, false, NULL},
    [S_RHS] = {"rhs", "", RW_SHOW_INTEGER, false,
               "evaluations of the right-hand side at the given error, interpolated logarithmically between two "
               "tolerances"},
    [S_SECONDS] = {"seconds", "s", RW_SHOW_SECONDS, false, NULL},
    [S_RHS_RATIO] = {"rhs ratio", "", RW_SHOW_RATIO, false,
                     "rhs divided by the fewest evaluations of parameter peers for the problem"},
    [S_SECONDS_RATIO] = {"seconds ratio", "", RW_SHOW_RATIO, false,
                         "seconds divided by the shortest time of parameter peers for the problem"},
};

typedef struct effort {
    double rhs, seconds;
} effort;

static double between(double a, double b, double s) { return exp((1 - s) * log(a) + s * log(b)); }

/* Of one curve; where it crosses the error more than once, the last time. NaN: it does not. */
static effort effort_at(const rw_lab_points *points, int k, int name, double error)
{
    effort e = {NAN, NAN};
    const rw_lab_point *a = NULL;
    for (const rw_lab_point *b = points->at; b < points->at + points->n; ++b) {
        if (b->problem != k || b->name != name) continue;
        if (a && a->error > 0 && b->error > 0 && (a->error - error) * (b->error - error) <= 0 && a->error != b->error) {
            double s = log(error / a->error) / log(b->error / a->error);
            e = (effort){between((double)a->work.rhs, (double)b->work.rhs, s), between(a->seconds, b->seconds, s)};
        }
        a = b;
    }
    return e;
}

static bool has_points(const rw_lab_points *points, int k, int name)
{
    for (int i = 0; i < points->n; ++i)
        if (points->at[i].problem == k && points->at[i].name == name) return true;
    return false;
}

static rw_status put_summary(rw_lab *lab, int k, const rw_lab_points *points)
{
    double error = rw_lab_number(lab, "error");
    effort best = {NAN, NAN};
    for (int name = 0; name < lab->nnames; ++name) {
        effort e = lab->names[name].other ? effort_at(points, k, name, error) : (effort){NAN, NAN};
        best = (effort){fmin(best.rhs, e.rhs), fmin(best.seconds, e.seconds)};
    }
    for (int name = 0; name < lab->nnames; ++name) {
        if (!has_points(points, k, name)) continue;
        effort e = effort_at(points, k, name, error);
        RW_TRY(new_row(lab, SUMMARY, k));
        rw_lab_put(lab, SUMMARY, S_METHOD, -1, name);
        rw_lab_put(lab, SUMMARY, S_RHS, -1, round(e.rhs));
        rw_lab_put(lab, SUMMARY, S_SECONDS, -1, e.seconds);
        rw_lab_put(lab, SUMMARY, S_RHS_RATIO, -1, e.rhs / best.rhs);
        rw_lab_put(lab, SUMMARY, S_SECONDS_RATIO, -1, e.seconds / best.seconds);
    }
    return RW_OK;
}

/* ---- errors and tolerances --------------------------------------------------------------------------------------- */

enum { A_METHOD = PROBLEM + 1, A_POINTS, A_MEDIAN, A_WORST, A_TOLERANCE };
static const rw_lab_column accuracy[] = {
    [PROBLEM] = {"problem", "", RW_SHOW_NAME, false, "problem with the worst ratio"},
    [A_METHOD] = {"method", "", RW_SHOW_NAME, false, NULL},
    [A_POINTS] = {"runs", "", RW_SHOW_INTEGER, false, "number of runs over all problems and tolerances"},
    [A_MEDIAN] = {"median", "", RW_SHOW_RATIO, false,
                  "median of the largest error at the end divided by the tolerance"},
    [A_WORST] = {"worst", "", RW_SHOW_RATIO, false, NULL},
    [A_TOLERANCE] = {"tolerance", "", RW_SHOW_ERROR, false, "tolerance of the worst ratio"},
};

static rw_status put_accuracy(rw_lab *lab, const rw_lab_points *points)
{
    double *ratio = rw_calloc((size_t)RW_MAX(points->n, 1), sizeof *ratio);
    if (!ratio) return rw_fail_memory(lab->ctx, (size_t)points->n * sizeof *ratio, "ratios");
    rw_status status = RW_OK;
    for (int name = 0; name < lab->nnames && status == RW_OK; ++name) {
        const rw_lab_point *worst = NULL;
        int n = 0;
        for (const rw_lab_point *p = points->at; p < points->at + points->n; ++p) {
            if (p->name != name || lab->names[name].other || isnan(p->error)) continue;
            ratio[n++] = p->error / p->tolerance;
            if (!worst || p->error / p->tolerance > worst->error / worst->tolerance) worst = p;
        }
        if (!n) continue;
        const double median = rw_median(ratio, n); /* sorts them */
        status = new_row(lab, ACCURACY, worst->problem);
        if (status != RW_OK) break;
        rw_lab_put(lab, ACCURACY, A_METHOD, -1, name);
        rw_lab_put(lab, ACCURACY, A_POINTS, -1, n);
        rw_lab_put(lab, ACCURACY, A_MEDIAN, -1, median);
        rw_lab_put(lab, ACCURACY, A_WORST, -1, ratio[n - 1]);
        rw_lab_put(lab, ACCURACY, A_TOLERANCE, -1, worst->tolerance);
    }
    rw_free(ratio);
    return status;
}

/* ---- the study --------------------------------------------------------------------------------------------------- */

/* As parameter methods lists them. */
static const method methods[] = {{.method = RW_ODE_RKC2, .name = "rkc2"},   {.method = RW_ODE_RKL2, .name = "rkl2"},
                                 {.method = RW_ODE_ROCK2, .name = "rock2"}, {.method = RW_ODE_ROCK4, .name = "rock4"},
                                 {.method = RW_ODE_DP5, .name = "dp5"},     {.method = RW_ODE_AUTO, .name = "auto"}};

static rw_status measure_methods(rw_lab *lab, int k, const rw_lab_solution *reference, rw_lab_points *points)
{
    const rw_lab_setting *chosen = rw_lab_setting_of(lab, "methods");
    for (int i = 0; i < chosen->n; ++i) {
        method m = methods[(int)chosen->number[i]];
        m.runs = (int)rw_lab_number(lab, "runs");
        RW_TRY(measure_method(lab, k, m, reference, points));
    }
    if (rw_lab_wanted(lab, WORK)) RW_TRY(put_points(lab, k, points));
    return rw_lab_wanted(lab, SUMMARY) ? put_summary(lab, k, points) : RW_OK;
}

static rw_status run_problem(rw_lab *lab, int k, rw_lab_points *points)
{
    rw_lab_solution reference;
    rw_status status =
        solve(lab, k, &(method){RW_ODE_ROCK4, "rock4", problems[k].jumps ? 1e-11 : 1e-12, 0}, &reference);
    bool finished = status == RW_OK && reference.finished;
    if (finished) status = save_reference(lab, k, &reference);
    if (finished && status == RW_OK && rw_lab_wanted(lab, REFERENCES)) status = check_reference(lab, k, &reference);
    if (finished && status == RW_OK &&
        (rw_lab_wanted(lab, WORK) || rw_lab_wanted(lab, SUMMARY) || rw_lab_wanted(lab, ACCURACY)))
        status = measure_methods(lab, k, &reference, points);
    rw_free(reference.u);
    return status;
}

/* Names in the order in which curves are to be drawn. */
static rw_status name_methods(rw_lab *lab)
{
    const rw_lab_setting *chosen = rw_lab_setting_of(lab, "methods");
    int name;
    for (int i = 0; i < chosen->n; ++i) RW_TRY(rw_lab_name(lab, methods[(int)chosen->number[i]].name, false, &name));
    return RW_OK;
}

static rw_status run_problems(rw_lab *lab, rw_lab_points *points)
{
    const rw_lab_setting *chosen = rw_lab_setting_of(lab, "problems");
    const char *peers = rw_lab_setting_of(lab, "peers")->text, *folder = rw_lab_setting_of(lab, "references")->text;
    RW_TRY(name_methods(lab));
    if (*peers) RW_TRY(rw_lab_read_peers(lab, peers, problem_names, RW_COUNT(problem_names), points));
    if (*folder) RW_TRY(rw_folder_create(lab->ctx, folder));
    for (int i = 0; i < chosen->n; ++i) RW_TRY(run_problem(lab, (int)chosen->number[i], points));
    return rw_lab_wanted(lab, ACCURACY) ? put_accuracy(lab, points) : RW_OK;
}

static rw_status run_study(rw_lab *lab)
{
    rw_lab_points points = {0};
    rw_status status = run_problems(lab, &points);
    rw_free(points.at);
    return status;
}

static const rw_param parameters[] = {
    PARAMETER("problems", CHOICES, "front,source,brusselator",
              "front|source|brusselator|gray-scott|switched|convection|relaxation|moving|pulses",
              "problems that are integrated"),
    PARAMETER("methods", CHOICES, "rkc2,rkl2,rock2,rock4", "rkc2|rkl2|rock2|rock4|dp5|auto",
              "integration methods; dp5 takes minutes on stiff problems; auto chooses dp5, rkc2 or rock4"),
    PARAMETER("tolerances", REALS, "1e-2,1e-3,1e-4,1e-5,1e-6,1e-7,1e-8,1e-9", "[1e-11, 0.1]",
              "relative and absolute tolerances of a step, one row each"),
    PARAMETER("runs", INT, "3", "[1, 1000]", "number of timed runs, of which the best is reported"),
    PARAMETER("error", REAL, "1e-6", "[1e-10, 1]", "error at which table summary compares the methods"),
    PARAMETER("peers", PATH, "", "",
              "table of another program, PROGRAM.csv: problem,method,rtol,steps,rejected,rhs,stages,error,seconds"),
    PARAMETER("references", PATH, "", "",
              "folder for the reference solutions, PROBLEM.f64: raw f64, field after field, x fastest"),
};
static const char *const names[] = {"references", "work", "summary", "accuracy"};
static const rw_lab_table tables[] = {
    [REFERENCES] =
        {"Reference solutions: rock4 at tolerance 1e-12 (1e-11 if the right-hand side is discontinuous in space), and "
         "a check",
         references, RW_COUNT(references)},
    [WORK] = {"Work-precision data", work, RW_COUNT(work)},
    [SUMMARY] = {"Work at the error given by parameter error", summary, RW_COUNT(summary)},
    [ACCURACY] = {"Errors relative to the tolerances", accuracy, RW_COUNT(accuracy)},
};
#define DIAGRAM(file, heading, problem, column, text)                                                                  \
    {                                                                                                                  \
        .name = file, .title = heading, .table = WORK, .x = column, .y = {W_ERROR}, .ny = 1, .only = problem,          \
        .where = PROBLEM, .by = W_METHOD, .above = "auto", .x_axis = {.label = text, .log = true},                     \
        .y_axis =                                                                                                      \
        {.label = "largest error",                                                                                     \
         .log = true }                                                                                                 \
    }
#define RIGHT_HAND_SIDES(problem, heading)                                                                             \
    DIAGRAM(problem "-rhs", heading ": error and right-hand sides", problem, W_RHS, "right-hand sides")
#define BOTH(problem, heading)                                                                                         \
    RIGHT_HAND_SIDES(problem, heading),                                                                                \
        DIAGRAM(problem "-seconds", heading ": error and time", problem, W_SECONDS, "time / s")
static const rw_lab_curves curves[] = {
    BOTH("front", "Reaction front"),
    BOTH("source", "Heat equation with a stiff source"),
    BOTH("brusselator", "Brusselator"),
    RIGHT_HAND_SIDES("gray-scott", "Gray-Scott"),
    RIGHT_HAND_SIDES("switched", "Brusselator, switched source"),
    RIGHT_HAND_SIDES("convection", "Convection-diffusion, Robin boundary conditions"),
    RIGHT_HAND_SIDES("relaxation", "Stiff relaxation with transport"),
    RIGHT_HAND_SIDES("moving", "Moving source"),
    RIGHT_HAND_SIDES("pulses", "Pulsed relaxation"),
};

const rw_study rw_study_precision = {
    .entry = {"precision", "Work and precision of stabilised Runge-Kutta methods",
              "How many evaluations of the right-hand side and how much time does each method need for a given error, "
              "compared with other programs?",
              "the problems: study rock4; SUNDIALS, example ark_heat2D_lsrk; E. Hairer, G. Wanner, Solving Ordinary "
              "Differential Equations II, section IV.10",
              parameters, RW_COUNT(parameters), names, RW_COUNT(names)},
    .tables = tables,
    .curves = curves,
    .ncurves = RW_COUNT(curves),
    .one_device = true,
    .run = run_study,
};
