/* Programs: full text = definitions + the device's dialect + the kernel text. The same full text on the same device
 * is compiled once: first the programs of this process are searched, then the cache on disk, then the compiler runs, in
 * the background where the caller can wait (background.c). */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

/* ---- full text and key ------------------------------------------------------------------------------------ */

/* The precision words: REAL (f64 unless defined) gives real and complex. */
static void add_types(rw_text *t, const char *real)
{
    rw_text_add(t, "typedef %s real;\n", real);
    /* a load each on GPUs */
    rw_text_add(t,
                "typedef struct ALIGNED(8) { f32 re, im; } c64;\ntypedef struct ALIGNED(16) { f64 re, im; } c128;\n");
    rw_text_add(t, "typedef %s complex;\n", strcmp(real, "f32") ? "c128" : "c64");
}

/* Parts of the dialect that are slow to compile are included only if the text or a definition contains their words. */
static bool mentions(const char *text, const rw_define *defines, int n, const char *word)
{
    bool found = strstr(text, word);
    for (int i = 0; i < n && !found; ++i) found = strstr(defines[i].value, word);
    return found;
}

rw_status rw_program_text(rw_context *ctx, const rw_device_ops *ops, const char *name, const char *text,
                          const rw_define *defines, int n, const char *real, rw_text *full)
{
    char file[64];
    snprintf(file, sizeof file, "dialect_%s.h", ops->kind);
    const char *dialect = rw_embedded_text(file);
    const char *math = rw_embedded_text("dialect_math.h"), *cmath = rw_embedded_text("dialect_complex.h");
    const char *functions = rw_embedded_text("dialect_functions.h"), *host = rw_embedded_text("dialect_c.h");
    const char *noise = rw_embedded_text("dialect_noise.h"), *types = rw_embedded_text("dialect_types.h"),
               *atomics = rw_embedded_text("dialect_atomics.h");
    if (!dialect || !math || !cmath || !functions || !host || !types || !atomics || !noise)
        return rw_fail(ctx, RW_ERR_INTERNAL, "the dialect file %s is missing from the library", file);
    for (int i = 0; i < n; ++i) rw_text_add(full, "#define %s %s\n", defines[i].name, defines[i].value);
    if (ctx->reproducible) rw_text_add(full, "#define RW_REPRODUCIBLE 1\n");
    if (ops->host) rw_text_add_bytes(full, host, strlen(host));
    rw_text_add_bytes(full, dialect, strlen(dialect));
    add_types(full, real);
    rw_text_add_bytes(full, math, strlen(math));
    if (mentions(text, defines, n, "_from_")) rw_text_add_bytes(full, types, strlen(types));
    if (mentions(text, defines, n, "ATOMIC_")) rw_text_add_bytes(full, atomics, strlen(atomics));
    for (int wide = 0; wide < 2; ++wide) { /* the same text for both precisions */
        const char *real_type = wide ? "f64" : "f32", *complex_type = wide ? "c128" : "c64";
        rw_text_add(full, "#define RT %s\n#define RF(name) %s_##name\n#define HALF_ULP ((%s)%s)\n", real_type,
                    real_type, real_type, wide ? "1.1102230246251565e-16" : "5.9604644775390625e-08");
        rw_text_add(full, "#define CT %s\n#define CF(name) %s_##name\n", complex_type, complex_type);
        rw_text_add_bytes(full, functions, strlen(functions));
        if (rw_define_value(defines, n, "WITH_COMPLEX")) rw_text_add_bytes(full, cmath, strlen(cmath));
        rw_text_add(full, "#undef RT\n#undef RF\n#undef HALF_ULP\n#undef CT\n#undef CF\n");
    }
    if (strstr(text, "RX(no")) rw_text_add_bytes(full, noise, strlen(noise));
    rw_text_add(full, "#line 1 \"");
    for (const char *c = name; *c; ++c) rw_text_add(full, "%c", strchr("\"\\\n\r", *c) ? '_' : *c);
    rw_text_add(full, "\"\n");
    rw_text_add_bytes(full, text, strlen(text));
    rw_text_add(full, "\n");
    return full->failed ? rw_fail_memory(ctx, full->length, "the text of a program") : RW_OK;
}

/* SHA-256 over everything that the result depends on; the format number is raised when layout or meaning change. */
static rw_status make_key(rw_device *dev, const rw_text *full, char key[65])
{
    rw_text identity = {0};
    rw_status status = dev->ops->identity(dev, &identity);
    if (status == RW_OK && identity.failed) status = rw_fail_memory(dev->ctx, identity.length, "a key");
    if (status == RW_OK) {
        uint64_t lengths[2] = {full->length, identity.length};
        rw_sha256 s;
        uint8_t digest[32];
        rw_sha256_begin(&s);
        rw_sha256_add(&s, "rechenwerk program 1", 20);
        rw_sha256_add(&s, lengths, sizeof lengths);
        rw_sha256_add(&s, full->data, full->length);
        rw_sha256_add(&s, identity.data, identity.length);
        rw_sha256_end(&s, digest);
        for (int i = 0; i < 32; ++i) snprintf(key + 2 * i, 3, "%02x", digest[i]);
    }
    rw_text_free(&identity);
    return status;
}

/* ---- create, use, destroy ---------------------------------------------------------------------------------- */

/* RW_OK: from the cache on disk. RW_ERR_MEMORY; a compiler would take more. Others: it has to be compiled. */
static rw_status load_cached(rw_device *dev, rw_program *p)
{
    rw_text binary = {0};
    rw_status status = rw_cache_load(dev->ctx, p->key, rw_program_suffix(p), &binary);
    if (status == RW_OK) {
        status = dev->ops->load(dev, p, &binary);
        if (status == RW_OK) {
            rw_count(dev, &dev->counters.cache_hits, 1);
        } else if (status != RW_ERR_MEMORY) {
            rw_log(dev->ctx, RW_LOG_WARNING, "cache: entry %s does not load (%s): compiled again", p->key,
                   rw_message(dev->ctx));
            dev->ops->unload(dev, p);
        }
    }
    rw_text_free(&binary);
    return status;
}

static rw_status compile_and_load(rw_device *dev, rw_program *p, const rw_text *full)
{
    rw_text binary = {0};
    rw_status status;
    const double start = rw_seconds();
    if (rw_fault_hit(RW_FAULT_COMPILE)) {
        status = rw_fail(dev->ctx, RW_ERR_COMPILE, "program %s: the compiler failed (injected)", p->name);
        goto out;
    }
    rw_compiling(p->name, 0);
    status = dev->ops->compile(dev, p, full->data, &binary);
    rw_compiled();
    RW_TRY_GOTO(status, out);
    const double seconds = rw_seconds() - start;
    rw_count(dev, &dev->counters.compilations, 1);
    rw_count_seconds(dev, seconds);
    rw_program_compiled(p, &binary, seconds);
    status = dev->ops->load(dev, p, &binary);
out:
    rw_text_free(&binary);
    return status;
}

/* With a fault set nothing is compiled in the background: a test counts the events of one thread. */
static rw_status load_or_compile(rw_device *dev, rw_program *p, rw_text *full, bool wait)
{
    rw_status status = load_cached(dev, p);
    if (status == RW_OK || status == RW_ERR_MEMORY) return status;
    if (rw_program_may_be_quick(p)) {
        p->quick = true;
        if (rw_program_may_improve()) rw_text_add_bytes(&p->text, full->data, full->length);
        if (p->text.failed) return rw_fail_memory(dev->ctx, full->length, "the text of a program");
        status = load_cached(dev, p);
        p->again = status == RW_OK;
        if (status == RW_OK || status == RW_ERR_MEMORY) return status;
    }
    return wait || rw_fault_armed() ? compile_and_load(dev, p, full) : rw_background_add(p, full);
}

/* This thread makes programs for what they say: see rw_programs_plan_only. */
static _Thread_local bool plan_only;

void rw_programs_plan_only(bool on) { plan_only = on; }

bool rw_programs_are_plans(void) { return plan_only; }

static bool is_suitable(const rw_program *p, const char *key)
{
    return !strcmp(p->key, key) && !__atomic_load_n(&p->failed, __ATOMIC_RELAXED) &&
           !(rw_program_is_quick(p) && !rw_program_may_be_quick(p));
}

static rw_program *find_loaded(rw_device *dev, const char *key)
{
    pthread_mutex_lock(&dev->lock);
    rw_program *p = dev->programs;
    while (p && !is_suitable(p, key)) p = p->next;
    if (p) p->references++;
    pthread_mutex_unlock(&dev->lock);
    return p;
}

static rw_status create(rw_device *dev, const char *name, const char *text, const rw_define *defines, int ndefines,
                        bool wait, rw_program **program)
{
    RW_TRY(rw_orphan_check(dev));
    const char *group = rw_define_value(defines, ndefines, "GROUP"), *real = rw_define_value(defines, ndefines, "REAL");
    const char *large = rw_define_value(defines, ndefines, "SHARED_LARGE_BYTES");
    const char *units = rw_define_value(defines, ndefines, "RW_GROUPS_A_UNIT");
    const char *unswitch = rw_define_value(defines, ndefines, "RW_UNSWITCH");
    const char *wide = rw_define_value(defines, ndefines, "RW_WIDE");
    const char *cluster = rw_define_value(defines, ndefines, "RW_CLUSTER");
    if (!real) real = "f64";
    int items = group ? atoi(group) : 0;
    if (items < 1)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "program %s: GROUP = %s: define the workgroup size, 1 or more", name,
                       group ? group : "(none)");
    if (items > dev->info.group_max)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT,
                       "program %s: GROUP = %d exceeds the largest workgroup of %d items on %s", name, items,
                       dev->info.group_max, dev->info.name);
    if (large && atoll(large) > dev->info.shared_memory)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT,
                       "program %s: SHARED_LARGE_BYTES = %s exceeds the %lld bytes of shared memory of %s", name, large,
                       (long long)dev->info.shared_memory, dev->info.name);
    rw_text full = {0};
    char key[65];
    rw_program *p = NULL;
    rw_status status = rw_program_text(dev->ctx, dev->ops, name, text, defines, ndefines, real, &full);
    if (status == RW_OK) status = make_key(dev, &full, key);
    if (status != RW_OK) goto out;
    if (!plan_only && (*program = find_loaded(dev, key))) {
        rw_count(dev, &dev->counters.shared, 1);
        goto out;
    }
    p = rw_calloc(1, sizeof *p);
    if (!p) {
        status = rw_fail_memory(dev->ctx, sizeof *p, "a program");
        goto out;
    }
    p->references = 1;
    p->device = rw_device_retain(dev);
    p->group = items;
    p->written_out = rw_text_is_written_out(text);
    p->shared_large = large ? atoll(large) : 0;
    p->groups_a_unit = units ? atoi(units) : 1;
    p->unswitch = !unswitch || atoi(unswitch);
    p->wide = wide && atoi(wide);
    p->cluster = cluster ? atoi(cluster) : 0;
    snprintf(p->name, sizeof p->name, "%s", name);
    memcpy(p->key, key, sizeof key);
    status = rw_parse_kernels(p, text, real, defines, ndefines);
    if (status == RW_OK && !plan_only) status = load_or_compile(dev, p, &full, wait);
    if (status != RW_OK) {
        rw_program_destroy(&p);
        goto out;
    }
    if (plan_only) {
        *program = p;
        goto out;
    }
    pthread_mutex_lock(&dev->lock);
    p->next = dev->programs;
    dev->programs = p;
    pthread_mutex_unlock(&dev->lock);
    *program = p;
out:
    rw_text_free(&full);
    return status;
}

rw_status rw_program_start(rw_device *dev, const char *name, const char *text, const rw_define *defines, int ndefines,
                           rw_program **program)
{
    *program = NULL;
    return create(dev, name, text, defines, ndefines, false, program);
}

rw_status rw_program_create(rw_device *dev, const char *name, const char *text, const rw_define *defines,
                            int64_t ndefines, rw_program **program)
{
    RW_NEED(program, "program");
    *program = NULL;
    RW_NEED(dev, "device");
    RW_NEED(name, "name");
    RW_NEED(text, "text");
    RW_TRY(rw_check_array(dev->ctx, "rw_program_create", "defines", defines, ndefines));
    RW_TRY(create(dev, name, text, defines, ndefines, true, program));
    const rw_status status = rw_program_ready(*program); /* one that was started */
    if (status != RW_OK) rw_program_destroy(program);
    return status;
}

rw_status rw_program_kept(rw_device *dev, const char *name, const char *text, const rw_define *defines, int ndefines,
                          rw_program **program)
{
    RW_TRY(rw_program_create(dev, name, text, defines, ndefines, program));
    pthread_mutex_lock(&dev->lock);
    const bool known = (*program)->kept,
               room = known || rw_grow(&dev->kept, &dev->kept_capacity, dev->nkept + 1, sizeof *dev->kept);
    if (known) (*program)->references--;
    else if (room) {
        dev->kept[dev->nkept++] = *program;
        (*program)->kept = true;
        __atomic_sub_fetch(&dev->references, 1, __ATOMIC_ACQ_REL);
    }
    pthread_mutex_unlock(&dev->lock);
    if (room) return RW_OK;
    rw_program_destroy(program);
    return rw_fail_memory(dev->ctx, sizeof *dev->kept, "a program");
}

rw_status rw_program_create_with(rw_device *dev, const char *name, const char *text, rw_program **program,
                                 const char *definitions, ...)
{
    enum { MOST = 48 };
    char words[1024];
    rw_define d[MOST];
    int n = 0;
    va_list args;
    va_start(args, definitions);
    const int length = rw_vsnprintf(words, sizeof words, definitions, args);
    va_end(args);
    *program = NULL;
    if (length >= (int)sizeof words)
        return rw_fail(dev->ctx, RW_ERR_INTERNAL, "program %s: too many definitions", name);
    for (char *rest, *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(w, '=');
        if (!equals || n == MOST) return rw_fail(dev->ctx, RW_ERR_INTERNAL, "program %s: definition %s", name, w);
        *equals = 0;
        d[n++] = (rw_define){w, equals + 1};
    }
    return rw_program_create(dev, name, text, d, n, program);
}

rw_status rw_program_kernel(rw_program *p, const char *name, rw_kernel **kernel)
{
    RW_NEED(kernel, "kernel");
    *kernel = NULL;
    RW_NEED(p, "program");
    RW_NEED(name, "name");
    const char *names[64];
    for (int i = 0; i < p->nkernels; ++i) {
        if (!strcmp(p->kernels[i].name, name)) {
            *kernel = p->kernels + i;
            return RW_OK;
        }
        if (i < 64) names[i] = p->kernels[i].name;
    }
    const char *near = rw_nearest(name, names, RW_MIN(p->nkernels, 64));
    return rw_fail(p->device->ctx, RW_ERR_ARGUMENT, "program %s has no kernel \"%s\"%s%s", p->name, name,
                   near ? "; nearest is " : "", near ? near : "");
}

rw_status rw_kernel_measure(rw_kernel *k, rw_kernel_resources *r)
{
    *r = (rw_kernel_resources){0};
    RW_TRY(rw_program_ready(k->program));
    return k->program->device->ops->resources ? k->program->device->ops->resources(k, r) : RW_OK;
}

/* ---- launch ------------------------------------------------------------------------------------------------- */

static void set_value(rw_launch_arg *a, const rw_arg *from)
{
    double re = from->is_integer ? (double)from->integer : from->re;
    int64_t integer = from->is_integer ? from->integer : 0;
    switch (a->parameter->kind) {
    case RW_ARG_INT:
        a->value.i = from->is_integer ? (int32_t)integer : (int32_t)re;
        a->bytes = 4;
        break;
    case RW_ARG_UINT:
        a->value.i = (int32_t)(uint32_t)(from->is_integer ? integer : (int64_t)re);
        a->bytes = 4;
        break;
    case RW_ARG_LONG:
    case RW_ARG_ULONG:
        a->value.l = from->is_integer ? integer : (int64_t)re;
        a->bytes = 8;
        break;
    case RW_ARG_F32:
        a->value.f = (float)re;
        a->bytes = 4;
        break;
    case RW_ARG_F64:
        a->value.d = re;
        a->bytes = 8;
        break;
    case RW_ARG_C64:
        a->value.c[0] = (float)re;
        a->value.c[1] = (float)from->im;
        a->bytes = 8;
        break;
    case RW_ARG_C128:
        a->value.z[0] = re;
        a->value.z[1] = from->im;
        a->bytes = 16;
        break;
    case RW_ARG_GLOBAL: break;
    }
}

/* The integers that a parameter takes; false: it takes real numbers. An integer argument is an int64_t. */
static bool range_of(rw_arg_kind kind, double *least, double *most)
{
    switch (kind) {
    case RW_ARG_INT:
        *least = INT32_MIN;
        *most = INT32_MAX;
        return true;
    case RW_ARG_UINT:
        *least = 0;
        *most = UINT32_MAX;
        return true;
    case RW_ARG_LONG:
        *least = -0x1p63;
        *most = 0x1p63 - 1024;
        return true;
    case RW_ARG_ULONG:
        *least = 0;
        *most = 0x1p63 - 1024;
        return true;
    default: return false;
    }
}

/* Is the number one of the parameter's type? Integers for integer types; real ones for real types, rounded. */
static bool fits(const rw_parameter *p, const rw_arg *given)
{
    const double re = given->re;
    double least, most;
    const bool integer = range_of(p->kind, &least, &most), wide = p->kind == RW_ARG_LONG || p->kind == RW_ARG_ULONG;
    if (given->is_integer) {
        if (!integer) return true;
        return wide ? p->kind == RW_ARG_LONG || given->integer >= 0
                    : (double)given->integer >= least && (double)given->integer <= most;
    }
    if (given->im != 0 && p->kind != RW_ARG_C64 && p->kind != RW_ARG_C128) return false;
    return !integer || (re == trunc(re) && re >= least && re <= most);
}

static rw_status fail_number(const rw_kernel *k, int i, const rw_parameter *p, const rw_arg *given, rw_device *dev)
{
    char number[96];
    if (given->is_integer) snprintf(number, sizeof number, "%lld", (long long)given->integer);
    else snprintf(number, sizeof number, given->im != 0 ? "%.17g%+.17gi" : "%.17g", given->re, given->im);
    double least, most;
    const bool integer = range_of(p->kind, &least, &most);
    return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "kernel %s: argument %d (%s) = %s does not fit the type %s: give %s",
                   k->name, i + 1, p->name, number, p->type, integer ? "an integer within its range" : "a real number");
}

static rw_status check_array(const rw_kernel *k, int i, const rw_parameter *p, const rw_array *a, rw_device *dev)
{
    const rw_dtype part = a->dtype == RW_C64 ? RW_F32 : a->dtype == RW_C128 ? RW_F64 : a->dtype;
    if (!(p->elements & 1u << part))
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "kernel %s: argument %d (%s) is an array of %s, declared as %s *",
                       k->name, i + 1, p->name, rw_dtype_name(a->dtype), p->type);
    if (a->device != dev)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT,
                       "kernel %s: argument %d (%s) is an array on %s, but the queue belongs to %s", k->name, i + 1,
                       p->name, a->device->info.name, dev->info.name);
    return p->constant ? RW_OK : rw_array_check_written(a, k->name);
}

static rw_status check_argument(const rw_kernel *k, int i, const rw_parameter *p, const rw_arg *given, rw_device *dev)
{
    if ((p->kind == RW_ARG_GLOBAL) != (given->array != NULL))
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "kernel %s: argument %d (%s) must be %s", k->name, i + 1, p->name,
                       p->kind == RW_ARG_GLOBAL ? "an array" : "a number");
    if (given->array) return check_array(k, i, p, given->array, dev);
    return fits(p, given) ? RW_OK : fail_number(k, i, p, given, dev);
}

/* What the kernel gets for an array: its own memory, or a packed copy. */
static rw_status place_array(rw_launch_arg *a, const rw_arg *given, rw_queue *q)
{
    rw_array *array = given->array;
    if (given->is_memory) {
        a->buffer = &array->storage->allocation->buffer;
    } else if (!array->contiguous || rw_array_buffer(array, &a->buffer) != RW_OK) {
        RW_TRY(rw_array_pack(array, q, &a->array));
        return rw_array_buffer(a->array, &a->buffer);
    }
    return RW_OK;
}

rw_status rw_launch(rw_queue *q, rw_kernel *k, const int64_t groups[3], const rw_arg *args, int64_t nargs)
{
    RW_NEED(q, "queue");
    RW_NEED(k, "kernel");
    RW_NEED(groups, "groups");
    rw_device *dev = q->device;
    if (k->program->device != dev)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "kernel %s was compiled for %s, but the queue belongs to %s", k->name,
                       k->program->device->info.name, dev->info.name);
    if (nargs != k->nparameters)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "kernel %s takes %d arguments, %lld given", k->name, k->nparameters,
                       (long long)nargs);
    for (int d = 0; d < 3; ++d)
        if (groups[d] < 0 || groups[d] > (d ? 65535 : INT32_MAX))
            return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "kernel %s: groups[%d] = %lld is outside [0, %d]", k->name, d,
                           (long long)groups[d], d ? 65535 : INT32_MAX);
    RW_NEED(args, "args"); /* a kernel has a parameter at least */
    rw_launch_arg all[RW_MAX_PARAMETERS];
    for (int i = 0; i < nargs; ++i) {
        const rw_parameter *p = k->parameters + i;
        RW_TRY(check_argument(k, i, p, args + i, dev));
        all[i] = (rw_launch_arg){.parameter = p, .array = args[i].array, .bytes = sizeof(void *)};
        if (!args[i].array) set_value(all + i, args + i);
    }
    if (groups[0] * groups[1] * groups[2] == 0) return RW_OK;
    RW_TRY(rw_program_ready(k->program));
    if (dev->lost) return rw_fail(dev->ctx, RW_FATAL_DEVICE_LOST, "%s is lost: restart the program", dev->info.name);
    for (int i = 0; i < nargs; ++i)
        if (args[i].array) RW_TRY(place_array(all + i, args + i, q));
    for (int i = 0; i < nargs; ++i)
        if (all[i].array) RW_TRY(rw_storage_use(all[i].array->storage, q));
    if (rw_fault_hit(RW_FAULT_LAUNCH))
        return rw_fail(dev->ctx, RW_ERR_LAUNCH, "kernel %s failed on %s (injected)", k->name, dev->info.name);
    for (int i = 0; i < nargs; ++i) { /* written from here on, also by a kernel that fails half-way */
        bool written = all[i].array && !k->parameters[i].constant;
        if (written && !q->recording) rw_storage_written(all[i].array->storage);
    }
    if (q->recording) {
        RW_TRY(rw_record_launch(q, k, groups, all, nargs));
    } else {
        rw_count(dev, &dev->counters.launches, 1);
        RW_TRY(dev->ops->launch(q, k, groups, all, nargs));
    }
    for (int i = 0; i < nargs; ++i)
        if (all[i].array != args[i].array && !k->parameters[i].constant) RW_TRY(rw_array_unpack(args[i].array, q));
    return RW_OK;
}
