/* Dependency graphs: which tasks of a computation need which, what of them may run at the same time, and how they may
 * be put into kernels (docs/methods/depgraph.md).
 *
 *   tasks t_1 … t_N; pairs (t_i, t_j): t_j needs the output of t_i
 *   a path from t_a to t_b is a chain of at least one pair; t_b is independent of t_a when there is none
 *   a set of tasks is separate (convex) when every path between two of its tasks stays inside: then it can be run as a
 *   whole
 *   a kernel runs separate sets of one structure, each by one group; sets that need nothing of each other run at the
 *   same time
 *
 *   rw_depgraph_create(ctx, &g);
 *   rw_depgraph_add_task(g, "f", "f(0,0)", &a);  rw_depgraph_add_task(g, "sum", "g(0,0)", &b);
 *   rw_depgraph_add_dependency(g, b, a);                        b needs a
 *   rw_depgraph_partition(g, part, nparts, NULL, &p);           p->accepted, p->reason, p->level, p->structure
 *
 * Loops and branches are not representable: a graph is one run. Graphs of 1e5 tasks take seconds or less; what a call
 * costs stands with it, V tasks, E dependencies. A graph that nobody changes may be asked by several threads. */
#ifndef RECHENWERK_DEPGRAPH_H
#define RECHENWERK_DEPGRAPH_H

#include <stdbool.h>

#include "rechenwerk/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rw_depgraph rw_depgraph;

/* ERR_MEMORY. */
RW_API rw_status rw_depgraph_create(rw_context *context, rw_depgraph **graph);
RW_API void rw_depgraph_destroy(rw_depgraph **graph);

/* A task; *task (optional) is its number: 0, 1, 2, … `kind` says what it does ("f", "sum"): tasks of one kind may take
 * each other's place in a structure. `label` is for messages and pictures. Both are copied. ERR_ARGUMENT: one is NULL;
 * ERR_MEMORY. */
RW_API rw_status rw_depgraph_add_task(rw_depgraph *graph, const char *kind, const char *label, int *task);

/* `task` needs the output of `needed`; said twice it counts once. ERR_ARGUMENT: a task that is not there, or a cycle,
 * with its path: the graph is as before; ERR_MEMORY. Cheap when needed tasks were added before those that need them;
 * else up to V + E. */
RW_API rw_status rw_depgraph_add_dependency(rw_depgraph *graph, int task, int needed);

RW_API int rw_depgraph_tasks(const rw_depgraph *graph);
RW_API int rw_depgraph_dependencies(const rw_depgraph *graph);
/* Of a task that is there; they live as long as the graph. */
RW_API const char *rw_depgraph_kind(const rw_depgraph *graph, int task);
RW_API const char *rw_depgraph_label(const rw_depgraph *graph, int task);

/* A shortest path from one of the tasks `from` to one of `to`: its tasks, both ends included, in *path, to be freed
 * with free(); *n = 0 and NULL when there is none, that is when `to` is independent of `from`. ERR_ARGUMENT: a task
 * that is not there; ERR_MEMORY. V + E. */
RW_API rw_status rw_depgraph_find_path(const rw_depgraph *graph, const int *from, int nfrom, const int *to, int nto,
                                       int **path, int *n);

/* Whether a set of tasks is separate: *n = 0. If not, a shortest path that leaves the set and comes back, as above. V +
 * E. */
RW_API rw_status rw_depgraph_check_separate(const rw_depgraph *graph, const int *set, int nset, int **path, int *n);

/* All tasks put into parts. */
typedef struct rw_partition {
    int ntasks, nparts;
    int *part;     /* [ntasks] as given */
    char **name;   /* [nparts] as given, or "part 0", … */
    bool accepted; /* each part is separate, and they can be run one after another */
    char *reason;  /* refused: which parts, which path; "" when accepted */
    /* refused: the path that leaves a part and comes back; where parts need each other round about, the dependencies
     * from part to part: needed, task, needed, task, … */
    int *path, npath;
    /* accepted only, else NULL and 0 */
    /* [nparts] parts of one level need nothing of each other; a level needs earlier ones only */
    int *level, nlevels;
    /* [nparts] parts of one structure are equal up to the names of their tasks: one kernel */
    int *structure, nstructures;
    int nlaunches; /* pairs of a level and a structure: kernels started, one after another */
} rw_partition;

/* part[task] is 0 … nparts - 1, each used; or -1 for a task that no part does: a given value, a decision of whoever
 * runs the parts. Such tasks take part in paths and in the order of the parts, not in levels and structures.
 * names[nparts]: for messages and pictures; NULL: "part 0", … A partition that is refused is a result, not an error.
 * ERR_ARGUMENT: part numbers as they may not be; ERR_MEMORY.
 *
 * Structure: the tasks of a part with their kinds, the dependencies among them, and which of them read which values
 * from outside. Who made these values does not count (for a kernel they are numbers in memory), nor who uses what the
 * part makes.
 *
 * Cost: V + E for whether it is accepted; if not, a part that is not separate is looked for among those that lie on or
 * after a cycle, V + E each at most. Structures: colours are refined in at most 32 sweeps of E + V log V, then each
 * connected piece of a part is compared exactly with one of those that have the same colours, by a search that goes
 * back when it was led astray. In tiles of grids, in trees, sums and chains it never is, and a comparison costs about
 * the piece's dependencies times log V; among pieces that are highly regular without being alike it may take
 * exponential time, so it ends after 10^9 steps, some seconds: ERR_NOT_CONVERGED. */
RW_API rw_status rw_depgraph_partition(const rw_depgraph *graph, const int *part, int nparts, const char *const *names,
                                       rw_partition **partition);
RW_API void rw_partition_destroy(rw_partition **partition);

/* The graph as text for Graphviz (`dot -Tsvg`): a box around each part, coloured by structure; `partition` may be NULL.
 * *text is to be freed with free(). ERR_ARGUMENT: a partition of another graph; ERR_MEMORY. */
RW_API rw_status rw_depgraph_dot(const rw_depgraph *graph, const rw_partition *partition, char **text);

#ifdef __cplusplus
}
#endif
#endif
