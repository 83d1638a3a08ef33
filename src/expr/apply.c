/* One operation in double precision: what every device is compared with, and how constants are folded. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "core/convert.h"
#include "expr/graph.h"

/* The functions below follow src/kernels/dialect_functions.h, which says why. */
static double rounded_exp2(double a) { return a == rint(a) && fabs(a) < 1080 ? ldexp(1, (int)a) : exp2(a); }

static double rounded_log2(double a)
{
    double r = log2(a), k = rint(r);
    return fabs(k) < 1080 && ldexp(1, (int)k) == a ? k : r;
}

static double rounded_log10(double a)
{
    double r = log10(a), k = rint(r), p = 1, b = 10;
    if (!(fabs(k) <= 22)) return r;
    for (int m = (int)fabs(k); m > 0; m /= 2, b *= b)
        if (m % 2) p *= b;
    return (k < 0 ? 1 / p : p) == a ? k : r;
}

static double rounded_cbrt(double a)
{
    double r = cbrt(a), k = rint(r);
    return k * k * k == a ? k : r;
}

static double rounded_hypot(double a, double b)
{
    double r = hypot(a, b), k = rint(r);
    return r >= 1 && k * k == a * a + b * b ? k : r;
}

static double rounded_power(double a, double b)
{
    double r = pow(a, b);
    return a == rint(a) && b == rint(b) && b >= 0 && fabs(r) < 0x1p46 ? rint(r) : r;
}

static double modulus(double a, double b)
{
    double m = fmod(a, b);
    if (m == 0 || (m < 0) == (b < 0)) return m;
    m += b;
    return m == b ? b - b * 0x1p-53 : m;
}

static double real_value(rw_node_op op, double a, double b, double c)
{
    switch (op) {
    case RW_OP_ADD: return a + b;
    case RW_OP_SUB: return a - b;
    case RW_OP_MUL: return a * b;
    case RW_OP_DIV: return a / b;
    case RW_OP_NEG: return -a;
    case RW_OP_POW: return rounded_power(a, b);
    case RW_OP_LT: return a < b;
    case RW_OP_LE: return a <= b;
    case RW_OP_EQ: return a == b;
    case RW_OP_NE: return a != b;
    case RW_OP_AND: return a != 0 && b != 0;
    case RW_OP_OR: return a != 0 || b != 0;
    case RW_OP_NOT: return a == 0;
    case RW_OP_WHERE: return a != 0 ? b : c;
    case RW_OP_MIN: return a < b || a != a ? a : b;
    case RW_OP_MAX: return a > b || a != a ? a : b;
    case RW_OP_MOD: return modulus(a, b);
    case RW_OP_HYPOT: return rounded_hypot(a, b);
    case RW_OP_ATAN2: return atan2(a, b);
    case RW_OP_ABS: return fabs(a);
    case RW_OP_SIGN: return a > 0 ? 1 : a < 0 ? -1 : a;
    case RW_OP_SQRT: return sqrt(a);
    case RW_OP_CBRT: return rounded_cbrt(a);
    case RW_OP_EXP: return exp(a);
    case RW_OP_LOG: return log(a);
    case RW_OP_EXP2: return rounded_exp2(a);
    case RW_OP_LOG2: return rounded_log2(a);
    case RW_OP_LOG10: return rounded_log10(a);
    case RW_OP_SIN: return sin(a);
    case RW_OP_COS: return cos(a);
    case RW_OP_TAN: return tan(a);
    case RW_OP_ASIN: return asin(a);
    case RW_OP_ACOS: return acos(a);
    case RW_OP_ATAN: return atan(a);
    case RW_OP_SINH: return sinh(a);
    case RW_OP_COSH: return cosh(a);
    case RW_OP_TANH: return tanh(a);
    case RW_OP_ASINH: return asinh(a);
    case RW_OP_ACOSH: return acosh(a);
    case RW_OP_ATANH: return atanh(a);
    case RW_OP_ERF: return erf(a);
    case RW_OP_ERFC: return erfc(a);
    case RW_OP_FLOOR: return floor(a);
    case RW_OP_REAL:
    case RW_OP_CONJ: return a;
    default: return 0; /* IMAG of a real */
    }
}

/* CMPLX, which clang with glibc lacks: re + im*I would lose infinities and signs of zero. */
static double complex complex_of(const double parts[2])
{
    double complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

/* The same branches as src/kernels/dialect_complex.h where the C library's differ (pow at 0). */
static double complex complex_value(rw_node_op op, double complex a, double complex b, double complex c)
{
    switch (op) {
    case RW_OP_ADD: return a + b;
    case RW_OP_SUB: return a - b;
    case RW_OP_MUL: return a * b;
    case RW_OP_DIV: return cimag(b) == 0 ? complex_of((double[2]){creal(a) / creal(b), cimag(a) / creal(b)}) : a / b;
    case RW_OP_NEG: return -a;
    case RW_OP_POW: return a == 0 ? (b == 0 ? 1 : 0) : cexp(b * clog(a));
    case RW_OP_EQ: return a == b;
    case RW_OP_NE: return a != b;
    case RW_OP_WHERE: return creal(a) != 0 ? b : c;
    case RW_OP_ABS: return cabs(a);
    case RW_OP_SQRT: return csqrt(a);
    case RW_OP_EXP: return cexp(a);
    case RW_OP_LOG: return clog(a);
    case RW_OP_SIN: return csin(a);
    case RW_OP_COS: return ccos(a);
    case RW_OP_TAN: return ctan(a);
    case RW_OP_SINH: return csinh(a);
    case RW_OP_COSH: return ccosh(a);
    case RW_OP_TANH: return ctanh(a);
    case RW_OP_REAL: return creal(a);
    case RW_OP_IMAG: return cimag(a);
    case RW_OP_CONJ: return conj(a);
    default: return NAN; /* refused by the checker */
    }
}

void rw_apply(rw_node_op op, const double (*arg)[2], bool is_complex, double out[2])
{
    int arity = rw_ops[op].arity;
    double a = arg[0][0], b = arity > 1 ? arg[1][0] : 0, c = arity > 2 ? arg[2][0] : 0;
    if (!is_complex) {
        out[0] = real_value(op, a, b, c);
        out[1] = 0;
        return;
    }
    static const double none[2];
    double complex z = complex_value(op, complex_of(arg[0]), complex_of(arity > 1 ? arg[1] : none),
                                     complex_of(arity > 2 ? arg[2] : none));
    out[0] = creal(z);
    out[1] = cimag(z);
}

void rw_graph_apply(const rw_graph *g, rw_node_op op, int index, const double (*arg)[2], bool is_complex, double out[2])
{
    if (op == RW_OP_CAST) {
        out[0] = rw_dtype_round((rw_dtype)index, arg[0][0]);
        out[1] = 0;
        return;
    }
    if (op == RW_OP_NOISE || op == RW_OP_NORMAL) {
        out[0] = rw_noise_value(op, index, &g->grid,
                                (const int64_t[]){(int64_t)arg[0][0], (int64_t)arg[1][0], (int64_t)arg[2][0]});
        out[1] = 0;
        return;
    }
    if (op != RW_OP_CALL) {
        rw_apply(op, arg, is_complex, out);
        return;
    }
    const rw_graph_function *f = g->functions + index;
    out[0] = f->call(f->user, (double[3]){arg[0][0], arg[1][0], arg[2][0]});
    out[1] = 0;
}

static void compute(rw_graph *g, rw_node n, rw_leaf_value *leaf, void *user)
{
    rw_graph_node *p = g->nodes + n;
    double arg[3][2] = {{0}};
    bool is_complex = false;
    if (p->stamp == g->stamp) return;
    p->stamp = g->stamp;
    if (p->op == RW_OP_CONST) {
        p->value[0] = p->re;
        p->value[1] = p->im;
    } else if (p->op == RW_OP_PARAM) {
        p->value[0] = g->params[p->index].re;
        p->value[1] = g->params[p->index].im;
    } else if (!rw_ops[p->op].arity || p->op == RW_OP_REDUCE) {
        leaf(user, g, n, p->value);
    } else {
        for (int i = 0; i < rw_ops[p->op].arity; ++i) {
            const rw_graph_node *a = g->nodes + p->arg[i];
            compute(g, p->arg[i], leaf, user);
            arg[i][0] = a->value[0];
            arg[i][1] = a->value[1];
            is_complex = is_complex || (a->is_complex && !(p->op == RW_OP_WHERE && i == 0));
        }
        rw_graph_apply(g, (rw_node_op)p->op, p->index, (const double(*)[2])arg, is_complex, p->value);
    }
}

void rw_graph_value(rw_graph *g, rw_node n, rw_leaf_value *leaf, void *user, double out[2])
{
    g->stamp++;
    compute(g, n, leaf, user);
    out[0] = g->nodes[n].value[0];
    out[1] = g->nodes[n].value[1];
}

/* Remembers its answers in the nodes' values. */
static bool finds(rw_graph *g, rw_node n, int param)
{
    rw_graph_node *p = g->nodes + n;
    if (p->stamp == g->stamp) return p->value[0] != 0;
    p->stamp = g->stamp;
    bool found = p->op == RW_OP_PARAM && p->index == param;
    for (int i = 0; i < rw_ops[p->op].arity; ++i) found |= finds(g, p->arg[i], param);
    p->value[0] = found;
    return found;
}

bool rw_graph_depends(rw_graph *g, rw_node n, int param)
{
    g->stamp++;
    return param >= 0 && finds(g, n, param);
}

static bool finds_field(rw_graph *g, rw_node n, int field)
{
    rw_graph_node *p = g->nodes + n;
    if (p->op == RW_OP_REDUCE || p->stamp == g->stamp) return false;
    p->stamp = g->stamp;
    bool found = p->op == RW_OP_FIELD && p->index == field;
    for (int i = 0; i < rw_ops[p->op].arity && !found; ++i) found = finds_field(g, p->arg[i], field);
    return found;
}

bool rw_graph_reads(rw_graph *g, rw_node n, int field)
{
    g->stamp++;
    return n >= 0 && g->nodes[n].depends & RW_ON_FIELD && finds_field(g, n, field);
}

int rw_shared_field(rw_graph *g, rw_node a, rw_node b)
{
    for (int f = 0; f < g->nfields; ++f) {
        g->stamp++;
        if (g->fields[f].external || !finds_field(g, a, f)) continue;
        g->stamp++;
        if (finds_field(g, b, f)) return f;
    }
    return -1;
}

/* The first field that n reads; externals: also those of the grid; reductions: also what they are of. */
static int first_field(rw_graph *g, rw_node n, bool externals, bool reductions)
{
    rw_graph_node *p = g->nodes + n;
    if ((p->op == RW_OP_REDUCE && !reductions) || p->stamp == g->stamp) return -1;
    p->stamp = g->stamp;
    if (p->op == RW_OP_FIELD) return externals || !g->fields[p->index].external ? p->index : -1;
    int found = -1;
    for (int i = 0; i < rw_ops[p->op].arity && found < 0; ++i) found = first_field(g, p->arg[i], externals, reductions);
    return found;
}

int rw_graph_place_field(rw_graph *g, rw_node n, rw_node leaf)
{
    const rw_graph_node *p = g->nodes + leaf;
    g->stamp++;
    if (p->op == RW_OP_PARAM && !strcmp(g->params[p->index].name, "t")) return first_field(g, n, false, true);
    if (p->op == RW_OP_COORD) return first_field(g, n, true, false);
    return p->op == RW_OP_FIELD && g->fields[p->index].external ? first_field(g, n, false, false) : -1;
}

bool rw_graph_set_quadrature(rw_graph *g, int param, const rw_quadrature *quadrature)
{
    rw_graph_param *p = g->params + param;
    if (!p->quadrature && quadrature->n == 0) return true;
    if (!p->quadrature && !(p->quadrature = rw_calloc(1, sizeof *p->quadrature))) return false;
    bool moved = p->quadrature->moved || p->quadrature->n != quadrature->n ||
                 memcmp(p->quadrature->at, quadrature->at, (size_t)quadrature->n * sizeof *quadrature->at);
    *p->quadrature = *quadrature;
    p->quadrature->moved = moved;
    return true;
}

void rw_graph_scalar(rw_graph *g, rw_node n, double *re, double *im)
{
    double out[2];
    rw_graph_value(g, n, NULL, NULL, out);
    *re = out[0];
    *im = out[1];
}
