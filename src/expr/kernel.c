/* Kernel text of a pass.
 *
 *   get_u_x, get_u_y, …   the value of a field at any node, inside or beyond a side: periodic nodes wrap, Dirichlet,
 *                         Neumann and Robin sides give ghost values (docs/methods/field.md has the formulas)
 *   inner                 cells whose neighbours all exist: plain loads; on a GPU an item walks along the last axis and
 *                         keeps the values it will need again in registers
 *   border                all others: neighbours through get_…
 *   run                   a group takes tiles, splits each into an inner box and the cells around it, keeps partial
 *                         reductions
 *   combine               adds up what the groups left behind, in their order
 *
 * Scalars that depend on no field are computed once on the host and are arguments (k12); reductions of earlier passes
 * are read from device memory. Values are named after their nodes (v37), so the text follows the graph. */
#include "expr/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct emitter {
    const rw_plan *plan;
    rw_graph *g;
    int pass;
    rw_pass_use use;
    rw_pass_kernel *k;
    rw_text *t;
    rw_text uniforms, uniform_names; /* ", real k3, real k9" and ", k3, k9" */
    rw_text arrays, array_names;     /* ", GLOBAL const f64 *RESTRICT f_u" … */
    bool border;                     /* loads of neighbours through get_… */
    bool stream;                     /* stores past the caches */
    const char *index[3];            /* names of the indices in the text being written */
    const char *item;                /* the item of the EACH around it */
    struct window *windows;          /* while an item walks along an axis */
    int nwindows;
} emitter;

/* Values of a field along the axis that an item walks: offsets first … last are in registers w7_0, w7_1, … */
typedef struct window {
    int field, version;
    int16_t offset[3]; /* 0 on the axis */
    int first, last;
} window;
enum { MAX_WINDOWS = 64 };

enum { WORD = 120 }; /* longest word for a value: a complex constant */
static const char axis_letter[] = "xyz", index_letter[] = "ijk", size_letter[] = "XYZ";

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Bytes of the fields that the pass reads and writes. */
static double moved_bytes(const emitter *e)
{
    const rw_grid *grid = &e->g->grid;
    return (double)e->use.bytes_per_cell * (double)grid->size[0] * (double)grid->size[1] * (double)grid->size[2];
}

static void choose_tiling(emitter *e, const rw_device_properties *dev, rw_tiling *t)
{
    const rw_grid *grid = &e->g->grid;
    const char *wish = getenv("RECHENWERK_TILING"); /* for tests: the kernels of a GPU on any device, and the reverse */
    bool stream = wish && !strcmp(wish, "stream");  /* a CPU's for arrays larger than the caches */
    bool gpu = wish && !strcmp(wish, "gpu") ? true : stream || (wish && !strcmp(wish, "cpu")) ? false : dev->gpu;
    int64_t n[3] = {grid->size[0], grid->size[1], grid->size[2]}, cells = n[0] * n[1] * n[2];
    bool neighbours = false;
    for (int d = 0; d < 3; ++d) neighbours = neighbours || e->use.reach[d][0] || e->use.reach[d][1];
    memset(t, 0, sizeof *t);
    t->flat = !neighbours && !e->use.coordinates && cells <= INT32_MAX / 2; /* indices of EACH2 are ints on a GPU */
    if (t->flat) n[0] = cells, n[1] = n[2] = 1;
    t->narrow = gpu && cells < INT32_MAX / 2;
    int ndim = n[2] > 1 ? 3 : n[1] > 1 ? 2 : 1;
    if (!gpu) { /* whole rows, tiles of about 8192 cells: the same for any number of threads */
        t->group = t->group_x = 256;
        t->tile[0] = ndim > 1 ? RW_MIN(RW_MAX(n[0], 1), 16384) : 8192;
        t->tile[1] = RW_MAX(1, RW_MIN(n[1], 8192 / RW_MAX(t->tile[0], 1)));
        t->tile[2] = 1;
    } else if (ndim == 1) {
        t->group = t->group_x = 128;
        t->tile[0] = 1024, t->tile[1] = t->tile[2] = 1;
    } else { /* long columns for reuse in registers, but enough groups to fill the device */
        static const int64_t wide[2][2] = {{128, 1}, {32, 8}};
        t->group_x = (int)wide[ndim - 2][0], t->group = t->group_x * (int)wide[ndim - 2][1];
        t->tile[0] = wide[ndim - 2][0], t->tile[1] = wide[ndim - 2][1], t->tile[2] = 1;
        int64_t across = ceil_div(n[0], t->tile[0]) * (ndim == 3 ? ceil_div(n[1], t->tile[1]) : 1);
        int64_t enough = (int64_t)RW_MAX(dev->units, 16) * 16;
        t->tile[ndim - 1] = RW_MAX(1, RW_MIN(ndim == 2 ? 16 : 32, n[ndim - 1] * across / enough));
        t->roll = ndim - 1;
    }
    t->stream = !gpu && (stream || moved_bytes(e) > (dev->cache > 0 ? (double)dev->cache : 0x1p26));
    t->split = t->tile[0] * t->tile[1] * t->tile[2] > 4 * t->group;
    int64_t tiles = 1;
    for (int d = 0; d < 3; ++d) tiles *= t->tiles[d] = ceil_div(n[d], RW_MAX(t->tile[d], 1));
    t->groups = tiles;
    if (e->k->naccumulators) t->groups = RW_MIN(tiles, gpu ? (int64_t)RW_MAX(dev->units, 16) * 4096 / t->group : 256);
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

#define ADD(...) rw_text_add(e->t, __VA_ARGS__)

static const char *text_of(const rw_text *t) { return t->data ? t->data : ""; }

static const rw_graph_node *node(const emitter *e, rw_node n) { return e->g->nodes + n; }
static bool is_complex(const emitter *e, rw_node n) { return node(e, n)->is_complex; }

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
static const char *word(emitter *e, rw_node n)
{
    static _Thread_local char ring[8][WORD];
    static _Thread_local int next;
    char *w = ring[next = (next + 1) % 8];
    const rw_graph_node *p = node(e, n);
    if (p->op == RW_OP_CONST) {
        char re[48], im[48];
        number_word(re, sizeof re, p->re), number_word(im, sizeof im, p->im);
        if (p->is_complex) snprintf(w, WORD, "CX(make)(%s, %s)", re, im);
        else snprintf(w, WORD, "%s", re);
    } else {
        snprintf(w, WORD, "%c%d", e->use.uniform[n] ? 'k' : 'v', n);
    }
    return w;
}

/* The same, made complex. */
static const char *complex_word(emitter *e, rw_node n)
{
    static _Thread_local char ring[4][WORD];
    static _Thread_local int next;
    if (is_complex(e, n)) return word(e, n);
    char *w = ring[next = (next + 1) % 4];
    snprintf(w, WORD, "CX(make)(%s, 0)", word(e, n));
    return w;
}

/* Complex functions of dialect_complex.h, "" where the real ones serve. */
static const char *complex_function(rw_op op)
{
    switch (op) {
    case RW_OP_ADD: return "add"; case RW_OP_SUB: return "sub"; case RW_OP_MUL: return "mul";
    case RW_OP_DIV: return "div"; case RW_OP_NEG: return "neg"; case RW_OP_POW: return "pow";
    case RW_OP_ABS: return "abs"; case RW_OP_SQRT: return "sqrt"; case RW_OP_EXP: return "exp";
    case RW_OP_LOG: return "log"; case RW_OP_SIN: return "sin"; case RW_OP_COS: return "cos";
    case RW_OP_TAN: return "tan"; case RW_OP_SINH: return "sinh"; case RW_OP_COSH: return "cosh";
    case RW_OP_TANH: return "tanh"; case RW_OP_CONJ: return "conj";
    default: return "";
    }
}

static void emit_complex(emitter *e, const rw_graph_node *p)
{
    rw_node a = p->arg[0], b = p->arg[1];
    rw_op op = (rw_op)p->op;
    bool ca = is_complex(e, a), cb = b >= 0 && is_complex(e, b);
    if (op == RW_OP_REAL) ADD("%s.re", word(e, a));
    else if (op == RW_OP_IMAG) ADD("%s.im", word(e, a));
    else if (op == RW_OP_EQ || op == RW_OP_NE) {
        const char *x = complex_word(e, a), *y = complex_word(e, b);
        ADD("(real)(%s(%s.re == %s.re && %s.im == %s.im))", op == RW_OP_NE ? "!" : "", x, y, x, y);
    } else if (op == RW_OP_WHERE)
        ADD("%s != 0 ? %s : %s", word(e, a), complex_word(e, b), complex_word(e, p->arg[2]));
    else if (op == RW_OP_MUL && !ca) ADD("CX(scale)(%s, %s)", word(e, b), word(e, a));
    else if (op == RW_OP_MUL && !cb) ADD("CX(scale)(%s, %s)", word(e, a), word(e, b));
    else if (rw_ops[op].arity == 1) ADD("CX(%s)(%s)", complex_function(op), word(e, a));
    else ADD("CX(%s)(%s, %s)", complex_function(op), complex_word(e, a), complex_word(e, b));
}

static void emit_real(emitter *e, const rw_graph_node *p)
{
    const char *a = word(e, p->arg[0]), *b = p->arg[1] >= 0 ? word(e, p->arg[1]) : "",
               *c = p->arg[2] >= 0 ? word(e, p->arg[2]) : "";
    switch ((rw_op)p->op) {
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
    case RW_OP_MOD: ADD("RW_MOD(%s, %s)", a, b); break;
    case RW_OP_SIGN: ADD("RW_SIGN(%s)", a); break;
    case RW_OP_ABS: ADD("fabs(%s)", a); break;
    case RW_OP_POW: case RW_OP_HYPOT: case RW_OP_ATAN2: ADD("%s(%s, %s)", rw_ops[p->op].word, a, b); break;
    default: ADD("%s(%s)", rw_ops[p->op].word, a); break;
    }
}

static const char *type_name(const emitter *e, rw_node n) { return is_complex(e, n) ? "complex" : "real"; }

/* A stored value in the precision of the arithmetic. */
static void emit_load(emitter *e, const rw_graph_node *p)
{
    const rw_graph_field *f = e->g->fields + p->index;
    bool same = e->k->f32 == (f->dtype == RW_F32 || f->dtype == RW_C64);
    if (e->border && (p->offset[0] || p->offset[1] || p->offset[2])) {
        ADD("get_%s_x(f_%s", f->name, f->name);
        for (int d = 0; d < 3; ++d) ADD(", %s + (%d)", e->index[d], p->offset[d]);
        ADD("%s)", text_of(&e->uniform_names));
        return;
    }
    char place[96] = "c";
    int64_t stride[3] = {1, e->g->grid.size[0], e->g->grid.size[0] * e->g->grid.size[1]}, off = 0;
    for (int d = 0; d < 3; ++d) off += stride[d] * p->offset[d];
    if (off) snprintf(place, sizeof place, "c %c %lld", off < 0 ? '-' : '+', (long long)(off < 0 ? -off : off));
    if (same) ADD("f_%s[%s]", f->name, place);
    else if (p->is_complex) ADD("CX(make)(f_%s[%s].re, f_%s[%s].im)", f->name, place, f->name, place);
    else ADD("(real)f_%s[%s]", f->name, place);
}

/* The window that holds a value, NULL when it is loaded. */
static const window *find_window(const emitter *e, const rw_graph_node *p)
{
    int axis = e->k->tiling.roll;
    for (int i = 0; i < e->nwindows; ++i) {
        const window *w = e->windows + i;
        bool same = w->field == p->index && w->version == p->version;
        for (int d = 0; d < 3; ++d) same = same && (d == axis || w->offset[d] == p->offset[d]);
        if (same) return w;
    }
    return NULL;
}

static void emit_value(emitter *e, const rw_graph_node *p)
{
    const window *w = find_window(e, p);
    if (w) ADD("w%d_%d", (int)(w - e->windows), p->offset[e->k->tiling.roll] - w->first);
    else emit_load(e, p);
}

/* "const real v12 = …;" for the nodes marked in `wanted`, in an order in which operands come first. */
static void emit_nodes(emitter *e, const bool *wanted, const char *indent)
{
    for (int n = 0; n < e->use.nnodes; ++n) {
        if (!wanted[n] || e->use.uniform[n]) continue;
        const rw_graph_node *p = node(e, n);
        const rw_store *forward = rw_plan_forward(e->plan, e->pass, p);
        ADD("%sconst %s v%d = ", indent, type_name(e, n), n);
        if (forward) ADD("%s", p->is_complex ? complex_word(e, forward->value) : word(e, forward->value));
        else if (p->op == RW_OP_FIELD) emit_value(e, p);
        else if (p->op == RW_OP_COORD)
            ADD("%s + (real)(%s + (%d)) * %s", word(e, rw_param(e->g, e->g->origin[p->index])), e->index[p->index],
                p->offset[p->index], word(e, rw_param(e->g, e->g->spacing[p->index])));
        else if (p->op == RW_OP_REDUCE) {
            int slot = rw_plan_reduction(e->plan, n)->slot;
            if (p->is_complex) ADD("CX(make)((real)slots[%d], (real)slots[%d])", slot, slot + 1);
            else ADD("(real)slots[%d]", slot);
        } else {
            bool any = p->is_complex;
            for (int i = 0; i < rw_ops[p->op].arity; ++i)
                any = any || (is_complex(e, p->arg[i]) && !(p->op == RW_OP_WHERE && i == 0));
            if (any) emit_complex(e, p);
            else emit_real(e, p);
        }
        ADD(";\n");
    }
}

/* ---- values beyond the sides -------------------------------------------------------------------------------------- */

static const char *field_type(const emitter *e, int f) { return rw_dtype_is_complex(e->g->fields[f].dtype) ? "complex" : "real"; }

/* a x + b y with a plain number in front, for real or complex values. */
static void emit_combination(emitter *e, int f, int n, const double *w, const char *const *terms)
{
    bool z = rw_dtype_is_complex(e->g->fields[f].dtype);
    for (int i = 0; i < n; ++i) {
        bool last = i == n - 1;
        if (z && !last) ADD("CX(add)(");
        if (z) ADD("CX(scale)(%s, (real)%.17g)", terms[i], w[i]);
        else ADD("%s(real)(%.17g) * %s", i ? " + " : "", w[i], terms[i]);
        if (z && !last) ADD(", ");
    }
    for (int i = 1; z && i < n; ++i) ADD(")");
    ADD(";\n");
}

/* The formulas of one side. The node on (Neumann, Robin) or beside (Dirichlet) the side is U(0), counted inwards. */
static rw_status emit_side(emitter *e, int f, int axis, int upper)
{
    const rw_graph_field *field = e->g->fields + f;
    rw_boundary_kind kind = field->boundary[2 * axis + upper].kind;
    rw_node a = field->boundary[2 * axis + upper].a, b = field->boundary[2 * axis + upper].b,
            c = field->boundary[2 * axis + upper].c;
    char q = index_letter[axis], N = size_letter[axis];
    const char *type = field_type(e, f), *saved = e->index[axis];
    int64_t n = e->g->grid.size[axis], reach = e->use.reach[axis][upper];
    bool order4 = e->g->order == 4 && n >= 5;
    if (upper) ADD("    if (%c >= N%c) {\n", q, N);
    else ADD("    if (%c < 0) {\n", q);
    if (upper) ADD("#define U(m) NEXT(N%c - 1 - (m))\n", N);
    else ADD("#define U(m) NEXT(m)\n");
    if (kind == RW_BOUNDARY_NEAREST) ADD("        return U(0);\n");
    if (kind == RW_BOUNDARY_PERIODIC) ADD("        return NEXT(((%c %% N%c) + N%c) %% N%c);\n", q, N, N, N);
    if (kind == RW_BOUNDARY_DIRICHLET || kind == RW_BOUNDARY_NEUMANN || kind == RW_BOUNDARY_ROBIN) {
        bool node_outside = kind == RW_BOUNDARY_DIRICHLET;
        /* the boundary expressions, at the place of the side */
        static const char *const places[2][3] = {{"iw", "jw", "kw"}, {"iw", "jw", "kw"}};
        e->index[axis] = places[upper][axis];
        if (upper) ADD("        const int %s = N%c%s;\n", e->index[axis], N, node_outside ? "" : " - 1");
        else ADD("        const int %s = %d;\n", e->index[axis], node_outside ? -1 : 0);
        rw_pass_use saved_use = e->use;
        e->use.needed = rw_calloc((size_t)e->use.nnodes, 1);
        if (!e->use.needed) {
            e->use = saved_use;
            return rw_fail_memory(e->g->ctx, (size_t)e->use.nnodes, "a kernel");
        }
        rw_pass_use_add(e->plan, e->pass, &e->use, a);
        rw_pass_use_add(e->plan, e->pass, &e->use, b);
        rw_pass_use_add(e->plan, e->pass, &e->use, c);
        emit_nodes(e, e->use.needed, "        ");
        rw_free(e->use.needed);
        e->use = saved_use;
        e->index[axis] = saved;
        bool z = rw_dtype_is_complex(field->dtype);
        if (node_outside) {
            static const double reflect[] = {2, -1}, one[] = {5, -10, 10, -5, 1}, three[] = {15, -40, 45, -24, 5};
            static const char *const two[] = {"g", "U(d - 1)"}, *const five[] = {"g", "U(0)", "U(1)", "U(2)", "U(3)"};
            ADD("        const %s g = %s;\n", type, z ? complex_word(e, a) : word(e, a));
            ADD("        const int d = %s;\n", upper ? axis == 0 ? "i - NX" : axis == 1 ? "j - NY" : "k - NZ"
                                                     : axis == 0 ? "-1 - i" : axis == 1 ? "-1 - j" : "-1 - k");
            ADD("        if (d == 0) return g;\n");
            if (order4) {
                ADD("        if (d == 1) return ");
                emit_combination(e, f, 5, one, five);
                ADD("        if (d == 2) return ");
                emit_combination(e, f, 5, three, five);
            }
            if (reach <= n + 1) {
                ADD("        return ");
                emit_combination(e, f, 2, reflect, two);
            } else { /* no such node on an axis shorter than the stencil: a line through the side and the farthest */
                ADD("        const int m = d - 1 < N%c ? d - 1 : N%c - 1;\n        const real w = (real)d / (real)(m + 1);\n",
                    N, N);
                if (z) ADD("        return CX(sub)(CX(scale)(g, (real)1 + w), CX(scale)(U(m), w));\n");
                else ADD("        return ((real)1 + w) * g - w * U(m);\n");
            }
        } else {
            /* outward slope times spacing */
            const char *h = word(e, rw_spacing(e->g, axis));
            if (kind == RW_BOUNDARY_NEUMANN)
                ADD(z ? "        const complex s = CX(scale)(%s, %s);\n" : "        const real s = %s * %s;\n",
                    z ? complex_word(e, a) : word(e, a), h);
            else if (z)
                ADD("        const complex s = CX(scale)(CX(div)(CX(sub)(%s, CX(mul)(%s, U(0))), %s), %s);\n",
                    complex_word(e, c), complex_word(e, a), complex_word(e, b), h);
            else
                ADD("        const real s = (%s - %s * U(0)) / %s * %s;\n", word(e, c), word(e, a), word(e, b), h);
            ADD("        const int d = %s;\n", upper ? axis == 0 ? "i - NX + 1" : axis == 1 ? "j - NY + 1" : "k - NZ + 1"
                                                     : axis == 0 ? "-i" : axis == 1 ? "-j" : "-k");
            if (order4) {
                static const double one[] = {4, -10. / 3, 6, -2, 1. / 3};
                static const char *const terms[] = {"s", "U(0)", "U(1)", "U(2)", "U(3)"};
                static const double two[] = {20, -50. / 3 - 10, 40, -15, 8. / 3};
                ADD("        if (d == 1) return ");
                emit_combination(e, f, 5, one, terms);
                ADD("        if (d == 2) return ");
                emit_combination(e, f, 5, two, terms);
                static const double three[] = {60, -90, 135, -54, 10};
                ADD("        if (d == 3) return ");
                emit_combination(e, f, 5, three, terms);
            }
            if (reach < n) ADD("        const int m = d;\n");
            else ADD("        const int m = d < N%c ? d : N%c - 1;\n", N, N);
            if (z) ADD("        return CX(add)(U(m), CX(scale)(s, (real)(d + m)));\n");
            else ADD("        return U(m) + (real)(d + m) * s;\n");
        }
    }
    ADD("#undef U\n    }\n");
    return RW_OK;
}

/* get_u_x calls get_u_y calls get_u_z calls the load: sides are resolved axis by axis. */
static rw_status emit_get(emitter *e, int f)
{
    const rw_graph_field *field = e->g->fields + f;
    const char *type = field_type(e, f), *stored = rw_dtype_name(field->dtype);
    const char *u = text_of(&e->uniforms), *names = text_of(&e->uniform_names);
    bool same = e->k->f32 == (field->dtype == RW_F32 || field->dtype == RW_C64);
    ADD("RARE %s get_%s_(GLOBAL const %s *f, INDEX i, INDEX j, INDEX k%s)\n{\n    const INDEX c = (k * NY + j) * NX + i;\n", type,
        field->name, stored, u);
    if (same) ADD("    return f[c];\n}\n");
    else if (!strcmp(type, "real")) ADD("    return (real)f[c];\n}\n");
    else ADD("    return CX(make)(f[c].re, f[c].im);\n}\n");
    for (int axis = 2; axis >= 0; --axis) {
        const char *inner = axis == 2 ? "" : axis == 1 ? "z" : "y";
        static const char *const shape[3] = {"(q), j, k", "i, (q), k", "i, j, (q)"};
        ADD("#define NEXT(q) get_%s_%s(f, %s%s)\n", field->name, inner, shape[axis], names);
        ADD("RARE %s get_%s_%c(GLOBAL const %s *f, INDEX i, INDEX j, INDEX k%s)\n{\n", type, field->name,
            axis_letter[axis], stored, u);
        if (axis < e->g->grid.ndim) {
            if (e->use.reach[axis][0]) RW_TRY(emit_side(e, f, axis, 0));
            if (e->use.reach[axis][1]) RW_TRY(emit_side(e, f, axis, 1));
        }
        ADD("    return NEXT(%c);\n}\n#undef NEXT\n", index_letter[axis]);
    }
    return RW_OK;
}

/* ---- cells, tiles, reductions ------------------------------------------------------------------------------------- */

/* The value goes past the caches of a CPU: through a strip's buffer, s_u. */
static bool is_streamed(const emitter *e, const rw_store *s)
{
    return e->stream && s->pass == e->pass && !s->dead && (s->shadow || !e->use.read[s->field]);
}

/* Before the loop the buffers, or behind it what empties them. */
static void emit_streams(emitter *e, bool buffers)
{
    for (int i = 0; i < e->plan->nstores; ++i) {
        const rw_store *s = e->plan->stores + i;
        const rw_graph_field *f = e->g->fields + s->field;
        if (!is_streamed(e, s)) continue;
        if (buffers) ADD("    STREAM(%s, s_%s);\n", rw_dtype_name(f->dtype), f->name);
        else ADD(", STREAM_OUT(s_%s, %c_%s)", f->name, s->shadow ? 'o' : 'f', f->name);
    }
}

static void emit_stores(emitter *e)
{
    for (int i = 0; i < e->plan->nstores; ++i) {
        const rw_store *s = e->plan->stores + i;
        const rw_graph_field *f = e->g->fields + s->field;
        if (s->pass != e->pass || s->dead) continue;
        char to[160];
        if (is_streamed(e, s)) snprintf(to, sizeof to, "STREAM_AT(s_%s, i, %c_%s, c)", f->name, s->shadow ? 'o' : 'f', f->name);
        else snprintf(to, sizeof to, "%c_%s[c]", s->shadow ? 'o' : 'f', f->name);
        bool same = e->k->f32 == (f->dtype == RW_F32 || f->dtype == RW_C64);
        if (!rw_dtype_is_complex(f->dtype))
            ADD("        %s = %s%s;\n", to, same ? "" : f->dtype == RW_F32 ? "(f32)" : "(f64)", word(e, s->value));
        else if (same) ADD("        %s = %s;\n", to, complex_word(e, s->value));
        else {
            ADD("        { const complex z = %s; ", complex_word(e, s->value));
            ADD("%s = %s_make(z.re, z.im); }\n", to, rw_dtype_name(f->dtype));
        }
    }
    int a = 0;
    for (int i = 0; i < e->plan->nreductions; ++i) {
        const rw_reduction *r = e->plan->reductions + i;
        if (r->pass != e->pass) continue;
        static const char *const op[] = {"", "RW_MIN", "RW_MAX"};
        for (int part = 0; part < r->width; ++part, ++a) {
            const char *value = word(e, r->value), *suffix = r->width == 1 ? "" : part ? ".im" : ".re";
            if (r->kind == RW_SUM) ADD("        AT(acc%d, %s) += (f64)%s%s;\n", a, e->item, value, suffix);
            else
                ADD("        { const f64 m = (f64)%s; AT(acc%d, %s) = %s(AT(acc%d, %s), m); }\n", value, a, e->item, op[r->kind], a,
                    e->item);
        }
    }
}

static void emit_head(emitter *e, const char *name, const char *box)
{
    ADD("DEVICE void %s(%s%s%s", name, box, text_of(&e->arrays), text_of(&e->uniforms));
    for (int a = 0; a < e->k->naccumulators; ++a) ADD(", f64 *acc%d", a);
    ADD(")\n{\n");
}

/* Windows for all fields that are read at several places along the axis of the walk. */
static rw_status make_windows(emitter *e)
{
    int axis = e->k->tiling.roll;
    e->windows = rw_calloc(MAX_WINDOWS, sizeof *e->windows), e->nwindows = 0;
    if (!e->windows) return rw_fail_memory(e->g->ctx, MAX_WINDOWS * sizeof *e->windows, "a kernel");
    for (int n = 0; n < e->use.nnodes; ++n) {
        const rw_graph_node *p = node(e, n);
        if (!e->use.needed[n] || p->op != RW_OP_FIELD || rw_plan_forward(e->plan, e->pass, p)) continue;
        window *w = (window *)find_window(e, p);
        if (!w) {
            if (e->nwindows == MAX_WINDOWS) continue;
            w = e->windows + e->nwindows++;
            *w = (window){p->index, p->version, {p->offset[0], p->offset[1], p->offset[2]}, p->offset[axis], p->offset[axis]};
        }
        w->first = RW_MIN(w->first, p->offset[axis]), w->last = RW_MAX(w->last, p->offset[axis]);
    }
    int kept = 0;
    for (int i = 0; i < e->nwindows; ++i)
        if (e->windows[i].last > e->windows[i].first) e->windows[kept++] = e->windows[i];
    e->nwindows = kept;
    return RW_OK;
}

/* w7_0 = value at offset `at` of window i. */
static void emit_window_load(emitter *e, int i, int at, int slot, const char *before)
{
    const window *w = e->windows + i;
    int16_t offset[3] = {w->offset[0], w->offset[1], w->offset[2]};
    offset[e->k->tiling.roll] = (int16_t)at;
    rw_graph_node p = {.op = RW_OP_FIELD, .index = w->field, .is_complex = rw_dtype_is_complex(e->g->fields[w->field].dtype)};
    memcpy(p.offset, offset, sizeof offset);
    ADD("%sw%d_%d = ", before, i, slot);
    emit_load(e, &p);
    ADD(";\n");
}

/* An item walks along the last axis: windows move by one node a step, only their leading values are loaded. */
static void emit_walk(emitter *e)
{
    int axis = e->k->tiling.roll;
    char q = index_letter[axis];
    if (axis == 1) ADD("    EACH(lane, (int)(ihi - ilo)) {\n        const INDEX i = ilo + lane, k = klo;\n");
    else ADD("    EACH2(i, ilo, ihi, j, jlo, jhi) {\n");
    ADD("        INDEX c = (%s * NY + %s) * NX + i;\n", axis == 1 ? "k" : "klo", axis == 1 ? "jlo" : "j");
    for (int i = 0; i < e->nwindows; ++i) {
        const window *w = e->windows + i;
        char declare[32];
        snprintf(declare, sizeof declare, "        %s ", field_type(e, w->field));
        for (int at = w->first; at < w->last; ++at) emit_window_load(e, i, at, at - w->first, declare);
        ADD("        %s w%d_%d;\n", field_type(e, w->field), i, w->last - w->first);
    }
    ADD("        UNROLL_BY(2) for (INDEX %c = %clo; %c < %chi; ++%c, c += %s) {\n", q, q, q, q, q, axis == 1 ? "NX" : "NX * NY");
    for (int i = 0; i < e->nwindows; ++i)
        emit_window_load(e, i, e->windows[i].last, e->windows[i].last - e->windows[i].first, "        ");
    emit_nodes(e, e->use.needed, "        ");
    emit_stores(e);
    for (int i = 0; i < e->nwindows; ++i)
        for (int m = 0; m < e->windows[i].last - e->windows[i].first; ++m) ADD("        w%d_%d = w%d_%d;\n", i, m, i, m + 1);
    ADD("        }\n    }\n}\n");
}

static rw_status emit_inner(emitter *e)
{
    bool walk = e->k->tiling.roll > 0 && !e->k->tiling.flat;
    e->border = false;
    e->index[0] = "i", e->index[1] = "j", e->index[2] = "k";
    e->item = walk && e->k->tiling.roll == 1 ? "lane" : "i";
    emit_head(e, "inner", "INDEX ilo, INDEX ihi, INDEX jlo, INDEX jhi, INDEX klo, INDEX khi");
    if (walk) {
        RW_TRY(make_windows(e));
        emit_walk(e);
        e->nwindows = 0;
        return RW_OK;
    }
    e->stream = e->k->tiling.stream;
    bool any = false;
    for (int i = 0; i < e->plan->nstores; ++i) any = any || is_streamed(e, e->plan->stores + i);
    emit_streams(e, true);
    ADD("    for (INDEX k = klo; k < khi; ++k)\n    %s(i, ilo, ihi, j, jlo, jhi", any ? "EACH2_STREAM" : "EACH2");
    if (any) ADD(", (k * NY + j) * NX");
    emit_streams(e, false);
    ADD(") {\n        const INDEX c = (k * NY + j) * NX + i;\n");
    emit_nodes(e, e->use.needed, "        ");
    emit_stores(e);
    ADD("    }\n%s}\n", any ? "    STREAM_END;\n" : "");
    e->stream = false;
    return RW_OK;
}

/* The cells of the tile lo … hi outside the box a … b, numbered: planes outside, then rows outside of the planes that
 * are left, then what is left of the rows. An empty box leaves the whole tile. */
static void emit_border(emitter *e)
{
    e->border = true;
    e->index[0] = "i", e->index[1] = "j", e->index[2] = "k", e->item = "cell";
    emit_head(e, "border", "INDEX lo0, INDEX hi0, INDEX lo1, INDEX hi1, INDEX lo2, INDEX hi2, INDEX a0, INDEX b0, INDEX a1, "
                           "INDEX b1, INDEX a2, INDEX b2");
    ADD("    const INDEX W = hi0 - lo0, H = hi1 - lo1, D = hi2 - lo2, w = b0 - a0, h = b1 - a1, d = b2 - a2;\n"
        "    const INDEX planes = (D - d) * H * W, rows = d * (H - h) * W, rest = d * h * (W - w);\n"
        "    EACH(cell, (int)(planes + rows + rest)) {\n"
        "        INDEX n = cell, i, j, k;\n"
        "        if (n < planes) {\n"
        "            i = lo0 + n %% W, j = lo1 + n / W %% H, k = lo2 + n / (W * H);\n"
        "            if (k >= a2) k += d;\n"
        "        } else if (n < planes + rows) {\n"
        "            n -= planes;\n"
        "            i = lo0 + n %% W, j = lo1 + n / W %% (H - h), k = a2 + n / (W * (H - h));\n"
        "            if (j >= a1) j += h;\n"
        "        } else {\n"
        "            n -= planes + rows;\n"
        "            i = lo0 + n %% (W - w), j = a1 + n / (W - w) %% h, k = a2 + n / ((W - w) * h);\n"
        "            if (i >= a0) i += w;\n"
        "        }\n"
        "        const INDEX c = (k * NY + j) * NX + i;\n");
    emit_nodes(e, e->use.needed, "        ");
    emit_stores(e);
    ADD("    }\n}\n");
}

static void emit_call(emitter *e, const char *indent, const char *name, const char *box)
{
    ADD("%s%s(%s%s%s", indent, name, box, text_of(&e->array_names), text_of(&e->uniform_names));
    for (int a = 0; a < e->k->naccumulators; ++a) ADD(", acc%d", a);
    ADD(");\n");
}

static void emit_run(emitter *e)
{
    const rw_tiling *t = &e->k->tiling;
    bool sides = e->use.reach[0][0] || e->use.reach[0][1] || e->use.reach[1][0] || e->use.reach[1][1] ||
                 e->use.reach[2][0] || e->use.reach[2][1];
    int na = e->k->naccumulators;
    ADD("KERNEL(run%s%s%s)\n{\n", text_of(&e->arrays), text_of(&e->uniforms),
        na ? ", GLOBAL f64 *RESTRICT part" : "");
    if (na) ADD("    SHARED(f64, shared, GROUP);\n");
    for (int a = 0; a < na; ++a) ADD("    PRIVATE(f64, acc%d);\n", a);
    int a = 0;
    for (int i = 0; i < e->plan->nreductions; ++i) {
        const rw_reduction *r = e->plan->reductions + i;
        static const char *const start[] = {"0", "RW_INF", "-RW_INF"};
        for (int part = 0; r->pass == e->pass && part < r->width; ++part, ++a)
            ADD("    EACH(i, GROUP) { AT(acc%d, i) = %s; }\n", a, start[r->kind]);
    }
    if (t->groups < t->tiles[0] * t->tiles[1] * t->tiles[2])
        ADD("    for (int tile = GROUP_ID(0); tile < TILES_X * TILES_Y * TILES_Z; tile += GROUP_COUNT(0)) {\n");
    else ADD("    {\n        const int tile = GROUP_ID(0);\n");
    for (int d = 0; d < 3; ++d) {
        char N = size_letter[d];
        static const char *const which[] = {"tile % TILES_X", "tile / TILES_X % TILES_Y", "tile / (TILES_X * TILES_Y)"};
        ADD("        const INDEX lo%d = (INDEX)(%s) * TILE_%c, hi%d = lo%d + TILE_%c < N%c ? lo%d + TILE_%c : N%c;\n", d,
            which[d], N, d, d, N, N, d, N, N);
    }
    if (!sides) {
        emit_call(e, "        ", "inner", "lo0, hi0, lo1, hi1, lo2, hi2");
    } else {
        ADD("        INDEX");
        for (int d = 0; d < 3; ++d)
            ADD("%s a%d = lo%d < %d ? %d : lo%d, b%d = hi%d > N%c - %d ? N%c - %d : hi%d", d ? "," : "", d, d,
                e->use.reach[d][0], e->use.reach[d][0], d, d, d, size_letter[d], e->use.reach[d][1], size_letter[d],
                e->use.reach[d][1], d);
        ADD(";\n        const int inside = a0 == lo0 && b0 == hi0 && a1 == lo1 && b1 == hi1 && a2 == lo2 && b2 == hi2;\n"
            "        if (a0 >= b0 || a1 >= b1 || a2 >= b2 || (!SPLIT && !inside)) a0 = b0 = hi0, a1 = b1 = hi1, a2 = b2 = hi2;\n");
        emit_call(e, "        ", "border", "lo0, hi0, lo1, hi1, lo2, hi2, a0, b0, a1, b1, a2, b2");
        ADD("        if (a0 < b0)\n");
        emit_call(e, "            ", "inner", "a0, b0, a1, b1, a2, b2");
    }
    ADD("    }\n");
    a = 0;
    for (int i = 0; i < e->plan->nreductions; ++i) {
        const rw_reduction *r = e->plan->reductions + i;
        for (int part = 0; r->pass == e->pass && part < r->width; ++part, ++a) {
            ADD("    EACH(i, GROUP) { shared[i] = AT(acc%d, i); }\n    BARRIER;\n    reduce_items(shared, %d);\n", a, r->kind);
            ADD("    EACH(i, 1) { part[%d * GROUP_COUNT(0) + GROUP_ID(0)] = shared[0]; }\n    BARRIER;\n", a);
        }
    }
    ADD("}\n");
}

/* Two levels: items of a group in shared memory, then the groups' values by `combine`. */
static void emit_reduction(emitter *e)
{
    ADD("DEVICE f64 merge(f64 a, f64 b, int kind)\n{\n    return kind == 0 ? a + b : kind == 1 ? RW_MIN(a, b) : RW_MAX(a, "
        "b);\n}\n"
        "DEVICE void reduce_items(LOCAL f64 *s, int kind)\n{\n    for (int n = GROUP; n > 1; n = (n + 1) / 2) {\n"
        "        const int upper = (n + 1) / 2;\n        EACH(i, n - upper) { s[i] = merge(s[i], s[i + upper], kind); }\n"
        "        BARRIER;\n    }\n}\n"
        "KERNEL(combine, GLOBAL f64 *slots, GLOBAL const f64 *part, int n, int first, int slot, int kind)\n{\n"
        "    SHARED(f64, shared, GROUP);\n    PRIVATE(f64, acc);\n"
        "    EACH(i, GROUP) { AT(acc, i) = kind == 0 ? 0 : kind == 1 ? RW_INF : -RW_INF; }\n"
        "    EACH_IN(i, 0, n) { AT(acc, i) = merge(AT(acc, i), part[first + i], kind); }\n"
        "    EACH(i, GROUP) { shared[i] = AT(acc, i); }\n    BARRIER;\n    reduce_items(shared, kind);\n"
        "    EACH(i, 1) { slots[slot] = shared[0]; }\n}\n");
}

/* ---- the whole ----------------------------------------------------------------------------------------------------- */

static bool add_slot(emitter *e, rw_slot_kind kind, int index, bool read)
{
    rw_pass_kernel *k = e->k;
    if (!rw_grow(&k->slots, &k->slots_capacity, k->nslots + 1, sizeof *k->slots)) return false;
    k->slots[k->nslots++] = (rw_slot){kind, index, read};
    return true;
}

static bool uses_slots(const emitter *e)
{
    for (int n = 0; n < e->use.nnodes; ++n)
        if (e->use.needed[n] && node(e, n)->op == RW_OP_REDUCE) return true;
    return false;
}

static bool is_shadow(const emitter *e, int f)
{
    for (int i = 0; i < e->plan->nstores; ++i) {
        const rw_store *s = e->plan->stores + i;
        if (s->field == f && s->pass == e->pass && !s->dead && s->shadow) return true;
    }
    return false;
}

/* Arguments in their order: fields read or written, second arrays, device scalars, uniforms, partial results. */
static rw_status make_arguments(emitter *e)
{
    bool ok = true;
    for (int f = 0; f < e->g->nfields; ++f) {
        const rw_graph_field *field = e->g->fields + f;
        const char *type = rw_dtype_name(field->dtype);
        bool shadow = is_shadow(e, f), written = e->use.written[f] && !shadow;
        if (e->use.read[f] || written) {
            ok = ok && add_slot(e, RW_SLOT_FIELD, f, e->use.read[f]);
            rw_text_add(&e->arrays, ", GLOBAL %s%s *RESTRICT f_%s", written ? "" : "const ", type, field->name);
            rw_text_add(&e->array_names, ", f_%s", field->name);
        }
        if (shadow) {
            ok = ok && add_slot(e, RW_SLOT_SHADOW, f, false);
            rw_text_add(&e->arrays, ", GLOBAL %s *RESTRICT o_%s", type, field->name);
            rw_text_add(&e->array_names, ", o_%s", field->name);
        }
    }
    if (uses_slots(e)) {
        ok = ok && add_slot(e, RW_SLOT_SLOTS, 0, true);
        rw_text_add(&e->arrays, ", GLOBAL const f64 *RESTRICT slots");
        rw_text_add(&e->array_names, ", slots");
    }
    for (int n = 0; n < e->use.nnodes; ++n)
        if (e->use.uniform[n]) {
            ok = ok && add_slot(e, RW_SLOT_UNIFORM, n, true);
            rw_text_add(&e->uniforms, ", %s k%d", type_name(e, n), n);
            rw_text_add(&e->uniform_names, ", k%d", n);
        }
    if (e->k->naccumulators) ok = ok && add_slot(e, RW_SLOT_PARTIAL, 0, false);
    if (!ok || e->arrays.failed || e->array_names.failed || e->uniforms.failed || e->uniform_names.failed)
        return rw_fail_memory(e->g->ctx, 1024, "a kernel");
    if (e->k->nslots > 150)
        return rw_fail(e->g->ctx, RW_ERR_UNSUPPORTED,
                       "a pass needs %d fields and scalars, more than the 150 a kernel can take: split the equations",
                       e->k->nslots);
    return RW_OK;
}

static rw_status count_accumulators(emitter *e)
{
    rw_pass_kernel *k = e->k;
    k->accumulator_slot = rw_calloc((size_t)e->plan->nslots + 1, sizeof *k->accumulator_slot);
    if (!k->accumulator_slot) return rw_fail_memory(e->g->ctx, 64, "a kernel");
    for (int i = 0; i < e->plan->nreductions; ++i) {
        const rw_reduction *r = e->plan->reductions + i;
        for (int part = 0; r->pass == e->pass && part < r->width; ++part)
            k->accumulator_slot[k->naccumulators++] = r->slot + part;
    }
    return RW_OK;
}

static void emit_definitions(emitter *e)
{
    const rw_tiling *t = &e->k->tiling;
    const rw_grid *grid = &e->g->grid;
    int64_t cells = grid->size[0] * grid->size[1] * grid->size[2];
    ADD("#define CX(name) %s_##name\n#define INDEX %s\n#define SPLIT %d\n", e->k->f32 ? "c64" : "c128",
        t->narrow ? "int" : "long", t->split);
    for (int d = 0; d < 3; ++d) {
        long long n = t->flat ? d ? 1 : (long long)cells : (long long)grid->size[d];
        ADD("#define N%c %lld\n#define TILE_%c %lld\n#define TILES_%c %lld\n", size_letter[d], n, size_letter[d],
            (long long)t->tile[d], size_letter[d], (long long)t->tiles[d]);
    }
}

static void choose_precision(emitter *e)
{
    bool any64 = false, any = false;
    for (int f = 0; f < e->g->nfields; ++f) {
        if (!e->use.read[f] && !e->use.written[f]) continue;
        any = true;
        any64 = any64 || e->g->fields[f].dtype == RW_F64 || e->g->fields[f].dtype == RW_C128;
        e->k->has_complex = e->k->has_complex || rw_dtype_is_complex(e->g->fields[f].dtype);
    }
    for (int n = 0; n < e->use.nnodes; ++n)
        if (e->use.needed[n] || e->use.uniform[n]) e->k->has_complex = e->k->has_complex || is_complex(e, n);
    e->k->f32 = any && !any64;
}

rw_status rw_pass_kernel_create(const rw_plan *plan, int pass, const rw_device_properties *device, rw_pass_kernel *k)
{
    rw_text text = {0};
    emitter e = {.plan = plan, .g = plan->graph, .pass = pass, .k = k, .t = &text, .index = {"i", "j", "k"}};
    memset(k, 0, sizeof *k);
    RW_TRY(rw_plan_use(plan, pass, &e.use));
    rw_status status = count_accumulators(&e);
    if (status != RW_OK) goto out;
    choose_precision(&e);
    choose_tiling(&e, device, &k->tiling);
    RW_TRY_GOTO(make_arguments(&e), out);
    emit_definitions(&e);
    for (int f = 0; f < e.g->nfields; ++f)
        if (e.use.read[f] && !k->tiling.flat) RW_TRY_GOTO(emit_get(&e, f), out);
    if (k->naccumulators) emit_reduction(&e);
    RW_TRY_GOTO(emit_inner(&e), out);
    if (!k->tiling.flat) emit_border(&e);
    emit_run(&e);
    k->flops = e.use.flops, k->bytes_per_cell = e.use.bytes_per_cell;
    if (text.failed) status = rw_fail_memory(e.g->ctx, text.length, "the text of a kernel");
    else k->text = text.data, text.data = NULL;
out:
    rw_pass_use_free(&e.use);
    rw_free(e.windows);
    rw_text_free(&text);
    rw_text_free(&e.uniforms), rw_text_free(&e.uniform_names);
    rw_text_free(&e.arrays), rw_text_free(&e.array_names);
    if (status != RW_OK) rw_pass_kernel_free(k);
    return status;
}

void rw_pass_kernel_free(rw_pass_kernel *k)
{
    rw_free(k->text), rw_free(k->slots), rw_free(k->accumulator_slot);
    memset(k, 0, sizeof *k);
}
