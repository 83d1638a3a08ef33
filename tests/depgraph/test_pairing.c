/* Rows paired with columns, what is left over, and the order of systems, against definitions computed plainly on random
 * patterns. */
#include "depgraph/pairing.h"

#include "depgraph_test.h"

enum { MOST = 7 };

static rw_pairing *new_pairing(int nrows, int ncolumns)
{
    rw_pairing *p;
    OK(rw_pairing_create(ctx, nrows, ncolumns, &p));
    return p;
}

static bool has(const rw_pairing *p, int row, int column) { return p->has[row * p->ncolumns + column]; }

/* The largest number of pairs of the rows from `row` on with columns that are not used, by trying all. */
static int most_pairs(const rw_pairing *p, int row, unsigned used)
{
    if (row == p->nrows) return 0;
    int most = most_pairs(p, row + 1, used);
    for (int c = 0; c < p->ncolumns; ++c)
        if (has(p, row, c) && !(used >> c & 1)) {
            const int n = 1 + most_pairs(p, row + 1, used | 1u << c);
            most = n > most ? n : most;
        }
    return most;
}

static int check_pairs(const rw_pairing *p)
{
    int n = 0;
    for (int r = 0; r < p->nrows; ++r) {
        if (p->column_of[r] < 0) continue;
        assert_true(has(p, r, p->column_of[r]));
        assert_int_equal(p->row_of[p->column_of[r]], r);
        n++;
    }
    for (int c = 0; c < p->ncolumns; ++c) assert_true(p->row_of[c] < 0 || p->column_of[p->row_of[c]] == c);
    return n;
}

/* k + 1 rows with k columns, all that these rows have. */
static void check_row_excess(rw_pairing *p, int row)
{
    int rows = 0, columns = 0;
    rw_pairing_row_excess(p, row);
    assert_true(p->in_rows[row]);
    for (int c = 0; c < p->ncolumns; ++c) columns += p->in_columns[c];
    for (int r = 0; r < p->nrows; ++r) {
        rows += p->in_rows[r];
        for (int c = 0; c < p->ncolumns; ++c) assert_true(!p->in_rows[r] || !has(p, r, c) || p->in_columns[c]);
    }
    assert_int_equal(rows, columns + 1);
}

static void check_column_excess(rw_pairing *p, int column)
{
    int rows = 0, columns = 0;
    rw_pairing_column_excess(p, column);
    assert_true(p->in_columns[column]);
    for (int r = 0; r < p->nrows; ++r) rows += p->in_rows[r];
    for (int c = 0; c < p->ncolumns; ++c) {
        columns += p->in_columns[c];
        for (int r = 0; r < p->nrows; ++r) assert_true(!p->in_columns[c] || !has(p, r, c) || p->in_rows[r]);
    }
    assert_int_equal(columns, rows + 1);
}

/* What is paired before stays paired: some pairs are preferred. */
static void test_random_patterns(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; ++seed) {
        uint64_t k = 0;
        const int nrows = (int)(rw_random_u64(seed, k++) % (MOST + 1)),
                  ncolumns = (int)(rw_random_u64(seed, k++) % (MOST + 1));
        const double density = rw_random_uniform(seed, k++);
        rw_pairing *p = new_pairing(nrows, ncolumns);
        bool row_before[MOST] = {0}, column_before[MOST] = {0};
        for (int i = 0; i < nrows * ncolumns; ++i) p->has[i] = rw_random_uniform(seed, k++) < density;
        for (int r = 0; r < nrows && seed % 2; ++r)
            for (int c = 0; c < ncolumns; ++c)
                if (has(p, r, c) && p->column_of[r] < 0 && p->row_of[c] < 0) {
                    p->column_of[r] = c;
                    p->row_of[c] = r;
                    row_before[r] = column_before[c] = true;
                }
        rw_pairing_match(p);
        const int pairs = check_pairs(p);
        if (pairs != most_pairs(p, 0, 0)) fail_msg("seed %llu: %d pairs", (unsigned long long)seed, pairs);
        for (int r = 0; r < nrows; ++r) {
            assert_true(!row_before[r] || p->column_of[r] >= 0);
            if (p->column_of[r] < 0) check_row_excess(p, r);
        }
        for (int c = 0; c < ncolumns; ++c) {
            assert_true(!column_before[c] || p->row_of[c] >= 0);
            if (p->row_of[c] < 0) check_column_excess(p, c);
        }
        rw_pairing_destroy(&p);
    }
}

/* Preferred pairs that allow a full matching are not changed. */
static void test_preferred_pairs(void **state)
{
    (void)state;
    rw_pairing *p = new_pairing(3, 3);
    for (int i = 0; i < 9; ++i) p->has[i] = true;
    p->column_of[0] = 2;
    p->row_of[2] = 0;
    p->column_of[2] = 1;
    p->row_of[1] = 2;
    rw_pairing_match(p);
    assert_true(p->column_of[0] == 2 && p->column_of[1] == 0 && p->column_of[2] == 1);
    rw_pairing_destroy(&p);
}

/* Rows r and s are in one system where each needs the other, directly or through others; other needs point to earlier
 * systems. */
static void check_order(const rw_pairing *p)
{
    const int n = p->nrows;
    bool needs[MOST][MOST] = {{0}};
    int system[MOST], place = 0;
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) needs[r][p->row_of[c]] = p->needs[r * n + c];
    for (int k = 0; k < n; ++k)
        for (int r = 0; r < n; ++r)
            for (int s = 0; s < n; ++s) needs[r][s] = needs[r][s] || (needs[r][k] && needs[k][s]);
    assert_int_equal(p->first[0], 0);
    assert_int_equal(p->first[p->nsystems], n);
    for (int s = 0; s < p->nsystems; ++s) {
        assert_true(p->first[s] < p->first[s + 1]);
        for (; place < p->first[s + 1]; ++place) {
            if (place > p->first[s]) assert_true(p->order[place] > p->order[place - 1]);
            system[p->order[place]] = s;
        }
    }
    for (int r = 0; r < n; ++r)
        for (int s = 0; s < n; ++s) {
            if (r != s) assert_int_equal(system[r] == system[s], needs[r][s] && needs[s][r]);
            if (needs[r][s]) assert_true(system[s] <= system[r]);
        }
}

static void test_random_orders(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; ++seed) {
        uint64_t k = 0;
        const int n = (int)(rw_random_u64(seed, k++) % (MOST + 1)), turn = (int)(rw_random_u64(seed, k++) % 5);
        const double density = rw_random_uniform(seed, k++) * 0.6;
        rw_pairing *p = new_pairing(n, n);
        for (int i = 0; i < n * n; ++i) p->needs[i] = rw_random_uniform(seed, k++) < density;
        for (int r = 0; r < n; ++r) p->has[r * n + (r + turn) % n] = true;
        rw_pairing_match(p);
        assert_int_equal(check_pairs(p), n);
        rw_pairing_order(p);
        check_order(p);
        rw_pairing_destroy(&p);
    }
}

/* A chain, in which each row needs the next one, and the same closed to a ring: no recursion as deep as it is long. */
static void test_long_chains(void **state)
{
    (void)state;
    enum { N = 4001 };
    for (int ring = 0; ring < 2; ++ring) {
        rw_pairing *p = new_pairing(N, N);
        for (int r = 0; r < N; ++r) {
            p->has[r * N + r] = true;
            if (r + 1 < N || ring) p->has[r * N + (r + 1) % N] = p->needs[r * N + (r + 1) % N] = true;
        }
        rw_pairing_match(p);
        rw_pairing_order(p);
        assert_int_equal(p->nsystems, ring ? 1 : N);
        for (int i = 0; i < N; ++i) assert_int_equal(p->order[i], ring ? i : N - 1 - i);
        rw_pairing_destroy(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_patterns),
        cmocka_unit_test(test_preferred_pairs),
        cmocka_unit_test(test_random_orders),
        cmocka_unit_test(test_long_chains),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
