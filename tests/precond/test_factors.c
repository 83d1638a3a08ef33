/* Factors whose numbers stay on the device: against dense ones in long double and against those of the host; rows that
 * cannot be are named; no number is copied to the host; by iterations they come nearer to the exact ones with each, and
 * are exact after as many as there are levels. Kernels are those of a GPU everywhere. */
/* TEST: tiled */
#include "../values.h"
#include "systems.h"

/* A kernel on opencl, and an access on check, takes its time. */
static bool fast(void) { return on("cpu") || on("cuda"); }

static rw_precond *create(const char *text, rw_sparse *m, rw_dtype type)
{
    rw_precond_spec spec;
    rw_precond *p;
    OK(rw_precond_parse(ctx, text, &spec));
    if (rw_precond_create(rw_sparse_operator(m), type, &spec, &p) != RW_OK) fail_msg("%s: %s", text, rw_message(ctx));
    return p;
}

/* What rw_precond_create says. */
static const char *refusal(const char *text, rw_sparse *m, rw_dtype type)
{
    rw_precond_spec spec;
    rw_precond *p;
    OK(rw_precond_parse(ctx, text, &spec));
    assert_int_equal(rw_precond_create(rw_sparse_operator(m), type, &spec, &p), RW_ERR_INPUT);
    assert_null(p);
    return rw_message(ctx);
}

/* Rows of each block moved by one, and then no pivot on the diagonal. */
static void turn(entries *e, int r)
{
    for (int64_t k = 0; k < e->n; ++k) {
        e->row[k] = e->row[k] / r * r + (e->row[k] + 1) % r;
        for (int p = 0; e->row[k] == e->column[k] && p <= e->is_complex; ++p) e->value[(1 + e->is_complex) * k + p] = 0;
    }
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static const factor_case cases[] = {
    {"ilu0:order=natural", 0, false, false, 0},
    {"ilu1:order=colours", 1, false, true, 0},
    {"milu", 0, true, false, 0},
    {"ilu2:iterations=70", 2, false, false, 0},
    {"ssor:omega=1.3:order=natural", 0, false, false, 1.3},
    {"milu1:order=colours:iterations=70", 1, true, true, 0},
    {"ilu0:order=colours:f32", 0, false, true, 0},
    {"ssor:omega=0.7:scaled", 0, false, true, 0.7},
    {"ilu2", 2, false, false, 0},
    {"ilu1:scaled:iterations=70", 1, false, false, 0},
};

typedef struct kind {
    const char *layout;
    rw_dtype values, vectors;
    int r, n;
    bool turned;
} kind;
static const kind all_kinds[] = {
    {"sell", RW_F64, RW_F64, 1, 61, false},      {"bsell:5", RW_F64, RW_F64, 5, 23, true},
    {"bsell:5", RW_C128, RW_C128, 5, 19, true},  {"bell:2:s100", RW_F32, RW_F64, 2, 37, true},
    {"bsell:3", RW_C64, RW_C64, 3, 41, true},    {"bcsr:4", RW_F32, RW_F32, 4, 31, true},
    {"bsell:8", RW_F64, RW_C128, 8, 11, true},   {"csr", RW_F64, RW_F64, 1, 1, false},
    {"bsell:5", RW_F64, RW_F64, 5, 0, false},    {"bcsr:4:columns", RW_F64, RW_F64, 4, 7, true},
    {"coo", RW_C128, RW_C128, 1, 43, false},     {"dia", RW_F64, RW_F64, 1, 29, false},
    {"bsell:2:l3", RW_F64, RW_F64, 2, 47, true}, {"bsell:16", RW_C128, RW_C128, 16, 3, true},
};

static double allowed(const factor_case *c, const kind *k)
{
    const bool narrow = strstr(c->text, "f32") || k->values == RW_F32 || k->values == RW_C64 || k->vectors == RW_F32 ||
                        k->vectors == RW_C64;
    return strstr(c->text, "scaled") ? 1e-3 : narrow ? 3e-5 : 1e-12;
}

/* On the present device. */
static rw_array *same_values(rw_array *a)
{
    rw_array *b = vector_of(a->dtype, a->size, 0);
    const void *from;
    void *to;
    OK(rw_array_read(a, &from));
    OK(rw_array_write(b, &to));
    memcpy(to, from, a->bytes);
    return b;
}

static void compare_case(const factor_case *c, const kind *k, const dense *d, rw_sparse *m, rw_array *r)
{
    const int64_t n = rw_array_size(r);
    rw_array *z = vector_of(k->vectors, n, 0);
    number *want = numbers(k->vectors, r);
    if (n) reference(c, d, want);
    const int64_t blocks = apply(c->text, m, k->vectors, r, z).blocks;
    const double off = n ? difference(k->vectors, z, want) : 0;
    if (!(off <= allowed(c, k)))
        fail_msg("%s: %s, %s of %s, %d blocks: differs by %g, allowed %g", rw_device_info(dev)->name, c->text,
                 k->layout, rw_dtype_name(k->values), k->n, off, allowed(c, k));
    if (on("cpu")) { /* the host's factors, or by iterations those in rows */
        rw_device *threads = dev;
        rw_sparse *rows;
        OK(rw_device_open(ctx, "cpu:tiling=cpu", &dev));
        queue = rw_device_queue(dev);
        OK(rw_sparse_convert(m, dev, rw_sparse_get_layout(m), &rows));
        rw_array *same = same_values(r), *y = vector_of(k->vectors, n, 0);
        assert_int_equal(apply(c->text, rows, k->vectors, same, y).blocks, blocks);
        free(want), want = numbers(k->vectors, y);
        rw_sparse_destroy(&rows), rw_array_destroy(&same), rw_array_destroy(&y);
        rw_device_close(&dev);
        dev = threads, queue = rw_device_queue(dev);
        if (n && !(difference(k->vectors, z, want) <= allowed(c, k)))
            fail_msg("%s, %s: not as on the host", c->text, k->layout);
    }
    free(want);
    rw_array_destroy(&z);
}

static void test_exact(void **state)
{
    (void)state;
    begin_tiling("gpu");
    for (int i = 0; i < RW_COUNT(all_kinds); ++i) {
        const kind *k = &all_kinds[i];
        if (on("opencl") && i != 1) continue;
        entries e = system_of((uint64_t)(700 + i), k->n, k->r, rw_dtype_is_complex(k->values));
        if (k->turned) turn(&e, k->r);
        dense d = dense_of(&e, k->r);
        rw_sparse *m = matrix_of(k->layout, k->values, &e);
        rw_array *r = vector_of(k->vectors, e.rows, 5);
        for (int c = 0; c < RW_COUNT(cases); ++c)
            if (test_long() ? on("cuda") || (c + i) % (on("cpu") ? 2 : 5) == 0 || (c == 0 && !on("opencl"))
                            : (c + i) % (on("cpu") ? 6 : 10) == 0)
                compare_case(&cases[c], k, &d, m, r);
        rw_sparse_destroy(&m), rw_array_destroy(&r);
        free_entries(&e), free_dense(&d);
    }
    end_tiling();
}

/* A matrix whose own values have 16 bits: as the same matrix with those values in full. */
static void test_scaled_matrix(void **state)
{
    (void)state;
    begin_tiling("gpu");
    entries e = system_of(720, 33, 3, true);
    rw_sparse *m = matrix_of("bsell:3:c64:scaled", RW_C64, &e), *same;
    const rw_sparse_layout full = {.format = RW_SPARSE_BCSR, .block_rows = 3, .block_columns = 3, .values = RW_C128};
    OK(rw_sparse_convert(m, dev, &full, &same));
    rw_array *r = vector_of(RW_C128, e.rows, 5), *z = vector_of(RW_C128, e.rows, 0), *y = vector_of(RW_C128, e.rows, 0);
    apply("ilu1:order=colours", m, RW_C128, r, z), apply("ilu1:order=colours", same, RW_C128, r, y);
    number *want = numbers(RW_C128, y);
    assert_true(difference(RW_C128, z, want) < 1e-14);
    free(want);
    rw_sparse_destroy(&m), rw_sparse_destroy(&same), rw_array_destroy(&r), rw_array_destroy(&z), rw_array_destroy(&y);
    free_entries(&e);
    end_tiling();
}

/* ---- what cannot be ---------------------------------------------------------------------------------------------- */

enum { ROWS = 40, SIZE = 3 };

static double *entry(entries *e, int64_t row, int64_t column)
{
    for (int64_t k = e->n - 1; k >= 0; --k)
        if (e->row[k] == row && e->column[k] == column) return e->value + k;
    return NULL;
}

/* The second scalar row of a block row is twice its first, and the others couple it to no other block row. */
static entries broken(int64_t row)
{
    entries e = laplacian(ROWS, 1, SIZE, false, 0.3);
    for (int64_t k = 0; k < e.n; ++k)
        if (e.row[k] / SIZE == row && e.column[k] / SIZE != row) e.value[k] = 0;
    for (int c = 0; c < SIZE; ++c)
        *entry(&e, row * SIZE + 1, row * SIZE + c) = 2 * *entry(&e, row * SIZE, row * SIZE + c);
    return e;
}

static void expect(const char *text, rw_sparse *m, const char *part)
{
    const char *said = refusal(text, m, RW_F64);
    if (!strstr(said, part)) fail_msg("%s: \"%s\" is not in: %s", text, part, said);
}

static void test_refused(void **state)
{
    static const char *const texts[] = {"ilu0", "milu", "ssor:order=natural", "ilu0:iterations=2", "ilu1:order=colours",
                                        "ssor"};
    /* a singular block; before it a number that is not finite; before it a row without a diagonal block */
    static const char *const parts[] = {"the diagonal block of row 75, counted from 0, is missing or singular",
                                        "row 33 of the matrix, counted from 0, has an entry that is not finite",
                                        "the diagonal block of row 12, counted from 0, is missing or singular"};
    (void)state;
    begin_tiling("gpu");
    entries e = broken(25);
    for (int wrong = 0; wrong < 3; ++wrong) {
        if (wrong == 2)
            for (int64_t k = 0; k < e.n; ++k)
                if (e.row[k] / SIZE == 4 && e.column[k] / SIZE == 4)
                    e.column[k] = (e.column[k] + 2 * SIZE) % (ROWS * SIZE);
        rw_sparse *m = matrix_of("bsell:3", RW_F64, &e);
        if (wrong == 1)
            OK(rw_sparse_add_blocks(m, 1, &(int64_t){11}, &(int64_t){12}, (double[SIZE * SIZE]){[8] = INFINITY}));
        for (int i = 0; i < (fast() ? RW_COUNT(texts) : on("opencl") ? 1 : 3); ++i) expect(texts[i], m, parts[wrong]);
        rw_sparse_destroy(&m);
    }
    free_entries(&e);
    end_tiling();
}

/* ---- numbers stay there ------------------------------------------------------------------------------------------ */

static void test_copies(void **state)
{
    static const char *const texts[] = {"ilu0", "ilu1:order=colours", "milu:iterations=3", "ssor:scaled", "ilu0:f32"};
    (void)state;
    begin_tiling("gpu");
    entries e = laplacian(fast() ? 12 : 6, 3, 5, false, 0.5);
    rw_sparse *m = matrix_of("bsell:5", RW_F64, &e);
    rw_numbers n;
    OK(rw_sparse_numbers(m, &n));
    rw_array *copy = vector_of(RW_F64, n.value->size, 0);
    OK(rw_operator_send(rw_sparse_operator(m), queue));
    OK(rw_array_copy(copy, n.value, queue));
    OK(rw_array_copy(n.value, copy, queue)); /* what the host has is out of date */
    for (int i = 0; i < (on("opencl") ? 1 : RW_COUNT(texts)); ++i) {
        const rw_counters before = counters();
        rw_precond *p = create(texts[i], m, RW_F64);
        OK(rw_queue_wait(queue));
        const rw_counters after = counters();
        const int64_t out = after.bytes_out - before.bytes_out, in = after.bytes_in - before.bytes_in,
                      values = precond_info_of(p).blocks * 25 * 8;
        if (out > 64) fail_msg("%s: %lld bytes to the host", texts[i], (long long)out);
        if (in > values / 2)
            fail_msg("%s: %lld bytes to the device, where the factors have %lld", texts[i], (long long)in,
                     (long long)values);
        rw_precond_destroy(&p);
    }
    rw_sparse_destroy(&m), rw_array_destroy(&copy);
    free_entries(&e);
    end_tiling();
}

/* ---- iterations -------------------------------------------------------------------------------------------------- */

/* What factors by so many iterations make of r, beside the exact ones. */
static double error_of(const char *method, int n, rw_sparse *m, rw_array *r, const number *exact)
{
    char text[80];
    rw_array *z = vector_of(r->dtype, r->size, 0);
    snprintf(text, sizeof text, "%s:iterations=%d", method, n);
    apply(text, m, r->dtype, r, z);
    const double off = difference(r->dtype, z, exact);
    rw_array_destroy(&z);
    return off;
}

/* A grid of n x n in natural order has 2 n - 1 levels: rows of level l are exact after l sweeps, and not all before. */
static void test_iterations(void **state)
{
    static const struct {
        const char *method, *layout;
        rw_dtype type;
        int r;
        bool gpu;
    } kinds[] = {{"ilu0:order=natural", "sell", RW_F64, 1, true},
                 {"ilu0:order=natural", "bsell:3", RW_C128, 3, true},
                 {"milu", "bcsr:3", RW_F64, 3, true},
                 {"ilu0", "bcsr:2", RW_F64, 2, false}};
    (void)state;
    for (int i = 0; i < (on("opencl") ? 1 : on("cuda") ? 3 : RW_COUNT(kinds)); ++i) {
        enum { N = 6, LEVELS = 2 * N - 1 };
        begin_tiling(kinds[i].gpu ? "gpu" : "cpu");
        entries e = laplacian(N, 2, kinds[i].r, kinds[i].type == RW_C128, 0.5);
        rw_sparse *m = matrix_of(kinds[i].layout, kinds[i].type, &e);
        rw_array *r = vector_of(kinds[i].type, e.rows, 3), *z = vector_of(kinds[i].type, e.rows, 0);
        apply(kinds[i].method, m, kinds[i].type, r, z);
        number *exact = numbers(kinds[i].type, z);
        double last = 1;
        for (int n = 1; n < LEVELS - 1; n += 1 + n / 3) {
            const double off = error_of(kinds[i].method, n, m, r, exact);
            if (!(off < 0.7 * last))
                fail_msg("%s, %s: %d iterations leave %g, fewer %g", kinds[i].method, kinds[i].layout, n, off, last);
            last = off;
        }
        assert_true(last > 1e-13); /* the end is not reached before */
        for (int n = LEVELS - 1; n <= LEVELS; ++n) {
            const double off = error_of(kinds[i].method, n, m, r, exact);
            if (!(off < 1e-14)) fail_msg("%s, %s: %d iterations leave %g", kinds[i].method, kinds[i].layout, n, off);
        }
        free(exact);
        rw_sparse_destroy(&m), rw_array_destroy(&r), rw_array_destroy(&z);
        free_entries(&e);
        end_tiling();
    }
}

/* Where nothing is said: by colours on GPUs, in two levels, and row after row elsewhere; sweeps, iterations, fill and
 * milu in natural order everywhere. */
static void test_order(void **state)
{
    static const char *const natural[] = {"ilu0:sweeps=2", "ilu0:iterations=2", "ilu1", "milu"};
    (void)state;
    entries e = laplacian(7, 2, 1, false, 0.5);
    for (int gpu = 0; gpu < (on("opencl") ? 0 : 2); ++gpu) {
        begin_tiling(gpu ? "gpu" : "cpu");
        rw_sparse *m = matrix_of("csr", RW_F64, &e);
        rw_array *r = vector_of(RW_F64, e.rows, 3), *z = vector_of(RW_F64, e.rows, 0),
                 *y = vector_of(RW_F64, e.rows, 0);
        apply("ilu0", m, RW_F64, r, z);
        /* launches of both systems */
        assert_int_equal(apply(gpu ? "ilu0:order=colours" : "ilu0:order=natural", m, RW_F64, r, y).levels, 2);
        number *want = numbers(RW_F64, y);
        assert_true(difference(RW_F64, z, want) == 0);
        free(want);
        for (int i = 0; i < RW_COUNT(natural); ++i) {
            char text[40];
            snprintf(text, sizeof text, "%s:order=natural", natural[i]);
            apply(natural[i], m, RW_F64, r, z), apply(text, m, RW_F64, r, y);
            want = numbers(RW_F64, y);
            assert_true(difference(RW_F64, z, want) == 0);
            free(want);
        }
        rw_sparse_destroy(&m), rw_array_destroy(&r), rw_array_destroy(&z), rw_array_destroy(&y);
        end_tiling();
    }
    free_entries(&e);
}

/* A solver needs hardly more iterations with factors by three. */
static void test_solver(void **state)
{
    (void)state;
    begin_tiling("gpu");
    for (int i = 0; i < (on("opencl") ? 0 : 2); ++i) {
        const rw_dtype type = i ? RW_C128 : RW_F64;
        entries e = laplacian(fast() ? 30 : 9, 2, i ? 3 : 1, i, 0.5);
        const char *layout = i ? "bsell:3" : "sell";
        const int64_t exact = iterations(&e, layout, type, RW_KRYLOV_GMRES, "ilu0:order=natural"),
                      near = iterations(&e, layout, type, RW_KRYLOV_GMRES, "ilu0:iterations=3"),
                      none = iterations(&e, layout, type, RW_KRYLOV_GMRES, "jacobi");
        if (!(near <= exact + 1 + exact / 10 && near < none))
            fail_msg("%lld iterations by three, %lld exactly, %lld by Jacobi", (long long)near, (long long)exact,
                     (long long)none);
        free_entries(&e);
    }
    end_tiling();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact),      cmocka_unit_test(test_scaled_matrix),
                                       cmocka_unit_test(test_refused),    cmocka_unit_test(test_copies),
                                       cmocka_unit_test(test_iterations), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_solver)};
    return run_on_devices("factors", tests, RW_COUNT(tests));
}
