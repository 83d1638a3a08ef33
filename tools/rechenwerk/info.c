/* rechenwerk info: version, devices of this machine with what they can do or why they cannot be used, the cache. */
#include <string.h>

#include "command.h"
#include "rechenwerk/program.h"

static double gib(int64_t bytes)
{
    return (double)bytes / (1024.0 * 1024 * 1024);
}

static void print_device(const rw_device_properties *p)
{
    printf("%-10s %s\n", p->name, p->hardware);
    if (*p->unusable) {
        printf("           cannot be used: %s\n", p->unusable);
        return;
    }
    if (*p->driver) printf("           %s%s%s\n", p->driver, *p->version ? ", version " : "", p->version);
    printf("           %d units", p->units);
    if (p->clock_mhz) printf(", %d MHz", p->clock_mhz);
    if (p->memory) printf(", %.1f GiB", gib(p->memory));
    if (p->memory_free) printf(" (%.1f free)", gib(p->memory_free));
    if (p->shared_memory) printf(", %lld KiB shared a group", (long long)p->shared_memory / 1024);
    if (p->group_max) printf(", groups to %d", p->group_max);
    printf(", width %d, %s%s\n", p->width, p->f64 ? "f32 f64" : "f32", p->managed ? ", managed memory" : "");
    if (*p->also) printf("           also %s\n", p->also);
}

static void print_text(const char *key, const char *value, const char *end)
{
    printf("      ");
    print_json(stdout, key);
    printf(": ");
    print_json(stdout, value);
    printf("%s\n", end);
}

static void print_integer(const char *key, long long value)
{
    printf("      \"%s\": %lld,\n", key, value);
}

static void print_device_json(const rw_device_properties *p, bool last)
{
    printf("    {\n");
    print_text("name", p->name, ",");
    print_text("also", p->also, ",");
    print_text("kind", p->kind, ",");
    print_text("hardware", p->hardware, ",");
    print_text("driver", p->driver, ",");
    print_text("version", p->version, ",");
    print_text("identity", p->identity, ",");
    print_integer("units", p->units);
    print_integer("clock_mhz", p->clock_mhz);
    print_integer("memory", p->memory);
    print_integer("memory_free", p->memory_free);
    print_integer("shared_memory", p->shared_memory);
    print_integer("cache", p->cache);
    print_integer("group_max", p->group_max);
    print_integer("width", p->width);
    printf("      \"f64\": %s,\n      \"managed\": %s,\n      \"gpu\": %s,\n", p->f64 ? "true" : "false",
           p->managed ? "true" : "false", p->gpu ? "true" : "false");
    print_text("unusable", p->unusable, "");
    printf("    }%s\n", last ? "" : ",");
}

static void print_all_json(const rw_device_properties *list, int n, const rw_cache_info *cache)
{
    printf("{\n  \"program\": \"rechenwerk\",\n  \"version\": \"%s\",\n  \"devices\": [\n", rw_version());
    for (int i = 0; i < n; i++) print_device_json(&list[i], i == n - 1);
    printf("  ],\n  \"cache\": {\"folder\": ");
    print_json(stdout, cache->folder);
    printf(", \"entries\": %lld, \"bytes\": %lld}\n}\n", (long long)cache->entries, (long long)cache->bytes);
}

static int run(const arguments *a)
{
    rw_device_properties *list = NULL;
    rw_cache_info cache = {.folder = ""};
    int n = 0;
    rw_context *ctx = make_context(a);
    if (!ctx) return 5;
    rw_status status = rw_device_list(ctx, &list, &n);
    int code = status == RW_OK ? 0 : failed(ctx, status);
    rw_cache_describe(ctx, &cache); /* a cache that cannot be used is no failure here */
    if (status == RW_OK && given(a, "json")) {
        print_all_json(list, n, &cache);
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
    .line = "version, devices of this machine and what they can do, program cache",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
