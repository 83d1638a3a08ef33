/* Tables: numbers come back bit for bit, a restart cuts at its position, malformed tables, full disks, faults. */
#include "../io/io_test.h"

#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#include "files/csv.h"

static const char *const names[] = {"t", "mass", "energy of u"};
static const char *const units[] = {"s", "kg", NULL};

static void write_rows(rw_csv *csv, const double *values, size_t rows)
{
    for (size_t i = 0; i < rows; i++) ASSERT_OK(rw_csv_row(csv, values + 3 * i));
}

static void test_round_trip(void **state)
{
    (void)state;
    enum { ROWS = 2000 };
    static double values[3 * ROWS];
    const uint64_t seed = 11;
    const double special[] = {0, -0.0, 1e308, -1e308, 5e-324, INFINITY, -INFINITY, 0.1, 1.0 / 3};
    rw_csv *csv;
    rw_csv_table table;
    const double *column;
    print_message("seed %llu\n", (unsigned long long)seed);
    fill_random(values, 3 * ROWS, seed);
    memcpy(values, special, sizeof special);
    ASSERT_OK(rw_csv_create(NULL, "s.csv", 3, names, units, &csv));
    write_rows(csv, values, ROWS);
    ASSERT_OK(rw_csv_close(&csv));
    assert_null(csv);
    ASSERT_OK(rw_csv_close(&csv));
    ASSERT_OK(rw_csv_read(NULL, "s.csv", &table));
    assert_int_equal(table.n_columns, 3);
    assert_int_equal(table.n_rows, ROWS);
    for (int c = 0; c < 3; c++) {
        assert_string_equal(table.names[c], names[c]);
        assert_string_equal(table.units[c], units[c] ? units[c] : "1");
        for (size_t i = 0; i < ROWS; i++) assert_memory_equal(&table.columns[c][i], &values[3 * i + (size_t)c], 8);
    }
    ASSERT_OK(rw_csv_column(NULL, &table, "mass", &column));
    assert_ptr_equal(column, table.columns[1]);
    ASSERT_FAILS(rw_csv_column(NULL, &table, "mas", &column), RW_ERR_INPUT);
    assert_non_null(strstr(rw_message(NULL), "'mass'"));
    rw_csv_free(&table);
    assert_int_equal(count_files(), 1);
}

static void test_text(void **state)
{
    (void)state;
    rw_csv *csv;
    char *text;
    size_t n;
    setlocale(LC_ALL, "de_DE.UTF-8"); /* a decimal comma where it is installed must not come through */
    ASSERT_OK(rw_csv_create(NULL, "s.csv", 3, names, units, &csv));
    ASSERT_OK(rw_csv_row(csv, (double[]){0.5, -NAN, 1e-3}));
    ASSERT_OK(rw_csv_close(&csv));
    read_whole("s.csv", &text, &n);
    assert_string_equal(text, "t,mass,energy of u\n# s, kg, 1\n0.5,nan,0.001\n");
    setlocale(LC_ALL, "C");
    free(text);
    ASSERT_OK(rw_csv_create(NULL, "s.csv", 1, names, NULL, &csv));
    ASSERT_OK(rw_csv_close(&csv));
    read_whole("s.csv", &text, &n);
    assert_string_equal(text, "t\n");
    free(text);
}

/* What a checkpoint records is where a restart goes on, whatever was written after it. */
static void test_append(void **state)
{
    (void)state;
    double values[30];
    uint64_t position, end;
    rw_csv *csv;
    rw_csv_table table;
    fill_random(values, 30, 3);
    ASSERT_OK(rw_csv_create(NULL, "s.csv", 3, names, units, &csv));
    write_rows(csv, values, 4);
    ASSERT_OK(rw_csv_flush(csv, &position));
    write_rows(csv, values + 12, 6);
    ASSERT_OK(rw_csv_flush(csv, &end));
    ASSERT_OK(rw_csv_close(&csv));
    char *text;
    size_t n;
    read_whole("s.csv", &text, &n);
    assert_int_equal(n, end);
    for (int round = 0; round < 2; round++) {
        char *again;
        ASSERT_OK(rw_csv_append(NULL, "s.csv", position, 3, names, &csv));
        if (round == 1) ASSERT_OK(rw_csv_flush(csv, NULL));
        write_rows(csv, values + 12, 6);
        ASSERT_OK(rw_csv_close(&csv));
        read_whole("s.csv", &again, &n);
        assert_int_equal(n, end);
        assert_memory_equal(again, text, n);
        free(again);
    }
    ASSERT_OK(rw_csv_append(NULL, "s.csv", position, 3, names, &csv));
    ASSERT_OK(rw_csv_close(&csv));
    char *cut;
    read_whole("s.csv", &cut, &n); /* cut, also when nothing follows */
    assert_int_equal(n, position);
    free(cut);
    write_whole("s.csv", text, end);
    free(text);
    static const char *const other[] = {"t", "mass", "energy"}, *const fewer[] = {"t", "mass"};
    ASSERT_FAILS(rw_csv_append(NULL, "s.csv", end + 1, 3, names, &csv), RW_ERR_INPUT);
    ASSERT_FAILS(rw_csv_append(NULL, "s.csv", position - 1, 3, names, &csv), RW_ERR_INPUT);
    ASSERT_FAILS(rw_csv_append(NULL, "s.csv", 0, 3, names, &csv), RW_ERR_INPUT);
    ASSERT_FAILS(rw_csv_append(NULL, "s.csv", position, 3, other, &csv), RW_ERR_INPUT);
    ASSERT_FAILS(rw_csv_append(NULL, "s.csv", position, 2, fewer, &csv), RW_ERR_INPUT);
    ASSERT_FAILS(rw_csv_append(NULL, "none.csv", position, 3, names, &csv), RW_ERR_FILE);
    assert_null(csv);
    ASSERT_OK(rw_csv_read(NULL, "s.csv", &table)); /* no refusal has touched the file */
    assert_int_equal(table.n_rows, 10);
    rw_csv_free(&table);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const bad[][2] = {{"t", ""},     {"t", NULL}, {"t", "a,b"}, {"t", "a\"b"}, {"#t", "u"},
                                         {"t", "a\nb"}, {"t", "t"},  {"t", " u"},  {"t", "u "}};
    rw_csv *csv;
    for (int i = 0; i < RW_COUNT(bad); i++)
        ASSERT_FAILS(rw_csv_create(NULL, "s.csv", 2, bad[i], NULL, &csv), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_csv_create(NULL, "s.csv", 0, names, NULL, &csv), RW_ERR_ARGUMENT);
    rw_csv_table t; /* a name would end at the 0 */
    ASSERT_FAILS(rw_csv_parse(NULL, "x.csv", "a \0b,c\n1,2\n", 11, &t), RW_ERR_INPUT);
    ASSERT_FAILS(rw_csv_create(NULL, "s.csv", 1, names, (const char *const[]){"m,s"}, &csv), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_csv_create(NULL, "no/such/s.csv", 1, names, NULL, &csv), RW_ERR_FILE);
    assert_int_equal(count_files(), 0);
}

static void test_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int columns, rows; /* 0 columns: refused */
        const char *message;
    } rows[] = {
        {"a,b\n1,2\n3,4\n", 2, 2, NULL},
        {"a,b\n1,2\n3,4", 2, 2, NULL},
        {"\xEF\xBB\xBF\xEF\xBB\xBF"
         "a\n1\n",
         1, 1, NULL},
        {"\xEF\xBB\xBF a , b \r\n# x, y\r\n 1 , 2 \r\n\r\n# more\r\n3,4\r\n", 2, 2, NULL},
        {"a\n", 1, 0, NULL},
        {"a,b\n,\nnan,inf\n-Inf,1e5\n", 2, 3, NULL},
        {"", 0, 0, ":1: "},
        {"\n1\n", 0, 0, ":1: "},
        {"# a\n1\n", 0, 0, ":1: "},
        {"a,b\n1\n", 0, 0, ":2: 1 cells"},
        {"a,b\n1,2\n\n1,2,3\n", 0, 0, ":4: 3 cells"},
        {"a,b\n1,x\n", 0, 0, ":2: 'x' in column 2"},
        {"a\n1 2\n", 0, 0, "'1 2'"},
        {"a\n1.5.2\n", 0, 0, "'1.5.2'"},
        {"a\n1111111111111111111111111111111111111111111111111111111111111111111111111\n", 0, 0, "not a number"},
        {",,,,,,,,,,,,,,,,,,,,\n1\n1\n1\n1\n1\n", 0, 0, "missing"},
    };
    for (int i = 0; i < RW_COUNT(rows); i++) {
        rw_csv_table t;
        size_t n = strlen(rows[i].text);
        char *exact = malloc(n + 1); /* no NUL to run into */
        memcpy(exact, rows[i].text, n);
        rw_status status = rw_csv_parse(NULL, "x.csv", exact, n, &t);
        free(exact);
        if (rows[i].columns == 0) {
            if (status != RW_ERR_INPUT || !strstr(rw_message(NULL), rows[i].message))
                fail_msg("'%s': %s: %s", rows[i].text, rw_status_name(status), rw_message(NULL));
            assert_null(t.names);
        } else {
            ASSERT_OK(status);
            assert_int_equal(t.n_columns, rows[i].columns);
            assert_int_equal(t.n_rows, rows[i].rows);
            assert_string_equal(t.names[0], "a");
            rw_csv_free(&t);
        }
    }
    rw_csv_table t;
    ASSERT_OK(rw_csv_parse(NULL, "x", "a,b\n# m, s\n,2\n", 14, &t));
    assert_string_equal(t.units[1], "s");
    assert_true(isnan(t.columns[0][0]) && t.columns[1][0] == 2);
    rw_csv_free(&t);
    ASSERT_FAILS(rw_csv_read(NULL, "missing.csv", &t), RW_ERR_FILE);
}

/* A disk that is full in the middle of a row: the file ends with the last whole one and can be continued. */
static void test_full_disk(void **state)
{
    (void)state;
    const struct rlimit small = {6000, RLIM_INFINITY}, large = {RLIM_INFINITY, RLIM_INFINITY};
    double values[3] = {1.0 / 3, 2.0 / 3, 4.0 / 3};
    rw_csv *csv;
    rw_csv_table table;
    uint64_t position;
    signal(SIGXFSZ, SIG_IGN);
    ASSERT_OK(rw_csv_create(NULL, "s.csv", 3, names, units, &csv));
    write_rows(csv, values, 1);
    ASSERT_OK(rw_csv_flush(csv, &position));
    for (int i = 0; i < 200; i++) ASSERT_OK(rw_csv_row(csv, values));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    ASSERT_FAILS(rw_csv_flush(csv, NULL), RW_ERR_FILE);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &large), 0);
    ASSERT_OK(rw_csv_read(NULL, "s.csv", &table));
    assert_int_equal(table.n_rows, 1);
    rw_csv_free(&table);
    ASSERT_OK(rw_csv_close(&csv)); /* there is room again */
    ASSERT_OK(rw_csv_read(NULL, "s.csv", &table));
    assert_int_equal(table.n_rows, 201);
    rw_csv_free(&table);
}

static rw_status use_all(void)
{
    double values[6] = {1, 2, 3, 4, 5, 6};
    rw_csv *csv = NULL;
    rw_csv_table table = {0};
    uint64_t position = 0;
    rw_status status = rw_csv_create(NULL, "f.csv", 3, names, units, &csv);
    if (status == RW_OK) status = rw_csv_row(csv, values);
    if (status == RW_OK) status = rw_csv_flush(csv, &position);
    rw_status closed = rw_csv_close(&csv);
    if (status == RW_OK) status = closed;
    if (status == RW_OK) status = rw_csv_append(NULL, "f.csv", position, 3, names, &csv);
    if (status == RW_OK) status = rw_csv_row(csv, values + 3);
    closed = rw_csv_close(&csv);
    if (status == RW_OK) status = closed;
    if (status == RW_OK) status = rw_csv_read(NULL, "f.csv", &table);
    if (status == RW_OK) assert_int_equal(table.n_rows, 2);
    rw_csv_free(&table);
    return status;
}

static void test_faults(void **state)
{
    (void)state;
    assert_true(each_fault(use_all, false) > 20);
    assert_int_equal(count_files(), 1);
}

/* Every prefix and every damaged byte of a table gets an answer. */
static void test_damage(void **state)
{
    (void)state;
    static const char text[] = "a,b\n# m, s\n1,2.5\n-3e5,nan\n";
    for (size_t n = 0; n < sizeof text; n++)
        for (int c = 0; c < 256; c++) {
            char copy[sizeof text];
            rw_csv_table t;
            memcpy(copy, text, sizeof text);
            copy[n] = (char)c;
            if (rw_csv_parse(NULL, "x", copy, sizeof text - 1, &t) == RW_OK) rw_csv_free(&t);
            if (c == 0 && rw_csv_parse(NULL, "x", text, n, &t) == RW_OK) rw_csv_free(&t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IO_TEST(test_round_trip), IO_TEST(test_text),      IO_TEST(test_append), IO_TEST(test_names),
        IO_TEST(test_read),       IO_TEST(test_full_disk), IO_TEST(test_faults), IO_TEST(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
