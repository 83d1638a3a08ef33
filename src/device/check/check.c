/* The check device: the cpu device for finding mistakes in kernels, exactly rather than by luck.
 *
 *   compile   as the cpu does, unoptimised, with the compiler's hooks at each memory access (dialect_check_hooks.h)
 *   arrays    between guard zones, filled with NaN, with a shadow that knows what was written and touched (area.c)
 *   launch    group after group, item after item on the calling thread, in a changing order; an access is looked at
 *             before it is made (watch.c, race.c), and the first mistake ends the launch with RW_ERR_CHECK
 *
 * Device memory is not host memory here, as on most GPUs: a copy forgotten is a copy missing. The order of items and
 * groups is forward, reverse and shuffled in turn, or what RECHENWERK_CHECK_ORDER says.
 *
 * Not found: values that a local variable carries from one item to the next (they depend on the order, though), and
 * reads of local variables that were not set. Managed arrays count as written once the host has had their pointer. */
#include <stdlib.h>
#include <string.h>

#include "device/check/check.h"
#include "device/cpu/cc.h"
#include "device/cpu/cpu.h"

static rw_check_state *state_of(const rw_device *dev) { return dev->state; }

/* ---- the device -------------------------------------------------------------------------------------------- */

static void describe(rw_device_properties *p)
{
    char processor[sizeof p->hardware];
    rw_cpu_properties(p);
    memcpy(processor, p->hardware, sizeof processor);
    snprintf(p->name, sizeof p->name, "check");
    snprintf(p->kind, sizeof p->kind, "check");
    snprintf(p->hardware, sizeof p->hardware, "device for finding mistakes in kernels, on %.80s", processor);
    p->identity[0] = 0;
    p->units = 1;
    if (strncmp(p->driver, "C compiler ", 11) != 0) snprintf(p->driver, sizeof p->driver, "no C compiler: install gcc");
}

static int check_list(rw_context *ctx RW_UNUSED, rw_device_properties *list, int max RW_UNUSED, char *reason RW_UNUSED,
                      size_t reason_size RW_UNUSED)
{
    describe(list);
    return 1;
}

static rw_status check_open(rw_device *dev, int index)
{
    if (index >= 0) return rw_fail(dev->ctx, RW_ERR_DEVICE, "check:%d: the check device takes no number", index);
    rw_check_state *s = rw_calloc(1, sizeof *s);
    if (!s) return rw_fail_memory(dev->ctx, sizeof *s, "a device");
    pthread_mutex_init(&s->lock, NULL);
    dev->state = s;
    describe(&dev->info);
    return RW_OK;
}

static void check_close(rw_device *dev)
{
    rw_check_state *s = dev->state;
    for (int i = 0; i < RW_CHECK_DECLARED; ++i) rw_check_area_destroy(s->declared[i]);
    pthread_mutex_destroy(&s->lock);
    rw_free(s);
    dev->state = NULL;
}

/* ---- arrays ------------------------------------------------------------------------------------------------ */

/* Where a buffer begins within its area: a view's. */
static size_t place_of(const rw_check_area *a, const rw_buffer *buffer)
{
    return (size_t)((const char *)buffer->pointer - a->data);
}

static rw_status check_alloc(rw_device *dev, size_t bytes, rw_memory memory, rw_buffer *buffer)
{
    rw_check_state *s = state_of(dev);
    rw_check_area *a = rw_check_area_create(bytes);
    if (!a) return rw_fail_memory(dev->ctx, bytes, "an array with its shadow on the check device");
    buffer->pointer = a->data;
    buffer->memory = memory;
    buffer->host = memory == RW_MEMORY_MANAGED || memory == RW_MEMORY_MAPPED ? a->data : NULL;
    pthread_mutex_lock(&s->lock);
    a->next = s->arrays;
    s->arrays = a;
    pthread_mutex_unlock(&s->lock);
    return RW_OK;
}

static void check_free(rw_device *dev, rw_buffer *buffer)
{
    rw_check_state *s = state_of(dev);
    pthread_mutex_lock(&s->lock);
    rw_check_area **at = &s->arrays, *a;
    while (*at && (*at)->data != buffer->pointer) at = &(*at)->next;
    if ((a = *at)) *at = a->next;
    pthread_mutex_unlock(&s->lock);
    buffer->pointer = NULL;
    if (!a) return;
    ptrdiff_t damage = rw_check_area_damage(a);
    if (damage)
        rw_log(dev->ctx, RW_LOG_ERROR, "check: byte %td of an array of %zu bytes was written, found when it was freed",
               damage, a->bytes);
    rw_check_area_destroy(a);
}

static rw_status check_copy_in(rw_queue *q, rw_buffer *dst, const void *src, size_t bytes, bool blocking RW_UNUSED)
{
    rw_check_state *s = state_of(q->device);
    pthread_mutex_lock(&s->lock);
    rw_check_area *a = rw_check_find(s, dst);
    memcpy(dst->pointer, src, bytes);
    memset(a->written + place_of(a, dst), 1, bytes);
    pthread_mutex_unlock(&s->lock);
    return RW_OK;
}

static rw_status check_copy_out(rw_queue *q RW_UNUSED, void *dst, rw_buffer *src, size_t bytes, bool blocking RW_UNUSED)
{
    memcpy(dst, src->pointer, bytes);
    return RW_OK;
}

/* What was not written is not written in the copy either. */
static rw_status check_copy(rw_queue *q, rw_buffer *dst, rw_buffer *src, size_t bytes)
{
    rw_check_state *s = state_of(q->device);
    pthread_mutex_lock(&s->lock);
    rw_check_area *to = rw_check_find(s, dst), *from = rw_check_find(s, src);
    memmove(dst->pointer, src->pointer, bytes);
    memmove(to->written + place_of(to, dst), from->written + place_of(from, src), bytes);
    pthread_mutex_unlock(&s->lock);
    return RW_OK;
}

static rw_status check_zero(rw_queue *q, rw_buffer *dst, size_t bytes)
{
    rw_check_state *s = state_of(q->device);
    pthread_mutex_lock(&s->lock);
    rw_check_area *a = rw_check_find(s, dst);
    memset(dst->pointer, 0, bytes);
    memset(a->written + place_of(a, dst), 1, bytes);
    pthread_mutex_unlock(&s->lock);
    return RW_OK;
}

/* ---- programs ---------------------------------------------------------------------------------------------- */

/* -nodefaultlibs keeps the sanitizers' own libraries out: their functions are in the text. */
#define OPTIONS                                                                                                        \
    "-std=gnu17 -O0 -g -gdwarf-4 -fPIC -shared -fvisibility=hidden -w -fno-math-errno -ffp-contract=off "              \
    "-fno-strict-aliasing -fno-delete-null-pointer-checks "                                                            \
    "-fsanitize=thread,bounds,integer-divide-by-zero,signed-integer-overflow,shift-exponent "                          \
    "-nodefaultlibs -Wl,--no-as-needed -lc"
/* clang leaves out the read of x[i] += 1 unless told, and its local-bounds would trap. */
#define OPTIONS_CLANG OPTIONS " -fno-sanitize=local-bounds -mllvm -tsan-instrument-read-before-write"

static const char *options(const rw_check_state *s)
{
    return __atomic_load_n(&s->clang, __ATOMIC_RELAXED) ? OPTIONS_CLANG : OPTIONS;
}

static rw_status hooks_text(rw_device *dev, const char **text)
{
    *text = rw_embedded_text("dialect_check_hooks.h");
    return *text ? RW_OK : rw_fail(dev->ctx, RW_ERR_INTERNAL, "dialect_check_hooks.h is not in the library");
}

static rw_status check_identity(rw_device *dev, rw_text *identity)
{
    const char *hooks;
    rw_check_state *s = state_of(dev);
    RW_TRY(hooks_text(dev, &hooks));
    pthread_mutex_lock(&s->lock);
    rw_check_ask_compiler(s, dev->ctx);
    pthread_mutex_unlock(&s->lock);
    rw_text_add_bytes(identity, hooks, strlen(hooks));
    return rw_cc_identity(dev, options(s), identity);
}

/* The program's own text, after definitions and dialect: from the line after the last #line. */
static const char *own_text(const char *text)
{
    const char *found = text;
    for (const char *s = text; (s = strstr(s, "\n#line 1 \"")); ++s) found = s;
    const char *end = found == text ? NULL : strchr(found + 1, '\n');
    return end ? end + 1 : text;
}

static rw_status check_compile(rw_device *dev, rw_program *p, const char *text, rw_text *binary)
{
    const char *hooks;
    rw_text full = {0};
    if (p->group >= RW_CHECK_MANY)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "program %s: GROUP = %d: check takes less than %d items", p->name,
                       p->group, RW_CHECK_MANY);
    RW_TRY(hooks_text(dev, &hooks));
    RW_TRY(rw_check_lint(dev->ctx, p->name, own_text(text)));
    rw_text_add_bytes(&full, hooks, strlen(hooks));
    rw_text_add_bytes(&full, text, strlen(text));
    rw_status status = full.failed ? rw_fail_memory(dev->ctx, full.length, "the text of a program")
                                   : rw_cc_compile(dev, p, full.data, options(state_of(dev)), binary);
    rw_text_free(&full);
    return status;
}

static rw_status check_load(rw_device *dev, rw_program *p, const rw_text *binary)
{
    rw_check_state *s = state_of(dev);
    RW_TRY(rw_cc_load(dev, p, binary));
    pthread_mutex_lock(&s->lock);
    rw_status status = rw_check_module_create(s, p, binary->data, binary->length);
    pthread_mutex_unlock(&s->lock);
    return status;
}

static void check_unload(rw_device *dev, rw_program *p)
{
    rw_check_state *s = state_of(dev);
    pthread_mutex_lock(&s->lock);
    rw_check_module_destroy(s, p);
    pthread_mutex_unlock(&s->lock);
    rw_cc_unload(p);
}

/* ---- launch ------------------------------------------------------------------------------------------------ */

static rw_status choose_order(rw_check_launch *l)
{
    static const char *const names[] = {"forward", "reverse", "shuffle"};
    const char *wish = getenv("RECHENWERK_CHECK_ORDER");
    l->order = (rw_check_order)(l->state->launches++ % 3);
    if (!wish || !*wish) return RW_OK;
    for (int i = 0; i < RW_COUNT(names); ++i)
        if (!strcmp(wish, names[i])) {
            l->order = (rw_check_order)i;
            return RW_OK;
        }
    const char *near = rw_nearest(wish, names, RW_COUNT(names));
    return rw_fail(l->device->ctx, RW_ERR_ARGUMENT,
                   "RECHENWERK_CHECK_ORDER = %s%s%s: give forward, reverse or shuffle, or unset it", wish,
                   near ? "; nearest is " : "", near ? near : "");
}

/* An array among the arguments, possibly not for the first time. */
static rw_status pass(rw_check_launch *l, const rw_launch_arg *arg)
{
    rw_check_area *a = rw_check_find(l->state, arg->buffer);
    if (!a)
        return rw_fail(l->device->ctx, RW_ERR_CHECK, "kernel %s: the array for '%s' no longer exists", l->kernel->name,
                       arg->parameter->name);
    size_t scalar = rw_dtype_size(arg->array->dtype) / (rw_dtype_is_complex(arg->array->dtype) ? 2 : 1);
    if (a->passed) {
        a->constant = a->constant && arg->parameter->constant;
        return RW_OK;
    }
    a->passed = true;
    a->constant = arg->parameter->constant;
    a->array = arg->array;
    a->item = rw_dtype_size(arg->array->dtype);
    a->bytes = arg->array->storage->bytes;
    l->areas[l->nareas++] = a;
    l->npassed = l->nareas;
    if (rw_storage_one(arg->array->storage) && arg->array->storage->host_current) memset(a->written, 1, a->bytes);
    if (!rw_check_area_shadow(a, scalar == 1 ? 0 : scalar == 2 ? 1 : scalar == 4 ? 2 : 3))
        return rw_fail_memory(l->device->ctx, a->bytes, "the shadow of an array on the check device");
    return RW_OK;
}

static rw_status prepare(rw_check_launch *l)
{
    RW_TRY(choose_order(l));
    for (int i = 0; i < l->nargs; ++i) {
        if (l->args[i].buffer) RW_TRY(pass(l, l->args + i));
        l->values[i] = l->args[i];
        l->addresses[i] = l->args[i].buffer ? l->args[i].buffer->pointer : NULL;
        l->pointers[i] = l->args[i].buffer ? (void *)(l->addresses + i) : (void *)&l->values[i].value;
    }
    l->lane_stride = rw_check_stride(l->kernel->program->group);
    l->group_stride = rw_check_stride(l->total);
    l->starts = l->total < 1 << 24 ? rw_calloc((size_t)l->total, sizeof *l->starts) : NULL;
    return RW_OK;
}

/* A function of its own: its frame bounds the kernel's stack, and a report comes back here. */
static __attribute__((noinline)) void run_groups(rw_check_launch *l)
{
    rw_cc_entry *entry = (rw_cc_entry *)l->kernel->handle;
    l->stack = __builtin_frame_address(0);
    l->launch_segment = l->segment + 1;
    if (sigsetjmp(l->leave, 0)) return;
    for (l->turn = 0; l->turn < l->total; ++l->turn) {
        l->group = rw_check_permute(l->order, l->turn, l->total, l->group_stride);
        l->group_segment = ++l->segment;
        if (l->starts) l->starts[l->turn] = l->segment;
        l->nareas = l->npassed;
        l->line = 0;
        entry(l->pointers, l->n, l->group, l->group + 1);
    }
}

/* The second line of defence: what a write that has no hook did around the arrays. */
static void verify_guards(rw_check_launch *l)
{
    for (rw_check_area *a = l->state->arrays; a; a = a->next) {
        ptrdiff_t damage = rw_check_area_damage(a);
        if (damage && l->status == RW_OK)
            l->status = rw_fail(l->device->ctx, RW_ERR_CHECK,
                                "guard zone: kernel %s, or the host before it, changed byte %td of %s", l->kernel->name,
                                damage, rw_check_area_name(l, a).text);
    }
    for (int i = 0; i < RW_CHECK_DECLARED; ++i)
        if (l->state->declared[i] && rw_check_area_damage(l->state->declared[i]) && l->status == RW_OK)
            l->status = rw_fail(l->device->ctx, RW_ERR_CHECK, "guard zone: kernel %s wrote beside shared memory",
                                l->kernel->name);
}

static rw_status check_launch(rw_queue *q, rw_kernel *k, const int64_t groups[3], const rw_launch_arg *args, int nargs)
{
    rw_check_state *s = state_of(q->device);
    rw_check_launch *l = &s->launch;
    pthread_mutex_lock(&s->lock);
    memset(l, 0, sizeof *l);
    l->device = q->device;
    l->state = s;
    l->kernel = k;
    l->args = args;
    l->nargs = nargs;
    l->total = (long)(groups[0] * groups[1] * groups[2]);
    for (int d = 0; d < 3; ++d) l->n[d] = (int)groups[d];
    l->segment = s->segment;
    for (l->module = s->modules; l->module->program != k->program;) l->module = l->module->next;
    l->status = prepare(l);
    if (l->status == RW_OK) {
        rw_check_now = l;
        run_groups(l);
        rw_check_now = NULL;
        verify_guards(l);
    }
    for (int i = 0; i < l->npassed; ++i) {
        l->areas[i]->passed = false;
        l->areas[i]->array = NULL;
    }
    s->segment = l->segment;
    rw_free(l->starts);
    rw_status status = l->status;
    pthread_mutex_unlock(&s->lock);
    return status;
}

const rw_device_ops rw_check_ops = {
    .kind = "check",
    .suffix = ".so",
    .list = check_list,
    .open = check_open,
    .close = check_close,
    .alloc = check_alloc,
    .free = check_free,
    .copy_in = check_copy_in,
    .copy_out = check_copy_out,
    .copy = check_copy,
    .zero = check_zero,
    .identity = check_identity,
    .compile = check_compile,
    .load = check_load,
    .unload = check_unload,
    .launch = check_launch,
    .queue_create = rw_cpu_queue_create,
    .queue_destroy = rw_cpu_queue_destroy,
    .wait = rw_cpu_wait,
    .event_create = rw_cpu_event_create,
    .event_destroy = rw_cpu_event_destroy,
    .event_record = rw_cpu_event_record,
    .event_wait = rw_cpu_event_wait,
    .event_order = rw_cpu_event_order,
    .event_seconds = rw_cpu_event_seconds,
    .compiler_version = rw_cc_version,
    .host = true,
    .discrete = true,
    .survives_fork = true,
    .shared_most = RW_SHARED_MOST,
};
