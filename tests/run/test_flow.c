/* Plane flow: the case of a pde that a flow writes, its text, values of the document and of the literature, psi on the
 * sides, mistakes. */
#include "pde_test.h"

#define QUIET "output: {figures: [], fields: []}\n"
#define GRID(nx, ny) "problem: flow\ngrid: {size: [" #nx ", " #ny "]}\n"
#define CAVITY "sides: {north: {wall: {u: 1}}, west: wall, east: wall, south: wall}\n"
#define NEWTON "time: {method: newton, end: steady}\n"
#define CHECK(value, expect, tolerance)                                                                                \
    "checks: {c: {value: \"" value "\", expect: " #expect ", tolerance: " #tolerance "}}\n"

static rw_status run_text(const char *text, const char *results, rw_run_report *report)
{
    char path[128], where[160];
    write_case(text, path);
    snprintf(where, sizeof where, "%s/%s", folder, results);
    const rw_run_options options = {.folder = where, .device = "cpu", .force = true};
    return rw_run_case(ctx, path, &options, report);
}

static void test_known_flows(void **state)
{
    (void)state;
    /* the document's scheme and its explicit walls; steady states by Newton's method are those of any scheme in time */
    static const char *const cases[] = {
        GRID(33, 33) "fluid: {re: 1}\n" CAVITY NEWTON QUIET CHECK("min(psi)", -0.099616, 2e-5),
        GRID(65, 65) "fluid: {re: 100}\n" CAVITY
                     "scheme: {convection: upwind}\n" NEWTON QUIET CHECK("min(psi)", -0.102912, 2e-6),
        GRID(65, 65) "fluid: {viscosity: nu0}\nparameters: {nu0: 0.01}\n" CAVITY
                     "time: {method: imex1, step: 5e-3, end: steady, tolerance: 1e-6}\n" QUIET CHECK("min(psi)",
                                                                                                     -0.102954, 2e-6),
        "problem: flow\ngrid: {size: [65, 17], extent: [4, 1]}\nfluid: {re: 100}\n"
        "sides: {west: {inflow: {u: \"6*y*(1 - y)\"}}, east: outflow, south: wall, north: wall}\n"
        "scheme: {wall: woods}\ntime: {method: ark2, step: 0.02, end: steady, tolerance: 1e-10}\n" QUIET
            CHECK("max(max(abs(psi - 3*y^2 + 2*y^3)), abs(min(w) + 6)/1000)", 0, 1e-9),
        /* from psi = 0 the first linear system of Newton's method stagnates */
        "problem: flow\ngrid: {size: [65, 17], extent: [4, 1]}\nfluid: {re: 100}\n"
        "sides: {west: {inflow: {u: \"6*y*(1 - y)\"}}, east: outflow, south: wall, north: wall}\n"
        "scheme: {wall: woods}\n" NEWTON QUIET CHECK("normmax(psi - 3*y^2 + 2*y^3)", 0, 1e-7),
        GRID(65,
             65) "fluid: {ra: 1e3, pr: 0.71}\ninitial: {temperature: \"1 - x\"}\n"
                 "sides: {west: {wall: {}, temperature: 1}, east: {wall: {}, temperature: 0}, south: {wall: {}, "
                 "insulated: copy}, north: {wall: {}, insulated: copy}}\n" NEWTON QUIET CHECK(
                     "sum(where(x < hx/2, (3*T - 4*T[i+1, j] + T[i+2, j])/(2*hx)*hy*where(abs(2*y - 1) > 1 - hy, 0.5, "
                     "1), "
                     "0))",
                     1.1205, 1e-4),
    };
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        rw_run_report report;
        char name[16];
        snprintf(name, sizeof name, "known%d", i);
        if (run_text(cases[i], name, &report) != RW_OK) fail_msg("%s%s", cases[i], rw_message(ctx));
    }
}

/* ---- the text ---------------------------------------------------------------------------------------------------- */

#define EVERYTHING                                                                                                     \
    "problem: flow\ntitle: all of it\ngrid: {size: [24, 17], extent: [2, 1], origin: [-1, 0]}\n"                       \
    "fluid: {re: Re, pr: 0.7, ra: 1e4, down: [0.5, -1]}\nparameters: {Re: 80}\nfunctions: \"hot(a) = 1 + a/10\"\n"     \
    "initial: {u: \"y*(1 - y)\", v: \"x/50\", temperature: \"y\"}\n"                                                   \
    "sides:\n  west:\n    - {where: \"y < 0.4\", inflow: {u: \"y*(0.4 - y)\", v: 0.01}, temperature: \"hot(y)\"}\n"    \
    "    - {wall: {v: \"0.1\"}, flux: \"0.3\", tracers: {dye: \"1\"}}\n"                                               \
    "  east: outflow\n  south: {wall: {u: \"x^2\"}, robin: [\"1\", \"2\", \"3\"]}\n"                                   \
    "  north: [{where: \"x > 0.5\", inflow: {v: \"-(x - 0.5)*(1 - x)\"}, temperature: \"2\"}, symmetry]\n"             \
    "tracers: {dye: {initial: \"x\", diffusivity: \"0.01 + 0.001*y\", source: \"T/9\"}}\n"                             \
    "forces: {x: \"y*dye\", y: \"sin(x)\"}\ntime: {method: ark2, step: 0.01, end: 0.05}\n"                             \
    "output: {figures: [], fields: [], series_steps: 1, series: {more: \"max(dye)\"}}\n"

/* The text that is written runs to the same bits. */
static void test_text(void **state)
{
    (void)state;
    static const char *const schemes[] = {"", "scheme: {convection: upwind, wall: woods}\n",
                                          "scheme: {convection: limited, wall: jensen}\n"};
    for (int i = 0; i < RW_COUNT(schemes); ++i) {
        char text[4096], path[128], *written, *a, *b;
        size_t n, m;
        snprintf(text, sizeof text, "%s%s", EVERYTHING, schemes[i]);
        write_case(text, path);
        assert_int_equal(RW_OK, rw_explain_text(ctx, path, NULL, &written));
        assert_true(!strncmp(written, "problem: pde\n", 13));
        if (run_text(text, "flow", NULL) != RW_OK) fail_msg("%s", rw_message(ctx));
        if (run_text(written, "pde", NULL) != RW_OK) fail_msg("%s\n%s", written, rw_message(ctx));
        assert_int_equal(RW_OK, rw_file_read(ctx, result("flow", "series.csv"), 1 << 20, &a, &n));
        assert_int_equal(RW_OK, rw_file_read(ctx, result("pde", "series.csv"), 1 << 20, &b, &m));
        assert_true(n == m && n > 500 && !memcmp(a, b, n) && strstr(a, "nusselt_west") == NULL && strstr(a, "more"));
        rw_free(a);
        rw_free(b);
        rw_free(written);
    }
}

/* ---- steps by the Courant number --------------------------------------------------------------------------------- */

#define LID GRID(33, 33) "fluid: {re: Re}\nparameters: {Re: 400}\n" CAVITY

/* From rest, where diffusion and walls alone limit the steps; the same flow by each method; and a number that is too
 * large, by steps that are. */
static void test_courant(void **state)
{
    (void)state;
    static const char *const methods[] = {"imex1", "ark2", "rk4", "dp5"};
    char text[2048], *written;
    rw_run_report report;
    for (int i = 0; i < RW_COUNT(methods); ++i) {
        snprintf(text, sizeof text,
                 LID "time: {method: %s, courant: 0.5, end: 2}\n" QUIET CHECK("min(psi)", -0.06, 1e-2), methods[i]);
        if (run_text(text, "courant", &report) != RW_OK) fail_msg("%s: %s", methods[i], rw_message(ctx));
    }
    snprintf(text, sizeof text, LID "time: {method: imex1, step: 0.2, end: 20}\n" QUIET);
    assert_int_equal(run_text(text, "diverges", &report), RW_ERR_NOT_CONVERGED);
    assert_true(report.step <= 20);
    if (!strstr(rw_message(ctx), "the Courant number is") || !strstr(rw_message(ctx), "time.courant: 0.5"))
        fail_msg("%s", rw_message(ctx));
    /* limits: those of the scheme, and the user's own */
    static const char *const given[][2] =
        {{"time: {method: imex1, courant: 0.5, end: 1}\n", "max_step: \"0.46875\""},
         {"scheme: {wall: woods}\ntime: {method: ark2, courant: 0.5, end: 1}\n", "max_step: \"0.3125\""},
         {"time: {method: rk4, courant: 0.5, end: 1}\n", "max_step: \"0.131836\""},
         {"time: {method: imex1, courant: 0.5, end: 1, max_step: 0.01}\n", "max_step: 0.01"},
         {"time: {method: imex1, courant: 0.5, end: 1, courant_one: 1/32}\n", "courant_one: 1/32"},
         {"time: {method: imex1, step: 0.01, end: 1}\n", "courant_one: \"1/max(abs(dy(psi))/hx"},
         {"scheme: {convection: upwind}\ntime: {method: imex1, courant: 0.5, end: 1}\n", "courant_one: \"1/max("}};
    for (int i = 0; i < RW_COUNT(given); ++i) {
        char path[128];
        snprintf(text, sizeof text, LID "%s" QUIET, given[i][0]);
        write_case(text, path);
        assert_int_equal(RW_OK, rw_explain_text(ctx, path, NULL, &written));
        if (!strstr(written, given[i][1])) fail_msg("%s: no %s in\n%s", given[i][0], given[i][1], written);
        rw_free(written);
    }
}

/* ---- psi on the sides -------------------------------------------------------------------------------------------- */

static void test_sides(void **state)
{
    (void)state;
#define SHORT "time: {method: ark2, step: 1e-3, end: 2e-3}\n" QUIET
#define SIDES(sides, value, expect)                                                                                    \
    GRID(17, 17) "fluid: {re: 10}\nsides: {" sides "}\n" SHORT CHECK(value, expect, 1e-13)
    static const char *const cases[] = {
        /* through the domain, from below, round the corner; two inflows */
        SIDES("west: outflow, east: {inflow: {u: \"-y^3\"}}, south: wall, north: wall", "max(abs(psi))*4", 1),
        SIDES("south: {inflow: {v: \"exp(x)\"}}, north: outflow, west: wall, east: wall", "max(abs(psi)) - exp(1)", -1),
        SIDES("west: {inflow: {u: 1}}, south: {inflow: {v: 2}}, north: outflow, east: wall", "max(psi) - min(psi)", 3),
        SIDES("west: {inflow: {u: 2}}, east: {inflow: {u: \"4*y\"}}, south: wall, north: symmetry",
              "max(psi) - min(psi)", 2),
        SIDES("west: [{where: \"y > 0.25 and y < 0.5\", inflow: {u: 4}}, wall], east: outflow, south: wall, north: "
              "wall",
              "max(psi) - min(psi)", 1),
        /* layers without sides */
        SIDES("west: periodic, east: periodic, south: {wall: {u: 1}}, north: wall", "min(abs(psi))", 0),
        SIDES("west: periodic, east: periodic, south: periodic, north: periodic", "max(abs(psi))", 0),
    };
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        char name[16];
        snprintf(name, sizeof name, "sides%d", i);
        if (run_text(cases[i], name, NULL) != RW_OK) fail_msg("%s%s", cases[i], rw_message(ctx));
    }
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

static void test_mistakes(void **state)
{
    (void)state;
#define FLUID "fluid: {re: 10}\n"
#define BAD(sides) GRID(17, 17) FLUID "sides: {" sides "}\n" SHORT
#define WALLS "west: wall, east: wall, south: wall, north: "
    static const struct {
        const char *text, *message;
    } rows[] = {
        {BAD(WALLS "wal"), ":4:53: side north = wal is unknown; nearest is wall"},
        {BAD("west: wall, east: wall, south: wall"), ":4:8: nothing is said of the side north: add north: wall"},
        {BAD(WALLS "wall, top: wall"), "the side north is given twice"},
        {BAD(WALLS "wall, nord: wall"), "side nord is unknown"},
        {BAD(WALLS "{wall: {v: 1}}"), "a wall on the side north moves along itself, with u: v is across it"},
        {BAD(WALLS "{wall: {w: 1}}"), "w of a wall is unknown: give u"},
        {BAD(WALLS "{wall: {}, inflow: {v: 1}}"), "both wall and inflow"},
        {BAD(WALLS "{inflow: {u: 1}}"), "inflow through the side north needs the velocity v"},
        {BAD(WALLS "{inflow: {v: \"log(x - 2)\"}}"), "the velocity at x = 0, y = 1 is not a finite number"},
        {BAD(WALLS "{inflow: {v: \"-1\"}}"), "1 flows in through the sides and 0 out, 1 too much"},
        {BAD("west: {inflow: {u: 1}}, east: {inflow: {u: 0.8}}, south: wall, north: wall"),
         "1 flows in through the sides and 0.8 out, 0.2 too much"},
        {BAD("west: {inflow: {u: 1}}, east: outflow, south: wall, north: outflow"), "a second outflow"},
        {BAD("west: periodic, east: wall, south: wall, north: wall"),
         "the side west is periodic, but east, opposite to it, is not"},
        {BAD("west: periodic, east: periodic, south: wall, north: {inflow: {v: 1}}"), "inflow next to periodic sides"},
        {BAD(WALLS "[{where: \"x < 0.3\", wall: {}}]"), "the side north is not covered at x = 0.3125"},
        {BAD(WALLS "[{where: \"x < 0.3\", wall: {}}, {where: \"x < 0.6\", symmetry: {}}, wall]"),
         "the side north is covered twice at x = 0, by parts 1 and 2"},
        {BAD(WALLS "[wall, {where: \"x < 0.3\", wall: {}}]"), "part 1 of 2 of the side north has no where"},
        {BAD(WALLS "{wall: {}, temperature: 1}"), "fluid.pr is missing: there is a temperature"},
        {BAD(WALLS "{wall: {}, insulated: foam}"), "insulated takes mirror, copy or second"},
        {BAD(WALLS "{wall: {u: \"speed\"}}"), "name speed is unknown"},
        {GRID(17, 17) "fluid: {}\nsides: {" WALLS "wall}\n" SHORT, "nothing gives the viscosity"},
        {GRID(17, 17) "fluid: {re: 1, viscosity: 2}\nsides: {" WALLS "wall}\n" SHORT,
         "both fluid.re and fluid.viscosity"},
        {GRID(17, 17) "fluid: {ra: 1e4, pr: 1}\nsides: {" WALLS "wall}\n" SHORT, "no side has a temperature"},
        {GRID(17, 17) FLUID "parameters: {nu: 3}\nsides: {" WALLS "wall}\n" SHORT,
         "parameter nu: a flow defines it from `fluid`"},
        {GRID(17, 17) FLUID "sides: {" WALLS "wall}\ntime: {end: 1, method: euler}\n", "time.method = euler"},
        {"problem: flow\ngrid: {size: [17]}\n" FLUID "sides: {" WALLS "wall}\n" SHORT, ":2:14: grid.size"},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        const rw_status status = check_text(rows[i].text);
        if (status != RW_ERR_INPUT || !strstr(rw_message(ctx), rows[i].message))
            fail_msg("%s\n%s: %s", rows[i].text, rows[i].message, status ? rw_message(ctx) : "no mistake");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_flows), cmocka_unit_test(test_text),     cmocka_unit_test(test_courant),
        cmocka_unit_test(test_sides),       cmocka_unit_test(test_mistakes),
    };
    if (!open_folder()) return 1;
    const int failed = cmocka_run_group_tests_name("flow", tests, NULL, NULL);
    return close_folder() || failed;
}
