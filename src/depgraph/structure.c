/* Which parts are equal up to the names of their tasks.
 *
 * Each part becomes a graph of its own: its tasks, and before them a node for every value that it reads from outside,
 * in the order of graph.c. Nodes get colours that no renaming can change, of all parts at once:
 *
 *   colour <- mix(kind)                                              a value from outside: a constant
 *   colour <- mix(colour, sum of mix(colours of what it reads))      nodes in their order
 *   colour <- mix(colour, sum of mix'(colours of who reads it))      against it
 *
 * until their number does not grow. (McKay, Congressus Numerantium 30, 1981, on colours of graphs; sweeps along the
 * order settle a chain at once.) Then the connected components of the parts are put into classes: those of the same
 * colours are compared exactly (matching.c) with one of each class. Parts are equal when they have as many components
 * of each class. */
#include <stdlib.h>
#include <string.h>

#include "depgraph/depgraph_private.h"

enum { SWEEPS = 32 };

/* What is to be sorted: by key, then number. */
typedef struct keyed {
    uint64_t key;
    int number;
} keyed;

static int compare_keyed(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->number > y->number) - (x->number < y->number);
}

static void sort(keyed *list, int n) { qsort(list, (size_t)n, sizeof *list, compare_keyed); }

static void free_nodes(rw_nodes *v)
{
    rw_free(v->first);
    rw_free(v->task);
    rw_free(v->in);
    rw_free(v->in_first);
    rw_free(v->out);
    rw_free(v->out_first);
    rw_free(v->colour);
}

static rw_status fail_nodes(const rw_depgraph *g, const rw_nodes *v)
{
    return rw_fail_memory(g->ctx, (size_t)v->n * 40 + (size_t)v->nedges * 8, "the structures of parts");
}

/* ---- graphs of parts --------------------------------------------------------------------------------------------- */

/* Tasks of each part in order: member[first[p] … first[p + 1] - 1]. */
static void list_members(const rw_depgraph *g, const rw_partition *p, int *member, int *first)
{
    for (int t = 0; t < g->ntasks; ++t)
        if (p->part[t] >= 0) first[p->part[t] + 2]++;
    for (int i = 0; i < p->nparts; ++i) first[i + 2] += first[i + 1];
    RW_IN_ORDER(g, t)
        if (p->part[t] >= 0) member[first[p->part[t] + 1]++] = t;
}

/* Appends the nodes of part p, and their edges; without `v->task` only their number. node_of[task]: the
 * node, where stamp[task] is p. */
static void add_part(const rw_depgraph *g, const rw_partition *q, int p, const int *member, int nmembers, rw_nodes *v,
                     int *node_of, int *stamp)
{
    for (int pass = 0; pass < 2; ++pass) /* values from outside come first */
        for (int m = 0; m < nmembers; ++m) {
            int t = member[m], ends = 0;
            if (pass) {
                node_of[t] = v->n;
                stamp[t] = p;
            }
            RW_EACH_NEED(g, d, t) {
                int needed = g->dependency[d].needed;
                if (!pass && q->part[needed] != p && stamp[needed] != p) {
                    node_of[needed] = v->n++;
                    stamp[needed] = p;
                    if (v->task) {
                        v->task[v->n - 1] = -1 - needed;
                        v->in_first[v->n] = v->nedges;
                    }
                }
                if (pass && v->task) v->in[v->nedges + ends] = node_of[needed];
                ends += pass;
            }
            v->nedges += ends;
            v->n += pass;
            if (pass && v->task) {
                v->task[v->n - 1] = t;
                v->in_first[v->n] = v->nedges;
            }
        }
}

static void turn_edges(rw_nodes *v)
{
    for (int e = 0; e < v->nedges; ++e) v->out_first[v->in[e] + 2]++;
    for (int i = 0; i < v->n; ++i) v->out_first[i + 2] += v->out_first[i + 1];
    for (int i = 0; i < v->n; ++i)
        for (int e = v->in_first[i]; e < v->in_first[i + 1]; ++e) v->out[v->out_first[v->in[e] + 1]++] = i;
}

static rw_status make_nodes(const rw_depgraph *g, const rw_partition *p, rw_nodes *v)
{
    size_t tasks = (size_t)RW_MAX(g->ntasks, 1);
    int *member = rw_calloc(tasks, sizeof(int)), *first = rw_calloc((size_t)p->nparts + 2, sizeof(int));
    int *node_of = rw_calloc(tasks, sizeof(int)), *stamp = rw_calloc(tasks, sizeof(int));
    rw_status status = RW_OK;
    *v = (rw_nodes){0};
    if (!member || !first || !node_of || !stamp) RW_TRY_GOTO(fail_nodes(g, v), done);
    list_members(g, p, member, first);
    for (int round = 0; round < 2; ++round) { /* count, then make */
        v->n = v->nedges = 0;
        for (int t = 0; t < g->ntasks; ++t) stamp[t] = -1;
        for (int i = 0; i < p->nparts; ++i) {
            if (round) v->first[i] = v->n;
            add_part(g, p, i, member + first[i], first[i + 1] - first[i], v, node_of, stamp);
        }
        if (round) break;
        size_t n = (size_t)v->n + 2, edges = (size_t)RW_MAX(v->nedges, 1);
        v->first = rw_calloc((size_t)p->nparts + 1, sizeof(int));
        v->task = rw_calloc(n, sizeof(int));
        v->in = rw_calloc(edges, sizeof(int));
        v->out = rw_calloc(edges, sizeof(int));
        v->in_first = rw_calloc(n, sizeof(int));
        v->out_first = rw_calloc(n, sizeof(int));
        v->colour = rw_calloc(n, sizeof *v->colour);
        if (!v->first || !v->task || !v->in || !v->out || !v->in_first || !v->out_first || !v->colour)
            RW_TRY_GOTO(fail_nodes(g, v), done);
    }
    v->first[p->nparts] = v->n;
    turn_edges(v);
done:
    rw_free(member);
    rw_free(first);
    rw_free(node_of);
    rw_free(stamp);
    return status;
}

/* ---- colours ----------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t a, uint64_t b) { return rw_random_u64(a, b); }

static int count_colours(const rw_nodes *v, keyed *work)
{
    int n = 0;
    for (int i = 0; i < v->n; ++i) work[i] = (keyed){v->colour[i], 0};
    sort(work, v->n);
    for (int i = 0; i < v->n; ++i) n += !i || work[i].key != work[i - 1].key;
    return n;
}

static void sweep(rw_nodes *v)
{
    for (int i = 0; i < v->n; ++i) {
        uint64_t sum = 0;
        for (int e = v->in_first[i]; e < v->in_first[i + 1]; ++e) sum += mix(1, v->colour[v->in[e]]);
        v->colour[i] = mix(v->colour[i], sum);
    }
    for (int i = v->n - 1; i >= 0; --i) {
        uint64_t sum = 0;
        for (int e = v->out_first[i]; e < v->out_first[i + 1]; ++e) sum += mix(2, v->colour[v->out[e]]);
        v->colour[i] = mix(v->colour[i], sum);
    }
}

static void refine(const rw_depgraph *g, rw_nodes *v, keyed *work)
{
    for (int i = 0; i < v->n; ++i) v->colour[i] = v->task[i] < 0 ? 1 : mix(3, g->task[v->task[i]].hash);
    for (int s = 0, before = -1, now = count_colours(v, work); s < SWEEPS && now > before; ++s) {
        before = now;
        sweep(v);
        now = count_colours(v, work);
    }
}

/* ---- components -------------------------------------------------------------------------------------------------- */

/* Connected sets of nodes, part by part. */
typedef struct components {
    int n;
    int *first; /* [n + 1] nodes of a component */
    int *node;  /* sorted by colour */
    int *part;  /* [nparts + 1] components of a part */
    int *class_of;
} components;

static void free_components(components *c)
{
    rw_free(c->first);
    rw_free(c->node);
    rw_free(c->part);
    rw_free(c->class_of);
}

static int add_component(const rw_nodes *v, int start, int *node, int n, bool *seen)
{
    node[n] = start;
    seen[start] = true;
    int end = n + 1;
    for (int i = n; i < end; ++i)
        for (int side = 0; side < 2; ++side) {
            const int *list = side ? v->out : v->in, *first = side ? v->out_first : v->in_first;
            for (int e = first[node[i]]; e < first[node[i] + 1]; ++e)
                if (!seen[list[e]]) {
                    seen[list[e]] = true;
                    node[end++] = list[e];
                }
        }
    return end;
}

static rw_status find_components(const rw_depgraph *g, const rw_nodes *v, int nparts, keyed *work, components *c)
{
    size_t n = (size_t)v->n + 1;
    *c = (components){.first = rw_calloc(n, sizeof(int)),
                      .node = rw_calloc(n, sizeof(int)),
                      .class_of = rw_calloc(n, sizeof(int)),
                      .part = rw_calloc((size_t)nparts + 1, sizeof(int))};
    bool *seen = rw_calloc(n, sizeof *seen);
    if (!c->first || !c->node || !c->part || !c->class_of || !seen) {
        rw_free(seen);
        return fail_nodes(g, v);
    }
    for (int p = 0; p < nparts; ++p) {
        for (int i = v->first[p]; i < v->first[p + 1]; ++i) {
            if (seen[i]) continue;
            int first = c->first[c->n], end = add_component(v, i, c->node, first, seen);
            for (int k = first; k < end; ++k) work[k - first] = (keyed){v->colour[c->node[k]], c->node[k]};
            sort(work, end - first);
            for (int k = first; k < end; ++k) c->node[k] = work[k - first].number;
            c->first[++c->n] = end;
        }
        c->part[p + 1] = c->n;
    }
    rw_free(seen);
    return RW_OK;
}

/* Components of one sum of colours: each is compared with one of each class found among them. example[class];
 * *nclasses. */
static rw_status classify_group(rw_matching *m, components *c, const keyed *group, int n, int *example, int *nclasses)
{
    int before = *nclasses;
    for (int i = 0; i < n; ++i) {
        int b = group[i].number, size = c->first[b + 1] - c->first[b], k = before;
        for (bool equal = false; k < *nclasses; ++k) {
            int a = c->first[example[k]];
            if (c->first[example[k] + 1] - a == size)
                RW_TRY(rw_matching_compare(m, c->node + a, c->node + c->first[b], size, &equal));
            if (equal) break;
        }
        if (k == *nclasses) example[(*nclasses)++] = b;
        c->class_of[b] = k;
    }
    return RW_OK;
}

static rw_status classify(rw_matching *m, const rw_nodes *v, components *c, keyed *work, int *example)
{
    int nclasses = 0;
    for (int i = 0; i < c->n; ++i) {
        work[i] = (keyed){0, i};
        for (int k = c->first[i]; k < c->first[i + 1]; ++k) work[i].key += mix(4, v->colour[c->node[k]]);
    }
    sort(work, c->n);
    for (int i = 0, end; i < c->n; i = end) {
        for (end = i + 1; end < c->n && work[end].key == work[i].key;) ++end;
        RW_TRY(classify_group(m, c, work + i, end - i, example, &nclasses));
    }
    return RW_OK;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static bool same_classes(const components *c, int a, int b)
{
    int n = c->part[a + 1] - c->part[a];
    return n == c->part[b + 1] - c->part[b] &&
           !memcmp(c->class_of + c->part[a], c->class_of + c->part[b], (size_t)n * sizeof(int));
}

static int compare_numbers(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Numbers of structures in the order of the parts. first[structure]: a part. */
static void number_structures(rw_partition *p, components *c, keyed *work, int *first)
{
    int *same = first + p->nparts; /* by part: the first one that is equal */
    for (int i = 0; i < p->nparts; ++i) {
        qsort(c->class_of + c->part[i], (size_t)(c->part[i + 1] - c->part[i]), sizeof(int), compare_numbers);
        work[i] = (keyed){0, i};
        for (int k = c->part[i]; k < c->part[i + 1]; ++k) work[i].key += mix(5, (uint64_t)c->class_of[k]);
    }
    sort(work, p->nparts);
    for (int i = 0, end; i < p->nparts; i = end) {
        int n = 0;
        for (end = i; end < p->nparts && work[end].key == work[i].key; ++end) {
            int k = 0, part = work[end].number;
            while (k < n && !same_classes(c, first[k], part)) ++k;
            if (k == n) first[n++] = part;
            same[part] = first[k];
        }
    }
    for (int i = 0; i < p->nparts; ++i) p->structure[i] = same[i] == i ? p->nstructures++ : p->structure[same[i]];
}

rw_status rw_partition_structures(const rw_depgraph *g, rw_partition *p, long most)
{
    rw_nodes v;
    components c = {0};
    rw_matching *m = NULL;
    keyed *work = NULL;
    int *room = NULL;
    size_t nparts = (size_t)RW_MAX(p->nparts, 1);
    p->structure = rw_calloc(nparts, sizeof *p->structure);
    rw_status status = make_nodes(g, p, &v);
    if (status != RW_OK) goto done;
    work = rw_calloc((size_t)v.n + nparts, sizeof *work);
    room = rw_calloc((size_t)v.n + 2 * nparts, sizeof *room);
    if (!work || !room || !p->structure) RW_TRY_GOTO(fail_nodes(g, &v), done);
    refine(g, &v, work);
    RW_TRY_GOTO(find_components(g, &v, p->nparts, work, &c), done);
    RW_TRY_GOTO(rw_matching_create(g, &v, most, &m), done);
    RW_TRY_GOTO(classify(m, &v, &c, work, room), done);
    number_structures(p, &c, work, room);
done:
    rw_matching_destroy(&m);
    free_components(&c);
    free_nodes(&v);
    rw_free(work);
    rw_free(room);
    return status;
}
