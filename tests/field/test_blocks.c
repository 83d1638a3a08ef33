/* Block-structured grids: numbers of cells and points, volumes, neighbours, in every orientation of the blocks; curved
 * bodies; bad meshes. */
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

#include "../normal.h"
#include "field/hexahedron.h"
#include "meshes.h"

static rw_context *ctx;

static const double pi = 3.14159265358979323846;

#define MADE(call)                                                                                                     \
    do {                                                                                                               \
        if ((call) != RW_OK) fail_msg("%s: %s", #call, rw_message(ctx));                                               \
    } while (0)

static double *volumes_of(const rw_blocks *g)
{
    double *v = calloc((size_t)rw_blocks_cells(g), sizeof *v);
    MADE(rw_blocks_volumes(g, v));
    return v;
}

static double total_volume(const rw_blocks *g)
{
    double *v = volumes_of(g), sum = 0, lost = 0;
    for (int64_t c = 0; c < rw_blocks_cells(g); ++c) {
        double y = v[c] - lost, t = sum + y;
        assert_true(v[c] > 0);
        lost = t - sum - y, sum = t;
    }
    free(v);
    return sum;
}

/* Cells that are neighbours share the four points of a side, and know each other; sides without a neighbour are
 * counted. */
static int64_t check_neighbours(const rw_blocks *g)
{
    int64_t n = rw_blocks_cells(g), boundary = 0;
    int32_t(*next)[6] = calloc((size_t)n, sizeof *next);
    static const int corners[6][4] = {{0, 3, 4, 7}, {1, 2, 5, 6}, {0, 1, 4, 5},
                                      {2, 3, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}};
    rw_blocks_neighbours(g, next);
    for (int64_t c = 0; c < n; ++c)
        for (int side = 0; side < 6; ++side) {
            int64_t mine[8], theirs[8], d = next[c][side];
            int shared = 0, back = 0;
            if (d < 0) {
                ++boundary;
                continue;
            }
            rw_blocks_cell_points(g, c, mine), rw_blocks_cell_points(g, d, theirs);
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 8; ++j) shared += mine[corners[side][i]] == theirs[j];
            for (int s = 0; s < 6; ++s) back += next[d][s] == c;
            if (shared != 4 || back != 1)
                fail_msg("cells %d and %d share %d points, %d sides", (int)c, (int)d, shared, back);
        }
    free(next);
    return boundary;
}

/* Every point is a point of some cell, and no two lie at the same place. */
static int by_place(const void *a, const void *b)
{
    const double *x = a, *y = b;
    for (int d = 0; d < 3; ++d)
        if (fabs(x[d] - y[d]) > 1e-12) return x[d] < y[d] ? -1 : 1;
    return 0;
}

static void check_points(const rw_blocks *g)
{
    int64_t n = rw_blocks_points(g);
    bool *used = calloc((size_t)n, 1);
    double(*x)[3] = calloc((size_t)n, sizeof *x);
    for (int64_t c = 0; c < rw_blocks_cells(g); ++c) {
        int64_t p[8];
        rw_blocks_cell_points(g, c, p);
        for (int i = 0; i < 8; ++i) {
            assert_in_range(p[i], 0, n - 1);
            used[p[i]] = true;
        }
    }
    for (int64_t i = 0; i < n; ++i) assert_true(used[i]);
    memcpy(x, rw_blocks_coordinates(g), (size_t)n * sizeof *x);
    qsort(x, (size_t)n, sizeof *x, by_place);
    for (int64_t i = 1; i < n; ++i) assert_true(by_place(x[i - 1], x[i]) != 0);
    free(used), free(x);
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

static void test_box(void **state)
{
    (void)state;
    static const int sizes[][3] = {{1, 1, 1}, {2, 1, 1}, {1, 2, 3}, {5, 4, 3}, {17, 2, 9}};
    for (int i = 0; i < RW_COUNT(sizes); ++i) {
        const int *n = sizes[i];
        rw_blocks *g;
        MADE(rw_blocks_box(ctx, (double[3]){1, 2, 0.5}, n, &g));
        assert_int_equal(rw_blocks_cells(g), n[0] * n[1] * n[2]);
        assert_int_equal(rw_blocks_points(g), (n[0] + 1) * (n[1] + 1) * (n[2] + 1));
        assert_true(fabs(total_volume(g) - 1) < 1e-14);
        assert_int_equal(check_neighbours(g), 2 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]));
        check_points(g);
        double(*centre)[3] = calloc((size_t)rw_blocks_cells(g), sizeof *centre);
        MADE(rw_blocks_centres(g, centre));
        for (int64_t c = 0; c < rw_blocks_cells(g); ++c) {
            int at[3];
            assert_int_equal(rw_blocks_find(g, c, at), 0);
            for (int d = 0; d < 3; ++d)
                assert_true(fabs(centre[c][d] - (at[d] + 0.5) / n[d] * (d == 0 ? 1 : d == 1 ? 2 : 0.5)) < 1e-14);
        }
        free(centre);
        rw_blocks_destroy(&g);
        assert_null(g);
    }
}

/* Nine blocks of a 3 x 3 x 1 array and their vertices shaken; each rotated at random. */
static void test_rotated_blocks(void **state)
{
    (void)state;
    enum { SEED = 11, ROUNDS = 60, N = 3 };
    uint64_t at = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        double vertices[32][3];
        int blocks[9][8];
        for (int v = 0; v < 32; ++v) {
            int where[3] = {v % 4, v / 4 % 4, v / 16};
            for (int d = 0; d < 3; ++d) vertices[v][d] = where[d] + 0.3 * (rw_random_uniform(SEED, at++) - 0.5);
        }
        for (int b = 0; b < 9; ++b) {
            int corner = b % 3 + 4 * (b / 3);
            const int around[8] = {0, 1, 5, 4, 16, 17, 21, 20};
            for (int i = 0; i < 8; ++i) blocks[b][i] = corner + around[i];
            rotate(round < 24 && b == 4 ? round : (int)(rw_random_u64(SEED, at++) % 24), blocks[b]);
        }
        rw_blocks_spec spec = {.mesh = {.nvertices = 32,
                                        .nblocks = 9,
                                        .vertices = (const double(*)[3])vertices,
                                        .blocks = (const int(*)[8])blocks},
                               .cells = {N, N, N}};
        rw_blocks *g;
        MADE(rw_blocks_create(ctx, &spec, &g));
        assert_int_equal(rw_blocks_cells(g), 9 * N * N * N);
        assert_int_equal(rw_blocks_points(g), (3 * N + 1) * (3 * N + 1) * (N + 1));
        assert_int_equal(check_neighbours(g), 2 * 9 * N * N + 4 * 3 * N * N);
        check_points(g);
        for (int b = 0; b < 9; ++b) { /* corners are where the mesh has them */
            rw_block block;
            rw_blocks_get_block(g, b, &block);
            assert_memory_equal(block.corner, blocks[b], sizeof block.corner);
            assert_int_equal(rw_blocks_point(g, b, 0, 0, 0), blocks[b][0]);
            assert_int_equal(rw_blocks_point(g, b, N, N, 0), blocks[b][2]);
            assert_int_equal(rw_blocks_point(g, b, 0, N, N), blocks[b][7]);
        }
        rw_blocks_destroy(&g);
    }
}

/* Numbers of cells that differ from axis to axis, and blocks that see them turned. */
static void test_cells_of_each_block(void **state)
{
    (void)state;
    const double vertices[12][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1},
                                    {1, 1, 1}, {0, 1, 1}, {2, 0, 0}, {2, 1, 0}, {2, 0, 1}, {2, 1, 1}};
    for (int rotation = 0; rotation < 24; ++rotation) {
        int blocks[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 8, 9, 2, 5, 10, 11, 6}}, cells[2][3] = {{2, 3, 4}}, order[8];
        for (int i = 0; i < 8; ++i) order[i] = i;
        rotate(rotation, order), rotate(rotation, blocks[1]);
        const int along[3] = {5, 3, 4}; /* of block 1 before it was turned */
        for (int d = 0; d < 3; ++d) {
            static const int end[3] = {1, 3, 4};
            static const int vtk[8] = {0, 1, 3, 2, 4, 5, 7, 6};
            int axis = vtk[order[0]] ^ vtk[order[end[d]]];
            cells[1][d] = along[axis == 1 ? 0 : axis == 2 ? 1 : 2];
        }
        rw_blocks_spec spec =
            {.mesh = {.nvertices = 12, .nblocks = 2, .vertices = vertices, .blocks = (const int(*)[8])blocks},
             .cells_of = (const int(*)[3])cells};
        rw_blocks *g;
        MADE(rw_blocks_create(ctx, &spec, &g));
        assert_int_equal(rw_blocks_cells(g), (2 + 5) * 3 * 4);
        assert_int_equal(rw_blocks_points(g), (2 + 5 + 1) * 4 * 5);
        assert_true(fabs(total_volume(g) - 2) < 1e-14);
        assert_int_equal(check_neighbours(g), 2 * (7 * 3 + 3 * 4 + 4 * 7));
        check_points(g);
        rw_blocks_destroy(&g);
    }
}

/* Of any hexahedron, against Gauss's rule: two points an axis, for the Jacobian is of degree 2 in each coordinate. */
static void test_volume(void **state)
{
    (void)state;
    enum { SEED = 3, ROUNDS = 1000 };
    for (uint64_t round = 0; round < ROUNDS; ++round) {
        static const double at[2] = {0.21132486540518711775, 0.78867513459481288225};
        double x[8][3], N[8], dN[8][3], J[3][3], sum = 0;
        for (int c = 0; c < 8; ++c)
            for (int d = 0; d < 3; ++d)
                x[c][d] = (c >> d & 1) + 0.6 * normal(SEED, 24 * round + 3 * (uint64_t)c + (uint64_t)d);
        for (int n = 0; n < 8; ++n) {
            rw_hexahedron_shape((double[3]){at[n & 1], at[n >> 1 & 1], at[n >> 2]}, N, dN);
            sum += rw_hexahedron_jacobian((const double(*)[3])x, dN, J) / 8;
        }
        double volume = rw_hexahedron_volume((const double(*)[3])x);
        if (fabs(volume - sum) > 1e-13 * (1 + fabs(sum)))
            fail_msg("seed %d, round %d: %.17g, by Gauss's rule %.17g", SEED, (int)round, volume, sum);
    }
}

/* ---- curved bodies ----------------------------------------------------------------------------------------------- */

/* Between chords of n cells a quarter the volume is that of a regular polygon of 4n sides. */
static void test_cylinder(void **state)
{
    (void)state;
    static const struct {
        int n;
        double volume;
    } rows[] = {{1, 0}, {2, 0}, {5, 7.7254248593736845}, {10, 7.821723252011544}, {20, 7.845909572784494}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        int n = rows[i].n;
        double expected = 10 * 2 * n * 0.25 * sin(pi / (2 * n));
        rw_blocks *g;
        MADE(rw_blocks_cylinder(ctx, 0.5, 0.2, 10, (int[3]){n, n, n}, &g));
        assert_int_equal(rw_blocks_count(g), 5);
        assert_int_equal(rw_blocks_cells(g), 5 * n * n * n);
        assert_int_equal(rw_blocks_points(g), (n + 1) * ((n + 1) * (n + 1) + 4 * n * n));
        double volume = total_volume(g);
        if (fabs(volume - expected) > 1e-13 * expected)
            fail_msg("n = %d: volume %.17g, expected %.17g", n, volume, expected);
        if (rows[i].volume > 0) assert_true(fabs(volume - rows[i].volume) < 1e-13 * volume);
        assert_int_equal(check_neighbours(g), 5 * 2 * n * n + 4 * n * n);
        check_points(g);
        const double(*x)[3] = rw_blocks_coordinates(g);
        for (int j = 0; j <= n; ++j) { /* on the surface, equal angles */
            const double *p = x[rw_blocks_point(g, 1, n, j, 0)];
            assert_true(fabs(hypot(p[0], p[1]) - 0.5) < 1e-15);
            assert_true(fabs(atan2(p[1], p[0]) - pi * (-0.75 + 0.5 * j / n)) < 1e-14);
        }
        rw_blocks_destroy(&g);
    }
}

static void test_ball(void **state)
{
    (void)state;
    double before = 0;
    for (int n = 4; n <= 32; n *= 2) {
        rw_blocks *g;
        MADE(ball(ctx, n, RW_MAPPING_TRANSFINITE, &g));
        double missing = 4 * pi / 3 - total_volume(g);
        assert_true(missing > 0);
        if (before > 0 && !(before / missing > 3.8 && before / missing < 4.2))
            fail_msg("n = %d: volume %g short, %g before", n, missing, before);
        before = missing;
        assert_int_equal(check_neighbours(g), 6 * n * n);
        check_points(g);
        const double(*x)[3] = rw_blocks_coordinates(g);
        for (int i = 0; i <= n; ++i)
            for (int j = 0; j <= n; ++j) {
                const double *p = x[rw_blocks_point(g, 3, i, j, n)];
                assert_true(fabs(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 1) < 1e-15);
            }
        rw_blocks_destroy(&g);
    }
    rw_blocks *g; /* straight: the cube through the corners */
    MADE(ball(ctx, 3, RW_MAPPING_TRILINEAR, &g));
    assert_true(fabs(total_volume(g) - 8 / (3 * sqrt(3))) < 1e-14);
    rw_blocks_destroy(&g);
}

/* The same cylinder through a file of Gmsh, its mantle found by where its corners lie. */
static void test_gmsh(void **state)
{
    (void)state;
    char path[] = "/tmp/rechenwerk-mesh-XXXXXX";
    int file = mkstemp(path), n = 4;
    assert_true(file >= 0);
    FILE *f = fdopen(file, "w");
    rw_blocks *by_hand, *read;
    MADE(rw_blocks_cylinder(ctx, 0.5, 0.2, 10, (int[3]){1, 1, 1}, &by_hand));
    fprintf(f, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", (int)rw_blocks_points(by_hand));
    for (int p = 0; p < rw_blocks_points(by_hand); ++p) {
        const double *x = rw_blocks_coordinates(by_hand)[p];
        fprintf(f, "%d %.17g %.17g %.17g\n", p + 1, x[0], x[1], x[2]);
    }
    fprintf(f, "$EndNodes\n$Elements\n%d\n", (int)rw_blocks_count(by_hand));
    for (int b = 0; b < rw_blocks_count(by_hand); ++b) {
        rw_block block;
        rw_blocks_get_block(by_hand, b, &block);
        fprintf(f, "%d 5 2 0 1", b + 1);
        for (int i = 0; i < 8; ++i) fprintf(f, " %d", block.corner[i] + 1);
        fprintf(f, "\n");
    }
    fprintf(f, "$EndElements\n");
    fclose(f);
    rw_blocks_destroy(&by_hand);
    rw_surface mantle = {.kind = RW_SURFACE_CYLINDER, .centre = {0, 0, 3}, .axis = {0, 0, -2}, .radius = 0.5};
    MADE(rw_blocks_read_gmsh(ctx, path, (int[3]){n, n, n}, &mantle, 1, &read));
    MADE(rw_blocks_cylinder(ctx, 0.5, 0.2, 10, (int[3]){n, n, n}, &by_hand));
    assert_int_equal(rw_blocks_cells(read), 5 * n * n * n);
    assert_true(fabs(total_volume(read) - total_volume(by_hand)) < 1e-13);
    assert_int_equal(check_neighbours(read), 5 * 2 * n * n + 4 * n * n);
    rw_blocks_destroy(&read);
    /* straight: the square through the corners */
    MADE(rw_blocks_read_gmsh(ctx, path, (int[3]){n, n, n}, NULL, 0, &read));
    assert_true(fabs(total_volume(read) - 10 * 0.5) < 1e-13);
    rw_blocks_destroy(&read), rw_blocks_destroy(&by_hand);
    assert_int_equal(rw_blocks_read_gmsh(ctx, path, (int[3]){0, n, n}, NULL, 0, &read), RW_ERR_ARGUMENT);
    unlink(path);
    assert_int_equal(rw_blocks_read_gmsh(ctx, path, (int[3]){n, n, n}, NULL, 0, &read), RW_ERR_FILE);
}

/* Sections: areas by counting pixels, and each pixel's cell is where the pixel is. */
static void test_sections(void **state)
{
    (void)state;
    enum { PIXELS = 300 };
    static int64_t cell[PIXELS * PIXELS];
    rw_blocks *g;
    int n = 6;
    MADE(rw_blocks_cylinder(ctx, 0.5, 0.2, 2, (int[3]){n, n, 4}, &g));
    double(*centre)[3] = calloc((size_t)rw_blocks_cells(g), sizeof *centre), lower[3], upper[3];
    MADE(rw_blocks_centres(g, centre));
    rw_blocks_extent(g, lower, upper);
    for (int d = 0; d < 3; ++d)
        assert_true(fabs(lower[d] - (d < 2 ? -0.5 : 0)) < 0.02 && fabs(upper[d] - (d < 2 ? 0.5 : 2)) < 0.02);
    for (int axis = 0; axis < 3; ++axis) {
        int o[2] = {axis == 0, axis == 2 ? 1 : 2};
        rw_blocks_slice s = {.axis = axis,
                             .at = axis == 2 ? 0.7 : 0.01,
                             .lower = {lower[o[0]], lower[o[1]]},
                             .upper = {upper[o[0]], upper[o[1]]},
                             .n = {PIXELS, PIXELS}};
        MADE(rw_blocks_cut(g, &s, cell));
        double area = 0, expected = axis == 2 ? 2 * n * 0.25 * sin(pi / (2 * n)) : 2 * sqrt(0.25 - 1e-4) * 2;
        for (int j = 0; j < PIXELS; ++j)
            for (int i = 0; i < PIXELS; ++i) {
                int64_t c = cell[j * PIXELS + i];
                if (c < 0) continue;
                double p[2] = {s.lower[0] + (i + 0.5) * (s.upper[0] - s.lower[0]) / PIXELS,
                               s.lower[1] + (j + 0.5) * (s.upper[1] - s.lower[1]) / PIXELS};
                area += (s.upper[0] - s.lower[0]) * (s.upper[1] - s.lower[1]) / PIXELS / PIXELS;
                assert_true(fabs(centre[c][axis] - s.at) < (axis == 2 ? 0.251 : 0.15));
                for (int d = 0; d < 2; ++d) assert_true(fabs(centre[c][o[d]] - p[d]) < (o[d] == 2 ? 0.251 : 0.15));
            }
        if (fabs(area - expected) > 0.02 * expected) fail_msg("axis %d: area %g, expected %g", axis, area, expected);
    }
    rw_blocks_slice none = {.axis = 2, .at = 3, .lower = {0, 0}, .upper = {1, 1}, .n = {4, 4}};
    MADE(rw_blocks_cut(g, &none, cell));
    for (int i = 0; i < 16; ++i) assert_true(cell[i] == -1);
    none.n[1] = 0;
    assert_int_equal(rw_blocks_cut(g, &none, cell), RW_ERR_ARGUMENT);
    free(centre);
    rw_blocks_destroy(&g);
}

/* ---- local matrices ---------------------------------------------------------------------------------------------- */

static double with_x(void *user, const double x[3], double v, const double dv[3], double w, const double dw[3])
{
    (void)dv, (void)w;
    return *(const double *)user * x[0] * v * dw[0];
}

static void test_local_matrices(void **state)
{
    (void)state;
    rw_blocks *g;
    MADE(rw_blocks_box(ctx, (double[3]){2, 3, 1.5}, (int[3]){2, 2, 2}, &g)); /* cells 1 x 1.5 x 0.75 */
    double(*M)[8][8] = calloc(8, sizeof *M), h[3] = {1, 1.5, 0.75}, two = 2;
    static const int vtk[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    MADE(rw_blocks_local(g, rw_integrand_mass, NULL, 2, M));
    for (int p = 0; p < 8; ++p) /* products of 1/3 where an axis agrees, 1/6 where it does not */
        for (int q = 0; q < 8; ++q) {
            double expected = h[0] * h[1] * h[2];
            for (int d = 0; d < 3; ++d) expected *= (vtk[p] ^ vtk[q]) >> d & 1 ? 1 / 6.0 : 1 / 3.0;
            assert_true(fabs(M[5][p][q] - expected) < 1e-15);
        }
    MADE(rw_blocks_local(g, rw_integrand_stiffness, NULL, 2, M));
    for (int p = 0; p < 8; ++p)
        for (int q = 0; q < 8; ++q) {
            double expected = 0;
            for (int e = 0; e < 3; ++e) {
                double part = h[0] * h[1] * h[2];
                for (int d = 0; d < 3; ++d) {
                    bool other = (vtk[p] ^ vtk[q]) >> d & 1;
                    part *= d == e ? (other ? -1 : 1) / (h[d] * h[d]) : other ? 1 / 6.0 : 1 / 3.0;
                }
                expected += part;
            }
            if (fabs(M[3][p][q] - expected) > 1e-15)
                fail_msg("%d, %d: %.17g, expected %.17g", p, q, M[3][p][q], expected);
        }
    MADE(rw_blocks_local(g, with_x, &two, 2, M)); /* v summed over p is 1, w = x/h: 2 x/h over the cell */
    double sum = 0;
    for (int p = 0; p < 8; ++p)
        for (int q = 0; q < 8; ++q) sum += M[1][p][q] * (vtk[q] & 1);
    assert_true(fabs(sum - 2 * 1.5 / h[0] * h[0] * h[1] * h[2]) < 1e-14);
    rw_blocks_destroy(&g), free(M);

    MADE(rw_blocks_cylinder(ctx, 0.5, 0.2, 10, (int[3]){4, 3, 2}, &g));
    int64_t n = rw_blocks_cells(g);
    double *volume = volumes_of(g), *one = calloc((size_t)n, sizeof *one);
    M = calloc((size_t)n, sizeof *M);
    for (int gauss = 2; gauss <= 4; ++gauss) {
        MADE(rw_blocks_local(g, rw_integrand_mass, NULL, gauss, M));
        for (int64_t c = 0; c < n; ++c) one[c] = 1;
        rw_blocks_integrate(g, (const double(*)[8][8])M, one);
        for (int64_t c = 0; c < n; ++c) assert_true(fabs(one[c] - volume[c]) < 1e-15);
    }
    MADE(rw_blocks_local(g, rw_integrand_stiffness, NULL, 3, M)); /* constants have no gradient */
    for (int64_t c = 0; c < n; ++c)
        for (int p = 0; p < 8; ++p) {
            double row = 0;
            for (int q = 0; q < 8; ++q) row += M[c][p][q];
            assert_true(fabs(row) < 1e-12);
        }
    assert_int_equal(rw_blocks_local(g, rw_integrand_mass, NULL, 5, M), RW_ERR_ARGUMENT);
    assert_int_equal(rw_blocks_local(g, rw_integrand_mass, NULL, 0, M), RW_ERR_ARGUMENT);
    rw_blocks_destroy(&g), free(M), free(volume), free(one);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void expect(const rw_blocks_spec *spec, rw_status status, const char *message)
{
    rw_blocks *g;
    rw_status got = rw_blocks_create(ctx, spec, &g);
    assert_null(g);
    if (got != status || !strstr(rw_message(ctx), message))
        fail_msg("status %d: %s\nexpected: %s", got, rw_message(ctx), message);
}

static void test_bad_meshes(void **state)
{
    (void)state;
    double vertices[16][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1},
                              {2, 0, 0}, {2, 1, 0}, {2, 0, 1}, {2, 1, 1}, {3, 0, 0}, {3, 1, 0}, {3, 0, 1}, {3, 1, 1}};
    int blocks[3][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 8, 9, 2, 5, 10, 11, 6}, {0, 1, 2, 3, 4, 5, 6, 7}},
        cells[3][3] = {{2, 2, 2}, {2, 2, 2}, {2, 2, 2}};
    rw_blocks_spec good = {.mesh = {.nvertices = 16,
                                    .nblocks = 1,
                                    .vertices = (const double(*)[3])vertices,
                                    .blocks = (const int(*)[8])blocks},
                           .cells = {2, 2, 2}},
                   s;
    rw_blocks *g;

    s = good, s.cells[1] = 0;
    expect(&s, RW_ERR_ARGUMENT, "block 0 has 0 cells along its axis 1: at least 1 is needed");
    s = good, s.cells[0] = s.cells[1] = s.cells[2] = 1300;
    expect(&s, RW_ERR_ARGUMENT, "more than 2^31 - 1 cells");
    s = good, s.mesh.nvertices = 8, blocks[0][6] = 8;
    expect(&s, RW_ERR_INPUT, "corner 6 of block 0 is vertex 8, but vertices are numbered 0 to 7");
    blocks[0][6] = -1;
    expect(&s, RW_ERR_INPUT, "corner 6 of block 0 is vertex -1");
    blocks[0][6] = 2;
    expect(&s, RW_ERR_INPUT, "corners 2 and 6 of block 0 are the same vertex 2");
    blocks[0][6] = 6, vertices[3][1] = NAN;
    expect(&s, RW_ERR_INPUT, "vertex 3 has y = nan");
    vertices[3][1] = 1;

    static const int upside_down[8] = {4, 5, 6, 7, 0, 1, 2, 3}, twisted[8] = {0, 1, 2, 3, 5, 4, 6, 7};
    int keep[8];
    memcpy(keep, blocks[0], sizeof keep), memcpy(blocks[0], upside_down, sizeof keep);
    expect(&s, RW_ERR_INPUT, "block 0 is inverted: seen from its corner 0 (vertex 4) its axes are left-handed");
    memcpy(blocks[0], twisted, sizeof keep);
    expect(&s, RW_ERR_INPUT, "is twisted: the Jacobian of its mapping is not positive at every corner");
    memcpy(blocks[0], keep, sizeof keep);
    vertices[6][0] = vertices[6][1] = vertices[6][2] = 0.2; /* a corner pushed in */
    expect(&s, RW_ERR_INPUT, "cell (");
    vertices[6][0] = vertices[6][1] = vertices[6][2] = 1;

    s = good, s.mesh.nblocks = 2, s.cells_of = (const int(*)[3])cells, cells[1][1] = 3;
    expect(&s, RW_ERR_INPUT,
           "block 1 has 3 cells along its axis 1, block 0 has 2 there: they share the edge of vertices 1 and 2");
    cells[1][1] = 2, cells[1][0] = 7; /* across: its own */
    MADE(rw_blocks_create(ctx, &s, &g));
    rw_blocks_destroy(&g);
    s = good, s.mesh.nblocks = 2;
    int exchanged = blocks[1][3];
    blocks[1][3] = blocks[1][7], blocks[1][7] = exchanged; /* the shared face crossed */
    expect(&s, RW_ERR_INPUT,
           "blocks 0 and 1 join the vertices 1, 2, 5, 6 to different quadrilaterals: one of them is twisted");
    blocks[1][7] = blocks[1][3], blocks[1][3] = exchanged;
    s = good, s.mesh.nblocks = 3;
    const int third[8] = {1, 12, 13, 2, 5, 14, 15, 6};
    memcpy(blocks[2], third, sizeof third);
    expect(&s, RW_ERR_INPUT, "the face of vertices 1, 2, 5, 6 belongs to three blocks, 0, 1, 2");

    rw_surface surface = {.kind = RW_SURFACE_SPHERE};
    rw_on_surface curved = {0, 2, {0, 6}};
    s = good, s.mesh.nsurfaces = 1, s.mesh.surfaces = &surface, s.mesh.ncurved = 1, s.mesh.curved = &curved;
    expect(&s, RW_ERR_ARGUMENT, "surface 0 is invalid");
    surface.radius = 2;
    expect(&s, RW_ERR_INPUT, "curved part 0 is neither an edge (2 vertices) nor a face (4 vertices) of a block");
    curved.surface = 1;
    expect(&s, RW_ERR_INPUT, "curved part 0 lies on surface 1, but the number of surfaces is 1");
    assert_int_equal(rw_blocks_cylinder(ctx, 0.5, 0.6, 1, (int[3]){1, 1, 1}, &g), RW_ERR_ARGUMENT);
    assert_int_equal(rw_blocks_box(ctx, (double[3]){1, 0, 1}, (int[3]){1, 1, 1}, &g), RW_ERR_ARGUMENT);
}

static void test_memory(void **state)
{
    (void)state;
    for (long n = 1;; ++n) {
        rw_blocks *g;
        rw_fault_set(RW_FAULT_ALLOC, n);
        rw_status status = rw_blocks_cylinder(ctx, 0.5, 0.2, 1, (int[3]){2, 3, 2}, &g);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        if (status == RW_OK) {
            rw_blocks_destroy(&g);
            assert_true(n > 6);
            return;
        }
        assert_int_equal(status, RW_ERR_MEMORY);
        assert_null(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_box),
                                       cmocka_unit_test(test_rotated_blocks),
                                       cmocka_unit_test(test_cells_of_each_block),
                                       cmocka_unit_test(test_volume),
                                       cmocka_unit_test(test_cylinder),
                                       cmocka_unit_test(test_ball),
                                       cmocka_unit_test(test_gmsh),
                                       cmocka_unit_test(test_sections),
                                       cmocka_unit_test(test_local_matrices),
                                       cmocka_unit_test(test_bad_meshes),
                                       cmocka_unit_test(test_memory)};
    if (rw_context_create(&ctx) != RW_OK) return 1;
    int failed = cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
    rw_context_destroy(&ctx);
    return failed;
}
