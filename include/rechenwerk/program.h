/* Programs: kernels in the group dialect (docs/dev/dialect.md), specialised by definitions and compiled at run time,
 * for C programs with kernels of their own. Equations never get here as text: they reach a compiler as checked graphs
 * only.
 *
 *   rw_program_create(dev, "scale", text, &(rw_define){"GROUP", "256"}, 1, &program);
 *   rw_program_kernel(program, "scale", &kernel);
 *   rw_launch(queue, kernel, (int64_t[]){groups, 1, 1}, (rw_arg[]){rw_arg_array(x), rw_arg_real(2)}, 2); */
#ifndef RECHENWERK_PROGRAM_H
#define RECHENWERK_PROGRAM_H

#include <stdbool.h>

#include "rechenwerk/array.h"
#include "rechenwerk/core.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rw_program rw_program;
typedef struct rw_kernel rw_kernel;

typedef struct rw_define {
    const char *name, *value;
} rw_define;

/* Compiles `text` for the device with the definitions, or takes the program from this process or from the cache on
 * disk. name: used in messages. GROUP, the number of items of a group (thread block, work group), must be defined.
 * Errors: ERR_COMPILE with kernel, line and the path of the compiler's log, also for parameters that cannot be checked
 *     (declare an array of a type that the dialect does not know GLOBAL ANY TYPE *name); ERR_UNSUPPORTED: there is no
 *     compiler, or RECHENWERK_CC is none; ERR_DEVICE: RECHENWERK_CC is not executable; ERR_FILE: the compiler cannot
 *     write; ERR_INTERRUPTED: the run of this thread was interrupted. */
RW_API rw_status rw_program_create(rw_device *device, const char *name, const char *text, const rw_define *defines,
                                   int ndefines, rw_program **program);
/* Drops the caller's reference and sets *program to NULL. Recorded sequences retain the programs of their kernels. */
RW_API void rw_program_destroy(rw_program **program);

/* A kernel of the program; it lives as long as the program. */
RW_API rw_status rw_program_kernel(rw_program *program, const char *name, rw_kernel **kernel);

/* Argument of a launch: an array for a GLOBAL pointer, a number for a value. Numbers are converted to the declared
 * type: real types are rounded; int and long accept integers in their range only; real types accept no imaginary
 * part. */
typedef struct rw_arg {
    rw_array *array; /* NULL: a number */
    double re, im;
    int64_t integer;
    bool is_integer;
    bool is_memory; /* all of the memory of a view, from its beginning */
} rw_arg;
static inline rw_arg rw_arg_array(rw_array *array)
{
    rw_arg a = {array, 0, 0, 0, false, false};
    return a;
}
/* Passes the whole memory of a view; the kernel addresses its elements by rw_array_offset and rw_array_stride. */
static inline rw_arg rw_arg_memory(rw_array *array)
{
    rw_arg a = {array, 0, 0, 0, false, true};
    return a;
}
static inline rw_arg rw_arg_real(double value)
{
    rw_arg a = {NULL, value, 0, 0, false, false};
    return a;
}
static inline rw_arg rw_arg_complex(double re, double im)
{
    rw_arg a = {NULL, re, im, 0, false, false};
    return a;
}
static inline rw_arg rw_arg_int(int64_t value)
{
    rw_arg a = {NULL, (double)value, 0, value, true, false};
    return a;
}

/* Launches groups[0] x groups[1] x groups[2] groups of the kernel in the queue, without waiting. Arrays are copied to
 * the device if their host copy is newer. Arrays of pointers without const count as written. An empty grid launches
 * nothing. Errors: ERR_ARGUMENT: number, type or size of arguments, with the parameter; ERR_LAUNCH; ERR_MEMORY. */
RW_API rw_status rw_launch(rw_queue *queue, rw_kernel *kernel, const int64_t groups[3], const rw_arg *args, int nargs);

/* The program cache on disk. */
typedef struct rw_cache_info {
    char folder[1024];
    int64_t entries, bytes;
} rw_cache_info;
RW_API rw_status rw_cache_describe_sized(rw_context *context, rw_cache_info *info, size_t info_size);
#define rw_cache_describe(...) rw_cache_describe_sized(__VA_ARGS__, sizeof(rw_cache_info))
RW_API rw_status rw_cache_clear(rw_context *context, int64_t *removed);

/* ---- dependency graphs ------------------------------------------------------------------------------------------- */

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
