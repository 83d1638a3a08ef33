/* Values in kernel text. They are named after their nodes (v37), so the text follows the graph; scalars that depend on
 * no field are arguments (k12). */
#include "expr/nodes.h"

#include <math.h>
#include <string.h>

enum { WORD = 120 }; /* longest word for a value: a complex constant */

static bool is_complex(const rw_emitter *e, rw_node n) { return rw_node_of(e, n)->is_complex; }

/* snprintf in the C locale whatever the caller's. */
static void RW_PRINTF(3, 4) print(char *to, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    rw_vsnprintf(to, size, format, args);
    va_end(args);
}

static void number_word(char *w, size_t size, double v)
{
    char bare[40];
    if (isnan(v)) print(bare, sizeof bare, "(real)(RW_INF - RW_INF)");
    else if (isinf(v)) print(bare, sizeof bare, "(real)%sRW_INF", v < 0 ? "-" : "");
    else print(bare, sizeof bare, "(real)%.17g%s", v, v == floor(v) && fabs(v) < 1e15 ? ".0" : "");
    print(w, size, signbit(v) ? "(%s)" : "%s", bare); /* a sign never meets an operator */
}

/* The word for a node's value. Words live in a ring long enough for the arguments of one operation. */
const char *rw_word(rw_emitter *e, rw_node n)
{
    static _Thread_local char ring[8][WORD];
    static _Thread_local int next;
    char *w = ring[next = (next + 1) % 8];
    const rw_graph_node *p = rw_node_of(e, n);
    if (p->op == RW_OP_CONST && !e->use.uniform[n]) {
        char re[48], im[48];
        number_word(re, sizeof re, p->re);
        number_word(im, sizeof im, p->im);
        if (p->is_complex) snprintf(w, WORD, "CX(make)(%s, %s)", re, im);
        else snprintf(w, WORD, "%s", re);
    } else {
        snprintf(w, WORD, "%c%d", e->use.uniform[n] ? 'k' : 'v', n);
    }
    return w;
}

/* The same as a value of the type `integer`, or, with 0, of the arithmetic's. */
const char *rw_converted(rw_emitter *e, rw_node n, int integer)
{
    static _Thread_local char ring[4][WORD];
    static _Thread_local int next;
    const rw_graph_node *p = rw_node_of(e, n);
    if (p->integer == integer) return rw_word(e, n);
    char *w = ring[next = (next + 1) % 4];
    if (!integer) snprintf(w, WORD, "(real)%s", rw_word(e, n));
    else if (p->op == RW_OP_CONST && p->exact == INT64_MIN) snprintf(w, WORD, "((i64)(-9223372036854775807 - 1))");
    else if (p->op == RW_OP_CONST && integer == RW_U64) snprintf(w, WORD, "(u64)%lluu", (unsigned long long)p->exact);
    else if (p->op == RW_OP_CONST) snprintf(w, WORD, "(i64)%lld", (long long)p->exact);
    else
        snprintf(w, WORD, "%s_from_f64(%s)", rw_dtype_name((rw_dtype)integer),
                 rw_word(e, n)); /* whole, but it may be beyond the type's range */
    return w;
}

/* The same, made complex. */
const char *rw_complex_word(rw_emitter *e, rw_node n)
{
    static _Thread_local char ring[4][WORD];
    static _Thread_local int next;
    if (is_complex(e, n)) return rw_word(e, n);
    char *w = ring[next = (next + 1) % 4];
    snprintf(w, WORD, "CX(make)(%s, 0)", rw_converted(e, n, 0));
    return w;
}

const char *rw_dtype_word(rw_dtype dtype) { return dtype == RW_BOOL ? "b8" : rw_dtype_name(dtype); }

void rw_emit_as_real(rw_emitter *e, rw_dtype dtype, const char *word)
{
    const bool small = dtype == RW_F16 || dtype == RW_BF16;
    ADD(small ? "(real)f32_from_%s(%s)" : "(real)%s%s", small ? rw_dtype_name(dtype) : "", word);
}

/* Complex functions of dialect_complex.h, "" where the real ones are used. */
static const char *complex_function(rw_node_op op)
{
    switch (op) {
    case RW_OP_ADD: return "add";
    case RW_OP_SUB: return "sub";
    case RW_OP_MUL: return "mul";
    case RW_OP_DIV: return "div";
    case RW_OP_NEG: return "neg";
    case RW_OP_POW: return "pow";
    case RW_OP_ABS: return "abs";
    case RW_OP_SQRT: return "sqrt";
    case RW_OP_EXP: return "exp";
    case RW_OP_LOG: return "log";
    case RW_OP_SIN: return "sin";
    case RW_OP_COS: return "cos";
    case RW_OP_TAN: return "tan";
    case RW_OP_SINH: return "sinh";
    case RW_OP_COSH: return "cosh";
    case RW_OP_TANH: return "tanh";
    case RW_OP_CONJ: return "conj";
    default: return "";
    }
}

/* a b + c, a b - c, c - a b, whose product is operand `product`. */
static void emit_multiply_add(rw_emitter *e, const rw_graph_node *p, int product)
{
    const rw_graph_node *m = rw_node_of(e, p->arg[product]);
    const rw_node c = p->arg[!product];
    const bool minus_c = p->op == RW_OP_SUB && product == 0, minus_ab = p->op == RW_OP_SUB && product == 1;
    if (p->is_complex) {
        const int z = is_complex(e, m->arg[1]);
        ADD(minus_c ? "CX(axpy)(%s, %s%s, CX(neg)(%s))" : "CX(axpy)(%s, %s%s, %s)", rw_word(e, m->arg[z]),
            minus_ab ? "-" : "", rw_converted(e, m->arg[!z], 0), rw_complex_word(e, c));
    } else
        ADD("MULADD(%s%s, %s, %s%s)", minus_ab ? "-" : "", rw_converted(e, m->arg[0], 0), rw_converted(e, m->arg[1], 0),
            minus_c ? "-" : "", rw_converted(e, c, 0));
}

static void emit_complex(rw_emitter *e, const rw_graph_node *p)
{
    rw_node a = p->arg[0], b = p->arg[1];
    rw_node_op op = (rw_node_op)p->op;
    bool ca = is_complex(e, a), cb = b >= 0 && is_complex(e, b);
    if (op == RW_OP_REAL) ADD("%s.re", rw_word(e, a));
    else if (op == RW_OP_IMAG) ADD("%s.im", rw_word(e, a));
    else if (op == RW_OP_EQ || op == RW_OP_NE) {
        const char *x = rw_complex_word(e, a), *y = rw_complex_word(e, b);
        ADD("(real)(%s(%s.re == %s.re && %s.im == %s.im))", op == RW_OP_NE ? "!" : "", x, y, x, y);
    } else if (op == RW_OP_WHERE)
        ADD("%s != 0 ? %s : %s", rw_word(e, a), rw_complex_word(e, b), rw_complex_word(e, p->arg[2]));
    else if (op == RW_OP_MUL && !ca) ADD("CX(scale)(%s, %s)", rw_word(e, b), rw_converted(e, a, 0));
    else if (op == RW_OP_MUL && !cb) ADD("CX(scale)(%s, %s)", rw_word(e, a), rw_converted(e, b, 0));
    else if (op == RW_OP_DIV && !cb)
        ADD("CX(make)(%s.re / %s, %s.im / %s)", rw_word(e, a), rw_converted(e, b, 0), rw_word(e, a),
            rw_converted(e, b, 0));
    else if (rw_ops[op].arity == 1) ADD("CX(%s)(%s)", complex_function(op), rw_word(e, a));
    else ADD("CX(%s)(%s, %s)", complex_function(op), rw_complex_word(e, a), rw_complex_word(e, b));
}

bool rw_uses_functions(const rw_graph *g)
{
    for (int n = 0; n < g->n; ++n) {
        rw_node_op op = (rw_node_op)g->nodes[n].op;
        if (op == RW_OP_EXP2 || op == RW_OP_LOG2 || op == RW_OP_LOG10 || op == RW_OP_CBRT || op == RW_OP_POW ||
            op == RW_OP_HYPOT)
            return true;
    }
    return false;
}

/* (i + (1)): an index of the node. */
static const char *index_word(rw_emitter *e, const rw_graph_node *p)
{
    static _Thread_local char word[64];
    snprintf(word, sizeof word, "(%s + (%lld))", e->index[p->index],
             (long long)(p->offset[p->index] + e->g->grid.first[p->index]));
    return word;
}

/* Modulo 2^64; whole quotients, 0 where the divisor is 0. Signed numbers go through unsigned ones, whose overflow is
 * defined. */
static void emit_integer(rw_emitter *e, const rw_graph_node *p)
{
    const bool sign = p->integer == RW_I64;
    const char *a = rw_converted(e, p->arg[0], p->op == RW_OP_WHERE ? rw_node_of(e, p->arg[0])->integer : p->integer),
               *b = p->arg[1] >= 0 ? rw_converted(e, p->arg[1], p->integer) : "",
               *c = p->arg[2] >= 0 ? rw_converted(e, p->arg[2], p->integer) : "";
    switch ((rw_node_op)p->op) {
    case RW_OP_ADD: ADD(sign ? "(i64)((u64)%s + (u64)%s)" : "%s + %s", a, b); break;
    case RW_OP_SUB: ADD(sign ? "(i64)((u64)%s - (u64)%s)" : "%s - %s", a, b); break;
    case RW_OP_MUL: ADD(sign ? "(i64)((u64)%s * (u64)%s)" : "%s * %s", a, b); break;
    case RW_OP_NEG: ADD("(%s)((u64)0 - (u64)%s)", sign ? "i64" : "u64", a); break;
    case RW_OP_DIV:
        if (sign) ADD("%s == 0 ? (i64)0 : %s == -1 ? (i64)((u64)0 - (u64)%s) : %s / %s", b, b, a, a, b);
        else ADD("%s == 0 ? (u64)0 : %s / %s", b, a, b);
        break;
    case RW_OP_MOD: /* of the sign of the divisor, as with real numbers */
        if (sign)
            ADD("%s == 0 || %s == -1 ? (i64)0 : %s %% %s != 0 && (%s < 0) != (%s < 0) ? %s %% %s + %s : %s %% %s", b, b,
                a, b, a, b, a, b, b, a, b);
        else ADD("%s == 0 ? (u64)0 : %s %% %s", b, a, b);
        break;
    case RW_OP_MIN: ADD("%s < %s ? %s : %s", a, b, a, b); break;
    case RW_OP_MAX: ADD("%s > %s ? %s : %s", a, b, a, b); break;
    case RW_OP_ABS: ADD(sign ? "%s < 0 ? (i64)((u64)0 - (u64)%s) : %s" : "%s", a, a, a); break;
    case RW_OP_SIGN: ADD(sign ? "(i64)(%s > 0) - (i64)(%s < 0)" : "(u64)(%s > 0)", a, a); break;
    case RW_OP_WHERE: ADD("%s != 0 ? %s : %s", a, b, c); break;
    case RW_OP_CAST:
        if (rw_is_index(rw_node_of(e, p->arg[0]))) {
            ADD("(%s)%s", rw_dtype_name((rw_dtype)p->index), index_word(e, rw_node_of(e, p->arg[0])));
            break;
        }
        ADD("%s_from_%s(%s)", rw_dtype_word((rw_dtype)p->index),
            rw_node_of(e, p->arg[0])->integer ? rw_dtype_name((rw_dtype)rw_node_of(e, p->arg[0])->integer)
            : e->k->f32                       ? "f32"
                                              : "f64",
            rw_word(e, p->arg[0]));
        break;
    default: ADD("%s", a); break; /* FLOOR */
    }
}

static void emit_real(rw_emitter *e, const rw_graph_node *p)
{
    const int as = rw_compared_as(e->g, p);
    const char *a = rw_converted(e, p->arg[0],
                                 p->op == RW_OP_CAST || p->op == RW_OP_WHERE ? rw_node_of(e, p->arg[0])->integer : as),
               *b = p->arg[1] >= 0 ? rw_converted(e, p->arg[1], as) : "",
               *c = p->arg[2] >= 0 ? rw_converted(e, p->arg[2], as) : "";
    switch ((rw_node_op)p->op) {
    case RW_OP_ADD: ADD("%s + %s", a, b); break;
    case RW_OP_SUB: ADD("%s - %s", a, b); break;
    case RW_OP_MUL: ADD("%s * %s", a, b); break;
    case RW_OP_DIV: ADD("%s / %s", a, b); break;
    case RW_OP_NEG: ADD("-%s", a); break;
    case RW_OP_LT: ADD("(real)(%s < %s)", a, b); break;
    case RW_OP_LE: ADD("(real)(%s <= %s)", a, b); break;
    case RW_OP_EQ: ADD("(real)(%s == %s)", a, b); break;
    case RW_OP_NE: ADD("(real)(%s != %s)", a, b); break;
    case RW_OP_AND: ADD("(real)(%s != 0 && %s != 0)", a, b); break;
    case RW_OP_OR: ADD("(real)(%s != 0 || %s != 0)", a, b); break;
    case RW_OP_NOT: ADD("(real)(%s == 0)", a); break;
    case RW_OP_WHERE: ADD("%s != 0 ? %s : %s", a, b, c); break;
    case RW_OP_MIN: ADD("RW_MIN(%s, %s)", a, b); break;
    case RW_OP_MAX: ADD("RW_MAX(%s, %s)", a, b); break;
    case RW_OP_SIGN: ADD("RW_SIGN(%s)", a); break;
    case RW_OP_ABS: ADD("fabs(%s)", a); break;
    case RW_OP_ATAN2: ADD("atan2(%s, %s)", a, b); break;
    case RW_OP_POW:
    case RW_OP_HYPOT:
    case RW_OP_MOD: ADD("RX(%s)(%s, %s)", rw_ops[p->op].word, a, b); break;
    case RW_OP_EXP2:
    case RW_OP_LOG2:
    case RW_OP_LOG10:
    case RW_OP_CBRT: ADD("RX(%s)(%s)", rw_ops[p->op].word, a); break;
    case RW_OP_FLOOR: ADD("RW_FLOOR(%s)", a); break;
    case RW_OP_SQRT: ADD("sqrt(%s)", a); break;
    case RW_OP_CAST: {
        char word[160];
        const int from = rw_node_of(e, p->arg[0])->integer;
        snprintf(word, sizeof word, "%s_from_%s(%s)", rw_dtype_word((rw_dtype)p->index),
                 from        ? rw_dtype_name((rw_dtype)from)
                 : e->k->f32 ? "f32"
                             : "f64",
                 a);
        rw_emit_as_real(e, (rw_dtype)p->index, word);
        break;
    }
    default: ADD("RW_CALL(%s, %s)", rw_ops[p->op].word, a); break;
    }
}

static const char *type_name(const rw_emitter *e, rw_node n)
{
    const int integer = rw_node_of(e, n)->integer;
    return integer ? rw_dtype_name((rw_dtype)integer) : is_complex(e, n) ? "complex" : "real";
}

/* An index compared with the one of the first or last node: no node inside has it. */
static bool is_aside(const rw_emitter *e, const rw_graph_node *p)
{
    if (p->op != RW_OP_EQ) return false;
    const rw_graph_node *i = rw_node_of(e, p->arg[0]), *other = rw_node_of(e, p->arg[1]);
    if (!rw_is_index(i) || i->offset[i->index] || other->op != RW_OP_CONST || !e->inside[i->index]) return false;
    const double node = other->re - (double)e->g->grid.first[i->index];
    return node == 0 || node == (double)(e->g->grid.size[i->index] - 1);
}

/* What n is at all nodes inside, where it is a number there. */
static bool is_number_inside(rw_emitter *e, rw_node n, double *value)
{
    const rw_graph_node *p = rw_node_of(e, n);
    double of[2];
    *value = p->op == RW_OP_CONST ? p->re : 0;
    if (!e->inside || p->is_complex || p->integer) return false;
    if (p->op == RW_OP_CONST || is_aside(e, p)) return true;
    if (p->op == RW_OP_WHERE)
        return is_number_inside(e, p->arg[0], of) && is_number_inside(e, p->arg[*of ? 1 : 2], value);
    if (p->op != RW_OP_MUL || !is_number_inside(e, p->arg[0], of) || !is_number_inside(e, p->arg[1], of + 1))
        return false;
    *value = of[0] * of[1];
    return true;
}

/* A function of one coordinate, looked up. */
static void emit_table_value(rw_emitter *e, rw_node n)
{
    int axis = rw_table_axis(e->g, n);
    char i = rw_index_letter[axis], N = rw_size_letter[axis];
    const char *own = e->side ? "b" : ""; /* an argument of functions for values beyond sides */
    if (e->beyond && axis > 0) ADD("%st%d[%c < 0 ? 0 : %c < N%c ? %c : N%c - 1]", own, n, i, i, N, i, N);
    else ADD("%st%d[%c]", own, n, i);
}

/* The number of the node in the whole grid, from the indices that its arguments are. */
static void emit_noise(rw_emitter *e, const rw_graph_node *p)
{
    const rw_grid *grid = &e->g->grid;
    long long stride = 1;
    ADD("RX(%s)(%d, (u64)(0", p->op == RW_OP_NOISE ? "noise" : "normal", p->index);
    for (int d = 0; d < grid->ndim; ++d) {
        const rw_graph_node *index = rw_node_of(e, p->arg[d]);
        ADD(" + (i64)(%s + (%lld)) * %lld", e->index[d], (long long)(index->offset[d] + grid->first[d]), stride);
        stride *= grid->global_size[d] ? grid->global_size[d] : grid->size[d];
    }
    ADD("))");
}

void rw_emit_nodes(rw_emitter *e, const uint8_t *wanted, const char *indent)
{
    for (int n = 0; n < e->use.nnodes; ++n) {
        if (wanted[n] != RW_ALONE || e->use.uniform[n]) continue;
        const rw_graph_node *p = rw_node_of(e, n);
        const rw_store *forward = rw_plan_forward(e->plan, e->pass, p);
        char word[48];
        double number;
        ADD("%sconst %s v%d = ", indent, type_name(e, n), n);
        if (is_number_inside(e, n, &number)) {
            number_word(word, sizeof word, number);
            ADD("%s", word);
        } else if (e->use.table && e->use.table[n]) emit_table_value(e, n);
        else if (forward && p->integer) ADD("%s", rw_converted(e, forward->value, p->integer));
        else if (forward) ADD("%s", p->is_complex ? rw_complex_word(e, forward->value) : rw_word(e, forward->value));
        else if (p->op == RW_OP_FIELD) e->field(e, p);
        else if (rw_is_index(p)) ADD("(real)%s", index_word(e, p));
        else if (p->op == RW_OP_NOISE || p->op == RW_OP_NORMAL) emit_noise(e, p);
        else if (p->op == RW_OP_COORD)
            ADD("MULADD((real)(%s + (%d)), %s, %s)", e->index[p->index], p->offset[p->index],
                rw_word(e, rw_scalar_argument(e->g, e->g->spacing[p->index])),
                rw_word(e, rw_scalar_argument(e->g, e->g->origin[p->index])));
        else if (p->op == RW_OP_STATE) ADD("(real)slots[%d]", rw_state_slot(p->index));
        else if (p->op == RW_OP_REDUCE) {
            int slot = rw_plan_reduction(e->plan, n)->slot;
            if (p->is_complex) ADD("CX(make)((real)slots[%d], (real)slots[%d])", slot, slot + 1);
            else ADD("(real)slots[%d]", slot);
        } else {
            const int product = rw_plan_product(e->plan, n);
            bool any = p->is_complex;
            for (int i = 0; i < rw_ops[p->op].arity; ++i)
                any = any || (is_complex(e, p->arg[i]) && !(p->op == RW_OP_WHERE && i == 0));
            if (product >= 0) emit_multiply_add(e, p, product);
            else if (p->integer) emit_integer(e, p);
            else if (any) emit_complex(e, p);
            else emit_real(e, p);
        }
        ADD(";\n");
    }
}
