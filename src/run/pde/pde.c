/* The problem pde as the runner sees it: reading the case, stepping, rows of series.csv, saving and loading. */
#include "run/pde/pde.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RW_SECTION_PREFIX(section) pde_##section
#define RW_SECTION_DEF "run/pde/pde.def"
#define RW_SECTION_TABLE_NAME pde_sections
#include "run/section_table.h"

static void destroy(rw_problem **problem)
{
    pde_problem *p = (pde_problem *)*problem;
    *problem = NULL;
    if (!p) return;
    rw_ode_destroy(&p->ode);
    rw_elliptic_destroy(&p->elliptic);
    rw_checks_free(&p->checks);
    rw_expr_destroy(&p->initial);
    pde_free_data(p);
    rw_free(p->values);
    for (int i = 0; i < p->nowned; ++i) rw_free(p->owned[i]);
    rw_free(p->owned);
    pde_free_derived(p);
    rw_state_free(&p->state);
    rw_free(p->fields);
    rw_free(p->readable);
    rw_free(p->sides);
    rw_free(p->parts);
    rw_free(p->scalars);
    rw_free(p->units);
    rw_free(p->equations);
    rw_functions_free(&p->functions);
    rw_device_close(&p->device);
    rw_free(p);
}

/* Entry f of the fields; one whose name cannot be is left out. */
static rw_status read_field(const rw_case *c, pde_problem *p, const rw_tree *map, int entry_index, int precision)
{
    rw_context *ctx = rw_case_context(c);
    const char *name = map->keys[entry_index];
    pde_fields entry;
    char where[256];
    int f = p->nfields;
    rw_tree key = {.source = map->items[entry_index]->source,
                   .line = map->key_place[entry_index].line,
                   .column = map->key_place[entry_index].column};
    rw_tree_place(&key, where, sizeof where);
    RW_TRY(rw_check_name_on(ctx, &p->grid, where, name));
    for (int i = 0; i < p->nscalars; ++i)
        if (!strcmp(p->scalars[i].name, name))
            return rw_case_fail_key(c, map, entry_index, "%s is both a field and a parameter", name);
    p->fields[f].name = name;
    p->nfields = f + 1;
    p->units[f] = "";
    const rw_tree *type = rw_tree_get(map->items[entry_index], "type");
    const bool real = !type || type->kind != RW_TREE_SCALAR || !strcmp(type->text, "real"); /* misspelled: complex */
    p->fields[f].dtype = real ? precision ? RW_F32 : RW_F64 : precision ? RW_C64 : RW_C128;
    RW_TRY(rw_case_entry(c, "fields", entry_index, &entry));
    p->units[f] = entry.unit;
    if (entry.boundary && p->grid.ndim == 0)
        return rw_case_fail(c, entry.boundary,
                            "fields.%s.boundary: there is no space (grid: none), and no sides: omit boundary, or give "
                            "the grid a size",
                            name);
    return pde_read_boundary(c, p, f, entry.boundary);
}

static rw_status read_fields(const rw_case *c, pde_problem *p, int precision)
{
    rw_context *ctx = rw_case_context(c);
    const rw_tree *map = rw_case_node(c, "fields");
    if (!map || !map->n) return rw_case_fail(c, NULL, "there are no fields: add fields: {u: {initial: \"0\"}}");
    size_t n = (size_t)map->n;
    p->fields = rw_calloc(n, sizeof *p->fields);
    p->units = rw_calloc(n, sizeof *p->units);
    p->sides = rw_calloc(6 * n, sizeof *p->sides);
    p->parts = rw_calloc(6 * n, sizeof *p->parts);
    if (!p->fields || !p->units || !p->sides || !p->parts) return rw_fail_memory(ctx, n * 64, "fields");
    for (int i = 0; i < map->n; ++i) RW_NOTE(ctx, read_field(c, p, map, i, precision));
    RW_NOTE(ctx, pde_check_parts(c, p, map));
    return RW_OK;
}

/* The grid, and the fields on it; with a device their arrays. */
static rw_status make_fields(pde_problem *p, rw_memory memory)
{
    rw_layout *g = &p->base.grid;
    g->kind = p->grid.ndim ? RW_LAYOUT_GRID : RW_LAYOUT_VALUE;
    g->ndim = p->grid.ndim;
    for (int d = 0; d < 3; ++d) {
        g->size[d] = p->grid.size[d];
        g->spacing[d] = p->grid.spacing[d];
        g->origin[d] = p->grid.origin[d];
        snprintf(g->axis[d], sizeof g->axis[d], "%c", "xyz"[d]);
    }
    p->state.device = p->device;
    p->base.end = p->time.end;
    p->base.domain = pde_domain(p);
    for (int f = 0; f < p->nfields; ++f)
        RW_TRY(rw_state_add(&p->state, p->fields[f].name, p->units[f], p->fields[f].dtype, g, memory));
    rw_problem_take_state(&p->base, &p->state);
    return RW_OK;
}

rw_ode_spec pde_ode_spec(const rw_case *c, const pde_problem *p)
{
    rw_ode_spec spec = p->time;
    spec.name = rw_case_file(c);
    spec.line = 1;
    spec.column = 1;
    spec.equations = p->equations;
    spec.grid = p->grid;
    spec.order = p->order;
    spec.layout = p->layout;
    spec.fields = p->fields;
    spec.nfields = p->nfields;
    spec.scalars = p->scalars;
    spec.nscalars = p->nscalars;
    spec.externals = p->data;
    spec.nexternals = p->ndata;
    spec.dense = p->dense;
    return spec;
}

static rw_status make_check(void *user, const rw_expr_spec *given, rw_expr **e)
{
    pde_problem *p = user;
    const rw_expr_spec spec = pde_program_spec(p, given);
    RW_TRY(rw_expr_create(p->device, &spec, e));
    return pde_bind_program(p, *e);
}

static rw_status check(rw_problem *problem, const rw_problem_check **list, int *n)
{
    pde_problem *p = (pde_problem *)problem;
    *list = p->checks.list;
    *n = p->checks.n;
    return rw_checks_run(&p->checks, rw_device_queue(p->device), pde_time_now(p));
}

/* In the order of their first use, in which they are compiled. */
static rw_status make_programs(const rw_case *c, pde_problem *p)
{
    run_top top;
    RW_TRY(rw_case_section(c, "top", &top));
    const rw_memory memory = top.memory ? RW_MEMORY_MANAGED : RW_MEMORY_DEVICE;
    RW_TRY(make_fields(p, memory));
    RW_TRY(pde_make_data(c, p, memory));
    RW_TRY(pde_set_initial(c, p));
    RW_TRY(pde_observe(c, p));
    rw_problem_take_state(&p->base, &p->state);
    RW_TRY(pde_make_derived(c, p, memory));
    RW_TRY(pde_make_solver(c, p, true));
    return rw_checks_read(c, p->scalars, p->nscalars, make_check, p, &p->checks);
}

static rw_status make_state(const rw_case *c, pde_problem *p)
{
    if (*p->why_cell) rw_log(p->ctx, RW_LOG_WARNING, "%s", p->why_cell);
    RW_TRY(make_programs(c, p));
    RW_TRY(pde_fill_data(c, p));
    if (p->initial) RW_TRY(rw_expr_run(p->initial, rw_device_queue(p->device)));
    rw_expr_destroy(&p->initial);
    if (p->ode) RW_TRY(rw_ode_settle(p->ode));
    RW_TRY(pde_check_initial(c, p));
    return pde_find_residual(p);
}

/* The runner's setting decides which steps need dense output. */
static rw_status read_dense(const rw_case *c, pde_problem *p)
{
    run_output output;
    RW_TRY(rw_case_section(c, "output", &output));
    p->dense = output.interpolate > 0;
    if (!p->dense || p->time.method != RW_ODE_RK4) return RW_OK;
    return rw_case_fail(c, rw_case_node(c, "output.interpolate"),
                        "output.interpolate = %g with time.method = rk4: only methods with error control have "
                        "dense output: choose one of them, or omit output.interpolate",
                        output.interpolate);
}

static pde_problem *allocate(const rw_case *c, rw_device *dev)
{
    pde_problem *p = rw_calloc(1, sizeof *p);
    if (!p) {
        rw_fail_memory(rw_case_context(c), sizeof *p, "a problem");
        return NULL;
    }
    p->base.ops = &rw_pde_ops;
    p->ctx = rw_case_context(c);
    p->device = dev ? rw_device_retain(dev) : NULL;
    return p;
}

/* The section grid. *good: false where it is wrong, which has been noted. Then it has the dimension of its size, or 3
 * where size does not give one: all names of coordinates and sides are known then. */
static rw_status read_grid(const rw_case *c, pde_grid *grid, bool *good)
{
    rw_status status = rw_case_section(c, "grid", grid);
    const rw_tree *size = rw_case_node(c, "grid.size");
    *good = status == RW_OK && size; /* without size the table of settings has noted it, and the rest is read */
    if (*good) return RW_OK;
    if (status != RW_OK && !rw_mistake(rw_case_context(c), status)) return status;
    *grid = (pde_grid){.order = 2, .extent = {1, {1}}, .origin = {1, {0}}};
    bool has_dimension = size && size->kind == RW_TREE_LIST && size->n >= 1 && size->n <= 3;
    grid->size.n = has_dimension ? size->n : 3;
    for (int d = 0; d < 3; ++d) grid->size.value[d] = 4;
    return RW_OK;
}

/* The section time; a missing time.end has been noted. */
static rw_status read_time(const rw_case *c, pde_problem *p)
{
    const rw_tree *start = rw_case_node(c, "time.start"), *end = rw_case_node(c, "time.end");
    double number;
    p->no_start = start && !(rw_tree_number(start, &number) && isfinite(number));
    p->no_time = true;
    RW_TRY(rw_case_section(c, "time", &p->time));
    p->no_time = false;
    if (!end || p->time.end > p->time.start) return RW_OK; /* steady: infinity */
    return rw_case_fail(c, end, "time.end = %g is not after time.start = %g", p->time.end, p->time.start);
}

/* Everything that needs no device. */
static rw_status read_case(const rw_case *c, pde_problem *p)
{
    rw_context *ctx = rw_case_context(c);
    pde_grid grid;
    bool good;
    RW_TRY(read_grid(c, &grid, &good));
    RW_NOTE(ctx, read_time(c, p));
    p->grid.ndim = (int)grid.size.n;
    p->order = (int)grid.order;
    p->layout = (rw_grid_layout)grid.layout;
    RW_NOTE(ctx, read_dense(c, p));
    RW_NOTE(ctx, rw_functions_read(c, &p->functions));
    RW_TRY(rw_read_parameters(c, p->grid.ndim, &p->scalars, &p->nscalars));
    int mistakes = rw_mistakes_met();
    RW_TRY(read_fields(c, p, grid.precision));
    RW_NOTE(ctx, pde_read_data(c, p, grid.precision));
    good = good && mistakes == rw_mistakes_met();
    if (good) {
        mistakes = rw_mistakes_met();
        RW_NOTE(ctx, pde_make_grid(c, p, &grid));
        good = mistakes == rw_mistakes_met();
    }
    p->no_grid = !good;
    if (p->nfields) pde_continue_data(p);
    RW_TRY(pde_list_readable(p));
    for (int d = 0; d < 3 && !good; ++d) { /* what is wrong has been noted: a grid that serves the other checks */
        p->grid.size[d] = d < p->grid.ndim ? grid.size.value[d] : 1;
        p->grid.spacing[d] = 1;
        p->grid.origin[d] = 0;
    }
    RW_NOTE(ctx, pde_join_texts(c, p));
    RW_NOTE(ctx, pde_find_kind(c, p));
    return RW_OK;
}

static rw_status inspect(const rw_case *c)
{
    pde_problem *p = allocate(c, NULL);
    if (!p) return RW_ERR_MEMORY;
    rw_problem *base = &p->base;
    rw_status status = read_case(c, p);
    if (status == RW_OK) status = pde_inspect_texts(c, p);
    if (status == RW_OK) status = pde_inspect_outputs(c, p);
    destroy(&base);
    return status;
}

static rw_status outline(const rw_case *c, rw_problem **problem)
{
    pde_problem *p = allocate(c, NULL);
    *problem = &p->base;
    if (!p) return RW_ERR_MEMORY;
    rw_status status = read_case(c, p);
    if (status == RW_OK) status = pde_read_derived(c, p);
    if (status == RW_OK) status = make_fields(p, RW_MEMORY_DEVICE);
    if (status == RW_OK) status = pde_make_derived(c, p, RW_MEMORY_DEVICE);
    if (status != RW_OK) destroy(problem);
    return status;
}

static rw_status create(const rw_case *c, rw_device *dev, bool estimate, int64_t *bytes_needed, rw_problem **problem)
{
    if (problem) *problem = NULL;
    pde_problem *p = allocate(c, dev);
    if (!p) return RW_ERR_MEMORY;
    rw_problem *base = &p->base;
    rw_status status = read_case(c, p);
    if (status == RW_OK) status = pde_read_derived(c, p);
    if (status == RW_OK) {
        const rw_ode_spec spec = pde_ode_spec(c, p);
        *bytes_needed = (p->algebraic ? pde_solver_bytes(c, p) : rw_ode_bytes(&spec)) + pde_derived_bytes(p);
        if (!estimate) status = make_state(c, p);
    }
    if (status == RW_OK && !estimate) *problem = base;
    else destroy(&base);
    return status;
}

static rw_status forecast(const rw_case *c, rw_device *dev, double steps, double evaluations, rw_problem_forecast *f)
{
    pde_problem *p = allocate(c, dev);
    if (!p) return RW_ERR_MEMORY;
    rw_problem *base = &p->base;
    rw_status status = read_case(c, p);
    if (status == RW_OK) status = pde_read_masks(p);
    if (status == RW_OK) {
        rw_programs_plan_only(true);
        status = pde_make_solver(c, p, false);
        if (status == RW_OK) status = pde_forecast(c, p, steps, evaluations, f);
        destroy(&base);
        rw_programs_plan_only(false);
        return status;
    }
    destroy(&base);
    return status;
}

static rw_status step(rw_problem *problem, double t_limit)
{
    return rw_ode_step(((pde_problem *)problem)->ode, t_limit);
}
static double time_now(const rw_problem *p) { return rw_ode_time(((const pde_problem *)p)->ode); }
static rw_ode_statistics statistics_of(const rw_ode *ode)
{
    rw_ode_statistics s = {0};
    if (ode) rw_ode_get_statistics(ode, &s);
    return s;
}

static int64_t steps(const rw_problem *p) { return statistics_of(((const pde_problem *)p)->ode).steps; }
static bool has_dense_output(const rw_problem *p) { return rw_ode_has_dense_output(((const pde_problem *)p)->ode); }
static rw_status interpolate(rw_problem *p, double t, double *error)
{
    return rw_ode_interpolate(((pde_problem *)p)->ode, t, error);
}
static rw_status restore(rw_problem *p) { return rw_ode_restore(((pde_problem *)p)->ode); }
static rw_status undo(rw_problem *p) { return rw_ode_undo(((pde_problem *)p)->ode); }

static rw_status row(rw_problem *problem, double *values)
{
    pde_problem *p = (pde_problem *)problem;
    const rw_ode_statistics s = p->ode ? statistics_of(p->ode) : (rw_ode_statistics){0};
    pde_set_numbers(p, &s);
    if (!p->base.stationary) return rw_state_row(&p->state, rw_ode_time(p->ode), (double)s.steps, values);
    return rw_state_row(&p->state, (double)pde_stationary.iterations(problem), p->residual, values);
}

/* ---- checkpoints ------------------------------------------------------------------------------------------------- */

typedef rw_status each_field(const rw_state_field *f, const char *group, rw_array *array, rw_h5 *file);

/* /history/1 …: the states before the present one, where values within steps are asked for. */
static rw_status each_before(const pde_problem *p, int n, each_field *each, rw_h5 *file)
{
    for (int i = 0; i < n; ++i)
        for (int f = 0; f < p->nfields; ++f) {
            rw_array *array = rw_history_array(p->ode, i, f);
            char group[32];
            if (!array) continue;
            snprintf(group, sizeof group, "/history/%d", i + 1);
            RW_TRY(each(&p->state.fields[f], group, array, file));
        }
    return RW_OK;
}

static rw_status save(rw_problem *problem, rw_h5 *file)
{
    pde_problem *p = (pde_problem *)problem;
    if (p->ode) RW_TRY(rw_ode_restore(p->ode));
    RW_TRY(rw_state_save(&p->state, "/state", file));
    RW_TRY(pde_save_integrator(p, file));
    RW_TRY(pde_save_data(p, file));
    return p->dense ? each_before(p, rw_history_states(p->ode), rw_state_save_field, file) : RW_OK;
}

static rw_status load(rw_problem *problem, rw_h5 *file)
{
    pde_problem *p = (pde_problem *)problem;
    RW_TRY(pde_compare_data(p, file));
    RW_TRY(rw_state_load(&p->state, "/state", file));
    RW_TRY(pde_load_integrator(p, file));
    RW_TRY(pde_find_residual(p));
    return p->dense ? each_before(p, rw_history_states(p->ode), rw_state_load_field, file) : RW_OK;
}

static rw_status explain(rw_problem *problem, rw_text *text)
{
    pde_problem *p = (pde_problem *)problem;
    char *part;
    RW_TRY(p->ode ? rw_ode_explain(p->ode, &part) : rw_elliptic_explain(p->elliptic, &part));
    rw_text_add(text, "%s", part);
    free(part);
    return text->failed ? rw_fail_memory(p->device->ctx, text->length, "the plan as text") : RW_OK;
}

static rw_status graph(rw_problem *problem, int stages, rw_text *text, char **dot)
{
    pde_problem *p = (pde_problem *)problem;
    rw_depgraph *g;
    rw_partition *tiles;
    char *part;
    if (!p->ode)
        return rw_fail(p->ctx, RW_ERR_UNSUPPORTED,
                       "there is no graph of a step: the equations have no time derivative");
    RW_TRY(rw_ode_depgraph(p->ode, stages, &g, &tiles, &part));
    rw_text_add(text, "%s", part);
    free(part);
    rw_status status = text->failed ? rw_fail_memory(p->device->ctx, text->length, "the graph as text") : RW_OK;
    if (status == RW_OK && dot) status = rw_depgraph_dot(g, tiles, dot);
    rw_partition_destroy(&tiles);
    rw_depgraph_destroy(&g);
    return status;
}

static int statistics(const rw_problem *problem, const char **names, double *values, int max)
{
    const pde_problem *p = (const pde_problem *)problem;
    if (!p->ode && max > 0) {
        names[0] = "steps";
        values[0] = (double)p->iterations;
        return 1;
    }
    rw_ode_statistics s = statistics_of(((const pde_problem *)problem)->ode);
    const struct {
        const char *name;
        double value;
    } all[] = {{"steps", (double)s.steps},
               {"rejected", (double)s.rejected},
               {"rhs", (double)s.rhs},
               {"spectral_rhs", (double)s.spectral_rhs},
               {"spectral_radius", s.spectral_radius},
               {"max_stages", s.max_stages},
               {"last_step", s.step},
               {"undone", (double)s.undone},
               {"courant", s.courant},
               {"solves", (double)s.solves},
               {"solve_iterations", (double)s.solve_iterations},
               {"solve_residual", s.solve_residual}};
    int n = 0;
    for (int i = 0; i < RW_COUNT(all) - (s.solves ? 0 : 3) && n < max; ++i) {
        if (!strcmp(all[i].name, "courant") && !(s.courant > 0)) continue;
        names[n] = all[i].name;
        values[n++] = all[i].value;
    }
    return n;
}

static const char *method_of(const rw_problem *problem, const char **reason)
{
    rw_ode_method method = RW_ODE_DEFAULT;
    const pde_problem *p = (const pde_problem *)problem;
    *reason = "";
    if (!p->ode) return rw_elliptic_method_of(p->elliptic, reason);
    rw_ode_get_method(p->ode, &method, reason);
    return rw_ode_method_name(method);
}

static const rw_march_ops march = {
    .step = step,
    .time = time_now,
    .steps = steps,
    .passes_end = true,
    .has_dense_output = has_dense_output,
    .interpolate = interpolate,
    .restore = restore,
    .undo = undo,
};

const rw_problem_ops rw_pde_ops = {
    .name = "pde",
    .summary = "partial differential equations du/dt = … on a uniform grid in 1, 2 or 3 dimensions, or ordinary ones",
    .sections = pde_sections,
    .nsections = RW_COUNT(pde_sections),
    .inspect = inspect,
    .sides = pde_all_sides,
    .outline = outline,
    .create = create,
    .destroy = destroy,
    .march = &march,
    .stationary = &pde_stationary,
    .row = row,
    .save = save,
    .load = load,
    .forecast = forecast,
    .explain = explain,
    .graph = graph,
    .statistics = statistics,
    .method = method_of,
    .check = check,
    .computes_outputs = true,
    .derive = pde_derive,
};
