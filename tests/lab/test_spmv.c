/* The study `spmv`: its tables on a small grid, what it leaves out and says so, the numbers that follow from printed
 * ones, files and figures, failures. */
/* TEST: long */
#include <math.h>
#include <unistd.h>

#include "../devices.h"
#include "lab/occupancy.h"
#include "lab/spmv.h"

static const char *const devices[] = {"cpu:1", "cpu:2"};

static rw_lab *run_with(int ndevices, const char *const *set, int nset, const char *table)
{
    const rw_lab_spec spec =
        {.study = "spmv", .devices = devices, .ndevices = ndevices, .set = set, .nset = nset, .table = table};
    rw_lab *lab;
    OK(rw_lab_run(ctx, &spec, &lab));
    return lab;
}

static double value(const rw_lab *lab, const char *table, int row, const char *column)
{
    const double x = rw_lab_value(lab, table, row, column);
    if (isnan(x)) fail_msg("no %s in row %d of %s", column, row, table);
    return x;
}

static const char *word(const rw_lab *lab, const char *table, int row, const char *column)
{
    return lab->names[(int)value(lab, table, row, column)].text;
}

/* All products but those of CUDA, on both devices: rates from times (A34), differences (A13), and the tables beside. */
static void test_tables(void **state)
{
    (void)state;
    static const char *const set[] = {"cases=1,3", "divide=5", "seconds=0.02", "runs=3"};
    enum { PRODUCTS = 14 };
    rw_lab *lab = run_with(2, set, RW_COUNT(set), NULL);
    assert_int_equal(rw_lab_rows(lab, "runs"), 2 * 2 * PRODUCTS); /* nothing published: it is other work */
    for (int i = 0; i < rw_lab_rows(lab, "runs"); ++i) {
        const double cells = i < 2 * PRODUCTS ? 2 * 8 * 4 : 4 * 8 * 4, best = value(lab, "runs", i, "time");
        const char *product = word(lab, "runs", i, "product");
        const double operations = 100 * 8 * 8 * cells * (!strncmp(product, "ell", 3) ? 5 * 54 : 13 * 25);
        assert_string_equal(word(lab, "runs", i, "where"), devices[i / PRODUCTS % 2]);
        assert_string_equal(word(lab, "runs", i, "case"), i < 2 * PRODUCTS ? "10x40x20" : "20x40x20");
        assert_true(best <= value(lab, "runs", i, "median") &&
                    value(lab, "runs", i, "median") <= value(lab, "runs", i, "slowest"));
        assert_true(fabs(value(lab, "runs", i, "rate") * best * 1e9 / operations - 1) < 1e-9);
        assert_true(value(lab, "runs", i, "difference") < 3e-6 && isnan(rw_lab_value(lab, "runs", i, "slower")));
        assert_true(value(lab, "runs", i, "device time") <= best * 1.0001 && value(lab, "runs", i, "CPU time") >= 0);
        const bool sent = rw_spmv_find(product)->flags & RW_SPMV_SENT;
        assert_true(isnan(rw_lab_value(lab, "runs", i, "resident")) == sent &&
                    isnan(rw_lab_value(lab, "runs", i, "rate resident")) == sent);
    }
    assert_int_equal(rw_lab_rows(lab, "times"), 2 * PRODUCTS);
    assert_int_equal(rw_lab_rows(lab, "rates"), 2 * PRODUCTS);
    for (int i = 0; i < 2 * PRODUCTS; ++i) { /* devices of a product lie below each other here */
        const int run = i % 2 * PRODUCTS + i / 2;
        assert_true(value(lab, "times", i, "10x40x20") == value(lab, "runs", run, "time") &&
                    value(lab, "times", i, "20x40x20") == value(lab, "runs", run + 2 * PRODUCTS, "time"));
        assert_true(fabs(value(lab, "rates", i, "10x40x20") / value(lab, "runs", run, "rate") - 1) < 1e-12 &&
                    isnan(rw_lab_value(lab, "times", i, "10x40x80")));
    }
    assert_int_equal(rw_lab_rows(lab, "anatomy"), 2 * PRODUCTS);
    for (int i = 0; i < 2 * PRODUCTS; ++i) {
        const rw_spmv_method *m = rw_spmv_find(word(lab, "anatomy", i, "product"));
        assert_true(value(lab, "anatomy", i, "launches") ==
                    8 * (m->kernel ? 1 + (m->reduction != NULL) + !!(m->flags & RW_SPMV_ZEROED) : 1));
        assert_true(value(lab, "anatomy", i, "sent") == 0 && value(lab, "anatomy", i, "fetched") == 0 &&
                    value(lab, "anatomy", i, "traffic") > 0);
        if (m->reads) assert_true(value(lab, "anatomy", i, "index reads") == m->reads);
    }
    assert_int_equal(rw_lab_rows(lab, "vectors"), 4);
    for (int i = 0; i < 4; i += 2)
        assert_true(value(lab, "vectors", i, "gain") == 1 && value(lab, "vectors", i, "share") >= 0);
    assert_int_equal(rw_lab_rows(lab, "blocks"), 2 * 2 * PRODUCTS);
    for (int i = 0; i < 2 * 2 * PRODUCTS; ++i) {
        const double fastest = value(lab, "blocks", i, "fastest"), median = value(lab, "blocks", i, "median"),
                     slowest = value(lab, "blocks", i, "slowest");
        assert_true(fastest > 0 && fastest <= median && median <= slowest &&
                    value(lab, "blocks", i, "ratio") == slowest / fastest);
        assert_string_equal(word(lab, "blocks", i, "product"), word(lab, "runs", i, "product"));
        assert_string_equal(word(lab, "blocks", i, "where"), word(lab, "runs", i, "where"));
    }
    assert_non_null(strstr(lab->notes.data, "trends: 10x40x20 on cpu:2"));
    assert_non_null(strstr(lab->notes.data, "rate of BELL divided by the rate of ELL "));
    rw_lab_destroy(&lab);
}

/* A41, A40: a solver on a device with memory of its own copies some numbers an iteration; with its products alone
 * there, two vectors each. Both come to the same residual. */
static void test_gmres(void **state)
{
    static const char *const set[] = {"divide=10", "grid_blocks=2", "kind=rc", "runs=1", "seconds=0"},
                             *const both[] = {"check", "cpu:1"},
                             *const no_room[] = {"divide=10", "grid_blocks=2", "memory=1e-6"};
    const rw_lab_spec spec =
        {.study = "spmv", .devices = both, .ndevices = 2, .set = set, .nset = RW_COUNT(set), .table = "gmres"};
    const double vector = 8 * 5 * 2 * 1 * 4 * 2; /* bytes */
    rw_lab *lab;
    (void)state;
    OK(rw_lab_run(ctx, &spec, &lab));
    assert_int_equal(rw_lab_rows(lab, "gmres"), 3);
    static const char *const where[] = {"cpu:1", "check", "check"}, *const lies[] = {"everything", "everything",
                                                                                     "products"};
    double base = 0;
    for (int i = 0; i < 3; ++i) {
        const double time = value(lab, "gmres", i, "time"), copied = value(lab, "gmres", i, "copied") * 1e6,
                     n = value(lab, "gmres", i, "iterations");
        assert_string_equal(word(lab, "gmres", i, "where"), where[i]);
        assert_string_equal(word(lab, "gmres", i, "on the device"), lies[i]);
        if (i == 0) base = time;
        assert_true(time > 0 && fabs(value(lab, "gmres", i, "gain") * time / base - 1) < 1e-12);
        assert_true(n >= 20 && n <= 100 && value(lab, "gmres", i, "residual") < 1e-5);
        assert_true(i == 0   ? copied == 0
                    : i == 1 ? copied > 0 && copied < 0.05 * vector
                             : copied >= 2 * vector && copied <= 2 * vector * (n + 6) / n);
    }
    assert_non_null(strstr(lab->notes.data, "gmres: 10x40x20 on check: with only the products on the device it is"));
    rw_lab_destroy(&lab);
    lab = run_with(1, no_room, RW_COUNT(no_room), "gmres");
    assert_int_equal(rw_lab_rows(lab, "gmres"), 0);
    assert_non_null(strstr(lab->notes.data, "gmres: 10x40x20 on cpu:1: skipped, because it needs "));
    rw_lab_destroy(&lab);
}

/* A38: each grid block is multiplied when its time is taken, and no other. */
static void test_each_block(void **state)
{
    static const char *const set[] = {"divide=10", "grid_blocks=3", "seconds=0", "runs=1"},
                             *const products[] = {"bcsr-v1a", "bell", "ours"};
    rw_lab *lab = run_with(1, set, RW_COUNT(set), "amdahl"); /* its settings, and a device */
    const rw_multiblock_spec grid = {.cells = {2, 3, 2}, .blocks = {3, 1, 1}, .mode = RW_MULTIBLOCK_FULL};
    rw_spmv_source s;
    rw_device *cpu;
    (void)state;
    OK(rw_device_open(ctx, "cpu:1", &cpu));
    OK(rw_spmv_source_create(ctx, &grid, RW_SPMV_CC, false, &s));
    for (int i = 0; i < RW_COUNT(products); ++i)
        for (int b = -1; b < 3; ++b) {
            double seconds[3];
            rw_spmv_timing t;
            rw_spmv p;
            OK(rw_spmv_create(cpu, &s, rw_spmv_find(products[i]), &(rw_spmv_options){20, 5, 160}, &p));
            if (b < 0) OK(rw_spmv_time_each(lab, &p, seconds));
            else OK(rw_spmv_time(lab, &p, b, p.method->flags & RW_SPMV_SENT, &t));
            for (int k = 0; k < 3; ++k) { /* y is 0 before */
                const void *y;
                double sum = 0;
                OK(rw_array_read(p.block[k].part[RW_SPMV_Y], &y));
                for (int64_t e = 0; e < p.block[k].part[RW_SPMV_Y]->size; ++e)
                    sum += fabs((double)((const float *)y)[2 * e]);
                assert_true((sum > 0) == (b < 0 || k == b) && (b >= 0 || seconds[k] > 0));
            }
            rw_spmv_free(&p);
        }
    rw_spmv_source_free(&s);
    rw_device_close(&cpu);
    rw_lab_destroy(&lab);
}

/* A39, A44: the best length is marked once a product and device; a length beyond the row is one section. */
static void test_sections(void **state)
{
    (void)state;
    static const char *const set[] = {"divide=8",
                                      "seconds=0.01",
                                      "runs=2",
                                      "kind=rr",
                                      "type=f64",
                                      "sections=5,54,100",
                                      "block_sections=4,13",
                                      "products=ell,bell-v2-sections,bell"};
    rw_lab *lab = run_with(1, set, RW_COUNT(set), "sections");
    assert_int_equal(rw_lab_rows(lab, "sections"), 3 + 2);
    static const double lengths[] = {5, 54, 100, 4, 13}, sections[] = {11, 1, 1, 4, 1};
    int best[2] = {0};
    for (int i = 0; i < 5; ++i) {
        assert_true(value(lab, "sections", i, "L") == lengths[i] &&
                    value(lab, "sections", i, "sections") == sections[i]);
        assert_string_equal(word(lab, "sections", i, "of"), i < 3 ? "entries" : "blocks");
        const double time = value(lab, "sections", i, "time"), mark = rw_lab_value(lab, "sections", i, "best");
        for (int k = i < 3 ? 0 : 3; k < (i < 3 ? 3 : 5); ++k)
            assert_true(isnan(mark) || time <= value(lab, "sections", k, "time"));
        best[i >= 3] += mark == time;
    }
    assert_true(best[0] == 1 && best[1] == 1 && rw_lab_rows(lab, "runs") == 0);
    rw_lab_destroy(&lab);
}

/* A37: a case with room for one grid block and not for eight: what stays on the device is left out with the bytes it
 * needs, what is sent each time runs. */
static void test_memory(void **state)
{
    (void)state;
    static const char *const set[] = {"cases=6", "divide=8", "seconds=0", "runs=1", "memory=0.004"};
    rw_lab *lab = run_with(1, set, RW_COUNT(set), "runs");
    assert_int_equal(rw_lab_rows(lab, "runs"), 2);
    assert_string_equal(word(lab, "runs", 0, "product"), "bcsr-v1a");
    assert_string_equal(word(lab, "runs", 1, "product"), "bcsr-v2a");
    assert_non_null(
        strstr(lab->notes.data, "40x80x40 on cpu:1: skipped, because they need more than 0.004 GB: bcsr-v1b (0.00"));
    rw_lab_destroy(&lab);
}

/* What a device has no CUDA for is no row; a window that a group has no room for is a gap with its reason (on GPUs of
 * 48 KB, and processors with as little by OpenCL). */
static void test_gaps(void **state)
{
    (void)state;
    static const char *const narrow[] =
        {"cases=6", "grid_blocks=1", "divide=10", "window=5", "products=bell-v3,bell-v4", "seconds=0", "runs=1"};
    static const char *const large[] = {"cases=5", "grid_blocks=1", "products=bell-v3", "seconds=0", "runs=1"};
    rw_lab *lab = run_with(1, narrow, RW_COUNT(narrow), "runs");
    assert_int_equal(rw_lab_rows(lab, "runs"), 1);
    assert_string_equal(word(lab, "runs", 0, "product"), "bell-v3");
    rw_lab_destroy(&lab);
    rw_device *opencl;
    if (rw_device_open(ctx, "opencl:0", &opencl) != RW_OK) return;
    const bool small = rw_device_info(opencl)->shared_memory < 189600;
    rw_device_close(&opencl);
    if (!small) return;
    const rw_lab_spec spec = {.study = "spmv",
                              .devices = (const char *const[]){"opencl:0"},
                              .ndevices = 1,
                              .set = large,
                              .nset = RW_COUNT(large),
                              .table = "runs"};
    OK(rw_lab_run(ctx, &spec, &lab));
    assert_int_equal(rw_lab_rows(lab, "runs"), 0);
    assert_non_null(
        strstr(lab->notes.data, "10x80x40, bell-v3 on opencl:0: a window of x has 23700 entries of c64, 189600 bytes"));
    rw_lab_destroy(&lab);
}

/* A31, A32, A34: from printed numbers alone. */
static void test_models(void **state)
{
    (void)state;
    static const char *const set[] = {"processors=1,2,8,1000000000"};
    rw_lab *lab = run_with(1, set, 1, "amdahl");
    static const double speedup[] = {1, 1 / 0.6, 1 / 0.3, 5};
    for (int i = 0; i < 4; ++i) {
        const double p = value(lab, "amdahl", i, "processors"), s = value(lab, "amdahl", i, "speedup");
        assert_true(fabs(s - speedup[i]) < 1e-7 && value(lab, "amdahl", i, "efficiency") == s / p);
    }
    assert_non_null(strstr(lab->notes.data, "stays below 5"));
    rw_lab_destroy(&lab);
    lab = run_with(1, NULL, 0, "published");
    assert_int_equal(rw_lab_rows(lab, "published"), 21);
    for (int i = 0; i < 21; ++i)
        assert_true(fabs(value(lab, "published", i, "rate") - value(lab, "published", i, "printed")) < 0.01);
    assert_true(fabs(value(lab, "published", 0, "rate") - 22.8) < 0.005 &&
                fabs(value(lab, "published", 20, "rate") - 21.94) < 0.005 &&
                fabs(value(lab, "published", 6, "rate") - 9.35) < 0.005);
    assert_true(fabs(value(lab, "published", 20, "slower") - 1.04) < 0.005);
    rw_lab_destroy(&lab);
    lab = run_with(1, NULL, 0, "bandwidth");
    static const struct {
        int row;
        double theory, effective;
    } rows[] = {{7, 102.4, 8.96}, {17, 120, 14.92}, {9, 102.4, 11.24}, {19, 120, 19.35},
                {5, 102.4, 9.93}, {15, 120, 14.07}, {3, 102.4, 4.34}};
    for (int i = 0; i < RW_COUNT(rows); ++i)
        assert_true(fabs(value(lab, "bandwidth", rows[i].row, "theory") - rows[i].theory) < 1e-9 &&
                    fabs(value(lab, "bandwidth", rows[i].row, "effective") - rows[i].effective) < 0.005);
    rw_lab_destroy(&lab);
}

/* A33: all that the document prints, as the table of anatomy has it. */
static void test_occupancy(void **state)
{
    (void)state;
    static const struct {
        int registers;
        double tesla, fermi;
    } rows[] = {{18, 0.75, 1}, {12, 1, 1},    {11, 1, 1},        {20, 0.75, 1}, {8, 1, 1},
                {13, 1, 1},    {19, 0.75, 1}, {28, 0.5, 2 / 3.}, {7, 1, 1}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        const double tesla = rw_occupancy_warps(&rw_limits_tesla, 256, rows[i].registers, 0) / 32.,
                     fermi = rw_occupancy_warps(&rw_limits_fermi, 256, rows[i].registers, 0) / 48.;
        if (tesla != rows[i].tesla || fabs(fermi - rows[i].fermi) > 1e-12)
            fail_msg("%d registers: %g and %g", rows[i].registers, tesla, fermi);
    }
}

/* Settings, products among them (A23), are refused with what is allowed. */
static void test_refused(void **state)
{
    static const struct {
        const char *set, *message;
    } rows[] = {{"products=bell-v5", "none of all, bcsr-v1a, bcsr-v2a, bcsr-v1b"},
                {"products=bell,bell", "is given twice"},
                {"products=", "is empty"},
                {"cases=7", "is outside [1, 6]"},
                {"cases=0", "is outside [1, 6]"},
                {"kind=cr", "none of cc, rc, rr"},
                {"type=f16", "none of f32, f64"},
                {"section=0", "outside [1, 1000]"},
                {"window=4", "outside [5, 1024]"},
                {"runs=101", "outside [1, 100]"},
                {"iterations=0", "outside [1, 1000]"},
                {"memory=-1", "outside [0, 1e6]"},
                {"sequential=1.5", "outside [0, 1]"},
                {"processors=0", "outside [1, "},
                {"product=bell", "nearest is products"},
                {"divide=0", "outside [1, 80]"}};
    rw_lab *lab = NULL;
    (void)state;
    for (int i = 0; i < RW_COUNT(rows); ++i)
        FAILS(RW_ERR_ARGUMENT, rows[i].message,
              rw_lab_run(ctx,
                         &(rw_lab_spec){.study = "spmv",
                                        .devices = devices,
                                        .ndevices = 1,
                                        .set = &rows[i].set,
                                        .nset = 1},
                         &lab));
    assert_null(lab);
}

/* The published values stand beside those of the same work; a folder gets every figure. */
static void test_published_and_saved(void **state)
{
    (void)state;
    static const char *const set[] = {"products=bell,bell-v4", "seconds=0", "runs=1", "block_sections=3,13",
                                      "sections=20,30"};
    static const char *const files[] = {"spmv.txt",
                                        "spmv-runs.csv",
                                        "spmv-rate-10x40x20.png",
                                        "spmv-rate-resident-10x40x20.png",
                                        "spmv-time-10x40x20.png",
                                        "spmv-gmres-10x40x20.png",
                                        "spmv-amdahl.png"};
    if (!test_long()) skip();
    rw_lab *lab = run_with(1, set, RW_COUNT(set), NULL);
    assert_int_equal(rw_lab_rows(lab, "runs"), 1 + 4 + 1);
    static const double seconds[] = {2.26, 1.94, 1.49, 1.28, 0.85};
    for (int i = 0; i < 5; ++i) {
        assert_true(value(lab, "runs", 1 + i, "time") == seconds[i] &&
                    fabs(value(lab, "runs", 1 + i, "rate") - 16.64 / seconds[i]) < 1e-9);
        assert_true(fabs(value(lab, "runs", 1 + i, "slower") - seconds[i] / 0.85) < 1e-12);
    }
    assert_true(value(lab, "runs", 0, "slower") == value(lab, "runs", 0, "time") / 0.85);
    assert_int_equal(rw_lab_rows(lab, "times"), 1 + 4 + 1);
    assert_true(value(lab, "times", 1, "40x80x40") == 27.12 && isnan(rw_lab_value(lab, "times", 2, "40x80x40")) &&
                value(lab, "times", 5, "10x40x80") == 3.31);
    char folder[] = "rw-spmv-XXXXXX", path[128], command[64];
    assert_non_null(mkdtemp(folder));
    OK(rw_lab_save(lab, folder, NULL, NULL));
    for (int i = 0; i < RW_COUNT(files); ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        if (access(path, R_OK)) fail_msg("%s is missing", path);
    }
    snprintf(command, sizeof command, "rm -rf ./%s", folder);
    assert_int_equal(system(command), 0);
    rw_lab_destroy(&lab);
}

static rw_status small_study(void *user)
{
    static const char *const set[] = {"products=bcsr-v1a,ell,bell-v3,ours",
                                      "divide=20",
                                      "grid_blocks=2",
                                      "seconds=0",
                                      "runs=1",
                                      "sections=20",
                                      "block_sections=5",
                                      "iterations=2"};
    const rw_lab_spec spec = {.study = "spmv", .devices = devices, .ndevices = 1, .set = set, .nset = RW_COUNT(set)};
    rw_lab *lab;
    (void)user;
    const rw_status status = rw_lab_run(ctx, &spec, &lab);
    if (status == RW_OK) rw_lab_destroy(&lab);
    return status;
}

/* Failures of memory, launches, compilers are a status or a gap, and lose nothing. */
static void test_faults(void **state)
{
    const int stride = test_long() ? 3 : 30;
    (void)state;
    OK(small_study(NULL));
    each_nth_fault(stride, RW_FAULT_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, small_study, NULL);
    each_nth_fault(stride, RW_FAULT_DEVICE_ALLOC, RW_ERR_MEMORY, RW_ERR_MEMORY, small_study, NULL);
    each_nth_fault(stride, RW_FAULT_LAUNCH, RW_ERR_LAUNCH, RW_ERR_LAUNCH, small_study, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables),     cmocka_unit_test(test_gmres),
                                       cmocka_unit_test(test_each_block), cmocka_unit_test(test_sections),
                                       cmocka_unit_test(test_memory),     cmocka_unit_test(test_gaps),
                                       cmocka_unit_test(test_models),     cmocka_unit_test(test_occupancy),
                                       cmocka_unit_test(test_refused),    cmocka_unit_test(test_published_and_saved),
                                       cmocka_unit_test(test_faults)};
    setenv("RECHENWERK_TEST_DEVICES", "cpu", 1); /* the study opens its own */
    return run_on_devices("lab spmv", tests, RW_COUNT(tests));
}
