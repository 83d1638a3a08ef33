/* Random programs on every device against the plain evaluator: all operations and functions, graphs to depth 8, fields
 * f32, f64, c64, c128 with sides of all kinds, coordinates, scalars, stencils, reductions, several statements. Seeds
 * are fixed; a failure prints seed and program. RW_TEST_PROGRAMS=200 tries more than CI does.
 *
 * Which cells are well conditioned is measured, not assumed: the same program is evaluated SAMPLES more times with
 * every value it computes, loads or is given (origin and spacing of the grid too) multiplied by 1 + d, d random and
 * different for each node of the graph, |d| <= NOISE (complex for complex values). That is what rounding and the
 * functions of another library may do. With R the value and S = max |sample - R|:
 *
 *   S <= WELL |R|      well conditioned: the device must give R to 1e-13 (f64) or 1e-5 (f32)
 *   otherwise          it must give R to 10 S, about what rounding may do to this cell
 *   R, samples all NaN (or all the same infinity): so must the device; samples that disagree: nothing is asked
 *
 *           eps       NOISE           WELL    asked
 *   f64     1.1e-16   2e-15 (18 eps)  3e-14   1e-13
 *   f32     6.0e-8    4e-7 ( 7 eps)   4e-6    1e-5
 * OpenCL allows double functions 16 ulp, CUDA's worst is less. A test of the test: at least 3/4 of the cells of f64 and
 * 1/2 of f32 must be well conditioned. */
#include "expr_test.h"

enum { SAMPLES = 6, FIELDS = 5, MAX_CELLS = 700 };

static rw_device *dev; /* cpu, for the evaluator */
static uint64_t seed, counter;

static double uniform(void) { return rw_random_uniform(seed, ++counter); }
static int pick(int n) { return (int)(uniform() * n); }

/* ---- programs ---------------------------------------------------------------------------------------------------- */

typedef struct family {
    const char *name;
    rw_dtype real[3], complex[2]; /* r, s, q and w, v */
    bool tame;                    /* arguments kept where f32 neither overflows nor underflows nor meets a pole */
} family;
static const family families[] = {{"f64", {RW_F64, RW_F64, RW_F64}, {RW_C128, RW_C128}, false},
                                  {"f32", {RW_F32, RW_F32, RW_F32}, {RW_C64, RW_C64}, true},
                                  {"mixed", {RW_F64, RW_F32, RW_F64}, {RW_C128, RW_C64}, true}};
static const char *const field_names[FIELDS] = {"r", "s", "q", "w", "v"};

typedef struct grower {
    rw_text *t;
    int ndim;
    bool tame, stencil; /* inside a stencil there is no other */
} grower;

static void grow_complex(grower *g, int depth);

static void leaf(grower *g)
{
    /* k2 lives on the device */
    static const char *const leaves[] = {"r", "s", "q", "r", "s", "k1", "k2", "t", "x", "y", "z"};
    int n = pick(10 + g->ndim);
    if (n < 8 + g->ndim) rw_text_add(g->t, "%s", leaves[n]);
    else if (n == 8 + g->ndim) rw_text_add(g->t, "%d", pick(5) - 2);
    else rw_text_add(g->t, "%.3f", 2 * uniform() - 1);
}

static void grow(grower *g, int depth);

/* before, an expression, after; %s stands for nothing else */
static void around(grower *g, int depth, const char *before, const char *after)
{
    rw_text_add(g->t, "%s", before);
    grow(g, depth - 1);
    rw_text_add(g->t, "%s", after);
}

static void two(grower *g, int depth, const char *before, const char *between, const char *after)
{
    around(g, depth, before, between);
    grow(g, depth > 4 ? depth / 2 : depth - 1);
    rw_text_add(g->t, "%s", after);
}

/* Functions of one argument with their argument kept tame, and as they are. */
static const char *const functions[][4] = {{"abs(", ")", "abs(", ")"},
                                           {"sign(", ")", "sign(", ")"},
                                           {"sqrt(abs(", "))", "sqrt(", ")"},
                                           {"cbrt(", ")", "cbrt(", ")"},
                                           {"exp(2*tanh(", "))", "exp(", ")"},
                                           {"log(0.3 + abs(", "))", "log(", ")"},
                                           {"sin(", ")", "sin(", ")"},
                                           {"cos(", ")", "cos(", ")"},
                                           {"tan(tanh(", "))", "tan(", ")"},
                                           {"asin(0.9*tanh(", "))", "asin(", ")"},
                                           {"acos(0.9*tanh(", "))", "acos(", ")"},
                                           {"atan(", ")", "atan(", ")"},
                                           {"sinh(2*tanh(", "))", "sinh(", ")"},
                                           {"cosh(2*tanh(", "))", "cosh(", ")"},
                                           {"tanh(", ")", "tanh(", ")"},
                                           {"asinh(", ")", "asinh(", ")"},
                                           {"acosh(1.1 + abs(", "))", "acosh(", ")"},
                                           {"atanh(0.9*tanh(", "))", "atanh(", ")"},
                                           {"erf(", ")", "erf(", ")"},
                                           {"erfc(2*tanh(", "))", "erfc(", ")"},
                                           {"floor(", ")", "floor(", ")"},
                                           {"(not ", ")", "(not ", ")"},
                                           {"-(", ")", "-(", ")"},
                                           {"(", ")^2", "(", ")^3"},
                                           {"(1 + abs(", "))^-2", "(", ")^-1"},
                                           {"abs(", ")^0.5", "(", ")^0.5"},
                                           {"(0.2 + abs(", "))^0.3", "(", ")^1.7"},
                                           {"log2(0.3 + abs(", "))", "log10(", ")"},
                                           {"exp2(2*tanh(", "))", "exp2(", ")"}};

/* Any function of the table in ops.def, so that a new one is here by itself. */
static void grow_any(grower *g, int depth)
{
    rw_node_op op;
    do op = (rw_node_op)pick(RW_OP_CAST); /* the last of the table have no word */
    while (!rw_ops[op].word[0] || rw_ops[op].arity > 2);
    rw_text_add(g->t, "real(%s(", rw_ops[op].word);
    for (int i = 0; i < rw_ops[op].arity; ++i) around(g, RW_MIN(depth, 4), i ? ", 1.5 + tanh(" : "0.9*tanh(", ")");
    rw_text_add(g->t, "))");
}

static void grow_stencil(grower *g, int depth)
{
    static const char *const words[] = {"dx(", "laplace(", "dxx(", "dx_forward(", "dx_backward(", "dxx(",
                                        "dy(", "dxy(",     "dyy(", "dz(",         "dyz("};
    int n = g->ndim == 1 ? 6 : g->ndim == 2 ? 9 : 11;
    g->stencil = true; /* of something with a field in it: laplace(x) is pure rounding, its sign too */
    switch (pick(5)) {
    case 0:
        around(g, RW_MIN(depth, 3), "upwind1(0.3*s + ", "");
        for (int d = 0; d < g->ndim; ++d) rw_text_add(g->t, ", "), leaf(g);
        rw_text_add(g->t, ")");
        break;
    case 1: two(g, RW_MIN(depth, 3), "divgrad(1 + abs(", "), 0.3*s + ", ")"); break;
    default: rw_text_add(g->t, "%s0.3*r + ", words[pick(n)]); around(g, RW_MIN(depth, 3), "", ")");
    }
    g->stencil = false;
}

static void grow(grower *g, int depth)
{
    if (depth <= 0 || uniform() < 0.07) {
        leaf(g);
        return;
    }
    bool wild = !g->tame && uniform() < 0.2;
    int choice = pick(25);
    static const char *const signs[] = {" + ", " - ", "*", "*"}, *const relations[] = {" < ",  " <= ", " > ",   " >= ",
                                                                                       " == ", " != ", " and ", " or "};
    if (choice < 6) two(g, depth, "(", signs[pick(4)], ")");
    else if (choice == 6) two(g, depth, "(", wild ? "/" : ")/(1.2 + abs(", wild ? ")" : "))");
    else if (choice == 7) {
        rw_text_add(g->t, "where(");
        two(g, RW_MIN(depth, 2), "", relations[pick(8)], "");
        two(g, depth, ", ", ", ", ")");
    } else if (choice == 8) two(g, depth, pick(2) ? "min(" : "max(", ", ", ")");
    else if (choice == 9) two(g, depth, "mod(", wild ? ", " : ", 0.5 + abs(", wild ? ")" : "))");
    else if (choice == 10) two(g, depth, pick(2) ? "hypot(" : "atan2(", ", ", ")");
    else if (choice == 11) two(g, depth, wild ? "(" : "(0.3 + abs(", wild ? ")^(" : "))^sin(", ")");
    else if (choice == 12) two(g, RW_MIN(depth, 2), "(", relations[pick(8)], ")");
    else if (choice == 13 && !g->stencil) {
        static const char *const reductions[] = {"/(1 + norm(", "/(1 + max(abs(", "*tanh(mean(abs(", "/(2 + normmax("};
        int n = pick(4);
        around(g, depth, "(", ")");
        around(g, RW_MIN(depth, 3), reductions[n], n == 1 || n == 2 ? ")))" : "))");
    } else if ((choice == 14 || choice == 15) && !g->stencil) grow_stencil(g, depth);
    else if (choice == 16) {
        static const char *const parts_of[] = {"real(", "imag(", "abs("};
        rw_text_add(g->t, "%s", parts_of[pick(3)]);
        grow_complex(g, RW_MIN(depth - 1, 4));
        rw_text_add(g->t, ")");
    } else if (choice == 17) grow_any(g, depth);
    else {
        const char *const *f = functions[pick(RW_COUNT(functions))];
        around(g, depth, f[2 * wild], f[2 * wild + 1]);
    }
}

static void grow_complex(grower *g, int depth)
{
    if (depth <= 0 || uniform() < 0.1) {
        static const char *const leaves[] = {"w", "v", "c1", "(0.3 + 0.4i)", "w", "v"};
        rw_text_add(g->t, "%s", leaves[pick(6)]);
        return;
    }
    /* functions that grow take u/(1 + |u|) */
    static const char *const words[] = {"sqrt", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "conj", "-"};
    static const bool grows[] = {false, true, false, true, true, true, true, true, true, false, false};
    int choice = pick(12), n = pick(RW_COUNT(words));
    if (choice < 4) {
        static const char *const signs[] = {" + ", " - ", "*"};
        rw_text_add(g->t, "(");
        grow_complex(g, depth - 1);
        rw_text_add(g->t, "%s", signs[pick(3)]);
        if (pick(2)) grow_complex(g, depth / 2);
        else grow(g, RW_MIN(depth - 1, 2));
        rw_text_add(g->t, ")");
    } else if (choice == 4) {
        rw_text_add(g->t, "(");
        grow_complex(g, depth - 1);
        rw_text_add(g->t, ")/(2 + 1i + ");
        grow_complex(g, depth / 2);
        rw_text_add(g->t, ")");
    } else if (choice == 5) {
        rw_text_add(g->t, "where(");
        two(g, 1, "", " < ", ", ");
        grow_complex(g, depth - 1);
        rw_text_add(g->t, ", ");
        grow_complex(g, depth / 2);
        rw_text_add(g->t, ")");
    } else if (choice == 6 && !g->stencil) {
        g->stencil = true;
        rw_text_add(g->t, pick(2) ? "dx(" : "laplace(");
        grow_complex(g, RW_MIN(depth - 1, 2));
        rw_text_add(g->t, ")");
        g->stencil = false;
    } else if (choice == 7) {
        rw_text_add(g->t, "(1.5 + ");
        grow_complex(g, depth / 2);
        rw_text_add(g->t, pick(2) ? ")^2" : ")^(0.3 + 0.2i)");
    } else if (grows[n]) {
        char name[8];
        rw_text whole = {0}, *outer = g->t;
        g->t = &whole;
        grow_complex(g, RW_MIN(depth - 1, 3));
        g->t = outer;
        snprintf(name, sizeof name, "%s", words[n]);
        rw_text_add(g->t, "%s(0.5*%s/(1 + abs(%s)))", name, whole.data, whole.data);
        rw_text_free(&whole);
    } else {
        rw_text_add(g->t, "%s(", words[n]);
        grow_complex(g, depth - 1);
        rw_text_add(g->t, ")");
    }
}

/* A name for an expression, then statements that use it, reductions between and behind. */
static void program(grower *g)
{
    rw_text_add(g->t, "n0 = ");
    grow(g, 4);
    rw_text_add(g->t, "\nm1 = max(n0); m2 = min(r + s)\nq = n0*tanh(m1) + ");
    grow(g, 6);
    rw_text_add(g->t, "\nr = ");
    grow(g, 8);
    rw_text_add(g->t, "\nw = ");
    grow_complex(g, 5);
    rw_text_add(g->t, "\nz1 = sum(q); z1_abs = sum(abs(q)); z2 = norm(w); z3 = norm1(r); z4 = max(abs(v))\ns = ");
    grow(g, 7);
    rw_text_add(g->t, "\nv = ");
    grow_complex(g, 4);
    rw_text_add(g->t, "*(0.5 + tanh(z4))");
}
static const char *const results[] = {"m1", "m2", "z1", "z1_abs", "z2", "z3", "z4"};

/* ---- noise ------------------------------------------------------------------------------------------------------- */

typedef struct noise {
    rw_graph *g;
    rw_node *done; /* by node, those with noise themselves included; -1: not yet */
    uint64_t sample;
    double size;
} noise;

static rw_node noisy(noise *s, rw_node n)
{
    if (n < 0) return n;
    if (s->done[n] >= 0) return s->done[n];
    rw_graph *g = s->g;
    rw_graph_node p = g->nodes[n];
    rw_node result = n, arg[3] = {-1, -1, -1};
    for (int i = 0; i < rw_ops[p.op].arity; ++i) arg[i] = noisy(s, p.arg[i]);
    if (p.op == RW_OP_REDUCE) result = rw_reduce(g, (rw_reduce_kind)p.index, arg[0]);
    else if (rw_ops[p.op].arity) result = rw_make(g, (rw_node_op)p.op, arg[0], arg[1], arg[2]);
    bool exact = false; /* whole constants, and operations that do not round */
    switch ((rw_node_op)p.op) {
    case RW_OP_CONST: exact = p.re == floor(p.re) && p.im == 0; break;
    case RW_OP_NEG:
    case RW_OP_LT:
    case RW_OP_LE:
    case RW_OP_EQ:
    case RW_OP_NE:
    case RW_OP_AND:
    case RW_OP_OR:
    case RW_OP_NOT:
    case RW_OP_WHERE:
    case RW_OP_MIN:
    case RW_OP_MAX:
    case RW_OP_SIGN:
    case RW_OP_FLOOR:
    case RW_OP_REAL:
    case RW_OP_IMAG:
    case RW_OP_CONJ: exact = true; break;
    case RW_OP_ABS: exact = !g->nodes[p.arg[0]].is_complex; break;
    default: break;
    }
    if (!exact) {
        double re = s->size * (2 * rw_random_uniform(s->sample, 2 * (uint64_t)n) - 1);
        double im = s->size * (2 * rw_random_uniform(s->sample, 2 * (uint64_t)n + 1) - 1);
        result = rw_make2(g, RW_OP_MUL, result, rw_const(g, 1 + re, p.is_complex ? im : 0));
    }
    assert_false(g->failed);
    s->done[n] = result;
    if (s->done[result] < 0) s->done[result] = result;
    return result;
}

/* The program with noise, for the evaluator; sample 0 is the program itself. */
static rw_expr *create_noisy(const rw_expr_spec *spec, uint64_t sample, double size)
{
    noise s = {.sample = sample, .size = size};
    rw_plan plan;
    rw_lowering l;
    rw_parsed parsed;
    rw_source source = {spec->name, spec->text, 1, 1};
    rw_expr *e;
    rw_grid grid = spec->grid; /* x0 + i h rounds relative to its terms */
    for (int d = 0; sample && d < 3; ++d) {
        grid.origin[d] *= 1 + size * (2 * rw_random_uniform(sample, 900001 + (uint64_t)d) - 1);
        grid.spacing[d] *= 1 + size * (2 * rw_random_uniform(sample, 900011 + (uint64_t)d) - 1);
    }
    OK(rw_graph_create(ctx, &grid, spec->order, &s.g));
    s.done = malloc(RW_GRAPH_NODES * sizeof *s.done);
    memset(s.done, -1, RW_GRAPH_NODES * sizeof *s.done);
    rw_lowering_begin(&l, ctx, s.g);
    OK(rw_expr_declare(ctx, spec, s.g, &l, NULL, NULL));
    OK(rw_plan_begin(&plan, s.g, 0));
    OK(rw_parse_statements(ctx, &source, &parsed));
    for (int f = 0; sample && f < s.g->nfields; ++f)
        for (int side = 0; side < 6; ++side) {
            s.g->fields[f].boundary[side].a = noisy(&s, s.g->fields[f].boundary[side].a);
            s.g->fields[f].boundary[side].b = noisy(&s, s.g->fields[f].boundary[side].b);
            s.g->fields[f].boundary[side].c = noisy(&s, s.g->fields[f].boundary[side].c);
        }
    for (int i = 0; i < parsed.n; ++i) {
        const rw_statement *st = parsed.statements + i;
        rw_value v;
        OK(rw_lower(&l, &source, st->value, &v));
        if (sample) v.node[0] = noisy(&s, v.node[0]);
        int f = rw_graph_find_field(s.g, st->name);
        if (f >= 0) {
            OK(rw_plan_store(&plan, f, v.node[0]));
            continue;
        }
        if (!s.g->nodes[v.node[0]].is_field) OK(rw_plan_result(&plan, st->name, v.node[0]));
        OK(rw_lower_local(&l, &source, 0, st->name, v));
    }
    OK(rw_plan_finish(&plan));
    rw_parsed_free(&parsed);
    rw_lowering_end(&l);
    compiler(false);
    OK(rw_expr_from_plan(dev, spec->name, &s.g, &plan, &e));
    compiler(true);
    free(s.done);
    return e;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

typedef struct outcome {
    double field[FIELDS][2 * MAX_CELLS];
    double result[RW_COUNT(results)];
} outcome;

static void run(rw_expr *e, const family *fam, int round, outcome *out)
{
    rw_device *d = e->device;
    rw_array *a[FIELDS];
    static double x[2 * MAX_CELLS];
    for (int i = 0; i < FIELDS; ++i) {
        rw_dtype dtype = i < 3 ? fam->real[i] : fam->complex[i - 3];
        a[i] = field_array(d, &e->graph->grid, dtype);
        int64_t n = rw_array_size(a[i]) * parts(dtype);
        for (int64_t c = 0; c < n; ++c) x[c] = 1.2 * normal(seed + 1000 * (uint64_t)round, (uint64_t)(100000 * i + c));
        put(a[i], x);
        OK(rw_expr_bind(e, field_names[i], a[i]));
    }
    OK(rw_expr_set(e, "k1", 0.7 + 0.2 * round));
    OK(rw_expr_set(e, "k2", -1.3 + 0.1 * round));
    OK(rw_expr_set(e, "t", 0.45 + round));
    OK(rw_expr_set_complex(e, "c1", 0.6, 0.8 - round));
    rw_status status = rw_expr_run(e, rw_device_queue(d));
    if (status != RW_OK) fail_msg("seed %d on %s: %s", (int)seed, rw_device_info(d)->name, rw_message(ctx));
    for (int i = 0; i < FIELDS; ++i) {
        take(a[i], out->field[i]);
        rw_array_destroy(&a[i]);
    }
    for (int i = 0; i < RW_COUNT(results); ++i) out->result[i] = scalar(e, results[i]);
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

typedef struct tally {
    int64_t well, ill, special, unasked;
    double worst; /* of the well conditioned, in units of what is asked */
} tally;

typedef struct demand {
    double well, asked, tiny, huge;
} demand;
static const demand demands[2] = {{3e-14, 1e-13, 1e-290, 1e290}, {4e-6, 1e-5, 1e-30, 1e30}};

static bool same_special(double a, double b) { return (isnan(a) && isnan(b)) || a == b; }

/* One number of n parts; scale: what the error is relative to, 0: the number itself. False: the device is wrong. */
static bool judge(const double *device, const double *value, const double *const *samples, int n, double scale,
                  const demand *ask, tally *count)
{
    bool finite = true, agree = true;
    double size = 0, spread = 0, error = 0;
    for (int k = 0; k < SAMPLES; ++k) {
        double distance = 0;
        for (int j = 0; j < n; ++j) {
            finite = finite && isfinite(value[j]) && isfinite(samples[k][j]);
            agree = agree && same_special(value[j], samples[k][j]);
            distance = hypot(distance, samples[k][j] - value[j]);
        }
        spread = fmax(spread, distance);
    }
    for (int j = 0; j < n; ++j) size = hypot(size, value[j]), error = hypot(error, device[j] - value[j]);
    if (!finite || size > ask->huge) {
        bool asked = agree && n == 1 && !isfinite(value[0]);
        asked ? count->special++ : count->unasked++;
        return !asked || same_special(device[0], value[0]);
    }
    size = fmax(size, scale);
    if (spread <= ask->well * size) {
        count->well++;
        count->worst = fmax(count->worst, error / (ask->asked * size + ask->tiny));
        return error <= ask->asked * size + ask->tiny;
    }
    count->ill++;
    return error <= 10 * spread;
}

static void compare(const outcome *device, const outcome *value, const outcome *samples, const family *fam,
                    int64_t cells, const char *what, const char *text, tally *counts)
{
    const double *s[SAMPLES];
    for (int f = 0; f < FIELDS; ++f) {
        rw_dtype dtype = f < 3 ? fam->real[f] : fam->complex[f - 3];
        int n = parts(dtype), weak = fam != families; /* where f32 values are stored in between, f32 is the measure */
        for (int64_t c = 0; c < cells; ++c) {
            for (int k = 0; k < SAMPLES; ++k) s[k] = samples[k].field[f] + n * c;
            if (!judge(device->field[f] + n * c, value->field[f] + n * c, s, n, 0, demands + weak, counts + weak))
                fail_msg("seed %d on %s: %s[%d] = %.17g, evaluator %.17g, with noise %.17g\n%s", (int)seed, what,
                         field_names[f], (int)c, device->field[f][n * c], value->field[f][n * c],
                         samples[0].field[f][n * c], text);
        }
    }
    for (int i = 0; i < RW_COUNT(results); ++i) {
        bool weak = fam != families;
        for (int k = 0; k < SAMPLES; ++k) s[k] = samples[k].result + i;
        /* a sum is known relative to the sum of the absolute values, whose place is behind it */
        double scale = !strcmp(results[i], "z1") && isfinite(value->result[i + 1]) ? value->result[i + 1] : 0;
        if (!judge(device->result + i, value->result + i, s, 1, scale, demands + weak, counts + weak))
            fail_msg("seed %d on %s: %s = %.17g, evaluator %.17g, with noise %.17g\n%s", (int)seed, what, results[i],
                     device->result[i], value->result[i], samples[0].result[i], text);
    }
}

/* Origins that leave no node near 0, where signs of coordinates would be rounding. */
static const rw_grid grids[] =
    {{.ndim = 1, .size = {257, 1, 1}, .spacing = {0.4, 1, 1}, .origin = {-3.07, 0, 0}},
     {.ndim = 2, .size = {19, 13, 1}, .spacing = {0.5, 0.7, 1}, .origin = {-3.11, -2.23, 0}},
     {.ndim = 3, .size = {9, 7, 5}, .spacing = {0.6, 0.5, 0.7}, .origin = {-2.13, -1.17, -1.09}},
     {.ndim = 2, .size = {65, 3, 1}, .spacing = {0.5, 0.7, 1}, .origin = {-3.19, -2.07, 0}},
     {.ndim = 1, .size = {6, 1, 1}, .spacing = {0.4, 1, 1}, .origin = {-1.03, 0, 0}},
     {.ndim = 2, .size = {5, 131, 1}, .spacing = {0.5, 0.3, 1}, .origin = {-1.11, -9.17, 0}}};
static const rw_boundary sides[] = {{RW_BOUNDARY_DIRICHLET, "sin(x) + 0.2*t", 0, 0},
                                    {RW_BOUNDARY_NEUMANN, "0.3*cos(x) - k1", 0, 0},
                                    {RW_BOUNDARY_ROBIN, "1.5", "0.5 + k1^2", "x - 0.4"},
                                    {RW_BOUNDARY_NEAREST, 0, 0, 0}};

static void declare(rw_expr_field *f, const family *fam, const rw_grid *grid)
{
    for (int i = 0; i < FIELDS; ++i) {
        f[i] = (rw_expr_field){.name = field_names[i], .dtype = i < 3 ? fam->real[i] : fam->complex[i - 3]};
        for (int axis = 0; axis < grid->ndim; ++axis) {
            bool wrap = pick(4) == 0;
            for (int s = 0; s < 2; ++s)
                f[i].boundary[2 * axis + s] = wrap ? (rw_boundary){RW_BOUNDARY_PERIODIC, 0, 0, 0} : sides[pick(4)];
        }
    }
}

static void test_random_programs(void **state)
{
    (void)state;
    const char *wish = getenv("RW_TEST_PROGRAMS");
    int programs = wish ? atoi(wish) : 10;
    rw_device *devices[16];
    int ndevices = open_devices(devices, 16), seen[RW_OP_COUNT] = {0}, passes = 0;
    tally counts[2] = {{0}}, asked[2] = {{0}}; /* of the devices' values; of the programs themselves */
    static outcome device, value, samples[SAMPLES];
    for (int p = 0; p < programs; ++p) {
        seed = 20 + (uint64_t)p, counter = 0;
        const family *fam = families + (p % 4 == 1 ? 1 : p % 4 == 3 ? 2 : 0);
        const rw_grid *grid = grids + p % RW_COUNT(grids);
        rw_text t = {0};
        grower g = {.t = &t, .ndim = grid->ndim, .tame = fam->tame};
        rw_expr_field f[FIELDS];
        declare(f, fam, grid);
        program(&g);
        static const rw_expr_scalar scalars[] = {{.name = "k1"},
                                                 {.name = "k2", .state = true},
                                                 {.name = "t"},
                                                 {.name = "c1", .is_complex = true}};
        rw_expr_spec spec = {.name = "random",
                             .text = t.data,
                             .grid = *grid,
                             .order = p % 3 ? 2 : 4,
                             .fields = f,
                             .nfields = FIELDS,
                             .scalars = scalars,
                             .nscalars = RW_COUNT(scalars)};
        rw_expr *e[16], *reference = create_noisy(&spec, 0, 0), *with_noise[SAMPLES];
        for (int i = 0; i < reference->graph->n; ++i) seen[reference->graph->nodes[i].op]++;
        passes += reference->plan.npasses;
        for (int k = 0; k < SAMPLES; ++k)
            with_noise[k] = create_noisy(&spec, 77 + (uint64_t)k, fam == families ? 2e-15 : 4e-7);
        for (int d = 0; d < ndevices; ++d) {
            e[d] = NULL;
            const rw_device_properties *info = rw_device_info(devices[d]);
            const bool slow = !strcmp(info->kind, "opencl") && !info->gpu; /* PoCL compiles for seconds */
            if (slow && !test_long() && p > 0) continue;
            const char *tiling[] = {NULL, info->gpu ? "cpu" : "gpu", "stream", "fused"}; /* in turn */
            rw_device *tiled = with_tiling(devices[d], tiling[(p / 2 + d) % 4]);
            rw_status status = rw_expr_create(tiled, &spec, &e[d]);
            rw_device_close(&tiled);
            if (status != RW_OK) fail_msg("seed %d on %s: %s\n%s", (int)seed, info->name, rw_message(ctx), t.data);
        }
        for (int round = 0; round < 2; ++round) {
            run(reference, fam, round, &value);
            for (int k = 0; k < SAMPLES; ++k) run(with_noise[k], fam, round, samples + k);
            compare(&value, &value, samples, fam, cell_count(grid), "the evaluator", t.data, asked);
            for (int d = 0; d < ndevices; ++d) {
                if (!e[d]) continue;
                run(e[d], fam, round, &device);
                compare(&device, &value, samples, fam, cell_count(grid), rw_device_info(devices[d])->name, t.data,
                        counts);
            }
        }
        for (int d = 0; d < ndevices; ++d) rw_expr_destroy(&e[d]);
        for (int k = 0; k < SAMPLES; ++k) rw_expr_destroy(&with_noise[k]);
        rw_expr_destroy(&reference);
        rw_text_free(&t);
    }
    printf("# %d programs, %d passes, seeds 20 to %d\n", programs, passes, 20 + programs - 1);
    for (int i = 0; i < 2; ++i)
        printf(
            "# %s: %lld values well conditioned (largest error %.2g of %g), %lld ill, %lld NaN or infinite, %lld not "
            "asked\n",
            i ? "f32" : "f64", (long long)counts[i].well, counts[i].worst, demands[i].asked, (long long)counts[i].ill,
            (long long)counts[i].special, (long long)counts[i].unasked);
    for (int op = RW_OP_CONST; op < RW_OP_COUNT; ++op)
        if (!seen[op] && op != RW_OP_CALL && op != RW_OP_CAST && op != RW_OP_NOISE && op != RW_OP_NORMAL)
            fail_msg("no program has %s", rw_ops[op].name);
    assert_true(asked[0].well > 3 * (asked[0].ill + asked[0].special + asked[0].unasked));
    assert_true(asked[1].well > asked[1].ill + asked[1].special + asked[1].unasked);
    for (int d = 0; d < ndevices; ++d) rw_device_close(&devices[d]);
}

static int setup(void **state)
{
    if (make_context(state)) return -1;
    return rw_device_open(ctx, "cpu", &dev) == RW_OK ? 0 : -1;
}

static int teardown(void **state)
{
    rw_device_close(&dev);
    return drop_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
