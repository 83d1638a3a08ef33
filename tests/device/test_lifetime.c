/* Handles are counted: objects are destroyed in the wrong order (context and device first, then what others bind,
 * record or solve with), and the others still work. A mistake is a use after free under the address sanitizer, or a
 * device that is not closed at the end. */
/* TEST: devices=all optimised */
#include <math.h>

#include "../devices.h"
#include "rechenwerk/blocks.h"
#include "rechenwerk/fft.h"
#include "rechenwerk/image.h"
#include "rechenwerk/krylov.h"
#include "rechenwerk/multiblock.h"
#include "rechenwerk/ode.h"

enum { N = 40 };

/* A context, which is destroyed at once, and a device of the test's own. `watched` has a reference beside the caller's:
 * in the end it must be the only one. */
static rw_device *watched;

static rw_device *open_own(void)
{
    rw_context *own;
    rw_device *d;
    OK(rw_context_create(&own));
    OK(rw_device_open(own, rw_device_info(dev)->name, &d));
    watched = rw_device_retain(d);
    rw_context_destroy(&own);
    return d;
}

static void nothing_left(void)
{
    OK(rw_queue_wait(rw_device_queue(watched)));
    assert_int_equal(__atomic_load_n(&watched->references, __ATOMIC_ACQUIRE), 1);
    assert_int_equal(rw_counters_of(watched).bytes_allocated, 0);
    rw_device_close(&watched);
}

static rw_array *ramp(rw_device *d, int64_t n)
{
    rw_array *a;
    void *p;
    OK(rw_array_create(d, RW_F64, 1, &n, RW_MEMORY_DEVICE, &a));
    OK(rw_array_write(a, &p));
    for (int64_t i = 0; i < n; ++i) ((double *)p)[i] = (double)i;
    return a;
}

static double element(rw_array *a, int64_t i)
{
    const void *p;
    OK(rw_array_read(a, &p));
    return ((const double *)p)[i];
}

static rw_grid line_grid(void) { return (rw_grid){.ndim = 1, .size = {N, 1, 1}, .spacing = {1, 1, 1}}; }

static void test_a_sequence_outlives_its_program(void **state)
{
    (void)state;
    rw_device *d = open_own();
    rw_program *program;
    rw_kernel *kernel;
    rw_sequence *sequence;
    rw_queue *second;
    rw_event *event;
    rw_array *x = ramp(d, N), *y = ramp(d, N), *view;
    OK(rw_program_create(d, "twice",
                         "KERNEL(twice, GLOBAL f64 *y, GLOBAL const f64 *x, int n)\n"
                         "{ EACH_IN(i, 0, n) { y[i] = 2*x[i] + y[i]; } }\n",
                         &(rw_define){"GROUP", "64"}, 1, &program));
    OK(rw_program_kernel(program, "twice", &kernel));
    OK(rw_queue_create(d, &second));
    OK(rw_event_create(d, &event));
    OK(rw_array_send(x, second));
    OK(rw_array_send(y, second));
    OK(rw_record_begin(second));
    OK(rw_launch(second, kernel, (int64_t[]){1, 1, 1}, (rw_arg[]){rw_arg_array(y), rw_arg_array(x), rw_arg_int(N)}, 3));
    OK(rw_record_end(second, &sequence));
    OK(rw_array_slice(y, 0, N - 1, N, 1, &view));
    rw_queue *first = rw_device_queue(d);
    rw_device_close(&d);
    rw_program_destroy(&program);
    rw_array_destroy(&x), rw_array_destroy(&y);
    rw_queue_destroy(&second);
    OK(rw_sequence_replay(sequence, first));
    OK(rw_event_record(event, first));
    OK(rw_event_wait(event));
    assert_true(element(view, 0) == 3 * (N - 1));
    rw_sequence_destroy(&sequence);
    assert_true(element(view, 0) == 3 * (N - 1));
    rw_array_destroy(&view);
    rw_event_destroy(&event);
    nothing_left();
}

static int ends;
static void delete_tensor(rw_managed_tensor *t) { ++ends, (void)t; }

static void test_shared_memory_outlives_its_array(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    static double data[N];
    int64_t n = N;
    rw_managed_tensor *out, in = {.tensor = {.data = data,
                                             .device_type = RW_TENSOR_CPU,
                                             .ndim = 1,
                                             .code = RW_TENSOR_FLOAT,
                                             .bits = 64,
                                             .lanes = 1,
                                             .shape = &n},
                                  .deleter = delete_tensor};
    rw_device *d = open_own();
    rw_array *a = ramp(d, N), *b;
    OK(rw_array_export(a, rw_device_queue(d), &out));
    OK(rw_array_import(d, &in, &b));
    rw_device_close(&d);
    rw_array_destroy(&a);
    assert_true(((double *)out->tensor.data)[N - 1] == N - 1);
    out->deleter(out);
    ends = 0;
    rw_array_destroy(&b);
    assert_int_equal(ends, 1);
    nothing_left();
}

static void test_programs_of_equations_outlive_arrays(void **state)
{
    (void)state;
    const rw_expr_field field = {.name = "u", .dtype = RW_F64};
    const rw_expr_spec spec = {.text = "u = 2*u; total = sum(u)", .grid = line_grid(), .fields = &field, .nfields = 1};
    const rw_ode_spec decay = {.equations = "du/dt = -u",
                               .grid = line_grid(),
                               .fields = &field,
                               .nfields = 1,
                               .method = RW_ODE_RKC2,
                               .spectral_radius = "1"};
    rw_device *d = open_own();
    rw_expr *e;
    rw_ode *ode;
    rw_reducer *sum;
    rw_array *u = ramp(d, N);
    double total;
    OK(rw_expr_create(d, &spec, &e));
    OK(rw_ode_create(d, &decay, &ode));
    OK(rw_reducer_create(d, RW_REDUCE_OP_SUM, RW_F64, 0, &sum));
    OK(rw_expr_bind(e, "u", u));
    OK(rw_ode_bind(ode, "u", u));
    rw_queue *q = rw_device_queue(d);
    rw_device_close(&d);
    OK(rw_ode_step(ode, 0.1));
    rw_array_destroy(&u);
    OK(rw_ode_step(ode, 0.2));
    rw_ode_destroy(&ode);
    OK(rw_expr_run(e, q));
    OK(rw_expr_get(e, "total", &total, NULL));
    assert_true(total > 0 && total < N * (N - 1));
    rw_expr_destroy(&e);
    rw_reducer_destroy(&sum);
    nothing_left();
}

/* ---- solvers ----------------------------------------------------------------------------------------------------- */

static rw_status copy(void *user, rw_op op, rw_array *x, rw_array *y, rw_queue *q)
{
    (void)op;
    return rw_sparse_multiply(user, RW_OP_NONE, NULL, x, NULL, y, q);
}
static void end(void *user)
{
    rw_sparse *m = user;
    rw_sparse_destroy(&m);
    ++ends;
}

static rw_sparse *diagonal_matrix(rw_device *d, double value)
{
    int64_t at[N];
    double v[N];
    rw_sparse *m;
    for (int i = 0; i < N; ++i) at[i] = i, v[i] = value;
    OK(rw_sparse_from_entries(d, &(rw_sparse_layout){0}, &(rw_entries){N, N, N, false, at, at, v}, &m));
    return m;
}

static rw_operator *function_of(rw_device *d, double value)
{
    rw_operator *op;
    OK(rw_operator_create(d,
                          &(rw_operator_spec){.rows = N,
                                              .columns = N,
                                              .hermitian = true,
                                              .multiply = copy,
                                              .destroy = end,
                                              .user = diagonal_matrix(d, value)},
                          &op));
    return op;
}

/* The device is closed; solves 4 x = b. */
static void solves(rw_krylov **k, rw_array **b, rw_array **x)
{
    rw_krylov_result r;
    OK(rw_krylov_solve(*k, *b, *x, &r));
    assert_true(fabs(element(*x, N - 1) - (N - 1) / 4.) < 1e-6);
    rw_array_destroy(b);
    rw_krylov_destroy(k);
    assert_true(fabs(element(*x, 1) - 0.25) < 1e-6);
    rw_array_destroy(x);
    nothing_left();
}

static void test_a_solver_outlives_its_matrix(void **state)
{
    (void)state;
    if (on("opencl")) skip(); /* compiling takes seconds there */
    static const rw_precond_method methods[] = {RW_PRECOND_NONE, RW_PRECOND_JACOBI, RW_PRECOND_CHEBYSHEV};
    for (int i = 0; i < (on("cpu") ? RW_COUNT(methods) : 1); ++i) {
        rw_device *d = open_own();
        rw_sparse *m = diagonal_matrix(d, 4);
        rw_array *b = ramp(d, N), *x = ramp(d, N);
        rw_krylov *k;
        OK(rw_krylov_create(rw_sparse_operator(m), RW_F64,
                            &(rw_krylov_spec){.method = RW_KRYLOV_CG, .precond = {.method = methods[i]}}, &k));
        OK(rw_array_zero(x, rw_device_queue(d)));
        rw_device_close(&d);
        rw_sparse_destroy(&m);
        solves(&k, &b, &x);
    }
}

static void test_a_solver_outlives_its_operators(void **state)
{
    (void)state;
    if (on("opencl")) skip();
    rw_device *d = open_own();
    rw_operator *a = function_of(d, 4), *own = function_of(d, 0.5);
    rw_array *b = ramp(d, N), *x = ramp(d, N);
    rw_krylov *k;
    OK(rw_krylov_create(a, RW_F64, &(rw_krylov_spec){.method = RW_KRYLOV_CG, .precond_operator = own}, &k));
    OK(rw_array_zero(x, rw_device_queue(d)));
    rw_device_close(&d);
    ends = 0;
    rw_operator_destroy(&own), rw_operator_destroy(&a);
    assert_int_equal(ends, 0);
    solves(&k, &b, &x);
    assert_int_equal(ends, 2);
}

static void test_a_solver_outlives_grid_blocks(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    const rw_multiblock_spec spec = {.cells = {3, 3, 3}, .blocks = {2, 1, 1}, .mode = RW_MULTIBLOCK_INNER};
    rw_device *d = open_own();
    rw_multiblock *op;
    rw_operator *whole, *unused;
    rw_array *b, *x, *right;
    rw_krylov *k;
    rw_krylov_result r;
    void *p;
    OK(rw_multiblock_create(d, &spec,
                            &(rw_sparse_layout){.block_rows = 5, .block_columns = 5, .format = RW_SPARSE_BCSR}, &op));
    OK(rw_multiblock_vector(op, RW_F64, &b));
    OK(rw_multiblock_vector(op, RW_F64, &x));
    OK(rw_multiblock_vector(op, RW_F64, &right));
    OK(rw_array_write(b, &p));
    for (int64_t i = 0; i < b->size; ++i) ((double *)p)[i] = 1;
    OK(rw_multiblock_operator(op, RW_F64, &whole));
    OK(rw_multiblock_operator(op, RW_F64, &unused));
    OK(rw_operator_multiply(whole, RW_OP_NONE, NULL, b, NULL, right, rw_device_queue(d)));
    rw_device_close(&d);
    rw_multiblock_destroy(&op);
    rw_operator_destroy(&unused);
    OK(rw_krylov_create(whole, RW_F64, &(rw_krylov_spec){.precond = {.method = RW_PRECOND_JACOBI}}, &k));
    rw_operator_destroy(&whole);
    OK(rw_krylov_solve(k, right, x, &r));
    rw_krylov_destroy(&k);
    rw_array_destroy(&b), rw_array_destroy(&x), rw_array_destroy(&right);
    nothing_left();
}

/* ---- grids, transforms, images ----------------------------------------------------------------------------------- */

static void test_grid_and_program_in_any_order(void **state)
{
    (void)state;
    const rw_expr_field field = {.name = "u", .dtype = RW_F64};
    const rw_expr_spec spec = {.text = "u = u + 0*laplace(u) + 2; total = sum(u*volume)",
                               .fields = &field,
                               .nfields = 1};
    if (on("opencl")) skip();
    for (int first = 0; first < 2; ++first) {
        rw_device *d = open_own();
        rw_blocks *grid;
        rw_expr *e;
        rw_array *u;
        double total;
        OK(rw_blocks_box(rw_device_context(d), (double[]){1, 1, 1}, (int[]){3, 3, 3}, &grid));
        OK(rw_blocks_array(grid, d, RW_BLOCKS_CELLS, RW_F64, &u));
        OK(rw_array_zero(u, rw_device_queue(d)));
        OK(rw_blocks_expr_create(grid, d, RW_BLOCKS_CELLS, &spec, &e));
        OK(rw_expr_bind(e, "u", u));
        rw_queue *q = rw_device_queue(d);
        rw_device_close(&d);
        rw_array_destroy(&u);
        if (first) rw_blocks_destroy(&grid);
        OK(rw_expr_run(e, q));
        OK(rw_expr_get(e, "total", &total, NULL));
        assert_true(total > 1.999 && total < 2.001);
        rw_expr_destroy(&e);
        rw_blocks_destroy(&grid);
        nothing_left();
    }
}

static void test_plans_outlive_their_device(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    rw_device *d = open_own();
    rw_fft *fft;
    rw_fft_info info;
    rw_convolution *c;
    rw_image_filter *f;
    rw_array *x = ramp(d, 2 * N * N), *y = ramp(d, 2 * N * N), *work, *image, *filtered;
    OK(rw_fft_create(d, &(rw_fft_spec){.ndim = 2, .shape = {N, N}}, &fft));
    OK(rw_fft_get_info(fft, &info));
    const int64_t room = info.work_bytes / 8 + 1;
    OK(rw_array_create(d, RW_F64, 1, &room, RW_MEMORY_DEVICE, &work));
    OK(rw_fft_set_work(fft, work));
    rw_array_destroy(&work);
    OK(rw_convolution_create(d, &(rw_convolution_spec){.ndim = 1, .a_shape = {N}, .b_shape = {3}}, &c));
    OK(rw_image_filter_create(d, &(rw_image_spec){.text = "gauss", .dtype = RW_F64, .width = N, .height = N}, &f));
    OK(rw_array_view(x, RW_F64, 2, (int64_t[]){N, N}, NULL, 0, &image));
    OK(rw_array_view(y, RW_F64, 2, (int64_t[]){N, N}, NULL, 0, &filtered));
    rw_array *complex_x, *complex_y;
    OK(rw_array_view(x, RW_C128, 2, (int64_t[]){N, N}, NULL, 0, &complex_x));
    OK(rw_array_view(y, RW_C128, 2, (int64_t[]){N, N}, NULL, 0, &complex_y));
    rw_queue *q = rw_device_queue(d);
    rw_device_close(&d);
    rw_array_destroy(&x), rw_array_destroy(&y);
    OK(rw_image_filter_execute(f, image, filtered, q));
    OK(rw_fft_execute(fft, complex_x, complex_y, q));
    rw_array_destroy(&image), rw_array_destroy(&filtered), rw_array_destroy(&complex_x), rw_array_destroy(&complex_y);
    rw_fft_destroy(&fft), rw_convolution_destroy(&c), rw_image_filter_destroy(&f);
    nothing_left();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_sequence_outlives_its_program),
                                       cmocka_unit_test(test_shared_memory_outlives_its_array),
                                       cmocka_unit_test(test_programs_of_equations_outlive_arrays),
                                       cmocka_unit_test(test_a_solver_outlives_its_matrix),
                                       cmocka_unit_test(test_a_solver_outlives_its_operators),
                                       cmocka_unit_test(test_a_solver_outlives_grid_blocks),
                                       cmocka_unit_test(test_grid_and_program_in_any_order),
                                       cmocka_unit_test(test_plans_outlive_their_device)};
    return run_on_devices("lifetime", tests, RW_COUNT(tests));
}
