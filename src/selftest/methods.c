/* The cases of the self-test for what is built on programs: Fourier transforms, image filters, sparse matrices,
 * solvers and their preconditioners, filters of signals. Each result is compared with plain loops in double. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/temporary.h"
#include "rechenwerk/array.h"
#include "rechenwerk/fft.h"
#include "rechenwerk/image.h"
#include "rechenwerk/krylov.h"
#include "rechenwerk/signal.h"
#include "rechenwerk/sparse.h"
#include "selftest/parts.h"

enum { LENGTH = 60, WIDTH = 37, HEIGHT = 23, ROWS = 300, SAMPLES = 5000 };

/* A new array with n values of f64 or f32, or bytes. */
static rw_status make(rw_selftest_run *r, rw_dtype dtype, int ndim, const int64_t *shape, const void *values,
                      rw_array **a)
{
    void *w;
    RW_TRY(rw_array_create(r->dev, dtype, ndim, shape, RW_MEMORY_DEVICE, a));
    RW_TRY(rw_array_write(*a, &w));
    const size_t bytes = (size_t)rw_array_size(*a) * rw_dtype_size(dtype);
    if (values) memcpy(w, values, bytes);
    else memset(w, 0, bytes);
    return RW_OK;
}

static double value(uint64_t seed, int64_t i) { return rw_random_uniform(seed, (uint64_t)i) - 0.5; }

/* ---- transforms -------------------------------------------------------------------------------------------------- */

/* There against the sums of the definition, and back. */
static rw_status transform(rw_selftest_run *r, bool single, double *error)
{
    const int64_t n = LENGTH;
    const rw_dtype dtype = single ? RW_C64 : RW_C128;
    const double turn = 2 * acos(-1.) / LENGTH;
    double x[2 * LENGTH];
    float narrow[2 * LENGTH];
    rw_fft_spec spec = {.ndim = 1, .shape = {LENGTH}, .single = single};
    rw_fft *there = NULL, *back = NULL;
    rw_array *a = NULL, *b = NULL;
    rw_queue *q = rw_device_queue(r->dev);
    const void *data = NULL;
    for (int i = 0; i < 2 * LENGTH; ++i) {
        narrow[i] = (float)value(3, i);
        x[i] = single ? narrow[i] : value(3, i);
    }
    rw_status status = rw_fft_create(r->dev, &spec, &there);
    spec.inverse = true;
    spec.scale = 1. / LENGTH;
    if (status == RW_OK) status = rw_fft_create(r->dev, &spec, &back);
    if (status == RW_OK) status = make(r, dtype, 1, &n, single ? (void *)narrow : (void *)x, &a);
    if (status == RW_OK) status = make(r, dtype, 1, &n, NULL, &b);
    if (status == RW_OK) status = rw_fft_execute(there, a, b, q);
    if (status == RW_OK) status = rw_array_read(b, &data);
    for (int k = 0; status == RW_OK && k < LENGTH; ++k) {
        double re = 0, im = 0;
        for (int i = 0; i < LENGTH; ++i) {
            const double c = cos(turn * (i * k % LENGTH)), s = -sin(turn * (i * k % LENGTH));
            re += c * x[2 * i] - s * x[2 * i + 1];
            im += c * x[2 * i + 1] + s * x[2 * i];
        }
        const double got[2] = {single ? ((const float *)data)[2 * k] : ((const double *)data)[2 * k],
                               single ? ((const float *)data)[2 * k + 1] : ((const double *)data)[2 * k + 1]};
        rw_selftest_worsen(error, hypot(got[0] - re, got[1] - im));
    }
    if (status == RW_OK) status = rw_array_zero(a, q);
    if (status == RW_OK) status = rw_fft_execute(back, b, a, q);
    if (status == RW_OK) status = rw_array_read(a, &data);
    for (int i = 0; status == RW_OK && i < 2 * LENGTH; ++i)
        rw_selftest_worsen(error, fabs((single ? ((const float *)data)[i] : ((const double *)data)[i]) - x[i]));
    rw_fft_destroy(&there);
    rw_fft_destroy(&back);
    rw_array_destroy(&a);
    rw_array_destroy(&b);
    return status;
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

static int compare_bytes(const void *a, const void *b) { return *(const uint8_t *)a - *(const uint8_t *)b; }

/* What the operation gives for the window of 3 x 3. */
static double expect_pixel(const char *op, const uint8_t window[9])
{
    uint8_t sorted[9];
    double sum = 0;
    for (int i = 0; i < 9; ++i) {
        sorted[i] = window[i];
        sum += window[i];
    }
    qsort(sorted, 9, 1, compare_bytes);
    const int sx = window[2] + 2 * window[5] + window[8] - window[0] - 2 * window[3] - window[6];
    const int sy = window[6] + 2 * window[7] + window[8] - window[0] - 2 * window[1] - window[2];
    if (!strcmp(op, "median:size=3")) return sorted[4];
    if (!strcmp(op, "dilate:size=3")) return sorted[8];
    if (!strcmp(op, "box:size=3")) return sum / 9;
    return fmin(hypot(sx, sy), 255); /* sobel */
}

/* Pixels of u8, away from the borders; results may be rounded either way. */
static rw_status filter(rw_selftest_run *r, const char *op, double *error)
{
    const int64_t shape[] = {HEIGHT, WIDTH, 1};
    uint8_t x[HEIGHT * WIDTH];
    rw_image_filter *f = NULL;
    rw_array *a = NULL, *b = NULL;
    const void *data = NULL;
    for (int i = 0; i < HEIGHT * WIDTH; ++i) x[i] = (uint8_t)(80 * rw_random_uniform(4, (uint64_t)i));
    const rw_image_spec spec = {.text = op, .dtype = RW_U8, .width = WIDTH, .height = HEIGHT, .channels = 1};
    rw_status status = rw_image_filter_create(r->dev, &spec, &f);
    if (status == RW_OK) status = make(r, RW_U8, 3, shape, x, &a);
    if (status == RW_OK) status = make(r, RW_U8, 3, shape, NULL, &b);
    if (status == RW_OK) status = rw_image_filter_execute(f, a, b, rw_device_queue(r->dev));
    if (status == RW_OK) status = rw_array_read(b, &data);
    for (int j = 1; status == RW_OK && j < HEIGHT - 1; ++j)
        for (int i = 1; i < WIDTH - 1; ++i) {
            uint8_t window[9];
            for (int k = 0; k < 9; ++k) window[k] = x[(j + k / 3 - 1) * WIDTH + i + k % 3 - 1];
            const double off = fabs(((const uint8_t *)data)[j * WIDTH + i] - expect_pixel(op, window));
            rw_selftest_worsen(error, fmax(off - 0.5, 0));
        }
    rw_image_filter_destroy(&f);
    rw_array_destroy(&a);
    rw_array_destroy(&b);
    return status;
}

/* ---- matrices and solvers ---------------------------------------------------------------------------------------- */

/* Diagonally dominant: 4 on the diagonal, neighbours and a far entry; not symmetric with `skew` above 0. */
static int64_t fill_matrix(double skew, int64_t *row, int64_t *column, double *v)
{
    static const int offsets[] = {-40, -1, 0, 1, 40};
    int64_t n = 0;
    for (int64_t i = 0; i < ROWS; ++i)
        for (int k = 0; k < RW_COUNT(offsets); ++k) {
            const int64_t j = i + offsets[k];
            if (j < 0 || j >= ROWS) continue;
            row[n] = i;
            column[n] = j;
            v[n++] = offsets[k] == 0 ? 4.5 : -1 + (offsets[k] > 0 ? skew : 0);
        }
    return n;
}

typedef struct matrix {
    int64_t row[5 * ROWS], column[5 * ROWS], n;
    double value[5 * ROWS], x[ROWS], b[ROWS]; /* b <- A x */
    rw_sparse *a;
} matrix;

static rw_status make_matrix(rw_selftest_run *r, const char *format, double skew, matrix *m)
{
    rw_sparse_layout layout;
    m->n = fill_matrix(skew, m->row, m->column, m->value);
    for (int i = 0; i < ROWS; ++i) {
        m->x[i] = value(5, i);
        m->b[i] = 0;
    }
    for (int64_t k = 0; k < m->n; ++k) m->b[m->row[k]] += m->value[k] * m->x[m->column[k]];
    RW_TRY(rw_sparse_layout_parse(r->ctx, format, &layout));
    const rw_entries e = {ROWS, ROWS, m->n, false, m->row, m->column, m->value};
    return rw_sparse_from_entries(r->dev, &layout, &e, &m->a);
}

static rw_status compare(rw_array *a, const double *expected, double *error)
{
    const void *data;
    RW_TRY(rw_array_read(a, &data));
    for (int i = 0; i < ROWS; ++i) rw_selftest_worsen(error, fabs(((const double *)data)[i] - expected[i]));
    return RW_OK;
}

static rw_status product(rw_selftest_run *r, const char *format, double *error)
{
    const int64_t n = ROWS;
    rw_array *x = NULL, *y = NULL;
    matrix *m = rw_calloc(1, sizeof *m);
    if (!m) return rw_fail_memory(r->ctx, sizeof *m, "a test");
    rw_status status = make_matrix(r, format, 0.5, m);
    if (status == RW_OK) status = make(r, RW_F64, 1, &n, m->x, &x);
    if (status == RW_OK) status = make(r, RW_F64, 1, &n, NULL, &y);
    if (status == RW_OK) status = rw_sparse_multiply(m->a, RW_OP_NONE, NULL, x, NULL, y, rw_device_queue(r->dev));
    if (status == RW_OK) status = compare(y, m->b, error);
    rw_sparse_destroy(&m->a);
    rw_array_destroy(&x);
    rw_array_destroy(&y);
    rw_free(m);
    return status;
}

static rw_status solve(rw_selftest_run *r, rw_krylov_method method, rw_precond_method precond, double *error)
{
    const int64_t n = ROWS;
    rw_array *b = NULL, *x = NULL;
    rw_krylov *solver = NULL;
    rw_krylov_result result;
    const rw_krylov_spec spec = {.method = method, .rtol = 1e-12, .precond = {.method = precond}};
    matrix *m = rw_calloc(1, sizeof *m);
    if (!m) return rw_fail_memory(r->ctx, sizeof *m, "a test");
    rw_status status = make_matrix(r, "csr", method == RW_KRYLOV_CG ? 0 : 0.5, m);
    if (status == RW_OK) status = make(r, RW_F64, 1, &n, m->b, &b);
    if (status == RW_OK) status = make(r, RW_F64, 1, &n, NULL, &x);
    if (status == RW_OK) status = rw_krylov_create(rw_sparse_operator(m->a), RW_F64, &spec, &solver);
    if (status == RW_OK) status = rw_krylov_solve(solver, b, x, &result);
    if (status == RW_OK) status = compare(x, m->x, error);
    rw_krylov_destroy(&solver);
    rw_sparse_destroy(&m->a);
    rw_array_destroy(&b);
    rw_array_destroy(&x);
    rw_free(m);
    return status;
}

/* ---- signals ----------------------------------------------------------------------------------------------------- */

/* A causal FIR filter of a file against the sum of its taps. */
static rw_status run_signal(rw_selftest_run *r, const rw_temporary *folder, double *error)
{
    const rw_signal_spec spec = {.text = "lowpass:cutoff=1000:taps=63",
                                 .in = {.kind = RW_SAMPLE_F32, .channels = 1, .rate = 8000},
                                 .keep_delay = true};
    double *taps = NULL;
    char *in = rw_format("%s/in.raw", folder->path), *out = rw_format("%s/out.raw", folder->path), *bytes = NULL;
    float *x = rw_calloc(SAMPLES, sizeof *x);
    int64_t n = 0, delay;
    size_t size = 0;
    rw_status status = in && out && x ? RW_OK : rw_fail_memory(r->ctx, SAMPLES * sizeof *x, "a test");
    for (int i = 0; status == RW_OK && i < SAMPLES; ++i) x[i] = (float)value(6, i);
    if (status == RW_OK) status = rw_signal_design(r->ctx, spec.text, spec.in.rate, &taps, &n, &delay);
    if (status == RW_OK) status = rw_file_write(r->ctx, in, x, SAMPLES * sizeof *x);
    if (status == RW_OK) status = rw_signal_run(r->dev, in, out, &spec, NULL);
    if (status == RW_OK) status = rw_file_read(r->ctx, out, 0, &bytes, &size);
    if (status == RW_OK && size != SAMPLES * sizeof *x) rw_selftest_worsen(error, INFINITY);
    for (int64_t i = 0; status == RW_OK && size == SAMPLES * sizeof *x && i < SAMPLES; ++i) {
        double sum = 0;
        float got;
        for (int64_t k = 0; k < n && k <= i; ++k) sum += taps[k] * (double)x[i - k];
        memcpy(&got, bytes + (size_t)i * sizeof got, sizeof got);
        rw_selftest_worsen(error, fabs((double)got - sum));
    }
    free(taps);
    rw_free(in);
    rw_free(out);
    rw_free(x);
    rw_free(bytes);
    return status;
}

static rw_status signal_file(rw_selftest_run *r, double *error)
{
    rw_temporary folder;
    RW_TRY(rw_temporary_create(r->ctx, &folder));
    const rw_status status = run_signal(r, &folder, error);
    rw_temporary_remove(&folder);
    return status;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

void rw_selftest_methods(rw_selftest_run *r)
{
    static const char *const filters[] = {"box:size=3", "median:size=3", "dilate:size=3", "sobel"};
    static const char *const formats[] = {"coo", "csr", "bcsr:4x4", "dia", "ell", "sell:h32", "bsell:4x4"};
    static const struct {
        const char *name;
        rw_krylov_method method;
        rw_precond_method precond;
    } solvers[] = {{"solve cg jacobi", RW_KRYLOV_CG, RW_PRECOND_JACOBI},
                   {"solve cg amg", RW_KRYLOV_CG, RW_PRECOND_AMG},
                   {"solve gmres ilu", RW_KRYLOV_GMRES, RW_PRECOND_ILU},
                   {"solve bicgstab", RW_KRYLOV_BICGSTAB, RW_PRECOND_NONE},
                   {"solve idr ssor", RW_KRYLOV_IDR, RW_PRECOND_SSOR}};
    char name[64];
    for (int single = 0; single < 2; ++single) {
        double error = 0;
        rw_selftest_result *row = rw_selftest_begin(r, single ? "fft c64" : "fft c128");
        const rw_status status = transform(r, single, &error);
        rw_selftest_end(r, row, status, error, single ? 1e-5 : 1e-13);
    }
    for (int i = 0; i < RW_COUNT(filters); ++i) {
        double error = 0;
        snprintf(name, sizeof name, "image %s", filters[i]);
        rw_selftest_result *row = rw_selftest_begin(r, name);
        const rw_status status = filter(r, filters[i], &error);
        rw_selftest_end(r, row, status, error, 1e-5);
    }
    for (int i = 0; i < RW_COUNT(formats); ++i) {
        double error = 0;
        snprintf(name, sizeof name, "sparse %s", formats[i]);
        rw_selftest_result *row = rw_selftest_begin(r, name);
        const rw_status status = product(r, formats[i], &error);
        rw_selftest_end(r, row, status, error, 1e-14);
    }
    for (int i = 0; i < RW_COUNT(solvers); ++i) {
        double error = 0;
        rw_selftest_result *row = rw_selftest_begin(r, solvers[i].name);
        const rw_status status = solve(r, solvers[i].method, solvers[i].precond, &error);
        rw_selftest_end(r, row, status, error, 1e-10);
    }
    double error = 0;
    rw_selftest_result *row = rw_selftest_begin(r, "signal lowpass");
    const rw_status status = signal_file(r, &error);
    rw_selftest_end(r, row, status, error, 1e-6);
}
