/* The graph of a step, traced without running it: it says of every value of the new state which old values it depends
 * on, as changing them one by one shows; it has as many launches as a step really starts; and the integrator does not
 * notice. */
#include "depgraph/depgraph_private.h"
#include "ode_test.h"

#define DIRICHLET(u)                                                                                                   \
    {                                                                                                                  \
        RW_BOUNDARY_DIRICHLET, u, 0, 0                                                                                 \
    }
#define PERIODIC                                                                                                       \
    {                                                                                                                  \
        RW_BOUNDARY_PERIODIC, 0, 0, 0                                                                                  \
    }
#define NEUMANN(g)                                                                                                     \
    {                                                                                                                  \
        RW_BOUNDARY_NEUMANN, g, 0, 0                                                                                   \
    }
#define NONE                                                                                                           \
    {                                                                                                                  \
        RW_BOUNDARY_NEAREST, 0, 0, 0                                                                                   \
    }

static double bump(const double x[3], int f) { return f ? 0.2 + 0.1 * x[0] : 0.3 + x[0] * (1 - x[0]) + 0.2 * x[1]; }

static int find_task(const rw_depgraph *g, const char *label)
{
    for (int t = rw_depgraph_tasks(g) - 1; t >= 0; --t)
        if (!strcmp(rw_depgraph_label(g, t), label)) return t;
    fail_msg("there is no task %s", label);
    return -1;
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)); ++text) ++n;
    return n;
}

/* ---- what depends on what ---------------------------------------------------------------------------------------- */

enum { SIZE = 8, CELLS = SIZE * SIZE };

static void one_step(problem *p, int field, int cell, double (*result)[CELLS])
{
    start(p, bump);
    if (field >= 0) {
        void *w;
        OK(rw_array_update(p->array[field], &w));
        ((double *)w)[cell] += 0.5;
    }
    OK(rw_ode_step(p->ode, p->spec.step));
    for (int f = 0; f < p->spec.nfields; ++f) memcpy(result[f], numbers_of(p->array[f]), sizeof *result);
}

/* rk4 on a grid of the model's size: a path from u(i,j) to what the last launch does at (k,l), or none. A task there
 * does all fields, so a change of any of them counts. first: of the columns that are compared. */
static void compare_from(problem *p, int first)
{
    static double base[FIELDS][CELLS], changed[FIELDS][CELLS];
    rw_depgraph *g;
    int related = 0;
    p->spec.method = RW_ODE_RK4, p->spec.step = 2e-3;
    for (int d = 0; d < 2; ++d) p->spec.grid.size[d] = SIZE;
    one_step(p, -1, 0, base);
    OK(rw_ode_depgraph(p->ode, 0, &g, NULL, NULL));
    finish(p);
    for (int f = 0; f < p->spec.nfields; ++f)
        for (int from = 0; from < CELLS; ++from) {
            char label[32];
            if (from % SIZE < first) continue;
            snprintf(label, sizeof label, "%c(%d,%d)", f ? 'v' : 'u', from % SIZE, from / SIZE);
            int given = find_task(g, label);
            assert_string_equal(rw_depgraph_kind(g, given), "given");
            one_step(p, f, from, changed);
            finish(p);
            for (int to = 0; to < CELLS; ++to) {
                int *path, last;
                int64_t n;
                bool differs = false;
                if (to % SIZE < first) continue;
                for (int k = 0; k < p->spec.nfields; ++k) differs = differs || base[k][to] != changed[k][to];
                snprintf(label, sizeof label, "4(%d,%d)", to % SIZE, to / SIZE);
                last = find_task(g, label);
                OK(rw_depgraph_find_path(g, &given, 1, &last, 1, &path, &n));
                if (differs != (n > 0))
                    fail_msg("node %d, %s: the value %s, there is %s path", from, label, differs ? "changes" : "stays",
                             n ? "a" : "no");
                free(path);
                related += n > 0;
            }
        }
    assert_true(related > CELLS && related < p->spec.nfields * CELLS * CELLS);
    rw_depgraph_destroy(&g);
}

static void compare_with_changes(problem *p) { compare_from(p, 0); }

static void test_paths_are_what_changing_a_value_changes(void **state)
{
    (void)state;
    static const rw_boundary cold[6] = {DIRICHLET("0"), DIRICHLET("0"), DIRICHLET("0"), DIRICHLET("1"), NONE, NONE};
    static const rw_boundary ring[12] = {PERIODIC, PERIODIC, DIRICHLET("0"), NEUMANN("1"), NONE, NONE,
                                         PERIODIC, PERIODIC, DIRICHLET("0"), NEUMANN("1"), NONE, NONE};
    static const rw_boundary zero = NEUMANN("0"),
                             reading[][12] = {{DIRICHLET("inner(v, 3)"), NEUMANN("u^2"), zero, zero, NONE, NONE, zero,
                                               NEUMANN("inner(u, 5) + dy(v)"), zero, DIRICHLET("u"), NONE, NONE},
                                              {NEUMANN("inner(v, 3)"), NEUMANN("0.3*dy(u)"), zero, zero, NONE, NONE,
                                               zero, NEUMANN("inner(u, 5) + v^2"), zero, NEUMANN("u"), NONE, NONE}};
    problem p;
    if (!on("cpu")) skip();
    for (int layout = RW_GRID_CELL; layout <= RW_GRID_NODE; ++layout) { /* sides that read fields */
        describe(&p, "du/dt = laplace(u) + 0.7*laplace(v)\ndv/dt = 0.3*laplace(u) + laplace(v)", 2, 2, SIZE,
                 reading[layout == RW_GRID_NODE]);
        p.spec.layout = layout;
        compare_with_changes(&p);
    }
    /* nodes whose values the side gives are in the array, but their values there do not count */
    static const rw_boundary node[12] = {DIRICHLET("inner(v, 3)"),     zero, zero, zero, NONE, NONE,
                                         DIRICHLET("0.5*inner(u, 2)"), zero, zero, zero, NONE, NONE};
    describe(&p, "du/dt = laplace(u) + 0.7*laplace(v)\ndv/dt = 0.3*laplace(u) + laplace(v)", 2, 2, SIZE, node);
    p.spec.layout = RW_GRID_NODE;
    compare_from(&p, 1);
    describe(&p, "du/dt = laplace(u) - u^3", 1, 2, SIZE + 1, cold);
    compare_with_changes(&p);
    describe(&p, "du/dt = -3*upwind1(u, 1, 0)", 1, 2, SIZE + 1, cold); /* from one side along x */
    compare_with_changes(&p);
    /* u alone is read from neighbours, once round */
    describe(&p, "du/dt = 0.3*dx(u) + u*v\ndv/dt = u - v", 2, 2, SIZE, ring);
    compare_with_changes(&p);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

#define COUPLED "r = u*v^2\ndu/dt = 0.02*laplace(u) - r + 0.3*(1 - u)\ndv/dt = 0.01*laplace(v) + r - 0.5*v"

static void describe_pair(problem *p, rw_ode_method method)
{
    describe(p, COUPLED, 2, 2, 14, NULL);
    p->spec.method = method, p->spec.rtol = 1e-4, p->spec.atol = 1e-6;
    for (int d = 0; d < 2; ++d) p->spec.grid.spacing[d] = 0.02; /* stiff enough for several stages */
}

/* Steps until one is accepted at the first attempt without a new radius and, of rk4, without a trial; its launches. */
static int64_t launches_of_a_step(problem *p)
{
    for (int i = 0; i < 60; ++i) {
        rw_ode_statistics before = statistics(p), after;
        int64_t launches = counters().launches;
        OK(rw_ode_step(p->ode, 1000));
        after = statistics(p);
        const bool tried = p->spec.method == RW_ODE_RK4 && after.rhs > before.rhs + 4;
        if (i > 3 && before.rejected == after.rejected && before.spectral_rhs == after.spectral_rhs && !tried)
            return counters().launches - launches;
    }
    fail_msg("no plain step");
    return 0;
}

static int launches_in(const char *text) /* of the step */
{
    const char *list = strstr(text, "\nlaunches"), *end = strstr(text, "\ngraph");
    int n = 0;
    for (const char *line = strchr(list + 1, '\n'); line < end; line = strchr(line + 1, '\n')) ++n;
    return n - count(text, "spectral radius") -
           (count(text, "spectral radius") ? count(text, "combine: the 5 numbers of launch 1\n") : 0);
}

static void test_as_many_launches_as_a_step_starts(void **state)
{
    (void)state;
    for (int method = RW_ODE_RK4; method <= RW_ODE_DP5; ++method) {
        problem p;
        char *text;
        if ((on("opencl") && method != RW_ODE_ROCK4) || !in_turn(method, 1)) continue;
        describe_pair(&p, (rw_ode_method)method);
        start(&p, bump);
        int64_t launches = launches_of_a_step(&p);
        OK(rw_ode_depgraph(p.ode, statistics(&p).stages, NULL, NULL, &text));
        char stages[32];
        snprintf(stages, sizeof stages, ", %d stages", statistics(&p).stages);
        if (!strstr(text, stages)) fail_msg("%s in %s", stages, text);
        if (launches_in(text) != launches)
            fail_msg("a step starts %lld launches, the text says\n%s", (long long)launches, text);
        assert_non_null(strstr(text, "not possible: tile (0,0) is not separate"));
        assert_non_null(strstr(text, "possible, the parts are disjoint"));
        free(text);
        finish(&p);
    }
}

/* Structures of ROCK4's tiles: radius, first, second, stage, three finishing ones, last, and what combines the numbers
 * of the radius and the error. */
static void test_structures_of_rock4(void **state)
{
    (void)state;
    problem p;
    rw_depgraph *g;
    rw_partition *tiles;
    char *text, *dot;
    if (!on("cpu")) skip();
    describe_pair(&p, RW_ODE_ROCK4);
    start(&p, bump);
    OK(rw_ode_depgraph(p.ode, 0, &g, &tiles, &text));
    assert_non_null(strstr(text, "rock4, 7 stages"));
    assert_non_null(strstr(text, "kernels  9, for 10 structures"));
    assert_true(tiles->accepted && tiles->nstructures == 10 && tiles->nparts == 8 * 4 + 2 && tiles->nlevels == 10 &&
                tiles->nlaunches == 10);
    /* the first kernel's; all others need it through these */
    assert_int_equal(g->task[find_task(g, "h")].nusers, CELLS);
    OK(rw_depgraph_dot(g, tiles, &dot));
    assert_int_equal(count(dot, "subgraph cluster_"), tiles->nparts);
    free(dot), free(text);
    rw_partition_destroy(&tiles), rw_depgraph_destroy(&g);
    finish(&p);
}

/* A task is one for a node of its own tile: "5.2(3,1)" of "launch 5 (rock_chain), tile (0,0)". */
static bool is_own(const char *label, const char *part)
{
    const char *node = strchr(label, '('), *tile = strstr(part, "tile (");
    int i, j, a, b;
    return node && tile && sscanf(node, "(%d,%d)", &i, &j) == 2 && sscanf(tile, "tile (%d,%d)", &a, &b) == 2 &&
           i / 4 == a && j / 4 == b;
}

/* Chains of stages as one kernel, on overlapping tiles. What they make at a tile's own nodes is used, up to the last
 * launches. */
static void test_kernels_of_several_passes(void **state)
{
    (void)state;
    static const struct {
        const char *tiling;
        rw_boundary_kind kind;
        const char *words;
    } rows[] = {{"wave", RW_BOUNDARY_PERIODIC, "rock_chain: passes 1 to 8 fused"},
                {"wave", RW_BOUNDARY_NEUMANN, "rock_chain: passes 1 to 8"},
                {"fused", RW_BOUNDARY_PERIODIC, "rock_chain: passes 1 to"},
                {"fused", RW_BOUNDARY_DIRICHLET, "rock_chain: passes 1 to"}};
    if (!on("cpu")) skip();
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        problem p;
        rw_depgraph *g;
        rw_partition *tiles;
        char *text;
        if (!in_turn(i, i / 2)) continue; /* of each kind of kernel one */
        begin_tiling(rows[i].tiling);
        describe_pair(&p, RW_ODE_ROCK2);
        for (int f = 0; f < 2; ++f)
            for (int s = 0; s < 4; ++s) p.fields[f].boundary[s] = (rw_boundary){rows[i].kind, "0", 0, 0};
        start(&p, bump);
        OK(rw_ode_depgraph(p.ode, 14, &g, &tiles, &text));
        if (!strstr(text, rows[i].words) || !strstr(text, "tiles overlap by") || !tiles->accepted) fail_msg("%s", text);
        for (int t = 0; t < rw_depgraph_tasks(g); ++t)
            if (tiles->part[t] >= 0 && tiles->level[tiles->part[t]] < tiles->nlevels - 2 && !g->task[t].nusers &&
                is_own(rw_depgraph_label(g, t), tiles->name[tiles->part[t]]))
                fail_msg("%s: nothing needs %s of %s", rows[i].tiling, rw_depgraph_label(g, t),
                         tiles->name[tiles->part[t]]);
        free(text);
        rw_partition_destroy(&tiles), rw_depgraph_destroy(&g);
        finish(&p);
        end_tiling();
    }
}

/* Without neighbours several stages are one pass, their values forwarded. */
static void test_stages_as_one_pass(void **state)
{
    (void)state;
    problem p;
    char *text;
    if (!on("cpu")) skip();
    begin_tiling("wave");
    describe(&p, "du/dt = -u*v\ndv/dt = u - v", 2, 2, 14, NULL);
    p.spec.method = RW_ODE_ROCK4;
    start(&p, bump);
    OK(rw_ode_depgraph(p.ode, 14, NULL, NULL, &text));
    if (!strstr(text, "rock_chain: reads u.2, v.2, u.1, v.1; writes u.3, v.3, u.4, v.4\n")) fail_msg("%s", text);
    assert_non_null(strstr(text, "possible, as nothing is read from neighbours"));
    free(text);
    finish(&p);
    end_tiling();
}

static void test_radius_and_equations_of_all_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *equations, *radius, *words[2];
        int ndim;
    } rows[] = {{"du/dt = -u", "auto", {"possible, as nothing is read from neighbours", "tiles of 4\n"}, 1},
                {"du/dt = laplace(u) - u^3",
                 "power",
                 {"power: pass 2, reads u, u.2; writes u.1; for the", "combine: the 2 numbers of launch 1"},
                 1},
                {"du/dt = laplace(u) - u^3", "400", {"   1  rock_first", "8 x 8 nodes"}, 2},
                {"du/dt = dx(u) + 0.1*laplace(u)",
                 "auto",
                 {"6 x 6 x 6 nodes in tiles of 3 x 3 x 3", "at once  the 8 tiles"},
                 3},
                {"du/dt = dx(u)", "auto", {"reads u (1 x 0)", "kernels"}, 2}};
    if (!on("cpu")) skip();
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        problem p;
        char *text;
        describe(&p, rows[i].equations, 1, rows[i].ndim, 9, NULL);
        p.spec.method = RW_ODE_ROCK4, p.spec.spectral_radius = rows[i].radius;
        start(&p, bump);
        OK(rw_ode_depgraph(p.ode, 0, NULL, NULL, &text));
        for (int k = 0; k < 2; ++k)
            if (!strstr(text, rows[i].words[k])) fail_msg("%s is not in\n%s", rows[i].words[k], text);
        free(text);
        finish(&p);
    }
}

/* ---- the integrator ---------------------------------------------------------------------------------------------- */

static void ask(problem *p)
{
    rw_depgraph *g;
    rw_partition *tiles;
    char *text;
    rw_counters before = counters(), after;
    OK(rw_ode_depgraph(p->ode, 12, &g, &tiles, &text));
    after = counters();
    assert_true(before.launches == after.launches && before.replays == after.replays &&
                before.copies_out == after.copies_out);
    assert_true(tiles->accepted);
    free(text);
    rw_partition_destroy(&tiles), rw_depgraph_destroy(&g);
}

/* Asked before the first step, in between, twice; the bits of the solution are those of a run that was never asked. */
static void test_the_integrator_is_as_before(void **state)
{
    (void)state;
    for (int method = RW_ODE_RK4; method <= RW_ODE_AUTO; ++method) {
        double *values[2];
        rw_ode_statistics s[2];
        char name[2][16];
        if ((on("opencl") && method != RW_ODE_AUTO) || !in_turn(method, 0)) continue;
        for (int asked = 0; asked < 2; ++asked) {
            problem p;
            describe_pair(&p, (rw_ode_method)method);
            p.spec.record = RW_SWITCH_ON, p.spec.step = 0.005;
            start(&p, bump);
            for (int i = 0; i < 30; ++i) {
                if (asked && (i == 0 || i == 1 || i == 9 || i == 20)) ask(&p);
                OK(rw_ode_step(p.ode, 1000));
            }
            if (asked) ask(&p);
            size_t n = (size_t)cells_of(&p);
            values[asked] = calloc(2 * n + 1, sizeof(double));
            for (int f = 0; f < 2; ++f) memcpy(values[asked] + f * n, numbers_of(p.array[f]), n * sizeof(double));
            values[asked][2 * n] = rw_ode_time(p.ode);
            s[asked] = statistics(&p);
            snprintf(name[asked], sizeof *name, "%s", method_of(p.ode));
            finish(&p);
            if (asked) assert_memory_equal(values[0], values[1], (2 * n + 1) * sizeof(double));
        }
        assert_string_equal(name[0], name[1]);
        assert_true(s[0].steps == s[1].steps && s[0].rejected == s[1].rejected && s[0].rhs == s[1].rhs);
        assert_true(s[0].spectral_rhs == s[1].spectral_rhs && s[0].spectral_radius == s[1].spectral_radius);
        assert_true(s[0].stages == s[1].stages && s[0].max_stages == s[1].max_stages && s[0].step == s[1].step &&
                    s[0].error == s[1].error);
        free(values[0]), free(values[1]);
    }
}

static void test_bad_questions(void **state)
{
    (void)state;
    problem p;
    rw_depgraph *g = (rw_depgraph *)state;
    rw_partition *tiles = (rw_partition *)state;
    char *text = (char *)state;
    if (!on("cpu")) skip();
    describe_pair(&p, RW_ODE_RKC2);
    OK(rw_ode_create(dev, &p.spec, &p.ode));
    FAILS(RW_ERR_ARGUMENT, "field u has no array: call rw_ode_bind first",
          rw_ode_depgraph(p.ode, 0, &g, &tiles, &text));
    assert_true(!g && !tiles && !text);
    FAILS(RW_ERR_ARGUMENT, "stages = -1 is outside [1, 100000]", rw_ode_depgraph(p.ode, -1, NULL, NULL, NULL));
    rw_ode_destroy(&p.ode);
    p.spec.max_stages = 5;
    start(&p, bump);
    OK(rw_ode_depgraph(p.ode, 100, NULL, NULL, &text)); /* as many as there may be */
    assert_non_null(strstr(text, "rkc2, 5 stages"));
    free(text);
    OK(rw_ode_depgraph(p.ode, 0, NULL, NULL, NULL));
    finish(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths_are_what_changing_a_value_changes),
        cmocka_unit_test(test_as_many_launches_as_a_step_starts),
        cmocka_unit_test(test_structures_of_rock4),
        cmocka_unit_test(test_kernels_of_several_passes),
        cmocka_unit_test(test_stages_as_one_pass),
        cmocka_unit_test(test_radius_and_equations_of_all_kinds),
        cmocka_unit_test(test_the_integrator_is_as_before),
        cmocka_unit_test(test_bad_questions),
    };
    return run_on_devices("trace", tests, RW_COUNT(tests));
}
