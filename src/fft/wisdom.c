/* Wisdom: the choices that tuning found for a device, for all plans of the process. It is read once from the cache on
 * disk and written there after tuning; as text it can be copied to other machines. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "fft/choice.h"

typedef struct entry {
    char key[RW_FFT_KEY], value[RW_FFT_KEY];
} entry;

/* Wisdom of a kind of device. */
typedef struct wisdom {
    struct wisdom *next;
    char device[256];
    int n, capacity;
    entry *entries;
} wisdom;

static wisdom *all; /* under lock, for the life of the process */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char first_line[] = "rechenwerk wisdom of transforms, 1\n";
static const char suffix[] = ".fft";

/* Hardware of the same name has the same wisdom, whatever its driver. */
static void name_device(const rw_device *dev, char *text, size_t size)
{
    snprintf(text, size, "%s %s, %d units%s", dev->info.kind, dev->info.hardware, dev->target.units,
             rw_device_has_threads(dev) && !dev->info.gpu ? ", kernels of a GPU" : "");
    for (char *c = text; *c; ++c)
        if (*c == '\n' || *c == '\r') *c = ' ';
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static entry *find(const wisdom *w, const char *key)
{
    for (int i = 0; i < w->n; ++i)
        if (!strcmp(w->entries[i].key, key)) return w->entries + i;
    return NULL;
}

static rw_status put(rw_context *ctx, wisdom *w, const char *key, const char *value)
{
    entry *e = find(w, key);
    if (!value) {
        if (e) *e = w->entries[--w->n];
        return RW_OK;
    }
    if (!e && w->n == w->capacity) {
        const int capacity = RW_MAX(16, 2 * w->capacity);
        entry *entries = rw_realloc(w->entries, (size_t)capacity * sizeof *entries);
        if (!entries) return rw_fail_memory(ctx, (size_t)capacity * sizeof *entries, "wisdom");
        w->entries = entries;
        w->capacity = capacity;
    }
    if (!e) {
        e = w->entries + w->n++;
        snprintf(e->key, sizeof e->key, "%s", key);
    }
    snprintf(e->value, sizeof e->value, "%s", value);
    return RW_OK;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void write_text(const wisdom *w, rw_text *t)
{
    char sum[65];
    rw_text_add(t, "%sdevice = %s\n", first_line, w->device);
    for (int i = 0; i < w->n; ++i) rw_text_add(t, "%s = %s\n", w->entries[i].key, w->entries[i].value);
    if (t->failed) return;
    rw_sha256_hex(t->data, t->length, sum);
    rw_text_add(t, "sha256 = %s\n", sum);
}

/* Whether this version knows the key and the value is valid. */
static bool is_entry(const char *key, const char *value)
{
    rw_fft_choice c;
    rw_fft_matrix m;
    long long n = 0;
    if (strlen(key) >= RW_FFT_KEY || strlen(value) >= RW_FFT_KEY) return false;
    if (sscanf(key, "pass %lld ", &n) == 1) return rw_fft_choice_parse(value, &c);
    return sscanf(key, "axis %lld ", &n) == 1 && n > 0 && rw_fft_matrix_parse(value, n, &m);
}

static rw_status damaged(rw_context *ctx, int line, const char *what)
{
    return rw_fail(ctx, RW_ERR_FILE, "wisdom, line %d: %s: export the wisdom again, or tune", line, what);
}

/* Reads the lines KEY = VALUE of a complete text; `into` NULL: only checks them. */
static rw_status read_lines(rw_context *ctx, char *text, const char *device, wisdom *into)
{
    int line = 0;
    for (char *next, *at = text; *at; at = next) {
        char *end = strchr(at, '\n'), *equals;
        next = end + 1;
        *end = 0;
        ++line;
        rw_status status = RW_OK;
        equals = strstr(at, " = ");
        if (line > 1 && equals) {
            *equals = 0;
            const char *value = equals + 3;
            if (line == 2 && strcmp(at, "device")) status = damaged(ctx, line, "\"device = …\" is expected");
            else if (line == 2 && strcmp(value, device))
                status = rw_fail(ctx, RW_ERR_ARGUMENT,
                                 "the wisdom is for the device \"%.200s\", this device is \"%s\": tune on this device",
                                 value, device);
            else if (line > 2 && strcmp(at, "sha256") && !is_entry(at, value))
                status = damaged(ctx, line, "this version does not know the entry");
            else if (line > 2 && strcmp(at, "sha256") && into) status = put(ctx, into, at, value);
            *equals = ' ';
        } else if (line > 1) {
            status = damaged(ctx, line, "\"KEY = VALUE\" is expected");
        }
        *end = '\n';
        RW_TRY(status);
    }
    return line < 3 ? damaged(ctx, line + 1, "the text ends too early") : RW_OK;
}

/* All or nothing. */
static rw_status read_text(rw_context *ctx, const char *text, size_t n, wisdom *w)
{
    static const char last_line[] = "sha256 = ";
    const size_t last = strlen(last_line) + 64 + 1, first = strlen(first_line);
    char sum[65];
    if (n < first || memcmp(text, first_line, first))
        return damaged(ctx, 1, "the text is not wisdom of transforms, or it is from another version");
    if (memchr(text, 0, n) || n < first + last || memcmp(text + n - last, last_line, strlen(last_line)) ||
        text[n - 1] != '\n' || text[n - last - 1] != '\n')
        return rw_fail(
            ctx, RW_ERR_FILE,
            "wisdom: the last line, \"sha256 = …\", is missing or incomplete: export the wisdom again, or tune");
    rw_sha256_hex(text, n - last, sum);
    if (memcmp(text + n - 65, sum, 64))
        return rw_fail(
            ctx, RW_ERR_FILE,
            "wisdom: the text was changed: its checksum differs from the last line: export the wisdom again, or tune");
    char *copy = rw_calloc(n + 1, 1);
    if (!copy) return rw_fail_memory(ctx, n + 1, "wisdom");
    memcpy(copy, text, n);
    rw_status status = read_lines(ctx, copy, w->device, NULL);
    if (status == RW_OK) status = read_lines(ctx, copy, w->device, w);
    rw_free(copy);
    return status;
}

/* ---- of a device ------------------------------------------------------------------------------------------------- */

static void cache_key(const char *device, char key[65]) { rw_sha256_hex(device, strlen(device), key); }

/* Loads wisdom from the cache on disk; a damaged text is ignored. */
static void load(rw_context *ctx, wisdom *w)
{
    char key[65];
    rw_text text = {0};
    cache_key(w->device, key);
    if (rw_cache_load(ctx, key, suffix, &text) == RW_OK && read_text(ctx, text.data, text.length, w) != RW_OK)
        rw_log(ctx, RW_LOG_WARNING, "%s", rw_message(ctx));
    rw_text_free(&text);
}

/* Call under the lock. NULL: out of memory. */
static wisdom *of_device(rw_device *dev)
{
    char device[sizeof all->device];
    name_device(dev, device, sizeof device);
    for (wisdom *w = all; w; w = w->next)
        if (!strcmp(w->device, device)) return w;
    wisdom *w = rw_calloc(1, sizeof *w);
    if (!w) {
        rw_fail_memory(dev->ctx, sizeof *w, "wisdom");
        return NULL;
    }
    memcpy(w->device, device, sizeof device);
    load(dev->ctx, w);
    w->next = all;
    all = w;
    return w;
}

bool rw_fft_wisdom_find(rw_device *dev, const char *key, char value[RW_FFT_KEY])
{
    pthread_mutex_lock(&lock);
    const wisdom *w = of_device(dev);
    const entry *e = w ? find(w, key) : NULL;
    if (e) memcpy(value, e->value, sizeof e->value);
    pthread_mutex_unlock(&lock);
    return e != NULL;
}

rw_status rw_fft_wisdom_put(rw_device *dev, const char *key, const char *value)
{
    pthread_mutex_lock(&lock);
    wisdom *w = of_device(dev);
    rw_status status = w ? put(dev->ctx, w, key, value) : RW_ERR_MEMORY;
    pthread_mutex_unlock(&lock);
    return status;
}

static rw_status as_text(rw_device *dev, rw_text *text, char key[65])
{
    pthread_mutex_lock(&lock);
    const wisdom *w = of_device(dev);
    if (w) {
        write_text(w, text);
        cache_key(w->device, key);
    }
    pthread_mutex_unlock(&lock);
    return !w ? RW_ERR_MEMORY : text->failed ? rw_fail_memory(dev->ctx, text->length, "wisdom") : RW_OK;
}

rw_status rw_fft_wisdom_keep(rw_device *dev)
{
    rw_text text = {0};
    char key[65];
    rw_status status = as_text(dev, &text, key);
    if (status == RW_OK) rw_cache_store(dev->ctx, key, suffix, &text);
    rw_text_free(&text);
    return status;
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

rw_status rw_fft_wisdom_export(rw_device *dev, char **text)
{
    RW_NEED(text, "text");
    *text = NULL;
    RW_NEED(dev, "device");
    rw_text t = {0};
    char key[65];
    rw_status status = as_text(dev, &t, key);
    if (status == RW_OK) *text = t.data;
    else rw_text_free(&t);
    return status;
}

rw_status rw_fft_wisdom_import(rw_device *dev, const char *text, int64_t n)
{
    RW_NEED(dev, "device");
    RW_NEED(text, "text");
    if (n < 0)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "rw_fft_wisdom_import: n = %lld bytes is negative", (long long)n);
    pthread_mutex_lock(&lock);
    wisdom *w = of_device(dev);
    rw_status status = w ? read_text(dev->ctx, text, (size_t)n, w) : RW_ERR_MEMORY;
    pthread_mutex_unlock(&lock);
    return status == RW_OK ? rw_fft_wisdom_keep(dev) : status;
}

rw_status rw_fft_wisdom_load(rw_device *dev, const char *path)
{
    enum { MOST = 1 << 24 };
    char *text;
    size_t n;
    RW_NEED(dev, "device");
    RW_NEED(path, "path");
    RW_TRY(rw_file_read(dev->ctx, path, MOST, &text, &n));
    rw_status status = rw_fft_wisdom_import(dev, text, (int64_t)n);
    rw_free(text);
    if (status == RW_OK) return RW_OK;
    char why[512];
    snprintf(why, sizeof why, "%s", rw_message(dev->ctx));
    return rw_fail(dev->ctx, status, "%s: %s", path, why);
}

rw_status rw_fft_wisdom_save(rw_device *dev, const char *path)
{
    char *text;
    RW_NEED(dev, "device");
    RW_NEED(path, "path");
    RW_TRY(rw_fft_wisdom_export(dev, &text));
    rw_status status = rw_file_write(dev->ctx, path, text, strlen(text));
    free(text);
    return status;
}

rw_status rw_fft_wisdom_forget(rw_device *dev)
{
    RW_NEED(dev, "device");
    pthread_mutex_lock(&lock);
    wisdom *w = of_device(dev);
    if (w) w->n = 0;
    pthread_mutex_unlock(&lock);
    return w ? rw_fft_wisdom_keep(dev) : RW_ERR_MEMORY;
}
