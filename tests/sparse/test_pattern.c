/* What rw_pattern_find says of a matrix, against counts over all places of random matrices; symmetries; formats against
 * matrices that are made in them; the picture; what is refused; memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../values.h"
#include "core/core.h"
#include "io/picture.h"
#include "rechenwerk/figure.h"

static rw_context *ctx;
static char path[] = "/tmp/rechenwerk-pattern-XXXXXX", picture[80];

#define MM "%%MatrixMarket matrix "
static rw_pattern look(const char *text, const char *png)
{
    rw_pattern p;
    rw_entries e;
    assert_int_equal(rw_file_write(ctx, path, text, strlen(text)), RW_OK);
    if (rw_entries_read(ctx, path, RW_DUPLICATES_REFUSE, &e) != RW_OK || rw_pattern_find(ctx, &e, &p) != RW_OK ||
        (png && rw_figure_write_pattern(ctx, png, "pattern", &e) != RW_OK))
        fail_msg("%s\n%s", rw_message(ctx), text);
    rw_entries_free(&e);
    return p;
}

/* Each format takes what was said: the matrix is made in it. */
static void check_formats(const rw_pattern *p)
{
    rw_device *dev;
    assert_int_equal(rw_device_open(ctx, "cpu:1", &dev), RW_OK);
    for (int i = 0; i < p->nformats; ++i) {
        const rw_sparse_candidate *c = p->formats + i;
        rw_sparse *m;
        if (rw_sparse_read(dev, &c->layout, path, &m) != RW_OK) fail_msg("%s", rw_message(ctx));
        const rw_sparse_size size = matrix_size_of(m);
        assert_true(!c->refused && c->size.bytes == size.bytes && c->size.stored == size.stored &&
                    c->size.blocks == size.blocks);
        assert_true(p->entries == 0 ? c->fill == 1 : c->fill == (double)size.stored / (double)p->entries);
        assert_true(c->moved >= (double)size.bytes && c->moved == c->cost);
        assert_true(c->cost >= 0.98 * p->formats[p->best].cost);
        rw_sparse_destroy(&m);
    }
    rw_device_close(&dev);
}

static const rw_sparse_candidate *format(const rw_pattern *p, rw_sparse_format which, int block)
{
    for (int i = 0; i < p->nformats; ++i)
        if (p->formats[i].layout.format == which && p->formats[i].layout.block_rows == block) return p->formats + i;
    return NULL;
}

enum { MOST = 24 };

static void test_counts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; ++seed) {
        static char text[40000];
        double a[MOST][MOST] = {{0}};
        int64_t rows = 1 + (int64_t)(rw_random_u64(seed, 0) % MOST),
                columns = seed % 2 ? rows : 1 + (int64_t)(rw_random_u64(seed, 1) % MOST), n = 0, zeros = 0, at = 0;
        bool there[MOST][MOST] = {{0}}, dense = seed % 7 == 0;
        char entries[36000] = "";
        for (int64_t j = 0; j < columns; ++j)
            for (int64_t i = 0; i < rows; ++i) {
                uint64_t k = (uint64_t)(2 + j * rows + i);
                bool in = rw_random_uniform(seed, k) < 0.25, zero = in && rw_random_uniform(seed + 1000, k) < 0.1;
                a[i][j] = in && !zero ? rw_random_uniform(seed + 2000, k) + 1 : 0;
                there[i][j] = dense ? a[i][j] != 0 : in;
                if (dense) at += snprintf(entries + at, 40, "%.17g\n", a[i][j]);
                else if (in) at += snprintf(entries + at, 60, "%d %d %.17g\n", (int)i + 1, (int)j + 1, a[i][j]);
                n += there[i][j], zeros += there[i][j] && a[i][j] == 0;
            }
        if (dense) snprintf(text, sizeof text, "%sarray real general\n%d %d\n%s", MM, (int)rows, (int)columns, entries);
        else
            snprintf(text, sizeof text, "%scoordinate real general\n%d %d %d\n%s", MM, (int)rows, (int)columns, (int)n,
                     entries);
        rw_pattern p = look(text, NULL);
        int64_t lower = 0, upper = 0, least = INT64_MAX, most = 0, empty = 0, no_diagonal = 0, diagonals = 0;
        bool same = rows == columns, symmetric = same, skew = same, occupied[2 * MOST] = {0};
        for (int64_t i = 0; i < rows; ++i) {
            int64_t of_row = 0;
            for (int64_t j = 0; j < columns; ++j) {
                if (!there[i][j]) continue;
                ++of_row;
                lower = RW_MAX(lower, i - j), upper = RW_MAX(upper, j - i);
                diagonals += !occupied[j - i + MOST], occupied[j - i + MOST] = true;
                if (rows == columns)
                    same = same && there[j][i], symmetric = symmetric && there[j][i] && a[i][j] == a[j][i],
                    skew = skew && there[j][i] && a[i][j] == -a[j][i];
            }
            least = RW_MIN(least, of_row), most = RW_MAX(most, of_row), empty += !of_row,
            no_diagonal += i < columns && a[i][i] == 0;
        }
        assert_true(p.rows == rows && p.columns == columns && p.entries == n && p.zeros == zeros && !p.is_complex &&
                    !p.hermitian);
        assert_true(p.lower == lower && p.upper == upper && p.row_min == least && p.row_max == most &&
                    p.empty_rows == empty && p.no_diagonal == no_diagonal && p.diagonals == diagonals);
        assert_true(p.same_pattern == same && p.symmetric == symmetric && p.skew == skew);
        assert_int_equal(format(&p, RW_SPARSE_DIA, 1)->size.stored, diagonals * rows);
        for (int b = 1; b <= RW_PATTERN_BLOCKS; ++b) {
            int64_t blocks = 0;
            for (int64_t i = 0; i < rows; i += b)
                for (int64_t j = 0; j < columns; j += b) {
                    bool any = false;
                    for (int64_t k = i; k < i + b && k < rows; ++k)
                        for (int64_t l = j; l < j + b && l < columns; ++l) any = any || there[k][l];
                    blocks += any;
                }
            assert_int_equal(p.blocks[b], blocks);
            if (b > 1) assert_int_equal(format(&p, RW_SPARSE_BSELL, b) != NULL, rows % b == 0 && columns % b == 0);
        }
        check_formats(&p);
    }
}

static void test_symmetries(void **state)
{
    (void)state;
    rw_pattern p = look(MM "coordinate complex hermitian\n3 3 3\n1 1 2 0\n2 1 3 4\n3 2 1 1\n", NULL);
    assert_true(p.is_complex && p.hermitian && !p.symmetric && !p.skew && p.entries == 5 && p.no_diagonal == 2);
    p = look(MM "coordinate complex symmetric\n3 3 3\n1 1 2 0\n2 1 3 4\n3 2 1 1\n", NULL);
    assert_true(!p.hermitian && p.symmetric && p.same_pattern && p.formats[0].size.stored == 5 &&
                p.formats[0].layout.values == RW_C128);
    p = look(MM "coordinate real skew-symmetric\n3 3 2\n2 1 3\n3 2 1\n", NULL);
    assert_true(p.skew && !p.symmetric);
    p = look(MM "coordinate real general\n3 3 2\n2 1 3\n1 2 1\n", NULL);
    assert_true(p.same_pattern && !p.symmetric && !p.skew);
    p = look(MM "coordinate real general\n0 5 0\n", picture);
    assert_true(p.rows == 0 && p.columns == 5 && p.entries == 0 && p.row_min == 0 && !p.same_pattern);
}

/* Blocks of 5 x 5 on the diagonal and beside it: their format is the least. */
static void test_best(void **state)
{
    (void)state;
    static char text[200000];
    int n = 0, at = 0;
    char *entries = calloc(190000, 1);
    for (int i = 0; i < 100; ++i)
        for (int j = 0; j < 100; ++j)
            if (abs(i / 5 - j / 5) <= 1)
                at += snprintf(entries + at, 30, "%d %d %d\n", i + 1, j + 1, 1 + i * j % 7), ++n;
    snprintf(text, sizeof text, "%scoordinate integer general\n100 100 %d\n%s", MM, n, entries);
    rw_pattern p = look(text, NULL);
    assert_true(p.formats[p.best].layout.format == RW_SPARSE_BCSR && p.formats[p.best].layout.block_rows == 5);
    assert_true(p.blocks[5] == 58 && p.formats[p.best].fill == 1 && p.formats[p.best].size.stored == 58 * 25);
    free(entries);
}

/* One entry at the top left, one at the bottom right: bright there, dark elsewhere. */
static void test_picture(void **state)
{
    (void)state;
    look(MM "coordinate pattern general\n4 4 2\n1 1\n4 3\n", picture);
    rw_picture image;
    assert_int_equal(rw_picture_read(ctx, picture, 0, &image), RW_OK);
    /* the box: the largest rectangle of the two colours that the middle of the picture has */
    double dark = image.grey[image.height / 2 * image.width + image.width / 2];
    size_t x0 = image.width / 2, y0 = image.height / 2, x1 = x0, y1 = y0;
    while (image.grey[y0 * image.width + x0 - 1] == dark) --x0;
    while (image.grey[(y0 - 1) * image.width + x1] == dark) --y0;
    while (image.grey[(y1 + 1) * image.width + image.width / 2 - 40] == dark) ++y1;
    while (image.grey[y0 * image.width + x1 + 1] == dark) ++x1;
    double w = (double)(x1 - x0) / 4, h = (double)(y1 - y0) / 4;
    int bright = 0;
    for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 4; ++i) {
            double grey = image.grey[(y0 + (size_t)(h * (j + 0.5))) * image.width + x0 + (size_t)(w * (i + 0.5))];
            bool in = (i == 0 && j == 0) || (i == 2 && j == 3);
            if (in != (grey > dark + 0.3)) fail_msg("square %d, %d: grey %g", i, j, grey);
            bright += grey > dark + 0.3;
        }
    assert_int_equal(bright, 2);
    rw_picture_free(&image);
}

static void test_refused(void **state)
{
    (void)state;
    rw_pattern p;
    int64_t row = 0, column = 0, outside = 2;
    double value = 1;
    rw_entries e = {.rows = 2, .columns = INT32_MAX, .n = 1, .row = &row, .column = &column, .value = &value};
    assert_int_equal(rw_pattern_find(ctx, &e, &p), RW_ERR_ARGUMENT);
    assert_non_null(strstr(rw_message(ctx),
                           "a matrix of 2 x 2147483647: the numbers of rows and columns must be less than "
                           "2147483647"));
    e.columns = 2, e.row = &outside;
    assert_int_equal(rw_pattern_find(ctx, &e, &p), RW_ERR_ARGUMENT);
    assert_non_null(strstr(rw_message(ctx), "entry 0 at (2, 0), counted from 0, is outside the matrix of 2 x 2"));
    assert_int_equal(p.entries, 0);
    e.row = &row;
    assert_int_equal(rw_figure_write_pattern(ctx, "/proc/self/exe/p.png", NULL, &e), RW_ERR_FILE);
}

static int begin(void **state)
{
    (void)state;
    close(mkstemp(path));
    snprintf(picture, sizeof picture, "%s.png", path);
    return rw_context_create(&ctx);
}
static int end(void **state)
{
    (void)state;
    unlink(path), unlink(picture);
    rw_context_destroy(&ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_symmetries),
                                       cmocka_unit_test(test_best), cmocka_unit_test(test_picture),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests_name("pattern", tests, begin, end);
}
