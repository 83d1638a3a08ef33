/* What is known of a device's speed: numbers by name, measured by runs, benchmarks and the self-test, in the cache on
 * disk. Lines "NAME a b", the newest first; those of hardware of the same name are one entry. Without a cache nothing
 * is known. Two processes at once: the last writer's lines stay. */
#include <math.h>
#include <string.h>

#include "device/device.h"

enum { MOST = 300 }; /* lines */
static const char suffix[] = ".rates";

static void key_of(rw_device *dev, char key[65])
{
    char device[256];
    const int n =
        snprintf(device, sizeof device, "rates 1 %.20s %.160s %d", dev->info.kind, dev->info.hardware, dev->info.units);
    rw_sha256_hex(device, (size_t)RW_MIN(n, (int)sizeof device - 1), key);
}

/* The line that begins with NAME and a blank; NULL: there is none. */
static char *find(char *text, const char *name)
{
    const size_t n = strlen(name);
    for (char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, name, n) && line[n] == ' ') return line;
    return NULL;
}

static bool load(rw_device *dev, rw_text *text)
{
    char key[65];
    key_of(dev, key);
    if (rw_cache_load(dev->ctx, key, suffix, text) != RW_OK || !text->data) return false;
    rw_text_add(text, "%s", ""); /* ends the text */
    return !text->failed;
}

bool rw_rate_find(rw_device *dev, const char *name, double value[2])
{
    rw_text text = {0};
    char *line = load(dev, &text) ? find(text.data, name) : NULL, *rest = line ? line + strlen(name) : NULL, *end;
    for (int i = 0; rest && i < 2; ++i) {
        value[i] = rw_strtod(rest, &end);
        rest = end == rest || !(value[i] >= 0) ? NULL : end;
    }
    rw_text_free(&text);
    return rest != NULL;
}

void rw_rate_store(rw_device *dev, const char *name, const double value[2])
{
    rw_text old = {0}, text = {0};
    char key[65];
    const bool known = load(dev, &old);
    const char *skip = known ? find(old.data, name) : NULL;
    rw_text_add(&text, "%s %.17g %.17g\n", name, value[0], value[1]);
    int n = 1;
    for (const char *line = known ? old.data : "", *end; *line && n < MOST && (end = strchr(line, '\n'));
         line = end + 1)
        if (line != skip) {
            rw_text_add(&text, "%.*s\n", (int)(end - line), line);
            n++;
        }
    key_of(dev, key);
    if (!text.failed) rw_cache_store(dev->ctx, key, suffix, &text);
    rw_text_free(&old);
    rw_text_free(&text);
}

/* One direction of a copy, from and to memory that is larger than caches. */
static rw_status time_copies(rw_device *dev, rw_array *a, rw_array *b, double *best)
{
    enum { TIMES = 5 };
    rw_queue *q = rw_device_queue(dev);
    *best = INFINITY;
    for (int i = 0; i < TIMES; ++i) {
        const double begin = rw_seconds();
        RW_TRY(rw_array_copy(i % 2 ? a : b, i % 2 ? b : a, q));
        RW_TRY(rw_queue_wait(q));
        if (i > 0) *best = fmin(*best, rw_seconds() - begin); /* the first takes pages and compiles */
    }
    return RW_OK;
}

rw_status rw_rate_measure(rw_device *dev)
{
    const int64_t n = strcmp(dev->info.kind, "check") == 0 ? 1 << 10 : dev->info.gpu ? 1 << 26 : 1 << 23;
    rw_array *a = NULL, *b = NULL;
    void *data;
    double best;
    rw_status status = rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &a);
    if (status == RW_OK) status = rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &b);
    if (status == RW_OK) status = rw_array_write(a, &data);
    if (status == RW_OK) {
        memset(data, 0, (size_t)n * sizeof(double));
        status = time_copies(dev, a, b, &best);
    }
    if (status == RW_OK && best > 0) rw_rate_store(dev, "copy", (double[2]){2 * (double)n * sizeof(double) / best, 0});
    rw_array_destroy(&a);
    rw_array_destroy(&b);
    return status;
}
