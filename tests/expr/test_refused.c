/* What programs refuse: names that there are not, arrays of another type, size, shape or device, and boundary
 * conditions. */
#include "expr_test.h"

static rw_device *cpu;

static const rw_expr_field uv[] = {{.name = "u", .dtype = RW_F64}, {.name = "v", .dtype = RW_F64}};

static rw_expr *create(const char *text, const rw_grid *grid, const rw_expr_field *fields, int nfields)
{
    static const rw_expr_scalar scalars[] = {{.name = "a", .value = 2}, {.name = "c", .is_complex = true, .value = 1}};
    rw_expr_spec spec = {.name = "run",
                         .text = text,
                         .grid = *grid,
                         .fields = fields,
                         .nfields = nfields,
                         .scalars = scalars,
                         .nscalars = RW_COUNT(scalars)};
    rw_expr *e;
    OK(rw_expr_create(cpu, &spec, &e));
    return e;
}

static void test_messages(void **state)
{
    (void)state;
    rw_grid grid = grid1(30, 1);
    rw_expr *e = create("u = v*a + c*0; total = sum(u)", &grid,
                        (rw_expr_field[]){{.name = "u", .dtype = RW_C128},
                                          {.name = "v", .dtype = RW_F64},
                                          {.name = "unused", .dtype = RW_F64}},
                        3);
    rw_queue *q = rw_device_queue(cpu);
    rw_array *u = field_array(cpu, &grid, RW_C128), *v = field_array(cpu, &grid, RW_F64),
             *f = field_array(cpu, &grid, RW_F32), *small;
    int64_t n = 29, square[2] = {5, 6};
    double zeros[30] = {0}, x;
    put(v, zeros);
    FAILS(rw_expr_run(e, q), RW_ERR_ARGUMENT, "field u of run has no array: call rw_expr_bind first");
    OK(rw_expr_bind(e, "u", u));
    FAILS(rw_expr_run(e, q), RW_ERR_ARGUMENT, "field v of run has no array: call rw_expr_bind first");
    FAILS(rw_expr_bind(e, "w", v), RW_ERR_ARGUMENT, "run has no field w");
    FAILS(rw_expr_bind(e, "unsed", v), RW_ERR_ARGUMENT, "run has no field unsed; nearest is unused");
    FAILS(rw_expr_bind(e, "v", f), RW_ERR_ARGUMENT, "field v of run is 30 f64 on cpu, but the array is 30 f32 on cpu");
    OK(rw_array_create(cpu, RW_F64, 1, &n, RW_MEMORY_DEVICE, &small));
    FAILS(rw_expr_bind(e, "v", small), RW_ERR_ARGUMENT,
          "field v of run is 30 f64 on cpu, but the array is 29 f64 on cpu");
    rw_array_destroy(&small);
    rw_device *check = open_device("check");
    rw_array *elsewhere = field_array(check, &grid, RW_F64);
    FAILS(rw_expr_bind(e, "v", elsewhere), RW_ERR_ARGUMENT,
          "field v of run is 30 f64 on cpu, but the array is 30 f64 on check");
    rw_array_destroy(&elsewhere);
    rw_device_close(&check);
    FAILS(rw_expr_get(e, "totl", &x, NULL), RW_ERR_ARGUMENT, "run assigns no scalar totl; nearest is total");
    assert_int_equal(rw_expr_get(e, "total", &x, NULL), RW_ERR_ARGUMENT); /* not run yet */
    /* another shape of as many elements will do */
    OK(rw_array_create(cpu, RW_F64, 2, square, RW_MEMORY_DEVICE, &small));
    put(small, zeros);
    OK(rw_expr_bind(e, "v", small));
    OK(rw_expr_run(e, q));
    OK(rw_expr_get(e, "total", &x, NULL));
    OK(rw_expr_bind(e, "v", v));
    rw_array_destroy(&small);
    OK(rw_expr_bind(e, "unused", v)); /* what no pass uses may be anything */
    OK(rw_expr_run(e, q));
    FAILS(rw_expr_set(e, "aa", 1), RW_ERR_ARGUMENT, "run has no scalar aa; nearest is a");
    FAILS(rw_expr_set_complex(e, "a", 1, 2), RW_ERR_ARGUMENT, "scalar a of run is real, but 1+2i is given");
    OK(rw_expr_set_complex(e, "c", 1, 2));
    rw_expr_destroy(&e);
    e = create("u = v*a", &grid, uv, 2);
    OK(rw_expr_bind(e, "u", v));
    OK(rw_expr_bind(e, "v", v));
    FAILS(rw_expr_run(e, q), RW_ERR_ARGUMENT,
          "the same array is bound to fields u and v of run: bind a different array to each");
    rw_expr_destroy(&e);
    rw_array_destroy(&u), rw_array_destroy(&v), rw_array_destroy(&f);
}

/* As many values in another shape would be differenced along the wrong axes. */
static void test_shapes(void **state)
{
    (void)state;
    rw_grid grid = {.ndim = 2, .size = {6, 4, 1}, .spacing = {1, 1, 1}};
    rw_expr *e = create("u = dx(v) + dy(v)", &grid, uv, 2);
    static const struct {
        int ndim;
        int64_t shape[4];
        bool fits;
    } rows[] = {{2, {4, 6}, true},    {2, {6, 4}, false},    {1, {24}, true},
                {3, {1, 4, 6}, true}, {3, {4, 1, 6}, false}, {3, {4, 6, 1}, false},
                {2, {24, 1}, false},  {2, {2, 12}, false},   {4, {1, 1, 4, 6}, true}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_array *a;
        OK(rw_array_create(cpu, RW_F64, rows[i].ndim, rows[i].shape, RW_MEMORY_DEVICE, &a));
        rw_status status = rw_expr_bind(e, "v", a);
        if (status != (rows[i].fits ? RW_OK : RW_ERR_ARGUMENT)) fail_msg("shape %d: %s", i, rw_status_name(status));
        if (i == 1)
            assert_string_equal(
                rw_message(ctx),
                "field v of run has shape (4, 6), but the array has shape (6, 4): arrays of a grid have shape (z, y, "
                "x), or one axis of 24");
        rw_array_destroy(&a);
    }
    rw_expr_destroy(&e);
}

static void test_boundaries(void **state)
{
    (void)state;
    static char kinds[2][120];
    for (int i = 0; i < 2; ++i)
        snprintf(
            kinds[i], sizeof kinds[i],
            "element 0: rw_expr_field.boundary[0].kind = %d is not a value of rw_boundary_kind: 0 to %d are allowed",
            i ? -1 : 17, RW_BOUNDARY_KINDS - 1);
    static const struct {
        rw_boundary side[4];
        rw_status status;
        const char *message;
    } rows[] =
        {{{{(rw_boundary_kind)17, "0", 0, 0}}, RW_ERR_ARGUMENT, kinds[0]},
         {{{(rw_boundary_kind)-1, 0, 0, 0}}, RW_ERR_ARGUMENT, kinds[1]},
         {{{RW_BOUNDARY_NEAREST, 0, 0, 0}, {RW_BOUNDARY_PERIODIC, 0, 0, 0}},
          RW_ERR_ARGUMENT,
          "boundary of u: periodic on the upper x side only: make the opposite side periodic too"},
         {{{0}, {0}, {RW_BOUNDARY_PERIODIC, 0, 0, 0}, {RW_BOUNDARY_NEUMANN, "0", 0, 0}},
          RW_ERR_ARGUMENT,
          "boundary of u: periodic on the lower y side only: make the opposite side periodic too"},
         {{{0}, {0}, {0}, {RW_BOUNDARY_ROBIN, "1", 0, "0"}},
          RW_ERR_ARGUMENT,
          "boundary of u, upper y side: robin needs b in a u + b du/dn = c; for u = c/a use dirichlet"},
         {{{0}, {0}, {0}, {RW_BOUNDARY_ROBIN, "1", "1 - 1", "0"}},
          RW_ERR_INPUT,
          "boundary of u, upper y side: robin needs b other than 0 in a u + b du/dn = c; for u = c/a use dirichlet"},
         {{{RW_BOUNDARY_PERIODIC, 0, 0, 0},
           {RW_BOUNDARY_PERIODIC, 0, 0, 0},
           {RW_BOUNDARY_ROBIN, "1", "2", "0"},
           {RW_BOUNDARY_DIRICHLET, 0, 0, 0}},
          RW_OK,
          ""}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_expr_field u = {.name = "u", .dtype = RW_F64};
        memcpy(u.boundary, rows[i].side, sizeof rows[i].side);
        rw_expr_spec spec = {.name = "sides",
                             .text = "u = laplace(u)",
                             .grid = {.ndim = 2, .size = {6, 4, 1}, .spacing = {1, 1, 1}},
                             .fields = &u,
                             .nfields = 1};
        rw_expr *e;
        rw_status status = rw_expr_create(cpu, &spec, &e);
        if (status != rows[i].status) fail_msg("sides %d: %s", i, rw_status_name(status));
        if (status != RW_OK) assert_string_equal(rw_message(ctx), rows[i].message);
        rw_expr_destroy(&e);
    }
}

static int setup(void **state)
{
    if (make_context(state)) return -1;
    return rw_device_open(ctx, "cpu", &cpu) == RW_OK ? 0 : -1;
}

static int teardown(void **state)
{
    rw_device_close(&cpu);
    return drop_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_boundaries),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
