/* How much memory a case may still take, so that one that is too large is refused before anything is allocated.
 *
 * On the host that is what the kernel calls available (free, or free at once), within the limits of the control groups
 * that a container or a batch system sets. On other devices it is what the driver said when the device was opened. */
#include "problem/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number behind `key` in a small file of the kernel, times `unit`; -1 when there is none ("max"). */
static int64_t read_number(const char *path, const char *key, int64_t unit)
{
    char line[256];
    int64_t value = -1;
    FILE *file = fopen(path, "re");
    if (!file) return -1;
    while (value < 0 && fgets(line, sizeof(line), file)) {
        char *end, *p = line + strlen(key);
        if (strncmp(line, key, strlen(key)) != 0) continue;
        int64_t n = strtoll(p, &end, 10);
        if (end != p && n >= 0 && n < INT64_MAX / unit) value = n * unit;
    }
    fclose(file);
    return value;
}

/* Limit less use of the control group, in version 2 or 1 of its files; -1: none. */
static int64_t group_available(void)
{
    static const struct { const char *limit, *use, *stat, *reclaimable; } files[] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat", "inactive_file "},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
         "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file "},
    };
    for (int i = 0; i < RW_COUNT(files); i++) {
        int64_t limit = read_number(files[i].limit, "", 1), use = read_number(files[i].use, "", 1);
        int64_t cached = read_number(files[i].stat, files[i].reclaimable, 1);
        if (limit >= 0 && use >= 0) return RW_MAX(0, limit - use + RW_MAX(cached, 0));
    }
    return -1;
}

int64_t rw_memory_available(const rw_device *device)
{
    const rw_device_properties *info = rw_device_info(device);
    int64_t host = read_number("/proc/meminfo", "MemAvailable:", 1024), group = group_available();
    bool on_host = strcmp(info->kind, "cpu") == 0 || strcmp(info->kind, "check") == 0;
    if (!on_host) return info->memory_free;
    if (group >= 0 && (host < 0 || group < host)) return group;
    return host < 0 ? info->memory_free : host;
}

void rw_memory_text(int64_t bytes, char text[32])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double x = (double)bytes;
    int i = 0;
    while (x >= 1024 && i < RW_COUNT(units) - 1) x /= 1024, i++;
    snprintf(text, 32, i ? "%.1f %s" : "%.0f %s", x, units[i]);
}

rw_status rw_memory_check(rw_context *ctx, const char *what, const rw_device *device, int64_t needed)
{
    int64_t available = rw_memory_available(device);
    char wanted[32], had[32];
    if (available <= 0 || needed <= available) return RW_OK; /* 0: unknown */
    rw_memory_text(needed, wanted);
    rw_memory_text(available, had);
    return rw_fail(ctx, RW_ERR_MEMORY, "%s needs %s on %s (%s), which has %s free: choose a smaller size, a lower "
                   "precision, or another device with -d", what, wanted, rw_device_info(device)->name,
                   rw_device_info(device)->hardware, had);
}
