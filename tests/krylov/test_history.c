/* What solvers say of themselves: the memory of their vectors before they are made, and residuals as pictures. */
/* TEST: tiled */
#include <unistd.h>

#include "../devices.h"
#include "../sparse/matrices.h"
#include "io/picture.h"
#include "rechenwerk/figure.h"
#include "rechenwerk/krylov.h"

/* What is allocated is at most what was said, and less than a vector beside it: states, sums of groups, the history of
 * 100 iterations, the preconditioner's matrix. Processors keep two vectors less for cg. */
static void test_memory(void **state)
{
    const bool few = on("opencl") || !test_long(); /* compiling takes long */
    (void)state;
    entries e = grid_entries(3, 60, 60, 2, 2, false);
    for (int64_t k = 0; k < e.n; ++k)
        if (e.row[k] == e.column[k]) e.value[k] = 10;
    rw_sparse_layout l;
    rw_sparse *m;
    OK(rw_sparse_layout_parse(ctx, "bcsr:2", &l));
    OK(rw_sparse_from_entries(dev, &l, &e, &m));
    for (int method = RW_KRYLOV_CG; method < RW_KRYLOV_METHODS; ++method)
        for (int jacobi = 0; jacobi < 2; ++jacobi)
            for (int restart = 7; restart <= (few ? 7 : 40); restart += 33) {
                if (few && jacobi != method % 2) continue;
                /* no others, and each kind once */
                if (restart > 7 && (method == RW_KRYLOV_CG || method == RW_KRYLOV_BICGSTAB ||
                                    (method != RW_KRYLOV_GMRES && jacobi == (method == RW_KRYLOV_IDR))))
                    continue;
                const rw_krylov_spec spec = {.method = (rw_krylov_method)method,
                                             .restart = method == RW_KRYLOV_IDR ? restart > 7 ? 8 : 4 : restart,
                                             .iterations = 100,
                                             .precond = {.method = jacobi ? RW_PRECOND_JACOBI : RW_PRECOND_NONE}};
                const rw_dtype type = jacobi ? RW_F64 : RW_C128;
                rw_krylov *k;
                const int64_t before = counters().bytes_allocated, said = rw_krylov_memory(&spec, e.rows, type);
                OK(rw_krylov_create(rw_sparse_operator(m), type, &spec, &k));
                const int64_t taken = counters().bytes_allocated - before,
                              beside = 56000 + (jacobi ? 2 * e.rows * 8 + e.rows * 8 : 0);
                if (taken < said - (method == RW_KRYLOV_CG ? 2 * e.rows * (int64_t)rw_dtype_size(type) : 0) ||
                    taken > said + beside)
                    fail_msg("%s, jacobi %d, restart %d: %lld bytes are taken, %lld were said",
                             rw_krylov_method_name(spec.method), jacobi, restart, (long long)taken, (long long)said);
                rw_krylov_destroy(&k);
            }
    assert_true(rw_krylov_memory(&(rw_krylov_spec){.method = RW_KRYLOV_GMRES}, 10, RW_F64) ==
                rw_krylov_memory(&(rw_krylov_spec){.method = RW_KRYLOV_GMRES, .restart = 30}, 10, RW_F64));
    assert_int_equal(rw_krylov_memory(&(rw_krylov_spec){.method = RW_KRYLOV_METHODS}, 10, RW_F64), 0);
    rw_sparse_destroy(&m);
    free_entries(&e);
}

/* Lines of two colours on white; one point, zeros and numbers that are not finite are drawn as they can be. */
static void test_pictures(void **state)
{
    static const struct {
        int n;
        double residual[4], right_side, tolerance;
    } rows[] = {
        {4, {1, 0.1, 0.01, 0.001}, 1, 0.002}, {1, {5}, 5, 0},    {3, {1, 0, NAN}, 2, 1e-8}, {2, {0, 0}, 0, 0},
        {3, {1e300, 1, 1e-300}, 1, 1e-9},     {2, {2, 1}, 0, 1},
    };
    char path[] = "/tmp/rechenwerk-history-XXXXXX";
    (void)state;
    close(mkstemp(path));
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_picture picture;
        size_t dark = 0;
        OK(rw_figure_write_residuals(ctx, path, "A.mtx", rows[i].n, rows[i].residual, rows[i].right_side,
                                     rows[i].tolerance));
        OK(rw_picture_read(ctx, path, 0, &picture));
        for (size_t p = 0; p < picture.width * picture.height; ++p) dark += picture.grey[p] < 0.6;
        assert_in_range(dark, 500, picture.width * picture.height / 4);
        rw_picture_free(&picture);
    }
    unlink(path);
    FAILS(RW_ERR_ARGUMENT, "0 residuals: at least one is needed",
          rw_figure_write_residuals(ctx, path, "A", 0, NULL, 1, 1));
    FAILS(RW_ERR_FILE, "nowhere/h.png",
          rw_figure_write_residuals(ctx, "/tmp/nowhere/h.png", "A", 1, rows[1].residual, 1, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory), cmocka_unit_test(test_pictures)};
    return run_on_devices("history", tests, RW_COUNT(tests));
}
