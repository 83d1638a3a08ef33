/* What computes a run: device, driver, compiler and its version, instruction set. run.json and the checkpoint name it,
 * and a run that continues on another one says so, since its last bits may differ.
 *
 * The key is the beginning of the hash of all that compiled programs depend on, as the program cache knows it. Not in
 * it: the number of threads, which is in the device's name. */
#include "run/run_private.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "device/device.h"

#define GROUP "/run/backend"

static void add_instructions(char *text, size_t size)
{
    struct utsname system;
    snprintf(text, size, "%s", uname(&system) == 0 ? system.machine : "");
#if defined(__x86_64__)
    const struct {
        const char *name;
        bool here;
    } sets[] = {
        {"avx512f", __builtin_cpu_supports("avx512f")},
        {"avx2", __builtin_cpu_supports("avx2")},
        {"fma", __builtin_cpu_supports("fma")},
        {"avx", __builtin_cpu_supports("avx")},
    };
    for (int i = 0; i < RW_COUNT(sets); i++) {
        size_t n = strlen(text);
        if (sets[i].here) snprintf(text + n, size - n, " %s", sets[i].name);
    }
#endif
}

rw_status rw_backend_find(rw_run *r)
{
    const rw_device_properties *info = rw_device_info(r->device);
    rw_backend *b = &r->backend;
    rw_text identity = {0};
    char hex[65];
    *b = (rw_backend){0};
    const rw_device_ops *ops = r->device->ops;
    rw_status status = ops->identity(r->device, &identity);
    if (status == RW_ERR_UNSUPPORTED) { /* no compiler: the plain evaluator */
        rw_text_free(&identity);
        identity = (rw_text){0};
        rw_text_add(&identity, "%s plain evaluator %s", info->kind, rw_version());
        status = RW_OK;
    }
    if (status == RW_OK && identity.failed)
        status = rw_fail_memory(r->ctx, identity.length, "the identity of a device");
    if (status == RW_OK) {
        snprintf(b->name, sizeof(b->name), "%s", info->name);
        snprintf(b->kind, sizeof(b->kind), "%s", info->kind);
        snprintf(b->hardware, sizeof(b->hardware), "%s", info->hardware);
        snprintf(b->driver, sizeof(b->driver), "%s", info->driver);
        rw_sha256_hex(identity.data, identity.length, hex);
        snprintf(b->key, sizeof(b->key), "%.16s", hex);
        if (ops->compiler_version) ops->compiler_version(r->device, b->compiler, sizeof(b->compiler));
        if (ops->host) add_instructions(b->instructions, sizeof(b->instructions));
        else snprintf(b->instructions, sizeof(b->instructions), "%s", info->version);
    }
    rw_text_free(&identity);
    return status;
}

/* ---- checkpoints ------------------------------------------------------------------------------------------------- */

typedef struct part {
    const char *name, *what; /* in the file; in the message */
    size_t offset, size;
} part;

#define PART(member, what)                                                                                             \
    {                                                                                                                  \
#member, what, offsetof(rw_backend, member), sizeof(((rw_backend *)0)->member)                                 \
    }
static const part parts[] = {PART(name, "device"),
                             PART(kind, "kind of device"),
                             PART(hardware, "hardware"),
                             PART(driver, "driver"),
                             PART(compiler, "compiler"),
                             PART(instructions, "instruction set"),
                             PART(key, "key of compiled programs")};

static const char *value_of(const rw_backend *b, const part *p) { return (const char *)b + p->offset; }

rw_status rw_backend_save(rw_run *r, rw_h5 *file)
{
    RW_TRY(rw_h5_group(file, GROUP));
    for (int i = 0; i < RW_COUNT(parts); i++)
        RW_TRY(rw_h5_set_text(file, GROUP, parts[i].name, value_of(&r->backend, &parts[i])));
    return RW_OK;
}

rw_status rw_backend_compare(rw_run *r, rw_h5 *file)
{
    rw_text changes = {0};
    rw_status status = RW_OK;
    if (!rw_h5_exists(file, GROUP)) return RW_OK; /* of an older version */
    for (int i = 0; i < RW_COUNT(parts) && status == RW_OK; i++) {
        char *before;
        const char *now = value_of(&r->backend, &parts[i]);
        if ((status = rw_h5_get_text(file, GROUP, parts[i].name, &before)) != RW_OK) break;
        bool shown = strcmp(parts[i].name, "key") != 0;
        if (strcmp(before, now) != 0 && (shown || changes.length == 0))
            rw_text_add(&changes, "%s%s %.100s, was %.100s", changes.length ? "; " : "", parts[i].what,
                        *now ? now : "unknown", *before ? before : "unknown");
        rw_free(before);
    }
    if (status == RW_OK && changes.failed) status = rw_fail_memory(r->ctx, changes.length, "a message");
    if (status == RW_OK && changes.length)
        rw_log(r->ctx, RW_LOG_WARNING,
               "the run continues on another device or compiler: results may differ in the "
               "last bits (%s)",
               changes.data);
    rw_text_free(&changes);
    return status;
}
