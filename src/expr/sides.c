/* Values of fields beyond the sides of the grid, in kernel text: functions that resolve one axis after the other. Last
 * the table of the kinds of boundaries. docs/methods/field.md has the formulas. */
#include "expr/sides.h"

#include <string.h>

#include "expr/boundary.h"
#include "expr/nodes.h"

/* Formulas of order 4 are polynomials through U(0) … U(3) that have the value or slope which the side prescribes. With
 * distances in spacings, inwards from the side, U(k) is at first + k and the node that is asked for at -beyond. */
enum { INSIDE = 4, TERMS = INSIDE + 1, MOST_BEYOND = 3 };

/* What the value p(t) of a polynomial through U(0) … U(3) has of each, and of the product (t - t_0) … (t - t_3); with
 * `slope` what p'(t) has. */
static void interpolate(double first, double t, bool slope, long double w[TERMS])
{
    for (int k = 0; k < TERMS; ++k) { /* k = INSIDE: the product */
        long double scale = 1, value = 1, derivative = 0;
        for (int j = 0; j < INSIDE; ++j) {
            if (j == k) continue;
            if (k < INSIDE) scale *= k - j;
            derivative = derivative * (t - first - j) + value;
            value *= t - first - j;
        }
        w[k] = (slope ? derivative : value) / scale;
    }
}

/* Weights of what is prescribed, the value or the outward slope times the spacing, and of U(0) … U(3). */
static void weigh(double first, double beyond, bool slope, double w[TERMS])
{
    long double at[TERMS], side[TERMS];
    interpolate(first, -beyond, false, at);
    interpolate(first, 0, slope, side);
    const long double scale = at[INSIDE] / side[INSIDE];
    w[0] = (double)(slope ? -scale : scale);
    for (int k = 0; k < INSIDE; ++k) w[k + 1] = (double)(at[k] - side[k] * scale);
}

/* w[0] terms[0] + w[1] terms[1] + …, of real or complex values; the real ones are added from the left. */
static void emit_combination(rw_emitter *e, int f, int n, const double *w, const char *const *terms)
{
    const bool z = rw_dtype_is_complex(e->g->fields[f].dtype);
    if (z) {
        for (int i = 0; i < n - 1; ++i) ADD("CX(axpy)(%s, (real)%.17g, ", terms[i], w[i]);
        ADD("CX(scale)(%s, (real)%.17g)", terms[n - 1], w[n - 1]);
    } else {
        for (int i = n - 1; i > 0; --i) ADD("MULADD((real)(%.17g), %s, ", w[i], terms[i]);
        ADD("(real)(%.17g) * %s", w[0], terms[0]);
    }
    for (int i = 1; i < n; ++i) ADD(")");
    ADD(";\n");
}

typedef rw_side place;

/* A field that the side's expression reads: next to the side, so many nodes further in. */
static void emit_read_by_side(rw_emitter *e, const rw_graph_node *p)
{
    const place *s = e->side;
    const char *name = e->g->fields[p->index].name;
    ADD("at_%s_x(b_%s, %d", name, name, s->axis);
    for (int d = 0; d < 3; ++d) {
        if (d == s->axis && s->upper) ADD(", N%c - 1 + (%d)", rw_size_letter[d], p->offset[d]);
        else if (d == s->axis) ADD(", %d", p->offset[d]);
        else ADD(", %c + (%d)", rw_index_letter[d], p->offset[d]);
    }
    ADD(")");
}

rw_status rw_emit_place_of_side(rw_emitter *e, const place *s)
{
    static const char *const places[3] = {"iw", "jw", "kw"};
    const char *saved = e->index[s->axis];
    const rw_pass_use use = e->use;
    void (*const field)(rw_emitter *, const rw_graph_node *) = e->field;
    e->use.needed = rw_calloc((size_t)use.nnodes, 1);
    e->use.table = NULL;
    uint8_t *looked_up = rw_calloc((size_t)use.nnodes, 1);
    if (!e->use.needed || !looked_up) {
        rw_free(e->use.needed);
        rw_free(looked_up);
        e->use = use;
        return rw_fail_memory(e->g->ctx, 2 * (size_t)use.nnodes, "a kernel");
    }
    e->index[s->axis] = places[s->axis];
    e->field = emit_read_by_side;
    e->side = s;
    if (s->cell && s->is.slope) /* half a spacing outside */
        ADD(s->upper ? "        const real %s = (real)N%c - (real)0.5;\n" : "        const real %s = (real)-0.5;\n",
            places[s->axis], rw_size_letter[s->axis]);
    else if (s->is.kind == RW_BOUNDARY_CONSTANT)
        ADD("        const INDEX %s = %c;\n", places[s->axis], rw_index_letter[s->axis]);
    else if (s->upper)
        ADD("        const INDEX %s = N%c%s;\n", places[s->axis], rw_size_letter[s->axis], s->is.pins ? "" : " - 1");
    else ADD("        const INDEX %s = %d;\n", places[s->axis], s->is.pins ? -1 : 0);
    const int which = 2 * s->axis + s->upper;
    rw_node nodes[RW_SIDE_NODES];
    const int n = rw_side_nodes(e->g, s->field, which, s->reach, nodes);
    for (int i = 0; i < n; ++i) {
        const bool by_side = use.table && use.table[nodes[i]] & RW_BY_SIDES;
        if (by_side && rw_side_looks_up(e->g, s->field, which, s->reach, nodes[i])) {
            looked_up[nodes[i]] = RW_ALONE;
            e->use.needed[nodes[i]] = RW_ALONE;
        } else {
            rw_pass_use_add(e->plan, e->pass, &e->use, nodes[i]);
        }
    }
    e->use.table = looked_up;
    rw_emit_nodes(e, e->use.needed, "        ");
    rw_free(e->use.needed);
    rw_free(looked_up);
    e->use = use;
    e->index[s->axis] = saved;
    e->field = field;
    e->side = NULL;
    return RW_OK;
}

/* Formulas of order 4 for the first nodes beyond, up to n; `given` is what the side prescribes. */
static void emit_order4(rw_emitter *e, const place *s, const char *given, int n, double first, double nearest)
{
    const bool slope = *given == 's';
    const char *const terms[] = {given, "U(0)", "U(1)", "U(2)", "U(3)"};
    for (int d = 1; d <= n; ++d) {
        double w[TERMS];
        weigh(first, nearest + d - 1, slope, w);
        ADD("        if (d == %d) return ", d);
        emit_combination(e, s->field, TERMS, w, terms);
    }
}

/* U(0), U(1), … inwards from node `first` of the axis. */
static void define_inwards(rw_emitter *e, const place *s, int first)
{
    if (s->upper && first) ADD("#define U(m) NEXT(N%c - 2 - (m))\n", rw_size_letter[s->axis]);
    else if (s->upper) ADD("#define U(m) NEXT(N%c - 1 - (m))\n", rw_size_letter[s->axis]);
    else ADD(first ? "#define U(m) NEXT((m) + 1)\n" : "#define U(m) NEXT(m)\n");
}

/* How many nodes U has. */
static const char *count_inwards(const place *s, char text[32])
{
    if (s->nodes == s->all) snprintf(text, 32, "N%c", rw_size_letter[s->axis]);
    else snprintf(text, 32, "%lld", (long long)s->nodes);
    return text;
}

/* From g, the value on the side: a line through it at the first node beyond, or a polynomial. */
static void emit_from_value(rw_emitter *e, const place *s)
{
    static const double reflect[] = {2, -1};
    static const char *const two[] = {"g", "U(d - 1)"};
    const char i = rw_index_letter[s->axis], N = rw_size_letter[s->axis];
    char n[32];
    if (s->upper)
        ADD(s->is.given ? "        const int d = %c - N%c + 1;\n" : "        const int d = %c - N%c;\n", i, N);
    else ADD(s->is.given ? "        const int d = -%c;\n" : "        const int d = -1 - %c;\n", i);
    if (s->reach == 1 || s->nodes < 1) {
        ADD("        return g;\n");
        return;
    }
    ADD("        if (d == 0) return g;\n");
    if (s->order4) emit_order4(e, s, "g", 2, 1, 1);
    if (s->reach <= s->nodes + 1) {
        ADD("        return ");
        emit_combination(e, s->field, 2, reflect, two);
        return;
    }
    count_inwards(s, n);
    /* no such node on an axis shorter than the stencil: a line through the side and the farthest */
    ADD("        const int m = d - 1 < %s ? d - 1 : %s - 1;\n        const real w = (real)d / (real)(m + 1);\n", n, n);
    if (s->is_complex) ADD("        return CX(axpy)(U(m), -w, CX(scale)(g, (real)1 + w));\n");
    else ADD("        return MULADD(-w, U(m), ((real)1 + w) * g);\n");
}

static rw_status emit_value_side(rw_emitter *e, const place *s)
{
    RW_TRY(rw_emit_place_of_side(e, s));
    ADD("        const %s g = %s;\n", rw_field_type(e, s->field),
        s->is_complex ? rw_complex_word(e, s->is.a) : rw_word(e, s->is.a));
    emit_from_value(e, s);
    return RW_OK;
}

/* Layout node, a u + b du/dn = c: where b = 0 the node on the side has the value c/a. */
static void emit_where_given(rw_emitter *e, const place *s)
{
    const bool z = s->is_complex;
    ADD(z ? "        if (%s.re == 0 && %s.im == 0) {\n" : "        if (%s == 0) {\n",
        z ? rw_complex_word(e, s->is.b) : rw_word(e, s->is.b), rw_complex_word(e, s->is.b));
    ADD(z ? "        const complex g = CX(div)(%s, %s);\n" : "        const real g = %s / %s;\n",
        z ? rw_complex_word(e, s->is.c) : rw_word(e, s->is.c), z ? rw_complex_word(e, s->is.a) : rw_word(e, s->is.a));
    ADD("#undef U\n");
    define_inwards(e, s, 1);
    emit_from_value(e, s);
    ADD("        }\n#undef U\n");
    define_inwards(e, s, 0);
}

/* Neumann, Robin: s, the outward slope times the spacing. */
static const char *const upper_end[] = {"NX - 1", "NY - 1", "NZ - 1"};
static rw_status emit_slope_side(rw_emitter *e, const place *s)
{
    const char i = rw_index_letter[s->axis], N = rw_size_letter[s->axis];
    const bool given = s->is.given;
    char n[32];
    RW_TRY(rw_emit_place_of_side(e, s));
    if (given) emit_where_given(e, s);
    if (given) ADD("        if (%c == %s) return U(0);\n", i, s->upper ? upper_end[s->axis] : "0");
    const char *h = rw_word(e, rw_spacing(e->g, s->axis));
    if (s->is.b < 0 && s->is_complex)
        ADD("        const complex s = CX(scale)(%s, %s);\n", rw_complex_word(e, s->is.a), h);
    else if (s->is.b < 0) ADD("        const real s = %s * %s;\n", rw_word(e, s->is.a), h);
    else if (s->is_complex)
        ADD("        const complex s = CX(scale)(CX(div)(CX(sub)(%s, CX(mul)(%s, U(0))), %s), %s);\n",
            rw_complex_word(e, s->is.c), rw_complex_word(e, s->is.a), rw_complex_word(e, s->is.b), h);
    else
        ADD("        const real s = MULADD(-%s, U(0), %s) / %s * %s;\n", rw_word(e, s->is.a), rw_word(e, s->is.c),
            rw_word(e, s->is.b), h);
    if (s->upper) ADD("        const int d = %c - N%c + 1;\n", i, N);
    else ADD("        const int d = -%c;\n", i);
    if (s->order4) emit_order4(e, s, "s", MOST_BEYOND, 0, 1);
    if (s->nodes < 1) ADD("        const int m = 0;\n");
    else if (s->reach < s->nodes) ADD("        const int m = d;\n");
    else ADD("        const int m = d < %s ? d : %s - 1;\n", count_inwards(s, n), n);
    if (s->is_complex) ADD("        return CX(axpy)(s, (real)(d + m), U(m));\n");
    else ADD("        return MULADD((real)(d + m), s, U(m));\n");
    return RW_OK;
}

/* Σ w_k U(k) */
static void emit_inside(rw_emitter *e, const place *s, const char *name, const long double w[TERMS])
{
    static const char *const terms[] = {"U(0)", "U(1)", "U(2)", "U(3)"};
    const double rounded[INSIDE] = {(double)w[0], (double)w[1], (double)w[2], (double)w[3]};
    ADD("        const %s %s = ", rw_field_type(e, s->field), name);
    emit_combination(e, s->field, INSIDE, rounded, terms);
}

/* a u + b du/dn = c: p(0) and p'(0) of the cubic through U(0) … U(3), and of the product of the distances. */
static void emit_cell_robin4(rw_emitter *e, const place *s)
{
    long double value[TERMS], slope[TERMS], at[TERMS];
    interpolate(0.5, 0, false, value);
    interpolate(0.5, 0, true, slope);
    ADD("        if (d <= %d) {\n", MOST_BEYOND);
    emit_inside(e, s, "p0", value);
    emit_inside(e, s, "p1", slope);
    if (s->is_complex)
        ADD("        const complex more = CX(div)(CX(axpy)(CX(mul)(b, p1), (real)1 / h, CX(sub)(c, CX(mul)(a, p0))), "
            "CX(axpy)(a, (real)%.17g, CX(scale)(b, (real)%.17g / h)));\n",
            (double)value[INSIDE], (double)-slope[INSIDE]);
    else
        ADD("        const real more = MULADD(b / h, p1, MULADD(-a, p0, c)) / MULADD(a, (real)%.17g, b / h * "
            "(real)%.17g);\n",
            (double)value[INSIDE], (double)-slope[INSIDE]);
    for (int d = 1; d <= MOST_BEYOND; ++d) {
        interpolate(0.5, 0.5 - d, false, at);
        ADD("        if (d == %d) {\n", d);
        emit_inside(e, s, "p", at);
        if (s->is_complex) ADD("        return CX(axpy)(more, (real)%.17g, p);\n        }\n", (double)at[INSIDE]);
        else ADD("        return MULADD(more, (real)%.17g, p);\n        }\n", (double)at[INSIDE]);
    }
    ADD("        }\n");
}

static rw_status emit_cell_robin(rw_emitter *e, const place *s)
{
    const bool z = s->is_complex;
    const char N = rw_size_letter[s->axis];
    const int which = 2 * s->axis + s->upper;
    if (rw_side_has_share(e->g, s->field, which, s->reach)) {
        rw_node of[RW_SIDE_NODES];
        rw_side_nodes(e->g, s->field, which, s->reach, of);
        const char *share = z ? rw_complex_word(e, of[0]) : rw_word(e, of[0]),
                   *part = z ? rw_complex_word(e, of[1]) : rw_word(e, of[1]);
        ADD(z ? "        return CX(add)(CX(mul)(%s, U(0)), %s);\n" : "        return MULADD(%s, U(0), %s);\n", share,
            part);
        return RW_OK;
    }
    for (int i = 0; i < 3; ++i)
        ADD("        const %s %c = %s;\n", rw_field_type(e, s->field), "abc"[i],
            z ? rw_complex_word(e, s->is.value[i]) : rw_word(e, s->is.value[i]));
    ADD("        const real h = %s;\n", rw_word(e, rw_spacing(e->g, s->axis)));
    if (s->order4) emit_cell_robin4(e, s);
    if (s->reach <= s->nodes) ADD("        const int m = d - 1;\n");
    else ADD("        const int m = d - 1 < N%c ? d - 1 : N%c - 1;\n", N, N);
    ADD("        const real x = ((real)m + (real)0.5) * h, w = (real)(d + m) * h;\n");
    if (z) ADD("        return CX(axpy)(CX(div)(CX(sub)(CX(mul)(a, U(m)), c), CX(axpy)(a, x, b)), -w, U(m));\n");
    else ADD("        return MULADD(MULADD(a, U(m), -c) / MULADD(a, x, b), -w, U(m));\n");
    return RW_OK;
}

/* Layout cell: the side is half a spacing outside. A line that fulfils the condition there and has the value of the
 * node as far inside (of the farthest one, where the axis is shorter); in order 4 a polynomial through four nodes.
 *
 *   Dirichlet             U(m) + (g - U(m)) (d + m)/(m + 1/2)                    2 g - U(m) where m = d - 1
 *   Neumann               U(m) + s (d + m)                                       s = h g
 *   a u + b du/dn = c     U(m) - (a U(m) - c) (d + m) h/(a (m + 1/2) h + b)      also where a or b is 0 */
static rw_status emit_cell_side(rw_emitter *e, const place *s)
{
    static const double mirrored[] = {2, -1};
    static const char *const two[] = {"g", "U(m)"};
    const char i = rw_index_letter[s->axis], N = rw_size_letter[s->axis];
    const bool z = s->is_complex, inside = s->reach <= s->nodes;
    const char *type = rw_field_type(e, s->field);
    RW_TRY(rw_emit_place_of_side(e, s));
    if (s->upper) ADD("        const int d = %c - N%c + 1;\n", i, N);
    else ADD("        const int d = -%c;\n", i);
    if (s->is.kind == RW_BOUNDARY_ROBIN) return emit_cell_robin(e, s);
    const bool slope = s->is.kind == RW_BOUNDARY_NEUMANN;
    const char *a = z ? rw_complex_word(e, s->is.a) : rw_word(e, s->is.a);
    if (!slope) ADD("        const %s g = %s;\n", type, a);
    else
        ADD(z ? "        const complex s = CX(scale)(%s, %s);\n" : "        const real s = %s * %s;\n", a,
            rw_word(e, rw_spacing(e->g, s->axis)));
    if (s->order4) emit_order4(e, s, slope ? "s" : "g", MOST_BEYOND, 0.5, 0.5);
    if (inside) ADD("        const int m = d - 1;\n");
    else ADD("        const int m = d - 1 < N%c ? d - 1 : N%c - 1;\n", N, N);
    if (slope && z) ADD("        return CX(axpy)(s, (real)(d + m), U(m));\n");
    else if (slope) ADD("        return MULADD((real)(d + m), s, U(m));\n");
    else if (inside) {
        ADD("        return ");
        emit_combination(e, s->field, 2, mirrored, two);
    } else {
        ADD("        const real w = (real)(d + m) / ((real)m + (real)0.5);\n");
        if (z) ADD("        return CX(axpy)(U(m), (real)1 - w, CX(scale)(g, w));\n");
        else ADD("        return MULADD((real)1 - w, U(m), w * g);\n");
    }
    return RW_OK;
}

static rw_status emit_nearest(rw_emitter *e, const place *s)
{
    (void)s;
    ADD("        return U(0);\n");
    return RW_OK;
}

static rw_status emit_periodic(rw_emitter *e, const place *s)
{
    const char i = rw_index_letter[s->axis], N = rw_size_letter[s->axis];
    ADD("        return NEXT(((%c %% N%c) + N%c) %% N%c);\n", i, N, N, N);
    return RW_OK;
}

/* Mirrored at the last node, or half a spacing beyond it; on axes shorter than the stencil at both sides in turn. */
static rw_status emit_mirror(rw_emitter *e, const place *s)
{
    const int half = s->is.kind == RW_BOUNDARY_REFLECT;
    const char i = rw_index_letter[s->axis], N = rw_size_letter[s->axis];
    if (s->reach >= s->nodes + half) {
        const long long period = RW_MAX(2 * s->nodes - 2 + 2 * half, 1);
        ADD("        const INDEX m = (%c %% %lld + %lld) %% %lld;\n", i, period, period, period);
        ADD("        return NEXT(m < N%c ? m : %lld - m);\n", N, period - half);
    } else if (s->upper) ADD("        return U(%c - N%c + %d);\n", i, N, 1 - half);
    else ADD("        return U(-%c - %d);\n", i, half);
    return RW_OK;
}

/* The value at the node itself. */
static rw_status emit_constant(rw_emitter *e, const place *s)
{
    const char *type = rw_field_type(e, s->field);
    const bool converts = *type != 'r' && !s->is_complex && !rw_node_of(e, s->is.a)->integer;
    const rw_dtype dtype = e->g->fields[s->field].dtype;
    RW_TRY(rw_emit_place_of_side(e, s));
    if ((dtype == RW_I64 || dtype == RW_U64) && rw_is_whole(e->g, s->is.a, (int)dtype)) {
        ADD("        return %s;\n", rw_converted(e, s->is.a, (int)dtype));
        return RW_OK;
    }
    ADD("        return %s%s(%s);\n", converts ? type : "", converts ? "_from_f64" : "",
        s->is_complex ? rw_complex_word(e, s->is.a) : rw_word(e, s->is.a));
    return RW_OK;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* clang-format off */
static const rw_boundary_row rows[RW_BOUNDARY_KINDS] = {
    [RW_BOUNDARY_NEAREST] = {.write = emit_nearest, .cells = true, .points = true,
        .index = "    return i < 0 ? 0 : i < n ? i : n - 1;\n"},
    [RW_BOUNDARY_DIRICHLET] = {.write = emit_value_side, .pins = true, .cells = true,
        .form = "\"0\", antisymmetric or {dirichlet: \"g\"}",
        .needs = "a boundary value: give {dirichlet: \"0\"}, or \"0\" alone",
        .meaning = "value g on the boundary, antisymmetric: 0; g may depend on x, y, z, t and parameters"},
    [RW_BOUNDARY_NEUMANN] = {.write = emit_slope_side, .slope = true, .cells = true, .points = true,
        .form = "neumann, symmetric or {neumann: \"g\"}",
        .meaning = "derivative g along the outward normal; alone: 0, zero flux"},
    [RW_BOUNDARY_ROBIN] = {.write = emit_slope_side, .slope = true, .points = true,
        .form = "{robin: [a, b, c]}", .needs = "its coefficients: give {robin: [a, b, c]} for a u + b du/dn = c",
        .meaning = "a u + b du/dn = c"},
    [RW_BOUNDARY_PERIODIC] = {.write = emit_periodic, .index = "    return (i % n + n) % n;\n",
        .meaning = "the domain continues at the other side"},
    [RW_BOUNDARY_REFLECT101] = {.write = emit_mirror, .index = "    if (n == 1) return 0;\n"
        "    const int p = 2 * n - 2, m = (i % p + p) % p;\n    return m < n ? m : p - m;\n"},
    [RW_BOUNDARY_REFLECT] = {.write = emit_mirror,
        .index = "    const int p = 2 * n, m = (i % p + p) % p;\n    return m < n ? m : p - 1 - m;\n"},
    [RW_BOUNDARY_CONSTANT] = {.write = emit_constant, .index = "    return i < 0 || i >= n ? -1 : i;\n",
        .form = "{constant: \"v\"}", .needs = "the value outside: give {constant: \"0\"}"},
};
/* clang-format on */

const rw_boundary_row *rw_boundary_row_of(rw_boundary_kind kind) { return rows + kind; }

/* The formulas of one side. The node on the side, or next to one that is given, is U(0), counted inwards. */
static rw_status emit_side(rw_emitter *e, int f, int axis, int upper)
{
    const rw_graph_field *field = e->g->fields + f;
    const rw_graph_side *sides = field->boundary + 2 * axis;
    const int64_t all = e->g->grid.size[axis], n = all - sides[0].given - sides[1].given;
    const place s = {f,
                     axis,
                     upper,
                     sides[upper],
                     all,
                     n,
                     e->use.reach[axis][upper],
                     rw_axis_is_order4(e->g, f, axis),
                     rw_dtype_is_complex(field->dtype),
                     e->g->layout == RW_GRID_CELL};
    define_inwards(e, &s, s.is.given && s.is.kind == RW_BOUNDARY_DIRICHLET);
    RW_TRY((s.cell && s.is.slope ? emit_cell_side : rows[s.is.kind].write)(e, &s));
    ADD("#undef U\n");
    return RW_OK;
}

rw_cells rw_global_cells(const rw_emitter *e, int field)
{
    rw_cells c = {.index = "(k * NY + j) * NX + i", .origin = ""};
    snprintf(c.array, sizeof c.array, "f_%s", e->g->fields[field].name);
    snprintf(c.function, sizeof c.function, "get_%s", e->g->fields[field].name);
    return c;
}

/* The end of a function that gives f[c]. */
static void emit_element(rw_emitter *e, int f)
{
    if (rw_same_precision(e, f)) ADD("f[c]");
    else if (!rw_dtype_is_complex(e->g->fields[f].dtype)) rw_emit_as_real(e, e->g->fields[f].dtype, "f[c]");
    else ADD("CX(make)(f[c].re, f[c].im)");
    ADD(";\n}\n");
}

/* Functions x0, x1, y0, … give the values of nodes beyond that side alone; those beyond several sides are resolved axis
 * by axis: x calls y calls z. A value in shared memory is only asked for beyond one side, and never beyond a periodic
 * one, where the shared memory goes on. */
rw_status rw_emit_sides(rw_emitter *e, int f, const rw_cells *cells)
{
    static const char *const shape[3] = {"(q), j, k", "i, (q), k", "i, j, (q)"};
    const rw_graph_field *field = e->g->fields + f;
    const char *type = rw_field_type(e, f), *name = cells->function;
    const char *word = cells->shared || !e->mixed ? "DEVICE" : "RARE";
    const char *u = rw_text_of(&e->uniforms), *names = rw_text_of(&e->uniform_names), *o = *cells->origin ? ", o" : "";
    bool side[3][2];
    char parameters[160];
    snprintf(parameters, sizeof parameters, "%s const %s *f%s, INDEX i, INDEX j, INDEX k",
             cells->shared ? "LOCAL" : "GLOBAL", rw_dtype_word(field->dtype), *o ? ", INDEX o" : "");
    ADD("%s %s %s_(%s%s)\n{\n    const INDEX c = %s;\n", word, type, name, parameters, u, cells->index);
    ADD("    return ");
    emit_element(e, f);
    for (int axis = 2; axis >= 0; --axis) {
        char letter = rw_axis_letter[axis], i = rw_index_letter[axis], N = rw_size_letter[axis];
        ADD("#define NEXT(q) %s_(f%s, %s%s)\n", name, o, shape[axis], names);
        for (int upper = 0; upper < 2; ++upper) {
            side[axis][upper] = axis < e->g->grid.ndim && e->use.reach[axis][upper] &&
                                !(cells->shared && field->boundary[2 * axis + upper].kind == RW_BOUNDARY_PERIODIC);
            if (!side[axis][upper]) continue;
            ADD("%s %s %s_%c%d(%s%s)\n{\n", word, type, name, letter, upper, parameters, u);
            RW_TRY(emit_side(e, f, axis, upper));
            ADD("}\n");
        }
        ADD("#undef NEXT\n");
        if (!e->mixed || cells->shared) continue;
        ADD("#define NEXT(q) %s_%s(f, %s%s)\n", name, axis == 2 ? "" : axis == 1 ? "z" : "y", shape[axis], names);
        for (int upper = 0; axis < 2 && upper < 2; ++upper) {
            if (!side[axis][upper]) continue;
            ADD("RARE %s %s_m%c%d(%s%s)\n{\n", type, name, letter, upper, parameters, u);
            RW_TRY(emit_side(e, f, axis, upper));
            ADD("}\n");
        }
        const char *m = axis < 2 ? "m" : "";
        ADD("RARE %s %s_%c(%s%s)\n{\n", type, name, letter, parameters, u);
        const rw_graph_side *at = field->boundary + 2 * axis;
        RW_TRY(rw_emit_corner(e, f, axis, (const bool(*)[2])side));
        if (side[axis][0])
            ADD("    if (%c < %d) return %s_%s%c0(f, i, j, k%s);\n", i, at[0].given, name, m, letter, names);
        if (side[axis][1])
            ADD("    if (%c >= N%c%s) return %s_%s%c1(f, i, j, k%s);\n", i, N, at[1].given ? " - 1" : "", name, m,
                letter, names);
        ADD("    return NEXT(%c);\n}\n#undef NEXT\n", i);
    }
    return RW_OK;
}

/* A value of an axis from its nodes; beyond its ends the polynomial through the nodes there (one more than the order of
 * the differences; of integers the nearest node), or the other end of a periodic axis. */
static void emit_along(rw_emitter *e, int f, int axis)
{
    static const char *const next[3] = {"at_%s_y(f, across, %s, j, k)", "at_%s_z(f, across, i, %s, k)",
                                        "at_%s_(f, i, j, %s)"};
    const rw_graph_field *field = e->g->fields + f;
    const char i = rw_index_letter[axis], N = rw_size_letter[axis], *type = rw_field_type(e, f), *name = field->name;
    const char index[] = {i, 0};
    const int lower = field->boundary[2 * axis].given, upper = field->boundary[2 * axis + 1].given;
    const bool whole = rw_dtype_is_integer(field->dtype);
    const int64_t inside = e->g->grid.size[axis] - lower - upper,
                  nodes = RW_MIN(whole ? 1 : (int64_t)e->g->order + 1, inside);
    char wrapped[64];
    snprintf(wrapped, sizeof wrapped, "(%c %% N%c + N%c) %% N%c", i, N, N, N);
    ADD("RARE %s at_%s_%c(GLOBAL const %s *f, int across, INDEX i, INDEX j, INDEX k)\n{\n", type, name,
        rw_axis_letter[axis], rw_dtype_word(field->dtype));
    ADD("    if (across == %d || (%c >= %d && %c < N%c - %d)) return ", axis, i, lower, i, N, upper);
    ADD(next[axis], name, index);
    ADD(";\n");
    if (field->boundary[2 * axis].kind == RW_BOUNDARY_PERIODIC || nodes < 1) {
        ADD("    return ");
        ADD(next[axis], name, nodes < 1 ? "0" : wrapped);
        ADD(";\n}\n");
        return;
    }
    ADD("    const int low = %c < %d, d = low ? %d - (int)%c : (int)(%c - N%c + 1 + %d);\n", i, lower, lower, i, i, N,
        upper);
    ADD("    const INDEX end = low ? %d : N%c - 1 - %d, in = low ? 1 : -1;\n    %s sum = %s;\n", lower, N, upper, type,
        *type == 'c' ? "CX(make)(0, 0)" : "0");
    ADD("    for (int m = 0; m < %d; ++m) {\n        real w = 1;\n        for (int n = 0; n < %d; ++n)\n"
        "            if (n != m) w = w * (real)(d + n) / (real)(n - m);\n        sum = ",
        (int)nodes, (int)nodes);
    ADD(*type == 'c' ? "CX(axpy)(" : "MULADD(w, ");
    ADD(next[axis], name, "end + in * m");
    ADD(*type == 'c' ? ", w, sum);\n    }\n    return sum;\n}\n" : ", sum);\n    }\n    return sum;\n}\n");
}

void rw_emit_read_by_sides(rw_emitter *e)
{
    for (int f = 0; f < e->g->nfields; ++f) {
        if (!e->use.side[f]) continue;
        const rw_dtype dtype = e->g->fields[f].dtype;
        ADD("RARE %s at_%s_(GLOBAL const %s *f, INDEX i, INDEX j, INDEX k)\n{\n    const INDEX c = (k * NY + j) * NX + "
            "i;\n    return ",
            rw_field_type(e, f), e->g->fields[f].name, rw_dtype_word(dtype));
        emit_element(e, f);
        for (int axis = 2; axis >= 0; --axis) emit_along(e, f, axis);
    }
}

rw_status rw_emit_near_sides(rw_emitter *e, int f)
{
    const rw_graph_field *field = e->g->fields + f;
    for (int side = 0; side < 2 * e->g->grid.ndim; ++side) {
        int axis = side / 2, upper = side % 2;
        if (!e->use.reach[axis][upper] || field->boundary[side].kind == RW_BOUNDARY_PERIODIC) continue;
        if (axis == 0) ADD("#define NEXT(q) row[(q) - o]\n");
        /* not ==: wave.c, emit_column() */
        else if (upper) ADD("#define NEXT(q) ((q) >= N%c - 1 ? u0 : u1)\n", rw_size_letter[axis]);
        else ADD("#define NEXT(q) ((q) <= 0 ? u0 : u1)\n");
        ADD("DEVICE real near_%s_%c%d(%s, INDEX i, INDEX j, INDEX k%s)\n{\n", field->name, rw_axis_letter[axis], upper,
            axis == 0 ? "LOCAL const real *row, INDEX o" : "real u0, real u1", rw_text_of(&e->uniforms));
        RW_TRY(emit_side(e, f, axis, upper));
        ADD("}\n#undef NEXT\n");
    }
    return RW_OK;
}
