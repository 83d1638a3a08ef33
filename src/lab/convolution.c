/* Study: convolution of grey and RGB images with masks of 3 x 3 to 9 x 9 pixels, as M.-R. Lorbeer measured it in 2010.
 *
 * Kernels read from global memory or from texture memory, each with and without a tile in shared memory. Measured are
 * the kernel alone and with the transfers between host and device, compared with one thread of the host; the cost of
 * borders; transfer times; and the filter `box` of this library on the same images. Every result is compared with the
 * host's before it is timed.
 *
 * The document's texture memory is a cache for read-only data, addressed by texture references, which today's devices
 * do not have. What is left of it is the read-only path: x and y are declared not to overlap (RESTRICT), so that
 * NVIDIA's GPUs load x with ld.global.nc, through the cache that was the texture cache. On processors RESTRICT changes
 * at most what the compiler vectorises.
 *
 * One thread is a plain loop in C. The mask's edge is a variable; neighbours are tested only where the mask leaves the
 * image. The document's code is lost. */
#include <math.h>

#include "lab/convolution_time.h"

enum { CHECKS, TIMES, HOST = TIMES + 16, SPEEDUPS, GAIN, TRANSFERS, FIT, BORDERS, LIBRARY, TABLES };
enum { MASKS_PUBLISHED = 4, EDGES_PUBLISHED = 3, MEASURED = RW_RGB_READ_ONLY_TILED + 1 };
enum { GREY, RGB, KINDS };
static const char *const kind_names[KINDS] = {"grey", "RGB"};
static const int channels_of[KINDS] = {1, 3};
/* Where columns of E.23 and 5.3 have grey, then RGB. The document's speed-ups are those of texture memory and tile. */
static const int best_variant[KINDS] = {RW_GREY_READ_ONLY_TILED, RW_RGB_READ_ONLY_TILED};

static int kind_of(int variant) { return variant >= RW_RGB_GLOBAL ? RGB : GREY; }
static int table_of(int variant, bool transfers) { return TIMES + 2 * variant + transfers; }

/* ---- published ------------------------------------------------------------------------------------------ */

/* clang-format off */
typedef double published[MASKS_PUBLISHED][EDGES_PUBLISHED];
static const published published_times[MEASURED][2] = { /* ms */
#define RW_X(number, variant, transfers, title, ...) [variant][transfers] = {__VA_ARGS__},
#include "lab/convolution.def"
#undef RW_X
};
static const published published_host[KINDS] = { /* ms, table E.23 */
    {{15.58, 55.95, 213.89}, {34.67, 124.34, 447.01}, {62.43, 235.27, 912.10}, {89.62, 350.31, 1391.95}},
    {{23.92, 89.28, 338.06}, {51.06, 203.81, 809.74}, {93.20, 371.56, 1480.06}, {145.27, 583.25, 2327.26}},
};
static const published published_speedups[2][KINDS] = { /* table 5.3: kernel alone, with transfers */
    {{{89.53, 104.90, 108.71}, {91.98, 106.13, 100.81}, {126.96, 130.18, 129.14}, {126.60, 131.21, 133.00}},
     {{82.88, 92.20, 91.47}, {102.24, 116.55, 118.97}, {87.40, 90.11, 91.07}, {89.41, 91.53, 91.95}}},
    {{{36.32, 50.70, 59.79}, {68.37, 76.82, 73.91}, {74.24, 98.96, 104.93}, {93.06, 109.32, 114.48}},
     {{36.11, 40.87, 40.88}, {55.87, 67.27, 70.70}, {57.28, 68.91, 70.93}, {69.90, 76.04, 77.69}}},
};
static const struct { /* us, tables E.1 to E.6: 640 x 472, 3 x 3 */
    int variant;
    rw_conv2d_border border;
    double us, loads; /* loads: of 32 bytes, counted on a ninth of the GPU; 0: none were */
} published_borders[] = {
    {RW_GREY_GLOBAL, RW_CONV2D_SKIP, 106.624, 24795},
    {RW_GREY_GLOBAL, RW_CONV2D_ZERO, 194.688, 25539},
    {RW_GREY_READ_ONLY, RW_CONV2D_SKIP, 167.104, 0},
    {RW_GREY_READ_ONLY, RW_CONV2D_ZERO, 245.92, 0},
    {RW_GREY_GLOBAL_TILED, RW_CONV2D_ZERO, 162.4, 6961},
    {RW_FLEXIBLE_GLOBAL, RW_CONV2D_SKIP, 290.688, 74751},
};
enum { NINTHS = 9 };
/* clang-format on */

/* To the device and back, ms: times with transfers less those without, the mean of masks and memories; of each edge. */
static void published_transfers(int kind, double ms[EDGES_PUBLISHED])
{
    for (int e = 0; e < EDGES_PUBLISHED; ++e) {
        ms[e] = 0;
        for (int v = kind ? RW_RGB_GLOBAL : RW_GREY_GLOBAL; v <= best_variant[kind]; ++v)
            for (int m = 0; m < MASKS_PUBLISHED; ++m)
                ms[e] += (published_times[v][1][m][e] - published_times[v][0][m][e]) / (4 * MASKS_PUBLISHED);
    }
}

/* ---- measurements of tables E.7 to E.23 -------------------------------------------------------------------------- */

typedef struct study {
    rw_lab *lab;
    const rw_lab_setting *masks, *edges;
    bool truncate;
    double *time;    /* [MEASURED][2][masks][edges][devices] seconds: kernel alone, with transfers */
    double *library; /* [KINDS][masks][edges][devices] */
    double *host;    /* [KINDS][masks][edges] */
} study;

/* NaN where nothing was published. */
static double published_at(const study *s, const published *p, int mask, int edge)
{
    for (int e = 0; e < EDGES_PUBLISHED; ++e)
        if (s->edges->number[edge] == 512 << e) return (*p)[(int)s->masks->number[mask] / 2 - 1][e];
    return NAN;
}

static double *time_at(const study *s, int variant, bool transfers, int mask, int edge, int device)
{
    return s->time + (((2 * variant + transfers) * s->masks->n + mask) * s->edges->n + edge) * s->lab->ndevices +
           device;
}
static double *library_at(const study *s, int kind, int mask, int edge, int device)
{
    return s->library + ((kind * s->masks->n + mask) * s->edges->n + edge) * s->lab->ndevices + device;
}
static double *host_at(const study *s, int kind, int mask, int edge)
{
    return s->host + (kind * s->masks->n + mask) * s->edges->n + edge;
}

static bool wants_kernel(const study *s, int variant)
{
    const rw_lab *lab = s->lab;
    const bool best = variant == best_variant[kind_of(variant)];
    return rw_lab_wanted(lab, table_of(variant, false)) || rw_lab_wanted(lab, GAIN) ||
           (best && (rw_lab_wanted(lab, SPEEDUPS) || rw_lab_wanted(lab, LIBRARY)));
}
static bool wants_transfers(const study *s, int variant)
{
    return rw_lab_wanted(s->lab, table_of(variant, true)) ||
           (variant == best_variant[kind_of(variant)] && rw_lab_wanted(s->lab, SPEEDUPS));
}

static rw_status measure_variant(study *s, int variant, const rw_conv2d_picture *m, int mask, int edge, int device,
                                 uint32_t crc)
{
    const rw_conv2d_variant *v = rw_conv2d_variants + variant;
    const int line = (int)s->masks->number[mask];
    const rw_mask weights = rw_mask_mean(line, s->truncate);
    const bool kernel = wants_kernel(s, variant), transfers = wants_transfers(s, variant);
    rw_conv2d_work w;
    if (!kernel && !transfers) return RW_OK;
    rw_lab_say(s->lab, "%s, %dx%d, edge %d on %s", v->name, line, line, (int)m->width, s->lab->info[device].name);
    RW_TRY(rw_conv2d_work_kernel(s->lab->devices[device], m, v, RW_CONV2D_ZERO, &weights, &w));
    rw_status status = rw_conv2d_check_result(&w, v->name, line, crc);
    if (status == RW_OK && kernel)
        status = rw_conv2d_time_launches(s->lab, &w, time_at(s, variant, false, mask, edge, device));
    if (status == RW_OK && transfers)
        status = rw_conv2d_time_transfers(s->lab, &w, time_at(s, variant, true, mask, edge, device));
    rw_conv2d_work_free(&w);
    return status;
}

static rw_status measure_library(study *s, int kind, const rw_conv2d_picture *m, int mask, int edge, int device,
                                 uint32_t crc)
{
    const int line = (int)s->masks->number[mask];
    rw_conv2d_work w;
    rw_lab_say(s->lab, "library, %s, %dx%d, edge %d on %s", kind_names[kind], line, line, (int)m->width,
               s->lab->info[device].name);
    RW_TRY(rw_conv2d_work_filter(s->lab->devices[device], m, RW_CONV2D_ZERO, line, &w));
    rw_status status = s->truncate ? RW_OK : rw_conv2d_check_result(&w, "filter box", line, crc);
    if (status == RW_OK) status = rw_conv2d_time_launches(s->lab, &w, library_at(s, kind, mask, edge, device));
    rw_conv2d_work_free(&w);
    return status;
}

static rw_status measure_image(study *s, int kind, rw_conv2d_picture *m, int mask, int edge)
{
    rw_lab *lab = s->lab;
    const rw_mask weights = rw_mask_mean((int)s->masks->number[mask], s->truncate);
    uint32_t crc;
    if (rw_lab_wanted(lab, HOST) || rw_lab_wanted(lab, SPEEDUPS)) {
        rw_lab_say(lab, "one thread, %s, %dx%d, edge %d", kind_names[kind], weights.line, weights.line, (int)m->width);
        RW_TRY(rw_conv2d_time_host(lab, &weights, m, host_at(s, kind, mask, edge)));
    }
    RW_TRY(rw_conv2d_reference(lab, &weights, RW_CONV2D_ZERO, m, &crc));
    for (int d = 0; d < lab->ndevices; ++d) {
        for (int v = 0; v < MEASURED; ++v)
            if (kind_of(v) == kind) RW_TRY(measure_variant(s, v, m, mask, edge, d, crc));
        if (rw_lab_wanted(lab, LIBRARY)) RW_TRY(measure_library(s, kind, m, mask, edge, d, crc));
    }
    return RW_OK;
}

static bool wants_kind(const study *s, int kind)
{
    const rw_lab *lab = s->lab;
    bool wanted = rw_lab_wanted(lab, HOST) || rw_lab_wanted(lab, LIBRARY);
    for (int v = 0; v < MEASURED; ++v)
        wanted = wanted || (kind_of(v) == kind && (wants_kernel(s, v) || wants_transfers(s, v)));
    return wanted;
}

static rw_status measure(study *s)
{
    for (int kind = 0; kind < KINDS; ++kind)
        for (int e = 0; e < s->edges->n && wants_kind(s, kind); ++e) {
            rw_conv2d_picture m;
            rw_status status = rw_conv2d_picture_create(s->lab->ctx, (int64_t)s->edges->number[e],
                                                        (int64_t)s->edges->number[e], channels_of[kind], &m);
            for (int k = 0; k < s->masks->n && status == RW_OK; ++k) status = measure_image(s, kind, &m, k, e);
            rw_conv2d_picture_free(&m);
            RW_TRY(status);
        }
    return RW_OK;
}

/* ---- rows of those tables ---------------------------------------------------------------------------------------- */

enum { PUBLISHED = -1, ONE_THREAD = -2 }; /* in place of a device */

/* The mask of the last row and, in the next column, its place. */
static rw_status put_mask(const study *s, int table, int column, int mask, int device)
{
    const char *where = device == PUBLISHED ? "2010" : device == ONE_THREAD ? "one thread" : s->lab->info[device].name;
    rw_lab_put(s->lab, table, column, -1, s->masks->number[mask]);
    return rw_lab_put_name(s->lab, table, column + 1, where, device == PUBLISHED);
}

static bool any_published(const study *s)
{
    for (int e = 0; e < s->edges->n; ++e)
        if (s->edges->number[e] == 512 || s->edges->number[e] == 1024 || s->edges->number[e] == 2048) return true;
    return false;
}

enum { T_MASK, T_WHERE, T_TIME, T_RATIO };
static const rw_lab_column times_columns[] = {
    [T_MASK] = {"mask", "", RW_SHOW_INTEGER, false, NULL},
    [T_WHERE] = {"where", "", RW_SHOW_NAME, false, NULL},
    [T_TIME] = {"edge", "ms", RW_SHOW_REAL, RW_EACH_VALUE, NULL},
    [T_RATIO] = {"ratio", "", RW_SHOW_RATIO, RW_EACH_VALUE, "time of 2010 divided by this time"},
};

/* Published, or of a device. */
static double ms_at(const study *s, int variant, bool transfers, int mask, int edge, int device)
{
    return device == PUBLISHED ? published_at(s, &published_times[variant][transfers], mask, edge)
                               : 1e3 * *time_at(s, variant, transfers, mask, edge, device);
}

static rw_status put_times(study *s, int variant, bool transfers)
{
    rw_lab *lab = s->lab;
    const int table = table_of(variant, transfers);
    for (int m = 0; m < s->masks->n && rw_lab_wanted(lab, table); ++m)
        for (int d = any_published(s) ? PUBLISHED : 0; d < lab->ndevices; ++d) {
            RW_TRY(rw_lab_row(lab, table));
            RW_TRY(put_mask(s, table, T_MASK, m, d));
            for (int e = 0; e < s->edges->n; ++e) {
                const double ms = ms_at(s, variant, transfers, m, e, d);
                rw_lab_put(lab, table, T_TIME, e, ms);
                if (d != PUBLISHED)
                    rw_lab_put(lab, table, T_RATIO, e, ms_at(s, variant, transfers, m, e, PUBLISHED) / ms);
            }
        }
    return RW_OK;
}

enum { H_MASK, H_WHERE, H_GREY, H_RGB, H_RATIO_GREY, H_RATIO_RGB };
static const rw_lab_column host_columns[] = {
    [H_MASK] = {"mask", "", RW_SHOW_INTEGER, false, NULL},
    [H_WHERE] = {"where", "", RW_SHOW_NAME, false,
                 "one thread: a plain C loop on the host, with the mask size as a variable"},
    [H_GREY] = {"grey", "ms", RW_SHOW_REAL, RW_EACH_VALUE, NULL},
    [H_RGB] = {"RGB", "ms", RW_SHOW_REAL, RW_EACH_VALUE, NULL},
    [H_RATIO_GREY] = {"ratio grey", "", RW_SHOW_RATIO, RW_EACH_VALUE, "time of 2010 divided by this time"},
    [H_RATIO_RGB] = {"ratio RGB", "", RW_SHOW_RATIO, RW_EACH_VALUE, NULL},
};

static rw_status put_host(study *s)
{
    rw_lab *lab = s->lab;
    for (int m = 0; m < s->masks->n && rw_lab_wanted(lab, HOST); ++m)
        for (int where = any_published(s) ? PUBLISHED : ONE_THREAD; where >= ONE_THREAD; --where) {
            RW_TRY(rw_lab_row(lab, HOST));
            RW_TRY(put_mask(s, HOST, H_MASK, m, where));
            for (int kind = 0; kind < KINDS; ++kind)
                for (int e = 0; e < s->edges->n; ++e) {
                    const double then = published_at(s, &published_host[kind], m, e),
                                 now = 1e3 * *host_at(s, kind, m, e);
                    rw_lab_put(lab, HOST, H_GREY + kind, e, where == PUBLISHED ? then : now);
                    if (where != PUBLISHED) rw_lab_put(lab, HOST, H_RATIO_GREY + kind, e, then / now);
                }
        }
    return RW_OK;
}

enum { S_TIME, S_MASK, S_WHERE, S_GREY, S_RGB };
static const rw_lab_column speedups_columns[] = {
    [S_TIME] = {"time", "", RW_SHOW_NAME, false,
                "time of the kernel with read-only memory and a tile, alone or with transfers"},
    [S_MASK] = {"mask", "", RW_SHOW_INTEGER, false, NULL},
    [S_WHERE] = {"where", "", RW_SHOW_NAME, false, NULL},
    [S_GREY] = {"grey", "", RW_SHOW_RATIO, RW_EACH_VALUE, "time of one thread divided by the time of the device"},
    [S_RGB] = {"RGB", "", RW_SHOW_RATIO, RW_EACH_VALUE, NULL},
};

static rw_status put_speedup(study *s, bool transfers, int mask, int device, double best[KINDS])
{
    rw_lab *lab = s->lab;
    RW_TRY(rw_lab_row(lab, SPEEDUPS));
    RW_TRY(rw_lab_put_name(lab, SPEEDUPS, S_TIME, transfers ? "with transfers" : "kernel", false));
    RW_TRY(put_mask(s, SPEEDUPS, S_MASK, mask, device));
    for (int kind = 0; kind < KINDS; ++kind)
        for (int e = 0; e < s->edges->n; ++e) {
            const double value = device == PUBLISHED ? published_at(s, &published_speedups[transfers][kind], mask, e)
                                                     : *host_at(s, kind, mask, e) /
                                                           *time_at(s, best_variant[kind], transfers, mask, e, device);
            rw_lab_put(lab, SPEEDUPS, S_GREY + kind, e, value);
            if (device >= 0 && !transfers) best[kind] = fmax(best[kind], value);
        }
    return RW_OK;
}

static rw_status put_speedups(study *s)
{
    rw_lab *lab = s->lab;
    double best[RW_LAB_DEVICES][KINDS] = {{0}};
    if (!rw_lab_wanted(lab, SPEEDUPS)) return RW_OK;
    for (int transfers = 0; transfers < 2; ++transfers)
        for (int m = 0; m < s->masks->n; ++m)
            for (int d = any_published(s) ? PUBLISHED : 0; d < lab->ndevices; ++d)
                RW_TRY(put_speedup(s, transfers, m, d, best[RW_MAX(d, 0)]));
    for (int d = 0; d < lab->ndevices; ++d)
        rw_lab_note(
            lab,
            "speedups: %s: the kernel alone is at most %.3g (grey) and %.3g times (RGB) as fast as one thread; 2010: "
            "133 and 119",
            lab->info[d].name, best[d][GREY], best[d][RGB]);
    return RW_OK;
}

enum { G_MASK, G_WHERE, G_GREY_GLOBAL, G_GREY_READ_ONLY, G_RGB_GLOBAL, G_RGB_READ_ONLY };
static const rw_lab_column gain_columns[] = {
    [G_MASK] = {"mask", "", RW_SHOW_INTEGER, false, NULL},
    [G_WHERE] = {"where", "", RW_SHOW_NAME, false, NULL},
    [G_GREY_GLOBAL] = {"grey global", "ms", RW_SHOW_REAL, RW_EACH_VALUE,
                       "time of the kernel without a tile minus the time with a tile"},
    [G_GREY_READ_ONLY] = {"grey read-only", "ms", RW_SHOW_REAL, RW_EACH_VALUE, NULL},
    [G_RGB_GLOBAL] = {"RGB global", "ms", RW_SHOW_REAL, RW_EACH_VALUE, NULL},
    [G_RGB_READ_ONLY] = {"RGB read-only", "ms", RW_SHOW_REAL, RW_EACH_VALUE, NULL},
};

static rw_status put_gain(study *s)
{
    rw_lab *lab = s->lab;
    for (int m = 0; m < s->masks->n && rw_lab_wanted(lab, GAIN); ++m)
        for (int d = any_published(s) ? PUBLISHED : 0; d < lab->ndevices; ++d) {
            RW_TRY(rw_lab_row(lab, GAIN));
            RW_TRY(put_mask(s, GAIN, G_MASK, m, d));
            for (int pair = 0; pair < MEASURED / 2; ++pair) /* a variant, and the same with a tile */
                for (int e = 0; e < s->edges->n; ++e)
                    rw_lab_put(lab, GAIN, G_GREY_GLOBAL + pair, e,
                               ms_at(s, 2 * pair, false, m, e, d) - ms_at(s, 2 * pair + 1, false, m, e, d));
        }
    return RW_OK;
}

enum { L_IMAGES, L_MASK, L_WHERE, L_TIME, L_RATIO };
static const rw_lab_column library_columns[] = {
    [L_IMAGES] = {"images", "", RW_SHOW_NAME, false, NULL},
    [L_MASK] = {"mask", "", RW_SHOW_INTEGER, false, NULL},
    [L_WHERE] = {"where", "", RW_SHOW_NAME, false, NULL},
    [L_TIME] = {"edge", "ms", RW_SHOW_REAL, RW_EACH_VALUE,
                "rw_image_filter_execute of \"box:size=MASK:border=constant\""},
    [L_RATIO] = {"ratio", "", RW_SHOW_RATIO, RW_EACH_VALUE,
                 "time of the kernel with read-only memory and a tile divided by this time"},
};

static rw_status put_library(study *s)
{
    rw_lab *lab = s->lab;
    for (int kind = 0; kind < KINDS && rw_lab_wanted(lab, LIBRARY); ++kind)
        for (int m = 0; m < s->masks->n; ++m)
            for (int d = 0; d < lab->ndevices; ++d) {
                RW_TRY(rw_lab_row(lab, LIBRARY));
                RW_TRY(rw_lab_put_name(lab, LIBRARY, L_IMAGES, kind_names[kind], false));
                RW_TRY(put_mask(s, LIBRARY, L_MASK, m, d));
                for (int e = 0; e < s->edges->n; ++e) {
                    const double seconds = *library_at(s, kind, m, e, d);
                    rw_lab_put(lab, LIBRARY, L_TIME, e, 1e3 * seconds);
                    rw_lab_put(lab, LIBRARY, L_RATIO, e, *time_at(s, best_variant[kind], false, m, e, d) / seconds);
                }
            }
    return RW_OK;
}

/* ---- transfers ------------------------------------------------------------------------------------------ */

enum { X_NAME, X_EDGE, X_BYTES, X_TIME, X_LINE };
static const rw_lab_column transfers_columns[] = {
    [X_NAME] = {"images", "", RW_SHOW_NAME, false,
                "2010: times with transfers minus times without, mean over masks and kinds of memory"},
    [X_EDGE] = {"edge", "", RW_SHOW_INTEGER, false, "pixels"},
    [X_BYTES] = {"image", "MB", RW_SHOW_REAL, false, NULL},
    [X_TIME] = {"measured", "ms", RW_SHOW_REAL, false, "time of a transfer to the device and back"},
    [X_LINE] = {"line", "ms", RW_SHOW_REAL, false, "least-squares fit: dead time + image / rate"},
};
enum { F_NAME, F_DEAD, F_ONCE, F_BOTH };
static const rw_lab_column fit_columns[] = {
    [F_NAME] = {"images", "", RW_SHOW_NAME, false, NULL},
    [F_DEAD] = {"dead time", "ms", RW_SHOW_REAL, false,
                "dead time of a transfer to the device and back, from the fitted line"},
    [F_ONCE] = {"rate", "GB/s", RW_SHOW_REAL, false,
                "bytes of the image divided by the time of both directions, as in the thesis"},
    [F_BOTH] = {"both directions", "GB/s", RW_SHOW_REAL, false, "bytes of both directions divided by the time"},
};

typedef struct line {
    double dead, slope;
} line; /* ms, ms a byte */

static line fit(int n, const double *bytes, const double *ms)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < n; ++i) {
        x += bytes[i] / n;
        y += ms[i] / n;
    }
    for (int i = 0; i < n; ++i) {
        xx += (bytes[i] - x) * (bytes[i] - x);
        xy += (bytes[i] - x) * (ms[i] - y);
    }
    const double slope = xx > 0 ? xy / xx : NAN;
    return (line){y - slope * x, slope};
}

static rw_status put_fit(rw_lab *lab, const char *name, bool other, double dead, double rate)
{
    if (!rw_lab_wanted(lab, FIT)) return RW_OK;
    RW_TRY(rw_lab_row(lab, FIT));
    RW_TRY(rw_lab_put_name(lab, FIT, F_NAME, name, other));
    rw_lab_put_values(lab, FIT, F_DEAD, F_BOTH + 1, (const double[]){[F_DEAD] = dead, rate, 2 * rate});
    return RW_OK;
}

static rw_status put_curve(rw_lab *lab, int kind, const char *where, bool other, int n, const double *edge,
                           const double *ms)
{
    double bytes[RW_LAB_LIST];
    char text[64];
    int name;
    for (int i = 0; i < n; ++i) bytes[i] = edge[i] * edge[i] * channels_of[kind];
    const line l = fit(n, bytes, ms);
    snprintf(text, sizeof text, "%s, %s", kind_names[kind], where);
    RW_TRY(rw_lab_name(lab, text, other, &name));
    for (int i = 0; i < n && rw_lab_wanted(lab, TRANSFERS); ++i) {
        const double values[] = {name, edge[i], bytes[i] / 1e6, ms[i], l.dead + l.slope * bytes[i]};
        RW_TRY(rw_lab_row(lab, TRANSFERS));
        rw_lab_put_values(lab, TRANSFERS, X_NAME, RW_COUNT(values), values);
    }
    return put_fit(lab, text, other, l.dead, 1e-6 / l.slope);
}

static rw_status measure_transfers(rw_lab *lab, int kind, int device)
{
    const rw_lab_setting *edges = rw_lab_setting_of(lab, "transfers");
    double ms[RW_LAB_LIST];
    for (int i = 0; i < edges->n; ++i) {
        rw_conv2d_picture m;
        rw_conv2d_work w;
        double seconds = NAN;
        rw_lab_say(lab, "transfers of %s images, edge %d, %s", kind_names[kind], (int)edges->number[i],
                   lab->info[device].name);
        RW_TRY(rw_conv2d_picture_create(lab->ctx, (int64_t)edges->number[i], (int64_t)edges->number[i],
                                        channels_of[kind], &m));
        rw_status status = rw_conv2d_work_copy(lab->devices[device], &m, &w);
        if (status == RW_OK) status = rw_conv2d_time_transfers(lab, &w, &seconds);
        rw_conv2d_work_free(&w);
        rw_conv2d_picture_free(&m);
        RW_TRY(status);
        ms[i] = 1e3 * seconds;
    }
    return put_curve(lab, kind, lab->info[device].name, false, edges->n, edges->number, ms);
}

static rw_status compare_transfers(rw_lab *lab)
{
    static const double edges[EDGES_PUBLISHED] = {512, 1024, 2048};
    for (int kind = 0; kind < KINDS; ++kind) {
        double ms[EDGES_PUBLISHED];
        published_transfers(kind, ms);
        RW_TRY(put_curve(lab, kind, "2010", true, EDGES_PUBLISHED, edges, ms));
    }
    RW_TRY(put_fit(lab, "2010, as printed", true, 0.15, 2.8));
    for (int d = 0; d < lab->ndevices; ++d) {
        if (!lab->devices[d]->ops->discrete) {
            rw_lab_note(lab, "transfers: %s computes in the host's memory: nothing is transferred", lab->info[d].name);
            continue;
        }
        for (int kind = 0; kind < KINDS; ++kind) RW_TRY(measure_transfers(lab, kind, d));
    }
    return RW_OK;
}

/* ---- borders ------------------------------------------------------------------------------------------ */

enum { WIDTH = 640, HEIGHT = 472 };
enum { B_NAME, B_BORDER, B_PUBLISHED, B_PUBLISHED_COST, B_LOADS, B_MODEL, B_TIME, B_RATIO, B_COST };
static const rw_lab_column borders_columns[] = {
    [B_NAME] = {"kernel", "", RW_SHOW_NAME, false, "flexible: on an RGB image; library: filter box on a grey image"},
    [B_BORDER] = {"border", "", RW_SHOW_NAME, false,
                  "skip: pixels whose mask leaves the image are copied (in 2010: not written)"},
    [B_PUBLISHED] = {"2010", "us", RW_SHOW_REAL, false, "published"},
    [B_PUBLISHED_COST] = {"2010 over skip", "", RW_SHOW_RATIO, false,
                          "time divided by the time of global memory with skip"},
    [B_LOADS] = {"2010 loads", "", RW_SHOW_INTEGER, false,
                 "32-byte loads from global memory: nine times the number counted on one ninth of the GPU"},
    [B_MODEL] = {"model", "", RW_SHOW_INTEGER, false,
                 "loads by the coalescing rule of that GPU: segments of 32 bytes for each load of 16 work-items"},
    [B_TIME] = {"time", "us", RW_SHOW_REAL, true, "time of the kernel alone"},
    [B_RATIO] = {"ratio", "", RW_SHOW_RATIO, true, "time of 2010 divided by this time"},
    [B_COST] = {"over skip", "", RW_SHOW_RATIO, true, "time divided by the time of global memory with skip"},
};
enum { FILTER = RW_CONV2D_VARIANTS, ROWS = 6 };
static const int border_rows[ROWS] = {RW_GREY_GLOBAL,          RW_GREY_READ_ONLY,  RW_GREY_GLOBAL_TILED,
                                      RW_GREY_READ_ONLY_TILED, RW_FLEXIBLE_GLOBAL, FILTER};

static double published_border(int variant, int border)
{
    for (int i = 0; i < RW_COUNT(published_borders); ++i)
        if (published_borders[i].variant == variant && (int)published_borders[i].border == border)
            return published_borders[i].us;
    return NAN;
}

/* Model and count of loads of the kernels that the document counted. */
static void put_loads(rw_lab *lab, int variant, int border, const rw_conv2d_picture *m)
{
    for (int i = 0; i < RW_COUNT(published_borders); ++i) {
        const rw_conv2d_variant *v = rw_conv2d_variants + variant;
        if (published_borders[i].variant != variant || (int)published_borders[i].border != border ||
            !published_borders[i].loads)
            continue;
        rw_lab_put(lab, BORDERS, B_LOADS, -1, NINTHS * published_borders[i].loads);
        rw_lab_put(lab, BORDERS, B_MODEL, -1,
                   (double)rw_conv2d_loads(v->items, v->tiled, (rw_conv2d_border)border, 3, m->width, m->height,
                                           m->channels));
    }
}

static rw_status time_border(rw_lab *lab, int row, rw_conv2d_border border, int device, const rw_conv2d_picture *m,
                             const rw_mask *mask, uint32_t crc, double *seconds)
{
    const char *name = row == FILTER ? "filter box" : rw_conv2d_variants[row].name;
    rw_conv2d_work w;
    rw_lab_say(lab, "%s, border %s on %s", name, rw_conv2d_border_names[border], lab->info[device].name);
    if (row == FILTER) RW_TRY(rw_conv2d_work_filter(lab->devices[device], m, border, mask->line, &w));
    else RW_TRY(rw_conv2d_work_kernel(lab->devices[device], m, rw_conv2d_variants + row, border, mask, &w));
    rw_status status = row == FILTER && mask->truncate ? RW_OK : rw_conv2d_check_result(&w, name, mask->line, crc);
    if (status == RW_OK) status = rw_conv2d_time_launches(lab, &w, seconds);
    rw_conv2d_work_free(&w);
    return status;
}

static rw_status put_border(const study *s, int row, rw_conv2d_border border, rw_conv2d_picture *m, double first[])
{
    rw_lab *lab = s->lab;
    const rw_mask mask = rw_mask_mean(3, s->truncate);
    const double us = published_border(row, border);
    uint32_t crc;
    RW_TRY(rw_conv2d_reference(lab, &mask, border, m, &crc));
    RW_TRY(rw_lab_row(lab, BORDERS));
    RW_TRY(rw_lab_put_name(lab, BORDERS, B_NAME, row == FILTER ? "library" : rw_conv2d_variants[row].name, false));
    RW_TRY(rw_lab_put_name(lab, BORDERS, B_BORDER, rw_conv2d_border_names[border], false));
    rw_lab_put(lab, BORDERS, B_PUBLISHED, -1, us);
    rw_lab_put(lab, BORDERS, B_PUBLISHED_COST, -1, us / published_border(RW_GREY_GLOBAL, RW_CONV2D_SKIP));
    put_loads(lab, row, border, m);
    for (int d = 0; d < lab->ndevices; ++d) {
        double seconds;
        RW_TRY(time_border(lab, row, border, d, m, &mask, crc, &seconds));
        if (row == RW_GREY_GLOBAL && border == RW_CONV2D_SKIP) first[d] = seconds;
        rw_lab_put(lab, BORDERS, B_TIME, d, 1e6 * seconds);
        rw_lab_put(lab, BORDERS, B_RATIO, d, us / (1e6 * seconds));
        rw_lab_put(lab, BORDERS, B_COST, d, seconds / first[d]);
    }
    return RW_OK;
}

static rw_status compare_borders(const study *s)
{
    double first[RW_LAB_DEVICES];
    for (int r = 0; r < ROWS; ++r) {
        rw_conv2d_picture m;
        RW_TRY(rw_conv2d_picture_create(s->lab->ctx, WIDTH, HEIGHT, border_rows[r] == RW_FLEXIBLE_GLOBAL ? 3 : 1, &m));
        rw_status status = RW_OK;
        for (int b = 0; b < RW_CONV2D_BORDERS && status == RW_OK; ++b)
            status = put_border(s, border_rows[r], (rw_conv2d_border)b, &m, first);
        rw_conv2d_picture_free(&m);
        RW_TRY(status);
    }
    return RW_OK;
}

/* ---- checks ------------------------------------------------------------------------------------------ */

enum { C_NAME, C_TILE, C_EQUAL };
static const rw_lab_column checks_columns[] = {
    [C_NAME] = {"kernel", "", RW_SHOW_NAME, false, NULL},
    [C_TILE] = {"tile", "B", RW_SHOW_INTEGER, false, "shared memory per workgroup with a mask of 3 x 3"},
    [C_EQUAL] =
        {"equal", "", RW_SHOW_INTEGER, true,
         "number of images that equal the known ones (means, orientation of the mask, Sobel, clamping); a wrong "
         "result is an error"},
};

static rw_status check_variants(rw_lab *lab)
{
    for (int v = 0; v < RW_CONV2D_VARIANTS; ++v) {
        const rw_conv2d_variant *variant = rw_conv2d_variants + v;
        RW_TRY(rw_lab_row(lab, CHECKS));
        RW_TRY(rw_lab_put_name(lab, CHECKS, C_NAME, variant->name, false));
        if (variant->tiled) rw_lab_put(lab, CHECKS, C_TILE, -1, (double)rw_conv2d_tile_bytes(variant->items, 3));
        for (int d = 0; d < lab->ndevices; ++d) {
            int n;
            rw_lab_say(lab, "checking %s on %s", variant->name, lab->info[d].name);
            RW_TRY(rw_conv2d_check(lab->devices[d], variant, true, &n));
            rw_lab_put(lab, CHECKS, C_EQUAL, d, n);
        }
    }
    return RW_OK;
}

/* ---- the study ------------------------------------------------------------------------------------------ */

static rw_status run_tables(study *s)
{
    rw_lab *lab = s->lab;
    if (rw_lab_wanted(lab, CHECKS)) RW_TRY(check_variants(lab));
    RW_TRY(measure(s));
    for (int v = 0; v < MEASURED; ++v)
        for (int transfers = 0; transfers < 2; ++transfers) RW_TRY(put_times(s, v, transfers));
    RW_TRY(put_host(s));
    RW_TRY(put_speedups(s));
    RW_TRY(put_gain(s));
    RW_TRY(put_library(s));
    if (rw_lab_wanted(lab, TRANSFERS) || rw_lab_wanted(lab, FIT)) RW_TRY(compare_transfers(lab));
    return rw_lab_wanted(lab, BORDERS) ? compare_borders(s) : RW_OK;
}

static rw_status run_study(rw_lab *lab)
{
    study s = {.lab = lab,
               .masks = rw_lab_setting_of(lab, "masks"),
               .edges = rw_lab_setting_of(lab, "sizes"),
               .truncate = rw_lab_setting_of(lab, "arithmetic")->word == 1};
    for (int i = 0; i < s.masks->n; ++i)
        if ((int)s.masks->number[i] % 2 == 0)
            return rw_fail(lab->ctx, RW_ERR_ARGUMENT,
                           "lab convolution: masks: %d is even: allowed are 3, 5, 7 and 9 pixels, as in 2010",
                           (int)s.masks->number[i]);
    const size_t images = (size_t)s.masks->n * (size_t)s.edges->n, n = images * (size_t)lab->ndevices;
    s.time = rw_calloc(2 * MEASURED * n, sizeof *s.time);
    s.library = rw_calloc(KINDS * n, sizeof *s.library);
    s.host = rw_calloc(KINDS * images, sizeof *s.host);
    rw_status status =
        s.time && s.library && s.host ? RW_OK : rw_fail_memory(lab->ctx, 2 * MEASURED * n * sizeof *s.time, "times");
    if (status == RW_OK) status = run_tables(&s);
    rw_free(s.time);
    rw_free(s.library);
    rw_free(s.host);
    return status;
}

static const rw_param parameters[] = {
    PARAMETER("masks", INTS, "3,5,7,9", "[3, 9]", "mask sizes in pixels, odd"),
    PARAMETER("sizes", INTS, "512,1024,2048", "[1, 16384]", "sizes of square images in pixels"),
    PARAMETER("transfers", INTS, "128,256,512,1024,2048", "[1, 16384]",
              "image sizes in pixels in tables transfers and fit"),
    PARAMETER("arithmetic", CHOICE, "nearest", "nearest|2010",
              "nearest: sums rounded to nearest; 2010: weights with seven decimals (0.1111111) and truncated sums"),
    PARAMETER("runs", INT, "20", "[1, 1000]", "number of timed runs, whose median is reported"),
    PARAMETER("seconds", REAL, "1", "[0, 3600]",
              "time limit for the runs of one measurement; at least one run is made"),
};
static const char *const names[TABLES] = {
    [CHECKS] = "checks",
#define RW_X(number, variant, transfers, title, ...) [TIMES + number - 7] = "e" #number,
#include "lab/convolution.def"
#undef RW_X
    [HOST] = "e23",      [SPEEDUPS] = "speedups", [GAIN] = "gain",       [TRANSFERS] = "transfers",
    [FIT] = "fit",       [BORDERS] = "borders",   [LIBRARY] = "library",
};
static const rw_lab_table tables[TABLES] = {
    [CHECKS] = {"Results of all kernels compared with known results", checks_columns, RW_COUNT(checks_columns)},
#define RW_X(number, variant, transfers, title, ...)                                                                   \
    [TIMES + number - 7] = {"E." #number ": " title, times_columns, RW_COUNT(times_columns)},
#include "lab/convolution.def"
#undef RW_X
    [HOST] = {"E.23: one thread", host_columns, RW_COUNT(host_columns)},
    [SPEEDUPS] = {"5.3: time of one thread divided by the time of the kernel", speedups_columns,
                  RW_COUNT(speedups_columns)},
    [GAIN] = {"5.16, 5.17: time gained by the tile in shared memory", gain_columns, RW_COUNT(gain_columns)},
    [TRANSFERS] = {"5.18: transfer of images to the device and back", transfers_columns, RW_COUNT(transfers_columns)},
    [FIT] = {"5.18: dead time and rate of transfers", fit_columns, RW_COUNT(fit_columns)},
    [BORDERS] = {"Borders: skip compared with zero padding, 640 x 472 pixels, 3 x 3", borders_columns,
                 RW_COUNT(borders_columns)},
    [LIBRARY] = {"The library's filter on the same images", library_columns, RW_COUNT(library_columns)},
};
static const rw_lab_curves curves[] = {
    {.name = "transfers",
     .title = "Transfer of images to the device and back",
     .table = TRANSFERS,
     .x = X_EDGE,
     .y = {X_TIME},
     .ny = 1,
     .only = "",
     .where = X_NAME,
     .by = X_NAME,
     .x_axis = {.label = "image size / pixels", .log = true},
     .y_axis = {.label = "time / ms", .log = true}},
    {.name = "transfers-line",
     .title = "Transfer of images to the device and back: measured times and fitted line",
     .table = TRANSFERS,
     .x = X_BYTES,
     .y = {X_LINE, X_TIME},
     .ny = 2,
     .only = "",
     .where = X_NAME,
     .by = X_NAME,
     .plain = true,
     .x_axis = {.label = "image / MB"},
     .y_axis = {.label = "time / ms"}},
};

const rw_study rw_study_convolution = {
    .entry =
        {"convolution", "Convolution of images with masks of 3 x 3 to 9 x 9",
         "What did texture memory, a tile in shared memory, zero padding and transfers gain or cost in 2010, and what "
         "do they gain or cost today?",
         "M.-R. Lorbeer, Analyse der NVIDIA CUDA-Architektur fuer die Implementierung von Signal- und "
         "Bildverarbeitungsalgorithmen, bachelor thesis, HAW Hamburg, 2010: tables 5.3, E.1 to E.23",
         parameters, RW_COUNT(parameters), names, RW_COUNT(names)},
    .tables = tables,
    .curves = curves,
    .ncurves = RW_COUNT(curves),
    .over = "sizes",
    .run = run_study,
};
