/* Fused passes: which ones are, and that reproducible mode gives the bits that the passes give one by one, for all
 * kinds of sides, in one to three dimensions, on grids smaller than the stencils and around the edges of tiles. */
/* TEST: devices=all */
#include "expr_test.h"

enum { FIELDS = 4 };
static const char *const fields_of[FIELDS] = {"u", "v", "w", "s"};

static rw_expr *create(rw_device *dev, const rw_grid *grid, const char *text, int order, rw_boundary_kind kind,
                       bool mixed)
{
    static const rw_expr_scalar scalars[] = {{.name = "a", .value = 0.25}};
    rw_expr_field f[FIELDS];
    for (int i = 0; i < FIELDS; ++i) {
        f[i] = (rw_expr_field){.name = fields_of[i], .dtype = i == 3 ? RW_F32 : RW_F64};
        for (int side = 0; side < 6; ++side) {
            rw_boundary_kind k = kind;
            if (mixed && kind != RW_BOUNDARY_PERIODIC) k = (rw_boundary_kind)((kind + side + i) % RW_BOUNDARY_KINDS);
            if (k == RW_BOUNDARY_PERIODIC) k = kind; /* on both sides, or not at all */
            f[i].boundary[side] = (rw_boundary){.kind = k,
                                                .a = grid->ndim > 1 ? "1 + x*y" : "1 + x",
                                                .b = "2",
                                                .c = grid->ndim > 2 ? "a*z - x" : "a - x"};
        }
    }
    rw_expr *e;
    rw_expr_spec spec = {.name = "fused",
                         .text = text,
                         .grid = *grid,
                         .order = order,
                         .fields = f,
                         .nfields = FIELDS,
                         .scalars = scalars,
                         .nscalars = 1};
    OK(rw_expr_create(dev, &spec, &e));
    return e;
}

/* Kernels of a program by what tiling=fused makes of it: how many passes each has. */
static void test_which(void **state)
{
    (void)state;
    static const struct {
        const char *text, *kernels;
    } rows[] = {
        {"v = laplace(u)", "1"},
        {"v = laplace(u); w = laplace(v)", "2"},
        {"v = laplace(u); w = laplace(v); v = w + dx(w)", "3"},
        /* four at most when forced */
        {"v = dx(u); w = dx(v); v = dx(w); w = dx(v); v = dx(w)", "41"},
        /* u would have to be written beside itself, and the program could not be recorded any more */
        {"v = laplace(u); w = laplace(v); u = w + dx(w)", "21"},
        /* it is already */
        {"u = laplace(u); v = laplace(u)", "2"},
        /* a reduction is complete when its kernel ends */
        {"v = laplace(u); r = max(v); w = dx(v)/r", "11"},
        {"v = laplace(u); w = laplace(v); r = max(w); v = w/r", "21"},
        {"v = laplace(u); w = laplace(v); r = sum(w*w)", "2"},
        {"r = sum(u); v = u/r; w = dx(v)", "12"},
        /* corners */
        {"v = u*u; w = dx(dy(v))", "11"},
        {"v = dx(dy(u)); w = dx(v)", "2"},
        /* one kernel, one precision */
        {"w = s; v = laplace(u); w = w + laplace(v)", "2"},
        /* cells around the tile would read s after their owner wrote it */
        {"s = 2*s; v = laplace(u); w = laplace(v)", "11"},
        {"s = dx(s); v = dx(s)", "11"},
    };
    rw_device *dev = open_device("cpu:tiling=fused");
    rw_grid grid = {.ndim = 2, .size = {20, 20, 1}, .spacing = {0.1, 0.1, 1}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        char kernels[16] = "";
        compiler(false);
        rw_expr *e = create(dev, &grid, rows[i].text, 2, RW_BOUNDARY_DIRICHLET, false);
        compiler(true);
        for (int k = 0; k < e->npasses; ++k)
            kernels[k] = (char)('1' + e->passes[k].kernel.last - e->passes[k].kernel.first), kernels[k + 1] = 0;
        if (strcmp(kernels, rows[i].kernels))
            fail_msg("%s: kernels of %s passes, expected %s", rows[i].text, kernels, rows[i].kernels);
        rw_expr_destroy(&e);
    }
    rw_device_close(&dev);
}

/* By itself the compiler fuses on GPUs (large grids by a wave front: test_wave.c), not on processors. */
static void test_when(void **state)
{
    (void)state;
    static const struct {
        bool gpu;
        int64_t n;
        bool fused;
    } rows[] = {{true, 64, true}, {true, 128, true}, {true, 4096, true}, {false, 64, false}};
    rw_device *dev = open_device("cpu");
    compiler(false);
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_grid grid = {.ndim = 2, .size = {rows[i].n, rows[i].n, 1}, .spacing = {0.1, 0.1, 1}};
        rw_device_properties p = {.name = "some:0",
                                  .kind = "cuda",
                                  .gpu = rows[i].gpu,
                                  .units = 132,
                                  .group_max = 1024,
                                  .f64 = true,
                                  .shared_memory = 49152};
        rw_expr *e = create(dev, &grid, "v = u + a*laplace(u); w = v + a*laplace(v); v = w + a*laplace(w)", 2,
                            RW_BOUNDARY_DIRICHLET, false);
        const rw_target target = rw_target_of(&p, RW_TILING_AUTO);
        rw_pass_kernel k;
        OK(rw_pass_kernel_create(&e->plan, 0, &target, &k));
        if ((k.last > 0) != rows[i].fused)
            fail_msg("%s, %d^2: passes 0 to %d in one kernel", rows[i].gpu ? "GPU" : "CPU", (int)rows[i].n, k.last);
        rw_pass_kernel_free(&k);
        rw_expr_destroy(&e);
    }
    compiler(true);
    rw_device_close(&dev);
}

#define TEXT(place)                                                                                                    \
    "v = u + a*laplace(u) - dx(u)*s; w = v*u - a*laplace(v); v = w + a*laplace(w) + " place "\n"                       \
    "w = 0.5*dx(v) - w; m = max(w - u); q = sum(v*u)"
static const char *const texts[] = {TEXT("x"), TEXT("x - 2*y"), TEXT("x - 2*y*z")};

static void run(rw_device *device, const char *wish, const rw_grid *grid, int order, rw_boundary_kind kind, bool mixed,
                double *out, int *kernels)
{
    int64_t n = cell_count(grid);
    rw_device *dev = with_tiling(device, wish);
    rw_expr *e = create(dev, grid, texts[grid->ndim - 1], order, kind, mixed);
    rw_array *a[FIELDS];
    for (int i = 0; i < FIELDS; ++i) {
        void *data;
        a[i] = field_array(dev, grid, i == 3 ? RW_F32 : RW_F64);
        OK(rw_array_write(a[i], &data));
        for (int64_t c = 0; c < n; ++c) {
            double x = rw_random_uniform(11 + (uint64_t)i, (uint64_t)c) - 0.5;
            if (i == 3) ((float *)data)[c] = (float)x;
            else ((double *)data)[c] = x;
        }
        OK(rw_expr_bind(e, fields_of[i], a[i]));
    }
    for (int round = 0; round < 2; ++round) OK(rw_expr_run(e, rw_device_queue(dev)));
    for (int i = 0; i < 3; ++i) {
        const void *data;
        OK(rw_array_read(a[i], &data));
        memcpy(out + i * n, data, (size_t)n * sizeof *out);
        rw_array_destroy(&a[i]);
    }
    rw_array_destroy(&a[3]);
    OK(rw_expr_get(e, "m", &out[3 * n], NULL));
    OK(rw_expr_get(e, "q", &out[3 * n + 1], NULL));
    *kernels = e->npasses;
    rw_expr_destroy(&e);
    rw_device_close(&dev);
}

static void test_bits(void **state)
{
    (void)state;
    static const struct {
        int ndim;
        int64_t n[3];
    } grids[] =
        {{1, {1, 1, 1}},   {1, {2, 1, 1}}, {1, {7, 1, 1}},  {1, {131, 1, 1}},   {2, {3, 1, 1}}, {2, {9, 8, 1}},
         {2, {33, 19, 1}}, {3, {4, 5, 3}}, {3, {9, 7, 10}}, {1, {300001, 1, 1}} /* a long line: tiles of 1024 */};
    rw_context *outer = ctx;
    if (rw_context_create(&ctx) != RW_OK) abort();
    rw_context_set_reproducible(ctx, true);
    rw_device *devices[16];
    int n = open_devices(devices, 16), runs = 0, chosen = 0;
    enum { MOST = 3 * 300001 + 2 };
    double *one = malloc(sizeof *one * MOST), *fused = malloc(sizeof *fused * MOST);
    for (int g = 0; g < RW_COUNT(grids); ++g)
        for (int k = 0; k < RW_BOUNDARY_KINDS; ++k)
            for (int d = 0; d < n; ++d) {
                const rw_device_properties *info = rw_device_info(devices[d]);
                /* PoCL compiles for seconds */
                if (!strcmp(info->kind, "opencl") && !info->gpu && (g + 2 * k) % 9) continue;
                if (strcmp(info->kind, "cpu") && (g + k) % 2) continue;
                if (g == RW_COUNT(grids) - 1 && !info->gpu && strcmp(info->kind, "cpu")) continue;
                if (chosen++ % 4 && !test_long()) continue;
                rw_grid grid = {.ndim = grids[g].ndim,
                                .size = {grids[g].n[0], grids[g].n[1], grids[g].n[2]},
                                .spacing = {0.5, 0.25, 0.5},
                                .origin = {0.125, -0.25, 0}};
                int64_t cells = cell_count(&grid);
                int order = (g + k) % 2 ? 4 : 2, kernels, fewer;
                bool mixed = (g + k) % 3 == 0;
                run(devices[d], "cpu", &grid, order, (rw_boundary_kind)k, mixed, one, &kernels);
                run(devices[d], "fused", &grid, order, (rw_boundary_kind)k, mixed, fused, &fewer);
                assert_int_equal(kernels, 4);
                assert_int_equal(fewer, 1);
                for (int64_t i = 0; i <= 3 * cells; ++i) /* all but the sum, whose order is that of the tiles */
                    if (memcmp(one + i, fused + i, sizeof *one))
                        fail_msg("%s, %dx%dx%d, order %d, sides %d%s: number %d is %.17g fused, %.17g pass by pass",
                                 info->name, (int)grid.size[0], (int)grid.size[1], (int)grid.size[2], order, k,
                                 mixed ? " mixed" : "", (int)i, fused[i], one[i]);
                assert_true(fabs(one[3 * cells + 1] - fused[3 * cells + 1]) <=
                            1e-12 * (double)cells * (1 + fabs(one[3 * cells + 1])));
                runs++;
            }
    printf("# %d pairs of runs, same bits\n", runs);
    free(one), free(fused);
    for (int d = 0; d < n; ++d) rw_device_close(&devices[d]);
    rw_context_destroy(&ctx);
    ctx = outer;
}

/* A field that is read at its own node alone has a side whose value needs a scalar of its own, b*b, and another one is
 * only written: kernels of several passes are compiled, and give the bits of passes one by one. */
static void test_sides_that_nothing_reads(void **state)
{
    (void)state;
    static const char *const tilings[] = {"cpu", "fused", "wave", "rings"};
    static const rw_expr_scalar scalars[] = {{.name = "a", .value = 0.25}, {.name = "b", .value = 0.5}};
    enum { N = 40 * 30 };
    static double got[RW_COUNT(tilings)][N];
    rw_context *outer = ctx;
    OK(rw_context_create(&ctx));
    rw_context_set_reproducible(ctx, true);
    for (int i = 0; i < RW_COUNT(tilings); ++i) {
        char name[32];
        snprintf(name, sizeof name, "cpu:tiling=%s", tilings[i]);
        rw_device *dev = open_device(name);
        rw_grid grid = {.ndim = 2, .size = {40, 30, 1}, .spacing = {0.5, 0.25, 1}};
        rw_expr_field f[4];
        for (int k = 0; k < 4; ++k) {
            f[k] = (rw_expr_field){.name = fields_of[k], .dtype = RW_F64};
            for (int side = 0; side < 4; ++side)
                f[k].boundary[side] = (rw_boundary){RW_BOUNDARY_DIRICHLET,
                                                    k == 3   ? "b*b"
                                                    : k == 2 ? "b*b*b"
                                                             : "1",
                                                    0, 0};
        }
        rw_expr_spec spec = {.name = "sides",
                             .text = "v = u + a*laplace(u)*s; w = v + a*laplace(v)",
                             .grid = grid,
                             .order = 2,
                             .fields = f,
                             .nfields = 4,
                             .scalars = scalars,
                             .nscalars = 2};
        rw_expr *e;
        rw_array *array[4];
        const void *data;
        OK(rw_expr_create(dev, &spec, &e));
        assert_int_equal(e->npasses, i == 0 ? 2 : 1);
        for (int k = 0; k < 4; ++k) {
            void *values;
            array[k] = field_array(dev, &grid, RW_F64);
            OK(rw_array_write(array[k], &values));
            for (int c = 0; c < N; ++c) ((double *)values)[c] = rw_random_uniform(3 + (uint64_t)k, (uint64_t)c);
            OK(rw_expr_bind(e, fields_of[k], array[k]));
        }
        OK(rw_expr_run(e, rw_device_queue(dev)));
        OK(rw_array_read(array[2], &data));
        memcpy(got[i], data, sizeof got[i]);
        assert_memory_equal(got[i], got[0], sizeof got[0]);
        for (int k = 0; k < 4; ++k) rw_array_destroy(&array[k]);
        rw_expr_destroy(&e);
        rw_device_close(&dev);
    }
    rw_context_destroy(&ctx);
    ctx = outer;
}

/* What can be recorded can be recorded fused, and replays to the same bits. */
static void test_recorded(void **state)
{
    (void)state;
    rw_device *dev = open_device("cpu:tiling=fused");
    rw_grid grid = {.ndim = 2, .size = {21, 18, 1}, .spacing = {0.5, 0.5, 1}};
    int64_t n = cell_count(&grid);
    double *first = malloc(sizeof *first * (size_t)n);
    rw_expr *e = create(dev, &grid, "v = u + a*laplace(u); w = v + a*laplace(v)", 2, RW_BOUNDARY_PERIODIC, false);
    assert_int_equal(e->npasses, 1);
    rw_array *a[FIELDS];
    for (int i = 0; i < FIELDS; ++i) {
        void *data;
        a[i] = field_array(dev, &grid, i == 3 ? RW_F32 : RW_F64);
        OK(rw_array_write(a[i], &data));
        for (int64_t c = 0; c < n && i < 3; ++c) ((double *)data)[c] = rw_random_uniform(3, (uint64_t)c);
        OK(rw_expr_bind(e, fields_of[i], a[i]));
    }
    rw_queue *q = rw_device_queue(dev);
    const void *data;
    OK(rw_expr_run(e, q));
    OK(rw_array_read(a[2], &data));
    memcpy(first, data, sizeof *first * (size_t)n);
    rw_sequence *sequence;
    OK(rw_record_begin(q));
    OK(rw_expr_run(e, q));
    OK(rw_record_end(q, &sequence));
    OK(rw_sequence_replay(sequence, q));
    OK(rw_array_read(a[2], &data));
    assert_memory_equal(first, data, sizeof *first * (size_t)n);
    rw_sequence_destroy(&sequence);
    for (int i = 0; i < FIELDS; ++i) rw_array_destroy(&a[i]);
    rw_expr_destroy(&e);
    free(first);
    rw_device_close(&dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which),    cmocka_unit_test(test_when),
        cmocka_unit_test(test_bits),     cmocka_unit_test(test_sides_that_nothing_reads),
        cmocka_unit_test(test_recorded),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
