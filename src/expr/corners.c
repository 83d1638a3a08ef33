/* Layout node: nodes of the array on several sides that are given, in kernel text. They have the mean of the values, as
 * the array has after an assignment (rw_with_given).
 *
 *   g_y g_y g_y      *: (g_x + g_y)/2; in three dimensions up to three values meet
 *   g_x  u   u
 *    *  g_y g_y      Nodes beyond the array follow from formulas of one side after the other, x first (sides.c). */
#include "expr/nodes.h"
#include "expr/sides.h"

static const char *const ends[3][2] = {{"0", "NX - 1"}, {"0", "NY - 1"}, {"0", "NZ - 1"}};

/* Adds what a side gives to the sum. */
static rw_status emit_given(rw_emitter *e, const rw_side *s)
{
    const bool z = s->is_complex, mixed = s->is.kind == RW_BOUNDARY_ROBIN;
    ADD("        if (%c == %s) {\n", rw_index_letter[s->axis], ends[s->axis][s->upper]);
    RW_TRY(rw_emit_place_of_side(e, s));
    if (mixed && z) ADD("        if (%s.re == 0 && ", rw_complex_word(e, s->is.b));
    if (mixed && z) ADD("%s.im == 0) {\n", rw_complex_word(e, s->is.b));
    if (mixed && !z) ADD("        if (%s == 0) {\n", rw_word(e, s->is.b));
    ADD(z ? "        sum = CX(add)(sum, " : "        sum += ");
    if (mixed) ADD(z ? "CX(div)(%s, " : "%s / ", z ? rw_complex_word(e, s->is.c) : rw_word(e, s->is.c));
    ADD("%s", z ? rw_complex_word(e, s->is.a) : rw_word(e, s->is.a));
    if (mixed && z) ADD(")");
    ADD(z ? ");\n        n += 1;\n" : ";\n        n += 1;\n");
    ADD(mixed ? "        }\n        }\n" : "        }\n");
    return RW_OK;
}

static bool meet(const rw_emitter *e, const bool given[3][2], int axis)
{
    int axes = 0;
    for (int d = axis; d < e->g->grid.ndim; ++d) {
        if (given[d][0] && given[d][1] && e->g->grid.size[d] == 1) return true;
        axes += given[d][0] || given[d][1];
    }
    return axes > 1;
}

rw_status rw_emit_corner(rw_emitter *e, int f, int axis, const bool side[3][2])
{
    const rw_graph_field *field = e->g->fields + f;
    const bool z = rw_dtype_is_complex(field->dtype);
    bool given[3][2] = {{false}};
    for (int d = axis; d < e->g->grid.ndim; ++d)
        for (int upper = 0; upper < 2; ++upper)
            given[d][upper] = side[d][upper] && field->boundary[2 * d + upper].given;
    if (!meet(e, (const bool(*)[2])given, axis)) return RW_OK;
    ADD("    if (");
    for (int d = axis; d < e->g->grid.ndim; ++d)
        ADD("%c >= 0 && %c < N%c && ", rw_index_letter[d], rw_index_letter[d], rw_size_letter[d]);
    ADD("0");
    for (int d = axis; d < e->g->grid.ndim; ++d)
        for (int upper = 0; upper < 2; ++upper)
            if (given[d][upper]) ADD(" + (%c == %s)", rw_index_letter[d], ends[d][upper]);
    ADD(" > 1) {\n        %s sum = %s;\n        real n = 0;\n", rw_field_type(e, f), z ? "CX(make)(0, 0)" : "0");
    for (int d = axis; d < e->g->grid.ndim; ++d)
        for (int upper = 0; upper < 2; ++upper) {
            const rw_side s = {.field = f,
                               .axis = d,
                               .upper = upper,
                               .is = field->boundary[2 * d + upper],
                               .is_complex = z};
            if (given[d][upper]) RW_TRY(emit_given(e, &s));
        }
    ADD(z ? "        if (n > 0) return CX(scale)(sum, (real)1 / n);\n    }\n"
          : "        if (n > 0) return sum / n;\n    }\n");
    return RW_OK;
}
