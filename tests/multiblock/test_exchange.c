/* The operator of several grid blocks: ghosts after an exchange against the cells they stand for, products against the
 * matrix of the united grid (A28) in all stencils, modes, types and formats, periodic grids (A29), recordings, and what
 * is refused. */
/* TEST: devices=all unoptimised */
#include <complex.h>
#include <float.h>
#include <math.h>

#include "../devices.h"
#include "../values.h"
#include "rechenwerk/krylov.h"
#include "rechenwerk/multiblock.h"
#include "sparse/sparse.h"

static rw_sparse_layout layout_of(const char *text, rw_dtype values)
{
    rw_sparse_layout l;
    OK(rw_sparse_layout_parse(ctx, text, &l));
    l.values = values;
    return l;
}

/* A grid cut into grid blocks, and places in its vectors. */
typedef struct cut {
    rw_multiblock_spec spec;
    int64_t all[3], extended, ghosts[3];
} cut;

static cut cut_of(rw_multiblock_spec s)
{
    cut c = {.spec = s};
    rw_multiblock_size z;
    OK(rw_multiblock_measure(ctx, &s, 0, RW_MULTIBLOCK_EXTENDED, RW_F64, &z));
    c.extended = z.extended;
    for (int a = 0; a < 3; ++a)
        c.all[a] = s.cells[a] * s.blocks[a],
        c.ghosts[a] = a == 2 && (s.stencil == RW_MULTIBLOCK_EULER2D || s.stencil == RW_MULTIBLOCK_NS2D) ? 0 : 2;
    return c;
}

/* Number of the cell at c of grid block b. */
static int64_t place(const cut *c, const int64_t b[3], const int64_t cell[3])
{
    const int64_t block = b[0] + c->spec.blocks[0] * (b[1] + c->spec.blocks[1] * b[2]);
    return block * c->extended + rw_multiblock_cell(&c->spec, cell[0], cell[1], cell[2]);
}

/* The next cell with ghosts of all grid blocks; b[2] < 0 begins, false: behind the last. */
static bool next_cell(const cut *c, int64_t b[3], int64_t cell[3])
{
    for (int a = 0; a < 3 && b[2] >= 0; ++a) {
        if (++cell[a] < c->spec.cells[a] + c->ghosts[a]) return true;
        cell[a] = -c->ghosts[a];
    }
    for (int a = 0; a < 3 && b[2] >= 0; ++a) {
        if (++b[a] < c->spec.blocks[a]) return true;
        b[a] = 0;
        if (a == 2) return false;
    }
    for (int a = 0; a < 3; ++a) b[a] = 0, cell[a] = -c->ghosts[a];
    return true;
}
#define EACH_CELL(c) for (int64_t b[3] = {-1, -1, -1}, cell[3]; next_cell(c, b, cell);)

/* Where the cell is in the whole grid, theta from 0 where it is periodic; false: outside. */
static bool whole(const cut *c, const int64_t b[3], const int64_t cell[3], int64_t at[3])
{
    bool inside = true;
    for (int a = 0; a < 3; ++a) {
        at[a] = b[a] * c->spec.cells[a] + cell[a];
        if (a == 1 && c->spec.periodic) at[a] = (at[a] + 10 * c->all[a]) % c->all[a];
        inside = inside && at[a] >= 0 && at[a] < c->all[a];
    }
    return inside;
}

static bool is_ghost(const cut *c, const int64_t cell[3])
{
    return cell[0] < 0 || cell[1] < 0 || cell[2] < 0 || cell[0] >= c->spec.cells[0] || cell[1] >= c->spec.cells[1] ||
           cell[2] >= c->spec.cells[2];
}

/* Cells away from the grid block along each axis: what the stencil reaches has at most two in all, Euler's along one
 * axis. */
static bool reached(const cut *c, const int64_t cell[3])
{
    int64_t sum = 0, axes = 0;
    for (int a = 0; a < 3; ++a) {
        const int64_t d = cell[a] < 0 ? -cell[a] : RW_MAX(cell[a] - c->spec.cells[a] + 1, 0);
        sum += d, axes += d > 0;
    }
    return sum <= 2 && (axes <= 1 || c->spec.stencil >= RW_MULTIBLOCK_NS2D);
}

/* A number for an unknown of a cell anywhere, also outside of the grid. */
static double number(uint64_t seed, const int64_t at[3], int u, int part)
{
    return (double)(float)(rw_random_uniform(seed,
                                             (uint64_t)((((at[2] + 50) * 1000 + at[0] + 50) * 1000 + at[1] + 50) * 10 +
                                                        2 * u + part)) -
                           0.5);
}

static void put(rw_dtype type, void *p, int64_t k, double re, double im)
{
    memset((char *)p + (size_t)k * rw_dtype_size(type), 0, rw_dtype_size(type));
    rw_value_add(type, p, k, re, im);
}

/* Cells have their numbers, outer ghosts too; inner ones are wrong. */
static rw_array *vector_of(rw_multiblock *op, const cut *c, rw_dtype type, uint64_t seed)
{
    rw_array *x;
    void *p;
    OK(rw_multiblock_vector(op, type, &x));
    OK(rw_array_write(x, &p));
    EACH_CELL(c) {
        int64_t at[3];
        const bool inner = whole(c, b, cell, at) && is_ghost(c, cell);
        for (int u = 0; u < 5; ++u)
            put(type, p, 5 * place(c, b, cell) + u, inner ? 777 : number(seed, at, u, 0),
                inner ? -777 : number(seed, at, u, 1));
    }
    return x;
}

static rw_dtype with(bool is_complex, bool is_double)
{
    return is_complex ? is_double ? RW_C128 : RW_C64 : is_double ? RW_F64 : RW_F32;
}

/* ---- exchange ---------------------------------------------------------------------------------------------------- */

static rw_multiblock_spec small_of(uint64_t seed)
{
    rw_multiblock_spec s = {.seed = seed,
                            .stencil = (rw_multiblock_stencil)(seed % RW_MULTIBLOCK_STENCILS),
                            .mode = (rw_multiblock_mode)(seed % 3),
                            .periodic = seed / 2 % 2};
    for (int a = 0; a < 3; ++a) {
        s.cells[a] = 1 + (int64_t)(rw_random_u64(seed, (uint64_t)a) % 4),
        s.blocks[a] = 1 + (int64_t)(rw_random_u64(seed, 3 + (uint64_t)a) % 3);
        if (a == 2 && (s.stencil == RW_MULTIBLOCK_EULER2D || s.stencil == RW_MULTIBLOCK_NS2D))
            s.cells[a] = s.blocks[a] = 1;
    }
    return s;
}

/* Every ghost that is a cell of the grid and that the stencil reaches has its value; nothing else has changed. Then
 * these ghosts are 0. */
static void test_ghosts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (on("cpu") ? 60 : 20); ++seed) {
        const cut c = cut_of(small_of(seed));
        const rw_dtype type = with(seed % 2, seed % 3);
        const rw_sparse_layout l = layout_of("bcsr:5", RW_F32);
        rw_multiblock *op;
        OK(rw_multiblock_create(dev, &c.spec, &l, &op));
        rw_array *x = vector_of(op, &c, type, seed);
        for (int cleared = 0; cleared < 2; ++cleared) {
            const void *p;
            OK(cleared ? rw_multiblock_clear(op, x, queue) : rw_multiblock_exchange(op, x, queue));
            OK(rw_array_read(x, &p));
            EACH_CELL(&c) {
                int64_t at[3];
                const bool inner = whole(&c, b, cell, at) && is_ghost(&c, cell),
                           filled = inner && reached(&c, cell) && c.spec.mode != RW_MULTIBLOCK_TRUNCATED;
                for (int u = 0; u < 5; ++u)
                    for (int part = 0; part <= rw_dtype_is_complex(type); ++part) {
                        const double got = rw_value_get(type, p, 5 * place(&c, b, cell) + u, part);
                        const double expected = filled && cleared  ? 0
                                                : inner && !filled ? part ? -777 : 777
                                                                   : number(seed, at, u, part);
                        if (got != expected)
                            fail_msg("seed %llu, cell (%lld, %lld, %lld): %g, not %g", (unsigned long long)seed,
                                     (long long)cell[0], (long long)cell[1], (long long)cell[2], got, expected);
                    }
            }
        }
        rw_array_destroy(&x);
        rw_multiblock_destroy(&op);
    }
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* y of the united grid at the cells of grid blocks: |difference| <= c eps sum |a||x|, c = 4 times the entries of a row,
 * or the same bits. Ghosts of y are 0. */
static void compare(const char *what, const cut *c, rw_dtype type, bool is_double, rw_array *y, const cut *one,
                    rw_array *united, bool bits)
{
    const void *p, *q;
    OK(rw_array_read(y, &p));
    OK(rw_array_read(united, &q));
    /* rows are dominated by a diagonal of at most 1 + 125 sqrt 2, numbers of x are below 1: twice that bounds sum
     * |a||x| */
    const double eps = is_double ? DBL_EPSILON : FLT_EPSILON, limit = 4 * 125 * eps * 2 * (1 + 125 * 1.5);
    EACH_CELL(c) {
        int64_t at[3], origin[3] = {0, 0, 0};
        whole(c, b, cell, at);
        for (int u = 0; u < 5; ++u)
            for (int part = 0; part <= rw_dtype_is_complex(type); ++part) {
                const double got = rw_value_get(type, p, 5 * place(c, b, cell) + u, part),
                             expected =
                                 is_ghost(c, cell) ? 0 : rw_value_get(type, q, 5 * place(one, origin, at) + u, part);
                const bool good = bits || is_ghost(c, cell) ? got == expected : fabs(got - expected) <= limit;
                if (!good)
                    fail_msg("%s: unknown %d of cell (%lld, %lld, %lld) is %.17g, not %.17g", what, u, (long long)at[0],
                             (long long)at[1], (long long)at[2], got, expected);
            }
    }
}

static void product(const char *layout, rw_multiblock_spec s, const int64_t blocks[3], bool is_double)
{
    char what[200];
    rw_multiblock_spec u = s;
    for (int a = 0; a < 3; ++a) s.cells[a] = u.cells[a] / blocks[a], s.blocks[a] = blocks[a], u.blocks[a] = 1;
    snprintf(what, sizeof what, "%s: %s, %s, %s, periodic %d, %lld x %lld x %lld grid blocks, %s",
             rw_device_info(dev)->name, layout, rw_multiblock_stencil_name(s.stencil), rw_multiblock_mode_name(s.mode),
             s.periodic, (long long)blocks[0], (long long)blocks[1], (long long)blocks[2],
             rw_dtype_name(with(s.is_complex, is_double)));
    const cut many = cut_of(s), one = cut_of(u);
    const rw_dtype type = with(s.is_complex, is_double);
    const rw_sparse_layout l = layout_of(layout, type);
    /* rows are added up in the order of their columns, which is the same */
    const bool bits = !strncmp(layout, "bcsr", 4) && (on("cpu") || on("check"));
    rw_multiblock *op, *united;
    OK(rw_multiblock_create(dev, &s, &l, &op));
    OK(rw_multiblock_create(dev, &u, &l, &united));
    rw_array *x = vector_of(op, &many, type, 5), *y, *ux = vector_of(united, &one, type, 5), *uy;
    OK(rw_multiblock_vector(op, type, &y));
    OK(rw_multiblock_vector(united, type, &uy));
    OK(rw_multiblock_multiply(op, NULL, x, NULL, y, queue));
    OK(rw_multiblock_multiply(united, NULL, ux, NULL, uy, queue));
    compare(what, &many, type, is_double, y, &one, uy, bits);
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&ux), rw_array_destroy(&uy);
    rw_multiblock_destroy(&op), rw_multiblock_destroy(&united);
}

/* 1, 2, 4 and 8 grid blocks, in several arrangements, against one. */
static void test_united(void **state)
{
    static const int64_t cuts[][3] = {{1, 1, 1}, {2, 1, 1}, {1, 4, 1}, {8, 1, 1}, {2, 2, 2}, {4, 2, 1}, {1, 1, 8}};
    static const char *const layouts[] = {"bcsr:5",        "bcsr:5:columns", "bsell:5", "bell:5", "csr",
                                          "bsell:5:s1000", "vbcsr",          "coo",     "ell:l20"};
    const bool fast = on("cpu") || on("cuda");
    int count = 0;
    (void)state;
    for (int stencil = 0; stencil < RW_MULTIBLOCK_STENCILS; ++stencil)
        for (int mode = RW_MULTIBLOCK_INNER; mode < RW_MULTIBLOCK_MODES; ++mode)
            for (int k = 0; k < RW_COUNT(cuts); ++k, ++count) {
                const bool flat = stencil == RW_MULTIBLOCK_EULER2D || stencil == RW_MULTIBLOCK_NS2D;
                const rw_multiblock_spec s = {.cells = {8, 4, flat ? 1 : 8},
                                              .stencil = (rw_multiblock_stencil)stencil,
                                              .mode = (rw_multiblock_mode)mode,
                                              .periodic = count % 2,
                                              .is_complex = count % 3 != 0,
                                              .omega = count % 3 ? 0.7 : 0,
                                              .seed = (uint64_t)count + 1,
                                              .zeros = count % 5 == 0};
                if (flat && cuts[k][2] > 1) continue;
                if (!fast && count % 4) continue;
                product(layouts[count % (fast ? RW_COUNT(layouts) : 3)], s, cuts[k], count % 4 != 1);
            }
}

/* Against sums in long double over the entries of the united grid's square matrix. */
static void test_reference(void **state)
{
    (void)state;
    for (int periodic = 0; periodic < 2; ++periodic) {
        rw_multiblock_spec s = {.cells = {3, 2, 3},
                                .blocks = {2, 3, 1},
                                .stencil = RW_MULTIBLOCK_NS3D,
                                .mode = RW_MULTIBLOCK_INNER,
                                .periodic = periodic,
                                .is_complex = true,
                                .omega = 2,
                                .seed = 21};
        const cut c = cut_of(s);
        rw_multiblock_spec u = s;
        for (int a = 0; a < 3; ++a) u.cells[a] *= s.blocks[a], u.blocks[a] = 1;
        const rw_sparse_layout l = layout_of("bsell:5", RW_C128), scalar = layout_of("csr", RW_C128);
        rw_multiblock *op;
        rw_sparse *m;
        int64_t n, *row, *column;
        double *value;
        const void *p;
        OK(rw_multiblock_create(dev, &s, &l, &op));
        OK(rw_multiblock_assemble(dev, &u, 0, RW_MULTIBLOCK_COMPACT, &scalar, &m));
        OK(rw_sparse_entries(m, &n, &row, &column, &value));
        rw_array *x = vector_of(op, &c, RW_C128, 5), *y = vector_of(op, &c, RW_C128, 6);
        const double alpha[2] = {0.5, -1}, beta[2] = {2, 0.25};
        OK(rw_multiblock_multiply(op, alpha, x, beta, y, queue));
        OK(rw_array_read(y, &p));
        long double complex *sum = calloc((size_t)(5 * u.cells[0] * u.cells[1] * u.cells[2]), sizeof *sum);
        for (int64_t k = 0; k < n; ++k) {
            const int64_t j = column[k] / 5,
                          at[3] = {j / u.cells[1] % u.cells[0], j % u.cells[1], j / u.cells[1] / u.cells[0]};
            sum[row[k]] += ((long double)value[2 * k] + (long double)value[2 * k + 1] * I) *
                           (number(5, at, (int)(column[k] % 5), 0) + number(5, at, (int)(column[k] % 5), 1) * I);
        }
        EACH_CELL(&c) {
            int64_t at[3];
            if (is_ghost(&c, cell) || !whole(&c, b, cell, at)) continue;
            for (int k = 0; k < 5; ++k) {
                const long double complex before = number(6, at, k, 0) + number(6, at, k, 1) * I;
                const long double complex expected =
                    (alpha[0] + alpha[1] * I) * sum[5 * (at[1] + u.cells[1] * (at[0] + u.cells[0] * at[2])) + k] +
                    (beta[0] + beta[1] * I) * before;
                const long double complex got = rw_value_get(RW_C128, p, 5 * place(&c, b, cell) + k, 0) +
                                                rw_value_get(RW_C128, p, 5 * place(&c, b, cell) + k, 1) * I;
                if (!(cabsl(got - expected) <= 4 * 127 * DBL_EPSILON * 600))
                    fail_msg("(%lld, %lld, %lld): off by %Lg", (long long)at[0], (long long)at[1], (long long)at[2],
                             cabsl(got - expected));
            }
        }
        free(sum);
        rw_sparse_free_entries(&row, &column, &value);
        rw_array_destroy(&x), rw_array_destroy(&y), rw_sparse_destroy(&m), rw_multiblock_destroy(&op);
    }
}

/* A29: on a ring a constant is constant in all ghosts, and what is turned by a grid block has the ghosts of the grid
 * block before; matrices of grid blocks have the same pattern. */
static void test_ring(void **state)
{
    (void)state;
    const rw_multiblock_spec s = {.cells = {2, 3, 2},
                                  .blocks = {1, 8, 1},
                                  .stencil = RW_MULTIBLOCK_NS3D,
                                  .mode = RW_MULTIBLOCK_INNER,
                                  .periodic = true,
                                  .seed = 2};
    const cut c = cut_of(s);
    const rw_sparse_layout l = layout_of("bcsr:5", RW_F64);
    rw_multiblock *op;
    rw_array *x[9], *one;
    const void *p[9], *q;
    void *w;
    OK(rw_multiblock_create(dev, &s, &l, &op));
    OK(rw_multiblock_vector(op, RW_F64, &one));
    OK(rw_array_write(one, &w));
    EACH_CELL(&c)
        for (int u = 0; u < 5; ++u) ((double *)w)[5 * place(&c, b, cell) + u] = is_ghost(&c, cell) ? 0 : 1 + u;
    OK(rw_multiblock_exchange(op, one, queue));
    OK(rw_array_read(one, &q));
    for (int turn = 0; turn < 9; ++turn) {
        OK(rw_multiblock_vector(op, RW_F64, &x[turn]));
        OK(rw_array_write(x[turn], &w));
        EACH_CELL(&c) {
            int64_t at[3];
            whole(&c, b, cell, at);
            at[1] = (at[1] + 24 - 3 * turn) % 24;
            for (int u = 0; u < 5; ++u)
                ((double *)w)[5 * place(&c, b, cell) + u] = is_ghost(&c, cell) ? 0 : number(7, at, u, 0);
        }
        OK(rw_multiblock_exchange(op, x[turn], queue));
        OK(rw_array_read(x[turn], &p[turn]));
    }
    int64_t filled = 0;
    EACH_CELL(&c) {
        int64_t at[3], before[3] = {b[0], (b[1] + 7) % 8, b[2]};
        const bool inside = whole(&c, b, cell, at) && (!is_ghost(&c, cell) || reached(&c, cell));
        filled += inside && is_ghost(&c, cell);
        for (int u = 0; u < 5; ++u) {
            assert_true(((const double *)q)[5 * place(&c, b, cell) + u] == (inside ? 1 + u : 0));
            for (int turn = 0; turn < 8; ++turn)
                assert_true(((const double *)p[turn + 1])[5 * place(&c, b, cell) + u] ==
                            ((const double *)p[turn])[5 * place(&c, before, cell) + u]);
        }
    }
    /* two layers on two sides of 2 x 2 cells, and along no edge: x and r end there */
    assert_int_equal(filled, 8 * 2 * 2 * 2 * 2);
    for (int turn = 0; turn < 9; ++turn) rw_array_destroy(&x[turn]);
    rw_array_destroy(&one);
    for (int64_t b = 0; b < 8; ++b) {
        assert_int_equal(matrix_size_of(rw_multiblock_matrix(op, b)).blocks,
                         matrix_size_of(rw_multiblock_matrix(op, 0)).blocks);
        assert_memory_equal(rw_multiblock_get_spec(op)->blocks, s.blocks, sizeof s.blocks);
    }
    assert_null(rw_multiblock_matrix(op, 8));
    assert_null(rw_multiblock_matrix(op, -1));
    rw_multiblock_destroy(&op);
}

/* A product that has been recorded; it copies nothing between host and device. */
static void test_recorded(void **state)
{
    static const char *const layouts[] = {"bcsr:5", "bsell:5"};
    (void)state;
    for (int i = 0; i < RW_COUNT(layouts); ++i) {
        const rw_multiblock_spec s = {.cells = {2, 3, 4},
                                      .blocks = {2, 2, 1},
                                      .mode = RW_MULTIBLOCK_INNER,
                                      .periodic = true,
                                      .is_complex = true,
                                      .seed = 4};
        const cut c = cut_of(s);
        const rw_sparse_layout l = layout_of(layouts[i], RW_C64);
        rw_multiblock *op;
        rw_array *y, *z;
        rw_sequence *sequence;
        const void *p, *q;
        OK(rw_multiblock_create(dev, &s, &l, &op));
        rw_array *x = vector_of(op, &c, RW_C64, 5);
        OK(rw_multiblock_vector(op, RW_C64, &y));
        OK(rw_multiblock_vector(op, RW_C64, &z));
        OK(rw_multiblock_multiply(op, NULL, x, NULL, y, queue));
        OK(rw_multiblock_multiply(op, NULL, y, NULL, z, queue));
        const rw_counters before = counters();
        OK(rw_record_begin(queue));
        OK(rw_multiblock_multiply(op, NULL, x, NULL, y, queue));
        OK(rw_multiblock_clear(op, x, queue));
        OK(rw_record_end(queue, &sequence));
        for (int k = 0; k < 3; ++k) OK(rw_sequence_replay(sequence, queue));
        OK(rw_queue_wait(queue));
        const rw_counters after = counters();
        assert_true(after.bytes_in == before.bytes_in && after.bytes_out == before.bytes_out);
        assert_int_equal(after.launches - before.launches, 3 * 6); /* an exchange, four products, a clearing */
        rw_array *again;
        OK(rw_multiblock_vector(op, RW_C64, &again));
        OK(rw_multiblock_multiply(op, NULL, y, NULL, again, queue));
        OK(rw_array_read(z, &p));
        OK(rw_array_read(again, &q));
        assert_memory_equal(p, q, (size_t)rw_array_size(z) * 8);
        rw_sequence_destroy(&sequence);
        rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&z), rw_array_destroy(&again);
        rw_multiblock_destroy(&op);
    }
}

static void test_refused(void **state)
{
    const rw_multiblock_spec s = {.blocks = {8, 1, 1},
                                  .cells = {2, 3, 1},
                                  .stencil = RW_MULTIBLOCK_EULER2D,
                                  .mode = RW_MULTIBLOCK_INNER,
                                  .is_complex = true};
    const rw_sparse_layout l = layout_of("bcsr:5", RW_C128), real = layout_of("bcsr:5", RW_F64);
    rw_multiblock *op;
    rw_array *x, *y, *f, *none;
    (void)state;
    FAILS(RW_ERR_ARGUMENT, "a complex grid in a layout with values of f64", rw_multiblock_create(dev, &s, &real, &op));
    assert_null(op);
    OK(rw_multiblock_create(dev, &s, &l, &op)); /* 8 grid blocks of 6 x 7 cells with ghosts */
    OK(rw_multiblock_vector(op, RW_C128, &x));
    OK(rw_multiblock_vector(op, RW_C64, &y));
    OK(rw_multiblock_vector(op, RW_F64, &f));
    assert_int_equal(rw_array_size(x), 8 * 42 * 5);
    FAILS(RW_ERR_ARGUMENT, "vectors of u8: the type must be f32, f64, c64 or c128",
          rw_multiblock_vector(op, RW_U8, &none));
    FAILS(RW_ERR_ARGUMENT, "x and y are the same array", rw_multiblock_multiply(op, NULL, x, NULL, x, queue));
    FAILS(RW_ERR_ARGUMENT, "x is of c128, y of c64", rw_multiblock_multiply(op, NULL, x, NULL, y, queue));
    rw_array_destroy(&y);
    OK(rw_multiblock_vector(op, RW_F64, &y));
    FAILS(RW_ERR_ARGUMENT, "matrices of c128 with real vectors of f64: use complex vectors",
          rw_multiblock_multiply(op, NULL, f, NULL, y, queue));
    rw_operator *map;
    FAILS(RW_ERR_ARGUMENT, "matrices of c128 with real vectors of f64: use complex vectors",
          rw_multiblock_operator(op, RW_F64, &map));
    assert_null(map);
    FAILS(RW_ERR_ARGUMENT, "u8", rw_multiblock_operator(op, RW_U8, &map));
    assert_null(map);
    rw_array *few = new_array(RW_C128, 10, RW_MEMORY_DEVICE), *bytes = new_array(RW_U8, 1680, RW_MEMORY_DEVICE);
    FAILS(RW_ERR_ARGUMENT,
          "x has 10 entries and 1 dimensions: it must be a vector of 1680 entries, 5 unknowns of 42 cells (ghost "
          "cells included) in 8 grid "
          "blocks",
          rw_multiblock_exchange(op, few, queue));
    FAILS(RW_ERR_ARGUMENT, "y has 10 entries and", rw_multiblock_multiply(op, NULL, x, NULL, few, queue));
    FAILS(RW_ERR_ARGUMENT, "x is of u8", rw_multiblock_clear(op, bytes, queue));
    rw_array_destroy(&x), rw_array_destroy(&y), rw_array_destroy(&f), rw_array_destroy(&few), rw_array_destroy(&bytes);
    rw_multiblock_destroy(&op);
    const rw_multiblock_spec r = {.blocks = {8, 1, 1}, .cells = {2, 3, 1}, .stencil = RW_MULTIBLOCK_EULER2D};
    OK(rw_multiblock_create(dev, &r, &real, &op));
    OK(rw_multiblock_vector(op, RW_F64, &x));
    OK(rw_multiblock_vector(op, RW_F64, &y));
    FAILS(RW_ERR_ARGUMENT, "alpha and beta must be real for vectors of f64",
          rw_multiblock_multiply(op, (double[]){1, 1}, x, NULL, y, queue));
    rw_array_destroy(&x), rw_array_destroy(&y);
    rw_multiblock_destroy(&op);
    rw_multiblock_destroy(&op); /* NULL is allowed */
    const rw_multiblock_spec huge = {.cells = {10000, 10000, 1000}};
    if (on("cpu"))
        FAILS(RW_ERR_MEMORY, "use fewer cells or grid blocks, or smaller values",
              rw_multiblock_create(dev, &huge, &real, &op));
}

/* Solvers with all grid blocks against the same with the matrix of the united grid: equal solutions, in as many
 * iterations where the preconditioner is the same; ghosts stay 0. */
static void solve_united(rw_krylov_spec spec, rw_multiblock_spec s, const char *layout, rw_dtype type, double allowed)
{
    const cut c = cut_of(s);
    rw_multiblock_spec u = s;
    for (int a = 0; a < 3; ++a) u.cells[a] *= s.blocks[a], u.blocks[a] = 1;
    const rw_sparse_layout l = layout_of(layout, type), scalar = layout_of("csr", type);
    const char *name = rw_krylov_method_name(spec.method);
    rw_multiblock *op;
    rw_operator *map;
    rw_sparse *m;
    rw_krylov *k, *united;
    rw_krylov_result r, r_united;
    rw_array *b_of, *x, *all_b, *all_x;
    void *data;
    const void *p, *q;
    OK(rw_multiblock_create(dev, &s, &l, &op));
    OK(rw_multiblock_assemble(dev, &u, 0, RW_MULTIBLOCK_COMPACT, &scalar, &m));
    OK(rw_multiblock_operator(op, type, &map));
    OK(rw_multiblock_vector(op, type, &b_of));
    OK(rw_multiblock_vector(op, type, &x));
    const int64_t n = 5 * u.cells[0] * u.cells[1] * u.cells[2];
    OK(rw_array_create(dev, type, 1, &n, RW_MEMORY_DEVICE, &all_b));
    OK(rw_array_create(dev, type, 1, &n, RW_MEMORY_DEVICE, &all_x));
    OK(rw_array_zero(all_x, queue));
    OK(rw_array_write(b_of, &data));
    EACH_CELL(&c) {
        int64_t at[3];
        const bool own = whole(&c, b, cell, at) && !is_ghost(&c, cell);
        for (int i = 0; i < 5; ++i)
            put(type, data, 5 * place(&c, b, cell) + i, own ? number(9, at, i, 0) : 0, own ? number(9, at, i, 1) : 0);
    }
    OK(rw_array_write(all_b, &data));
    for (int64_t i = 0; i < n / 5; ++i) {
        const int64_t at[3] = {i / u.cells[1] % u.cells[0], i % u.cells[1], i / u.cells[1] / u.cells[0]};
        for (int e = 0; e < 5; ++e) put(type, data, 5 * i + e, number(9, at, e, 0), number(9, at, e, 1));
    }
    OK(rw_krylov_create(map, type, &spec, &k));
    OK(rw_krylov_create(rw_sparse_operator(m), type, &spec, &united));
    if (rw_krylov_solve(k, b_of, x, &r) != RW_OK) fail_msg("%s, grid blocks: %s", name, rw_message(ctx));
    if (rw_krylov_solve(united, all_b, all_x, &r_united) != RW_OK) fail_msg("%s, united: %s", name, rw_message(ctx));
    /* IDR has numbers of its own in each place */
    if (spec.method != RW_KRYLOV_IDR && llabs(r.iterations - r_united.iterations) > 1)
        fail_msg("%s: %d iterations, with the united grid %d", name, (int)r.iterations, (int)r_united.iterations);
    OK(rw_array_read(x, &p));
    OK(rw_array_read(all_x, &q));
    double largest = 0, off = 0;
    for (int64_t i = 0; i < n; ++i)
        largest = fmax(largest, hypot(rw_value_get(type, q, i, 0), rw_value_get(type, q, i, 1)));
    EACH_CELL(&c) {
        int64_t at[3];
        const bool own = whole(&c, b, cell, at) && !is_ghost(&c, cell);
        for (int i = 0; i < 5; ++i) {
            const int64_t there = 5 * place(&c, b, cell) + i,
                          united_there = 5 * (at[1] + u.cells[1] * (at[0] + u.cells[0] * at[2])) + i;
            const double re = rw_value_get(type, p, there, 0), im = rw_value_get(type, p, there, 1);
            if (own)
                off = fmax(off, hypot(re - rw_value_get(type, q, united_there, 0),
                                      im - rw_value_get(type, q, united_there, 1)));
            else if (re != 0 || im != 0) fail_msg("%s: a ghost is %g + %g i", name, re, im);
        }
    }
    if (!(off <= allowed * largest)) fail_msg("%s: x is off by %g of %g", name, off, largest);
    rw_krylov_destroy(&k), rw_krylov_destroy(&united), rw_operator_destroy(&map), rw_sparse_destroy(&m),
        rw_multiblock_destroy(&op);
    rw_array_destroy(&b_of), rw_array_destroy(&x), rw_array_destroy(&all_b), rw_array_destroy(&all_x);
}

static void test_solvers(void **state)
{
    const rw_multiblock_spec euler = {.cells = {3, 4, 3},
                                      .blocks = {4, 1, 1},
                                      .mode = RW_MULTIBLOCK_INNER,
                                      .periodic = true,
                                      .seed = 5};
    const rw_multiblock_spec viscous = {.cells = {3, 3, 3},
                                        .blocks = {2, 2, 1},
                                        .stencil = RW_MULTIBLOCK_NS3D,
                                        .mode = RW_MULTIBLOCK_INNER,
                                        .is_complex = true,
                                        .omega = 1,
                                        .seed = 6};
    const rw_precond_spec jacobi = {.method = RW_PRECOND_JACOBI}, chebyshev = {.method = RW_PRECOND_CHEBYSHEV};
    (void)state;
    solve_united((rw_krylov_spec){.method = RW_KRYLOV_GMRES, .rtol = 1e-11, .precond = jacobi}, euler, "bcsr:5", RW_F64,
                 1e-9);
    solve_united((rw_krylov_spec){.method = RW_KRYLOV_GMRES, .rtol = 1e-11, .precond = jacobi}, viscous, "bsell:5",
                 RW_C128, 1e-9);
    if ((on("opencl") && !rw_device_info(dev)->gpu) || brief()) return; /* programs take long there */
    solve_united((rw_krylov_spec){.method = RW_KRYLOV_BICGSTAB, .rtol = 1e-11}, euler, "bsell:5", RW_F64, 1e-9);
    solve_united((rw_krylov_spec){.method = RW_KRYLOV_IDR, .rtol = 1e-11, .precond = jacobi}, viscous, "csr", RW_C128,
                 1e-9);
    solve_united((rw_krylov_spec){.method = RW_KRYLOV_FGMRES, .rtol = 1e-5, .precond = chebyshev}, euler, "dia", RW_F32,
                 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ghosts),    cmocka_unit_test(test_united),
                                       cmocka_unit_test(test_reference), cmocka_unit_test(test_ring),
                                       cmocka_unit_test(test_recorded),  cmocka_unit_test(test_solvers),
                                       cmocka_unit_test(test_refused)};
    return run_on_devices("exchange", tests, RW_COUNT(tests));
}
