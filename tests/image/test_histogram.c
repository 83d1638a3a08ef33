/* Histograms, equalisation and Otsu's level beside plain counts. */
#include "../devices.h"
#include "pictures.h"
#include "reference.h"

static int bin_of(double v, rw_dtype t, int bins)
{
    const double low = t == RW_I16 ? -32768 : 0, range = t == RW_U8 ? 255 : whole(t) ? 65535 : 1;
    return v - low < range ? (int)floor((v - low) * bins / range) : bins - 1; /* exact for integers below 2^53 */
}

static double *counts_of(const picture *x, rw_dtype t, int bins, int c)
{
    double *n = calloc((size_t)bins, sizeof *n);
    for (int i = 0; i < x->width * x->height; ++i) ++n[bin_of(x->v[i * x->channels + c], t, bins)];
    return n;
}

static double low_of(rw_dtype t) { return t == RW_I16 ? -32768 : 0; }
static double range_of(rw_dtype t) { return t == RW_U8 ? 255 : whole(t) ? 65535 : 1; }

/* OpenCV's equalizeHist: the first bin with pixels becomes black. */
static double equalized(const double *n, int bins, int bin, rw_dtype t)
{
    double all = 0, below = 0, least = 0;
    for (int b = 0; b < bins; ++b) {
        if (least == 0) least = n[b];
        all += n[b], below += b <= bin ? n[b] : 0;
    }
    const double v = all > least ? low_of(t) + range_of(t) * fmax(below - least, 0) / (all - least)
                                 : low_of(t) + range_of(t) * bin / (bins - 1);
    return whole(t) ? rint(v) : v;
}

/* The largest variance between the classes up to a bin and above it. */
static int level_of(const double *n, int bins)
{
    double all = 0, moment = 0, best = -1, below = 0, m = 0;
    int at = 0;
    for (int b = 0; b < bins; ++b) all += n[b], moment += b * n[b];
    for (int b = 0; b < bins; ++b) {
        below += n[b], m += b * n[b];
        const double above = all - below, d = below > 0 && above > 0 ? m / below - (moment - m) / above : 0;
        if (below * above * d * d > best) best = below * above * d * d, at = b;
    }
    return at;
}

static const rw_dtype types[] = {RW_U8, RW_F32, RW_U16, RW_I16, RW_F64, RW_F16};
static const layout layouts[] = {{61, 37, 1, false}, {20, 31, 3, false}, {33, 12, 2, true}, {1, 1, 1, false}};

static void check(int i, int k)
{
    const rw_dtype t = types[i];
    const layout *l = layouts + k;
    picture x = random_picture(l, t, (uint64_t)(10 * i + k));
    for (int m = 0; m < x.width * x.height * x.channels; ++m)
        x.v[m] = rounded(x.v[m] * x.v[m] / (t == RW_I16 ? 32768 : range_of(t)), t);
    picture e = run(&x, l, t, "equalize"), o = run(&x, l, t, "otsu");
    const int bins = t == RW_U8 ? 256 : 65536;
    for (int c = 0; c < l->channels; ++c) {
        double *n = counts_of(&x, t, bins, c);
        const int level = level_of(n, bins);
        for (int m = 0; m < x.width * x.height; ++m) {
            const double v = x.v[m * x.channels + c], got = e.v[m * x.channels + c],
                         wanted = equalized(n, bins, bin_of(v, t, bins), t);
            if (!(fabs(got - wanted) <= (t == RW_F16 ? 0x1p-11 : whole(t) ? 0 : 1e-6)))
                fail_msg("equalize of %s, layout %d: %g becomes %.9g, not %.9g", rw_dtype_name(t), k, v, got, wanted);
            if (o.v[m * x.channels + c] != (bin_of(v, t, bins) > level ? rw_image_largest(t) : 0))
                fail_msg("otsu of %s, layout %d: %g becomes %g, level %d", rw_dtype_name(t), k, v,
                         o.v[m * x.channels + c], level);
        }
        free(n);
    }
    free(x.v), free(e.v), free(o.v);
}

static void test_maps(void **state)
{
    (void)state;
    for (int i = 0; i < RW_COUNT(types); ++i)
        for (int k = 0; k < RW_COUNT(layouts); ++k)
            if (test_long() || (i + k) % (brief() ? 4 : 2) == 0) check(i, k);
}

static void test_counts(void **state)
{
    (void)state;
    static const int bins[] = {256, 10, 1, 1000};
    for (int i = 0; i < RW_COUNT(types); ++i)
        for (int k = 0; k < 3; ++k) {
            const rw_dtype t = types[i];
            const layout *l = layouts + k;
            const int n = bins[(i + k) % 4];
            char text[64];
            rw_image_filter *f;
            rw_image_info info;
            void *in;
            const void *out;
            if (!test_long() && (i + k) % (brief() ? 5 : 2)) continue;
            snprintf(text, sizeof text, "histogram:bins=%d", n);
            picture x = random_picture(l, t, (uint64_t)(40 + 10 * i + k));
            const rw_image_spec spec = {.text = text,
                                        .dtype = t,
                                        .width = l->width,
                                        .height = l->height,
                                        .channels = l->channels,
                                        .planar = l->planar};
            OK(rw_image_filter_create(dev, &spec, &f));
            OK(rw_image_filter_get_info(f, &info));
            const int columns = t == RW_U8 && n > 256 ? 256 : n;
            assert_true(info.dtype == RW_F64 && info.width == columns && info.height == 1 &&
                        info.channels == l->channels);
            rw_array *a = new_image(t, l), *b = new_image(RW_F64, &(layout){columns, 1, l->channels, l->planar});
            OK(rw_array_write(a, &in));
            for (int m = 0; m < x.width * x.height * x.channels; ++m)
                put(in, t, place(&x, l->planar, (size_t)m), x.v[m]);
            for (int round = 0; round < 2; ++round) OK(rw_image_filter_execute(f, a, b, queue));
            OK(rw_array_read(b, &out));
            for (int c = 0; c < l->channels; ++c) {
                double *wanted = counts_of(&x, t, columns, c);
                for (int m = 0; m < columns; ++m) {
                    const double got = ((const double *)out)[l->planar ? c * columns + m : m * l->channels + c];
                    if (got != wanted[m])
                        fail_msg("%s of %s: bin %d of channel %d has %g, not %g", text, rw_dtype_name(t), m, c, got,
                                 wanted[m]);
                }
                free(wanted);
            }
            free(x.v);
            rw_array_destroy(&a), rw_array_destroy(&b);
            rw_image_filter_destroy(&f);
        }
}

static void test_chain(void **state)
{
    (void)state;
    const layout l = {50, 40, 3, false};
    picture x = random_picture(&l, RW_U8, 3), y = run(&x, &l, RW_U8, "gauss|grey|equalize|median|otsu");
    assert_int_equal(y.channels, 1);
    int white = 0;
    for (int i = 0; i < 2000; ++i) assert_true(y.v[i] == 0 || y.v[i] == 255), white += y.v[i] == 255;
    assert_true(white > 600 && white < 1400);
    free(x.v), free(y.v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_maps), cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_chain)};
    return run_on_devices("histogram", tests, RW_COUNT(tests));
}
