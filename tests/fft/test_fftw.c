/* Strided, batched, permuted layouts of complex and real transforms against FFTW's guru interface, where libfftw3 is there; else skipped. */
#include "numbers.h"

#include <dlfcn.h>

/* As fftw3.h declares them. */
typedef struct iodim64 { ptrdiff_t n, is, os; } iodim64;
typedef void *(*guru_dft)(int rank, const iodim64 *dims, int howmany_rank, const iodim64 *howmany, double *in, double *out, int sign, unsigned flags);
typedef void *(*guru_real)(int rank, const iodim64 *dims, int howmany_rank, const iodim64 *howmany, double *in, double *out, unsigned flags);
enum { FORWARD = -1, BACKWARD = 1, ESTIMATE = 1 << 6 };

static struct {
    guru_dft dft;
    guru_real r2c, c2r;
    void (*execute)(void *plan);
    void (*destroy)(void *plan);
} fftw;

static void find(void *library, const char *name, void *function)
{
    void *symbol = library ? dlsym(library, name) : NULL;
    memcpy(function, &symbol, sizeof symbol);
}

static bool has_fftw(void)
{
    void *library = dlopen("libfftw3.so.3", RTLD_NOW | RTLD_LOCAL);
    find(library, "fftw_plan_guru64_dft", &fftw.dft), find(library, "fftw_plan_guru64_dft_r2c", &fftw.r2c), find(library, "fftw_plan_guru64_dft_c2r", &fftw.c2r);
    find(library, "fftw_execute", &fftw.execute), find(library, "fftw_destroy_plan", &fftw.destroy);
    return fftw.dft && fftw.r2c && fftw.c2r && fftw.execute && fftw.destroy;
}

static int64_t whole(uint64_t seed, int place, int64_t least, int64_t most) { return least + (int64_t)(rw_random_uniform(seed, (uint64_t)place) * (double)(most - least + 1)); }

/* Strides of an array whose axes lie in any order in memory, with gaps; the elements that they span. */
static int64_t layout(uint64_t seed, int ndim, const int64_t *shape, int64_t *stride)
{
    int order[RW_MAX_NDIM];
    int64_t step = whole(seed, 50, 1, 2);
    for (int d = 0; d < ndim; ++d) order[d] = d;
    for (int d = ndim - 1; d > 0; --d) {
        const int other = (int)whole(seed, 60 + d, 0, d), kept = order[d];
        order[d] = order[other], order[other] = kept;
    }
    for (int d = 0; d < ndim; ++d) stride[order[d]] = step, step *= shape[order[d]] + whole(seed, 70 + d, 0, 1);
    return step;
}

static rw_array *strided(rw_dtype dtype, int ndim, const int64_t *shape, const int64_t *stride, int64_t span, rw_array **all)
{
    rw_array *view;
    OK(rw_array_create(dev, dtype, 1, &span, RW_MEMORY_DEVICE, all));
    fill(*all, (uint64_t)span);
    OK(rw_array_view(*all, dtype, ndim, shape, stride, 0, &view));
    return view;
}

/* One random layout: the distance from FFTW's result, in epsilon. */
static double compare(uint64_t seed)
{
    static const int64_t lengths[] = {1, 2, 3, 4, 5, 8, 9, 12, 17, 20, 35, 37, 64};
    const int ndim = (int)whole(seed, 0, 1, 4);
    rw_fft_spec s = {.kind = whole(seed, 1, 0, 2) ? RW_FFT_COMPLEX : RW_FFT_REAL, .inverse = whole(seed, 2, 0, 1), .ndim = ndim, .axes = (unsigned)whole(seed, 3, 1, (1 << ndim) - 1)};
    int64_t x_shape[RW_MAX_NDIM], y_shape[RW_MAX_NDIM], size = 1;
    int last = 0, rank = 0, many = 0;
    for (int d = 0; d < ndim; ++d) {
        s.shape[d] = lengths[whole(seed, 10 + d, 0, size > 2000 ? 4 : RW_COUNT(lengths) - 1)], size *= s.shape[d];
        if (s.axes & 1u << d) last = d;
    }
    memcpy(x_shape, s.shape, sizeof x_shape), memcpy(y_shape, s.shape, sizeof y_shape);
    const bool real = s.kind == RW_FFT_REAL;
    if (real) (s.inverse ? x_shape : y_shape)[last] = s.shape[last] / 2 + 1;
    const int64_t x_span = layout(seed, ndim, x_shape, s.x_stride), y_span = layout(seed + 1000, ndim, y_shape, s.y_stride);
    const rw_dtype x_type = real && !s.inverse ? RW_F64 : RW_C128, y_type = real && s.inverse ? RW_F64 : RW_C128;
    rw_array *x_all, *y_all, *x = strided(x_type, ndim, x_shape, s.x_stride, x_span, &x_all), *y = strided(y_type, ndim, y_shape, s.y_stride, y_span, &y_all);
    /* FFTW's numbers in and out; the imaginary parts that real transforms back do not look at are 0 */
    const size_t in_bytes = x_all->bytes, out_bytes = y_all->bytes;
    const void *data;
    OK(rw_array_read(x_all, &data));
    double *in = malloc(in_bytes), *kept = malloc(in_bytes), *out = malloc(out_bytes);
    memcpy(kept, data, in_bytes);
    OK(rw_array_read(y_all, &data));
    memcpy(out, data, out_bytes);
    iodim64 dims[4], howmany[4];
    for (int d = 0; d < ndim; ++d) {
        const iodim64 dim = {(ptrdiff_t)s.shape[d], (ptrdiff_t)s.x_stride[d], (ptrdiff_t)s.y_stride[d]};
        if (!(s.axes & 1u << d)) howmany[many++] = dim;
        else dims[rank++] = dim; /* the last one is halved, as here */
    }
    void *plan = !real ? fftw.dft(rank, dims, many, howmany, in, out, s.inverse ? BACKWARD : FORWARD, ESTIMATE)
                       : (s.inverse ? fftw.c2r : fftw.r2c)(rank, dims, many, howmany, in, out, ESTIMATE);
    assert_non_null(plan);
    memcpy(in, kept, in_bytes);
    fftw.execute(plan);
    fftw.destroy(plan);
    rw_fft *f;
    OK(rw_fft_create(dev, &s, &f));
    OK(rw_fft_execute(f, x, y, queue));
    OK(rw_array_read(y_all, &data));
    const double *got = data;
    long double wrong = 0, all = 0;
    for (size_t i = 0; i < out_bytes / sizeof *out; ++i) /* gaps too: they are as before */
        wrong += ((long double)got[i] - out[i]) * ((long double)got[i] - out[i]), all += (long double)out[i] * out[i];
    rw_fft_destroy(&f);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&x_all), rw_array_destroy(&y_all);
    free(in), free(kept), free(out);
    return (double)(sqrtl(wrong / all) / DBL_EPSILON);
}

static void test_layouts(void **state)
{
    (void)state;
    if (!has_fftw()) {
        print_message("# libfftw3 is not there\n");
        skip();
    }
    double worst = 0;
    const int count = test_long() ? 200 : brief() ? 4 : 40;
    for (int i = 0; i < count; ++i) {
        const double error = compare((uint64_t)i + 1);
        worst = fmax(worst, error);
        if (!(error < 4)) fail_msg("seed %d: %g epsilon", i + 1, error);
    }
    print_message("# %d layouts, within %.2f epsilon of FFTW\n", count, worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_layouts)};
    return run_on_devices("fftw", tests, RW_COUNT(tests));
}
