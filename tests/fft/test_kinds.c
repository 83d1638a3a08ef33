/* All kinds of transforms against their definitions in long double: lengths with small and with large prime factors, in
 * one pass and in several, rows and columns, real and complex, short of zeros and cut off, stored in other types. */
#include "fft/line.h"
#include "numbers.h"

/* The definition of SciPy's documentation: number k of the transform of x, n real numbers. */
static long double term(rw_fft_kind kind, const number *x, int64_t n, int64_t k)
{
    long double s = 0;
    for (int64_t j = 0; j < n; ++j) s += creall(x[j]) * weight_of(kind, n, k, j);
    return s;
}

/* Weights of SciPy's orthonormal transforms (`orthogonalize`): of element `at` of x, or of y. */
static long double weight(rw_fft_kind kind, int64_t n, bool y, int64_t at)
{
    const bool first = at == 0, last = at == n - 1;
    if (kind == RW_FFT_DCT1 && (first || last)) return y ? sqrtl(0.5L) : sqrtl(2);
    if ((kind == RW_FFT_DCT2 && y && first) || (kind == RW_FFT_DST2 && y && last)) return sqrtl(0.5L);
    if ((kind == RW_FFT_DCT3 && !y && first) || (kind == RW_FFT_DST3 && !y && last)) return sqrtl(2);
    return 1;
}

static long double points(rw_fft_kind kind, int64_t n)
{
    return kind <= RW_FFT_REAL ? n : 2 * (kind == RW_FFT_DCT1 ? n - 1 : kind == RW_FFT_DST1 ? n + 1 : n);
}

/* One line by the definition: n points of the transform, x of them given, `count` results. */
static void define(rw_fft_kind kind, bool inverse, int64_t n, const number *x, number *y, int64_t count)
{
    for (int64_t k = 0; k < count; ++k) {
        number s = 0;
        if (kind >= RW_FFT_DCT1) {
            number turned[1000];
            for (int64_t j = 0; j < n; ++j) turned[j] = -I * x[j];
            s = term(kind, x, n, k) + I * term(kind, turned, n, k); /* real and imaginary parts */
        } else {
            for (int64_t j = 0; j < n; ++j) {
                number v = x[j];
                if (kind == RW_FFT_REAL &&
                    inverse) { /* the other half is the conjugate; numbers that must be real are */
                    v = 2 * j > n ? conjl(x[n - j]) : v;
                    if (j == 0 || 2 * j == n) v = creall(v);
                }
                const int64_t turn = (int64_t)((__int128)j * k % n);
                s += v * (wave(false, 2 * turn, n) + (inverse ? 1 : -1) * I * wave(true, 2 * turn, n));
            }
        }
        y[k] = s;
    }
}

static rw_array *new_side(const rw_fft_spec *s, const int64_t *shape, rw_dtype t, bool real)
{
    int64_t with_pairs[RW_MAX_NDIM];
    rw_array *a;
    memcpy(with_pairs, shape, sizeof with_pairs);
    with_pairs[s->ndim] = 2;
    OK(rw_array_create(dev, t, s->ndim + stored_in_pairs(t, real), with_pairs, RW_MEMORY_DEVICE, &a));
    return a;
}

static int64_t product(const int64_t *shape, int ndim)
{
    int64_t p = 1;
    for (int d = 0; d < ndim; ++d) p *= shape[d];
    return p;
}

/* Axis after axis by definition; from x_shape to y_shape. */
static number *define_all(const rw_fft_spec *s, const number *x)
{
    int64_t shape[RW_MAX_NDIM];
    int order[RW_MAX_NDIM], n = 0, last = -1;
    const unsigned axes = s->axes ? s->axes : (1u << s->ndim) - 1;
    memcpy(shape, s->x_shape, sizeof shape);
    number *now = calloc((size_t)product(shape, s->ndim) + 1, sizeof *now);
    memcpy(now, x, (size_t)product(shape, s->ndim) * sizeof *now);
    for (int d = s->ndim - 1; d >= 0 && !s->naxes; --d)
        if (axes & 1u << d) order[n++] = d, last = last < 0 ? d : last;
    for (int i = s->naxes - 1; i >= 0; --i) {
        order[n++] = s->axis[i];
        last = last < 0 ? s->axis[i] : last;
    }
    for (int i = 0; i < n; ++i) {
        const int d = order[s->kind == RW_FFT_REAL && s->inverse ? n - 1 - i : i];
        const rw_fft_kind kind = s->kind == RW_FFT_REAL && d != last ? RW_FFT_COMPLEX : s->kind;
        const int64_t before = shape[d], len = s->shape[d], step = product(shape + d + 1, s->ndim - d - 1),
                      outer = product(shape, d);
        shape[d] = s->y_shape[d];
        number *next = calloc((size_t)product(shape, s->ndim) + 1, sizeof *next),
               *line = calloc((size_t)len + 1, sizeof *line), *result = calloc((size_t)len + 1, sizeof *result);
        for (int64_t o = 0; o < outer; ++o)
            for (int64_t q = 0; q < step; ++q) {
                memset(line, 0, (size_t)len * sizeof *line);
                for (int64_t j = 0; j < before; ++j)
                    line[j] = now[(o * before + j) * step + q] * (s->ortho ? weight(kind, len, false, j) : 1);
                define(kind, s->inverse, len, line, result, shape[d]);
                for (int64_t k = 0; s->ortho && k < shape[d]; ++k)
                    result[k] *= weight(kind, len, true, k) / sqrtl(points(kind, len));
                for (int64_t k = 0; k < shape[d]; ++k) next[(o * shape[d] + k) * step + q] = result[k];
            }
        free(now), free(line), free(result);
        now = next;
    }
    for (int64_t i = 0; s->scale != 0 && i < product(shape, s->ndim); ++i) now[i] *= s->scale;
    return now;
}

static void default_shapes(rw_fft_spec *s)
{
    int last = s->ndim - 1;
    while (s->axes && !(s->axes & 1u << last)) --last;
    if (s->naxes) last = s->axis[s->naxes - 1];
    for (int y = 0; y < 2; ++y) {
        int64_t *shape = y ? s->y_shape : s->x_shape;
        for (int d = 0; d < s->ndim; ++d)
            if (!shape[d])
                shape[d] =
                    s->kind == RW_FFT_REAL && d == last && s->inverse != (bool)y ? s->shape[d] / 2 + 1 : s->shape[d];
    }
}

/* Error in epsilon of what is computed with, of a transform on fresh arrays. */
static double error_of(rw_fft_spec s, uint64_t seed)
{
    rw_fft *f;
    default_shapes(&s);
    const bool x_real = rw_fft_is_real(s.kind, s.inverse, false), y_real = rw_fft_is_real(s.kind, s.inverse, true);
    const rw_dtype xt = s.x_dtype ? s.x_dtype : x_real ? s.single ? RW_F32 : RW_F64 : s.single ? RW_C64 : RW_C128;
    const rw_dtype yt = s.y_dtype ? s.y_dtype : y_real ? s.single ? RW_F32 : RW_F64 : s.single ? RW_C64 : RW_C128;
    rw_array *x = new_side(&s, s.x_shape, xt, x_real), *y = new_side(&s, s.y_shape, yt, y_real);
    fill(x, seed);
    number *in = values_of(x, x_real), *want = define_all(&s, in);
    OK(rw_fft_create(dev, &s, &f));
    OK(rw_fft_execute(f, x, y, queue));
    number *got = values_of(y, y_real);
    long double wrong = 0, all = 0;
    for (int64_t i = 0; i < product(s.y_shape, s.ndim); ++i) {
        const number d = got[i] - want[i];
        wrong += creall(d) * creall(d) + cimagl(d) * cimagl(d),
            all += creall(want[i]) * creall(want[i]) + cimagl(want[i]) * cimagl(want[i]);
    }
    free(in), free(want), free(got);
    rw_fft_destroy(&f);
    rw_array_destroy(&x), rw_array_destroy(&y);
    return (double)(sqrtl(wrong / all) / (s.single ? (long double)FLT_EPSILON : (long double)DBL_EPSILON));
}

/* Every kind at these lengths; `limit`: points a pass, so that short ones take several. */
static void all_kinds(const int *lengths, int count, int64_t limit, double most, int every)
{
    double worst = 0;
    rw_fft_limit(limit);
    for (int i = 0, at = 0; i < count; ++i)
        for (int kind = 0; kind < RW_FFT_KINDS; ++kind)
            for (int inverse = 0; inverse < 2; ++inverse, ++at) {
                if (kind >= RW_FFT_DCT1 && inverse) continue;
                if ((kind == RW_FFT_DCT1 && lengths[i] < 2) || at % (!test_long()   ? every
                                                                     : on("cpu")    ? 5
                                                                     : on("opencl") ? 41
                                                                                    : 9))
                    continue;
                rw_fft_spec s = {.kind = kind,
                                 .inverse = inverse,
                                 .single = at % 3 == 0,
                                 .ndim = 2,
                                 .shape = {3, lengths[i]},
                                 .axes = 2,
                                 .scale = at % 5 ? 0 : 0.5};
                if (at % 4 == 1) s.shape[0] = lengths[i], s.shape[1] = 19, s.axes = 1; /* columns */
                const double error = error_of(s, (uint64_t)at);
                if (!(error < most))
                    fail_msg("%s%s, %d points, %s, %s: %.3g epsilon", rw_fft_kind_name(kind), inverse ? " inverse" : "",
                             lengths[i], s.single ? "f32" : "f64", s.axes == 1 ? "columns" : "rows", error);
                worst = RW_MAX(worst, error);
            }
    print_message("# root mean square error of at most %.2f epsilon\n", worst);
    rw_fft_limit(0);
}

/* What NumPy and SciPy take: axes in any order, of which a real transform halves the last; real elements of a complex
 * transform; complex elements of cosine and sine transforms; orthonormal ones. */
static void test_numpy(void **state)
{
    (void)state;
    static const struct {
        rw_fft_kind kind;
        bool inverse, real_x, complex_parts, ortho;
        int naxes, axis[3];
    } rows[] = {{RW_FFT_REAL, false, false, false, false, 2, {1, 0}},
                {RW_FFT_REAL, true, false, false, false, 2, {1, 0}},
                {RW_FFT_REAL, false, false, false, true, 3, {0, 2, 1}},
                {RW_FFT_REAL, true, false, false, true, 1, {1}},
                {RW_FFT_COMPLEX, false, true, false, false, 2, {2, 0}},
                {RW_FFT_COMPLEX, true, true, false, true, 3, {0, 1, 2}},
                {RW_FFT_DCT1, false, false, false, true, 2, {2, 1}},
                {RW_FFT_DCT2, false, false, true, true, 2, {0, 2}},
                {RW_FFT_DCT3, false, false, true, false, 2, {1, 2}},
                {RW_FFT_DCT3, false, false, false, true, 1, {0}},
                {RW_FFT_DCT4, false, false, true, true, 3, {0, 1, 2}},
                {RW_FFT_DST1, false, false, true, true, 1, {2}},
                {RW_FFT_DST2, false, false, false, true, 2, {0, 1}},
                {RW_FFT_DST3, false, false, true, true, 2, {2, 1}},
                {RW_FFT_DST4, false, false, false, true, 1, {1}}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        if (on("opencl") && i % 3) continue;
        const bool single = i % 4 == 3;
        const rw_dtype real = single ? RW_F32 : RW_F64, complex_type = single ? RW_C64 : RW_C128;
        rw_fft_spec s = {.kind = rows[i].kind,
                         .inverse = rows[i].inverse,
                         .single = single,
                         .ndim = 3,
                         .shape = {6, 5, 8},
                         .ortho = rows[i].ortho,
                         .scale = i % 2 ? 0.25 : 0,
                         .naxes = rows[i].naxes};
        memcpy(s.axis, rows[i].axis, sizeof rows[i].axis);
        if (rows[i].real_x) s.x_dtype = real;
        if (rows[i].complex_parts) s.x_dtype = s.y_dtype = complex_type;
        const double error = error_of(s, (uint64_t)i);
        if (!(error < 5)) fail_msg("row %d, %s: %.3g epsilon", i, rw_fft_kind_name(s.kind), error);
    }
    /* the inverse of an orthonormal transform undoes it; the specification is what was given, with its defaults */
    rw_fft_spec s = {.kind = RW_FFT_DCT2, .ndim = 1, .shape = {12}, .ortho = true}, back = s, have;
    rw_array *x = new_array(RW_F64, 12, RW_MEMORY_DEVICE), *y = new_array(RW_F64, 12, RW_MEMORY_DEVICE);
    rw_fft *f;
    fill(x, 5);
    number *want = values_of(x, true);
    back.inverse = true;
    OK(rw_fft_create(dev, &s, &f));
    OK(rw_fft_execute(f, x, y, queue));
    OK(rw_fft_get_spec(f, &have));
    assert_true(have.ortho && have.scale == 1 && !have.load && !have.store && have.naxes == 1 && have.axes == 1);
    rw_fft_destroy(&f);
    OK(rw_fft_create(dev, &back, &f));
    OK(rw_fft_execute(f, y, y, queue));
    rw_fft_destroy(&f);
    number *got = values_of(y, true);
    for (int i = 0; i < 12; ++i) assert_true(cabsl(got[i] - want[i]) < 1e-15);
    free(want), free(got);
    rw_array_destroy(&x), rw_array_destroy(&y);
}

static void test_smooth(void **state)
{
    (void)state;
    static const int lengths[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,   10,  12,  15,  16,  20,
                                  21, 25, 31, 32, 35, 48, 64, 75, 100, 128, 143, 200, 243, 256};
    all_kinds(lengths, RW_COUNT(lengths), 0, 3, brief() ? 83 : 41);
}

static void test_primes(void **state)
{
    (void)state;
    static const int lengths[] = {37, 41, 47, 53, 61, 74, 97, 101, 107, 111, 127, 149, 158, 199, 211, 222, 257};
    all_kinds(lengths, RW_COUNT(lengths), 0, 4, brief() ? 83 : 41);
}

static void test_several_passes(void **state)
{
    (void)state;
    static const int lengths[] = {64, 100, 128, 144, 180, 225, 256, 240, 74, 101};
    all_kinds(lengths, RW_COUNT(lengths), 32, 5, brief() ? 83 : 41);
}

/* Random ranks, axes, kinds, types; lines that are short of elements at either side; in one pass an axis and in
 * several. */
static void test_layouts(void **state)
{
    (void)state;
    double worst = 0;
    const int first = test_long() ? 0 : 1000, count = test_long()    ? on("opencl") ? 20
                                                                       : on("cpu")  ? 40
                                                                                    : 30
                                                      : on("opencl") ? 4
                                                                     : 8;
    const bool tiled = on("check"); /* the texts of GPUs */
    if (tiled) begin_tiling("gpu");
    for (int row = first; row < first + count; ++row) {
        const uint64_t seed = 77 + (uint64_t)row;
        uint64_t draw = 0;
#define DRAW(n) ((int)(rw_random_uniform(seed, draw++) * (n)))
        static const int lengths[] = {1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 21, 37, 41, 64, 100};
        static const rw_dtype real_types[] = {RW_DTYPE_DEFAULT, RW_F32, RW_F64, RW_F16, RW_BF16},
                              complex_types[] = {RW_DTYPE_DEFAULT, RW_C64, RW_C128, RW_F16, RW_BF16};
        rw_fft_spec s = {.kind = DRAW(3) ? DRAW(2) : DRAW(RW_FFT_KINDS),
                         .inverse = DRAW(2),
                         .single = DRAW(2),
                         .ndim = 1 + DRAW(4),
                         .scale = DRAW(3) ? 0 : 0.125};
        s.axes = (unsigned)DRAW(1 << s.ndim);
        const unsigned axes = s.axes ? s.axes : (1u << s.ndim) - 1;
        for (int64_t d = 0, size = 1; d < s.ndim; ++d) {
            s.shape[d] = lengths[DRAW(RW_COUNT(lengths))];
            if (size * s.shape[d] > 6000) s.shape[d] = 2;
            if (s.kind == RW_FFT_DCT1 && s.shape[d] < 2) s.shape[d] = 2;
            size *= s.shape[d];
        }
        if (s.kind >= RW_FFT_DCT1) s.inverse = false;
        default_shapes(&s);
        for (int d = 0; d < s.ndim; ++d) {
            if (axes & 1u << d && DRAW(3) == 0) s.x_shape[d] -= DRAW(s.x_shape[d]);
            if (axes & 1u << d && DRAW(3) == 0) s.y_shape[d] -= DRAW(s.y_shape[d]);
        }
        if (DRAW(2))
            s.x_dtype = (rw_fft_is_real(s.kind, s.inverse, false) ? real_types : complex_types)[DRAW(s.single ? 5 : 3)];
        if (DRAW(2))
            s.y_dtype = (rw_fft_is_real(s.kind, s.inverse, true) ? real_types : complex_types)[DRAW(s.single ? 5 : 3)];
        rw_fft_limit(DRAW(3) ? 0 : 16);
        const bool coarse =
            s.y_dtype == RW_F16 || s.y_dtype == RW_BF16 || (!s.single && (s.y_dtype == RW_F32 || s.y_dtype == RW_C64));
        const double epsilon = s.single ? FLT_EPSILON : DBL_EPSILON, stored = s.y_dtype == RW_BF16  ? 1. / 256
                                                                              : s.y_dtype == RW_F16 ? 1. / 2048
                                                                                                    : FLT_EPSILON;
        const double error = error_of(s, seed), most = coarse ? stored / epsilon : 5;
        if (!(error < most))
            fail_msg("row %d: %s%s, %d axes %ux: %.3g epsilon", row, rw_fft_kind_name(s.kind),
                     s.inverse ? " inverse" : "", s.ndim, axes, error);
        if (!coarse) worst = RW_MAX(worst, error);
#undef DRAW
    }
    rw_fft_limit(0);
    if (tiled) end_tiling();
    print_message("# %d layouts, root mean square error of at most %.2f epsilon\n", count, worst);
}

/* The same memory as x and y: real rows with room for their spectrum, there and back; complex numbers along any axis;
 * what must not overlap. */
static void test_in_place(void **state)
{
    (void)state;
    rw_array *z, *real, *part;
    rw_fft *f;
    const int64_t rows = 6, n = 50, half = n / 2 + 1;
    OK(rw_array_create(dev, RW_C128, 2, (const int64_t[]){rows, half}, RW_MEMORY_DEVICE, &z));
    OK(rw_array_view(z, RW_F64, 2, (const int64_t[]){rows, n}, (const int64_t[]){2 * half, 1}, 0, &real));
    fill(z, 3);
    number *before = values_of(real, true);
    rw_fft_spec s = {.kind = RW_FFT_REAL, .ndim = 2, .shape = {rows, n}, .x_stride = {2 * half, 1}};
    OK(rw_fft_create(dev, &s, &f));
    OK(rw_fft_execute(f, real, z, queue));
    rw_fft_destroy(&f);
    rw_fft_spec contiguous = {.kind = RW_FFT_REAL,
                              .ndim = 2,
                              .shape = {rows, n},
                              .x_shape = {rows, n},
                              .y_shape = {rows, half}};
    number *want = define_all(&contiguous, before), *got = values_of(z, false);
    for (int i = 0; i < rows * half; ++i) assert_true(cabsl(got[i] - want[i]) < 1e-13);
    rw_fft_spec back = {.kind = RW_FFT_REAL,
                        .inverse = true,
                        .ndim = 2,
                        .shape = {rows, n},
                        .y_stride = {2 * half, 1},
                        .scale = 1. / (double)(rows * n)};
    OK(rw_fft_create(dev, &back, &f));
    OK(rw_fft_execute(f, z, real, queue));
    rw_fft_destroy(&f);
    number *after = values_of(real, true);
    for (int i = 0; i < rows * n; ++i) assert_true(cabsl(after[i] - before[i]) < 1e-14);
    free(before), free(want), free(got), free(after);

    /* shifted by an element, and rows at other distances */
    OK(rw_array_view(z, RW_DTYPE_DEFAULT, 2, (const int64_t[]){rows - 1, half - 1}, (const int64_t[]){half, 1}, 0,
                     &part));
    rw_array *shifted, *narrow;
    OK(rw_array_view(z, RW_DTYPE_DEFAULT, 2, (const int64_t[]){rows - 1, half - 1}, (const int64_t[]){half, 1}, 1,
                     &shifted));
    OK(rw_array_view(z, RW_DTYPE_DEFAULT, 2, (const int64_t[]){rows - 1, half - 1}, (const int64_t[]){half - 1, 1}, 0,
                     &narrow));
    rw_fft_spec c = {.ndim = 2, .shape = {rows - 1, half - 1}, .axes = 2, .x_stride = {half, 1}, .y_stride = {half, 1}};
    OK(rw_fft_create(dev, &c, &f));
    OK(rw_fft_execute(f, part, part, queue));
    FAILS(RW_ERR_ARGUMENT, "x and y overlap", rw_fft_execute(f, part, shifted, queue));
    FAILS(RW_ERR_ARGUMENT, "y: type, shape, strides or device differ", rw_fft_execute(f, part, narrow, queue));
    rw_fft_destroy(&f);
    c.y_stride[0] = half - 1;
    OK(rw_fft_create(dev, &c, &f));
    FAILS(RW_ERR_ARGUMENT, "their lines do not coincide", rw_fft_execute(f, part, narrow, queue));
    rw_fft_destroy(&f);
    rw_array_destroy(&part), rw_array_destroy(&shifted), rw_array_destroy(&narrow), rw_array_destroy(&real),
        rw_array_destroy(&z);
}

/* Memory between passes that the caller gives. */
static void test_work_area(void **state)
{
    (void)state;
    rw_fft *f;
    rw_fft_info info;
    rw_fft_limit(16);
    const rw_fft_spec s = {.ndim = 1, .shape = {100}};
    OK(rw_fft_create(dev, &s, &f));
    rw_fft_limit(0);
    OK(rw_fft_get_info(f, &info));
    assert_int_equal(info.passes, 2);
    assert_true(info.work_bytes >= 1600 && info.programs <= 2 && info.bytes == 4 * 1600);
    rw_array *x = new_array(RW_C128, 100, RW_MEMORY_DEVICE), *y = new_array(RW_C128, 100, RW_MEMORY_DEVICE),
             *u = new_array(RW_C128, 100, RW_MEMORY_DEVICE);
    rw_array *small = new_array(RW_F64, 100, RW_MEMORY_DEVICE),
             *work = new_array(RW_U8, info.work_bytes, RW_MEMORY_DEVICE);
    fill(x, 4);
    OK(rw_fft_execute(f, x, y, queue));
    FAILS(RW_ERR_ARGUMENT, "bytes: it has 800", rw_fft_set_work(f, small));
    OK(rw_fft_set_work(f, work));
    rw_array_destroy(&work); /* the plan keeps it */
    OK(rw_fft_execute(f, x, u, queue));
    same_bits("with the caller's work area", y, u);
    OK(rw_fft_set_work(f, NULL));
    OK(rw_fft_execute(f, x, u, queue));
    same_bits("with the plan's own again", y, u);
    rw_fft_destroy(&f);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&u), rw_array_destroy(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_smooth),         cmocka_unit_test(test_primes),
                                       cmocka_unit_test(test_several_passes), cmocka_unit_test(test_layouts),
                                       cmocka_unit_test(test_in_place),       cmocka_unit_test(test_work_area),
                                       cmocka_unit_test(test_numpy)};
    return run_on_devices("kinds", tests, RW_COUNT(tests));
}
