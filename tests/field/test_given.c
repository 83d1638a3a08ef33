/* Expressions on block-structured grids, on all devices: places, volumes, blocks, boundary; integrals of profiles at
 * second order; what is refused. */
/* TEST: devices=all unoptimised */
#include "../devices.h"

#include <math.h>

#include "../values.h"
#include "rechenwerk/blocks.h"

static rw_expr *make(rw_blocks *g, rw_blocks_place place, const char *text, int nfields)
{
    static const rw_expr_field fields[] = {{.name = "u", .dtype = RW_F64}, {.name = "v", .dtype = RW_F64}};
    rw_expr_spec spec = {.name = "blocks", .text = text, .fields = fields, .nfields = nfields};
    rw_expr *e;
    OK(rw_blocks_expr_create(g, dev, place, &spec, &e));
    return e;
}

static double value(rw_expr *e, const char *name)
{
    double v;
    OK(rw_expr_get(e, name, &v, NULL));
    return v;
}

/* Every cell of a box: where it is, how large, whether it has a side. */
static void test_box(void **state)
{
    (void)state;
    enum { NX = 5, NY = 4, NZ = 3 };
    rw_blocks *g;
    OK(rw_blocks_box(ctx, (double[3]){5, 2, 3}, (int[3]){NX, NY, NZ}, &g));
    for (int place = 0; place < 2; ++place) {
        bool points = place == RW_BLOCKS_POINTS;
        rw_expr *e = make(g, (rw_blocks_place)place,
                          "u = x + 10*y + 100*z\nv = where(boundary, -volume, volume)\ntotal = sum(volume)", 2);
        rw_array *u, *v;
        const void *place_of, *volume;
        OK(rw_blocks_array(g, dev, (rw_blocks_place)place, RW_F64, &u));
        OK(rw_blocks_array(g, dev, (rw_blocks_place)place, RW_F64, &v));
        OK(rw_expr_bind(e, "u", u));
        OK(rw_expr_bind(e, "v", v));
        OK(rw_expr_run(e, queue));
        OK(rw_array_read(u, &place_of));
        OK(rw_array_read(v, &volume));
        assert_true(fabs(value(e, "total") - 30) < 1e-12);
        int last[3] = {NX - !points, NY - !points, NZ - !points};
        for (int k = 0; k <= last[2]; ++k)
            for (int j = 0; j <= last[1]; ++j)
                for (int i = 0; i <= last[0]; ++i) {
                    int64_t n = points ? rw_blocks_point(g, 0, i, j, k) : (k * NY + j) * NX + i;
                    double at[3] = {i, 0.5 * j, k}, x = 1, half = points ? 0 : 0.5;
                    bool side = !i || !j || !k || i == last[0] || j == last[1] || k == last[2];
                    int ends = !i + !j + !k + (i == last[0]) + (j == last[1]) + (k == last[2]);
                    x = at[0] + half + 10 * (at[1] + half * 0.5) + 100 * (at[2] + half);
                    double want = 0.5 / (points ? 1 << ends : 1);
                    if (fabs(((const double *)place_of)[n] - x) > 1e-12)
                        fail_msg("%d, %d, %d: %g, expected %g", i, j, k, ((const double *)place_of)[n], x);
                    if (fabs(((const double *)volume)[n] - (side ? -want : want)) > 1e-14)
                        fail_msg("%d, %d, %d: volume %g, expected %g", i, j, k, ((const double *)volume)[n], want);
                }
        rw_expr_destroy(&e);
        rw_array_destroy(&u), rw_array_destroy(&v);
    }
    rw_blocks_destroy(&g);
}

/* The pump of a laser, 2/(pi w^2) exp(-2 r2/w^2) over a cylinder: the exact integral at second order; blocks by their
 * numbers. */
static void test_cylinder(void **state)
{
    (void)state;
    double before = 0, w2 = 0.4 * 0.4, exact = 10 * (1 - exp(-2 * 0.25 / w2));
    for (int n = 4; n <= 16; n *= 2) {
        rw_blocks *g;
        OK(rw_blocks_cylinder(ctx, 0.5, 0.2, 10, (int[3]){n, n, 2}, &g));
        rw_expr *e = make(g, RW_BLOCKS_CELLS,
                          "r2 = x^2 + y^2\ntotal = sum(volume*2/(pi*0.16)*exp(-2*r2/0.16))\n"
                          "core = sum(where(block == 0, volume, 0))\n"
                          "mantle = sum(where(block > 0 and boundary, 1, 0))",
                          0);
        OK(rw_expr_run(e, queue));
        double error = fabs(value(e, "total") - exact);
        if (before > 0 && !(before / error > 3.6 && before / error < 4.4))
            fail_msg("n = %d: error %g, %g before", n, error, before);
        before = error;
        assert_true(fabs(value(e, "core") - 10 * 2 * 0.2 * 0.2) < 1e-12);
        assert_true(value(e, "mantle") == 4 * n * n * 2); /* with two cells along z all have a side */
        rw_expr_destroy(&e);
        rw_blocks_destroy(&g);
    }
}

/* Two programs share the grid's arrays. */
static void test_shared(void **state)
{
    (void)state;
    rw_blocks *g;
    OK(rw_blocks_cylinder(ctx, 0.5, 0.2, 10, (int[3]){4, 4, 4}, &g));
    rw_expr *a = make(g, RW_BLOCKS_CELLS, "s = sum(volume*x*x)", 0);
    int64_t held = counters_of(dev).bytes_allocated;
    rw_expr *b = make(g, RW_BLOCKS_CELLS, "s = sum(volume*x*x)", 0);
    assert_true(counters_of(dev).bytes_allocated - held < 320 * 8);
    OK(rw_expr_run(a, queue));
    OK(rw_expr_run(b, queue));
    assert_true(value(a, "s") == value(b, "s"));
    rw_expr_destroy(&a), rw_expr_destroy(&b);
    rw_blocks_destroy(&g);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {{"u = dx(u)", "dx is not defined here"},
                {"volume = u", "volume cannot be assigned: it belongs to the grid"},
                {"u = volum*u", "volum is unknown; nearest is volume"}};
    rw_expr_field field = {.name = "u", .dtype = RW_F64};
    rw_expr_spec spec = {.fields = &field, .nfields = 1};
    rw_blocks *g;
    rw_expr *e;
    OK(rw_blocks_box(ctx, (double[3]){1, 1, 1}, (int[3]){2, 2, 2}, &g));
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        spec.text = rows[i].text;
        FAILS(RW_ERR_INPUT, rows[i].message, rw_blocks_expr_create(g, dev, RW_BLOCKS_CELLS, &spec, &e));
        assert_null(e);
    }
    field.name = "volume", spec.text = "volume = 1";
    FAILS(RW_ERR_INPUT, "volume is a field of the grid: choose another name",
          rw_blocks_expr_create(g, dev, RW_BLOCKS_CELLS, &spec, &e));
    field.name = "u", spec.text = "u = block";
    FAILS(RW_ERR_INPUT, "block is unknown", rw_blocks_expr_create(g, dev, RW_BLOCKS_POINTS, &spec, &e));
    for (long k = 1;; ++k) { /* the n-th allocation fails */
        spec.text = "u = x*volume*boundary";
        rw_fault_set(RW_FAULT_ALLOC, k);
        rw_status status = rw_blocks_expr_create(g, dev, RW_BLOCKS_CELLS, &spec, &e);
        rw_fault_set(RW_FAULT_ALLOC, 0);
        if (status == RW_OK) break;
        assert_null(e);
    }
    rw_expr_destroy(&e);
    rw_blocks_destroy(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_box), cmocka_unit_test(test_cylinder),
                                       cmocka_unit_test(test_shared), cmocka_unit_test(test_refused)};
    return run_on_devices("given", tests, RW_COUNT(tests));
}
