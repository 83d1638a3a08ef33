/* Operations on images in the plainest way: every pixel from its window, in f64, rounded where the manual says that
 * integer types are. */
#ifndef RW_TEST_IMAGE_REFERENCE_H
#define RW_TEST_IMAGE_REFERENCE_H

#include <math.h>

#include "image/image.h"

typedef struct picture {
    int width, height, channels;
    double *v; /* [height][width][channels] */
} picture;

static inline picture picture_new(int width, int height, int channels)
{
    return (picture){width, height, channels, calloc((size_t)width * height * channels + 1, sizeof(double))};
}
static inline double *pixel(const picture *p, int x, int y, int c)
{
    return p->v + ((size_t)y * p->width + x) * p->channels + c;
}

static inline int beyond(int i, int n, rw_image_border b)
{
    if (i >= 0 && i < n) return i;
    if (b == RW_IMAGE_BORDER_CONSTANT) return -1;
    if (b == RW_IMAGE_BORDER_REPLICATE || b == RW_IMAGE_BORDER_SKIP) return i < 0 ? 0 : n - 1;
    if (b == RW_IMAGE_BORDER_WRAP) return ((i % n) + n) % n;
    while (i < 0 || i >= n) { /* mirrored at one side, then the other */
        if (n == 1) return 0;
        if (b == RW_IMAGE_BORDER_REFLECT) i = i < 0 ? -1 - i : 2 * n - 1 - i;
        else i = i < 0 ? -i : 2 * n - 2 - i;
    }
    return i;
}
static inline double at(const picture *p, int x, int y, int c, const rw_image_op *op)
{
    x = beyond(x, p->width, op->border), y = beyond(y, p->height, op->border);
    return x < 0 || y < 0 ? op->value : *pixel(p, x, y, c);
}

static inline bool whole(rw_dtype t) { return t == RW_U8 || t == RW_U16 || t == RW_I16; }
static inline double limited(double v, rw_dtype t)
{
    const double least = t == RW_I16 ? -32768 : 0, most = rw_image_largest(t);
    return !whole(t) ? v : v != v ? 0 : v < least ? least : v > most ? most : v;
}
static inline double rounded(double v, rw_dtype t) { return whole(t) ? rint(limited(v, t)) : v; }

static inline int compare_values(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double smooth_weight(int n, int k)
{
    double w = 1;
    for (int i = 1; i <= k; ++i) w = w * (n - i) / i;
    return w; /* binomial(n - 1, k) */
}
/* Weight k of the derivative: that of 1 1 … 1 1, convolved with -1 1 (or 1 -2 1). */
static double slope_weight(int n, int k, int order)
{
    double w = 0;
    const double difference[2][3] = {{-1, 1, 0}, {1, -2, 1}};
    for (int i = 0; i <= order; ++i)
        if (k - i >= 0 && k - i < n - order) w += difference[order - 1][i] * smooth_weight(n - order, k - i);
    return w;
}

/* Sum over a window of weights w[ny][nx] whose point of reference is (lx, ly). */
static double correlate(const picture *x, int i, int j, int c, const rw_image_op *op, const double *w, int nx, int ny,
                        int lx, int ly)
{
    double sum = 0;
    for (int l = 0; l < ny; ++l)
        for (int k = 0; k < nx; ++k) sum += w[l * nx + k] * at(x, i + k - lx, j + l - ly, c, op);
    return sum;
}

/* Rows, then columns, with what is rounded between them for integer types. */
static picture gauss(const picture *x, const rw_image_op *op, rw_dtype t)
{
    const double sy = op->sigma_y > 0 ? op->sigma_y : op->sigma;
    const int rx = (int)fmax(1, rint(op->sigma * op->truncate)), ry = (int)fmax(1, rint(sy * op->truncate));
    double *a = calloc((size_t)(2 * rx + 1), sizeof *a), *b = calloc((size_t)(2 * ry + 1), sizeof *b);
    const double one[2] = {t == RW_U8 ? 0x1p16 : whole(t) ? 0x1p15 : 1, t == RW_U8 ? 0x1p12 : whole(t) ? 0x1p15 : 1};
    rw_image_gauss_taps(op->sigma, rx, one[0], whole(t), a);
    rw_image_gauss_taps(sy, ry, one[1], whole(t), b);
    picture y = picture_new(x->width, x->height, x->channels);
    for (int j = 0; j < x->height; ++j)
        for (int i = 0; i < x->width; ++i)
            for (int c = 0; c < x->channels; ++c) {
                double sum = 0;
                for (int l = -ry; l <= ry; ++l) {
                    double row = 0;
                    for (int k = -rx; k <= rx; ++k) row += a[k + rx] * at(x, i + k, j + l, c, op);
                    if (t == RW_U8) row = rint(row * 0x1p-12);
                    else if (whole(t)) row = floor((row + 0x1p14) * 0x1p-15);
                    sum += b[l + ry] * row;
                }
                *pixel(&y, i, j, c) = t == RW_U8 ? rounded(sum * 0x1p-16, t)
                                      : whole(t) ? limited(floor((sum + 0x1p14) * 0x1p-15), t)
                                                 : sum;
            }
    free(a), free(b);
    return y;
}

static picture extreme(const picture *x, const rw_image_op *op, double sign)
{
    const int size[2] = {op->size, op->size_y > 0 ? op->size_y : op->size};
    picture y = picture_new(x->width, x->height, x->channels);
    for (int j = 0; j < x->height; ++j)
        for (int i = 0; i < x->width; ++i)
            for (int c = 0; c < x->channels; ++c) {
                double best = -INFINITY;
                for (int l = 0; l < size[1]; ++l)
                    for (int k = 0; k < size[0]; ++k)
                        if (rw_image_in_element(op->element, k, l, size))
                            best = fmax(best, sign * at(x, i + k - size[0] / 2, j + l - size[1] / 2, c, op));
                *pixel(&y, i, j, c) = sign * best;
            }
    return y;
}

static picture combine(const picture *a, double fa, const picture *b, double fb, rw_dtype t)
{
    picture y = picture_new(a->width, a->height, a->channels);
    for (size_t i = 0, n = (size_t)a->width * a->height * a->channels; i < n; ++i)
        y.v[i] = rounded(fa * a->v[i] + fb * b->v[i], t);
    return y;
}

static double bilateral_value(const picture *x, int i, int j, int c, const rw_image_op *op, rw_dtype t)
{
    const int r = (int)fmax(1, rint(op->sigma * op->truncate));
    const double range = op->range > 0 ? op->range : rw_image_largest(t) / 10;
    double sum = 0, weight = 0;
    for (int l = -r; l <= r; ++l)
        for (int k = -r; k <= r; ++k) {
            double away = 0;
            if (k * k + l * l > r * r) continue;
            for (int m = 0; m < x->channels; ++m) away += fabs(at(x, i + k, j + l, m, op) - *pixel(x, i, j, m));
            const double w =
                exp(-0.5 * (k * k + l * l) / (op->sigma * op->sigma)) * exp(-0.5 * away * away / (range * range));
            weight += w, sum += w * at(x, i + k, j + l, c, op);
        }
    return rounded(sum / weight, t);
}

static double window_value(const picture *x, int i, int j, int c, const rw_image_op *op, rw_dtype t)
{
    const int nx = op->size, ny = op->size_y > 0 ? op->size_y : op->size;
    double w[2][49], *list;
    int n = op->size;
    switch (op->method) {
    case RW_IMAGE_BOX: {
        double sum = 0;
        for (int l = 0; l < ny; ++l)
            for (int k = 0; k < nx; ++k) sum += at(x, i + k - nx / 2, j + l - ny / 2, c, op);
        return rounded(sum / (nx * ny), t);
    }
    case RW_IMAGE_MEDIAN:
        list = calloc((size_t)nx * ny, sizeof *list);
        for (int l = 0; l < ny; ++l)
            for (int k = 0; k < nx; ++k) list[l * nx + k] = at(x, i + k - nx / 2, j + l - ny / 2, c, op);
        qsort(list, (size_t)nx * ny, sizeof *list, compare_values);
        n = nx * ny / 2;
        const double median = list[n];
        free(list);
        return median;
    case RW_IMAGE_SOBEL:
    case RW_IMAGE_SCHARR: {
        const bool scharr = op->method == RW_IMAGE_SCHARR;
        if (scharr) n = 3;
        for (int k = 0; k < n * n; ++k) {
            const double smooth_y = scharr ? (k / n == 1 ? 10 : 3) : smooth_weight(n, k / n),
                         smooth_x = scharr ? (k % n == 1 ? 10 : 3) : smooth_weight(n, k % n);
            w[0][k] = smooth_y * slope_weight(n, k % n, 1), w[1][k] = slope_weight(n, k / n, 1) * smooth_x;
        }
        const double gx = correlate(x, i, j, c, op, w[0], n, n, n / 2, n / 2),
                     gy = correlate(x, i, j, c, op, w[1], n, n, n / 2, n / 2);
        if (op->direction != RW_IMAGE_MAGNITUDE) return op->direction == RW_IMAGE_X ? gx : gy;
        if (t == RW_U8) return rint(sqrt(gx * gx + gy * gy));
        return whole(t) ? sqrtf(fmaf((float)gx, (float)gx, (float)gy * (float)gy)) : sqrt(gx * gx + gy * gy);
    }
    case RW_IMAGE_LAPLACE: {
        const double small[2][9] = {{0, 1, 0, 1, -4, 1, 0, 1, 0}, {2, 0, 2, 0, -8, 0, 2, 0, 2}};
        if (n < 5) return correlate(x, i, j, c, op, small[n > 1], 3, 3, 1, 1);
        for (int k = 0; k < n * n; ++k)
            w[0][k] = smooth_weight(n, k / n) * slope_weight(n, k % n, 2) +
                      slope_weight(n, k / n, 2) * smooth_weight(n, k % n);
        return correlate(x, i, j, c, op, w[0], n, n, n / 2, n / 2);
    }
    case RW_IMAGE_SHARPEN: {
        const double a = op->amount, m[9] = {0, -a, 0, -a, 1 + 4 * a, -a, 0, -a, 0};
        return rounded(correlate(x, i, j, c, op, m, 3, 3, 1, 1), t);
    }
    case RW_IMAGE_BILATERAL: return bilateral_value(x, i, j, c, op, t);
    default: return NAN;
    }
}

static double point_value(double v, const rw_image_op *op, rw_dtype t)
{
    const double white = rw_image_largest(t);
    double level = rw_given(op->level) ? op->level : white / 2, high = rw_given(op->high) ? op->high : white;
    if (whole(t)) level = floor(level);
    switch (op->method) {
    case RW_IMAGE_THRESHOLD:
        switch (op->threshold) {
        case RW_IMAGE_BINARY: return v > level ? white : 0;
        case RW_IMAGE_BINARY_INVERSE: return v > level ? 0 : white;
        case RW_IMAGE_TRUNCATE: return v > level ? level : v;
        case RW_IMAGE_TO_ZERO: return v > level ? v : 0;
        default: return v > level ? 0 : v;
        }
    case RW_IMAGE_INVERT: return limited(white - v, t);
    case RW_IMAGE_LINEAR: return rounded(op->gain * v + op->offset, t);
    case RW_IMAGE_GAMMA: return v <= 0 ? 0 : rounded(white * pow(v / white, op->power), t);
    case RW_IMAGE_CLIP: return v < op->low ? rounded(op->low, t) : v > high ? rounded(high, t) : v;
    default: return NAN;
    }
}

/* One operation; the result is new. base: the type of the chain's x, type: of what is in x. */
static inline picture apply(const picture *x, const rw_image_op *op, rw_dtype t)
{
    if (op->method == RW_IMAGE_GAUSS) return gauss(x, op, t);
    if (op->method == RW_IMAGE_ERODE || op->method == RW_IMAGE_DILATE)
        return extreme(x, op, op->method == RW_IMAGE_ERODE ? -1 : 1);
    if (op->method == RW_IMAGE_UNSHARP) {
        picture g = gauss(x, op, t), y = combine(&g, -op->amount, x, 1 + op->amount, t);
        free(g.v);
        return y;
    }
    if (op->method >= RW_IMAGE_OPEN && op->method <= RW_IMAGE_BLACKHAT) {
        const bool erodes =
            op->method == RW_IMAGE_OPEN || op->method == RW_IMAGE_TOPHAT || op->method == RW_IMAGE_GRADIENT;
        picture a = extreme(x, op, erodes ? -1 : 1),
                b = extreme(op->method == RW_IMAGE_GRADIENT ? x : &a, op, erodes ? 1 : -1), y = b;
        if (op->method == RW_IMAGE_GRADIENT) y = combine(&b, 1, &a, -1, t);
        if (op->method == RW_IMAGE_TOPHAT) y = combine(x, 1, &b, -1, t);
        if (op->method == RW_IMAGE_BLACKHAT) y = combine(&b, 1, x, -1, t);
        free(a.v);
        if (y.v != b.v) free(b.v);
        return y;
    }
    picture y = picture_new(x->width, x->height, x->channels);
    double *mask = NULL;
    int size[2] = {0, 0};
    if (op->method == RW_IMAGE_MASK && rw_image_mask_parse(NULL, "mask", op->mask, &mask, size) != RW_OK) abort();
    for (int j = 0; j < x->height; ++j)
        for (int i = 0; i < x->width; ++i)
            for (int c = 0; c < x->channels; ++c) {
                double *v = pixel(&y, i, j, c);
                if (mask)
                    *v = rounded(op->scale * correlate(x, i, j, c, op, mask, size[0], size[1],
                                                       size[0] / 2 + op->anchor_x, size[1] / 2 + op->anchor_y),
                                 t);
                else if (op->method >= RW_IMAGE_THRESHOLD && op->method <= RW_IMAGE_CLIP)
                    *v = point_value(*pixel(x, i, j, c), op, t);
                else *v = window_value(x, i, j, c, op, t);
            }
    rw_free(mask);
    return y;
}

#endif
