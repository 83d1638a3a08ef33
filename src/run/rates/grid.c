/* The grid of a case of the problem rates. */
#include <string.h>

#include "run/rates/rates.h"

enum { CYLINDER, BOX, MESH_FILE };

rw_status rates_make_grid(const rw_case *c, rates_problem *p, bool estimate, int64_t *cells)
{
    rates_grid g;
    rw_context *ctx = rw_case_context(c);
    RW_TRY(rw_case_section(c, "grid", &g));
    int n[3];
    for (int d = 0; d < 3; ++d) n[d] = (int)g.cells.value[RW_MIN(d, g.cells.n - 1)];
    if (g.cells.n == 2)
        return rw_case_fail(c, rw_case_node(c, "grid.cells"),
                            "grid.cells has two values: give one, or one for each axis");
    int64_t block = (int64_t)n[0] * n[1] * n[2];
    if (g.kind == CYLINDER && !(g.core < g.radius))
        return rw_case_fail(c, rw_case_node(c, "grid.core"),
                            "grid.core = %g must be less than grid.radius = %g: the core is the inner block of the "
                            "cylinder",
                            g.core, g.radius);
    if ((g.kind == MESH_FILE) != (*g.file != 0))
        return rw_case_fail(c, rw_case_node(c, "grid.file"),
                            g.kind == MESH_FILE ? "grid.kind is file, but grid.file is not given"
                                                : "grid.file is given, but grid.kind is not file");
    *cells = g.kind == CYLINDER ? n[2] * ((int64_t)n[0] * n[0] + 4 * (int64_t)n[0] * n[1]) : block;
    if (estimate) return RW_OK; /* how many blocks a file has is not known yet */
    rw_status status;
    if (g.kind == CYLINDER) status = rw_blocks_cylinder(ctx, g.radius, g.core, g.length, n, &p->blocks);
    else if (g.kind == BOX) {
        double size[3] = {g.width.value[0], g.width.value[g.width.n - 1], g.length};
        status = rw_blocks_box(ctx, size, n, &p->blocks);
    } else {
        char *path = rw_case_path(c, g.file);
        status = path ? rw_blocks_read_gmsh(ctx, path, n, NULL, 0, &p->blocks) : rw_fail_memory(ctx, 256, "a path");
        rw_free(path);
    }
    if (status == RW_ERR_ARGUMENT || status == RW_ERR_INPUT) {
        char *message = rw_strdup(rw_message(ctx));
        status = rw_case_fail(c, rw_case_node(c, g.kind == MESH_FILE ? "grid.file" : "grid"), "grid: %s",
                              message ? message : "it cannot be made");
        rw_free(message);
    }
    if (status == RW_OK) *cells = rw_blocks_cells(p->blocks);
    return status;
}
