/* Parts of sides by mask, an array or a picture: they do what a `where` does at the same nodes, in all layouts and
 * dimensions; a restart gives the same bytes and notices a changed file; mistakes. */
#include "pde_test.h"

#include "files/npy.h"

#define TIME "time: {end: 0.02, method: rkc2, rtol: 1e-4}\n"
#define OUTPUT "output: {every: 0.01, figures: [u], vti: false}\n"

/* Node j along y, and node i along x where there are two axes (nx > 1), have the value of `at`. */
static void write_mask(const char *name, rw_dtype type, int nx, int ny, double (*at)(int i, int j))
{
    double numbers[64];
    unsigned char bytes[64];
    char path[128];
    const size_t shape[2] = {(size_t)ny, (size_t)nx};
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
            numbers[j * nx + i] = at(i, j);
            bytes[j * nx + i] = at(i, j) != 0;
        }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(rw_npy_write(ctx, path, type, nx > 1 ? 2 : 1, shape, type == RW_U8 ? (void *)bytes : numbers),
                     RW_OK);
}

/* The same as a picture of 2 x 2 pixels for each node: light grey where the mask is not 0, else darker. */
static void write_picture(const char *name, int nx, int ny, double (*at)(int i, int j))
{
    char path[128], pixels[512];
    int n = snprintf(pixels, sizeof pixels, "P5 %d %d 255\n", 2 * nx, 2 * ny);
    for (int row = 0; row < 2 * ny; ++row)
        for (int column = 0; column < 2 * nx; ++column)
            pixels[n++] = at(column / 2, ny - 1 - row / 2) != 0 ? (char)(unsigned char)130 : 125;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(rw_file_write(ctx, path, pixels, (size_t)n), RW_OK);
}

/* At the last node another value than next to it: beyond the end of the side that of the last node counts. */
static double upper(int i, int j) { return (void)i, j > 3 && j < 7 ? -0.5 : 0; }
static double other(int i, int j) { return (void)i, j > 4; }
static double corner(int i, int j) { return i + j > 5; }
static double none(int i, int j) { return (void)i, (void)j, 0; }
static double all(int i, int j) { return (void)i, (void)j, 1; }
static double hole(int i, int j) { return (void)i, j == 2 ? NAN : 1; }

static void run_text(const char *text, const char *results)
{
    char path[128];
    write_case(text, path);
    run_to_end(path, results, NULL, false);
}

/* ---- a mask and a where ------------------------------------------------------------------------------------------ */

/* The same case by a mask, by a picture and by a where, whose text has a comment and ends on a line of its own. */
static void compare(int row, const char *grid, const char *boundary, const char *where, bool figures)
{
    char text[3][1024], results[3][16];
    for (int w = 0; w < 3; ++w) {
        char part[128], sides[512];
        const char *const file = strstr(grid, ", 5]") ? "corner" : "upper";
        if (w == 0) snprintf(part, sizeof part, row % 2 ? "mask: %s.npy" : "mask: {file: %s.npy}", file);
        else if (w == 1) snprintf(part, sizeof part, "where: \"%s # the upper part\\n\"", where);
        else snprintf(part, sizeof part, "mask: {picture: %s.pgm}", file);
        snprintf(sides, sizeof sides, boundary, part, part);
        snprintf(text[w], sizeof *text,
                 "problem: pde\n"
                 "grid: %s\n"
                 "data: {k: \"1 + x\"}\n"
                 "fields: {u: {initial: \"x + y\", boundary: {%s}}, side_mask1: {initial: \"x*y\", "
                 "boundary: {x: \"0\", top: \"0\"}}}\n"
                 "equations: \"du/dt = k*laplace(u) + dx(dy(u)); dside_mask1/dt = u\"\n" TIME OUTPUT,
                 grid, sides);
        snprintf(results[w], sizeof *results, "%c%d", "mwp"[w], row);
        run_text(text[w], results[w]);
    }
    for (int w = 1; w < 3; ++w) {
        if (!same_files(results[0], "series.csv", results[w], "series.csv")) fail_msg("%s", text[w]);
        if (!same_files(results[0], "fields/000002.h5", results[w], "fields/000002.h5")) fail_msg("%s", text[w]);
        if (figures && !same_files(results[0], "figures/u-000002.png", results[w], "figures/u-000002.png"))
            fail_msg("%s", text[w]);
    }
}

static void test_masks(void **state)
{
    (void)state;
    static const char one_kind[] = "left: [{%s, dirichlet: \"1 + y # a comment\"}, \"0\"], top: \"2\", "
                                   "right: [{%s, dirichlet: \"3\"}, \"1\"]",
                      two_kinds[] = "left: [{%s, dirichlet: \"1 + y\"}, neumann], top: \"2\", "
                                    "x: [{%s, robin: [\"1\", \"2\", \"t\"]}, neumann]",
                      space[] = "top: \"2\", z: [{%s, dirichlet: \"1 + y\"}, {neumann: \"1\"}]%.0s";
    static const struct {
        const char *grid, *boundary, *where;
        bool figures;
    } rows[] = {
        {"{size: [8, 8]}", one_kind, "y > 3.5*hy and y < 6.5*hy", true},
        {"{size: [8, 8], order: 4}", one_kind, "y > 3.5*hy and y < 6.5*hy", true},
        {"{size: [8, 8], layout: cell}", one_kind, "y > 4*hy and y < 7*hy", true},
        {"{size: [8, 8], layout: node}", one_kind, "y > 3.5*hy and y < 6.5*hy", true},
        {"{size: [8, 8]}", two_kinds, "y > 4*hy and y < 7*hy", true}, /* layout cell */
        {"{size: [8, 8], layout: node, precision: f32}", two_kinds, "y > 3.5*hy and y < 6.5*hy", true},
        {"{size: [6, 6, 5], layout: node}", space, "x/hx + y/hy > 5.5", false},
        {"{size: [6, 6, 5], layout: cell}", space, "x/hx + y/hy > 6.5", false},
    };
    write_mask("upper.npy", RW_F64, 1, 8, upper);
    write_mask("corner.npy", RW_U8, 6, 6, corner);
    write_picture("upper.pgm", 1, 8, upper);
    write_picture("corner.pgm", 6, 6, corner);
    for (int i = 0; i < RW_COUNT(rows); ++i) compare(i, rows[i].grid, rows[i].boundary, rows[i].where, rows[i].figures);
}

/* ---- restart ----------------------------------------------------------------------------------------------------- */

static void test_restart(void **state)
{
    (void)state;
    static const char *const layouts[] = {"auto", "cell", "node"};
    for (int i = 0; i < RW_COUNT(layouts); ++i) {
        char path[128], text[1024], whole[16], parts[16];
        const char *set[] = {"time.end=0.02"};
        snprintf(whole, sizeof whole, "whole%d", i);
        snprintf(parts, sizeof parts, "parts%d", i);
        snprintf(text, sizeof text,
                 "problem: pde\n"
                 "grid: {size: [8, 8], layout: %s}\n"
                 "fields: {u: {initial: x, boundary: {left: [{mask: upper.npy, dirichlet: t}, \"1\"]}}}\n"
                 "equations: \"du/dt = laplace(u)\"\n" TIME OUTPUT,
                 layouts[i]);
        write_mask("upper.npy", RW_F64, 1, 8, upper);
        write_case(text, path);
        run_to_end(path, whole, NULL, false);
        run_to_end(path, parts, "time.end=0.01", false);
        write_mask("upper.npy", RW_F64, 1, 8, other);
        rw_run_options options = {.folder = result(parts, "."),
                                  .device = "cpu",
                                  .set = set,
                                  .nset = 1,
                                  .restart = true};
        assert_int_equal(rw_run_case(ctx, path, &options, NULL), RW_ERR_INPUT);
        if (!strstr(rw_message(ctx), "case.yaml:3:51: fields.u.boundary: mask upper.npy: the values read now are not"))
            fail_msg("%s", rw_message(ctx));
        write_mask("upper.npy", RW_U8, 1, 8, upper); /* another type, the same nodes */
        run_to_end(path, parts, NULL, true);
        assert_true(same_files(whole, "series.csv", parts, "series.csv"));
        assert_true(same_files(whole, "fields/000002.h5", parts, "fields/000002.h5"));
    }
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

static void test_bad_input(void **state)
{
    (void)state;
    static const struct {
        const char *parts, *message;
    } rows[] = {
        {"[{mask: none.npy, dirichlet: \"1\"}, neumann]", ":3:53: "},
        {"[{mask: none.npy, dirichlet: \"1\"}, neumann]", "none.npy: cannot be opened"},
        {"[{mask: corner.npy, dirichlet: \"1\"}, neumann]",
         "holds u8 of shape 6 x 6: a mask of this side needs real numbers of shape 8 along y"},
        {"[{mask: short.npy, dirichlet: \"1\"}, neumann]", ":3:53: /tmp/rechenwerk-test"},
        {"[{mask: hole.npy, dirichlet: \"1\"}, neumann]",
         "hole.npy: element 2 is not a number: give 0 where the part does not apply, and 1 where it does"},
        {"[{mask: zero.npy, dirichlet: \"1\"}, neumann]", "zero.npy is 0 everywhere, so that its part never applies"},
        {"[{mask: one.npy, dirichlet: \"1\"}, neumann]",
         ":3:79: fields.u.boundary: part 2 of 2 never applies: at each of the 8 nodes of the side an earlier part "},
        {"[{where: \"y > 0.1\", dirichlet: \"1\"}, {mask: upper.npy, neumann: \"1\"}, neumann]",
         "part 2 of 3 never applies: at each of the 8 nodes of the side an earlier part does, or its mask is 0"},
        {"[{mask: upper.npy, where: \"y > 0\", dirichlet: \"1\"}, neumann]",
         "a part of a side has where or mask, not both: remove one of them"},
        {"[{mask: upper.npy, dirichlet: \"1\"}, {mask: upper.npy, neumann: \"1\"}]",
         "the last part of a side must have no mask: it applies wherever no other does"},
        {"[{mask: \"\", dirichlet: \"1\"}, neumann]",
         ":3:47: fields.u.boundary: mask must be the name of a .npy file, or {file: inlet.npy}, or {picture: "},
        {"[{mask: {file: upper.npy, low: 1}, dirichlet: \"1\"}, neumann]", ":3:47: fields.u.boundary: mask must be"},
        {"[{mask: {picture: [1]}, dirichlet: \"1\"}, neumann]", ":3:47: fields.u.boundary: mask must be"},
        {"[{mask: {picture: none.png}, dirichlet: \"1\"}, neumann]", ":3:63: "},
        {"[{mask: {picture: dark.pgm}, dirichlet: \"1\"}, neumann]",
         "dark.pgm is dark everywhere, so that its part never applies"},
        {"[{mask: {picture: light.pgm}, dirichlet: \"1\"}, neumann]",
         "part 2 of 2 never applies: at each of the 8 nodes of the side an earlier part "},
        {"[{where: {picture: light.pgm}, dirichlet: \"1\"}, neumann]", "a part of a side has where and a condition"},
        {"[{mask: upper.npy, dirichlet: \"1/0\"}, neumann]", "a value is not finite"},
    };
    write_mask("upper.npy", RW_F64, 1, 8, upper);
    write_mask("corner.npy", RW_U8, 6, 6, corner);
    write_mask("short.npy", RW_F64, 1, 7, upper);
    write_mask("hole.npy", RW_F64, 1, 8, hole);
    write_mask("zero.npy", RW_F64, 1, 8, none);
    write_mask("one.npy", RW_F64, 1, 8, all);
    write_picture("dark.pgm", 3, 3, none);
    write_picture("light.pgm", 3, 3, all);
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        char text[1024], path[128];
        rw_run_options options = {.folder = result("bad", "."), .device = "cpu"};
        snprintf(text, sizeof text,
                 "problem: pde\ngrid: {size: [8, 8], layout: cell}\n"
                 "fields: {u: {initial: \"0\", boundary: {left: %s}}}\n"
                 "equations: \"du/dt = laplace(u)\"\n" TIME,
                 rows[i].parts);
        write_case(text, path);
        const rw_status status = rw_run_case(ctx, path, &options, NULL);
        if ((status != RW_ERR_INPUT && status != RW_ERR_FILE) || !strstr(rw_message(ctx), rows[i].message))
            fail_msg("%s%s: %s", text, rw_status_name(status), rw_message(ctx));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_masks), cmocka_unit_test(test_restart),
                                       cmocka_unit_test(test_bad_input)};
    if (!open_folder()) return 1;
    const int failed = cmocka_run_group_tests_name("masks", tests, NULL, NULL);
    return close_folder() || failed;
}
