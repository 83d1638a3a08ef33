/* The graph of a ROCK4 step as Jahn draws it (Implementierung numerischer Algorithmen auf CUDA-Systemen, Bayreuth 2010,
 * chapter 6). */
#include "depgraph_test.h"

enum { N = 8, TILE = 4, TILES = N / TILE, S = 7, VECTORS = 4 + 16 };

/* What a task of the step is for: its point (its tile) and the kernel, counted from 0, that it would be in. */
typedef struct rock4 {
    rw_depgraph *g;
    int tile[4096], kernel[4096]; /* by task; -1: given, or done by whoever starts the kernels */
    int zero[N + 2][N + 2], y[N][N], h, kernels;
} rock4;

static int task_at(rock4 *r, int kernel, int i, int j, const char *kind)
{
    int t = add(r->g, kind, "%s%d(%d,%d)", kind, kernel, i, j);
    r->tile[t] = kernel < 0 ? -1 : i / TILE + TILES * (j / TILE), r->kernel[t] = kernel;
    return t;
}

/* f at a point reads the point and its four neighbours; beyond a side lies a zero that is read like any other value. */
static void read_five(rock4 *r, int t, int v[N][N], int i, int j)
{
    static const int di[] = {0, -1, 1, 0, 0}, dj[] = {0, 0, 0, -1, 1};
    for (int k = 0; k < 5; ++k) {
        int a = i + di[k], b = j + dj[k];
        need(r->g, t, a < 0 || b < 0 || a >= N || b >= N ? r->zero[a + 1][b + 1] : v[a][b]);
    }
}

/* One kernel of the recursion or of W: f(argument), then a sum of it, of values at the same point, and of h. f may be
 * kept. */
static void stage(rock4 *r, int argument[N][N], int (*const *others)[N], int nothers, int f[N][N], int result[N][N])
{
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) {
            f[i][j] = task_at(r, r->kernels, i, j, "f");
            read_five(r, f[i][j], argument, i, j);
            result[i][j] = task_at(r, r->kernels, i, j, "sum");
            need(r->g, result[i][j], f[i][j]), need(r->g, result[i][j], r->h);
            for (int k = 0; k < nothers; ++k) need(r->g, result[i][j], others[k][i][j]);
        }
    r->kernels++;
}

/* n values at the points, each tile's reduced by a task of that tile; the last group to finish reduces those of the
 * tiles: no kernel. */
static int reduce(rock4 *r, int v[N][N], int kernel, const char *kind)
{
    int all = task_at(r, -1, 0, 0, kind);
    for (int t = 0; t < TILES * TILES; ++t) {
        int i0 = t % TILES * TILE, j0 = t / TILES * TILE, part = task_at(r, kernel, i0, j0, kind);
        for (int k = 0; k < TILE * TILE; ++k) need(r->g, part, v[i0 + k % TILE][j0 + k / TILE]);
        need(r->g, all, part);
    }
    return all;
}

/* The whole step; at the very first one f(y_n) has to be computed, later it is the last step's f(W). */
static void build_rock4(rock4 *r, bool first_step)
{
    static int v[VECTORS][N][N];
    int(*fn)[N] = v[0], (*g2)[N] = NULL, (*g1)[N] = NULL, (*k)[N][N] = v + 1, n = 5;
    memset(r, 0, sizeof *r);
    r->g = new_graph();
    for (int j = 0; j < N + 2; ++j)
        for (int i = 0; i < N + 2; ++i)
            if ((i && i <= N) != (j && j <= N)) r->zero[i][j] = task_at(r, -1, i, j, "zero"); /* no corners */
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) {
            r->y[i][j] = task_at(r, -1, i, j, "y");
            if (!first_step) fn[i][j] = task_at(r, -1, i, j, "fn");
        }
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) need(r->g, v[n][i][j] = task_at(r, 0, i, j, "radius"), r->y[i][j]);
    int rho = reduce(r, v[n++], 0, "max");
    need(r->g, r->h = task_at(r, -1, 0, 0, "h"), rho); /* stages and step size */
    r->kernels = 1;
    if (first_step) {
        for (int j = 0; j < N; ++j)
            for (int i = 0; i < N; ++i) read_five(r, fn[i][j] = task_at(r, 1, i, j, "f"), r->y, i, j);
        r->kernels++;
    }
    g2 = r->y, g1 = v[n++]; /* g_0, g_1 = y + h mu_1 f_n */
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) {
            g1[i][j] = task_at(r, r->kernels, i, j, "sum");
            need(r->g, g1[i][j], r->y[i][j]), need(r->g, g1[i][j], fn[i][j]), need(r->g, g1[i][j], r->h);
        }
    r->kernels++;
    for (int i = 2; i <= S - 4; ++i) { /* g_i from g_{i-1}, g_{i-2} */
        int(*const others[])[N] = {g1, g2}, (*next)[N] = v[n++];
        stage(r, g1, others, 2, v[n], next);
        ++n, g2 = g1, g1 = next;
    }
    int(*p)[N] = g1, (*argument)[N] = p;
    for (int i = 0; i < 4; ++i) { /* k_i = f(argument), p + h sum a_ij k_j */
        int(*const others[])[N] = {p, k[0], k[1], k[2]}, (*next)[N] = v[n++];
        stage(r, argument, others, i + 1, k[i], next);
        argument = next;
    }
    int(*e)[N] = v[n++]; /* f(W), error of the step */
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i) {
            int f = task_at(r, r->kernels, i, j, "f");
            read_five(r, f, argument, i, j);
            e[i][j] = task_at(r, r->kernels, i, j, "error");
            need(r->g, e[i][j], f), need(r->g, e[i][j], argument[i][j]);
            for (int m = 0; m < 4; ++m) need(r->g, e[i][j], k[m][i][j]);
        }
    reduce(r, e, r->kernels++, "sum");
    assert_true(n <= VECTORS && rw_depgraph_tasks(r->g) < RW_COUNT(r->tile));
}

/* Rows: a tile through the whole step (the radius, which all wait for, apart). Rows and columns: a tile in one
 * kernel. */
static void test_the_parts_of_a_rock4_step(void **state)
{
    (void)state;
    for (int first = 1; first >= 0; --first) {
        static rock4 r;
        static int part[4096];
        build_rock4(&r, first);
        int n = rw_depgraph_tasks(r.g);
        for (int t = 0; t < n; ++t) part[t] = r.kernel[t] < 0 ? -1 : r.tile[t] + (r.kernel[t] > 0 ? TILES * TILES : 0);
        rw_partition *p = divide(r.g, part, 2 * TILES * TILES);
        assert_false(p->accepted);
        assert_path(r.g, p->path, p->npath);
        assert_int_equal(r.tile[p->path[0]], r.tile[p->path[p->npath - 1]]);
        assert_int_not_equal(r.tile[p->path[1]], r.tile[p->path[0]]); /* through a neighbour */
        assert_non_null(strstr(p->reason, "part 4 is not separate: a path leaves it and returns: "));
        print_message("%d tasks, %d dependencies; rows: %s\n", n, (int)rw_depgraph_dependencies(r.g), p->reason);
        rw_partition_destroy(&p);
        for (int t = 0; t < n; ++t) part[t] = r.kernel[t] < 0 ? -1 : r.tile[t] + TILES * TILES * r.kernel[t];
        p = divide(r.g, part, TILES * TILES * r.kernels);
        assert_string_equal(p->reason, "");
        assert_true(p->accepted);
        print_message("rows and columns: %d parts, %d structures, %d levels, %d launches\n", (int)p->nparts,
                      p->nstructures, p->nlevels, (int)p->nlaunches);
        assert_int_equal(p->nstructures, first ? 9 : 8); /* without f at the start */
        assert_int_equal(p->nlevels, S + 2);
        assert_int_equal(p->nlaunches, S + 2 + first); /* f at the start runs beside the radius */
        for (int i = 0; i < p->nparts; ++i)
            assert_int_equal(p->structure[i], p->structure[i / (TILES * TILES) * TILES * TILES]);
        rw_partition_destroy(&p);
        rw_depgraph_destroy(&r.g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_parts_of_a_rock4_step)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
