/* The functions of librechenwerk-run that the command calls. That library brings forty others with it, HDF5 alone
 * thirty, so the first call opens it, and `rechenwerk --version` does not. */
#include <dlfcn.h>
#include <stdlib.h>

#include "command.h"
#include "rechenwerk/fft.h"
#include "rechenwerk/image.h"
#include "rechenwerk/mesh.h"
#include "rechenwerk/run.h"

static void *find(const char *name)
{
    static void *library;
    if (!library) library = dlopen(RUN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    void *function = library ? dlsym(library, name) : NULL;
    if (function) return function;
    fprintf(stderr,
            "rechenwerk: %s\n    this subcommand needs " RUN_LIBRARY
            " of the same version: install it next to librechenwerk\n",
            dlerror());
    exit(1);
}

#define FUNCTION(type, name, parameters, arguments)                                                                    \
    type name parameters                                                                                               \
    {                                                                                                                  \
        type(*function) parameters;                                                                                    \
        *(void **)&function = find(#name);                                                                             \
        return function arguments;                                                                                     \
    }

FUNCTION(rw_status, rw_run_case, (rw_context * ctx, const char *path, const rw_run_options *o, rw_run_report *r),
         (ctx, path, o, r))
FUNCTION(rw_status, rw_explain_case, (rw_context * ctx, const char *path, const rw_run_options *o, char **text),
         (ctx, path, o, text))
FUNCTION(rw_status, rw_explain_graph,
         (rw_context * ctx, const char *path, const rw_run_options *o, int stages, const char *dot, char **text),
         (ctx, path, o, stages, dot, text))
FUNCTION(rw_status, rw_plot_results,
         (rw_context * ctx, const char *path, const rw_plot_options *o, rw_plot_function *f, void *user),
         (ctx, path, o, f, user))
FUNCTION(rw_status, rw_list_words, (rw_context * ctx, const char *kind, rw_word **words, int *n), (ctx, kind, words, n))
FUNCTION(const char *const *, rw_word_kinds, (void), ())
FUNCTION(rw_status, rw_help, (rw_context * ctx, const char *name, char **text), (ctx, name, text))
FUNCTION(rw_status, rw_case_template, (rw_context * ctx, const char *problem, char **text), (ctx, problem, text))
FUNCTION(rw_status, rw_describe, (rw_context * ctx, char **json), (ctx, json))
FUNCTION(rw_status, rw_describe_fortran, (rw_context * ctx, char **fortran), (ctx, fortran))
FUNCTION(rw_status, rw_describe_manual, (rw_context * ctx, char **roff), (ctx, roff))
FUNCTION(rw_status, rw_multiblock_read_cgns, (rw_context * ctx, const char *path, rw_multiblock_spec *s),
         (ctx, path, s))
FUNCTION(rw_status, rw_image_load, (rw_device * device, const char *path, rw_array **array), (device, path, array))
FUNCTION(rw_status, rw_image_save, (rw_array * array, const char *path, bool deep), (array, path, deep))
FUNCTION(rw_status, rw_figure_write_images,
         (rw_context * ctx, const char *path, const rw_figure_page *page, int n, const rw_figure_image *images),
         (ctx, path, page, n, images))
FUNCTION(bool, rw_stream_is, (const char *name), (name))
FUNCTION(rw_status, rw_stream_run,
         (rw_device * device, const char *in, const char *out, const rw_stream_spec *s, rw_stream_report *r),
         (device, in, out, s, r))
FUNCTION(rw_status, rw_signal_run,
         (rw_device * device, const char *in, const char *out, const rw_signal_spec *s, rw_signal_report *r),
         (device, in, out, s, r))
FUNCTION(rw_status, rw_spectrogram_run,
         (rw_device * device, const char *in, const char *out, const rw_spectrogram_spec *s, rw_spectrogram_report *r),
         (device, in, out, s, r))
FUNCTION(const char *, rw_sample_kind_name, (rw_sample_kind kind), (kind))
FUNCTION(rw_status, rw_stream_window_create, (rw_device * device, const rw_stream_window_spec *s, rw_stream_window **w),
         (device, s, w))
FUNCTION(rw_status, rw_stream_window_show, (void *user, const rw_stream_view *view, rw_stream_action *action),
         (user, view, action))
FUNCTION(rw_status, rw_stream_window_save, (rw_stream_window * window, const char *path), (window, path))
void rw_stream_window_destroy(rw_stream_window **window)
{
    void (*function)(rw_stream_window **);
    *(void **)&function = find("rw_stream_window_destroy");
    function(window);
}
#define FIGURE(kind)                                                                                                   \
    FUNCTION(rw_status, rw_figure_write_##kind,                                                                        \
             (rw_context * ctx, const char *path, const rw_figure_page *page, const rw_figure_##kind *f),              \
             (ctx, path, page, f))
FIGURE(lines)
FIGURE(bars)
FIGURE(field)
FUNCTION(rw_status, rw_figure_write_surface,
         (rw_context * ctx, const char *path, const rw_figure_page *page, const rw_figure_field *f),
         (ctx, path, page, f))
FUNCTION(rw_status, rw_figure_write_residuals,
         (rw_context * ctx, const char *path, const char *title, int64_t n, const double *r, double b,
          double tolerance),
         (ctx, path, title, n, r, b, tolerance))
FUNCTION(rw_status, rw_figure_write_pattern,
         (rw_context * ctx, const char *path, const char *title, const rw_entries *e), (ctx, path, title, e))
