/* Passes fused by a wave front, in registers ("wave") and in rings of rows or planes ("rings"): which ones
 * are, and that reproducible mode gives the bits that the passes give one by one, for
 * all kinds of sides and on grids smaller than a strip and around its edges. */
#include "expr_test.h"

enum { FIELDS = 4 };
static const char *const fields_of[FIELDS] = {"u", "v", "w", "s"};

static rw_grid_layout layout;
static bool along; /* coefficients are functions of one coordinate along the side */

static rw_expr *create(rw_device *dev, const rw_grid *grid, const char *text, int order, rw_boundary_kind kind,
                       bool mixed)
{
    static const rw_expr_scalar scalars[] = {{.name = "a", .value = 0.03}, {.name = "b", .value = -0.4}};
    rw_expr_field f[FIELDS];
    for (int i = 0; i < FIELDS; ++i) {
        f[i] = (rw_expr_field){.name = fields_of[i], .dtype = RW_F64};
        for (int side = 0; side < 6; ++side) {
            rw_boundary_kind k = kind;
            if (mixed && kind != RW_BOUNDARY_PERIODIC) k = (rw_boundary_kind)((kind + side + i) % RW_BOUNDARY_KINDS);
            if (k == RW_BOUNDARY_PERIODIC) k = kind; /* on both sides, or not at all */
            f[i].boundary[side] = (rw_boundary){.kind = k, .a = "1 + 0.1*x*y", .b = "2", .c = "a - 0.1*x"};
            if (along && side < 2) f[i].boundary[side] = (rw_boundary){k, "1 + 0.1*y", "where(y < 2, 0, 2)", "a - y"};
            else if (along) f[i].boundary[side] = (rw_boundary){k, "1 + 0.1*x", "where(x < 2, 2, 1)", "a - x"};
        }
    }
    rw_expr *e;
    rw_expr_spec spec = {.name = "wave",
                         .text = text,
                         .grid = *grid,
                         .order = order,
                         .fields = f,
                         .nfields = FIELDS,
                         .scalars = scalars,
                         .nscalars = 2,
                         .layout = layout};
    OK(rw_expr_create(dev, &spec, &e));
    return e;
}

/* Stages of a recurrence, as integrators have them: two vectors in, two others out. */
#define F(u) "(laplace(" u ") - 0.5*dx(" u ") + 0.25*dy(" u ") + " u "*(1 - " u "))"
#define STAGE(new, from, older) new " = " from " + b*(" from " - " older ") + a*" F(from) "\n"
#define PLACE(new, from, older) new " = " from " + b*(" from " - " older ") + a*(x - 0.5*y)*" F(from) "\n"
static const struct {
    const char *name, *text, *kernels;
} texts[] = {
    {"two stages", STAGE("w", "u", "v") STAGE("s", "w", "u"), "2"},
    {"five stages",
     STAGE("w", "u", "v") PLACE("s", "w", "u") STAGE("w", "s", "w") STAGE("s", "w", "s") STAGE("w", "s", "w"), "5"},
    {"eight stages",
     STAGE("w", "u", "v") STAGE("s", "w", "u") STAGE("w", "s", "w") STAGE("s", "w", "s") STAGE("w", "s", "w")
         PLACE("s", "w", "s") STAGE("w", "s", "w") STAGE("s", "w", "s") STAGE("w", "s", "w"),
     "9"},
    {"coupled",
     "w = u + a*laplace(u) - a*u*v\ns = v + a*laplace(v) + a*u*v\nu = w + a*laplace(w) - a*w*s\n"
     "v = s + a*laplace(s) + a*w*s\n"
     "w = u + a*laplace(u) - a*u*v\ns = v + a*laplace(v) + a*u*v",
     "3"},
    {"along x", "w = u + a*dx(u)\ns = w - a*dxx(w)\nw = s + a*dx(s)", "3"},
    {"along y", "w = u + a*dy(u)\ns = w - a*dyy(w)\nw = s + a*dy(s)", "3"},
    {"in place", "u = u + a*laplace(u)\nv = v + a*laplace(u)\nu = u + a*laplace(v)", "3"},
    {"cell by cell behind", "w = u + a*laplace(u)\ns = w*w\nw = s + a*laplace(s)\nu = w*s", "2"},
    {"corners", "w = u + a*dx(dy(u))\ns = w + a*laplace(w)", "11"},
    {"a number between", "w = u + a*laplace(u)\nr = max(w)\ns = w/r + a*laplace(w)", "11"},
};

static const char *const wishes[] = {"wave", "rings"};

static void kernels_of(const rw_expr *e, char *kernels)
{
    for (int k = 0; k < e->npasses; ++k)
        kernels[k] = (char)('1' + e->passes[k].kernel.last - e->passes[k].kernel.first), kernels[k + 1] = 0;
}

static void test_which(void **state)
{
    (void)state;
    rw_device *cpu = open_device("cpu"), *devices[] = {with_tiling(cpu, wishes[0]), with_tiling(cpu, wishes[1])};
    rw_grid grid = {.ndim = 2, .size = {20, 20, 1}, .spacing = {0.1, 0.1, 1}};
    compiler(false);
    for (int i = 0; i < 2 * RW_COUNT(texts); ++i) {
        char kernels[16] = "";
        rw_expr *e = create(devices[i % 2], &grid, texts[i / 2].text, 2, RW_BOUNDARY_DIRICHLET, false);
        kernels_of(e, kernels);
        if (strcmp(kernels, texts[i / 2].kernels))
            fail_msg("%s: kernels of %s passes, expected %s", texts[i / 2].name, kernels, texts[i / 2].kernels);
        rw_expr_destroy(&e);
    }
    compiler(true);
    rw_device_close(&devices[0]), rw_device_close(&devices[1]), rw_device_close(&cpu);
}

/* By itself the compiler does so for large grids. */
static void test_when(void **state)
{
    (void)state;
    /* in planes more passes do more cells twice; there and where groups share little memory they do not pay */
    static const struct {
        const char *kind;
        int ndim;
        int64_t n, shared;
        int last;
    } rows[] = {{"cuda", 2, 2048, 49152, 4},   {"opencl", 2, 2048, 49152, 4}, {"cpu", 2, 2048, 7 << 18, 4},
                {"cpu", 2, 2048, 32768, 4},    {"cuda", 2, 500, 49152, 0},    {"cpu", 2, 500, 7 << 18, 0},
                {"cuda", 3, 256, 49152, 2},    {"opencl", 3, 256, 49152, 0},  {"check", 2, 2048, 7 << 18, 4},
                {"check", 3, 256, 7 << 18, 0}, {"cpu", 3, 256, 7 << 18, 3},   {"cpu", 3, 256, 32768, 0},
                {"cpu", 3, 60, 7 << 18, 0}};
    rw_device *dev = open_device("cpu");
    compiler(false);
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_grid grid = {.ndim = rows[i].ndim,
                        .size = {rows[i].n, rows[i].n, rows[i].ndim > 2 ? rows[i].n : 1},
                        .spacing = {0.1, 0.1, 0.1}};
        rw_device_properties p = {.name = "some:0",
                                  .gpu = rows[i].kind[0] != 'c' || rows[i].kind[1] == 'u',
                                  .units = 132,
                                  .group_max = 1024,
                                  .f64 = true,
                                  .shared_memory = rows[i].shared};
        snprintf(p.kind, sizeof p.kind, "%s", rows[i].kind);
        rw_expr *e = create(dev, &grid, texts[1].text, 2, RW_BOUNDARY_DIRICHLET, false);
        const rw_target target = rw_target_of(&p, RW_TILING_AUTO);
        rw_pass_kernel k;
        OK(rw_pass_kernel_create(&e->plan, 0, &target, &k));
        if (k.last != rows[i].last)
            fail_msg("%s, %d^%d: passes 0 to %d in one kernel", rows[i].kind, (int)rows[i].n, rows[i].ndim, k.last);
        rw_pass_kernel_free(&k);
        rw_expr_destroy(&e);
    }
    compiler(true);
    rw_device_close(&dev);
}

static void run(rw_device *device, const char *wish, const char *text, const rw_grid *grid, int order,
                rw_boundary_kind kind, bool mixed, double *out)
{
    int64_t n = cell_count(grid);
    rw_device *dev = with_tiling(device, wish);
    rw_expr *e = create(dev, grid, text, order, kind, mixed);
    rw_array *a[FIELDS];
    for (int i = 0; i < FIELDS; ++i) {
        void *data;
        a[i] = field_array(dev, grid, RW_F64);
        OK(rw_array_write(a[i], &data));
        for (int64_t c = 0; c < n; ++c) ((double *)data)[c] = rw_random_uniform(11 + (uint64_t)i, (uint64_t)c) - 0.5;
        OK(rw_expr_bind(e, fields_of[i], a[i]));
    }
    for (int round = 0; round < 2; ++round) OK(rw_expr_run(e, rw_device_queue(dev)));
    for (int i = 0; i < FIELDS; ++i) {
        const void *data;
        OK(rw_array_read(a[i], &data));
        memcpy(out + i * n, data, (size_t)n * sizeof *out);
        rw_array_destroy(&a[i]);
    }
    rw_expr_destroy(&e);
    rw_device_close(&dev);
}

static void test_bits(void **state)
{
    (void)state;
    static const int64_t grids[][3] = {{1, 1, 1},   {3, 2, 1},    {9, 8, 1},    {48, 5, 1},   {61, 40, 1},
                                       {64, 17, 1}, {130, 67, 1}, {5, 300, 1},  {200, 3, 1},  {1, 1, 2},
                                       {2, 3, 5},   {9, 8, 7},    {33, 5, 9},   {40, 37, 6},  {7, 60, 11},
                                       {3, 4, 80},  {300, 21, 1}, {301, 30, 1}, {290, 33, 1}, {70, 40, 14}};
    rw_context *outer = ctx;
    if (rw_context_create(&ctx) != RW_OK) abort();
    rw_context_set_reproducible(ctx, true);
    rw_device *devices[16];
    int n = open_devices(devices, 16), runs = 0, chosen = 0;
    double *one = malloc(sizeof *one * 4 * 40000), *wave = malloc(sizeof *wave * 4 * 40000);
    for (int g = 0; g < RW_COUNT(grids); ++g)
        for (int k = 0; k < RW_BOUNDARY_KINDS; ++k)
            for (int i = 0; i < RW_COUNT(texts); ++i)
                for (int d = 0; d < n; ++d) {
                    const rw_device_properties *info = rw_device_info(devices[d]);
                    int few = info->gpu ? 11 : strcmp(info->kind, "cpu") ? 37 : 5; /* compiling takes long */
                    if ((g + 2 * k + 3 * i) % few) continue;
                    const int number = chosen++;
                    const bool asked = k == RW_BOUNDARY_ROBIN && few == 5 &&
                                       (g > 15 || test_long()); /* layers without sides are apart there */
                    if (!test_long() && number % (asked ? 1 : few == 5 ? 13 : 7)) continue;
                    rw_grid grid = {.ndim = grids[g][2] > 1 ? 3 : 2,
                                    .size = {grids[g][0], grids[g][1], grids[g][2]},
                                    .spacing = {0.5, 0.25, 0.75},
                                    .origin = {0.125, -0.25, 0.5}};
                    int64_t cells = cell_count(&grid);
                    int order = k == 4 && g % 2 ? 4 : 2; /* periodic sides have both orders */
                    bool mixed = (g + k) % 3 == 0;
                    layout = k == RW_BOUNDARY_ROBIN || number % 3 == 2 ? RW_GRID_CELL : RW_GRID_AUTO;
                    along = k == RW_BOUNDARY_ROBIN && number % 2;
                    run(devices[d], "cpu", texts[i].text, &grid, order, (rw_boundary_kind)k, mixed, one);
                    /* rings of planes take more memory than the 48 kB of SHARED that check allows */
                    const bool registers = info->gpu || (grid.ndim == 3 && !strcmp(info->kind, "check"));
                    const char *wish = wishes[registers ? 0 : number % 2];
                    run(devices[d], wish, texts[i].text, &grid, order, (rw_boundary_kind)k, mixed, wave);
                    for (int64_t c = 0; c < FIELDS * cells; ++c)
                        if (memcmp(one + c, wave + c, sizeof *one))
                            fail_msg(
                                "%s, %s, %s, %dx%dx%d, order %d, sides %d%s: %s at %d, row %d is %.17g fused, %.17g "
                                "pass by pass",
                                info->name, wish, texts[i].name, (int)grid.size[0], (int)grid.size[1],
                                (int)grid.size[2], order, k, mixed ? " mixed" : "", fields_of[c / cells],
                                (int)(c % cells % grid.size[0]), (int)(c % cells / grid.size[0]), wave[c], one[c]);
                    runs++;
                }
    printf("# %d pairs of runs, same bits\n", runs);
    free(one), free(wave);
    for (int d = 0; d < n; ++d) rw_device_close(&devices[d]);
    rw_context_destroy(&ctx);
    ctx = outer;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_which), cmocka_unit_test(test_when),
                                       cmocka_unit_test(test_bits)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
