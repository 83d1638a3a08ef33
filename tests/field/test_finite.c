/* The first value that is not finite, the largest, and where: in every type of floating-point numbers, on every
 * device. */
#include <math.h>

#include "../devices.h"
#include "field/finite.h"

enum { N = 4 * 3 * 2 };
static const rw_grid grid = {.ndim = 3, .size = {4, 3, 2}, .spacing = {0.5, 1, 2}, .origin = {-1, 0, 0.25}};

/* Value i of an array of any type; part 0 or 1. */
static void put(void *data, rw_dtype dtype, int64_t i, int part, double value)
{
    bool two = dtype == RW_C64 || dtype == RW_C128;
    int64_t at = two ? 2 * i + part : i;
    if (dtype == RW_F32 || dtype == RW_C64) ((float *)data)[at] = (float)value;
    else ((double *)data)[at] = value;
}

static void test_first_and_largest(void **state)
{
    (void)state;
    static const rw_dtype dtypes[] = {RW_F32, RW_F64, RW_C64, RW_C128};
    for (int k = 0; k < RW_COUNT(dtypes); ++k) {
        bool two = dtypes[k] == RW_C64 || dtypes[k] == RW_C128;
        rw_array *a = new_array(dtypes[k], N, RW_MEMORY_DEVICE);
        rw_finite f;
        double value[2];
        for (int part = 0; part <= two; ++part)
            for (int64_t odd = -1; odd < N; odd += 5) { /* -1: none */
                void *w;
                OK(rw_array_write(a, &w));
                for (int64_t i = 0; i < N; ++i)
                    put(w, dtypes[k], i, 0, (double)i - 20), put(w, dtypes[k], i, part, (double)i - 20);
                if (two)
                    for (int64_t i = 0; i < N; ++i) put(w, dtypes[k], i, 1, 0);
                if (odd >= 0)
                    put(w, dtypes[k], odd, part, odd == 4 ? NAN : -INFINITY), put(w, dtypes[k], N - 1, 0, NAN);
                OK(rw_finite_find(a, &f));
                assert_int_equal(f.first, odd);
                if (odd >= 0) assert_string_equal(rw_finite_word(f.value), odd == 4 ? "not a number" : "infinite");
                assert_true(f.largest == 0 && f.size == 20);
                OK(rw_finite_value(a, 3, value));
                assert_true(value[0] == -17 && value[1] == 0);
            }
        rw_array_destroy(&a);
    }
}

static void test_node_as_text(void **state)
{
    (void)state;
    static const struct {
        int ndim;
        int64_t node;
        const char *text;
    } rows[] = {{1, 3, "node (3), x = 0.5"},
                {2, 7, "node (3, 1), x = 0.5, y = 1"},
                {3, 0, "node (0, 0, 0), x = -1, y = 0, z = 0.25"},
                {3, 23, "node (3, 2, 1), x = 0.5, y = 2, z = 2.25"}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_text text = {0};
        rw_grid g = grid;
        g.ndim = rows[i].ndim;
        rw_finite_node(&text, &g, rows[i].node);
        assert_string_equal(text.data, rows[i].text);
        rw_text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_and_largest), cmocka_unit_test(test_node_as_text)};
    return run_on_devices("finite", tests, RW_COUNT(tests));
}
