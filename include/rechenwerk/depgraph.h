/* Dependency graphs: tasks of a computation and the dependencies among them; which tasks may run concurrently, and how
 * they may be grouped into kernels.
 *
 *   task t_1 … t_N; dependency (t_i, t_j): t_j needs the output of t_i
 *   path from t_a to t_b: a chain of at least one dependency. t_b is independent of t_a if there is none
 *   separate (convex) set of tasks: every path between two of its tasks stays inside, so that it can run as a whole
 *   kernel: runs separate sets of one structure, one group (thread block) per set. Sets that do not depend on each
 *       other run concurrently
 *
 *   rw_depgraph_create(ctx, &g);
 *   rw_depgraph_add_task(g, "f", "f(0,0)", &a);  rw_depgraph_add_task(g, "sum", "g(0,0)", &b);
 *   rw_depgraph_add_dependency(g, b, a);                        b needs a
 *   rw_depgraph_partition(g, part, nparts, NULL, &p);           p->accepted, p->reason, p->level, p->structure
 *
 * A graph describes one run: loops and branches are not representable. It is directed and acyclic. Graphs of 1e5 tasks
 * take seconds or less. Costs are given for V tasks and E dependencies.
 * Threads: several threads may query a graph while none changes it.
 * Source: docs/methods/depgraph.md. */
#ifndef RECHENWERK_DEPGRAPH_H
#define RECHENWERK_DEPGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "rechenwerk/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rw_depgraph rw_depgraph;

/* Creates an empty graph. Errors: ERR_MEMORY. */
RW_API rw_status rw_depgraph_create(rw_context *context, rw_depgraph **graph);
RW_API void rw_depgraph_destroy(rw_depgraph **graph);

/* Adds a task; *task (optional): its index 0, 1, 2, …
 * kind: what the task does ("f", "sum"). Tasks of one kind are interchangeable when structures are compared.
 * label: for messages and pictures.
 * Errors: ERR_ARGUMENT: kind or label is NULL, more than 2^29 - 1 tasks; ERR_MEMORY.
 * Lifetime: both texts are copied. */
RW_API rw_status rw_depgraph_add_task(rw_depgraph *graph, const char *kind, const char *label, int *task);

/* Adds a dependency: `task` needs the output of `needed`. A dependency that exists already has no effect.
 * Cost: small if needed tasks are added before the tasks that need them; otherwise up to V + E.
 * Errors: ERR_ARGUMENT: no such task; a cycle, with its path; more than 2^29 - 1 dependencies. ERR_MEMORY. The graph is
 *     then unchanged. */
RW_API rw_status rw_depgraph_add_dependency(rw_depgraph *graph, int task, int needed);

/* Numbers of tasks and of dependencies. */
RW_API int64_t rw_depgraph_tasks(const rw_depgraph *graph);
RW_API int64_t rw_depgraph_dependencies(const rw_depgraph *graph);
/* Kind and label of a task, which must exist. Lifetime: as long as the graph. */
RW_API const char *rw_depgraph_kind(const rw_depgraph *graph, int task);
RW_API const char *rw_depgraph_label(const rw_depgraph *graph, int task);

/* Finds a shortest path from one of the tasks `from` to one of `to`. *path: its tasks, both ends included; free it with
 * rw_free. *n = 0 and *path = NULL if there is none, that is, if `to` is independent of `from`.
 * Cost: V + E.
 * Errors: ERR_ARGUMENT: no such task; ERR_MEMORY. */
RW_API rw_status rw_depgraph_find_path(const rw_depgraph *graph, const int *from, int64_t nfrom, const int *to,
                                       int64_t nto, int **path, int64_t *n);

/* Tests whether a set of tasks is separate: then *n = 0. Otherwise *path is a shortest path that leaves the set and
 * returns to it, as in rw_depgraph_find_path. Cost and errors: those of rw_depgraph_find_path. */
RW_API rw_status rw_depgraph_check_separate(const rw_depgraph *graph, const int *set, int64_t nset, int **path,
                                            int64_t *n);

/* A partition of the tasks into parts. */
typedef struct rw_partition {
    int64_t ntasks, nparts;
    int *part;     /* [ntasks] part of each task, as given */
    char **name;   /* [nparts] as given, or "part 0", "part 1", … */
    bool accepted; /* every part is separate, and the parts can run one after another in some order */
    char *reason;  /* if refused: the parts and the path that prevent it; otherwise "" */
    /* if refused: the path that leaves a part and returns to it. If parts depend on each other in a cycle: the
     * dependencies from part to part, as pairs needed, task, needed, task, … */
    int *path;
    int64_t npath;
    /* the following members only if accepted, otherwise NULL and 0 */
    /* [nparts] level of each part: parts of one level do not depend on each other; a level depends on earlier levels
     * only */
    int *level, nlevels;
    /* [nparts] structure of each part: parts of one structure are equal except for the names of their tasks, so that
     * one kernel runs them */
    int *structure, nstructures;
    int64_t nlaunches; /* pairs of a level and a structure: kernels launched one after another */
} rw_partition;

/* Tests a partition and finds its levels and structures. A refused partition is a result, not an error. Destroy it with
 * rw_partition_destroy.
 * part: [tasks] 0 … nparts - 1, each of them used; -1 for a task of no part, such as a given value or a decision made
 *     on the host. Tasks of no part lie on paths and affect the order of the parts, but are in no level and no
 *     structure.
 * names: [nparts] for messages and pictures; NULL: "part 0", "part 1", …
 * Structure: the tasks of a part with their kinds, the dependencies among them, and which of them read which values
 *     from outside the part. It does not include which tasks produce these values (for a kernel they are values in
 *     memory), nor which tasks use the results of the part.
 * Cost: V + E to accept; otherwise up to V + E for each part on or after a cycle, to find one that is not separate.
 *     Structures: colour refinement in up to 32 sweeps of E + V log V, then an exact comparison of each connected
 *     component of a part with one of the same colours, by backtracking. For tiles of grids, trees, sums and chains no
 *     backtracking occurs, and a comparison costs about the dependencies of the component times log V. For highly
 *     regular components that are not isomorphic it may take exponential time; it is abandoned after 10^9 steps, some
 *     seconds.
 * Errors: ERR_ARGUMENT: invalid part numbers, a name that is NULL; ERR_NOT_CONVERGED: the comparison was abandoned;
 *     ERR_MEMORY.
 * Sources: A. Kahn, Commun. ACM 5, 1962 (order); B. McKay, Congressus Numerantium 30, 1981 (structures). */
RW_API rw_status rw_depgraph_partition(const rw_depgraph *graph, const int *part, int64_t nparts,
                                       const char *const *names, rw_partition **partition);
RW_API void rw_partition_destroy(rw_partition **partition);

/* Writes the graph as text for Graphviz (`dot -Tsvg`), with a box around each part, coloured by structure. Free it with
 * rw_free.
 * partition: optional.
 * Errors: ERR_ARGUMENT: the partition of another graph; ERR_MEMORY. */
RW_API rw_status rw_depgraph_dot(const rw_depgraph *graph, const rw_partition *partition, char **text);

#ifdef __cplusplus
}
#endif
#endif
