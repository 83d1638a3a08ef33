/* Values of fields between memory and arithmetic: places of cells, precisions, and where a node may lie beyond a side
 * the choice between its place and the function that gives the value there. */
#include "expr/loads.h"

#include "expr/nodes.h"

/* "f_weight[c + 3000]", the cell's number in a column; "f_u[f_neighbours[c + 3000]]", the value of a neighbour. */
static void place_in_table(const rw_emitter *e, const rw_graph_node *p, char *place, size_t size)
{
    const rw_graph_field *f = e->g->fields + p->index;
    const char *table = e->g->fields[f->columns ? p->index : e->g->neighbours].name;
    long long at = (long long)(p->column - 1) * e->g->grid.size[0];
    if (f->columns) snprintf(place, size, "f_%s[c + (i64)%lld]", table, at);
    else snprintf(place, size, "f_%s[f_%s[c + (i64)%lld]]", f->name, table, at);
}

/* "[c]", of a finer grid's array "[1 + (i64)i * 2 + (i64)j * 8192]". */
void rw_place_of_node(const rw_emitter *e, int field, char *place, size_t size)
{
    const rw_graph_field *f = e->g->fields + field;
    if (!f->stride[0]) {
        snprintf(place, size, "[c]");
        return;
    }
    int n = snprintf(place, size, "[%lld", (long long)f->first);
    for (int d = 0; d < e->g->grid.ndim; ++d)
        n += snprintf(place + n, size - (size_t)n, " + (i64)%c * %lld", rw_index_letter[d], (long long)f->stride[d]);
    snprintf(place + n, size - (size_t)n, "]");
}

/* Of global memory: "f_u[c - 64]". */
static void place_of(const rw_emitter *e, const rw_graph_node *p, char *place, size_t size)
{
    const char *name = e->g->fields[p->index].name;
    int64_t stride[3] = {1, e->g->grid.size[0], e->g->grid.size[0] * e->g->grid.size[1]}, off = 0;
    for (int d = 0; d < 3; ++d) off += stride[d] * p->offset[d];
    if (p->column) place_in_table(e, p, place, size);
    else if (off)
        snprintf(place, size, "f_%s[c %c %lld]", name, off < 0 ? '-' : '+', (long long)(off < 0 ? -off : off));
    else {
        char at[128];
        rw_place_of_node(e, p->index, at, sizeof at);
        snprintf(place, size, "f_%s%s", name, at);
    }
}

/* "i >= 1 && j < NY - 1 ?", whether the node is there; nothing when it always is (NULL). The name of the function for
 * where it is not: "x0" if it can only be beyond that side. */
static const char *emit_inside(rw_emitter *e, const rw_graph_node *p, const rw_cells *cells, int border)
{
    static const char *const sides[3][2] = {{"x0", "x1"}, {"y0", "y1"}, {"z0", "z1"}};
    const char *and = "", *function = NULL;
    for (int d = 0; d < 3; ++d) {
        char i = rw_index_letter[d];
        bool wraps = cells->shared && e->g->fields[p->index].boundary[2 * d].kind == RW_BOUNDARY_PERIODIC;
        if (!(border & 1 << d) || wraps) continue;
        for (int upper = 0; upper < 2; ++upper) { /* nodes that are given count as beyond */
            const int beyond =
                (upper ? p->offset[d] : -p->offset[d]) + e->g->fields[p->index].boundary[2 * d + upper].given;
            if (beyond <= 0) continue;
            if (upper) ADD("%s%c < N%c - %d", and, i, rw_size_letter[d], beyond);
            else ADD("%s%c >= %d", and, i, beyond);
            and = " && ";
            function = function ? "x" : sides[d][upper];
        }
    }
    if (*and) ADD(" ? ");
    return function;
}

void rw_emit_load_from(rw_emitter *e, const rw_graph_node *p, const char *place, const rw_cells *cells, int border)
{
    const char *function = emit_inside(e, p, cells, border);
    if (rw_same_precision(e, p->index)) ADD("%s", place);
    else if (p->is_complex) ADD("CX(make)(%s.re, %s.im)", place, place);
    else rw_emit_as_real(e, e->g->fields[p->index].dtype, place);
    if (!function) return;
    ADD(" : %s_%s(%s%s", cells->function, function, cells->array, cells->origin);
    for (int d = 0; d < 3; ++d) ADD(", %c + (%d)", rw_index_letter[d], p->offset[d]);
    ADD("%s)", rw_text_of(&e->uniform_names));
}

void rw_emit_load(rw_emitter *e, const rw_graph_node *p, int border)
{
    const rw_cells cells = rw_global_cells(e, p->index);
    char place[256];
    place_of(e, p, place, sizeof place);
    rw_emit_load_from(e, p, place, &cells, border);
}

void rw_emit_assign(rw_emitter *e, const rw_store *s, const char *to)
{
    const rw_dtype dtype = e->g->fields[s->field].dtype;
    const bool same = rw_same_precision(e, s->field);
    const int integer = rw_node_of(e, s->value)->integer;
    const bool is_const = rw_node_of(e, s->value)->op == RW_OP_CONST;
    if (is_const && (dtype == RW_I64 || dtype == RW_U64) && rw_is_whole(e->g, s->value, (int)dtype))
        ADD("        %s = %s;\n", to, rw_converted(e, s->value, (int)dtype));
    else if (integer && integer == (int)dtype) ADD("        %s = %s;\n", to, rw_word(e, s->value));
    else if (integer && !rw_dtype_is_number(dtype))
        ADD("        %s = %s_from_%s(%s);\n", to, rw_dtype_word(dtype), rw_dtype_name((rw_dtype)integer),
            rw_word(e, s->value));
    else if (!rw_dtype_is_number(dtype))
        ADD("        %s = %s_from_%s(%s);\n", to, rw_dtype_word(dtype), e->k->f32 ? "f32" : "f64",
            rw_word(e, s->value));
    else if (!rw_dtype_is_complex(dtype))
        ADD("        %s = %s%s;\n", to,
            same && !integer  ? ""
            : dtype == RW_F32 ? "(f32)"
                              : "(f64)",
            rw_word(e, s->value));
    else if (same) ADD("        %s = %s;\n", to, rw_complex_word(e, s->value));
    else {
        ADD("        { const complex z = %s; ", rw_complex_word(e, s->value));
        ADD("%s = %s_make(z.re, z.im); }\n", to, rw_dtype_name(dtype));
    }
}
