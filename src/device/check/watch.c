/* The table that a loaded program calls: at each access, each item, each barrier. Each entry answers for the launch
 * of its thread, and leaves the kernel when it finds a mistake, before the access is made. */
#include <string.h>

#include "device/check/check.h"

_Thread_local rw_check_launch *rw_check_now;

/* ---- orders ------------------------------------------------------------------------------------------------ */

long rw_check_stride(long n)
{
    for (long s = (long)((double)n * 0.618) | 1;; s += 2) {
        long a = s, b = n;
        while (b) {
            long r = a % b;
            a = b;
            b = r;
        }
        if (a == 1) return s;
    }
}

long rw_check_permute(rw_check_order order, long k, long n, long stride)
{
    if (order == RW_CHECK_FORWARD) return k;
    if (order == RW_CHECK_REVERSE) return n - 1 - k;
    if (n < 1 << 24) return (k * stride + n / 3) % n;
    return (long)(((__int128)k * stride + n / 3) % n);
}

/* ---- accesses ---------------------------------------------------------------------------------------------- */

static const char *const verbs[] = {"reads", "writes", "adds to"};

static const rw_check_area *holder(const rw_check_launch *l, const char *p)
{
    for (int i = 0; i < l->nareas; ++i)
        if (rw_check_area_holds(l->areas[i], p)) return l->areas[i];
    const rw_check_area *a = l->state->arrays;
    while (a && !rw_check_area_holds(a, p)) a = a->next;
    return a;
}

/* Which array was missed, and by how much: told by the gap that the address lies in. */
static _Noreturn __attribute__((noinline, cold)) void report_outside(rw_check_launch *l, const char *p, size_t bytes,
                                                                     int kind, const void *from)
{
    const rw_check_area *a = holder(l, p);
    if (!a)
        rw_check_report(l, "out of bounds", from, 0, "%s %zu bytes at address %p, far from every array", verbs[kind],
                        bytes, (const void *)p);
    if (a->kind == RW_CHECK_GLOBAL && !a->passed)
        rw_check_report(l, "out of bounds", from, 0, "%s %zu bytes in or near %s", verbs[kind], bytes,
                        rw_check_area_name(l, a).text);
    long long offset = (long long)((intptr_t)p - (intptr_t)a->data), item = (long long)a->item;
    long long element = (offset >= 0 ? offset : offset - item + 1) / item, size = (long long)a->bytes;
    char place[96];
    if (offset < 0) snprintf(place, sizeof place, "%lld bytes before the beginning", -offset);
    else if (offset >= size) snprintf(place, sizeof place, "%lld bytes past the end", offset - size);
    else snprintf(place, sizeof place, "across the end");
    rw_check_report(l, "out of bounds", from, 0, "%s %zu bytes %s of %s (element %lld)", verbs[kind], bytes, place,
                    rw_check_area_name(l, a).text, element);
}

/* A private value belongs to one item and is read only after that item has written it.
 *
 * In an EACH2 the cpu keeps one value for each i, a GPU one for each lane, so there it may be a scratch value of the
 * item, or a sum that all items add to, whichever value each adds to. A byte is SCRATCH once the item writes it
 * without having read it, SUMMED once it has read it; when the item ends, scratch values are gone. */
enum { UNWRITTEN, WRITTEN, SCRATCH, SUMMED };

/* Of the shadow's bytes; most accesses are 8 bytes. */
static inline bool has_zero(const uint8_t *p, size_t bytes)
{
    if (bytes != 8) return memchr(p, 0, bytes) != NULL;
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return ((x - 0x0101010101010101u) & ~x & 0x8080808080808080u) != 0;
}

static inline void set(uint8_t *p, uint8_t state, size_t bytes)
{
    if (bytes == 8) memset(p, state, 8);
    else memset(p, state, bytes);
}

static void use_private(rw_check_launch *l, rw_check_area *a, size_t offset, size_t bytes, int kind, const void *from)
{
    const rw_check_each *e = l->each;
    const size_t first = e ? (size_t)e->slot * a->item : 0;
    if (!e || offset < first || offset + bytes > first + a->item)
        rw_check_report(l, "private", from, 0, "%s '%s' of item %ld, which no other item can reach", verbs[kind],
                        a->name, (long)(offset / a->item));
    uint8_t *state = a->written + offset;
    if (kind == RW_CHECK_READ && has_zero(state, bytes))
        rw_check_report(l, "unwritten", from, 0, "reads private '%s' (line %d), which this item has not written%s",
                        a->name, a->line, a->forgotten ? ": what an item of EACH2 sets is gone when it ends" : "");
    if (!e->name[1]) {
        set(state, WRITTEN, bytes);
        return;
    }
    const uint8_t stays = kind == RW_CHECK_READ ? SCRATCH : SUMMED, becomes = kind == RW_CHECK_READ ? SUMMED : SCRATCH;
    for (size_t i = 0; i < bytes; ++i) state[i] = state[i] == stays ? stays : becomes;
}

static void end_private(rw_check_launch *l, int slot)
{
    for (int i = l->npassed; i < l->nareas; ++i) {
        rw_check_area *a = l->areas[i];
        uint8_t *state = a->written + (size_t)slot * a->item;
        for (size_t k = 0; a->kind == RW_CHECK_PRIVATE && k < a->item; ++k) {
            a->forgotten = a->forgotten || state[k] == SCRATCH;
            state[k] = state[k] == SCRATCH ? UNWRITTEN : state[k] == SUMMED ? WRITTEN : state[k];
        }
    }
}

static void check_written(rw_check_launch *l, const rw_check_area *a, size_t offset, size_t bytes, const void *from)
{
    if (!has_zero(a->written + offset, bytes)) return;
    const uint8_t *hole = memchr(a->written + offset, 0, bytes);
    rw_check_report(l, "unwritten", from, 0, "reads element %zu of %s, which nothing has written%s",
                    (size_t)(hole - a->written) / a->item, rw_check_area_name(l, a).text,
                    a->kind == RW_CHECK_GLOBAL ? "" : " in this group");
}

static rw_check_area *find(rw_check_launch *l, const char *p, const void *from)
{
    rw_check_area **near = l->near + (uintptr_t)from / 4 % RW_CHECK_NEAR;
    if (*near && rw_check_area_holds(*near, p)) return *near;
    for (int i = 0; i < l->nareas; ++i)
        if (rw_check_area_holds(l->areas[i], p)) return *near = l->areas[i];
    return NULL;
}

static void on_access(const void *address, unsigned long bytes, int kind, const void *from)
{
    rw_check_launch *l = rw_check_now;
    const char *p = address, *frame = __builtin_frame_address(0);
    if (bytes == 0 || (p >= frame && p < l->stack)) return;
    if (p >= (char *)l && p < (char *)(l + 1)) return; /* the entry point unpacks the arguments */
    if (p >= l->module->low && p < l->module->high) {
        if (kind == RW_CHECK_READ) return;
        rw_check_report(l, "constant", from, 0, "%s a CONSTANT of the program", verbs[kind]);
    }
    rw_check_area *a = find(l, p, from);
    size_t offset = a ? (size_t)(p - a->data) : 0; /* huge when before the data */
    if (!a || offset >= a->bytes || bytes > a->bytes - offset) report_outside(l, p, bytes, kind, from);
    if (kind != RW_CHECK_WRITE) a->bytes_read += bytes;
    if (kind != RW_CHECK_READ) a->bytes_written += bytes;
    if (a->kind == RW_CHECK_PRIVATE) {
        use_private(l, a, offset, bytes, kind, from);
    } else {
        if (kind != RW_CHECK_READ && a->constant)
            rw_check_report(l, "constant", from, 0, "%s element %zu of %s, which the kernel declares const",
                            verbs[kind], offset / a->item, rw_check_area_name(l, a).text);
        if (kind != RW_CHECK_READ && rw_check_lane(l) == RW_CHECK_ALL)
            rw_check_report(l, "outside EACH", from, 0,
                            "%s element %zu of %s: every item of a group does this on a GPU; put it into EACH(i, 1)",
                            verbs[kind], offset / a->item, rw_check_area_name(l, a).text);
        rw_check_touch(l, a, offset, bytes, kind, from);
        if (kind != RW_CHECK_WRITE) check_written(l, a, offset, bytes, from);
        if (kind != RW_CHECK_READ) set(a->written + offset, WRITTEN, bytes);
    }
}

/* ---- words of the dialect ---------------------------------------------------------------------------------- */

/* Of the parts that an element consists of: an element may be an array. */
static int cell_shift(size_t align) { return align >= 4 ? 2 : align == 2 ? 1 : 0; }

static _Noreturn void leave_without_memory(rw_check_launch *l, size_t bytes)
{
    l->status = rw_fail_memory(l->device->ctx, bytes, "a SHARED or PRIVATE array of a kernel");
    siglongjmp(l->leave, 1);
}

/* The area of a declaration: the same one when the declaration is met again in this group. */
static rw_check_area *declare(rw_check_launch *l, const char *name, size_t bytes, int kind, int line)
{
    for (int i = l->npassed; i < l->nareas; ++i) {
        rw_check_area *a = l->areas[i];
        if (a->line == line && a->kind == kind && !strcmp(a->name, name) && a->capacity >= bytes) return a;
    }
    int k = l->nareas - l->npassed;
    if (k == RW_CHECK_DECLARED)
        rw_check_report(l, "dialect", NULL, line, "declares more than %d SHARED and PRIVATE arrays", k);
    rw_check_area **memory = l->state->declared + k;
    if (*memory && (*memory)->capacity < bytes) {
        memset(l->near, 0, sizeof l->near);
        rw_check_area_destroy(*memory);
        *memory = NULL;
    }
    if (!*memory && !(*memory = rw_check_area_create(bytes))) leave_without_memory(l, bytes);
    return l->areas[l->nareas++] = *memory;
}

static void *on_array(const char *name, unsigned long item, unsigned long align, unsigned long count, int kind,
                      int line)
{
    rw_check_launch *l = rw_check_now;
    size_t bytes = item * count;
    bool private = kind == RW_CHECK_PRIVATE;
    if (l->each && !private)
        rw_check_report(l, "dialect", NULL, line, "declares shared '%s' inside EACH: declare it before", name);
    if (bytes == 0) rw_check_report(l, "dialect", NULL, line, "declares '%s' with no elements", name);
    for (int i = l->npassed; kind == RW_CHECK_LARGE && i < l->nareas; ++i)
        if (l->areas[i]->kind == RW_CHECK_LARGE && (l->areas[i]->line != line || strcmp(l->areas[i]->name, name)))
            rw_check_report(l, "dialect", NULL, line,
                            "declares a second SHARED_LARGE, '%s' besides '%s': on CUDA both are the same memory", name,
                            l->areas[i]->name);
    rw_check_area *a = declare(l, name, bytes, kind, line);
    a->name = name;
    a->line = line;
    a->kind = kind;
    a->item = item;
    a->bytes = bytes;
    size_t shared = 0;
    for (int i = l->npassed; i < l->nareas; ++i)
        shared += l->areas[i]->kind == RW_CHECK_SHARED ? l->areas[i]->bytes : 0;
    if (shared > RW_SHARED_MOST)
        rw_check_report(l, "dialect", NULL, line, "'%s' makes %zu bytes of SHARED, where CUDA has %d: use SHARED_LARGE",
                        name, shared, RW_SHARED_MOST);
    a->forgotten = false;
    rw_check_area_poison(a);
    if (!private && !rw_check_area_shadow(a, cell_shift(align))) leave_without_memory(l, bytes);
    return a->data;
}

static void on_barrier(int line)
{
    rw_check_launch *l = rw_check_now;
    if (l->each)
        rw_check_report(l, "barrier inside EACH", NULL, line,
                        "not every item of the group reaches this BARRIER: end the EACH of line %d before it",
                        l->each->line);
    l->line = line;
    l->segment++;
}

static void begin(rw_check_launch *l, rw_check_each *e)
{
    int group = l->kernel->program->group;
    if (l->each)
        rw_check_report(l, "dialect", NULL, e->line, "EACH inside the EACH of line %d: only groups can start one",
                        l->each->line);
    if (e->name[1] && (e->width < 1 || group % e->width))
        rw_check_report(l, "dialect", NULL, e->line, "EACH2 with GROUP_X = %d, which does not divide GROUP = %d",
                        e->width, group);
    l->line = e->line;
    e->started = 1;
    e->turn = -1; /* no lane yet */
}

/* Items of one lane come in rising order, as in the loop of a GPU's thread. Forward: row after row, as on the cpu.
 * Else: lane after lane, in the order of the launch. */
static bool advance(const rw_check_launch *l, rw_check_each *e)
{
    const int group = l->kernel->program->group, width = e->width;
    const bool one = !e->name[1]; /* a dimension: width = group */
    long *i = e->at, *j = e->at + 1;
    if (e->lo[0] >= e->hi[0] || e->lo[1] >= e->hi[1]) return false;
    if (l->order == RW_CHECK_FORWARD) {
        if (e->turn < 0) {
            e->turn = 0;
            *i = e->lo[0];
            *j = e->lo[1];
            e->lane = 0;
            return true;
        }
        if (++*i == e->hi[0]) {
            *i = e->lo[0];
            ++*j;
        }
        if (one) e->lane = e->lane + 1 == width ? 0 : e->lane + 1;
        else e->lane = (int)((*j - e->lo[1]) % (group / width) * width + (*i - e->lo[0]) % width);
        return *j < e->hi[1];
    }
    if (e->turn >= 0 && (*i += width) < e->hi[0]) return true;
    if (e->turn >= 0 && !one && (*j += group / width) < e->hi[1]) {
        *i = e->lo[0] + e->lane % width;
        return true;
    }
    do {
        if (++e->turn == group) return false;
        e->lane = (int)rw_check_permute(l->order, e->turn, group, l->lane_stride);
        *i = e->lo[0] + (one ? e->lane : e->lane % width);
        *j = e->lo[1] + (one ? 0 : e->lane / width);
    } while (*i >= e->hi[0] || *j >= e->hi[1]);
    return true;
}

static int on_each_next(rw_check_each *e)
{
    rw_check_launch *l = rw_check_now;
    if (!e->started) begin(l, e);
    else if (e->open)
        rw_check_report(l, "dialect", NULL, e->line,
                        "break leaves the EACH: on a GPU it ends one item, on a cpu all that follow; use if");
    else if (e->name[1]) end_private(l, e->slot);
    l->each = NULL;
    if (!advance(l, e)) return 0;
    l->each = e;
    e->open = 1;
    e->slot = e->name[1] && l->order == RW_CHECK_FORWARD ? (int)((e->at[0] - e->lo[0]) % l->kernel->program->group)
                                                         : e->lane; /* as the cpu does, as a GPU does */
    return 1;
}

static void on_each_end(rw_check_each *e)
{
    rw_check_launch *l = rw_check_now;
    if (e->open)
        rw_check_report(l, "dialect", NULL, e->line, "return or goto leaves the EACH: other items go on; use if");
    l->each = NULL;
}

static void on_other_item(const rw_check_each *e, long i, int line)
{
    rw_check_report(rw_check_now, "private", NULL, line,
                    "AT with index %ld while %s = %ld: an item reaches only its own private values", i, e->name[0],
                    e->at[0]);
}

static void on_print(const char *format, va_list args)
{
    rw_check_launch *l = rw_check_now;
    char text[512];
    rw_vsnprintf(text, sizeof text, format, args);
    text[strcspn(text, "\n")] = 0;
    rw_log(l->device->ctx, RW_LOG_INFO, "%s, %s: %s", l->kernel->name, rw_check_who(l).text, text);
}

/* ---- bounds of local arrays and arithmetic ----------------------------------------------------------------- */

/* The compiler's description of a type, and of a place with one or two types (the ABI of UBSan). */
typedef struct type_info {
    uint16_t kind, info; /* of integers: bit 0 signed, then log2 of the bits */
    char name[];
} type_info;
typedef struct place_info {
    const char *file;
    uint32_t line, column;
    const type_info *type, *index;
} place_info;

static long long value_of(const type_info *t, unsigned long v)
{
    int bits = t->kind == 0 ? 1 << (t->info >> 1) : 64;
    if (bits >= 64 || !(t->info & 1)) return (long long)v;
    return (long long)(v << (64 - bits)) >> (64 - bits);
}

static void on_undefined(const char *what, const void *data, unsigned long a, unsigned long b, const void *from)
{
    rw_check_launch *l = rw_check_now;
    const place_info *d = data;
    const char *finding = "arithmetic", *type = d->type->name;
    int line = (int)d->line;
    if (rw_check_line(l->module, from) > 0) line = 0; /* a line of the text, even inside a function of the dialect */
    else from = NULL;
    if (!strcmp(what, "out_of_bounds"))
        rw_check_report(l, "out of bounds", from, line, "index %lld of a local or CONSTANT array of type %s",
                        value_of(d->index, a), type);
    if (!strcmp(what, "shift_out_of_bounds"))
        rw_check_report(l, finding, from, line, "shift of a %s by %lld bits", type, value_of(d->index, b));
    if (!strcmp(what, "negate_overflow"))
        rw_check_report(l, finding, from, line, "-(%lld) is outside %s", value_of(d->type, a), type);
    long long x = value_of(d->type, a), y = value_of(d->type, b);
    if (!strcmp(what, "divrem_overflow") && y == 0)
        rw_check_report(l, finding, from, line, "division of %s %lld by zero", type, x);
    const char *sign = !strcmp(what, "add_overflow")   ? "+"
                       : !strcmp(what, "sub_overflow") ? "-"
                       : !strcmp(what, "mul_overflow") ? "*"
                                                       : "/";
    rw_check_report(l, finding, from, line, "%lld %s %lld is outside %s", x, sign, y, type);
}

const rw_check_hooks rw_check_table = {
    .access = on_access,
    .array = on_array,
    .barrier = on_barrier,
    .each_next = on_each_next,
    .each_end = on_each_end,
    .other_item = on_other_item,
    .print = on_print,
    .undefined = on_undefined,
    .copy = memcpy,
    .fill = memset,
};
