/* Meshes of Gmsh: both versions, what is left out, and what is refused, with the line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"
#include "files/gmsh.h"

static rw_context *ctx;

/* Two cubes side by side, a node that none of them has, points and faces; nodes in no order. */
#define NODES_2                                                                                                        \
    "$Nodes\n13\n30 0 0 0\n1 1 0 0\n2 1 1 0\n3 0 1 0\n4 0 0 1\n5 1 0 1\n6 1 1 1\n7 0 1 1\n8 2 0 0\n"                   \
    "9 2 1 0\n10 2 0 1\n11 2 1 1\n99 7 7 7\n$EndNodes\n"
static const char version2[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"crystal\"\n$EndPhysicalNames\n" NODES_2
    "$Elements\n4\n1 15 2 0 1 30\n2 3 2 0 1 30 1 2 3\n3 5 2 0 1 30 1 2 3 4 5 6 7\n4 5 2 0 1 1 8 9 2 5 10 11 6\n"
    "$EndElements\n";
static const char version4[] =
    "$MeshFormat\r\n4.1 0 8\r\n$EndMeshFormat\r\n$Entities\n1 0 0 1\n$EndEntities\n"
    "$Nodes\n2 13 1 99\n2 1 1 4\n30\n1\n2\n3\n0 0 0 0.1 0.2\n1 0 0 1 1\n1 1 0 1 1\n0 1 0 1 1\n"
    "3 1 0 9\n4\n5\n6\n7\n8\n9\n10\n11\n99\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n2 0 0\n2 1 0\n2 0 1\n2 1 1\n7 7 7\n$EndNodes\n"
    "$Elements\n3 4 1 4\n0 1 15 1\n1 30\n2 1 3 1\n2 30 1 2 3\n3 1 5 2\n3 30 1 2 3 4 5 6 7\n4 1 8 9 2 5 10 11 6\n"
    "$EndElements\n";

static void check_mesh(const char *text)
{
    /* vertices in the order of their tags: 1 … 11, 30 */
    static const int expected[2][8] = {{11, 0, 1, 2, 3, 4, 5, 6}, {0, 7, 8, 1, 4, 9, 10, 5}};
    rw_gmsh m;
    if (rw_gmsh_parse(ctx, "mesh.msh", text, strlen(text), &m) != RW_OK) fail_msg("%s", rw_message(ctx));
    assert_int_equal(m.nvertices, 12);
    assert_int_equal(m.nhexahedra, 2);
    assert_memory_equal(m.hexahedra, expected, sizeof expected);
    for (int i = 0; i < 8; ++i) {
        static const int at[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
        for (int d = 0; d < 3; ++d) {
            assert_true(m.vertices[m.hexahedra[0][i]][d] == at[i][d]);
            assert_true(m.vertices[m.hexahedra[1][i]][d] == at[i][d] + (d == 0));
        }
    }
    rw_gmsh_free(&m);
    assert_null(m.vertices);
}

static void test_versions(void **state)
{
    (void)state;
    char marked[8192];
    check_mesh(version2), check_mesh(version4);
    snprintf(marked, sizeof marked, "\xEF\xBB\xBF%s", version4);
    check_mesh(marked);
}

#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {{"", "m:1: a mesh of Gmsh begins with $MeshFormat"},
                {"solid cube\n", "m:1: a mesh of Gmsh begins with $MeshFormat"},
                {"$MeshFormat\n3 0 8\n",
                 "m:2: version 3: only 2.2 and 4.1 are supported: write it with gmsh -format msh41"},
                {"$MeshFormat\n4.1 1 8\n", "m:2: the file is binary: write it as text"},
                {"$MeshFormat\n2.2 0 8\n", "section $MeshFormat has no end: the file is truncated"},
                {HEAD "$Nodes\n1\n", "the file ends where the number of a node is expected: it is truncated"},
                {HEAD "$Nodes\n1\n1 0 0\n", "the file ends where a coordinate is expected"},
                {HEAD "$Nodes\n1\n1 0 a 0\n", "m:6: a coordinate: 'a' is not a number"},
                {HEAD "$Nodes\n1\n1 0 inf 0\n", "a coordinate = inf: coordinates must be finite"},
                {HEAD "$Nodes\n-1\n", "m:5: the number of nodes = -1 is outside [0, 2147483647]"},
                {HEAD "$Nodes\n2\n1 0 0 0\n$EndNodes\n", "m:7: the number of a node: '$EndNodes' is not an integer"},
                {HEAD "$Nodes\n0\n1 0 0 0\n$EndNodes\n", "m:6: '1' found where $Nodes should end"},
                {HEAD "12\n", "m:4: '12' found where a section should begin"},
                {HEAD "$Nodes\n0\n$EndNodes\n", "m: there are no hexahedra in the mesh"},
                {HEAD "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n",
                 "m:6: the mesh has a tetrahedron: all volumes must be hexahedra of first order"},
                {HEAD "$Elements\n1\n1 12 0 1\n$EndElements\n", "the mesh has a hexahedron of second order"},
                {HEAD "$Elements\n1\n1 93 0 1\n$EndElements\n", "m:6: elements of type 93 are not supported"},
                {HEAD "$Elements\n1\n1 5 0 1 2 3 4 5 6 7 8\n$EndElements\n",
                 "m: a hexahedron has node 1, which is not defined"},
                {HEAD "$Nodes\n2\n5 0 0 0\n5 1 0 0\n$EndNodes\n$Elements\n1\n1 5 0 5 5 5 5 5 5 5 5\n$EndElements\n",
                 "m: node 5 is defined twice"}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_gmsh m;
        assert_int_equal(rw_gmsh_parse(ctx, "m", rows[i].text, strlen(rows[i].text), &m), RW_ERR_INPUT);
        if (!strstr(rw_message(ctx), rows[i].message))
            fail_msg("row %d: %s\nexpected: %s", i, rw_message(ctx), rows[i].message);
        assert_null(m.vertices), assert_null(m.hexahedra);
    }
    rw_gmsh m;
    assert_int_equal(rw_gmsh_parse(ctx, "m", "$Mesh\0Format", 12, &m), RW_ERR_INPUT);
    assert_int_equal(rw_gmsh_read(ctx, "/proc/self/exe/mesh.msh", &m), RW_ERR_FILE);
}

/* Cut off at every byte: an error, or the whole mesh when only its last line's end is missing. */
static void test_cut(void **state)
{
    (void)state;
    static const char *const texts[] = {version2, version4};
    for (int i = 0; i < 2; ++i)
        for (size_t n = 0; n < strlen(texts[i]); ++n) {
            char *copy = rw_strndup(texts[i], n); /* so that a sanitizer sees what lies behind */
            rw_gmsh m;
            rw_status status = rw_gmsh_parse(ctx, "m", copy, n, &m);
            if (status == RW_OK) assert_int_equal(m.nhexahedra, 2);
            else assert_int_equal(status, RW_ERR_INPUT);
            assert_true(status != RW_OK || n + 14 > strlen(texts[i]));
            rw_gmsh_free(&m), rw_free(copy);
        }
}

static void test_memory(void **state)
{
    (void)state;
    for (long n = 1;; ++n) {
        rw_gmsh m;
        rw_fault_set(RW_FAULT_ALLOC, n);
        rw_status status = rw_gmsh_parse(ctx, "m", version4, strlen(version4), &m);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        if (status == RW_OK) {
            rw_gmsh_free(&m);
            assert_true(n > 4);
            return;
        }
        assert_int_equal(status, RW_ERR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_versions), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_cut), cmocka_unit_test(test_memory)};
    if (rw_context_create(&ctx) != RW_OK) return 1;
    int failed = cmocka_run_group_tests_name("gmsh", tests, NULL, NULL);
    rw_context_destroy(&ctx);
    return failed;
}
