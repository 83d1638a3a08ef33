/* Runs with a complex field: all files as their readers give them, pictures of modulus and phase, a restart that gives
 * the same bytes, initial values from files, mistakes. */
#include "pde_test.h"

#include "files/npy.h"
#include "io/colormap.h"
#include "rechenwerk/image_file.h"

/* Each with the modulus 2 and the phase x, or with values on its sides. */
#define FIELD "{A: {type: complex, initial: \"2*exp(1i*x)\", unit: V, boundary: %s}}\n"
#define REST                                                                                                           \
    "equations: \"dA/dt = 1i*A\"\n"                                                                                    \
    "time: {end: 0.5, method: rk4, step: 0.01}\n"                                                                      \
    "output: {every: 0.25, formats: [hdf5, vti, npy]%s}\n"

static void run_fresh(const char *size, const char *boundary, const char *more, const char *results)
{
    char text[1024], path[128];
    snprintf(text, sizeof text, "problem: pde\ngrid: {size: %s%s\nfields: " FIELD REST, size, more, boundary, "");
    write_case(text, path);
    run_to_end(path, results, NULL, false);
}

static bool exists(const char *results, const char *name) { return access(result(results, name), F_OK) == 0; }

/* ---- files ------------------------------------------------------------------------------------------------------- */

static double part(const void *data, bool single, size_t i)
{
    return single ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

/* Numbers of a .vti: the array that begins this many bytes after the underscore. */
static const char *appended(const char *text, size_t n, size_t offset)
{
    static const char mark[] = "encoding=\"raw\">\n_";
    for (size_t i = 0; i + sizeof mark < n; ++i)
        if (!memcmp(text + i, mark, sizeof mark - 1)) return text + i + sizeof mark - 1 + offset + 8;
    fail_msg("no appended data");
    return NULL;
}

/* The state at t = 0.5 in three formats: 2 exp(i (x + t)), and 3i at nodes on Dirichlet sides. */
static void check_files(const char *results, bool single, bool sides)
{
    enum { NX = 8, NY = 6 };
    const size_t nx = NX + (sides ? 2 : 0), n = nx * NY, shape[] = {1, NY, nx}, size = single ? 4 : 8;
    const rw_dtype type = single ? RW_C64 : RW_C128;
    double h5[2 * (NX + 2) * NY];
    const double eps = single ? 2e-5 : 1e-9;
    rw_h5 *file;
    rw_npy npy;
    rw_dtype stored;
    int rank;
    size_t found[RW_IO_RANK], length;
    char *vti;
    assert_int_equal(rw_h5_open(ctx, result(results, "fields/000002.h5"), &file), RW_OK);
    assert_int_equal(rw_h5_shape(file, "/A", &stored, &rank, found), RW_OK);
    assert_int_equal(stored, type);
    assert_int_equal(rw_h5_read(file, "/A", type, 3, shape, h5), RW_OK);
    rw_h5_close(&file);
    assert_int_equal(rw_npy_read(ctx, result(results, "npy/000002-A.npy"), &npy), RW_OK);
    assert_true(npy.type == type && npy.ndim == 2 && npy.shape[0] == NY && npy.shape[1] == nx);
    assert_memory_equal(npy.data, h5, n * 2 * size);
    rw_npy_free(&npy);
    assert_int_equal(rw_file_read(ctx, result(results, "vti/000002.vti"), 1 << 20, &vti, &length), RW_OK);
    assert_non_null(strstr(vti, "Name=\"A_re\" format=\"appended\" offset=\"0\""));
    assert_non_null(strstr(vti, "Name=\"A_im\" format=\"appended\""));
    const char *re = appended(vti, length, 0), *im = appended(vti, length, 8 + n * size);
    for (size_t i = 0; i < n; ++i) {
        const size_t at = i % nx;
        const bool side = sides && (at == 0 || at == nx - 1);
        const double x = sides ? (double)at / (NX + 1) : (double)at / (NX - 1), phase = x + 0.5;
        const double want[2] = {side ? 0 : 2 * cos(phase), side ? 3 : 2 * sin(phase)};
        for (size_t k = 0; k < 2; ++k) {
            assert_true(fabs(part(h5, single, 2 * i + k) - want[k]) <= eps);
            assert_memory_equal((k ? im : re) + i * size, (char *)h5 + (2 * i + k) * size, size);
        }
    }
    rw_free(vti);
}

static void check_series(const char *results, double low)
{
    rw_csv_table table;
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, results);
    assert_int_equal(rw_series_read(ctx, path, &table), RW_OK);
    static const char *const names[] = {"t", "step", "A_abs_min", "A_abs_max", "A_abs_mean"};
    assert_int_equal(table.n_columns, RW_COUNT(names));
    for (int i = 0; i < table.n_columns; ++i) assert_string_equal(table.names[i], names[i]);
    assert_string_equal(table.units[3], "V");
    for (size_t k = 0; k < table.n_rows; ++k)
        for (int i = 2; i < 5; ++i) assert_true(fabs(table.columns[i][k] - low) < 1e-6);
    rw_csv_free(&table);
}

static void test_files(void **state)
{
    (void)state;
    run_fresh("[8, 6]}", "neumann", "", "whole");
    check_files("whole", false, false);
    check_series("whole", 2);
    run_fresh("[8, 6], precision: f32}", "{x: 3i, y: neumann}", "", "single");
    check_files("single", true, true);
    run_fresh("[8, 6]}", "{x: 3i, y: neumann}", "", "sides");
    check_files("sides", false, true);
    assert_false(exists("sides", "fields.xdmf")); /* XDMF has no complex numbers */
    /* the stack of all outputs */
    rw_h5 *file;
    double all[3][6][10][2], one[6][10][2];
    assert_int_equal(rw_h5_open(ctx, result("sides", "fields.h5"), &file), RW_OK);
    assert_int_equal(rw_h5_read(file, "/A", RW_C128, 3, (size_t[]){3, 6, 10}, all), RW_OK);
    rw_h5_close(&file);
    assert_int_equal(rw_h5_open(ctx, result("sides", "fields/000001.h5"), &file), RW_OK);
    assert_int_equal(rw_h5_read(file, "/A", RW_C128, 3, (size_t[]){1, 6, 10}, one), RW_OK);
    rw_h5_close(&file);
    assert_memory_equal(all[1], one, sizeof one);
}

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* The colour in the middle of the map. */
static void color_of(const char *results, const char *name, unsigned char rgb[3])
{
    rw_device *cpu;
    rw_array *image;
    const void *data;
    assert_int_equal(rw_device_open(ctx, "cpu", &cpu), RW_OK);
    if (rw_image_load(cpu, result(results, name), &image) != RW_OK) fail_msg("%s", rw_message(ctx));
    assert_int_equal(rw_array_read(image, &data), RW_OK);
    const int64_t *shape = image->shape;
    assert_true(image->ndim == 3 && shape[2] >= 3);
    memcpy(rgb, (const unsigned char *)data + ((shape[0] / 2) * shape[1] + 2 * shape[1] / 5) * shape[2], 3);
    rw_array_destroy(&image);
    rw_device_close(&cpu);
}

static void test_pictures(void **state)
{
    (void)state;
    static const double phases[] = {0, 0.25, -0.6, 0.999};
    unsigned char rgb[3], want[3];
    char text[1024], path[128];
    for (int i = 0; i < RW_COUNT(phases); ++i) {
        snprintf(text, sizeof text,
                 "problem: pde\ngrid: {size: [6, 6]}\nfields: {A: {type: complex, initial: \"3*exp(1i*pi*(%g))\", "
                 "boundary: periodic}}\nequations: \"dA/dt = 0\"\ntime: {end: 1, method: rk4, step: 0.5}\n"
                 "output: {figures_every: last, limits: [0, 4]}\n",
                 phases[i]);
        write_case(text, path);
        snprintf(text, sizeof text, "phase%d", i);
        run_to_end(path, text, NULL, false);
        color_of(text, "figures/A_arg-000001.png", rgb);
        rw_colormap_rgb(RW_COLORMAP_CYCLIC, (phases[i] + 1) / 2, want);
        for (int k = 0; k < 3; ++k) assert_true(abs(rgb[k] - want[k]) <= 1);
        color_of(text, "figures/A_abs-000001.png", rgb);
        rw_colormap_rgb(RW_COLORMAP_SEQUENTIAL, 0.75, want);
        for (int k = 0; k < 3; ++k) assert_true(abs(rgb[k] - want[k]) <= 1);
        assert_false(exists(text, "figures/A-000001.png"));
    }
    run_fresh("[8, 6]}", "{x: 3i, y: neumann}", "", "maps");
    run_fresh("[8, 6, 5]}", "{x: 3i, y: neumann}", "", "volumes");
    run_fresh("[8]}", "3i", "", "lines");
    assert_true(exists("volumes", "figures/A_arg-000002.png") && exists("volumes", "figures/A_abs-000002.png"));
    assert_true(exists("lines", "figures/A-000002.png") && !exists("lines", "figures/A_arg-000002.png"));
    /* drawn again later: the same pictures */
    char where[160], file[192];
    snprintf(where, sizeof where, "%s/maps", folder);
    snprintf(file, sizeof file, "%s/again.png", where);
    static const struct {
        const char *field, *picture;
    } views[] = {{"A_arg", "figures/A_arg-000002.png"},
                 {"A_abs", "figures/A_abs-000002.png"},
                 {"A", "figures/A_abs-000002.png"}};
    for (int i = 0; i < RW_COUNT(views); ++i) {
        rw_plot_options options = {.output = file, .field = views[i].field};
        if (rw_plot_results(ctx, where, &options, NULL, NULL) != RW_OK) fail_msg("%s", rw_message(ctx));
        assert_true(same_files("maps", "again.png", "maps", views[i].picture));
    }
    rw_plot_options options = {.output = file, .field = "A_re"};
    assert_int_equal(rw_plot_results(ctx, where, &options, NULL, NULL), RW_ERR_INPUT);
    snprintf(where, sizeof where, "%s/lines", folder);
    options.field = "A";
    if (rw_plot_results(ctx, where, &options, NULL, NULL) != RW_OK) fail_msg("%s", rw_message(ctx));
    assert_true(same_files("maps", "again.png", "lines", "figures/A-000002.png"));
}

/* Limits of the modulus become known at the end of the run: its pictures are drawn again, phases are not. */
static void test_growing(void **state)
{
    (void)state;
    char path[128];
    write_case("problem: pde\ngrid: {size: [8, 6]}\nfields: {A: {type: complex, initial: \"x + 1i*y\"}}\n"
               "equations: \"dA/dt = 2*A\"\ntime: {end: 1, method: rk4, step: 0.05}\n"
               "output: {every: 0.25, limits: run}\n",
               path);
    run_to_end(path, "grown", NULL, false);
    rw_csv_table table;
    char where[160];
    snprintf(where, sizeof where, "%s/grown", folder);
    assert_int_equal(rw_series_read(ctx, where, &table), RW_OK);
    const double most = table.columns[3][table.n_rows - 1];
    rw_csv_free(&table);
    assert_true(fabs(most - 10.44976887) < 1e-3); /* sqrt(2) e^2 by rk4 */
    char set[64];
    snprintf(set, sizeof set, "output.limits=[0, %.17g]", most);
    run_to_end(path, "exact", set, false);
    for (int k = 0; k < 5; ++k) {
        char name[64];
        snprintf(name, sizeof name, "figures/A_abs-%06d.png", k);
        assert_true(same_files("grown", name, "exact", name));
        snprintf(name, sizeof name, "figures/A_arg-%06d.png", k);
        assert_true(same_files("grown", name, "exact", name));
    }
}

/* ---- restart ----------------------------------------------------------------------------------------------------- */

static void test_restart(void **state)
{
    (void)state;
    static const struct {
        const char *method, *grid, *output;
    } table[] = {{"dp5", "", ""},
                 {"rock4", "", ""},
                 {"rkc2", ", precision: f32", ""},
                 {"rk4, step: 0.001", ", layout: cell", ""},
                 {"dp5", "", ", interpolate: 1e-3"}};
    static const char *const files[] = {"series.csv", "fields/000004.h5", "fields/000002.h5", "npy/000004-A.npy"};
    for (int m = 0; m < RW_COUNT(table); ++m) {
        char path[128], text[1200], whole[16], parts[16];
        snprintf(
            text, sizeof text,
            "problem: pde\ngrid: {size: [12, 9]%s}\n"
            "fields: {A: {type: complex, initial: \"sin(3*x) + 1i*y\", boundary: {left: \"1i*t\", top: {robin: [1, "
            "2i, 1]}}}, u: {initial: x, boundary: {left: 0}}}\n"
            "equations: [\"dA/dt = (1 + 1i)*laplace(A) - abs(A)^2*A + u + where(t > 0.07, 1i, 0)\", \"du/dt = "
            "laplace(u) + imag(A)\"]\n"
            "time: {end: 0.2, method: %s%s}\n"
            "output: {every: 0.05, fields: all, figures: [], formats: [hdf5, npy]%s}\n",
            table[m].grid, table[m].method, strstr(table[m].method, "step") ? "" : ", rtol: 1e-4", table[m].output);
        write_case(text, path);
        snprintf(whole, sizeof whole, "whole%d", m);
        snprintf(parts, sizeof parts, "parts%d", m);
        run_to_end(path, whole, NULL, false);
        assert_int_equal(run_until(path, parts, (rw_run_options){0}, 5), RW_ERR_INTERRUPTED);
        run_to_end(path, parts, NULL, true);
        for (int i = 0; i < RW_COUNT(files); ++i)
            if (!same_files(whole, files[i], parts, files[i])) fail_msg("%s: %s differs", table[m].method, files[i]);
    }
}

/* ---- initial values, mistakes ------------------------------------------------------------------------------------ */

#define EQ "equations: \"dA/dt = laplace(A)\"\ntime: {end: 0.1}\n"
#define FROM(what) CASE("{A: {type: complex, initial: " what "}}", EQ)

static void test_initial_values(void **state)
{
    (void)state;
    rw_device *dev;
    rw_case *c = NULL;
    rw_problem *p;
    const void *data;
    char path[128], picture[160] = "P2 8 6 1\n1 1 1 1 1 1 1 1\n";
    double numbers[96];
    float single[96];
    const size_t shape[] = {6, 8};
    assert_int_equal(rw_device_open(ctx, "cpu", &dev), RW_OK);
    for (int i = 0; i < 96; ++i) single[i] = (float)(numbers[i] = i * 0.25);
    static const rw_dtype types[] = {RW_C128, RW_C64, RW_F64, RW_F32};
    for (int k = 0; k < RW_COUNT(types); ++k) {
        const bool complex = k < 2, wide = k % 2 == 0;
        snprintf(path, sizeof path, "%s/A.npy", folder);
        assert_int_equal(rw_npy_write(ctx, path, types[k], 2, shape, wide ? (void *)numbers : (void *)single), RW_OK);
        assert_int_equal(create(FROM("{file: A.npy}"), dev, &c, &p), RW_OK);
        assert_int_equal(rw_array_read(p->fields[0].array, &data), RW_OK);
        for (int i = 0; i < 96; ++i) {
            const double want = complex ? numbers[i] : i % 2 ? 0 : numbers[i / 2];
            assert_true(((const double *)data)[i] == want);
        }
        p->ops->destroy(&p);
        rw_case_free(&c);
    }
    /* a picture is the real part */
    for (int i = 0; i < 5 * 8; ++i) strcat(picture, "0 ");
    snprintf(path, sizeof path, "%s/p.pgm", folder);
    assert_int_equal(rw_file_write(ctx, path, picture, strlen(picture)), RW_OK);
    assert_int_equal(create(FROM("{picture: p.pgm, low: -1, high: 3}"), dev, &c, &p), RW_OK);
    assert_int_equal(rw_array_read(p->fields[0].array, &data), RW_OK);
    const double(*z)[2] = data;
    assert_true(fabs(z[5 * 8 + 4][0] - 3) < 1e-4 && fabs(z[4][0] + 1) < 1e-4 && z[4][1] == 0);
    p->ops->destroy(&p);
    rw_case_free(&c);
    rw_device_close(&dev);
}

#define A "{A: {type: complex, initial: 1i}}"

static void test_mistakes(void **state)
{
    (void)state;
    rw_device *dev;
    char path[128];
    const double numbers[96] = {0};
    static const struct {
        const char *text, *message;
    } table[] = {
        {CASE("{A: {initial: 0}}", "equations: \"dA/dt = 1i*laplace(A)\"\ntime: {end: 1}\n"),
         ":4:13: dA/dt is complex, but field A is real: give it type: complex, or take real(), imag() or abs()"},
        {CASE("{A: {initial: 0, boundary: 2i}}", EQ),
         ":3:36: fields.A.boundary = 2i is complex, but field A is real: give it type: complex"},
        {CASE("{A: {initial: 0, boundary: {left: {robin: [1, 1i, 0]}}}}", EQ),
         ":3:55: fields.A.boundary = 1i is complex, but field A is real"},
        {CASE("{A: {initial: 0, boundary: {left: [{where: \"y > 1\", dirichlet: 2i}, neumann]}}}", EQ),
         "fields.A.boundary = 2i is complex, but field A is real"},
        {CASE("{A: {type: complx, initial: 1i}}", EQ),
         ":3:20: fields.A.type = complx is none of real, complex; nearest is complex"},
        {CASE("{A: {type: complex, initial: 1i}, A_im: {initial: 0}}",
              "equations: [\"dA/dt = A\", \"dA_im/dt = 0\"]\ntime: {end: 1}\n"),
         ":3:43: A_im is the name of a part of the complex field A in results: rename one"},
        {CASE(A, EQ "checks: {m: {value: min(A)}}\n"),
         "min is not defined for complex numbers: take min(abs(…)), or of real() or imag()"},
        {CASE(A, EQ "checks: {m: {value: mean(A)}}\n"),
         "checks.m.value = mean(A) is complex: a real number is needed: take real(), imag() or abs()"},
        {CASE(A, EQ "checks: {m: {value: \"sum(A < 1)\"}}\n"), "< is not defined for complex numbers"},
        {CASE("{A: {type: complex, initial: 1i/0}}", EQ), "finite values are needed"},
        {CASE("{A: {type: complex, initial: \"1i*log(x)\"}}", EQ),
         ":3:38: fields.A.initial is not a number at node (0, 0), x = 0, y = 0: finite values are needed at every "
         "node"},
        {CASE("{A: {type: complex, initial: 0, boundary: {left: {robin: [1i, 0, 1]}}}}", EQ),
         "b in robin: [a, b, c] must not be 0"},
        {CASE("{A: {type: complex, initial: 0, boundary: {left: [{where: 1i*y, dirichlet: 1}, neumann]}}}", EQ),
         "is complex: a real number is needed"},
        {CASE("{A: {initial: {file: z.npy}}}", EQ),
         "z.npy holds 6 x 8 c128; the grid needs real numbers of shape 6 x 8 (last axis x); for complex numbers give "
         "the field type: complex"},
        {CASE("{A: {type: complex, initial: {file: w.npy}}}", EQ), "w.npy holds 8 x 6 c128; the grid needs numbers of"},
    };
    assert_int_equal(rw_device_open(ctx, "cpu", &dev), RW_OK);
    snprintf(path, sizeof path, "%s/z.npy", folder);
    assert_int_equal(rw_npy_write(ctx, path, RW_C128, 2, (size_t[]){6, 8}, numbers), RW_OK);
    snprintf(path, sizeof path, "%s/w.npy", folder);
    assert_int_equal(rw_npy_write(ctx, path, RW_C128, 2, (size_t[]){8, 6}, numbers), RW_OK);
    for (int i = 0; i < RW_COUNT(table); ++i) {
        rw_case *c = NULL;
        rw_problem *p;
        const rw_status status = create(table[i].text, dev, &c, &p);
        if (status != RW_ERR_INPUT || !strstr(rw_message(ctx), table[i].message))
            fail_msg("row %d: status %d, message: %s\nexpected: %s", i, status, rw_message(ctx), table[i].message);
        if (p) p->ops->destroy(&p);
        rw_case_free(&c);
    }
    rw_device_close(&dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files),          cmocka_unit_test(test_pictures),
                                       cmocka_unit_test(test_growing),        cmocka_unit_test(test_restart),
                                       cmocka_unit_test(test_initial_values), cmocka_unit_test(test_mistakes)};
    if (!open_folder()) return 1;
    const int failed = cmocka_run_group_tests_name("complex", tests, NULL, NULL);
    return close_folder() || failed;
}
