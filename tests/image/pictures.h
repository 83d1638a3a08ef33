/* Random pictures of all types, and filters that run on them. */
#ifndef PICTURES_H
#define PICTURES_H

#include "../devices.h"
#include "reference.h"

static double random_value(rw_dtype t, uint64_t seed, uint64_t i)
{
    const double u = rw_random_uniform(seed, i);
    if (t == RW_U8) return floor(256 * u);
    if (t == RW_U16) return floor(65536 * u);
    if (t == RW_I16) return floor(65536 * u) - 32768;
    return floor(u * 1024) / 1024; /* exact in f16 */
}

static void put(void *data, rw_dtype t, size_t i, double v)
{
    switch (t) {
    case RW_U8: ((uint8_t *)data)[i] = (uint8_t)v; break;
    case RW_U16: ((uint16_t *)data)[i] = (uint16_t)v; break;
    case RW_I16: ((int16_t *)data)[i] = (int16_t)v; break;
    case RW_F32: ((float *)data)[i] = (float)v; break;
    case RW_F64: ((double *)data)[i] = v; break;
    default: { /* non-negative multiples of 1/1024 up to 1; NaN and infinities */
        int e = 0;
        if (!isfinite(v)) {
            ((uint16_t *)data)[i] = isnan(v) ? 0x7e00 : v > 0 ? 0x7c00 : 0xfc00;
            break;
        }
        const double m = frexp(v, &e); /* m in [1/2, 1) */
        ((uint16_t *)data)[i] = v == 0         ? 0
                                : e - 1 >= -14 ? (uint16_t)((e + 14) << 10 | (int)(m * 2048 - 1024))
                                               : (uint16_t)(v * 0x1p24);
    }
    }
}

static double get(const void *data, rw_dtype t, size_t i)
{
    switch (t) {
    case RW_U8: return ((const uint8_t *)data)[i];
    case RW_U16: return ((const uint16_t *)data)[i];
    case RW_I16: return ((const int16_t *)data)[i];
    case RW_F32: return ((const float *)data)[i];
    case RW_F64: return ((const double *)data)[i];
    default: {
        const int h = ((const uint16_t *)data)[i], e = h >> 10 & 31, m = h & 1023;
        return (h >> 15 ? -1 : 1) * (e ? ldexp(1024 + m, e - 25) : ldexp(m, -24));
    }
    }
}

static size_t place(const picture *p, bool planar, size_t i) /* of value i, [height][width][channels] */
{
    const size_t c = i % (size_t)p->channels, at = i / (size_t)p->channels;
    return planar ? c * (size_t)p->width * p->height + at : i;
}

typedef struct layout {
    int width, height, channels;
    bool planar;
} layout;

static rw_array *new_image(rw_dtype t, const layout *l)
{
    rw_array *a;
    const int64_t planar[] = {l->channels, l->height, l->width}, interleaved[] = {l->height, l->width, l->channels};
    OK(rw_array_create(dev, t, 3, l->planar ? planar : interleaved, RW_MEMORY_DEVICE, &a));
    return a;
}

static picture random_picture(const layout *l, rw_dtype t, uint64_t seed)
{
    picture p = picture_new(l->width, l->height, l->channels);
    for (size_t i = 0, n = (size_t)l->width * l->height * l->channels; i < n; ++i) p.v[i] = random_value(t, seed, i);
    return p;
}

static bool with_alpha; /* in what follows: the last channel is alpha */

static rw_image_spec spec_of(const layout *l, rw_dtype t, const char *text)
{
    return (rw_image_spec){.text = text,
                           .dtype = t,
                           .width = l->width,
                           .height = l->height,
                           .channels = l->channels,
                           .planar = l->planar,
                           .alpha = with_alpha};
}

/* y of the filter, of type spec->y_dtype, or that of x. */
static picture run_spec(const picture *x, const layout *l, rw_dtype t, const rw_image_spec *spec)
{
    const rw_dtype y_dtype = spec->y_dtype ? spec->y_dtype : t;
    rw_image_filter *f;
    rw_image_info info;
    const void *out;
    void *in;
    OK(rw_image_filter_create(dev, spec, &f));
    OK(rw_image_filter_get_info(f, &info));
    const layout to = {(int)info.width, (int)info.height, info.channels, l->planar};
    rw_array *a = new_image(t, l), *b = new_image(y_dtype, &to);
    OK(rw_array_write(a, &in));
    const size_t n = (size_t)l->width * l->height * l->channels, m = (size_t)to.width * to.height * to.channels;
    for (size_t i = 0; i < n; ++i) put(in, t, place(x, l->planar, i), x->v[i]);
    OK(rw_image_filter_execute(f, a, b, queue));
    OK(rw_array_read(b, &out));
    picture y = picture_new(to.width, to.height, to.channels);
    for (size_t i = 0; i < m; ++i) y.v[i] = get(out, y_dtype, place(&y, l->planar, i));
    rw_array_destroy(&a), rw_array_destroy(&b);
    rw_image_filter_destroy(&f);
    return y;
}

/* The same for a chain given as text. */
static picture run_to(const picture *x, const layout *l, rw_dtype t, rw_dtype y_dtype, const char *text)
{
    rw_image_spec spec = spec_of(l, t, text);
    spec.y_dtype = y_dtype;
    return run_spec(x, l, t, &spec);
}

static inline picture run(const picture *x, const layout *l, rw_dtype t, const char *text)
{
    return run_to(x, l, t, t, text);
}

#endif
