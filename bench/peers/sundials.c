/* Work and precision of SUNDIALS' stabilised Runge-Kutta methods (ARKODE, LSRKStep: RKC2, RKL2) on the problems of
 * tests/ode/test_work.c: the same differences, grids, initial values and end times; one thread.
 *
 *   sundials PROBLEM REFERENCE.f64        front, source, brusselator
 *
 * A line a tolerance 1e-2 … 1e-9 (rtol = atol), the error being the largest difference at the end from the reference
 * state (raw f64, field after field, x fastest) and the seconds the best of three integrations, without set-up:
 *
 *   problem,method,rtol,steps,rejected,rhs,stages,error,seconds
 *
 * and on stderr what a right-hand side costs, with and without the method's vector operations. rkc2-stop, rkl2-stop end
 * a step where the source of the Brusselator is switched on and begin anew after it, as ours do; rkc2 and rkl2 run
 * across. Everything not set below is SUNDIALS' default: step control, first step, 200 stages, safety 1.01 on the given
 * eigenvalue. Fused vector operations are on, which changes neither results nor, by more than the spread of
 * repetitions, times.
 *
 * Needs SUNDIALS 7.2 or newer, which nothing else here does, so no build includes this file:
 *   cc -std=c17 -O3 -march=native bench/peers/sundials.c -lsundials_arkode -lsundials_nvecserial -lsundials_core -lm -o
 *   sundials
 * Exit code: 0, 1 an integration failed (its line is left out), 2 wrong call or reference. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <arkode/arkode_lsrkstep.h>
#include <nvector/nvector_serial.h>

enum { FRONT = 64, SOURCE = 62, BRUSSELATOR = 128, MOST = 2 * BRUSSELATOR * BRUSSELATOR, ROUNDS = 3 };

static const double PI = 3.14159265358979323846;

/* What right-hand sides look up: values outside, and the source of `source` as a(t) S(x) S(y) + b(t) (C(x) S(y) + C(y)
 * S(x)). */
static const double zero[SOURCE > FRONT ? SOURCE : FRONT];
static double sine[SOURCE], cosine[SOURCE];
static int first[BRUSSELATOR], last[BRUSSELATOR]; /* of each row, the nodes of the disc: first <= i < last */

/* ---- right-hand sides, row by row: s, c, n are the rows y-h, y, y+h ---------------------------------------------- */

/* du/dt = 0.1 laplace(u) - dx_forward(u) - dy_forward(u) + 10 (u - u^3), u = 0 outside, h = 0.01 */
static inline double front_node(double w, double c, double e, double s, double n)
{
    enum { DIFFUSION = 1000, ADVECTION = 100 }; /* 0.1/h^2, 1/h */
    return DIFFUSION * (w + e + s + n - 4 * c) - ADVECTION * (e + n - 2 * c) + 10 * (c - c * c * c);
}

static void front_row(const double *restrict s, const double *restrict c, const double *restrict n, double *restrict f)
{
    enum { N = FRONT };
    f[0] = front_node(0, c[0], c[1], s[0], n[0]);
    for (int i = 1; i < N - 1; ++i) f[i] = front_node(c[i - 1], c[i], c[i + 1], s[i], n[i]);
    f[N - 1] = front_node(c[N - 2], c[N - 1], 0, s[N - 1], n[N - 1]);
}

static int front(double t, N_Vector y, N_Vector rate, void *user)
{
    enum { N = FRONT };
    const double *u = N_VGetArrayPointer(y);
    double *f = N_VGetArrayPointer(rate);
    (void)t, (void)user;
    for (int j = 0; j < N; ++j)
        front_row(j ? u + N * (j - 1) : zero, u + N * j, j < N - 1 ? u + N * (j + 1) : zero, f + N * j);
    return 0;
}

/* du/dt = 10 laplace(u) + along S(x) + across C(x), u = 0 on the sides, h = 1/63 */
static void source_row(const double *restrict s, const double *restrict c, const double *restrict n, double along,
                       double across, double *restrict f)
{
    enum { N = SOURCE, DIFFUSION = 10 * (N + 1) * (N + 1) };
    f[0] = DIFFUSION * (c[1] + s[0] + n[0] - 4 * c[0]) + along * sine[0] + across * cosine[0];
    for (int i = 1; i < N - 1; ++i)
        f[i] = DIFFUSION * (c[i - 1] + c[i + 1] + s[i] + n[i] - 4 * c[i]) + along * sine[i] + across * cosine[i];
    f[N - 1] =
        DIFFUSION * (c[N - 2] + s[N - 1] + n[N - 1] - 4 * c[N - 1]) + along * sine[N - 1] + across * cosine[N - 1];
}

static int source(double t, N_Vector y, N_Vector rate, void *user)
{
    enum { N = SOURCE };
    const double *u = N_VGetArrayPointer(y);
    double *f = N_VGetArrayPointer(rate), c = cos(PI * t), a = -2 * PI * sin(PI * t) * c, b = -20 * PI * PI * c * c;
    (void)user;
    for (int j = 0; j < N; ++j)
        source_row(j ? u + N * (j - 1) : zero, u + N * j, j < N - 1 ? u + N * (j + 1) : zero,
                   a * sine[j] + b * cosine[j], b * sine[j], f + N * j);
    return 0;
}

/* du/dt = 1 + u^2 v - 4.4 u + 0.1 laplace(u) + source, dv/dt = 3.4 u - u^2 v + 0.1 laplace(v), periodic, h = 1/128 */
typedef struct rows {
    const double *s, *c, *n;
} rows;

static inline void brusselator_node(const double *restrict us, const double *restrict u, const double *restrict un,
                                    const double *restrict vs, const double *restrict v, const double *restrict vn,
                                    int w, int i, int e, double *restrict fu, double *restrict fv)
{
    static const double diffusion = 0.1 * BRUSSELATOR * BRUSSELATOR;
    double uuv = u[i] * u[i] * v[i];
    fu[i] = 1 + uuv - 4.4 * u[i] + diffusion * (u[w] + u[e] + us[i] + un[i] - 4 * u[i]);
    fv[i] = 3.4 * u[i] - uuv + diffusion * (v[w] + v[e] + vs[i] + vn[i] - 4 * v[i]);
}

static void brusselator_row(rows u, rows v, double *restrict fu, double *restrict fv)
{
    enum { N = BRUSSELATOR };
    const double *restrict us = u.s, *restrict uc = u.c, *restrict un = u.n;
    const double *restrict vs = v.s, *restrict vc = v.c, *restrict vn = v.n;
    brusselator_node(us, uc, un, vs, vc, vn, N - 1, 0, 1, fu, fv);
    for (int i = 1; i < N - 1; ++i) brusselator_node(us, uc, un, vs, vc, vn, i - 1, i, i + 1, fu, fv);
    brusselator_node(us, uc, un, vs, vc, vn, N - 2, N - 1, 0, fu, fv);
}

/* user: whether the source is on; NULL: from t = 1.1 */
static int brusselator(double t, N_Vector y, N_Vector rate, void *user)
{
    enum { N = BRUSSELATOR, CELLS = N * N };
    const double *u = N_VGetArrayPointer(y), *v = u + CELLS;
    double *fu = N_VGetArrayPointer(rate), *fv = fu + CELLS;
    const bool *forced = user;
    bool on = forced ? *forced : t >= 1.1;
    for (int j = 0; j < N; ++j) {
        int s = N * ((j + N - 1) % N), c = N * j, n = N * ((j + 1) % N);
        brusselator_row((rows){u + s, u + c, u + n}, (rows){v + s, v + c, v + n}, fu + c, fv + c);
        for (int i = first[j]; on && i < last[j]; ++i) fu[c + i] += 5;
    }
    return 0;
}

/* ---- the problems ------------------------------------------------------------------------------------------------ */

typedef struct problem {
    const char *name;
    ARKRhsFn f;
    int n, nfields;
    double rho, end, onset; /* onset > 0: a source is switched on */
} problem;

static const problem problems[] = {
    {"front", front, FRONT, 1, 7620, 1, 0},
    {"source", source, SOURCE, 1, 8. * 10 * (SOURCE + 1) * (SOURCE + 1), 1, 0},
    {"brusselator", brusselator, BRUSSELATOR, 2, 8 * 0.1 * BRUSSELATOR *BRUSSELATOR + 30, 11.5, 1.1},
};

static double square(double x) { return x * x; }

static void tabulate(void)
{
    for (int i = 0; i < SOURCE; ++i) {
        double x = PI * (i + 1) / (SOURCE + 1);
        sine[i] = square(sin(x)), cosine[i] = square(cos(x)) - square(sin(x));
    }
    for (int j = 0; j < BRUSSELATOR; ++j) /* (x - 0.3)^2 + (y - 0.6)^2 <= 0.01 */
        for (int i = 0; i < BRUSSELATOR; ++i) {
            if (square((double)i / BRUSSELATOR - 0.3) + square((double)j / BRUSSELATOR - 0.6) > 0.01) continue;
            if (!last[j]) first[j] = i;
            last[j] = i + 1;
        }
}

static double initial(const problem *p, int f, int i, int j)
{
    double x = (double)i / p->n, y = (double)j / p->n;
    if (p->f == front) return 1;
    if (p->f == source) return sine[i] * sine[j];
    return f ? 27 * x * pow(1 - x, 1.5) : 22 * y * pow(1 - y, 1.5);
}

static double rho; /* of the problem at hand: user data belongs to the right-hand side */

static int eigenvalue(double t, N_Vector y, N_Vector f, double *re, double *im, void *user, N_Vector a, N_Vector b,
                      N_Vector c)
{
    (void)t, (void)y, (void)f, (void)user, (void)a, (void)b, (void)c;
    *re = -rho, *im = 0;
    return 0;
}

/* ---- integrations ------------------------------------------------------------------------------------------------ */

typedef struct result {
    long steps, rejected, rhs;
    int stages;
    double error, seconds;
} result;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if ((call) < 0) return false;                                                                                  \
    } while (0)

static bool set_up(void *ark, ARKODE_LSRKMethodType method, double tol, bool *on)
{
    TRY(LSRKStepSetSTSMethod(ark, method));
    TRY(LSRKStepSetDomEigFn(ark, eigenvalue));
    TRY(LSRKStepSetDomEigFrequency(ark, 0)); /* constant */
    TRY(LSRKStepSetMaxNumStages(ark, 200));
    TRY(ARKodeSStolerances(ark, tol, tol));
    TRY(ARKodeSetMaxNumSteps(ark, 100000000));
    TRY(ARKodeSetUserData(ark, on));
    return true;
}

/* To t, exactly; counters are added. */
static bool advance(void *ark, N_Vector y, double t, result *r)
{
    long steps, rejected, rhs;
    int stages;
    double reached, start = now();
    TRY(ARKodeSetStopTime(ark, t));
    TRY(ARKodeEvolve(ark, t, y, &reached, ARK_NORMAL));
    r->seconds += now() - start;
    TRY(ARKodeGetNumSteps(ark, &steps));
    TRY(ARKodeGetNumErrTestFails(ark, &rejected));
    TRY(ARKodeGetNumRhsEvals(ark, 0, &rhs));
    TRY(LSRKStepGetMaxNumStages(ark, &stages));
    r->steps += steps, r->rejected += rejected, r->rhs += rhs, r->stages = stages > r->stages ? stages : r->stages;
    return reached == t;
}

static bool integrate(const problem *p, SUNContext sun, ARKODE_LSRKMethodType method, bool stop, double tol, N_Vector y,
                      result *r)
{
    double *u = N_VGetArrayPointer(y);
    int cells = p->n * p->n;
    bool on = false, *forced = stop ? &on : NULL;
    for (int k = 0; k < p->nfields * cells; ++k) u[k] = initial(p, k / cells, k % p->n, k % cells / p->n);
    rho = p->rho;
    *r = (result){0};
    void *ark = LSRKStepCreateSTS(p->f, 0, y, sun);
    bool good = ark && set_up(ark, method, tol, forced);
    if (stop) {
        good = good && advance(ark, y, p->onset, r);
        on = true;
        good = good && LSRKStepReInitSTS(ark, p->f, p->onset, y) == 0; /* counters to 0 */
    }
    good = good && advance(ark, y, p->end, r);
    ARKodeFree(&ark);
    return good;
}

/* Best time of three; one line. */
static bool measure(const problem *p, SUNContext sun, const char *name, ARKODE_LSRKMethodType method, bool stop,
                    double tol, N_Vector y, const double *reference, result *best)
{
    for (int round = 0; round < ROUNDS; ++round) {
        result r;
        if (!integrate(p, sun, method, stop, tol, y, &r)) {
            fprintf(stderr, "%s %s at %.0e: failed after %ld steps\n", p->name, name, tol, r.steps);
            return false;
        }
        if (!round || r.seconds < best->seconds) *best = r;
    }
    const double *u = N_VGetArrayPointer(y);
    for (int k = 0; k < p->nfields * p->n * p->n; ++k) best->error = fmax(best->error, fabs(u[k] - reference[k]));
    printf("%s,%s,%.0e,%ld,%ld,%ld,%d,%.3e,%.4e\n", p->name, name, tol, best->steps, best->rejected, best->rhs,
           best->stages, best->error, best->seconds);
    fflush(stdout);
    return true;
}

/* Seconds of a right-hand side alone. */
static double bare(const problem *p, N_Vector y, N_Vector rate)
{
    enum { CALLS = 500 };
    double best = INFINITY;
    for (int round = 0; round < 5; ++round) {
        double start = now();
        for (int i = 0; i < CALLS; ++i) p->f(p->end, y, rate, NULL);
        best = fmin(best, (now() - start) / CALLS);
    }
    return best;
}

static bool measure_all(const problem *p, SUNContext sun, N_Vector y, const double *reference)
{
    static const struct {
        const char *name;
        ARKODE_LSRKMethodType method;
        bool stop;
    } methods[] = {{"rkc2", ARKODE_LSRK_RKC_2, false},
                   {"rkl2", ARKODE_LSRK_RKL_2, false},
                   {"rkc2-stop", ARKODE_LSRK_RKC_2, true},
                   {"rkl2-stop", ARKODE_LSRK_RKL_2, true}};
    double cells = (double)p->n * p->n;
    bool good = true;
    for (int m = 0; m < 4; ++m) {
        double rhs = 0, seconds = 0;
        if (methods[m].stop && p->onset == 0) continue;
        for (int i = 2; i <= 9; ++i) {
            result r = {0};
            if (measure(p, sun, methods[m].name, methods[m].method, methods[m].stop, pow(10, -i), y, reference, &r))
                rhs += (double)r.rhs, seconds += r.seconds;
            else good = false;
        }
        fprintf(stderr, "%s %s: %.3g us a right-hand side with vector operations, %.3g ns a point\n", p->name,
                methods[m].name, 1e6 * seconds / rhs, 1e9 * seconds / rhs / cells);
    }
    N_Vector rate = N_VClone(y);
    if (rate) {
        double alone = bare(p, y, rate);
        fprintf(stderr, "%s: %.3g us a right-hand side alone, %.3g ns a point\n", p->name, 1e6 * alone,
                1e9 * alone / cells);
        N_VDestroy(rate);
    }
    return good;
}

static const problem *find(const char *name)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i)
        if (!strcmp(problems[i].name, name)) return problems + i;
    return NULL;
}

static bool read_reference(const char *path, double *values, size_t n)
{
    char more;
    FILE *file = fopen(path, "rb");
    bool good = file && fread(values, sizeof *values, n, file) == n && fread(&more, 1, 1, file) == 0;
    if (file) fclose(file);
    return good;
}

int main(int argc, char **argv)
{
    static double reference[MOST];
    const problem *p = argc == 3 ? find(argv[1]) : NULL;
    if (!p) {
        fprintf(stderr, "sundials PROBLEM REFERENCE.f64, a problem of front, source, brusselator\n");
        return 2;
    }
    int n = p->nfields * p->n * p->n;
    if (!read_reference(argv[2], reference, (size_t)n)) {
        fprintf(stderr, "%s: not %d numbers of f64\n", argv[2], n);
        return 2;
    }
    SUNContext sun;
    if (SUNContext_Create(SUN_COMM_NULL, &sun) != 0) return 1;
    N_Vector y = N_VNew_Serial(n, sun);
    tabulate();
    puts("problem,method,rtol,steps,rejected,rhs,stages,error,seconds");
    bool good = y && N_VEnableFusedOps_Serial(y, true) == 0 && measure_all(p, sun, y, reference);
    N_VDestroy(y);
    SUNContext_Free(&sun);
    return good ? 0 : 1;
}
