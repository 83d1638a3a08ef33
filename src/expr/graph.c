/* Nodes of a graph. All are created here: operations on constants are evaluated, an equal node is reused, and only a
 * new one is added. */
#include "expr/graph.h"

#include "core/convert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const rw_op_info rw_ops[RW_OP_COUNT] = {
    [RW_OP_CONST] = {"CONST", "", 0, 0, 'C'}, [RW_OP_PARAM] = {"PARAM", "", 0, 0, 'C'},
    [RW_OP_COORD] = {"COORD", "", 0, 2, 'R'}, [RW_OP_FIELD] = {"FIELD", "", 0, 0, 'C'},
    [RW_OP_STATE] = {"STATE", "", 0, 0, 'R'}, [RW_OP_REDUCE] = {"REDUCE", "", 1, 1, 'C'},
#define OP(name, arity, word, flops, kind) [RW_OP_##name] = {#name, word, arity, flops, #kind[0]},
#include "expr/ops.def"
#undef OP
};

rw_status rw_graph_create(rw_context *ctx, const rw_grid *grid, int order, rw_graph **graph)
{
    rw_graph *g = *graph = rw_calloc(1, sizeof *g);
    if (!g) return rw_fail_memory(ctx, sizeof *g, "a graph");
    g->ctx = ctx;
    g->grid = *grid;
    g->order = order ? order : 2;
    g->neighbours = -1;
    static const char *const h[] = {"#hx", "#hy", "#hz"}, *const o[] = {"#x0", "#y0", "#z0"};
    for (int d = 0; d < 3; ++d) {
        g->spacing[d] = rw_graph_add_param(g, h[d], false, grid->spacing[d], 0);
        g->origin[d] = rw_graph_add_param(g, o[d], false, rw_grid_coordinate(grid, d, 0), 0);
    }
    rw_real(g, 0);
    if (!g->failed) return RW_OK;
    rw_graph_destroy(graph);
    return rw_fail_memory(ctx, sizeof *g, "a graph");
}

void rw_graph_destroy(rw_graph **graph)
{
    rw_graph *g = *graph;
    *graph = NULL;
    if (!g) return;
    for (int i = 0; i < g->nfields; ++i) rw_free(g->fields[i].name);
    for (int i = 0; i < g->nparams; ++i) {
        rw_free(g->params[i].name);
        rw_free(g->params[i].quadrature);
    }
    for (int i = 0; i < g->nfunctions; ++i) rw_free(g->functions[i].name);
    rw_free(g->fields);
    rw_free(g->params);
    rw_free(g->functions);
    rw_free(g->nodes);
    rw_free(g->hash);
    rw_free(g);
}

int rw_graph_add_field(rw_graph *g, const char *name, rw_dtype dtype)
{
    char *copy = rw_strdup(name);
    if (!copy || !rw_grow(&g->fields, &g->fields_capacity, g->nfields + 1, sizeof *g->fields)) {
        rw_free(copy);
        g->failed = true;
        return -1;
    }
    rw_graph_field *f = g->fields + g->nfields;
    memset(f, 0, sizeof *f);
    f->name = copy;
    f->dtype = dtype;
    for (int s = 0; s < 6; ++s) f->boundary[s].a = f->boundary[s].b = f->boundary[s].c = -1;
    return g->nfields++;
}

int rw_graph_add_param(rw_graph *g, const char *name, bool is_complex, double re, double im)
{
    char *copy = rw_strdup(name);
    if (!copy || !rw_grow(&g->params, &g->params_capacity, g->nparams + 1, sizeof *g->params)) {
        rw_free(copy);
        g->failed = true;
        return -1;
    }
    g->params[g->nparams] = (rw_graph_param){.name = copy, .is_complex = is_complex, .re = re, .im = im, .state = -1};
    return g->nparams++;
}

void rw_graph_make_state(rw_graph *g, int param) { g->params[param].state = g->nstates++; }

void rw_graph_add_function(rw_graph *g, const rw_expr_function *function)
{
    char *copy = rw_strdup(function->name);
    if (!copy || !rw_grow(&g->functions, &g->functions_capacity, g->nfunctions + 1, sizeof *g->functions)) {
        rw_free(copy);
        g->failed = true;
        return;
    }
    g->functions[g->nfunctions++] = (rw_graph_function){copy, function->arguments, function->call, function->user};
}

int rw_graph_find_field(const rw_graph *g, const char *name)
{
    for (int i = 0; i < g->nfields; ++i)
        if (!g->fields[i].columns && !strcmp(g->fields[i].name, name)) return i;
    return -1;
}

int rw_graph_find_function(const rw_graph *g, const char *name)
{
    for (int i = 0; i < g->nfunctions; ++i)
        if (!strcmp(g->functions[i].name, name)) return i;
    return -1;
}

int rw_graph_find_param(const rw_graph *g, const char *name)
{
    for (int i = 0; i < g->nparams; ++i)
        if (!strcmp(g->params[i].name, name)) return i;
    return -1;
}

static unsigned hash_node(const rw_graph_node *n)
{
    uint64_t h = n->op * 0x9e3779b97f4a7c15u, bits;
    h = (h ^ (uint64_t)(uint32_t)n->index) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (uint64_t)(uint32_t)n->version) * 0x94d049bb133111ebu;
    h = (h ^ (uint64_t)(uint16_t)n->column) * 0xbf58476d1ce4e5b9u;
    h += (uint64_t)n->stores << 32;
    for (int i = 0; i < 3; ++i) {
        h = (h ^ (uint64_t)(uint32_t)n->arg[i]) * 0xbf58476d1ce4e5b9u;
        h = (h ^ (uint64_t)(uint16_t)n->offset[i]) * 0x94d049bb133111ebu;
        h ^= h >> 29;
    }
    memcpy(&bits, &n->re, 8);
    h = (h ^ bits) * 0xbf58476d1ce4e5b9u;
    memcpy(&bits, &n->im, 8);
    h = (h ^ bits) * 0x94d049bb133111ebu;
    h = (h ^ (uint64_t)n->exact) * 0xbf58476d1ce4e5b9u;
    return (unsigned)(h ^ h >> 31);
}

static bool same_node(const rw_graph_node *a, const rw_graph_node *b)
{
    return a->op == b->op && a->index == b->index && a->version == b->version && a->column == b->column &&
           a->stores == b->stores && !memcmp(a->arg, b->arg, sizeof a->arg) &&
           !memcmp(a->offset, b->offset, sizeof a->offset) && !memcmp(&a->re, &b->re, 8) &&
           !memcmp(&a->im, &b->im, 8) && a->integer == b->integer && a->is_exact == b->is_exact && a->exact == b->exact;
}

/* Twice as many chains. */
static bool grow_hash(rw_graph *g)
{
    int buckets = RW_MAX(2 * g->buckets, 1024), *hash = rw_calloc((size_t)buckets, sizeof *hash);
    if (!hash) return false;
    memset(hash, -1, (size_t)buckets * sizeof *hash);
    for (int i = 0; i < g->n; ++i) {
        unsigned h = hash_node(g->nodes + i) & (unsigned)(buckets - 1);
        g->nodes[i].next = hash[h];
        hash[h] = i;
    }
    rw_free(g->hash);
    g->hash = hash;
    g->buckets = buckets;
    return true;
}

static rw_node intern(rw_graph *g, rw_graph_node n)
{
    if (!g->failed && g->n >= g->buckets) g->failed = !grow_hash(g);
    if (g->failed) return 0;
    unsigned h = hash_node(&n) & (unsigned)(g->buckets - 1);
    for (int i = g->hash[h]; i >= 0; i = g->nodes[i].next)
        if (same_node(g->nodes + i, &n)) return i;
    g->too_large = g->n >= RW_GRAPH_NODES || n.depth > RW_GRAPH_DEPTH;
    if (g->too_large || !rw_grow(&g->nodes, &g->capacity, g->n + 1, sizeof *g->nodes)) {
        g->failed = true;
        return 0;
    }
    n.next = g->hash[h];
    g->nodes[g->n] = n;
    return g->hash[h] = g->n++;
}

#define LEAF(o)                                                                                                        \
    {                                                                                                                  \
        .op = o, .index = -1, .version = 0, .arg = { -1, -1, -1 }                                                      \
    }

#define TWO_TO_53 9007199254740992

rw_node rw_const(rw_graph *g, double re, double im)
{
    rw_graph_node n = LEAF(RW_OP_CONST);
    n.re = re;
    n.im = im;
    n.is_complex = im != 0;
    if (im == 0 && re == floor(re) && fabs(re) <= TWO_TO_53) {
        n.whole = RW_WHOLE | (re >= 0 ? RW_NATURAL : 0);
        n.is_exact = true;
        n.exact = (rw_int128)re;
    }
    return intern(g, n);
}

rw_node rw_exact(rw_graph *g, rw_int128 value)
{
    if (-TWO_TO_53 <= value && value <= TWO_TO_53) return rw_real(g, (double)value);
    rw_graph_node n = LEAF(RW_OP_CONST);
    n.re = (double)value;
    n.is_exact = true;
    n.exact = value;
    if (INT64_MIN <= value && value <= INT64_MAX) n.whole = RW_WHOLE;
    if (0 <= value && value <= UINT64_MAX) n.whole |= RW_NATURAL;
    return intern(g, n);
}

rw_node rw_scalar_argument(rw_graph *g, int index)
{
    rw_graph_node n = LEAF(RW_OP_PARAM);
    if (index < 0 || g->failed) return 0;
    if (g->params[index].state >= 0) {
        n.op = RW_OP_STATE;
        n.index = g->params[index].state;
        n.reduced = true;
        n.depends = RW_ON_FIELD;
        return intern(g, n);
    }
    n.index = index;
    n.is_complex = g->params[index].is_complex;
    const char *name = g->params[index].name;
    bool of_grid = index <= g->origin[2];
    n.depends = !of_grid && (name[0] == '#' || !strcmp(name, "t")) ? RW_ON_RUN : 0;
    return intern(g, n);
}

rw_node rw_coord(rw_graph *g, int axis, int offset)
{
    rw_graph_node n = LEAF(RW_OP_COORD);
    n.index = axis;
    n.offset[axis] = (int16_t)offset;
    n.is_field = true;
    n.depends = (uint8_t)(RW_ON_COORD << axis);
    return intern(g, n);
}

rw_node rw_index(rw_graph *g, int axis, int offset)
{
    rw_graph_node n = LEAF(RW_OP_COORD);
    n.index = axis;
    n.version = 1;
    n.offset[axis] = (int16_t)offset;
    n.is_field = true;
    n.depends = (uint8_t)(RW_ON_COORD << axis);
    return intern(g, n);
}

static int whole_of_type(rw_dtype dtype)
{
    switch (dtype) {
    case RW_BOOL:
    case RW_U8:
    case RW_U16:
    case RW_U32: return RW_WHOLE | RW_NATURAL;
    case RW_I8:
    case RW_I16:
    case RW_I32: return RW_WHOLE;
    default: return 0;
    }
}

static bool is_long(rw_dtype dtype) { return dtype == RW_I64 || dtype == RW_U64; }

static rw_node field(rw_graph *g, int index, int version, const int offset[3], int column, int stores)
{
    rw_graph_node n = LEAF(RW_OP_FIELD);
    if (g->failed) return 0;
    n.index = index;
    n.version = version;
    n.is_field = true;
    n.depends = RW_ON_FIELD;
    n.depth = version ? g->fields[index].depth + 1 : 0;
    n.is_complex = rw_dtype_is_complex(g->fields[index].dtype);
    if (is_long(g->fields[index].dtype)) n.integer = (uint8_t)g->fields[index].dtype;
    n.whole = (uint8_t)whole_of_type(g->fields[index].dtype);
    for (int d = 0; d < 3; ++d) n.offset[d] = (int16_t)offset[d];
    n.column = (int16_t)column;
    n.stores = g->fields[index].reads ? stores : 0;
    return intern(g, n);
}

rw_node rw_field(rw_graph *g, int index, int version, const int offset[3])
{
    return field(g, index, version, offset, 0, g->stores);
}

rw_node rw_field_like(rw_graph *g, rw_graph_node p, const int offset[3])
{
    return field(g, p.index, p.version, offset, 0, p.stores);
}

rw_node rw_field_at(rw_graph *g, int index, int version, int column)
{
    return field(g, index, version, (int[3]){0}, column, 0);
}

rw_node rw_reduce(rw_graph *g, rw_reduce_kind kind, rw_node a)
{
    rw_graph_node n = LEAF(RW_OP_REDUCE);
    if (g->failed) return 0;
    n.index = kind;
    n.arg[0] = a;
    n.is_complex = g->nodes[a].is_complex;
    n.reduced = true;
    n.depends = RW_ON_FIELD;
    n.depth = g->nodes[a].depth + 1;
    return intern(g, n);
}

bool rw_is_const(const rw_graph *g, rw_node n, double value)
{
    const rw_graph_node *p = g->nodes + n;
    return p->op == RW_OP_CONST && p->re == value && p->im == 0;
}

/* x^n for whole n up to 16 by squaring, reciprocal for negative n, roots for halves. */
static rw_node power(rw_graph *g, rw_node x, double n)
{
    if (n == 0) return rw_real(g, 1);
    if (n == 0.5) return rw_make1(g, RW_OP_SQRT, x);
    if (n < 0 && g->nodes[x].integer) return -1; /* its reciprocal is real */
    if (n == floor(n) && fabs(n) <= 16) {
        int k = (int)fabs(n);
        rw_node square = x, result = -1;
        for (; k; k >>= 1) {
            if (k & 1) result = result < 0 ? square : rw_make2(g, RW_OP_MUL, result, square);
            if (k > 1) square = rw_make2(g, RW_OP_MUL, square, square);
        }
        return n > 0 ? result : rw_make2(g, RW_OP_DIV, rw_real(g, 1), result);
    }
    return -1;
}

/* Known on the host before a run. */
static bool is_scalar(const rw_graph *g, rw_node n) { return !g->nodes[n].is_field && !g->nodes[n].reduced; }

/* A power of 2 whose reciprocal is normal in f32 too: the product with it has the bits of the quotient. */
static bool has_exact_reciprocal(const rw_graph *g, rw_node n)
{
    const rw_graph_node *p = g->nodes + n;
    int exponent;
    return p->op == RW_OP_CONST && p->im == 0 && fabs(frexp(p->re, &exponent)) == 0.5 && abs(exponent) <= 126;
}

/* An integer compared with a number that may lie outside the range of its type, or be known as a real number only: the
 * comparison is exact. -1: nothing to do. */
static rw_node compare_with_number(rw_graph *g, rw_node_op op, rw_node a, rw_node b)
{
    const bool swapped = g->nodes[a].op == RW_OP_CONST;
    const rw_graph_node *number = g->nodes + (swapped ? a : b);
    const int integer = g->nodes[swapped ? b : a].integer;
    const double c = number->re;
    if (!integer || number->op != RW_OP_CONST || number->im != 0 || isnan(c)) return -1;
    const rw_int128 low = integer == RW_I64 ? INT64_MIN : 0,
                    high = integer == RW_I64 ? (rw_int128)INT64_MAX : UINT64_MAX;
    const bool below = number->is_exact ? number->exact < low : c < (double)low,
               above = number->is_exact ? number->exact > high : c > (double)high || c == (double)high;
    if (below || above) {
        const bool first_is_less = swapped ? below : above;
        switch (op) {
        case RW_OP_LT:
        case RW_OP_LE: return rw_real(g, first_is_less);
        case RW_OP_EQ: return rw_real(g, 0);
        case RW_OP_NE: return rw_real(g, 1);
        case RW_OP_MIN: return first_is_less ? a : b;
        default: return first_is_less ? b : a; /* MAX */
        }
    }
    if (number->is_exact || c != floor(c) || op == RW_OP_MIN || op == RW_OP_MAX) return -1;
    const rw_node exact = rw_exact(g, (rw_int128)c);
    return rw_make2(g, op, swapped ? exact : a, swapped ? b : exact);
}

/* |z|^2 of a complex number without its root. */
static rw_node square_of_modulus(rw_graph *g, rw_node z)
{
    const rw_node re = rw_make1(g, RW_OP_REAL, z), im = rw_make1(g, RW_OP_IMAG, z);
    return rw_make2(g, RW_OP_ADD, rw_make2(g, RW_OP_MUL, re, re), rw_make2(g, RW_OP_MUL, im, im));
}

/* Identities that hold for every finite operand, 0/0 apart; -1 when none applies. */
static rw_node simplify(rw_graph *g, rw_node_op op, rw_node a, rw_node b, rw_node c)
{
    switch (op) {
    case RW_OP_ADD:
        if (rw_is_const(g, a, 0)) return b;
        if (rw_is_const(g, b, 0)) return a;
        if (g->nodes[b].op == RW_OP_NEG) return rw_make2(g, RW_OP_SUB, a, g->nodes[b].arg[0]);
        if (a == b) return rw_make2(g, RW_OP_MUL, rw_real(g, 2), a);
        break;
    case RW_OP_SUB:
        if (rw_is_const(g, b, 0)) return a;
        if (rw_is_const(g, a, 0)) return rw_make1(g, RW_OP_NEG, b);
        if (a == b) return rw_real(g, 0);
        if (g->nodes[b].op == RW_OP_NEG) return rw_make2(g, RW_OP_ADD, a, g->nodes[b].arg[0]);
        break;
    case RW_OP_MUL:
        if (rw_is_const(g, a, 0) || rw_is_const(g, b, 0)) return rw_real(g, 0);
        if (rw_is_const(g, a, 1)) return b;
        if (rw_is_const(g, b, 1)) return a;
        if (a == b && g->nodes[a].op == RW_OP_ABS && g->nodes[g->nodes[a].arg[0]].is_complex)
            return square_of_modulus(g, g->nodes[a].arg[0]);
        if (g->nodes[a].integer == RW_U64 || g->nodes[b].integer == RW_U64) break; /* a product with -1 is real */
        if (rw_is_const(g, a, -1)) return rw_make1(g, RW_OP_NEG, b);
        if (rw_is_const(g, b, -1)) return rw_make1(g, RW_OP_NEG, a);
        break;
    case RW_OP_DIV:
        if (rw_is_const(g, b, 1)) return a;
        if (rw_is_const(g, a, 0) && !(g->nodes[b].op == RW_OP_CONST)) return a;
        if (g->nodes[a].integer) break; /* a whole quotient */
        if (g->nodes[a].is_field && (has_exact_reciprocal(g, b) || (g->reciprocals && is_scalar(g, b))))
            return rw_make2(g, RW_OP_MUL, a, rw_make2(g, RW_OP_DIV, rw_real(g, 1), b));
        break;
    case RW_OP_NEG:
        if (g->nodes[a].op == RW_OP_NEG) return g->nodes[a].arg[0];
        break;
    case RW_OP_POW:
        if (g->nodes[b].op == RW_OP_CONST && g->nodes[b].im == 0) return power(g, a, g->nodes[b].re);
        break;
    case RW_OP_WHERE:
        if (g->nodes[a].op == RW_OP_CONST) return g->nodes[a].re != 0 ? b : c;
        if (b == c) return b;
        break;
    case RW_OP_LT:
    case RW_OP_LE:
    case RW_OP_EQ:
    case RW_OP_NE:
    case RW_OP_MIN:
    case RW_OP_MAX: return compare_with_number(g, op, a, b);
    case RW_OP_REAL:
    case RW_OP_CONJ:
        if (!g->nodes[a].is_complex) return a;
        break;
    case RW_OP_IMAG:
        if (!g->nodes[a].is_complex) return rw_real(g, 0);
        break;
    default: break;
    }
    return -1;
}

bool rw_is_whole(const rw_graph *g, rw_node n, int integer)
{
    const rw_graph_node *p = g->nodes + n;
    return p->integer ? p->integer == integer : (p->whole & (integer == RW_I64 ? RW_WHOLE : RW_NATURAL)) != 0;
}

/* What the operation makes of real numbers that are whole: RW_WHOLE, RW_NATURAL. */
static int whole_of(const rw_graph *g, rw_node_op op, const rw_node args[3])
{
    int whole = RW_WHOLE | RW_NATURAL;
    if (rw_ops[op].kind == 'B') return whole;
    switch (op) {
    case RW_OP_ADD:
    case RW_OP_MUL:
    case RW_OP_WHERE:
    case RW_OP_MIN:
    case RW_OP_MAX:
    case RW_OP_ABS: break;
    case RW_OP_SUB:
    case RW_OP_NEG: whole = RW_WHOLE; break;
    default: return 0;
    }
    for (int i = op == RW_OP_WHERE; i < rw_ops[op].arity; ++i)
        whole &= g->nodes[args[i]].integer ? 0 : g->nodes[args[i]].whole;
    return whole;
}

/* The type of integers that the operation gives; 0: a real or complex number. `wanted`: also where all operands are
 * real. */
static int integer_of(const rw_graph *g, rw_node_op op, const rw_node args[3], int wanted)
{
    int integer = wanted;
    switch (op) {
    case RW_OP_ADD:
    case RW_OP_SUB:
    case RW_OP_MUL:
    case RW_OP_DIV:
    case RW_OP_NEG:
    case RW_OP_WHERE:
    case RW_OP_MIN:
    case RW_OP_MAX:
    case RW_OP_MOD:
    case RW_OP_ABS:
    case RW_OP_SIGN:
    case RW_OP_FLOOR: break;
    default: return 0;
    }
    const int first = op == RW_OP_WHERE, end = rw_ops[op].arity;
    for (int i = first; i < end; ++i) integer = g->nodes[args[i]].integer ? g->nodes[args[i]].integer : integer;
    for (int i = first; i < end && integer; ++i)
        if (!rw_is_whole(g, args[i], integer)) integer = 0;
    return integer;
}

static bool commutes(rw_node_op op) { return op == RW_OP_ADD || op == RW_OP_MUL; }

/* n = *field times *scalar, real or complex numbers. */
static bool splits(const rw_graph *g, rw_node n, rw_node *field, rw_node *scalar)
{
    const rw_graph_node *p = g->nodes + n;
    if (p->op != RW_OP_MUL || !p->is_field || p->integer) return false;
    int which = is_scalar(g, p->arg[0]) ? 0 : is_scalar(g, p->arg[1]) ? 1 : -1;
    if (which < 0) return false;
    *scalar = p->arg[which];
    *field = p->arg[1 - which];
    return true;
}

/* Scalar factors of a product move outwards and meet: (a(x) s) c = a(x) (s c), (a s) b = (a b) s. -1: nothing to do. */
static rw_node gather(rw_graph *g, rw_node_op op, rw_node a, rw_node b)
{
    rw_node field, scalar;
    if (op == RW_OP_DIV && g->reciprocals && is_scalar(g, b) && splits(g, a, &field, &scalar) &&
        !(g->nodes[scalar].op == RW_OP_CONST && g->nodes[b].op == RW_OP_CONST))
        return rw_make2(g, RW_OP_MUL, field, rw_make2(g, RW_OP_DIV, scalar, b));
    if (op != RW_OP_MUL) return -1;
    for (int i = 0; i < 2; ++i) {
        rw_node one = i ? b : a, other = i ? a : b;
        if (!splits(g, one, &field, &scalar)) continue;
        if (!is_scalar(g, other)) return rw_make2(g, RW_OP_MUL, rw_make2(g, RW_OP_MUL, field, other), scalar);
        if (g->nodes[scalar].op == RW_OP_CONST && g->nodes[other].op == RW_OP_CONST) continue;
        return rw_make2(g, RW_OP_MUL, field, rw_make2(g, RW_OP_MUL, scalar, other));
    }
    return -1;
}

/* a^n for n >= 0; false beyond 2^126. */
static bool exact_power(rw_int128 a, rw_int128 n, rw_int128 *out)
{
    rw_int128 result = 1;
    if (n < 0) return false;
    if (a == 0 || a == 1 || a == -1) result = n == 0 || a == 1 || (a == -1 && n % 2 == 0) ? 1 : a;
    else
        for (; n > 0; --n)
            if (__builtin_mul_overflow(result, a, &result)) return false;
    *out = result;
    return true;
}

/* The operation on integers, where its result is an integer below 2^126. */
static bool exact_value(rw_node_op op, rw_int128 a, rw_int128 b, rw_int128 *out)
{
    const rw_int128 most = (rw_int128)1 << 126;
    bool known = true;
    switch (op) {
    case RW_OP_ADD: *out = a + b; break;
    case RW_OP_SUB: *out = a - b; break;
    case RW_OP_MUL: known = !__builtin_mul_overflow(a, b, out); break;
    case RW_OP_DIV:
        known = b != 0 && a % b == 0;
        if (known) *out = a / b;
        break;
    case RW_OP_MOD: /* has the sign of b */
        known = b != 0;
        if (known) *out = a % b;
        if (known && *out != 0 && (*out < 0) != (b < 0)) *out += b;
        break;
    case RW_OP_POW: known = exact_power(a, b, out); break;
    case RW_OP_NEG: *out = -a; break;
    case RW_OP_ABS: *out = a < 0 ? -a : a; break;
    case RW_OP_SIGN: *out = (a > 0) - (a < 0); break;
    case RW_OP_FLOOR: *out = a; break;
    case RW_OP_MIN: *out = a < b ? a : b; break;
    case RW_OP_MAX: *out = a > b ? a : b; break;
    case RW_OP_LT: *out = a < b; break;
    case RW_OP_LE: *out = a <= b; break;
    case RW_OP_EQ: *out = a == b; break;
    case RW_OP_NE: *out = a != b; break;
    default: known = false; break;
    }
    return known && -most < *out && *out < most;
}

/* An operation on constants. Integers beyond 2^53 are folded as such; up to there real numbers give the same, and keep
 * the sign of 0. */
static rw_node fold(rw_graph *g, rw_node_op op, const rw_node args[3], bool is_complex)
{
    const int arity = rw_ops[op].arity;
    const rw_int128 exact_reals = TWO_TO_53;
    double in[3][2] = {{0}}, out[2];
    rw_int128 exact[3] = {0}, result;
    bool all_exact = true, large = false;
    if (op == RW_OP_WHERE) return args[g->nodes[args[0]].re != 0 ? 1 : 2];
    for (int i = 0; i < arity; ++i) {
        const rw_graph_node *p = g->nodes + args[i];
        in[i][0] = p->re;
        in[i][1] = p->im;
        exact[i] = p->exact;
        all_exact = all_exact && p->is_exact;
        large = large || p->exact > exact_reals || p->exact < -exact_reals;
    }
    if (all_exact && exact_value(op, exact[0], exact[1], &result) &&
        (large || result > exact_reals || result < -exact_reals))
        return rw_exact(g, result);
    rw_apply(op, (const double(*)[2])in, is_complex, out);
    if (all_exact && large && op == RW_OP_DIV && out[0] == floor(out[0])) { /* rounded: no integer, and not exact */
        rw_graph_node n = LEAF(RW_OP_CONST);
        n.re = out[0];
        return intern(g, n);
    }
    return rw_const(g, out[0], out[1]);
}

static rw_node make(rw_graph *g, rw_node_op op, rw_node a, rw_node b, rw_node c, int integer);

static bool becomes_integer(const rw_graph_node *p)
{
    return !p->integer && rw_ops[p->op].kind != 'B' && rw_ops[p->op].arity > 0 && p->op != RW_OP_CAST;
}

/* The nodes' values of this stamp are the results. */
static rw_node convert(rw_graph *g, rw_node n, int integer)
{
    const rw_graph_node p = g->nodes[n];
    rw_node args[3];
    if (!becomes_integer(&p)) return n;
    if (p.stamp == g->stamp) return (rw_node)p.value[0];
    for (int i = 0; i < 3; ++i) {
        const bool is_operand = i < rw_ops[p.op].arity && !(p.op == RW_OP_WHERE && i == 0);
        args[i] = is_operand ? convert(g, p.arg[i], integer) : p.arg[i];
    }
    const rw_node result = make(g, (rw_node_op)p.op, args[0], args[1], args[2], integer);
    g->nodes[n].stamp = g->stamp;
    g->nodes[n].value[0] = result;
    return result;
}

/* A real value that is an integer, as an integer: sums, products … of it are computed modulo 2^64, not rounded. */
static rw_node to_integer(rw_graph *g, rw_node n, int integer)
{
    if (g->failed || !becomes_integer(g->nodes + n)) return n;
    g->stamp++;
    return convert(g, n, integer);
}

/* The type in which operands are compared: integers where one is and the other is whole; 0: real or complex. */
static int compared_as(const rw_graph *g, rw_node_op op, const rw_node args[3])
{
    int integer = 0;
    if (rw_ops[op].kind != 'B') return 0;
    for (int i = 0; i < rw_ops[op].arity; ++i)
        integer = g->nodes[args[i]].integer ? g->nodes[args[i]].integer : integer;
    for (int i = 0; i < rw_ops[op].arity && integer; ++i)
        if (!rw_is_whole(g, args[i], integer)) integer = 0;
    return integer;
}

int rw_compared_as(const rw_graph *g, const rw_graph_node *p) { return compared_as(g, (rw_node_op)p->op, p->arg); }

rw_node rw_make(rw_graph *g, rw_node_op op, rw_node a, rw_node b, rw_node c) { return make(g, op, a, b, c, 0); }

/* With `integer` an operation on real values that are integers is one on integers of that type. */
static rw_node make(rw_graph *g, rw_node_op op, rw_node a, rw_node b, rw_node c, int wanted)
{
    if (g->failed) return 0;
    rw_node args[3] = {a, b, c};
    int arity = rw_ops[op].arity;
    int depth = 0;
    uint8_t depends = 0;
    bool constant = true, is_complex = false, is_field = false, reduced = false;
    for (int i = 0; i < arity; ++i) {
        const rw_graph_node *p = g->nodes + args[i];
        constant = constant && p->op == RW_OP_CONST;
        is_complex = is_complex || (p->is_complex && !(op == RW_OP_WHERE && i == 0));
        is_field = is_field || p->is_field;
        reduced = reduced || p->reduced;
        depth = RW_MAX(depth, p->depth);
        depends |= p->depends;
    }
    if (constant && op == RW_OP_POW && is_complex && g->nodes[b].im == 0) { /* (1+2i)^2 is -3+4i, not nearly so */
        rw_node small = power(g, a, g->nodes[b].re);
        if (small >= 0) return small;
    }
    if (constant) return fold(g, op, args, is_complex);
    rw_node simple = simplify(g, op, a, b, c);
    if (simple >= 0) return simple;
    if (g->failed) return 0;
    const int integer = integer_of(g, op, args, wanted), as = integer ? integer : compared_as(g, op, args);
    for (int i = op == RW_OP_WHERE; i < arity && as; ++i) args[i] = to_integer(g, args[i], as);
    if (g->failed) return 0;
    rw_node gathered = g->gather && is_field && !reduced && !integer ? gather(g, op, a, b) : -1;
    if (gathered >= 0 || g->failed) return RW_MAX(gathered, 0);
    if (commutes(op) && args[0] > args[1]) {
        const rw_node first = args[0];
        args[0] = args[1];
        args[1] = first;
    }
    rw_graph_node n = LEAF((uint8_t)op);
    memcpy(n.arg, args, sizeof n.arg);
    n.is_complex = is_complex && rw_ops[op].kind == 'C';
    n.is_field = is_field;
    n.reduced = reduced;
    n.depth = depth + 1;
    n.depends = depends;
    n.integer = (uint8_t)integer;
    n.whole = (uint8_t)(integer || is_complex ? 0 : whole_of(g, op, args));
    return intern(g, n);
}

rw_node rw_remake(rw_graph *g, const rw_graph_node *p, const rw_node arg[3])
{
    switch ((rw_node_op)p->op) {
    case RW_OP_REDUCE: return rw_reduce(g, (rw_reduce_kind)p->index, arg[0]);
    case RW_OP_CALL: return rw_call(g, p->index, arg);
    case RW_OP_CAST: return rw_cast(g, (rw_dtype)p->index, arg[0]);
    case RW_OP_NOISE:
    case RW_OP_NORMAL: return rw_noise(g, (rw_node_op)p->op, p->index, arg);
    default: return make(g, (rw_node_op)p->op, arg[0], arg[1], arg[2], p->integer);
    }
}

/* A constant that an array of this type stores. */
static rw_node rounded(rw_graph *g, rw_dtype dtype, double value)
{
    const double limit = dtype == RW_I64 ? 0x1p63 : 0x1p64;
    if (!is_long(dtype) || !(fabs(value) > TWO_TO_53)) return rw_real(g, rw_dtype_round(dtype, value));
    if (value >= limit) return rw_exact(g, dtype == RW_I64 ? (rw_int128)INT64_MAX : UINT64_MAX);
    return rw_exact(g, value >= (dtype == RW_I64 ? -limit : 0) ? (rw_int128)value : dtype == RW_I64 ? INT64_MIN : 0);
}

rw_node rw_cast(rw_graph *g, rw_dtype dtype, rw_node a)
{
    rw_graph_node n = LEAF(RW_OP_CAST);
    if (g->failed) return 0;
    const rw_graph_node *p = g->nodes + a;
    if (rw_dtype_is_number(dtype) || (p->op == RW_OP_CAST && p->index == (int)dtype) ||
        (p->integer && p->integer == (int)dtype))
        return a;
    if (p->op == RW_OP_CONST && p->is_exact && is_long(dtype)) {
        const rw_int128 low = dtype == RW_I64 ? INT64_MIN : 0,
                        high = dtype == RW_I64 ? (rw_int128)INT64_MAX : UINT64_MAX;
        return rw_exact(g, RW_MAX(low, RW_MIN(high, p->exact)));
    }
    if (p->op == RW_OP_CONST) return rounded(g, dtype, p->re);
    if (is_long(dtype) && !p->integer && rw_is_whole(g, a, (int)dtype)) {
        a = to_integer(g, a, (int)dtype);
        if (g->failed || g->nodes[a].integer == (int)dtype) return a;
        p = g->nodes + a;
    }
    n.index = (int)dtype;
    n.arg[0] = a;
    n.arg[1] = n.arg[2] = -1;
    n.integer = is_long(dtype) ? (uint8_t)dtype : 0;
    n.whole = (uint8_t)whole_of_type(dtype);
    n.is_field = p->is_field;
    n.reduced = p->reduced;
    n.depends = p->depends;
    n.depth = p->depth + 1;
    return intern(g, n);
}

rw_node rw_noise(rw_graph *g, rw_node_op op, int seed, const rw_node args[3])
{
    rw_graph_node n = LEAF(op);
    if (g->failed) return 0;
    n.index = seed;
    memcpy(n.arg, args, sizeof n.arg);
    n.is_field = true;
    n.depends = RW_ON_COORD | RW_ON_COORD << 1 | RW_ON_COORD << 2; /* no function of one coordinate: no table */
    n.depth = 1;
    return intern(g, n);
}

rw_node rw_call(rw_graph *g, int function, const rw_node args[3])
{
    rw_graph_node n = LEAF(RW_OP_CALL);
    if (g->failed) return 0;
    n.index = function;
    for (int i = 0; i < 3; ++i) {
        const rw_graph_node *p = g->nodes + args[i];
        n.arg[i] = args[i];
        n.is_field = n.is_field || p->is_field;
        n.reduced = n.reduced || p->reduced;
        n.depends |= p->depends;
        n.depth = RW_MAX(n.depth, p->depth + 1);
    }
    return intern(g, n);
}
