/* Values of a run at points and along lines, and its animations. */
#include "own_test.h"

/* ---- probes ------------------------------------------------------------------------------------------------------ */

static void test_mistakes_of_probes(void **state)
{
    (void)state;
    static const mistake list[] = {
        {"  probes: {a: {at: [0.5, 2.1]}}",
         ":8:26: output.probes.a.at: y = 2.1 is outside the domain, [0, 2]: choose a place in it"},
        {"  probes: {a: {from: [-1, 0], to: [1, 1]}}", ":8:23: output.probes.a.from: x = -1 is outside the domain"},
        {"  probes: {a: {at: [0.5]}}", ":8:20: output.probes.a.at must be a list of 2 coordinates"},
        {"  probes: {a: {at: [k, 0]}}", ":8:21: output.probes.a.at: x must be a finite number"},
        {"  probes: {a: {from: [0, 0]}}", ":8:15: output.probes.a must be a point, {at: [x, y]}, or a line"},
        {"  probes: {a: {at: [0, 0], points: 3}}", ":8:15: output.probes.a must be a point"},
        {"  probes: {a: {from: [0, 0], to: [1, 1], points: 1.5}}", ":8:50: output.probes.a.points must be an integer"},
        {"  probes: {a: {att: [0, 0]}}", ":8:16: output.probes.a.att is unknown; nearest is at"},
        {"  probes: {a b: {at: [0, 0]}}", ":8:12: "},
        {"  probes: [1]", ":8:11: output.probes must be a map of names to points and lines"},
    };
    check_mistakes(list, sizeof list / sizeof *list);
}

/* A product of cubic polynomials is exact at all places, in corners of the domain too, in each kind of grid. */
#define CUBIC "x^3 - x*y^2 + 2*x^2*y^3 + 1"
static double cubic(double x, double y) { return x * x * x - x * y * y + 2 * x * x * y * y * y + 1; }

static void check_cubic(const char *grid, const char *boundary)
{
    char text[1024], path[128];
    snprintf(text, sizeof text,
             "problem: pde\ngrid: {size: [7, 6], extent: [1, 2], origin: [0.25, -1], %s}\n"
             "fields: {u: {initial: \"" CUBIC "\", boundary: %s}}\nequations: \"du/dt = 0\"\n"
             "time: {end: 1, method: rk4, step: 1}\n"
             "output: {fields: [], figures: [], derived: {w: \"t - u\"}, probes: {p: {at: [0.3, 0.9]}, "
             "l: {from: [0.25, -1], to: [1.25, 1], points: 23}}}\n",
             grid, boundary);
    write_case(text, path);
    static int runs;
    char results[32];
    snprintf(results, sizeof results, "cubic%d", runs++);
    run_to_end(path, results, NULL, false);
    rw_csv_table point = read_table(results, "probes/p.csv"), line = read_table(results, "probes/l.csv");
    assert_int_equal(point.n_rows, 2);
    assert_int_equal(point.n_columns, 3);
    near(column(&point, "u")[1], cubic(0.3, 0.9), 1e-12);
    near(column(&point, "w")[1], 1 - cubic(0.3, 0.9), 1e-12);
    assert_int_equal(line.n_rows, 2 * 23);
    for (size_t k = 0; k < line.n_rows; ++k) {
        const double s = (double)(k % 23) / 22, x = 0.25 + s, y = -1 + 2 * s;
        near(column(&line, "t")[k], k < 23 ? 0 : 1, 0);
        near(column(&line, "x")[k], x, 1e-15);
        near(column(&line, "y")[k], y, 1e-15);
        near(column(&line, "u")[k], cubic(x, y), 1e-11);
    }
    rw_csv_free(&point);
    rw_csv_free(&line);
}

static void test_probes_are_cubic(void **state)
{
    (void)state;
    check_cubic("layout: auto", "neumann");
    check_cubic("layout: auto", "\"" CUBIC "\"");
    check_cubic("layout: auto", "{x: \"" CUBIC "\", bottom: \"" CUBIC "\"}");
    check_cubic("layout: cell", "neumann");
    check_cubic("layout: node", "neumann");
    check_cubic("layout: node", "{x: \"" CUBIC "\", bottom: \"" CUBIC "\"}");
}

/* Across the end of a periodic axis, and on axes that are shorter than a cubic polynomial. */
static void test_probes_of_other_axes(void **state)
{
    (void)state;
    static const char periodic[] = "problem: pde\ngrid: {size: 64}\nfields: {u: {initial: \"sin(2*pi*x)\", boundary: "
                                   "periodic}}\nequations: \"du/dt = 0\"\ntime: {end: 1, method: rk4, step: 1}\n"
                                   "output: {fields: [], figures: [], probes: {l: {from: 0, to: 1}}}\n",
                      small[] = "problem: pde\ngrid: {size: [2, 2, 3]}\nfields: {u: {initial: \"x + 2*z^2\"}}\n"
                                "equations: \"du/dt = 0\"\ntime: {end: 1, method: rk4, step: 1}\n"
                                "output: {fields: [], figures: [], probes: {p: {at: [0.3, 0.4, 0.7]}}}\n";
    char path[128];
    write_case(periodic, path);
    run_to_end(path, "periodic", NULL, false);
    rw_csv_table line = read_table("periodic", "probes/l.csv");
    for (size_t k = 0; k < 101; ++k)
        near(column(&line, "u")[k], sin(2 * 3.14159265358979323846 * (double)k / 100), 3e-6);
    rw_csv_free(&line);
    write_case(small, path);
    run_to_end(path, "small", NULL, false);
    rw_csv_table point = read_table("small", "probes/p.csv");
    near(column(&point, "u")[0], 0.3 + 2 * 0.49, 1e-14);
    rw_csv_free(&point);
}

/* A complex field has two columns and two curves; sides that are given are among the nodes. */
static void test_probes_of_complex_fields(void **state)
{
    (void)state;
    static const char *const grids[] = {"precision: f64", "precision: f32", "layout: node"};
    for (int g = 0; g < (int)(sizeof grids / sizeof *grids); ++g) {
        char text[1024], path[128], results[32];
        const double tolerance = g == 1 ? 1e-6 : 1e-14;
        snprintf(text, sizeof text,
                 "problem: pde\ngrid: {size: [7, 6], %s}\n"
                 "fields: {A: {type: complex, initial: \"(1 + 2i)*x^2*y\", boundary: {x: \"(1 + 2i)*x^2*y\"}}}\n"
                 "equations: \"dA/dt = 0\"\ntime: {end: 1, method: rk4, step: 0.5}\n"
                 "output: {every: 0.5, fields: [], probes: {p: {at: [0.97, 0.5]}, l: {from: [0, 0.5], to: [1, 0.5], "
                 "points: 3}}}\n",
                 grids[g]);
        write_case(text, path);
        snprintf(results, sizeof results, "complex%d", g);
        run_to_end(path, results, NULL, false);
        rw_csv_table point = read_table(results, "probes/p.csv"), line = read_table(results, "probes/l.csv");
        assert_int_equal(point.n_columns, 3);
        for (size_t k = 0; k < point.n_rows; ++k) {
            near(column(&point, "A_re")[k], 0.5 * 0.97 * 0.97, tolerance);
            near(column(&point, "A_im")[k], 0.97 * 0.97, tolerance);
        }
        assert_int_equal(line.n_rows, 9);
        for (size_t k = 0; k < line.n_rows; ++k) {
            const double x = (double)(k % 3) / 2;
            near(column(&line, "A_re")[k], 0.5 * x * x, tolerance);
            near(column(&line, "A_im")[k], x * x, tolerance);
        }
        assert_int_equal(access(result(results, "figures/probe-p-A_re.png"), F_OK), 0);
        assert_int_equal(access(result(results, "figures/probe-l-A_im.png"), F_OK), 0);
        rw_csv_free(&point);
        rw_csv_free(&line);
        run_to_end(path, results, "time.end=2", true); /* the tables go on */
        point = read_table(results, "probes/p.csv");
        assert_int_equal(point.n_rows, 5);
        rw_csv_free(&point);
    }
}

/* Curves of a line: evenly spaced outputs; one curve where the values stay the same; rounding errors of a vector, next
 * to its other components, are 0. */
static void test_curves_of_probes(void **state)
{
    (void)state;
    static const struct {
        const char *results, *every, *x;
    } runs[] = {{"nine", "0.25", "0"}, {"five", "0.5", "1e-17*cos(99*y)"}, {"two", "2", "1e-3*cos(99*y)"}};
    for (int i = 0; i < (int)(sizeof runs / sizeof *runs); ++i) {
        char text[1024], path[128];
        snprintf(text, sizeof text,
                 "problem: pde\ngrid: {size: [8, 9], layout: cell}\nfields: {u: {initial: \"x\"}}\n"
                 "equations: \"du/dt = 1 + y\"\ntime: {end: 2, method: rk4, step: 0.25}\n"
                 "output: {every: %s, fields: [], derived: {q: \"[%s, 1 + y]\"}, "
                 "probes: {l: {from: [0.5, 0], to: [0.5, 1], points: 11}}}\n",
                 runs[i].every, runs[i].x);
        write_case(text, path);
        run_to_end(path, runs[i].results, NULL, false);
    }
    assert_true(same_files("nine", "figures/probe-l-u.png", "five", "figures/probe-l-u.png"));
    assert_false(same_files("two", "figures/probe-l-u.png", "five", "figures/probe-l-u.png"));
    assert_true(same_files("nine", "figures/probe-l-q_x.png", "five", "figures/probe-l-q_x.png"));
    assert_false(same_files("two", "figures/probe-l-q_x.png", "five", "figures/probe-l-q_x.png"));
    assert_true(same_files("nine", "figures/probe-l-q_y.png", "two", "figures/probe-l-q_y.png"));
}

/* Restarts write the same tables, which have a row for each row of series.csv; other probes are refused. Pictures
 * follow from the tables. */
static void test_a_restart_has_the_same_probes(void **state)
{
    (void)state;
    static const char *const files[] = {"probes/p.csv", "probes/l.csv", "series.csv", "figures/probe-l-u.png",
                                        "figures/probe-p-q_y.png"};
    static const char text[] =
        CASE("{u: {initial: \"sin(3*x)*y\", boundary: {left: \"t\", y: periodic}}}",
             "equations: \"du/dt = laplace(u) + u - u^3\"\ntime: {end: 0.2, method: rkc2, rtol: 1e-4}\n"
             "output: {every: 0.05, series_steps: 2, fields: [], figures: u, derived: {q: \"grad(u)\"}, "
             "probes: {p: {at: [0.05, 1.9]}, l: {from: [0, 0], to: [1, 2], points: 5}}}\n");
    char path[128], where[160];
    const char *set[] = {"output.probes={p: {at: [0.5, 1]}}"};
    write_case(text, path);
    run_to_end(path, "probes", NULL, false);
    assert_int_equal(run_until(path, "parts3", (rw_run_options){0}, 3), RW_ERR_INTERRUPTED);
    run_to_end(path, "parts3", NULL, true);
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
        if (!same_files("probes", files[i], "parts3", files[i])) fail_msg("%s differs", files[i]);
    rw_csv_table series = read_table("probes", "series.csv"), point = read_table("probes", "probes/p.csv");
    assert_true(series.n_rows > 5);
    assert_int_equal(series.n_rows, point.n_rows);
    rw_csv_free(&series);
    rw_csv_free(&point);
    snprintf(where, sizeof where, "%s/parts3", folder);
    const rw_run_options options = {.folder = where, .device = "cpu", .set = set, .nset = 1, .restart = true};
    assert_int_equal(rw_run_case(ctx, path, &options, NULL), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(ctx), "output.probes: {p: "));
}

/* ---- animations -------------------------------------------------------------------------------------------------- */

#define FILM                                                                                                           \
    CASE("{u: {initial: \"x\"}, v: {initial: \"y\"}}",                                                                 \
         "equations: [\"du/dt = -u\", \"dv/dt = 0\"]\ntime: {end: 1, method: rk4, step: 0.25}\n"                       \
         "output: {fields: [], derived: {q: \"[u, v]\"}, %s}\n")

static rw_status run_film(const char *output, const char *results)
{
    char text[1024], path[128];
    snprintf(text, sizeof text, FILM, output);
    write_case(text, path);
    return run_until(path, results, (rw_run_options){0}, -1);
}

static void test_animations_without_frames(void **state)
{
    (void)state;
    static const mistake list[] = {
        {"animation: u",
         ":6:57: output.animation: there are no frames between the start and the end: set output.every"},
        {"every: 0.5, animation: w", ":6:69: output.animation: 'w' is not a field; "},
        {"every: 0.5, animation: [v, q], figures: [v]",
         ":6:73: output.animation: there are no frames of 'q', since output.figures draws no pictures of it"},
        {"every: 0.5, animation: all, figures: []", "output.animation: there are no frames of 'all'"},
        {"every: 0.5, animation: u, figures_every: last", "since output.figures_every = last draws one picture"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
        assert_int_equal(run_film(list[i].text, "nothing"), RW_ERR_INPUT);
        if (!strstr(rw_message(ctx), list[i].message)) fail_msg("%s: %s", list[i].text, rw_message(ctx));
    }
}

/* Modulus and phase of a complex field are two animations. */
static void test_animations_of_complex_fields(void **state)
{
    (void)state;
    size_t n;
    char path[128];
    write_case(CASE("{A: {type: complex, initial: \"x + 1i*y\"}}",
                    "equations: \"dA/dt = -A\"\ntime: {end: 1, method: rk4, step: 0.25}\n"
                    "output: {every: 0.5, fields: [], animation: A}\n"),
               path);
    run_to_end(path, "complex_film", NULL, false);
    static const char *const names[] = {"figures/A_abs-animation.png", "figures/A_arg-animation.png"};
    for (int i = 0; i < 2; ++i) {
        char *bytes = read_bytes("complex_film", names[i], &n);
        assert_memory_equal(bytes + 37, "acTL\0\0\0\3\0\0\0\0", 12);
        rw_free(bytes);
    }
}

/* A program ffmpeg that writes its arguments to the file that the last one names, and ends with this status. */
static void put_ffmpeg(int code)
{
    char text[400];
    snprintf(text, sizeof text,
             "mkdir -p '%s/bin' && printf '#!/bin/sh\\nfor last; do :; done\\necho \"$@\" >\"$last\"\\nexit %d\\n' "
             ">'%s/bin/ffmpeg' && chmod +x '%s/bin/ffmpeg'",
             folder, code, folder, folder);
    assert_int_equal(system(text), 0);
}

static void test_animations(void **state)
{
    (void)state;
    size_t n;
    char *before = rw_strdup(getenv("PATH")), *path = rw_format("%s/bin:%s", folder, before);
    setenv("PATH", path, 1);
    put_ffmpeg(0);
    assert_int_equal(run_film("every: 0.25, animation: [u, q], animation_rate: 4", "film"), RW_OK);
    char *bytes = read_bytes("film", "figures/q-animation.png", &n);
    assert_memory_equal(bytes + 37, "acTL\0\0\0\5\0\0\0\0", 12); /* five frames, again and again */
    rw_free(bytes);
    bytes = read_bytes("film", "figures/u-animation.mp4", &n);
    assert_non_null(strstr(bytes, "-i "));
    assert_non_null(strstr(bytes, "/figures/u-animation.png"));
    rw_free(bytes);
    assert_int_not_equal(access(result("film", "figures/v-animation.png"), F_OK), 0);
    put_ffmpeg(1);
    assert_int_equal(run_film("every: 0.5, animation: all", "failed"), RW_OK);
    assert_int_equal(access(result("failed", "figures/v-animation.png"), F_OK), 0);
    assert_int_not_equal(access(result("failed", "figures/v-animation.mp4"), F_OK), 0);
    setenv("PATH", before, 1);
    rw_free(path);
    rw_free(before);
}

/* Without memory at the end of a run: it fails, and never has an animation of fewer frames. */
static void test_no_frame_is_lost(void **state)
{
    (void)state;
    enum { LAST = 48, STEP = 4 };
    static const char output[] = "every: 0.5, figures: v, animation: v";
    char text[1024], path[128];
    snprintf(text, sizeof text, FILM, output);
    write_case(text, path);
    long events = 1L << 40, failed = 0;
    for (int i = 0; i <= LAST; i += STEP) {
        const long at = i ? events - LAST + i : events;
        rw_fault_set(RW_FAULT_ALLOC, at);
        const rw_status status = run_until(path, "lost", (rw_run_options){.force = true}, -1);
        if (i == 0) events = rw_fault_events(RW_FAULT_ALLOC);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        failed += status != RW_OK;
        if (status != RW_OK) continue;
        size_t n;
        char *bytes = read_bytes("lost", "figures/v-animation.png", &n);
        assert_memory_equal(bytes + 37, "acTL\0\0\0\3\0\0\0\0", 12);
        rw_free(bytes);
    }
    assert_true(failed > 0); /* how many follows from the threads that draw */
}

static int setup(void **state)
{
    (void)state;
    return !open_folder();
}

static int teardown(void **state)
{
    (void)state;
    return close_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mistakes_of_probes),
                                       cmocka_unit_test(test_probes_are_cubic),
                                       cmocka_unit_test(test_probes_of_other_axes),
                                       cmocka_unit_test(test_probes_of_complex_fields),
                                       cmocka_unit_test(test_curves_of_probes),
                                       cmocka_unit_test(test_a_restart_has_the_same_probes),
                                       cmocka_unit_test(test_animations_without_frames),
                                       cmocka_unit_test(test_animations),
                                       cmocka_unit_test(test_no_frame_is_lost),
                                       cmocka_unit_test(test_animations_of_complex_fields)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
