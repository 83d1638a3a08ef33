/* What is beyond the sides in each layout of the grid, for every kind of side, sides of two parts and sides that read
 * fields, on axes of 1 to 9 nodes: by kernels and by the plain evaluator. And corners of the layout node. */
#include <math.h>

#include "../compiler.h"
#include "../devices.h"
#include "rechenwerk/expr.h"

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

enum { FIELDS = 5, CELLS = 81 };
typedef struct side_texts {
    char text[3][120];
} side_texts;

/* What a side of u0 … u4 says where sides read fields: at the node, further in where there is a node, and differences
 * along the side. */
static rw_boundary reading(int which, int axis, int ndim, int n, side_texts *to)
{
    static const rw_boundary_kind kinds[] = {RW_BOUNDARY_DIRICHLET, RW_BOUNDARY_NEUMANN, RW_BOUNDARY_ROBIN,
                                             RW_BOUNDARY_ROBIN, RW_BOUNDARY_ROBIN};
    static const char *const texts[][3] = {{"t - u1 + inner(u0, %d) + 0.1*%s", "", ""},
                                           {"inner(u1*u3, %d) - u1^2 + u0*hn + 0.2*%s", "", ""},
                                           {"2 + u3^2", "1 + u2^2", "x + inner(u0, %d)*%s"},
                                           {"where(u0 > 0.5, 1, 0)", "where(u0 > 0.5, layers, 1)",
                                            "x + inner(x, %d) + %s"},
                                           {"2 + 1i*u0", "1 - 0.5i", "u4*u1 + inner(3i*u4, %d) - %s"}};
    const char *along = ndim == 1 ? "u1" : axis == 0 ? "dy(u1*u2)" : "dx(u1*u2)";
    if (which == 0 && ndim > 1) along = axis == 0 ? "dy(u1^2)" : "dx(u1^2)"; /* u2 may depend on u0 */
    for (int i = 0; i < 3; ++i) snprintf(to->text[i], sizeof to->text[i], texts[which][i], n > 1 ? 1 : 0, along);
    if (which == 0 && n == 1) snprintf(to->text[0], sizeof to->text[0], "t - u1 + %s", along);
    if (which > 1) return (rw_boundary){kinds[which], to->text[0], to->text[1], to->text[2]};
    return (rw_boundary){kinds[which], to->text[0], NULL, NULL};
}

/* What sides say where they read no fields, in one dimension and in more. */
static const rw_boundary plain[2][FIELDS] = {{{RW_BOUNDARY_DIRICHLET, "1 + t*x", NULL, NULL},
                                              {RW_BOUNDARY_NEUMANN, "t - x", NULL, NULL},
                                              {RW_BOUNDARY_ROBIN, "2 + x", "1 + x^2", "3*t"},
                                              {RW_BOUNDARY_ROBIN, "where(x > 1, 1, 0)", "where(x > 1, layers, 1)", "x"},
                                              {RW_BOUNDARY_ROBIN, "2 + 1i*x", "1 - 0.5i", "3i"}},
                                             {{RW_BOUNDARY_DIRICHLET, "1 + t*x - y", NULL, NULL},
                                              {RW_BOUNDARY_NEUMANN, "t - x + 2*y", NULL, NULL},
                                              {RW_BOUNDARY_ROBIN, "2 + y", "1 + x^2", "3*t"},
                                              {RW_BOUNDARY_ROBIN, "where(y + 2*x > 1, 1, 0)",
                                               "where(y + 2*x > 1, layers, 1)", "x + y"},
                                              {RW_BOUNDARY_ROBIN, "2 + 1i*x", "1 - 0.5i", "y + 3i"}}};

typedef struct run {
    rw_grid_layout layout;
    int axis, n, order;
    bool reads; /* sides read fields */
    int which;  /* the field that is read */
} run;

static rw_grid grid_of(const run *r)
{
    rw_grid grid = {.ndim = r->axis + 1,
                    .size = {r->axis > 0 ? 3 : 1, r->axis > 1 ? 3 : 1, 1},
                    .spacing = {0.5, 0.25, 0.75}};
    grid.size[r->axis] = r->n;
    return grid;
}

static int cells_of(const rw_grid *grid) { return (int)(grid->size[0] * grid->size[1] * grid->size[2]); }
static rw_dtype type_of(int field) { return field == 4 ? RW_C128 : RW_F64; }

static void make_sides(const run *r, const rw_grid *grid, int field, rw_boundary sides[6], side_texts texts[6])
{
    for (int s = 0; s < 2 * grid->ndim; ++s) {
        sides[s] = plain[r->axis > 0][field];
        if (r->reads) sides[s] = reading(field, s / 2, grid->ndim, (int)grid->size[s / 2], &texts[s]);
        if (r->layout == RW_GRID_AUTO && field == 3) sides[s].b = "1";
    }
}

static rw_array *random_array(rw_device *at, const rw_grid *grid, rw_dtype dtype, int seed)
{
    const int64_t shape[] = {grid->size[2], grid->size[1], grid->size[0]};
    rw_array *a;
    double *to;
    OK(rw_array_create(at, dtype, grid->ndim, shape + 3 - grid->ndim, RW_MEMORY_DEVICE, &a));
    OK(rw_array_write(a, (void **)&to));
    for (int c = 0; c < cells_of(grid) * (1 + (dtype == RW_C128)); ++c)
        to[c] = rw_random_uniform(3, (uint64_t)(1000 * seed + c));
    return a;
}

/* o <- values of one field up to four nodes beyond both sides of an axis. All fields are there, since sides read them;
 * they are not read in one program, since compilers of OpenCL take minutes for that. */
static void compute(const run *r, rw_device *at, double (*out)[2])
{
    enum { O = FIELDS };
    static const char *const names[] = {"u0", "u1", "u2", "u3", "u4", "o"};
    const rw_grid grid = grid_of(r);
    side_texts texts[FIELDS][6];
    rw_expr_field fields[FIELDS + 1] = {{0}};
    rw_array *arrays[FIELDS + 1];
    rw_text t = {0};
    rw_expr *e;
    const double *from;
    for (int i = 0; i <= O; ++i) {
        fields[i] = (rw_expr_field){.name = names[i], .dtype = type_of(i == O ? r->which : i)};
        if (i < O) make_sides(r, &grid, i, fields[i].boundary, texts[i]);
        arrays[i] = random_array(at, &grid, fields[i].dtype, i);
    }
    rw_text_add(&t, "o = 0");
    for (int d = -4; d <= 4; ++d)
        rw_text_add(&t, " + %d*u%d[%s%+d]", d * d + d + 1, r->which,
                    r->axis == 2 ? "i, j, k"
                    : r->axis    ? "i, j"
                                 : "i",
                    d);
    const rw_expr_scalar scalars[] = {{.name = "t", .value = 0.75}, {.name = "layers", .value = 0}};
    const rw_expr_spec spec = {.text = t.data,
                               .grid = grid,
                               .order = r->order,
                               .fields = fields,
                               .nfields = FIELDS + 1,
                               .scalars = scalars,
                               .nscalars = 2,
                               .layout = r->layout};
    compiler(at == dev);
    OK(rw_expr_create(at, &spec, &e));
    compiler(true);
    for (int i = 0; i <= O; ++i) OK(rw_expr_bind(e, names[i], arrays[i]));
    OK(rw_expr_run(e, rw_device_queue(at)));
    OK(rw_array_read(arrays[O], (const void **)&from));
    for (int c = 0; c < cells_of(&grid); ++c)
        for (int part = 0; part < 2; ++part)
            out[c][part] = fields[O].dtype == RW_C128 ? from[2 * c + part] : part ? 0 : from[c];
    rw_expr_destroy(&e);
    rw_text_free(&t);
    for (int i = 0; i <= O; ++i) rw_array_destroy(&arrays[i]);
}

static void compare(const run *r, rw_device *reference)
{
    static double want[CELLS][2], got[CELLS][2];
    const rw_grid grid = grid_of(r);
    compute(r, reference, want);
    compute(r, dev, got);
    for (int c = 0; c < cells_of(&grid); ++c)
        for (int part = 0; part < 2; ++part)
            if (!(fabs(got[c][part] - want[c][part]) <= 1e-10 * fmax(fabs(want[c][part]), 1e3)))
                fail_msg("layout %d%s, axis %d, n %d, order %d, u%d, cell %d, part %d: %.17g, not %.17g", r->layout,
                         r->reads ? ", sides read fields" : "", r->axis, r->n, r->order, r->which, c, part,
                         got[c][part], want[c][part]);
}

/* Every layout, axis, length and order with one of the fields in turn; where compiling takes long, and in the short
 * version, some of them: every k-th, with k that FIELDS does not divide, so that all fields have their turn. */
static void test_layouts(void **state)
{
    (void)state;
    const int every = !test_long() ? on("cpu") ? 7 : 37 : on("cpu") ? 1 : on("check") ? 7 : 11;
    int turn = 0;
    rw_device *reference;
    OK(rw_device_open(ctx, "cpu", &reference)); /* without a compiler, the evaluator */
    for (int which = 0; which < 6; ++which)
        for (int axis = 0; axis < 3; ++axis)
            for (int n = 1; n <= 9; ++n)
                for (int order = 2; order <= 4; order += 2, ++turn) {
                    const run r = {(rw_grid_layout)(which % 3), axis, n, order, which > 2, turn % FIELDS};
                    if (turn % every == 0) compare(&r, reference);
                }
    rw_device_close(&reference);
}

/* ---- corners ----------------------------------------------------------------------------------------------------- */

/* Layout node: a node on several sides that give its value has their mean, in reads, in reads from next to it and in
 * what an assignment stores. */
static void check_given(int ndim, const int64_t size[3], bool evaluated)
{
    static const double value[6] = {1, 2, 4, 8, 16, 32};
    static const char *const names[] = {"u", "v", "w", "o", "p", "q"};
    enum { GIVEN = RW_COUNT(names) };
    rw_grid grid = {.ndim = ndim, .size = {size[0], size[1], size[2]}, .spacing = {1, 1, 1}};
    rw_expr_field fields[GIVEN] = {{0}};
    rw_array *arrays[GIVEN];
    const int64_t shape[] = {size[2], size[1], size[0]};
    /* clang-format off */
    static const rw_boundary sides[3][6] = {
#define VALUE(x) {RW_BOUNDARY_DIRICHLET, x, NULL, NULL}
        {VALUE("1"), VALUE("2"), VALUE("4"), VALUE("8"), VALUE("16"), VALUE("32")},
        {VALUE("1-0.5i"), VALUE("2-0.5i"), VALUE("4-0.5i"), VALUE("8-0.5i"), VALUE("16-0.5i"), VALUE("32-0.5i")},
#undef VALUE
        /* the value on lower sides, a slope of 0 on others */
        {{RW_BOUNDARY_ROBIN, "2", "none", "2"},
         {RW_BOUNDARY_ROBIN, "none", "1", "none"},
         {RW_BOUNDARY_ROBIN, "2", "none", "8"},
         {RW_BOUNDARY_ROBIN, "none", "1 + none", "none"},
         {RW_BOUNDARY_ROBIN, "2", "none", "32"},
         {RW_BOUNDARY_NEUMANN, "0", NULL, NULL}}};
    /* clang-format on */
    for (int f = 0; f < GIVEN; ++f) {
        double *to;
        fields[f].name = names[f];
        fields[f].dtype = f % 3 == 1 ? RW_C128 : RW_F64;
        for (int s = 0; s < 2 * ndim && f < 3; ++s) fields[f].boundary[s] = sides[f][s];
        OK(rw_array_create(dev, fields[f].dtype, ndim, shape + 3 - ndim, RW_MEMORY_DEVICE, &arrays[f]));
        OK(rw_array_write(arrays[f], (void **)&to));
        for (int64_t c = 0; c < size[0] * size[1] * size[2] * (1 + (f % 3 == 1)); ++c) to[c] = 100;
    }
    const rw_expr_scalar none = {.name = "none", .value = 0};
    const rw_expr_spec spec = {.text = "o = u + w[i+1] - w[i+1]; p = v; q = w; u = 100; v = 100; w = 100",
                               .grid = grid,
                               .order = 2,
                               .fields = fields,
                               .nfields = GIVEN,
                               .scalars = &none,
                               .nscalars = 1,
                               .layout = RW_GRID_NODE};
    rw_expr *e;
    compiler(!evaluated);
    OK(rw_expr_create(dev, &spec, &e));
    compiler(true);
    for (int f = 0; f < GIVEN; ++f) OK(rw_expr_bind(e, names[f], arrays[f]));
    OK(rw_expr_run(e, rw_device_queue(dev)));
    for (int f = 0; f < GIVEN; ++f) {
        const double *from;
        OK(rw_array_read(arrays[f], (const void **)&from));
        for (int64_t c = 0; c < size[0] * size[1] * size[2]; ++c) {
            const int64_t at[] = {c % size[0], c / size[0] % size[1], c / size[0] / size[1]};
            double sum = 0;
            int n = 0;
            for (int s = 0; s < 2 * ndim; s += f % 3 == 2 ? 2 : 1)
                if (at[s / 2] == (s % 2 ? size[s / 2] - 1 : 0)) {
                    sum += value[s];
                    ++n;
                }
            const double want = n ? sum / n : 100, got = f % 3 == 1 ? from[2 * c] : from[c];
            if (!(fabs(got - want) <= 1e-14 * want))
                fail_msg("%d dimensions, %s, cell %d: %.17g, not %.17g", ndim, names[f], (int)c, got, want);
            if (f % 3 == 1 && n) assert_true(fabs(from[2 * c + 1] + 0.5) < 1e-14);
        }
    }
    rw_expr_destroy(&e);
    for (int f = 0; f < GIVEN; ++f) rw_array_destroy(&arrays[f]);
}

static void test_given_corners(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{4, 3, 1}, {1, 4, 1}, {4, 3, 5}, {3, 1, 3}};
    for (int i = 0; i < RW_COUNT(sizes); ++i)
        for (int evaluated = on("cpu"); evaluated >= 0; --evaluated) check_given(i < 2 ? 2 : 3, sizes[i], evaluated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_layouts), cmocka_unit_test(test_given_corners)};
    return run_on_devices("layouts", tests, RW_COUNT(tests));
}
