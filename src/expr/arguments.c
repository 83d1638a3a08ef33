/* Arguments and definitions of a kernel. Scalars that depend on no field are computed on the host and are arguments
 * (k12); reductions of earlier passes are read from device memory. */
#include "expr/arguments.h"

#include "expr/nodes.h"

static bool add_slot(rw_emitter *e, rw_slot_kind kind, int index, bool read, bool written)
{
    rw_pass_kernel *k = e->k;
    if (!rw_grow(&k->slots, &k->slots_capacity, k->nslots + 1, sizeof *k->slots)) return false;
    k->slots[k->nslots++] = (rw_slot){kind, index, read, written};
    return true;
}

static bool uses_slots(const rw_emitter *e)
{
    for (int n = 0; n < e->use.nnodes; ++n) {
        const rw_node_op op = (rw_node_op)rw_node_of(e, n)->op;
        if (e->use.needed[n] && (op == RW_OP_REDUCE || op == RW_OP_STATE)) return true;
    }
    return false;
}

bool rw_emit_uniforms(rw_emitter *e)
{
    bool ok = true;
    for (int n = 0; n < e->use.nnodes; ++n)
        if (e->use.uniform[n]) {
            ok = ok && add_slot(e, RW_SLOT_UNIFORM, n, true, false);
            rw_text_add(&e->uniforms, ", %s k%d", rw_node_of(e, n)->is_complex ? "complex" : "real", n);
            rw_text_add(&e->uniform_names, ", k%d", n);
        }
    return ok && !e->uniforms.failed && !e->uniform_names.failed;
}

/* An array of the kernel; `name` without its prefix. */
static bool add_array(rw_emitter *e, rw_slot slot, const char *type, const char *prefix, const char *name)
{
    rw_text_add(&e->arrays, ", GLOBAL %s%s *RESTRICT %s%s", slot.written ? "" : "const ", type, prefix, name);
    rw_text_add(&e->array_names, ", %s%s", prefix, name);
    return add_slot(e, slot.kind, slot.index, slot.read, slot.written) && !e->arrays.failed && !e->array_names.failed;
}

static bool is_table_of_sides(const rw_emitter *e, int n) { return e->use.table && e->use.table[n] & RW_BY_SIDES; }

/* Functions for values beyond sides take the fields that sides read and their tables as further arguments. */
static bool add_read_by_sides(rw_emitter *e)
{
    e->own = e->uniforms.length;
    for (int f = 0; f < e->g->nfields; ++f) {
        if (!e->use.side[f]) continue;
        const char *name = e->g->fields[f].name;
        rw_text_add(&e->uniforms, ", GLOBAL const %s *b_%s", rw_dtype_word(e->g->fields[f].dtype), name);
        rw_text_add(&e->uniform_names, ", b_%s", name);
    }
    for (int n = 0; n < e->use.nnodes; ++n) {
        if (!is_table_of_sides(e, n)) continue;
        rw_text_add(&e->uniforms, ", GLOBAL const real *bt%d", n);
        rw_text_add(&e->uniform_names, ", bt%d", n);
    }
    return !e->uniforms.failed && !e->uniform_names.failed;
}

rw_status rw_emit_arguments(rw_emitter *e)
{
    bool ok = true;
    for (int f = 0; f < e->g->nfields; ++f) {
        const char *name = e->g->fields[f].name, *type = rw_dtype_word(e->g->fields[f].dtype);
        const bool read = e->use.read[f], shadow = e->use.written[f] && e->beside[f],
                   written = e->use.written[f] && !shadow;
        if (read || written) ok = add_array(e, (rw_slot){RW_SLOT_FIELD, f, read, written}, type, "f_", name) && ok;
        if (shadow) ok = add_array(e, (rw_slot){RW_SLOT_SHADOW, f, false, true}, type, "o_", name) && ok;
    }
    if (uses_slots(e)) ok = add_array(e, (rw_slot){RW_SLOT_SLOTS, 0, true, false}, "f64", "", "slots") && ok;
    for (int n = 0; e->use.table && n < e->use.nnodes; ++n) {
        char name[16];
        snprintf(name, sizeof name, "t%d", n);
        if (e->use.table[n]) ok = add_array(e, (rw_slot){RW_SLOT_TABLE, n, true, false}, "real", "", name) && ok;
    }
    ok = rw_emit_uniforms(e) && ok;
    ok = add_read_by_sides(e) && ok;
    if (e->k->naccumulators) ok = add_slot(e, RW_SLOT_PARTIAL, 0, false, true) && ok;
    if (!ok) return rw_fail_memory(e->g->ctx, 1024, "a kernel");
    if (e->k->nslots > RW_ARGUMENTS)
        return rw_fail(
            e->g->ctx, RW_ERR_UNSUPPORTED,
            "a pass needs %d fields and scalars, more than the %d arguments that a kernel can have: split the "
            "equations, or choose an integrator with fewer vectors, such as rkc2",
            e->k->nslots, RW_ARGUMENTS);
    return RW_OK;
}

void rw_emit_definitions(rw_emitter *e)
{
    const rw_tiling *t = &e->k->tiling;
    const rw_grid *grid = &e->g->grid;
    int64_t cells = grid->size[0] * grid->size[1] * grid->size[2];
    ADD("#define CX(name) %s_##name\n#define RX(name) %s_##name\n#define INDEX %s\n#define SPLIT %d\n",
        e->k->f32 ? "c64" : "c128", e->k->f32 ? "f32" : "f64", t->narrow ? "int" : "long", t->split);
    for (int d = 0; d < 3; ++d) {
        long long n = t->flat ? d ? 1 : (long long)cells : (long long)grid->size[d];
        ADD("#define N%c %lld\n#define TILE_%c %lld\n#define TILES_%c %lld\n", rw_size_letter[d], n, rw_size_letter[d],
            (long long)t->tile[d], rw_size_letter[d], (long long)t->tiles[d]);
    }
}

void rw_emit_head(rw_emitter *e)
{
    ADD("KERNEL(run%s%.*s%s)\n{\n", rw_text_of(&e->arrays), (int)e->own, rw_text_of(&e->uniforms),
        e->k->naccumulators ? ", GLOBAL f64 *RESTRICT part" : "");
    for (int f = 0; f < e->g->nfields; ++f)
        if (e->use.side[f]) {
            const char *name = e->g->fields[f].name;
            ADD("    GLOBAL const %s *b_%s = f_%s;\n", rw_dtype_word(e->g->fields[f].dtype), name, name);
        }
    for (int n = 0; n < e->use.nnodes; ++n)
        if (is_table_of_sides(e, n)) ADD("    GLOBAL const real *bt%d = t%d;\n", n, n);
}

void rw_emit_tile(rw_emitter *e, const char *indent)
{
    static const char *const which[] = {"tile % TILES_X", "tile / TILES_X % TILES_Y", "tile / (TILES_X * TILES_Y)"};
    for (int d = 0; d < 3; ++d) {
        char N = rw_size_letter[d];
        ADD("%sconst INDEX lo%d = (INDEX)(%s) * TILE_%c, hi%d = lo%d + TILE_%c < N%c ? lo%d + TILE_%c : N%c;\n", indent,
            d, which[d], N, d, d, N, N, d, N, N);
    }
}
