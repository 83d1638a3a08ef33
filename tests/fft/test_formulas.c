/* Expressions for what is read and written: against the plain transform of numbers that the host computed, on all
 * ranks, kinds and ways in passes; mistakes in them. */
#include "numbers.h"

#include "fft/choice.h"

typedef struct side {
    bool real;
    rw_dtype dtype;
    int64_t shape[RW_MAX_NDIM];
} side;

static rw_array *new_side(const side *s, int ndim)
{
    rw_array *a;
    OK(rw_array_create(dev, s->dtype, ndim, s->shape, RW_MEMORY_DEVICE, &a));
    return a;
}

/* 1 + 0.01 i0 + 0.02 i1 + … of the axes in the mask, for each element. */
static double factor_of(const side *s, int ndim, unsigned mask, int64_t element)
{
    double f = 1;
    for (int d = ndim - 1; d >= 0; --d) {
        if (mask & 1u << d) f += 0.01 * (d + 1) * (double)(element % s->shape[d]);
        element /= s->shape[d];
    }
    return f;
}

static void factor_text(int ndim, unsigned mask, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "(1");
    for (int d = 0; d < ndim; ++d)
        if (mask & 1u << d) used += (size_t)snprintf(text + used, size - used, " + %.2f*i%d", 0.01 * (d + 1), d);
    snprintf(text + used, size - used, ")");
}

/* a <- what `text` makes of it: complex numbers are conjugated and turned, all are multiplied. */
static void apply(rw_array *a, const side *s, int ndim, unsigned mask)
{
    void *data;
    OK(rw_array_update(a, &data));
    for (int64_t i = 0; i < a->size; ++i) {
        const double f = factor_of(s, ndim, mask, i);
        if (s->dtype == RW_F64) ((double *)data)[i] *= f;
        else if (s->dtype == RW_F32) ((float *)data)[i] = (float)(f * ((float *)data)[i]);
        else if (s->dtype == RW_C128) {
            double *const c = (double *)data + 2 * i, re = c[0], im = -c[1];
            c[0] = f * (re - 0.5 * im), c[1] = f * (im + 0.5 * re);
        } else {
            float *const c = (float *)data + 2 * i;
            const double re = c[0], im = -c[1];
            c[0] = (float)(f * (re - 0.5 * im)), c[1] = (float)(f * (im + 0.5 * re));
        }
    }
}

static double compare(rw_array *a, rw_array *b, bool real)
{
    number *x = values_of(a, real), *y = values_of(b, real);
    long double wrong = 0, all = 0;
    for (int64_t i = 0; i < a->size; ++i) {
        const number d = x[i] - y[i];
        wrong += creall(d) * creall(d) + cimagl(d) * cimagl(d),
            all += creall(y[i]) * creall(y[i]) + cimagl(y[i]) * cimagl(y[i]);
    }
    free(x), free(y);
    return (double)(sqrtl(wrong / all) /
                    (rw_dtype_is_single(a->dtype) ? (long double)FLT_EPSILON : (long double)DBL_EPSILON));
}

/* Error of the transform with both expressions, in epsilon. */
static double error_of(rw_fft_spec s, unsigned load_mask, unsigned store_mask)
{
    int last = s.ndim - 1;
    while (s.axes && !(s.axes & 1u << last)) --last;
    side in = {.real = s.kind >= RW_FFT_DCT1 || (s.kind == RW_FFT_REAL && !s.inverse)},
         out = {.real = s.kind >= RW_FFT_DCT1 || (s.kind == RW_FFT_REAL && s.inverse)};
    memcpy(in.shape, s.shape, sizeof in.shape), memcpy(out.shape, s.shape, sizeof out.shape);
    if (s.kind == RW_FFT_REAL) (s.inverse ? in.shape : out.shape)[last] = s.shape[last] / 2 + 1;
    in.dtype = in.real    ? s.single ? RW_F32 : RW_F64
               : s.single ? RW_C64
                          : RW_C128,
    out.dtype = out.real   ? s.single ? RW_F32 : RW_F64
                : s.single ? RW_C64
                           : RW_C128;
    char load[300], store[300], factor[200];
    factor_text(s.ndim, load_mask, factor, sizeof factor);
    snprintf(load, sizeof load, in.real ? "u*%s" : "conj(u)*(1 + 0.5i)*%s", factor);
    factor_text(s.ndim, store_mask, factor, sizeof factor);
    snprintf(store, sizeof store, out.real ? "u*%s" : "conj(u)*(1 + 0.5i)*%s", factor);
    rw_array *x = new_side(&in, s.ndim), *y = new_side(&out, s.ndim), *want = new_side(&out, s.ndim);
    rw_fft *f;
    fill(x, 11);
    s.scale = 0.25, s.load = load, s.store = store;
    OK(rw_fft_create(dev, &s, &f));
    memset(load, '?', 4), memset(store, '?', 4); /* they are the caller's again */
    OK(rw_fft_execute(f, x, y, queue));
    rw_fft_destroy(&f);
    s.load = s.store = NULL;
    apply(x, &in, s.ndim, load_mask);
    OK(rw_fft_create(dev, &s, &f));
    OK(rw_fft_execute(f, x, want, queue));
    rw_fft_destroy(&f);
    apply(want, &out, s.ndim, store_mask);
    const double error = compare(y, want, out.real);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&want);
    return error;
}

static void test_ranks(void **state)
{
    (void)state;
    static const struct {
        rw_fft_spec s;
        int64_t limit;
        unsigned load, store;
    } cases[] =
        {{{.single = true, .ndim = 1, .shape = {64}}, 0, 1, 0},
         {{.ndim = 2, .shape = {5, 36}, .axes = 2}, 0, 1, 3},
         {{.ndim = 2, .shape = {36, 5}, .axes = 1}, 0, 3, 2},
         {{.single = true, .ndim = 2, .shape = {24, 40}}, 0, 3, 3},
         {{.ndim = 3, .shape = {3, 16, 4}, .axes = 2}, 0, 7, 5},
         {{.ndim = 3, .shape = {6, 8, 10}}, 0, 7, 7},
         {{.ndim = 5, .shape = {2, 3, 8, 2, 3}, .axes = 4}, 0, 31, 31}, /* several launches */
         {{.ndim = 8, .shape = {2, 2, 1, 6, 2, 3, 2, 2}, .axes = 8}, 0, 255, 255},
         {{.ndim = 2, .shape = {4, 1024}, .axes = 2}, 64, 3, 3}, /* a matrix, in pieces on processors */
         {{.ndim = 3, .shape = {3, 512, 4}, .axes = 2}, 64, 7, 7},
         {{.single = true, .ndim = 2, .shape = {3, 101}, .axes = 2}, 0, 3, 3}, /* Rader */
         {{.ndim = 2, .shape = {3, 167}, .axes = 2}, 0, 3, 3},                 /* Bluestein */
         {{.ndim = 2, .shape = {2, 167}, .axes = 2}, 64, 3, 3},                /* … in three passes */
         {{.kind = RW_FFT_REAL, .ndim = 2, .shape = {6, 40}}, 0, 3, 3},
         {{.kind = RW_FFT_REAL, .ndim = 2, .shape = {6, 45}, .axes = 2}, 0, 2, 1},
         {{.kind = RW_FFT_REAL, .ndim = 2, .shape = {3, 2048}, .axes = 2}, 64, 3, 3}, /* pairs in a pass of their own */
         {{.kind = RW_FFT_REAL, .inverse = true, .ndim = 2, .shape = {6, 40}}, 0, 3, 3},
         {{.kind = RW_FFT_DCT2, .ndim = 2, .shape = {6, 24}}, 0, 3, 3},
         {{.kind = RW_FFT_DST3, .single = true, .ndim = 2, .shape = {20, 3}, .axes = 1}, 0, 3, 3},
         {{.kind = RW_FFT_DCT4, .ndim = 1, .shape = {30}}, 0, 1, 1}};
    double worst = 0;
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        if (!test_long() && i % (brief() ? 4 : 2)) continue;
        rw_fft_limit(cases[i].limit);
        const double error = error_of(cases[i].s, cases[i].load, cases[i].store);
        rw_fft_limit(0);
        worst = fmax(worst, error);
        if (!(error < 3)) fail_msg("case %d: %g epsilon", i, error);
    }
    print_message("# distance of at most %.2f epsilon\n", worst);
}

/* A power spectrum of a windowed signal, in one pass; functions; zeros beyond what is there stay zeros. */
static void test_window(void **state)
{
    (void)state;
    enum { N = 32, HAS = 20 };
    rw_fft_spec s = {.ndim = 1,
                     .shape = {N},
                     .x_shape = {HAS},
                     .load = "u*sin(pi*(i0 + 0.5)/20)^2 + 1",
                     .store = "where(i0 < 3, abs(u)^2, cbrt(hypot(real(u), imag(u))))"};
    rw_array *x = new_array(RW_C128, HAS, RW_MEMORY_DEVICE), *y = new_array(RW_C128, N, RW_MEMORY_DEVICE);
    rw_fft *f;
    fill(x, 5);
    number *in = values_of(x, false), padded[N] = {0}, out[N];
    const long double pi = acosl(-1);
    for (int i = 0; i < HAS; ++i) padded[i] = in[i] * powl(sinl(pi * (i + 0.5L) / 20), 2) + 1;
    reference(N, padded, 1, out, false);
    OK(rw_fft_create(dev, &s, &f));
    OK(rw_fft_execute(f, x, y, queue));
    number *got = values_of(y, false);
    for (int k = 0; k < N; ++k) {
        const long double size = cabsl(out[k]), want = k < 3 ? size * size : cbrtl(size);
        if (!(cabsl(got[k] - want) < 1e-13L * (1 + want)))
            fail_msg("%d: %g, not %g", k, (double)creall(got[k]), (double)want);
    }
    free(in), free(got);
    rw_fft_destroy(&f);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        rw_fft_kind kind;
        const char *load, *store, *part;
    } mistakes[] = {{RW_FFT_COMPLEX, "u*v", NULL, "load:1:3: "},
                    {RW_FFT_COMPLEX, "u*", NULL, "load:1:"},
                    {RW_FFT_COMPLEX, NULL, "u*x",
                     "store: \"u*x\": coordinates are not available: it may contain u, i0, numbers and functions"},
                    {RW_FFT_COMPLEX, "sum(u)", NULL, "load: \"sum(u)\": reductions over the array are not available"},
                    {RW_FFT_COMPLEX, "dx(u)", NULL, "load"},
                    {RW_FFT_COMPLEX, "u*i1", NULL, "i1"},
                    {RW_FFT_REAL, "u*1i", NULL, "load: \"u*1i\": a complex value cannot be stored in a real element"},
                    {RW_FFT_COMPLEX, "u*t", NULL, "load"},
                    {RW_FFT_COMPLEX, "u < 1", NULL, "load"},
                    {RW_FFT_COMPLEX, "", NULL, "load"}};
    for (int i = 0; i < RW_COUNT(mistakes); ++i) {
        rw_fft_spec s = {.kind = mistakes[i].kind,
                         .ndim = 1,
                         .shape = {16},
                         .load = mistakes[i].load,
                         .store = mistakes[i].store};
        rw_fft *f;
        FAILS(RW_ERR_INPUT, mistakes[i].part, rw_fft_create(dev, &s, &f));
        assert_null(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranks), cmocka_unit_test(test_window),
                                       cmocka_unit_test(test_mistakes)};
    return run_on_devices("formulas", tests, RW_COUNT(tests));
}
