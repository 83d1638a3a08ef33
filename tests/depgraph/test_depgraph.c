/* Dependency graphs: paths, independence, separate sets, partitions and structures, against definitions computed
 * plainly on random graphs. */
#include "depgraph_test.h"

/* ---- random graphs against definitions --------------------------------------------------------------------------- */

enum { MOST = 24 };

typedef struct model {
    int n, length[MOST][MOST]; /* pairs of a shortest path from a to b; 0: none */
    bool direct[MOST][MOST];
} model;

static int below(uint64_t seed, uint64_t *index, int n) { return (int)(rw_random_u64(seed, (*index)++) % (uint64_t)n); }

/* Floyd and Warshall. */
static void find_lengths(model *m)
{
    for (int a = 0; a < m->n; ++a)
        for (int b = 0; b < m->n; ++b) m->length[a][b] = m->direct[a][b];
    for (int k = 0; k < m->n; ++k)
        for (int a = 0; a < m->n; ++a)
            for (int b = 0; b < m->n; ++b) {
                int sum = m->length[a][k] + m->length[k][b];
                if (m->length[a][k] && m->length[k][b] && (!m->length[a][b] || sum < m->length[a][b]))
                    m->length[a][b] = sum;
            }
}

/* Pairs in any order and direction; those that would close a cycle must be refused, all others taken. */
static rw_depgraph *random_graph(uint64_t seed, uint64_t *index, model *m)
{
    rw_depgraph *g = new_graph();
    memset(m, 0, sizeof *m);
    m->n = 1 + below(seed, index, MOST);
    int pairs = below(seed, index, 3 * m->n), count = 0;
    for (int i = 0; i < m->n; ++i) add(g, "k", "t%d", i);
    for (int k = 0; k < pairs; ++k) {
        int needed = below(seed, index, m->n), task = below(seed, index, m->n);
        find_lengths(m);
        if (needed == task)
            FAILS(RW_ERR_ARGUMENT, "cannot depend on itself", rw_depgraph_add_dependency(g, task, needed));
        else if (m->length[task][needed])
            FAILS(RW_ERR_ARGUMENT, "already depends on it: t", rw_depgraph_add_dependency(g, task, needed));
        else {
            need(g, task, needed);
            count += !m->direct[needed][task];
            m->direct[needed][task] = true;
        }
    }
    find_lengths(m);
    assert_int_equal(rw_depgraph_dependencies(g), count);
    for (int a = 0; a < m->n; ++a) /* the order that searches rely on */
        for (int b = 0; b < m->n; ++b)
            if (m->length[a][b]) assert_true(g->task[a].place < g->task[b].place);
    return g;
}

static int random_set(uint64_t seed, uint64_t *index, int n, int *set)
{
    int count = 0;
    for (int i = 0; i < n; ++i)
        if (below(seed, index, 3) == 0) set[count++] = i;
    return count;
}

static void check_paths(const rw_depgraph *g, const model *m, uint64_t seed, uint64_t *index)
{
    int from[MOST], to[MOST], *path, least = 0;
    int64_t n;
    int nfrom = random_set(seed, index, m->n, from), nto = random_set(seed, index, m->n, to);
    for (int i = 0; i < nfrom; ++i)
        for (int k = 0; k < nto; ++k) {
            int length = m->length[from[i]][to[k]];
            if (length && (!least || length < least)) least = length;
        }
    OK(rw_depgraph_find_path(g, from, nfrom, to, nto, &path, &n));
    assert_int_equal(n, least ? least + 1 : 0);
    assert_path(g, path, n);
    bool begins = !n, ends = !n;
    for (int i = 0; i < nfrom && n; ++i) begins = begins || path[0] == from[i];
    for (int i = 0; i < nto && n; ++i) ends = ends || path[n - 1] == to[i];
    assert_true(begins && ends);
    free(path);
}

/* The shortest way out of the set and back: through one task outside at least; 0: none. */
static int way_out(const model *m, const bool *inside)
{
    int least = 0;
    for (int a = 0; a < m->n; ++a)
        for (int x = 0; x < m->n; ++x)
            for (int b = 0; b < m->n; ++b) {
                if (!inside[a] || inside[x] || !inside[b] || !m->length[a][x] || !m->length[x][b]) continue;
                int length = m->length[a][x] + m->length[x][b];
                if (!least || length < least) least = length;
            }
    return least;
}

static void check_separate(const rw_depgraph *g, const model *m, uint64_t seed, uint64_t *index)
{
    int set[MOST], nset = random_set(seed, index, m->n, set), *path;
    int64_t n;
    bool inside[MOST] = {false};
    for (int i = 0; i < nset; ++i) inside[set[i]] = true;
    int least = way_out(m, inside);
    OK(rw_depgraph_check_separate(g, set, nset, &path, &n));
    assert_int_equal(n, least ? least + 1 : 0);
    assert_path(g, path, n);
    if (n) assert_true(inside[path[0]] && !inside[path[1]] && !inside[path[n - 2]] && inside[path[n - 1]]);
    free(path);
}

/* Parts need each other round about: a cycle among parts, found by the same algorithm. -1 counts as a part of one
 * task. */
static void check_partition(const rw_depgraph *g, const model *m, uint64_t seed, uint64_t *index)
{
    int part[MOST], number[MOST], nparts = 0, wanted = 1 + below(seed, index, m->n), unit[MOST];
    model q = {.n = 0};
    for (int i = 0; i < wanted; ++i) number[i] = -1;
    for (int i = 0; i < m->n; ++i) {
        int k = below(seed, index, wanted + 1) - 1;
        if (k >= 0 && number[k] < 0) number[k] = nparts++;
        part[i] = k < 0 ? -1 : number[k];
    }
    q.n = nparts;
    for (int i = 0; i < m->n; ++i) unit[i] = part[i] < 0 ? q.n++ : part[i];
    for (int a = 0; a < m->n; ++a)
        for (int b = 0; b < m->n; ++b)
            if (m->direct[a][b] && unit[a] != unit[b]) q.direct[unit[a]][unit[b]] = true;
    find_lengths(&q);
    bool cyclic = false, separate = true;
    for (int u = 0; u < q.n; ++u) cyclic = cyclic || q.length[u][u];
    for (int u = 0; u < nparts; ++u) {
        bool inside[MOST];
        for (int i = 0; i < m->n; ++i) inside[i] = part[i] == u;
        separate = separate && !way_out(m, inside);
    }
    rw_partition *p = divide(g, part, nparts);
    assert_int_equal(p->accepted, !cyclic);
    assert_string_equal(p->accepted ? p->reason : "", "");
    if (!p->accepted && separate) { /* dependencies from part to part */
        assert_non_null(strstr(p->reason, "depend on each other in a cycle"));
        assert_true(p->npath >= 4);
        for (int i = 0; i < p->npath; i += 2) {
            assert_path(g, p->path + i, 2);
            assert_int_equal(unit[p->path[i + 1]], unit[p->path[(i + 2) % p->npath]]);
        }
    } else if (!p->accepted) {
        assert_non_null(strstr(p->reason, "is not separate"));
        assert_path(g, p->path, p->npath);
        assert_int_equal(part[p->path[0]], part[p->path[p->npath - 1]]);
        assert_int_not_equal(part[p->path[0]], part[p->path[1]]);
    }
    for (int a = 0; a < m->n && p->accepted; ++a)
        for (int b = 0; b < m->n; ++b)
            if (m->length[a][b] && part[a] >= 0 && part[b] >= 0 && part[a] != part[b])
                assert_true(p->level[part[a]] < p->level[part[b]]);
    for (int i = 0; i < nparts && p->accepted; ++i) { /* no later than it must */
        bool reason = p->level[i] == 0;
        for (int k = 0; k < nparts; ++k) reason = reason || (p->level[k] == p->level[i] - 1 && q.length[k][i]);
        assert_true(reason);
    }
    rw_partition_destroy(&p);
}

static void test_random_graphs(void **state)
{
    (void)state;
    const uint64_t seed = 20100514;
    print_message("seed %llu\n", (unsigned long long)seed);
    uint64_t index = 0;
    for (int round = 0; round < 600; ++round) {
        model m;
        rw_depgraph *g = random_graph(seed, &index, &m);
        for (int i = 0; i < 8; ++i) {
            check_paths(g, &m, seed, &index);
            check_separate(g, &m, seed, &index);
            check_partition(g, &m, seed, &index);
        }
        rw_depgraph_destroy(&g);
    }
}

/* ---- structures -------------------------------------------------------------------------------------------------- */

/* Two small graphs, of kinds and pairs: tried all ways to rename one into the other. */
typedef struct small {
    int n, kind[6];
    bool edge[6][6];
} small;

static bool renames(const small *a, const small *b, int *to, int i)
{
    if (i == a->n) return true;
    for (int t = 0; t < b->n; ++t) {
        bool good = a->kind[i] == b->kind[t];
        for (int k = 0; k < i; ++k)
            good = good && to[k] != t && a->edge[i][k] == b->edge[t][to[k]] && a->edge[k][i] == b->edge[to[k]][t];
        to[i] = t;
        if (good && renames(a, b, to, i + 1)) return true;
    }
    return false;
}

static small random_small(uint64_t seed, uint64_t *index)
{
    small s = {.n = 3 + below(seed, index, 4)};
    int kinds = 1 + below(seed, index, 2);
    for (int i = 0; i < s.n; ++i) {
        s.kind[i] = below(seed, index, kinds);
        for (int k = 0; k < i; ++k) s.edge[k][i] = below(seed, index, 3) == 0;
    }
    return s;
}

/* The same with tasks numbered otherwise, edges turned accordingly. */
static small renumbered(const small *s, uint64_t seed, uint64_t *index)
{
    int to[6];
    small t = {.n = s->n};
    for (int i = 0; i < s->n; ++i) to[i] = i;
    for (int i = s->n - 1; i > 0; --i) {
        int k = below(seed, index, i + 1), swap = to[i];
        to[i] = to[k], to[k] = swap;
    }
    for (int i = 0; i < s->n; ++i) {
        t.kind[to[i]] = s->kind[i];
        for (int k = 0; k < s->n; ++k) t.edge[to[i]][to[k]] = s->edge[i][k];
    }
    return t;
}

static void test_structures_against_all_renamings(void **state)
{
    (void)state;
    const uint64_t seed = 6;
    uint64_t index = 0;
    int alike = 0;
    for (int round = 0; round < 300; ++round) {
        enum { PARTS = 8 };
        small s[PARTS];
        rw_depgraph *g = new_graph();
        int part[6 * PARTS], n = 0, to[6];
        for (int i = 0; i < PARTS; ++i) {
            s[i] = i % 3 ? renumbered(&s[i - 1], seed, &index) : random_small(seed, &index);
            if (i % 3 == 2) { /* one edge more or less */
                int a = below(seed, &index, s[i].n), b = below(seed, &index, s[i].n);
                s[i].edge[a][b] = !s[i].edge[a][b] && a != b;
            }
            int first = n;
            for (int k = 0; k < s[i].n; ++k) part[n++] = i, add(g, s[i].kind[k] ? "b" : "a", "%d.%d", i, k);
            for (int a = 0; a < s[i].n; ++a)
                for (int b = 0; b < s[i].n; ++b)
                    if (s[i].edge[a][b] && rw_depgraph_add_dependency(g, first + b, first + a) != RW_OK)
                        s[i].edge[a][b] = false;
        }
        rw_partition *p = divide(g, part, PARTS);
        assert_true(p->accepted && p->nlevels == 1 && p->nlaunches == p->nstructures);
        for (int i = 0; i < PARTS; ++i)
            for (int k = 0; k < i; ++k) {
                bool same = s[i].n == s[k].n && renames(&s[i], &s[k], to, 0);
                assert_int_equal(p->structure[i] == p->structure[k], same);
                alike += same;
            }
        rw_partition_destroy(&p);
        rw_depgraph_destroy(&g);
    }
    assert_true(alike > 300);
}

/* Tasks x_i and y_i in rings: y_i and y_(i+1) need x_i; `sum` needs all y. Colours do not tell two rings of 6 from one
 * of 12. */
static void add_rings(rw_depgraph *g, int *part, int number, const char *rings, bool sum)
{
    int all = sum ? add(g, "sum", "sum of %d", number) : -1;
    if (sum) part[all] = number;
    for (; *rings; ++rings) {
        int n = *rings == 't' ? 12 : *rings - '0', first = rw_depgraph_tasks(g);
        for (int i = 0; i < 2 * n; ++i) part[add(g, i < n ? "x" : "y", "%d.%c.%d", number, *rings, i)] = number;
        for (int i = 0; i < n; ++i) {
            need(g, first + n + i, first + i), need(g, first + n + i, first + (i + 1) % n);
            if (sum) need(g, all, first + n + i);
        }
    }
}

static void test_structures_that_colours_do_not_tell_apart(void **state)
{
    (void)state;
    static const char *const rings[] = {"66", "t",    "3333", "t",   "66",  "66t",   "t66",  "6t6",
                                        "tt", "6666", "345",  "534", "453", "t345t", "35tt4"};
    static const int expected[] = {0, 1, 2, 1, 0, 3, 3, 3, 4, 5, 6, 6, 6, 7, 7};
    for (int sum = 0; sum < 2; ++sum) { /* in pieces; as one piece, where one partner after the other is tried */
        rw_depgraph *g = new_graph();
        int part[1024];
        for (int i = 0; i < RW_COUNT(rings); ++i) add_rings(g, part, i, rings[i], sum);
        rw_partition *p = divide(g, part, RW_COUNT(rings));
        for (int i = 0; i < RW_COUNT(rings); ++i) assert_int_equal(p->structure[i], expected[i]);
        /* a search that may not take long says so */
        rw_partition few = *p;
        few.structure = NULL, few.nstructures = 0;
        FAILS(RW_ERR_NOT_CONVERGED, "too similar", rw_partition_structures(g, &few, 5));
        rw_free(few.structure);
        rw_partition_destroy(&p);
        rw_depgraph_destroy(&g);
    }
}

/* Tiles in the four corners of a grid, mirrored; two values at each node, read by the same tasks; a sum ties all
 * together. Then one dependency less. */
static void test_mirrored_tiles(void **state)
{
    (void)state;
    enum { SIDE = 5 };
    rw_depgraph *g = new_graph();
    int part[1024], nparts = 0;
    for (; nparts < 6; ++nparts) {
        int value[2][SIDE + 2][SIDE + 2], task = 0, sum = add(g, "sum", "sum");
        part[sum] = nparts;
        for (int v = 0; v < 2; ++v)
            for (int i = 0; i < (SIDE + 2) * (SIDE + 2); ++i)
                part[value[v][i / (SIDE + 2)][i % (SIDE + 2)] = add(g, "given", "v")] = -1;
        for (int j = 0; j < SIDE; ++j)
            for (int i = 0; i < SIDE; ++i) {
                int a = nparts & 1 ? SIDE - 1 - i : i, b = nparts & 2 ? SIDE - 1 - j : j, far = nparts & 1 ? -1 : 1;
                part[task = add(g, "f", "(%d,%d)", i, j)] = nparts;
                need(g, sum, task);
                for (int v = 0; v < 2; ++v) { /* farther to one side */
                    need(g, task, value[v][b + 1][a + 1]), need(g, task, value[v][b][a + 1]),
                        need(g, task, value[v][b + 2][a + 1]);
                    if (nparts != 5 || i != 2 || j != 2 || v) need(g, task, value[v][b + 1][a + 1 + far]);
                }
            }
    }
    rw_partition *p = divide(g, part, nparts);
    for (int i = 0; i < nparts; ++i) assert_int_equal(p->structure[i], i == 5);
    rw_partition_destroy(&p);
    rw_depgraph_destroy(&g);
}

/* What is read from outside belongs to a structure: how many values, and which tasks share them; not who made them. */
static void test_values_from_outside(void **state)
{
    (void)state;
    rw_depgraph *g = new_graph();
    int part[64], value[8], nparts = 0;
    for (int i = 0; i < 8; ++i) part[value[i] = add(g, i < 4 ? "given" : "other", "v%d", i)] = -1;
    static const struct {
        int a[2], b[2];
    } reads[] = {/* values that tasks f and sum of a part read */
                 {{0, 1}, {1, 2}}, {{4, 5}, {4, 6}}, {{0, 1}, {2, 3}},
                 {{0, 1}, {0, 1}}, {{0, 1}, {1, 1}}, {{2, 4}, {4, 7}}};
    static const int expected[] = {0, 0, 1, 2, 3, 0};
    for (; nparts < RW_COUNT(reads); ++nparts) {
        int f = add(g, "f", "f%d", nparts), sum = add(g, "sum", "g%d", nparts);
        part[f] = part[sum] = nparts;
        need(g, sum, f);
        for (int k = 0; k < 2; ++k) need(g, f, value[reads[nparts].a[k]]), need(g, sum, value[reads[nparts].b[k]]);
    }
    rw_partition *p = divide(g, part, nparts);
    for (int i = 0; i < nparts; ++i) assert_int_equal(p->structure[i], expected[i]);
    assert_int_equal(p->nlevels, 1);
    rw_partition_destroy(&p);
    rw_depgraph_destroy(&g);
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static void test_no_task_and_one_task(void **state)
{
    (void)state;
    int part = 0, *path;
    int64_t n;
    char *text;
    rw_depgraph *g = new_graph();
    rw_partition *p = divide(g, NULL, 0);
    assert_true(p->accepted && p->nlevels == 0 && p->nstructures == 0 && p->nlaunches == 0);
    OK(rw_depgraph_dot(g, p, &text));
    assert_non_null(strstr(text, "0 tasks"));
    free(text);
    OK(rw_depgraph_dot(g, NULL, &text));
    free(text);
    rw_partition_destroy(&p);
    OK(rw_depgraph_find_path(g, NULL, 0, NULL, 0, &path, &n));
    assert_true(!path && n == 0);
    FAILS(RW_ERR_ARGUMENT, "task = 0 is not a task: there are 0", rw_depgraph_add_dependency(g, 0, 0));
    add(g, "f", "alone");
    FAILS(RW_ERR_ARGUMENT, "cannot depend on itself", rw_depgraph_add_dependency(g, 0, 0));
    OK(rw_depgraph_find_path(g, &part, 1, &part, 1, &path, &n)); /* a path has a pair */
    assert_int_equal(n, 0);
    OK(rw_depgraph_check_separate(g, &part, 1, &path, &n));
    assert_int_equal(n, 0);
    p = divide(g, &part, 1);
    assert_true(p->accepted && p->nlevels == 1 && p->nstructures == 1 && p->nlaunches == 1);
    assert_string_equal(p->name[0], "part 0");
    rw_partition_destroy(&p);
    part = -1;
    p = divide(g, &part, 0);
    assert_true(p->accepted && p->nlevels == 0);
    rw_partition_destroy(&p);
    rw_depgraph_destroy(&g);
    rw_depgraph_destroy(&g);
}

static void test_broken_input(void **state)
{
    (void)state;
    rw_depgraph *g = new_graph();
    rw_partition *p;
    int *path, set[] = {0, 5}, part[] = {0, 0, 1};
    int64_t n;
    char *text;
    FAILS(RW_ERR_ARGUMENT, "kind = NULL", rw_depgraph_add_task(g, NULL, "x", NULL));
    FAILS(RW_ERR_ARGUMENT, "label = NULL", rw_depgraph_add_task(g, "x", NULL, NULL));
    for (int i = 0; i < 3; ++i) add(g, "k", "t%d", i);
    need(g, 1, 0), need(g, 2, 1), need(g, 2, 1);
    assert_int_equal(rw_depgraph_dependencies(g), 2);
    FAILS(RW_ERR_ARGUMENT, "task = 3 is not a task: there are 3", rw_depgraph_add_dependency(g, 3, 0));
    FAILS(RW_ERR_ARGUMENT, "needed = -1 is not a task", rw_depgraph_add_dependency(g, 0, -1));
    FAILS(RW_ERR_ARGUMENT, "task 0 (t0) cannot depend on task 2 (t2), which already depends on it: t0 -> t1 -> t2",
          rw_depgraph_add_dependency(g, 0, 2));
    assert_int_equal(rw_depgraph_dependencies(g), 2);
    FAILS(RW_ERR_ARGUMENT, "from[1] = 5 is not a task", rw_depgraph_find_path(g, set, 2, set, 1, &path, &n));
    FAILS(RW_ERR_ARGUMENT, "to[1] = 5", rw_depgraph_find_path(g, set, 1, set, 2, &path, &n));
    FAILS(RW_ERR_ARGUMENT, "set[1] = 5", rw_depgraph_check_separate(g, set, 2, &path, &n));
    FAILS(RW_ERR_ARGUMENT, "2 tasks, but the list is NULL", rw_depgraph_check_separate(g, NULL, 2, &path, &n));
    FAILS(RW_ERR_ARGUMENT, "nparts = 4 is outside [0, 3]", rw_depgraph_partition(g, part, 4, NULL, &p));
    FAILS(RW_ERR_ARGUMENT, "part = NULL", rw_depgraph_partition(g, NULL, 1, NULL, &p));
    FAILS(RW_ERR_ARGUMENT, "part[2] = 1 is outside [-1, 0] (task t2)", rw_depgraph_partition(g, part, 1, NULL, &p));
    FAILS(RW_ERR_ARGUMENT, "part 2 has no task", rw_depgraph_partition(g, part, 3, NULL, &p));
    const char *names[] = {"one", NULL};
    FAILS(RW_ERR_ARGUMENT, "names[1] = NULL", rw_depgraph_partition(g, part, 2, names, &p));
    assert_null(p);
    p = divide(g, part, 2);
    add(g, "k", "late");
    FAILS(RW_ERR_ARGUMENT, "the partition has 3 tasks, but the graph has 4", rw_depgraph_dot(g, p, &text));
    assert_null(text);
    rw_partition_destroy(&p);
    rw_depgraph_destroy(&g);
}

/* a0 -> b1, b0 -> a1: each part is separate, neither can be first. */
static void test_parts_that_need_each_other(void **state)
{
    (void)state;
    rw_depgraph *g = new_graph();
    const char *const names[] = {"left", "right"};
    const int part[] = {0, 0, 1, 1};
    rw_partition *p;
    for (int i = 0; i < 4; ++i) add(g, "k", "%c%d", i < 2 ? 'a' : 'b', i % 2);
    need(g, 3, 0), need(g, 1, 2);
    OK(rw_depgraph_partition(g, part, 2, names, &p));
    assert_false(p->accepted);
    assert_non_null(strstr(p->reason, "right depends on left (a0 -> b1)"));
    assert_non_null(strstr(p->reason, "left depends on right (b0 -> a1)"));
    assert_true(p->npath == 4 && !p->level && !p->structure);
    rw_partition_destroy(&p);
    rw_depgraph_destroy(&g);
}

static void test_pictures(void **state)
{
    (void)state;
    rw_depgraph *g = new_graph();
    const char *const names[] = {"a \"b\" \\N"};
    int part[] = {0, -1};
    rw_partition *p;
    char *text;
    add(g, "k<&>", "line\nbreak & \\n \x01"), add(g, "k", "y");
    need(g, 0, 1);
    OK(rw_depgraph_partition(g, part, 1, names, &p));
    OK(rw_depgraph_dot(g, p, &text));
    assert_non_null(strstr(text, "label=\"line\\nbreak &amp; \\\\n  \""));
    assert_non_null(strstr(text, "label=\"a \\\"b\\\" \\\\N\""));
    assert_non_null(strstr(text, "tooltip=\"k<&amp;> line"));
    assert_non_null(strstr(text, "t1 -> t0;"));
    free(text);
    rw_partition_destroy(&p);
    rw_depgraph_destroy(&g);
}

/* ---- size -------------------------------------------------------------------------------------------------------- */

/* A chain of 1e5 tasks, added from its end: the order is turned round again and again, and nothing may recur 1e5
 * deep. */
static void test_a_long_chain(void **state)
{
    (void)state;
    enum { LENGTH = 100000 };
    double begin = rw_seconds();
    rw_depgraph *g = new_graph();
    int *part = calloc(LENGTH, sizeof *part), first = LENGTH - 1, last = 0, *path;
    int64_t n;
    for (int i = 0; i < LENGTH; ++i) add(g, "k", "t%d", i);
    for (int i = LENGTH - 2; i >= 0; --i) need(g, i, i + 1);
    FAILS(RW_ERR_ARGUMENT, "(99992 more)", rw_depgraph_add_dependency(g, first, last));
    OK(rw_depgraph_find_path(g, &first, 1, &last, 1, &path, &n));
    assert_int_equal(n, LENGTH);
    free(path);
    rw_partition *p = divide(g, part, 1);
    assert_true(p->accepted && p->nstructures == 1);
    rw_partition_destroy(&p);
    for (int i = 0; i < LENGTH; ++i) part[i] = i;
    p = divide(g, part, LENGTH);
    assert_true(p->accepted && p->nlevels == LENGTH && p->nstructures == 2); /* the first reads nothing */
    rw_partition_destroy(&p);
    for (int i = 0; i < LENGTH; ++i) part[i] = i % 2;
    p = divide(g, part, 2);
    assert_true(!p->accepted && p->npath == 3);
    rw_partition_destroy(&p);
    for (int i = 0; i < LENGTH; ++i) part[i] = i < LENGTH / 2;
    p = divide(g, part, 2);
    assert_true(p->accepted && p->nstructures == 2 && p->nlevels == 2);
    rw_partition_destroy(&p);
    rw_depgraph_destroy(&g);
    free(part);
    print_message("%d tasks one after another: %.2f s\n", LENGTH, rw_seconds() - begin);
}

/* 3e5 dependencies in an order by chance between tasks whose numbers say nothing. */
static void test_a_large_graph_in_any_order(void **state)
{
    (void)state;
    enum { TASKS = 100000, PAIRS = 300000 };
    double begin = rw_seconds();
    uint64_t index = 0;
    rw_depgraph *g = new_graph();
    int *place = calloc(TASKS, sizeof *place), refused = 0;
    for (int i = 0; i < TASKS; ++i) place[i] = i, add(g, "k", "%d", i);
    for (int i = TASKS - 1; i > 0; --i) {
        int k = below(8, &index, i + 1), swap = place[i];
        place[i] = place[k], place[k] = swap;
    }
    for (int i = 0; i < PAIRS; ++i) {
        int a = below(8, &index, TASKS), b = a + 1 + below(8, &index, 300);
        if (b < TASKS) need(g, place[b], place[a]);
        if (i % 1000 == 0 && b < TASKS) refused += rw_depgraph_add_dependency(g, place[a], place[b]) == RW_ERR_ARGUMENT;
    }
    assert_true(refused > 290);
    RW_IN_ORDER(g, t)
        RW_EACH_NEED(g, d, t) assert_true(g->task[g->dependency[d].needed].place < g->task[t].place);
    rw_depgraph_destroy(&g);
    free(place);
    print_message("%d tasks, %d dependencies in any order: %.2f s\n", TASKS, PAIRS, rw_seconds() - begin);
}

/* Stages on a grid of 100 x 100 points: 1e5 tasks, in tiles and as two wide parts with a sum. */
static void test_a_large_grid(void **state)
{
    (void)state;
    enum { SIDE = 100, STAGES = 10, TILE_OF_10 = 10, TASKS = SIDE * SIDE * STAGES };
    double begin = rw_seconds();
    rw_depgraph *g = new_graph();
    int *part = calloc(TASKS + 1, sizeof *part), across = SIDE / TILE_OF_10;
    for (int s = 0; s < STAGES; ++s)
        for (int c = 0; c < SIDE * SIDE; ++c) {
            int t = add(g, "f", "%d", c), i = c % SIDE, j = c / SIDE;
            part[t] = s * across * across + j / TILE_OF_10 * across + i / TILE_OF_10;
            for (int dj = -1; dj <= 1 && s; ++dj)
                for (int di = -1; di <= 1; ++di) /* periodic */
                    if (!di || !dj)
                        need(g, t, t - c - SIDE * SIDE + (i + di + SIDE) % SIDE + (j + dj + SIDE) % SIDE * SIDE);
        }
    rw_partition *p = divide(g, part, across * across * STAGES);
    assert_true(p->accepted);
    assert_int_equal(p->nlevels, STAGES);
    assert_int_equal(p->nstructures, 2);
    assert_int_equal(p->nlaunches, STAGES);
    rw_partition_destroy(&p);
    for (int t = 0; t < TASKS; ++t) part[t] %= across * across;
    p = divide(g, part, across * across);
    assert_true(!p->accepted && p->npath == 3);
    char *text;
    OK(rw_depgraph_dot(g, p, &text));
    assert_non_null(strstr(text, "penwidth"));
    free(text);
    rw_partition_destroy(&p);
    rw_depgraph_destroy(&g);
    print_message("%d tasks in tiles: %.2f s\n", TASKS, rw_seconds() - begin);

    begin = rw_seconds();
    g = new_graph();
    for (int k = 0; k < 2; ++k) { /* 5e4 summands each, all alike, and their sum */
        int first = rw_depgraph_tasks(g), n = TASKS / 2 - 1;
        for (int i = 0; i < n; ++i) part[add(g, "f", "%d", i)] = k;
        part[add(g, "sum", "sum")] = k;
        for (int i = 0; i < n; ++i) need(g, first + n, first + i);
    }
    p = divide(g, part, 2);
    assert_true(p->accepted && p->nstructures == 1);
    rw_partition_destroy(&p);
    rw_depgraph_destroy(&g);
    free(part);
    print_message("%d tasks in two sums: %.2f s\n", TASKS, rw_seconds() - begin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_structures_against_all_renamings),
        cmocka_unit_test(test_structures_that_colours_do_not_tell_apart),
        cmocka_unit_test(test_mirrored_tiles),
        cmocka_unit_test(test_values_from_outside),
        cmocka_unit_test(test_no_task_and_one_task),
        cmocka_unit_test(test_broken_input),
        cmocka_unit_test(test_parts_that_need_each_other),
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_a_long_chain),
        cmocka_unit_test(test_a_large_graph_in_any_order),
        cmocka_unit_test(test_a_large_grid),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
