/* The texts of passes as CUDA's compiler takes them, where it is; no GPU is needed. */
#include "device/cuda/cuda.h"
#include "expr_test.h"

static void compile_for_sm90(const rw_pass_kernel *k, const char *what)
{
    rw_text t = {0}, binary = {0};
    char group[16], group_x[16];
    snprintf(group, sizeof group, "%d", k->tiling.group), snprintf(group_x, sizeof group_x, "%d", k->tiling.group_x);
    const char *real = k->f32 ? "f32" : "f64";
    const rw_define defines[] = {{"GROUP", group},
                                 {"GROUP_X", group_x},
                                 {"REAL", real},
                                 {"WITH_FUNCTIONS", "1"},
                                 {"WITH_COMPLEX", "1"}};
    assert_int_equal(rw_program_text(ctx, &rw_cuda_ops, "pass", k->text, defines, k->has_complex ? 5 : 4, real, &t),
                     RW_OK);
    rw_status status = rw_nvrtc_compile(ctx, "pass", t.data, 90, &binary);
    if (status != RW_OK) fail_msg("%s: %s", what, rw_message(ctx));
    assert_memory_equal(binary.data, "\177ELF", 4);
    assert_non_null(memmem(binary.data, binary.length, "run", 3));
    rw_text_free(&t), rw_text_free(&binary);
}

static void test_texts_compile_for_cuda(void **state)
{
    (void)state;
    const char *why;
    if (!rw_nvrtc_load(&why)) {
        printf("# %s\n", why);
        skip();
    }
    rw_device *cpu = open_device("cpu");
    static const char *const texts[] =
        {"u = u + 0.1*laplace(u); r = sum(u); v = v/r + dx(u)*a",
         "u = sin(u) + cos(v) + tan(u) + asin(v) + acos(u) + atan(v) + sinh(u) + cosh(v) + tanh(u) + erf(v) + exp(u) + "
         "log(v) + sqrt(u) + cbrt(v)\n"
         "v = floor(u) + sign(v) + abs(u) + mod(u, v) + hypot(u, v) + atan2(u, v) + u^v + min(u, v) + max(u, a) + "
         "where(u < v and not (u == 0) or v >= 1, u, v)",
         "w = w*w + c/w + sqrt(w) + exp(w) + log(w) + sin(w) + cos(w) + tan(w) + sinh(w) + cosh(w) + tanh(w) + w^c + "
         "conj(w) - 2i*u; r = dot(w, c*w)\n"
         "u = real(w) + imag(w) + abs(w) + where(w == c, 1, 2); m = max(abs(w)); k = mean(w)",
         "w = laplace(w) + dx(w)*u + dx(dx(w)); u = x*t + 1e400; r = sum(x); q = min(u)",
         "u = dxxxx(v) + upwind(u, v, u, a) + dyz(u); v = dxxx(u, 4) + divgrad(u, v)",
         "r = sum(x*y)"};
    static const rw_dtype types[][2] = {{RW_F64, RW_C128}, {RW_F32, RW_C64}, {RW_F32, RW_C128}, {RW_F64, RW_C64}};
    static const rw_boundary sides[] = {{RW_BOUNDARY_DIRICHLET, "x + t", 0, 0}, {RW_BOUNDARY_NEUMANN, "a", 0, 0},
                                        {RW_BOUNDARY_ROBIN, "a", "1 + x", "t"}, {RW_BOUNDARY_PERIODIC, 0, 0, 0},
                                        {RW_BOUNDARY_NEAREST, 0, 0, 0},         {RW_BOUNDARY_REFLECT, 0, 0, 0},
                                        {RW_BOUNDARY_CONSTANT, "a + x", 0, 0},  {RW_BOUNDARY_REFLECT101, 0, 0, 0}};
    static const rw_grid grids[] = {{.ndim = 3, .size = {70, 40, 33}, .spacing = {0.5, 0.5, 0.5}},
                                    {.ndim = 2, .size = {130, 40, 1}, .spacing = {0.5, 0.5, 1}},
                                    {.ndim = 1, .size = {5000, 1, 1}, .spacing = {0.5, 1, 1}},
                                    {.ndim = 3, .size = {3, 2, 1}, .spacing = {0.5, 0.5, 0.5}}};
    const rw_device_properties gpu = {.name = "cuda:0",
                                      .kind = "cuda",
                                      .gpu = true,
                                      .units = 132,
                                      .group_max = 1024,
                                      .f64 = true,
                                      .shared_memory = 49152};
    const rw_target target = rw_target_of(&gpu, RW_TILING_AUTO);
    int compiled = 0;
    for (int i = 0; i < RW_COUNT(texts); ++i) /* order 4 and no contraction for each second; both for the differences */
        for (int j = i % 2; j < (i == 4 ? 2 : i % 2 + 1); ++j) {
            const rw_grid *grid = grids + (i == 4 ? 3 * j : (i + j) % RW_COUNT(grids));
            const rw_dtype *type = types[(2 * j + i) % 4];
            rw_expr_field f[] = {{.name = "u", .dtype = type[0]},
                                 {.name = "v", .dtype = type[0]},
                                 {.name = "w", .dtype = type[1]}};
            for (int k = 0; k < 3; ++k)
                for (int s = 0; s < 6; ++s) f[k].boundary[s] = sides[(k + j + i + (s / 2)) % RW_COUNT(sides)];
            char text[1024];
            snprintf(text, sizeof text, "%s", texts[i]);
            if (grid->ndim == 1 && i == 5) snprintf(text, sizeof text, "r = sum(x)");
            static const rw_expr_scalar scalars[] = {{.name = "a", .value = 2},
                                                     {.name = "c", .is_complex = true, .value = 1}};
            rw_expr_spec spec = {.name = "cuda",
                                 .text = text,
                                 .grid = *grid,
                                 .order = j ? 4 : 2,
                                 .fields = f,
                                 .nfields = 3,
                                 .scalars = scalars,
                                 .nscalars = 2};
            rw_expr *e;
            compiler(false);
            OK(rw_expr_create(cpu, &spec, &e));
            compiler(true);
            for (int p = 0, next; p < e->plan.npasses; p = next) {
                rw_pass_kernel k;
                OK(rw_pass_kernel_create(&e->plan, p, &target, &k));
                next = k.last + 1;
                compile_for_sm90(&k, text);
                rw_pass_kernel_free(&k);
                compiled++;
            }
            rw_expr_destroy(&e);
        }
    printf("# %d passes compiled for sm_90\n", compiled);
    rw_device_close(&cpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts_compile_for_cuda)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
