/* Steps that take less time than their launch: the classical Runge-Kutta method on a 64 x 64 grid.
 *
 *   a = u + dt/2 f(u)        s = u + dt/6 f(u)          f(u) = 0.1 laplace u - u_x - u_y + 10 (u - u^3), u = 0 outside
 *   b = u + dt/2 f(a)        s = s + dt/3 f(a)
 *   a = u + dt f(b)          s = s + dt/3 f(b)
 *   v = s + dt/6 f(a)        and the next step from v to u
 *
 * A stage is a program, launched one by one or recorded; or a program is a whole step (two steps), which the compiler
 * fuses, recorded. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "bench/bench.h"
#include "rechenwerk/expr.h"

#define F(u) "(0.1*laplace(" u ") - dx(" u ") - dy(" u ") + 10*(" u " - " u "^3))"
#define STAGE1(n, u) "k1" n " = " F(u) "\na = " u " + dt/2*k1" n "\ns = " u " + dt/6*k1" n "\n"
#define STAGE2(n, u) "k2" n " = " F("a") "\nb = " u " + dt/2*k2" n "\ns = s + dt/3*k2" n "\n"
#define STAGE3(n, u) "k3" n " = " F("b") "\na = " u " + dt*k3" n "\ns = s + dt/3*k3" n "\n"
#define STAGE4(v) v " = s + dt/6*" F("a") "\n"
#define STEP(n, u, v) STAGE1(n, u) STAGE2(n, u) STAGE3(n, u) STAGE4(v)
enum { FIELDS = 6, PROGRAMS = 8, SEED = 30 };
static const char *const names[FIELDS] = {"u", "v", "w", "a", "b", "s"};
/* programs that take u two steps on, in order; each is run with u and v as they are named */
static const struct {
    const char *name;
    int n;
    const char *texts[PROGRAMS];
} ways[] = {
    {"stage by stage",
     8,
     {STAGE1("", "u"), STAGE2("", "u"), STAGE3("", "u"), STAGE4("v"), STAGE1("", "v"), STAGE2("", "v"), STAGE3("", "v"),
      STAGE4("u")}},
    {"step by step", 2, {STEP("", "u", "v"), STEP("", "v", "u")}},
    {"two steps at once", 2, {STEP("", "u", "w") STEP("2", "w", "v"), STEP("", "v", "w") STEP("2", "w", "u")}},
};

typedef struct steps {
    int n, together, together_a_turn; /* grid n x n; steps of a repetition, of all programs once */
    int nprograms;
    double dt;
    rw_array *field[FIELDS];
    rw_expr *program[PROGRAMS];
    rw_sequence *sequence;
    rw_queue *queue;
    struct steps *single; /* the peer: stage by stage, launched one by one */
} steps;

static void free_steps(steps *s)
{
    rw_sequence_destroy(&s->sequence);
    for (int k = 0; k < PROGRAMS; ++k) rw_expr_destroy(&s->program[k]);
    for (int f = 0; f < FIELDS; ++f) rw_array_destroy(&s->field[f]);
}

static rw_status step(void *user, int round RW_UNUSED)
{
    steps *s = user;
    for (int t = 0; t < s->together; t += s->together_a_turn)
        for (int k = 0; k < s->nprograms; ++k) RW_TRY(rw_expr_run(s->program[k], s->queue));
    return RW_OK;
}

static rw_status replay(void *user, int round RW_UNUSED)
{
    steps *s = user;
    return rw_sequence_replay(s->sequence, s->queue);
}

static rw_status make(rw_bench *b, steps *s, int way, int n, int together)
{
    rw_expr_field fields[FIELDS];
    s->n = n;
    s->together = together;
    s->together_a_turn = way == 2 ? 4 : 2;
    s->nprograms = ways[way].n;
    s->queue = b->queue;
    double h = 1.0 / (n + 1);
    s->dt = 0.5 * h * h / 0.4; /* half of what is stable for the heat equation */
    rw_expr_scalar dt = {.name = "dt", .value = s->dt};
    for (int f = 0; f < FIELDS; ++f) {
        fields[f] = (rw_expr_field){.name = names[f], .dtype = RW_F64};
        for (int side = 0; side < 4; ++side)
            fields[f].boundary[side] = (rw_boundary){.kind = RW_BOUNDARY_DIRICHLET, .a = "0"};
        RW_TRY(rw_bench_array(b, RW_F64, (int64_t)n * n, &s->field[f]));
        RW_TRY(f ? rw_bench_poison(s->field[f]) : rw_random_fill(s->field[f], SEED, 0));
    }
    for (int k = 0; k < s->nprograms; ++k) {
        rw_expr_spec spec = {.name = "launch",
                             .text = ways[way].texts[k],
                             .grid = {2, {n, n, 1}, {h, h, 1}, {0}},
                             .fields = fields,
                             .nfields = FIELDS,
                             .scalars = &dt,
                             .nscalars = 1};
        RW_TRY(rw_expr_create(b->dev, &spec, &s->program[k]));
        for (int f = 0; f < FIELDS; ++f) RW_TRY(rw_expr_bind(s->program[k], names[f], s->field[f]));
    }
    for (int f = 0; f < FIELDS; ++f) RW_TRY(rw_array_send(s->field[f], s->queue)); /* before recording */
    RW_TRY(rw_record_begin(s->queue));
    rw_status status = step(s, 0), ended = rw_record_end(s->queue, &s->sequence);
    return status != RW_OK ? status : ended;
}

/* ---- the same steps on the host, in double precision ------------------------------------------------------------- */

static double rhs(const double *u, int n, int i, int j)
{
    double h = 1.0 / (n + 1), v = u[j * n + i], l = i ? u[j * n + i - 1] : 0, r = i < n - 1 ? u[j * n + i + 1] : 0,
           lo = j ? u[(j - 1) * n + i] : 0, up = j < n - 1 ? u[(j + 1) * n + i] : 0;
    return 0.1 * (l + r + lo + up - 4 * v) / (h * h) - (r - l) / (2 * h) - (up - lo) / (2 * h) + 10 * (v - v * v * v);
}

static void host_step(double *u, double *work, int n, double dt)
{
    static const double ahead[4] = {0.5, 0.5, 1, 0}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    int cells = n * n;
    double *from = work, *to = work + cells, *sum = work + 2 * cells;
    memcpy(from, u, (size_t)cells * sizeof *u);
    memcpy(sum, u, (size_t)cells * sizeof *u);
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < cells; ++i) {
            double f = rhs(from, n, i % n, i / n);
            to[i] = u[i] + ahead[k] * dt * f;
            sum[i] += weight[k] * dt * f;
        }
        double *swap = from;
        from = to;
        to = swap;
    }
    memcpy(u, sum, (size_t)cells * sizeof *u);
}

/* One repetition replayed, one launch by launch, against the host. */
static rw_status error(rw_bench *b, void *work, double *worst)
{
    steps *s = work;
    const void *result;
    int cells = s->n * s->n;
    double *u = rw_calloc((size_t)cells * 4 + 1, sizeof *u), w = 0;
    if (!u) return rw_fail_memory(b->ctx, (size_t)cells * 32, "a field");
    for (int i = 0; i < cells; ++i) u[i] = rw_random_uniform(SEED, (uint64_t)i);
    for (int t = 0; t < 2 * s->together; ++t) host_step(u, u + cells, s->n, s->dt);
    rw_status status = step(s, 0);
    if (status == RW_OK) status = rw_array_read(s->field[0], &result);
    for (int i = 0; i < cells && status == RW_OK; ++i) w = rw_worse(w, fabs(((const double *)result)[i] - u[i]));
    rw_free(u);
    *worst = w;
    return status;
}

static const double tolerance = 1e-12; /* absolute, of values up to 1: steps are stable, roundings do not grow */

static rw_status add_single(rw_bench *b RW_UNUSED, void *work, rw_peers *peers)
{
    rw_peers_add(peers, "single launches", step, ((steps *)work)->single);
    return RW_OK;
}

static const rw_bench_task task = {replay, error, add_single, NULL};

static rw_status check(rw_bench *b, int64_t n, int variant, double *worst, double *allowed)
{
    steps s = {0};
    *allowed = tolerance;
    const rw_status status = rw_bench_verify(b, &task, &s, make(b, &s, variant, (int)n, 4), worst);
    free_steps(&s);
    return status;
}

static rw_status run(rw_bench *b)
{
    steps s[RW_COUNT(ways)] = {{0}};
    rw_status status = RW_OK;
    for (int way = 0; way < RW_COUNT(ways) && status == RW_OK; ++way) {
        rw_bench_result row = {.tolerance = tolerance};
        status = make(b, s + way, way, b->options.quick ? 16 : 64, b->options.quick ? 4 : 100);
        s[way].single = s;
        row.steps = s[way].together;
        snprintf(row.what, sizeof row.what, "RK4 steps, recorded, %s", ways[way].name);
        snprintf(row.size, sizeof row.size, "%d^2 points, %d steps", s[way].n, s[way].together);
        status = rw_bench_measure(b, &task, s + way, status, b->dev->info.gpu && way == RW_COUNT(ways) - 1 ? 5 : 0,
                                  "single launches", &row);
    }
    for (int way = 0; way < RW_COUNT(ways); ++way) free_steps(s + way);
    return status;
}

static const int64_t sizes[] = {3, 4, 16, 33, 64, -1};
const rw_bench_case rw_bench_launch = {run, RW_COUNT(ways), check, sizes, 4, NULL};
