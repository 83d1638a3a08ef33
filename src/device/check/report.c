/* Messages: "finding: kernel K, line L, group g, item i: what it does". */
#include <string.h>

#include "device/check/check.h"

rw_check_name rw_check_group_name(const rw_check_launch *l, long group)
{
    rw_check_name name;
    long x = group % l->n[0], y = group / l->n[0] % l->n[1], z = group / l->n[0] / l->n[1];
    if (l->n[1] == 1 && l->n[2] == 1) snprintf(name.text, sizeof name.text, "group %ld", x);
    else if (l->n[2] == 1) snprintf(name.text, sizeof name.text, "group (%ld, %ld)", x, y);
    else snprintf(name.text, sizeof name.text, "group (%ld, %ld, %ld)", x, y, z);
    return name;
}

rw_check_name rw_check_who(const rw_check_launch *l)
{
    rw_check_name name = rw_check_group_name(l, l->group);
    size_t n = strlen(name.text);
    const rw_check_each *e = l->each;
    if (!e) snprintf(name.text + n, sizeof name.text - n, ", all items");
    else if (e->name[1])
        snprintf(name.text + n, sizeof name.text - n, ", item %d (%.60s = %ld, %.60s = %ld)", e->lane, e->name[0],
                 e->at[0], e->name[1], e->at[1]);
    else if (e->at[0] == e->lane) snprintf(name.text + n, sizeof name.text - n, ", item %d", e->lane);
    else snprintf(name.text + n, sizeof name.text - n, ", item %d (%.60s = %ld)", e->lane, e->name[0], e->at[0]);
    return name;
}

/* 'x', or 'x' (also 'y') where the same array was passed twice. */
static void add_parameters(const rw_check_launch *l, const rw_check_area *a, char *text, size_t size)
{
    int found = 0;
    for (int i = 0; i < l->nargs; ++i) {
        if (!l->args[i].buffer || rw_check_find(l->state, l->args[i].buffer) != a) continue;
        size_t n = strlen(text);
        snprintf(text + n, size - n, found++ ? ", passed as '%s' too," : "'%s'", l->args[i].parameter->name);
    }
    if (!found) snprintf(text + strlen(text), size - strlen(text), "that was not passed,");
}

rw_check_name rw_check_area_name(const rw_check_launch *l, const rw_check_area *a)
{
    rw_check_name name = {"array "};
    if (a->kind == RW_CHECK_GLOBAL && a->array) {
        const rw_array *r = a->array;
        add_parameters(l, a, name.text, sizeof name.text);
        for (int d = 0; d < r->ndim; ++d) {
            size_t n = strlen(name.text);
            snprintf(name.text + n, sizeof name.text - n, "%s %lld", d ? " x" : " of", (long long)r->shape[d]);
        }
        size_t n = strlen(name.text);
        snprintf(name.text + n, sizeof name.text - n, " %s", rw_dtype_name(r->dtype));
    } else if (a->kind == RW_CHECK_GLOBAL) {
        snprintf(name.text, sizeof name.text, "an array of %zu bytes that was not passed", a->bytes);
    } else {
        const char *kind = a->kind == RW_CHECK_PRIVATE ? "private" : "shared";
        snprintf(name.text, sizeof name.text, "%s '%s' of %zu elements (line %d)", kind, a->name, a->bytes / a->item,
                 a->line);
    }
    return name;
}

_Noreturn void rw_check_report(rw_check_launch *l, const char *finding, const void *from, int line, const char *format,
                               ...)
{
    static const char *const orders[] = {"forward", "reverse", "shuffle"};
    rw_context *ctx = l->device->ctx;
    char text[1024], place[48] = "";
    va_list args;
    va_start(args, format);
    rw_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    int exact = from ? rw_check_line(l->module, from) : line;
    if (exact > 0) snprintf(place, sizeof place, "line %d, ", exact);
    else if (l->line > 0) snprintf(place, sizeof place, "after line %d, ", l->line);
    l->status = rw_fail(ctx, RW_ERR_CHECK, "%s: kernel %s, %s%s: %s [program %s, %s order]", finding, l->kernel->name,
                        place, rw_check_who(l).text, text, l->kernel->program->name, orders[l->order]);
    siglongjmp(l->leave, 1);
}
