/* Errors against transforms in long double beside those of FFTW, where libfftw3 and libfftw3f are there; else skipped.
 * Lengths, random layouts of complex and real transforms (its guru interface), cosine and sine transforms. */
#include "numbers.h"

#include <dlfcn.h>

/* As fftw3.h declares them; numbers are of f64 in libfftw3 and of f32 in libfftw3f. */
typedef struct iodim64 {
    ptrdiff_t n, is, os;
} iodim64;
typedef void *guru_dft(int rank, const iodim64 *dims, int howmany_rank, const iodim64 *howmany, void *in, void *out,
                       int sign, unsigned flags);
typedef void *guru_real(int rank, const iodim64 *dims, int howmany_rank, const iodim64 *howmany, void *in, void *out,
                        unsigned flags);
typedef void *guru_r2r(int rank, const iodim64 *dims, int howmany_rank, const iodim64 *howmany, void *in, void *out,
                       const int *kind, unsigned flags);
typedef void of_plan(void *plan);
enum { FORWARD = -1, BACKWARD = 1, ESTIMATE = 1 << 6, REDFT00 = 3 };

static struct {
    guru_dft *dft;
    guru_real *r2c, *c2r;
    guru_r2r *r2r;
    of_plan *execute, *destroy;
} fftw[2]; /* f64, f32 */

static void find(void *library, const char *prefix, const char *name, void *function)
{
    char whole[60];
    snprintf(whole, sizeof whole, "%s_%s", prefix, name);
    void *symbol = library ? dlsym(library, whole) : NULL;
    memcpy(function, &symbol, sizeof symbol);
}

static bool has_fftw(void)
{
    bool all = true;
    for (int f = 0; f < 2; ++f) {
        void *library = dlopen(f ? "libfftw3f.so.3" : "libfftw3.so.3", RTLD_NOW | RTLD_LOCAL);
        const char *prefix = f ? "fftwf" : "fftw";
        find(library, prefix, "plan_guru64_dft", &fftw[f].dft),
            find(library, prefix, "plan_guru64_dft_r2c", &fftw[f].r2c);
        find(library, prefix, "plan_guru64_dft_c2r", &fftw[f].c2r),
            find(library, prefix, "plan_guru64_r2r", &fftw[f].r2r);
        find(library, prefix, "execute", &fftw[f].execute), find(library, prefix, "destroy_plan", &fftw[f].destroy);
        all = all && fftw[f].dft && fftw[f].r2c && fftw[f].c2r && fftw[f].r2r && fftw[f].execute && fftw[f].destroy;
    }
    if (!all) print_message("# libfftw3 and libfftw3f are not there\n");
    return all;
}

static int64_t whole(uint64_t seed, int place, int64_t least, int64_t most)
{
    return least + (int64_t)(rw_random_uniform(seed, (uint64_t)place) * (double)(most - least + 1));
}

/* Root mean square errors over that of the result, in epsilon. */
typedef struct errors {
    double ours, theirs;
} errors;

static double error_of(const number *got, const number *want, int64_t n, bool single)
{
    long double wrong = 0, all = 0;
    for (int64_t i = 0; i < n; ++i) {
        const number d = got[i] - want[i];
        wrong += creall(d) * creall(d) + cimagl(d) * cimagl(d),
            all += creall(want[i]) * creall(want[i]) + cimagl(want[i]) * cimagl(want[i]);
    }
    return all > 0 ? (double)(sqrtl(wrong / all) / (single ? (long double)FLT_EPSILON : (long double)DBL_EPSILON))
                   : (double)wrong;
}

/* Some rows of the same case: the largest ratio of errors; 0.03 epsilon is what the rounding of one operation may make
 * of few numbers. */
typedef struct worst {
    double ratio, error;
    int64_t n;
} worst;

static void compare(worst *w, errors e, double most, int64_t n, const char *what, bool single)
{
    const double ratio = e.ours / (e.theirs + 0.03);
    if (ratio > w->ratio) *w = (worst){ratio, e.ours, n};
    if (!(ratio <= most))
        print_message("%s of %s, %lld: %.3f epsilon, FFTW %.3f\n", what, single ? "f32" : "f64", (long long)n, e.ours,
                      e.theirs);
    if (!(ratio <= most)) fail();
}

static int rows_of(int64_t n) { return (int)RW_MAX(1, 4096 / n); }

/* ---- lengths ------------------------------------------------------------------------------------------------- */

/* How many cases a test takes. Nearly all the time goes into compiling, so `make check-long` takes a part of them too;
 * all, half an hour a device, are run with RECHENWERK_TEST_FFTW=all. */
static int share(int all, int long_cpu, int long_others, int short_cpu, int short_others)
{
    const char *wish = getenv("RECHENWERK_TEST_FFTW");
    const bool fast = on("cpu") || on("cuda");
    if (wish && strcmp(wish, "all") == 0) return all;
    return test_long() ? fast ? long_cpu : long_others : fast ? short_cpu : short_others;
}

/* 200 lengths beyond 512: powers of primes, products of 2 … 13, primes and their multiples. */
static const int list[200] = {520,     521,     529,     572,     625,     630,     691,     693,     729,     780,
                              841,     875,     907,     961,     1024,    1042,    1050,    1176,    1201,    1331,
                              1369,    1404,    1583,    1650,    1690,    1750,    1763,    1820,    1925,    1950,
                              1980,    2048,    2087,    2145,    2187,    2197,    2200,    2310,    2401,    2491,
                              2695,    2767,    3027,    3125,    3637,    3780,    3904,    4096,    4099,    4112,
                              4290,    4410,    4813,    4913,    4950,    5082,    5460,    5850,    5880,    6000,
                              6343,    6370,    6500,    6561,    6859,    8192,    8369,    10007,   10100,   10500,
                              11047,   11550,   12167,   12252,   12870,   14591,   14641,   14850,   15210,   15625,
                              16016,   16384,   16396,   16807,   16900,   19110,   19249,   19683,   20014,   20160,
                              22176,   23100,   24389,   25409,   25410,   28561,   29400,   29791,   30240,   32768,
                              33533,   44263,   45000,   45045,   46800,   52800,   52920,   54054,   58427,   59049,
                              60060,   63700,   65536,   65537,   66150,   71148,   77137,   78125,   83521,   88200,
                              98280,   100800,  101807,  102960,  117649,  126126,  127050,  130321,  131072,  134399,
                              140400,  150150,  161051,  176904,  177147,  177379,  205920,  211200,  234139,  262144,
                              262168,  278850,  279841,  292500,  309059,  330000,  330330,  336336,  346500,  371293,
                              390625,  407959,  422400,  468512,  484484,  508200,  524288,  531441,  538511,  544320,
                              557700,  571536,  643500,  707281,  710837,  772200,  811538,  823543,  859950,  923521,
                              938293,  1009000, 1048576, 1072500, 1164240, 1216800, 1238533, 1301300, 1372800, 1419857,
                              1594323, 1603800, 1634869, 1715175, 1771561, 1891890, 1953125, 2097152, 2158027, 2358720,
                              2366000, 2476099, 2676960, 2751840, 2848589, 2904000, 3326400, 3760147, 4194301, 4194304};

/* Prime factors that are no stages (Rader's or Bluestein's convolutions). */
static bool has_large_prime(int64_t n)
{
    for (int p = 2; p <= 31; ++p)
        while (n % p == 0) n /= p;
    return n > 1;
}

/* y <- FFTW's transform of contiguous rows of n complex numbers. */
static void transform_with_fftw(bool single, int64_t n, int rows, const void *x, void *y, bool inverse)
{
    const iodim64 dims = {(ptrdiff_t)n, 1, 1}, howmany = {rows, (ptrdiff_t)n, (ptrdiff_t)n};
    const size_t bytes = (size_t)(n * rows) * (single ? 8 : 16);
    void *in = malloc(bytes),
         *plan = fftw[single].dft(1, &dims, 1, &howmany, in, y, inverse ? BACKWARD : FORWARD, ESTIMATE);
    assert_non_null(plan);
    memcpy(in, x, bytes);
    fftw[single].execute(plan), fftw[single].destroy(plan);
    free(in);
}

static errors errors_of_length(int64_t n, bool single, bool inverse)
{
    const int rows = rows_of(n);
    const rw_fft_spec s = {.single = single, .ndim = 2, .shape = {rows, n}, .axes = 2, .inverse = inverse};
    const rw_dtype dtype = single ? RW_C64 : RW_C128;
    const void *data;
    rw_array *x, *y;
    rw_fft *f;
    errors e;
    OK(rw_array_create(dev, dtype, 2, s.shape, RW_MEMORY_DEVICE, &x));
    OK(rw_array_create(dev, dtype, 2, s.shape, RW_MEMORY_DEVICE, &y));
    fill(x, (uint64_t)n);
    number *want = values_of(x, false), *line = calloc((size_t)n, sizeof *line);
    for (int r = 0; r < rows; ++r)
        reference((int)n, want + r * n, 1, line, inverse), memcpy(want + r * n, line, (size_t)n * sizeof *line);
    OK(rw_fft_create(dev, &s, &f));
    OK(rw_fft_execute(f, x, y, queue));
    number *got = values_of(y, false);
    e.ours = error_of(got, want, rows * n, single);
    OK(rw_array_read(x, &data));
    void *out;
    OK(rw_array_write(y, &out));
    transform_with_fftw(single, n, rows, data, out, inverse);
    free(got), got = values_of(y, false);
    e.theirs = error_of(got, want, rows * n, single);
    free(want), free(line), free(got);
    rw_fft_destroy(&f);
    rw_array_destroy(&x), rw_array_destroy(&y);
    return e;
}

static void test_lengths(void **state)
{
    (void)state;
    if (!has_fftw()) skip();
    const int step = share(1, 31, 83, 83, 171);
    for (int single = 0; single < 2; ++single) {
        worst plain = {0}, primes = {0};
        for (int i = 1; i <= 512 + RW_COUNT(list); ++i) {
            const int64_t n = i <= 512 ? i : list[i - 513];
            if (step > 1 && (i % step != single || n > (test_long() ? 1 << 20 : 100000))) continue;
            const bool large = has_large_prime(n);
            compare(large ? &primes : &plain, errors_of_length(n, single, i / 2 % 2), large ? 3 : 1.5, n, "complex",
                    single);
        }
        print_message(
            "# %s: error over FFTW's at most %.2f (%lld points, %.2f epsilon), with prime factors beyond 31 %.2f "
            "(%lld points, %.2f epsilon)\n",
            single ? "c64" : "c128", plain.ratio, (long long)plain.n, plain.error, primes.ratio, (long long)primes.n,
            primes.error);
    }
}

/* The reference's convolution for large primes against the definition. */
static void test_reference(void **state)
{
    (void)state;
    enum { N = 2 * 211 };
    number x[N], y[N];
    for (int i = 0; i < N; ++i) x[i] = rw_random_uniform(5, (uint64_t)i) + I * rw_random_uniform(6, (uint64_t)i);
    for (int inverse = 0; inverse < 2; ++inverse) {
        reference(N, x, 1, y, inverse);
        for (int64_t k = 0; k < N; k += 5) {
            number sum = 0;
            for (int64_t j = 0; j < N; ++j) sum += x[j] * (inverse ? conjl(root_of(j * k, N)) : root_of(j * k, N));
            assert_true(cabsl(sum - y[k]) < 1e-15);
        }
    }
}

/* ---- layouts ------------------------------------------------------------------------------------------------- */

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

static rw_array *strided(rw_dtype dtype, int ndim, const int64_t *shape, const int64_t *stride, int64_t span,
                         rw_array **all)
{
    rw_array *view;
    OK(rw_array_create(dev, dtype, 1, &span, RW_MEMORY_DEVICE, all));
    fill(*all, (uint64_t)span);
    OK(rw_array_view(*all, dtype, ndim, shape, stride, 0, &view));
    return view;
}

/* Transform of x (of x's shape) in long double; of real ones back, the imaginary parts that have no meaning are left
 * out as FFTW does. */
static number *reference_of(const rw_fft_spec *s, const number *x, const int64_t *x_shape, int last)
{
    const bool real = s->kind == RW_FFT_REAL;
    int64_t size = 1, half = 1, inner = 1;
    for (int d = 0; d < s->ndim; ++d)
        size *= s->shape[d], half *= d == last && real ? s->shape[d] / 2 + 1 : s->shape[d],
            inner *= d > last ? s->shape[d] : 1;
    const int64_t n = s->shape[last], m = n / 2 + 1;
    number *z = calloc((size_t)size, sizeof *z), *y = z;
    if (!real || !s->inverse) {
        memcpy(z, x, (size_t)size * sizeof *z);
        reference_axes(s->ndim, s->shape, s->axes, z, s->inverse);
        if (!real) return z;
        y = calloc((size_t)half, sizeof *y);
        for (int64_t i = 0; i < half; ++i) y[i] = z[(i / inner / m * n + i / inner % m) * inner + i % inner];
        free(z);
        return y;
    }
    number *h = calloc((size_t)half, sizeof *h);
    memcpy(h, x, (size_t)half * sizeof *h);
    reference_axes(s->ndim, x_shape, s->axes & ~(1u << last), h, true);
    for (int64_t i = 0; i < size; ++i) {
        const int64_t k = i / inner % n, line = i / inner / n * m;
        const number v = h[(line + (k < m ? k : n - k)) * inner + i % inner];
        z[i] = k == 0 || 2 * k == n ? creall(v) : k < m ? v : conjl(v);
    }
    free(h);
    reference_axes(s->ndim, s->shape, 1u << last, z, true);
    return z;
}

/* One random layout. */
static errors errors_of_layout(uint64_t seed, bool single)
{
    static const int64_t lengths[] = {1, 2, 3, 4, 5, 8, 9, 12, 17, 20, 35, 37, 64};
    const int ndim = (int)whole(seed, 0, 1, 4);
    rw_fft_spec s = {.single = single,
                     .kind = whole(seed, 1, 0, 2) ? RW_FFT_COMPLEX : RW_FFT_REAL,
                     .inverse = whole(seed, 2, 0, 1),
                     .ndim = ndim,
                     .axes = (unsigned)whole(seed, 3, 1, (1 << ndim) - 1)};
    int64_t x_shape[RW_MAX_NDIM], y_shape[RW_MAX_NDIM], size = 1;
    int last = 0, rank = 0, many = 0;
    for (int d = 0; d < ndim; ++d) {
        s.shape[d] = lengths[whole(seed, 10 + d, 0, size > 2000 ? 4 : RW_COUNT(lengths) - 1)], size *= s.shape[d];
        if (s.axes & 1u << d) last = d;
    }
    memcpy(x_shape, s.shape, sizeof x_shape), memcpy(y_shape, s.shape, sizeof y_shape);
    const bool real = s.kind == RW_FFT_REAL;
    const rw_dtype real_type = single ? RW_F32 : RW_F64, complex_type = single ? RW_C64 : RW_C128;
    if (real) (s.inverse ? x_shape : y_shape)[last] = s.shape[last] / 2 + 1;
    const int64_t x_span = layout(seed, ndim, x_shape, s.x_stride),
                  y_span = layout(seed + 1000, ndim, y_shape, s.y_stride);
    rw_array *x_all, *y_all;
    rw_array *x = strided(real && !s.inverse ? real_type : complex_type, ndim, x_shape, s.x_stride, x_span, &x_all);
    rw_array *y = strided(real && s.inverse ? real_type : complex_type, ndim, y_shape, s.y_stride, y_span, &y_all);
    const size_t in_bytes = x_all->bytes, out_bytes = y_all->bytes;
    const void *data;
    OK(rw_array_read(x_all, &data));
    char *in = malloc(in_bytes), *kept = malloc(in_bytes), *out = malloc(out_bytes), *before = malloc(out_bytes),
         *ours = malloc(out_bytes);
    memcpy(kept, data, in_bytes);
    number *from = values_of(x, false), *want = reference_of(&s, from, x_shape, last);
    OK(rw_array_read(y_all, &data));
    memcpy(before, data, out_bytes);
    iodim64 dims[4], howmany[4];
    for (int d = 0; d < ndim; ++d) {
        const iodim64 dim = {(ptrdiff_t)s.shape[d], (ptrdiff_t)s.x_stride[d], (ptrdiff_t)s.y_stride[d]};
        if (!(s.axes & 1u << d)) howmany[many++] = dim;
        else dims[rank++] = dim; /* the last one is halved, as here */
    }
    void *plan = !real
                     ? fftw[single].dft(rank, dims, many, howmany, in, out, s.inverse ? BACKWARD : FORWARD, ESTIMATE)
                     : (s.inverse ? fftw[single].c2r : fftw[single].r2c)(rank, dims, many, howmany, in, out, ESTIMATE);
    assert_non_null(plan);
    memcpy(in, kept, in_bytes), memcpy(out, before, out_bytes);
    fftw[single].execute(plan), fftw[single].destroy(plan);
    rw_fft *f;
    errors e;
    OK(rw_fft_create(dev, &s, &f));
    OK(rw_fft_execute(f, x, y, queue));
    number *got = values_of(y, false);
    e.ours = error_of(got, want, y->size, single);
    OK(rw_array_read(y_all, &data));
    memcpy(ours, data, out_bytes);
    void *to;
    OK(rw_array_write(y_all, &to));
    memcpy(to, out, out_bytes);
    number *other = values_of(y, false);
    e.theirs = error_of(other, want, y->size, single);
    /* gaps are as before: with the elements of y from before, all of it is */
    OK(rw_array_write(y_all, &to));
    memcpy(to, before, out_bytes);
    number *first = values_of(y, false);
    int64_t changed = 0, elements = 0;
    const size_t bytes = rw_dtype_size(y->dtype);
    for (size_t i = 0; i < out_bytes / bytes; ++i) changed += memcmp(ours + i * bytes, before + i * bytes, bytes) != 0;
    for (int64_t i = 0; i < y->size; ++i) elements += got[i] != first[i];
    assert_true(changed == elements);
    rw_fft_destroy(&f);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&x_all), rw_array_destroy(&y_all);
    free(in), free(kept), free(out), free(before), free(ours), free(from), free(want), free(got), free(other),
        free(first);
    return e;
}

static void test_layouts(void **state)
{
    (void)state;
    if (!has_fftw()) skip();
    const int count = share(200, 40, 12, 12, 4);
    for (int single = 0; single < 2; ++single) {
        worst w = {0};
        for (int i = 1; i <= count; ++i)
            compare(&w, errors_of_layout((uint64_t)i, single), 1.5, i, "layout of seed", single);
        print_message("# %s: %d layouts, error over FFTW's at most %.2f (seed %lld, %.2f epsilon)\n",
                      single ? "f32" : "f64", count, w.ratio, (long long)w.n, w.error);
    }
}

/* ---- real kinds ---------------------------------------------------------------------------------------------- */

/* y[k] of a cosine or sine transform by its definition (rechenwerk/fft.h). */
static number defined(rw_fft_kind kind, int64_t n, const number *x, int64_t k)
{
    static const long double pi = 3.141592653589793238462643383279502884L;
    const bool sine = kind >= RW_FFT_DST1;
    const int type = (int)kind - (int)(sine ? RW_FFT_DST1 : RW_FFT_DCT1);
    const int64_t twice = (int64_t[]){2 * (sine ? n + 1 : n - 1), 4 * n, 4 * n,
                                      8 * n}[type]; /* the angles are multiples of 2 pi / twice */
    number sum = 0;
    for (int64_t j = 0; j < n; ++j) {
        const int64_t a = type == 0   ? (j + sine) * (k + sine)
                          : type == 1 ? (k + sine) * (2 * j + 1)
                          : type == 2 ? (j + sine) * (2 * k + 1)
                                      : (2 * j + 1) * (2 * k + 1);
        const long double angle = 2 * pi * (long double)(a % twice) / twice;
        const bool once =
            !sine ? (type == 0 && (j == 0 || j == n - 1)) || (type == 2 && j == 0) : type == 2 && j == n - 1;
        sum += (once ? 1 : 2) * x[j] * (sine ? sinl(angle) : cosl(angle));
    }
    return sum;
}

static errors errors_of_kind(rw_fft_kind kind, int64_t n, bool single)
{
    const int rows = rows_of(n);
    const rw_fft_spec s = {.single = single, .kind = kind, .ndim = 2, .shape = {rows, n}, .axes = 2};
    const iodim64 dims = {(ptrdiff_t)n, 1, 1}, howmany = {rows, (ptrdiff_t)n, (ptrdiff_t)n};
    /* FFTW counts REDFT00, 01, 10, 11, RODFT00 …; 01 is type 3 */
    const int number_of = (int)kind - (int)RW_FFT_DCT1, type = number_of % 4,
              which = REDFT00 + number_of / 4 * 4 +
                      (type == 1   ? 2
                       : type == 2 ? 1
                                   : type);
    const rw_dtype dtype = single ? RW_F32 : RW_F64;
    rw_array *x, *y;
    rw_fft *f;
    errors e;
    const void *data;
    void *out;
    OK(rw_array_create(dev, dtype, 2, s.shape, RW_MEMORY_DEVICE, &x));
    OK(rw_array_create(dev, dtype, 2, s.shape, RW_MEMORY_DEVICE, &y));
    fill(x, (uint64_t)n);
    number *from = values_of(x, true), *want = calloc((size_t)(rows * n), sizeof *want);
    for (int64_t i = 0; i < rows * n; ++i) want[i] = defined(kind, n, from + i / n * n, i % n);
    OK(rw_fft_create(dev, &s, &f));
    OK(rw_fft_execute(f, x, y, queue));
    number *got = values_of(y, true);
    e.ours = error_of(got, want, rows * n, single);
    OK(rw_array_read(x, &data));
    OK(rw_array_write(y, &out));
    void *in = malloc(x->bytes), *plan = fftw[single].r2r(1, &dims, 1, &howmany, in, out, &which, ESTIMATE);
    assert_non_null(plan);
    memcpy(in, data, x->bytes);
    fftw[single].execute(plan), fftw[single].destroy(plan);
    free(got), got = values_of(y, true);
    e.theirs = error_of(got, want, rows * n, single);
    free(in), free(from), free(want), free(got);
    rw_fft_destroy(&f);
    rw_array_destroy(&x), rw_array_destroy(&y);
    return e;
}

static void test_kinds(void **state)
{
    static const int lengths[40] = {2,  3,  4,   5,   6,   7,   8,   9,   10,  11,  12,  13, 15, 16,
                                    17, 20, 21,  24,  25,  27,  31,  32,  36,  45,  49,  60, 64, 81,
                                    96, 97, 100, 121, 127, 128, 143, 169, 200, 243, 255, 256};
    (void)state;
    if (!has_fftw()) skip();
    const int step = share(1, 10, 20, 40, 40);
    for (int single = 0; single < 2; ++single)
        for (int kind = RW_FFT_DCT1; kind <= RW_FFT_DST4; ++kind) {
            worst w = {0};
            for (int i = 0; i < RW_COUNT(lengths); ++i) {
                if (i % step != kind % step) continue;
                compare(&w, errors_of_kind((rw_fft_kind)kind, lengths[i], single), 1.5, lengths[i],
                        rw_fft_kind_name((rw_fft_kind)kind), single);
            }
            print_message("# %s of %s: error over FFTW's at most %.2f (%lld points, %.2f epsilon)\n",
                          rw_fft_kind_name((rw_fft_kind)kind), single ? "f32" : "f64", w.ratio, (long long)w.n,
                          w.error);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reference), cmocka_unit_test(test_lengths),
                                       cmocka_unit_test(test_layouts), cmocka_unit_test(test_kinds)};
    return run_on_devices("fftw", tests, RW_COUNT(tests));
}
