#include "../values.h"
/* Rows of test_faults.c: time integration. */

static rw_status create_ode(rw_ode_method method, rw_ode **o)
{
    const rw_ode_spec spec = {.name = "faults",
                              .equations = "du/dt = c*laplace(u) - u^3",
                              .grid = grid,
                              .fields = fields,
                              .nfields = 1,
                              .scalars = scalars,
                              .nscalars = 1,
                              .method = method,
                              .step = method == RW_ODE_RK4 ? 0.01 : 0,
                              .record = method == RW_ODE_RK4};
    return rw_ode_create(dev, &spec, o);
}
static rw_status call_rk4(void)
{
    ode = poison;
    return made(create_ode(RW_ODE_RK4, &ode), &ode);
}
static rw_status call_rock4(void)
{
    ode = poison;
    return made(create_ode(RW_ODE_ROCK4, &ode), &ode);
}
static rw_status call_rkc2(void)
{
    ode = poison;
    return made(create_ode(RW_ODE_RKC2, &ode), &ode);
}
static void result_steps(void)
{
    for (int i = 0; i < 2; ++i) OK(rw_ode_step(ode, 1));
    note("%.17g", rw_ode_time(ode)), note_array(x);
}
static void result_ode(void)
{
    x = new_ramp(N, 0, 0.03);
    OK(rw_ode_bind(ode, "u", x));
    result_steps();
}
static void after_ode(void)
{
    rw_ode_destroy(&ode);
    rw_array_destroy(&x);
}
static void before_ode(rw_ode_method method)
{
    OK(create_ode(method, &ode));
    x = new_ramp(N, 0, 0.03);
    OK(rw_ode_bind(ode, "u", x));
}
static void before_rk4(void) { before_ode(RW_ODE_RK4); }
static void before_rkc2(void) { before_ode(RW_ODE_RKC2); }
static void before_rock4(void) { before_ode(RW_ODE_ROCK4); }
static void before_auto(void) { before_ode(RW_ODE_AUTO); }
/* an integrator that has not chosen its method yet, and the state of one that has */
static const char *saved_names[32];
static double saved[32];
static int64_t nsaved;
static void before_load(void)
{
    before_auto();
    for (int i = 0; i < 2; ++i) OK(rw_ode_step(ode, 1));
    nsaved = rw_ode_save(ode, saved_names, saved, 32);
    after_ode();
    before_auto();
}
static rw_status call_ode_load(void) { return rw_ode_load(ode, saved_names, saved, nsaved); }
/* four steps whose states are kept; nothing can fail where arrays only exchange memory */
static double look_time, look_error;
static void before_dense(void)
{
    const rw_ode_spec spec = {.name = "faults",
                              .equations = "du/dt = c*laplace(u) - u^3",
                              .grid = grid,
                              .fields = fields,
                              .nfields = 1,
                              .scalars = scalars,
                              .nscalars = 1,
                              .method = RW_ODE_RKC2,
                              .dense = true};
    OK(rw_ode_create(dev, &spec, &ode));
    x = new_ramp(N, 0, 0.03);
    OK(rw_ode_bind(ode, "u", x));
    for (int i = 0; i < 4; ++i) OK(rw_ode_step(ode, 1));
    look_time = rw_ode_time(ode) - 0.4 * statistics_of(ode).step;
}
static rw_status call_ode_look(void) { return rw_ode_interpolate(ode, look_time, &look_error); }
static void result_look(void)
{
    note("%.17g %.17g", rw_ode_time(ode), look_error), note_array(x);
    result_steps();
}
static void before_return(void)
{
    before_dense();
    OK(call_ode_look());
    look_time -= 0.2 * statistics_of(ode).step;
}
static double ode_rate;
static rw_status call_ode_rate(void) { return rw_ode_get_rate(ode, &ode_rate, NULL); }
static void result_rate(void)
{
    note("%.17g", ode_rate);
    result_steps();
}
static rw_status call_ode_return(void) { return rw_ode_restore(ode); }
static rw_status call_ode_undo(void) { return rw_ode_undo(ode); }
static void before_third_step(void)
{
    before_rkc2();
    for (int i = 0; i < 2; ++i) OK(rw_ode_step(ode, 1));
}
/* a pinned array: the method makes its own arrays anew */
static void before_pinned(void)
{
    before_rkc2();
    void *w;
    rw_array *pinned = new_array(RW_F64, N, RW_MEMORY_PINNED);
    OK(rw_array_write(pinned, &w));
    for (int i = 0; i < N; ++i) ((double *)w)[i] = 0.1 + 0.01 * i;
    y = x, x = pinned;
}
static rw_status call_ode_bind(void) { return rw_ode_bind(ode, "u", x); }
static void after_pinned(void)
{
    after_ode();
    rw_array_destroy(&y);
}
static rw_status call_ode_set(void) { return rw_ode_set(ode, "c", 1.25); }
static rw_status call_ode_method(void)
{
    rw_ode_method method;
    const rw_status status = rw_ode_get_method(ode, &method, NULL);
    count = (int)method;
    return status;
}
static rw_status call_ode_statistics(void)
{
    rw_ode_statistics all;
    const rw_status status = rw_ode_get_statistics(ode, &all);
    count = (int)all.steps;
    return status;
}
static rw_status call_ode_step(void) { return rw_ode_step(ode, 1); }
TEXT_PROBE(call_ode_explain, rw_ode_explain(ode, &text))
static void after_ode_text(void) { after_text(), after_ode(); }
static rw_status call_ode_depgraph(void)
{
    text = poison, graph = poison, partition = poison;
    rw_status status = made(made(made(rw_ode_depgraph(ode, 6, &graph, &partition, &text), &text), &graph), &partition);
    return status;
}
static void result_ode_depgraph(void)
{
    note("%s", text);
    result_partition();
    result_steps();
}
static void after_ode_depgraph(void) { after_graph(), after_ode_text(); }
