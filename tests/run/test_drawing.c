/* Pictures drawn by threads: the last one of a file stays, failures are reported, the queue is emptied. */
#include "pde_test.h"

enum { SIDE = 16, PICTURES = 30 };

static rw_layout grid = {.ndim = 2, .size = {SIDE, SIDE, 1}, .spacing = {1, 1, 1}, .axis = {"x", "y", "z"}};
static double values[SIDE * SIDE];

static rw_field_picture picture(double scale)
{
    for (int i = 0; i < SIDE * SIDE; ++i) values[i] = scale * (i % SIDE);
    return (rw_field_picture){.name = "u",
                              .unit = "K",
                              .subtitle = "t = 1",
                              .grid = &grid,
                              .type = RW_F64,
                              .data = values,
                              .map = RW_COLORMAP_SEQUENTIAL,
                              .max = 100};
}

static const char *file(int i)
{
    static char path[2][128];
    static int next;
    next = 1 - next;
    snprintf(path[next], sizeof *path, "%s/%d.png", folder, i);
    return path[next];
}

static bool same(int a, int b)
{
    char *x, *y;
    size_t n, k;
    assert_int_equal(rw_file_read(ctx, file(a), 1 << 24, &x, &n), RW_OK);
    assert_int_equal(rw_file_read(ctx, file(b), 1 << 24, &y, &k), RW_OK);
    const bool equal = n == k && !memcmp(x, y, n);
    rw_free(x), rw_free(y);
    return equal;
}

static void test_pictures(void **state)
{
    (void)state;
    rw_run r = {.ctx = ctx};
    double *none = NULL;
    for (int hurry = 0; hurry < 2; ++hurry) {
        if (hurry) rw_drawing_hurry(&r);
        for (int i = 0; i < PICTURES; ++i) {
            const rw_field_picture p = picture(i);
            assert_int_equal(rw_drawing_add(&r, file(i), rw_picture_field, &p, &none), RW_OK);
            assert_int_equal(rw_drawing_add(&r, file(100), rw_picture_field, &p, &none),
                             RW_OK); /* of the same file each time */
        }
        assert_int_equal(rw_drawing_wait(&r), RW_OK);
        assert_false(rw_drawing_busy(&r));
        for (int i = 0; i < PICTURES; ++i) {
            const rw_field_picture p = picture(i);
            assert_int_equal(rw_picture_field(ctx, file(101), &p), RW_OK);
            assert_true(same(i, 101));
        }
        assert_true(same(100, PICTURES - 1));
    }
    rw_drawing_free(&r);
    assert_null(r.drawings);
}

static void test_values_are_taken(void **state)
{
    (void)state;
    rw_run r = {.ctx = ctx};
    rw_field_picture p = picture(2);
    double *own = rw_calloc(SIDE * SIDE, sizeof *own);
    memcpy(own, values, sizeof values);
    p.data = own;
    assert_int_equal(rw_drawing_add(&r, file(0), rw_picture_field, &p, &own), RW_OK);
    rw_drawing_free(&r); /* draws what waits */
    rw_free(own);        /* NULL where it has been taken */
    p.data = values;
    assert_int_equal(rw_picture_field(ctx, file(101), &p), RW_OK);
    assert_true(same(0, 101));
}

static void test_failure(void **state)
{
    (void)state;
    rw_run r = {.ctx = ctx};
    double *none = NULL;
    char path[160];
    const rw_field_picture p = picture(1);
    snprintf(path, sizeof path, "%s/missing/0.png", folder);
    rw_status status = rw_drawing_add(&r, path, rw_picture_field, &p, &none);
    if (status == RW_OK) status = rw_drawing_wait(&r);
    assert_int_equal(status, RW_ERR_FILE);
    assert_non_null(strstr(rw_message(ctx), "missing/0.png"));
    assert_int_equal(rw_drawing_wait(&r), RW_OK); /* reported once */
    rw_drawing_free(&r);
}

static int setup(void **state)
{
    (void)state;
    return !open_folder();
}

static int teardown(void **state)
{
    (void)state;
    return close_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pictures), cmocka_unit_test(test_values_are_taken),
                                       cmocka_unit_test(test_failure)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
