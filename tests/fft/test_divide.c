/* Divisions in the spectrum of real transforms against sums in long double: all kinds and lengths, axes of different
 * kinds, some axes, strides, in place, the divisor 0; difference operators that the result solves; forward and back in
 * two plans; passes and bytes; memory that is short; what is refused. */
/* TEST: devices=all */
#include "fft/divide.h"

#include "fft/line.h"
#include "numbers.h"

/* Random divisors from 0.5 to 1.5 per axis. */
static double divisor_of(uint64_t seed, int axis, int64_t k)
{
    return 0.5 + rw_random_uniform(seed, (uint64_t)(1000 * axis + k));
}

/* The weight of element j in result k; of real: real parts, then imaginary parts, backwards. */
static long double forward(rw_fft_kind kind, int64_t n, int64_t k, int64_t j)
{
    if (kind != RW_FFT_REAL) return weight_of(kind, n, k, j);
    return 2 * k <= n ? wave(false, 2 * (j * k % n), n) : -wave(true, 2 * (j * (n - k) % n), n);
}

/* The weight of result k in element j, normalised. */
static long double backward(rw_fft_kind kind, int64_t n, int64_t k, int64_t j)
{
    const rw_fft_kind inverse = kind == RW_FFT_DCT2   ? RW_FFT_DCT3
                                : kind == RW_FFT_DCT3 ? RW_FFT_DCT2
                                : kind == RW_FFT_DST2 ? RW_FFT_DST3
                                : kind == RW_FFT_DST3 ? RW_FFT_DST2
                                                      : kind;
    const int64_t points = kind == RW_FFT_DCT1 ? n - 1 : kind == RW_FFT_DST1 ? n + 1 : n;
    if (kind != RW_FFT_REAL) return weight_of(inverse, n, j, k) / (2 * (long double)points);
    return (k == 0 || 2 * k == n ? 1 : 2) * forward(kind, n, k, j) / n;
}

static bool is_transformed(const rw_fft_divide_spec *s, int axis) { return !s->axes || s->axes & 1u << axis; }

/* v <- its transform along an axis, or back. */
static void apply(const rw_fft_divide_spec *s, int axis, bool back, long double *v)
{
    const int64_t n = s->shape[axis];
    long double *weight = calloc((size_t)(n * n), sizeof *weight), *line = calloc((size_t)n, sizeof *line);
    int64_t size = 1, step = 1;
    for (int d = 0; d < s->ndim; ++d) {
        size *= s->shape[d];
        step *= d > axis ? s->shape[d] : 1;
    }
    for (int64_t k = 0; k < n; ++k)
        for (int64_t j = 0; j < n; ++j)
            weight[back ? j * n + k : k * n + j] = (back ? backward : forward)(s->kind[axis], n, k, j);
    for (int64_t i = 0; i < size; ++i) {
        if (i / step % n) continue;
        for (int64_t k = 0; k < n; ++k) {
            line[k] = 0;
            for (int64_t j = 0; j < n; ++j) line[k] += weight[k * n + j] * v[i + j * step];
        }
        for (int64_t k = 0; k < n; ++k) v[i + k * step] = line[k];
    }
    free(weight);
    free(line);
}

/* singular: the divisor of the first result is 0. */
typedef struct tables {
    double *of[RW_MAX_NDIM];
    double shift;
} tables;

static tables new_tables(const rw_fft_divide_spec *s, uint64_t seed, bool singular)
{
    tables t = {.shift = singular ? 0 : 0.25};
    for (int d = 0; d < s->ndim; ++d) {
        t.of[d] = calloc((size_t)s->shape[d], sizeof *t.of[d]);
        for (int64_t k = 0; k < s->shape[d]; ++k) t.of[d][k] = divisor_of(seed, d, k);
        if (s->kind[d] == RW_FFT_REAL &&
            is_transformed(s, d)) /* a number's real and imaginary part have the same divisor */
            for (int64_t k = s->shape[d] / 2 + 1; k < s->shape[d]; ++k) t.of[d][k] = t.of[d][s->shape[d] - k];
        if (singular) t.of[d][0] = 0;
    }
    return t;
}

static void free_tables(tables *t)
{
    for (int d = 0; d < RW_MAX_NDIM; ++d) free(t->of[d]);
}

static rw_array *new_box(const rw_fft_divide_spec *s, const int64_t *stride)
{
    int64_t last = 0;
    rw_array *memory, *a;
    if (!stride[0]) {
        OK(rw_array_create(dev, s->single ? RW_F32 : RW_F64, s->ndim, s->shape, RW_MEMORY_DEVICE, &a));
        return a;
    }
    for (int d = 0; d < s->ndim; ++d) last += (s->shape[d] - 1) * stride[d];
    memory = new_array(s->single ? RW_F32 : RW_F64, last + 4, RW_MEMORY_DEVICE);
    fill(memory, 9);
    OK(rw_array_view(memory, RW_DTYPE_DEFAULT, s->ndim, s->shape, stride, 3, &a));
    rw_array_destroy(&memory);
    return a;
}

/* Root mean square error of a division against sums, in epsilon. */
static double error_of(const rw_fft_divide_spec *s, uint64_t seed, bool singular, bool in_place)
{
    rw_fft_divide *divide;
    tables t = new_tables(s, seed, singular);
    rw_array *x = new_box(s, s->x_stride), *y = in_place ? x : new_box(s, s->y_stride);
    OK(rw_fft_divide_create(dev, s, &divide));
    OK(rw_fft_divide_set(divide, (const double *const *)t.of, t.shift, queue));
    fill(x, seed);
    number *in = values_of(x, true);
    long double *v = calloc((size_t)x->size, sizeof *v), wrong = 0, all = 0;
    for (int64_t i = 0; i < x->size; ++i) v[i] = creall(in[i]);
    for (int d = 0; d < s->ndim; ++d)
        if (is_transformed(s, d)) apply(s, d, false, v);
    for (int64_t i = 0; i < x->size; ++i) {
        long double divisor = t.shift;
        int64_t rest = i;
        for (int d = s->ndim - 1; d >= 0; rest /= s->shape[d--]) divisor += t.of[d][rest % s->shape[d]];
        v[i] = divisor == 0 ? 0 : v[i] / divisor;
    }
    for (int d = 0; d < s->ndim; ++d)
        if (is_transformed(s, d)) apply(s, d, true, v);
    OK(rw_fft_divide_execute(divide, x, 1, y, queue));
    number *got = values_of(y, true);
    for (int64_t i = 0; i < x->size; ++i) {
        const long double e = creall(got[i]) - v[i];
        wrong += e * e;
        all += v[i] * v[i];
    }
    if (x->size == 1 && singular) all = 1; /* nothing is left */
    free(in);
    free(got);
    free(v);
    free_tables(&t);
    rw_fft_divide_destroy(&divide);
    rw_array_destroy(&x);
    if (!in_place) rw_array_destroy(&y);
    return (double)(sqrtl(wrong / all) / (s->single ? (long double)FLT_EPSILON : (long double)DBL_EPSILON));
}

static void check_error(const rw_fft_divide_spec *s, double error, double most, double *worst)
{
    if (!(error < most)) {
        char text[160] = "";
        for (int d = 0; d < s->ndim; ++d)
            snprintf(text + strlen(text), sizeof text - strlen(text), " %s of %lld", rw_fft_kind_name(s->kind[d]),
                     (long long)s->shape[d]);
        fail_msg("%s,%s: %.3g epsilon", s->single ? "f32" : "f64", text, error);
    }
    *worst = RW_MAX(*worst, error);
}

/* Every kind at these lengths, along rows and columns. */
static void all_kinds(const int *lengths, int count, int every, bool tiled)
{
    double worst = 0;
    if (tiled) begin_tiling("gpu");
    for (int i = 0, at = 0; i < count; ++i)
        for (int kind = RW_FFT_REAL; kind < RW_FFT_KINDS; ++kind, ++at) {
            if ((kind == RW_FFT_DCT1 && lengths[i] < 2) || at % every) continue;
            const bool columns = at / every % 3 == 1;
            rw_fft_divide_spec s = {.single = at / every % 4 == 3,
                                    .ndim = columns || lengths[i] > 200 ? 2 : 1,
                                    .shape = {lengths[i], 1},
                                    .kind = {kind, RW_FFT_DCT2}};
            if (columns) s.shape[1] = 5;
            if (s.ndim == 2 && !columns) {
                s.shape[0] = 3;
                s.shape[1] = lengths[i];
                s.kind[0] = RW_FFT_REAL;
                s.kind[1] = kind;
            }
            check_error(&s, error_of(&s, 100 + (uint64_t)at, at / every % 5 == 2, at / every % 2), 8, &worst);
        }
    if (tiled) end_tiling();
    print_message("# root mean square error of at most %.2f epsilon\n", worst);
}

static const int lengths[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 60, 64, 127, 128, 37, 74, 100, 255};

static void test_kinds(void **state)
{
    (void)state;
    all_kinds(lengths, RW_COUNT(lengths), test_long() ? 1 : on("cpu") ? 7 : on("check") ? 13 : 41, false);
}

static void test_kinds_of_gpu(void **state)
{
    (void)state;
    if (!on("check")) skip(); /* the texts of GPUs */
    all_kinds(lengths, RW_COUNT(lengths), test_long() ? 1 : 13, true);
}

static void test_long_lines(void **state)
{
    (void)state;
    static const int many[] = {1000, 1023, 1024};
    if (!on("cpu") && !test_long()) skip();
    all_kinds(many, RW_COUNT(many), test_long() && on("cpu") ? 1 : 7, false);
}

/* Lines that do not fit into one pass. */
static void test_several_passes(void **state)
{
    (void)state;
    static const int several[] = {64, 100, 144, 225, 74};
    rw_fft_limit(32);
    all_kinds(several, RW_COUNT(several), test_long() ? 1 : on("cpu") ? 7 : 31, false);
    rw_fft_limit(0);
}

/* Lines that fill the memory of a GPU's group: nothing is left for gaps between their elements. */
static void test_full_memory(void **state)
{
    (void)state;
    double worst = 0;
    if (!on("check")) skip();
    begin_tiling("gpu");
    dev->info.shared_memory = 16 * 512;
    for (int kind = RW_FFT_REAL; kind < RW_FFT_KINDS; kind += 3) {
        const rw_fft_divide_spec s = {.ndim = 2, .shape = {3, 1024}, .kind = {RW_FFT_DCT4, kind}};
        check_error(&s, error_of(&s, 5, false, false), 8, &worst);
    }
    end_tiling();
}

/* Random shapes, kinds, strides in 1 to 4 dimensions. */
static void test_random(void **state)
{
    (void)state;
    double worst = 0;
    const int count = test_long() ? 60 : on("cpu") ? 8 : on("check") ? 4 : 1;
    static const int short_ones[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 21, 24, 31, 32, 37, 48, 64, 100};
    for (int row = 0; row < count; ++row) {
        const uint64_t seed = 900 + (uint64_t)row;
        uint64_t draw = 0;
#define DRAW(n) ((int)(rw_random_uniform(seed, draw++) * (n)))
        const bool tiled = on("check") && row % 2;
        if (tiled) begin_tiling("gpu");
        rw_fft_divide_spec s = {.single = DRAW(2), .ndim = 1 + DRAW(4)};
        const bool strided = DRAW(2);
        int64_t size = 1;
        for (int d = 0; d < s.ndim; ++d) {
            s.kind[d] = RW_FFT_REAL + DRAW(RW_FFT_KINDS - RW_FFT_REAL);
            s.shape[d] = short_ones[DRAW(RW_COUNT(short_ones))];
            if (size * s.shape[d] > 4000) s.shape[d] = 2;
            if (s.kind[d] == RW_FFT_DCT1 && s.shape[d] < 2) s.shape[d] = 2;
            size *= s.shape[d];
        }
        for (int64_t d = s.ndim - 1, x = 1, y = 1; d >= 0 && strided; --d) {
            s.x_stride[d] = x;
            s.y_stride[d] = y;
            x *= s.shape[d] + DRAW(3);
            y *= s.shape[d] + DRAW(3);
        }
        rw_fft_limit(DRAW(2) ? 0 : 32);
        s.axes = DRAW(3) ? 0 : (unsigned)(1 + DRAW((1 << s.ndim) - 1));
        const bool singular = DRAW(2), in_place = DRAW(2) && !strided;
        check_error(&s, error_of(&s, seed, singular, in_place), 8, &worst);
        rw_fft_limit(0);
        if (tiled) end_tiling();
#undef DRAW
    }
    print_message("# %d divisions, root mean square error of at most %.2f epsilon\n", count, worst);
}

/* The value of u beyond the ends, from the symmetry of the transform's basis functions. */
static double at(rw_fft_kind kind, const double *u, int64_t n, int64_t step, int64_t j)
{
    if (kind == RW_FFT_REAL) return u[(j + n) % n * step];
    if (j < 0) {
        const bool node = kind == RW_FFT_DCT1 || kind == RW_FFT_DCT3;
        if (kind == RW_FFT_DST1 || kind == RW_FFT_DST3) return 0;
        if (node) return n > 1 ? u[step] : 0;
        return kind < RW_FFT_DST1 ? u[0] : -u[0];
    }
    if (j >= n) {
        if (kind == RW_FFT_DCT1 || kind == RW_FFT_DST3) return n > 1 ? u[(n - 2) * step] : 0;
        if (kind == RW_FFT_DST1 || kind == RW_FFT_DCT3) return 0;
        return (kind == RW_FFT_DCT2 || kind == RW_FFT_DST4 ? 1 : -1) * u[(n - 1) * step];
    }
    return u[j * step];
}

/* u of u - u'' = f in two dimensions: the operator gives f back. */
static void test_operators(void **state)
{
    (void)state;
    for (int row = 0; row < 9; ++row) {
        rw_fft_divide_spec s = {.ndim = 2,
                                .shape = {10 + row % 2, 6},
                                .kind = {RW_FFT_REAL + row, RW_FFT_REAL + (4 + 7 * row) % 9}};
        rw_fft_divide *divide;
        double *table[2];
        const int64_t n = s.shape[0], m = s.shape[1];
        if (on("opencl") && row % 4) continue;
        for (int d = 0; d < 2; ++d) {
            table[d] = calloc((size_t)s.shape[d], sizeof *table[d]);
            for (int64_t k = 0; k < s.shape[d]; ++k) table[d][k] = 2 - 2 * cos(rw_fft_angle(s.kind[d], s.shape[d], k));
        }
        rw_array *x = new_box(&s, s.x_stride), *y = new_box(&s, s.y_stride);
        fill(x, 40 + (uint64_t)row);
        OK(rw_fft_divide_create(dev, &s, &divide));
        OK(rw_fft_divide_set(divide, (const double *const *)table, 1, queue));
        OK(rw_fft_divide_execute(divide, x, 1, y, queue));
        const void *f, *u;
        OK(rw_array_read(x, &f));
        OK(rw_array_read(y, &u));
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < m; ++j) {
                const double *column = (const double *)u + j, *line = (const double *)u + i * m;
                const double applied = 5 * line[j] - at(s.kind[0], column, n, m, i - 1) -
                                       at(s.kind[0], column, n, m, i + 1) - at(s.kind[1], line, m, 1, j - 1) -
                                       at(s.kind[1], line, m, 1, j + 1);
                if (!(fabs(applied - ((const double *)f)[i * m + j]) < 1e-13))
                    fail_msg("%s, %s: at %d, %d: %.17g, not %.17g", rw_fft_kind_name(s.kind[0]),
                             rw_fft_kind_name(s.kind[1]), (int)i, (int)j, applied, ((const double *)f)[i * m + j]);
            }
        rw_fft_divide_destroy(&divide);
        rw_array_destroy(&x);
        rw_array_destroy(&y);
        free(table[0]);
        free(table[1]);
    }
}

/* Two dimensions take three passes and 48 bytes a point in f64; launches can be recorded, with tables set later. */
static void test_passes(void **state)
{
    (void)state;
    rw_fft_divide_spec s = {.ndim = 2, .shape = {12, 16}, .kind = {RW_FFT_DST2, RW_FFT_REAL}};
    rw_fft_divide *divide;
    rw_sequence *sequence;
    char *text;
    tables t = new_tables(&s, 3, false), other = new_tables(&s, 4, true);
    rw_array *x = new_box(&s, s.x_stride), *y = new_box(&s, s.y_stride), *again = new_box(&s, s.y_stride);
    fill(x, 1);
    OK(rw_fft_divide_create(dev, &s, &divide));
    FAILS(RW_ERR_ARGUMENT, "the tables are not set", rw_fft_divide_execute(divide, x, 1, y, queue));
    OK(rw_fft_divide_set(divide, (const double *const *)t.of, t.shift, queue));
    const rw_fft_info info = rw_fft_divide_info(divide);
    assert_int_equal(info.passes, 3);
    assert_int_equal(info.bytes, 48 * 12 * 16);
    assert_int_equal(info.work_bytes, 0);
    OK(rw_fft_divide_explain(divide, &text));
    assert_non_null(strstr(text, has_gpu_kernels()
                                     ? "axis 1: real of 16 points, forward, divided, back: 1 pass, 16 bytes"
                                     : "axis 0: dst2 of 12 points, forward, divided, back: 1 pass, 16 bytes"));
    assert_non_null(strstr(text, "in all 3 passes, 48 bytes per point"));
    rw_free(text);
    OK(rw_fft_divide_execute(divide, x, 1, again, queue));
    OK(rw_record_begin(queue));
    OK(rw_fft_divide_execute(divide, x, 1, again, queue));
    OK(rw_record_end(queue, &sequence));
    for (int i = 0; i < 2; ++i) {
        OK(rw_fft_divide_execute(divide, x, 1, y, queue));
        OK(rw_sequence_replay(sequence, queue));
        same_bits("recorded", y, again);
        OK(rw_fft_divide_set(divide, (const double *const *)other.of, other.shift, queue));
    }
    rw_sequence_destroy(&sequence);
    rw_fft_divide_destroy(&divide);
    free_tables(&t);
    free_tables(&other);
    rw_array_destroy(&x);
    rw_array_destroy(&y);
    rw_array_destroy(&again);
}

/* Forward in one plan and back in another: with a division in between the same as in one plan; without one x. */
static void test_parts(void **state)
{
    (void)state;
    rw_fft_divide_spec s = {.ndim = 3, .shape = {6, 5, 8}, .kind = {RW_FFT_DST1, RW_FFT_DCT2, RW_FFT_REAL}, .axes = 5};
    rw_fft_divide *there, *back;
    rw_array *x = new_box(&s, s.x_stride), *y = new_box(&s, s.y_stride);
    fill(x, 8);
    s.part = RW_FFT_FORWARD;
    OK(rw_fft_divide_create(dev, &s, &there));
    s.part = RW_FFT_BACK;
    OK(rw_fft_divide_create(dev, &s, &back));
    assert_int_equal(rw_fft_divide_info(there).passes, 2);
    OK(rw_fft_divide_execute(there, x, 1, y, queue));
    number *in = values_of(x, true), *spectrum = values_of(y, true);
    long double *want = calloc((size_t)x->size, sizeof *want);
    for (int64_t i = 0; i < x->size; ++i) want[i] = creall(in[i]);
    apply(&s, 0, false, want);
    apply(&s, 2, false, want);
    for (int64_t i = 0; i < x->size; ++i) assert_true(fabsl(creall(spectrum[i]) - want[i]) < 1e-13);
    OK(rw_fft_divide_execute(back, y, 1, y, queue));
    number *out = values_of(y, true);
    for (int64_t i = 0; i < x->size; ++i) assert_true(fabsl(creall(out[i] - in[i])) < 1e-14);
    free(in);
    free(spectrum);
    free(out);
    free(want);
    rw_fft_divide_destroy(&there);
    rw_fft_divide_destroy(&back);
    rw_array_destroy(&x);
    rw_array_destroy(&y);
}

static rw_status make(void *user)
{
    const rw_fft_divide_spec s = {.ndim = 2, .shape = {3, 100}, .kind = {RW_FFT_DCT1, RW_FFT_DST2}};
    static const double zeros[100];
    rw_fft_divide *divide = NULL;
    rw_array **xy = user;
    char *text = NULL;
    rw_fft_limit(32); /* several passes, a work area */
    rw_status status = rw_fft_divide_create(dev, &s, &divide);
    rw_fft_limit(0);
    if (status == RW_OK) status = rw_fft_divide_set(divide, (const double *const[]){zeros, zeros}, 1, queue);
    if (status == RW_OK) status = rw_fft_divide_execute(divide, xy[0], 1, xy[1], queue);
    if (status == RW_OK) status = rw_fft_divide_explain(divide, &text);
    rw_free(text);
    rw_fft_divide_destroy(&divide);
    return status;
}

static void test_faults(void **state)
{
    (void)state;
    rw_array *xy[2];
    if (!on("cpu")) skip();
    for (int i = 0; i < 2; ++i)
        OK(rw_array_create(dev, RW_F64, 2, (const int64_t[]){3, 100}, RW_MEMORY_DEVICE, xy + i));
    fill(xy[0], 2);
    OK(make(xy));
    each_nth_fault(test_long() ? 1 : 7, RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, make, xy);
    each_fault(RW_FAULT_DEVICE_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, make, xy);
    each_fault(RW_FAULT_LAUNCH, RW_ERR_LAUNCH, RW_ERR_LAUNCH, make, xy);
    rw_array_destroy(xy);
    rw_array_destroy(xy + 1);
}

static void test_refused(void **state)
{
    (void)state;
    const rw_fft_divide_spec good = {.ndim = 2, .shape = {4, 6}, .kind = {RW_FFT_DST2, RW_FFT_DCT1}};
    rw_fft_divide_spec s = good;
    rw_fft_divide *divide;
    s.kind[0] = RW_FFT_COMPLEX;
    FAILS(RW_ERR_ARGUMENT, "kind[0]: choose real", rw_fft_divide_create(dev, &s, &divide));
    s = good;
    s.shape[1] = 1;
    FAILS(RW_ERR_ARGUMENT, "shape[1] = 1: dct1 needs at least 2 points", rw_fft_divide_create(dev, &s, &divide));
    s = good;
    s.shape[0] = 0;
    FAILS(RW_ERR_ARGUMENT, "shape[0] = 0: dst2 needs at least 1 point", rw_fft_divide_create(dev, &s, &divide));
    s = good;
    s.axes = 4;
    FAILS(RW_ERR_ARGUMENT, "axes = 0x4 has a bit beyond", rw_fft_divide_create(dev, &s, &divide));
    s = good;
    s.ndim = 0;
    FAILS(RW_ERR_ARGUMENT, "ndim = 0", rw_fft_divide_create(dev, &s, &divide));
    s = good;
    s.y_stride[0] = s.y_stride[1] = 1;
    FAILS(RW_ERR_ARGUMENT, "y_stride: elements of y would overlap", rw_fft_divide_create(dev, &s, &divide));
    assert_null(divide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds),       cmocka_unit_test(test_kinds_of_gpu),
                                       cmocka_unit_test(test_long_lines),  cmocka_unit_test(test_several_passes),
                                       cmocka_unit_test(test_full_memory), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_operators),   cmocka_unit_test(test_passes),
                                       cmocka_unit_test(test_parts),       cmocka_unit_test(test_faults),
                                       cmocka_unit_test(test_refused)};
    return run_on_devices("divide", tests, RW_COUNT(tests));
}
