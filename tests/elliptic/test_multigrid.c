/* Multigrid: residuals recomputed by the plain evaluator, cycles that do not depend on the grid, refusals. */
/* TEST: devices=all */
#include "elliptic/elliptic.h"
#include "elliptic/multigrid.h"
#include "problem.h"

#define D                                                                                                              \
    {                                                                                                                  \
        RW_BOUNDARY_DIRICHLET, "0.3", 0, 0                                                                             \
    }
#define N                                                                                                              \
    {                                                                                                                  \
        RW_BOUNDARY_NEUMANN, "0.5", 0, 0                                                                               \
    }
#define R                                                                                                              \
    {                                                                                                                  \
        RW_BOUNDARY_ROBIN, "2", "1", "0.7"                                                                             \
    }
#define P                                                                                                              \
    {                                                                                                                  \
        RW_BOUNDARY_PERIODIC, 0, 0, 0                                                                                  \
    }

typedef struct row {
    const char *equation, *F; /* the same as "R = …" */
    int ndim;
    int64_t size[3];
    rw_boundary sides[6];
    rw_grid_layout layout;
    int most; /* cycles */
} row;

#define POISSON "laplace(u) = f", "R = laplace(u) - f"
#define SMOOTH                                                                                                         \
    "div((1 + 49.5*(1 + sin(6*x)*cos(5*y)))*grad(u)) = f", "R = div((1 + 49.5*(1 + sin(6*x)*cos(5*y)))*grad(u)) - f"
#define OF_FIELD "div((0.1 + g)*grad(u)) - u = f", "R = div((0.1 + g)*grad(u)) - u - f"

static const row rows[] = {
    {POISSON, 2, {64, 48}, {D, D, D, D}, RW_GRID_CELL, 9},
    {POISSON, 1, {1024}, {D, N}, RW_GRID_CELL, 9},
    {POISSON, 2, {40, 56}, {D, N, R, D}, RW_GRID_CELL, 9},
    {POISSON, 3, {16, 24, 16}, {D, D, D, D, D, D}, RW_GRID_CELL, 9},
    {POISSON, 3, {16, 16, 16}, {N, R, D, D, P, P}, RW_GRID_CELL, 9},
    {"laplace(u) - 30*k*u = f", "R = laplace(u) - 30*k*u - f", 2, {64, 64}, {P, P, P, P}, RW_GRID_AUTO, 9},
    {"-laplace(u) + c*dx(u) = f", "R = -laplace(u) + c*dx(u) - f", 2, {64, 64}, {D, D, N, N}, RW_GRID_CELL, 9},
    {SMOOTH, 2, {64, 64}, {D, D, N, D}, RW_GRID_CELL, 12},
    {OF_FIELD, 2, {64, 32}, {D, N, D, R}, RW_GRID_CELL, 25},
    {POISSON, 2, {65, 50}, {D, D, D, N}, RW_GRID_AUTO, 9},
    {POISSON, 2, {61, 49}, {D, N, R, D}, RW_GRID_NODE, 9},
    {POISSON, 2, {45, 51}, {P, P, N, R}, RW_GRID_CELL, 9},
    {POISSON, 3, {17, 14, 19}, {N, R, D, D, P, P}, RW_GRID_NODE, 11},
    {SMOOTH, 2, {57, 70}, {D, D, D, D}, RW_GRID_NODE, 12},
    {SMOOTH, 2, {60, 47}, {D, R, D, N}, RW_GRID_CELL, 12},
    {OF_FIELD, 2, {50, 37}, {D, N, D, R}, RW_GRID_AUTO, 25},
    {"div((1 + u^2)*grad(u)) = 10*f", "R = div((1 + u^2)*grad(u)) - 10*f", 2, {32, 32}, {D, D, D, D}, RW_GRID_CELL, 60},
};

static void start(problem *p, const row *r)
{
    begin(p, r->equation, 1, r->ndim, r->size);
    p->spec.method = RW_ELLIPTIC_MULTIGRID;
    p->spec.layout = r->layout;
    memcpy(p->fields[0].boundary, r->sides, sizeof r->sides);
    for (int d = 0; d < r->ndim; ++d) place_axis(p, d);
    make_arrays(p);
}

static void check_by(problem *p, const row *r, rw_elliptic_method method)
{
    residual plain;
    const int64_t n = nodes_of(p);
    number *u = calloc((size_t)n, sizeof *u), *F = calloc((size_t)n, sizeof *F);
    OK(rw_elliptic_solve(p->solver, &p->result));
    make_residual(p, r->F, &plain);
    for (int64_t i = 0; i < n; ++i) u[i] = at(p->arrays[0], i);
    evaluate(&plain, u, F);
    const double left = norm_of(F, n), allowed = p->spec.rtol * p->result.right_side;
    if (!(p->result.residual <= allowed) || !(fabs(left - p->result.residual) <= 0.1 * allowed))
        fail_msg("%s: |F| = %g, recomputed %g, allowed %g", r->equation, p->result.residual, left, allowed);
    if (p->result.iterations > r->most)
        fail_msg("%s, %lld: %lld cycles, at most %d", r->equation, (long long)r->size[0],
                 (long long)p->result.iterations, r->most);
    assert_int_equal(p->result.method, method);
    print_message("# %s, %lld: %lld iterations\n", r->equation, (long long)r->size[0], (long long)p->result.iterations);
    drop_residual(&plain);
    free(u);
    free(F);
}

static void check(problem *p, const row *r) { check_by(p, r, RW_ELLIPTIC_MULTIGRID); }

static void test_residuals_and_cycles(void **state)
{
    (void)state;
    for (int i = 0; i < (brief() ? 1 : RW_COUNT(rows)); ++i) {
        problem p;
        row r = rows[i];
        if (!brief() && !in_turn(i, 1)) continue;
        if (brief()) r.size[0] = r.size[1] = 32; /* two grids */
        start(&p, &r);
        make_solver(&p);
        check(&p, &r);
        if (strchr(rows[i].equation, 'k') || strchr(rows[i].equation, 'c')) { /* other scalars, no other programs */
            OK(rw_elliptic_set(p.solver, "k", 1.7));
            OK(rw_elliptic_set(p.solver, "c", -0.4));
            p.scalars[0].value = 1.7;
            p.scalars[1].value = -0.4;
            check(&p, &r);
        }
        drop(&p);
    }
}

/* Spacings, or coefficients, that couple nodes along one axis more than along another one. */
static void test_anisotropic(void **state)
{
    (void)state;
    static const row list[] = {
        {POISSON, 2, {63, 64}, {D, D, D, D}, RW_GRID_CELL, 8},
        {POISSON, 2, {65, 47}, {D, N, D, D}, RW_GRID_NODE, 8},
        {POISSON, 3, {24, 25, 16}, {D, D, N, R, D, D}, RW_GRID_CELL, 9},
        {"dxx(u) + 300*k*dyy(u) = f", "R = dxx(u) + 300*k*dyy(u) - f", 2, {40, 50}, {D, N, N, D}, RW_GRID_AUTO, 8},
    };
    static const double aspect[RW_COUNT(list)] = {100, 0.01, 30, 1};
    for (int i = 0; i < RW_COUNT(list) && !brief(); ++i) {
        problem p;
        if (!in_turn(i, 1)) continue;
        start(&p, list + i);
        p.spec.grid.spacing[1] *= aspect[i];
        make_solver(&p);
        check(&p, list + i);
        drop(&p);
    }
}

/* The same number of cycles, nearly, with 4 times the nodes along each axis. */
static void test_independent_of_size(void **state)
{
    (void)state;
    int64_t cycles[2];
    if (brief()) skip();
    for (int i = 0; i < 2; ++i) {
        problem p;
        row r = rows[0];
        r.size[0] = r.size[1] = i ? 256 : 64;
        start(&p, &r);
        make_solver(&p);
        check(&p, &r);
        cycles[i] = p.result.iterations;
        drop(&p);
    }
    assert_true(cycles[1] <= cycles[0] + 1);
}

/* One cycle by wave fronts and by passes apart: the sweeps compare the indices of nodes with those of the sides. */
static void test_tilings(void **state)
{
    (void)state;
    static const row list[] = {{POISSON, 3, {40, 37, 35}, {D, D, D, D, D, D}, RW_GRID_CELL, 0},
                               {POISSON, 3, {37, 40, 33}, {D, R, N, D, P, P}, RW_GRID_NODE, 0},
                               {SMOOTH, 2, {140, 43}, {D, D, N, D}, RW_GRID_NODE, 0},
                               {POISSON, 3, {33, 32, 34}, {R, D, D, N, D, D}, RW_GRID_AUTO, 0}};
    static const char *const tilings[] = {"cpu", "wave"};
    rw_device *plain = dev;
    rw_queue *kept = queue;
    for (int i = 0; i < (brief() ? 1 : RW_COUNT(list)); ++i) {
        number *first = NULL;
        for (int k = 0; k < RW_COUNT(tilings); ++k) {
            problem p;
            char name[64];
            snprintf(name, sizeof name, "%.31s:tiling=%s", rw_device_info(plain)->name, tilings[k]);
            OK(rw_device_open(ctx, name, &dev));
            queue = rw_device_queue(dev);
            start(&p, list + i);
            p.spec.cycles = 1;
            make_solver(&p);
            OK(rw_elliptic_enqueue(p.solver));
            const int64_t n = nodes_of(&p);
            number *u = malloc((size_t)n * sizeof *u);
            for (int64_t c = 0; c < n; ++c) u[c] = at(p.arrays[0], c);
            const long double most = norm_of(u, n);
            for (int64_t c = 0; first && c < n; ++c)
                if (!(cabsl(u[c] - first[c]) <= 1e-12L * most))
                    fail_msg("%s, row %d, node %lld: %.15Lg by %s, %.15Lg by %s", list[i].equation, i, (long long)c,
                             creall(u[c]), tilings[k], creall(first[c]), tilings[0]);
            drop(&p);
            rw_device_close(&dev);
            dev = plain;
            queue = kept;
            if (first) free(u);
            else first = u;
        }
        free(first);
    }
}

static void test_singular(void **state)
{
    (void)state;
    static const row free_sides = {POISSON, 2, {32, 32}, {P, P, P, P}, RW_GRID_CELL, 10};
    if (brief()) skip();
    problem p;
    start(&p, &free_sides);
    p.spec.imbalance = 1;
    p.spec.mean = 2;
    make_solver(&p);
    OK(rw_elliptic_solve(p.solver, &p.result));
    assert_true(p.result.residual <= p.spec.rtol * p.result.right_side && p.result.iterations <= free_sides.most);
    long double mean = 0;
    for (int64_t i = 0; i < nodes_of(&p); ++i) mean += creall(at(p.arrays[0], i)) / (long double)nodes_of(&p);
    assert_true(fabsl(mean - 2) < 1e-12L);
    drop(&p);
}

/* Launches alone, a number of cycles each time: every call improves what the array has, a recorded one by the same
 * bits. */
static void test_fixed_cycles(void **state)
{
    (void)state;
    static const row free_sides = {POISSON, 2, {32, 32}, {P, P, P, P}, RW_GRID_CELL, 0};
    const struct {
        const row *row;
        int cycles; /* of krylov: iterations */
        rw_elliptic_precond precond;
    } list[] = {{rows, 2, 0},
                {&free_sides, 2, 0},
                {rows + 8, 2, 0},
                {rows + 3, 2, 0},
                {rows, 40, RW_ELLIPTIC_PRECOND_DIAGONAL},
                {rows + 7, 6, RW_ELLIPTIC_PRECOND_TRANSFORM},
                {rows + 9, 3, RW_ELLIPTIC_PRECOND_MULTIGRID}};
    for (int i = 0; i < (brief() ? 1 : RW_COUNT(list)); ++i) {
        problem p;
        row r = *list[i].row;
        rw_sequence *sequence;
        double before = INFINITY;
        if (brief()) r.size[0] = r.size[1] = 32;
        start(&p, &r);
        p.spec.cycles = list[i].cycles;
        p.spec.precond = list[i].precond;
        if (p.spec.precond) p.spec.method = RW_ELLIPTIC_KRYLOV;
        p.spec.imbalance = 1;
        p.spec.mean = 2;
        make_solver(&p);
        rw_array *other = new_array(RW_F64, nodes_of(&p), RW_MEMORY_DEVICE), *own = p.arrays[0];
        for (int call = 0; call < 4; ++call) {
            double worst;
            OK(rw_elliptic_enqueue(p.solver));
            OK(rw_elliptic_measure(p.solver, &worst)); /* over what is allowed */
            if (!(worst < 0.25 * before)) fail_msg("%s, call %d: %g, before %g", r.equation, call, worst, before);
            before = worst;
        }
        long double mean = 0;
        for (int64_t k = 0; k < nodes_of(&p); ++k) mean += creall(at(own, k)) / (long double)nodes_of(&p);
        if (i == 1) assert_true(fabsl(mean - 2) < 1e-12L);
        for (int64_t k = 0; k < nodes_of(&p); ++k) put(other, k, 0.1 * (double)(k % 5), 0);
        OK(rw_array_copy(own, other, queue));
        for (int call = 0; call < 3; ++call) OK(rw_elliptic_enqueue(p.solver));
        const rw_counters then = counters();
        OK(rw_record_begin(queue));
        OK(rw_elliptic_enqueue(p.solver));
        OK(rw_record_end(queue, &sequence));
        const rw_counters now = counters();
        assert_int_equal(now.copies_device + now.copies_in + now.copies_out,
                         then.copies_device + then.copies_in + then.copies_out);
        rw_array *plain = new_array(RW_F64, nodes_of(&p), RW_MEMORY_DEVICE);
        OK(rw_array_copy(plain, own, queue));
        OK(rw_array_copy(own, other, queue));
        for (int call = 0; call < 3; ++call) OK(rw_sequence_replay(sequence, queue));
        for (int64_t k = 0; k < nodes_of(&p); ++k) assert_true(at(plain, k) == at(own, k));
        rw_sequence_destroy(&sequence);
        /* from another array, which stays as it is */
        rw_elliptic_start_from(p.solver, 0, other);
        OK(rw_elliptic_enqueue(p.solver));
        rw_elliptic_start_from(p.solver, 0, NULL);
        OK(rw_array_copy(plain, own, queue));
        OK(rw_array_copy(own, other, queue));
        OK(rw_elliptic_enqueue(p.solver));
        for (int64_t k = 0; k < nodes_of(&p); ++k) {
            assert_true(cabsl(at(plain, k) - at(own, k)) <= 1e-12L * (1 + cabsl(at(own, k))));
            assert_true(creall(at(other, k)) == (long double)(0.1 * (double)(k % 5)));
        }
        rw_array_destroy(&other);
        rw_array_destroy(&plain);
        drop(&p);
    }
}

static void test_single_precision(void **state)
{
    (void)state;
    if (brief()) skip();
    problem p;
    start(&p, rows);
    p.fields[0].dtype = RW_F32;
    p.spec.rtol = 1e-4;
    rw_array_destroy(&p.arrays[0]);
    p.arrays[0] = new_array(RW_F32, nodes_of(&p), RW_MEMORY_DEVICE);
    for (int64_t i = 0; i < nodes_of(&p); ++i) put(p.arrays[0], i, 0, 0);
    make_solver(&p);
    OK(rw_elliptic_solve(p.solver, &p.result));
    assert_true(p.result.residual <= 1e-4 * p.result.right_side && p.result.iterations <= 5);
    drop(&p);
}

/* ---- as a preconditioner ----------------------------------------------------------------------------------------- */

static double product(rw_array *a, rw_array *b)
{
    long double sum = 0;
    for (int64_t i = 0; i < a->size; ++i) sum += creall(at(a, i)) * creall(at(b, i));
    return (double)sum;
}

/* (M x, y) = (x, M y), (M x, x) > 0: of a cycle M, with every kind of side, one that transforms end and one that sweeps
 * end. */
static void test_symmetric(void **state)
{
    (void)state;
    static const row list[] = {
        {OF_FIELD, 2, {48, 32}, {D, N, R, N}, RW_GRID_CELL, 0},
        {POISSON, 2, {48, 64}, {D, N, R, D}, RW_GRID_CELL, 0},
        {"div((2 + sin(2*pi*x)*cos(5*y))*grad(u)) = f", "", 2, {32, 16}, {P, P, D, D}, RW_GRID_CELL, 0},
        {"laplace(u) - 30*k*u = f", "", 1, {256}, {R, N}, RW_GRID_CELL, 0},
        {OF_FIELD, 3, {8, 16, 8}, {R, D, N, N, D, N}, RW_GRID_CELL, 0},
        {POISSON, 2, {45, 52}, {D, N, N, D}, RW_GRID_NODE, 0},
        {OF_FIELD, 2, {31, 44}, {D, D, D, D}, RW_GRID_AUTO, 0},
        {"laplace(u) - 30*k*u = f", "", 3, {9, 14, 11}, {N, R, P, P, N, D}, RW_GRID_NODE, 0},
        {OF_FIELD, 2, {33, 48}, {D, N, R, N}, RW_GRID_CELL, 0},
        {"laplace(u) - 30*k*u = f", "", 2, {31, 27}, {P, P, N, D}, RW_GRID_CELL, 0},
    };
    if (brief()) skip();
    for (int i = 0; i < RW_COUNT(list); ++i) {
        problem p;
        rw_array *v[4];
        rw_multigrid *m;
        start(&p, list + i);
        if (i == 8) p.spec.grid.spacing[1] *= 40;
        p.spec.method = RW_ELLIPTIC_KRYLOV;
        p.spec.precond = RW_ELLIPTIC_PRECOND_DIAGONAL;
        make_solver(&p);
        rw_system *s = rw_elliptic_system(p.solver, 0);
        s->symmetric = true;
        OK(rw_multigrid_create(s, &m));
        OK(rw_multigrid_prepare(m));
        for (int k = 0; k < 4; ++k) v[k] = new_array(RW_F64, nodes_of(&p), RW_MEMORY_DEVICE);
        for (int k = 0; k < 2; ++k) {
            for (int64_t j = 0; j < nodes_of(&p); ++j)
                put(v[k], j, rw_random_uniform(7 + (uint64_t)k, (uint64_t)j) - 0.5, 0);
            OK(rw_multigrid_apply(m, v[k], v[2 + k], queue));
        }
        const double xx = product(v[0], v[2]), xy = product(v[0], v[3]), yx = product(v[1], v[2]);
        const double yy = product(v[1], v[3]);
        if (!(fabs(xy - yx) <= 1e-13 * (xx + yy)) || !(xx > 0) || !(yy > 0) || !(fabs(xy) > 1e-6 * xx))
            fail_msg("%s: (x, M y) = %.15g, (M x, y) = %.15g, (M x, x) = %g", list[i].equation, xy, yx, xx);
        for (int k = 0; k < 4; ++k) rw_array_destroy(&v[k]);
        rw_multigrid_destroy(&m);
        drop(&p);
    }
}

/* 1, and 10 in 30 random discs. */
static void put_discs(problem *p, rw_array *a)
{
    enum { DISCS = 30 };
    const int64_t *n = p->spec.grid.size;
    for (int64_t i = 0; i < nodes_of(p); ++i) {
        const double x = ((double)(i % n[0]) + 0.5) / (double)n[0], y = ((double)(i / n[0]) + 0.5) / (double)n[1];
        bool inside = false;
        for (uint64_t disc = 0; disc < DISCS; ++disc) {
            const double radius = 0.03 + 0.05 * rw_random_uniform(23, disc);
            inside = inside || hypot(x - rw_random_uniform(21, disc), y - rw_random_uniform(22, disc)) < radius;
        }
        put(a, i, inside ? 10 : 1, 0);
    }
}

/* Discs that conduct ten times as well, not aligned with coarser grids. `auto` takes transforms where coefficients are
 * smooth. */
static void test_jumps(void **state)
{
    (void)state;
    static const row
        jumps = {"div(g*grad(u)) = f", "R = div(g*grad(u)) - f", 2, {128, 128}, {D, D, D, D}, RW_GRID_CELL, 15},
        smooth = {SMOOTH, 2, {64, 64}, {D, D, N, D}, RW_GRID_CELL, 16};
    static const rw_elliptic_precond list[] = {RW_ELLIPTIC_PRECOND_MULTIGRID, RW_ELLIPTIC_PRECOND_DEFAULT};
    if (brief()) skip();
    for (int i = 0; i < 3; ++i) {
        problem p;
        char *text;
        start(&p, i < 2 ? &jumps : &smooth);
        p.spec.method = RW_ELLIPTIC_KRYLOV;
        p.spec.precond = list[RW_MIN(i, 1)];
        p.spec.rtol = 1e-10;
        if (i < 2) put_discs(&p, p.arrays[2]);
        make_solver(&p);
        check_by(&p, i < 2 ? &jumps : &smooth, RW_ELLIPTIC_KRYLOV);
        OK(rw_elliptic_explain(p.solver, &text));
        assert_true(!strstr(text, "a cycle of multigrid") == (i == 2));
        rw_free(text);
        drop(&p);
    }
}

/* A grid that is so large for the caches that sweeps share a pass, which exchanges arrays: cycles are not recorded, and
 * cg does not record its iterations. */
static void test_large(void **state)
{
    (void)state;
    static const row large =
        {"div((2 + x)*grad(u)) = f", "R = div((2 + x)*grad(u)) - f", 2, {1024, 1024}, {D, D, D, D}, RW_GRID_CELL, 15};
    if (!on("cpu")) skip();
    for (int by_cg = 0; by_cg < 2; ++by_cg) {
        problem p;
        rw_sequence *sequence;
        double before, after;
        start(&p, &large);
        p.spec.cycles = 2;
        p.spec.precond = RW_ELLIPTIC_PRECOND_MULTIGRID;
        p.spec.method = by_cg ? RW_ELLIPTIC_KRYLOV : RW_ELLIPTIC_MULTIGRID;
        make_solver(&p);
        if (by_cg) check_by(&p, &large, RW_ELLIPTIC_KRYLOV);
        else {
            assert_true(rw_elliptic_is_enqueued(p.solver) && !rw_elliptic_is_recordable(p.solver));
            OK(rw_elliptic_enqueue(p.solver));
            OK(rw_elliptic_measure(p.solver, &before));
            OK(rw_elliptic_enqueue(p.solver));
            OK(rw_elliptic_measure(p.solver, &after));
            assert_true(after < 0.1 * before);
            OK(rw_record_begin(queue));
            FAILS(RW_ERR_UNSUPPORTED, "cannot be recorded", rw_elliptic_enqueue(p.solver));
            OK(rw_record_end(queue, &sequence));
            rw_sequence_destroy(&sequence);
        }
        drop(&p);
    }
}

static void test_refused(void **state)
{
    problem without;
    (void)state;
    static const struct {
        row r;
        const char *why;
    } refused[] = {
        {{POISSON, 2, {4, 4}, {D, D, D, D}, RW_GRID_CELL, 0}, "the grid has no coarser one"},
        {{"laplace(u) + 100*u = f", "", 2, {64, 64}, {D, D, D, D}, RW_GRID_CELL, 0}, "take krylov"},
    };
    for (int i = 0; i < RW_COUNT(refused); ++i) {
        problem p;
        start(&p, &refused[i].r);
        FAILS(RW_ERR_INPUT, refused[i].why, rw_elliptic_create(dev, &p.spec, &p.solver));
        assert_non_null(strstr(rw_message(ctx), "method multigrid cannot solve this equation: "));
        drop(&p);
    }
    start(&without, &refused[0].r);
    without.spec.method = RW_ELLIPTIC_KRYLOV;
    without.spec.precond = RW_ELLIPTIC_PRECOND_MULTIGRID;
    FAILS(RW_ERR_INPUT, "precond multigrid: the grid has no coarser one",
          rw_elliptic_create(dev, &without.spec, &without.solver));
    drop(&without);
    start(&without, &refused[1].r);
    without.spec.method = RW_ELLIPTIC_AUTO;
    without.spec.precond = RW_ELLIPTIC_PRECOND_MULTIGRID;
    without.fields[0].boundary[1].kind = RW_BOUNDARY_ROBIN;
    without.fields[0].boundary[1].b = without.fields[0].boundary[1].c = "1 + y";
    FAILS(RW_ERR_INPUT, "take krylov", rw_elliptic_create(dev, &without.spec, &without.solver));
    drop(&without);
    row small = rows[0];
    small.size[0] = small.size[1] = 32;
    start(&without, &small);
    make_solver(&without);
    FAILS(RW_ERR_UNSUPPORTED, "give a number of cycles", rw_elliptic_enqueue(without.solver));
    drop(&without);
}

static void test_failing_allocations(void **state)
{
    (void)state;
    problem p;
    const row small = {OF_FIELD, 2, {4, 4}, {D, N, D, R}, RW_GRID_CELL, 0};
    if (!on("cpu")) skip();
    for (int by_cg = 0; by_cg < 2; ++by_cg) {
        start(&p, &small);
        p.spec.precond = RW_ELLIPTIC_PRECOND_MULTIGRID;
        if (by_cg) p.spec.method = RW_ELLIPTIC_KRYLOV;
        fail_each_allocation(&p);
        drop(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_residuals_and_cycles),
        cmocka_unit_test(test_anisotropic),
        cmocka_unit_test(test_independent_of_size),
        cmocka_unit_test(test_tilings),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_fixed_cycles),
        cmocka_unit_test(test_single_precision),
        cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_jumps),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_failing_allocations),
    };
    return run_on_devices("multigrid", tests, RW_COUNT(tests));
}
