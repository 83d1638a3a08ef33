/* .npy: round trips, every type numpy may hand over in both orders, hostile headers, truncation, faults. */
#include <math.h>

#include "../io/io_test.h"

#include "files/npy.h"

static const rw_dtype types[] = {RW_F32, RW_F64, RW_C64, RW_C128};

/* Round trips of random bits of every type over shapes with 0, 1 and many. */
static void test_round_trip(void **state)
{
    (void)state;
    static const struct {
        int ndim;
        size_t shape[RW_NPY_RANK];
    } shapes[] = {{0, {1, 1, 1, 1}}, {1, {0}},          {1, {1}},          {1, {1000}},
                  {2, {3, 4}},       {2, {0, 5}},       {2, {1, 1}},       {3, {2, 3, 4}},
                  {3, {5, 0, 2}},    {4, {2, 1, 3, 2}}, {4, {1, 1, 1, 1}}, {8, {2, 1, 3, 1, 2, 1, 1, 3}}};
    const uint64_t seed = 20240601;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < RW_COUNT(types); t++)
        for (int s = 0; s < RW_COUNT(shapes); s++) {
            size_t bytes;
            rw_npy array;
            assert_true(rw_io_bytes(shapes[s].ndim, shapes[s].shape, rw_dtype_size(types[t]), &bytes));
            unsigned char *data = calloc(bytes + 1, 1);
            for (size_t i = 0; i < bytes; i++) data[i] = (unsigned char)rw_random_u64(seed, i); /* NaNs too */
            ASSERT_OK(rw_npy_write(NULL, "a.npy", types[t], shapes[s].ndim, shapes[s].shape, data));
            ASSERT_OK(rw_npy_read(NULL, "a.npy", &array));
            assert_int_equal(array.type, types[t]);
            assert_int_equal(array.ndim, shapes[s].ndim);
            assert_int_equal(rw_npy_count(&array) * rw_dtype_size(types[t]), bytes);
            for (int a = 0; a < RW_NPY_RANK; a++)
                assert_int_equal(array.shape[a], a < array.ndim ? shapes[s].shape[a] : 1);
            assert_non_null(array.data);
            assert_memory_equal(array.data, data, bytes);
            rw_npy_free(&array);
            assert_null(array.data);
            free(data);
        }
}

static void test_write_refuses(void **state)
{
    (void)state;
    const size_t huge[2] = {SIZE_MAX / 4, 8};
    ASSERT_FAILS(rw_npy_write(NULL, "a.npy", RW_F64, 9, (size_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1}, ""), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_npy_write(NULL, "a.npy", RW_F64, -1, huge, ""), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_npy_write(NULL, "a.npy", RW_F64, 2, huge, ""), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_npy_write(NULL, "no/such/a.npy", RW_F64, 0, NULL, &(double){1}), RW_ERR_FILE);
    assert_int_equal(count_files(), 0);
}

/* A file of version `major` with this header text and data. */
static rw_status parse(int major, const char *header, const void *data, size_t n, rw_npy *array)
{
    unsigned char file[4096] = {0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char)major, 0};
    size_t length = strlen(header), at = major == 1 ? 10 : 12;
    for (int b = 0; b < (major == 1 ? 2 : 4); b++) file[8 + b] = (unsigned char)(length >> 8 * b);
    memcpy(file + at, header, length);
    memcpy(file + at + length, data, n);
    char *exact = malloc(at + length + n); /* an own block: a read beyond it is seen */
    memcpy(exact, file, at + length + n);
    rw_status status = rw_npy_parse(NULL, "x.npy", exact, at + length + n, array);
    free(exact);
    return status;
}

static void test_conversions(void **state)
{
    (void)state;
    static const unsigned char bytes[] = {0xFF, 0xFE, 0x00, 0x80, 0x01, 0x02, 0x03, 0x04,
                                          0x81, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x00};
    static const struct {
        const char *type;
        rw_dtype dtype;
        int n;
        double values[2];
    } rows[] = {
        {"|i1", RW_I8, 2, {-1, -2}},
        {"|u1", RW_U8, 2, {255, 254}},
        {"|b1", RW_BOOL, 2, {255, 254}},
        {"<i2", RW_I16, 2, {-257, -32768}},
        {"<u2", RW_U16, 2, {65279, 32768}},
        {">i2", RW_I16, 2, {-2, 128}},
        {"<i4", RW_I32, 2, {-2147418369, 67305985}},
        {">u4", RW_U32, 2, {4294836352, 16909060}},
        {"<u8", RW_U64, 1, {289077006547615487.0}},
        {">i8", RW_I64, 1, {-562400180698364.0}},
        {"=i2", RW_I16, 1, {-257}},
        {"=u1", RW_U8, 1, {255}},
        {">f2", RW_F16, 2, {NAN, 128 * 0x1p-24}},
    };
    for (int r = 0; r < RW_COUNT(rows); r++)
        for (int major = 1; major <= 3; major++) {
            char header[128];
            rw_npy a;
            snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }\n", rows[r].type,
                     rows[r].n);
            ASSERT_OK(parse(major, header, bytes, 16, &a));
            assert_int_equal(a.type, rows[r].dtype);
            ASSERT_OK(rw_npy_to_f64(NULL, &a));
            assert_int_equal(a.type, RW_F64);
            for (int i = 0; i < rows[r].n; i++)
                if (((double *)a.data)[i] != rows[r].values[i] && !isnan(rows[r].values[i]))
                    fail_msg("%s[%d] = %.17g, not %.17g", rows[r].type, i, ((double *)a.data)[i], rows[r].values[i]);
            rw_npy_free(&a);
        }
}

static void test_orders(void **state)
{
    (void)state;
    static const double fortran[6] = {11, 21, 12, 22, 13, 23}, expected[6] = {11, 12, 13, 21, 22, 23};
    rw_npy a;
    ASSERT_OK(parse(1, "{'shape': (2, 3), 'fortran_order': True, 'descr': '<f8'}", fortran, sizeof fortran, &a));
    assert_memory_equal(a.data, expected, sizeof expected);
    rw_npy_free(&a);
    static const unsigned char big[8] = {0x3F, 0xF8, 0, 0, 0, 0, 0, 0};
    static const unsigned char big_complex[8] = {0x3F, 0xC0, 0, 0, 0xC0, 0, 0, 0};
    ASSERT_OK(parse(1, "{\"descr\": \">f8\", 'fortran_order': False, 'shape': ()}", big, 8, &a));
    assert_true(*(double *)a.data == 1.5);
    assert_int_equal(a.ndim, 0);
    rw_npy_free(&a);
    ASSERT_OK(parse(1, "{'descr':'>c8','fortran_order':False,'shape':(1L,)}", big_complex, 8, &a));
    assert_int_equal(a.type, RW_C64);
    assert_true(((float *)a.data)[0] == 1.5f && ((float *)a.data)[1] == -2.0f);
    rw_npy_free(&a);
}

static void test_malformed(void **state)
{
    (void)state;
#define HEAD(descr, shape) "{'descr': " descr ", 'fortran_order': False, 'shape': " shape ", }"
    static const char *const bad[] = {
        "",
        "{",
        "}",
        "{}",
        "hello",
        HEAD("'<f8'", "(2,)") "x",
        HEAD("'<f8'", "2"),
        HEAD("'<f8'", "(2"),
        HEAD("'<f8'", "(2,,)"),
        HEAD("'<f8'", "(-1,)"),
        HEAD("'<f8'", "(1.5,)"),
        HEAD("'<f8'", "(1 2)"),
        HEAD("'<f8'", "(18446744073709551616,)"),
        HEAD("'<f8'", "(4294967296, 4294967296)"),
        HEAD("'<f8'", "(9223372036854775807,)"),
        HEAD("'<f8'", "(1000000000000,)"),
        HEAD("'<f8'", "(4,)"),
        HEAD("'|i1'", "(0, 18446744073709551615, 25)"),
        HEAD("'<f8'", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"),
        HEAD("'<f2'", "(9,)"),
        HEAD("'<f16'", "(1,)"),
        HEAD("'|S3'", "(1,)"),
        HEAD("'|O'", "(1,)"),
        HEAD("'<U4'", "(1,)"),
        HEAD("[('a', '<f8')]", "(1,)"),
        HEAD("'f8'", "(1,)"),
        HEAD("''", "(1,)"),
        HEAD("'<'", "(1,)"),
        HEAD("'|f8'", "(1,)"),
        HEAD("'<f8", "(1,)"),
        HEAD("'<f8extra long type name'", "(1,)"),
        HEAD("'<i16'", "(1,)"),
        "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'shape': (1,)}",
        "{'shape': (1,), 'fortran_order': False}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f8' 'fortran_order': False, 'shape': (1,)}",
    };
    for (int i = 0; i < RW_COUNT(bad); i++) {
        rw_npy a = {.data = (void *)bad};
        rw_status status = parse(1, bad[i], "0123456789abcdef", 16, &a);
        bool zero_size = strstr(bad[i], "(0, ") != NULL; /* an empty array may have any other size */
        if (status != (zero_size ? RW_OK : RW_ERR_INPUT))
            fail_msg("%s: %s: %s", bad[i], rw_status_name(status), rw_message(NULL));
        if (zero_size) rw_npy_free(&a);
        assert_null(a.data);
    }
    rw_npy a;
    ASSERT_FAILS(parse(4, HEAD("'<f8'", "(1,)"), "01234567", 8, &a), RW_ERR_INPUT);
    ASSERT_FAILS(rw_npy_parse(NULL, "x", "\x93NUMPX\1\0\0\0", 10, &a), RW_ERR_INPUT);
    ASSERT_FAILS(rw_npy_parse(NULL, "x", "\x93NUMPY\1\0\xff\xff{", 11, &a), RW_ERR_INPUT);
    ASSERT_FAILS(rw_npy_parse(NULL, "x", "\x93NUMPY\2\0\xff\xff\xff\xff{", 13, &a), RW_ERR_INPUT);
    ASSERT_FAILS(rw_npy_read(NULL, "missing.npy", &a), RW_ERR_FILE);
    assert_non_null(strstr(rw_message(NULL), "missing.npy"));
    ASSERT_FAILS(rw_npy_read(NULL, ".", &a), RW_ERR_FILE);
}

static void test_truncated(void **state)
{
    (void)state;
    double values[6];
    char *data;
    size_t n;
    rw_npy a;
    fill_random(values, 6, 7);
    ASSERT_OK(rw_npy_write(NULL, "a.npy", RW_F64, 2, (size_t[]){2, 3}, values));
    read_whole("a.npy", &data, &n);
    assert_int_equal((n - 48) % 64, 0);
    for (size_t length = 0; length < n; length++) {
        write_whole("b.npy", data, length);
        ASSERT_FAILS(rw_npy_read(NULL, "b.npy", &a), RW_ERR_INPUT);
        assert_null(a.data);
    }
    for (size_t i = 0; i < n; i++) { /* damage: any answer but a crash */
        data[i] ^= (char)(1 + i % 255);
        if (rw_npy_parse(NULL, "b.npy", data, n, &a) == RW_OK) rw_npy_free(&a);
        data[i] ^= (char)(1 + i % 255);
    }
    free(data);
}

static rw_status write_and_read(void)
{
    static const double values[6] = {1, 2, 3, 4, 5, 6};
    rw_npy a = {0};
    rw_status status = rw_npy_write(NULL, "f.npy", RW_F64, 2, (size_t[]){2, 3}, values);
    if (status == RW_OK) status = rw_npy_read(NULL, "f.npy", &a);
    rw_npy_free(&a);
    return status;
}

static rw_status read_fortran(void)
{
    rw_npy a = {0};
    rw_status status = parse(2, "{'descr': '>i4', 'fortran_order': True, 'shape': (2, 2)}", "0123456789abcdef", 16, &a);
    rw_npy_free(&a);
    return status;
}

static void test_faults(void **state)
{
    (void)state;
    assert_true(each_fault(write_and_read, false) > 8);
    assert_true(each_fault(read_fortran, false) > 5);
    assert_int_equal(count_files(), 1);
}

/* numpy writes what we read, and reads what we wrote. */
static void test_numpy(void **state)
{
    (void)state;
    double values[24];
    for (int i = 0; i < 24; i++) values[i] = i * 0.5 - 3;
    ASSERT_OK(rw_npy_write(NULL, "ours64.npy", RW_F64, 3, (size_t[]){2, 3, 4}, values));
    ASSERT_OK(rw_npy_write(NULL, "ours128.npy", RW_C128, 2, (size_t[]){3, 4}, values));
    ASSERT_OK(rw_npy_write(NULL, "oursscalar.npy", RW_F64, 0, NULL, values));
    ASSERT_OK(rw_npy_write(NULL, "oursempty.npy", RW_F32, 2, (size_t[]){0, 4}, values));
    run_python("numpy",
               "import numpy as np\n"
               "from numpy.lib import format as F\n"
               "v = np.arange(24)*0.5 - 3\n"
               "assert (np.load('ours64.npy') == v.reshape(2,3,4)).all()\n"
               "assert (np.load('ours128.npy') == (v[0::2] + 1j*v[1::2]).reshape(3,4)).all()\n"
               "assert np.load('oursscalar.npy').shape == () and np.load('oursscalar.npy') == -3\n"
               "assert np.load('oursempty.npy').shape == (0,4) and np.load('oursempty.npy').dtype == np.float32\n"
               "rng = np.random.default_rng(20240601)\n"
               "k = 0\n"
               "with open('list.txt', 'w') as out:\n"
               "    for t in '<f4 >f4 <f8 >f8 <c8 >c8 <c16 >c16 i1 u1 <i2 >i2 <u2 >u2 <i4 >i4 <u4 >u4 <i8 >i8 <u8 >u8 "
               "bool'.split():\n"
               "        for shape in [(), (0,), (1,), (7,), (3,4), (2,3,4), (2,1,3,2), (3,0,2)]:\n"
               "            for order in 'CF':\n"
               "                for version in [(1,0), (2,0), (3,0)]:\n"
               "                    d = np.dtype(t)\n"
               "                    a = (rng.standard_normal(shape) + 1j*rng.standard_normal(shape))*50\n"
               "                    if d.kind != 'c': a = a.real\n"
               "                    if d.kind in 'ub': a = abs(a)\n"
               "                    a = np.asarray(a).astype(d, order=order)\n"
               "                    with open(f'{k}.npy', 'wb') as f: F.write_array(f, a, version=version)\n"
               "                    w = a.astype('<c16' if d.kind == 'c' else '<f8')\n"
               "                    open(f'{k}.bin', 'wb').write(w.tobytes('C'))\n"
               "                    out.write(f'{k} {a.ndim} {\" \".join(map(str, (list(a.shape)+[1]*4)[:4]))}\\n')\n"
               "                    k += 1\n");
    FILE *list = fopen("list.txt", "r");
    assert_non_null(list);
    int k, ndim, cases = 0;
    size_t shape[4];
    while (fscanf(list, "%d %d %zu %zu %zu %zu", &k, &ndim, &shape[0], &shape[1], &shape[2], &shape[3]) == 6) {
        char name[32], *expected;
        size_t n;
        rw_npy a;
        snprintf(name, sizeof name, "%d.bin", k);
        read_whole(name, &expected, &n);
        snprintf(name, sizeof name, "%d.npy", k);
        ASSERT_OK(rw_npy_read(NULL, name, &a));
        assert_int_equal(a.ndim, ndim);
        assert_memory_equal(a.shape, shape, sizeof shape);
        size_t reals = rw_npy_count(&a) * (rw_dtype_is_complex(a.type) ? 2 : 1);
        assert_int_equal(n, reals * 8);
        if (!rw_dtype_is_complex(a.type)) ASSERT_OK(rw_npy_to_f64(NULL, &a)); /* integers are read as they are */
        for (size_t i = 0; i < reals; i++) {
            bool wide = rw_io_real_size(a.type) == 8;
            double want, have = wide ? ((double *)a.data)[i] : (double)((float *)a.data)[i];
            memcpy(&want, expected + 8 * i, 8);
            if (want != have) fail_msg("%s[%zu] = %.17g, not %.17g", name, i, have, want);
        }
        rw_npy_free(&a);
        free(expected);
        cases++;
    }
    fclose(list);
    assert_int_equal(cases, 23 * 8 * 2 * 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IO_TEST(test_round_trip), IO_TEST(test_write_refuses), IO_TEST(test_conversions), IO_TEST(test_orders),
        IO_TEST(test_malformed),  IO_TEST(test_truncated),     IO_TEST(test_faults),      IO_TEST(test_numpy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
