/* Forecasts of rw_precond_estimate compared with the memory that device and host hold while the preconditioner is made,
 * and when it is. */
/* TEST: tiled */
#include "../values.h"
#include "systems.h"

typedef struct builder {
    entries e;
    int64_t room;
} builder;

static void put(builder *b, int64_t i, int64_t j, double v)
{
    if (b->e.n == b->room) {
        b->room = b->room ? 2 * b->room : 1024;
        b->e.row = realloc(b->e.row, (size_t)b->room * 8), b->e.column = realloc(b->e.column, (size_t)b->room * 8),
        b->e.value = realloc(b->e.value, (size_t)b->room * 8);
    }
    b->e.row[b->e.n] = i, b->e.column[b->e.n] = j, b->e.value[b->e.n++] = v;
}

/* n^d cells with blocks of r x r: diffusion, along the first axis `stretch` times as strong, and a flow along it (0:
 * symmetric). */
static entries cells(int n, int d, int r, double stretch, double flow)
{
    builder b = {{0}, 0};
    int64_t all = 1, step[3] = {1, n, (int64_t)n * n};
    for (int k = 0; k < d; ++k) all *= n;
    for (int64_t i = 0; i < all; ++i)
        for (int p = 0; p < r; ++p)
            for (int q = 0; q < r; ++q) {
                put(&b, i * r + p, i * r + q, p == q ? 2 * (d - 1 + stretch) + 0.1 * r : 0.05);
                for (int k = 0; k < d; ++k)
                    for (int side = -1; side <= 1; side += 2) {
                        const int64_t at = i / step[k] % n + side;
                        if (at >= 0 && at < n)
                            put(&b, i * r + p, (i + side * step[k]) * r + q,
                                (p == q ? -1 : -0.01) * (k ? 1 : stretch) + (k || p != q ? 0 : side * flow));
                    }
            }
    b.e.rows = b.e.columns = all * r;
    return b.e;
}

/* Within a factor of `most` of each other. */
static bool near(double a, double b, double most) { return a <= most * b && b <= most * a; }

static void compare(const char *name, const entries *e, const char *layout, const char *text)
{
    const rw_entries given = {e->rows, e->columns, e->n, e->is_complex, e->row, e->column, e->value};
    rw_precond_spec spec;
    rw_precond *p;
    rw_precond_bytes said;
    rw_sparse *m = matrix_of(layout, RW_F64, e);
    OK(rw_precond_parse(ctx, text, &spec));
    const rw_sparse_layout l = *rw_sparse_get_layout(m);
    const double start = rw_seconds();
    OK(rw_precond_estimate(dev, &spec, &l, &given, RW_F64, &said));
    const double seconds = rw_seconds() - start;
    /* Compiling holds several copies of a program's text: once before, so that all of its programs are in the cache. */
    OK(rw_precond_create(rw_sparse_operator(m), RW_F64, &spec, &p));
    rw_precond_destroy(&p);
    const int64_t before = counters().bytes_allocated;
    dev->counters.bytes_allocated_peak = before;
    rw_host_count_begin();
    OK(rw_precond_create(rw_sparse_operator(m), RW_F64, &spec, &p));
    const double host = (double)rw_host_count_end(), is = (double)(counters().bytes_allocated - before),
                 setup = (double)(counters().bytes_allocated_peak - before);
    print_message(
        "%-14s %-8s %-22s device %9.0f, said %.3f of it; setup %9.0f, %.3f; host %9.0f, %.3f; in %.2g s of %.2g s\n",
        name, layout, text, is, (double)said.device / is, setup, (double)said.device_setup / setup, host,
        (double)said.host_setup / host, seconds, precond_info_of(p).seconds);
    const bool sampled = strstr(text, "amg") || strstr(text, "ilut") || spec.level > 0;
    if (!near((double)said.device, is, sampled ? 1.3 : 1.0001))
        fail_msg("%s, %s, %s: device memory %g, forecast %g", name, layout, text, is, (double)said.device);
    if (!near((double)said.device_setup, setup, sampled ? 1.3 : 1.02))
        fail_msg("%s, %s, %s: device memory while it is made %g, forecast %g", name, layout, text, setup,
                 (double)said.device_setup);
    if (strstr(text, "ilut"))
        assert_true(is >= (double)said.least / 1.01 && is <= 1.01 * (double)said.most && said.least < said.most);
    else assert_true(said.least == said.device && said.most == said.device);
        /* Text and code of programs are not forecast; sanitizers make the code longer. On devices other than cpu arrays
     * have copies on the host, which are not counted here. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    const double programs = 2e6;
#else
    const double programs = 1.5e5;
#endif
    if (on("cpu") && (host > 1.3 * (double)said.host_setup + programs || (double)said.host_setup > 1.3 * host))
        fail_msg("%s, %s, %s: host memory %g, forecast %g", name, layout, text, host, (double)said.host_setup);
    rw_precond_destroy(&p), rw_sparse_destroy(&m);
}

static void test_estimates(void **state)
{
    static const char *const texts[] = {"jacobi",
                                        "ssor",
                                        "ilu0",
                                        "ilu0:f32",
                                        "ilu0:sweeps=3",
                                        "ilu1",
                                        "ilu2",
                                        "ilu0:iterations=2",
                                        "ilu1:order=colours",
                                        "milu",
                                        "ilut",
                                        "ilut:drop=1e-1:fill=3",
                                        "chebyshev"};
    static const struct {
        const char *name, *layout;
        int n, d, r;
        double stretch, flow;
    } systems[] = {
        {"laplace 2d", "csr", 90, 2, 1, 1, 0},      {"laplace 3d", "csr", 22, 3, 1, 1, 0},
        {"stretched 2d", "csr", 90, 2, 1, 50, 0},   {"convection 2d", "csr", 80, 2, 1, 1, 0.7},
        {"blocks of 5", "bcsr:5x5", 9, 3, 5, 1, 0},
    };
    (void)state;
    const bool few = on("check") || on("opencl"); /* launches take their time */
    for (int s = 0; s < RW_COUNT(systems); ++s) {
        if (few && systems[s].d == 2) continue;
        entries e = cells(few ? systems[s].r == 5 ? 4 : 9 : systems[s].n, systems[s].d, systems[s].r,
                          systems[s].stretch, systems[s].flow);
        for (int i = 0; i < RW_COUNT(texts); i += few ? 2 : 1)
            compare(systems[s].name, &e, systems[s].layout, texts[i]);
        if (systems[s].r == 5)
            compare(systems[s].name, &e, "csr", "ilu0:block=5"),
                compare(systems[s].name, &e, "bcsr:5x5", "ilu0:block=1");
        if (systems[s].flow == 0)
            compare(systems[s].name, &e, systems[s].layout, "icc0"),
                compare(systems[s].name, &e, systems[s].layout, "icc1"),
                compare(systems[s].name, &e, systems[s].layout, "amg");
        free_entries(&e);
    }
    entries e =
        cells(few ? 9 : 20, 3, 1, 1,
              0); /* a third of the couplings are zeros that are given: the host leaves them out, kernels do not */
    for (int64_t k = 0; k < e.n; ++k)
        if (e.row[k] != e.column[k] && (e.row[k] + e.column[k]) % 3 == 0) e.value[k] = 0;
    for (int i = 0; i < RW_COUNT(texts); i += few ? 3 : 1) compare("given zeros", &e, "csr", texts[i]);
    compare("given zeros", &e, "sell:h32", "ilu0"), compare("given zeros", &e, "csr:f32", "ilu2");
    free_entries(&e);
}

/* Rows without neighbours where the samples begin, and a matrix most of whose rows have none. */
static void test_parts(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    entries e = cells(60, 2, 1, 1, 0);
    int64_t n = 0;
    for (int64_t k = 0; k < e.n; ++k) {
        const bool alone = e.row[k] % 1200 == 600 || e.column[k] % 1200 == 600;
        if (alone && e.row[k] != e.column[k]) continue;
        e.row[n] = e.row[k], e.column[n] = e.column[k], e.value[n++] = e.value[k];
    }
    e.n = n;
    compare("alone", &e, "csr", "ilut");
    free_entries(&e);
    builder b = {{0}, 0};
    for (int64_t i = 0; i < 6000; ++i)
        for (int64_t j = 0; j < 6000; ++j)
            if (i == j || (i >= 5800 && j >= 5800)) put(&b, i, j, i == j ? 20 : (i * 7 + j) % 2 ? 0.1 : -0.1);
    b.e.rows = b.e.columns = 6000;
    compare("dense corner", &b.e, "csr", "ilut");
    free_entries(&b.e);
}

static void test_refused(void **state)
{
    int64_t row[] = {0, 1, 2}, column[] = {0, 1, 2};
    rw_precond_bytes bytes = {.device = 1, .most = 1};
    double value[] = {1, 2, 3};
    rw_entries e = {3, 3, 3, false, row, column, value};
    rw_precond_spec spec = {.method = RW_PRECOND_ILU, .block = 2};
    const rw_sparse_layout csr = {.format = RW_SPARSE_CSR, .values = RW_F64};
    (void)state;
    FAILS(RW_ERR_ARGUMENT, "block = 2 does not divide the 3 rows",
          rw_precond_estimate(dev, &spec, &csr, &e, RW_F64, &bytes));
    assert_true(bytes.device == 0 && bytes.most == 0);
    e.columns = 4, spec.block = 0;
    FAILS(RW_ERR_ARGUMENT, "3 x 4", rw_precond_estimate(dev, &spec, &csr, &e, RW_F64, &bytes));
    e.columns = 3, spec.method = RW_PRECOND_NONE;
    OK(rw_precond_estimate(dev, &spec, &csr, &e, RW_F64, &bytes));
    assert_int_equal(bytes.most, 0);
    e.rows = e.columns = e.n = 0, spec.method = RW_PRECOND_AMG;
    OK(rw_precond_estimate(dev, &spec, &csr, &e, RW_F64, &bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_estimates), cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_refused)};
    return run_on_devices("memory", tests, RW_COUNT(tests));
}
