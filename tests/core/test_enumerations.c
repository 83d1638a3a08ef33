/* Names of enumerations: each value has one, a name gives its value back, tables of parameters use the same names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"
#include "rechenwerk.h"

static rw_context *ctx;
#define OK(call) assert_int_equal(call, RW_OK)
#define FAILS(status, part, call)                                                                                      \
    do {                                                                                                               \
        assert_int_equal(call, status);                                                                                \
        if (!strstr(rw_message(ctx), part)) fail_msg("no \"%s\" in \"%s\"", part, rw_message(ctx));                    \
    } while (0)

typedef const char *name_function(int value);
typedef rw_status parse_function(const char *name, int *value);

#define FUNCTIONS(type)                                                                                                \
    static const char *type##_of(int value) { return type##_name((type)value); }                                       \
    static rw_status type##_read(const char *name, int *value)                                                         \
    {                                                                                                                  \
        type found = (type)99;                                                                                         \
        const rw_status status = type##_parse(ctx, name, &found);                                                      \
        *value = (int)found;                                                                                           \
        return status;                                                                                                 \
    }
#define ROW(type) {#type, type##_of, type##_read},
/* clang-format off */
#define TYPES(X)                                                                                                       \
    X(rw_log_level) X(rw_dtype) X(rw_memory) X(rw_reduce_op) X(rw_boundary_kind) X(rw_op) X(rw_sparse_format)          \
    X(rw_duplicates) X(rw_precond_method) X(rw_precond_order) X(rw_krylov_method) X(rw_krylov_orthogonal)              \
    X(rw_ode_method) X(rw_fft_kind) X(rw_convolution_mode) X(rw_sample_kind) X(rw_signal_container)                    \
    X(rw_signal_method) X(rw_signal_window) X(rw_image_method) X(rw_image_border) X(rw_image_direction)                \
    X(rw_image_element) X(rw_image_threshold) X(rw_image_interpolation) X(rw_image_flip) X(rw_image_colour)            \
    X(rw_image_response) X(rw_image_scale) X(rw_image_algorithm) X(rw_frame_layout) X(rw_surface_kind) X(rw_mapping)   \
    X(rw_image_alpha)                                                                                                  \
    X(rw_multiblock_stencil) X(rw_multiblock_mode) X(rw_multiblock_index) X(rw_colormap) X(rw_figure_style)
/* clang-format on */
TYPES(FUNCTIONS)

static const struct {
    const char *type;
    name_function *name;
    parse_function *parse;
} all[] = {TYPES(ROW)};

static void test_round_trip(void **state)
{
    (void)state;
    for (int t = 0; t < RW_COUNT(all); ++t) {
        int values = 0, value;
        for (int v = 0; strcmp(all[t].name(v), "?"); ++v, ++values) {
            OK(all[t].parse(all[t].name(v), &value));
            /* a default has the name of the value that it stands for */
            if (value != v && !(v == 0 && !strcmp(all[t].name(value), all[t].name(0))))
                fail_msg("%s: %d is \"%s\", which is %d", all[t].type, v, all[t].name(v), value);
        }
        assert_true(values >= 2);
        assert_string_equal(all[t].name(-1), "?");
        FAILS(RW_ERR_ARGUMENT, "is unknown", all[t].parse("nothing-like-it", &value));
        assert_int_equal(value, 99);
        FAILS(RW_ERR_ARGUMENT, all[t].type, all[t].parse("", &value));
    }
}

static void test_messages(void **state)
{
    (void)state;
    rw_krylov_method method;
    rw_boundary_kind kind;
    FAILS(RW_ERR_ARGUMENT, "rw_krylov_method \"gmrs\" is unknown; nearest is gmres",
          rw_krylov_method_parse(ctx, "gmrs", &method));
    OK(rw_boundary_kind_parse(ctx, "wrap", &kind));
    assert_int_equal(kind, RW_BOUNDARY_PERIODIC);
    assert_string_equal(rw_boundary_kind_name(kind), "periodic");
}

/* Choices of an enumeration in a table of parameters: the names of 1, 2, … */
static void test_tables(void **state)
{
    (void)state;
    static const struct {
        const rw_params *(*params)(void);
        const char *row;
        name_function *name;
    } rows[] = {{rw_krylov_params, "method", rw_krylov_method_of},
                {rw_krylov_params, "orthogonal", rw_krylov_orthogonal_of},
                {rw_precond_params, "method", rw_precond_method_of},
                {rw_precond_params, "order", rw_precond_order_of},
                {rw_sparse_params, "format", rw_sparse_format_of},
                {rw_ode_params, "method", rw_ode_method_of},
                {rw_signal_op_params, "method", rw_signal_method_of},
                {rw_signal_op_params, "window", rw_signal_window_of},
                {rw_signal_params, "container", rw_signal_container_of},
                {rw_signal_params, "kind", rw_sample_kind_of},
                {rw_spectrogram_params, "window", rw_signal_window_of},
                {rw_image_op_params, "method", rw_image_method_of},
                {rw_image_op_params, "border", rw_image_border_of},
                {rw_image_op_params, "direction", rw_image_direction_of},
                {rw_image_op_params, "element", rw_image_element_of},
                {rw_image_op_params, "threshold", rw_image_threshold_of},
                {rw_image_op_params, "interpolation", rw_image_interpolation_of},
                {rw_image_op_params, "axis", rw_image_flip_of},
                {rw_image_op_params, "colour", rw_image_colour_of},
                {rw_image_op_params, "response", rw_image_response_of},
                {rw_image_op_params, "magnitudes", rw_image_scale_of},
                {rw_image_op_params, "alpha", rw_image_alpha_of}};
    for (int r = 0; r < RW_COUNT(rows); ++r) {
        const rw_params *p = rows[r].params();
        int seen = 0;
        for (int k = 0; k < p->n; ++k) {
            if (strcmp(p->row[k].name, rows[r].row)) continue;
            const char *at = p->row[k].allowed;
            for (int v = 1; *at; ++v, ++seen) {
                const size_t n = strcspn(at, "|;");
                if (strlen(rows[r].name(v)) != n || strncmp(rows[r].name(v), at, n))
                    fail_msg("%s.%s: %s, not %s", p->type, rows[r].row, rows[r].name(v), at);
                at += n;
                if (*at == ';') break;
                at += *at == '|';
            }
        }
        if (!seen) fail_msg("%s has no row %s", p->type, rows[r].row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_messages),
                                       cmocka_unit_test(test_tables)};
    if (rw_context_create(&ctx) != RW_OK) return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rw_context_destroy(&ctx);
    return failed;
}
