/* Text to values: precedence, literals, line joins, definitions; every message with its line, column and nearest name;
 * limits on hostile text. Programs of scalars need no kernel, so nothing is compiled here. */
#include "expr_test.h"

static rw_device *dev;

static const rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64}, {.name = "velocity", .dtype = RW_C128}};
static const rw_expr_scalar scalars[] = {{.name = "a", .value = 2},
                                         {.name = "b", .value = 3},
                                         {.name = "c", .value = 5},
                                         {.name = "tau", .value = 7}};

static rw_expr_spec spec_of(const char *text)
{
    return (rw_expr_spec){.name = "case.yaml",
                          .line = 3,
                          .column = 12,
                          .text = text,
                          .grid = {2, {4, 3, 1}, {0.5, 0.5, 1}, {0}},
                          .fields = fields,
                          .nfields = RW_COUNT(fields),
                          .scalars = scalars,
                          .nscalars = RW_COUNT(scalars)};
}

static void value(const char *text, double *re, double *im)
{
    rw_expr *e;
    rw_expr_spec spec = spec_of(text);
    rw_status status = rw_expr_create(dev, &spec, &e);
    if (status != RW_OK) fail_msg("%s: %s", text, rw_message(ctx));
    OK(rw_expr_get(e, "r", re, im));
    rw_expr_destroy(&e);
}

/* a = 2, b = 3, c = 5 */
static const struct {
    const char *text;
    double re, im;
} values[] = {
    /* + - * / and their order */
    {"a + b*c", 17, 0},
    {"(a + b)*c", 25, 0},
    {"a*b + c", 11, 0},
    {"c - b - a", 0, 0},
    {"c - (b - a)", 4, 0},
    {"c/b/a", 5. / 6, 0},
    {"c/(b/a)", 10. / 3, 0},
    {"a - b + c", 4, 0},
    {"a/b*c", 10. / 3, 0},
    {"a*b/c", 1.2, 0},
    /* powers bind to the right and before a sign in front of them */
    {"a^b", 8, 0},
    {"a**b", 8, 0},
    {"a^b^a", 512, 0},
    {"(a^b)^a", 64, 0},
    {"-a^2", -4, 0},
    {"(-a)^2", 4, 0},
    {"a^-1", 0.5, 0},
    {"2*a^2", 8, 0},
    {"a^2*2", 8, 0},
    {"a^-b^2", 1. / 512, 0},
    {"-a^-a", -0.25, 0},
    {"a^b/a", 4, 0},
    {"a/b^a", 2. / 9, 0},
    {"9^0.5", 3, 0},
    {"a^0", 1, 0},
    {"c^16", 152587890625, 0},
    /* signs */
    {"--a", 2, 0},
    {"-+-a", 2, 0},
    {"+a", 2, 0},
    {"c--b", 8, 0},
    {"c-+b", 2, 0},
    {"c*-b", -15, 0},
    {"-a*b", -6, 0},
    {"-a+b", 1, 0},
    {"-(a+b)", -5, 0},
    /* comparisons give 0 or 1 and stand below + -, above not and or */
    {"a < b", 1, 0},
    {"b < a", 0, 0},
    {"a <= 2", 1, 0},
    {"a >= b", 0, 0},
    {"b > a", 1, 0},
    {"a == 2", 1, 0},
    {"a != 2", 0, 0},
    {"a + 1 == b", 1, 0},
    {"a*b > c", 1, 0},
    {"(1 < 2) < 3", 1, 0},
    {"(3 > 2) > 1", 0, 0},
    {"(a == 2) != 0", 1, 0},
    {"a < b and b < c", 1, 0},
    {"a < b and c < b", 0, 0},
    {"a > b or b < c", 1, 0},
    {"1 or 1 and 0", 1, 0},
    {"(1 or 1) and 0", 0, 0},
    {"0 and 0 or 1", 1, 0},
    {"not a < b", 0, 0},
    {"not 0 + 1", 0, 0},
    {"not not a", 1, 0},
    {"not 0 and 0", 0, 0},
    {"!a", 0, 0},
    {"!a == b", 1, 0},
    {"a && b || 0", 1, 0},
    {"a and not b", 0, 0},
    {"where(a < b, c, tau)", 5, 0},
    {"where(a > b, c, tau)", 7, 0},
    {"1 + (a < b)", 2, 0},
    /* numbers */
    {"1.5", 1.5, 0},
    {".5", 0.5, 0},
    {"2.", 2, 0},
    {"1e3", 1000, 0},
    {"1.5E-2", 0.015, 0},
    {"2e+2", 200, 0},
    {"0.1", 0.1, 0},
    {"1e400", INFINITY, 0},
    {"1e-400", 0, 0},
    {"007", 7, 0},
    {"123456789012345678", 123456789012345678., 0},
    /* imaginary numbers: i behind a number */
    {"2i", 0, 2},
    {"1 + 2i", 1, 2},
    {"2i*2i", -4, 0},
    {"(1+2i)*(3-1i)", 5, 5},
    {"1/(1+1i)", 0.5, -0.5},
    {"1e1i", 0, 10},
    {"conj(1+2i)", 1, -2},
    {"real(3+4i)", 3, 0},
    {"imag(3+4i)", 4, 0},
    {"abs(3+4i)", 5, 0},
    {"(1+2i)^2", -3, 4},
    {"2i == 2i", 1, 0},
    {"1 + 2i != 1", 1, 0},
    /* functions, of any blanks before the bracket */
    {"min(3, 1, 2)", 1, 0},
    {"max(a, b, c, 1)", 5, 0},
    {"pow(a, b)", 8, 0},
    {"mod(-1, 3)", 2, 0},
    {"mod(7, -3)", -2, 0},
    {"hypot(3, 4)", 5, 0},
    {"sign(-7)", -1, 0},
    {"sign(0)", 0, 0},
    {"floor(-1.5)", -2, 0},
    {"ceil(-1.5)", -1, 0},
    {"ceil(1.5) + ceil(3)", 5, 0},
    {"1/ceil(-0.5)", -INFINITY, 0},
    {"round(2.5)", 3, 0},
    {"round(-2.5)", -3, 0},
    {"round(0.49999999999999994)", 0, 0},
    {"round(4503599627370497.0)", 4503599627370497, 0},
    {"round(-1e300)", -1e300, 0},
    {"1/round(-0.3)", -INFINITY, 0},
    {"heaviside(-2)", 0, 0},
    {"heaviside(0)", 0.5, 0},
    {"heaviside(1e-300)", 1, 0},
    {"erfc(0)", 1, 0},
    {"erfc(10)", 0x1.7d8a7f2a8a2d0p-149, 0},
    {"asinh(0) + acosh(1) + atanh(0)", 0, 0},
    {"atanh(1)", INFINITY, 0},
    {"e", 0x1.5bf0a8b145769p+1, 0},
    {"abs(-a)", 2, 0},
    {"cbrt(-27)", -3, 0},
    {"sqrt (16)", 4, 0},
    {"min( a ,b )", 2, 0},
    {"exp(0) + cos(0)", 2, 0},
    {"log(1)", 0, 0},
    {"atan2(0, -1)", 0x1.921fb54442d18p+1, 0},
    {"pi", 0x1.921fb54442d18p+1, 0},
    {"log2(8)", 3, 0},
    {"log10(1000)", 3, 0},
    {"exp2(3)", 8, 0},
    {"t", 0, 0},
    {"diff(a^3, a)", 12, 0},
    {"diff(a*b, b)", 2, 0},
    {"diff(t^2*a, t)", 0, 0},
    {"laplace(a)", 0, 0},
    {"dx(3)", 0, 0},
};

static bool close_to(double x, double y) { return x == y || fabs(x - y) <= 4e-16 * fabs(y); }

static void test_values(void **state)
{
    (void)state;
    for (int i = 0; i < RW_COUNT(values); ++i)
        for (int constant = 0; constant < 2; ++constant) { /* folded, and computed from the scalars */
            char text[256];
            double re, im;
            if (constant && strstr(values[i].text, "diff")) continue;
            snprintf(text, sizeof text, constant ? "f(a, b, c, tau) = %s; r = f(2, 3, 5, 7)" : "r = %s",
                     values[i].text);
            value(text, &re, &im);
            if (!close_to(re, values[i].re) || !close_to(im, values[i].im))
                fail_msg("%s: %.17g%+.17gi, expected %.17g%+.17gi", text, re, im, values[i].re, values[i].im);
        }
}

static const struct {
    const char *text;
    double re;
} programs[] = {
    /* lines and semicolons separate; comments; empty statements */
    {"x1 = 1; r = x1 + 1", 2},
    {"x1 = 1\nr = x1 + 1", 2},
    {"\n\n;; r = 4 ;\n;", 4},
    {"# only\nr = 1 # one\n# more", 1},
    {"r = 1 # + 2", 1},
    {"r = 1\r\nq = 2\r\n", 1},
    {"\tr\t=\t3", 3},
    /* a line goes on inside brackets and after an operator or = */
    {"r = (1\n + 2\n)", 3},
    {"r = 1 +\n 2", 3},
    {"r =\n  4", 4},
    {"r = min(1,\n 2)", 1},
    {"r = 2 * # two\n\n 3", 6},
    {"r = 2 ^\n 3", 8},
    {"r = -\n 3", -3},
    {"r = not\n 0", 1},
    {"r = 1 and\n not 0", 1},
    {"f(a,\n b) = a\nr = f(1, 2)", 1},
    {"r = (# comment\n 5)", 5},
    /* names get values in their order */
    {"r = 1; r = r + 1; r = r*10", 20},
    {"_x1 = 3; r = _x1", 3},
    {"order = 2; r = order", 2},
    {"notable = 2; r = notable", 2},
    /* user functions: parameters hide everything, the caller's names are not seen, nested and shared */
    {"f(x, y) = x - y; r = f(5, 3)", 2},
    {"f (a) = a^2; r = f(f(3))", 81},
    {"k = 10; f(a) = a*k; r = f(3)", 30},
    {"k = 10; f(a) = a*k; g(k) = f(k) + k; r = g(1)", 11},
    {"f(a) = a + 1\ng(b) = f(b)*f(-b)\nr = g(3)", -8},
    {"f(pi) = pi; r = f(1)", 1},
    /* constants give way to names of the program */
    {"e = 3; hx = 4; ny = 5; r = e*hx*ny", 60},
    {"f(e) = 2*e; nx(a) = a + 1; r = f(3) + nx(1)", 8},
    {"k = 1; f(a) = a + k; k = 2; r = f(0)", 2},
    {"f(a) = a; f2(a) = f(a)*2; r = f2(4)", 8},
    {"f(a,b,c,d,e,g,h,k) = a+k; r = f(1,2,3,4,5,6,7,8)", 9},
};

static void test_programs(void **state)
{
    (void)state;
    for (int i = 0; i < RW_COUNT(programs); ++i) {
        double re, im;
        value(programs[i].text, &re, &im);
        if (!close_to(re, programs[i].re)) fail_msg("%s: %.17g, expected %.17g", programs[i].text, re, programs[i].re);
    }
}

#define NO_FORMULA(by) "diff is the derivative of a formula, and u is a field, not a formula of " by ": "
#define AT(place, message) "case.yaml:" place ": " message
#define FORMS "u = …, f(a, b) = …, du/dt = …, or an equation such as laplace(u) = v"
#define UNSOLVED                                                                                                       \
    "equations without a time derivative are not solved here: assign what u gives to another field, such as r = "      \
    "laplace(u), and solve r = … as a linear system (rw_operator_from_expr, rechenwerk solve --stencil)"
#define CHAINED "comparisons cannot be chained: write a < b and b < c, or brackets to compare a truth value, 0 or 1"

/* The text begins at line 3, column 12. */
static const struct {
    const char *text, *message;
} errors[] = {
    /* form */
    {"r = ", AT("3:16", "the expression ends where a value is expected")},
    {"r = 1 +", AT("3:19", "the expression ends where a value is expected")},
    {"r = 1 + ; q = 2", AT("3:20", "the expression ends where a value is expected")},
    {"r = 1 < 2 < 3", AT("3:22", CHAINED)},
    {"r = 1 == 2 != 3", AT("3:23", CHAINED)},
    {"r = 7 % 2", AT("3:18", "unexpected '%' after the expression: write a remainder as mod(a, b)")},
    {"r = 1 > 2 ? 3 : 4", AT("3:22", "unexpected '?' after the expression: write a choice as where(condition, a, b)")},
    {"r = 1 if 2 > 1 else 0",
     AT("3:18", "unexpected 'i' after the expression: write a choice as where(condition, a, b)")},
    {"r = (1 + 2", AT("3:22", "expected ')' to close the bracket")},
    {"r = (1 2)", AT("3:19", "expected ')' to close the bracket")},
    {"r = min(1, 2", AT("3:24", "expected ',' or ')' in the arguments of min")},
    {"r = min(1 2)", AT("3:22", "expected ',' or ')' in the arguments of min")},
    {"r = min(1,)", AT("3:22", "unexpected ')': a number, name or '(' is expected")},
    {"r = 1 2", AT("3:18", "unexpected '2' after the expression: ';' or a line end separates statements")},
    {"r = 1)", AT("3:17", "unexpected ')' after the expression: ';' or a line end separates statements")},
    {"r = a b", AT("3:18", "unexpected 'b' after the expression: ';' or a line end separates statements")},
    {"r = * 2", AT("3:16", "unexpected '*': a number, name or '(' is expected")},
    {"r = @", AT("3:16", "unexpected '@': a number, name or '(' is expected")},
    {"r = a \xe2\x86\x92 b",
     AT("3:18", "unexpected '\xe2\x86\x92' after the expression: ';' or a line end separates statements")},
    {"r = \xc3\xa4", AT("3:16", "unexpected '\xc3\xa4': a number, name or '(' is expected")},
    {"r = 1 + 1 not 2", AT("3:22", "unexpected 'n' after the expression: ';' or a line end separates statements")},
    {"r = 1 + not 2", AT("3:20", "'not' is not allowed here: put brackets around the condition")},
    {"r = 2*not(1)", AT("3:18", "'not' is not allowed here: put brackets around the condition")},
    {"r = and 1", AT("3:16", "'and' is not allowed here: put brackets around the condition")},
    {"r = 1\nq = 2 +\n\n", AT("6:1", "the expression ends where a value is expected")},
    {"r = 1\n  q = )", AT("4:7", "unexpected ')': a number, name or '(' is expected")},
    {"# \xc3\xa4\xc3\xb6\nr = (\n  \xc3\xa4", AT("5:3", "unexpected '\xc3\xa4': a number, name or '(' is expected")},
    {"= r", AT("3:12", "the left side is missing: a statement is " FORMS)},
    {"r", AT("3:13", "expected '=' after the left side: a statement is " FORMS)},
    {"r == 1", AT("3:18", "expected '=' after the left side: a statement is " FORMS)},
    {"a + 1\nu = 2", AT("3:17", "expected '=' after the left side: a statement is " FORMS)},
    {"laplace(u) - u # = 1", AT("3:32", "expected '=' after the left side: a statement is " FORMS)},
    {"u += 1", AT("3:15", "unexpected '=': a number, name or '(' is expected")},
    {"f(a = 1", AT("3:16", "expected ',' or ')' in the arguments of f")},
    {"f() = 1", AT("3:12", "function f has no parameters: write f = …")},
    {"f(a, a) = 1", AT("3:17", "function f has two parameters a")},
    {"f(a,b,c,d,e,g,h,k,l) = 1", AT("3:30", "function f has more than 8 parameters")},
    {"du/dt = 1", AT("3:12", "du/dt = … is allowed only in a pde case; here, assign fields")},
    /* equations: mistakes in them come first */
    {"laplace(u) = velocity", AT("3:12", UNSOLVED)},
    {"0 = laplace(u) + u", AT("3:12", UNSOLVED)},
    {"1 = a", AT("3:12", UNSOLVED)},
    {"f(k) = k; u = 1; f(u) = 1", AT("3:29", UNSOLVED)},
    {"du/dx = 1", AT("3:12", "name du is unknown: write first derivatives as dx(u), dy(u), grad(u); the rate "
                             "du/dt stands alone on a left side")},
    {"u(3) = 1", AT("3:12", "u is not a function: write a product as u*(…)")},
    {"laplace(v) = u", AT("3:20", "name v is unknown: fields, parameters and functions must be declared")},
    {"grad(u) = u", AT("3:12", "incompatible shapes: a vector of 2 - a field: vectors can be added to vectors, scaled, "
                               "or multiplied with · ")},
    /* numbers and names */
    {"r = 1.2.3", AT("3:16", "\"1.2.3\" is not a number")},
    {"r = .", AT("3:16", "\".\" is not a number")},
    {"r = 2a", AT("3:17", "a number is followed directly by a name: write a product as 2*a…")},
    {"r = 2in", AT("3:17", "a number is followed directly by a name: write a product as 2*i…")},
    {"r = 0x10", AT("3:16", "0x10 is not a number here: write 16")},
    {"r = 1d3*2", AT("3:16", "1d3 is not a number here: write 1e3")},
    {"r = 1_000", AT("3:16", "1_000 is not a number here: write 1000")},
    {"r = .nan", AT("3:16", "\".n…\" is not a number: values must be finite numbers")},
    {"r = 2d", AT("3:17", "a number is followed directly by a name: write a product as 2*d…")},
    {"r = 1e", AT("3:17", "a number is followed directly by a name: write a product as 1*e…")},
    {"r = 1234567890123456789012345678901234567890123456789012345678901234",
     AT("3:16", "a number has more than 63 characters")},
    {"r = abcdefghijklmnopqrstuvwxyzabcdef",
     AT("3:16", "the name beginning with abcdefghijklmnopqrstuvwxyzabcde has more than 31 characters")},
    {"abcdefghijklmnopqrstuvwxyzabcdef = 1",
     AT("3:12", "the name beginning with abcdefghijklmnopqrstuvwxyzabcde has more than 31 characters")},
    {"f(abcdefghijklmnopqrstuvwxyzabcdef) = 1",
     AT("3:14", "the name beginning with abcdefghijklmnopqrstuvwxyzabcde has more than 31 characters")},
    /* unknown names */
    {"r = tua", AT("3:16", "name tua is unknown; nearest is tau")},
    {"r = velocty + 1", AT("3:16", "name velocty is unknown; nearest is velocity")},
    {"r = 1 +\n  q", AT("4:3", "name q is unknown: fields, parameters and functions must be declared")},
    {"r = snh(1)", AT("3:16", "function snh is unknown; nearest is sinh")},
    {"r = laplac(u)", AT("3:16", "function laplac is unknown; nearest is laplace")},
    {"heat(v) = v; r = heta(1)", AT("3:29", "function heta is unknown; nearest is heat")},
    {"mean_of = 2; r = meanof", AT("3:29", "name meanof is unknown; nearest is mean_of")},
    {"f(v) = v*q; r = f(1)", AT("3:21", "name q is unknown: fields, parameters and functions must be declared")},
    {"f(v) = g(v); g(k) = v; r = f(1)",
     AT("3:32", "name v is unknown: fields, parameters and functions must be declared")},
    {"r = [1, 2, 3]", AT("3:16", "a vector of 3 components on a grid of 2 dimensions")},
    {"r = [1, grad(u)]", AT("3:20", "a component of a vector must be a scalar")},
    {"r = [1, 2", AT("3:21", "expected ',' or ']' in the arguments of a vector")},
    {"r = u.x", AT("3:17", ".x: only a vector has components")},
    {"r = grad(u).z", AT("3:23", ".z does not exist: vectors have 2 components on this grid")},
    {"r = curl(u)", AT("3:16", "incompatible shapes: curl takes a vector of 2 or 3 components")},
    {"r = ceil(1i)", AT("3:16", "ceil is not defined for complex numbers: apply real(), imag() or abs() first")},
    {"r = round(1, 2)", AT("3:16", "round takes 1 argument, 2 given")},
    {"r = e(1)", AT("3:16", "e is not a function but a coordinate or constant")},
    {"r = sin + 1", AT("3:16", "sin is a reserved word: its arguments are missing")},
    {"f(v) = v; r = f", AT("3:26", "f is a function: its arguments are missing")},
    {"r = u(1)", AT("3:16", "u is not a function: write a product as u*(…)")},
    {"r = a (1)", AT("3:16", "a is not a function: write a product as a*(…)")},
    {"k = 1; r = k(2)", AT("3:23", "k is not a function: write a product as k*(…)")},
    {"r = pi(2)", AT("3:16", "pi is not a function but a coordinate or constant")},
    {"r = z", AT("3:16", "coordinate z does not exist on a grid of 2 dimensions")},
    /* assignments */
    {"a = 1", AT("3:12", "a cannot be assigned: it is a scalar argument")},
    {"x = 1", AT("3:12", "x cannot be assigned: it is a reserved word")},
    {"t = 1", AT("3:12", "t cannot be assigned: it is a reserved word")},
    {"dxx = u", AT("3:12", "dxx cannot be assigned: it is a reserved word")},
    {"x(v) = v", AT("3:12", "function x has the name of a coordinate, operator or function: choose another name")},
    {"u = 2j*v", AT("3:17", "2j: write the imaginary unit as 1i, here 2i")},
    {"f(v) = v; f(k) = k", AT("3:22", "function f is defined twice")},
    {"u = 1i", AT("3:12", "a complex value assigned to the real field u: take real(), imag() or abs(), or give "
                          "the field dtype c128 or c64")},
    {"r = 1; u = velocity",
     AT("3:19", "a complex value assigned to the real field u: take real(), imag() or abs(), or give the field "
                "dtype c128 or c64")},
    {"u = grad(u)", AT("3:12", "incompatible shapes: a vector assigned to field u")},
    /* arguments */
    {"r = sin(1, 2)", AT("3:16", "sin takes 1 argument, 2 given")},
    {"r = sin()", AT("3:16", "sin takes 1 argument, 0 given")},
    {"r = atan2(1)", AT("3:16", "atan2 takes 2 arguments, 1 given")},
    {"r = where(1, 2)", AT("3:16", "where takes 3 arguments, 2 given")},
    {"f(v, k) = v; r = f(1)", AT("3:29", "function f takes 2 arguments, 1 given")},
    {"r = min(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)", AT("3:16", "min has more than 16 arguments")},
    {"f(v) = f(v); r = f(1)", AT("3:19", "function f calls itself: recursion is not supported")},
    {"r = sum(u, u)", AT("3:16", "sum takes 1 argument, 2 given")},
    {"r = dot(u)", AT("3:16", "dot takes 2 arguments, 1 given")},
    {"r = dot(u, grad(u))", AT("3:16", "incompatible shapes in dot: a vector and a scalar")},
    {"r = diff(a)", AT("3:16", "diff takes 2 arguments, 1 given")},
    {"r = diff(a, 2*a)", AT("3:25", "diff takes an expression and the name of a scalar, coordinate or field")},
    {"u = diff(u, x)", AT("3:16", NO_FORMULA("x") "write dx(u), a second derivative as dxx(u) or laplace(u)")},
    {"u = diff(diff(u,y),y)", AT("3:21", NO_FORMULA("y") "write dy(u), a second derivative as dyy(u) or laplace(u)")},
    {"u = x*diff(x*y + sin(2*u), x)",
     AT("3:18", NO_FORMULA("x") "write dx(u), a second derivative as dxx(u) or laplace(u)")},
    {"u = diff(dy(u), x)", AT("3:16", NO_FORMULA("x") "write dx(u), a second derivative as dxx(u) or laplace(u)")},
    {"f(v, k) = diff(v, k); u = f(u, x)",
     AT("3:22", NO_FORMULA("x") "write dx(u), a second derivative as dxx(u) or laplace(u)")},
    {"u = diff(u, t)", AT("3:16", NO_FORMULA("t") "its rate of change is what its equation du/dt = … gives")},
    {"r = diff(sum(u), t)", AT("3:16", NO_FORMULA("t") "its rate of change is what its equation du/dt = … gives")},
    {"u = diff(sum(u), u)", AT("3:16", "a reduction has no derivative here")},
    {"u = real(diff(abs(velocity), velocity))", AT("3:21", "abs has no derivative here")},
    {"u = diff(real(velocity), velocity)", AT("3:16", "real has no derivative here")},
    {"velocity = diff(conj(velocity), velocity)", AT("3:23", "conj has no derivative here")},
    /* kinds and shapes */
    {"r = 1i < 2", AT("3:19", "< is not defined for complex numbers: apply real(), imag() or abs() first")},
    {"r = 1i >= 2", AT("3:19", ">= is not defined for complex numbers: apply real(), imag() or abs() first")},
    {"r = not 1i", AT("3:16", "not is not defined for complex numbers: apply real(), imag() or abs() first")},
    {"r = erf(1i)", AT("3:16", "erf is not defined for complex numbers: apply real(), imag() or abs() first")},
    {"r = min(1, 2i)", AT("3:16", "min is not defined for complex numbers: apply real(), imag() or abs() first")},
    {"r = where(1i, 1, 2)",
     AT("3:16", "where is not defined for complex numbers: apply real(), imag() or abs() first")},
    {"r = max(velocity)",
     AT("3:16", "max is not defined for complex numbers: take max(abs(…)), or of real() or imag()")},
    {"u = grad(u) + 1",
     AT("3:24",
        "incompatible shapes: a vector of 2 + a scalar: vectors can be added to vectors, scaled, or multiplied with "
        "· ")},
    {"u = u < grad(u)",
     AT("3:18", "incompatible shapes: a field < a vector of 2: vectors can be added to vectors, scaled, or "
                "multiplied with · ")},
    {"u = u/grad(u)",
     AT("3:17", "incompatible shapes: a field / a vector of 2: vectors can be added to vectors, scaled, or "
                "multiplied with · ")},
    {"u = u \xc2\xb7 grad(u)",
     AT("3:18", "incompatible shapes: a field · a vector of 2: both must be vectors of length 2")},
    {"u = sin(grad(u))",
     AT("3:20", "incompatible shapes: a vector of 2 in sin: use the dot product · with another vector, or div")},
    {"u = div(u)", AT("3:16", "incompatible shapes: div takes a vector of 2, given a scalar field")},
    {"r = sum(grad(u))",
     AT("3:20", "incompatible shapes: a vector of 2 in sum: use the dot product · with another vector, or div")},
    /* grid operators */
    {"u = dz(u)", AT("3:16", "dz is not defined on a grid of 2 dimensions")},
    {"u = dxz(u)", AT("3:16", "dxz is not defined on a grid of 2 dimensions")},
    {"u = dz_forward(u)", AT("3:16", "dz_forward is not defined on a grid of 2 dimensions")},
    {"u = dx(u, 3)",
     AT("3:22", "the order of dx must be 2 or 4: it is the order of accuracy; write second derivatives as "
                "dxx(u), dxy(u)")},
    {"u = laplace(u, a)", AT("3:27", "the order of laplace must be 2 or 4: it is the order of accuracy; write second "
                                     "derivatives as dxx(u), dxy(u)")},
    {"u = dx()", AT("3:16", "dx takes 1 argument (and its order, 2 or 4), 0 given")},
    {"u = laplace(u, 2, 2)", AT("3:16", "laplace takes 1 argument (and its order, 2 or 4), 3 given")},
    {"u = divgrad(u)", AT("3:16", "divgrad takes 2 arguments (and its order, 2 or 4), 1 given")},
    {"u = upwind(u)", AT("3:16", "upwind takes the field and the velocity")},
    {"u = upwind(u, 1)", AT("3:16", "upwind takes the field and the velocity: a vector or 2 components")},
    {"u = upwind(u, grad(u), 1)",
     AT("3:26", "incompatible shapes: a vector of 2 in upwind: use the dot product · with another vector, or div")},
    {"u = upwind(u, 1i, 1)", AT("3:16", "upwind: the velocity must be real")},
    /* the value a field had before it was assigned */
    {"old = u; u = 2*u; s = sum(u); u = old/s",
     AT("3:42",
        "the old value of u is used after a reduction or difference of its new value: copy the old value to another "
        "field first")},
    {"old = u; u = 2*u\nr = sum(old*sum(u))",
     AT("4:1",
        "the old value of u is used after a reduction or difference of its new value: copy the old value to another "
        "field first")},
};

static void test_errors(void **state)
{
    (void)state;
    int wrong = 0;
    for (int i = 0; i < RW_COUNT(errors); ++i) {
        rw_expr *e;
        rw_expr_spec spec = spec_of(errors[i].text);
        rw_status status = rw_expr_create(dev, &spec, &e);
        if (status == RW_ERR_INPUT && !e && !strcmp(rw_message(ctx), errors[i].message)) continue;
        print_error("%s\n  gives    %s %s\n  expected %s\n", errors[i].text, rw_status_name(status),
                    status ? rw_message(ctx) : "", errors[i].message);
        rw_expr_destroy(&e);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* Declarations: names, boundaries, grid. */
static void test_declarations(void **state)
{
    (void)state;
    rw_expr *e;
    rw_expr_spec spec = spec_of("r = 1");
    static const struct {
        const char *name, *message;
    } wrong[] = {
        {"x", "case.yaml: \"x\" is a coordinate, operator or function of the language: choose another name"},
        {"dxy", "case.yaml: \"dxy\" is a coordinate, operator or function of the language: choose another name"},
        {"laplace",
         "case.yaml: \"laplace\" is a coordinate, operator or function of the language: choose another name"},
        {"1u", "case.yaml: \"1u\" is not a name: letters, digits and _ with a letter first, at most 31"},
        {"", "case.yaml: \"\" is not a name: letters, digits and _ with a letter first, at most 31"},
        {"u-v", "case.yaml: \"u-v\" is not a name: letters, digits and _ with a letter first, at most 31"},
        {"\xc3\xa4", "case.yaml: \"\xc3\xa4\" is not a name: letters, digits and _ with a letter first, at most 31"},
        {"a", "case.yaml: a is declared twice"},
        {"abcdefghijklmnopqrstuvwxyzabcdef", "case.yaml: \"abcdefghijklmnopqrstuvwxyzabcdef\" is not a name: letters, "
                                             "digits and _ with a letter first, at most 31"},
    };
    for (int i = 0; i < RW_COUNT(wrong); ++i) {
        rw_expr_field f = {.name = wrong[i].name, .dtype = RW_F64};
        spec.fields = &f, spec.nfields = 1;
        FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_INPUT, wrong[i].message);
    }
    rw_expr_field two[] = {{.name = "u", .dtype = RW_F64}, {.name = "u", .dtype = RW_F64}};
    spec.fields = two, spec.nfields = 2;
    FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_INPUT, "case.yaml: u is declared twice");
    two[1] = (rw_expr_field){.name = "v", .dtype = (rw_dtype)99};
    FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_ARGUMENT,
          "element 1: rw_expr_field.dtype = 99 is not a value of rw_dtype: 0 to 15 are allowed");
    static const struct {
        rw_boundary b;
        const char *message;
    } sides[] = {
        {{RW_BOUNDARY_DIRICHLET, "1 +", 0, 0}, "boundary of v:1:4: the expression ends where a value is expected"},
        {{RW_BOUNDARY_DIRICHLET, "1 1", 0, 0}, "boundary of v:1:3: unexpected '1' after the expression"},
        {{RW_BOUNDARY_CONSTANT, "u", 0, 0},
         "boundary of v:1:1: field u is not allowed here: use only coordinates, t and parameters"},
        {{RW_BOUNDARY_NEUMANN, "sum(x)", 0, 0}, "boundary of v:1:1: reduction sum is not allowed here"},
        {{RW_BOUNDARY_ROBIN, "1", "2", "\n tua"}, "boundary of v:2:2: name tua is unknown; nearest is tau"},
        {{RW_BOUNDARY_ROBIN, "1", "1i", "0"},
         "boundary of v: a complex value for a real field: give the field dtype c128 or c64, or take real(), imag() or "
         "abs()"},
        {{RW_BOUNDARY_DIRICHLET, "grad(x)", 0, 0},
         "boundary of v:1:1: incompatible shapes: a vector of 2 where a scalar is expected"},
    };
    for (int i = 0; i < RW_COUNT(sides); ++i) {
        two[1] = (rw_expr_field){.name = "v", .dtype = RW_F64};
        two[1].boundary[3] = sides[i].b;
        FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_INPUT, sides[i].message);
    }
    static const rw_expr_scalar twice[] = {{.name = "k"}, {.name = "k"}};
    spec = spec_of("r = 1"), spec.scalars = twice, spec.nscalars = 2;
    FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_INPUT, "case.yaml: scalar k is declared twice");
    spec = spec_of(NULL);
    FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_ARGUMENT, "case.yaml: text = NULL: give statements");
    spec = spec_of("r = 1"), spec.grid.ndim = 4;
    FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_ARGUMENT,
          "grid.ndim = 4: a grid has 1, 2 or 3 dimensions, or 0 for no space");
    spec = spec_of("r = 1"), spec.grid.size[1] = -1;
    FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_ARGUMENT, "grid.size = -1 on axis y: must be at least 0");
    spec = spec_of("r = 1"), spec.grid.size[2] = 2;
    FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_ARGUMENT,
          "grid.size = 2 on axis z: must be 1 beyond the grid's 2 dimensions");
    spec = spec_of("r = 1"), spec.grid.spacing[0] = 0;
    FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_ARGUMENT, "grid.spacing = 0 on axis x: must be positive");
    spec = spec_of("r = 1"), spec.grid.spacing[1] = NAN;
    assert_int_equal(rw_expr_create(dev, &spec, &e), RW_ERR_ARGUMENT);
    spec = spec_of("r = 1"), spec.grid.size[0] = spec.grid.size[1] = INT64_C(1) << 40;
    FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_ARGUMENT,
          "grid.size = 1099511627776 on axis y: a grid has at most 2^57 nodes");
    spec = spec_of("r = 1"), spec.grid.first[1] = 1;
    FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_ARGUMENT,
          "grid.first = 1 on axis y: 3 nodes from there do not fit into global_size = 0");
    spec = spec_of("r = 1"), spec.grid.global_size[0] = 1;
    FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_ARGUMENT,
          "grid.first = 0 on axis x: 4 nodes from there do not fit into global_size = 1");
    spec = spec_of("r = 1"), spec.grid.global_size[0] = INT64_MAX, spec.grid.first[0] = INT64_MAX;
    FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_ARGUMENT,
          "grid.first = 9223372036854775807 on axis x: 4 nodes from there do not fit into global_size = "
          "9223372036854775807");
    spec = spec_of("r = 1"), spec.order = 3;
    FAILS(rw_expr_create(dev, &spec, &e), RW_ERR_ARGUMENT, "order = 3: the order of grid operators must be 2 or 4");
}

/* du/dt = … is read by the parser for the methods; an expression alone has an empty name. */
static void test_kinds_of_statements(void **state)
{
    (void)state;
    rw_parsed parsed;
    rw_source source = {"s", "du/dt = 1\nd / dt2 = 3; f(a, b) = a; v = 2\n d2u / dt = 4\nd=5", 1, 1};
    OK(rw_parse_statements(ctx, &source, &parsed));
    assert_int_equal(parsed.n, 6);
    static const struct {
        rw_statement_kind kind;
        const char *name;
        int at, parameters;
        double value;
    } expected[] = {{RW_RATE, "u", 0, 0, 1},    {RW_EQUATION, "", 10, 0, 3}, {RW_DEFINE, "f", 23, 2, 0},
                    {RW_ASSIGN, "v", 36, 0, 2}, {RW_RATE, "2u", 43, 0, 4},   {RW_ASSIGN, "d", 56, 0, 5}};
    for (int i = 0; i < parsed.n; ++i) {
        const rw_statement *s = parsed.statements + i;
        assert_int_equal(s->kind, expected[i].kind);
        assert_string_equal(s->name, expected[i].name);
        assert_int_equal(s->at, expected[i].at);
        assert_int_equal(s->nparameters, expected[i].parameters);
        if (s->kind != RW_DEFINE) assert_true(s->value->value == expected[i].value);
    }
    rw_parsed_free(&parsed);
    source.text = "1 +\n\n2 # with line ends\n";
    OK(rw_parse_expression(ctx, &source, &parsed));
    assert_int_equal(parsed.n, 1);
    assert_int_equal(parsed.statements[0].value->at, 2);
    rw_parsed_free(&parsed);
    source.text = "  ";
    FAILS(rw_parse_expression(ctx, &source, &parsed), RW_ERR_INPUT,
          "s:1:3: the expression ends where a value is expected");
    source.text = "";
    OK(rw_parse_statements(ctx, &source, &parsed));
    assert_int_equal(parsed.n, 0);
    rw_parsed_free(&parsed);
}

/* n copies of `piece` between `before` and `after` */
static char *repeated(const char *before, const char *piece, int n, const char *after)
{
    rw_text t = {0};
    rw_text_add(&t, "%s", before);
    for (int i = 0; i < n; ++i) rw_text_add_bytes(&t, piece, strlen(piece));
    rw_text_add(&t, "%s", after);
    return t.data;
}

static void limit(char *text, rw_status wanted, const char *message)
{
    rw_expr *e;
    rw_expr_spec spec = spec_of(text);
    double start = rw_seconds();
    rw_status status = rw_expr_create(dev, &spec, &e);
    if (rw_seconds() - start > 20) fail_msg("%.60s… took %.1f s", text, rw_seconds() - start);
    if (status != wanted || (message && !strstr(rw_message(ctx), message)))
        fail_msg("%.60s…: %s %s", text, rw_status_name(status), status ? rw_message(ctx) : "");
    rw_expr_destroy(&e);
    rw_free(text);
}

/* Text of any length neither exhausts the stack nor takes long. */
static void test_limits(void **state)
{
    (void)state;
    limit(repeated("r = ", "(", 90, "1)))"), RW_ERR_INPUT, "expected ')'");
    limit(repeated("r = ", "(", 100000, "1"), RW_ERR_INPUT, "nested more than 200 deep");
    limit(repeated("r = ", "-", 100000, "1"), RW_ERR_INPUT, "nested more than 200 deep");
    limit(repeated("r = ", "not ", 100000, "1"), RW_ERR_INPUT, "nested more than 200 deep");
    limit(repeated("r = 1", "^1", 100000, ""), RW_ERR_INPUT, "nested more than 200 deep");
    limit(repeated("r = ", "sin(", 100000, "1"), RW_ERR_INPUT, "nested more than 200 deep");
    limit(repeated("r = a", "+a", 1500, ""), RW_OK, NULL);
    limit(repeated("r = a", "+a", 40000, ""), RW_ERR_INPUT, "more than 2000 nested operations");
    limit(repeated("r = a", "+a", 100000, ""), RW_ERR_INPUT, "the text has more than 100000 terms");
    limit(repeated("f0(v) = v", "+f1(v)", 0, "; r = f0(1)"), RW_OK, NULL);
    limit(repeated("u = u*u; ", "u = u*u + a;", 500, ""), RW_OK, NULL);
    limit(repeated("u = u*u; ", "u = u*u + a;", 2500, ""), RW_ERR_INPUT,
          "more than 2000 terms that depend on each other");
    limit(repeated("r = 1; ", "r = r*a + 1;", 900, ""), RW_OK, NULL);
    limit(repeated("r = 1; ", "r = r*a + 1;", 4000, ""), RW_ERR_INPUT,
          "more than 2000 terms that depend on each other");
    rw_text t = {0};
    rw_text_add(&t, "f0(v) = v + 1\n");
    for (int i = 1; i < 40; ++i) rw_text_add(&t, "f%d(v) = f%d(v) + f%d(v)\n", i, i - 1, i - 1);
    rw_text_add(&t, "r = f39(a)");
    limit(t.data, RW_ERR_INPUT, "expand to more than 1000000 terms");
    t = (rw_text){0}; /* shared terms: 2^200 without sharing */
    rw_text_add(&t, "r = a\n");
    for (int i = 0; i < 200; ++i) rw_text_add(&t, "r = sin(r)*cos(r)\n");
    limit(t.data, RW_OK, NULL);
    double re, im, x = 0.5;
    t = (rw_text){0};
    rw_text_add(&t, "r = 0.5 + 0*a\n");
    for (int i = 0; i < 200; ++i) rw_text_add(&t, "r = sin(r)*cos(r) + 0.001*a\n"), x = sin(x) * cos(x) + 0.002;
    value(t.data, &re, &im);
    rw_text_free(&t);
    assert_true(fabs(re - x) < 1e-14);
    limit(repeated("u = ", "laplace(", 60, "u))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))"),
          RW_ERR_INPUT, NULL);
}

/* Numbers mean the same whatever locale the program has set. */
static void test_locale(void **state)
{
    (void)state;
    if (!comma_locale()) skip();
    char shown[16];
    snprintf(shown, sizeof shown, "%.1f", 0.5);
    assert_string_equal(shown, "0,5");
    double re, im;
    value("r = 1.5 + 0.25i", &re, &im);
    setlocale(LC_ALL, "C");
    assert_true(re == 1.5 && im == 0.25);
}

/* Each allocation failing in turn: a status, no leak (the address sanitizer looks), and the call works afterwards. */
static void test_memory(void **state)
{
    (void)state;
    rw_expr_spec spec = spec_of("f(v, k) = v*k + 1; w = f(a, 2i)\nr = abs(w) + min(a, b, c); q = sqrt(f(tau, r))");
    rw_expr_field f[] = {{.name = "u", .dtype = RW_F64}, {.name = "velocity", .dtype = RW_C128}};
    f[0].boundary[1] = (rw_boundary){RW_BOUNDARY_ROBIN, "a*x", "1 + b", "t"};
    spec.fields = f;
    rw_expr *e = NULL;
    int failures = 0;
    for (long n = 1; !e; ++n) {
        rw_fault_set(RW_FAULT_ALLOC, n);
        rw_status status = rw_expr_create(dev, &spec, &e);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        assert_true(status == RW_OK ? e != NULL : status == RW_ERR_MEMORY && !e);
        failures += status != RW_OK;
    }
    assert_true(failures > 20);
    assert_true(scalar(e, "q") > 0);
    rw_expr_destroy(&e);
}

static int setup(void **state)
{
    if (make_context(state)) return -1;
    compiler(false);
    return rw_device_open(ctx, "cpu", &dev) == RW_OK ? 0 : -1;
}

static int teardown(void **state)
{
    rw_device_close(&dev);
    return drop_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_kinds_of_statements),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
