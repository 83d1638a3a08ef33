/* Beside plain C: the right-hand side of a reaction front for random values, sides of all kinds, grids of 1 x 7 to 512
 * x 512; and whole steps of the ROCK methods, once as the integrator takes them, by recurrences, and once by the
 * explicit tableau
 *
 *   X_k = y + h sum_{l<k} A_kl F(X_l)      y_{n+1} = y + h sum b_k F(X_k)      estimate = start + h sum e_k F(X_k)
 *
 * that follows from the same coefficients. The tableau itself is held against the order conditions. */
#include "ode/rock.h"
#include "ode_test.h"

#define SIDE(kind, ...)                                                                                                \
    {                                                                                                                  \
        RW_BOUNDARY_##kind, __VA_ARGS__                                                                                \
    }
#define NONE SIDE(NEAREST, 0, 0, 0)
#define ZERO SIDE(DIRICHLET, "0", 0, 0)
static const rw_boundary cold[6] = {ZERO, ZERO, ZERO, ZERO, NONE, NONE};

static const double H = 0.01;

/* ---- the right-hand side ----------------------------------------------------------------------------------------- */

typedef enum advection { FORWARD, CENTRAL, BACKWARD } advection;
static const char *const equations[] = {"du/dt = 0.1*laplace(u) - dx_forward(u) - dy_forward(u) + 10*(u - u^3)",
                                        "du/dt = 0.1*laplace(u) - dx(u) - dy(u) + 10*(u - u^3)",
                                        "du/dt = 0.1*laplace(u) - dx_backward(u) - dy_backward(u) + 10*(u - u^3)"};

/* Sides as texts, and the value one node beyond side s at (x, y), t = 0.5, where u0 is the value at the border, u1 one
 * further in. */
typedef double beyond(int s, double x, double y, double u0, double u1);

static double beyond_cold(int s, double x, double y, double u0, double u1)
{
    return (void)s, (void)x, (void)y, (void)u0, (void)u1, 0;
}
static double beyond_nearest(int s, double x, double y, double u0, double u1)
{
    return (void)s, (void)x, (void)y, (void)u1, u0;
}
#define MIXED                                                                                                          \
    {                                                                                                                  \
        SIDE(DIRICHLET, "1 + y*t - 30*x", 0, 0), SIDE(NEUMANN, "0.3 - 2*y", 0, 0), SIDE(ROBIN, "2", "0.5", "x - t"),   \
            SIDE(DIRICHLET, "x^2 - 30*y", 0, 0), NONE, NONE                                                            \
    }
static double beyond_mixed(int s, double x, double y, double u0, double u1)
{
    if (s == 0) return 1 + 0.5 * y - 30 * x;
    if (s == 1) return u1 + 2 * H * (0.3 - 2 * y);
    return s == 2 ? u1 + 2 * H * (x - 0.5 - 2 * u0) / 0.5 : x * x - 30 * y;
}

static const struct sides {
    const char *name;
    rw_boundary side[6];
    beyond *value; /* NULL: periodic */
} all_sides[] = {
    {"cold", {ZERO, ZERO, ZERO, ZERO, NONE, NONE}, beyond_cold},
    {"periodic",
     {SIDE(PERIODIC, 0, 0, 0), SIDE(PERIODIC, 0, 0, 0), SIDE(PERIODIC, 0, 0, 0), SIDE(PERIODIC, 0, 0, 0), NONE, NONE},
     NULL},
    {"nearest", {NONE, NONE, NONE, NONE, NONE, NONE}, beyond_nearest},
    {"mixed", MIXED, beyond_mixed},
};

/* u at (i, j), which may lie one node outside. */
static double at(const double *u, int n, int m, const struct sides *b, const double origin[2], int i, int j)
{
    bool x_out = i < 0 || i >= n, y_out = j < 0 || j >= m;
    if (!x_out && !y_out) return u[j * n + i];
    if (!b->value) return u[(j + m) % m * n + (i + n) % n];
    int s = x_out ? i >= n : 2 + (j >= m), step = s % 2 ? -1 : 1, stride = x_out ? 1 : n;
    const double *border = x_out ? u + j * n + (i < 0 ? 0 : n - 1) : u + (j < 0 ? 0 : m - 1) * n + i;
    double x = origin[0] + (i < 0 ? 0 : i >= n ? n - 1 : i) * H, y = origin[1] + (j < 0 ? 0 : j >= m ? m - 1 : j) * H;
    /* on a Dirichlet side the value belongs to the node outside */
    if (b->side[s].kind == RW_BOUNDARY_DIRICHLET && x_out) x += (s % 2 ? 1 : -1) * H;
    if (b->side[s].kind == RW_BOUNDARY_DIRICHLET && y_out) y += (s % 2 ? 1 : -1) * H;
    return b->value(s, x, y, *border, (x_out ? n : m) > 1 ? border[step * stride] : *border);
}

static void rates(const double *u, int n, int m, advection a, const struct sides *b, const double origin[2], double *f)
{
    for (int j = 0; j < m; ++j)
        for (int i = 0; i < n; ++i) {
            double c = u[j * n + i], w = at(u, n, m, b, origin, i - 1, j), e = at(u, n, m, b, origin, i + 1, j),
                   s = at(u, n, m, b, origin, i, j - 1), t = at(u, n, m, b, origin, i, j + 1);
            double laplace = (e - 2 * c + w) / (H * H) + (t - 2 * c + s) / (H * H);
            double slope = a == FORWARD   ? (e - c) / H + (t - c) / H
                           : a == CENTRAL ? (e - w + t - s) / (2 * H)
                                          : (c - w) / H + (c - s) / H;
            f[j * n + i] = 0.1 * laplace - slope + 10 * (c - c * c * c);
        }
}

static void describe_front(problem *p, const char *equation, int n, int m, const rw_boundary *sides)
{
    describe(p, equation, 1, 2, 2, sides);
    for (int d = 0; d < 2; ++d) {
        p->spec.grid.size[d] = d ? m : n, p->spec.grid.spacing[d] = H;
        if (p->spec.grid.origin[d] != 0) p->spec.grid.origin[d] = H;
    }
}

/* -1.2 … 1.2 */
static double random_value(int64_t i) { return 2.4 * rw_random_uniform(5, (uint64_t)i) - 1.2; }
static void fill_randomly(problem *p)
{
    void *w;
    OK(rw_array_write(p->array[0], &w));
    for (int64_t i = 0; i < cells_of(p); ++i) ((double *)w)[i] = random_value(i);
}
static double nothing(const double x[3], int f) { return (void)x, (void)f, 0; }

static double largest_difference(const double *a, const double *b, int64_t n, double *size)
{
    double worst = 0;
    *size = 0;
    for (int64_t i = 0; i < n; ++i) {
        double e = fabs(a[i] - b[i]);
        worst = e > worst || isnan(e) ? e : worst;
        *size = fmax(*size, fabs(b[i]));
    }
    return worst;
}

/* F(0.5, u) into the integrator's second vector. */
static void device_rates(problem *p)
{
    rw_building b;
    rw_stage stage;
    rw_node rate;
    rw_build_begin(&b, p->ode);
    rw_node t = rw_build_scalar(&b, "t");
    rw_build_vector(&b, 0, t), rw_build_vector(&b, 1, t);
    rw_build_rates(&b, 0, &rate);
    rw_build_store(&b, 1, 0, rate);
    OK(rw_build_end(&b, "rates", &stage));
    rw_stage_set(&stage, "t", 0.5);
    OK(rw_stage_run(p->ode, &stage));
    rw_stage_free(&stage);
}

static void check_rates(advection a, const struct sides *s, int n, int m)
{
    problem p;
    double size, worst, *u, *f;
    describe_front(&p, equations[a], n, m, s->side);
    start(&p, nothing);
    fill_randomly(&p);
    u = malloc((size_t)(n * m) * sizeof *u), f = malloc((size_t)(n * m) * sizeof *f);
    memcpy(u, numbers_of(p.array[0]), (size_t)(n * m) * sizeof *u);
    rates(u, n, m, a, s, p.spec.grid.origin, f);
    device_rates(&p);
    worst = largest_difference(numbers_of(p.ode->vector[1]), f, n * m, &size);
    free(u), free(f);
    if (!(worst <= 1e-14 * size)) /* a dozen roundings of terms as large as F */
        fail_msg("%s, %s sides, %d x %d: %.3g of %.3g away", equations[a], s->name, n, m, worst, size);
    finish(&p);
}

static void test_rates(void **state)
{
    (void)state;
    static const int sizes[][2] = {{16, 16},   {17, 16},  {64, 33},  {1, 7},    {33, 100},
                                   {256, 256}, {16, 512}, {512, 16}, {512, 512}};
    bool slow = on("opencl") && !rw_device_info(dev)->gpu;
    for (int i = 0; i < (slow ? 2 : on("check") ? 5 : RW_COUNT(sizes)); ++i)
        if (in_turn(i, 1)) check_rates(FORWARD, all_sides, sizes[i][0], sizes[i][1]);
    for (int a = FORWARD; a <= BACKWARD && !slow; ++a)
        for (int s = 0; s < RW_COUNT(all_sides); ++s)
            if (in_turn(a + s, 0)) check_rates((advection)a, all_sides + s, 35, 18);
    if (slow) check_rates(CENTRAL, all_sides + 3, 35, 18);
}

/* ---- tableaus ---------------------------------------------------------------------------------------------------- */

enum { MOST = 140 };

typedef struct tableau {
    int s;                                         /* evaluations of F */
    double A[MOST][MOST], b[MOST], e[MOST], start; /* the estimate's part of y is `start` */
} tableau;

/* c y + h sum w_k F(X_k) */
typedef struct combination {
    long double c, w[MOST];
} combination;

static void add(combination *to, long double a, const combination *x)
{
    to->c += a * x->c;
    for (int k = 0; k < MOST; ++k) to->w[k] += a * x->w[k];
}

/* The next evaluation of F, at x; its K = h F. */
static combination evaluate(tableau *t, const combination *x)
{
    combination K = {0};
    for (int k = 0; k < t->s; ++k) t->A[t->s][k] = (double)x->w[k];
    if (fabsl(x->c - 1) > 1e-14L) fail_msg("nu + kappa is not -1: stage %d has %Lg y", t->s, x->c);
    K.w[t->s++] = 1;
    return K;
}

static void make_tableau(const rw_rock *r, tableau *t)
{
    combination v = {1, {0}}, estimate = {r->start, {0}};
    memset(t, 0, sizeof *t);
    for (int i = 0; i < r->nblocks; ++i) {
        const rw_rock_block *b = r->block + i;
        combination older = {0}, g = v, K[RW_ROCK_FINISH];
        for (int j = 1; j <= b->m; ++j) {
            combination next = {0}, F = evaluate(t, &g);
            if (j > 1) assert_true(fabsl(b->nu[j] + b->kappa[j] + 1) < 1e-17L);
            add(&next, b->mu[j], &F), add(&next, j > 1 ? -b->nu[j] : 1, &g),
                add(&next, j > 1 ? -b->kappa[j] : 0, &older);
            older = g, g = next;
        }
        v = g;
        for (int j = 0, a = 0; j < b->q; ++j) {
            combination x = g;
            for (int l = 0; l < j; ++l) add(&x, b->a[a++], K + l);
            K[j] = evaluate(t, &x);
            add(&v, b->b[j], K + j), add(&estimate, b->e[j], K + j);
        }
        if (i + 1 < r->nblocks) add(&estimate, r->middle, &v);
        else add(&estimate, r->last, &g);
    }
    for (int k = 0; k < t->s; ++k) t->b[k] = (double)v.w[k], t->e[k] = (double)estimate.w[k];
    t->start = (double)estimate.c;
}

/* Largest defect of the conditions of order 1 … p for the weights w: sum over k of w_k times a tree's inner weight,
 * minus 1/density (times `exact`: 0 for weights of an estimate). */
static double order_defect(const tableau *t, const double *w, int p, double exact)
{
    long double c[MOST] = {0}, Ac[MOST] = {0}, Ac2[MOST] = {0}, AAc[MOST] = {0}, worst = 0;
    for (int k = 0; k < t->s; ++k)
        for (int l = 0; l < k; ++l) {
            c[k] += t->A[k][l];
            Ac[k] += t->A[k][l] * c[l], Ac2[k] += t->A[k][l] * c[l] * c[l], AAc[k] += t->A[k][l] * Ac[l];
        }
    static const int order[] = {1, 2, 3, 3, 4, 4, 4, 4};
    static const double density[] = {1, 2, 3, 6, 4, 8, 12, 24};
    for (int tree = 0; tree < RW_COUNT(order) && order[tree] <= p; ++tree) {
        long double sum = -exact / (long double)density[tree];
        for (int k = 0; k < t->s; ++k) {
            const long double inner[] = {1, c[k], c[k] * c[k], Ac[k], c[k] * c[k] * c[k], c[k] * Ac[k], Ac2[k], AAc[k]};
            sum += w[k] * inner[tree];
        }
        worst = fmaxl(worst, fabsl(sum));
    }
    return (double)worst;
}

/* R(z) by the tableau. */
static long double response(const tableau *t, long double z)
{
    long double F[MOST], R = 1;
    for (int k = 0; k < t->s; ++k) {
        long double X = 1;
        for (int l = 0; l < k; ++l) X += t->A[k][l] * z * F[l];
        F[k] = X, R += t->b[k] * z * X;
    }
    return R;
}

static const struct {
    rw_rock_kind kind;
    int stages;
} steps[] = {{RW_ROCK4, 5},  {RW_ROCK4, 6},   {RW_ROCK4, 10},       {RW_ROCK4, 26},
             {RW_ROCK4, 61}, {RW_ROCK4, 120}, {RW_ROCK4_SPLIT, 18}, {RW_ROCK4_SPLIT, 40},
             {RW_ROCK2, 3},  {RW_ROCK2, 4},   {RW_ROCK2, 25}};

static void make(int which, rw_rock **r, tableau *t)
{
    OK(rw_rock_create(ctx, steps[which].kind, steps[which].stages, 0.95, r));
    make_tableau(*r, t);
    assert_int_equal(t->s, (*r)->evaluations);
}

static void test_order_of_the_tableaus(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static tableau t;
    for (int i = 0; i < RW_COUNT(steps); ++i) {
        rw_rock *r;
        make(i, &r, &t);
        int order = r->order;
        double defect = order_defect(&t, t.b, order, 1), estimate = order_defect(&t, t.e, order - 1, 0);
        long double coarse = response(&t, 0.04L) - expl(0.04L), fine = response(&t, 0.02L) - expl(0.02L),
                    exponent = log2l(coarse / fine);
        int s = steps[i].stages;
        print_message("# kind %d, %3d stages: order conditions %.1e, estimate %.1e, R - exp: z^%.2Lf\n", steps[i].kind,
                      s, defect, estimate, exponent);
        if (defect > 1e-14 || estimate > 1e-14 || fabs(t.start) > 1e-14)
            fail_msg("%d stages: %g, %g", s, defect, estimate);
        if (fabsl(exponent - order - 1) > 0.1L) fail_msg("%d stages: R(z) - exp(z) ~ z^%.2Lf", s, exponent);
        for (int k = 0; k <= 20 && s <= 26; ++k) { /* the whole interval, in long double: rounding errors grow with s */
            long double z = -r->interval * k / 20, own = rw_rock_response(r, z), by_tableau = response(&t, z);
            if (fabsl(by_tableau - own) > 1e-6L)
                fail_msg("%d stages: R(%Lg) = %Lg, by the tableau %Lg", s, z, own, by_tableau);
        }
        rw_rock_destroy(&r);
    }
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

/* y of n values by the tableau, and the norm of the estimate. */
static double plain_step(const tableau *t, double *y, int n, int m, double h, double rtol, double atol,
                         const double origin[2])
{
    int64_t cells = (int64_t)n * m;
    double *F = malloc((size_t)(t->s * cells) * sizeof *F), *X = malloc((size_t)cells * sizeof *X), norm = 0;
    for (int k = 0; k < t->s; ++k) {
        memcpy(X, y, (size_t)cells * sizeof *X);
        for (int l = 0; l < k; ++l)
            for (int64_t i = 0; i < cells; ++i) X[i] += h * t->A[k][l] * F[l * cells + i];
        rates(X, n, m, FORWARD, all_sides, origin, F + k * cells);
    }
    for (int64_t i = 0; i < cells; ++i) {
        double next = y[i], e = t->start * y[i];
        for (int k = 0; k < t->s; ++k) next += h * t->b[k] * F[k * cells + i], e += h * t->e[k] * F[k * cells + i];
        e /= atol + rtol * fmax(fabs(y[i]), fabs(next));
        norm += e * e / (double)cells;
        y[i] = next;
    }
    free(F), free(X);
    return sqrt(norm);
}

/* Steps so short that rounding errors are not magnified (h rho < 1), with the number of stages that the given radius
 * asks for. */
static void check_steps(int n, int m, int first, int last)
{
    const double h = 1e-4;
    static tableau t;
    problem p = {0};
    saved beginning = {.n = 0};
    double *y = malloc((size_t)(n * m) * sizeof *y), size;
    for (int i = first; i < last; ++i) {
        rw_rock *r;
        make(i, &r, &t);
        if (i == first) {
            describe_front(&p, equations[FORWARD], n, m, cold);
            p.scalars[0] = (rw_expr_scalar){.name = "radius", .value = 1}, p.spec.nscalars = 1,
            p.spec.spectral_radius = "radius";
            p.spec.method = r->order == 2 ? RW_ODE_ROCK2 : RW_ODE_ROCK4, p.spec.initial_step = h;
            p.spec.rtol = r->kind == RW_ROCK4_SPLIT ? 1e-12 : 1, p.spec.atol = 1e3;
            start(&p, nothing);
            beginning = save(p.ode);
        }
        fill_randomly(&p);
        OK(load(p.ode, &beginning));
        OK(rw_ode_set(p.ode, "radius", (1 - 1e-9) * rw_rock_interval(r->kind, r->stages) / h));
        memcpy(y, numbers_of(p.array[0]), (size_t)(n * m) * sizeof *y);
        OK(rw_ode_step(p.ode, h));
        rw_ode_statistics s = statistics(&p);
        assert_int_equal(s.stages, steps[i].stages);
        assert_int_equal(s.rhs, t.s);
        double error = plain_step(&t, y, n, m, h, p.spec.rtol, p.spec.atol, p.spec.grid.origin);
        double worst = largest_difference(numbers_of(p.array[0]), y, n * m, &size);
        if (!(worst <= 1e-12 * size)) fail_msg("%d stages, %d x %d: %.3g away from the tableau", s.stages, n, m, worst);
        if (!(fabs(s.error / error - 1) < 1e-9))
            fail_msg("%d stages, %d x %d: estimate %.9g, by the tableau %.9g", s.stages, n, m, s.error, error);
        rw_rock_destroy(&r);
    }
    free(y);
    finish(&p);
}

static void test_steps(void **state)
{
    (void)state;
    check_steps(16, 13, 0, 6);
    if (on("opencl") && !rw_device_info(dev)->gpu) return; /* seconds of PoCL a program */
    check_steps(16, 13, 6, 8);
    if (!brief()) check_steps(16, 13, 8, 11);
    if (on("check") || !test_long()) return;
    check_steps(257, 130, 0, 4);
    check_steps(257, 130, 6, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rates), cmocka_unit_test(test_order_of_the_tableaus),
                                       cmocka_unit_test(test_steps)};
    return run_on_devices("plain", tests, RW_COUNT(tests));
}
