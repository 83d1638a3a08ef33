/* Values of fields beyond the sides of the grid, in kernel text: functions that resolve one axis after the other.
 * docs/methods/field.md has the formulas. */
#include "expr/emit.h"

#include <string.h>

/* a x + b y with a plain number in front, for real or complex values. */
static void emit_combination(rw_emitter *e, int f, int n, const double *w, const char *const *terms)
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
static rw_status emit_side(rw_emitter *e, int f, int axis, int upper)
{
    const rw_graph_field *field = e->g->fields + f;
    rw_boundary_kind kind = field->boundary[2 * axis + upper].kind;
    rw_node a = field->boundary[2 * axis + upper].a, b = field->boundary[2 * axis + upper].b,
            c = field->boundary[2 * axis + upper].c;
    char q = rw_index_letter[axis], N = rw_size_letter[axis];
    const char *type = rw_field_type(e, f), *saved = e->index[axis];
    int64_t n = e->g->grid.size[axis], reach = e->use.reach[axis][upper];
    bool order4 = e->g->order == 4 && n >= 5;
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
        e->use.needed = rw_calloc((size_t)e->use.nnodes, 1), e->use.table = NULL;
        if (!e->use.needed) {
            e->use = saved_use;
            return rw_fail_memory(e->g->ctx, (size_t)e->use.nnodes, "a kernel");
        }
        rw_pass_use_add(e->plan, e->pass, &e->use, a);
        rw_pass_use_add(e->plan, e->pass, &e->use, b);
        rw_pass_use_add(e->plan, e->pass, &e->use, c);
        rw_emit_nodes(e, e->use.needed, "        ");
        rw_free(e->use.needed);
        e->use = saved_use;
        e->index[axis] = saved;
        bool z = rw_dtype_is_complex(field->dtype);
        if (node_outside) {
            static const double reflect[] = {2, -1}, one[] = {5, -10, 10, -5, 1}, three[] = {15, -40, 45, -24, 5};
            static const char *const two[] = {"g", "U(d - 1)"}, *const five[] = {"g", "U(0)", "U(1)", "U(2)", "U(3)"};
            ADD("        const %s g = %s;\n", type, z ? rw_complex_word(e, a) : rw_word(e, a));
            ADD("        const int d = %s;\n", upper ? axis == 0 ? "i - NX" : axis == 1 ? "j - NY" : "k - NZ"
                                                     : axis == 0 ? "-1 - i" : axis == 1 ? "-1 - j" : "-1 - k");
            ADD(reach == 1 ? "        return g;\n" : "        if (d == 0) return g;\n");
            if (order4 && reach > 1) {
                ADD("        if (d == 1) return ");
                emit_combination(e, f, 5, one, five);
                ADD("        if (d == 2) return ");
                emit_combination(e, f, 5, three, five);
            }
            if (reach > 1 && reach <= n + 1) {
                ADD("        return ");
                emit_combination(e, f, 2, reflect, two);
            } else if (reach > 1) { /* no such node on an axis shorter than the stencil: a line through the side and the farthest */
                ADD("        const int m = d - 1 < N%c ? d - 1 : N%c - 1;\n        const real w = (real)d / (real)(m + 1);\n",
                    N, N);
                if (z) ADD("        return CX(sub)(CX(scale)(g, (real)1 + w), CX(scale)(U(m), w));\n");
                else ADD("        return ((real)1 + w) * g - w * U(m);\n");
            }
        } else {
            /* outward slope times spacing */
            const char *h = rw_word(e, rw_spacing(e->g, axis));
            if (kind == RW_BOUNDARY_NEUMANN)
                ADD(z ? "        const complex s = CX(scale)(%s, %s);\n" : "        const real s = %s * %s;\n",
                    z ? rw_complex_word(e, a) : rw_word(e, a), h);
            else if (z)
                ADD("        const complex s = CX(scale)(CX(div)(CX(sub)(%s, CX(mul)(%s, U(0))), %s), %s);\n",
                    rw_complex_word(e, c), rw_complex_word(e, a), rw_complex_word(e, b), h);
            else
                ADD("        const real s = (%s - %s * U(0)) / %s * %s;\n", rw_word(e, c), rw_word(e, a), rw_word(e, b), h);
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
    ADD("#undef U\n");
    return RW_OK;
}

/* Functions x0, x1, y0, … give the values of nodes beyond that side alone; those beyond several sides are resolved axis
 * by axis: x calls y calls z. A value in shared memory is only asked for beyond one side, and never beyond a periodic
 * one, where the shared memory goes on. */
rw_status rw_emit_get(rw_emitter *e, int f, const rw_kept *kept)
{
    static const char *const shape[3] = {"(q), j, k", "i, (q), k", "i, j, (q)"};
    const rw_graph_field *field = e->g->fields + f;
    const char *type = rw_field_type(e, f), *stored = rw_dtype_name(field->dtype), *word = kept || (e->k->tiling.rows && !e->mixed) ? "DEVICE" : "RARE";
    const char *u = rw_text_of(&e->uniforms), *names = rw_text_of(&e->uniform_names), *o = kept ? ", o" : "";
    bool same = e->k->f32 == (field->dtype == RW_F32 || field->dtype == RW_C64), side[3][2];
    char name[160], parameters[160];
    snprintf(name, sizeof name, kept ? "near_%s_%d" : "get_%s", field->name, kept ? kept->version : 0);
    snprintf(parameters, sizeof parameters, "%s const %s *f%s, INDEX i, INDEX j, INDEX k", kept ? "LOCAL" : "GLOBAL", stored,
             kept ? ", INDEX o" : "");
    ADD("%s %s %s_(%s%s)\n{\n", word, type, name, parameters, u);
    if (kept) ADD("    const INDEX c = (k * H%d + j) * W%d + i - o;\n", kept->pass, kept->pass);
    else ADD("    const INDEX c = (k * NY + j) * NX + i;\n");
    if (same) ADD("    return f[c];\n}\n");
    else if (!strcmp(type, "real")) ADD("    return (real)f[c];\n}\n");
    else ADD("    return CX(make)(f[c].re, f[c].im);\n}\n");
    for (int axis = 2; axis >= 0; --axis) {
        char letter = rw_axis_letter[axis], i = rw_index_letter[axis], N = rw_size_letter[axis];
        ADD("#define NEXT(q) %s_(f%s, %s%s)\n", name, o, shape[axis], names);
        for (int upper = 0; upper < 2; ++upper) {
            side[axis][upper] = axis < e->g->grid.ndim && e->use.reach[axis][upper] &&
                                !(kept && field->boundary[2 * axis + upper].kind == RW_BOUNDARY_PERIODIC);
            if (!side[axis][upper]) continue;
            ADD("%s %s %s_%c%d(%s%s)\n{\n", word, type, name, letter, upper, parameters, u);
            RW_TRY(emit_side(e, f, axis, upper));
            ADD("}\n");
        }
        ADD("#undef NEXT\n");
        if (!e->mixed || kept) continue;
        ADD("#define NEXT(q) %s_%s(f, %s%s)\n", name, axis == 2 ? "" : axis == 1 ? "z" : "y", shape[axis], names);
        for (int upper = 0; axis < 2 && upper < 2; ++upper) {
            if (!side[axis][upper]) continue;
            ADD("RARE %s %s_m%c%d(%s%s)\n{\n", type, name, letter, upper, parameters, u);
            RW_TRY(emit_side(e, f, axis, upper));
            ADD("}\n");
        }
        const char *m = axis < 2 ? "m" : "";
        ADD("RARE %s %s_%c(%s%s)\n{\n", type, name, letter, parameters, u);
        if (side[axis][0]) ADD("    if (%c < 0) return %s_%s%c0(f, i, j, k%s);\n", i, name, m, letter, names);
        if (side[axis][1]) ADD("    if (%c >= N%c) return %s_%s%c1(f, i, j, k%s);\n", i, N, name, m, letter, names);
        ADD("    return NEXT(%c);\n}\n#undef NEXT\n", i);
    }
    return RW_OK;
}

/* The same for kernels of wave.c: beyond sides in x from a row of cells in shared memory, whose cell o is the first; beyond
 * other sides from the values u0 beside the side and u1 next to it. */
rw_status rw_emit_near(rw_emitter *e, int f)
{
    const rw_graph_field *field = e->g->fields + f;
    for (int side = 0; side < 2 * e->g->grid.ndim; ++side) {
        int axis = side / 2, upper = side % 2;
        if (!e->use.reach[axis][upper] || field->boundary[side].kind == RW_BOUNDARY_PERIODIC) continue;
        if (axis == 0) ADD("#define NEXT(q) row[(q) - o]\n");
        else if (upper) ADD("#define NEXT(q) ((q) == N%c - 1 ? u0 : u1)\n", rw_size_letter[axis]);
        else ADD("#define NEXT(q) ((q) == 0 ? u0 : u1)\n");
        ADD("DEVICE real near_%s_%c%d(%s, INDEX i, INDEX j, INDEX k%s)\n{\n", field->name, rw_axis_letter[axis], upper,
            axis == 0 ? "LOCAL const real *row, INDEX o" : "real u0, real u1", rw_text_of(&e->uniforms));
        RW_TRY(emit_side(e, f, axis, upper));
        ADD("}\n#undef NEXT\n");
    }
    return RW_OK;
}
