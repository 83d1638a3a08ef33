/* Images in host memory that exceed the device memory: bands of rows, each with the halo rows that the chain reads; two
 * bands are processed at a time. */
#include <string.h>

#include "image/image.h"

enum { SLOTS = 2 };

typedef struct slot {
    rw_queue *queue;
    rw_image_filter *filter;
    rw_array *x, *y;
    int64_t rows;         /* that the filter is planned for */
    int64_t first, count; /* rows of the result that are in flight */
    int64_t above;        /* rows before them in the band */
    bool busy;
} slot;

typedef struct tiles {
    rw_context *ctx;
    rw_device *device;
    rw_image_spec spec;
    rw_image_info info;   /* of the whole image */
    int64_t reach, band;  /* rows that the chain reads on each side; of a band's result */
    int64_t x_row, y_row; /* bytes */
    bool wraps;
    const char *x;
    char *y;
    slot slot[SLOTS];
} tiles;

/* Computes the halo: rows on each side that a result depends on. ERR_UNSUPPORTED: all rows. */
static rw_status find_reach(tiles *t)
{
    rw_image_chain chain;
    rw_image_plan *plan = rw_calloc(1, sizeof *plan);
    if (!plan) return rw_fail_memory(t->ctx, sizeof *plan, "the plan of a filter");
    const rw_image_spec *s = &t->spec;
    *plan = (rw_image_plan){.ctx = t->ctx,
                            .dtype = s->dtype,
                            .y_dtype = s->y_dtype,
                            .channels = s->channels,
                            .width = s->width,
                            .height = s->height,
                            .alpha = s->alpha};
    rw_status status = rw_image_chain_create(t->ctx, s, &chain);
    if (status == RW_OK) status = rw_image_lower(plan, chain.ops, chain.nops);
    rw_image_chain_free(&chain);
    for (int k = 0; status == RW_OK && k < plan->npasses; ++k) {
        const rw_image_pass *p = plan->pass + k;
        if (!p->ops->rows || p->limits || p->counts)
            status = rw_fail(
                t->ctx, RW_ERR_UNSUPPORTED,
                "filter: %s needs the whole image at once, which exceeds the memory of %s: choose a device with more "
                "memory",
                p->limits || p->counts ? "normalize, equalize, otsu or histogram" : p->stage[p->nstages - 1].name,
                t->device->info.name);
        for (int i = 1; i < p->nstages; ++i) {
            if (!p->stage[i].ry) continue;
            const bool wraps = p->stage[i].border == RW_IMAGE_BORDER_WRAP;
            if (status == RW_OK && t->reach && wraps != t->wraps)
                status = rw_fail(
                    t->ctx, RW_ERR_UNSUPPORTED,
                    "filter: a chain that runs in tiles cannot combine border wrap with other borders: choose one "
                    "border for all operations");
            t->reach += p->stage[i].ry;
            t->wraps = wraps;
        }
    }
    t->info = (rw_image_info){.passes = plan->npasses,
                              .width = s->width,
                              .height = s->height,
                              .channels = plan->y_channels,
                              .dtype = plan->y_dtype};
    rw_image_plan_free(plan);
    rw_free(plan);
    return status;
}

/* The number of rows for which x, y and the memory between passes of all slots fit into `most` bytes. */
static rw_status choose_band(tiles *t, int64_t most)
{
    const rw_image_spec *s = &t->spec;
    t->x_row = s->width * s->channels * (int64_t)rw_dtype_size(s->dtype);
    t->y_row = s->width * t->info.channels * (int64_t)rw_dtype_size(t->info.dtype);
    const int64_t between = t->info.passes > 1 ? 2 * s->width * RW_MAX(s->channels, t->info.channels) * 8 : 0;
    const int64_t rows = most / (SLOTS * (t->x_row + t->y_row + between)) - 2 * t->reach;
    t->band = RW_MIN(rows, s->height);
    if (t->band >= 1 || !s->height) return RW_OK;
    return rw_fail(
        t->ctx, RW_ERR_MEMORY,
        "filter: %lld bytes are too few for one row of %lld pixels with a halo of %lld rows on each side: at least "
        "%lld bytes are needed",
        (long long)most, (long long)s->width, (long long)t->reach,
        (long long)(SLOTS * (t->x_row + t->y_row + between) * (2 * t->reach + 1)));
}

/* A band of x is read after bands of y above it have been written. */
static rw_status check_memory(tiles *t, int64_t bytes)
{
    const rw_image_spec *s = &t->spec;
    const uintptr_t x = (uintptr_t)t->x, y = (uintptr_t)t->y;
    const int64_t pixels = s->width * s->height, x_bytes = pixels * s->channels * (int64_t)rw_dtype_size(s->dtype),
                  y_bytes = pixels * t->info.channels * (int64_t)rw_dtype_size(t->info.dtype);
    if (bytes < 0)
        return rw_fail(t->ctx, RW_ERR_ARGUMENT,
                       "filter: bytes = %lld: must be 0 (half of the free device memory) or a number of bytes above 0",
                       (long long)bytes);
    if (x < y + (uintptr_t)y_bytes && y < x + (uintptr_t)x_bytes)
        return rw_fail(t->ctx, RW_ERR_ARGUMENT,
                       "filter: x and y share memory: tiles read rows of x after they have written rows of y: choose a "
                       "y that does not overlap x");
    return RW_OK;
}

static rw_status plan_slot(tiles *t, slot *s, int64_t rows)
{
    if (s->filter && s->rows == rows) return RW_OK;
    rw_image_filter_destroy(&s->filter);
    rw_array_destroy(&s->x);
    rw_array_destroy(&s->y);
    rw_image_spec spec = t->spec;
    const int64_t x[] = {rows, spec.width, spec.channels}, y[] = {rows, spec.width, t->info.channels};
    spec.height = rows;
    spec.y_dtype = t->info.dtype;
    RW_TRY(rw_image_filter_create(t->device, &spec, &s->filter));
    RW_TRY(rw_array_create(t->device, spec.dtype, 3, x, RW_MEMORY_PINNED, &s->x));
    RW_TRY(rw_array_create(t->device, spec.y_dtype, 3, y, RW_MEMORY_PINNED, &s->y));
    s->rows = rows;
    return RW_OK;
}

static rw_status finish(tiles *t, slot *s)
{
    const void *result;
    if (!s->busy) return RW_OK;
    s->busy = false;
    RW_TRY(rw_array_read(s->y, &result));
    memcpy(t->y + s->first * t->y_row, (const char *)result + s->above * t->y_row, (size_t)(s->count * t->y_row));
    return RW_OK;
}

static rw_status start(tiles *t, slot *s, int64_t first)
{
    const int64_t h = t->spec.height, end = RW_MIN(first + t->band, h);
    const int64_t from = t->wraps ? first - t->reach : RW_MAX(first - t->reach, 0),
                  to = t->wraps ? end + t->reach : RW_MIN(end + t->reach, h);
    void *band;
    RW_TRY(plan_slot(t, s, to - from));
    RW_TRY(rw_array_write(s->x, &band));
    if (!t->wraps) memcpy(band, t->x + from * t->x_row, (size_t)((to - from) * t->x_row));
    for (int64_t j = from; t->wraps && j < to; ++j)
        memcpy((char *)band + (j - from) * t->x_row, t->x + (j % h + h) % h * t->x_row, (size_t)t->x_row);
    RW_TRY(rw_array_send(s->x, s->queue));
    RW_TRY(rw_image_filter_execute(s->filter, s->x, s->y, s->queue));
    RW_TRY(rw_array_fetch(s->y, s->queue));
    s->first = first;
    s->count = end - first;
    s->above = first - from;
    s->busy = true;
    return RW_OK;
}

static rw_status run(tiles *t)
{
    int turn = 0;
    for (int k = 0; k < SLOTS; ++k) RW_TRY(rw_queue_create(t->device, &t->slot[k].queue));
    for (int64_t first = 0; first < t->spec.height; first += t->band, turn = (turn + 1) % SLOTS) {
        RW_TRY(finish(t, t->slot + turn));
        RW_TRY(start(t, t->slot + turn, first));
    }
    for (int k = 0; k < SLOTS; ++k, turn = (turn + 1) % SLOTS) RW_TRY(finish(t, t->slot + turn));
    return RW_OK;
}

static rw_status filter(rw_device *dev, const rw_image_spec *spec, const void *x, void *y, int64_t bytes,
                        rw_image_info *info)
{
    if (spec->planar || spec->region.x || spec->region.y || spec->region.width || spec->region.height)
        return rw_fail(
            dev->ctx, RW_ERR_ARGUMENT,
            "filter: tiles support neither planar images nor a region: use interleaved channels and the whole image");
    tiles *t = rw_calloc(1, sizeof *t);
    if (!t) return rw_fail_memory(dev->ctx, sizeof *t, "the tiles of a filter");
    *t = (tiles){.ctx = dev->ctx, .device = dev, .spec = *spec, .x = x, .y = y};
    rw_status status = rw_image_check_spec(dev->ctx, &t->spec);
    if (status == RW_OK) status = find_reach(t);
    if (status == RW_OK) status = check_memory(t, bytes);
    if (status == RW_OK) status = choose_band(t, bytes > 0 ? bytes : dev->info.memory_free / 2);
    if (status == RW_OK) status = run(t);
    t->info.bytes = t->spec.height * (t->x_row + t->y_row);
    if (status == RW_OK && info) *info = t->info;
    for (int k = 0; k < SLOTS; ++k) {
        slot *s = t->slot + k;
        rw_image_filter_destroy(&s->filter);
        rw_array_destroy(&s->x);
        rw_array_destroy(&s->y);
        if (s->queue) rw_queue_destroy(&s->queue);
    }
    rw_free(t);
    return status;
}

rw_status rw_image_filter_tiles_sized(rw_device *dev, const rw_image_spec *given, const void *x, void *y, int64_t bytes,
                                      rw_image_info *info, size_t spec_size, size_t op_size, size_t info_size)
{
    RW_NEED(dev, "device");
    RW_NEED(given, "spec");
    RW_NEED(x, "x");
    RW_NEED(y, "y");
    rw_image_spec spec;
    void *ops;
    RW_TRY(rw_image_spec_take(dev->ctx, given, spec_size, op_size, &spec, &ops));
    RW_STRUCT_ROOM(rw_image_info, info, info_size);
    const rw_status status = filter(dev, &spec, x, y, bytes, info_whole);
    rw_free(ops);
    return RW_STRUCT_OUT(status, info, info_size);
}
