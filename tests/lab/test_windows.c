/* Windows of x: the document's four numbers and its whole table, no other order of the axes, each window against rows
 * looked at one by one, and what a group has room for. */
#include "../devices.h"
#include "lab/windows.h"
#include "rechenwerk/multiblock.h"

/* What the document prints: from the first number of the lowest block of a window to the first of the highest. */
static int64_t printed(const int64_t cells[3], int64_t group, rw_multiblock_mode mode)
{
    rw_multiblock_spec s = {.blocks = {1, 1, 1}, .mode = mode};
    rw_sparse_blocks p;
    rw_windows w;
    memcpy(s.cells, cells, sizeof s.cells);
    OK(rw_multiblock_pattern(ctx, &s, 0, RW_MULTIBLOCK_STORED, NULL, &p));
    OK(rw_windows_find(ctx, &p, 5, group, &w));
    const int64_t length = w.longest;
    assert_true(w.groups == (5 * p.rows + group - 1) / group && w.group == group);
    rw_windows_free(&w);
    rw_multiblock_free(&p);
    return length - 5;
}

static const int64_t sizes[] = {80, 160, 320, 480, 640, 960};
static const int64_t table[6][6] = {{12415, 13375, 13555, 13735, 13895, 14255},
                                    {12415, 13375, 13555, 13735, 13895, 14255},
                                    {21215, 21295, 22335, 22515, 22695, 23055},
                                    {12415, 13375, 13555, 13735, 13895, 14255},
                                    {23595, 23695, 25535, 25695, 25875, 26215},
                                    {73995, 74095, 74255, 76095, 74595, 76595}};

static void test_documents_table(void **state) /* A10 */
{
    int n;
    (void)state;
    const rw_study_case *cases = rw_study_cases(&n);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < RW_COUNT(sizes); ++k)
            for (int mode = 0; mode < 3; mode += 2) {
                const int64_t got = printed(cases[i].cells, sizes[k], (rw_multiblock_mode)mode);
                if (got != table[i][k])
                    fail_msg("%s, groups of %lld: %lld, not %lld", cases[i].name, (long long)sizes[k], (long long)got,
                             (long long)table[i][k]);
            }
}

/* The stencil is the same along all axes, so an order of the axes is a grid with its sizes exchanged: only theta
 * fastest, then x, then r gives the four numbers. */
static void test_other_orders(void **state)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const int64_t document[] = {10, 40, 20};
    int matching = 0;
    (void)state;
    for (int o = 0; o < 6; ++o) {
        const int64_t cells[3] = {document[orders[o][0]], document[orders[o][1]], document[orders[o][2]]};
        bool all = true;
        for (int k = 0; k < 4; ++k) all = all && printed(cells, sizes[k], RW_MULTIBLOCK_FULL) == table[0][k];
        matching += all;
        assert_int_equal(all, o == 0);
    }
    assert_int_equal(matching, 1);
}

/* From the lists alone, also of groups that cut cells, and of rows without blocks. */
static void test_each_window(void **state)
{
    static const int64_t groups[] = {1, 3, 5, 7, 32, 80, 1000};
    (void)state;
    for (int stencil = 0; stencil < RW_MULTIBLOCK_STENCILS; ++stencil)
        for (int index = 0; index < RW_MULTIBLOCK_COMPACT; ++index)
            for (int k = 0; k < RW_COUNT(groups); ++k) {
                const bool flat = stencil == RW_MULTIBLOCK_EULER2D || stencil == RW_MULTIBLOCK_NS2D;
                const rw_multiblock_spec s = {.cells = {3, 7, flat ? 1 : 2},
                                              .blocks = {2, 1, 1},
                                              .stencil = (rw_multiblock_stencil)stencil,
                                              .mode = RW_MULTIBLOCK_INNER};
                rw_sparse_blocks p;
                rw_windows w;
                int64_t longest = 0;
                OK(rw_multiblock_pattern(ctx, &s, 1, (rw_multiblock_index)index, NULL, &p));
                OK(rw_windows_find(ctx, &p, 5, groups[k], &w));
                for (int64_t g = 0; g < w.groups; ++g) {
                    int64_t least = INT64_MAX, most = -1;
                    for (int64_t row = g * groups[k]; row < (g + 1) * groups[k] && row < 5 * p.rows; ++row)
                        for (int64_t b = p.first[row / 5]; b < p.first[row / 5 + 1]; ++b)
                            least = RW_MIN(least, 5 * p.column[b]), most = RW_MAX(most, 5 * p.column[b] + 4);
                    if (most < 0) least = 0;
                    const int64_t length = most < 0 ? 0 : most - least + 1;
                    assert_int_equal(w.info[3 * g], least);
                    assert_int_equal(w.info[3 * g + 1], most);
                    assert_int_equal(w.info[3 * g + 2], (length + groups[k] - 1) / groups[k]);
                    longest = RW_MAX(longest, length);
                }
                assert_int_equal(w.longest, longest);
                rw_windows_free(&w);
                assert_null(w.info);
                rw_multiblock_free(&p);
            }
}

/* A11: 16 KB hold 2048 and 48 KB 6144 complex numbers of single precision, too few for any window of the document; 227
 * KB hold those of cases 1 to 5. */
static void test_room(void **state)
{
    (void)state;
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 4; ++k) {
            const rw_windows w = {.group = sizes[k], .longest = table[i][k] + 5};
            FAILS(RW_ERR_UNSUPPORTED,
                  "the shared memory of a workgroup has 16384 bytes, 2048 entries: use a kernel that reads x from "
                  "global memory",
                  rw_windows_check(ctx, &w, RW_C64, 16384));
            FAILS(RW_ERR_UNSUPPORTED, "the shared memory of a workgroup has 49152 bytes, 6144 entries",
                  rw_windows_check(ctx, &w, RW_C64, 49152));
            if (i < 5) OK(rw_windows_check(ctx, &w, RW_C64, 227 * 1024));
            else FAILS(RW_ERR_UNSUPPORTED, "entries of c64", rw_windows_check(ctx, &w, RW_C64, 227 * 1024));
            const bool fits = i == 0 || i == 1 || i == 3; /* in double precision */
            assert_int_equal(rw_windows_check(ctx, &w, RW_C128, 227 * 1024), fits ? RW_OK : RW_ERR_UNSUPPORTED);
        }
    const rw_windows w = {.group = 160, .longest = 13380};
    FAILS(RW_ERR_UNSUPPORTED, "a window of x has 13380 entries of c64, 107040 bytes",
          rw_windows_check(ctx, &w, RW_C64, 107039));
    OK(rw_windows_check(ctx, &w, RW_C64, 107040));
}

static void test_refused(void **state)
{
    const rw_sparse_blocks p = {.rows = 1, .columns = 1, .first = (int64_t[]){0, 1}, .column = (int64_t[]){0}};
    rw_windows w;
    (void)state;
    FAILS(RW_ERR_ARGUMENT, "workgroups of 0 work-items: the number must be 1 to 1048576",
          rw_windows_find(ctx, &p, 5, 0, &w));
    FAILS(RW_ERR_ARGUMENT, "blocks of 17: the size must be 1 to 16", rw_windows_find(ctx, &p, 17, 80, &w));
    FAILS(RW_ERR_ARGUMENT, "-1 block rows: the number must not be negative",
          rw_windows_find(ctx, &(rw_sparse_blocks){.rows = -1}, 5, 80, &w));
    assert_null(w.info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_documents_table), cmocka_unit_test(test_other_orders),
                                       cmocka_unit_test(test_each_window), cmocka_unit_test(test_room),
                                       cmocka_unit_test(test_refused)};
    setenv("RECHENWERK_TEST_DEVICES", "cpu", 1); /* no device has a part in it */
    return run_on_devices("windows", tests, RW_COUNT(tests));
}
