/* Rows of test_faults.c: studies of the laboratory, what they save; cases, their restarts, plans and pictures. */

/* ---- laboratory -------------------------------------------------------------------------------------------------- */

static rw_status run_lab(rw_lab **out)
{
    const rw_lab_spec spec = {.study = "rock4",
                              .devices = (const char *const[]){"cpu:1"},
                              .ndevices = 1,
                              .set = (const char *const[]){"sizes=8,12", "tol=1e-2", "runs=1"},
                              .nset = 3};
    return rw_lab_run(ctx, &spec, out);
}
static rw_status call_lab(void)
{
    lab = poison;
    return made(run_lab(&lab), &lab);
}
static void result_lab(void) /* all but seconds */
{
    static const char *const columns[] = {"steps", "rejected", "rhs", "stages", "asymmetry"};
    note("%d %g", rw_lab_rows(lab, "times"), rw_lab_value(lab, "times", 1, "steps cpu:1"));
    for (int i = 0; i < rw_lab_rows(lab, "work"); ++i)
        for (int c = 0; c < RW_COUNT(columns); ++c)
            note("%s %.17g", columns[c], rw_lab_value(lab, "work", i, columns[c]));
    for (int i = 0; i < rw_lab_rows(lab, "precision"); ++i) note("%.17g", rw_lab_value(lab, "precision", i, "error"));
}
static void after_lab(void) { rw_lab_destroy(&lab); }
static void before_lab(void)
{
    if (!kept_lab) OK(run_lab(&kept_lab));
}
TEXT_PROBE(call_lab_text, rw_lab_write(kept_lab, NULL, RW_LAB_TEXT, &text))
TEXT_PROBE(call_lab_markdown, rw_lab_write(kept_lab, NULL, RW_LAB_MARKDOWN, &text))
TEXT_PROBE(call_lab_csv, rw_lab_write(kept_lab, "work", RW_LAB_CSV, &text))
TEXT_PROBE(call_lab_json, rw_lab_write(kept_lab, NULL, RW_LAB_JSON, &text))
static rw_status call_lab_save(void) { return rw_lab_save(kept_lab, path_of("lab"), NULL, NULL); }
static void note_folder(const char *folder);
static void result_lab_save(void) { note_folder("lab"); }
static void after_lab_save(void) { shell("rm -rf '%s/lab'", root); }

/* ---- cases ------------------------------------------------------------------------------------------------------- */

static const char case_text[] = "problem: pde\n"
                                "grid: {size: [8, 6], extent: [1, 2]}\n"
                                "fields: {u: {initial: \"x*y\", boundary: \"0\"}}\n"
                                "equations: \"du/dt = 0.1*laplace(u) - u^3\"\n"
                                "time: {end: 0.2, method: rk4, step: 0.05}\n"
                                "output: {every: 0.1, series_steps: 1, fields: [u], figures: [u]}\n"
                                "checks: {m: {value: mean(u), expect: 0, tolerance: 10}}\n";

static void before_case(void) { shell("rm -rf '%s/run'", root); }
static rw_status run_case(bool restart, bool force)
{
    static char folder[256];
    snprintf(folder, sizeof folder, "%s", path_of("run"));
    const rw_run_options options = {.device = "cpu:1", .folder = folder, .restart = restart, .force = force};
    rw_status status = rw_run_case(ctx, path_of("case.yaml"), &options, &report);
    if (status != RW_OK && !strcmp(report.reason, "done"))
        fail_msg("done, with %s: %s", rw_status_name(status), rw_message(ctx));
    return status;
}
static rw_status call_run(void) { return run_case(false, access(path_of("run"), F_OK) == 0); }
static void note_file(const char *name)
{
    char *bytes;
    size_t n;
    OK(rw_file_read(ctx, path_of(name), 0, &bytes, &n));
    note_bytes(name, bytes, n);
    rw_free(bytes);
}
static void result_case(void)
{
    glob_t found;
    char pattern[256];
    note("%s %s %lld %lld %lld %lld", report.reason, report.problem, (long long)report.step, (long long)report.outputs,
         (long long)report.checks, (long long)report.checks_passed);
    note_file("run/series.csv");
    snprintf(pattern, sizeof pattern, "%s/run/figures/*", root);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; ++i) note_file(found.gl_pathv[i] + strlen(root) + 1);
    globfree(&found);
    snprintf(pattern, sizeof pattern, "%s/run/fields/*", root);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; ++i) note("%s", strrchr(found.gl_pathv[i], '/'));
    globfree(&found);
    for (int i = 0; i < 5; ++i) {
        static const char *const names[] = {"run/run.json", "run/settings.yaml", "run/fields.h5", "run/fields.xdmf",
                                            "run/checkpoint.h5"};
        if (access(path_of(names[i]), R_OK) != 0) fail_msg("%s is missing", names[i]);
    }
}

/* Continued from the checkpoint of its end: everything is read, and the last files are written again. */
static void before_restart(void)
{
    before_case();
    OK(run_case(false, false));
}
static rw_status call_restart(void) { return run_case(true, false); }

static rw_status explain(char **out)
{
    const rw_run_options options = {.device = "cpu:1"};
    return rw_explain_case(ctx, path_of("case.yaml"), &options, out);
}
TEXT_PROBE(call_explain, explain(&text))
static rw_status check_case(char **out)
{
    const rw_run_options options = {.device = "cpu:1"};
    return rw_check_case(ctx, path_of("case.yaml"), &options, out);
}
TEXT_PROBE(call_check_case, check_case(&text))
static rw_status explain_text(char **out) { return rw_explain_text(ctx, path_of("case.yaml"), NULL, out); }
TEXT_PROBE(call_explain_text, explain_text(&text))
static rw_status explain_graph(char **out)
{
    const rw_run_options options = {.device = "cpu:1"};
    return rw_explain_graph(ctx, path_of("case.yaml"), &options, 0, path_of("step.dot"), out);
}
TEXT_PROBE(call_explain_graph, explain_graph(&text))
static void result_explain(void) /* without what is free now */
{
    char *memory = strstr(text, "\nmemory"), *end = memory ? strchr(memory + 1, '\n') : NULL;
    if (!end) fail_msg("%s", text);
    note("%.*s%s", (int)(memory - text), text, end);
}

static void result_check_case(void) /* without what earlier runs say, which the cache has */
{
    char *steps = strstr(text, "\nsteps");
    if (!steps) fail_msg("%s", text);
    *steps = '\0';
    result_explain();
}

static void result_explain_graph(void)
{
    result_explain();
    note_file("step.dot");
}

static int drawn;
static rw_status count_picture(void *user, const char *path) { return (void)user, (void)path, ++drawn, RW_OK; }
static void before_plot(void)
{
    if (access(path_of("plotted"), F_OK) != 0) {
        before_case();
        OK(run_case(false, false));
        shell("mv '%s/run' '%s/plotted'", root, root);
    }
}
static rw_status plot(const char *from)
{
    static char output[256];
    snprintf(output, sizeof output, "%s", path_of("run"));
    const rw_plot_options options = {.output = output};
    drawn = 0;
    return rw_plot_results(ctx, path_of(from), &options, count_picture, NULL);
}
static rw_status call_plot(void) { return plot("plotted"); }
static rw_status call_plot_file(void) { return plot("plotted/fields/000001.h5"); }
static void note_folder(const char *folder)
{
    glob_t found;
    char pattern[256];
    snprintf(pattern, sizeof pattern, "%s/%s/*", root, folder);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; ++i) note_file(found.gl_pathv[i] + strlen(root) + 1);
    globfree(&found);
}
static void result_plot(void)
{
    note("%d", drawn);
    note_folder("run");
}
