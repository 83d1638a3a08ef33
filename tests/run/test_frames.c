/* Pictures of a run: one colour scale for all of a field, drawn again where they had another; the nodes of Dirichlet
 * sides; headings; continued runs; fields that are not written; pictures drawn later. Pictures are compared with those
 * of the same run with limits that are given. */
#include "pde_test.h"

#include <hdf5.h>

enum { FRAMES = 5, STEPS = 20 };

static rw_text warnings;

/* Values grow by a factor of 8 and sink below 0: the limits are final only at the end. */
#define GROWING(title, colormap)                                                                                       \
    "problem: pde\n" title "grid: {size: [8, 6]}\n"                                                                    \
    "fields: {u: {initial: \"x\"}, v: {initial: \"x\"}}\n"                                                             \
    "equations: [\"du/dt = 2*u - y\", \"dv/dt = 2*v - y\"]\n"                                                          \
    "time: {end: 1, method: rk4, step: 0.05}\n"                                                                        \
    "output: {every: 0.25, vti: false, colormap: " colormap "}\n"

static rw_status run(const char *text, const char *results, const char *const *set, int nset, int64_t until,
                     bool restart)
{
    char path[128];
    write_case(text, path);
    return run_until(path, results, (rw_run_options){.set = set, .nset = nset, .restart = restart}, until);
}

static void good(const char *text, const char *results, const char *set)
{
    if (run(text, results, &set, set != NULL, -1, false) != RW_OK) fail_msg("%s: %s", results, rw_message(ctx));
}

static void frame_name(const char *field, int k, char name[64]) { snprintf(name, 64, "figures/%s-%06d.png", field, k); }

static int equal_frames(const char *a, const char *b, const char *field)
{
    int n = 0;
    for (int k = 0; k < FRAMES; ++k) {
        char name[64];
        frame_name(field, k, name);
        n += same_files(a, name, b, name);
    }
    return n;
}

/* Extremes of a field in all outputs. */
static void extremes(const char *results, const char *field, double *low, double *high)
{
    *low = INFINITY, *high = -INFINITY;
    for (int k = 0; k < FRAMES; ++k) {
        char name[64];
        rw_h5 *file;
        double u[48];
        snprintf(name, sizeof name, "fields/%06d.h5", k);
        assert_int_equal(rw_h5_open(ctx, result(results, name), &file), RW_OK);
        snprintf(name, sizeof name, "/%s", field);
        assert_int_equal(rw_h5_read(file, name, RW_F64, 3, (size_t[]){1, 6, 8}, u), RW_OK);
        rw_h5_close(&file);
        for (int i = 0; i < 48; ++i) *low = fmin(*low, u[i]), *high = fmax(*high, u[i]);
    }
}

static void test_one_scale(void **state)
{
    (void)state;
    double low, high;
    char given[96];
    const char *text = GROWING("", "sequential");
    good(text, "run", NULL);
    extremes("run", "u", &low, &high);
    assert_true(low < -1 && high > 7);
    snprintf(given, sizeof given, "output.limits=[%.17g, %.17g]", low, high);
    good(text, "given", given);
    assert_int_equal(equal_frames("run", "given", "u"), FRAMES);
    assert_int_equal(equal_frames("run", "given", "v"), FRAMES);
    good(text, "frame", "output.limits=frame");
    assert_int_equal(equal_frames("run", "frame", "u"), 1); /* the last has both extremes */
    good(text, "last", "output.figures_every=last");        /* a single picture: its own limits */
    assert_true(same_files("last", "figures/u-000004.png", "frame", "figures/u-000004.png"));
    /* colours about 0 stay so */
    text = GROWING("", "diverging");
    good(text, "about", NULL);
    snprintf(given, sizeof given, "output.limits=[%.17g, %.17g]", -fmax(-low, high), fmax(-low, high));
    good(text, "about-given", given);
    assert_int_equal(equal_frames("about", "about-given", "u"), FRAMES);
    assert_null(warnings.data);
}

/* A continued run draws the pictures of the earlier process again. */
static void test_continued(void **state)
{
    (void)state;
    const char *text = GROWING("", "sequential");
    for (int until = test_long() ? 1 : 7; until < (test_long() ? STEPS : 8); until += 6) {
        char parts[32];
        snprintf(parts, sizeof parts, "parts%d", until);
        assert_int_equal(run(text, parts, NULL, 0, until, false), RW_ERR_INTERRUPTED);
        assert_int_equal(run(text, parts, NULL, 0, -1, true), RW_OK);
        assert_int_equal(equal_frames("run", parts, "u"), FRAMES);
        assert_int_equal(equal_frames("run", parts, "v"), FRAMES);
    }
    assert_null(warnings.data);
    /* killed at the end, before pictures were drawn again */
    for (int k = 0; k < FRAMES; ++k) {
        char name[64], from[160], to[160];
        frame_name("u", k, name);
        snprintf(from, sizeof from, "%s", result("frame", name)), snprintf(to, sizeof to, "%s", result("parts7", name));
        char *data;
        size_t n;
        assert_int_equal(rw_file_read(ctx, from, 1 << 24, &data, &n), RW_OK);
        assert_int_equal(rw_file_write(ctx, to, data, n), RW_OK);
        rw_free(data);
    }
    assert_true(equal_frames("run", "parts7", "u") < FRAMES);
    assert_int_equal(run(text, "parts7", NULL, 0, -1, true), RW_OK);
    assert_int_equal(equal_frames("run", "parts7", "u"), FRAMES);
}

enum { CHECKPOINT = 30 };
static int missing; /* pictures that the run "many" lacks after its checkpoint; -1: not counted yet */

static rw_status count_missing(void *user, const rw_run_progress *progress)
{
    (void)user;
    if (missing >= 0 || progress->outputs <= CHECKPOINT + 1) return RW_OK;
    missing = 0;
    for (int k = 0; k <= CHECKPOINT; ++k) {
        char name[64];
        frame_name("u", k, name);
        missing += access(result("many", name), F_OK) != 0;
    }
    return RW_OK;
}

/* More outputs than drawing keeps up with. A checkpoint draws what has been postponed, since a run that goes on from
 * there would not; so does an interruption, with the limits so far. The run that continues ends with the pictures of
 * one that was never interrupted. */
static void test_many_outputs(void **state)
{
    (void)state;
    enum { MANY = 60, UNTIL = 45 };
    const char *text = GROWING("", "sequential");
    const char *set[] = {"output.every=0.0166666666666666666", "output.figures=[u]", "checkpoint.steps=30"};
    char name[64], path[128];
    write_case(text, path);
    missing = -1;
    const rw_run_options counted = {.set = set, .nset = RW_COUNT(set), .progress = count_missing};
    assert_int_equal(run_until(path, "many", counted, -1), RW_OK);
    assert_int_equal(missing, 0);
    assert_int_equal(run(text, "halves", set, 3, UNTIL, false), RW_ERR_INTERRUPTED);
    for (int k = 0; k <= MANY; ++k) {
        frame_name("u", k, name);
        assert_true(access(result("many", name), F_OK) == 0);
        assert_int_equal(access(result("halves", name), F_OK) == 0, k <= UNTIL);
    }
    assert_int_equal(run(text, "halves", set, 3, -1, true), RW_OK);
    for (int k = 0; k <= MANY; ++k) {
        frame_name("u", k, name);
        assert_true(same_files("many", name, "halves", name));
    }
    assert_null(warnings.data);
}

/* Fields that are not written cannot be drawn again: the run says so, and the last picture has the limits of all. */
static void test_not_written(void **state)
{
    (void)state;
    good(GROWING("", "sequential"), "unwritten", "output.fields=[v]");
    assert_non_null(warnings.data);
    assert_non_null(strstr(warnings.data, "4 pictures of u retain their earlier limits"));
    assert_null(strstr(warnings.data, "pictures of v"));
    rw_text_free(&warnings);
    assert_int_equal(equal_frames("run", "unwritten", "v"), FRAMES);
    assert_int_equal(equal_frames("run", "unwritten", "u"), 1);
    /* the same of outputs of an earlier process that lack it */
    assert_int_equal(run(GROWING("", "sequential"), "lacking", NULL, 0, 7, false), RW_ERR_INTERRUPTED);
    assert_int_equal(unlink(result("lacking", "fields/000000.h5")), 0);
    assert_int_equal(run(GROWING("", "sequential"), "lacking", NULL, 0, -1, true), RW_OK);
    assert_non_null(warnings.data);
    assert_non_null(strstr(warnings.data, "1 pictures of u retain their earlier limits"));
    assert_int_equal(equal_frames("run", "lacking", "u"), FRAMES - 1);
    rw_text_free(&warnings);
    good(GROWING("", "sequential"), "unwritten-frame", "output.limits=frame");
    assert_null(warnings.data);
}

/* With a title too, pictures of two equal fields, and of their series, can be told apart. */
static void test_headings(void **state)
{
    (void)state;
    good(GROWING("title: Growth\n", "sequential"), "titled", NULL);
    assert_false(same_files("titled", "figures/u-000002.png", "titled", "figures/v-000002.png"));
    assert_false(same_files("titled", "figures/series-u_max.png", "titled", "figures/series-v_max.png"));
    assert_false(same_files("titled", "figures/u-000002.png", "run", "figures/u-000002.png"));
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const rows[][2] =
        {{"output.limits=runs",
          "output.limits = runs is none of auto, run, frame or [lowest, highest]; nearest is run"},
         {"output.limits=3", "output.limits = 3 is none of auto, run, frame"},
         {"output.limits=[0, x]", "output.limits: x is not a finite number"},
         {"output.limits=[.nan, 1]", "output.limits: .nan is not a finite number"},
         {"output.limits=[1, 1]", "output.limits = [1, 1]: the first must be below"},
         {"output.limits=[2, 1]", "output.limits = [2, 1]: the first must be below"},
         {"output.limits=[1, 2, 3]", "a list of 3"}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        assert_int_equal(run(GROWING("", "sequential"), "refused", &rows[i][0], 1, -1, false), RW_ERR_INPUT);
        if (!strstr(rw_message(ctx), rows[i][1])) fail_msg("%s: %s", rows[i][0], rw_message(ctx));
    }
}

/* ---- pictures of results that are there -------------------------------------------------------------------------- */

/* All outputs of a field (NULL: of all, and series.csv) drawn later into NAME/figures, as `set` asks. */
static void draw_later(const char *results, const char *name, const char *field, const char *set, bool files)
{
    char from[160], to[160];
    snprintf(to, sizeof to, "%s/%s/figures/", folder, name);
    for (int k = 0; k < FRAMES; ++k) {
        snprintf(from, sizeof from, files ? "%s/%s/fields/%06d.h5" : "%s/%s", folder, results, k);
        rw_plot_options options =
            {.field = field, .at_time = true, .time = 0.25 * k, .output = to, .set = &set, .nset = set != NULL};
        if (rw_plot_results(ctx, from, &options, NULL, NULL) != RW_OK) fail_msg("%s: %s", from, rw_message(ctx));
    }
}

static void test_drawn_later(void **state)
{
    (void)state;
    static const char *const texts[] =
        {GROWING("title: Growth\n", "diverging"),
         /* sides that lie outside of the values inside, and change */
         "problem: pde\ngrid: {size: [8, 6]}\n"
         "fields: {u: {initial: \"1\", boundary: \"3 + 4*t\"}, v: {initial: \"x\", boundary: {left: \"-1\", right: "
         "\"t\", y: \"0\"}}}\n"
         "equations: [\"du/dt = 0.1*laplace(u)\", \"dv/dt = 0\"]\ntime: {end: 1, method: rk4, step: 0.01}\n"
         "output: {every: 0.25, vti: false, limits: run}\n",
         "problem: pde\ngrid: {size: 9}\n"
         "fields: {u: {initial: \"x\", boundary: \"2*t\"}, v: {initial: \"0\", boundary: \"0\"}}\n"
         "equations: [\"du/dt = 1 - u\", \"dv/dt = 0\"]\ntime: {end: 1, method: rk4, step: 0.05}\n"
         "output: {every: 0.25, vti: false, limits: run}\n"};
    for (int i = 0; i < (test_long() ? RW_COUNT(texts) : 1); ++i) {
        char all[32], frames[32], later[32];
        snprintf(all, sizeof all, "all%d", i), snprintf(frames, sizeof frames, "frames%d", i),
            snprintf(later, sizeof later, "later%d", i);
        good(texts[i], all, NULL);
        good(texts[i], frames, "output.limits=frame");
        draw_later(all, later, i == 0 ? NULL : "u", NULL, false);
        if (i > 0) draw_later(all, later, "v", NULL, true); /* of a file */
        assert_int_equal(equal_frames(all, later, "u"), FRAMES);
        assert_int_equal(equal_frames(all, later, "v"), FRAMES);
        draw_later(all, later, "u", "output.limits=frame", i % 2); /* asked for */
        assert_int_equal(equal_frames(frames, later, "u"), FRAMES);
        assert_true(equal_frames(all, later, "u") < FRAMES);
        draw_later(frames, later, "u", "output.limits=run", i % 2);
        assert_int_equal(equal_frames(all, later, "u"), FRAMES);
        draw_later(frames, later, "u", NULL, i % 2); /* what the case says */
        assert_int_equal(equal_frames(frames, later, "u"), FRAMES);
        snprintf(frames, sizeof frames, "given%d", i);
        good(texts[i], frames, "output.limits=[-1, 20]");
        draw_later(all, later, "u", "output.limits=[-1, 20]", false);
        assert_int_equal(equal_frames(frames, later, "u"), FRAMES);
        draw_later(frames, later, "u", NULL, false);
        assert_int_equal(equal_frames(frames, later, "u"), FRAMES);
        snprintf(frames, sizeof frames, "last%d", i);
        good(texts[i], frames, "output.figures_every=last");
        draw_later(frames, later, "u", NULL, false);
        assert_true(same_files(frames, "figures/u-000004.png", later, "figures/u-000004.png"));
    }
    draw_later("all0", "later0", "u_max", NULL, false);
    assert_true(same_files("all0", "figures/series-u_max.png", "later0", "figures/series-u_max.png"));
    assert_null(warnings.data);

    static const char *const refused[][2] = {{"output.limit=frame", "nearest is output.limits"},
                                             {"time.end=3", "output.colormap, output.streamlines and title"},
                                             {"output.limits=[2, 1]", "the first must be below"},
                                             {"output.limits", "plot accepts only the settings"}};
    for (int i = 0; i < RW_COUNT(refused); ++i) {
        rw_plot_options options = {.set = refused[i], .nset = 1};
        assert_int_equal(rw_plot_results(ctx, result("all0", ""), &options, NULL, NULL), RW_ERR_INPUT);
        if (!strstr(rw_message(ctx), refused[i][1])) fail_msg("%s: %s", refused[i][0], rw_message(ctx));
    }
    /* without settings, or with ones that are no case: limits of its own, and a warning in the second case */
    assert_int_equal(unlink(result("all0", "settings.yaml")), 0);
    draw_later("all0", "later0", "u", NULL, false);
    assert_null(warnings.data);
    assert_int_equal(rw_file_write(ctx, result("all0", "settings.yaml"), "problem: pde\n", 13), RW_OK);
    draw_later("all0", "later0", "u", NULL, false);
    assert_non_null(warnings.data);
    assert_non_null(strstr(warnings.data, "each picture has its own limits"));
    rw_text_free(&warnings);
}

/* ---- sides ------------------------------------------------------------------------------------------------------- */

static const rw_state_field *make(const char *text, rw_case **c, rw_problem **p, rw_device **dev)
{
    int64_t bytes;
    assert_int_equal(rw_device_open(ctx, "cpu", dev), RW_OK);
    if (rw_case_parse(ctx, "case.yaml", text, strlen(text), NULL, 0, rw_problems, c) != RW_OK)
        fail_msg("%s", rw_message(ctx));
    if (rw_pde_ops.create(*c, *dev, false, &bytes, p) != RW_OK) fail_msg("%s", rw_message(ctx));
    return (*p)->fields;
}

/* The field with its sides, of exact values u = f(x, y, z) + t that initial values and boundaries both have. */
static void check_sides(const char *size, int ndim, const char *boundary, const char *exact,
                        double (*f)(double, double, double))
{
    char text[512];
    rw_case *c;
    rw_problem *p;
    rw_device *dev;
    rw_frame frame;
    const void *data;
    const double t = 0.5;
    snprintf(
        text, sizeof text,
        "problem: pde\ngrid: {size: %s, origin: -1, extent: 2}\nfields: {u: {initial: \"%s + 0.5\", boundary: %s}}\n"
        "equations: \"du/dt = 0*u\"\ntime: {end: 1}\n",
        size, exact, boundary);
    const rw_state_field *fields = make(text, &c, &p, &dev);
    rw_run r = {.ctx = ctx, .ops = &rw_pde_ops, .problem = p, .grid = &p->grid};
    r.points = r.grid->size[0] * r.grid->size[1] * r.grid->size[2];
    assert_int_equal(rw_array_read(fields[0].array, &data), RW_OK);
    assert_int_equal(rw_frame_make(&r, 0, RW_F64, data, r.grid->size, t, &frame), RW_OK);
    const rw_layout *g = &frame.grid;
    double low = INFINITY, high = -INFINITY;
    assert_int_equal(g->ndim, ndim);
    for (int64_t k = 0; k < g->size[2]; ++k)
        for (int64_t j = 0; j < g->size[1]; ++j)
            for (int64_t i = 0; i < g->size[0]; ++i) {
                double x[3] = {g->origin[0] + (double)i * g->spacing[0], g->origin[1] + (double)j * g->spacing[1],
                               g->origin[2] + (double)k * g->spacing[2]};
                double u = f(x[0], ndim > 1 ? x[1] : 0, ndim > 2 ? x[2] : 0) + t,
                       v = frame.values[(k * g->size[1] + j) * g->size[0] + i];
                if (!(fabs(u - v) < 1e-14))
                    fail_msg("%s: node %d, %d, %d: %.17g, not %.17g", boundary, (int)i, (int)j, (int)k, v, u);
                low = fmin(low, v), high = fmax(high, v);
            }
    assert_true(low == frame.low && high == frame.high);
    int64_t added = g->size[0] * g->size[1] * g->size[2] - r.points;
    assert_true(added > 0);
    /* the upper side of x is a node in each row */
    assert_true(fabs(g->origin[0] + (double)(g->size[0] - 1) * g->spacing[0] - 1) < 1e-14);
    rw_free(frame.own);
    rw_pde_ops.destroy(&p);
    rw_case_free(&c);
    rw_device_close(&dev);
}

static double of_x(double x, double y, double z) { return (void)y, (void)z, 3 * x; }
static double of_xy(double x, double y, double z) { return (void)z, 3 * x - y * y; }
static double of_xyz(double x, double y, double z) { return 3 * x - y * y + x * z; }

static void test_sides(void **state)
{
    (void)state;
    check_sides("7", 1, "\"3*x + t\"", "3*x", of_x);
    check_sides("[7, 5]", 2, "\"3*x - y^2 + t\"", "3*x - y^2", of_xy);
    check_sides("[7, 5]", 2, "{right: \"3*x - y^2 + t\"}", "3*x - y^2", of_xy);
    check_sides("[7, 5]", 2, "{right: \"3*x - y^2 + t\", bottom: \"3*x - y^2 + t\"}", "3*x - y^2", of_xy);
    check_sides("[1, 4]", 2, "{x: \"3*x - y^2 + t\"}", "3*x - y^2", of_xy);
    check_sides("[4, 3, 5]", 3, "\"3*x - y^2 + x*z + t\"", "3*x - y^2 + x*z", of_xyz);
    check_sides("[4, 3, 5]", 3, "{right: \"3*x - y^2 + x*z + t\", front: \"3*x - y^2 + x*z + t\"}", "3*x - y^2 + x*z",
                of_xyz);
}

/* Outputs hold the nodes on Dirichlet sides with their values at that time, in f64 and f32; all files agree. */
static void test_outputs_with_sides(void **state)
{
    (void)state;
    static const char *const set[] = {"grid.precision=f64", "grid.precision=f32"};
    for (int s = 0; s < 2; ++s) {
        double u[7 * 4], all[3 * 7 * 4], x[7], y[4], origin[2], t;
        char name[64], *text;
        size_t n;
        rw_h5 *file;
        good("problem: pde\ngrid: {size: [5, 4], extent: [3, 3]}\n"
             "fields: {u: {initial: \"x\", boundary: {x: \"x + 10*y + 100*t\"}}}\n"
             "equations: \"du/dt = 0*u\"\ntime: {end: 1, method: rk4, step: 0.5}\noutput: {every: 0.5, figures: []}\n",
             s ? "sides32" : "sides", set[s]);
        const char *results = s ? "sides32" : "sides";
        assert_int_equal(rw_h5_open(ctx, result(results, "fields.h5"), &file), RW_OK);
        assert_int_equal(rw_h5_read(file, "/u", RW_F64, 3, (size_t[]){3, 4, 7}, all), RW_OK);
        assert_int_equal(rw_h5_read(file, "/x", RW_F64, 1, (size_t[]){7}, x), RW_OK);
        assert_int_equal(rw_h5_read(file, "/y", RW_F64, 1, (size_t[]){4}, y), RW_OK);
        rw_h5_close(&file);
        for (int k = 0; k < 3; ++k) {
            snprintf(name, sizeof name, "fields/%06d.h5", k);
            assert_int_equal(rw_h5_open(ctx, result(results, name), &file), RW_OK);
            assert_int_equal(rw_h5_read(file, "/u", RW_F64, 3, (size_t[]){1, 4, 7}, u), RW_OK);
            assert_int_equal(rw_h5_get_number(file, "/", "time", &t), RW_OK);
            assert_int_equal(rw_h5_get_numbers(file, "/", "origin", 2, origin), RW_OK);
            rw_h5_close(&file);
            assert_true(origin[0] == 0 && t == 0.5 * k);
            assert_memory_equal(u, all + 28 * k, sizeof u);
            for (int j = 0; j < 4; ++j)
                for (int i = 0; i < 7; ++i) {
                    const double side = x[i] + 10 * y[j] + 100 * t, wanted = i == 0 || i == 6 ? side : x[i];
                    assert_true(fabs(x[i] - 0.5 * i) < 1e-14 && fabs(u[7 * j + i] - wanted) < 1e-5);
                }
        }
        assert_int_equal(rw_file_read(ctx, result(results, "fields.xdmf"), 1 << 20, &text, &n), RW_OK);
        assert_non_null(strstr(text, "1 4 7"));
        rw_free(text);
        assert_int_equal(rw_file_read(ctx, result(results, "vti/000002.vti"), 1 << 20, &text, &n), RW_OK);
        assert_non_null(strstr(text, "0 6 0 3 0 0"));
        rw_free(text);
    }
}

/* A side whose value one of the fields reads from data has no nodes in outputs; nodes lie alike in all fields. */
static void test_a_side_that_one_field_reads(void **state)
{
    (void)state;
    for (int reading = 0; reading < 2; ++reading) {
        char text[512], name[32];
        const char *const sides[] = {"{left: \"k\", right: \"2\"}", "{left: \"1\", right: \"3\"}"};
        double u[6], v[6];
        rw_h5 *file;
        snprintf(text, sizeof text,
                 "problem: pde\ngrid: {size: [5]}\ndata: {k: \"7\"}\n"
                 "fields: {u: {initial: \"x\", boundary: %s}, v: {initial: \"x\", boundary: %s}}\n"
                 "equations: \"du/dt = 0*u; dv/dt = 0*v\"\ntime: {end: 1, method: rk4, step: 0.5}\n",
                 sides[reading], sides[!reading]);
        snprintf(name, sizeof name, "reading%d", reading);
        good(text, name, NULL);
        assert_int_equal(rw_h5_open(ctx, result(name, "fields/000001.h5"), &file), RW_OK);
        assert_int_equal(rw_h5_read(file, "/u", RW_F64, 3, (size_t[]){1, 1, 6}, u), RW_OK);
        assert_int_equal(rw_h5_read(file, "/v", RW_F64, 3, (size_t[]){1, 1, 6}, v), RW_OK);
        rw_h5_close(&file);
        for (int i = 0; i < 5; ++i) assert_true(fabs(u[i] - (i + 1) / 6.0) < 1e-15 && u[i] == v[i]);
        assert_true(u[5] == 2 + reading && v[5] == 3 - reading);
    }
}

#define DECAY(initial, rate)                                                                                           \
    "problem: pde\ngrid: {size: [8, 6], extent: [1, 1]}\nfields: {u: {initial: \"" initial "\"}}\n"                    \
    "equations: \"du/dt = -" rate "*u\"\ntime: {end: 1, method: rk4, step: 0.05}\noutput: {every: 0.25, vti: false}\n"

/* limits: auto. One scale while the last picture spans half of it, else each picture its own. colormap: auto. */
static void test_auto(void **state)
{
    (void)state;
    static const struct {
        const char *text, *limits, *colormap;
    } cases[] = {
        {DECAY("x", "0.5"), "output.limits=run", "output.colormap=sequential"},
        {DECAY("x", "0.9"), "output.limits=frame", "output.colormap=sequential"},
        {DECAY("x - 0.5", "0.5"), "output.limits=run", "output.colormap=diverging"},
        {DECAY("x - 0.5", "3"), "output.limits=frame", "output.colormap=diverging"},
        {DECAY("x - 0.05", "0.5"), "output.limits=run", "output.colormap=sequential"}, /* -0.05 … 0.825 */
    };
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        char name[16], chosen[16], path[128];
        snprintf(name, sizeof name, "auto%d", i), snprintf(chosen, sizeof chosen, "chosen%d", i);
        good(cases[i].text, name, NULL);
        write_case(cases[i].text, path);
        const char *set[] = {cases[i].limits, cases[i].colormap};
        assert_int_equal(run(cases[i].text, chosen, set, 2, -1, false), RW_OK);
        if (equal_frames(name, chosen, "u") != FRAMES) fail_msg("%d: not as %s, %s", i, set[0], set[1]);
        const rw_plot_options options = {.field = "u",
                                         .at_time = true,
                                         .time = 0.25,
                                         .output = result(name, "again.png")};
        assert_int_equal(rw_plot_results(ctx, result(name, "."), &options, NULL, NULL), RW_OK);
        assert_true(same_files(name, "again.png", name, "figures/u-000001.png"));
    }
}

/* A folder of an older version: units in series.csv, a checkpoint without nodes on sides. */
static void make_older(const char *results)
{
    static const char line[] = "# 1, 1, 1, 1, 1\n";
    char *text, place[160];
    size_t n;
    int64_t position;
    snprintf(place, sizeof place, "%s", result(results, "series.csv"));
    assert_int_equal(rw_file_read(ctx, place, 1 << 20, &text, &n), RW_OK);
    rw_text older = {0};
    const char *rows = strchr(text, '\n') + 1;
    rw_text_add(&older, "%.*s%s%s", (int)(rows - text), text, line, rows);
    assert_int_equal(rw_file_write(ctx, place, older.data, older.length), RW_OK);
    rw_text_free(&older);
    rw_free(text);
    assert_int_equal(unlink(result(results, "series.json")), 0);
    hid_t file = H5Fopen(result(results, "checkpoint.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0 && H5Adelete(file, "no_sides") >= 0);
    hid_t attribute = H5Aopen(file, "series_position", H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_INT64, &position) >= 0);
    position += (int64_t)strlen(line);
    assert_true(H5Awrite(attribute, H5T_NATIVE_INT64, &position) >= 0);
    H5Aclose(attribute);
    H5Fclose(file);
}

/* A run that continues there keeps the form of the folder, so that its files fit each other. */
static void test_older_folder(void **state)
{
    (void)state;
    const char *text = "problem: pde\ngrid: {size: [5, 4], extent: [3, 3]}\n"
                       "fields: {u: {initial: \"x\", boundary: {x: \"x + t\"}}}\nequations: \"du/dt = 0*u\"\n"
                       "time: {end: 1, method: rk4, step: 0.25}\noutput: {every: 0.5}\n";
    const char *names = "t,step,u_min,u_max,u_mean\n";
    size_t n, shape[RW_IO_RANK];
    rw_dtype type;
    int rank;
    char *series;
    rw_h5 *file;
    assert_int_equal(run(text, "older", NULL, 0, 2, false), RW_ERR_INTERRUPTED);
    make_older("older");
    assert_int_equal(run(text, "older", NULL, 0, -1, true), RW_OK);
    assert_int_equal(rw_file_read(ctx, result("older", "series.csv"), 1 << 20, &series, &n), RW_OK);
    assert_true(strncmp(series, names, strlen(names)) == 0 && series[strlen(names)] == '#');
    rw_free(series);
    assert_int_equal(access(result("older", "series.json"), F_OK), 0);
    assert_int_equal(rw_h5_open(ctx, result("older", "fields/000002.h5"), &file), RW_OK);
    assert_int_equal(rw_h5_shape(file, "/u", &type, &rank, shape), RW_OK);
    assert_true(shape[1] == 4 && shape[2] == 5);
    rw_h5_close(&file);
    const rw_plot_options options = {.field = "u", .output = result("older", "again.png")};
    assert_int_equal(rw_plot_results(ctx, result("older", "."), &options, NULL, NULL), RW_OK);
    assert_true(same_files("older", "again.png", "older", "figures/u-000002.png"));
}

static void keep_warning(void *user, rw_log_level level, const char *message)
{
    if (level == RW_LOG_WARNING) rw_text_add(user, "%s\n", message);
}

static int setup(void **state)
{
    (void)state;
    if (!open_folder()) return 1;
    rw_context_set_log(ctx, RW_LOG_WARNING, keep_warning, &warnings);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rw_text_free(&warnings);
    return close_folder();
}

/* The corner of two Dirichlet sides has the value of the x side, as u[i-1, j-1] has it. */
static void test_corners_of_sides(void **state)
{
    (void)state;
    rw_case *c;
    rw_problem *p;
    rw_device *dev;
    rw_frame frame;
    const void *data;
    const rw_state_field *fields = make("problem: pde\ngrid: {size: [3, 2]}\nfields: {u: {initial: \"9\", boundary: "
                                        "{x: \"1\", y: \"3\"}}}\nequations: \"du/dt = 0*u\"\ntime: {end: 1}\n",
                                        &c, &p, &dev);
    rw_run r = {.ctx = ctx, .ops = &rw_pde_ops, .problem = p, .grid = &p->grid, .points = 6};
    assert_int_equal(rw_array_read(fields[0].array, &data), RW_OK);
    assert_int_equal(rw_frame_make(&r, 0, RW_F64, data, r.grid->size, 0, &frame), RW_OK);
    static const double expected[4][5] = {{1, 3, 3, 3, 1}, {1, 9, 9, 9, 1}, {1, 9, 9, 9, 1}, {1, 3, 3, 3, 1}};
    assert_memory_equal(frame.values, expected, sizeof expected);
    rw_free(frame.own);
    rw_pde_ops.destroy(&p);
    rw_case_free(&c);
    rw_device_close(&dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_scale),
        cmocka_unit_test(test_continued),
        cmocka_unit_test(test_many_outputs),
        cmocka_unit_test(test_not_written),
        cmocka_unit_test(test_headings),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_drawn_later),
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_outputs_with_sides),
        cmocka_unit_test(test_a_side_that_one_field_reads),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_older_folder),
        cmocka_unit_test(test_corners_of_sides),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
