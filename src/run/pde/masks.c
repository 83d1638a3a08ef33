/* Masks of parts of sides: {mask: inlet.npy, dirichlet: "1"} applies where the array is not 0, {mask: {picture:
 * inlet.png}, …} where the picture is lighter than the middle grey.
 *
 * The array has the grid's shape without the axis of the side; a picture is stretched over the side. A mask is
 * read-only data of the grid's shape (data.c), constant along that axis, so that the text of the side,
 * where(side_mask1, …), reads it next to the side as any other data. It has 1 byte per node of the grid. Beyond the
 * ends of a side it has the value of the nearest node.
 *
 * The host has the values of the side alone, for checks and figures. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "files/npy.h"
#include "io/picture.h"
#include "run/pde/pde.h"

typedef struct pde_mask {
    const rw_tree *node; /* of the part: the name of a file, or {file: name}, or {picture: name} */
    const rw_tree *file; /* its name */
    bool is_picture;
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

const rw_tree *pde_mask_file(const rw_tree *node, bool *is_picture)
{
    const rw_tree *picture = rw_tree_get(node, "picture"), *file = picture ? picture : rw_tree_get(node, "file");
    *is_picture = picture != NULL;
    if (node->kind == RW_TREE_SCALAR) file = node;
    else if (node->n != 1) file = NULL;
    return file && file->kind == RW_TREE_SCALAR && file->text[0] ? file : NULL;
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

/* By the node of its part, or of its file's name, which its data have. */
static int find(const pde_problem *p, const rw_tree *node)
{
    int i = 0;
    while (i < p->nmasks && p->masks[i].node != node && p->masks[i].file != node) ++i;
    return i;
}

rw_status pde_add_mask(const rw_case *c, pde_problem *p, int f, int side, const rw_tree *node)
{
    rw_context *ctx = rw_case_context(c);
    if (find(p, node) < p->nmasks) return RW_OK; /* the other side of an axis */
    bool is_picture;
    const rw_tree *file = pde_mask_file(node, &is_picture);
    char *name = make_name(c, p->nmasks + 1), *path = rw_case_path(c, file->text),
         *setting = rw_format("fields.%.31s.boundary: mask %.160s", p->fields[f].name, file->text);
    const rw_status owned[] = {pde_own(p, ctx, name), pde_own(p, ctx, path), pde_own(p, ctx, setting)};
    for (int i = 0; i < RW_COUNT(owned); ++i) RW_TRY(owned[i]);
    if (!rw_grow(&p->masks, &p->masks_capacity, p->nmasks + 1, sizeof *p->masks))
        return rw_fail_memory(ctx, sizeof *p->masks, "a mask");
    p->masks[p->nmasks++] = (mask){.node = node,
                                   .file = file,
                                   .is_picture = is_picture,
                                   .side = side,
                                   .path = path,
                                   .name = name,
                                   .setting = setting};
    return RW_OK;
}

const char *pde_mask_name(const pde_problem *p, const rw_tree *node) { return p->masks[find(p, node)].name; }

void pde_declare_masks(pde_problem *p)
{
    for (int i = 0; i < p->nmasks; ++i) {
        const mask *m = p->masks + i;
        p->data[p->ndata] = (rw_expr_field){.name = m->name, .dtype = RW_U8};
        p->sources[p->ndata++] = (pde_values){.setting = m->setting, .name = m->name, .node = m->file, .mask = i + 1};
    }
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* The message with the place of the file's name. */
static rw_status place(const pde_problem *p, const mask *m, rw_status status)
{
    char where[320];
    if (status == RW_OK) return RW_OK;
    rw_tree_place(m->file, where, sizeof where);
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

/* The nodes along the right and the upper side of a picture of the side: y and z of left and right, x and z of bottom
 * and top, x and y of back and front. In two dimensions a picture is read along its middle. */
static void picture_nodes(const pde_problem *p, const mask *m, int64_t n[2])
{
    const int axis = m->side / 2;
    if (p->grid.ndim == 3) {
        n[0] = p->grid.size[axis == 0 ? 1 : 0];
        n[1] = p->grid.size[axis == 2 ? 1 : 2];
    } else {
        n[0] = axis == 0 ? 1 : p->grid.size[0];
        n[1] = axis == 0 ? p->grid.size[1] : 1;
    }
}

/* The pixel at each node of the side. */
static rw_status read_picture(const pde_problem *p, mask *m)
{
    rw_picture q;
    int64_t n[2];
    bool any = false;
    picture_nodes(p, m, n);
    RW_TRY(rw_picture_read(p->ctx, m->path, 0, &q));
    unsigned char *to = rw_calloc((size_t)(n[0] * n[1]), 1);
    for (int64_t k = 0; to && k < n[0] * n[1]; ++k) {
        const double x = ((double)(k % n[0]) + 0.5) / (double)n[0],
                     y = 1 - ((double)(k / n[0]) + 0.5) / (double)n[1]; /* from the top */
        const size_t i = RW_MIN((size_t)(x * (double)q.width), q.width - 1),
                     j = RW_MIN((size_t)(y * (double)q.height), q.height - 1);
        to[k] = q.grey[j * q.width + i] > 0.5;
        any = any || to[k];
    }
    rw_picture_free(&q);
    if (to && any) {
        m->values = to;
        return RW_OK;
    }
    rw_free(to);
    if (!to) return rw_fail_memory(p->ctx, (size_t)(n[0] * n[1]), "a mask");
    return rw_fail(p->ctx, RW_ERR_INPUT,
                   "%s is dark everywhere, so that its part never applies: omit the part, or make the picture white "
                   "where it applies",
                   m->path);
}

/* Reads the file once. */
static rw_status read_mask(const pde_problem *p, mask *m)
{
    rw_npy a;
    if (m->values) return RW_OK;
    if (m->is_picture) return place(p, m, read_picture(p, m));
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
