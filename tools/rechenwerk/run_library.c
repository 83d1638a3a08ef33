/* The functions of librechenwerk-run that the command calls. That library brings forty others with it, HDF5 alone
 * thirty, so the first call opens it, and `rechenwerk --version` does not. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "rechenwerk/figure.h"
#include "rechenwerk/image_file.h"
#include "rechenwerk/multiblock.h"
#include "rechenwerk/run.h"
#include "rechenwerk/signal.h"
#include "rechenwerk/stream.h"

static void *find(const char *name)
{
    static void *library;
    if (!library) library = dlopen(RUN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    void *function = library ? dlsym(library, name) : NULL;
    if (function) return function;
    const char *why = dlerror();
    const bool memory = why && (strstr(why, "failed to map segment") || strcasestr(why, "cannot allocate memory") ||
                                strstr(why, "cannot create memory mapping"));
    fprintf(stderr,
            memory ? "rechenwerk: out of host memory: %s\n    free memory, or raise the limit (ulimit -v)\n"
                   : "rechenwerk: %s\n    this subcommand needs " RUN_LIBRARY
                     " of the same version: install it next to librechenwerk\n",
            why ? why : "unknown error");
    exit(memory ? rw_status_exit_code(RW_ERR_MEMORY) : 1);
}

#define FUNCTION(type, name, parameters, arguments)                                                                    \
    type name parameters                                                                                               \
    {                                                                                                                  \
        type(*function) parameters;                                                                                    \
        *(void **)&function = find(#name);                                                                             \
        return function arguments;                                                                                     \
    }

FUNCTION(rw_status, rw_run_case_sized,
         (rw_context * ctx, const char *path, const rw_run_options *o, rw_run_report *r, size_t size,
          size_t other_size),
         (ctx, path, o, r, size, other_size))
FUNCTION(rw_status, rw_explain_case_sized,
         (rw_context * ctx, const char *path, const rw_run_options *o, char **text, size_t size),
         (ctx, path, o, text, size))
FUNCTION(rw_status, rw_explain_text_sized,
         (rw_context * ctx, const char *path, const rw_run_options *o, char **text, size_t size),
         (ctx, path, o, text, size))
FUNCTION(rw_status, rw_check_case_sized,
         (rw_context * ctx, const char *path, const rw_run_options *o, char **text, size_t size),
         (ctx, path, o, text, size))
FUNCTION(rw_status, rw_explain_graph_sized,
         (rw_context * ctx, const char *path, const rw_run_options *o, int stages, const char *dot, char **text,
          size_t size),
         (ctx, path, o, stages, dot, text, size))
FUNCTION(rw_status, rw_plot_results_sized,
         (rw_context * ctx, const char *path, const rw_plot_options *o, rw_plot_function *f, void *user, size_t size),
         (ctx, path, o, f, user, size))
FUNCTION(rw_status, rw_selftest_sized,
         (rw_context * ctx, rw_device *device, rw_selftest_result **list, int64_t *count, size_t size),
         (ctx, device, list, count, size))
FUNCTION(rw_status, rw_list_words, (rw_context * ctx, const char *kind, rw_word **words, int64_t *n),
         (ctx, kind, words, n))
FUNCTION(const char *const *, rw_word_kinds, (void), ())
FUNCTION(const rw_params *, rw_stream_params, (void), ())
FUNCTION(const rw_params *, rw_signal_params, (void), ())
FUNCTION(const rw_params *, rw_spectrogram_params, (void), ())
FUNCTION(rw_status, rw_help, (rw_context * ctx, const char *name, char **text), (ctx, name, text))
FUNCTION(rw_status, rw_case_template, (rw_context * ctx, const char *problem, char **text), (ctx, problem, text))
FUNCTION(rw_status, rw_describe, (rw_context * ctx, char **json), (ctx, json))
FUNCTION(rw_status, rw_describe_fortran, (rw_context * ctx, char **fortran), (ctx, fortran))
FUNCTION(rw_status, rw_describe_manual, (rw_context * ctx, char **roff), (ctx, roff))
FUNCTION(rw_status, rw_multiblock_read_cgns_sized,
         (rw_context * ctx, const char *path, rw_multiblock_spec *s, size_t size), (ctx, path, s, size))
FUNCTION(rw_status, rw_image_load_tags,
         (rw_device * device, const char *path, bool keep, rw_array **array, rw_image_tags *tags),
         (device, path, keep, array, tags))
FUNCTION(rw_status, rw_image_save_tags, (rw_array * array, const char *path, bool deep, const rw_image_tags *tags),
         (array, path, deep, tags))
void rw_image_tags_free(rw_image_tags *tags)
{
    void (*function)(rw_image_tags *);
    *(void **)&function = find("rw_image_tags_free");
    function(tags);
}
FUNCTION(rw_status, rw_figure_write_images_sized,
         (rw_context * ctx, const char *path, const rw_figure_page *page, int64_t n, const rw_figure_image *images,
          size_t size),
         (ctx, path, page, n, images, size))
FUNCTION(bool, rw_stream_is, (const char *name), (name))
FUNCTION(bool, rw_stream_is_numbered, (const char *name), (name))
FUNCTION(rw_status, rw_stream_find_output, (rw_context * ctx, const char *name, char **path), (ctx, name, path))
FUNCTION(rw_status, rw_stream_run_sized,
         (rw_device * device, const char *in, const char *out, const rw_stream_spec *s, rw_stream_report *r,
          size_t size, size_t other_size),
         (device, in, out, s, r, size, other_size))
FUNCTION(rw_status, rw_signal_run_sized,
         (rw_device * device, const char *in, const char *out, const rw_signal_spec *s, rw_signal_report *r,
          size_t size, size_t other_size),
         (device, in, out, s, r, size, other_size))
FUNCTION(rw_status, rw_spectrogram_run_sized,
         (rw_device * device, const char *in, const char *out, const rw_spectrogram_spec *s, rw_spectrogram_report *r,
          size_t size, size_t other_size),
         (device, in, out, s, r, size, other_size))
FUNCTION(rw_status, rw_stream_window_create_sized,
         (rw_device * device, const rw_stream_window_spec *s, rw_stream_window **w, size_t size), (device, s, w, size))
FUNCTION(rw_status, rw_stream_window_show, (void *user, const rw_stream_view *view, rw_stream_action *action),
         (user, view, action))
FUNCTION(rw_status, rw_stream_window_save, (rw_stream_window * window, const char *path), (window, path))
void rw_selftest_free(rw_selftest_result **list)
{
    void (*function)(rw_selftest_result **);
    *(void **)&function = find("rw_selftest_free");
    function(list);
}

void rw_stream_window_destroy(rw_stream_window **window)
{
    void (*function)(rw_stream_window **);
    *(void **)&function = find("rw_stream_window_destroy");
    function(window);
}
#define FIGURE(kind)                                                                                                   \
    FUNCTION(rw_status, rw_figure_write_##kind##_sized,                                                                \
             (rw_context * ctx, const char *path, const rw_figure_page *page, const rw_figure_##kind *f, size_t size,  \
              size_t other_size),                                                                                      \
             (ctx, path, page, f, size, other_size))
FIGURE(lines)
FIGURE(bars)
FIGURE(field)
FUNCTION(rw_status, rw_figure_write_surface_sized,
         (rw_context * ctx, const char *path, const rw_figure_page *page, const rw_figure_field *f, size_t size,
          size_t other_size),
         (ctx, path, page, f, size, other_size))
FUNCTION(rw_status, rw_figure_write_residuals,
         (rw_context * ctx, const char *path, const char *title, int64_t n, const double *r, double b,
          double tolerance),
         (ctx, path, title, n, r, b, tolerance))
FUNCTION(rw_status, rw_figure_write_pattern,
         (rw_context * ctx, const char *path, const char *title, const rw_entries *e), (ctx, path, title, e))
