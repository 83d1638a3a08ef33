/* Devices: the list of all kinds, opening by name. The kinds themselves are in the neighbouring folders; no other file
 * knows which there are. */
#include <string.h>

#include "device/device.h"

static const rw_device_ops *const kinds[] = {&rw_cpu_ops, &rw_cuda_ops, &rw_opencl_ops, &rw_check_ops};
enum { MAX_A_KIND = 32 };

/* NULL: there is none of that name. */
static const rw_device_ops *find_kind(const char *kind)
{
    for (int k = 0; k < RW_COUNT(kinds); ++k)
        if (!strcmp(kinds[k]->kind, kind)) return kinds[k];
    return NULL;
}

rw_status rw_device_list_sized(rw_context *ctx, rw_device_properties **list, int64_t *count, size_t element_size)
{
    RW_NEED(list, "list");
    RW_NEED(count, "count");
    *list = NULL;
    *count = 0;
    RW_NEED(ctx, "context");
    rw_device_properties *all = rw_calloc(RW_COUNT(kinds) * MAX_A_KIND, sizeof *all);
    if (!all) return rw_fail_memory(ctx, RW_COUNT(kinds) * MAX_A_KIND * sizeof *all, "the list of devices");
    int n = 0;
    for (int k = 0; k < RW_COUNT(kinds); ++k) {
        char reason[256] = "";
        int found = kinds[k]->list(ctx, all + n, MAX_A_KIND, reason, sizeof reason);
        if (found == 0) { /* one row that says why this kind is missing */
            snprintf(all[n].name, sizeof all[n].name, "%s", kinds[k]->kind);
            snprintf(all[n].kind, sizeof all[n].kind, "%s", kinds[k]->kind);
            snprintf(all[n].unusable, sizeof all[n].unusable, "%s", reason);
            ++n;
            continue;
        }
        for (int i = 0; i < found; ++i) {
            rw_device_properties *p = all + n;
            int same = -1; /* the same hardware under an earlier name */
            for (int j = 0; j < n && same < 0; ++j)
                if (p->identity[0] && !strcmp(all[j].identity, p->identity) && !all[j].unusable[0]) same = j;
            if (same >= 0 && !p->unusable[0]) {
                if (!all[same].also[0]) memcpy(all[same].also, p->name, sizeof all[same].also);
                memmove(p, p + 1, (size_t)(found - i - 1) * sizeof *p);
                memset(p + (found - i - 1), 0, sizeof *p);
            } else {
                ++n;
            }
        }
    }
    void *out = all;
    RW_TRY(rw_struct_out_array(ctx, &out, n, sizeof *all, element_size));
    *list = out;
    *count = n;
    return RW_OK;
}

void rw_device_list_free(rw_device_properties **list)
{
    if (!list) return;
    rw_free(*list);
    *list = NULL;
}

/* ---- what kernels are written for -------------------------------------------------------------------------------- */

static rw_device_class class_for(const rw_device_properties *info, rw_tiling_option tiling)
{
    switch (tiling) {
    case RW_TILING_CPU:
    case RW_TILING_STREAM: return RW_PROCESSOR;
    case RW_TILING_GPU:
    case RW_TILING_FUSED: return RW_GPU;
    default: return info->gpu ? RW_GPU : RW_PROCESSOR;
    }
}

rw_target rw_target_of(const rw_device_properties *info, rw_tiling_option tiling)
{
    const rw_device_ops *ops = find_kind(info->kind);
    rw_target t = {class_for(info, tiling), tiling,      info->units,   info->group_max,
                   info->shared_memory,     info->cache, info->cluster, ops && ops->single_item};
    if (ops && ops->group_most) t.group_most = ops->group_most;
    if (ops && ops->shared_most) t.shared_memory = ops->shared_most;
    return t;
}

/* A processor's sums are the same for any number of threads. */
int64_t rw_target_reducing_groups(const rw_target *t, int items)
{
    enum { ITEMS_A_UNIT = 4096, GROUPS = 256 };
    return t->class == RW_GPU ? (int64_t)RW_MAX(t->units, 16) * ITEMS_A_UNIT / items : GROUPS;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Its name with the option, so that it opens the same once more. */
static void set_target(rw_device *dev, rw_tiling_option tiling)
{
    size_t n = strlen(dev->info.name);
    dev->target = rw_target_of(&dev->info, tiling);
    if (tiling) snprintf(dev->info.name + n, sizeof dev->info.name - n, ":tiling=%s", rw_tiling_word(tiling));
}

/* In `given`, a context of the driver; NULL: in one of its own. */
static rw_status open_in(rw_context *ctx, const rw_device_ops *ops, int index, rw_tiling_option tiling, void *given,
                         rw_device **device)
{
    rw_device *dev = rw_calloc(1, sizeof *dev);
    if (!dev) return rw_fail_memory(ctx, sizeof *dev, "a device");
    dev->references = 1;
    dev->ctx = rw_context_retain(ctx);
    dev->ops = ops;
    dev->given = given;
    pthread_mutex_init(&dev->lock, NULL);
    const rw_fd_guard low = rw_fd_guard_enter(); /* drivers keep files open */
    rw_status status = ops->open(dev, index);
    rw_fd_guard_leave(low);
    if (status == RW_OK && (status = rw_queue_create(dev, &dev->queue)) != RW_OK) ops->close(dev);
    if (status != RW_OK) {
        pthread_mutex_destroy(&dev->lock);
        rw_context *held = dev->ctx;
        rw_free(dev);
        rw_context_destroy(&held);
        return status;
    }
    dev->references = 1; /* its own queue holds no reference */
    set_target(dev, tiling);
    rw_orphan_add(dev);
    *device = dev;
    return RW_OK;
}

/* cuda:0 if it opens, else an OpenCL GPU, else the cpu. */
static rw_status open_auto(rw_context *ctx, rw_tiling_option tiling, rw_device **device)
{
    if (open_in(ctx, &rw_cuda_ops, 0, tiling, NULL, device) == RW_OK) return RW_OK;
    rw_device_properties list[MAX_A_KIND] = {0};
    char reason[256];
    int n = rw_opencl_ops.list(ctx, list, MAX_A_KIND, reason, sizeof reason);
    for (int i = 0; i < n; ++i)
        if (list[i].gpu && !list[i].unusable[0] && open_in(ctx, &rw_opencl_ops, i, tiling, NULL, device) == RW_OK)
            return RW_OK;
    return open_in(ctx, &rw_cpu_ops, -1, tiling, NULL, device);
}

rw_status rw_device_open(rw_context *ctx, const char *name, rw_device **device)
{
    RW_NEED(device, "device");
    *device = NULL;
    RW_NEED(ctx, "context");
    if (!name)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "rw_device_open: name is NULL: give a device name, or \"auto\" to select a device");
    rw_device_name n;
    RW_TRY(rw_device_name_parse(ctx, name, &n));
    if (!strcmp(n.kind, "auto") && n.index < 0) return open_auto(ctx, n.tiling, device);
    const rw_device_ops *ops = find_kind(n.kind);
    return ops ? open_in(ctx, ops, n.index, n.tiling, NULL, device) : rw_device_name_unknown(ctx, name);
}

rw_status rw_device_open_native(rw_context *ctx, const char *name, void *native, rw_device **device)
{
    RW_NEED(device, "device");
    *device = NULL;
    RW_NEED(ctx, "context");
    RW_NEED(name, "name");
    RW_NEED(native, "native");
    rw_device_name n;
    RW_TRY(rw_device_name_parse(ctx, name, &n));
    const rw_device_ops *ops = find_kind(n.kind);
    if (!ops || !ops->accepts_context)
        return rw_fail(
            ctx, RW_ERR_UNSUPPORTED,
            "rw_device_open_native: \"%s\" does not accept a context, only opencl:N does: use rw_device_open", name);
    return open_in(ctx, ops, n.index, n.tiling, native, device);
}

rw_status rw_device_get_native(const rw_device *dev, void **native)
{
    RW_NEED(native, "native");
    *native = NULL;
    RW_NEED(dev, "device");
    *native = dev->ops->native ? dev->ops->native(dev) : NULL;
    return RW_OK;
}

const rw_device_properties *rw_device_info(const rw_device *dev) { return dev ? &dev->info : NULL; }
rw_context *rw_device_context(const rw_device *dev) { return dev ? dev->ctx : NULL; }
rw_queue *rw_device_queue(rw_device *dev) { return dev ? dev->queue : NULL; }
