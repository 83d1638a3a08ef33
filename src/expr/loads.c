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

/* "(2 * i + 1)", held between the first and the last node of the other grid where it may lie beyond. */
static void place_along(const rw_emitter *e, const rw_graph_node *p, int axis, char *place, size_t size)
{
    const rw_graph_other *o = &e->g->fields[p->index].other;
    const int64_t most = o->size[axis] - 1, den = o->den[axis],
                  more = o->add[axis] < 0 ? (-o->add[axis] + den - 1) / den : 0;
    const int by = rw_other_offset(p, axis);
    const int64_t in = e->inside ? e->inside[axis] : 0, first = rw_other_base(o, axis, in) + by,
                  last = rw_other_base(o, axis, e->g->grid.size[axis] - 1 - in) + by;
    const bool anywhere = e->beyond && !e->inside, below = anywhere || first < 0, above = anywhere || last > most,
               large = o->num[axis] * e->g->grid.size[axis] > INT32_MAX / 4;
    char at[96];
    snprintf(at, sizeof at, "((INDEX)(%s(%s%lld * %c + %lld) / %lld) + (%lld))", large || anywhere ? "" : "(u32)",
             large ? "(i64)" : "", (long long)o->num[axis], rw_index_letter[axis],
             (long long)(o->add[axis] + more * den), (long long)den, (long long)(by - more));
    const long long beyond = o->wraps[axis] ? (long long)o->size[axis] : 0;
    if (beyond && (below || above))
        snprintf(place, size, "(%s < 0 ? %s + %lld : %s < %lld ? %s : %s - %lld)", at, at, beyond, at, beyond, at, at,
                 beyond);
    else if (below && above)
        snprintf(place, size, "(%s < 0 ? 0 : %s < %lld ? %s : %lld)", at, at, (long long)most, at, (long long)most);
    else if (below) snprintf(place, size, "(%s < 0 ? 0 : %s)", at, at);
    else if (above) snprintf(place, size, "(%s < %lld ? %s : %lld)", at, (long long)most, at, (long long)most);
    else snprintf(place, size, "%s", at);
}

/* Of a field of another grid. */
static void place_there(const rw_emitter *e, const rw_graph_node *p, char *place, size_t size)
{
    const rw_graph_field *f = e->g->fields + p->index;
    int64_t all = 1;
    for (int d = 0; d < e->g->grid.ndim; ++d) all *= f->other.size[d];
    char along[3][512];
    for (int d = 0; d < e->g->grid.ndim; ++d) place_along(e, p, d, along[d], sizeof along[d]);
    int n = snprintf(place, size, "f_%s[", f->name);
    for (int d = e->g->grid.ndim - 1; d > 0; --d) n += snprintf(place + n, size - (size_t)n, "(");
    for (int d = e->g->grid.ndim - 1; d >= 0; --d)
        n += snprintf(place + n, size - (size_t)n, d ? "%s%s) * %lld + " : "%s%s]", d && all > INT32_MAX ? "(i64)" : "",
                      along[d], (long long)f->other.size[d ? d - 1 : 0]);
}

/* Of global memory: "f_u[c - 64]". */
static void place_of(const rw_emitter *e, const rw_graph_node *p, char *place, size_t size)
{
    const char *name = e->g->fields[p->index].name;
    int64_t stride[3] = {1, e->g->grid.size[0], e->g->grid.size[0] * e->g->grid.size[1]}, off = 0;
    for (int d = 0; d < 3; ++d) off += stride[d] * p->offset[d];
    if (rw_is_of_other(e->g, p)) place_there(e, p, place, size);
    else if (p->column) place_in_table(e, p, place, size);
    else if (off)
        snprintf(place, size, "f_%s[c %c %lld]", name, off < 0 ? '-' : '+', (long long)(off < 0 ? -off : off));
    else snprintf(place, size, "f_%s[c]", name);
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
    char place[1800];
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
