/* Names of devices: KIND or KIND:N, followed by options, as in cpu:4:tiling=gpu. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

#define ROW(NAME, word) word,
static const char *const tilings[] = {RW_TILING_OPTIONS(ROW)};
#undef ROW

const char *rw_tiling_word(rw_tiling_option tiling) { return tilings[tiling]; }

rw_status rw_device_name_unknown(rw_context *ctx, const char *name)
{
    static const char *const words[] = {"auto", "check", "cpu", "cuda", "cuda:0", "opencl", "opencl:0"};
    const char *near = rw_nearest(name, words, RW_COUNT(words));
    return rw_fail(ctx, RW_ERR_DEVICE,
                   "device \"%s\" is unknown%s%s%s: give cpu, cpu:THREADS, opencl:N, cuda:N, check or auto "
                   "(`rechenwerk info` lists the available devices)",
                   name, near ? "; nearest is \"" : "", near ? near : "", near ? "\"" : "");
}

/* "kind" or "kind:N", which end at `end`; false when it has another form. */
static bool split(const char *text, const char *end, rw_device_name *name)
{
    const char *colon = memchr(text, ':', (size_t)(end - text));
    size_t n = (size_t)((colon ? colon : end) - text);
    char *rest;
    if (n == 0 || n >= sizeof name->kind) return false;
    memcpy(name->kind, text, n);
    name->kind[n] = 0;
    name->index = -1;
    if (!colon) return true;
    long value = strtol(colon + 1, &rest, 10);
    if (!isdigit((unsigned char)colon[1]) || rest != end || value > 65535) return false;
    name->index = (int)value;
    return true;
}

/* One option; the text begins after its colon. */
static rw_status parse_option(rw_context *ctx, const char *device, const char *option, size_t n, rw_device_name *name)
{
    static const char *const options[] = {"tiling"};
    const char *equals = memchr(option, '=', n);
    char word[32];
    const size_t length = equals ? (size_t)(equals - option) : n;
    snprintf(word, sizeof word, "%.*s", (int)RW_MIN(length, sizeof word - 1), option);
    if (!equals || strcmp(word, options[0]) != 0)
        return rw_fail(ctx, RW_ERR_DEVICE,
                       "device \"%s\": option %s is unknown%s%s: the only option of a device name is tiling=VALUE "
                       "(`rechenwerk info` lists the available devices)",
                       device, word, rw_nearest(word, options, 1) ? "; nearest is " : "",
                       rw_nearest(word, options, 1) ? options[0] : "");
    snprintf(word, sizeof word, "%.*s", (int)RW_MIN(n - length - 1, sizeof word - 1), equals + 1);
    for (int i = 0; i < RW_COUNT(tilings); ++i)
        if (!strcmp(word, tilings[i])) {
            name->tiling = (rw_tiling_option)i;
            return RW_OK;
        }
    const char *near = rw_nearest(word, tilings, RW_COUNT(tilings));
    return rw_fail(ctx, RW_ERR_DEVICE,
                   "device \"%s\": tiling=%s is unknown%s%s: give auto, cpu, gpu, stream, fused, wave or rings "
                   "(`rechenwerk info` lists the available devices)",
                   device, word, near ? "; nearest is " : "", near ? near : "");
}

rw_status rw_device_name_parse(rw_context *ctx, const char *text, rw_device_name *name)
{
    const char *equals = strchr(text, '='), *end = text + strlen(text), *option = end;
    if (equals) /* options begin after the last colon before the first = */
        for (const char *c = text; c < equals; ++c)
            if (*c == ':') option = c;
    *name = (rw_device_name){.index = -1};
    if (!split(text, option, name)) return rw_device_name_unknown(ctx, text);
    while (*option) {
        const size_t n = strcspn(++option, ":");
        RW_TRY(parse_option(ctx, text, option, n, name));
        option += n;
    }
    return RW_OK;
}
