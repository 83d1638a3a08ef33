/* Arrays in files: every type, shape and order from .npy and .mtx and back, conversions, files of NumPy itself, what is
 * refused and that nothing is left then. */
#include <math.h>
#include <unistd.h>

#include "../devices.h"
#include "core/convert.h"
#include "files/npy.h"

static char folder[] = "/tmp/rechenwerk-arrays-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[2][128];
    static int next;
    next = 1 - next;
    snprintf(path[next], sizeof *path, "%s/%s", folder, name);
    return path[next];
}

static double number(rw_dtype type, const void *p, int64_t k, int part)
{
    const bool z = rw_dtype_is_complex(type);
    if (part && !z) return 0;
    return type == RW_F32 || type == RW_C64 ? ((const float *)p)[z ? 2 * k + part : k]
                                            : ((const double *)p)[z ? 2 * k + part : k];
}

/* Element k is k + 1/3, imaginary part -k - 1/7, rounded to the type. */
static rw_array *counted(rw_dtype type, int ndim, const int64_t *shape)
{
    rw_array *a;
    void *data;
    OK(rw_array_create(dev, type, ndim, shape, RW_MEMORY_DEVICE, &a));
    OK(rw_array_write(a, &data));
    for (int64_t k = 0; k < a->size * (1 + rw_dtype_is_complex(type)); ++k) {
        const double v = rw_dtype_is_complex(type) ? k % 2 ? -(double)(k / 2) - 1. / 7 : (double)(k / 2) + 1. / 3
                                                   : (double)k + 1. / 3;
        const rw_dtype part = type == RW_C64 ? RW_F32 : type == RW_C128 ? RW_F64 : type;
        rw_dtype_convert(part, (char *)data + (size_t)k * rw_dtype_size(part), RW_F64, &v, 1);
    }
    return a;
}

static void test_round_trips(void **state)
{
    static const struct {
        int ndim;
        int64_t shape[RW_MAX_NDIM];
    } shapes[] = {{1, {7}},    {1, {0}},    {1, {1}},       {2, {3, 5}},
                  {2, {4, 1}}, {2, {0, 3}}, {3, {2, 3, 4}}, {8, {2, 1, 3, 2, 1, 1, 2, 1}}};
    (void)state;
    for (rw_dtype type = RW_F32; type <= RW_BOOL; ++type)
        for (int s = 0; s < RW_COUNT(shapes); ++s)
            for (int market = 0; market < 2; ++market) {
                const void *p, *q;
                rw_array *a = counted(type, shapes[s].ndim, shapes[s].shape), *b;
                if (type == RW_BF16 && !market)
                    FAILS(RW_ERR_ARGUMENT, "NumPy has no bf16", rw_array_save(a, path_of("a.npy")));
                if (market && !rw_dtype_is_number(type))
                    FAILS(RW_ERR_ARGUMENT, "Matrix Market files support f32, f64, c64 and c128",
                          rw_array_save(a, path_of("a.mtx")));
                if (market ? !rw_dtype_is_number(type) : type == RW_BF16) {
                    rw_array_destroy(&a);
                    continue;
                }
                if (market && shapes[s].ndim > 2) {
                    FAILS(RW_ERR_ARGUMENT, "Matrix Market files support two", rw_array_save(a, path_of("a.mtx")));
                    rw_array_destroy(&a);
                    continue;
                }
                OK(rw_array_send(a, queue));
                OK(rw_array_save(a, path_of(market ? "a.mtx" : "a.npy")));
                OK(rw_array_load(dev, path_of(market ? "a.mtx" : "a.npy"), market ? type : RW_DTYPE_DEFAULT, &b));
                assert_int_equal(rw_array_dtype(b), type);
                assert_int_equal(rw_array_size(b), rw_array_size(a));
                /* a column is a vector there */
                assert_int_equal(rw_array_ndim(b), market && shapes[s].shape[1] == 1 ? 1 : shapes[s].ndim);
                for (int d = 0; d < RW_MAX_NDIM; ++d) assert_int_equal(rw_array_shape(b, d), rw_array_shape(a, d));
                OK(rw_array_read(a, &p));
                OK(rw_array_read(b, &q));
                assert_memory_equal(p, q, a->bytes);
                rw_array_destroy(&a), rw_array_destroy(&b);
            }
}

/* Rounded, or with imaginary parts 0; never complex to real. */
static void test_conversions(void **state)
{
    (void)state;
    for (rw_dtype from = RW_F32; from <= RW_C128; ++from)
        for (rw_dtype to = RW_F32; to <= RW_C128; ++to) {
            rw_array *a = counted(from, 2, (int64_t[]){3, 4}), *b;
            const void *p, *q;
            OK(rw_array_save(a, path_of("c.npy")));
            if (rw_dtype_is_complex(from) && !rw_dtype_is_complex(to)) {
                FAILS(RW_ERR_INPUT, "contains complex entries", rw_array_load(dev, path_of("c.npy"), to, &b));
                assert_null(b);
                rw_array_destroy(&a);
                continue;
            }
            OK(rw_array_load(dev, path_of("c.npy"), to, &b));
            OK(rw_array_read(a, &p));
            OK(rw_array_read(b, &q));
            for (int64_t k = 0; k < a->size; ++k)
                for (int part = 0; part < 2; ++part) {
                    const double v = number(from, p, k, part), rounded = to == RW_F32 || to == RW_C64 ? (float)v : v;
                    assert_true(number(to, q, k, part) == rounded);
                }
            rw_array_destroy(&a), rw_array_destroy(&b);
        }
}

static void expect_numbers(const char *name, int ndim, int64_t rows, int64_t columns, const double *expected)
{
    rw_array *a;
    const void *p;
    OK(rw_array_load(dev, path_of(name), RW_F64, &a));
    assert_int_equal(rw_array_ndim(a), ndim);
    assert_true(rw_array_shape(a, 0) == rows && rw_array_shape(a, 1) == columns);
    OK(rw_array_read(a, &p));
    for (int64_t k = 0; k < rows * columns; ++k) assert_true(((const double *)p)[k] == expected[k]);
    rw_array_destroy(&a);
}

static void write_text(const char *name, const char *text)
{
    OK(rw_file_write(ctx, path_of(name), text, strlen(text)));
}

/* A header of NumPy and the numbers 1 … n as its type says. */
static void write_npy(const char *name, const char *descr, const char *order, const char *shape, const void *data,
                      size_t bytes)
{
    char head[128] = "\x93NUMPY\x01";
    const int n = snprintf(head + 10, sizeof head - 10, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr,
                           order, shape);
    head[8] = (char)n;
    memcpy(head + 10 + n, data, bytes);
    OK(rw_file_write(ctx, path_of(name), head, 10 + (size_t)n + bytes));
}

/* Both orders, whole numbers, an array without dimensions; of the Matrix Market real, integer and symmetric. */
static void test_files_of_others(void **state)
{
    const double six[] = {1, 4, 2, 5, 3, 6}, by_rows[] = {1, 2, 3, 4, 5, 6};
    (void)state;
    write_npy("f.npy", "<f8", "True", "(2, 3)", six, sizeof six);
    expect_numbers("f.npy", 2, 2, 3, by_rows);
    write_npy("f.npy", "<f8", "False", "(2, 3)", by_rows, sizeof by_rows);
    expect_numbers("f.npy", 2, 2, 3, by_rows);
    write_npy("f.npy", "<i4", "False", "(3,)", (int32_t[]){1, 2, 3}, 12);
    expect_numbers("f.npy", 1, 3, 1, by_rows);
    write_npy("f.npy", "<f8", "False", "()", by_rows, 8);
    expect_numbers("f.npy", 1, 1, 1, by_rows);
    write_text("f.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n4\n2\n5\n3\n6\n");
    expect_numbers("f.mtx", 2, 2, 3, by_rows);
    write_text("f.mtx", "%%MatrixMarket matrix array integer general\n% three\n3 1\n1\n2\n3\n");
    expect_numbers("f.mtx", 1, 3, 1, by_rows);
    write_text("f.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n7\n");
    expect_numbers("f.mtx", 2, 2, 2, (double[]){1, 2, 2, 7});
}

static void test_refused(void **state)
{
    static const struct {
        const char *name, *text, *part;
    } bad[] = {
        {"b.npy", "this is no array", "is not a .npy file: save it with numpy.save"},
        {"b.npy", "", "it is truncated"},
        {"b.txt", "1.5\n2.5\n3.5\n", "is not a .npy file"},
        {"b.mtx", "1\n2\n", "b.mtx:1: not a Matrix Market file"},
        {"b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n", "ends after 2 of 3 values: it is truncated"},
        {"b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n3\n", "more lines than the 2 values"},
        {"b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\nnan\n",
         "b.mtx:4: the value = nan: values must be finite"},
        {"b.mtx", "%%MatrixMarket matrix coordinate real general\n2 1 1\n1 1 1\n", "a dense array is needed"},
        {"b.mtx", "%%MatrixMarket matrix array complex general\n1 1\n1 2\n",
         "contains complex entries (c128), but real ones (f64)"},
    };
    rw_array *a;
    const int64_t n = 3;
    (void)state;
    for (int i = 0; i < RW_COUNT(bad); ++i) {
        write_text(bad[i].name, bad[i].text);
        FAILS(RW_ERR_INPUT, bad[i].part, rw_array_load(dev, path_of(bad[i].name), RW_F64, &a));
        assert_null(a);
    }
    write_npy("b.npy", "<f8", "False", "(4,)", (double[]){1, 2, 3}, 24);
    FAILS(RW_ERR_INPUT, "truncated or damaged", rw_array_load(dev, path_of("b.npy"), RW_F64, &a));
    write_npy("b.npy", "<f16", "False", "(4,)", (double[]){1}, 8);
    FAILS(RW_ERR_INPUT, "element type '<f16' cannot be read", rw_array_load(dev, path_of("b.npy"), RW_F64, &a));
    FAILS(RW_ERR_FILE, "nowhere.npy", rw_array_load(dev, path_of("nowhere.npy"), RW_F64, &a));
    FAILS(RW_ERR_FILE, "nowhere.mtx", rw_array_load(dev, path_of("nowhere.mtx"), RW_F64, &a));
    FAILS(RW_ERR_ARGUMENT, "dtype = 16 is not one of rw_dtype", rw_array_load(dev, path_of("b.npy"), (rw_dtype)16, &a));
    FAILS(RW_ERR_ARGUMENT, "dtype = -1", rw_array_load(dev, path_of("b.npy"), -1, &a));
    assert_null(a);
    a = counted(RW_F64, 1, &n);
    FAILS(RW_ERR_FILE, "nowhere/a.npy", rw_array_save(a, path_of("nowhere/a.npy")));
    FAILS(RW_ERR_FILE, "nowhere/a.mtx", rw_array_save(a, path_of("nowhere/a.mtx")));
    rw_array_destroy(&a);
    OK(rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &a));
    assert_int_not_equal(rw_array_save(a, path_of("unwritten.npy")), RW_OK);
    assert_int_equal(access(path_of("unwritten.npy"), F_OK), -1);
    rw_array_destroy(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trips), cmocka_unit_test(test_conversions),
                                       cmocka_unit_test(test_files_of_others), cmocka_unit_test(test_refused)};
    char command[64];
    if (!mkdtemp(folder)) return 1;
    int failed = run_on_devices("array_file", tests, RW_COUNT(tests));
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) || failed;
}
