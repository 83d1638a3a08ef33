/* rechenwerk info: version, devices of this machine with what they can do or why they cannot be used, the cache. */
#include <string.h>

#include "command.h"
#include "rechenwerk/program.h"

static double gib(int64_t bytes) { return (double)bytes / (1024.0 * 1024 * 1024); }

static void print_device(const rw_device_properties *p)
{
    printf("%-10s %s\n", p->name, p->hardware);
    if (*p->unusable) {
        printf("           cannot be used: %s\n", p->unusable);
        return;
    }
    if (*p->driver) printf("           %s%s%s\n", p->driver, *p->version ? ", version " : "", p->version);
    printf("           %d compute units", p->units);
    if (p->clock_mhz) printf(", %d MHz", p->clock_mhz);
    if (p->memory) printf(", %.1f GiB", gib(p->memory));
    if (p->memory_free) printf(" (%.1f free)", gib(p->memory_free));
    if (p->shared_memory) printf(", %lld KiB shared memory per workgroup", (long long)p->shared_memory / 1024);
    if (p->group_max) printf(", workgroups of up to %d", p->group_max);
    printf(", width %d, %s%s\n", p->width, p->f64 ? "f32 f64" : "f32", p->managed ? ", managed memory" : "");
    if (*p->also) printf("           also %s\n", p->also);
}

static void add_device(rw_json_writer *w, const rw_device_properties *p)
{
    rw_json_object(w);
    rw_json_add_string(w, "name", p->name);
    rw_json_add_string(w, "also", p->also);
    rw_json_add_string(w, "kind", p->kind);
    rw_json_add_string(w, "hardware", p->hardware);
    rw_json_add_string(w, "driver", p->driver);
    rw_json_add_string(w, "version", p->version);
    rw_json_add_string(w, "identity", p->identity);
    rw_json_add_integer(w, "units", p->units);
    rw_json_add_integer(w, "clock_mhz", p->clock_mhz);
    rw_json_add_integer(w, "memory", p->memory);
    rw_json_add_integer(w, "memory_free", p->memory_free);
    rw_json_add_integer(w, "shared_memory", p->shared_memory);
    rw_json_add_integer(w, "cache", p->cache);
    rw_json_add_integer(w, "group_max", p->group_max);
    rw_json_add_integer(w, "width", p->width);
    rw_json_add_bool(w, "f64", p->f64);
    rw_json_add_bool(w, "managed", p->managed);
    rw_json_add_bool(w, "mapped", p->mapped);
    rw_json_add_bool(w, "gpu", p->gpu);
    rw_json_add_string(w, "unusable", p->unusable);
    rw_json_close(w);
}

static int print_as_json(const rw_device_properties *list, int n, const rw_cache_info *cache)
{
    rw_json_writer *w = json_begin(2);
    rw_json_add_string(w, "program", "rechenwerk");
    rw_json_add_string(w, "version", rw_version());
    rw_json_add_array(w, "devices");
    for (int i = 0; i < n; i++) add_device(w, &list[i]);
    rw_json_close(w);
    rw_json_add_object(w, "cache");
    rw_json_add_string(w, "folder", cache->folder);
    rw_json_add_integer(w, "entries", cache->entries);
    rw_json_add_integer(w, "bytes", cache->bytes);
    rw_json_close(w);
    return json_end();
}

static int run(const arguments *a)
{
    rw_device_properties *list = NULL;
    rw_cache_info cache = {.folder = ""};
    int64_t n = 0;
    rw_context *ctx = make_context(a);
    if (!ctx) return 5;
    rw_status status = rw_device_list(ctx, &list, &n);
    int code = status == RW_OK ? 0 : failed(ctx, status);
    rw_cache_describe(ctx, &cache); /* a cache that cannot be used is no failure here */
    if (status == RW_OK && given(a, "json")) {
        code = print_as_json(list, n, &cache);
    } else if (status == RW_OK) {
        printf("rechenwerk %s\n\n", rw_version());
        for (int i = 0; i < n; i++) print_device(&list[i]);
        printf("\nprogram cache  %s, %lld entries, %s\n", *cache.folder ? cache.folder : "off",
               (long long)cache.entries, in_units((double)cache.bytes).text);
    }
    rw_device_list_free(&list);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {OPTION_JSON, OPTION_VERBOSE};

const command command_info = {
    .name = "info",
    .operands = "",
    .line = "print the version, the devices of this machine with their properties, and the program cache",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
