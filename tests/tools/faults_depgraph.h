/* Rows of test_faults.c: dependency graphs: three stages of four points, added from the last on. */

enum { POINTS = 4, STAGES = 3, TASKS = POINTS * STAGES };
static int part_of[TASKS];

static rw_status call_graph(void)
{
    graph = poison;
    return made(rw_depgraph_create(ctx, &graph), &graph);
}
static void add_tasks(void)
{
    for (int t = 0; t < TASKS; ++t) {
        OK(rw_depgraph_add_task(graph, "f", "point", NULL));
        part_of[t] = t / POINTS * 2 + t % POINTS / 2;
    }
}
static void add_dependencies(int from)
{
    for (int t = from; t < TASKS - POINTS; ++t)
        for (int k = -1; k <= 1; ++k)
            if (t % POINTS + k >= 0 && t % POINTS + k < POINTS)
                OK(rw_depgraph_add_dependency(graph, t, t + POINTS + k));
}
static void before_tasks(void)
{
    OK(rw_depgraph_create(ctx, &graph));
    add_tasks();
}
static void before_graph(void)
{
    before_tasks();
    add_dependencies(0);
}
static void after_graph(void)
{
    rw_partition_destroy(&partition);
    rw_depgraph_destroy(&graph);
    free(chain), chain = NULL;
}
static void note_graph(void)
{
    note("%d %d", rw_depgraph_tasks(graph), rw_depgraph_dependencies(graph));
    for (int t = 0; t < rw_depgraph_tasks(graph); ++t)
        note("%s %s", rw_depgraph_kind(graph, t), rw_depgraph_label(graph, t));
}
static void result_graph(void)
{
    if (!rw_depgraph_tasks(graph)) add_tasks();
    add_dependencies(1);
    note_graph();
}
static rw_status call_add_task(void)
{
    int task;
    return rw_depgraph_add_task(graph, "sum", "last", &task);
}
static rw_status call_add_dependency(void)
{
    RW_TRY(rw_depgraph_add_dependency(graph, 0, 4));
    return rw_depgraph_add_dependency(graph, 0, 5);
}
static rw_status call_find_path(void)
{
    static const int from[] = {8, 9}, to[] = {2, 3};
    chain = poison;
    rw_status status = made(rw_depgraph_find_path(graph, from, 2, to, 2, &chain, &count), &chain);
    if (status != RW_OK) chain = NULL;
    return status;
}
static rw_status call_check_separate(void)
{
    static const int set[] = {0, 8};
    chain = poison;
    rw_status status = made(rw_depgraph_check_separate(graph, set, 2, &chain, &count), &chain);
    if (status != RW_OK) chain = NULL;
    return status;
}
static void result_path(void)
{
    for (int i = 0; i < count; ++i) note("%d", chain[i]);
}
static rw_status partition_as(const int *part, int n)
{
    partition = poison;
    return made(rw_depgraph_partition(graph, part, n, NULL, &partition), &partition);
}
static rw_status call_partition(void) { return partition_as(part_of, 6); }
static rw_status call_broken_partition(void)
{
    static const int part[TASKS] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
    return partition_as(part, 2);
}
static rw_status call_cyclic_partition(void)
{
    static const int part[TASKS] = {0, 1, 2, 2, 1, 0, 2, 2, 2, 2, 2, 2};
    return partition_as(part, 3);
}
static void result_partition(void)
{
    note("%d %s %d %d %d", partition->accepted, partition->reason, partition->nlevels, partition->nstructures,
         partition->nlaunches);
    for (int i = 0; i < partition->nparts; ++i) note("%s", partition->name[i]);
}
static void before_partition(void)
{
    before_graph();
    OK(call_partition());
}
TEXT_PROBE(call_dot, rw_depgraph_dot(graph, partition, &text))
static void after_dot(void) { after_text(), after_graph(); }
