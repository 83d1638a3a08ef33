/* The setting output.probes, read and checked. */
#include "run/probes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/lower.h"

enum { POINTS = 101, MOST = 1000000 };

void rw_probe_point(const rw_probe *p, int64_t i, double x[3])
{
    const double s = p->n > 1 ? (double)i / (double)(p->n - 1) : 0;
    for (int d = 0; d < 3; d++) x[d] = i + 1 == p->n ? p->to[d] : p->from[d] + s * (p->to[d] - p->from[d]);
}

/* A list of as many numbers as there are axes; on a line a number alone. */
static rw_status read_place(const rw_case *c, const rw_domain *domain, bool places, const char *name, const char *key,
                            const rw_tree *node, double x[3])
{
    const int n = domain->ndim;
    const bool alone = n == 1 && node->kind == RW_TREE_SCALAR;
    if (!alone && (node->kind != RW_TREE_LIST || node->n != n))
        return rw_case_fail(c, node, "output.probes.%.60s.%s must be a list of %d coordinates, one for each axis", name,
                            key, n);
    for (int d = 0; d < n; d++) {
        const rw_tree *item = alone ? node : node->items[d];
        if (item->kind != RW_TREE_SCALAR || !rw_tree_number(item, &x[d]) || !isfinite(x[d]))
            return rw_case_fail(c, item, "output.probes.%.60s.%s: %c must be a finite number", name, key, "xyz"[d]);
        const double near = 1e-9 * (domain->upper[d] - domain->lower[d]);
        if (places && !(x[d] >= domain->lower[d] - near && x[d] <= domain->upper[d] + near))
            return rw_case_fail(c, item,
                                "output.probes.%.60s.%s: %c = %.9g is outside the domain, [%.9g, %.9g]: choose a place "
                                "in it",
                                name, key, "xyz"[d], x[d], domain -> lower[d], domain -> upper[d]);
        x[d] = places ? fmin(fmax(x[d], domain->lower[d]), domain->upper[d]) : x[d];
    }
    return RW_OK;
}

static rw_status read_points(const rw_case *c, const char *name, const rw_tree *node, int64_t *n)
{
    double value = POINTS;
    if (node && (node->kind != RW_TREE_SCALAR || !rw_tree_number(node, &value) || value != floor(value) || value < 2 ||
                 value > MOST))
        return rw_case_fail(c, node, "output.probes.%.60s.points must be an integer from 2 to %d", name, MOST);
    *n = (int64_t)value;
    return RW_OK;
}

static const char *const keys[] = {"at", "from", "to", "points"};

static bool is_key(const char *key)
{
    for (int i = 0; i < RW_COUNT(keys); i++)
        if (strcmp(keys[i], key) == 0) return true;
    return false;
}

static rw_status read_probe(const rw_case *c, const rw_domain *domain, bool places, const rw_tree *map, int i,
                            rw_probe *p)
{
    const char *name = map->keys[i];
    const rw_tree *item = map->items[i], *at = rw_tree_get(item, "at"), *from = rw_tree_get(item, "from"),
                  *to = rw_tree_get(item, "to"), *points = rw_tree_get(item, "points");
    char where[320];
    rw_tree key = {.source = item->source, .line = map->key_place[i].line, .column = map->key_place[i].column};
    rw_tree_place(&key, where, sizeof where);
    RW_TRY(rw_check_name(rw_case_context(c), where, name));
    for (int k = 0; item->kind == RW_TREE_MAP && k < item->n; k++)
        if (!is_key(item->keys[k]))
            return rw_case_fail_key(c, item, k, "output.probes.%.60s.%.60s is unknown%s", name, item->keys[k],
                                    rw_hint_known(item->keys[k], keys, RW_COUNT(keys)).text);
    if (item->kind != RW_TREE_MAP || !(at ? !from && !to && !points : from && to))
        return rw_case_fail(c, item,
                            "output.probes.%.60s must be a point, {at: [x, y]}, or a line, {from: [x, y], to: [x, y], "
                            "points: 101}, with a coordinate for each axis of the grid",
                            name);
    *p = (rw_probe){.name = name, .is_line = !at, .n = 1};
    RW_TRY(read_place(c, domain, places, name, at ? "at" : "from", at ? at : from, p->from));
    if (at) memcpy(p->to, p->from, sizeof p->to);
    else RW_TRY(read_place(c, domain, places, name, "to", to, p->to));
    return at ? RW_OK : read_points(c, name, points, &p->n);
}

rw_status rw_probes_read(const rw_case *c, const rw_domain *domain, bool places, rw_probe **list, int *n)
{
    const rw_tree *map = rw_case_node(c, "output.probes");
    *list = NULL;
    *n = 0;
    if (!map || (map->kind == RW_TREE_SCALAR && !*map->text)) return RW_OK;
    if (map->kind != RW_TREE_MAP)
        return rw_case_fail(c, map,
                            "output.probes must be a map of names to points and lines, such as {wall: {at: "
                            "[0.5, 0.1]}}");
    if (!(*list = rw_calloc((size_t)map->n + 1, sizeof **list)))
        return rw_fail_memory(rw_case_context(c), 256, "output.probes");
    for (int i = 0; i < map->n; i++) {
        const rw_status status = read_probe(c, domain, places, map, i, *list + *n);
        *n += status == RW_OK;
        RW_NOTE(rw_case_context(c), status);
    }
    return RW_OK;
}
