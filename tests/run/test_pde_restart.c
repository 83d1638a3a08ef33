/* The problem pde: a restart that gives the same bytes, also from checkpoints whose values had no names. */
#include "pde_test.h"

static rw_device *dev;

#define WAVE                                                                                                           \
    CASE("{u: {initial: \"sin(3*x)*y\", boundary: {left: \"t\", right: neumann, y: periodic}}, "                       \
         "v: {initial: \"x\", boundary: {left: \"0\", right: neumann, y: periodic}}}",                                 \
         "functions: [\"f(a) = a - a^3\"]\n"                                                                           \
         "equations: [\"du/dt = laplace(u) + f(u) - v\", \"dv/dt = 0.1*(u - v) + laplace(v)\"]\n"                      \
         "time: {end: 0.2, method: %s, rtol: 1e-4}\n"                                                                  \
         "output: {every: 0.05, fields: all, figures: [], vti: false}\n")

static void test_a_restart_gives_the_same_bytes(void **state)
{
    (void)state;
    static const char *const methods[] = {"rkc2", "rk4"};
    static const char *const files[] = {"series.csv", "fields/000004.h5", "fields/000002.h5"};
    for (int m = 0; m < 2; ++m) {
        char path[128], text[1024], a[160], b[160], whole[16], parts[16];
        snprintf(text, sizeof text, WAVE, methods[m]);
        write_case(text, path);
        snprintf(whole, sizeof whole, "whole%d", m), snprintf(parts, sizeof parts, "parts%d", m);
        run_to_end(path, whole, NULL, false);
        run_to_end(path, parts, "time.end=0.1", false);
        run_to_end(path, parts, NULL, true);
        for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
            char *x, *y;
            size_t n, k;
            snprintf(a, sizeof a, "%s/%s/%s", folder, whole, files[i]);
            snprintf(b, sizeof b, "%s/%s/%s", folder, parts, files[i]);
            assert_int_equal(rw_file_read(ctx, a, 1 << 24, &x, &n), RW_OK);
            assert_int_equal(rw_file_read(ctx, b, 1 << 24, &y, &k), RW_OK);
            assert_int_equal(n, k);
            assert_memory_equal(x, y, n);
            rw_free(x), rw_free(y);
        }
    }
}

/* ---- checkpoints without names ----------------------------------------------------------------------------------- */

/* The order of the values in checkpoints of before they had names. */
#define OLD_ORDER(a, b, c, d)                                                                                          \
    {                                                                                                                  \
        "time", "steps", "rejected", "rhs", "spectral_rhs", "spectral_radius", "stages", "max_stages", "step",         \
            "error", a, b, c, d, "method", "undone"                                                                    \
    }
#define OLD_HISTORY                                                                                                    \
    "states", "time_1", "time_2", "time_3", "at_switch", "undoable", "was_stale", "was_at_switch", "had_states"
enum { OLD_STATE = 16, OLD_FLAGS = 9, OLD_VALUES = 40 };

static void put_field(const pde_problem *p, const char *name, rw_array *a, rw_h5 *file)
{
    const void *data;
    const size_t shape[] = {(size_t)p->grid.size[1], (size_t)p->grid.size[0]};
    assert_int_equal(rw_array_read(a, &data), RW_OK);
    assert_int_equal(rw_h5_write(file, name, RW_F64, 2, shape, data, RW_H5_CHECKSUM), RW_OK);
}

typedef int64_t save_values(const rw_ode *ode, const char **names, double *values, int64_t capacity);

/* One array with the values of the given names in their order. */
static void put_values(const pde_problem *p, const char *array, save_values *save, const char *const *order, int n,
                       rw_h5 *file)
{
    const char *names[OLD_VALUES];
    double values[OLD_VALUES], old[OLD_VALUES];
    const int64_t all = save(p->ode, names, values, OLD_VALUES);
    for (int i = 0; i < n; ++i) {
        int64_t k = 0;
        while (k < all && strcmp(names[k], order[i]) != 0) ++k;
        if (k == all) fail_msg("no value is named %s", order[i]);
        old[i] = values[k];
    }
    assert_int_equal(rw_h5_set_numbers(file, "/state", array, n, old), RW_OK);
}

/* As versions without names wrote it. */
static void write_old(const pde_problem *p, const char *const *order, const char *path)
{
    rw_h5 *file;
    assert_int_equal(rw_h5_create(ctx, path, &file), RW_OK);
    put_field(p, "/state/u", p->state.fields[0].array, file);
    put_values(p, "integrator", rw_ode_save, order, OLD_STATE, file);
    if (p->dense) {
        const char *both[OLD_FLAGS + OLD_STATE] = {OLD_HISTORY};
        memcpy(both + OLD_FLAGS, order, OLD_STATE * sizeof *order);
        put_values(p, "history", rw_history_save, both, OLD_FLAGS + OLD_STATE, file);
    }
    for (int i = 0; p->dense && i < rw_history_states(p->ode); ++i) {
        char name[32];
        snprintf(name, sizeof name, "/history/%d/u", i + 1);
        put_field(p, name, rw_history_array(p->ode, i, 0), file);
    }
    assert_int_equal(rw_h5_commit(&file), RW_OK);
}

static void take_steps(rw_problem *problem, int n)
{
    for (int i = 0; i < n; ++i) assert_int_equal(problem->ops->march->step(problem, 1e6), RW_OK);
}

static void test_checkpoints_without_names(void **state)
{
    (void)state;
    static const struct {
        const char *time;
        bool dense;
        const char *order[OLD_STATE];
    } rows[] = {{"method: rkc2", false, OLD_ORDER("next_step", "last_error", "last_step", "steps_since_radius")},
                {"method: rock4", true, OLD_ORDER("next_step", "last_error", "last_step", "steps_since_radius")},
                {"method: auto, rtol: 1e-4", false,
                 OLD_ORDER("next_step", "last_error", "last_step", "steps_since_radius")},
                {"method: rk4, step: 0.001", false, OLD_ORDER("given_step", "resolved_size", "last_size", "fast")},
                {"method: rk4", false, OLD_ORDER("next_step", "trial_error", "trial_scale", "plan")}};
    for (int i = 0; i < RW_COUNT(rows); ++i) {
        rw_case *c, *d;
        rw_problem *a, *b;
        rw_h5 *file;
        char text[512], path[96];
        double before[OLD_VALUES], after[OLD_VALUES], row[2][8];
        snprintf(text, sizeof text,
                 CASE("{u: {initial: \"sin(3*x)*y\"}}",
                      "equations: \"du/dt = laplace(u) - u^3\"\ntime: {end: 1e6, %s}\noutput: {every: 1e5%s}\n"),
                 rows[i].time, rows[i].dense ? ", interpolate: 1e-3" : "");
        assert_int_equal(create(text, dev, &c, &a), RW_OK);
        assert_int_equal(create(text, dev, &d, &b), RW_OK);
        take_steps(a, 9);
        snprintf(path, sizeof path, "%s/old%d.h5", folder, i);
        write_old((pde_problem *)a, rows[i].order, path);
        assert_int_equal(rw_h5_open(ctx, path, &file), RW_OK);
        if (b->ops->load(b, file) != RW_OK) fail_msg("%s", rw_message(ctx));
        rw_h5_close(&file);
        take_steps(a, 20);
        take_steps(b, 20);
        const int64_t n = rw_ode_save(((pde_problem *)a)->ode, NULL, before, OLD_VALUES);
        assert_int_equal(rw_ode_save(((pde_problem *)b)->ode, NULL, after, OLD_VALUES), n);
        assert_memory_equal(before, after, (size_t)n * sizeof *before);
        assert_int_equal(a->ops->row(a, row[0]), RW_OK);
        assert_int_equal(b->ops->row(b, row[1]), RW_OK);
        assert_memory_equal(row[0], row[1], 5 * sizeof **row);
        destroy(&c, &a), destroy(&d, &b);
    }
}
static int setup(void **state)
{
    (void)state;
    return !open_folder() || rw_device_open(ctx, "cpu", &dev) != RW_OK;
}

static int teardown(void **state)
{
    (void)state;
    rw_device_close(&dev);
    return close_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_restart_gives_the_same_bytes),
                                       cmocka_unit_test(test_checkpoints_without_names)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
