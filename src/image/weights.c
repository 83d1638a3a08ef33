/* Weights of linear filters. */
#include <ctype.h>
#include <math.h>

#include "image/image.h"

int rw_image_weight(rw_image_weights *w, double value)
{
    if (!rw_grow(&w->value, &w->capacity, w->n + 1, sizeof *w->value)) {
        w->failed = true;
        return 0;
    }
    w->value[w->n] = rw_plain_zero(value);
    return w->n++;
}

void rw_image_gauss_taps(double sigma, int radius, double one, bool integer, double *taps)
{
    double sum = 0, carried = 0;
    for (int k = -radius; k <= radius; ++k) sum += taps[k + radius] = exp(-0.5 * k * k / (sigma * sigma));
    for (int k = 0; k <= 2 * radius; ++k) taps[k] *= one / sum;
    if (!integer) return;
    /* from the outside to the centre, equal on both sides; the centre gets the rest of `one` */
    double all = 0;
    for (int k = 0; k < radius; ++k) {
        const double wanted = taps[k] + carried, tap = rint(wanted);
        carried = wanted - tap;
        taps[k] = taps[2 * radius - k] = tap;
        all += 2 * tap;
    }
    taps[radius] = one - all;
}

bool rw_image_common_factor(double *values, int n, double most, double *factor)
{
    double least = INFINITY, sum = 0;
    for (int i = 0; i < n; ++i)
        if (values[i] != 0) least = fmin(least, fabs(values[i]));
    if (!isfinite(least)) return false;
    for (int parts = 1; parts <= 16; ++parts) {
        const double unit = least / parts;
        bool whole = true;
        sum = 0;
        for (int i = 0; i < n && whole; ++i) {
            const double k = values[i] / unit, r = rint(k);
            whole = fabs(k - r) <= 1e-6 * fmax(fabs(r), 1) && fabs(r) < 1e9;
            sum += fabs(r);
        }
        if (!whole) continue;
        if (sum > most) return false;
        for (int i = 0; i < n; ++i) values[i] = rint(values[i] / unit);
        *factor = unit;
        return true;
    }
    return false;
}

rw_status rw_image_mask_parse(rw_context *ctx, const char *name, const char *text, double **values, int size[2])
{
    int n = 0, capacity = 0, row = 0;
    *values = NULL;
    size[0] = size[1] = 0;
    for (const char *at = text;;) {
        while (isspace((unsigned char)*at) || *at == ',') ++at;
        if (*at == ';' || *at == '/' || !*at) {
            if (!row) break;
            if (size[0] && row != size[0])
                return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: row %d has %d numbers, but the rows above it have %d", name,
                               size[1] + 1, row, size[0]);
            size[0] = row;
            row = 0;
            ++size[1];
            if (!*at++) break;
            continue;
        }
        char *end;
        const double value = rw_strtod(at, &end);
        if (end == at || !isfinite(value))
            return rw_fail(
                ctx, RW_ERR_ARGUMENT,
                "%s: \"%.20s\" is not a number: write rows of numbers such as 1 2 1; 0 0 0 at the end of the operation",
                name, at);
        if (!rw_grow(values, &capacity, n + 1, sizeof **values)) return rw_fail_memory(ctx, sizeof **values, "a mask");
        (*values)[n++] = value;
        ++row;
        at = end;
        if (row > RW_IMAGE_MASK_MOST || size[1] >= RW_IMAGE_MASK_MOST)
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "%s: the mask has more than %d rows or columns: use the command convolve", name,
                           RW_IMAGE_MASK_MOST);
    }
    if (!n)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: the mask has no weights: write rows of numbers such as 1 2 1; 0 0 0",
                       name);
    return RW_OK;
}
