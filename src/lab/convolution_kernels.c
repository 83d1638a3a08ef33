/* Kernels of the study convolution and the same on the host. The formula is a correlation: the mask is not turned. */
#include "lab/convolution_kernels.h"

#include <math.h>

enum { EDGE = 16 };

const char *const rw_conv2d_border_names[RW_CONV2D_BORDERS] = {"skip", "zero", "cyclic"};
const rw_conv2d_variant rw_conv2d_variants[RW_CONV2D_VARIANTS] = {
    [RW_GREY_GLOBAL] = {"grey, global", RW_ONE_CHANNEL, false, false},
    [RW_GREY_GLOBAL_TILED] = {"grey, global, tile", RW_ONE_CHANNEL, false, true},
    [RW_GREY_READ_ONLY] = {"grey, read-only", RW_ONE_CHANNEL, true, false},
    [RW_GREY_READ_ONLY_TILED] = {"grey, read-only, tile", RW_ONE_CHANNEL, true, true},
    [RW_RGB_GLOBAL] = {"RGB, global", RW_RGB, false, false},
    [RW_RGB_GLOBAL_TILED] = {"RGB, global, tile", RW_RGB, false, true},
    [RW_RGB_READ_ONLY] = {"RGB, read-only", RW_RGB, true, false},
    [RW_RGB_READ_ONLY_TILED] = {"RGB, read-only, tile", RW_RGB, true, true},
    [RW_FLEXIBLE_GLOBAL] = {"flexible, global", RW_FLEXIBLE, false, false},
    [RW_FLEXIBLE_READ_ONLY] = {"flexible, read-only", RW_FLEXIBLE, true, false},
};

static int values_of(rw_conv2d_items items) { return items == RW_RGB ? 3 : 1; }

rw_mask rw_mask_mean(int line, bool truncate)
{
    rw_mask m = {.line = line, .truncate = truncate};
    const double weight = 1.0 / (line * line);
    for (int i = 0; i < line * line; ++i) m.weight[i] = (float)(truncate ? floor(1e7 * weight) / 1e7 : weight);
    return m;
}

int64_t rw_conv2d_tile_bytes(rw_conv2d_items items, int line)
{
    const int64_t edge = EDGE + 2 * (line / 2);
    return values_of(items) * edge * edge * (int64_t)sizeof(float);
}

/* ---- kernels ------------------------------------------------------------------------------------------ */

static rw_status check_mask(rw_context *ctx, int line)
{
    if (line >= 3 && line <= RW_CONV2D_LINE_MOST && line % 2) return RW_OK;
    return rw_fail(ctx, RW_ERR_ARGUMENT, "the kernels of 2010 have masks of 3, 5, 7 or 9 pixels, not %d", line);
}

rw_status rw_conv2d_create(rw_device *dev, const rw_conv2d_variant *v, rw_conv2d_border border, const rw_mask *mask,
                           rw_conv2d *c)
{
    static const char *const steps[] = {[RW_ONE_CHANNEL] = "1", [RW_FLEXIBLE] = "channels", [RW_RGB] = "3"};
    *c = (rw_conv2d){.items = v->items};
    RW_TRY(check_mask(dev->ctx, mask->line));
    if (v->items == RW_FLEXIBLE && v->tiled)
        return rw_fail(dev->ctx, RW_ERR_ARGUMENT, "the flexible kernel of 2010 has no tile in shared memory");
    rw_text text = {0};
    rw_text_add(&text, "CONSTANT f32 weights[%d] = {", mask->line * mask->line);
    for (int i = 0; i < mask->line * mask->line; ++i) rw_text_add(&text, "%s%.9ef", i ? "," : "", mask->weight[i]);
    rw_text_add(&text, "};\n%s", rw_measure_text("convolution_kernels.k"));
    rw_status status =
        text.failed ? rw_fail_memory(dev->ctx, 1 << 13, "the source of a program")
                    : rw_program_create_with(
                          dev, "convolution", text.data, &c->program,
                          "GROUP=%d GROUP_X=%d LINE=%d VALUES=%d STEP=%s BORDER=%d TILED=%d READ_ONLY=%d ROUND=%s",
                          EDGE * EDGE, EDGE, mask->line, values_of(v->items), steps[v->items], (int)border, v->tiled,
                          v->read_only, mask->truncate ? "0.0f" : "0.5f");
    rw_text_free(&text);
    if (status == RW_OK) status = rw_program_kernel(c->program, "convolve", &c->kernel);
    if (status != RW_OK) rw_conv2d_free(c);
    return status;
}

void rw_conv2d_free(rw_conv2d *c) { rw_program_destroy(&c->program); }

rw_status rw_conv2d_run(const rw_conv2d *c, rw_array *x, rw_array *y, int64_t width, int64_t height, int channels,
                        rw_queue *queue)
{
    const int64_t columns = c->items == RW_FLEXIBLE ? width * channels : width;
    const int64_t groups[] = {(columns + EDGE - 1) / EDGE, (height + EDGE - 1) / EDGE, 1};
    const rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_int(width), rw_arg_int(height),
                           rw_arg_int(channels)};
    return rw_launch(queue, c->kernel, groups, args, RW_COUNT(args));
}

/* ---- reads from memory ------------------------------------------------------------------------------------------ */

/* Pieces of 32 bytes among the bytes at + from, at + from + 1, … at + to of a row; those outside 0 … length - 1 are not
 * read. */
static int pieces(int64_t row, int64_t length, int64_t from, int64_t to)
{
    enum { PIECE = 32 };
    from = RW_MAX(from, 0);
    to = RW_MIN(to, length - 1);
    return from > to ? 0 : (int)((row * length + to) / PIECE - (row * length + from) / PIECE + 1);
}

/* 16 items of a row that load their values k + shift, k = from … to, of the same row. */
typedef struct half_warp {
    int64_t row, from, to, height, length;
} half_warp;

static int64_t loads_of_taps(const half_warp *h, int d, int step)
{
    int64_t n = 0;
    for (int i = -d; i <= d && h->from <= h->to; ++i)
        for (int j = -d; j <= d; ++j)
            if (h->row + j >= 0 && h->row + j < h->height)
                n += pieces(h->row + j, h->length, h->from + i * step, h->to + i * step);
    return n;
}

/* Without a tile: items whose mask lies inside the image, and then, with zero padding, the others, by an instruction of
 * their own. */
static int64_t loads_of_items(const half_warp *h, int d, int step, bool zero)
{
    const bool inside = h->row >= d && h->row < h->height - d;
    half_warp left = *h, middle = *h, right = *h;
    middle.from = inside ? RW_MAX(h->from, d * step) : h->to + 1;
    middle.to = RW_MIN(h->to, h->length - d * step - 1);
    if (middle.from > middle.to) return zero ? loads_of_taps(h, d, step) : 0;
    left.to = middle.from - 1;
    right.from = middle.to + 1;
    return loads_of_taps(&middle, d, step) +
           (zero ? loads_of_taps(&left, d, step) + loads_of_taps(&right, d, step) : 0);
}

static int64_t loads_of_tile(const half_warp *h, int d, int64_t row0)
{
    const int64_t edge = EDGE + 2 * d, col = h->from - d;
    int64_t n = 0;
    for (int64_t j = h->row - row0; j < edge; j += EDGE)
        for (int64_t i = 0; i < edge; i += EDGE) {
            const int64_t row = row0 - d + j;
            if (row >= 0 && row < h->height) n += pieces(row, h->length, col + i, col + RW_MIN(i + EDGE, edge) - 1);
        }
    return n;
}

int64_t rw_conv2d_loads(rw_conv2d_items items, bool tiled, rw_conv2d_border border, int line, int64_t width,
                        int64_t height, int channels)
{
    const int d = line / 2, step = items == RW_ONE_CHANNEL ? 1 : channels;
    const int64_t rows = (height + EDGE - 1) / EDGE * EDGE;
    int64_t n = 0;
    for (int64_t row = 0; row < (tiled ? rows : height); ++row)
        for (int64_t from = 0; from < width * step; from += EDGE) {
            const half_warp h = {row, from, RW_MIN(from + EDGE, width * step) - 1, height, width * step};
            n +=
                tiled ? loads_of_tile(&h, d, row / EDGE * EDGE) : loads_of_items(&h, d, step, border == RW_CONV2D_ZERO);
        }
    return n;
}

/* ---- the host ------------------------------------------------------------------------------------------ */

typedef struct picture {
    int64_t length, height; /* length: values of a row */
    int step;               /* from a pixel's value to the next pixel's */
    const uint8_t *x;
} picture;

static float value_at(const picture *p, int64_t k, int64_t row, bool cyclic)
{
    if (k >= 0 && k < p->length && row >= 0 && row < p->height) return p->x[row * p->length + k];
    if (!cyclic) return 0;
    k %= p->length;
    row %= p->height;
    return p->x[(row < 0 ? row + p->height : row) * p->length + (k < 0 ? k + p->length : k)];
}

static inline float add_product(bool fused, float a, float b, float c) { return fused ? fmaf(a, b, c) : a * b + c; }

static inline float sum_inside(const picture *p, const rw_mask *m, bool fused, int64_t k, int64_t row)
{
    const int d = m->line / 2;
    const uint8_t *corner = p->x + (row - d) * p->length + k - d * p->step;
    float sum = 0;
    for (int i = 0; i < m->line; ++i)
        for (int j = 0; j < m->line; ++j)
            sum = add_product(fused, m->weight[j * m->line + i], corner[j * p->length + i * p->step], sum);
    return sum;
}

static float sum_beyond(const picture *p, const rw_mask *m, bool fused, bool cyclic, int64_t k, int64_t row)
{
    const int d = m->line / 2;
    float sum = 0;
    for (int i = 0; i < m->line; ++i)
        for (int j = 0; j < m->line; ++j)
            sum = add_product(fused, m->weight[j * m->line + i],
                              value_at(p, k + (i - d) * p->step, row + j - d, cyclic), sum);
    return sum;
}

static inline uint8_t to_byte(float v, float added)
{
    const float w = v < 0 ? 0 : v > 255 ? 255 : v;
    return (uint8_t)(w + added);
}

static inline void convolve(const picture *p, const rw_mask *m, rw_conv2d_border border, bool fused, uint8_t *y)
{
    const int64_t d = m->line / 2, side = d * p->step;
    const float added = m->truncate ? 0 : 0.5f;
    for (int64_t row = 0; row < p->height; ++row)
        for (int64_t k = 0; k < p->length; ++k) {
            const int64_t at = row * p->length + k;
            if (row >= d && row < p->height - d && k >= side && k < p->length - side)
                y[at] = to_byte(sum_inside(p, m, fused, k, row), added);
            else if (border == RW_CONV2D_SKIP) y[at] = p->x[at];
            else y[at] = to_byte(sum_beyond(p, m, fused, border == RW_CONV2D_CYCLIC, k, row), added);
        }
}

void rw_conv2d_host(const rw_mask *m, rw_conv2d_border border, bool fused, int64_t width, int64_t height, int channels,
                    const uint8_t *x, uint8_t *y)
{
    const picture p = {width * channels, height, channels, x};
    if (fused) convolve(&p, m, border, true, y);
    else convolve(&p, m, border, false, y);
}
