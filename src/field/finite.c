/* Values that are not finite, and where they are. */
#include "field/finite.h"

#include <math.h>

static void load(const void *data, rw_dtype dtype, int64_t i, double v[2])
{
    v[1] = 0;
    switch (dtype) {
    case RW_F32: v[0] = ((const float *)data)[i]; break;
    case RW_C64:
        v[0] = ((const float *)data)[2 * i];
        v[1] = ((const float *)data)[2 * i + 1];
        break;
    case RW_C128:
        v[0] = ((const double *)data)[2 * i];
        v[1] = ((const double *)data)[2 * i + 1];
        break;
    default: v[0] = ((const double *)data)[i]; break;
    }
}

rw_status rw_finite_find(rw_array *a, rw_finite *f)
{
    const void *data;
    RW_TRY(rw_array_read(a, &data));
    *f = (rw_finite){.first = -1, .largest = -1};
    for (int64_t i = 0; i < a->size; ++i) {
        double v[2];
        load(data, a->dtype, i, v);
        if (isfinite(v[0]) && isfinite(v[1])) {
            double size = hypot(v[0], v[1]);
            if (f->largest < 0 || size > f->size) {
                f->largest = i;
                f->size = size;
            }
        } else if (f->first < 0) {
            f->first = i;
            f->value = isfinite(v[0]) ? v[1] : v[0];
        }
    }
    return RW_OK;
}

rw_status rw_finite_value(rw_array *a, int64_t node, double value[2])
{
    const void *data;
    RW_TRY(rw_array_read(a, &data));
    load(data, a->dtype, node, value);
    return RW_OK;
}

const char *rw_finite_word(double value) { return isnan(value) ? "not a number" : "infinite"; }

void rw_finite_at(rw_text *text, const rw_grid *g, int64_t node)
{
    if (g->ndim == 0) return;
    rw_text_add(text, " at ");
    rw_finite_node(text, g, node);
}

void rw_finite_node(rw_text *text, const rw_grid *g, int64_t node)
{
    const int64_t i[3] = {node % g->size[0], node / g->size[0] % g->size[1], node / g->size[0] / g->size[1]};
    rw_text_add(text, "node (%lld", (long long)(g->first[0] + i[0]));
    for (int d = 1; d < g->ndim; ++d) rw_text_add(text, ", %lld", (long long)(g->first[d] + i[d]));
    rw_text_add(text, ")");
    for (int d = 0; d < g->ndim; ++d) rw_text_add(text, ", %c = %.6g", "xyz"[d], rw_grid_coordinate(g, d, i[d]));
}
