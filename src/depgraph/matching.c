/* Whether two connected graphs of parts are equal up to the names of their tasks: their nodes are put into cells, the
 * same for both, in which partners are to be found, and cells are split as long as they can be distinguished (McKay,
 * Congressus Numerantium 30, 1981).
 *
 *   cells      places first … first + size - 1 of two lists, one of each graph
 *   splitting  by a cell W: nodes are distinguished by how many nodes of W they read, and how many of W read them. If
 *              the graphs differ in these numbers they are not equal, as far as the choices made
 *   choice     when all cells that were split have been used and one has several nodes: one of the first graph gets one
 *              of the second for its partner, in a cell of their own, and it goes on from there
 *   back       when the graphs differ: the last choice is taken back, with the splits after it, and the next partner
 *              is tried
 *
 * When each cell has one node, partners are compared dependency by dependency. A choice and its consequences cost as
 * much as the nodes that they touch: nodes that do not differ (values read by the same tasks, summands of one sum) cost
 * a choice each and nothing more. */
#include <stdlib.h>
#include <string.h>

#include "depgraph/depgraph_private.h"

typedef struct choice {
    int cell, trail;              /* the cell's first place; splits before it */
    int a, b;                     /* partners */
    int *tried, ntried, capacity; /* those of the second graph that did not do, besides b */
} choice;

/* A node that reads or is read by nodes of W. */
typedef struct touched {
    uint64_t key; /* how often each */
    int cell, node;
} touched;

struct rw_matching {
    const rw_depgraph *g;
    const rw_nodes *v;
    int n;
    int *list[2];       /* by place: nodes of the two graphs */
    int *place;         /* by node */
    int *cell;          /* by place: first place of its cell */
    int *size;          /* by first place */
    int *trail, ntrail; /* first places of cells split off, in their order */
    int *work, nwork;   /* cells to split by */
    bool *waits;        /* by first place: it is among them */
    uint64_t *key;      /* by node */
    touched *touched[2];
    choice *choice;
    int nchoices, capacity;
    long steps, most;
};

rw_status rw_matching_create(const rw_depgraph *g, const rw_nodes *v, long most, rw_matching **matching)
{
    size_t n = (size_t)v->n + 1;
    rw_matching *m = *matching = rw_calloc(1, sizeof *m);
    bool failed = !m;
    for (int k = 0; k < 2 && !failed; ++k)
        failed = !(m->list[k] = rw_calloc(n, sizeof(int))) || !(m->touched[k] = rw_calloc(n, sizeof *m->touched[k]));
    failed = failed || !(m->place = rw_calloc(n, sizeof(int))) || !(m->cell = rw_calloc(n, sizeof(int))) ||
             !(m->size = rw_calloc(n, sizeof(int))) || !(m->trail = rw_calloc(n, sizeof(int))) ||
             !(m->work = rw_calloc(n, sizeof(int))) || !(m->waits = rw_calloc(n, sizeof(bool))) ||
             !(m->key = rw_calloc(n, sizeof *m->key));
    if (failed) {
        rw_matching_destroy(matching);
        return rw_fail_memory(g->ctx, n * 80, "the structures of parts");
    }
    m->g = g;
    m->v = v;
    m->most = most;
    return RW_OK;
}

static void forget_choices(rw_matching *m, int from)
{
    while (m->nchoices > from) rw_free(m->choice[--m->nchoices].tried);
}

void rw_matching_destroy(rw_matching **matching)
{
    rw_matching *m = *matching;
    *matching = NULL;
    if (!m) return;
    forget_choices(m, 0);
    for (int k = 0; k < 2; ++k) {
        rw_free(m->list[k]);
        rw_free(m->touched[k]);
    }
    rw_free(m->place);
    rw_free(m->cell);
    rw_free(m->size);
    rw_free(m->trail);
    rw_free(m->work);
    rw_free(m->waits);
    rw_free(m->key);
    rw_free(m->choice);
    rw_free(m);
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static void put(rw_matching *m, int graph, int place, int node)
{
    m->list[graph][place] = node;
    m->place[node] = place;
}

static void exchange(rw_matching *m, int graph, int a, int b)
{
    int node = m->list[graph][a];
    put(m, graph, a, m->list[graph][b]);
    put(m, graph, b, node);
}

static void wait(rw_matching *m, int cell)
{
    if (m->waits[cell]) return;
    m->waits[cell] = true;
    m->work[m->nwork++] = cell;
}

/* The last places of a cell, from `at` on, become one of their own. */
static void split_off(rw_matching *m, int cell, int at)
{
    m->size[at] = cell + m->size[cell] - at;
    m->size[cell] = at - cell;
    for (int i = at; i < at + m->size[at]; ++i) m->cell[i] = at;
    m->trail[m->ntrail++] = at;
}

/* Splits after the first `from` are undone. */
static void merge(rw_matching *m, int from)
{
    while (m->ntrail > from) {
        int at = m->trail[--m->ntrail], cell = m->cell[at - 1];
        for (int i = at; i < at + m->size[at]; ++i) m->cell[i] = cell;
        m->size[cell] += m->size[at];
    }
    while (m->nwork) m->waits[m->work[--m->nwork]] = false;
}

static int compare(const void *a, const void *b)
{
    const touched *x = a, *y = b;
    if (x->cell != y->cell) return (x->cell > y->cell) - (x->cell < y->cell);
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->node > y->node) - (x->node < y->node);
}

static void touch(rw_matching *m, int graph, int node, uint64_t amount, int *n)
{
    if (!m->key[node]) m->touched[graph][(*n)++].node = node;
    m->key[node] += amount;
    ++m->steps;
}

/* Nodes of a graph that have to do with cell W, by cell and key; how many. */
static int find_touched(rw_matching *m, int graph, int W)
{
    const rw_nodes *v = m->v;
    touched *list = m->touched[graph];
    int n = 0;
    for (int i = W; i < W + m->size[W]; ++i) {
        int a = m->list[graph][i];
        for (int e = v->out_first[a]; e < v->out_first[a + 1]; ++e) touch(m, graph, v->out[e], 1, &n);
        for (int e = v->in_first[a]; e < v->in_first[a + 1]; ++e) touch(m, graph, v->in[e], UINT64_C(1) << 32, &n);
    }
    for (int i = 0; i < n; ++i) {
        int node = list[i].node;
        list[i].key = m->key[node];
        list[i].cell = m->cell[m->place[node]];
        m->key[node] = 0;
    }
    qsort(list, (size_t)n, sizeof *list, compare);
    return n;
}

/* Touched nodes from … to - 1 are those of one cell: to its end, by key. The new cells wait, the largest of them all,
 * the old one included, only if the old one does: splitting by the others gives the same result. */
static void split_cell(rw_matching *m, int from, int to)
{
    const touched *list = m->touched[0];
    int cell = list[from].cell, size = m->size[cell], at = cell + size;
    if (size == 1) return;
    for (int graph = 0; graph < 2; ++graph)
        for (int i = to - 1, place = at - 1; i >= from; --i, --place)
            exchange(m, graph, m->place[m->touched[graph][i].node], place);
    bool waits = m->waits[cell];
    int largest = cell, first_split = m->ntrail;
    for (int i = to - 1; i >= from; --i) {
        --at;
        if (at > cell && (i == from || list[i - 1].key != list[i].key)) split_off(m, cell, at);
    }
    for (int i = first_split; i < m->ntrail; ++i)
        if (m->size[m->trail[i]] > m->size[largest]) largest = m->trail[i];
    for (int i = first_split; i < m->ntrail; ++i)
        if (waits || m->trail[i] != largest) wait(m, m->trail[i]);
    if (largest != cell && m->ntrail > first_split) wait(m, cell);
}

/* Splits until no cell waits; false when the graphs differ. */
static bool split_all(rw_matching *m)
{
    while (m->nwork && m->steps <= m->most) {
        int W = m->work[--m->nwork];
        m->waits[W] = false;
        int n = find_touched(m, 0, W);
        bool same = find_touched(m, 1, W) == n;
        for (int i = 0; i < n && same; ++i)
            same = m->touched[0][i].key == m->touched[1][i].key && m->touched[0][i].cell == m->touched[1][i].cell;
        if (!same) return false;
        for (int from = 0, to; from < n; from = to) {
            for (to = from + 1; to < n && m->touched[0][to].cell == m->touched[0][from].cell;) ++to;
            split_cell(m, from, to);
        }
    }
    return m->steps <= m->most;
}

/* ---- choices ----------------------------------------------------------------------------------------------------- */

static rw_status fail_memory(const rw_matching *m)
{
    return rw_fail_memory(m->g->ctx, sizeof(choice), "the structures of parts");
}

static bool choose(rw_matching *m, const choice *c)
{
    int last = c->cell + m->size[c->cell] - 1;
    exchange(m, 0, m->place[c->a], last);
    exchange(m, 1, m->place[c->b], last);
    split_off(m, c->cell, last);
    wait(m, last);
    return split_all(m);
}

/* The first cell with several nodes gives a choice; *found: there is one. */
static rw_status next_choice(rw_matching *m, bool *found)
{
    int cell = m->nchoices ? m->choice[m->nchoices - 1].cell : 0;
    while (cell < m->n && m->size[cell] == 1) ++cell;
    *found = cell < m->n;
    if (!*found) return RW_OK;
    if (!rw_grow(&m->choice, &m->capacity, m->nchoices + 1, sizeof *m->choice)) return fail_memory(m);
    m->choice[m->nchoices++] = (choice){.cell = cell, .trail = m->ntrail, .a = m->list[0][cell], .b = m->list[1][cell]};
    return RW_OK;
}

/* Another partner for the last choice that has one; *found: there is such a choice. */
static rw_status other_choice(rw_matching *m, bool *found)
{
    for (*found = false; m->nchoices; forget_choices(m, m->nchoices - 1)) {
        choice *c = m->choice + m->nchoices - 1;
        merge(m, c->trail);
        if (!rw_grow(&c->tried, &c->capacity, c->ntried + 1, sizeof *c->tried)) return fail_memory(m);
        c->tried[c->ntried++] = c->b;
        for (int i = c->cell; i < c->cell + m->size[c->cell] && !*found; ++i) {
            bool known = false;
            for (int k = 0; k < c->ntried; ++k) known = known || c->tried[k] == m->list[1][i];
            if (!known) {
                c->b = m->list[1][i];
                *found = true;
            }
        }
        if (*found) return RW_OK;
    }
    return RW_OK;
}

/* Partners, of cells of one node, read the same. */
static bool partners_agree(const rw_matching *m)
{
    const rw_nodes *v = m->v;
    for (int i = 0; i < m->n; ++i) {
        int a = m->list[0][i], b = m->list[1][i], n = v->in_first[a + 1] - v->in_first[a];
        if ((v->task[a] < 0) != (v->task[b] < 0) || n != v->in_first[b + 1] - v->in_first[b]) return false;
        if (v->task[a] >= 0 && strcmp(m->g->task[v->task[a]].kind, m->g->task[v->task[b]].kind)) return false;
        for (int e = 0; e < n; ++e) m->key[m->list[1][m->place[v->in[v->in_first[a] + e]]]] = 1;
        bool same = true;
        for (int e = 0; e < n; ++e) same = same && m->key[v->in[v->in_first[b] + e]];
        for (int e = 0; e < n; ++e) m->key[m->list[1][m->place[v->in[v->in_first[a] + e]]]] = 0;
        if (!same) return false;
    }
    return true;
}

/* Cells by colour, all waiting; false when the graphs have different colours. */
static bool begin(rw_matching *m, const int *a, const int *b, int n)
{
    forget_choices(m, 0);
    m->n = n;
    m->ntrail = m->nwork = 0;
    m->steps = 0;
    for (int i = 0, cell = 0; i < n; ++i) {
        if (m->v->colour[a[i]] != m->v->colour[b[i]]) return false;
        if (i && m->v->colour[a[i]] != m->v->colour[a[i - 1]]) cell = i;
        put(m, 0, i, a[i]);
        put(m, 1, i, b[i]);
        m->cell[i] = cell;
        m->size[cell] = i + 1 - cell;
        m->waits[i] = false;
    }
    for (int i = 0; i < n; i += m->size[i]) wait(m, i);
    return true;
}

rw_status rw_matching_compare(rw_matching *m, const int *a, const int *b, int n, bool *equal)
{
    *equal = false;
    bool good = begin(m, a, b, n), more = good;
    if (good) good = split_all(m);
    while (more && m->steps <= m->most) {
        if (good) {
            RW_TRY(next_choice(m, &more));
            *equal = !more && partners_agree(m);
            if (*equal) return RW_OK;
            good = more && choose(m, m->choice + m->nchoices - 1);
            more = true;
        } else {
            RW_TRY(other_choice(m, &more));
            if (more) good = choose(m, m->choice + m->nchoices - 1);
        }
    }
    if (m->steps <= m->most) return RW_OK;
    int i = 0;
    while (m->v->task[b[i]] < 0) ++i;
    return rw_fail(
        m->g->ctx, RW_ERR_NOT_CONVERGED,
        "after %ld steps it is undecided whether the part of task %s has the same structure as another part: their "
        "tasks are too similar: give kinds that distinguish them",
        m->steps, m->g->task[m->v->task[b[i]]].label);
}
