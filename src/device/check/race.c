/* Which accesses of one launch may happen in either order, and so race.
 *
 * Groups run here one after the other, and the items of a group in some order; a segment is what a group does between
 * two barriers. Segments are numbered, so an earlier access and the present one are
 *
 *   segment before this launch          ordered (for shared memory: before this group)
 *   segment before this group           not ordered: another group
 *   segment before this one             ordered: a barrier lies between
 *   this segment                        ordered if of the same lane, one thread on a GPU
 *
 * Two accesses race when they are not ordered, one at least writes, and not both are atomic. A cell keeps one plain
 * write, one atomic update and two reads. That is enough: an access is replaced only by one that every later access
 * races with, if it races with the one replaced. */
#include "device/check/check.h"

static rw_check_stamp stamp(uint64_t segment, int lane) { return segment << RW_CHECK_LANE_BITS | (rw_check_stamp)lane; }
static uint64_t segment_of(rw_check_stamp s) { return s >> RW_CHECK_LANE_BITS; }
static int lane_of(rw_check_stamp s) { return (int)(s & RW_CHECK_ALL); }

int rw_check_lane(const rw_check_launch *l)
{
    if (l->each) return l->each->lane;
    return l->kernel->program->group == 1 ? 0 : RW_CHECK_ALL;
}

static bool of_other_group(const rw_check_launch *l, const rw_check_area *a, rw_check_stamp s)
{
    return a->kind == RW_CHECK_GLOBAL && segment_of(s) >= l->launch_segment && segment_of(s) < l->group_segment;
}

static bool ordered(const rw_check_launch *l, const rw_check_area *a, rw_check_stamp s, int lane)
{
    return segment_of(s) < l->segment ? !of_other_group(l, a, s) : lane_of(s) == lane;
}

/* The linear number of the group whose run the segment belongs to; -1 when it was not noted. */
static long group_of(const rw_check_launch *l, uint64_t segment)
{
    if (!l->starts) return -1;
    long lo = 0, hi = l->turn; /* starts[lo] <= segment < starts[hi] */
    while (hi - lo > 1) {
        long middle = (lo + hi) / 2;
        if (l->starts[middle] <= segment) lo = middle;
        else hi = middle;
    }
    return rw_check_permute(l->order, lo, l->total, l->group_stride);
}

static _Noreturn void report(rw_check_launch *l, const rw_check_area *a, size_t offset, int kind, const void *from,
                             const rw_check_cell *c, int which)
{
    static const char *const does[] = {"reads", "writes", "adds atomically to"};
    static const char *const did[] = {"wrote", "added to atomically", "read", "read"};
    rw_check_stamp s = c->last[which];
    int lane = lane_of(s), line = rw_check_line(l->module, l->module->base + c->at[which]);
    bool other = of_other_group(l, a, s);
    long group = other ? group_of(l, segment_of(s)) : -1;
    char item[48] = "all items", of[300] = "", place[32] = "";
    if (lane == RW_CHECK_MANY) snprintf(item, sizeof item, "other items");
    else if (lane != RW_CHECK_ALL) snprintf(item, sizeof item, "item %d", lane);
    if (other && group < 0) snprintf(of, sizeof of, " of another group");
    else if (other) snprintf(of, sizeof of, " of %s", rw_check_group_name(l, group).text);
    if (line > 0) snprintf(place, sizeof place, " in line %d", line);
    rw_check_report(l, "race", from, 0, "%s element %zu of %s, which %s%s %s%s%s", does[kind], offset / a->item,
                    rw_check_area_name(l, a).text, item, of, did[which], place,
                    other ? ": groups of a launch run in any order" : " without a BARRIER between");
}

static void keep(rw_check_cell *c, int which, rw_check_stamp s, uint32_t at)
{
    c->last[which] = s;
    c->at[which] = at;
}

static void keep_read(const rw_check_launch *l, const rw_check_area *a, rw_check_cell *c, rw_check_stamp now,
                      uint32_t at)
{
    rw_check_stamp last = c->last[RW_CHECK_LAST_READ];
    if (of_other_group(l, a, last)) return; /* races with every write to come */
    if (segment_of(last) != l->segment) {
        keep(c, RW_CHECK_LAST_READ, now, at);
        c->last[RW_CHECK_OTHER_READ] = 0;
    } else if (last != now && !c->last[RW_CHECK_OTHER_READ]) {
        keep(c, RW_CHECK_OTHER_READ, now, at);
    }
}

static void keep_atomic(const rw_check_launch *l, const rw_check_area *a, rw_check_cell *c, rw_check_stamp now,
                        uint32_t at)
{
    rw_check_stamp last = c->last[RW_CHECK_LAST_ATOMIC];
    if (of_other_group(l, a, last)) return; /* races with every plain access to come */
    if (segment_of(last) == l->segment && last != now) now = stamp(l->segment, RW_CHECK_MANY);
    keep(c, RW_CHECK_LAST_ATOMIC, now, at);
}

void rw_check_touch(rw_check_launch *l, rw_check_area *a, size_t offset, size_t bytes, int kind, const void *from)
{
    int lane = rw_check_lane(l);
    rw_check_stamp now = stamp(l->segment, lane);
    uint32_t at = (uint32_t)((const char *)from - l->module->base);
    for (size_t i = offset >> a->shift, end = (offset + bytes - 1) >> a->shift; i <= end; ++i) {
        rw_check_cell *c = a->cells + i;
        /* read again by the same item: what came between would have raced with the first time */
        if (kind == RW_CHECK_READ && (c->last[RW_CHECK_LAST_READ] == now || c->last[RW_CHECK_OTHER_READ] == now))
            continue;
        for (int k = 0; k < (kind == RW_CHECK_READ ? RW_CHECK_LAST_READ : RW_CHECK_KEPT); ++k)
            if (!(k == RW_CHECK_LAST_ATOMIC && kind == RW_CHECK_ATOMIC) && !ordered(l, a, c->last[k], lane))
                report(l, a, RW_MAX(offset, i << a->shift), kind, from, c, k);
        if (kind == RW_CHECK_READ) {
            keep_read(l, a, c, now, at);
        } else if (kind == RW_CHECK_ATOMIC) {
            keep_atomic(l, a, c, now, at);
        } else {
            for (int k = 0; k < RW_CHECK_KEPT; ++k) c->last[k] = 0;
            keep(c, RW_CHECK_LAST_WRITE, now, at);
        }
    }
}
