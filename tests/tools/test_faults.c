/* Every public function that can fail, on every device, with its n-th allocation, read, write, launch and compilation
 * failing, n = 1, 2, … until none is left to fail. Each time:
 *
 *   the status is the one that this kind of failure has, with a message, and what was to be created is NULL;
 *   the same call on the same objects succeeds when it is repeated, with the result of a call that met no failure;
 *   a call that finds a way around the failure has that result too;
 *   no array is left over (and no memory: run under the address sanitizer).
 *
 * test_no_function_is_missing reads the public headers: a new function without a row fails. Deeper tests of single
 * functions stand in the folders of their layers. */
#include <glob.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../devices.h"
#include "bench/benchmarks.h"
#include "fft/choice.h"
#include "lab/studies.h"
#include "lab/windows.h"
#include "rechenwerk/array.h"
#include "rechenwerk/blocks.h"
#include "rechenwerk/depgraph.h"
#include "rechenwerk/expr.h"
#include "rechenwerk/fft.h"
#include "rechenwerk/figure.h"
#include "rechenwerk/image.h"
#include "rechenwerk/image_file.h"
#include "rechenwerk/krylov.h"
#include "rechenwerk/multiblock.h"
#include "rechenwerk/ode.h"
#include "rechenwerk/operator.h"
#include "rechenwerk/program.h"
#include "rechenwerk/run.h"
#include "rechenwerk/signal.h"
#include "rechenwerk/sparse.h"
#include "rechenwerk/stencil.h"
#include "rechenwerk/stream.h"
#include "stream/stream.h"

enum {
    HOST_ONLY = 1, /* the same on every device: only on cpu */
    COMPILES = 2,  /* may compile: not where that takes seconds (opencl) */
    ONE_TRY = 4,   /* what a failure ends cannot be tried again: made anew */
    SLOW = 8,      /* the first events, then ever fewer; short: events 1, 4, 16, 64, …, and on the cpu only */
    SLOWEST = 16,  /* events 1, 4, 16, 64, …; not in the short version */
};

typedef struct probe {
    const char *function; /* as the header declares it */
    const char *what;     /* which way of calling it */
    int flags;
    void (*before)(void); /* what the call needs; nothing fails here */
    rw_status (*call)(void);
    void (*result)(void); /* says with note() what a call that succeeded has made */
    void (*after)(void);  /* frees it and what `before` has made */
} probe;

/* ---- what the rows work with ------------------------------------------------------------------------------------- */

enum { N = 30 };
static char root[64];
static rw_text digest;
static void *poison = &poison; /* what a pointer to be set holds before a call */

static rw_array *x, *y, *z;
static rw_queue *q;
static rw_event *event, *second;
static rw_sequence *sequence;
static rw_program *program;
static rw_kernel *kernel;
static rw_expr *expr;
static rw_ode *ode;
static rw_depgraph *graph;
static rw_partition *partition;
static int *chain;
static rw_reducer *reducer;
static rw_context *context;
static rw_device *device;
static rw_device_properties *properties;
static rw_bench_result *rows;
static rw_selftest_result *selftests;
static rw_lab *lab, *kept_lab;
static rw_word *words;
static rw_cache_info info;
static rw_run_report report;
static rw_expr_plan plan;
static char *text;
static int64_t count;
static int64_t removed;
static double value, imaginary;
static const void *data;

/* Kept while the rows of a device run, so that creating the same again compiles nothing. */
static struct {
    rw_program *program;
    rw_expr *expr;
    rw_ode *rk4, *rkc2;
    rw_reducer *reducer;
} kept[MAX_TEST_DEVICES];

static void nothing(void) {}

static void note(const char *format, ...)
{
    va_list args;
    char line[4096];
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    rw_text_add(&digest, "%s\n", line);
}

static void note_bytes(const char *name, const void *bytes, size_t n)
{
    char hex[65];
    rw_sha256_hex(bytes, n, hex);
    note("%s %zu %s", name, n, hex);
}

static void note_array(rw_array *a) { note_bytes("array", numbers_of(a), (size_t)rw_array_size(a) * sizeof(double)); }

/* Status of a call that creates; *object must have been set, to NULL by one that failed. */
static rw_status made(rw_status status, const void *object)
{
    void *p;
    memcpy(&p, object, sizeof p);
    if (status != RW_OK && p) fail_msg("after %s there is an object: %s", rw_status_name(status), rw_message(ctx));
    if (status == RW_OK && (!p || p == poison)) fail_msg("RW_OK without an object");
    return status;
}

static const char *path_of(const char *name)
{
    static char path[4][256];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof *path, "%s/%s", root, name);
    return path[next];
}

static void shell(const char *format, ...)
{
    char command[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    assert_int_equal(system(command), 0);
}

/* ---- context, describe: no device -------------------------------------------------------------------------------- */

static rw_status call_context(void)
{
    context = poison;
    return made(rw_context_create(&context), &context);
}
static void after_context(void) { rw_context_destroy(&context); }
static void before_settings(void) { OK(rw_context_create(&context)); }
static rw_status call_settings(void) { return rw_context_set_cache(context, true, "/tmp/elsewhere", false); }
static void result_settings(void) { note("%s %d", context->cache_folder, context->cache_enabled); }

static void result_text(void) { note("%s", text), note_bytes("text", text, strlen(text)); }
static void after_text(void) { free(text), text = NULL; }

#define TEXT_PROBE(name, call)                                                                                         \
    static rw_status name(void)                                                                                        \
    {                                                                                                                  \
        text = poison;                                                                                                 \
        rw_status status = made(call, &text);                                                                          \
        if (status != RW_OK) text = NULL;                                                                              \
        return status;                                                                                                 \
    }
TEXT_PROBE(call_help_problem, rw_help(ctx, "pde", &text))
TEXT_PROBE(call_help_section, rw_help(ctx, "output", &text))
TEXT_PROBE(call_help_setting, rw_help(ctx, "time.rtol", &text))
TEXT_PROBE(call_help_word, rw_help(ctx, "laplace", &text))
TEXT_PROBE(call_template, rw_case_template(ctx, "pde", &text))
TEXT_PROBE(call_describe, rw_describe(ctx, &text))
TEXT_PROBE(call_fortran, rw_describe_fortran(ctx, &text))
TEXT_PROBE(call_manual, rw_describe_manual(ctx, &text))

static rw_status list_words(const char *kind)
{
    words = poison;
    return made(rw_list_words(ctx, kind, &words, &count), &words);
}
static rw_status call_problems(void) { return list_words("problems"); }
static rw_status call_methods(void) { return list_words("methods"); }
static rw_status call_words(void) { return list_words("settings"); }
static rw_status call_functions(void) { return list_words("functions"); }
static rw_status call_exit_codes(void) { return list_words("exit-codes"); }
static void result_words(void)
{
    for (int i = 0; i < count; ++i) note("%s: %s", words[i].name, words[i].line);
}
static void after_words(void) { free(words), words = NULL; }

static void result_count(void) { note("%d", (int)count); }

/* Each may use what those before it define. */
/* clang-format off */
#include "faults_device.h"
#include "faults_expr.h"
#include "faults_blocks.h"
#include "faults_sparse.h"
#include "faults_fft.h"
#include "faults_figure.h"
#include "faults_image.h"
#include "faults_stream.h"
#include "faults_multiblock.h"
#include "faults_depgraph.h"
#include "faults_ode.h"
#include "faults_elliptic.h"
#include "faults_reduce.h"
#include "faults_bench.h"
#include "faults_run.h"
/* clang-format on */

/* ---- the table --------------------------------------------------------------------------------------------------- */

static const probe probes[] = {
    {"rw_context_create", "", HOST_ONLY, nothing, call_context, nothing, after_context},
    {"rw_context_set_cache", "", HOST_ONLY, before_settings, call_settings, result_settings, after_context},
    {"rw_list_words", "problems", HOST_ONLY, nothing, call_problems, result_words, after_words},
    {"rw_list_words", "methods", HOST_ONLY, nothing, call_methods, result_words, after_words},
    {"rw_list_words", "settings", HOST_ONLY, nothing, call_words, result_words, after_words},
    {"rw_list_words", "functions", HOST_ONLY, nothing, call_functions, result_words, after_words},
    {"rw_list_words", "exit codes", HOST_ONLY, nothing, call_exit_codes, result_words, after_words},
    {"rw_help", "problem", HOST_ONLY, nothing, call_help_problem, result_text, after_text},
    {"rw_help", "section", HOST_ONLY, nothing, call_help_section, result_text, after_text},
    {"rw_help", "setting", HOST_ONLY, nothing, call_help_setting, result_text, after_text},
    {"rw_help", "word", HOST_ONLY, nothing, call_help_word, result_text, after_text},
    {"rw_case_template", "", HOST_ONLY, nothing, call_template, result_text, after_text},
    {"rw_describe", "", HOST_ONLY, nothing, call_describe, result_text, after_text},
    {"rw_describe_fortran", "", HOST_ONLY, nothing, call_fortran, result_text, after_text},
    {"rw_describe_manual", "", HOST_ONLY, nothing, call_manual, result_text, after_text},
    {"rw_cache_describe", "", HOST_ONLY, before_cache, call_cache_describe, result_cache, after_context},
    {"rw_cache_clear", "", HOST_ONLY, before_cache, call_cache_clear, result_removed, after_context},

    {"rw_device_get_counters", "", HOST_ONLY, nothing, call_counters, result_count, nothing},
    {"rw_device_list", "", HOST_ONLY, nothing, call_list, result_list, after_list},
    {"rw_device_open", "", 0, nothing, call_open, result_open, after_open},
    {"rw_queue_create", "", 0, nothing, call_queue, result_queue, after_queue},
    {"rw_queue_wait", "", 0, before_started, call_wait, result_y, after_work},
    {"rw_event_create", "", 0, nothing, call_event, result_event, after_event},
    {"rw_event_record", "", 0, before_started, call_event_record, result_y, after_work},
    {"rw_event_wait", "", 0, before_marked, call_event_wait, result_y, after_work},
    {"rw_queue_wait_event", "", 0, before_marked, call_queue_wait_event, result_y, after_work},
    {"rw_event_seconds", "", 0, before_past, call_event_seconds, result_seconds, after_work},
    {"rw_record_begin", "", 0, before_work, call_record_begin, result_record, after_work},
    {"rw_record_end", "", ONE_TRY, before_recorded, call_record_end, result_record, after_work},
    {"rw_sequence_replay", "", 0, before_sequence, call_replay, result_replay, after_work},

    {"rw_array_create", "device", 0, nothing, call_array, result_array, after_array},
    {"rw_array_create", "pinned", 0, nothing, call_pinned, result_array, after_array},
    {"rw_array_create_from", "copy", 0, nothing, call_from_copy, result_x, after_array},
    {"rw_array_create_from", "borrow", 0, nothing, call_from_borrow, result_x, after_array},
    {"rw_array_create_from", "own", 0, nothing, call_from_own, result_x, after_array},
    {"rw_array_read", "", 0, before_started, call_read, result_read, after_work},
    {"rw_array_write", "", 0, before_new, call_write, result_y, after_work},
    {"rw_array_update", "", 0, before_started, call_update, result_y, after_work},
    {"rw_array_send", "", 0, before_changed, call_send, result_y, after_work},
    {"rw_array_fetch", "", 0, before_started, call_fetch, result_y, after_work},
    {"rw_array_copy", "", 0, before_started, call_copy, result_z, after_work},
    {"rw_array_copy", "from another queue", 0, before_started, call_other_copy, result_z, after_work},
    {"rw_array_swap", "", ONE_TRY, before_started, call_swap, result_swap, after_work},
    {"rw_array_zero", "", 0, before_started, call_zero, result_y, after_work},
    {"rw_array_view", "", 0, before_started, call_view, result_view, after_view},
    {"rw_array_slice", "", 0, before_started, call_slice, result_view, after_view},
    {"rw_array_transpose", "", 0, before_started, call_transposed_view, result_view, after_view},
    {"rw_array_select", "", 0, before_started, call_select, result_view, after_view},
    {"rw_array_reshape", "", 0, before_started, call_reshape, result_view, after_view},
    {"rw_array_copy", "with strides", 0, before_strided, call_strided_copy, result_z, after_view},
    {"rw_launch", "packed", 0, before_strided, call_packed_launch, result_y, after_view},
    {"rw_array_export", "", 0, before_started, call_export, result_tensor, after_export},
    {"rw_array_import", "", 0, before_exported, call_import, result_y, after_import},
    {"rw_queue_import", "", 0, before_native, call_queue_import, result_imported, after_queue_import},
    {"rw_queue_get_native", "", 0, before_work, call_queue_native, result_y, after_work},
    {"rw_event_import", "", 0, before_event_native, call_event_import, result_foreign, after_event_import},
    {"rw_event_get_native", "", 0, before_marked, call_event_native, result_y, after_work},
    {"rw_device_open_native", "", 0, nothing, call_open_native, result_open, after_open},
    {"rw_device_get_native", "", 0, before_work, call_device_native, result_y, after_work},
    {"rw_array_save", "", 0, before_started, call_save, result_x, after_work},
    {"rw_array_save", "market", HOST_ONLY, before_started, call_save_market, result_x, after_work},
    {"rw_array_load", "", 0, before_file, call_load, result_x, after_work},
    {"rw_array_load", "market", HOST_ONLY, before_file, call_load_market, result_x, after_work},

    {"rw_program_create", "shared", 0, nothing, call_program, result_program, after_program},
    {"rw_program_create", "cached", COMPILES, nothing, call_cached, result_program, after_program},
    {"rw_program_create", "compiled", COMPILES, nothing, call_compiled, result_program, after_program},
    {"rw_program_kernel", "", 0, before_work, call_kernel, nothing, after_work},
    {"rw_launch", "", 0, before_work, call_launch, result_y, after_work},
    {"rw_launch", "recorded", 0, before_recorded, call_recorded_launch, result_recorded_launch, after_work},

    {"rw_fft_create", "", COMPILES, before_fft_arrays, call_fft, result_fft, after_fft},
    {"rw_fft_execute", "", 0, before_fft, call_fft_execute, result_fft_y, after_fft},
    {"rw_fft_set_work", "", 0, before_fft, call_fft_work, result_fft_work, after_fft},
    {"rw_fft_get_info", "", HOST_ONLY, before_fft, call_fft_info, result_first_count, after_fft},
    {"rw_fft_tune", "", SLOW | COMPILES, nothing, call_tune, result_first_count, nothing},
    {"rw_fft_wisdom_export", "", HOST_ONLY, before_wisdom, call_wisdom_export, result_wisdom, after_wisdom},
    {"rw_fft_wisdom_import", "", HOST_ONLY, before_wisdom, call_wisdom_import, result_wisdom, after_wisdom},
    {"rw_fft_wisdom_load", "", HOST_ONLY, before_wisdom, call_wisdom_load, result_wisdom, after_wisdom},
    {"rw_fft_wisdom_save", "", HOST_ONLY, before_wisdom, call_wisdom_save, result_wisdom, after_wisdom},
    {"rw_fft_wisdom_forget", "", HOST_ONLY, before_wisdom, call_wisdom_forget, result_wisdom, after_wisdom},
    {"rw_image_filter_create", "", COMPILES | SLOW, before_image_arrays, call_filter, result_filter, after_filter},
    {"rw_image_filter_execute", "", 0, before_filter, call_filter_execute, result_image, after_filter},
    {"rw_image_filter_get_info", "", HOST_ONLY, before_filter, call_filter_info, result_first_count, after_filter},
    {"rw_image_filter_explain", "", HOST_ONLY, before_filter, call_filter_explain, result_text, after_explanation},
    {"rw_image_load", "", 0, before_image_file, call_image_load, result_image, after_filter},
    {"rw_image_load_tags", "", 0, before_image_file, call_image_load_tags, result_image, after_filter},
    {"rw_image_save_tags", "", 0, before_image_file, call_image_save_tags, result_image_file, after_filter},
    {"rw_image_save", "", 0, before_image_file, call_image_save, result_image_file, after_filter},
    {"rw_figure_write_images", "", SLOW, before_image_arrays, call_images_figure, result_figure, after_filter},
    {"rw_stream_run", "", COMPILES | SLOW, before_frames, call_frames, result_stream, nothing},
    {"rw_stream_file_read", "", HOST_ONLY | ONE_TRY, before_stream_file, call_stream_read, nothing, after_stream_file},
    {"rw_stream_file_write", "", HOST_ONLY | ONE_TRY, before_stream_create, call_stream_write, nothing,
     after_stream_file},
    {"rw_stream_find_output", "", HOST_ONLY, before_find_output, call_find_output, result_find_output,
     after_find_output},
    {"rw_stream_format_register", "", HOST_ONLY, nothing, call_stream_register, nothing, nothing},
    {"rw_signal_design", "", HOST_ONLY, nothing, call_signal_design, result_signal_design, after_signal_design},
    {"rw_signal_run", "", COMPILES | SLOW, before_samples, call_signal, result_stream, nothing},
    {"rw_spectrogram_run", "", COMPILES | SLOW, before_spectrogram, call_spectrogram, result_stream, nothing},
    {"rw_image_own_register", "", HOST_ONLY, nothing, call_image_own, nothing, nothing},
    {"rw_image_filter_tiles", "", COMPILES | SLOW, before_image_arrays, call_tiles, result_tiles, after_filter},
    {"rw_image_op_parse", "", HOST_ONLY, nothing, call_image_op, result_image_op, nothing},
    {"rw_stream_window_create", "", HOST_ONLY, before_window, call_window, result_window, after_window},
    {"rw_stream_window_show", "", COMPILES | SLOW, before_window_show, call_window_show, result_window, after_window},
    {"rw_stream_window_save", "", 0, before_window_save, call_window_save, result_window_file, after_window},
    {"rw_convolution_get_info", "", HOST_ONLY, before_convolution, call_convolution_info, result_first_count,
     after_fft},
    {"rw_convolution_shape", "", HOST_ONLY, nothing, call_convolution_shape, result_first_count, nothing},
    {"rw_convolution_set_work", "", 0, before_convolution, call_convolution_work, result_convolution, after_fft},
    {"rw_convolution_create", "", COMPILES, before_fft_arrays, call_convolution, result_convolution, after_fft},
    {"rw_convolution_set", "", 0, before_convolution, call_convolution_set, result_convolution_set, after_fft},
    {"rw_convolution_execute", "", 0, before_convolution_execute, call_convolution_execute, result_fft_y, after_fft},

    {"rw_expr_create", "", 0, nothing, call_expr, result_expr, after_expr},
    {"rw_expr_bind", "", 0, before_expr, call_expr_bind, result_run, after_expr},
    {"rw_expr_set", "", 0, before_expr, call_expr_set, result_run, after_expr},
    {"rw_expr_set_complex", "", 0, before_expr, call_expr_set_complex, result_run, after_expr},
    {"rw_expr_run", "first", 0, before_expr, call_expr_run, result_expr_run, after_expr},
    {"rw_expr_get", "", 0, before_expr_run, call_expr_get, result_value, after_expr},
    {"rw_expr_trace", "", 0, before_trace, call_trace, result_trace, after_expr},
    {"rw_expr_get_plan", "", 0, before_expr, call_expr_plan, result_plan, after_expr},
    {"rw_expr_explain", "", 0, before_expr, call_expr_explain, result_text, after_expr_text},

    {"rw_elliptic_create", "transform", COMPILES | SLOW, before_elliptic_arrays, call_elliptic, result_new_elliptic,
     after_elliptic},
    {"rw_elliptic_create", "krylov", COMPILES | SLOW, before_elliptic_arrays, call_elliptic_krylov, result_new_elliptic,
     after_elliptic},
    {"rw_elliptic_bind", "", COMPILES, before_elliptic, call_elliptic_bind, result_elliptic, after_elliptic},
    {"rw_elliptic_set", "", COMPILES, before_elliptic, call_elliptic_set, result_elliptic, after_elliptic},
    {"rw_elliptic_get_spec", "", COMPILES, before_elliptic, call_elliptic_spec, result_elliptic_spec, after_elliptic},
    {"rw_elliptic_solve", "transform", COMPILES | SLOW, before_elliptic, call_elliptic_solve, result_elliptic_solve,
     after_elliptic},
    {"rw_elliptic_solve", "krylov", COMPILES | SLOW, before_elliptic_krylov, call_elliptic_solve, result_elliptic_solve,
     after_elliptic},
    {"rw_elliptic_enqueue", "", COMPILES | SLOW, before_elliptic, call_elliptic_enqueue, result_elliptic_solve,
     after_elliptic},
    {"rw_elliptic_explain", "", COMPILES, before_elliptic, call_elliptic_explain, result_text, after_elliptic_text},

    {"rw_pattern_find", "", HOST_ONLY, nothing, call_pattern, result_pattern, nothing},
    {"rw_entries_read", "", HOST_ONLY, before_sparse_read, call_entries_read, result_entries_read, after_entries_read},
    {"rw_sparse_predict", "", HOST_ONLY, nothing, call_predict, result_choice, nothing},
    {"rw_precond_estimate", "", HOST_ONLY, nothing, call_precond_estimate, result_precond_estimate, nothing},
    {"rw_sparse_choose", "", HOST_ONLY, nothing, call_choose, result_choice, nothing},
    {"rw_bench_products", "", HOST_ONLY | SLOWEST, before_products, call_products, result_products, after_products},
    {"rw_sparse_layout_parse", "", HOST_ONLY, nothing, call_layout, result_count, nothing},
    {"rw_sparse_estimate", "", HOST_ONLY, nothing, call_estimate, result_size, nothing},
    {"rw_sparse_create", "", 0, nothing, call_sparse_create, result_matrix, after_matrix},
    {"rw_sparse_from_entries", "", 0, nothing, call_from_entries, result_matrix, after_matrix},
    {"rw_sparse_add_blocks", "", 0, before_matrix, call_add_blocks, result_matrix, after_matrix},
    {"rw_sparse_add_blocks_of", "", 0, before_matrix, call_add_blocks_of, result_matrix, after_matrix},
    {"rw_sparse_zero", "", 0, before_matrix, call_sparse_zero, result_matrix, after_matrix},
    {"rw_sparse_convert", "", 0, before_matrix, call_convert, result_other, after_matrix},
    {"rw_sparse_transpose", "", 0, before_matrix, call_transpose, result_other, after_matrix},
    {"rw_sparse_write", "", HOST_ONLY, before_matrix, call_sparse_write, result_written, after_matrix},
    {"rw_sparse_read", "", HOST_ONLY, before_sparse_read, call_sparse_read, result_other, after_matrix},
    {"rw_sparse_entries", "", 0, before_matrix, call_entries, result_entries, after_entries},
    {"rw_sparse_multiply", "", COMPILES, before_matrix, call_multiply, result_y, after_matrix},
    {"rw_sparse_multiply", "transposed", COMPILES, before_matrix, call_multiply_transposed, result_y, after_matrix},
    {"rw_sparse_multiply", "coordinates", COMPILES, before_coordinates, call_multiply, result_y, after_matrix},
    {"rw_operator_create", "", 0, before_free, call_operator_create, result_operator, after_operator},
    {"rw_operator_multiply", "a function", COMPILES, before_operator_product, call_multiply_scaled, result_y,
     after_operator},
    {"rw_operator_get_info", "", HOST_ONLY, before_matrix, call_info, result_count, after_matrix},
    {"rw_sparse_get_size", "", HOST_ONLY, before_matrix, call_size, result_count, after_matrix},
    {"rw_sparse_get_arrays", "", HOST_ONLY, before_arrays, call_arrays, result_count, after_matrix},
    {"rw_operator_get_diagonal", "", 0, before_diagonal, call_diagonal, result_y, after_matrix},
    {"rw_operator_from_expr", "", COMPILES | SLOW, nothing, call_from_expr, result_from_expr, after_operator},
    {"rw_precond_create", "chebyshev of a stencil", COMPILES | SLOW, before_from_expr, call_chebyshev, result_precond,
     after_precond},
    {"rw_precond_parse", "", HOST_ONLY, nothing, call_precond_parse, result_precond_spec, nothing},
    {"rw_precond_create", "ilu", COMPILES | SLOW, before_line, call_ilu, result_precond, after_precond},
    {"rw_precond_create", "ilu by iterations", COMPILES | SLOW, before_line, call_ilu_iterations, result_precond,
     after_precond},
    {"rw_precond_create", "ilut", COMPILES | SLOW, before_line, call_ilut, result_precond, after_precond},
    {"rw_precond_create", "ssor", COMPILES | SLOW, before_line, call_ssor, result_precond, after_precond},
    {"rw_precond_create", "chebyshev", COMPILES | SLOW, before_line, call_chebyshev, result_precond, after_precond},
    {"rw_precond_create", "amg", COMPILES | SLOW, before_line, call_amg, result_precond, after_precond},
    {"rw_precond_get_info", "", HOST_ONLY, before_precond, call_precond_info, result_count, after_precond},
    {"rw_precond_apply", "", COMPILES, before_precond, call_precond_apply, result_y, after_precond},
    {"rw_krylov_parse", "", HOST_ONLY, nothing, call_method, result_method, nothing},
    {"rw_params_parse", "", HOST_ONLY, nothing, call_method, result_method, nothing},
    {"rw_params_set", "", HOST_ONLY, nothing, call_params_set, result_params, nothing},
    {"rw_params_resolve", "", HOST_ONLY, nothing, call_params_resolve, result_params, nothing},
    {"rw_figure_write_residuals", "", HOST_ONLY | SLOW, nothing, call_residuals, result_figure, nothing},
    {"rw_figure_write_pattern", "", HOST_ONLY | SLOW, nothing, call_pattern_figure, result_figure, nothing},
    {"rw_figure_write_field", "", HOST_ONLY | SLOW, nothing, call_field_figure, result_figure, nothing},
    {"rw_figure_write_surface", "", HOST_ONLY | SLOW, nothing, call_surface, result_figure, nothing},
    {"rw_figure_write_lines", "", HOST_ONLY | SLOW, nothing, call_lines, result_figure, nothing},
    {"rw_figure_write_bars", "", HOST_ONLY | SLOW, nothing, call_bars, result_figure, nothing},
    {"rw_figure_write_volume", "", HOST_ONLY | SLOW, nothing, call_volume, result_figure, nothing},
    {"rw_krylov_create", "", COMPILES | SLOW, before_system, call_solver, result_solver, after_solver},
    {"rw_krylov_create", "own", COMPILES | SLOW, before_system, call_solver_own, result_solver, after_solver},
    {"rw_krylov_solve", "gmres", COMPILES | SLOW, before_solve, call_solve, result_solved, after_solver},
    {"rw_krylov_solve", "bicgstab", COMPILES | SLOW, before_solve_short, call_solve, result_solved, after_solver},
    {"rw_krylov_solve", "fgmres", COMPILES | SLOW, before_solve_flexible, call_solve, result_solved, after_solver},
    {"rw_krylov_get_precond", "", HOST_ONLY, before_solve, call_krylov_precond, result_count, after_solver},
    {"rw_krylov_update", "", COMPILES | SLOW, before_solve, call_krylov_update, result_krylov_update, after_solver},
    {"rw_krylov_solve", "inner", COMPILES | SLOW, before_solve_inner, call_solve, result_solved, after_solver},
    {"rw_krylov_solve", "own", COMPILES | SLOW, before_solve_own, call_solve, result_solved, after_solver},

    {"rw_multiblock_measure", "", HOST_ONLY, nothing, call_measure, result_count, nothing},
    {"rw_multiblock_read_cgns", "", HOST_ONLY, before_cgns, call_read_cgns, result_count, nothing},
    {"rw_multiblock_pattern", "", HOST_ONLY, nothing, call_block_pattern, result_blocks_of_grid, after_pattern},
    {"rw_multiblock_trace", "", HOST_ONLY, nothing, call_trace_form, result_blocks_of_grid, after_pattern},
    {"rw_multiblock_prepare", "", HOST_ONLY, before_prepare, call_prepare, result_prepared, after_prepare},
    {"rw_windows_find", "", HOST_ONLY, before_windows, call_windows, result_windows, after_windows},
    {"rw_windows_check", "", HOST_ONLY, before_check_windows, call_check_windows, result_windows, after_windows},
    {"rw_multiblock_assemble", "", 0, nothing, call_assemble, result_matrix, after_matrix},
    {"rw_multiblock_create", "", 0, nothing, call_several, result_several, after_several},
    {"rw_multiblock_vector", "", 0, before_several, call_block_vector, result_block_vector, after_several},
    {"rw_multiblock_operator", "", 0, before_several, call_operator_of_blocks, result_operator_of_blocks,
     after_operator_of_blocks},
    {"rw_multiblock_exchange", "", COMPILES | SLOW, before_exchange, call_exchange, result_block_vector, after_several},
    {"rw_multiblock_clear", "", COMPILES | SLOW, before_exchange, call_clear, result_block_vector, after_several},
    {"rw_multiblock_multiply", "", COMPILES | SLOW, before_exchange, call_several_multiply, result_several_multiply,
     after_several},

    {"rw_blocks_create", "", HOST_ONLY, nothing, call_blocks, note_grid, after_grid},
    {"rw_blocks_box", "", HOST_ONLY, nothing, call_blocks_box, note_grid, after_grid},
    {"rw_blocks_cylinder", "", HOST_ONLY, nothing, call_blocks_cylinder, note_grid, after_grid},
    {"rw_blocks_read_gmsh", "", HOST_ONLY, before_mesh, call_blocks_gmsh, note_grid, after_grid},
    {"rw_blocks_centres", "", HOST_ONLY, before_grid, call_blocks_centres, result_centres, after_measured},
    {"rw_blocks_volumes", "", HOST_ONLY, before_grid, call_blocks_volumes, result_volumes, after_measured},
    {"rw_blocks_local", "", HOST_ONLY, before_grid, call_blocks_local, result_matrices, after_measured},
    {"rw_blocks_get_block", "", HOST_ONLY, before_grid, call_get_block, result_count, after_grid},
    {"rw_blocks_cut", "", HOST_ONLY, before_grid, call_blocks_cut, result_cut, after_measured},
    {"rw_blocks_array", "", 0, before_grid, call_blocks_array, result_blocks_array, after_blocks_array},
    {"rw_blocks_expr_create", "", COMPILES, before_grid, call_blocks_expr, result_blocks_expr, after_blocks_expr},

    {"rw_depgraph_create", "", HOST_ONLY, nothing, call_graph, result_graph, after_graph},
    {"rw_depgraph_add_task", "", HOST_ONLY, before_tasks, call_add_task, result_graph, after_graph},
    {"rw_depgraph_add_dependency", "", HOST_ONLY, before_tasks, call_add_dependency, result_graph, after_graph},
    {"rw_depgraph_find_path", "", HOST_ONLY, before_graph, call_find_path, result_path, after_graph},
    {"rw_depgraph_check_separate", "", HOST_ONLY, before_graph, call_check_separate, result_path, after_graph},
    {"rw_depgraph_partition", "accepted", HOST_ONLY, before_graph, call_partition, result_partition, after_graph},
    {"rw_depgraph_partition", "not separate", HOST_ONLY, before_graph, call_broken_partition, result_partition,
     after_graph},
    {"rw_depgraph_partition", "in no order", HOST_ONLY, before_graph, call_cyclic_partition, result_partition,
     after_graph},
    {"rw_depgraph_dot", "", HOST_ONLY, before_partition, call_dot, result_text, after_dot},

    {"rw_ode_create", "rk4", SLOW, nothing, call_rk4, result_ode, after_ode},
    {"rw_ode_create", "rkc2", SLOW, nothing, call_rkc2, result_ode, after_ode},
    {"rw_ode_create", "rock4", SLOW, nothing, call_rock4, result_ode, after_ode},
    {"rw_ode_load", "auto", SLOW, before_load, call_ode_load, result_steps, after_ode},
    {"rw_ode_bind", "", 0, before_pinned, call_ode_bind, result_steps, after_pinned},
    {"rw_ode_set", "", 0, before_rkc2, call_ode_set, result_steps, after_ode},
    {"rw_ode_get_method", "", HOST_ONLY, before_rk4, call_ode_method, result_count, after_ode},
    {"rw_ode_get_statistics", "", HOST_ONLY, before_rk4, call_ode_statistics, result_count, after_ode},
    {"rw_ode_step", "rk4, first", SLOW, before_rk4, call_ode_step, result_steps, after_ode},
    {"rw_ode_step", "rkc2, first", SLOW, before_rkc2, call_ode_step, result_steps, after_ode},
    {"rw_ode_step", "rock4, first", SLOW, before_rock4, call_ode_step, result_steps, after_ode},
    {"rw_ode_step", "auto, first", SLOW, before_auto, call_ode_step, result_steps, after_ode},
    {"rw_ode_step", "rkc2, third", SLOW, before_third_step, call_ode_step, result_steps, after_ode},
    {"rw_ode_get_rate", "", 0, before_rkc2, call_ode_rate, result_rate, after_ode},
    {"rw_ode_interpolate", "first", 0, before_dense, call_ode_look, result_look, after_ode},
    {"rw_ode_interpolate", "again", 0, before_return, call_ode_look, result_look, after_ode},
    {"rw_ode_restore", "", 0, before_return, call_ode_return, result_steps, after_ode},
    {"rw_ode_undo", "", 0, before_dense, call_ode_undo, result_steps, after_ode},
    {"rw_ode_explain", "rk4", 0, before_rk4, call_ode_explain, result_text, after_ode_text},
    {"rw_ode_explain", "rkc2", 0, before_rkc2, call_ode_explain, result_text, after_ode_text},
    {"rw_ode_depgraph", "rk4", SLOW, before_rk4, call_ode_depgraph, result_ode_depgraph, after_ode_depgraph},
    {"rw_ode_depgraph", "rkc2", SLOW, before_rkc2, call_ode_depgraph, result_ode_depgraph, after_ode_depgraph},
    {"rw_ode_depgraph", "auto", SLOW, before_auto, call_ode_depgraph, result_ode_depgraph, after_ode_depgraph},

    {"rw_reducer_create", "", 0, nothing, call_reducer, result_reducer, after_reducer},
    {"rw_reducer_run", "", 0, before_reduce, call_reduce, result_y, after_reduce},
    {"rw_reducer_value", "", 0, before_reduce, call_reduce_value, result_value, after_reduce},

    {"rw_bench_run", "", HOST_ONLY | SLOWEST, nothing, call_bench, result_bench, after_bench},
    {"rw_bench_format", "text", HOST_ONLY, nothing, call_bench_text, result_text, after_text},
    {"rw_bench_format", "markdown", HOST_ONLY, nothing, call_bench_markdown, result_text, after_text},
    {"rw_bench_format", "json", HOST_ONLY, nothing, call_bench_json, result_text, after_text},
    {"rw_selftest", "", HOST_ONLY | SLOWEST, nothing, call_selftest, result_selftest, after_selftest},

    {"rw_lab_run", "", HOST_ONLY | SLOWEST, nothing, call_lab, result_lab, after_lab},
    {"rw_lab_write", "text", HOST_ONLY, before_lab, call_lab_text, result_text, after_text},
    {"rw_lab_write", "markdown", HOST_ONLY, before_lab, call_lab_markdown, result_text, after_text},
    {"rw_lab_write", "csv", HOST_ONLY, before_lab, call_lab_csv, result_text, after_text},
    {"rw_lab_write", "json", HOST_ONLY, before_lab, call_lab_json, result_text, after_text},
    {"rw_lab_save", "", HOST_ONLY | SLOWEST, before_lab, call_lab_save, result_lab_save, after_lab_save},

    {"rw_run_case", "", HOST_ONLY | SLOW, before_case, call_run, result_case, before_case},
    {"rw_run_case", "restart", HOST_ONLY | SLOWEST, before_restart, call_restart, result_case, before_case},
    {"rw_check_case", "", HOST_ONLY | SLOW, nothing, call_check_case, result_check_case, after_text},
    {"rw_explain_case", "", HOST_ONLY | SLOW, nothing, call_explain, result_explain, after_text},
    {"rw_explain_text", "", HOST_ONLY, nothing, call_explain_text, result_text, after_text},
    {"rw_explain_graph", "", HOST_ONLY | SLOW, nothing, call_explain_graph, result_explain_graph, after_text},
    {"rw_plot_results", "folder", HOST_ONLY | SLOWEST, before_plot, call_plot, result_plot, before_case},
    {"rw_plot_results", "file", HOST_ONLY | SLOW, before_plot, call_plot_file, result_plot, before_case},
};

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

/* Slow calls are not repeated for each event; sanitizers make everything slower. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { DENSE = 3 };
#else
enum { DENSE = 6 };
#endif

static bool fits(rw_fault kind, rw_status status)
{
    switch (kind) {
    case RW_FAULT_ALLOC: return status == RW_ERR_MEMORY;
    case RW_FAULT_DEVICE_ALLOC: return status == RW_ERR_MEMORY;
    case RW_FAULT_READ: return status == RW_ERR_FILE || status == RW_ERR_INPUT;
    case RW_FAULT_WRITE: return status == RW_ERR_FILE;
    case RW_FAULT_LAUNCH: return status == RW_ERR_LAUNCH;
    case RW_FAULT_COMPILE: return status == RW_ERR_COMPILE;
    default: return false;
    }
}

/* The digest of a successful call, to be freed. */
static char *result_of(const probe *p)
{
    p->result();
    assert_false(digest.failed);
    char *all = rw_strdup(digest.data ? digest.data : "");
    rw_text_free(&digest);
    return all;
}

static const char *const kinds[RW_FAULT_KINDS] = {"allocation",        "read",   "write",
                                                  "device allocation", "launch", "compilation"};

/* Gives the number of failures. */
static int fail_each(const probe *p, rw_fault kind, const char *expected, int *survived)
{
    int failures = 0;
    int pace = p->flags & SLOWEST ? 2 : p->flags & SLOW ? on("cpu") ? 1 : 2 : 0; /* others have the same rows */
    if (!test_long()) pace = RW_MIN(pace + 1 + brief(), 2);
    for (long n = 1;; n += pace == 0 ? 1 : pace == 1 ? 1 + n / DENSE : 3 * n) {
        char where[128];
        snprintf(where, sizeof where, "%s %s: %s %ld", p->function, p->what, kinds[kind], n);
        if (n > 100000) fail_msg("%s: no end", where);
        int64_t bytes = counters().bytes_allocated;
        p->before();
        rw_fail(ctx, RW_ERR_INTERNAL, "nothing was said");
        rw_fault_set(kind, n);
        rw_status status = p->call();
        bool met = rw_fault_events(kind) >= n;
        rw_fault_set(kind, 0);
        if (status != RW_OK) {
            const char *said = rw_message(ctx);
            if (!met) fail_msg("%s: fails unasked: %s", where, said);
            if (!fits(kind, status)) fail_msg("%s: %s: %s", where, rw_status_name(status), said);
            if (!*said || !strcmp(said, "nothing was said")) fail_msg("%s: no message", where);
            ++failures;
            if (p->flags & ONE_TRY) p->after(), p->before();
            status = p->call();
            if (status != RW_OK) fail_msg("%s, then again: %s: %s", where, rw_status_name(status), rw_message(ctx));
        } else if (met) {
            ++*survived;
        }
        char *got = result_of(p);
        if (strcmp(got, expected)) {
            size_t same = 0;
            while (got[same] && got[same] == expected[same]) ++same;
            while (same && got[same - 1] != '\n') --same;
            fail_msg("%s: the result is\n%.300s\ninstead of\n%.300s", where, got + same, expected + same);
        }
        rw_free(got);
        p->after();
        if (counters().bytes_allocated != bytes)
            fail_msg("%s: %lld bytes of arrays left", where, (long long)(counters().bytes_allocated - bytes));
        if (!met) return failures;
    }
}

static void test_everything_may_fail(void **state)
{
    (void)state;
    const char *only = getenv("ONLY");
    int total = 0, ways = 0;
    for (int i = 0; i < RW_COUNT(probes); ++i) {
        const probe *p = probes + i;
        if ((p->flags & HOST_ONLY) && !on("cpu")) continue;
        if ((p->flags & COMPILES) && on("opencl")) continue;
        if (!test_long() && (p->flags & SLOWEST || (p->flags & SLOW && !on("cpu")))) continue;
        if (only && !strstr(p->function, only)) continue;
        double start = rw_seconds();
        int failures[RW_FAULT_KINDS], survived = 0;
        p->before();
        rw_status status = p->call();
        if (status != RW_OK) fail_msg("%s %s: %s: %s", p->function, p->what, rw_status_name(status), rw_message(ctx));
        char *expected = result_of(p);
        p->after();
        for (int kind = 0; kind < RW_FAULT_KINDS; ++kind) {
            failures[kind] = fail_each(p, (rw_fault)kind, expected, &survived);
            total += failures[kind];
        }
        rw_free(expected);
        ways += survived;
        print_message(
            "%-22s %-20s %4d alloc %3d read %3d write %3d array %3d launch %3d compile, %3d ways around, %.1f s\n",
            p->function, p->what, failures[0], failures[1], failures[2], failures[3], failures[4], failures[5],
            survived, rw_seconds() - start);
    }
    print_message("%d failures, %d ways around one\n", total, ways);
}

/* A launch that could not be recorded is not in the sequence; what was recorded before it and after it is. */
static void test_a_launch_that_is_not_recorded(void **state)
{
    (void)state;
    for (int n = 1;; ++n) {
        before_work();
        OK(rw_record_begin(q));
        OK(scale(y, 3));
        rw_fault_set(RW_FAULT_ALLOC, n);
        rw_status status = scale(z, 5);
        bool met = rw_fault_events(RW_FAULT_ALLOC) >= n;
        rw_fault_set(RW_FAULT_ALLOC, 0);
        assert_int_equal(status, met ? RW_ERR_MEMORY : RW_OK);
        OK(scale(y, 4));
        OK(rw_record_end(q, &sequence));
        OK(rw_sequence_replay(sequence, q));
        for (int i = 0; i < N; ++i) {
            assert_true(numbers_of(y)[i] == 4 * (1 + 0.5 * i) + i);
            assert_true(numbers_of(z)[i] == (met ? 0 : 5 * (1 + 0.5 * i) + i));
        }
        after_work();
        if (!met) break;
    }
}

/* Every function of the public headers that returns a status has a row. */
static void test_no_function_is_missing(void **state)
{
    (void)state;
    if (!on("cpu")) skip();
    const char *home = getenv("SOURCE");
    char pattern[512];
    glob_t found;
    int functions = 0;
    snprintf(pattern, sizeof pattern, "%s/include/rechenwerk/*.h", home ? home : "../../..");
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; ++i) {
        char *header, name[64];
        size_t n;
        OK(rw_file_read(ctx, found.gl_pathv[i], 0, &header, &n));
        for (const char *s = header; (s = strstr(s, "\nRW_API rw_status ")); ++s) {
            assert_int_equal(sscanf(s, "\nRW_API rw_status %63[a-z0-9_]", name), 1);
            if (rw_ends_in(name, "_sized")) name[strlen(name) - strlen("_sized")] = 0; /* a macro calls it */
            if (!strcmp(name, "rw_context_fail")) continue;                            /* which always fails */
            bool listed = false;
            for (int k = 0; k < RW_COUNT(probes); ++k) listed = listed || !strcmp(probes[k].function, name);
            /* of an enumeration, or a copy of what was set: neither allocates */
            static const char *const copies[] = {"_parse",        "_get_spec",  "_get_array",        "_get_grid",
                                                 "_get_operator", "_get_cache", "_get_reproducible", "rw_ode_get"};
            for (int k = 0; k < RW_COUNT(copies); ++k) listed = listed || rw_ends_in(name, copies[k]);
            if (!listed) fail_msg("%s of %s has no row in the table of this test", name, found.gl_pathv[i]);
            ++functions;
        }
        rw_free(header);
    }
    globfree(&found);
    print_message("%d functions, %d rows\n", functions, RW_COUNT(probes));
    assert_true(functions > 50);
}

static void keep(int index)
{
    OK(rw_program_create(dev, "kept", source, group, 1, &kept[index].program));
    OK(create_expr(&kept[index].expr));
    OK(create_ode(RW_ODE_RK4, &kept[index].rk4));
    OK(create_ode(RW_ODE_RKC2, &kept[index].rkc2));
    OK(create_reducer(&kept[index].reducer));
    before_ode(RW_ODE_RKC2); /* programs of the first steps */
    for (int i = 0; i < 2; ++i) OK(rw_ode_step(ode, 1));
    after_ode();
}

static void release(int index)
{
    rw_program_destroy(&kept[index].program);
    rw_expr_destroy(&kept[index].expr);
    rw_ode_destroy(&kept[index].rk4), rw_ode_destroy(&kept[index].rkc2);
    rw_reducer_destroy(&kept[index].reducer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_may_fail),
        cmocka_unit_test(test_a_launch_that_is_not_recorded),
        cmocka_unit_test(test_no_function_is_missing),
    };
    const char *build = getenv("BUILD");
    char compiler[512];
    snprintf(compiler, sizeof compiler, "%s/tests/compile_once", build ? build : "");
    if (build) setenv("RECHENWERK_CC", compiler, 1); /* the same few programs, hundreds of times */
    snprintf(root, sizeof root, "/tmp/rechenwerk-faults-XXXXXX");
    if (!mkdtemp(root)) return 1;
    if (rw_file_write(NULL, path_of("case.yaml"), case_text, strlen(case_text)) != RW_OK) return 1;
    int failed = run_on_devices_with("faults", tests, RW_COUNT(tests), keep, release);
    rw_lab_destroy(&kept_lab);
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command) || failed;
}
