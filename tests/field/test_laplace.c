/* The laplacian on block-structured grids, on all devices: plain differences where blocks are boxes, in any orientation
 * of the blocks; matrices of finite elements; exact for linear functions; eigenvalues of curved bodies at second order;
 * what comes in through sides; what is refused. */
#include "../devices.h"

#include "meshes.h"

static const double pi = 3.14159265358979323846;

static const rw_boundary closed = {.kind = RW_BOUNDARY_NEAREST};

typedef struct problem {
    rw_blocks *g;
    rw_blocks_place place;
    int64_t n;
    rw_expr *e;
    rw_array *u, *v;
} problem;

static int64_t size_of(const rw_blocks *g, rw_blocks_place place)
{
    return place == RW_BLOCKS_CELLS ? rw_blocks_cells(g) : rw_blocks_points(g);
}

/* A program over fields u and v, both with these boundaries (NULL: closed). */
static problem begin(rw_blocks *g, rw_blocks_place place, rw_dtype dtype, const rw_boundary *boundary, const char *text)
{
    problem p = {.g = g, .place = place, .n = size_of(g, place)};
    rw_expr_field fields[2] = {{.name = "u", .dtype = dtype}, {.name = "v", .dtype = dtype}};
    for (int s = 0; s < 6; ++s) fields[0].boundary[s] = fields[1].boundary[s] = boundary ? boundary[s] : closed;
    rw_expr_spec spec = {.name = "laplace", .text = text, .fields = fields, .nfields = 2};
    OK(rw_blocks_expr_create(g, dev, place, &spec, &p.e));
    OK(rw_blocks_array(g, dev, place, dtype, &p.u));
    OK(rw_blocks_array(g, dev, place, dtype, &p.v));
    OK(rw_expr_bind(p.e, "u", p.u));
    OK(rw_expr_bind(p.e, "v", p.v));
    return p;
}

static void end(problem *p)
{
    rw_expr_destroy(&p->e);
    rw_array_destroy(&p->u), rw_array_destroy(&p->v);
}

/* u is set to random numbers of [0, 1), v to 0. */
static double *fill_random(problem *p, uint64_t seed)
{
    void *u, *v;
    OK(rw_array_write(p->u, &u));
    OK(rw_array_write(p->v, &v));
    double *copy = calloc((size_t)p->n, sizeof *copy);
    for (int64_t i = 0; i < p->n; ++i)
        copy[i] = ((double *)u)[i] = rw_random_uniform(seed, (uint64_t)i), ((double *)v)[i] = 0;
    return copy;
}

static double result(problem *p, const char *name)
{
    double value;
    OK(rw_expr_get(p->e, name, &value, NULL));
    return value;
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* One block: differences of neighbours, half a cell to a side. */
static void test_box(void **state)
{
    (void)state;
    enum { NX = 6, NY = 4, NZ = 3 };
    static const rw_boundary boundary[6] = {{.kind = RW_BOUNDARY_DIRICHLET, .a = "2"},
                                            {.kind = RW_BOUNDARY_NEUMANN, .a = "3"},
                                            {.kind = RW_BOUNDARY_NEAREST},
                                            {.kind = RW_BOUNDARY_DIRICHLET, .a = "-1"},
                                            {.kind = RW_BOUNDARY_NEUMANN, .a = "-4"},
                                            {.kind = RW_BOUNDARY_NEAREST}};
    static const double at_side[6] = {2, 3, 0, -1, -4, 0};
    const double h[3] = {0.5, 0.25, 1};
    rw_blocks *g;
    OK(rw_blocks_box(ctx, (double[3]){NX * h[0], NY * h[1], NZ * h[2]}, (int[3]){NX, NY, NZ}, &g));
    problem p = begin(g, RW_BLOCKS_CELLS, RW_F64, boundary, "v = laplace(u)");
    double *u = fill_random(&p, 1);
    OK(rw_expr_run(p.e, queue));
    const double *v = numbers_of(p.v);
    int size[3] = {NX, NY, NZ}, stride[3] = {1, NX, NX * NY};
    for (int c = 0; c < NX * NY * NZ; ++c) {
        int at[3] = {c % NX, c / NX % NY, c / NX / NY};
        double want = 0;
        for (int s = 0; s < 6; ++s) {
            int d = s / 2;
            bool edge = at[d] == (s & 1 ? size[d] - 1 : 0);
            if (!edge) want += (u[c + (s & 1 ? stride[d] : -stride[d])] - u[c]) / h[d] / h[d];
            else if (boundary[s].kind == RW_BOUNDARY_DIRICHLET) want += (at_side[s] - u[c]) / h[d] / (h[d] / 2);
            else if (boundary[s].kind == RW_BOUNDARY_NEUMANN) want += at_side[s] / h[d];
        }
        if (fabs(v[c] - want) > 1e-11) fail_msg("cell %d: %.17g, expected %.17g", c, v[c], want);
    }
    char *plan;
    OK(rw_expr_explain(p.e, &plan));
    if (!strstr(plan, "reads u, cell, weight, area, conductance; writes v;")) fail_msg("%s", plan);
    /* 6 neighbours of 4 + 8, twice 6 sides of 8, u and v */
    if (!strstr(plan, "1 pass, 184 bytes")) fail_msg("%s", plan);
    free(plan), free(u);
    end(&p);
    rw_blocks_destroy(&g);
}

/* 3 x 2 x 2 boxes turned at random are the same grid as one block: laplacians at the same places agree, for cells and
 * points. */
static void test_turned(void **state)
{
    (void)state;
    enum { BX = 3, BY = 2, BZ = 2, N = 3, VX = BX + 1, VY = BY + 1, VZ = BZ + 1, ROUNDS = 30 };
    int rounds = on("check") ? 2 : ROUNDS;
    static const char text[] =
        "u = sin(3*x + y) + cos(2*y - z*z) + x*z\nv = laplace(u)\nlocal = sum(v*volume*(x + 2*y*y - z)^2)\n"
        "square = sum(v*v*volume)\nall = sum(v*volume)";
    uint64_t at = 0;
    double vertices[VX * VY * VZ][3], want[2][2];
    int blocks[BX * BY * BZ][8];
    rw_blocks *g;
    for (int v = 0; v < VX * VY * VZ; ++v)
        vertices[v][0] = v % VX, vertices[v][1] = v / VX % VY, vertices[v][2] = v / VX / VY;
    for (int round = -1; round < rounds; ++round) {
        for (int b = 0; b < BX * BY * BZ; ++b) {
            int corner = b % BX + VX * (b / BX % BY) + VX * VY * (b / BX / BY);
            const int around[8] = {0, 1, VX + 1, VX, VX * VY, VX * VY + 1, VX * VY + VX + 1, VX * VY + VX};
            for (int i = 0; i < 8; ++i) blocks[b][i] = corner + around[i];
            rotate(round >= 0 && round < 24 && b == 4 ? round : (int)(rw_random_u64(5, at++) % 24), blocks[b]);
        }
        rw_blocks_spec spec = {.mesh = {.nvertices = VX * VY * VZ,
                                        .nblocks = BX * BY * BZ,
                                        .vertices = (const double(*)[3])vertices,
                                        .blocks = (const int(*)[8])blocks},
                               .cells = {N, N, N}};
        if (round < 0) OK(rw_blocks_box(ctx, (double[3]){BX, BY, BZ}, (int[3]){BX * N, BY * N, BZ * N}, &g));
        else OK(rw_blocks_create(ctx, &spec, &g));
        for (int place = 0; place < 2; ++place) {
            problem p = begin(g, (rw_blocks_place)place, RW_F64, NULL, text);
            OK(rw_expr_run(p.e, queue));
            double local = result(&p, "local"), square = result(&p, "square"), all = result(&p, "all");
            if (round < 0) want[place][0] = local, want[place][1] = square;
            if (fabs(local - want[place][0]) > 1e-10 * fabs(want[place][0]) ||
                fabs(square - want[place][1]) > 1e-10 * want[place][1])
                fail_msg("round %d, place %d: %.15g and %.15g, expected %.15g and %.15g", round, place, local, square,
                         want[place][0], want[place][1]);
            assert_true(fabs(all) < 1e-11); /* nothing comes in */
            end(&p);
        }
        rw_blocks_destroy(&g);
    }
}

/* Points: the rows of the matrices that finite elements assemble, the mass added up, on a ball of seven blocks. */
static void test_elements(void **state)
{
    (void)state;
    rw_blocks *g;
    OK(ball(ctx, 3, RW_MAPPING_TRANSFINITE, &g));
    int64_t cells = rw_blocks_cells(g), points = rw_blocks_points(g);
    double(*K)[8][8] = calloc((size_t)cells, sizeof *K), (*M)[8][8] = calloc((size_t)cells, sizeof *M);
    double *stiff = calloc((size_t)points, sizeof *stiff), *mass = calloc((size_t)points, sizeof *mass);
    OK(rw_blocks_local(g, rw_integrand_stiffness, NULL, 2, K));
    OK(rw_blocks_local(g, rw_integrand_mass, NULL, 2, M));
    problem p = begin(g, RW_BLOCKS_POINTS, RW_F64, NULL, "v = laplace(u)");
    double *u = fill_random(&p, 2);
    OK(rw_expr_run(p.e, queue));
    for (int64_t c = 0; c < cells; ++c) {
        int64_t at[8];
        rw_blocks_cell_points(g, c, at);
        for (int a = 0; a < 8; ++a)
            for (int b = 0; b < 8; ++b) stiff[at[a]] += K[c][a][b] * u[at[b]], mass[at[a]] += M[c][a][b];
    }
    const double *v = numbers_of(p.v);
    for (int64_t i = 0; i < points; ++i)
        if (fabs(v[i] + stiff[i] / mass[i]) > 1e-9 * (1 + fabs(v[i])))
            fail_msg("point %d: %.15g, expected %.15g", (int)i, v[i], -stiff[i] / mass[i]);
    free(K), free(M), free(stiff), free(mass), free(u);
    end(&p);
    rw_blocks_destroy(&g);
}

/* ---- curved bodies ----------------------------------------------------------------------------------------------- */

/* Linear functions have no laplacian, whatever the cells are. */
static void test_linear(void **state)
{
    (void)state;
    rw_blocks *g;
    for (int body = 0; body < 2; ++body) {
        if (body) OK(ball(ctx, 4, RW_MAPPING_TRANSFINITE, &g));
        else OK(rw_blocks_cylinder(ctx, 0.5, 0.2, 10, (int[3]){5, 4, 3}, &g));
        for (int place = 0; place < 2; ++place) {
            problem p = begin(g, (rw_blocks_place)place, RW_F64, NULL,
                              "u = 1 + 2*x - 3*y + 0.5*z\nv = where(boundary, 0, laplace(u))\nworst = max(abs(v))\n"
                              "constant = max(abs(laplace(u - u + 7)))");
            OK(rw_expr_run(p.e, queue));
            if (!(result(&p, "worst") < 1e-10)) fail_msg("body %d, place %d: %g", body, place, result(&p, "worst"));
            assert_true(result(&p, "constant") == 0);
            end(&p);
        }
        rw_blocks_destroy(&g);
    }
}

/* In a sheared box, whose sides are planes, with the slopes of a linear function on them: none at the sides either. */
static void test_sheared(void **state)
{
    (void)state;
    static const double edge[3][3] = {{1, 0.1, 0}, {0.6, 0.9, 0.2}, {-0.3, 0.4, 1.1}}, gradient[3] = {2, -3, 0.5};
    static const int corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
                     block[1][8] = {{0, 1, 2, 3, 4, 5, 6, 7}};
    double vertices[8][3] = {{0}};
    rw_boundary boundary[6];
    char slope[6][40];
    for (int v = 0; v < 8; ++v)
        for (int k = 0; k < 9; ++k) vertices[v][k % 3] += corners[v][k / 3] * edge[k / 3][k % 3];
    for (int s = 0; s < 6; ++s) {
        const double *a = edge[(s / 2 + 1) % 3], *b = edge[(s / 2 + 2) % 3];
        double n[3], length = 0, along = 0;
        for (int d = 0; d < 3; ++d) n[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
        for (int d = 0; d < 3; ++d) length += n[d] * n[d], along += n[d] * gradient[d];
        snprintf(slope[s], sizeof slope[s], "%.17g", (s & 1 ? 1 : -1) * along / sqrt(length));
        boundary[s] = (rw_boundary){RW_BOUNDARY_NEUMANN, slope[s], NULL, NULL};
    }
    rw_blocks *g;
    const rw_blocks_spec spec =
        {.mesh = {.nvertices = 8, .nblocks = 1, .vertices = (const double(*)[3])vertices, .blocks = block},
         .cells = {4, 3, 5}};
    OK(rw_blocks_create(ctx, &spec, &g));
    for (int place = 0; place < 2; ++place) {
        problem p = begin(g, (rw_blocks_place)place, RW_F64, boundary,
                          "u = 1 + 2*x - 3*y + 0.5*z\nv = laplace(u)\nworst = max(abs(v))");
        OK(rw_expr_run(p.e, queue));
        if (!(result(&p, "worst") < 1e-10)) fail_msg("place %d: %g", place, result(&p, "worst"));
        end(&p);
    }
    rw_blocks_destroy(&g);
}

/* Eigenvalues as quotients of Rayleigh: sum(V u laplace(u)) / sum(V u^2), at second order. In a ball sin(k r)/r, held
 * at 0 (k = pi) and closed. */
static void test_order(void **state)
{
    (void)state;
    static const rw_boundary zero[6] = {{.kind = RW_BOUNDARY_DIRICHLET, .a = "0"},
                                        {.kind = RW_BOUNDARY_DIRICHLET, .a = "0"},
                                        {.kind = RW_BOUNDARY_DIRICHLET, .a = "0"},
                                        {.kind = RW_BOUNDARY_DIRICHLET, .a = "0"},
                                        {.kind = RW_BOUNDARY_DIRICHLET, .a = "0"},
                                        {.kind = RW_BOUNDARY_DIRICHLET, .a = "0"}};
    /* the first slope of cos(r) - sin(r)/r vanishes at r = 4.4934094579: the lowest closed mode of a ball that depends
     * on r alone */
    static const char *const texts[2] =
        {"r = sqrt(x^2 + y^2 + z^2) + 1e-30\nu = sin(pi*r)/r\nq = sum(volume*u*laplace(u))\ns = sum(volume*u*u)",
         "k = 4.4934094579090642\nr = sqrt(x^2 + y^2 + z^2) + 1e-30\nu = sin(k*r)/r\nq = sum(volume*u*laplace(u))\n"
         "s = sum(volume*u*u)"};
    const double exact[2] = {-pi * pi, -4.4934094579090642 * 4.4934094579090642};
    for (int closed_sides = 0; closed_sides < 2; ++closed_sides)
        for (int place = 0; place < 2; ++place) {
            double before = 0;
            if (!closed_sides && place == RW_BLOCKS_POINTS) continue; /* points have no such sides */
            if (brief() && closed_sides && place != RW_BLOCKS_POINTS) continue;
            for (int n = on("check") ? 4 : 8; n <= (on("check") ? 4 : test_long() ? 32 : 16); n *= 2) {
                rw_blocks *g;
                OK(ball(ctx, n, RW_MAPPING_TRANSFINITE, &g));
                problem p = begin(g, (rw_blocks_place)place, RW_F64, closed_sides ? NULL : zero, texts[closed_sides]);
                OK(rw_expr_run(p.e, queue));
                double error = fabs(result(&p, "q") / result(&p, "s") - exact[closed_sides]);
                printf("# %s, %s: n = %d: error %.3g\n", closed_sides ? "closed" : "held at 0",
                       place ? "points" : "cells", n, error);
                if (before > 0 && !(before / error > (n == 8 ? 2.7 : 3.6)))
                    fail_msg("closed %d, place %d, n = %d: error %g, %g before", closed_sides, place, n, error, before);
                before = error;
                end(&p);
                rw_blocks_destroy(&g);
            }
        }
}

/* Heat in a ball held at 0 decays as its eigenvalue says: the steps of a program that writes u beside itself. */
static void test_cooling(void **state)
{
    (void)state;
    rw_boundary zero[6];
    rw_blocks *g;
    for (int s = 0; s < 6; ++s) zero[s] = (rw_boundary){.kind = RW_BOUNDARY_DIRICHLET, .a = "0"};
    int steps = on("check") ? 20 : 400;
    double dt = 2e-4;
    OK(ball(ctx, on("check") ? 4 : 8, RW_MAPPING_TRANSFINITE, &g));
    problem start = begin(g, RW_BLOCKS_CELLS, RW_F64, zero,
                          "r = sqrt(x^2 + y^2 + z^2)\nu = sin(pi*r)/r\ns = sum(volume*u)\n"
                          "rate = sum(volume*u*laplace(u))/sum(volume*u*u)");
    problem p = begin(g, RW_BLOCKS_CELLS, RW_F64, zero, "u = u + 2e-4*laplace(u)\ns = sum(volume*u)");
    OK(rw_expr_run(start.e, queue));
    OK(rw_expr_bind(p.e, "u", start.u));
    for (int i = 0; i < steps; ++i) OK(rw_expr_run(p.e, queue));
    double want = pow(1 + dt * result(&start, "rate"), steps), have = result(&p, "s") / result(&start, "s");
    if (fabs(have / want - 1) > 0.02) fail_msg("%g left, expected %g", have, want);
    end(&p), end(&start);
    rw_blocks_destroy(&g);
}

/* ---- sides ------------------------------------------------------------------------------------------------------- */

/* u = x in a cylinder of which the mantle lets in what x needs, by a slope and by Robin's condition 2 u + 3 du/dn = c:
 * both depend on the place. The mantle is side 3 of the blocks around the core (block 0). */
static void test_slopes(void **state)
{
    (void)state;
    for (int robin = 0; robin < 2; ++robin) {
        double before = 0;
        for (int n = 4; n <= (on("check") || brief() ? 8 : 16); n *= 2) {
            rw_boundary boundary[6];
            for (int s = 0; s < 6; ++s) {
                boundary[s] = closed;
                if (s >= 4) continue; /* ends of the cylinder */
                if (robin) boundary[s] = (rw_boundary){RW_BOUNDARY_ROBIN, "2", "3", "2*x + 3*x/0.5"};
                else boundary[s] = (rw_boundary){RW_BOUNDARY_NEUMANN, "x/0.5", NULL, NULL};
            }
            rw_blocks *g;
            OK(rw_blocks_cylinder(ctx, 0.5, 0.2, 1, (int[3]){n, n, 2}, &g));
            problem p = begin(g, RW_BLOCKS_POINTS, RW_F64, boundary,
                              "u = x\nv = laplace(u)\nerror = sum(abs(v)*volume)/sum(volume)");
            OK(rw_expr_run(p.e, queue));
            double error = result(&p, "error");
            if (before > 0 && !(before / error > 3))
                fail_msg("robin %d, n = %d: %g, %g before", robin, n, error, before);
            if (before == 0 && !(error < 0.2)) fail_msg("robin %d: %g", robin, error);
            before = error;
            end(&p);
            rw_blocks_destroy(&g);
        }
    }
    rw_boundary held[6] = {{.kind = RW_BOUNDARY_DIRICHLET, .a = "0"}, {.kind = RW_BOUNDARY_DIRICHLET, .a = "t"}};
    rw_blocks *g;
    OK(rw_blocks_box(ctx, (double[3]){2, 1, 1}, (int[3]){5, 3, 3}, &g));
    rw_expr_scalar time = {.name = "t", .value = 2};
    rw_expr_field field = {.name = "u", .dtype = RW_F64};
    memcpy(field.boundary, held, sizeof held);
    rw_expr_spec spec = {.name = "held",
                         .text = "worst = max(abs(laplace(u)))\nsquares = max(abs(laplace(u^2) - 2))\nu = x",
                         .fields = &field,
                         .nfields = 1,
                         .scalars = &time,
                         .nscalars = 1};
    rw_expr *e;
    rw_array *u;
    double worst, squares;
    OK(rw_blocks_expr_create(g, dev, RW_BLOCKS_CELLS, &spec, &e));
    OK(rw_blocks_array(g, dev, RW_BLOCKS_CELLS, RW_F64, &u));
    void *zeros;
    OK(rw_array_write(u, &zeros));
    memset(zeros, 0, (size_t)rw_blocks_cells(g) * sizeof(double));
    OK(rw_expr_bind(e, "u", u));
    OK(rw_expr_run(e, queue));
    OK(rw_expr_run(e, queue));
    OK(rw_expr_get(e, "worst", &worst, NULL));
    OK(rw_expr_get(e, "squares", &squares, NULL));
    assert_true(worst < 1e-11);
    assert_true(fabs(squares - 0.5) < 1e-10); /* a parabola between a side and half a cell from it */
    rw_expr_destroy(&e);
    field.boundary[0] = (rw_boundary){RW_BOUNDARY_NEUMANN, "-1", NULL, NULL},
    field.boundary[1] = (rw_boundary){RW_BOUNDARY_NEUMANN, "1", NULL, NULL};
    /* d(u^2)/dn = 2 u du/dn, by the cell's u: half of the 2 is missing at the sides */
    OK(rw_blocks_expr_create(g, dev, RW_BLOCKS_CELLS, &spec, &e));
    OK(rw_expr_bind(e, "u", u));
    OK(rw_expr_run(e, queue));
    OK(rw_expr_get(e, "worst", &worst, NULL));
    OK(rw_expr_get(e, "squares", &squares, NULL));
    assert_true(worst < 1e-11);
    assert_true(fabs(squares - 1) < 1e-10);
    rw_expr_destroy(&e);
    rw_array_destroy(&u);
    rw_blocks_destroy(&g);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

/* Several passes; expressions under laplace; types. */
static void test_programs(void **state)
{
    (void)state;
    rw_blocks *g;
    OK(rw_blocks_cylinder(ctx, 0.5, 0.2, 1, (int[3]){4, 3, 2}, &g));
    for (int place = brief(); place < 2; ++place) {
        problem a = begin(g, (rw_blocks_place)place, RW_F64, NULL,
                          "v = u*u + x\nv = laplace(v)\nu = laplace(v)\ns = sum(u*u*volume)");
        problem b =
            begin(g, (rw_blocks_place)place, RW_F64, NULL, "v = laplace(u*u + x)\nu = laplace(v)\ns = sum(u*u*volume)");
        free(fill_random(&a, 3)), free(fill_random(&b, 3));
        OK(rw_expr_run(a.e, queue));
        OK(rw_expr_run(b.e, queue));
        double s = result(&a, "s"), t = result(&b, "s");
        if (!(fabs(s - t) < 1e-11 * s)) fail_msg("place %d: %.17g and %.17g", place, s, t);
        end(&a), end(&b);
        static const rw_dtype types[] = {RW_F32, RW_C128};
        double reference = 0;
        for (int i = -1; i < 2; ++i) {
            problem p = begin(g, (rw_blocks_place)place, i < 0 ? RW_F64 : types[i], NULL,
                              "u = x*y + z*z\nv = laplace(u)\ns = sum(abs(v)^2*volume)");
            OK(rw_expr_run(p.e, queue));
            if (i < 0) reference = result(&p, "s");
            else if (!(fabs(result(&p, "s") / reference - 1) < (i ? 1e-12 : 1e-3)))
                fail_msg("type %d: %g, expected %g", i, result(&p, "s"), reference);
            end(&p);
        }
    }
    rw_blocks_destroy(&g);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        rw_blocks_place place;
        rw_boundary boundary;
        const char *text, *message;
    } rows[] = {{RW_BLOCKS_CELLS,
                 {RW_BOUNDARY_NEAREST, NULL, NULL, NULL},
                 "u = laplace(laplace(u))",
                 "laplace of an expression that contains a laplacian: assign the inner one to a field first"},
                {RW_BLOCKS_CELLS,
                 {RW_BOUNDARY_NEAREST, NULL, NULL, NULL},
                 "u = laplace(u, 4)",
                 "laplace takes 1 argument, 2 given"},
                {RW_BLOCKS_CELLS,
                 {RW_BOUNDARY_PERIODIC, NULL, NULL, NULL},
                 "u = u",
                 "boundary of u: periodic: this grid has no opposite sides"},
                {RW_BLOCKS_CELLS,
                 {RW_BOUNDARY_REFLECT, NULL, NULL, NULL},
                 "u = u",
                 "boundary of u: reflect: the cells of this grid are not in rows along x, y and z"},
                {RW_BLOCKS_CELLS,
                 {RW_BOUNDARY_ROBIN, "1", "1", "1"},
                 "u = u",
                 "boundary of u: robin: cell fields accept nearest, neumann and dirichlet"},
                {RW_BLOCKS_CELLS,
                 {RW_BOUNDARY_DIRICHLET, "x", NULL, NULL},
                 "u = u",
                 "boundary of u: dirichlet: for a cell field the value may depend on time and scalars"},
                {RW_BLOCKS_CELLS, {RW_BOUNDARY_NEUMANN, "u", NULL, NULL}, "u = u", "field u is not allowed here"},
                {RW_BLOCKS_POINTS,
                 {RW_BOUNDARY_DIRICHLET, "1", NULL, NULL},
                 "u = u",
                 "boundary of u: dirichlet: point fields accept nearest, neumann and robin"},
                {RW_BLOCKS_POINTS,
                 {RW_BOUNDARY_NEUMANN, "1", NULL, NULL},
                 "u = laplace(floor(u) + mod(u, 2) + erf(u))",
                 NULL}};
    rw_blocks *g;
    rw_expr *e;
    OK(rw_blocks_box(ctx, (double[3]){1, 1, 1}, (int[3]){2, 2, 2}, &g));
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_expr_field field = {.name = "u", .dtype = RW_F64, .boundary = {rows[i].boundary}};
        rw_expr_spec spec = {.text = rows[i].text, .fields = &field, .nfields = 1};
        if (rows[i].message)
            FAILS(RW_ERR_INPUT, rows[i].message, rw_blocks_expr_create(g, dev, rows[i].place, &spec, &e));
        else OK(rw_blocks_expr_create(g, dev, rows[i].place, &spec, &e));
        rw_expr_destroy(&e);
    }
    rw_blocks_destroy(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_box),      cmocka_unit_test(test_turned),
                                       cmocka_unit_test(test_elements), cmocka_unit_test(test_linear),
                                       cmocka_unit_test(test_sheared),  cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_cooling),  cmocka_unit_test(test_slopes),
                                       cmocka_unit_test(test_programs), cmocka_unit_test(test_refused)};
    return run_on_devices("laplace", tests, RW_COUNT(tests));
}
