/* What a device has done so far: copies, launches, compilations. */
#include "device/device.h"

rw_counters rw_counters_of(const rw_device *dev)
{
    rw_device *d = (rw_device *)dev; /* only its lock is touched */
    const rw_counters *from = &dev->counters;
    rw_counters c;
    int64_t *to = (int64_t *)&c;
    pthread_mutex_lock(&d->lock);
    c.compile_seconds = from->compile_seconds;
    pthread_mutex_unlock(&d->lock);
    for (size_t i = 0; i < offsetof(rw_counters, compile_seconds) / sizeof *to; ++i) /* rw_count takes no lock */
        to[i] = __atomic_load_n((const int64_t *)from + i, __ATOMIC_RELAXED);
    return c;
}

rw_status rw_device_get_counters_sized(const rw_device *dev, rw_counters *counters, size_t counters_size)
{
    RW_NEED(dev, "device");
    RW_NEED(counters, "counters");
    const rw_counters c = rw_counters_of(dev);
    return rw_struct_out(RW_OK, counters, counters_size, &c, sizeof c);
}

void rw_count_seconds(rw_device *dev, double compiling)
{
    pthread_mutex_lock(&dev->lock);
    dev->counters.compile_seconds += compiling;
    pthread_mutex_unlock(&dev->lock);
}

void rw_count(rw_device *dev RW_UNUSED, int64_t *counter, int64_t n)
{
    __atomic_add_fetch(counter, n, __ATOMIC_RELAXED);
}
