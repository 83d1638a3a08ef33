/* Study: a reaction-advection-diffusion equation by ROCK4 on a processor and on a GPU.
 *
 *   du/dt = 0.1 laplace(u) - u_x - u_y + 10 (u - u^3),   u = 0 on the sides,  u = 1 at t = 0,  to t = 1
 *
 * on N x N unknowns with spacing 0.01, so that the domain grows with N. The published program took forward differences
 * for u_x and u_y where its text has central ones, left the last neighbour out of Gershgorin's circles, which makes the
 * spectral radius 6620 instead of 7620, and took s stages where h rho <= 0.35 s^2, beyond the stability interval of few
 * stages (s < 30). So steps are limited by stability, many are rejected, and the tolerance hardly matters. `advection`
 * and `compat` choose; without `compat` radius and stages are right. The table `rules` has each alone, `stages` the
 * rule beside the intervals.
 *
 * Published are the seconds of table `times`. Everything else that is called reference was computed for this library:
 * the solution with classical Runge-Kutta steps of 1/8000 and less, the work of ROCK4 with another program that has the
 * published coefficients and step control. */
#include <math.h>
#include <string.h>

#include "lab/lab.h"
#include "ode/rock.h"

enum { TIMES, WORK, PRECISION, RULES, STAGES };
enum { SIZE_LEAST = 4, SIZE_MOST = 4096, PRECISION_SIZE = 64 };
static const double spacing = 0.01;

/* ---- what others have -------------------------------------------------------------------------------------------- */

/* Jahn 2010, table 6.4: seconds in double precision */
static const struct {
    int n;
    double cpu, gpu, speedup;
} published[] = {{16, 0.051, 0.137, 0.372},   {32, 0.217, 0.132, 1.639},    {48, 0.485, 0.138, 3.505},
                 {64, 0.893, 0.134, 6.653},   {80, 1.266, 0.138, 9.189},    {96, 1.896, 0.213, 8.883},
                 {112, 2.647, 0.216, 12.265}, {128, 3.398, 0.288, 11.796},  {144, 4.368, 0.304, 14.349},
                 {160, 5.221, 0.393, 13.298}, {176, 6.482, 0.462, 14.031},  {192, 7.228, 0.486, 14.887},
                 {208, 9.211, 0.616, 14.944}, {224, 10.357, 0.663, 15.633}, {240, 12.491, 0.732, 17.054},
                 {256, 12.800, 0.843, 15.187}};

/* u[N/4, N/4], u[N/2, N/2] (counted from 0), mean of u at t = 1 */
static const struct {
    int n;
    bool central;
    double quarter, half, mean;
} solutions[] = {{16, false, NAN, 1.56432e-26, 7.06893e-27},
                 {32, false, 1.2588e-06, 5.1085e-06, 2.407681e-06},
                 {64, false, 0.0431659471, 0.3390107644, 0.198524135543},
                 {256, false, 0.9698059143, 0.9999764108, 0.802829599531},
                 {64, true, 0.0460776434, 0.3397651552, 0.194542677790},
                 {128, true, 0.4018026217, 0.9686696988, 0.597517018252}};

/* Published coefficients, forward differences, N = 64 */
static const struct {
    double tol;
    int bits, steps, rhs;
    double error;
} precisions[] = {{1e-3, 64, 18, 492, 1.0e-2}, {1e-3, 32, 165, 2021, NAN},  {1e-4, 64, 25, 582, 1.0e-3},
                  {1e-4, 32, 273, 2681, NAN},  {1e-5, 64, 39, 735, 9.3e-5}, {1e-5, 32, 470, 3722, NAN},
                  {1e-6, 64, 66, 973, 1.3e-5}, {1e-6, 32, 893, 5336, NAN}};

/* The same at tolerance 1e-6 with the radius and the choice of stages of the published program, each alone and both. */
static const struct {
    int steps, rejected, rhs;
} effects[2][2] = {{{66, 0, 973}, {66, 0, 962}}, {{468, 77, 4171}, {1476, 300, 9431}}};

/* Stability intervals of the published coefficients. */
static const struct {
    int stages;
    double interval;
} intervals[] = {{5, 6.012},   {6, 9.887},  {7, 14.467},  {8, 19.757},   {9, 25.756},  {14, 66.32},
                 {23, 183.94}, {40, 561.9}, {67, 1581.6}, {116, 4762.6}, {142, 7148.1}};

/* ---- one integration --------------------------------------------------------------------------------------------- */

typedef struct problem {
    int n, runs; /* runs: as in rw_lab_integration */
    double tol;
    rw_dtype dtype;
    bool central;
    bool circles, rule; /* Gershgorin's circles and the choice of stages as the published program has them */
} problem;

static double one(const double x[3] RW_UNUSED, int f RW_UNUSED) { return 1; }

static const double RULE = 0.35;

/* Gershgorin's circles at u = 1: the row's entries of the forward differences by their sizes, without the last of the
 * published program. */
static double radius(bool without_last)
{
    double a = 0.1 / (spacing * spacing), b = 1 / spacing, middle = 4 * a - 2 * b - 10 * (1 - 3);
    const double row[] = {middle, a - b, a - b, a, a};
    double sum = 0;
    for (int i = 0; i < RW_COUNT(row) - without_last; ++i) sum += fabs(row[i]);
    return sum;
}

/* A method that gives up leaves s->finished false and a note. */
static rw_status solve(rw_lab *lab, const problem *p, int device, rw_lab_solution *s)
{
    static const double end = 1;
    rw_expr_field field = {.name = "u", .dtype = p->dtype};
    for (int side = 0; side < 4; ++side) field.boundary[side] = (rw_boundary){RW_BOUNDARY_DIRICHLET, "0", NULL, NULL};
    rw_lab_integration task = {.initial = one, .stops = &end, .nstops = 1, .runs = p->runs};
    task.spec =
        (rw_ode_spec){.name = "lab rock4",
                      .equations = p->central ? "du/dt = 0.1*laplace(u) - dx(u) - dy(u) + 10*(u - u^3)"
                                              : "du/dt = 0.1*laplace(u) - dx_forward(u) - dy_forward(u) + 10*(u - u^3)",
                      .grid = {2, {p->n, p->n, 1}, {spacing, spacing, 1}, {spacing, spacing, 0}},
                      .fields = &field,
                      .nfields = 1,
                      .method = RW_ODE_ROCK4,
                      .rtol = p->tol,
                      .atol = p->tol};
    char rho[32];
    snprintf(rho, sizeof rho, "%.17g", radius(true));
    if (p->circles) task.spec.spectral_radius = rho;
    if (p->rule) task.stage_rule = RULE;
    snprintf(task.what, sizeof task.what, "N = %d, tolerance %g, %s", p->n, p->tol, rw_dtype_name(p->dtype));
    return rw_lab_integrate(lab, &task, device, s);
}

/* Equation, sides and initial value do not change when x and y are exchanged. */
static double asymmetry(const double *u, int n)
{
    double worst = 0;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < j; ++i) worst = fmax(worst, fabs(u[j * n + i] - u[i * n + j]));
    return worst;
}

static double mean(const double *u, int n)
{
    double sum = 0;
    for (int i = 0; i < n * n; ++i) sum += u[i];
    return sum / n / n;
}

/* ---- times and work ---------------------------------------------------------------------------------------------- */

enum { T_SIZE, T_SECONDS, T_STEPS, T_SPEEDUP, T_CPU, T_GPU, T_PUBLISHED };
static const rw_lab_column times[] = {
    [T_SIZE] = {"N", "", RW_SHOW_INTEGER, false, "unknowns along each side"},
    [T_SECONDS] = {"seconds", "s", RW_SHOW_SECONDS, true,
                   "time from t = 0 to t = 1: best of the runs after the first, which compiles"},
    [T_STEPS] = {"steps", "", RW_SHOW_INTEGER, true, "number of accepted steps"},
    [T_SPEEDUP] = {"speedup", "", RW_SHOW_RATIO, false, "seconds of the first device divided by those of the last"},
    [T_CPU] = {"published CPU", "s", RW_SHOW_SECONDS, false,
               "one core in 2010; the processor is not named, but the computer with the GTX 285 had a Xeon E5504"},
    [T_GPU] = {"published GPU", "s", RW_SHOW_SECONDS, false, "GeForce GTX 285"},
    [T_PUBLISHED] = {"published speedup", "", RW_SHOW_RATIO, false, NULL},
};

enum { W_SIZE, W_DEVICE, W_STEPS, W_DIFFERENCE = W_STEPS + RW_LAB_WORKS, W_ASYMMETRY, W_QUARTER, W_HALF, W_MEAN };
static const rw_lab_column work[] = {
    [W_SIZE] = {"N", "", RW_SHOW_INTEGER, false, NULL},
    [W_DEVICE] = {"device", "", RW_SHOW_DEVICE, false, NULL},
    [W_STEPS] = RW_LAB_WORK,
    [W_DIFFERENCE] = {"difference", "", RW_SHOW_ERROR, false, "largest difference of u from the u of the first device"},
    [W_ASYMMETRY] = {"asymmetry", "", RW_SHOW_ERROR, false,
                     "largest |u(x,y) - u(y,x)|, which is 0 for the exact solution"},
    [W_QUARTER] = {"error at N/4", "", RW_SHOW_ERROR, false,
                   "error of u[N/4, N/4] (counted from 0) at t = 1, compared with the reference solution"},
    [W_HALF] = {"error at N/2", "", RW_SHOW_ERROR, false, NULL},
    [W_MEAN] = {"error mean", "", RW_SHOW_ERROR, false, NULL},
};

static void put_errors(rw_lab *lab, const problem *p, const double *u)
{
    int n = p->n, quarter = n / 4, half = n / 2;
    for (int i = 0; i < RW_COUNT(solutions); ++i) {
        if (solutions[i].n != n || solutions[i].central != p->central) continue;
        rw_lab_put(lab, WORK, W_QUARTER, -1, fabs(u[quarter * n + quarter] - solutions[i].quarter));
        rw_lab_put(lab, WORK, W_HALF, -1, fabs(u[half * n + half] - solutions[i].half));
        rw_lab_put(lab, WORK, W_MEAN, -1, fabs(mean(u, n) - solutions[i].mean));
    }
}

static rw_status put_work(rw_lab *lab, const problem *p, int device, const rw_lab_solution *s,
                          const rw_lab_solution *first)
{
    RW_TRY(rw_lab_row(lab, WORK));
    rw_lab_put(lab, WORK, W_SIZE, -1, p->n);
    rw_lab_put(lab, WORK, W_DEVICE, -1, device);
    if (!s->finished) return RW_OK;
    rw_lab_put_work(lab, WORK, W_STEPS, &s->work);
    rw_lab_put(lab, WORK, W_ASYMMETRY, -1, asymmetry(s->u, p->n));
    if (s != first && first->finished) rw_lab_put(lab, WORK, W_DIFFERENCE, -1, rw_lab_difference(s, first));
    put_errors(lab, p, s->u);
    return RW_OK;
}

static void put_published(rw_lab *lab, int n)
{
    for (int i = 0; i < RW_COUNT(published); ++i) {
        if (published[i].n != n) continue;
        rw_lab_put(lab, TIMES, T_CPU, -1, published[i].cpu);
        rw_lab_put(lab, TIMES, T_GPU, -1, published[i].gpu);
        rw_lab_put(lab, TIMES, T_PUBLISHED, -1, published[i].speedup);
    }
}

static void put_times(rw_lab *lab, int device, const rw_lab_solution *s, const rw_lab_solution *first)
{
    if (!s->finished) return;
    rw_lab_put(lab, TIMES, T_SECONDS, device, s->seconds);
    rw_lab_put(lab, TIMES, T_STEPS, device, (double)s->work.steps);
    if (device && first->finished && device == lab->ndevices - 1)
        rw_lab_put(lab, TIMES, T_SPEEDUP, -1, first->seconds / s->seconds);
}

/* u at t = 1 with a cell around each unknown and each node on the sides, where u = 0: the surface comes down to
 * them. */
static rw_status draw(rw_lab *lab, const problem *p, int device, const rw_lab_solution *s)
{
    char text[80];
    size_t n = (size_t)p->n, width = n + 2;
    double low = -spacing / 2, high = (p->n + 1.5) * spacing;
    if (!s->finished) return RW_OK;
    double *u = rw_calloc(width * width, sizeof *u);
    if (!u) return rw_fail_memory(lab->ctx, width * width * sizeof *u, "an image");
    for (size_t j = 0; j < n; ++j) memcpy(u + (j + 1) * width + 1, s->u + j * n, n * sizeof *u);
    snprintf(text, sizeof text, "t = 1, N = %d, on %s", p->n, lab->info[device].name);
    rw_status status = rw_lab_picture(lab, 0, width, width, u, (double[4]){low, high, low, high}, text);
    rw_free(u);
    return status;
}

/* One N on every device. */
static rw_status compare_devices(rw_lab *lab, const problem *p, bool largest)
{
    rw_lab_solution first = {0};
    rw_status status = RW_OK;
    if (rw_lab_wanted(lab, TIMES)) {
        RW_TRY(rw_lab_row(lab, TIMES));
        rw_lab_put(lab, TIMES, T_SIZE, -1, p->n);
        put_published(lab, p->n);
    }
    for (int device = 0; device < lab->ndevices && status == RW_OK; ++device) {
        rw_lab_solution other = {0}, *s = device ? &other : &first;
        status = solve(lab, p, device, s);
        if (status == RW_OK && rw_lab_wanted(lab, TIMES)) put_times(lab, device, s, &first);
        if (status == RW_OK && rw_lab_wanted(lab, WORK)) status = put_work(lab, p, device, s, &first);
        if (status == RW_OK && largest && device == lab->ndevices - 1) status = draw(lab, p, device, s);
        rw_free(other.u);
    }
    rw_free(first.u);
    return status;
}

/* ---- single and double precision --------------------------------------------------------------------------------- */

enum {
    P_TOL,
    P_BITS,
    P_STEPS,
    P_ERROR = P_STEPS + RW_LAB_WORKS,
    P_ASYMMETRY,
    P_REFERENCE_STEPS,
    P_REFERENCE_RHS,
    P_REFERENCE_ERROR
};
static const rw_lab_column precision[] = {
    [P_TOL] = {"tolerance", "", RW_SHOW_ERROR, false, "relative and absolute tolerance"},
    [P_BITS] = {"bits", "", RW_SHOW_INTEGER, false, "bits per value of the state"},
    [P_STEPS] = RW_LAB_WORK,
    [P_ERROR] = {"error", "", RW_SHOW_ERROR, false,
                 "largest difference of u at t = 1 from the solution with tolerance 1e-10 in double precision"},
    [P_ASYMMETRY] = {"asymmetry", "", RW_SHOW_ERROR, false, "largest |u(x,y) - u(y,x)|"},
    [P_REFERENCE_STEPS] = {"reference steps", "", RW_SHOW_INTEGER, false,
                           "published coefficients and step control in another program"},
    [P_REFERENCE_RHS] = {"reference rhs", "", RW_SHOW_INTEGER, false, NULL},
    [P_REFERENCE_ERROR] = {"reference error", "", RW_SHOW_ERROR, false, NULL},
};

static rw_status put_precision(rw_lab *lab, const problem *p, const rw_lab_solution *s, const rw_lab_solution *exact)
{
    int bits = p->dtype == RW_F64 ? 64 : 32;
    RW_TRY(rw_lab_row(lab, PRECISION));
    rw_lab_put(lab, PRECISION, P_TOL, -1, p->tol);
    rw_lab_put(lab, PRECISION, P_BITS, -1, bits);
    for (int i = 0; i < RW_COUNT(precisions) && !p->central; ++i) {
        if (precisions[i].tol != p->tol || precisions[i].bits != bits || p->circles) continue;
        rw_lab_put(lab, PRECISION, P_REFERENCE_STEPS, -1, precisions[i].steps);
        rw_lab_put(lab, PRECISION, P_REFERENCE_RHS, -1, precisions[i].rhs);
        rw_lab_put(lab, PRECISION, P_REFERENCE_ERROR, -1, precisions[i].error);
    }
    if (!s->finished) return RW_OK;
    rw_lab_put_work(lab, PRECISION, P_STEPS, &s->work);
    rw_lab_put(lab, PRECISION, P_ERROR, -1, rw_lab_difference(s, exact));
    rw_lab_put(lab, PRECISION, P_ASYMMETRY, -1, asymmetry(s->u, p->n));
    return RW_OK;
}

typedef rw_status put_function(rw_lab *lab, const problem *p, const rw_lab_solution *s, const rw_lab_solution *exact);

/* n problems on the first device. The solution that errors are taken from has the right radius, whatever `compat`
 * says. */
static rw_status compare_with_exact(rw_lab *lab, const problem *problems, int n, put_function *put)
{
    rw_lab_solution exact;
    const problem precise = {PRECISION_SIZE, 0, 1e-10, RW_F64, problems->central, false, false};
    rw_status status = solve(lab, &precise, 0, &exact);
    for (int i = 0; i < n && status == RW_OK && exact.finished; ++i) {
        rw_lab_solution s;
        status = solve(lab, problems + i, 0, &s);
        if (status == RW_OK) status = put(lab, problems + i, &s, &exact);
        rw_free(s.u);
    }
    rw_free(exact.u);
    return status;
}

static rw_status compare_precisions(rw_lab *lab, bool central, bool compat)
{
    static const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6};
    problem p[2 * RW_COUNT(tolerances)];
    for (int i = 0; i < RW_COUNT(p); ++i)
        p[i] = (problem){PRECISION_SIZE, 0, tolerances[i / 2], i % 2 ? RW_F32 : RW_F64, central, compat, compat};
    return compare_with_exact(lab, p, RW_COUNT(p), put_precision);
}

/* ---- radius and stages of the published program ------------------------------------------------------------------ */

enum {
    R_RADIUS,
    R_RULE,
    R_STEPS,
    R_ERROR = R_STEPS + RW_LAB_WORKS,
    R_REFERENCE_STEPS,
    R_REFERENCE_REJECTED,
    R_REFERENCE_RHS
};
static const rw_lab_column rules[] = {
    [R_RADIUS] = {"radius", "", RW_SHOW_INTEGER, false,
                  "spectral radius from Gershgorin circles at u = 1: all neighbours, or all but the last"},
    [R_RULE] = {"stages by", "", RW_SHOW_NAME, false,
                "interval: s stages if h rho is within their stability interval; 0.35 s^2: the published rule"},
    [R_STEPS] = RW_LAB_WORK,
    [R_ERROR] = {"error", "", RW_SHOW_ERROR, false,
                 "largest difference of u at t = 1 from the solution with tolerance 1e-10"},
    [R_REFERENCE_STEPS] = {"reference steps", "", RW_SHOW_INTEGER, false,
                           "published coefficients and step control in another program"},
    [R_REFERENCE_REJECTED] = {"reference rejected", "", RW_SHOW_INTEGER, false, NULL},
    [R_REFERENCE_RHS] = {"reference rhs", "", RW_SHOW_INTEGER, false, NULL},
};

static rw_status put_rule(rw_lab *lab, const problem *p, const rw_lab_solution *s, const rw_lab_solution *exact)
{
    RW_TRY(rw_lab_row(lab, RULES));
    RW_TRY(rw_lab_put_name(lab, RULES, R_RULE, p->rule ? "0.35 s^2" : "interval", false));
    rw_lab_put(lab, RULES, R_RADIUS, -1, radius(p->circles));
    rw_lab_put(lab, RULES, R_REFERENCE_STEPS, -1, effects[p->circles][p->rule].steps);
    rw_lab_put(lab, RULES, R_REFERENCE_REJECTED, -1, effects[p->circles][p->rule].rejected);
    rw_lab_put(lab, RULES, R_REFERENCE_RHS, -1, effects[p->circles][p->rule].rhs);
    if (!s->finished) return RW_OK;
    rw_lab_put_work(lab, RULES, R_STEPS, &s->work);
    rw_lab_put(lab, RULES, R_ERROR, -1, rw_lab_difference(s, exact));
    return RW_OK;
}

/* Tolerance 1e-6, forward differences. */
static rw_status compare_rules(rw_lab *lab)
{
    problem p[4];
    for (int i = 0; i < RW_COUNT(p); ++i) p[i] = (problem){PRECISION_SIZE, 0, 1e-6, RW_F64, false, i / 2, i % 2};
    return compare_with_exact(lab, p, RW_COUNT(p), put_rule);
}

enum { S_STAGES, S_RULE, S_INTERVAL, S_PUBLISHED, S_PART, S_GROWTH };
static const rw_lab_column stages[] = {
    [S_STAGES] = {"stages", "", RW_SHOW_INTEGER, false, "number of stages s of a step"},
    [S_RULE] = {"0.35 s^2", "", RW_SHOW_RATIO, false, "largest h rho allowed by the published rule"},
    [S_INTERVAL] = {"interval", "", RW_SHOW_RATIO, false, "largest stable h rho: |R(z)| <= 1 for -h rho <= z <= 0"},
    [S_PUBLISHED] = {"published interval", "", RW_SHOW_RATIO, false,
                     "stability interval of the published coefficients, computed by another program"},
    [S_PART] = {"rule/interval", "", RW_SHOW_RATIO, false,
                "rule divided by interval; above 1 the rule allows unstable steps"},
    [S_GROWTH] = {"growth", "", RW_SHOW_RATIO, false,
                  "|R| at h rho = 0.35 s^2: growth factor of the stiffest mode per step"},
};

/* The first place beyond which |R| exceeds 1. */
static double interval_of(const rw_rock *r)
{
    double stable = (double)r->interval, unstable = 1.2 * stable;
    while (unstable - stable > 1e-9 * stable) {
        double middle = 0.5 * (stable + unstable);
        if (fabsl(rw_rock_response(r, -middle)) <= 1) stable = middle;
        else unstable = middle;
    }
    return stable;
}

static rw_status compare_stages(rw_lab *lab)
{
    for (int i = 0; i < RW_COUNT(intervals); ++i) {
        rw_rock *r;
        double s = intervals[i].stages, rule = RULE * s * s;
        RW_TRY(rw_rock_create(lab->ctx, RW_ROCK4, intervals[i].stages, 0.95, &r));
        double interval = interval_of(r), growth = (double)fabsl(rw_rock_response(r, -rule));
        rw_rock_destroy(&r);
        RW_TRY(rw_lab_row(lab, STAGES));
        const double values[] = {s, rule, interval, intervals[i].interval, rule / interval, growth};
        rw_lab_put_values(lab, STAGES, 0, RW_COUNT(values), values);
    }
    return RW_OK;
}

/* ---- the study --------------------------------------------------------------------------------------------------- */

static int largest_of(const rw_lab_setting *sizes)
{
    int n = 0;
    for (int i = 0; i < sizes->n; ++i) n = RW_MAX(n, (int)sizes->number[i]);
    return n;
}

static rw_status run_study(rw_lab *lab)
{
    const rw_lab_setting *sizes = rw_lab_setting_of(lab, "sizes");
    bool central = rw_lab_setting_of(lab, "advection")->word == 1, compat = rw_lab_setting_of(lab, "compat")->word == 1;
    if (central && compat)
        return rw_fail(lab->ctx, RW_ERR_ARGUMENT,
                       "lab rock4: compat=true is the published program, which uses forward differences: remove "
                       "advection=central, or set compat=false");
    problem p = {.runs = (int)rw_lab_number(lab, "runs"),
                 .tol = rw_lab_number(lab, "tol"),
                 .dtype = RW_F64,
                 .central = central,
                 .circles = compat,
                 .rule = compat};
    for (int i = 0; i < sizes->n && (rw_lab_wanted(lab, TIMES) || rw_lab_wanted(lab, WORK)); ++i) {
        p.n = (int)sizes->number[i];
        RW_TRY(compare_devices(lab, &p, p.n == largest_of(sizes)));
    }
    if (rw_lab_wanted(lab, PRECISION)) RW_TRY(compare_precisions(lab, central, compat));
    if (rw_lab_wanted(lab, RULES)) RW_TRY(compare_rules(lab));
    return rw_lab_wanted(lab, STAGES) ? compare_stages(lab) : RW_OK;
}

static const rw_param parameters[] = {
    PARAMETER("sizes", INTS, "16,32,48,64,80,96,112,128,144,160,176,192,208,224,240,256", "[4, 4096]",
              "unknowns along each side, one row each"),
    PARAMETER("tol", REAL, "1e-6", "[1e-11, 0.1]", "relative and absolute tolerance of a step"),
    PARAMETER("advection", CHOICE, "forward", "forward|central",
              "differences for u_x and u_y: forward, as in the published runs, or central"),
    PARAMETER(
        "compat", CHOICE, "false", "false|true",
        "true: spectral radius of the published program, 6620, and its rule for stages, h rho <= 0.35 s^2, both too "
        "small"),
    PARAMETER("runs", INT, "3", "[1, 1000]", "number of timed runs, of which the best is reported"),
};
static const char *const names[] = {"times", "work", "precision", "rules", "stages"};
static const rw_lab_table tables[] = {
    [TIMES] = {"Seconds to t = 1 in double precision", times, RW_COUNT(times)},
    [WORK] = {"Work and agreement of the devices", work, RW_COUNT(work)},
    [PRECISION] = {"Single compared with double precision, N = 64, on the first device", precision,
                   RW_COUNT(precision)},
    [RULES] = {"Spectral radius and stages as published and corrected, N = 64, tolerance 1e-6, on the first device",
               rules, RW_COUNT(rules)},
    [STAGES] = {"The published rule for stages compared with the stability intervals", stages, RW_COUNT(stages)},
};
static const rw_lab_curves curves[] = {
    {.name = "seconds",
     .title = "Seconds to t = 1, compared with 2010",
     .table = TIMES,
     .x = T_SIZE,
     .y = {T_SECONDS, T_CPU, T_GPU},
     .ny = 3,
     .dashed = 2,
     .x_axis = {.label = "N", .log = true},
     .y_axis = {.label = "time / s", .log = true}},
    {.name = "steps",
     .title = "Accepted steps",
     .table = TIMES,
     .x = T_SIZE,
     .y = {T_STEPS},
     .ny = 1,
     .agree = true,
     .x_axis = {.label = "N"},
     .y_axis = {.label = "steps"}},
    {.name = "speedup",
     .title = "Speedup, compared with 2010",
     .table = TIMES,
     .x = T_SIZE,
     .y = {T_SPEEDUP, T_PUBLISHED},
     .ny = 2,
     .dashed = 1,
     .x_axis = {.label = "N"},
     .y_axis = {.label = "time of the first device / time of the last"}},
};
static const rw_lab_plane planes[] = {{"solution", "The solution u", "x", "y", "u", .surface = true}};

const rw_study rw_study_rock4 = {
    .entry =
        {"rock4", "Reaction, advection and diffusion by ROCK4",
         "How long does a GPU take compared with one core, do all devices take the same steps, and what does single "
         "precision cost?",
         "T. Jahn, Implementierung numerischer Algorithmen auf CUDA-Systemen, diploma thesis, University of Bayreuth, "
         "2010, table 6.4",
         parameters, RW_COUNT(parameters), names, RW_COUNT(names)},
    .tables = tables,
    .curves = curves,
    .ncurves = RW_COUNT(curves),
    .planes = planes,
    .nplanes = RW_COUNT(planes),
    .run = run_study,
};
