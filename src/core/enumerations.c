/* Names of the values of the public enumerations, as texts and tables have them. The default, 0 in many of them, has
 * the name of the value that it stands for. */
#include <string.h>

#include "core/core.h"
#include "rechenwerk.h"

typedef struct entry {
    int value;
    const char *name;
} entry;

/* A value's first entry is its name; a name's first entry is its value. */
static const char *name_of(const entry *e, int n, int value)
{
    for (int i = 0; i < n; ++i)
        if (e[i].value == value) return e[i].name;
    return "?";
}

static rw_status parse(rw_context *ctx, const char *type, const entry *e, int n, const char *text, int *value)
{
    enum { MOST = 64 };
    const char *names[MOST];
    int known = 0;
    for (int i = 0; i < n; ++i) {
        if (!strcmp(e[i].name, text)) {
            *value = e[i].value;
            return RW_OK;
        }
        bool there = known == MOST;
        for (int k = 0; k < known && !there; ++k) there = !strcmp(names[k], e[i].name);
        if (!there) names[known++] = e[i].name;
    }
    return rw_fail(ctx, RW_ERR_ARGUMENT, "%s \"%s\" is unknown%s", type, text, rw_hint_known(text, names, known).text);
}

#define NAMES(type, ...)                                                                                               \
    static const entry type##_entries[] = {__VA_ARGS__};                                                               \
    const char *type##_name(type value) { return name_of(type##_entries, RW_COUNT(type##_entries), (int)value); }      \
    rw_status type##_parse(rw_context *ctx, const char *name, type *value)                                             \
    {                                                                                                                  \
        int found;                                                                                                     \
        RW_NEED(ctx, "context");                                                                                       \
        RW_NEED(name, "name");                                                                                         \
        RW_NEED(value, "value");                                                                                       \
        RW_TRY(parse(ctx, #type, type##_entries, RW_COUNT(type##_entries), name, &found));                             \
        *value = (type)found;                                                                                          \
        return RW_OK;                                                                                                  \
    }

#define X(name, text, ...) {RW_LOG_##name, text},
NAMES(rw_log_level, X(ERROR, "error") X(WARNING, "warning") X(INFO, "info") X(DEBUG, "debug"))
#undef X
#define X(name, text, ...) {RW_##name, text},
NAMES(rw_dtype, RW_DTYPE_LIST(X){RW_DTYPE_DEFAULT, "default"})
#undef X
#define X(name, text, ...) {RW_MEMORY_##name, text},
NAMES(rw_memory, X(DEVICE, "device") X(PINNED, "pinned") X(MANAGED, "managed") X(MAPPED, "mapped"))
#undef X
#define X(name, text, ...) {RW_REDUCE_OP_##name, text},
NAMES(rw_reduce_op,
      X(SUM, "sum") X(DOT, "dot") X(MIN, "min") X(MAX, "max") X(NORM1, "norm1") X(NORM2, "norm2") X(NORMMAX, "normmax"))
#undef X
#define X(name, text, ...) {RW_BOUNDARY_##name, text},
NAMES(rw_boundary_kind, RW_BOUNDARY_LIST(X))
#undef X
#define X(name, text, ...) {RW_OP_##name, text},
NAMES(rw_op, X(NONE, "none") X(TRANSPOSE, "transpose") X(CONJUGATE, "conjugate"))
#undef X
#define X(name, text, ...) {RW_SPARSE_##name, text},
NAMES(rw_sparse_format, RW_SPARSE_FORMAT_LIST(X){RW_SPARSE_DEFAULT, "csr"})
#undef X
#define X(name, text, ...) {RW_DUPLICATES_##name, text},
NAMES(rw_duplicates, X(REFUSE, "refuse") X(SUM, "sum"))
#undef X
#define X(name, text, ...) {RW_PRECOND_##name, text},
NAMES(rw_precond_method, RW_PRECOND_METHOD_LIST(X){RW_PRECOND_NONE, "none"})
#undef X
#define X(name, text, ...) {RW_ORDER_##name, text},
NAMES(rw_precond_order, X(AUTO, "auto") X(NATURAL, "natural") X(COLOURS, "colours"))
#undef X
#define X(name, text, ...) {RW_KRYLOV_##name, text},
NAMES(rw_krylov_method, RW_KRYLOV_METHOD_LIST(X){RW_KRYLOV_DEFAULT, "gmres"})
NAMES(rw_krylov_orthogonal, X(CLASSICAL, "classical") X(MODIFIED, "modified") X(ORTHOGONAL_DEFAULT, "classical"))
#undef X
#define X(name, text, ...) {RW_ODE_##name, text},
NAMES(rw_ode_method, RW_ODE_METHOD_LIST(X){RW_ODE_DEFAULT, "auto"})
#undef X
#define X(name, text, ...) {RW_ELLIPTIC_##name, text},
NAMES(rw_elliptic_method, RW_ELLIPTIC_METHOD_LIST(X){RW_ELLIPTIC_DEFAULT, "auto"})
#undef X
#define X(name, text, ...) {RW_ELLIPTIC_PRECOND_##name, text},
NAMES(rw_elliptic_precond, RW_ELLIPTIC_PRECOND_LIST(X){RW_ELLIPTIC_PRECOND_DEFAULT, "auto"})
#undef X
#define X(name, text, ...) {RW_FFT_##name, text},
NAMES(rw_fft_kind, RW_FFT_KIND_LIST(X))
#undef X
#define X(name, text, ...) {RW_CONVOLUTION_##name, text},
NAMES(rw_convolution_mode, RW_CONVOLUTION_MODE_LIST(X))
#undef X
#define X(name, text, ...) {RW_SAMPLE_##name, text},
NAMES(rw_sample_kind, RW_SAMPLE_KIND_LIST(X){RW_SAMPLE_DEFAULT, "default"})
#undef X
#define X(name, text, ...) {RW_SIGNAL_##name, text},
NAMES(rw_signal_container, X(WAV, "wav") X(RAW, "raw") X(DEFAULT, "default"))
NAMES(rw_signal_method, RW_SIGNAL_METHOD_LIST(X) X(METHOD_DEFAULT, "lowpass"))
NAMES(rw_signal_window, RW_SIGNAL_WINDOW_LIST(X) X(WINDOW_DEFAULT, "default"))
#undef X
#define X(name, text, ...) {RW_IMAGE_##name, text},
NAMES(rw_image_method, RW_IMAGE_METHOD_LIST(X) X(METHOD_NONE, "none"))
NAMES(rw_image_direction, X(MAGNITUDE, "magnitude") X(X, "x") X(Y, "y") X(DIRECTION_DEFAULT, "magnitude"))
NAMES(rw_image_element,
      X(RECTANGLE, "rectangle") X(CROSS, "cross") X(ELLIPSE, "ellipse") X(ELEMENT_DEFAULT, "rectangle"))
NAMES(rw_image_threshold, X(BINARY, "binary") X(BINARY_INVERSE, "inverse") X(TRUNCATE, "truncate") X(TO_ZERO, "tozero")
                              X(TO_ZERO_INVERSE, "tozero_inverse") X(THRESHOLD_DEFAULT, "binary"))
NAMES(rw_image_colour, X(YCBCR, "ycbcr") X(YCBCR_INVERSE, "from_ycbcr") X(HSV, "hsv") X(HSV_INVERSE, "from_hsv")
                           X(XYZ, "xyz") X(XYZ_INVERSE, "from_xyz") X(SWAP, "swap") X(COLOUR_DEFAULT, "ycbcr"))
#undef X
#define X(name, text, ...) {RW_IMAGE_BORDER_##name, text},
NAMES(rw_image_border, RW_IMAGE_BORDER_LIST(X) X(DEFAULT, "reflect101"))
#undef X
#define X(name, text, ...) {RW_IMAGE_INTERPOLATION_##name, text},
NAMES(rw_image_interpolation, X(NEAREST, "nearest") X(LINEAR, "linear") X(CUBIC, "cubic") X(LANCZOS, "lanczos")
                                  X(AREA, "area") X(DEFAULT, "linear"))
#undef X
#define X(name, text, ...) {RW_IMAGE_FLIP_##name, text},
NAMES(rw_image_flip, X(X, "x") X(Y, "y") X(BOTH, "both") X(DEFAULT, "x"))
#undef X
#define X(name, text, ...) {RW_IMAGE_RESPONSE_##name, text},
NAMES(rw_image_response, X(GAUSSIAN, "gaussian") X(BUTTERWORTH, "butterworth") X(IDEAL, "ideal") X(DEFAULT, "gaussian"))
#undef X
#define X(name, text, ...) {RW_IMAGE_SCALE_##name, text},
NAMES(rw_image_scale, X(LOG, "log") X(LINEAR, "linear") X(DEFAULT, "log"))
#undef X
#define X(name, text, ...) {RW_IMAGE_ALPHA_##name, text},
NAMES(rw_image_alpha, X(KEEP, "keep") X(FILTER, "filter") X(DEFAULT, "keep"))
#undef X
#define X(name, text, ...) {RW_IMAGE_ALGORITHM_##name, text},
NAMES(rw_image_algorithm, X(AUTO, "auto") X(TAPS, "taps") X(FFT, "fft") X(RECURSIVE, "recursive") X(DEFAULT, "auto"))
#undef X
#define X(name, text, ...) {RW_FRAME_##name, text},
NAMES(rw_frame_layout, RW_FRAME_LAYOUT_LIST(X))
#undef X
#define X(name, text, ...) {RW_MULTIBLOCK_##name, text},
NAMES(rw_multiblock_stencil, RW_MULTIBLOCK_STENCIL_LIST(X))
NAMES(rw_multiblock_mode, RW_MULTIBLOCK_MODE_LIST(X))
NAMES(rw_multiblock_index, RW_MULTIBLOCK_INDEX_LIST(X))
#undef X
#define X(name, text, ...) {RW_MAPPING_##name, text},
NAMES(rw_mapping, X(TRANSFINITE, "transfinite") X(TRILINEAR, "trilinear"))
#undef X
#define X(name, text, ...) {RW_SURFACE_##name, text},
NAMES(rw_surface_kind, X(CYLINDER, "cylinder") X(SPHERE, "sphere") X(CUSTOM, "custom"))
#undef X
#define X(name, text, ...) {RW_COLORMAP_##name, text},
NAMES(rw_colormap, RW_COLORMAP_LIST(X))
#undef X
#define X(name, text, ...) {RW_FIGURE_##name, text},
NAMES(rw_figure_style, X(LINE, "line") X(DASHED, "dashed") X(POINTS, "points") X(LINE_POINTS, "line-points"))
