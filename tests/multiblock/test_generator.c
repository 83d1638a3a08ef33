/* Matrices of multi-block grids: names, sizes against the document's tables and against counted patterns, places
 * against the formula of the index space, values (what they depend on and what not), structural zeros, memory of the
 * assembly, what is refused. */
/* TEST: devices=all unoptimised */
#include "generator_test.h"

/* ---- names, sizes ------------------------------------------------------------------------------------------------ */

static void test_names(void **state)
{
    rw_multiblock_spec spec;
    const rw_params *params = rw_multiblock_params();
    char text[200];
    (void)state;
    if (!once()) skip();
    for (int i = 0; i < RW_MULTIBLOCK_STENCILS * RW_MULTIBLOCK_MODES; ++i) {
        const int stencil = i % RW_MULTIBLOCK_STENCILS, mode = i / RW_MULTIBLOCK_STENCILS;
        snprintf(text, sizeof text, "cells=10x40x80:%s:%s:complex:omega=0.5",
                 rw_multiblock_stencil_name((rw_multiblock_stencil)stencil),
                 rw_multiblock_mode_name((rw_multiblock_mode)mode));
        OK(rw_params_parse(ctx, params, text, &spec));
        assert_true((int)spec.stencil == stencil && (int)spec.mode == mode && spec.is_complex && spec.omega == 0.5);
        assert_true(spec.cells[0] == 10 && spec.cells[1] == 40 && spec.cells[2] == 80 && !spec.blocks[0]);
        rw_params_print(params, &spec, text, sizeof text);
        rw_multiblock_spec again;
        OK(rw_params_parse(ctx, params, text, &again));
        assert_memory_equal(&spec, &again, sizeof spec);
    }
    FAILS(RW_ERR_ARGUMENT, "stencil = euler3 is none of euler3d, euler2d, ns2d, ns3d; nearest is euler3d",
          rw_params_parse(ctx, params, "stencil=euler3", &spec));
    FAILS(RW_ERR_ARGUMENT, "nearest is inner", rw_params_parse(ctx, params, "mode=iner", &spec));
    FAILS(RW_ERR_ARGUMENT, "\"x\" is not an option of trace; options are cells=…",
          rw_params_parse(ctx, params, "x", &spec));
    FAILS(RW_ERR_ARGUMENT, "mode is given twice", rw_params_parse(ctx, params, "inner:mode=full", &spec));
    OK(rw_params_parse(ctx, params, "cells=7x1000000", &spec));
    assert_true(spec.cells[0] == 7 && spec.cells[1] == 1000000 && spec.cells[2] == 1);
    static const char *const wrong[] = {"",        "0x1x1",   "3x",
                                        "x3",      "3x-1",    "3 x 4",
                                        "1x2x3x4", "1000001", "99999999999999999999",
                                        "3.5",     "4x5y"};
    for (int i = 0; i < RW_COUNT(wrong); ++i) {
        snprintf(text, sizeof text, "cells=%s", wrong[i]);
        FAILS(RW_ERR_ARGUMENT, "cells = ", rw_params_parse(ctx, params, text, &spec));
    }
    assert_true(spec.cells[0] == 7);
    assert_string_equal(rw_multiblock_stencil_name((rw_multiblock_stencil)99), "?");
}

/* The document's tables: blocks (3.2), numbers and bytes (7.3), vectors (A09), and the operations that follow from them
 * (A35). */
static void test_documents_sizes(void **state)
{
    int n;
    (void)state;
    if (!once()) skip();
    const rw_study_case *cases = rw_study_cases(&n);
    assert_int_equal(n, 6);
    static const int64_t cells[] = {8000, 16000, 16000, 32000, 32000, 128000},
                         vectors[] = {73920, 135520, 126720, 258720, 258720, 813120};
    static const int64_t full[] = {104000, 208000, 208000, 416000, 416000, 1664000},
                         euler[] = {95600, 193600, 196000, 389600, 389600, 1616000};
    static const int64_t ns[] = {180680, 366760, 372320, 738920, 738920, 3088640};
    static const double bytes[] = {166.4e6, 332.8e6, 332.8e6, 665.6e6, 665.6e6, 2662.4e6};
    for (int i = 0; i < n; ++i) {
        rw_multiblock_spec s = {.blocks = {8, 1, 1}, .mode = RW_MULTIBLOCK_FULL, .is_complex = true};
        rw_multiblock_size z;
        char text[40];
        memcpy(s.cells, cases[i].cells, sizeof s.cells);
        snprintf(text, sizeof text, "%lldx%lldx%lld", (long long)s.cells[0], (long long)s.cells[1],
                 (long long)s.cells[2]);
        assert_string_equal(cases[i].name, text);
        OK(rw_multiblock_measure(ctx, &s, 0, RW_MULTIBLOCK_STORED, RW_C64, &z));
        assert_true(z.grid_blocks == 8 && z.cells == cells[i] && z.rows == 5 * cells[i] && z.columns == z.vector &&
                    z.vector == vectors[i] && z.vector == cases[i].vector && z.extended * 5 == z.vector);
        assert_true(z.blocks == full[i] && z.blocks == cases[i].blocks && z.values == 325 * cells[i] &&
                    z.entries == z.values);
        assert_int_equal(z.value_bytes, 2600 * z.cells);
        assert_int_equal(z.index_bytes, 60 * z.cells + 4); /* a column of 4 bytes a block, start and number of a row */
        OK(rw_multiblock_measure(ctx, &s, RW_MULTIBLOCK_ALL, RW_MULTIBLOCK_STORED, RW_C64, &z));
        assert_true((double)z.value_bytes == bytes[i] && cases[i].bytes == bytes[i]);
        assert_true(cases[i].printed == (i == 3 || i == 4 ? 2 : 1) * bytes[i]);
        if (i == 3) {
            /* of a complex multiplication and addition, of 100 products */
            const double operations = 8. * 100 * (double)z.values;
            s.zeros = true;
            OK(rw_multiblock_measure(ctx, &s, RW_MULTIBLOCK_ALL, RW_MULTIBLOCK_STORED, RW_C64, &z));
            assert_true(operations == 6.656e10 && 8. * 100 * (double)z.entries == 5.5296e10 &&
                        z.entries * 65 == z.values * 54);
        }
        s.mode = RW_MULTIBLOCK_TRUNCATED;
        OK(rw_multiblock_measure(ctx, &s, 7, RW_MULTIBLOCK_STORED, RW_C64, &z));
        assert_true(z.blocks == euler[i] && z.blocks == cases[i].truncated);
        s.stencil = RW_MULTIBLOCK_NS3D;
        OK(rw_multiblock_measure(ctx, &s, 7, RW_MULTIBLOCK_STORED, RW_C64, &z));
        assert_true(z.blocks == ns[i] && z.blocks == cases[i].ns_truncated);
    }
}

/* Sizes that were computed and patterns that were made; grid blocks together are what all have. */
static void test_counts(void **state)
{
    (void)state;
    if (!once()) skip();
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        const rw_multiblock_spec s = spec_of(seed);
        const rw_sparse_layout scalar = layout_of("csr"), variable = layout_of("vbcsr"), blocks = layout_of("bcsr:5");
        rw_multiblock_size z, all, sum = {0};
        char what[200];
        print_spec(what, &s);
        OK(rw_multiblock_measure(ctx, &s, RW_MULTIBLOCK_ALL, RW_MULTIBLOCK_STORED, RW_F32, &all));
        for (int64_t b = 0; b < all.grid_blocks; ++b) {
            rw_sparse_blocks p, e, v;
            rw_sparse_size size;
            OK(rw_multiblock_measure(ctx, &s, b, RW_MULTIBLOCK_STORED, RW_F32, &z));
            sum.cells += z.cells, sum.extended += z.extended, sum.blocks += z.blocks, sum.entries += z.entries,
                sum.value_bytes += z.value_bytes, sum.index_bytes += z.index_bytes;
            OK(rw_multiblock_pattern(ctx, &s, b, RW_MULTIBLOCK_EXTENDED, NULL, &p));
            OK(rw_multiblock_pattern(ctx, &s, b, RW_MULTIBLOCK_STORED, &scalar, &e));
            OK(rw_multiblock_pattern(ctx, &s, b, RW_MULTIBLOCK_STORED, &variable, &v));
            if (p.rows != z.extended || p.first[p.rows] != z.blocks || e.rows != 5 * z.cells || e.columns != z.vector ||
                e.first[e.rows] != z.entries || v.first[v.rows] != z.blocks)
                fail_msg("%s: %lld blocks and %lld entries, not %lld and %lld", what, (long long)p.first[p.rows],
                         (long long)e.first[e.rows], (long long)z.blocks, (long long)z.entries);
            OK(rw_sparse_estimate(ctx, &blocks, &p, &size)); /* checks the pattern */
            OK(rw_sparse_estimate(ctx, &scalar, &e, &size));
            OK(rw_sparse_estimate(ctx, &variable, &v, &size));
            assert_int_equal(size.rows, 5 * z.cells);
            rw_multiblock_free(&p), rw_multiblock_free(&e), rw_multiblock_free(&v);
            assert_null(p.first);
        }
        if (sum.cells != all.cells || sum.extended != all.extended || sum.blocks != all.blocks ||
            sum.entries != all.entries || sum.value_bytes != all.value_bytes ||
            sum.index_bytes - 4 * all.grid_blocks != all.index_bytes - 4)
            fail_msg("%s: grid blocks are not what all are", what);
    }
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* From the document's formula alone, grid block by grid block, cell by cell, in its order of offsets (11.4), which is
 * that of the numbers. */
static void test_places(void **state)
{
    static const int e3[13][3] = {{0, 0, -2}, {0, 0, -1}, {-2, 0, 0}, {-1, 0, 0}, {0, -2, 0}, {0, -1, 0}, {0, 0, 0},
                                  {0, 1, 0},  {0, 2, 0},  {1, 0, 0},  {2, 0, 0},  {0, 0, 1},  {0, 0, 2}};
    (void)state;
    if (!once()) skip();
    for (int mode = 0; mode < RW_MULTIBLOCK_MODES; ++mode)
        for (int periodic = 0; periodic < 2; ++periodic)
            for (int64_t block = 0; block < 12; ++block) {
                const rw_multiblock_spec s = {.cells = {3, 2, 4},
                                              .blocks = {2, 3, 2},
                                              .mode = (rw_multiblock_mode)mode,
                                              .periodic = periodic};
                const int64_t at[3] = {block % 2, block / 2 % 3, block / 6};
                rw_sparse_blocks p;
                int64_t row = 0;
                OK(rw_multiblock_pattern(ctx, &s, block, RW_MULTIBLOCK_EXTENDED, NULL, &p));
                for (int64_t r = -2; r < 6; ++r)
                    for (int64_t x = -2; x < 5; ++x)
                        for (int64_t theta = -2; theta < 4; ++theta, ++row) {
                            int64_t k = p.first[row];
                            assert_int_equal(rw_multiblock_cell(&s, x, theta, r), row);
                            for (int o = 0; o < 13; ++o) {
                                const int64_t c[3] = {x + e3[o][0], theta + e3[o][1], r + e3[o][2]};
                                const bool own = x >= 0 && x < 3 && theta >= 0 && theta < 2 && r >= 0 && r < 4;
                                bool inside = true, whole = true;
                                for (int a = 0; a < 3; ++a) {
                                    const int64_t global = at[a] * s.cells[a] + c[a];
                                    inside = inside && c[a] >= 0 && c[a] < s.cells[a];
                                    whole = whole && ((a == 1 && periodic) ||
                                                      (global >= 0 && global < s.cells[a] * s.blocks[a]));
                                }
                                if (!own || (mode == 0 && !inside) || (mode == 1 && !whole)) continue;
                                assert_true(k < p.first[row + 1]);
                                assert_int_equal(p.column[k++], c[1] + 2 + 6 * (c[0] + 2 + 7 * (c[2] + 2)));
                            }
                            assert_int_equal(k, p.first[row + 1]);
                        }
                assert_int_equal(row, p.rows);
                rw_multiblock_free(&p);
            }
    const rw_multiblock_spec flat = {.blocks = {8, 1, 1}, .cells = {3, 4, 1}, .stencil = RW_MULTIBLOCK_NS2D};
    assert_int_equal(rw_multiblock_cell(&flat, 0, 0, 0), 2 + 8 * 2); /* no ghosts along r */
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Every row is dominated by its diagonal; numbers beside it are at most 1 over the distance; the imaginary part of the
 * diagonal is omega V. */
static void test_values(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (once() ? 60 : 12); ++seed) {
        rw_multiblock_spec s = spec_of(seed);
        char what[200];
        s.mode = seed % 2 ? RW_MULTIBLOCK_INNER : RW_MULTIBLOCK_TRUNCATED, s.periodic = false;
        print_spec(what, &s);
        rw_sparse *m = assemble(&s, RW_MULTIBLOCK_ALL, RW_MULTIBLOCK_COMPACT, s.is_complex ? "bcsr:5:c128" : "bcsr:5");
        entries e = entries_of(m);
        double *sum = calloc((size_t)e.rows, sizeof *sum), largest = 0;
        const int64_t n = s.cells[0] * s.cells[1] * s.cells[2], all_r = s.cells[2] * s.blocks[2];
        double volumes = 0;
        for (int64_t k = 0; k < e.n; ++k) {
            const double complex v = e.is_complex ? e.value[2 * k] + e.value[2 * k + 1] * I : e.value[k];
            if (e.row[k] != e.column[k])
                sum[e.row[k]] += cabs(v), largest = fmax(largest, fmax(fabs(creal(v)), fabs(cimag(v))));
        }
        for (int64_t k = 0; k < e.n; ++k) {
            if (e.row[k] != e.column[k]) continue;
            const int64_t block = e.row[k] / 5 / n, r = block / (s.blocks[0] * s.blocks[1]) * s.cells[2] +
                                                        e.row[k] / 5 % n / (s.cells[0] * s.cells[1]);
            const double inner = 1 + (double)r / (double)all_r, outer = 1 + (double)(r + 1) / (double)all_r,
                         volume = (outer * outer - inner * inner) * (double)all_r / 3;
            volumes += volume;
            if (!((e.is_complex ? e.value[2 * k] : e.value[k]) >= 1 + sum[e.row[k]] * (1 - 1e-12)))
                fail_msg("%s: row %lld is not dominated", what, (long long)e.row[k]);
            if (e.is_complex && !(fabs(e.value[2 * k + 1] - s.omega * volume) <= 1e-13 * (1 + s.omega)))
                fail_msg("%s: row %lld: %g i", what, (long long)e.row[k], e.value[2 * k + 1]);
        }
        assert_true(fabs(volumes / (double)e.rows - 1) < 1e-12); /* over the mean one */
        assert_true(largest <= 1 && largest > 0.9);
        free(sum);
        drop_entries(&e);
        rw_sparse_destroy(&m);
    }
}

/* Largest numbers by distance, as many as it takes to come near the limit: 1, 1/2 and 1/sqrt 2. And dominance by the
 * whole stencil: equal to 1 + sum where nothing is dropped. */
static void test_distances(void **state)
{
    (void)state;
    if (!once()) skip();
    const rw_multiblock_spec s = {.cells = {4, 4, 4},
                                  .blocks = {1, 1, 1},
                                  .stencil = RW_MULTIBLOCK_NS3D,
                                  .mode = RW_MULTIBLOCK_FULL,
                                  .seed = 3};
    rw_sparse *m = assemble(&s, 0, RW_MULTIBLOCK_STORED, "bcsr:5");
    entries e = entries_of(m);
    double largest[9] = {0}, *sum = calloc((size_t)e.rows, sizeof *sum);
    for (int64_t k = 0; k < e.n; ++k) {
        const int64_t i = e.row[k] / 5, j = e.column[k] / 5;
        const int64_t d[3] = {j / 8 % 8 - 2 - i / 4 % 4, j % 8 - 2 - i % 4, j / 64 - 2 - i / 16};
        const int square = (int)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        assert_true(square <= 4);
        if (square || e.row[k] % 5 != e.column[k] % 5)
            largest[square] = fmax(largest[square], fabs(e.value[k])), sum[e.row[k]] += fabs(e.value[k]);
    }
    for (int64_t k = 0; k < e.n; ++k) {
        const int64_t i = e.row[k] / 5;
        const rw_multiblock_spec *p = &s;
        if (e.row[k] % 5 == e.column[k] % 5 && e.column[k] / 5 == rw_multiblock_cell(p, i / 4 % 4, i % 4, i / 16))
            assert_true(fabs(e.value[k] - 1 - sum[e.row[k]]) < 1e-12 * e.value[k]);
    }
    static const double limit[] = {1, 1, 0.70710678118654752, 0, 0.5};
    for (int q = 0; q <= 4; ++q) assert_true(largest[q] <= limit[q] && (q == 3 || largest[q] > 0.99 * limit[q]));
    free(sum);
    drop_entries(&e);
    rw_sparse_destroy(&m);
}

static void same(const char *what, const entries *a, const entries *b)
{
    const size_t parts = a->is_complex ? 2 : 1;
    if (a->n != b->n || a->is_complex != b->is_complex || memcmp(a->row, b->row, (size_t)a->n * 8) ||
        memcmp(a->column, b->column, (size_t)a->n * 8))
        fail_msg("%s: other places", what);
    if (memcmp(a->value, b->value, (size_t)a->n * parts * 8)) fail_msg("%s: other values", what);
}

/* All layouts hold the same entries, also where a periodic grid is so short that two offsets are one cell. */
static void test_layouts(void **state)
{
    static const char *const layouts[] = {"bcsr:5:columns", "bell:5", "bell:5:l4", "bsell:5", "bsell:5:s64:i64",
                                          "vbcsr",          "coo",    "csr",       "ell",     "ell:l20",
                                          "sell:s32",       "dia"};
    (void)state;
    for (uint64_t seed = 1; seed <= (once() ? 36 : 12); ++seed) {
        rw_multiblock_spec s = spec_of(seed);
        char what[240], layout[40];
        rw_multiblock_index index = (rw_multiblock_index)(seed / 2 % RW_MULTIBLOCK_INDICES);
        if (s.mode == RW_MULTIBLOCK_FULL && index == RW_MULTIBLOCK_COMPACT) index = RW_MULTIBLOCK_STORED;
        rw_sparse *m = assemble(&s, RW_MULTIBLOCK_ALL, index, s.is_complex ? "bcsr:5:c128" : "bcsr:5");
        entries e = entries_of(m);
        for (int i = 0; i < 3; ++i) {
            const char *name = layouts[(seed + (uint64_t)i * 5) % RW_COUNT(layouts)];
            if (!strcmp(name, "dia") && s.mode != RW_MULTIBLOCK_TRUNCATED) name = "csr"; /* too many diagonals */
            snprintf(layout, sizeof layout, "%s:%s", name, s.is_complex ? "c128" : "f64");
            print_spec(what, &s), strcat(what, " "), strcat(what, layout);
            rw_sparse *other = assemble(&s, RW_MULTIBLOCK_ALL, index, layout);
            entries f = entries_of(other);
            same(what, &e, &f);
            drop_entries(&f);
            rw_sparse_destroy(&other);
        }
        drop_entries(&e);
        rw_sparse_destroy(&m);
    }
}

/* What values must not depend on: mode, cut of the grid, the stencil for couplings that two have. Seeds differ. */
static void test_same_values(void **state)
{
    (void)state;
    if (!once()) skip();
    rw_multiblock_spec s = {.cells = {3, 4, 5},
                            .blocks = {2, 1, 1},
                            .mode = RW_MULTIBLOCK_FULL,
                            .is_complex = true,
                            .omega = 0.5,
                            .seed = 11};
    rw_sparse *m = assemble(&s, 1, RW_MULTIBLOCK_STORED, "bcsr:5:c128"), *other;
    entries full = entries_of(m), e;
    rw_sparse_destroy(&m);
    s.mode = RW_MULTIBLOCK_TRUNCATED; /* its entries are some of those of the whole stencil */
    m = assemble(&s, 1, RW_MULTIBLOCK_STORED, "bcsr:5:c128");
    e = entries_of(m);
    int64_t k = 0;
    for (int64_t i = 0; i < e.n; ++i, ++k) {
        while (k < full.n && (full.row[k] != e.row[i] || full.column[k] != e.column[i])) ++k;
        assert_true(k < full.n && full.value[2 * k] == e.value[2 * i] && full.value[2 * k + 1] == e.value[2 * i + 1]);
    }
    drop_entries(&e), drop_entries(&full), rw_sparse_destroy(&m);
    /* two grid blocks along x, one behind the other, and one of twice the size */
    s.mode = RW_MULTIBLOCK_INNER, s.periodic = true;
    m = assemble(&s, RW_MULTIBLOCK_ALL, RW_MULTIBLOCK_COMPACT, "csr:c128");
    s.cells[0] = 6, s.blocks[0] = 1;
    other = assemble(&s, 0, RW_MULTIBLOCK_COMPACT, "csr:c128");
    e = entries_of(m), full = entries_of(other);
    assert_int_equal(e.n, full.n);
    int64_t *start = calloc((size_t)full.rows + 1, sizeof *start);
    for (int64_t i = 0; i < full.n; ++i) ++start[full.row[i] + 1];
    for (int64_t i = 0; i < full.rows; ++i) start[i + 1] += start[i];
    for (int64_t i = 0; i < e.n; ++i) {
        int64_t united[2];
        for (int end = 0; end < 2; ++end) { /* 5 unknowns of theta 4, x 3, r 5, block 2 */
            const int64_t number = end ? e.column[i] : e.row[i], cell = number / 5 % 60, block = number / 300;
            united[end] = 5 * (cell % 4 + 4 * (cell / 4 % 3 + 3 * block + 6 * (cell / 12))) + number % 5;
        }
        k = start[united[0]];
        while (k < start[united[0] + 1] && full.column[k] != united[1]) ++k;
        assert_true(k < start[united[0] + 1] && full.value[2 * k] == e.value[2 * i] &&
                    full.value[2 * k + 1] == e.value[2 * i + 1]);
    }
    free(start);
    /* another seed, other numbers; the real matrix has the real parts */
    rw_sparse_destroy(&m);
    s.seed = 12;
    m = assemble(&s, 0, RW_MULTIBLOCK_COMPACT, "csr:c128");
    drop_entries(&e);
    e = entries_of(m);
    int64_t equal = 0;
    for (int64_t i = 0; i < e.n; ++i) equal += e.value[2 * i] == full.value[2 * i];
    assert_int_equal(equal, 0);
    drop_entries(&e), rw_sparse_destroy(&m);
    s.seed = 11, s.is_complex = false, s.omega = 0;
    m = assemble(&s, 0, RW_MULTIBLOCK_COMPACT, "csr");
    e = entries_of(m);
    for (int64_t i = 0; i < e.n; ++i) assert_true(e.row[i] == e.column[i] || e.value[i] == full.value[2 * i]);
    drop_entries(&e), drop_entries(&full), rw_sparse_destroy(&m), rw_sparse_destroy(&other);
}

/* Some numbers as they are, so that matrices of other versions and machines are the same. */
static void test_numbers(void **state)
{
    (void)state;
    if (!once()) skip();
    const rw_multiblock_spec s = {.cells = {2, 2, 2}, .blocks = {1, 1, 1}, .is_complex = true, .omega = 1, .seed = 1};
    rw_sparse *m = assemble(&s, 0, RW_MULTIBLOCK_COMPACT, "csr:c128");
    entries e = entries_of(m);
    char hex[65];
    assert_int_equal(e.n, 8 * 4 * 25);
    rw_sha256_hex(e.value, (size_t)e.n * 16, hex);
    assert_string_equal(hex, "118d79f5a98ec3539b01f8ffa4134a0177b7fae211a3d58f26c5448db27583e1");
    drop_entries(&e), rw_sparse_destroy(&m);
}

/* ---- structural zeros -------------------------------------------------------------------------------------------- */

/* A07: rows of ELL are 54 long, 60 in sections of 20, 75 of 25; padding is 0 with an index that may be followed. A08:
 * rows of BELL have 13 blocks. */
static void test_widths(void **state)
{
    static const struct {
        const char *layout;
        int width;
    } ell[] = {{"ell:c64", 54}, {"ell:l20:c64", 60}, {"ell:l25:c64", 75}};
    (void)state;
    rw_multiblock_spec s = {.cells = {10, 10, 8},
                            .blocks = {1, 1, 1},
                            .mode = RW_MULTIBLOCK_FULL,
                            .is_complex = true,
                            .zeros = true,
                            .seed = 5};
    for (int mode = 0; mode < 3; mode += 2)
        for (int i = 0; i < RW_COUNT(ell); ++i) {
            s.mode = (rw_multiblock_mode)mode;
            rw_sparse *m = assemble(&s, 0, RW_MULTIBLOCK_STORED, ell[i].layout);
            const void *column, *value;
            OK(rw_array_read(m->column, &column));
            OK(rw_array_read(m->value, &value));
            const int64_t rows = (m->rows + 31) / 32 * 32, places = (int64_t)m->stored;
            assert_int_equal(places, ell[i].width * rows);
            int64_t zeros = 0;
            for (int64_t k = 0; k < places; ++k) {
                const int32_t c = ((const int32_t *)column)[k];
                assert_true(c >= 0 && c < m->columns);
                const float *v = (const float *)value + 2 * k;
                zeros += v[0] == 0 && v[1] == 0;
                if (k / rows >= 54) assert_true(v[0] == 0 && v[1] == 0);
            }
            assert_int_equal(zeros, places - m->blocks);
            rw_sparse_destroy(&m);
        }
    if (!once()) return;
    static const struct {
        int number;
        int64_t padding;
    } bell[] = {{0, 8400}, {3, 26400}, {5, 48000}};
    int n;
    for (int i = 0; i < RW_COUNT(bell); ++i)
        for (int mode = 0; mode < 3; mode += 2) {
            rw_sparse_blocks p;
            rw_sparse_size z;
            const rw_sparse_layout l = layout_of("bell:5:c64");
            memcpy(s.cells, rw_study_cases(&n)[bell[i].number].cells, sizeof s.cells);
            s.mode = (rw_multiblock_mode)mode;
            OK(rw_multiblock_pattern(ctx, &s, 0, RW_MULTIBLOCK_STORED, &l, &p));
            OK(rw_sparse_estimate(ctx, &l, &p, &z));
            assert_int_equal(z.stored, 13 * 25 * p.rows);
            assert_int_equal(z.stored / 25 - z.blocks, mode == 0 ? bell[i].padding : 0);
            rw_multiblock_free(&p);
        }
}

/* Where the zeros are: entry (row + 1) mod 5 of each row, but for the cell itself and the neighbour before it along
 * theta. */
static void test_zeros(void **state)
{
    (void)state;
    if (!once()) skip();
    for (int stencil = 0; stencil < RW_MULTIBLOCK_STENCILS; ++stencil) {
        const rw_multiblock_spec s = {.cells = {4, 5,
                                                stencil == RW_MULTIBLOCK_EULER3D || stencil == RW_MULTIBLOCK_NS3D ? 3
                                                                                                                  : 1},
                                      .blocks = {1, 1, 1},
                                      .stencil = (rw_multiblock_stencil)stencil,
                                      .zeros = true};
        rw_sparse *m = assemble(&s, 0, RW_MULTIBLOCK_COMPACT, "csr");
        entries e = entries_of(m);
        rw_multiblock_size z;
        int64_t before = 0;
        OK(rw_multiblock_measure(ctx, &s, 0, RW_MULTIBLOCK_COMPACT, RW_F64, &z));
        assert_int_equal(e.n, z.entries);
        for (int64_t k = 0; k < e.n; ++k) {
            const int64_t i = e.row[k] / 5, j = e.column[k] / 5;
            if (j == i - 1 && i % 5 > 0) ++before;
            else assert_true(i == j || e.column[k] % 5 != (e.row[k] % 5 + 1) % 5);
        }
        assert_int_equal(before, 25 * 4 * 4 * s.cells[2]);
        drop_entries(&e);
        rw_sparse_destroy(&m);
    }
}

/* ---- complex, memory, refusals ----------------------------------------------------------------------------------- */

/* A30: a real matrix with a complex vector is two real products; kept as a complex matrix too. */
static void test_real_and_complex(void **state)
{
    (void)state;
    const rw_multiblock_spec s = {.cells = {3, 5, 4}, .blocks = {1, 1, 1}, .seed = 8};
    rw_sparse *real = assemble(&s, 0, RW_MULTIBLOCK_COMPACT, "bcsr:5"),
              *z = assemble(&s, 0, RW_MULTIBLOCK_COMPACT, "bcsr:5:c128");
    rw_array *x = new_array(RW_C128, 300, RW_MEMORY_DEVICE), *y = new_array(RW_C128, 300, RW_MEMORY_DEVICE),
             *part = new_array(RW_F64, 300, RW_MEMORY_DEVICE), *out = new_array(RW_F64, 300, RW_MEMORY_DEVICE);
    void *p;
    OK(rw_array_write(x, &p));
    for (int i = 0; i < 600; ++i) ((double *)p)[i] = rw_random_uniform(9, (uint64_t)i) - 0.5;
    for (int kind = 0; kind < 2; ++kind) {
        OK(rw_sparse_multiply(kind ? z : real, RW_OP_NONE, NULL, x, NULL, y, queue));
        for (int half = 0; half < 2; ++half) {
            OK(rw_array_write(part, &p));
            for (int i = 0; i < 300; ++i) ((double *)p)[i] = numbers_of(x)[2 * i + half];
            OK(rw_sparse_multiply(real, RW_OP_NONE, NULL, part, NULL, out, queue));
            for (int i = 0; i < 300; ++i) assert_true(numbers_of(y)[2 * i + half] == numbers_of(out)[i]);
        }
    }
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&part), rw_array_destroy(&out),
        rw_sparse_destroy(&real), rw_sparse_destroy(&z);
}

/* Compact matrices are not singular: a solver gets through. */
static void test_solvable(void **state)
{
    (void)state;
    for (int stencil = 0; stencil < (once() ? RW_MULTIBLOCK_STENCILS : 1); ++stencil) {
        const bool flat = stencil == RW_MULTIBLOCK_EULER2D || stencil == RW_MULTIBLOCK_NS2D;
        const rw_multiblock_spec s = {.cells = {3, 4, flat ? 1 : 5},
                                      .blocks = {2, 2, 1},
                                      .stencil = (rw_multiblock_stencil)stencil,
                                      .mode = RW_MULTIBLOCK_INNER,
                                      .periodic = true,
                                      .is_complex = true,
                                      .omega = 3,
                                      .seed = 1};
        rw_sparse *m = assemble(&s, RW_MULTIBLOCK_ALL, RW_MULTIBLOCK_COMPACT, "bcsr:5:c128");
        const int64_t n = matrix_size_of(m).rows;
        rw_array *b = new_array(RW_C128, n, RW_MEMORY_DEVICE), *x = new_array(RW_C128, n, RW_MEMORY_DEVICE);
        rw_krylov *solver;
        rw_krylov_result result;
        void *p;
        OK(rw_array_write(b, &p));
        for (int64_t i = 0; i < 2 * n; ++i) ((double *)p)[i] = rw_random_uniform(3, (uint64_t)i) - 0.5;
        OK(rw_array_zero(x, queue));
        OK(rw_krylov_create(rw_sparse_operator(m), RW_C128,
                            &(rw_krylov_spec){.method = RW_KRYLOV_GMRES,
                                              .rtol = 1e-10,
                                              .precond = {.method = RW_PRECOND_JACOBI}},
                            &solver));
        OK(rw_krylov_solve(solver, b, x, &result));
        assert_true(result.iterations < 60 && result.residual <= 1.1e-10 * result.right_side);
        rw_krylov_destroy(&solver);
        rw_array_destroy(&b), rw_array_destroy(&x), rw_sparse_destroy(&m);
    }
}

/* A45: assembly takes at most a tenth more than the matrix. */
static void test_memory(void **state)
{
    (void)state;
    if (!once()) skip();
    const rw_multiblock_spec s = {.cells = {10, 40, 80},
                                  .blocks = {1, 1, 1},
                                  .mode = RW_MULTIBLOCK_FULL,
                                  .is_complex = true};
    const int64_t before = counters().bytes_allocated;
    dev->counters.bytes_allocated_peak = before;
    rw_host_count_begin();
    rw_sparse *m = assemble(&s, 0, RW_MULTIBLOCK_STORED, "bell:5:c64");
    const int64_t host = rw_host_count_end(), device = counters().bytes_allocated_peak - before,
                  bytes = matrix_size_of(m).bytes;
    print_message("%.3g bytes of matrix, %.3f of it on the device, %.3f on the host\n", (double)bytes,
                  (double)device / (double)bytes, (double)host / (double)bytes);
    assert_true(device >= bytes);
    if ((double)(host + device) > 1.1 * (double)bytes)
        fail_msg("%lld bytes for a matrix of %lld", (long long)(host + device), (long long)bytes);
    rw_sparse_destroy(&m);
}

static void refuses(const char *part, rw_multiblock_spec s, int64_t block, rw_multiblock_index index,
                    const char *layout)
{
    const rw_sparse_layout l = layout_of(layout);
    rw_sparse *m;
    FAILS(RW_ERR_ARGUMENT, part, rw_multiblock_assemble(dev, &s, block, index, &l, &m));
    assert_null(m);
}

static void test_refused(void **state)
{
    const rw_multiblock_spec good = {.blocks = {8, 1, 1}, .cells = {2, 3, 4}};
    rw_multiblock_spec s = good;
    rw_multiblock_size z;
    rw_sparse *m;
    (void)state;
    if (!once()) skip();
    s.cells[1] = 0;
    refuses("0 cells along theta: the number must be 1 to 1000000", s, 0, RW_MULTIBLOCK_EXTENDED, "bcsr:5");
    s = good, s.cells[0] = 1000001;
    refuses("1000001 cells along x", s, 0, RW_MULTIBLOCK_EXTENDED, "bcsr:5");
    s = good, s.blocks[0] = 0;
    refuses("0 grid blocks along x: the number must be 1 to 1000000", s, 0, RW_MULTIBLOCK_EXTENDED, "bcsr:5");
    s = (rw_multiblock_spec){.cells = {1000000, 1000000, 2}, .blocks = {1, 1, 1}};
    refuses("a grid of 2e+12 cells", s, 0, RW_MULTIBLOCK_EXTENDED, "bcsr:5");
    s = (rw_multiblock_spec){.cells = {1, 1, 1}, .blocks = {1000000, 2, 1}};
    refuses("2e+06 grid blocks", s, 0, RW_MULTIBLOCK_EXTENDED, "bcsr:5");
    s = good, s.stencil = RW_MULTIBLOCK_NS2D;
    refuses("ns2d with 4 cells along r: it couples the cells of one plane and needs nr = 1. For more planes use "
            "euler3d or ns3d",
            s, 0, RW_MULTIBLOCK_EXTENDED, "bcsr:5");
    s = good, s.stencil = RW_MULTIBLOCK_STENCILS;
    refuses("stencil = 4 is not a value of", s, 0, RW_MULTIBLOCK_EXTENDED, "bcsr:5");
    s = good, s.mode = RW_MULTIBLOCK_MODES;
    refuses("mode = 3 is not a value of", s, 0, RW_MULTIBLOCK_EXTENDED, "bcsr:5");
    s = good, s.omega = 1;
    refuses("omega = 1 with a real matrix: omega is on the diagonal of complex matrices only and must be 0 for real "
            "ones",
            s, 0, RW_MULTIBLOCK_EXTENDED, "bcsr:5");
    s = good, s.is_complex = true, s.omega = INFINITY;
    refuses("omega = .inf", s, 0, RW_MULTIBLOCK_EXTENDED, "bcsr:5:c128");
    s.omega = 0;
    refuses("a complex grid in a layout with values of f64: use c64 or c128", s, 0, RW_MULTIBLOCK_EXTENDED, "bcsr:5");
    refuses("grid block 8 does not exist: there are 8, counted from 0 (-1: all)", good, 8, RW_MULTIBLOCK_EXTENDED,
            "bcsr:5");
    refuses("grid block -2", good, -2, RW_MULTIBLOCK_EXTENDED, "bcsr:5");
    refuses("index = 3 is not one of", good, 0, RW_MULTIBLOCK_INDICES, "bcsr:5");
    refuses("blocks of 4 x 4: a multi-block grid has blocks of 5 x 5. Use this block size, or a format without "
            "blocks",
            good, 0, RW_MULTIBLOCK_EXTENDED, "bcsr:4");
    s = good, s.mode = RW_MULTIBLOCK_INNER;
    refuses("a compact index has no ghost cells, but mode inner of one grid block couples to them: use mode "
            "truncated, inner of all grid blocks, or the "
            "extended index",
            s, 0, RW_MULTIBLOCK_COMPACT, "bcsr:5");
    s.mode = RW_MULTIBLOCK_FULL;
    refuses("a compact index has no ghost cells, but mode full couples to them: use mode truncated, inner or the "
            "extended index",
            s, RW_MULTIBLOCK_ALL, RW_MULTIBLOCK_COMPACT, "bcsr:5");
    /* more than the machine has, known before anything is taken */
    s = (rw_multiblock_spec){.cells = {10000, 10000, 1000}, .blocks = {1, 1, 1}};
    const rw_sparse_layout l = layout_of("bcsr:5");
    FAILS(RW_ERR_MEMORY, "entries of f64 take 2.6e+14 bytes, and cpu has",
          rw_multiblock_assemble(dev, &s, 0, RW_MULTIBLOCK_EXTENDED, &l, &m));
    FAILS(RW_ERR_ARGUMENT, "grid block 1 does not exist: there are 1",
          rw_multiblock_measure(ctx, &s, 1, RW_MULTIBLOCK_STORED, RW_F64, &z));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory),           cmocka_unit_test(test_names),
                                       cmocka_unit_test(test_documents_sizes),  cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_places),           cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_distances),        cmocka_unit_test(test_layouts),
                                       cmocka_unit_test(test_same_values),      cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_widths),           cmocka_unit_test(test_zeros),
                                       cmocka_unit_test(test_real_and_complex), cmocka_unit_test(test_solvable),
                                       cmocka_unit_test(test_refused)};
    return run_on_devices("generator", tests, RW_COUNT(tests));
}
