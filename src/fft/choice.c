/* Choices of passes by heuristics: few stages; enough resident workgroups that some load while others compute; whole
 * sectors of memory. */
#include "fft/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fft/cluster.h"
#include "fft/middle.h"

enum {
    NEAR = 4096, /* points whose stages stay in the caches of a CPU core; above, two passes are faster */
    NARROW =
        /* a GPU's group holds so few lines of more points that it would read and write parts of sectors; of a
         * convolution, of half as many */
    4096
};
typedef long long big;

/* ---- passes ------------------------------------------------------------------------------------------------------ */

static void name_end(char *text, size_t size, const rw_fft_end *e)
{
    static const char *const level[] = {[RW_FFT_INSIDE] = "inside", [RW_FFT_POINTS] = "points", [RW_FFT_USER] = "user"};
    snprintf(text, size, "%s-%s%s%s", rw_dtype_name(e->dtype), level[e->level], e->unit ? "-near" : "",
             e->lines_fast ? "-lines" : "");
}

void rw_fft_line_key(const rw_fft_line_spec *s, char key[RW_FFT_KEY])
{
    static const char *const method[] =
        {[RW_FFT_STOCKHAM] = "", [RW_FFT_RADER] = " rader", [RW_FFT_BLUESTEIN] = " bluestein"};
    static const char *const middle[] =
        {[RW_FFT_NONE] = "", [RW_FFT_TABLE] = " table", [RW_FFT_ARRAY] = " product", [RW_FFT_DIVIDE] = " divide"};
    char x[40], y[40];
    name_end(x, sizeof x, &s->x);
    name_end(y, sizeof y, &s->y);
    const bool divided = s->divisor && s->middle != RW_FFT_DIVIDE;
    snprintf(key, RW_FFT_KEY, "pass %lld %s %s %s %d%s%s%s%s%s%s", (big)s->stages, s->f64 ? "f64" : "f32", x, y,
             (int)s->kind, method[s->method], middle[s->middle], s->twist ? " twist" : "", s->load ? " load" : "",
             s->store ? " store" : "", divided ? " divided" : "");
}

static int stages_of(int64_t n, int radix)
{
    int r[RW_FFT_STAGES];
    return rw_fft_factors(n, radix, r);
}

/* Points change in pairs, which takes both parts of them. */
static bool has_pairs(const rw_fft_line_spec *s) { return rw_fft_untangles(s) || rw_fft_divides_pairs(s); }

/* Elements of the items of a warp lie in four times the sectors that they fill. */
static bool scatters(const rw_fft_line_spec *s) { return rw_fft_scatters(s, false) || rw_fft_scatters(s, true); }

static bool between_lines(const rw_fft_line_spec *s) { return s->x.lines_fast || s->y.lines_fast; }

/* Of a GPU: how much of whole warps the items of these lines fill. */
static double filling(int items, int lines)
{
    const int group = items * lines;
    return (double)group / ((group + 31) / 32 * 32);
}

/* Resident workgroups per unit, limited by registers and shared memory. */
static int groups_at_once(const rw_device *dev, const rw_fft_line_spec *s, const rw_fft_choice *c)
{
    const rw_fft_share share = rw_fft_line_share(dev, s->stages, c->radix, s->f64);
    const int group = (share.items * c->lines + 31) / 32 * 32, values = share.values;
    const bool tangles = s->f64 && rw_fft_kind_is_inverse(s->kind); /* four elements and three factors a point */
    const int registers = RW_MIN(255, (s->f64 ? 4 * values + 40 : 2 * values + (values < 16 ? 32 : 40)) / 8 * 8 +
                                          (s->middle == RW_FFT_NONE     ? 0
                                           : s->middle == RW_FFT_DIVIDE ? 80
                                                                        : 16) +
                                          (tangles ? 32 : 0));
    const int64_t bytes = s->stages * c->lines * (s->f64 ? 16 : 8) / (c->halves ? 2 : 1);
    const int64_t by_registers = RW_FFT_REGISTERS / ((int64_t)group * registers),
                  by_memory = dev->info.shared_memory / RW_MAX(bytes, 1);
    return (int)RW_MAX(1, RW_MIN(RW_MIN(by_registers, by_memory), 2048 / group));
}

static rw_fft_choice of_cluster(const rw_fft_cluster *c, bool f64)
{
    return (rw_fft_choice){.radix = RW_FFT_RADIX,
                           .lines = c->lines,
                           .groups = RW_MAX(1, (f64 ? 512 : 1024) / c->group),
                           .cluster = c->groups};
}

static rw_fft_choice likely_of_gpu(const rw_device *dev, const rw_fft_line_spec *s)
{
    const int element = s->f64 ? 16 : 8;
    const bool large = !s->f64 && stages_of(s->stages, 32) < stages_of(s->stages, RW_FFT_RADIX) &&
                       s->stages >= (between_lines(s) ? 1024 : 2500);
    const rw_fft_target target = rw_fft_target_of(dev, s->f64);
    rw_fft_choice c = {.radix = large ? 32 : RW_FFT_RADIX, .lines = 1};
    if (s->method == RW_FFT_BLUESTEIN && s->stages == s->whole) rw_fft_cost(&target, s->stages, &c.radix);
    const int items = rw_fft_line_share(dev, s->stages, c.radix, s->f64).items;
    if (between_lines(s)) {
        c.lines = RW_MAX(1, RW_MIN((s->stages <= 128 ? 256 : 128) / element, dev->target.group_most / items));
    } else {
        /* A division has six exchanges through the buffer or more: groups of one warp do not wait for others. */
        const bool divides = s->middle == RW_FFT_DIVIDE;
        double best = 0;
        for (int lines = RW_MAX(1, (divides ? 32 : 128) / items); lines == 1 || lines * items <= 256; ++lines)
            if (filling(items, lines) > best + 0.05) {
                best = filling(items, lines);
                c.lines = lines;
            }
        c.staged = items * element < (s->f64 || s->stages <= 64 ? 64 : 128) && s->stages > 1;
        if (c.staged) c.lines = RW_MAX(16, 64 / items);
        c.ordered = !c.staged && (divides ? scatters(s) : rw_fft_scatters(s, true));
        c.halves = s->stages * element >= 1 << 16 && !has_pairs(s) && s->method == RW_FFT_STOCKHAM;
    }
    c.groups = groups_at_once(dev, s, &c);
    if (s->method == RW_FFT_BLUESTEIN && s->stages < s->whole && !s->f64)
        c.groups = RW_MIN(c.groups, 2); /* what they leave caches the chirp and its transform */
    const bool alone = s->stages <= rw_fft_line_most(dev, s->f64), narrow = between_lines(s) && s->stages >= NARROW;
    const rw_fft_cluster together = rw_fft_cluster_of(dev, s, 0);
    if ((!alone || narrow) && together.groups) c = of_cluster(&together, s->f64);
    return c;
}

/* Lines: neighbours whose points stay in the caches. */
static rw_fft_choice likely_of_processor(const rw_fft_line_spec *s)
{
    const int64_t element = s->f64 ? 16 : 8;
    return (rw_fft_choice){.radix = RW_FFT_RADIX,
                           .lines = between_lines(s)
                                        ? (int)RW_MIN(RW_MAX((1 << 18) / (s->stages * element) / 16 * 16, 16), 64)
                                        : 1};
}

rw_fft_choice rw_fft_choose(rw_device *dev, const rw_fft_line_spec *s)
{
    char key[RW_FFT_KEY], value[RW_FFT_KEY];
    rw_fft_choice c;
    rw_fft_line_key(s, key);
    if (rw_fft_wisdom_find(dev, key, value) && rw_fft_choice_parse(value, &c) &&
        (!c.cluster || rw_fft_cluster_of(dev, s, c.cluster).groups))
        return c;
    return rw_device_has_threads(dev) ? likely_of_gpu(dev, s) : likely_of_processor(s);
}

static void add_choice(const rw_fft_choice *from, rw_fft_choice c, rw_fft_choice *list, int most, int *n)
{
    if (*n < most && c.lines >= 1 && memcmp(from, &c, sizeof c)) list[(*n)++] = c;
}

int rw_fft_other_choices(const rw_device *dev, const rw_fft_line_spec *s, const rw_fft_choice *from,
                         rw_fft_choice *list, int most)
{
    static const int radices[] = {8, 16, 20, 24, 32};
    const bool threads = rw_device_has_threads(dev);
    int n = 0, now[RW_FFT_STAGES], other[RW_FFT_STAGES];
    for (int groups = dev->target.cluster; groups >= 4; groups /= 2) {
        const rw_fft_cluster c = rw_fft_cluster_of(dev, s, groups);
        if (c.groups && groups != from->cluster) add_choice(from, of_cluster(&c, s->f64), list, most, &n);
    }
    for (int by = -1; by <= 1 && from->cluster; by += 2) {
        rw_fft_choice c = *from;
        c.groups += by;
        if (c.groups > 0) add_choice(from, c, list, most, &n);
    }
    if (from->cluster) return n;
    const int stages = rw_fft_factors(s->stages, from->radix, now);
    for (int i = 0; i < RW_COUNT(radices); ++i) {
        const int count = rw_fft_factors(s->stages, radices[i], other);
        if (count == stages && !memcmp(now, other, (size_t)count * sizeof *now)) continue;
        rw_fft_choice c = *from;
        c.radix = radices[i];
        if (threads) c.groups = groups_at_once(dev, s, &c);
        add_choice(from, c, list, most, &n);
    }
    const int items = threads ? rw_fft_line_share(dev, s->stages, from->radix, s->f64).items : 1;
    for (int up = 0; up < 2; ++up) {
        rw_fft_choice c = *from;
        c.lines = up ? 2 * c.lines : c.lines / 2;
        if (c.lines < 1 || (threads && c.lines * items > dev->target.group_most)) continue;
        if (!threads && !between_lines(s)) continue;
        if (threads) c.groups = groups_at_once(dev, s, &c);
        add_choice(from, c, list, most, &n);
    }
    if (!threads) return n;
    for (int by = -1; by <= 1; by += 2) {
        rw_fft_choice c = *from;
        c.groups += by;
        if (c.groups > 0 && c.groups * c.lines * items <= 2048) add_choice(from, c, list, most, &n);
    }
    rw_fft_choice c = *from;
    c.halves = !c.halves;
    c.groups = groups_at_once(dev, s, &c);
    if (!has_pairs(s) && !c.staged && !c.ordered && stages > 1) add_choice(from, c, list, most, &n);
    c = *from;
    c.staged = !c.staged;
    if (!between_lines(s) && !c.halves && !c.ordered && s->stages <= 512) add_choice(from, c, list, most, &n);
    c = *from;
    c.ordered = !c.ordered;
    if (scatters(s) && !c.halves && !c.staged) add_choice(from, c, list, most, &n);
    return n;
}

void rw_fft_choice_print(const rw_fft_choice *c, char text[RW_FFT_KEY])
{
    char cluster[24] = "";
    if (c->cluster) snprintf(cluster, sizeof cluster, " cluster %d", c->cluster);
    snprintf(text, RW_FFT_KEY, "radix %d lines %d groups %d%s%s%s%s", c->radix, c->lines, c->groups, cluster,
             c->halves ? " halves" : "", c->staged ? " staged" : "", c->ordered ? " ordered" : "");
}

bool rw_fft_choice_parse(const char *text, rw_fft_choice *c)
{
    char word[3][8] = {"", "", ""};
    *c = (rw_fft_choice){0};
    int n = sscanf(text, "radix %d lines %d groups %d %7s %7s %7s", &c->radix, &c->lines, &c->groups, word[0], word[1],
                   word[2]);
    for (int i = 0; i < n - 3; ++i) {
        if (!strcmp(word[i], "halves")) c->halves = true;
        else if (!strcmp(word[i], "staged")) c->staged = true;
        else if (!strcmp(word[i], "ordered")) c->ordered = true;
        else if (!strcmp(word[i], "cluster") && i < n - 4) c->cluster = atoi(word[++i]);
        else return false;
    }
    return n >= 3 && c->radix >= 2 && c->radix <= 64 && c->lines >= 1 && c->lines <= 4096 && c->groups >= 0 &&
           c->groups <= 32 && c->halves + c->staged + c->ordered <= 1 && c->cluster >= 0 && c->cluster <= 16;
}

/* ---- axes -------------------------------------------------------------------------------------------------------- */

void rw_fft_axis_key(const rw_fft_axis *a, char key[RW_FFT_KEY])
{
    snprintf(key, RW_FFT_KEY, "axis %lld %s%s%s%s", (big)a->n, a->f64 ? "f64" : "f32", a->along ? "" : " across",
             a->convolves ? " convolves" : "", a->cluster ? " cluster" : "");
}

bool rw_fft_choose_matrix(rw_device *dev, const rw_fft_axis *axis, rw_fft_matrix *m)
{
    const int64_t most = rw_fft_line_most(dev, axis->f64);
    char key[RW_FFT_KEY], value[RW_FFT_KEY];
    *m = (rw_fft_matrix){0, 0};
    rw_fft_axis_key(axis, key);
    if (rw_fft_wisdom_find(dev, key, value) && rw_fft_matrix_parse(value, axis->n, m) &&
        (m->a ? RW_MAX(m->a, m->b) <= most : axis->single || axis->cluster))
        return true;
    *m = (rw_fft_matrix){0, 0};
    if (rw_device_has_threads(dev) && !axis->along && axis->single && !axis->cluster &&
        axis->n > (axis->convolves ? NARROW / 2 : NARROW) && rw_fft_split(axis->n, most, &m->a, &m->b))
        return true;
    if (rw_device_has_threads(dev) && axis->convolves && axis->single &&
        axis->n > rw_fft_target_of(dev, axis->f64).points && rw_fft_split(axis->n, most, &m->a, &m->b))
        return true;
    if (!rw_device_has_threads(dev) && !axis->convolves && axis->single && axis->n > NEAR &&
        rw_fft_split(axis->n, RW_MIN(NEAR, most), &m->a, &m->b))
        return true;
    return axis->single || axis->cluster || rw_fft_split(axis->n, most, &m->a, &m->b);
}

int rw_fft_other_matrices(const rw_device *dev, const rw_fft_axis *axis, rw_fft_matrix *list, int most)
{
    const int64_t largest = rw_fft_line_most(dev, axis->f64);
    int n = 0, radix[RW_FFT_STAGES];
    if ((axis->single || axis->cluster) && n < most) list[n++] = (rw_fft_matrix){0, 0};
    if (axis->n < 256 || !rw_fft_factors(axis->n, RW_FFT_RADIX, radix)) return n;
    for (int64_t a = 16; a <= axis->n / 16 && n < most; ++a) {
        const int64_t b = axis->n / a;
        if (axis->n % a || RW_MAX(a, b) > largest || RW_MAX(a, b) > 8 * RW_MIN(a, b)) continue;
        if (a % 16 && b % 16) continue;
        list[n++] = (rw_fft_matrix){a, b};
    }
    return n;
}

void rw_fft_matrix_print(const rw_fft_matrix *m, char text[RW_FFT_KEY])
{
    if (m->a) snprintf(text, RW_FFT_KEY, "matrix %lld x %lld", (big)m->a, (big)m->b);
    else snprintf(text, RW_FFT_KEY, "one pass");
}

bool rw_fft_matrix_parse(const char *text, int64_t n, rw_fft_matrix *m)
{
    big a = 0, b = 0;
    *m = (rw_fft_matrix){0, 0};
    if (!strcmp(text, "one pass")) return true;
    if (sscanf(text, "matrix %lld x %lld", &a, &b) != 2 || a < 2 || b < 2 || a > n / b || a * b != n) return false;
    *m = (rw_fft_matrix){a, b};
    return true;
}
