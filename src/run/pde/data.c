/* Read-only fields of a case: coefficients and sources that equations and checks read.
 *
 *   data: {k: {file: k.npy}, q: "exp(-x^2)", m: {picture: m.png, low: 0, high: 1}, T: {run: RESULTS, field: T}}
 *
 * Their forms are those of initial values (values.c). They are made once, at the beginning, and never again; a
 * checkpoint has the checksums of those that come from files, which a restart reads and compares. Not here: data that
 * change with time.
 *
 * Beyond a side, data continue
 *
 *   axis periodic for the fields      periodic
 *   layout cell                       mirrored about the side, half a spacing outside the last node
 *   layout auto, node on the side     mirrored about the side, which is the last node
 *   layout auto, Dirichlet side       with the nearest node's value: the node on the side is in no array
 *
 * so that a coefficient that is even about a side is exact there, and div(k*grad(u)) with no flux through the sides
 * keeps the sum of u. */
#include <string.h>

#include "run/pde/pde.h"

#define GROUP "/data"

static rw_status fail_name(const rw_case *c, const rw_tree *map, int i, const char *what)
{
    return rw_case_fail_key(c, map, i, "%s is both data and %s: choose another name for one of them", map->keys[i],
                            what);
}

static rw_status read_one(const rw_case *c, pde_problem *p, const rw_tree *map, int i, int precision)
{
    const char *name = map->keys[i];
    const rw_tree key = {.source = map->items[i]->source,
                         .line = map->key_place[i].line,
                         .column = map->key_place[i].column};
    char where[256];
    rw_tree_place(&key, where, sizeof where);
    RW_TRY(rw_check_name_on(rw_case_context(c), &p->grid, where, name));
    for (int f = 0; f < p->nfields; ++f)
        if (!strcmp(p->fields[f].name, name)) return fail_name(c, map, i, "a field");
    for (int s = 0; s < p->nscalars; ++s)
        if (!strcmp(p->scalars[s].name, name)) return fail_name(c, map, i, "a parameter");
    char *setting = rw_format("data.%s", name);
    RW_TRY(pde_own(p, rw_case_context(c), setting));
    p->data[p->ndata] = (rw_expr_field){.name = name, .dtype = precision ? RW_F32 : RW_F64};
    p->sources[p->ndata++] = (pde_values){.setting = setting, .name = name, .node = map->items[i]};
    return pde_check_values(c, setting, map->items[i]);
}

rw_status pde_read_data(const rw_case *c, pde_problem *p, int precision)
{
    const rw_tree *map = rw_case_node(c, "data");
    const int n = map ? map->n : 0;
    if (!n && !p->nmasks) return RW_OK;
    p->data = rw_calloc((size_t)(n + p->nmasks), sizeof *p->data);
    p->sources = rw_calloc((size_t)(n + p->nmasks), sizeof *p->sources);
    if (!p->data || !p->sources) return rw_fail_memory(rw_case_context(c), 256, "data");
    for (int i = 0; i < n; ++i) RW_NOTE(rw_case_context(c), read_one(c, p, map, i, precision));
    pde_declare_masks(p);
    return RW_OK;
}

void pde_free_data(pde_problem *p)
{
    for (int i = 0; i < p->ndata; ++i) rw_array_destroy(&p->sources[i].array);
    rw_expr_destroy(&p->fill);
    rw_free(p->data);
    rw_free(p->sources);
    pde_free_masks(p);
}

void pde_continue_data(pde_problem *p)
{
    for (int i = 0; i < p->ndata; ++i)
        for (int side = 0; side < 2 * p->grid.ndim; ++side) {
            rw_boundary_kind kind = p->fields[0].boundary[side].kind;
            /* Periodic on one side only has been noted as a mistake of the fields. */
            if (kind == RW_BOUNDARY_PERIODIC && p->fields[0].boundary[side ^ 1].kind != kind)
                kind = RW_BOUNDARY_NEAREST;
            const rw_boundary_row *row = rw_boundary_row_of(kind);
            p->data[i].boundary[side].kind = kind == RW_BOUNDARY_PERIODIC   ? kind
                                             : p->sources[i].mask           ? RW_BOUNDARY_NEAREST
                                             : p->layout == RW_GRID_CELL    ? RW_BOUNDARY_REFLECT
                                             : pde_pins(p, kind)            ? RW_BOUNDARY_NEAREST
                                             : row->slope || row->pins      ? RW_BOUNDARY_REFLECT101
                                             : kind == RW_BOUNDARY_CONSTANT ? RW_BOUNDARY_NEAREST
                                                                            : kind;
        }
}

static rw_status fill_masks(pde_problem *p)
{
    RW_TRY(pde_read_masks(p));
    for (int i = 0; i < p->ndata; ++i) {
        void *to;
        if (!p->sources[i].mask) continue;
        RW_TRY(rw_array_write(p->sources[i].array, &to));
        pde_fill_mask(p, p->sources[i].mask, to);
    }
    return RW_OK;
}

rw_status pde_make_data(const rw_case *c, pde_problem *p, rw_memory memory)
{
    int64_t shape[3] = {1}; /* without space each is one number */
    const int rank = RW_MAX(p->grid.ndim, 1);
    for (int d = 0; d < p->grid.ndim; ++d) shape[d] = p->grid.size[p->grid.ndim - 1 - d];
    for (int i = 0; i < p->ndata; ++i)
        RW_TRY(rw_array_create(p->device, p->data[i].dtype, rank, shape, memory, &p->sources[i].array));
    RW_TRY(fill_masks(p));
    return p->ndata ? pde_make_values(c, p, "data", p->sources, p->ndata, &p->fill) : RW_OK;
}

rw_status pde_fill_data(const rw_case *c, pde_problem *p)
{
    if (p->fill) RW_TRY(rw_expr_run(p->fill, rw_device_queue(p->device)));
    rw_expr_destroy(&p->fill);
    for (int i = 0; i < p->ndata; ++i) {
        const void *bytes;
        if (!p->sources[i].mask) RW_TRY(pde_check_finite(c, p, p->sources + i));
        if (p->sources[i].node->kind == RW_TREE_SCALAR && !p->sources[i].mask) continue;
        RW_TRY(rw_array_read(p->sources[i].array, &bytes));
        rw_sha256_hex(bytes, (size_t)rw_array_size(p->sources[i].array) * rw_dtype_size(p->data[i].dtype),
                      p->sources[i].checksum);
    }
    return RW_OK;
}

rw_status pde_save_data(const pde_problem *p, rw_h5 *file)
{
    bool any = false;
    for (int i = 0; i < p->ndata; ++i) {
        if (!*p->sources[i].checksum) continue;
        if (!any) RW_TRY(rw_h5_group(file, GROUP));
        any = true;
        RW_TRY(rw_h5_set_text(file, GROUP, p->sources[i].name, p->sources[i].checksum));
    }
    return RW_OK;
}

rw_status pde_compare_data(const pde_problem *p, rw_h5 *file)
{
    for (int i = 0; i < p->ndata; ++i) {
        const pde_values *v = p->sources + i;
        char *before;
        if (!*v->checksum) continue;
        RW_TRY(rw_h5_get_text(file, GROUP, v->name, &before));
        const bool same = !strcmp(before, v->checksum);
        rw_free(before);
        if (same) continue;
        char where[320];
        rw_tree_place(v->node, where, sizeof where);
        return rw_fail(p->ctx, RW_ERR_INPUT,
                       "%s: %s: the values read now are not those that the checkpoint was computed with: restore the "
                       "file, or begin again with rw_run_options.force",
                       where, v->setting);
    }
    return RW_OK;
}
