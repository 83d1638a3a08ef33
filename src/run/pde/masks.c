/* Masks of parts of sides: {mask: inlet.npy, dirichlet: "1"} applies where the array is not 0.
 *
 * The array has the grid's shape without the axis of the side. A mask is read-only data of the grid's shape (data.c),
 * constant along that axis, so that the text of the side, where(side_mask1, …), reads it next to the side as any other
 * data. It has 1 byte per node of the grid. Beyond the ends of a side it has the value of the nearest node.
 *
 * The host has the values of the side alone, for checks and figures. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "files/npy.h"
#include "run/pde/pde.h"

typedef struct pde_mask {
    const rw_tree *node; /* the name of the file */
    int side;
    char *path;
    const char *name; /* of its data */
    const char *setting;
    unsigned char *values; /* [nodes of the side], x first; NULL: not read yet */
} mask;

void pde_free_masks(pde_problem *p)
{
    for (int i = 0; i < p->nmasks; ++i) rw_free(p->masks[i].values);
    rw_free(p->masks);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool mentions(const rw_tree *node, const char *name)
{
    if (!node) return false;
    if (node->kind == RW_TREE_SCALAR) return strstr(node->text, name) != NULL;
    for (int i = 0; i < node->n; ++i)
        if ((node->keys && strstr(node->keys[i], name)) || mentions(node->items[i], name)) return true;
    return false;
}

/* A name that no text of the case has. */
static char *make_name(const rw_case *c, int number)
{
    static const char *const sections[] = {"fields",    "data", "parameters", "functions",
                                           "equations", "time", "output",     "checks"};
    char name[32];
    bool taken = true;
    size_t n = (size_t)snprintf(name, sizeof name, "side_mask%d", number);
    while (taken && n + 1 < sizeof name) {
        taken = false;
        for (int i = 0; i < RW_COUNT(sections); ++i) taken = taken || mentions(rw_case_node(c, sections[i]), name);
        if (!taken) break;
        name[n++] = '_';
        name[n] = '\0';
    }
    return rw_strdup(name);
}

static int find(const pde_problem *p, const rw_tree *node)
{
    int i = 0;
    while (i < p->nmasks && p->masks[i].node != node) ++i;
    return i;
}

rw_status pde_add_mask(const rw_case *c, pde_problem *p, int f, int side, const rw_tree *node)
{
    rw_context *ctx = rw_case_context(c);
    if (find(p, node) < p->nmasks) return RW_OK; /* the other side of an axis */
    char *name = make_name(c, p->nmasks + 1), *path = rw_case_path(c, node->text),
         *setting = rw_format("fields.%.31s.boundary: mask %.160s", p->fields[f].name, node->text);
    const rw_status owned[] = {pde_own(p, ctx, name), pde_own(p, ctx, path), pde_own(p, ctx, setting)};
    for (int i = 0; i < RW_COUNT(owned); ++i) RW_TRY(owned[i]);
    if (!rw_grow(&p->masks, &p->masks_capacity, p->nmasks + 1, sizeof *p->masks))
        return rw_fail_memory(ctx, sizeof *p->masks, "a mask");
    p->masks[p->nmasks++] = (mask){.node = node, .side = side, .path = path, .name = name, .setting = setting};
    return RW_OK;
}

const char *pde_mask_name(const pde_problem *p, const rw_tree *node) { return p->masks[find(p, node)].name; }

void pde_declare_masks(pde_problem *p)
{
    for (int i = 0; i < p->nmasks; ++i) {
        const mask *m = p->masks + i;
        p->data[p->ndata] = (rw_expr_field){.name = m->name, .dtype = RW_U8};
        p->sources[p->ndata++] = (pde_values){.setting = m->setting, .name = m->name, .node = m->node, .mask = i + 1};
    }
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The message with the place of the file's name. */
static rw_status place(const pde_problem *p, const mask *m, rw_status status)
{
    char where[320];
    if (status == RW_OK) return RW_OK;
    rw_tree_place(m->node, where, sizeof where);
    return rw_fail_prefix(p->ctx, status, "%s", where);
}

static bool fits(const pde_problem *p, const mask *m, const rw_npy *a)
{
    int axis = a->ndim - 1;
    if (p->grid.ndim == 1) return rw_npy_count(a) == 1;
    for (int d = 0; d < p->grid.ndim; ++d) {
        if (d == m->side / 2) continue;
        if (axis < 0 || (int64_t)a->shape[axis] != p->grid.size[d]) return false;
        --axis;
    }
    return axis == -1;
}

static rw_status fail_shape(const pde_problem *p, const mask *m, const rw_npy *a, rw_dtype type)
{
    rw_text given = {0}, wanted = {0};
    const char *names = "xyz";
    for (int d = 0; d < a->ndim; ++d) rw_text_add(&given, "%s%zu", d ? " x " : " of shape ", a->shape[d]);
    for (int d = p->grid.ndim - 1, n = 0; d >= 0; --d)
        if (d != m->side / 2)
            rw_text_add(&wanted, "%s%lld along %c", n++ ? " x " : " of shape ", (long long)p->grid.size[d], names[d]);
    const char *shape = given.data ? given.data : "", *needs = wanted.data ? wanted.data : ": one value";
    rw_status status = rw_fail(p->ctx, RW_ERR_INPUT, "%s holds %s%s: a mask of this side needs real numbers%s", m->path,
                               rw_dtype_name(type), shape, needs);
    if (given.failed || wanted.failed) status = rw_fail_memory(p->ctx, 64, "a message");
    rw_text_free(&given);
    rw_text_free(&wanted);
    return status;
}

/* `type`: of the file. */
static rw_status take(const pde_problem *p, mask *m, const rw_npy *a, rw_dtype type)
{
    const size_t n = rw_npy_count(a);
    const double *from = a->data;
    bool any = false;
    if (a->type != RW_F64 || !fits(p, m, a)) return fail_shape(p, m, a, type);
    unsigned char *to = rw_calloc(n, 1);
    if (!to) return rw_fail_memory(p->ctx, n, "a mask");
    for (size_t i = 0; i < n; ++i) {
        to[i] = from[i] != 0;
        any = any || to[i];
        if (!isnan(from[i])) continue;
        rw_free(to);
        return rw_fail(p->ctx, RW_ERR_INPUT,
                       "%s: element %zu is not a number: give 0 where the part does not apply, and 1 where it does",
                       m->path, i);
    }
    m->values = to;
    if (any) return RW_OK;
    rw_free(m->values);
    m->values = NULL;
    return rw_fail(p->ctx, RW_ERR_INPUT,
                   "%s is 0 everywhere, so that its part never applies: omit the part, or give 1 where it applies",
                   m->path);
}

/* Reads the file once. */
static rw_status read_mask(const pde_problem *p, mask *m)
{
    rw_npy a;
    if (m->values) return RW_OK;
    RW_TRY(place(p, m, rw_npy_read(p->ctx, m->path, &a)));
    const rw_dtype type = a.type;
    rw_status status = rw_npy_to_f64(p->ctx, &a);
    if (status == RW_OK) status = take(p, m, &a, type);
    rw_npy_free(&a);
    return place(p, m, status);
}

rw_status pde_read_mask(const pde_problem *p, const rw_tree *node) { return read_mask(p, p->masks + find(p, node)); }

bool pde_has_mask_file(const pde_problem *p, const rw_tree *node)
{
    const mask *m = p->masks + find(p, node);
    return m->values || access(m->path, F_OK) == 0;
}

rw_status pde_read_masks(const pde_problem *p)
{
    for (int i = 0; i < p->nmasks; ++i) RW_TRY(read_mask(p, p->masks + i));
    return RW_OK;
}

/* Its element at a place of the side, in nodes; beyond the ends of the side that of the nearest node. */
static bool at_place(const pde_problem *p, const mask *m, const double at[3])
{
    int64_t k = 0;
    for (int d = 2; d >= 0; --d)
        if (d != m->side / 2) k = k * p->grid.size[d] + (int64_t)fmin(fmax(at[d], 0), (double)p->grid.size[d] - 1);
    return m->values[k];
}

bool pde_mask_at(const pde_problem *p, const rw_tree *node, const double at[3])
{
    return at_place(p, p->masks + find(p, node), at);
}

void pde_fill_mask(const pde_problem *p, int number, unsigned char *to)
{
    const int64_t *n = p->grid.size;
    for (int64_t k = 0; k < n[2]; ++k)
        for (int64_t j = 0; j < n[1]; ++j)
            for (int64_t i = 0; i < n[0]; ++i)
                *to++ = at_place(p, p->masks + number - 1, (const double[3]){(double)i, (double)j, (double)k});
}
