/* Uses every structure that may grow. Compiled with the headers of one version and run with the library of another, it
 * must print the same. With MEMBER it sets the member that test_growth.sh adds to all structures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rechenwerk.h>

static rw_context *ctx;

static void check(rw_status status, const char *what)
{
    if (status == RW_OK) return;
    printf("%s: %s: %s\n", what, rw_status_name(status), rw_message(ctx));
    exit(1);
}
#define CHECK(call) check(call, #call)

enum { N = 32 };

static rw_array *array_of(rw_device *dev, rw_dtype type, int64_t n, double value)
{
    rw_array *a;
    void *data;
    CHECK(rw_array_create(dev, type, 1, &n, RW_MEMORY_DEVICE, &a));
    CHECK(rw_array_write(a, &data));
    for (int64_t i = 0; i < n * (type == RW_C128 ? 2 : 1); ++i) ((double *)data)[i] = value;
    return a;
}

static double first(rw_array *a)
{
    const void *data;
    CHECK(rw_array_read(a, &data));
    return *(const double *)data;
}

static double twice(void *user, const double *x) { return (void)user, 2 * *x; }

static rw_status given(void *user, rw_device *dev, rw_array **array)
{
    return (void)user, *array = array_of(dev, RW_F64, N, 3), RW_OK;
}

static void expression(rw_device *dev)
{
    const rw_expr_field fields[2] = {{.name = "u", .dtype = RW_F64}, {.name = "v", .dtype = RW_F64}};
    const rw_expr_scalar scalars[2] = {{.name = "a", .value = 2}, {.name = "b", .value = 5}};
    const rw_expr_external volume[1] = {{.name = "w", .dtype = RW_F64, .make = given}};
    const rw_expr_function functions[1] = {{.name = "twice", .arguments = 1, .call = twice}};
    rw_expr_spec spec = {.text = "v = a*u + b + twice(a) + w; total = sum(v)",
                         .grid = {.ndim = 1, .size = {N}, .spacing = {1}},
                         .fields = fields,
                         .nfields = 2,
                         .scalars = scalars,
                         .nscalars = 2,
                         .externals = volume,
                         .nexternals = 1,
                         .functions = functions,
                         .nfunctions = 1};
    rw_expr *e;
    rw_expr_plan plan;
    double total;
#ifdef MEMBER
    spec.added_member = 1;
    printf("%s: %s\n", rw_status_name(rw_expr_create(dev, &spec, &e)), rw_message(ctx));
    spec.added_member = 0;
#endif
    CHECK(rw_expr_create(dev, &spec, &e));
    rw_array *u = array_of(dev, RW_F64, N, 1), *v = array_of(dev, RW_F64, N, 0);
    CHECK(rw_expr_bind(e, "u", u));
    CHECK(rw_expr_bind(e, "v", v));
    CHECK(rw_expr_run(e, rw_device_queue(dev)));
    CHECK(rw_expr_get(e, "total", &total, NULL));
    CHECK(rw_expr_get_plan(e, &plan));
    printf("expression: %g, %lld passes, %lld reductions\n", total, (long long)plan.passes, (long long)plan.reductions);
    rw_expr_destroy(&e), rw_array_destroy(&u), rw_array_destroy(&v);
}

static void integration(rw_device *dev)
{
    const rw_expr_field fields[2] = {{.name = "u", .dtype = RW_F64}, {.name = "v", .dtype = RW_F64}};
    const rw_expr_scalar scalars[2] = {{.name = "a", .value = 1}, {.name = "b", .value = 3}};
    const rw_ode_spec spec = {.equations = "du/dt = -a*u; dv/dt = b",
                              .grid = {.ndim = 1, .size = {N}, .spacing = {1}},
                              .fields = fields,
                              .nfields = 2,
                              .scalars = scalars,
                              .nscalars = 2,
                              .method = RW_ODE_RK4,
                              .step = 0.125};
    rw_ode *ode;
    rw_ode_statistics s;
    rw_array *u = array_of(dev, RW_F64, N, 1), *v = array_of(dev, RW_F64, N, 0);
    CHECK(rw_ode_create(dev, &spec, &ode));
    CHECK(rw_ode_bind(ode, "u", u));
    CHECK(rw_ode_bind(ode, "v", v));
    while (rw_ode_time(ode) < 1) CHECK(rw_ode_step(ode, 1));
    CHECK(rw_ode_get_statistics(ode, &s));
    printf("integration: %.4f %.4f, %d steps, %d bytes\n", first(u), first(v), (int)s.steps, (int)rw_ode_bytes(&spec));
    rw_ode_destroy(&ode), rw_array_destroy(&u), rw_array_destroy(&v);
}

static rw_status copy(void *user, rw_op op, rw_array *x, rw_array *y, rw_queue *queue)
{
    return (void)user, (void)op, rw_array_copy(y, x, queue);
}

static rw_status ones(void *user, rw_array *d)
{
    void *data;
    (void)user;
    const rw_status status = rw_array_write(d, &data);
    for (int i = 0; status == RW_OK && i < N; ++i) ((double *)data)[i] = 1;
    return status;
}

static void solve(rw_device *dev)
{
    const rw_operator_spec map =
        {.rows = N, .columns = N, .multiply = copy, .diagonal = ones, .hermitian = true, .direct = true};
    rw_krylov_spec spec, inner = {.iterations = 3};
    rw_krylov_result result;
    rw_operator_info about;
    rw_precond_info precond;
    rw_operator *A;
    rw_krylov *solver;
    rw_array *b = array_of(dev, RW_F64, N, 2), *x = array_of(dev, RW_F64, N, 0);
    char text[64];
    CHECK(rw_operator_create(dev, &map, &A));
    CHECK(rw_operator_get_info(A, &about));
    CHECK(rw_krylov_parse(ctx, "cg:rtol=1e-6:precond=jacobi", &spec));
    rw_params_print(rw_krylov_params(), &spec, text, sizeof text);
    CHECK(rw_krylov_create(A, RW_F64, &spec, &solver));
    CHECK(rw_krylov_get_precond(solver, &precond));
    CHECK(rw_krylov_solve(solver, b, x, &result));
    printf("solve: %s, %d rows, %d iterations, |b| = %.4f, x = %g, block %d\n", text, (int)about.rows,
           (int)result.iterations, result.right_side, first(x), precond.block);
    rw_krylov_destroy(&solver);
    CHECK(rw_params_set(ctx, rw_krylov_params(), "test", "method", "fgmres", &spec));
    spec.precond.method = RW_PRECOND_NONE, spec.inner = &inner;
    CHECK(rw_krylov_create(A, RW_F64, &spec, &solver));
    CHECK(rw_array_zero(x, rw_device_queue(dev)));
    CHECK(rw_krylov_solve(solver, b, x, &result));
    printf("inner solver: x = %g, %d bytes\n", first(x), (int)rw_krylov_memory(&spec, N, RW_F64));
    rw_krylov_destroy(&solver), rw_operator_destroy(&A), rw_array_destroy(&b), rw_array_destroy(&x);
}

static void transforms(rw_device *dev)
{
    const rw_fft_spec spec = {.ndim = 1, .shape = {N}};
    const rw_convolution_spec product = {.ndim = 1, .a_shape = {N}, .b_shape = {3}, .mode = RW_CONVOLUTION_SAME};
    rw_fft *fft;
    rw_fft_info info;
    rw_convolution *c;
    rw_array *x = array_of(dev, RW_C128, N, 1), *a = array_of(dev, RW_F64, N, 1), *b = array_of(dev, RW_F64, 3, 1),
             *y = array_of(dev, RW_F64, N, 0);
    int64_t shape[RW_MAX_NDIM] = {0};
    CHECK(rw_fft_create(dev, &spec, &fft));
    CHECK(rw_fft_get_info(fft, &info));
    CHECK(rw_fft_execute(fft, x, x, rw_device_queue(dev)));
    printf("transform: %g, %d bytes\n", first(x), (int)info.bytes);
    CHECK(rw_convolution_shape(ctx, &product, shape));
    CHECK(rw_convolution_create(dev, &product, &c));
    CHECK(rw_convolution_set(c, b, rw_device_queue(dev)));
    CHECK(rw_convolution_execute(c, a, y, rw_device_queue(dev)));
    printf("convolution: %d values, the first %.3f\n", (int)shape[0], first(y));
    rw_fft_destroy(&fft), rw_convolution_destroy(&c);
    rw_array_destroy(&x), rw_array_destroy(&a), rw_array_destroy(&b), rw_array_destroy(&y);
}

static void image(rw_device *dev)
{
    const rw_image_op ops[2] = {{.method = RW_IMAGE_LINEAR, .gain = 3}, {.method = RW_IMAGE_LINEAR, .gain = 2}};
    const rw_image_spec spec = {.ops = ops, .nops = 2, .dtype = RW_F64, .width = N, .height = 4};
    rw_image_filter *filter;
    rw_image_info info;
    double in[4 * N], out[4 * N];
    for (int i = 0; i < 4 * N; ++i) in[i] = i;
    CHECK(rw_image_filter_create(dev, &spec, &filter));
    CHECK(rw_image_filter_get_info(filter, &info));
    CHECK(rw_image_filter_tiles(dev, &spec, in, out, 0, &info));
    printf("image: %g, %d x %d\n", out[1], (int)info.width, (int)info.height);
    rw_image_filter_destroy(&filter);
}

static void run(void)
{
    const double x[2] = {0, 1};
    const rw_figure_series series = {.name = "s", .n = 2, .x = x, .y = x};
    const rw_figure_lines lines = {.n = 1, .series = &series};
    const rw_run_options options = {.folder = "growth-results", .device = "cpu", .force = true};
    rw_run_report report;
    CHECK(rw_figure_write_lines(ctx, "growth.png", &(rw_figure_page){.title = "lines"}, &lines));
    CHECK(rw_run_case(ctx, "growth.yaml", &options, &report));
    printf("run: %s, %s, t = %g\n", report.reason, report.problem, report.time);
}

int main(void)
{
    rw_device *dev;
    rw_device_properties *list;
    rw_counters counters;
    int cpus = 0;
    int64_t n;
    check(rw_context_create(&ctx), "rw_context_create");
    CHECK(rw_device_open(ctx, "cpu:1", &dev));
    CHECK(rw_device_list(ctx, &list, &n));
    for (int i = 0; i < n; ++i) cpus += !strcmp(list[i].name, "cpu") || !strcmp(list[i].name, "check");
    rw_device_list_free(&list);
    expression(dev), integration(dev), solve(dev), transforms(dev), image(dev), run();
    CHECK(rw_device_get_counters(dev, &counters));
    printf("%d devices of the processor, launches: %s\n", cpus, counters.launches > 0 ? "some" : "none");
    rw_device_close(&dev), rw_context_destroy(&ctx);
    return 0;
}
