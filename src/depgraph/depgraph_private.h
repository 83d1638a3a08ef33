/* What the files of dependency graphs share. graph.c: tasks, dependencies, an order that is kept while they are added;
 * path.c: searches; partition.c: parts and their order; structure.c, matching.c: which parts are equal; dot.c:
 * pictures. pairing.h is of its own: rows and columns of a pattern instead of tasks. */
#ifndef RW_DEPGRAPH_PRIVATE_H
#define RW_DEPGRAPH_PRIVATE_H

#include "core/core.h"
#include "rechenwerk/depgraph.h"

/* A dependency, in two lists: those with the same needed task, and those of the same task. */
typedef struct rw_dependency {
    int needed, task;
    int next_user, next_need; /* -1: the last */
} rw_dependency;

typedef struct rw_task {
    char *kind, *label;
    uint64_t hash;    /* of the kind */
    int users, needs; /* first dependency of the lists; -1: none */
    int nusers, nneeds;
    int previous, next; /* neighbours in an order in which each task comes after those it needs; -1: none */
    uint64_t place;     /* grows along the order */
} rw_task;

struct rw_depgraph {
    rw_context *ctx;
    rw_task *task;
    int first, last; /* of the order; -1: none */
    rw_dependency *dependency;
    int *mark, *queue, now; /* of rw_depgraph_add_dependency: a mark a task, room for two queues */
    int ntasks, capacity, mark_capacity, queue_capacity, ndependencies, dependencies_capacity;
};

#define RW_IN_ORDER(g, t) for (int t = (g)->first; t >= 0; t = (g)->task[t].next)

#define RW_EACH_USER(g, d, of) for (int d = (g)->task[of].users; d >= 0; d = (g)->dependency[d].next_user)
#define RW_EACH_NEED(g, d, of) for (int d = (g)->task[of].needs; d >= 0; d = (g)->dependency[d].next_need)

/* path.c. Marks and a queue for a walk; what was marked before `now` was raised counts as unmarked. */
typedef struct rw_walk {
    int *mark, *before, *queue; /* by task; `before`: where the walk came from, -1 a start */
    int now, nqueue;
} rw_walk;
rw_status rw_walk_begin(const rw_depgraph *g, rw_walk *w);
void rw_walk_end(rw_walk *w);
/* The path that ended at `task`, as rw_depgraph_find_path gives it. */
rw_status rw_walk_path(const rw_depgraph *g, const rw_walk *w, int task, int **path, int64_t *n);
/* Looks for a path that leaves a set and comes back, through tasks that `open` allows (NULL: all). inside[task] is `id`
 * for the set. */
bool rw_walk_leaves(const rw_depgraph *g, rw_walk *w, const int *set, int nset, const int *inside, int id,
                    const bool *open, int *end);
/* "g1(3,0) -> f2(4,0)", shortened in the middle when it is long. */
void rw_path_text(const rw_depgraph *g, const int *path, int n, const char *arrow, rw_text *text);

/* structure.c: p->structure and p->nstructures; at most `most` steps for one comparison. */
rw_status rw_partition_structures(const rw_depgraph *g, rw_partition *p, long most);

/* The graphs of all parts, each with nodes for the values it reads from outside, as lists of neighbours, one after the
 * other. */
typedef struct rw_nodes {
    int n, nedges;
    int *first;         /* [nparts + 1] nodes of a part */
    int *task;          /* by node; -1 - task for a value from outside */
    int *in, *in_first; /* in[in_first[v] … in_first[v + 1] - 1]: what v reads */
    int *out, *out_first;
    uint64_t *colour; /* by node; nodes of different colours cannot take each other's place */
} rw_nodes;

/* matching.c: whether two connected sets of n nodes, each sorted by colour, are equal up to the names of tasks. */
typedef struct rw_matching rw_matching;
rw_status rw_matching_create(const rw_depgraph *g, const rw_nodes *v, long most, rw_matching **matching);
void rw_matching_destroy(rw_matching **matching);
rw_status rw_matching_compare(rw_matching *m, const int *a, const int *b, int n, bool *equal);

#endif
