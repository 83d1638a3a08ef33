/* Tuning and wisdom: every way to make a pass or an axis is right; what is faster is kept, exported, imported; texts
 * that are damaged or of another device. */
#include "numbers.h"

#include "fft/choice.h"
#include "fft/length.h"
#include "fft/plan.h"

static rw_array *new_complex(bool single, int ndim, const int64_t *shape)
{
    rw_array *a;
    OK(rw_array_create(dev, single ? RW_C64 : RW_C128, ndim, shape, RW_MEMORY_DEVICE, &a));
    return a;
}

static double error_of(const rw_fft_spec *s)
{
    rw_array *x = new_complex(s->single, s->ndim, s->shape), *y = new_complex(s->single, s->ndim, s->shape);
    fill(x, 7);
    const double error = transform(s, x, y);
    rw_array_destroy(&x), rw_array_destroy(&y);
    return error;
}

/* The passes of a plan, each made as `c` says, if it is possible. */
static void put_choice(const rw_fft_spec *s, const rw_fft_choice *c)
{
    rw_fft *f;
    char key[RW_FFT_KEY], value[RW_FFT_KEY];
    OK(rw_fft_create(dev, s, &f));
    rw_fft_choice_print(c, value);
    for (int i = 0; i < f->passes.n; ++i) {
        rw_fft_line_key(&f->passes.pass[i].line.spec, key);
        OK(rw_fft_wisdom_put(dev, key, value));
    }
    rw_fft_destroy(&f);
}

static void test_choices(void **state)
{
    (void)state;
    static const struct {
        bool single;
        int ndim;
        int64_t shape[3];
        unsigned axes;
    } cases[] = {{true, 2, {37, 64}, 2},  {true, 2, {64, 35}, 1},   {false, 2, {5, 360}, 2},
                 {true, 2, {3, 1024}, 2}, {false, 2, {512, 20}, 1}, {true, 2, {3, 101}, 2},
                 {true, 2, {3, 211}, 2},  {true, 1, {20480}, 1},    {false, 3, {4, 96, 9}, 2}};
    static const int radices[] = {4, 8, 16, 32};
    int at = 0;
    OK(rw_fft_wisdom_forget(dev));
    for (int i = 0; i < RW_COUNT(cases); ++i) {
        rw_fft_spec s = {.single = cases[i].single, .ndim = cases[i].ndim, .axes = cases[i].axes};
        memcpy(s.shape, cases[i].shape, sizeof cases[i].shape);
        for (int r = 0; r < RW_COUNT(radices); ++r)
            for (int lines = 1; lines <= 32; lines *= lines == 4 ? 8 : 4)
                for (int way = 0; way < (has_gpu_kernels() ? 3 : 1); ++way) {
                    if (at++ % (test_long() ? on("opencl") ? 11 : 3 : brief() ? 29 : 13)) continue;
                    const rw_fft_choice c = {.radix = radices[r],
                                             .lines = lines,
                                             .groups = 1 + r % 2,
                                             .halves = way == 1,
                                             .staged = way == 2};
                    put_choice(&s, &c);
                    const double error = error_of(&s);
                    if (!(error < 2.5))
                        fail_msg("case %d, radix %d, %d lines, way %d: error %g epsilon", i, c.radix, lines, way,
                                 error);
                }
        OK(rw_fft_wisdom_forget(dev));
    }
}

/* Lines of groups that work together, where there are such: one pass, not all lines of a strip, there and back, in
 * place. */
static void test_clusters(void **state)
{
    (void)state;
    static const struct {
        bool single;
        int64_t shape[2];
        unsigned axes;
    } cases[] = {{true, {3, 65536}, 2},  {true, {4096, 37}, 1},  {true, {8192, 20}, 1},
                 {false, {4096, 19}, 1}, {false, {2, 32768}, 2}, {true, {16384, 12}, 1}};
    OK(rw_fft_wisdom_forget(dev));
    for (int i = 0; i < RW_COUNT(cases) && dev->target.cluster; ++i)
        for (int way = 0; way < 4; ++way) {
            const int inverse = way % 2;
            rw_fft_spec s = {.single = cases[i].single, .inverse = inverse, .ndim = 2, .axes = cases[i].axes};
            rw_fft_info info;
            rw_fft *f;
            memcpy(s.shape, cases[i].shape, sizeof cases[i].shape);
            rw_array *x = new_complex(s.single, 2, s.shape), *y = new_complex(s.single, 2, s.shape);
            fill(x, 7);
            if (way == 2) put_choice(&s, &(rw_fft_choice){.radix = 16, .lines = 1, .groups = 1, .cluster = 8});
            double error = transform(&s, x, y);
            if (!(error < 2.5)) fail_msg("case %d, inverse %d: %g epsilon", i, inverse, error);
            error = transform(&s, x, x);
            if (!(error < 2.5)) fail_msg("case %d, inverse %d, in place: %g epsilon", i, inverse, error);
            OK(rw_fft_create(dev, &s, &f));
            OK(rw_fft_get_info(f, &info));
            assert_int_equal(info.passes, 1);
            rw_fft_destroy(&f);
            rw_array_destroy(&x), rw_array_destroy(&y);
            if (way == 3) OK(rw_fft_wisdom_forget(dev));
        }
}

static void test_matrices(void **state)
{
    (void)state;
    rw_fft_spec s = {.single = true, .ndim = 2, .shape = {3, 4096}, .axes = 2};
    rw_fft *f;
    rw_fft_matrix list[32];
    char key[RW_FFT_KEY], value[RW_FFT_KEY];
    OK(rw_fft_wisdom_forget(dev));
    OK(rw_fft_create(dev, &s, &f));
    assert_int_equal(f->passes.naxes, 1);
    const rw_fft_axis axis = f->passes.axis[0];
    rw_fft_destroy(&f);
    const int n = rw_fft_other_matrices(dev, &axis, list, 32);
    assert_true(n >= 4);
    rw_fft_axis_key(&axis, key);
    for (int i = 0; i < n; i += brief() ? 3 : 1) {
        rw_fft_info info;
        rw_fft_matrix_print(list + i, value);
        OK(rw_fft_wisdom_put(dev, key, value));
        OK(rw_fft_create(dev, &s, &f));
        OK(rw_fft_get_info(f, &info));
        assert_int_equal(info.passes, list[i].a ? 2 : 1);
        rw_fft_destroy(&f);
        assert_true(error_of(&s) < 2.5);
    }
    OK(rw_fft_wisdom_forget(dev));
}

/* Tables of a prime that take long are kept in the cache on disk: the second plan is as right as the first. */
static void test_kept(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        const rw_fft_spec s = {.ndim = 1, .shape = {1031}};
        assert_true(error_of(&s) < 3);
    }
}

typedef struct trials {
    int all, kept;
} trials;

static rw_status report(void *user, const char *what, const char *choice, double seconds, bool kept)
{
    trials *l = user;
    assert_true(strlen(what) > 5 && strlen(choice) > 5 && seconds > 0);
    l->all++, l->kept += kept;
    return RW_OK;
}

static void test_tuning(void **state)
{
    (void)state;
    rw_fft_spec s = {.single = true, .ndim = 2, .shape = {32, 480}, .axes = 2};
    trials l = {0, 0};
    rw_fft_tuning options = {.report = report, .user = &l, .seconds = 4};
    rw_fft_tuned t;
    char *text;
    OK(rw_fft_wisdom_forget(dev));
    OK(rw_fft_tune(dev, &s, &options, &t));
    assert_true(t.before > 0 && t.after > 0 && t.after <= t.before);
    assert_true(t.tried >= 2 && l.all <= t.tried && (l.kept > 0) == (t.after < t.before));
    OK(rw_fft_wisdom_export(dev, &text));
    assert_true(l.kept == 0 || strstr(text, " 480 "));
    free(text);
    assert_true(error_of(&s) < 2.5);
    options.seconds = -1;
    FAILS(RW_ERR_ARGUMENT, "seconds = -1", rw_fft_tune(dev, &s, &options, NULL));
    s.shape[0] = 0;
    OK(rw_fft_tune(dev, &s, NULL, &t)); /* nothing to do */
    s = (rw_fft_spec){.single = true,
                      .ndim = 1,
                      .shape = {24},
                      .x_dtype = RW_F16,
                      .y_dtype = RW_BF16,
                      .x_stride = {-2},
                      .y_stride = {3}};
    options.seconds = 0.5;
    OK(rw_fft_tune(dev, &s, &options, &t));
    OK(rw_fft_wisdom_forget(dev));
}

/* The text with its sum, after a change. */
static char *signed_again(const char *text)
{
    char hex[65], *copy = calloc(strlen(text) + 100, 1);
    strcpy(copy, text);
    char *last = strstr(copy, "sha256 = ");
    rw_sha256_hex(copy, (size_t)(last - copy), hex);
    sprintf(last, "sha256 = %s\n", hex);
    return copy;
}

static void refused(const char *text, rw_status status, const char *part)
{
    FAILS(status, part, rw_fft_wisdom_import(dev, text, (int64_t)strlen(text)));
}

static void test_wisdom(void **state)
{
    (void)state;
    static const char key[] = "axis 4096 f32", value[] = "matrix 64 x 64";
    char *text, *other, found[RW_FFT_KEY];
    OK(rw_fft_wisdom_forget(dev));
    OK(rw_fft_wisdom_put(dev, key, value));
    OK(rw_fft_wisdom_put(dev, "axis 256 f64 across", "one pass"));
    OK(rw_fft_wisdom_export(dev, &text));
    OK(rw_fft_wisdom_forget(dev));
    assert_false(rw_fft_wisdom_find(dev, key, found));
    OK(rw_fft_wisdom_put(dev, "axis 512 f64", "one pass")); /* merged with */
    const int64_t n = (int64_t)strlen(text);
    for (int64_t i = 0; i < n; ++i) { /* any byte changed, any length */
        text[i] ^= 1;
        assert_int_not_equal(rw_fft_wisdom_import(dev, text, n), RW_OK);
        text[i] ^= 1;
        assert_int_equal(rw_fft_wisdom_import(dev, text, i), RW_ERR_FILE);
    }
    assert_false(rw_fft_wisdom_find(dev, key, found));
    OK(rw_fft_wisdom_import(dev, text, n));
    assert_true(rw_fft_wisdom_find(dev, key, found));
    assert_string_equal(found, value);
    assert_true(rw_fft_wisdom_find(dev, "axis 512 f64", found));

    static const struct {
        const char *from, *to;
        rw_status status;
        const char *part;
    } changes[] = {{"transforms, 1", "transforms, 9", RW_ERR_FILE, "another version"},
                   {"device = ", "device = x", RW_ERR_ARGUMENT, "the wisdom is for the device \"x"},
                   {"device = ", "machine = ", RW_ERR_FILE, "\"device = …\" is expected"},
                   {"64 x 64", "64 x 63", RW_ERR_FILE, "line 3: this version does not know the entry"},
                   {"axis 4096", "axle 4096", RW_ERR_FILE, "line 3: this version"},
                   {"axis 4096 f32 = ", "axis 4096 f32 : ", RW_ERR_FILE, "line 3: \"KEY = VALUE\" is expected"},
                   {"one pass", "two pass", RW_ERR_FILE, "line 4: this version"}};
    for (int i = 0; i < RW_COUNT(changes); ++i) {
        char *changed = calloc((size_t)n + 100, 1);
        const char *at = strstr(text, changes[i].from);
        assert_non_null(at);
        sprintf(changed, "%.*s%s%s", (int)(at - text), text, changes[i].to, at + strlen(changes[i].from));
        other = signed_again(changed);
        refused(other, changes[i].status, changes[i].part);
        refused(changed, i == 0 ? RW_ERR_FILE : RW_ERR_FILE, i == 0 ? "another version" : "the text was changed");
        free(other), free(changed);
    }
    refused("", RW_ERR_FILE, "the text is not wisdom");
    FAILS(RW_ERR_ARGUMENT, "n = -1", rw_fft_wisdom_import(dev, text, -1));
    free(text);
    OK(rw_fft_wisdom_forget(dev));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_choices),  cmocka_unit_test(test_clusters),
                                       cmocka_unit_test(test_matrices), cmocka_unit_test(test_kept),
                                       cmocka_unit_test(test_tuning),   cmocka_unit_test(test_wisdom)};
    return run_on_devices("tune", tests, RW_COUNT(tests));
}
