/* Rows of test_faults.c: figures. */

static const double figure_values[] = {1, 2, 3, 4, 5, 6, 7, 8};
static const rw_figure_page figure_page = {.width = 300, .height = 300, .title = "a"};

static rw_status call_residuals(void)
{
    return rw_figure_write_residuals(ctx, path_of("a.png"), "a", 3, (double[]){1, 0.1, 0.01}, 1, 0.02);
}
static rw_status call_pattern_figure(void)
{
    const rw_entries e = five_entries;
    return rw_figure_write_pattern(ctx, path_of("a.png"), NULL, &e);
}
static rw_status call_field_figure(void)
{
    const rw_figure_field field = {.nx = 4, .ny = 2, .values = figure_values};
    return rw_figure_write_field(ctx, path_of("a.png"), &figure_page, &field);
}
static rw_status call_surface(void)
{
    const rw_figure_field field = {.nx = 4, .ny = 2, .values = figure_values};
    return rw_figure_write_surface(ctx, path_of("a.png"), &figure_page, &field);
}
static rw_status call_lines(void)
{
    const rw_figure_series series = {.n = 8, .x = figure_values, .y = figure_values};
    return rw_figure_write_lines(ctx, path_of("a.png"), &figure_page, &(rw_figure_lines){.n = 1, .series = &series});
}
static rw_status call_bars(void)
{
    static const char *const names[] = {"a", "b"};
    const rw_figure_bars bars = {.ngroups = 2, .nseries = 2, .group = names, .series = names, .values = figure_values};
    return rw_figure_write_bars(ctx, path_of("a.png"), &figure_page, &bars);
}
static rw_status call_volume(void)
{
    const rw_figure_volume volume = {.n = {2, 2, 2}, .values = figure_values};
    return rw_figure_write_volume(ctx, path_of("a.png"), &figure_page, &volume);
}
static void result_figure(void) { note("a figure"); }
