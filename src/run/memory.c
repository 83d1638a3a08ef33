/* How much memory a case may still take, so that one that is too large is refused before anything is allocated.
 *
 * On the host that is what is available now, on other devices what the driver said when the device was opened. */
#include "run/memory.h"
#include "device/device.h"

#include <stdio.h>

int64_t rw_memory_available(const rw_device *device)
{
    int64_t host = device->ops->host ? rw_host_available() : -1;
    return host < 0 ? device->info.memory_free : host;
}

void rw_memory_text(int64_t bytes, char text[32])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double x = (double)bytes;
    int i = 0;
    while (x >= 1024 && i < RW_COUNT(units) - 1) {
        x /= 1024;
        i++;
    }
    snprintf(text, 32, i ? "%.1f %s" : "%.0f %s", x, units[i]);
}

rw_status rw_memory_check(rw_context *ctx, const char *what, const rw_device *device, int64_t needed)
{
    int64_t available = rw_memory_available(device);
    char wanted[32], had[32];
    if (available <= 0 || needed <= available) return RW_OK; /* 0: unknown */
    rw_memory_text(needed, wanted);
    rw_memory_text(available, had);
    return rw_fail(ctx, RW_ERR_MEMORY,
                   "%s needs %s on %s (%s), which has %s free: choose a smaller size, a lower "
                   "precision, or another device with -d",
                   what, wanted, rw_device_info(device)->name, rw_device_info(device)->hardware, had);
}
