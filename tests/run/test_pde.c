/* The problem pde: wrong cases with the exact message, grids that follow from boundary conditions, parameters, initial
 * values from files and pictures, checks, and runs that stop before their end. */
#include "pde_test.h"

#include "../values.h"
#include "core/json.h"
#include "files/npy.h"

static rw_device *dev;

#define TIME "time: {end: 0.1, method: rkc2}\n"
#define EQ "equations: \"du/dt = laplace(u)\"\n"

#define SECOND "equations have first derivatives in time: write a system of two fields, du/dt = v; dv/dt = …"

#define PARTS(list) CASE("{u: {initial: \"0\", boundary: {left: " list "}}}", EQ TIME)

static void test_bad_input(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } table[] = {
        {CASE("{u: {initial: \"0\"}}", "equations: \"du/dt = laplce(u)\"\n" TIME),
         ":4:21: function laplce is unknown; nearest is laplace"},
        {CASE("{u: {initial: \"0\"}}", "equations: \"du/dt = w*u\"\n" TIME), ":4:21: name w is unknown"},
        {CASE("{u: {initial: \"0\"}}", "equations: |\n  r = u^2\n  du/dt = u/grad(u)\n" TIME),
         ":6:12: incompatible shapes: a field / a vector of 2"},
        {CASE("{u: {initial: \"0\"}}", "equations: \"du/dt = grad(u)\"\n" TIME),
         "incompatible shapes: du/dt is a vector"},
        {CASE("{u: {initial: \"0\"}}", "equations: \"dv/dt = u\"\n" TIME), "dv/dt: there is no field v"},
        {CASE("{u: {initial: \"0\"}, v: {initial: \"1\"}}", EQ TIME), "there is no equation for field v: add dv/dt = "},
        {CASE("{u: {initial: \"0\"}}", "equations: [\"du/dt = u\", \"du/dt = 2*u\"]\n" TIME),
         "a second equation for du/dt"},
        {CASE("{u: {initial: \"0\"}}", "equations: \"du/dt = dz(u)\"\n" TIME),
         "dz is not defined on a grid of 2 dimensions"},
        {CASE("{u: {initial: \"0\"}}", "equations: \"du/dt = z*u\"\n" TIME),
         ":4:21: coordinate z does not exist on a grid of 2 dimensions"},
        {CASE("{u: {initial: \"0\"}}", "equations: \"du/dt = (u\"\n" TIME), "expected ')'"},
        {CASE("{x: {initial: \"0\"}}", "equations: \"dx/dt = 0\"\n" TIME),
         ":3:10: \"x\" is a coordinate, operator or function of the language"},
        {CASE("{laplace: {initial: \"0\"}}", EQ TIME), "is a coordinate, operator or function of the language"},
        {CASE("{u: {initial: \"0\"}}", "parameters: {sin: 2}\n" EQ TIME),
         ":4:14: \"sin\" is a coordinate, operator or function"},
        {CASE("{u: {initial: \"0\"}}", "parameters: {u: 2}\n" EQ TIME), "u is both a field and a parameter"},
        {CASE("{u: {initial: \"0\"}}", "parameters: {a: \"1/0\"}\n" EQ TIME),
         "parameters.a = inf: a parameter must be finite"},
        {CASE("{u: {initial: \"0\"}}", "parameters: {a: x}\n" EQ TIME), "parameters.a depends on coordinates"},
        {CASE("{u: {initial: \"0\"}}", "parameters: {a: b}\n" EQ TIME), "name b is unknown"},
        {CASE("{u: {initial: \"0\"}}", "parameters: {a: b, b: 1}\n" EQ TIME), ":4:17: name b is unknown"},
        {CASE("{u: {initial: \"v\"}}", EQ TIME), "name v is unknown"},
        {CASE("{u: {initial: {file: none.npy}}}", EQ TIME), ":3:30: /tmp/rechenwerk-test"},
        {CASE("{u: {initial: {picture: none.png}}}", EQ TIME), ":3:33: cannot open '"},
        {CASE("{u: {initial: {fle: u.npy}}}", EQ TIME),
         ":3:24: fields.u.initial.fle is unknown; nearest is file; allowed is an expression, {file: u.npy}, {picture:"},
        {CASE("{u: {initial: \"0\", boundary: {lft: \"0\"}}}", EQ TIME),
         "side lft is unknown; nearest is left: in 2 dimensions there are left, right, bottom, top, or "
         "whole axes x, y"},
        {CASE("{u: {initial: \"0\", boundary: {back: \"0\"}}}", EQ TIME), "side back is unknown"},
        {CASE("{u: {initial: \"0\", boundary: {left: periodic}}}", EQ TIME), "axis x is periodic on one side only"},
        {CASE("{u: {initial: \"0\", boundary: {robin: [1, 2]}}}", EQ TIME), "robin takes three expressions"},
        {CASE("{u: {initial: \"0\", boundary: {robyn: [1, 2, 3]}}}", EQ TIME), "robyn is unknown"},
        {CASE("{u: {initial: \"0\", boundary: \"u\"}}", EQ TIME),
         ":3:39: the value of u on this side depends on itself: write inner(u, 1) for the next node"},
        {CASE("{u: {initial: \"0\", boundary: {left: \"inner(u, 9)\"}}}", EQ TIME), "inner(u, 9): the axis has "},
        {CASE("{u: {initial: \"0\", boundary: {left: {neumann: \"dx(u)\"}}}}", EQ TIME),
         ":3:56: dx reads nodes across this side of x"},
        {CASE("{u: {initial: \"inner(u, 1)\"}}", EQ TIME), "inner is only for boundary expressions"},
        {PARTS("[{where: y > 1, dirichlet: inner(u)}, neumann]"), "inner takes 2 arguments, 1 given"},
        {CASE("{u: {initial: \"0\", boundary: periodic}, v: {initial: \"0\"}}",
              "equations: [\"du/dt = u\", \"dv/dt = v\"]\n" TIME),
         "side left is periodic for field u, but not for v: an axis is periodic for all fields or for none"},
        {CASE("{u: {initial: \"0\", boundary: {top: {robin: [x > 0.5, x > 0.5, 1]}, "
              "left: \"0\"}}, v: {initial: \"0\"}}",
              "equations: [\"du/dt = u\", \"dv/dt = v\"]\n" TIME),
         " is 0 at x = 0.0625, y = 2: a and b in robin: [a, b, c] must not both be 0"},
        {PARTS("[{where: y > 9, dirichlet: 1}, neumann]"),
         "part 1 of 2 never applies: at each of the 6 nodes of the side an earlier part does, or its where is not"},
        {PARTS("[{where: y > -9, dirichlet: 1}, neumann]"),
         "part 2 of 2 never applies: at each of the 6 nodes of the side an earlier part does"},
        {PARTS("[{where: y > t, dirichlet: 1}, neumann]"),
         "where = y > t reads t: parts of a side stay where they are"},
        {PARTS("[{where: u > 0, dirichlet: 1}, neumann]"),
         ":3:54: fields.u.boundary: where = u > 0 reads a field: parts of a side stay where they are"},
        {CASE("{u: {initial: \"0\", boundary: {left: \"v\"}}, v: {initial: \"0\", boundary: {left: \"2*u\"}}}",
              "equations: [\"du/dt = u\", \"dv/dt = v\"]\n" TIME),
         ":3:46: the value of v on this side depends on itself: write inner(v, 1) for the next node"},
        {CASE("{u: {initial: \"0\", boundary: {left: \"0\", top: \"1\", west: neumann}}}", EQ TIME),
         ":3:60: fields.u.boundary: left and west give a condition for the same side: remove one of them"},
        {PARTS("[{where: y > 1, dirichlet: 1/0}, neumann]"),
         "fields.u.boundary: at x = 0, y = 1.16667 a value is not fi"},
        {PARTS("[{where: y > 1, dirichlet: 1}, {where: y < 1, neumann: 0}]"),
         ":3:77: fields.u.boundary: the last part of a side must have no where: it applies wherever no other does"},
        {PARTS("[{dirichlet: 1}, neumann]"), "a part of a side has where and a condition, such as {where:"},
        {PARTS("[{where: y > 1, constant: 1}, neumann]"),
         "constant cannot be a part of a side: dirichlet, neumann and robin can"},
        {PARTS("[{where: y > 1, robin: [y < 0, y < 0, 1]}, neumann]"),
         "at x = 0, y = 1.16667 a and b in robin: [a, b, c] must not both be 0"},
        {PARTS("[]"), "a side has 0 parts: 1 to 16 are allowed"},
        {CASE("{u: {initial: \"0\", dtype: c128}}", EQ TIME), "fields.u.dtype is unknown; nearest is fields.u.type"},
        {CASE("{u: {initial: \"0\"}}", "equations: \"du/dt = i*laplace(u)\"\n" TIME),
         "name i is unknown: write the imaginary unit as 1i; a field with complex values has type: complex"},
        {CASE("{u: {initial: \"0\"}}", "equations: \"du/dt = dxx(u) + dx(u)/r\"\n" TIME),
         "name r is unknown: write the distance from an axis as sqrt(x^2 + y^2)"},
        {CASE("{u: {initial: \"0\"}}", "equations: \"du/dt = drr(u)\"\n" TIME),
         "function drr is unknown: grids of pde are boxes in x, y, z: of a rotationally symmetric problem let x be"},
        {CASE("{u: {initial: \"0\"}}", "equations: [\"laplace(u) = 1\"]\n" TIME),
         ":5:13: time.end = 0.1: no equation has a time derivative: write time: {end: steady}"},
        {CASE("{u: {initial: \"0\"}}", "equations: [\"laplace(u) = 1\", \"0 = u - x\"]\n" TIME),
         ":4:32: a second equation for u, which "},
        {CASE("{u: {initial: \"0\"}}", "equations: [\"du/dt = u\", \"0 = u - x\"]\n" TIME),
         ":4:27: this equation determines no field: each field has a rate d/dt"},
        {CASE("{u: {initial: \"0\"}, v: {initial: \"0\"}}", "equations: [\"laplace(u) = v\"]\n" TIME),
         ":4:14: there is no equation for v: the one at "},
        {CASE("{u: {initial: \"0\"}, v: {initial: \"0\"}}", "equations: [\"laplace(u) = 1\"]\n" TIME),
         ":4:14: nothing determines v: no equation reads its values at the nodes"},
        {CASE("{u: {initial: \"0\"}}", "equations: [\"laplace(u) = 1i\"]\n" TIME),
         ":4:14: this equation is complex, but field u, which it determines, is real"},
        {CASE("{u: {initial: \"0\"}}", "equations: [\"laplace(u) = q\"]\n" TIME), ":4:27: name q is unknown"},
        {CASE("{u: {initial: \"0\"}, v: {initial: \"0\"}}", "equations: [\"laplace(u) = v\", \"v_tt = u\"]\n" TIME),
         ":4:32: equations have first derivatives in time"},
        {CASE("{phi: {initial: \"0\"}}", "equations: \"2*dphi/dt = phi\"\n" TIME),
         ":4:15: name dphi is unknown: write first derivatives as dx(phi), dy(phi), grad(phi); the rate dphi/dt"},
        {CASE("{u: {initial: \"0\"}}", "functions: [\"sin(a) = a\"]\n" EQ TIME),
         ":4:14: function sin has the name of an operator or function of the language: choose another name"},
        {CASE("{u: {initial: \"0\"}}", "functions: [\"0 = u\"]\n" EQ TIME),
         ":4:14: functions takes definitions such as f(a) = a - a^3: write other statements under equations"},
        {"problem: pde\ngrid: {size: 8, kind: cylinder}\nfields: {u: {initial: \"0\"}}\n" EQ TIME,
         "grid.kind is unknown: grids of pde are boxes"},
        {CASE("{u: {initial: \"0\"}}", EQ "time: {end: -1}\n"), "time.end = -1 is not after time.start = 0"},
        {CASE("{u: {initial: \"0\"}}", EQ "time: {start: 1, end: 1}\n"), "time.end = 1 is not after time.start = 1"},
        {CASE("{u: {initial: \"0\"}}", EQ "time: {end: 1, rtol: 0}\n"),
         ":5:22: time.rtol = 0 is outside (0, 1]: relative tolerance per step"},
        {CASE("{u: {initial: \"0\"}}", EQ "time: {end: 1, rtol: .nan}\n"),
         "time.rtol = .nan is not a number (NaN): relative tolerance"},
        {CASE("{u: {initial: \"0\"}}", EQ "time: {end: 1, atol: 0}\n"),
         "time.atol = 0 is outside (0, inf): absolute tolerance per step"},
        {CASE("{u: {initial: \"0\"}}", EQ "time: {end: 1, atol: .nan}\n"),
         "time.atol = .nan is not a number (NaN): absolute tolerance"},
        {CASE("{u: {initial: \"0\"}}", EQ "time: {end: 1, method: rock4, max_stages: 4}\n"),
         ":5:43: time.max_stages = 4 is outside [5, 10000]: maximum number of stages per step"},
        {CASE("{u: {initial: \"0\"}}", EQ TIME "checks: {c: {value: u, tolerance: 1}}\n"),
         "checks.c.value is a field: reduce it to a number"},
        {CASE("{u: {initial: \"0\"}}", EQ "time: {end: 1, spectral_radius: \"x\"}\n"),
         ":5:33: time.spectral_radius depends on coordinates"},
        {CASE("{u: {initial: \"0\"}}", EQ "time: {end: 1, spectral_radius: -3}\n"),
         ":5:33: time.spectral_radius = -3: a bound on"},
        {CASE("{u: {initial: \"0\"}}", EQ "time: {end: 1, spectral_radius: \"-2*t/0\"}\n"),
         "time.spectral_radius = -2*t/0 is"},
        {CASE("{u: {initial: \"0\"}}", EQ "time: {end: 1, spectral_radius: \"100 + t\"}\n"), NULL},
        /* values that are not finite, or forbidden: before the run, with their place */
        {CASE("{u: {initial: \"1/0\"}}", EQ TIME), ":3:23: fields.u.initial = 1/0 is inf: finite values are needed"},
        {CASE("{u: {initial: .nan}}", EQ TIME), ":3:23: "},
        {CASE("{u: {initial: \"log(x)\"}}", EQ TIME),
         ":3:23: fields.u.initial is infinite at node (0, 0), x = 0, y = 0: finite values are needed at every node"},
        {CASE("{u: {initial: \"sqrt(x - 0.1)\"}}", EQ TIME),
         "fields.u.initial is not a number at node (0, 0), x = 0, y = 0"},
        {CASE("{u: {initial: \"0\", boundary: \"1/0\"}}", EQ TIME),
         "fields.u.boundary = 1/0 is inf: finite values are needed"},
        {CASE("{u: {initial: \"0\", boundary: {left: \"1/(y - 0.4)\"}}}", EQ TIME),
         "fields.u.boundary = 1/(y - 0.4) is inf at x = 0, y = 0.4: finite values"},
        {CASE("{u: {initial: \"0\", boundary: {x: neumann, top: {neumann: \"log(x)\"}}}}", EQ TIME),
         "fields.u.boundary = log(x) is -inf at x = 0, y = "},
        {CASE("{u: {initial: \"0\", boundary: {robin: [1, 0, 2]}}}", EQ TIME),
         "fields.u.boundary = 0: b in robin: [a, b, c] must not be 0"},
        {CASE("{u: {initial: \"0\", boundary: {left: {robin: [1, \"y\", 2]}}}}", EQ TIME),
         "fields.u.boundary = y is 0 at x = 0, y = 0: b in robin"},
        {CASE("{u: {initial: \"0\", boundary: {left: {robin: [1, \"1 + y\", 2]}}}}", EQ TIME), NULL},
        /* conditions without value, or mistyped */
        {CASE("{u: {initial: \"0\", boundary: dirichlet}}", EQ TIME),
         "fields.u.boundary: dirichlet needs a boundary value: give {dirichlet: "},
        {CASE("{u: {initial: \"0\", boundary: {left: robin}}}", EQ TIME),
         "fields.u.boundary: robin needs its coefficients"},
        {CASE("{u: {initial: \"0\", boundary: periodc}}", EQ TIME),
         "periodc is neither a parameter nor a boundary condition; nearest is periodic"},
        {CASE("{u: {initial: \"0\", boundary: {nuemann: 1}}}", EQ TIME), "nuemann is unknown; nearest is neumann"},
        {CASE("{u: {initial: \"0\", boundary: constant}}", EQ TIME),
         "constant needs the value outside: give {constant: \"0\"}"},
        {CASE("{u: {initial: \"0\", boundary: {reflect: 1}}}", EQ TIME),
         "reflect has no value: dirichlet, neumann, robin and constant need a value"},
        {CASE("{u: {initial: \"0\", boundary: reflct}}", EQ TIME),
         "reflct is neither a parameter nor a boundary condition; nearest is reflect"},
        {CASE("{u: {initial: \"0\", boundary: {constant: \"1/0\"}}}", EQ TIME),
         "fields.u.boundary = 1/0 is inf: finite values are needed"},
        {CASE("{u: {initial: \"0\", boundary: {left: {constant: \"2 + t\"}, right: reflect101, y: wrap}}}", EQ TIME),
         NULL},
        {CASE("{u: {initial: \"0\", boundary: {left: reflect, right: replicate, y: {constant: 3}}}}", EQ TIME), NULL},
        {CASE("{u: {initial: \"0\", boundary: k}}", "parameters: {k: 2}\n" EQ TIME), NULL},
        {CASE("{u: {initial: \"0\"}}", "equations: \"d2u/dt2 = dxx(u)\"\n" TIME), ":4:13: " SECOND},
        {CASE("{u: {initial: \"0\"}}", "equations: \"d^2u/dt^2 = dxx(u)\"\n" TIME), ":4:13: " SECOND},
        {CASE("{u: {initial: \"0\"}}", "equations: \"u_tt = dxx(u)\"\n" TIME), ":4:13: " SECOND},
        {CASE("{u: {initial: \"0\"}}", "equations: \"dtt(u) = dxx(u)\"\n" TIME), ":4:13: " SECOND},
        {CASE("{u: {initial: \"0\"}}", "equations: \"ddu/dt = dxx(u)\"\n" TIME), ":4:13: " SECOND},
        {CASE("{u: {initial: \"0\"}}", "equations: \"utt = dxx(u)\"\n" TIME), ":4:13: " SECOND},
        {CASE("{u: {initial: \"0\"}}", "equations: \"du/dt = u_xx\"\n" TIME),
         ":4:21: name u_xx is unknown: write the derivative as dxx(u)"},
        {CASE("{u: {initial: \"0\"}}", "equations: \"du/dt = d2u/dx2\"\n" TIME),
         ":4:21: name d2u is unknown: write second derivatives as dxx(u), dxy(u), laplace(u)"},
        {CASE("{u: {initial: \"0\"}}", "equations: \"du/dt = du/dx\"\n" TIME),
         ":4:21: name du is unknown: write first derivatives as dx(u), dy(u), grad(u)"},
        {CASE("{u: {initial: \"0\"}}", "equations: \"du/dt = Δu\"\n" TIME),
         ":4:21: unexpected 'Δ': write the Laplacian as laplace(u)"},
        {CASE("{u: {initial: \"0\"}}", "equations: \"du/dt = D*laplace(u)\"\n" TIME),
         ":4:21: name D is unknown; nearest is dx; declare a parameter in the case as parameters: {D: …}, or with "
         "rw_run_options.set 'parameters.D!=…'"},
        {CASE("{u: {initial: \"0\"}}", "equations: \"du/dt = qq(u)\"\n" TIME),
         ":4:21: function qq is unknown: declare a function in the case as functions: [\"qq(a) = …\"]"},
        {CASE("{u: {initial: \"exp(1i*x)\"}}", EQ TIME),
         ":3:23: fields.u.initial = exp(1i*x) is complex, but field u is real: give it type: complex, or take real(),"},
        {CASE("{u: {initial: \"0\", boundary: {left: \"2 + 1i\"}}}", EQ TIME),
         ":3:45: fields.u.boundary = 2 + 1i is complex, but field u is real: give it type: complex"},
        {CASE("{u: {initial: \"0\"}}", EQ TIME "checks: {c: {value: \"1i*mean(u)\", tolerance: 1}}\n"),
         "checks.c.value = 1i*mean(u) is complex"},
        {CASE("{u: {initial: \"0\"}}", EQ "time: {end: 1, spectral_radius: 1i}\n"),
         "time.spectral_radius = 1i is complex"},
        {CASE("{u: {initial: \"g(x)\"}}", "functions: [\"g(a) = a*u\"]\n" EQ TIME),
         ":4:23: field u is not allowed here: use only coordinates, t and parameters"},
        {CASE("{u: {initial: \"1\"}}", "functions: [\"w = 3\"]\n" EQ TIME),
         ":4:14: functions takes definitions such as f(a) = a - a^3: write other statements under equations"},
        {CASE("{u: {initial: \"rand(x)\"}}", EQ TIME),
         "function rand is unknown: random numbers of each node are noise(seed)"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        rw_case *c = NULL;
        rw_problem *p;
        rw_status status = create(table[i].text, dev, &c, &p);
        if (!table[i].message) {
            assert_int_equal(status, RW_OK);
        } else if (status != (strstr(table[i].text, ": none.") ? RW_ERR_FILE : RW_ERR_INPUT) ||
                   !strstr(rw_message(ctx), table[i].message)) {
            fail_msg("row %zu: status %d, message: %s\nexpected: %s", i, status, rw_message(ctx), table[i].message);
        }
        destroy(&c, &p);
    }
}

/* All mistakes of a case in one message, and those of texts from --set with the place in the text. */
static void test_many_mistakes(void **state)
{
    (void)state;
    static const char text[] = "problem: pde\n"
                               "grid: {size: [8, 6]}\n"
                               "parameters: {D: 0.1, k: \"2*\"}\n"
                               "fields:\n"
                               "  u: {initial: \"1/0\", boundary: {left: dirichlet, lft: \"0\"}}\n"
                               "  v: {initial: \"lap(x)\", boundary: \"1/0\"}\n"
                               "equations:\n"
                               "  - q = D*lap(u)\n"
                               "  - du/dt = q + 1\n"
                               "  - dw/dt = if(u > 1, 2, 3)\n"
                               "time: {end: 1, rtl: 1e-3}\n"
                               "checks: {c: {value: \"max(u\"}}\n";
    static const char *const expected[] = {
        ":11:16: time.rtl is unknown; nearest is time.rtol",
        ":3:28: the expression ends where a value is expected",
        ":5:40: fields.u.boundary: dirichlet needs a boundary value",
        ":5:51: fields.u.boundary: side lft is unknown; nearest is left",
        ":8:11: function lap is unknown; nearest is laplace",
        ":10:13: function if is unknown: write a choice as where(",
        ":5:16: fields.u.initial = 1/0 is inf",
        ":6:17: function lap is unknown; nearest is laplace",
        ":6:36: fields.v.boundary = 1/0 is inf",
        ":12:27: expected ',' or ')' in the arguments of max",
    };
    rw_case *c = NULL;
    int lines = 1;
    assert_int_equal(rw_case_parse(ctx, "case.yaml", text, strlen(text), NULL, 0, rw_problems, &c), RW_ERR_INPUT);
    for (const char *m = rw_message(ctx); *m; m++) lines += *m == '\n';
    for (int i = 0; i < RW_COUNT(expected); ++i)
        if (!strstr(rw_message(ctx), expected[i])) fail_msg("'%s' is not in:\n%s", expected[i], rw_message(ctx));
    if (lines != RW_COUNT(expected)) fail_msg("%d lines, not %d:\n%s", lines, RW_COUNT(expected), rw_message(ctx));

    static const char *const both[] = {"grid.size=[0, 6]", "equations=du/dt = foo(u) + y"};
    assert_int_equal(rw_case_parse(ctx, "case.yaml", CASE("{u: {initial: \"0\"}}", EQ TIME),
                                   strlen(CASE("{u: {initial: \"0\"}}", EQ TIME)), both, 2, rw_problems, &c),
                     RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(ctx), "--set grid.size=[0, 6]: grid.size = 0 is outside"));
    assert_non_null(strstr(rw_message(ctx), "\n--set equations, 1:9: function foo is unknown"));
    assert_null(strstr(rw_message(ctx), "coordinate y"));

    static const struct {
        const char *set, *message;
    } sets[] = {
        {"equations=du/dt = foo(u) + u", "--set equations, 1:9: function foo is unknown"},
        {"equations=[\"r = u\", \"du/dt = r + nn\"]", "--set equations, 1:24: name nn is unknown"},
        {"equations=[du/dt = u; q = ), \"r = u +\"]", "--set equations, 1:17: unexpected ')'"},
        {"functions=f(a) = a*bb", "case.yaml:4:12"}, /* where it is used: nowhere, so only the equation may be wrong */
        {"fields.u.initial=sin(x", "--set fields.u.initial, 1:6: expected ',' or ')'"},
        {"fields.u.boundary={left: \"1/q\"}", "--set fields.u.boundary, 1:11: name q is unknown"},
        {"parameters.a!=1 + zz", "--set parameters.a, 1:5: name zz is unknown"},
        {"checks.c!={value: \"max(uu)\"}", "--set checks.c, 1:14: name uu is unknown"},
        {"time.spectral_radius=2*nn", "--set time.spectral_radius, 1:3: name nn is unknown"},
    };
    /* one mistake each: nothing that only follows from it */
    static const char *const single[] = {"time.end=",          "time.end=abc",      "time.end=[1, 2]",
                                         "grid.size=\"a\"",    "fields.u.unit=[1]", "fields.w.initial=1",
                                         "fields.x.initial=1", "parameters.q=sin(", "u.initial=1",
                                         "time.start=x",       "grid.order=3"};
    const char *two = CASE("{u: {initial: \"y\", boundary: \"0\"}, v: {initial: \"x\", boundary: \"0\"}}",
                           "equations: [\"du/dt = u\", \"dv/dt = v\"]\n" TIME);
    for (int i = 0; i < RW_COUNT(single); ++i) {
        assert_int_equal(rw_case_parse(ctx, "case.yaml", two, strlen(two), &single[i], 1, rw_problems, &c),
                         RW_ERR_INPUT);
        if (strchr(rw_message(ctx), '\n')) fail_msg("%s: %s", single[i], rw_message(ctx));
    }
    const char *good = CASE("{u: {initial: \"0\"}}", EQ TIME);
    for (int i = 0; i < RW_COUNT(sets); ++i) {
        rw_status status = rw_case_parse(ctx, "case.yaml", good, strlen(good), &sets[i].set, 1, rw_problems, &c);
        if (strstr(sets[i].message, "case.yaml")) assert_int_equal(status, RW_OK);
        else if (status != RW_ERR_INPUT || !strstr(rw_message(ctx), sets[i].message))
            fail_msg("%s: '%s' is not in %s", sets[i].set, sets[i].message, rw_message(ctx));
        rw_case_free(&c);
    }
}

/* A wrong grid, start or end is one mistake: names and values that cannot be judged without it are not reported. */
static void test_no_mistakes_that_follow(void **state)
{
    (void)state;
#define ROW "fields: {u: {initial: \"sin(pi*x)\", boundary: {left: \"1/(1+x)\", right: \"0\"}}}\n"
#define T1 "time: {end: 0.1, method: rkc2}\n"
    static const struct {
        const char *grid, *fields, *time, *message;
    } rows[] = {
        {"grid: {sise: [31], extent: [1]}\n", ROW, T1, ":2:8: grid.sise is unknown; nearest is grid.size"},
        {"grid: {sise: [31, 7], order: 4}\n", "fields: {u: {initial: y, boundary: {top: y, x: periodic}}}\n", T1,
         ":2:8: grid.sise is unknown; nearest is grid.size"},
        {"grid: {extent: [1, 1]}\n", "fields: {u: {initial: z, boundary: {front: x*y}}}\n", T1, "grid.size is missing"},
        {"", ROW, T1, "case.yaml: grid.size is missing"},
        {"gird: {size: [31]}\n", ROW, T1, ":2:1: gird is unknown; nearest is grid"},
        {"grid: {size: [], extent: [1, 1]}\n", "fields: {u: {initial: \"1\"}}\n", T1, "laplace needs space"},
        {"grid: {size: [2, 2, 2, 2]}\n", ROW, T1, "is a list of 4"},
        {"grid: {size: {x: 31}}\n", ROW, T1, "is a map, not a list of integers"},
        {"grid: {size: [0], extent: [1]}\n", ROW, T1, "grid.size = 0 is outside"},
        {"grid: {size: [1], extent: [1]}\n", "fields: {u: {initial: 1}}\n", T1,
         "at least 2 are needed; ordinary differential equations have grid: none"},
        {"grid: {size: [31], extent: [-1]}\n", ROW, T1, "grid.extent = -1 is outside"},
        {"grid: {size: [31], origin: [1, 2]}\n", ROW, T1, "grid.origin has 2 values"},
        {"grid: {size: [31], order: 3}\n", ROW, T1, "grid.order = 3 is none of"},
        {"grid: {size: [31]}\n", "fields: {u: {initial: x, boundary: {left: \"1/(1+x)\", right: {dirihclet: 0}}}}\n",
         T1, "dirihclet is unknown; nearest is dirichlet"},
        {"grid: {size: [31]}\n", "fields: {u: {initial: \"1/t\", boundary: {left: \"1/t\", right: \"x/t\"}}}\n",
         "time: {start: abc, end: 1, spectral_radius: \"1/t\"}\n", "time.start = abc is not a number"},
        {"grid: {size: [31]}\n", ROW, "time: {start: -1, ed: 0.1}\n", "time.ed is unknown; nearest is time.end"},
        {"grid: {size: [31]}\n", ROW, "time: {method: rkc2}\n", "time.end is missing"},
        {"grid: {size: [31]}\n", ROW, "", "time.end is missing"},
        {"grid: {size: [31]}\n", ROW, "tmie: {end: 1}\n", "tmie is unknown; nearest is time"},
        /* what does not depend on it is reported: the first of two lines */
        {"grid: {size: [0]}\n", "fields: {u: {initial: 0, boundary: \"1/0\"}}\n", T1,
         "fields.u.boundary = 1/0 is inf: finite values are needed\n"},
        {"grid: {size: [31]}\n", ROW, "time: {end: -1}\n", ":4:13: time.end = -1 is not after time.start = 0\n"},
        {"grid: {size: [31]}\n", "fields: {u: {initial: 0, boundary: {left: \"1/x\"}}}\n", T1,
         "fields.u.boundary = 1/x is inf at x = 0: finite values are needed\n"},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        char text[512], message[1024];
        rw_case *c = NULL;
        snprintf(text, sizeof text, "problem: pde\n%s%s%s" EQ, rows[i].grid, rows[i].fields, rows[i].time);
        assert_int_equal(rw_case_parse(ctx, "case.yaml", text, strlen(text), NULL, 0, rw_problems, &c), RW_ERR_INPUT);
        snprintf(message, sizeof message, "%s\n", rw_message(ctx));
        bool one = strchr(message, '\n')[1] == '\0', all = strchr(rows[i].message, '\n') != NULL;
        if (!strstr(message, rows[i].message) || !(one || all))
            fail_msg("%s'%s' is not all of: %s", text, rows[i].message, message);
    }
#undef ROW
#undef T1
}

static void keep_warning(void *user, rw_log_level level, const char *message)
{
    if (level == RW_LOG_WARNING) rw_text_add(user, "%s\n", message);
}

/* Settings without effect are warned of; defaults, and those that have one, are not. */
static void test_settings_without_effect(void **state)
{
    (void)state;
    static const struct {
        const char *time, *more, *warning;
    } rows[] = {
        {"end: 1, method: rk4, max_stages: 7", "",
         ":5:41: time.max_stages has no effect if time.method = rk4; it needs time.method = rkc2|"},
        {"end: 1, method: rk4, rtol: 1e-3", "", NULL},
        {"end: 1, method: rk4, rtol: 1e-5", "", NULL},
        {"end: 1, method: rk4, step: 0.1", "", NULL},
        {"end: 1, method: rkc2, step: 0.1", "",
         "time.step has no effect if time.method = rkc2; it needs time.method = rk4"},
        {"end: 1, method: dp5, max_stages: 7", "", "time.max_stages has no effect if time.method = dp5"},
        {"end: 1, method: dp5, spectral_radius: 7", "", "time.spectral_radius has no effect"},
        {"end: 1, method: rkl2, damping: 0.9", "", "time.damping has no effect"},
        {"end: 1", "output: {figures: [], limits: [0, 1]}\n",
         ":6:31: output.limits has no effect if output.figures = []"},
        {"end: 1", "output: {fields: [], vti: false}\n", "output.vti has no effect if output.fields = []"},
        {"end: 1", "output: {interpolate: 1e-3}\n", "output.interpolate has no effect if output.every = 0"},
        {"end: 1", "output: {every: 0.1, interpolate: 1e-3, colormap: diverging}\n", NULL},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_case *c;
        rw_text warnings = {0};
        char *text = rw_format(CASE("{u: {initial: \"0\"}}", EQ "time: {%s}\n%s"), rows[i].time, rows[i].more);
        rw_context_set_log(ctx, RW_LOG_WARNING, keep_warning, &warnings);
        assert_int_equal(rw_case_parse(ctx, "case.yaml", text, strlen(text), NULL, 0, rw_problems, &c), RW_OK);
        rw_context_set_log(ctx, RW_LOG_WARNING, NULL, NULL);
        bool good = rows[i].warning ? warnings.data && strstr(warnings.data, rows[i].warning) : !warnings.data;
        if (!good) fail_msg("row %d: %s", i, warnings.data ? warnings.data : "no warning");
        rw_text_free(&warnings), rw_free(text);
        rw_case_free(&c);
    }
}

/* Parts of one kind keep the grid of that kind; others are a condition with where(…) in a, b and c. */
static void test_parts(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        {"[{where: y > 1.5, dirichlet: 1 + t}, {where: y > 0.5, dirichlet: y}, \"0\"]",
         "{dirichlet: \"where(y > 1.5, 1 + t, where(y > 0.5, y, 0))\"}"},
        {"[{where: y > 1.5, dirichlet: 1 + t}, {where: y > 0.5, robin: [2, 1, y]}, neumann]",
         "{robin: [\"where(y > 1.5, 1, where(y > 0.5, 2, 0))\", \"where(y > 1.5, 0, where(y > 0.5, 1, 1))\", \"where(y "
         "> 1.5, 1 + t, where(y > 0.5, y, 0))\"]}"}};
    for (int i = 0; i < 2; ++i) {
        rw_case *c[2] = {NULL};
        rw_problem *p[2];
        const void *data[2];
        char text[1024];
        for (int k = 0; k < 2; ++k) {
            snprintf(
                text, sizeof text,
                "problem: pde\ngrid: {size: [8, 6], extent: [1, 2]%s}\nfields: {u: {initial: \"x\", boundary: {left: "
                "%s}}}\n" EQ TIME,
                i && k ? ", layout: cell" : "", same[i][k]);
            if (create(text, dev, c + k, p + k) != RW_OK) fail_msg("%s", rw_message(ctx));
            for (int n = 0; n < 5; ++n) assert_int_equal(p[k]->ops->march->step(p[k], 0.1), RW_OK);
            assert_int_equal(rw_array_read(p[k]->fields[0].array, &data[k]), RW_OK);
        }
        assert_true(fabs(p[0]->grid.origin[0] - (i ? 1. / 16 : 1. / 8)) < 1e-15);
        assert_memory_equal(data[0], data[1], 48 * sizeof(double));
        for (int k = 0; k < 2; ++k) destroy(c + k, p + k);
    }
}

static void test_grids(void **state)
{
    (void)state;
    static const struct {
        const char *boundary;
        double h, origin;
    } table[] = {{"\"0\"", 1. / 9, 1. / 9},
                 {"neumann", 1. / 7, 0},
                 {"reflect", 1. / 7, 0},
                 {"{constant: 1}", 1. / 7, 0},
                 {"wrap", 1. / 8, 0},
                 {"periodic", 1. / 8, 0},
                 {"{robin: [1, 1, 0]}", 1. / 7, 0},
                 {"{left: \"0\"}", 1. / 8, 1. / 8},
                 {"{right: \"0\"}", 1. / 8, 0},
                 {"{x: \"0\", right: neumann}", 1. / 8, 1. / 8},
                 {"{west: antisymmetric, east: symmetric}", 1. / 8, 1. / 8},
                 {"{left: [{where: y > 1, neumann: 1}, neumann], x: {robin: [1, 1, 0]}}", 1. / 7, 0},
                 {"{north: \"1\", south: periodic, y: symmetric}", 1. / 7, 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        char text[512];
        rw_case *c = NULL;
        rw_problem *p;
        snprintf(text, sizeof text, CASE("{u: {initial: \"0\", boundary: %s}}", EQ TIME), table[i].boundary);
        assert_int_equal(create(text, dev, &c, &p), RW_OK);
        const rw_layout *g = &p->grid;
        assert_true(fabs(g->spacing[0] - table[i].h) < 1e-15 && fabs(g->origin[0] - table[i].origin) < 1e-15);
        assert_int_equal(g->size[0], 8);
        assert_int_equal(g->size[1], 6);
        destroy(&c, &p);
    }
}

/* Another run with other settings, none of which is an equation or a size, uses the programs of one that is still
 * there. */
static void test_settings_compile_nothing(void **state)
{
    static const char *const text[] =
        {"parameters: {k: 1}\ntime: {end: 0.1, method: rkc2, rtol: 1e-4}\noutput: {every: 0.05, interpolate: 1e-2}\n"
         "equations: \"du/dt = k*laplace(u)*cos(t) + where(u > 0.5, 1, 0)\"\n",
         "parameters: {k: 2}\ntime: {start: 0.01, end: 0.2, method: rkc2, rtol: 1e-5, atol: 1e-9, initial_step: 1e-4, "
         "max_step: 0.01, "
         "max_stages: 50}\noutput: {every: 0.02, series_steps: 3, interpolate: 1e-3}\ncheckpoint: {steps: 7}\n"
         "equations: \"du/dt = k*laplace(u)*cos(t) + where(u > 0.5, 1, 0)\"\n"};
    rw_case *c[2];
    rw_problem *p[2];
    rw_counters before = {0};
    (void)state;
    for (int i = 0; i < 2; ++i) {
        char whole[1024];
        before = counters_of(dev);
        snprintf(whole, sizeof whole, CASE("{u: {initial: \"x\", boundary: \"0\"}}", "%s"), text[i]);
        if (create(whole, dev, c + i, p + i) != RW_OK) fail_msg("%s", rw_message(ctx));
        for (int n = 0; n < 5; ++n) assert_int_equal(p[i]->ops->march->step(p[i], 0.1), RW_OK);
    }
    const rw_counters after = counters_of(dev);
    assert_int_equal(after.compilations, before.compilations);
    assert_int_equal(after.cache_hits, before.cache_hits + 1); /* of the initial values, which is not kept */
    assert_true(after.shared - before.shared >= 5);
    for (int i = 0; i < 2; ++i) destroy(c + i, p + i);
}

static const double *values(rw_problem *p)
{
    const void *data;
    assert_int_equal(p->nfields, 1);
    assert_int_equal(rw_array_read(p->fields[0].array, &data), RW_OK);
    return data;
}

static void test_initial_values(void **state)
{
    (void)state;
    rw_case *c = NULL;
    rw_problem *p;
    char path[128];
    double numbers[48];
    size_t shape[] = {6, 8};
    /* an expression of place and parameters: 8 x 6 nodes on [0, 1] x [0, 2] */
    assert_int_equal(create(CASE("{u: {initial: \"a*x + y\"}}", "parameters: {b: 3, a: \"2*b\"}\n" EQ TIME), dev, &c,
                            &p),
                     RW_OK);
    for (int j = 0; j < 6; ++j)
        for (int i = 0; i < 8; ++i) assert_true(fabs(values(p)[j * 8 + i] - (6 * i / 7. + 2 * j / 5.)) < 1e-14);
    destroy(&c, &p);
    /* functions of the case: in initial values and parameters, at boundaries, in checks */
    const rw_problem_check *list;
    int n;
    assert_int_equal(create(CASE("{u: {initial: \"g(x) + y\", boundary: {right: {neumann: \"g(t)\"}}}}",
                                 "functions: [\"g(s) = k(s)*w\", \"k(s) = 1 + s^2\"]\nparameters: {w: 2, q: \"k(2)\"}\n"
                                 "equations: \"du/dt = laplace(u)\"\n" TIME
                                 "checks: {c: {value: \"max(g(u)) + q\", expect: 79, tolerance: 1e-12}}\n"),
                            dev, &c, &p),
                     RW_OK);
    for (int j = 0; j < 6; ++j)
        for (int i = 0; i < 8; ++i) {
            const double x = i / 7., y = 2 * j / 5.;
            assert_true(fabs(values(p)[j * 8 + i] - 2 * (1 + x * x) - y) < 1e-14);
        }
    assert_int_equal(p->ops->check(p, &list, &n), RW_OK);
    assert_int_equal(n, 1);
    assert_true(list[0].passed || !fprintf(stderr, "check: %.17g\n", list[0].value)); /* u is 6 at most: 2 (1 + 36) */
    assert_int_equal(p->ops->march->step(p, 0.001), RW_OK);
    destroy(&c, &p);
    /* a file, its path relative to the case */
    for (int i = 0; i < 48; ++i) numbers[i] = i * 0.25;
    snprintf(path, sizeof path, "%s/u.npy", folder);
    assert_int_equal(rw_npy_write(ctx, path, RW_F64, 2, shape, numbers), RW_OK);
    assert_int_equal(create(CASE("{u: {initial: {file: u.npy}}}", EQ TIME), dev, &c, &p), RW_OK);
    assert_memory_equal(values(p), numbers, sizeof numbers);
    destroy(&c, &p);
    /* the wrong shape */
    shape[0] = 8, shape[1] = 6;
    assert_int_equal(rw_npy_write(ctx, path, RW_F64, 2, shape, numbers), RW_OK);
    assert_int_equal(create(CASE("{u: {initial: {file: u.npy}}}", EQ TIME), dev, &c, &p), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(ctx), "holds 8 x 6 f64; the grid needs real numbers of shape 6 x 8"));
    destroy(&c, &p);
    /* a picture of the grid's size: row 0 is at the top */
    char picture[200] = "P2 8 6 1\n1 1 1 1 1 1 1 1\n";
    for (int i = 0; i < 5 * 8; ++i) strcat(picture, "0 ");
    snprintf(path, sizeof path, "%s/p.pgm", folder);
    assert_int_equal(rw_file_write(ctx, path, picture, strlen(picture)), RW_OK);
    assert_int_equal(create(CASE("{u: {initial: {picture: p.pgm, low: -1, high: 3}}}", EQ TIME), dev, &c, &p), RW_OK);
    assert_true(fabs(values(p)[5 * 8 + 4] - 3) < 1e-4 && fabs(values(p)[4] + 1) < 1e-4);
    destroy(&c, &p);
    /* of another aspect: 2 x 1 pixels on a square are 8 x 4 nodes in the middle, and their edges above and below */
    snprintf(path, sizeof path, "%s/p.pgm", folder);
    assert_int_equal(rw_file_write(ctx, path, "P2 4 2 1\n0 0 1 1\n0 0 0 0\n", 25), RW_OK);
    assert_int_equal(create("problem: pde\ngrid: {size: [8, 8]}\nfields: {u: {initial: {picture: p.pgm, low: -1, high: "
                            "3}}}\nequations: \"du/dt = laplace(u)\"\n" TIME,
                            dev, &c, &p),
                     RW_OK);
    for (int j = 0; j < 8; ++j) { /* rows from the bottom: 0 to 2 are the lower edge, 5 to 7 the upper one */
        assert_true(fabs(values(p)[8 * j] + 1) < 1e-4);
        const double want = j < 3 ? -1 : j == 3 ? 0 : j == 4 ? 2 : 3;
        assert_true(fabs(values(p)[8 * j + 7] - want) < 1e-4);
    }
    destroy(&c, &p);
}
/* Runs that stop: place, time, step and the last good checkpoint; a restart from that meets the same end. */
static void test_runs_that_stop(void **state)
{
    (void)state;
#define TWO "{u: {initial: \"1\"}, v: {initial: \"1\"}}"
#define STOP(equation, time)                                                                                           \
    CASE(TWO, "equations: [\"du/dt = -u\", \"dv/dt = " equation "\"]\ntime: {end: 3, " time "}\n"                      \
              "output: {fields: [], figures: []}\n")
    static const struct {
        const char *text, *set, *message[4];
    } rows[] = {
        {STOP("laplace(v) + where(x > 0.7, where(y > 1, sqrt(0.4 - t), 0), 0)", "method: rkc2"),
         "checkpoint.steps=2",
         {"case.yaml, t = 0.4, step ",
          "the right-hand side of v is not a number at node (5, 3), x = 0.714286, y = 1.2, t = 0.4: check",
          "; the last good state is in '", "/checkpoint.h5', t = 0.4"}},
        {STOP("where(x > 0.7, log(v - 2), 0)", "method: rock4"),
         "checkpoint.steps=2",
         {"case.yaml, t = 0, step 1: ",
          "the right-hand side of v is not a number at node (5, 0), x = 0.714286, y = 0, t = 0: check",
          "; there is no checkpoint yet", ""}},
        {STOP("v^2", "method: dp5"),
         "checkpoint.steps=2",
         {"the solution grows without bound (|v| = ", "): it blows up near t = 1", "/checkpoint.h5', t = ", ""}},
        {STOP("where(x > 0.7, sqrt(0.4 - t), 0)", "method: rk4, step: 0.03"),
         "checkpoint.steps=5",
         {"is not a number at t = 0.45, step 15: ", "the last good state is in checkpoint.h5, t = 0.3: ",
          "; v is not a number at node (5, 0), x = 0.714286, y = 0", ""}},
    };
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        char path[128], where[160], first[1024];
        const char *set[] = {rows[i].set};
        write_case(rows[i].text, path);
        snprintf(where, sizeof where, "%s/stop%d", folder, i);
        rw_run_options options = {.folder = where, .device = "cpu", .set = set, .nset = 1};
        for (int again = 0; again < 2; ++again) {
            rw_run_report report;
            assert_int_equal(rw_run_case(ctx, path, &options, &report), RW_ERR_NOT_CONVERGED);
            for (int k = 0; k < 4; ++k)
                if (!strstr(rw_message(ctx), rows[i].message[k]))
                    fail_msg("row %d: \"%s\" is not in: %s", i, rows[i].message[k], rw_message(ctx));
            if (again) assert_string_equal(first, rw_message(ctx));
            snprintf(first, sizeof first, "%s", rw_message(ctx));
            options.restart = access(where, F_OK) == 0; /* of a run without an output nothing is left */
            assert_int_equal(options.restart, i < 4);
        }
    }
}

static void test_checks(void **state)
{
    (void)state;
    rw_case *c = NULL;
    rw_problem *p;
    const rw_problem_check *list;
    int n;
    assert_int_equal(
        create(CASE("{u: {initial: \"2\"}}", EQ TIME
                    "checks: {good: {value: mean(u), expect: 2, tolerance: 1e-12}, bad: {value: \"sum(u) + t\", "
                    "expect: 1, tolerance: 1}}\n"),
               dev, &c, &p),
        RW_OK);
    assert_int_equal(p->ops->check(p, &list, &n), RW_OK);
    assert_int_equal(n, 2);
    assert_true(list[0].passed && !list[1].passed);
    assert_true(fabs(list[1].value - 96) < 1e-9);
    destroy(&c, &p);
}

/* The n-th allocation fails: a status, nothing lost, and the next attempt works. */
static void test_no_memory(void **state)
{
    (void)state;
    rw_case *c = NULL;
    rw_problem *p;
    const char *text = CASE("{u: {initial: \"x\", boundary: \"0\"}}", EQ TIME);
    assert_int_equal(create(text, dev, &c, &p), RW_OK); /* programs are in the cache now */
    destroy(&c, &p);
    long n = 1, failed = 0;
    for (;; n += 1 + n / 40) { /* every one at first, then in growing steps */
        rw_fault_set(RW_FAULT_ALLOC, n);
        rw_status status = create(text, dev, &c, &p);
        long events = rw_fault_events(RW_FAULT_ALLOC);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        destroy(&c, &p);
        if (status != RW_OK) failed++;
        if (events < n) break; /* it was never reached */
    }
    assert_true(failed > 20);
    assert_int_equal(create(text, dev, &c, &p), RW_OK);
    destroy(&c, &p);
}

static int setup(void **state)
{
    (void)state;
    return !open_folder() || rw_device_open(ctx, "cpu", &dev) != RW_OK;
}

static int teardown(void **state)
{
    (void)state;
    rw_device_close(&dev);
    return close_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bad_input),
                                       cmocka_unit_test(test_many_mistakes),
                                       cmocka_unit_test(test_no_mistakes_that_follow),
                                       cmocka_unit_test(test_settings_without_effect),
                                       cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_grids),
                                       cmocka_unit_test(test_settings_compile_nothing),
                                       cmocka_unit_test(test_initial_values),
                                       cmocka_unit_test(test_runs_that_stop),
                                       cmocka_unit_test(test_checks),
                                       cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
