/* Tridiagonal systems by partition: a line is cut into chunks of m rows. One pass eliminates the inner rows of each
 * chunk, which leaves a tridiagonal system of the chunks' last unknowns ("reduce"); that is solved likewise; one more
 * pass solves within the chunks by Thomas' algorithm, with the last unknowns known ("solve"). A line of one chunk is
 * one pass. A periodic axis couples the first chunk with the last one and needs nothing else.
 *
 * An item has one chunk; its intermediate values never leave registers (GPUs) or caches (processors). Bytes per element
 * in f64 with tables: 16 where a line is one chunk; else 24, and 112/m to 160/m for the next levels, which have m
 * times fewer elements. Full matrices add 24 per pass. There is one division per element and pass.
 *
 * Lines whose neighbours lie next to each other in memory are read in place, an item a line. Others, along the last
 * axis, are transposed through shared memory.
 *
 * Sources: Thomas, Elliptic problems in linear difference equations over a network, 1949; Wang, A parallel method for
 * tridiagonal equations, ACM Trans. Math. Softw. 7(2), 1981. */
#include "elliptic/tridiagonal.h"

#include <string.h>

enum { LEVELS = 8 };

/* Where equations come from, as in tridiagonal.k. */
typedef enum matrix { TABLES, FULL, REDUCED } matrix;

typedef enum layout { NEIGHBOURS, LINES, CHUNKS } layout;

/* The systems of one size. */
typedef struct level {
    int64_t outer, inner; /* real elements: a complex one is two */
    int n, m, chunks, items;
    matrix matrix;
    layout layout;
    rw_program *program;
    rw_kernel *reduce, *solve;
    rw_array *next; /* the system of the next level, see `reduce` */
} level;

struct rw_tridiagonal {
    rw_device *device;
    rw_tridiagonal_spec spec;
    int64_t second; /* elements of the last shift's table */
    int shifts, parts;
    level level[LEVELS];
    int nlevels;
    rw_program *mean_program;
    rw_kernel *mean;
};

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static bool is_real(const rw_tridiagonal *t, const rw_array *a)
{
    return a->dtype == (rw_dtype_is_single(t->spec.dtype) ? RW_F32 : RW_F64);
}

static rw_status check_table(const rw_tridiagonal *t, const rw_array *a, const char *name, int64_t n)
{
    if (!is_real(t, a) || a->ndim != 1 || a->shape[0] != n)
        return rw_fail(
            t->device->ctx, RW_ERR_ARGUMENT,
            "rw_tridiagonal_spec.%s is %s with %d axes and %lld elements: it must be a table of %lld elements, %s",
            name, rw_dtype_name(a->dtype), a->ndim, (long long)a->size, (long long)n, rw_dtype_real(t->spec.dtype));
    return RW_OK;
}

static bool has_shape(const rw_tridiagonal *t, const rw_array *a)
{
    return a->ndim == t->spec.ndim && !memcmp(a->shape, t->spec.shape, (size_t)a->ndim * sizeof *a->shape);
}

static rw_status check_sizes(rw_device *dev, const rw_tridiagonal_spec *s)
{
    if (s->dtype != RW_F32 && s->dtype != RW_F64 && !rw_dtype_is_complex(s->dtype))
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "rw_tridiagonal_spec.dtype = %s must be f32, f64, c64 or c128",
                       rw_dtype_name(s->dtype));
    if (s->ndim < 1 || s->ndim > RW_TRIDIAGONAL_AXES)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "rw_tridiagonal_spec.ndim = %d must be 1 to %d", s->ndim,
                       RW_TRIDIAGONAL_AXES);
    if (s->axis < 0 || s->axis >= s->ndim)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "rw_tridiagonal_spec.axis = %d must be 0 to %d", s->axis,
                       s->ndim - 1);
    for (int d = 0; d < s->ndim; ++d)
        if (s->shape[d] < 1 || s->shape[d] > INT32_MAX / 2)
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "rw_tridiagonal_spec.shape[%d] = %lld must be 1 to %d", d,
                           (long long)s->shape[d], INT32_MAX / 2);
    return RW_OK;
}

static rw_status check_matrix(const rw_tridiagonal *t, bool full)
{
    const rw_tridiagonal_spec *s = &t->spec;
    rw_context *ctx = t->device->ctx;
    rw_array *const array[] = {s->a, s->b, s->c};
    static const char *const name[] = {"a", "b", "c"};
    for (int i = 0; i < 3; ++i) {
        if (!full) RW_TRY(check_table(t, array[i], name[i], s->shape[s->axis]));
        else if (!is_real(t, array[i]) || !has_shape(t, array[i]))
            return rw_fail(ctx, RW_ERR_ARGUMENT, "rw_tridiagonal_spec.%s must be %s and have the shape of x, as a has",
                           name[i], rw_dtype_real(s->dtype));
    }
    if (full && (s->scale || s->shift[0] || s->shift[1]))
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "rw_tridiagonal_spec.scale and shift need tables: add them to b, which has the shape of x");
    if (s->scale) RW_TRY(check_table(t, s->scale, "scale", s->shape[s->axis]));
    for (int d = 0, k = 0; d < s->ndim; ++d) {
        if (d == s->axis) continue;
        if (s->shift[k]) RW_TRY(check_table(t, s->shift[k], k ? "shift[1]" : "shift[0]", s->shape[d]));
        ++k;
    }
    for (int k = s->ndim - 1; k < RW_TRIDIAGONAL_AXES - 1; ++k)
        if (s->shift[k])
            return rw_fail(ctx, RW_ERR_ARGUMENT, "rw_tridiagonal_spec.shift[%d]: x has only %d other axes", k,
                           s->ndim - 1);
    return RW_OK;
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

/* Rows of a chunk, at most. GPUs: an item's registers. Processors: one chunk while a group's values (two per element,
 * five where matrices are transposed too) fit the second-level cache; else what fits the first-level cache. */
static int chunk_most(const rw_tridiagonal *t, const level *l)
{
    const int real = rw_dtype_is_single(t->spec.dtype) ? 4 : 8;
    if (rw_device_has_threads(t->device)) return l->layout == NEIGHBOURS ? 128 / real : 32;
    const int values = l->layout != NEIGHBOURS && l->matrix != TABLES ? 5 : 2;
    const int most = (int)RW_MIN(1 << 20, t->device->info.shared_memory) / (values * l->items * real);
    return l->n <= most ? most : 64;
}

static void plan_level(const rw_tridiagonal *t, level *l)
{
    const bool threads = rw_device_has_threads(t->device);
    const int64_t row = l->inner * (rw_dtype_is_single(t->spec.dtype) ? 4 : 8);
    l->layout = row >= 128 ? NEIGHBOURS : LINES;
    if (threads) l->items = l->layout == NEIGHBOURS && l->inner >= 64 ? 64 : 32;
    else l->items = l->layout == NEIGHBOURS ? 64 : l->matrix == TABLES ? 16 : 8;
    const int most = chunk_most(t, l);
    l->chunks = (l->n + most - 1) / most;
    l->m = (l->n + l->chunks - 1) / l->chunks;
    l->chunks = (l->n + l->m - 1) / l->m;
    if (l->layout == LINES && l->chunks > 1 && l->outer * l->inner < l->items) l->layout = CHUNKS;
}

static rw_status build(const rw_tridiagonal *t, level *l)
{
    const bool threads = rw_device_has_threads(t->device), tables = l->matrix == TABLES;
    const int most = chunk_most(t, l), pitch = l->items + threads, real = rw_dtype_is_single(t->spec.dtype) ? 4 : 8;
    RW_TRY(rw_program_create_with(
        t->device, "tridiagonal.k", rw_embedded_text("tridiagonal.k"), &l->program,
        "GROUP=%d GROUP_X=%d THREADS=%d REAL=%s MATRIX=%d LAYOUT=%d SINGLE=%d CYCLIC=%d PARTS=%d SHIFTS=%d SCALED=%d "
        "M=%d PITCH=%d SHARED_LARGE_BYTES=%d",
        l->items, RW_MIN(l->items, 32), threads, rw_dtype_real(t->spec.dtype), l->matrix, l->layout, l->chunks == 1,
        t->spec.cyclic, l->matrix == REDUCED ? 1 : t->parts, tables ? t->shifts : 0, tables && t->spec.scale, most,
        pitch, l->layout != NEIGHBOURS ? (tables ? 1 : 4) * most * pitch * real : 0));
    RW_TRY(rw_program_kernel(l->program, "reduce", &l->reduce));
    return rw_program_kernel(l->program, "solve", &l->solve);
}

static rw_status add_levels(rw_tridiagonal *t, level l)
{
    for (;;) {
        level *now = &t->level[t->nlevels++];
        *now = l;
        plan_level(t, now);
        RW_TRY(build(t, now));
        if (now->chunks == 1) return RW_OK;
        const int64_t n = 6 * now->outer * now->chunks * now->inner;
        RW_TRY(rw_array_create(t->device, rw_dtype_is_single(t->spec.dtype) ? RW_F32 : RW_F64, 1, &n, RW_MEMORY_DEVICE,
                               &now->next));
        l.n = now->chunks;
        l.matrix = REDUCED;
    }
}

static rw_status create(rw_tridiagonal *t)
{
    const rw_tridiagonal_spec *s = &t->spec;
    const bool full = s->ndim > 1 && s->a->ndim == s->ndim;
    level first = {.outer = 1, .inner = t->parts, .n = (int)s->shape[s->axis], .matrix = full ? FULL : TABLES};
    RW_TRY(check_matrix(t, full));
    for (int d = 0; d < s->ndim; ++d) {
        if (d < s->axis) first.outer *= s->shape[d];
        if (d > s->axis) first.inner *= s->shape[d];
    }
    RW_TRY(add_levels(t, first));
    if (!s->singular) return RW_OK;
    RW_TRY(rw_program_create_with(t->device, "mean.k", rw_embedded_text("mean.k"), &t->mean_program,
                                  "GROUP=256 REAL=%s", rw_dtype_real(s->dtype)));
    return rw_program_kernel(t->mean_program, "subtract_mean", &t->mean);
}

rw_status rw_tridiagonal_create(rw_device *dev, const rw_tridiagonal_spec *spec, rw_tridiagonal **plan)
{
    *plan = NULL;
    RW_TRY(check_sizes(dev, spec));
    rw_tridiagonal *t = rw_calloc(1, sizeof *t);
    if (!t) return rw_fail_memory(dev->ctx, sizeof *t, "a plan of tridiagonal systems");
    t->device = rw_device_retain(dev);
    t->spec = *spec;
    t->parts = 1 + rw_dtype_is_complex(spec->dtype);
    t->second = 1;
    if (spec->ndim == 3) t->second = spec->shape[spec->axis == 2 ? 1 : 2];
    for (int k = 0; k < RW_TRIDIAGONAL_AXES - 1; ++k) t->shifts |= spec->shift[k] ? 1 << k : 0;
    rw_array *const arrays[] = {spec->a, spec->b, spec->c, spec->scale, spec->shift[0], spec->shift[1]};
    for (int i = 0; i < RW_COUNT(arrays); ++i)
        if (arrays[i]) rw_array_retain(arrays[i]);
    const rw_status status = create(t);
    if (status != RW_OK) rw_tridiagonal_destroy(&t);
    *plan = t;
    return status;
}

void rw_tridiagonal_destroy(rw_tridiagonal **plan)
{
    rw_tridiagonal *t = *plan;
    *plan = NULL;
    if (!t) return;
    for (int i = 0; i < t->nlevels; ++i) {
        rw_array_destroy(&t->level[i].next);
        rw_program_destroy(&t->level[i].program);
    }
    rw_program_destroy(&t->mean_program);
    rw_tridiagonal_spec *s = &t->spec;
    rw_array **const arrays[] = {&s->a, &s->b, &s->c, &s->scale, &s->shift[0], &s->shift[1]};
    for (int i = 0; i < RW_COUNT(arrays); ++i) rw_array_destroy(arrays[i]);
    rw_device *dev = t->device;
    rw_free(t);
    rw_device_close(&dev);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static int64_t groups_of(const level *l)
{
    const int64_t g = l->items;
    switch (l->layout) {
    case NEIGHBOURS: return l->outer * l->chunks * ((l->inner + g - 1) / g);
    case LINES: return l->chunks * ((l->outer * l->inner + g - 1) / g);
    default: return (l->outer * l->chunks * l->inner + g - 1) / g;
    }
}

/* Arrays that a level has not are x, which it does not read there. */
static rw_status launch(const rw_tridiagonal *t, const level *l, rw_kernel *k, rw_array *x, rw_queue *q)
{
    const rw_tridiagonal_spec *s = &t->spec;
    const bool own = l->matrix != REDUCED;
    const rw_arg a[] = {rw_arg_array(x),
                        rw_arg_array(own ? s->a : x),
                        rw_arg_array(own ? s->b : x),
                        rw_arg_array(own ? s->c : x),
                        rw_arg_array(own && s->scale ? s->scale : x),
                        rw_arg_array(own && s->shift[0] ? s->shift[0] : x),
                        rw_arg_array(own && s->shift[1] ? s->shift[1] : x),
                        rw_arg_int(t->second),
                        rw_arg_int(l->outer),
                        rw_arg_int(l->n),
                        rw_arg_int(l->inner),
                        rw_arg_int(l->m),
                        rw_arg_int(l->chunks),
                        rw_arg_int(s->singular ? t->parts : 0),
                        rw_arg_array(l->next ? l->next : x)};
    return rw_launch(q, k, (int64_t[3]){groups_of(l), 1, 1}, a, RW_COUNT(a));
}

rw_status rw_tridiagonal_enqueue(rw_tridiagonal *t, rw_array *x, rw_queue *q)
{
    const level *l = t->level;
    if (x->dtype != t->spec.dtype || !has_shape(t, x))
        return rw_fail(t->device->ctx, RW_ERR_ARGUMENT,
                       "rw_tridiagonal_enqueue: x must be %s and have the shape of the plan",
                       rw_dtype_name(t->spec.dtype));
    for (int i = 0; i < t->nlevels - 1; ++i) RW_TRY(launch(t, l + i, l[i].reduce, i ? l[i - 1].next : x, q));
    for (int i = t->nlevels - 1; i >= 0; --i) RW_TRY(launch(t, l + i, l[i].solve, i ? l[i - 1].next : x, q));
    if (!t->mean) return RW_OK;
    const rw_arg a[] = {rw_arg_array(x), rw_arg_int(l->n), rw_arg_int(l->inner)};
    return rw_launch(q, t->mean, (int64_t[3]){t->parts, 1, 1}, a, RW_COUNT(a));
}

/* ---- description ------------------------------------------------------------------------------------------------- */

static double elements_of(const level *l) { return (double)l->outer * l->n * (double)l->inner; }

double rw_tridiagonal_traffic(const rw_tridiagonal *t)
{
    double words = 0;
    for (int i = 0; i < t->nlevels; ++i) {
        const level *l = t->level + i;
        const int passes = l->chunks > 1 ? 2 : 1;
        const double row = 1 + (l->matrix == FULL ? 3.0 / t->parts : l->matrix == REDUCED ? 5 : 0);
        words += elements_of(l) * (passes * row + 1);
        if (passes > 1) words += 7 * elements_of(l + 1); /* written; the last unknowns read */
    }
    return words * (rw_dtype_is_single(t->spec.dtype) ? 4 : 8);
}

int rw_tridiagonal_launches(const rw_tridiagonal *t) { return 2 * t->nlevels - 1 + t->spec.singular; }

size_t rw_tridiagonal_bytes(const rw_tridiagonal *t)
{
    size_t bytes = 0;
    for (int i = 0; i < t->nlevels; ++i) bytes += t->level[i].next ? t->level[i].next->bytes : 0;
    return bytes;
}

void rw_tridiagonal_explain(const rw_tridiagonal *t, rw_text *text)
{
    const level *l = t->level;
    rw_text_add(text, "%lld lines of %d, %s, %s%s: %d launches, %.4g bytes per element\n",
                (long long)(l->outer * l->inner / t->parts), l->n, rw_dtype_name(t->spec.dtype),
                l->matrix == FULL ? "a matrix each" : "tables", t->spec.cyclic ? ", cyclic" : "",
                rw_tridiagonal_launches(t), rw_tridiagonal_traffic(t) / elements_of(l) * t->parts);
    static const char *const layouts[] = {"neighbouring lines in place", "several lines, transposed",
                                          "chunks in their order, transposed"};
    for (int i = 0; i < t->nlevels; ++i)
        rw_text_add(text, "  %d row%s in %d chunk%s of %d, items: %s\n", l[i].n, l[i].n == 1 ? "" : "s", l[i].chunks,
                    l[i].chunks == 1 ? "" : "s", l[i].m, layouts[l[i].layout]);
}
