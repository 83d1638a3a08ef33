/* Lowers operations on windows of neighbours to stages: blurs, masks, order statistics, bilateral; large windows by
 * transforms. */
#include <math.h>
#include <stdlib.h>

#include "image/lower.h"

/* ---- many neighbours: by transforms ------------------------------------------------------------------------------ */

/* Pads the image by its border, by `low` pixels before and `high` pixels after it. */
static rw_status add_pad(rw_image_builder *b, const int low[2], const int high[2])
{
    RW_TRY(rw_image_begin_whole(b, &rw_image_gather_ops, "border"));
    const rw_image_op pad = {.method = RW_IMAGE_PAD,
                             .left = low[0],
                             .top = low[1],
                             .width = b->pass->width + low[0] + high[0],
                             .height = b->pass->height + low[1] + high[1]};
    top(b)->border = b->op->border;
    top(b)->outside = b->op->value;
    return rw_image_set_geometry(b->plan->ctx, &pad, b->pass);
}

/* Correlation of a padded image. */
static rw_status add_correlation(rw_image_builder *b, const char *name, const double *values, int nx, int ny)
{
    RW_TRY(rw_image_begin_whole(b, &rw_image_correlation_ops, name));
    rw_image_stage *s = top(b);
    s->size[0] = nx;
    s->size[1] = ny;
    b->pass->y_width -= nx - 1;
    b->pass->y_height -= ny - 1;
    for (int i = 0; i < nx * ny; ++i) rw_image_add_weight(b, s, values[i]);
    return RW_OK;
}

/* Whether transforms replace a sum of this number of terms per pixel. */
static bool by_transforms(const rw_image_builder *b, int terms, int most)
{
    if (b->treatment == RW_IMAGE_EDGE) return false; /* alpha comes from a row of the same pass */
    if (b->op->algorithm != RW_IMAGE_ALGORITHM_AUTO) return b->op->algorithm == RW_IMAGE_ALGORITHM_FFT;
    return is_real(type_of(b)) && terms > most && b->op->border != RW_IMAGE_BORDER_SKIP && b->plan->width &&
           b->plan->height;
}

static rw_status need_no_skip(const rw_image_builder *b)
{
    if (b->op->border != RW_IMAGE_BORDER_SKIP) return RW_OK;
    return rw_fail(
        b->plan->ctx, RW_ERR_ARGUMENT,
        "%s: border skip does not work with algorithm fft or recursive: choose another border, or algorithm=taps",
        rw_image_method_name(b->op->method));
}

/* ---- blurs ------------------------------------------------------------------------------------------------------- */

enum { RADIUS = 127, TRANSFORMS = 63 }; /* largest radius with taps; radius above which transforms are faster */

static rw_status radius_of(const rw_image_builder *b, double sigma, int *radius)
{
    *radius = (int)RW_MAX(1, rint(sigma * b->op->truncate));
    if (*radius <= RADIUS) return RW_OK;
    return rw_fail(b->plan->ctx, RW_ERR_ARGUMENT, "%s: sigma = %g needs a window radius of %d pixels: at most %d%s",
                   rw_image_method_name(b->op->method), sigma, *radius, RADIUS,
                   b->op->method == RW_IMAGE_GAUSS ? ", or choose algorithm=fft" : "");
}

/* Symmetric weights, the outermost first. */
static void add_folded(rw_image_builder *b, rw_image_stage *s, double sigma, int radius, double one, bool integer)
{
    double taps[2 * RADIUS + 1];
    rw_image_gauss_taps(sigma, radius, one, integer, taps);
    for (int k = 0; k <= radius; ++k) rw_image_add_weight(b, s, taps[k]);
    s->add.folded = true;
    rw_image_set_taps(s);
}

/* u8: sums of rows in units of 2^-16, kept in units of 1/16; sums of columns with weights in units of 2^-12; all exact
 * in f32. u16, i16: weights in units of 2^-15, sums of rows rounded to integers. */
static rw_status add_gauss(rw_image_builder *b)
{
    const double sigma_y = b->op->sigma_y > 0 ? b->op->sigma_y : b->op->sigma;
    const rw_dtype type = type_of(b);
    int rx, ry;
    RW_TRY(radius_of(b, b->op->sigma, &rx));
    RW_TRY(radius_of(b, sigma_y, &ry));
    rw_image_stage *s = rw_image_add_stage(b, "Gaussian along rows", rw_image_write_taps);
    rw_image_set_window(b, s, 2 * rx + 1, 1, rx, 0);
    const bool shifts = type == RW_U16 || type == RW_I16, u8 = type == RW_U8;
    s->type = u8 ? RW_F32 : type;
    if (shifts) {
        s->compute = RW_I32;
        s->add.shift = 15;
    }
    if (u8) {
        s->add.rounds = true;
        s->add.factor = 0x1p-12;
    }
    add_folded(b, s, b->op->sigma, rx, u8 ? 0x1p16 : shifts ? 0x1p15 : 1, !is_real(type));
    s = rw_image_add_stage(b, "Gaussian along columns", rw_image_write_taps);
    rw_image_set_window(b, s, 1, 2 * ry + 1, 0, ry);
    s->type = type;
    if (u8) {
        s->add.factor = 0x1p-16;
        s->value *= 16;
    }
    if (shifts) {
        s->compute = RW_I32;
        s->add.shift = 15;
    }
    add_folded(b, s, sigma_y, ry, u8 ? 0x1p12 : shifts ? 0x1p15 : 1, !is_real(type));
    return RW_OK;
}

static rw_status add_gauss_fft(rw_image_builder *b, double sigma_x, double sigma_y)
{
    const double sigma[2] = {sigma_x, sigma_y};
    const rw_dtype type = type_of(b);
    int radius[2];
    RW_TRY(need_no_skip(b));
    for (int a = 0; a < 2; ++a) radius[a] = (int)RW_MAX(1, rint(sigma[a] * b->op->truncate));
    RW_TRY(add_pad(b, radius, radius));
    for (int a = 0; a < 2; ++a) {
        const int n = 2 * radius[a] + 1;
        double *taps = rw_calloc((size_t)n, sizeof *taps);
        if (!taps) return rw_fail_memory(b->plan->ctx, (size_t)n * sizeof *taps, "weights");
        rw_image_gauss_taps(sigma[a], radius[a], 1, false, taps);
        rw_status status = add_correlation(b, a ? "Gaussian along columns by FFT" : "Gaussian along rows by FFT", taps,
                                           a ? 1 : n, a ? n : 1);
        rw_free(taps);
        RW_TRY(status);
    }
    return rw_image_end_whole(b, type);
}

static rw_status add_gauss_recursive(rw_image_builder *b, double sigma_x, double sigma_y)
{
    const rw_dtype type = type_of(b);
    RW_TRY(need_no_skip(b));
    for (int a = 0; a < 2; ++a) {
        RW_TRY(rw_image_begin_whole(b, &rw_image_recursive_ops,
                                    a ? "recursive Gaussian along columns" : "recursive Gaussian along rows"));
        rw_image_stage *s = top(b);
        s->size[0] = !a;
        s->sigma = a ? sigma_y : sigma_x;
        s->border = b->op->border;
        s->outside = b->op->value;
    }
    return rw_image_end_whole(b, type);
}

static rw_status lower_gauss(rw_image_builder *b)
{
    const double sigma_y = b->op->sigma_y > 0 ? b->op->sigma_y : b->op->sigma;
    if (b->op->algorithm == RW_IMAGE_ALGORITHM_RECURSIVE) return add_gauss_recursive(b, b->op->sigma, sigma_y);
    if (by_transforms(b, (int)rint(RW_MAX(b->op->sigma, sigma_y) * b->op->truncate), TRANSFORMS))
        return add_gauss_fft(b, b->op->sigma, sigma_y);
    RW_TRY(rw_image_begin_window(b, false, 3));
    return add_gauss(b);
}

static rw_status lower_unsharp(rw_image_builder *b)
{
    RW_TRY(rw_image_begin_window(b, false, 4));
    const int source = b->pass->nstages - 1;
    const rw_dtype type = type_of(b);
    RW_TRY(add_gauss(b));
    rw_image_stage *s = rw_image_add_stage(b, "unsharp", rw_image_write_difference);
    s->also = source;
    s->type = type;
    rw_image_add_weight(b, s, -b->op->amount);
    rw_image_add_weight(b, s, 1 + b->op->amount);
    return RW_OK;
}

static int size_y(const rw_image_builder *b) { return b->op->size_y > 0 ? b->op->size_y : b->op->size; }

enum { RUNNING = 15 }; /* longest window that is summed term by term */

/* A sum along rows of 2, 4, 8 … neighbours from those of half as many, with one more where n is odd; the last one is
 * centred. */
static void add_pairs(rw_image_builder *b, int n, int low)
{
    const int source = b->pass->nstages - 1;
    int bit = 0;
    while (n >> (bit + 1)) ++bit;
    for (int have = 1; bit-- > 0;) {
        const int next = n >> bit, shift = next == n ? low : 0;
        rw_image_stage *s = rw_image_add_stage(b, "sum along rows", rw_image_write_pair);
        rw_image_set_window(b, s, have + 1, 1, shift, 0);
        s->rx = RW_MAX(shift, have > shift ? have - shift : shift - have);
        s->add.apart = have;
        s->add.odd = next % 2;
        if (next % 2) {
            s->also = source;
            s->also_x = 2 * have - shift;
        }
        have = next;
    }
}

/* Large windows: running sums of rows, then pairs. */
static rw_status lower_large_box(rw_image_builder *b, int nx, int ny)
{
    const rw_dtype type = working_type(b), sum = is_real(type) ? type : RW_I32;
    RW_TRY(rw_image_begin_window(b, false, 10));
    if (ny > 1) {
        rw_image_stage *s = rw_image_add_stage(b, "sum along columns", rw_image_write_running);
        rw_image_set_window(b, s, 1, ny, 0, ny / 2);
        s->type = s->compute = sum;
        s->sum = is_real(type) ? RW_F64 : RW_I32;
        s->running = true;
        s->sums = 1;
        s->careful = is_real(type);
        s->watched = b->watched;
    }
    if (nx > 1) {
        add_pairs(b, nx, nx / 2);
        for (rw_image_stage *s = top(b); s->operation == b->operation && s->write == rw_image_write_pair; --s) {
            s->type = s->compute = sum;
            s->value *= ny;
        }
    }
    top(b)->type = type;
    top(b)->add.factor = 1.0 / ((double)nx * ny);
    return RW_OK;
}

/* Sums are exact: in i32 for integers. */
static rw_status lower_box(rw_image_builder *b)
{
    const int nx = b->op->size, ny = size_y(b), n = nx * ny;
    const rw_dtype type = working_type(b);
    if ((type == RW_U16 || type == RW_I16) && n > 32767)
        return rw_fail(b->plan->ctx, RW_ERR_ARGUMENT,
                       "box: a window of %d x %d pixels: 16-bit images allow at most 32767 pixels", nx, ny);
    if (nx > RUNNING || ny > RUNNING) return lower_large_box(b, nx, ny);
    RW_TRY(rw_image_begin_window(b, false, 2));
    rw_image_stage *s = rw_image_add_stage(b, "sum along rows", rw_image_write_sum);
    rw_image_set_window(b, s, nx, 1, nx / 2, 0);
    if (!is_real(type)) s->type = s->compute = RW_I32;
    s = rw_image_add_stage(b, "mean along columns", rw_image_write_sum);
    rw_image_set_window(b, s, 1, ny, 0, ny / 2);
    s->type = type;
    s->value *= nx;
    if (!is_real(type)) s->compute = RW_I32;
    s->add.factor = 1.0 / n;
    return RW_OK;
}

/* ---- masks ------------------------------------------------------------------------------------------------------- */

static const int binomial[4][7] = {{1, 2, 1}, {1, 4, 6, 4, 1}, {1, 6, 15, 20, 15, 6, 1}};
static const int derivative[4][7] = {{-1, 0, 1}, {-1, -2, 0, 2, 1}, {-1, -4, -5, 0, 5, 4, 1}};
static const int second[4][7] = {{1, -2, 1}, {1, 0, -2, 0, 1}, {1, 2, -1, -4, -1, 2, 1}};

/* The type of derivatives: of u8 i16, of other integers f32. */
static void set_derivative(rw_image_stage *s, rw_dtype from)
{
    int sum = 0;
    for (int i = 0; i < s->size[0] * s->size[1]; ++i) sum += abs(s->integers[0][i]);
    if (is_real(from)) return;
    s->compute = RW_I32;
    s->type = from == RW_U8 && sum * 255 < 2 * 32767 ? RW_I16 : RW_F32; /* half of the weights are positive */
}

static void outer(int *mask, const int *column, const int *row, int n)
{
    for (int i = 0; i < n * n; ++i) mask[i] = column[i / n] * row[i % n];
}

static rw_status lower_gradient_of(rw_image_builder *b, int n, const int *smooth, const int *slope)
{
    const rw_dtype from = type_of(b);
    RW_TRY(rw_image_begin_window(b, false, 1));
    rw_image_stage *s = rw_image_add_stage(b, rw_image_method_name(b->op->method), rw_image_write_integers);
    rw_image_set_window(b, s, n, n, n / 2, n / 2);
    const bool both = b->op->direction == RW_IMAGE_MAGNITUDE;
    s->masks = both ? 2 : 1;
    if (b->op->direction == RW_IMAGE_Y) outer(s->integers[0], slope, smooth, n);
    else outer(s->integers[0], smooth, slope, n);
    if (both) outer(s->integers[1], slope, smooth, n);
    set_derivative(s, from);
    return RW_OK;
}

static rw_status lower_sobel(rw_image_builder *b)
{
    const int n = b->op->size, i = (n - 3) / 2;
    return lower_gradient_of(b, n, binomial[i], derivative[i]);
}

static rw_status lower_scharr(rw_image_builder *b)
{
    static const int smooth[] = {3, 10, 3};
    return lower_gradient_of(b, 3, smooth, derivative[0]);
}

/* size 1: 0 1 0, 1 -4 1, 0 1 0; 3: 2 0 2, 0 -8 0, 2 0 2; 5: second derivatives of binomial filters */
static rw_status lower_laplace(rw_image_builder *b)
{
    static const int cross[] = {0, 1, 0, 1, -4, 1, 0, 1, 0}, corners[] = {2, 0, 2, 0, -8, 0, 2, 0, 2};
    const rw_dtype from = type_of(b);
    const int n = RW_MAX(b->op->size, 3);
    RW_TRY(rw_image_begin_window(b, false, 1));
    rw_image_stage *s = rw_image_add_stage(b, "Laplacian", rw_image_write_integers);
    rw_image_set_window(b, s, n, n, n / 2, n / 2);
    s->masks = 1;
    for (int k = 0; k < n * n; ++k)
        s->integers[0][k] = b->op->size == 1 ? cross[k]
                            : b->op->size == 3
                                ? corners[k]
                                : binomial[1][k / n] * second[1][k % n] + second[1][k / n] * binomial[1][k % n];
    set_derivative(s, from);
    return RW_OK;
}

/* Weights of integer types: integers times a common factor if there is one, else in units of a power of 2. Sums are
 * exact: in f32 for u8, in i32 or f64 for u16 and i16. */
static rw_status add_mask(rw_image_builder *b, double *values, int nx, int ny, int low_x, int low_y)
{
    const rw_dtype type = type_of(b);
    const bool u8 = type == RW_U8;
    rw_image_stage *s = rw_image_add_stage(b, "mask", rw_image_write_taps);
    rw_image_set_window(b, s, nx, ny, low_x, low_y);
    if (!is_real(type)) {
        double most = u8 ? 0x1p24 / 255 : 32767, factor = 1, sum = 0;
        if (!u8) s->compute = RW_I32;
        if (!rw_image_common_factor(values, nx * ny, most, &factor)) {
            if (!u8) {
                s->compute = RW_F64;
                most = 0x1p37;
            }
            for (int i = 0; i < nx * ny; ++i) sum += fabs(values[i]);
            if (sum > 0) factor = exp2(-floor(log2(most / sum * 0.999)));
            for (int i = 0; i < nx * ny; ++i) values[i] = rint(values[i] / factor);
        }
        s->add.factor = factor;
    }
    for (int i = 0; i < nx * ny; ++i) rw_image_add_weight(b, s, values[i]);
    rw_image_set_taps(s);
    return RW_OK;
}

enum { DENSE = 1000 }; /* terms above which transforms are faster */

static rw_status lower_mask(rw_image_builder *b)
{
    double *values;
    int size[2];
    rw_status status =
        rw_image_mask_parse(b->plan->ctx, "mask", b->op->mask && *b->op->mask ? b->op->mask : "1 2 1/2 4 2/1 2 1",
                            &values, size);
    const int low_x = size[0] / 2 + b->op->anchor_x, low_y = size[1] / 2 + b->op->anchor_y;
    if (status == RW_OK && (low_x < 0 || low_y < 0 || low_x >= size[0] || low_y >= size[1]))
        status =
            rw_fail(b->plan->ctx, RW_ERR_ARGUMENT, "mask: anchor (%d, %d) lies outside the mask of %d x %d weights",
                    b->op->anchor_x, b->op->anchor_y, size[0], size[1]);
    double sum = 0, all = 0;
    for (int i = 0; status == RW_OK && i < size[0] * size[1]; ++i) {
        values[i] *= b->op->scale;
        sum += values[i];
        all += fabs(values[i]);
    }
    if (b->treatment == RW_IMAGE_BLEND) { /* weights whose sum is 0 find edges */
        if (fabs(sum) > 1e-9 * all) b->gain = sum;
        else b->treatment = RW_IMAGE_EDGE;
    }
    if (status == RW_OK && by_transforms(b, size[0] * size[1], DENSE)) {
        const rw_dtype type = type_of(b);
        status = need_no_skip(b);
        if (status == RW_OK)
            status = add_pad(b, (int[]){low_x, low_y}, (int[]){size[0] - 1 - low_x, size[1] - 1 - low_y});
        if (status == RW_OK) status = add_correlation(b, "mask by FFT", values, size[0], size[1]);
        rw_free(values);
        return status == RW_OK ? rw_image_end_whole(b, type) : status;
    }
    if (status == RW_OK) status = rw_image_begin_window(b, false, 1);
    if (status == RW_OK) status = add_mask(b, values, size[0], size[1], low_x, low_y);
    rw_free(values);
    return status;
}

static rw_status lower_sharpen(rw_image_builder *b)
{
    const double a = b->op->amount;
    double values[] = {0, -a, 0, -a, 1 + 4 * a, -a, 0, -a, 0};
    RW_TRY(rw_image_begin_window(b, false, 1));
    RW_TRY(add_mask(b, values, 3, 3, 1, 1));
    top(b)->name = "sharpen";
    return RW_OK;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static rw_status lower_median(rw_image_builder *b)
{
    const int nx = b->op->size, ny = size_y(b);
    RW_TRY(rw_image_begin_window(b, false, 2));
    const rw_dtype type = type_of(b);
    const bool keys = rw_image_needs_keys(type, nx * ny);
    if (keys) {
        rw_image_stage *s = rw_image_add_stage(b, "order", rw_image_write_keys);
        s->type = RW_U32;
        s->order = true;
    }
    rw_image_stage *s = rw_image_add_stage(b, "median", NULL);
    rw_image_set_window(b, s, nx, ny, nx / 2, ny / 2);
    s->type = type;
    if (keys) s->value = rw_image_key(s->value);
    s->careful = is_real(type) && nx * ny > 1;
    s->watched = b->watched;
    rw_image_set_median(s);
    return RW_OK;
}

/* One axis of a rectangle: extremes of 2, 4, 8 … neighbours from those of half as many. The first one is centred. */
static void add_extremes(rw_image_builder *b, int sign, int n, int axis, const char *name)
{
    int shift = n / 2;
    for (int have = 1; have < n;) {
        const int by = RW_MIN(have, n - have), low = RW_MIN(shift, by);
        rw_image_stage *s = rw_image_add_stage(b, name, rw_image_write_extreme);
        rw_image_set_window(b, s, axis ? 1 : by + 1, axis ? by + 1 : 1, axis ? 0 : low, axis ? low : 0);
        rw_image_set_element(s, sign, RW_IMAGE_ELEMENT_DEFAULT);
        s->careful = is_real(s->type);
        s->watched = b->watched;
        shift -= low;
        have += by;
    }
}

static int halvings(int n)
{
    int k = 0;
    for (int have = 1; have < n; have += RW_MIN(have, n - have)) ++k;
    return k;
}

enum { ELEMENT = 31 }; /* edge of a cross or an ellipse, rows that one stage reads */

static void add_element(rw_image_builder *b, int sign, int nx, int ny, rw_image_element element, const char *name)
{
    rw_image_stage *s = rw_image_add_stage(b, name, rw_image_write_extreme);
    rw_image_set_window(b, s, nx, ny, nx / 2, ny / 2);
    rw_image_set_element(s, sign, element);
    s->careful = is_real(s->type) && nx * ny > 1;
    s->watched = b->watched;
}

/* Minimum or maximum (sign -1, 1) over the structuring element. After another operation with neighbours one stage reads
 * all rows. */
static rw_status add_extreme(rw_image_builder *b, int sign, bool after)
{
    const int nx = b->op->size, ny = size_y(b);
    const rw_image_element element = b->op->element;
    if ((element != RW_IMAGE_RECTANGLE || after) && (nx > ELEMENT || ny > ELEMENT))
        return rw_fail(b->plan->ctx, RW_ERR_ARGUMENT, "%s: %s of %d x %d pixels is too large: at most %d x %d",
                       rw_image_method_name(b->op->method),
                       element == RW_IMAGE_RECTANGLE ? "a rectangle after another window" : "a cross or an ellipse", nx,
                       ny, ELEMENT, ELEMENT);
    if (element != RW_IMAGE_RECTANGLE) {
        add_element(b, sign, nx, ny, element, sign < 0 ? "minimum" : "maximum");
        return RW_OK;
    }
    add_extremes(b, sign, nx, 0, sign < 0 ? "minimum along rows" : "maximum along rows");
    const char *columns = sign < 0 ? "minimum along columns" : "maximum along columns";
    if (ny > 1 && after) add_element(b, sign, 1, ny, element, columns);
    else add_extremes(b, sign, ny, 1, columns);
    if (nx == 1 && ny == 1) rw_image_add_stage(b, "copy", rw_image_write_copy);
    return RW_OK;
}

static int stages_of(const rw_image_builder *b)
{
    return b->op->element == RW_IMAGE_RECTANGLE ? halvings(b->op->size) + halvings(size_y(b)) + 1 : 1;
}

static rw_status lower_extreme(rw_image_builder *b, int sign)
{
    const bool many = b->op->element == RW_IMAGE_RECTANGLE && (b->op->size > ELEMENT || size_y(b) > ELEMENT);
    RW_TRY(rw_image_begin_window(b, many, stages_of(b)));
    return add_extreme(b, sign, b->operation > b->first);
}
static rw_status lower_erode(rw_image_builder *b) { return lower_extreme(b, -1); }
static rw_status lower_dilate(rw_image_builder *b) { return lower_extreme(b, 1); }

/* The second one counts as a separate operation: its pixels beyond the border come from the result of the first. */
static rw_status lower_two(rw_image_builder *b, int sign)
{
    RW_TRY(lower_extreme(b, sign));
    RW_TRY(rw_image_close_alpha(b));
    ++b->operation;
    return lower_extreme(b, -sign);
}
static rw_status lower_open(rw_image_builder *b) { return lower_two(b, -1); }
static rw_status lower_close(rw_image_builder *b) { return lower_two(b, 1); }

static rw_status lower_gradient(rw_image_builder *b)
{
    RW_TRY(rw_image_begin_window(b, b->windows, 2 * stages_of(b) + 1));
    const int source = b->pass->nstages - 1;
    RW_TRY(add_extreme(b, -1, false));
    const int eroded = b->pass->nstages - 1;
    RW_TRY(add_extreme(b, 1, false));
    b->pass->stage[eroded + 1].from = source;
    rw_image_stage *s = rw_image_add_stage(b, "difference", rw_image_write_difference);
    s->also = eroded;
    s->sign = 1;
    return RW_OK;
}

/* x minus its opening (sign -1), its closing minus x (1), in one pass. */
static rw_status lower_hat(rw_image_builder *b, int sign)
{
    RW_TRY(rw_image_begin_window(b, b->windows, 2 * stages_of(b) + 1));
    const int source = b->pass->nstages - 1;
    RW_TRY(add_extreme(b, sign, false));
    ++b->operation;
    RW_TRY(add_extreme(b, -sign, true));
    ++b->operation;
    rw_image_stage *s = rw_image_add_stage(b, "difference", rw_image_write_difference);
    s->also = source;
    s->sign = sign;
    return RW_OK;
}
static rw_status lower_tophat(rw_image_builder *b) { return lower_hat(b, -1); }
static rw_status lower_blackhat(rw_image_builder *b) { return lower_hat(b, 1); }

/* ---- bilateral --------------------------------------------------------------------------------------------------- */

static rw_status lower_bilateral(rw_image_builder *b)
{
    const double range = b->op->range > 0 ? b->op->range : rw_image_white_of(b) / 10;
    int r;
    RW_TRY(radius_of(b, b->op->sigma, &r));
    RW_TRY(rw_image_begin_window(b, false, 1));
    rw_image_stage *s = rw_image_add_stage(b, "bilateral", NULL);
    rw_image_set_window(b, s, 2 * r + 1, 2 * r + 1, r, r);
    rw_image_set_bilateral(s);
    s->premultiplied = b->premultiplied;
    for (int y = -r; y <= r; ++y)
        for (int x = -r; x <= r; ++x)
            rw_image_add_weight(b, s,
                                x * x + y * y <= r * r ? exp(-0.5 * (x * x + y * y) / (b->op->sigma * b->op->sigma))
                                                       : 0);
    rw_image_add_weight(b, s, -0.5 / (range * range));
    return RW_OK;
}

const rw_image_lowering rw_image_lower_windows[RW_IMAGE_METHODS + 1] = {
    [RW_IMAGE_GAUSS] = {lower_gauss, RW_IMAGE_BLEND},         [RW_IMAGE_BOX] = {lower_box, RW_IMAGE_BLEND},
    [RW_IMAGE_SOBEL] = {lower_sobel, RW_IMAGE_EDGE},          [RW_IMAGE_SCHARR] = {lower_scharr, RW_IMAGE_EDGE},
    [RW_IMAGE_LAPLACE] = {lower_laplace, RW_IMAGE_EDGE},      [RW_IMAGE_SHARPEN] = {lower_sharpen, RW_IMAGE_BLEND},
    [RW_IMAGE_UNSHARP] = {lower_unsharp, RW_IMAGE_BLEND},     [RW_IMAGE_MASK] = {lower_mask, RW_IMAGE_BLEND},
    [RW_IMAGE_MEDIAN] = {lower_median, RW_IMAGE_BLEND},       [RW_IMAGE_ERODE] = {lower_erode, RW_IMAGE_BLEND},
    [RW_IMAGE_DILATE] = {lower_dilate, RW_IMAGE_BLEND},       [RW_IMAGE_OPEN] = {lower_open, RW_IMAGE_BLEND},
    [RW_IMAGE_CLOSE] = {lower_close, RW_IMAGE_BLEND},         [RW_IMAGE_GRADIENT] = {lower_gradient, RW_IMAGE_EDGE},
    [RW_IMAGE_TOPHAT] = {lower_tophat, RW_IMAGE_EDGE},        [RW_IMAGE_BLACKHAT] = {lower_blackhat, RW_IMAGE_EDGE},
    [RW_IMAGE_BILATERAL] = {lower_bilateral, RW_IMAGE_BLEND},
};
